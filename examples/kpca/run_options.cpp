// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/run_options.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/expansion_limit.hpp>
#include <mercer/io/text.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/option_parts.hpp>
#include <examples/kpca/table_options.hpp>

namespace kpca {
namespace {

/// Help without the lists of options that need or exclude each other: the texts say so.
struct Help : CLI::Formatter {
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string all = CLI::Formatter::make_option_opts(option);
    return all.substr(0, (std::min)(all.find(" Needs:"), all.find(" Excludes:")));
  }
};

[[nodiscard]] std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// What CLI11 says, in one line.
[[nodiscard]] std::string told(std::string text) {
  constexpr std::string_view one_only = ": At Most 1 required but received ";
  text = one_line(std::move(text));
  const std::size_t at = text.find(one_only);
  if (at == std::string::npos) return text;
  const std::string times = text.substr(at + one_only.size());
  return text.substr(0, at) + ": is given " + (times == "2" ? "twice" : times + " times");
}

/// Why standard output has not taken all that was printed, as an errno; 0 if it has.
[[nodiscard]] int output_error() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  if (errno != 0) return errno;
  // An earlier write has failed, and its reason is gone: one more fails for the same.
  std::clearerr(stdout);
  if (std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0) return EIO;
  return errno != 0 ? errno : EIO;
}

/// The library counts rows from 0 and says so; people count the lines of a file from 1.
[[nodiscard]] std::string counted_from_one(std::string message) {
  constexpr std::string_view mark = " (counted from 0)", separator = ": ";
  constexpr std::array<std::string_view, 7> things = {"row",      "column",   "sample",   "samples",
                                                      "variable", "landmark", "component"};
  const std::size_t end = message.find(mark);
  if (end == std::string::npos) return message;
  const std::size_t begin = message.rfind(separator, end);
  const std::size_t from = begin == std::string::npos ? 0 : begin + separator.size();
  std::istringstream words(message.substr(from, end - from));
  std::string text, before;
  bool several = false;  // "samples 3 and 4"
  for (std::string word; words >> word;) {
    const bool counted = std::find(things.begin(), things.end(), before) != things.end() ||
                         (several && before == "and");
    std::size_t digits = word.find_first_not_of("0123456789");
    digits = (std::min)(digits, word.size());
    several = (several && word == "and") || (counted && digits > 0 && before == "samples");
    before = word;
    if (const auto number = parse_number<mercer::Index>(word.substr(0, digits)); counted && number)
      word = std::to_string(*number + 1) + word.substr(digits);
    text += (text.empty() ? "" : " ") + word;
  }
  return message.substr(0, from) + text + message.substr(end + mark.size());
}

/// The exit status of a run that has ended, when all that it printed is written.
[[nodiscard]] int with_output_written(const std::string& program, int status) {
  const int error = output_error();
  // A reader that has seen enough, such as head, is no error. Most programs end by SIGPIPE before.
  if (error == 0 || error == EPIPE) return status;
  std::fprintf(stderr, "%s: standard output: cannot write: %s\n", program.c_str(),
               std::generic_category().message(error).c_str());
  return status == exit_success ? exit_caller_error : status;
}

}  // namespace

void add_out(CLI::App& app, RunOptions& options, const std::string& written) {
  app.add_option("-o,--out", options.out, wrapped("Where the results go: " + written))
      ->type_name("DIR")
      ->capture_default_str();
}

void add_seed(CLI::App& app, RunOptions& options, const std::string& drawn) {
  app.add_option("--seed", options.seed, wrapped("Seed of random choices: " + drawn))
      ->type_name("N")
      ->transform(whole_number(0, (std::numeric_limits<std::int64_t>::max)()))
      ->capture_default_str();
}

void add_memory_budget(CLI::App& app, RunOptions& options, const std::string& held) {
  app.add_option_function<std::string>(
         "--memory-budget",
         [&options](const std::string& text) { options.memory_budget = parse_bytes(text); },
         wrapped("Bytes for " + held))
      ->type_name("SIZE")
      ->check(byte_size());
}

