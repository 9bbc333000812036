// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/runtime/kernels.hpp>

#include <limits>
#include <string>
#include <variant>

#include <mercer/io/archive/archive_kernels.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace kernels_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;

static_assert(check_kernel<AnyKernel>() && check_kernel<AnyKernel, float>());
static_assert(HasSpectralDensity<AnyKernel> && !HasSpectralDensity<Linear>);
static_assert(HasMaclaurinSeries<AnyKernel> && !HasMaclaurinSeries<Gaussian>);
static_assert(HoldsKernel<AnyKernel> && !HoldsKernel<Gaussian> && !HoldsKernel<Precomputed>);

namespace {

/// Samples that every kernel takes with factors of 1.
template <Real S>
Matrix<S> samples() {
  return test::uniform_samples<S>(30, 4, 5, 0, 0.4);
}

template <class X>
Matrix<typename X::Scalar> values(const KernelView<X>& view, const X& x) {
  Matrix<typename X::Scalar> out(x.rows(), x.rows());
  view.fill(x, {0, x.rows()}, x, {0, x.rows()}, out);
  return out;
}

}  // namespace

TEST_CASE("runtime: the settings of a kernel make it again", "[runtime]") {
  for (const KernelEntry& entry : kernel_table()) {
    CAPTURE(entry.name);
    Settings settings;  // none of them the default
    for (const Parameter& p : entry.parameters) {
      if (!p.instead_of.empty()) continue;
      if (p.range.whole)
        settings[p.name] = std::get<Index>(*p.fallback) + 1;
      else
        settings[p.name] = 1.25 * std::get<double>(*p.fallback);
    }
    const AnyKernel kernel = make_kernel(entry.name, settings);
    CHECK(kernel_settings(kernel) == settings);
    CHECK(make_kernel(kernel.name(), kernel_settings(kernel)).describe() == kernel.describe());
  }
  CHECK(kernel_settings(make_kernel("rbf", {{"gamma", 0.125}})) == Settings{{"sigma", 2.0}});
}

TEST_CASE("runtime: each kernel is made by its name, and bears it in archives", "[runtime]") {
  CHECK(kernel_table().size() == std::variant_size_v<AnyKernel::Choice>);
  for (const KernelEntry& entry : kernel_table()) {
    CAPTURE(entry.name);
    const AnyKernel kernel = make_kernel(entry.name);
    CHECK(kernel.name() == entry.name);
    CHECK(detail::archive_name(kernel) == entry.name);
    CHECK_FALSE(entry.description.empty());
    for (const Parameter& p : entry.parameters) {
      CHECK_FALSE((p.description.empty() || p.is_required()));
      const double outside = p.range.minimum - 1;
      if (outside > -std::numeric_limits<double>::infinity()) {
        const std::string error = test::error_of([&] {
          return make_kernel(entry.name, {{p.name, outside}});
        });
        CHECK_THAT(error, ContainsSubstring(entry.name + ": " + p.name + " must be "));
      }
    }
  }
}

TEST_CASE("runtime: kernels get their parameters", "[runtime]") {
  const auto described = [](std::string_view name, const Settings& settings) {
    return make_kernel(name, settings).describe();
  };
  CHECK(described("gaussian", {{"sigma", 1.5}}) == Gaussian{1.5}.describe());
  CHECK(described("gaussian", {{"gamma", 2}}) == Gaussian::from_gamma(2).describe());
  CHECK(described("polynomial", {{"gamma", 0.5}, {"coef0", 2}, {"degree", 4}}) ==
        Polynomial{{.gamma = 0.5, .coef0 = 2, .degree = 4}}.describe());
  CHECK(described("matern", {{"nu", 2.5}, {"length", 3}}) ==
        Matern{{.nu = 2.5, .length = 3}}.describe());
  CHECK(described("reciprocal-semigroup", {{"scale", 2}}) == ReciprocalSemigroup{2}.describe());
  CHECK(described("arc-cosine", {{"order", 2}}) == ArcCosine{2}.describe());
  CHECK(described("rbf", {{"sigma", 1.5}}) == Gaussian{1.5}.describe());
  CHECK(described("Rational_Quadratic", {}) == RationalQuadratic{}.describe());
  for (const KernelEntry& entry : kernel_table())
    for (const std::string& alias : entry.aliases)
      CHECK(find_entry(kernel_table(), alias) == &entry);
  CHECK(test::error_of([&] {
          return described("gaussian", {{"sigma", 1}, {"gamma", 1}});
        }) == "gaussian: gamma takes the place of sigma, which is given too");
  CHECK_THAT(test::error_of([&] { return described("gauss", {}); }),
             ContainsSubstring("unknown kernel 'gauss'; known: linear, polynomial, gaussian") &&
                 ContainsSubstring("; did you mean gaussian?"));
}

SCALAR_TEST_CASE("runtime: any kernel has the values of the kernel that it holds", "[runtime]") {
  using S = TestType;
  const Matrix<S> x = samples<S>();
  const SparseMatrix<S> sparse = x.sparseView();
  for (const KernelEntry& entry : kernel_table()) {
    CAPTURE(entry.name);
    const AnyKernel any = make_kernel(entry.name);
    any.with_kernel([&]<class K>(const K& held) {
      CHECK(any.takes<Matrix<S>>());
      const KernelView<Matrix<S>> view(any);
      CHECK(view.is_precomputed() == std::same_as<K, Precomputed>);
      CHECK(view.has_single());
      CHECK(view.describe() == held.describe());
      if constexpr (Kernel<K>) {
        const Matrix<S> expected = gram(held, x);
        CHECK(gram(any, x) == expected);
        CHECK(values<Matrix<S>>(any, x) == values<Matrix<S>>(held, x));
        CHECK(view.diagonal(x) == diagonal(held, x));
        CHECK(diagonal(any, x) == diagonal(held, x));
        // An offset is removed before rounding where that changes no value, as for the kernel held.
        CHECK(view.to_single(x) == KernelView<Matrix<S>>(held).to_single(x));
      }
      constexpr bool takes_sparse = evaluates_on<K, SparseMatrix<S>>;
      CHECK(any.takes<SparseMatrix<S>>() == takes_sparse);
      if constexpr (takes_sparse)
        CHECK(gram(any, sparse) == gram(held, sparse));
      else
        CHECK_THAT(test::error_of([&] { return KernelView<SparseMatrix<S>>(any); }),
                   ContainsSubstring(entry.name) && ContainsSubstring("sparse"));
    });
  }
}

TEST_CASE("runtime: any kernel keeps to the domain of the kernel that it holds", "[runtime]") {
  const Matrix<double> negative = -samples<double>();
  CHECK_THROWS_AS(gram(AnyKernel(Intersection{}), negative), InvalidArgument);
  CHECK_NOTHROW(gram(AnyKernel(Linear{}), negative));
  CHECK_THROWS_AS(gram(AnyKernel(Precomputed{}), negative), InvalidArgument);
  CHECK_THAT(test::error_of([] { return spectral_density(AnyKernel(Linear{})); }),
             ContainsSubstring("linear has no spectral density"));
  CHECK_THAT(test::error_of([] { return maclaurin_series(AnyKernel(Gaussian{1})); }),
             ContainsSubstring("gaussian(sigma=1) has no Maclaurin series"));
}

}  // namespace kernels_test
