// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pre-images by fixed-point iteration, with gradient descent as a fallback.

#ifndef MERCER_MODELS_PREIMAGE_PREIMAGE_FIXED_POINT_HPP
#define MERCER_MODELS_PREIMAGE_PREIMAGE_FIXED_POINT_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/preimage/preimage.hpp>
#include <mercer/models/preimage/preimage_objective.hpp>

namespace mercer {

struct FixedPointParams {
  double tolerance = 1e-10;  ///< > 0; largest remaining step, relative to the length scale of the
                             ///< kernel plus |z|; values below 16 eps of the scalar count as 16 eps
  Index max_iterations = 500;  ///< >= 1, for each attempt
};

namespace detail {

enum class SearchState { Running, Converged, Failed, OutOfIterations };

/// The search for one pre-image with one rule. rule.take(search) looks at the evaluated trial point
/// and chooses the next one.
template <Real S>
struct PreimageSearch {
  PreimageIterate<S> current;  ///< the best point so far
  PreimageIterate<S> trial;    ///< the point to evaluate next
  Index iterations = 0;
  S step = 0;  ///< step length of gradient descent: z - step residual
  SearchState state = SearchState::Running;

  explicit PreimageSearch(Vector<S> start) {
    trial.z = std::move(start);
    current.z = trial.z;
  }
  [[nodiscard]] bool first() const { return current.residual.size() == 0; }
};

/// Fixed-point iteration: z <- z - residual / weight. The search fails if a step increases rho.
template <Real S>
struct FixedPointRule {
  S tolerance, length;
  Index max_iterations;

  void take(PreimageSearch<S>& search) const {
    auto& [current, trial, iterations, step, state] = search;
    if (!search.first()) {
      ++iterations;
      if (!(trial.rho <= current.rho + trial.noise)) {
        state = SearchState::Failed;
        return;
      }
    }
    current = trial;
    if (!current.has_step())
      state = SearchState::Failed;
    else if (current.stationary(tolerance, length))
      state = SearchState::Converged;
    else if (iterations >= max_iterations)
      state = SearchState::OutOfIterations;
    else
      trial.z = current.z - current.residual / current.weight;
  }
};

/// Gradient descent with the step lengths of Barzilai and Borwein. A step is halved until rho does
/// not increase and the slope along the step has not changed sign by much. This is the approximate
/// Wolfe condition of Hager and Zhang. It still works where the decrease of rho is lost in
/// rounding.
template <Real S>
struct GradientDescentRule {
  S tolerance, length;
  Index max_iterations;

  void take(PreimageSearch<S>& search) const {
    auto& [current, trial, iterations, step, state] = search;
    if (search.first()) {
      current = trial;
      step = 1 / (std::max)(std::abs(current.weight), S(1e-3) * current.magnitude);
      if (!current.residual.allFinite() || !std::isfinite(current.rho) || !std::isfinite(step)) {
        state = SearchState::Failed;
        return;
      }
    } else {
      ++iterations;
      const S square = current.residual.squaredNorm();
      const S turned = current.residual.dot(trial.residual);
      if (trial.rho <= current.rho + trial.noise && turned >= S(-0.8) * square) {
        step *= turned < S(0.9) * square ? square / (square - turned) : S(10);
        current = trial;
      } else {
        step /= 2;
      }
    }
    if (current.stationary(tolerance, length)) {
      state = SearchState::Converged;
    } else if (iterations >= max_iterations) {
      state = SearchState::OutOfIterations;
    } else {
      trial.z = current.z - step * current.residual;
      if (trial.z == current.z) state = SearchState::Failed;
    }
  }
};

/// Runs searches side by side, so that all their kernel values come from the same tiles. Column j
/// of \p g holds the coefficients of search j.
template <class Objective, class Rule, Real S = typename Objective::Scalar>
void run_searches(const Objective& objective, const Rule& rule, Matrix<S> g,
                  std::vector<PreimageSearch<S>>& searches) {
  std::vector<PreimageSearch<S>*> running;
  running.reserve(searches.size());
  for (auto& search : searches) running.push_back(&search);
  while (!running.empty()) {
    auto trials = [&](Index j) -> PreimageIterate<S>& {
      return running[static_cast<std::size_t>(j)]->trial;
    };
    objective.evaluate(g.leftCols(static_cast<Index>(running.size())), trials);
    std::size_t kept = 0;
    for (std::size_t j = 0; j < running.size(); ++j) {
      rule.take(*running[j]);
      if (running[j]->state != SearchState::Running) continue;
      if (kept != j) {
        running[kept] = running[j];
        g.col(static_cast<Index>(kept)) = g.col(static_cast<Index>(j));
      }
      ++kept;
    }
    running.resize(kept);
  }
}

/// Runs the fixed-point method for all points of a problem.
template <Kernel K, OwnedSamples X>
class FixedPointRun {
 public:
  using S = typename X::Scalar;

