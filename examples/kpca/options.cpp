// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/options.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/version.hpp>

namespace kpca {
namespace {

/// The name of a kernel or solver, and the options that it has.
struct Entry {
  std::string_view name;
  std::vector<std::string_view> options;
};
using Table = std::vector<Entry>;

const Table& kernel_table() {
  static const Table table = {
      {"linear", {}},
      {"polynomial", {"gamma", "coef0", "degree"}},
      {"gaussian", {"sigma", "gamma"}},
      {"laplacian", {"gamma"}},
      {"cauchy", {"gamma"}},
      {"rational-quadratic", {"alpha", "length"}},
      {"matern", {"nu", "length"}},
      {"sigmoid", {"gamma", "coef0"}},
      {"exponential-dot", {"gamma"}},
      {"inverse-dot", {"gamma"}},
      {"exponential-semigroup", {"beta"}},
      {"reciprocal-semigroup", {"scale"}},
      {"arc-cosine", {"order"}},
      {"cosine", {}},
      {"additive-chi-square", {}},
      {"chi-square", {"gamma"}},
      {"intersection", {}},
      {"precomputed", {}},
  };
  return table;
}

const Table& solver_table() {
  static const Table table = {
      {"auto", {"tolerance"}},
      {"exact", {}},
      {"lanczos", {"tolerance"}},
      {"block-krylov", {"tolerance"}},
      {"nystrom", {"landmarks", "sampling", "trace-tolerance"}},
      {"spgd",
       {"estimator", "features", "lambda", "iterations", "start", "landmarks", "step-offset",
        "max-rank", "checkpoints", "tolerance"}},
      {"kernel-hebbian", {"gain", "step", "epochs", "tolerance"}},
      {"features", {"map", "features"}},
      {"doubly-stochastic",
       {"map", "features", "feature-batch", "data-batch", "epochs", "step", "rule", "state",
        "state-every", "tolerance"}},
      {"dual", {"tolerance", "iterations", "loss", "kappa", "epsilon", "starts"}},
  };
  return table;
}

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> out;
  for (const Entry& entry : table) out.emplace_back(entry.name);
  return out;
}

/// Throws for an option that is given and that \p name, a \p kind in the table, does not have.
void require_own_options(const Table& table, const std::string& kind, const std::string& name,
                         const std::vector<std::pair<std::string_view, bool>>& given) {
  const auto entry =
      std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.name == name; });
  for (const auto& [option, is_given] : given) {
    const auto& own = entry->options;
    if (!is_given || std::find(own.begin(), own.end(), option) != own.end()) continue;
    std::string message = "--" + std::string(option) + ": the " + kind + " " + name + " has ";
    if (own.empty()) message += "no parameters";
    for (std::size_t i = 0; i < own.size(); ++i)
      message += (i > 0 ? ", --" : "no such parameter, only --") + std::string(own[i]);
    throw mercer::InvalidArgument(message);
  }
}

void require_options_fit_kernel(const KernelOptions& o) {
  require_own_options(kernel_table(), "kernel", o.name,
                      {{"sigma", o.sigma.has_value()},
                       {"gamma", o.gamma.has_value()},
                       {"degree", o.degree.has_value()},
                       {"coef0", o.coef0.has_value()},
                       {"alpha", o.alpha.has_value()},
                       {"nu", o.nu.has_value()},
                       {"length", o.length.has_value()},
                       {"beta", o.beta.has_value()},
                       {"scale", o.scale.has_value()},
                       {"order", o.order.has_value()}});
  if (o.sigma && o.gamma)
    throw mercer::InvalidArgument("--gamma: --sigma is given too; the gaussian kernel takes one");
}

