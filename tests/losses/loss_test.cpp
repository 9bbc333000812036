// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// What holds for each of the seven losses, and their values on three rows.

#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/loss.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/losses/square.hpp>

#include <cmath>
#include <limits>

#include <Eigen/QR>

#include <tests/support/catch.hpp>
#include <tests/support/losses.hpp>
#include <tests/support/samples.hpp>

namespace loss_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::error_of;
using test::uniform_samples;

namespace {

/// The rows that the worked values are of.
template <Real S = double>
Matrix<S> three_rows() {
  Matrix<S> y(3, 2);
  y << S(3), S(-4), S(.3), S(.2), S(-1), S(.5);
  return y;
}

template <class L>
void check_worked_values(const L& loss, const std::vector<double>& prox, double value) {
  const Eigen::Map<const RowMajorMatrix<double>> expected(prox.data(), 3, 2);
  CHECK((loss.prox_conjugate(three_rows()) - expected).cwiseAbs().maxCoeff() <= 5e-13);
  CHECK(loss.value(three_rows()) == Approx(value).epsilon(0).margin(5e-13));
  // Single precision: rounding of inputs up to 4 and of some operations on them.
  constexpr double single = 2e-6;
  CHECK((loss.prox_conjugate(three_rows<float>()).template cast<double>() - expected)
            .cwiseAbs()
            .maxCoeff() <= single);
  CHECK(loss.value(three_rows<float>()) == Approx(value).epsilon(single));
}

}  // namespace

TEST_CASE("losses: values and proximal points of three rows", "[losses]") {
  check_worked_values(SquareLoss{}, {3, -4, .3, .2, -1, .5}, 13.19);
  check_worked_values(Huber<L1>{1}, {1, -1, .3, .2, -1, .5}, 6.69);
  check_worked_values(Huber<L2>{1}, {.6, -.8, .3, .2, -.894427191000, .447213595500},
                      5.183033988750);
  // Of the rows with |y|_1 = 7 and 1.5, all entries shrink by 3 and by 0.25.
  check_worked_values(Huber<LInf>{1}, {0, -1, .3, .2, -.75, .25}, 4.1275);
  check_worked_values(EpsilonInsensitive<LInf>{.4}, {2.6, -3.6, 0, 0, -.6, .1}, 10.045);
  check_worked_values(EpsilonInsensitive<L2>{.5}, {2.7, -3.6, 0, 0, -.552786404500, .276393202250},
                      10.315983005625);
  check_worked_values(EpsilonInsensitive<L1>{.6}, {3, -3.4, 0, 0, -.45, .45}, 10.4825);
}

TEST_CASE("losses: conjugates of three rows", "[losses]") {
  const Matrix<double> h = three_rows();
  CHECK(SquareLoss{}.conjugate(h) == 0);
  CHECK(Huber<L2>{5}.conjugate(h) == 0);
  CHECK(std::isinf(Huber<L2>{4.99}.conjugate(h)));
  CHECK(Huber<L1>{4}.conjugate(h) == 0);
  CHECK(std::isinf(Huber<L1>{3.99}.conjugate(h)));
  CHECK(Huber<LInf>{7}.conjugate(h) == 0);
  CHECK(std::isinf(Huber<LInf>{6.99}.conjugate(h)));
  CHECK(EpsilonInsensitive<LInf>{.4}.conjugate(h) == Approx(.4 * 9));
  CHECK(EpsilonInsensitive<L2>{.4}.conjugate(h) ==
        Approx(.4 * (5 + std::sqrt(.13) + std::sqrt(1.25))));
  CHECK(EpsilonInsensitive<L1>{.4}.conjugate(h) == Approx(.4 * 5.3));
}

