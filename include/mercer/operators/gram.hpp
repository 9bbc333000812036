// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Gram matrix of a kernel on samples, as an operator: stored, or evaluated tile by tile.

#ifndef MERCER_OPERATORS_GRAM_HPP
#define MERCER_OPERATORS_GRAM_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/sample_values.hpp>
#include <mercer/operators/symmetric_product.hpp>

namespace mercer {

/// K(i, j) = k(x_i, x_j) for the samples in the rows of X, by products with blocks of vectors.
///
/// A product evaluates (or reads) each tile of one triangle once and uses it for both triangles.
/// Vectors and sums are in double. Tiles are in double or in single precision. Single precision is
/// more than twice as fast. The class is compiled once for all kernels: it holds its kernel behind
/// a KernelView.
/// Cost: 2 n^2 b operations, and n^2 / 2 kernel values if tiles are recomputed.
/// Memory: n^2 / 2 values if tiles are stored, and a copy of the samples if theirs is another
///   precision. The matrix of Precomputed needs no such copy: its values are rounded when they are
///   stored, or in each product.
/// Accuracy: with tiles in single precision, a value has an error of about 1e-7, and a product has
///   such an error relative to |K| |v|. The matrix is still symmetric to the last bit.
/// Threads: const members may run concurrently and give the same bits on any number of threads.
/// Lifetime: owns a copy of the kernel and shares ownership of the samples, so it may outlive the
///   caller's variables. Copies share kernel, samples and tiles.
template <OwnedSamples X>
class Gram {
 public:
  using Scalar = double;

  /// Throws InvalidArgument for samples that are not finite or outside the kernel's domain, and for
  ///   tiles in single precision if the kernel has values in double only. A kernel value that is
  ///   not finite is found when it is evaluated: here if tiles are stored, else in a product or
  ///   among the values of samples. The message names the pair of samples.
  template <evaluates_on<X> K>
  Gram(K kernel, std::shared_ptr<const X> samples, GramForm form = {})
      : Gram(std::make_shared<const K>(std::move(kernel)), std::move(samples), form) {}

  template <evaluates_on<X> K>
  Gram(K kernel, X samples, GramForm form = {})
      : Gram(std::move(kernel), std::make_shared<const X>(std::move(samples)), form) {}

  /// Makes the operator without checks. The samples must be finite and in the kernel's domain; for
  /// Precomputed, the matrix must be symmetric.
  /// \param observer  is told of the tiles as they are stored, in the phase "gram matrix". If it
  ///   stops that, tiles are recomputed, and form() says so.
  /// Lifetime: refers to the kernel and does not own it.
  [[nodiscard]] static Gram unchecked(const KernelView<X>& kernel, std::shared_ptr<const X> samples,
                                      GramForm form = {}, const Observer& observer = {}) {
    Gram out(nullptr, kernel, std::move(samples), form);
    out.prepare(observer);
    return out;
  }

  [[nodiscard]] Index rows() const { return samples_->rows(); }

  /// out = K v, n x b.
  void apply(const Points<double>& v, GramOut<double> out) const;

  /// k(x_i, x_i), in the precision of the samples.
  [[nodiscard]] Vector<double> diagonal() const {
    return kernel_.diagonal(*samples_).template cast<double>();
  }

  /// The whole matrix, in the precision of the samples.
  [[nodiscard]] Matrix<double> dense() const { return values().template cast<double>(); }

  /// The whole matrix, in the scalar of the samples.
  /// Throws InvalidArgument for a value that is not finite.
  [[nodiscard]] Matrix<typename X::Scalar> values() const;

  /// The principal submatrix of these rows.
  /// Throws InvalidArgument for a value that is not finite.
  [[nodiscard]] Matrix<double> sample_block(const std::vector<Index>& indices) const {
    return rounded_ ? block_of<float>(indices) : block_of<Own>(indices);
  }

