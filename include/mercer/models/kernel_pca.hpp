// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel principal component analysis.

#ifndef MERCER_MODELS_KERNEL_PCA_HPP
#define MERCER_MODELS_KERNEL_PCA_HPP

#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/memory.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/sample_weights.hpp>
#include <mercer/core/streams/matrix_stream.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/callable.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/models/feature_pca_model.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/operators/gram_form.hpp>
#include <mercer/operators/recorded.hpp>
#include <mercer/solvers/auto.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/feature_solver.hpp>
#include <mercer/solvers/kernel_solver.hpp>
#include <mercer/solvers/on_gram.hpp>

namespace mercer {

struct KernelPcaParams {
  Components components = 2;  ///< the number of components, or the fraction of variance to explain
  bool centered = true;       ///< subtract the mean in feature space
  double zero_threshold = 1e-12;  ///< eigenvalues up to this times the largest one count as zero
  /// Bytes that a fit may hold beside the samples; 0 means default_memory_budget(). The matrix of
  /// an explicitly requested Exact solver is held whatever its size.
  std::size_t memory_budget = 0;
  /// How a Gram operator holds its matrix. If empty, plan_gram() decides.
  std::optional<GramStorage> storage = {};
  /// The precision of kernel values. If empty, the plan or the solver decides.
  std::optional<Precision> precision = {};
  /// If set, what a fit has computed is kept there, and taken from there if it is there already: an
  /// interrupted fit goes on. That is the products of the Gram matrix for BlockKrylov, Lanczos,
  /// PowerIteration, Dual, Dca, Auto (where it takes BlockKrylov) and the user's solvers of
  /// operators that make products, the iterate of Spgd and, over processes, the sums of FeaturePca.
  /// For all kernels but Precomputed. See io::RecordFolder.
  std::shared_ptr<FitRecord> record = {};
};

/// Solvers that can fit a model: solvers of kernels, of streams, and of operators. OnGram turns a
/// solver of operators into one of kernels.
template <class S>
concept SpectralSolver = KernelSolver<S> || FeatureSolver<S> || OperatorSolver<S>;

/// A model, and the scores of its training samples: *factor * rotation, or *factor if the rotation
/// is empty, or those that the model knows if there is no factor. With a rotation, the signs of the
/// components are any.
template <class Model>
struct FactoredFit {
  Model model;  ///< the fitted model
  /// n rows, or null.
  std::shared_ptr<const Matrix<typename Model::Scalar>> factor;
  Matrix<double> rotation;  ///< may be empty

  /// True if the scores exceed the memory budget. Then model.transform() of the samples gives them.
  [[nodiscard]] bool scores_left_out() const { return model.parts().over_landmarks && !factor; }
};

/// Kernel principal component analysis. It computes the leading eigenpairs of the (centred) Gram
/// matrix of the samples, and from them k functions on the input space.
///
/// \code
///   mercer::KernelPca pca{mercer::Gaussian{1.5}, mercer::BlockKrylov{}, {.components = 20}};
///   auto model = pca.fit(X);                     // X: n x d, one sample per row
///   Eigen::MatrixXd scores = model.transform(Q);  // q x 20
/// \endcode
///
/// An object holds only settings, so it may fit any number of data sets.
/// \tparam K  models Kernel, or is Precomputed (fit then takes the n x n Gram matrix itself)
/// \tparam S  models KernelSolver, OperatorSolver (which OnGram turns into a KernelSolver), or
///   FeatureSolver (which also takes streams of samples)
/// Threads: one object may fit from several threads at once, unless params.record is set.
/// Source: Schoelkopf, Smola, Mueller, Nonlinear component analysis as a kernel eigenvalue problem,
///   1998.
template <KernelOrPrecomputed K, SpectralSolver S = Auto>
class KernelPca {
 public:
  using Params = KernelPcaParams;

  explicit KernelPca(K kernel, S solver = {}, KernelPcaParams params = {})
      : kernel_(std::move(kernel)), solver_(std::move(solver)), params_(std::move(params)) {}

  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const S& solver() const { return solver_; }
  [[nodiscard]] const KernelPcaParams& params() const { return params_; }

