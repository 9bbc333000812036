// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA of streams by doubly stochastic gradients.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_HPP

#include <optional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/sample_stream.hpp>
#include <mercer/core/shuffled_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic_fit.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer {

/// Components by stochastic ascent on batches of samples and blocks of random features: see
/// DoublyStochasticRun. For more samples than fit in memory, and more features than FeaturePca can
/// take, whose time and memory are quadratic in them.
///
/// \code
///   DoublyStochastic solver{RandomFourier{.features = 128}, {.blocks = 512, .epochs = 3}};
///   io::NpyStream<double> samples("large.npy");
///   const auto model = KernelPca{Gaussian{1.5}, solver, {.components = 3}}.fit(samples);
/// \endcode
/// The start is a PCA of block 0 at the first rows of the stream, whose radius is also that of the
/// map's SampleBounds. Then steps; at the end, eigenvalues and means are found from
/// params.evaluation_rows of one more pass, or, of a stream that cannot be rewound, from the first
/// rows again; eigenvalues are good to about (2 / rows)^(1/2) relative. A last batch that is not
/// full is filled from the next pass, or left out if there is none. A fit that hands out
/// DoublyStochasticCheckpoints can be resumed from one, to the same bits, if its stream can seek.
///
/// Cost: steps of O(data_batch N (d + k)) for N features in all; memory: the N x k coefficients,
/// the map's parameters as far as the memory budget goes, and batches, whatever n. Threads: same
/// bits for any number. Signs: the largest coefficient of each component is positive.
/// Status: Converged after all steps; NotConverged if the stream ended before, or the steps
/// diverged, which cuts them to 1 / lambda_max(M) leave to overflow. Throws InvalidArgument for
/// parameters out of range, components as a fraction of variance, more components than columns of a
/// block, an endless stream without params.steps, a checkpoint of another fit, and as the stream
/// does. Random: params.seed, with the purposes of the map and of ShuffledStream, and "doubly
/// stochastic start". \tparam F  models FeatureMap Source: Xie, Liang, Song, Scale up nonlinear
/// component analysis with doubly stochastic gradients, 2015.
template <FeatureMap F>
class DoublyStochastic {
 public:
  using Params = DoublyStochasticParams;

  /// Throws InvalidArgument for parameters out of range.
  explicit DoublyStochastic(F map, DoublyStochasticParams params = {},
                            DoublyStochasticCheckpoints checkpoints = {})
      : map_(std::move(map)), params_(params), checkpoints_(std::move(checkpoints)) {
    params.validate();
    checkpoints_.validate();
  }

  [[nodiscard]] const F& map() const { return map_; }
  [[nodiscard]] const DoublyStochasticParams& params() const { return params_; }
  [[nodiscard]] const DoublyStochasticCheckpoints& checkpoints() const { return checkpoints_; }

  template <Kernel K, Real S>
  [[nodiscard]] FeatureSolution<S> solve(const K& kernel, SampleStreamView<S> stream,
                                         const KernelRequest& request,
                                         const Observer& observer = {}) const {
    const Components& components = request.pairs.components;
    if (components.is_fraction())
      detail::fail("mercer::DoublyStochastic: needs components as a number, got the fraction ",
                   components.fraction(), " of variance; FeaturePca takes fractions");
    if (stream.seekable() && stream.rows() == endless && params_.steps == 0)
      detail::fail("mercer::DoublyStochastic: ", stream.name(),
                   " does not end; say how many steps");
    if (stream.seekable()) stream.seek({});
    std::optional<ShuffledStream<S>> shuffled;
    if (params_.shuffle && stream.rows() != endless)
      shuffled.emplace(stream, ShuffleParams{.seed = params_.seed});
    detail::BatchReader<S> reader(shuffled ? SampleStreamView<S>(*shuffled) : stream,
                                  KernelView<Matrix<S>>(kernel));
    Matrix<S> first = reader.first(params_.start_rows);
    const SampleBounds bounds = sample_bounds(first);
    const auto map = map_.template bind<S>(kernel, bounds, params_.seed);
    FeatureSolution<S> solution = detail::DoublyStochasticFit<S>(reader, std::move(first), params_,
                                                                 checkpoints_, request, observer)
                                      .solve(map, in_words(kernel));
    solution.bounds = bounds;
    return solution;
  }

 private:
  template <Kernel K>
  [[nodiscard]] std::string in_words(const K& kernel) const {
    if constexpr (HasDescription<F>)
      return detail::describe(kernel) + " by " + map_.describe();
    else
      return detail::describe(kernel);
  }

  F map_;
  DoublyStochasticParams params_;
  DoublyStochasticCheckpoints checkpoints_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_HPP
