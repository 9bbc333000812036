// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>

#include <cmath>
#include <limits>
#include <string>

#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace doubly_stochastic_run_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// phi_j(x) = 2^(1/2) cos(w_j x + p_j) for the four frequencies of the worked example, a block of
/// one or two; no random numbers.
template <Real S>
struct ListedFourier {
  using Scalar = S;
  struct Block {
    Index first = 0;
  };

  Index size = 1;

  [[nodiscard]] Index columns() const { return size; }
  [[nodiscard]] Index dimension() const { return 1; }
  void draw(std::uint64_t b, Block& block) const { block.first = static_cast<Index>(b) * size; }
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    const double w[] = {0.5, -1, 2, 1.5}, p[] = {0.3, 1, 5, 2};
    for (Index j = 0; j < size; ++j)
      for (Index i = 0; i < x.rows(); ++i)
        out(i, j) = static_cast<S>(
            std::sqrt(2 / static_cast<double>(size)) *
            std::cos(w[block.first + j] * static_cast<double>(x(i, 0)) + p[block.first + j]));
  }
};
static_assert(BoundFeatureMap<ListedFourier<double>>);

template <Real S>
Matrix<S> rows_of_pairs(std::initializer_list<double> values) {
  Matrix<S> out(static_cast<Index>(values.size()) / 2, 2);
  Index at = 0;
  for (const double value : values) {
    out(at / 2, at % 2) = static_cast<S>(value);
    ++at;
  }
  return out;
}

template <Real S>
Matrix<S> point(double value) {
  return Matrix<S>::Constant(1, 1, static_cast<S>(value));
}

/// The worked numbers are printed to 12 digits; float has a few roundings of 6e-8.
template <Real S>
constexpr double printed = sizeof(S) == 4 ? 2e-6 : 1.1e-12;

template <class A, class B>
double distance(const A& a, const B& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

/// eta = 1/2 and 2/5 in the first two steps.
DoublyStochasticSchedule worked_schedule(StochasticRule rule) {
  return {.rule = rule, .blocks = 4, .step = 2.0 / 3, .decay = 1.0 / 3, .centered = false};
}

template <Real S>
DoublyStochasticState<S> worked_start(StochasticRule rule) {
  return {worked_schedule(rule), rows_of_pairs<S>({.6, -.2, .1, .5}), 2, 0};
}

template <Real S>
auto fourier(Index features, std::uint64_t seed, Index dimension = 1) {
  return RandomFourier{.features = features, .form = FourierForm::Phase}.bind<S>(
      Gaussian(1.0), {.dimension = dimension, .radius = 4}, seed);
}

/// Coefficients of the first block that are no better than any.
template <Real S>
Matrix<S> some_start(Index features, Index k) {
  return test::uniform_samples<S>(features, k, 5) / std::sqrt(static_cast<S>(features) / 3);
}

template <Real S>
Matrix<S> batch_of(Index rows, Index d, std::uint64_t number) {
  RandomStream stream(17, "test batch", number);
  Matrix<S> x(rows, d);
  for (S& value : x.reshaped()) value = static_cast<S>(stream.normal());
  return x;
}

}  // namespace

SCALAR_TEST_CASE("doubly_stochastic_run: the worked example, one feature for each step",
                 "[solvers]") {
  using S = TestType;
  constexpr double tolerance = printed<S>;
  SECTION("Oja") {
    DoublyStochasticRun<S> run(ListedFourier<S>{1}, worked_start<S>(StochasticRule::Oja));
    CHECK(distance(run.evaluate(point<S>(.7)), rows_of_pairs<S>({.810604484771, .450358408837})) <=
          tolerance);
    REQUIRE(run.partial_fit(point<S>(.7)));
    CHECK(run.last_step() == Approx(.5).epsilon(1e-15));
    CHECK(distance(run.state().coefficients,
                   rows_of_pairs<S>({.439382365376, -.289236494146, -.024119618026, .431041198600,
                                     .569277633006, .316281212112})) <= tolerance);
    CHECK(distance(run.evaluate(point<S>(-.4)),
                   rows_of_pairs<S>({.217779301945, -.522677722921})) <= tolerance);
    REQUIRE(run.partial_fit(point<S>(-.4)));
    CHECK(distance(run.state().coefficients,
                   rows_of_pairs<S>({.417877455775, -.237623980552, -.004036151421, .382840196486,
                                     .572878505590, .307638995584, .020939030268,
                                     -.050254383969})) <= tolerance);
    CHECK(distance(run.evaluate(point<S>(.2)), rows_of_pairs<S>({1.034821561585, .391172494727})) <=
          tolerance);
  }
  SECTION("Gha") {
    DoublyStochasticRun<S> run(ListedFourier<S>{1}, worked_start<S>(StochasticRule::Gha));
    REQUIRE(run.partial_fit(point<S>(.7)));
    CHECK(distance(run.state().coefficients,
                   rows_of_pairs<S>({.402876110781, -.289236494146, .067146018463, .431041198600,
                                     .569277633006, .316281212112})) <= tolerance);
    REQUIRE(run.partial_fit(point<S>(-.4)));
    CHECK(distance(run.state().coefficients,
                   rows_of_pairs<S>({.397159358924, -.241765227506, .066193226487, .386582466711,
                                     .561199668396, .304135988714, .018109183955,
                                     -.050254383969})) <= tolerance);
    CHECK(distance(run.evaluate(point<S>(.2)), rows_of_pairs<S>({1.069214714820, .386321162711})) <=
          tolerance);
  }
}