void require_options_fit_solver(const SolverOptions& o, const KernelOptions& kernel) {
  require_own_options(solver_table(), "solver", o.name,
                      {{"tolerance", o.tolerance.has_value()},
                       {"landmarks", o.landmarks.has_value()},
                       {"sampling", o.sampling.has_value()},
                       {"trace-tolerance", o.trace_tolerance.has_value()},
                       {"estimator", o.estimator.has_value()},
                       {"features", o.features.has_value()},
                       {"lambda", o.lambda.has_value()},
                       {"iterations", o.iterations.has_value()},
                       {"start", o.start.has_value()},
                       {"step-offset", o.step_offset.has_value()},
                       {"max-rank", o.max_rank.has_value()},
                       {"checkpoints", !o.checkpoints.empty()},
                       {"gain", o.gain.has_value()},
                       {"step", o.step.has_value()},
                       {"epochs", o.epochs.has_value()},
                       {"map", o.map.has_value()},
                       {"rule", o.rule.has_value()},
                       {"feature-batch", o.feature_batch.has_value()},
                       {"data-batch", o.data_batch.has_value()},
                       {"state", !o.state.empty()},
                       {"state-every", o.state_every.has_value()},
                       {"loss", o.loss.has_value()},
                       {"kappa", o.kappa.has_value()},
                       {"epsilon", o.epsilon.has_value()},
                       {"starts", o.starts.has_value()}});
  if (o.state_every && o.state.empty())
    throw mercer::InvalidArgument("--state-every: needs the file of --state");
  const bool evaluates =
      o.name == "nystrom" || o.name == "spgd" || o.name == "kernel-hebbian" || o.streams();
  if (evaluates && kernel.name == "precomputed")
    throw mercer::InvalidArgument("--solver " + o.name +
                                  ": it evaluates the kernel on samples, and a precomputed one "
                                  "cannot be evaluated; take block-krylov, lanczos or exact");
}

