// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/pairs/pair_run.hpp>

#include <cmath>
#include <initializer_list>
#include <utility>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace pair_run_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// 2^(1/2) cos(w_j x + p_j) for the four frequencies of a view of the worked example.
template <Real S>
struct ListedFourier {
  using Scalar = S;
  struct Block {
    Index first = 0;
  };

  bool is_y = false;
  Index size = 1;

  [[nodiscard]] Index columns() const { return size; }
  [[nodiscard]] Index dimension() const { return 1; }
  void draw(std::uint64_t b, Block& block) const { block.first = static_cast<Index>(b) * size; }
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    const double w[2][4] = {{.5, -1, 2, 1.5}, {1, -.5, 1.2, 2.2}};
    const double p[2][4] = {{.3, 1, 5, 2}, {.7, 2, .1, 4}};
    const int v = is_y ? 1 : 0;
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < x.rows(); ++i)
        out(i, j) = static_cast<S>(
            std::sqrt(2 / static_cast<double>(size)) *
            std::cos(w[v][block.first + j] * static_cast<double>(x(i, 0)) + p[v][block.first + j]));
  }
};
static_assert(BoundFeatureMap<ListedFourier<double>>);

template <Real S>
Matrix<S> rows(std::initializer_list<double> values, Index columns = 2) {
  Matrix<S> out(static_cast<Index>(values.size()) / columns, columns);
  Index at = 0;
  for (const double value : values) {
    out(at / columns, at % columns) = static_cast<S>(value);
    ++at;
  }
  return out;
}

/// The worked numbers are printed to 12 digits; float has a few roundings of 6e-8.
template <Real S>
constexpr double printed = sizeof(S) == 4 ? 3e-6 : 1e-10;

template <class A, class B>
double distance(const A& a, const B& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

/// Steps of 1/2 and 2/5, not cut.
PairSchedule worked(PairMethod method, StochasticRule rule) {
  return {.method = method,
          .rule = rule,
          .blocks = 4,
          .step = 2.0 / 3,
          .decay = 1.0 / 3,
          .centered = false};
}

template <Real S>
PairRunState<S> worked_start(PairSchedule schedule, double scale = 1) {
  return {.schedule = schedule,
          .x = static_cast<S>(scale) * rows<S>({.6, -.2, .1, .5}),
          .y = static_cast<S>(scale) * rows<S>({.5, .1, -.2, .4}),
          .next_block = schedule.blocks == 4 ? 2 : 1,
          .steps = 0,
          .step_sum = 0,
          .mean_moments = {}};
}

template <Real S>
PairRun<S> worked_run(PairMethod method, StochasticRule rule, bool leave_out = true) {
  PairSchedule schedule = worked(method, rule);
  schedule.leave_out = leave_out;
  // The safeguards of single steps are off: W of one pair always has a negative eigenvalue.
  schedule.safeguard = false;
  return PairRun<S>(ListedFourier<S>{false}, ListedFourier<S>{true}, worked_start<S>(schedule));
}

}  // namespace

