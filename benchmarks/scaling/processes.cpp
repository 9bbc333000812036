// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit of block Krylov on normal samples, in one process or with rows over processes. Prints a
/// line of JSON. processes.py starts it.
///
///   processes FORM N D COMPONENTS THREADS     FORM is serial, plain or order-free

#include <cmath>
#include <cstdio>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread_pca.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::mpi::MpiProcesses;

/// Rows of normal samples, the same for any division of the rows.
Matrix<double> normal_samples(mercer::detail::Range rows, Index d) {
  return mercer::normal_rows<double>(rows, d, 1, "benchmark samples");
}

void print(const mercer::Report& report, double first, double sent, double waiting) {
  std::printf(
      "{\"seconds\": %.6f, \"products\": %lld, \"first\": %.17g, \"sent\": %.0f, "
      "\"waiting\": %.6f}\n",
      report.fit_seconds, static_cast<long long>(report.iterations), first, sent, waiting);
}

}  // namespace

int main(int argc, char** argv) {
  mercer::mpi::Session session(argc, argv);
  return session.run([&](const MpiProcesses& processes) -> int {
    if (argc != 6) throw mercer::InvalidArgument("processes FORM N D COMPONENTS THREADS");
    const std::string form = argv[1];
    const Index n = std::stoll(argv[2]), d = std::stoll(argv[3]), k = std::stoll(argv[4]);
    mercer::set_thread_count(std::stoi(argv[5]));
    const mercer::Gaussian kernel(std::sqrt(static_cast<double>(d)));
    // In one process the plan would store tiles, or take single precision; both must do the same.
    const mercer::KernelPca pca(kernel, mercer::BlockKrylov{},
                                {.components = k,
                                 .storage = mercer::GramStorage::Recomputed,
                                 .precision = mercer::Precision::Double});
    if (form == "serial") {
      const auto model = pca.fit(normal_samples({0, n}, d));
      print(model.report(), model.eigenvalues()(0), 0, 0);
      return 0;
    }
    const auto sums = form == "plain" ? mercer::RowSums::Plain : mercer::RowSums::OrderFree;
    const mercer::RowSpace rows = mercer::RowSpace::spread(n, processes, sums);
    const auto model = mercer::fit_spread(
        pca, mercer::SpreadRows<Matrix<double>>::from_parts(
                 processes, normal_samples({rows.first(), rows.local()}, d), sums));
    double sent = static_cast<double>(processes.traffic().bytes_sent);
    double waiting = processes.traffic().seconds_waiting;
    processes.maximum({&sent, 1});
    processes.maximum({&waiting, 1});
    if (processes.rank() == 0) print(model.report(), model.eigenvalues()(0), sent, waiting);
    return 0;
  });
}
