// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Processes by MPI. Component mpi (Debian: libopenmpi-dev or libmpich-dev).

#ifndef MERCER_MPI_MPI_PROCESSES_HPP
#define MERCER_MPI_MPI_PROCESSES_HPP

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include <mercer/core/rows/processes.hpp>
#include <mercer/core/types.hpp>

namespace mercer::mpi {

/// What a process has sent and waited for so far.
struct Traffic {
  /// Rows to other processes, and values that are added up or broadcast; these count once, however
  /// MPI sends them on.
  std::size_t bytes_sent = 0;
  double seconds_waiting = 0;  ///< in calls of MPI
};

/// The processes of an MPI communicator.
/// Threads: only the thread that has initialised MPI may call members (MPI_THREAD_FUNNELED).
/// Throws ProcessError if MPI reports an error; by default MPI itself ends the program then.
class MpiProcesses final : public Processes {
 public:
  /// Works on a copy of the communicator, so that its messages do not meet others. Collective.
  explicit MpiProcesses(MPI_Comm comm) {
    check(MPI_Comm_dup(comm, &comm_));
    check(MPI_Comm_rank(comm_, &rank_));
    check(MPI_Comm_size(comm_, &size_));
    MPI_Comm machine = MPI_COMM_NULL;
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine));
    check(MPI_Comm_size(machine, &size_on_machine_));
    check(MPI_Comm_free(&machine));
  }
  ~MpiProcesses() override { MPI_Comm_free(&comm_); }

  [[nodiscard]] Index rank() const override { return rank_; }
  [[nodiscard]] Index size() const override { return size_; }
  [[nodiscard]] Index size_on_machine() const override { return size_on_machine_; }
  /// The copy.
  [[nodiscard]] MPI_Comm communicator() const { return comm_; }
  /// What this process has sent and waited for since the beginning.
  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

  void sum(std::span<double> values) const override {
    // Reduced to one process and sent from there, so that all have the same bits.
    count_sent(values);
    in_pieces(values, [&](double* data, int count) {
      void* const from = rank_ == 0 ? MPI_IN_PLACE : static_cast<void*>(data);
      check(MPI_Reduce(from, data, count, MPI_DOUBLE, MPI_SUM, 0, comm_));
      check(MPI_Bcast(data, count, MPI_DOUBLE, 0, comm_));
    });
  }
  void sum(std::span<std::int64_t> values) const override {
    count_sent(values);
    in_pieces(values, [&](std::int64_t* data, int count) {
      check(MPI_Allreduce(MPI_IN_PLACE, data, count, MPI_INT64_T, MPI_SUM, comm_));
    });
  }
  void maximum(std::span<double> values) const override {
    count_sent(values);
    in_pieces(values, [&](double* data, int count) {
      check(MPI_Allreduce(MPI_IN_PLACE, data, count, MPI_DOUBLE, MPI_MAX, comm_));
    });
  }
  void broadcast(std::span<double> values, Index from) const override {
    if (rank_ == from) count_sent(values);
    in_pieces(values, [&](double* data, int count) {
      check(MPI_Bcast(data, count, MPI_DOUBLE, static_cast<int>(from), comm_));
    });
  }
  [[nodiscard]] std::vector<std::byte> gather(std::vector<std::byte> mine) const override {
    const Clock clock(traffic_);
    std::vector<std::uint64_t> sizes(static_cast<std::size_t>(size_));
    const std::uint64_t bytes = mine.size();
    check(MPI_Gather(&bytes, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, comm_));
    if (rank_ != 0) {
      for_pieces(mine.size(), [&](std::size_t at, int count) {
        check(MPI_Send(mine.data() + at, count, MPI_BYTE, 0, tag, comm_));
      });
      traffic_.bytes_sent += mine.size();
      return {};
    }
    std::size_t total = 0;
    for (const std::uint64_t each : sizes) total += each;
    mine.reserve(total);  // a vector that grows is there twice
    for (int p = 1; p < size_; ++p) {
      const std::size_t begin = mine.size();
      mine.resize(begin + sizes[static_cast<std::size_t>(p)]);
      for_pieces(mine.size() - begin, [&](std::size_t at, int count) {
        check(
            MPI_Recv(mine.data() + begin + at, count, MPI_BYTE, p, tag, comm_, MPI_STATUS_IGNORE));
      });
    }
    return mine;
  }
  [[nodiscard]] std::unique_ptr<Transfer> start_exchange(
      Index to, Index from, std::vector<std::byte> data) const override {
    const Clock clock(traffic_);
    const std::uint64_t mine = data.size();
    std::uint64_t theirs = 0;
    check(MPI_Sendrecv(&mine, 1, MPI_UINT64_T, static_cast<int>(to), tag, &theirs, 1, MPI_UINT64_T,
                       static_cast<int>(from), tag, comm_, MPI_STATUS_IGNORE));
    if (to != rank_) traffic_.bytes_sent += mine;
    return std::make_unique<Exchange>(*this, static_cast<int>(to), static_cast<int>(from),
                                      std::move(data), theirs);
  }

 private:
  using Bytes = std::vector<std::byte>;
  static constexpr int tag = 0;
  static constexpr std::size_t most_bytes = std::size_t{1} << 28U;  // MPI counts in int

  /// Adds the time of its life to the waiting time.
  class Clock {
   public:
    explicit Clock(Traffic& traffic)
        : traffic_(&traffic), begin_(std::chrono::steady_clock::now()) {}
    ~Clock() {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
      traffic_->seconds_waiting += passed.count();
    }
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;

   private:
    Traffic* traffic_;
    std::chrono::steady_clock::time_point begin_;
  };

  class Exchange final : public Transfer {
   public:
    Exchange(const MpiProcesses& processes, int to, int from, Bytes data, std::size_t coming)
        : processes_(&processes), sent_(std::move(data)), received_(coming) {
      const MPI_Comm comm = processes.comm_;
      for_pieces(received_.size(), [&](std::size_t at, int count) {
        check(MPI_Irecv(received_.data() + at, count, MPI_BYTE, from, tag, comm, next()));
      });
      for_pieces(sent_.size(), [&](std::size_t at, int count) {
        check(MPI_Isend(sent_.data() + at, count, MPI_BYTE, to, tag, comm, next()));
      });
    }
    // Buffers must not go while MPI uses them.
    ~Exchange() override { wait(); }
    [[nodiscard]] Bytes finish() override {
      const Clock clock(processes_->traffic_);
      check(wait());
      return std::move(received_);
    }

   private:
    [[nodiscard]] MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }
    int wait() {
      return MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }

    const MpiProcesses* processes_;
    Bytes sent_, received_;
    std::vector<MPI_Request> requests_;
  };

  static void check(int error) {
    if (error == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(error, text, &length);
    throw ProcessError("mercer: MPI: " + std::string(text, static_cast<std::size_t>(length)));
  }

  template <class T>
  void count_sent(std::span<T> values) const {
    if (size_ > 1) traffic_.bytes_sent += values.size_bytes();
  }
  template <class Work>
  static void for_pieces(std::size_t bytes, const Work& work) {
    for (std::size_t at = 0; at < bytes; at += most_bytes)
      work(at, static_cast<int>((std::min)(most_bytes, bytes - at)));
  }
  template <class T, class Work>
  void in_pieces(std::span<T> values, const Work& work) const {
    const Clock clock(traffic_);
    for_pieces(values.size_bytes(), [&](std::size_t at, int count) {
      work(values.data() + at / sizeof(T), count / static_cast<int>(sizeof(T)));
    });
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, size_on_machine_ = 1;
  mutable Traffic traffic_;
};

}  // namespace mercer::mpi

#endif  // MERCER_MPI_MPI_PROCESSES_HPP
