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
#include <mercer/core/phases.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
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
  X points;                 ///< P, r x d
  std::vector<Index> kept;  ///< the indices of P among the given landmarks
  Matrix<double> lower;     ///< L, r x r
  Matrix<double> whiten;    ///< L^-T
  Vector<double> shift;     ///< mean of F over the landmarks, r
};

/// What is held of the samples, n x r, less a multiple of 1 for each column: the rows of F if
/// whitened, else those of K(X, P).
template <Real T>
struct FactorRows {
  Matrix<T> values;  ///< empty if the rows are not held
  bool whitened = true;
};

/// Sums over all rows f of F.
struct NystromMoments {
  Vector<double> origin;    ///< r: what was subtracted from the rows of F before they were summed
  Vector<double> mean;      ///< r
  Matrix<double> scatter;   ///< r x r: sum of (f - mean)(f - mean)^T; not centred: sum of f f^T
  double squared_norm = 0;  ///< |F|^2 = tr K~
  bool cancelled = false;
};

inline constexpr Index factor_group = 4096;  // rows of F in memory at one time

/// Columns of F or of the scatter in one product. Wide panels are packed less often.
[[nodiscard]] constexpr Index factor_panel(Index r) {
  return r < 768 ? 128 : 256;
}

/// A pivot of K(P, P) up to this value is rounding error, for m landmarks.
/// \param largest  k(x, x) at most, over the landmarks
template <Real S>
[[nodiscard]] double least_pivot(double largest, Index m) {
  return largest * (std::max)(1e-12, 8 * static_cast<double>(rounding_level<S>(m)));
}

/// K(P, P), symmetric.
/// Throws InvalidArgument for values that are not finite.
template <OwnedSamples X>
[[nodiscard]] Matrix<double> landmark_gram(const KernelView<X>& kernel, const X& landmarks) {
  const Index m = landmarks.rows();
  using S = typename X::Scalar;
  const PhaseTimer timer(Phase::Landmarks, static_cast<std::size_t>(m * m) * sizeof(S));
  const PreparedSamples<X> prepared = kernel.prepare(landmarks);
  Matrix<S> values(m, m);
  fill_symmetric<S>(
      m,
      [&](Index i, Index j, GramOut<S> tile) {
        kernel.fill(prepared, Range::tile(i, m), prepared, Range::tile(j, m), tile);
      },
      values);
  Matrix<double> w = values.template cast<double>();
  if (!w.allFinite())
    fail("mercer::Nystrom: the kernel ", kernel.describe(),
         " has values on the landmarks that are not finite");
  return w;
}

/// The factor over landmarks alone.
/// Throws InvalidArgument if the kernel is indefinite on the landmarks, or not finite there.
template <OwnedSamples X>
[[nodiscard]] NystromFactor<X> nystrom_factor(const KernelView<X>& kernel, const X& landmarks) {
  using S = typename X::Scalar;
  const Index m = landmarks.rows();
  const PhaseTimer timer(Phase::Landmarks);
  Matrix<double> w = landmark_gram(kernel, landmarks);
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
  out.lower = std::move(independent.lower);
  out.whiten = inverse_transpose(out.lower);
  out.shift = out.lower.colwise().mean().transpose();
  return out;
}

