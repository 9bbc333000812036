// expect: mercer: this kernel does not take sparse samples
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>

namespace kernel_without_sparse_samples {

#ifdef MERCER_MUST_NOT_COMPILE
using Samples = mercer::SparseMatrix<double>;
#else
using Samples = mercer::Matrix<double>;
#endif

mercer::Matrix<double> f(const Samples& x) {
  return mercer::gram(mercer::Laplacian{1}, x);
}

}  // namespace kernel_without_sparse_samples
