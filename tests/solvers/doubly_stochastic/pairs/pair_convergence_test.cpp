// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <mercer/core/random.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/pair_start.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_run.hpp>
#include <tests/support/catch.hpp>

namespace pair_convergence_test {

using namespace mercer;

namespace {

// Without optimisation the runs are shorter and the bounds of their errors wider.
#ifdef NDEBUG
constexpr Index pairs = 4096, features = 256, many_blocks = 8, steps = 4000;
constexpr double slack = 1;
#else
constexpr Index pairs = 1024, features = 64, many_blocks = 2, steps = 1000;
constexpr double slack = 5;
#endif
constexpr Index k = 3, batch_rows = 256;

/// Rows of a table in place of features of samples: the only column of x is the number of a row.
struct Tabulated {
  using Scalar = double;
  struct Block {
    Index first = 0;
  };

  const Matrix<double>* table;
  Index size;

  [[nodiscard]] Index columns() const { return size; }
  [[nodiscard]] Index dimension() const { return 1; }
  void draw(std::uint64_t b, Block& block) const { block.first = static_cast<Index>(b) * size; }
  void evaluate(const Block& block, const Points<double>& x, GramOut<double> out) const {
    const double scale = 1 / std::sqrt(static_cast<double>(size));
    for (Index j = 0; j < size; ++j) {
      const double* column = table->col(block.first + j).data();
      for (Index i = 0; i < x.rows(); ++i) out(i, j) = scale * column[static_cast<Index>(x(i, 0))];
    }
  }
};
static_assert(BoundFeatureMap<Tabulated>);

/// A normal pair with correlation .64, by phase features of Gaussian kernels of width 1.
struct Data {
  Matrix<double> fx{pairs, features}, fy{pairs, features};

  Data() {
    RandomStream draws(1, "pairs");
    Vector<double> x(pairs), y(pairs);
    for (Index i = 0; i < pairs; ++i) {
      const double z = draws.normal();
      x(i) = .8 * z + .6 * draws.normal();
      y(i) = .8 * z + .6 * draws.normal();
    }
    fill(x, 11, fx);
    fill(y, 12, fy);
  }

  static void fill(const Vector<double>& x, std::uint64_t seed, Matrix<double>& out) {
    constexpr double turn = 6.283185307179586;
    RandomStream draws(seed, "features");
    for (Index j = 0; j < features; ++j) {
      const double w = draws.normal(), p = turn * draws.uniform();
      out.col(j) = std::sqrt(2.0) * (w * x.array() + p).cos();
    }
  }

