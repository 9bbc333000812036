// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a user of kca may say on the command line.

#ifndef MERCER_EXAMPLES_KCA_OPTIONS_HPP
#define MERCER_EXAMPLES_KCA_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/options.hpp>

namespace kca {

enum class Method { Cca, Svd, Sir };

/// What the second file of sir holds. Automatic: by what is in it.
enum class Target { Automatic, Classes, Slices, Outputs };

struct Options {
  Method method = Method::Cca;
  std::string x, y;  ///< the files
  std::string out = "kca-out";
  kpca::KernelOptions kernel_x, kernel_y;
  kpca::SolverOptions solver;  ///< of the basis of each view
  mercer::Components rank = mercer::Components::all();
  std::optional<mercer::Index> components;
  std::optional<double> regularization;  ///< else 1/n
  bool choose_regularization = false;    ///< by cross-validation
  double holdout = 0;
  mercer::Index permutations = 0;
  mercer::Index slices = 10;
  Target target = Target::Automatic;
  bool centered = true;
  std::optional<std::size_t> memory_budget;  ///< bytes
  std::uint64_t seed = 0;
  std::optional<int> threads;

  [[nodiscard]] bool two_kernels() const { return method != Method::Sir; }
};

/// Reads the command line. Returns nothing after --help and --version, which are answered on
/// standard output. Throws mercer::InvalidArgument naming the option and the value at fault.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_OPTIONS_HPP
