// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/dual/dca.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include <Eigen/QR>
#include <Eigen/SVD>

#include <mercer/core/random.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/square.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/losses.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>
#include <tests/support/x4.hpp>

namespace dca_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::error_of;

namespace {

template <class Solution>
DcaDetails details_of(const Solution& solution) {
  return std::get<DcaDetails>(solution.report.details);
}

using detail::DcaRun;
using detail::LossView;

/// Half of the last digit that the worked values are printed with.
constexpr double printed = 5e-13;

template <Real S = double>
PrecomputedGram<S> x4_gram() {
  return PrecomputedGram<S>(gram(Gaussian(1.0), test::x4<S>()));
}

/// The first two columns of the identity.
template <Real S = double>
Matrix<S> unit_start() {
  return Matrix<S>::Identity(4, 2);
}

constexpr Index points = 60;

/// Points in two groups, Gaussian of the median distance, centred.
PrecomputedGram<double> two_groups() {
  Matrix<double> x = normal_matrix<double>(points, 6, 0, "mix");
  x.topRows(points / 2).array() += 1.5;
  return PrecomputedGram<double>(
      Centered{PrecomputedGram<double>(gram(Gaussian(median_distance(x)), x))}.dense());
}

/// Smallest cosine of an angle between the spans.
double least_cosine(const Matrix<double>& a, const Matrix<double>& b) {
  const Matrix<double> products = inner(orthonormalize(a).Q, orthonormalize(b).Q);
  return Eigen::JacobiSVD<Matrix<double>>(products).singularValues().minCoeff();
}

template <class L>
DirectionSolution<double> x4_limit(const L& loss) {
  return Dca{loss, {.tolerance = 1e-13, .max_iterations = 5000}}.solve_from(unit_start(), x4_gram(),
                                                                            {.components = 2});
}

}  // namespace

TEST_CASE("dca: models DirectionSolver", "[solvers]") {
  STATIC_REQUIRE(DirectionSolver<Dca<SquareLoss>>);
  STATIC_REQUIRE(DirectionSolver<Dca<EpsilonInsensitive<LInf>>>);
  STATIC_REQUIRE_FALSE(GramSolver<Dca<SquareLoss>>);
}

TEST_CASE("dca: the objective, its gradient and S^(-1/2) on four points", "[solvers]") {
  const auto op = x4_gram();
  const OperatorView<double> view(op);
  const SquareLoss loss;
  DcaRun<double> run(view, LossView<double>(loss), 0, unit_start());
  REQUIRE(run.evaluate());
  CHECK(run.objective() == Approx(-0.894761250195).margin(printed).epsilon(0));
  CHECK(run.root().trace == Approx(1.894761250195).margin(printed).epsilon(0));
  Matrix<double> root(2, 2), y(4, 2);
  root << 1.191583665100, -.402622746422, -.402622746422, 1.191583665100;
  y << .947380625098, .320109280074, .320109280074, .947380625098, .128214025230, .043322080086,
      .019128309237, .558527655308;
  CHECK((run.root().matrix - root).cwiseAbs().maxCoeff() <= printed);
  CHECK((run.y() - y).cwiseAbs().maxCoeff() <= printed);

  const Huber<L2> huber(.8);
  DcaRun<double> robust(view, LossView<double>(huber), 0, unit_start());
  REQUIRE(robust.evaluate());
  CHECK(std::isinf(robust.objective()));  // rows of norm 1 are outside of the ball
  REQUIRE(robust.step(0));
  REQUIRE(robust.evaluate());
  y << .757904500078, .256087424059, .256087424059, .757904500078, .128214025230, .043322080086,
      .019128309237, .558527655308;
  CHECK((robust.h() - y).cwiseAbs().maxCoeff() <= printed);
  CHECK(robust.objective() == Approx(-1.250729489598).margin(printed).epsilon(0));
}

