// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/features/random_maclaurin.hpp>
#include <mercer/io/npy/record_folder.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_features.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace feature_pass_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::FeaturePca;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::RandomFourier;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::io::RecordFolder;
using mercer::test::error_of;
using mercer::test::groups;
using mercer::test::TemporaryDirectory;

constexpr Index n = 2400;  // ten tiles, the last one of 96 rows

/// What a fit is made with.
struct Setting {
  std::string folder = {};  ///< of the state; empty: none
  Index processes = 1;
  Index every = 1;        ///< batches between states
  Index rows_before = n;  ///< the fit ends when a process has summed so many of its rows
  bool throws = false;    ///< ends as a program does, not as an observer does
  RowSums sums = RowSums::OrderFree;
  bool streamed = false;
  bool weighted = false;
  double sigma = 2;
  std::uint64_t seed = 1;
};

struct Fitted {
  Vector<double> values;
  Matrix<double> coefficients;
  mercer::Report report;
};

Fitted fit(const Setting& s, const Matrix<double>& x = groups(n)) {
  Fitted found;
  Vector<double> weights(x.rows());
  for (Index i = 0; i < x.rows(); ++i) weights(i) = static_cast<double>(i % 5);
  mercer::run_as_processes(s.processes, [&](const mercer::Processes& processes) {
    const KernelPca pca(
        Gaussian(s.sigma),
        FeaturePca(RandomFourier{.features = 20}, {.batch = 256, .seed = s.seed}),
        {.components = 3,
         .record = s.folder.empty() ? nullptr : std::make_shared<RecordFolder>(s.folder, s.every)});
    const mercer::Observer observer = [&](const mercer::Progress& now) {
      if (now.step < s.rows_before) return true;
      if (s.throws) throw std::runtime_error("ends");
      return false;
    };
    const RowSpace rows = RowSpace::spread(x.rows(), processes, s.sums);
    const auto spread = [&](const Matrix<double>& all) {
      return SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, all),
                                                    s.sums);
    };
    const auto model = [&] {
      mercer::MatrixStream stream(x);
      if (s.streamed) return mercer::fit_spread(pca, processes, stream, s.sums, observer);
      if (s.weighted) return mercer::fit_spread(pca, spread(x), spread(weights), observer);
      return mercer::fit_spread(pca, spread(x), observer);
    }();
    if (processes.rank() == 0) found = {model.eigenvalues(), model.coefficients(), model.report()};
  });
  return found;
}

void check_same(const Fitted& a, const Fitted& b) {
  CHECK(a.values == b.values);
  CHECK(a.coefficients == b.coefficients);
  CHECK(a.report.samples == b.report.samples);
  CHECK(a.report.status == b.report.status);
}

}  // namespace

TEST_CASE("feature pass: slices change no bit of order-free sums", "[models][rows]") {
  const Fitted whole = fit({});
  for (const Index every : {1, 3, 100}) {
    const TemporaryDirectory directory;
    const Fitted kept = fit({.folder = directory.path("run"), .processes = 3, .every = every});
    check_same(kept, whole);
    CHECK_THAT(kept.report.reason, ContainsSubstring("no sums were there already"));
    // The sums of all rows are there now, and no others.
    const Fitted again = fit({.folder = directory.path("run"), .processes = 2, .every = every});
    check_same(again, whole);
    CHECK_THAT(again.report.reason, ContainsSubstring("the sums of 2400 rows were there already"));
    Index blocks = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path("run")))
      blocks += entry.path().extension() == ".npy" ? 1 : 0;
    CHECK(blocks == 1);
  }
}

TEST_CASE("feature pass: fits that end go on, on another number of processes", "[models][rows]") {
  for (const bool weighted : {false, true}) {
    const Fitted whole = fit({.weighted = weighted});
    for (const Index before : {1, 3})
      for (const Index after : {1, 2, 5}) {
        const TemporaryDirectory directory;
        Setting setting{.folder = directory.path("run"),
                        .processes = before,
                        .rows_before = 512,
                        .throws = true,
                        .weighted = weighted};
        CHECK_THROWS_AS(fit(setting), std::runtime_error);
        setting.processes = after;
        setting.rows_before = n + 1;
        const Fitted resumed = fit(setting);
        check_same(resumed, whole);
        CHECK_THAT(resumed.report.reason, ContainsSubstring("rows were there already"));
        CHECK_THAT(resumed.report.reason, !ContainsSubstring("no sums"));
      }
  }
}

