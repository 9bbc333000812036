// expect: mercer::Kernel: the kernel needs  void gram\(Points<S> x, Points<S> y
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/kernel.hpp>

namespace check_kernel {

struct Product {
#ifndef MERCER_MUST_NOT_COMPILE
  void gram(mercer::Points<double> x, mercer::Points<double> y, mercer::GramOut<double> out) const {
    out.noalias() = x * y.transpose();
  }
#endif
};

static_assert(mercer::check_kernel<Product>());

}  // namespace check_kernel