TEST_CASE("dca: limits on four points", "[solvers]") {
  // At the limit p is exact to its last digits, H to their root only.
  const auto expect = [](const DirectionSolution<double>& s, double objective) {
    CHECK(s.report.status == Status::Converged);
    CHECK(details_of(s).dual_objective == Approx(objective).margin(printed).epsilon(0));
    CHECK(details_of(s).duality_gap <= 1e-12);
    CHECK((s.scores - x4_gram().dense() * s.coefficients).norm() <= 1e-14);
  };
  const auto square = x4_limit(SquareLoss{});
  expect(square, -1.471271795818);
  CHECK(square.eigenvalues(0) == Approx(1.967372617910).margin(printed).epsilon(0));
  CHECK(square.eigenvalues(1) == Approx(.975170973726).margin(printed).epsilon(0));
  Matrix<double> columns(4, 2);
  columns << .380736656418, -.265922202695, .452911531041, -.251697641312, .165332842711,
      .928596003967, .361756707260, .170599953235;
  for (Index j = 0; j < 2; ++j)  // up to sign
    CHECK(
        (square.coefficients.col(j).cwiseAbs() - columns.col(j).cwiseAbs()).cwiseAbs().maxCoeff() <=
        1e-10);

  const auto huber = x4_limit(Huber<L2>{.8});
  expect(huber, -1.455740435783);
  Matrix<double> h(4, 2);
  h << .075980618459, .796383667348, .226725883197, .767199696225, .786565239892, -.145996997891,
      .620735202035, .474026115414;
  CHECK((huber.dual - h).cwiseAbs().maxCoeff() <= 1e-10);

  const auto rows = x4_limit(EpsilonInsensitive<L2>{.3});
  expect(rows, -.637520795799);
  CHECK(rows.dual.row(2).isZero(0));
  CHECK(rows.coefficients.row(2).isZero(0));
  CHECK(details_of(rows).zero_rows == .25);

  const auto entries = x4_limit(EpsilonInsensitive<LInf>{.2});
  expect(entries, -.789511916789);
  h << .757529180723, 0, .523614506204, .355325810269, 0, 0, 0, .777653387686;
  CHECK((entries.dual - h).cwiseAbs().maxCoeff() <= 1e-10);
  CHECK(details_of(entries).zero_entries == .5);
  CHECK(details_of(entries).zero_rows == .25);
}

TEST_CASE("dca: identities of the dual", "[solvers][law]") {
  const auto op = two_groups();
  const OperatorView<double> view(op);
  const Matrix<double> g = op.dense();
  const SquareLoss loss;
  const auto at = [&](const Matrix<double>& h) {
    DcaRun<double> run(view, LossView<double>(loss), 0, h);
    REQUIRE(run.evaluate());
    return run;
  };
  const Matrix<double> h = normal_matrix<double>(points, 5, 1, "h");
  const DcaRun<double> run = at(h);
  const Matrix<double> z = normal_matrix<double>(points, 5, 2, "z");
  constexpr double step = 1e-6;
  const auto trace = [&](double t) {
    const DcaRun<double> there = at(h + t * z);
    return there.root().trace * there.unit() * there.unit();
  };
  const double slope = (trace(step) - trace(-step)) / (2 * step);
  CHECK(slope == Approx(run.y().cwiseProduct(z).sum()).epsilon(1e-7));
  const Matrix<double> a = h * run.root().matrix / run.unit() / run.unit();
  CHECK((a.transpose() * g * a - Matrix<double>::Identity(5, 5)).cwiseAbs().maxCoeff() <= 1e-12);
  const double primal = (g * a).squaredNorm() / 2, half_gradient = (h - run.y()).squaredNorm() / 2;
  CHECK(primal + run.objective() == Approx(half_gradient).epsilon(1e-11));
  CHECK(run.gap() == Approx(half_gradient).epsilon(1e-11));

  // All solutions: H = U diag(mu)^(1/2) R.
  const auto exact = Exact{}.solve(op, {.components = 5});
  const Matrix<double> r =
      Eigen::HouseholderQR<Matrix<double>>(normal_matrix<double>(5, 5, 3, "r")).householderQ();
  const Matrix<double> solution =
      exact.eigenvectors * exact.eigenvalues.cwiseSqrt().asDiagonal() * r;
  const DcaRun<double> solved = at(solution);
  CHECK(solved.objective() == Approx(-exact.eigenvalues.sum() / 2).epsilon(1e-12));
  CHECK((solution - solved.y()).norm() <= 1e-12 * solution.norm());
}

