// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <tests/support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <rapidcheck.h>

#include <Eigen/Eigenvalues>
#include <mercer/core/low_rank/low_rank.hpp>
#include <mercer/core/low_rank/low_rank_norms.hpp>
#include <mercer/core/low_rank/low_rank_update.hpp>
#include <mercer/core/random.hpp>
#include <tests/core/low_rank/low_rank_checks.hpp>

namespace low_rank_update_test {

namespace {

using mercer::Index;
using mercer::LowRank;
using mercer::Matrix;
using mercer::ProductTerm;
using mercer::PsdTerm;
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

/// D_threshold of a symmetric matrix, through its eigenvalues.
Matrix<double> dense_shrink_symmetric(const Matrix<double>& a, double threshold,
                                      bool positive_only = false) {
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(symmetric(a));
  const Vector<double> below = (eigen.eigenvalues().array() + threshold).min(0);
  Vector<double> values = (eigen.eigenvalues().array() - threshold).max(0);
  if (!positive_only) values += below;
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

/// The Gaussian Gram matrix (sigma = 1) of the points (0,0), (1,0), (0,2), (1.5,1).
Matrix<double> four_point_gram() {
  const Matrix<double> x{{0, 0}, {1, 0}, {0, 2}, {1.5, 1}};
  Matrix<double> k(4, 4);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) k(i, j) = std::exp(-(x.row(i) - x.row(j)).squaredNorm() / 2);
  return k;
}

/// The Gaussian Gram matrix of two normal clouds in four dimensions, n = 60.
Matrix<double> two_cloud_gram() {
  Matrix<double> x = normal<double>(60, 4, "clouds");
  x.bottomRows(30).array() = x.bottomRows(30).array() * 0.7 + 1.5;
  Matrix<double> k(60, 60);
  for (Index i = 0; i < 60; ++i)
    for (Index j = 0; j < 60; ++j)
      k(i, j) = std::exp(-(x.row(i) - x.row(j)).squaredNorm() / (2 * 1.7 * 1.7));
  return k;
}

/// n/k K_I E_I^T for the columns I.
ProductTerm<double> column_term(const Matrix<double>& k, const std::vector<Index>& columns) {
  const auto count = static_cast<Index>(columns.size());
  ProductTerm<double> term{Matrix<double>(k.rows(), count), Matrix<double>::Zero(k.rows(), count)};
  const double weight = double(k.rows()) / double(count);
  for (Index j = 0; j < count; ++j) {
    term.left.col(j) = weight * k.col(columns[std::size_t(j)]);
    term.right(columns[std::size_t(j)], j) = 1;
  }
  return term;
}

/// The symmetric part of column_term: [K_I E_I] n/2k [0 I; I 0] [K_I E_I]^T.
SymmetricTerm<double> symmetric_column_term(const Matrix<double>& k,
                                            const std::vector<Index>& columns) {
  const ProductTerm<double> term = column_term(k, columns);
  const Index count = term.left.cols();
  SymmetricTerm<double> out{Matrix<double>(k.rows(), 2 * count),
                            Matrix<double>::Zero(2 * count, 2 * count)};
  out.basis << term.left, term.right;
  out.middle.topRightCorner(count, count).diagonal().setConstant(0.5);
  out.middle.bottomLeftCorner(count, count).diagonal().setConstant(0.5);
  return out;
}

SCALAR_TEST_CASE("low_rank_update: an update returns the norm of the change", "[core]") {
  using S = TestType;
  // Squares cancel, so a change of the size of the matrix is known to a root of its rounding.
  constexpr S tolerance = 100 * std::numeric_limits<S>::epsilon();
  const Index n = 30;
  const PsdTerm<S> psd{normal<S>(n, 3, "f")};
  const ProductTerm<S> product{normal<S>(n, 2, "a"), normal<S>(n, 2, "b")};
  const auto moves = [&](LowRank<S> z, S a, S b, const auto& term, mercer::Shrinkage<S> how) {
    const Matrix<S> before = z.dense();
    const S step = z.update(a, b, term, how);
    CHECK(step == Approx((z.dense() - before).norm()).epsilon(tolerance));
  };
  const LowRank<S> symmetric = indefinite<S>(n, 3);
  const LowRank<S> general = LowRank<S>::from_factors(normal<S>(n, 4, "l"), normal<S>(n, 4, "r"));
  for (const S a : {S(0), S(0.7), S(-1)}) {
    moves(symmetric, a, S(0.3), psd, {S(0.5), false});
    moves(symmetric, a, S(0.3), psd, {S(0.5), true});
    moves(symmetric, a, S(0), psd, {S(0.5), true});
    moves(symmetric, a, S(0.3), product, {S(0.5), false});
    moves(general, a, S(0.3), product, {S(0.5), false});
    moves(general, a, S(0.3), psd, {S(0.5), false});
    moves(general, a, S(0), product, {S(0.5), false});
  }
  moves(LowRank<S>(n, n), S(-1), S(2), psd, {S(0.1), false});
}

}  // namespace

SCALAR_TEST_CASE("low_rank_update: after an exception the matrix is as it was", "[core]") {
  using S = TestType;
  const Index n = 30;
  const auto check = [&](const LowRank<S>& start, const auto& bad, const auto& none) {
    LowRank<S> z = start;
    const Matrix<S> before = z.dense();
    CHECK_THROWS_AS(z.update(1, 1, bad, {}), mercer::InvalidArgument);
    CHECK(z.rank() == start.rank());
    CHECK(z.dense() == before);
    // Neither does what comes next see anything of it: here, a sum with 0 of another rank.
    z.truncate(2);
    LowRank<S> expected = start;
    expected.truncate(2);
    z.update(1, 1, none, {});
    expected.update(1, 1, none, {});
    CHECK(z.dense() == expected.dense());
  };
  // The right factor, or the middle, is found to be wrong when the left basis has been extended.
  constexpr S infinity = std::numeric_limits<S>::infinity();
  const ProductTerm<S> product{normal<S>(n, 3, "a"), Matrix<S>::Constant(n, 3, infinity)};
  const SymmetricTerm<S> middle{normal<S>(n, 3, "c"), Matrix<S>::Constant(3, 3, infinity)};
  const ProductTerm<S> no_product{Matrix<S>(n, 0), Matrix<S>(n, 0)};
  const SymmetricTerm<S> no_middle{Matrix<S>(n, 0), Matrix<S>(0, 0)};
  check(general<S>(n, n, 4), product, no_product);
  check(general<S>(n, n, 4), middle, no_middle);
  check(indefinite<S>(n, 4), product, no_product);
  check(indefinite<S>(n, 4), middle, no_middle);
}

SCALAR_TEST_CASE("low_rank_update: every update agrees with the dense one", "[core]") {
  using S = TestType;
  const Index n = 14;
  const ProductTerm<S> product{normal<S>(n, 3, "a"), normal<S>(n, 3, "b")};
  const SymmetricTerm<S> middle{normal<S>(n, 3, "c"), symmetric(normal<S>(3, 3, "d"))};
  const PsdTerm<S> psd{normal<S>(n, 3, "f")};
  const Matrix<S> dense_product = product.left * product.right.transpose();
  const Matrix<S> dense_middle = middle.basis * middle.middle * middle.basis.transpose();
  const Matrix<S> dense_psd = psd.factor * psd.factor.transpose();

  for (const LowRank<S>& start :
       {general<S>(n, n, 4), indefinite<S>(n, 4), LowRank<S>(n, n),
        LowRank<S>::from_psd_factor(normal<S>(n, 2, "e")), general<S>(n, n, n)}) {
    for (const S a : {S(0.75), S(0), S(-2)}) {
      for (const S b : {S(0.5), S(0), S(-1)}) {
        for (const S threshold : {S(0), S(3), S(1e4)}) {
          const auto check = [&](const auto& term, const Matrix<S>& dense_term) {
            LowRank<S> z = start;
            z.update(a, b, term, {.threshold = threshold});
            const Matrix<S> sum = a * start.dense() + b * dense_term;
            const S size = std::abs(a) * start.frobenius_norm() + std::abs(b) * dense_term.norm();
            check_equal<S>(z, dense_shrink<S>(sum, threshold), size);
          };
          check(product, dense_product);
          check(middle, dense_middle);
          check(psd, dense_psd);
        }
      }
    }
  }
}

TEST_CASE("low_rank_update: a symmetric matrix stays so under symmetric terms only", "[core]") {
  LowRank<double> z = indefinite<double>(20, 3);
  z.update(1, 1, PsdTerm<double>{normal<double>(20, 2, "f")});
  CHECK(z.is_symmetric());
  CHECK(z.rank() == 5);
  z.update(1, 1, ProductTerm<double>{normal<double>(20, 1, "a"), normal<double>(20, 1, "b")});
  CHECK_FALSE(z.is_symmetric());
  CHECK(z.rank() == 6);
  z.update(1, 1, PsdTerm<double>{normal<double>(20, 2, "g")});
  CHECK_FALSE(z.is_symmetric());
  z.update(0, 1, PsdTerm<double>{normal<double>(20, 2, "g")});
  CHECK(z.is_symmetric());
  CHECK(z.rank() == 2);
}

TEST_CASE("low_rank_update: rank-deficient terms and cancellation leave no spurious rank",
          "[core]") {
  const Matrix<double> a = normal<double>(40, 3, "a");
  Matrix<double> doubled(40, 7);
  doubled << a, a, Matrix<double>::Zero(40, 1);

  LowRank<double> z = LowRank<double>::from_psd_factor(a);
  z.update(1, 1, PsdTerm<double>{doubled});
  CHECK(z.rank() == 3);
  check_equal<double>(z, 3 * a * a.transpose());

  LowRank<double> general = LowRank<double>::from_factors(doubled, doubled);
  CHECK(general.rank() == 3);
  general.update(1, -1, ProductTerm<double>{doubled, doubled});
  CHECK(general.rank() == 0);

  z.update(1, -3, PsdTerm<double>{a});
  CHECK(z.rank() == 0);
  CHECK(z.is_symmetric());
  CHECK(z.dense() == Matrix<double>::Zero(40, 40));
}

SCALAR_TEST_CASE("low_rank_update: the symmetric part has up to twice the rank", "[core]") {
  using S = TestType;
  const LowRank<S> z = general<S>(40, 40, 3);
  const LowRank<S> part = z.symmetrized();
  CHECK(part.is_symmetric());
  CHECK(part.rank() == 6);
  check_equal<S>(part, symmetric(z.dense()), z.frobenius_norm());

  // A symmetric matrix in general form: the second copy of the range is rounding and is dropped.
  for (const Index rank : {1, 2, 9}) {
    const LowRank<S> stored = indefinite<S>(300, rank);
    const LowRank<S> as_general = LowRank<S>::from_factors(
        Matrix<S>(stored.left() * stored.values().asDiagonal()), stored.left());
    CHECK_FALSE(as_general.is_symmetric());
    const mercer::EigenSystem<S> pairs = as_general.eigensystem();
    REQUIRE(pairs.values.size() == rank);
    CHECK((pairs.values - stored.values()).norm() <= tolerance<S> * stored.frobenius_norm());
    CHECK((stored.apply(pairs.vectors) - pairs.vectors * pairs.values.asDiagonal()).norm() <=
          tolerance<S> * stored.frobenius_norm());
  }
  CHECK_THROWS_AS(general<S>(8, 9, 2).symmetrized(), mercer::InvalidArgument);
}

TEST_CASE("low_rank_update: scales near the ends of the range of double", "[core]") {
  const Matrix<double> a = normal<double>(20, 3, "a");
  const Matrix<double> b = normal<double>(20, 3, "b");
  for (const double scale : {1e150, 1e-150}) {
    LowRank<double> z = LowRank<double>::from_factors(scale * a, scale * b);
    CHECK(z.rank() == 3);
    check_equal<double>(z, (scale * a) * (scale * b).transpose());
    LowRank<double> psd = LowRank<double>::from_psd_factor(scale * a);
    psd.update(-1, 3, SymmetricTerm<double>{scale * b, Matrix<double>::Identity(3, 3)});
    check_equal<double>(psd, scale * scale * (3 * b * b.transpose() - a * a.transpose()));
    CHECK(mercer::distance(z, z) <= tolerance<double> * z.frobenius_norm());
    LowRank<double> twice = z;
    twice.scale(2);
    CHECK(std::abs(mercer::distance_by_inner_products(twice, z) / z.frobenius_norm() - 1) <= 1e-7);
  }
  // Factors of opposite scales.
  check_equal<double>(LowRank<double>::from_factors(1e150 * a, 1e-150 * b), a * b.transpose());
  Matrix<double> left = a;
  Matrix<double> right = b;
  left.col(0) *= 1e100;
  right.col(0) *= 1e-100;
  check_equal<double>(LowRank<double>::from_factors(left, right), a * b.transpose());
}

TEST_CASE("low_rank_update: a column of zeros beside others of size 1e-150", "[core]") {
  Matrix<double> a = 1e-150 * normal<double>(20, 3, "a");
  const Matrix<double> b = 1e-150 * normal<double>(20, 3, "b");
  a.col(1).setZero();
  const LowRank<double> product = LowRank<double>::from_factors(a, b);
  CHECK(product.rank() == 2);
  check_equal<double>(product, a * b.transpose());
  LowRank<double> psd = LowRank<double>::from_psd_factor(a);
  CHECK(psd.rank() == 2);
  psd.update(1, 1, SymmetricTerm<double>{a, Matrix<double>::Identity(3, 3)});
  CHECK(psd.rank() == 2);
  check_equal<double>(psd, 2 * a * a.transpose());
}

TEST_CASE("low_rank_update: terms of rank 0", "[core]") {
  const Index n = 15;
  const ProductTerm<double> product{Matrix<double>(n, 0), Matrix<double>(n, 0)};
  const SymmetricTerm<double> middle{Matrix<double>(n, 0), Matrix<double>(0, 0)};
  const PsdTerm<double> zeros{Matrix<double>::Zero(n, 3)};
  for (const LowRank<double>& start :
       {LowRank<double>(n, n), LowRank<double>::from_psd_factor(Matrix<double>::Zero(n, 1)),
        general<double>(n, n, 2), indefinite<double>(n, 2)}) {
    const auto check = [&](const auto& term) {
      LowRank<double> z = start;
      z.update(0.5, 2, term);
      CHECK(z.rank() == start.rank());
      check_equal<double>(z, 0.5 * start.dense());
      z.update(1, 1, term, {.threshold = 1e4});
      CHECK(z.rank() == 0);
      check_equal<double>(z, Matrix<double>::Zero(n, n));
    };
    check(product);
    check(middle);
    check(zeros);
  }
}

TEST_CASE("low_rank_update: 40 proximal steps equal the dense ones on every path", "[core][spgd]") {
  constexpr double lambda = 2;
  const Matrix<double> k = two_cloud_gram();
  LowRank<double> u(60, 60);
  LowRank<double> s(60, 60);
  LowRank<double> plus(60, 60);
  LowRank<double> p(60, 60);
  Matrix<double> dense_u = Matrix<double>::Zero(60, 60);
  Matrix<double> dense_s = dense_u;
  Matrix<double> dense_plus = dense_u;
  Matrix<double> dense_p = dense_u;
  const auto close = [](const LowRank<double>& z, const Matrix<double>& expected) {
    CHECK((z.dense() - expected).norm() <= 1e-11 * expected.norm());
    CHECK(z.check_invariants(1e-12));
  };
  for (int t = 1; t <= 40; ++t) {
    const double eta = 2.0 / t;
    const double threshold = eta * lambda;
    mercer::RandomStream stream(mercer::test::low_rank_seed, "columns",
                                static_cast<std::uint64_t>(t));
    std::vector<Index> columns(5);
    for (Index& column : columns) column = static_cast<Index>(stream.below(60));
    columns[4] = columns[0];
    const ProductTerm<double> term = column_term(k, columns);
    const SymmetricTerm<double> symmetric_term = symmetric_column_term(k, columns);
    const Matrix<double> factor =
        k * mercer::normal_matrix<double>(60, 4, static_cast<std::uint64_t>(t), "sketch") / 20;
    const Matrix<double> xi = term.left * term.right.transpose();
    u.update(1 - eta, eta, term, {threshold});
    s.update(1 - eta, eta, symmetric_term, {threshold});
    plus.update(1 - eta, eta, symmetric_term, {threshold, true});
    p.update(1 - eta, eta, PsdTerm<double>{factor}, {threshold});
    dense_u = dense_shrink<double>((1 - eta) * dense_u + eta * xi, threshold);
    dense_s = dense_shrink_symmetric((1 - eta) * dense_s + eta * symmetric(xi), threshold);
    dense_plus =
        dense_shrink_symmetric((1 - eta) * dense_plus + eta * symmetric(xi), threshold, true);
    dense_p =
        dense_shrink_symmetric((1 - eta) * dense_p + eta * factor * factor.transpose(), threshold);
  }
  close(u, dense_u);
  close(s, dense_s);
  close(plus, dense_plus);
  close(p, dense_p);
}

TEST_CASE("low_rank_update: worked steps on four points", "[core][spgd]") {
  constexpr double lambda = 0.1;
  constexpr double digits = 2e-11;  // the worked numbers carry twelve decimals
  const Matrix<double> k = four_point_gram();
  LowRank<double> z(4, 4);
  LowRank<double> s(4, 4);
  std::vector<Matrix<double>> iterates;
  int t = 0;
  for (const Index index : {0, 1, 2, 3, 1}) {
    const double eta = 2.0 / ++t;
    z.update(1 - eta, eta, column_term(k, {index}), {.threshold = eta * lambda});
    s.update(1 - eta, eta, symmetric_column_term(k, {index}), {.threshold = eta * lambda});
    iterates.push_back(z.dense());
  }
  Matrix<double> z2 = Matrix<double>::Zero(4, 4);
  z2.col(0) << 7.832456631196, 4.750625087690, 1.060007736621, 1.542302156213;
  const Matrix<double> z4{{0, .762156695405, .355245679850, 0},
                          {0, 1.255020111527, .218903753147, 0},
                          {0, .114031156338, 2.601012970932, 0},
                          {0, .673459971200, .514991760250, 0}};
  const Matrix<double> z6{{0, 1.159241413997, .099944435193, .243598193416},
                          {0, 1.920629447911, .068629774778, .633662718794},
                          {0, .167002723883, .710736324121, .232809977742},
                          {0, 1.061226340876, .157134449183, 1.132320643586}};
  CHECK((iterates[0] - z2).cwiseAbs().maxCoeff() <= digits);
  CHECK((iterates[2] - z4).cwiseAbs().maxCoeff() <= digits);
  CHECK((iterates[4] - z6).cwiseAbs().maxCoeff() <= digits);

  const mercer::EigenSystem<double> pairs = z.eigensystem();
  const Vector<double> expected{{2.703988400596, 0.869615974281, 0.664950631921}};
  REQUIRE((pairs.values.array() > 0).count() == 3);
  CHECK((pairs.values.head(3).array() + lambda - expected.array()).abs().maxCoeff() <= digits);
  const Vector<double> first{{0.210144022948, 0.827785548892, 0.109432532598, 0.508561791205}};
  CHECK(std::abs(std::abs(pairs.vectors.col(0).dot(first)) - 1) <= digits);
  CHECK((pairs.vectors.col(0).cwiseAbs() - first).cwiseAbs().maxCoeff() <= digits);

  const Vector<double> symmetric_values{
      {2.597170286557, .770958270703, .566726491463, -.105568197820}};
  REQUIRE(s.rank() == 4);
  CHECK((s.values() - symmetric_values).cwiseAbs().maxCoeff() <= digits);
  CHECK(std::abs(s.entry(0, 0) - .059931223902) <= digits);
  CHECK(std::abs(s.entry(0, 1) - .558296896600) <= digits);
}

TEST_CASE("low_rank_update: laws", "[core][law]") {
  const auto any_size = [] { return *rc::gen::inRange<Index>(1, 12); };
  const auto any_seed = [] { return *rc::gen::inRange<std::uint64_t>(0, 1000); };

  CHECK(rc::check("the general, symmetric and positive paths agree", [&] {
    const Index n = any_size();
    const std::uint64_t draw = any_seed();
    const Matrix<double> start = mercer::normal_matrix<double>(n, 3, draw, "start");
    const Matrix<double> factor = mercer::normal_matrix<double>(n, 4, draw, "factor");
    LowRank<double> p = LowRank<double>::from_psd_factor(start);
    LowRank<double> s = p;
    LowRank<double> u = LowRank<double>::from_factors(start, start);
    const double eta = 0.01 * double(*rc::gen::inRange(0, 101));
    p.update(1 - eta, eta, PsdTerm<double>{factor}, {.threshold = 0.3, .positive_only = true});
    s.update(1 - eta, eta, SymmetricTerm<double>{factor, Matrix<double>::Identity(4, 4)},
             {.threshold = 0.3});
    u.update(1 - eta, eta, ProductTerm<double>{factor, factor}, {.threshold = 0.3});
    const double bound = 1e-13 * (start.squaredNorm() + factor.squaredNorm());
    RC_ASSERT(p.rank() == s.rank());
    RC_ASSERT(mercer::distance(p, s) <= bound);
    RC_ASSERT(mercer::distance(u, s) <= bound);
  }));
}

}  // namespace low_rank_update_test
