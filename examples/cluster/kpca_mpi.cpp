// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca-mpi: kernel PCA of a file whose rows are spread over processes, on one machine or on many:
///
///   mpirun -np 4 kpca-mpi samples.npy --components 20 --out results
///
/// The results have the same bits for any number of processes. Kernels, solvers and their options
/// are those of kpca, as far as the solvers work over processes: spread_solvers() lists them.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/random_order.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/sample_weights.hpp>
#include <mercer/estimators/estimator.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/io/samples.hpp>
#include <mercer/io/samples_spread.hpp>
#include <mercer/io/text.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_auto.hpp>
#include <mercer/models/spread/spread_exact.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/models/spread/spread_spgd.hpp>
#include <mercer/models/spread/spread_stochastic.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/solvers.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/fit_state.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/kernel_code.hpp>
#include <examples/kpca/landmark_choice.hpp>
#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/report_file.hpp>
#include <examples/kpca/report_json.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/separate_files.hpp>
#include <examples/kpca/shortfall.hpp>
#include <examples/kpca/solver_choice.hpp>
#include <examples/kpca/table_options.hpp>
#include <examples/support/phase_table.hpp>
#include <examples/support/start_settings.hpp>

#if defined(MERCER_HAS_CEREAL)
#include <mercer/io/archive.hpp>
#endif

namespace {

using mercer::Index;
using mercer::InvalidArgument;
using mercer::Real;
using mercer::RowSums;
using mercer::mpi::MpiProcesses;

struct Options : kpca::RunOptions {
  Options() { out = "kpca-mpi-out"; }

  std::string input, weights, project, save;
  mercer::io::ColumnChoice columns;  ///< of tables
  kpca::KernelOptions kernel;
  kpca::SolverOptions solver;
  std::optional<mercer::Components> components;
  bool no_center = false, single = false, plain_sums = false, stream = false;

  /// Where the weights of the samples are; empty if they have none.
  [[nodiscard]] std::string weights_option() const {
    if (!weights.empty()) return "--weights " + weights;
    return columns.weights.empty() ? std::string() : "--weight-column " + columns.weights;
  }