TEST_CASE("dca: a dual variable of less than full rank", "[solvers]") {
  const auto op = two_groups();
  Matrix<double> h = normal_matrix<double>(points, 4, 1, "h");
  h.col(3) = h.col(0) - 2 * h.col(1);
  const OperatorView<double> view(op);
  const SquareLoss loss;
  DcaRun<double> run(view, LossView<double>(loss), 0, h);
  REQUIRE(run.evaluate());
  CHECK(run.root().rank == 3);
  const Matrix<double> factor = h * run.root().factor() / run.unit() / run.unit();
  CHECK((factor.transpose() * op.dense() * factor - Matrix<double>::Identity(3, 3)).norm() <=
        1e-12);
  const auto s = Dca{SquareLoss{}}.solve_from(h, op, {.components = 4});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 3);
  CHECK(s.report.zero_eigenvalues == 1);
}

TEST_CASE("dca: descends by the square of its steps, to a gap of zero", "[solvers][law]") {
  const auto op = two_groups();
  const OperatorView<double> view(op);
  const auto check = [&](const auto& loss) {
    CAPTURE(detail::describe_loss(loss));
    DcaRun<double> run(view, LossView<double>(loss), 0, normal_matrix<double>(points, 5, 1, "h"));
    REQUIRE(run.evaluate());
    REQUIRE(run.step(0));
    REQUIRE(run.evaluate());
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
      const Matrix<double> before = run.h();
      const double objective = run.objective();
      if (!run.step(0)) break;
      REQUIRE(run.evaluate());
      const double fall = objective - run.objective() - (run.h() - before).squaredNorm() / 2;
      worst = (std::max)(worst, -fall / std::abs(objective));
    }
    CHECK(worst <= 1e-11);
    CHECK(run.gap() >= -1e-12 * std::abs(run.objective()));
    CHECK(run.gap() <= 1e-4 * std::abs(run.objective()));
    const double early = run.gap();
    for (int i = 0; i < 200 && run.step(0); ++i) REQUIRE(run.evaluate());
    CHECK(run.gap() <= (std::max)(early / 2, 1e-12));
  };
  check(SquareLoss{});
  check(Huber<L1>{.1});
  check(Huber<L2>{.2});
  check(Huber<LInf>{.2});
  check(EpsilonInsensitive<LInf>{.05});
  check(EpsilonInsensitive<L2>{.1});
  check(EpsilonInsensitive<L1>{.1});
  check(test::HalfSquare{});
}

TEST_CASE("dca: with the square loss it is simultaneous iteration", "[solvers]") {
  const auto op = two_groups();
  const OperatorView<double> view(op);
  const SquareLoss loss;
  const Matrix<double> start = normal_matrix<double>(points, 4, 1, "h");
  DcaRun<double> run(view, LossView<double>(loss), 0, start);
  Matrix<double> block = start;
  for (int i = 0; i < 20; ++i) {
    REQUIRE(run.evaluate());
    REQUIRE(run.step(0));
    block = orthonormalize(op.dense() * block).Q;
    CHECK(least_cosine(run.h(), block) >= 1 - 1e-12);
  }
}

