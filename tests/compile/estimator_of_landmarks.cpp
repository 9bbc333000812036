// expect: mercer::Estimator: the draws must be unbiased, and the inner products of these features
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/estimators/estimator.hpp>
#include <mercer/features/nystrom_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>

namespace estimator_of_landmarks {

void f(const mercer::Matrix<double>& x) {
#ifdef MERCER_MUST_NOT_COMPILE
  const mercer::NystromFeatures map{x};
#else
  const mercer::RandomFourier map{};
#endif
  static_cast<void>(mercer::bind_estimator(map, mercer::Gaussian{1.0}, x, 1));
}

}  // namespace estimator_of_landmarks
