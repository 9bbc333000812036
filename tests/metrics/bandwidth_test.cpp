// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace bandwidth_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Index;
using mercer::InvalidArgument;
using mercer::Matrix;
using mercer::median_distance;
using mercer::percentile_distance;
using mercer::Vector;
using mercer::test::error_of;

namespace {

// Values are given with 12 decimals.
constexpr double worked_tolerance = 1e-11;
// Squared distances near 1 from products in double: 2^7 sqrt(d) epsilon at worst.
constexpr double distance_tolerance = 1e-13;

template <class S = double>
Matrix<S> four_points() {
  Matrix<S> x(4, 2);
  x << 0, 0, 1, 0, 0, 2, S(1.5), 1;
  return x;
}

/// Points on a line.
Matrix<double> line(std::initializer_list<double> values) {
  Matrix<double> x(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

Matrix<double> normal_points(Index n, Index d) {
  return mercer::normal_matrix<double>(n, d, 11, "test points");
}

/// All distances from the differences of coordinates, in ascending order.
std::vector<double> sorted_distances(const Matrix<double>& x) {
  std::vector<double> distances;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) distances.push_back((x.row(i) - x.row(j)).norm());
  std::sort(distances.begin(), distances.end());
  return distances;
}

}  // namespace

SCALAR_TEST_CASE("bandwidth: worked example", "[metrics][bandwidth]") {
  const auto x = four_points<TestType>();
  CHECK(median_distance(x) == Approx(1.802775637732).margin(worked_tolerance));
  CHECK(percentile_distance(x, 20) == Approx(1.118033988750).margin(worked_tolerance));
  CHECK(percentile_distance(x, 0) == 1);
  CHECK(percentile_distance(x, 100) == Approx(2.236067977500).margin(worked_tolerance));
  CHECK(mercer::Gaussian{median_distance(x)}.sigma() == median_distance(x));
}

TEST_CASE("bandwidth: percentiles are interpolated at rank (N - 1) q/100", "[metrics][bandwidth]") {
  const auto three = line({0, 3, 1});  // distances 1, 2, 3
  CHECK(percentile_distance(three, 0) == 1);
  CHECK(percentile_distance(three, 10) == Approx(1.2).epsilon(distance_tolerance));
  CHECK(percentile_distance(three, 25) == Approx(1.5).epsilon(distance_tolerance));
  CHECK(percentile_distance(three, 50) == 2);
  CHECK(percentile_distance(three, 75) == Approx(2.5).epsilon(distance_tolerance));
  CHECK(percentile_distance(three, 100) == 3);
  const auto four = line({7, 0, 3, 1});  // distances 1, 2, 3, 4, 6, 7
  CHECK(median_distance(four) == Approx(3.5).epsilon(distance_tolerance));
  CHECK(percentile_distance(four, 20) == 2);
  CHECK(percentile_distance(four, 90) == Approx(6.5).epsilon(distance_tolerance));
  CHECK(median_distance(line({2, 5})) == 3);
}

TEST_CASE("bandwidth: percentiles of long lists are those of the sorted list",
          "[metrics][bandwidth]") {
  constexpr Index n = 300000;  // lists of more than 2^18 values are not sorted as a whole
  mercer::Vector<double> values(n);
  const std::string order = GENERATE(as<std::string>(), "random", "ascending", "descending",
                                     "equal", "three values", "one large", "periodic");
  INFO(order);
  mercer::RandomStream stream(7, "values");
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i);
    if (order == "random") values(i) = stream.uniform();
    if (order == "ascending") values(i) = at;
    if (order == "descending") values(i) = static_cast<double>(n) - at;
    if (order == "equal") values(i) = 4;
    if (order == "three values") values(i) = static_cast<double>(i % 3);
    if (order == "one large") values(i) = i == n / 2 ? 9 : 1;
    if (order == "periodic") values(i) = i % 73 == 36 ? -at : at;  // about where values are drawn
  }
  if (order == "periodic") values = values.array() + n;
  mercer::Vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (const double percent : {0.0, 1e-4, 3.0, 20.0, 50.0, 97.123, 99.9999, 100.0}) {
    const double rank = (n - 1) * percent / 100;
    const auto below = static_cast<Index>(rank);
    const double low = std::sqrt(sorted(below)), fraction = rank - static_cast<double>(below);
    const double expected =
        fraction == 0 ? low : low + fraction * (std::sqrt(sorted(below + 1)) - low);
    mercer::Vector<double> given = values;
    // The sum of two terms may be rounded once or twice, as the compiler has it.
    CHECK(mercer::detail::percentile_of_roots(given, percent) == Approx(expected).epsilon(1e-15));
  }
}

