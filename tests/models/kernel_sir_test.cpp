// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_sir.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/solvers/dense/ridge_cholesky.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/xy5.hpp>

namespace kernel_sir_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// y = sin x_1 + x_2^2 / 2 + noise, x standard normal in five dimensions.
struct Regression {
  Matrix<double> x;
  Vector<double> y;
};

Regression regression(Index n, std::uint64_t seed) {
  Regression out{normal_matrix<double>(n, 5, seed, "x"), {}};
  out.y = out.x.col(0).array().sin() + out.x.col(1).array().square() / 2 +
          .1 * normal_matrix<double>(n, 1, seed, "noise").col(0).array();
  return out;
}

/// Mean square error at new samples of the least squares fit on [1 F].
double test_error(const Matrix<double>& f, const Vector<double>& y, const Matrix<double>& new_f,
                  const Vector<double>& new_y) {
  const auto with_ones = [](const Matrix<double>& a) {
    Matrix<double> out(a.rows(), a.cols() + 1);
    out << Vector<double>::Ones(a.rows()), a;
    return out;
  };
  const Vector<double> b = with_ones(f).colPivHouseholderQr().solve(y);
  return (with_ones(new_f) * b - new_y).squaredNorm() / double(new_y.size());
}

std::vector<int> labels_of(Index n, int classes) {
  std::vector<int> labels;
  for (Index i = 0; i < n; ++i) labels.push_back(10 * (static_cast<int>(i) % classes) - 3);
  return labels;
}

}  // namespace

TEST_CASE("kernel_sir: the worked samples in two slices", "[models]") {
  const Vector<double> y = test::y5().col(0);
  const KernelSir sir{Gaussian(1.0), Exact{}, {.components = 3, .regularization = .1, .slices = 2}};
  const auto model = sir.fit(test::x5(), y);
  REQUIRE(model.components() == 1);  // one less than there are slices
  CHECK(model.report().components_requested == 3);
  CHECK(std::abs(model.eigenvalues()(0) - .742969134048) <= 1e-10);
  const std::vector<double> alpha{-.805715223304, -.107996453401, 1.039538065243, -1.528864718155,
                                  1.403038329617};
  for (Index i = 0; i < 5; ++i)
    CHECK(std::abs(model.functions().coefficients()(i, 0) - alpha[static_cast<std::size_t>(i)]) <=
          1e-10);
  CHECK(std::abs(model.transform(test::x5_query())(0, 0) + .784663432190) <= 1e-10);

  // The slices are 0 0 1 0 1; given as classes, they are the same.
  const auto classes = sir.fit(test::x5(), std::vector<int>{4, 4, 7, 4, 7});
  CHECK(classes.transform(test::x5()) == model.transform(test::x5()));
}

TEST_CASE("kernel_sir: slices of equal values stay together", "[models]") {
  Vector<double> y(10);
  y << 0, 0, 0, 0, 0, 0, 1, 2, 3, 3;
  CHECK(detail::SliceNumbers::slices(y, 4).numbers(y) ==
        std::vector<Index>{0, 0, 0, 0, 0, 0, 1, 1, 2, 2});
  // No more slices than distinct values.
  CHECK(detail::SliceNumbers::slices(y, 1000).numbers(y).back() == 3);

  // New values: below and above all others, and between two slices.
  const auto four = detail::SliceNumbers::slices(y, 4);
  CHECK(four.count() == 3);
  CHECK(four(-5) == 0);
  CHECK(four(2.5) == 2);
  CHECK(four(100) == 2);
  const auto classes = detail::SliceNumbers::classes(y);
  CHECK(classes.count() == 4);
  CHECK(classes(2) == 2);
  CHECK_THROWS_WITH(classes(1.5), ContainsSubstring("1.5 is none of the 4 classes"));
}

