// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <mercer/core/samples.hpp>
#include <mercer/core/standardize.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace standardize_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Index;
using mercer::Matrix;
using mercer::SparseMatrix;
using mercer::Standardize;
using mercer::Vector;
using mercer::test::error_of;
using mercer::test::sparse_looking_samples;
using mercer::test::uniform_samples;

namespace {

/// A few roundings of numbers near 1.
template <class S>
constexpr double rounding = 20 * double{std::numeric_limits<S>::epsilon()};

/// Means and deviations by two plain passes in double.
void check_columns(const Standardize& found, const Matrix<double>& x, double tolerance) {
  const Vector<double> mean = x.colwise().mean().transpose();
  const Vector<double> deviation =
      (x.rowwise() - mean.transpose()).array().square().colwise().mean().sqrt().transpose();
  CHECK((found.mean() - mean).norm() <= tolerance);
  CHECK((found.deviation() - deviation).norm() <= tolerance);
}

/// A stream at fault: it says that it has given more rows than were asked for.
template <class S>
struct TooMany {
  using Scalar = S;
  [[nodiscard]] Index dimension() const { return 1; }
  [[nodiscard]] Index read(mercer::GramOut<S> out) {
    out.setZero();
    return out.rows() + 1;
  }
  [[nodiscard]] bool rewind() { return false; }
};

}  // namespace

SCALAR_TEST_CASE("Standardize: worked numbers", "[core][standardize]") {
  Matrix<TestType> x(4, 3);
  x << 1, 5, 2, 3, 5, 2, 5, 5, 6, 7, 5, 6;
  const Standardize standardize(x);
  CHECK(standardize.mean() == Vector<double>{{4, 5, 4}});
  // The mean square of -3, -1, 1, 3 is 5; the second column has one value, and is not divided.
  CHECK(standardize.deviation()(0) == Approx(std::sqrt(5.0)));
  CHECK(standardize.deviation()(1) == 1);
  CHECK(standardize.deviation()(2) == 2);
  const Matrix<TestType> z = standardize.transform(x);
  CHECK(double{z(0, 0)} == Approx(-3 / std::sqrt(5.0)));
  CHECK(z.col(1) == Vector<TestType>::Zero(4));
  CHECK(z.col(2) == Vector<TestType>{{-1, -1, 1, 1}});
  CHECK((standardize.inverse_transform(z) - x).norm() <= 7 * rounding<TestType>);
  // New samples by the same numbers.
  const Matrix<TestType> q = Matrix<TestType>::Constant(1, 3, 8);
  CHECK(standardize.transform(q)(0, 1) == 3);
  CHECK(standardize.transform(q)(0, 2) == 2);
}

SCALAR_TEST_CASE("Standardize: columns get mean 0 and deviation 1", "[core][standardize]") {
  Matrix<TestType> x = uniform_samples<TestType>(5000, 3, 1);  // more than one batch
  x.col(1) *= TestType(100);
  x.col(2).array() += TestType(10);
  const Standardize standardize(x);
  check_columns(standardize, x.template cast<double>(), 1e-10);
  const Matrix<double> z = standardize.transform(x).template cast<double>();
  // The mean of 5000 roundings of numbers below 2, and of samples around 10.
  CHECK(z.colwise().mean().norm() <= 20 * rounding<TestType>);
  CHECK((z.array().square().colwise().mean() - 1).matrix().norm() <= 20 * rounding<TestType>);
  SECTION("from a matrix in the other order") {
    const Eigen::Matrix<TestType, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = x;
    CHECK(Standardize(rows).deviation() == standardize.deviation());
  }
  SECTION("from a stream, to the same bits") {
    mercer::MatrixStream stream(x);
    CHECK(Standardize(stream).deviation() == standardize.deviation());
  }
}

SCALAR_TEST_CASE("Standardize: without means, sparse samples stay sparse", "[core][standardize]") {
  Matrix<TestType> x = sparse_looking_samples<TestType>(40, 5, 2);
  x.col(1).setZero();
  x.col(2).setConstant(3);
  x.col(3).setZero();
  x(4, 3) = 2;  // one value and zeros: not constant
  const SparseMatrix<TestType> sparse = x.sparseView();
  const Standardize from_dense(x, {.centered = false}), from_sparse(sparse, {.centered = false});
  CHECK((from_dense.deviation() - from_sparse.deviation()).norm() <= 1e-12);
  CHECK((from_dense.mean() - from_sparse.mean()).norm() <= 1e-12);
  CHECK(from_sparse.deviation()(1) == 1);
  CHECK(from_sparse.deviation()(2) == 1);
  CHECK(from_sparse.deviation()(3) == Approx(2 * std::sqrt(39.0) / 40));
  const SparseMatrix<TestType> z = from_sparse.transform(sparse);
  CHECK(z.nonZeros() == sparse.nonZeros());
  CHECK((Matrix<TestType>(z) - from_dense.transform(x)).norm() <= 40 * rounding<TestType>);
  CHECK((Matrix<TestType>(from_sparse.inverse_transform(z)) - x).norm() <= 40 * rounding<TestType>);
  CHECK(from_dense.transform(x).col(2) == x.col(2));
}

