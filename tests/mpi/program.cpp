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

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/mpi/session.hpp>
#include <tests/mpi/fits.hpp>

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

}  // namespace

int main(int argc, char** argv) {
  mercer::mpi::Session session(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  return session.run([&](const MpiProcesses& processes) -> int {
    const std::string& task = words.at(0);
    const auto sums = words.back() == "plain" ? mercer::RowSums::Plain : mercer::RowSums::OrderFree;
    if (task == "messages") check_messages(processes);
    if (task == "fits") mpi_fits::fit_by_all_methods(processes, words.at(1), words.at(2), sums);
    if (task == "kill") mpi_fits::fit_and_be_killed(processes, words.at(1), words.at(2));
    if (task == "together") mercer::detail::fail("wrong on all");
    if (task == "alone") {
      if (processes.rank() == processes.size() - 1) throw std::runtime_error("wrong on one");
      double value = 0;
      processes.sum({&value, 1});
    }
    return 0;
  });
}
