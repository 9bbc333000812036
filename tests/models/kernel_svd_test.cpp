// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_svd.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/xy5.hpp>

namespace kernel_svd_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::check_vector;

namespace {

constexpr Index n = 120;

}  // namespace

TEST_CASE("kernel_svd: the worked pairs", "[models]") {
  const auto model = KernelSvd{Gaussian(1.0), Gaussian(1.0), Exact{}, {.components = 5}}.fit(
      test::x5(), test::y5());
  REQUIRE(model.components() == 4);  // the rank of five centred samples
  CHECK(model.report().components_requested == 5);
  CHECK(model.report().status == Status::Converged);
  CHECK(model.report().method == "kernel-svd");
  check_vector(model.singular_values(),
               {.231155236632, .092191121973, .036059451219, .002441701110});
  check_vector(model.functions_x().coefficients().col(0),
               {-.246689238687, -.552495928428, .345541605762, -.177115067655, .630758629008});
  check_vector(model.functions_y().coefficients().col(0),
               {-.389524610386, -.526600900034, .368101624694, -.006582485549, .554606371276});
  check_vector(model.transform_x(test::x5_query()).leftCols(2), {-.443577102624, .143944478979});
  check_vector(model.transform_y(test::y5_query()).leftCols(2), {-.119620788393, .329020359350});

  const KernelSvd uncentered{
      Gaussian(1.0), Gaussian(1.0), Exact{}, {.components = 5, .centered = false}};
  check_vector(uncentered.fit(test::x5(), test::y5()).singular_values(),
               {.508999161524, .225476390860, .083721333153, .035710877025, .002288108198});
}

TEST_CASE("kernel_svd: landmarks lower the singular values of the worked pairs", "[models]") {
  const std::vector<Index> rows{0, 3};
  const Nystrom landmarks{Given{rows}};
  const auto model = KernelSvd{Gaussian(1.0), Gaussian(1.0), landmarks}.fit(test::x5(), test::y5());
  check_vector(model.singular_values(), {.109547321761, .007200113922});
  REQUIRE(model.report().views.size() == 2);
  // These are the errors of the traces before centring; they bound those after it.
  CHECK(*model.report().views[0].trace_error <= 2.109363602463 + 1e-10);
  CHECK(*model.report().views[1].trace_error <= 1.027130851755 + 1e-10);
  REQUIRE(model.report().truncation_bound);
  CHECK(.231155236632 - .109547321761 <= *model.report().truncation_bound);
}

TEST_CASE("kernel_svd: identities of the exact form", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 3);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel_x(1.0), kernel_y(1.5);
  const Matrix<double> k = test::centered_gram(kernel_x, x), l = test::centered_gram(kernel_y, y);
  const auto size = static_cast<double>(n);
  const KernelSvd svd{kernel_x, kernel_y, Exact{}, {.components = 5}};
  const auto model = svd.fit(x, y);
  const Vector<double> sigma = model.singular_values();
  const Matrix<double> alpha = model.functions_x().coefficients(),
                       beta = model.functions_y().coefficients();
  // Rounding: n entries of order 1, eigenvalues down to 1e-12 of the largest.
  constexpr double rounding = 1e-10;

  Vector<double> eigenvalues =
      Eigen::EigenSolver<Matrix<double>>(k * l, false).eigenvalues().real();
  std::sort(eigenvalues.begin(), eigenvalues.end(), std::greater<>());
  for (Index j = 0; j < 5; ++j)
    CHECK(std::abs(std::sqrt(eigenvalues(j)) / size - sigma(j)) <= rounding);
  CHECK((alpha.transpose() * k * alpha - Matrix<double>::Identity(5, 5)).norm() <= rounding);
  CHECK((beta.transpose() * l * beta - Matrix<double>::Identity(5, 5)).norm() <= rounding);
  const Matrix<double> f = model.transform_x(x), g = model.transform_y(y);
  for (Index j = 0; j < 5; ++j)
    CHECK(std::abs(f.col(j).dot(g.col(j)) / size - sigma(j)) <= rounding);
  CHECK(std::abs(model.dependence() - k.cwiseProduct(l).sum() / size / size) <= rounding);
  CHECK(model.explained_dependence_ratio()(0) == Approx(sigma(0) * sigma(0) / model.dependence()));
  for (const ViewReport& view : model.report().views) {
    CHECK(view.rank == view.basis.components);
    for (const double residual : view.residuals) CHECK(residual <= 1e-12);
  }
  for (const double bound : model.report().error_bounds) CHECK(bound <= 1e-12);

  // The same from products with the two Gram matrices only.
  Matrix<double> a = normal_matrix<double>(n, 10, 2, "start"), p;
  for (int round = 0; round < 30; ++round) {
    p = k * a;
    const Eigen::LLT<Matrix<double>> first(a.transpose() * p);
    p = first.matrixU().solve<Eigen::OnTheRight>(p).eval();
    const Matrix<double> b = p / size;
    Matrix<double> q = l * b;
    const Eigen::LLT<Matrix<double>> second(b.transpose() * q);
    q = second.matrixU().solve<Eigen::OnTheRight>(q).eval();
    a = q / size;
  }
  const Vector<double> iterated =
      Eigen::JacobiSVD<Matrix<double>>(p.transpose() * a).singularValues();
  CHECK((iterated.head(5) - sigma).norm() <= rounding);
}

