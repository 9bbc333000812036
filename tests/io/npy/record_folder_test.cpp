// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/estimators/column_sampling.hpp>
#include <mercer/features/random_fourier.hpp>
#include <mercer/io/npy/record_folder.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/losses/square.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/spread/spread_pca.hpp>
#include <mercer/models/spread/spread_spgd.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/dual/dca.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/lanczos.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <mercer/solvers/spgd/spgd.hpp>
#include <mercer/testing/thread_processes.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/row_parts.hpp>
#include <tests/support/samples.hpp>

namespace record_folder_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::BlockKrylov;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Lanczos;
using mercer::Matrix;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::io::RecordFolder;
using mercer::test::error_of;
using mercer::test::TemporaryDirectory;

const Matrix<double> samples = mercer::normal_matrix<double>(200, 3, 1, "x");

template <class S>
auto pca(const S& solver, const std::string& folder, double sigma = 1, Index k = 3) {
  return KernelPca(Gaussian(sigma), solver,
                   {.components = k,
                    .record = folder.empty() ? nullptr : std::make_shared<RecordFolder>(folder)});
}

/// Ends a fit when this number of questions have been asked.
mercer::Observer ends_after(int questions) {
  return [left = questions](const mercer::Progress& now) mutable {
    return (now.phase == "gram matrix" && now.step > 0) || left-- > 0;  // tiles are not counted
  };
}

/// The blocks in a folder.
std::vector<std::string> blocks_in(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".npy") files.push_back(entry.path().string());
  return files;
}

/// A block in a folder, or nothing.
std::string file_in(const std::string& folder) {
  const std::vector<std::string> files = blocks_in(folder);
  return files.empty() ? "" : files.front();
}

template <class Model>
void check_same(const Model& ours, const Model& theirs) {
  CHECK(ours.eigenvalues() == theirs.eigenvalues());
  CHECK(ours.coefficients() == theirs.coefficients());
  CHECK(ours.training_scores() == theirs.training_scores());
  CHECK(ours.report().residuals == theirs.report().residuals);
  CHECK(ours.report().iterations == theirs.report().iterations);
}

/// Whatever the question at which the fit ends, it goes on to the bits of a fit that has not ended.
template <class S>
void check_resumed(const S& solver) {
  const auto whole = pca(solver, "").fit(samples);
  for (const int questions : {2, 4}) {
    const TemporaryDirectory directory;
    const std::string folder = directory.path("a/b");
    const auto interrupted = pca(solver, folder).fit(samples, ends_after(questions));
    CHECK(interrupted.report().status == Status::Cancelled);
    const auto resumed = pca(solver, folder).fit(samples);
    check_same(resumed, whole);
    CHECK_THAT(resumed.report().reason, ContainsSubstring("products were there already") &&
                                            !ContainsSubstring("; 0 products"));
    // All of them are there now.
    check_same(pca(solver, folder).fit(samples), whole);
  }
}

/// The scores of a fit over so many processes, and the reason in its report.
template <class S>
std::pair<Matrix<double>, std::string> scores_over(Index count, const S& solver,
                                                   const std::string& folder,
                                                   const Matrix<double>& x, int questions) {
  std::vector<Matrix<double>> scores(static_cast<std::size_t>(count));
  std::vector<std::string> reasons(scores.size());
  mercer::run_as_processes(count, [&](const mercer::Processes& processes) {
    const mercer::RowSpace rows = mercer::RowSpace::spread(x.rows(), processes);
    const auto part =
        SpreadRows<Matrix<double>>::from_parts(processes, mercer::test::local_rows(rows, x));
    // Each process has a record of its own.
    const auto model = mercer::fit_spread(pca(solver, folder), part, ends_after(questions));
    const auto here = static_cast<std::size_t>(processes.rank());
    scores[here] = model.training_scores();
    reasons[here] = model.report().reason;
  });
  for (const std::string& reason : reasons) CHECK(reason == reasons.front());
  return {mercer::test::stacked(scores), reasons.front()};
}

}  // namespace

TEST_CASE("record folder: interrupted fits go on to the same bits", "[io][models]") {
  SECTION("block Krylov") {
    check_resumed(BlockKrylov({.tolerance = 1e-9, .block = 4}));
  }
  SECTION("Lanczos") {
    check_resumed(Lanczos());
  }
  SECTION("power iteration") {
    check_resumed(mercer::PowerIteration({.tolerance = 1e-2}));
  }
  SECTION("DC algorithm") {
    check_resumed(mercer::Dca(mercer::SquareLoss()));
  }
}

