// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/solver_choice.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/runtime/solvers.hpp>

#include <examples/kpca/fit_state.hpp>
#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/tables.hpp>

namespace kpca {
namespace {

/// Throws for iterates to show that there will not be.
void require_checkpoints(const SolverOptions& options) {
  if (options.checkpoints.empty()) return;
  if (!options.state.empty())
    throw mercer::InvalidArgument(
        "--checkpoints: not with --state, as a fit that goes on does not come to earlier iterates "
        "again");
  const auto& parameters =
      mercer::require_entry("solver", solver_entries(), options.name).parameters;
  const mercer::Arguments arguments(options.name, parameters, options.settings);
  const mercer::Index iterations = arguments.whole("iterations");
  for (const mercer::Index t : options.checkpoints)
    if (t > iterations)
      throw mercer::InvalidArgument("--checkpoints: " + std::to_string(t) + " is more than the " +
                                    std::to_string(iterations) + " --iterations");
}

/// What the library says of a setting, in words of options.
[[nodiscard]] mercer::MadeSolver make(const SolverOptions& options,
                                      const mercer::SolverTask& task) {
  try {
    return mercer::make_solver(options.name, options.settings, task);
  } catch (const mercer::ParameterError& error) {
    throw mercer::InvalidArgument("--" + option_name(error.parameter()) +
                                  (error.value().empty() ? "" : " " + error.value()) + ": " +
                                  error.problem());
  } catch (const mercer::InvalidArgument& error) {
    const std::string text = error.what();
    if (text.starts_with(options.name + ": ")) throw mercer::InvalidArgument("--solver " + text);
    if (!text.starts_with("mercer::")) throw;  // it names the option or the file already
    throw mercer::InvalidArgument("--solver " + options.name + ": " + text);
  }
}

/// The name of a setting in report.json.
[[nodiscard]] std::string report_name(const std::string& solver, const std::string& setting) {
  if (solver == "spgd" && setting == "iterations") return "iterations_requested";
  if (solver == "spgd" && setting == "landmarks") return "start_landmarks";
  return setting;
}

}  // namespace

const std::vector<mercer::SolverEntry>& solver_entries() {
  return mercer::solver_table();
}

SolverChoice make_solver(const SolverOptions& options, mercer::SolverTask task) {
  if (needs_archive(options))
    task.stochastic_checkpoints = checkpoints_in(options.state, options.state_every.value_or(100));
  require_checkpoints(options);
  mercer::MadeSolver made = make(options, task);
  SolverChoice choice{std::move(made.solver), {}, made.most_components, {}};
  for (auto& [name, value] : made.settings)
    choice.settings.emplace_back(report_name(options.name, name), std::move(value));
  if (!options.state.empty() && !needs_archive(options))
    choice.record = record_in(options.state, options.name, options.state_every);
  if (const auto& resume = task.stochastic_checkpoints.resume)
    choice.settings.emplace_back("resumed_from_step", resume->run.steps);
  return choice;
}

mercer::Components components_for(const std::optional<mercer::Components>& asked,
                                  mercer::Index by_default, mercer::Index samples,
                                  const std::string& input) {
  if (!asked) return mercer::Components((std::min)(by_default, samples));
  if (!asked->is_fraction() && asked->count() > samples)
    throw mercer::InvalidArgument("--components: " + std::to_string(asked->count()) +
                                  " is more than the " + std::to_string(samples) + " rows of " +
                                  input);
  return *asked;
}

mercer::Components with_bound(mercer::Components components, bool asked,
                              const SolverChoice& choice) {
  if (asked || !choice.most_components) return components;
  return mercer::Components((std::min)(components.count(), *choice.most_components));
}

std::optional<double> tolerance(const mercer::AnySolver& solver) {
  return std::visit([](const auto& one) { return one.tolerance(); }, solver);
}

void require_weights_taken(const SolverChoice& choice, const SolverOptions& options,
                           const std::string& option) {
  if (std::visit([](const auto& one) { return one.takes_weights(); }, choice.solver)) return;
  const auto loss = options.settings.find("loss");
  throw mercer::InvalidArgument(option + ": the solver " + options.name + " takes none" +
                                (loss != options.settings.end()
                                     ? " with --loss " + std::get<std::string>(loss->second)
                                     : "") +
                                "; " + solvers_with_weights() + " do");
}

std::string solver_name(const mercer::Report& report) {
  using mercer::SolverId;
  if (report.solver == SolverId::FeaturePca) return "features";
  if (report.solver == SolverId::Dca) return "dual";  // with another loss
  return std::string(to_string(report.solver));
}

}  // namespace kpca
