// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The work of Dca: runs from one or more starts, and directions from the dual variable.

#ifndef MERCER_SOLVERS_DUAL_DETAIL_DCA_SOLVE_HPP
#define MERCER_SOLVERS_DUAL_DETAIL_DCA_SOLVE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/losses/loss_view.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/dual/detail/dca_run.hpp>
#include <mercer/solvers/dual/detail/dual_checks.hpp>
#include <mercer/solvers/dual/detail/inverse_root.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct DcaParams {
  double tolerance = 1e-8;      ///< stop when |H' - H|_F <= tolerance |H|_F
  Index max_iterations = 1000;  ///< of each start
  Index starts = 1;             ///< random starts; the result with the least p(H) is kept
  /// Rotate directions to principal axes also if the loss is not rotation invariant. They then no
  /// longer minimise the loss.
  bool rotate = false;
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance that is not positive, and for counts below 1.
  void validate() const {
    detail::require_positive("Dca", "tolerance", tolerance);
    detail::require_at_least("Dca", "max_iterations", max_iterations, Index{1});
    detail::require_at_least("Dca", "starts", starts, Index{1});
  }
};

namespace detail {

/// Dca::solve, compiled once for all losses.
template <Real S>
class DcaSolve {
 public:
  DcaSolve(const OperatorView<S>& a, const LossView<S>& loss, bool rotate, const DcaParams& params,
           const EigenRequest& request, const Observer& observer)
      : a_(a),
        loss_(loss),
        rotate_(rotate),
        params_(params),
        request_(request),
        observer_(observer),
        columns_(request.components.count()) {}

  [[nodiscard]] DirectionSolution<S> from_random() {
    double best = std::numeric_limits<double>::infinity();
    for (Index i = 0; i < params_.starts && report_.status != Status::Cancelled; ++i) {
      const Status before = report_.status;
      DcaRun<S> run = minimize(
          normal_block<S>({0, a_.rows()}, {i * columns_, columns_}, params_.seed, "dca start"));
      zero_matrix_ = run.began_at_zero();  // else no random start does
      // The objective of a failed run is NaN or infinite, and so never less.
      if (run.objective() < best || i == 0)
        best = keep(run);
      else if (report_.status != Status::Cancelled)
        report_.status = before;
    }
    return solution();
  }

  [[nodiscard]] DirectionSolution<S> from(const Matrix<S>& start) {
    const DcaRun<S> run = minimize(start);
    null_start_ = run.began_at_zero();
    zero_matrix_ = null_start_ && report_.status != Status::Cancelled && finds_zero_matrix();
    keep(run);
    return solution();
  }

 private:
  /// One complete run. Sets the status.
  [[nodiscard]] DcaRun<S> minimize(Matrix<S> start) {
    const PhaseTimer timer(Phase::Steps);
    DcaRun<S> run(a_, loss_, ResidualNoise<S>(request_).in_products, std::move(start));
    for (Index step = 0;; ++step) {
      if (!go_on(observer_, {"dca", step, 0})) {
        report_.status = Status::Cancelled;
        return run;
      }
      if (step > 0 && !run.step(params_.tolerance)) {
        report_.status = Status::Converged;
        return run;
      }
      report_.status = Status::NotConverged;
      ++report_.iterations;
      report_.kernel_products += columns_;
      if (!run.evaluate() || step == params_.max_iterations) return run;
    }
  }

  /// Whether a random vector, too, finds nothing but rounding errors.
  [[nodiscard]] bool finds_zero_matrix() {
    const PhaseTimer timer(Phase::Steps);
    DcaRun<S> probe(a_, loss_, ResidualNoise<S>(request_).in_products,
                    normal_block<S>({0, a_.rows()}, {0, 1}, params_.seed, "dca start"));
    ++report_.kernel_products;
    return probe.evaluate() && probe.began_at_zero();
  }

  double keep(const DcaRun<S>& run) {
    dual_ = run.h();
    scores_ = run.y();
    root_ = run.root();
    unit_ = run.unit();
    objective_ = run.objective();
    gap_ = std::isfinite(objective_) ? run.gap() : 0;  // before the first product there is no Y
    return objective_;
  }

