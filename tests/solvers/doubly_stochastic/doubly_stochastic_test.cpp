// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/exact_features.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/metrics/principal_angles.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/testing/hermite_system.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace doubly_stochastic_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(FeatureSolver<DoublyStochastic<RandomFourier>>);
static_assert(!KernelSolver<DoublyStochastic<RandomFourier>>);

namespace {

KernelRequest request_for(Components k, bool centered, std::size_t budget = std::size_t{1} << 20) {
  return {.pairs = {.components = k}, .centered = centered, .memory_budget = budget};
}

GeneratedStream<double> normal_stream(Index rows, std::uint64_t seed) {
  return {
      1, rows, [seed](Index first, GramOut<double> out) {
        for (Index i = 0; i < out.rows(); ++i)
          out(i, 0) =
              RandomStream(seed, "normal stream", static_cast<std::uint64_t>(first + i)).normal();
      }};
}

template <class F>
FeatureSolution<double> solve(const F& solver, const Matrix<double>& x,
                              const KernelRequest& request, const Observer& observer = {}) {
  MatrixStream stream(x);
  return solver.solve(Gaussian(1.0), SampleStreamView<double>(stream), request, observer);
}

/// sin^2 of the angle between each column of one matrix and that of the other; 1 for a column of
/// zeros.
Vector<double> squared_sines(const Matrix<double>& a, const Matrix<double>& b) {
  Vector<double> sines(a.cols());
  for (Index i = 0; i < a.cols(); ++i) {
    const PrincipalAngles angles = principal_angles(a.col(i), b.col(i));
    sines(i) = angles.left_dimension == 1 ? angles.largest_squared_sine() : 1;
  }
  return sines;
}

/// Without optimisation there is time for a few steps only, and for no PCA of 1024 features.
#if defined(NDEBUG)
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

constexpr RandomFourier phases(Index features) {
  return {.features = features, .form = FourierForm::Phase};
}

}  // namespace

TEST_CASE("doubly_stochastic: normal samples, against the PCA of the same features", "[solvers]") {
  // Acceptance 5. The specification measured over five seeds: one block of 256 features, sin^2 to
  // the exact PCA 1.6e-4 at most, eigenvalues 2.1e-4, |W^T W - I| 9e-3; 8 blocks of 32 features,
  // sin^2 2.9e-3. Of 8 blocks, over six seeds: eigenvalues 7e-3, |W^T W - I| 1.3e-2. The bounds
  // leave a factor of 3 to 10. The start is turned within its span, where Oja's rule, which finds
  // the span alone, leaves it: sin^2 of single functions stay above 0.3.
  struct Case {
    Index blocks, features;
    double sine, eigenvalues, norm;
  };
  const Matrix<double> turn{{0.6, -0.8}, {0.8, 0.6}};
  const testing::Quadrature rule = testing::normal_quadrature(60);
  for (const Case& c : {Case{1, 256, 1e-3, 2e-3, 5e-2}, Case{8, 32, 1e-2, 2e-2, 5e-2}}) {
    CAPTURE(c.blocks);
    const auto map = phases(c.features).bind<double>(Gaussian(1.0), {1, 4}, 3);
    GeneratedStream<double> stream = normal_stream(endless, 8);
    Matrix<double> batch(64, 1);
    REQUIRE(stream.read(batch) == 64);
    const auto start = doubly_stochastic_start(map, batch, 2, false, 1);
    DoublyStochasticRun<double> run(map,
                                    {{.rule = StochasticRule::Gha,
                                      .blocks = c.blocks,
                                      .step = 1.2,
                                      .decay = .02,
                                      .centered = false},
                                     start.coefficients * turn,
                                     c.blocks > 1 ? 1 : 0,
                                     0},
                                    std::size_t{1} << 20);
    for (int t = 0; t < 2000; ++t) {
      REQUIRE(stream.read(batch) == 64);
      REQUIRE(run.partial_fit(batch));
    }
    const Index n = c.blocks * c.features;
    Matrix<double> z(60, n);
    for (Index b = 0; b < c.blocks; ++b)
      z.middleCols(b * c.features, c.features) =
          block_features(map, static_cast<std::uint64_t>(b), Matrix<double>(rule.nodes)) /
          std::sqrt(static_cast<double>(c.blocks));
    const EigenSystem<double> exact =
        symmetric_eigensystem<double>(z.transpose() * rule.weights.asDiagonal() * z);
    const Matrix<double> w = run.state().coefficients * std::sqrt(static_cast<double>(c.blocks));
    CHECK(principal_angles(w, exact.vectors.leftCols(2)).largest_squared_sine() <= c.sine);
    // GHA: each function by itself, in the order of the eigenvalues.
    CHECK(squared_sines(w, exact.vectors.leftCols(2)).maxCoeff() <= c.sine);
    const Matrix<double> h = run.evaluate(rule.nodes);
    const Vector<double> roots = rule.weights.cwiseSqrt();
    CHECK(squared_sines(roots.asDiagonal() * h, roots.asDiagonal() * z * exact.vectors.leftCols(2))
              .maxCoeff() <= c.sine);
    const Matrix<double> m = h.transpose() * rule.weights.asDiagonal() * h;
    const Vector<double> ell = symmetric_eigensystem(m).values;
    CHECK((ell - exact.values.head(2)).cwiseQuotient(exact.values.head(2)).cwiseAbs().maxCoeff() <=
          c.eigenvalues);
    // So M is diagonal; 9e-3 was measured, and entries off the diagonal are of first order in
    // angles.
    CHECK((m.diagonal() - exact.values.head(2)).cwiseAbs().maxCoeff() <=
          c.eigenvalues * exact.values(0));
    CHECK(std::abs(m(0, 1)) <= 3e-2);
    CHECK((w.transpose() * w - Matrix<double>::Identity(2, 2)).cwiseAbs().maxCoeff() <= c.norm);
  }
}

