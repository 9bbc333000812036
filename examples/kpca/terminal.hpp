// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What kpca shows on the terminal: the table of components, and what a fit fell short of.

#ifndef MERCER_EXAMPLES_KPCA_TERMINAL_HPP
#define MERCER_EXAMPLES_KPCA_TERMINAL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/text.hpp>

#include <examples/kpca/fit.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/outputs.hpp>
#include <examples/kpca/pictures.hpp>
#include <examples/kpca/shortfall.hpp>
#include <examples/support/phase_table.hpp>

namespace kpca {

/// Nothing if there is no component.
template <mercer::Real S>
[[nodiscard]] std::optional<double> largest_eigenvalue(const Results<S>& results) {
  if (results.eigenvalues.size() == 0) return std::nullopt;
  return static_cast<double>(results.eigenvalues(0));
}

/// Says on standard error that a map has fewer features than were asked for: one of a size of its
/// own, or of landmarks of a low rank.
inline void tell_of_features(const Options& options, mercer::Index features) {
  const std::optional<mercer::Index> asked = options.solver.whole("features");
  if (options.solver.streams && asked && features < *asked)
    std::fprintf(stderr, "kpca: --features %lld: the map has only %lld here\n",
                 static_cast<long long>(*asked), static_cast<long long>(features));
}

/// The components, and how the fit ended. \p asked: their number was given.
template <mercer::Real S>
void print_components(const Results<S>& results, bool asked) {
  constexpr mercer::Index most_rows = 20;
  const mercer::Report& report = results.report;
  std::printf("component     eigenvalue   explained  cumulative\n");
  double cumulative = 0;
  const mercer::Index count = results.eigenvalues.size();
  for (mercer::Index i = 0; i < count; ++i) {
    const double ratio = static_cast<double>(results.explained_variance_ratio(i));
    cumulative += ratio;
    // Of a long table the head, and the last row with the sum of all.
    if (i == most_rows && i + 1 < count) std::printf("      ...\n");
    if (i >= most_rows && i + 1 < count) continue;
    std::printf("%9lld %14.6g %9.2f %% %9.2f %%\n", static_cast<long long>(i + 1),
                static_cast<double>(results.eigenvalues(i)), 100 * ratio, 100 * cumulative);
  }
  std::printf("\n");
  if (report.negative_eigenvalues > 0)
    std::printf(
        "the kernel is indefinite: %lld negative eigenvalues, down to %.6g, were left out\n",
        static_cast<long long>(report.negative_eigenvalues),
        report.most_negative_eigenvalue.value_or(0));
  if (asked && report.zero_eigenvalues > 0)
    std::printf("%lld components asked for, %lld have variance\n",
                static_cast<long long>(report.components_requested.value_or(0)),
                static_cast<long long>(report.components));
  const std::string status(to_string(report.status));
  std::printf("%s in %.3g s\n", status.c_str(), report.fit_seconds);
  const std::string rough = large_residual(report, largest_eigenvalue(results));
  if (!rough.empty()) std::printf("%s\n", rough.c_str());
}

template <mercer::Real S>
void print_table(const Results<S>& results, const KernelChoice& choice, const Options& options) {
  using mercer::io::printable;
  const mercer::Report& report = results.report;
  std::printf("%s: %lld samples of dimension %lld\nkernel %s%s\nsolver %s: %s\n\n",
              printable(options.input).c_str(), static_cast<long long>(report.samples),
              static_cast<long long>(report.dimension),
              describe(choice, options.kernel.name).c_str(),
              options.centered ? "" : " (not centred)", printable(describe_solver(report)).c_str(),
              printable(report.reason).c_str());
  print_components(results, options.components || options.cross_validation.components);
  if (const std::string text = beyond_budget(report, options.memory_budget); !text.empty())
    std::printf("%s\n", text.c_str());
  if (options.verbose) examples::print_phases(report.phases, report.fit_seconds);
}

/// The variables that matter most, if it was asked for: how much a component changes, on average,
/// when a variable changes by its standard deviation.
template <mercer::Real S>
void print_variables(const Results<S>& results, const std::vector<Variable>& variables) {
  if (results.gradients.size() == 0) return;
  constexpr mercer::Index most_rows = 10, most_components = 3;
  const mercer::Matrix<double> gradients = results.gradients.template cast<double>();
  const mercer::Index k = (std::min)(gradients.cols(), most_components);
  std::printf("\nchange of components by one deviation of a variable, on average\n%-24s",
              "variable");
  for (mercer::Index i = 0; i < k; ++i)
    std::printf(" component %lld", static_cast<long long>(i + 1));
  std::printf("\n");
  for (const mercer::Index v : most_important(gradients, variables, most_rows)) {
    const Variable& variable = variables[static_cast<std::size_t>(v)];
    std::printf("%-24s", mercer::io::printable(variable.name).c_str());
    for (mercer::Index i = 0; i < k; ++i)
      std::printf(" %11.4g", gradients(v, i) * variable.deviation);
    std::printf("\n");
  }
}

/// shortfall() of these results.
template <mercer::Real S>
[[nodiscard]] std::string shortfall(const Results<S>& results, const SolverOptions& options) {
  return shortfall(results.report, largest_eigenvalue(results), results.tolerance, options);
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_TERMINAL_HPP
