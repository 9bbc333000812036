// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// KernelView: any kernel behind one type, so that code is compiled once for all kernels.

#ifndef MERCER_KERNELS_KERNEL_VIEW_HPP
#define MERCER_KERNELS_KERNEL_VIEW_HPP

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/lifetime.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/prepared_samples.hpp>
#include <mercer/kernels/single_samples.hpp>

namespace mercer {

template <OwnedSamples X>
class KernelView;

namespace detail {

/// The values of a kernel on samples of the form X.
template <OwnedSamples X>
struct ValueTable {
  using Scalar = typename X::Scalar;

  /// out = k(x_i, y_j), for a few samples that are not worth preparing.
  void (*fill)(const void* kernel, const X& x, Range rows, const X& y, Range cols,
               GramOut<Scalar>& out);
  void (*prepare)(const void* kernel, PreparedSamples<X>& samples);
  /// The same as fill, for prepared samples.
  void (*fill_prepared)(const void* kernel, const PreparedRows<X>& x, const PreparedRows<X>& y,
                        GramOut<Scalar>& out);
};

template <class K, OwnedSamples X>
inline constexpr ValueTable<X> value_table{
    .fill =
        [](const void* kernel, const X& x, Range rows, const X& y, Range cols,
           GramOut<typename X::Scalar>& out) {
          fill_tile(*static_cast<const K*>(kernel), x, rows, y, cols, out);
        },
    .prepare =
        [](const void* kernel, PreparedSamples<X>& samples) {
          if constexpr (HasPreparation<K, X>) static_cast<const K*>(kernel)->prepare(samples);
        },
    .fill_prepared =
        [](const void* kernel, const PreparedRows<X>& x, const PreparedRows<X>& y,
           GramOut<typename X::Scalar>& out) {
          const K& k = *static_cast<const K*>(kernel);
          if constexpr (HasPreparation<K, X>)
            k.gram_prepared(x, y, out);
          else
            fill_tile(k, *x.all.samples, x.rows, *y.all.samples, y.rows, out);
        }};

template <class K, OwnedSamples X>
[[nodiscard]] constexpr const ValueTable<X>* value_table_or_null() {
  if constexpr (evaluates_on<K, X>)
    return &value_table<K, X>;
  else
    return nullptr;
}

/// The functions and properties of a kernel on samples of the form X.
template <OwnedSamples X>
struct KernelTable {
  const ValueTable<X>* own;
  const ValueTable<SamplesIn<float, X>>* in_single;   ///< null if the kernel has no such values
  const ValueTable<SamplesIn<double, X>>* in_double;  ///< the same
  Vector<typename X::Scalar> (*diagonal)(const void* kernel, const X& x);
  double (*growth)(const void* kernel, const X& x);  ///< null if it is 1
  void (*check_domain)(const void* kernel, const X& x);
  std::string (*describe)(const void* kernel);
  bool loses_offset;
  bool loses_equal_columns;
  bool precomputed;
};

template <class K, OwnedSamples X>
[[nodiscard]] constexpr auto growth_or_null() -> double (*)(const void*, const X&) {
  if constexpr (HasGrowth<K, X>)
    return [](const void* kernel, const X& x) {
      return mercer::growth(*static_cast<const K*>(kernel), x);
    };
  else
    return nullptr;
}

template <class K, OwnedSamples X>
inline constexpr KernelTable<X> kernel_table{
    .own = &value_table<K, X>,
    .in_single = value_table_or_null<K, SamplesIn<float, X>>(),
    .in_double = value_table_or_null<K, SamplesIn<double, X>>(),
    .diagonal = [](const void* kernel,
                   const X& x) { return mercer::diagonal(*static_cast<const K*>(kernel), x); },
    .growth = growth_or_null<K, X>(),
    .check_domain = [](const void* kernel,
                       const X& x) { detail::check_domain(*static_cast<const K*>(kernel), x); },
    .describe = [](const void* kernel) { return detail::describe(*static_cast<const K*>(kernel)); },
    .loses_offset = loses_offset<K, X>,
    .loses_equal_columns = loses_offset<K, X>&& SkipsEqualColumns<K>,
    .precomputed = std::same_as<K, Precomputed>};

/// The view of the kernel that \p kernel holds.
/// Throws InvalidArgument if that kernel has no values for samples of the form X.
template <OwnedSamples X, HoldsKernel K>
[[nodiscard]] KernelView<X> view_of_held(const K& kernel);

}  // namespace detail

/// A kernel behind function pointers. A block of values takes one indirect call, whose cost is
/// negligible. Precomputed values have such a view too: row i of their "samples" holds the values
/// k(x_i, .).
/// The view of a kernel that holds another one is that of the kernel it holds.
/// Throws InvalidArgument if a kernel that was chosen at run time has no values for such samples.
/// Lifetime: refers to the kernel, which must outlive it. Copies refer to the same kernel.
template <OwnedSamples X>
class KernelView {
 public:
  using Scalar = typename X::Scalar;

