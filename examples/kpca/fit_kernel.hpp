// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fit itself, for each form of samples and each solver. Included by the source files that
/// compile it for one precision each.

#ifndef MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP
#define MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP

#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include <mercer/core/errors.hpp>
#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
#include <mercer/io/archive.hpp>
#endif
#include <mercer/models/kernel_pca.hpp>

#include <examples/kpca/any_kernel.hpp>
#include <examples/kpca/fit.hpp>
#include <examples/kpca/fit_features.hpp>
#include <examples/kpca/fit_results.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kpca {

template <class Kernel, mercer::OwnedSamples X, mercer::Real S = typename X::Scalar>
[[nodiscard]] Results<S> fit_one(const Kernel& kernel, const X& samples,
                                 const SampleFile<S>& training,
                                 const std::optional<SampleFile<S>>& fresh,
                                 const FitSettings& settings) {
  check_domain(kernel, samples, training.path);
  std::optional<X> new_samples;
  if (fresh) {
    new_samples = in_form<X>(fresh->samples);
    check_domain(kernel, *new_samples, fresh->path);
  }
  return std::visit(
      [&](const auto& solver) -> Results<S> {
        using Solver = std::decay_t<decltype(solver)>;
        if constexpr (!takes_kernel<Solver, Kernel>) {
          throw mercer::InvalidArgument(training.path +
                                        ": the solver draws features, and the kernel " +
                                        kernel.describe() + " has none");
        } else if constexpr (mercer::FeatureSolver<Solver>) {
          return fit_features(any_of_them(kernel), solver, training, fresh, settings);
        } else {
          // All of kernel PCA is in these lines.
          const mercer::KernelPca pca{kernel, solver, params_of(settings)};
          const auto model =
              in_context(training.path, [&] { return pca.fit(samples, settings.observer); });
          Results<S> results = results_of_fit(model, settings);
          results.scores = model.training_scores();
          if (new_samples)
            results.projected =
                in_context(fresh->path, [&] { return model.transform(*new_samples); });
          return results;
        }
      },
      settings.solver);
}

template <class Kernel, mercer::Real S>
Results<S> fit(const Kernel& kernel, const SampleFile<S>& training,
               const std::optional<SampleFile<S>>& fresh, const FitSettings& settings) {
  return std::visit(
      [&](const auto& samples) -> Results<S> {
        if constexpr (mercer::evaluates_on<Kernel, std::decay_t<decltype(samples)>>)
          return fit_one(kernel, samples, training, fresh, settings);
        else
          throw mercer::InvalidArgument(
              training.path + ": the samples are sparse (LIBSVM), and the kernel " +
              kernel.describe() + " takes dense ones only; give them as .npy or .csv");
      },
      training.samples);
}

#if defined(MERCER_HAS_CEREAL)

/// All that a program needs that knows the type of its model.
template <class Model, mercer::OwnedSamples X, mercer::Real S = typename X::Scalar>
[[nodiscard]] Results<S> project_one(const mercer::io::Archive& archive, const std::string& path) {
  const auto model = archive.get<Model>();
  const SampleFile<S> fresh = read_sample_file<S>(path, model.report().dimension);
  const X samples = in_form<X>(fresh.samples);
  check_domain(model.kernel(), samples, path);
  Results<S> results = results_of(model);
  results.projected = in_context(path, [&] { return model.transform(samples); });
  return results;
}

template <class Kernel, mercer::Real S>
Results<S> project(const mercer::io::Archive& archive, const std::string& fresh) {
  if constexpr (mercer::evaluates_on<Kernel, mercer::SparseMatrix<S>>)
    if (archive.header().samples == "sparse")
      return project_one<mercer::KernelPcaModel<Kernel, mercer::SparseMatrix<S>>,
                         mercer::SparseMatrix<S>>(archive, fresh);
  return project_one<mercer::KernelPcaModel<Kernel, mercer::Matrix<S>>, mercer::Matrix<S>>(archive,
                                                                                           fresh);
}

#endif

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP
