// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Weights of samples, as users give them.

#ifndef MERCER_CORE_SAMPLE_WEIGHTS_HPP
#define MERCER_CORE_SAMPLE_WEIGHTS_HPP

#include <cmath>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// The largest weight.
/// \param who  for messages, which begin with it
/// Throws InvalidArgument for weights that are negative, not finite, or all 0.
[[nodiscard]] inline double largest_weight(std::string_view who, const Vector<double>& weights) {
  for (Index i = 0; i < weights.size(); ++i)
    if (!(weights(i) >= 0) || !std::isfinite(weights(i)))
      fail(who, "weights must be finite and not negative, got ", weights(i), " at sample ", i,
           " (counted from 0)");
  const double largest = weights.size() > 0 ? weights.maxCoeff() : 0;
  if (!(largest > 0)) fail(who, "at least one weight must be positive");
  return largest;
}

/// Throws InvalidArgument unless there is one weight for each sample.
inline void require_as_many_weights(std::string_view who, Index samples, Index weights) {
  if (weights != samples) fail(who, samples, " samples need as many weights, got ", weights);
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_SAMPLE_WEIGHTS_HPP
