// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/random.hpp>
#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/zip_stream.hpp>
#include <mercer/features/orthogonal_fourier.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include <tests/support/catch.hpp>

namespace doubly_stochastic_checkpoint_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

namespace {

using Checkpoints = std::vector<DoublyStochasticCheckpoint>;

/// 150 rows, so that batches of 32 run over the ends of the passes.
template <Real S>
Matrix<S> samples() {
  return normal_matrix<S>(150, 3, 4, "samples");
}

template <Real S, class F = RandomFourier>
auto fit(const Matrix<S>& x, const DoublyStochasticCheckpoints& checkpoints,
         const Observer& observer = {}, DoublyStochasticParams params = {},
         const F& map = RandomFourier{.features = 8}) {
  params.blocks = 4;
  params.data_batch = 32;
  params.steps = 30;
  params.start_rows = 20;
  const DoublyStochastic solver{map, params, checkpoints};
  return KernelPca{Gaussian{1.5}, solver, {.components = 2}}.fit(x, observer);
}

DoublyStochasticCheckpoints collecting(Checkpoints& into) {
  return {.every = 7, .visit = [&into](const auto& c) { into.push_back(c); }, .resume = nullptr};
}

DoublyStochasticCheckpoints from(const DoublyStochasticCheckpoint& checkpoint) {
  return {.every = 0,
          .visit = {},
          .resume = std::make_shared<const DoublyStochasticCheckpoint>(checkpoint)};
}

template <class Model>
void check_same_bits(const Model& a, const Model& b) {
  CHECK(a.coefficients() == b.coefficients());
  CHECK(a.eigenvalues() == b.eigenvalues());
  CHECK(a.offset() == b.offset());
  CHECK(a.report().iterations == b.report().iterations);
  CHECK(a.report().samples == b.report().samples);
  CHECK(a.report().residuals == b.report().residuals);
}

}  // namespace

SCALAR_TEST_CASE("checkpoints: a resumed fit has the bits of one that was not interrupted",
                 "[solvers]") {
  const Matrix<TestType> x = samples<TestType>();
  Checkpoints checkpoints;
  const auto whole = fit<TestType>(x, collecting(checkpoints));
  REQUIRE(checkpoints.size() == 4);  // after 7, 14, 21 and 28 of 30 steps
  CHECK(checkpoints[2].run.steps == 21);
  CHECK(checkpoints[2].passes > 0);
  check_same_bits(whole, fit<TestType>(x, {}));
  for (const auto& checkpoint : checkpoints)
    check_same_bits(whole, fit<TestType>(x, from(checkpoint)));
}

TEST_CASE("checkpoints: a cancelled fit gives one more, and can be resumed", "[solvers]") {
  const Matrix<double> x = samples<double>();
  Checkpoints checkpoints;
  const auto stop = [](const Progress& p) {
    return p.phase != std::string_view("doubly stochastic steps") || p.step < 10;
  };
  const auto cut = fit<double>(x, collecting(checkpoints), stop);
  CHECK(cut.report().status == Status::Cancelled);
  REQUIRE(checkpoints.size() == 2);
  CHECK(checkpoints.back().run.steps == 10);
  check_same_bits(fit<double>(x, {}), fit<double>(x, from(checkpoints.back())));
}

TEST_CASE("checkpoints: functions that overflow give no components, and no error", "[solvers]") {
  const Matrix<double> x = samples<double>();
  Checkpoints checkpoints;
  static_cast<void>(fit<double>(x, collecting(checkpoints)));
  checkpoints[0].run.coefficients *= 1e200;  // finite, but their squares are not
  const auto model = fit<double>(x, from(checkpoints[0]));
  CHECK(model.report().status == Status::NotConverged);
  CHECK_THAT(model.report().reason, ContainsSubstring("overflow"));
  CHECK(model.eigenvalues().size() == 0);
  CHECK(model.transform(x).cols() == 0);
}