TEST_CASE("record folder: a smaller tolerance goes on where a larger one has ended",
          "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const BlockKrylov rough({.tolerance = 1e-2, .block = 4}), fine({.tolerance = 1e-10, .block = 4});
  const auto fit = [&](const BlockKrylov& solver, const std::string& path) {
    mercer::KernelPcaParams params = pca(solver, path).params();
    params.precision = mercer::Precision::Double;  // the plan takes single for the large tolerance
    return KernelPca(Gaussian(1.0), solver, params).fit(samples);
  };
  const auto first = fit(rough, folder), second = fit(fine, folder);
  check_same(second, fit(fine, ""));
  CHECK(second.report().iterations > first.report().iterations);
  CHECK_THAT(second.report().reason,
             ContainsSubstring(mercer::detail::to_text(first.report().iterations) + " products"));
}

TEST_CASE("record folder: a fit whose tiles were not accurate enough in single precision",
          "[io][models]") {
  // Far samples: the certificate sends the fit to double precision, in a second run.
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  Matrix<double> far = samples;
  far.topRows(8).array() += 1e6;
  const auto fit = [&](const std::string& name) {
    return KernelPca(Gaussian(0.3), BlockKrylov({.tolerance = 1e-9}),
                     {.components = 2,
                      .record = name.empty() ? nullptr : std::make_shared<RecordFolder>(name)})
        .fit(far);
  };
  const auto whole = fit(""), first = fit(folder), second = fit(folder);
  check_same(first, whole);
  check_same(second, whole);
}

TEST_CASE("record folder: over processes, on another number of them", "[io][models][rows]") {
  const TemporaryDirectory directory;
  const Matrix<double> many = mercer::normal_matrix<double>(620, 3, 1, "x");  // three tiles
  const auto fit = [&](Index count, const std::string& folder, int questions) {
    return scores_over(count, BlockKrylov({.tolerance = 1e-9}), folder, many, questions).first;
  };
  const Matrix<double> whole = fit(2, "", 1000);
  for (const Index before : {1, 3})
    for (const Index after : {2, 5}) {
      const std::string folder =
          directory.path(mercer::detail::to_text(before) + "-" + mercer::detail::to_text(after));
      static_cast<void>(fit(before, folder, 2));
      CHECK(file_in(folder).find("double-") != std::string::npos);
      CHECK(fit(after, folder, 1000) == whole);
    }
}

TEST_CASE("record folder: all processes refuse a damaged product", "[io][models][rows]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const auto errors = [&] {
    std::vector<std::string> found(3);
    mercer::run_as_processes(3, [&](const mercer::Processes& processes) {
      const mercer::RowSpace rows = mercer::RowSpace::spread(samples.rows(), processes);
      const auto part = SpreadRows<Matrix<double>>::from_parts(
          processes, mercer::test::local_rows(rows, samples));
      found[static_cast<std::size_t>(processes.rank())] = mercer::test::file_error(
          [&] { return mercer::fit_spread(pca(BlockKrylov(), folder), part).components(); });
    });
    return found;
  };
  for (const std::string& error : errors()) CHECK_THAT(error, ContainsSubstring("no error"));
  const std::string file = file_in(folder);
  std::string content = mercer::test::content_of(file);
  content.back() = static_cast<char>(content.back() ^ 1);  // a row of the last process
  mercer::io::write_file(file, content);
  for (const std::string& error : errors())
    CHECK_THAT(error, ContainsSubstring(file + ": is damaged"));
}

TEST_CASE("record folder: products of another fit are refused", "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const BlockKrylov solver;
  static_cast<void>(pca(solver, folder).fit(samples));
  const auto error = [&](const auto& other, const auto& x) {
    return error_of([&] { return other.fit(x).components(); });
  };
  CHECK_THAT(error(pca(solver, folder, 2), samples),
             ContainsSubstring("another fit: kernel: gaussian(sigma=1) there, gaussian(sigma=2)"));
  CHECK_THAT(error(pca(solver, folder), Matrix<double>(samples.topRows(190))),
             ContainsSubstring("number of samples: 200 there, 190 here"));
  Matrix<double> changed = samples;
  changed(100, 1) += 1e-9;
  CHECK_THAT(error(pca(solver, folder), changed), ContainsSubstring("checksum of the samples"));
  CHECK_THAT(error(pca(solver, folder), Matrix<float>(samples.cast<float>())),
             ContainsSubstring("precision: double there, single here"));
  // Nothing of that has changed what is there.
  const auto again = pca(solver, folder).fit(samples);
  check_same(again, pca(solver, "").fit(samples));
  CHECK_THAT(again.report().reason, !ContainsSubstring("; 0 products"));
}

