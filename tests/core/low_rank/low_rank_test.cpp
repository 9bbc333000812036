// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_norms.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/tiles.hpp>
#include <tests/core/low_rank/low_rank_checks.hpp>
#include <tests/support/row_parts.hpp>

namespace low_rank_test {

namespace {

using mercer::EigenSystem;
using mercer::Index;
using mercer::LowRank;
using mercer::Matrix;
using mercer::normal_matrix;
using mercer::ProductTerm;
using mercer::PsdTerm;
using mercer::RowSpace;
using mercer::RowSums;
using mercer::SymmetricTerm;
using mercer::Vector;
using mercer::test::check_equal;
using mercer::test::dense_shrink;
using mercer::test::general;
using mercer::test::indefinite;
using mercer::test::normal;
using mercer::test::symmetric;

template <class S>
constexpr S tolerance = mercer::test::low_rank_tolerance<S>;

}  // namespace

TEST_CASE("low_rank: factors are multiplied out", "[core]") {
  using S = double;
  const Matrix<S> a = normal<S>(30, 4, "a");
  const Matrix<S> b = normal<S>(20, 4, "b");
  const Matrix<S> m = symmetric(normal<S>(4, 4, "m"));

  const LowRank<S> product = LowRank<S>::from_factors(a, b);
  CHECK(product.rank() == 4);
  CHECK_FALSE(product.is_symmetric());
  check_equal<S>(product, a * b.transpose());

  const LowRank<S> middle = LowRank<S>::from_symmetric(a, m);
  CHECK(middle.rank() == 4);
  CHECK(middle.is_symmetric());
  CHECK(middle.values()(3) < 0);
  check_equal<S>(middle, a * m * a.transpose());

  const LowRank<S> psd = LowRank<S>::from_psd_factor(a);
  CHECK(psd.values()(3) > 0);
  check_equal<S>(psd, a * a.transpose());

  const LowRank<S> pairs = LowRank<S>::from_eigenpairs(
      Vector<S>{{-1, 3, 2}}, mercer::orthonormalize(normal<S>(9, 3, "q")).Q);
  CHECK(pairs.values() == Vector<S>{{3, 2, -1}});
  CHECK(pairs.check_invariants(tolerance<S>));
}

TEST_CASE("low_rank: products, entries, norms and trace agree with the dense matrix", "[core]") {
  using S = double;
  const Matrix<S> x = normal<S>(25, 3, "x");
  const auto check = [&](const LowRank<S>& z) {
    const Matrix<S> dense = z.dense();
    const S size = dense.norm();
    CHECK((z.apply(x) - dense * x).norm() <= tolerance<S> * size * x.norm());
    CHECK((z.apply_transposed(x) - dense.transpose() * x).norm() <= tolerance<S> * size * x.norm());
    CHECK((z.transpose().dense() - dense.transpose()).norm() <= tolerance<S> * size);
    CHECK(std::abs(z.entry(2, 7) - dense(2, 7)) <= tolerance<S> * size);
    CHECK(std::abs(z.frobenius_norm() - size) <= tolerance<S> * size);
    CHECK(std::abs(z.trace() - dense.trace()) <= tolerance<S> * size);
  };
  check(general<S>(25, 25, 4));
  check(indefinite<S>(25, 4));
  CHECK_THROWS_AS(general<S>(25, 20, 2).trace(), mercer::InvalidArgument);
}

TEST_CASE("low_rank: singular values are shrunk and truncated", "[core]") {
  using S = double;
  const Matrix<S> q = mercer::orthonormalize(normal<S>(12, 5, "q")).Q;
  const LowRank<S> z = LowRank<S>::from_eigenpairs(Vector<S>{{5, 3, 1, -2, -4}}, q);

  LowRank<S> shrunk = z;
  shrunk.shrink({.threshold = S(1.5)});
  CHECK(shrunk.values() == Vector<S>{{S(3.5), S(1.5), S(-0.5), S(-2.5)}});
  check_equal<S>(shrunk, dense_shrink<S>(z.dense(), S(1.5)), S(10));

  LowRank<S> positive = z;
  positive.shrink({.threshold = S(1.5), .positive_only = true});
  CHECK(positive.values() == Vector<S>{{S(3.5), S(1.5)}});

  LowRank<S> top = z;
  top.truncate(3);
  CHECK(top.values() == Vector<S>{{5, 3, -4}});
  CHECK(std::abs(mercer::distance(top, z) - std::sqrt(S(5))) <= tolerance<S> * 10);
  top.truncate(7);
  CHECK(top.rank() == 3);
  top.truncate(0);
  CHECK(top.rank() == 0);

  LowRank<S> relative = z;
  relative.truncate_relative(S(0.45));
  CHECK(relative.values() == Vector<S>{{5, 3, -4}});

  LowRank<S> negated = z;
  negated.scale(-2);
  check_equal<S>(negated, -2 * z.dense(), S(20));

  LowRank<S> wide = general<S>(8, 30, 5);
  const Matrix<S> dense = wide.dense();
  wide.shrink({.threshold = wide.values()(2)});
  CHECK(wide.rank() == 2);
  wide = general<S>(8, 30, 5);
  wide.scale(-1);
  check_equal<S>(wide, -dense);
  CHECK_THROWS_AS(wide.shrink({.positive_only = true}), mercer::InvalidArgument);
  CHECK_THROWS_AS(wide.shrink({.threshold = -1}), mercer::InvalidArgument);
  CHECK_THROWS_AS(wide.truncate(-1), mercer::InvalidArgument);
  CHECK_THROWS_AS(wide.truncate_relative(2), mercer::InvalidArgument);
}

TEST_CASE("low_rank: lost orthogonality is seen and repaired", "[core]") {
  const LowRank<double> exact = indefinite<double>(30, 4);
  const Matrix<double> drifted = exact.left() + 1e-6 * normal<double>(30, 4, "drift");
  LowRank<double> z = LowRank<double>::from_eigenpairs(exact.values(), drifted);
  CHECK_FALSE(z.check_invariants(1e-9));
  const Matrix<double> before = z.dense();
  z.reorthonormalize();
  check_equal<double>(z, before);

  LowRank<double> product = general<double>(30, 20, 4);
  const Matrix<double> dense = product.dense();
  product.reorthonormalize();
  check_equal<double>(product, dense);
}

TEST_CASE("low_rank: empty matrices, rank 0 and n = 1 are legal", "[core]") {
  for (const Index n : {0, 1, 5}) {
    LowRank<double> z(n, n);
    CHECK(z.check_invariants(0));
    CHECK(z.rank() == 0);
    CHECK(z.dense() == Matrix<double>::Zero(n, n));
    CHECK(z.apply(Matrix<double>::Ones(n, 2)) == Matrix<double>::Zero(n, 2));
    CHECK(z.frobenius_norm() == 0);
    CHECK(z.trace() == 0);
    CHECK((n == 0 || z.entry(n - 1, n - 1) == 0));
    CHECK(z.apply_transposed(Matrix<double>::Ones(n, 2)) == Matrix<double>::Zero(n, 2));
    CHECK(z.eigensystem().values.size() == 0);
    CHECK(z.symmetrized().rank() == 0);
    CHECK(z.transpose().rank() == 0);
    CHECK(mercer::inner(z, z) == 0);
    CHECK(mercer::distance(z, z) == 0);
    CHECK(mercer::distance_by_inner_products(z, z) == 0);
    z.shrink({.threshold = 1});
    z.scale(-1);
    z.reorthonormalize();
    z.truncate(3);
    z.truncate_relative(0.5);
    z.update(1, 1, ProductTerm<double>{Matrix<double>(n, 0), Matrix<double>(n, 0)});
    z.update(1, 1, PsdTerm<double>{Matrix<double>::Zero(n, 2)});
    CHECK(z.rank() == 0);
    z.update(1, 1, PsdTerm<double>{Matrix<double>::Constant(n, 2, 3)});
    CHECK(z.rank() == (std::min)(n, Index{1}));
    CHECK((z.dense() - Matrix<double>::Constant(n, n, 18)).norm() <= 1e-12);
  }
  CHECK(LowRank<double>().rows() == 0);
  CHECK(general<double>(1, 1, 3).rank() == 1);
}

TEST_CASE("low_rank: a caller's mistakes are named", "[core]") {
  LowRank<double> z = general<double>(6, 5, 2);
  const Matrix<double> six = Matrix<double>::Ones(6, 1);
  const Matrix<double> five = Matrix<double>::Ones(5, 1);
  const double nan = std::nan("");
  CHECK_THROWS_AS(z.update(1, 1, ProductTerm<double>{five, five}), mercer::InvalidArgument);
  CHECK_THROWS_AS(z.update(1, 1, PsdTerm<double>{six}), mercer::InvalidArgument);
  CHECK_THROWS_AS(z.update(1, nan, ProductTerm<double>{six, five}), mercer::InvalidArgument);
  CHECK_THROWS_AS(z.update(nan, 1, ProductTerm<double>{six, five}), mercer::InvalidArgument);
  CHECK_THROWS_AS(z.update(1, 1, ProductTerm<double>{nan * six, five}), mercer::InvalidArgument);
  CHECK_THROWS_AS(z.update(1, 1, ProductTerm<double>{six, five}, {.threshold = nan}),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(LowRank<double>::from_symmetric(six, Matrix<double>::Ones(2, 2)),
                  mercer::InvalidArgument);
  CHECK_THROWS_AS(LowRank<double>::from_eigenpairs(Vector<double>::Ones(2), six),
                  mercer::InvalidArgument);
}

TEST_CASE("low_rank: an update that throws leaves the matrix as it was", "[core]") {
  const double nan = std::nan("");
  const Matrix<double> ones = Matrix<double>::Ones(6, 2);
  const auto check = [&](const LowRank<double>& before, const auto& mistake) {
    LowRank<double> z = before;
    CHECK_THROWS_AS(mistake(z), mercer::InvalidArgument);
    CHECK(z.is_symmetric() == before.is_symmetric());
    REQUIRE(z.rank() == before.rank());
    CHECK((z.values() == before.values()));
    CHECK((z.left() == before.left()));
    CHECK((z.right() == before.right()));
    // And it can be used.
    LowRank<double> expected = before;
    const double step = expected.update(0.5, 1, PsdTerm<double>{ones});
    CHECK(z.update(0.5, 1, PsdTerm<double>{ones}) == step);
    CHECK((z.values() == expected.values()));
    CHECK((z.left() == expected.left()));
    CHECK((z.right() == expected.right()));
  };
  for (const LowRank<double>& z :
       {general<double>(6, 6, 3), indefinite<double>(6, 3), LowRank<double>(6, 6)}) {
    CAPTURE(z.rank(), z.is_symmetric());
    // The second term of a product is looked at after the first.
    Matrix<double> bad = ones;
    bad(5, 1) = nan;
    for (const double a : {0.0, 1.0}) {
      CAPTURE(a);
      check(z, [&](auto& m) { m.update(a, nan, PsdTerm<double>{ones}); });
      check(z, [&](auto& m) { m.update(a, 1, PsdTerm<double>{bad}); });
      check(z, [&](auto& m) { m.update(a, 1, PsdTerm<double>{ones}, {.threshold = -1}); });
      check(z, [&](auto& m) { m.update(a, 1, ProductTerm<double>{ones, bad}); });
      check(z, [&](auto& m) { m.update(a, 1, ProductTerm<double>{bad, ones}); });
      check(z, [&](auto& m) { m.update(a, nan, ProductTerm<double>{ones, ones}); });
      const Matrix<double> middle = Matrix<double>::Constant(2, 2, nan);
      check(z, [&](auto& m) { m.update(a, 1, SymmetricTerm<double>{ones, middle}); });
    }
    // Also where a is multiplied by nothing.
    for (const double a : {nan, std::numeric_limits<double>::infinity()}) {
      check(z, [&](auto& m) { m.update(a, 1, PsdTerm<double>{ones}); });
      check(z, [&](auto& m) { m.update(a, 0, PsdTerm<double>{ones}); });
      check(z, [&](auto& m) { m.update(a, 1, ProductTerm<double>{ones, ones}); });
    }
    check(z, [](auto& m) { m.scale(std::nan("")); });
    check(z, [](auto& m) { m.truncate(-1); });
    check(z, [](auto& m) { m.truncate_relative(1); });
    check(z, [](auto& m) { m.shrink({.threshold = -1}); });
  }
}

TEST_CASE("low_rank: rows in several processes", "[core][rows]") {
  using mercer::detail::tile_size;
  constexpr Index n = 3 * tile_size + 40;
  const Matrix<double> a = normal_matrix<double>(n, 6, 1, "a"),
                       b = normal_matrix<double>(n, 6, 1, "b"),
                       v = normal_matrix<double>(n, 2, 1, "v");
  const Matrix<double> middle = Vector<double>::LinSpaced(6, 1, -1).asDiagonal();
  // Rounding of sums over n rows, for matrices whose values are of one size.
  constexpr double tolerance = 1e-12;
  for (const bool symmetric : {true, false}) {
    // A zero matrix that grows, turns, shrinks, and is made orthonormal again.
    const auto steps = [&](LowRank<double>& z, const auto& rows_of) {
      if (symmetric) {
        z.update(0, 1, PsdTerm<double>{rows_of(a)});
        z.update(0.5, 0.5, SymmetricTerm<double>{rows_of(b), middle}, {.threshold = 20});
      } else {
        z.update(0, 1, PsdTerm<double>{rows_of(a)});
        z.update(0.5, 0.5, ProductTerm<double>{rows_of(a), rows_of(b)}, {.threshold = 20});
      }
      const double step = z.update(0, 0.25, PsdTerm<double>{rows_of(b)});
      z.update(1, 0.5, ProductTerm<double>{rows_of(b), rows_of(a)});
      z.reorthonormalize();
      z.truncate(5);
      return step;
    };
    LowRank<double> whole(n, n);
    const double step = steps(whole, [](const Matrix<double>& m) { return m; });
    const EigenSystem<double> pairs = whole.eigensystem();
    const double norm = whole.frobenius_norm();
    const auto found = [&](Index count, RowSums sums) {
      return mercer::test::stacked(
          mercer::test::on_processes(count, n, sums, [&](const RowSpace& rows) {
            const auto mine = [&](const Matrix<double>& m) {
              return mercer::test::local_rows(rows, m);
            };
            LowRank<double> z(rows);
            const double moved = steps(z, mine);
            LowRank<double> twice = z;
            twice.scale(2);
            // Catch2 counts on one thread only.
            const bool good = std::abs(moved - step) <= 1e-7 * step &&
                              z.check_invariants(tolerance) && z.rows() == rows.local() &&
                              z.cols() == rows.local() &&
                              std::abs(z.trace() - whole.trace()) <= tolerance * norm &&
                              z.values().isApprox(whole.values(), tolerance) &&
                              z.eigensystem().values.isApprox(pairs.values, tolerance) &&
                              std::abs(distance(z, twice) - norm) <= tolerance * norm;
            if (!good) throw std::runtime_error("a spread LowRank differs");
            Matrix<double> images(rows.local(), 4);
            images << z.apply(mine(v)), z.apply_transposed(mine(v));
            return images;
          }));
    };
    Matrix<double> expected(n, 4);
    expected << whole.apply(v), whole.apply_transposed(v);
    const Matrix<double> one = found(1, RowSums::OrderFree);
    CHECK(one.isApprox(expected, tolerance));
    for (const Index count : {2, 3, 5}) CHECK(found(count, RowSums::OrderFree) == one);
    CHECK(found(3, RowSums::Plain).isApprox(expected, tolerance));
  }
}

}  // namespace low_rank_test
