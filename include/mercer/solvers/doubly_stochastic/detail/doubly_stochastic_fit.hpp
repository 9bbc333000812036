// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One fit by doubly stochastic gradients: the start, the steps, and the components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_rows.hpp>
#include <mercer/features/detail/feature_sum.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/detail/drawn_rows.hpp>
#include <mercer/solvers/detail/sampled_residuals.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/block_expansion.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_start.hpp>
#include <mercer/solvers/doubly_stochastic/detail/feature_squares.hpp>
#include <mercer/solvers/doubly_stochastic/detail/stochastic_steps.hpp>
#include <mercer/solvers/doubly_stochastic/detail/streamed_products.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer::detail {

/// A run of the method over a stream; call solve() once.
template <Real S>
class DoublyStochasticFit {
 public:
  /// \param spread  rows that are in processes as those of batches are to be; all processes read
  ///   the same batches
  /// \param first   the rows read already, for the start
  DoublyStochasticFit(KernelView<Matrix<S>> kernel, const RowSpace& spread, BatchReader<S>& reader,
                      Matrix<S> first, const DoublyStochasticParams& params,
                      const DoublyStochasticCheckpoints& checkpoints, const KernelRequest& request,
                      const Observer& observer)
      : kernel_(std::move(kernel)),
        spread_(spread),
        reader_(reader),
        first_(std::move(first)),
        params_(params),
        checkpoints_(checkpoints),
        request_(request),
        observer_(observer),
        steps_(reader, params, observer) {
    solution_.report.reason = request.choice;
  }

  /// \param kernel_name, map_name  descriptions of the kernel and the map
  template <BoundFeatureMap B>
  [[nodiscard]] FeatureSolution<S> solve(const B& map, const std::string& kernel_name,
                                         const std::string& map_name) {
    const Components& components = request_.pairs.components;
    const DoublyStochasticStart<S> start =
        doubly_stochastic_start(map, first_, components.count(), request_.centered, params_.seed);
    const DoublyStochasticSchedule schedule =
        schedule_for(params_, request_.centered, components.count(), steps_.wanted(), start);
    columns_ = map.columns();
    if (start.diagonal > 0) unit_ = std::ilogb(std::sqrt(start.diagonal));
    steps_.identify({{"kernel", kernel_name},
                     {"map", map_name},
                     {"centering", request_.centered ? "by means" : "none"},
                     {"components", to_text(components.count())}},
                    to_text(columns_));
    DoublyStochasticState<S> state{schedule, start.coefficients, params_.blocks > 1 ? 1 : 0, 0};
    if (const auto& from = checkpoints_.resume) {
      if (!steps_.resume(*from)) solution_.report.status = Status::Cancelled;
      state = from->run.template cast<S>();
      add_reason(to_text(state.steps) + " steps were there already", solution_.report);
    }
    const bool cancelled = solution_.report.status == Status::Cancelled;
    if (!cancelled) plan(schedule.blocks, state.steps);
    const std::size_t beside = kept_ ? kept_->bytes() + held_ : 0;
    DoublyStochasticRun<S> run(map, std::move(state), request_.memory_budget - beside);
    if (kept_) keep_features(run);
    if (!cancelled) iterate(run);
    evaluate(run);
    describe(run, start.bytes);
    return std::move(solution_);
  }

 private:
  /// Makes room for the features of all samples if they fit the budget on all processes, and if a
  /// process would evaluate most of them twice or more.
  void plan(Index blocks, Index steps_done) {
    const Index n = reader_.rows(), wanted = steps_.wanted();
    const bool numbered = reader_.numbers_rows() && wanted > steps_done;
    bool keep = false;
    const Index used = (std::min)(blocks, wanted + 1);
    if (numbered) {
      const Index k = request_.pairs.components.count();
      // A step of the first ones needs the blocks up to its own.
      const double steps = static_cast<double>(wanted - (std::max)(steps_done, used / 2));
      const double rows = steps * static_cast<double>(steps_.batch_rows()) +
                          static_cast<double>((std::min)(n, params_.evaluation_rows));
      const double share =
          static_cast<double>(spread_.is_spread() ? Index{spread_.processes().size()} : Index{1});
      const double held = BlockExpansion<S>::bytes_for(steps_.batch_rows(), k, columns_, blocks);
      const double bytes = KeptFeatures<S>::bytes(n, columns_, used) + held;
      keep = rows >= 2 * share * static_cast<double>(n) &&
             bytes <= static_cast<double>(request_.memory_budget);
      held_ = static_cast<std::size_t>(held);
    }
    if (!spread_.all(keep)) return;
    kept_.emplace(n, columns_, used);
    add_reason("features of all samples kept, " + megabytes(kept_->bytes()), solution_.report);
  }