  [[nodiscard]] RowSums sums() const { return plain_sums ? RowSums::Plain : RowSums::OrderFree; }
};

/// The solvers of kpca whose rows may be spread.
const std::vector<mercer::SolverEntry>& spread_solvers() {
  static const std::vector<mercer::SolverEntry> entries = [] {
    std::vector<mercer::SolverEntry> some;
    for (const char* name : {"auto", "exact", "lanczos", "block-krylov", "dual", "nystrom", "spgd",
                             "features", "doubly-stochastic"})
      some.push_back(mercer::require_entry("solver", kpca::solver_entries(), name));
    return some;
  }();
  return entries;
}

/// Whether fit_spread() takes this one of the solvers that need samples.
template <class T>
inline constexpr bool takes_spread =
    mercer::SpreadOrSharedSolver<T> || std::same_as<T, mercer::Exact> ||
    std::same_as<T, mercer::Auto>;
template <class L>
inline constexpr bool takes_spread<mercer::Nystrom<L>> = true;
template <class E>
inline constexpr bool takes_spread<mercer::Spgd<E>> = mercer::SpreadEstimator<E>;

/// Throws for --stream of what is no stream.
void require_streamable(const Options& o) {
  if (!o.stream) return;
  const auto refuse = [](const std::string& why) { throw InvalidArgument("--stream: " + why); };
  if (o.solver.name != "features" && o.solver.name != "doubly-stochastic")
    refuse("the solver " + o.solver.name +
           " needs all samples in memory; features and doubly-stochastic do not");
  if (!kpca::is_streamable(o.input) || !o.columns.is_all())
    refuse("is for all columns of a .npy file, not for " + o.input);
}

/// Nothing after a question, such as --help.
std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  std::optional<std::string> components;
  CLI::App app("Kernel PCA of samples whose rows are spread over processes", "kpca-mpi");
  kpca::TableOptions parameters("kernel", kpca::kernel_entries());
  kpca::TableOptions solvers("solver", spread_solvers());
  app.add_option(
         "INPUT", o.input,
         kpca::wrapped("The samples, one per row: .npy, .csv, .tsv, .txt, .dat, or .svm and "
                       ".libsvm (kept sparse). Each process reads a part of the file"))
      ->type_name("")
      ->required();
  kpca::add_weights(app, o.weights);
  kpca::add_column_choice(app, o.columns);
  kpca::add_weight_column(app, o.columns);
  kpca::add_out(app, o,
                "eigenvalues.npy, scores.npy, report.json, and projected.npy with --project");
  app.add_option("-n,--components", components,
                 kpca::wrapped("How many, or the fraction of variance to explain, e.g. 0.95. "
                               "Default: 2, or the number of rows if that is less"))
      ->type_name("K");
  app.add_option("-p,--project", o.project,
                 kpca::wrapped("Also the scores of the samples in this file"))
      ->type_name("FILE");
  app.add_option("--save", o.save,
                 kpca::wrapped("Also the model, as kpca --save writes it. All samples come to "
                               "process 0 for it"))
      ->type_name("FILE");
  kpca::add_kernel_options(app, o.kernel, parameters);
  kpca::add_entry_option(app, "-s,--solver", o.solver.name, spread_solvers(),
                         kpca::described(spread_solvers()), "Solver")
      ->capture_default_str();
  solvers.add_to(app);
  kpca::add_state(app, o.solver, solvers, true);
  app.add_flag("--no-center", o.no_center, "Do not subtract the mean in feature space");
  app.add_flag("--float", o.single, "Single precision");
  app.add_flag("--stream", o.stream,
               kpca::wrapped("With --solver features or doubly-stochastic: read INPUT, a .npy "
                             "file, in pieces, for samples that do not fit into memory. With "
                             "doubly-stochastic, each process reads all of it in each pass"));
  app.add_flag("--plain-sums", o.plain_sums,
               kpca::wrapped("Add in floating point. A few per cent faster, but the last digits "
                             "depend on the number of processes"));
  kpca::add_seed(app, o,
                 "of the start, of landmarks and features, of the order of samples, and of samples "
                 "for a default bandwidth");
  kpca::add_memory_budget(app, o,
                          "what a process holds beside its samples: for exact, all samples and the "
                          "Gram matrix on process 0. Default: half of what is free, at most " +
                              std::to_string(mercer::most_memory_by_default >> 30U) + "G");
  kpca::add_max_input(app, o);
  kpca::add_threads(app, o);
  kpca::add_verbose(app, o);
  kpca::describe_program(app);
  const kpca::ProgramText text = {
      .purpose = "kernel PCA over processes",
      .usage = "mpirun -np P kpca-mpi [OPTIONS] INPUT",
      .examples = {{"mpirun -np 4 kpca-mpi samples.npy -n 20", "20 components on four processes"},
                   {"mpirun -np 4 kpca-mpi samples.npy -n 20 -s nystrom --landmarks 2000",
                    "Of many samples, over landmarks"}}};
  if (!kpca::parse(app, text, {&parameters, &solvers}, argc, argv)) return std::nullopt;
  parameters.take(o.kernel.name, {}, o.kernel.settings, o.kernel.percentiles);
  std::map<std::string, std::string> none;
  solvers.take(
      o.solver.name,
      {{kpca::solvers_with_state(true), "state", !o.solver.state.empty()},
       {kpca::solvers_with_state_every(true), "state-every", o.solver.state_every.has_value()}},
      o.solver.settings, none);
  kpca::require_state(o.solver);
  if (components) o.components = kpca::parse_components(*components);
  kpca::require_components_fit_solver(
      o.components, mercer::require_entry("solver", spread_solvers(), o.solver.name));
  require_streamable(o);
  if (o.kernel.name == "precomputed")
    throw InvalidArgument(
        "--kernel precomputed: a Gram matrix has no samples to spread; take kpca for it");
  return o;
}

/// What each process has sent and waited for in a fit, on all processes.
struct Work {
  std::vector<double> sent, waiting, computing;  ///< bytes, seconds, seconds
};

