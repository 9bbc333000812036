// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/metrics/approximation_errors.hpp>

#include <cmath>
#include <memory>
#include <string>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/operators/spread_gram.hpp>
#include <tests/metrics/points.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace approximation_errors_test {

using Catch::Matchers::ContainsSubstring;
using mercer::ApproximationErrors;
using mercer::Index;
using mercer::Matrix;
using mercer::Vector;
using mercer::test::centred;
using mercer::test::four_points;
using mercer::test::normals;

namespace {

// Rounding in sums of n^2 terms, relative to |K|_F / n; for errors of at least a hundredth of that.
constexpr double tolerance = 1e-12;

double dense_error(const Matrix<double>& k, const Matrix<double>& u, const Vector<double>& mu) {
  return (u * mu.asDiagonal() * u.transpose() - k).norm() / static_cast<double>(k.rows());
}

}  // namespace

TEST_CASE("approximation errors: any pairs against the dense formula", "[metrics]") {
  const mercer::Gaussian kernel{0.7};
  const Index n = 264;
  const Matrix<double> x = normals(n, 3, 1);
  const bool is_centred = GENERATE(true, false);
  Matrix<double> k = mercer::gram(kernel, x);
  if (is_centred) k = centred(k);
  const double scale = k.norm() / static_cast<double>(n);
  const auto eigen = mercer::symmetric_eigensystem<double>(k);
  const ApproximationErrors errors(kernel, x, {.centered = is_centred});
  CHECK(errors.norm() == Approx(k.norm()).epsilon(tolerance));
  const mercer::test::ProductsOnly products{k};
  const ApproximationErrors of_operator(products);
  CHECK(of_operator.norm() == Approx(k.norm()).epsilon(tolerance));
  for (const Index s : {0, 1, 7}) {
    const Matrix<double> u = eigen.vectors.leftCols(s);
    const Vector<double> mu = eigen.values.head(s);
    CHECK(std::abs(errors.of(u, mu) - dense_error(k, u, mu)) <= tolerance * scale);
    CHECK(std::abs(of_operator.of(u, mu) - dense_error(k, u, mu)) <= tolerance * scale);
    // Exact pairs attain the bound.
    CHECK(std::abs(errors.lower_bound(mu) - dense_error(k, u, mu)) <= tolerance * scale);
    // Vectors that are neither orthonormal nor of norm 1, and values of both signs.
    const Matrix<double> v = u + 0.02 * normals(n, s, 2);
    Vector<double> values = 1.1 * mu;
    if (s > 1) values(1) *= -0.5;
    CHECK(std::abs(errors.of(v, values) - dense_error(k, v, values)) <= 10 * tolerance * scale);
    CHECK(std::abs(of_operator.of(v, values) - dense_error(k, v, values)) <=
          10 * tolerance * scale);
    CHECK(errors.of(v, values) >= errors.lower_bound(mu) * (1 - tolerance));
    CHECK(std::abs(errors.of(v, values) -
                   mercer::gram_error(kernel, x, v, values, {.centered = is_centred})) <=
          10 * tolerance * scale);
  }
  // All pairs leave nothing but the rounding of squares.
  CHECK(errors.of(eigen.vectors, eigen.values) <= 1e-6 * scale);
  CHECK(errors.lower_bound(eigen.values) <= 1e-6 * scale);
}

