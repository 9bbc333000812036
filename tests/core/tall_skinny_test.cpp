// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <rapidcheck.h>

#include <mercer/core/random.hpp>
#include <mercer/core/tall_skinny.hpp>

namespace tall_skinny_test {

namespace {

using mercer::Index;
using mercer::Matrix;
using mercer::Vector;

constexpr std::uint64_t seed = 3;

// Errors of a few roundings in sums over up to a few thousand rows and tens of columns.
template <class S>
constexpr S tolerance = 200 * std::numeric_limits<S>::epsilon();

template <class S>
Matrix<S> normal(Index rows, Index cols, std::string_view purpose = "block") {
  return mercer::normal_matrix<S>(rows, cols, seed, purpose);
}

/// n x k with singular values 1, 10^-1, ..., 10^-(k-1) times \p ratio.
Matrix<double> graded(Index rows, Index cols, double ratio) {
  Matrix<double> a = mercer::orthonormalize(normal<double>(rows, cols)).Q;
  const Matrix<double> mix = mercer::orthonormalize(normal<double>(cols, cols, "mix")).Q;
  Vector<double> values(cols);
  for (Index i = 0; i < cols; ++i) values(i) = std::pow(ratio, double(i));
  return a * values.asDiagonal() * mix.transpose();
}

template <class S>
void check_qr(const Matrix<S>& a) {
  const mercer::ThinQr<S> qr = mercer::orthonormalize(a);
  CHECK(qr.Q.cols() == (std::min)(a.rows(), a.cols()));
  CHECK(mercer::orthogonality_error(qr.Q) <= tolerance<S>);
  for (Index j = 0; j < a.cols(); ++j)
    CHECK((qr.Q * qr.R.col(j) - a.col(j)).stableNorm() <= tolerance<S> * a.col(j).stableNorm());
  CHECK(qr.R.isUpperTriangular(S(0)));
}

}  // namespace

SCALAR_TEST_CASE("tall_skinny: inner products agree with the plain product", "[core]") {
  using S = TestType;
  for (const Index rows : {0, 1, 1023, 1024, 1025, 20000}) {
    const Matrix<S> a = normal<S>(rows, 3, "a");
    const Matrix<S> b = normal<S>(rows, 2, "b");
    const Matrix<double> exact = a.template cast<double>().transpose() * b.template cast<double>();
    CHECK((mercer::inner(a, b).template cast<double>() - exact).norm() <=
          double(tolerance<S>) * std::sqrt(double(rows)));
  }
  CHECK(mercer::inner(Matrix<S>(5, 0), Matrix<S>(5, 2)).rows() == 0);
  CHECK_THROWS_AS(mercer::inner(Matrix<S>(5, 1), Matrix<S>(4, 1)), mercer::InvalidArgument);
}

TEST_CASE("tall_skinny: results are the same bits for one thread and for two", "[core]") {
  const Matrix<double> a = normal<double>(20000, 40, "a");
  const Matrix<double> dependent = a.leftCols(8).replicate(1, 2);
  const int threads = mercer::thread_count();
  const auto run = [&](int count) {
    mercer::set_thread_count(count);
    Matrix<double> centred = a;
    const Vector<double> means = mercer::centre_columns(centred);
    const mercer::ThinQr<double> qr = mercer::orthonormalize(a);
    const mercer::ThinQr<double> deficient = mercer::orthonormalize(dependent);
    const mercer::Extension<double> split =
        mercer::orthogonalize_against(qr.Q.leftCols(20), a.rightCols(30));
    Matrix<double> all(20000, 40 + 40 + 16 + split.Q.cols());
    all << centred, qr.Q, deficient.Q, split.Q;
    Matrix<double> small(40 + 20, 40);
    small << mercer::inner(a, a), split.G, Matrix<double>::Zero(20, 10);
    mercer::set_thread_count(threads);
    return std::pair{all, small};
  };
  const auto one = run(1);
  const auto two = run(2);
  CHECK(one.first == two.first);
  CHECK(one.second == two.second);
}

SCALAR_TEST_CASE("tall_skinny: Q is orthonormal and A = Q R for any shape, scale and rank",
                 "[core]") {
  using S = TestType;
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{1, 1}, {5, 5}, {3, 7}, {50, 10}, {3000, 20}})
    check_qr<S>(normal<S>(rows, cols));

  Matrix<S> a = normal<S>(60, 6);
  a.col(1) = a.col(0);
  a.col(3).setZero();
  check_qr(a);
  check_qr<S>(Matrix<S>::Zero(20, 4));
  check_qr<S>(Matrix<S>::Ones(20, 4));

  const S huge = std::sqrt((std::numeric_limits<S>::max)()) * S(10);
  Matrix<S> scaled = normal<S>(60, 3);
  scaled.col(0) *= huge;
  scaled.col(1) /= huge;
  check_qr(scaled);

  CHECK(mercer::orthonormalize(Matrix<S>(4, 0)).Q.rows() == 4);
  CHECK(mercer::orthonormalize(Matrix<S>(0, 4)).R.cols() == 4);
}