/// \param seconds  of the fit
[[nodiscard]] Work work_of_all(const MpiProcesses& processes, const mercer::mpi::Traffic& mine,
                               double seconds) {
  const auto size = static_cast<std::size_t>(processes.size());
  const auto rank = static_cast<std::size_t>(processes.rank());
  Work work{std::vector<double>(size, 0), std::vector<double>(size, 0), {}};
  work.sent[rank] = static_cast<double>(mine.bytes_sent);
  work.waiting[rank] = mine.seconds_waiting;
  processes.sum(work.sent);
  processes.sum(work.waiting);
  for (const double waiting : work.waiting)
    work.computing.push_back((std::max)(0.0, seconds - waiting));
  return work;
}

void print(const Work& work) {
  std::printf("\nprocess   sent [MB]   waiting [s]   computing [s]\n");
  for (std::size_t p = 0; p < work.sent.size(); ++p)
    std::printf("%7zu %11.3f %13.3f %15.3f\n", p, work.sent[p] / 1e6, work.waiting[p],
                work.computing[p]);
}

/// Samples of a file, of \p dimension columns unless it is 0.
/// \param from_zero  indices of LIBSVM's format count from 0, even if none is 0
template <Real S>
[[nodiscard]] mercer::io::SpreadSampleTable<S> read_samples(const Options& o,
                                                            const std::string& path,
                                                            Index dimension, bool from_zero,
                                                            const MpiProcesses& processes) {
  mercer::io::ColumnChoice columns = o.columns;
  columns.may_miss = dimension > 0;
  auto table = mercer::io::read_sample_table_spread<S>(
      processes, path,
      {.dimension = dimension, .columns = std::move(columns), .indices_from_zero = from_zero},
      o.sums());
  // Only .npy files, whose samples are dense, can hold what is not finite.
  if (const auto* x = std::get_if<mercer::SpreadRows<mercer::Matrix<S>>>(&table.samples))
    x->rows().together([&] { kpca::require_finite(path, x->local(), x->rows().first()); });
  if (processes.rank() == 0) kpca::tell_of_names(path, table.column_names, "kpca-mpi");
  return table;
}

using Weights = std::optional<mercer::SpreadRows<mercer::Matrix<double>>>;

/// The weights of the samples, which have been read, or their file is; nothing if they have none.
[[nodiscard]] Weights take_weights(const Options& o, Weights of_column, Index samples,
                                   const MpiProcesses& processes) {
  const bool own_file = !o.weights.empty();
  Weights weights =
      own_file ? Weights(mercer::io::read_weights_spread(processes, o.weights, samples, o.sums()))
               : std::move(of_column);
  if (weights)
    static_cast<void>(mercer::detail::largest_weight((own_file ? o.weights : o.input) + ": ",
                                                     weights->rows(), weights->local().col(0)));
  return weights;
}

/// The samples of --project, in the form of the others; nothing without the option.
/// \param dimension  of the samples
/// \param input  what else is known of these
template <class X>
[[nodiscard]] std::optional<mercer::SpreadRows<X>> read_fresh(
    const Options& o, Index dimension, const kpca::SampleFile<typename X::Scalar>& input,
    const MpiProcesses& processes) {
  using S = typename X::Scalar;
  if (o.project.empty()) return std::nullopt;
  auto fresh =
      read_samples<S>(o, o.project, dimension, input.indices_from_zero.value_or(false), processes);
  mercer::detail::together(processes, [&] {
    kpca::require_same_columns<S>({.path = o.project,
                                   .samples = {},
                                   .column_names = std::move(fresh.column_names),
                                   .indices_from_zero = fresh.indices_from_zero},
                                  input);
  });
  if (auto* const same = std::get_if<mercer::SpreadRows<X>>(&fresh.samples))
    return std::move(*same);
  const mercer::io::Samples<S> mine =
      std::visit([](const auto& x) -> mercer::io::Samples<S> { return x.local(); }, fresh.samples);
  return mercer::SpreadRows<X>::from_parts(processes, kpca::in_form<X>(mine), o.sums());
}

