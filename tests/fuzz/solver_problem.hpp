// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Bytes that spell a small problem, a kernel and a solver with its settings; and whether what the
/// fit claims is true, by the judge of benchmarks/certificates.

#ifndef MERCER_TESTS_FUZZ_SOLVER_PROBLEM_HPP
#define MERCER_TESTS_FUZZ_SOLVER_PROBLEM_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <benchmarks/certificates/fit.hpp>
#include <benchmarks/certificates/judge.hpp>
#include <benchmarks/certificates/problem.hpp>
#include <benchmarks/certificates/truth.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/runtime/kernels.hpp>
#include <mercer/runtime/solvers.hpp>

namespace mercer::fuzz {

/// Numbers one after the other; zeros where there are no more bytes.
class Spelling {
 public:
  explicit Spelling(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] int next() {
    if (at_ == bytes_.size()) return 0;
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  /// From low to high.
  [[nodiscard]] int whole(int low, int high) { return low + next() % (high - low + 1); }
  /// From -8 to 8, most of them exact in few digits.
  [[nodiscard]] double coordinate() { return (next() - 128) / 16.0; }
  [[nodiscard]] double power_of_two(int low, int high) { return std::ldexp(1.0, whole(low, high)); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// Columns of different scales, each with a mean that may be large beside its values.
[[nodiscard]] inline Matrix<double> spelled_samples(Spelling& bytes) {
  const Index n = bytes.whole(1, 10), d = bytes.whole(1, 4);
  Matrix<double> x(n, d);
  for (Index j = 0; j < d; ++j) {
    const double scale = bytes.power_of_two(-20, 20), mean = bytes.whole(-2, 2) * 256.0;
    for (Index i = 0; i < n; ++i) x(i, j) = scale * (mean + bytes.coordinate());
  }
  return x;
}

/// A kernel that has a formula in long double, with parameters that fit the samples.
inline void spell_kernel(Spelling& bytes, certificates::Problem& problem) {
  constexpr std::array names{"gaussian",  "linear", "polynomial",         "sigmoid",
                             "laplacian", "cauchy", "rational-quadratic", "exponential-dot"};
  const Matrix<double>& x = problem.x;
  problem.kernel = names[static_cast<std::size_t>(bytes.next()) % names.size()];
  const double apart = (x.row(0) - x.row(x.rows() - 1)).norm();
  const double length = (apart > 0 ? apart : 1) * bytes.power_of_two(-5, 5);
  const double square = (std::max)(x.squaredNorm() / static_cast<double>(x.rows()), 1e-100);
  const double gamma = bytes.power_of_two(-4, 2) / square, coef0 = bytes.whole(-4, 4) / 4.0;
  if (problem.kernel == "gaussian") problem.parameters = {{"sigma", length}};
  if (problem.kernel == "polynomial")
    problem.parameters = {
        {"gamma", gamma}, {"coef0", std::abs(coef0)}, {"degree", Index{bytes.whole(1, 5)}}};
  // What the library says of rounding is in terms of K_ii, which is all of K only for kernels whose
  // diagonal is their largest value.
  if (problem.kernel == "sigmoid")
    problem.parameters = {{"gamma", gamma}, {"coef0", std::abs(coef0)}};
  if (problem.kernel == "exponential-dot")
    problem.parameters = {{"gamma", (std::min)(gamma, 1 / square)}};
  if (problem.kernel == "laplacian" || problem.kernel == "cauchy")
    problem.parameters = {{"gamma", 1 / length}};
  if (problem.kernel == "rational-quadratic")
    problem.parameters = {{"alpha", bytes.power_of_two(-3, 3)}, {"length", length}};
}

/// Some of the settings that a solver has, small enough for thousands of fits a second.
inline void spell_settings(Spelling& bytes, const SolverEntry& entry, certificates::Job& job) {
  for (const Parameter& parameter : entry.parameters) {
    const int word = bytes.next();
    // With another loss, components are no eigenvectors.
    if (word % 4 != 3 || parameter.name == "tolerance" || parameter.name == "loss") continue;
    const int value = word / 4;
    if (parameter.is_word())
      job.settings[parameter.name] =
          parameter.choices[static_cast<std::size_t>(value) % parameter.choices.size()];
    else if (parameter.range.whole)
      job.settings[parameter.name] = Index{1 + value % 32};
    else
      job.settings[parameter.name] = std::ldexp(1.0, value % 16 - 10);
  }
}

/// All solvers of the table, and power-iteration, which has no place in it.
[[nodiscard]] inline std::vector<std::string> solvers_to_judge() {
  std::vector<std::string> solvers = names(solver_table());
  solvers.push_back("power-iteration");
  return solvers;
}

[[nodiscard]] inline certificates::Drawn spelled_job(Spelling& bytes) {
  const std::vector<std::string> solvers = solvers_to_judge();
  certificates::Drawn drawn;
  certificates::Job& job = drawn.job;
  job.solver = solvers[static_cast<std::size_t>(bytes.next()) % solvers.size()];
  const SolverEntry* const entry = find_entry(solver_table(), job.solver);
  job.seed = static_cast<std::uint64_t>(bytes.next());
  job.components = bytes.whole(1, 4);
  job.centered = bytes.whole(0, 1) == 1;
  drawn.form = static_cast<certificates::Form>(bytes.whole(0, 2));
  if (drawn.form == certificates::Form::Double) job.precision = Precision::Double;
  if (drawn.form == certificates::Form::Asked) job.precision = Precision::Single;
  const std::string_view solver = job.solver;
  if (solver == "spgd") job.settings["iterations"] = Index{10};
  if (solver == "features" || solver == "doubly-stochastic") job.settings["features"] = Index{16};
  if (entry != nullptr) spell_settings(bytes, *entry, job);
  const auto is_tolerance = [](const Parameter& p) { return p.name == "tolerance"; };
  if (entry != nullptr && std::ranges::none_of(entry->parameters, is_tolerance)) return drawn;
  const double tolerance = std::pow(10.0, -bytes.whole(3, 12));
  job.settings["tolerance"] = tolerance;
  if (solver != "sparse-likelihood") drawn.tolerance = tolerance;  // its own is one of weights
  return drawn;
}

/// Which claims of the fit that these bytes spell are false, in words; empty if none is. A fit may
/// be refused, in one line.
[[nodiscard]] inline std::string broken_claims(std::string_view spelling) {
  Spelling bytes(spelling);
  certificates::Problem problem;
  // The job comes first: most of the bytes are samples.
  certificates::Drawn drawn = spelled_job(bytes);
  problem.x = spelled_samples(bytes);
  spell_kernel(bytes, problem);
  const Index n = problem.x.rows();
  drawn.job.components = (std::min)(drawn.job.components, n);
  const certificates::Truth truth(problem, drawn.job.centered, n);
  if (!truth.finite()) return {};
  certificates::Fitted fitted;
  std::string kernel;
  try {
    const AnyKernel made = make_kernel(problem.kernel, problem.parameters);
    kernel = made.describe();
    fitted = certificates::fit<double>(made, problem.x, drawn.job);
  } catch (const InvalidArgument& error) {
    return std::string_view(error.what()).find('\n') == std::string_view::npos
               ? ""
               : "a refusal has several lines";
  }
  certificates::Judge judge(truth, drawn, fitted);
  static_cast<void>(judge.broken());
  if (judge.reason().empty()) return {};
  return drawn.job.solver + ", " + kernel + ", n = " + std::to_string(n) +
         (drawn.job.centered ? ", centred, " : ", ") +
         certificates::form_names[static_cast<std::size_t>(drawn.form)] + ", tolerance " +
         std::to_string(drawn.tolerance) + ": " + judge.reason();
}

}  // namespace mercer::fuzz

#endif  // MERCER_TESTS_FUZZ_SOLVER_PROBLEM_HPP
