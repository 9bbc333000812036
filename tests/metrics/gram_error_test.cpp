// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <cstdint>
#include <limits>

#include <Eigen/Core>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/gram_error.hpp>
#include <tests/metrics/points.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace gram_error_test {

using Catch::Matchers::ContainsSubstring;
using mercer::estimate_gram_error;
using mercer::gram_error;
using mercer::Index;
using mercer::Matrix;
using mercer::Vector;
using mercer::test::centred;
using mercer::test::four_points;
using mercer::test::normals;

namespace {

// Entries of size 1 from sums of a few hundred terms in double, relative to errors of 1e-3 or more.
constexpr double tolerance = 1e-11;

}  // namespace

TEST_CASE("gram error: eigenpairs miss the tail of the spectrum", "[metrics][gram_error]") {
  const mercer::Gaussian kernel{1.2};
  const Index n = 300;
  const Matrix<double> x = normals(n, 3, 1), k = mercer::gram(kernel, x);
  for (const bool centered : {true, false}) {
    const auto eigen = mercer::symmetric_eigensystem<double>(centered ? centred(k) : k);
    for (const Index s : {0, 1, 7}) {
      const Matrix<double> u = eigen.vectors.leftCols(s);
      const Vector<double> mu = eigen.values.head(s);
      const double expected = eigen.values.tail(n - s).norm() / static_cast<double>(n);
      CHECK(gram_error(kernel, x, u, mu, {.centered = centered}) ==
            Approx(expected).epsilon(tolerance));
      CHECK(gram_error(mercer::Precomputed{}, k, u, mu, {.centered = centered}) ==
            Approx(expected).epsilon(tolerance));
    }
    CHECK(gram_error(kernel, x, eigen.vectors, eigen.values, {.centered = centered}) <= 1e-14);
  }
}

TEST_CASE("gram error: a Gram matrix in single precision", "[metrics][gram_error]") {
  const Matrix<double> k = mercer::gram(mercer::Gaussian{1}, normals(50, 3, 3));
  const Matrix<float> rounded = mercer::test::rounded_gram(k);
  const Matrix<double> u = normals(50, 2, 4);
  const Vector<double> mu = Vector<double>::Ones(2);
  const mercer::Precomputed given;
  CHECK(gram_error(given, rounded, u, mu) == Approx(gram_error(given, k, u, mu)).epsilon(1e-6));
  CHECK(mercer::factor_gram_error(given, rounded, u) ==
        Approx(mercer::factor_gram_error(given, k, u)).epsilon(1e-6));
  CHECK(estimate_gram_error(given, rounded, u, mu).error ==
        Approx(estimate_gram_error(given, k, u, mu).error).epsilon(1e-6));
}

TEST_CASE("gram error: any factor, against the stored matrix", "[metrics][gram_error]") {
  const mercer::Gaussian kernel{2};
  const Matrix<double> x = normals(260, 2, 2), k = mercer::gram(kernel, x);
  const Matrix<double> f = 0.3 * normals(260, 5, 3);
  const Matrix<double> difference = f * f.transpose() - k;
  CHECK(mercer::factor_gram_error(kernel, x, f, {.centered = false}) ==
        Approx(difference.norm() / 260).epsilon(tolerance));
  CHECK(mercer::factor_gram_error(kernel, x, f) ==
        Approx(centred(difference).norm() / 260).epsilon(tolerance));
  const mercer::SparseMatrix<double> sparse = x.sparseView();
  CHECK(mercer::factor_gram_error(kernel, sparse, f) ==
        Approx(centred(difference).norm() / 260).epsilon(tolerance));
  const Matrix<float> x_single = x.cast<float>();
  CHECK(mercer::factor_gram_error(kernel, x_single, f) ==
        Approx(centred(difference).norm() / 260).epsilon(1e-6));  // samples rounded to single
}

TEST_CASE("gram error: worked example of a partial Cholesky factor", "[metrics][gram_error]") {
  Matrix<double> f(4, 2);
  f << 0.196911675204, 0.980421232006, 0.535261428519, 0.511138905188, 0.196911675204,
      0.098489376048, 1, 0;
  // K - F F^T lives on points 2 and 3; its diagonal there is given, its other entry is
  // exp(-5/2) - f_2 . f_3.
  const double other = std::exp(-2.5) - f.row(1).dot(f.row(2));
  const double squares =
      std::pow(0.452232222743, 2) + std::pow(0.951525634974, 2) + 2 * other * other;
  CHECK(mercer::factor_gram_error(mercer::Gaussian{1}, four_points(), f, {.centered = false}) ==
        Approx(std::sqrt(squares) / 4).epsilon(1e-11));
}

