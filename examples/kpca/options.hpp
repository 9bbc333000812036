// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a user of kpca may say on the command line.

#ifndef MERCER_EXAMPLES_KPCA_OPTIONS_HPP
#define MERCER_EXAMPLES_KPCA_OPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace kpca {

/// The kernel and its parameters as given; what is not given has a default that depends on the
/// kernel (see make_kernel).
struct KernelOptions {
  std::string name = "gaussian";
  std::optional<std::string> sigma;   ///< a number, "median" or a percentile such as "p20"
  std::optional<std::string> length;  ///< likewise
  std::optional<double> gamma, coef0, alpha, nu, beta, scale;
  std::optional<int> degree, order;
};

/// The solver and its settings as given; what is not given is left to the library.
struct SolverOptions {
  std::string name = "auto";
  std::optional<double> tolerance, trace_tolerance;
  std::optional<mercer::Index> landmarks;
  std::optional<std::string> sampling;
  // spgd:
  std::optional<std::string> estimator, start;
  std::optional<mercer::Index> features, iterations, max_rank;
  std::optional<double> lambda, step_offset;
  std::vector<mercer::Index> checkpoints;
  // kernel-hebbian:
  std::optional<std::string> gain;
  std::optional<double> step;
  std::optional<mercer::Index> epochs;
  // features, doubly-stochastic, with features, step and epochs of the others:
  std::optional<std::string> map, rule;
  std::optional<mercer::Index> feature_batch, data_batch;
  std::string state;  ///< the file that a fit goes on from; empty if not given
  std::optional<mercer::Index> state_every;
  // dual:
  std::optional<std::string> loss;
  std::optional<double> kappa, epsilon;
  std::optional<mercer::Index> starts;

  /// Whether the solver reads samples as a stream.
  [[nodiscard]] bool streams() const { return name == "features" || name == "doubly-stochastic"; }
};

struct Options {
  std::string input;
  std::string project;  ///< empty if not given
  std::string labels;   ///< empty if not given
  std::string save;     ///< where the model goes; empty if not given
  std::string load;     ///< the model to use in place of a fit; empty if not given
  std::string out = "kpca-out";
  KernelOptions kernel;
  SolverOptions solver;
  std::optional<std::size_t> memory_budget;  ///< bytes
  std::optional<mercer::Components> components;
  bool centered = true;
  std::uint64_t seed = 0;
  bool single_precision = false;
  std::optional<int> threads;
};

/// Reads the command line. Returns nothing after --help and --version, which are answered on
/// standard output. Throws mercer::InvalidArgument naming the option and the value at fault.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_OPTIONS_HPP
