// expect: this method finds no pre-images for this kernel
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>

namespace preimage_wrong_kernel {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::KernelPca pca{mercer::Intersection{}};
#else
const mercer::KernelPca pca{mercer::Gaussian{1}};
#endif

mercer::Matrix<double> pre_images(const mercer::Matrix<double>& x) {
  return pca.fit(x).inverse_transform(x, mercer::FixedPoint{});
}

}  // namespace preimage_wrong_kernel
