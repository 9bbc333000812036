// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <mercer/core/moment_sum.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/split_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/pair_evaluation.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace doubly_stochastic_pairs_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Pairs with a common cause, in one column of each view.
template <Real S>
struct Samples {
  Matrix<S> x, y;

  explicit Samples(Index n) {
    const Matrix<double> common = normal_matrix<double>(n, 1, 1, "common");
    const Matrix<double> a = normal_matrix<double>(n, 2, 2, "x"),
                         b = normal_matrix<double>(n, 3, 3, "y");
    x = (.6 * a).cast<S>();
    y = (.6 * b).cast<S>();
    x.col(0) += (.8 * common).template cast<S>();
    y.col(2) += (.8 * common).template cast<S>();
  }
};

RandomFourier map_of(Index features) {
  return {.features = features, .form = FourierForm::Phase};
}

/// 30 steps over 150 pairs, so that batches of 32 run over the ends of the passes.
DoublyStochasticParams short_run() {
  return {.blocks = 4, .data_batch = 32, .steps = 30, .start_rows = 20};
}

template <class Model>
void check_same_bits(const Model& a, const Model& b) {
  CHECK(a.functions_x().expansion().coefficients == b.functions_x().expansion().coefficients);
  CHECK(a.functions_y().expansion().coefficients == b.functions_y().expansion().coefficients);
  CHECK(a.functions_x().expansion().offset == b.functions_x().expansion().offset);
  CHECK(a.functions_y().expansion().offset == b.functions_y().expansion().offset);
  const PairReport &p = a.report(), &q = b.report();
  CHECK(p.training_correlations == q.training_correlations);
  CHECK(p.samples == q.samples);
  REQUIRE(p.stochastic);
  REQUIRE(q.stochastic);
  CHECK(p.stochastic->steps == q.stochastic->steps);
  CHECK(p.stochastic->step_sum == q.stochastic->step_sum);
}

auto short_cca(std::uint64_t seed = 1) {
  DoublyStochasticParams params = short_run();
  params.seed = seed;
  return KernelCca{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), params},
                   KernelCcaParams{.components = 2, .regularization = 1e-2}};
}

/// Some value of the whole problem is as near as the bounds say.
void check_certificate(const Vector<double>& values, const PairReport& report,
                       const Vector<double>& whole) {
  REQUIRE(report.error_bounds.size() == static_cast<std::size_t>(values.size()));
  for (Index j = 0; j < values.size(); ++j) {
    CAPTURE(values(j), report.error_bounds[static_cast<std::size_t>(j)]);
    CHECK((whole.array() - values(j)).abs().minCoeff() <=
          report.error_bounds[static_cast<std::size_t>(j)]);
  }
}

}  // namespace