TEST_CASE("doubly_stochastic: the analytic eigenfunctions", "[solvers][slow]") {
  // 1024 features and 20000 samples by themselves leave each function a sin^2 of up to 6e-4, and
  // eigenvalues standard errors of 1 to 2 percent. The PCA of the same features at the same samples
  // shares both, so the bounds are narrower against it: after two passes, sin^2 of 6e-5 and errors
  // of eigenvalues of 0.6 % were measured. All bounds leave a factor of 3 or so.
  const testing::HermiteSystem system;
  const testing::Quadrature rule = testing::normal_quadrature(60);
  const Vector<double> roots = rule.weights.cwiseSqrt();
  GeneratedStream<double> stream = normal_stream(20000, 4);
  std::optional<FeatureSolution<double>> exact;
  if (optimised)
    exact = FeaturePca{phases(64), {.blocks = 16}}.solve(
        system.kernel(), SampleStreamView<double>(stream), request_for(2, false));
  for (const StochasticRule kind : {StochasticRule::Oja, StochasticRule::Gha}) {
    const DoublyStochastic solver{phases(64),
                                  {.rule = kind, .blocks = 16, .data_batch = 64, .epochs = 2}};
    const FeatureSolution<double> found =
        solver.solve(system.kernel(), SampleStreamView<double>(stream), request_for(2, false));
    CHECK(found.report.status == Status::Finished);
    CHECK(found.report.iterations == 625);
    CHECK(found.report.samples == 20000);
    REQUIRE(found.eigenvalues.size() == 2);
    const Vector<double> ell = found.eigenvalues / 20000;
    CHECK(ell(0) == Approx(system.eigenvalues(2)(0)).epsilon(0.05));
    CHECK(ell(1) == Approx(system.eigenvalues(2)(1)).epsilon(0.05));
    CHECK(found.report.trace == Approx(20000).epsilon(0.02));  // k(x, x) = 1
    const auto map = solver.map().bind<double>(system.kernel(), found.bounds, found.seed);
    const auto values = [&](const FeatureSolution<double>& solution) {
      DoublyStochasticRun<double> functions(
          map, {{.blocks = solution.blocks}, solution.coefficients, 0, 0});
      return Matrix<double>(roots.asDiagonal() * functions.evaluate(rule.nodes));
    };
    const Matrix<double> psi = roots.asDiagonal() * system.eigenfunctions(rule.nodes, 2);
    CHECK(principal_angles(values(found), psi).largest_squared_sine() <= 1e-3);
    // Each function, not their span alone.
    CHECK(squared_sines(values(found), psi).maxCoeff() <= 2e-3);
    if (!exact) continue;
    CHECK(squared_sines(values(found), values(*exact)).maxCoeff() <= 2e-4);
    CHECK(found.eigenvalues(0) == Approx(exact->eigenvalues(0)).epsilon(0.02));
    CHECK(found.eigenvalues(1) == Approx(exact->eigenvalues(1)).epsilon(0.02));
    CHECK(found.report.trace == Approx(exact->report.trace).epsilon(1e-10));
  }
}

