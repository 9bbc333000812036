// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What kca shows on the terminal.

#ifndef MERCER_EXAMPLES_KCA_TERMINAL_HPP
#define MERCER_EXAMPLES_KCA_TERMINAL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>

#include <mercer/core/report.hpp>
#include <mercer/io/text.hpp>

#include <examples/kca/fit.hpp>
#include <examples/kca/outputs.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/shortfall.hpp>
#include <examples/support/phase_table.hpp>

namespace kca {

/// Says where the results are, and what is not as it should be. Returns the exit status.
inline int finish(const kpca::ResultDirectory& directory, const std::string& no_pictures,
                  mercer::Status status, const std::string& shortfall) {
  using mercer::io::printable;
  std::printf("written to %s\n", printable(directory.list(no_pictures.empty())).c_str());
  if (!no_pictures.empty())
    std::fprintf(stderr, "kca: the pictures were not drawn: %s\n", no_pictures.c_str());
  if (kpca::succeeded(status)) return kpca::exit_success;
  std::fprintf(stderr, "kca: %s\n", printable(shortfall).c_str());
  return kpca::exit_not_converged;
}

/// What the fit of a view has not reached, and what helps.
inline std::string basis_shortfall(const std::string& file, const mercer::Report& basis) {
  if (basis.solver == mercer::SolverId::RidgeCholesky)
    return "not converged: " + file +
           ": the Gram matrix with the ridge is not positive definite to rounding; take a larger "
           "--regularization, or --solver exact";
  const std::string reason = kpca::reason_of(basis);
  return "not converged: the basis of " + file + (reason.empty() ? "" : ": " + reason) +
         "; take --solver exact, or another --rank";
}

/// What was chosen for a view.
inline void print_view(const std::string& name, const std::string& file, const ViewChoice& choice,
                       const mercer::ViewReport& view) {
  using mercer::io::printable;
  std::printf("%s %s: dimension %lld, kernel %s\n  solver %s, rank %lld", name.c_str(),
              printable(file).c_str(), static_cast<long long>(view.basis.dimension),
              choice.kernel.c_str(), printable(describe_solver(view.basis)).c_str(),
              static_cast<long long>(view.rank));
  if (view.kappa) std::printf(", effective dimension %.4g", view.effective_dimension);
  std::printf("\n");
}

inline void print_views(const Task& task, const Results& results) {
  const Options& o = task.options;
  for (std::size_t i = 0; i < results.views.size(); ++i)
    print_view(i == 0 ? "X" : "Y", i == 0 ? o.x : o.y, results.views[i], results.report.views[i]);
}

/// What sir takes the responses for.
inline void print_responses(const Task& task, const Results& results) {
  const Responses& responses = task.responses;
  const Target target = responses.target;
  const mercer::Index count = target == Target::Classes  ? responses.classes
                              : target == Target::Slices ? results.slices
                                                         : responses.values.cols();
  std::printf("Y %s: %lld %s\n", mercer::io::printable(task.options.y).c_str(),
              static_cast<long long>(count),
              target == Target::Classes  ? "classes"
              : target == Target::Slices ? "slices"
                                         : "outputs");
}

/// The scores of the ridges tried.
inline void print_choice(const Results& results) {
  if (results.ridges.grid.empty()) return;
  std::printf("\nregularization   correlations held out, summed (5-fold cross-validation)\n");
  for (std::size_t i = 0; i < results.ridges.grid.size(); ++i)
    std::printf("%14.0e %14.4f%s\n", results.ridges.grid[i], results.ridges.scores[i],
                results.ridges.grid[i] == *results.regularization ? "  taken" : "");
}

inline void print_values(const Task& task, const Results& results) {
  constexpr std::size_t most_rows = 20;
  const mercer::PairReport& r = results.report;
  const bool pairs = task.options.two_kernels();
  std::printf("\ncomponent %15s%s%s\n", value_name(task.options.method).c_str(),
              pairs ? "     training" : "", r.holdout_correlations.empty() ? "" : "     hold-out");
  const std::size_t count = results.values.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Of a long table the head, and the last row.
    if (i == most_rows && i + 1 < count) std::printf("      ...\n");
    if (i >= most_rows && i + 1 < count) continue;
    std::printf("%9zu %15.6g", i + 1, results.values[i]);
    if (pairs) std::printf(" %12.4f", r.training_correlations[i]);
    if (!r.holdout_correlations.empty()) std::printf(" %12.4f", r.holdout_correlations[i]);
    std::printf("\n");
  }
}

/// What the numbers are good for.
inline void print_advice(const Task& task, const Results& results) {
  const mercer::PairReport& r = results.report;
  std::printf("\n");
  if (!results.null.empty()) {
    double largest = 0;
    for (const double one : results.null) largest = one > largest ? one : largest;
    std::printf(
        "components with a correlation below %.4f, the largest of %zu random pairings, are "
        "noise\n",
        largest, results.null.size());
  }
  if (!r.holdout_correlations.empty())
    std::printf(
        "the hold-out correlations, of %lld pairs that the fit has not seen, are the "
        "numbers to quote\n",
        static_cast<long long>(r.holdout_samples));
  else if (task.options.two_kernels())
    std::printf("training correlations are too large; --holdout 0.2 gives the numbers to quote\n");
  if (r.components < r.components_requested && task.options.components)
    std::printf("%lld components asked for, there are %lld\n",
                static_cast<long long>(r.components_requested),
                static_cast<long long>(r.components));
}

/// How well the functions of sir tell the responses.
inline void print_judgements(const Results& results) {
  for (const Judgement& one : results.judgements) {
    const bool classes = one.name == "accuracy";
    std::string name = one.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    std::printf("%s of %s: training %.4g", name.c_str(),
                classes ? "the nearest class mean" : "least squares on the functions",
                one.training);
    if (one.holdout) std::printf(", hold-out %.4g", *one.holdout);
    std::printf("\n");
  }
}

inline void print_results(const Task& task, const Results& results) {
  const mercer::PairReport& r = results.report;
  const bool pairs = task.options.two_kernels();
  std::printf("%s of %lld %s", r.method.c_str(), static_cast<long long>(r.samples),
              pairs ? "pairs" : "samples");
  if (r.holdout_samples > 0)
    std::printf(", %lld more held out", static_cast<long long>(r.holdout_samples));
  if (results.regularization) std::printf(", regularization %.3g", *results.regularization);
  std::printf("%s\n", task.options.centered ? "" : " (not centred)");
  print_views(task, results);
  if (!pairs) print_responses(task, results);
  print_choice(results);
  print_values(task, results);
  print_advice(task, results);
  print_judgements(results);
  const std::string status(to_string(r.status));
  std::printf("%s in %.3g s\n", status.c_str(), r.fit_seconds);
  if (task.options.verbose) examples::print_phases(r.phases, r.fit_seconds);
}

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_TERMINAL_HPP
