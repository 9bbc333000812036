// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What archives of all models of several views share: their reports, and their headers.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_VIEW_PARTS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_VIEW_PARTS_HPP

#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
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
                 stochastic, fit_seconds, bytes, phases] = report;
    static_cast<void>(phases);  // as those of a Report
    return std::tie(status, method, views, samples, components, components_requested, error_bounds,
                    truncation_bound, training_correlations, holdout_samples, holdout_correlations,
                    stochastic, fit_seconds, bytes);
  }
};

/// As ArchiveHeader::scalar has it.
template <class T>
[[nodiscard]] std::string scalar_name() {
  return std::string(to_string(precision_of<typename T::Scalar>));
}

/// What a header says of a view whose kernel is evaluated at given samples.
template <class K, OwnedSamples X>
[[nodiscard]] ArchiveHeader samples_header(const K& kernel, const X&) {
  return {.type = {},
          .kernel = detail::archive_name(kernel),
          .features = {},
          .scalar = scalar_name<X>(),
          .samples = SparseSamples<X> ? "sparse" : "dense",
          .mercer_version = {}};
}

/// The header of a model of several views: what they have in common, or the entries of all of them
/// in their order.
[[nodiscard]] inline ArchiveHeader joined_header(std::string_view type,
                                                 std::initializer_list<ArchiveHeader> views) {
  ArchiveHeader out;
  const auto add = [](const std::string& text, std::string& to) {
    if (!text.empty() && to != text) to += (to.empty() ? "" : ", ") + text;
  };
  for (const ArchiveHeader& view : views) {
    add(view.kernel, out.kernel);
    add(view.features, out.features);
    add(view.scalar, out.scalar);
    add(view.samples, out.samples);
  }
  out.type = type;
  return out;
}

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_VIEW_PARTS_HPP