/// Gives samples that were drawn the weights of their rows. Collective.
/// \param rows  their numbers
template <Real S>
void take_weights_of(const mercer::SpreadRows<mercer::Matrix<double>>& weights,
                     const std::vector<Index>& rows, kpca::SampleFile<S>& drawn) {
  const mercer::Matrix<double> taken =
      mercer::detail::take_rows(weights.rows(), weights.local(), rows);
  drawn.weights.assign(taken.data(), taken.data() + taken.size());
  drawn.numbers.clear();  // of rows that weights belong to: now they are those of the samples
}

/// Some of the rows, drawn at random, on all processes.
template <class X>
[[nodiscard]] kpca::SampleFile<typename X::Scalar> drawn_rows(const Options& o,
                                                              const mercer::SpreadRows<X>& samples,
                                                              const Weights& weights) {
  constexpr Index most = 4000;
  const Index n = samples.rows().total();
  const mercer::detail::RandomOrder order(n, o.seed, "kpca-mpi rows", 0);
  std::vector<Index> few;
  for (Index i = 0; i < (std::min)(n, most); ++i) few.push_back(order(i));
  kpca::SampleFile<typename X::Scalar> file{
      o.input, mercer::detail::take_rows(samples.rows(), samples.local(), few), n};
  if (weights) take_weights_of(*weights, few, file);
  return file;
}

/// What was made of the options and some rows of the input, the same on all processes.
struct Task {
  kpca::ResultDirectory directory;
  kpca::KernelChoice kernel;
  kpca::SolverChoice solver;
  mercer::Components components;
};

/// The files that the run reads, each with its option.
[[nodiscard]] std::vector<kpca::NamedFile> files_read(const Options& o) {
  std::vector<kpca::NamedFile> inputs{{"INPUT " + o.input, o.input}};
  if (!o.weights.empty()) inputs.push_back({"--weights " + o.weights, o.weights});
  if (!o.project.empty()) inputs.push_back({"--project " + o.project, o.project});
  return inputs;
}

/// Where results go.
[[nodiscard]] kpca::ResultDirectory result_directory(const Options& o) {
  std::vector<std::string> files{"eigenvalues.npy", "scores.npy", "report.json"};
  if (!o.project.empty()) files.push_back("projected.npy");
  kpca::ResultDirectory directory(o.out, files, {});
  std::vector<kpca::NamedFile> outputs = directory.named_files();
  if (!o.save.empty()) outputs.push_back({"--save " + o.save, o.save});
  if (!o.solver.state.empty()) outputs.push_back({"--state " + o.solver.state, o.solver.state});
  kpca::require_separate(files_read(o), outputs);
  return directory;
}

/// Checks the options, and makes the directory of the results.
/// \param drawn  some rows, the same on all processes: so they choose the same bandwidth and
///   landmarks
/// \tparam X  the form of the samples
template <class X, Real S = typename X::Scalar>
[[nodiscard]] Task make_task(const Options& o, const kpca::SampleFile<S>& drawn,
                             const MpiProcesses& processes) {
  std::optional<Task> task;
  mercer::detail::together(processes, [&] {
    kpca::ResultDirectory directory = result_directory(o);
    const kpca::KernelChoice kernel = kpca::make_kernel<S>(o.kernel, drawn, o.seed);
    if (!kernel.kernel.template takes<X>())
      throw InvalidArgument(o.input + ": the samples are sparse, and the kernel " +
                            kernel.kernel.describe() +
                            " takes dense ones only; give them as .npy or .csv");
    constexpr Index by_default = 2;
    const mercer::Components components =
        kpca::components_for(o.components, by_default, drawn.rows(), o.input);
    const auto landmarks = [&](Index count) {
      return kpca::choose_landmarks(kernel.kernel, drawn, count, o.seed);
    };
    const kpca::SolverChoice solver = kpca::make_solver(o.solver, {.kernel = kernel.kernel,
                                                                   .components = components,
                                                                   .samples = drawn.rows(),
                                                                   .dimension = drawn.columns(),
                                                                   .seed = o.seed,
                                                                   .landmarks = landmarks});
    if (!drawn.weights.empty()) kpca::require_weights_taken(solver, o.solver, o.weights_option());
    if (processes.rank() == 0) {
      directory.prepare();
      if (!o.save.empty()) kpca::require_writable(o.save, "--save");
      if (kpca::needs_archive(o.solver)) kpca::require_writable(o.solver.state, "--state");
    }
    task.emplace(Task{std::move(directory), kernel, solver,
                      kpca::with_bound(components, o.components.has_value(), solver)});
  });
  return std::move(*task);
}

