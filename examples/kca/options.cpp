// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kca/options.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kca/option_texts.hpp>
#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/table_options.hpp>
#include <examples/kpca/tables.hpp>

namespace kca {
namespace {

using kpca::wrapped;

constexpr std::int64_t most = (std::numeric_limits<std::int32_t>::max)();

void add_files(CLI::App& app, Texts& texts, const std::string& y) {
  app.add_option("X", texts.options.x, "The samples of the first view, one per row")
      ->type_name("")
      ->required();
  app.add_option("Y", texts.options.y, wrapped(y))->type_name("")->required();
  kpca::add_column_choice(app, texts.options.columns_x);
  kpca::add_column_choice(app, texts.options.columns_y, "-y");
  kpca::add_out(app, texts.options,
                "report.json, scores as .npy (all rows), correlations.csv, the rows held out, and "
                "pictures");
}

void add_components(CLI::App& app, Texts& texts, const std::string& by_default) {
  app.add_option("-n,--components", texts.options.components,
                 wrapped("How many components. Default: " + by_default))
      ->type_name("K")
      ->transform(kpca::whole_number(1, most));
}

/// The tail of all methods that have random choices, and fits of views.
void add_run(CLI::App& app, Texts& texts, const std::string& drawn) {
  kpca::add_seed(app, texts.options, drawn);
  kpca::add_max_input(app, texts.options);
  kpca::add_threads(app, texts.options);
  kpca::add_verbose(app, texts.options);
  kpca::add_memory_budget(app, texts.options, "the fit of each view, e.g. 500M or 4G");
}

void add_common(CLI::App& app, Texts& texts, const std::string& drawn) {
  add_components(app, texts, "10, or as many as there can be");
  add_run(app, texts, drawn);
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
  app.add_option(
         "--holdout", texts.holdout,
         wrapped("Share of the rows to hold out of the fit, e.g. 0.2: what it gives for these "
                 "is what to quote"))
      ->type_name("SHARE");
}

/// The kernel of a later view: \p option is "--kernel-y".
void add_next_kernel(CLI::App& app, const std::string& option, const std::string& view,
                     std::optional<std::string>& name, kpca::TableOptions& parameters) {
  kpca::add_entry_option(app, option, name, kpca::kernel_entries(),
                         "As --kernel, for the " + view +
                             " view. Default: as the first; a bandwidth that is a percentile of "
                             "distances is then one of this view's own samples",
                         parameters.group_of(""));
  parameters.add_to(app);
}

void add_kernels_of_pairs(CLI::App& app, Texts& texts) {
  kpca::add_kernel_options(app, texts.options.kernel_x, texts.kernels_x);
  add_next_kernel(app, "--kernel-y", "second", texts.kernel_y, texts.kernels_y);
}

template <class Entry>
void add_solver(CLI::App& app, Texts& texts, std::string& name, const std::vector<Entry>& table) {
  kpca::add_entry_option(app, "-s,--solver", name, table,
                         "How the basis of a view is found. " + kpca::described(table), "Solver")
      ->capture_default_str();
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
  add_common(app, texts, "of the pairs held out, folds, permutations, landmarks and features");
  add_ridge(app, texts, true);
  add_holdout(app, texts);
  app.add_option("--permutations", texts.options.permutations,
                 wrapped("Also the largest correlation of so many random pairings, e.g. 10: "
                         "components below these are noise"))
      ->type_name("N")
      ->transform(kpca::whole_number(1, most));
  add_kernels_of_pairs(app, texts);
  add_solver(app, texts, texts.options.solver.name, solvers_of_views());
}

void add_svd(CLI::App& app, Texts& texts) {
  add_files(app, texts, "The samples of the second view; rows of X and Y are pairs");
  add_common(app, texts, "of the rows held out, landmarks and features");
  add_holdout(app, texts);
  app.add_flag("--no-center", texts.no_center, "Do not subtract the means in feature space");
  add_kernels_of_pairs(app, texts);
  add_solver(app, texts, texts.options.solver.name, solvers_of_views());
}

void add_sir(CLI::App& app, Texts& texts) {
  add_files(app, texts, "The responses: one label or number, or several numbers, per row");
  app.add_option(
         "--label-column", texts.options.columns_y.labels,
         wrapped("The column of Y that holds the responses, by name, or by number from 1. Y "
                 "may be the file of X, whose samples --columns or --drop choose"))
      ->type_name("C");
  add_common(app, texts, "of the rows held out, landmarks and features");
  add_ridge(app, texts, false);
  app.add_option("--target", texts.target,
                 wrapped("What Y holds: classes, slices (one number, whose range is cut), outputs "
                         "(several numbers), or auto: classes for words and whole numbers, slices "
                         "for one column of other numbers, outputs for several columns"))
      ->type_name("NAME")
      ->check(kpca::one_of({"auto", "classes", "slices", "outputs"}))
      ->capture_default_str();
  app.add_option("--slices", texts.options.slices,
                 "How many slices; equal responses share one. Default: 10")
      ->type_name("N")
      ->transform(kpca::whole_number(2, most));
  add_holdout(app, texts);
  kpca::add_kernel_options(app, texts.options.kernel_x, texts.kernels_x);
  add_solver(app, texts, texts.options.solver.name, solvers_of_sir());
}

void add_ica(CLI::App& app, Texts& texts) {
  Options& o = texts.options;
  app.add_option("X", o.x, "The samples, one per row; the columns are mixtures of the sources")
      ->type_name("")
      ->required();
  kpca::add_column_choice(app, o.columns_x);
  kpca::add_out(
      app, o,
      "report.json, sources.npy (a column each), unmixing.npy, mixing.npy, and a picture. "
      "The sources of more samples are (x - mean) unmixing^T, with the mean of "
      "report.json");
  app.add_option("--contrast", texts.contrast,
                 wrapped("What is made small: kgv, the kernel generalised variance, of all "
                         "canonical correlations of the sources; or kcca, of the first alone"))
      ->type_name("NAME")
      ->check(kpca::one_of({"kgv", "kcca"}))
      ->capture_default_str();
  app.add_option("--sigma", texts.sigma,
                 wrapped("Bandwidth of the Gaussian kernel on each source, whose variance is 1. "
                         "Default: 1 for less than 1000 samples, else 0.5"))
      ->type_name("X");
  app.add_option("--regularization", texts.regularization,
                 wrapped("The ridge c of the contrast. Default: 0.02 for less than 1000 samples, "
                         "else 0.002"))
      ->type_name("C");
  kpca::add_max_input(app, o);
  kpca::add_threads(app, o);
}

void add_mixture(CLI::App& app, Texts& texts) {
  Options& o = texts.options;
  o.views.resize(3);
  app.add_option("X1", o.views[0],
                 wrapped("The first view of the samples, one per row; or one file with the columns "
                         "of this view, then as many of the second, and of the third"))
      ->type_name("")
      ->required();
  app.add_option("X2", o.views[1], wrapped("The second view: measured apart, of the same samples"))
      ->type_name("");
  app.add_option("X3", o.views[2], "The third view")->type_name("");
  kpca::add_column_choice(app, o.columns_x);
  app.add_flag("--exchangeable", o.exchangeable,
               wrapped("A component has the same law in all views, as for three measurements of "
                       "one quantity: they are pooled, and have one kernel"));
  kpca::add_out(app, o,
                "report.json, weights.npy, expectations_1.npy (the mean of each component in view "
                "1, a row each) and so on, densities.csv (of the first coordinate), and a picture "
                "of these. Exchangeable views have expectations.npy instead");
  add_components(app, texts, "as many as there are before the largest gap of the singular values");
  add_run(app, texts, "of landmarks, features, and starts of the tensor power method");
  o.kernels.resize(3);
  kpca::add_kernel_options(app, o.kernels[0], texts.kernels_1);
  add_next_kernel(app, "--kernel-2", "second", texts.kernel_2, texts.kernels_2);
  add_next_kernel(app, "--kernel-3", "third", texts.kernel_3, texts.kernels_3);
  add_solver(app, texts, texts.mixture_solver, solvers_of_views());
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Texts texts;
  CLI::App app{
      "Several views of the same samples: functions of two that belong together, sources that\n"
      "several columns mix, and the components of a mixture.\n"
      "Files: .npy, .npz, .csv, .tsv, .txt, .dat (header line optional), .mtx or .svm (LIBSVM), "
      "each also with .gz; .h5.\n",
      "kca"};
  kpca::describe_program(app);
  struct Mode {
    Method method;
    const char* description;
    void (*add)(CLI::App&, Texts&);
    CLI::App* app = nullptr;
  };
  std::array<Mode, 5> modes = {
      {{Method::Cca,
        "Kernel canonical correlation analysis: functions of X and Y that are correlated most",
        add_cca},
       {Method::Svd,
        "Kernel SVD: functions of X and Y of largest covariance (partial least squares)", add_svd},
       {Method::Sir,
        "Kernel sliced inverse regression: functions of X that tell the responses Y apart",
        add_sir},
       {Method::Ica, "Kernel independent component analysis: the sources that the columns of X mix",
        add_ica},
       {Method::Mixture,
        "A mixture from three views X1 X2 X3: weights, means and densities of its components",
        add_mixture}}};
  for (Mode& mode : modes) {
    mode.app = app.add_subcommand(method_name(mode.method), mode.description);
    mode.add(*mode.app, texts);
  }
  app.footer("kca METHOD --help lists the options of a method.\n" + app.get_footer());
  const kpca::ProgramText text = {
      .purpose = "functions, sources and mixtures of several views of the same samples",
      .usage = "kca METHOD [OPTIONS] FILES",
      .examples = {{"kca cca x.npy y.npy --regularization auto --holdout 0.2",
                    "Functions of two views that are correlated most, judged on held-out rows."},
                   {"kca sir x.csv classes.csv --components 2",
                    "Two functions of the samples that tell their classes apart."}},
      .see_also = {"kpca"}};
  const std::vector<std::string> words(argv + (std::min)(argc, 1), argv + argc);
  const bool mixture = &kpca::method_of(app, words) == modes.back().app;
  const kpca::TableOptions& kernels = mixture ? texts.kernels_1 : texts.kernels_x;
  if (!kpca::parse(app, text, {&kernels, &texts.solvers}, argc, argv)) return std::nullopt;
  for (const Mode& mode : modes)
    if (*mode.app) return take(texts, mode.method);
  throw mercer::InvalidArgument(
      "one of cca, svd, sir, ica and mixture is required; see kca --help");
}

std::string method_name(Method method) {
  switch (method) {
    case Method::Svd:
      return "svd";
    case Method::Sir:
      return "sir";
    case Method::Ica:
      return "ica";
    case Method::Mixture:
      return "mixture";
    case Method::Cca:
      break;
  }
  return "cca";
}

}  // namespace kca
