// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/kernel_ica.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/amari_error.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace kernel_ica_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using Measure = detail::IcaMeasure<double>;

namespace {

enum class Source { Uniform, Laplace, Exponential, Normal, Bimodal };

double draw(Source source, RandomStream& stream) {
  switch (source) {
    case Source::Uniform:
      return 2 * stream.uniform() - 1;
    case Source::Laplace: {
      const double u = 2 * stream.uniform() - 1;
      return u < 0 ? std::log1p(u) : -std::log1p(-u);
    }
    case Source::Exponential:
      return -std::log(stream.uniform());
    case Source::Normal:
      return stream.normal();
    case Source::Bimodal: {
      const double side = stream.uniform() < 0.5 ? -1 : 1;
      return side + 0.3 * stream.normal();
    }
  }
  return 0;
}

/// Independent sources of zero mean and unit variance, one per column.
Matrix<double> sources(const std::vector<Source>& forms, Index n, std::uint64_t seed) {
  Matrix<double> s(n, static_cast<Index>(forms.size()));
  for (Index j = 0; j < s.cols(); ++j) {
    RandomStream stream(seed, "sources", static_cast<std::uint64_t>(j));
    for (Index i = 0; i < n; ++i) s(i, j) = draw(forms[static_cast<std::size_t>(j)], stream);
    s.col(j).array() -= s.col(j).mean();
    s.col(j) /= std::sqrt(s.col(j).squaredNorm() / static_cast<double>(n));
  }
  return s;
}

/// Sums of squared cosines by the definition: canonical correlations of the square form, from full
/// Gram matrices.
Vector<double> correlations(const Vector<double>& x, const Vector<double>& y, double sigma,
                            double c) {
  const Index n = x.size();
  const auto basis = [&](const Vector<double>& v) -> Matrix<double> {
    Matrix<double> k = gram(Gaussian{sigma}, v);
    k.rowwise() -= k.colwise().mean().eval();
    k.colwise() -= k.rowwise().mean().eval();
    const EigenSystem<double> system = symmetric_eigensystem(k);
    const Vector<double> mu = system.values.cwiseMax(0.0);
    const Vector<double> d = mu.array() / (mu.array() + static_cast<double>(n) * c);
    return system.vectors * d.asDiagonal();
  };
  const Matrix<double> a = basis(x), b = basis(y);
  return singular_system<double>(a.transpose() * b).values;
}

Matrix<double> mixing(Index m, std::uint64_t seed) {
  return normal_matrix<double>(m, m, seed, "mixing");
}

double distance(const Matrix<double>& a, const Matrix<double>& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  return (a - b).cwiseAbs().maxCoeff();
}

const std::vector<Source> pair{Source::Uniform, Source::Laplace};

}  // namespace

TEST_CASE("ica_contrast: five worked pairs", "[models]") {
  const Matrix<double> x{{0.0, 0.0}, {1.0, 0.0}, {0.0, 2.0}, {1.5, 1.0}, {2.0, 2.0}};
  const Matrix<double> y{{0.3}, {-0.6}, {1.1}, {0.4}, {1.9}};
  const detail::IcaSettings settings("test", {.sigma = 1, .regularization = 0.05, .tolerance = 0},
                                     5);
  const std::vector<Matrix<double>> bases{Measure::regularized_basis(x, settings),
                                          Measure::regularized_basis(y, settings)};
  CHECK(Measure::of_bases(bases, IcaContrast::Kcca) == Approx(0.550245662928).margin(1e-10));
  CHECK(Measure::of_bases(bases, IcaContrast::Kgv) == Approx(0.380809607503).margin(1e-10));
}

TEST_CASE("ica_contrast: of two columns, from their canonical correlations", "[models]") {
  Matrix<double> s = sources(pair, 200, 1);
  s.col(1) += 0.5 * s.col(0);
  const Vector<double> rho = correlations(s.col(0), s.col(1), 1, 0.02);
  const double kcca = -std::log(1 - rho(0)) / 2;
  const double kgv = -(1 - rho.array().square()).log().sum() / 2;
  const auto contrast = [&](IcaContrast form, double tolerance) {
    return ica_contrast(
        s, {.contrast = form, .sigma = 1, .regularization = 0.02, .tolerance = tolerance});
  };
  CHECK(contrast(IcaContrast::Kcca, 1e-12) == Approx(kcca).margin(1e-8));
  CHECK(contrast(IcaContrast::Kgv, 1e-12) == Approx(kgv).margin(1e-8));
  CHECK(contrast(IcaContrast::Kcca, 2e-4) == Approx(kcca).epsilon(0.01));
  CHECK(contrast(IcaContrast::Kgv, 2e-4) == Approx(kgv).epsilon(0.01));
  // These are the defaults.
  CHECK(ica_contrast(s) == contrast(IcaContrast::Kgv, 2e-4));
}

