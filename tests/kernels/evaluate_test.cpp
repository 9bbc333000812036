// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <string>

#include <rapidcheck.h>

#include <mercer/core/threads.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>

namespace evaluate_test {

using namespace mercer;
using namespace mercer::test;

namespace {

/// Runs \p action on so many threads and restores the number.
template <class Action>
auto on_threads(int threads, Action&& action) {
  const int before = thread_count();
  set_thread_count(threads);
  const auto result = action();
  set_thread_count(before);
  return result;
}

}  // namespace

TEST_CASE("evaluate: tiles cover every index once", "[kernel]") {
  for (const Index n : {0, 1, 255, 256, 257, 512, 1000}) {
    Index next = 0;
    for (Index tile = 0; tile < detail::tile_count(n); ++tile) {
      const auto range = detail::Range::tile(tile, n);
      CHECK(range.begin == next);
      CHECK(range.size > 0);
      CHECK(range.size <= detail::tile_size);
      next += range.size;
    }
    CHECK(next == n);
  }
}

SCALAR_TEST_CASE("evaluate: gram(k, X) is gram(k, X, X) and symmetric to the bit", "[kernel]") {
  for (const Index n : {1, 3, 255, 257, 600}) {
    const Matrix<TestType> x = uniform_samples<TestType>(n, 3, 1);
    const SparseMatrix<TestType> sparse = x.sparseView();
    const auto check = [](const auto& kernel, const auto& samples) {
      const Matrix<TestType> k = gram(kernel, samples);
      CHECK(k == k.transpose());
      CHECK((k - gram(kernel, samples, samples)).cwiseAbs().maxCoeff() <=
            TestType(value_tolerance<TestType>) * k.cwiseAbs().maxCoeff());
    };
    check(Gaussian{1}, x);
    check(Linear{}, x);
    check(Laplacian{1}, x);
    check(Gaussian{1}, sparse);
  }
}

TEST_CASE("evaluate: a kernel that offers the minimum", "[kernel]") {
  const Matrix<double> x = uniform_samples<double>(260, 3, 1), y = uniform_samples<double>(4, 3, 2);
  const MinimalKernel kernel(0);
  CHECK((gram(kernel, x) - gram(Gaussian{1}, x)).cwiseAbs().maxCoeff() <= 1e-13);
  CHECK((gram(kernel, x, y) - gram(Gaussian{1}, x, y)).cwiseAbs().maxCoeff() <= 1e-13);
  CHECK(mercer::diagonal(kernel, x) == Vector<double>::Ones(260));
  CHECK(detail::describe(kernel) == "user kernel");
  const Matrix<float> single = y.cast<float>();
  CHECK(gram(SinglePrecisionKernel{}, single) == gram(Linear{}, single));
}

SCALAR_TEST_CASE("evaluate: samples in any form", "[kernel]") {
  using S = TestType;
  const Matrix<S> x = uniform_samples<S>(20, 3, 1);
  const Gaussian kernel{1};
  const Matrix<S> expected = gram(kernel, x);
  const RowMajorMatrix<S> row_major = x;
  CHECK(gram(kernel, row_major) == expected);
  CHECK(gram(kernel, row_major, x) == gram(kernel, x, x));
  CHECK(gram(kernel, x.topRows(5), x) == gram(kernel, Matrix<S>(x.topRows(5)), x));
  CHECK(gram(kernel, x.array().matrix()) == expected);
  CHECK(gram(kernel, Points<S>(x)) == expected);
  const Matrix<S> by_sample = x.transpose();
  CHECK(gram(kernel, by_sample.transpose()) == expected);

  const SparseMatrix<S> sparse = x.sparseView();
  const Eigen::SparseMatrix<S, Eigen::ColMajor> column_major = sparse;
  CHECK(gram(kernel, column_major) == gram(kernel, sparse));
}

SCALAR_TEST_CASE("evaluate: the same bits on one thread and on two", "[kernel][threads]") {
  // Sizes of one tile and of several; d beyond the depth at which a matrix product is blocked.
  for (const auto& [n, d] : {std::pair<Index, Index>{600, 5}, {200, 1500}, {40, 3000}}) {
    CAPTURE(n, d);
    const Matrix<TestType> x = uniform_samples<TestType>(n, d, 1);
    const Matrix<TestType> y = x.topRows(n / 2);
    const auto check = [&](const auto& kernel) {
      CHECK(on_threads(1, [&] { return gram(kernel, x); }) ==
            on_threads(2, [&] { return gram(kernel, x); }));
      CHECK(on_threads(1, [&] { return gram(kernel, x, y); }) ==
            on_threads(2, [&] { return gram(kernel, x, y); }));
    };
    check(Linear{});
    check(Gaussian{10});
  }
}

TEST_CASE("evaluate: samples that are not finite are refused with row and column", "[kernel]") {
  const Matrix<double> good = uniform_samples<double>(3, 2, 1);
  for (const auto& [bad, text] :
       {std::pair{std::nan(""), "nan"}, {HUGE_VAL, "inf"}, {-HUGE_VAL, "-inf"}}) {
    Matrix<double> x = good;
    x(2, 1) = bad;
    const SparseMatrix<double> sparse = x.sparseView();
    const std::string message = "mercer::gram: samples must be finite, got " + std::string(text) +
                                " at row 2, column 1 (counted from 0)";
    CHECK(error_of([&] { return gram(Linear{}, x); }) == message);
    CHECK(error_of([&] { return gram(Linear{}, sparse); }) == message);
    CHECK(error_of([&] { return gram(Linear{}, good, x); }) == message);
    CHECK(error_of([&] { return gram(Linear{}, x, good); }) == message);
  }
  CHECK(error_of([&] { return gram(Linear{}, good, Matrix<double>(4, 3)); }) ==
        "mercer::gram: samples have dimensions 2 and 3");
}

TEST_CASE("evaluate: an exception from a kernel reaches the caller", "[kernel][threads]") {
  struct Throws {
    void gram(Points<double>, Points<double> y, GramOut<double> out) const {
      if (y.rows() < detail::tile_size) throw std::runtime_error("from the kernel");
      out.setZero();
    }
  };
  const Matrix<double> x = uniform_samples<double>(600, 1, 1);
  CHECK_THROWS_WITH(gram(Throws{}, x), "from the kernel");
}

TEST_CASE("evaluate: symmetry of random Gram matrices", "[kernel][property]") {
  CHECK(rc::check("gram(k, X) equals its transpose to the bit", [] {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const Index n = *rc::gen::inRange<Index>(0, 300), d = *rc::gen::inRange<Index>(0, 6);
    const double scale = std::pow(10.0, *rc::gen::inRange(-12, 12));
    const Matrix<double> x = uniform_samples<double>(n, d, seed) * scale;
    const auto check = [&](const auto& kernel) {
      const Matrix<double> k = gram(kernel, x);
      RC_ASSERT(k == k.transpose());
    };
    check(Gaussian{1});
    check(Linear{});
    check(Laplacian{1});
  }));
}

}  // namespace evaluate_test