/// A model that has rows on each process; others are the same on all of them.
template <class Model>
concept SpreadModel = requires(const Model& model) {
  model.gather();
};

/// Scores of samples, the rows of this process.
template <class Model, class X>
[[nodiscard]] auto scores_of(const Model& model, const mercer::SpreadRows<X>& samples) {
  if constexpr (SpreadModel<Model>)
    return model.transform(samples);
  else
    return model.transform(samples.local());
}

/// The model to be archived, on process 0.
template <class Model>
[[nodiscard]] auto whole_model(const Model& model, [[maybe_unused]] bool first) {
  if constexpr (SpreadModel<Model>)
    return model.gather();
  else
    return first ? std::optional<Model>(model) : std::nullopt;
}

/// Whether the model goes into a file.
template <class Model>
[[nodiscard]] bool saves(const Options& o, const Model& model) {
  return !o.save.empty() && model.eigenvalues().size() > 0;
}

/// Writes all results but the report and the scores of new samples.
/// \param scores  of the samples, the rows of this process
template <class Model, Real S>
void write([[maybe_unused]] const Options& o, const kpca::ResultDirectory& directory,
           const Model& model, const mercer::Matrix<S>& scores, const MpiProcesses& processes) {
  const bool first = processes.rank() == 0;
  mercer::detail::together(processes, [&] {
    if (first) mercer::io::write_npy(directory.path("eigenvalues.npy"), model.eigenvalues());
  });
  mercer::io::write_npy_spread(processes, directory.path("scores.npy"), scores);
#if defined(MERCER_HAS_CEREAL)
  if (saves(o, model)) {
    const auto whole = whole_model(model, first);
    mercer::detail::together(processes, [&] {
      if (whole) mercer::io::write_archive(o.save, *whole);
    });
  }
#endif
}

/// Projects the new samples, and writes their scores. Throws mercer::InvalidArgument if some are
/// not finite. Collective.
template <class Model, class X>
void write_projected(const Options& o, const kpca::ResultDirectory& directory, const Model& model,
                     const mercer::SpreadRows<X>& fresh, const MpiProcesses& processes) {
  const mercer::Matrix<typename X::Scalar> projected = scores_of(model, fresh);
  mercer::detail::together(processes, [&] {
    if (!projected.allFinite())
      throw InvalidArgument(o.project +
                            ": the kernel's values overflow, so there are no projected samples; "
                            "scale the samples or the kernel down");
  });
  mercer::io::write_npy_spread(processes, directory.path("projected.npy"), projected);
}

/// Says what was found.
template <class Model>
void print(const Options& o, const Task& task, const Model& model) {
  const mercer::Report& report = model.report();
  std::printf(
      "%s: %lld samples of dimension %lld\nkernel %s%s\nsolver %s: %s\n\n",
      mercer::io::printable(o.input).c_str(), static_cast<long long>(report.samples),
      static_cast<long long>(report.dimension), kpca::describe(task.kernel, o.kernel.name).c_str(),
      o.no_center ? " (not centred)" : "", describe_solver(report).c_str(), report.reason.c_str());
  std::printf("component     eigenvalue   explained\n");
  for (Index i = 0; i < model.eigenvalues().size(); ++i)
    std::printf("%9lld %14.6g %9.2f %%\n", static_cast<long long>(i + 1),
                static_cast<double>(model.eigenvalues()(i)),
                100 * static_cast<double>(model.eigenvalues()(i)) / report.trace);
  std::printf("\n%s in %.3g s", std::string(to_string(report.status)).c_str(), report.fit_seconds);
  if (report.iterations > 0)
    std::printf(", %lld %s", static_cast<long long>(report.iterations),
                report.kernel_products > 0 ? "products" : "steps");
  if (const auto* nystrom = std::get_if<mercer::NystromDetails>(&report.details))
    std::printf(", the landmarks leave out %.3g %% of the trace",
                100 * nystrom->trace_error / report.trace);
  std::printf("\n");
  std::optional<double> largest;
  if (model.eigenvalues().size() > 0) largest = static_cast<double>(model.eigenvalues()(0));
  for (const std::string& text :
       {kpca::large_residual(report, largest), kpca::beyond_budget(report, o.memory_budget)})
    if (!text.empty()) std::printf("%s\n", text.c_str());
  if (o.verbose) examples::print_phases(report.phases, report.fit_seconds);
  std::printf("written to %s\n", task.directory.list(false).c_str());
}

