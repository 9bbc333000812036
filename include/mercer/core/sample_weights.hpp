// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Weights of samples, as users give them.

#ifndef MERCER_CORE_SAMPLE_WEIGHTS_HPP
#define MERCER_CORE_SAMPLE_WEIGHTS_HPP

#include <cmath>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// The largest weight of all rows.
/// \param who  for messages, which begin with it
/// \param weights  of the rows of this process
/// Throws InvalidArgument, on all processes, for weights that are negative, not finite, or all 0.
/// Collective.
[[nodiscard]] inline double largest_weight(std::string_view who, const RowSpace& rows,
                                           const Vector<double>& weights) {
  rows.together([&] {
    for (Index i = 0; i < weights.size(); ++i)
      if (!(weights(i) >= 0) || !std::isfinite(weights(i)))
        fail(who, "weights must be finite and not negative, got ", weights(i), " at sample ",
             rows.first() + i, " (counted from 0)");
  });
  double largest = weights.size() > 0 ? weights.maxCoeff() : 0;
  if (rows.is_spread()) rows.processes().maximum({&largest, 1});
  if (!(largest > 0)) fail(who, "at least one weight must be positive");
  return largest;
}
/// The same for all rows in one process.
[[nodiscard]] inline double largest_weight(std::string_view who, const Vector<double>& weights) {
  return largest_weight(who, RowSpace::whole(weights.size()), weights);
}

/// The weights of the rows of this process, scaled so that the mean of all is 1.
/// Throws as largest_weight(). Collective.
[[nodiscard]] inline Vector<double> weights_of_mean_one(std::string_view who, const RowSpace& rows,
                                                        const Vector<double>& weights) {
  const double largest = largest_weight(who, rows, weights);
  // Divided first: their sum may overflow.
  const Vector<double> scaled = weights / largest;
  return scaled / column_means(rows, scaled)(0);
}

/// Whether the weights of all rows are equal: such weights are as good as none. Collective.
[[nodiscard]] inline bool all_equal(const RowSpace& rows, const Vector<double>& weights) {
  double largest = weights.size() > 0 ? weights.maxCoeff() : 0;
  if (rows.is_spread()) rows.processes().maximum({&largest, 1});
  return rows.all((weights.array() == largest).all());
}

/// Throws InvalidArgument unless there is one weight for each sample.
inline void require_as_many_weights(std::string_view who, Index samples, Index weights) {
  if (weights != samples) fail(who, samples, " samples need as many weights, got ", weights);
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_SAMPLE_WEIGHTS_HPP
