// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Bases of two views that hold the leading singular functions of their cross-covariance operator,
/// by products with the two Gram matrices.

#ifndef MERCER_SOLVERS_CROSS_ITERATION_HPP
#define MERCER_SOLVERS_CROSS_ITERATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/solvers/detail/gram_problem.hpp>
#include <mercer/solvers/detail/spanned_functions.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer {

struct CrossIterationParams {
  /// The largest |C_xy g - sigma f| of the components, relative to sigma_1. Residuals below about
  /// 1e-8 sigma_1 cannot be seen.
  double tolerance = 1e-6;
  Index max_rounds = 100;  ///< rounds of one product with each Gram matrix
  std::uint64_t seed = 1;

  /// Throws InvalidArgument for a tolerance outside [1e-8, 1) and max_rounds < 1.
  void validate() const {
    if (!(tolerance >= 1e-8 && tolerance < 1))
      detail::fail("mercer::CrossIteration: tolerance must be in [1e-8, 1), got ", tolerance);
    detail::require_at_least("CrossIteration", "max_rounds", max_rounds, Index{1});
  }
};

namespace detail {

/// The (centred) Gram matrix K of a view.
struct GramProductOf {
  std::function<void(const Matrix<double>& v, Matrix<double>& out)> apply;  ///< out = K v
  double trace = 0;  ///< of K before centring
};

/// Subspace iteration with C_xy C_yx. In a class template, so that it is compiled once.
template <Real S>
struct CrossIterationRun {
  SpannedFunctions<S> x, y;
  Vector<S> values;     ///< estimates of sigma, descending
  Vector<S> residuals;  ///< |C_xy g - sigma f|
  Index rounds = 0;
  bool converged = false, cancelled = false;

  /// \param columns  b, of which the leading k components are to converge
  CrossIterationRun(const GramProductOf& kernel_x, const GramProductOf& kernel_y, Index samples,
                    Index columns, Index components, const CrossIterationParams& params,
                    const Observer& observer);
};

template <Real S>
CrossIterationRun<S>::CrossIterationRun(const GramProductOf& kernel_x,
                                        const GramProductOf& kernel_y, Index samples, Index columns,
                                        Index components, const CrossIterationParams& params,
                                        const Observer& observer) {
  const S n = static_cast<S>(samples);
  const auto apply = [](const GramProductOf& kernel, SpannedFunctions<S>& f) {
    f.scores.resize(f.coefficients.rows(), f.coefficients.cols());
    if (f.coefficients.cols() > 0) kernel.apply(f.coefficients, f.scores);
  };
  SpannedFunctions<S> next;
  next.coefficients = normal_matrix<S>(samples, columns, params.seed, "cross iteration");
  apply(kernel_x, next);
  while (true) {
    x = next;
    x.orthonormalize(static_cast<S>(kernel_x.trace));
    // C_yx f has the coefficients F / n.
    y.coefficients = x.scores / n;
    apply(kernel_y, y);
    y.orthonormalize(static_cast<S>(kernel_y.trace));
    const SingularSystem<S> system = singular_system<S>(inner(x.scores, y.scores) / n);
    const Index kept = system.values.size(), judged = (std::min)(kept, components);
    x.combine(system.left.leftCols(kept));
    y.combine(system.right.leftCols(kept));
    values = system.values;
    ++rounds;
    cancelled = !go_on(observer, {"cross products", rounds, params.max_rounds});
    if (cancelled) {
      residuals.resize(0);  // those of the round before belong to other functions
      return;
    }
    next.coefficients = y.scores / n;  // of C_xy g
    apply(kernel_x, next);
    SpannedFunctions<S> rest{next.coefficients - x.coefficients * values.asDiagonal(),
                             next.scores - x.scores * values.asDiagonal()};
    const Vector<S> sizes = rest.equilibrate();
    const Vector<S> squares = column_products(rest.coefficients, rest.scores);
    residuals = sizes.cwiseProduct(squares.cwiseMax(S(0)).cwiseSqrt());
    const S largest = judged > 0 ? residuals.head(judged).maxCoeff() : S(0);
    converged = judged == 0 || largest <= static_cast<S>(params.tolerance) * values(0);
    if (converged || rounds == params.max_rounds) return;
  }
}

MERCER_INSTANTIATE_VIEWS(struct CrossIterationRun<double>)

}  // namespace detail