/// The factor that a selector has found beside its landmarks. Without points if there is none, or
/// if some landmarks depend on the others to rounding.
template <OwnedSamples X>
[[nodiscard]] NystromFactor<X> selected_factor(const KernelView<X>& kernel,
                                               const Landmarks<X>& landmarks) {
  NystromFactor<X> out;
  const bool single = landmarks.single_factor.has_value();
  if ((!landmarks.factor && !single) || landmarks.rows.empty()) return out;
  const PhaseTimer timer(Phase::Landmarks);
  using S = typename X::Scalar;
  const Index m = landmarks.points.rows();
  Matrix<double> lower;
  if (single)  // its rows at the landmarks have rounding errors that L must not have
    lower = independent_rows<double>(landmark_gram(kernel, landmarks.points), 0, false).lower;
  else
    lower = (*landmarks.factor)(landmarks.rows, Eigen::indexing::all)
                .template cast<double>()
                .template triangularView<Eigen::Lower>();
  if (lower.rows() < m) return out;
  const double largest = m > 0 ? lower.rowwise().squaredNorm().maxCoeff() : 0;
  const double least = single ? least_pivot<float>(largest, m) : least_pivot<S>(largest, m);
  if (!(lower.diagonal().cwiseAbs2().array() > least).all()) return out;
  out.points = landmarks.points;
  out.kept.resize(static_cast<std::size_t>(m));
  std::iota(out.kept.begin(), out.kept.end(), Index{0});
  out.whiten = inverse_transpose(lower);
  out.shift = lower.colwise().mean().transpose();
  out.lower = std::move(lower);
  return out;
}

/// A look at some rows of the samples before all of them are computed.
struct NystromProbe {
  double trace_error = 0;  ///< tr(K - K~), estimated
  /// By how much the rounding errors of K(X, P) - 1 s^T exceed those of F in the scatter of F, if
  /// that is computed as L^-1 S L^-T from the scatter S of K(X, P) - 1 s^T: |L^-1|^2 |K(X, P) - 1
  /// s^T|^2 / tr K, times 1/sqrt(r) + 1/sqrt(n), because the errors of entries are independent of
  /// each other.
  double amplification = 0;
};

/// Estimates from \p rows.
/// Cost: r kernel values and r^2 operations for each of the rows.
template <OwnedSamples X>
[[nodiscard]] NystromProbe probe_factor(const KernelView<X>& kernel, const X& samples,
                                        const NystromFactor<X>& factor, bool centered,
                                        double gram_trace, const std::vector<Index>& rows) {
  const auto n = static_cast<double>(samples.rows()), r = static_cast<double>(factor.lower.rows());
  NystromProbe out;
  if (rows.empty() || factor.lower.rows() == 0 || !(gram_trace > 0)) return out;
  const PhaseTimer timer(Phase::Landmarks);
  const X drawn = take_rows(samples, rows);
  const Index count = drawn.rows();
  const PreparedSamples<X> x = kernel.prepare(drawn), p = kernel.prepare(factor.points, x);
  Matrix<double> values = kernel_rows(kernel, x, {0, count}, p).template cast<double>();
  const Matrix<double> f = multiply(values, factor.whiten);
  const double scale = n / static_cast<double>(count);
  out.trace_error = (std::max)(
      0.0, scale * (kernel.diagonal(drawn).template cast<double>().sum() - f.squaredNorm()));
  if (centered) {
    const Vector<double> origin = factor.lower * factor.shift;
    values.rowwise() -= origin.transpose();
  }
  // |L^-1|_2^2 <= |L^-1|_1 |L^-1|_inf
  const Matrix<double> sizes = factor.whiten.cwiseAbs();
  const double inverse = sizes.colwise().sum().maxCoeff() * sizes.rowwise().sum().maxCoeff();
  out.amplification =
      inverse * scale * values.squaredNorm() / gram_trace * (1 / std::sqrt(r) + 1 / std::sqrt(n));
  return out;
}

/// One tile of rows: K(X, P) whiten - 1 origin^T if \p whitened, else K(X, P) - 1 origin^T.
template <OwnedSamples X, OwnedSamples Y, Real T>
void fill_factor(const KernelView<X>& kernel, const PreparedSamples<Y>& x, Range rows,
                 const PreparedSamples<Y>& points, const Matrix<T>& whiten, const Vector<T>& origin,
                 GramOut<T> out) {
  if (whiten.size() == 0) {
    fill_rows<X>(kernel, x, rows, points, out);
  } else {
    Matrix<T> values(rows.size, out.cols());
    fill_rows<X>(kernel, x, rows, points, GramOut<T>(values));
    out.setZero();
    const Index r = out.cols(), panel = factor_panel(r);
    for (Index j = 0; j < r; j += panel) {
      const Index cols = (std::min)(panel, r - j), top = j + cols;
      multiply_add<T>(values.leftCols(top), whiten.block(0, j, top, cols), out.middleCols(j, cols));
    }
  }
  out.rowwise() -= origin.transpose();
}

