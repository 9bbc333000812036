// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks by randomly pivoted Cholesky, accelerated by rejection.

#ifndef MERCER_SOLVERS_RP_CHOLESKY_HPP
#define MERCER_SOLVERS_RP_CHOLESKY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/landmarks.hpp>
#include <mercer/solvers/partial_cholesky.hpp>

namespace mercer {

/// Each landmark is drawn with probability in proportion to what the landmarks so far leave of
/// k(x, x): the default, near the best choice there is on average, and never much worse than
/// uniform.
///
/// E tr(K - K~) <= (1 + eps) sum_{i>r} mu_i once m >= r/eps + r log(1/(eps eta)), eta the share of
/// that tail in tr K. Pivots are proposed in blocks and rejected against the current residual, so
/// they follow the law of one pivot at a time while the work is in matrix products. Cost: about
/// n (m + 1) kernel values, O(n m^2) time, n m values of memory; where that exceeds the request's
/// budget (0: 1 GiB), the landmarks are chosen in a uniform pool of rows that fits, and the report
/// says so. Stops with fewer landmarks where the residual is zero to rounding. Throws
/// InvalidArgument for kernels that turn out to be indefinite. Random: the request's seed, purposes
/// "randomly pivoted cholesky" and "landmark pool".
/// Source: Chen, Epperly, Tropp, Webber, Randomly pivoted Cholesky, 2023; Epperly, Tropp, Webber,
/// Embrace rejection: kernel matrix approximation by accelerated randomly pivoted Cholesky, 2024,
/// algorithm 2.
class RpCholesky {
 public:
  struct Params {
    Index block = 64;  ///< proposals at a time; 1 is the sequential method
  };

  static constexpr bool follows_residual = true;

  RpCholesky() = default;

  /// Throws InvalidArgument for a block < 1.
  explicit RpCholesky(Params params) : params_(params) {
    detail::require_at_least("RpCholesky", "block", params.block, Index{1});
  }

  [[nodiscard]] const Params& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request,
                                    const Observer& observer) const {
    RandomStream stream(request.seed, "randomly pivoted cholesky");
    return detail::cholesky_landmarks(
        kernel, samples, request, observer, "rp-cholesky", "RpCholesky",
        [&](PartialCholesky<X>& factor, Index most) { extend(factor, most, stream); });
  }

  /// Appends the accepted ones of a block of proposals to a factor whose residual is not zero; at
  /// least one, unless its residual turns out to be rounding error.
  /// \param most  columns not to exceed
  template <OwnedSamples X>
  void extend(PartialCholesky<X>& factor, Index most, RandomStream& stream) const {
    const std::vector<Index> proposals = propose(factor.residual(), stream);
    Matrix<double> h = factor.schur_complement(proposals);
    const Vector<double> before = h.diagonal();
    const Index b = h.rows();
    std::vector<Index> accepted;  // positions in the block
    for (Index j = 0; j < b && factor.size() + static_cast<Index>(accepted.size()) < most; ++j) {
      const double uniform = stream.uniform();
      const Index row = proposals[static_cast<std::size_t>(j)];
      if (before(j) <= factor.zero(row)) factor.discard(row);
      // The second test also turns down rows that were accepted before.
      if (before(j) * uniform >= h(j, j) || h(j, j) <= factor.zero(row)) continue;
      accepted.push_back(j);
      h.col(j).tail(b - j) /= std::sqrt(h(j, j));
      for (Index c = j + 1; c < b; ++c) h.col(c).tail(b - c) -= h(c, j) * h.col(j).tail(b - c);
    }
    if (accepted.empty()) return;
    std::vector<Index> rows;
    for (const Index j : accepted) rows.push_back(proposals[static_cast<std::size_t>(j)]);
    factor.append(rows, h(accepted, accepted).template triangularView<Eigen::Lower>());
  }

 private:
  /// Rows drawn with replacement, with probabilities in proportion to \p weights >= 0, not all 0.
  [[nodiscard]] std::vector<Index> propose(const Vector<double>& weights,
                                           RandomStream& stream) const {
    std::vector<double> sums(static_cast<std::size_t>(weights.size()));
    double sum = 0;
    for (Index i = 0; i < weights.size(); ++i)
      sums[static_cast<std::size_t>(i)] = sum += weights(i);
    std::vector<Index> rows(static_cast<std::size_t>(params_.block));
    for (Index& row : rows) {
      // The first sum above a number below the total belongs to a positive weight.
      const double at = (std::min)(stream.uniform() * sum, std::nextafter(sum, 0.0));
      row = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
    }
    return rows;
  }

  Params params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_RP_CHOLESKY_HPP
