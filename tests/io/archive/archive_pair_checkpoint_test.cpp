// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Golden files, as in archive_models_test.

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_pair_checkpoint.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/streams/pair_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/checkpoint_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>
#include <tests/io/archive/pair_report_bytes.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/xy5.hpp>

namespace archive_pair_checkpoint_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::ArchiveBytes;
using test::check_golden;
using test::header_size;
using test::letters;
using test::put_header;

namespace {

/// No two members are equal.
PairCheckpoint distinct_checkpoint() {
  return test::checkpoint_of({{"seed", "1"}},
                             PairRunState<double>{.schedule = {.method = PairMethod::Cca,
                                                               .rule = StochasticRule::Gha,
                                                               .blocks = 5,
                                                               .step = .5,
                                                               .decay = .25,
                                                               .centered = false,
                                                               .ridge_x = 1.5,
                                                               .ridge_y = 2.5,
                                                               .bound = 3.5,
                                                               .leave_out = true,
                                                               .safeguard = false},
                                                  .x = Matrix<double>{{1., 2.}},
                                                  .y = Matrix<double>{{3., 4.}, {5., 6.}},
                                                  .next_block = 2,
                                                  .steps = 3,
                                                  .step_sum = 4.5,
                                                  .mean_moments = Matrix<double>{{7.}}});
}

}  // namespace

TEST_CASE("archive: golden bytes of a checkpoint of pairs", "[io]") {
  const std::size_t names =
      letters({"pair-checkpoint(pair-run-state)"}) + letters({"pair-checkpoint", "pair-run-state"});
  const std::size_t schedule = 3 * 8 + 5 * 8 + 3;
  const std::size_t matrices = (36 + 16) + (36 + 32) + (36 + 8);
  // The setting has 8 + 4 + 8 + 1 bytes, and 8 are the number of settings.
  check_golden(distinct_checkpoint(),
               header_size + names + 2 * 8 + 8 + 21 + schedule + matrices + 3 * 8 + 3 * 8 + 4 * 8,
               [](ArchiveBytes& bytes) {
                 put_header(bytes, "pair-checkpoint(pair-run-state)");
                 bytes.text("pair-checkpoint").integer(1).text("seed").text("1");
                 bytes.text("pair-run-state");
                 bytes.integer(1).integer(1).integer(5).reals({.5, .25}).truth(false);
                 bytes.reals({1.5, 2.5, 3.5}).truth(true).truth(false);
                 bytes.dense(1, 2, {1., 2.}).dense(2, 2, {3., 5., 4., 6.});
                 bytes.integer(2).integer(3).real(4.5).dense(1, 1, {7.});
                 test::put_place(bytes);
               });
}

TEST_CASE("archive: states of runs of pairs that cannot be are refused", "[io]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("forged.state");
  const auto error = [&](const auto& change) {
    PairCheckpoint checkpoint = distinct_checkpoint();
    change(checkpoint);
    io::write_archive(path, checkpoint);
    return test::file_error([&] { return io::read_archive<PairCheckpoint>(path); });
  };
  using C = PairCheckpoint;
  CHECK(error([](C&) {}) == "no error");
  CHECK_THAT(error([](C& c) { c.run.schedule.blocks = 0; }),
             ContainsSubstring("forged.state: the archive is damaged: ") &&
                 ContainsSubstring("blocks must be at least 1"));
  CHECK_THAT(error([](C& c) { c.run.schedule.blocks = (Index{1} << 32) + 1; }),
             ContainsSubstring("PairRun: blocks must be at most 4294967296"));
  CHECK_THAT(error([](C& c) { c.run.schedule.ridge_y = -1; }),
             ContainsSubstring("ridge_y must be finite and not negative"));
  CHECK_THAT(error([](C& c) { c.run.next_block = 6; }),
             ContainsSubstring("PairRun: the next step is to visit block 6 of 5"));
  CHECK_THAT(error([](C& c) { c.run.steps = -1; }), ContainsSubstring("steps must be at least 0"));
  CHECK_THAT(error([](C& c) { c.passes = -1; }), ContainsSubstring("passes must be at least 0"));
  static_cast<void>(error([](C&) {}));
  CHECK_THAT(
      test::file_error([&] { return io::read_archive<DoublyStochasticCheckpoint>(path); }),
      ContainsSubstring("pair-checkpoint") && ContainsSubstring("doubly-stochastic-checkpoint-2"));
}

SCALAR_TEST_CASE("archive: a fit of pairs under way goes on from a file to the same bits", "[io]") {
  using S = TestType;
  const test::TwoViewSamples samples = test::correlated_views(90, 1);
  const Matrix<S> x = samples.x.cast<S>(), y = samples.y.cast<S>();
  MatrixStream xs(x), ys(y);
  ZipStream pairs(xs, ys);
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("run.state");
  const PairCheckpoints writing{
      .every = 8,
      .visit = [&](const PairCheckpoint& c) { io::write_archive(path, c); },
      .resume = nullptr};
  const DoublyStochastic solver{RandomFourier{.features = 8},
                                {.blocks = 3, .data_batch = 16, .steps = 20}};
  const auto check = [&](const auto& method) {
    const auto whole = method.fit(pairs, {}, writing);
    const auto read = io::read_archive<PairCheckpoint>(path);
    CHECK(read.run.steps == 16);
    const auto again = method.fit(
        pairs, {},
        PairCheckpoints{
            .every = 0, .visit = {}, .resume = std::make_shared<const PairCheckpoint>(read)});
    CHECK(again.transform_x(x) == whole.transform_x(x));
    CHECK(again.transform_y(y) == whole.transform_y(y));
    CHECK(again.report().stochastic->step_sum == whole.report().stochastic->step_sum);
  };
  check(KernelCca{Gaussian{1.0}, Gaussian{1.5}, solver, KernelCcaParams{.components = 2}});
  // Kernel SVD has a mean of moments to remember.
  check(KernelSvd{Gaussian{1.0}, Gaussian{1.5}, solver, KernelSvdParams{.components = 2}});
}

}  // namespace archive_pair_checkpoint_test

#endif  // defined(MERCER_HAS_CEREAL)