/// The report, as kpca has it, and the work of each process.
template <class Model>
[[nodiscard]] kpca::Json report_json(const Options& o, const Task& task, const Model& model,
                                     const Work& work) {
  const mercer::Report& report = model.report();
  kpca::Json json;
  json["mercer_version"] = MERCER_VERSION_STRING;
  json["input"] = mercer::io::printable(o.input);
  kpca::add_solver(json, report, o.solver.name);
  kpca::add_settings(json, task.solver);
  json["phases"] = kpca::phases_json(report.phases);
  kpca::add_kernel(json, task.kernel, o.kernel.name, report);
  kpca::add_request(json, task.components, report);
  json["n"] = report.samples;
  json["d"] = report.dimension;
  json["components"] = report.components;
  json["centered"] = !o.no_center;
  using S = typename Model::Scalar;
  const mercer::Vector<S> ratio = model.eigenvalues() / static_cast<S>(report.trace);
  kpca::add_components<S>(json, model.eigenvalues(), ratio, report);
  kpca::add_machine(json);
  json["seed"] = o.seed;
  json["sums"] = o.plain_sums ? "plain" : "order-free";
  json["processes"] = kpca::Json::array();
  for (std::size_t p = 0; p < work.sent.size(); ++p)
    json["processes"].push_back({{"bytes_sent", work.sent[p]},
                                 {"seconds_waiting", work.waiting[p]},
                                 {"seconds_computing", work.computing[p]}});
  if (!o.project.empty()) json["project"] = mercer::io::printable(o.project);
  if (!o.weights_option().empty())
    json["weights"] = mercer::io::printable(o.weights.empty() ? o.columns.weights : o.weights);
  if (saves(o, model)) json["model"] = mercer::io::printable(o.save);
  return json;
}

/// Calls \p fit_model, which makes a model, and writes all results. Once for each type of model:
/// what is here does not depend on the solver.
/// \param scores  returns those of the samples for a model, the rows of this process
template <class X, class Fit, class Scores>
int fit(const Options& o, const Task& task, const std::optional<mercer::SpreadRows<X>>& fresh,
        const MpiProcesses& processes, const Fit& fit_model, const Scores& scores) {
  mercer::mpi::Traffic traffic = processes.traffic();
  const auto model = [&] {
    try {
      return kpca::in_context(o.input, [&] { return kpca::resuming(o.solver.state, fit_model); });
    } catch (const mercer::BudgetTooSmall& error) {
      throw InvalidArgument(o.input + ": " + kpca::in_option_words(error, o.solver.name));
    }
  }();
  traffic = {.bytes_sent = processes.traffic().bytes_sent - traffic.bytes_sent,
             .seconds_waiting = processes.traffic().seconds_waiting - traffic.seconds_waiting};
  const mercer::Report& report = model.report();
  const Index found = model.eigenvalues().size();
  kpca::require_components(report, found, {.path = o.input, .centered = !o.no_center});
  write(o, task.directory, model, scores(model), processes);
  const Work work = work_of_all(processes, traffic, report.fit_seconds);
  const bool first = processes.rank() == 0;
  mercer::detail::together(processes, [&] {
    if (!first) return;
    kpca::write_report(task.directory, report_json(o, task, model, work), files_read(o));
  });
  if (fresh) write_projected(o, task.directory, model, *fresh, processes);
  if (first) {
    print(o, task, model);
    print(work);
  }
  if (kpca::succeeded(report.status)) return kpca::exit_success;
  std::optional<double> largest;
  if (found > 0) largest = static_cast<double>(model.eigenvalues()(0));
  if (first)
    std::fprintf(
        stderr, "kpca-mpi: %s\n",
        mercer::io::printable(
            kpca::shortfall(report, largest, kpca::tolerance(task.solver.solver), o.solver))
            .c_str());
  return kpca::exit_not_converged;
}

