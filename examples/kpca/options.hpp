// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a user of kpca may say on the command line.

#ifndef MERCER_EXAMPLES_KPCA_OPTIONS_HPP
#define MERCER_EXAMPLES_KPCA_OPTIONS_HPP

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/run_options.hpp>

namespace kpca {

/// The kernel and its parameters as given; what is not given has a default (see make_kernel).
struct KernelOptions {
  std::string name = "gaussian";
  mercer::Settings settings;
  /// Parameters that are distances between samples: "median", a percentile such as "p20", or "cv".
  std::map<std::string, std::string> percentiles;
  std::string percentile = "median";  ///< what such a parameter is by default
  std::string suffix;                 ///< of the names of its options

  /// The parameter that is to be chosen by cross-validation; empty if there is none.
  [[nodiscard]] std::string cross_validated() const {
    for (const auto& [parameter, text] : percentiles)
      if (text == "cv") return parameter;
    return {};
  }
};

/// The solver and its settings as given; what is not given is left to the library.
struct SolverOptions {
  std::string name = "auto";
  mercer::Settings settings;
  bool streams = false;                   ///< the solver reads samples as a stream
  std::optional<double> trace_tolerance;  ///< as in settings
  // What only a program can have:
  std::vector<mercer::Index> checkpoints;    ///< of spgd
  std::string state;                         ///< the file that a fit goes on from; may be empty
  std::optional<mercer::Index> state_every;  ///< steps

  /// A setting that is a whole number, if it was given.
  [[nodiscard]] std::optional<mercer::Index> whole(const std::string& setting) const {
    const auto found = settings.find(setting);
    if (found == settings.end()) return std::nullopt;
    return std::get<mercer::Index>(found->second);
  }
};

/// Fits by parts of the rows.
struct PartOptions {
  std::string out;                  ///< the file for the sums over rows; empty: there is a fit
  std::string like;                 ///< the part that says what to sum; empty if not given
  std::string landmarks;            ///< the file of the landmarks; empty if not given
  std::vector<std::string> merged;  ///< the parts to merge; empty if there is an input
};

/// How a parameter that is "cv" is chosen, and the number of components if it is.
struct CrossValidationOptions {
  std::vector<std::string> selected;  ///< by --select: sigma, components
  std::string criterion = "feature-space";
  std::vector<double> grid;  ///< empty: an eighth of the median of the distances to eight times it
  bool components = false;   ///< the number of components is cv
  std::vector<mercer::Index> counts;  ///< the numbers that are tried; empty: 1 to 10
};

/// The pictures that are wanted, and how labels are shown in them.
struct PictureOptions {
  std::vector<std::string> names = {"scores"};
  std::string label_kind = "auto";

  [[nodiscard]] bool has(const std::string& name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
};

struct Options : RunOptions {
  Options() { out = "kpca-out"; }

  std::string input;
  mercer::io::ColumnChoice columns;  ///< of the input
  std::string project;               ///< empty if not given
  std::string labels;                ///< empty if not given
  std::string weights;               ///< empty if not given
  std::string save;                  ///< where the model goes; empty if not given
  std::string load;                  ///< the model to use in place of a fit; empty if not given
  KernelOptions kernel;
  CrossValidationOptions cross_validation;
  SolverOptions solver;
  PartOptions parts;
  std::optional<mercer::Components> components;
  bool centered = true;
  /// Bring columns to deviation 1, and to mean 0 if they are to be centred.
  std::optional<mercer::StandardizeParams> standardize;
  bool single_precision = false;
  bool as_csv = false;  ///< scores and eigenvalues as text
  PictureOptions pictures;
  bool variables = false;  ///< tell which variables matter

  /// The picture of the errors of a cross-validation; empty if there is none.
  [[nodiscard]] std::string cross_validation_picture() const {
    if (!kernel.cross_validated().empty()) return "bandwidth.svg";
    return cross_validation.components ? "components.svg" : "";
  }
  /// Whether the samples have weights.
  [[nodiscard]] bool weighted() const { return !weights.empty() || !columns.weights.empty(); }

  /// The choice of columns for new samples, which need have no labels and no weights.
  [[nodiscard]] mercer::io::ColumnChoice columns_of_new_samples() const {
    mercer::io::ColumnChoice choice = columns;
    choice.may_miss = true;
    return choice;
  }
  /// The name of a file of results: "scores.npy".
  [[nodiscard]] std::string file_name(const std::string& name) const {
    return name + (as_csv ? ".csv" : ".npy");
  }
};

/// Reads the command line. Returns nothing after a question such as --help, which is answered on
/// standard output. Throws mercer::InvalidArgument naming the option and the value at fault.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

/// What to say where single precision is asked for and was not compiled.
[[nodiscard]] inline std::string without_single_precision() {
  return "this kpca was built for double precision alone; build it whole with "
         "-DMERCER_EXAMPLES_SINGLE=ON, as cmake --preset native does";
}

/// "step_offset" as it is on the command line, without the dashes in front.
[[nodiscard]] inline std::string option_name(std::string parameter) {
  std::replace(parameter.begin(), parameter.end(), '_', '-');
  return parameter;
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_OPTIONS_HPP
