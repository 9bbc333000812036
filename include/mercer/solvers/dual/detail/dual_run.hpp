// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// One minimisation of the dual of kernel PCA by L-BFGS, which can be stopped at any product.

#ifndef MERCER_SOLVERS_DUAL_DETAIL_DUAL_RUN_HPP
#define MERCER_SOLVERS_DUAL_DETAIL_DUAL_RUN_HPP

#if !__has_include(<LBFGS.h>)
#error "mercer::Dual needs LBFGS++ (Debian package: liblbfgspp-dev; CMake: mercer::dual)"
#endif

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include <LBFGS.h>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/solvers/dual/detail/dual_checks.hpp>
#include <mercer/solvers/dual/detail/inverse_root.hpp>
#include <mercer/solvers/dual/detail/line_products.hpp>
#include <mercer/solvers/dual/dual_params.hpp>

namespace mercer::detail {

/// How a DualRun ended.
enum class DualEnd { Settled, Stalled, Limit, Cancelled, NotFinite };

/// Minimises p(H) = |H|_F^2 / 2 - Tr (H^T G H)^(1/2) over H (n x s) by L-BFGS.
///
/// If a line search of LBFGS++ fails, LBFGS++ throws std::runtime_error or std::logic_error; if it
/// takes too many evaluations, LBFGS++ returns the last point tried. Both are handled here: this
/// class keeps the best H, L-BFGS restarts from it with an empty memory, and the run ends if a
/// restart brings no progress. To stop LBFGS++, the evaluation of p throws an exception of our own.
///
/// A line search takes one product with G; products at other points of the line follow from it. So
/// line searches may be narrow, which saves lines, and the result of each is tested before the next
/// begins. Two things differ from plain LBFGS++:
/// 1. Its first step has length 1 for every problem. G is scaled so that this is half a step of
///    DCA, and results do not depend on the units of G.
/// 2. Near the minimum, differences of p are lost in its rounding error long before its gradient
///    is, and line searches fail. There, p is integrated from the best H by the trapezoidal rule on
///    gradients.
///
/// The gradient is H - G H S^(-1/2) with S = H^T G H, and the minimum is minus half of the sum of
/// the s largest eigenvalues of G.
/// Source: Tonin, Lambert, Patrinos, Suykens, Extending kernel PCA through dualization, 2023; Liu, Nocedal, On the limited memory BFGS method, 1989.
template <Real S>
class DualRun {
 public:
  /// \p half_trace: half of the trace of G, or NaN if it is not known.
  DualRun(const OperatorView<S>& a, const DualParams& params, ResidualNoise<S> noise,
          double half_trace, const Observer& observer, Report& report)
      : a_(a),
        params_(params),
        noise_(noise),
        half_trace_(half_trace),
        observer_(observer),
        report_(report) {}

  DualEnd minimize(const Matrix<S>& start) {
    shape_ = {start.rows(), start.cols()};
    products_.emplace(a_, start.rows(), start.cols());
    try {
      if (!begin(start)) return DualEnd::Settled;
      for (double wolfe = narrow;;) {
        const double before = best_gradient_.norm();
        search(wolfe);
        test();
        // If a search has not even halved the gradient, rounding errors limit it. After narrow line
        // searches, try wide ones; then give up.
        if (!(best_gradient_.norm() < before / 2)) {
          if (wolfe == wide) return DualEnd::Stalled;
          wolfe = wide;
        }
        rescale();
      }
    } catch (const Stop& stop) {
      if (error_) std::rethrow_exception(error_);
      return stop.end;
    }
  }

  /// Scores of the orthonormal directions of the best H, n x rank, up to a factor:
  /// G H V_r diag(e_r)^(-1/2), S = V diag(e) V^T. No columns if G is zero.
  [[nodiscard]] Matrix<S> scores() const {
    if (best_.size() == 0) return Matrix<S>(shape_.rows, 0);
    const Matrix<S> y = as_matrix(best_) - as_matrix(best_gradient_);
    return multiply(y, best_root_.directions());
  }

  /// True if there is a best H. There is none before the first finite product, or if G is zero.
  [[nodiscard]] bool started() const { return best_.size() > 0; }

  /// At the best H: p in units of mu; half the squared gradient, in units of mu, which is the
  /// distance of -p from the primal objective; the estimated relative error of the primal
  /// objective.
  [[nodiscard]] double objective() const { return best_objective_; }
  [[nodiscard]] double gap() const {
    return best_.size() == 0 ? 0 : squared_norm(best_gradient_) / (2 * scale_);
  }
  [[nodiscard]] double objective_error() const { return objective_error_; }

