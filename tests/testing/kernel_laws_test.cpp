// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/testing/kernel_laws.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>
#include <tests/support/samples.hpp>

namespace kernel_laws_test {

using namespace mercer;
using namespace mercer::test;
using mercer::testing::kernel_laws;
using mercer::testing::KernelLaws;

namespace {

/// x . y, changed by one step of a test: f is called with the block of inner products.
template <class F>
struct Spoiled {
  F f;
  void gram(Points<double> x, Points<double> y, GramOut<double> out) const {
    out.noalias() = x * y.transpose();
    f(out);
  }
};

struct WrongDiagonal : Linear {
  template <class X>
  void diagonal(const X&, Eigen::Ref<Vector<double>> out) const {
    out.setConstant(14);
  }
};

const Matrix<double> line{{1}, {2}, {3}};

template <class F>
KernelLaws laws_of_spoiled(F f) {
  return kernel_laws(Spoiled<F>{f}, line);
}

}  // namespace

SCALAR_TEST_CASE("kernel laws: measured on a kernel that keeps them", "[law]") {
  const KernelLaws laws = kernel_laws(Linear{}, Matrix<TestType>(line.cast<TestType>()));
  CHECK(laws.hold());
  CHECK(laws.non_finite == 0);
  CHECK(laws.asymmetry == 0);
  CHECK(laws.block_difference == 0);
  CHECK(laws.diagonal_difference == 0);
  CHECK(laws.repeat_difference == 0);
  CHECK(std::abs(laws.smallest_eigenvalue) <= 1e-14);
  CHECK(laws.largest_eigenvalue == Approx(14).epsilon(1e-14));
}

TEST_CASE("kernel laws: samples in any form, a kernel that offers the minimum", "[law]") {
  const Matrix<double> x = sparse_looking_samples<double>(12, 5, 1);
  CHECK(kernel_laws(MinimalKernel{0}, x).hold());
  CHECK(kernel_laws(Gaussian{1}, RowMajorMatrix<double>(x)).hold());
  CHECK(kernel_laws(Gaussian{1}, SparseMatrix<double>(x.sparseView())).hold());
  CHECK(kernel_laws(Linear{}, Matrix<double>::Zero(3, 2)).hold());
}

TEST_CASE("kernel laws: asymmetry", "[law]") {
  const KernelLaws laws = laws_of_spoiled([](GramOut<double> out) {
    if (out.size() == 9) out(2, 0) += 0.9;
  });
  CHECK(laws.asymmetry == Approx(0.1));  // of 9, the largest value
  CHECK(laws.block_difference == Approx(0.1));
  REQUIRE(laws.violations.size() == 3);  // the eigenvalues of the mean are no longer positive
  CHECK(laws.violations[0] == "not symmetric: 3.9 and 3 for samples 2 and 0 (counted from 0)");
}

TEST_CASE("kernel laws: indefinite", "[law]") {
  const Matrix<double> x{{1}, {2}};
  const Sigmoid sigmoid{{.gamma = 1, .coef0 = -1}};
  const KernelLaws laws = kernel_laws(sigmoid, x);
  CHECK(laws.smallest_eigenvalue == Approx(-0.412175403791).margin(1e-10));
  REQUIRE(laws.violations.size() == 1);
  CHECK_THAT(laws.violations[0], Catch::Matchers::ContainsSubstring(
                                     "not positive semidefinite: the eigenvalues of the Gram "
                                     "matrix go from -0.41217540379"));
  CHECK(kernel_laws(sigmoid, x, {.positive_semidefinite = false}).hold());
  CHECK(kernel_laws(sigmoid, x, {.tolerance = 0.3}).hold());
}

TEST_CASE("kernel laws: values that depend on the block", "[law]") {
  const KernelLaws laws = laws_of_spoiled(
      [](GramOut<double> out) { out.array() += 1.0 / static_cast<double>(out.size()); });
  CHECK(laws.block_difference == Approx((1 - 1.0 / 9) / (9 + 1.0 / 9)));
  REQUIRE_FALSE(laws.hold());
  CHECK_THAT(laws.violations[0], Catch::Matchers::ContainsSubstring(
                                     "the value in a block differs from the value alone: "));
}

TEST_CASE("kernel laws: diagonal", "[law]") {
  const KernelLaws laws = kernel_laws(WrongDiagonal{}, line);
  CHECK(laws.diagonal_difference == Approx(13.0 / 9));
  REQUIRE(laws.violations.size() == 1);
  CHECK(laws.violations[0] ==
        "diagonal() differs from gram(): 14 and 1 for samples 0 and 0 (counted from 0)");
}

TEST_CASE("kernel laws: values that change from call to call", "[law]") {
  const auto calls = std::make_shared<int>(0);
  const KernelLaws laws = laws_of_spoiled([calls](GramOut<double> out) {
    if (++*calls == 2) out(1, 1) *= 1 + std::numeric_limits<double>::epsilon();
  });
  CHECK(laws.repeat_difference > 0);
  REQUIRE(laws.violations.size() == 1);
  CHECK_THAT(laws.violations[0], Catch::Matchers::ContainsSubstring("not pure"));
}

TEST_CASE("kernel laws: values that are not finite", "[law]") {
  const KernelLaws laws =
      laws_of_spoiled([](GramOut<double> out) { out.bottomRows(1).setConstant(-HUGE_VAL); });
  CHECK(laws.non_finite == 3);
  CHECK(std::isnan(laws.smallest_eigenvalue));
  REQUIRE(laws.violations.size() == 1);
  CHECK(laws.violations[0] == "not finite: -inf for samples 2 and 0 (counted from 0)");
}

TEST_CASE("kernel laws: samples that are refused", "[law]") {
  CHECK(error_of([] { return kernel_laws(Linear{}, Matrix<double>(0, 3)); }) ==
        "mercer::testing::kernel_laws: need at least one sample");
  Matrix<double> x = line;
  x(1, 0) = HUGE_VAL;
  CHECK(error_of([&] { return kernel_laws(Linear{}, x); }) ==
        "mercer::testing::kernel_laws: samples must be finite, got inf at row 1, column 0 (counted "
        "from 0)");
  CHECK_THAT(error_of([] { return kernel_laws(InverseDot{0.5}, line); }),
             Catch::Matchers::ContainsSubstring("mercer::InverseDot: needs"));
}

}  // namespace kernel_laws_test
