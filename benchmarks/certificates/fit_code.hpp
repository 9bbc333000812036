// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The code of fit(), which each precision compiles in a file of its own.

#ifndef MERCER_BENCHMARKS_CERTIFICATES_FIT_CODE_HPP
#define MERCER_BENCHMARKS_CERTIFICATES_FIT_CODE_HPP

#include <variant>

#include <benchmarks/certificates/fit.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/any_solver.hpp>
#include <mercer/runtime/solvers.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>

namespace certificates {

namespace detail {

template <class Solver, mercer::Real S>
[[nodiscard]] Fitted fit_with(const Solver& solver, const mercer::AnyKernel& kernel,
                              const mercer::Matrix<S>& x, const Job& job) {
  const mercer::KernelPca pca{
      kernel,
      solver,
      {.components = job.components, .centered = job.centered, .precision = job.precision}};
  const auto model = pca.fit(x);
  Fitted fitted{model.eigenvalues().template cast<double>(), {}, model.report()};
  if constexpr (requires { model.training_scores(); })
    fitted.scores = model.training_scores().template cast<double>();
  else
    fitted.scores = model.transform(x).template cast<double>();
  return fitted;
}

}  // namespace detail

template <mercer::Real S>
Fitted fit(const mercer::AnyKernel& kernel, const mercer::Matrix<S>& x, const Job& job) {
  if (job.solver == "power-iteration") {
    mercer::PowerIterationParams params{.seed = job.seed};
    for (const auto& [name, value] : job.settings)
      if (name == "tolerance") params.tolerance = std::get<double>(value);
    return detail::fit_with(mercer::PowerIteration(params), kernel, x, job);
  }
  const mercer::AnySolver solver = mercer::make_solver(job.solver, job.settings,
                                                       {.kernel = kernel,
                                                        .components = job.components,
                                                        .samples = x.rows(),
                                                        .dimension = x.cols(),
                                                        .seed = job.seed})
                                       .solver;
  return std::visit([&](const auto& one) { return detail::fit_with(one, kernel, x, job); }, solver);
}

}  // namespace certificates

#endif  // MERCER_BENCHMARKS_CERTIFICATES_FIT_CODE_HPP
