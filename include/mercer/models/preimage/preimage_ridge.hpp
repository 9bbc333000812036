// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pre-images by kernel ridge regression from scores to samples.

#ifndef MERCER_MODELS_PREIMAGE_PREIMAGE_RIDGE_HPP
#define MERCER_MODELS_PREIMAGE_PREIMAGE_RIDGE_HPP

#include <algorithm>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include <Eigen/Cholesky>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/models/preimage/preimage.hpp>

namespace mercer {

struct KernelRidgeParams {
  double alpha = 1;  ///< > 0, added to the diagonal
};

/// Stands for the kernel of the model, with the same parameters.
struct SameKernel {};

/// The learned pre-image: kernel ridge regression of the training samples on their scores,
/// \f$ \hat z = k'(y, T) (k'(T, T) + \alpha I)^{-1} X \f$ with T the n x k training scores. Neither
/// scores nor samples are centred, so the result shrinks towards the origin as alpha grows. It
/// works for any kernel of the model and needs no starting point.
/// \code
/// mercer::KernelRidge{{.alpha = 0.1}}                         // k' = the kernel of the model
/// mercer::KernelRidge{{.alpha = 0.1}, mercer::Gaussian{0.5}}  // your own k'
/// \endcode
/// \tparam K  the kernel on scores; by default that of the model. It must be defined for all
///   vectors. If it is not (histogram kernels), find() throws InvalidArgument.
/// Memory: n x n values.
/// Cost: O(n^3) for the Cholesky factorisation, once per call, on one core; then O(n^2 min(q, d)).
/// Status: if k'(T, T) + alpha I has no Cholesky factor (an indefinite k'), the points are NaN and
///   not converged.
/// Source: Bakir, Weston, Schoelkopf, Learning to find pre-images, 2004.
template <class K = SameKernel>
  requires(Kernel<K> || std::same_as<K, SameKernel>)
class KernelRidge {
 public:
  using Params = KernelRidgeParams;

  /// Throws InvalidArgument unless alpha is positive and finite.
  explicit KernelRidge(KernelRidgeParams params = {}, K kernel = {})
      : params_(params), kernel_(std::move(kernel)) {
    detail::require_positive("KernelRidge", "alpha", params.alpha);
  }

  [[nodiscard]] const KernelRidgeParams& params() const { return params_; }

  template <Kernel M, OwnedSamples X, Real S = typename X::Scalar>
    requires(fills_gram<std::conditional_t<std::same_as<K, SameKernel>, M, K>, S>)
  [[nodiscard]] Preimages<S> find(const PreimageProblem<M, X>& problem) const {
    if constexpr (std::same_as<K, SameKernel>)
      return regress(problem.kernel, problem);
    else
      return regress(kernel_, problem);
  }

 private:
  template <class ScoreKernel, class Problem, Real S = typename Problem::Scalar>
  [[nodiscard]] Preimages<S> regress(const ScoreKernel& kernel, const Problem& problem) const {
    const Matrix<S>& t = problem.training_scores;
    require_domain(kernel, t);
    require_domain(kernel, problem.scores);
    const Index q = problem.scores.rows(), n = t.rows();
    Preimages<S> result{Matrix<S>(q, problem.samples.cols()),
                        {static_cast<std::size_t>(q), PreimageDetail{}}};
    Matrix<S> system(n, n);
    fill_gram(kernel, t, system);
    system.diagonal().array() += static_cast<S>(params_.alpha);
    const Eigen::LLT<Eigen::Ref<Matrix<S>>> cholesky = factorize(system);
    if (cholesky.info() != Eigen::Success) {
      result.points.setConstant(std::numeric_limits<S>::quiet_NaN());
      return result;
    }
    predict(kernel, cholesky, problem, result.points);
    for (PreimageDetail& detail : result.details) detail.converged = true;
    return result;
  }

  template <Real S>
  [[nodiscard]] static Eigen::LLT<Eigen::Ref<Matrix<S>>> factorize(Matrix<S>& system) {
    const detail::SingleThread one;
    return Eigen::LLT<Eigen::Ref<Matrix<S>>>(system);
  }

  /// Solves the linear system for whichever has fewer columns: the weights of the training samples
  /// (one column per point) or the dual coefficients (one column per coordinate).
  template <class ScoreKernel, class Cholesky, class Problem, Real S = typename Problem::Scalar>
  static void predict(const ScoreKernel& kernel, const Cholesky& cholesky, const Problem& problem,
                      Matrix<S>& points) {
    const Matrix<S>& t = problem.training_scores;
    if (points.rows() > points.cols()) {
      Matrix<S> dual = problem.samples;
      solve(cholesky, dual);
      kernel_product(kernel, problem.scores, t, dual, points);
      return;
    }
    for (Index block = 0; block < detail::tile_count(points.rows()); ++block) {
      const auto rows = detail::Range::tile(block, points.rows());
      const Matrix<S> scores = problem.scores.middleRows(rows.begin, rows.size);
      Matrix<S> weights = gram(kernel, t, scores);
      solve(cholesky, weights);
      const detail::SingleThread one;
      points.middleRows(rows.begin, rows.size) = weights.transpose() * problem.samples;
    }
  }

  template <class Cholesky, Real S>
  static void solve(const Cholesky& cholesky, Matrix<S>& right) {
    const detail::SingleThread one;
    cholesky.solveInPlace(right);
  }

  template <class ScoreKernel, Real S>
  static void require_domain(const ScoreKernel& kernel, const Matrix<S>& scores) {
    try {
      detail::check_domain(kernel, scores);
    } catch (const InvalidArgument& error) {
      detail::fail("mercer::KernelRidge: the kernel is not defined on the scores (", error.what(),
                   "); give one that is, as in KernelRidge{{.alpha = 1}, Gaussian{1}}");
    }
  }

  KernelRidgeParams params_;
  [[no_unique_address]] K kernel_;
};

KernelRidge()->KernelRidge<>;
KernelRidge(KernelRidgeParams)->KernelRidge<>;
template <Kernel K>
KernelRidge(KernelRidgeParams, K) -> KernelRidge<K>;

}  // namespace mercer

#endif  // MERCER_MODELS_PREIMAGE_PREIMAGE_RIDGE_HPP
