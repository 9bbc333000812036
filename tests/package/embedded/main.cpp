// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The smallest program that shows that headers and flags arrive: a Gram matrix.

#include <iostream>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>

int main() {
  const Eigen::MatrixXd samples = Eigen::Vector3d(0, 1, 3);
  const Eigen::MatrixXd gram = mercer::gram(mercer::Gaussian{1}, samples);
  std::cout << gram << '\n';
  return gram(0, 0) == 1 && gram(0, 1) == gram(1, 0) && gram(0, 1) > gram(0, 2) ? 0 : 1;
}
