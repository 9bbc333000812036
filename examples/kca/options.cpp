// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/options.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/table_options.hpp>
#include <examples/kpca/tables.hpp>

namespace kca {
namespace {

using kpca::parse_number;
using kpca::wrapped;

constexpr std::int64_t most = (std::numeric_limits<std::int32_t>::max)();

/// The solvers whose components are eigenfunctions, and exact enough to be a basis.
const std::vector<mercer::SolverEntry>& solvers_of_views() {
  static const std::vector<mercer::SolverEntry> chosen = [] {
    std::vector<mercer::SolverEntry> some;
    for (const char* name : {"exact", "nystrom", "block-krylov", "lanczos", "features"})
      some.push_back(mercer::require_entry("solver", kpca::solver_entries(), name));
    return some;
  }();
  return chosen;
}

/// The options as texts, until all of them are known.
struct Texts {
  Texts() { options.solver.name = "exact"; }

  Options options;
  std::optional<std::string> kernel_y, rank, regularization, memory_budget;
  std::string holdout = "0", target = "auto";
  bool no_center = false;
  kpca::TableOptions kernels_x{"kernel", kpca::kernel_entries()};
  kpca::TableOptions kernels_y{"kernel", kpca::kernel_entries(), "-y"};
  kpca::TableOptions solvers{"solver", solvers_of_views()};
};

void add_files(CLI::App& app, Texts& texts, const std::string& y) {
  app.add_option("X", texts.options.x, "The samples of the first view, one per row")
      ->type_name("")
      ->required();
  app.add_option("Y", texts.options.y, wrapped(y))->type_name("")->required();
  app.add_option("--out", texts.options.out,
                 wrapped("Where the results go: report.json, scores as .npy (all rows), "
                         "correlations.csv, the rows held out, and pictures"))
      ->type_name("DIR")
      ->capture_default_str();
}

void add_common(CLI::App& app, Texts& texts) {
  Options& o = texts.options;
  app.add_option("--components", o.components,
                 wrapped("How many components. Default: 10, or as many as there can be"))
      ->type_name("K")
      ->check(kpca::whole_number(1, most));
  app.add_option("--seed", o.seed,
                 wrapped("Seed of random choices: of the pairs held out, folds, permutations, "
                         "landmarks and features"))
      ->type_name("N")
      ->check(kpca::whole_number(0, (std::numeric_limits<std::int64_t>::max)()))
      ->capture_default_str();
  app.add_option("--threads", o.threads, "Default: all cores, which are also the most")
      ->type_name("T")
      ->check(kpca::whole_number(1, 1024));
  app.add_option("--memory-budget", texts.memory_budget,
                 "Bytes for the fit of each view, e.g. 500M or 4G")
      ->type_name("SIZE")
      ->check(kpca::byte_size());
}

void add_ridge(CLI::App& app, Texts& texts, bool automatic) {
  app.add_option(
         "--regularization", texts.regularization,
         wrapped(std::string("The ridge, relative to the variance in feature space. Without "
                             "one, correlations are 1 whatever the data are. Default: 1/n") +
                 (automatic ? "; better: auto, by cross-validation" : "")))
      ->type_name(automatic ? "EPS|auto" : "EPS");
}

void add_holdout(CLI::App& app, Texts& texts) {
  app.add_option("--holdout", texts.holdout,
                 wrapped("Share of the pairs to hold out of the fit, e.g. 0.2: their correlations "
                         "are the ones to quote"))
      ->type_name("SHARE");
}

void add_kernels(CLI::App& app, Texts& texts) {
  Options& o = texts.options;
  app.add_option("--kernel", o.kernel_x.name, wrapped(kpca::described(kpca::kernel_entries())))
      ->type_name("NAME")
      ->check(kpca::one_of(mercer::names(kpca::kernel_entries())))
      ->capture_default_str()
      ->group("Kernel");
  texts.kernels_x.add_to(app);
}

void add_second_kernel(CLI::App& app, Texts& texts) {
  app.add_option(
         "--kernel-y", texts.kernel_y,
         wrapped("As --kernel, for the second view. Default: as the first; a bandwidth that "
                 "is a median is then that of the second view's own samples"))
      ->type_name("NAME")
      ->check(kpca::one_of(mercer::names(kpca::kernel_entries())))
      ->group(texts.kernels_y.group_of(""));
  texts.kernels_y.add_to(app);
}

void add_solver(CLI::App& app, Texts& texts) {
  app.add_option(
         "--solver", texts.options.solver.name,
         wrapped("How the basis of a view is found. " + kpca::described(solvers_of_views())))
      ->type_name("NAME")
      ->check(kpca::one_of(mercer::names(solvers_of_views())))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--rank", texts.rank,
                 wrapped("Functions in the basis of a view: a number, or the fraction of variance "
                         "that they explain, e.g. 0.99. block-krylov and lanczos need it. Default: "
                         "all"))
      ->type_name("R")
      ->group("Solver");
  texts.solvers.add_to(app);
}

void add_cca(CLI::App& app, Texts& texts) {
  add_files(app, texts, "The samples of the second view; rows of X and Y are pairs");
  add_common(app, texts);
  add_ridge(app, texts, true);
  add_holdout(app, texts);
  app.add_option("--permutations", texts.options.permutations,
                 wrapped("Also the largest correlation of so many random pairings, e.g. 10: "
                         "components below these are noise"))
      ->type_name("N")
      ->check(kpca::whole_number(1, most));
  add_kernels(app, texts);
  add_second_kernel(app, texts);
  add_solver(app, texts);
}

void add_svd(CLI::App& app, Texts& texts) {
  add_files(app, texts, "The samples of the second view; rows of X and Y are pairs");
  add_common(app, texts);
  add_holdout(app, texts);
  app.add_flag("--no-center", texts.no_center, "Do not subtract the means in feature space");
  add_kernels(app, texts);
  add_second_kernel(app, texts);
  add_solver(app, texts);
}

void add_sir(CLI::App& app, Texts& texts) {
  add_files(app, texts, "The responses: one label or number, or several numbers, per row");
  add_common(app, texts);
  add_ridge(app, texts, false);
  app.add_option("--target", texts.target,
                 wrapped("What Y holds: classes, slices (one number, whose range is cut), outputs "
                         "(several numbers), or auto: classes for words and whole numbers, slices "
                         "for one column of other numbers, outputs for several columns"))
      ->type_name("NAME")
      ->check(kpca::one_of({"auto", "classes", "slices", "outputs"}))
      ->capture_default_str();
  app.add_option("--slices", texts.options.slices, "How many slices")
      ->type_name("N")
      ->check(kpca::whole_number(2, most))
      ->capture_default_str();
  add_kernels(app, texts);
  add_solver(app, texts);
}

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

void take_kernels(const Texts& texts, Options& o) {
  texts.kernels_x.take(o.kernel_x.name, {}, o.kernel_x.settings, o.kernel_x.percentiles);
  o.kernel_y.suffix = "-y";
  o.kernel_y.name = texts.kernel_y.value_or(o.kernel_x.name);
  texts.kernels_y.take(o.kernel_y.name, {}, o.kernel_y.settings, o.kernel_y.percentiles);
  complete(o.kernel_x, o.kernel_y);
}

void take_solver(const Texts& texts, Options& o) {
  std::map<std::string, std::string> none;
  texts.solvers.take(o.solver.name, {}, o.solver.settings, none);
  if (texts.rank) o.rank = parse_rank(*texts.rank);
  const auto& solver = mercer::require_entry("solver", kpca::solver_entries(), o.solver.name);
  const bool iterates = o.solver.name == "block-krylov" || o.solver.name == "lanczos";
  if (iterates && !texts.rank)
    throw mercer::InvalidArgument("--rank: the solver " + o.solver.name +
                                  " needs it: how many functions the basis of a view shall have");
  const bool precomputed =
      o.kernel_x.name == "precomputed" || (o.two_kernels() && o.kernel_y.name == "precomputed");
  if (solver.evaluates && precomputed)
    throw mercer::InvalidArgument("--solver " + o.solver.name +
                                  ": it evaluates the kernel on samples, and a precomputed one "
                                  "cannot be evaluated; take block-krylov, lanczos or exact");
  if (o.components && !o.rank.is_fraction() && o.rank.count() < *o.components)
    throw mercer::InvalidArgument("--components: " + std::to_string(*o.components) +
                                  " components need bases of at least that --rank, got " +
                                  std::to_string(o.rank.count()));
}

[[nodiscard]] Options take(const Texts& texts, Method method) {
  Options o = texts.options;
  o.method = method;
  o.centered = !texts.no_center;
  const auto share = parse_number<double>(texts.holdout);
  if (!share || !(*share >= 0 && *share < 1))
    throw mercer::InvalidArgument("--holdout: must be at least 0 and less than 1, got '" +
                                  texts.holdout + "'");
  o.holdout = *share;
  if (texts.regularization) take_regularization(*texts.regularization, o);
  if (texts.memory_budget) o.memory_budget = kpca::parse_bytes(*texts.memory_budget);
  const std::map<std::string, Target> targets = {{"auto", Target::Automatic},
                                                 {"classes", Target::Classes},
                                                 {"slices", Target::Slices},
                                                 {"outputs", Target::Outputs}};
  o.target = targets.at(texts.target);
  take_kernels(texts, o);
  take_solver(texts, o);
  return o;
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Texts texts;
  CLI::App app{
      "Functions of two views that belong together: samples in two files whose rows are pairs.\n"
      "Files: .npy, .csv, .tsv, .txt (header line optional) or .svm (LIBSVM), each also with "
      ".gz.\n",
      "kca"};
  app.set_version_flag("--version", MERCER_VERSION_STRING);
  kpca::set_help_format(app);
  CLI::App* const cca = app.add_subcommand(
      "cca",
      "Kernel canonical correlation analysis: functions of X and Y that are correlated most");
  CLI::App* const svd = app.add_subcommand(
      "svd", "Kernel SVD: functions of X and Y of largest covariance (partial least squares)");
  CLI::App* const sir = app.add_subcommand(
      "sir", "Kernel sliced inverse regression: functions of X that tell the responses Y apart");
  add_cca(*cca, texts);
  add_svd(*svd, texts);
  add_sir(*sir, texts);
  app.footer(
      "kca METHOD --help lists the options of a method.\n"
      "Exit status: 0 converged or finished, 2 something wrong with options or files, 3 not "
      "converged.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {
    app.exit(answered);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw mercer::InvalidArgument(kpca::one_line(error.what()));
  }
  if (!*cca && !*svd && !*sir)
    throw mercer::InvalidArgument("one of cca, svd and sir is required; see kca --help");
  return take(texts, *cca ? Method::Cca : *svd ? Method::Svd : Method::Sir);
}

}  // namespace kca
