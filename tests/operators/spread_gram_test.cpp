// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <limits>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/spread_gram.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_gram_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Gaussian;
using mercer::Index;
using mercer::InvalidArgument;
using mercer::Matrix;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SparseMatrix;
using mercer::SpreadGram;
using mercer::test::local_rows;
using mercer::test::on_processes;
using mercer::test::process_counts;
using mercer::test::stacked;

constexpr Index n = 1500;  // six tiles, the last one not full

// Roundings of n kernel values of about 1, and of their sums.
template <class S>
constexpr double tolerance = 100 * double{std::numeric_limits<S>::epsilon()};

template <class X, class K>
[[nodiscard]] Matrix<double> product(const K& kernel, const X& x, const Matrix<double>& v,
                                     Index processes, RowSums sums, bool centered = false) {
  return stacked(on_processes(processes, x.rows(), sums, [&](const RowSpace& rows) {
    const X mine = local_rows(rows, x);
    const mercer::KernelView<X> view(kernel);
    const auto samples = mercer::SpreadRows<X>::from_parts(rows.processes(), mine, sums);
    const SpreadGram<X> gram(view, samples);
    const Matrix<double> vectors = local_rows(rows, v);
    Matrix<double> out(vectors.rows(), vectors.cols());
    if (centered)
      mercer::Centered<SpreadGram<X>>(gram).apply(vectors, out);
    else
      gram.apply(vectors, out);
    return out;
  }));
}

/// The product with one kernel, over processes and in one.
template <class X, class K>
void check_product(const K& kernel, const X& x, const Matrix<double>& v) {
  using S = typename X::Scalar;
  Matrix<double> expected(v.rows(), v.cols());
  mercer::Gram<X>(kernel, x).apply(v, expected);
  const double scale = expected.norm();
  const Matrix<double> one = product(kernel, x, v, 1, RowSums::OrderFree);
  CHECK((one - expected).norm() <= tolerance<S> * scale);
  for (const Index count : process_counts) {
    CHECK(product(kernel, x, v, count, RowSums::OrderFree) == one);
    CHECK((product(kernel, x, v, count, RowSums::Plain) - expected).norm() <= tolerance<S> * scale);
  }
}

}  // namespace

SCALAR_TEST_CASE("spread Gram: products are those of one process, with the same bits",
                 "[operators][rows]") {
  using S = TestType;
  const Matrix<double> v = mercer::normal_matrix<double>(n, 5, 1, "v");
  const Matrix<S> narrow = mercer::normal_matrix<S>(n, 3, 1, "x");
  check_product(Gaussian(2.0), narrow, v);
  // Far from the origin and of many columns: the kernel subtracts an origin.
  const Matrix<S> wide = mercer::normal_matrix<S>(n, 40, 1, "x").array() + S(30);
  check_product(Gaussian(8.0), wide, v);
  check_product(mercer::Polynomial({.degree = 2}), narrow, v);
}

TEST_CASE("spread Gram: sparse rows", "[operators][rows]") {
  Matrix<double> dense = mercer::normal_matrix<double>(n, 30, 1, "x");
  dense = (dense.array().abs() < 1.5).select(0.0, dense);
  const SparseMatrix<double> x = dense.sparseView();
  check_product(Gaussian(2.0), x, mercer::normal_matrix<double>(n, 2, 1, "v"));
}

TEST_CASE("spread Gram: columns of very different sizes", "[operators][rows]") {
  Matrix<double> v = mercer::normal_matrix<double>(n, 4, 1, "v");
  v.col(0) *= 1e-150;
  v.col(1) *= 1e150;
  v.col(2).setZero();
  const Matrix<double> x = mercer::normal_matrix<double>(n, 3, 1, "x");
  Matrix<double> expected(n, 4);
  mercer::Gram<Matrix<double>>(Gaussian(2.0), x).apply(v, expected);
  const Matrix<double> found = product(Gaussian(2.0), x, v, 3, RowSums::OrderFree);
  for (Index j = 0; j < 4; ++j)
    CHECK((found.col(j) - expected.col(j)).stableNorm() <=
          tolerance<double> * expected.col(j).stableNorm());
}

