// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA of streams by doubly stochastic gradients.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_HPP

#include <optional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_fit.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/feature_bases.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/pair_fit.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_checkpoint.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

/// Components by stochastic ascent on batches of samples and blocks of random features: see
/// DoublyStochasticRun. For more samples than fit in memory, and for more features than FeaturePca
/// can take, whose time and memory are quadratic in their number.
///
/// \code
///   DoublyStochastic solver{RandomFourier{.features = 128}, {.blocks = 512, .epochs = 3}};
///   io::NpyStream<double> samples("large.npy");
///   const auto model = KernelPca{Gaussian{1.5}, solver, {.components = 3}}.fit(samples);
/// \endcode
/// The start is a PCA of block 0 on the first rows of the stream. Their radius is also that of the
/// map's SampleBounds. Then come the steps. A last batch that is not full is filled from the next
/// pass, or dropped if there is none. At the end, params.evaluation_rows of one more pass give the
/// eigenvalues, means and residuals; if the stream cannot be rewound, the first rows are used
/// again. A stream of unknown length goes on through further passes, too, until there are 16 steps
/// for each block.
///
/// The report has |K u - mu u| for the true kernel, estimated at the first params.start_rows rows.
/// It includes the error of the features, and, if these rows or those of the evaluation are not all
/// samples, the sampling error. If samples come in an order, and are not shuffled, the first rows
/// may not be typical.
///
/// KernelSvd and KernelCca take it for streams of pairs; see solve_pairs().
///
/// A fit that hands out DoublyStochasticCheckpoints can be resumed from one if its stream can seek;
/// the result is the same to the last bit. Signs: the largest coefficient of each component is
/// positive.
///
/// \tparam F  models FeatureMap
/// Features of all samples are kept if the memory budget holds these n N values too, if they are
/// needed twice or more, and if the stream models NumbersRows. Then each is evaluated once, in a
/// pass before the steps, and the steps read numbers of rows only. The bits are the same,
/// if the map gives a sample the same features in any row; see BoundFeatureMap.
///
/// Cost: O(data_batch N (d + k)) for each step, for N features in all. With features kept, O(n N d)
///   at first, and O(data_batch N k) for each step.
/// Memory: the N x k coefficients, the map's parameters up to the memory budget, and batches;
///   independent of n if features are not kept.
/// Accuracy: eigenvalues to a relative error of about (2 / rows)^(1/2), with the rows of the
///   evaluation. Residuals cannot be seen to be smaller than about mu_1 / rows^(1/2), unless all
///   samples are evaluated.
/// Threads: the result is the same to the last bit for any number.
/// Status: Finished after all steps; with a params.tolerance, Converged if all residuals are within
///   tolerance mu_1, else NotConverged. NotConverged also if the stream ended before, for example
///   after fewer than 16 steps for each block if it cannot be rewound, or if the steps diverged;
///   since steps are cut to 1 / lambda_max(M), they diverge only by overflow.
/// Random: params.seed, with the purposes of the map and of ShuffledStream, and "doubly stochastic
///   start".
/// Throws InvalidArgument for parameters out of range, components as a fraction of variance, more
///   components than columns of a block, an endless stream without params.steps, and as the stream
///   does.
/// Throws CheckpointMismatch for a checkpoint of another fit, or if the samples that it had read
///   have changed. A callable kernel, or a map without a description, cannot be compared, and is
///   assumed to be the same.
/// Source: Xie, Liang, Song, Scale up nonlinear component analysis with doubly stochastic
///   gradients, 2015.
template <FeatureMap F>
class DoublyStochastic {
 public:
  using Params = DoublyStochasticParams;
  /// States of a fit of pairs.
  using PairCheckpoints = mercer::PairCheckpoints;

  /// Throws InvalidArgument for parameters out of range.
  explicit DoublyStochastic(F map, DoublyStochasticParams params = {},
                            DoublyStochasticCheckpoints checkpoints = {})
      : map_(std::move(map)), params_(params), checkpoints_(std::move(checkpoints)) {
    params.validate();
    checkpoints_.validate();
  }

  /// The same settings with another map, without checkpoints.
  template <FeatureMap G>
  [[nodiscard]] DoublyStochastic<G> with_map(G map) const {
    return DoublyStochastic<G>(std::move(map), params_);
  }

  [[nodiscard]] const F& map() const { return map_; }
  [[nodiscard]] const DoublyStochasticParams& params() const { return params_; }
  [[nodiscard]] const DoublyStochasticCheckpoints& checkpoints() const { return checkpoints_; }

  template <Kernel K, Real S>
  [[nodiscard]] FeatureSolution<S> solve(const K& kernel, SampleStreamView<S> stream,
                                         const KernelRequest& request,
                                         const Observer& observer = {}) const {
    return solve_rows(kernel, RowSpace::whole(1), stream, request, observer);
  }

  /// The same where the work on each batch may be spread over processes; see fit_spread(). All
  /// results are the same on all of them.
  /// \param spread  rows that are in processes as those of batches are to be
  /// \param stream  on all processes the same
  /// \param observer  on all processes with the same answers
  /// Collective.
  template <Kernel K, Real S>
  [[nodiscard]] FeatureSolution<S> solve_rows(const K& kernel, const RowSpace& spread,
                                              SampleStreamView<S> stream,
                                              const KernelRequest& request,
                                              const Observer& observer) const {
    detail::require_number("DoublyStochastic", request.pairs.components,
                           "FeaturePca takes fractions");
    start_stream(stream);
    std::optional<ShuffledStream<S>> shuffled;
    if (params_.shuffle && stream.rows() != endless)
      shuffled.emplace(stream, ShuffleParams{.seed = params_.seed});
    const KernelView<Matrix<S>> view(kernel);
    detail::BatchReader<S> reader(shuffled ? SampleStreamView<S>(*shuffled) : stream, view);
    if (checkpoints_.every > 0 || checkpoints_.resume) reader.keep_digest();
    Matrix<S> first = reader.first(params_.start_rows);
    const SampleBounds bounds = sample_bounds(first);
    const auto map = map_.template bind<S>(kernel, bounds, params_.seed);
    FeatureSolution<S> solution =
        detail::DoublyStochasticFit<S>(view, spread, reader, std::move(first), params_,
                                       checkpoints_, request, observer)
            .solve(map, detail::describe(kernel), map_in_words());
    solution.bounds = bounds;
    return solution;
  }

