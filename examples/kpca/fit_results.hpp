// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What all fits have before and after them.

#ifndef MERCER_EXAMPLES_KPCA_FIT_RESULTS_HPP
#define MERCER_EXAMPLES_KPCA_FIT_RESULTS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_standardized.hpp>
#endif
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/standardized_model.hpp>

#include <examples/kpca/file_names.hpp>
#include <examples/kpca/fit.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/solver_choice.hpp>

namespace kpca {

/// The fit, with the weights that belong to the samples if there are any.
template <class Pca, class Samples>
[[nodiscard]] auto fit_model(const Pca& pca, Samples&& samples, const std::vector<double>& weights,
                             const mercer::Observer& observer) {
  if (weights.empty()) return pca.fit(std::forward<Samples>(samples), observer);
  const auto count = static_cast<mercer::Index>(weights.size());
  return pca.fit(std::forward<Samples>(samples),
                 Eigen::Map<const mercer::Vector<double>>(weights.data(), count), observer);
}

template <class Kernel, mercer::OwnedSamples X>
void check_domain(const Kernel& kernel, const X& samples, const std::string& path) {
  if constexpr (mercer::HasDomain<Kernel, X>)
    in_context(path + ": " + kernel.describe(), [&] { kernel.check_domain(samples); });
}

/// What a model says of itself.
template <class Model>
[[nodiscard]] auto results_of(const Model& model) {
  Results<typename Model::Scalar> results;
  results.eigenvalues = model.eigenvalues();
  results.explained_variance_ratio = model.explained_variance_ratio();
  results.centered = model.centered();
  results.report = model.report();
  return results;
}

/// The same of one that was just fitted, which is saved if it is to be.
template <class Model>
[[nodiscard]] auto results_of_fit(const Model& model, const FitSettings& settings) {
  auto results = results_of(model);
#if defined(MERCER_HAS_CEREAL)
  if (!settings.save.empty() && model.components() > 0) {
    // What there is after Ctrl-C does not take the place of a good model.
    results.saved_to = results.report.status == mercer::Status::Cancelled
                           ? partial_model(settings.save)
                           : settings.save;
    if (settings.standardize)
      mercer::io::write_archive(results.saved_to,
                                mercer::StandardizedModel<Model>(*settings.standardize, model));
    else
      mercer::io::write_archive(results.saved_to, model);
  }
#endif
  results.standardize = settings.standardize;
  results.tolerance = tolerance(settings.solver);
  results.memory_budget = settings.memory_budget.value_or(mercer::default_memory_budget());
  return results;
}

/// Keeps the scores of the samples in a file, or, if some are not finite, the reason.
template <mercer::Real S>
void take_projected(mercer::Matrix<S> scores, const std::string& path, Results<S>& results) {
  mercer::Index first = scores.rows(), wrong = 0;
  for (mercer::Index i = scores.rows(); i-- > 0;)
    if (!scores.row(i).allFinite()) {
      first = i;
      ++wrong;
    }
  if (wrong == 0) {
    results.projected = std::move(scores);
    return;
  }
  results.projection_problem =
      path + ": the kernel's values overflow at row " + std::to_string(first + 1) +
      (wrong == 1 ? "" : " and at " + std::to_string(wrong - 1) + " more") +
      ", so there are no projected samples; scale the samples or the kernel down";
}

#if defined(MERCER_HAS_CEREAL)
/// In front of the type of an archive whose model is of standardised samples.
inline constexpr std::string_view standardized_type = "standardized-";

/// The model of an archive, and what it does to its samples before.
template <class Model>
[[nodiscard]] std::pair<std::optional<mercer::Standardize>, Model> load_model(
    const mercer::io::Archive& archive) {
  if (!archive.header().type.starts_with(standardized_type))
    return {std::nullopt, archive.get<Model>()};
  const auto standardized = archive.get<mercer::StandardizedModel<Model>>();
  return {standardized.standardize(), standardized.model()};
}
#endif

[[nodiscard]] inline mercer::KernelPcaParams params_of(const FitSettings& settings) {
  return {.components = settings.components,
          .centered = settings.centered,
          .memory_budget = settings.memory_budget.value_or(0),
          .record = settings.record};
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_RESULTS_HPP
