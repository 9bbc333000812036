// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What is said of a fit that found no component, and of one that has not converged.

#ifndef MERCER_EXAMPLES_KPCA_SHORTFALL_HPP
#define MERCER_EXAMPLES_KPCA_SHORTFALL_HPP

#include <optional>
#include <string>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>

#include <examples/kpca/options.hpp>

namespace kpca {

/// The samples of a fit, as sentences name them.
struct FittedSamples {
  std::string path;
  bool weighted = false;
  bool centered = true;
  bool single = false;  ///< in single precision
};

/// Throws mercer::InvalidArgument, with the reason, if the samples have no component. A fit that has
/// not converged may have none for reasons of its own: shortfall() says which.
/// \param found  the number of components
void require_components(const mercer::Report& report, mercer::Index found,
                        const FittedSamples& samples);

/// The reason in the report, without the solver's choice where that was the user's: no news.
[[nodiscard]] std::string reason_of(const mercer::Report& report);

/// A sentence on the largest residual of a fit that has finished without judging its residuals, if
/// that is above a tenth of the largest eigenvalue: then the components are not those of the data.
/// Else nothing.
/// \param largest  the largest eigenvalue; not set without components
[[nodiscard]] std::string large_residual(const mercer::Report& report,
                                         std::optional<double> largest);

/// For a fit that has not converged: what was not reached, and what can be done, in one line.
/// \param largest    the largest eigenvalue; not set without components
/// \param tolerance  of the residuals, if there is one
[[nodiscard]] std::string shortfall(const mercer::Report& report, std::optional<double> largest,
                                    std::optional<double> tolerance, const SolverOptions& options);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_SHORTFALL_HPP
