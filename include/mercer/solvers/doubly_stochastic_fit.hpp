// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit by doubly stochastic gradients: the start, the steps, and the components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_FIT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic_run.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer {

struct DoublyStochasticParams {
  StochasticRule rule = StochasticRule::Oja;
  Index blocks = 64;       ///< of features in all
  Index data_batch = 512;  ///< samples in a step
  Index epochs = 1;        ///< passes over the samples, or more steps where those are few:
  /// Steps; 0: as many as the passes take, and at least 16 for each block.
  Index steps = 0;
  /// eta_t = step / (1 + decay t). Unset: 1 / ell_1, and step times half the smallest gap between
  /// the eigenvalues ell that the rule must tell apart, as the start has them; at least 16 / steps.
  std::optional<double> step = {};
  std::optional<double> decay = {};
  Index start_rows = 512;         ///< samples that the start and the step are found from
  Index evaluation_rows = 32768;  ///< samples that eigenvalues and means are found from at the end
  bool shuffle = true;            ///< where the stream can seek: another order in each pass
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for values out of range.
  void validate() const {
    constexpr const char* who = "DoublyStochastic";
    detail::require_at_least(who, "blocks", blocks, Index{1});
    detail::require_at_least(who, "data_batch", data_batch, Index{2});
    detail::require_at_least(who, "epochs", epochs, Index{1});
    detail::require_at_least(who, "steps", steps, Index{0});
    detail::require_at_least(who, "start_rows", start_rows, Index{2});
    detail::require_at_least(who, "evaluation_rows", evaluation_rows, Index{2});
    if (step) detail::require_positive(who, "step", *step);
    if (decay && !(*decay >= 0 && std::isfinite(*decay)))
      detail::fail("mercer::DoublyStochastic: decay must be finite and not negative, got ", *decay);
  }
};

/// Where a run begins.
template <Real S>
struct DoublyStochasticStart {
  Matrix<S> coefficients;      ///< of block 0: k orthonormal functions of its features
  Vector<double> eigenvalues;  ///< ell, of the covariance of all features of block 0, descending
  double diagonal = 0;         ///< mean of k(x, x)
};

namespace detail {

/// The start from Z = Z_0(X); see doubly_stochastic_start.
template <Real S>
[[nodiscard]] DoublyStochasticStart<S> start_from_features(Matrix<S> z, Index k, bool centered,
                                                           std::uint64_t seed) {
  DoublyStochasticStart<S> start;
  const auto n = static_cast<double>(z.rows());
  start.diagonal = static_cast<double>(column_products(z, z).sum()) / n;
  if (centered) centre_columns(z);
  const Matrix<double> features = z.template cast<double>();
  // The smaller one of the two matrices with these eigenvalues.
  const bool tall = features.rows() >= features.cols();
  const Matrix<double> wide = tall ? Matrix<double>(features.transpose()) : features;
  const EigenSystem<double> eigen =
      symmetric_eigensystem<double>(inner(wide.transpose(), wide.transpose()) / n);
  start.eigenvalues = eigen.values.cwiseMax(0.0);
  const double noise = double{rounding_level<S>(z.cols())} * start.diagonal;
  const Index rank = (std::min)(k, Index{(start.eigenvalues.array() > noise).count()});
  Matrix<double> basis = eigen.vectors.leftCols(rank);
  if (!tall) basis = orthonormalize(multiply(features.transpose(), basis)).Q;
  const Matrix<double> rest =
      normal_matrix<double>(z.cols(), k - rank, seed, "doubly stochastic start");
  start.coefficients.resize(z.cols(), k);
  start.coefficients.leftCols(rank) = basis.template cast<S>();
  start.coefficients.rightCols(k - rank) = orthogonalize_against(basis, rest).Q.template cast<S>();
  return start;
}

}  // namespace detail

