// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Lanczos solver, by Spectra: leading eigenpairs from products with one vector at a time.

#ifndef MERCER_SOLVERS_KRYLOV_LANCZOS_HPP
#define MERCER_SOLVERS_KRYLOV_LANCZOS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/dense/exact.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/krylov/detail/krylov_basis.hpp>

namespace mercer {

struct LanczosParams {
  double tolerance =
      1e-6;         ///< for each component, |K u - mu u| <= tolerance mu_1 (at least 16 epsilon)
  Index basis = 0;  ///< vectors in a Krylov basis, more than k; 0: max(2 k + 1, 20)
  Index max_iterations = 300;  ///< restarts in all
  std::uint64_t seed = 1;
};

namespace detail {

/// One run of Lanczos. Holds the pairs found so far, U, K U and mu, in units of 2^exponent.
template <Real S>
class LanczosRun {
 public:
  LanczosRun(const OperatorView<S>& a, const LanczosParams& params, const EigenRequest& request,
             const Observer& observer, double trace)
      : a_(a),
        params_(params),
        request_(request),
        observer_(observer),
        vectors_(a.rows(), 0),
        products_(a.rows(), 0) {
    report_.solver = SolverId::Lanczos;
    report_.trace = trace;
  }

  [[nodiscard]] EigenSolution<S> solve() {
    for (bool more = true; more;) {
      const Search search = next_search();
      if (search.pairs == 0) break;
      if (2 * (found() + search.basis) > a_.rows()) return dense();
      more = run(search);
    }
    return solution();
  }

 private:
  /// What to search for in the complement of the pairs found.
  struct Search {
    Index wanted;  ///< number of pairs at the end
    bool missed;   ///< all are found; search for larger ones that a single start vector cannot see
    Index pairs;
    Index basis;
  };

  [[nodiscard]] Index found() const { return values_.size(); }

  [[nodiscard]] Search next_search() const {
    constexpr Index pairs_at_first = 16;  // if the number of components is not known
    Search search{};
    const Index most = params_.basis > 0 ? (std::max)(params_.basis / 2, Index{1}) : a_.rows();
    if (request_.components.is_fraction()) {
      search.wanted = explaining(request_.components.fraction());
      if (search.wanted < 0)
        search.wanted = found() + (std::min)((std::max)(pairs_at_first, found()), most);
    } else {
      search.wanted = request_.components.count();
    }
    search.missed = found() >= search.wanted;
    search.pairs =
        search.missed ? (std::min)({search.wanted, pairs_at_first, most}) : search.wanted - found();
    search.basis = params_.basis > 0 ? (std::max)(params_.basis, search.pairs + 1)
                                     : (std::max)(2 * search.pairs + 1, Index{20});
    return search;
  }

  /// The number of leading pairs that explain this fraction of the trace; -1 if all pairs found so
  /// far explain less.
  [[nodiscard]] Index explaining(double fraction) const {
    const double target =
        std::ldexp(fraction * report_.trace * (1 - std::numeric_limits<S>::epsilon()), -exponent_);
    double sum = 0;
    Index count = 0;
    for (; count < found() && sum < target; ++count) sum += static_cast<double>(values_(count));
    return sum >= target ? count : -1;
  }

  /// Bound of what rounding errors in products can add to a residual.
  [[nodiscard]] S noise() const {
    const double of_entries = std::ldexp(rounding_noise<S>(request_), -exponent_);
    const S of_pairs = found() > 0 ? KrylovBasis<S>::rounding * values_(0) : S(0);
    return (std::max)(static_cast<S>(of_entries), of_pairs);
  }

  /// Residuals up to this value are accepted. Without pairs, \p ritz gives the scale.
  [[nodiscard]] S allowed(const RitzPairs<S>& ritz) const {
    const S largest = found() > 0 ? values_(0) : ritz.values(0);
    const S scale = largest > 0 ? largest : ritz.values.cwiseAbs().maxCoeff();
    return allowed(scale);
  }
  [[nodiscard]] S allowed(S largest) const {
    const S tolerance = (std::max)(static_cast<S>(params_.tolerance), KrylovBasis<S>::rounding);
    return (std::max)(tolerance * largest, noise());
  }

