// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Threads of one program that take the part of processes: for tests and debuggers of code that
/// runs on rows of several machines.

#ifndef MERCER_TESTING_THREAD_PROCESSES_HPP
#define MERCER_TESTING_THREAD_PROCESSES_HPP

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

namespace detail {

/// What threads that take the part of processes share.
class ThreadRoom {
 public:
  using Bytes = std::vector<std::byte>;

  explicit ThreadRoom(Index size)
      : size_(size),
        mine_(static_cast<std::size_t>(size)),
        letters_(static_cast<std::size_t>(size * size)) {}

  [[nodiscard]] Index size() const { return size_; }

  /// Gives the bytes of each process to all. Returns them in order of ranks.
  [[nodiscard]] std::vector<Bytes> share(Index rank, Bytes bytes) {
    std::unique_lock lock(mutex_);
    mine_[static_cast<std::size_t>(rank)] = std::move(bytes);
    meet(lock);
    std::vector<Bytes> all = mine_;
    meet(lock);
    return all;
  }

  void send(Index from, Index to, Bytes bytes) {
    const std::scoped_lock lock(mutex_);
    letters(from, to).push_back(std::move(bytes));
    changed_.notify_all();
  }

  [[nodiscard]] Bytes receive(Index from, Index to) {
    std::unique_lock lock(mutex_);
    std::deque<Bytes>& queue = letters(from, to);
    changed_.wait(lock, [&] { return left_ || !queue.empty(); });
    if (queue.empty()) fail_left();
    Bytes bytes = std::move(queue.front());
    queue.pop_front();
    return bytes;
  }

  /// A process has ended by an exception. The others stop waiting for it.
  void leave() {
    const std::scoped_lock lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }

 private:
  [[noreturn]] static void fail_left() {
    throw ProcessError("mercer: another process has ended by an exception");
  }

  [[nodiscard]] std::deque<Bytes>& letters(Index from, Index to) {
    return letters_[static_cast<std::size_t>(from * size_ + to)];
  }

  /// Waits until all processes are here.
  void meet(std::unique_lock<std::mutex>& lock) {
    const Index round = round_;
    if (++here_ == size_) {
      here_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return left_ || round_ != round; });
    if (round_ == round) fail_left();
  }

  Index size_, here_ = 0, round_ = 0;
  bool left_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> mine_;
  std::vector<std::deque<Bytes>> letters_;
};

/// One of them.
class ThreadProcess final : public Processes {
 public:
  using Bytes = ThreadRoom::Bytes;

  ThreadProcess(ThreadRoom& room, Index rank) : room_(&room), rank_(rank) {}

  [[nodiscard]] Index rank() const override { return rank_; }
  [[nodiscard]] Index size() const override { return room_->size(); }
  [[nodiscard]] Index size_on_machine() const override { return size(); }

  void sum(std::span<double> values) const override {
    reduce(values, [](double a, double b) { return a + b; });
  }
  void sum(std::span<std::int64_t> values) const override {
    reduce(values, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  void maximum(std::span<double> values) const override {
    reduce(values, [](double a, double b) { return (std::max)(a, b); });
  }
  void broadcast(std::span<double> values, Index from) const override {
    const std::vector<Bytes> all = room_->share(rank_, bytes_of<double>(values));
    copy_to<double>(all[static_cast<std::size_t>(from)], values);
  }
  [[nodiscard]] Bytes gather(Bytes mine) const override {
    const std::vector<Bytes> all = room_->share(rank_, std::move(mine));
    Bytes out;
    if (rank_ != 0) return out;
    for (const Bytes& part : all) out.insert(out.end(), part.begin(), part.end());
    return out;
  }
  [[nodiscard]] std::unique_ptr<Transfer> start_exchange(Index to, Index from,
                                                         Bytes data) const override {
    room_->send(rank_, to, std::move(data));
    return std::make_unique<Letter>(*room_, from, rank_);
  }

 private:
  class Letter final : public Transfer {
   public:
    Letter(ThreadRoom& room, Index from, Index to) : room_(&room), from_(from), to_(to) {}
    [[nodiscard]] Bytes finish() override { return room_->receive(from_, to_); }

   private:
    ThreadRoom* room_;
    Index from_, to_;
  };

  template <class T>
  [[nodiscard]] static Bytes bytes_of(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    return Bytes(bytes.begin(), bytes.end());
  }
  template <class T>
  static void copy_to(const Bytes& bytes, std::span<T> values) {
    if (bytes.size() != values.size_bytes())
      throw ProcessError("mercer: processes disagree on the size of a message");
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  template <class T, class Combine>
  void reduce(std::span<T> values, const Combine& combine) const {
    const std::vector<Bytes> all = room_->share(rank_, bytes_of<T>(values));
    std::vector<T> other(values.size());
    for (std::size_t p = 0; p < all.size(); ++p) {
      copy_to<T>(all[p], other);
      if (p == 0)
        std::copy(other.begin(), other.end(), values.begin());
      else
        std::transform(values.begin(), values.end(), other.begin(), values.begin(), combine);
    }
  }

  ThreadRoom* room_;
  Index rank_;
};

}  // namespace detail

/// Runs work(processes) in \p count threads that take the part of processes, and waits for them. So
/// code for several machines runs in a debugger and under sanitizers.
///
/// If one of them throws, the others stop at their next message, and its exception is thrown here.
/// \code
///   run_as_processes(3, [&](const Processes& processes) {
///     const RowSpace rows = RowSpace::spread(n, processes);
///     ...
///   });
/// \endcode
/// Throws InvalidArgument for count < 1.
inline void run_as_processes(Index count, const std::function<void(const Processes&)>& work) {
  detail::require_at_least("run_as_processes", "the number of processes", count, Index{1});
  detail::ThreadRoom room(count);
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (Index rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      try {
        work(detail::ThreadProcess(room, rank));
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!first) first = std::current_exception();
        room.leave();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace mercer

#endif  // MERCER_TESTING_THREAD_PROCESSES_HPP
