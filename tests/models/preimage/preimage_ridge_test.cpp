// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>

#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/preimage/preimage_ridge.hpp>
#include <tests/models/preimage/preimage_checks.hpp>
#include <tests/support/catch.hpp>

namespace mercer::test::preimage_ridge_test {
namespace {

/// The reference values have twelve decimals.
constexpr double reference_tolerance = 1e-10;

/// (k'(T, T) + alpha I)^{-1} X by another decomposition.
template <class Model, class K>
[[nodiscard]] Matrix<double> ridge_by_formula(const Model& model, const K& kernel, double alpha,
                                              const Matrix<double>& scores) {
  const Matrix<double> t = model.training_scores();
  Matrix<double> system = gram(kernel, t);
  system.diagonal().array() += alpha;
  return gram(kernel, scores, t) * system.partialPivLu().solve(Matrix<double>(model.points()));
}

TEST_CASE("kernel ridge: the worked example", "[models][preimage]") {
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 2}}.fit(four_points<double>());
  const Matrix<double> scores = model.transform(two_points<double>());
  const Matrix<double> expected{{.520477369681, .386078332420}, {.682056772800, .746254885285}};
  CHECK(distance(model.inverse_transform(scores, KernelRidge{}), expected) <= reference_tolerance);
  CHECK(distance(model.inverse_transform(scores, KernelRidge{{.alpha = 1}, Gaussian{1}}),
                 expected) <= reference_tolerance);
}

TEST_CASE("kernel ridge: few and many points, dense and sparse, any kernel on scores",
          "[models][preimage]") {
  const Matrix<double> x = sparse_looking_samples<double>(50, 8, 95);
  const KernelPca pca{Laplacian{0.3}, Exact{}, {.components = 4}};
  const auto model = pca.fit(x);
  const Matrix<double> q = uniform_samples<double>(300, 8, 96);
  const Matrix<double> scores = model.transform(q);
  for (const Index rows : {Index{1}, Index{8}, Index{9}, Index{300}}) {
    CAPTURE(rows);
    const Matrix<double> some = scores.topRows(rows);
    // The default for a kernel without a fixed point: the kernel of the model, alpha = 1.
    CHECK(distance(model.inverse_transform(some),
                   ridge_by_formula(model, Laplacian{0.3}, 1, some)) <= 1e-12);
    CHECK(distance(model.inverse_transform(some, KernelRidge{{.alpha = 0.1}, Gaussian{0.5}}),
                   ridge_by_formula(model, Gaussian{0.5}, 0.1, some)) <= 1e-12);
  }

  const KernelPca on_sparse{Gaussian{1.5}, Exact{}, {.components = 4}};
  const auto dense = on_sparse.fit(x);
  const auto sparse = on_sparse.fit(SparseMatrix<double>(x.sparseView()));
  for (const Index rows : {Index{5}, Index{40}})
    CHECK(distance(sparse.inverse_transform(scores.topRows(rows), KernelRidge{}),
                   dense.inverse_transform(scores.topRows(rows), KernelRidge{})) <= 1e-12);

  const auto single = on_sparse.fit(Matrix<float>(x.cast<float>()));
  const Matrix<float> few = scores.topRows(5).cast<float>();
  CHECK(distance(single.inverse_transform(few, KernelRidge{}).cast<double>(),
                 dense.inverse_transform(scores.topRows(5), KernelRidge{})) <= 1e-4);
}

TEST_CASE("kernel ridge: the same bits on any number of threads", "[models][preimage]") {
  const Matrix<double> x = uniform_samples<double>(400, 5, 97);
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 6}}.fit(x);
  const int threads = thread_count();
  for (const Index rows : {Index{3}, Index{400}}) {
    const Matrix<double> scores = model.training_scores().topRows(rows);
    set_thread_count(1);
    const Matrix<double> on_one = model.inverse_transform(scores, KernelRidge{{.alpha = 1e-3}});
    set_thread_count(2);
    CHECK(model.inverse_transform(scores, KernelRidge{{.alpha = 1e-3}}) == on_one);
  }
  set_thread_count(threads);
}

TEST_CASE("kernel ridge: an indefinite kernel, no components, and what it refuses",
          "[models][preimage]") {
  const Matrix<double> x = uniform_samples<double>(30, 3, 98, 0, 2);
  const auto model = KernelPca{Gaussian{1}, Exact{}, {.components = 3}}.fit(x);
  const auto failed =
      model.preimages(Matrix<double>(model.training_scores().topRows(2)),
                      KernelRidge{{.alpha = 1e-9}, Sigmoid{{.gamma = 9, .coef0 = -1}}});
  CHECK_FALSE(failed.details[0].converged);
  CHECK_FALSE(failed.details[1].converged);

  const Matrix<double> same = Matrix<double>::Constant(4, 2, 3.0);
  const auto constant = KernelPca{Gaussian{1}, Exact{}, {.components = 1}}.fit(same);
  // n / (n + alpha) of the mean: nothing but shrinkage is left.
  CHECK(distance(constant.inverse_transform(Matrix<double>(1, 0), KernelRidge{}),
                 Matrix<double>::Constant(1, 2, 3.0 * 4 / 5)) <= 1e-14);

  const auto histogram = KernelPca{Intersection{}, Exact{}, {.components = 3}}.fit(x);
  const std::string message =
      error_of([&] { return histogram.inverse_transform(histogram.training_scores()); });
  CHECK_THAT(message, Catch::Matchers::ContainsSubstring(
                          "mercer::KernelRidge: the kernel is not defined on the scores"));
  CHECK(error_of([] { return KernelRidge{{.alpha = 0}}; }) ==
        "mercer::KernelRidge: alpha must be positive and finite, got 0");
}

}  // namespace
}  // namespace mercer::test::preimage_ridge_test
