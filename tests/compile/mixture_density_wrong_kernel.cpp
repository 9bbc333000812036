// expect: mercer: a density needs a kernel that is a multiple of a probability density
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/latent/latent_mixture.hpp>

namespace mixture_density_wrong_kernel {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Linear kernel;
#else
const mercer::Gaussian kernel{1.0};
#endif

void f(const mercer::Matrix<double>& x) {
  static_cast<void>(mercer::LatentMixture{kernel}.fit(x, x, x).density(x));
}

}  // namespace mixture_density_wrong_kernel
