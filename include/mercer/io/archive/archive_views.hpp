// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of models of two and more views, and of their functions and reports.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_VIEWS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_VIEWS_HPP

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_features.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/models/kernel_cca.hpp>
#include <mercer/models/kernel_functions.hpp>
#include <mercer/models/kernel_sir.hpp>
#include <mercer/models/kernel_svd.hpp>
#include <mercer/models/multiview_cca.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer::io {

template <>
struct ArchiveTraits<ViewReport> {
  static auto parts(const ViewReport& view) {
    const auto& [basis, rank, kappa, effective_dimension, residuals, trace_error] = view;
    return std::tie(basis, rank, kappa, effective_dimension, residuals, trace_error);
  }
};

template <>
struct ArchiveTraits<StochasticPairDetails> {
  static auto parts(const StochasticPairDetails& details) {
    const auto& [steps, step_sum, implicit_ridge, evaluation_rows] = details;
    return std::tie(steps, step_sum, implicit_ridge, evaluation_rows);
  }
};

template <>
struct ArchiveTraits<PairReport> {
  static auto parts(const PairReport& report) {
    const auto& [status, method, views, samples, components, components_requested, error_bounds,
                 truncation_bound, training_correlations, holdout_samples, holdout_correlations,
                 stochastic, fit_seconds, bytes] = report;
    return std::tie(status, method, views, samples, components, components_requested, error_bounds,
                    truncation_bound, training_correlations, holdout_samples, holdout_correlations,
                    stochastic, fit_seconds, bytes);
  }
};

template <KernelOrPrecomputed K, OwnedSamples X>
struct ArchiveTraits<KernelFunctions<K, X>> {
  using S = typename X::Scalar;

  static constexpr std::string_view name = "kernel-functions";
  static auto parts(const KernelFunctions<K, X>& functions) {
    return std::tie(functions.kernel(), functions.points(), functions.coefficients(),
                    functions.offset());
  }
  static KernelFunctions<K, X> make(K kernel, X points, Matrix<S> coefficients, Vector<S> offset) {
    // A matrix without rows can claim any number of columns, and checks of its values would loop
    // over them.
    if (points.rows() == 0) detail::fail("mercer::KernelFunctions: there are no points");
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

/// What a header says of the functions of one view.
template <class F>
[[nodiscard]] ArchiveHeader view_header(const F& functions) {
  ArchiveHeader header{.type = {},
                       .kernel = detail::archive_name(functions.kernel()),
                       .features = {},
                       .scalar = std::string(to_string(precision_of<typename F::Scalar>)),
                       .samples = {},
                       .mercer_version = {}};
  if constexpr (requires { functions.map(); })
    header.features = detail::archive_name(functions.map());
  else
    header.samples =
        SparseSamples<std::remove_cvref_t<decltype(functions.points())>> ? "sparse" : "dense";
  return header;
}

/// The header of a model of several views: what they have in common, or the entries of all of them
/// in their order.
template <class... F>
[[nodiscard]] ArchiveHeader views_header(std::string_view type, const F&... functions) {
  ArchiveHeader out;
  for (const ArchiveHeader& view : {view_header(functions)...}) {
    const auto add = [](const std::string& text, std::string& to) {
      if (!text.empty() && to != text) to += (to.empty() ? "" : ", ") + text;
    };
    add(view.kernel, out.kernel);
    add(view.features, out.features);
    add(view.scalar, out.scalar);
    add(view.samples, out.samples);
  }
  out.type = type;
  return out;
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
