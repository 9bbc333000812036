// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pre-images: the problem, the requirements on a method, and the result.

#ifndef MERCER_MODELS_PREIMAGE_PREIMAGE_HPP
#define MERCER_MODELS_PREIMAGE_PREIMAGE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>

namespace mercer {

/// How one pre-image was found.
struct PreimageDetail {
  bool converged = false;  ///< the method reached its tolerance and the point is finite
  Index iterations = 0;    ///< steps of all attempts together; 0 for a direct method
  double rho = std::numeric_limits<double>::quiet_NaN();  ///< |phi(z) - P phi(x)|^2, at least 0;
                                                          ///< NaN outside the kernel's domain
  double gradient = std::numeric_limits<double>::quiet_NaN();  ///< norm of the gradient of rho up
                                                               ///< to a constant of the kernel; NaN
                                                               ///< for direct methods
  Index restarts = 0;             ///< number of attempts from another training sample
  bool gradient_descent = false;  ///< the last attempt was gradient descent
};

/// Points in input space for given scores, and how each was found.
template <Real Scalar>
struct Preimages {
  Matrix<Scalar> points;                ///< q x d, one pre-image per row
  std::vector<PreimageDetail> details;  ///< one for each of the q points

  /// Whether every point was found.
  [[nodiscard]] bool all_converged() const {
    return std::all_of(details.begin(), details.end(),
                       [](const PreimageDetail& detail) { return detail.converged; });
  }
};

/// The q projections P phi = sum_i g_i phi(x_i) whose pre-images are sought. The
/// coefficients g are kept as factors: those of projection j are basis * (row j of coordinates)^T.
/// So nothing of size q x n is ever formed.
/// Lifetime: holds references to kernel and samples, which must outlive it.
template <Kernel K, OwnedSamples X>
struct PreimageProblem {
  using Scalar = typename X::Scalar;

  const K& kernel;
  const X& samples;                ///< n x d
  Matrix<Scalar> basis;            ///< n x m
  Matrix<Scalar> coordinates;      ///< q x m
  Matrix<Scalar> training_scores;  ///< n x k
  Matrix<Scalar> scores;           ///< q x k
  Matrix<Scalar> starts;           ///< q x d if the caller gave starting points, otherwise 0 x d

  /// The coefficients g of some projections, n x b, one projection per column. \p rows are their
  /// rows of coordinates.
  [[nodiscard]] Matrix<Scalar> coefficients(const Matrix<Scalar>& rows) const {
    return basis * rows.transpose();
  }
};

namespace detail {

template <class P, class Problem>
concept returns_preimages = requires(const P& method, const Problem& problem) {
  { method.find(problem) } -> std::same_as<Preimages<typename Problem::Scalar>>;
};

}  // namespace detail

/// A method that finds pre-images for this kernel on samples of this form. It is a small value type
/// with `template <...> Preimages<S> find(const PreimageProblem<K, X>&) const`.
///
/// Syntax:
/// - (1) copyable;
/// - (2) find() is constrained to the kernels that the method supports.
///
/// Semantics:
/// - (3) find() returns q points and q details; a point is finite wherever `converged` is true;
/// - (4) pure, with the same bits for any number of threads;
/// - (5) does not set `rho`: the model computes it in the same way for all methods.
///
/// A method that uses starting points declares `static constexpr bool uses_starts = true`.
template <class P, class K, class X>
concept PreimageMethod =
    std::copy_constructible<P> && detail::returns_preimages<P, PreimageProblem<K, X>>;

/// Methods that begin from given points.
template <class P>
concept uses_starts = requires {
  requires P::uses_starts;
};

/// True if P finds pre-images for kernel K on samples of the form X. Otherwise compilation stops
/// with a message that names the methods that do.
template <class P, Kernel K, OwnedSamples X = Matrix<double>>
consteval bool check_preimage_method() {
  static_assert(std::copy_constructible<P>,
                "mercer::PreimageMethod: the method is passed by value, so it must be copyable");
  static_assert(detail::returns_preimages<P, PreimageProblem<K, X>>,
                "mercer::PreimageMethod: this method finds no pre-images for this kernel. "
                "FixedPoint is for radial kernels with slope_from_squared_distances(), Polynomial "
                "and Linear; KwokTsang for radial kernels with squared_distance_from_value(); "
                "KernelRidge for any kernel that takes dense scores");
  return PreimageMethod<P, K, X>;
}

namespace detail {

/// Number of points searched together. Each point of a block needs n coefficients.
inline constexpr Index preimage_block = 32;

/// Calls task(rows) for each block of the q points, in parallel. Eigen uses one thread in each
/// call.
template <std::invocable<Range> Task>
void for_preimage_blocks(Index q, const Task& task) {
  parallel_for((q + preimage_block - 1) / preimage_block, [&](Index block) {
    const SingleThread one;
    const Index begin = block * preimage_block;
    task(Range{begin, (std::min)(preimage_block, q - begin)});
  });
}

/// Squared distances in feature space between projections and training samples, |P
/// phi - phi(x_i)|^2 = g^T K g - 2 (K g)_i + K_ii.
/// Cost: the constructor makes one pass over the Gram matrix, O(n^2 (d + m)), for any number of
///   projections.
/// Memory: O(n m).
template <Kernel K, OwnedSamples X>
class FeatureDistances {
 public:
  using Scalar = typename X::Scalar;

