// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/fastfood.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>

#include <mercer/features/random_fourier.hpp>
#include <tests/features/feature_checks.hpp>
#include <tests/features/isotropic_checks.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace fastfood_test {

using namespace mercer;

static_assert(FeatureMapFor<Fastfood, Gaussian> && FeatureMapFor<Fastfood, Matern>);
static_assert(FeatureMapFor<Fastfood, RationalQuadratic>);
static_assert(!FeatureMapFor<Fastfood, Laplacian> && !FeatureMapFor<Fastfood, Cauchy>);
static_assert(BoundFeatureMap<BoundFastfood<float>> && BoundFeatureMap<BoundFastfood<double>>);

namespace {

/// The frequencies of a block as rows, from products of matrices.
Matrix<double> frequencies_of(const FastfoodBlock<double>& block, Index d) {
  const Index p = block.signs.rows(), features = block.lengths.size();
  Matrix<double> hadamard = Matrix<double>::Identity(p, p);
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j < p; ++j)
      hadamard(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  Matrix<double> w(p * block.signs.cols(), d);
  for (Index group = 0; group < block.signs.cols(); ++group) {
    Matrix<double> permute = Matrix<double>::Zero(p, p);
    for (Index i = 0; i < p; ++i)
      permute(i, block.permutation[static_cast<std::size_t>(group * p + i)]) = 1;
    w.middleRows(group * p, p) = (hadamard * block.normals.col(group).asDiagonal() * permute *
                                  hadamard * block.signs.col(group).asDiagonal())
                                     .leftCols(d);
  }
  return block.lengths.asDiagonal() * w.topRows(features);
}

/// E cos(s a) for s with the law of the length of a standard normal vector in the plane, from the
/// moments E s^2n = 2^n n!.
double mean_cosine(double a) {
  double term = 1, sum = 1;
  for (int n = 1; n <= 40; ++n) {  // the last is below 1e-20 for |a| <= 2
    term *= -a * a * 2 * n / (2 * n * (2 * n - 1));
    sum += term;
  }
  return sum;
}

/// The variance of numbers with a known mean, and its standard error.
struct Spread {
  double variance, error;

  Spread(const Vector<double>& values, double mean) {
    const Vector<double> squares = (values.array() - mean).square();
    variance = squares.mean();
    error = std::sqrt((squares.array() - variance).square().mean() /
                      static_cast<double>(values.size()));
  }
};

/// Means of cos(w . x) over the frequencies of each group, for a Gaussian of width 1.
Vector<double> means_of_groups(const Vector<double>& point, Index groups) {
  const Index d = point.size();
  Matrix<double> x = Matrix<double>::Zero(2, d);
  x.row(1) = point.transpose();
  const auto map = Fastfood{.features = d * groups}.bind<double>(Gaussian(1), sample_bounds(x), 5);
  return test::products_of_draws(block_features(map, 0, x), d * groups, 0, 1)
      .reshaped(d, groups)
      .colwise()
      .mean()
      .transpose();
}

/// The same from the definition, with random numbers of another source: rows of H G P H B for
/// standard normal G, divided by their length, times lengths of their own.
Vector<double> defined_means_of_groups(const Vector<double>& point, Index groups) {
  const Index p = point.size();
  std::mt19937_64 engine(9);
  // Box and Muller's normals: those of the C++ library differ between platforms.
  const auto uniform = [&] { return (static_cast<double>(engine() >> 11U) + 0.5) * 0x1p-53; };
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::acos(-1) * uniform());
  };
  Matrix<double> hadamard(p, p);
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j < p; ++j)
      hadamard(i, j) = std::popcount(static_cast<std::uint64_t>(i & j)) % 2 == 0 ? 1 : -1;
  Vector<double> means(groups), signed_point(p), mixed(p), normals(p);
  for (Index group = 0; group < groups; ++group) {
    for (Index i = 0; i < p; ++i) signed_point(i) = uniform() < 0.5 ? point(i) : -point(i);
    mixed = hadamard * signed_point;
    for (Index i = p - 1; i > 0; --i)
      std::swap(mixed(i), mixed(static_cast<Index>(uniform() * static_cast<double>(i + 1))));
    for (Index i = 0; i < p; ++i) normals(i) = normal();
    mixed = hadamard * normals.cwiseProduct(mixed);
    mixed /= normals.norm() * std::sqrt(static_cast<double>(p));
    means(group) = 0;
    for (Index i = 0; i < p; ++i) {
      double square = 0;
      for (Index j = 0; j < p; ++j) square += std::pow(normal(), 2);
      means(group) += std::cos(std::sqrt(square) * mixed(i)) / static_cast<double>(p);
    }
  }
  return means;
}