  FixedPointRun(const PreimageProblem<K, X>& problem, const FixedPointParams& params)
      : problem_(problem),
        objective_(problem.kernel, problem.samples),
        tolerance_((std::max)(static_cast<S>(params.tolerance),
                              S(16) * std::numeric_limits<S>::epsilon())),
        max_iterations_(params.max_iterations),
        choice_(static_cast<std::size_t>(problem.coordinates.rows()), -1) {}

  [[nodiscard]] Preimages<S> run() && {
    const Index q = problem_.coordinates.rows();
    result_.points.resize(q, problem_.samples.cols());
    result_.details.resize(static_cast<std::size_t>(q));
    std::vector<Index> points(static_cast<std::size_t>(q));
    std::iota(points.begin(), points.end(), Index{0});
    if (problem_.starts.rows() == 0 && !needs_no_start()) choose_samples(points);
    first_attempt();
    std::erase_if(points, [&](Index i) { return !first_[static_cast<std::size_t>(i)]; });
    if (!points.empty()) {
      choose_samples(points);
      further_attempts(points);
    }
    return std::move(result_);
  }

 private:
  using Search = PreimageSearch<S>;
  using Points = std::vector<Index>;

  [[nodiscard]] bool needs_no_start() const {
    if constexpr (PolynomialKernel<K>)
      return objective_.form().closed_form();
    else
      return false;
  }

  [[nodiscard]] Matrix<S> coordinates(const Points& points, Range range) const {
    Matrix<S> rows(range.size, problem_.coordinates.cols());
    for (Index j = 0; j < range.size; ++j)
      rows.row(j) = problem_.coordinates.row(points[static_cast<std::size_t>(range.begin + j)]);
    return rows;
  }

  /// Chooses a training sample for each of these points: the one whose image is nearest to the
  /// projection, or the next nearest if that one has been tried.
  /// Cost: one pass over the Gram matrix.
  void choose_samples(const Points& points) {
    const FeatureDistances<K, X> distances(problem_);
    for_preimage_blocks(static_cast<Index>(points.size()), [&](Range range) {
      Matrix<S> columns = distances.columns(coordinates(points, range));
      for (Index j = 0; j < range.size; ++j) {
        const Index point = points[static_cast<std::size_t>(range.begin + j)];
        Index& choice = choice_[static_cast<std::size_t>(point)];
        if (choice >= 0) columns(choice, j) = std::numeric_limits<S>::infinity();
        columns.col(j).minCoeff(&choice);
      }
    });
  }

  [[nodiscard]] Vector<S> chosen_sample(Index point) const {
    const Index i = choice_[static_cast<std::size_t>(point)];
    const Matrix<S> row = problem_.samples.middleRows(i, 1);
    return row.row(0).transpose() - objective_.origin();
  }

  [[nodiscard]] Vector<S> start(Index point) const {
    if (problem_.starts.rows() > 0)
      return problem_.starts.row(point).transpose() - objective_.origin();
    if (needs_no_start()) return Vector<S>::Zero(problem_.samples.cols());
    return chosen_sample(point);
  }

  template <class Rule>
  void search(const Matrix<S>& coordinates, std::vector<Search>& searches) const {
    const Rule rule{tolerance_, objective_.length(), max_iterations_};
    run_searches(objective_, rule, problem_.coefficients(coordinates), searches);
  }

  /// Fixed-point iteration from the starting point. Failed searches are put into first_.
  void first_attempt() {
    const Index q = problem_.coordinates.rows();
    first_.resize(static_cast<std::size_t>(q));
    for_preimage_blocks(q, [&](Range range) {
      std::vector<Search> searches;
      for (Index j = 0; j < range.size; ++j) searches.emplace_back(start(range.begin + j));
      search<FixedPointRule<S>>(problem_.coordinates.middleRows(range.begin, range.size), searches);
      for (Index j = 0; j < range.size; ++j) {
        Search& found = searches[static_cast<std::size_t>(j)];
        const Index point = range.begin + j;
        if (found.state == SearchState::Failed)
          first_[static_cast<std::size_t>(point)] = std::move(found);
        else
          store(point, found);
      }
    });
  }

