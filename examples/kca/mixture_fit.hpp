// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fit of a mixture whose kernels and solver are known at run time only.

#ifndef MERCER_EXAMPLES_KCA_MIXTURE_FIT_HPP
#define MERCER_EXAMPLES_KCA_MIXTURE_FIT_HPP

#include <functional>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/models/pair_report.hpp>

#include <examples/kca/fit.hpp>
#include <examples/kca/inputs.hpp>
#include <examples/kca/options.hpp>

namespace kca {

/// What is found of the components in a view, or in all of them together.
struct Components {
  std::string of;                       ///< "view 1"; empty for all views together
  mercer::Matrix<double> expectations;  ///< of the samples, k x d
  double width = 0;                     ///< that the densities are smoothed by
  mercer::Vector<double> grid;          ///< of the first coordinate
  mercer::Matrix<double> densities;     ///< at the grid
};

/// What is left of a fitted mixture when its type is forgotten.
struct Mixture {
  mercer::PairReport report;
  mercer::Vector<double> weights, singular_values;
  double defect = 0;
  std::vector<Components> components;
  std::vector<ViewChoice> choices;  ///< as the kernels of the options
};

/// Chooses kernels and the solver, calls \p ready, and fits. What is wrong with the options is
/// found before \p ready is called. Throws mercer::InvalidArgument, with the option or the files.
[[nodiscard]] Mixture fit_mixture(const Options& options, const Triples& triples,
                                  const std::function<void()>& ready);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_MIXTURE_FIT_HPP
