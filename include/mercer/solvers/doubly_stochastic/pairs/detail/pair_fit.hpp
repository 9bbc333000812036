// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One stochastic fit of pairs: the start, the steps, and the components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_FIT_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_FIT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/moment_sum.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/solvers/doubly_stochastic/detail/batch_reader.hpp>
#include <mercer/solvers/doubly_stochastic/detail/stochastic_steps.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/pair_evaluation.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/detail/pair_start.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_checkpoint.hpp>
#include <mercer/solvers/doubly_stochastic/pairs/pair_run.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// Kernel and map of a view, in words.
struct ViewNames {
  std::string kernel, map;
};

/// A run over a stream of rows [x_i y_i]; call solve() once.
/// Lifetime: refers to all that it is made of.
template <Real S>
class StochasticPairFit {
 public:
  /// \param first  the rows read already, for the start
  StochasticPairFit(BatchReader<S>& reader, Matrix<S> first, Index columns_x,
                    const DoublyStochasticParams& params, const PairCheckpoints& checkpoints,
                    const PairRequest& request, const Observer& observer)
      : reader_(reader),
        first_(std::move(first)),
        columns_x_(columns_x),
        params_(params),
        checkpoints_(checkpoints),
        request_(request),
        observer_(observer),
        steps_(reader, params, observer) {
    report_.reason = request.choice;
  }

  /// \param seed_y  of the map of view y; that of view x has the seed of the parameters
  template <BoundFeatureMap Bx, BoundFeatureMap By>
  [[nodiscard]] PairSolution<S> solve(const Bx& map_x, const By& map_y, const ViewNames& names_x,
                                      const ViewNames& names_y, std::uint64_t seed_y) {
    const Index k = request_.components;
    const PairStart<S> start =
        pair_start<S>(request_.method, block_features(map_x, 0, view_x(first_)),
                      block_features(map_y, 0, view_y(first_)), k, request_.centered, params_.seed);
    set_ridges(start);
    const PairSchedule schedule =
        pair_schedule(params_, request_, steps_.wanted(), start, solution_.kappa_x.value_or(0),
                      solution_.kappa_y.value_or(0));
    if (steps_.batch_rows() < schedule.least_batch())
      fail("mercer::DoublyStochastic: steps need batches of at least ", schedule.least_batch(),
           " pairs, got ", steps_.batch_rows());
    steps_.identify(problem(names_x, names_y, seed_y),
                    to_text(map_x.columns()) + " and " + to_text(map_y.columns()));
    PairRunState<S> state{.schedule = schedule,
                          .x = start.x,
                          .y = start.y,
                          .next_block = params_.blocks > 1 ? 1 : 0,
                          .steps = 0,
                          .step_sum = 0,
                          .mean_moments = {}};
    if (const auto& from = checkpoints_.resume) {
      if (!steps_.resume(*from)) report_.status = Status::Cancelled;
      state = from->run.template cast<S>();
    }
    PairRun<S> run(map_x, map_y, std::move(state), request_.memory_budget / 2);
    if (report_.status != Status::Cancelled)
      complete_ = steps_.iterate(
          run, Matrix<S>(),
          [&](const Matrix<S>& batch) { return run.partial_fit(view_x(batch), view_y(batch)); },
          checkpoints_.every,
          [&] { checkpoints_.visit(steps_.checkpoint(run.state().template cast<double>())); },
          report_);
    evaluate(run);
    describe(run, start);
    return std::move(solution_);
  }

 private:
  [[nodiscard]] Points<S> view_x(const Matrix<S>& rows) const { return rows.leftCols(columns_x_); }
  [[nodiscard]] Points<S> view_y(const Matrix<S>& rows) const {
    return rows.rightCols(rows.cols() - columns_x_);
  }

  /// kappa = eps tr(C), where the features of block 0 at the first rows give the trace. The default
  /// of eps is 1/n; without an end of the stream, none.
  void set_ridges(const PairStart<S>& start) {
    if (request_.method != PairMethod::Cca) return;
    const bool ends = reader_.rows() != endless;
    const double guess = ends ? 1 / static_cast<double>(reader_.rows()) : 0;
    const double eps = request_.regularization_x.value_or(guess);
    solution_.kappa_x = eps * start.trace_x;
    solution_.kappa_y = request_.regularization_y.value_or(eps) * start.trace_y;
  }