// The exact solution in the same features is FeaturePca's: a run with one block of all features
// tends to it. Errors of functions are of order (steps)^(-1/2) and shrink by the last step.
TEST_CASE("doubly_stochastic_pairs: tends to the result of the same features", "[models]") {
  const Samples<double> s(1500);
  MatrixStream xs(s.x);
  MatrixStream ys(s.y);
  ZipStream pairs(xs, ys);
  const Gaussian kx(1.5), ky(2.0);
  const DoublyStochastic steps{map_of(48),
                               {.blocks = 1, .data_batch = 128, .steps = 1500, .start_rows = 1024}};
  const FeaturePca exact{map_of(48)};
  SECTION("kernel SVD") {
    const KernelSvdParams params{.components = 2};
    const auto found = KernelSvd{kx, ky, steps, params}.fit(pairs);
    const auto wanted = KernelSvd{kx, ky, exact, params}.fit(pairs);
    REQUIRE(found.components() == 2);
    CHECK(
        (found.singular_values().array() / wanted.singular_values().array() - 1).abs().maxCoeff() <=
        .02);
    const Matrix<double> f = found.transform_x(s.x), g = wanted.transform_x(s.x);
    for (Index j = 0; j < 2; ++j) {
      const double cosine = std::abs(f.col(j).dot(g.col(j))) / (f.col(j).norm() * g.col(j).norm());
      CHECK(cosine >= .98);
      CHECK(f.col(j).norm() == Approx(g.col(j).norm()).epsilon(.03));
      CHECK(std::abs(f.col(j).mean()) <= 1e-10);
    }
    CHECK(found.dependence() == Approx(found.singular_values().squaredNorm()).epsilon(1e-14));
    const PairReport& report = found.report();
    CHECK(report.status == Status::Finished);
    CHECK(report.method == "kernel-svd");
    CHECK(report.samples == 1500);
    CHECK_FALSE(report.views[0].kappa);
    REQUIRE(report.stochastic);
    CHECK(report.stochastic->steps == 1500);
    CHECK(report.stochastic->evaluation_rows == 1500);
    CHECK(report.stochastic->implicit_ridge == 1 / report.stochastic->step_sum);
    CHECK(report.views[1].basis.dimension == 3);
    CHECK_THAT(report.views[0].basis.solver_form, ContainsSubstring("oja, 1 blocks of 48 and 48"));
    // All pairs were evaluated, so the bounds hold for the problem in the features.
    const auto all = KernelSvd{kx, ky, exact, KernelSvdParams{.components = 48}}.fit(pairs);
    check_certificate(found.singular_values(), report, all.singular_values());
    for (const ViewReport& view : report.views) {
      REQUIRE(view.residuals.size() == 2);
      for (const double residual : view.residuals)
        CHECK(residual <= .2 * found.singular_values()(0));
    }
  }
  SECTION("kernel CCA") {
    const KernelCcaParams params{.components = 2, .regularization = 2e-2};
    const auto found = KernelCca{kx, ky, steps, params}.fit(pairs);
    const auto wanted = KernelCca{kx, ky, exact, params}.fit(pairs);
    REQUIRE(found.components() == 2);
    const std::vector<double> pearson = wanted.correlations(s.x, s.y);
    CHECK(std::abs(found.correlations()(0) - pearson[0]) <= .02);
    CHECK(found.correlations()(0) == Approx(found.report().training_correlations[0]).epsilon(1e-6));
    const Matrix<double> f = found.transform_x(s.x), g = wanted.transform_x(s.x);
    CHECK(std::abs(f.col(0).dot(g.col(0))) / (f.col(0).norm() * g.col(0).norm()) >= .98);
    CHECK(f.col(0).squaredNorm() / 1500 == Approx(1).epsilon(1e-6));
    CHECK(found.report().views[0].kappa);
    CHECK(*found.report().views[0].kappa == Approx(*wanted.report().views[0].kappa).epsilon(.05));
    CHECK(found.report().stochastic->step_sum > 0);
    KernelCcaParams every = params;
    every.components = 48;
    check_certificate(found.correlations(), found.report(),
                      KernelCca{kx, ky, exact, every}.fit(pairs).correlations());
    for (const ViewReport& view : found.report().views) CHECK(view.residuals.size() == 2);
  }
}