/// The k leading principal components of the features of block 0 at some samples; directions in
/// which these do not vary are filled up at random, for others may.
///
/// Cost: O(m^2 (n + m)) for m = min(n, columns). Random: seed, purpose "doubly stochastic start".
/// Throws InvalidArgument for fewer features than components.
template <BoundFeatureMap B>
[[nodiscard]] DoublyStochasticStart<typename B::Scalar> doubly_stochastic_start(
    const B& map, const Matrix<typename B::Scalar>& samples, Index k, bool centered,
    std::uint64_t seed) {
  using S = typename B::Scalar;
  detail::require_enough_features("DoublyStochastic, in a block", k, map.columns());
  return detail::start_from_features<S>(block_features(map, 0, samples), k, centered, seed);
}

namespace detail {

/// The schedule, with steps for the eigenvalues of the start where none are given: the step is at
/// most 1 / ell_1, and step / decay twice the 1 / gap that the rate 1/t asks for, as the gap is
/// known from few samples only. But the last of \p steps steps, where that is known, are to be
/// much shorter than the first, or the functions would be those of the last few blocks.
template <Real S>
[[nodiscard]] DoublyStochasticSchedule schedule_for(const DoublyStochasticParams& params,
                                                    bool centered, Index k, Index steps,
                                                    const DoublyStochasticStart<S>& start) {
  constexpr double shortening = 16;
  const Vector<double>& ell = start.eigenvalues;
  const auto value = [&](Index i) { return i < ell.size() ? ell(i) : 0.0; };
  double largest = value(0);
  if (largest <= 1e-6 * start.diagonal) largest = start.diagonal;  // nothing but rounding so far
  const double step = params.step.value_or(largest > 0 ? 1 / largest : 1.0);
  double gap = value(k - 1) - value(k);
  if (params.rule == StochasticRule::Gha)
    for (Index i = 0; i + 1 < k; ++i) gap = (std::min)(gap, value(i) - value(i + 1));
  // Components that are nearly equal cannot be told apart, and need not be.
  gap = (std::max)({gap, value(k - 1) / 10, largest / 100});
  const double least = steps > 0 ? shortening / static_cast<double>(steps) : 0.0;
  return {.rule = params.rule,
          .blocks = params.blocks,
          .step = step,
          .decay = params.decay.value_or((std::max)(step * gap / 2, least)),
          .centered = centered};
}

/// A run of the method over a stream; solve() once.
template <Real S>
class DoublyStochasticFit {
 public:
  /// \param first  rows that were read already, for the start
  DoublyStochasticFit(BatchReader<S>& reader, Matrix<S> first, const DoublyStochasticParams& params,
                      const DoublyStochasticCheckpoints& checkpoints, const KernelRequest& request,
                      const Observer& observer)
      : reader_(reader),
        first_(std::move(first)),
        params_(params),
        checkpoints_(checkpoints),
        request_(request),
        observer_(observer) {}

  /// \param features  of which kernel and by which map, in words
  template <BoundFeatureMap B>
  [[nodiscard]] FeatureSolution<S> solve(const B& map, const std::string& features) {
    const Components& components = request_.pairs.components;
    const DoublyStochasticStart<S> start =
        doubly_stochastic_start(map, first_, components.count(), request_.centered, params_.seed);
    const DoublyStochasticSchedule schedule =
        schedule_for(params_, request_.centered, components.count(), steps_wanted(), start);
    columns_ = map.columns();
    fit_ = in_words(features);
    DoublyStochasticRun<S> run(
        map,
        checkpoints_.resume
            ? resumed(*checkpoints_.resume)
            : DoublyStochasticState<S>{schedule, start.coefficients, params_.blocks > 1 ? 1 : 0, 0},
        request_.memory_budget);
    iterate(run);
    evaluate(run);
    describe(run, run.schedule());
    return std::move(solution_);
  }

 private:
  [[nodiscard]] Index batch_rows() const { return (std::min)(params_.data_batch, reader_.rows()); }