TEST_CASE("doubly_stochastic: the trace of samples that hardly vary, in single precision",
          "[solvers]") {
  const Matrix<double> x = 1e-3 * normal_matrix<double>(2000, 2, 3, "x");
  const DoublyStochastic solver{RandomFourier{.features = 16},
                                {.blocks = 2, .data_batch = 64, .steps = 10, .start_rows = 100}};
  const auto trace = [&]<class S>(const Matrix<S>& samples) {
    return KernelPca{Gaussian(1.0), solver, {.components = 1}}.fit(samples).report().trace;
  };
  const double exact = trace(x);
  CHECK(exact == Approx(2000 * 2e-6).epsilon(0.3));  // 1 - k is near |x - y|^2 / 2
  // Features near 0.2 are rounded by 1e-8, their deviations are near 2e-4.
  CHECK(trace(Matrix<float>(x.cast<float>())) == Approx(exact).epsilon(1e-3));
}

TEST_CASE("doubly_stochastic: a matrix and a stream of the same rows give the same bits",
          "[solvers]") {
  const Matrix<double> x = test::sparse_looking_samples<double>(300, 3, 2);
  const SparseMatrix<double> sparse = x.sparseView();
  const DoublyStochastic solver{
      RandomFourier{.features = 8},
      {.blocks = 5, .data_batch = 32, .start_rows = 50, .evaluation_rows = 200}};
  const KernelRequest request = request_for(2, true);
  const FeatureSolution<double> expected = solve(solver, x, request);
  CHECK(expected.report.iterations == 80);  // 16 for each block
  const auto check_same = [&](const FeatureSolution<double>& found) {
    CHECK(found.eigenvalues == expected.eigenvalues);
    CHECK(found.coefficients == expected.coefficients);
    CHECK(found.offset == expected.offset);
  };
  MatrixStream rows(sparse);
  check_same(solver.solve(Gaussian(1.0), SampleStreamView<double>(rows), request));
  // Once more from wherever the stream stands, without room for the features, on other threads.
  const int threads = thread_count();
  for (const int count : {1, 3}) {
    set_thread_count(count);
    check_same(
        solver.solve(Gaussian(1.0), SampleStreamView<double>(rows), request_for(2, true, 0)));
  }
  set_thread_count(threads);

  // Streams that cannot seek give their rows in order, once.
  DoublyStochasticParams in_order = solver.params();
  in_order.shuffle = false;
  in_order.steps = 7;
  const auto callback = [&](Index size) {
    return CallbackStream<double>(3, [&x, size, at = Index{0}](Index) mutable {
      const Index first = at;
      at = (std::min)(x.rows(), at + size);
      return Matrix<double>(x.middleRows(first, at - first));
    });
  };
  const DoublyStochastic ordered{RandomFourier{.features = 8}, in_order};
  CallbackStream<double> small = callback(7), large = callback(300);
  const auto first = ordered.solve(Gaussian(1.0), SampleStreamView<double>(small), request);
  const auto second = ordered.solve(Gaussian(1.0), SampleStreamView<double>(large), request);
  CHECK(first.coefficients == second.coefficients);
  CHECK(first.report.status == Status::Finished);
  CHECK(first.report.samples == 50 + 7 * 32);
}

