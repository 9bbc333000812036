// expect: mercer::ExactFeatures: the kernel must be Linear or Cosine
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/estimators/estimator.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>

namespace exact_features_of_gaussian {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Gaussian kernel{1.0};
#else
const mercer::Linear kernel;
#endif

void f(const mercer::Matrix<double>& x) {
  static_cast<void>(mercer::bind_estimator(mercer::ExactFeatures{}, kernel, x, 1));
}

}  // namespace exact_features_of_gaussian
