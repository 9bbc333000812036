// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca-mpi: kernel PCA of a file whose rows are spread over processes, on one machine or on many:
///
///   mpirun -np 4 kpca-mpi samples.npy --components 20 --out results
///
/// The results have the same bits for any number of processes. Kernels, solvers and their options
/// are those of kpca, as far as the solvers work over processes.

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/text.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/solvers.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/nystrom/greedy_cholesky.hpp>
#include <mercer/solvers/nystrom/kmeans_landmarks.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>
#include <mercer/solvers/nystrom/sequential_greedy.hpp>
#include <mercer/solvers/nystrom/weighted_landmarks.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/run_options.hpp>
#include <examples/kpca/separate_files.hpp>
#include <examples/kpca/table_options.hpp>

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

  std::string input, project, save;
  kpca::KernelOptions kernel;
  std::string solver = "block-krylov";
  mercer::Settings settings;  ///< of the solver
  Index components = 2;
  bool no_center = false, single = false, plain_sums = false;

  [[nodiscard]] RowSums sums() const { return plain_sums ? RowSums::Plain : RowSums::OrderFree; }
};

/// The solvers of kpca whose rows may be spread.
const std::vector<mercer::SolverEntry>& spread_solvers() {
  static const std::vector<mercer::SolverEntry> entries = [] {
    std::vector<mercer::SolverEntry> some;
    for (const char* name : {"block-krylov", "lanczos", "nystrom"})
      some.push_back(mercer::require_entry("solver", kpca::solver_entries(), name));
    return some;
  }();
  return entries;
}

/// Nothing after a question, such as --help.
std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app("Kernel PCA of samples whose rows are spread over processes", "kpca-mpi");
  kpca::TableOptions parameters("kernel", kpca::kernel_entries());
  kpca::TableOptions solvers("solver", spread_solvers());
  app.add_option("INPUT", o.input,
                 kpca::wrapped("The samples, one per row, in a .npy file. Each process reads its "
                               "own rows"))
      ->type_name("")
      ->required();
  kpca::add_out(app, o, "eigenvalues.npy, scores.npy, and projected.npy with --project");
  app.add_option("-n,--components", o.components, "How many")
      ->type_name("K")
      ->check(kpca::whole_number(1, 1000000))
      ->capture_default_str();
  app.add_option("--project", o.project,
                 kpca::wrapped("Also the scores of the samples in this .npy file"))
      ->type_name("FILE");
  app.add_option("--save", o.save,
                 kpca::wrapped("Also the model, as kpca --save writes it. All samples come to "
                               "process 0 for it"))
      ->type_name("FILE");
  kpca::add_kernel_options(app, o.kernel, parameters);
  kpca::add_entry_option(app, "-s,--solver", o.solver, spread_solvers(),
                         kpca::described(spread_solvers()), "Solver")
      ->capture_default_str();
  solvers.add_to(app);
  app.add_flag("--no-center", o.no_center, "Do not subtract the mean in feature space");
  app.add_flag("--float", o.single, "Single precision");
  app.add_flag("--plain-sums", o.plain_sums,
               kpca::wrapped("Add in floating point. A few per cent faster, but the last digits "
                             "depend on the number of processes"));
  kpca::add_seed(app, o, "of the start, of landmarks, and of samples for a default bandwidth");
  kpca::add_threads(app, o);
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
  solvers.take(o.solver, {}, o.settings, none);
  return o;
}

/// What each process has sent and waited for, on process 0.
void print_processes(const MpiProcesses& processes, double seconds) {
  const auto size = static_cast<std::size_t>(processes.size());
  const auto rank = static_cast<std::size_t>(processes.rank());
  std::vector<double> sent(size, 0), waiting(size, 0);
  sent[rank] = static_cast<double>(processes.traffic().bytes_sent);
  waiting[rank] = processes.traffic().seconds_waiting;
  processes.sum(sent);
  processes.sum(waiting);
  if (rank != 0) return;
  std::printf("\nprocess   sent [MB]   waiting [s]   computing [s]\n");
  for (std::size_t p = 0; p < size; ++p)
    std::printf("%7zu %11.3f %13.3f %15.3f\n", p, sent[p] / 1e6, waiting[p],
                (std::max)(0.0, seconds - waiting[p]));
}