void require_components_fit_solver(const std::optional<mercer::Components>& components,
                                   const SolverOptions& o) {
  if (components && components->is_fraction() &&
      (o.name == "kernel-hebbian" || o.name == "doubly-stochastic" || o.name == "dual"))
    throw mercer::InvalidArgument(
        "--components: the solver " + o.name +
        " takes a whole number, not a fraction of variance; take block-krylov or exact");
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A check for CLI11: the empty string, or what is wrong with the value.
CLI::Validator number_check(const std::string& must, bool (*accepts)(double)) {
  const auto check = [must, accepts](const std::string& text) -> std::string {
    const std::optional<double> value = parse_number<double>(text);
    if (value && std::isfinite(*value) && accepts(*value)) return {};
    return "must be " + must + ", got '" + text + "'";
  };
  return CLI::Validator(check, "");
}

const CLI::Validator positive =
    number_check("a number greater than 0", [](double v) { return v > 0; });
const CLI::Validator smoothness =
    number_check("a number greater than 0, at most 50", [](double v) { return v > 0 && v <= 50; });
const CLI::Validator proper_fraction = number_check("a number greater than 0 and less than 1",
                                                    [](double v) { return v > 0 && v < 1; });
const CLI::Validator not_negative =
    number_check("a number of at least 0", [](double v) { return v >= 0; });
const CLI::Validator finite = number_check("a finite number", [](double) { return true; });

CLI::Validator whole_number(std::int64_t from, std::int64_t to) {
  const auto check = [from, to](const std::string& text) -> std::string {
    const auto value = parse_number<std::int64_t>(text);
    if (value && *value >= from && *value <= to) return {};
    return "must be a whole number from " + std::to_string(from) + " to " + std::to_string(to) +
           ", got '" + text + "'";
  };
  return CLI::Validator(check, "");
}

CLI::Validator one_of(std::vector<std::string> known) {
  const auto check = [known](const std::string& text) -> std::string {
    if (std::find(known.begin(), known.end(), text) != known.end()) return {};
    return "unknown value '" + text + "'; known: " + CLI::detail::join(known, ", ");
  };
  return CLI::Validator(check, "");
}

/// A bandwidth: a positive number, "median", or "p" and a percentile.
const CLI::Validator bandwidth(
    [](const std::string& text) -> std::string {
      const std::optional<double> value = parse_number<double>(text);
      if (text == "median" || (value && std::isfinite(*value) && *value > 0)) return {};
      if (text.starts_with('p')) {
        const auto percent = parse_number<double>(std::string_view(text).substr(1));
        if (percent && *percent >= 0 && *percent <= 100) return {};
      }
      return "must be a number greater than 0, 'median' or a percentile 'p0' to 'p100', got '" +
             text + "'";
    },
    "");

/// "20" is a number of components, "0.95" a fraction of the variance.
mercer::Components parse_components(const std::string& text) {
  if (const auto count = parse_number<std::int64_t>(text); count && *count >= 1)
    return mercer::Components(*count);
  if (const auto fraction = parse_number<double>(text); fraction && *fraction > 0 && *fraction <= 1)
    return mercer::Components(*fraction);
  throw mercer::InvalidArgument(
      "--components: must be a whole number from 1, or a fraction of variance such as 0.95, got '" +
      text + "'");
}

/// "4G" and the like: bytes, or multiples of 1024, 1024^2, ... bytes. Empty if it is no such thing.
std::optional<std::size_t> parse_bytes(std::string_view text) {
  constexpr std::string_view suffixes = "KMGT";
  double unit = 1;
  const auto suffix = text.empty() ? std::string_view::npos : suffixes.find(text.back());
  if (suffix != std::string_view::npos) {
    unit = std::ldexp(1.0, 10 * static_cast<int>(suffix + 1));
    text.remove_suffix(1);
  }
  const double bytes = parse_number<double>(text).value_or(0) * unit;
  if (!(bytes >= 1 && bytes < 0x1p63)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

const CLI::Validator byte_size(
    [](const std::string& text) -> std::string {
      if (parse_bytes(text)) return {};
      return "must be a number of bytes, with K, M, G or T for multiples of 1024, got '" + text +
             "'";
    },
    "");

/// The text in lines that fit beside the options' names.
std::string wrapped(std::string text) {
  constexpr std::size_t width = 70;
  std::size_t begin = 0;
  while (text.size() - begin > width) {
    const std::size_t space = text.rfind(' ', begin + width);
    if (space == std::string::npos || space <= begin) break;
    text[space] = '\n';
    begin = space + 1;
  }
  return text;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// Adds options to one group of the help.
auto adder(CLI::App& app, const std::string& group) {
  return [&app, group](const char* name, auto& variable, const char* type,
                       const CLI::Validator& check, const char* help) {
    app.add_option(name, variable, wrapped(help))->type_name(type)->check(check)->group(group);
  };
}

void add_kernel_options(CLI::App& app, KernelOptions& kernel) {
  const std::string group = "Kernel";
  const std::vector<std::string> known = names(kernel_table());
  app.add_option("--kernel", kernel.name, wrapped("One of: " + CLI::detail::join(known, ", ")))
      ->type_name("NAME")
      ->check(one_of(known))
      ->capture_default_str()
      ->group(group);
  const auto add = adder(app, group);
  add("--sigma", kernel.sigma, "S|median|pNN", bandwidth,
      "gaussian exp(-|x-y|^2 / (2 S^2)): a number, the median of the distances between samples "
      "(the default), or a percentile of them, e.g. p20");
  add("--gamma", kernel.gamma, "G", positive,
      "gaussian (in place of --sigma: exp(-G |x-y|^2)), polynomial, laplacian, cauchy, sigmoid, "
      "exponential-dot, inverse-dot, chi-square. Default: 1/d, d the number of columns");
  add("--degree", kernel.degree, "P", whole_number(1, 1000),
      "polynomial (G x.y + C)^P. Default: 3");
  add("--coef0", kernel.coef0, "C", finite, "polynomial, and sigmoid tanh(G x.y + C). Default: 1");
  add("--alpha", kernel.alpha, "A", positive, "rational-quadratic. Default: 1");
  add("--nu", kernel.nu, "NU", smoothness, "matern: smoothness, at most 50. Default: 1.5");
  add("--length", kernel.length, "L|median|pNN", bandwidth,
      "matern, rational-quadratic: the length scale, given as --sigma is. Default: median");
  add("--beta", kernel.beta, "B", positive, "exponential-semigroup. Default: 1/d");
  add("--scale", kernel.scale, "LAMBDA", positive,
      "reciprocal-semigroup, the product of LAMBDA / (x_j + y_j + LAMBDA). Default: 1");
  add("--order", kernel.order, "M", whole_number(0, 2), "arc-cosine. Default: 1");
}

constexpr std::int64_t most = (std::numeric_limits<std::int32_t>::max)();

void add_solver_options(CLI::App& app, SolverOptions& solver) {
  const std::string group = "Solver";
  const std::vector<std::string> known = names(solver_table());
  app.add_option("--solver", solver.name,
                 wrapped("One of: " + CLI::detail::join(known, ", ") +
                         ". auto picks by the number of samples and components; report.json says "
                         "which one ran, and why"))
      ->type_name("NAME")
      ->check(one_of(known))
      ->capture_default_str()
      ->group(group);
  const auto add = adder(app, group);
  add("--tolerance", solver.tolerance, "T", positive,
      "auto, lanczos, block-krylov, kernel-hebbian, dual, spgd, doubly-stochastic: converged when "
      "|K u - mu u| <= T mu_1 for every component; dual with another loss than square: when a step "
      "is T times as long as the dual variable. Default: 1e-6, 1e-2 for kernel-hebbian, 1e-8 for "
      "these losses. spgd and doubly-stochastic are not judged by default, and finished when all "
      "their steps are done");
  add("--landmarks", solver.landmarks, "M", whole_number(1, most),
      "nystrom: samples that components are expanded over, more than there are components; spgd: "
      "those of --start nystrom. Default: max(10 K, 200), or 500 for a fraction of variance");
  add("--sampling", solver.sampling, "NAME", one_of({"uniform", "kmeans", "rp-cholesky", "greedy"}),
      "nystrom: how landmarks are chosen: uniform, kmeans, rp-cholesky or greedy. "
      "Default: rp-cholesky");
  add("--trace-tolerance", solver.trace_tolerance, "T", proper_fraction,
      "nystrom: take more landmarks than M until the approximation has lost at most this part of "
      "the trace");
}

void add_spgd_options(CLI::App& app, SolverOptions& solver) {
  const std::string group = "Solver spgd: stochastic proximal gradient descent";
  const auto add = adder(app, group);
  const std::vector<std::string> estimators = {"random-fourier", "random-maclaurin", "columns",
                                               "symmetric-columns"};
  add("--estimator", solver.estimator, "NAME", one_of(estimators),
      "The random matrices of low rank whose mean is the Gram matrix: random-fourier (gaussian, "
      "laplacian, cauchy, matern, rational-quadratic), random-maclaurin (linear, polynomial, "
      "exponential-dot, inverse-dot), columns, symmetric-columns (any kernel, but much noisier). "
      "Default: the features that fit the kernel, else symmetric-columns");
  add("--features", solver.features, "N", whole_number(1, most),
      "Random features, or columns of the Gram matrix, for each iteration; of the solvers features "
      "and doubly-stochastic, all of them: columns, of which some maps make a few more. Default: "
      "50; 500 for features, 8192 for doubly-stochastic, 500 there if they are not random");
  add("--lambda", solver.lambda, "L", not_negative,
      "How far eigenvalues are shrunk, which keeps the rank low: the components are those with "
      "eigenvalues above L. 0: not at all. Default: chosen from a subsample to leave K of them");
  add("--iterations", solver.iterations, "T", whole_number(1, most),
      "The squared error falls like 1/T. Default: 100. dual: at most T, by default 500 and 1000");
  add("--start", solver.start, "NAME", one_of({"zero", "nystrom"}),
      "The first iterate: zero, or nystrom, the approximation over --landmarks. Default: zero");
  add("--step-offset", solver.step_offset, "T0", not_negative,
      "Of the steps 2 / (t + T0). Default: 0, or what fits the accuracy of --start nystrom");
  add("--max-rank", solver.max_rank, "R", whole_number(1, most),
      "Cut the iterate to this rank after every iteration. Default: all that exceeds lambda");
  app.add_option("--checkpoints", solver.checkpoints,
                 wrapped("Write the iterate Z = U diag(s) U^T after these iterations to "
                         "iterate_<t>_values.npy (s, r) and iterate_<t>_vectors.npy (U, n x r). Z "
                         "tends to the Gram matrix, centred unless --no-center, with eigenvalues "
                         "shrunk by lambda: lambda is not added back, as it is in eigenvalues.npy. "
                         "With --estimator columns, the symmetric part of Z"))
      ->type_name("T1,T2,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(whole_number(1, most))
      ->group(group);
}

void add_hebbian_options(CLI::App& app, SolverOptions& solver) {
  const auto add = adder(app, "Solver kernel-hebbian: the kernel Hebbian algorithm");
  add("--gain", solver.gain, "NAME", one_of({"constant", "inverse-time", "et", "et-star", "smd"}),
      "How steps change: constant, inverse-time, et or et-star (in inverse proportion to the "
      "estimated eigenvalue as well), smd (et-star with stochastic meta-descent). Default: "
      "et-star");
  add("--step", solver.step, "ETA0", positive,
      "The first step, for a Gram matrix scaled to a mean diagonal entry of 1. Default: 0.05 for "
      "constant, 0.5 for inverse-time, 4 for et, 0.2 for et-star and smd; for doubly-stochastic "
      "found from the first samples");
  add("--epochs", solver.epochs, "N", whole_number(1, most),
      "Passes over the samples. Default: 50; 1 for doubly-stochastic, or more where that makes few "
      "steps");
}

void add_stream_options(CLI::App& app, SolverOptions& solver) {
  const std::string group =
      "Solvers features and doubly-stochastic: random features, .npy files of any size read piece "
      "by "
      "piece";
  const auto add = adder(app, group);
  app.add_option(
         "--map", solver.map,
         wrapped("The features, which must fit the kernel: exact (linear, cosine), random-fourier, "
                 "random-fourier-phase, quasi-random-fourier (gaussian, laplacian, cauchy, "
                 "matern, rational-quadratic), orthogonal-fourier, fastfood (gaussian, matern, "
                 "rational-quadratic), tensor-sketch (polynomial), random-maclaurin (polynomial, "
                 "exponential-dot, inverse-dot, linear), random-laplace, quasi-random-laplace "
                 "(exponential-semigroup, reciprocal-semigroup), arc-cosine, additive "
                 "(additive-chi-square, intersection), additive-threshold (intersection), "
                 "homogeneous (as additive), chi-square, nystrom (any kernel; not random, over N "
                 "samples). Default: the first of these that fits, but for nystrom"))
      ->type_name("NAME")
      ->group(group);
  add("--rule", solver.rule, "NAME", one_of({"oja", "gha"}),
      "oja finds the span of the components, gha each by itself. Default: oja");
  add("--feature-batch", solver.feature_batch, "N", whole_number(2, most),
      "Features that are drawn together, of maps that are random. Default: 128");
  add("--data-batch", solver.data_batch, "N", whole_number(2, most),
      "Samples in a step. Default: 512");
  app.add_option("--state", solver.state,
                 wrapped("doubly-stochastic: keep the state of the fit in this file; if it is "
                         "there, the fit goes on from it, to the same bits. The samples and all "
                         "options must be those of the run that wrote it; what was read of the "
                         "samples is read again to check that"))
      ->type_name("FILE")
      ->group(group);
  add("--state-every", solver.state_every, "N", whole_number(1, most),
      "Steps after which the state is written. Default: 100");
}

/// Help without the lists of options that need or exclude each other: the texts say so.
struct Help : CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string all = CLI::Formatter::make_option_opts(option);
    return all.substr(0, (std::min)(all.find(" Needs:"), all.find(" Excludes:")));
  }
};

/// With --load there is no fit: refuses all that is about one.
void exclude_options_of_fit(CLI::App& app) {
  CLI::Option* const load = app.get_option("--load");
  load->needs("--project");
  for (CLI::Option* const option : app.get_options({})) {
    const std::string name = option->get_name();
    if (name == "--help" || name == "--version" || name == "--load" || name == "--project" ||
        name == "--out" || name == "--threads")
      continue;
    load->excludes(option);
  }
}

/// Throws for a model to be saved or loaded where that was not compiled in.
void require_archives([[maybe_unused]] const Options& options) {
#if !defined(MERCER_HAS_CEREAL)
  const char* const asked = !options.save.empty()           ? "--save"
                            : !options.load.empty()         ? "--load"
                            : !options.solver.state.empty() ? "--state"
                                                            : nullptr;
  if (asked)
    throw mercer::InvalidArgument(
        std::string(asked) +
        ": this kpca was built without the library cereal (Debian package: libcereal-dev)");
#endif
}

void add_dual_options(CLI::App& app, SolverOptions& solver) {
  const auto add = adder(app, "Solver dual: robust and sparse components by the dual");
  add("--loss", solver.loss, "NAME",
      one_of({"square", "huber-l2", "huber-l1", "eps-l2", "eps-linf", "eps-l1"}),
      "square is kernel PCA; huber: outliers do not pull the components; eps: few samples carry "
      "them (with --no-center). Of norms of rows of scores, or of their entries (huber-l1, "
      "eps-linf). Default: square");
  add("--kappa", solver.kappa, "K", positive,
      "huber: scores beyond K count linearly. Needed for these");
  add("--epsilon", solver.epsilon, "E", not_negative,
      "eps: scores up to E count as zero. Needed for these");
  add("--starts", solver.starts, "N", whole_number(1, most),
      "Random starts, of which the best is kept: for all losses but square. Default: 1");
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  std::optional<std::string> components, memory_budget;
  std::string precision = "double";
  bool no_center = false;

  CLI::App app{
      "Kernel principal component analysis of the samples in a file, one per row.\n"
      "Files: .npy, .csv, .tsv, .txt (header line optional) or .svm (LIBSVM, kept sparse), each "
      "also with .gz.\n",
      "kpca"};
  app.set_version_flag("--version", MERCER_VERSION_STRING);
  app.formatter(std::make_shared<Help>());
  app.get_formatter()->column_width(26);
  app.add_option("INPUT", options.input, "The samples")->type_name("");
  app.add_option("--labels", options.labels,
                 "One label per row (.npy, .csv): the colours of the picture")
      ->type_name("FILE");
  app.add_option("--project", options.project, "New samples to project on the components")
      ->type_name("FILE");
  app.add_option("--save", options.save, "Keep the model in this file")->type_name("MODEL");
  app.add_option("--load", options.load,
                 wrapped("Take the model that --save kept: no INPUT and no fit, only projected.npy "
                         "and report.json. Needs --project, and takes --out and --threads"))
      ->type_name("MODEL");
  app.add_option("--out", options.out,
                 wrapped("Where the results go: scores.npy, eigenvalues.npy, projected.npy (with "
                         "--project), report.json, scores.svg, and the iterates of --checkpoints"))
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--components", components,
                 wrapped("How many components, or the fraction of variance to explain, e.g. 0.95. "
                         "Default: 10, or the number of rows if that is less"))
      ->type_name("K");
  app.add_flag("--no-center", no_center, "Do not subtract the mean in feature space");
  app.add_option("--precision", precision, "double or single")
      ->type_name("NAME")
      ->check(one_of({"double", "single"}))
      ->capture_default_str();
  app.add_option(
         "--seed", options.seed,
         wrapped("Seed of random choices: of landmarks, features and columns, of vectors to "
                 "start iterations from, of the order of samples, and for --sigma median of more "
                 "than 4000 samples"))
      ->type_name("N")
      ->check(whole_number(0, (std::numeric_limits<std::int64_t>::max)()))
      ->capture_default_str();
  app.add_option(
         "--memory-budget", memory_budget,
         wrapped("Bytes for the Gram matrix and the vectors of the solver (nystrom: for the choice "
                 "of landmarks), e.g. 500M or 4G. Default: half of what is free, at most 3G. spgd "
                 "stops when its iterate takes more; default there: half of what is free"))
      ->type_name("SIZE")
      ->check(byte_size);
  app.add_option("--threads", options.threads, "Default: all cores, which are also the most")
      ->type_name("T")
      ->check(whole_number(1, 1024));
  add_kernel_options(app, options.kernel);
  add_solver_options(app, options.solver);
  add_spgd_options(app, options.solver);
  add_hebbian_options(app, options.solver);
  add_stream_options(app, options.solver);
  add_dual_options(app, options.solver);
  exclude_options_of_fit(app);
  app.footer(
      "Exit status: 0 converged or finished, 2 something wrong with options or files, 3 not "
      "converged.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answered) {
    app.exit(answered);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw mercer::InvalidArgument(one_line(error.what()));
  }
  if (options.input.empty() && options.load.empty())
    throw mercer::InvalidArgument("INPUT is required");
  require_archives(options);
  if (components) options.components = parse_components(*components);
  options.centered = !no_center;
  options.single_precision = precision == "single";
  if (memory_budget) options.memory_budget = parse_bytes(*memory_budget);
  require_options_fit_kernel(options.kernel);
  require_options_fit_solver(options.solver, options.kernel);
  require_components_fit_solver(options.components, options.solver);
  return options;
}

}  // namespace kpca
