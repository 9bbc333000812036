// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/options.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/table_options.hpp>
#include <examples/kpca/tables.hpp>

namespace kpca {
namespace {

void require_options_fit_solver(const SolverOptions& o, const mercer::SolverEntry& solver,
                                const KernelOptions& kernel) {
  require_state(o);
  if (solver.evaluates && kernel.name == "precomputed")
    throw mercer::InvalidArgument("--solver " + o.name +
                                  ": it evaluates the kernel on samples, and a precomputed one "
                                  "cannot be evaluated; take block-krylov, lanczos or exact");
  if (!o.state.empty() && kernel.name == "precomputed")
    throw mercer::InvalidArgument("--state: products of a given Gram matrix are not kept");
}

constexpr std::int64_t most = (std::numeric_limits<std::int32_t>::max)();

void add_solver_options(CLI::App& app, SolverOptions& solver, TableOptions& options) {
  add_entry_option(
      app, "-s,--solver", solver.name, solver_entries(),
      described(solver_entries()) + ". report.json says which one auto has picked, and why",
      "Solver")
      ->capture_default_str();
  options.add_to(app);
  app.add_option("--checkpoints", solver.checkpoints,
                 wrapped("Write the iterate Z = U diag(s) U^T after these iterations to "
                         "iterate_<t>_values.npy (s, r) and iterate_<t>_vectors.npy (U, n x r). Z "
                         "tends to the Gram matrix, centred unless --no-center, with eigenvalues "
                         "shrunk by lambda: lambda is not added back, as it is in eigenvalues.npy. "
                         "With --estimator columns, the symmetric part of Z"))
      ->type_name("T1,T2,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(whole_number(1, most))
      ->group(options.group_of("spgd"));
  add_state(app, solver, options);
}

const CLI::Validator positive(
    [](const std::string& text) -> std::string {
      const auto value = parse_number<double>(text);
      if (value && *value > 0 && std::isfinite(*value)) return {};
      return "must be a number greater than 0, got '" + text + "'";
    },
    "");

/// What is cross-validated, beside --sigma cv, and how.
void add_cross_validation_options(CLI::App& app, CrossValidationOptions& options) {
  app.add_option("--select", options.selected,
                 wrapped("Choose these by cross-validation: sigma, as --sigma cv does; components, "
                         "as --components cv does, by --cv-criterion preimages unless another one "
                         "is given; or both together, sigma,components"))
      ->type_name("P1,P2,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"sigma", "components"}))
      ->group("Kernel");
  app.add_option(
         "--cv-criterion", options.criterion,
         wrapped("What a width or number of components that is cv shall make small for samples "
                 "that a fit has not seen, in "
                 "5 folds: feature-space, the variance of the kernel's features that the "
                 "components miss; preimages, the distance of samples to their pre-images (for "
                 "gaussian); labels, what least squares on the scores miss of --labels, "
                 "which are numbers or classes as in pictures, see --label-kind"))
      ->type_name("NAME")
      ->check(one_of({"feature-space", "preimages", "labels"}))
      ->capture_default_str()
      ->group("Kernel");
  app.add_option("--cv-grid", options.grid,
                 wrapped("The widths that cv tries. Default: 13 between an eighth of the median of "
                         "the distances and eight times it"))
      ->type_name("X1,X2,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(positive)
      ->group("Kernel");
  app.add_option("--cv-components", options.counts,
                 wrapped("The numbers of components that --components cv tries. Default: 1 to 10"))
      ->type_name("K1,K2,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(whole_number(1, most))
      ->group("Kernel");
}

/// Makes --sigma and --components cv where --select names them.
/// Throws mercer::InvalidArgument for options that say something else.
void take_selected(const CLI::App& app, TableOptions& kernels,
                   std::optional<std::string>& components, Options& options) {
  for (const std::string& name : options.cross_validation.selected) {
    const std::string asker = "--select " + name;
    if (name == "sigma") {
      kernels.cross_validate(options.kernel.name, name, asker);
      continue;
    }
    if (components && *components != "cv")
      throw mercer::InvalidArgument(asker + ": --components is given too");
    components = "cv";
    if (app.count("--cv-criterion") > 0) continue;
    if (options.kernel.name != "gaussian")
      throw mercer::InvalidArgument(asker +
                                    ": by pre-images, which are for --kernel gaussian, not " +
                                    options.kernel.name + "; take --cv-criterion labels");
    options.cross_validation.criterion = "preimages";
  }
}

/// Throws for a width or a number of components that cannot be cross-validated, or for options of a
/// cross-validation without one.
void require_cross_validation(const CLI::App& app, const Options& options) {
  const std::string parameter = options.kernel.cross_validated();
  const bool components = options.cross_validation.components;
  const auto require_used = [&](const char* name, const char* needs) {
    if (app.count(name) > 0)
      throw mercer::InvalidArgument(std::string(name) + ": nothing is cross-validated; it needs " +
                                    needs);
  };
  if (parameter.empty()) require_used("--cv-grid", "--sigma cv, or --length cv");
  if (!components) require_used("--cv-components", "--components cv");
  if (parameter.empty() && !components)
    return require_used("--cv-criterion", "--sigma cv, --length cv, or --components cv");
  const std::string named =
      parameter.empty() ? "--components cv" : "--" + option_name(parameter) + " cv";
  const std::string& criterion = options.cross_validation.criterion;
  if (components && options.kernel.name == "precomputed")
    throw mercer::InvalidArgument("--components cv: needs samples, not kernel values");
  if (components && criterion == "feature-space")
    throw mercer::InvalidArgument(
        "--components cv: needs --cv-criterion preimages, or labels: in feature space, more "
        "components never miss more");
  if (criterion == "labels" && options.labels.empty() && options.columns.labels.empty())
    throw mercer::InvalidArgument("--cv-criterion labels: needs --labels, or --label-column");
  if (criterion == "preimages" && options.kernel.name != "gaussian")
    throw mercer::InvalidArgument("--cv-criterion preimages: is for --kernel gaussian, not " +
                                  options.kernel.name);
  if (options.weighted())
    throw mercer::InvalidArgument(named + ": chooses without weights; give a number");
  if (options.components && options.components->is_fraction())
    throw mercer::InvalidArgument(named +
                                  ": needs a whole number of --components, as fractions of the "
                                  "variance of different kernels are not comparable");
}

/// Throws for labels to be shown that there are not.
void require_labels(const CLI::App& app, const Options& options) {
  if (app.count("--label-kind") > 0 && options.labels.empty() && options.columns.labels.empty())
    throw mercer::InvalidArgument(
        "--label-kind: there are no labels; it needs --labels, or --label-column");
}

/// Refuses all options beside \p option but those named.
void exclude_all_but(CLI::App& app, CLI::Option* option, const std::vector<std::string>& names) {
  for (CLI::Option* const other : app.get_options({})) {
    const std::string name = other->get_name();
    if (other != option && std::find(names.begin(), names.end(), name) == names.end())
      option->excludes(other);
  }
}

/// What --load takes beside --project.
[[nodiscard]] std::vector<std::string> options_of_load() {
  return {"--columns", "--drop", "--label-column", "--weight-column",
          "--format",  "--out",  "--max-input",    "--threads"};
}

/// With --load and --partial-like the fit is known, and with --partial-out there are no components:
/// refuses all that is about these.
void exclude_options(CLI::App& app) {
  CLI::Option* const load = app.get_option("--load");
  load->needs("--project");
  std::vector<std::string> with_load = options_of_load();
  for (const char* const name : {"--help", "--help-all", "--print", "--version", "--project"})
    with_load.emplace_back(name);
  exclude_all_but(app, load, with_load);
  CLI::Option* const part = app.get_option("--partial-out");
  for (const char* const name :
       {"--labels",      "--weights",     "--weight-column", "--project",   "--save",
        "--load",        "--out",         "--format",        "--pictures",  "--label-kind",
        "--components",  "--standardize", "--scale-only",    "--variables", "--memory-budget",
        "--checkpoints", "--state",       "--cv-criterion",  "--cv-grid",   "--cv-components",
        "--select",      "--verbose"})
    part->excludes(app.get_option(name));
  CLI::Option* const like = app.get_option("--partial-like");
  like->needs(part);
  exclude_all_but(app, like,
                  {"--help", "--help-all", "--print", "--version", "INPUT", "--columns", "--drop",
                   "--label-column", "--partial-out", "--max-input", "--threads"});
  app.get_option("--landmarks-from")->needs(part);
}

/// Throws for a fit whose sums over parts of the rows cannot be merged.
void require_part(const Options& options) {
  const PartOptions& parts = options.parts;
  if (parts.out.empty() || !parts.like.empty() || !parts.merged.empty()) return;
  const SolverOptions& solver = options.solver;
  if (solver.name != "features" && solver.name != "nystrom")
    throw mercer::InvalidArgument(
        "--partial-out: needs --solver features, or nystrom; others do "
        "not work by parts, got " +
        solver.name);
  if (!parts.landmarks.empty() && solver.name != "nystrom")
    throw mercer::InvalidArgument("--landmarks-from: is for --solver nystrom, not " + solver.name);
  if (!parts.landmarks.empty() && solver.settings.contains("landmarks"))
    throw mercer::InvalidArgument("--landmarks: --landmarks-from is given too; it takes all rows");
  for (const char* const name : {"sampling", "trace_tolerance"})
    if (solver.settings.contains(name))
      throw mercer::InvalidArgument(
          "--" + option_name(name) +
          ": landmarks of parts are those of --landmarks-from, or are chosen by rp-cholesky");
  if (const std::string parameter = options.kernel.cross_validated(); !parameter.empty())
    throw mercer::InvalidArgument("--" + option_name(parameter) +
                                  " cv: needs a fit, and --partial-out makes none; give a number");
}

/// Throws for a model to be saved or loaded where that was not compiled in.
void require_archives([[maybe_unused]] const Options& options) {
#if !defined(MERCER_HAS_CEREAL)
  const char* const asked = !options.save.empty()           ? "--save"
                            : !options.load.empty()         ? "--load"
                            : needs_archive(options.solver) ? "--state"
                            : !options.parts.out.empty()    ? "--partial-out"
                            : !options.parts.merged.empty() ? "merge"
                                                            : nullptr;
  if (asked)
    throw mercer::InvalidArgument(
        std::string(asked) +
        ": this kpca was built without the library cereal (Debian package: libcereal-dev)");
#endif
}

[[nodiscard]] ProgramText program_text() {
  return {
      .purpose = "kernel principal component analysis of samples in a file, one per row",
      .usage = "kpca [OPTIONS] INPUT, or kpca merge [OPTIONS] PARTS",
      .examples = {{"kpca iris.csv --labels iris_species.csv --components 3",
                    "The first three components with a Gaussian kernel, and a picture by species."},
                   {"kpca big.npy --kernel poly --degree 2 --solver nystrom --project new.npy",
                    "Of many samples, over landmarks; then the components of new samples."}},
      .brief = {{"--kernel", "gaussian, linear, polynomial, laplacian, matern, ..."},
                {"--sigma", "bandwidth of gaussian: a number, or a percentile of\ndistances"},
                {"--components", "how many, or the fraction of variance to explain"},
                {"--standardize", "bring all columns to one scale first"},
                {"--label-column", "the column of labels, for the colours of the picture"},
                {"--drop", "columns to leave out"},
                {"--project", "new samples to project on the components"},
                {"--out", "the directory of the results, kpca-out by default"},
                {"--save", "keep the model; --load takes it in place of a fit"},
                {"--solver", "auto, exact, block-krylov, nystrom, features, ..."},
                {"--memory-budget", "for example 4GB"},
                {"--threads", "all cores by default"}},
      .see_also = {"kca"}};
}

/// Which columns of the files to take.
void add_column_options(CLI::App& app, Options& options) {
  add_column_choice(app, options.columns);
  app.add_option("--label-column", options.columns.labels,
                 wrapped("The column that holds the labels, in place of --labels"))
      ->type_name("C")
      ->excludes("--labels");
  add_weight_column(app, options.columns);
}

void add_output_options(CLI::App& app, Options& options, std::string& format) {
  app.add_option("--format", format, "Scores, eigenvalues and projected samples as npy or csv")
      ->type_name("NAME")
      ->check(one_of({"npy", "csv"}))
      ->capture_default_str();
  app.add_option("--pictures", options.pictures.names,
                 wrapped("scores, the first two components; scree, the variance of each; pairs, "
                         "all pairs of the first five; or none"))
      ->type_name("P1,P2,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of({"scores", "scree", "pairs", "none"}))
      ->default_str("scores");
  app.add_option("--label-kind", options.pictures.label_kind,
                 wrapped("Labels as classes, each with its colour, or numbers on a scale; auto: a "
                         "scale for more than ten different numbers"))
      ->type_name("NAME")
      ->check(one_of({"auto", "classes", "scale"}))
      ->capture_default_str();
  app.add_flag(
      "--variables", options.variables,
      wrapped("Tell which variables matter: the mean absolute gradients of the components "
              "at the samples, in variables.csv and variables.svg. For gaussian, "
              "rational-quadratic, matern with nu > 1, cauchy, cosine, arc-cosine of order 1 or "
              "2, linear, polynomial, sigmoid, exponential-dot and inverse-dot"));
}

/// Sums over parts of the rows, in place of a fit.
void add_part_options(CLI::App& app, PartOptions& parts) {
  app.add_option("--partial-out", parts.out,
                 wrapped("INPUT is a part of the rows: make no fit, but keep the sums over these "
                         "rows in this file, for kpca merge. Needs --solver features, or nystrom. "
                         "All parts must have the same kernel, features and landmarks: give "
                         "numbers for what follows from the samples, or take --partial-like"))
      ->type_name("PART")
      ->group("Parts");
  app.add_option("--partial-like", parts.like,
                 wrapped("Take kernel, features, landmarks and all else from this part, which may "
                         "be of any rows; those are not summed again"))
      ->type_name("PART")
      ->group("Parts");
  app.add_option("--landmarks-from", parts.landmarks,
                 wrapped("The rows of this file are the landmarks of nystrom. Default: --landmarks "
                         "rows of INPUT, 200 or all if there are fewer"))
      ->type_name("FILE")
      ->group("Parts");
}

/// kpca merge.
CLI::App* add_merge(CLI::App& app, Options& options, std::optional<std::string>& components,
                    std::string& format) {
  CLI::App* const merge =
      app.add_subcommand("merge", "Kernel PCA of all rows, from the parts that --partial-out kept");
  merge->add_option("PARTS", options.parts.merged, "The parts, in any order; no row may be in two")
      ->type_name("")
      ->required();
  merge
      ->add_option("-n,--components", components,
                   wrapped("How many components, or the fraction of variance to explain. Default: "
                           "10, or as many as there can be"))
      ->type_name("K");
  merge->add_option("--save", options.save, "Keep the model in this file")->type_name("MODEL");
  CLI::Option* const part =
      merge
          ->add_option("--partial-out", options.parts.out,
                       wrapped("Make no model, but keep the merged sums as one part"))
          ->type_name("PART");
  add_out(*merge, options, "eigenvalues.npy and report.json");
  merge->add_option("--format", format, "Eigenvalues as npy or csv")
      ->type_name("NAME")
      ->check(one_of({"npy", "csv"}))
      ->capture_default_str();
  for (const char* const name : {"--components", "--save", "--out", "--format"})
    part->excludes(merge->get_option(name));
  add_threads(*merge, options);
  return merge;
}

/// Throws for pictures beside none.
void require_pictures(const PictureOptions& pictures) {
  if (pictures.has("none") && pictures.names.size() > 1)
    throw mercer::InvalidArgument("--pictures: none goes with no other picture");
}

/// Throws for what cannot be told of variables.
void require_variables(const Options& options) {
  if (!options.variables) return;
  if (options.solver.streams)
    throw mercer::InvalidArgument("--variables: the solver " + options.solver.name +
                                  " expands components over features; take another one");
}

/// What was given of a kernel's and of a solver's parameters.
void take_settings(const TableOptions& kernels, const TableOptions& solvers, Options& options) {
  KernelOptions& kernel = options.kernel;
  kernels.take(kernel.name, {}, kernel.settings, kernel.percentiles);
  SolverOptions& solver = options.solver;
  std::map<std::string, std::string> none;
  solvers.take(solver.name,
               {{{"spgd"}, "checkpoints", !solver.checkpoints.empty()},
                {solvers_with_state(), "state", !solver.state.empty()},
                {solvers_with_state_every(), "state-every", solver.state_every.has_value()}},
               solver.settings, none);
  if (const auto t = solver.settings.find("trace_tolerance"); t != solver.settings.end())
    solver.trace_tolerance = std::get<double>(t->second);
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  std::optional<std::string> components;
  std::string precision = "double", format = "npy";
  bool no_center = false, standardize = false, scale = false;

  CLI::App app{
      "Kernel principal component analysis of the samples in a file, one per row.\n"
      "Files: .npy, .npz (also FILE.npz:NAME, and sparse ones of SciPy), .csv, .tsv, .txt, .dat\n"
      "(header line optional; blanks separate too), .mtx (Matrix Market) or .svm (LIBSVM, kept\n"
      "sparse), each also with .gz; .h5 (HDF5, also FILE.h5:GROUP/NAME); - is standard input.\n"
      "Of files with other names, the content tells which of these they are.\n",
      "kpca"};
  describe_program(app);
  app.add_option("INPUT", options.input, "The samples")->type_name("");
  app.add_option("-l,--labels", options.labels,
                 "One label per row (.npy, .npz:NAME, .csv, .svm): the colours of the picture")
      ->type_name("FILE");
  add_weights(app, options.weights);
  add_column_options(app, options);
  app.add_option("-p,--project", options.project, "New samples to project on the components")
      ->type_name("FILE");
  app.add_option("--save", options.save, "Keep the model in this file")->type_name("MODEL");
  app.add_option("--load", options.load,
                 wrapped("Take the model that --save kept: no INPUT and no fit, only projected.npy "
                         "and report.json. Needs --project, and takes " +
                         mercer::enumerated(options_of_load(), " and ")))
      ->type_name("MODEL");
  add_out(app, options,
          "scores.npy, eigenvalues.npy, projected.npy (with --project), report.json, scores.svg, "
          "bandwidth.svg (with --sigma cv) or components.svg (with --components cv), what "
          "--pictures and --variables ask for, and the "
          "iterates of --checkpoints");
  add_output_options(app, options, format);
  app.add_option("-n,--components", components,
                 wrapped("How many components, or the fraction of variance to explain, e.g. 0.95, "
                         "or cv, by cross-validation with --cv-criterion preimages or labels. "
                         "Default: 10, or the number of rows if that is less"))
      ->type_name("K|cv");
  app.add_flag("--no-center", no_center, "Do not subtract the mean in feature space");
  CLI::Option* const standardized = app.add_flag(
      "--standardize", standardize,
      wrapped(
          "Bring each column to mean 0 and standard deviation 1 first; new samples by the same "
          "numbers, which --save keeps. Rows count by their --weights. Columns of one value are "
          "not divided"));
  app.add_flag("--scale-only", scale,
               wrapped("The same without the means, so that sparse samples stay sparse"))
      ->excludes(standardized);
  app.add_option("--precision", precision, "double or single")
      ->type_name("NAME")
      ->check(one_of({"double", "single"}))
      ->capture_default_str();
  add_seed(app, options,
           "of landmarks, features and columns, of vectors to start iterations from, of the order "
           "of samples, of the folds of cv, and for --sigma median of more than 4000 samples");
  add_memory_budget(app, options,
                    "the Gram matrix and the vectors of the solver (nystrom: for the choice of "
                    "landmarks), e.g. 500M or 4G. Default: half of what is free, at most " +
                        std::to_string(mercer::most_memory_by_default >> 30U) +
                        "G. spgd stops when its iterate takes more; default there: half of what "
                        "is free. exact and sparse-likelihood are refused if they need more than "
                        "was given; without the option they take what they need. What --features "
                        "and the --landmarks of nystrom need is not limited: it is shown if it is "
                        "more");
  add_max_input(app, options);
  add_threads(app, options);
  add_verbose(app, options);
  TableOptions kernels("kernel", kernel_entries()), solvers("solver", solver_entries());
  kernels.allow_cross_validation();
  add_kernel_options(app, options.kernel, kernels);
  add_cross_validation_options(app, options.cross_validation);
  add_solver_options(app, options.solver, solvers);
  add_part_options(app, options.parts);
  exclude_options(app);
  const CLI::App* const merge = add_merge(app, options, components, format);
  if (!parse(app, program_text(), {&kernels, &solvers}, argc, argv)) return std::nullopt;
  if (options.input.empty() && options.load.empty() && !*merge)
    throw mercer::InvalidArgument("INPUT is required");
  require_archives(options);
  if (!*merge) take_selected(app, kernels, components, options);
  options.cross_validation.components = components == "cv" && !*merge;
  if (components && !options.cross_validation.components)
    options.components = parse_components(*components);
  options.centered = !no_center;
  if (standardize || scale) options.standardize = {.centered = standardize};
  if (options.standardize && options.kernel.name == "precomputed")
    throw mercer::InvalidArgument(
        std::string(standardize ? "--standardize" : "--scale-only") +
        ": kernel values are no samples; standardise the samples before you compute them");
  options.single_precision = precision == "single";
#if defined(MERCER_DOUBLE_ALONE)
  if (options.single_precision)
    throw mercer::InvalidArgument("--precision single: " + without_single_precision());
#endif
  options.as_csv = format == "csv";
  if (options.input == "-" && options.project == "-")
    throw mercer::InvalidArgument("--project -: standard input is INPUT already");
  take_settings(kernels, solvers, options);
  const mercer::SolverEntry& solver =
      mercer::require_entry("solver", solver_entries(), options.solver.name);
  options.solver.streams = solver.streams;
  require_options_fit_solver(options.solver, solver, options.kernel);
  require_components_fit_solver(options.components, solver);
  require_cross_validation(app, options);
  require_labels(app, options);
  require_pictures(options.pictures);
  require_variables(options);
  require_part(options);
  return options;
}

}  // namespace kpca