  /// K(:, indices) weights.
  /// Shapes: m indices and m x b weights to n x b.
  /// Cost: a kernel evaluation for each of n m entries.
  /// Throws InvalidArgument for a value that is not finite.
  [[nodiscard]] Matrix<double> sample_product(const std::vector<Index>& indices,
                                              const Matrix<double>& weights) const {
    return rounded_ ? columns_times<float>(indices, weights) : columns_times<Own>(indices, weights);
  }

  /// K(:, indices): read from stored tiles, else evaluated together, which is much cheaper than one
  /// by one.
  /// Shapes: m indices to n x m.
  /// Cost: n m values.
  /// Throws InvalidArgument for a value that is not finite.
  [[nodiscard]] Matrix<double> columns(const std::vector<Index>& indices) const {
    return rounded_ ? columns_in(single_tiles_.get(), indices)
                    : columns_in(own_tiles_.get(), indices);
  }

  /// The form that was asked for, except that samples of float always have single precision, and
  /// that an observer may have stopped the storing.
  [[nodiscard]] const GramForm& form() const { return form_; }

 private:
  using Own = typename X::Scalar;

  template <class K>
  Gram(std::shared_ptr<const K> kernel, std::shared_ptr<const X> samples, GramForm form)
      : Gram(kernel, KernelView<X>(*kernel), std::move(samples), form) {
    detail::require_finite_samples("Gram", *samples_);
    kernel_.check_domain(*samples_);
    prepare();
  }

  Gram(std::shared_ptr<const void> owner, const KernelView<X>& kernel,
       std::shared_ptr<const X> samples, GramForm form)
      : owner_(std::move(owner)), kernel_(kernel), samples_(std::move(samples)), form_(form) {}

  /// Rounds the samples and stores the tiles, if the form asks for it.
  void prepare(const Observer& observer = {});
  /// All tiles of a triangle, or null if the observer has stopped it.
  template <Real T>
  [[nodiscard]] std::shared_ptr<const Vector<T>> evaluate_tiles(const Observer& observer) const;
  template <Real T>
  void multiply(const T* stored, const Points<double>& v, GramOut<double> out) const;

  /// Evaluates tile (i, j) of K in T and checks that it is finite. Tiles on the diagonal are made
  /// symmetric to the last bit.
  template <Real T>
  void evaluate(const PreparedSamples<SamplesIn<T, X>>* samples, Index i, Index j,
                GramOut<T> tile) const;
  template <Real T>
  [[nodiscard]] Matrix<double> block_of(const std::vector<Index>& indices) const;
  /// Samples of some rows, prepared for values with all samples. Nothing for given values.
  template <Real T>
  struct Chosen {
    std::unique_ptr<const SamplesIn<T, X>> samples;
    PreparedSamples<SamplesIn<T, X>> prepared;
  };
  template <Real T>
  [[nodiscard]] Chosen<T> choose(const std::vector<Index>& indices) const;
  /// Evaluates, or reads, K(rows, indices(cols)) in T and checks that it is finite.
  template <Real T>
  void fill_columns(detail::Range rows, const std::vector<Index>& indices, const Chosen<T>& chosen,
                    detail::Range cols, GramOut<T> out) const;
  template <Real T>
  [[nodiscard]] Matrix<double> columns_in(const Vector<T>* stored,
                                          const std::vector<Index>& indices) const;
  template <Real T>
  [[nodiscard]] Matrix<double> columns_times(const std::vector<Index>& indices,
                                             const Matrix<double>& weights) const;

  /// Samples in the precision of the tiles, prepared for the kernel.
  template <Real T>
  [[nodiscard]] const PreparedSamples<SamplesIn<T, X>>* samples_in() const {
    if constexpr (std::same_as<T, Own>)
      return own_.get();
    else
      return single_.get();
  }

  /// The position of the first value of stored tile (i, j).
  [[nodiscard]] static std::size_t offset(Index i, Index j) {
    return static_cast<std::size_t>((i * (i + 1) / 2 + j) * detail::tile_size * detail::tile_size);
  }

