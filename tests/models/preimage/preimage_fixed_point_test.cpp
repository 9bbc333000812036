// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <string>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/preimage/preimage_fixed_point.hpp>
#include <tests/models/preimage/preimage_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test::preimage_fixed_point_test {
namespace {

/// The reference values have twelve decimals.
constexpr double reference_tolerance = 1e-10;
/// Asked of limits of an iteration that stops at steps of 1e-10.
constexpr double limit_tolerance = 1e-8;
/// Asked of |sum c_i (z - x_i)| at convergence.
constexpr double gradient_tolerance = 1e-9;
/// Central differences are good to about 1e-9; rho is flat to this at a stationary point.
constexpr double difference_tolerance = 1e-7;
/// Rounding errors of rho, a sum of some terms of order 1.
constexpr double rho_tolerance = 1e-13;

/// Pre-images of the points themselves: stationary, no worse than the start, rho as by its formula.
template <class K>
Preimages<double> check_denoising(const K& kernel, Index components, const Matrix<double>& x,
                                  const Matrix<double>& noisy) {
  const auto model = KernelPca{kernel, Exact{}, {.components = components}}.fit(x);
  const Matrix<double> scores = model.transform(noisy), g = model.expansion(scores);
  const auto found = model.preimages(scores, FixedPoint{}, noisy);
  const Vector<double> rho = rho_by_formula(model, g, found.points);
  const Vector<double> rho_at_start = rho_by_formula(model, g, noisy);
  CHECK(found.all_converged());
  CHECK(largest_gradient(model, g, found.points) <=
        difference_tolerance * std::max(1.0, rho_at_start.maxCoeff()));
  for (Index j = 0; j < rho.size(); ++j) {
    CAPTURE(j);
    const PreimageDetail& detail = found.details[static_cast<std::size_t>(j)];
    const double scale = std::max(1.0, mercer::diagonal(kernel, noisy)(j));
    CHECK(detail.rho == Approx(rho(j)).margin(100 * rho_tolerance * scale));
    CHECK(rho(j) <= rho_at_start(j) + rho_tolerance * scale);
    CHECK(detail.rho >= 0);
  }
  return found;
}

TEST_CASE("fixed point: the worked example", "[models][preimage]") {
  const Matrix<double> x = four_points<double>(), q = two_points<double>();
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(x);
  const Matrix<double> scores = model.transform(q);

  const auto one_step = model.preimages(scores, FixedPoint{{.max_iterations = 1}}, q);
  CHECK(distance(one_step.points, Matrix<double>{{.554605502819, .175778949206},
                                                 {1.310705242211, 1.075298695451}}) <=
        reference_tolerance);
  CHECK_FALSE(one_step.details[0].converged);
  CHECK(one_step.details[0].iterations == 1);

  const Matrix<double> limits{{.541291408225, .114397222296}, {1.304619213089, .978256019743}};
  const auto found = model.preimages(scores, FixedPoint{}, q);
  CHECK(distance(found.points, limits) <= limit_tolerance);
  CHECK(found.all_converged());
  CHECK(distance(model.inverse_transform(scores), limits) <= limit_tolerance);

  const Matrix<double> weights =
      model.expansion(scores).cwiseProduct(gram(Gaussian{1}, found.points, x));
  const Vector<double> sums = weights.rowwise().sum();
  const Matrix<double> residual = sums.asDiagonal() * found.points - weights * x;
  for (Index j = 0; j < 2; ++j) {
    const PreimageDetail& detail = found.details[static_cast<std::size_t>(j)];
    CHECK(residual.row(j).norm() <= gradient_tolerance);
    CHECK(detail.gradient == Approx(residual.row(j).norm()).margin(1e-15));
    CHECK(detail.restarts == 0);
    CHECK_FALSE(detail.gradient_descent);
  }
}

TEST_CASE("fixed point: noise off a ring", "[models][preimage]") {
  const Matrix<double> x = ring<double>();
  const Matrix<double> noisy = x.topRows(50) + 0.25 * normal_samples<double>(50, 2, 53);
  for (const Index k : {8, 16}) {
    CAPTURE(k);
    const auto found = check_denoising(Gaussian{0.6}, k, x, noisy);
    CHECK(ring_error(found.points) < ring_error(noisy) / 2);
    // .0135 in the reference run; an average over 50 points of another draw is within a factor 2.
    if (k == 16) CHECK(ring_error(found.points) < 0.027);
  }
}

TEST_CASE("fixed point: other radial kernels", "[models][preimage]") {
  const Matrix<double> x = uniform_samples<double>(80, 3, 61);
  const Matrix<double> noisy = x.topRows(20) + 0.2 * normal_samples<double>(20, 3, 62);
  check_denoising(Matern{{.nu = 1.5, .length = 1.2}}, 15, x, noisy);
  check_denoising(Matern{{.nu = 2.5, .length = 1.2}}, 15, x, noisy);
  check_denoising(RationalQuadratic{{.alpha = 2, .length = 1}}, 15, x, noisy);
}

TEST_CASE("fixed point: polynomial kernels need the fallbacks", "[models][preimage]") {
  const Matrix<double> x = normal_samples<double>(60, 3, 63);
  const Matrix<double> noisy = normal_samples<double>(40, 3, 64);
  Index restarts = 0, descents = 0;
  for (const int degree : {2, 3}) {
    CAPTURE(degree);
    const auto found = check_denoising(Polynomial{{.degree = degree}}, 8, x, noisy);
    for (const PreimageDetail& detail : found.details) {
      restarts += detail.restarts;
      descents += detail.gradient_descent ? 1 : 0;
    }
  }
  CHECK(restarts > 0);
  CHECK(descents > 0);
}

TEST_CASE("fixed point: minima of a rough kernel, cusps among them", "[models][preimage]") {
  const Matrix<double> x = uniform_samples<double>(60, 2, 65);
  const Matrix<double> noisy = x.topRows(20) + 0.1 * normal_samples<double>(20, 2, 66);
  const auto model =
      KernelPca{Matern{{.nu = 0.5, .length = 1}}, Exact{}, {.components = 10}}.fit(x);
  const Matrix<double> scores = model.transform(noisy), g = model.expansion(scores);
  const Vector<double> rho_at_start = rho_by_formula(model, g, noisy);
  const auto found = model.preimages(scores, FixedPoint{}, noisy);
  Index converged = 0;
  for (Index j = 0; j < 20; ++j) {
    const PreimageDetail& detail = found.details[static_cast<std::size_t>(j)];
    CHECK(detail.rho <= rho_at_start(j) + rho_tolerance);
    if (!detail.converged) continue;
    ++converged;
    // No way down: a slope of 1e-4 would show.
    constexpr double h = 1e-4;
    const Matrix<double> steps{{h, 0}, {-h, 0}, {0, h}, {0, -h}};
    const Matrix<double> around = steps.rowwise() + found.points.row(j);
    CHECK(rho_by_formula(model, g.row(j).replicate(4, 1), around).minCoeff() >= detail.rho - 1e-8);
  }
  // About half of them; rounding decides which.
  CHECK(converged >= 5);
  CHECK(model.inverse_transform(scores).allFinite());
}

SCALAR_TEST_CASE("fixed point: the linear kernel is exact in one step", "[models][preimage]") {
  using S = TestType;
  const Matrix<S> x = uniform_samples<S>(30, 4, 67);
  const Matrix<S> q = uniform_samples<S>(5, 4, 68);
  const S tolerance = 200 * std::numeric_limits<S>::epsilon();
  {  // also where all samples are shorter than the tolerance of the search; 2^-40 is exact
    const S small = std::ldexp(S(1), -40);
    const KernelPcaParams params{.components = 2};
    const auto model = KernelPca{Linear{}, Exact{}, params}.fit(x);
    const auto model_of_small = KernelPca{Linear{}, Exact{}, params}.fit(Matrix<S>(small * x));
    const Matrix<S> found = model_of_small.inverse_transform(
        model_of_small.transform(Matrix<S>(small * q)), FixedPoint{});
    CHECK(distance(found / small, model.inverse_transform(model.transform(q), FixedPoint{})) <=
          tolerance);
  }
  for (const bool centered : {true, false}) {
    const KernelPcaParams params{.components = 2, .centered = centered};
    const auto model = KernelPca{Linear{}, Exact{}, params}.fit(x);
    const Matrix<S> scores = model.transform(q);
    const auto found = model.preimages(scores, FixedPoint{});
    CHECK(found.all_converged());
    for (const PreimageDetail& detail : found.details) CHECK(detail.iterations <= 1);
    CHECK(distance(found.points, model.expansion(scores) * x) <= tolerance);
    // It has the scores that were asked for, and is as far from q as the residual says.
    CHECK(distance(model.transform(found.points), scores) <= tolerance);
    const Vector<S> residual = (q - found.points).rowwise().squaredNorm();
    CHECK(distance(model.reconstruction_error(q), residual) <= tolerance);
  }
}

TEST_CASE("fixed point: float", "[models][preimage]") {
  const Matrix<double> x = ring<double>();
  const Matrix<float> noisy = (x.topRows(20) * 1.1).cast<float>();
  const KernelPcaParams params{.components = 8};
  const auto model = KernelPca{Gaussian{0.6}, Exact{}, params}.fit(Matrix<float>(x.cast<float>()));
  const auto exact = KernelPca{Gaussian{0.6}, Exact{}, params}.fit(x);
  const auto found = model.preimages(model.transform(noisy), FixedPoint{}, noisy);
  const Matrix<double> start = noisy.cast<double>();
  const auto expected = exact.preimages(exact.transform(start), FixedPoint{}, start);
  CHECK(found.all_converged());
  // Scores differ by some 100 eps; along the ring rho is so flat that this counts tenfold.
  CHECK(distance(found.points.cast<double>(), expected.points) <= 1e-3);
}

TEST_CASE("fixed point: sparse samples and an offset change nothing", "[models][preimage]") {
  const Matrix<double> x = sparse_looking_samples<double>(300, 12, 71);
  const Matrix<double> noisy = x.topRows(40) + 0.05 * uniform_samples<double>(40, 12, 72);
  const KernelPca pca{Gaussian{1.5}, Exact{}, {.components = 6}};
  const auto dense = pca.fit(x);
  const auto expected = dense.preimages(dense.transform(noisy), FixedPoint{}, noisy);
  REQUIRE(expected.all_converged());

  const SparseMatrix<double> sparse_x = x.sparseView(), sparse_noisy = noisy.sparseView();
  const auto sparse = pca.fit(sparse_x);
  const auto found = sparse.preimages(sparse.transform(sparse_noisy), FixedPoint{}, sparse_noisy);
  CHECK(distance(found.points, expected.points) <= limit_tolerance);
  CHECK(distance(sparse.inverse_transform(dense.transform(noisy)),
                 dense.inverse_transform(dense.transform(noisy))) <= limit_tolerance);

  constexpr double offset = 1e6;  // costs the samples themselves 1e-10
  const Matrix<double> moved = x.array() + offset, moved_noisy = noisy.array() + offset;
  const auto far = pca.fit(moved);
  const auto far_found = far.preimages(far.transform(moved_noisy), FixedPoint{}, moved_noisy);
  CHECK(far_found.all_converged());
  CHECK(distance(far_found.points.array() - offset, expected.points.array()) <=
        10 * limit_tolerance);
}

TEST_CASE("fixed point: the same bits on any number of threads", "[models][preimage]") {
  const Matrix<double> x = normal_samples<double>(300, 3, 73);
  const int threads = thread_count();
  const auto check = [&](auto kernel) {
    const KernelPca pca{kernel, Exact{}, {.components = 8}};
    set_thread_count(1);
    const Matrix<double> serial = pca.fit(x).training_scores().cwiseAbs();
    set_thread_count(2);
    const auto model = pca.fit(x);
    // Rounding over the gaps of the eigenvalues.
    CHECK(test::same_bits_but_lapack(serial, Matrix<double>(model.training_scores().cwiseAbs()),
                                     1e-10));
    for (const Index queries : {Index{7}, Index{100}}) {
      const Matrix<double> scores = model.training_scores().topRows(queries);
      set_thread_count(1);
      const Matrix<double> one = model.inverse_transform(scores);
      set_thread_count(2);
      CHECK(model.inverse_transform(scores) == one);
    }
  };
  check(Gaussian{1});
  check(Polynomial{});
  set_thread_count(threads);
}

TEST_CASE("fixed point: starts far from all samples", "[models][preimage]") {
  const Matrix<double> x = ring<double>();
  const auto model = KernelPca{Gaussian{0.6}, Exact{}, {.components = 8}}.fit(x);
  // At 5 only the last digits of exp are left of the kernel, at 1e3 and 1e160 nothing.
  const Matrix<double> starts{{5, 0}, {1e3, 0}, {1e160, 1e160}};
  const Matrix<double> scores = model.training_scores().topRows(3);
  const auto found = model.preimages(scores, FixedPoint{}, starts);
  CHECK(found.all_converged());
  CHECK(found.points.cwiseAbs().maxCoeff() < 5);
  CHECK(largest_gradient(model, model.expansion(scores), found.points) <= difference_tolerance);
}

TEST_CASE("fixed point: no components, one sample, equal samples", "[models][preimage]") {
  const Matrix<double> same = Matrix<double>::Constant(5, 2, 3.0);
  const auto constant = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(same);
  REQUIRE(constant.components() == 0);
  const auto mean = constant.preimages(Matrix<double>(2, 0), FixedPoint{});
  CHECK(mean.all_converged());
  CHECK(distance(mean.points, Matrix<double>::Constant(2, 2, 3.0)) <= limit_tolerance);
  CHECK(mean.details[0].rho <= rho_tolerance);

  const Matrix<double> one{{1.0, -2.0}};
  const auto single = KernelPca{Gaussian{1}, Exact{}, {.components = 1}}.fit(one);
  CHECK(single.inverse_transform(Matrix<double>(1, 0)) == one);

  Matrix<double> twice(8, 2);
  twice << four_points<double>(), four_points<double>();
  const auto doubled = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(twice);
  const auto found = doubled.preimages(doubled.transform(two_points<double>()), FixedPoint{});
  CHECK(found.all_converged());

  CHECK(single.preimages(Matrix<double>(0, 0), FixedPoint{}).points.rows() == 0);
}

TEST_CASE("fixed point: weights that cancel are no convergence", "[models][preimage]") {
  const KernelPcaParams params{.components = 2, .centered = false};
  const auto model = KernelPca{Gaussian{1}, Exact{}, params}.fit(four_points<double>());
  Matrix<double> scores(3, 2);
  scores << 0, 0,  // the projection 0: every point is equally far
      -1, 0,       // the negative of a mean: the farther the better
      1e300, 1e300;
  const auto found = model.preimages(scores, FixedPoint{});
  CHECK_FALSE(found.details[0].converged);
  CHECK(found.details[0].rho == Approx(1));
  CHECK_FALSE(found.details[1].converged);
  CHECK(found.points.allFinite());
}

TEST_CASE("fixed point: what it refuses", "[models][preimage]") {
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(four_points<double>());
  const Matrix<double> scores = Matrix<double>::Zero(3, 2);
  CHECK(error_of([&] { return model.inverse_transform(Matrix<double>(3, 4)); }) ==
        "mercer::KernelPcaModel::preimages: scores must be 3 x 2, got 3 x 4");
  CHECK(error_of([&] { return model.preimages(scores, FixedPoint{}, Matrix<double>(3, 3)); }) ==
        "mercer::KernelPcaModel::preimages: starts must be 3 x 2, got 3 x 3");
  CHECK(error_of([&] { return model.preimages(scores, FixedPoint{}, Matrix<double>(2, 2)); }) ==
        "mercer::KernelPcaModel::preimages: starts must be 3 x 2, got 2 x 2");
  Matrix<double> with_nan = scores;
  with_nan(1, 0) = std::nan("");
  CHECK(error_of([&] { return model.expansion(with_nan); }) ==
        "mercer::KernelPcaModel::expansion: scores must be finite, got nan at row 1, column 0 "
        "(counted from 0)");
  CHECK(error_of([&] { return model.preimages(scores, FixedPoint{}, with_nan); }) ==
        "mercer::KernelPcaModel::preimages: starts must be finite, got nan at row 1, column 0 "
        "(counted from 0)");
  CHECK(error_of([] { return FixedPoint{{.tolerance = 0}}; }) ==
        "mercer::FixedPoint: tolerance must be positive and finite, got 0");
  CHECK(error_of([] { return FixedPoint{{.max_iterations = 0}}; }) ==
        "mercer::FixedPoint: max_iterations must be at least 1, got 0");
}

}  // namespace
}  // namespace mercer::test::preimage_fixed_point_test
