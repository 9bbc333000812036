// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks drawn by the squared diagonal of the Gram matrix, or by the norms of its columns.

#ifndef MERCER_SOLVERS_NYSTROM_WEIGHTED_LANDMARKS_HPP
#define MERCER_SOLVERS_NYSTROM_WEIGHTED_LANDMARKS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

namespace detail {

/// Weights from values of any size: divided by the largest and squared.
template <Real S>
[[nodiscard]] Vector<S> squared_shares(const Vector<S>& values) {
  const S largest = values.size() > 0 ? values.maxCoeff() : 0;
  if (!(largest > 0)) return values;
  return (values / largest).cwiseAbs2();
}

/// Shares of the samples, times their weights if they have some.
[[nodiscard]] inline Vector<double> with_weights(const LandmarkRequest& request,
                                                 const Vector<double>& shares) {
  return request.weights.size() > 0 ? Vector<double>(shares.cwiseProduct(request.weights)) : shares;
}

/// |K(:, i)| for all samples i, in double.
template <OwnedSamples X>
[[nodiscard]] Vector<double> column_norms(const KernelView<X>& kernel, const X& samples) {
  using S = typename X::Scalar;
  const Index n = samples.rows();
  const PreparedSamples<X> prepared = kernel.prepare(samples);
  Vector<double> norms(n);
  // A power of two is exact. It keeps the squares from overflow and underflow.
  const double largest =
      n > 0 ? kernel.diagonal(samples).template cast<double>().cwiseAbs().maxCoeff() : 0;
  const double scale = largest > 0 && std::isfinite(largest)
                           ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000))
                           : 1;
  parallel_for(tile_count(n), [&](Index task) {
    const Range rows = Range::tile(task, n);
    Vector<double> squares = Vector<double>::Zero(rows.size);
    Matrix<S> tile(rows.size, tile_size);
    for (Index j = 0; j < tile_count(n); ++j) {
      const Range cols = Range::tile(j, n);
      GramOut<S> values = tile.leftCols(cols.size);
      kernel.fill(prepared, rows, prepared, cols, values);
      squares += (scale * values.template cast<double>()).rowwise().squaredNorm();
    }
    norms.segment(rows.begin, rows.size) = squares.cwiseSqrt() / scale;
  });
  return norms;
}

}  // namespace detail

/// Samples drawn in proportion to k(x, x)^2, each at most once. For kernels with a constant
/// diagonal, as the Gaussian, this is the uniform law.
///
/// The method of the paper draws with replacement and scales columns by the probabilities.
/// Nyström's approximation depends only on the span of the landmarks, so neither copies nor scales
/// change it; here the draws go on until there are as many different landmarks as asked for.
/// Cost: n kernel values.
/// Throws InvalidArgument for a precomputed Gram matrix, and for diagonal values that are negative
///   or not finite.
/// Random: the request's seed, purpose "weighted landmarks".
/// Source: Drineas, Mahoney, On the Nyström method for approximating a Gram matrix for improved
///   kernel-based learning, 2005.
struct DiagonalSampling {
  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request, const Observer&) const {
    const Vector<double> diagonal = kernel.diagonal(samples).template cast<double>();
    for (Index i = 0; i < diagonal.size(); ++i)
      if (!(diagonal(i) >= 0))
        detail::fail("mercer::DiagonalSampling: the kernel ", kernel.describe(), " has the value ",
                     diagonal(i), " for sample ", i, " with itself (counted from 0)");
    Landmarks<X> out = detail::landmarks_at(
        samples,
        detail::weighted_rows("DiagonalSampling",
                              detail::with_weights(request, detail::squared_shares(diagonal)),
                              request.count, request.seed),
        "squared diagonal");
    out.evaluations = samples.rows();
    out.bytes = static_cast<std::size_t>(samples.rows()) * 3 * sizeof(double);
    return out;
  }
};

/// Samples drawn in proportion to |K(:, x)|^2, each at most once, as in DiagonalSampling. Samples
/// with many others near them have long columns: unlike RpCholesky, the method prefers where there
/// are landmarks already.
/// Cost: n^2 kernel values, before the landmarks are used. It is for comparisons.
/// Throws InvalidArgument for kernel values that are not finite.
/// Random: as DiagonalSampling.
/// Source: Drineas, Kannan, Mahoney, Fast Monte Carlo algorithms for matrices II, 2006.
struct ColumnNormSampling {
  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request, const Observer&) const {
    const Index n = samples.rows();
    Landmarks<X> out = detail::landmarks_at(
        samples,
        detail::weighted_rows(
            "ColumnNormSampling",
            detail::with_weights(request,
                                 detail::squared_shares(detail::column_norms(kernel, samples))),
            request.count, request.seed),
        "column norms");
    out.evaluations = n * n;
    out.bytes = static_cast<std::size_t>(n) * 3 * sizeof(double);
    return out;
  }
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_WEIGHTED_LANDMARKS_HPP