  /// Steps to be done; 0: until the passes are over.
  [[nodiscard]] Index steps_wanted() const {
    if (params_.steps > 0 || reader_.rows() == endless) return params_.steps;
    const Index passes = (params_.epochs * reader_.rows() + batch_rows() - 1) / batch_rows();
    return (std::max)(passes, 16 * params_.blocks);
  }

  /// Everything on which the steps depend, and a checkpoint must agree with.
  [[nodiscard]] std::string in_words(const std::string& features) const {
    const std::string rows =
        reader_.rows() == endless ? "samples without end" : to_text(reader_.rows()) + " samples";
    return features + " on " + rows + " of dimension " + to_text(reader_.dimension()) + " in " +
           std::string(to_string(precision_of<S>)) + " precision" +
           (request_.centered ? "" : ", not centred") + ", " +
           to_text(request_.pairs.components.count()) + " components, rule " +
           std::string(to_string(params_.rule)) + ", " + to_text(params_.blocks) + " blocks of " +
           to_text(columns_) + " features, batches of " + to_text(batch_rows()) +
           (params_.shuffle ? "" : " in order") + ", seed " + to_text(params_.seed);
  }

  [[nodiscard]] DoublyStochasticState<S> resumed(const DoublyStochasticCheckpoint& from) const {
    if (from.fit != fit_)
      fail("mercer::DoublyStochastic: the checkpoint is of another fit: ", from.fit,
           "; this one is: ", fit_);
    if (from.run.schedule.blocks != params_.blocks)
      fail("mercer::DoublyStochastic: the checkpoint has ", from.run.schedule.blocks,
           " blocks, this fit has ", params_.blocks);
    reader_.resume(from.position, from.passes);
    return {from.run.schedule, from.run.coefficients.template cast<S>(), from.run.next_block,
            from.run.steps};
  }

  void hand_out(const DoublyStochasticRun<S>& run) const {
    const DoublyStochasticState<S> state = run.state();
    checkpoints_.visit({.fit = fit_,
                        .run = {state.schedule, state.coefficients.template cast<double>(),
                                state.next_block, state.steps},
                        .position = reader_.position(),
                        .passes = reader_.passes()});
  }

  void iterate(DoublyStochasticRun<S>& run) {
    const Index wanted = steps_wanted(), rows = batch_rows();
    Report& report = solution_.report;
    if (request_.centered && rows < 2) return;  // one sample does not vary
    Matrix<S> batch;
    while (wanted > 0 ? run.steps() < wanted : reader_.passes() < params_.epochs) {
      if (!go_on(observer_, {"doubly stochastic steps", run.steps(), wanted})) {
        report.status = Status::Cancelled;
        if (checkpoints_.every > 0) hand_out(run);
        return;
      }
      if (!reader_.fill(rows, batch)) {
        if (wanted > 0 || run.steps() == 0) {
          report.status = Status::NotConverged;
          report.reason = "the stream ended after " + to_text(run.steps()) + " steps";
        }
        return;
      }
      if (!run.partial_fit(batch)) {
        report.status = Status::NotConverged;
        report.reason = "the steps diverged after " + to_text(run.steps());
        return;
      }
      if (checkpoints_.every > 0 && run.steps() % checkpoints_.every == 0) hand_out(run);
    }
  }