  [[nodiscard]] static std::size_t bytes(Index rows, Index cols, Index memory) {
    const auto values = static_cast<std::size_t>(rows * cols);
    return values * (static_cast<std::size_t>(2 * memory + 10) * sizeof(S)) +
           LineProducts<S>::bytes(rows, cols);
  }

 private:
  struct Stop {
    DualEnd end;
  };
  struct NoProgress {};

  struct Evaluation {
    double objective = 0;  ///< p of the scaled G
    InverseRoot<S> root;
    bool new_line = false;  ///< it took a product with G
  };

  /// p as LBFGS++ sees it.
  struct Objective {
    DualRun* run;
    S operator()(const Vector<S>& x, Vector<S>& gradient) const { return run->value(x, gradient); }
  };

  [[nodiscard]] auto as_matrix(const Vector<S>& x) const {
    return Eigen::Map<const Matrix<S>>(x.data(), shape_.rows, shape_.cols);
  }
  [[nodiscard]] static double squared_norm(const Vector<S>& x) {
    return x.template cast<double>().squaredNorm();
  }

  /// Starts from the best point of the ray through \p start, and sets the scale for the first step.
  /// Returns false if G is zero on the span of \p start.
  [[nodiscard]] bool begin(const Matrix<S>& start) {
    Vector<S> x = Eigen::Map<const Vector<S>>(start.data(), start.size());
    Vector<S> gradient(x.size());
    const Evaluation at = evaluate(x, gradient);
    if (at.root.rank == 0) return false;
    // H <- (Tr S^(1/2) / |H|^2) H minimises t^2 |H|^2 / 2 - t Tr S^(1/2) over t > 0. Y does not
    // change.
    const auto t = static_cast<S>(at.root.trace / squared_norm(x));
    gradient += (t - 1) * x;
    x *= t;
    best_ = std::move(x);
    best_gradient_ = std::move(gradient);
    best_root_ = at.root;
    best_root_.system.values *= double{t} * double{t};
    best_objective_ = -squared_norm(best_) / 2 / scale_;
    tested_ = false;
    test();
    rescale();
    return true;
  }

  /// Scales G such that a first step of length 1 suits the next search.
  void rescale() {
    constexpr double first_step = 0.5;
    const double length = first_step * std::sqrt(squared_norm(best_gradient_));
    if (!(length > 0)) throw Stop{DualEnd::Stalled};
    best_ /= static_cast<S>(length);
    best_gradient_ /= static_cast<S>(length);
    products_->scale(1 / length);
    scale_ /= length * length;
    reference_ = best_objective_;
    best_value_ = 0;
    least_slope_ = squared_norm(best_gradient_);
    fresh_ = true;
    in_vain_ = 0;
    curvatures_.clear();
  }

  /// One run of LBFGS++, until a line search fails.
  void search(double wolfe) {
    LBFGSpp::LBFGSParam<S> settings;
    settings.m = static_cast<int>(params_.memory);
    settings.epsilon = 0;
    settings.epsilon_rel = 0;
    settings.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
    settings.wolfe = static_cast<S>(wolfe);
    LBFGSpp::LBFGSSolver<S, LBFGSpp::LineSearchNocedalWright> solver(settings);
    Objective objective{this};
    Vector<S> x = best_;
    S value = 0;
    try {
      solver.minimize(objective, x, value);
    } catch (const NoProgress&) {
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // a line search has failed
    }
  }