  /// Functions of two views by the steps of PairRun; see PairSolver. The start is the method itself
  /// on block 0 and the first rows, of which 1024 or more are better than the default. The other
  /// solver may have another map and another seed.
  ///
  /// At the end, params.evaluation_rows pairs of one more pass, or the first ones again, rotate the
  /// functions. Kernel SVD: to the eigenvectors of W, and functions to norm 1. Kernel CCA: to the
  /// functions in the two spans that are correlated most, with variance 1; the values are these
  /// correlations. Signs: the largest coefficient of each function of view x is positive.
  ///
  /// The ridges of kernel CCA are shares of the variance of the features of block 0 at the first
  /// rows. If none is given, the share is 1/n, or zero for a stream without end.
  /// The residuals of the solution are those of the problem in the features, over the pairs of the
  /// evaluation; for kernel CCA, of the functions in the two spans that solve it with the ridge.
  /// They cannot be seen to be smaller than about (k(x, x) E g^2 / rows)^(1/2), unless all pairs
  /// are evaluated. Then there are error bounds too, for kernel CCA if both views have a ridge.
  /// Status: Finished after all steps; with a params.tolerance, Converged if all residuals are
  ///   within tolerance times the largest |C_xy g| of the components (for view y, |C_yx f|), else
  ///   NotConverged. NotConverged also if the stream ended before or the steps diverged; and, for
  ///   ridges kappa > 0 and steps of sum S, if S kappa rho < 2 for the last correlation rho,
  ///   because functions of small variance then still move. NotConverged also for fewer pairs of
  ///   functions than were asked for, unless a view varies in no more directions: report_x and
  ///   report_y then count the others as zero_eigenvalues.
  /// Cost: as solve() for each view; features are evaluated twice at the rows of the evaluation.
  /// Memory: beside that of the run, some 8 k doubles for each feature of a view at the end.
  /// Random: params.seed of each solver for its map; that of this one for all else.
  /// Throws InvalidArgument as solve(), for other parameters of the other solver, for kernel
  ///   CCA if a view is constant in the first rows, and if neither the number of steps nor their
  ///   decay is known.
  template <FeatureMap G, Kernel Kx, Kernel Ky, Real S>
  [[nodiscard]] PairSolution<S> solve_pairs(const Kx& kernel_x, const DoublyStochastic<G>& other,
                                            const Ky& kernel_y, SampleStreamView<S> stream,
                                            Index columns_x, const PairRequest& request,
                                            const mercer::PairCheckpoints& checkpoints = {},
                                            const Observer& observer = {}) const {
    DoublyStochasticParams others = other.params();
    others.seed = params_.seed;
    if (others != params_)
      detail::fail(
          "mercer::DoublyStochastic: the solvers of two views may differ in map and seed "
          "only");
    if (checkpoints_.every > 0 || checkpoints_.resume)
      detail::fail("mercer::DoublyStochastic: give the checkpoints of pairs to fit()");
    checkpoints.validate();
    start_stream(stream);
    std::optional<ShuffledStream<S>> shuffled;
    if (params_.shuffle && stream.rows() != endless)
      shuffled.emplace(stream, ShuffleParams{.seed = params_.seed});
    detail::BatchReader<S> reader("DoublyStochastic",
                                  shuffled ? SampleStreamView<S>(*shuffled) : stream,
                                  detail::check_domains<S>(kernel_x, kernel_y, columns_x));
    if (checkpoints.every > 0 || checkpoints.resume) reader.keep_digest();
    Matrix<S> first = reader.first(params_.start_rows);
    const SampleBounds bounds_x = sample_bounds(first.leftCols(columns_x)),
                       bounds_y = sample_bounds(first.rightCols(first.cols() - columns_x));
    const auto map_x = map_.template bind<S>(kernel_x, bounds_x, params_.seed);
    const auto map_y = other.map().template bind<S>(kernel_y, bounds_y, other.params().seed);
    PairSolution<S> solution =
        detail::StochasticPairFit<S>(reader, std::move(first), columns_x, params_, checkpoints,
                                     request, observer)
            .solve(map_x, map_y, {detail::describe(kernel_x), map_in_words()},
                   {detail::describe(kernel_y), other.map_in_words()}, other.params().seed);
    solution.x.bounds = bounds_x;
    solution.x.seed = params_.seed;
    solution.y.bounds = bounds_y;
    solution.y.seed = other.params().seed;
    return solution;
  }

 private:
  template <FeatureMap G>
  friend class DoublyStochastic;

  template <Real S>
  void start_stream(SampleStreamView<S> stream) const {
    if (stream.seekable() && stream.rows() == endless && params_.steps == 0)
      detail::fail("mercer::DoublyStochastic: ", stream.name(),
                   " does not end; say how many steps");
    if (stream.seekable()) stream.seek({});
  }

  [[nodiscard]] std::string map_in_words() const {
    if constexpr (HasDescription<F>)
      return map_.describe();
    else
      return "without a description";
  }

  F map_;
  DoublyStochasticParams params_;
  DoublyStochasticCheckpoints checkpoints_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DOUBLY_STOCHASTIC_HPP