TEST_CASE("approximation errors: forms of samples and operators", "[metrics]") {
  const mercer::Gaussian kernel{1.5};
  const Matrix<double> x = normals(90, 3, 4), u = normals(90, 2, 5) / 9;
  Vector<double> mu(2);
  mu << 20, 5;
  const Matrix<double> k = mercer::gram(kernel, x);
  const double expected = dense_error(centred(k), u, mu);
  CHECK(ApproximationErrors(kernel, x).of(u, mu) == Approx(expected).epsilon(tolerance));
  const mercer::SparseMatrix<double> sparse = x.sparseView();
  CHECK(ApproximationErrors(kernel, sparse).of(u, mu) == Approx(expected).epsilon(tolerance));
  CHECK(ApproximationErrors(mercer::Precomputed{}, k).of(u, mu) ==
        Approx(expected).epsilon(tolerance));
  const mercer::Centered centered(mercer::PrecomputedGram<double>{k});
  CHECK(ApproximationErrors(centered).of(u, mu) == Approx(expected).epsilon(tolerance));
  // Single precision: samples, pairs, or the operator are rounded to 1e-7.
  const Matrix<float> x_single = x.cast<float>();
  CHECK(ApproximationErrors(kernel, x_single).of(u.cast<float>(), mu.cast<float>()) ==
        Approx(expected).epsilon(1e-5));
  const mercer::PrecomputedGram<float> single{Matrix<float>(centred(k).cast<float>())};
  CHECK(ApproximationErrors(single).of(u, mu) == Approx(expected).epsilon(1e-5));
}

TEST_CASE("approximation errors: a Gram matrix in single precision", "[metrics]") {
  const Matrix<double> k = mercer::gram(mercer::Gaussian{1}, normals(50, 3, 10));
  const Matrix<double> u = normals(50, 2, 11);
  const Vector<double> mu = Vector<double>::Ones(2);
  for (const bool is_centred : {true, false}) {
    const ApproximationErrors errors(mercer::Precomputed{}, mercer::test::rounded_gram(k),
                                     {.centered = is_centred});
    CHECK(errors.of(u, mu) ==
          Approx(dense_error(is_centred ? centred(k) : k, u, mu)).epsilon(1e-6));
  }
}

TEST_CASE("approximation errors: the kernel of the caller may end before", "[metrics]") {
  const Matrix<double> x = normals(50, 3, 12), u = normals(50, 2, 13);
  const Vector<double> mu = Vector<double>::Ones(2);
  auto kernel = std::make_unique<mercer::Gaussian>(0.8);
  const ApproximationErrors errors(*kernel, x, {.centered = false});
  kernel.reset();
  CHECK(errors.of(u, mu) ==
        Approx(dense_error(mercer::gram(mercer::Gaussian{0.8}, x), u, mu)).epsilon(tolerance));
}

TEST_CASE("approximation errors: an operator whose rows are in several processes", "[metrics]") {
  const Matrix<double> x = normals(10, 3, 14);
  const auto messages = [&](mercer::Index processes) {
    return mercer::test::on_processes(
        processes, x.rows(), mercer::RowSums::Plain, [&](const mercer::RowSpace& rows) {
          const mercer::Gaussian kernel{1};
          const mercer::KernelView<Matrix<double>> view(kernel);
          const auto samples = mercer::SpreadRows<Matrix<double>>::from_parts(
              rows.processes(), mercer::test::local_rows(rows, x), mercer::RowSums::Plain);
          const mercer::SpreadGram<Matrix<double>> gram(view, samples);
          return mercer::test::error_of([&] { return ApproximationErrors(gram).norm(); });
        });
  };
  CHECK(messages(1).front() == "no error");
  for (const std::string& message : messages(3))
    CHECK(message ==
          "mercer::ApproximationErrors: needs all rows of the operator in one process; they are in "
          "3");
}

