// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca --sigma cv and --components cv: the width of the kernel, and the number of components, by
/// cross-validation.

#ifndef MERCER_EXAMPLES_KPCA_CROSS_VALIDATION_HPP
#define MERCER_EXAMPLES_KPCA_CROSS_VALIDATION_HPP

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/options.hpp>

namespace kpca {

/// What was tried for a parameter of the kernel and for the number of components, and what came
/// out.
struct CrossValidation {
  std::string parameter;  ///< empty if the kernel was given
  std::string criterion;
  std::vector<double> grid;  ///< values of the parameter; a single one if the kernel was given
  std::vector<mercer::Index> counts;        ///< numbers of components
  mercer::Matrix<double> errors;            ///< values of the parameter x numbers of components
  double best = 0;                          ///< of the parameter
  std::optional<mercer::Index> components;  ///< the best number; empty if it was given
  bool at_edge = false;                     ///< as in mercer::WidthAndComponents
  bool at_last_count = false;               ///< likewise
};

/// Chooses the parameter that is "cv", if there is one, and sets it in \p kernel, and the number of
/// components if that is "cv". \p components are those to ask for otherwise. \p labels belong to
/// the rows of the file. Returns nothing if nothing is "cv". Throws mercer::InvalidArgument.
/// \param prepare  called before the fits, which take long: makes sure of what is written after them
template <mercer::Real S>
[[nodiscard]] std::optional<CrossValidation> cross_validate(const Options& options,
                                                            const mercer::Components& components,
                                                            const SampleFile<S>& training,
                                                            const std::vector<std::string>& labels,
                                                            KernelOptions& kernel,
                                                            const std::function<void()>& prepare);

/// That the best width is at the edge of the grid, or that the best number of components is the
/// largest that was tried, and what to do. Empty if all is well.
[[nodiscard]] std::string edge_of_grid(const CrossValidation& validation);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_CROSS_VALIDATION_HPP