  void keep_features(DoublyStochasticRun<S>& run) {
    constexpr Index most = 2 * FeatureSum<S>::panel_rows;
    reader_.visit_all(most, [&](const std::vector<Index>& numbers, const Matrix<S>& samples) {
      run.keep(*kept_, numbers, samples);
    });
  }

  void iterate(DoublyStochasticRun<S>& run) {
    if (request_.centered && steps_.batch_rows() < 2) return;  // one sample does not vary
    const auto step = [&](const FeatureRows<S>& batch) {
      const RowSpace rows = spread_.of_size(batch.size());
      return run.partial_fit(rows, batch.middle(rows.first(), rows.local()));
    };
    const auto hand_out = [&] {
      checkpoints_.visit(steps_.checkpoint(run.state().template cast<double>()));
    };
    Report& report = solution_.report;
    if (kept_)
      complete_ = steps_.iterate(
          run, std::vector<Index>(),
          [&](const std::vector<Index>& numbers) { return step(FeatureRows<S>(*kept_, numbers)); },
          checkpoints_.every, hand_out, report);
    else
      complete_ = steps_.iterate(
          run, Matrix<S>(), [&](const Matrix<S>& batch) { return step(Points<S>(batch)); },
          checkpoints_.every, hand_out, report);
  }

  /// Eigenvalues, means and the rotation to components, from another pass if possible, else from
  /// the first rows. The trace comes from column sums of the features.
  void evaluate(DoublyStochasticRun<S>& run) {
    const Index features = run.blocks() * columns_;
    MomentSum<S> moments(run.components(), request_.centered);
    FeatureSquares squares(features);
    StreamedProducts<S> products(kernel_, first_, run.components());
    const auto take = [&](const Matrix<S>& panel, const std::vector<Index>& numbers) {
      const RowSpace rows = spread_.of_size(panel.rows());
      // For each tile of the panel, what FeatureSquares takes: sums of its features, and squares of
      // its blocks.
      const Index tiles = tile_count(panel.rows());
      Matrix<double> tile_sums = Matrix<double>::Zero(features + run.blocks(), tiles);
      const auto with = [&](Index b, Index first, const Points<S>& z) {
        auto sums_of_tile = tile_sums.col((rows.first() + first) / tile_size);
        sums_of_tile(features + b) =
            FeatureSquares::of_rows<S>(z, sums_of_tile.segment(b * columns_, columns_));
      };
      const Matrix<S> values = [&] {
        const PhaseTimer timer(Phase::Scores);
        const Points<S> samples = panel;
        const FeatureRows<S> all =
            numbers.empty() ? FeatureRows<S>(samples) : FeatureRows<S>(*kept_, numbers);
        return rows.everywhere(run.evaluate(all.middle(rows.first(), rows.local()), with));
      }();
      // Each has one summand that may differ from 0.
      if (rows.is_spread())
        rows.processes().sum({tile_sums.data(), static_cast<std::size_t>(tile_sums.size())});
      for (Index t = 0; t < tiles; ++t)
        squares.add(Range::tile(t, panel.rows()).size, tile_sums.col(t).head(features),
                    tile_sums.col(t).tail(run.blocks()).sum());
      moments.add(values);
      products.add(panel, values * std::ldexp(S(1), -unit_));
    };
    steps_.evaluate(first_, kept_.has_value(), take, solution_.report);
    const auto blocks = static_cast<double>(run.blocks());
    diagonal_ = squares.about_zero() / blocks;
    trace_ = request_.centered ? squares.about_means() / blocks : diagonal_;
    set_components(run, moments, products);
  }

