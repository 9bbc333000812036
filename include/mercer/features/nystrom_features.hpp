// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Nystroem features: a kernel's values at landmarks, whitened.

#ifndef MERCER_FEATURES_NYSTROM_FEATURES_HPP
#define MERCER_FEATURES_NYSTROM_FEATURES_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer {

/// Nystroem features of one kernel. The settings are explained at NystromFeatures. Models
/// BoundFeatureMap for samples of type X; all blocks are the same. Owns the kernel and the
/// landmarks.
template <OwnedSamples X>
class BoundNystromFeatures {
 public:
  using Scalar = typename X::Scalar;
  struct Block {};
  static constexpr bool deterministic = true;

  template <Kernel K>
  BoundNystromFeatures(const K& kernel, X landmarks)
      : owner_(std::make_shared<const K>(kernel)),
        kernel_(*static_cast<const K*>(owner_.get())),
        landmarks_(std::move(landmarks)) {
    detail::require_finite_samples("NystromFeatures", landmarks_);
    kernel_.check_domain(landmarks_);
    set_whitening();
  }

  /// The number of columns r, which is at most the number of landmarks.
  [[nodiscard]] Index columns() const { return whiten_.cols(); }
  [[nodiscard]] Index dimension() const { return landmarks_.cols(); }

  void draw(std::uint64_t, Block&) const {}

  /// Cost: n m kernel values and 2 n m r operations for m landmarks and r columns.
  void evaluate(const Block&, const Eigen::Ref<const X>& x, GramOut<Scalar> out) const {
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == columns());
    detail::for_tiles(x.rows(), [&](detail::Range rows) {
      const X tile = detail::padded_tile<Scalar>(x, rows);
      const Matrix<Scalar> values =
          detail::kernel_rows(kernel_, tile, {0, detail::tile_size}, landmarks_);
      Matrix<Scalar> features = Matrix<Scalar>::Zero(detail::tile_size, columns());
      detail::multiply_add<Scalar>(values, whiten_, features);
      out.middleRows(rows.begin, rows.size) = features.topRows(rows.size);
    });
  }

 private:
  void set_whitening() {
    const Index m = landmarks_.rows();
    Matrix<double> w(m, m);
    detail::for_tiles(m, [&](detail::Range rows) {
      w.middleRows(rows.begin, rows.size) =
          detail::kernel_rows(kernel_, landmarks_, rows, landmarks_).template cast<double>();
    });
    if (!w.allFinite())
      detail::fail("mercer::NystromFeatures: the kernel ", kernel_.describe(),
                   " has values on the landmarks that are not finite");
    const EigenSystem<double> system = symmetric_eigensystem<double>((w + w.transpose()) / 2);
    const double largest = m > 0 ? system.values.cwiseAbs().maxCoeff() : 0;
    const auto rounding = static_cast<double>(detail::rounding_level<Scalar>(m));
    if (m > 0 && system.values(m - 1) < -10 * rounding * largest)
      detail::fail("mercer::NystromFeatures: the kernel ", kernel_.describe(),
                   " is not positive semidefinite on the landmarks, with an eigenvalue of ",
                   system.values(m - 1), " beside ", system.values(0));
    const double cut = (std::max)(1e-12, rounding) * largest;
    const Index r = (system.values.array() > cut).count();
    whiten_ =
        (system.vectors.leftCols(r) * system.values.head(r).cwiseSqrt().cwiseInverse().asDiagonal())
            .template cast<Scalar>();
  }

  std::shared_ptr<const void> owner_;  // keeps the kernel alive
  KernelView<X> kernel_;
  X landmarks_;
  Matrix<Scalar> whiten_;  // m x r
};

/// Nystroem features of any positive semidefinite kernel: Z(x) = diag(om)^(-1/2) U^T k(P, x) for
/// landmarks P, where k(P, P) = U diag(om) U^T. There is one block, and nothing is random.
/// Eigenvalues up to 1e-12 times the largest are left out; in single precision, those up to its
/// rounding errors.
/// \code
///   const NystromFeatures map{X.topRows(200)};
///   const auto bound = map.bind<double>(kernel, sample_bounds(X), 1);
/// \endcode
///
/// Accuracy: exact between a landmark and any sample. The residual k(x, x) - |Z(x)|^2 >= 0 measures
///   the error at x. The Gram matrix minus Z Z^T is positive semidefinite. If the eigenvalues of
///   the kernel decay fast, this is far better than random features with the same number of
///   columns.
/// Cost: m^2 kernel values and O(m^3) operations to bind the map to a kernel.
/// Source: Williams, Seeger, Using the Nystroem method to speed up kernel machines, 2001.
/// @tparam X  Matrix or SparseMatrix; samples must have the same form, with scalar float or double
template <OwnedSamples X>
class NystromFeatures {
 public:
  template <class K>
  static constexpr bool maps = Kernel<K>;
  /// False: it leaves out what landmarks do not span.
  [[nodiscard]] static constexpr bool unbiased() { return false; }

  /// Throws InvalidArgument if there are no landmarks.
  explicit NystromFeatures(X landmarks) : landmarks_(std::move(landmarks)) {
    if (landmarks_.rows() == 0)
      detail::fail("mercer::NystromFeatures: needs at least one landmark");
  }

  [[nodiscard]] const X& landmarks() const { return landmarks_; }
  /// With a checksum, so that other landmarks are another map.
  [[nodiscard]] std::string describe() const {
    return "nystrom-features(landmarks=" + detail::to_text(landmarks_.rows()) +
           ", checksum=" + detail::to_text(digest_of(landmarks_).checksum) + ")";
  }

  /// Throws InvalidArgument if the landmarks are not finite, are outside the kernel's domain, or
  ///   have another dimension than the samples, and if the kernel is indefinite on them.
  template <Real S, class K>
  [[nodiscard]] BoundNystromFeatures<SamplesIn<S, X>> bind(const K& kernel,
                                                           const SampleBounds& bounds,
                                                           std::uint64_t) const {
    detail::require_evaluates<K, SamplesIn<S, X>>();
    detail::require_bounds("NystromFeatures", bounds);
    if (landmarks_.cols() != bounds.dimension)
      detail::fail("mercer::NystromFeatures: landmarks have dimension ", landmarks_.cols(),
                   ", samples have ", bounds.dimension);
    return {kernel, landmarks_.template cast<S>()};
  }

 private:
  X landmarks_;
};

template <class T>
NystromFeatures(const T&) -> NystromFeatures<OwnedSamplesOf<T>>;

}  // namespace mercer

#endif  // MERCER_FEATURES_NYSTROM_FEATURES_HPP