TEST_CASE("record folder: of fits that begin at one time, those of one matrix have the folder",
          "[io]") {
  const mercer::RowSpace rows = mercer::RowSpace::whole(4);
  for (int trial = 0; trial < 20; ++trial) {
    const TemporaryDirectory directory;
    const std::string folder = directory.path("run");
    std::atomic<int> ready{0}, begun{0};
    std::array<std::string, 4> errors;
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < errors.size(); ++t)
      threads.emplace_back([&, t] {
        RecordFolder products(folder);
        ++ready;
        while (ready < static_cast<int>(errors.size())) std::this_thread::yield();
        errors[t] = mercer::test::file_error([&] {
          products.begin(rows, {{"kernel", t % 2 == 0 ? "even" : "odd"}});
          ++begun;
          return 0;
        });
      });
    threads.clear();
    CHECK(begun == 2);
    CHECK((errors[0] == errors[2]) == (errors[1] == errors[3]));
    for (const std::string& error : errors)
      CHECK_THAT(error, ContainsSubstring("no error") || ContainsSubstring("of another fit"));
  }
}

TEST_CASE("record folder: a fit does not find the products of another matrix", "[io]") {
  const TemporaryDirectory directory;
  const mercer::RowSpace rows = mercer::RowSpace::whole(4);
  const mercer::RecordKey key{.precision = mercer::Precision::Double, .block = 7};
  Matrix<double> product = Matrix<double>::Ones(4, 2);
  RecordFolder first(directory.path("run")), second(directory.path("run"));
  first.begin(rows, {{"kernel", "one"}});
  std::filesystem::remove(directory.path("run/matrix.txt"));
  second.begin(rows, {{"kernel", "two"}});
  first.keep(key, rows, product);
  CHECK(first.find(key, rows) == product);
  CHECK(!second.find(key, rows));
  // And the next fit says so.
  CHECK_THAT(mercer::test::file_error([&] {
               second.begin(rows, {{"kernel", "two"}});
               return 0;
             }),
             ContainsSubstring("holds the file double-") && ContainsSubstring("not of its matrix"));
}

TEST_CASE("record folder: other settings of the solver find no products, or their own",
          "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const BlockKrylov one, two({.seed = 2});
  for (int time = 0; time < 2; ++time) {
    const auto first = pca(one, folder).fit(samples), second = pca(two, folder).fit(samples),
               third = pca(one, folder, 1, 40).fit(samples);
    check_same(first, pca(one, "").fit(samples));
    check_same(second, pca(two, "").fit(samples));
    check_same(third, pca(one, "", 1, 40).fit(samples));
    for (const auto* model : {&first, &second, &third})
      CHECK((model->report().reason.find("; 0 products") == std::string::npos) == (time == 1));
  }
}

TEST_CASE("record folder: a run that ended before its first product", "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const BlockKrylov solver;
  const auto whole = pca(solver, "").fit(samples);
  std::filesystem::create_directory(folder);
  static_cast<void>(directory.file("run/matrix.txt.mercer-part0", "mercer prod"));
  static_cast<void>(pca(solver, folder).fit(samples, ends_after(1)));
  check_same(pca(solver, folder).fit(samples), whole);
  static_cast<void>(
      directory.file(file_in(folder).substr(directory.path("").size()) + ".mercer-part0", "NUM"));
  check_same(pca(solver, folder).fit(samples), whole);
}

TEST_CASE("record folder: solvers without products refuse it", "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  for (const std::string& text :
       {error_of([&] { return pca(mercer::Exact(), folder).fit(samples).components(); }),
        error_of([&] { return pca(mercer::Nystrom(), folder).fit(samples).components(); })})
    CHECK_THAT(text, ContainsSubstring("keeps no record; Auto, BlockKrylov"));
  CHECK(!std::filesystem::exists(folder));
}