  /// p at H = x and its gradient, for LBFGS++. Exceptions of the operator are stored: search() must
  /// not take them for failed line searches.
  [[nodiscard]] S value(const Vector<S>& x, Vector<S>& gradient) {
    if (fresh_) {  // the first point is the best one, whose value is known
      fresh_ = false;
      gradient = best_gradient_;
      if (!products_->follow(x)) products_->forget();
      return 0;
    }
    // LBFGS++ divides by the curvature of its last step, which rounding may make zero.
    if (!x.allFinite()) throw NoProgress{};
    Evaluation at;
    try {
      at = evaluate(x, gradient);
    } catch (const Stop&) {
      throw;
    } catch (...) {
      error_ = std::current_exception();
      throw Stop{DualEnd::Stalled};
    }
    const double relative = difference(x, gradient, at);
    const double slope = squared_norm(gradient);
    // At the level of rounding errors, p may still fall a little by chance.
    const double rounding = noise_.epsilon * std::abs(at.objective);
    if (relative < best_value_ - rounding || slope < least_slope_)
      in_vain_ = 0;
    else if (at.new_line)
      ++in_vain_;
    least_slope_ = (std::min)(least_slope_, slope);
    if (relative < best_value_) {
      best_ = x;
      best_gradient_ = gradient;
      best_value_ = relative;
      best_objective_ = at.objective / scale_;
      best_root_ = std::move(at.root);
      tested_ = false;
    }
    tries_ = at.new_line ? 0 : tries_ + 1;
    if (in_vain_ > most_in_vain || tries_ > most_tries) throw NoProgress{};
    return static_cast<S>(relative);
  }

  /// p(x) minus the reference, in units of the scaled G.
  [[nodiscard]] double difference(const Vector<S>& x, const Vector<S>& gradient,
                                  const Evaluation& at) {
    const Vector<S> step = x - best_;
    const auto length = static_cast<double>(step.squaredNorm());
    const auto bend = static_cast<double>(step.dot(gradient - best_gradient_));
    if (at.new_line && bend > 0) curvatures_.push_back(bend / length);
    if (static_cast<Index>(curvatures_.size()) > params_.memory) curvatures_.pop_front();
    const double integral = static_cast<double>(step.dot(best_gradient_)) + bend / 2;
    // The error of the trapezoidal rule is of third order in the step. Below this bound it is less
    // than a hundredth of the rounding error of p, and steps are below 1e-5 |H| (single precision:
    // 0.1 |H|).
    const double drowned = 1e5 * noise_.epsilon * std::abs(at.objective);
    return std::abs(integral) < drowned ? best_value_ + integral
                                        : at.objective - reference_ * scale_;
  }

  /// gradient = H - G H S^(-1/2) and p(H).
  [[nodiscard]] Evaluation evaluate(const Vector<S>& x, Vector<S>& gradient) {
    Evaluation at;
    at.new_line = move_to(x);
    product_ = products_->product();
    const auto h = as_matrix(x);
    if (scale_ == 0) set_scale(h);
    product_ *= static_cast<S>(scale_);
    const Matrix<S> inner_products = inner(h, product_);
    if (!inner_products.allFinite()) throw Stop{DualEnd::NotFinite};
    at.root = inverse_root(inner_products);
    const double norm = squared_norm(x);
    require_semidefinite(at.root, noise_.in_products * scale_ * norm +
                                      semidefinite_slack * at.root.trace * at.root.trace);
    at.objective = norm / 2 - at.root.trace;
    gradient = x;
    add_block_product<S>(RowSpace::whole(product_.rows()), -1, product_, at.root.matrix,
                         Eigen::Map<Matrix<S>>(gradient.data(), shape_.rows, shape_.cols));
    return at;
  }

  /// Makes the product at x available. Returns true if this took a product with G, so that x begins
  /// a new line. Before that, tests the result of the last line.
  [[nodiscard]] bool move_to(const Vector<S>& x) {
    if (products_->follow(x)) return false;
    test();
    line_start_ = best_value_;
    if (report_.iterations >= params_.max_iterations) throw Stop{DualEnd::Limit};
    if (!go_on(observer_, {"dual", report_.iterations, 0})) throw Stop{DualEnd::Cancelled};
    products_->turn(x);
    ++report_.iterations;
    report_.kernel_products += shape_.cols;
    return true;
  }

  /// A power of two that scales the first product to the size of H, so that no square overflows.
  void set_scale(const Points<S>& h) {
    const double size = static_cast<double>(product_.cwiseAbs().maxCoeff()) /
                        static_cast<double>(h.cwiseAbs().maxCoeff());
    scale_ = size > 0 && std::isfinite(size) ? std::ldexp(1.0, -std::ilogb(size)) : 1;
  }

  /// Throws Stop if the best H meets the tolerance.
  void test() {
    if (tested_) return;
    tested_ = true;
    estimate_error();
    if (params_.stop == DualStop::Objective ? objective_error_ <= params_.tolerance
                                            : gradient_settled())
      throw Stop{DualEnd::Settled};
  }