  /// mu = n ell for the eigenvalues ell of M. Rotates the functions to the eigenvectors of M, and
  /// estimates their residuals from the first rows.
  void set_components(DoublyStochasticRun<S>& run, const MomentSum<S>& moments,
                      const StreamedProducts<S>& products) {
    Report& report = solution_.report;
    const Index one = request_.centered ? 1 : 0, n = reader_.samples(), m = moments.count();
    const double scale =
        m > one ? static_cast<double>(n - one) / static_cast<double>(m - one) : 1.0;
    report.trace = scale * trace_;
    EigenRequest pairs = request_.pairs;
    pairs.noise_scale = static_cast<double>(n) * diagonal_ / static_cast<double>(m);
    pairs.epsilon = std::numeric_limits<S>::epsilon();
    const EigenSystem<double> eigen = eigensystem_of(scale * moments.scatter());
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
    if (report.status == Status::Cancelled) return;
    const Vector<double> means = request_.centered
                                     ? products.mean()
                                     : Vector<double>(Vector<double>::Zero(run.components()));
    const Matrix<S> values = run.evaluate(first_);
    Matrix<double> at_rows = values.template cast<double>() * std::ldexp(1.0, -unit_);
    at_rows.rowwise() -= means.transpose();
    const DrawnRows first_rows = uniform_rows(all_rows(first_.rows()).rows, n);
    report.residuals =
        sampled_residuals<double>(multiply(products.sums(means), Matrix<double>(scale * rotation)),
                                  Vector<double>(eigen.values.head(k)), multiply(at_rows, rotation),
                                  unit_, request_.centered, n, first_rows);
    const Vector<double> moved = moved_by_rounding(run, values, rotation);
    // Coefficients and scores are rounded once more. The scores of a small component contain so
    // much of the largest one, which K multiplies by mu_1 and the errors of kernel values.
    const double rounding =
        rounding_noise<double>(pairs) +
        noise_ulps * double{std::numeric_limits<S>::epsilon()} * (k > 0 ? eigen.values(0) : 0.0);
    for (Index i = 0; i < k; ++i) {
      const double mu = eigen.values(i), largest = eigen.values(0);
      report.residuals[static_cast<std::size_t>(i)] +=
          rounding * std::sqrt(largest / mu) + largest * moved(i) / std::sqrt(mu);
    }
    if (first_.rows() < n || m < n) report.residual_rows = first_.rows();
    if (complete_) judge_residuals(params_.tolerance, solution_.eigenvalues, report);
  }

  /// |delta| for the change delta of each component's scores if every sample is rounded once more,
  /// from some of the first rows. Features of samples that are far from the origin, in units of the
  /// kernel's length, have lost their digits to it: then scores differ wherever they are computed
  /// in another order, and |K delta - mu delta| <= mu_1 |delta|. Samples that hardly differ change
  /// by nearly the same number, whose size one draw does not tell: twice the largest of some draws.
  /// \param values  of the functions at the first rows
  /// Random: params.seed, purpose "rounded samples".
  [[nodiscard]] Vector<double> moved_by_rounding(DoublyStochasticRun<S>& run,
                                                 const Matrix<S>& values,
                                                 const Matrix<double>& rotation) const {
    constexpr int draws = 8;
    constexpr Index most_rows = 64;
    const Index count = (std::min)(first_.rows(), most_rows);
    RandomStream stream(params_.seed, "rounded samples");
    Vector<double> largest = Vector<double>::Zero(rotation.cols());
    for (int draw = 0; draw < draws; ++draw) {
      Matrix<S> rounded = first_.topRows(count);
      for (S& entry : rounded.reshaped())
        entry *= 1 + (stream.uniform() < 0.5 ? S(1) : S(-1)) * std::numeric_limits<S>::epsilon();
      const Matrix<double> change = multiply(
          Matrix<double>((run.evaluate(rounded) - values.topRows(count)).template cast<double>()),
          rotation);
      largest = largest.cwiseMax(change.colwise().norm().transpose());
    }
    const double rows = static_cast<double>(reader_.samples()) / static_cast<double>(count);
    return 2 * std::sqrt(rows) * largest;
  }

  /// No pairs if steps that diverged have left values whose squares overflow.
  [[nodiscard]] EigenSystem<double> eigensystem_of(const Matrix<double>& scatter) {
    if (scatter.allFinite()) return symmetric_eigensystem<double>(scatter);
    complete_ = false;
    add_reason(overflow_reason, solution_.report);
    return {Vector<double>(0), Matrix<double>(scatter.rows(), 0)};
  }

  void describe(const DoublyStochasticRun<S>& run, std::size_t start_bytes) {
    solution_.blocks = run.blocks();
    solution_.seed = params_.seed;
    solution_.report.dimension = reader_.dimension();
    steps_.describe(run, run.blocks(), solution_.report);
    std::size_t& bytes = solution_.report.bytes;
    if (kept_) {
      bytes += kept_->bytes();
      solution_.report.storage = "features of all samples kept";
    }
    bytes = (std::max)(bytes, start_bytes);
  }

  KernelView<Matrix<S>> kernel_;
  RowSpace spread_;
  BatchReader<S>& reader_;
  Matrix<S> first_;
  const DoublyStochasticParams& params_;
  const DoublyStochasticCheckpoints& checkpoints_;
  const KernelRequest& request_;
  const Observer& observer_;
  StochasticSteps<S> steps_;
  std::optional<KeptFeatures<S>> kept_;
  std::size_t held_ = 0;  // bytes of the run beside kept features and parameters
  Index columns_ = 0;
  bool complete_ = true;  // all steps were done
  int unit_ = 0;          // values of functions are divided by 2^unit, so that no product overflows
  double trace_ = 0, diagonal_ = 0;  // sums over the rows of the evaluation
  FeatureSolution<S> solution_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP
