// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The solvers of mercer by name and parameters.

#ifndef MERCER_RUNTIME_SOLVERS_HPP
#define MERCER_RUNTIME_SOLVERS_HPP

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/detail/make_solver.hpp>
#include <mercer/runtime/feature_maps.hpp>
#include <mercer/runtime/losses.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/solver_task.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/kernel_oja.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/hebbian/online_hebbian.hpp>
#include <mercer/solvers/sparse/sparse_likelihood.hpp>
#include <mercer/solvers/spgd/spgd.hpp>

namespace mercer {

namespace detail {

[[nodiscard]] inline Parameter tolerance_parameter(double fallback) {
  return {.name = "tolerance",
          .description = "converged when |K u - mu u| <= tolerance mu_1 for every component",
          .range = positive_number,
          .fallback = fallback};
}

/// Of a solver that takes a given number of steps.
[[nodiscard]] inline Parameter optional_tolerance_parameter() {
  Parameter tolerance = tolerance_parameter(0);
  tolerance.fallback = {};
  tolerance.otherwise = "none: the fit is finished when all steps are done, and not judged";
  return tolerance;
}

[[nodiscard]] inline Parameter landmarks_parameter(std::string description,
                                                   const std::string& exception = "") {
  return {
      .name = "landmarks",
      .description = std::move(description),
      .range = whole_number(1),
      .otherwise = "max(10 k, 200) for k components, 500 for a fraction of variance" + exception};
}

[[nodiscard]] inline Parameter map_parameter() {
  return {.name = "map",
          .description = "the features, which must fit the kernel",
          .choices = names(feature_map_table()),
          .otherwise = "the natural one of the kernel"};
}

[[nodiscard]] inline std::vector<Parameter> spgd_parameters() {
  return {
      {.name = "estimator",
       .description = "the random matrices of low rank whose mean is the Gram matrix; those of "
                      "columns and single entries fit any kernel, but are much noisier than "
                      "features",
       .choices = {"random-fourier", "random-maclaurin", "columns", "symmetric-columns", "entries"},
       .otherwise = "the features that fit the kernel, or symmetric-columns"},
      {.name = "features",
       .description =
           "random features, columns of the Gram matrix, or entries of each of its rows on "
           "average, for each iteration",
       .range = whole_number(1),
       .fallback = Index{50}},
      {.name = "lambda",
       .description = "how far eigenvalues are shrunk, which keeps the rank low: the components "
                      "are those with eigenvalues above it. 0: not at all",
       .range = not_negative_number,
       .otherwise = "chosen from a subsample to leave the components"},
      {.name = "lambda_rule",
       .description = "where lambda is chosen: midpoint, next to the last component; elbow, where "
                      "the eigenvalues after it fall most",
       .choices = {"midpoint", "elbow"},
       .fallback = std::string(to_string(SpgdParams{}.lambda_rule))},
      {.name = "iterations",
       .description = "the squared error falls like 1 / iterations",
       .range = whole_number(1),
       .fallback = SpgdParams{}.iterations},
      {.name = "start",
       .description = "the first iterate: zero, or the approximation over landmarks",
       .choices = {"zero", "nystrom"},
       .fallback = "zero"},
      landmarks_parameter("of start nystrom"),
      {.name = "step_offset",
       .description = "t0 of the steps 2 / (t + t0)",
       .range = not_negative_number,
       .otherwise = "0, or what fits the accuracy of start nystrom"},
      {.name = "max_rank",
       .description = "cut the iterate to this rank after every iteration",
       .range = whole_number(1),
       .otherwise = "all that exceeds lambda"},
      optional_tolerance_parameter()};
}

[[nodiscard]] inline std::vector<Parameter> hebbian_parameters() {
  return {{.name = "gain",
           .description = "how steps change: et and et-star in inverse proportion to the estimated "
                          "eigenvalue as well, smd as et-star with stochastic meta-descent",
           .choices = {"constant", "inverse-time", "et", "et-star", "smd"},
           .fallback = std::string(to_string(KernelHebbianParams{}.gain))},
          {.name = "step",
           .description = "the first step, for a Gram matrix scaled to a mean diagonal entry of 1",
           .range = positive_number,
           .otherwise = "0.05 for constant, 0.5 for inverse-time, 4 for et, 0.2 for et-star and "
                        "smd"},
          {.name = "epochs",
           .description = "passes over the samples",
           .range = whole_number(1),
           .fallback = KernelHebbianParams{}.epochs},
          tolerance_parameter(KernelHebbianParams{}.tolerance)};
}

[[nodiscard]] inline std::vector<Parameter> online_hebbian_parameters() {
  return {{.name = "criterion",
           .description = "when a sample enters the dictionary that components are expanded over: "
                          "by its distance to the span, or by its coherence with its samples",
           .choices = {"projection", "coherence"},
           .fallback = "projection"},
          {.name = "threshold",
           .description = "of the criterion: the least squared distance, or the largest coherence, "
                          "relative to k(x, x)",
           .range = {.minimum = 0, .maximum = 1, .above_minimum = true},
           .otherwise = "0.05 for projection, 0.8 for coherence"},
          {.name = "max_points",
           .description = "largest dictionary",
           .range = whole_number(1),
           .fallback = OnlineHebbianParams{}.max_points},
          {.name = "gain",
           .description = "how steps change: et and et-star in inverse proportion to the estimated "
                          "eigenvalue as well",
           .choices = {"constant", "inverse-time", "et", "et-star"},
           .fallback = std::string(to_string(OnlineHebbianParams{}.gain))},
          {.name = "step",
           .description = "the first step, for features of mean squared norm 1",
           .range = positive_number,
           .otherwise = "0.05 for constant, 1 for inverse-time, 0.1 for et and et-star"},
          {.name = "epochs",
           .description = "passes over the samples",
           .range = whole_number(1),
           .fallback = OnlineHebbianFitParams{}.epochs},
          optional_tolerance_parameter()};
}

[[nodiscard]] inline std::vector<Parameter> sparse_parameters() {
  const SparseLikelihoodParams fallback;
  return {{.name = "noise",
           .description = "the part of the variance that counts as noise; the larger, the fewer "
                          "samples carry the components",
           .range = {.minimum = 0, .maximum = 1, .above_minimum = true, .below_maximum = true},
           .otherwise = "half way between the variances of the last component and the next"},
          {.name = "rule",
           .description = "fixed-point finds zero weights much sooner; with em, the likelihood "
                          "never falls",
           .choices = {"fixed-point", "em"},
           .fallback = "fixed-point"},
          {.name = "tolerance",
           .description =
               "converged when no sample's part of the variance changes by more than this in a "
               "step",
           .range = positive_number,
           .fallback = fallback.tolerance},
          {.name = "iterations",
           .description = "at most so many",
           .range = whole_number(1),
           .fallback = fallback.max_iterations}};
}

[[nodiscard]] inline Parameter stochastic_rule_parameter() {
  return {.name = "rule",
          .description = "oja finds the span of the components, gha each by itself",
          .choices = {"oja", "gha"},
          .fallback = "oja"};
}

[[nodiscard]] inline Parameter stochastic_step_parameter() {
  return {.name = "step",
          .description = "the first step",
          .range = positive_number,
          .otherwise = "found from the first samples"};
}

[[nodiscard]] inline std::vector<Parameter> kernel_oja_parameters() {
  return {{.name = "data_batch",
           .description = "samples in a step",
           .range = whole_number(2),
           .fallback = KernelOjaParams{}.data_batch},
          {.name = "epochs",
           .description = "passes over the samples",
           .range = whole_number(1),
           .fallback = KernelOjaParams{}.epochs},
          stochastic_step_parameter(),
          stochastic_rule_parameter(),
          optional_tolerance_parameter()};
}

[[nodiscard]] inline std::vector<Parameter> doubly_stochastic_parameters() {
  return {map_parameter(),
          {.name = "features",
           .description = "all features: columns, of which some maps make a few more",
           .range = whole_number(1),
           .otherwise = "8192, or 500 if they are not random"},
          {.name = "feature_batch",
           .description = "features that are drawn together, of maps that are random",
           .range = whole_number(2),
           .fallback = Index{128}},
          {.name = "data_batch",
           .description = "samples in a step",
           .range = whole_number(2),
           .fallback = DoublyStochasticParams{}.data_batch},
          {.name = "epochs",
           .description = "passes over the samples, or more where that makes few steps",
           .range = whole_number(1),
           .fallback = DoublyStochasticParams{}.epochs},
          stochastic_step_parameter(),
          stochastic_rule_parameter(),
          optional_tolerance_parameter()};
}

[[nodiscard]] inline std::vector<Parameter> dual_parameters() {
  std::vector<Parameter> parameters = {
      {.name = "tolerance",
       .description = "as for other solvers; with another loss than square, converged when a step "
                      "is this many times as long as the dual variable",
       .range = positive_number,
       .otherwise = "1e-6 for the loss square, 1e-8 for others"},
      {.name = "iterations",
       .description = "at most so many",
       .range = whole_number(1),
       .otherwise = "500 for the loss square, 1000 for others"},
      {.name = "loss",
       .description = "square is kernel PCA; huber: outliers do not pull the components; eps: few "
                      "samples carry them (if not centred). Of norms of rows of scores, or of "
                      "their entries (huber-l1, eps-linf)",
       .choices = names(loss_table()),
       .fallback = "square"}};
  for (const LossEntry& loss : loss_table())
    for (Parameter p : loss.parameters) {
      if (std::any_of(parameters.begin(), parameters.end(),
                      [&](const Parameter& other) { return other.name == p.name; }))
        continue;
      p.otherwise = "none; these losses need it";
      parameters.push_back(std::move(p));
    }
  parameters.push_back({.name = "starts",
                        .description = "random starts, of which the best is kept, for all losses "
                                       "but square",
                        .range = whole_number(1),
                        .fallback = DcaParams{}.starts});
  return parameters;
}

[[nodiscard]] inline std::vector<SolverEntry> make_solver_table() {
  const Parameter tolerance = tolerance_parameter(AutoParams{}.tolerance);
  return {
      {{"auto", "picks a solver by the number of samples and components", {tolerance}},
       false,
       false,
       true,
       made_iteration<Auto>},
      {{"exact", "all eigenpairs of the Gram matrix", {}, {"dense"}},
       false,
       false,
       true,
       [](const Arguments&, const SolverTask&) { return MadeSolver{AnyKernelSolver(Exact{})}; }},
      {{"lanczos", "Krylov iteration with single vectors", {tolerance}, {"arpack"}},
       false,
       false,
       true,
       made_iteration<Lanczos>},
      {{"block-krylov",
        "Krylov iteration with blocks of vectors",
        {tolerance},
        {"krylov", "randomized"}},
       false,
       false,
       true,
       made_iteration<BlockKrylov>},
      {{"nystrom",
        "approximation over landmarks",
        {landmarks_parameter(
             "samples that components are expanded over, more than there are components",
             "; with trace_tolerance, k + 1 or more, as few as suffice, for rp-cholesky, greedy "
             "and sequential"),
         {.name = "sampling",
          .description = "how landmarks are chosen",
          .choices = {"uniform", "kmeans", "rp-cholesky", "greedy", "sequential", "diagonal",
                      "column-norms"},
          .fallback = "rp-cholesky"},
         {.name = "trace_tolerance",
          .description = "take more landmarks, up to 4096, until the approximation has lost at "
                         "most this part of the trace",
          .range = {.minimum = 0, .maximum = 1, .above_minimum = true, .below_maximum = true},
          .otherwise = "no more landmarks"}}},
       false,
       true,
       true,
       made_nystrom},
      {{"spgd", "stochastic proximal gradient descent", spgd_parameters()},
       false,
       true,
       true,
       made_spgd},
      {{"kernel-hebbian", "the kernel Hebbian algorithm", hebbian_parameters()},
       false,
       true,
       false,
       made_hebbian},
      {{"online-hebbian", "online kernel PCA over a dictionary of samples",
        online_hebbian_parameters()},
       false,
       true,
       false,
       made_online_hebbian},
      {{"kernel-oja", "stochastic steps on the kernel itself, which keep all samples",
        kernel_oja_parameters()},
       false,
       true,
       false,
       made_kernel_oja},
      {{"sparse-likelihood", "components over few samples, by maximum likelihood",
        sparse_parameters()},
       false,
       true,
       false,
       made_sparse},
      {{"features",
        "principal components of features, in one pass over samples of any number",
        {map_parameter(),
         {.name = "features",
          .description = "columns, of which some maps make a few more",
          .range = whole_number(1),
          .fallback = features_by_default}},
        {"feature-pca"}},
       true,
       true,
       true,
       made_features},
      {{"doubly-stochastic", "stochastic steps on random features, for samples of any number",
        doubly_stochastic_parameters()},
       true,
       true,
       false,
       made_doubly_stochastic},
      {{"dual", "robust and sparse components by the dual", dual_parameters()},
       false,
       false,
       false,
       made_dual},
  };
}

}  // namespace detail

/// Names, descriptions and parameters of all solvers. The dual with the loss square is listed where
/// it was not built in too, and then refused by make_solver().
[[nodiscard]] inline const std::vector<SolverEntry>& solver_table() {
  static const std::vector<SolverEntry> table = detail::make_solver_table();
  return table;
}

/// The solver of this name.
/// \code
///   const AnyKernel kernel = make_kernel("gaussian", {{"sigma", 1.5}});
///   const AnySolver solver = make_solver("spgd", {{"features", 100}}, {.kernel = kernel}).solver;
///   const auto& one = std::get<AnyKernelSolver>(solver);
///   const auto model = KernelPca{kernel, one, {.components = 10}}.fit(X);
/// \endcode
/// Throws InvalidArgument for an unknown name, with those known, for settings that do not fit, and
///   for what was not built in.
[[nodiscard]] inline MadeSolver make_solver(std::string_view name, const Settings& settings = {},
                                            const SolverTask& task = {}) {
  const SolverEntry& entry = require_entry("solver", solver_table(), name);
  return entry.make({entry.name, entry.parameters, settings}, task);
}

}  // namespace mercer

#endif  // MERCER_RUNTIME_SOLVERS_HPP
