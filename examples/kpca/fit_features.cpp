// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_features.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include <mercer/core/standardize.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/streams/standardized_stream.hpp>
#include <mercer/io/npy/npy_stream.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/runtime/any_features.hpp>

#include <examples/kpca/fit_results.hpp>
#include <examples/kpca/fit_state.hpp>
#include <examples/kpca/solver_code.hpp>
#include <examples/kpca/standardize.hpp>

namespace kpca {
namespace {

template <mercer::Real S>
using Model = mercer::FeaturePcaModel<mercer::AnyKernel, mercer::AnyFeatures, S>;

/// Calls \p use with the samples of a file that is read piece by piece, in standard units if they
/// are wanted.
template <mercer::Real S, class Use>
auto with_file(const std::string& path, const std::optional<mercer::Standardize>& standardize,
               const Use& use) {
  mercer::io::NpyStream<S> stream(path);
  if (!standardize) return use(mercer::SampleStreamView<S>(stream));
  mercer::StandardizedStream standardized(stream, *standardize);
  return use(mercer::SampleStreamView<S>(standardized));
}

/// Calls \p use with the samples of a file, in memory or not.
template <mercer::Real S, class Use>
[[nodiscard]] auto with_stream(const SampleFile<S>& file,
                               const std::optional<mercer::Standardize>& standardize,
                               const Use& use) {
  if (file.streamed_rows) return with_file<S>(file.path, standardize, use);
  return std::visit(
      [&](const auto& samples) {
        mercer::MatrixStream stream(samples);
        return use(mercer::SampleStreamView<S>(stream));
      },
      file.samples);
}

template <mercer::Real S>
[[nodiscard]] mercer::Matrix<S> scores(const Model<S>& model, const SampleFile<S>& file) {
  return std::visit([&](const auto& samples) { return model.transform(samples); }, file.samples);
}

/// The scores of a file that is not in memory.
template <mercer::Real S>
void add_scores(const Model<S>& model, const SampleFile<S>& training, Results<S>& results) {
  constexpr mercer::Index drawn = 5000;  // scores that are in the picture
  mercer::Matrix<S> head((std::min)(drawn, training.rows()), training.columns());
  with_file<S>(training.path, results.standardize,
               [&](mercer::SampleStreamView<S> stream) { static_cast<void>(stream.read(head)); });
  results.scores = model.transform(head);
  results.score_parts = [model, path = training.path,
                         standardize = results.standardize](const auto& take) {
    with_file<S>(path, standardize,
                 [&](mercer::SampleStreamView<S> samples) { model.transform(samples, take); });
  };
}

}  // namespace

template <mercer::Real S>
Results<S> fit_features(const mercer::AnyKernel& kernel, const mercer::AnyFeatureSolver& solver,
                        const SampleFile<S>& training, const std::optional<SampleFile<S>>& fresh,
                        const FitSettings& settings) {
  const mercer::KernelPca pca{kernel, solver, params_of(settings)};
  const Model<S> model =
      with_stream(training, settings.standardize, [&](mercer::SampleStreamView<S> stream) {
        return in_context(training.path, [&] {
          return resuming(settings.state, [&] {
            return fit_model(pca, stream, training.weights, settings.observer);
          });
        });
      });
  Results<S> results = results_of_fit(model, settings);
  results.features = model.coefficients().rows();
  if (training.streamed_rows)
    add_scores(model, training, results);
  else
    results.scores = scores(model, training);
  if (fresh)
    take_projected(in_context(fresh->path, [&] { return scores(model, *fresh); }), fresh->path,
                   results);
  return results;
}

template Results<double> fit_features(const mercer::AnyKernel&, const mercer::AnyFeatureSolver&,
                                      const SampleFile<double>&,
                                      const std::optional<SampleFile<double>>&, const FitSettings&);
#if !defined(MERCER_DOUBLE_ALONE)
template Results<float> fit_features(const mercer::AnyKernel&, const mercer::AnyFeatureSolver&,
                                     const SampleFile<float>&,
                                     const std::optional<SampleFile<float>>&, const FitSettings&);
#endif

#if defined(MERCER_HAS_CEREAL)

template <mercer::Real S>
Results<S> project_features(const mercer::io::Archive& archive, const std::string& fresh,
                            const mercer::io::ColumnChoice& columns) {
  const auto [standardize, model] = load_model<Model<S>>(archive);
  SampleFile<S> file = read_sample_file<S>(fresh, model.report().dimension, columns);
  tell_of_names(file);
  // Sparse rows become dense a few at a time, but all of them where means are subtracted.
  if (standardize && standardize->centered())
    file.samples = in_form<mercer::Matrix<S>>(file.samples);
  if (standardize) apply(*standardize, file);
  std::visit([&, &one = model](const auto& x) { check_domain(one.kernel(), x, fresh); },
             file.samples);
  Results<S> results = results_of(model);
  results.standardize = standardize;
  results.features = model.coefficients().rows();
  take_projected(in_context(fresh, [&, &one = model] { return scores(one, file); }), fresh,
                 results);
  return results;
}

template Results<double> project_features(const mercer::io::Archive&, const std::string&,
                                          const mercer::io::ColumnChoice&);
#if !defined(MERCER_DOUBLE_ALONE)
template Results<float> project_features(const mercer::io::Archive&, const std::string&,
                                         const mercer::io::ColumnChoice&);
#endif

#endif

}  // namespace kpca
