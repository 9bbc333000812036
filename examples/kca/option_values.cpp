// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/option_texts.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/runtime/parameter.hpp>

#include <examples/kca/fit.hpp>

namespace kca {
namespace {

using kpca::parse_number;

[[nodiscard]] mercer::Components parse_rank(const std::string& text) {
  if (const auto count = parse_number<std::int64_t>(text); count && *count >= 1)
    return mercer::Components(*count);
  if (const auto share = parse_number<double>(text); share && *share > 0 && *share <= 1)
    return mercer::Components(*share);
  throw mercer::InvalidArgument(
      "--rank: must be a whole number from 1, or a fraction of variance such as 0.99, got '" +
      text + "'");
}

void take_regularization(const std::string& text, Options& o) {
  if (text == "auto" && o.method == Method::Cca) {
    o.choose_regularization = true;
    return;
  }
  o.regularization = parse_number<double>(text);
  if (!o.regularization || !(*o.regularization >= 0 && *o.regularization < 0x1p1023))
    throw mercer::InvalidArgument("--regularization: must be a number of at least 0" +
                                  std::string(o.method == Method::Cca ? ", or auto" : "") +
                                  ", got '" + text + "'");
}

/// A number greater than 0.
[[nodiscard]] double parse_positive(const std::string& option, const std::string& text) {
  const auto value = parse_number<double>(text);
  if (!value || !(*value > 0 && *value < 0x1p1023))
    throw mercer::InvalidArgument(option + ": must be a number greater than 0, got '" + text + "'");
  return *value;
}

/// What the second kernel has not been given is as in the first one, if they are of one kind.
void complete(const kpca::KernelOptions& x, kpca::KernelOptions& y) {
  if (x.name != y.name) return;
  const auto given = [&](const std::string& name) {
    return y.settings.contains(name) || y.percentiles.contains(name);
  };
  const auto& parameters =
      mercer::require_entry("kernel", kpca::kernel_entries(), x.name).parameters;
  std::vector<std::string> taken;
  for (const mercer::Parameter& p : parameters) {
    const bool replaced = std::any_of(parameters.begin(), parameters.end(), [&](const auto& other) {
      return given(other.name) && (other.instead_of == p.name || p.instead_of == other.name);
    });
    if (!given(p.name) && !replaced) taken.push_back(p.name);
  }
  for (const std::string& name : taken) {
    if (x.settings.contains(name)) y.settings[name] = x.settings.at(name);
    if (x.percentiles.contains(name)) y.percentiles[name] = x.percentiles.at(name);
  }
}

void take_kernel(const kpca::TableOptions& given, kpca::KernelOptions& kernel) {
  given.take(kernel.name, {}, kernel.settings, kernel.percentiles);
}

/// The kernel of a later view, by default that of the first.
void take_next_kernel(const std::string& suffix, const std::optional<std::string>& name,
                      const kpca::TableOptions& given, const kpca::KernelOptions& first,
                      kpca::KernelOptions& kernel) {
  kernel.suffix = suffix;
  kernel.name = name.value_or(first.name);
  kernel.percentile = first.percentile;
  take_kernel(given, kernel);
  complete(first, kernel);
}

void take_kernels(const Texts& texts, Options& o) {
  take_kernel(texts.kernels_x, o.kernel_x);
  take_next_kernel("-y", texts.kernel_y, texts.kernels_y, o.kernel_x, o.kernel_y);
}

void take_mixture(const Texts& texts, Options& o) {
  std::erase(o.views, "");  // what was not given
  if (o.views.size() == 2)
    throw mercer::InvalidArgument(
        "a mixture needs three views: three files, or one with the "
        "columns of all; got two, " +
        o.views[0] + " and " + o.views[1]);
  o.kernels[0].percentile = narrow;
  take_kernel(texts.kernels_1, o.kernels[0]);
  if (o.exchangeable) {
    for (const auto& [option, given] :
         {std::pair("-2", texts.kernel_2.has_value() || texts.kernels_2.any_given()),
          std::pair("-3", texts.kernel_3.has_value() || texts.kernels_3.any_given())})
      if (given)
        throw mercer::InvalidArgument(std::string("--exchangeable: the views have one kernel, but "
                                                  "there is an option ending in ") +
                                      option);
    o.kernels.resize(1);
  } else {
    take_next_kernel("-2", texts.kernel_2, texts.kernels_2, o.kernels[0], o.kernels[1]);
    take_next_kernel("-3", texts.kernel_3, texts.kernels_3, o.kernels[0], o.kernels[2]);
  }
  for (const kpca::KernelOptions& kernel : o.kernels)
    if (kernel.name == "precomputed")
      throw mercer::InvalidArgument("--kernel" + kernel.suffix +
                                    " precomputed: a mixture needs samples, whose means and "
                                    "densities it finds");
}

void take_solver(const Texts& texts, Options& o) {
  std::map<std::string, std::string> none;
  texts.solvers.take(o.solver.name, {}, o.solver.settings, none);
  if (texts.rank) o.rank = parse_rank(*texts.rank);
  if (texts.rank && mercer::find_entry(response_solvers(), o.solver.name))
    throw mercer::InvalidArgument("--rank: the basis of the solver " + o.solver.name +
                                  " has no rank to choose");
  const bool iterates = o.solver.name == "block-krylov" || o.solver.name == "lanczos";
  if (iterates && !texts.rank)
    throw mercer::InvalidArgument("--rank: the solver " + o.solver.name +
                                  " needs it: how many functions the basis of a view shall have");
  const bool precomputed =
      o.kernel_x.name == "precomputed" || (o.two_kernels() && o.kernel_y.name == "precomputed");
  const auto* const solver = mercer::find_entry(kpca::solver_entries(), o.solver.name);
  if (solver && solver->evaluates && precomputed)
    throw mercer::InvalidArgument("--solver " + o.solver.name +
                                  ": it evaluates the kernel on samples, and a precomputed one "
                                  "cannot be evaluated; take block-krylov, lanczos or exact");
  if (o.components && !o.rank.is_fraction() && o.rank.count() < *o.components)
    throw mercer::InvalidArgument("--components: " + std::to_string(*o.components) +
                                  " components need bases of at least that --rank, got " +
                                  std::to_string(o.rank.count()));
}

[[nodiscard]] double parse_share(const std::string& text) {
  const auto share = parse_number<double>(text);
  if (!share || !(*share >= 0 && *share < 1))
    throw mercer::InvalidArgument("--holdout: must be at least 0 and less than 1, got '" + text +
                                  "'");
  return *share;
}

}  // namespace

const std::vector<mercer::SolverEntry>& solvers_of_views() {
  static const std::vector<mercer::SolverEntry> chosen = [] {
    std::vector<mercer::SolverEntry> some;
    for (const char* name : {"exact", "nystrom", "block-krylov", "lanczos", "features"})
      some.push_back(mercer::require_entry("solver", kpca::solver_entries(), name));
    return some;
  }();
  return chosen;
}

const std::vector<mercer::TableEntry>& solvers_of_sir() {
  static const std::vector<mercer::TableEntry> all = [] {
    std::vector<mercer::TableEntry> some(solvers_of_views().begin(), solvers_of_views().end());
    some.insert(some.end(), response_solvers().begin(), response_solvers().end());
    return some;
  }();
  return all;
}

Options take(const Texts& texts, Method method) {
  Options o = texts.options;
  o.method = method;
  o.centered = !texts.no_center;
  o.holdout = parse_share(texts.holdout);
  const std::map<std::string, Target> targets = {{"auto", Target::Automatic},
                                                 {"classes", Target::Classes},
                                                 {"slices", Target::Slices},
                                                 {"outputs", Target::Outputs}};
  o.target = targets.at(texts.target);
  if (method == Method::Ica) {
    if (texts.contrast == "kcca") o.contrast = Contrast::Kcca;
    if (texts.sigma) o.sigma = parse_positive("--sigma", *texts.sigma);
    if (texts.regularization)
      o.regularization = parse_positive("--regularization", *texts.regularization);
    return o;
  }
  if (texts.regularization) take_regularization(*texts.regularization, o);
  if (method == Method::Mixture) {
    o.solver.name = texts.mixture_solver;
    take_mixture(texts, o);
  } else {
    take_kernels(texts, o);
  }
  take_solver(texts, o);
  return o;
}

}  // namespace kca