  /// The search is for Ritz values above this bound only.
  [[nodiscard]] S bound(const Search& search, const RitzPairs<S>& ritz) const {
    if (search.missed) return values_(search.wanted - 1) + allowed(ritz);
    const S largest = found() > 0 ? values_(0) : ritz.values(0);
    const double floor =
        zero_floor<S>(std::ldexp(static_cast<double>(largest), exponent_), a_.rows(), request_);
    return static_cast<S>(std::ldexp(floor, -exponent_));
  }

  /// True if the pairs searched for have converged, and the next Ritz value is certainly not one of
  /// them: its residual is small compared with its distance from the bound.
  [[nodiscard]] bool settled(const Search& search, const RitzPairs<S>& ritz) const {
    const S half = allowed(ritz) / 2;  // the other half is left for rounding errors
    const S least = bound(search, ritz);
    for (Index i = 0; i < search.pairs; ++i) {
      if (i == ritz.values.size()) return false;
      if (!(ritz.values(i) > least))
        return ritz.residuals(i) <= (std::max)(half, (least - ritz.values(i)) / 10);
      if (!(ritz.residuals(i) <= half)) return false;
    }
    return true;
  }

  /// out = 2^-exponent K v. Returns false if the observer stops the run or the product is not
  /// finite.
  [[nodiscard]] bool multiply(const Points<S>& v, GramOut<S> out) {
    if (!go_on(observer_, {"lanczos", report_.kernel_products, 0})) {
      report_.status = Status::Cancelled;
      complete_ = false;
      return false;
    }
    a_.apply(v, out);
    const bool first = report_.kernel_products == 0;
    report_.kernel_products += v.cols();
    if (first)
      set_exponent(static_cast<double>(out.cwiseAbs().maxCoeff()) /
                   static_cast<double>(v.cwiseAbs().maxCoeff()));
    out *= std::ldexp(S(1), -exponent_);
    if (out.allFinite()) return true;
    complete_ = false;
    return false;
  }

  /// Scales K to order 1, because Spectra's thresholds are absolute. A power of two is exact.
  void set_exponent(double size) {
    if (size > 0 && std::isfinite(size))
      exponent_ = (std::max)(std::ilogb(size), std::numeric_limits<S>::min_exponent);
  }

  /// Runs Spectra on (I - U U^T) K (I - U U^T). Returns false if there is nothing more to do.
  [[nodiscard]] bool run(const Search& search) {
    const Index n = a_.rows();
    const auto product = [&](const Points<S>& v, GramOut<S> out) { return deflated(v, out); };
    const auto test = [&](const RitzPairs<S>& ritz) { return settled(search, ritz); };
    KrylovBasis<S> krylov(
        n, search.pairs, search.basis, [&] { return noise(); }, product, test);
    note_bytes(KrylovBasis<S>::bytes(n, search.basis));
    const Matrix<S> start = normal_matrix<S>(n, 1, params_.seed + starts_++, "lanczos");
    const KrylovEnd end = krylov.build(start, params_.max_iterations - report_.iterations,
                                       static_cast<S>(params_.tolerance / 2));
    report_.iterations += krylov.restarts();
    if (end == KrylovEnd::Limit || end == KrylovEnd::Failed) complete_ = false;

    const RitzPairs<S> ritz = krylov.ritz();
    if (ritz.values.size() == 0) return false;
    if (found() == 0) negative_ = ritz.values.tail((ritz.values.array() < 0).count());
    const S least = bound(search, ritz);
    Index news = 0;
    while (news < (std::min)(search.pairs, ritz.values.size()) && ritz.values(news) > least) ++news;
    if (news == 0) return false;
    Matrix<S> fresh =
        mercer::multiply(krylov.vectors(), Matrix<S>(ritz.coefficients.leftCols(news)));
    if (!complete_ && found() >= search.wanted) return false;
    if (end != KrylovEnd::Stopped && merge(fresh, search)) return complete_;
    if (found() == 0) {  // no more products: take the residuals from the recurrence
      vectors_ = std::move(fresh);
      values_ = ritz.values.head(news);
      residuals_ = ritz.residuals.head(news);
    }
    return false;
  }

