// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fit itself, for each kernel of a family and each form of samples. Included by the source
/// files that compile one family each.

#ifndef MERCER_EXAMPLES_KPCA_FIT_FAMILY_HPP
#define MERCER_EXAMPLES_KPCA_FIT_FAMILY_HPP

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/models/kernel_pca.hpp>

#include <examples/kpca/fit.hpp>
#include <examples/kpca/inputs.hpp>

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

template <class Kernel, mercer::OwnedSamples X, mercer::Real S = typename X::Scalar>
[[nodiscard]] Results<S> fit_one(const Kernel& kernel, const X& samples,
                                 const SampleFile<S>& training,
                                 const std::optional<SampleFile<S>>& fresh,
                                 const FitSettings& settings) {
  std::optional<X> new_samples;
  if (fresh) {
    new_samples = in_form<X>(fresh->samples);
    if constexpr (mercer::HasDomain<Kernel, X>)
      in_context(fresh->path, [&] { kernel.check_domain(*new_samples); });
  }

  // All of kernel PCA is in these lines.
  const mercer::KernelPca pca{
      kernel, mercer::Exact{}, {.components = settings.components, .centered = settings.centered}};
  const auto model = in_context(training.path, [&] { return pca.fit(samples, settings.observer); });

  Results<S> results;
  results.eigenvalues = model.eigenvalues();
  results.explained_variance_ratio = model.explained_variance_ratio();
  results.scores = model.training_scores();
  if (new_samples)
    results.projected = in_context(fresh->path, [&] { return model.transform(*new_samples); });
  results.report = model.report();
  return results;
}

template <class Family, mercer::Real S>
Results<S> fit(const Family& family, const SampleFile<S>& training,
               const std::optional<SampleFile<S>>& fresh, const FitSettings& settings) {
  return std::visit(
      [&](const auto& kernel, const auto& samples) -> Results<S> {
        using Kernel = std::decay_t<decltype(kernel)>;
        using X = std::decay_t<decltype(samples)>;
        if constexpr (mercer::evaluates_on<Kernel, X>)
          return fit_one(kernel, samples, training, fresh, settings);
        else
          throw mercer::InvalidArgument(
              training.path + ": the samples are sparse (LIBSVM), and the kernel " +
              kernel.describe() + " takes dense ones only; give them as .npy or .csv");
      },
      family, training.samples);
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_FAMILY_HPP