TEST_CASE("approximation errors: squares neither overflow nor vanish", "[metrics]") {
  const double scale = GENERATE(1e-100, 1e100);  // entries of K of 1e-200 and 1e200
  const Matrix<double> x = normals(40, 3, 6), k = mercer::gram(mercer::Linear{}, x);
  const Matrix<double> u = normals(40, 2, 7) / 6;
  Vector<double> mu(2);
  mu << 30, 10;
  const ApproximationErrors errors(mercer::Linear{}, Matrix<double>(scale * x),
                                   {.centered = false});
  const double squared = scale * scale;
  CHECK(errors.norm() / squared == Approx(k.norm()).epsilon(tolerance));
  CHECK(errors.of(u, Vector<double>(squared * mu)) / squared ==
        Approx(dense_error(k, u, mu)).epsilon(tolerance));
  // The scale may be in the vectors as well.
  CHECK(errors.of(scale * u, mu) / squared == Approx(dense_error(k, u, mu)).epsilon(tolerance));
  CHECK(errors.lower_bound(squared * mu) / squared ==
        Approx(std::sqrt(k.squaredNorm() - mu.squaredNorm()) / 40).epsilon(tolerance));
  CHECK(mercer::gram_error(mercer::Linear{}, Matrix<double>(scale * x), u,
                           Vector<double>(squared * mu), {.centered = false}) /
            squared ==
        Approx(dense_error(k, u, mu)).epsilon(tolerance));
  const ApproximationErrors of_operator{mercer::test::ProductsOnly{squared * k}};
  CHECK(of_operator.norm() / squared == Approx(k.norm()).epsilon(tolerance));
}

TEST_CASE("approximation errors: small cases", "[metrics]") {
  // One sample: centred, K is zero.
  const Matrix<double> one = Matrix<double>::Ones(1, 2), u = Matrix<double>::Ones(1, 1);
  const Vector<double> mu = Vector<double>::Constant(1, 0.25);
  CHECK(ApproximationErrors(mercer::Gaussian{1}, one, {.centered = false}).of(u, mu) == 0.75);
  const ApproximationErrors zero(mercer::Gaussian{1}, one);
  CHECK(zero.norm() == 0);
  CHECK(zero.of(u, mu) == 0.25);
  CHECK(zero.of(u.leftCols(0), mu.head(0)) == 0);
  CHECK(zero.lower_bound(mu) == 0);
  // diag(3, 4) less one of its pairs.
  Matrix<double> k = Matrix<double>::Zero(2, 2);
  k.diagonal() << 3, 4;
  const ApproximationErrors two{mercer::test::ProductsOnly{k}};
  CHECK(two.norm() == 5);
  CHECK(two.of(Vector<double>::Unit(2, 1), Vector<double>::Constant(1, 4)) ==
        Approx(1.5).epsilon(1e-15));
  CHECK(two.lower_bound(Vector<double>::Constant(1, 4)) == Approx(1.5).epsilon(1e-15));
}

TEST_CASE("approximation errors: the number of threads does not matter", "[metrics]") {
  const Matrix<double> x = normals(600, 2, 8), u = normals(600, 2, 9);
  const auto error = [&](int threads) {
    const int before = mercer::thread_count();
    mercer::set_thread_count(threads);
    const ApproximationErrors errors(mercer::Gaussian{1}, x);
    const double value = errors.of(u, Vector<double>::Ones(2)) + errors.norm();
    mercer::set_thread_count(before);
    return value;
  };
  CHECK(error(1) == error(3));
}

TEST_CASE("approximation errors: mistakes are named", "[metrics]") {
  const Matrix<double> x = four_points(), u = Matrix<double>::Identity(4, 2);
  const ApproximationErrors errors(mercer::Gaussian{1}, x);
  CHECK_THROWS_WITH(errors.of(u, Vector<double>::Ones(3)),
                    ContainsSubstring("3 eigenvalues for 2 vectors"));
  CHECK_THROWS_AS(errors.of(u.topRows(3), Vector<double>::Ones(2)), mercer::InvalidArgument);
  CHECK_THROWS_AS(errors.of(u, Vector<double>::Constant(2, std::nan(""))), mercer::InvalidArgument);
  CHECK_THROWS_AS(errors.lower_bound(Vector<double>::Constant(2, std::nan(""))),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(ApproximationErrors(mercer::Gaussian{1}, Matrix<double>(0, 2)),
                  mercer::InvalidArgument);
  Matrix<double> bad = x;
  bad(2, 1) = std::nan("");
  CHECK_THROWS_WITH(ApproximationErrors(mercer::Gaussian{1}, bad),
                    ContainsSubstring("row 2, column 1"));
}

}  // namespace approximation_errors_test