  /// out = 2^-exponent (I - U U^T) K (I - U U^T) v.
  [[nodiscard]] bool deflated(const Points<S>& v, GramOut<S> out) {
    if (found() == 0) return multiply(v, out);
    Matrix<S> rest = v;
    Matrix<S> product(v.rows(), v.cols());
    deflate(rest);
    if (!multiply(rest, product)) return false;
    deflate(product);
    out = product;
    return true;
  }

  void deflate(Matrix<S>& v) const { add_product(S(-1), vectors_, inner(vectors_, v), v); }

  /// Rayleigh-Ritz on the pairs found and the new ones together. Takes one block product, which
  /// also gives the residuals. Returns false if the product was not made.
  [[nodiscard]] bool merge(const Matrix<S>& fresh, const Search& search) {
    const Matrix<S> q = orthogonalize_against(vectors_, fresh).Q;
    Matrix<S> kq(q.rows(), q.cols());
    if (!multiply(q, kq)) return false;
    const Index old = vectors_.cols();
    const Index total = old + q.cols();
    vectors_.conservativeResize(Eigen::NoChange, total);
    vectors_.rightCols(q.cols()) = q;
    products_.conservativeResize(Eigen::NoChange, total);
    products_.rightCols(q.cols()) = kq;
    note_bytes(static_cast<std::size_t>(a_.rows() * (2 * q.cols() + total)) * sizeof(S));

    const EigenSystem<S> system = rayleigh_ritz(vectors_, products_);
    const Index keep = (std::min)(total, search.wanted);
    const Matrix<S> rotation = system.vectors.leftCols(keep);
    vectors_ = mercer::multiply(vectors_, rotation);
    products_ = mercer::multiply(products_, rotation);
    values_ = system.values.head(keep);
    residuals_ = (products_ - vectors_ * values_.asDiagonal()).colwise().norm().transpose();
    return true;
  }

  void note_bytes(std::size_t beside_pairs) {
    const auto pairs = static_cast<std::size_t>(vectors_.size() + products_.size()) * sizeof(S);
    report_.bytes = (std::max)(report_.bytes, pairs + beside_pairs);
  }

  [[nodiscard]] EigenSolution<S> dense() const {
    EigenSolution<S> solution = Exact{}.solve(a_, request_, observer_);
    Report& report = solution.report;
    report.solver = SolverId::Lanczos;
    report.solver_form = "dense";
    report.iterations = report_.iterations;
    report.kernel_products += report_.kernel_products + a_.rows();
    report.eigenvalue_error_bounds = report.residuals;
    return solution;
  }

  [[nodiscard]] EigenSolution<S> solution() {
    EigenSolution<S> result;
    // Without pairs, one zero eigenvalue makes select_components() fill the report.
    Vector<S> values = Vector<S>::Zero((std::max)(found() + negative_.size(), Index{1}));
    values.head(found()) = values_;
    values.segment(found(), negative_.size()) = negative_;
    values *= std::ldexp(S(1), exponent_);
    const Index kept = select_components(values, a_.rows(), request_, report_);
    if (!complete_) report_.zero_eigenvalues = 0;  // not searched for
    bool within = true;
    for (Index i = 0; i < kept; ++i) {
      within = within && residuals_(i) <= allowed(values_(0));
      report_.residuals.push_back(std::ldexp(static_cast<double>(residuals_(i)), exponent_));
    }
    if (complete_ && within) report_.status = Status::Converged;
    report_.eigenvalue_error_bounds = report_.residuals;
    result.eigenvalues = values.head(kept);
    result.eigenvectors = vectors_.leftCols(kept);
    if (products_.cols() >= kept)
      result.products = std::ldexp(S(1), exponent_) * products_.leftCols(kept);
    result.report = std::move(report_);
    return result;
  }