TEST_CASE("kernel_svd: linear kernels are partial least squares; one view twice is kernel PCA",
          "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 4);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Matrix<double> cross = (x.rowwise() - x.colwise().mean()).transpose() *
                               (y.rowwise() - y.colwise().mean()) / double(n);
  const Vector<double> expected = Eigen::JacobiSVD<Matrix<double>>(cross).singularValues();
  const auto linear = KernelSvd{Linear{}, Linear{}, Exact{}, {.components = 5}}.fit(x, y);
  REQUIRE(linear.components() == 2);
  CHECK((linear.singular_values() - expected).norm() <= 1e-12);

  const Gaussian kernel(1.0);
  const auto twice = KernelSvd{kernel, kernel, Exact{}, {.components = 6}}.fit(x, x);
  const auto pca = KernelPca{kernel, Exact{}, {.components = 6}}.fit(x);
  CHECK((twice.singular_values() - pca.eigenvalues() / double(n)).norm() <= 1e-12);
  CHECK((twice.transform_x(x) - pca.transform(x)).norm() <= 1e-9);
}

TEST_CASE("kernel_svd: smaller bases can only lower the values, within the bound", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 5);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel_x(1.0), kernel_y(1.5);
  const Vector<double> exact =
      KernelSvd{kernel_x, kernel_y, Exact{}, {.components = 8}}.fit(x, y).singular_values();
  const auto check = [&](const auto& model) {
    const Vector<double> reduced = model.singular_values();
    const Index count = (std::min)(Index{8}, reduced.size());
    REQUIRE(model.report().truncation_bound);
    for (Index j = 0; j < count; ++j) {
      CHECK(reduced(j) <= exact(j) + 1e-10);
      CHECK(exact(j) - reduced(j) <= *model.report().truncation_bound + 1e-10);
    }
    return (exact.head(count) - reduced.head(count)).cwiseAbs().maxCoeff();
  };
  for (const Index landmarks : {15, 30, 60, 90, 120}) {
    CAPTURE(landmarks);
    const Nystrom nystrom{Uniform{}, {.landmarks = landmarks}};
    const double error = check(KernelSvd{kernel_x, kernel_y, nystrom, {.components = 8}}.fit(x, y));
    if (landmarks == n) CHECK(error <= 1e-9);
  }
  for (const Index rank : {10, 25, 50})
    check(KernelSvd{kernel_x, kernel_y, BlockKrylov{}, {.components = 8, .rank = rank}}.fit(x, y));
  // A landmark view beside an exact one.
  const Views mixed{Exact{}, Nystrom{Uniform{}, {.landmarks = 40}}};
  check(KernelSvd{kernel_x, kernel_y, mixed, {.components = 8}}.fit(x, y));
}