/// The settings of kernel PCA.
[[nodiscard]] mercer::KernelPcaParams pca_params(const Options& o, const Task& task) {
  return {.components = task.components,
          .centered = !o.no_center,
          .memory_budget = o.memory_budget.value_or(0),
          .record = task.solver.record};
}

/// Throws, on all processes, for new samples that the kernel cannot have.
template <class X>
void check_fresh(const Options& o, const Task& task,
                 const std::optional<mercer::SpreadRows<X>>& fresh) {
  if (fresh)
    kpca::in_context(o.project, [&] {
      mercer::detail::require_spread_samples("SpreadPcaModel::transform", task.kernel.kernel,
                                             *fresh);
    });
}

/// Fits to a .npy file that is read in pieces.
template <Real S>
int run_on_stream(const Options& o, const MpiProcesses& processes) {
  using X = mercer::Matrix<S>;
  std::optional<mercer::io::NpyStream<S>> file;
  std::optional<kpca::SampleFile<S>> drawn;
  mercer::detail::together_on_file(processes, [&] {
    file.emplace(o.input);
    drawn = kpca::sample_of_file<S>(o.input, o.seed);
  });
  const Weights weights = take_weights(o, {}, file->rows(), processes);
  if (weights) take_weights_of(*weights, drawn->numbers, *drawn);
  const auto fresh = read_fresh<X>(o, file->dimension(), {}, processes);
  const Task task = make_task<X>(o, *drawn, processes);
  check_fresh(o, task, fresh);
  const mercer::RowSpace rows = mercer::RowSpace::spread(file->rows(), processes, o.sums());
  const auto scores = [&](const auto& model) {
    constexpr Index piece = 16384;
    X all(rows.local(), model.components());
    mercer::detail::together_on_file(processes, [&] {
      for (Index begin = 0; begin < all.rows(); begin += piece) {
        X samples((std::min)(piece, all.rows() - begin), file->dimension());
        file->seek({0, rows.first() + begin});
        static_cast<void>(file->read(samples));
        all.middleRows(begin, samples.rows()) = model.transform(samples);
      }
    });
    return all;
  };
  const auto fit_with = [&](const auto& solver) {
    const mercer::KernelPca pca(task.kernel.kernel, solver, pca_params(o, task));
    if constexpr (requires { mercer::fit_spread(pca, processes, *file, *weights); })
      if (weights) return mercer::fit_spread(pca, processes, *file, *weights);
    return mercer::fit_spread(pca, processes, *file, o.sums());
  };
  const auto& solver = std::get<mercer::AnyFeatureSolver>(task.solver.solver);
  return fit(
      o, task, fresh, processes, [&] { return std::visit(fit_with, solver.choice()); }, scores);
}

