// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA of samples whose rows are in several processes.

#ifndef MERCER_MODELS_SPREAD_SPREAD_PCA_HPP
#define MERCER_MODELS_SPREAD_SPREAD_PCA_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/sample_weights.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/models/eigenvalue_convention.hpp>
#include <mercer/models/kernel_pca.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/operators/centered.hpp>
#include <mercer/operators/diagonally_scaled.hpp>
#include <mercer/operators/gram_plan.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/operators/spread_gram.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>
#include <mercer/solvers/detail/solve_on_first.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Solvers of operators whose rows may be in several processes: BlockKrylov and Lanczos.
template <class S>
concept SpreadSolver = OperatorSolver<S> && requires {
  requires S::takes_spread_rows;
};

/// Solvers of operators that need all rows on one process, but only products: Dual, Dca and
/// PowerIteration. Products can be shared by processes.
template <class S>
concept SharedSolver = OperatorSolver<S> && !SpreadSolver<S> && !S::wants_dense;

/// What fit_spread() takes from the solvers of operators, but for Exact.
template <class S>
concept SpreadOrSharedSolver = SpreadSolver<S> || SharedSolver<S>;

/// A kernel PCA whose samples are spread over processes, as fit_spread() makes it. Eigenvalues and
/// report are the same on all processes; scores are the rows of this process. So are coefficients,
/// unless the components are over landmarks: these are on all processes, with all coefficients.
/// If samples have weights, those without one have scores, and coefficients of 0.
/// Lifetime: holds the samples of this process, and refers to the processes.
template <KernelOrPrecomputed K, OwnedSamples X>
class SpreadPcaModel {
 public:
  using Scalar = typename X::Scalar;

  /// The parts, of which scores and, unless they are over landmarks, coefficients and the weights
  /// of the mean have the rows of this process. Without weights of the mean, they are equal.
  /// \param drops_unused  gather() leaves out samples that have no weight, as one process does for
  ///   directions and for samples with weights
  SpreadPcaModel(KernelPcaParts<K, X> parts, SpreadRows<X> samples, bool drops_unused = false)
      : parts_(std::move(parts)), samples_(std::move(samples)), drops_unused_(drops_unused) {}

  /// Number of components found.
  [[nodiscard]] Index components() const { return parts_.eigenvalues.size(); }
  /// Eigenvalues mu_1 >= mu_2 >= ... > 0 of the (centred) Gram matrix.
  [[nodiscard]] const Vector<Scalar>& eigenvalues() const { return parts_.eigenvalues; }
  /// The eigenvalues in another convention.
  [[nodiscard]] Vector<Scalar> eigenvalues(EigenvalueConvention convention) const {
    return detail::in_convention(parts_.eigenvalues, parts_.report.samples, convention);
  }
  [[nodiscard]] const Report& report() const { return parts_.report; }
  /// The samples of all processes.
  [[nodiscard]] const SpreadRows<X>& samples() const { return samples_; }

  /// A; the rows of this process, or those of the landmarks. See KernelPcaModel::coefficients().
  [[nodiscard]] const Matrix<Scalar>& coefficients() const { return parts_.coefficients; }
  /// Scores of the training samples, the rows of this process.
  [[nodiscard]] Matrix<Scalar> training_scores() const {
    if (parts_.training_scores) return *parts_.training_scores;
    return parts_.coefficients * parts_.eigenvalues.asDiagonal();
  }

  /// Scores of new samples, which are spread too: the rows of this process.
  /// Cost: q n / P kernel values on each of P processes, which also receives all n samples; q m /
  ///   P, and nothing is received, with m landmarks.
  /// Throws InvalidArgument, on all processes, for another dimension, for non-finite samples, and
  ///   for samples outside the kernel's domain. Collective.
  [[nodiscard]] Matrix<Scalar> transform(const SpreadRows<X>& queries) const;

  /// The model with all samples, on process 0: the same that one process would have made, to be
  /// archived or used there. Nothing on the others. Collective.
  /// Memory: all n samples and coefficients on process 0, or the scores of all samples.
  [[nodiscard]] std::optional<KernelPcaModel<K, X>> gather() const;

