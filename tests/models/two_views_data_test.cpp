// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Two views and responses of real data, from the folder that the environment variable
/// MERCER_TEST_DATA names. Without it, or without a file, a test says that it is skipped.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/QR>

#include <mercer/core/random.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/random_fourier.hpp>
#if defined(MERCER_HAS_ZLIB)
#include <mercer/io/gzip.hpp>
#endif
#include <mercer/io/npy/npy.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/metrics/bandwidth.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/solvers/dense/ridge_cholesky.hpp>
#include <mercer/solvers/doubly_stochastic/feature_pca.hpp>
#include <mercer/solvers/nystrom/landmarks.hpp>
#include <mercer/solvers/nystrom/nystrom.hpp>
#include <tests/support/catch.hpp>

namespace two_views_data_test {

using namespace mercer;

namespace {

/// The matrix in a file of the folder; none, with a warning, if it is not there.
template <Real S>
std::optional<Matrix<S>> read_data(const std::string& name) {
  const char* folder = std::getenv("MERCER_TEST_DATA");
#if defined(MERCER_HAS_ZLIB)
  if (folder && std::filesystem::exists(std::filesystem::path(folder) / name))
    return io::read_npy<S>((std::filesystem::path(folder) / name).string());
#endif
  WARN("skipped: MERCER_TEST_DATA must name a folder with " << name << ", and zlib be there; it is "
                                                            << (folder ? folder : "not set"));
  return std::nullopt;
}

/// Rows in random order, cut in two.
struct Parts {
  std::vector<Index> first, rest;

