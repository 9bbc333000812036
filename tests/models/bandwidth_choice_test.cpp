// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/bandwidth_choice.hpp>
#include <mercer/models/detail/row_splits.hpp>
#include <mercer/models/preimage/preimage_kwok_tsang.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace bandwidth_choice_test {

using Catch::Matchers::ContainsSubstring;
using mercer::choose_bandwidth;
using mercer::Gaussian;
using mercer::Index;
using mercer::Matrix;
using mercer::Vector;
using mercer::test::error_of;
using mercer::test::uniform_samples;

namespace {

constexpr double pi = 3.14159265358979323846;

// Both sides in double, from eigenvectors whose eigenvalues are at least 1e-3 of the largest.
constexpr double oracle_tolerance = 1e-9;

/// Samples in two classes, on circles of radius 1 and 3 with a little noise, in turn.
struct Circles {
  Matrix<double> x;
  std::vector<std::string> labels;
};

Circles two_circles(Index n) {
  const Matrix<double> angles = uniform_samples<double>(n, 1, 3, 0, 2 * pi);
  const Matrix<double> noise = mercer::normal_matrix<double>(n, 2, 4, "circles");
  Circles out{Matrix<double>(n, 2), {}};
  for (Index i = 0; i < n; ++i) {
    const double radius = i % 2 == 0 ? 1 : 3;
    out.x.row(i) << radius * std::cos(angles(i)), radius * std::sin(angles(i));
    out.labels.emplace_back(i % 2 == 0 ? "inner" : "outer");
  }
  out.x += .1 * noise;
  return out;
}

/// Kernel PCA of centred samples by the textbook: unit directions over the training samples.
struct Oracle {
  Matrix<double> training_scores, held_scores;
  Vector<double> held_norms;  // |phi_c(x)|^2

  Oracle(double sigma, Index k, const Matrix<double>& x, const Matrix<double>& held) {
    const Gaussian kernel{sigma};
    const Index n = x.rows(), q = held.rows();
    const Matrix<double> gram = mercer::gram(kernel, x, x), cross = mercer::gram(kernel, held, x);
    const Matrix<double> j =
        Matrix<double>::Identity(n, n) - Matrix<double>::Constant(n, n, 1 / double(n));
    const Eigen::SelfAdjointEigenSolver<Matrix<double>> eigen(j * gram * j);
    const Vector<double> mu = eigen.eigenvalues().tail(k);
    const Matrix<double> u = eigen.eigenvectors().rightCols(k);
    training_scores = u * mu.cwiseSqrt().asDiagonal();
    const Matrix<double> centred =
        (cross.rowwise() - gram.colwise().mean()) * j;  // (K_q - 1 m^T) J
    held_scores = centred * u * mu.cwiseSqrt().cwiseInverse().asDiagonal();
    held_norms = Vector<double>::Constant(q, 1 + gram.mean()) - 2 * cross.rowwise().mean();
  }
};

std::vector<double> oracle_errors(const Matrix<double>& x, const std::vector<double>& grid, Index k,
                                  Index folds, std::uint64_t seed, const Matrix<double>* y) {
  std::vector<double> errors;
  for (const double sigma : grid) {
    double missed = 0, total = 0;
    for (const auto& [training, held] : mercer::detail::fold_rows("test", x.rows(), folds, seed)) {
      const Oracle oracle(sigma, k, mercer::detail::take_rows(x, training),
                          mercer::detail::take_rows(x, held));
      if (y == nullptr) {
        missed += oracle.held_norms.sum() - oracle.held_scores.squaredNorm();
        total += oracle.held_norms.sum();
        continue;
      }
      const Matrix<double> fitted = mercer::detail::take_rows(*y, training);
      const Matrix<double> unseen = mercer::detail::take_rows(*y, held);
      Matrix<double> design(fitted.rows(), k + 1), tested(unseen.rows(), k + 1);
      design << oracle.training_scores, Vector<double>::Ones(fitted.rows());
      tested << oracle.held_scores, Vector<double>::Ones(unseen.rows());
      const Matrix<double> b = design.colPivHouseholderQr().solve(fitted);
      missed += (unseen - tested * b).squaredNorm();
      total += (unseen.rowwise() - fitted.colwise().mean()).squaredNorm();
    }
    errors.push_back(missed / total);
  }
  return errors;
}

void check_errors(const std::vector<double>& found, const std::vector<double>& expected,
                  double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == Approx(expected[i]).margin(tolerance));
}

