// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/solvers/krylov/block_krylov.hpp>

#include <limits>
#include <stdexcept>
#include <vector>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/dense_oracle.hpp>
#include <tests/support/operators.hpp>
#include <tests/support/samples.hpp>

namespace block_krylov_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
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
    return sample_product(indices, Matrix<double>::Identity(size(indices), size(indices)))(
        indices, Eigen::indexing::all);
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

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = (std::max)(most, value);
  return most;
}

/// Rounding of products and Ritz vectors, relative to the largest eigenvalue: some tens of sums.
template <Real S>
constexpr double rounding = 100 * double{std::numeric_limits<S>::epsilon()};

/// |K u - mu u| of each pair, formed densely.
template <Real S>
std::vector<double> true_residuals(const Matrix<double>& a, const EigenSolution<S>& s) {
  const Matrix<double> u = s.eigenvectors.template cast<double>();
  const Matrix<double> rest = a * u - u * s.eigenvalues.template cast<double>().asDiagonal();
  std::vector<double> norms;
  for (Index i = 0; i < u.cols(); ++i) norms.push_back(rest.col(i).stableNorm());
  return norms;
}

/// Orthonormal vectors, descending values, and a report with true residuals, all to rounding of
/// eigenvalues of size 1.
template <Real S>
void check_pairs(const Matrix<double>& a, const EigenSolution<S>& s) {
  const Index k = s.eigenvalues.size();
  REQUIRE(s.eigenvectors.cols() == k);
  REQUIRE(s.eigenvectors.rows() == a.rows());
  REQUIRE(s.report.residuals.size() == static_cast<std::size_t>(k));
  REQUIRE(s.report.eigenvalue_error_bounds.size() == static_cast<std::size_t>(k));
  CHECK(s.report.components == k);
  const Matrix<S> gram = s.eigenvectors.transpose() * s.eigenvectors - Matrix<S>::Identity(k, k);
  CHECK(static_cast<double>(gram.norm()) <= static_cast<double>(k) * rounding<S>);
  const std::vector<double> residuals = true_residuals(a, s);
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    CHECK(std::abs(residuals[i] - s.report.residuals[i]) <= rounding<S>);
    if (i > 0)
      CHECK(s.eigenvalues(static_cast<Index>(i)) <= s.eigenvalues(static_cast<Index>(i) - 1));
  }
}

const Vector<double> slowly_decaying = spectrum_of(150, [](double i) { return 1 / (1 + i); });

}  // namespace

TEST_CASE("block_krylov: models GramSolver", "[solvers]") {
  STATIC_REQUIRE(GramSolver<BlockKrylov>);
  CHECK(BlockKrylov{}.tolerance() == 1e-6);
  CHECK(BlockKrylov{{.tolerance = 1e-3}}.tolerance() == 1e-3);
  CHECK(BlockKrylov{{.seed = 7}}.params().seed == 7);
}

TEST_CASE("block_krylov: five products of k + 10 vectors on a decaying spectrum", "[solvers]") {
  // Spec 5, check 7.
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

TEMPLATE_TEST_CASE("block_krylov: residuals, order, orthonormality, agreement with the true pairs",
                   "[solvers][law]", float, double) {
  using S = TestType;
  const Index k = GENERATE(1, 3, 12);
  const Vector<double> spectrum = GENERATE(
      spectrum_of(150, [](double i) { return std::pow(0.8, i); }), slowly_decaying,
      // a cluster that ends after 12
      spectrum_of(150, [](double i) { return i < 12 ? 1 - 1e-3 * i : 0.5 * std::pow(0.9, i); }));
  const double tolerance = sizeof(S) == 4 ? 1e-5 : 1e-8;
  const auto op = operator_with<S>(spectrum);
  const auto s = BlockKrylov{{.tolerance = tolerance}}.solve(op, {.components = k});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.report.solver == SolverId::BlockKrylov);
  CHECK(s.report.bytes > 0);
  CHECK(s.report.trace == Approx(spectrum.sum()).epsilon(sizeof(S) == 4 ? 1e-5 : 1e-12));
  CHECK(s.report.components_requested == k);
  REQUIRE(s.eigenvalues.size() == k);
  const Matrix<double> a = op.dense().template cast<double>();
  check_pairs(a, s);  // mu_1 = 1
  CHECK(largest(s.report.residuals) <= tolerance);
  const auto exact = Exact{}.solve(PrecomputedGram<double>(a), {.components = k});
  for (Index i = 0; i < k; ++i)
    CHECK(std::abs(static_cast<double>(s.eigenvalues(i)) - exact.eigenvalues(i)) <=
          s.report.eigenvalue_error_bounds[static_cast<std::size_t>(i)] + rounding<S>);
  // The angle is at most the residual over the gap (Davis, Kahan), by columns: sqrt(k).
  const double gap = spectrum(k - 1) - spectrum(k);
  CHECK(test::largest_sine<double>(exact.eigenvectors, s.eigenvectors.template cast<double>()) <=
        2 * std::sqrt(static_cast<double>(k)) * (tolerance + rounding<S>) / gap);
}

