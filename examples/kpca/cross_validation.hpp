// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca --sigma cv: the width of the kernel by cross-validation.

#ifndef MERCER_EXAMPLES_KPCA_CROSS_VALIDATION_HPP
#define MERCER_EXAMPLES_KPCA_CROSS_VALIDATION_HPP

#include <optional>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/options.hpp>

namespace kpca {

/// What was tried for a parameter of the kernel, and what came out.
struct CrossValidation {
  std::string parameter, criterion;
  std::vector<double> grid, errors;
  double best = 0;
  bool at_edge = false;
};

/// Chooses the parameter that is "cv", if there is one, and sets it in \p kernel. \p labels belong
/// to the rows of the file. Throws mercer::InvalidArgument.
template <mercer::Real S>
[[nodiscard]] std::optional<CrossValidation> cross_validate(const Options& options,
                                                            const mercer::Components& components,
                                                            const SampleFile<S>& training,
                                                            const std::vector<std::string>& labels,
                                                            KernelOptions& kernel);

/// That the best width is at the edge of the grid, and what to do.
[[nodiscard]] std::string edge_of_grid(const CrossValidation& validation);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_CROSS_VALIDATION_HPP