TEST_CASE("kernel_svd: the closed form of a normal pair", "[models]") {
  // sigma_j = sigma_0 q^j, here for standard deviations and widths of 1 and a correlation of .64.
  const double r = .64, t = 2, q2 = (1 + t) * (1 + t), root = std::sqrt(1 - r * r * t * t / q2);
  const double ratio = std::sqrt((1 - root) / (1 + root));
  const double first = std::sqrt((1 - ratio * ratio) / (std::sqrt(q2) * root));
  CHECK(std::abs(first - .591662798201) <= 1e-12);
  CHECK(std::abs(first * ratio - .132557029522) <= 1e-12);

  constexpr Index size = 1500;
  const Matrix<double> common = normal_matrix<double>(size, 1, 9, "common");
  const Matrix<double> x = .8 * common + .6 * normal_matrix<double>(size, 1, 9, "x");
  const Matrix<double> y = .8 * common + .6 * normal_matrix<double>(size, 1, 9, "y");
  const Nystrom nystrom{Uniform{}, {.landmarks = 200}};
  const auto model =
      KernelSvd{Gaussian(1.0), Gaussian(1.0), nystrom, {.components = 3, .centered = false}}.fit(x,
                                                                                                 y);
  for (Index j = 0; j < 3; ++j)
    CHECK(std::abs(model.singular_values()(j) - first * std::pow(ratio, j)) <= .02);
}

TEST_CASE("kernel_svd: features, precomputed matrices, single precision and sparse rows agree",
          "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 6);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const Gaussian kernel_x(1.0), kernel_y(1.5);
  const auto exact = KernelSvd{kernel_x, kernel_y, Exact{}, {.components = 3}}.fit(x, y);

  const auto precomputed = KernelSvd{Precomputed{}, kernel_y, Exact{}, {.components = 3}}.fit(
      gram(kernel_x, x), SparseMatrix<double>(y.sparseView()));
  CHECK((precomputed.singular_values() - exact.singular_values()).norm() <= 1e-10);
  CHECK((precomputed.transform_x(gram(kernel_x, x)) - exact.transform_x(x)).norm() <= 1e-8);

  const auto single = KernelSvd{kernel_x, kernel_y, Exact{}, {.components = 3}}.fit(
      Matrix<float>(x.cast<float>()), y);
  CHECK((single.singular_values() - exact.singular_values()).norm() <=
        1e-5 * exact.singular_values()(0));

  // The largest singular value of 2 x 200 features differs by their sampling error, some
  // 1/sqrt(N).
  const FeaturePca features{RandomFourier{.features = 200}};
  const auto fourier = KernelSvd{kernel_x, kernel_y, features, {.components = 3}}.fit(x, y);
  CHECK(std::abs(fourier.singular_values()(0) / exact.singular_values()(0) - 1) <= .2);
  CHECK_FALSE(fourier.report().truncation_bound);
  const Matrix<double> f = fourier.transform_x(x), g = fourier.transform_y(y);
  for (Index j = 0; j < 3; ++j)
    CHECK(f.col(j).dot(g.col(j)) / double(n) == Approx(fourier.singular_values()(j)));
}

TEST_CASE("kernel_svd: held-out pairs, threads and degenerate views", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(n, 7);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const KernelSvd svd{Gaussian(1.0), Gaussian(1.5), Exact{}, {.components = 2, .holdout = .25}};
  const auto model = svd.fit(x, y);
  CHECK(model.report().samples == 90);
  CHECK(model.report().holdout_samples == 30);
  CHECK(model.report().holdout_correlations.size() == 2);
  CHECK(model.functions_x().points().rows() == 90);
  const int threads = thread_count();
  set_thread_count(1);
  const auto serial = svd.fit(x, y);
  set_thread_count(threads);
  // Rounding over the gap of the singular values, which is half of the largest.
  CHECK(test::same_bits_but_lapack(serial.singular_values(), model.singular_values(), 1e-12));
  CHECK(test::same_bits_but_lapack(serial.transform_y(y), model.transform_y(y), 1e-12));

  const Matrix<double> constant = Matrix<double>::Ones(n, 2);
  const auto none =
      KernelSvd{Gaussian(1.0), Gaussian(1.0), Exact{}, {.holdout = .1}}.fit(constant, y);
  CHECK(none.components() == 0);
  CHECK(none.transform_x(constant).cols() == 0);
  CHECK(none.report().holdout_correlations.empty());

  Matrix<double> doubled(2 * n, 2), doubled_y(2 * n, 3);
  doubled << x, x;
  doubled_y << y, y;
  const KernelSvd plain{Gaussian(1.0), Gaussian(1.5)};
  CHECK((plain.fit(doubled, doubled_y).singular_values() - plain.fit(x, y).singular_values())
            .norm() <= 1e-12);
}

