// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The kernels and solvers that there are: mercer's tables, each compiled once, in the file that
/// knows the types behind it.

#ifndef MERCER_EXAMPLES_KPCA_TABLES_HPP
#define MERCER_EXAMPLES_KPCA_TABLES_HPP

#include <vector>

#include <mercer/runtime/table.hpp>

namespace kpca {

[[nodiscard]] const std::vector<mercer::KernelEntry>& kernel_entries();
[[nodiscard]] const std::vector<mercer::SolverEntry>& solver_entries();

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_TABLES_HPP
