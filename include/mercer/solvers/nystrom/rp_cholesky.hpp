// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks by randomly pivoted Cholesky, accelerated by rejection.

#ifndef MERCER_SOLVERS_NYSTROM_RP_CHOLESKY_HPP
#define MERCER_SOLVERS_NYSTROM_RP_CHOLESKY_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

struct RpCholeskyParams {
  Index block = 128;  ///< proposals at a time; 1: the sequential method

  /// Throws InvalidArgument for a block < 1.
  void validate() const { detail::require_at_least("RpCholesky", "block", block, Index{1}); }
};

/// Each landmark is drawn with probability in proportion to its residual of k(x, x) after the
/// landmarks so far. This is the default: on average it is close to the best choice, and never much
/// worse than uniform.
///
/// E tr(K - K~) <= (1 + eps) sum_{i>r} mu_i if m >= r/eps + r log(1/(eps eta)), where eta is the
/// share of that tail in tr K. Pivots are proposed in blocks, and accepted or rejected by the
/// current residual. So they have the same distribution as pivots drawn one at a time, while the
/// work is in matrix products. Stops with fewer landmarks if the residual is zero to rounding.
///
/// Cost: about n (m + 1) kernel values, O(n m^2) time.
/// Memory: n m values. If that exceeds the request's budget (0: 1 GiB), landmarks are chosen from a
///   uniform sample of rows that fits, and the report says so.
/// Random: the request's seed, purposes "randomly pivoted cholesky", and "landmark pool", or for
///   samples with weights "weighted landmarks".
/// Throws InvalidArgument if the kernel is found to be indefinite.
/// Source: Chen, Epperly, Tropp, Webber, Randomly pivoted Cholesky, 2023.
/// Source: Epperly, Tropp, Webber, Embrace rejection: kernel matrix approximation by accelerated
///   randomly pivoted Cholesky, 2024, algorithm 2.
class RpCholesky {
 public:
  using Params = RpCholeskyParams;

  static constexpr bool follows_residual = true;

  RpCholesky() = default;

  /// Throws InvalidArgument for a block < 1.
  explicit RpCholesky(Params params) : params_(params) { params.validate(); }

  [[nodiscard]] const Params& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request, const Observer& observer) const;

  /// The choice of pivots. Lifetime: refers to this object.
  [[nodiscard]] PivotRule rule(const LandmarkRequest& request) const {
    return {"rp-cholesky", "RpCholesky",
            [this, stream = RandomStream(request.seed, "randomly pivoted cholesky")](
                PivotedFactor& factor, Index most) mutable {
              extend(factor, most, stream);
              return true;
            }};
  }

  /// Appends the accepted rows of a block of proposals to a factor whose residual is not zero. It
  /// accepts at least one, unless the residual of the first turns out to be rounding error.
  /// \param most  the largest number of columns
  void extend(PivotedFactor& factor, Index most, RandomStream& stream) const {
    const std::vector<Index> proposals =
        draw_in_proportion(factor.residual(), params_.block, stream);
    Matrix<double> h = factor.schur_complement(proposals);
    const Vector<double> before = h.diagonal();
    const Index b = h.rows();
    std::vector<Index> accepted;  // positions in the block
    for (Index j = 0; j < b && factor.size() + static_cast<Index>(accepted.size()) < most; ++j) {
      const double uniform = stream.uniform();
      const Index row = proposals[static_cast<std::size_t>(j)];
      if (before(j) <= factor.zero(row)) factor.discard(row);
      // The second test also rejects rows that were accepted before.
      if (before(j) * uniform >= h(j, j) || h(j, j) <= factor.zero(row)) continue;
      accepted.push_back(j);
      h.col(j).tail(b - j) /= std::sqrt(h(j, j));
      for (Index c = j + 1; c < b; ++c) h.col(c).tail(b - c) -= h(c, j) * h.col(j).tail(b - c);
    }
    if (accepted.empty()) return;
    std::vector<Index> rows;
    for (const Index j : accepted) rows.push_back(proposals[static_cast<std::size_t>(j)]);
    factor.append(
        rows, detail::take_block(h, accepted, accepted).template triangularView<Eigen::Lower>());
  }

 private:
  Params params_;
};

template <OwnedSamples X>
Landmarks<X> RpCholesky::select(const KernelView<X>& kernel, const X& samples,
                                const LandmarkRequest& request, const Observer& observer) const {
  return detail::cholesky_landmarks(kernel, samples, request, observer, rule(request));
}

#define MERCER_SELECT(X)                                         \
  MERCER_INSTANTIATE_NYSTROM(Landmarks<X> RpCholesky::select<X>( \
      const KernelView<X>&, const X&, const LandmarkRequest&, const Observer&) const)
MERCER_FOR_SAMPLES(MERCER_SELECT)
#undef MERCER_SELECT

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_RP_CHOLESKY_HPP
