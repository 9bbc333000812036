// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/squared_distances.hpp>

#include <cmath>
#include <limits>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace squared_distances_test {

using namespace mercer;
using namespace mercer::test;

namespace {

template <Real S>
constexpr S eps = std::numeric_limits<S>::epsilon();

template <Real S>
Matrix<S> direct_distances(const Matrix<S>& x, const Matrix<S>& y, long double scale) {
  Matrix<S> out(x.rows(), y.rows());
  for (Index j = 0; j < y.rows(); ++j)
    for (Index i = 0; i < x.rows(); ++i) {
      long double sum = 0;
      for (Index c = 0; c < x.cols(); ++c) {
        const long double difference =
            static_cast<long double>(x(i, c)) - static_cast<long double>(y(j, c));
        sum += scale * scale * difference * difference;
      }
      out(i, j) = static_cast<S>(sum);
    }
  return out;
}

template <Real S>
S relative_error(const Matrix<S>& values, const Matrix<S>& expected) {
  const Matrix<S> positive = expected.cwiseMax((std::numeric_limits<S>::min)());
  return (values - expected).cwiseAbs().cwiseQuotient(positive).maxCoeff();
}

/// All distances of samples that are prepared once.
template <OwnedSamples X>
Matrix<typename X::Scalar> prepared_distances(const X& x, const X& y, double scale) {
  using S = typename X::Scalar;
  PreparedSamples<X> all{.samples = &x};
  detail::PreparedDistances<X>::prepare(all, scale);
  PreparedSamples<X> others{.samples = &y, .form = all.form};
  detail::PreparedDistances<X>::prepare(others, scale);
  Matrix<S> out(x.rows(), y.rows());
  detail::PreparedDistances<X>::squared({all, {0, x.rows()}}, {others, {0, y.rows()}}, scale, out);
  return out;
}

/// Whether the samples are copied when they are prepared.
template <Real S>
bool copies(const Matrix<S>& x, double scale = 1) {
  PreparedSamples<Matrix<S>> all{.samples = &x};
  detail::PreparedDistances<Matrix<S>>::prepare(all, scale);
  return all.form->copied;
}

}  // namespace

SCALAR_TEST_CASE("squared_distances: by hand", "[kernel]") {
  using S = TestType;
  const Matrix<S> x{{S(1), S(2)}, {S(0), S(0)}}, y{{S(4), S(6)}};
  Matrix<S> out(2, 1);
  detail::squared_distances(x, y, S(1), out);
  CHECK(out == Matrix<S>{{S(25)}, {S(52)}});
  detail::squared_distances(x, y, S(2), out);
  CHECK(out == Matrix<S>{{S(100)}, {S(208)}});
}

SCALAR_TEST_CASE("squared_distances: accurate relative to each distance", "[kernel]") {
  using S = TestType;
  const Index d = GENERATE(9, 40);  // by differences, and by a matrix product
  // Two clusters far from each other and from the origin, each with samples from far to near.
  Matrix<S> x = uniform_samples<S>(60, d, 3);
  for (Index i = 0; i < 60; ++i) x.row(i) *= std::pow(S(10), S(-(i % 6)));
  x.topRows(30).array() += S(100);
  x.bottomRows(20).array() -= S(1000);
  x.row(59) = x.row(0);
  const Matrix<S> y = x;
  // 2^7 d^(1/2) eps, the accuracy stated, with 2 d for d^(1/2) as a bound instead of a typical
  // size.
  const S bound = 128 * 2 * S(d) * eps<S>;
  Matrix<S> out(60, 60);
  detail::squared_distances(x, y, S(0.7), out);
  const Matrix<S> expected = direct_distances(x, y, S(0.7));
  CHECK(relative_error(out, expected) <= bound);
  CHECK((out.diagonal().array() == 0).all());
  CHECK(out(59, 0) == 0);

  const SparseMatrix<S> sparse = x.sparseView();
  detail::squared_distances(sparse, sparse, S(0.7), out);
  CHECK(relative_error(out, expected) <= bound);
  CHECK(out(59, 0) == 0);
}

SCALAR_TEST_CASE("squared_distances: squares that overflow", "[kernel]") {
  using S = TestType;
  const S big = sizeof(S) == 4 ? S(3e38) : S(1e308);
  const Matrix<S> x{{big, S(0)}, {-big, S(0)}, {S(0), S(1)}};
  Matrix<S> out(3, 3);
  detail::squared_distances(x, x, S(1), out);
  CHECK_FALSE(out.hasNaN());
  CHECK((out.diagonal().array() == 0).all());
  CHECK(out(0, 1) == std::numeric_limits<S>::infinity());
  CHECK(out(0, 2) == std::numeric_limits<S>::infinity());
}

SCALAR_TEST_CASE("squared_distances: of prepared samples", "[kernel]") {
  using S = TestType;
  constexpr Index d = 40, n = 300;
  const S bound = 128 * 2 * S(d) * eps<S>;  // as above
  const auto check = [&](const Matrix<S>& x, const Matrix<S>& y, double scale) {
    const Matrix<S> expected = direct_distances(x, y, static_cast<long double>(scale));
    CHECK(relative_error(prepared_distances(x, y, scale), expected) <= bound);
    const SparseMatrix<S> sparse_x = x.sparseView(), sparse_y = y.sparseView();
    CHECK(relative_error(prepared_distances(sparse_x, sparse_y, scale), expected) <= bound);
  };
  const Matrix<S> x = uniform_samples<S>(n, d, 5);
  Matrix<S> y = uniform_samples<S>(7, d, 6);
  y.row(3) = x.row(290);
  check(x, y, .3);
  CHECK(prepared_distances(x, y, .3)(290, 3) == 0);
  CHECK_FALSE(copies(x));

  const Matrix<S> far_x = x.array() + S(1000), far_y = y.array() + S(1000);
  check(far_x, far_y, .3);
  CHECK(prepared_distances(far_x, far_y, .3)(290, 3) == 0);
  CHECK(copies(far_x));

  Matrix<S> outlier = x;  // the first sample is far from the others, which stay where they are
  outlier.row(0).array() += S(1e5);
  check(outlier, y, .3);
  CHECK_FALSE(copies(outlier));

  const S tiny = sizeof(S) == 4 ? S(1e-30) : S(1e-250), huge = S(1) / tiny;
  check(tiny * x, tiny * y, 1 / static_cast<double>(tiny));
  check(huge * x, huge * y, 1 / static_cast<double>(huge));
  CHECK(copies<S>(tiny * x));
  CHECK(copies<S>(huge * x, 1 / static_cast<double>(huge)));

  // New samples that are much larger than those that the form was chosen for.
  const Matrix<S> beyond = huge * y;
  CHECK((prepared_distances(x, beyond, 1).array() == std::numeric_limits<S>::infinity()).all());
  check(Matrix<S>::Zero(3, d), y, 1);
  CHECK(prepared_distances<Matrix<S>>(x, Matrix<S>(0, d), 1).size() == 0);
}

}  // namespace squared_distances_test
