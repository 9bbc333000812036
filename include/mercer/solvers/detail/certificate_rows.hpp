// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The rows of the Gram matrix that residuals of expansions over points are estimated from.

#ifndef MERCER_SOLVERS_DETAIL_CERTIFICATE_ROWS_HPP
#define MERCER_SOLVERS_DETAIL_CERTIFICATE_ROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_checksum.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/detail/drawn_rows.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>

namespace mercer::detail {

/// The rows of the samples that are equal to one of the points, ascending.
/// Cost: O((n + m) d).
template <OwnedSamples X>
[[nodiscard]] std::vector<Index> rows_among(const X& samples, const X& points) {
  const std::vector<std::uint64_t> of_points = checksum_of_each_row(points);
  std::unordered_map<std::uint64_t, Index> found;
  for (Index p = 0; p < points.rows(); ++p)
    found.emplace(of_points[static_cast<std::size_t>(p)], p);
  const std::vector<std::uint64_t> of_samples = checksum_of_each_row(samples);
  std::vector<Index> rows;
  for (Index i = 0; i < samples.rows(); ++i) {
    const auto point = found.find(of_samples[static_cast<std::size_t>(i)]);
    if (point != found.end() && equal_rows(samples, i, points, point->second)) rows.push_back(i);
  }
  return rows;
}

/// Bounds of the diagonal of R, which is what functions in the span of k(p, .) leave of K:
/// R_ii <= k(x_i, x_i) - k(x_i, p)^2 / k(p, p) for each of the points p. The least of these for
/// some points: a few tell samples that are far from all points. 0 for samples that are points.
/// \param samples  n x d
/// \param points   m x d
/// Cost: cheap_certificate_values / 8 kernel values, or n if that is more; O((n + m) d).
template <OwnedSamples X>
[[nodiscard]] Vector<double> left_out_bounds(const KernelView<X>& kernel, const X& samples,
                                             const X& points) {
  const Index n = samples.rows();
  const Index cheap = (std::max)(Index{1}, cheap_certificate_values / 8 / n);
  const Index count = (std::min)(points.rows(), cheap);
  Vector<double> bounds = kernel.diagonal(samples).template cast<double>();
  if (count == 0) return bounds;
  std::vector<Index> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), Index{0});
  const X some = take_rows(points, first);
  const Vector<double> own = kernel.diagonal(some).template cast<double>();
  const PreparedPair<X, X> prepared(kernel, RowSpace::whole(n), samples, some);
  parallel_for((n + factor_tile - 1) / factor_tile, [&](Index task) {
    const Index begin = task * factor_tile;
    const Range rows{begin, (std::min)(factor_tile, n - begin)};
    const Matrix<double> values =
        kernel_rows(kernel, prepared.x, rows, prepared.p).template cast<double>();
    Vector<double> found = Vector<double>::Zero(rows.size);
    for (Index j = 0; j < count; ++j)
      if (own(j) > 0) found = found.cwiseMax(values.col(j).cwiseAbs2() / own(j));
    bounds.segment(rows.begin, rows.size) -= found;
  });
  bounds = bounds.cwiseMax(0.0);
  for (const Index i : rows_among(samples, points)) bounds(i) = 0;
  return bounds;
}

/// The rows of K that residuals are estimated from, at least \p least of them, and more where these
/// cost little: all of some hundred rows. They are drawn by draw_rows(), in proportion to bounds of
/// R_ii and to the squares of u_i and of R_ii u_i. For what a solution leaves of K, |R_i u|^2 is at
/// most R_ii u' R u; if samples are far from each other, it is near (R_ii u_i)^2, and landmarks,
/// where the functions are large, have no part of it. If rows are spread over processes, which all
/// need the same ones, they are drawn uniformly, and in proportion to the weights of the samples.
/// \param points  of the solution, whose functions are expansions over them; none: the samples
/// \param u       functions at the samples, n x k; the columns have any size
/// \param omega   weights of all samples, or none
/// Random: uniform rows from the seed, purpose "certificate rows"; others from u.
template <OwnedSamples X>
[[nodiscard]] DrawnRows certificate_rows(const KernelView<X>& kernel, const RowSpace& space,
                                         const X& samples, const std::optional<X>& points,
                                         const Matrix<typename X::Scalar>& u,
                                         const Vector<double>& omega, Index least,
                                         std::uint64_t seed) {
  const Index n = space.total(), count = (std::max)(least, cheap_certificate_values / n);
  if (count >= n) return all_rows(n);
  const bool weighted = omega.size() > 0;
  if (space.is_spread()) {
    RandomStream stream(seed, "certificate rows");
    if (!weighted) return uniform_rows(sample_without_replacement(n, count, stream), n);
    Vector<double> shares = Vector<double>::Constant(n, 1 / static_cast<double>(n));
    add_share(omega, shares);
    return rows_by_shares(shares, count, stream);
  }
  Matrix<double> vectors = u.template cast<double>();
  if (weighted) vectors.array().colwise() *= omega.array().sqrt();
  const Vector<double> left_out =
      points ? left_out_bounds(kernel, samples, *points)
             : Vector<double>(kernel.diagonal(samples).template cast<double>());
  const Vector<double> sizes = weighted ? Vector<double>(left_out.cwiseProduct(omega)) : left_out;
  const Index k = vectors.cols();
  const double sum = sizes.sum();
  const bool both = points && sum > 0 && std::isfinite(sum);
  if (both) vectors.conservativeResize(Eigen::NoChange, 2 * k);
  parallel_for(k, [&](Index i) {
    vectors.col(i).stableNormalize();
    if (!both) return;
    vectors.col(k + i) = vectors.col(i).cwiseProduct(sizes / sum);
    vectors.col(k + i).stableNormalize();
  });
  return draw_rows(vectors, count, {left_out, omega});
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_CERTIFICATE_ROWS_HPP
