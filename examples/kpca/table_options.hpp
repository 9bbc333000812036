// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Options of the command line for the parameters of all kernels, or of all solvers: made of
/// mercer's tables, which give their names, ranges, defaults and descriptions.

#ifndef MERCER_EXAMPLES_KPCA_TABLE_OPTIONS_HPP
#define MERCER_EXAMPLES_KPCA_TABLE_OPTIONS_HPP

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <mercer/io/from_chars.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kpca {

/// The text in lines that fit beside the options' names.
[[nodiscard]] std::string wrapped(std::string text);

/// The name of a validator that lets one of these words pass.
[[nodiscard]] std::string choices_name(const std::vector<std::string>& words);

/// The words that an option takes, if they are known.
[[nodiscard]] std::vector<std::string> choices_of(CLI::Option& option);

/// The whole text as a number, if it is one.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = mercer::io::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One option for each name of a parameter, which several entries of the table may have.
class TableOptions {
 public:
  /// An option of the program's own, for some entries.
  struct Own {
    std::vector<std::string> entries;
    std::string option;
    bool given;
  };

  /// \p kind is "kernel" or "solver". With a suffix, "-y", the options are second ones: --sigma-y.
  /// A parameter that is a distance is by default the \p percentile of those between samples.
  template <class Entry>
  TableOptions(std::string kind, const std::vector<Entry>& table, std::string suffix = "",
               std::string percentile = "median")
      : kind_(std::move(kind)),
        suffix_(std::move(suffix)),
        percentile_(std::move(percentile)),
        entries_(table.begin(), table.end()) {}

  /// Parameters that are distances may also be "cv": chosen by cross-validation.
  void allow_cross_validation() { cross_validation_ = true; }

  /// Whether a parameter was given.
  [[nodiscard]] bool any_given() const;

  /// Lifetime: \p app must not parse after this object is gone.
  void add_to(CLI::App& app);

  /// The group in the help for options of this entry alone.
  [[nodiscard]] std::string group_of(const std::string& entry) const;

  [[nodiscard]] const std::string& kind() const { return kind_; }
  [[nodiscard]] const std::vector<mercer::TableEntry>& entries() const { return entries_; }

  /// What the help says of a parameter of this entry.
  [[nodiscard]] std::string help_of(const mercer::Parameter& parameter) const;

  /// What the value of a parameter is called in the help: "N".
  [[nodiscard]] std::string value_name(const mercer::Parameter& parameter) const;

  /// The option of a parameter: "--step-offset".
  [[nodiscard]] std::string option(const std::string& parameter) const;

  /// A parameter of the entry of this name becomes "cv", for \p asker. Throws
  /// mercer::InvalidArgument, which begins with \p asker, if the entry has none of this name, or if
  /// something else was given for it.
  void cross_validate(const std::string& name, const std::string& parameter,
                      const std::string& asker);

  /// Checks what was given for the entry of this name. Parameters that are distances may be
  /// "median", a percentile or, if that is allowed, "cv". Throws mercer::InvalidArgument for an
  /// option that the entry does not have, and for a value out of range.
  void take(const std::string& name, const std::vector<Own>& own, mercer::Settings& settings,
            std::map<std::string, std::string>& percentiles) const;

 private:
  [[nodiscard]] const mercer::TableEntry& entry(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> parameter_names() const;
  [[nodiscard]] std::string help(const std::string& parameter, std::string& group) const;
  [[nodiscard]] std::vector<std::string> choices(const std::string& parameter) const;

  std::string kind_;
  std::string suffix_, percentile_;
  bool cross_validation_ = false;
  std::vector<mercer::TableEntry> entries_;
  std::map<std::string, std::optional<std::string>> texts_;  // by the names of parameters
};

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_TABLE_OPTIONS_HPP
