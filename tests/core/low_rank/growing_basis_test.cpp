// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/low_rank/growing_basis.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <mercer/core/random.hpp>
#include <tests/support/catch.hpp>

namespace growing_basis_test {

using namespace mercer;

namespace {

template <Real S>
Matrix<S> normal(Index rows, Index cols, std::uint64_t seed) {
  return normal_matrix<S>(rows, cols, seed, "basis");
}

}  // namespace

SCALAR_TEST_CASE("GrowingBasis: extended and rotated where it lies", "[core]") {
  using S = TestType;
  constexpr S tolerance = 100 * std::numeric_limits<S>::epsilon();
  const Index n = 2500;  // three blocks of rows
  detail::GrowingBasis<S> basis(orthonormalize(normal<S>(n, 4, 1)).Q);
  const S* memory = nullptr;
  for (std::uint64_t step = 0; step < 4; ++step) {
    const Matrix<S> before = basis.columns(), b = normal<S>(n, 3, 2 + step);
    const Matrix<S> t = basis.extend(b);
    REQUIRE(t.rows() == 7);
    CHECK(Matrix<S>(basis.columns()) == before);
    const Matrix<S> w = orthonormalize(normal<S>(7, 4, 20 + step)).Q;
    basis.rotate(w);
    CHECK(basis.cols() == 4);
    CHECK(orthogonality_error(basis.columns()) <= tolerance);
    // w^T [U Q]^T b = w^T t.
    CHECK((inner(basis.columns(), b) - w.transpose() * t).norm() <= tolerance * b.norm());
    if (memory != nullptr) CHECK(std::as_const(basis).columns().data() == memory);
    memory = std::as_const(basis).columns().data();
  }
}

SCALAR_TEST_CASE("GrowingBasis: blocks from independent to dependent", "[core]") {
  using S = TestType;
  const Index n = 2500;
  for (const double distance : {1.0, 0.5, 0.3, 0.2, 0.1, 1e-2, 1e-3, 1e-5, 1e-9, 0.0}) {
    CAPTURE(distance);
    // Where [U Q] is not formed, rounding errors of inner products of 2500 rows are divided by the
    // least eigenvalue of what is outside of U. Columns of b, scaled to norm 1, have about a
    // twentieth of the square of the distance there.
    constexpr double accepted = sizeof(S) == 8 ? 1e-5 : 1e-3;
    const double least = distance * distance < accepted / 4 ? 1.0 : distance * distance;
    const S tolerance = S((std::max)(400.0, 240 / least)) * std::numeric_limits<S>::epsilon();
    detail::GrowingBasis<S> basis(orthonormalize(normal<S>(n, 5, 1)).Q);
    const Matrix<S> u = basis.columns();
    // Columns at this distance from the span of U, and from each other.
    Matrix<S> b = u * normal<S>(5, 3, 2) + S(distance) * normal<S>(n, 3, 3) / std::sqrt(S(n));
    b.col(2) = b.col(1) + S(distance) * normal<S>(n, 1, 4) / std::sqrt(S(n));
    b.col(1) *= S(1e12);  // columns of any scale
    const Matrix<S> t = basis.extend(b);
    basis.rotate(Matrix<S>::Identity(t.rows(), t.rows()));
    const Matrix<S> q = basis.columns();
    CHECK(orthogonality_error(q) <= tolerance);
    CHECK((q.leftCols(5) - u).norm() <= tolerance);
    for (Index j = 0; j < 3; ++j)
      CHECK((q * t.col(j) - b.col(j)).norm() <= tolerance * b.col(j).norm());
  }
}

SCALAR_TEST_CASE("GrowingBasis: leading vectors of an update are orthonormal to rounding",
                 "[core]") {
  using S = TestType;
  // As in an update: nearly dependent columns have small coordinates, and small eigenvalues.
  const Index n = 2500, r = 5;
  constexpr S tolerance = 400 * std::numeric_limits<S>::epsilon();
  for (const double distance : {1.0, 0.3, 0.1, 0.03, 0.01, 1e-3}) {
    CAPTURE(distance);
    detail::GrowingBasis<S> basis(orthonormalize(normal<S>(n, r, 1)).Q);
    const Matrix<S> b =
        basis.columns() * normal<S>(r, 3, 2) + S(distance) * normal<S>(n, 3, 3) / std::sqrt(S(n));
    const Matrix<S> t = basis.extend(b);
    Matrix<S> core = t * t.transpose();
    core.topLeftCorner(r, r).diagonal().array() += S(1);
    basis.rotate(symmetric_eigensystem<S>(core).vectors.leftCols(r));
    CHECK(orthogonality_error(std::as_const(basis).columns()) <= tolerance);
  }
}

SCALAR_TEST_CASE("GrowingBasis: the first columns are orthonormal to rounding", "[core]") {
  using S = TestType;
  // A matrix in factored form begins like this, and one whose basis has drifted is mended so.
  const Index n = 2500;
  for (const double distance : {1.0, 0.1, 0.03, 0.01, 1e-4}) {
    CAPTURE(distance);
    Matrix<S> b = normal<S>(n, 3, 1);
    b.col(2) = b.col(1) + S(distance) * b.col(2);
    detail::GrowingBasis<S> basis(Matrix<S>(n, 0));
    const Matrix<S> t = basis.extend(b);
    basis.rotate(Matrix<S>::Identity(t.rows(), t.rows()));
    CHECK(orthogonality_error(std::as_const(basis).columns()) <=
          100 * std::numeric_limits<S>::epsilon());
  }
}

TEST_CASE("GrowingBasis: the ends are kept, copies are their own", "[core]") {
  const Matrix<double> q = orthonormalize(normal<double>(20, 6, 1)).Q;
  detail::GrowingBasis<double> basis(q);
  const detail::GrowingBasis<double> copy = basis;
  basis.keep({2, 1});
  CHECK(basis.columns() == detail::end_columns<double>(q, {2, 1}));
  CHECK(copy.columns() == q);
  basis.keep({0, 0});
  CHECK(basis.cols() == 0);
  CHECK(basis.rows() == 20);
  CHECK(basis.extend(q).rows() == 6);
  basis.rotate(Matrix<double>(6, 0));
  CHECK(basis.cols() == 0);
  basis = copy;
  CHECK(basis.columns() == q);
}

TEST_CASE("GrowingBasis: a block inside of the span adds no columns", "[core]") {
  const Matrix<double> q = orthonormalize(normal<double>(20, 3, 1)).Q;
  detail::GrowingBasis<double> basis(q);
  const Matrix<double> t = basis.extend(q * normal<double>(3, 2, 5));
  CHECK(t.rows() == 3);
  CHECK_THROWS_AS(
      basis.extend(Matrix<double>::Constant(20, 1, std::numeric_limits<double>::infinity())),
      InvalidArgument);
  CHECK(basis.columns() == q);
}

SCALAR_TEST_CASE("GrowingBasis: an extension that is not rotated leaves nothing behind", "[core]") {
  using S = TestType;
  const Index n = 40;
  const Matrix<S> q = orthonormalize(normal<S>(n, 4, 1)).Q;
  detail::GrowingBasis<S> basis(q);
  REQUIRE(basis.extend(normal<S>(n, 3, 2)).rows() == 7);  // then something throws
  basis.keep({2, 0});
  const Matrix<S> t = basis.extend(Matrix<S>(n, 0));
  REQUIRE(t.rows() == 2);
  REQUIRE(t.cols() == 0);
  basis.rotate(Matrix<S>::Identity(2, 2));
  CHECK(basis.columns() == q.leftCols(2));
}

}  // namespace growing_basis_test
