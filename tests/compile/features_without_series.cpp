// expect: mercer::RandomMaclaurin: this kernel has no power series
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/inner_product.hpp>

namespace features_without_series {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Sigmoid kernel;
#else
const mercer::Polynomial kernel;
#endif

mercer::Matrix<double> f(const mercer::Matrix<double>& x) {
  const mercer::RandomMaclaurin map{.features = 50};
  return mercer::block_features(map.bind<double>(kernel, mercer::sample_bounds(x), 1), 0, x);
}

}  // namespace features_without_series
