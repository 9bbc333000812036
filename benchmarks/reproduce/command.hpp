// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the programs of this folder have in common: commands with arguments name=value, the time,
/// and results as lines of JSON.

#ifndef MERCER_BENCHMARKS_REPRODUCE_COMMAND_HPP
#define MERCER_BENCHMARKS_REPRODUCE_COMMAND_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>

namespace reproduce {

/// What follows the command, in the form name=value.
class Arguments {
 public:
  Arguments(int argc, char* argv[]) {
    for (int i = 2; i < argc; ++i) {
      const std::string word = argv[i];
      const auto at = word.find('=');
      if (at == std::string::npos) throw std::invalid_argument(word + " is not name=value");
      values_[word.substr(0, at)] = word.substr(at + 1);
    }
  }

  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] const std::string& text(const std::string& name) const {
    if (!has(name)) throw std::invalid_argument(name + "= is missing");
    return values_.at(name);
  }
  [[nodiscard]] double number(const std::string& name) const { return std::stod(text(name)); }
  [[nodiscard]] mercer::Index count(const std::string& name) const { return std::stol(text(name)); }
  [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(count("seed")); }
  [[nodiscard]] std::vector<mercer::Index> counts(const std::string& name) const {
    return list<mercer::Index>(name, [](const std::string& word) { return std::stol(word); });
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    return list<double>(name, [](const std::string& word) { return std::stod(word); });
  }

 private:
  /// Words between commas.
  template <class T, class Parse>
  [[nodiscard]] std::vector<T> list(const std::string& name, const Parse& parse) const {
    std::vector<T> out;
    std::istringstream words(text(name));
    for (std::string word; std::getline(words, word, ',');) out.push_back(parse(word));
    return out;
  }

  std::map<std::string, std::string> values_;
};

/// Seconds of some stretches of work, and those of processors: the sum over all threads, which
/// other programs on the machine change less.
class Stopwatch {
 public:
  void start() {
    begin_ = Clock::now();
    processor_begin_ = std::clock();
  }
  void stop() {
    seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count();
    processor_ += static_cast<double>(std::clock() - processor_begin_) / CLOCKS_PER_SEC;
  }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] double processor_seconds() const { return processor_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  std::clock_t processor_begin_ = std::clock();
  double seconds_ = 0, processor_ = 0;
};

/// One line of JSON of numbers.
inline void print(const std::vector<std::pair<std::string, double>>& fields) {
  const char* before = "{";
  for (const auto& [name, value] : fields) {
    std::printf("%s\"%s\": %.17g", before, name.c_str(), value);
    before = ", ";
  }
  std::printf("}\n");
  std::fflush(stdout);
}

[[nodiscard]] inline bool contains(const std::vector<mercer::Index>& counts, mercer::Index count) {
  return std::find(counts.begin(), counts.end(), count) != counts.end();
}

using Commands = std::map<std::string, void (*)(const Arguments&)>;

/// main(): runs the command that comes first; 2 and a sentence for a caller's mistake.
inline int run(int argc, char* argv[], const Commands& commands, const char* usage) try {
  const auto command = commands.find(argc > 1 ? argv[1] : "");
  if (command == commands.end()) {
    std::fprintf(stderr, "%s\n", usage);
    return 2;
  }
  command->second(Arguments(argc, argv));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}

}  // namespace reproduce

#endif  // MERCER_BENCHMARKS_REPRODUCE_COMMAND_HPP
