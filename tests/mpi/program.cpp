// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A program of several MPI processes, which check.py starts in many ways:
///
///   program messages              every message that solvers use, checked
///   program fit IN.npy OUT.npy    kernel PCA; process 0 prints eigenvalues, OUT.npy has the scores
///   program nystrom|features|stochastic|exact IN.npy OUT.npy    the same by other methods
///   program weighted IN.npy OUT.npy                             the same of samples with weights
///   program streamed-features|streamed-stochastic IN.npy OUT.npy   the same of a stream
///   program together              an error on all processes
///   program alone                 an error on one process, for which the others wait
///   program kill IN.npy OUT.npy   one process is killed while the result is written
/// A last argument "plain" takes plain sums.

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

/// Writes scores of this process, and prints eigenvalues on process 0.
template <class Values>
void write(const MpiProcesses& processes, const std::string& out, const Values& eigenvalues,
           const mercer::Matrix<double>& scores) {
  mercer::io::write_npy_spread(processes, out, scores);
  if (processes.rank() != 0) return;
  for (const double value : eigenvalues) std::printf("%a\n", value);
}

void fit(const MpiProcesses& processes, const std::string& task, const std::string& in,
         const std::string& out, mercer::RowSums sums) {
  const auto samples = mercer::io::read_npy_spread<double>(processes, in, sums);
  const mercer::Gaussian kernel(2.0);
  const mercer::KernelPcaParams params{.components = 4};
  const auto fitted = [&](const auto& solver) {
    return mercer::fit_spread(mercer::KernelPca(kernel, solver, params), samples);
  };
  if (task == "weighted") {
    const auto weights = mercer::SpreadRows<mercer::Matrix<double>>::from_parts(
        processes, samples.local().col(0).cwiseMax(0), sums);
    const auto model = mercer::fit_spread(mercer::KernelPca(kernel, mercer::BlockKrylov{}, params),
                                          samples, weights);
    return write(processes, out, model.eigenvalues(), model.training_scores());
  }
  const auto write_model = [&](const auto& model) {
    write(processes, out, model.eigenvalues(), model.transform(samples.local()));
  };
  const mercer::RandomFourier map{.features = 60};
  const mercer::FeaturePca features(map);
  const mercer::DoublyStochastic stochastic(map, {.blocks = 2, .data_batch = 600, .steps = 20});
  if (task == "features") return write_model(fitted(features));
  if (task == "stochastic") return write_model(fitted(stochastic));
  mercer::io::NpyStream<double> stream(in);
  const auto fitted_to_stream = [&](const auto& solver) {
    return mercer::fit_spread(mercer::KernelPca(kernel, solver, params), processes, stream, sums);
  };
  if (task == "streamed-features") return write_model(fitted_to_stream(features));
  if (task == "streamed-stochastic") return write_model(fitted_to_stream(stochastic));
  const auto model = task == "nystrom"
                         ? fitted(mercer::Nystrom(mercer::RpCholesky{}, {.landmarks = 80}))
                     : task == "exact" ? fitted(mercer::Exact{})
                                       : fitted(mercer::BlockKrylov{});
  if (task == "kill" && processes.rank() == processes.size() - 1) std::raise(SIGKILL);
  write(processes, out, model.eigenvalues(), model.training_scores());
}

}  // namespace

int main(int argc, char** argv) {
  mercer::mpi::Session session(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  return session.run([&](const MpiProcesses& processes) -> int {
    const std::string& task = words.at(0);
    const bool plain = words.back() == "plain";
    if (task == "messages") check_messages(processes);
    if (words.size() >= 3)
      fit(processes, task, words[1], words[2],
          plain ? mercer::RowSums::Plain : mercer::RowSums::OrderFree);
    if (task == "together") mercer::detail::fail("wrong on all");
    if (task == "alone") {
      if (processes.rank() == processes.size() - 1) throw std::runtime_error("wrong on one");
      double value = 0;
      processes.sum({&value, 1});
    }
    return 0;
  });
}
