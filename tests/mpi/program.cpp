// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A program of several MPI processes, which check.py starts in many ways:
///
///   program messages              every message that solvers use, checked
///   program fits IN.npy FOLDER    kernel PCA by each of the methods below; process 0 prints their
///                                 eigenvalues, FOLDER/METHOD.npy has the scores
///   program together              an error on all processes
///   program alone                 an error on one process, for which the others wait
///   program kill IN.npy OUT.npy   one process is killed while the result is written
///
/// Methods: block-krylov, weighted (samples with weights), nystrom, features, stochastic, exact,
/// streamed-features, streamed-stochastic. A last argument "plain" takes plain sums.

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy/npy_spread.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_exact.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/models/spread/spread_stochastic.hpp>
#include <mercer/mpi/session.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

namespace {

using mercer::Index;
using mercer::mpi::MpiProcesses;

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("wrong: ") + what);
}

void check_messages(const MpiProcesses& processes) {
  const Index rank = processes.rank(), size = processes.size();
  // All of them are started on this machine.
  require(processes.size_on_machine() == size, "processes on this machine");
  const auto number = static_cast<double>(rank);
  // More values than fit into one piece of 256 MiB.
  std::vector<double> added((std::size_t{1} << 25U) + 7, number);
  processes.sum(added);
  const auto total = static_cast<double>(size * (size - 1) / 2);
  for (const double value : {added.front(), added[added.size() / 2], added.back()})
    require(value == total, "sum of doubles");
  std::int64_t whole[2] = {rank, std::int64_t{1} << 60U};
  if (rank > 0) whole[1] = -1;
  processes.sum(whole);
  require(whole[0] == size * (size - 1) / 2, "sum of integers");
  require(whole[1] == (std::int64_t{1} << 60U) - (size - 1), "sum of large integers");
  double top[2] = {number, -number};
  processes.maximum(top);
  require(top[0] == static_cast<double>(size - 1) && top[1] == 0, "max");
  double told = number;
  processes.broadcast({&told, 1}, size - 1);
  require(told == static_cast<double>(size - 1), "broadcast");
  require(processes.any(rank == size - 1) && !processes.any(false), "any");

  const std::vector<std::byte> mine(static_cast<std::size_t>(3 * rank), std::byte(rank));
  const std::vector<std::byte> all = processes.gather(mine);
  require(all.size() == (rank == 0 ? static_cast<std::size_t>(3 * size * (size - 1) / 2) : 0),
          "size of gather");
  if (rank == 0 && size > 1) require(all.back() == std::byte(size - 1), "order of gather");
  // Two exchanges at one time, of which the second is longer than a piece.
  const Index left = (rank + size - 1) % size, right = (rank + 1) % size;
  const auto first = processes.start_exchange(left, right, mine);
  const std::size_t length = (std::size_t{1} << 28U) + 11;
  const auto second = processes.start_exchange(
      right, left, std::vector<std::byte>(rank == 0 ? length : 1, std::byte(rank)));
  const std::vector<std::byte> from_left = second->finish();
  require(from_left.size() == (left == 0 ? length : 1), "size of a long exchange");
  require(from_left.back() == std::byte(left), "end of a long exchange");
  require(first->finish() ==
              std::vector<std::byte>(static_cast<std::size_t>(3 * right), std::byte(right)),
          "exchange");
}

/// The rows of all processes and what else the fits start from.
struct Problem {
  const MpiProcesses& processes;
  std::string in;
  mercer::RowSums sums;
  mercer::SpreadRows<mercer::Matrix<double>> samples =
      mercer::io::read_npy_spread<double>(processes, in, sums);
  mercer::Gaussian kernel{2.0};
  mercer::KernelPcaParams params{.components = 4};
  mercer::RandomFourier map{.features = 60};
  mercer::FeaturePca<mercer::RandomFourier> features{map};
  mercer::DoublyStochastic<mercer::RandomFourier> stochastic{
      map, {.blocks = 2, .data_batch = 600, .steps = 20}};

  template <class Solver>
  auto fit(const Solver& solver) const {
    return mercer::fit_spread(mercer::KernelPca(kernel, solver, params), samples);
  }
  template <class Solver>
  auto fit_stream(const Solver& solver) const {
    mercer::io::NpyStream<double> stream(in);
    return mercer::fit_spread(mercer::KernelPca(kernel, solver, params), processes, stream, sums);
  }
  auto fit_weighted() const {
    const auto weights = mercer::SpreadRows<mercer::Matrix<double>>::from_parts(
        processes, samples.local().col(0).cwiseMax(0), sums);
    return mercer::fit_spread(mercer::KernelPca(kernel, mercer::BlockKrylov{}, params), samples,
                              weights);
  }
};

void fit_by_all_methods(const Problem& problem, const std::string& folder) {
  const MpiProcesses& processes = problem.processes;
  const auto write = [&](const char* method, const auto& model, const auto& scores) {
    mercer::io::write_npy_spread(processes, folder + "/" + method + ".npy", scores);
    if (processes.rank() != 0) return;
    std::printf("%s", method);
    for (const double value : model.eigenvalues()) std::printf(" %a", value);
    std::printf("\n");
  };
  const auto write_samples_model = [&](const char* method, const auto& model) {
    write(method, model, model.training_scores());
  };
  const auto write_feature_model = [&](const char* method, const auto& model) {
    write(method, model, model.transform(problem.samples.local()));
  };
  write_samples_model("block-krylov", problem.fit(mercer::BlockKrylov{}));
  write_samples_model("weighted", problem.fit_weighted());
  write_samples_model("nystrom",
                      problem.fit(mercer::Nystrom(mercer::RpCholesky{}, {.landmarks = 80})));
  write_samples_model("exact", problem.fit(mercer::Exact{}));
  write_feature_model("features", problem.fit(problem.features));
  write_feature_model("stochastic", problem.fit(problem.stochastic));
  write_feature_model("streamed-features", problem.fit_stream(problem.features));
  write_feature_model("streamed-stochastic", problem.fit_stream(problem.stochastic));
}

void fit_and_be_killed(const Problem& problem, const std::string& out) {
  const MpiProcesses& processes = problem.processes;
  const auto model = problem.fit(mercer::BlockKrylov{});
  if (processes.rank() == processes.size() - 1) std::raise(SIGKILL);
  mercer::io::write_npy_spread(processes, out, model.training_scores());
}

}  // namespace

int main(int argc, char** argv) {
  mercer::mpi::Session session(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  return session.run([&](const MpiProcesses& processes) -> int {
    const std::string& task = words.at(0);
    const auto sums = words.back() == "plain" ? mercer::RowSums::Plain : mercer::RowSums::OrderFree;
    if (task == "messages") check_messages(processes);
    if (task == "fits") fit_by_all_methods({processes, words.at(1), sums}, words.at(2));
    if (task == "kill") fit_and_be_killed({processes, words.at(1), sums}, words.at(2));
    if (task == "together") mercer::detail::fail("wrong on all");
    if (task == "alone") {
      if (processes.rank() == processes.size() - 1) throw std::runtime_error("wrong on one");
      double value = 0;
      processes.sum({&value, 1});
    }
    return 0;
  });
}