TEST_CASE("ica_contrast: laws", "[models]") {
  const Matrix<double> s = sources({Source::Uniform, Source::Laplace, Source::Bimodal}, 300, 2);
  Matrix<double> dependent = s;
  dependent.col(2) += 0.7 * s.col(0).cwiseAbs2();
  for (const IcaContrast form : {IcaContrast::Kgv, IcaContrast::Kcca}) {
    const IcaContrastParams params{.contrast = form};
    const double value = ica_contrast(dependent, params);
    CHECK(ica_contrast(s, params) >= 0);
    CHECK(value > 1.5 * ica_contrast(s, params));
    const Matrix<double> turned = dependent.rowwise().reverse(), negated = -dependent;
    CHECK(ica_contrast(turned, params) == Approx(value).epsilon(1e-9));
    CHECK(ica_contrast(negated, params) == Approx(value).epsilon(1e-9));
    CHECK(ica_contrast(dependent.cast<float>(), params) == Approx(value).epsilon(1e-4));
    // A copy is as dependent as can be; a constant depends on nothing.
    Matrix<double> copy(300, 2);
    copy << s.col(0), s.col(0);
    CHECK(ica_contrast(copy, params) > value);
    copy.col(1).setConstant(0.3);
    CHECK(ica_contrast(copy, params) <= 1e-12);
    // A ridge far above the variance hides any dependence.
    const double hidden = ica_contrast(dependent, {.contrast = form, .regularization = 1e3});
    CHECK(hidden >= 0);
    CHECK(hidden < 1e-3);
    // A tolerance that leaves no column of the factors.
    CHECK(ica_contrast(dependent, {.contrast = form, .tolerance = 1.0}) == 0);
  }
}

TEST_CASE("kernel_ica: sources of several laws are found", "[models]") {
#if defined(NDEBUG)
  constexpr Index n = 1000;
  constexpr std::uint64_t runs = 3;
  constexpr double bound = 0.05;
#else
  constexpr Index n = 300;  // and so errors twice as large
  constexpr std::uint64_t runs = 1;
  constexpr double bound = 0.1;
#endif
  const auto error = [](const std::vector<Source>& forms, Index count, IcaContrast contrast) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const Matrix<double> a = mixing(static_cast<Index>(forms.size()), seed);
      const Matrix<double> x = sources(forms, count, seed) * a.transpose();
      const auto model = KernelIca{{.contrast = contrast}}.fit(x);
      CHECK(model.report().status == Status::Converged);
      sum += amari_error(model.unmixing(), a);
    }
    return sum / static_cast<double>(runs);
  };
  for (const auto& forms : {pair,
                            {Source::Exponential, Source::Uniform},
                            {Source::Uniform, Source::Laplace, Source::Bimodal}}) {
    CHECK(error(forms, n, IcaContrast::Kgv) <= bound);
    CHECK(error(forms, n, IcaContrast::Kcca) <= 0.15);
  }
  CHECK(error({Source::Normal, Source::Uniform}, n / 2, IcaContrast::Kgv) <= 0.15);
  CHECK(error({Source::Normal, Source::Uniform}, n / 2, IcaContrast::Kcca) <= 0.15);
}

TEST_CASE("kernel_ica: sources, mixing and order", "[models]") {
  const Matrix<double> a{{2.0, 1.0}, {1.5, 0.3}};
  Matrix<double> x = sources(pair, 300, 4) * a.transpose();
  x.rowwise() += Eigen::RowVector2d(5, -3);
  const auto model = KernelIca{}.fit(x);
  const Matrix<double> s = model.transform(x);
  CHECK(distance(s.transpose() * s / 300, Matrix<double>::Identity(2, 2)) <= 1e-12);
  CHECK(s.colwise().mean().cwiseAbs().maxCoeff() <= 1e-12);
  CHECK(distance(model.unmixing() * model.mixing(), Matrix<double>::Identity(2, 2)) <= 1e-12);
  CHECK(distance(model.inverse_transform(s), x) <= 1e-11);
  CHECK(model.contrast() == Approx(ica_contrast(s)).epsilon(1e-9));
  // The first source has the larger share of the variables, and both have positive effects: so
  // order and signs are those that the samples were made with.
  CHECK(distance(model.unmixing() * a, Matrix<double>::Identity(2, 2)) <= 0.2);
  CHECK(distance(model.mean(), Vector<double>{{5, -3}}) <= 1e-12);
  // With the signs of one source and one variable turned, those of the largest effects are kept.
  Matrix<double> turned = x;
  turned.col(0) *= -1;
  const auto mirrored = KernelIca{}.fit(turned);
  CHECK(mirrored.mixing()(0, 0) * mirrored.mixing()(1, 0) < 0);
  CHECK(mirrored.mixing()(1, 0) > 0);

  const IcaReport& report = model.report();
  CHECK(report.samples == 300);
  CHECK(report.dimension == 2);
  CHECK(report.sigma == 1);
  CHECK(report.regularization == 0.02);
  CHECK(report.tolerance == Approx(2e-4));
  CHECK(report.sweeps == 1);
  CHECK(report.evaluations > 12);
  CHECK(report.evaluations < 40);
}