/// Two tight clusters, and a tenth of the samples far away in all directions.
Matrix<double> clusters_and_outliers(Index n) {
  Matrix<double> x = .05 * mercer::normal_matrix<double>(n, 20, 8, "clusters");
  const Matrix<double> far = mercer::normal_matrix<double>(n, 20, 9, "outliers");
  for (Index i = 0; i < n; ++i) {
    if (i % 10 == 9)
      x.row(i) = 100 * far.row(i).normalized();
    else
      x(i, 0) += i % 2 == 0 ? 1 : -1;
  }
  return x;
}

}  // namespace

TEST_CASE("choose_bandwidth: the error in feature space is that of the textbook",
          "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(40, 3, 5);
  const std::vector<double> grid{.4, 1, 2.5};
  const auto choice = choose_bandwidth(x, grid, {.components = 4, .folds = 4, .seed = 6});
  const auto expected = oracle_errors(x, grid, 4, 4, 6, nullptr);
  check_errors(choice.errors, expected, oracle_tolerance);
  CHECK(choice.grid == grid);
  const auto least = std::min_element(expected.begin(), expected.end()) - expected.begin();
  CHECK(choice.best == grid[static_cast<std::size_t>(least)]);
}

TEST_CASE("choose_bandwidth: the error of labels is that of least squares", "[models][bandwidth]") {
  const auto [x, labels] = two_circles(60);
  const std::vector<double> grid{.3, 1, 3};
  Matrix<double> y = Matrix<double>::Zero(60, 2);
  for (Index i = 0; i < 60; ++i) y(i, i % 2) = 1;
  const auto expected = oracle_errors(x, grid, 3, 5, 0, &y);
  const mercer::BandwidthChoiceParams params{.components = 3};
  check_errors(choose_bandwidth(x, grid, params, mercer::LabelError(labels)).errors, expected,
               oracle_tolerance);
  SECTION("classes may have any names") {
    std::vector<int> numbers;
    for (const std::string& label : labels) numbers.push_back(label == "inner" ? 7 : -1);
    check_errors(choose_bandwidth(x, grid, params, mercer::LabelError(numbers)).errors, expected,
                 oracle_tolerance);
  }
  SECTION("responses may be numbers") {
    const Matrix<double> radius = x.rowwise().norm();
    check_errors(choose_bandwidth(x, grid, params, mercer::LabelError(radius)).errors,
                 oracle_errors(x, grid, 3, 5, 0, &radius), oracle_tolerance);
  }
}

TEST_CASE("choose_bandwidth: clusters among outliers need a width between their distances",
          "[models][bandwidth]") {
  // Narrow: all samples are orthogonal, and one component has next to nothing. Wide: as linear PCA,
  // whose first direction is that of some outliers, one of 20. Between: the clusters share one
  // component that holds .9 of .9 + .1 of the variance, but for the noise.
  const auto choice =
      choose_bandwidth(clusters_and_outliers(300), {1000, .01, 1}, {.components = 1});
  CHECK(choice.grid == std::vector<double>{.01, 1, 1000});
  CHECK(choice.best == 1);
  CHECK_FALSE(choice.at_edge);
  CHECK(choice.errors[0] > .95);
  CHECK(choice.errors[1] < .4);
  CHECK(choice.errors[2] > .8);
}

TEST_CASE("choose_bandwidth: two circles need a width between radius and gap",
          "[models][bandwidth]") {
  const auto [x, labels] = two_circles(200);
  const auto choice =
      choose_bandwidth(x, {.01, .1, 1, 10, 100}, {.components = 4}, mercer::LabelError(labels));
  CHECK(choice.best == 1);
  CHECK(choice.errors[2] < .2);
  CHECK(choice.errors[0] > .9);
}

