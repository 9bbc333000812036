// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit of normal samples, in one process or with rows over processes. Prints a line of JSON.
/// processes.py starts it.
///
///   processes FORM SOLVER N D COMPONENTS THREADS SIZE
///   processes messages ring 0 0 0 1 0        times of exchanges, a line for each size
///
/// FORM is serial, plain or order-free, SOLVER is block-krylov, nystrom or features, and SIZE the
/// number of landmarks or features.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::mpi::MpiProcesses;

/// Rows of normal samples, the same for any division of the rows.
Matrix<double> normal_samples(mercer::detail::Range rows, Index d) {
  return mercer::normal_block<double>(rows, {0, d}, 1, "benchmark samples");
}

/// Prints the median seconds of exchanges round the ring.
void time_messages(const MpiProcesses& processes) {
  const Index rank = processes.rank(), size = processes.size();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 16U, std::size_t{1} << 24U}) {
    std::vector<double> seconds;
    for (int repeat = 0; repeat < 21; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      static_cast<void>(processes
                            .start_exchange((rank + size - 1) % size, (rank + 1) % size,
                                            std::vector<std::byte>(bytes))
                            ->finish());
      seconds.push_back(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::sort(seconds.begin(), seconds.end());
    if (rank == 0)
      std::printf("{\"bytes\": %zu, \"seconds\": %.9f}\n", bytes, seconds[seconds.size() / 2]);
  }
}

struct Run {
  const MpiProcesses& processes;
  std::string form;
  Index n, d;

  /// Fits, and prints what came out of it.
  template <class Pca>
  void operator()(const Pca& pca) const {
    if (form == "serial") {
      const auto model = pca.fit(normal_samples({0, n}, d));
      return print(model.report(), model.eigenvalues()(0));
    }
    const auto sums = form == "plain" ? mercer::RowSums::Plain : mercer::RowSums::OrderFree;
    const mercer::RowSpace rows = mercer::RowSpace::spread(n, processes, sums);
    const auto model = mercer::fit_spread(
        pca, mercer::SpreadRows<Matrix<double>>::from_parts(
                 processes, normal_samples({rows.first(), rows.local()}, d), sums));
    print(model.report(), model.eigenvalues()(0));
  }

  /// The largest of what processes have sent, waited, and held.
  void print(const mercer::Report& report, double first) const {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    double largest[3] = {static_cast<double>(processes.traffic().bytes_sent),
                         processes.traffic().seconds_waiting,
                         static_cast<double>(used.ru_maxrss) * 1024};
    processes.maximum(largest);
    if (processes.rank() == 0)
      std::printf(
          "{\"seconds\": %.6f, \"products\": %lld, \"first\": %.17g, \"sent\": %.0f, "
          "\"waiting\": %.6f, \"peak\": %.0f}\n",
          report.fit_seconds, static_cast<long long>(report.iterations), first, largest[0],
          largest[1], largest[2]);
  }
};

}  // namespace

int main(int argc, char** argv) {
  mercer::mpi::Session session(argc, argv);
  return session.run([&](const MpiProcesses& processes) -> int {
    if (argc != 8)
      throw mercer::InvalidArgument("processes FORM SOLVER N D COMPONENTS THREADS SIZE");
    const std::string solver = argv[2];
    if (std::string(argv[1]) == "messages") {
      time_messages(processes);
      return 0;
    }
    const Run run{processes, argv[1], std::stoll(argv[3]), std::stoll(argv[4])};
    mercer::set_thread_count(std::stoi(argv[6]));
    const Index size = std::stoll(argv[7]);
    const mercer::Gaussian kernel(std::sqrt(static_cast<double>(run.d)));
    // In one process the plan would store tiles, or take single precision; both must do the same.
    const mercer::KernelPcaParams params{.components = std::stoll(argv[5]),
                                         .storage = mercer::GramStorage::Recomputed,
                                         .precision = mercer::Precision::Double};
    if (solver == "nystrom")
      run(mercer::KernelPca(kernel, mercer::Nystrom(mercer::RpCholesky{}, {.landmarks = size}),
                            params));
    else if (solver == "features")
      run(mercer::KernelPca(kernel, mercer::FeaturePca(mercer::RandomFourier{.features = size}),
                            params));
    else
      run(mercer::KernelPca(kernel, mercer::BlockKrylov{}, params));
    return 0;
  });
}