  /// Fixed-point iteration from a training sample. If it does not converge to a point at least as
  /// good as that of the first attempt, gradient descent starts from the better of the two points.
  void further_attempts(const Points& points) {
    for_preimage_blocks(static_cast<Index>(points.size()), [&](Range range) {
      const Matrix<S> rows = coordinates(points, range);
      std::vector<Search> restarts;
      for (Index j = 0; j < range.size; ++j)
        restarts.emplace_back(chosen_sample(points[static_cast<std::size_t>(range.begin + j)]));
      search<FixedPointRule<S>>(rows, restarts);

      std::vector<Search> descents;
      Points remaining;
      for (Index j = 0; j < range.size; ++j) {
        const Index point = points[static_cast<std::size_t>(range.begin + j)];
        const Search& first = *first_[static_cast<std::size_t>(point)];
        const Search& restart = restarts[static_cast<std::size_t>(j)];
        PreimageDetail& detail = result_.details[static_cast<std::size_t>(point)];
        detail.iterations = first.iterations;
        detail.restarts = 1;
        const bool better = !(first.current.rho + first.current.noise < restart.current.rho);
        if (better && restart.state == SearchState::Converged) {
          store(point, restart);
          continue;
        }
        detail.iterations += restart.iterations;
        detail.gradient_descent = true;
        descents.emplace_back(better ? restart.current.z : first.current.z);
        remaining.push_back(point);
      }
      search<GradientDescentRule<S>>(
          coordinates(remaining, {0, static_cast<Index>(remaining.size())}), descents);
      for (std::size_t j = 0; j < remaining.size(); ++j) store(remaining[j], descents[j]);
    });
  }

  void store(Index point, const Search& found) {
    result_.points.row(point) = (found.current.z + objective_.origin()).transpose();
    PreimageDetail& detail = result_.details[static_cast<std::size_t>(point)];
    detail.converged = found.state == SearchState::Converged;
    detail.iterations += found.iterations;
    detail.gradient = static_cast<double>(found.current.residual.norm());
  }

  const PreimageProblem<K, X>& problem_;
  PreimageObjective<K, X> objective_;
  S tolerance_;
  Index max_iterations_;
  Points choice_;                             // for each point, the training sample tried last
  std::vector<std::optional<Search>> first_;  // for each point, its first attempt if that failed
  Preimages<S> result_;
};

}  // namespace detail

/// Kernels that FixedPoint supports.
template <class K, class S>
concept HasFixedPoint = HasRadialSlope<K, S> || PolynomialKernel<K>;

/// The fixed-point pre-image: a stationary point of rho(z) = |phi(z) - P phi(x)|^2. For radial
/// kernels k = f(|x - y|^2), the step is \f$ z \leftarrow \sum_i c_i x_i / \sum_i c_i, \quad c_i =
/// -g_i f'(|z - x_i|^2) \f$. For polynomial kernels, it is \f$ z \leftarrow \sum_i c_i x_i /
/// (\gamma |z|^2 + c_0)^{p-1}, \quad c_i = g_i (\gamma z \cdot x_i + c_0)^{p-1} \f$. For p = 1, and
/// so for the linear kernel, one step is exact and gives the projection P x itself.
///
/// The search starts from the caller's point, or from the training sample whose image is nearest to
/// P phi. For denoising, the caller's point is the noisy sample. No step may increase rho. If a
/// step would increase it, or if the weights cancel, the iteration starts once more from another
/// training sample. If that fails too, gradient descent with backtracking continues from the best
/// point so far. So rho at the result is never above rho at the start. The details of each point
/// say what happened.
/// Status: `converged` if the next fixed-point step would be within the tolerance. A point does not
///   converge if all weights vanish (the zero projection of a model that is not centred) or if rho
///   decreases forever.
/// Cost: O(q n d) per iteration, in tiles. Without starting points, or if a restart is needed, also
///   one pass over the Gram matrix, O(n^2 (d + k)).
/// Memory: 32 n values per thread, and a copy of the samples.
/// Accuracy: a local minimum. With Matern and nu <= 1/2, rho has cusps at the training samples. If
///   a cusp is the minimum, the result is that sample up to 1e-8 of the length scale.
/// Source: Mika, Schoelkopf, Smola, Mueller, Scholz, Raetsch, Kernel PCA and de-noising in feature
///   spaces, 1998, eq. (10).
class FixedPoint {
 public:
  using Params = FixedPointParams;
  static constexpr bool uses_starts = true;

  FixedPoint() = default;

  /// Throws InvalidArgument for parameters outside their ranges.
  explicit FixedPoint(FixedPointParams params) : params_(params) {
    detail::require_positive("FixedPoint", "tolerance", params.tolerance);
    detail::require_at_least("FixedPoint", "max_iterations", params.max_iterations, Index{1});
  }

  [[nodiscard]] const FixedPointParams& params() const { return params_; }

  template <Kernel K, OwnedSamples X>
    requires HasFixedPoint<K, typename X::Scalar>
  [[nodiscard]] Preimages<typename X::Scalar> find(const PreimageProblem<K, X>& problem) const {
    return detail::FixedPointRun<K, X>(problem, params_).run();
  }

 private:
  FixedPointParams params_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_PREIMAGE_PREIMAGE_FIXED_POINT_HPP
