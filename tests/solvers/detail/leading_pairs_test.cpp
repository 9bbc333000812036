// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/detail/leading_pairs.hpp>

#include <cmath>
#include <limits>

#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>

namespace leading_pairs_test {

using namespace mercer;
using detail::LeadingPairs;

TEST_CASE("LeadingPairs: eigenvalues, residuals and orthonormal vectors", "[solvers][law]") {
  const Index m = 240, k = 12;
  const auto decay = GENERATE(0, 1, 2, 3);
  const Vector<double> values = test::spectrum_of(m, [&](double i) {
    if (decay == 0) return std::exp(-i / 6);            // over 17 powers of ten: small to rounding
    if (decay == 1) return 1 / ((1 + i) * (1 + i));     // slow
    if (decay == 2) return i < 30 ? 5.0 : 1 / (1 + i);  // an eigenvalue of high multiplicity
    return 1 + 1e-3 * std::exp(-i);                     // nearly the identity
  });
  const Matrix<double> a = test::with_spectrum<double>(values, 1);
  const LeadingPairs<double> found(a, k);
  if (!found.ok()) {
    // Where nothing decays, the dense solver is the better one; it must not be needed elsewhere.
    CHECK(decay == 3);
    return;
  }
  const Matrix<double> u = found.vectors();
  // The residuals that the class accepts, one rounding level, and the rounding of the check.
  const double tolerance = 2 * detail::rounding_level<double>(m) * values(0);
  CHECK((found.eigenvalues() - values.head(k)).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((a * u - u * found.eigenvalues().asDiagonal()).colwise().norm().maxCoeff() <= tolerance);
  CHECK((u.transpose() * u - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff() <=
        100 * std::numeric_limits<double>::epsilon());
}

TEST_CASE("LeadingPairs: of a matrix with errors, no better than these, in fewer products",
          "[solvers]") {
  const Index m = 400, k = 10;
  const Matrix<double> a = test::with_spectrum<double>(
      test::spectrum_of(m, [](double i) { return 1 / ((1 + i) * (1 + i)); }), 1);
  const auto products_with = [&](double error) {
    Index products = 0;
    const auto count = [&](const Progress&) { return ++products > 0; };
    const LeadingPairs<double> found(a, k, count, error);
    REQUIRE(found.ok());
    const Matrix<double> u = found.vectors();
    const Matrix<double> rest = a * u - u * found.eigenvalues().asDiagonal();
    // A sixteenth of the error; and the rounding of the check, where there is none.
    CHECK(rest.colwise().norm().maxCoeff() <=
          error / 16 + 2 * detail::rounding_level<double>(m) * found.eigenvalues()(0));
    CHECK((u.transpose() * u - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff() <=
          100 * std::numeric_limits<double>::epsilon());
    return products;
  };
  CHECK(3 * products_with(1e-7) <= 2 * products_with(0));
}

TEST_CASE("LeadingPairs: any scale, and the same bits on one and two threads", "[solvers]") {
  const Index m = 300, k = 5;
  const double scale = GENERATE(1e-150, 1.0, 1e150);
  const Vector<double> values = test::spectrum_of(m, [&](double i) { return scale / (1 + i); });
  const Matrix<double> a = test::with_spectrum<double>(values, 2);
  const int threads = thread_count();
  const auto run = [&](int count) {
    set_thread_count(count);
    const LeadingPairs<double> found(a, k);
    set_thread_count(threads);
    REQUIRE(found.ok());
    return found.vectors();
  };
  const Matrix<double> one = run(1), two = run(2);
  CHECK((one == two));
  const Vector<double> mu = (one.transpose() * a * one).diagonal();
  CHECK((mu - values.head(k)).cwiseAbs().maxCoeff() <= 1e-12 * scale);
}

TEST_CASE("LeadingPairs: says where it does not find them", "[solvers]") {
  Matrix<double> a = Matrix<double>::Zero(210, 210);
  CHECK_FALSE(LeadingPairs<double>(a, 3).ok());
  a.diagonal().head(4).setOnes();  // of rank 4: the subspace has no 27 dimensions
  CHECK_FALSE(LeadingPairs<double>(a, 3).ok());
  a(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(LeadingPairs<double>(a, 3).ok());
  CHECK(LeadingPairs<double>::pays(1000, 20));
  CHECK_FALSE(LeadingPairs<double>::pays(1000, 200));
  CHECK_FALSE(LeadingPairs<double>::pays(100, 2));
}

}  // namespace leading_pairs_test