  Parts(Index rows, Index count, std::uint64_t seed) {
    RandomStream stream(seed, "parts");
    rest = random_permutation(rows, stream);
    first.assign(rest.begin(), rest.begin() + count);
    rest.erase(rest.begin(), rest.begin() + count);
  }
};

template <Real S>
Matrix<S> rows_of(const Matrix<S>& a, const std::vector<Index>& rows) {
  return detail::take_rows(a, rows);
}

/// Mean square error, over new samples and outputs, of the least squares fit on [1 F].
double test_error(const Matrix<double>& f, const Matrix<double>& y, const Matrix<double>& new_f,
                  const Matrix<double>& new_y) {
  const auto with_ones = [](const Matrix<double>& a) {
    Matrix<double> out(a.rows(), a.cols() + 1);
    out << Vector<double>::Ones(a.rows()), a;
    return out;
  };
  const Matrix<double> b = with_ones(f).colPivHouseholderQr().solve(y);
  return (with_ones(new_f) * b - new_y).squaredNorm() / static_cast<double>(new_y.size());
}

/// The share of new samples whose nearest mean of a class is that of their own.
double nearest_mean_accuracy(const Matrix<double>& f, const Vector<double>& y,
                             const Matrix<double>& new_f, const Vector<double>& new_y) {
  constexpr Index classes = 10;
  Matrix<double> means = Matrix<double>::Zero(classes, f.cols());
  for (Index c = 0; c < classes; ++c) {
    const Vector<double> in_class = (y.array() == static_cast<double>(c)).cast<double>();
    means.row(c) = in_class.transpose() * f / in_class.sum();
  }
  Index right = 0;
  for (Index i = 0; i < new_f.rows(); ++i) {
    Index nearest = 0;
    (means.rowwise() - new_f.row(i)).rowwise().squaredNorm().minCoeff(&nearest);
    right += static_cast<double>(nearest) == new_y(i) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(new_f.rows());
}

}  // namespace

TEST_CASE("two_views_data: classes of digits by kernel SIR", "[models][data]") {
  const auto x = read_data<double>("digits8x8_x.npy.gz"),
             y = read_data<double>("digits8x8_y.npy.gz");
  if (!x || !y) return;
  const Parts parts(x->rows(), 1000, 1);
  const Matrix<double> train = rows_of(*x, parts.first), fresh = rows_of(*x, parts.rest);
  const Vector<double> labels = rows_of(*y, parts.first).col(0),
                       new_labels = rows_of(*y, parts.rest).col(0);
  const Gaussian kernel(median_distance(train));
  const KernelSir sir{kernel,
                      RidgeCholesky{},
                      {.components = 9, .regularization = 1e-3, .target = SirTarget::Classes}};
  const auto model = sir.fit(train, labels);
  const auto pca = KernelPca{kernel, Exact{}, {.components = 9}}.fit(train);
  const double by_sir = nearest_mean_accuracy(model.transform(train), labels,
                                              model.transform(fresh), new_labels),
               by_pca = nearest_mean_accuracy(pca.transform(train), labels, pca.transform(fresh),
                                              new_labels);
  CAPTURE(by_sir, by_pca);
  CHECK(by_sir > .96);
  CHECK(by_sir > by_pca + .03);
}

TEST_CASE("two_views_data: torques of a robot arm by kernel SIR", "[models][data]") {
  auto x = read_data<double>("sarcos_test_x.npy.gz");
  const auto y = read_data<double>("sarcos_test_y.npy.gz");
  if (!x || !y) return;
  const Parts parts(x->rows(), x->rows() / 5, 1);  // trajectories, so in random order
  const Matrix<double> raw = rows_of(*x, parts.rest);
  for (Index j = 0; j < x->cols(); ++j) {
    const double mean = raw.col(j).mean();
    const double deviation =
        std::sqrt((raw.col(j).array() - mean).square().sum() / static_cast<double>(raw.rows()));
    x->col(j) = (x->col(j).array() - mean) / deviation;
  }
  const Matrix<double> train = rows_of(*x, parts.rest), fresh = rows_of(*x, parts.first),
                       torques = rows_of(*y, parts.rest), new_torques = rows_of(*y, parts.first);
  const auto error = [&](double ridge) {
    const auto model = KernelSir{Gaussian(median_distance(train)),
                                 Nystrom{Uniform{}, {.landmarks = 800}},
                                 {.components = 7, .regularization = ridge}}
                           .fit(train, torques);
    return test_error(model.transform(train), torques, model.transform(fresh), new_torques);
  };
  CHECK(error(1e-4) < 4.5);
  CHECK(error(1e-5) < 3.5);
  CHECK(test_error(train, torques, fresh, new_torques) > 8);
}

TEST_CASE("two_views_data: halves of pictures by kernel CCA", "[models][data][slow]") {
  const auto images = read_data<float>("mnist_x.npy.gz");
  if (!images) return;
  constexpr Index training = 60000, side = 28, half = side / 2;
  const auto view = [&](Index first, Index rows, Index column) {
    Matrix<float> out(rows, side * half);
    for (Index line = 0; line < side; ++line)
      out.middleCols(line * half, half) =
          images->block(first, line * side + column, rows, half) / 255.0F;
    return out;
  };
  const Index fresh = images->rows() - training;
  const Matrix<float> x = view(0, training, 0), y = view(0, training, half),
                      new_x = view(training, fresh, 0), new_y = view(training, fresh, half);
  const auto total = [&](const auto& kernel_x, const auto& kernel_y, const auto& solver) {
    const auto model =
        KernelCca{kernel_x, kernel_y, solver, {.components = 50, .regularization = 1e-5}}.fit(x, y);
    const std::vector<double> rho = model.correlations(new_x, new_y);
    return std::accumulate(rho.begin(), rho.end(), 0.0);
  };
  const Gaussian kernel_x(median_distance(x)), kernel_y(median_distance(y));
  const auto nystrom = [&](Index landmarks) {
    return total(kernel_x, kernel_y, Nystrom{Uniform{}, {.landmarks = landmarks}});
  };
  const double linear = total(Linear{}, Linear{}, Nystrom{Uniform{}, {.landmarks = 392}});
  const double fourier = total(kernel_x, kernel_y, FeaturePca{RandomFourier{.features = 256}});
  const double small = nystrom(256), large = nystrom(512);
  CAPTURE(linear, fourier, small, large);
  CHECK(std::abs(linear - 28.5) <= 1);
  CHECK(std::abs(fourier - 33.35) <= 1.15);
  CHECK(std::abs(small - 35) <= 1);
  CHECK(std::abs(large - 39.2) <= 1);
}

}  // namespace two_views_data_test
