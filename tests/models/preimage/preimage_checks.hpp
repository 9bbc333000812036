// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the tests of pre-images share: the data of the worked examples and an oracle for rho.

#ifndef MERCER_TESTS_MODELS_PREIMAGE_PREIMAGE_CHECKS_HPP
#define MERCER_TESTS_MODELS_PREIMAGE_PREIMAGE_CHECKS_HPP

#include <cmath>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

/// The data set X4 and the two new points of the worked examples.
template <Real S>
[[nodiscard]] Matrix<S> four_points() {
  return Matrix<S>{{S(0), S(0)}, {S(1), S(0)}, {S(0), S(2)}, {S(1.5), S(1)}};
}
template <Real S>
[[nodiscard]] Matrix<S> two_points() {
  return Matrix<S>{{S(0.5), S(0.5)}, {S(2), S(2)}};
}

/// n x d standard normal numbers, by the transform of Box and Muller.
template <Real S>
[[nodiscard]] Matrix<S> normal_samples(Index n, Index d, std::uint64_t seed) {
  const Matrix<S> u = uniform_samples<S>(n, d, seed, 0, 1);
  const Matrix<S> v = uniform_samples<S>(n, d, seed + 1000, 0, 6.28318530717958648);
  return ((S(-2) * (S(1) - u.array()).log()).sqrt() * v.array().cos()).matrix();
}

/// ring200: radius 2, noise 0.05.
template <Real S>
[[nodiscard]] Matrix<S> ring() {
  const Matrix<S> angle = uniform_samples<S>(200, 1, 51, 0, 6.28318530717958648);
  Matrix<S> x(200, 2);
  x << S(2) * angle.array().cos().matrix(), S(2) * angle.array().sin().matrix();
  return x + S(0.05) * normal_samples<S>(200, 2, 52);
}

/// The mean of | |z| - 2 |.
template <Real S>
[[nodiscard]] double ring_error(const Matrix<S>& z) {
  return static_cast<double>((z.rowwise().norm().array() - S(2)).abs().mean());
}

/// |phi(z_j) - sum_i g_ji phi(x_i)|^2 for every row, by the dense formula.
template <class Model>
[[nodiscard]] Vector<double> rho_by_formula(const Model& model, const Matrix<double>& g,
                                            const Matrix<double>& z) {
  const Matrix<double> k = gram(model.kernel(), model.points());
  const Matrix<double> cross = gram(model.kernel(), z, Matrix<double>(model.points()));
  return mercer::diagonal(model.kernel(), z) - 2 * g.cwiseProduct(cross).rowwise().sum() +
         (g * k).cwiseProduct(g).rowwise().sum();
}

/// Largest entry of the gradient of rho at the rows of z, by central differences.
template <class Model>
[[nodiscard]] double largest_gradient(const Model& model, const Matrix<double>& g,
                                      const Matrix<double>& z) {
  constexpr double h = 1e-5;  // truncation h^2 and rounding eps / h are both below 1e-9
  double largest = 0;
  for (Index j = 0; j < z.cols(); ++j) {
    Matrix<double> up = z, down = z;
    up.col(j).array() += h;
    down.col(j).array() -= h;
    largest = std::max(largest,
                       ((rho_by_formula(model, g, up) - rho_by_formula(model, g, down)) / (2 * h))
                           .cwiseAbs()
                           .maxCoeff());
  }
  return largest;
}

template <class A, class B>
[[nodiscard]] double distance(const A& a, const B& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_MODELS_PREIMAGE_PREIMAGE_CHECKS_HPP