  /// What a checkpoint of the same fit must have.
  [[nodiscard]] std::vector<FitSetting> problem(const ViewNames& x, const ViewNames& y,
                                                std::uint64_t seed_y) const {
    std::vector<FitSetting> settings = {
        {"columns of view x", to_text(columns_x_)},
        {"method", std::string(to_string(request_.method))},
        {"kernel of view x", x.kernel},
        {"kernel of view y", y.kernel},
        {"map of view x", x.map},
        {"map of view y", y.map},
        {"seed of view y", to_text(seed_y)},  // that of view x is params_.seed
        {"centering", request_.centered ? "by means" : "none"},
        {"components", to_text(request_.components)},
    };
    if (solution_.kappa_x) settings.push_back({"ridge of view x", to_text(*solution_.kappa_x)});
    if (solution_.kappa_y) settings.push_back({"ridge of view y", to_text(*solution_.kappa_y)});
    return settings;
  }

  /// The moments of the functions over another pass if possible, else over the first rows.
  void evaluate(PairRun<S>& run) {
    const Index k = run.components();
    MomentSum<S> sum(2 * k, true);
    const PairRunState<S> state = run.state();
    FeatureProducts<S> x(run.blocks(), state.x.rows() / run.blocks(), 2 * k),
        y(run.blocks(), state.y.rows() / run.blocks(), 2 * k);
    const auto take = [&](const Matrix<S>& panel, const std::vector<Index>&) {
      Matrix<S> values(panel.rows(), 2 * k);
      values.leftCols(k) = run.evaluate_x(view_x(panel));
      values.rightCols(k) = run.evaluate_y(view_y(panel));
      sum.add(values);
      static_cast<void>(run.evaluate_x(view_x(panel), x.adding(values)));
      static_cast<void>(run.evaluate_y(view_y(panel), y.adding(values)));
    };
    steps_.evaluate(first_, false, take, report_);
    const PairMoments moments(sum, request_.centered);
    const PairRotation rotation = rotation_of(moments);
    solution_.values = rotation.values;
    count_directions(moments);
    solution_.training_correlations =
        rotated_correlations<double>(moments, rotation, request_.centered);
    solution_.details.evaluation_rows = moments.rows;
    // Sums, images of the functions, and products with these.
    evaluation_bytes_ = 4 * (x.bytes() + y.bytes());
    if (report_.status != Status::Cancelled) set_residuals(state, moments, rotation, x, y);
    const Vector<S> signs = expand(state.x, rotation.a, moments.mean_u, solution_.x);
    static_cast<void>(expand(state.y, rotation.b, moments.mean_v, solution_.y));
    for (FeatureExpansion<S>* side : {&solution_.x, &solution_.y}) {
      side->coefficients *= signs.asDiagonal();
      side->offset = side->offset.cwiseProduct(signs).eval();
      side->blocks = run.blocks();
    }
  }

  [[nodiscard]] PairRotation rotation_of(const PairMoments& moments) {
    if (moments.finite())
      return request_.method == PairMethod::Svd ? singular_rotation<S>(moments)
                                                : canonical_rotation<S>(moments);
    complete_ = false;
    add_reason(overflow_reason, report_);
    return PairRotation::none(moments.uu.rows());
  }

  /// The evaluation has no more pairs of functions than a view has directions in which its
  /// functions vary.
  void count_directions(const PairMoments& moments) {
    if (!moments.finite()) return;
    directions_ = (std::min)(varying_directions<S>(moments.uu, moments.size_u, moments.rows),
                             varying_directions<S>(moments.vv, moments.size_v, moments.rows));
  }

  void set_residuals(const PairRunState<S>& state, const PairMoments& moments,
                     const PairRotation& rotation, const FeatureProducts<S>& x,
                     const FeatureProducts<S>& y) {
    Vector<double> means;
    if (request_.centered) {
      means.resize(moments.mean_u.size() + moments.mean_v.size());
      means << moments.mean_u, moments.mean_v;
    }
    const double kappa_x = solution_.kappa_x.value_or(0), kappa_y = solution_.kappa_y.value_or(0);
    PairResiduals residuals = pair_residuals<S>(
        request_.method, moments, rotation,
        ViewImages(state.x, x.blocks(), x.means(moments.rows, means), true, kappa_x),
        ViewImages(state.y, y.blocks(), y.means(moments.rows, means), false, kappa_y));
    solution_.residuals_x = std::move(residuals.x);
    solution_.residuals_y = std::move(residuals.y);
    if (moments.rows == reader_.samples()) solution_.error_bounds = std::move(residuals.bounds);
    worst_residual_ = residuals.worst;
  }