TEST_CASE("kernel_sir: three routes to one result", "[models]") {
  constexpr Index n = 90;
  const Matrix<double> x = test::correlated_views(n, 3).x;
  const Gaussian kernel(1.0);
  const std::vector<int> labels = labels_of(n, 4);
  const auto model =
      KernelSir{kernel, Exact{}, {.components = 3, .regularization = .01}}.fit(x, labels);
  REQUIRE(model.components() == 3);

  // One Cholesky factorisation of K_c + n kappa instead of a spectrum, by definition. RidgeCholesky
  // is tested in a file of its own.
  const Matrix<double> k = test::centered_gram(kernel, x);
  const double shift = .01 * k.trace();
  const Vector<double> values = Eigen::Map<const Eigen::VectorXi>(labels.data(), n).cast<double>();
  const Matrix<double> e =
      detail::slice_basis<double>(detail::SliceNumbers::classes(values).numbers(values));
  const Matrix<double> r =
      Eigen::LLT<Matrix<double>>(k + shift * Matrix<double>::Identity(n, n)).solve(e);
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> small(Matrix<double>::Identity(4, 4) -
                                                            shift * e.transpose() * r);
  for (Index j = 0; j < 3; ++j) {
    CHECK(std::abs(small.eigenvalues()(3 - j) - model.eigenvalues()(j)) <= 1e-9);
    const Vector<double> f =
        k * r * small.eigenvectors().col(3 - j) * std::sqrt(double(n) / model.eigenvalues()(j));
    const Vector<double> own = model.transform(x).col(j);
    CHECK((std::min)((f - own).norm(), (f + own).norm()) <= 1e-8);
  }

  // Kernel CCA with the indicators as the second view, without a ridge there.
  const KernelCca cca{
      kernel, Linear{}, Exact{}, {.components = 3, .regularization = .01, .regularization_y = 0.0}};
  CHECK((cca.fit(x, e).correlations().cwiseAbs2() - model.eigenvalues()).norm() <= 1e-9);

  // All samples as landmarks change nothing; fewer can only lower the eigenvalues.
  const auto landmarks = [&](Index m) {
    const Nystrom nystrom{Uniform{}, {.landmarks = m}};
    return KernelSir{kernel, nystrom, {.components = 3, .regularization = .01}}.fit(x, labels);
  };
  CHECK((landmarks(n).eigenvalues() - model.eigenvalues()).norm() <= 1e-7);
  const auto few = landmarks(30);
  REQUIRE(few.report().truncation_bound);
  CHECK(model.eigenvalues()(0) - few.eigenvalues()(0) <= *few.report().truncation_bound);
}

TEST_CASE("kernel_sir: with a linear kernel it is sliced inverse regression", "[models]") {
  constexpr Index n = 300;
  const Regression data = regression(n, 3);
  // A tiny ridge; RidgeCholesky would lose its digits.
  const KernelSir sir{Linear{}, Exact{}, {.components = 5, .regularization = 1e-13, .slices = 8}};
  const auto model = sir.fit(data.x, data.y);
  const Matrix<double> centered = data.x.rowwise() - data.x.colwise().mean();
  const Matrix<double> e =
      detail::slice_basis<double>(detail::SliceNumbers::slices(data.y, 8).numbers(data.y));
  const Matrix<double> sums = e.transpose() * centered;
  const Vector<double> expected = Eigen::GeneralizedSelfAdjointEigenSolver<Matrix<double>>(
                                      sums.transpose() * sums, centered.transpose() * centered)
                                      .eigenvalues()
                                      .reverse();
  REQUIRE(model.components() == 5);
  CHECK((model.eigenvalues() - expected).cwiseAbs().maxCoeff() <= 1e-10);
}

TEST_CASE("kernel_sir: outputs span the fits of kernel ridge regression", "[models]") {
  constexpr Index n = 100;
  const Matrix<double> x = test::correlated_views(n, 5).x;
  Matrix<double> y(n, 3);
  y << x.col(0).array().sin(), x.col(1).array().square(), 3 * x.col(0) - x.col(1);
  const Gaussian kernel(1.5);
  const auto model =
      KernelSir{kernel, Exact{}, {.components = 5, .regularization = 1e-3}}.fit(x, y);
  REQUIRE(model.components() == 3);
  const Matrix<double> k = test::centered_gram(kernel, x);
  const double shift = 1e-3 * k.trace();
  const Matrix<double> centered = y.rowwise() - y.colwise().mean();
  const Matrix<double> fits =
      k * Eigen::LLT<Matrix<double>>(k + shift * Matrix<double>::Identity(n, n)).solve(centered);
  const auto basis = [](const Matrix<double>& a) -> Matrix<double> {
    return Eigen::HouseholderQR<Matrix<double>>(a).householderQ() *
           Matrix<double>::Identity(a.rows(), a.cols());
  };
  CHECK(test::largest_sine<double>(basis(fits), basis(model.transform(x))) <= 1e-5);
}

TEST_CASE("kernel_sir: two functions carry a regression that linear least squares cannot",
          "[models]") {
  const Regression train = regression(1500, 1), fresh = regression(2000, 2);
  const KernelSir sir{Gaussian(3.0), RidgeCholesky{}, {.regularization = 1e-4, .slices = 20}};
  const auto model = sir.fit(train.x, train.y);
  CHECK(test_error(model.transform(train.x), train.y, model.transform(fresh.x), fresh.y) < .04);
  CHECK(test_error(train.x, train.y, fresh.x, fresh.y) > .4);
}

