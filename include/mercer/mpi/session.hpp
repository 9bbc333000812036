// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The beginning and the end of a program of several MPI processes. Component mpi.

#ifndef MERCER_MPI_SESSION_HPP
#define MERCER_MPI_SESSION_HPP

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/freed_memory.hpp>
#include <mercer/core/machine/instruction_sets.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/mpi/mpi_processes.hpp>

namespace mercer::mpi {

/// MPI from its beginning to its end. A program has one, in main().
/// \code
///   int main(int argc, char** argv) {
///     mercer::mpi::Session session(argc, argv);
///     return session.run([&](const mercer::Processes& processes) {
///       const auto samples = mercer::io::read_npy_spread<double>(processes, "X.npy");
///       const auto model = mercer::fit_spread(pca, samples);
///       ...
///       return 0;
///     });
///   }
/// \endcode
class Session {
 public:
  /// Begins MPI, unless the program has done so; then the program also ends it. All processes use
  /// the instruction_set() that all have.
  /// Throws ProcessError if MPI does not let one thread of several call it.
  Session(int& argc, char**& argv) {
    int begun = 0, provided = MPI_THREAD_FUNNELED;
    MPI_Initialized(&begun);
    if (begun != 0) {
      MPI_Query_thread(&provided);
    } else {
      MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
      owns_ = true;
    }
    if (provided < MPI_THREAD_FUNNELED)
      throw ProcessError("mercer: this MPI cannot be called by a program with threads");
    processes_ = std::make_unique<MpiProcesses>(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &errors_);
    use_common_instructions();
    // A process frees few matrices that are large enough for glibc to do so by itself.
    detail::keep_freed_memory();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    // Processes that wait for this one would wait for ever.
    if (std::uncaught_exceptions() > 0) MPI_Abort(MPI_COMM_WORLD, exit_other);
    MPI_Comm_free(&errors_);
    processes_.reset();
    if (owns_) MPI_Finalize();
  }

  /// The processes of this program.
  [[nodiscard]] const MpiProcesses& processes() const { return *processes_; }

  /// Runs work(processes()) and returns what it returns, the exit status of the program; 2 after an
  /// InvalidArgument, or 3 after another exception.
  ///
  /// An exception that all processes throw is told once, by process 0. If only some processes
  /// throw, the others would wait for them for ever: one that throws tells its sentence and ends
  /// all after two seconds.
  [[nodiscard]] int run(const std::function<int(const MpiProcesses&)>& work) const {
    try {
      return work(*processes_);
    } catch (const InvalidArgument& error) {
      return end(error.what(), exit_invalid);
    } catch (const std::exception& error) {
      return end(error.what(), exit_other);
    } catch (...) {
      return end("mercer: an exception that is no std::exception", exit_other);
    }
  }

 private:
  /// Processors of several kinds take the inner loops that all of them have: else the processes
  /// would not get the same bits of what each of them computes for itself.
  void use_common_instructions() const {
    const int mine = static_cast<int>(instruction_set());
    int ends[2] = {mine, -mine};  // the least, and the greatest with a minus
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    const auto common = static_cast<InstructionSet>(ends[0]);
    if (ends[0] != -ends[1] && processes_->rank() == 0)
      tell("mercer: the processors differ; all processes use the inner loops for " +
           std::string(to_string(common)));
    set_instruction_set(common);
  }

  static constexpr int exit_invalid = 2, exit_other = 3;

  [[nodiscard]] int end(const std::string& sentence, int status) const {
    if (all_have_failed()) {
      if (processes_->rank() == 0) tell(sentence);
      return status;
    }
    tell(sentence + " (process " + std::to_string(processes_->rank()) + ")");
    MPI_Abort(MPI_COMM_WORLD, status);
    return status;
  }

  static void tell(const std::string& sentence) {
    std::fprintf(stderr, "%s\n", sentence.c_str());
    std::fflush(stderr);
  }

  /// Whether all processes come here within two seconds.
  [[nodiscard]] bool all_have_failed() const {
    using namespace std::chrono_literals;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(errors_, &request);
    const auto begin = std::chrono::steady_clock::now();
    for (int here = 0; std::chrono::steady_clock::now() - begin < 2s;) {
      MPI_Test(&request, &here, MPI_STATUS_IGNORE);
      if (here != 0) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }

  bool owns_ = false;
  std::unique_ptr<MpiProcesses> processes_;
  MPI_Comm errors_ = MPI_COMM_NULL;  ///< on which nothing else is sent
};

}  // namespace mercer::mpi

#endif  // MERCER_MPI_SESSION_HPP
