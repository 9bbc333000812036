// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a user of kca may say on the command line.

#ifndef MERCER_EXAMPLES_KCA_OPTIONS_HPP
#define MERCER_EXAMPLES_KCA_OPTIONS_HPP

#include <optional>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/options.hpp>
#include <examples/kpca/run_options.hpp>

namespace kca {

enum class Method { Cca, Svd, Sir, Ica, Mixture };

/// What the second file of sir holds. Automatic: by what is in it.
enum class Target { Automatic, Classes, Slices, Outputs };

/// What ica makes small.
enum class Contrast { Kgv, Kcca };

/// Of cca, svd and sir, and in part of ica and mixture.
struct Options : kpca::RunOptions {
  Options() { out = "kca-out"; }

  Method method = Method::Cca;
  std::string x, y;  ///< the files
  /// Of these files; the second one of sir may have a column of labels, the responses. The first is
  /// also that of ica, and of each file of mixture.
  mercer::io::ColumnChoice columns_x, columns_y;
  kpca::KernelOptions kernel_x, kernel_y;
  kpca::SolverOptions solver;  ///< of the basis of each view
  mercer::Components rank = mercer::Components::all();
  std::optional<mercer::Index> components;
  std::optional<double> regularization;  ///< else 1/n
  bool choose_regularization = false;    ///< by cross-validation
  double holdout = 0;
  mercer::Index permutations = 0;
  std::optional<mercer::Index> slices;
  Target target = Target::Automatic;
  bool centered = true;
  // Of ica, which has x and regularization too:
  Contrast contrast = Contrast::Kgv;
  std::optional<double> sigma;
  // Of mixture, which has the solver, its rank and components too:
  std::vector<std::string> views;            ///< three files, or one with the columns of three
  std::vector<kpca::KernelOptions> kernels;  ///< of each view, or one of exchangeable views
  bool exchangeable = false;

  [[nodiscard]] bool two_kernels() const { return method == Method::Cca || method == Method::Svd; }
};

/// Reads the command line. Returns nothing after --help and --version, which are answered on
/// standard output. Throws mercer::InvalidArgument naming the option and the value at fault.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

/// "cca", as on the command line.
[[nodiscard]] std::string method_name(Method method);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_OPTIONS_HPP
