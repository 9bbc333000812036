// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What every run of kpca and of kca may be told, whatever it computes; and how both programs read
/// their command line, and end.

#ifndef MERCER_EXAMPLES_KPCA_RUN_OPTIONS_HPP
#define MERCER_EXAMPLES_KPCA_RUN_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/report.hpp>

#include <examples/kpca/help.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace mercer {
class BudgetTooSmall;
}  // namespace mercer

namespace kpca {

struct RunOptions {
  std::string out;                           ///< the directory of the results
  std::optional<std::size_t> memory_budget;  ///< bytes
  std::optional<std::size_t> max_input;      ///< bytes of a compressed file
  std::uint64_t seed = 0;
  std::optional<int> threads;
  bool verbose = false;  ///< say where the time of the fit went
};

/// Each adds one option. \p written, \p drawn and \p held say what it is about.
/// Lifetime: \p app must not parse after \p options is gone.
void add_out(CLI::App& app, RunOptions& options, const std::string& written);
void add_seed(CLI::App& app, RunOptions& options, const std::string& drawn);
void add_memory_budget(CLI::App& app, RunOptions& options, const std::string& held);
void add_max_input(CLI::App& app, RunOptions& options);
void add_threads(CLI::App& app, RunOptions& options);
void add_verbose(CLI::App& app, RunOptions& options);

/// The form of the help, and the options that ask for it.
void describe_program(CLI::App& app, const std::string& footer = "");

/// Reads the command line. Returns false after a question, such as --help, which is answered on
/// standard output; \p tables are those whose entries it may be about. Throws
/// mercer::InvalidArgument, in one line.
[[nodiscard]] bool parse(CLI::App& app, const ProgramText& text,
                         const std::vector<const TableOptions*>& tables, int argc, char** argv);

/// The exit statuses of both programs.
inline constexpr int exit_success = 0, exit_caller_error = 2, exit_not_converged = 3,
                     exit_interrupted = 130;

/// That of a fit.
[[nodiscard]] bool succeeded(mercer::Status status);

/// Takes the number of threads; at most as many as cores, since more would only slow each other
/// down. Says so if it takes fewer than there shall be.
void take_threads(const std::string& program, const RunOptions& options);

/// Takes the limit of compressed files, before any is read.
void take_max_input(const RunOptions& options);

/// A message as users of a program know things: without the names of the library's functions,
/// "mercer::KernelPca::fit: ", and with rows, columns and samples counted from 1.
[[nodiscard]] std::string in_words(std::string message);

/// What is wrong with a memory budget, with the options' names and sizes as these are given.
[[nodiscard]] std::string in_option_words(const mercer::BudgetTooSmall& error,
                                          const std::string& solver);

/// Runs the program. What it throws becomes one line on standard error, and exit_caller_error; and
/// so does what standard output has not taken, but for a closed pipe.
[[nodiscard]] int guarded(const std::string& program, const std::function<int()>& run);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_RUN_OPTIONS_HPP
