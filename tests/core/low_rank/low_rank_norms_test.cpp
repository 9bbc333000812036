// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

#include <rapidcheck.h>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_norms.hpp>
#include <mercer/core/random.hpp>
#include <tests/core/low_rank/low_rank_checks.hpp>

namespace low_rank_norms_test {

namespace {

using mercer::Index;
using mercer::LowRank;
using mercer::Matrix;
using mercer::test::general;
using mercer::test::indefinite;

template <class S>
constexpr S tolerance = mercer::test::low_rank_tolerance<S>;

}  // namespace

TEST_CASE("low_rank_norms: inner products and distances agree with the dense ones", "[core]") {
  using S = double;
  const LowRank<S> x = general<S>(30, 30, 4);
  const LowRank<S> y = indefinite<S>(30, 5);
  const S size = x.frobenius_norm() + y.frobenius_norm();
  const S product = x.dense().cwiseProduct(y.dense()).sum();
  CHECK(std::abs(mercer::inner(x, y) - product) <= tolerance<S> * size * size);
  const S expected = (x.dense() - y.dense()).norm();
  CHECK(std::abs(mercer::distance(x, y) - expected) <= tolerance<S> * size);
  CHECK(std::abs(mercer::distance_by_inner_products(x, y) - expected) <= tolerance<S> * size);

  // Nearby matrices: only distance() sees below sqrt(epsilon).
  const S tiny = 1000 * std::numeric_limits<S>::epsilon();
  LowRank<S> near = y;
  near.scale(1 + tiny);
  const S gap = tiny * y.frobenius_norm();
  CHECK(std::abs(mercer::distance(near, y) - gap) <= gap / 10);
  CHECK(mercer::distance_by_inner_products(near, y) <=
        10 * std::sqrt(std::numeric_limits<S>::epsilon()) * y.frobenius_norm());
  CHECK_THROWS_AS(mercer::inner(x, general<S>(30, 29, 1)), mercer::InvalidArgument);
  CHECK_THROWS_AS(mercer::distance(x, general<S>(29, 30, 1)), mercer::InvalidArgument);
}

TEST_CASE("low_rank_norms: a matrix of rank 0 on either side", "[core]") {
  const LowRank<double> zero(12, 12);
  for (const LowRank<double>& x : {general<double>(12, 12, 3), indefinite<double>(12, 3), zero}) {
    const double norm = x.frobenius_norm();
    CHECK(mercer::inner(x, zero) == 0);
    CHECK(mercer::inner(zero, x) == 0);
    CHECK(std::abs(mercer::distance(x, zero) - norm) <= tolerance<double> * norm);
    CHECK(std::abs(mercer::distance(zero, x) - norm) <= tolerance<double> * norm);
    CHECK(std::abs(mercer::distance_by_inner_products(x, zero) - norm) <= tolerance<double> * norm);
  }
}

TEST_CASE("low_rank_norms: laws", "[core][law]") {
  const auto draw_general = [](Index n, std::uint64_t draw) {
    const auto rank = *rc::gen::inRange<Index>(0, 5);
    return LowRank<double>::from_factors(mercer::normal_matrix<double>(n, rank, draw, "left"),
                                         mercer::normal_matrix<double>(n, rank, draw, "right"));
  };
  const auto any_size = [] { return *rc::gen::inRange<Index>(1, 12); };
  const auto any_seed = [] { return *rc::gen::inRange<std::uint64_t>(0, 1000); };

  CHECK(rc::check("shrinking does not expand distances", [&] {
    const Index n = any_size();
    LowRank<double> x = draw_general(n, any_seed());
    LowRank<double> y = draw_general(n, any_seed());
    const double before = mercer::distance(x, y);
    const double threshold = 0.1 * double(*rc::gen::inRange(0, 100));
    x.shrink({.threshold = threshold});
    y.shrink({.threshold = threshold});
    RC_ASSERT(mercer::distance(x, y) <= before + 1e-12);
  }));
  CHECK(rc::check("the error of a truncation is the tail of the singular values", [&] {
    const LowRank<double> x = draw_general(any_size(), any_seed());
    LowRank<double> cut = x;
    cut.truncate(*rc::gen::inRange<Index>(0, 6));
    const double tail = x.values().tail(x.rank() - cut.rank()).norm();
    RC_ASSERT(std::abs(mercer::distance(x, cut) - tail) <= 1e-12 * (1 + x.frobenius_norm()));
  }));
  CHECK(rc::check("the inner product is the trace of X^T Y", [&] {
    const Index n = any_size();
    const LowRank<double> x = draw_general(n, any_seed());
    const LowRank<double> y = draw_general(n, any_seed()).symmetrized();
    const double expected = (x.dense().transpose() * y.dense()).trace();
    RC_ASSERT(std::abs(mercer::inner(x, y) - expected) <=
              1e-12 * (1 + x.frobenius_norm() * y.frobenius_norm()));
  }));
  CHECK(rc::check("symmetrising twice is symmetrising once", [&] {
    const LowRank<double> x = draw_general(any_size(), any_seed());
    const LowRank<double> once = x.symmetrized();
    RC_ASSERT(once.check_invariants(1e-12));
    const LowRank<double> as_general = LowRank<double>::from_factors(
        Matrix<double>(once.left() * once.values().asDiagonal()), once.left());
    RC_ASSERT(mercer::distance(once, as_general.symmetrized()) <=
              1e-12 * (1 + once.frobenius_norm()));
  }));
}

}  // namespace low_rank_norms_test
