// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/normalized.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/spread_gram.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace normalized_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Gaussian;
using mercer::Index;
using mercer::Matrix;
using mercer::Normalized;
using mercer::Vector;
using mercer::test::block_at;
using mercer::test::columns_at;
using mercer::test::error_of;
using mercer::test::ProductsOnlyIn;
using mercer::test::uniform_samples;

namespace {

/// Products of n numbers below 1, with the roundings of the sums: n times the machine epsilon.
template <class S>
S tolerance(Index n) {
  return static_cast<S>(4 * n) * std::numeric_limits<S>::epsilon();
}

/// D^(-1/2) K^(alpha) D^(-1/2) by its definition.
template <class S>
Matrix<S> oracle(Matrix<S> k, double alpha) {
  const Vector<S> q = k.rowwise().sum().array().pow(static_cast<S>(-alpha));
  k = (q.asDiagonal() * k * q.asDiagonal()).eval();
  const Vector<S> root = k.rowwise().sum().cwiseSqrt().cwiseInverse();
  return root.asDiagonal() * k * root.asDiagonal();
}

template <class S>
Matrix<S> similarities(Index n) {
  const Matrix<S> x = uniform_samples<S>(n, 2, 31);
  const Matrix<S> k = mercer::gram(Gaussian{.4}, x, x);
  return (k + k.transpose()) / 2;  // symmetric to the last bit
}

}  // namespace

SCALAR_TEST_CASE("Normalized: is D^-1/2 K D^-1/2", "[operators][normalized]") {
  using S = TestType;
  const Index n = 30;
  const Matrix<S> k = similarities<S>(n);
  for (const double alpha : {0.0, 0.5, 1.0}) {
    CAPTURE(alpha);
    const Matrix<S> expected = oracle(k, alpha);
    const Normalized normalized(mercer::PrecomputedGram<S>(k), {.density_exponent = alpha});
    const Matrix<S> v = uniform_samples<S>(n, 3, 32);
    Matrix<S> out(n, 3);
    normalized.apply(v, out);
    CHECK((out - expected * v).norm() <= tolerance<S>(n));
    CHECK((normalized.dense() - expected).norm() <= tolerance<S>(n));
    CHECK(normalized.dense() == normalized.dense().transpose());
    CHECK((normalized.diagonal() - expected.diagonal()).norm() <= tolerance<S>(n));
    // The trivial eigenpair, and its deflation.
    const Vector<S> u = normalized.trivial_eigenvector();
    CHECK(std::abs(u.norm() - 1) <= tolerance<S>(n));
    CHECK((expected * u - u).norm() <= tolerance<S>(n));
    const Normalized deflated(mercer::PrecomputedGram<S>(k),
                              {.density_exponent = alpha, .deflated = true});
    const Matrix<S> rest = expected - u * u.transpose();
    deflated.apply(v, out);
    CHECK((out - rest * v).norm() <= tolerance<S>(n));
    CHECK((deflated.dense() - rest).norm() <= tolerance<S>(n));
    CHECK((deflated.diagonal() - rest.diagonal()).norm() <= tolerance<S>(n));
  }
}

TEST_CASE("Normalized: columns of a Gram operator", "[operators][normalized]") {
  const Index n = 40;
  const Matrix<double> x = uniform_samples<double>(n, 2, 33);
  const Matrix<double> k = mercer::gram(Gaussian{.4}, x, x);
  const std::vector<Index> indices{3, 17, 30};
  const Matrix<double> weights = uniform_samples<double>(3, 2, 34);
  for (const bool deflated : {false, true}) {
    const Normalized normalized(mercer::Gram<Matrix<double>>(Gaussian{.4}, x),
                                {.density_exponent = 1, .deflated = deflated});
    const Matrix<double> expected = normalized.dense();
    if (!deflated) CHECK((expected - oracle(k, 1)).norm() <= tolerance<double>(n));
    CHECK((normalized.sample_block(indices) - block_at(expected, indices, indices)).norm() <=
          tolerance<double>(n));
    CHECK((normalized.sample_product(indices, weights) - columns_at(expected, indices) * weights)
              .norm() <= tolerance<double>(n));
  }
}

TEST_CASE("Normalized: eigenvalues are in [0, 1], and 1 counts groups", "[operators][normalized]") {
  // Two groups so far apart that their similarities are zero.
  Matrix<double> x = uniform_samples<double>(20, 2, 35);
  x.bottomRows(8).array() += 1000;
  const Normalized normalized(mercer::PrecomputedGram<double>(mercer::gram(Gaussian{.5}, x, x)));
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(normalized.dense());
  CHECK(eigen.eigenvalues()(19) == Approx(1));
  CHECK(eigen.eigenvalues()(18) == Approx(1));
  CHECK(eigen.eigenvalues()(17) < .99);
  CHECK(eigen.eigenvalues()(0) >= -tolerance<double>(20));
}

TEST_CASE("Normalized: needs products only, and row sums above 0", "[operators][normalized]") {
  const Normalized plain(ProductsOnlyIn<double>{similarities<double>(5)});
  STATIC_REQUIRE(mercer::SymmetricOperator<decltype(plain)>);
  STATIC_REQUIRE_FALSE(mercer::HasDiagonalEntries<decltype(plain)>);
  STATIC_REQUIRE_FALSE(mercer::HasSamples<decltype(plain)>);
  const Matrix<double> isolated{{1, 0, 0}, {0, 0, 0}, {0, 0, 1}};
  CHECK_THAT(error_of([&] { return Normalized(ProductsOnlyIn<double>{isolated}); }),
             ContainsSubstring("got 0 at row 1"));
  CHECK_THAT(error_of([&] {
               return Normalized(ProductsOnlyIn<double>{isolated}, {.density_exponent = 1});
             }),
             ContainsSubstring("got 0 at row 1"));
  const Matrix<double> negative{{1, -3}, {-3, 1}};
  CHECK_THAT(error_of([&] { return Normalized(ProductsOnlyIn<double>{negative}); }),
             ContainsSubstring("got -2 at row 0"));
  CHECK_THAT(error_of([&] {
               return Normalized(ProductsOnlyIn<double>{similarities<double>(3)},
                                 {.density_exponent = std::nan("")});
             }),
             ContainsSubstring("density_exponent"));
}

TEST_CASE("Normalized: rows in several processes are refused", "[operators][normalized]") {
  const Matrix<double> x = uniform_samples<double>(10, 3, 36);
  const auto on = [&](Index processes, const auto& use) {
    return mercer::test::on_processes(
        processes, x.rows(), mercer::RowSums::Plain, [&](const mercer::RowSpace& rows) {
          const Gaussian kernel{1};
          const mercer::KernelView<Matrix<double>> view(kernel);
          const auto samples = mercer::SpreadRows<Matrix<double>>::from_parts(
              rows.processes(), mercer::test::local_rows(rows, x), mercer::RowSums::Plain);
          const mercer::SpreadGram<Matrix<double>> gram(view, samples);
          return error_of([&] { return use(gram); });
        });
  };
  const auto normalized = [](const auto& gram) { return Normalized(gram).rows(); };
  const auto dense = [](const auto& gram) { return mercer::to_dense(gram).rows(); };
  CHECK(on(1, normalized).front() == "no error");
  CHECK(on(1, dense).front() == "no error");
  const std::string rest = ": needs all rows of the operator in one process; they are in 3";
  for (const std::string& message : on(3, normalized))
    CHECK(message == "mercer::Normalized" + rest);
  for (const std::string& message : on(3, dense)) CHECK(message == "mercer::to_dense" + rest);
}

}  // namespace normalized_test
