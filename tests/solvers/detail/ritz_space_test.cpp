// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/ritz_space.hpp>

#include <cstdint>
#include <limits>

#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace ritz_space_test {

using namespace mercer;
using detail::Deflated;
using detail::RitzSpace;

namespace {

const Matrix<double> matrix =
    test::with_spectrum<double>(test::spectrum_of(40, [](double i) { return 1 / (1 + i); }), 1);

/// Grown by blocks of 3, 1 and 4 vectors.
RitzSpace<double> grown(const OperatorView<double>& a, Report& report) {
  RitzSpace<double> space(mercer::RowSpace::whole(40));
  for (const Index cols : {3, 1, 4}) {
    const Matrix<double> block =
        test::uniform_samples<double>(40, cols, 7 + static_cast<std::uint64_t>(cols));
    REQUIRE(space.extend(a, space.extension(block).Q, report));
  }
  return space;
}

}  // namespace

TEST_CASE("ritz_space: grows by blocks, and its Ritz pairs are those of the projection",
          "[solvers]") {
  const PrecomputedGram<double> op(matrix);
  const OperatorView<double> a(op);
  Report report;
  const auto space = grown(a, report);
  const Index r = space.size();
  CHECK(r == 8);
  CHECK(report.kernel_products == r);
  const Matrix<double> v = space.basis();
  CHECK((v.transpose() * v - Matrix<double>::Identity(r, r)).norm() <= 1e-13);
  CHECK((space.products() - matrix * v).norm() <= 1e-13);
  CHECK((space.projected() - v.transpose() * matrix * v).norm() <= 1e-13);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> exact(v.transpose() * matrix * v);
  CHECK((space.ritz().values - exact.eigenvalues().reverse()).norm() <= 1e-13);
  const Matrix<double> u = space.vectors(3);
  CHECK((space.vector_products(3) - matrix * u).norm() <= 1e-13);
  const Matrix<double> rest =
      matrix * u - u * space.ritz().values.head(3).asDiagonal().toDenseMatrix();
  CHECK((space.residuals(3) - rest).norm() <= 1e-13);
}

TEST_CASE("ritz_space: keeps leading pairs", "[solvers]") {
  const PrecomputedGram<double> op(matrix);
  const OperatorView<double> a(op);
  Report report;
  auto space = grown(a, report);
  const Vector<double> values = space.ritz().values;
  const Matrix<double> residuals = space.residuals(4);
  space.keep(4);
  CHECK(space.size() == 4);
  CHECK((space.ritz().values - values.head(4)).norm() <= 1e-14);
  CHECK((space.products() - matrix * space.basis()).norm() <= 1e-13);
  CHECK((space.residuals(4).cwiseAbs() - residuals.cwiseAbs()).norm() <= 1e-13);
  // It goes on growing.
  const Matrix<double> block = test::uniform_samples<double>(40, 2, 9);
  REQUIRE(space.extend(a, space.extension(block).Q, report));
  CHECK(space.size() == 6);
  CHECK((space.projected() - space.basis().transpose() * matrix * space.basis()).norm() <= 1e-13);
}

TEST_CASE("ritz_space: the operator without the pairs found", "[solvers]") {
  const PrecomputedGram<double> op(matrix);
  const OperatorView<double> a(op);
  Report report;
  const auto space = grown(a, report);
  const Matrix<double> v = space.basis();
  const Matrix<double> p = Matrix<double>::Identity(40, 40) - v * v.transpose();
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 5);
  CHECK((space.outside(x) - p * x).norm() <= 1e-13);
  // Two passes: nothing of the span is left, not even of a vector that lies in it.
  CHECK((v.transpose() * space.outside(1e8 * v.leftCols(2) + 1e-6 * x.leftCols(2))).norm() <=
        1e-15);
  Matrix<double> out(40, 3);
  Deflated<double>{a, space}.apply(x, out);
  CHECK((out - p * matrix * p * x).norm() <= 1e-13);
  const RitzSpace<double> empty(mercer::RowSpace::whole(40));
  Deflated<double>{a, empty}.apply(x, out);
  CHECK((out - matrix * x).norm() <= 1e-13);
}

TEST_CASE("ritz_space: products that are not finite add nothing", "[solvers]") {
  RitzSpace<double> space(mercer::RowSpace::whole(40));
  const Matrix<double> v = Matrix<double>::Identity(40, 2);
  CHECK_FALSE(space.append(v, matrix * v * std::numeric_limits<double>::quiet_NaN()));
  CHECK(space.size() == 0);
  CHECK(space.ritz().values.size() == 0);
  CHECK(space.vectors(0).rows() == 40);
  CHECK(space.append(v, matrix * v));
  CHECK(space.size() == 2);
}

}  // namespace ritz_space_test
