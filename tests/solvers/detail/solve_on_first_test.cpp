// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/spread_gram.hpp>
#include <mercer/solvers/detail/solve_on_first.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/krylov/block_krylov.hpp>
#include <mercer/solvers/krylov/power_iteration.hpp>
#include <tests/support/row_parts.hpp>

namespace solve_on_first_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::BlockKrylov;
using mercer::Centered;
using mercer::EigenRequest;
using mercer::EigenSolution;
using mercer::Gaussian;
using mercer::Index;
using mercer::InvalidArgument;
using mercer::Matrix;
using mercer::Observer;
using mercer::PowerIteration;
using mercer::Progress;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SpreadGram;
using mercer::SpreadRows;
using mercer::Status;
using mercer::Vector;
using mercer::test::local_rows;
using mercer::test::on_processes;
using mercer::test::process_counts;
using mercer::test::some_process_counts;
using mercer::test::stacked;

constexpr Index n = 1100;

Matrix<double> samples() {
  Matrix<double> x = mercer::normal_matrix<double>(n, 2, 1, "x");
  for (Index i = 0; i < n; ++i) x(i, 0) += i % 3 == 0 ? 6 : 0;
  return x;
}

/// Runs work(centred operator over processes) on each of them.
template <class Work>
auto on_centered(Index count, const Work& work) {
  const Matrix<double> x = samples();
  return on_processes(count, n, RowSums::OrderFree, [&](const RowSpace& rows) {
    const Gaussian gaussian(3.0);
    const mercer::KernelView<Matrix<double>> kernel(gaussian);
    const auto part = SpreadRows<Matrix<double>>::from_parts(rows.processes(), local_rows(rows, x));
    return work(Centered(SpreadGram<Matrix<double>>(kernel, part)));
  });
}

struct Found {
  Vector<double> values;
  Matrix<double> vectors;  ///< of all rows
  mercer::Report report;
};

template <class S>
Found solve(const S& solver, Index count, const EigenRequest& request = {.components = 3}) {
  Found found;
  std::vector<Matrix<double>> parts;
  const auto all = on_centered(count, [&](const auto& a) {
    return mercer::detail::solve_on_first(solver, a, request, Observer());
  });
  for (const EigenSolution<double>& one : all) {
    CHECK(one.eigenvalues == all[0].eigenvalues);
    CHECK(one.report.residuals == all[0].report.residuals);
    parts.push_back(one.eigenvectors);
  }
  return {all[0].eigenvalues, stacked(parts), all[0].report};
}

/// A solver that does what work(operator, observer) does.
template <class Work>
struct Doing {
  Work work;
  static constexpr bool wants_dense = false;
  [[nodiscard]] double tolerance() const { return 0; }
  [[nodiscard]] std::size_t bytes(Index, Index) const { return 0; }
  template <mercer::SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest&,
                                                        const Observer& observer) const {
    work(a, observer);
    return {};
  }
};
template <class Work>
Doing(Work) -> Doing<Work>;

/// An operator whose products fail on one process.
struct FailsOnOne {
  using Scalar = double;
  RowSpace space;
  [[nodiscard]] Index rows() const { return space.total(); }
  [[nodiscard]] RowSpace row_space() const { return space; }
  void apply(const mercer::Points<double>& v, mercer::GramOut<double> out) const {
    space.together([&] {
      if (space.processes().rank() == 1) mercer::detail::fail("mercer: no product");
    });
    out = v;
  }
};

/// The sentence with which a fit by this solver ends, the same on all processes.
template <class S>
std::string sentence(const S& solver, const Observer& of_last = {}) {
  const auto all = on_centered(3, [&](const auto& a) -> std::string {
    const bool last = a.row_space().processes().rank() == 2;
    try {
      static_cast<void>(mercer::detail::solve_on_first(solver, a, {}, last ? of_last : Observer()));
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return {};
  });
  CHECK(all[1] == all[0]);
  CHECK(all[2] == all[0]);
  return all[0];
}

}  // namespace

TEST_CASE("solve on first: the pairs of one process, with the same bits for any processes",
          "[solvers][rows]") {
  const Centered gram{mercer::Gram<Matrix<double>>(Gaussian(3.0), samples())};
  const auto check = [&](const auto& solver, const EigenRequest& request,
                         const std::vector<Index>& counts) {
    const EigenSolution<double> whole = solver.solve(gram, request);
    const Found one = solve(solver, 1, request);
    // Products differ by the roundings of sums over n rows; pairs by them over gaps of a tenth.
    CHECK(one.values.isApprox(whole.eigenvalues, 1e-12));
    CHECK((one.vectors.cwiseAbs() - whole.eigenvectors.cwiseAbs()).norm() <= 1e-9);
    CHECK(one.report.trace == Approx(whole.report.trace));
    CHECK(one.report.iterations == whole.report.iterations);
    CHECK(one.report.solver == whole.report.solver);
    for (const Index count : counts) {
      const Found found = solve(solver, count, request);
      CHECK(found.values == one.values);
      CHECK(found.vectors == one.vectors);
    }
  };
  // Loose tolerances: in rounding errors, numbers of iterations may differ.
  check(PowerIteration({.tolerance = 1e-2}), {.components = 2}, some_process_counts);
  // Asks for blocks of samples, too.
  check(BlockKrylov({.tolerance = 1e-4}), {.components = 3}, process_counts);
  check(BlockKrylov({.tolerance = 1e-4}), {.components = 0.9}, some_process_counts);
}