SCALAR_TEST_CASE("doubly_stochastic_run: the worked example, batches of two", "[solvers]") {
  using S = TestType;
  const S root = std::sqrt(S(2));  // features are divided by it, coefficients multiplied
  DoublyStochasticRun<S> run(ListedFourier<S>{2},
                             {{.blocks = 2, .step = .5, .decay = 0, .centered = false},
                              Matrix<S>(root * rows_of_pairs<S>({.6, -.2, .1, .5})),
                              1,
                              0});
  Matrix<S> batch(2, 1);
  batch << S(.7), S(-.4);
  const Matrix<S> h = run.evaluate(batch);
  CHECK(distance(Matrix<S>(h.transpose() * h / S(2)),
                 rows_of_pairs<S>({.705534849491, .112524764033, .112524764033, .114411284149})) <=
        printed<S>);
  REQUIRE(run.partial_fit(batch));
  CHECK(distance(Matrix<S>(run.state().coefficients / root),
                 rows_of_pairs<S>({.399592021556, -.222316300795, .036592066517, .465770940761,
                                   .067064468578, .093044852108, -.116605408745,
                                   -.084123956944})) <= printed<S>);
}

TEST_CASE("doubly_stochastic_run: with one block it is Oja's rule on the features", "[solvers]") {
  // Acceptance 3: 30 steps with |W| of order 1, a few roundings each.
  constexpr Index features = 64, k = 3;
  const auto map = fourier<double>(features, 11, 2);
  Matrix<double> w = some_start<double>(features, k);
  for (const bool centered : {false, true}) {
    DoublyStochasticRun<double> run(
        map, {{.blocks = 1, .step = .5, .decay = 0, .centered = centered}, w, 0, 0});
    Matrix<double> expected = w;
    for (std::uint64_t t = 0; t < 30; ++t) {
      const Matrix<double> x = batch_of<double>(32, 2, t);
      REQUIRE(run.partial_fit(x));
      REQUIRE(run.last_step() == .5);
      Matrix<double> z = block_features(map, 0, x);
      if (centered) z.rowwise() -= z.colwise().mean().eval();
      const Matrix<double> h = z * expected;
      const double n = centered ? 31 : 32;
      expected += .5 / n * (z.transpose() * h - expected * (h.transpose() * h));
    }
    CHECK(distance(run.state().coefficients, expected) <= 1e-13);
  }
}

namespace {

/// The update of the specification as it is written, with every block decayed at once.
Matrix<double> plain_steps(const BoundRandomFourier<double>& map, Matrix<double> start, Index steps,
                           const DoublyStochasticSchedule& schedule) {
  const Index columns = map.columns();
  std::vector<Matrix<double>> a{std::move(start)};
  for (Index t = 1; t <= steps; ++t) {
    const auto visited = static_cast<std::size_t>(t % schedule.blocks);
    const Matrix<double> x = batch_of<double>(20, 2, static_cast<std::uint64_t>(t));
    Matrix<double> h = Matrix<double>::Zero(20, a[0].cols());
    for (std::size_t b = 0; b < a.size(); ++b) h += block_features(map, b, x) * a[b];
    h.rowwise() -= h.colwise().mean().eval();
    Matrix<double> m = h.transpose() * h / 19;
    const double eta = schedule.step / (1 + schedule.decay * static_cast<double>(t));
    if (schedule.rule == StochasticRule::Gha) m.triangularView<Eigen::StrictlyLower>().setZero();
    for (Matrix<double>& block : a) block -= (eta * block * m).eval();
    if (visited == a.size()) a.emplace_back(Matrix<double>::Zero(columns, h.cols()));
    a[visited] += eta / 19 * block_features(map, visited, x).transpose() * h;
  }
  Matrix<double> all(static_cast<Index>(a.size()) * columns, a[0].cols());
  for (std::size_t b = 0; b < a.size(); ++b)
    all.middleRows(static_cast<Index>(b) * columns, columns) = a[b];
  return all;
}

}  // namespace