/// scatter += F^T F (lower triangle only, one thread for each tile), sum += F^T 1.
template <Real T>
void add_moments(const Points<T>& f, Matrix<double>& scatter, Vector<double>& sum) {
  const Index r = f.cols(), panel = factor_panel(r), tiles = (r + panel - 1) / panel;
  const PhaseTimer timer(Phase::Products, static_cast<std::size_t>(f.size()) * sizeof(T));
  parallel_for(tiles * (tiles + 1) / 2, [&](Index task) {
    Index i = 0;
    while ((i + 1) * (i + 2) / 2 <= task) ++i;
    const Index row = i * panel, col = (task - i * (i + 1) / 2) * panel;
    const Index rows = (std::min)(panel, r - row), cols = (std::min)(panel, r - col);
    const Matrix<T> part = f.middleCols(row, rows).transpose() * f.middleCols(col, cols);
    scatter.block(row, col, rows, cols) += part.template cast<double>();
    if (row == col)
      sum.segment(row, rows) +=
          f.middleCols(row, rows).template cast<double>().colwise().sum().transpose();
  });
}

/// scatter <- L^-1 scatter L^-T for the upper triangular whiten = L^-T. Both triangles are read,
/// only the lower one is set.
inline void whiten_scatter(const Matrix<double>& whiten, Matrix<double>& scatter) {
  const Index r = whiten.rows(), panel = factor_panel(r), panels = (r + panel - 1) / panel;
  Matrix<double> half = Matrix<double>::Zero(r, r);  // scatter L^-T
  const auto size_at = [&](Index first) { return (std::min)(panel, r - first); };
  parallel_for(panels, [&](Index task) {
    const Index j = task * panel, cols = size_at(j), top = j + cols;
    multiply_add<double>(scatter.leftCols(top), whiten.block(0, j, top, cols),
                         half.middleCols(j, cols));
  });
  const Matrix<double> turned = whiten.transpose();
  scatter.setZero();
  parallel_for(panels * panels, [&](Index task) {
    const Index i = task / panels * panel, j = task % panels * panel;
    if (i < j) return;
    const Index rows = size_at(i), cols = size_at(j), top = i + rows;
    multiply_add<double>(turned.block(i, 0, rows, top), half.block(0, j, top, cols),
                         scatter.block(i, j, rows, cols));
  });
}

/// The moments of F from the sums over its rows less 1 origin^T or, if they are not \p whitened,
/// over those of K(X, P) less 1 origin^T. \p out holds the lower triangle of the scatter.
template <OwnedSamples X>
void finish_moments(const NystromFactor<X>& factor, bool whitened, const Vector<double>& origin,
                    Index n, bool centered, Vector<double>& sum, NystromMoments& out) {
  const PhaseTimer timer(Phase::Products);
  const Index r = origin.size();
  out.origin = origin;
  if (!whitened && r > 0) {
    out.scatter.template triangularView<Eigen::StrictlyUpper>() = out.scatter.transpose();
    whiten_scatter(factor.whiten, out.scatter);
    sum = (factor.whiten.transpose() * sum).eval();
    out.origin = factor.whiten.transpose() * origin;
  }
  const auto count = static_cast<double>(n);
  out.squared_norm =
      out.scatter.trace() + 2 * out.origin.dot(sum) + count * out.origin.squaredNorm();
  out.mean = out.origin + sum / count;
  if (centered)
    for (Index j = 0; j < r; ++j) out.scatter.col(j) -= (sum(j) / count) * sum;
  out.scatter.template triangularView<Eigen::StrictlyUpper>() = out.scatter.transpose();
}