TEST_CASE("kernel_svd: bad input is named", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(20, 8);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const auto fit = [&](const Matrix<double>& a, const Matrix<double>& b, KernelSvdParams params) {
    return test::error_of([&] {
      return KernelSvd{Gaussian(1.0), Gaussian(1.0), Exact{}, params}.fit(a, b);
    });
  };
  CHECK_THAT(fit(x, y.topRows(19), {}), ContainsSubstring("20 rows and view y 19"));
  CHECK_THAT(fit(x.topRows(1), y.topRows(1), {}), ContainsSubstring("at least 2 rows"));
  CHECK_THAT(fit(x, y, {.components = 0}), ContainsSubstring("components must be between 1"));
  CHECK_THAT(fit(x, y, {.components = 21}), ContainsSubstring("20, got 21"));
  CHECK_THAT(fit(x, y, {.components = 5, .rank = 4}), ContainsSubstring("rank, got 4"));
  CHECK_THAT(fit(x, y, {.rank = 1.5}), ContainsSubstring("(0, 1], got 1.5"));
  CHECK_THAT(fit(x, y, {.holdout = 1}), ContainsSubstring("[0, 1), got 1"));
  CHECK_THAT(fit(x, y, {.holdout = .01}), ContainsSubstring("at least 2 on each side"));
  Matrix<double> bad = y;
  bad(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(fit(x, bad, {}), ContainsSubstring("view y") && ContainsSubstring("row 3, column 1"));
  CHECK_THAT(fit(x.leftCols(0), y, {}), ContainsSubstring("view x") && ContainsSubstring("20 x 0"));
  CHECK_THAT(fit(x.topRows(0), y.topRows(0), {}), ContainsSubstring("0 x 2"));

  const auto error = [](const auto& svd, const auto& a, const auto& b) {
    return test::error_of([&] { return svd.fit(a, b); });
  };
  const Matrix<double> positive = x.cwiseAbs();
  Matrix<double> negative = y.cwiseAbs();
  negative(4, 2) = -1;
  CHECK_THAT(error(KernelSvd{ChiSquare(1.0), ChiSquare(1.0)}, positive, negative),
             ContainsSubstring("view y") && ContainsSubstring("row 4"));
  // Rows of a Gram matrix.
  const Matrix<double> k = gram(Gaussian(1.0), x);
  const KernelSvd given{Precomputed{}, Gaussian(1.0)};
  CHECK(given.fit(k, y).components() == 2);
  CHECK_THAT(error(given, k.leftCols(19).eval(), y),
             ContainsSubstring("view x") && ContainsSubstring("20 x 19"));
  CHECK_THAT(error(given, k.topLeftCorner(19, 19).eval(), y),
             ContainsSubstring("19 rows and view y 20"));
  Matrix<double> skew = k;
  skew(2, 5) += 1e-3;
  CHECK_THAT(error(given, skew, y), ContainsSubstring("view x") && ContainsSubstring("symmetric"));
  // Landmarks of one view.
  const Nystrom outside{Given{std::vector<Index>{0, 20}}};
  CHECK_THAT(error(KernelSvd{Gaussian(1.0), Gaussian(1.0), Views{Exact{}, outside}}, x, y),
             ContainsSubstring("20"));
}

TEST_CASE("kernel_svd: of an indefinite kernel the positive part is kept", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(20, 8);
  const Sigmoid kernel{{.gamma = 1, .coef0 = -1}};
  const auto model = KernelSvd{kernel, Gaussian(1.0)}.fit(views_of_both.x, views_of_both.y);
  CHECK(model.components() == 2);
  CHECK(model.report().views[0].basis.negative_eigenvalues > 0);
  CHECK(model.report().views[0].rank < 19);
  CHECK(model.transform_x(views_of_both.x).allFinite());
}

TEST_CASE("kernel_svd: shares of dependence whose squares overflow or underflow", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(30, 8);
  const Matrix<double>&x = views_of_both.x, &y = views_of_both.y;
  const KernelSvd svd{Linear{}, Linear{}};
  const auto model = svd.fit(x, y);
  const Vector<double> shares = model.explained_dependence_ratio();
  const KernelSvd over_landmarks{
      Linear{}, Linear{}, Nystrom{Uniform{}, {.landmarks = 1}}, {.components = 1}};
  const auto bound = over_landmarks.fit(x, y).report().truncation_bound;
  REQUIRE(bound);
  CHECK(model.dependence() ==
        Approx(model.singular_values()(0) * model.singular_values()(0) / shares(0)));
  for (const int power : {265, -280}) {
    const double scale = std::ldexp(1.0, power);
    const auto scaled = svd.fit(scale * x, scale * y);
    CHECK(scaled.dependence() == (power > 0 ? std::numeric_limits<double>::infinity() : 0.0));
    REQUIRE(scaled.components() == 2);
    CHECK((scaled.singular_values() / scale / scale - model.singular_values()).norm() <= 1e-12);
    CHECK((scaled.explained_dependence_ratio() - shares).norm() <= 1e-12);
    // What is left over is rounding, which has a square of no size here.
    for (const double error : scaled.report().error_bounds) {
      CHECK(error > 0);
      CHECK(error <= 1e-12 * scaled.singular_values()(0));
    }
    for (std::size_t v = 0; v < 2; ++v)
      for (std::size_t j = 0; j < 2; ++j) {
        const double residual = scaled.report().views[v].residuals[j];
        CHECK(std::isfinite(residual));
        CHECK((residual == 0) == (model.report().views[v].residuals[j] == 0));
      }
    const auto scaled_bound =
        over_landmarks.fit(scale * x, scale * y).report().truncation_bound.value_or(-1);
    CHECK(scaled_bound / scale / scale == Approx(*bound));
    // The square alone does not say what the root was.
    const KernelSvdModel read(scaled.functions_x(), scaled.functions_y(), scaled.singular_values(),
                              scaled.dependence(), scaled.report());
    CHECK(read.explained_dependence_ratio().sum() == Approx(1));
  }
  const auto with_dependence = [&](double dependence) {
    return test::error_of([&] {
      return KernelSvdModel(model.functions_x(), model.functions_y(), model.singular_values(),
                            dependence, model.report());
    });
  };
  CHECK_THAT(with_dependence(-1), ContainsSubstring("dependence must be 0 or above, got -1"));
  CHECK_THAT(with_dependence(std::nan("")), ContainsSubstring("got nan"));
}

TEST_CASE("kernel_svd: no bound on what a basis of an indefinite kernel leaves out", "[models]") {
  const test::TwoViewSamples views_of_both = test::correlated_views(20, 8);
  const auto model = KernelSvd{Sigmoid{{.gamma = 1, .coef0 = -1}}, Gaussian(1.0)}.fit(
      views_of_both.x, views_of_both.y);
  REQUIRE(model.report().views[0].basis.negative_eigenvalues > 0);
  CHECK_FALSE(model.report().views[0].trace_error);
  CHECK(model.report().views[1].trace_error);
  CHECK_FALSE(model.report().truncation_bound);
}

TEST_CASE("kernel_svd: no bound of a run that is cancelled before the bases are known",
          "[models]") {
  const test::TwoViewSamples both = test::correlated_views(20, 8);
  const KernelSvd svd{Gaussian(1.0), Gaussian(1.0)};
  int questions = 0;
  static_cast<void>(svd.fit(both.x, both.y, [&](const Progress&) { return ++questions > 0; }));
  for (int at = 1; at <= questions; ++at) {
    int asked = 0;
    const auto model = svd.fit(both.x, both.y, [&](const Progress&) { return ++asked < at; });
    CAPTURE(at, questions);
    CHECK(model.report().status == Status::Cancelled);
    for (const ViewReport& view : model.report().views)
      CHECK(view.trace_error.has_value() == std::isfinite(view.basis.trace));
    if (!std::isfinite(model.report().views[0].basis.trace) ||
        !std::isfinite(model.report().views[1].basis.trace))
      CHECK_FALSE(model.report().truncation_bound);
  }
}

TEST_CASE("kernel_svd: views that are not correlated at all have no component", "[models]") {
  const test::TwoViewSamples design = test::factorial_design();
  for (const double scale : {1.0, 1e-70, 1e70}) {
    CAPTURE(scale);
    const auto model = KernelSvd{Linear{}, Linear{}}.fit(Matrix<double>(scale * design.x),
                                                         Matrix<double>(scale * design.y));
    CHECK(model.components() == 0);
  }
}

}  // namespace kernel_svd_test
