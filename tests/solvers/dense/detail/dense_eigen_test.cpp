// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/dense/detail/dense_eigen.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include <mercer/core/random.hpp>

#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>

namespace dense_eigen_test {

using namespace mercer;

SCALAR_TEST_CASE("dense_eigen: eigenvalues, leading vectors, untouched triangle", "[solvers]") {
  using S = TestType;
  const Index n = GENERATE(1, 2, 40);
  Vector<S> spectrum(n);
  for (Index i = 0; i < n; ++i) spectrum(i) = static_cast<S>(n - 2 * i);
  const Matrix<S> a = test::with_spectrum<S>(spectrum, 1);
  Matrix<S> work = a;
  detail::DenseEigen<S> eigen(work);
  REQUIRE(eigen.ok());
  // Backward error of a symmetric eigensolver: a modest multiple of n eps |A|.
  const S tolerance =
      10 * static_cast<S>(n) * std::numeric_limits<S>::epsilon() * static_cast<S>(n);
  CHECK((eigen.eigenvalues().reverse() - spectrum).cwiseAbs().maxCoeff() <= tolerance);
  for (const Index k : {Index{1}, (n + 1) / 2, n / 2 + 1, n}) {
    Matrix<S> again = a;
    detail::DenseEigen<S> fresh(again);
    const Matrix<S> u = fresh.leading_vectors(k);
    REQUIRE(fresh.ok());
    REQUIRE(u.cols() == k);
    CHECK((a * u - u * spectrum.head(k).asDiagonal()).norm() <= tolerance);
    CHECK((u.transpose() * u - Matrix<S>::Identity(k, k)).norm() <= tolerance);
  }
  const Matrix<S> upper = work.template triangularView<Eigen::StrictlyUpper>();
  CHECK((upper == Matrix<S>(a.template triangularView<Eigen::StrictlyUpper>())));
}

TEST_CASE("dense_eigen: no vectors wanted", "[solvers]") {
  Matrix<double> a = Matrix<double>::Identity(5, 5);
  detail::DenseEigen<double> eigen(a);
  CHECK(eigen.leading_vectors(0).cols() == 0);
  CHECK(eigen.ok());
}

SCALAR_TEST_CASE("dense_eigen: all vectors of a spectrum that decays are orthogonal to rounding",
                 "[solvers]") {
  using S = TestType;
  const Index n = 60;
  // Most eigenvalues are rounding error, and lie near each other.
  Vector<S> spectrum(n);
  for (Index i = 0; i < n; ++i) spectrum(i) = std::exp2(static_cast<S>(-2 * i));
  Matrix<S> a = test::with_spectrum<S>(spectrum, 2);
  const Matrix<S> original = a;
  detail::DenseEigen<S> eigen(a);
  const Matrix<S> u = eigen.leading_vectors(n);
  REQUIRE(eigen.ok());
  const S tolerance = 10 * static_cast<S>(n) * std::numeric_limits<S>::epsilon();
  CHECK((u.transpose() * u - Matrix<S>::Identity(n, n)).norm() <= tolerance);
  const Vector<S> values = eigen.eigenvalues().reverse();
  CHECK((original * u - u * values.asDiagonal()).norm() <= tolerance);
}

// LAPACK's method for some vectors fails for some of these matrices, or leaves vectors zero.
SCALAR_TEST_CASE("dense_eigen: equal eigenvalues of parts that hardly touch", "[solvers]") {
  using S = TestType;
  constexpr std::uint64_t matrices = 350;
  for (std::uint64_t seed = 0; seed < matrices; ++seed) {
    RandomStream stream(seed, "parts that hardly touch");
    const auto n = static_cast<Index>(6 + stream.below(12));
    Matrix<S> a = Matrix<S>::Identity(n, n);
    for (Index i = 0; i + 1 < n; ++i)
      if (stream.uniform() < 0.4)
        a(i + 1, i) = a(i, i + 1) = static_cast<S>(std::pow(10, -4 - 12 * stream.uniform()));
    // Of entries 8 n epsilon, and norms of a few columns.
    const S tolerance = 20 * static_cast<S>(n) * std::numeric_limits<S>::epsilon();
    for (Index k = 1; k <= n; ++k) {
      Matrix<S> work = a;
      detail::DenseEigen<S> eigen(work);
      const Matrix<S> u = eigen.leading_vectors(k);
      REQUIRE(eigen.ok());
      REQUIRE((u.transpose() * u - Matrix<S>::Identity(k, k)).norm() <= tolerance);
      const Vector<S> values = eigen.eigenvalues().reverse().head(k);
      REQUIRE((a * u - u * values.asDiagonal()).norm() <= tolerance);
    }
  }
}

}  // namespace dense_eigen_test