  /// Eigenvalues, means and the rotation to components, from another pass where there is one, else
  /// from the first rows. Column sums of the features give the trace.
  void evaluate(DoublyStochasticRun<S>& run) {
    const Index features = run.blocks() * columns_;
    MomentSum<S> moments(run.components(), request_.centered);
    Vector<double> sums = Vector<double>::Zero(features);
    Vector<double> squares = Vector<double>::Zero(run.blocks());
    const auto with = [&](Index b, const Points<S>& z) {
      sums.segment(b * columns_, columns_) += z.colwise().sum().transpose().template cast<double>();
      squares(b) += static_cast<double>(z.squaredNorm());
    };
    const bool again = solution_.report.status != Status::Cancelled && reader_.rewind();
    Matrix<S> panel;
    const auto next_panel = [&] {
      const Index most =
          (std::min)(FeatureSum<S>::panel_rows, params_.evaluation_rows - moments.count());
      if (again) return reader_.read(most, panel);
      panel = first_.middleRows(moments.count(), (std::min)(most, first_.rows() - moments.count()));
    };
    for (next_panel(); panel.rows() > 0; next_panel()) {
      if (moments.count() > 0 && !go_on(observer_, {"evaluation", moments.count(), 0})) {
        solution_.report.status = Status::Cancelled;
        break;
      }
      moments.add(run.evaluate(panel, with));
    }
    const auto m = static_cast<double>(moments.count());
    trace_ = squares.sum();
    if (request_.centered) trace_ -= sums.squaredNorm() / m;
    trace_ /= static_cast<double>(run.blocks());
    diagonal_ = squares.sum() / static_cast<double>(run.blocks());
    set_components(run, moments);
  }

  /// mu = n ell for the eigenvalues ell of M; rotates the functions to its eigenvectors.
  void set_components(const DoublyStochasticRun<S>& run, const MomentSum<S>& moments) {
    Report& report = solution_.report;
    const Index one = request_.centered ? 1 : 0, n = reader_.samples(), m = moments.count();
    const double scale =
        m > one ? static_cast<double>(n - one) / static_cast<double>(m - one) : 1.0;
    report.trace = scale * trace_;
    EigenRequest pairs = request_.pairs;
    pairs.noise_scale = static_cast<double>(n) * diagonal_ / static_cast<double>(m);
    pairs.epsilon = std::numeric_limits<S>::epsilon();
    const EigenSystem<double> eigen = symmetric_eigensystem<double>(scale * moments.scatter());
    const Index k = select_components(eigen.values, n, pairs, report);
    const Matrix<double> rotation = eigen.vectors.leftCols(k);
    const Matrix<S> coefficients = run.state().coefficients;
    solution_.coefficients = multiply(coefficients, Matrix<S>(rotation.template cast<S>()));
    const Vector<S> signs = fix_signs(solution_.coefficients);
    solution_.eigenvalues = eigen.values.head(k).template cast<S>();
    solution_.offset = Vector<S>::Zero(k);
    if (request_.centered)
      solution_.offset =
          (rotation.transpose() * moments.mean()).template cast<S>().cwiseProduct(signs);
  }

  void describe(const DoublyStochasticRun<S>& run, const DoublyStochasticSchedule& schedule) {
    solution_.blocks = run.blocks();
    solution_.seed = params_.seed;
    Report& report = solution_.report;
    report.solver = "doubly-stochastic (" + std::string(to_string(params_.rule)) + ", " +
                    to_text(run.blocks()) + " blocks of " + to_text(columns_) + ")";
    report.precision = to_string(precision_of<S>);
    report.storage = run.kept_blocks() == run.blocks() ? "features kept" : "features redrawn";
    report.samples = reader_.samples();
    report.dimension = reader_.dimension();
    report.iterations = run.steps();
    report.bytes = run.bytes();
    if (!report.reason.empty()) report.reason += "; ";
    report.reason +=
        "steps " + to_text(schedule.step) + " / (1 + " + to_text(schedule.decay) + " t)";
  }

  BatchReader<S>& reader_;
  Matrix<S> first_;
  const DoublyStochasticParams& params_;
  const DoublyStochasticCheckpoints& checkpoints_;
  const KernelRequest& request_;
  const Observer& observer_;
  Index columns_ = 0;
  std::string fit_;                  // in words
  double trace_ = 0, diagonal_ = 0;  // sums over the rows of the evaluation
  FeatureSolution<S> solution_;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_FIT_HPP