TEST_CASE("bandwidth: agrees with distances from coordinates over several tiles",
          "[metrics][bandwidth]") {
  const auto x = normal_points(300, 5);
  const auto distances = sorted_distances(x);
  const double rank = static_cast<double>(distances.size() - 1) * 0.37;
  const auto below = static_cast<std::size_t>(rank);
  const double fraction = rank - std::floor(rank);
  const double expected = distances[below] + fraction * (distances[below + 1] - distances[below]);
  CHECK(percentile_distance(x, 37) == Approx(expected).epsilon(distance_tolerance));
  CHECK(percentile_distance(x, 0) == Approx(distances.front()).epsilon(distance_tolerance));
  CHECK(percentile_distance(x, 100) == Approx(distances.back()).epsilon(distance_tolerance));
}

TEST_CASE("bandwidth: the form of the samples does not matter", "[metrics][bandwidth]") {
  Matrix<double> x = normal_points(280, 7);
  x = (x.array().abs() > 1).select(x, 0);
  const double expected = median_distance(x);
  CHECK(median_distance(mercer::RowMajorMatrix<double>(x)) == expected);
  CHECK(median_distance(Eigen::Map<const Matrix<double>>(x.data(), x.rows(), x.cols())) ==
        expected);
  CHECK(median_distance(2 * x) == 2 * expected);
  const Eigen::SparseMatrix<double> by_column = x.sparseView();
  const mercer::SparseMatrix<double> by_row = by_column;
  CHECK(median_distance(by_row) == Approx(expected).epsilon(distance_tolerance));
  CHECK(median_distance(by_column) == median_distance(by_row));
  CHECK(mercer::scale_gamma(by_column) ==
        Approx(mercer::scale_gamma(x)).epsilon(distance_tolerance));
  CHECK(median_distance(by_row, {.max_samples = 50}) ==
        Approx(median_distance(x, {.max_samples = 50})).epsilon(distance_tolerance));
}

TEST_CASE("bandwidth: the number of threads does not matter", "[metrics][bandwidth]") {
  const auto x = normal_points(600, 3);
  const int before = mercer::thread_count();
  mercer::set_thread_count(1);
  const double one = percentile_distance(x, 33);
  mercer::set_thread_count(3);
  const double three = percentile_distance(x, 33);
  mercer::set_thread_count(before);
  CHECK(one == three);
}

TEST_CASE("bandwidth: near-duplicates far from the origin", "[metrics][bandwidth]") {
  const double step = std::ldexp(1.0, -20);
  Matrix<double> x = Matrix<double>::Constant(4, 3, 0x1p30);
  for (Index i = 0; i < 4; ++i) x(i, 1) += static_cast<double>(i * i) * step;
  CHECK(percentile_distance(x, 0) == step);  // squares 0, 1, 4, 9
  CHECK(median_distance(x) == 4.5 * step);   // differences 1, 3, 4, 5, 8, 9
}

TEST_CASE("bandwidth: huge and tiny samples", "[metrics][bandwidth]") {
  const double median = median_distance(four_points());
  for (const double factor : {1e200, 1e-200})
    CHECK(median_distance(Matrix<double>(factor * four_points())) / factor ==
          Approx(median).epsilon(distance_tolerance));
}

