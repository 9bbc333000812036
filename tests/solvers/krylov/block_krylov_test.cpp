// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors
//
// What is special to BlockKrylov; the laws of all solvers are in gram_solver_test.cpp.

#include <mercer/solvers/krylov/block_krylov.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include <mercer/core/small_dense.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/solvers/pair_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace block_krylov_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::check_pairs;
using test::largest;
using test::operator_with;
using test::ProductsOnly;
using test::spectrum_of;

namespace {

/// The Gram matrix of many duplicates: cheap, and with samples, so that the sketch is used.
struct Blocks {
  using Scalar = double;
  std::vector<Index> block_of;  ///< samples of one block are equal, of different ones orthogonal
  Index blocks = 0;
  [[nodiscard]] Index rows() const { return static_cast<Index>(block_of.size()); }
  void apply(const Points<double>& v, GramOut<double> out) const {
    Matrix<double> sums = Matrix<double>::Zero(blocks, v.cols());
    for (Index i = 0; i < rows(); ++i) sums.row(block(i)) += v.row(i);
    for (Index i = 0; i < rows(); ++i) out.row(i) = sums.row(block(i));
  }
  [[nodiscard]] Vector<double> diagonal() const { return Vector<double>::Ones(rows()); }
  [[nodiscard]] Matrix<double> sample_block(const std::vector<Index>& indices) const {
    return test::rows_at(
        sample_product(indices, Matrix<double>::Identity(size(indices), size(indices))), indices);
  }
  [[nodiscard]] Matrix<double> sample_product(const std::vector<Index>& indices,
                                              const Matrix<double>& weights) const {
    Matrix<double> all = Matrix<double>::Zero(rows(), weights.cols()), out = all;
    for (Index i = 0; i < size(indices); ++i)
      all.row(indices[static_cast<std::size_t>(i)]) += weights.row(i);
    apply(all, out);
    return out;
  }

 private:
  static Index size(const std::vector<Index>& indices) {
    return static_cast<Index>(indices.size());
  }
  [[nodiscard]] Index block(Index i) const { return block_of[static_cast<std::size_t>(i)]; }
};

/// Blocks of these sizes, one after the other.
Blocks blocks_of(const std::vector<Index>& sizes) {
  Blocks a;
  for (const Index size : sizes)
    a.block_of.insert(a.block_of.end(), static_cast<std::size_t>(size), a.blocks++);
  return a;
}

/// The eigenvalues of the centred matrix, descending, but for zeros. It has those of
/// diag(s) - s s^T / n for the sizes s: for m blocks of one size, this size m - 1 times, and the
/// eigenvalues of a matrix that has a row for each different size.
Vector<double> centered_eigenvalues(const std::vector<Index>& sizes) {
  std::map<Index, Index> count_of;
  for (const Index size : sizes) ++count_of[size];
  const Index n = std::accumulate(sizes.begin(), sizes.end(), Index{0});
  std::vector<double> values, different, root;
  for (const auto& [size, count] : count_of) {
    const auto value = static_cast<double>(size);
    values.insert(values.end(), static_cast<std::size_t>(count - 1), value);
    different.push_back(value);
    root.push_back(value * std::sqrt(static_cast<double>(count) / static_cast<double>(n)));
  }
  const auto rows = static_cast<Index>(root.size());
  const Vector<double> v = Eigen::Map<const Vector<double>>(root.data(), rows);
  Matrix<double> rest = -v * v.transpose();
  rest.diagonal() += Eigen::Map<const Vector<double>>(different.data(), rows);
  for (const double value : symmetric_eigensystem<double>(rest).values) values.push_back(value);
  std::sort(values.begin(), values.end(), std::greater<>());
  return Eigen::Map<const Vector<double>>(values.data(), static_cast<Index>(values.size()));
}

const Vector<double> slowly_decaying = test::slowly_decaying();

}  // namespace

TEST_CASE("block_krylov: models GramSolver", "[solvers]") {
  STATIC_REQUIRE(GramSolver<BlockKrylov>);
  CHECK(BlockKrylov{}.tolerance() == 1e-6);
  CHECK(BlockKrylov{{.tolerance = 1e-3}}.tolerance() == 1e-3);
  CHECK(BlockKrylov{{.seed = 7}}.params().seed == 7);
}

TEST_CASE("block_krylov: five products of k + 10 vectors on a decaying spectrum", "[solvers]") {
  const ProductsOnly op{
      test::with_spectrum<double>(spectrum_of(300, [](double i) { return std::pow(0.7, i); }), 1)};
  const auto s = BlockKrylov{{.tolerance = 1e-14, .block = 20, .max_iterations = 5}}.solve(
      op, {.components = 10});
  const auto exact = Exact{}.solve(op, {.components = 10});
  REQUIRE(s.eigenvalues.size() == 10);
  CHECK(
      ((s.eigenvalues - exact.eigenvalues).array() / exact.eigenvalues.array()).abs().maxCoeff() <=
      1e-10);
  CHECK(op.columns == s.report.kernel_products + 300);  // Exact took 300
  CHECK(s.report.kernel_products <= 5 * 20);
  CHECK(s.report.iterations <= 5);
}

