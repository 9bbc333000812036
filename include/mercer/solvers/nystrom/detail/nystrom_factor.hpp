// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The factor F of Nystroem's approximation K~ = F F^T for given landmarks, computed in groups of
/// rows.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_FACTOR_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_FACTOR_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/nystrom/detail/independent_rows.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer::detail {

/// F = K(X, P) whiten, with K~ = F F^T. Here whiten = L^-T, which is upper triangular, and
/// K(P, P) = L L^T. The landmarks P are linearly independent to rounding. For these, K~ is
/// C W^+ C^T of the literature. Landmarks that depend on the others are dropped: they would add
/// nothing to K~.
template <OwnedSamples X>
struct NystromFactor {
  using S = typename X::Scalar;

  X points;                 ///< P, r x d
  std::vector<Index> kept;  ///< the indices of P among the given landmarks
  Matrix<S> whiten;         ///< r x r
  Vector<double> shift;     ///< mean of F over the landmarks, r
  Matrix<S> rows;           ///< F of all samples, n x r, where it is held in memory; else empty
};

/// Sums over all rows f of F.
struct NystromMoments {
  Vector<double> mean;      ///< r
  Matrix<double> scatter;   ///< r x r: sum of (f - mean)(f - mean)^T; not centred: sum of f f^T
  double squared_norm = 0;  ///< |F|^2 = tr K~
  bool cancelled = false;
};

inline constexpr Index factor_group = 4096;  // rows of F in memory at one time
inline constexpr Index factor_panel = 128;   // columns of F or of the scatter in one product

/// A pivot of K(P, P) up to this value is rounding error, for m landmarks.
/// \param largest  k(x, x) at most, over the landmarks
template <Real S>
[[nodiscard]] double least_pivot(double largest, Index m) {
  return largest * (std::max)(1e-12, 8 * static_cast<double>(rounding_level<S>(m)));
}

/// The factor over landmarks alone; its rows are not computed.
/// Throws InvalidArgument if the kernel is indefinite on the landmarks, or not finite there.
template <OwnedSamples X>
[[nodiscard]] NystromFactor<X> nystrom_factor(const KernelView<X>& kernel, const X& landmarks) {
  using S = typename X::Scalar;
  const Index m = landmarks.rows();
  const PreparedSamples<X> prepared = kernel.prepare(landmarks);
  Matrix<double> w(m, m);
  parallel_for(tile_count(m), [&](Index task) {
    const Range rows = Range::tile(task, m);
    w.middleRows(rows.begin, rows.size) =
        kernel_rows(kernel, prepared, rows, prepared).template cast<double>();
  });
  if (!w.allFinite())
    fail("mercer::Nystrom: the kernel ", kernel.describe(),
         " has values on the landmarks that are not finite");
  w = (w + w.transpose().eval()) / 2;
  const double largest = m > 0 ? w.diagonal().cwiseAbs().maxCoeff() : 0;
  // A shift of the size of rounding errors keeps K~ below K. Without it, the error of a small
  // pivot, which can be large relative to the pivot, could have either sign.
  const double rounding = largest * static_cast<double>(rounding_level<S>(m));
  w.diagonal().array() += rounding;
  IndependentRows<double> independent = independent_rows(std::move(w), least_pivot<S>(largest, m));
  if (independent.most_negative_pivot < -std::sqrt(std::numeric_limits<S>::epsilon()) * largest)
    fail("mercer::Nystrom: the kernel ", kernel.describe(),
         " is not positive semidefinite on the landmarks: after ", independent.rows.size(),
         " of them the residual of k(x, x) is ", independent.most_negative_pivot,
         "; use Exact or BlockKrylov, which take indefinite kernels");
  NystromFactor<X> out;
  out.points = take_rows(landmarks, independent.rows);
  out.kept = std::move(independent.rows);
  out.whiten = inverse_transpose(independent.lower).template cast<S>();
  out.shift = independent.lower.colwise().mean().transpose();
  return out;
}

/// The factor that a selector has found beside its landmarks. Without points if there is none, or
/// if some landmarks depend on the others to rounding.
template <OwnedSamples X>
[[nodiscard]] NystromFactor<X> selected_factor(Landmarks<X>& landmarks) {
  NystromFactor<X> out;
  if (!landmarks.factor || landmarks.rows.empty()) return out;
  using S = typename X::Scalar;
  const Index m = landmarks.points.rows();
  const Matrix<double> lower = (*landmarks.factor)(landmarks.rows, Eigen::indexing::all)
                                   .template cast<double>()
                                   .template triangularView<Eigen::Lower>();
  const double largest = m > 0 ? lower.rowwise().squaredNorm().maxCoeff() : 0;
  if (!(lower.diagonal().cwiseAbs2().array() > least_pivot<S>(largest, m)).all()) return out;
  out.points = std::move(landmarks.points);
  out.kept.resize(static_cast<std::size_t>(m));
  std::iota(out.kept.begin(), out.kept.end(), Index{0});
  out.whiten = inverse_transpose(lower).template cast<S>();
  out.shift = lower.colwise().mean().transpose();
  out.rows = std::move(*landmarks.factor);
  return out;
}