TEST_CASE("dca: a loss that bends nothing leaves kernel PCA", "[solvers]") {
  const auto op = two_groups();
  const auto exact = Exact{}.solve(op, {.components = 3});
  const double kappa = 1.0001 * kappa_max(exact);
  const Matrix<double> h = exact.eigenvectors * exact.eigenvalues.cwiseSqrt().asDiagonal();
  const auto check = [&](const auto& loss) {
    const auto s = Dca{loss}.solve_from(h, op, {.components = 3});
    CHECK(s.report.status == Status::Converged);
    CHECK((s.dual - h).cwiseAbs().maxCoeff() <= 1e-9);
    CHECK((s.eigenvalues - exact.eigenvalues).cwiseAbs().maxCoeff() <= 1e-9);
  };
  check(Huber<L2>{kappa});
  check(Huber<L1>{kappa});
  check(Huber<LInf>{1.0001 * kappa_max<LInf>(exact)});
  CHECK(kappa_max<LInf>(exact) == Approx(std::sqrt(3) * kappa_max(exact)));
  check(EpsilonInsensitive<L2>{0});
  // Below it, it does not.
  const auto bent = Dca{Huber<L2>{.9 * kappa_max(exact)}}.solve_from(h, op, {.components = 3});
  CHECK((bent.dual - h).cwiseAbs().maxCoeff() >= 1e-3);
}

TEST_CASE("dca: where all rows vanish there is a status and a reason, and no NaN", "[solvers]") {
  const auto op = two_groups();
  const auto check = [&](const auto& loss) {
    const auto s = Dca{loss}.solve(op, {.components = 3});
    CHECK(s.report.status == Status::NotConverged);
    CHECK_THAT(s.report.reason, ContainsSubstring("all rows") && ContainsSubstring("epsilon"));
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.coefficients.rows() == points);
    CHECK(s.coefficients.cols() == 0);
    CHECK(s.dual.isZero(0));
    CHECK(details_of(s).zero_rows == 1);
    CHECK(details_of(s).dual_objective == 0);
    CHECK(details_of(s).duality_gap == 0);
  };
  check(EpsilonInsensitive<L2>{epsilon_max<L2>(op, 3)});
  check(EpsilonInsensitive<LInf>{epsilon_max<LInf>(op, 3)});
  check(EpsilonInsensitive<L1>{epsilon_max<L1>(op, 3)});
  CHECK(epsilon_max<L1>(op, 4) == Approx(2 * std::sqrt(op.diagonal().maxCoeff())));
}

TEST_CASE("dca: directions are orthonormal and scores theirs, in float and double", "[solvers]") {
  const auto check = [](const auto& op, const auto& loss, double rounding) {
    using S = typename std::decay_t<decltype(op)>::Scalar;
    CAPTURE(loss.describe(), sizeof(S));
    const auto s = Dca{loss, {.tolerance = 1e-5}}.solve(op, {.components = 3});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 3);
    const Matrix<S> g = op.dense();
    CHECK(static_cast<double>(
              (s.coefficients.transpose() * g * s.coefficients - Matrix<S>::Identity(3, 3))
                  .cwiseAbs()
                  .maxCoeff()) <= rounding);
    CHECK(static_cast<double>((g * s.coefficients - s.scores).cwiseAbs().maxCoeff()) <= rounding);
    CHECK(static_cast<double>(
              (s.scores.colwise().squaredNorm().transpose() - s.eigenvalues).norm()) <= rounding);
    CHECK(s.eigenvalues(0) >= s.eigenvalues(1));
    CHECK(s.eigenvalues(1) >= s.eigenvalues(2));
    if (loss.rotation_invariant) {
      const S mixed = s.scores.col(0).dot(s.scores.col(1));
      CHECK(std::abs(static_cast<double>(mixed)) <= 10 * rounding);
    }
  };
  const auto op = two_groups();
  const PrecomputedGram<float> single(op.dense().cast<float>());
  test::for_each_loss([&](const auto& loss) {
    // In units of the scores of this problem, which are about half as large.
    check(op, loss, 1e-12);
    check(single, loss, 2e-4);
  });
}