SCALAR_TEST_CASE("losses: the proximal point is the best one", "[losses][law]") {
  using S = TestType;
  const Matrix<S> y = uniform_samples<S>(6, 3, 1, -1.5, 1.5);
  // Of objectives of size 10, computed in double from points in S.
  const double rounding = 100 * double{std::numeric_limits<S>::epsilon()};
  test::for_each_loss([&](const auto& loss) {
    CAPTURE(loss.describe());
    const auto objective = [&](const Matrix<S>& h) {
      return (h - y).template cast<double>().squaredNorm() / 2 + loss.conjugate(h);
    };
    const Matrix<S> best = loss.prox_conjugate(y);
    const double least = objective(best);
    REQUIRE(std::isfinite(least));
    CHECK((best - y).norm() > 0.1);  // else nothing was asked of the prox
    double worst = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      const double size = std::pow(10, -4 * uniform_samples<double>(1, 1, seed, 0, 1)(0));
      const Matrix<S> other = best + static_cast<S>(size) * uniform_samples<S>(6, 3, seed + 1000);
      // Any point, and one where the conjugate is finite.
      for (const Matrix<S>& h : {other, loss.prox_conjugate(other)})
        worst = (std::min)(worst, objective(h) - least);
    }
    CHECK(worst >= -rounding);
  });
}

SCALAR_TEST_CASE("losses: the proximal point of rows of any size is inside", "[losses][law]") {
  using S = TestType;
  const auto check = [](const auto& loss, const Matrix<S>& y) {
    CAPTURE(loss.describe(), y);
    const Matrix<S> h = loss.prox_conjugate(y);
    CHECK(loss.conjugate(h) == 0);
    return h;
  };
  // Far outside, the largest entry takes all of the radius.
  const S huge = sizeof(S) == 4 ? S(3e19) : S(1e17);
  CHECK(check(Huber<LInf>{1}, Matrix<S>{{huge, 0}}) == Matrix<S>{{1, 0}});
  CHECK(check(Huber<LInf>{1}, Matrix<S>{{0, -huge, 1}}) == Matrix<S>{{0, -1, 0}});
  CHECK(check(Huber<LInf>{1}, Matrix<S>{{huge, -huge}}) == Matrix<S>{{S(.5), S(-.5)}});
  CHECK(check(Huber<L2>{1}, Matrix<S>{{huge, 0}}) == Matrix<S>{{1, 0}});
  check(Huber<LInf>{.1}, Matrix<S>{{S(1000.3), 0}});
  // Rows that are near and far, with gaps between their entries that are large and small.
  const Matrix<S> y = uniform_samples<S>(20, 300, 4);
  for (const double kappa : {1e-3, 0.1, 1.0, 100.0})
    for (const double offset : {0.0, 1.0, 1e6})
      for (const double gap : {1.0, 1e-3}) {
        const Matrix<S> rows = static_cast<S>(gap) * y.array() + static_cast<S>(offset);
        check(Huber<L1>{kappa}, rows);
        check(Huber<L2>{kappa}, rows);
        check(Huber<LInf>{kappa}, rows);
      }
  // Norms and squares that leave the range of the scalar.
  constexpr S most = std::numeric_limits<S>::max(), least = std::numeric_limits<S>::min();
  const Matrix<S> diagonal = Matrix<S>::Constant(1, 2, std::sqrt(S(.5)));
  const S rounding = 4 * std::numeric_limits<S>::epsilon();  // of four operations
  const Matrix<S> from_most = check(Huber<L2>{1}, Matrix<S>::Constant(1, 2, most));
  CHECK((from_most - diagonal).cwiseAbs().maxCoeff() <= rounding);
  const Matrix<S> small = check(Huber<L2>{static_cast<double>(least)}, diagonal * (8 * least));
  CHECK((small / least - diagonal).cwiseAbs().maxCoeff() <= rounding);
  CHECK(check(Huber<L2>{static_cast<double>(most)}, Matrix<S>{{most, 0}}) == Matrix<S>{{most, 0}});
  const Vector<double> norms = L2::norms(Matrix<double>{{3e200, 4e200}, {3e-200, 4e-200}});
  CHECK(norms(0) == Approx(5e200).epsilon(1e-14));
  CHECK(norms(1) == Approx(5e-200).epsilon(1e-14));
}

TEST_CASE("losses: the proximal map is the gradient", "[losses][law]") {
  const Matrix<double> y = uniform_samples<double>(6, 3, 1, -1.5, 1.5);
  constexpr double h = 1e-6;
  test::for_each_loss([&](const auto& loss) {
    CAPTURE(loss.describe());
    for (std::uint64_t seed = 2; seed < 7; ++seed) {
      const Matrix<double> z = uniform_samples<double>(6, 3, seed);
      const double slope = (loss.value(y + h * z) - loss.value(y - h * z)) / (2 * h);
      CHECK(std::abs(slope - loss.prox_conjugate(y).cwiseProduct(z).sum()) <= 1e-7);
    }
  });
}

