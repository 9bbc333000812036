// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The factor F of Nystroem's approximation K~ = F F^T for given landmarks, computed in groups of
/// rows.

#ifndef MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_FACTOR_HPP
#define MERCER_SOLVERS_NYSTROM_DETAIL_NYSTROM_FACTOR_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/scatter_sum.hpp>
#include <mercer/core/rows/spread_rows.hpp>
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
  Matrix<T> values;  ///< the rows of this process; empty if the rows are not held
  bool held = false;
  bool whitened = true;

  /// Holds these rows.
  void take(Matrix<T> rows) {
    values = std::move(rows);
    held = true;
  }
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
  Matrix<S> values = in_huge_pages(Matrix<S>(m, m));
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
/// Collective.
template <OwnedSamples X>
[[nodiscard]] NystromFactor<X> selected_factor(const KernelView<X>& kernel, const RowSpace& rows,
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
    lower = take_rows(rows, *landmarks.factor, landmarks.rows)
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

/// Makes a factor that all processes have computed the one of process 0. Collective.
/// \param landmarks  those that it was computed from
template <OwnedSamples X>
void agree(const RowSpace& rows, const X& landmarks, NystromFactor<X>& factor) {
  if (!rows.is_spread()) return;
  Vector<double> kept(static_cast<Index>(factor.kept.size()));
  for (Index i = 0; i < kept.size(); ++i)
    kept(i) = static_cast<double>(factor.kept[static_cast<std::size_t>(i)]);
  rows.agree(kept);
  rows.agree(factor.lower);
  rows.agree(factor.whiten);
  rows.agree(factor.shift);
  factor.kept.clear();
  for (const double index : kept) factor.kept.push_back(static_cast<Index>(index));
  factor.points = take_rows(landmarks, factor.kept);
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

/// Estimates from some of the samples.
/// \param total  the number of samples
/// Cost: r kernel values and r^2 operations for each of the rows.
template <OwnedSamples X>
[[nodiscard]] NystromProbe probe_factor(const KernelView<X>& kernel, const X& drawn, Index total,
                                        const NystromFactor<X>& factor, bool centered,
                                        double gram_trace) {
  const auto n = static_cast<double>(total), r = static_cast<double>(factor.lower.rows());
  const PhaseTimer timer(Phase::Landmarks);
  const Index count = drawn.rows();
  NystromProbe out;
  if (count == 0 || factor.lower.rows() == 0 || !(gram_trace > 0)) return out;
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
  const double norm = values.stableNorm();  // its square may overflow or underflow
  out.amplification =
      scale * (inverse * norm) * (norm / gram_trace) * (1 / std::sqrt(r) + 1 / std::sqrt(n));
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
    const Index r = out.cols(), panel = ScatterSum<double>::panel_of(r);
    for (Index j = 0; j < r; j += panel) {
      const Index cols = (std::min)(panel, r - j), top = j + cols;
      multiply_add<T>(values.leftCols(top), whiten.block(0, j, top, cols), out.middleCols(j, cols));
    }
  }
  out.rowwise() -= origin.transpose();
}

/// scatter <- L^-1 scatter L^-T for the upper triangular whiten = L^-T. Both triangles are read,
/// only the lower one is set.
template <std::same_as<double> S>
void whiten_scatter(const Matrix<S>& whiten, Matrix<S>& scatter) {
  const Index r = whiten.rows(), panel = ScatterSum<S>::panel_of(r),
              panels = (r + panel - 1) / panel;
  Matrix<S> half = zeros_in_huge_pages(Matrix<S>(r, r));  // scatter L^-T
  const auto size_at = [&](Index first) { return (std::min)(panel, r - first); };
  parallel_for(panels, [&](Index task) {
    const Index j = task * panel, cols = size_at(j), top = j + cols;
    multiply_add<S>(scatter.leftCols(top), whiten.block(0, j, top, cols), half.middleCols(j, cols));
  });
  scatter.setZero();
  parallel_for(panels * panels, [&](Index task) {
    const Index i = task / panels * panel, j = task % panels * panel;
    if (i < j) return;
    const Index rows = size_at(i), cols = size_at(j), top = i + rows;
    add_inner_products<S>(whiten.block(0, i, top, rows), half.block(0, j, top, cols),
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
    copy_lower_to_upper(out.scatter);
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
  copy_lower_to_upper(out.scatter);
}

/// The moments of F, in one pass over the samples. Uses the rows that are held. Otherwise computes
/// them, whitened or not as \p held says, and leaves them there if \p hold is set.
///
/// The rows are moved by the mean over the landmarks if they are centred, so that sums about the
/// origin do not cancel where the variance is far below the squared mean. From rows that are not
/// whitened the scatter is L^-1 S L^-T with their scatter S: this saves n r^2 operations, and costs
/// digits where K(P, P) is ill-conditioned, see NystromProbe.
/// \param samples, points  in the precision of the rows; not used if the rows are there
/// \param largest  for order-free sums: the exponent of the largest k(x, x)
/// \param weights  of the rows of this process, in all sums; empty: 1 each. Those of all rows have
///   the mean 1
/// Cost: n r kernel values and n r^2 operations, twice that if the rows are computed whitened; half
///   of it if the rows are there.
/// Memory: r^2 values and a group of rows.
/// Threads: the result does not depend on their number.
/// Throws InvalidArgument if order-free sums have terms that a positive semidefinite kernel cannot
///   have. Collective.
template <OwnedSamples X, OwnedSamples Y, Real T = typename Y::Scalar>
[[nodiscard]] NystromMoments nystrom_moments(const KernelView<X>& kernel, const RowSpace& space,
                                             const Y& samples, const Y& points,
                                             const NystromFactor<X>& factor, FactorRows<T>& held,
                                             bool centered, bool hold, int largest,
                                             const Observer& observer,
                                             const Vector<double>& weights = {}) {
  const bool there = held.held;
  const Index n = space.local(), r = factor.whiten.cols();
  NystromMoments out;
  Vector<T> shift = Vector<T>::Zero(r);
  if (centered && held.whitened) shift = factor.shift.template cast<T>();
  if (centered && !held.whitened && r > 0) shift = (factor.lower * factor.shift).template cast<T>();
  if (hold && !there) held.take(in_huge_pages(Matrix<T>(n, r)));
  // |f| <= k(x, x)^(1/2), as |L^-1 k(P, x)|^2 <= k(x, x), and |k(x, p)| <= max k(x, x). Two more:
  // for the shift, and for rounding.
  ScatterSum<T> sums(space, r, (held.whitened ? (largest + 1) / 2 + 1 : largest) + 2);
  space.together([&] {
    std::optional<PreparedPair<X, Y>> prepared;
    Matrix<T> whiten;
    if (!there) {
      const PhaseTimer timer(Phase::SamplesPrepared, value_bytes(samples));
      prepared.emplace(kernel, space, samples, points);
      if (held.whitened) whiten = factor.whiten.template cast<T>();
    }
    const Index tile = rows_at_once(space);
    Matrix<T> group(held.held ? 0 : (std::min)(n, factor_group), r);
    for (Index first = 0; first < n; first += factor_group) {
      out.cancelled = !go_on(observer, {"low-rank factor", first, n});
      if (out.cancelled) return;
      const Index size = (std::min)(factor_group, n - first);
      GramOut<T> f = held.held ? held.values.middleRows(first, size) : group.topRows(size);
      const PhaseTimer timer(Phase::Tiles, static_cast<std::size_t>(f.size()) * sizeof(T));
      parallel_for((size + tile - 1) / tile, [&](Index task) {
        const Index begin = task * tile, rows = (std::min)(tile, size - begin);
        GramOut<T> out_rows = f.middleRows(begin, rows);
        if (there) {
          out_rows.rowwise() -= shift.transpose();
          return;
        }
        const auto fill = [&](GramOut<T> to) {
          fill_factor<X, Y, T>(kernel, prepared->x, {first + begin, rows}, prepared->p, whiten,
                               shift, to);
        };
        if (!space.order_free()) return fill(out_rows);
        // In a tile of its own: what is computed in vectors and what is not depends on addresses.
        Matrix<T> own(rows, r);
        fill(own);
        out_rows = own;
      });
      sums.add(f, weights.size() > 0 ? Vector<T>(weights.segment(first, size).template cast<T>())
                                     : Vector<T>());
    }
    if (!sums.within())
      fail("mercer::Nystrom: the kernel ", kernel.describe(),
           " has values that are not finite, or larger than a positive semidefinite kernel can "
           "have; plain sums take any that are finite");
  });
  out.cancelled = space.any(out.cancelled);
  if (out.cancelled) return out;
  sums.reduce();
  out.scatter = std::move(sums.scatter());
  finish_moments(factor, held.whitened, shift.template cast<double>(), space.total(), centered,
                 sums.sum(), out);
  return out;
}

#define MERCER_NYSTROM_MOMENTS(X, Y)                                                      \
  MERCER_INSTANTIATE_NYSTROM(NystromMoments nystrom_moments<X, Y>(                        \
      const KernelView<X>&, const RowSpace&, const Y&, const Y&, const NystromFactor<X>&, \
      FactorRows<Y::Scalar>&, bool, bool, int, const Observer&, const Vector<double>&))
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