TEST_CASE("Standardize: far from the origin, digits are not lost", "[core][standardize]") {
  // 1e8 + {0, 1}: the sum of squares has 1e16, where double knows no halves any more.
  Matrix<double> x(6000, 1);
  for (Index i = 0; i < 6000; ++i) x(i, 0) = 1e8 + static_cast<double>(i % 2);
  CHECK(Standardize(x).deviation()(0) == Approx(.5).epsilon(1e-7));
}

TEST_CASE("Standardize: one sample, and values beyond each other", "[core][standardize]") {
  const Matrix<double> x = Matrix<double>::Constant(1, 2, .1);
  const Standardize standardize(x);
  CHECK(standardize.deviation() == Vector<double>::Ones(2));
  CHECK(standardize.transform(x) == Matrix<double>::Zero(1, 2));
}

SCALAR_TEST_CASE("Standardize: weights count rows", "[core][standardize]") {
  using S = TestType;
  const Index n = 5000;  // more than a batch of the stream
  Matrix<S> x = sparse_looking_samples<S>(n, 4, 12);
  Vector<double> weights(n);
  for (Index i = 0; i < n; ++i) weights(i) = static_cast<double>(i % 4);  // 0, 1, 2, 3
  x.col(2).setConstant(7);
  x(4, 2) = 1000;  // a row without weight
  std::vector<Index> repeated;
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < i % 4; ++k) repeated.push_back(i);
  const Matrix<S> rows = mercer::detail::take_rows(x, repeated);
  const Standardize expected(rows);
  REQUIRE(expected.deviation()(2) == 1);
  const auto check = [&](const Standardize& found) {
    CHECK((found.mean() - expected.mean()).norm() <= 100 * rounding<double>);
    CHECK((found.deviation() - expected.deviation()).norm() <= 100 * rounding<double>);
    CHECK(found.deviation()(2) == 1);
  };
  check(Standardize(x, weights));
  check(Standardize(x, 5e307 * weights));
  mercer::MatrixStream stream(x);
  check(Standardize(stream, weights));
  const SparseMatrix<S> sparse = x.sparseView();
  check(Standardize(sparse, weights, {.centered = false}));
  CHECK_FALSE(Standardize(sparse, weights, {.centered = false}).centered());
  // Equal weights are none.
  CHECK((Standardize(x, Vector<double>::Constant(n, 3)).deviation() - Standardize(x).deviation())
            .norm() <= 100 * rounding<double>);
}

TEST_CASE("Standardize: weights that are refused", "[core][standardize]") {
  const Matrix<double> x = uniform_samples<double>(5, 2, 3);
  const auto error = [&](const Vector<double>& weights) {
    return error_of([&] { return Standardize(x, weights); });
  };
  CHECK_THAT(error(Vector<double>::Ones(4)),
             ContainsSubstring("5 samples need as many weights, got 4"));
  CHECK_THAT(error(Vector<double>::Zero(5)),
             ContainsSubstring("at least one weight must be positive"));
  CHECK_THAT(error(Vector<double>{{1, 1, -2, 1, 1}}), ContainsSubstring("got -2 at sample 2"));
  for (const Index count : {4, 6})
    CHECK_THAT(error_of([&] {
                 mercer::MatrixStream all(x);
                 return Standardize(all, Vector<double>::Ones(count));
               }),
               ContainsSubstring("5 samples need as many weights"));
}

