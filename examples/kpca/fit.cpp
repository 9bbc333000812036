// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive
#include <mercer/io/archive.hpp>
#endif
#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/any_solver.hpp>

#include <examples/kpca/fit_features.hpp>
#include <examples/kpca/fit_results.hpp>
#include <examples/kpca/inputs.hpp>
#include <examples/kpca/solver_code.hpp>
#include <examples/kpca/variables.hpp>

namespace kpca {
namespace {

/// With a solver that needs the samples in memory.
template <mercer::OwnedSamples X, mercer::Real S = typename X::Scalar>
[[nodiscard]] Results<S> fit_one(const mercer::AnyKernel& kernel,
                                 const mercer::AnyKernelSolver& solver, X samples,
                                 const SampleFile<S>& training, const std::optional<X>& fresh,
                                 const std::string& fresh_path, const FitSettings& settings) {
  const X kept = settings.variables ? samples : X();
  // All of kernel PCA is in these lines.
  const mercer::KernelPca pca{kernel, solver, params_of(settings)};
  const auto model = in_context(training.path, [&] {
    return fit_model(pca, std::move(samples), training.weights, settings.observer);
  });
  Results<S> results = results_of_fit(model, settings);
  results.scores = model.training_scores();
  if constexpr (mercer::DenseSamples<X>)
    if (settings.variables && model.components() > 0)
      results.gradients = variable_gradients<S>(kernel, model.points(), model.coefficients(), kept,
                                                training.sample_weights());
  if (fresh)
    take_projected(in_context(fresh_path, [&] { return model.transform(*fresh); }), fresh_path,
                   results);
  return results;
}

}  // namespace

template <mercer::Real S>
Results<S> fit(const mercer::AnyKernel& kernel, SampleFile<S> training,
               const std::optional<SampleFile<S>>& fresh, const FitSettings& settings) {
  return std::visit(
      [&]<class X>(X& samples) -> Results<S> {
        if (!kernel.takes<X>())
          throw mercer::InvalidArgument(
              training.path + ": the samples are sparse, and the kernel " + kernel.describe() +
              " takes dense ones only; give them as .npy or .csv");
        check_domain(kernel, samples, training.path);
        std::optional<X> new_samples;
        if (fresh) {
          new_samples = in_form<X>(fresh->samples);
          check_domain(kernel, *new_samples, fresh->path);
        }
        if (const auto* solver = std::get_if<mercer::AnyFeatureSolver>(&settings.solver))
          return fit_features(kernel, *solver, training, fresh, settings);
        return fit_one(kernel, std::get<mercer::AnyKernelSolver>(settings.solver),
                       std::move(samples), training, new_samples, fresh ? fresh->path : "",
                       settings);
      },
      training.samples);
}

template Results<double> fit(const mercer::AnyKernel&, SampleFile<double>,
                             const std::optional<SampleFile<double>>&, const FitSettings&);
#if !defined(MERCER_DOUBLE_ALONE)
template Results<float> fit(const mercer::AnyKernel&, SampleFile<float>,
                            const std::optional<SampleFile<float>>&, const FitSettings&);
#endif

#if defined(MERCER_HAS_CEREAL)

namespace {

/// All that a program needs that knows the type of its model.
template <class Model, mercer::OwnedSamples X, mercer::Real S = typename X::Scalar>
[[nodiscard]] Results<S> project_one(const mercer::io::Archive& archive, const std::string& path,
                                     const mercer::io::ColumnChoice& columns) {
  const auto [standardize, model] = load_model<Model>(archive);
  const SampleFile<S> fresh = read_sample_file<S>(path, model.report().dimension, columns);
  tell_of_names(fresh);
  X samples = in_form<X>(fresh.samples);
  if (standardize) samples = standardize->transform(samples);
  check_domain(model.kernel(), samples, path);
  Results<S> results = results_of(model);
  results.standardize = standardize;
  take_projected(in_context(path, [&, &one = model] { return one.transform(samples); }), path,
                 results);
  return results;
}

}  // namespace

template <mercer::Real S>
Results<S> project(const mercer::io::Archive& archive, const std::string& fresh,
                   const mercer::io::ColumnChoice& columns) {
  using Dense = mercer::Matrix<S>;
  using Sparse = mercer::SparseMatrix<S>;
  if (archive.header().samples == "sparse")
    return project_one<mercer::KernelPcaModel<mercer::AnyKernel, Sparse>, Sparse>(archive, fresh,
                                                                                  columns);
  return project_one<mercer::KernelPcaModel<mercer::AnyKernel, Dense>, Dense>(archive, fresh,
                                                                              columns);
}

template Results<double> project(const mercer::io::Archive&, const std::string&,
                                 const mercer::io::ColumnChoice&);
#if !defined(MERCER_DOUBLE_ALONE)
template Results<float> project(const mercer::io::Archive&, const std::string&,
                                const mercer::io::ColumnChoice&);
#endif

#endif

}  // namespace kpca