#if defined(NDEBUG)
constexpr Index spread_groups = 50000;  // a variance to one per cent
#else
constexpr Index spread_groups = 2000;
#endif

}  // namespace

SCALAR_TEST_CASE("Fastfood: the Hadamard transform", "[features]") {
  Matrix<TestType> a(2, 4);
  a << 1, 2, 3, 4, 1, 0, 0, 0;
  detail::hadamard_transform(a);
  Matrix<TestType> expected(2, 4);
  expected << 10, -2, -4, 0, 1, 1, 1, 1;
  CHECK(a == expected);
  Matrix<TestType> one(3, 1);
  one << 1, 2, 3;
  const Matrix<TestType> before = one;
  detail::hadamard_transform(one);
  CHECK(one == before);
}

TEST_CASE("Fastfood: the fast product is that with the frequencies", "[features]") {
  for (const Index d : {1, 3, 4, 37}) {
    CAPTURE(d);
    const Matrix<double> x = test::uniform_samples<double>(70, d, 5);
    for (const FourierForm form : {FourierForm::Paired, FourierForm::Phase}) {
      const Fastfood settings{.features = 11, .form = form};
      const auto map = settings.bind<double>(Gaussian(1), sample_bounds(x), 3);
      FastfoodBlock<double> block;
      map.draw(2, block);
      const FourierBlock<double> same{frequencies_of(block, d), block.phases};
      const auto reference = RandomFourier{.features = 11, .form = form}.bind<double>(
          Gaussian(1), sample_bounds(x), 3);
      Matrix<double> expected(70, map.columns());
      reference.evaluate(same, x, expected);
      CHECK((block_features(map, 2, x) - expected).cwiseAbs().maxCoeff() <= 1e-13);
    }
  }
}

TEST_CASE("Fastfood: means are the kernel", "[features][law]") {
  // Three dimensions make groups of four frequencies.
  test::check_isotropic_means<Fastfood>(4);
}

TEST_CASE("Fastfood: the variance in the plane", "[features][law]") {
  // Groups of two frequencies s_1 u_1, s_2 u_2. For x along an axis, u_1 . x and u_2 . x are cosine
  // and sine of a uniform angle times |x|; along a diagonal they are the same but for signs.
  const double length = GENERATE(0.7, 1.5);
  const bool diagonal = GENERATE(false, true);
  CAPTURE(length, diagonal);
  const double k = std::exp(-length * length / 2);
  double product = 0;
  constexpr int angles = 64;  // the mean over equal angles converges like a Fourier series
  for (int i = 0; i < angles; ++i) {
    const double angle = 2 * std::acos(-1) * i / angles;
    product += mean_cosine(length * std::cos(angle)) *
               mean_cosine(length * (diagonal ? std::cos(angle) : std::sin(angle))) / angles;
  }
  const double expected = (std::pow(1 - k * k, 2) / 2 + product - k * k) / 2;
  const Vector<double> x = diagonal
                               ? Vector<double>{{length / std::sqrt(2.0), length / std::sqrt(2.0)}}
                               : Vector<double>{{length, 0}};
  const Spread found(means_of_groups(x, spread_groups), k);
  CHECK(std::abs(found.variance - expected) <= test::five_sigma * found.error);
}

