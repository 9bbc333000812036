// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/models/spread/spread_exact.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/models/spread/spread_fits.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/row_parts.hpp>

namespace spread_exact_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Exact;
using mercer::Gaussian;
using mercer::Index;
using mercer::KernelPca;
using mercer::Matrix;
using mercer::Processes;
using mercer::RowSums;
using mercer::SparseMatrix;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::fit;
using mercer::test::Found;
using mercer::test::groups;
using mercer::test::part;
using mercer::test::sentence;
using mercer::test::some_process_counts;

constexpr Index n = 700, k = 5;

// Rounding of sums over 700 products with other tiles.
constexpr double new_score_tolerance = 1e-11;

}  // namespace

TEST_CASE("spread Exact: the bits of a fit in one process, for any processes",
          "[models][rows][slow]") {
  const Matrix<double> x = groups(n), q = mercer::normal_matrix<double>(300, 4, 1, "q");
  for (const bool centered : {true, false}) {
    const KernelPca pca(Gaussian(2.0), Exact{}, {.components = k, .centered = centered});
    const auto whole = pca.fit(x);
    const Matrix<double> new_scores = fit(pca, x, q, 1).new_scores;
    for (const Index count : some_process_counts) {
      const Found found = fit(pca, x, q, count);
      CHECK(found.values == whole.eigenvalues());
      CHECK(found.scores == whole.training_scores());
      CHECK(found.report.residuals == whole.report().residuals);
      CHECK(found.report.trace == whole.report().trace);
      CHECK(found.report.status == Status::Converged);
      CHECK_THAT(found.report.reason, ContainsSubstring("gathered on the first process"));
      REQUIRE(found.gathered);
      CHECK(found.gathered->coefficients() == whole.coefficients());
      CHECK(found.gathered->offset() == whole.offset());
      CHECK(found.gathered->points() == x);
      CHECK(found.gathered->parts().mean == whole.parts().mean);
      CHECK(found.gathered->parts().mean_weights == whole.parts().mean_weights);
      CHECK(found.new_scores == new_scores);
    }
    CHECK((new_scores - whole.transform(q)).norm() <= new_score_tolerance * new_scores.norm());
    CHECK(fit(pca, x, q, 3, RowSums::Plain).scores == whole.training_scores());
  }
}

TEST_CASE("spread Exact: a fraction of variance, equal samples, one sample", "[models][rows]") {
  const Matrix<double> x = groups(300);
  const KernelPca pca(Gaussian(2.0), Exact{}, {.components = 0.9});
  CHECK(fit(pca, x, x, 3).values == pca.fit(x).eigenvalues());
  const Matrix<double> same = Matrix<double>::Ones(300, 2);
  const Found none = fit(KernelPca(Gaussian(1.0), Exact{}, {.components = 2}), same, same, 3);
  CHECK(none.values.size() == 0);
  CHECK(none.report.zero_eigenvalues == 2);
  CHECK(none.scores.rows() == 300);
  const Matrix<double> single = Matrix<double>::Ones(1, 2);
  CHECK(
      fit(KernelPca(Gaussian(1.0), Exact{}, {.components = 1}), single, single, 3).scores.rows() ==
      1);
}

TEST_CASE("spread Exact: sparse samples and samples in single precision", "[models][rows]") {
  const auto check = [](const auto& x) {
    using X = std::decay_t<decltype(x)>;
    const KernelPca pca(Gaussian(2.0), Exact{}, {.components = 3});
    const auto whole = pca.fit(x);
    std::vector<Matrix<typename X::Scalar>> scores(3);
    mercer::run_as_processes(3, [&](const Processes& processes) {
      const bool has = processes.rank() == 2;
      const auto samples = SpreadRows<X>::from_parts(processes, has ? x : X(0, 0));
      scores[static_cast<std::size_t>(processes.rank())] =
          mercer::fit_spread(pca, samples).training_scores();
    });
    CHECK(mercer::test::stacked(scores) == whole.training_scores());
  };
  const Matrix<double> x = groups(600);
  check(Matrix<float>(x.cast<float>()));
  check(SparseMatrix<double>(x.sparseView()));
}

TEST_CASE("spread Exact: what does not fit into the memory budget is refused", "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto with_budget = [&](std::size_t budget) {
    return [&x, budget](const Processes& processes) {
      // The least budget counts.
      const std::size_t own = processes.rank() == 1 ? budget : std::size_t{1} << 30U;
      static_cast<void>(mercer::fit_spread(
          KernelPca(Gaussian(1.0), Exact{}, {.memory_budget = own}), part(processes, x)));
    };
  };
  const std::string told = sentence(with_budget(std::size_t{2} << 20U));
  for (const char* word : {"n = 600", " KiB there", "budget of 2048 KiB", "BlockKrylov"})
    CHECK_THAT(told, ContainsSubstring(word));
  // The bound is sharp.
  std::vector<std::size_t> needed(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    needed[static_cast<std::size_t>(processes.rank())] =
        mercer::detail::gathered_bytes(part(processes, x), 2);
  });
  CHECK(needed[0] == needed[2]);
  CHECK(needed[0] >= 600 * 600 * sizeof(double) + 600 * 4 * sizeof(double));
  CHECK_FALSE(sentence(with_budget(needed[0] - 1)).empty());
  CHECK_NOTHROW(mercer::run_as_processes(3, with_budget(needed[0])));
}

TEST_CASE("spread Exact: an error where the fit is made reaches all", "[models][rows]") {
  const Matrix<double> x = groups(600);
  const auto bad = [](const auto& a, const auto& b) {
    return a(0) > 7 || b(0) > 7 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  };
  REQUIRE(x.col(0).maxCoeff() > 7);
  std::vector<std::string> told(3);
  mercer::run_as_processes(3, [&](const Processes& processes) {
    try {
      static_cast<void>(
          mercer::fit_spread(KernelPca(mercer::Callable(bad), Exact{}), part(processes, x)));
    } catch (const mercer::InvalidArgument& error) {
      told[static_cast<std::size_t>(processes.rank())] = error.what();
    }
  });
  CHECK_FALSE(told[0].empty());
  CHECK(told[1] == told[0]);
  CHECK(told[2] == told[0]);
}

TEST_CASE("spread Exact: an observer on any process stops all", "[models][rows]") {
  const Matrix<double> x = groups(600);
  for (const Index stops : {0, 2}) {
    std::vector<Status> ends(3);
    std::vector<Index> found(3, 1);
    mercer::run_as_processes(3, [&](const Processes& processes) {
      const mercer::Observer observer = [&](const mercer::Progress&) {
        return processes.rank() != stops;
      };
      const auto model =
          mercer::fit_spread(KernelPca(Gaussian(1.0), Exact{}), part(processes, x), observer);
      ends[static_cast<std::size_t>(processes.rank())] = model.report().status;
      found[static_cast<std::size_t>(processes.rank())] = model.training_scores().cols();
    });
    CHECK(ends == std::vector<Status>(3, Status::Cancelled));
    CHECK(found == std::vector<Index>(3, 0));
  }
}

TEST_CASE("spread Exact: what an observer throws on one process, all throw", "[models][rows]") {
  mercer::test::check_throwing_observer(KernelPca(Gaussian(1.0), Exact{}, {.components = 2}),
                                        groups(600));
}

}  // namespace spread_exact_test
