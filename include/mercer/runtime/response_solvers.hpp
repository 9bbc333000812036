// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The solvers of KernelSir alone by name.

#ifndef MERCER_RUNTIME_RESPONSE_SOLVERS_HPP
#define MERCER_RUNTIME_RESPONSE_SOLVERS_HPP

#include <string_view>
#include <vector>

#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/dense/ridge_cholesky.hpp>

namespace mercer {

/// Names, descriptions and parameters of the solvers that need the response of KernelSir. It takes
/// those of solver_table() too.
[[nodiscard]] inline const std::vector<ResponseSolverEntry>& response_solver_table() {
  static const std::vector<ResponseSolverEntry> table = {
      {{"ridge-cholesky",
        "one Cholesky factorisation in place of all eigenpairs, with the same result",
        {},
        {"cholesky"}},
       [](const Arguments&) { return RidgeCholesky{}; }}};
  return table;
}

/// The solver of this name.
/// \code
///   const AnyKernel kernel = make_kernel("gaussian", {{"sigma", 1.5}});
///   const auto solver = make_response_solver("ridge-cholesky");
///   const auto model = KernelSir{kernel, solver, {.components = 2}}.fit(X, y);
/// \endcode
/// Throws InvalidArgument for an unknown name, with those known, and for settings that do not fit.
[[nodiscard]] inline RidgeCholesky make_response_solver(std::string_view name,
                                                        const Settings& settings = {}) {
  const ResponseSolverEntry& entry =
      require_entry("solver for a response", response_solver_table(), name);
  return entry.make({entry.name, entry.parameters, settings});
}

}  // namespace mercer

#endif  // MERCER_RUNTIME_RESPONSE_SOLVERS_HPP