  template <class K>
    requires(!std::same_as<K, KernelView> && KernelOrPrecomputed<K> && evaluates_on<K, X>)
  KernelView(const K& kernel MERCER_LIFETIMEBOUND) {  // NOLINT: implicit, as a reference would bind
    if constexpr (HoldsKernel<K>) {
      *this = detail::view_of_held<X>(kernel);
    } else {
      kernel_ = &kernel;
      table_ = &detail::kernel_table<K, X>;
    }
  }

  /// out = k(x_i, y_j) for i in \p rows and j in \p cols, for a few samples. For blocks of about
  /// tile_size.
  void fill(const X& x, detail::Range rows, const X& y, detail::Range cols,
            GramOut<Scalar> out) const {
    table_->own->fill(kernel_, x, rows, y, cols, out);
  }

  /// The same from samples in single precision; see to_single().
  void fill_single(const SamplesIn<float, X>& x, detail::Range rows, const SamplesIn<float, X>& y,
                   detail::Range cols, GramOut<float> out) const {
    MERCER_ASSERT(has_single());
    table_->in_single->fill(kernel_, x, rows, y, cols, out);
  }
  /// Whether the kernel has values in single precision.
  [[nodiscard]] bool has_single() const { return table_->in_single != nullptr; }

  /// The same from samples in double precision.
  void fill_double(const SamplesIn<double, X>& x, detail::Range rows, const SamplesIn<double, X>& y,
                   detail::Range cols, GramOut<double> out) const {
    MERCER_ASSERT(has_double());
    table_->in_double->fill(kernel_, x, rows, y, cols, out);
  }
  /// Whether the kernel has values in double precision.
  [[nodiscard]] bool has_double() const { return table_->in_double != nullptr; }

  /// Computes what the kernel needs of each sample, once. The samples are those of this view, or of
  /// to_single().
  /// Lifetime: the result refers to \p x.
  template <OwnedSamples Y>
  [[nodiscard]] PreparedSamples<Y> prepare(const Y& x) const {
    return prepared(x, std::nullopt);
  }
  /// The same for samples that meet \p other in one Gram matrix.
  template <OwnedSamples Y>
  [[nodiscard]] PreparedSamples<Y> prepare(const Y& x, const PreparedSamples<Y>& other) const {
    return prepared(x, other.form);
  }

  /// out = k(x_i, y_j) for i in \p rows and j in \p cols of samples prepared together.
  template <OwnedSamples Y>
  void fill(const PreparedSamples<Y>& x, detail::Range rows, const PreparedSamples<Y>& y,
            detail::Range cols, GramOut<typename Y::Scalar> out) const {
    values_on<Y>().fill_prepared(kernel_, {x, rows}, {y, cols}, out);
  }

  /// Samples in single precision. Only differences of samples that were converted together are
  /// meaningful.
  [[nodiscard]] SamplesIn<float, X> to_single(const X& x) const {
    return detail::to_single(x, table_->loses_offset, table_->loses_equal_columns);
  }

  /// |x_i|^2 of the samples that to_single() rounds.
  [[nodiscard]] Vector<double> rounded_sizes(const X& x) const {
    return detail::rounded_sizes(x, table_->loses_offset);
  }

  /// k(x_i, x_i) for every row.
  [[nodiscard]] Vector<Scalar> diagonal(const X& x) const { return table_->diagonal(kernel_, x); }

  /// About the rounding error of values in ulp, as far as it follows from inner products; see
  /// HasGrowth.
  [[nodiscard]] double growth(const X& x) const {
    return table_->growth ? table_->growth(kernel_, x) : 1;
  }

  /// Throws InvalidArgument for samples outside the kernel's domain.
  void check_domain(const X& x) const { table_->check_domain(kernel_, x); }

  [[nodiscard]] std::string describe() const { return table_->describe(kernel_); }

  /// Whether the kernel is Precomputed. Then there are values, but no samples from which to
  /// evaluate others.
  [[nodiscard]] bool is_precomputed() const { return table_->precomputed; }