TEST_CASE("gram error: the number of threads does not matter", "[metrics][gram_error]") {
  const Matrix<double> x = normals(600, 2, 4), f = normals(600, 3, 5);
  const int before = mercer::thread_count();
  mercer::set_thread_count(1);
  const double one = mercer::factor_gram_error(mercer::Gaussian{1}, x, f);
  const auto one_estimate = estimate_gram_error(mercer::Gaussian{1}, x, f, Vector<double>::Ones(3));
  mercer::set_thread_count(3);
  const double three = mercer::factor_gram_error(mercer::Gaussian{1}, x, f);
  const auto three_estimate =
      estimate_gram_error(mercer::Gaussian{1}, x, f, Vector<double>::Ones(3));
  mercer::set_thread_count(before);
  CHECK(one == three);
  CHECK(one_estimate.error == three_estimate.error);
}

TEST_CASE("gram error: sign vectors are exact on a diagonal difference", "[metrics][gram_error]") {
  Matrix<double> x = Matrix<double>::Zero(5, 5);
  x.diagonal() << 1, 2, 3, 4, 5;
  const Matrix<double> u = Matrix<double>::Identity(5, 2);
  Vector<double> mu(2);
  mu << 2, 3;  // against 1 and 4: differences 1, -1, then 9, 16, 25 are missed
  const auto estimate =
      estimate_gram_error(mercer::Linear{}, x, u, mu, {.centered = false, .probes = 3, .seed = 8});
  CHECK(estimate.error == Approx(std::sqrt(1 + 1 + 81 + 256 + 625) / 5).epsilon(1e-14));
  CHECK(estimate.standard_error == 0);
}

TEST_CASE("gram error: the estimate agrees with the error", "[metrics][gram_error]") {
  const mercer::Gaussian kernel{0.8};
  const Matrix<double> x = normals(280, 3, 6), k = mercer::gram(kernel, x);
  for (const bool centered : {true, false}) {
    const auto eigen = mercer::symmetric_eigensystem<double>(centered ? centred(k) : k);
    const Matrix<double> u = eigen.vectors.leftCols(4);
    const Vector<double> mu = eigen.values.head(4);
    const double exact = gram_error(kernel, x, u, mu, {.centered = centered});
    constexpr Index m = 400;
    double mean_square = 0;
    constexpr int runs = 10;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const auto estimate =
          estimate_gram_error(kernel, x, u, mu, {.centered = centered, .probes = m, .seed = seed});
      mean_square += estimate.error * estimate.error / runs;
      // Relative standard error of the square at most sqrt(2/m), of the root about half of that.
      CHECK(estimate.standard_error > 0);
      CHECK(estimate.standard_error <= 0.75 * std::sqrt(2.0 / m) * exact);
      CHECK(std::abs(estimate.error - exact) <= 5 * estimate.standard_error);
    }
    // Five standard errors over all runs; a bias of a quarter of one run's error would show.
    CHECK(std::abs(mean_square / (exact * exact) - 1) <= 5 * std::sqrt(2.0 / (m * runs)));
  }
}

TEST_CASE("gram error: an estimate for kernels of any scale", "[metrics][gram_error]") {
  // Powers of two round nothing, so the estimates have the same digits.
  const mercer::Gaussian kernel{1};
  const Matrix<double> x = normals(60, 3, 1), u = 0.1 * normals(60, 2, 2);
  const Vector<double> mu = Vector<double>::Constant(2, 3.0);
  const auto one = estimate_gram_error(kernel, x, u, mu);
  REQUIRE(one.standard_error > 0);
  for (const double c : {0x1p280, 0x1p-280, 0x1p500, 0x1p-500, 0x1p900, 0x1p-900}) {
    CAPTURE(c);
    const auto scaled = estimate_gram_error(c * kernel, x, u, c * mu);
    CHECK(scaled.error == c * one.error);
    CHECK(scaled.standard_error == c * one.standard_error);
  }
  // The Gram matrix of equal samples, centred, is 0.
  const auto none = estimate_gram_error(kernel, Matrix<double>(Matrix<double>::Ones(4, 2)),
                                        Matrix<double>(4, 0), Vector<double>(0));
  CHECK(none.error == 0);
  CHECK(none.standard_error == 0);
}