  /// Fits to the samples in the rows of \p x: dense in either storage order, or sparse, of float or
  /// double. With a FeatureSolver, x may also be a SampleStream, and the model holds no samples.
  /// Returns KernelPcaModel<K, OwnedSamplesOf<X>>, or FeaturePcaModel.
  ///
  /// The model has fewer components than requested if the others have no variance. Constant data
  /// and n = 1 have no variance at all. The report gives the number and the sign of the dropped
  /// eigenvalues.
  /// Throws InvalidArgument for empty or non-finite samples, for samples outside the kernel's
  ///   domain, and for components outside [1, n] or (0, 1].
  /// Lifetime: the model owns its samples. An rvalue that is already in the stored form is moved
  ///   into the model; anything else is copied.
  /// Random: as the solver.
  template <class Samples>
  [[nodiscard]] auto fit(Samples&& x, const Observer& observer = {}) const {
    return fit_request(std::forward<Samples>(x), request(), observer);
  }

  /// The same for samples with weights omega: a sample with the weight 2 counts like two equal
  /// samples, and one with the weight 0 does not count. The mean in feature space is m = sum_i p_i
  /// phi(x_i), p_i = omega_i / sum_j omega_j, and the components are eigenvectors of
  /// n sum_i p_i (phi(x_i) - m)(phi(x_i) - m)^T with the eigenvalues mu_i. Only the ratios of
  /// weights matter. Column i of the training scores has sum_j n p_j score_ji^2 = mu_i; n counts
  /// all samples, also in explained_variance(). Samples without weight have scores, but do not
  /// decide about signs (coefficients decide those of FeaturePca), and are not kept in the model,
  /// unless they are given landmarks or rows of a precomputed matrix.
  ///
  /// For solvers of eigenpairs (Auto, Exact, BlockKrylov, Lanczos, PowerIteration, Dual, and the
  /// user's), Nystrom and FeaturePca. Solvers of eigenpairs find the pairs of
  /// D^(1/2) (I - 1 p^T) K (I - p 1^T) D^(1/2), D = n diag(p).
  /// \param weights  a vector of n values, not negative, at least one of them positive
  /// Cost: as without weights. Solvers of eigenpairs make one more pass over the kernel values, for
  ///   the scores.
  /// Throws InvalidArgument also for other weights, and for solvers that take none (but equal
  ///   weights of samples in memory are as good as none).
  template <class Samples, class Weights>
  [[nodiscard]] auto fit(Samples&& x, const Eigen::MatrixBase<Weights>& weights,
                         const Observer& observer = {}) const {
    KernelRequest wanted = request();
    wanted.weights = weights_for(x, weights.template cast<double>().reshaped());
    return fit_request(std::forward<Samples>(x), wanted, observer);
  }

  /// As fit() of samples in memory, for methods that go on from the scores of all components. They
  /// come as a product where this saves work, and may be left out where they exceed the memory
  /// budget; the report may have no residuals.
  template <class Samples>
  [[nodiscard]] auto fit_factored(Samples&& x, const Observer& observer = {}) const {
    KernelRequest wanted = request();
    wanted.factored_scores = true;
    auto [parts, rotation] = solve(std::forward<Samples>(x), wanted, observer);
    auto scores = parts.training_scores;
    if (rotation.size() > 0) parts.training_scores = nullptr;
    using Model = KernelPcaModel<K, std::remove_cvref_t<decltype(*parts.points)>>;
    return FactoredFit<Model>{Model(std::move(parts), detail::PointsAreChecked{}),
                              std::move(scores), std::move(rotation)};
  }

  /// The scores of the training samples, n x k: fit(x).training_scores().
  template <class Samples>
  [[nodiscard]] auto fit_transform(Samples&& x, const Observer& observer = {}) const {
    if constexpr (FeatureSolver<S>)
      return fit(x, observer).transform(x);
    else
      return fit(std::forward<Samples>(x), observer).training_scores();
  }

