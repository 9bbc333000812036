// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the methods of linear online PCA have in common: checks, step lengths, and maps of
/// eigenvalues.

#ifndef MERCER_SOLVERS_ONLINE_PCA_DETAIL_ONLINE_STEPS_HPP
#define MERCER_SOLVERS_ONLINE_PCA_DETAIL_ONLINE_STEPS_HPP

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Throws InvalidArgument unless 1 <= components <= most.
inline void require_online_components(std::string_view who, Index components, Index most) {
  if (components < 1 || components > most)
    fail("mercer::", who, ": components must be in [1, ", most, "], got ", components);
}

/// Throws InvalidArgument unless the columns of x are finite and of this dimension.
template <Real S>
void require_columns(std::string_view who, const Points<S>& x, Index dimension) {
  if (x.rows() != dimension)
    fail("mercer::", who, ": columns must have ", dimension, " entries, got ", x.rows());
  if (!x.allFinite()) fail("mercer::", who, ": columns must be finite");
}

/// Step lengths for samples of any scale: step / |x|^2, with the mean of |x|^2 so far.
class ScaledSteps {
 public:
  explicit ScaledSteps(double step) : step_(step) {}

  /// The length after samples with the columns of x. 0 if all were zero.
  template <Real S>
  [[nodiscard]] double next(const Points<S>& x) {
    count_ += static_cast<double>(x.cols());
    squares_ += x.template cast<double>().squaredNorm();
    return squares_ > 0 ? step_ * count_ / squares_ : 0;
  }

 private:
  double step_, count_ = 0, squares_ = 0;
};

/// The nearest v with 0 <= v_i <= 1 and sum v <= total: v_i = min(max(x_i - s, 0), 1) with the
/// smallest s >= 0 that fits. The sum falls with s along straight lines between the points x_i and
/// x_i - 1.
template <Real S>
[[nodiscard]] Vector<S> project_to_capped_simplex(const Vector<S>& x, S total) {
  const auto at = [&](S s) -> Vector<S> { return (x.array() - s).cwiseMax(S(0)).cwiseMin(S(1)); };
  Vector<S> v = at(0);
  if (v.sum() <= total) return v;
  std::vector<S> corners{S(0)};
  for (const S value : x)
    for (const S corner : {value, value - 1})
      if (corner > 0) corners.push_back(corner);
  std::sort(corners.begin(), corners.end());
  // The first corner at which the sum fits; it is 0 at the last one.
  const auto right = std::partition_point(corners.begin(), corners.end(),
                                          [&](S s) { return at(s).sum() > total; });
  const S low = *(right - 1), high = *right;
  const S above = at(low).sum(), below = at(high).sum();
  return at(low + (high - low) * (above - total) / (above - below));
}

/// Weights w_i = exp(log_i) are scaled so that sum_i count_i w_i = 1 and no w_i is above the cap
/// 1 / most: those that would be are set to it, and the others scaled up.
/// \param counts  whole numbers whose sum is at least most
/// \param logs  descending; becomes the logarithms of the new weights
/// Source: Warmuth, Kuzmin, Randomized online PCA algorithms with regret bounds that are
///   logarithmic in the dimension, 2008 (the capping algorithm).
inline void cap_weights(const Vector<double>& counts, Index most, Vector<double>& logs) {
  constexpr double slack = 1e-12;
  const Index size = logs.size();
  const double log_cap = -std::log(static_cast<double>(most));
  // What is left for those that are not capped, in units of the cap. It is a whole number: a
  // difference of weights would be rounding errors where thousands are capped.
  auto left = static_cast<double>(most);
  for (Index capped = 0; capped < size; ++capped) {
    const double largest = logs(capped);
    const Index rest = size - capped;
    const double sum =
        ((logs.tail(rest).array() - largest).exp() * counts.tail(rest).array()).sum();
    if (left <= sum * (1 + slack)) {
      logs.tail(rest).array() += std::log(left / sum) + log_cap - largest;
      return;
    }
    logs(capped) = log_cap;
    left -= counts(capped);
  }
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_ONLINE_PCA_DETAIL_ONLINE_STEPS_HPP
