// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The basis of a view whose rows are in several processes: kernel PCA over landmarks or features.

#ifndef MERCER_MODELS_SPREAD_SPREAD_BASIS_HPP
#define MERCER_MODELS_SPREAD_SPREAD_BASIS_HPP

#include <utility>

#include <mercer/core/observer.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/models/spread/spread_nystrom.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>

namespace mercer::detail {

/// The model of a view, and its scores in double for the rows of this process.
template <class Model>
struct SpreadBasis {
  Model model;
  Matrix<double> scores;
};

/// The values of functions at the rows of this process. Tiles are copied first: the last bits of a
/// row depend on its place in a block, and tiles are the same for any number of processes.
template <class Functions, OwnedSamples X>
[[nodiscard]] Matrix<double> values_by_tiles(const Functions& functions, const X& local,
                                             Index count) {
  Matrix<double> values(local.rows(), count);
  parallel_for(tile_count(local.rows()), [&](Index i) {
    const Range tile = Range::tile(i, local.rows());
    const X rows = local.middleRows(tile.begin, tile.size);
    values.middleRows(tile.begin, tile.size) = functions.transform(rows).template cast<double>();
  });
  return values;
}

/// Kernel PCA of a view over processes, as the basis of a method for two views. Collective.
template <Kernel K, LandmarkSelector L, OwnedSamples X>
[[nodiscard]] SpreadBasis<KernelPcaModel<K, X>> spread_basis(const KernelPca<K, Nystrom<L>>& pca,
                                                             const SpreadRows<X>& samples,
                                                             const Observer& observer) {
  KernelPcaParts<K, X> parts = fit_parts(pca, samples, as_asked_for, observer);
  // The model is one of all rows, and has no scores of its own.
  Matrix<double> scores = std::exchange(parts.training_scores, nullptr)->template cast<double>();
  return {KernelPcaModel<K, X>(std::move(parts), PointsAreChecked{}), std::move(scores)};
}
template <Kernel K, FeatureMap F, OwnedSamples X>
[[nodiscard]] SpreadBasis<FeaturePcaModel<K, F, typename X::Scalar>> spread_basis(
    const KernelPca<K, FeaturePca<F>>& pca, const SpreadRows<X>& samples,
    const Observer& observer) {
  auto model = fit_spread(pca, samples, observer);
  Matrix<double> scores = values_by_tiles(model, samples.local(), model.components());
  return {std::move(model), std::move(scores)};
}

}  // namespace mercer::detail

#endif  // MERCER_MODELS_SPREAD_SPREAD_BASIS_HPP