TEST_CASE("block_krylov: multiple eigenvalues as often as they are there", "[solvers]") {
  const Index k = GENERATE(1, 4, 15);
  const Vector<double> spectrum =
      GENERATE(spectrum_of(150, [](double i) { return std::pow(0.9, std::floor(i / 2)); }),
               spectrum_of(150, [](double i) { return 1 / (1 + std::floor(i / 3)); }),
               // more of the same than a block has vectors
               spectrum_of(150, [](double i) { return std::pow(0.5, std::floor(i / 40)); }),
               spectrum_of(150, [](double i) { return i < 6 ? 2 : 1; }),
               spectrum_of(150, [](double) { return 3; }));
  const auto s =
      BlockKrylov{{.tolerance = 1e-8}}.solve(operator_with<double>(spectrum), {.components = k});
  CHECK(s.report.status == Status::Converged);
  REQUIRE(s.eigenvalues.size() == k);
  CHECK((s.eigenvalues - spectrum.head(k)).cwiseAbs().maxCoeff() <= 1e-8 * spectrum(0));
}

TEMPLATE_TEST_CASE("block_krylov: stops where the spectrum ends", "[solvers]", float, double) {
  using S = TestType;
  const Index n = 150, k = 10;
  Vector<double> spectrum = Vector<double>::Zero(n);
  SECTION("fewer than asked for") {
    spectrum.head(3) << 3, 2, 1;
    const auto s = BlockKrylov{}.solve(operator_with<S>(spectrum), {.components = k});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues.size() == 3);
    CHECK(s.report.components_requested == k);
    CHECK(s.report.zero_eigenvalues == 7);
    CHECK(s.report.negative_eigenvalues == 0);
  }
  SECTION("zero") {
    const auto s = BlockKrylov{}.solve(operator_with<S>(spectrum), {.components = k});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.eigenvectors.rows() == n);
    CHECK(s.report.zero_eigenvalues == k);
  }
  SECTION("rank one") {
    const PrecomputedGram<S> ones(Matrix<S>::Ones(n, n));
    const auto s = BlockKrylov{}.solve(ones, {.components = k});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 1);
    CHECK(static_cast<double>(s.eigenvalues(0)) == Approx(n).epsilon(rounding<S>));
  }
}

TEST_CASE("block_krylov: tiny matrices and all components", "[solvers]") {
  for (const Index n : {1, 2, 3, 15, 40}) {
    const Vector<double> spectrum = Vector<double>::LinSpaced(n, 2, 1);
    for (const Index k : {Index{1}, n}) {
      const auto op = operator_with<double>(spectrum);
      const auto s = BlockKrylov{}.solve(op, {.components = k});
      CHECK(s.report.status == Status::Converged);
      REQUIRE(s.eigenvalues.size() == k);
      check_pairs(op.dense(), s);
      CHECK((s.eigenvalues - spectrum.head(k)).cwiseAbs().maxCoeff() <= 2e-6);
    }
  }
}

