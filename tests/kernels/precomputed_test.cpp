// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <limits>
#include <string>
#include <utility>

#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace precomputed_test {

using namespace mercer;
using namespace mercer::test;

static_assert(!Kernel<Precomputed>);
static_assert(KernelOrPrecomputed<Precomputed>);
static_assert(evaluates_on<Precomputed, Matrix<float>>);
static_assert(!evaluates_on<Precomputed, SparseMatrix<float>>);

SCALAR_TEST_CASE("precomputed: tiles, Gram matrix and diagonal are the values given", "[kernel]") {
  using S = TestType;
  const Matrix<S> half = uniform_samples<S>(9, 9, 1);
  const Matrix<S> k = half + half.transpose();
  Matrix<S> tile(3, 4), all(9, 9);
  detail::fill_tile(Precomputed{}, k, {2, 3}, k, {5, 4}, tile);
  CHECK(tile == k.block(2, 5, 3, 4));
  fill_gram(Precomputed{}, k, all);
  CHECK(all == k);
  CHECK(mercer::diagonal(Precomputed{}, k) == k.diagonal());

  Matrix<S> nearly = k;
  nearly(3, 1) *= 1 + 4 * std::numeric_limits<S>::epsilon();
  fill_gram(Precomputed{}, nearly, all);
  CHECK(all == all.transpose());
}

SCALAR_TEST_CASE("precomputed: what is no Gram matrix is refused", "[kernel]") {
  using S = TestType;
  const auto error = [](const Matrix<S>& k) {
    return error_of([&] { Precomputed::check_gram(k); });
  };
  CHECK(error(Matrix<S>::Identity(3, 3)) == "no error");
  CHECK(error(Matrix<S>(0, 0)) == "no error");
  CHECK(error(Matrix<S>::Zero(2, 2)) == "no error");
  CHECK(error(Matrix<S>::Zero(3, 2)) ==
        "mercer::Precomputed: the Gram matrix must be square, got 3 x 2");

  // One entry, in any part of a matrix of more than one tile; relative to the largest entry.
  for (const Index n : {Index{2}, Index{64}, Index{130}})
    for (const auto& [i, j] : {std::pair<Index, Index>{n - 1, 0}, {0, n - 1}}) {
      const S largest = 1000, tolerance = largest * (sizeof(S) == 4 ? S(1e-4) : S(1e-8));
      Matrix<S> k = largest * Matrix<S>::Identity(n, n);
      k(i, j) = tolerance / 2;
      CHECK(error(k) == "no error");
      k(i, j) = 2.5;
      const std::string first = "(" + std::to_string(n - 1) + ", 0)";
      const std::string second = "(0, " + std::to_string(n - 1) + ")";
      CHECK(error(k) == "mercer::Precomputed: the Gram matrix must be symmetric, but entries " +
                            first + " and " + second + " are " +
                            (i > j ? "2.5 and 0" : "0 and 2.5"));
    }
}

SCALAR_TEST_CASE("precomputed: a value that is not finite is named", "[kernel]") {
  using S = TestType;
  for (const S value : {std::numeric_limits<S>::quiet_NaN(), std::numeric_limits<S>::infinity()})
    for (const Index n : {Index{2}, Index{130}})
      for (const auto& [i, j] : {std::pair<Index, Index>{n - 1, 0}, {0, n - 1}, {1, 1}}) {
        CAPTURE(value, n, i, j);
        Matrix<S> k = Matrix<S>::Identity(n, n);
        k(i, j) = value;
        // A pair that differs, too: NaN is not larger than its difference, and so would hide it.
        k(n - 1, n / 2) += 3;
        const std::string where = " at row " + std::to_string(i) + ", column " + std::to_string(j);
        CHECK(error_of([&] { Precomputed::check_gram(k, "Some"); }) ==
              "mercer::Some: samples must be finite, got " + detail::to_text(value) + where +
                  " (counted from 0)");
      }
  // Large numbers, whose sum is not finite, are.
  const Matrix<S> large = Matrix<S>::Constant(3, 3, std::numeric_limits<S>::max() / 2);
  CHECK(error_of([&] { Precomputed::check_gram(large); }) == "no error");
}

TEST_CASE("precomputed: name", "[kernel]") {
  CHECK(Precomputed{}.describe() == "precomputed");
}

}  // namespace precomputed_test
