// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A group of processes that share the rows of a problem: the messages that solvers need.

#ifndef MERCER_CORE_ROWS_PROCESSES_HPP
#define MERCER_CORE_ROWS_PROCESSES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// How sums over rows are added up.
enum class RowSums {
  OrderFree,  ///< in fixed point: the same bits for any number of processes
  Plain       ///< in floating point: the bits depend on the number of processes
};

/// A message that is on its way while the program goes on.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  /// Waits, and returns the message received. To be called once.
  [[nodiscard]] virtual std::vector<std::byte> finish() = 0;
};

/// Processes that work on one problem, each on rows of its own. This is all that solvers know of
/// them; mercer::mpi implements it by MPI, and ThreadProcesses by threads of one process.
///
/// Every member but rank(), size() and size_on_machine() is collective: all processes must call it,
/// in the same order.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  /// The number of this process, from 0.
  [[nodiscard]] virtual Index rank() const = 0;
  /// The number of processes.
  [[nodiscard]] virtual Index size() const = 0;
  /// The number of processes on the machine of this one, with it: they share its memory.
  [[nodiscard]] virtual Index size_on_machine() const = 0;

  /// Replaces each value by its sum over all processes. All get the same bits.
  virtual void sum(std::span<double> values) const = 0;
  /// The same for integers, where the order of the additions does not matter.
  virtual void sum(std::span<std::int64_t> values) const = 0;
  /// Replaces each value by the largest of all processes. No value may be NaN.
  virtual void maximum(std::span<double> values) const = 0;
  /// Replaces the values by those of one process.
  virtual void broadcast(std::span<double> values, Index from) const = 0;
  /// The bytes of all processes, in order of their ranks, on process 0; nothing on the others.
  [[nodiscard]] virtual std::vector<std::byte> gather(std::vector<std::byte> mine) const = 0;
  /// Sends \p data to process \p to, and receives what process \p from sends to this one.
  [[nodiscard]] virtual std::unique_ptr<Transfer> start_exchange(
      Index to, Index from, std::vector<std::byte> data) const = 0;

  /// Whether this holds on any process.
  [[nodiscard]] bool any(bool here) const {
    double flag = here ? 1 : 0;
    maximum({&flag, 1});
    return flag != 0;
  }
};

/// An error of another process. Its sentence is that of the error there.
class ProcessError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// The sentence of an exception.
[[nodiscard]] inline std::string sentence_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "mercer: an unknown error";
  }
}

/// What kind of exception it is, so that all processes can throw the same one.
enum class ErrorKind : int { None, Invalid, Memory, Other };

[[nodiscard]] inline ErrorKind kind_of(const std::exception_ptr& error) {
  if (!error) return ErrorKind::None;
  try {
    std::rethrow_exception(error);
  } catch (const InvalidArgument&) {
    return ErrorKind::Invalid;
  } catch (const std::bad_alloc&) {
    return ErrorKind::Memory;
  } catch (...) {
    return ErrorKind::Other;
  }
}

/// Replaces a short message by that of one process, of another length perhaps. Each byte travels as
/// a number. Collective.
inline void broadcast_message(const Processes& processes, std::string& message, Index from) {
  auto size = static_cast<double>(message.size());
  processes.broadcast({&size, 1}, from);
  std::vector<double> letters(static_cast<std::size_t>(size));
  message.resize(letters.size());
  std::transform(message.begin(), message.end(), letters.begin(),
                 [](char c) { return static_cast<double>(static_cast<unsigned char>(c)); });
  processes.broadcast(letters, from);
  std::transform(letters.begin(), letters.end(), message.begin(), [](double letter) {
    return static_cast<char>(static_cast<unsigned char>(letter));
  });
}

/// Throws on all processes if there is an error on any of them: the error of the first process that
/// has one, with its sentence. Collective.
inline void throw_together(const Processes& processes, const std::exception_ptr& error) {
  if (!processes.any(error != nullptr)) return;
  // The first process with an error has the largest key.
  double key = error ? static_cast<double>(processes.size() - processes.rank()) : 0;
  processes.maximum({&key, 1});
  const Index from = processes.size() - static_cast<Index>(key);
  const bool mine = processes.rank() == from;
  auto kind = static_cast<double>(kind_of(error));
  processes.broadcast({&kind, 1}, from);
  std::string sentence = mine ? sentence_of(error) : std::string();
  broadcast_message(processes, sentence, from);
  if (mine) std::rethrow_exception(error);
  switch (static_cast<ErrorKind>(static_cast<int>(kind))) {
    case ErrorKind::Invalid:
      throw InvalidArgument(sentence);
    case ErrorKind::Memory:
      throw std::bad_alloc();
    default:
      throw ProcessError(sentence);
  }
}

/// Runs work() on this process. If it throws on any process, all throw the same. Collective; work()
/// itself must not be.
template <class Work>
void together(const Processes& processes, Work&& work) {
  std::exception_ptr error;
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  throw_together(processes, error);
}

/// Throws InvalidArgument, on all processes, unless \p text is the same on all. Collective.
inline void require_same(const Processes& processes, std::string_view what,
                         const std::string& text) {
  const std::uint64_t hash = hash_name(text);
  // Exact in a double.
  const auto high = static_cast<double>(hash >> 32U);
  const auto low = static_cast<double>(hash & 0xffffffffU);
  double ends[4] = {high, -high, low, -low};
  processes.maximum(ends);
  const bool same = ends[0] == -ends[1] && ends[2] == -ends[3];
  together(processes, [&] {
    if (!same) fail("mercer: processes have different ", what, ", process 0 has ", text);
  });
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_ROWS_PROCESSES_HPP