TEST_CASE("feature pass: an observer that stops it has the rows so far, and the next fit goes on",
          "[models][rows]") {
  const TemporaryDirectory directory;
  Setting setting{.folder = directory.path("run"), .rows_before = 768, .weighted = true};
  const Fitted stopped = fit(setting);
  CHECK(stopped.report.status == Status::Cancelled);
  CHECK(stopped.report.samples == 768);
  // Those rows are the first three batches, so the sums are those of a fit of them without a
  // record.
  setting.folder = "";
  check_same(stopped, fit(setting));
  setting.folder = directory.path("run");
  setting.rows_before = n + 1;
  const Fitted resumed = fit(setting);
  check_same(resumed, fit({.weighted = true}));
  CHECK_THAT(resumed.report.reason, ContainsSubstring("the sums of 768 rows were there already"));
}

TEST_CASE("feature pass: plain sums go on up to rounding, also on other processes",
          "[models][rows]") {
  const TemporaryDirectory directory;
  const Fitted whole = fit({.sums = RowSums::Plain});
  Setting setting{.folder = directory.path("run"),
                  .processes = 2,
                  .rows_before = 512,
                  .throws = true,
                  .sums = RowSums::Plain};
  CHECK_THROWS_AS(fit(setting), std::runtime_error);
  setting.processes = 3;
  setting.rows_before = n + 1;
  const Fitted resumed = fit(setting);
  // Rounding of sums over 2400 rows.
  CHECK(resumed.values.isApprox(whole.values, 1e-12));
  CHECK_THAT(resumed.report.reason, ContainsSubstring("the sums of"));
}

TEST_CASE("feature pass: streams and samples in memory have one state", "[models][rows]") {
  const TemporaryDirectory directory;
  Setting setting{
      .folder = directory.path("run"), .processes = 2, .rows_before = 512, .throws = true};
  CHECK_THROWS_AS(fit(setting), std::runtime_error);
  setting.rows_before = n + 1;
  setting.streamed = true;
  const Fitted resumed = fit(setting);
  check_same(resumed, fit({}));
  CHECK_THAT(resumed.report.reason, ContainsSubstring("the sums of"));
}

TEST_CASE("feature pass: features above the bound are summed again, also after a state",
          "[models][rows]") {
  // Far larger than the few rows that bound the sums, and in the last batch.
  Matrix<double> x = groups(n);
  x.row(n - 2) *= 1e9;
  const auto fit_linear = [&](const std::string& folder, Index every) {
    Vector<double> values;
    std::string reason;
    mercer::run_as_processes(2, [&](const mercer::Processes& processes) {
      const KernelPca pca(
          mercer::Linear(), FeaturePca(mercer::RandomMaclaurin{.features = 8}, {.batch = 256}),
          {.components = 2,
           .record = folder.empty() ? nullptr : std::make_shared<RecordFolder>(folder, every)});
      const auto model = mercer::fit_spread(pca, mercer::test::part(processes, x));
      if (processes.rank() == 0) values = model.eigenvalues(), reason = model.report().reason;
    });
    return std::pair(values, reason);
  };
  const TemporaryDirectory directory;
  const auto whole = fit_linear("", 1), kept = fit_linear(directory.path("run"), 1),
             again = fit_linear(directory.path("run"), 1);
  CHECK(kept.first == whole.first);
  CHECK(again.first == whole.first);
  CHECK_THAT(again.second, ContainsSubstring("the sums of 2400 rows were there already"));
}

TEST_CASE("feature pass: states of other samples, kernels and draws", "[models][rows]") {
  const TemporaryDirectory directory;
  Setting setting{.folder = directory.path("run"), .processes = 2};
  static_cast<void>(fit(setting));
  // A row that is not among the few that the settings tell apart.
  Matrix<double> x = groups(n);
  x(1, 2) += 1e-9;
  CHECK_THAT(error_of([&] { return fit(setting, x).values.size(); }),
             ContainsSubstring("the samples are not those whose sums were kept"));
  x = groups(n);
  x.row(0).setZero();
  CHECK_THAT(error_of([&] { return fit(setting, x).values.size(); }),
             ContainsSubstring("of another fit: checksum of some samples"));
  Setting other = setting;
  other.sigma = 3;
  CHECK_THAT(error_of([&] { return fit(other).values.size(); }),
             ContainsSubstring("gaussian(sigma=2) there, gaussian(sigma=3) here"));
  other = setting;
  other.seed = 2;
  const Fitted drawn = fit(other);
  CHECK_THAT(drawn.report.reason, ContainsSubstring("no sums were there already"));
  check_same(drawn, fit({.seed = 2}));
  other = setting;
  other.weighted = true;
  CHECK_THAT(fit(other).report.reason, ContainsSubstring("no sums were there already"));
  // And those of the first fit are still there.
  CHECK_THAT(fit(setting).report.reason, ContainsSubstring("the sums of 2400 rows"));
}

}  // namespace feature_pass_test
