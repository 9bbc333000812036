// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The files that kca writes.

#ifndef MERCER_EXAMPLES_KCA_OUTPUTS_HPP
#define MERCER_EXAMPLES_KCA_OUTPUTS_HPP

#include <string>
#include <vector>

#include <examples/kca/fit.hpp>
#include <examples/kca/options.hpp>

namespace kca {

/// "cca", as on the command line.
[[nodiscard]] std::string method_name(Method method);

/// "correlation", "singular value" or "eigenvalue".
[[nodiscard]] std::string value_name(Method method);

/// Throws mercer::InvalidArgument if a file that is to be written is one of those that are read.
void require_separate_files(const Options& options);

/// The directory for the results. Each file appears complete or not at all.
class Outputs {
 public:
  explicit Outputs(const Options& options);

  /// Makes the directory if it is not there, and finds out whether the files can be written to it.
  /// Throws mercer::InvalidArgument if not.
  void prepare() const;

  /// report.json, the scores, correlations.csv, and holdout_rows.txt (counted from 0).
  void write(const Task& task, const Results& results) const;

  /// scores.svg and correlations.svg. Returns the empty string, or why there are no pictures.
  [[nodiscard]] std::string draw(const Task& task, const Results& results) const;

  /// The names of the files, one after the other.
  [[nodiscard]] std::string list(bool with_pictures) const;

 private:
  [[nodiscard]] std::string path(const std::string& name) const;

  std::string directory_;
  std::vector<std::string> names_;
};

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_OUTPUTS_HPP