TEST_CASE("spread Gram: a large query does not cost the others their digits", "[operators][rows]") {
  const Matrix<double> x = mercer::normal_matrix<double>(600, 3, 1, "x");
  const Matrix<double> w = mercer::normal_matrix<double>(600, 2, 1, "w");
  for (const double factor : {1.0, 1e10, 1e140}) {
    Matrix<double> queries = mercer::normal_matrix<double>(300, 3, 2, "x");
    queries.row(299) *= factor;
    const Matrix<double> expected = queries * (x.transpose() * w);
    Matrix<double> first;
    for (const Index count : process_counts) {
      const Matrix<double> found =
          stacked(on_processes(count, 600, RowSums::OrderFree, [&](const RowSpace& rows) {
            using Spread = mercer::SpreadRows<Matrix<double>>;
            const auto samples =
                Spread::from_parts(rows.processes(), local_rows(rows, x), RowSums::OrderFree);
            const auto part = Spread::from_parts(
                rows.processes(), local_rows(rows.of_size(300), queries), RowSums::OrderFree);
            const SpreadGram<Matrix<double>> gram(
                mercer::KernelView<Matrix<double>>(mercer::Linear{}), samples);
            return gram.product_with(part, local_rows(rows, w));
          }));
      if (first.size() == 0) first = found;
      CHECK(found == first);
      for (Index i : {Index{0}, Index{150}, Index{299}})
        CHECK((found.row(i) - expected.row(i)).norm() <=
              tolerance<double> * expected.row(i).norm());
    }
  }
}

TEST_CASE("spread Gram: the centred product, and more processes than tiles", "[operators][rows]") {
  for (const Index rows : {Index{1}, Index{300}, n}) {
    const Matrix<double> x = mercer::normal_matrix<double>(rows, 3, 1, "x");
    const Matrix<double> v = mercer::normal_matrix<double>(rows, 3, 1, "v");
    Matrix<double> expected(rows, 3);
    mercer::Centered(mercer::Gram<Matrix<double>>(Gaussian(2.0), x)).apply(v, expected);
    const Matrix<double> one = product(Gaussian(2.0), x, v, 1, RowSums::OrderFree, true);
    CHECK((one - expected).norm() <= tolerance<double> * static_cast<double>(rows));
    for (const Index count : process_counts)
      CHECK(product(Gaussian(2.0), x, v, count, RowSums::OrderFree, true) == one);
  }
}

TEST_CASE("spread Gram: errors reach all processes", "[operators][rows]") {
  const auto fails = [](const Matrix<double>& x, const auto& kernel, Index extra) {
    std::vector<std::string> sentences =
        on_processes(3, x.rows(), RowSums::OrderFree, [&](const RowSpace& rows) -> std::string {
          try {
            Matrix<double> mine = local_rows(rows, x);
            if (rows.first() == 0) mine.conservativeResize(Eigen::NoChange, x.cols() + extra);
            const mercer::KernelView<Matrix<double>> view(kernel);
            const auto samples =
                mercer::SpreadRows<Matrix<double>>::from_parts(rows.processes(), mine);
            const SpreadGram<Matrix<double>> gram(view, samples);
            const Matrix<double> v = Matrix<double>::Ones(rows.local(), 1);
            Matrix<double> out(rows.local(), 1);
            gram.apply(v, out);
          } catch (const InvalidArgument& error) {
            return error.what();
          }
          return {};
        });
    CHECK(sentences[1] == sentences[0]);
    CHECK(sentences[2] == sentences[0]);
    return sentences[0];
  };
  Matrix<double> x = mercer::normal_matrix<double>(n, 3, 1, "x");
  CHECK_THAT(fails(x, Gaussian(1.0), 1), ContainsSubstring("4 on another"));
  // Its values off the diagonal exceed those on it.
  const auto indefinite = [](Eigen::Ref<const mercer::Vector<double>> a,
                             Eigen::Ref<const mercer::Vector<double>> b) {
    const double distance = (a - b).squaredNorm();
    return 1e-6 + distance;
  };
  CHECK_THAT(fails(x, mercer::Callable(indefinite), 0), ContainsSubstring("plain sums"));
  x(700, 0) = 1e200;
  CHECK_THAT(fails(x, mercer::Polynomial({.degree = 2}), 0), ContainsSubstring("700"));
}

}  // namespace spread_gram_test