TEST_CASE("doubly_stochastic_pairs: residuals are judged by a tolerance", "[models]") {
  const Samples<double> s(300);
  const auto fitted = [&](double tolerance, Index steps, Index evaluation_rows, auto method) {
    DoublyStochasticParams params = short_run();
    params.steps = steps;
    params.start_rows = 200;
    params.evaluation_rows = evaluation_rows;
    params.tolerance = tolerance;
    return method(DoublyStochastic{map_of(16), params}).fit(s.x, s.y);
  };
  const auto svd = [](const auto& solver) {
    return KernelSvd{Gaussian{1.0}, Gaussian{1.5}, solver, KernelSvdParams{.components = 2}};
  };
  const auto cca = [](double ridge) {
    return [ridge](const auto& solver) {
      return KernelCca{Gaussian{1.0}, Gaussian{1.5}, solver,
                       KernelCcaParams{.components = 1, .regularization = ridge}};
    };
  };
  CHECK(fitted(0, 600, 300, svd).report().status == Status::Finished);
  const auto reached = fitted(.5, 600, 300, svd);
  CHECK(reached.report().status == Status::Converged);
  const auto missed = fitted(1e-6, 600, 300, svd);
  CHECK(missed.report().status == Status::NotConverged);
  CHECK_THAT(missed.report().views[0].basis.reason,
             ContainsSubstring("of the largest |C_xy g|, the tolerance 1e-06"));
  // The tolerance changes nothing else.
  CHECK(missed.singular_values() == reached.singular_values());
  CHECK(missed.report().views[1].residuals == reached.report().views[1].residuals);
  // More steps, smaller residuals.
  CHECK(fitted(0, 40, 300, svd).report().views[0].residuals[0] >
        reached.report().views[0].residuals[0]);

  CHECK(fitted(.9, 600, 300, cca(.1)).report().status == Status::Converged);
  // Both the residuals and the sum of the steps must be good.
  CHECK(fitted(.9, 30, 300, cca(1e-4)).report().status == Status::NotConverged);
  // Bounds need all pairs and a ridge.
  CHECK(fitted(0, 600, 300, cca(.1)).report().error_bounds.size() == 1);
  CHECK(fitted(0, 600, 250, cca(.1)).report().error_bounds.empty());
  const auto open = fitted(0, 600, 300, cca(0));
  CHECK(open.report().error_bounds.empty());
  CHECK(open.report().views[0].residuals.size() == 1);
}

SCALAR_TEST_CASE("doubly_stochastic_pairs: a resumed fit has the bits of one in one go",
                 "[models]") {
  const Samples<TestType> s(150);
  MatrixStream xs(s.x);
  MatrixStream ys(s.y);
  ZipStream pairs(xs, ys);
  std::vector<PairCheckpoint> checkpoints;
  const PairCheckpoints collect{.every = 7,
                                .visit = [&](const PairCheckpoint& c) { checkpoints.push_back(c); },
                                .resume = nullptr};
  const auto resume = [](const PairCheckpoint& c) {
    return PairCheckpoints{
        .every = 0, .visit = {}, .resume = std::make_shared<const PairCheckpoint>(c)};
  };
  const auto cca = short_cca();
  const auto whole = cca.fit(pairs, {}, collect);
  REQUIRE(checkpoints.size() == 4);
  CHECK(checkpoints[2].run.steps == 21);
  CHECK(checkpoints[2].passes > 0);
  check_same_bits(whole, cca.fit(pairs));
  for (const PairCheckpoint& checkpoint : checkpoints)
    check_same_bits(whole, cca.fit(pairs, {}, resume(checkpoint)));

  // Kernel SVD has a mean of moments to remember.
  const std::vector<PairCheckpoint> of_cca = std::move(checkpoints);
  checkpoints.clear();
  const KernelSvd svd{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), short_run()},
                      KernelSvdParams{.components = 3}};
  const auto whole_svd = svd.fit(pairs, {}, collect);
  check_same_bits(whole_svd, svd.fit(pairs, {}, resume(checkpoints[1])));

  // Of another fit, or of other samples.
  CHECK_THROWS_WITH(short_cca(2).fit(pairs, {}, resume(of_cca[0])),
                    ContainsSubstring("seed: 1 there, 2 here"));
  CHECK_THROWS_WITH(svd.fit(pairs, {}, resume(of_cca[0])),
                    ContainsSubstring("method: kernel-cca there, kernel-svd here"));
  Matrix<TestType> changed = s.y;
  changed(97, 1) += TestType(1e-3);
  MatrixStream others(changed);
  CHECK_THROWS_WITH(cca.fit(ZipStream(xs, others), {}, resume(of_cca[3])),
                    ContainsSubstring("the samples differ"));
}