  explicit FeatureDistances(const PreimageProblem<K, X>& problem)
      : problem_(problem),
        products_(problem.samples.rows(), problem.basis.cols()),
        diagonal_(mercer::diagonal(problem.kernel, problem.samples)) {
    kernel_product(problem.kernel, problem.samples, problem.samples, problem.basis, products_);
  }

  /// The distances of some projections, n x b, one projection per column. \p rows are their rows of
  /// coordinates.
  [[nodiscard]] Matrix<Scalar> columns(const Matrix<Scalar>& rows) const {
    Matrix<Scalar> out = products_ * rows.transpose();  // K g
    const Matrix<Scalar> g = problem_.coefficients(rows);
    for (Index j = 0; j < out.cols(); ++j) {
      const Scalar norm = g.col(j).dot(out.col(j));
      out.col(j) = (diagonal_.array() - Scalar(2) * out.col(j).array()) + norm;
    }
    return out;
  }

 private:
  const PreimageProblem<K, X>& problem_;
  Matrix<Scalar> products_;
  Vector<Scalar> diagonal_;
};

template <class K, class X>
[[nodiscard]] bool in_domain([[maybe_unused]] const K& kernel, [[maybe_unused]] const X& x) {
  if constexpr (HasDomain<K, X>) {
    try {
      kernel.check_domain(x);
    } catch (const InvalidArgument&) {
      return false;
    }
  }
  return true;
}

/// Sets rho = k(z, z) - 2 sum_i g_i k(z, x_i) + |P phi|^2 for every point. Sets `converged` to
/// false where rho is not finite.
template <Kernel K, OwnedSamples X, Real S = typename X::Scalar>
void complete(const PreimageProblem<K, X>& problem, const Vector<S>& squared_norms,
              Preimages<S>& preimages) {
  const Matrix<S>& z = preimages.points;
  Matrix<S> products(z.rows(), problem.basis.cols());
  kernel_product(problem.kernel, z, problem.samples, problem.basis, products);
  const Vector<S> overlap = products.cwiseProduct(problem.coordinates).rowwise().sum();
  for (Index block = 0; block < tile_count(z.rows()); ++block) {
    const Range rows = Range::tile(block, z.rows());
    const X points = to_owned<X>(z.middleRows(rows.begin, rows.size));
    const Vector<S> self = diagonal(problem.kernel, points);
    for (Index i = 0; i < rows.size; ++i) {
      const Index j = rows.begin + i;
      PreimageDetail& detail = preimages.details[static_cast<std::size_t>(j)];
      if (z.row(j).allFinite() && in_domain(problem.kernel, X(points.middleRows(i, 1))))
        detail.rho =
            (std::max)(0.0, static_cast<double>(self(i) - S(2) * overlap(j) + squared_norms(j)));
      detail.converged = detail.converged && std::isfinite(detail.rho);
    }
  }
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_MODELS_PREIMAGE_PREIMAGE_HPP
