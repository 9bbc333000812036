// expect: mercer::KernelPca: the solver's feature map has no features for this kernel
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>

namespace kernel_without_features {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Polynomial kernel;
#else
const mercer::Gaussian kernel{1.0};
#endif

void f(const mercer::Matrix<double>& x) {
  const mercer::DoublyStochastic solver{mercer::RandomFourier{}};
  static_cast<void>(mercer::KernelPca{kernel, solver}.fit(x));
}

}  // namespace kernel_without_features