TEST_CASE("doubly_stochastic: paused with its stream, a run goes on to the same bits",
          "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(130, 2, 3);
  const auto map = RandomFourier{.features = 4}.bind<double>(Gaussian(1.0), sample_bounds(x), 1);
  const DoublyStochasticState<double> start{
      {.blocks = 3, .step = 0.5}, doubly_stochastic_start(map, x, 2, true, 1).coefficients, 1, 0};
  constexpr ShuffleParams order{.block_rows = 8, .window_blocks = 4};
  const auto go_on = [](DoublyStochasticRun<double>& run, ShuffledStream<double>& stream,
                        Index steps) {
    Matrix<double> batch(20, 2);
    for (Index t = 0; t < steps; ++t) {
      if (stream.read(batch) < 20) {
        REQUIRE(stream.rewind());
        REQUIRE(stream.read(batch) == 20);
      }
      REQUIRE(run.partial_fit(batch));
    }
  };
  MatrixStream rows(x);
  ShuffledStream whole_stream(rows, order);
  DoublyStochasticRun<double> whole(map, start);
  go_on(whole, whole_stream, 17);

  ShuffledStream first_stream(rows, order);
  DoublyStochasticRun<double> first(map, start);
  go_on(first, first_stream, 8);
  const StreamPosition position = first_stream.position();
  CHECK(position == StreamPosition{1, 40});
  MatrixStream again(x);
  ShuffledStream second_stream(again, order);
  second_stream.seek(position);
  DoublyStochasticRun<double> second(map, first.state());
  go_on(second, second_stream, 9);
  CHECK(second.state().coefficients == whole.state().coefficients);
}

TEST_CASE("doubly_stochastic: features without a bound", "[solvers]") {
  // Products of inner products with random signs: |Z_b|^2 varies by orders of magnitude. Against
  // the PCA of the same 400 features; with 160 steps for each block, eigenvalues to 0.3 % and sin^2
  // of single components of 1.6e-3 were measured, with 20 steps 2.9 % and 2.4e-2.
  const Matrix<double> x = test::uniform_samples<double>(200, 3, 2);
  const Polynomial kernel{{.degree = 2}};
  const RandomMaclaurin map{.features = 40};
  MatrixStream stream(x);
  const FeatureSolution<double> exact = FeaturePca{map, {.blocks = 10}}.solve(
      kernel, SampleStreamView<double>(stream), request_for(3, true));
  const FeatureSolution<double> found =
      DoublyStochastic{map, {.blocks = 10, .data_batch = 64, .steps = optimised ? 1600 : 200}}
          .solve(kernel, SampleStreamView<double>(stream), request_for(3, true));
  CHECK(found.report.status == Status::Finished);
  REQUIRE(found.eigenvalues.size() == 3);
  CHECK((found.eigenvalues - exact.eigenvalues)
            .cwiseQuotient(exact.eigenvalues)
            .cwiseAbs()
            .maxCoeff() <= (optimised ? 0.01 : 0.08));
  CHECK(squared_sines(found.coefficients, exact.coefficients).maxCoeff() <=
        (optimised ? 5e-3 : 7e-2));
}

TEST_CASE("doubly_stochastic: a stream that ends too early", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(100, 2, 3);
  const auto once = [&] {
    return CallbackStream<double>(2, [&, left = true](Index) mutable {
      return Matrix<double>(std::exchange(left, false) ? x : Matrix<double>(0, 2));
    });
  };
  const auto run = [&](DoublyStochasticParams params, Index batch = 20) {
    params.data_batch = batch;
    params.start_rows = 30;
    CallbackStream<double> stream = once();
    return DoublyStochastic{RandomFourier{.features = 4}, params}
        .solve(Gaussian(1.0), SampleStreamView<double>(stream), request_for(2, true))
        .report;
  };
  const Report passed = run({.blocks = 2}, 2);
  CHECK(passed.status == Status::Finished);  // one pass was asked for: 35 full batches
  CHECK(passed.iterations == 35);
  CHECK(passed.samples == 100);
  const Report few = run({.blocks = 2});
  CHECK(few.status == Status::NotConverged);
  CHECK(few.iterations == 3);
  CHECK_THAT(few.reason, ContainsSubstring("the stream ended after 3 steps, and 2 blocks need 32"));
  const Report ended = run({.blocks = 2, .steps = 9});
  CHECK(ended.status == Status::NotConverged);
  CHECK_THAT(ended.reason, ContainsSubstring("the stream ended after 3 steps"));
  const Report epochs = run({.blocks = 2, .epochs = 3});
  CHECK(epochs.status == Status::NotConverged);
  CHECK_THAT(epochs.reason, ContainsSubstring("the stream ended after 3 steps"));
}