TEST_CASE("block_krylov: indefinite operators: largest positive eigenvalues", "[solvers]") {
  Vector<double> spectrum = -Vector<double>::LinSpaced(150, 1, 2);
  SECTION("fewer positive ones than asked for") {
    spectrum.head(4) << 0.4, 0.3, 0.2, 0.1;
    const auto s = BlockKrylov{}.solve(operator_with<double>(spectrum), {.components = 8});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == 4);
    CHECK((s.eigenvalues - spectrum.head(4)).cwiseAbs().maxCoeff() <= 4e-7);
    CHECK(s.report.negative_eigenvalues >= 4);  // four more were asked for
    CHECK(s.report.zero_eigenvalues == 4);
    // A Ritz value: no eigenvalue is more negative.
    CHECK(s.report.most_negative_eigenvalue >= -2.0000001);
    CHECK(s.report.most_negative_eigenvalue < -1);
  }
  SECTION("none") {
    const auto s = BlockKrylov{}.solve(operator_with<double>(spectrum), {.components = 8});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.eigenvalues.size() == 0);
    CHECK(s.eigenvectors.cols() == 0);
    CHECK(s.report.negative_eigenvalues >= 8);
  }
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

TEST_CASE("block_krylov: a fraction of the variance", "[solvers]") {
  const Vector<double> spectrum = spectrum_of(120, [](double i) { return std::pow(0.96, i); });
  const auto op = operator_with<double>(spectrum);
  for (const double fraction : {0.3, 0.7, 0.95}) {  // up to 70 components: 20 are doubled
    Index expected = 0;
    for (double sum = 0; sum < fraction * spectrum.sum(); ++expected) sum += spectrum(expected);
    const auto s = BlockKrylov{}.solve(op, {.components = fraction});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == expected);
    check_pairs(op.dense(), s);
    CHECK((s.eigenvalues - spectrum.head(expected)).cwiseAbs().maxCoeff() <= 1e-6);
    CHECK_FALSE(s.report.components_requested);
  }
  CHECK(BlockKrylov{}.solve(op, {.components = 1.0}).eigenvalues.size() == 120);
  const ProductsOnly bare{op.dense()};
  CHECK_THAT(test::error_of([&] { return BlockKrylov{}.solve(bare, {.components = 0.9}); }),
             ContainsSubstring("diagonal") && ContainsSubstring("0.9"));
}

TEST_CASE("block_krylov: a fraction of the variance where the rest is zero", "[solvers]") {
  Vector<double> spectrum = Vector<double>::Zero(150);
  spectrum.head(5) << 5, 4, 3, 2, 1;
  const auto s = BlockKrylov{}.solve(operator_with<double>(spectrum), {.components = 1.0});
  CHECK(s.report.status == Status::Converged);
  CHECK(s.eigenvalues.size() == 5);
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

TEST_CASE("block_krylov: the tolerance is met and is not met for nothing", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  Index before = 0;
  for (const double tolerance : {1e-2, 1e-5, 1e-8, 1e-12}) {
    const auto s = BlockKrylov{{.tolerance = tolerance, .block = 10}}.solve(op, {.components = 8});
    CHECK(s.report.status == Status::Converged);
    CHECK(largest(true_residuals(op.dense(), s)) <= tolerance + rounding<double>);
    CHECK(s.report.kernel_products > before);
    before = s.report.kernel_products;
  }
}

TEMPLATE_TEST_CASE("block_krylov: results do not depend on the unit of the matrix", "[solvers]",
                   float, double) {
  using S = TestType;
  const Matrix<S> a = test::with_spectrum<double>(slowly_decaying, 2).template cast<S>();
  const BlockKrylov solver{{.tolerance = 1e-5}};
  const auto one = solver.solve(PrecomputedGram<S>(a), {.components = 5});
  CHECK(one.report.status == Status::Converged);
  // Powers of two: then the very same bits.
  for (const int exponent :
       sizeof(S) == 4 ? std::vector<int>{-80, 80} : std::vector<int>{-700, -80, 80, 700}) {
    const S scale = std::ldexp(S(1), exponent);
    const auto s = solver.solve(PrecomputedGram<S>(scale * a), {.components = 5});
    CHECK(s.report.status == Status::Converged);
    CHECK(s.report.kernel_products == one.report.kernel_products);
    REQUIRE(s.eigenvalues.size() == 5);
    // Sizes of pivots and norms are compared after scaling, but not all of it is by powers of two.
    CHECK(static_cast<double>((s.eigenvalues / scale - one.eigenvalues).cwiseAbs().maxCoeff()) <=
          rounding<S>);
    CHECK(largest(s.report.residuals) <=
          1.01 * static_cast<double>(scale) * largest(one.report.residuals));
    CHECK(largest(s.report.residuals) >=
          0.99 * static_cast<double>(scale) * largest(one.report.residuals));
  }
}

TEMPLATE_TEST_CASE("block_krylov: the same bits on one thread and two", "[solvers]", float,
                   double) {
  using S = TestType;
  const Matrix<S> x = test::uniform_samples<S>(1100, 3, 4);
  const Centered op{PrecomputedGram<S>(gram(Gaussian(0.7), x))};
  const BlockKrylov solver{{.tolerance = 1e-4}};
  const int threads = thread_count();
  set_thread_count(1);
  const auto one = solver.solve(op, {.components = 4});
  set_thread_count(2);
  const int asked = thread_count();
  const auto two = solver.solve(op, {.components = 4});
  CHECK(thread_count() == asked);
  set_thread_count(threads);
  CHECK((one.eigenvalues == two.eigenvalues));
  CHECK((one.eigenvectors == two.eigenvectors));
  CHECK(one.report.residuals == two.report.residuals);
}

TEST_CASE("block_krylov: a seed fixes the result, another one changes rounding only", "[solvers]") {
  const auto op = operator_with<double>(slowly_decaying);
  const auto run = [&](std::uint64_t seed) {
    return BlockKrylov{{.seed = seed}}.solve(op, {.components = 5});
  };
  const auto one = run(1), again = run(1), other = run(2);
  CHECK((one.eigenvectors == again.eigenvectors));
  CHECK((one.eigenvectors != other.eigenvectors));
  CHECK((one.eigenvalues - other.eigenvalues).cwiseAbs().maxCoeff() <= 2e-6);
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
  const Index k = 10;
  const Blocks op = blocks_of(sizes);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    CAPTURE(seed);
    const auto s = BlockKrylov{{.seed = seed}}.solve(op, {.components = k});
    CHECK(s.report.status == Status::Converged);
    REQUIRE(s.eigenvalues.size() == k);
    for (Index i = 0; i < k; ++i)
      CHECK(s.eigenvalues(i) ==
            Approx(static_cast<double>(sizes[static_cast<std::size_t>(i)])).epsilon(1e-5));
  }
}