TEST_CASE("doubly_stochastic_run: decay on the way to the next sum is decay", "[solvers]") {
  // 19 blocks are three groups of the sum. No step is cut: |H|^2 stays below 2.
  const auto map = fourier<double>(16, 4, 2);
  for (const StochasticRule rule : {StochasticRule::Oja, StochasticRule::Gha})
    for (const Index steps : {1, 2, 18, 19, 45}) {
      CAPTURE(to_string(rule), steps);
      const DoublyStochasticSchedule schedule{.rule = rule, .blocks = 19, .step = .4, .decay = .01};
      const Matrix<double> start = some_start<double>(16, 2);
      DoublyStochasticRun<double> run(map, {schedule, start, 1, 0});
      for (Index t = 1; t <= steps; ++t)
        REQUIRE(run.partial_fit(batch_of<double>(20, 2, static_cast<std::uint64_t>(t))));
      CHECK(run.blocks() == (std::min)(Index{19}, steps + 1));
      // Some 45 steps of a few roundings each, of numbers of order 1.
      CHECK(distance(run.state().coefficients, plain_steps(map, start, steps, schedule)) <= 1e-13);
    }
}

SCALAR_TEST_CASE(
    "doubly_stochastic_run: the same bits resumed anywhere, kept or redrawn, on any "
    "number of threads",
    "[solvers]") {
  using S = TestType;
  const auto map = fourier<S>(8, 21, 3);
  const DoublyStochasticState<S> start{
      {.blocks = 11, .step = .5, .decay = .02}, some_start<S>(8, 2), 1, 0};
  const auto steps = [](DoublyStochasticRun<S>& run, Index from, Index to) {
    for (Index t = from; t < to; ++t)
      REQUIRE(run.partial_fit(batch_of<S>(300, 3, static_cast<std::uint64_t>(t))));
  };
  const int threads = thread_count();
  set_thread_count(1);
  DoublyStochasticRun<S> whole(map, start, std::size_t{1} << 20);
  steps(whole, 0, 26);
  const DoublyStochasticState<S> expected = whole.state();
  CHECK(whole.kept_blocks() == 11);
  CHECK(expected.coefficients.allFinite());
  const Matrix<S> x = batch_of<S>(1500, 3, 99);
  const Matrix<S> h = whole.evaluate(x);

  for (const int count : {1, 2, 3})
    for (const std::size_t budget : {std::size_t{0}, std::size_t{500}}) {
      set_thread_count(count);
      CAPTURE(count, budget);
      DoublyStochasticRun<S> first(map, start, budget);
      steps(first, 0, 7);
      DoublyStochasticRun<S> second(map, first.state(), budget);
      steps(second, 7, 11);
      CHECK(second.evaluate(x).rows() == 1500);  // looking at it changes nothing
      DoublyStochasticRun<S> third(map, second.state(), budget);
      steps(third, 11, 26);
      CHECK(third.kept_blocks() < 11);
      CHECK(third.state().coefficients == expected.coefficients);
      CHECK(third.state().next_block == expected.next_block);
      CHECK(third.steps() == 26);
      CHECK(third.evaluate(x) == h);
    }
  set_thread_count(threads);
}

TEST_CASE("doubly_stochastic_run: an increment is unbiased", "[solvers]") {
  // Acceptance 4 with fewer draws: the increment of one sample and one feature, as a function at
  // three points, has the mean E_x[k(x, .) h(x)]. 4000 batches of 50 pairs; a z-score above 5 has
  // probability 6e-7 for each of the three points.
  constexpr Index features = 4, batches = 4000, rows = 50;
  Matrix<double> at(3, 1);
  at << -1, .4, 1.7;
  const auto start_map = fourier<double>(features, 5);
  const Matrix<double> c = some_start<double>(features, 1);
  Matrix<double> values(batches, 3);
  for (Index i = 0; i < batches; ++i) {
    // Block i + 1 of the map, with fresh samples; eta = 1 is not cut where |h|^2 < 1.
    const Matrix<double> x = batch_of<double>(rows, 1, static_cast<std::uint64_t>(i));
    const Matrix<double> h = block_features(start_map, 0, x) * c;
    const auto b = static_cast<std::uint64_t>(i + 1);
    const Matrix<double> increment = block_features(start_map, b, x).transpose() * h / double{rows};
    values.row(i) = (block_features(start_map, b, at) * increment).transpose();
    if (i > 0) continue;
    // The same as a step of the run makes it.
    DoublyStochasticRun<double> run(
        start_map, {{.blocks = 2, .step = .5, .decay = 0, .centered = false}, c, 1, 0});
    REQUIRE(run.partial_fit(x));
    CHECK(distance(run.state().coefficients.bottomRows(features),
                   Matrix<double>(run.last_step() * increment)) <= 1e-15);
  }
  // E_x[k(x, y) h(x)] by the trapezium rule, which is exact to rounding for such functions.
  Vector<double> exact = Vector<double>::Zero(3);
  constexpr double width = 0.05;
  for (int i = -200; i <= 200; ++i) {
    const double x = width * i;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi) * width;
    const double h =
        (block_features(start_map, 0, Matrix<double>(Matrix<double>::Constant(1, 1, x))) * c)(0, 0);
    for (Index j = 0; j < 3; ++j)
      exact(j) += density * std::exp(-std::pow(x - at(j, 0), 2) / 2) * h;
  }
  for (Index j = 0; j < 3; ++j) {
    const Vector<double> sample = values.col(j);
    const double error = std::sqrt((sample.array() - sample.mean()).square().mean() / batches);
    CHECK(std::abs(sample.mean() - exact(j)) <= 5 * error);
  }
}