TEST_CASE("solve on first: all that an operator has", "[solvers][rows]") {
  const Centered gram{mercer::Gram<Matrix<double>>(Gaussian(3.0), samples())};
  const Matrix<double> v = mercer::normal_matrix<double>(n, 2, 1, "v"), weights = v.topRows(3);
  const std::vector<Index> some{1000, 3, 400};
  const Doing solver{[&](const auto& a, const Observer&) {
    using A = std::remove_cvref_t<decltype(a)>;
    CHECK(a.rows() == n);
    // The concept of solvers asks with an operator that has products only.
    if constexpr (!std::same_as<A, mercer::detail::OperatorArchetype<double>>) {
      static_assert(mercer::HasSamples<A> && mercer::HasDiagonalEntries<A>);
      Matrix<double> product(n, 2), expected(n, 2);
      a.apply(v, product);
      gram.apply(v, expected);
      CHECK(product.isApprox(expected, 1e-12));
      CHECK(a.diagonal().isApprox(gram.diagonal(), 1e-12));
      CHECK(a.sample_block(some).isApprox(gram.sample_block(some), 1e-12));
      CHECK(a.sample_product(some, weights).isApprox(gram.sample_product(some, weights), 1e-12));
    }
  }};
  CHECK(sentence(solver).empty());
}

TEST_CASE("solve on first: errors reach all processes", "[solvers][rows]") {
  CHECK(sentence(Doing{[](const auto&, const Observer&) {
          mercer::detail::fail("mercer: no such pairs");
        }}) == "mercer: no such pairs");
  // Of a product, which the solver may survive.
  for (const bool survives : {false, true}) {
    const Doing product{[&](const auto& a, const Observer&) {
      const Matrix<double> v = Matrix<double>::Ones(a.rows(), 1);
      Matrix<double> out(a.rows(), 1);
      try {
        a.apply(v, out);
      } catch (const InvalidArgument&) {
        if (!survives) throw;
      }
    }};
    const auto all =
        on_processes(3, n, RowSums::OrderFree, [&](const RowSpace& rows) -> std::string {
          try {
            static_cast<void>(
                mercer::detail::solve_on_first(product, FailsOnOne{rows}, {}, Observer()));
          } catch (const InvalidArgument& error) {
            return error.what();
          }
          return {};
        });
    for (const std::string& told : all) CHECK(told == (survives ? "" : "mercer: no product"));
  }
  // Of an observer elsewhere.
  const Doing asking{[](const auto&, const Observer& observer) {
    REQUIRE(observer);
    static_cast<void>(observer({"asking", 1, 2}));
  }};
  CHECK(sentence(asking, [](const Progress& progress) {
          mercer::detail::fail("mercer: stopped at ", progress.phase, " ", progress.step);
          return true;
        }) == "mercer: stopped at asking 1");
  // Which the solver may survive.
  const Doing surviving{[](const auto& a, const Observer& observer) {
    CHECK_THROWS_AS(observer({}), InvalidArgument);
    Matrix<double> out(n, 1);
    a.apply(Matrix<double>::Ones(n, 1), out);
    CHECK(out.norm() <= 1e-9);
  }};
  CHECK(sentence(surviving, [](const Progress&) {
          mercer::detail::fail("mercer: no");
          return true;
        }).empty());
}

TEST_CASE("solve on first: an observer on one process stops all", "[solvers][rows]") {
  Index asked = 0;
  const auto whole =
      PowerIteration{}.solve(Centered{mercer::Gram<Matrix<double>>(Gaussian(3.0), samples())},
                             {.components = 2}, [&](const Progress&) { return ++asked < 4; });
  const auto all = on_centered(3, [&](const auto& a) {
    Index questions = 0;
    const bool last = a.row_space().processes().rank() == 2;
    const Observer observer = [&](const Progress& progress) {
      CHECK(progress.phase == "power iteration");
      return ++questions < 4;
    };
    return mercer::detail::solve_on_first(PowerIteration{}, a, {.components = 2},
                                          last ? observer : Observer());
  });
  for (const EigenSolution<double>& one : all) {
    CHECK(one.report.status == Status::Cancelled);
    CHECK(one.report.iterations == whole.report.iterations);
  }
}

}  // namespace solve_on_first_test
