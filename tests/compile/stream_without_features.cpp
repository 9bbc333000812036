// expect: mercer::KernelPca: this solver needs all samples in memory
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

namespace stream_without_features {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Exact solver;
#else
const mercer::FeaturePca solver{mercer::RandomFourier{}};
#endif

void f(const mercer::Matrix<double>& x) {
  mercer::MatrixStream stream(x);
  static_cast<void>(mercer::KernelPca{mercer::Gaussian{1.0}, solver}.fit(stream));
}

}  // namespace stream_without_features
