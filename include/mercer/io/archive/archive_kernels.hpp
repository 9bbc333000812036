// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The kernels of mercer in archives: their names and parameters.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_KERNELS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_KERNELS_HPP

#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/composite.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/on_sphere.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>

namespace mercer::io {

template <>
struct ArchiveTraits<Linear> {
  static constexpr std::string_view name = "linear";
  static auto parts(const Linear&) { return std::tuple(); }
};

template <>
struct ArchiveTraits<Polynomial> {
  static constexpr std::string_view name = "polynomial";
  static auto parts(const Polynomial& k) {
    return std::tuple(k.params().gamma, k.params().coef0, k.params().degree);
  }
  static Polynomial make(double gamma, double coef0, int degree) {
    return Polynomial({.gamma = gamma, .coef0 = coef0, .degree = degree});
  }
};

template <>
struct ArchiveTraits<Sigmoid> {
  static constexpr std::string_view name = "sigmoid";
  static auto parts(const Sigmoid& k) { return std::tuple(k.params().gamma, k.params().coef0); }
  static Sigmoid make(double gamma, double coef0) {
    return Sigmoid({.gamma = gamma, .coef0 = coef0});
  }
};

template <>
struct ArchiveTraits<ExponentialDot> {
  static constexpr std::string_view name = "exponential-dot";
  static auto parts(const ExponentialDot& k) { return std::tuple(k.gamma()); }
};

template <>
struct ArchiveTraits<InverseDot> {
  static constexpr std::string_view name = "inverse-dot";
  static auto parts(const InverseDot& k) { return std::tuple(k.gamma()); }
};

template <>
struct ArchiveTraits<Gaussian> {
  static constexpr std::string_view name = "gaussian";
  static auto parts(const Gaussian& k) { return std::tuple(k.sigma()); }
};

template <>
struct ArchiveTraits<RationalQuadratic> {
  static constexpr std::string_view name = "rational-quadratic";
  static auto parts(const RationalQuadratic& k) {
    return std::tuple(k.params().alpha, k.params().length);
  }
  static RationalQuadratic make(double alpha, double length) {
    return RationalQuadratic({.alpha = alpha, .length = length});
  }
};

template <>
struct ArchiveTraits<Matern> {
  static constexpr std::string_view name = "matern";
  static auto parts(const Matern& k) { return std::tuple(k.params().nu, k.params().length); }
  static Matern make(double nu, double length) { return Matern({.nu = nu, .length = length}); }
};

template <>
struct ArchiveTraits<Laplacian> {
  static constexpr std::string_view name = "laplacian";
  static auto parts(const Laplacian& k) { return std::tuple(k.gamma()); }
};

template <>
struct ArchiveTraits<Cauchy> {
  static constexpr std::string_view name = "cauchy";
  static auto parts(const Cauchy& k) { return std::tuple(k.gamma()); }
};

template <>
struct ArchiveTraits<ExponentialSemigroup> {
  static constexpr std::string_view name = "exponential-semigroup";
  static auto parts(const ExponentialSemigroup& k) { return std::tuple(k.beta()); }
};

template <>
struct ArchiveTraits<ReciprocalSemigroup> {
  static constexpr std::string_view name = "reciprocal-semigroup";
  static auto parts(const ReciprocalSemigroup& k) { return std::tuple(k.lambda()); }
};

template <>
struct ArchiveTraits<AdditiveChiSquare> {
  static constexpr std::string_view name = "additive-chi-square";
  static auto parts(const AdditiveChiSquare&) { return std::tuple(); }
};

template <>
struct ArchiveTraits<ChiSquare> {
  static constexpr std::string_view name = "chi-square";
  static auto parts(const ChiSquare& k) { return std::tuple(k.gamma()); }
};

template <>
struct ArchiveTraits<Intersection> {
  static constexpr std::string_view name = "intersection";
  static auto parts(const Intersection&) { return std::tuple(); }
};

template <>
struct ArchiveTraits<Cosine> {
  static constexpr std::string_view name = "cosine";
  static auto parts(const Cosine&) { return std::tuple(); }
};

template <>
struct ArchiveTraits<ArcCosine> {
  static constexpr std::string_view name = "arc-cosine";
  static auto parts(const ArcCosine& k) { return std::tuple(k.order()); }
};

template <>
struct ArchiveTraits<Precomputed> {
  static constexpr std::string_view name = "precomputed";
  static auto parts(const Precomputed&) { return std::tuple(); }
};

template <class A, class B>
struct ArchiveTraits<Sum<A, B>> {
  static constexpr std::string_view name = "sum";
  static auto parts(const Sum<A, B>& k) { return std::tie(k.first(), k.second()); }
  static Sum<A, B> make(A first, B second) { return {std::move(first), std::move(second)}; }
};

template <class A, class B>
struct ArchiveTraits<Product<A, B>> {
  static constexpr std::string_view name = "product";
  static auto parts(const Product<A, B>& k) { return std::tie(k.first(), k.second()); }
  static Product<A, B> make(A first, B second) { return {std::move(first), std::move(second)}; }
};

template <class A>
struct ArchiveTraits<Scaled<A>> {
  static constexpr std::string_view name = "scaled";
  static auto parts(const Scaled<A>& k) { return std::tuple(k.scale(), k.kernel()); }
};

template <class A>
struct ArchiveTraits<OnSphere<A>> {
  static constexpr std::string_view name = "on-sphere";
  static auto parts(const OnSphere<A>& k) { return std::tie(k.kernel()); }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_KERNELS_HPP