TEST_CASE("bandwidth: more samples than max_samples", "[metrics][bandwidth]") {
  const auto x = normal_points(60, 2);
  const double least = sorted_distances(x).front();
  bool seed_matters = false;
  const double first = median_distance(x, {.max_samples = 50, .seed = 0});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    // A sample drawn twice would be at distance zero from itself.
    CHECK(percentile_distance(x, 0, {.max_samples = 50, .seed = seed}) >=
          least * (1 - distance_tolerance));
    const double median = median_distance(x, {.max_samples = 50, .seed = seed});
    CHECK(median == median_distance(x, {.max_samples = 50, .seed = seed}));
    // 1225 dependent pairs: the median of 60 points moves by a few percent.
    CHECK(median == Approx(median_distance(x)).epsilon(0.2));
    seed_matters = seed_matters || median != first;
  }
  CHECK(seed_matters);
  CHECK(median_distance(x, {.max_samples = 60, .seed = 5}) == median_distance(x));
}

TEST_CASE("bandwidth: weights of samples", "[metrics][bandwidth]") {
  const Matrix<double> x = normal_points(60, 2);
  Matrix<double> more(100, 2);
  more << x, normal_points(40, 2).array() + 50;
  Vector<double> weights = Vector<double>::Zero(100);
  weights.head(60).setConstant(3);
  // Equal weights are none, and samples without weight are not there.
  for (const double percent : {0.0, 20.0, 50.0, 93.7, 100.0})
    CHECK(percentile_distance(more, percent, {.weights = weights}) ==
          percentile_distance(x, percent));
  CHECK(median_distance(more, {.max_samples = 30, .weights = weights}) ==
        median_distance(x, {.max_samples = 30}));

  // Pairs at distances 1, 2 and 3 that weigh 2, 8 and 4: their middles are at 1, 6 and 12, and the
  // median is half of the way from 1 to 12.
  const Matrix<double> three = line({0, 1, 3});
  const Vector<double> w = (Vector<double>(3) << 1, 2, 4).finished();
  CHECK(median_distance(three, {.weights = w}) == Approx(2 + 0.5 / 6));
  CHECK(percentile_distance(three, 0, {.weights = w}) == 1);
  CHECK(percentile_distance(three, 100, {.weights = w}) == Approx(3));
  CHECK(median_distance(three, {.weights = 1e-200 * w}) == Approx(2 + 0.5 / 6));

  const auto error = [&](const Vector<double>& given) {
    return error_of([&] { return median_distance(three, {.weights = given}); });
  };
  CHECK(error(w.head(2)) == "mercer::median_distance: 3 samples need as many weights, got 2");
  CHECK_THAT(error(-w), ContainsSubstring("finite and not negative, got -1 at sample 0"));
  CHECK_THAT(error((Vector<double>(3) << 0, 1, 0).finished()),
             ContainsSubstring("need at least 2 samples with weight, got 1"));
}