TEST_CASE("choose_bandwidth: pre-images on a curve need a width of its size",
          "[models][bandwidth]") {
  // A closed curve in four dimensions. The first two components of a kernel of its size are waves
  // along it, from which a pre-image finds the place on the curve. The widest kernel is linear PCA,
  // which loses the two smaller directions; the narrowest knows no neighbours.
  const Index n = 200;
  Matrix<double> x(n, 4);
  for (Index i = 0; i < n; ++i) {
    const double t = 2 * pi * static_cast<double>(i) / static_cast<double>(n);
    x.row(i) << std::cos(t), std::sin(t), .5 * std::cos(2 * t), .5 * std::sin(2 * t);
  }
  const auto choice =
      choose_bandwidth(x, {.05, .8, 1000}, {.components = 2}, mercer::PreimageError{});
  CHECK(choice.best == .8);
  CHECK(choice.errors[1] < .75 * choice.errors[2]);
  // Linear PCA, which the widest kernel is up to terms in (1 / 1000)^2, on all samples: the
  // variances are 1/2, 1/2, 1/8, 1/8.
  constexpr double unseen = .02;  // held-out samples are missed a little more
  CHECK(choice.errors[2] == Approx(.2).margin(unseen));
}

SCALAR_TEST_CASE("choose_bandwidth: samples of any form", "[models][bandwidth]") {
  // Sums of 4 d products in single precision, squared distances near 1 from kernel values near 1.
  const double tolerance = std::is_same_v<TestType, float> ? 1e-4 : oracle_tolerance;
  const auto x = mercer::test::sparse_looking_samples<TestType>(50, 4, 14);
  const std::vector<double> grid{.5, 1.5};
  const mercer::BandwidthChoiceParams params{.components = 3};
  const auto expected = oracle_errors(x.template cast<double>(), grid, 3, 5, 0, nullptr);
  check_errors(choose_bandwidth(x, grid, params).errors, expected, tolerance);
  const mercer::SparseMatrix<TestType> sparse = x.sparseView();
  check_errors(choose_bandwidth(sparse, grid, params).errors, expected, tolerance);
  check_errors(choose_bandwidth(sparse, grid, params, mercer::PreimageError{}).errors,
               choose_bandwidth(x, grid, params, mercer::PreimageError{}).errors, 1e-2);
}

TEST_CASE("choose_bandwidth: kernels and methods of the caller's", "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(40, 2, 15);
  const mercer::BandwidthChoiceParams params{.components = 2};
  // A Gaussian by its gamma, with the grid in the order of the widths.
  const auto by_gamma =
      choose_bandwidth(x, {.5, 2}, params, mercer::FeatureSpaceError{},
                       [](double width) { return Gaussian::from_gamma(1 / (2 * width * width)); });
  check_errors(by_gamma.errors, choose_bandwidth(x, {.5, 2}, params).errors, oracle_tolerance);
  const auto kwok_tsang =
      choose_bandwidth(x, {.5, 2}, params, mercer::PreimageError<mercer::KwokTsang>{});
  CHECK(kwok_tsang.errors[1] < kwok_tsang.errors[0]);
}

TEST_CASE("choose_bandwidth: of equal errors, the largest width", "[models][bandwidth]") {
  // So narrow that all samples are orthogonal to the last bit.
  const Matrix<double> x = Vector<double>::LinSpaced(20, 0, 1900);
  const auto choice = choose_bandwidth(x, {1, 2, .5}, {.components = 1});
  CHECK(choice.errors[0] == choice.errors[1]);
  CHECK(choice.best == 2);
  CHECK(choice.at_edge);
  CHECK_FALSE(choose_bandwidth(x, {1}, {.components = 1}).at_edge);
}

TEST_CASE("choose_width_and_components: each error is that of the width with this number",
          "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(40, 3, 5);
  const std::vector<double> grid{.4, 1, 2.5};
  const Matrix<double> radius = x.rowwise().norm();
  const mercer::LabelError criterion(radius);
  const auto choice = mercer::choose_width_and_components(x, {1, .4, 2.5}, {5, 1, 3, 1},
                                                          {.folds = 4, .seed = 6}, criterion);
  CHECK(choice.grid == grid);
  CHECK(choice.counts == std::vector<Index>{1, 3, 5});
  REQUIRE(choice.errors.rows() == 3);
  REQUIRE(choice.errors.cols() == 3);
  Index width = 0, count = 0;
  choice.errors.minCoeff(&width, &count);
  CHECK(choice.width == grid[static_cast<std::size_t>(width)]);
  CHECK(choice.components == choice.counts[static_cast<std::size_t>(count)]);
  CHECK(choice.at_edge == (width != 1));
  CHECK(choice.at_last_count == (count == 2));
  for (std::size_t j = 0; j < 3; ++j) {
    const auto expected = oracle_errors(x, grid, choice.counts[j], 4, 6, &radius);
    const Vector<double> found = choice.errors.col(static_cast<Index>(j));
    check_errors({found.begin(), found.end()}, expected, oracle_tolerance);
  }
}