TEST_CASE("losses: value and conjugate are dual to each other", "[losses][law]") {
  const Matrix<double> y = uniform_samples<double>(6, 3, 1, -1.5, 1.5);
  test::for_each_loss([&](const auto& loss) {
    CAPTURE(loss.describe());
    // f(y) + f*(h) >= <y, h>, with equality at the gradient of f; f* = |h|^2 / 2 + Psi*.
    const auto gap = [&](const Matrix<double>& h) {
      return loss.value(y) + h.squaredNorm() / 2 + loss.conjugate(h) - y.cwiseProduct(h).sum();
    };
    CHECK(std::abs(gap(loss.prox_conjugate(y))) <= 1e-13);
    for (std::uint64_t seed = 2; seed < 50; ++seed)
      CHECK(gap(loss.prox_conjugate(uniform_samples<double>(6, 3, seed, -2, 2))) >= -1e-13);
  });
}

TEST_CASE("losses: rotation invariance is as they say", "[losses][law]") {
  const Matrix<double> y = uniform_samples<double>(6, 3, 1, -1.5, 1.5);
  const Matrix<double> q =
      Eigen::HouseholderQR<Matrix<double>>(uniform_samples<double>(3, 3, 2)).householderQ();
  test::for_each_loss([&](const auto& loss) {
    CAPTURE(loss.describe());
    const double change = std::abs(loss.value(y * q) - loss.value(y));
    if (loss.rotation_invariant)
      CHECK(change <= 1e-13);
    else
      CHECK(change >= 1e-3);
  });
}

TEST_CASE("losses: at their limits they are the square loss, or nothing", "[losses]") {
  const Matrix<double> y = three_rows();
  CHECK(Huber<L1>{4}.prox_conjugate(y) == y);
  CHECK(Huber<L2>{5}.prox_conjugate(y) == y);
  CHECK(Huber<LInf>{7}.prox_conjugate(y) == y);
  CHECK(EpsilonInsensitive<L1>{0}.prox_conjugate(y) == y);
  CHECK(EpsilonInsensitive<L2>{0}.prox_conjugate(y) == y);
  CHECK(EpsilonInsensitive<LInf>{0}.prox_conjugate(y) == y);
  CHECK(EpsilonInsensitive<L1>{7}.prox_conjugate(y).isZero(0));
  CHECK(EpsilonInsensitive<L2>{5}.prox_conjugate(y).isZero(0));
  CHECK(EpsilonInsensitive<LInf>{4}.prox_conjugate(y).isZero(0));
}

TEST_CASE("losses: rows of zeros, one column, no rows", "[losses]") {
  test::for_each_loss([&](const auto& loss) {
    CAPTURE(loss.describe());
    const Matrix<double> zeros = Matrix<double>::Zero(3, 2);
    CHECK(loss.value(zeros) == 0);
    CHECK(loss.conjugate(zeros) == 0);
    CHECK(loss.prox_conjugate(zeros).isZero(0));
    const Matrix<double> none(0, 2);
    CHECK(loss.value(none) == 0);
    CHECK(loss.conjugate(none) == 0);
    CHECK(loss.prox_conjugate(none).cols() == 2);
  });
  // On one column all norms are the same.
  const Matrix<double> y = uniform_samples<double>(20, 1, 3, -2, 2);
  const auto same = [&](const Matrix<double>& a, const Matrix<double>& b) {
    CHECK((a - b).cwiseAbs().maxCoeff() <= 1e-15);
  };
  same(Huber<L1>{.5}.prox_conjugate(y), Huber<L2>{.5}.prox_conjugate(y));
  same(Huber<LInf>{.5}.prox_conjugate(y), Huber<L2>{.5}.prox_conjugate(y));
  same(EpsilonInsensitive<L1>{.5}.prox_conjugate(y), EpsilonInsensitive<L2>{.5}.prox_conjugate(y));
  same(EpsilonInsensitive<LInf>{.5}.prox_conjugate(y),
       EpsilonInsensitive<L2>{.5}.prox_conjugate(y));
}