TEST_CASE("doubly_stochastic: streams of unknown length have 16 steps for each block, too",
          "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(300, 2, 3);
  DoublyStochasticParams params{.blocks = 6, .data_batch = 40, .start_rows = 50, .shuffle = false};
  const auto solve = [&](SampleStreamView<double> stream) {
    return DoublyStochastic{RandomFourier{.features = 16}, params}.solve(Gaussian(1.0), stream,
                                                                         request_for(2, true));
  };
  const auto solve_unknown = [&] {
    Index at = 0;
    CallbackStream<double> stream(
        2,
        [&](Index most) {
          const Index first = std::exchange(at, (std::min)(x.rows(), at + most));
          return Matrix<double>(x.middleRows(first, at - first));
        },
        [&] {
          at = 0;
          return true;
        });
    return solve(stream);
  };
  MatrixStream known(x);
  const auto found = solve_unknown(), same = solve(known);
  CHECK(found.report.status == Status::Finished);
  CHECK(found.report.iterations == 16 * 6);  // one pass has 7 batches
  CHECK(found.report.samples == 300);
  // The steps differ by their decay, which depends on how many are known to come; 7 % were
  // measured.
  REQUIRE(found.eigenvalues.size() == 2);
  CHECK((found.eigenvalues - same.eigenvalues).norm() <= 0.1 * same.eigenvalues(0));
  params.epochs = 20;  // more than 16 steps for each block
  CHECK(solve_unknown().report.iterations > 16 * 6);
}

TEST_CASE("doubly_stochastic: a stream that begins again without rows ends", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(100, 2, 3);
  bool left = true;
  CallbackStream<double> stream(
      2,
      [&](Index) { return Matrix<double>(std::exchange(left, false) ? x : Matrix<double>(0, 2)); },
      [] { return true; });
  const DoublyStochastic solver{RandomFourier{.features = 4},
                                {.blocks = 2, .data_batch = 20, .epochs = 3, .start_rows = 30}};
  const Report report =
      solver.solve(Gaussian(1.0), SampleStreamView<double>(stream), request_for(2, true)).report;
  CHECK(report.status == Status::NotConverged);
  CHECK_THAT(report.reason, ContainsSubstring("the stream ended after"));
}

TEST_CASE("doubly_stochastic: few samples, and samples that coincide", "[solvers]") {
  const DoublyStochastic solver{RandomFourier{.features = 10}, {.blocks = 3}};
  const Matrix<double> one = Matrix<double>::Ones(1, 2), same = Matrix<double>::Ones(9, 2);
  CHECK(solve(solver, one, request_for(1, true)).eigenvalues.size() == 0);
  const FeatureSolution<double> single = solve(solver, one, request_for(1, false));
  REQUIRE(single.eigenvalues.size() == 1);
  // Steps of 1 / ell_1 = 1 from a start of norm 1 leave it near 1; 48 steps.
  CHECK(single.eigenvalues(0) == Approx(1).epsilon(0.05));
  CHECK(solve(solver, same, request_for(3, true)).eigenvalues.size() == 0);
  // More components than the rank of the centred matrix, two.
  Matrix<double> three(30, 2);
  for (Index i = 0; i < 30; ++i)
    three.row(i) << static_cast<double>(i % 3), static_cast<double>(i % 3 == 1);
  const FeatureSolution<double> found = solve(solver, three, request_for(5, true));
  CHECK(found.eigenvalues.size() == 2);
  CHECK(found.report.zero_eigenvalues == 3);
  CHECK(found.coefficients.allFinite());
}