SCALAR_TEST_CASE("gram error: recovery of a low-rank matrix", "[metrics][gram_error]") {
  using S = TestType;
  using mercer::LowRank;
  constexpr double eps = std::numeric_limits<S>::epsilon();
  const Index n = 50;
  const auto factor = [](Index rank, std::uint64_t seed) {
    return Matrix<S>(normals(n, rank, seed).cast<S>());
  };
  const auto target = LowRank<S>::from_psd_factor(factor(4, 11));
  const auto expected = [&](const LowRank<S>& z) {
    const Matrix<double> difference =
        z.dense().template cast<double>() - target.dense().template cast<double>();
    return difference.squaredNorm() / static_cast<double>(n * n);
  };
  // 1e-12 in double: some 5000 epsilon for the sums of squares, and in single alike.
  const auto general = LowRank<S>::from_factors(factor(3, 12), factor(3, 13));
  CHECK(mercer::recovery_error(general, target) == Approx(expected(general)).epsilon(5000 * eps));
  LowRank<S> near =
      target;  // 1 % off: the common basis; entries of the dense forms lose digits too
  near.update(1, S(0.01), mercer::PsdTerm<S>{factor(2, 14)});
  CHECK(mercer::recovery_error(near, target) == Approx(expected(near)).epsilon(1e5 * eps));
  // Squares of such errors are far below the cancellation of inner products.
  const S tiny = 1000 * std::numeric_limits<S>::epsilon();
  LowRank<S> nearest = target;
  nearest.scale(1 + tiny);
  const double square = std::pow(double{tiny} * double{target.frobenius_norm()} / n, 2);
  CHECK(mercer::recovery_error(nearest, target) == Approx(square).epsilon(0.1));
  CHECK(mercer::recovery_error(target, target) <= std::pow(20 * eps, 2) * square / (tiny * tiny));

  const LowRank<S> zero(n, n);
  const double size = std::pow(double{target.frobenius_norm()} / n, 2);
  CHECK(mercer::recovery_error(zero, target) == Approx(size).epsilon(100 * eps));
  CHECK(mercer::recovery_error(target, zero) == Approx(size).epsilon(100 * eps));
  CHECK(mercer::recovery_error(zero, zero) == 0);
  CHECK_THROWS_AS(mercer::recovery_error(LowRank<S>(n, 3), LowRank<S>(n, 3)),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(mercer::recovery_error(LowRank<S>(3, 3), target), mercer::InvalidArgument);
  CHECK_THROWS_AS(mercer::recovery_error(LowRank<S>(0, 0), LowRank<S>(0, 0)),
                  mercer::InvalidArgument);
}

SCALAR_TEST_CASE("gram error: recovery of a matrix whose rows are in several processes",
                 "[metrics][gram_error][rows]") {
  using S = TestType;
  using mercer::LowRank;
  const Index n = 600;
  const Matrix<S> target = normals(n, 3, 21).cast<S>();
  // One matrix that is far from the target, and one that is near.
  const Matrix<S> far = normals(n, 2, 22).cast<S>(), near = S(1.01) * target;
  for (const Matrix<S>& z : {far, near}) {
    const auto factored = [](const Matrix<S>& f) { return LowRank<S>::from_psd_factor(f); };
    const double expected = mercer::recovery_error(factored(z), factored(target));
    for (const Index count : mercer::test::some_process_counts) {  // also more than there are tiles
      const auto found = mercer::test::on_processes(
          count, n, mercer::RowSums::OrderFree, [&](const mercer::RowSpace& rows) {
            const auto local = [&](const Matrix<S>& f) {
              return LowRank<S>::from_psd_factor(rows, mercer::test::local_rows(rows, f));
            };
            return mercer::recovery_error(local(z), local(target));
          });
      // Relative to the squares of the matrices, of which those of the near one cancel.
      for (const double error : found)
        CHECK(error == Approx(expected).epsilon(1e5 * double{std::numeric_limits<S>::epsilon()}));
    }
  }
}

TEST_CASE("gram error: eigenpairs come back from a shrunk factor", "[metrics][gram_error]") {
  // K^ = sum (mu_i - lambda) u_i u_i^T of the four points, lambda = 0.5: adding lambda gives mu.
  const Matrix<double> k = mercer::gram(mercer::Gaussian{1}, four_points());
  const auto eigen = mercer::symmetric_eigensystem<double>(k);
  auto shrunk = mercer::LowRank<double>::from_eigenpairs(eigen.values, eigen.vectors);
  shrunk.shrink({.threshold = 0.5});
  const Matrix<double> factor =
      shrunk.left() * shrunk.values().cwiseSqrt().asDiagonal();  // as a run ends with
  const auto found = mercer::LowRank<double>::from_psd_factor(factor);
  REQUIRE(found.rank() == 3);
  const auto pairs = found.eigensystem();
  CHECK((pairs.values.array() + 0.5 - eigen.values.head(3).array()).abs().maxCoeff() <= 1e-12);
  CHECK(pairs.values(0) + 0.5 == Approx(1.967372617910).epsilon(1e-11));
  CHECK(mercer::recovery_error(found, shrunk) <= 1e-28);
}

TEST_CASE("gram error: one sample", "[metrics][gram_error]") {
  const Matrix<double> x = Matrix<double>::Ones(1, 2), u = Matrix<double>::Ones(1, 1);
  const Vector<double> mu = Vector<double>::Constant(1, 0.25);
  CHECK(gram_error(mercer::Gaussian{1}, x, u, mu, {.centered = false}) == 0.75);
  CHECK(gram_error(mercer::Gaussian{1}, x, Matrix<double>(1, 0), Vector<double>(0)) == 0);
}

TEST_CASE("gram error: eigenvalues", "[metrics][gram_error]") {
  Vector<double> reference(3);
  reference << 4, 2, 1;
  Vector<float> values(3);
  values << 4, 2.5F, 0.9375F;
  CHECK(mercer::eigenvalue_error(values, reference) == 0.25);
  CHECK(mercer::eigenvalue_error(reference, reference) == 0);
  CHECK_THROWS_AS(mercer::eigenvalue_error(values.head(2), reference), mercer::InvalidArgument);
  reference(1) = 0;
  CHECK_THROWS_WITH(mercer::eigenvalue_error(values, reference),
                    ContainsSubstring("2.5 with 0 at position 1"));
}

TEST_CASE("gram error: kernel values that are not finite are refused", "[metrics][gram_error]") {
  Matrix<double> x = 0.1 * normals(300, 1, 1);
  x(280, 0) = 30;  // exp(900), in the second tile
  const mercer::ExponentialDot kernel{1};
  const Matrix<double> u = normals(300, 2, 2);
  const Vector<double> mu = Vector<double>::Ones(2);
  for (const bool centered : {true, false}) {
    CAPTURE(centered);
    const auto of_one = ContainsSubstring(
        "exponential-dot(gamma=1) has the value inf for samples "
        "280 and 280 (counted from 0)");
    CHECK_THROWS_WITH(gram_error(kernel, x, u, mu, {.centered = centered}), of_one);
    CHECK_THROWS_WITH(mercer::factor_gram_error(kernel, x, u, {.centered = centered}), of_one);
    CHECK_THROWS_WITH(estimate_gram_error(kernel, x, u, mu, {.centered = centered}),
                      ContainsSubstring("mercer::estimate_gram_error: values are not all finite"));
    CHECK_THROWS_AS(gram_error(kernel, Matrix<double>{{30}}, Matrix<double>(1, 0),
                               Vector<double>(0), {.centered = centered}),
                    mercer::InvalidArgument);
  }
}

TEST_CASE("gram error: mistakes are named", "[metrics][gram_error]") {
  const Matrix<double> x = four_points(), u = Matrix<double>::Identity(4, 2);
  const mercer::Gaussian kernel{1};
  CHECK_THROWS_WITH(gram_error(kernel, x, u, Vector<double>::Ones(3)),
                    ContainsSubstring("3 eigenvalues for 2 vectors"));
  CHECK_THROWS_AS(gram_error(kernel, x, u.topRows(3), Vector<double>::Ones(2)),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(gram_error(kernel, Matrix<double>(0, 2), u.topRows(0), Vector<double>::Ones(2)),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(gram_error(kernel, x, u, Vector<double>::Constant(2, std::nan(""))),
                  mercer::InvalidArgument);
  CHECK_THROWS_WITH(estimate_gram_error(kernel, x, u, Vector<double>::Ones(2), {.probes = 1}),
                    ContainsSubstring("probes must be at least 2"));
}

}  // namespace gram_error_test