// S has the square of the unit of G, and G that of the samples.
TEST_CASE("dca: the unit of the samples does not matter", "[solvers][law]") {
  const Matrix<double> g = two_groups().dense();
  const auto check = [&](double unit, const auto& plain_loss, const auto& loss) {
    CAPTURE(loss.describe());
    const PrecomputedGram<double> op(g), other(unit * unit * g);
    const Matrix<double> start = normal_matrix<double>(points, 3, 1, "h");
    const auto plain = Dca{plain_loss}.solve_from(start, op, {.components = 3});
    REQUIRE(plain.report.status == Status::Converged);
    const auto s = Dca{loss}.solve_from(unit * start, other, {.components = 3});
    REQUIRE(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 3);
    CHECK(s.report.iterations == plain.report.iterations);
    CHECK(s.dual == unit * plain.dual);
    CHECK(s.scores == unit * plain.scores);
    CHECK(s.coefficients == plain.coefficients / unit);
    CHECK(details_of(s).dual_objective == unit * unit * details_of(plain).dual_objective);
    CHECK(details_of(s).duality_gap == details_of(plain).duality_gap);
    // Random starts have no unit.
    const DcaParams params{.starts = 2};
    const auto random = Dca{plain_loss, params}.solve(op, {.components = 3}),
               r = Dca{loss, params}.solve(other, {.components = 3});
    REQUIRE(r.report.status == Status::Converged);
    REQUIRE(r.eigenvalues.size() == 3);
    CHECK((r.eigenvalues / unit / unit - random.eigenvalues).norm() <=
          1e-6 * random.eigenvalues.norm());
    CHECK(details_of(r).dual_objective / unit / unit ==
          Approx(details_of(random).dual_objective).epsilon(1e-12));
  };
  for (const int exponent : {-282, -1, 3, 266}) {
    const double unit = std::ldexp(1.0, exponent);
    check(unit, SquareLoss{}, SquareLoss{});
    check(unit, Huber<L1>{.2}, Huber<L1>{.2 * unit});
    check(unit, Huber<L2>{.2}, Huber<L2>{.2 * unit});
    check(unit, EpsilonInsensitive<LInf>{.1}, EpsilonInsensitive<LInf>{.1 * unit});
  }
}

TEST_CASE("dca: directions turned to principal axes on request", "[solvers]") {
  const auto op = two_groups();
  const Huber<L1> loss(.2);
  const auto plain = Dca{loss}.solve(op, {.components = 3});
  const auto turned = Dca{loss, {.rotate = true}}.solve(op, {.components = 3});
  CHECK(plain.dual == turned.dual);
  CHECK(turned.eigenvalues.sum() == Approx(plain.eigenvalues.sum()));
  const Matrix<double> mixed = turned.scores.transpose() * turned.scores;
  CHECK((mixed - Matrix<double>(mixed.diagonal().asDiagonal())).norm() <= 1e-11);
  const Matrix<double> before = plain.scores.transpose() * plain.scores;
  CHECK((before - Matrix<double>(before.diagonal().asDiagonal())).norm() >= 1e-3);
}

TEST_CASE("dca: the best of several starts is kept", "[solvers]") {
  const auto op = two_groups();
  const auto solve = [&](Index starts, std::uint64_t seed) {
    return Dca{EpsilonInsensitive<LInf>{.1}, {.starts = starts, .seed = seed}}.solve(
        op, {.components = 3});
  };
  int better = 0, kept = 0;
  for (std::uint64_t seed = 5; seed < 8; ++seed) {
    auto before = solve(1, seed);
    for (Index starts = 2; starts <= 4; ++starts) {
      const auto after = solve(starts, seed);
      const double old = details_of(before).dual_objective;
      const double found = details_of(after).dual_objective;
      CHECK(found <= old);
      CHECK(after.report.iterations > before.report.iterations);
      ++(found < old ? better : kept);
      if (found == old) CHECK(after.scores == before.scores);
      before = after;
    }
  }
  CHECK(better > 0);  // else nothing was chosen
  CHECK(kept > 0);
}

