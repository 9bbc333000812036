// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The options of kca between the command line and their values.

#ifndef MERCER_EXAMPLES_KCA_OPTION_TEXTS_HPP
#define MERCER_EXAMPLES_KCA_OPTION_TEXTS_HPP

#include <optional>
#include <string>
#include <vector>

#include <mercer/runtime/table.hpp>

#include <examples/kca/options.hpp>
#include <examples/kpca/table_options.hpp>
#include <examples/kpca/tables.hpp>

namespace kca {

/// The solvers whose components are eigenfunctions, and exact enough to be a basis.
[[nodiscard]] const std::vector<mercer::SolverEntry>& solvers_of_views();

/// The solvers of sir: these, and those that need its responses.
[[nodiscard]] const std::vector<mercer::TableEntry>& solvers_of_sir();

/// The default of distances in the kernels of a mixture. A wide kernel smooths its densities, and
/// makes the components more alike.
inline constexpr const char* narrow = "p10";

/// The options as texts, until all of them are known.
struct Texts {
  Texts() { options.solver.name = "exact"; }

  Options options;
  std::optional<std::string> kernel_y, kernel_2, kernel_3, rank, regularization, sigma;
  std::string holdout = "0", target = "auto", contrast = "kgv";
  std::string mixture_solver = "nystrom";  // views are pooled: exact takes (3 n)^2 values
  bool no_center = false;
  kpca::TableOptions kernels_x{"kernel", kpca::kernel_entries()};
  kpca::TableOptions kernels_y{"kernel", kpca::kernel_entries(), "-y"};
  kpca::TableOptions kernels_1{"kernel", kpca::kernel_entries(), "", narrow};
  kpca::TableOptions kernels_2{"kernel", kpca::kernel_entries(), "-2"};
  kpca::TableOptions kernels_3{"kernel", kpca::kernel_entries(), "-3"};
  kpca::TableOptions solvers{"solver", solvers_of_sir()};
};

/// The values. Throws mercer::InvalidArgument naming the option and the value at fault.
[[nodiscard]] Options take(const Texts& texts, Method method);

}  // namespace kca

#endif  // MERCER_EXAMPLES_KCA_OPTION_TEXTS_HPP