  /// Tests the gradient, or residuals that follow from it: for the eigenvectors V of S,
  /// G H V = (H V - grad V) diag(e)^(1/2). So column i of H V, divided by its norm, has for the
  /// value e_i^(1/2) the residual |grad v_i| e_i^(1/2) / |H v_i|.
  [[nodiscard]] bool gradient_settled() const {
    const Index rank = best_root_.rank;
    const Matrix<double> v = best_root_.system.vectors.leftCols(rank);
    const auto column_norms = [&](const Vector<S>& a) -> Vector<double> {
      const Matrix<double> products = inner(as_matrix(a), as_matrix(a)).template cast<double>();
      return v.cwiseProduct(products * v).colwise().sum().cwiseMax(0).cwiseSqrt().transpose();
    };
    const Vector<double> slopes = column_norms(best_gradient_), sizes = column_norms(best_);
    if (params_.stop == DualStop::Gradient)
      return slopes.norm() <= params_.tolerance * sizes.norm();
    const Vector<double> values = best_root_.system.values.head(rank).cwiseSqrt();
    // The norm of all together, because a Ritz vector may be any combination of these columns.
    const double bound =
        (std::max)(params_.tolerance * values(0), noise_.at(values(0) / scale_) * scale_);
    return (slopes.array() * values.array() / sizes.array()).matrix().norm() <= bound;
  }

  /// The primal objective is |Y|^2 / 2. Its error is at most its distance from half of the trace.
  /// The error is about half the squared gradient divided by the least curvature of p, as seen in
  /// recent steps. The larger one of two successive estimates counts, and at least the gain of the
  /// last line.
  void estimate_error() {
    const double primal = squared_norm(best_ - best_gradient_) / 2;
    const double bound = half_trace_ * scale_ / primal - 1;
    const double curvature = curvatures_.empty()
                                 ? std::numeric_limits<double>::quiet_NaN()
                                 : *std::min_element(curvatures_.begin(), curvatures_.end());
    double estimate = squared_norm(best_gradient_) / (2 * curvature * primal);
    if (std::isnan(estimate)) estimate = std::numeric_limits<double>::infinity();
    const double gained = (line_start_ - best_value_) / primal;
    objective_error_ = (std::max)({estimate, last_estimate_, gained});
    last_estimate_ = estimate;
    if (bound < objective_error_) objective_error_ = (std::max)(bound, 0.0);
  }

  /// Bounds of the strong Wolfe condition on the remaining slope along a line. Narrow line searches
  /// cost next to nothing, because a line takes one product. They save a fifth of the lines.
  static constexpr double narrow = 0.3, wide = 0.9;
  /// A search ends after this number of lines without progress.
  static constexpr Index most_in_vain = 10;
  /// A search ends after this number of points on one line. A line search of LBFGS++ tries at most
  /// 20. If rounding errors prevent a new line, the next ones would try the same points for ever.
  static constexpr Index most_tries = 40;
  /// Rounding errors make eigenvalues of S negative by at most this times the square of Tr S^(1/2).
  static constexpr double semidefinite_slack = 1e3 * double{std::numeric_limits<S>::epsilon()};

  const OperatorView<S>& a_;
  const DualParams& params_;
  ResidualNoise<S> noise_;
  double half_trace_;
  const Observer& observer_;
  Report& report_;
  struct {
    Index rows = 0, cols = 0;
  } shape_;
  double scale_ = 0;  ///< all work is on scale_ G; 0 before the first product
  std::optional<LineProducts<S>> products_;
  Matrix<S> product_;  ///< of the scaled G, at the last point
  Vector<S> best_, best_gradient_;
  double best_objective_ = 0;  ///< p in the units of G
  double best_value_ = 0;      ///< p minus the reference, as passed to LBFGS++
  double reference_ = 0;       ///< p at the start of the search
  InverseRoot<S> best_root_;   ///< of S at the best H
  bool tested_ = true;         ///< the best H has been tested
  double line_start_ = 0;      ///< p at the start of the current line, as passed to LBFGS++
  bool fresh_ = false;
  double least_slope_ = 0;  ///< least squared norm of the gradient in this search
  Index in_vain_ = 0;       ///< lines since p or its gradient last improved
  Index tries_ = 0;         ///< points on the current line
  std::deque<double> curvatures_;
  double objective_error_ = std::numeric_limits<double>::infinity();
  double last_estimate_ = std::numeric_limits<double>::infinity();
  std::exception_ptr error_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DUAL_DETAIL_DUAL_RUN_HPP