 private:
  template <class Samples>
  [[nodiscard]] auto fit_request(Samples&& x, const KernelRequest& wanted,
                                 const Observer& observer) const {
    using X = std::remove_cvref_t<Samples>;
    static_assert(!SampleStream<X> || FeatureSolver<S>,
                  "mercer::KernelPca: this solver needs all samples in memory; solvers over "
                  "features, FeaturePca and DoublyStochastic, take streams");
    if constexpr (FeatureSolver<S>)
      return fit_features(x, wanted, observer);
    else
      return KernelPcaModel<K, OwnedSamplesOf<X>>(
          solve(std::forward<Samples>(x), wanted, observer).first, detail::PointsAreChecked{});
  }

  /// The weights of a request. If all are equal, there are none.
  /// Throws InvalidArgument for weights that are negative, not finite, or all 0, and for samples of
  ///   another number.
  template <class Samples>
  [[nodiscard]] Vector<double> weights_for(const Samples& x, const Vector<double>& weights) const {
    constexpr std::string_view who = "mercer::KernelPca::fit: ";
    if constexpr (!SampleStream<Samples>)
      detail::require_as_many_weights(who, x.rows(), weights.size());
    const RowSpace rows = RowSpace::whole(weights.size());
    Vector<double> scaled = detail::weights_of_mean_one(who, rows, weights);
    // A stream must have as many rows as weights, which is found when it is read.
    if (!SampleStream<Samples> && detail::all_equal(rows, weights)) return {};
    return scaled;
  }

  /// Throws InvalidArgument for samples without rows or columns, and for components that they
  /// cannot have.
  void check(Index rows, Index columns) const {
    if (rows == 0 || columns == 0)
      detail::fail("mercer::KernelPca::fit: needs at least one row and one column, got ", rows,
                   " x ", columns);
    params_.components.validate(rows);
  }

  /// The parts of the model, and the rotation of the scores if they are left as a product.
  template <class Samples>
  [[nodiscard]] auto solve(Samples&& x, const KernelRequest& wanted,
                           const Observer& observer) const {
    using X = OwnedSamplesOf<std::remove_cvref_t<Samples>>;
    static_assert(Real<typename X::Scalar>,
                  "mercer::KernelPca: samples must be of float or double; cast<double>() them");
    static_assert(
        evaluates_on<K, X>,
        "mercer::KernelPca: this kernel cannot be evaluated on samples of this form: it has "
        "no gram() for this scalar, or none for sparse rows");
    const detail::FitClock clock;
    check(x.rows(), x.cols());
    // The caller's samples are copied only if the model is to own them: landmarks may take their
    // place.
    constexpr bool borrowed =
        std::is_lvalue_reference_v<Samples> && std::same_as<std::remove_cvref_t<Samples>, X>;
    const std::shared_ptr<const X> samples = [&]() -> std::shared_ptr<const X> {
      PhaseTimer timer(Phase::SamplesPrepared);
      std::shared_ptr<const X> taken;
      if constexpr (borrowed)
        taken = std::shared_ptr<const X>(std::shared_ptr<const void>(), &x);
      else
        taken = std::make_shared<const X>(std::forward<Samples>(x));
      timer.count(detail::value_bytes(*taken));
      detail::require_samples("KernelPca::fit", kernel_, *taken);
      return taken;
    }();
    KernelPcaParts<K, X> parts = detail::parts_before_fit(kernel_, samples, params_.centered);
    Matrix<double> rotation;
    if (detail::go_on(observer, {"gram matrix", 0, 1})) {
      decltype(auto) solver = as_kernel_solver(solver_);
      using Solver = std::remove_cvref_t<decltype(solver)>;
      static_assert(solves_for<Solver, K, X>,
                    "mercer::KernelPca: this solver asks more of a kernel than this one has");
      detail::require_weights_taken("KernelPca::fit", solver, wanted.weights.size() > 0);
      detail::require_record_kept("KernelPca::fit", wanted.record != nullptr, keeps_record(solver));
      KernelSolution<X> solution = solver.solve(kernel_, *samples, wanted, observer);
      rotation = std::move(solution.rotation);
      const bool left_out = solution.points && solution.training_scores.rows() == 0;
      const bool keep_signs = rotation.size() > 0 || left_out || wanted.weights.size() > 0;
      detail::take_solution(std::move(solution), parts, keep_signs);
      if (left_out) parts.training_scores = nullptr;
    } else {
      parts.report.status = Status::Cancelled;
    }
    if constexpr (borrowed)
      if (parts.points.get() == &x) parts.points = std::make_shared<const X>(detail::copy_of(x));
    clock.report(parts.report);
    return std::pair(std::move(parts), std::move(rotation));
  }

