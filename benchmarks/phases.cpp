// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where the time of a fit goes, for each solver: seconds and bytes of each phase, and the part of
/// it that ran on one thread, beside the largest residual. Normal samples, Gaussian kernel.
///
///   phases [N [D [COMPONENTS [THREADS]]]]      by default 5000 20 10, all cores
///
/// "processors" is the processor time of the process for each second. Threads that wait for work
/// sleep, unless OMP_WAIT_POLICY is active.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/hebbian/kernel_hebbian.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#if defined(MERCER_HAS_LBFGSPP)
#include <mercer/solvers/dual/dual.hpp>
#endif

#include <examples/support/phase_table.hpp>
#include <examples/support/start_settings.hpp>

namespace {

using mercer::Index;
using mercer::Matrix;

struct Task {
  Index n = 5000, d = 20, components = 10;
};

/// Processor time of all threads of this process.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

template <class S>
void fit(const Task& task, const Matrix<double>& x, S solver) {
  const mercer::Gaussian kernel(std::sqrt(static_cast<double>(task.d)));
  const mercer::KernelPca pca(kernel, std::move(solver), {.components = task.components});
  const double begin = processor_seconds();
  const auto model = pca.fit(x);
  const double processors = processor_seconds() - begin;
  const mercer::Report& report = model.report();
  double serial = report.fit_seconds;
  for (const mercer::PhaseCost& cost : report.phases) serial -= cost.seconds - cost.serial_seconds;
  std::printf("%s: %.3g s, %.0f %% of it on one thread, %.2f processors, %s",
              describe_solver(report).c_str(), report.fit_seconds,
              100 * serial / report.fit_seconds, processors / report.fit_seconds,
              std::string(to_string(report.status)).c_str());
  if (!report.residuals.empty() && model.eigenvalues().size() > 0)
    std::printf(", largest residual %.2g mu_1",
                *std::max_element(report.residuals.begin(), report.residuals.end()) /
                    model.eigenvalues()(0));
  std::printf("\n");
  examples::print_phases(report.phases, report.fit_seconds);
  std::printf("\n");
}

void fit_all(const Task& task) {
  using namespace mercer;
  const Matrix<double> x = normal_matrix<double>(task.n, task.d, 1, "benchmark samples");
  const Index landmarks = (std::min)(task.n, (std::max)(20 * task.components, Index{500}));
  const RandomFourier features{.features = 128};
  fit(task, x, Auto{});
  fit(task, x, Exact{});
  fit(task, x, Lanczos{});
  fit(task, x, BlockKrylov{});
  fit(task, x, PowerIteration{{.tolerance = 1e-2}});
  fit(task, x, Nystrom{RpCholesky{}, {.landmarks = landmarks}});
  fit(task, x, Nystrom{Uniform{}, {.landmarks = landmarks}});
  fit(task, x, Spgd{RandomFourier{.features = 50}, {.iterations = 50}});
  fit(task, x, KernelHebbian{{.epochs = 5}});
  fit(task, x, FeaturePca{features, {.blocks = 4}});
  fit(task, x, DoublyStochastic{features, {.blocks = 32}});
  fit(task, x, Dca{Huber<L2>{0.5}, {.tolerance = 1e-4}});
#if defined(MERCER_HAS_LBFGSPP)
  fit(task, x, Dual{{.stop = DualStop::Objective, .tolerance = 1e-2}});
#endif
}

}  // namespace

int main(int argc, char** argv) {
  examples::start_with_settings(argv);
  try {
    Task task;
    if (argc > 5) throw mercer::InvalidArgument("usage: phases [N [D [COMPONENTS [THREADS]]]]");
    if (argc > 1) task.n = std::stoll(argv[1]);
    if (argc > 2) task.d = std::stoll(argv[2]);
    if (argc > 3) task.components = std::stoll(argv[3]);
    if (argc > 4) mercer::set_thread_count(std::stoi(argv[4]));
    if (task.n < 100 || task.d < 1 || task.components < 1)
      throw mercer::InvalidArgument("phases: needs N >= 100, D >= 1 and COMPONENTS >= 1");
    std::printf("n = %lld, d = %lld, k = %lld, %d threads\n\n", static_cast<long long>(task.n),
                static_cast<long long>(task.d), static_cast<long long>(task.components),
                mercer::thread_count());
    fit_all(task);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "phases: %s\n", error.what());
    return 2;
  }
}
