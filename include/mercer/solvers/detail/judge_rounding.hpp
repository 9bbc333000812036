// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the rounding errors of kernel values do to components that were asked for.

#ifndef MERCER_SOLVERS_DETAIL_JUDGE_ROUNDING_HPP
#define MERCER_SOLVERS_DETAIL_JUDGE_ROUNDING_HPP

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// Whether all samples, or all that have a weight, are those of one row to the last bit.
/// \param weights  of the samples of all processes; empty: 1 each
/// Cost: O(n d).
/// Collective.
template <OwnedSamples X>
[[nodiscard]] bool all_same(const RowSpace& space, const X& samples,
                            const Vector<double>& weights) {
  Index first = 0;
  while (first < weights.size() && !(weights(first) > 0)) ++first;
  if (space.total() <= first) return true;
  const X one = take_rows(space, samples, {first});
  bool same = true;
  for (Index i = 0; same && i < samples.rows(); ++i)
    if (weights.size() == 0 || weights(space.first() + i) > 0)
      same = equal_rows(samples, i, one, 0);
  return space.all(same);
}

/// The largest errors of eigenpairs that rounding may leave, for a solver with this tolerance;
/// 0 if it has none.
template <Real S>
[[nodiscard]] double accepted_rounding(const EigenRequest& pairs, double tolerance,
                                       double largest) {
  constexpr double far = 1024;    // epsilon of mu_1: more than errors of products add up to
  constexpr double usual = 1e-6;  // the tolerance of other solvers
  const double epsilon = (std::max)(double{std::numeric_limits<S>::epsilon()}, pairs.epsilon);
  return (std::max)(tolerance > 0 ? tolerance : usual, far * epsilon) * largest;
}

/// Whether rounding errors of kernel values may hide components with eigenvalues above
/// accepted_rounding(). Kernel values may be much larger than those of the centred matrix: then
/// eigenvalues count as zero that are not. Where all samples are the same, they are.
/// Collective.
template <OwnedSamples X>
[[nodiscard]] bool may_hide_components(const EigenRequest& pairs, double tolerance, double largest,
                                       const RowSpace& space, const X& samples,
                                       const Vector<double>& weights) {
  using S = typename X::Scalar;
  const double epsilon = (std::max)(double{std::numeric_limits<S>::epsilon()}, pairs.epsilon);
  const double noise = noise_ulps * epsilon * pairs.noise_scale;
  return noise > accepted_rounding<S>(pairs, tolerance, largest) &&
         !all_same(space, samples, weights);
}

/// What a report advises where rounding errors of kernel values are large beside the differences of
/// these values.
inline constexpr std::string_view rounding_advice =
    "if the kernel is wide beside the distances of the samples, take a smaller width; if the "
    "samples are far from the origin, subtract their mean";

/// What a report says of such components.
[[nodiscard]] inline std::string hidden_components() {
  return "rounding errors of kernel values hide the components that are missing; " +
         std::string(rounding_advice);
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_JUDGE_ROUNDING_HPP
