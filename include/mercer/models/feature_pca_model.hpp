// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A fitted kernel PCA whose components are expanded over random features.

#ifndef MERCER_MODELS_FEATURE_PCA_MODEL_HPP
#define MERCER_MODELS_FEATURE_PCA_MODEL_HPP

#include <functional>
#include <memory>
#include <utility>

#include <mercer/core/report.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/models/eigenvalue_convention.hpp>
#include <mercer/models/feature_functions.hpp>
#include <mercer/solvers/feature_solver.hpp>

namespace mercer {

/// A fitted kernel PCA: f_i(x) = sum_b Z_b(x) C_b,i - offset_i over blocks of random features. It
/// holds the coefficients, and the map bound to the kernel, from which features are drawn again. It
/// holds no samples and no features. Immutable. KernelPca::fit makes it with a FeatureSolver. It
/// can also be made from a saved FeatureSolution.
/// Threads: const members may run concurrently.
template <Kernel K, FeatureMap F, Real S>
class FeaturePcaModel {
 public:
  using Scalar = S;

  /// Throws InvalidArgument if the parts of the solution do not fit together.
  FeaturePcaModel(K kernel, F map, FeatureSolution<S> solution, bool centered)
      : kernel_(std::move(kernel)),
        map_(std::move(map)),
        solution_(std::move(solution)),
        centered_(centered),
        bound_(
            detail::bind_expansion<S>("FeaturePcaModel", kernel_, map_, solution_, components())) {}

  /// Number of components found. It is less than requested if the remaining ones have no variance.
  [[nodiscard]] Index components() const { return solution_.eigenvalues.size(); }

  /// Estimates of the eigenvalues mu_1 >= mu_2 >= ... > 0 of the (centred) Gram matrix.
  [[nodiscard]] const Vector<S>& eigenvalues() const { return solution_.eigenvalues; }
  /// The eigenvalues in another convention.
  [[nodiscard]] Vector<S> eigenvalues(EigenvalueConvention convention) const {
    return detail::in_convention(eigenvalues(), report().samples, convention);
  }
  /// Variance of the scores of the samples: mu_i / (n - 1) for a centred model, mu_i / n otherwise.
  [[nodiscard]] Vector<S> explained_variance() const {
    return eigenvalues(centered_ ? EigenvalueConvention::SampleVariance
                                 : EigenvalueConvention::Covariance);
  }
  /// mu_i / trace of the (centred) Gram matrix of the features.
  [[nodiscard]] Vector<S> explained_variance_ratio() const {
    return (eigenvalues().template cast<double>() / report().trace).template cast<S>();
  }

  [[nodiscard]] const Report& report() const { return solution_.report; }
  [[nodiscard]] const K& kernel() const { return kernel_; }
  [[nodiscard]] const F& map() const { return map_; }
  [[nodiscard]] bool centered() const { return centered_; }
  /// Coefficients, sample bounds, number of blocks and seed. Together with kernel and map they are
  /// the whole model.
  [[nodiscard]] const FeatureSolution<S>& solution() const { return solution_; }
  [[nodiscard]] const Matrix<S>& coefficients() const { return solution_.coefficients; }
  [[nodiscard]] const Vector<S>& offset() const { return solution_.offset; }

  /// Scores of samples, q x k. The samples may be dense or sparse.
  /// Cost: O(q N (d + k)) for N features. The features are drawn once for every 4096 samples.
  /// Memory: a panel of samples and tiles of features, beside the result.
  /// Throws InvalidArgument for another dimension, for non-finite samples, and for samples outside
  ///   the kernel's domain.
  /// Threads: the bits do not depend on their number.
  template <class Q>
  [[nodiscard]] Matrix<S> transform(const Q& q) const {
    return detail::expand_features<S>("FeaturePcaModel", kernel_, bound_, solution_, q);
  }

  /// Scores of the remaining rows of a stream. They are passed to \p take in order, up to 4096 rows
  /// at a time.
  void transform(SampleStreamView<S> stream,
                 const std::function<void(const Matrix<S>& scores)>& take) const {
    detail::expand_features<K, BoundMap, S>("FeaturePcaModel", kernel_, bound_, solution_, stream,
                                            take);
  }

 private:
  using BoundMap = detail::BoundMap<K, F, S>;

  K kernel_;
  F map_;
  FeatureSolution<S> solution_;
  bool centered_;
  std::shared_ptr<const BoundMap> bound_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_FEATURE_PCA_MODEL_HPP
