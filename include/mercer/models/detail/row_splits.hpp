// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Rows that a fit does not see: held out once, or in folds.

#ifndef MERCER_MODELS_DETAIL_ROW_SPLITS_HPP
#define MERCER_MODELS_DETAIL_ROW_SPLITS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Rows of samples, those to fit to and those held out, each ascending.
struct Split {
  std::vector<Index> training;
  std::vector<Index> holdout;
};

/// Holds out round(share n) of n rows, drawn without replacement.
/// Throws InvalidArgument for a share outside [0, 1), and for one that leaves fewer than two rows
///   on a side.
/// Random: purpose "holdout" of the seed.
[[nodiscard]] inline Split split_rows(std::string_view who, Index n, double share,
                                      std::uint64_t seed) {
  if (!(share >= 0 && share < 1)) fail("mercer::", who, ": holdout must be in [0, 1), got ", share);
  Split split;
  const auto count = static_cast<Index>(std::llround(share * static_cast<double>(n)));
  if (share > 0 && (count < 2 || n - count < 2))
    fail("mercer::", who, ": holdout of ", share, " leaves ", count, " of ", n,
         " rows out; needs at least 2 on each side");
  RandomStream stream(seed, "holdout");
  split.holdout = sample_without_replacement(n, count, stream);
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), Index{0});
  std::set_difference(all.begin(), all.end(), split.holdout.begin(), split.holdout.end(),
                      std::back_inserter(split.training));
  return split;
}

/// Throws InvalidArgument for fewer than two folds, and for folds with fewer than two rows.
inline void require_folds(std::string_view who, Index n, Index folds) {
  require_at_least(who, "folds", folds, Index{2});
  if (folds > n / 2)
    fail("mercer::", who, ": ", folds, " folds of ", n, " rows have fewer than 2 rows each");
}

/// Divides n rows into folds of nearly equal size at random. Each fold is held out once.
/// Throws InvalidArgument as require_folds().
/// Random: purpose "folds" of the seed.
[[nodiscard]] inline std::vector<Split> fold_rows(std::string_view who, Index n, Index folds,
                                                  std::uint64_t seed) {
  require_folds(who, n, folds);
  RandomStream stream(seed, "folds");
  const std::vector<Index> order = random_permutation(n, stream);
  std::vector<Index> fold_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    fold_of[static_cast<std::size_t>(order[i])] = static_cast<Index>(i) % folds;
  std::vector<Split> out(static_cast<std::size_t>(folds));
  for (Index row = 0; row < n; ++row)
    for (Index fold = 0; fold < folds; ++fold) {
      Split& split = out[static_cast<std::size_t>(fold)];
      const bool held = fold_of[static_cast<std::size_t>(row)] == fold;
      (held ? split.holdout : split.training).push_back(row);
    }
  return out;
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_ROW_SPLITS_HPP
