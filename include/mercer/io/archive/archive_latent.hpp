// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of models of latent variables: mixtures, and independent components.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_LATENT_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_LATENT_HPP

#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/io/archive/archive_view_parts.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/ica_contrast.hpp>
#include <mercer/models/kernel_ica.hpp>
#include <mercer/models/latent/latent_mixture_model.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer::io {

template <Kernel K, OwnedSamples X>
struct ArchiveTraits<MixtureView<K, X>> {
  using S = typename X::Scalar;

  static constexpr std::string_view name = "mixture-view";
  static auto parts(const MixtureView<K, X>& view) {
    return std::tie(view.kernel(), view.samples(), view.sample_weights());
  }
  static MixtureView<K, X> make(K kernel, X samples, Matrix<S> weights) {
    detail::require_rows("MixtureView", "samples", samples.rows());
    return {std::move(kernel), std::make_shared<const X>(std::move(samples)), std::move(weights)};
  }
};

/// Of both forms of mixtures, which are archived alike.
template <class Model, class V1, class V2, class V3>
struct MixtureArchive {
  static auto parts(const Model& model) {
    const auto& [first, second, third] = model.views();
    return std::tuple<const V1&, const V2&, const V3&, const Vector<double>&, const Vector<double>&,
                      double, const PairReport&>(first, second, third, model.weights(),
                                                 model.singular_values(), model.defect(),
                                                 model.report());
  }
  static Model make(V1 first, V2 second, V3 third, Vector<double> weights,
                    Vector<double> singular_values, double defect, PairReport report) {
    return Model({std::move(first), std::move(second), std::move(third)}, std::move(weights),
                 std::move(singular_values), defect, std::move(report));
  }
  static ArchiveHeader header(const Model& model) {
    const auto& [first, second, third] = model.views();
    return joined_header(ArchiveTraits<Model>::name,
                         {samples_header(first.kernel(), first.samples()),
                          samples_header(second.kernel(), second.samples()),
                          samples_header(third.kernel(), third.samples())});
  }
};

template <class V1, class V2, class V3>
struct ArchiveTraits<LatentMixtureModel<V1, V2, V3>>
    : MixtureArchive<LatentMixtureModel<V1, V2, V3>, V1, V2, V3> {
  static constexpr std::string_view name = "latent-mixture";
};

template <class V>
struct ArchiveTraits<ExchangeableMixtureModel<V>>
    : MixtureArchive<ExchangeableMixtureModel<V>, V, V, V> {
  static constexpr std::string_view name = "exchangeable-mixture";
};

template <>
struct ArchiveTraits<IcaContrast> {
  static constexpr IcaContrast last = IcaContrast::Kcca;
};

template <>
struct ArchiveTraits<IcaReport> {
  static auto parts(const IcaReport& report) {
    const auto& [status, contrast, samples, dimension, sigma, regularization, tolerance, sweeps,
                 evaluations, last_angle, fit_seconds] = report;
    return std::tie(status, contrast, samples, dimension, sigma, regularization, tolerance, sweeps,
                    evaluations, last_angle, fit_seconds);
  }
};

template <Real S>
struct ArchiveTraits<KernelIcaModel<S>> {
  using Model = KernelIcaModel<S>;

  static constexpr std::string_view name = "kernel-ica";
  static auto parts(const Model& model) {
    return std::tuple<const Vector<S>&, const Matrix<S>&, const Matrix<S>&, double,
                      const IcaReport&>(model.mean(), model.unmixing(), model.mixing(),
                                        model.contrast(), model.report());
  }
  static ArchiveHeader header(const Model&) {
    return {.type = std::string(name),
            .kernel = {},
            .features = {},
            .scalar = scalar_name<Model>(),
            .samples = {},
            .mercer_version = {}};
  }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_LATENT_HPP