/// Bases for kernel SVD of many samples, by products with the two Gram matrices K and L alone. No
/// factor is stored, no view is reduced: the singular values are those of the whole problem, to
/// the tolerance.
///
/// \code
///   KernelSvd svd{kx, ky, CrossIteration{}, {.components = 5}};
///   auto model = svd.fit(X, Y);  // model.report().status says if the tolerance was reached
/// \endcode
/// The method is subspace iteration with C_xy C_yx on more functions than components. The error
/// falls by (sigma_{b+1} / sigma_k)^2 a round, with b functions. Take a larger rank where the
/// singular values fall slowly.
///
/// KernelCca takes it too. But these bases are made for kernel SVD, and hold less of the canonical
/// functions than those of the same rank by BlockKrylov where the ridge is small.
/// Params of the method: rank, if it is a number, is b; else b = 2 k + 8.
/// Shapes: X n x d, Y n x e.
/// Cost: 2 n^2 (b + 1) operations for each view and round, and the kernel values once, or once a
///   round if they do not fit into half of the memory budget.
/// Memory: 8 n b values for each view, and the tiles that are stored.
/// Report: the basis of view x has the residuals |C_xy g - sigma f| of the components. Within this,
///   divided by the root of 2, the whole problem has a singular value. Functions below about
///   1e-6 sigma_1 may be missing: they are rounding errors of the first product.
/// Status: NotConverged if max_rounds do not reach the tolerance.
/// Random: params.seed, purpose "cross iteration".
/// Threads: the result does not depend on their number.
/// Source: Bathe, Wilson, Solution methods for eigenvalue problems in structural mechanics, 1973,
///   for subspace iteration.
class CrossIteration {
 public:
  using Params = CrossIterationParams;

  CrossIteration() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit CrossIteration(Params params) : params_(params) { params.validate(); }

  [[nodiscard]] const Params& params() const { return params_; }

  /// Components of both views. The request asks for the number of functions, b, as components.
  /// \param components  k, whose residuals are judged
  template <OwnedSamples X, OwnedSamples Y>
  [[nodiscard]] JointBases<X, Y> solve_jointly(const std::type_identity_t<KernelView<X>>& kernel_x,
                                               const X& x,
                                               const std::type_identity_t<KernelView<Y>>& kernel_y,
                                               const Y& y, const KernelRequest& request,
                                               Index components,
                                               const Observer& observer = {}) const {
    const Components& wanted = request.pairs.components;
    if (wanted.is_fraction() && !wanted.is_all())
      detail::fail("mercer::CrossIteration: rank must be a number of functions, got the fraction ",
                   wanted.fraction(), " of variance");
    const Index asked = wanted.is_all() ? 2 * components + 8 : wanted.count();
    const Index n = x.rows(), columns = (std::min)(n, asked);
    KernelRequest half = request;
    half.memory_budget /= 2;
    if (!half.precision) half.precision = Precision::Double;
    View<X> view_x(kernel_x, x, half, columns);
    View<Y> view_y(kernel_y, y, half, columns);
    detail::CrossIterationRun<double> run(view_x.product(), view_y.product(), n, columns,
                                          components, params_, observer);
    JointBases<X, Y> out{view_x.components(std::move(run.x)), view_y.components(std::move(run.y))};
    for (Report* report : {&out.x.report, &out.y.report}) {
      report->status = run.cancelled   ? Status::Cancelled
                       : run.converged ? Status::Converged
                                       : Status::NotConverged;
      report->solver = SolverId::CrossIteration;
      report->iterations = run.rounds;
    }
    const Index judged = (std::min)(components, run.residuals.size());
    out.x.report.residuals.assign(run.residuals.data(), run.residuals.data() + judged);
    return out;
  }

 private:
  /// One view: its Gram operator, and the way back from functions to components.
  template <OwnedSamples X>
  class View {
   public:
    View(const KernelView<X>& kernel, const X& samples, const KernelRequest& request, Index columns)
        : request_(request),
          problem_(kernel, samples, request_),
          gram_(tiles(samples.rows(), columns)),
          centered_(gram_),
          report_(detail::begin_report(kernel, samples, request_)) {}
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    [[nodiscard]] detail::GramProductOf product() {
      return {[this](const Matrix<double>& v, Matrix<double>& out) {
                if (request_.centered)
                  centered_.apply(v, out);
                else
                  gram_.apply(v, out);
                products_ += v.cols();
              },
              gram_.diagonal().sum()};
    }

    [[nodiscard]] KernelSolution<X> components(detail::SpannedFunctions<double> functions) {
      DirectionSolution<double> found =
          std::move(functions).directions(request_.pairs.zero_threshold);
      found.report = std::move(report_);
      found.report.components = found.eigenvalues.size();
      found.report.kernel_products = products_;
      found.report.trace = request_.centered ? centered_.diagonal().sum() : gram_.diagonal().sum();
      found.report.bytes = bytes_;
      problem_.describe_storage(found.report, false);
      return problem_.components(std::move(found),
                                 request_.centered ? centered_.row_means() : Vector<double>());
    }

   private:
    [[nodiscard]] Gram<X> tiles(Index n, Index columns) {
      // Functions, the next ones, what is left of them, and copies in products.
      bytes_ = 8 * static_cast<std::size_t>(n) * static_cast<std::size_t>(columns) * sizeof(double);
      problem_.plan(0, bytes_);
      return problem_.tiles();
    }

    KernelRequest request_;
    std::size_t bytes_ = 0;
    detail::GramProblem<X> problem_;
    Gram<X> gram_;
    Centered<Gram<X>> centered_;
    Report report_;
    Index products_ = 0;
  };

  Params params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_CROSS_ITERATION_HPP
