// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <string>

#include <mercer/kernels/blocks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace blocks_test {

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

}  // namespace

TEMPLATE_TEST_CASE("blocks: squared distances by hand", "[kernel]", float, double) {
  using S = TestType;
  const Matrix<S> x{{S(1), S(2)}, {S(0), S(0)}}, y{{S(4), S(6)}};
  Matrix<S> out(2, 1);
  detail::squared_distances(x, y, S(1), out);
  CHECK(out == Matrix<S>{{S(25)}, {S(52)}});
  detail::squared_distances(x, y, S(2), out);
  CHECK(out == Matrix<S>{{S(100)}, {S(208)}});
}

TEMPLATE_TEST_CASE("blocks: squared distances are relatively accurate", "[kernel]", float, double) {
  using S = TestType;
  constexpr Index d = 9;
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

TEMPLATE_TEST_CASE("blocks: squared distances where squares overflow", "[kernel]", float, double) {
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

TEMPLATE_TEST_CASE("blocks: inner products of sparse rows", "[kernel][sparse]", float, double) {
  using S = TestType;
  const Matrix<S> x = sparse_looking_samples<S>(40, 17, 1),
                  y = sparse_looking_samples<S>(23, 17, 2);
  const SparseMatrix<S> sparse_x = x.sparseView(), sparse_y = y.sparseView();
  const Matrix<S> expected = x * y.transpose();
  Matrix<S> out = Matrix<S>::Constant(40, 23, S(77));
  detail::inner_products(sparse_x, sparse_y, out);
  CHECK((out - expected).cwiseAbs().maxCoeff() <= 17 * eps<S>);
  CHECK(out.row(2) == Matrix<S>::Zero(1, 23));
  CHECK((detail::squared_norms(sparse_x) - detail::squared_norms(x)).cwiseAbs().maxCoeff() <=
        17 * eps<S>);
}

TEMPLATE_TEST_CASE("blocks: coordinate sums of every size around lanes and columns", "[kernel]",
                   float, double) {
  using S = TestType;
  const auto step = [](auto& a, const auto& u, S v) { a += u * v; };
  for (const Index n : {0, 1, 15, 16, 17, 31, 32, 33, 70})
    for (const Index m : {0, 1, 3, 4, 5})
      for (const Index d : {0, 1, 7}) {
        CAPTURE(n, m, d);
        const Matrix<S> x = uniform_samples<S>(n, d, 1), y = uniform_samples<S>(m, d, 2);
        // The block is part of a larger one, whose other entries stay.
        Matrix<S> around = Matrix<S>::Constant(n + 2, m + 2, S(77));
        detail::reduce_coordinates<S>(x, y, S(0.5), step, around.block(1, 1, n, m));
        const Matrix<S> products = x * y.transpose();
        for (Index j = 0; j < m; ++j)
          for (Index i = 0; i < n; ++i)
            CHECK(std::abs(around(1 + i, 1 + j) - S(0.5) - products(i, j)) <= 8 * eps<S>);
        around.block(1, 1, n, m).setConstant(S(77));
        CHECK(around == Matrix<S>::Constant(n + 2, m + 2, S(77)));
      }
}

TEST_CASE("blocks: a negative entry is named", "[kernel]") {
  Matrix<double> x = Matrix<double>::Zero(3, 4);
  CHECK(error_of([&] { detail::require_non_negative("K", x); }) == "no error");
  x(1, 3) = -2;
  const std::string message =
      "mercer::K: samples must be non-negative, got -2 at row 1, column 3 (counted from 0)";
  CHECK(error_of([&] { detail::require_non_negative("K", x); }) == message);
  const SparseMatrix<double> sparse = x.sparseView();
  CHECK(error_of([&] { detail::require_non_negative("K", sparse); }) == message);
}

}  // namespace blocks_test
