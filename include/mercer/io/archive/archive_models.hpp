// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of models, of their reports, and of the states of unfinished fits.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_MODELS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_MODELS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_features.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer::io {

/// What an archive holds. A program can use it to find the type to read.
struct ArchiveHeader {
  std::string type;    ///< "kernel-pca"; for other values than models, their name in ArchiveTraits
  std::string kernel;  ///< "gaussian", "sum(gaussian, linear)"
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
  static constexpr Status last = Status::Finished;
};

template <>
struct ArchiveTraits<SolverId> {
  static constexpr SolverId last = SolverId::KernelOja;
};

template <>
struct ArchiveTraits<Precision> {
  static constexpr Precision last = Precision::Double;
};

template <>
struct ArchiveTraits<std::monostate> {
  static constexpr std::string_view name = "no-details";
  static auto parts(const std::monostate&) { return std::tuple<>(); }
};

template <>
struct ArchiveTraits<NystromDetails> {
  static constexpr std::string_view name = "nystrom-details";
  static auto parts(const NystromDetails& details) {
    const auto& [trace_error, sampling_evaluations] = details;
    return std::tie(trace_error, sampling_evaluations);
  }
};

template <>
struct ArchiveTraits<SpgdDetails> {
  static constexpr std::string_view name = "spgd-details";
  static auto parts(const SpgdDetails& details) { return detail::members_of(details); }
};

template <>
struct ArchiveTraits<DualDetails> {
  static constexpr std::string_view name = "dual-details";
  static auto parts(const DualDetails& details) {
    const auto& [dual_objective, duality_gap, objective_error] = details;
    return std::tie(dual_objective, duality_gap, objective_error);
  }
};

template <>
struct ArchiveTraits<DcaDetails> {
  static constexpr std::string_view name = "dca-details";
  static auto parts(const DcaDetails& details) {
    const auto& [dual_objective, duality_gap, zero_rows, zero_entries] = details;
    return std::tie(dual_objective, duality_gap, zero_rows, zero_entries);
  }
};

template <>
struct ArchiveTraits<Report> {
  static auto parts(const Report& report) { return detail::members_of(report); }
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
    KernelPcaParts<K, X> parts{std::move(part)...};
    detail::require_rows("KernelPcaModel", "points",
                         parts.points ? parts.points->rows() : Index{0});
    return Model(std::move(parts));
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
struct ArchiveTraits<FeatureExpansion<S>> {
  static auto parts(const FeatureExpansion<S>& expansion) {
    const auto& [coefficients, offset, blocks, bounds, seed] = expansion;
    return std::tie(coefficients, offset, blocks, bounds, seed);
  }
};

template <Real S>
struct ArchiveTraits<FeatureSolution<S>> {
  static auto parts(const FeatureSolution<S>& solution) {
    const FeatureExpansion<S>& expansion = solution;
    return std::tie(solution.eigenvalues, expansion, solution.report);
  }
  static FeatureSolution<S> make(Vector<S> eigenvalues, FeatureExpansion<S> expansion,
                                 Report report) {
    return {std::move(expansion), std::move(eigenvalues), std::move(report)};
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
  static Model make(K kernel, F map, FeatureSolution<S> solution, bool centered) {
    // Some maps are costly to bind. So this checks first what can be checked without features.
    detail::require_expansion("FeaturePcaModel", solution, solution.eigenvalues.size());
    return Model(std::move(kernel), std::move(map), std::move(solution), centered);
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

/// Throws InvalidArgument for a number of feature blocks that no run can have.
inline void require_block_count(std::string_view who, Index blocks) {
  constexpr Index most = Index{1} << 32;  // feature maps need block numbers below 2^32
  if (blocks > most)
    detail::fail("mercer::", who, ": blocks must be at most ", most, ", got ", blocks);
}

/// Throws InvalidArgument unless a run can be at this block after this number of steps.
inline void require_run_position(std::string_view who, Index next_block, Index blocks,
                                 Index steps) {
  detail::require_at_least(who, "next_block", next_block, Index{0});
  detail::require_at_least(who, "steps", steps, Index{0});
  if (next_block > blocks)
    detail::fail("mercer::", who, ": the next step is to visit block ", next_block, " of ", blocks);
}

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
  static DoublyStochasticSchedule make(StochasticRule rule, Index blocks, double step, double decay,
                                       bool centered) {
    const DoublyStochasticSchedule schedule{rule, blocks, step, decay, centered};
    schedule.validate();
    require_block_count("DoublyStochasticRun", blocks);
    return schedule;
  }
};

/// A state may name more blocks than it has coefficients for, as each step draws one block. A run
/// that continues from it needs memory for all these blocks.
template <Real S>
struct ArchiveTraits<DoublyStochasticState<S>> {
  static constexpr std::string_view name = "doubly-stochastic-state";
  static auto parts(const DoublyStochasticState<S>& state) {
    const auto& [schedule, coefficients, next_block, steps] = state;
    return std::tie(schedule, coefficients, next_block, steps);
  }
  static DoublyStochasticState<S> make(const DoublyStochasticSchedule& schedule,
                                       Matrix<S> coefficients, Index next_block, Index steps) {
    require_run_position("DoublyStochasticRun", next_block, schedule.blocks, steps);
    return {schedule, std::move(coefficients), next_block, steps};
  }
};

template <>
struct ArchiveTraits<StreamPosition> {
  static auto parts(const StreamPosition& at) { return std::tie(at.epoch, at.row); }
  static StreamPosition make(Index epoch, Index row) {
    detail::require_at_least("SampleStream", "epoch", epoch, Index{0});
    detail::require_at_least("SampleStream", "row", row, Index{0});
    return {epoch, row};
  }
};

template <>
struct ArchiveTraits<FitSetting> {
  static auto parts(const FitSetting& setting) { return std::tie(setting.name, setting.value); }
};

template <>
struct ArchiveTraits<SampleDigest> {
  static auto parts(const SampleDigest& digest) { return std::tie(digest.rows, digest.checksum); }
  static SampleDigest make(Index rows, std::uint64_t checksum) {
    detail::require_at_least("SampleDigest", "rows", rows, Index{0});
    return {rows, checksum};
  }
};

/// Of the checkpoints of all stochastic fits, which are archived alike.
template <class State>
struct CheckpointArchive {
  static auto parts(const FitCheckpoint<State>& checkpoint) {
    const auto& [fit, run, position, passes, start, read] = checkpoint;
    return std::tie(fit, run, position, passes, start, read);
  }
  static FitCheckpoint<State> make(std::vector<FitSetting> fit, State run,
                                   const StreamPosition& position, Index passes,
                                   const SampleDigest& start, const SampleDigest& read) {
    detail::require_at_least("DoublyStochastic", "passes", passes, Index{0});
    return {std::move(fit), std::move(run), position, passes, start, read};
  }
};

template <>
struct ArchiveTraits<DoublyStochasticCheckpoint>
    : CheckpointArchive<DoublyStochasticState<double>> {
  static constexpr std::string_view name = "doubly-stochastic-checkpoint-2";
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_MODELS_HPP