TEST_CASE("doubly_stochastic_pairs: the same bits from memory, and with any threads", "[models]") {
  const Samples<double> s(150);
  Matrix<double> both(150, 5);
  both << s.x, s.y;
  const auto cca = short_cca();
  const auto in_memory = cca.fit(s.x, s.y);
  const int threads = thread_count();
  for (const int count : {1, 3}) {
    set_thread_count(count);
    MatrixStream rows(both);
    check_same_bits(in_memory, cca.fit(SplitStream(rows, 2)));
  }
  set_thread_count(threads);
  const auto held =
      KernelCca{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), short_run()},
                KernelCcaParams{.components = 2, .holdout = .2}}
          .fit(s.x, s.y);
  CHECK(held.report().samples == 120);
  CHECK(held.report().holdout_samples == 30);
  CHECK(held.report().holdout_correlations.size() == 2);

  // Views with maps of their own.
  DoublyStochasticParams other_seed = short_run();
  other_seed.seed = 9;
  const auto two_maps = KernelSvd{
      Gaussian{1.0}, Gaussian{1.5},
      Views{DoublyStochastic{map_of(16), short_run()}, DoublyStochastic{map_of(10), other_seed}},
      KernelSvdParams{}}.fit(s.x, s.y);
  CHECK(two_maps.functions_x().expansion().coefficients.rows() == 64);
  CHECK(two_maps.functions_y().expansion().coefficients.rows() == 40);
  CHECK(two_maps.functions_y().expansion().seed == 9);
}

TEST_CASE("doubly_stochastic_pairs: how it ends", "[models]") {
  const Samples<double> s(150);
  MatrixStream xs(s.x);
  MatrixStream ys(s.y);
  ZipStream pairs(xs, ys);
  // 30 steps are far too few for a ridge of 1e-4 of the variance; 600 are enough for .1 of it.
  const auto cca = [&](double ridge, Index steps = 30) {
    DoublyStochasticParams params = short_run();
    params.steps = steps;
    return KernelCca{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), params},
                     KernelCcaParams{.components = 1, .regularization = ridge}}
        .fit(pairs);
  };
  const auto few = cca(1e-4);
  CHECK(few.report().status == Status::NotConverged);
  CHECK_THAT(few.report().views[0].basis.reason, ContainsSubstring("S kappa rho"));
  CHECK(cca(0).report().status == Status::Finished);
  const auto enough = cca(.1, 600);
  CHECK(enough.report().stochastic->step_sum * *enough.report().views[0].kappa *
            enough.correlations()(0) >=
        2);
  CHECK(enough.report().status == Status::Finished);

  // The start alone holds the features of both views at 20 rows, their basis and their scores.
  CHECK(enough.report().bytes >= 2 * 20 * (32 + 32 + 20) * sizeof(double));

  // A stream that ends, and cannot be read again.
  Index at = 0;
  Matrix<double> both(150, 5);
  both << s.x, s.y;
  CallbackStream<double> calls(5, [&](Index most) {
    const Index first = std::exchange(at, (std::min)(Index{150}, at + most));
    return Matrix<double>(both.middleRows(first, at - first));
  });
  const auto ended = short_cca().fit(SplitStream(calls, 2));
  CHECK(ended.report().status == Status::NotConverged);
  CHECK(ended.report().stochastic->steps == 4);
  CHECK(ended.report().stochastic->evaluation_rows == 20);  // those of the start
  CHECK(ended.report().samples == 150);
  CHECK_THAT(ended.report().views[0].basis.reason,
             ContainsSubstring("the stream ended after 4 steps"));

  // Coefficients that are finite, but whose functions overflow.
  const auto overflow = [&](const auto& model) {
    std::vector<PairCheckpoint> checkpoints;
    static_cast<void>(
        model.fit(pairs, {},
                  {.every = 7,
                   .visit = [&](const PairCheckpoint& c) { checkpoints.push_back(c); },
                   .resume = nullptr}));
    PairCheckpoint large = checkpoints.front();
    large.run.x *= 1e200;
    const auto fitted = model.fit(
        pairs, {},
        {.every = 0, .visit = {}, .resume = std::make_shared<const PairCheckpoint>(large)});
    CHECK(fitted.report().status == Status::NotConverged);
    CHECK_THAT(fitted.report().views[0].basis.reason, ContainsSubstring("overflow"));
    CHECK(fitted.components() == 0);
  };
  overflow(short_cca());
  overflow(KernelSvd{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), short_run()},
                     KernelSvdParams{.components = 3}});

  const auto cancelled = short_cca().fit(pairs, [](const Progress& p) {
    return p.phase != std::string_view("doubly stochastic steps") || p.step < 10;
  });
  CHECK(cancelled.report().status == Status::Cancelled);
  CHECK(cancelled.report().stochastic->steps == 10);
}