  OperatorView<S> a_;
  LanczosParams params_;
  EigenRequest request_;
  const Observer& observer_;
  Report report_;
  bool complete_ = true;  // no limit, failure or observer has cut the search short
  std::uint64_t starts_ = 0;
  int exponent_ = 0;
  Matrix<S> vectors_;
  Matrix<S> products_;
  Vector<S> values_;
  Vector<S> residuals_;
  Vector<S> negative_;  // negative Ritz values; K has at least as many negative eigenvalues
};

}  // namespace detail

/// Lanczos iteration with implicit restarts, by Spectra. It needs fewer products than the other
/// solvers, each with one vector. Take it for matrices in memory. If entries are recomputed for
/// each product, take a block method, which shares that work.
///
/// Works on any SymmetricOperator. For indefinite ones it finds the largest positive eigenvalues.
///
/// The Krylov space of one start vector holds one vector of each eigenspace, so it misses multiple
/// eigenvalues, which regular or one-hot data has. So, after the k pairs are found, their
/// complement is searched from a new start vector for eigenvalues above mu_k + tolerance mu_1.
/// Pairs found there are merged, and the search is repeated until it finds none.
///
/// If the basis would have more than n/2 vectors (always for n < 40), the matrix is formed and
/// passed to Exact. K is scaled by a power of two, so results do not depend on its units. The
/// report then says "lanczos (dense)". Iterations are restarts. The observer is called before every
/// product.
///
/// Cost: report.kernel_products products, and O(n basis) operations for each.
/// Memory: 2 basis + 2 k vectors of n values.
/// Accuracy: the error of an eigenvalue is at most its residual, in most cases about the squared
///   residual divided by the gap.
/// Threads: the result is the same to the last bit for any number.
/// Status: Converged if every residual, measured with a product, is within tolerance mu_1 or within
///   rounding errors, and the search for missed pairs was completed. NotConverged if max_iterations
///   came first or products are not finite. Cancelled before the first Rayleigh-Ritz step: the Ritz
///   pairs of the current basis, with residuals from the recurrence.
/// Random: start vectors from params.seed, purpose "lanczos".
/// Throws InvalidArgument for 0 < basis <= k, and for a fraction of variance if the operator has no
///   diagonal.
/// Source: Sorensen, Implicit application of polynomial filters in a k-step Arnoldi method, 1992,
///   as implemented by Spectra; spec 5.4.
class Lanczos {
 public:
  using Params = LanczosParams;

  Lanczos() = default;

  /// Throws InvalidArgument for a tolerance that is not positive, a negative basis or
  ///   max_iterations < 1.
  explicit Lanczos(Params params) : params_(params) {
    detail::require_positive("Lanczos", "tolerance", params.tolerance);
    if (params.basis < 0)
      detail::fail("mercer::Lanczos: basis must not be negative, got ", params.basis);
    detail::require_at_least("Lanczos", "max_iterations", params.max_iterations, Index{1});
  }

  [[nodiscard]] const Params& params() const { return params_; }

  static constexpr bool wants_dense = false;
  [[nodiscard]] double tolerance() const { return params_.tolerance; }
  /// Memory of a run: the pairs and their products, and a Krylov basis.
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    const Index k = components > 0 ? components : 16;
    const Index basis =
        params_.basis > 0 ? (std::max)(params_.basis, k + 1) : (std::max)(2 * k + 1, Index{20});
    return static_cast<std::size_t>(2 * n * k) * sizeof(double) +
           detail::KrylovBasis<double>::bytes(n, basis);
  }

  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    const Components& components = request.components;
    if (params_.basis > 0 && !components.is_fraction() && params_.basis <= components.count())
      detail::fail("mercer::Lanczos: basis must be larger than the number of components, ",
                   components.count(), ", got ", params_.basis);
    const double trace = detail::trace(a, request);
    using S = typename A::Scalar;
    return detail::LanczosRun<S>(OperatorView<S>(a), params_, request, observer, trace).solve();
  }

 private:
  Params params_;
};

}  // namespace mercer

#endif  // MERCER_SOLVERS_KRYLOV_LANCZOS_HPP
