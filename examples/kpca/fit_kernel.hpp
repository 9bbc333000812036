// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fit itself, for each form of samples and each solver. Included by the source files that
/// compile it for one precision each.

#ifndef MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP
#define MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/memory.hpp>
#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
#include <mercer/io/archive.hpp>
#endif
#include <mercer/io/npy_stream.hpp>
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
template <class Model>
[[nodiscard]] auto results_of(const Model& model) {
  Results<typename Model::Scalar> results;
  results.eigenvalues = model.eigenvalues();
  results.explained_variance_ratio = model.explained_variance_ratio();
  results.centered = model.centered();
  results.report = model.report();
  return results;
}

/// The fit by a solver, and the scores of the training samples.
template <class Pca, mercer::OwnedSamples X, mercer::Real S, class Finish>
[[nodiscard]] Results<S> fit_samples(const Pca& pca, const X& samples,
                                     const SampleFile<S>& training,
                                     const mercer::Observer& observer, const Finish& finish) {
  const auto model = in_context(training.path, [&] { return pca.fit(samples, observer); });
  Results<S> results = finish(model);
  if constexpr (requires { model.training_scores(); })
    results.scores = model.training_scores();
  else
    results.scores = model.transform(samples);
  return results;
}

/// The same for a file that is read piece by piece.
template <class Pca, mercer::Real S, class Finish>
[[nodiscard]] Results<S> fit_stream(const Pca& pca, const SampleFile<S>& training,
                                    const mercer::Observer& observer, const Finish& finish) {
  constexpr mercer::Index drawn = 5000;  // scores that are in the picture
  mercer::io::NpyStream<S> stream(training.path);
  const auto model = in_context(training.path, [&] { return pca.fit(stream, observer); });
  Results<S> results = finish(model);
  stream.seek({});
  mercer::Matrix<S> head((std::min)(drawn, training.rows()), training.columns());
  static_cast<void>(stream.read(head));
  results.scores = model.transform(head);
  results.score_parts = [model, path = training.path](const auto& take) {
    mercer::io::NpyStream<S> samples(path);
    model.transform(samples, take);
  };
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

  // What is wanted of a fitted model.
  const auto finish = [&](const auto& model) {
    Results<S> results = results_of(model);
#if defined(MERCER_HAS_CEREAL)
    results.saved = !settings.save.empty() && model.components() > 0;
    if (results.saved) mercer::io::write_archive(settings.save, model);
#endif
    if (new_samples)
      results.projected = in_context(fresh->path, [&] { return model.transform(*new_samples); });
    results.tolerance = tolerance(settings.solver);
    results.memory_budget = settings.memory_budget.value_or(mercer::default_memory_budget());
    return results;
  };
  // All of kernel PCA is in these lines, and in fit_samples().
  const mercer::KernelPcaParams params{.components = settings.components,
                                       .centered = settings.centered,
                                       .memory_budget = settings.memory_budget.value_or(0)};
  return std::visit(
      [&](const auto& solver) -> Results<S> {
        using Solver = std::decay_t<decltype(solver)>;
        if constexpr (!takes_kernel<Solver, Kernel>) {
          throw mercer::InvalidArgument(training.path +
                                        ": the solver draws features, and the kernel " +
                                        kernel.describe() + " has none");
        } else {
          const mercer::KernelPca pca{kernel, solver, params};
          if constexpr (mercer::FeatureSolver<Solver>)
            if (training.streamed_rows) return fit_stream(pca, training, settings.observer, finish);
          return fit_samples(pca, samples, training, settings.observer, finish);
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

/// A model over the features of one of the maps that kpca has; nothing for another map.
template <class Kernel, mercer::Real S, mercer::FeatureMap... F>
[[nodiscard]] std::optional<Results<S>> project_features(const mercer::io::Archive& archive,
                                                         const std::string& path) {
  std::optional<Results<S>> results;
  const auto attempt = [&]<class Map>(std::type_identity<Map>) {
    if constexpr (mercer::FeatureMapFor<Map, Kernel>)
      if (archive.header().features == mercer::io::ArchiveTraits<Map>::name)
        results =
            project_one<mercer::FeaturePcaModel<Kernel, Map, S>, mercer::Matrix<S>>(archive, path);
  };
  (attempt(std::type_identity<F>()), ...);
  return results;
}

template <class Kernel, mercer::Real S>
Results<S> project(const mercer::io::Archive& archive, const std::string& fresh) {
  const mercer::io::ArchiveHeader& header = archive.header();
  if (!header.features.empty()) {
    if constexpr (mercer::Kernel<Kernel>)
      if (auto results =
              project_features<Kernel, S, mercer::RandomFourier, mercer::RandomMaclaurin>(archive,
                                                                                          fresh))
        return *std::move(results);
    throw mercer::InvalidArgument("--load: the model is over " + header.features +
                                  " of the kernel " + header.kernel + ", which kpca does not have");
  }
  if constexpr (mercer::evaluates_on<Kernel, mercer::SparseMatrix<S>>)
    if (header.samples == "sparse")
      return project_one<mercer::KernelPcaModel<Kernel, mercer::SparseMatrix<S>>,
                         mercer::SparseMatrix<S>>(archive, fresh);
  return project_one<mercer::KernelPcaModel<Kernel, mercer::Matrix<S>>, mercer::Matrix<S>>(archive,
                                                                                           fresh);
}

#endif

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_FIT_KERNEL_HPP