TEST_CASE("doubly_stochastic_pairs: pairs of functions that do not exist are zero", "[models]") {
  const Samples<double> s(400);
  const auto fitted = [&](const Matrix<double>& y, double tolerance) {
    DoublyStochasticParams params = short_run();
    params.steps = 300;
    params.start_rows = 200;
    params.tolerance = tolerance;
    return KernelSvd{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), params},
                     KernelSvdParams{.components = 2}}
        .fit(s.x, y);
  };
  const auto check = [](const auto& model, Index found, Status status) {
    CHECK(model.components() == found);
    CHECK(model.report().status == status);
    for (const ViewReport& view : model.report().views) {
      CHECK(view.basis.zero_eigenvalues == 2 - found);
      CHECK(view.residuals.size() == static_cast<std::size_t>(found));
    }
  };
  // A view that is constant has none, and one of two values has one.
  const Matrix<double> constant = Matrix<double>::Constant(400, 3, 2);
  check(fitted(constant, .5), 0, Status::Converged);
  check(fitted(constant, 0), 0, Status::Finished);
  const Matrix<double> sign = (s.x.col(0).array() > 0).cast<double>();
  check(fitted(sign, .5), 1, Status::Converged);
}

TEST_CASE("doubly_stochastic_pairs: a view that varies, but not with the other, is not converged",
          "[models]") {
  // Each of two values of x with each of y, as often: the cross covariance is zero.
  const Index n = 400;
  Matrix<double> x(n, 1), y(n, 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = static_cast<double>(i % 2);
    y(i, 0) = static_cast<double>(i / 2 % 2);
  }
  DoublyStochasticParams params = short_run();
  params.data_batch = n;  // so that it is zero in each step
  params.start_rows = n;
  params.tolerance = .5;
  const auto model = KernelSvd{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), params},
                               KernelSvdParams{.components = 1}}
                         .fit(x, y);
  CHECK(model.components() == 0);
  CHECK(model.report().status == Status::NotConverged);
  CHECK_THAT(model.report().views[0].basis.reason, ContainsSubstring("only 0 pairs"));
  CHECK(model.report().views[0].basis.zero_eigenvalues == 0);
}