TEST_CASE("choose_width_and_components: a plane in noise has two dimensions",
          "[models][bandwidth]") {
  // A wide kernel is linear PCA: the third component and all that follow are noise, which says
  // nothing of the responses, whose own noise least squares on it would only follow.
  const Index n = 60;
  Matrix<double> x = mercer::normal_matrix<double>(n, 8, 21, "plane");
  x.rightCols(6) *= .1;
  const Matrix<double> y =
      x.leftCols(2) + .5 * mercer::normal_matrix<double>(n, 2, 22, "responses");
  const auto choice =
      mercer::choose_width_and_components(x, {100}, {1, 2, 8}, {}, mercer::LabelError(y));
  CHECK(choice.components == 2);
  CHECK(choice.errors(0, 0) > 1.5 * choice.errors(0, 1));
  CHECK_FALSE(choice.at_edge);
  CHECK_FALSE(choice.at_last_count);

  // In feature space, more components never miss more.
  const auto most =
      mercer::choose_width_and_components(x, {1}, {1, 2, 8}, {}, mercer::FeatureSpaceError{});
  CHECK(most.components == 8);
  CHECK(most.at_last_count);
}

TEST_CASE("choose_width_and_components: fewer components than asked for, and equal errors",
          "[models][bandwidth]") {
  // Samples on a line through the origin have one component of the linear kernel: all numbers give
  // the same model, and the smallest is taken.
  const Matrix<double> x = Vector<double>::LinSpaced(20, -1, 3);
  const auto choice =
      mercer::choose_width_and_components(x, {1, 2}, {1, 2, 3}, {}, mercer::FeatureSpaceError{},
                                          [](double) { return mercer::Linear{}; });
  CHECK(choice.components == 1);
  CHECK(choice.width == 2);
  CHECK(choice.errors.maxCoeff() == choice.errors.minCoeff());

  CHECK_THAT(error_of([&] { return mercer::choose_width_and_components(x, {1}, {}); }),
             ContainsSubstring("no number of components"));
  CHECK_THAT(error_of([&] {
               return mercer::choose_width_and_components(x, {1}, {3, 17});
             }),
             ContainsSubstring("the 16 samples of a fit, got 17"));
  CHECK_THAT(error_of([&] {
               return mercer::choose_width_and_components(x, {1, -1}, {2});
             }),
             ContainsSubstring("got -1"));
}

TEST_CASE("choose_bandwidth: a subset of many samples", "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(100, 2, 16);
  const std::vector<double> grid{.5, 2};
  mercer::RandomStream stream(3, "bandwidth choice");
  std::vector<Index> rows = mercer::sample_without_replacement(100, 40, stream);
  std::sort(rows.begin(), rows.end());
  const Matrix<double> radius = x.rowwise().norm();
  const mercer::BandwidthChoiceParams subset{.max_samples = 40, .seed = 3}, all{.seed = 3};
  check_errors(choose_bandwidth(x, grid, subset, mercer::LabelError(radius)).errors,
               choose_bandwidth(mercer::detail::take_rows(x, rows), grid, all,
                                mercer::LabelError(mercer::detail::take_rows(radius, rows)))
                   .errors,
               oracle_tolerance);
}

TEST_CASE("bandwidth_grid: a factor of 64 around the median", "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(30, 2, 17);
  const double median = mercer::median_distance(x);
  const auto grid = mercer::bandwidth_grid(x);
  REQUIRE(grid.size() == 13);
  CHECK(grid.front() == median / 8);
  CHECK(grid[6] == median);
  CHECK(grid.back() == 8 * median);
  CHECK(grid[1] / grid[0] == Approx(std::sqrt(2.0)));
  CHECK_THAT(error_of([&] { return mercer::bandwidth_grid(x, 1); }), ContainsSubstring("count"));
}

