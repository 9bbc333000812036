// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks of samples whose rows are in several processes.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_SPREAD_LANDMARKS_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_SPREAD_LANDMARKS_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/nystrom/detail/independent_rows.hpp>
#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer::detail {

/// A PartialCholesky whose rows are in several processes. The diagonal of K - F F^T is on all of
/// them, so that all choose the same pivots. All members that compute are collective.
/// Cost: for n rows over P processes n m / P kernel values and O(n m^2 / P) time. In each step the
///   rows of the new pivots and n numbers are sent.
/// Memory: n m / P values, and 16 n bytes for diagonals.
/// Lifetime: refers to the kernel, the samples, the numbers of rows and the processes.
template <OwnedSamples X>
class SpreadCholesky final : public PivotedFactor {
 public:
  using S = typename X::Scalar;

  /// A factor without columns yet; see PartialCholesky.
  /// \param weights  of the rows of all processes
  /// \param numbers  of all rows, for errors; empty: as they come
  SpreadCholesky(const KernelView<X>& kernel, const RowSpace& space, const X& samples, Index most,
                 std::string_view who, Vector<double> weights = {},
                 std::span<const Index> numbers = {})
      : PivotedFactor(kernel.describe(), who, diagonal(kernel, space, samples),
                      rounding_level<S>(most), double{std::numeric_limits<S>::epsilon()},
                      std::move(weights), numbers),
        kernel_(kernel),
        space_(space),
        samples_(samples),
        // Kernels decide from samples in which form they take them: all from the same one.
        few_(spaced_rows(space, samples)),
        reference_(kernel.prepare(few_)),
        factor_(in_huge_pages(Matrix<S>(space.local(), most))) {
    space.together([&] {
      if (space.local() > 0) prepared_ = kernel.prepare(samples, reference_);
    });
  }

  /// The rows of F of this process, moved out of this object, which must not be used any more.
  [[nodiscard]] Matrix<S> take_factor() && {
    factor_.conservativeResize(Eigen::NoChange, size());
    return std::move(factor_);
  }

  [[nodiscard]] Matrix<double> schur_complement(const std::vector<Index>& rows) override {
    const Pivots pivots(*this, rows);
    const Index b = pivots.points.rows();
    evaluations_ += b * b;
    Matrix<S> h(b, b);
    fill_rows<X>(kernel_, pivots.prepared, {0, b}, pivots.prepared, GramOut<S>(h));
    const Matrix<S> minus = -pivots.factor.transpose();
    {
      const SingleThread one;
      if (size() > 0) multiply_add<S>(pivots.factor, minus, h);
    }
    Matrix<double> found = h.template cast<double>();
    space_.agree(found);
    return found;
  }

  void append(const std::vector<Index>& rows, const Matrix<double>& lower) override {
    const Pivots pivots(*this, rows);
    const Index done = size(), t = pivots.points.rows();
    MERCER_ASSERT(done + t <= factor_.cols());
    const Matrix<S> divide = inverse_transpose(lower).template cast<S>();
    const Matrix<S> above = -pivots.factor.transpose();
    Vector<double> squares(space_.local());
    space_.together([&] {
      for_local_blocks(space_, [&](Index first, Index size) {
        Matrix<S> g(size, t), columns = Matrix<S>::Zero(size, t);
        fill_rows<X>(kernel_, prepared_, {first, size}, pivots.prepared, GramOut<S>(g));
        if (done > 0) multiply_add<S>(factor_.block(first, 0, size, done), above, g);
        multiply_add<S>(g, divide, columns);
        factor_.block(first, done, size, t) = columns;
        squares.segment(first, size) = columns.template cast<double>().rowwise().squaredNorm();
      });
    });
    residual_ -= weighted(space_.everywhere(squares));
    take_pivots(rows);
  }

 private:
  /// What a step needs of some rows, on all processes. Not copied or moved, for \p prepared refers
  /// to \p points. Collective.
  struct Pivots {
    Pivots(const SpreadCholesky& all, const std::vector<Index>& rows)
        : points(take_rows(all.space_, all.samples_, rows)),
          prepared(all.kernel_.prepare(points, all.reference_)),
          factor(take_rows_by(all.space_, rows, [&](const std::vector<Index>& mine) -> Matrix<S> {
            return take_rows<S>(all.factor_.leftCols(all.size()), mine);
          })) {}
    Pivots(const Pivots&) = delete;
    Pivots& operator=(const Pivots&) = delete;

    X points;
    PreparedSamples<X> prepared;
    Matrix<S> factor;  // their rows of F
  };

  [[nodiscard]] static Vector<double> diagonal(const KernelView<X>& kernel, const RowSpace& space,
                                               const X& samples) {
    Vector<double> values(space.local());
    space.together([&] {
      if (space.local() > 0) values = kernel.diagonal(samples).template cast<double>();
    });
    return space.everywhere(values);
  }

  KernelView<X> kernel_;
  RowSpace space_;
  const X& samples_;
  X few_;
  PreparedSamples<X> reference_, prepared_;
  Matrix<S> factor_;
};