  [[nodiscard]] DirectionSolution<S> solution() {
    const PhaseTimer timer(Phase::Scores);
    DirectionSolution<S> result;
    report_.components_requested = columns_;
    report_.trace = a_.has_diagonal() && report_.iterations > 0
                        ? static_cast<double>(a_.diagonal().sum())
                        : std::numeric_limits<double>::quiet_NaN();
    report_.bytes = static_cast<std::size_t>(6 * dual_.size()) * sizeof(S);
    note_dual();
    // Without a finite product, as in a run cancelled at once, there is no S.
    const bool known = std::isfinite(objective_) && root_.rank > 0;
    result.coefficients.resize(a_.rows(), 0);
    result.scores.resize(a_.rows(), 0);
    if (known) directions(result);
    result.eigenvalues = column_products(result.scores, result.scores);
    drop_zeros(result);
    result.dual = std::move(dual_);
    result.report = std::move(report_);
    return result;
  }

  void note_dual() {
    if (!std::isfinite(objective_)) return;
    const auto rows = (dual_.array() == 0).rowwise().all().count();
    const auto entries = (dual_.array() == 0).count();
    DcaDetails details{
        .dual_objective = objective_,
        .duality_gap = gap_ > 0 ? gap_ / std::abs(objective_) : 0,
        .zero_rows = static_cast<double>(rows) / static_cast<double>(dual_.rows()),
        .zero_entries = static_cast<double>(entries) / static_cast<double>(dual_.size())};
    if (rows == dual_.rows() && !zero_matrix_) {
      if (report_.status == Status::Converged) report_.status = Status::NotConverged;
      details.dual_objective = details.duality_gap = 0;
      report_.reason =
          null_start_
              ? "the start is in the null space of the matrix, where all scores are zero; take "
                "another start"
              : "all rows of the dual variable are zero: the loss costs nothing at any score of "
                "these samples; take a smaller epsilon";
    }
    report_.details = details;
  }

  /// A = H S^(-1/2) and G A = Y. If these have full rank and the loss is not rotation invariant,
  /// the axes are those of the minimisation; otherwise principal axes. The root here is that of
  /// S / u^4.
  void directions(DirectionSolution<S>& result) const {
    if (!rotate_ && root_.rank == columns_) {
      result.coefficients = multiply(dual_, root_.matrix) / unit_ / unit_;
      result.scores = scores_;
      order_by_norm(result);
      return;
    }
    // Y V_r = G H V_r diag(e_r)^(-1/2).
    const Matrix<S> scores = multiply(Matrix<S>(scores_ / unit_), root_.directions());
    const Matrix<S> axes = symmetric_eigensystem<S>(inner(scores)).vectors;
    result.coefficients = multiply(dual_, small_product<S>(root_.factor(), axes)) / unit_ / unit_;
    result.scores = unit_ * multiply(scores, axes);
  }

  static void order_by_norm(DirectionSolution<S>& result) {
    const Vector<S> sizes = column_products(result.scores, result.scores);
    std::vector<Index> order(static_cast<std::size_t>(sizes.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](Index i, Index j) { return sizes(i) > sizes(j); });
    result.coefficients = take_columns(result.coefficients, order);
    result.scores = take_columns(result.scores, order);
  }

  void drop_zeros(DirectionSolution<S>& result) {
    const Index kept = select_components(result.eigenvalues, a_.rows(), request_, report_);
    result.eigenvalues.conservativeResize(kept);
    result.coefficients.conservativeResize(Eigen::NoChange, kept);
    result.scores.conservativeResize(Eigen::NoChange, kept);
    report_.zero_eigenvalues = report_.status == Status::Converged ? columns_ - kept : 0;
  }

  const OperatorView<S>& a_;
  LossView<S> loss_;
  bool rotate_;
  const DcaParams& params_;
  const EigenRequest& request_;
  const Observer& observer_;
  Index columns_;
  Report report_;
  Matrix<S> dual_, scores_;
  InverseRoot<S> root_;       // in units of u
  S unit_ = 1;                // u
  bool null_start_ = false;   // the start given, to rounding
  bool zero_matrix_ = false;  // to rounding
  double objective_ = std::numeric_limits<double>::infinity();
  double gap_ = 0;
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_DUAL_DETAIL_DCA_SOLVE_HPP