TEST_CASE("block_krylov: an error of the operator comes out as it is", "[solvers]") {
  struct Breaking : ProductsOnly {
    void apply(const Points<double>& v, GramOut<double> out) const {
      if (columns > 15) throw std::domain_error("from the operator");
      ProductsOnly::apply(v, out);
    }
  };
  const Breaking op{{test::with_spectrum<double>(slowly_decaying, 3)}};
  CHECK_THROWS_AS(BlockKrylov{}.solve(op, {.components = 5}), std::domain_error);
}

TEST_CASE("block_krylov: parameters are checked", "[solvers]") {
  const auto error = [](BlockKrylovParams params) {
    return test::error_of([&] { return BlockKrylov(params); });
  };
  CHECK_THAT(error({.tolerance = 0}),
             ContainsSubstring("BlockKrylov: tolerance") && ContainsSubstring("got 0"));
  CHECK_THAT(error({.tolerance = -1e-3}), ContainsSubstring("-0.001"));
  CHECK_THAT(error({.tolerance = std::numeric_limits<double>::quiet_NaN()}),
             ContainsSubstring("nan"));
  CHECK_THAT(error({.max_iterations = 0}),
             ContainsSubstring("max_iterations") && ContainsSubstring("got 0"));
  CHECK_THAT(error({.block = -2}), ContainsSubstring("block") && ContainsSubstring("-2"));
  CHECK_THAT(error({.basis = -3}), ContainsSubstring("basis") && ContainsSubstring("-3"));
  CHECK_THAT(error({.block = 8, .basis = 15}),
             ContainsSubstring("2 blocks, 16") && ContainsSubstring("got 15"));
  const auto op = operator_with<double>(slowly_decaying);
  CHECK_THAT(test::error_of([&] { return BlockKrylov{{.block = 4}}.solve(op, {.components = 5}); }),
             ContainsSubstring("block must be at least") && ContainsSubstring("5") &&
                 ContainsSubstring("got 4"));
}

}  // namespace block_krylov_test
