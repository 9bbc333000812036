// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Landmarks from one pass over the samples: each that is far from the span of those before it.

#ifndef MERCER_SOLVERS_NYSTROM_SEQUENTIAL_GREEDY_HPP
#define MERCER_SOLVERS_NYSTROM_SEQUENTIAL_GREEDY_HPP

#include <cstddef>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/nystrom/detail/partial_cholesky.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

struct SequentialGreedyParams {
  /// A sample becomes a landmark if its squared distance in feature space to the span of the
  /// landmarks is more than this, relative to the mean of k(x, x). In (0, 1).
  double tolerance = 0.01;

  /// Throws InvalidArgument for a tolerance outside (0, 1).
  void validate() const {
    if (!(tolerance > 0 && tolerance < 1))
      detail::fail("mercer::SequentialGreedy: tolerance must be in (0, 1), got ", tolerance);
  }
};

/// Visits the samples in random order. Each becomes a landmark if its squared distance in feature
/// space to the span of the landmarks before it is above the tolerance, until there are as many as
/// asked for. If it ends with fewer, but not fewer than needed, no sample is farther from the span
/// than the tolerance, and tr(K - K~) is at most n times that.
///
/// GreedyCholesky takes the farthest of all samples in each step, and this the first that is far
/// enough. So it needs no look at all samples before a step, but more landmarks for the same
/// largest distance. If the tolerance is so small that the number of landmarks ends the selection,
/// the landmarks are nearly uniform.
/// Cost: n (m + 1) kernel values and O(n m^2) time.
/// Memory: n m values, with a pool of rows as for RpCholesky.
/// Throws as RpCholesky does.
/// Random: the request's seed, purposes "visited landmarks", and "landmark pool", or for samples
///   with weights "weighted landmarks".
/// Source: Ouimet, Bengio, Greedy spectral embedding, 2005.
class SequentialGreedy {
 public:
  using Params = SequentialGreedyParams;
  static constexpr bool follows_residual = true;

  SequentialGreedy() = default;

  /// Throws InvalidArgument for a tolerance outside (0, 1).
  explicit SequentialGreedy(SequentialGreedyParams params) : params_(params) { params.validate(); }

  [[nodiscard]] const SequentialGreedyParams& params() const { return params_; }

  template <OwnedSamples X>
  [[nodiscard]] Landmarks<X> select(const KernelView<X>& kernel, const X& samples,
                                    const LandmarkRequest& request,
                                    const Observer& observer) const {
    return detail::cholesky_landmarks(kernel, samples, request, observer, rule(request));
  }

  /// The choice of pivots. Lifetime: refers to this object.
  [[nodiscard]] PivotRule rule(const LandmarkRequest& request) const {
    return {"sequential greedy", "SequentialGreedy",
            [this, request, order = std::vector<Index>(), next = std::size_t{0}](
                PivotedFactor& factor, Index) mutable {
              const Index n = factor.residual().size();
              if (order.empty()) {
                RandomStream stream(request.seed, "visited landmarks");
                order = random_permutation(n, stream);
              }
              const double far = params_.tolerance * factor.trace() / static_cast<double>(n);
              // Distances only fall, so a sample that was near once is never looked at again.
              while (next < order.size() && factor.residual()(order[next]) <= far) ++next;
              if (next == order.size()) {
                if (factor.size() >= request.least) return false;
                // More landmarks are needed than are far enough: the farthest of the others.
                GreedyCholesky::extend(factor);
                return true;
              }
              const Index row = order[next++];
              const Matrix<double> h = factor.schur_complement({row});
              if (h(0, 0) <= factor.zero(row))
                factor.discard(row);
              else
                factor.append({row}, h.cwiseSqrt());
              return true;
            }};
  }

 private:
  SequentialGreedyParams params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_SEQUENTIAL_GREEDY_HPP
