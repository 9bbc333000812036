// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A program of another project: kernel PCA of two rings, which a straight line cannot part.

#include <cmath>
#include <iostream>
#include <numbers>

#include <mercer/mercer.hpp>

namespace {

/// Points on a circle about the origin, one per row.
Eigen::MatrixXd ring(Eigen::Index count, double radius) {
  Eigen::MatrixXd points(count, 2);
  for (Eigen::Index i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    points.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return points;
}

}  // namespace

int main() {
  Eigen::MatrixXd rings(200, 2);
  rings << ring(100, 1.0), ring(100, 3.0);

  const mercer::KernelPca pca{mercer::Gaussian{1.0}, mercer::Exact{}, {.components = 4}};
  const auto model = pca.fit(rings);
  const Eigen::MatrixXd inner = model.transform(ring(7, 1.0));
  const Eigen::MatrixXd outer = model.transform(ring(7, 3.0));

  std::cout << "eigenvalues     " << model.eigenvalues().transpose() << '\n'
            << "variance ratio  " << model.explained_variance_ratio().transpose() << '\n';

  // Some component tells the rings apart: all points of one lie on one side of all of the other's.
  for (Eigen::Index k = 0; k < inner.cols(); ++k) {
    if (inner.col(k).maxCoeff() < outer.col(k).minCoeff() ||
        outer.col(k).maxCoeff() < inner.col(k).minCoeff()) {
      std::cout << "component " << k + 1 << " separates the rings\n";
      return 0;
    }
  }
  std::cout << "no component separates the rings\n";
  return 1;
}
