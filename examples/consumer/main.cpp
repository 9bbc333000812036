// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A program of another project: the Gram matrix of three points.

#include <iostream>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>

int main() {
  Eigen::MatrixXd points(3, 2);
  points << 0, 0, 1, 0, 0, 2;
  const Eigen::MatrixXd gram = mercer::gram(mercer::Gaussian{1.0}, points);
  std::cout << gram << '\n';
  return gram(0, 0) == 1.0 ? 0 : 1;
}