  /// The functions after the rotation. Returns the signs that make their largest coefficients
  /// positive.
  [[nodiscard]] Vector<S> expand(const Matrix<S>& coefficients, const Matrix<double>& rotation,
                                 const Vector<double>& means, FeatureExpansion<S>& out) const {
    out.coefficients = multiply(coefficients, Matrix<S>(rotation.template cast<S>()));
    out.offset = Vector<S>::Zero(rotation.cols());
    if (request_.centered) out.offset = (rotation.transpose() * means).template cast<S>();
    Matrix<S> oriented = out.coefficients;
    return fix_signs(oriented);
  }

  void describe(const PairRun<S>& run, const PairStart<S>& start) {
    StochasticPairDetails& details = solution_.details;
    details.steps = run.steps();
    details.step_sum = run.step_sum();
    details.implicit_ridge = run.step_sum() > 0 ? 1 / run.step_sum() : 0;
    judge();
    report_.components = solution_.values.size();
    report_.components_requested = request_.components;
    steps_.describe(run, 2 * run.blocks(), report_);
    report_.bytes = (std::max)(start.bytes, report_.bytes + evaluation_bytes_);
    solution_.report_x = solution_.report_y = report_;
    const auto n = static_cast<double>(report_.samples);
    solution_.report_x.dimension = columns_x_;
    solution_.report_x.trace = n * start.trace_x;
    solution_.report_y.dimension = reader_.dimension() - columns_x_;
    solution_.report_y.trace = n * start.trace_y;
  }

  /// As the residuals say, unless steps or functions are missing. With a ridge, directions of small
  /// variance need steps of a sum S with S kappa rho >= 2.
  void judge() {
    if (report_.status == Status::Cancelled || !complete_) return;
    report_.status = params_.tolerance == 0 ? Status::Finished : Status::Converged;
    judge_missing();
    if (params_.tolerance > 0 && !(worst_residual_ <= params_.tolerance)) {
      report_.status = Status::NotConverged;
      add_reason("the largest residual is " + to_text(worst_residual_) +
                     " of the largest |C_xy g|, the tolerance " + to_text(params_.tolerance),
                 report_);
    }
    const double kappa = (std::min)(solution_.kappa_x.value_or(0), solution_.kappa_y.value_or(0));
    if (!(kappa > 0) || solution_.values.size() == 0) return;
    const double reached =
        solution_.details.step_sum * kappa * solution_.values(solution_.values.size() - 1);
    if (reached >= 2) return;
    report_.status = Status::NotConverged;
    add_reason("the steps are too few for the ridge: S kappa rho is " + to_text(reached) +
                   ", and should be 2",
               report_);
  }

  /// Functions are missing if their values are zero to rounding. They must be, if a view varies in
  /// no more directions; if not, the steps may not have found the others.
  void judge_missing() {
    const Index found = solution_.values.size(), wanted = request_.components;
    if (found >= wanted) return;
    if (directions_ <= found) {
      report_.zero_eigenvalues = wanted - found;
      return;
    }
    report_.status = Status::NotConverged;
    note_missing_components("the steps have found only " + to_text(found) + " pairs of functions " +
                                "that vary together, and the views vary in more directions",
                            report_);
  }

  BatchReader<S>& reader_;
  Matrix<S> first_;
  Index columns_x_;
  const DoublyStochasticParams& params_;
  const PairCheckpoints& checkpoints_;
  const PairRequest& request_;
  const Observer& observer_;
  StochasticSteps<S> steps_;
  bool complete_ = true;       // all steps were done
  Index directions_ = 0;       // in which the functions of both views vary
  double worst_residual_ = 0;  // as in PairResiduals
  std::size_t evaluation_bytes_ = 0;
  Report report_;  // what both views have in common
  PairSolution<S> solution_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_FIT_HPP