TEST_CASE("checkpoints: a stream without end goes on where it stood", "[solvers]") {
  const auto fill = [](Index first, GramOut<double> out) {
    for (Index i = 0; i < out.rows(); ++i) {
      RandomStream draws(7, "samples", static_cast<std::uint64_t>(first + i));
      out(i, 0) = draws.normal();
    }
  };
  const auto model = [&](const DoublyStochasticCheckpoints& checkpoints) {
    GeneratedStream<double> stream(1, endless, fill);
    const DoublyStochastic solver{RandomFourier{.features = 8},
                                  {.blocks = 3, .data_batch = 16, .steps = 12, .start_rows = 20},
                                  checkpoints};
    return KernelPca{Gaussian{1.0}, solver, {.components = 2}}.fit(stream);
  };
  Checkpoints checkpoints;
  const auto whole = model(collecting(checkpoints));
  REQUIRE(checkpoints.size() == 1);
  check_same_bits(whole, model(from(checkpoints.front())));
}

TEST_CASE("checkpoints: what is refused", "[solvers]") {
  const Matrix<double> x = samples<double>();
  Checkpoints checkpoints;
  static_cast<void>(fit<double>(x, collecting(checkpoints)));
  const auto refused = [&](const DoublyStochasticCheckpoint& checkpoint, const auto& samples_now,
                           const DoublyStochasticParams& params, const char* sentence) {
    using S = typename std::decay_t<decltype(samples_now)>::Scalar;
    CHECK_THROWS_WITH(
        fit<S>(samples_now, from(checkpoint), {}, params),
        ContainsSubstring("the checkpoint is of another fit: ") && ContainsSubstring(sentence));
  };
  const DoublyStochasticCheckpoint& first = checkpoints[0];
  refused(first, x, {.seed = 2}, "seed: 1 there, 2 here");
  refused(first, x, {.step = 4}, "step: found from the first samples there, 4 here");
  refused(first, x, {.decay = 0.5}, "decay: found from the first samples there, 0.5 here");
  refused(first, x, {.rule = StochasticRule::Gha}, "rule: oja there, gha here");
  refused(first, x, {.epochs = 3}, "epochs: 1 there, 3 here");
  refused(first, x, {.shuffle = false}, "order: shuffled there, as they come here");
  refused(first, Matrix<double>(x.topRows(100)), {}, "samples: 150 there, 100 here");
  refused(first, Matrix<float>(x.cast<float>()), {}, "precision: double there, single here");
  refused(first, Matrix<double>(x.leftCols(2)), {}, "dimension: 3 there, 2 here");
  CHECK_THROWS_WITH(fit<double>(x, from(first), {}, {}, OrthogonalFourier{.features = 8}),
                    ContainsSubstring("map: random-fourier(features=8, paired, independent) there, "
                                      "orthogonal-fourier(features=8, paired) here"));
  DoublyStochasticCheckpoint broken = first;
  broken.run.coefficients.conservativeResize(5, 2);
  CHECK_THROWS_WITH(fit<double>(x, from(broken)), ContainsSubstring("do not fit"));
  broken = first;
  broken.run.schedule.blocks = Index{1} << 60;
  CHECK_THROWS_WITH(fit<double>(x, from(broken)),
                    ContainsSubstring("the checkpoint has 1152921504606846976 blocks"));
  CHECK_THROWS_WITH(
      (DoublyStochastic{RandomFourier{}, {}, {.every = 3, .visit = {}, .resume = nullptr}}),
      ContainsSubstring("need a function to visit them"));
}

// The seeds of two views may differ, and each decides the features of its view.
TEST_CASE("checkpoints: of pairs, another seed of either view is refused", "[solvers]") {
  const Matrix<double> x = samples<double>(),
                       y = normal_matrix<double>(150, 2, 5, "samples") + x.leftCols(2);
  const auto fit_pairs = [&](std::uint64_t seed_x, std::uint64_t seed_y,
                             const PairCheckpoints& checkpoints) {
    const auto solver = [](std::uint64_t seed) {
      return DoublyStochastic{
          RandomFourier{.features = 8},
          {.blocks = 4, .data_batch = 32, .steps = 30, .start_rows = 20, .seed = seed}};
    };
    MatrixStream xs(x);
    MatrixStream ys(y);
    return KernelSvd{Gaussian{1.0}, Gaussian{1.5}, Views{solver(seed_x), solver(seed_y)},
                     KernelSvdParams{.components = 2}}
        .fit(ZipStream(xs, ys), {}, checkpoints);
  };
  std::vector<PairCheckpoint> kept;
  const auto whole = fit_pairs(
      1, 2, {.every = 7, .visit = [&](const auto& c) { kept.push_back(c); }, .resume = nullptr});
  REQUIRE(kept.size() == 4);
  const auto resume = [&](std::uint64_t seed_x, std::uint64_t seed_y, const PairCheckpoint& from) {
    return fit_pairs(
        seed_x, seed_y,
        {.every = 0, .visit = {}, .resume = std::make_shared<const PairCheckpoint>(from)});
  };
  const auto same = resume(1, 2, kept[1]);
  CHECK(same.transform_y(y) == whole.transform_y(y));
  CHECK_THROWS_AS(resume(1, 3, kept[1]), CheckpointMismatch);
  CHECK_THROWS_WITH(resume(1, 3, kept[1]), ContainsSubstring("seed of view y: 2 there, 3 here"));
  CHECK_THROWS_WITH(resume(3, 2, kept[1]), ContainsSubstring("seed: 1 there, 3 here"));
  // Of a version that did not write this seed down.
  PairCheckpoint old = kept[1];
  std::erase_if(old.fit, [](const FitSetting& s) { return s.name == "seed of view y"; });
  CHECK_THROWS_WITH(resume(1, 2, old), ContainsSubstring("seed of view y: nothing there, 2 here"));
}

