// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random columns of the Gram matrix, as an estimator of the whole matrix.

#ifndef MERCER_ESTIMATORS_COLUMN_SAMPLING_HPP
#define MERCER_ESTIMATORS_COLUMN_SAMPLING_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/low_rank/low_rank_term.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer {

namespace detail {

/// The columns of draw t, used by both forms of the estimator.
template <OwnedSamples X>
class ColumnDraws {
 public:
  using S = typename X::Scalar;

  /// \param samples  the rows of this process. Collective
  ColumnDraws(std::string_view who, const KernelView<X>& kernel, const RowSpace& space,
              const X& samples, Index columns, bool replacement, std::uint64_t seed)
      : kernel_(kernel),
        space_(space),
        samples_(&samples),
        columns_(columns),
        replacement_(replacement),
        seed_(seed) {
    require_at_least(who, "columns", columns, Index{1});
    if (space.total() == 0) fail("mercer::", who, ": needs at least one sample");
    if (!replacement && columns > space.total())
      fail("mercer::", who, ": cannot draw ", columns, " columns out of ", space.total(),
           " without replacement");
    if (space.is_spread()) {
      // Kernels decide from samples in which form they take them: all processes from the same.
      few_ = std::make_shared<const X>(spaced_rows(space, samples));
    }
    space.together([&] {
      if (!space.is_spread()) {
        prepared_ = kernel.prepare(samples);
      } else {
        reference_ = kernel.prepare(*few_);
        if (samples.rows() > 0) prepared_ = kernel.prepare(samples, reference_);
      }
    });
  }

  /// The number of all rows.
  [[nodiscard]] Index total() const { return space_.total(); }
  /// The rows of this process.
  [[nodiscard]] Index rows() const { return space_.local(); }
  [[nodiscard]] Index columns() const { return columns_; }

  /// gram = factor K_I and unit = factor E_I, each n x columns.
  void fill(std::uint64_t t, S factor, GramOut<S> gram, GramOut<S> unit) const {
    const std::vector<Index> indices = draw(t);
    const X chosen = take_rows(space_, *samples_, indices);
    space_.together([&] {
      const PreparedSamples<X> prepared =
          kernel_.prepare(chosen, space_.is_spread() ? reference_ : prepared_);
      parallel_for(tile_count(rows()), [&](Index tile) {
        const Range range = Range::tile(tile, rows());
        for (Index j = 0; j < tile_count(columns_); ++j) {
          const Range part = Range::tile(j, columns_);
          GramOut<S> out = gram.block(range.begin, part.begin, range.size, part.size);
          if (space_.is_spread()) {  // last bits may depend on where a column begins in memory
            Matrix<S> values(range.size, part.size);
            kernel_.fill(prepared_, range, prepared, part, values);
            out = values;
          } else {
            kernel_.fill(prepared_, range, prepared, part, out);
          }
        }
        gram.middleRows(range.begin, range.size) *= factor;
      });
    });
    unit.setZero();
    for (Index j = 0; j < columns_; ++j) {
      const Index row = indices[static_cast<std::size_t>(j)] - space_.first();
      if (row >= 0 && row < rows()) unit(row, j) = factor;
    }
  }

 private:
  [[nodiscard]] std::vector<Index> draw(std::uint64_t t) const {
    RandomStream stream(seed_, "sampled columns", t);
    if (!replacement_) return sample_without_replacement(total(), columns_, stream);
    std::vector<Index> indices(static_cast<std::size_t>(columns_));
    for (Index& index : indices)
      index = static_cast<Index>(stream.below(static_cast<std::uint64_t>(total())));
    return indices;
  }

  KernelView<X> kernel_;
  RowSpace space_;
  const X* samples_;
  std::shared_ptr<const X> few_;  // of all processes, if rows are spread
  PreparedSamples<X> reference_, prepared_;
  Index columns_;
  bool replacement_;
  std::uint64_t seed_;
};

}  // namespace detail

/// The draws of ColumnSampling. Models BoundEstimator.
template <OwnedSamples X>
class BoundColumnSampling {
 public:
  using Term = ProductTerm<typename X::Scalar>;

  explicit BoundColumnSampling(const detail::ColumnDraws<X>& draws) : draws_(draws) {}

  void draw(std::uint64_t t, Term& out) {
    using S = typename X::Scalar;
    const Index n = draws_.rows(), k = draws_.columns();
    out.left.resize(n, k);
    out.right.resize(n, k);
    const S share = static_cast<S>(draws_.total()) / static_cast<S>(k);
    draws_.fill(t, std::sqrt(share), out.left, out.right);
  }