TEST_CASE("kernel_sir: bad input is named", "[models]") {
  const Matrix<double> x = test::correlated_views(20, 8).x;
  const auto error = [&](const auto& y, KernelSirParams params = {}) {
    return test::error_of([&] { return KernelSir{Gaussian(1.0), Exact{}, params}.fit(x, y); });
  };
  CHECK_THAT(error(std::vector<int>(20, 4)), ContainsSubstring("one class only"));
  CHECK_THAT(error(std::vector<int>(19, 4)), ContainsSubstring("20 samples need as many"));
  CHECK_THAT(error(Vector<double>::Constant(20, 1.0).eval()), ContainsSubstring("one class only"));
  CHECK_THAT(error(Matrix<double>::Ones(20, 2).eval()), ContainsSubstring("all equal"));
  Vector<double> y = Vector<double>::LinSpaced(20, 0, 1);
  CHECK_THAT(error(y, {.slices = 1}), ContainsSubstring("slices must be at least 2"));
  CHECK_THAT(error(y, {.regularization = 0.0}), ContainsSubstring("correlations would be 1"));
  CHECK_THAT(error(Matrix<double>(20, 2).setRandom().eval(), {.target = SirTarget::Classes}),
             ContainsSubstring("one column"));
  y(7) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error(y), ContainsSubstring("row 7"));
}

TEST_CASE("kernel_sir: the ridge of an indefinite kernel is that of its positive part",
          "[models]") {
  const Vector<double> u = Vector<double>{{1, -1, 0, 0}} / std::sqrt(2.0),
                       v = Vector<double>{{1, 1, -1, -1}} / 2;
  const Matrix<double> gram = u * u.transpose() - 3 * v * v.transpose();
  const KernelSir sir{Precomputed{}, Exact{}, {.components = 1, .regularization = .5}};
  const auto model = sir.fit(gram, std::vector<int>{0, 1, 0, 1});
  REQUIRE(model.components() == 1);
  CHECK(*model.report().views[0].kappa == Approx(.5 / 4));
  // D^2 |E^T u|^2 with D^2 = 1 / (1 + 4 kappa) and E^T u = (1/2, -1/2).
  CHECK(model.eigenvalues()(0) == Approx(1 / 1.5 / 2));
  CHECK_FALSE(model.report().truncation_bound);
}

TEST_CASE("kernel_sir: responses that leave nothing to find are named", "[models]") {
  const Matrix<double> x = normal_matrix<double>(100, 2, 1, "x");
  const auto error = [&](Index n, const auto& y, KernelSirParams params = {}) {
    return test::error_of([&] {
      return KernelSir{Gaussian(1.0), Exact{}, params}.fit(x.topRows(n), y);
    });
  };
  Vector<double> y = Vector<double>::Ones(100);
  y.head(5).setZero();
  CHECK_THAT(error(100, y), ContainsSubstring("all 100 responses fall into one of 10 slices") &&
                                ContainsSubstring("SirTarget::Classes"));
  CHECK(KernelSir{Gaussian(1.0), Exact{}, {.slices = 20}}.fit(x, y).components() == 1);
  CHECK(KernelSir{Gaussian(1.0), Exact{}, {.target = SirTarget::Classes}}.fit(x, y).components() ==
        1);

  const std::string spans_all = "the response spans all 19 dimensions";
  std::vector<int> each(20);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<int>(i);
  CHECK_THAT(error(20, each), ContainsSubstring(spans_all));
  CHECK_THAT(error(20, Vector<double>::LinSpaced(20, 0, 1).eval(), {.slices = 25}),
             ContainsSubstring(spans_all));
  CHECK_THAT(error(20, normal_matrix<double>(20, 19, 1, "y")), ContainsSubstring(spans_all));
}

TEST_CASE("kernel_sir: outputs of any scale", "[models]") {
  const Matrix<double> x = normal_matrix<double>(40, 2, 1, "x");
  Matrix<double> y(40, 2);
  y << x.col(0), x.col(0).cwiseAbs2() + x.col(1);
  const KernelSir sir{Gaussian(1.0)};
  const auto model = sir.fit(x, y);
  for (const double scale : {1e-170, 1e160})
    CHECK((sir.fit(x, scale * y).eigenvalues() - model.eigenvalues()).norm() <= 1e-12);
  Matrix<double> mixed = y;
  mixed.col(1) *= 1e-300;
  CHECK((sir.fit(x, mixed).eigenvalues() - model.eigenvalues()).norm() <= 1e-12);
}

