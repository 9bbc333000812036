// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Settings of Spgd, and iterates that it shows.

#ifndef MERCER_SOLVERS_SPGD_SPGD_PARAMS_HPP
#define MERCER_SOLVERS_SPGD_SPGD_PARAMS_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// How Spgd chooses lambda from the sorted eigenvalues mu_i of a subsample, for k components.
enum class LambdaRule {
  Midpoint,  ///< half way between mu_k and mu_{k+1}: the lowest rank that has the components
  /// Half way down the largest relative fall mu_i / mu_{i+1} with i >= k, so that no eigenvalue is
  /// near lambda. The source takes a lambda below which eigenvalues fall quickly, and gives no
  /// formula; this one is ours.
  Elbow
};

[[nodiscard]] constexpr std::string_view to_string(LambdaRule rule) {
  return rule == LambdaRule::Midpoint ? "midpoint" : "elbow";
}

struct SpgdParams {
  /// Shrinkage threshold, in units of the eigenvalues of K. Components with eigenvalues up to
  /// lambda are lost. Not set: chosen by lambda_rule. 0: no shrinkage.
  std::optional<double> lambda = {};
  LambdaRule lambda_rule = LambdaRule::Midpoint;  ///< used where lambda is not set
  Index iterations = 100;                         ///< T, the number of draws
  /// Rows that stand for all where eigenvalues of K are needed, for lambda and for the error of a
  /// start from zero; 0: max(1000, 10 k), at most n.
  Index lambda_samples = 0;
  Index landmarks = 0;  ///< start from Nystroem with so many landmarks; 0: start from zero
  /// t0 of the steps 2/(t + t0). 0: no offset for a start from zero; otherwise the t at which the
  /// predicted error of a run from zero, (4/3) v / t, equals the error of the start.
  double step_offset = 0;
  Index max_rank = 0;             ///< largest number of singular values to keep; 0: all
  bool positive_only = true;      ///< drop negative eigenvalues of symmetric draws
  Index certificate_rows = 4096;  ///< rows used for residuals and the mean; n or more: exact
  /// Converged if |K u - mu u| <= tolerance mu_1 for each component, estimated from the certificate
  /// rows. 0: the residuals are not judged. It does not end the iterations.
  double tolerance = 0;
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values out of range.
  void validate() const;
};

inline void SpgdParams::validate() const {
  if (lambda) detail::require_not_negative("Spgd", "lambda", *lambda);
  detail::require_at_least("Spgd", "iterations", iterations, Index{1});
  detail::require_at_least("Spgd", "lambda_samples", lambda_samples, Index{0});
  detail::require_at_least("Spgd", "landmarks", landmarks, Index{0});
  detail::require_at_least("Spgd", "max_rank", max_rank, Index{0});
  detail::require_at_least("Spgd", "certificate_rows", certificate_rows, Index{2});
  detail::require_not_negative("Spgd", "tolerance", tolerance);
  detail::require_not_negative("Spgd", "step_offset", step_offset);
  if (landmarks > 0 && step_offset > 0 && step_offset < 1)
    detail::fail("mercer::Spgd: a start from landmarks needs a step_offset of at least 1, got ",
                 step_offset);
}

/// Iterates of a run to show to the caller, for example for error curves.
struct SpgdCheckpoints {
  std::vector<Index> iterations = {};  ///< show after these, from 1 to SpgdParams::iterations
  /// Gets the iteration and LowRank::eigensystem() of the iterate Z in double: Z (for nonsymmetric
  /// draws its symmetric part) is vectors diag(values) vectors^T. Lambda is not added.
  std::function<void(Index iteration, const EigenSystem<double>& iterate)> visit = {};

  /// Throws InvalidArgument for iterations out of range, or if visit is not set.
  void validate(Index most) const;
};

inline void SpgdCheckpoints::validate(Index most) const {
  for (const Index t : iterations)
    if (t < 1 || t > most)
      detail::fail("mercer::Spgd: checkpoints must be iterations from 1 to ", most, ", got ", t);
  if (!iterations.empty() && !visit)
    detail::fail("mercer::Spgd: checkpoints need a function to visit them");
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_SPGD_SPGD_PARAMS_HPP