TEST_CASE("Standardize: what is refused", "[core][standardize]") {
  const Matrix<double> x = uniform_samples<double>(5, 2, 3);
  const SparseMatrix<double> sparse = x.sparseView();
  CHECK_THAT(error_of([&] { return Standardize(sparse); }), ContainsSubstring("lose their zeros"));
  CHECK_THAT(error_of([&] { return Standardize(x).transform(sparse); }),
             ContainsSubstring("{.centered = false}"));
  CHECK_THAT(error_of([] { return Standardize(Matrix<double>(0, 3)); }),
             ContainsSubstring("got 0 x 3"));
  CHECK_THAT(error_of([&] { return Standardize(x).transform(Matrix<double>::Zero(1, 3)); }),
             ContainsSubstring("samples have 3 columns, expected 2"));
  CHECK_THAT(error_of([&] { return Standardize(x).inverse_transform(Matrix<double>::Zero(1, 1)); }),
             ContainsSubstring("inverse_transform"));
  Matrix<double> broken = x;
  broken(3, 1) = std::numeric_limits<double>::infinity();
  const SparseMatrix<double> broken_sparse = broken.sparseView();
  CHECK_THAT(error_of([&] { return Standardize(broken); }), ContainsSubstring("row 3, column 1"));
  CHECK_THAT(error_of([&] { return Standardize(broken_sparse, {.centered = false}); }),
             ContainsSubstring("row 3, column 1"));
  const Matrix<double> huge{{1.7e308}, {1.6e308}};  // their sum overflows
  CHECK_THAT(error_of([&] { return Standardize(huge); }), ContainsSubstring("must be finite"));
  CHECK_THAT(error_of([] { return Standardize(Vector<double>{{0.}}, Vector<double>{{0.}}, true); }),
             ContainsSubstring("deviation must be positive, got 0 at column 0"));
  mercer::MatrixStream stream(x);
  Matrix<double> all(5, 2);
  static_cast<void>(stream.read(all));
  CHECK_THAT(error_of([&] { return Standardize(stream); }), ContainsSubstring("no samples"));
}

SCALAR_TEST_CASE("Standardize: streams without end, without columns, or at fault",
                 "[core][standardize]") {
  using S = TestType;
  const auto zeros = [](Index, mercer::GramOut<S> out) { out.setZero(); };
  mercer::GeneratedStream<S> forever(2, mercer::endless, zeros), narrow(0, 5, zeros);
  CHECK_THAT(error_of([&] { return Standardize(forever); }), ContainsSubstring("has no end"));
  CHECK_THAT(error_of([&] { return Standardize(forever, Vector<double>::Ones(3)); }),
             ContainsSubstring("has no end"));
  CHECK_THAT(error_of([&] { return Standardize(narrow); }), ContainsSubstring("has no columns"));
  TooMany<S> more;
  CHECK_THAT(error_of([&] { return Standardize(more); }),
             ContainsSubstring("gave 4097 rows where 4096 were asked for"));
}

SCALAR_TEST_CASE("Standardize: columns of any scale", "[core][standardize]") {
  using S = TestType;
  // The squares of what is in the outer columns are 0, or overflow.
  const int last = std::numeric_limits<S>::max_exponent - 24;
  Matrix<S> pattern(6000, 1), x(6000, 3);  // more than one batch
  for (Index i = 0; i < 6000; ++i) pattern(i, 0) = static_cast<S>(i % 7 + (i > 5000 ? 3 : 0));
  x << pattern * std::ldexp(S(1), -last), pattern, pattern * std::ldexp(S(1), last);
  x.col(2).topRows(5000) *= S(-1);
  Matrix<S> signs = pattern;
  signs.topRows(5000) *= S(-1);
  const Vector<double> ones = Vector<double>::Ones(6000);
  const auto check = [&](const Standardize& found, const Standardize& plain,
                         const Standardize& turned) {
    // The units are powers of two, so these are the same bits.
    CHECK(found.deviation()(0) == std::ldexp(plain.deviation()(0), -last));
    CHECK(found.deviation()(1) == plain.deviation()(0));
    CHECK(found.deviation()(2) == std::ldexp(turned.deviation()(0), last));
  };
  check(Standardize(x), Standardize(pattern), Standardize(signs));
  check(Standardize(x, ones), Standardize(pattern, ones), Standardize(signs, ones));
  const auto sparse = [&](const Matrix<S>& values) {
    return Standardize(SparseMatrix<S>(values.sparseView(S(0), S(0))), {.centered = false});
  };
  check(sparse(x), sparse(pattern), sparse(signs));
  // Far above zero, with one value for long.
  Matrix<double> late = Matrix<double>::Constant(9000, 1, 1e-200);
  late(8999, 0) = 2e-200;
  CHECK(Standardize(late).deviation()(0) == Approx(1e-200 * std::sqrt(8999.0) / 9000));
}

}  // namespace standardize_test
