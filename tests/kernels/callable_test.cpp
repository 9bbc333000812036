// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <memory>

#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <tests/kernels/kernel_checks.hpp>
#include <tests/support/catch.hpp>

namespace callable_test {

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr auto gaussian = [](const auto& x, const auto& y) {
  return std::exp((x - y).squaredNorm() / -2);
};
constexpr auto of_doubles = [](const Eigen::Ref<const Eigen::VectorXd>& x,
                               const Eigen::Ref<const Eigen::VectorXd>& y) { return x.dot(y); };
constexpr auto of_one = [](const auto& x) { return x.sum(); };
constexpr auto of_text = [](const auto&, const auto&) { return "text"; };

}  // namespace

static_assert(Kernel<Callable<decltype(gaussian)>>);
static_assert(evaluates<Callable<decltype(gaussian)>, Matrix<float>>);
static_assert(!evaluates<Callable<decltype(gaussian)>, SparseMatrix<float>>);
static_assert(evaluates<Callable<decltype(of_doubles)>, Matrix<double>>);
static_assert(!evaluates<Callable<decltype(of_doubles)>, Matrix<float>>);
static_assert(!Kernel<Callable<decltype(of_one)>> && !Kernel<Callable<decltype(of_text)>>);
static_assert(!kernel_function<std::unique_ptr<int>, double>);

SCALAR_TEST_CASE("callable: the same values as the kernel it copies", "[kernel]") {
  using S = TestType;
  const Callable kernel{gaussian};
  for (const Index n : {Index{1}, Index{5}, Index{258}}) {
    const Matrix<S> x = uniform_samples<S>(n, 3, 1), y = uniform_samples<S>(3, 3, 2);
    const S bound = static_cast<S>(value_tolerance<S>);
    CHECK((gram(kernel, x, y) - gram(Gaussian{1}, x, y)).cwiseAbs().maxCoeff() <= bound);
    CHECK((gram(kernel, x) - gram(Gaussian{1}, x)).cwiseAbs().maxCoeff() <= bound);
    CHECK(mercer::diagonal(kernel, x) == Vector<S>::Ones(n));
  }
  check_no_coordinates<S>(kernel, 1);
  check_laws(kernel, samples_for_laws<S>());
}

TEST_CASE("callable: a function of Eigen vectors, a function pointer, a closure", "[kernel]") {
  const Matrix<double> x = uniform_samples<double>(6, 3, 1);
  const Matrix<double> expected = gram(Linear{}, x);
  CHECK(gram(Callable{of_doubles}, x).isApprox(expected, 1e-14));
  using Function = double (*)(const Eigen::Ref<const Eigen::VectorXd>&,
                              const Eigen::Ref<const Eigen::VectorXd>&);
  CHECK(gram(Callable<Function>{of_doubles}, x).isApprox(expected, 1e-14));
  const double factor = 3;
  CHECK(gram(Callable{[factor](const auto& a, const auto& b) { return factor * a.dot(b); }}, x)
            .isApprox(3 * expected, 1e-14));
}

TEST_CASE("callable: names", "[kernel]") {
  CHECK(Callable{gaussian}.describe() == "callable");
  CHECK(Callable{gaussian, "my gaussian"}.describe() == "my gaussian");
}

}  // namespace callable_test
