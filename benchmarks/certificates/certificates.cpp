// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Fits random problems with all solvers and precisions, computes again in long double what each
// report claims, and prints how often a claim was false, by solver and precision.
// usage: mercer_certificates [--problems COUNT] [--seed SEED] [--first NUMBER] [--most SAMPLES]

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <benchmarks/certificates/fit.hpp>
#include <benchmarks/certificates/problem.hpp>
#include <benchmarks/certificates/truth.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/runtime/kernels.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace certificates {
namespace {

using mercer::Precision;
using mercer::Status;
using mercer::Vector;

/// A claim that is judged, as a column of the table:
/// - residual: |K u - mu u| is at most what is reported, and the rounding error that the library
///   states. This also of residuals in single precision that are estimated with a confidence.
/// - estimate: of residuals that are estimated without one, it is at most twice that.
/// - bound: an eigenvalue of K lies within eigenvalue_error_bounds.
/// - converged: if the fit has converged, all residuals are within the tolerance or rounding.
/// - leading: if a solver that promises it has converged, no larger eigenvalue was missed.
/// - scores: columns of scores are orthogonal, and their squared norms are mu.
enum Claim { Residual, Estimate, Bound, Converged, Leading, Scores, Claims };
constexpr std::array<const char*, Claims> claim_names{"residual",  "estimate", "bound",
                                                      "converged", "leading",  "scores"};

struct Tally {
  int fits = 0, refused = 0, converged = 0;
  long components = 0;
  std::array<int, Claims> broken{};
};

/// What scalar the samples have, and what precision is asked for.
enum class Form { Double, Chosen, Asked, Float };
constexpr std::array<const char*, 4> form_names{"double", "chosen", "asked single", "float"};

struct SolverUse {
  const char* name;
  Index most_samples;  ///< of which a fit takes long
  bool tolerance;      ///< it has one
};
constexpr std::array solvers{
    SolverUse{"exact", 1500, false},          SolverUse{"lanczos", 3000, true},
    SolverUse{"block-krylov", 3000, true},    SolverUse{"auto", 3000, true},
    SolverUse{"power-iteration", 300, true},  SolverUse{"dual", 1000, true},
    SolverUse{"nystrom", 3000, false},        SolverUse{"spgd", 60, true},
    SolverUse{"kernel-hebbian", 200, true},   SolverUse{"features", 1000, false},
    SolverUse{"doubly-stochastic", 300, true}};

struct Drawn {
  Job job;
  Form form;
  double tolerance = 0;  ///< 0: none
};

[[nodiscard]] Drawn draw_job(mercer::RandomStream& stream, const Problem& problem,
                             const SolverUse& solver, bool centered) {
  const Index n = problem.x.rows();
  Drawn drawn;
  Job& job = drawn.job;
  job.solver = solver.name;
  job.centered = centered;
  job.seed = stream();
  job.components = whole(stream, 1, (std::min)(n, Index{12}));
  drawn.form = static_cast<Form>(stream.below(problem.floats ? 4 : 3));
  if (drawn.form == Form::Double) job.precision = Precision::Double;
  if (drawn.form == Form::Asked) job.precision = Precision::Single;
  if (solver.tolerance) {
    drawn.tolerance = power_of_ten(stream, -12, -3);
    job.settings["tolerance"] = drawn.tolerance;
  }
  if (job.solver == "nystrom") {
    constexpr std::array samplings{"uniform", "kmeans", "rp-cholesky", "greedy"};
    job.settings["sampling"] = samplings[stream.below(samplings.size())];
    job.settings["landmarks"] =
        whole(stream, (std::min)(n, job.components + 1), (std::min)(n, Index{300}));
  }
  if (job.solver == "spgd") job.settings["iterations"] = whole(stream, 1, 20);
  if (job.solver == "features") job.settings["features"] = whole(stream, 12, 200);
  if (job.solver == "doubly-stochastic") job.settings["features"] = Index{256};
  return drawn;
}

/// Judges the claims of one fit.
class Judge {
 public:
  Judge(const Truth& truth, const Drawn& drawn, const Fitted& fitted)
      : truth_(truth), drawn_(drawn), fitted_(fitted), report_(fitted.report) {}