SCALAR_TEST_CASE("pair_run: worked steps of kernel SVD, one pair at a time", "[solvers]") {
  using S = TestType;
  constexpr double tolerance = printed<S>;
  SECTION("Oja") {
    PairRun<S> run = worked_run<S>(PairMethod::Svd, StochasticRule::Oja);
    CHECK(distance(run.evaluate_x(rows<S>({.7}, 1)), rows<S>({.810604484771, .450358408837})) <=
          tolerance);
    CHECK(distance(run.evaluate_y(rows<S>({.2}, 1)), rows<S>({.530984721824, -.094971271249})) <=
          tolerance);
    REQUIRE(run.partial_fit(rows<S>({.7}, 1), rows<S>({.2}, 1)));
    CHECK(run.last_step() == Approx(.5).epsilon(1e-15));
    CHECK(distance(run.state().x, rows<S>({.357963771491, -.257199010932, .016420816305,
                                           .513278090501, .372904087358, -.066697164297})) <=
          tolerance);
    CHECK(distance(run.state().y, rows<S>({.276683236770, .063739787051, -.146346139837,
                                           .433323373846, .540371822367, .300221623090})) <=
          tolerance);
    CHECK(distance(run.evaluate_x(rows<S>({-.4}, 1)), rows<S>({.249108314925, -.192297222564})) <=
          tolerance);
    CHECK(distance(run.evaluate_y(rows<S>({.9}, 1)), rows<S>({.275373940102, .171843328176})) <=
          tolerance);
    REQUIRE(run.partial_fit(rows<S>({-.4}, 1), rows<S>({.9}, 1)));
    CHECK(run.step_sum() == Approx(.9).epsilon(1e-14));
    CHECK(distance(run.state().x, rows<S>({.337275489373, -.262545556725, .017602765404,
                                           .526913750451, .352169041239, -.066946970047,
                                           .026476635820, .016522381227})) <= tolerance);
    CHECK(distance(run.state().y, rows<S>({.261757999731, .066547707682, -.136556298223,
                                           .444184775099, .511935532541, .310351334719,
                                           .134489766533, -.103818327282})) <= tolerance);
  }
  SECTION("Gha") {
    PairRun<S> run = worked_run<S>(PairMethod::Svd, StochasticRule::Gha);
    REQUIRE(run.partial_fit(rows<S>({.7}, 1), rows<S>({.2}, 1)));
    REQUIRE(run.partial_fit(rows<S>({-.4}, 1), rows<S>({.9}, 1)));
    CHECK(distance(run.state().x, rows<S>({.323938505672, -.262288000939, .053989750945,
                                           .527132161595, .353470086836, -.066594128228,
                                           .026536143253, .016522381227})) <= tolerance);
    CHECK(distance(run.state().y, rows<S>({.269948754727, .066850080093, -.107979501891,
                                           .444208601408, .512210194126, .310862634496,
                                           .127431928437, -.103818327282})) <= tolerance);
  }
}

