// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How each solver is made of arguments.

#ifndef MERCER_RUNTIME_DETAIL_MAKE_SOLVER_HPP
#define MERCER_RUNTIME_DETAIL_MAKE_SOLVER_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/estimators/entry_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/feature_maps.hpp>
#include <mercer/runtime/losses.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/solver_task.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/spgd/spgd_params.hpp>

namespace mercer::detail {

/// Settings of an iteration. The defaults are those of the library.
template <class Params>
[[nodiscard]] Params iteration_params(const Arguments& arguments, const SolverTask& task) {
  Params params{.seed = task.seed};
  arguments.set("tolerance", params.tolerance);
  return params;
}

template <class T>
[[nodiscard]] MadeSolver made_iteration(const Arguments& arguments, const SolverTask& task) {
  return {AnyKernelSolver(T(iteration_params<typename T::Params>(arguments, task)))};
}

[[noreturn]] inline void fail_without(const Arguments& arguments, const std::string& library,
                                      const std::string& instead) {
  fail(arguments.owner(), ": this program was built without the library ", library, "; take ",
       instead);
}

[[nodiscard]] inline MadeSolver made_nystrom(const Arguments& arguments, const SolverTask& task) {
  NystromParams params{.seed = task.seed};
  arguments.set("landmarks", params.landmarks);
  arguments.set("trace_tolerance", params.trace_tolerance);
  if (task.samples > 0 && params.landmarks > task.samples)
    arguments.refuse("landmarks", "must be at most the number of samples, " +
                                      to_text(task.samples) + ", got " + to_text(params.landmarks));
  const std::string& sampling = arguments.word("sampling");
  if (sampling == "column-norms") return {AnyKernelSolver(Nystrom{ColumnNormSampling{}, params})};
  if (sampling == "diagonal") return {AnyKernelSolver(Nystrom{DiagonalSampling{}, params})};
  if (sampling == "sequential") return {AnyKernelSolver(Nystrom{SequentialGreedy{}, params})};
  if (sampling == "greedy") return {AnyKernelSolver(Nystrom{GreedyCholesky{}, params})};
  if (sampling == "kmeans") return {AnyKernelSolver(Nystrom{KMeansLandmarks{}, params})};
  if (sampling == "uniform") return {AnyKernelSolver(Nystrom{Uniform{}, params})};
  return {AnyKernelSolver(Nystrom{RpCholesky{}, params})};
}

/// The name of the features that Spgd draws for a kernel; empty if there are none.
[[nodiscard]] inline std::string spgd_features(const AnyKernel& kernel) {
  if (feature_fit<RandomFourier>(kernel) != FeatureFit::No) return "random-fourier";
  if (feature_fit<RandomMaclaurin>(kernel) != FeatureFit::No) return "random-maclaurin";
  return {};
}

/// The estimator asked for, or the one that fits the kernel best.
[[nodiscard]] inline std::string spgd_estimator(const Arguments& arguments,
                                                const SolverTask& task) {
  const std::string features = task.kernel ? spgd_features(*task.kernel) : "";
  const std::string by_default = features.empty() ? "symmetric-columns" : features;
  const std::string chosen = arguments.optional<std::string>("estimator").value_or(by_default);
  if (task.kernel && chosen.starts_with("random-") && chosen != features)
    arguments.refuse("estimator",
                     "the kernel " + task.kernel->name() + " has no such features; take " +
                         (features.empty() ? "" : features + ", ") + "symmetric-columns or columns",
                     chosen);
  return chosen;
}

/// Draws for each iteration; no more columns than there are.
[[nodiscard]] inline Index spgd_draws(const Arguments& arguments, const SolverTask& task,
                                      bool columns) {
  const bool bounded = columns && task.samples > 0;
  const Index count = arguments.whole("features");
  if (!bounded || count <= task.samples) return count;
  if (arguments.has("features"))
    arguments.refuse("features", "must be at most the " + to_text(task.samples) +
                                     " columns of the Gram matrix, got " + to_text(count));
  return task.samples;
}

/// Landmarks of the start; 0 for a start from zero.
[[nodiscard]] inline Index spgd_landmarks(const Arguments& arguments, const SolverTask& task) {
  const std::optional<Index> given = arguments.optional<Index>("landmarks");
  if (arguments.word("start") == "zero") {
    if (given) arguments.refuse("landmarks", "is for start nystrom");
    return 0;
  }
  const Components& k = task.components;
  const Index automatic = k.is_fraction() ? 500 : (std::max)(10 * k.count(), Index{200});
  return given.value_or(task.samples > 0 ? (std::min)(automatic, task.samples) : automatic);
}

/// The part of the entries of the Gram matrix in a draw of so many in each row, on average.
[[nodiscard]] inline double entry_probability(const Arguments& arguments, const SolverTask& task,
                                              Index draws) {
  if (task.samples == 0)
    arguments.refuse("estimator", "needs the number of samples, which is not known", "entries");
  return (std::min)(1.0, static_cast<double>(draws) / static_cast<double>(task.samples));
}

[[nodiscard]] inline MadeSolver made_spgd(const Arguments& arguments, const SolverTask& task) {
  const std::string estimator = spgd_estimator(arguments, task);
  const Index draws = spgd_draws(arguments, task, !estimator.starts_with("random-"));
  SpgdParams params{.lambda = arguments.optional<double>("lambda"),
                    .iterations = arguments.whole("iterations"),
                    .landmarks = spgd_landmarks(arguments, task),
                    .seed = task.seed};
  for (const auto rule : {LambdaRule::Midpoint, LambdaRule::Elbow})
    if (arguments.word("lambda_rule") == to_string(rule)) params.lambda_rule = rule;
  if (params.lambda && arguments.has("lambda_rule"))
    arguments.refuse("lambda_rule", "is for a lambda that is not given");
  arguments.set("step_offset", params.step_offset);
  arguments.set("max_rank", params.max_rank);
  arguments.set("tolerance", params.tolerance);
  const auto with = [&](auto one) {
    return AnyKernelSolver(Spgd{one, params, task.spgd_checkpoints});
  };
  MadeSolver made{estimator == "random-fourier"     ? with(RandomFourier{.features = draws})
                  : estimator == "random-maclaurin" ? with(RandomMaclaurin{.features = draws})
                  : estimator == "columns"          ? with(ColumnSampling{.columns = draws})
                  : estimator == "entries"
                      ? with(EntrySampling{entry_probability(arguments, task, draws)})
                      : with(SymmetricColumnSampling{.columns = draws}),
                  {{"estimator", estimator},
                   {"features", draws},
                   {"iterations", params.iterations},
                   {"start", arguments.word("start")}}};
  if (params.landmarks > 0) made.settings.emplace_back("landmarks", params.landmarks);
  for (const char* name : {"lambda_rule", "step_offset", "max_rank"})
    if (const ParameterValue* const value = arguments.find(name))
      made.settings.emplace_back(name, *value);
  return made;
}

[[nodiscard]] inline MadeSolver made_hebbian(const Arguments& arguments, const SolverTask& task) {
  auto params = iteration_params<KernelHebbianParams>(arguments, task);
  for (const auto gain : {Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar, Gain::Smd})
    if (arguments.word("gain") == to_string(gain)) params.gain = gain;
  params.epochs = arguments.whole("epochs");
  arguments.set("step", params.gain_step);
  MadeSolver made{AnyKernelSolver(KernelHebbian{params}),
                  {{"gain", arguments.word("gain")}, {"epochs", params.epochs}}};
  if (arguments.has("step")) made.settings.emplace_back("step", params.gain_step);
  return made;
}

[[nodiscard]] inline MadeSolver made_online_hebbian(const Arguments& arguments,
                                                    const SolverTask& task) {
  OnlineHebbianFitParams params{.epochs = arguments.whole("epochs"), .seed = task.seed};
  OnlineHebbianParams& updates = params.updates;
  if (arguments.word("criterion") == "coherence")
    updates.criterion = DictionaryCriterion::Coherence;
  for (const auto gain : {Gain::Constant, Gain::InverseTime, Gain::Et, Gain::EtStar})
    if (arguments.word("gain") == to_string(gain)) updates.gain = gain;
  arguments.set("threshold", updates.threshold);
  arguments.set("step", updates.gain_step);
  arguments.set("tolerance", params.tolerance);
  updates.max_points = arguments.whole("max_points");
  MadeSolver made{AnyKernelSolver(OnlineHebbian{params}),
                  {{"criterion", arguments.word("criterion")},
                   {"gain", arguments.word("gain")},
                   {"epochs", params.epochs}}};
  for (const char* name : {"threshold", "step"})
    if (const ParameterValue* const value = arguments.find(name))
      made.settings.emplace_back(name, *value);
  return made;
}

[[nodiscard]] inline MadeSolver made_kernel_oja(const Arguments& arguments,
                                                const SolverTask& task) {
  auto params = iteration_params<KernelOjaParams>(arguments, task);
  if (arguments.word("rule") == "gha") params.rule = StochasticRule::Gha;
  params.data_batch = arguments.whole("data_batch");
  params.epochs = arguments.whole("epochs");
  params.step = arguments.optional<double>("step");
  MadeSolver made{AnyKernelSolver(KernelOja{params}),
                  {{"rule", arguments.word("rule")},
                   {"data_batch", params.data_batch},
                   {"epochs", params.epochs}}};
  if (params.step) made.settings.emplace_back("step", *params.step);
  return made;
}

[[nodiscard]] inline MadeSolver made_sparse(const Arguments& arguments, const SolverTask& task) {
  auto params = iteration_params<SparseLikelihoodParams>(arguments, task);
  arguments.set("noise", params.noise);
  params.max_iterations = arguments.whole("iterations");
  if (arguments.word("rule") == "em") params.rule = WeightRule::Em;
  MadeSolver made{AnyKernelSolver(SparseLikelihood{params}), {{"rule", arguments.word("rule")}}};
  if (arguments.has("noise")) made.settings.emplace_back("noise", params.noise);
  return made;
}

/// The map that was asked for, or the natural one of the kernel.
/// Throws ParameterError with the names of those that fit the kernel.
[[nodiscard]] inline const FeatureMapEntry& solver_map(const Arguments& arguments,
                                                       const SolverTask& task) {
  const std::optional<std::string> name = arguments.optional<std::string>("map");
  const FeatureMapEntry* const map = name          ? find_entry(feature_map_table(), *name)
                                     : task.kernel ? natural_feature_map(*task.kernel)
                                                   : nullptr;
  if (map && (!task.kernel || map->fit(*task.kernel) != FeatureFit::No)) return *map;
  if (!task.kernel) arguments.refuse("map", "is needed where the kernel is not known");
  const std::string kernel = task.kernel->name();
  const std::string fitting = enumerated(feature_maps_of(*task.kernel));
  if (fitting.empty()) arguments.refuse("map", "there are no features of the kernel " + kernel);
  if (name)
    arguments.refuse("map", "has no features of the kernel " + kernel + "; take " + fitting, *name);
  arguments.refuse("map", "is needed, as there are no random features of the kernel " + kernel +
                              "; take " + fitting);
}

/// A map of \p columns columns. If the number was not given, it is one that suits all samples.
[[nodiscard]] inline MadeFeatures made_map(const FeatureMapEntry& map, Index columns, bool given,
                                           const SolverTask& task) {
  FeatureMapTask request{.dimension = task.dimension, .landmarks = {}};
  if (task.landmarks)
    request.landmarks = [&task, given](Index count) {
      const bool bounded = !given && task.samples > 0;
      return task.landmarks(bounded ? (std::min)(count, task.samples) : count);
    };
  return map.make({map.name, map.parameters, {{"features", columns}}}, request);
}

inline constexpr Index features_by_default = 500;

[[nodiscard]] inline MadeSolver made_features(const Arguments& arguments, const SolverTask& task) {
  const FeatureMapEntry& entry = solver_map(arguments, task);
  auto [map, columns] =
      made_map(entry, arguments.whole("features"), arguments.has("features"), task);
  return {AnyFeatureSolver(FeaturePca{std::move(map), {.seed = task.seed}}),
          {{"map", entry.name}},
          columns};
}

/// The features of a block: a batch of those that are drawn, or all that there are.
[[nodiscard]] inline MadeFeatures made_block(const FeatureMapEntry& entry,
                                             const Arguments& arguments, const SolverTask& task,
                                             Index features) {
  const bool given = arguments.has("features");
  if (entry.drawn)
    return made_map(entry, (std::min)(arguments.whole("feature_batch"), features), given, task);
  if (arguments.has("feature_batch"))
    arguments.refuse("feature_batch",
                     "is for random features, and those of map " + entry.name + " are not drawn");
  return made_map(entry, given ? features : features_by_default, given, task);
}

[[nodiscard]] inline MadeSolver made_doubly_stochastic(const Arguments& arguments,
                                                       const SolverTask& task) {
  const FeatureMapEntry& entry = solver_map(arguments, task);
  const Index features = arguments.optional<Index>("features").value_or(8192);
  auto [map, columns] = made_block(entry, arguments, task, features);
  DoublyStochasticParams params{.blocks = entry.drawn ? (features + columns - 1) / columns : 1,
                                .data_batch = arguments.whole("data_batch"),
                                .epochs = arguments.whole("epochs"),
                                .step = arguments.optional<double>("step"),
                                .seed = task.seed};
  arguments.set("tolerance", params.tolerance);
  if (arguments.word("rule") == "gha") params.rule = StochasticRule::Gha;
  MadeSolver made{
      AnyFeatureSolver(DoublyStochastic{std::move(map), params, task.stochastic_checkpoints}),
      {{"map", entry.name},
       {"rule", arguments.word("rule")},
       {"data_batch", params.data_batch},
       {"epochs", params.epochs}},
      columns};
  if (entry.drawn) made.settings.emplace_back("feature_batch", columns);
  if (params.step) made.settings.emplace_back("step", *params.step);
  return made;
}

/// Kernel PCA itself.
[[nodiscard]] inline MadeSolver made_square_dual(const Arguments& arguments,
                                                 [[maybe_unused]] const SolverTask& task) {
  for (const char* name : {"kappa", "epsilon", "starts"})
    if (arguments.has(name)) arguments.refuse(name, "is for another loss than square");
#if defined(MERCER_HAS_LBFGSPP)
  auto params = iteration_params<DualParams>(arguments, task);
  arguments.set("iterations", params.max_iterations);
  return {AnyKernelSolver(Dual(params)), {{"loss", "square"}}};
#else
  fail_without(arguments, "LBFGS++ (Debian package: liblbfgspp-dev)",
               "block-krylov, or another loss");
#endif
}

[[nodiscard]] inline MadeSolver made_dual(const Arguments& arguments, const SolverTask& task) {
  const std::string& name = arguments.word("loss");
  if (name == "square") return made_square_dual(arguments, task);
  const LossEntry& loss = require_entry("loss", loss_table(), name);
  const std::string own = loss.parameters.front().name;
  for (const char* other : {"kappa", "epsilon"})
    if (other != own && arguments.has(other))
      arguments.refuse(other, "is no parameter of the loss " + name + ", which has " + own);
  if (!arguments.has(own)) arguments.refuse(own, "is missing: the loss " + name + " needs it");
  const double value = arguments.number(own);
  auto params = iteration_params<DcaParams>(arguments, task);
  arguments.set("iterations", params.max_iterations);
  params.starts = arguments.whole("starts");
  return {AnyKernelSolver(Dca<AnyLoss>{make_loss(name, {{own, value}}), params}),
          {{"loss", name}, {own, value}, {"starts", params.starts}}};
}

}  // namespace mercer::detail

#endif  // MERCER_RUNTIME_DETAIL_MAKE_SOLVER_HPP