  [[nodiscard]] std::array<bool, Claims> broken() {
    const Vector<double>& mu = fitted_.values;
    if (mu.size() == 0) return broken_;
    const Matrix<double> u = fitted_.scores * mu.cwiseSqrt().cwiseInverse().asDiagonal();
    const Vector<double> residuals = truth_.residuals(u, mu);
    judge_residuals(residuals);
    judge_bounds();
    judge_status(residuals);
    judge_scores(u);
    return broken_;
  }
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
  static constexpr double slack = 1 + 1e-6;  // of comparisons of numbers that are all rounded

  /// What the library says that rounding adds to a residual.
  [[nodiscard]] double noise(double rounding) const {
    return mercer::detail::noise_ulps * rounding * truth_.diagonal_sum();
  }

  void require(Claim claim, Index i, double found, double claimed) {
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

  void judge_residuals(const Vector<double>& residuals) {
    const bool confident = drawn_.job.solver != "nystrom" && drawn_.job.solver != "spgd" &&
                           drawn_.job.solver != "doubly-stochastic";
    const bool estimated = report_.residual_rows && !confident;
    const double rounded = drawn_.form == Form::Float
                               ? 2 * double{std::numeric_limits<float>::epsilon()}
                               : 2 * epsilon;  // coefficients and scores, in the last digit
    for (std::size_t i = 0; i < report_.residuals.size(); ++i)
      require(estimated ? Estimate : Residual, static_cast<Index>(i),
              residuals(static_cast<Index>(i)),
              (estimated ? 2 : 1) * report_.residuals[i] + noise(epsilon) +
                  rounded * fitted_.values(0));
  }

  /// The bounds, by all eigenvalues.
  void judge_bounds() {
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

  /// A fit that has converged has the leading pairs, with residuals within the tolerance.
  void judge_status(const Vector<double>& residuals) {
    if (report_.status != Status::Converged || drawn_.tolerance == 0) return;
    const bool single = drawn_.form == Form::Asked || drawn_.form == Form::Float;
    const double rounding = single ? double{std::numeric_limits<float>::epsilon()} : epsilon;
    const double largest = fitted_.values(0);
    const double allowed = (std::max)(drawn_.tolerance, 16 * rounding) * largest + noise(rounding);
    for (Index i = 0; i < residuals.size(); ++i) require(Converged, i, residuals(i), allowed);
    const std::string& solver = drawn_.job.solver;
    if (solver != "lanczos" && solver != "block-krylov" && solver != "auto") return;
    const Vector<double>& all = truth_.eigenvalues();
    for (Index i = 0; i < (std::min)(all.size(), fitted_.values.size()); ++i)
      require(Leading, i, all(i), fitted_.values(i) + 2 * allowed);
  }

  /// Scores are orthogonal, and the columns have squared norms mu.
  void judge_scores(const Matrix<double>& u) {
    const bool single = report_.precision == Precision::Single;
    const double rounding = single ? double{std::numeric_limits<float>::epsilon()} : epsilon;
    const double least = single ? 1e-3 : 1e-8;
    const double uncertain = noise(rounding) + 16 * rounding * fitted_.values(0);
    const Matrix<double> inner = u.transpose() * u;
    for (Index i = 0; i < inner.cols(); ++i) {
      const double allowed = (std::max)(least, uncertain / fitted_.values(i));
      // Even beside rounding errors, the lengths are those that the eigenvalues say.
      constexpr double most = 0.01;
      require(Scores, i, std::abs(inner(i, i) - 1), (std::min)(allowed, most));
      for (Index j = 0; j < i; ++j) require(Scores, i, std::abs(inner(i, j)), allowed);
    }
  }

  const Truth& truth_;
  const Drawn& drawn_;
  const Fitted& fitted_;
  const mercer::Report& report_;
  std::array<bool, Claims> broken_{};
  std::string reason_;
};

using Table = std::map<std::pair<std::size_t, Form>, Tally>;

void print(const Table& table) {
  std::printf("%-18s %-13s %8s %8s %9s %10s  violations:", "solver", "precision", "fits", "refused",
              "converged", "components");
  for (const char* name : claim_names) std::printf(" %9s", name);
  std::printf("\n");
  const auto row = [](const char* solver, const char* form, const Tally& tally) {
    std::printf("%-18s %-13s %8d %8d %9d %10ld             ", solver, form, tally.fits,
                tally.refused, tally.converged, tally.components);
    for (const int count : tally.broken) std::printf(" %9d", count);
    std::printf("\n");
  };
  Tally all;
  for (const auto& [key, tally] : table) {
    row(solvers[key.first].name, form_names[static_cast<std::size_t>(key.second)], tally);
    all.fits += tally.fits;
    all.refused += tally.refused;
    all.converged += tally.converged;
    all.components += tally.components;
    for (std::size_t i = 0; i < Claims; ++i) all.broken[i] += tally.broken[i];
  }
  row("all", "", all);
}

/// Fits one problem with each solver that it is not too large for.
void judge_problem(std::uint64_t seed, std::uint64_t number, Index most, const char* only,
                   Table& table) {
  mercer::RandomStream stream(seed, "certificates", number);
  const Problem problem = draw_problem(stream, most);
  const bool centered = stream.uniform() < 0.6;
  constexpr Index most_eigenvalues = 300;
  const Truth truth(problem, centered, most_eigenvalues);
  if (!truth.finite()) return;
  const mercer::AnyKernel kernel = mercer::make_kernel(problem.kernel, problem.parameters);
  for (std::size_t s = 0; s < solvers.size(); ++s) {
    const Drawn drawn = draw_job(stream, problem, solvers[s], centered);
    if (problem.x.rows() > solvers[s].most_samples) continue;
    if (only != nullptr && drawn.job.solver != only) continue;
    Tally& tally = table[{s, drawn.form}];
    ++tally.fits;
    Fitted fitted;
    try {
      fitted = drawn.form == Form::Float ? fit<float>(kernel, problem.x.cast<float>(), drawn.job)
                                         : fit<double>(kernel, problem.x, drawn.job);
    } catch (const mercer::InvalidArgument&) {
      ++tally.refused;
      continue;
    }
    if (fitted.report.status == Status::Converged) ++tally.converged;
    tally.components += fitted.values.size();
    Judge judge(truth, drawn, fitted);
    const auto broken = judge.broken();
    for (std::size_t i = 0; i < Claims; ++i) tally.broken[i] += broken[i] ? 1 : 0;
    if (!judge.reason().empty())
      std::printf("problem %llu, %s, %s: n = %ld, d = %ld, %s, %s%s, tolerance %.3g, %s: %s\n",
                  static_cast<unsigned long long>(number), solvers[s].name,
                  form_names[static_cast<std::size_t>(drawn.form)],
                  static_cast<long>(problem.x.rows()), static_cast<long>(problem.x.cols()),
                  problem.data.c_str(), kernel.describe().c_str(), centered ? ", centred" : "",
                  drawn.tolerance, std::string(to_string(fitted.report.status)).c_str(),
                  judge.reason().c_str());
  }
  std::fflush(stdout);
}

[[nodiscard]] std::uint64_t whole_number(const char* text) {
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0')
    throw std::invalid_argument(std::string(text) + " is not a whole number");
  return value;
}

}  // namespace
}  // namespace certificates

int main(int argc, char* argv[]) try {
  using namespace certificates;
  std::map<std::string, std::uint64_t> options{
      {"--problems", 200}, {"--seed", 1}, {"--first", 0}, {"--most", 3000}};
  const char* only = nullptr;
  for (int i = 1; i < argc; i += 2) {
    const bool is_solver = std::string(argv[i]) == "--solver";
    if (i + 1 == argc || (!is_solver && !options.contains(argv[i])))
      throw std::invalid_argument(
          "usage: mercer_certificates [--problems COUNT] [--seed SEED] [--first NUMBER] "
          "[--most SAMPLES] [--solver NAME]");
    if (is_solver)
      only = argv[i + 1];
    else
      options[argv[i]] = whole_number(argv[i + 1]);
  }
  Table table;
  const std::uint64_t first = options["--first"];
  for (std::uint64_t number = first; number < first + options["--problems"]; ++number)
    judge_problem(options["--seed"], number, static_cast<Index>(options["--most"]), only, table);
  print(table);
  for (const auto& [key, tally] : table)
    for (const int count : tally.broken)
      if (count > 0) return 1;
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
