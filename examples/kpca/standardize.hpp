// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// kpca --standardize and --scale-only.

#ifndef MERCER_EXAMPLES_KPCA_STANDARDIZE_HPP
#define MERCER_EXAMPLES_KPCA_STANDARDIZE_HPP

#include <optional>

#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>

#include <examples/kpca/inputs.hpp>
#include <examples/kpca/options.hpp>

namespace kpca {

/// Brings the samples of a file, those in memory, to standard units.
template <mercer::Real S>
void apply(const mercer::Standardize& standardize, SampleFile<S>& file);

/// If the options want it, brings the samples in memory to standard units. Returns what was done to
/// them. Of a file that is read piece by piece, all rows count. Throws mercer::InvalidArgument.
template <mercer::Real S>
[[nodiscard]] std::optional<mercer::Standardize> standardize(const Options& options,
                                                             SampleFile<S>& file);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_STANDARDIZE_HPP
