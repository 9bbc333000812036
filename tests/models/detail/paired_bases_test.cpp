// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/detail/paired_bases.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/ridge.hpp>
#include <mercer/testing/hermite_system.hpp>
#include <tests/support/catch.hpp>

namespace paired_bases_test {

using namespace mercer;

namespace {

/// Covariance operators of a normal pair of variances 1 and correlation r, with Gaussian kernels of
/// width 1, in the eigenfunctions of the kernel. Both views have the same law.
struct NormalPair {
  Matrix<double> xx, xy;

  NormalPair(double r, bool centered) {
    constexpr Index functions = 40, nodes = 120;
    const testing::HermiteSystem system;
    const testing::Quadrature rule = testing::normal_quadrature(nodes);
    const Vector<double> roots = system.eigenvalues(functions).cwiseSqrt();
    const Matrix<double> phi = system.eigenfunctions(rule.nodes, functions) * roots.asDiagonal();
    Matrix<double> given(nodes, functions);  // E[phi(y) | x] at the nodes
    for (Index q = 0; q < nodes; ++q) {
      const Vector<double> y =
          (r * rule.nodes(q) + std::sqrt(1 - r * r) * rule.nodes.array()).matrix();
      given.row(q) =
          rule.weights.transpose() * system.eigenfunctions(y, functions) * roots.asDiagonal();
    }
    xx = system.eigenvalues(functions).asDiagonal();
    xy = phi.transpose() * rule.weights.asDiagonal() * given;
    if (!centered) return;
    const Vector<double> mean = phi.transpose() * rule.weights;
    xx -= mean * mean.transpose();
    xy -= mean * mean.transpose();
  }
};

/// One sample of weight 1 stands for the population.
constexpr Index one = 1;
constexpr double printed = 1e-10;

void check_values(const Vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() >= static_cast<Index>(expected.size()));
  for (std::size_t j = 0; j < expected.size(); ++j)
    CHECK(std::abs(values(static_cast<Index>(j)) - expected[j]) <= printed);
}

Vector<double> correlations(const NormalPair& pair, double eps) {
  const EigenSystem<double> basis = symmetric_eigensystem<double>(pair.xx);
  const detail::Ridge ridge(basis.values, one, eps * pair.xx.trace());
  const Matrix<double> cross = basis.vectors.transpose() * pair.xy * basis.vectors;
  const detail::WeightedView<double> view{basis.values, ridge.weights};
  return detail::PairedBases<double>::solve(cross, view, view, one, 3).values;
}

}  // namespace

TEST_CASE("paired_bases: correlations of a population, with a ridge", "[models]") {
  const NormalPair pair(.64, true);
  CHECK(std::abs(pair.xx.trace() - .422649730810) <= printed);
  check_values(correlations(pair, .1), {.496558515248, .265776327113, .085709732343});
  check_values(correlations(pair, .01), {.609767715360, .370720679669, .183838723665});
  check_values(correlations(pair, 1e-3), {.634741916317, .400908123866, .235199722735});
  check_values(correlations(pair, 1e-6), {.639985708646, .409557255079, .261803615184});
}

TEST_CASE("paired_bases: singular values of a population", "[models]") {
  const auto values = [](bool centered) {
    const Matrix<double> cross = NormalPair(.64, centered).xy;
    const detail::WeightedView<double> view = detail::orthonormal_view<double>(cross.rows());
    return detail::PairedBases<double>::solve(cross, view, view, one, 4).values;
  };
  check_values(values(true), {.132557029522, .043630839485, .006653647117, .001857781858});
  check_values(values(false), {.591662798201, .132557029522, .029698277683, .006653647117});
}

TEST_CASE("paired_bases: three views of one population", "[models]") {
  // Two equal views and one that is independent of them: lambda is that of the pair.
  const NormalPair pair(.64, true);
  const EigenSystem<double> basis = symmetric_eigensystem<double>(pair.xx);
  const detail::Ridge ridge(basis.values, one, .01 * pair.xx.trace());
  const Matrix<double> cross = basis.vectors.transpose() * pair.xy * basis.vectors,
                       none = Matrix<double>::Zero(cross.rows(), cross.cols());
  const auto found = detail::JoinedBases<double>::solve(
      {{none, cross, none}, {none, none, none}, {none, none, none}},
      {ridge.weights, ridge.weights, ridge.weights}, one, 2);
  check_values(found.values, {1.609767715360, 1.370720679669});
  CHECK(found.views[2].cwiseAbs().maxCoeff() <= printed);
}

}  // namespace paired_bases_test
