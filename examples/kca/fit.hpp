// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fit of two views whose kernels and solvers are known at run time only: what goes in and what
/// comes out.

#ifndef MERCER_EXAMPLES_KCA_FIT_HPP
#define MERCER_EXAMPLES_KCA_FIT_HPP

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/pair_report.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>

#include <examples/kca/inputs.hpp>
#include <examples/kca/options.hpp>

namespace kca {

struct Task {
  const Options& options;
  const Pairs& pairs;
  const Responses& responses;  ///< of sir
  mercer::Index components;
  mercer::Observer observer;
};

using NamedValues = std::vector<std::pair<std::string, mercer::ParameterValue>>;

/// What was chosen for a view that has a kernel.
struct ViewChoice {
  std::string kernel;  ///< for people: "gaussian (sigma 2.36)"
  NamedValues parameters;
  NamedValues settings;  ///< of the solver
};

/// Ridges that were tried, and their scores.
struct RidgeTable {
  std::vector<double> grid, scores;
};

/// How well the functions of sir tell the responses.
struct Judgement {
  std::string name;  ///< "accuracy", of the nearest class mean; others are of least squares
  double training;
  std::optional<double> holdout;
};

/// What is left of a fitted model when its type is forgotten.
struct Results {
  mercer::PairReport report;
  std::vector<ViewChoice> views;
  std::vector<double> values;                 ///< correlations, singular values or eigenvalues
  mercer::Matrix<double> scores_x, scores_y;  ///< of all rows; sir has those of x alone
  std::optional<double> regularization;       ///< the relative ridge
  RidgeTable ridges;                          ///< empty if the ridge was not chosen by them
  std::vector<double> null;                   ///< largest correlations of random pairings
  std::optional<double> dependence;           ///< of svd
  std::vector<double> explained;              ///< shares of it
  std::vector<Judgement> judgements;          ///< of sir
  mercer::Index slices = 0;                   ///< how many sir made, if it cuts the responses
};

/// The solvers of sir alone: mercer's table, compiled once.
[[nodiscard]] const std::vector<mercer::ResponseSolverEntry>& response_solvers();

/// Chooses kernels and solvers, calls \p ready, and fits. What is wrong with the options is found
/// before \p ready is called. Throws mercer::InvalidArgument, with the option or the file.
[[nodiscard]] Results fit(const Task& task, const std::function<void()>& ready);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_FIT_HPP