SCALAR_TEST_CASE("pair_run: worked steps of kernel CCA", "[solvers]") {
  using S = TestType;
  constexpr double tolerance = printed<S>;
  SECTION("one pair at a time, as published") {
    PairRun<S> run = worked_run<S>(PairMethod::Cca, StochasticRule::Oja, false);
    REQUIRE(run.partial_fit(rows<S>({.7}, 1), rows<S>({.2}, 1)));
    CHECK(distance(run.state().x, rows<S>({.6, -.2, .1, .5, -.168436048575, -.131949734328})) <=
          tolerance);
    CHECK(distance(run.state().y, rows<S>({.5, .1, -.2, .4, .245927556570, .237410011031})) <=
          tolerance);
    CHECK(distance(run.evaluate_x(rows<S>({-.4}, 1)), rows<S>({.985108370486, -.069759586233})) <=
          tolerance);
    CHECK(distance(run.evaluate_y(rows<S>({.9}, 1)), rows<S>({.105954555345, .135528817140})) <=
          tolerance);
    REQUIRE(run.partial_fit(rows<S>({-.4}, 1), rows<S>({.9}, 1)));
    CHECK(distance(run.state().x.bottomRows(1), rows<S>({-.008739095405, .000958463850})) <=
          tolerance);
    CHECK(distance(run.state().y.bottomRows(1), rows<S>({.510675422675, -.043493000973})) <=
          tolerance);
  }
  SECTION("a batch of three") {
    const Matrix<S> x = rows<S>({.7, -.4, 1.1}, 1), y = rows<S>({.2, .9, -.5}, 1);
    const double root = std::sqrt(2.0);  // features are divided by it, coefficients multiplied
    const auto after = [&](bool leave_out, bool centered, double ridge, bool safeguard) {
      PairSchedule schedule{.method = PairMethod::Cca,
                            .blocks = 2,
                            .step = .5,
                            .decay = 0,
                            .centered = centered,
                            .ridge_x = ridge,
                            .ridge_y = ridge,
                            .leave_out = leave_out,
                            .safeguard = safeguard};
      PairRun<S> run(ListedFourier<S>{false, 2}, ListedFourier<S>{true, 2},
                     worked_start<S>(schedule, root));
      REQUIRE(run.partial_fit(x, y));
      const auto state = run.state();
      return std::pair<Matrix<S>, Matrix<S>>(state.x / S(root), state.y / S(root));
    };
    const auto [a, b] = after(false, false, 0, false);
    CHECK(distance(a.bottomRows(2), rows<S>({.046135931332, -.031703362141, -.033647249179,
                                             .045783897782})) <= tolerance);
    CHECK(distance(b.bottomRows(2), rows<S>({.106346306430, .069639888799, .068304898262,
                                             -.069817881761})) <= tolerance);
    CHECK(distance(a.topRows(2), rows<S>({.6, -.2, .1, .5})) <= tolerance);
    const auto [a1, b1] = after(true, false, 0, false);
    CHECK(distance(a1.bottomRows(2), rows<S>({.088645024767, -.025515875013, -.071825559574,
                                              .041723756793})) <= tolerance);
    CHECK(distance(b1.bottomRows(2), rows<S>({.134926730532, .077495010561, .042549050808,
                                              -.078088813374})) <= tolerance);
    const auto [a2, b2] = after(true, true, 0, false);
    CHECK(distance(a2.bottomRows(2), rows<S>({.081024315332, -.011456307934, -.075426050225,
                                              .011623023163})) <= tolerance);
    CHECK(distance(b2.bottomRows(2), rows<S>({-.001570798780, .032117119385, .009666511769,
                                              -.094287005351})) <= tolerance);
    // W has a negative eigenvalue, so the safeguard takes the sum form.
    const auto [a3, b3] = after(true, true, .1, true);
    CHECK(distance(a3, rows<S>({.626779855165, -.212083825550, .101917635863, .522572543882,
                                .078222141395, .068718270271, -.071421260027, -.057865519164})) <=
          tolerance);
    CHECK(distance(b3, rows<S>({.521043709305, .102223402778, -.210517664220, .419394513605,
                                .031906094366, .027261111934, -.110361680844, -.074202357473})) <=
          tolerance);
  }
}

namespace {

/// A run over random Fourier features, from coefficients that are no better than any.
PairRun<double> some_run(PairMethod method, StochasticRule rule) {
  const auto map = [](std::uint64_t seed) {
    return RandomFourier{.features = 16, .form = FourierForm::Phase}.bind<double>(
        Gaussian(1.0), {.dimension = 2, .radius = 4}, seed);
  };
  const Matrix<double> start = test::uniform_samples<double>(16, 2, 5) / 2;
  return {map(1),
          map(2),
          {.schedule = {.method = method,
                        .rule = rule,
                        .blocks = 11,
                        .step = .4,
                        .decay = .01,
                        .ridge_x = .05,
                        .ridge_y = .02,
                        .bound = .5},
           .x = start,
           .y = start,
           .next_block = 1,
           .steps = 0,
           .step_sum = 0,
           .mean_moments = {}}};
}

void step(PairRun<double>& run, std::uint64_t number) {
  RandomStream stream(17, "test batch", number);
  Matrix<double> x(20, 2), y(20, 2);
  for (double& value : x.reshaped()) value = stream.normal();
  for (double& value : y.reshaped()) value = stream.normal();
  y.col(0) += x.col(1);
  REQUIRE(run.partial_fit(x, y));
}

void check_same(const PairRunState<double>& a, const PairRunState<double>& b) {
  CHECK(a.x == b.x);
  CHECK(a.y == b.y);
  CHECK(a.next_block == b.next_block);
  CHECK(a.steps == b.steps);
  CHECK(a.step_sum == b.step_sum);
  CHECK(a.mean_moments == b.mean_moments);
}

}  // namespace