TEST_CASE("record folder: Spgd goes on from its last iterate to the same bits", "[io][models]") {
  const auto check = [](const auto& estimator, mercer::SpgdParams params) {
    params.iterations = 25;
    const mercer::Spgd solver(estimator, params);
    const auto whole = pca(solver, "").fit(samples);
    const auto ranks = [](const auto& model) {
      return std::get<mercer::SpgdDetails>(model.report().details).ranks;
    };
    for (const int questions : {3, 17}) {  // before the first iterate that is kept, and after it
      const TemporaryDirectory directory;
      const std::string folder = directory.path("run");
      const auto interrupted = pca(solver, folder).fit(samples, ends_after(questions));
      CHECK(interrupted.report().status == Status::Cancelled);
      CHECK_THAT(interrupted.report().reason, ContainsSubstring("no iterate was there already"));
      const auto resumed = pca(solver, folder).fit(samples);
      check_same(resumed, whole);
      CHECK(ranks(resumed) == ranks(whole));
      CHECK(resumed.report().bytes == whole.report().bytes);
      CHECK_THAT(resumed.report().reason,
                 ContainsSubstring("the iterate of step " +
                                   mercer::detail::to_text(interrupted.report().iterations) +
                                   " was there already"));
      // The last one is there now, alone, and can be gone on from.
      check_same(pca(solver, folder).fit(samples), whole);
      CHECK(blocks_in(folder).size() == 1);
      params.iterations = 40;
      const mercer::Spgd longer(estimator, params);
      const auto more = pca(longer, folder).fit(samples);
      check_same(more, pca(longer, "").fit(samples));
      CHECK_THAT(more.report().reason, ContainsSubstring("the iterate of step 25 was there"));
      const auto again = pca(solver, folder).fit(samples);
      check_same(again, whole);
      CHECK_THAT(again.report().reason, ContainsSubstring("step 40 was there already, too far"));
      check_same(pca(longer, folder).fit(samples), more);
    }
  };
  SECTION("symmetric draws") {
    check(mercer::RandomFourier{.features = 8}, {.lambda = 2});
  }
  SECTION("other draws") {
    check(mercer::ColumnSampling{.columns = 8}, {.lambda = 2});
  }
  SECTION("a start from landmarks") {
    check(mercer::RandomFourier{.features = 8}, {.landmarks = 20});
  }
}

TEST_CASE("record folder: an iterate is kept after every so many steps", "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const auto fit = [&](Index every) {
    const mercer::Spgd solver(mercer::RandomFourier{.features = 8}, {.lambda = 2, .iterations = 9});
    // The program ends: nothing is kept after this.
    return KernelPca(Gaussian(1.0), solver,
                     {.components = 3, .record = std::make_shared<RecordFolder>(folder, every)})
        .fit(samples, [](const mercer::Progress& now) {
          if (now.step == 7) throw std::runtime_error("ends");
          return true;
        });
  };
  CHECK_THROWS_AS(fit(3), std::runtime_error);
  const auto resumed = [&] {
    const mercer::Spgd solver(mercer::RandomFourier{.features = 8}, {.lambda = 2, .iterations = 9});
    return pca(solver, folder).fit(samples).report().reason;
  }();
  CHECK_THAT(resumed, ContainsSubstring("the iterate of step 6 was there already"));
  CHECK_THAT(error_of([&] { return RecordFolder(folder, 0).path(); }),
             ContainsSubstring("every must be at least 1"));
}

TEST_CASE("record folder: the memory limit ends a fit that goes on at the same step",
          "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const mercer::Spgd solver(mercer::ColumnSampling{.columns = 8}, {.lambda = 0, .iterations = 30});
  const auto fit = [&](const std::string& path) {
    auto params = pca(solver, path).params();
    params.memory_budget = 250 * 1024;
    return KernelPca(Gaussian(0.1), solver, params).fit(samples);
  };
  const auto whole = fit("");
  REQUIRE_THAT(whole.report().reason, ContainsSubstring("stopped after"));
  for (int time = 0; time < 2; ++time) {
    const auto model = fit(folder);
    check_same(model, whole);
    CHECK_THAT(model.report().reason, ContainsSubstring("stopped after"));
  }
}

