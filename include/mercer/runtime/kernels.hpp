// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The kernels of mercer by name and parameters.

#ifndef MERCER_RUNTIME_KERNELS_HPP
#define MERCER_RUNTIME_KERNELS_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>
#include <mercer/runtime/any_kernel.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>

namespace mercer {

namespace detail {

[[nodiscard]] inline Parameter gamma_parameter() {
  return {.name = "gamma",
          .description = "the factor in the formula",
          .range = positive_number,
          .fallback = 1.0,
          .suggestion = Suggestion::InverseDimension};
}

[[nodiscard]] inline Parameter length_parameter(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .range = positive_number,
          .fallback = 1.0,
          .suggestion = Suggestion::Distance};
}

[[nodiscard]] inline Parameter coef0_parameter(const NumberRange& range) {
  return {.name = "coef0",
          .description = "the constant in the formula",
          .range = range,
          .fallback = 1.0};
}

/// A kernel of gamma alone.
template <class K>
[[nodiscard]] AnyKernel kernel_of_gamma(const Arguments& a) {
  return K{a.number("gamma")};
}

template <class K>
[[nodiscard]] AnyKernel kernel_of_nothing(const Arguments&) {
  return K{};
}

/// The settings that a kernel was made of, by the names in the table.
template <class K>
[[nodiscard]] Settings settings_of(const K& kernel) {
  if constexpr (requires { kernel.params().nu; })
    return {{"nu", kernel.params().nu}, {"length", kernel.params().length}};
  else if constexpr (requires { kernel.params().alpha; })
    return {{"alpha", kernel.params().alpha}, {"length", kernel.params().length}};
  else if constexpr (requires { kernel.params().degree; })
    return {{"gamma", kernel.params().gamma},
            {"coef0", kernel.params().coef0},
            {"degree", Index{kernel.params().degree}}};
  else if constexpr (requires { kernel.params().coef0; })
    return {{"gamma", kernel.params().gamma}, {"coef0", kernel.params().coef0}};
  else if constexpr (requires { kernel.sigma(); })
    return {{"sigma", kernel.sigma()}};
  else if constexpr (requires { kernel.gamma(); })
    return {{"gamma", kernel.gamma()}};
  else if constexpr (requires { kernel.beta(); })
    return {{"beta", kernel.beta()}};
  else if constexpr (requires { kernel.lambda(); })
    return {{"scale", kernel.lambda()}};
  else if constexpr (requires { kernel.order(); })
    return {{"order", Index{kernel.order()}}};
  else
    return {};
}

[[nodiscard]] inline std::vector<KernelEntry> make_kernel_table() {
  using A = const Arguments&;
  const Parameter gamma = gamma_parameter(),
                  length = length_parameter("length", "the length scale");
  Parameter gaussian_gamma = gamma;
  gaussian_gamma.fallback = {};
  gaussian_gamma.suggestion = Suggestion::None;
  gaussian_gamma.description = "in place of sigma: exp(-gamma |x-y|^2)";
  gaussian_gamma.instead_of = "sigma";
  gaussian_gamma.otherwise = "none, sigma is taken";
  return {
      {{"linear", "x.y", {}}, kernel_of_nothing<Linear>},
      {{"polynomial",
        "(gamma x.y + coef0)^degree",
        {gamma,
         coef0_parameter(not_negative_number),
         {.name = "degree",
          .description = "the exponent",
          .range = whole_number(1, 1000),
          .fallback = Index{3}}},
        {"poly"}},
       [](A a) {
         return AnyKernel(Polynomial{{.gamma = a.number("gamma"),
                                      .coef0 = a.number("coef0"),
                                      .degree = static_cast<int>(a.whole("degree"))}});
       }},
      {{"gaussian",
        "exp(-|x-y|^2 / (2 sigma^2))",
        {length_parameter("sigma", "the bandwidth"), gaussian_gamma},
        {"rbf", "squared-exponential"}},
       [](A a) {
         return AnyKernel(a.has("gamma") ? Gaussian::from_gamma(a.number("gamma"))
                                         : Gaussian{a.number("sigma")});
       }},
      {{"laplacian", "exp(-gamma |x-y|_1)", {gamma}, {"laplace"}}, kernel_of_gamma<Laplacian>},
      {{"cauchy", "the product of 1 / (1 + gamma^2 (x_j-y_j)^2)", {gamma}},
       kernel_of_gamma<Cauchy>},
      {{"rational-quadratic",
        "(1 + |x-y|^2 / (2 alpha length^2))^-alpha",
        {{.name = "alpha",
          .description = "the exponent; large ones make it gaussian",
          .range = positive_number,
          .fallback = RationalQuadratic::Params{}.alpha},
         length},
        {"rq"}},
       [](A a) {
         return AnyKernel(
             RationalQuadratic{{.alpha = a.number("alpha"), .length = a.number("length")}});
       }},
      {{"matern",
        "Matern's function of |x-y| / length",
        {{.name = "nu",
          .description = "smoothness; large ones make it gaussian",
          .range = {.minimum = 0, .maximum = 50, .above_minimum = true},
          .fallback = Matern::Params{}.nu},
         length}},
       [](A a) { return AnyKernel(Matern{{.nu = a.number("nu"), .length = a.number("length")}}); }},
      {{"sigmoid",
        "tanh(gamma x.y + coef0), indefinite",
        {gamma, coef0_parameter(finite_number)},
        {"tanh"}},
       [](A a) {
         return AnyKernel(Sigmoid{{.gamma = a.number("gamma"), .coef0 = a.number("coef0")}});
       }},
      {{"exponential-dot", "exp(gamma x.y)", {gamma}}, kernel_of_gamma<ExponentialDot>},
      {{"inverse-dot", "1 / (1 - gamma x.y)", {gamma}}, kernel_of_gamma<InverseDot>},
      {{"exponential-semigroup",
        "exp(-beta sum_j (x_j+y_j)^(1/2)), of histograms",
        {{.name = "beta",
          .description = "the factor in the formula",
          .range = positive_number,
          .fallback = 1.0,
          .suggestion = Suggestion::InverseDimension}}},
       [](A a) { return AnyKernel(ExponentialSemigroup{a.number("beta")}); }},
      {{"reciprocal-semigroup",
        "the product of scale / (x_j+y_j+scale), of histograms",
        {{.name = "scale",
          .description = "the scale of entries",
          .range = positive_number,
          .fallback = 1.0}}},
       [](A a) { return AnyKernel(ReciprocalSemigroup{a.number("scale")}); }},
      {{"arc-cosine",
        "that of an infinitely wide layer of neurons",
        {{.name = "order",
          .description = "of the neurons' activation: 0 is a step, 1 a ramp",
          .range = whole_number(0, 2),
          .fallback = Index{1}}},
        {"arccos", "arccosine"}},
       [](A a) { return AnyKernel(ArcCosine{static_cast<int>(a.whole("order"))}); }},
      {{"cosine", "x.y / (|x| |y|)", {}}, kernel_of_nothing<Cosine>},
      {{"additive-chi-square", "sum_j 2 x_j y_j / (x_j+y_j), of histograms", {}, {"additive-chi2"}},
       kernel_of_nothing<AdditiveChiSquare>},
      {{"chi-square",
        "exp(-gamma sum_j (x_j-y_j)^2 / (x_j+y_j)), of histograms",
        {gamma},
        {"chi2"}},
       kernel_of_gamma<ChiSquare>},
      {{"intersection", "sum_j min(x_j, y_j), of histograms", {}, {"histogram-intersection"}},
       kernel_of_nothing<Intersection>},
      {{"precomputed", "the samples are the Gram matrix itself", {}, {"gram"}},
       kernel_of_nothing<Precomputed>},
  };
}

}  // namespace detail

/// Names, formulas and parameters of all kernels. Lengths and factors have the default 1; a program
/// that has the samples takes a better one, by the suggestion of the parameter.
[[nodiscard]] inline const std::vector<KernelEntry>& kernel_table() {
  static const std::vector<KernelEntry> table = detail::make_kernel_table();
  return table;
}

/// The kernel of this name.
/// \code
///   const AnyKernel kernel = make_kernel("matern", {{"nu", 2.5}, {"length", 0.8}});
/// \endcode
/// Throws InvalidArgument for an unknown name, with those known, and for settings that do not fit.
[[nodiscard]] inline AnyKernel make_kernel(std::string_view name, const Settings& settings = {}) {
  const KernelEntry& entry = require_entry("kernel", kernel_table(), name);
  return entry.make({entry.name, entry.parameters, settings});
}

/// The settings of a kernel, by the names of its parameters in the table:
/// make_kernel(kernel.name(), kernel_settings(kernel)) is the same kernel.
[[nodiscard]] inline Settings kernel_settings(const AnyKernel& kernel) {
  return kernel.with_kernel([](const auto& held) { return detail::settings_of(held); });
}

}  // namespace mercer

#endif  // MERCER_RUNTIME_KERNELS_HPP