 private:
  template <OwnedSamples Y>
  [[nodiscard]] PreparedSamples<Y> prepared(
      const Y& x, std::optional<typename PreparedSamples<Y>::Form> form) const {
    PreparedSamples<Y> out;
    out.samples = &x;
    out.form = std::move(form);
    values_on<Y>().prepare(kernel_, out);
    return out;
  }

  template <OwnedSamples Y>
  [[nodiscard]] const detail::ValueTable<Y>& values_on() const {
    if constexpr (std::same_as<Y, X>) {
      return *table_->own;
    } else {
      static_assert(std::same_as<Y, SamplesIn<float, X>>);
      MERCER_ASSERT(has_single());
      return *table_->in_single;
    }
  }

  const void* kernel_ = nullptr;
  const detail::KernelTable<X>* table_ = nullptr;
};

namespace detail {

template <OwnedSamples X, HoldsKernel K>
KernelView<X> view_of_held(const K& kernel) {
  return kernel.with_kernel([](const auto& held) -> KernelView<X> {
    if constexpr (evaluates_on<std::decay_t<decltype(held)>, X>)
      return held;
    else
      fail("mercer: the kernel ", describe(held), " takes no ",
           SparseSamples<X> ? "sparse samples; give it dense ones" : "samples of this scalar");
  });
}

[[nodiscard]] inline Index sample_count(const auto& samples) {
  if constexpr (requires { samples.rows(); })
    return samples.rows();
  else
    return samples.samples->rows();
}

/// out = k(x_i, y_j) for i in \p rows and every row of y, on the calling thread.
/// \tparam Samples  X, for a few samples, or prepared samples
template <OwnedSamples X, class Samples, Real S>
void fill_rows(const KernelView<X>& kernel, const Samples& x, Range rows, const Samples& y,
               GramOut<S> out) {
  const Index n = sample_count(y);
  for (Index j = 0; j < tile_count(n); ++j) {
    const Range cols = Range::tile(j, n);
    kernel.fill(x, rows, y, cols, out.middleCols(cols.begin, cols.size));
  }
}

/// The values that fill_rows() writes.
/// \tparam Samples  X, for a few samples, or PreparedSamples<X>
template <OwnedSamples X, class Samples>
[[nodiscard]] Matrix<typename X::Scalar> kernel_rows(const KernelView<X>& kernel, const Samples& x,
                                                     Range rows, const Samples& y) {
  Matrix<typename X::Scalar> out(rows.size, sample_count(y));
  fill_rows<X, Samples, typename X::Scalar>(kernel, x, rows, y, out);
  return out;
}

/// K(drawn, X[first, first + size)) in double, whatever the scalar of the samples. The kernel must
/// have values in double.
/// \param drawn  some of the samples in double, which hold all values if X is a given matrix
/// \param out    rows of \p drawn x size
template <OwnedSamples X>
void fill_in_double(const KernelView<X>& kernel, const SamplesIn<double, X>& drawn, const X& x,
                    Index first, Index size, GramOut<double> out) {
  const Range all{0, out.rows()};
  if (kernel.is_precomputed()) return kernel.fill_double(drawn, all, drawn, {first, size}, out);
  const SamplesIn<double, X> block = x.middleRows(first, size).template cast<double>();
  kernel.fill_double(drawn, all, block, {0, size}, out);
}

/// Throws InvalidArgument for the first value that is not finite. The message names the kernel, the
///   value and the pair of samples, row_number(i) and column_number(j) for entry (i, j).
template <OwnedSamples X, class Block, class RowNumber, class ColumnNumber>
void require_finite_values(std::string_view who, const KernelView<X>& kernel, const Block& values,
                           const RowNumber& row_number, const ColumnNumber& column_number) {
  // The sum is a fast test. Only if it fails are the values checked one by one.
  if (std::isfinite(values.sum())) return;
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i)
      if (!std::isfinite(values(i, j)))
        fail("mercer::", who, ": the kernel ", kernel.describe(), " has the value ", values(i, j),
             " for samples ", row_number(i), " and ", column_number(j), " (counted from 0)",
             precision_of<typename Block::Scalar> == Precision::Single ? " in single precision"
                                                                       : "");
}

/// The same for a tile of a Gram matrix.
template <OwnedSamples X, class Block>
void require_finite_values(const KernelView<X>& kernel, const Block& values, Range rows,
                           Range cols) {
  require_finite_values(
      "Gram", kernel, values, [&](Index i) { return rows.begin + i; },
      [&](Index j) { return cols.begin + j; });
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_KERNELS_KERNEL_VIEW_HPP