TEST_CASE("doubly_stochastic_pairs: a residual that is NaN is the largest", "[models]") {
  // Functions of two features whose image in view y is not a number, or zero as they are.
  detail::PairRotation rotation{Matrix<double>::Identity(2, 2), Matrix<double>::Identity(2, 2),
                                Vector<double>::Ones(2)};
  Matrix<double> rows = normal_matrix<double>(9, 4, 1, "values");
  detail::MomentSum<double> sum(4, true);
  sum.add(rows);
  const detail::PairMoments moments(sum, true);
  const auto worst = [&](const Matrix<double>& coefficients, const Matrix<double>& means) {
    const detail::ViewImages x(coefficients, 1, means, true, 0),
        y(coefficients, 1, means, false, 0);
    return detail::pair_residuals<double>(PairMethod::Svd, moments, rotation, x, y).worst;
  };
  const Matrix<double> one = Matrix<double>::Identity(2, 2), zero = Matrix<double>::Zero(2, 4);
  Matrix<double> exact(2, 4), broken(2, 4);
  exact << one, one;
  broken = exact;
  broken(0, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK(worst(one, exact) == 0);
  CHECK(worst(one, zero) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(worst(one, broken)));
  CHECK(std::isnan(worst(Matrix<double>::Zero(2, 2), zero)));
}

TEST_CASE("doubly_stochastic_pairs: what is refused", "[models]") {
  const Samples<double> s(150);
  MatrixStream xs(s.x);
  MatrixStream ys(s.y);
  const auto error = [&](DoublyStochasticParams params, KernelCcaParams of_cca) {
    return test::error_of([&] {
      return KernelCca{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), params}, of_cca}
          .fit(ZipStream(xs, ys));
    });
  };
  CHECK_THAT(error({.data_batch = 2, .steps = 3}, {}),
             ContainsSubstring("steps need batches of at least 3 pairs, got 2"));
  CHECK_THAT(error({.tolerance = -.1}, {}), ContainsSubstring("tolerance"));
  CHECK_THAT(error({}, {.components = 17}),
             ContainsSubstring("in a block of view x: 17 components"));
  CHECK_THAT(error({}, {.components = 0}), ContainsSubstring("components must be between"));
  CHECK_THAT(error({}, {.regularization = -1}), ContainsSubstring("regularization"));
  CHECK_THAT(error({}, {.holdout = .5}), ContainsSubstring("cannot be held out"));

  const auto cca = short_cca();
  const Matrix<double> constant = Matrix<double>::Ones(150, 2);
  MatrixStream still(constant);
  CHECK_THAT(test::error_of([&] { return cca.fit(ZipStream(still, ys)); }),
             ContainsSubstring("view x does not vary in the first rows"));
  Matrix<double> bad = s.y;
  bad(3, 1) = std::numeric_limits<double>::quiet_NaN();
  MatrixStream broken(bad);
  CHECK_THAT(test::error_of([&] { return cca.fit(ZipStream(xs, broken)); }),
             ContainsSubstring("view y: samples must be finite, got nan at row 3, column 1"));
  GeneratedStream<double> forever(5, endless, [](Index, GramOut<double> out) { out.setOnes(); });
  DoublyStochasticParams no_steps = short_run();
  no_steps.steps = 0;
  const KernelSvd svd{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), no_steps},
                      KernelSvdParams{}};
  CHECK_THAT(test::error_of([&] { return svd.fit(SplitStream(forever, 2)); }),
             ContainsSubstring("does not end; say how many steps"));
  CallbackStream<double> calls(5, [](Index) { return normal_matrix<double>(40, 5, 1, "calls"); });
  const KernelCca unknown{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), no_steps},
                          KernelCcaParams{}};
  CHECK_THAT(test::error_of([&] { return unknown.fit(SplitStream(calls, 2)); }),
             ContainsSubstring("say how many steps, or the decay"));
  DoublyStochasticParams other = short_run();
  other.blocks = 3;
  const KernelSvd differ{
      Gaussian{1.0}, Gaussian{1.5},
      Views{DoublyStochastic{map_of(16), short_run()}, DoublyStochastic{map_of(16), other}},
      KernelSvdParams{}};
  CHECK_THAT(test::error_of([&] { return differ.fit(s.x, s.y); }),
             ContainsSubstring("may differ in map and seed only"));
  const DoublyStochastic with_checkpoints{
      map_of(16), short_run(), {.every = 3, .visit = [](const auto&) {}, .resume = nullptr}};
  const KernelSvd wrong{Gaussian{1.0}, Gaussian{1.5}, with_checkpoints, KernelSvdParams{}};
  CHECK_THAT(test::error_of([&] { return wrong.fit(s.x, s.y); }),
             ContainsSubstring("give the checkpoints of pairs to fit()"));
  // Not an error of kernel SVD: a constant view has no components.
  const KernelSvd short_svd{Gaussian{1.0}, Gaussian{1.5}, DoublyStochastic{map_of(16), short_run()},
                            KernelSvdParams{}};
  const auto none = short_svd.fit(ZipStream(still, ys));
  CHECK(none.components() == 0);
  CHECK(none.report().status == Status::Finished);
}

}  // namespace doubly_stochastic_pairs_test