 private:
  KernelPcaParts<K, X> parts_;
  SpreadRows<X> samples_;
  bool drops_unused_;
};

namespace detail {

/// Throws InvalidArgument, on all processes, for samples that the kernel cannot have on any.
template <KernelOrPrecomputed K, OwnedSamples X>
void require_spread_samples(std::string_view who, const K& kernel, const SpreadRows<X>& samples) {
  samples.rows().together_on_rows([&] {
    if (samples.local().rows() > 0) require_samples(who, kernel, samples.local());
  });
}

/// In words, which are others for each request.
[[nodiscard]] inline std::string describe_components(const Components& wanted) {
  if (wanted.is_all()) return "all";
  if (wanted.is_fraction()) return "of the variance " + to_text(wanted.fraction());
  return to_text(wanted.count());
}

/// Weights of the rows of this process, scaled so that the mean of all is 1; or none.
struct RowWeights {
  bool any = false;       ///< the same on all processes, also on those that have no rows
  Vector<double> values;  ///< empty if there are none

  /// diag(weights)^(1/2); empty without weights.
  [[nodiscard]] Vector<double> roots() const { return values.cwiseSqrt(); }
  /// The shares of the mean of n rows; empty without weights.
  [[nodiscard]] Vector<double> shares(Index n) const { return values / static_cast<double>(n); }
};

/// The weights of samples, as fit_spread() takes them. If all are equal, there are none.
/// Throws InvalidArgument, on all processes, for weights that are negative, not finite, or all 0,
///   and for another number of them. Collective.
/// \param rows  of the samples
template <Real T>
[[nodiscard]] RowWeights row_weights(const RowSpace& rows, const SpreadRows<Matrix<T>>& weights) {
  constexpr std::string_view who = "mercer::fit_spread: ";
  require_as_many_weights(who, rows.total(), weights.rows().total());
  if (weights.cols() != 1) fail(who, "weights must be one column, got ", weights.cols());
  const Vector<double> local = weights.local().col(0).template cast<double>();
  Vector<double> scaled = weights_of_mean_one(who, rows, local);
  if (all_equal(rows, local)) return {};
  return {.any = true, .values = std::move(scaled)};
}

/// Throws InvalidArgument, on all processes, unless they have the same kernel, number of components
/// and settings of KernelPca. Collective.
/// \param keeps_record  whether the solver does; if not, params.record must not be set
template <KernelOrPrecomputed K>
void require_same_fit(const K& kernel, const KernelPcaParams& params, const RowSpace& rows,
                      bool keeps_record = false) {
  static_assert(!std::same_as<K, Precomputed>,
                "mercer::fit_spread: a precomputed Gram matrix has no samples to spread");
  const Processes& processes = rows.processes();
  require_same(processes, "kernels", describe(kernel));
  require_same(processes, "numbers of components", describe_components(params.components));
  std::string words = params.centered ? "centred" : "not centred";
  words.append(", zero threshold ").append(to_text(params.zero_threshold));
  if (params.record) words.append(", state kept");
  words.append(rows.order_free() ? ", order-free sums" : ", plain sums");
  require_same(processes, "settings of KernelPca", words);
  together(processes,
           [&] { require_record_kept("fit_spread", params.record != nullptr, keeps_record); });
  params.components.validate(rows.total());
}

/// The same, and samples that the kernel can have.
template <KernelOrPrecomputed K, OwnedSamples X>
void require_spread_fit(const K& kernel, const KernelPcaParams& params,
                        const SpreadRows<X>& samples, bool keeps_record = false) {
  require_same_fit(kernel, params, samples.rows(), keeps_record);
  require_spread_samples("fit_spread", kernel, samples);
}

/// The numbers that set a solver of operators or a selector of landmarks, in words.
template <class T>
[[nodiscard]] std::string settings_in_words(const T& solver) {
  std::string words;
  if constexpr (requires { solver.params(); }) {
    const auto& p = solver.params();
    const auto add = [&](const char* name, auto value) {
      words.append(words.empty() ? "" : ", ").append(name).append(" ").append(to_text(value));
    };
    if constexpr (requires { p.tolerance; }) add("tolerance", p.tolerance);
    if constexpr (requires { p.block; }) add("block", p.block);
    if constexpr (requires { p.basis; }) add("basis", p.basis);
    if constexpr (requires { p.iterations; }) add("iterations", p.iterations);
    if constexpr (requires { p.max_iterations; }) add("max_iterations", p.max_iterations);
    if constexpr (requires { p.seed; }) add("seed", p.seed);
    if constexpr (requires { p.type; }) add("type", std::string_view(p.type));
  }
  if constexpr (requires { solver.landmarks(); }) {
    const auto& given = solver.landmarks();
    RowWriter out;
    if constexpr (OwnedSamples<std::remove_cvref_t<decltype(given)>>)
      out.add(given);
    else
      out.add(given.data(), static_cast<Index>(given.size()));
    const std::vector<std::byte> bytes = out.take();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    words.append("landmarks with the checksum ").append(to_text(hash_name(text)));
  }
  return words;
}

/// How rows are spread, in words.
[[nodiscard]] inline std::string describe_rows(const RowSpace& rows) {
  const Index size = rows.processes().size();
  return "rows over " + to_text(size) + (size == 1 ? " process, " : " processes, ") +
         (rows.order_free() ? "order-free sums" : "plain sums");
}

/// The parts of a model from eigenpairs or directions. Row means are those of K; empty if K is not
/// centred. With weights, the eigenpairs are those of S K S, S = diag(weights)^(1/2), and scores
/// and signs are still missing.
template <KernelOrPrecomputed K, OwnedSamples X, class Found>
[[nodiscard]] KernelPcaParts<K, X> spread_parts(const K& kernel, const SpreadRows<X>& samples,
                                                Found found, const Vector<double>& row_means,
                                                const RowWeights& weights) {
  using S = typename X::Scalar;
  const RowSpace& rows = samples.rows();
  const Index k = found.eigenvalues.size();
  Matrix<double> a;
  std::shared_ptr<const Matrix<S>> scores;
  if constexpr (std::same_as<Found, EigenSolution<double>>) {
    if (weights.any)
      found.eigenvectors = (weights.roots().asDiagonal() * found.eigenvectors).eval();
    else
      fix_signs(rows, found.eigenvectors);
    a = found.eigenvectors * found.eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
  } else {
    a = found.coefficients * fix_signs(rows, found.scores).asDiagonal();
    scores = std::make_shared<const Matrix<S>>(found.scores.template cast<S>());
  }
  Vector<double> offset = Vector<double>::Zero(k), shares = weights.shares(rows.total());
  double mean = 0;
  if (rows.any(row_means.size() > 0)) {
    if (weights.any)
      a -= shares * block_sums<double>(rows, a).transpose();
    else
      centre_columns<double>(rows, a);
    offset = inner(rows, a, row_means);
    mean = column_means(rows, weights.any ? &shares : nullptr, row_means)(0);
  } else {
    shares.setZero();
  }
  KernelPcaParts<K, X> parts{.kernel = kernel,
                             .points = nullptr,
                             .eigenvalues = found.eigenvalues.template cast<S>(),
                             .coefficients = a.template cast<S>(),
                             .offset = offset.template cast<S>(),
                             .mean_weights = shares.template cast<S>(),
                             .mean = static_cast<S>(mean),
                             .training_scores = std::move(scores),
                             .report = std::move(found.report)};
  parts.report.samples = rows.total();
  parts.report.dimension = samples.cols();
  parts.report.components = k;
  parts.report.kernel = describe(kernel);
  parts.report.precision = precision_of<S>;
  return parts;
}

/// Sets the scores of weighted samples to K A - offset, and the signs, as OnGram does in one
/// process. Collective.
template <KernelOrPrecomputed K, OwnedSamples X, HasRowSpace G>
void score_weighted(const G& gram, const Vector<double>& weights, KernelPcaParts<K, X>& parts) {
  using S = typename X::Scalar;
  const RowSpace rows = gram.row_space();
  const Matrix<double> a = parts.coefficients.template cast<double>();
  Matrix<double> scores(rows.local(), a.cols());
  gram.apply(a, scores);
  scores.rowwise() -= parts.offset.template cast<double>().transpose();
  const Vector<S> signs = fix_signs(rows, weights, scores).template cast<S>();
  parts.coefficients *= signs.asDiagonal();
  parts.offset = parts.offset.cwiseProduct(signs).eval();
  parts.training_scores = std::make_shared<const Matrix<S>>(scores.template cast<S>());
  parts.report.kernel_products += scores.cols();
}

/// Solvers of kernel PCA that follow the weights of samples.
template <class S>
concept TakesWeights = GramSolver<S> || requires {
  requires S::takes_weights();
};

/// Eigenpairs of an operator whose rows are in several processes. Eigenvalues and report are the
/// same on all. Collective.
template <SpreadOrSharedSolver S, HasRowSpace A>
[[nodiscard]] auto solve_spread(const S& solver, const A& a, const EigenRequest& request,
                                const Observer& observer) {
  if constexpr (SpreadSolver<S>) {
    auto found = solver.solve(a, request, observer);
    agree(a.row_space().processes(), found.report);
    return found;
  } else {
    return solve_on_first(solver, a, request, observer);
  }
}

/// The reason for a solver that the caller has chosen.
inline constexpr const char* as_asked_for = "solver as asked for";

/// The memory budget for what every process holds whole, as the parameters of features.
/// \param given  what the caller has set; 0: the part of one process in what those of its machine
///   have by default
[[nodiscard]] inline std::size_t own_budget(const Processes& processes, std::size_t given) {
  const auto sharing = static_cast<std::size_t>(processes.size_on_machine());
  return given > 0 ? given : default_memory_budget(sharing);
}

/// The least memory budget of all processes, with which all of them plan. It is for the rows of all
/// of them together, or for what one process holds alone. So it is not divided, and plans and
/// landmarks do not depend on the number of processes. Collective.
/// \param given  what the caller has set; 0: default_memory_budget(), which is the same in all runs
///   where 2 GiB are free. With less, plans depend on what is free, and so on what other processes
///   of the machine hold
[[nodiscard]] inline std::size_t least_budget(const Processes& processes, std::size_t given) {
  double budget = -static_cast<double>(given > 0 ? given : default_memory_budget());
  processes.maximum({&budget, 1});
  // No integer holds the double that is next to unlimited_memory.
  return -budget >= static_cast<double>(unlimited_memory) ? unlimited_memory
                                                          : static_cast<std::size_t>(-budget);
}

/// Throws BudgetTooSmall, on all processes, if what the solver holds on one of them is more than a
/// memory budget that was given. Collective.
template <SpreadOrSharedSolver S, OwnedSamples X>
void require_budget(const S& solver, const KernelPcaParams& params, const SpreadRows<X>& samples) {
  const RowSpace& rows = samples.rows();
  const Components& wanted = params.components;
  const Index mine = !SharedSolver<S>               ? rows.local()
                     : rows.processes().rank() == 0 ? rows.total()
                                                    : Index{0};
  auto needed = static_cast<double>(solver.bytes(mine, wanted.is_fraction() ? 0 : wanted.count()));
  rows.processes().maximum({&needed, 1});
  const std::size_t given = params.memory_budget > 0 ? params.memory_budget : unlimited_memory;
  require_budget(least_budget(rows.processes(), given), static_cast<std::size_t>(needed),
                 precision_of<typename X::Scalar>);
}

/// The parts of a model by a solver of operators.
/// \param choice  why this solver
template <KernelOrPrecomputed K, SpreadOrSharedSolver S, OwnedSamples X>
[[nodiscard]] KernelPcaParts<K, X> fit_parts(const KernelPca<K, S>& pca,
                                             const SpreadRows<X>& samples,
                                             const std::string& choice, const Observer& observer,
                                             const RowWeights& weights = {}) {
  const FitClock clock;
  const RowSpace& rows = samples.rows();
  const KernelPcaParams& params = pca.params();
  const Components& wanted = params.components;
  require_spread_fit(pca.kernel(), params, samples, /*keeps_record=*/true);
  require_same(rows.processes(), "settings of the solver", settings_in_words(pca.solver()));
  require_budget(pca.solver(), params, samples);

  const KernelView<X> kernel(pca.kernel());
  FitRecord* const record = params.record.get();
  if (record) begin_record(*record, kernel, rows, samples.local());
  const Recorded gram(SpreadGram<X>(kernel, samples), record, precision_of<typename X::Scalar>);
  EigenRequest request{.components = wanted, .zero_threshold = params.zero_threshold};
  const Vector<double> scale = weights.roots();
  const Matrix<double> magnitudes = DiagonallyScaled(gram, scale).diagonal().cwiseAbs();
  request.noise_scale =
      noise_scale(kernel, rows, samples.local(), block_sums<double>(rows, magnitudes)(0));
  constexpr bool single = std::same_as<typename X::Scalar, float>;
  if (single) request.epsilon = double{std::numeric_limits<float>::epsilon()};

  const Centered centered(gram, weights.shares(rows.total()));
  auto found =
      params.centered
          ? solve_spread(pca.solver(), DiagonallyScaled(centered, scale), request, observer)
          : solve_spread(pca.solver(), DiagonallyScaled(gram, scale), request, observer);
  Vector<double> row_means;
  if (params.centered && found.report.iterations > 0) row_means = centered.row_means();
  Report& report = found.report;
  report.reason = choice + "; " + describe_rows(rows);
  report.storage = "tiles recomputed";
  add_record_reason(record, report);
  if (SharedSolver<S>) add_reason("steps on the first process, products on all", report);
  if (single) add_reason("residuals leave out the rounding of kernel values", report);
  if constexpr (GramSolver<S>) {
    report.eigenvalue_error_bounds = report.residuals;
    const double norm =
        found.eigenvalues.size() > 0 ? static_cast<double>(found.eigenvalues(0)) : 0;
    for (double& bound : report.eigenvalue_error_bounds)
      bound += rounding_bound<double>(request, rows.total(), norm);
  }
  KernelPcaParts<K, X> parts =
      spread_parts(pca.kernel(), samples, std::move(found), row_means, weights);
  parts.centered = params.centered;
  if (weights.any) score_weighted(gram, weights.values, parts);
  clock.report(parts.report);
  return parts;
}

/// fit_spread() with weights that have been checked, for the solver of a header. There are some.
template <KernelOrPrecomputed K, SpreadOrSharedSolver S, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_weighted(const KernelPca<K, S>& pca, SpreadRows<X> samples,
                                                const RowWeights& weights,
                                                const Observer& observer) {
  KernelPcaParts<K, X> parts = fit_parts(pca, samples, as_asked_for, observer, weights);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples), true);
}

}  // namespace detail

