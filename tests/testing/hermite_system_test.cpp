// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/testing/hermite_system.hpp>

#include <cmath>

#include <mercer/kernels/evaluate.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace hermite_system_test {

using namespace mercer;
using namespace mercer::testing;

TEST_CASE("hermite_system: printed values", "[testing]") {
  // Acceptance 1: printed to 12 decimals.
  const HermiteSystem system;
  Vector<double> ell(3);
  ell << 0.618033988750, 0.236067977500, 0.090169943749;
  CHECK((system.eigenvalues(3) - ell).cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(std::abs(system.eigenvalues(60).sum() - 1) <= 1e-12);
  Vector<double> x(2);
  x << 0.5, 1.3;
  Matrix<double> psi(2, 4);
  psi << 1.131931528160, 0.846316215530, -0.352961236358, -0.843377077034,  //
      0.725380465744, 1.410105833984, 1.425385557176, 0.448423524417;
  CHECK((system.eigenfunctions(x, 4) - psi).cwiseAbs().maxCoeff() <= 1e-12);
}

TEST_CASE("hermite_system: eigenfunctions are orthonormal and belong to the kernel", "[testing]") {
  for (const double spread : {1.0, 0.7})
    for (const double width : {1.0, 1.9}) {
      const HermiteSystem system(spread, width);
      const Quadrature rule = normal_quadrature(120, spread);
      CHECK(std::abs(rule.weights.sum() - 1) <= 1e-13);
      const Matrix<double> psi = system.eigenfunctions(rule.nodes, 6);
      const Matrix<double> weighted = rule.weights.asDiagonal() * psi;
      CHECK((psi.transpose() * weighted - Matrix<double>::Identity(6, 6)).cwiseAbs().maxCoeff() <=
            1e-12);
      Vector<double> x(3);
      x << -1.1, 0, 0.8;
      const Matrix<double> image = gram(system.kernel(), x, rule.nodes) * weighted;
      CHECK((image - system.eigenfunctions(x, 6) * system.eigenvalues(6).asDiagonal())
                .cwiseAbs()
                .maxCoeff() <= 1e-12);
    }
}

TEST_CASE("hermite_system: the potential of a turned plane", "[testing]") {
  const HermiteSystem system;
  const Quadrature rule = normal_quadrature(60);
  const Matrix<double> psi = system.eigenfunctions(rule.nodes, 3);
  Matrix<double> turned = psi.leftCols(2);
  turned.col(1) = std::cos(0.3) * psi.col(1) + std::sin(0.3) * psi.col(2) + 5 * psi.col(0);
  CHECK(potential(turned, psi.leftCols(2), rule) == Approx(std::pow(std::sin(0.3), 2)));
  CHECK(potential(psi.leftCols(2), psi.leftCols(2), rule) <= 1e-12);
  turned.col(1) = turned.col(0);
  CHECK(potential(turned, psi.leftCols(2), rule) == 1);
  CHECK_THROWS_AS(HermiteSystem(0, 1), InvalidArgument);
}

}  // namespace hermite_system_test