/// \param input  what else is known of the samples
template <class X>
int run_on(const Options& o, const mercer::SpreadRows<X>& samples,
           const kpca::SampleFile<typename X::Scalar>& input, const Weights& weights,
           const MpiProcesses& processes) {
  // All checks of the input come before the fit.
  const auto fresh = read_fresh<X>(o, samples.cols(), input, processes);
  const Task task = make_task<X>(o, drawn_rows(o, samples, weights), processes);
  check_fresh(o, task, fresh);
  const auto fit_with = [&](const auto& solver) {
    const mercer::KernelPca pca(task.kernel.kernel, solver, pca_params(o, task));
    return weights ? mercer::fit_spread(pca, samples, *weights) : mercer::fit_spread(pca, samples);
  };
  using Model = mercer::SpreadPcaModel<mercer::AnyKernel, X>;
  const auto fit_if_spread = [&]<class T>(const T& solver) -> Model {
    if constexpr (takes_spread<T>)
      return fit_with(solver);
    else
      throw InvalidArgument("--solver " + o.solver.name +
                            ": does not work over processes with these options");
  };
  const auto scores = [&](const auto& model) {
    if constexpr (SpreadModel<std::remove_cvref_t<decltype(model)>>)
      return model.training_scores();
    else
      return scores_of(model, samples);
  };
  return std::visit(
      [&]<class Any>(const Any& any) {
        const auto fit_model = [&] {
          if constexpr (std::same_as<Any, mercer::AnyKernelSolver>)
            return std::visit(fit_if_spread, any.choice());
          else
            return std::visit(fit_with, any.choice());
        };
        return fit(o, task, fresh, processes, fit_model, scores);
      },
      task.solver.solver);
}

/// Throws if a launcher has started several programs of one process each, which do not know of one
/// another and would write the same files.
void require_started_together(const MpiProcesses& processes) {
  if (processes.size() > 1) return;
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"}) {
    const char* const tasks = std::getenv(name);
    if (tasks == nullptr || std::strtol(tasks, nullptr, 10) <= 1) continue;
    throw InvalidArgument(std::string(name) + " says that there are " + tasks +
                          " processes, and this one knows of none but itself: it was built for "
                          "another MPI, or srun needs --mpi=pmix");
  }
}

/// All options as they were given.
[[nodiscard]] std::string words_of(int argc, char** argv) {
  std::string words;
  for (int i = 1; i < argc; ++i) words.append(i > 1 ? " " : "").append(argv[i]);
  return words;
}

template <Real S>
int run(const Options& o, const MpiProcesses& processes) {
  // Before the input is read.
  mercer::detail::together(processes, [&] { static_cast<void>(result_directory(o)); });
  if (o.stream) return run_on_stream<S>(o, processes);
  auto input = read_samples<S>(o, o.input, 0, false, processes);
  const kpca::SampleFile<S> known{.path = o.input,
                                  .samples = {},
                                  .column_names = input.column_names,
                                  .indices_from_zero = input.indices_from_zero};
  return std::visit(
      [&](const auto& samples) {
        const Weights weights =
            take_weights(o, std::move(input.weights), samples.rows().total(), processes);
        return run_on(o, samples, known, weights, processes);
      },
      input.samples);
}

}  // namespace

int main(int argc, char** argv) {
  examples::start_with_settings(argv);
  mercer::mpi::Session session(argc, argv);
  return session.run([&](const MpiProcesses& processes) -> int {
    // One process speaks.
    if (processes.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
      throw std::runtime_error("kpca-mpi: cannot open /dev/null");
    try {
      require_started_together(processes);
      std::optional<Options> options;
      mercer::detail::together(processes, [&] { options = parse_options(argc, argv); });
      // Before the first message that depends on an option.
      mercer::detail::require_same(processes, "options", words_of(argc, argv));
      if (!options) return kpca::exit_success;
#if !defined(MERCER_HAS_CEREAL)
      if (!options->save.empty() || kpca::needs_archive(options->solver))
        throw InvalidArgument("--save, --state: this kpca-mpi was built without cereal");
#endif
      kpca::take_threads("kpca-mpi", *options);
      kpca::take_max_input(*options);
#if defined(MERCER_DOUBLE_ALONE)
      if (options->single) throw InvalidArgument("--float: " + kpca::without_single_precision());
#else
      if (options->single) return run<float>(*options, processes);
#endif
      return run<double>(*options, processes);
    } catch (const InvalidArgument& error) {
      // It may quote a file.
      throw InvalidArgument("kpca-mpi: " + mercer::io::printable(kpca::in_words(error.what())));
    } catch (const std::bad_alloc&) {
      throw InvalidArgument("kpca-mpi: not enough memory");
    }
  });
}