TEST_CASE("kernel_sir: samples of any scale, by RidgeCholesky", "[models]") {
  const Regression data = regression(60, 4);
  const KernelSir sir{Linear{}, RidgeCholesky{}, {.components = 3, .slices = 5}};
  const auto model = sir.fit(data.x, data.y);
  REQUIRE(model.components() == 3);
  for (const double scale : {1e-80, 1e80}) {
    CAPTURE(scale);
    const auto scaled = sir.fit(Matrix<double>(scale * data.x), data.y);
    REQUIRE(scaled.components() == 3);
    CHECK((scaled.eigenvalues() - model.eigenvalues()).norm() <= 1e-12);
  }
}

TEST_CASE("kernel_sir: classes of integers beyond the digits of double", "[models]") {
  const Matrix<double> x = normal_matrix<double>(30, 2, 1, "x");
  std::vector<std::int64_t> large;
  std::vector<std::uint64_t> largest;
  std::vector<int> small;
  for (int i = 0; i < 30; ++i) {
    small.push_back(i % 3);
    large.push_back((std::int64_t{1} << 53) + i % 3);
    largest.push_back((std::numeric_limits<std::uint64_t>::max)() - 2 +
                      static_cast<std::uint64_t>(i % 3));
  }
  const KernelSir sir{Gaussian(1.0), Exact{}, {.components = 3}};
  const auto model = sir.fit(x, small);
  REQUIRE(model.components() == 2);
  CHECK(sir.fit(x, large).eigenvalues() == model.eigenvalues());
  CHECK(sir.fit(x, largest).eigenvalues() == model.eigenvalues());
}

TEST_CASE("kernel_sir: a basis of a rank above the number of samples has all that there is",
          "[models]") {
  const Regression data = regression(40, 1);
  const KernelSir all{Gaussian(3.0)}, many{Gaussian(3.0), Exact{}, {.rank = 500}};
  CHECK((many.fit(data.x, data.y).eigenvalues() - all.fit(data.x, data.y).eigenvalues()).norm() <=
        1e-12);
}

TEST_CASE("kernel_sir: S classes have S - 1 components at most", "[models]") {
  const Matrix<double> x = normal_matrix<double>(90, 2, 1, "x");
  const Matrix<float> single = x.cast<float>();
  const Gaussian kernel(1.0);
  for (const int classes : {2, 3}) {
    CAPTURE(classes);
    std::vector<int> labels;
    for (Index i = 0; i < 90; ++i)
      labels.push_back((x(i, 0) > .3) + (classes > 2 && x(i, 1) > 0 ? 1 : 0));
    const Index most = *std::max_element(labels.begin(), labels.end());
    CHECK(KernelSir{kernel, Exact{}, {.components = 5}}.fit(single, labels).components() == most);
    const FeaturePca features{RandomFourier{.features = 32}};
    for (const double eps : {1e-2, 1e-8}) {
      const KernelSir sir{kernel, features, {.components = 5, .regularization = eps}};
      CHECK(sir.fit(x, labels).components() == most);
      CHECK(sir.fit(single, labels).components() == most);
    }
    const KernelSir chol{kernel, RidgeCholesky{}, {.components = 5}};
    CHECK(chol.fit(single, labels).components() == most);
  }
}

TEST_CASE("kernel_sir: the contrasts of slices are orthonormal and have sums of zero", "[models]") {
  const std::vector<Index> numbers{0, 2, 1, 2, 2, 0, 2, 1, 3};
  const Matrix<double> all = detail::slice_contrasts<double>(numbers, {0, 9});
  REQUIRE(all.cols() == 3);
  CHECK((all.transpose() * all - Matrix<double>::Identity(3, 3)).norm() <= 1e-15);
  CHECK(all.colwise().sum().norm() <= 1e-15);
  const Matrix<double> e = detail::slice_basis<double>(numbers);
  CHECK((e * (e.transpose() * all) - all).norm() <= 1e-15);  // in the span of the indicators
  CHECK(detail::slice_contrasts<double>(numbers, {3, 4}) == all.middleRows(3, 4));
}

TEST_CASE("kernel_sir: a class that no function of the samples sees has no component", "[models]") {
  const test::TwoViewSamples design = test::factorial_design();
  std::vector<int> labels;
  for (Index i = 0; i < design.y.rows(); ++i) labels.push_back(design.y(i, 0) > 0);
  CHECK(KernelSir{Linear{}}.fit(design.x, labels).components() == 0);
}

}  // namespace kernel_sir_test
