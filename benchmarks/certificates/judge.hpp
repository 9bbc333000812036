// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Whether what a fit claims is true.

#ifndef MERCER_BENCHMARKS_CERTIFICATES_JUDGE_HPP
#define MERCER_BENCHMARKS_CERTIFICATES_JUDGE_HPP

#include <array>
#include <string>

#include <benchmarks/certificates/fit.hpp>
#include <benchmarks/certificates/problem.hpp>
#include <benchmarks/certificates/truth.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>

namespace certificates {

/// A claim that is judged, as a column of the table:
/// - residual: |K u - mu u| is at most what is reported, and the rounding error that the library
///   states. This also of residuals in single precision that are estimated with a confidence.
/// - estimate: of residuals that are estimated without one, it is at most twice that.
/// - rounding: what a report adds to residuals for rounding is what the arithmetic can make, by a
///   formula of the judge. A report cannot be right by claiming little.
/// - bound: an eigenvalue of K lies within eigenvalue_error_bounds.
/// - converged: if the fit has converged, all residuals are within the tolerance or rounding.
/// - leading: if a solver that promises it has converged, no larger eigenvalue was missed.
/// - scores: columns of scores are orthogonal, and their squared norms are mu.
enum Claim { Residual, Estimate, Rounding, Bound, Converged, Leading, Scores, Claims };
constexpr std::array<const char*, Claims> claim_names{"residual",  "estimate", "rounding", "bound",
                                                      "converged", "leading",  "scores"};

/// What scalar the samples have, and what precision is asked for.
enum class Form { Double, Chosen, Asked, Float };
constexpr std::array<const char*, 4> form_names{"double", "chosen", "asked single", "float"};

struct Drawn {
  Job job;
  Form form;
  double tolerance = 0;  ///< 0: none
};

/// Judges the claims of one fit.
/// Lifetime: views its arguments.
class Judge {
 public:
  Judge(const Truth& truth, const Drawn& drawn, const Fitted& fitted)
      : truth_(truth), drawn_(drawn), fitted_(fitted), report_(fitted.report) {}

  /// Which claims are false.
  [[nodiscard]] std::array<bool, Claims> broken();
  /// What was claimed and found, of each that is; empty if all are true.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  [[nodiscard]] bool single() const {
    return drawn_.form == Form::Asked || drawn_.form == Form::Float ||
           report_.precision == mercer::Precision::Single;
  }
  /// The rounding errors of kernel values.
  [[nodiscard]] double noise(double rounding) const;
  /// What rounding adds to the residual of component i, as the report says: what the bound has
  /// more. At most what is possible.
  [[nodiscard]] double stated_noise(Index i) const;
  /// The most that rounding can add to a residual in the precision of the fit.
  [[nodiscard]] double possible_noise() const;
  void require(Claim claim, Index i, double found, double claimed);
  void judge_residuals(const mercer::Vector<double>& residuals);
  /// The bounds, by all eigenvalues.
  void judge_bounds();
  /// A fit that has converged has the leading pairs, with residuals within the tolerance.
  void judge_status(const mercer::Vector<double>& residuals);
  /// Scores are orthogonal, and the columns have squared norms mu.
  void judge_scores(const Matrix<double>& u);

  const Truth& truth_;
  const Drawn& drawn_;
  const Fitted& fitted_;
  const mercer::Report& report_;
  std::array<bool, Claims> broken_{};
  std::string reason_;
};
}  // namespace certificates

#endif  // MERCER_BENCHMARKS_CERTIFICATES_JUDGE_HPP