TEST_CASE("Fastfood: the variance is that of the definition", "[features][law]") {
  // In 16 dimensions, where the frequencies of a group depend on each other the most and the least.
  const bool axis = GENERATE(false, true);
  CAPTURE(axis);
  const Vector<double> x =
      axis ? Vector<double>(Vector<double>::Unit(16, 3)) : Vector<double>::Constant(16, 0.25);
  const double k = std::exp(-0.5);
  const Spread found(means_of_groups(x, spread_groups), k);
  const Spread defined(defined_means_of_groups(x, spread_groups), k);
  CHECK(std::abs(found.variance - defined.variance) <=
        test::five_sigma * std::hypot(found.error, defined.error));
  // What the comment of the map says: up to about twice that of independent frequencies.
  const double independent = std::pow(1 - k * k, 2) / 2 / 16;
  CHECK(found.variance < (axis ? 1 : 2.2) * independent);
}

TEST_CASE("Fastfood: signs and permutations are uniform", "[features][law]") {
  constexpr Index p = 8;
  const Index groups = spread_groups / 10;
  FastfoodBlock<double> block;
  Fastfood{.features = p * groups}.bind<double>(Gaussian(1), {.dimension = p}, 4).draw(1, block);
  REQUIRE(block.signs.cols() == groups);
  CHECK((block.signs.array().abs() == 1).all());
  const double n = static_cast<double>(groups);
  CHECK((block.signs.rowwise().mean().array().abs() <= test::five_sigma / std::sqrt(n)).all());
  Matrix<double> counts = Matrix<double>::Zero(p, p);
  for (Index group = 0; group < groups; ++group) {
    std::set<Index> different;
    for (Index i = 0; i < p; ++i) {
      const Index j = block.permutation[static_cast<std::size_t>(group * p + i)];
      different.insert(j);
      counts(i, j) += 1;
    }
    REQUIRE(different.size() == p);
  }
  CHECK((counts.array() / n - 1.0 / p).abs().maxCoeff() <=
        test::five_sigma * std::sqrt(1.0 / p * (1 - 1.0 / p) / n));
}

SCALAR_TEST_CASE("Fastfood: a block depends on its number and the seed alone", "[features][law]") {
  SECTION("paired, in part of a group") {
    test::check_purity<TestType>(Fastfood{.features = 7}, Gaussian(0.7));
  }
  SECTION("phase, more than a group") {
    test::check_purity<TestType>(Fastfood{.features = 70, .form = FourierForm::Phase}, Matern());
  }
}

SCALAR_TEST_CASE("Fastfood: a huge sample does not change the features of others",
                 "[features][law]") {
  test::check_huge_rows_of_forms<TestType, Fastfood>(Gaussian(1));
  test::check_huge_rows_of_forms<TestType, Fastfood>(Matern({.nu = 0.5, .length = 0.1}));
}

SCALAR_TEST_CASE("Fastfood: the unit of samples and kernel does not matter", "[features][law]") {
  using S = TestType;
  // Powers of two change nothing, to the last bit.
  const Matrix<S> x = test::uniform_samples<S>(30, 37, 8);
  const auto features_of = [&](int exponent) {
    const Matrix<S> samples = std::ldexp(S(1), exponent) * x;
    const auto map = Fastfood{.features = 20}.bind<S>(Gaussian(std::ldexp(1.0, exponent)),
                                                      sample_bounds(samples), 1);
    return block_features(map, 0, samples);
  };
  const int largest = std::numeric_limits<S>::max_exponent;
  // Lengths are drawn in double, where those of the widest kernels would underflow.
  const int widest = sizeof(S) == 4 ? largest - 4 : largest - 20;
  for (const int exponent : {-largest + 30, -largest / 2 - 10, largest / 2 + 10, widest})
    CHECK(features_of(exponent) == features_of(0));
}

TEST_CASE("Fastfood: samples without columns, and scales of any size", "[features]") {
  test::check_extremes<Fastfood>();
}

TEST_CASE("Fastfood: settings out of range", "[features][error]") {
  CHECK(test::error_of([&] {
          return Fastfood{.features = 0}.bind<double>(Gaussian(1), {.dimension = 2}, 1);
        }) == "mercer::Fastfood: features must be at least 1, got 0");
}

}  // namespace fastfood_test
