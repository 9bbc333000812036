// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/preimage/preimage_kwok_tsang.hpp>
#include <tests/models/preimage/preimage_checks.hpp>
#include <tests/support/catch.hpp>

namespace mercer::test::preimage_kwok_tsang_test {
namespace {

/// The reference values have twelve decimals.
constexpr double reference_tolerance = 1e-10;
/// Asked of a point recovered through distances: their errors over the size of the neighbourhood.
constexpr double recovery_tolerance = 1e-8;

TEST_CASE("Kwok-Tsang: the worked example", "[models][preimage]") {
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(four_points<double>());
  const Matrix<double> scores = model.transform(two_points<double>());
  const Matrix<double> from_four{{.477307292746, .583298782051}, {.876996837889, 1.185935258158}};
  const Matrix<double> from_three{{.518028991621, .522216233739}, {.727585736745, 1.073876932300}};
  CHECK(distance(model.inverse_transform(scores, KwokTsang{{.neighbors = 4}}), from_four) <=
        reference_tolerance);
  CHECK(distance(model.inverse_transform(scores, KwokTsang{{.neighbors = 3}}), from_three) <=
        reference_tolerance);
  // More neighbours than samples: all of them.
  CHECK(distance(model.inverse_transform(scores, KwokTsang{{.neighbors = 10}}), from_four) <=
        reference_tolerance);
  const auto found = model.preimages(scores, KwokTsang{});
  CHECK(found.all_converged());
  CHECK(found.details[0].iterations == 0);
}

TEST_CASE("Kwok-Tsang: a training sample comes back from all components", "[models][preimage]") {
  const Matrix<double> x = ring<double>();
  const auto check = [&](const auto& kernel) {
    const auto model = KernelPca{kernel, Exact{}, {.components = 200}}.fit(x);
    const Matrix<double> q = x.topRows(20);
    CHECK(distance(model.inverse_transform(model.transform(q), KwokTsang{}), q) <=
          recovery_tolerance);
  };
  check(Gaussian{0.6});
  check(Matern{{.nu = 1.5, .length = 0.7}});
  check(RationalQuadratic{{.alpha = 0.5, .length = 0.6}});
}

TEST_CASE("Kwok-Tsang: noise off a ring", "[models][preimage]") {
  const Matrix<double> x = ring<double>();
  const Matrix<double> noisy = x.topRows(50) + 0.25 * normal_samples<double>(50, 2, 53);
  const auto model = KernelPca{Gaussian{0.6}, Exact{}, {.components = 16}}.fit(x);
  const double error = ring_error(model.inverse_transform(model.transform(noisy), KwokTsang{}));
  // .035 in the reference run; an average over 50 points of another draw is within a factor 2.
  CHECK(error < 0.07);
  CHECK(error < ring_error(noisy) / 2);
}

TEST_CASE("Kwok-Tsang: sparse, float, an offset and threads", "[models][preimage]") {
  const Matrix<double> x = sparse_looking_samples<double>(300, 6, 91);
  const KernelPca pca{Gaussian{1.5}, Exact{}, {.components = 8}};
  const auto dense = pca.fit(x);
  const Matrix<double> scores = dense.training_scores().topRows(70);
  const Matrix<double> expected = dense.inverse_transform(scores, KwokTsang{});

  const auto sparse = pca.fit(SparseMatrix<double>(x.sparseView()));
  CHECK(distance(sparse.inverse_transform(scores, KwokTsang{}), expected) <= recovery_tolerance);

  // Costs the samples themselves 1e-10, which narrow neighbourhoods multiply by up to 1e5.
  constexpr double offset = 1e6;
  const auto far = pca.fit(Matrix<double>(x.array() + offset));
  CHECK(distance(far.inverse_transform(scores, KwokTsang{}).array() - offset, expected.array()) <=
        1000 * recovery_tolerance);

  const auto single = pca.fit(Matrix<float>(x.cast<float>()));
  const Matrix<float> from_float =
      single.inverse_transform(Matrix<float>(scores.cast<float>()), KwokTsang{});
  CHECK(distance(from_float.cast<double>(), expected) <= 1e-3);  // 1e4 eps

  const int threads = thread_count();
  set_thread_count(1);
  const Matrix<double> on_one = dense.inverse_transform(scores, KwokTsang{});
  set_thread_count(2);
  CHECK(dense.inverse_transform(scores, KwokTsang{}) == on_one);
  set_thread_count(threads);
}

TEST_CASE("Kwok-Tsang: neighbours that do not span the space", "[models][preimage]") {
  Matrix<double> line(6, 3);
  for (Index i = 0; i < 6; ++i)
    line.row(i) << static_cast<double>(i), 2.0 * static_cast<double>(i), 1;
  const auto model = KernelPca{Gaussian{2}, Exact{}, {.components = 3}}.fit(line);
  const Matrix<double> z = model.inverse_transform(model.transform(line), KwokTsang{});
  CHECK(distance(z.col(1), 2 * z.col(0)) <= reference_tolerance);
  CHECK(distance(z.col(2), Vector<double>::Ones(6)) <= reference_tolerance);

  // Equal samples, one sample, one neighbour: the neighbour itself.
  const Matrix<double> same = Matrix<double>::Constant(5, 2, 3.0);
  const auto constant = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(same);
  CHECK(constant.inverse_transform(Matrix<double>(1, 0), KwokTsang{}) == same.topRows(1));
  const Matrix<double> x = four_points<double>();
  const auto four = KernelPca{Gaussian{1}, Exact{}, {.components = 3}}.fit(x);
  CHECK(four.inverse_transform(four.transform(x), KwokTsang{{.neighbors = 1}}) == x);
  CHECK(error_of([] { return KwokTsang{{.neighbors = 0}}; }) ==
        "mercer::KwokTsang: neighbors must be at least 1, got 0");
}

TEST_CASE("Kwok-Tsang: projections far from all samples", "[models][preimage]") {
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(four_points<double>());
  Matrix<double> scores(2, 2);
  scores << 50, -50, 1e200, 1e200;
  const auto found = model.preimages(scores, KwokTsang{});
  CHECK(found.points.row(0).allFinite());
  CHECK_FALSE(found.details[0].converged);  // finite, but no point has such scores
  CHECK_FALSE(found.details[1].converged);
  CHECK(model.preimages(model.transform(four_points<double>()), KwokTsang{}).all_converged());
}

}  // namespace
}  // namespace mercer::test::preimage_kwok_tsang_test
