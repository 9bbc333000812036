// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Nystroem features over landmarks that a selector chooses.

#ifndef MERCER_SOLVERS_NYSTROM_LANDMARK_FEATURES_HPP
#define MERCER_SOLVERS_NYSTROM_LANDMARK_FEATURES_HPP

#include <cstdint>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>

namespace mercer {

/// The feature map over \p count landmarks of these samples, or fewer if more would add nothing.
///
/// \code
///   const auto map = landmark_features(RpCholesky{}, kernel, X, 200, seed);
/// \endcode
/// @param observer  told how far the selection is; if it cancels, the landmarks are those so far,
///   at least one
/// Random: the selector's streams of the seed.
/// Throws InvalidArgument unless 1 <= count <= n, and for samples that are not finite or outside
///   the kernel's domain.
template <LandmarkSelector L, Kernel K, class X>
[[nodiscard]] NystromFeatures<OwnedSamplesOf<X>> landmark_features(const L& selector,
                                                                   const K& kernel, const X& x,
                                                                   Index count,
                                                                   std::uint64_t seed = 1,
                                                                   const Observer& observer = {}) {
  const OwnedSamplesOf<X>& samples = x;
  detail::require_finite_samples("landmark_features", samples);
  detail::check_domain(kernel, samples);
  if (count < 1 || count > samples.rows())
    detail::fail("mercer::landmark_features: count must be from 1 to the number of samples, ",
                 samples.rows(), ", got ", count);
  const KernelView<OwnedSamplesOf<X>> view(kernel);
  if (view.is_precomputed())
    detail::fail("mercer::landmark_features: a precomputed kernel cannot be evaluated");
  const LandmarkRequest request{.count = count, .seed = seed};
  const Observer until_one = [&](const Progress& progress) {
    return detail::go_on(observer, progress) || progress.step == 0;
  };
  return NystromFeatures<OwnedSamplesOf<X>>(
      selector.select(view, samples, request, until_one).points);
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_NYSTROM_LANDMARK_FEATURES_HPP