  /// Fits with a solver over features. The samples are a stream, or a matrix that is read as a
  /// stream.
  template <class Samples>
  [[nodiscard]] auto fit_features(Samples& x, const KernelRequest& wanted,
                                  const Observer& observer) const {
    static_assert(Real<typename Samples::Scalar>,
                  "mercer::KernelPca: samples must be of float or double; cast<double>() them");
    static_assert(FeatureMapFor<FeatureMapOf<S>, K>,
                  "mercer::KernelPca: the solver's feature map has no features for this kernel");
    if constexpr (SampleStream<Samples>) {
      return fit_stream(SampleStreamView<typename Samples::Scalar>(x), wanted, observer);
    } else {
      check(x.rows(), x.cols());
      const OwnedSamplesOf<Samples>& samples = x;
      MatrixStream stream(samples);
      return fit_stream(SampleStreamView<typename Samples::Scalar>(stream), wanted, observer);
    }
  }

  template <Real Scalar>
  [[nodiscard]] auto fit_stream(SampleStreamView<Scalar> stream, const KernelRequest& wanted,
                                const Observer& observer) const {
    const detail::FitClock clock;
    detail::require_weights_taken("KernelPca::fit", solver_, wanted.weights.size() > 0);
    detail::require_record_kept("KernelPca::fit", wanted.record != nullptr, keeps_record(solver_));
    FeatureSolution<Scalar> solution = solver_.solve(kernel_, stream, wanted, observer);
    Report& report = solution.report;
    report.kernel = detail::describe(kernel_);
    clock.report(report);
    return FeaturePcaModel<K, FeatureMapOf<S>, Scalar>(kernel_, solver_.map(), std::move(solution),
                                                       params_.centered);
  }

  [[nodiscard]] KernelRequest request() const {
    const std::size_t given = params_.memory_budget;
    return {.pairs = {.components = params_.components, .zero_threshold = params_.zero_threshold},
            .centered = params_.centered,
            .memory_budget = given > 0 ? given : default_memory_budget(),
            .memory_limit = given > 0 ? given : available_memory() / 2,
            .storage = params_.storage,
            .precision = params_.precision,
            .choice = "solver as asked for",
            .record = params_.record.get()};
  }

  K kernel_;
  S solver_;
  KernelPcaParams params_;
};

template <KernelOrPrecomputed K>
KernelPca(K) -> KernelPca<K, Auto>;
template <KernelOrPrecomputed K, SpectralSolver S>
KernelPca(K, S) -> KernelPca<K, S>;
template <KernelOrPrecomputed K, SpectralSolver S>
KernelPca(K, S, KernelPcaParams) -> KernelPca<K, S>;

/// A plain function of two samples is wrapped in Callable.
template <class F>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F)
->KernelPca<Callable<F>, Auto>;
template <class F, SpectralSolver S>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F, S)
->KernelPca<Callable<F>, S>;
template <class F, SpectralSolver S>
  requires(!KernelOrPrecomputed<F> && kernel_function<F, double>)
KernelPca(F, S, KernelPcaParams)
->KernelPca<Callable<F>, S>;

}  // namespace mercer

#endif  // MERCER_MODELS_KERNEL_PCA_HPP
