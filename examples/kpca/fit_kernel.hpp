// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fit itself, for each form of samples and each solver. Included by the source files that
/// compile it for one precision each.

#ifndef MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP
#define MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/memory.hpp>
#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
#include <mercer/io/archive.hpp>
#endif
#include <mercer/models/kernel_pca.hpp>

#include <examples/kpca/fit.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kpca {

/// New samples in the form of the training samples, X.
template <mercer::OwnedSamples X>
[[nodiscard]] X in_form(const mercer::io::Samples<typename X::Scalar>& samples) {
  return std::visit(
      [](const auto& x) -> X {
        constexpr bool is_sparse = mercer::SparseSamples<std::decay_t<decltype(x)>>;
        if constexpr (mercer::SparseSamples<X> && !is_sparse)
          return x.sparseView();
        else
          return X(x);
      },
      samples);
}

template <class Kernel, mercer::OwnedSamples X>
void check_domain(const Kernel& kernel, const X& samples, const std::string& path) {
  if constexpr (mercer::HasDomain<Kernel, X>)
    in_context(path, [&] { kernel.check_domain(samples); });
}

/// What a model says of itself.
template <class Kernel, mercer::OwnedSamples X>
[[nodiscard]] Results<typename X::Scalar> results_of(
    const mercer::KernelPcaModel<Kernel, X>& model) {
  Results<typename X::Scalar> results;
  results.eigenvalues = model.eigenvalues();
  results.explained_variance_ratio = model.explained_variance_ratio();
  results.centered = model.centered();
  results.report = model.report();
  return results;
}

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

  const std::size_t budget = settings.memory_budget.value_or(mercer::default_memory_budget());
  // All of kernel PCA is in these lines.
  const mercer::KernelPcaParams params{.components = settings.components,
                                       .centered = settings.centered,
                                       .memory_budget = settings.memory_budget.value_or(0)};
  const auto model = in_context(training.path, [&] {
    return std::visit(
        [&](const auto& solver) -> mercer::KernelPcaModel<Kernel, X> {
          if constexpr (takes_kernel<std::decay_t<decltype(solver)>, Kernel>)
            return mercer::KernelPca{kernel, solver, params}.fit(samples, settings.observer);
          else
            throw mercer::InvalidArgument("the solver draws features, and the kernel " +
                                          kernel.describe() + " has none");
        },
        settings.solver);
  });

  Results<S> results = results_of(model);
#if defined(MERCER_HAS_CEREAL)
  results.saved = !settings.save.empty() && model.components() > 0;
  if (results.saved) mercer::io::write_archive(settings.save, model);
#endif
  results.scores = model.training_scores();
  if (new_samples)
    results.projected = in_context(fresh->path, [&] { return model.transform(*new_samples); });
  results.tolerance = tolerance(settings.solver);
  results.memory_budget = budget;
  return results;
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

template <class Kernel, mercer::OwnedSamples X, mercer::Real S = typename X::Scalar>
[[nodiscard]] Results<S> project_one(const mercer::io::Archive& archive, const std::string& path) {
  // All that a program needs that knows the type of its model.
  const auto model = archive.get<mercer::KernelPcaModel<Kernel, X>>();
  const SampleFile<S> fresh = read_sample_file<S>(path, model.points().cols());
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
      return project_one<Kernel, mercer::SparseMatrix<S>>(archive, fresh);
  return project_one<Kernel, mercer::Matrix<S>>(archive, fresh);
}

#endif

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP
