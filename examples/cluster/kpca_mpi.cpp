// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca-mpi: kernel PCA of a file whose rows are spread over processes, on one machine or on many:
///
///   mpirun -np 4 kpca-mpi samples.npy --components 20 --out results
///
/// The results have the same bits for any number of processes. Kernels and their options are those
/// of kpca.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/text.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread_pca.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>

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
  Index components = 2;
  double tolerance = 1e-6;
  bool no_center = false, single = false, plain_sums = false;

  [[nodiscard]] RowSums sums() const { return plain_sums ? RowSums::Plain : RowSums::OrderFree; }
};

/// Nothing after a question, such as --help.
std::optional<Options> parse_options(int argc, char** argv) {
  Options o;
  CLI::App app("Kernel PCA of samples whose rows are spread over processes", "kpca-mpi");
  kpca::TableOptions parameters("kernel", kpca::kernel_entries());
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
  app.add_option("-s,--solver", o.solver,
                 kpca::wrapped("block-krylov, or lanczos: fewer products, each with one vector"))
      ->type_name("NAME")
      ->check(kpca::one_of({"block-krylov", "lanczos"}))
      ->capture_default_str()
      ->group("Solver");
  app.add_option("--tolerance", o.tolerance,
                 kpca::wrapped("Residuals relative to the largest eigenvalue"))
      ->type_name("X")
      ->capture_default_str()
      ->group("Solver");
  app.add_flag("--no-center", o.no_center, "Do not subtract the mean in feature space");
  app.add_flag("--float", o.single, "Single precision");
  app.add_flag("--plain-sums", o.plain_sums,
               kpca::wrapped("Add in floating point. A few per cent faster, but the last digits "
                             "depend on the number of processes"));
  kpca::add_seed(app, o, "of the start, and of samples for a default bandwidth");
  kpca::add_threads(app, o);
  kpca::describe_program(app);
  const kpca::ProgramText text = {
      .purpose = "kernel PCA over processes",
      .usage = "mpirun -np P kpca-mpi [OPTIONS] INPUT",
      .examples = {{"mpirun -np 4 kpca-mpi samples.npy -n 20", "20 components on four processes"}}};
  if (!kpca::parse(app, text, {&parameters}, argc, argv)) return std::nullopt;
  parameters.take(o.kernel.name, {}, o.kernel.settings, o.kernel.percentiles);
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
    std::printf("\n%s in %.3g s, %lld products\nwritten to %s\n",
                std::string(to_string(report.status)).c_str(), report.fit_seconds,
                static_cast<long long>(report.iterations), directory.list(false).c_str());
  }
  print_processes(processes, report.fit_seconds);
  if (model.components() == 0)
    throw InvalidArgument(o.input + ": no component has variance: the samples are all the same");
  return kpca::succeeded(report.status) ? kpca::exit_success : kpca::exit_not_converged;
}

template <Real S>
int run(const Options& o, const MpiProcesses& processes) {
  if (o.solver == "lanczos")
    return run<S>(o, mercer::Lanczos({.tolerance = o.tolerance, .seed = o.seed}), processes);
  return run<S>(o, mercer::BlockKrylov({.tolerance = o.tolerance, .seed = o.seed}), processes);
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