void add_max_input(CLI::App& app, RunOptions& options) {
  app.add_option_function<std::string>(
         "--max-input",
         [&options](const std::string& text) { options.max_input = parse_bytes(text); },
         wrapped("The most bytes that a .gz file, or an array of a .npz or .h5 file, may become "
                 "when it is decompressed, e.g. 500M. Default: half of the memory that is free"))
      ->type_name("SIZE")
      ->check(byte_size());
}

void add_threads(CLI::App& app, RunOptions& options) {
  app.add_option("-j,--threads", options.threads, "Default: all cores, which are also the most")
      ->type_name("T")
      ->transform(whole_number(1, 1024));
}

void add_verbose(CLI::App& app, RunOptions& options) {
  app.add_flag("-v,--verbose", options.verbose,
               wrapped("Show where the time of the fit went: seconds and bytes of each phase, and "
                       "how much of it ran on one thread"));
}

void describe_program(CLI::App& app, const std::string& footer) {
  add_questions(app);
  app.set_version_flag("--version", MERCER_VERSION_STRING);
  app.formatter(std::make_shared<Help>());
  app.get_formatter()->column_width(26);
  app.footer(footer + exit_statuses());
}

bool parse(CLI::App& app, const ProgramText& text, const std::vector<const TableOptions*>& tables,
           int argc, char** argv) {
  const std::vector<std::string> words(argv + (std::min)(argc, 1), argv + argc);
  if (answer(app, text, tables, words)) return false;
  require_known_options(app, words);
  if (works_alone(app))
    for (CLI::App* const method : app.get_subcommands({}))
      method->disabled(words.empty() || words[0] != method->get_name());
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    throw mercer::InvalidArgument(told(error.what()));
  }
}

bool succeeded(mercer::Status status) {
  return status == mercer::Status::Converged || status == mercer::Status::Finished;
}

void take_threads(const std::string& program, const RunOptions& options) {
  const int cores = mercer::core_count();
  const int threads = options.threads.value_or(mercer::thread_count());
  if (options.threads && threads > cores)
    std::fprintf(stderr, "%s: --threads %d: only %d can run at one time, and are used\n",
                 program.c_str(), threads, cores);
  // Also without the option: this is a setting of OpenMP, so BLAS keeps to it too.
  mercer::set_thread_count((std::min)(threads, cores));
}

void take_max_input(const RunOptions& options) {
  mercer::io::set_expansion_limit(options.max_input.value_or(0));
}

std::string in_option_words(const mercer::BudgetTooSmall& error, const std::string& solver) {
  const auto size = [](const std::string& text) {  // "30 KiB" is given as 30K
    if (!text.ends_with("iB")) return text;
    const std::size_t blank = text.find(' ');
    return text.substr(0, blank) + text[blank + 1];
  };
  const mercer::detail::BudgetInWords words(error.budget(), error.needed());
  return "--memory-budget: " + size(words.budget) + " is too small for --solver " + solver +
         ", whose vectors and a tile a thread take " + size(words.needed) +
         "; give more, or take fewer --components, or --solver nystrom with fewer --landmarks";
}

std::string in_words(std::string message) {
  constexpr std::string_view library = "mercer::", separator = ": ";
  std::size_t at = 0;
  while ((at = message.find(library, at)) != std::string::npos) {
    const std::size_t end = message.find_first_of(" \t\n", at);
    const bool names_function = end != std::string::npos && message[end - 1] == ':';
    const bool begins = at == 0 || message.substr(0, at).ends_with(separator);
    if (names_function && begins)
      message.erase(at, end + 1 - at);
    else
      at += library.size();
  }
  constexpr std::string_view name = "mercer: ";  // of what is not about one function
  if (message.starts_with(name)) message.erase(0, name.size());
  if (const std::size_t inside = message.find(": mercer: "); inside != std::string::npos)
    message.erase(inside + separator.size(), name.size());
  return counted_from_one(std::move(message));
}

int guarded(const std::string& program, const std::function<int()>& run) {
  try {
    return with_output_written(program, run());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: not enough memory\n", program.c_str());
  } catch (const std::exception& error) {
    // It may quote a file.
    std::fprintf(stderr, "%s: %s\n", program.c_str(),
                 mercer::io::printable(in_words(error.what())).c_str());
  }
  return exit_caller_error;
}

}  // namespace kpca