TEST_CASE("pair_run: from any state it goes on to the same bits, with any threads", "[solvers]") {
  const auto method = GENERATE(PairMethod::Svd, PairMethod::Cca);
  const auto rule = GENERATE(StochasticRule::Oja, StochasticRule::Gha);
  CAPTURE(to_string(method), to_string(rule));
  PairRun<double> whole = some_run(method, rule);
  for (std::uint64_t t = 0; t < 25; ++t) step(whole, t);
  for (const std::uint64_t cut : {1U, 9U, 12U, 24U}) {
    PairRun<double> first = some_run(method, rule);
    for (std::uint64_t t = 0; t < cut; ++t) step(first, t);
    const PairRunState<double> state = first.state();
    CHECK(state.steps == static_cast<Index>(cut));
    const auto map = [](std::uint64_t seed) {
      return RandomFourier{.features = 16, .form = FourierForm::Phase}.bind<double>(
          Gaussian(1.0), {.dimension = 2, .radius = 4}, seed);
    };
    PairRun<double> second(map(1), map(2), state, std::size_t{1} << 20U);
    for (std::uint64_t t = cut; t < 25; ++t) step(second, t);
    check_same(second.state(), whole.state());
  }
  const int threads = thread_count();
  for (const int count : {1, 3}) {
    set_thread_count(count);
    PairRun<double> run = some_run(method, rule);
    for (std::uint64_t t = 0; t < 25; ++t) step(run, t);
    check_same(run.state(), whole.state());
  }
  set_thread_count(threads);
}

TEST_CASE("pair_run: what is refused", "[solvers]") {
  const PairSchedule schedule{.method = PairMethod::Cca, .blocks = 2};
  const auto error = [](PairSchedule s, Matrix<double> x, Matrix<double> y, Index next = 0) {
    return test::error_of([&] {
      return PairRun<double>(ListedFourier<double>{false, 2}, ListedFourier<double>{true, 2},
                             {.schedule = s,
                              .x = std::move(x),
                              .y = std::move(y),
                              .next_block = next,
                              .steps = 0,
                              .step_sum = 0,
                              .mean_moments = {}});
    });
  };
  const Matrix<double> ones = Matrix<double>::Ones(2, 2), zeros = Matrix<double>::Zero(2, 2);
  CHECK_THAT(error(schedule, ones, zeros), ContainsSubstring("view y: all coefficients are zero"));
  CHECK_THAT(error(schedule, Matrix<double>::Ones(3, 2), ones),
             ContainsSubstring("view x: 3 x 2 coefficients do not fit 2 blocks of 2 features"));
  CHECK_THAT(error(schedule, ones, Matrix<double>::Ones(2, 1)),
             ContainsSubstring("2 and 1 functions of 1 and 1 blocks"));
  CHECK_THAT(error(schedule, Matrix<double>::Ones(4, 2), ones),
             ContainsSubstring("of 2 and 1 blocks"));
  CHECK_THAT(error(schedule, ones, ones, 2), ContainsSubstring("block 2 next"));
  CHECK_THAT(error({.blocks = 0}, ones, ones), ContainsSubstring("blocks must be at least 1"));
  CHECK_THAT(error({.ridge_y = -1}, ones, ones), ContainsSubstring("ridge_y"));

  PairRun<double> run(ListedFourier<double>{false, 2}, ListedFourier<double>{true, 2},
                      worked_start<double>(schedule));
  const auto refused = [&](const Matrix<double>& x, const Matrix<double>& y) {
    return test::error_of([&] { return run.partial_fit(x, y); });
  };
  CHECK_THAT(refused(Matrix<double>::Ones(2, 1), Matrix<double>::Ones(2, 1)),
             ContainsSubstring("pairs of a batch must be at least 3, got 2"));
  CHECK_THAT(refused(Matrix<double>::Ones(4, 1), Matrix<double>::Ones(3, 1)),
             ContainsSubstring("view x has 4 rows and view y 3"));
  CHECK_THAT(refused(Matrix<double>::Ones(4, 2), Matrix<double>::Ones(4, 1)),
             ContainsSubstring("view x: samples have 2 columns, the features are for dimension 1"));
  CHECK(run.steps() == 0);
}

}  // namespace pair_run_test