TEST_CASE("dca: a path starts each loss from the one before", "[solvers]") {
  const auto op = two_groups();
  std::vector<EpsilonInsensitive<L2>> losses;
  for (const double epsilon : {.1, .12, .14, 5.0, .14}) losses.emplace_back(epsilon);
  const auto path = dca_path(op, losses, {}, {.components = 3});
  REQUIRE(path.size() == 5);
  for (std::size_t i : {0U, 1U, 2U, 4U}) {
    CHECK(path[i].report.status == Status::Converged);
    const auto cold = Dca{losses[i]}.solve(op, {.components = 3});
    CHECK(details_of(path[i]).dual_objective ==
          Approx(details_of(cold).dual_objective).epsilon(1e-8));
    if (i == 1 || i == 2) CHECK(path[i].report.iterations < cold.report.iterations);
  }
  CHECK(details_of(path[1]).zero_rows <= details_of(path[2]).zero_rows);
  CHECK(path[3].eigenvalues.size() == 0);  // all rows vanish, and the next one starts anew

  Index calls = 0;
  const auto cut =
      dca_path(op, losses, {}, {.components = 3}, [&](const Progress&) { return calls++ < 5; });
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].report.status == Status::Cancelled);
  CHECK(cut[0].eigenvalues.size() == 3);  // the best so far
  CHECK((cut[0].scores - op.dense() * cut[0].coefficients).norm() <= 1e-12);
}

TEST_CASE("dca: outliers pull plain components, and not robust ones", "[solvers]") {
  // Points along e1 and 2 % of outliers at +-20 e2; medians over five data sets.
  constexpr Index n = 200;
  std::vector<double> plain, robust, robust_entries;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Matrix<double> x = 0.1 * normal_matrix<double>(n, 5, seed, "noise");
    x.col(0) += normal_matrix<double>(n, 1, seed, "line");
    for (Index i = 0; i < 4; ++i) {
      x.row(i).setZero();
      x(i, 1) = i % 2 == 0 ? 20 : -20;
    }
    const PrecomputedGram<double> op(x * x.transpose());
    const auto cosine = [&](const auto& loss) {
      const auto s = Dca{loss, {.starts = 10}}.solve(op, {.components = 1});
      const Vector<double> direction = x.transpose() * s.coefficients.col(0);
      CHECK(direction.norm() == Approx(1));
      return std::abs(direction(0));
    };
    plain.push_back(cosine(SquareLoss{}));
    robust.push_back(cosine(Huber<L2>{1}));
    robust_entries.push_back(cosine(Huber<L1>{1}));
  }
  const auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + 2, values.end());
    return values[2];
  };
  CHECK(median(plain) <= .05);
  CHECK(median(robust) >= .8);
  CHECK(median(robust_entries) >= .8);
}

TEST_CASE("dca: indefinite matrices, zero matrices, limits and cancelling", "[solvers]") {
  const Dca solver{Huber<L2>{.2}};
  Vector<double> spectrum = -Vector<double>::Ones(30);
  spectrum.head(2) << .4, .3;
  CHECK_THAT(error_of([&] { return solver.solve(test::operator_with<double>(spectrum), {}); }),
             ContainsSubstring("positive semidefinite"));
  const PrecomputedGram<double> zero(Matrix<double>::Zero(20, 20));
  const auto none = solver.solve(zero, {.components = 2});
  CHECK(none.eigenvalues.size() == 0);
  CHECK(none.scores.rows() == 20);
  // There is nothing to find, and no loss can change that.
  const auto nothing = [](const DirectionSolution<double>& s, Index k) {
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.reason.empty());
    CHECK(s.report.zero_eigenvalues == k);
    CHECK(details_of(s).dual_objective == 0);
    CHECK(details_of(s).zero_rows == 1);
  };
  nothing(none, 2);
  nothing(Dca{SquareLoss{}}.solve(zero, {.components = 3}), 3);
  nothing(Dca{EpsilonInsensitive<L2>{.1}, {.starts = 3}}.solve(zero, {.components = 3}), 3);
  const Matrix<double> one = Matrix<double>::Ones(1, 1);
  nothing(solver.solve(Centered{PrecomputedGram<double>(one)}, {.components = 1}), 1);
  nothing(solver.solve_from(Matrix<double>::Ones(20, 2), zero, {.components = 2}), 2);
  nothing(Dca{EpsilonInsensitive<L2>{.1}}.solve_from(Matrix<double>::Zero(20, 2), zero,
                                                     {.components = 2}),
          2);

  const auto op = two_groups();
  const auto limited = Dca{Huber<L2>{.2}, {.max_iterations = 3}}.solve(op, {.components = 2});
  CHECK(limited.report.status == Status::NotConverged);
  CHECK(limited.eigenvalues.size() == 2);
  const auto cancelled = solver.solve(op, {.components = 2}, [](const Progress&) { return false; });
  CHECK(cancelled.report.status == Status::Cancelled);
  CHECK(cancelled.eigenvalues.size() == 0);
  CHECK(cancelled.report.kernel_products == 0);
}

