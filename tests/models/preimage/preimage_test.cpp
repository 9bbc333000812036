// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/preimage/preimage.hpp>
#include <mercer/models/preimage/preimage_kwok_tsang.hpp>
#include <tests/models/preimage/preimage_checks.hpp>
#include <tests/support/catch.hpp>

namespace mercer::test::preimage_test {
namespace {

/// The reference values have twelve decimals.
constexpr double reference_tolerance = 1e-10;

using Dense = Matrix<double>;
using Sparse = SparseMatrix<double>;

static_assert(check_preimage_method<FixedPoint, Gaussian>());
static_assert(check_preimage_method<FixedPoint, Linear, Sparse>());
static_assert(check_preimage_method<KwokTsang, Matern, SparseMatrix<float>>());
static_assert(check_preimage_method<KernelRidge<>, Intersection>());
static_assert(check_preimage_method<KernelRidge<Gaussian>, Intersection>());
static_assert(!PreimageMethod<FixedPoint, Intersection, Dense>);
static_assert(!PreimageMethod<FixedPoint, Sigmoid, Dense>);
static_assert(!PreimageMethod<KwokTsang, Polynomial, Dense>);
static_assert(!PreimageMethod<Gaussian, Gaussian, Dense>);
static_assert(std::is_same_v<DefaultPreimage<Gaussian, double>, FixedPoint>);
static_assert(std::is_same_v<DefaultPreimage<Intersection, double>, KernelRidge<>>);

TEST_CASE("expansion: the worked example", "[models][preimage]") {
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(four_points<double>());
  const Dense g = model.expansion(model.transform(two_points<double>()));
  const Dense expected{{.425514629137, .348571831176, .077359638601, .148553901086},
                       {-.081336156744, .196500309487, .310701002126, .574134845131}};
  CHECK(distance(g, expected) <= reference_tolerance);
}

TEST_CASE("expansion: sums to 1, and gives a training sample back from all components",
          "[models][preimage]") {
  const Dense x = uniform_samples<double>(12, 3, 81);
  for (const bool centered : {true, false}) {
    const KernelPcaParams params{.components = 12, .centered = centered};
    const auto model = KernelPca{Gaussian{0.5}, Exact{}, params}.fit(x);
    const Dense g = model.expansion(model.transform(x));
    CHECK(distance(g, Dense::Identity(12, 12)) <= 1e-10);  // 1e4 eps: the condition of the matrix
    if (centered) CHECK(distance(g.rowwise().sum(), Vector<double>::Ones(12)) <= 1e-14);
  }
}

TEST_CASE("preimages: rho is the distance in feature space, whatever the method",
          "[models][preimage]") {
  const Dense x = uniform_samples<double>(40, 3, 82), q = uniform_samples<double>(7, 3, 83);
  for (const bool centered : {true, false}) {
    const KernelPcaParams params{.components = 5, .centered = centered};
    const auto model = KernelPca{Gaussian{1}, Exact{}, params}.fit(x);
    const Dense scores = model.transform(q), g = model.expansion(scores);
    const auto check = [&](const Preimages<double>& found) {
      const Vector<double> rho = rho_by_formula(model, g, found.points);
      for (Index j = 0; j < rho.size(); ++j)
        CHECK(found.details[static_cast<std::size_t>(j)].rho == Approx(rho(j)).margin(1e-13));
    };
    check(model.preimages(scores, FixedPoint{}));
    check(model.preimages(scores, KernelRidge{}));
    check(model.preimages(scores, KwokTsang{}));
  }
}

TEST_CASE("preimages: a method of the user's", "[models][preimage]") {
  struct FirstSample {
    [[nodiscard]] Preimages<double> find(const PreimageProblem<Gaussian, Dense>& problem) const {
      const Index q = problem.coordinates.rows();
      return {problem.samples.row(0).replicate(q, 1),
              std::vector<PreimageDetail>(static_cast<std::size_t>(q), {.converged = true})};
    }
  };
  static_assert(check_preimage_method<FirstSample, Gaussian>());
  const Dense x = four_points<double>();
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 3}}.fit(x);
  const auto found = model.preimages(model.transform(x), FirstSample{});
  CHECK(found.all_converged());
  CHECK(found.points == x.row(0).replicate(4, 1));
  CHECK(found.details[0].rho <= 1e-14);
  CHECK(found.details[1].rho == Approx((2 - 2 * gram(Gaussian{1}, x)(0, 1))));
}

TEST_CASE("preimages: a point outside the kernel's domain is not converged", "[models][preimage]") {
  struct TwoPoints {
    [[nodiscard]] Preimages<double> find(const PreimageProblem<Intersection, Dense>&) const {
      return {Dense{{0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}}, {{.converged = true}, {.converged = true}}};
    }
  };
  const Dense x = uniform_samples<double>(20, 3, 84, 0, 1);
  const auto model = KernelPca{Intersection{}, Exact{}, {.components = 3}}.fit(x);
  const Dense scores = model.training_scores().topRows(2);
  const auto found = model.preimages(scores, TwoPoints{});
  CHECK(found.details[0].converged);
  CHECK(found.details[0].rho ==
        Approx(rho_by_formula(model, model.expansion(scores), Dense::Constant(2, 3, 0.5))(0)));
  CHECK_FALSE(found.details[1].converged);
  CHECK(std::isnan(found.details[1].rho));
}

TEST_CASE("preimages: a model without points has none", "[models][preimage]") {
  const auto x = four_points<double>();
  auto parts = KernelPca{Gaussian{1}, Exact{}, {.components = 1}}.fit(x).parts();
  parts.points = std::make_shared<const Dense>(0, x.cols());
  for (Vector<double>* numbers : {&parts.eigenvalues, &parts.offset, &parts.mean_weights})
    numbers->resize(0);
  parts.coefficients.resize(0, 0);
  parts.training_scores.reset();
  parts.over_landmarks = true;
  parts.report.components = 0;
  const KernelPcaModel<Gaussian, Dense> empty(parts);
  const Dense scores = empty.transform(x);
  CHECK_THROWS_AS(empty.preimages(scores, FixedPoint{}), InvalidArgument);
  CHECK_THROWS_AS(empty.preimages(scores, KwokTsang{}), InvalidArgument);
  CHECK_THROWS_AS(empty.preimages(scores, KernelRidge<>{}), InvalidArgument);
}

TEST_CASE("expansion: eigenvalues near rounding error do no harm", "[models][preimage]") {
  const Dense x = ring<double>();
  const auto model = KernelPca{Gaussian{0.6}, Exact{}, {.components = 200}}.fit(x);
  REQUIRE(model.components() > 100);
  // Scores are inner products with coefficients of up to 1e6.
  CHECK(distance(model.transform(x), model.training_scores()) <= 1e-7);
  // What the components leave out of a unit vector is at most its length.
  CHECK(distance(model.expansion(model.transform(x)), Dense::Identity(200, 200)) <= 1.01);
}

}  // namespace
}  // namespace mercer::test::preimage_test
