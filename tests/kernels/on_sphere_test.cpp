// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/kernels/on_sphere.hpp>

#include <atomic>
#include <limits>
#include <string>

#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace on_sphere_test {

using namespace mercer;
using namespace mercer::test;

static_assert(evaluates<OnSphere<Gaussian>, SparseMatrix<double>>);
static_assert(evaluates<OnSphere<Laplacian>, Matrix<float>>);
static_assert(!evaluates<OnSphere<Laplacian>, SparseMatrix<float>>);

namespace {

/// x . y, for at most a tile of samples with first coordinates of at least -0.9.
struct OfOneTile {
  std::atomic<Index>* most;  ///< rows that it has seen

  void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
    out = x * y.transpose();
  }
  void diagonal(Points<double> x, Eigen::Ref<Vector<double>> out) const {
    see(x);
    out = x.rowwise().squaredNorm();
  }
  void check_domain(const Matrix<double>& x) const {
    see(x);
    for (Index i = 0; i < x.rows(); ++i)
      if (x(i, 0) < -0.9) detail::fail("no such samples, got one at row ", i);
  }

 private:
  template <class X>
  void see(const X& x) const {
    Index before = *most;
    while (before < x.rows() && !most->compare_exchange_weak(before, x.rows())) {
    }
  }
};

}  // namespace

TEST_CASE("OnSphere: the directions of all samples are never held at once", "[kernel]") {
  constexpr Index n = 3 * detail::tile_size + 5;
  Matrix<double> x = uniform_samples<double>(n, 3, 4, 0.1, 1);
  std::atomic<Index> most = 0;
  const OnSphere<OfOneTile> kernel(OfOneTile{&most});
  constexpr double rounding = 1e-15;
  CHECK((diagonal(kernel, x).array() - 1).abs().maxCoeff() <= rounding);
  CHECK(most == detail::tile_size);
  CHECK_NOTHROW(kernel.check_domain(x));
  CHECK(most == detail::tile_size);
  // Rows are counted among all.
  x.row(n - 2) << -1, 0, 0.1;
  CHECK(error_of([&] {
          kernel.check_domain(x);
          return 0;
        }) == "no such samples, got one at row " + std::to_string(n - 2));
  CHECK_THAT(error_of([&] { return gram(OnSphere(InverseDot{2}), x); }),
             Catch::Matchers::ContainsSubstring("at row 0 "));
}

SCALAR_TEST_CASE("OnSphere: a kernel of the directions of samples", "[kernel]") {
  using S = TestType;
  const Matrix<S> x = uniform_samples<S>(20, 3, 1, -1, 1), y = uniform_samples<S>(7, 3, 2, -1, 1);
  const Matrix<S> unit_x = x.rowwise().normalized(), unit_y = y.rowwise().normalized();
  // Norms may be rounded in another order. The values are up to 8, and third powers.
  const S rounding = 200 * std::numeric_limits<S>::epsilon();
  const auto check = [&](const auto& kernel) {
    const Matrix<S> expected = gram(kernel, unit_x, unit_y);
    const OnSphere on_sphere(kernel);
    CHECK((gram(on_sphere, x, y) - expected).cwiseAbs().maxCoeff() <= rounding);
    // Lengths do not count, not even where their squares are out of range.
    const S huge = std::sqrt((std::numeric_limits<S>::max)());
    CHECK((gram(on_sphere, Matrix<S>(huge * x), Matrix<S>(y / huge)) - expected)
              .cwiseAbs()
              .maxCoeff() <= rounding);
    // Nor where norms are out of range.
    const Matrix<S> both = Matrix<S>::Constant(1, 3, (std::numeric_limits<S>::max)());
    const Matrix<S> ones = Matrix<S>::Ones(1, 3);
    CHECK((gram(on_sphere, both, y) - gram(on_sphere, ones, y)).cwiseAbs().maxCoeff() <= rounding);
  };
  check(Gaussian{0.8});
  check(Laplacian{0.5});
  check(Polynomial{});
  CHECK((gram(OnSphere(Linear{}), x, y) - gram(Cosine{}, x, y)).cwiseAbs().maxCoeff() <= rounding);
}

SCALAR_TEST_CASE("OnSphere: laws on 60 samples, dense and sparse", "[kernel][law]") {
  const Matrix<TestType> x = samples_for_laws<TestType>();
  check_laws(OnSphere(Gaussian{0.8}), x);
  check_laws(OnSphere(Polynomial{}), x);
  const Matrix<TestType> values = gram(OnSphere(Gaussian{0.8}), x);
  const Matrix<TestType> sparse =
      gram(OnSphere(Gaussian{0.8}), SparseMatrix<TestType>(x.sparseView()));
  CHECK((sparse - values).cwiseAbs().maxCoeff() <= TestType(value_tolerance<TestType>));
}

TEST_CASE("OnSphere: samples without a direction, and the domain of its kernel", "[kernel]") {
  const Matrix<double> zero{{1, 1}, {0, 0}}, ones{{3, 4}};
  CHECK_THAT(error_of([&] { return gram(OnSphere(Gaussian{1}), zero); }),
             Catch::Matchers::ContainsSubstring(
                 "mercer::OnSphere: a sample of zeros has no direction, got one at row 1"));
  CHECK_THAT(error_of([&] {
               return gram(OnSphere(Gaussian{1}), SparseMatrix<double>(zero.sparseView()));
             }),
             Catch::Matchers::ContainsSubstring("got one at row 1"));
  // The kernel sees samples of norm 1.
  CHECK(gram(OnSphere(InverseDot{0.5}), ones)(0, 0) == Approx(2));
  CHECK_THAT(error_of([&] { return gram(OnSphere(InverseDot{2}), ones); }),
             Catch::Matchers::ContainsSubstring("mercer::InverseDot: needs |x|^2"));
  CHECK(OnSphere(Linear{}).describe() == "on-sphere(linear)");
}

}  // namespace on_sphere_test
