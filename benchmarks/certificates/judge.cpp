// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <benchmarks/certificates/judge.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>

namespace certificates {

using mercer::Precision;
using mercer::Status;
using mercer::Vector;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double ulps = 8;              // of kernel values, their centring and their sums
constexpr double generous = 4;          // of what a report may state as rounding, to first order
constexpr double slack = 1 + 1e-6;      // of comparisons of numbers that are all rounded
constexpr double three_digits = 1.001;  // of residuals: what a report needs to have right

}  // namespace

std::array<bool, Claims> Judge::broken() {
  const Vector<double>& mu = fitted_.values;
  if (mu.size() == 0) return broken_;
  const Matrix<double> u = fitted_.scores * mu.cwiseSqrt().cwiseInverse().asDiagonal();
  // Of unit vectors: whether the norms are right is a claim of its own.
  const Vector<double> residuals =
      truth_.residuals(u, mu).cwiseQuotient(u.colwise().norm().transpose());
  judge_residuals(residuals);
  judge_bounds();
  judge_status(residuals);
  judge_scores(u);
  return broken_;
}

double Judge::noise(double rounding) const {
  return ulps * rounding * truth_.noise_scale();
}

double Judge::possible_noise() const {
  const double rounding = single() ? double{std::numeric_limits<float>::epsilon()} : epsilon;
  const double sums = 2 * std::sqrt(static_cast<double>(fitted_.scores.rows()));
  return generous * (noise(rounding) + sums * rounding * truth_.norm());
}

double Judge::stated_noise(Index i) const {
  const auto at = static_cast<std::size_t>(i);
  const std::vector<double>& bounds = report_.eigenvalue_error_bounds;
  const double stated = at < bounds.size() ? bounds[at] - report_.residuals[at] : 0;
  return (std::max)((std::min)(stated, possible_noise()), noise(epsilon));
}

void Judge::require(Claim claim, Index i, double found, double claimed) {
  if (found <= claimed * slack) return;  // also true of no number: false
  if (!broken_[claim]) {
    reason_ += std::string(reason_.empty() ? "" : ", ") + claim_names[claim] + " of component " +
               std::to_string(i) + ": ";
    char text[120];
    std::snprintf(text, sizeof text, "%.4g claimed, %.4g found (mu %.4g, noise %.2g)", claimed,
                  found, fitted_.values(i), noise(epsilon));
    reason_ += text;
  }
  broken_[claim] = true;
}

void Judge::judge_residuals(const Vector<double>& residuals) {
  const bool confident = drawn_.job.solver != "nystrom" && drawn_.job.solver != "spgd" &&
                         drawn_.job.solver != "doubly-stochastic";
  const bool estimated = report_.residual_rows && !confident;
  const double rounded = drawn_.form == Form::Float
                             ? 2 * double{std::numeric_limits<float>::epsilon()}
                             : 2 * epsilon;  // coefficients and scores, in the last digit
  // The norm of the scores, by which the report divides, is known to noise / mu.
  const double norms = noise(drawn_.form == Form::Float ? rounded / 2 : epsilon);
  // An estimate with a confidence is exceeded now and then, by little.
  const double least = report_.residual_rows ? 1.1 : three_digits;
  for (Index i = 0; i < static_cast<Index>(report_.residuals.size()); ++i) {
    const double digits = least + (std::min)(1.0, norms / fitted_.values(i));
    require(estimated ? Estimate : Residual, i, residuals(i),
            (estimated ? 2 : digits) * report_.residuals[static_cast<std::size_t>(i)] +
                stated_noise(i) + rounded * fitted_.values(0));
  }
}

void Judge::judge_bounds() {
  // Where Nystrom does not see all rows, its bounds come from the trace and not from residuals.
  const bool by_trace = drawn_.job.solver == "nystrom" && report_.residual_rows;
  for (std::size_t i = 0; i < report_.eigenvalue_error_bounds.size() && !by_trace; ++i)
    require(Rounding, static_cast<Index>(i),
            report_.eigenvalue_error_bounds[i] - report_.residuals[i], possible_noise());
  const Vector<double>& all = truth_.eigenvalues();
  if (all.size() == 0) return;
  const double oracle =
      8 * epsilon * all.cwiseAbs().maxCoeff() * std::sqrt(static_cast<double>(all.size()));
  for (std::size_t i = 0; i < report_.eigenvalue_error_bounds.size(); ++i) {
    const double value = fitted_.values(static_cast<Index>(i));
    require(Bound, static_cast<Index>(i), (all.array() - value).abs().minCoeff(),
            report_.eigenvalue_error_bounds[i] + oracle);
  }
}

void Judge::judge_status(const Vector<double>& residuals) {
  if (report_.status != Status::Converged || drawn_.tolerance == 0) return;
  const bool single = drawn_.form == Form::Asked || drawn_.form == Form::Float;
  const double rounding = single ? double{std::numeric_limits<float>::epsilon()} : epsilon;
  const double largest = fitted_.values(0);
  const double sums = 2 * std::sqrt(static_cast<double>(fitted_.scores.rows()));
  const Vector<double>& all = truth_.eigenvalues();
  const double norm = all.size() > 0 ? truth_.norm() : largest;
  // Exact, which Auto may choose, does not iterate: what it leaves is rounding.
  const double once = report_.solver == mercer::SolverId::Exact ? 2 : 1;
  const double allowed = (std::max)(drawn_.tolerance * largest,
                                    once * ((16 + sums) * rounding * norm + noise(rounding)));
  for (Index i = 0; i < residuals.size(); ++i) require(Converged, i, residuals(i), allowed);
  const std::string& solver = drawn_.job.solver;
  if (solver != "lanczos" && solver != "block-krylov" && solver != "auto") return;
  for (Index i = 0; i < (std::min)(all.size(), fitted_.values.size()); ++i)
    require(Leading, i, all(i), fitted_.values(i) + 2 * allowed);
}

void Judge::judge_scores(const Matrix<double>& u) {
  const bool single = report_.precision == Precision::Single;
  const double rounding = single ? double{std::numeric_limits<float>::epsilon()} : epsilon;
  const double least = single ? 1e-3 : 1e-8;
  const double uncertain = noise(rounding) + 16 * rounding * fitted_.values(0);
  const Matrix<double> inner = u.transpose() * u;
  for (Index i = 0; i < inner.cols(); ++i) {
    const double allowed = (std::max)(least, uncertain / fitted_.values(i));
    // Even beside rounding errors, the lengths are those that the eigenvalues say. Where the
    // rounding of samples moves features, a fit does not converge, and the residual says by how
    // much of mu_1.
    constexpr double most = 0.01;
    const bool excused = drawn_.job.solver == "doubly-stochastic" &&
                         report_.status != Status::Converged &&
                         i < static_cast<Index>(report_.residuals.size());
    const double moved =
        excused ? report_.residuals[static_cast<std::size_t>(i)] / fitted_.values(0) : 0;
    require(Scores, i, std::abs(inner(i, i) - 1), (std::max)(moved, (std::min)(allowed, most)));
    for (Index j = 0; j < i; ++j)
      require(Scores, i, std::abs(inner(i, j)), (std::max)(moved, allowed));
  }
}

}  // namespace certificates