TEST_CASE("record folder: Spgd over processes goes on, on another number of them",
          "[io][models][rows]") {
  const TemporaryDirectory directory;
  const Matrix<double> many = mercer::normal_matrix<double>(620, 3, 1, "x");  // three tiles
  const mercer::Spgd solver(mercer::RandomFourier{.features = 8}, {.lambda = 2, .iterations = 25});
  const auto fit = [&](Index count, const std::string& folder, int questions) {
    const auto [scores, reason] = scores_over(count, solver, folder, many, questions);
    if (!folder.empty() && questions > 25)
      CHECK_THAT(reason, ContainsSubstring("the iterate of step 17 was there"));
    return scores;
  };
  const Matrix<double> whole = fit(2, "", 1000);
  for (const Index before : {1, 3})
    for (const Index after : {2, 5}) {
      const std::string folder =
          directory.path(mercer::detail::to_text(before) + "-" + mercer::detail::to_text(after));
      static_cast<void>(fit(before, folder, 17));
      CHECK(fit(after, folder, 1000) == whole);
      CHECK(blocks_in(folder).size() == 1);
    }
}

TEST_CASE("record folder: Auto keeps products where its solver makes some", "[io][models]") {
  const TemporaryDirectory directory;
  const std::string folder = directory.path("run");
  const auto exact = pca(mercer::Auto(), folder).fit(samples);
  CHECK(exact.report().solver == mercer::SolverId::Exact);
  CHECK_THAT(exact.report().reason, ContainsSubstring("; no products are kept"));
  CHECK(!std::filesystem::exists(folder));
  const Matrix<double> more = mercer::normal_matrix<double>(600, 3, 1, "x");
  const auto whole = pca(mercer::Auto(), "").fit(more);
  const auto interrupted = pca(mercer::Auto(), folder).fit(more, ends_after(3));
  CHECK(interrupted.report().status == Status::Cancelled);
  const auto resumed = pca(mercer::Auto(), folder).fit(more);
  check_same(resumed, whole);
  CHECK_THAT(resumed.report().reason, ContainsSubstring("products were there already") &&
                                          !ContainsSubstring("; 0 products"));
}

TEST_CASE("record folder: damaged and foreign folders", "[io][models]") {
  const TemporaryDirectory directory;
  const BlockKrylov solver;
  const auto error = [&](const std::string& path) {
    return mercer::test::file_error([&] { return pca(solver, path).fit(samples).components(); });
  };
  const std::string foreign = directory.path("foreign");
  std::filesystem::create_directory(foreign);
  static_cast<void>(directory.file("foreign/notes.txt", "mine"));
  CHECK_THAT(error(foreign), ContainsSubstring("is not the folder of a fit"));
  CHECK_THAT(error(directory.file("file", "")), ContainsSubstring("cannot make this folder"));

  const std::string folder = directory.path("run");
  static_cast<void>(pca(solver, folder).fit(samples));
  const std::string list = mercer::test::content_of(folder + "/matrix.txt");
  static_cast<void>(directory.file("run/matrix.txt", "other\n" + list));
  CHECK_THAT(error(folder), ContainsSubstring("does not tell a matrix: other"));
  static_cast<void>(directory.file("run/matrix.txt", list + "no tab\n"));
  CHECK_THAT(error(folder), ContainsSubstring("does not tell a matrix: no tab"));
  static_cast<void>(directory.file("run/matrix.txt", ""));
  CHECK_THAT(error(folder), ContainsSubstring("matrix.txt: is empty"));
  static_cast<void>(directory.file("run/matrix.txt", list));
  static_cast<void>(directory.file("run/.nfs0001", ""));  // hidden files are the system's
  static_cast<void>(directory.file("run/double-0123456789abcdef.npy", ""));
  CHECK_THAT(error(folder), ContainsSubstring("holds the file double-0123456789abcdef.npy"));
  std::filesystem::remove(directory.path("run/double-0123456789abcdef.npy"));

  const std::vector<std::string> files = blocks_in(folder);
  REQUIRE(!files.empty());
  const std::string content = mercer::test::content_of(files.front());
  mercer::io::write_npy(files.front(), Matrix<double>(Matrix<double>::Zero(3, 2)));
  CHECK_THAT(error(folder), ContainsSubstring("has 3 rows, expected 200"));
  mercer::io::write_file(files.front(), content.substr(0, content.size() / 2));
  CHECK_THAT(error(folder), ContainsSubstring(files.front()));
  for (const std::size_t place : {content.size() - 1, content.size() / 2}) {
    std::string damaged = content;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    mercer::io::write_file(files.front(), damaged);
    CHECK_THAT(error(folder), ContainsSubstring(files.front() + ": is damaged"));
  }
  std::filesystem::remove(files.front());
  check_same(pca(solver, folder).fit(samples), pca(solver, "").fit(samples));
  CHECK(mercer::test::content_of(files.front()) == content);
}

}  // namespace record_folder_test