/// Kernel PCA of samples whose rows are in several processes, with a solver of operators. Tiles of
/// the Gram matrix are evaluated anew in each product, in the precision of the samples. With
/// order-free sums, all results have the same bits on any number of processes.
///
/// A SpreadSolver has its vectors over the processes. A SharedSolver runs on the first process,
/// with all rows of its vectors, and all processes share the work of products.
/// Shapes: coefficients and scores have the rows that \p samples has on this process.
/// Cost: that of the solver, over P processes; see SpreadGram for what they send.
/// Throws InvalidArgument, on all processes, in the cases of KernelPca::fit(), if processes have
///   different kernels, numbers of components or settings, and if the solver's vectors on a process
///   do not fit a memory budget that was given. Collective.
/// Accuracy: residuals of samples in single precision leave out the rounding of kernel values.
template <KernelOrPrecomputed K, class S, OwnedSamples X>
[[nodiscard]] SpreadPcaModel<K, X> fit_spread(const KernelPca<K, S>& pca, SpreadRows<X> samples,
                                              const Observer& observer = {}) {
  static_assert(
      SpreadOrSharedSolver<S>,
      "mercer::fit_spread: this solver cannot have its rows in several processes; take "
      "BlockKrylov, Lanczos or Dual, or another one of the folder mercer/models/spread with its "
      "header there");
  KernelPcaParts<K, X> parts = detail::fit_parts(pca, samples, detail::as_asked_for, observer);
  return SpreadPcaModel<K, X>(std::move(parts), std::move(samples), DirectionSolver<S>);
}

