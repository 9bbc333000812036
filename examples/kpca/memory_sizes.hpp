// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Sizes of memory: as users write them, as messages show them, and what a solver needs.

#ifndef MERCER_EXAMPLES_KPCA_MEMORY_SIZES_HPP
#define MERCER_EXAMPLES_KPCA_MEMORY_SIZES_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace kpca {

/// "4G", "4GB", "4gib" and the like: bytes, or multiples of 1024, 1024^2, ... bytes. Empty if it is
/// no such thing.
[[nodiscard]] std::optional<std::size_t> parse_bytes(std::string_view text);

/// "1.5 GiB", for messages.
[[nodiscard]] std::string gibibytes(double bytes);

/// Throws mercer::InvalidArgument if a dense solver would exceed the given memory budget. The others
/// keep to it by themselves, except as beyond_budget() says. Of a fraction of the variance, whose
/// number of components is not known yet, the matrix alone counts. \p value_size is that of a
/// kernel value, in bytes.
void require_exact_fits(const std::string& solver, const std::optional<std::size_t>& budget,
                        mercer::Index samples, const mercer::Components& components,
                        std::size_t value_size);

/// A sentence if a fit took more than the given memory budget, or nothing: what --features and
/// --landmarks ask for is not limited by it.
[[nodiscard]] std::string beyond_budget(const mercer::Report& report,
                                        const std::optional<std::size_t>& budget);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_MEMORY_SIZES_HPP