 private:
  detail::ColumnDraws<X> draws_;
};

/// The draws of SymmetricColumnSampling. Models BoundEstimator.
template <OwnedSamples X>
class BoundSymmetricColumnSampling {
 public:
  using Term = SymmetricTerm<typename X::Scalar>;

  explicit BoundSymmetricColumnSampling(const detail::ColumnDraws<X>& draws) : draws_(draws) {}

  void draw(std::uint64_t t, Term& out) {
    using S = typename X::Scalar;
    const Index n = draws_.rows(), k = draws_.columns();
    out.basis.resize(n, 2 * k);
    draws_.fill(t, S(1), out.basis.leftCols(k), out.basis.rightCols(k));
    out.middle.setZero(2 * k, 2 * k);
    out.middle.topRightCorner(k, k).diagonal().setConstant(static_cast<S>(draws_.total()) /
                                                           static_cast<S>(2 * k));
    out.middle.bottomLeftCorner(k, k) = out.middle.topRightCorner(k, k);
  }

 private:
  detail::ColumnDraws<X> draws_;
};

/// xi = (n/k) K_I E_I^T, where I are k columns drawn uniformly and E_I are the same columns of the
/// identity. Works for any kernel, but is far less accurate than random features at the same rank.
/// Cost: n k kernel values for each draw.
/// Accuracy: E|xi - K|_F^2 = (n - k)/k |K|_F^2 without replacement, (n - 1)/k |K|_F^2 with
///   replacement.
/// Random: stream "sampled columns" of the seed.
/// Lifetime: a bound estimator refers to the kernel and the samples.
/// Source: Zhang et al., Stochastic optimization for kernel PCA, AAAI 2016.
struct ColumnSampling {
  Index columns = 5;         ///< k, >= 1, at most n without replacement
  bool replacement = false;  ///< whether a column can be drawn twice

  /// \param space  the rows of the samples, which may be in several processes. Collective
  /// Throws InvalidArgument if settings are out of range or if there are no samples.
  template <OwnedSamples X>
  [[nodiscard]] BoundColumnSampling<X> bind(const RowSpace& space,
                                            const std::type_identity_t<KernelView<X>>& kernel,
                                            const X& samples, std::uint64_t seed) const {
    return BoundColumnSampling<X>(
        {"ColumnSampling", kernel, space, samples, columns, replacement, seed});
  }
  /// The same for all rows in one process.
  template <OwnedSamples X>
  [[nodiscard]] BoundColumnSampling<X> bind(const std::type_identity_t<KernelView<X>>& kernel,
                                            const X& samples, std::uint64_t seed) const {
    return bind(RowSpace::whole(samples.rows()), kernel, samples, seed);
  }
};

/// xi = (n/2k) (K_I E_I^T + E_I K_I^T), the symmetric part of a draw of ColumnSampling. Its rank is
/// 2 k. Cost, randomness, lifetime and source are as for ColumnSampling.
/// Accuracy: with replacement, E|xi - K|_F^2 = (n/2 (|K|_F^2 + sum_i K_ii^2) - |K|_F^2)/k, about
///   half of that of ColumnSampling. Without replacement, (n - k)/(n - 1) times this.
struct SymmetricColumnSampling {
  Index columns = 5;         ///< k, >= 1, at most n without replacement
  bool replacement = false;  ///< whether a column can be drawn twice

  /// \param space  the rows of the samples, which may be in several processes. Collective
  /// Throws InvalidArgument if settings are out of range or if there are no samples.
  template <OwnedSamples X>
  [[nodiscard]] BoundSymmetricColumnSampling<X> bind(
      const RowSpace& space, const std::type_identity_t<KernelView<X>>& kernel, const X& samples,
      std::uint64_t seed) const {
    return BoundSymmetricColumnSampling<X>(
        {"SymmetricColumnSampling", kernel, space, samples, columns, replacement, seed});
  }
  /// The same for all rows in one process.
  template <OwnedSamples X>
  [[nodiscard]] BoundSymmetricColumnSampling<X> bind(
      const std::type_identity_t<KernelView<X>>& kernel, const X& samples,
      std::uint64_t seed) const {
    return bind(RowSpace::whole(samples.rows()), kernel, samples, seed);
  }
};

}  // namespace mercer

#endif  // MERCER_ESTIMATORS_COLUMN_SAMPLING_HPP
