// expect: mercer: these solvers need all samples in memory
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/split_stream.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>

namespace pair_stream_without_features {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Exact solver;
#else
const mercer::FeaturePca solver{mercer::RandomFourier{}};
#endif

void f(const mercer::Matrix<double>& x) {
  mercer::MatrixStream stream(x);
  const mercer::KernelSvd svd{mercer::Gaussian{1.0}, mercer::Gaussian{1.0}, solver};
  static_cast<void>(svd.fit(mercer::SplitStream(stream, 1)));
}

}  // namespace pair_stream_without_features