TEST_CASE("block_krylov: a small basis is restarted and finds the same", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  const auto wide = BlockKrylov{}.solve(op, {.components = 6});
  for (const BlockKrylov::Params& params :
       {BlockKrylovParams{.block = 6, .basis = 12}, BlockKrylovParams{.block = 6},
        BlockKrylovParams{.block = 16, .basis = 32}, BlockKrylovParams{.block = 7, .basis = 20}}) {
    const auto s = BlockKrylov{params}.solve(op, {.components = 6});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 6);
    check_pairs(op.dense(), s);
    CHECK((s.eigenvalues - wide.eigenvalues).cwiseAbs().maxCoeff() <= 2e-6);
    CHECK(s.report.bytes < wide.report.bytes);
  }
}

TEST_CASE("block_krylov: an operator without samples and without diagonal", "[solvers]") {
  const ProductsOnly op{test::with_spectrum<double>(slowly_decaying, 3)};
  Index calls = 0;
  const auto s = BlockKrylov{}.solve(op, {.components = 5}, [&](const Progress& progress) {
    CHECK(progress.phase == "block krylov");
    CHECK(progress.total == 5);
    ++calls;
    return true;
  });
  CHECK(s.report.status == Status::Converged);
  CHECK(s.report.kernel_products == op.columns);
  CHECK(s.report.iterations == calls);
  CHECK(std::isnan(s.report.trace));
  check_pairs(op.matrix, s);
}

TEST_CASE("block_krylov: at the iteration limit the best so far, with true residuals",
          "[solvers]") {
  const auto op = operator_with<double>(Vector<double>::LinSpaced(150, 2, 1));
  for (const Index limit : {1, 2, 3, 5, 6, 7}) {  // before, at and after restarts
    for (const Index basis : {0, 16, 20}) {
      const auto s =
          BlockKrylov{{.tolerance = 1e-10, .block = 8, .basis = basis, .max_iterations = limit}}
              .solve(op, {.components = 5});
      CHECK(s.report.status == Status::NotConverged);
      CHECK(s.report.iterations == limit);
      REQUIRE(s.eigenvalues.size() == 5);
      check_pairs(op.dense(), s);
      CHECK(largest(s.report.residuals) > 1e-10);
      if (limit > 5) CHECK(s.eigenvalues(0) > 1.9);
    }
  }
  CHECK(BlockKrylov{{.max_iterations = 1000}}.solve(op, {.components = 5}).report.status ==
        Status::Converged);
}

TEST_CASE("block_krylov: cancelled at any product, the best so far", "[solvers]") {
  const auto op = operator_with<double>(Vector<double>::LinSpaced(150, 2, 1));
  const BlockKrylov solver{{.tolerance = 1e-10, .block = 8, .basis = 16}};
  const auto cancel_after = [&](Index products) {
    Index calls = 0;
    return solver.solve(op, {.components = 5}, [&](const Progress&) { return calls++ < products; });
  };
  const auto first = cancel_after(0);
  CHECK(first.report.status == Status::Cancelled);
  CHECK(first.report.kernel_products == 0);
  CHECK(first.eigenvalues.size() == 0);
  CHECK(first.eigenvectors.rows() == 150);
  CHECK(first.eigenvectors.cols() == 0);
  for (Index products = 1; products <= 6; ++products) {
    const auto s = cancel_after(products);
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.report.iterations == products);
    REQUIRE(s.eigenvalues.size() == 5);
    check_pairs(op.dense(), s);
  }
}

TEST_CASE("block_krylov: a fraction of the variance, cancelled or at the limit at any product",
          "[solvers]") {
  const auto op =
      operator_with<double>(spectrum_of(80, [](double i) { return std::pow(0.95, i); }));
  const auto all = BlockKrylov{{.block = 20}}.solve(op, {.components = 0.95});
  for (Index products = 1; products < all.report.iterations; ++products) {
    Index calls = 0;
    const auto s = BlockKrylov{{.block = 20}}.solve(
        op, {.components = 0.95}, [&](const Progress&) { return calls++ < products; });
    CHECK(s.report.status == Status::Cancelled);
    CHECK(s.eigenvalues.size() > 0);
    check_pairs(op.dense(), s);
    const auto limited =
        BlockKrylov{{.block = 20, .max_iterations = products}}.solve(op, {.components = 0.95});
    CHECK(limited.report.status == Status::NotConverged);
    CHECK(limited.eigenvalues == s.eigenvalues);
  }
}