/// Selectors that only choose pivots.
template <class L>
concept ChoosesPivots = requires(const L& selector, const LandmarkRequest& request) {
  { selector.rule(request) } -> std::same_as<PivotRule>;
};

/// The same decision on all processes: false on any of them stops all. Collective, as long as all
/// processes ask equally often.
[[nodiscard]] inline Observer agreeing(const RowSpace& space, const Observer& observer) {
  if (!space.any(static_cast<bool>(observer))) return {};
  return [&space, &observer](const Progress& progress) { return space.go_on(observer, progress); };
}

/// Landmarks with these row numbers, the same on all processes. Collective.
template <OwnedSamples X>
[[nodiscard]] Landmarks<X> spread_landmarks_at(const RowSpace& space, const X& samples,
                                               std::vector<Index> rows, std::string_view method) {
  Landmarks<X> out;
  out.points = take_rows(space, samples, rows);
  out.rows = std::move(rows);
  out.method = method;
  return out;
}

/// cholesky_landmarks() of rows over processes. The pool, if it has not all rows, is that of one
/// process with the same budget.
template <OwnedSamples X>
[[nodiscard]] Landmarks<X> spread_cholesky_landmarks(const KernelView<X>& kernel,
                                                     const RowSpace& space, const X& samples,
                                                     const LandmarkRequest& request,
                                                     const Observer& observer,
                                                     const PivotRule& rule) {
  const Index n = space.total();
  Index pool = pool_size<X>(n, samples.cols(), request);
  std::vector<Index> drawn;
  Vector<double> weights = request.weights;
  if (pool < n) {
    drawn = pool_rows(n, pool, request.seed, weights);
    pool = static_cast<Index>(drawn.size());
  }
  const RowSums sums = space.order_free() ? RowSums::OrderFree : RowSums::Plain;
  const auto select = [&](const RowSpace& rows, const X& local) {
    SpreadCholesky<X> factor(kernel, rows, local, request.count, rule.who, weights, drawn);
    const Growth growth = grow(factor, request, 0, agreeing(space, observer), rule);
    std::vector<Index> pivots = factor.pivots();
    if (pool < n)
      for (Index& row : pivots) row = drawn[static_cast<std::size_t>(row)];
    Landmarks<X> out =
        spread_landmarks_at(space, samples, std::move(pivots), pool_method(rule.method, pool, n));
    out.evaluations = factor.evaluations();
    out.cancelled = growth == Growth::Cancelled;
    const auto held = static_cast<std::size_t>(rows.local() * request.count) * sizeof(double);
    out.bytes = held + 2 * static_cast<std::size_t>(pool) * sizeof(double);
    if (pool == n) out.factor = std::move(factor).take_factor();
    return out;
  };
  if (pool == n) return select(space, samples);
  std::vector<Index> mine;
  for (const Index row : drawn)
    if (row >= space.first() && row < space.first() + space.local())
      mine.push_back(row - space.first());
  const auto parts = SpreadRows<X>::from_parts(space.processes(), take_rows(samples, mine), sums);
  return select(parts.rows(), parts.local());
}

/// The landmarks that a selector chooses from samples whose rows are over processes: the same on
/// all of them. Selectors that draw rows or choose pivots leave rows where they are. Others choose
/// from a pool of rows that each process gets, as many as the request's budget holds.
/// \param samples  the rows of this process
/// Collective.
template <LandmarkSelector L, OwnedSamples X>
[[nodiscard]] Landmarks<X> spread_landmarks(const L& selector, const KernelView<X>& kernel,
                                            const RowSpace& space, const X& samples,
                                            const LandmarkRequest& request,
                                            const Observer& observer) {
  if constexpr (DrawsRows<L>) {
    return spread_landmarks_at(space, samples, selector.draw(space.total(), request),
                               selector.method);
  } else if constexpr (ChoosesPivots<L>) {
    return spread_cholesky_landmarks(kernel, space, samples, request, observer,
                                     selector.rule(request));
  } else if constexpr (FixedCount<L>) {  // points of their own
    return selector.select(kernel, samples, request, observer);
  } else {
    const Index n = space.total(), pool = pool_size<X>(n, samples.cols(), request);
    LandmarkRequest of_pool = request;
    std::vector<Index> drawn(static_cast<std::size_t>(n));
    std::iota(drawn.begin(), drawn.end(), Index{0});
    if (pool < n) drawn = pool_rows(n, pool, request.seed, of_pool.weights);
    of_pool.count = (std::min)(request.count, static_cast<Index>(drawn.size()));
    const X rows = take_rows(space, samples, drawn);
    Landmarks<X> out = selector.select(kernel, rows, of_pool, agreeing(space, observer));
    for (Index& row : out.rows) row = drawn[static_cast<std::size_t>(row)];
    if constexpr (DenseSamples<X>) space.agree(out.points);
    out.method = pool_method(out.method, static_cast<Index>(drawn.size()), n);
    out.factor.reset();
    out.single_factor.reset();
    return out;
  }
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_SPREAD_LANDMARKS_HPP