TEST_CASE("checkpoints: settings that change the end of a fit only may change", "[solvers]") {
  const Matrix<double> x = samples<double>();
  Checkpoints checkpoints;
  static_cast<void>(fit<double>(x, collecting(checkpoints)));
  const DoublyStochasticParams other{.evaluation_rows = 77, .tolerance = 0.5};
  check_same_bits(fit<double>(x, {}, {}, other), fit<double>(x, from(checkpoints[1]), {}, other));
}

TEST_CASE("checkpoints: samples that have changed since are refused", "[solvers]") {
  const Matrix<double> x = samples<double>();
  Checkpoints checkpoints;
  const auto whole = fit<double>(x, collecting(checkpoints), {}, {.shuffle = false});
  const auto resume = [&](const DoublyStochasticCheckpoint& checkpoint, const Matrix<double>& now) {
    return fit<double>(now, from(checkpoint), {}, {.shuffle = false});
  };
  // 20 rows of the start, then 7 steps of 32 rows run over the 150 into the second pass.
  REQUIRE(checkpoints[0].read.rows == 150);
  CHECK(checkpoints[0].start.rows == 20);
  CHECK_THROWS_WITH(resume(checkpoints[0], normal_matrix<double>(150, 3, 5, "samples")),
                    ContainsSubstring("the checkpoint is of another fit: the samples differ"));
  for (const Index row : {0, 19, 20, 97, 149}) {
    Matrix<double> changed = x;
    changed(row, 1) += 1e-13;
    CHECK_THROWS_WITH(resume(checkpoints[0], changed),
                      ContainsSubstring("the checkpoint is of another fit: the samples differ"));
  }
  check_same_bits(whole, resume(checkpoints[0], x));
}

TEST_CASE("checkpoints: of samples to come nothing is known", "[solvers]") {
  const Matrix<double> x = normal_matrix<double>(400, 3, 4, "samples");
  Checkpoints checkpoints;
  static_cast<void>(fit<double>(x, collecting(checkpoints), {}, {.shuffle = false}));
  REQUIRE(checkpoints[0].read.rows == 20 + 7 * 32);
  Matrix<double> grown = x;
  grown(244, 0) += 1;
  CHECK(fit<double>(grown, from(checkpoints[0]), {}, {.shuffle = false}).report().iterations == 30);
  grown(243, 0) += 1;
  CHECK_THROWS_WITH(fit<double>(grown, from(checkpoints[0]), {}, {.shuffle = false}),
                    ContainsSubstring("the samples differ"));
}

TEST_CASE("checkpoints: the check of the samples can be watched and cancelled", "[solvers]") {
  const Matrix<double> x = samples<double>();
  Checkpoints checkpoints, none;
  static_cast<void>(fit<double>(x, collecting(checkpoints)));
  DoublyStochasticCheckpoints again = collecting(none);
  again.resume = std::make_shared<const DoublyStochasticCheckpoint>(checkpoints[1]);
  bool asked = false;
  const auto model = fit<double>(x, again, [&](const Progress& p) {
    asked = p.phase == std::string_view("samples read before");
    return !asked;
  });
  CHECK(asked);
  CHECK(model.report().status == Status::Cancelled);
  CHECK(none.empty());  // what has not been checked is not handed on
}

}  // namespace doubly_stochastic_checkpoint_test
