// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
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

}  // namespace

SCALAR_TEST_CASE("blocks: inner products of sparse rows", "[kernel][sparse]") {
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

SCALAR_TEST_CASE("blocks: coordinate sums of every size around lanes and columns", "[kernel]") {
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

SCALAR_TEST_CASE("blocks: exponentials are those of the standard library, to their ends",
                 "[kernel]") {
  using S = TestType;
  const S top = detail::largest_exponent<S>, bottom = detail::least_exponent<S>;
  for (const Index n : {1, 31, 32, 33, 75}) {
    Vector<S> x = test::uniform_samples<S>(n, 1, 6, double(bottom), double(top));
    Vector<S> values = -x;
    detail::exponentials<S>(S(-1), {values.data(), n});
    // Two units in the last place of each.
    for (Index i = 0; i < n; ++i)
      CHECK(std::abs(values(i) - std::exp(x(i))) <=
            4 * std::numeric_limits<S>::epsilon() * std::exp(x(i)));
    // One by one: the same bits.
    for (Index i = 0; i < n; ++i) {
      S value = -x(i);
      detail::exponentials<S>(S(-1), {&value, 1});
      CHECK(value == values(i));
    }
  }
  const S infinity = std::numeric_limits<S>::infinity();
  Vector<S> ends(6);
  ends << bottom - 1, -infinity, 2 * bottom, top + 1, infinity, 2 * top;
  detail::exponentials<S>(S(1), {ends.data(), ends.size()});
  CHECK(ends.head(3).isZero(0));
  CHECK((ends.tail(3).array() == infinity).all());
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
