// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Models, their reports, and fits that are under way, in archives.

#ifndef MERCER_IO_ARCHIVE_MODELS_HPP
#define MERCER_IO_ARCHIVE_MODELS_HPP

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive_features.hpp>
#include <mercer/io/archive_traits.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/solvers/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer::io {

/// What an archive holds, for a program that is to find the type to read it as.
struct ArchiveHeader {
  std::string type;            ///< "kernel-pca"; of what is no model, its name in ArchiveTraits
  std::string kernel;          ///< "gaussian", "sum(gaussian, linear)"
  std::string features;        ///< "random-fourier"; empty for expansions over samples
  std::string scalar;          ///< "double" or "single"
  std::string samples;         ///< "dense" or "sparse"; empty for expansions over features
  std::string mercer_version;  ///< the version that wrote the file
};

template <>
struct ArchiveTraits<ArchiveHeader> {
  static auto parts(const ArchiveHeader& h) {
    return std::tie(h.type, h.kernel, h.features, h.scalar, h.samples, h.mercer_version);
  }
};

template <>
struct ArchiveTraits<Status> {
  static constexpr Status last = Status::Cancelled;
};

template <>
struct ArchiveTraits<Report> {
  static auto parts(const Report& report) {
    // Names every member, so that a new one cannot be forgotten here: it would not compile.
    const auto& [status, solver, kernel, precision, storage, reason, samples, dimension, components,
                 components_requested, iterations, kernel_products, residuals, residual_rows,
                 eigenvalue_error_bounds, trace, trace_error, landmarks, sampling_evaluations,
                 negative_eigenvalues, most_negative_eigenvalue, zero_eigenvalues, lambda, ranks,
                 expected_error, dual_objective, duality_gap, objective_error, zero_rows,
                 zero_entries, fit_seconds, bytes] = report;
    return std::tie(status, solver, kernel, precision, storage, reason, samples, dimension,
                    components, components_requested, iterations, kernel_products, residuals,
                    residual_rows, eigenvalue_error_bounds, trace, trace_error, landmarks,
                    sampling_evaluations, negative_eigenvalues, most_negative_eigenvalue,
                    zero_eigenvalues, lambda, ranks, expected_error, dual_objective, duality_gap,
                    objective_error, zero_rows, zero_entries, fit_seconds, bytes);
  }
};

template <KernelOrPrecomputed K, OwnedSamples X>
struct ArchiveTraits<KernelPcaModel<K, X>> {
  using Model = KernelPcaModel<K, X>;

  static constexpr std::string_view name = "kernel-pca";
  static auto parts(const Model& model) {
    const auto& [kernel, points, centered, eigenvalues, coefficients, offset, mean_weights, mean,
                 training_scores, over_landmarks, report] = model.parts();
    return std::tie(kernel, points, centered, eigenvalues, coefficients, offset, mean_weights, mean,
                    training_scores, over_landmarks, report);
  }
  template <class... Part>
  static Model make(Part... part) {
    return Model({std::move(part)...});
  }
  static ArchiveHeader header(const Model& model) {
    return {.type = std::string(name),
            .kernel = detail::archive_name(model.kernel()),
            .features = {},
            .scalar = std::string(to_string(precision_of<typename X::Scalar>)),
            .samples = SparseSamples<X> ? "sparse" : "dense",
            .mercer_version = {}};
  }
};

template <Real S>
struct ArchiveTraits<FeatureSolution<S>> {
  static auto parts(const FeatureSolution<S>& solution) {
    const auto& [eigenvalues, coefficients, offset, blocks, bounds, seed, report] = solution;
    return std::tie(eigenvalues, coefficients, offset, blocks, bounds, seed, report);
  }
};

template <Kernel K, FeatureMap F, Real S>
struct ArchiveTraits<FeaturePcaModel<K, F, S>> {
  using Model = FeaturePcaModel<K, F, S>;

  static constexpr std::string_view name = "feature-pca";
  static auto parts(const Model& model) {
    return std::tuple<const K&, const F&, const FeatureSolution<S>&, bool>(
        model.kernel(), model.map(), model.solution(), model.centered());
  }
  static ArchiveHeader header(const Model& model) {
    return {.type = std::string(name),
            .kernel = detail::archive_name(model.kernel()),
            .features = detail::archive_name(model.map()),
            .scalar = std::string(to_string(precision_of<S>)),
            .samples = {},
            .mercer_version = {}};
  }
};

template <>
struct ArchiveTraits<StochasticRule> {
  static constexpr StochasticRule last = StochasticRule::Gha;
};

template <>
struct ArchiveTraits<DoublyStochasticSchedule> {
  static auto parts(const DoublyStochasticSchedule& schedule) {
    const auto& [rule, blocks, step, decay, centered] = schedule;
    return std::tie(rule, blocks, step, decay, centered);
  }
};

template <Real S>
struct ArchiveTraits<DoublyStochasticState<S>> {
  static constexpr std::string_view name = "doubly-stochastic-state";
  static auto parts(const DoublyStochasticState<S>& state) {
    const auto& [schedule, coefficients, next_block, steps] = state;
    return std::tie(schedule, coefficients, next_block, steps);
  }
};

template <>
struct ArchiveTraits<StreamPosition> {
  static auto parts(const StreamPosition& at) { return std::tie(at.epoch, at.row); }
};

template <>
struct ArchiveTraits<DoublyStochasticCheckpoint> {
  static constexpr std::string_view name = "doubly-stochastic-checkpoint";
  static auto parts(const DoublyStochasticCheckpoint& checkpoint) {
    const auto& [fit, run, position, passes] = checkpoint;
    return std::tie(fit, run, position, passes);
  }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_MODELS_HPP
