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
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/detail/sampled_residuals.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/doubly_stochastic_start.hpp>
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
  /// \param first  the rows read already, for the start
  DoublyStochasticFit(KernelView<Matrix<S>> kernel, BatchReader<S>& reader, Matrix<S> first,
                      const DoublyStochasticParams& params,
                      const DoublyStochasticCheckpoints& checkpoints, const KernelRequest& request,
                      const Observer& observer)
      : kernel_(std::move(kernel)),
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
    start_digest_ = reader_.digest();
    fit_ = settings(kernel_name, map_name);
    DoublyStochasticRun<S> run(
        map,
        checkpoints_.resume
            ? resumed(*checkpoints_.resume)
            : DoublyStochasticState<S>{schedule, start.coefficients, params_.blocks > 1 ? 1 : 0, 0},
        request_.memory_budget);
    if (solution_.report.status != Status::Cancelled) iterate(run);
    evaluate(run);
    describe(run, run.schedule());
    return std::move(solution_);
  }

 private:
  /// All settings that the steps depend on; a checkpoint must have the same.
  [[nodiscard]] std::vector<FitSetting> settings(const std::string& kernel_name,
                                                 const std::string& map_name) const {
    return steps_.settings({{"kernel", kernel_name},
                            {"map", map_name},
                            {"centering", request_.centered ? "by means" : "none"},
                            {"components", to_text(request_.pairs.components.count())}},
                           to_text(columns_));
  }

  [[nodiscard]] DoublyStochasticState<S> resumed(const DoublyStochasticCheckpoint& from) {
    steps_.require_same_fit(fit_, from.fit, from.start, start_digest_);
    if (from.run.schedule.blocks != params_.blocks)
      fail("mercer::DoublyStochastic: the checkpoint has ", from.run.schedule.blocks,
           " blocks, this fit has ", params_.blocks);
    if (steps_.read_again(from.read))
      reader_.resume(from.position, from.passes);
    else
      solution_.report.status = Status::Cancelled;
    return {from.run.schedule, from.run.coefficients.template cast<S>(), from.run.next_block,
            from.run.steps};
  }

  void hand_out(const DoublyStochasticRun<S>& run) const {
    const DoublyStochasticState<S> state = run.state();
    checkpoints_.visit({.fit = fit_,
                        .run = {state.schedule, state.coefficients.template cast<double>(),
                                state.next_block, state.steps},
                        .position = reader_.position(),
                        .passes = reader_.passes(),
                        .start = start_digest_,
                        .read = reader_.digest()});
  }

  void iterate(DoublyStochasticRun<S>& run) {
    if (request_.centered && steps_.batch_rows() < 2) return;  // one sample does not vary
    complete_ = steps_.iterate(
        run, [&](const Matrix<S>& batch) { return run.partial_fit(batch); }, checkpoints_.every,
        [&] { hand_out(run); }, solution_.report);
  }

  /// Eigenvalues, means and the rotation to components, from another pass if possible, else from
  /// the first rows. The trace comes from column sums of the features.
  void evaluate(DoublyStochasticRun<S>& run) {
    const Index features = run.blocks() * columns_;
    MomentSum<S> moments(run.components(), request_.centered);
    Vector<double> sums = Vector<double>::Zero(features);
    Vector<double> squares = Vector<double>::Zero(run.blocks());
    StreamedProducts<S> products(kernel_, first_, run.components());
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
      const Matrix<S> values = run.evaluate(panel, with);
      moments.add(values);
      products.add(panel, values * std::ldexp(S(1), -unit_));
    }
    const auto m = static_cast<double>(moments.count());
    trace_ = squares.sum();
    if (request_.centered) trace_ -= sums.squaredNorm() / m;
    trace_ /= static_cast<double>(run.blocks());
    diagonal_ = squares.sum() / static_cast<double>(run.blocks());
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
    if (report.status == Status::Cancelled) return;
    Vector<double> means = Vector<double>::Zero(run.components());
    if (request_.centered) means = moments.mean() * std::ldexp(1.0, -unit_);
    Matrix<double> at_rows = run.evaluate(first_).template cast<double>() * std::ldexp(1.0, -unit_);
    at_rows.rowwise() -= means.transpose();
    report.residuals = sampled_residuals<double>(
        multiply(products.sums(means), Matrix<double>(scale * rotation)),
        Vector<double>(eigen.values.head(k)), multiply(at_rows, rotation), request_.centered, n);
    for (double& residual : report.residuals) residual = std::ldexp(residual, unit_);
    if (first_.rows() < n || m < n) report.residual_rows = first_.rows();
    if (complete_) judge_residuals(params_.tolerance, solution_.eigenvalues, report);
  }

  void describe(const DoublyStochasticRun<S>& run, const DoublyStochasticSchedule& schedule) {
    solution_.blocks = run.blocks();
    solution_.seed = params_.seed;
    Report& report = solution_.report;
    report.solver = SolverId::DoublyStochastic;
    report.solver_form = std::string(to_string(params_.rule)) + ", " + to_text(run.blocks()) +
                         " blocks of " + to_text(columns_);
    report.precision = precision_of<S>;
    report.storage = run.kept_blocks() == run.blocks() ? "features kept" : "features redrawn";
    report.samples = reader_.samples();
    report.dimension = reader_.dimension();
    report.iterations = run.steps();
    report.bytes = run.bytes();
    add_reason("steps " + to_text(schedule.step) + " / (1 + " + to_text(schedule.decay) + " t)",
               report);
  }

  KernelView<Matrix<S>> kernel_;
  BatchReader<S>& reader_;
  Matrix<S> first_;
  const DoublyStochasticParams& params_;
  const DoublyStochasticCheckpoints& checkpoints_;
  const KernelRequest& request_;
  const Observer& observer_;
  StochasticSteps<S> steps_;
  Index columns_ = 0;
  std::vector<FitSetting> fit_;  // the settings of this fit
  SampleDigest start_digest_;
  bool complete_ = true;  // all steps were done
  int unit_ = 0;          // values of functions are divided by 2^unit, so that no product overflows
  double trace_ = 0, diagonal_ = 0;  // sums over the rows of the evaluation
  FeatureSolution<S> solution_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_DOUBLY_STOCHASTIC_FIT_HPP