TEST_CASE("choose_bandwidth: a width under which all kernel values are equal is only a bad one",
          "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(60, 2, 18);
  const auto alone = choose_bandwidth(x, {1.0}, {.components = 5});
  const auto choice = choose_bandwidth(x, {1.0, 1e9}, {.components = 5});
  CHECK(choice.best == 1);
  CHECK(choice.errors[0] == alone.errors[0]);
  CHECK(choice.errors[1] == 1);
  const auto both =
      choose_width_and_components(x, {1.0, 1e9}, {2, 5}, {}, mercer::FeatureSpaceError{});
  CHECK(both.width == 1);
  CHECK(both.errors.row(1) == Eigen::RowVector2d(1, 1));
  CHECK_THAT(error_of([&] {
               return choose_bandwidth(x, {1e9, 1e10}, {.components = 5});
             }),
             ContainsSubstring("is the width so large that all kernel values are equal"));
}

TEST_CASE("choose_bandwidth: what is refused", "[models][bandwidth]") {
  const Matrix<double> x = uniform_samples<double>(20, 2, 18);
  const auto message = [&](const std::vector<double>& grid,
                           const mercer::BandwidthChoiceParams& params) {
    return error_of([&] { return choose_bandwidth(x, grid, params); });
  };
  CHECK_THAT(message({}, {}), ContainsSubstring("the grid is empty"));
  CHECK_THAT(message({1, -2}, {}), ContainsSubstring("got -2"));
  CHECK_THAT(message({std::numeric_limits<double>::infinity()}, {}), ContainsSubstring("inf"));
  CHECK_THAT(message({1}, {.folds = 1}), ContainsSubstring("folds must be at least 2, got 1"));
  CHECK_THAT(message({1}, {.folds = 11}), ContainsSubstring("11 folds of 20 rows"));
  CHECK_THAT(message({1}, {.components = 17}), ContainsSubstring("the 16 samples of a fit"));
  CHECK_THAT(message({1}, {.components = 0}), ContainsSubstring("got 0"));
  CHECK_THAT(error_of([&] {
               return choose_bandwidth(x, {1}, {}, mercer::LabelError(std::vector<int>{1, 2}));
             }),
             ContainsSubstring("2 labels for 20 samples"));
  CHECK_THAT(error_of([] {
               return mercer::LabelError(std::vector<int>{1, 1});
             }),
             ContainsSubstring("at least two classes, got 1"));
  const Matrix<double> same = Matrix<double>::Ones(20, 2);
  CHECK_THAT(error_of([&] { return choose_bandwidth(same, {1}); }),
             ContainsSubstring("20 samples used (of 20), or their labels, all the same"));
  CHECK_THAT(error_of([&] {
               return choose_bandwidth(x, {1}, {}, mercer::LabelError(Matrix<double>::Ones(20, 1)));
             }),
             ContainsSubstring("or their labels, all the same"));
  // The order of NaN among numbers is none.
  CHECK_THAT(error_of([] {
               const double nan = std::numeric_limits<double>::quiet_NaN();
               return mercer::LabelError(std::vector<double>{0, 5, nan, 1, 2});
             }),
             ContainsSubstring("got nan at row 2"));
  CHECK_THAT(message({1}, {.folds = std::numeric_limits<Index>::max()}),
             ContainsSubstring("folds of 20 rows"));
  // The row is that of all samples, whatever the folds are.
  for (Index row = 0; row < x.rows(); ++row) {
    Matrix<double> negative = x.cwiseAbs();
    negative(row, 1) = -1;
    CHECK_THAT(error_of([&] {
                 return choose_bandwidth(negative, {1}, {.components = 2},
                                         mercer::FeatureSpaceError{},
                                         [](double) { return mercer::Intersection{}; });
               }),
               ContainsSubstring("got -1 at row " + std::to_string(row) + ","));
  }
  Matrix<double> broken = x;
  broken(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(error_of([&] { return choose_bandwidth(broken, {1}); }), ContainsSubstring("row 3"));
}

}  // namespace bandwidth_choice_test
