// expect: mercer::default_features: this kernel has no random features
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/default_features.hpp>
#include <mercer/kernels/inner_product.hpp>

namespace features_without_default {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Sigmoid kernel;
#else
const mercer::Polynomial kernel;
#endif

mercer::Matrix<double> f(const mercer::Matrix<double>& x) {
  const auto map = mercer::default_features(kernel);
  return mercer::block_features(map.bind<double>(kernel, mercer::sample_bounds(x), 1), 0, x);
}

}  // namespace features_without_default
