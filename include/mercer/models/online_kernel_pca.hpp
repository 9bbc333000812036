// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Online kernel PCA of samples that arrive one after the other, and the model at any time.

#ifndef MERCER_MODELS_ONLINE_KERNEL_PCA_HPP
#define MERCER_MODELS_ONLINE_KERNEL_PCA_HPP

#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/models/kernel_pca_model.hpp>
#include <mercer/models/kernel_pca_parts.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <mercer/solvers/hebbian/online_hebbian_run.hpp>
#include <mercer/solvers/kernel_solver.hpp>

namespace mercer {

/// Kernel PCA of samples that arrive one after the other, each seen once, in memory that does not
/// grow with their number. Holds k functions over a dictionary of some of the samples, moved by
/// Hebbian updates as OnlineHebbianRun describes; they follow data whose distribution drifts if the
/// gain is constant.
///
/// \code
///   OnlineKernelPca online(Gaussian{1.5}, 5);
///   io::NpyStream<double> samples("large.npy");
///   online.add(samples);                   // or rows of a matrix, as they arrive
///   const KernelPcaModel model = online.model();
/// \endcode
/// The model holds the dictionary and no scores of the samples added, so training_scores() of it
/// throws; transform() has them. Its eigenvalues n E[psi_i(x)^2] and its mean are running
/// estimates, in which late samples weigh more; its report has no residuals. If the samples fit in
/// memory or can be read again, OnlineHebbian or NystromPcaMoments are more accurate.
///
/// \tparam K  models Kernel
/// \tparam X  Matrix or SparseMatrix
/// Cost: m kernel values and O(m (m + k)) for each sample, with m points in the dictionary.
/// Memory: m^2 + m k doubles and the dictionary.
/// Threads: the bits do not depend on their number. const members may run concurrently.
/// Source: Honeine, Online kernel principal component analysis: a reduced-order model, 2012.
template <Kernel K, OwnedSamples X = Matrix<double>>
class OnlineKernelPca {
 public:
  using Scalar = typename X::Scalar;

  /// Of no samples.
  /// Throws InvalidArgument for parameters out of range and fewer components than 1.
  explicit OnlineKernelPca(K kernel, Index components, bool centered = true,
                           OnlineHebbianParams params = {})
      : kernel_(std::move(kernel)), components_(components), run_(components, centered, params) {}

  /// Adds samples, one after the other: a matrix of form X or, if X is dense, what is left of a
  /// SampleStream. The observer may stop it between batches; then it returns false, and the rows so
  /// far are added.
  /// Throws InvalidArgument for another dimension, for samples that are not finite or outside the
  ///   kernel's domain, where k(x, x) is negative or not finite, and for a stream that does not
  ///   end. Some rows may be added then.
  template <class Samples>
  bool add(Samples&& x, const Observer& observer = {}) {
    using Y = std::remove_cvref_t<Samples>;
    static_assert(std::same_as<typename Y::Scalar, Scalar>,
                  "mercer::OnlineKernelPca: the rows must have the scalar of the dictionary");
    if constexpr (SampleStream<Y>) {
      static_assert(DenseSamples<X>,
                    "mercer::OnlineKernelPca: streams are dense, and the dictionary is sparse");
      return add_stream(SampleStreamView<Scalar>(x), observer);
    } else {
      static_assert(SparseSamples<Y> == SparseSamples<X>,
                    "mercer::OnlineKernelPca: the rows must be dense if the dictionary is, and "
                    "sparse if it is");
      const X& samples = x;
      return add_samples(samples, observer);
    }
  }

  /// The components at this time: the functions made orthonormal, and turned so that their outputs
  /// are not correlated. The largest coefficient of each is positive. The report knows no time.
  /// \param zero_threshold  eigenvalues up to this times the largest one count as zero
  /// Status: Finished.
  /// Throws InvalidArgument if there are no samples.
  [[nodiscard]] KernelPcaModel<K, X> model(double zero_threshold = 1e-12) const;

  /// The number of samples, n.
  [[nodiscard]] Index samples() const { return run_.samples(); }
  [[nodiscard]] bool centered() const { return run_.centered(); }
  [[nodiscard]] const K& kernel() const { return kernel_; }
  /// The samples that the functions are expanded over, m x d.
  [[nodiscard]] const X& dictionary() const { return run_.dictionary().points(); }

 private:
  [[nodiscard]] bool add_samples(const X& samples, const Observer& observer) {
    const Index n = samples.rows();
    for (Index first = 0; first < n; first += OnlineHebbianRun<X>::batch_rows) {
      if (!detail::go_on(observer, {"hebbian updates", first, n})) return false;
      const Index count = (std::min)(OnlineHebbianRun<X>::batch_rows, n - first);
      detail::counting_from(first, [&] { run_.add(kernel_, X(samples.middleRows(first, count))); });
    }
    return true;
  }

  [[nodiscard]] bool add_stream(SampleStreamView<Scalar> stream, const Observer& observer) {
    if (stream.seekable() && stream.rows() == endless)
      detail::fail("mercer::OnlineKernelPca: ", stream.name(), " does not end");
    const Index before = samples(), rows = stream.seekable() ? stream.rows() : 0;
    Matrix<Scalar> batch(OnlineHebbianRun<X>::batch_rows, stream.dimension());
    for (Index count = batch.rows(); count == batch.rows();) {
      if (!detail::go_on(observer, {"hebbian updates", samples() - before, rows})) return false;
      const Index first = stream.position().row;
      count = stream.read(batch);
      detail::counting_from(first, [&] { run_.add(kernel_, batch.topRows(count)); });
    }
    return true;
  }

  K kernel_;
  Index components_;
  OnlineHebbianRun<X> run_;
};

template <Kernel K>
OnlineKernelPca(K, Index) -> OnlineKernelPca<K>;
template <Kernel K>
OnlineKernelPca(K, Index, bool) -> OnlineKernelPca<K>;
template <Kernel K>
OnlineKernelPca(K, Index, bool, OnlineHebbianParams) -> OnlineKernelPca<K>;

template <Kernel K, OwnedSamples X>
KernelPcaModel<K, X> OnlineKernelPca<K, X>::model(double zero_threshold) const {
  const Index n = samples();
  if (n == 0) detail::fail("mercer::OnlineKernelPca::model: there are no samples");
  KernelSolution<X> solution = run_.solution(n, {.components = Components::all(),
                                                 .zero_threshold = zero_threshold,
                                                 .noise_scale = run_.trace()});
  auto parts =
      detail::parts_before_fit(kernel_, std::make_shared<const X>(*solution.points), centered());
  const Report found = std::exchange(solution.report, parts.report);
  Report& report = solution.report;
  report.status = Status::Finished;
  report.solver = SolverId::OnlineHebbian;
  report.solver_form = std::string(to_string(run_.params().gain)) + ", " +
                       detail::to_text(dictionary().rows()) + " points";
  report.storage = "dictionary";
  report.reason = "samples one after the other";
  report.iterations = n;
  report.expansion_points = dictionary().rows();
  report.trace = found.trace;
  report.components_requested = components_;
  report.zero_eigenvalues = components_ - solution.eigenvalues.size();
  const Vector<Scalar> signs = detail::fix_signs(solution.coefficients);
  solution.offset = solution.offset.cwiseProduct(signs).eval();
  parts.report.samples = n;
  detail::take_solution(std::move(solution), parts, true);
  parts.training_scores = nullptr;
  return KernelPcaModel<K, X>(std::move(parts), detail::PointsAreChecked{});
}

}  // namespace mercer

#endif  // MERCER_MODELS_ONLINE_KERNEL_PCA_HPP