TEST_CASE("dca: a start in the null space of the matrix is named", "[solvers]") {
  Vector<double> diagonal = Vector<double>::Zero(30);
  diagonal.head(2) << 4, 3;
  const PrecomputedGram<double> op(Matrix<double>(diagonal.asDiagonal()));
  const Matrix<double> identity = Matrix<double>::Identity(30, 30);
  const auto check = [&](const auto& loss) {
    for (const Matrix<double>& start :
         {Matrix<double>(0 * identity.leftCols(2)), Matrix<double>(identity.rightCols(2))}) {
      const auto s = Dca{loss}.solve_from(start, op, {.components = 2});
      CHECK(s.report.status == Status::NotConverged);
      CHECK_THAT(s.report.reason, ContainsSubstring("null space") && !ContainsSubstring("epsilon"));
      CHECK(s.eigenvalues.size() == 0);
      CHECK(s.report.zero_eigenvalues == 0);
    }
  };
  check(SquareLoss{});
  check(Huber<L2>{.5});
  check(EpsilonInsensitive<L2>{.1});
  // With any other start, it is the loss.
  const Matrix<double> some = identity.leftCols(2);
  CHECK_THAT(Dca{EpsilonInsensitive<L2>{9}}.solve_from(some, op, {.components = 2}).report.reason,
             ContainsSubstring("epsilon"));
}

TEST_CASE("dca: what rounding leaves of equal samples is zero for any loss", "[solvers]") {
  const Matrix<double> x =
      Matrix<double>::Ones(50, 3) + 1e-9 * normal_matrix<double>(50, 3, 1, "rounding");
  const Centered op{PrecomputedGram<double>(gram(Linear{}, x))};
  const EigenRequest request{.components = 2, .noise_scale = x.squaredNorm()};
  for (const double epsilon : {1e-3, .1, 10.0}) {
    const auto s = Dca{EpsilonInsensitive<L2>{epsilon}}.solve(op, request);
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.reason == "");
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.report.zero_eigenvalues == 2);
  }
}

TEST_CASE("dca: parameters, requests and starts are checked", "[solvers]") {
  const auto error = [](DcaParams params) {
    return error_of([&] { return Dca(SquareLoss{}, params); });
  };
  CHECK_THAT(error({.tolerance = 0}), ContainsSubstring("Dca: tolerance"));
  CHECK_THAT(error({.max_iterations = 0}), ContainsSubstring("max_iterations"));
  CHECK_THAT(error({.starts = 0}), ContainsSubstring("starts") && ContainsSubstring("got 0"));
  const auto op = x4_gram();
  CHECK_THAT(error_of([&] { return Dca{SquareLoss{}}.solve(op, {.components = .5}); }),
             ContainsSubstring("as a number"));
  CHECK_THAT(error_of([&] { return Dca{SquareLoss{}}.solve(op, {.components = 5}); }),
             ContainsSubstring("got 5"));
  CHECK_THAT(error_of([&] {
               return Dca{SquareLoss{}}.solve_from(Matrix<double>::Ones(4, 3), op,
                                                   {.components = 2});
             }),
             ContainsSubstring("4 x 2") && ContainsSubstring("4 x 3"));
}

}  // namespace dca_test
