// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel CCA of the halves of digits in one pass over any number of images.

#include <stdexcept>
#include <string>

#include <mercer/core/random.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

#include <benchmarks/reproduce/digit_halves.hpp>
#include <benchmarks/reproduce/two_views.hpp>

namespace reproduce {

using mercer::Index;

void halves(const Arguments& given) {
  const DigitTask task(given);
  const Index n = given.count("n"), size = given.count("size");
  const DigitKernels& kernels = task.kernels;
  const std::string& method = given.text("method");
  if (method == "linear") {
    fit_halves<double>(task, mercer::Linear{}, mercer::Linear{},
                       mercer::FeaturePca{mercer::ExactFeatures{}}, given);
  } else if (method == "fourier") {
    fit_halves<double>(
        task, kernels.x, kernels.y,
        mercer::FeaturePca{mercer::RandomFourier{.features = size}, {.seed = given.seed()}}, given);
  } else if (method == "nystrom") {
    mercer::RandomStream draws(given.seed(), "landmarks");
    const DigitHalves<double> landmarks(
        task.train.images<double>(mercer::sample_without_replacement(n, size, draws)));
    fit_halves<double>(task, kernels.x, kernels.y,
                       mercer::Views{mercer::FeaturePca{mercer::NystromFeatures{landmarks.x}},
                                     mercer::FeaturePca{mercer::NystromFeatures{landmarks.y}}},
                       given);
  } else if (method == "stochastic") {
    fit_stochastic_halves(task, given);
  } else {
    throw std::invalid_argument("method= must be linear, fourier, nystrom or stochastic");
  }
}

}  // namespace reproduce
