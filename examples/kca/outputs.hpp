// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The files that kca cca, svd and sir write.

#ifndef MERCER_EXAMPLES_KCA_OUTPUTS_HPP
#define MERCER_EXAMPLES_KCA_OUTPUTS_HPP

#include <string>

#include <mercer/models/pair_report.hpp>

#include <examples/kca/fit.hpp>
#include <examples/kca/options.hpp>
#include <examples/kpca/json.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/output_parts.hpp>

namespace kca {

/// "correlation", "singular value" or "eigenvalue".
[[nodiscard]] std::string value_name(Method method);

/// The basis of a view for report.json, and what the solution has of it.
[[nodiscard]] kpca::Json view_json(const std::string& input, const kpca::KernelOptions& kernel,
                                   const ViewChoice& choice, const mercer::ViewReport& view);

/// The files of cca, svd and sir in the directory for the results. Each file appears complete or
/// not at all.
class Outputs {
 public:
  explicit Outputs(const Options& options);

  [[nodiscard]] const kpca::ResultDirectory& directory() const { return directory_; }

  /// report.json, the scores, correlations.csv, and holdout_rows.txt (counted from 0).
  void write(const Task& task, const Results& results) const;

  /// scores.svg and correlations.svg. Returns the empty string, or why there are no pictures.
  [[nodiscard]] std::string draw(const Task& task, const Results& results) const;

 private:
  kpca::ResultDirectory directory_;
};

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_OUTPUTS_HPP