TEST_CASE("tall_skinny: Q is orthonormal whatever the condition number", "[core]") {
  // From well below to well above the change from Cholesky to Householder (1e6).
  for (const double ratio : {0.5, 0.1, 0.07, 0.05, 0.02, 1e-3, 1e-4})
    check_qr(graded(2000, 6, ratio));
}

TEST_CASE("tall_skinny: a block is split along a basis and what is orthogonal to it", "[core]") {
  // Columns of B: mixed new and old directions, dependent, inside the span, far smaller, zero.
  const Index rows = 300;
  const Matrix<double> q = mercer::orthonormalize(normal<double>(rows, 10, "q")).Q;
  Matrix<double> b = normal<double>(rows, 7, "b");
  b.col(1) = b.col(0);
  b.col(2) = q.col(3);
  b.col(3) = q * Vector<double>::Ones(10) + 1e-7 * b.col(3);
  b.col(4) *= 1e-150;
  b.col(5).setZero();
  b.col(6) *= 1e150;
  const mercer::Extension<double> split = mercer::orthogonalize_against(q, b);
  CHECK(split.Q.cols() == 4);
  Matrix<double> both(rows, 10 + split.Q.cols());
  both << q, split.Q;
  CHECK(mercer::orthogonality_error(both) <= tolerance<double>);
  for (Index j = 0; j < b.cols(); ++j)
    CHECK((q * split.G.col(j) + split.Q * split.R.col(j) - b.col(j)).stableNorm() <=
          tolerance<double> * b.col(j).stableNorm());
}

TEST_CASE("tall_skinny: a column in the span of a basis takes nothing from the others", "[core]") {
  // The basis is orthonormal to a few roundings only, as after many updates, so what the first
  // column leaves of itself is rounding error that is not quite orthogonal to the basis.
  Matrix<double> q = mercer::orthonormalize(mercer::normal_matrix<double>(40, 8, 3, "q")).Q;
  q += 2e-15 * mercer::normal_matrix<double>(40, 8, 4, "errors");
  for (const std::uint64_t draw : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U}) {
    Matrix<double> b(40, 3);
    b.col(0) = q * mercer::normal_matrix<double>(8, 1, draw, "inside");
    b.col(1) = b.col(0) + 0.1 * mercer::normal_matrix<double>(40, 1, draw, "outside");
    b.col(2) = q * mercer::normal_matrix<double>(8, 1, draw, "also inside");
    const mercer::Extension<double> split = mercer::orthogonalize_against(q, b);
    CHECK(split.Q.cols() == 1);
    CHECK((q * split.G + split.Q * split.R - b).norm() <= 1e-13);
    CHECK((q.transpose() * split.Q).norm() <= 1e-14);
  }
}

TEST_CASE("tall_skinny: blocks without columns, and values that are not finite", "[core]") {
  const Matrix<double> q = mercer::orthonormalize(normal<double>(3000, 2, "q")).Q;
  const Matrix<double> none(3000, 0);
  CHECK(mercer::orthogonalize_against(q, none).Q.cols() == 0);
  CHECK(mercer::orthogonalize_against(none, q).Q.cols() == 2);
  CHECK(mercer::orthogonalize_against(none, Matrix<double>::Zero(3000, 2)).Q.cols() == 0);
  CHECK(mercer::multiply(none, Matrix<double>(0, 3)) == Matrix<double>::Zero(3000, 3));
  CHECK(mercer::column_means(none).size() == 0);
  CHECK(mercer::column_products(none, none).size() == 0);
  for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Matrix<double> b = normal<double>(3000, 3, "b");
    b(1500, 1) = value;
    CHECK_THROWS_AS(mercer::orthogonalize_against(q, b), mercer::InvalidArgument);
    CHECK_THROWS_AS(mercer::orthogonalize_against(none, b), mercer::InvalidArgument);
  }
}