TEST_CASE("losses: parameters are checked, and described", "[losses]") {
  CHECK_THAT(error_of([] { return Huber<L2>{0}; }),
             ContainsSubstring("Huber: kappa") && ContainsSubstring("got 0"));
  CHECK_THAT(error_of([] { return Huber<L1>{-2}; }), ContainsSubstring("-2"));
  CHECK_THAT(error_of([] { return EpsilonInsensitive<L2>{-.5}; }),
             ContainsSubstring("EpsilonInsensitive: epsilon") && ContainsSubstring("-0.5"));
  CHECK_THAT(
      error_of([] { return EpsilonInsensitive<L1>{std::numeric_limits<double>::quiet_NaN()}; }),
      ContainsSubstring("nan"));
  CHECK(Huber<L2>{1.5}.describe() == "huber-l2(kappa=1.5)");
  CHECK(Huber<LInf>{1.5}.describe() == "huber-linf(kappa=1.5)");
  CHECK(Huber<test::GroupNorm>{1}.describe() == "huber-groups(kappa=1)");
  CHECK(EpsilonInsensitive<LInf>{.1}.describe() == "eps-linf(epsilon=0.1)");
  CHECK(SquareLoss{}.describe() == "square");
  CHECK(detail::describe_loss(test::HalfSquare{}) == "user's loss");
}

TEST_CASE("losses: the concept takes ours and a user's, and no other types", "[losses]") {
  STATIC_REQUIRE(check_loss<SquareLoss>());
  STATIC_REQUIRE(check_loss<Huber<L1>>());
  STATIC_REQUIRE(check_loss<Huber<L2>>());
  STATIC_REQUIRE(check_loss<Huber<LInf>>());
  STATIC_REQUIRE(check_loss<Huber<test::GroupNorm>>());
  STATIC_REQUIRE(check_loss<EpsilonInsensitive<L1>>());
  STATIC_REQUIRE(check_loss<EpsilonInsensitive<L2>>());
  STATIC_REQUIRE(check_loss<EpsilonInsensitive<LInf>>());
  STATIC_REQUIRE(Loss<SquareLoss, float>);
  STATIC_REQUIRE(Loss<Huber<L2>, float>);
  STATIC_REQUIRE(Loss<EpsilonInsensitive<L1>, float>);
  STATIC_REQUIRE(check_loss<test::HalfSquare>());
  STATIC_REQUIRE_FALSE(Loss<test::LossWithoutInvariance>);
  STATIC_REQUIRE_FALSE(Loss<test::LossWithoutValue>);
  STATIC_REQUIRE_FALSE(Loss<test::LossWithoutConjugate>);
  STATIC_REQUIRE_FALSE(Loss<test::LossWithoutProx>);
}

TEST_CASE("norms: each is the maximum over the ball of its dual", "[losses][law]") {
  const Matrix<double> y = uniform_samples<double>(40, 3, 1, -2, 2);
  const auto check = [&]<RowNorm N>(N) {
    CAPTURE(N::name);
    // <y, z> over |z| <= 1 in the dual norm: never more, and as much at the limit of projections.
    Matrix<double> best = 1e6 * y;
    N::Dual::project(best, 1);
    CHECK(((y.cwiseProduct(best)).rowwise().sum() - N::norms(y)).cwiseAbs().maxCoeff() <= 1e-8);
    for (std::uint64_t seed = 2; seed < 30; ++seed) {
      Matrix<double> z = uniform_samples<double>(40, 3, seed, -2, 2);
      N::Dual::project(z, 1);
      CHECK(N::Dual::norms(z).maxCoeff() <= 1 + 1e-14);
      CHECK((y.cwiseProduct(z).rowwise().sum() - N::norms(y)).maxCoeff() <= 1e-14);
    }
  };
  check(L1{});
  check(L2{});
  check(LInf{});
  check(test::GroupNorm{});
  STATIC_REQUIRE_FALSE(RowNorm<int>);
  STATIC_REQUIRE_FALSE(RowNorm<test::NormWithoutProjection>);
}

}  // namespace loss_test
