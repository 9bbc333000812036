// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <benchmarks/certificates/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace certificates {

double between(mercer::RandomStream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

double power_of_ten(mercer::RandomStream& stream, double low, double high) {
  return std::pow(10.0, between(stream, low, high));
}

Index whole(mercer::RandomStream& stream, Index low, Index high) {
  return low + static_cast<Index>(stream.below(static_cast<std::uint64_t>(high - low + 1)));
}

namespace {

using Stream = mercer::RandomStream;

[[nodiscard]] Matrix<double> normals(Stream& stream, Index n, Index d) {
  Matrix<double> x(n, d);
  for (double& value : x.reshaped()) value = stream.normal();
  return x;
}

[[nodiscard]] Index draw_size(Stream& stream, Index most) {
  const double kind = stream.uniform();
  const Index low = kind < 0.65 ? 2 : kind < 0.9 ? 40 : kind < 0.985 ? 130 : 600;
  const Index high = kind < 0.65 ? 40 : kind < 0.9 ? 200 : kind < 0.985 ? 600 : 3000;
  return whole(stream, (std::min)(low, most), (std::min)(high, most));
}

[[nodiscard]] Matrix<double> clusters(Stream& stream, Index n, Index d) {
  const Index count = whole(stream, 1, 6);
  const double spread = power_of_ten(stream, -9, 0);
  const Matrix<double> centres = power_of_ten(stream, 0, 3) * normals(stream, count, d);
  Matrix<double> x = spread * normals(stream, n, d);
  for (Index i = 0; i < n; ++i) x.row(i) += centres.row(whole(stream, 0, count - 1));
  return x;
}

/// Few different rows, or rows of unit vectors: eigenvalues that are many times the same.
[[nodiscard]] Matrix<double> repeated(Stream& stream, Index n, Index d) {
  const bool units = stream.uniform() < 0.5;
  const Index count = units ? d : whole(stream, 1, (std::max)(Index{1}, n / 2));
  const Matrix<double> rows =
      units ? Matrix<double>(Matrix<double>::Identity(d, d)) : normals(stream, count, d);
  Matrix<double> x(n, d);
  for (Index i = 0; i < n; ++i)
    x.row(i) = rows.row(units ? i % count : whole(stream, 0, count - 1));
  return x;
}

/// Samples on a circle have pairs of equal eigenvalues; a push of this size parts them.
[[nodiscard]] Matrix<double> circle(Stream& stream, Index n, Index d) {
  Matrix<double> x = power_of_ten(stream, -12, -2) * normals(stream, n, (std::max)(d, Index{2}));
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    x(i, 0) += std::cos(angle);
    x(i, 1) += std::sin(angle);
  }
  return x;
}

/// A few far samples, which lie close to each other.
[[nodiscard]] Matrix<double> outliers(Stream& stream, Index n, Index d) {
  Matrix<double> x = normals(stream, n, d);
  const Index far = whole(stream, 1, (std::max)(Index{1}, n / 20));
  const double distance = power_of_ten(stream, 1, 7), spread = power_of_ten(stream, -3, 1);
  for (Index t = 0; t < far; ++t) {
    const Index i = whole(stream, 0, n - 1);
    for (Index j = 0; j < d; ++j) x(i, j) = distance + spread * stream.normal();
  }
  return x;
}

[[nodiscard]] Matrix<double> scales(Stream& stream, Index n, Index d) {
  Matrix<double> x = normals(stream, n, d);
  for (Index j = 0; j < d; ++j) x.col(j) *= power_of_ten(stream, -6, 6);
  return x;
}

[[nodiscard]] Matrix<double> integers(Stream& stream, Index n, Index d) {
  const Index largest = whole(stream, 1, 300);
  Matrix<double> x(n, d);
  for (double& value : x.reshaped()) value = static_cast<double>(whole(stream, -largest, largest));
  return x;
}

[[nodiscard]] Matrix<double> nearly_constant(Stream& stream, Index n, Index d) {
  Matrix<double> x = power_of_ten(stream, -10, 0) * normals(stream, n, d);
  const double level = power_of_ten(stream, 0, 6);
  for (Index j = 0; j < d; ++j) x.col(j).array() += level * stream.normal();
  return x;
}

/// The distance of some pair of samples that differ; 1 if they are all the same.
[[nodiscard]] double some_distance(Stream& stream, const Matrix<double>& x) {
  constexpr int tries = 20;
  for (int t = 0; t < tries; ++t) {
    const double distance =
        (x.row(whole(stream, 0, x.rows() - 1)) - x.row(whole(stream, 0, x.rows() - 1))).norm();
    if (distance > 0) return distance;
  }
  return 1;
}

void draw_kernel(Stream& stream, Problem& problem) {
  const double length = some_distance(stream, problem.x) * power_of_ten(stream, -1.5, 1.5);
  const double square =
      (std::max)(problem.x.squaredNorm() / static_cast<double>(problem.x.rows()), 1e-300);
  constexpr std::array names{"gaussian",   "gaussian",       "linear", "linear",
                             "polynomial", "laplacian",      "cauchy", "rational-quadratic",
                             "sigmoid",    "exponential-dot"};
  problem.kernel = names[stream.below(names.size())];
  if (problem.kernel == "gaussian") problem.parameters = {{"sigma", length}};
  if (problem.kernel == "polynomial")
    problem.parameters = {{"gamma", power_of_ten(stream, -1, 0.5) / square},
                          {"coef0", stream.uniform() < 0.3 ? 0.0 : 1.0},
                          {"degree", whole(stream, 1, 5)}};
  if (problem.kernel == "laplacian" || problem.kernel == "cauchy")
    problem.parameters = {{"gamma", 1 / length}};
  if (problem.kernel == "rational-quadratic")
    problem.parameters = {{"alpha", power_of_ten(stream, -1, 1)}, {"length", length}};
  if (problem.kernel == "sigmoid")
    problem.parameters = {{"gamma", power_of_ten(stream, -1, 1) / square},
                          {"coef0", between(stream, -1, 1)}};
  if (problem.kernel == "exponential-dot")
    problem.parameters = {{"gamma", power_of_ten(stream, -2, 0) / square}};
}

}  // namespace

Problem draw_problem(Stream& stream, Index most) {
  const Index n = draw_size(stream, most);
  const Index d = stream.uniform() < 0.9 ? whole(stream, 1, 12) : whole(stream, 13, 100);
  struct Kind {
    const char* name;
    Matrix<double> (*draw)(Stream&, Index, Index);
  };
  constexpr std::array kinds{Kind{"normal", normals},    Kind{"clusters", clusters},
                             Kind{"repeated", repeated}, Kind{"circle", circle},
                             Kind{"outliers", outliers}, Kind{"scales", scales},
                             Kind{"integers", integers}, Kind{"nearly constant", nearly_constant}};
  const Kind& kind = kinds[stream.below(kinds.size())];
  Problem problem;
  problem.data = kind.name;
  problem.x = kind.draw(stream, n, d);
  constexpr double rescaled = 0.15;
  if (stream.uniform() < rescaled) problem.x *= power_of_ten(stream, -8, 8);
  problem.floats = stream.uniform() < 0.5;
  if (problem.floats) problem.x = problem.x.cast<float>().cast<double>().eval();
  draw_kernel(stream, problem);
  return problem;
}

}  // namespace certificates
