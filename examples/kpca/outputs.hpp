// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The files that kpca writes.

#ifndef MERCER_EXAMPLES_KPCA_OUTPUTS_HPP
#define MERCER_EXAMPLES_KPCA_OUTPUTS_HPP

#include <optional>
#include <string>
#include <vector>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>

#include <examples/kpca/cross_validation.hpp>
#include <examples/kpca/fit.hpp>
#include <examples/kpca/kernel_choice.hpp>
#include <examples/kpca/options.hpp>
#include <examples/kpca/output_parts.hpp>
#include <examples/kpca/solver_choice.hpp>
#include <examples/support/stopwatch.hpp>

namespace kpca {

/// A column of the samples, and how much its values differ.
struct Variable {
  std::string name;
  double deviation;
};

/// The directory for the results. Each file appears complete or not at all.
class Outputs {
 public:
  explicit Outputs(const Options& options);

  /// Makes the directory if it is not there, and finds out whether the files can be written to it.
  /// Throws mercer::InvalidArgument if not.
  void prepare() const;

  /// Scores, eigenvalues, projected samples (if new ones were given), as .npy or .csv, and
  /// report.json.
  /// \param watch  the parts of the run so far
  template <mercer::Real S>
  void write(const Results<S>& results, const KernelChoice& kernel, const SolverChoice& solver,
             const std::optional<CrossValidation>& validation, const examples::Stopwatch& watch,
             const Options& options) const;

  /// The projected samples and report.json, of a model that was loaded.
  template <mercer::Real S>
  void write_projection(const Results<S>& results, const std::string& kernel,
                        const Options& options) const;

  /// Eigenvalues and report.json, of a model that was merged from parts.
  template <mercer::Real S>
  void write_merged(const Results<S>& results, const std::string& kernel,
                    const Options& options) const;

  /// There are no projected samples to write, though they were asked for.
  void leave_out_projected(const Options& options) {
    directory_.leave_out(options.file_name("projected"));
  }

  /// iterate_<t>_values.npy and iterate_<t>_vectors.npy.
  void write_iterate(mercer::Index t, const mercer::EigenSystem<double>& iterate);

  /// variables.csv: the mean absolute gradients, if there are any, a row for each variable.
  template <mercer::Real S>
  void write_variables(const Results<S>& results, const std::vector<Variable>& variables) const;

  /// The pictures that the options ask for: scores.svg, the first two components, coloured by
  /// label; scree.svg; pairs.svg. With a cross-validation also bandwidth.svg, the error of each
  /// width, or components.svg, the error of each number of components for a given width; with
  /// variables, variables.svg. Returns the empty string, or why there is no picture.
  template <mercer::Real S>
  [[nodiscard]] std::string draw(const Results<S>& results, const KernelChoice& choice,
                                 const std::vector<std::string>& labels,
                                 const std::optional<CrossValidation>& validation,
                                 const std::vector<Variable>& variables,
                                 const Options& options) const;

  /// The names of the files, one after the other; also of the iterates that were written.
  [[nodiscard]] std::string list(bool with_picture) const { return directory_.list(with_picture); }
  /// The names of the pictures.
  [[nodiscard]] const std::vector<std::string>& pictures() const { return directory_.pictures(); }

 private:
  template <mercer::Real S>
  void write_eigenvalues(const Results<S>& results, const Options& options) const;
  template <mercer::Real S>
  void write_projected(const Results<S>& results, const Options& options) const;

  ResultDirectory directory_;
  std::string model_;  // where --save wants it
  std::string state_;  // the file of --state
  std::vector<mercer::Index> checkpoints_;
};

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_OUTPUTS_HPP