/// out = F - 1 shift^T for one tile of rows. \p points are those of f, prepared.
template <OwnedSamples X>
void fill_factor(const KernelView<X>& kernel, const PreparedSamples<X>& x, Range rows,
                 const NystromFactor<X>& f, const PreparedSamples<X>& points,
                 const Vector<typename X::Scalar>& shift, GramOut<typename X::Scalar> out) {
  using S = typename X::Scalar;
  const Matrix<S> values = kernel_rows(kernel, x, rows, points);
  out.setZero();
  const Index r = f.whiten.cols();
  for (Index j = 0; j < r; j += factor_panel) {
    const Index cols = (std::min)(factor_panel, r - j), top = j + cols;
    multiply_add<S>(values.leftCols(top), f.whiten.block(0, j, top, cols), out.middleCols(j, cols));
  }
  out.rowwise() -= shift.transpose();
}

/// scatter += F^T F (lower triangle only, one thread for each tile), sum += F^T 1.
template <Real S>
void add_moments(const Points<S>& f, Matrix<double>& scatter, Vector<double>& sum) {
  const Index r = f.cols(), tiles = (r + factor_panel - 1) / factor_panel;
  parallel_for(tiles * (tiles + 1) / 2, [&](Index task) {
    Index i = 0;
    while ((i + 1) * (i + 2) / 2 <= task) ++i;
    const Index row = i * factor_panel, col = (task - i * (i + 1) / 2) * factor_panel;
    const Index rows = (std::min)(factor_panel, r - row), cols = (std::min)(factor_panel, r - col);
    const Matrix<S> part = f.middleCols(row, rows).transpose() * f.middleCols(col, cols);
    scatter.block(row, col, rows, cols) += part.template cast<double>();
    if (row == col)
      sum.segment(row, rows) +=
          f.middleCols(row, rows).template cast<double>().colwise().sum().transpose();
  });
}

/// The moments of F, in one pass over the samples. Uses the rows that the factor holds. Otherwise
/// computes them, and leaves them there if \p hold is set. The rows are moved by -shift if they are
/// centred, so that sums about the origin do not cancel where the variance is far below the squared
/// mean.
/// Cost: n r kernel values and 2 n r^2 operations; half of the operations if the rows are there.
/// Memory: r^2 values and a group of rows of F.
/// Threads: the result does not depend on their number.
template <OwnedSamples X>
[[nodiscard]] NystromMoments nystrom_moments(const KernelView<X>& kernel, const X& samples,
                                             NystromFactor<X>& factor, bool centered, bool hold,
                                             const Observer& observer) {
  using S = typename X::Scalar;
  const Index n = samples.rows(), r = factor.whiten.cols();
  NystromMoments out;
  out.scatter = Matrix<double>::Zero(r, r);
  Vector<double> sum = Vector<double>::Zero(r);
  if (!centered) factor.shift.setZero();
  const Vector<S> shift = factor.shift.template cast<S>();
  const bool there = factor.rows.size() > 0;
  if (hold && !there) factor.rows.resize(n, r);
  hold = factor.rows.size() > 0;
  const PreparedSamples<X> x = kernel.prepare(samples), points = kernel.prepare(factor.points, x);
  Matrix<S> group(hold ? 0 : (std::min)(n, factor_group), r);
  for (Index first = 0; first < n; first += factor_group) {
    out.cancelled = !go_on(observer, {"low-rank factor", first, n});
    if (out.cancelled) return out;
    const Index size = (std::min)(factor_group, n - first);
    GramOut<S> f = hold ? factor.rows.middleRows(first, size) : group.topRows(size);
    parallel_for((size + factor_tile - 1) / factor_tile, [&](Index task) {
      const Index begin = task * factor_tile, rows = (std::min)(factor_tile, size - begin);
      if (there)
        f.middleRows(begin, rows).rowwise() -= shift.transpose();
      else
        fill_factor<X>(kernel, x, {first + begin, rows}, factor, points, shift,
                       f.middleRows(begin, rows));
    });
    add_moments<S>(f, out.scatter, sum);
  }
  const auto count = static_cast<double>(n);
  const Vector<double> origin = shift.template cast<double>();
  factor.shift = origin;  // as the rows were moved
  out.squared_norm = out.scatter.trace() + 2 * origin.dot(sum) + count * origin.squaredNorm();
  out.mean = origin + sum / count;
  if (centered)
    for (Index j = 0; j < r; ++j) out.scatter.col(j) -= (sum(j) / count) * sum;
  out.scatter.template triangularView<Eigen::StrictlyUpper>() = out.scatter.transpose();
  return out;
}

#define MERCER_NYSTROM_FACTOR(X)                                                                 \
  MERCER_INSTANTIATE_NYSTROM(NystromFactor<X> nystrom_factor<X>(const KernelView<X>&, const X&)) \
  MERCER_INSTANTIATE_NYSTROM(NystromMoments nystrom_moments<X>(                                  \
      const KernelView<X>&, const X&, NystromFactor<X>&, bool, bool, const Observer&))
MERCER_FOR_SAMPLES(MERCER_NYSTROM_FACTOR)
#undef MERCER_NYSTROM_FACTOR

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_FACTOR_HPP