TEST_CASE("tall_skinny: no more directions are found than there are", "[core][law]") {
  CHECK(rc::check("[Q0 Q] is orthonormal and spans B", [] {
    const auto rows = *rc::gen::inRange<Index>(1, 12);
    const auto old = *rc::gen::inRange<Index>(0, rows + 1);
    const auto added = *rc::gen::inRange<Index>(0, 12);
    const auto draw = *rc::gen::inRange<std::uint64_t>(0, 1000);
    const Matrix<double> q =
        mercer::orthonormalize(mercer::normal_matrix<double>(rows, old, draw, "q")).Q;
    const Matrix<double> b = mercer::normal_matrix<double>(rows, added, draw, "b");
    const mercer::Extension<double> split = mercer::orthogonalize_against(q, b);
    RC_ASSERT(split.Q.cols() == (std::min)(rows - old, added));
    Matrix<double> both(rows, old + split.Q.cols());
    both << q, split.Q;
    RC_ASSERT(mercer::orthogonality_error(both) <= tolerance<double>);
    RC_ASSERT((q * split.G + split.Q * split.R - b).norm() <= tolerance<double> * (1 + b.norm()));
  }));
}

TEST_CASE("tall_skinny: Rayleigh-Ritz finds the eigenpairs inside an invariant subspace",
          "[core]") {
  const Matrix<double> q = mercer::orthonormalize(normal<double>(80, 4)).Q;
  const Vector<double> values = Vector<double>{{5, 2, -1, -3}};
  const Matrix<double> k = q * values.asDiagonal() * q.transpose();
  const Matrix<double> mixed = q * mercer::orthonormalize(normal<double>(4, 4, "mix")).Q;
  const mercer::EigenSystem<double> ritz = mercer::rayleigh_ritz(mixed, k * mixed);
  CHECK((ritz.values - values).norm() <= tolerance<double> * 5);
  const Matrix<double> vectors = mixed * ritz.vectors;
  CHECK((k * vectors - vectors * values.asDiagonal()).norm() <= tolerance<double> * 5);
}

SCALAR_TEST_CASE("tall_skinny: columns are centred in place", "[core]") {
  using S = TestType;
  Matrix<S> a = normal<S>(3000, 3);
  a.col(1).array() += 7;
  const Matrix<S> original = a;
  const Vector<S> means = mercer::centre_columns(a);
  CHECK(std::abs(means(1) - 7) <= S(0.2));
  CHECK(mercer::column_means(a).cwiseAbs().maxCoeff() <= tolerance<S>);
  CHECK((a.rowwise() + means.transpose() - original).cwiseAbs().maxCoeff() <= tolerance<S>);
  CHECK(mercer::column_means(Matrix<S>(0, 2)) == Vector<S>::Zero(2));
}

TEST_CASE("tall_skinny: products of columns, and of a block with a small matrix", "[core]") {
  const Matrix<double> a = normal<double>(2100, 3, "a");
  const Matrix<double> b = normal<double>(2100, 3, "b");
  const Matrix<double> w = normal<double>(3, 4, "w");
  CHECK((mercer::column_products(a, b) - mercer::inner(a, b).diagonal()).norm() <= 1e-11);
  CHECK((mercer::multiply(a, w) - a * w).norm() <= tolerance<double> * a.norm());
  Matrix<double> sum = a * w;
  mercer::add_product(-1.0, a, w, sum);
  CHECK(sum.norm() <= tolerance<double> * a.norm());
  CHECK_THROWS_AS(mercer::column_products(a, w), mercer::InvalidArgument);
  CHECK_THROWS_AS(mercer::add_product(1.0, a, a, sum), mercer::InvalidArgument);
}

}  // namespace tall_skinny_test