  /// Second moments of the features, divided by their number.
  [[nodiscard]] static Matrix<double> moment(const Matrix<double>& a, const Matrix<double>& b,
                                             bool centered) {
    Matrix<double> left = a, right = b;
    if (centered) {
      centre_columns(left);
      centre_columns(right);
    }
    return inner(left, right) / static_cast<double>(pairs * features);
  }
};

const Data& data() {
  static const Data the;
  return the;
}

/// The k leading singular triplets.
SingularSystem<double> leading_triplets(const Matrix<double>& a) {
  const SingularSystem<double> all = singular_system(a);
  return {all.left.leftCols(k), all.values.head(k), all.right.leftCols(k)};
}

/// 1 - cos^2 of the largest angle between the column spaces.
double subspace_sin2(const Matrix<double>& a, const Matrix<double>& b) {
  const Matrix<double> q = orthonormalize(a).Q, r = orthonormalize(b).Q;
  const Vector<double> cosines = singular_system(Matrix<double>(q.transpose() * r)).values;
  return 1 - cosines(cosines.size() - 1) * cosines(cosines.size() - 1);
}

struct Settings {
  Index blocks = 1;
  Index steps = pair_convergence_test::steps;
  bool independent = false;
  Matrix<double> turn = Matrix<double>::Identity(k, k);
  double scale_x = 1, scale_y = 1;
};

/// The coefficients of both views after the steps, for the features divided by the root of their
/// number, and what else the tests ask for.
struct Result {
  Matrix<double> x, y;
  double step_sum = 0;
  Index steps = 0;
  bool finite = true;
};

Result run(PairSchedule schedule, const Settings& settings) {
  const Data& d = data();
  const Index size = features / settings.blocks;
  const Tabulated map_x{&d.fx, size}, map_y{&d.fy, size};
  constexpr Index start_rows = 1024;
  const Matrix<double> first =
      Vector<double>::LinSpaced(start_rows, 0, static_cast<double>(start_rows - 1));
  auto start = detail::pair_start<double>(schedule.method, block_features(map_x, 0, first),
                                          block_features(map_y, 0, first), k, schedule.centered, 1);
  // Each view: its features twice at some time, as they come and centred.
  CHECK(start.bytes >=
        static_cast<std::size_t>(2 * first.rows() * map_x.columns()) * sizeof(double));
  schedule.blocks = settings.blocks;
  if (schedule.method == PairMethod::Cca)
    schedule.bound = start.largest + (std::max)(schedule.ridge_x, schedule.ridge_y);
  PairRun<double> run(map_x, map_y,
                      {.schedule = schedule,
                       .x = settings.scale_x * start.x * settings.turn,
                       .y = settings.scale_y * start.y * settings.turn,
                       .next_block = 0,
                       .steps = 0,
                       .step_sum = 0,
                       .mean_moments = {}},
                      std::size_t{1} << 20U);
  RandomStream draws(3, "batches");
  Matrix<double> x(batch_rows, 1), y(batch_rows, 1);
  for (Index t = 0; t < settings.steps; ++t) {
    for (Index i = 0; i < batch_rows; ++i) {
      x(i, 0) = static_cast<double>(draws.below(std::uint64_t{pairs}));
      y(i, 0) =
          settings.independent ? static_cast<double>(draws.below(std::uint64_t{pairs})) : x(i, 0);
    }
    if (!run.partial_fit(x, y)) break;
  }
  // C = B_w^(1/2) A, and features divided by N^(1/2) take N^(1/2) A.
  const double to_all = std::sqrt(static_cast<double>(settings.blocks));
  const PairRunState<double> state = run.state();
  return {to_all * state.x, to_all * state.y, run.step_sum(), run.steps(), !run.diverged()};
}

Vector<double> eigenvalues_of_w(const Result& r, const Matrix<double>& sxy) {
  const Matrix<double> w = r.x.transpose() * sxy * r.y;
  return symmetric_eigensystem(Matrix<double>(w + w.transpose())).values;
}

}  // namespace

// Acceptance 6 of two views.
TEST_CASE("pair_convergence: the memory of the start has that of its small problem", "[solvers]") {
  constexpr Index n = 96;
  const Matrix<double> z_x = normal_matrix<double>(n, n, 1, "x"),
                       z_y = normal_matrix<double>(n, n, 2, "y");
  // Both views have a basis and scores. The bases are whitened, and the SVD has its factors, and
  // works with at least five more matrices.
  for (const PairMethod method : {PairMethod::Svd, PairMethod::Cca})
    CHECK(detail::pair_start<double>(method, z_x, z_y, k, false, 1).bytes >=
          static_cast<std::size_t>((4 + 2 + 8) * n * n) * sizeof(double));
}

TEST_CASE("pair_convergence: stochastic kernel SVD", "[solvers][slow]") {
  const PairSchedule schedule{
      .method = PairMethod::Svd, .step = 2, .decay = .02, .centered = false};
  const Matrix<double> sxy = Data::moment(data().fx, data().fy, false);
  const SingularSystem<double> exact = leading_triplets(sxy);
  const auto error = [&](const Result& r) {
    return (std::max)(subspace_sin2(r.x, exact.left), subspace_sin2(r.y, exact.right));
  };
  const auto cosines = [&](const Result& r) {
    Vector<double> out(k);
    for (Index j = 0; j < k; ++j) out(j) = std::abs(r.x.col(j).normalized().dot(exact.left.col(j)));
    return out;
  };

  const Result one = run(schedule, {});
  CAPTURE(exact.values.transpose(), eigenvalues_of_w(one, sxy).transpose());
  CHECK(error(one) <= 1e-3 * slack);
  CHECK((eigenvalues_of_w(one, sxy).array() / exact.values.array() - 1).abs().maxCoeff() <=
        .02 * slack);
  CHECK(error(run(schedule, {.blocks = many_blocks})) <= 1e-2 * slack * slack);

  const Matrix<double> turn = orthonormalize(normal_matrix<double>(k, k, 5, "turn")).Q;
  const Vector<double> plain = cosines(run(schedule, {.turn = turn}));
  PairSchedule gha = schedule;
  gha.rule = StochasticRule::Gha;
  const Vector<double> single = cosines(run(gha, {.turn = turn}));
  CAPTURE(plain.transpose(), single.transpose());
  CHECK(plain.minCoeff() < .95);
  CHECK(single.minCoeff() >= (slack > 1 ? .9 : .99));

  // Drawn independently, x and y have the product of their means in common, and nothing else.
  const Result independent = run(schedule, {.steps = 1000, .independent = true});
  CHECK(eigenvalues_of_w(independent, sxy)(1) < .05);

  PairSchedule unsafe = schedule;
  unsafe.safeguard = false;
  const Settings wrong{.steps = 1500, .scale_x = 2, .scale_y = -2};
  const Result lost = run(unsafe, wrong);
  CHECK_FALSE(lost.finite);
  CHECK(lost.steps < 1500);
  CHECK(error(run(schedule, wrong)) <= 5e-3 * slack);
}

// Acceptance 14 of two views.
TEST_CASE("pair_convergence: stochastic kernel CCA", "[solvers][slow]") {
  const Matrix<double> sxx = Data::moment(data().fx, data().fx, true),
                       syy = Data::moment(data().fy, data().fy, true),
                       sxy = Data::moment(data().fx, data().fy, true);
  /// Correlations with a ridge, functions, and the roots of the metrics.
  struct Exact {
    Vector<double> values;
    Matrix<double> x, y, root_x, root_y;
  };
  const auto exact_for = [&](double kappa_x, double kappa_y) {
    Exact out;
    const auto half = [](const Matrix<double>& s, double kappa, double power) {
      const EigenSystem<double> e = symmetric_eigensystem(s);
      const Vector<double> p = (e.values.array().max(0) + kappa).pow(power);
      return Matrix<double>(e.vectors * p.asDiagonal() * e.vectors.transpose());
    };
    const Matrix<double> wx = half(sxx, kappa_x, -.5), wy = half(syy, kappa_y, -.5);
    const SingularSystem<double> t = leading_triplets(wx * sxy * wy);
    out.values = t.values;
    out.x = wx * t.left;
    out.y = wy * t.right;
    out.root_x = half(sxx, kappa_x, .5);
    out.root_y = half(syy, kappa_y, .5);
    return out;
  };
  const double kappa_x = .01 * sxx.trace(), kappa_y = .01 * syy.trace();
  const Exact exact = exact_for(kappa_x, kappa_y);
  const auto error = [&](const Result& r) {
    return (std::max)(subspace_sin2(exact.root_x * r.x, exact.root_x * exact.x),
                      subspace_sin2(exact.root_y * r.y, exact.root_y * exact.y));
  };
  const PairSchedule schedule{.method = PairMethod::Cca,
                              .step = 4,
                              .decay = 16.0 / static_cast<double>(steps),
                              .ridge_x = kappa_x,
                              .ridge_y = kappa_y};

  const Result one = run(schedule, {});
  CAPTURE(exact.values.transpose(), eigenvalues_of_w(one, sxy).transpose());
  CHECK(error(one) <= 1e-2 * slack);
  CHECK((eigenvalues_of_w(one, sxy) - exact.values).cwiseAbs().maxCoeff() <= .03 * slack);
  CHECK(error(run(schedule, {.blocks = many_blocks})) <= .12 * slack);

  PairSchedule published = schedule;
  published.leave_out = false;
  const double biased = error(run(published, {})), unbiased = error(one);
  CAPTURE(biased, unbiased);
  if (slack == 1) CHECK(biased > 1.5 * unbiased);

  PairSchedule gha = schedule;
  gha.rule = StochasticRule::Gha;
  const Result single = run(gha, {});
  for (Index j = 0; j < k; ++j) {
    const Vector<double> f = (exact.root_x * single.x.col(j)).normalized();
    CHECK(std::abs(f.dot((exact.root_x * exact.x.col(j)).normalized())) >= (slack > 1 ? .9 : .99));
  }

  PairSchedule free = schedule;
  free.ridge_x = free.ridge_y = 0;
  const Settings wrong{.steps = 3 * steps / 4, .scale_x = 8, .scale_y = -8};
  PairSchedule unsafe = free;
  unsafe.safeguard = false;
  CHECK_FALSE(run(unsafe, wrong).finite);
  const Vector<double> saved = eigenvalues_of_w(run(free, wrong), sxy);
  CAPTURE(saved.transpose());
  if (slack == 1) CHECK((saved.head(2) - Eigen::Vector2d(.64, .41)).cwiseAbs().maxCoeff() <= .05);

  // Stopped after steps of sum S, it acts like a ridge of 1/S.
  free.decay = 4 / static_cast<double>(steps);
  const Result implicit = run(free, {});
  const auto correlations = [&](const Matrix<double>& x, const Matrix<double>& y) {
    const auto white = [](const Matrix<double>& s) {
      const EigenSystem<double> e = symmetric_eigensystem(s);
      return Matrix<double>(e.vectors * e.values.cwiseSqrt().cwiseInverse().asDiagonal());
    };
    const Matrix<double> a = white(x.transpose() * sxx * x), b = white(y.transpose() * syy * y);
    return singular_system(Matrix<double>(a.transpose() * x.transpose() * sxy * y * b)).values;
  };
  const Exact like = exact_for(1 / implicit.step_sum, 1 / implicit.step_sum);
  const Vector<double> found = correlations(implicit.x, implicit.y),
                       expected = correlations(like.x, like.y);
  CAPTURE(found.transpose(), expected.transpose());
  CHECK((found - expected).cwiseAbs().maxCoeff() <= .03 * slack);
}

}  // namespace pair_convergence_test