/// The same for samples with weights, by any solver of this folder that takes them; see
/// KernelPca::fit() for what they mean. Each process gives the weights of its samples, in one
/// column.
/// Cost: as without weights. Solvers of eigenpairs make one more product, for the scores.
/// Throws InvalidArgument, on all processes, also for weights that are negative, not finite, or all
///   0, for another number of them, and for solvers that take none (but equal weights are as good
///   as none). Collective.
template <KernelOrPrecomputed K, SpectralSolver S, OwnedSamples X, Real T>
[[nodiscard]] auto fit_spread(const KernelPca<K, S>& pca, SpreadRows<X> samples,
                              const SpreadRows<Matrix<T>>& weights, const Observer& observer = {}) {
  const detail::RowWeights of_rows = detail::row_weights(samples.rows(), weights);
  if constexpr (detail::TakesWeights<S>) {
    if (of_rows.any) return fit_weighted(pca, std::move(samples), of_rows, observer);
  } else {
    detail::require_weights_taken("fit_spread", pca.solver(), of_rows.any);
  }
  return fit_spread(pca, std::move(samples), observer);
}

template <KernelOrPrecomputed K, OwnedSamples X>
auto SpreadPcaModel<K, X>::transform(const SpreadRows<X>& queries) const -> Matrix<Scalar> {
  if (queries.cols() != samples_.cols())
    detail::fail("mercer::SpreadPcaModel::transform: samples must have ", samples_.cols(),
                 " columns, got ", queries.cols());
  detail::require_spread_samples("SpreadPcaModel::transform", parts_.kernel, queries);
  const KernelView<X> kernel(parts_.kernel);
  if (parts_.over_landmarks) {
    KernelSolution<X> components;
    components.points = *parts_.points;
    components.coefficients = parts_.coefficients;
    components.offset = parts_.offset;
    static_cast<void>(
        detail::fill_scores(kernel, queries.rows(), queries.local(), Observer(), components));
    return std::move(components.training_scores);
  }
  const SpreadGram<X> gram(kernel, samples_);
  Matrix<Scalar> scores = gram.product_with(queries, parts_.coefficients.template cast<double>())
                              .template cast<Scalar>();
  scores.rowwise() -= parts_.offset.transpose();
  return scores;
}