template <Real S, class Solver>
int run(const Options& o, const Solver& solver, const MpiProcesses& processes) {
  const bool first = processes.rank() == 0;
  const kpca::ResultDirectory directory(
      o.out,
      o.project.empty()
          ? std::vector<std::string>{"eigenvalues.npy", "scores.npy"}
          : std::vector<std::string>{"eigenvalues.npy", "scores.npy", "projected.npy"},
      {});
  std::optional<kpca::KernelChoice> choice;
  mercer::detail::together(processes, [&] {
    std::vector<kpca::NamedFile> inputs{{"INPUT " + o.input, o.input}};
    if (!o.project.empty()) inputs.push_back({"--project " + o.project, o.project});
    kpca::require_separate(inputs, directory.named_files());
    // All processes draw the same rows, so they choose the same bandwidth.
    choice = kpca::make_kernel<S>(o.kernel, kpca::sample_of_file<S>(o.input, o.seed), o.seed);
    if (first) directory.prepare();
    if (first && !o.save.empty()) kpca::require_writable(o.save, "--save");
  });
  const auto samples = mercer::io::read_npy_spread<S>(processes, o.input, o.sums());
  const mercer::KernelPca pca(choice->kernel, solver,
                              {.components = o.components, .centered = !o.no_center});
  const auto model = mercer::fit_spread(pca, samples);
  const mercer::Report& report = model.report();

  if (model.components() > 0) {
    mercer::detail::together(processes, [&] {
      if (first) mercer::io::write_npy(directory.path("eigenvalues.npy"), model.eigenvalues());
    });
    mercer::io::write_npy_spread(processes, directory.path("scores.npy"), model.training_scores());
    if (!o.project.empty()) {
      const auto queries = mercer::io::read_npy_spread<S>(processes, o.project, o.sums());
      mercer::io::write_npy_spread(processes, directory.path("projected.npy"),
                                   model.transform(queries));
    }
#if defined(MERCER_HAS_CEREAL)
    if (!o.save.empty()) {
      const auto whole = model.gather();
      mercer::detail::together(processes, [&] {
        if (whole) mercer::io::write_archive(o.save, *whole);
      });
    }
#endif
  }
  if (first) {
    std::printf("%s: %lld samples of dimension %lld\nkernel %s%s\nsolver %s: %s\n\n",
                mercer::io::printable(o.input).c_str(), static_cast<long long>(report.samples),
                static_cast<long long>(report.dimension),
                kpca::describe(*choice, o.kernel.name).c_str(), o.no_center ? " (not centred)" : "",
                describe_solver(report).c_str(), report.reason.c_str());
    std::printf("component     eigenvalue   explained\n");
    for (Index i = 0; i < model.components(); ++i)
      std::printf("%9lld %14.6g %9.2f %%\n", static_cast<long long>(i + 1),
                  static_cast<double>(model.eigenvalues()(i)),
                  100 * static_cast<double>(model.eigenvalues()(i)) / report.trace);
    std::printf("\n%s in %.3g s", std::string(to_string(report.status)).c_str(),
                report.fit_seconds);
    if (report.iterations > 0)
      std::printf(", %lld products", static_cast<long long>(report.iterations));
    if (const auto* nystrom = std::get_if<mercer::NystromDetails>(&report.details))
      std::printf(", the landmarks leave out %.3g %% of the trace",
                  100 * nystrom->trace_error / report.trace);
    std::printf("\nwritten to %s\n", directory.list(false).c_str());
  }
  print_processes(processes, report.fit_seconds);
  if (model.components() == 0)
    throw InvalidArgument(o.input + ": no component has variance: the samples are all the same");
  return kpca::succeeded(report.status) ? kpca::exit_success : kpca::exit_not_converged;
}

template <Real S, class Selector>
int run_nystrom(const Options& o, const Selector& selector, const mercer::NystromParams& params,
                const MpiProcesses& processes) {
  return run<S>(o, mercer::Nystrom(selector, params), processes);
}

template <Real S>
int run(const Options& o, const MpiProcesses& processes) {
  const mercer::SolverEntry& entry = mercer::require_entry("solver", spread_solvers(), o.solver);
  const mercer::Arguments given(entry.name, entry.parameters, o.settings);
  if (o.solver == "nystrom") {
    mercer::NystromParams params{.seed = o.seed};
    given.set("landmarks", params.landmarks);
    given.set("trace_tolerance", params.trace_tolerance);
    const std::string& sampling = given.word("sampling");
    if (sampling == "uniform") return run_nystrom<S>(o, mercer::Uniform{}, params, processes);
    if (sampling == "kmeans")
      return run_nystrom<S>(o, mercer::KMeansLandmarks{}, params, processes);
    if (sampling == "greedy") return run_nystrom<S>(o, mercer::GreedyCholesky{}, params, processes);
    if (sampling == "sequential")
      return run_nystrom<S>(o, mercer::SequentialGreedy{}, params, processes);
    if (sampling == "diagonal")
      return run_nystrom<S>(o, mercer::DiagonalSampling{}, params, processes);
    if (sampling == "column-norms")
      return run_nystrom<S>(o, mercer::ColumnNormSampling{}, params, processes);
    return run_nystrom<S>(o, mercer::RpCholesky{}, params, processes);
  }
  const double tolerance = given.number("tolerance");
  if (o.solver == "lanczos")
    return run<S>(o, mercer::Lanczos({.tolerance = tolerance, .seed = o.seed}), processes);
  return run<S>(o, mercer::BlockKrylov({.tolerance = tolerance, .seed = o.seed}), processes);
}

}  // namespace

int main(int argc, char** argv) {
  mercer::mpi::Session session(argc, argv);
  return session.run([&](const MpiProcesses& processes) -> int {
    // One process speaks.
    if (processes.rank() != 0 && std::freopen("/dev/null", "w", stdout) == nullptr)
      throw std::runtime_error("kpca-mpi: cannot open /dev/null");
    try {
      const std::optional<Options> options = parse_options(argc, argv);
      if (!options) return kpca::exit_success;
#if !defined(MERCER_HAS_CEREAL)
      if (!options->save.empty())
        throw InvalidArgument("--save: this kpca-mpi was built without cereal");
#endif
      kpca::take_threads("kpca-mpi", *options);
#if defined(MERCER_DOUBLE_ALONE)
      if (options->single) throw InvalidArgument("--float: " + kpca::without_single_precision());
#else
      if (options->single) return run<float>(*options, processes);
#endif
      return run<double>(*options, processes);
    } catch (const InvalidArgument& error) {
      // It may quote a file.
      throw InvalidArgument("kpca-mpi: " + mercer::io::printable(error.what()));
    }
  });
}
