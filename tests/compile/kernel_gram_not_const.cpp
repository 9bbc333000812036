// expect: mercer::Kernel: the kernel needs  void gram\(.*\) const
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/evaluate.hpp>

namespace kernel_gram_not_const {

struct Product {
  void gram(mercer::Points<double> x, mercer::Points<double> y, mercer::GramOut<double> out)
#ifndef MERCER_MUST_NOT_COMPILE
      const
#endif
  {
    out.noalias() = x * y.transpose();
  }
};

mercer::Matrix<double> f(const mercer::Matrix<double>& x) {
  return mercer::gram(Product{}, x);
}

}  // namespace kernel_gram_not_const
