// expect: mercer::RandomFourier: this kernel has no spectral density
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>

namespace features_without_spectral_density {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Polynomial kernel;
#else
const mercer::Gaussian kernel{1};
#endif

mercer::Matrix<double> f(const mercer::Matrix<double>& x) {
  const mercer::RandomFourier map{.features = 50};
  return mercer::block_features(map.bind<double>(kernel, mercer::sample_bounds(x), 1), 0, x);
}

}  // namespace features_without_spectral_density
