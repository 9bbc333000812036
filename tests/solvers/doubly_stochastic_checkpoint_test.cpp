// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/generated_stream.hpp>
#include <mercer/core/random.hpp>
#include <mercer/features/orthogonal_fourier.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/doubly_stochastic.hpp>

#include <memory>
#include <vector>

#include <tests/support/catch.hpp>

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
}

}  // namespace

TEMPLATE_TEST_CASE("checkpoints: a resumed fit has the bits of one that was not interrupted",
                   "[solvers]", float, double) {
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
                           std::uint64_t seed, const char* sentence) {
    using S = typename std::decay_t<decltype(samples_now)>::Scalar;
    CHECK_THROWS_WITH(fit<S>(samples_now, from(checkpoint), {}, {.seed = seed}),
                      ContainsSubstring(sentence));
  };
  refused(checkpoints[0], x, 2, "the checkpoint is of another fit");
  refused(checkpoints[0], Matrix<double>(x.topRows(100)), 1, "100 samples");
  refused(checkpoints[0], Matrix<float>(x.cast<float>()), 1, "single precision");
  CHECK_THROWS_WITH(fit<double>(x, from(checkpoints[0]), {}, {}, OrthogonalFourier{.features = 8}),
                    ContainsSubstring("by orthogonal-fourier"));
  DoublyStochasticCheckpoint broken = checkpoints[0];
  broken.run.coefficients.conservativeResize(5, 2);
  refused(broken, x, 1, "do not fit");
  broken = checkpoints[0];
  broken.run.schedule.blocks = Index{1} << 60;
  refused(broken, x, 1, "the checkpoint has 1152921504606846976 blocks");
  CHECK_THROWS_WITH(
      (DoublyStochastic{RandomFourier{}, {}, {.every = 3, .visit = {}, .resume = nullptr}}),
      ContainsSubstring("need a function to visit them"));
}