TEST_CASE("doubly_stochastic: the steps are those of the start", "[solvers]") {
  const auto map = phases(64).bind<double>(Gaussian(1.0), {1, 4}, 3);
  const Matrix<double> x = normal_matrix<double>(400, 1, 2, "x");
  for (const Index rows : {400, 40}) {  // covariance or Gram matrix
    const auto start = doubly_stochastic_start(map, Matrix<double>(x.topRows(rows)), 3, true, 1);
    Matrix<double> z = block_features(map, 0, Matrix<double>(x.topRows(rows)));
    z.rowwise() -= z.colwise().mean().eval();
    const EigenSystem<double> exact =
        symmetric_eigensystem<double>(z.transpose() * z / static_cast<double>(rows));
    CHECK((start.eigenvalues.head(4) - exact.values.head(4)).cwiseAbs().maxCoeff() <= 1e-13);
    CHECK(orthogonality_error(start.coefficients) <= 1e-13);
    CHECK(principal_angles(start.coefficients, exact.vectors.leftCols(3)).largest_squared_sine() <=
          1e-20);
    const auto oja = detail::schedule_for<double>({}, true, 2, 0, start);
    CHECK(oja.step == Approx(1 / exact.values(0)));
    CHECK(oja.step / oja.decay == Approx(2 / (exact.values(1) - exact.values(2))));
    CHECK(detail::schedule_for<double>({}, true, 2, 20, start).decay == 16.0 / 20);
    // Beyond the rank, gaps are no measure.
    CHECK(detail::schedule_for<double>({}, true, 64, 0, start).decay == Approx(0.005));
  }
  const auto given = detail::schedule_for<double>({.step = 2.0, .decay = 0.0}, true, 1, 9, {});
  CHECK(given.step == 2);
  CHECK(given.decay == 0);
}

TEST_CASE("doubly_stochastic: progress, and cancelled", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(200, 2, 3);
  const DoublyStochastic solver{RandomFourier{.features = 5}, {.blocks = 4, .data_batch = 20}};
  Index seen = 0;
  const FeatureSolution<double> found =
      solve(solver, x, request_for(2, true), [&](const Progress& progress) {
        CHECK(progress.phase == "doubly stochastic steps");
        CHECK(progress.total == 64);
        seen = progress.step;
        return seen < 5;
      });
  CHECK(seen == 5);
  CHECK(found.report.status == Status::Cancelled);
  CHECK(found.report.iterations == 5);
  CHECK(found.eigenvalues.size() == 2);
}

TEST_CASE("doubly_stochastic: what is refused", "[solvers]") {
  const RandomFourier map{.features = 5};
  const Matrix<double> x = test::uniform_samples<double>(50, 2, 3);
  const auto error = [&](Components k) {
    return test::error_of([&] { return solve(DoublyStochastic{map}, x, request_for(k, true)); });
  };
  CHECK_THAT(error(11), ContainsSubstring("11 components need as many features, but there are 10"));
  CHECK_THAT(error(0.5), ContainsSubstring("got the fraction 0.5 of variance"));
  GeneratedStream<double> forever = normal_stream(endless, 1);
  CHECK_THAT(test::error_of([&] {
               return DoublyStochastic{map}.solve(Gaussian(1.0), SampleStreamView<double>(forever),
                                                  request_for(2, true));
             }),
             ContainsSubstring("say how many steps"));
  const auto bad = [&](DoublyStochasticParams params) {
    return test::error_of([&] { return DoublyStochastic{map, params}; });
  };
  CHECK_THAT(bad({.blocks = 0}), ContainsSubstring("blocks must be at least 1"));
  CHECK_THAT(bad({.data_batch = 1}), ContainsSubstring("data_batch must be at least 2"));
  CHECK_THAT(bad({.step = -1.0}), ContainsSubstring("step must be positive"));
  CHECK_THAT(bad({.decay = -1.0}), ContainsSubstring("decay must be finite and not negative"));
}