  /// Tile (i, j), i >= j, of the stored ones. T is const where they are read.
  template <class T>
  [[nodiscard]] auto stored_tile(T* stored, Index i, Index j) const {
    using Tile = Matrix<std::remove_const_t<T>>;
    return Eigen::Map<std::conditional_t<std::is_const_v<T>, const Tile, Tile>>(
        stored + offset(i, j), detail::Range::tile(i, rows()).size,
        detail::Range::tile(j, rows()).size);
  }

  std::shared_ptr<const void> owner_;  // owns what kernel_ refers to; empty if we do not own it
  KernelView<X> kernel_;
  std::shared_ptr<const X> samples_;
  GramForm form_;
  bool rounded_ = false;  // tiles are single, samples are double
  std::shared_ptr<const SamplesIn<float, X>> rounded_samples_;
  // The samples that tiles are evaluated on: own_, or single_ if they are rounded. Null for given
  // values.
  std::shared_ptr<const PreparedSamples<X>> own_;
  std::shared_ptr<const PreparedSamples<SamplesIn<float, X>>> single_;
  // At most one of these is set; none if tiles are recomputed.
  std::shared_ptr<const Vector<Own>> own_tiles_;
  std::shared_ptr<const Vector<float>> single_tiles_;
};

template <OwnedSamples X>
void Gram<X>::prepare(const Observer& observer) {
  constexpr Precision own = precision_of<Own>;
  if (own == Precision::Single) form_.precision = own;
  rounded_ = form_.precision != own;
  if (kernel_.is_precomputed()) {
    if constexpr (DenseSamples<X>)
      if (owner_) Precomputed::check_gram(*samples_);
  } else if (rounded_) {
    const PhaseTimer timer(Phase::SamplesPrepared, detail::value_bytes(*samples_));
    if (!kernel_.has_single())
      detail::fail("mercer::Gram: the kernel ", kernel_.describe(),
                   " has values in double precision only");
    rounded_samples_ = std::make_shared<const SamplesIn<float, X>>(kernel_.to_single(*samples_));
    single_ = std::make_shared<const PreparedSamples<SamplesIn<float, X>>>(
        kernel_.prepare(*rounded_samples_));
  } else {
    const PhaseTimer timer(Phase::SamplesPrepared, detail::value_bytes(*samples_));
    own_ = std::make_shared<const PreparedSamples<X>>(kernel_.prepare(*samples_));
  }
  if (form_.storage != GramStorage::Stored) return;
  if (rounded_)
    single_tiles_ = evaluate_tiles<float>(observer);
  else
    own_tiles_ = evaluate_tiles<Own>(observer);
  if (!single_tiles_ && !own_tiles_) form_.storage = GramStorage::Recomputed;
}

template <OwnedSamples X>
template <Real T>
std::shared_ptr<const Vector<T>> Gram<X>::evaluate_tiles(const Observer& observer) const {
  const Index n = rows(), count = detail::tile_count(n);
  const PhaseTimer timer(Phase::Tiles, detail::stored_tile_values(n) * sizeof(T));
  // Eigen's memory is aligned for its vector instructions. In other memory, the first and last
  // values of a column would be computed one by one, and rounding would depend on the address.
  auto values = std::make_shared<Vector<T>>(static_cast<Index>(detail::stored_tile_values(n)));
  detail::ask_for_huge_pages(*values);
  detail::LoopProgress progress(observer, "gram matrix", count * (count + 1) / 2);
  detail::for_symmetric_tiles(count, [&](Index i, Index j) {
    if (progress.stopped()) return;
    auto tile = stored_tile(values->data(), i, j);
    evaluate<T>(samples_in<T>(), i, j, tile);
    progress.advance();
  });
  if (progress.stopped()) return nullptr;
  return values;
}

template <OwnedSamples X>
void Gram<X>::apply(const Points<double>& v, GramOut<double> out) const {
  const PhaseTimer timer(Phase::Products, detail::stored_tile_bytes(rows(), form_.precision));
  if (rounded_)
    multiply<float>(single_tiles_ ? single_tiles_->data() : nullptr, v, out);
  else
    multiply<Own>(own_tiles_ ? own_tiles_->data() : nullptr, v, out);
}

template <OwnedSamples X>
template <Real T>
void Gram<X>::multiply(const T* stored, const Points<double>& v, GramOut<double> out) const {
  const Index n = rows();
  if (stored)
    detail::symmetric_tile_product<T, double>(
        n, [&](Index i, Index j) { return stored_tile(stored, i, j); }, v, out);
  else
    detail::symmetric_tile_product<T, double>(
        n,
        [&](Index i, Index j) {
          Matrix<T> tile(detail::Range::tile(i, n).size, detail::Range::tile(j, n).size);
          evaluate<T>(samples_in<T>(), i, j, tile);
          return tile;
        },
        v, out);
}

template <OwnedSamples X>
template <Real T>
void Gram<X>::evaluate(const PreparedSamples<SamplesIn<T, X>>* samples, Index i, Index j,
                       GramOut<T> tile) const {
  const Index n = rows();
  const auto of_rows = detail::Range::tile(i, n), of_cols = detail::Range::tile(j, n);
  bool given = false;
  if constexpr (DenseSamples<X>) {
    given = kernel_.is_precomputed();
    if (given)
      tile = samples_->block(of_rows.begin, of_cols.begin, of_rows.size, of_cols.size)
                 .template cast<T>();
  }
  if (!given) kernel_.fill(*samples, of_rows, *samples, of_cols, tile);
  detail::require_finite_values(kernel_, tile, of_rows, of_cols);
  if (i == j) tile.template triangularView<Eigen::StrictlyUpper>() = tile.transpose();
}

template <OwnedSamples X>
Matrix<typename X::Scalar> Gram<X>::values() const {
  const auto entries = static_cast<std::size_t>(rows() * rows());
  const PhaseTimer timer(Phase::Tiles, entries * sizeof(Own));
  if constexpr (DenseSamples<X>)
    if (kernel_.is_precomputed()) return (*samples_ + samples_->transpose()) / Own(2);
  const Index n = rows();
  const PreparedSamples<X> prepared = own_ ? *own_ : kernel_.prepare(*samples_);
  Matrix<Own> out = detail::in_huge_pages(Matrix<Own>(n, n));
  detail::fill_symmetric<Own>(
      n, [&](Index i, Index j, GramOut<Own> tile) { evaluate<Own>(&prepared, i, j, tile); }, out);
  return out;
}

template <OwnedSamples X>
template <Real T>
Matrix<double> Gram<X>::block_of(const std::vector<Index>& indices) const {
  if constexpr (DenseSamples<X>)
    if (kernel_.is_precomputed()) {
      const Matrix<T> block = detail::take_block(*samples_, indices, indices).template cast<T>();
      const auto number = [&](Index i) { return indices[static_cast<std::size_t>(i)]; };
      detail::require_finite_values("Gram", kernel_, block, number, number);
      return block.template cast<double>();
    }
  const SamplesIn<T, X> chosen = detail::take_rows<T>(*samples_in<T>()->samples, indices);
  const PreparedSamples<SamplesIn<T, X>> prepared = kernel_.prepare(chosen, *samples_in<T>());
  return detail::gram_of("Gram", kernel_, prepared, indices);
}

template <OwnedSamples X>
template <Real T>
auto Gram<X>::choose(const std::vector<Index>& indices) const -> Chosen<T> {
  Chosen<T> out;
  if (kernel_.is_precomputed()) return out;
  const PreparedSamples<SamplesIn<T, X>>& all = *samples_in<T>();
  out.samples =
      std::make_unique<const SamplesIn<T, X>>(detail::take_rows<T>(*all.samples, indices));
  out.prepared = kernel_.prepare(*out.samples, all);
  return out;
}

template <OwnedSamples X>
template <Real T>
void Gram<X>::fill_columns(detail::Range rows, const std::vector<Index>& indices,
                           const Chosen<T>& chosen, detail::Range cols, GramOut<T> out) const {
  const auto column = [&](Index c) { return indices[static_cast<std::size_t>(cols.begin + c)]; };
  bool given = false;
  if constexpr (DenseSamples<X>) {
    given = kernel_.is_precomputed();
    for (Index c = 0; given && c < cols.size; ++c)
      out.col(c) = samples_->col(column(c)).segment(rows.begin, rows.size).template cast<T>();
  }
  if (!given) kernel_.fill(*samples_in<T>(), rows, chosen.prepared, cols, out);
  detail::require_finite_values(
      "Gram", kernel_, out, [&](Index i) { return rows.begin + i; }, column);
}

template <OwnedSamples X>
template <Real T>
Matrix<double> Gram<X>::columns_in(const Vector<T>* stored,
                                   const std::vector<Index>& indices) const {
  const Index n = rows(), m = static_cast<Index>(indices.size());
  const PhaseTimer timer(Phase::Tiles, static_cast<std::size_t>(n * m) * sizeof(T));
  Matrix<double> out = detail::in_huge_pages(Matrix<double>(n, m));
  const Chosen<T> chosen = stored ? Chosen<T>{} : choose<T>(indices);
  parallel_for(detail::tile_count(n), [&](Index i) {
    const auto rows = detail::Range::tile(i, n);
    auto values = out.middleRows(rows.begin, rows.size);
    if (!stored) {
      Matrix<T> evaluated(rows.size, m);
      fill_columns<T>(rows, indices, chosen, {0, m}, evaluated);
      values = evaluated.template cast<double>();
      return;
    }
    for (Index c = 0; c < m; ++c) {
      const Index at = indices[static_cast<std::size_t>(c)], j = at / detail::tile_size;
      const Index within = at - j * detail::tile_size;
      if (i >= j)
        values.col(c) = stored_tile(stored->data(), i, j).col(within).template cast<double>();
      else
        values.col(c) =
            stored_tile(stored->data(), j, i).row(within).transpose().template cast<double>();
    }
  });
  return out;
}

template <OwnedSamples X>
template <Real T>
Matrix<double> Gram<X>::columns_times(const std::vector<Index>& indices,
                                      const Matrix<double>& weights) const {
  if (rows() == 0 || weights.cols() == 0) return Matrix<double>::Zero(rows(), weights.cols());
  const Chosen<T> chosen = choose<T>(indices);
  return detail::product_of_tiles<T>(
      rows(), weights, [&](detail::Range block, detail::Range cols, GramOut<T> values) {
        fill_columns<T>(block, indices, chosen, cols, values);
      });
}

// The instantiation of a class leaves out its templates.
#define MERCER_GRAM_TILES(X, T)                                                                 \
  MERCER_INSTANTIATE_OPERATORS(Matrix<double> Gram<X>::block_of<T>(const std::vector<Index>&)   \
                                   const)                                                       \
  MERCER_INSTANTIATE_OPERATORS(                                                                 \
      Matrix<double> Gram<X>::columns_in<T>(const Vector<T>*, const std::vector<Index>&) const) \
  MERCER_INSTANTIATE_OPERATORS(Matrix<double> Gram<X>::columns_times<T>(                        \
      const std::vector<Index>&, const Matrix<double>&) const)
#define MERCER_GRAM(X)                        \
  MERCER_INSTANTIATE_OPERATORS(class Gram<X>) \
  MERCER_GRAM_TILES(X, X::Scalar)
MERCER_FOR_SAMPLES(MERCER_GRAM)
MERCER_GRAM_TILES(Matrix<double>, float)
MERCER_GRAM_TILES(SparseMatrix<double>, float)
#undef MERCER_GRAM
#undef MERCER_GRAM_TILES

}  // namespace mercer

#endif  // MERCER_OPERATORS_GRAM_HPP
