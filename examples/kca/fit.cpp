// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/fit.hpp>

#include <string>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/runtime/response_solvers.hpp>
#include <mercer/runtime/solver_task.hpp>
#include <mercer/solvers/pair_solver.hpp>

#include <examples/kca/cca.hpp>
#include <examples/kca/fit_parts.hpp>
#include <examples/kca/sir.hpp>
#include <examples/kca/svd.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/landmark_choice.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kca {
namespace {

/// The kernel and the solver of a view.
[[nodiscard]] Choice choose(const Options& options, const kpca::KernelOptions& kernel,
                            const View& view) {
  // The pairs held out must not be seen.
  const kpca::SampleFile<double> file{view.path, view.fitted};
  kpca::KernelChoice chosen = kpca::in_context("--kernel" + kernel.suffix + " " + kernel.name, [&] {
    return kpca::make_kernel<double>(kernel, file, options.seed);
  });
  kpca::in_context(view.path, [&] { chosen.kernel.check_domain(view.all); });
  if (mercer::find_entry(response_solvers(), options.solver.name))
    return {std::move(chosen), mercer::make_response_solver(options.solver.name)};
  kpca::SolverChoice solver = kpca::make_solver(
      options.solver, {.kernel = chosen.kernel,
                       .components = options.rank,
                       .samples = file.rows(),
                       .dimension = file.columns(),
                       .seed = options.seed,
                       .landmarks = [&](mercer::Index count) {
                         return kpca::choose_landmarks(chosen.kernel, file, count, options.seed);
                       }});
  return std::visit(
      [&](auto& one) {
        return Choice{std::move(chosen), std::move(one), std::move(solver.settings)};
      },
      solver.solver);
}

/// What the library says of a view or of the responses, with the name of its file.
[[nodiscard]] std::string with_files(const std::string& text, const Options& o) {
  const std::string words = kpca::in_words(text);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  const bool responses = !o.two_kernels() && words.find("response") != std::string::npos;
  const bool first = has("view x: ") || !o.two_kernels();
  const bool second = has("view y: ") || responses;
  return (second ? o.y : first ? o.x : o.x + " and " + o.y) + ": " + words;
}

[[nodiscard]] Results fit_method(const Task& task, const Choices& choices) {
  return with_solvers(choices, [&]<class S>(const S& x, const S& y) {
    if constexpr (!mercer::ResponseBasisSolver<S>) {
      if (task.options.method == Method::Svd) return fit_svd(task, choices, x, y);
      if (task.options.method == Method::Cca) return fit_cca(task, choices, x, y);
    }
    return fit_sir(task, choices, x);
  });
}

}  // namespace

const std::vector<mercer::ResponseSolverEntry>& response_solvers() {
  return mercer::response_solver_table();
}

Results fit(const Task& task, const std::function<void()>& ready) {
  const Options& o = task.options;
  Choices choices = {choose(o, o.kernel_x, task.pairs.x)};
  if (o.two_kernels()) choices.push_back(choose(o, o.kernel_y, task.pairs.y));
  ready();
  try {
    Results results = fit_method(task, choices);
    for (const Choice& choice : choices)
      results.views.push_back(
          {kpca::describe(choice.kernel, results.views.empty() ? o.kernel_x.name : o.kernel_y.name),
           choice.kernel.parameters, choice.settings});
    return results;
  } catch (const mercer::InvalidArgument& error) {
    throw mercer::InvalidArgument(with_files(error.what(), o));
  }
}

}  // namespace kca