TEST_CASE("block_krylov: blocks of fewer vectors than components", "[solvers]") {
  const Vector<double> spectrum =
      GENERATE(test::slowly_decaying(),
               spectrum_of(150, [](double i) { return std::pow(0.8, std::floor(i / 5)); }),
               spectrum_of(150, [](double i) { return i < 9 ? 2 : 0; }));
  const auto op = operator_with<double>(spectrum);
  for (const Index block : {1, 2, 3, 7}) {
    CAPTURE(block);
    const auto s =
        BlockKrylov{{.block = block, .max_iterations = 1000}}.solve(op, {.components = 8});
    test::check_found(s, spectrum.head(8), 2e-6 * spectrum(0));
    check_pairs(op.dense(), s);
  }
}

TEST_CASE("block_krylov: blocks that the landmarks of the sketch miss", "[solvers]") {
  // K is 1 within a block and 0 without: its eigenvalues are the sizes of the blocks. A tenth of
  // the rows are landmarks, so that a block of s is missed with probability 0.9^s.
  std::vector<Index> sizes;
  SECTION("sizes 1 to 40") {
    for (Index size = 40; size >= 1; --size) sizes.push_back(size);
  }
  SECTION("equal sizes") {
    sizes.assign(50, 15);
  }
  SECTION("a few large ones above many small ones") {
    for (Index i = 0; i < 12; ++i) sizes.push_back(30 - i);
    sizes.insert(sizes.end(), 300, 2);
  }
  SECTION("three sizes, each many times") {
    sizes.assign(6, 12);
    sizes.insert(sizes.end(), 30, 11);
    sizes.insert(sizes.end(), 30, 10);
  }
  // The few random vectors of the start cannot find all that the landmarks miss of the first.
  SECTION("small groups of equal samples among many single ones") {
    sizes.assign(8, 6);
    sizes.insert(sizes.end(), 30, 5);
    sizes.insert(sizes.end(), 1802, 1);
  }
  const Blocks op = blocks_of(sizes);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Index k = seed % 2 == 0 ? 8 : 10;
    CAPTURE(k, seed);
    const auto s = BlockKrylov{{.seed = seed}}.solve(op, {.components = k});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == k);
    for (Index i = 0; i < k; ++i)
      CHECK(s.eigenvalues(i) ==
            Approx(static_cast<double>(sizes[static_cast<std::size_t>(i)])).epsilon(1e-5));
    const Vector<double> expected = centered_eigenvalues(sizes).head(k);
    test::check_found(BlockKrylov{{.seed = seed}}.solve(Centered<Blocks>(op), {.components = k}),
                      expected, 1e-5 * expected(0));
  }
}

TEST_CASE("block_krylov: sizes are checked", "[solvers]") {
  const auto error = [](BlockKrylovParams params) {
    return test::error_of([&] { return BlockKrylov(params); });
  };
  CHECK_THAT(error({.block = -2}), ContainsSubstring("block") && ContainsSubstring("-2"));
  CHECK_THAT(error({.basis = -3}), ContainsSubstring("basis") && ContainsSubstring("-3"));
  CHECK_THAT(error({.block = 8, .basis = 15}),
             ContainsSubstring("2 blocks, 16") && ContainsSubstring("got 15"));
}

TEST_CASE("block_krylov: a basis without room for the components is refused", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  const auto error = [&](BlockKrylovParams params, Components components) {
    return test::error_of(
        [&] { return BlockKrylov(params).solve(op, {.components = components}); });
  };
  CHECK(error({.block = 4, .basis = 10}, 30) ==
        "mercer::BlockKrylov: basis must have room for the components, 30, and a block: at least "
        "34, got 10");
  // The block by default, too: 15 vectors.
  CHECK_THAT(error({.basis = 29}, 4), ContainsSubstring("at least 30, got 29"));
  CHECK(error({.block = 4, .basis = 34}, 30) == "no error");
  // All vectors are enough for anything.
  const auto few = operator_with<double>(Vector<double>::LinSpaced(8, 2, 1));
  CHECK(BlockKrylov{{.block = 4, .basis = 8}}.solve(few, {.components = 7}).eigenvalues.size() ==
        7);
}

TEST_CASE("block_krylov: for a fraction of variance the basis grows, and the report says so",
          "[solvers]") {
  const auto op =
      operator_with<double>(spectrum_of(200, [](double i) { return std::pow(0.95, i); }));
  const auto s = BlockKrylov{{.block = 4, .basis = 10}}.solve(op, {.components = 0.5});
  CHECK(s.report.status == Status::Converged);
  CHECK_THAT(s.report.reason, ContainsSubstring("basis of 10") && ContainsSubstring("up to 44"));
  CHECK(BlockKrylov{{.block = 4, .basis = 24}}.solve(op, {.components = 0.5}).report.reason == "");
}

}  // namespace block_krylov_test
