// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/operators/centered.hpp>

#include <cmath>
#include <limits>

#include <mercer/kernels/radial.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace centered_test {

using namespace mercer;

static_assert(HasDiagonalEntries<Centered<PrecomputedGram<double>>>);
static_assert(HasDenseForm<Centered<Gram<Matrix<double>>>>);

SCALAR_TEST_CASE("centered: equals J A J", "[operators]") {
  using S = TestType;
  const Index n = GENERATE(1, 2, 50, 300);
  const Matrix<S> half = test::uniform_samples<S>(n, n, 1);
  const Matrix<S> a = half + half.transpose();
  const Matrix<S> expected = test::centering_matrix<S>(n) * a * test::centering_matrix<S>(n);
  const Centered<PrecomputedGram<S>> op{PrecomputedGram<S>(a)};
  // Entries of size 2, sums over n of them.
  test::check_operator(op, expected, 8 * static_cast<S>(n) * std::numeric_limits<S>::epsilon());
}

TEST_CASE("centered: row sums vanish", "[operators][law]") {
  const Matrix<double> x = test::uniform_samples<double>(400, 3, 3);
  const Centered op{Gram(Gaussian(0.5), x, {.storage = GramStorage::Stored})};
  // The tolerance is 1e-12 n max|K|, and max|K| = 1.
  CHECK(op.dense().rowwise().sum().cwiseAbs().maxCoeff() <= 1e-12 * 400);
  Matrix<double> product(400, 1);
  op.apply(Matrix<double>::Ones(400, 1), product);
  CHECK(product.cwiseAbs().maxCoeff() <= 1e-12 * 400);
}

TEST_CASE("centered: means", "[operators]") {
  const Matrix<double> x = test::uniform_samples<double>(40, 3, 4);
  const Matrix<double> k = gram(Gaussian(0.5), x);
  const Centered op{Gram(Gaussian(0.5), x)};
  CHECK((op.row_means() - k.rowwise().mean()).cwiseAbs().maxCoeff() <= 1e-15);
  CHECK(op.mean() == Approx(k.mean()).epsilon(1e-14));
}

TEST_CASE("centered: with weights, J A J^T with J = I - 1 p^T", "[operators]") {
  const Index n = GENERATE(1, 2, 50, 300);
  const Matrix<double> half = test::uniform_samples<double>(n, n, 5);
  const Matrix<double> a = half + half.transpose();
  Vector<double> p = test::uniform_samples<double>(n, 1, 6, 0, 1);
  if (n > 2) p(2) = 0;
  p /= p.sum();
  const Matrix<double> j = Matrix<double>::Identity(n, n) - Vector<double>::Ones(n) * p.transpose();
  const Matrix<double> expected = j * a * j.transpose();
  const Centered<PrecomputedGram<double>> op{PrecomputedGram<double>(a), p};
  const double tolerance = 16 * static_cast<double>(n) * std::numeric_limits<double>::epsilon();
  test::check_operator(op, expected, tolerance);
  CHECK((op.row_means() - a * p).cwiseAbs().maxCoeff() <= tolerance);
  CHECK(std::abs(op.mean() - p.dot(a * p)) <= tolerance);
  // An operator whose means are first needed by its dense form.
  const Centered<PrecomputedGram<double>> other{PrecomputedGram<double>(a), p};
  CHECK((other.dense() - expected).cwiseAbs().maxCoeff() <= tolerance);
  CHECK((other.row_means() - a * p).cwiseAbs().maxCoeff() <= tolerance);
}

}  // namespace centered_test
