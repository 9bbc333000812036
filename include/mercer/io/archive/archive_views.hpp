// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of models of two and more views, and of their functions.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_VIEWS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_VIEWS_HPP

#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_features.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/io/archive/archive_view_parts.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/models/multiview_cca.hpp>

namespace mercer::io {

template <KernelOrPrecomputed K, OwnedSamples X>
struct ArchiveTraits<KernelFunctions<K, X>> {
  using S = typename X::Scalar;

  static constexpr std::string_view name = "kernel-functions";
  static auto parts(const KernelFunctions<K, X>& functions) {
    return std::tie(functions.kernel(), functions.points(), functions.coefficients(),
                    functions.offset());
  }
  static KernelFunctions<K, X> make(K kernel, X points, Matrix<S> coefficients, Vector<S> offset) {
    detail::require_rows("KernelFunctions", "points", points.rows());
    return {std::move(kernel), std::make_shared<const X>(std::move(points)),
            std::move(coefficients), std::move(offset)};
  }
};

template <Kernel K, FeatureMap F, Real S>
struct ArchiveTraits<FeatureFunctions<K, F, S>> {
  static constexpr std::string_view name = "feature-functions";
  static auto parts(const FeatureFunctions<K, F, S>& functions) {
    return std::tie(functions.kernel(), functions.map(), functions.expansion());
  }
  static FeatureFunctions<K, F, S> make(K kernel, F map, FeatureExpansion<S> expansion) {
    // Some maps are costly to bind. So this checks first what can be checked without features.
    detail::require_expansion("FeatureFunctions", expansion, expansion.offset.size());
    return {std::move(kernel), std::move(map), std::move(expansion)};
  }
};

/// The header of a model of functions of several views.
template <class... F>
[[nodiscard]] ArchiveHeader views_header(std::string_view type, const F&... functions) {
  const auto of_view = [](const auto& one) {
    if constexpr (requires { one.map(); })
      return ArchiveHeader{.type = {},
                           .kernel = detail::archive_name(one.kernel()),
                           .features = detail::archive_name(one.map()),
                           .scalar = scalar_name<std::remove_cvref_t<decltype(one)>>(),
                           .samples = {},
                           .mercer_version = {}};
    else
      return samples_header(one.kernel(), one.points());
  };
  return joined_header(type, {of_view(functions)...});
}

template <class Fx, class Fy>
struct ArchiveTraits<KernelSvdModel<Fx, Fy>> {
  using Model = KernelSvdModel<Fx, Fy>;

  static constexpr std::string_view name = "kernel-svd";
  static auto parts(const Model& model) {
    return std::tuple<const Fx&, const Fy&, const Vector<double>&, double, const PairReport&>(
        model.functions_x(), model.functions_y(), model.singular_values(), model.dependence(),
        model.report());
  }
  static Model make(Fx x, Fy y, Vector<double> values, double dependence, PairReport report) {
    return {std::move(x), std::move(y), std::move(values), dependence, std::move(report)};
  }
  static ArchiveHeader header(const Model& model) {
    return views_header(name, model.functions_x(), model.functions_y());
  }
};

template <class Fx, class Fy>
struct ArchiveTraits<KernelCcaModel<Fx, Fy>> {
  using Model = KernelCcaModel<Fx, Fy>;

  static constexpr std::string_view name = "kernel-cca";
  static auto parts(const Model& model) {
    return std::tie(model.functions_x(), model.functions_y(), model.correlations(), model.report());
  }
  static Model make(Fx x, Fy y, Vector<double> values, PairReport report) {
    return {std::move(x), std::move(y), std::move(values), std::move(report)};
  }
  static ArchiveHeader header(const Model& model) {
    return views_header(name, model.functions_x(), model.functions_y());
  }
};

template <class F>
struct ArchiveTraits<KernelSirModel<F>> {
  using Model = KernelSirModel<F>;

  static constexpr std::string_view name = "kernel-sir";
  static auto parts(const Model& model) {
    return std::tie(model.functions(), model.eigenvalues(), model.report());
  }
  static Model make(F functions, Vector<double> eigenvalues, PairReport report) {
    return {std::move(functions), std::move(eigenvalues), std::move(report)};
  }
  static ArchiveHeader header(const Model& model) { return views_header(name, model.functions()); }
};

template <class... F>
struct ArchiveTraits<MultiviewCcaModel<F...>> {
  using Model = MultiviewCcaModel<F...>;

  static constexpr std::string_view name = "multiview-cca";
  static auto parts(const Model& model) {
    return std::apply(
        [&](const F&... functions) {
          return std::tie(functions..., model.eigenvalues(), model.report());
        },
        model.functions());
  }
  static Model make(F... functions, Vector<double> eigenvalues, PairReport report) {
    return {std::tuple<F...>(std::move(functions)...), std::move(eigenvalues), std::move(report)};
  }
  static ArchiveHeader header(const Model& model) {
    return std::apply([](const F&... functions) { return views_header(name, functions...); },
                      model.functions());
  }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_VIEWS_HPP