TEST_CASE("DoublyStochastic: samples near the ends of the range", "[solvers]") {
  const Matrix<double> x = test::uniform_samples<double>(100, 3, 9);
  const auto fit = [&](double scale) {
    const Matrix<double> samples = scale * x;
    MatrixStream stream(samples);
    const DoublyStochastic solver{RandomMaclaurin{.features = 20}, {.blocks = 2, .data_batch = 20}};
    return solver.solve(Linear{}, SampleStreamView<double>(stream), request_for(2, true));
  };
  // Eigenvalues of about 1e-310 have some digits left; their inverse is out of range.
  const auto small = fit(1e-156);
  REQUIRE(small.eigenvalues.size() == 2);
  CHECK(small.coefficients.allFinite());
  CHECK(small.eigenvalues(0) > 0);
  CHECK_THROWS_WITH(fit(1e200), ContainsSubstring("the squares of the features overflow"));
}

TEST_CASE("DoublyStochastic: residuals are those of the scores of a model", "[solvers]") {
  // Coefficients are rounded, so that scores of small components contain some of the large ones.
  const Index n = 40, k = 3;
  Matrix<double> x = test::uniform_samples<double>(n, 5, 7);
  x.topRows(2).array() += 3e5;
  const auto model = KernelPca{Linear{},
                               DoublyStochastic{ExactFeatures{}, {.steps = 64, .tolerance = 1e-12}},
                               {.components = k, .centered = false}}
                         .fit(x);
  const Report& report = model.report();
  REQUIRE(report.components >= 2);
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const Long rows = x.cast<long double>(), gram = rows * rows.transpose();
  const Long scores = model.transform(x).template cast<long double>();
  constexpr double entries = 8 * std::numeric_limits<double>::epsilon();  // rounding of K itself
  for (Index i = 0; i < report.components; ++i) {
    const auto mu = static_cast<long double>(model.eigenvalues()(i));
    const Long u = scores.col(i) / std::sqrt(mu);
    const auto found = static_cast<double>((gram * u - mu * u).norm());
    CAPTURE(i, found, report.residuals, model.eigenvalues());
    CHECK(found <= report.residuals[static_cast<std::size_t>(i)] +
                       entries * static_cast<double>(gram.trace()));
    if (report.status == Status::Converged) CHECK(found <= 1e-12 * model.eigenvalues()(0));
  }
}

TEST_CASE("DoublyStochastic: residuals of samples that hardly vary, in single precision",
          "[solvers][law]") {
  // K is nearly constant: means in single precision, which K multiplies by its large row sums, and
  // kernel values in single precision would each spoil digits of the residuals.
  const Index n = 55;
  const Polynomial kernel({.gamma = 0.0067, .coef0 = 0, .degree = 2});
  int components = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix<float> x = (4 * test::uniform_samples<double>(n, 2, seed, 1, 1.003)).cast<float>();
    const DoublyStochastic solver{RandomMaclaurin{.features = 64}, {.blocks = 4, .seed = seed}};
    const auto model = KernelPca{kernel, solver, {.components = 2}}.fit(x);
    const Matrix<double> k = gram(kernel, Matrix<double>(x.cast<double>()));
    const Matrix<double> scores = model.transform(x).cast<double>();
    for (Index i = 0; i < scores.cols(); ++i, ++components) {
      const double mu = static_cast<double>(model.eigenvalues()(i));
      const Vector<double> u = scores.col(i).normalized();
      const Vector<double> product = k * (u.array() - u.mean()).matrix();
      const double found = ((product.array() - product.mean()).matrix() - mu * u).norm();
      // Scores are rounded; their lengths are those of eigenvalues to 2e-4.
      CHECK(found <= 1.001 * model.report().residuals[static_cast<std::size_t>(i)]);
      CHECK(found >= 0.4 * model.report().residuals[static_cast<std::size_t>(i)]);
    }
  }
  CHECK(components >= 20);
}

}  // namespace doubly_stochastic_test
