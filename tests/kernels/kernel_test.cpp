// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <limits>

#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/kernel_archetypes.hpp>

namespace kernel_test {

using namespace mercer;
using namespace mercer::test;

static_assert(check_kernel<MinimalKernel>());
static_assert(check_kernel<SinglePrecisionKernel, float>());
static_assert(Kernel<MinimalKernel> && Kernel<SinglePrecisionKernel>);

// One type per requirement, lacking just this.
static_assert(!Kernel<WithoutGram>);
static_assert(!Kernel<GramNotConst>);
static_assert(!Kernel<GramReturnsAMatrix>);
static_assert(!Kernel<GramWithoutOutput>);
static_assert(!Kernel<GramOfMutableSamples>);
static_assert(!Kernel<GramOfIntegers>);
static_assert(!Kernel<GramIsPrivate>);
static_assert(!Kernel<NotCopyable> && fills_gram<NotCopyable, double>);
static_assert(!Kernel<double> && !Kernel<int>);

// Each scalar and form of samples is asked for separately.
static_assert(evaluates<MinimalKernel, Matrix<double>>);
static_assert(!evaluates<MinimalKernel, Matrix<float>>);
static_assert(!evaluates<MinimalKernel, SparseMatrix<double>>);
static_assert(evaluates<SinglePrecisionKernel, Matrix<float>>);
static_assert(evaluates<Linear, Matrix<float>> && evaluates<Linear, SparseMatrix<double>>);
static_assert(evaluates<Laplacian, Matrix<double>> && !evaluates<Laplacian, SparseMatrix<double>>);
static_assert(!evaluates<Linear, RowMajorMatrix<double>>);

// Optional abilities are seen where they are and nowhere else.
static_assert(!HasDiagonal<MinimalKernel, double> && HasDiagonal<Linear, double>);
static_assert(!HasDescription<MinimalKernel> && HasDescription<Linear>);
static_assert(!HasDomain<Linear, Matrix<double>> && HasDomain<InverseDot, Matrix<double>>);

SCALAR_TEST_CASE("kernel: parameters in the samples' scalar are finite and not 0", "[kernel]") {
  using Limits = std::numeric_limits<TestType>;
  CHECK(detail::parameter<TestType>(0.75) == TestType(0.75));
  CHECK(detail::parameter<TestType>(-0.75) == TestType(-0.75));
  CHECK(detail::parameter<TestType>(0) == 0);
  CHECK(detail::parameter<TestType>(HUGE_VAL) == (Limits::max)());
  CHECK(detail::parameter<TestType>(-HUGE_VAL) == Limits::lowest());
  CHECK(detail::parameter<TestType>(1e-320) == (Limits::min)());
  CHECK(detail::parameter<TestType>(-1e-320) == -(Limits::min)());
}

}  // namespace kernel_test