TEST_CASE("doubly_stochastic_run: steps that are too long are cut", "[solvers]") {
  // Without the cut, a start three times too large and eta = 1/2 end in NaN.
  const auto map = fourier<double>(64, 0);
  for (const double step : {.5, 5.0, 1e6})
    for (const StochasticRule rule : {StochasticRule::Oja, StochasticRule::Gha}) {
      DoublyStochasticRun<double> run(
          map, {{.rule = rule, .blocks = 4, .step = step, .decay = 0, .centered = false},
                Matrix<double>(30 * some_start<double>(64, 2)),
                1,
                0});
      for (std::uint64_t t = 0; t < 100; ++t) REQUIRE(run.partial_fit(batch_of<double>(64, 1, t)));
      CHECK(run.state().coefficients.allFinite());
      CHECK(run.last_step() <= step);
    }
}

TEST_CASE("doubly_stochastic_run: a step that would not be finite is not done", "[solvers]") {
  // Moments overflow in single precision.
  const auto map = fourier<float>(16, 0);
  const DoublyStochasticState<float> start{
      {.blocks = 3}, Matrix<float>(1e30F * some_start<float>(16, 2)), 1, 0};
  DoublyStochasticRun<float> run(map, start);
  CHECK(!run.partial_fit(batch_of<float>(32, 1, 1)));
  CHECK(run.diverged());
  CHECK(!run.partial_fit(batch_of<float>(32, 1, 2)));
  CHECK(run.steps() == 0);
  CHECK(run.state().coefficients == start.coefficients);
}

TEST_CASE("doubly_stochastic_run: what is refused", "[solvers]") {
  const auto map = fourier<double>(4, 0, 2);
  const auto error = [&](Matrix<double> coefficients, Index next = 0,
                         DoublyStochasticSchedule schedule = {.blocks = 2}) {
    return test::error_of([&] {
      return DoublyStochasticRun<double>(map, {schedule, std::move(coefficients), next, 0});
    });
  };
  CHECK_THAT(error(Matrix<double>::Zero(4, 2)), ContainsSubstring("all coefficients are zero"));
  CHECK_THAT(error(Matrix<double>::Constant(4, 1, std::numeric_limits<double>::infinity())),
             ContainsSubstring("must be finite"));
  CHECK_THAT(error(Matrix<double>::Ones(5, 2)), ContainsSubstring("do not fit 2 blocks of 4"));
  CHECK_THAT(error(Matrix<double>::Ones(12, 2)), ContainsSubstring("do not fit"));
  CHECK_THAT(error(Matrix<double>::Ones(4, 2), 2), ContainsSubstring("block 2 next"));
  CHECK_THAT(error(Matrix<double>::Ones(4, 2), 0, {.blocks = 2, .step = 0}),
             ContainsSubstring("step must be positive"));
  CHECK_THAT(error(Matrix<double>::Ones(4, 2), 0, {.blocks = 2, .decay = -1}),
             ContainsSubstring("decay must be finite and not negative, got -1"));

  DoublyStochasticRun<double> run(map, {{.blocks = 2}, Matrix<double>::Ones(4, 1), 0, 0});
  const auto fit_error = [&](const Matrix<double>& x) {
    return test::error_of([&] { return run.partial_fit(x); });
  };
  CHECK_THAT(fit_error(Matrix<double>::Ones(1, 2)), ContainsSubstring("must be at least 2, got 1"));
  CHECK_THAT(fit_error(Matrix<double>::Ones(3, 1)), ContainsSubstring("for dimension 2"));
  CHECK_THAT(fit_error(Matrix<double>::Constant(3, 2, std::nan(""))),
             ContainsSubstring("must be finite"));
}

}  // namespace doubly_stochastic_run_test
