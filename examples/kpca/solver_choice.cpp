// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/solver_choice.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/solvers/hebbian/hebbian_gain.hpp>
#include <mercer/solvers/spgd/detail/spgd_fit.hpp>

#include <examples/kpca/fit_state.hpp>
#include <examples/kpca/inputs.hpp>

namespace kpca {
namespace {

/// The defaults are those of the library.
template <class Params>
[[nodiscard]] Params iteration(const SolverOptions& options, std::uint64_t seed) {
  Params params{.seed = seed};
  if (options.tolerance) params.tolerance = *options.tolerance;
  return params;
}

[[nodiscard]] AnySolver make_nystrom(const SolverOptions& options, std::uint64_t seed) {
  const mercer::NystromParams params{.landmarks = options.landmarks.value_or(0),
                                     .trace_tolerance = options.trace_tolerance.value_or(0),
                                     .seed = seed};
  const std::string sampling = options.sampling.value_or("rp-cholesky");
  if (sampling == "greedy") return mercer::Nystrom{mercer::GreedyCholesky{}, params};
  if (sampling == "kmeans") return mercer::Nystrom{mercer::KMeansLandmarks{}, params};
  if (sampling == "uniform") return mercer::Nystrom{mercer::Uniform{}, params};
  return mercer::Nystrom{mercer::RpCholesky{}, params};
}

/// The name of the features that spgd draws for a kernel; empty if there are none.
[[nodiscard]] std::string features_of(const AnyKernel& kernel) {
  return with_kernel(kernel, []<class K>(const K&) -> std::string {
    if constexpr (mercer::FeatureMapFor<mercer::RandomFourier, K>)
      return "random-fourier";
    else if constexpr (mercer::FeatureMapFor<mercer::RandomMaclaurin, K>)
      return "random-maclaurin";
    else
      return {};
  });
}

/// The estimator asked for, or the one that fits the kernel best.
[[nodiscard]] std::string choose_estimator(const SolverOptions& options, const SolverTask& task) {
  const std::string features = features_of(task.kernel);
  const std::string by_default = features.empty() ? "symmetric-columns" : features;
  const std::string chosen = options.estimator.value_or(by_default);
  if (chosen.starts_with("random-") && chosen != features)
    throw mercer::InvalidArgument("--estimator " + chosen + ": the kernel " + task.kernel_name +
                                  " has no such features; take " +
                                  (features.empty() ? "" : features + ", ") +
                                  "symmetric-columns or columns");
  return chosen;
}

/// Draws for each iteration; no more columns than there are.
[[nodiscard]] mercer::Index choose_features(const SolverOptions& options, const SolverTask& task,
                                            bool columns) {
  constexpr mercer::Index by_default = 50;
  if (!options.features) return columns ? (std::min)(by_default, task.samples) : by_default;
  if (columns && *options.features > task.samples)
    throw mercer::InvalidArgument("--features: " + std::to_string(*options.features) +
                                  " columns are more than the " + std::to_string(task.samples) +
                                  " of the Gram matrix");
  return *options.features;
}

/// Landmarks of the start; 0 for a start from zero.
[[nodiscard]] mercer::Index choose_landmarks(const SolverOptions& options, const SolverTask& task) {
  if (options.start.value_or("zero") == "zero") {
    if (!options.landmarks) return 0;
    throw mercer::InvalidArgument("--landmarks: the solver spgd takes them with --start nystrom");
  }
  const mercer::Components& k = task.components;
  const mercer::Index by_default =
      k.is_fraction() ? 500 : (std::max)(10 * k.count(), mercer::Index{200});
  return options.landmarks.value_or((std::min)(by_default, task.samples));
}

[[nodiscard]] mercer::SpgdParams spgd_params(const SolverOptions& options, const SolverTask& task) {
  mercer::SpgdParams params{.lambda = options.lambda,
                            .landmarks = choose_landmarks(options, task),
                            .step_offset = options.step_offset.value_or(0),
                            .max_rank = options.max_rank.value_or(0),
                            .seed = task.seed};
  params.iterations = options.iterations.value_or(params.iterations);
  for (const mercer::Index t : options.checkpoints)
    if (t > params.iterations)
      throw mercer::InvalidArgument("--checkpoints: " + std::to_string(t) + " is more than the " +
                                    std::to_string(params.iterations) + " --iterations");
  return params;
}

[[nodiscard]] SolverChoice make_spgd(const SolverOptions& options, const SolverTask& task) {
  const std::string estimator = choose_estimator(options, task);
  const mercer::Index features =
      choose_features(options, task, estimator == "columns" || estimator == "symmetric-columns");
  const mercer::SpgdParams params = spgd_params(options, task);
  const mercer::SpgdCheckpoints checkpoints{options.checkpoints, task.visit};
  const auto with = [&](auto draws) -> AnySolver {
    return in_context("--solver spgd", [&] { return mercer::Spgd{draws, params, checkpoints}; });
  };
  SolverChoice choice{
      estimator == "random-fourier"     ? with(mercer::RandomFourier{.features = features})
      : estimator == "random-maclaurin" ? with(mercer::RandomMaclaurin{.features = features})
      : estimator == "columns"          ? with(mercer::ColumnSampling{.columns = features})
                               : with(mercer::SymmetricColumnSampling{.columns = features}),
      {{"estimator", estimator},
       {"features", features},
       {"iterations_requested", params.iterations},
       {"start", options.start.value_or("zero")}}};
  if (params.landmarks > 0) choice.settings.emplace_back("start_landmarks", params.landmarks);
  if (options.step_offset) choice.settings.emplace_back("step_offset", params.step_offset);
  if (options.max_rank) choice.settings.emplace_back("max_rank", params.max_rank);
  return choice;
}

[[nodiscard]] SolverChoice make_hebbian(const SolverOptions& options, std::uint64_t seed) {
  auto params = iteration<mercer::KernelHebbianParams>(options, seed);
  for (const auto gain : {mercer::Gain::Constant, mercer::Gain::InverseTime, mercer::Gain::Et,
                          mercer::Gain::EtStar, mercer::Gain::Smd})
    if (options.gain == to_string(gain)) params.gain = gain;
  params.gain_step = options.step.value_or(0);
  params.epochs = options.epochs.value_or(params.epochs);
  SolverChoice choice{mercer::KernelHebbian{params},
                      {{"gain", std::string(to_string(params.gain))}, {"epochs", params.epochs}}};
  if (options.step) choice.settings.emplace_back("step", params.gain_step);
  return choice;
}

[[nodiscard]] MapRequest map_request(const SolverOptions& options, const SolverTask& task,
                                     mercer::Index columns) {
  // Of features that are samples, no more by default than there are.
  const auto landmarks = [&task, given = options.features.has_value()](mercer::Index count) {
    return task.landmarks(given ? count : (std::min)(count, task.samples));
  };
  return {.columns = columns, .dimension = task.dimension, .landmarks = landmarks};
}

constexpr mercer::Index features_by_default = 500;

[[nodiscard]] SolverChoice make_features(const SolverOptions& options, const SolverTask& task) {
  const NamedMap& named = choose_map(options.map, task.kernel, task.kernel_name);
  const auto [map, columns] =
      named.make(map_request(options, task, options.features.value_or(features_by_default)));
  return {mercer::FeaturePca{AnyMap(map), {.seed = task.seed}}, {{"map", named.name}}, columns};
}

/// The features of a block: a batch of those that are drawn, or all that there are.
[[nodiscard]] MapOfColumns make_block(const NamedMap& named, const SolverOptions& options,
                                      const SolverTask& task, mercer::Index features) {
  if (named.drawn)
    return named.make(
        map_request(options, task, (std::min)(options.feature_batch.value_or(128), features)));
  if (options.feature_batch)
    throw mercer::InvalidArgument("--feature-batch: the features of --map " + named.name +
                                  " are not drawn in batches");
  return named.make(map_request(options, task, options.features.value_or(features_by_default)));
}

[[nodiscard]] SolverChoice make_doubly_stochastic(const SolverOptions& options,
                                                  const SolverTask& task) {
  const NamedMap& named = choose_map(options.map, task.kernel, task.kernel_name);
  const mercer::Index features = options.features.value_or(8192);
  const auto [map, columns] = make_block(named, options, task, features);
  mercer::DoublyStochasticParams params{
      .blocks = named.drawn ? (features + columns - 1) / columns : 1,
      .step = options.step,
      .seed = task.seed};
  if (options.rule == "gha") params.rule = mercer::StochasticRule::Gha;
  params.data_batch = options.data_batch.value_or(params.data_batch);
  params.epochs = options.epochs.value_or(params.epochs);
  mercer::DoublyStochasticCheckpoints checkpoints;
  if (!options.state.empty())
    checkpoints = checkpoints_in(options.state, options.state_every.value_or(100));
  SolverChoice choice{mercer::DoublyStochastic{AnyMap(map), params, checkpoints},
                      {{"map", named.name},
                       {"rule", std::string(to_string(params.rule))},
                       {"data_batch", params.data_batch},
                       {"epochs", params.epochs}},
                      columns};
  if (named.drawn) choice.settings.emplace_back("feature_batch", columns);
  if (options.step) choice.settings.emplace_back("step", *options.step);
  if (checkpoints.resume)
    choice.settings.emplace_back("resumed_from_step", checkpoints.resume->run.steps);
  return choice;
}

/// Kernel PCA itself.
[[nodiscard]] AnySolver make_dual_square([[maybe_unused]] const SolverOptions& options,
                                         [[maybe_unused]] std::uint64_t seed) {
  if (options.kappa || options.epsilon || options.starts)
    throw mercer::InvalidArgument(
        "--kappa, --epsilon and --starts are for another --loss than square");
#if defined(MERCER_HAS_LBFGSPP)
  auto params = iteration<mercer::DualParams>(options, seed);
  params.max_iterations = options.iterations.value_or(params.max_iterations);
  return mercer::Dual(params);
#else
  throw mercer::InvalidArgument(
      "--solver dual: this kpca was built without the library LBFGS++ (Debian package: "
      "liblbfgspp-dev); take block-krylov, or another --loss");
#endif
}

[[nodiscard]] SolverChoice make_dual(const SolverOptions& options, std::uint64_t seed) {
  const std::string loss = options.loss.value_or("square");
  if (loss == "square") return {make_dual_square(options, seed), {{"loss", loss}}};
  const bool huber = loss.starts_with("huber");
  const std::string own = huber ? "kappa" : "epsilon";
  const std::optional<double>& parameter = huber ? options.kappa : options.epsilon;
  if (huber ? options.epsilon.has_value() : options.kappa.has_value())
    throw mercer::InvalidArgument(std::string(huber ? "--epsilon" : "--kappa") + ": the loss " +
                                  loss + " has no such parameter, only --" + own);
  if (!parameter) throw mercer::InvalidArgument("--" + own + ": the loss " + loss + " needs it");
  auto params = iteration<mercer::DcaParams>(options, seed);
  params.max_iterations = options.iterations.value_or(params.max_iterations);
  params.starts = options.starts.value_or(params.starts);
  const auto rows = [&](auto one) -> AnySolver { return mercer::Dca<RowLoss>{one, params}; };
  const auto entries = [&](auto one) -> AnySolver { return mercer::Dca<EntryLoss>{one, params}; };
  const double p = *parameter;
  return {loss == "huber-l2"   ? rows(mercer::Huber<mercer::L2>{p})
          : loss == "huber-l1" ? entries(mercer::Huber<mercer::L1>{p})
          : loss == "eps-l2"   ? rows(mercer::EpsilonInsensitive<mercer::L2>{p})
          : loss == "eps-linf" ? entries(mercer::EpsilonInsensitive<mercer::LInf>{p})
                               : entries(mercer::EpsilonInsensitive<mercer::L1>{p}),
          {{"loss", loss}, {own, p}, {"starts", params.starts}}};
}

}  // namespace

SolverChoice make_solver(const SolverOptions& options, const SolverTask& task) {
  const std::uint64_t seed = task.seed;
  if (options.name == "exact") return {mercer::Exact{}, {}};
  if (options.name == "block-krylov")
    return {mercer::BlockKrylov(iteration<mercer::BlockKrylovParams>(options, seed)), {}};
  if (options.name == "lanczos")
    return {mercer::Lanczos(iteration<mercer::LanczosParams>(options, seed)), {}};
  if (options.name == "nystrom") return {make_nystrom(options, seed), {}};
  if (options.name == "spgd") return make_spgd(options, task);
  if (options.name == "kernel-hebbian") return make_hebbian(options, seed);
  if (options.name == "features") return make_features(options, task);
  if (options.name == "doubly-stochastic") return make_doubly_stochastic(options, task);
  if (options.name == "dual") return make_dual(options, seed);
  return {mercer::Auto(iteration<mercer::AutoParams>(options, seed)), {}};
}

std::optional<double> tolerance(const AnySolver& solver) {
  return std::visit(
      [](const auto& s) -> std::optional<double> {
        if constexpr (requires { s.tolerance(); })
          return s.tolerance();
        else if constexpr (requires { s.params().tolerance; })
          return s.params().tolerance;
        else
          return std::nullopt;
      },
      solver);
}

std::string solver_name(const mercer::Report& report) {
  // What follows in parentheses are details.
  std::string name = report.solver.substr(0, report.solver.find(" ("));
  std::replace(name.begin(), name.end(), ' ', '-');
  return name == "dca" ? "dual" : name;  // the dual with another loss
}

}  // namespace kpca