TEST_CASE("bandwidth: mistakes are named", "[metrics][bandwidth]") {
  const auto x = four_points();
  CHECK_THROWS_WITH(median_distance(Matrix<double>(x.topRows(1))),
                    ContainsSubstring("median_distance: need at least 2 samples, got 1"));
  CHECK_THROWS_AS(percentile_distance(Matrix<double>(0, 3), 20), InvalidArgument);
  CHECK_THROWS_WITH(percentile_distance(x, 101),
                    ContainsSubstring("percentile_distance: percent must be between 0 and 100"));
  CHECK_THROWS_AS(percentile_distance(x, -0.1), InvalidArgument);
  CHECK_THROWS_AS(percentile_distance(x, std::nan("")), InvalidArgument);
  CHECK_THROWS_WITH(median_distance(x, {.max_samples = 1}), ContainsSubstring("max_samples"));
  Matrix<double> bad = x;
  bad(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(median_distance(bad), ContainsSubstring("row 2, column 1"));
  CHECK_THROWS_WITH(median_distance(mercer::RowMajorMatrix<double>(bad)),
                    ContainsSubstring("row 2, column 1"));
  CHECK_THROWS_WITH(median_distance(mercer::SparseMatrix<double>(bad.sparseView())),
                    ContainsSubstring("row 2, column 1"));
  CHECK_THROWS_AS(mercer::scale_gamma(bad), InvalidArgument);
}

TEST_CASE("bandwidth: a distance of zero is refused", "[metrics][bandwidth]") {
  CHECK_THROWS_WITH(median_distance(Matrix<double>(Matrix<double>::Constant(5, 2, 0.1))),
                    ContainsSubstring("all samples coincide"));
  CHECK_THROWS_WITH(median_distance(Matrix<double>(Matrix<double>::Zero(5, 2))),
                    ContainsSubstring("all samples coincide"));
  CHECK_THROWS_WITH(median_distance(mercer::SparseMatrix<double>(5, 2)),
                    ContainsSubstring("all samples coincide"));
  const auto x = line({1, 1, 1, 4});  // distances 0, 0, 0, 3, 3, 3
  CHECK_THROWS_WITH(percentile_distance(x, 20),
                    ContainsSubstring("3 of 6 pairs of samples coincide"));
  CHECK(median_distance(x) == 1.5);
}

SCALAR_TEST_CASE("bandwidth: gammas of scikit-learn", "[metrics][bandwidth]") {
  const auto x = four_points<TestType>();
  // The entries sum to 5.5 and their squares to 8.25: variance 8.25/8 - (5.5/8)^2 = .55859375.
  CHECK(mercer::scale_gamma(x) == Approx(1 / (2 * 0.55859375)).epsilon(1e-14));
  CHECK(mercer::scale_gamma(mercer::SparseMatrix<TestType>(x.sparseView())) ==
        Approx(1 / (2 * 0.55859375)).epsilon(1e-14));
  CHECK(mercer::auto_gamma(x) == 0.5);
  // A value whose mean of many is rounded.
  CHECK_THROWS_WITH(
      mercer::scale_gamma(Matrix<TestType>(Matrix<TestType>::Constant(30, 2, TestType(0.1)))),
      ContainsSubstring("all values equal 0.1"));
  CHECK_THROWS_WITH(mercer::scale_gamma(mercer::SparseMatrix<TestType>(3, 2)),
                    ContainsSubstring("all values equal 0"));
  CHECK_THROWS_AS(mercer::scale_gamma(Matrix<TestType>(0, 2)), InvalidArgument);
  CHECK_THROWS_AS(mercer::auto_gamma(Matrix<TestType>(3, 0)), InvalidArgument);
}

TEST_CASE("bandwidth: the variance of values that hardly differ", "[metrics][bandwidth]") {
  const auto x = four_points();
  const double gamma = mercer::scale_gamma(x);
  for (const int power : {500, -500}) {  // squares that a double has not
    const double scale = std::ldexp(1.0, power);
    CHECK(mercer::scale_gamma(Matrix<double>(scale * x)) == gamma / scale / scale);
  }
  CHECK_THROWS_WITH(mercer::scale_gamma(Matrix<double>(1e-170 * x)),
                    ContainsSubstring("out of range"));
  CHECK_THROWS_WITH(mercer::scale_gamma(Matrix<double>(1e170 * x)),
                    ContainsSubstring("out of range"));
  // One of 100 values is the next larger one: the variance is .01 .99 ulp^2.
  Matrix<double> close = Matrix<double>::Constant(100, 1, 0.1);
  close(50) = std::nextafter(0.1, 1.0);
  const double ulp = close(50) - 0.1;
  CHECK(mercer::scale_gamma(close) == Approx(1 / (.01 * .99 * ulp * ulp)));
  // Equal values that are stored, and zeros that are not.
  mercer::SparseMatrix<double> sparse(100, 1);
  sparse.insert(3, 0) = 0.1;
  CHECK(mercer::scale_gamma(sparse) == Approx(1 / (.01 * .99 * .01)));
}

}  // namespace bandwidth_test