TEST_CASE("kernel_ica: another mixing gives the same sources", "[models]") {
  const Matrix<double> x = sources(pair, 300, 5);
  const auto model = KernelIca{}.fit(x);

  SECTION("up to the tolerance of the angle") {
    const Matrix<double> a = mixing(2, 6);
    const auto other = KernelIca{}.fit(x * a.transpose());
    CHECK(amari_error(other.unmixing() * a, model.mixing()) <= 2e-3);
    CHECK(other.contrast() == Approx(model.contrast()).epsilon(1e-3));
  }
  SECTION("up to rounding, if only units change") {
    const Vector<double> units{{1e-6, -3e4}};
    const auto other = KernelIca{}.fit(x * units.asDiagonal());
    CHECK(amari_error(other.unmixing() * units.asDiagonal(), model.mixing()) <= 1e-2);
    const auto positive = KernelIca{}.fit(x * units.cwiseAbs().asDiagonal());
    CHECK(distance(positive.transform(x * units.cwiseAbs().asDiagonal()), model.transform(x)) <=
          1e-8);
  }
  SECTION("for any number of threads, to the last bit") {
    const int before = thread_count();
    set_thread_count(1);
    const auto one = KernelIca{}.fit(x);
    set_thread_count(3);
    const auto several = KernelIca{}.fit(x);
    set_thread_count(before);
    CHECK((one.unmixing().array() == several.unmixing().array()).all());
  }
  SECTION("in float") {
    const auto single = KernelIca{}.fit(x.cast<float>());
    CHECK(distance(single.unmixing().cast<double>(), model.unmixing()) <= 5e-3);
  }
}

TEST_CASE("kernel_ica: a run that is cut short", "[models]") {
  const Matrix<double> x = sources({Source::Uniform, Source::Laplace, Source::Bimodal}, 200, 1) *
                           mixing(3, 2).transpose();
  const auto one = KernelIca{{.sweeps = 1}}.fit(x);
  CHECK(one.report().status == Status::NotConverged);
  CHECK(one.report().sweeps == 1);
  CHECK(one.report().last_angle > 5e-3);
  int calls = 0;
  const auto cancelled = KernelIca{}.fit(x, [&](const Progress&) { return ++calls < 3; });
  CHECK(cancelled.report().status == Status::Cancelled);
  CHECK(calls == 3);
  CHECK(distance(cancelled.unmixing() * cancelled.mixing(), Matrix<double>::Identity(3, 3)) <=
        1e-10);
}

TEST_CASE("kernel_ica: bad input", "[models]") {
  const auto fitted = [](const Matrix<double>& x, const KernelIcaParams& params = {}) {
    return test::error_of([&] { return KernelIca{params}.fit(x); });
  };
  const Matrix<double> x = test::uniform_samples<double>(20, 3, 1);
  CHECK_THAT(fitted(x.leftCols(1)), ContainsSubstring("got 20 x 1"));
  CHECK_THAT(fitted(x.topRows(3)), ContainsSubstring("got 3 x 3"));
  Matrix<double> broken = x;
  broken(4, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(fitted(broken), ContainsSubstring("row 4, column 1"));
  broken.col(1).setConstant(0.1);
  CHECK_THAT(fitted(broken), ContainsSubstring("variable 1 is constant"));
  broken.col(1) = x.col(0) - 2 * x.col(2);
  CHECK_THAT(fitted(broken), ContainsSubstring("linear combination"));
  CHECK_THAT(fitted(x, {.sigma = 0}), ContainsSubstring("sigma"));
  CHECK_THAT(fitted(x, {.regularization = -1}), ContainsSubstring("regularization"));
  CHECK_THAT(fitted(x, {.tolerance = -1}), ContainsSubstring("tolerance"));
  CHECK_THAT(fitted(x, {.angles = 1}), ContainsSubstring("angles"));
  CHECK_THAT(fitted(x, {.angle_tolerance = 0}), ContainsSubstring("angle_tolerance"));
  CHECK_THAT(fitted(x, {.sweeps = 0}), ContainsSubstring("sweeps"));
  CHECK_THAT(fitted(x, {.sweep_tolerance = 0}), ContainsSubstring("sweep_tolerance"));

  CHECK_THAT(test::error_of([&] { return ica_contrast(x.leftCols(1)); }),
             ContainsSubstring("got 20 x 1"));
  broken(4, 1) = std::numeric_limits<double>::infinity();
  CHECK_THAT(test::error_of([&] { return ica_contrast(broken); }),
             ContainsSubstring("row 4, column 1"));
  const auto model = KernelIca{}.fit(x);
  CHECK_THAT(test::error_of([&] { return model.transform(x.leftCols(2)); }),
             ContainsSubstring("must be 20 x 3, got 20 x 2"));
}

TEST_CASE("kernel_ica: variables of any scale", "[models]") {
  const Matrix<double> x = sources(pair, 200, 5);
  const Matrix<double> expected = KernelIca{}.fit(x).transform(x);
  for (const double scale : {1e-170, 1e160}) {
    const Matrix<double> scaled = scale * x;
    CHECK(distance(KernelIca{}.fit(scaled).transform(scaled), expected) <= 1e-8);
  }
}

}  // namespace kernel_ica_test