template <KernelOrPrecomputed K, OwnedSamples X>
std::optional<KernelPcaModel<K, X>> SpreadPcaModel<K, X>::gather() const {
  const bool first = samples_.rows().processes().rank() == 0;
  KernelPcaParts<K, X> parts = parts_;
  if (parts_.training_scores) {
    Matrix<Scalar> scores = detail::gather_rows(samples_.rows(), *parts_.training_scores);
    parts.training_scores = std::make_shared<const Matrix<Scalar>>(std::move(scores));
  }
  if (!parts_.over_landmarks) {
    X all = samples_.gather();
    parts.coefficients = detail::gather_rows(samples_.rows(), parts_.coefficients);
    const Index n = all.rows();
    parts.mean_weights = Vector<Scalar>::Zero(n);
    if (parts.centered && n > 0) parts.mean_weights.setConstant(1 / static_cast<Scalar>(n));
    if (drops_unused_ && samples_.rows().any(parts_.mean_weights.size() > 0))
      parts.mean_weights =
          detail::gather_rows(samples_.rows(), Matrix<Scalar>(parts_.mean_weights)).col(0);
    if (const auto used = detail::support<Scalar>(parts.coefficients, parts.mean_weights);
        used && drops_unused_ && components() > 0) {
      all = detail::take_rows(all, *used);
      parts.coefficients = detail::take_rows(parts.coefficients, *used);
      parts.mean_weights = detail::take_entries<Scalar>(parts.mean_weights, *used);
      parts.over_landmarks = true;
      parts.report.expansion_points = all.rows();
    }
    parts.points = std::make_shared<const X>(std::move(all));
  }
  if (!first) return std::nullopt;
  return KernelPcaModel<K, X>(std::move(parts), detail::PointsAreChecked{});
}

}  // namespace mercer

#endif  // MERCER_MODELS_SPREAD_SPREAD_PCA_HPP