/// The moments of F, in one pass over the samples. Uses the rows that are held. Otherwise computes
/// them, whitened or not as \p held says, and leaves them there if \p hold is set.
///
/// The rows are moved by the mean over the landmarks if they are centred, so that sums about the
/// origin do not cancel where the variance is far below the squared mean. From rows that are not
/// whitened the scatter is L^-1 S L^-T with their scatter S: this saves n r^2 operations, and costs
/// digits where K(P, P) is ill-conditioned, see NystromProbe.
/// \param samples, points  in the precision of the rows; not used if the rows are there
/// Cost: n r kernel values and n r^2 operations, twice that if the rows are computed whitened; half
///   of it if the rows are there.
/// Memory: r^2 values and a group of rows.
/// Threads: the result does not depend on their number.
template <OwnedSamples X, OwnedSamples Y, Real T = typename Y::Scalar>
[[nodiscard]] NystromMoments nystrom_moments(const KernelView<X>& kernel, const Y& samples,
                                             const Y& points, const NystromFactor<X>& factor,
                                             FactorRows<T>& held, bool centered, bool hold,
                                             const Observer& observer) {
  const bool there = held.values.size() > 0;
  const Index n = there ? held.values.rows() : samples.rows(), r = factor.whiten.cols();
  NystromMoments out;
  out.scatter = Matrix<double>::Zero(r, r);
  Vector<double> sum = Vector<double>::Zero(r);
  Vector<T> shift = Vector<T>::Zero(r);
  if (centered && held.whitened) shift = factor.shift.template cast<T>();
  if (centered && !held.whitened && r > 0) shift = (factor.lower * factor.shift).template cast<T>();
  if (hold && !there) held.values.resize(n, r);
  hold = held.values.size() > 0;
  PreparedSamples<Y> x, p;
  Matrix<T> whiten;
  if (!there) {
    const PhaseTimer timer(Phase::SamplesPrepared, value_bytes(samples));
    x = kernel.prepare(samples);
    p = kernel.prepare(points, x);
    if (held.whitened) whiten = factor.whiten.template cast<T>();
  }
  Matrix<T> group(hold ? 0 : (std::min)(n, factor_group), r);
  for (Index first = 0; first < n; first += factor_group) {
    out.cancelled = !go_on(observer, {"low-rank factor", first, n});
    if (out.cancelled) return out;
    const Index size = (std::min)(factor_group, n - first);
    GramOut<T> f = hold ? held.values.middleRows(first, size) : group.topRows(size);
    const PhaseTimer timer(Phase::Tiles, static_cast<std::size_t>(f.size()) * sizeof(T));
    parallel_for((size + factor_tile - 1) / factor_tile, [&](Index task) {
      const Index begin = task * factor_tile, rows = (std::min)(factor_tile, size - begin);
      if (there)
        f.middleRows(begin, rows).rowwise() -= shift.transpose();
      else
        fill_factor<X, Y, T>(kernel, x, {first + begin, rows}, p, whiten, shift,
                             f.middleRows(begin, rows));
    });
    add_moments<T>(f, out.scatter, sum);
  }
  finish_moments(factor, held.whitened, shift.template cast<double>(), n, centered, sum, out);
  return out;
}

#define MERCER_NYSTROM_MOMENTS(X, Y)                                                             \
  MERCER_INSTANTIATE_NYSTROM(NystromMoments nystrom_moments<X, Y>(                               \
      const KernelView<X>&, const Y&, const Y&, const NystromFactor<X>&, FactorRows<Y::Scalar>&, \
      bool, bool, const Observer&))
#define MERCER_NYSTROM_FACTOR(X)                                                                 \
  MERCER_INSTANTIATE_NYSTROM(NystromFactor<X> nystrom_factor<X>(const KernelView<X>&, const X&)) \
  MERCER_NYSTROM_MOMENTS(X, X)
MERCER_FOR_SAMPLES(MERCER_NYSTROM_FACTOR)
MERCER_NYSTROM_MOMENTS(Matrix<double>, Matrix<float>)
MERCER_NYSTROM_MOMENTS(SparseMatrix<double>, SparseMatrix<float>)
#undef MERCER_NYSTROM_FACTOR
#undef MERCER_NYSTROM_MOMENTS

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_FACTOR_HPP
