// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// TensorSketch features of polynomial kernels.

#ifndef MERCER_FEATURES_TENSOR_SKETCH_HPP
#define MERCER_FEATURES_TENSOR_SKETCH_HPP

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <unsupported/Eigen/FFT>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// TensorSketch features of one polynomial kernel. The settings are explained at TensorSketch.
/// Models BoundFeatureMap.
template <Real S>
class BoundTensorSketch {
 public:
  using Scalar = S;

  /// The p count sketches of x~ = (gamma^(1/2) x, coef0^(1/2)). A count sketch adds coordinate i of
  /// x~, with a sign, to one of D places. The last row is for the constant coef0^(1/2), which may
  /// be 0.
  struct Block {
    Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> places;  ///< 0, ..., D - 1; (d + 1) x p
    Matrix<double> signs;                                         ///< +-1; (d + 1) x p

    [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(places, signs); }
  };

  BoundTensorSketch(const Polynomial& kernel, Index features, Index dimension, std::uint64_t seed)
      : params_(kernel.params()), features_(features), dimension_(dimension), seed_(seed) {}

  [[nodiscard]] Index columns() const { return features_; }
  [[nodiscard]] Index dimension() const { return dimension_; }

  void draw(std::uint64_t b, Block& block) const {
    block.places.resize(dimension_ + 1, params_.degree);
    block.signs.resize(dimension_ + 1, params_.degree);
    for (Index q = 0; q < params_.degree; ++q) {
      RandomStream stream = detail::feature_stream(seed_, "TensorSketch", b, q);
      for (Index i = 0; i <= dimension_; ++i) {
        block.places(i, q) =
            static_cast<Index>(stream.below(static_cast<std::uint64_t>(features_)));
        block.signs(i, q) = stream() >> 63U != 0 ? 1 : -1;
      }
    }
  }

  /// The circular convolution of the p count sketches of each sample.
  /// Cost: for each sample, p d additions (p for each non-zero if sparse) and p + 1 Fourier
  ///   transforms of length D, always in double precision. A transform costs O(D log D) if D has
  ///   only small prime factors, but O(D f) if its largest prime factor is f. So choose a power of
  ///   two.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_slices(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_slices(block, x, out);
  }

 private:
  using Spectrum = Eigen::Array<std::complex<double>, Eigen::Dynamic, 1>;

  static constexpr Index slice = 32;  // samples per task; a task plans its transforms once

  template <class Samples>
  void evaluate_slices(const Block& block, const Samples& x, GramOut<S>& out) const {
    const Index d = out.cols();
    MERCER_ASSERT(out.rows() == x.rows() && x.cols() + 1 == block.places.rows());
    const double constant = std::sqrt(params_.coef0), scale = std::sqrt(params_.gamma);
    parallel_for((x.rows() + slice - 1) / slice, [&](Index task) {
      Eigen::FFT<double> fft;
      fft.SetFlag(fft.HalfSpectrum);
      Vector<double> sketch(d);
      Spectrum spectrum(d / 2 + 1), product(d / 2 + 1);
      for (Index i = task * slice; i < (std::min)(x.rows(), (task + 1) * slice); ++i) {
        for (Index q = 0; q < block.places.cols(); ++q) {
          sketch.setZero();
          const auto add = [&](Index c, double value) {
            sketch(block.places(c, q)) += block.signs(c, q) * value;
          };
          for_entries(x, i, [&](Index c, S value) { add(c, scale * static_cast<double>(value)); });
          add(x.cols(), constant);
          forward(fft, sketch, spectrum);
          if (q == 0)
            product = spectrum;
          else
            product *= spectrum;
        }
        inverse(fft, product, sketch);
        out.row(i) = sketch.transpose().template cast<S>();
      }
    });
  }

  // Eigen's transform does not accept length 1. There the transform is the identity.
  static void forward(Eigen::FFT<double>& fft, const Vector<double>& sketch, Spectrum& spectrum) {
    if (sketch.size() == 1)
      spectrum(0) = sketch(0);
    else
      fft.fwd(spectrum.data(), sketch.data(), sketch.size());
  }
  static void inverse(Eigen::FFT<double>& fft, const Spectrum& spectrum, Vector<double>& sketch) {
    if (sketch.size() == 1)
      sketch(0) = spectrum(0).real();
    else
      fft.inv(sketch.data(), spectrum.data(), sketch.size());
  }

  template <class Task>
  static void for_entries(const Points<S>& x, Index i, Task&& task) {
    for (Index c = 0; c < x.cols(); ++c) task(c, x(i, c));
  }
  template <class Task>
  static void for_entries(const SparsePoints<S>& x, Index i, Task&& task) {
    for (typename SparsePoints<S>::InnerIterator entry(x, i); entry; ++entry)
      task(entry.col(), entry.value());
  }

  Polynomial::Params params_;
  Index features_;
  Index dimension_;
  std::uint64_t seed_;
};

/// TensorSketch features of (gamma x . y + coef0)^p. They are a random projection of the p-fold
/// tensor power of x~ = (gamma^(1/2) x, coef0^(1/2)). The projection is computed from p count
/// sketches, without forming the power. A block is one sketch of D columns, which depend on each
/// other.
///
/// Accuracy: the error of one entry of Z Z^T has a variance of at most (2 + 3^p) / D |x~|^(2p)
///   |y~|^(2p), in practice about a quarter of that. Where many terms of the polynomial matter,
///   this is far below the variance of RandomMaclaurin. The rounding error is a few epsilon log2 D
///   |x~|^p.
/// Cost: p d random numbers for a draw.
/// Random: stream "TensorSketch" of the seed.
/// Source: Pham, Pagh, Fast and scalable polynomial kernels via explicit feature maps, 2013; the
///   variance: Avron, Nguyen, Woodruff, Subspace embeddings for the polynomial kernel, 2014.
struct TensorSketch {
  Index features = 256;  ///< D, columns in a block, >= 1; best a power of two

  template <class K>
  static constexpr bool maps = std::same_as<K, Polynomial>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "tensor-sketch(features=" + detail::to_text(features) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int.
  template <Real S, class K>
  [[nodiscard]] BoundTensorSketch<S> bind(const K& kernel, const SampleBounds& bounds,
                                          std::uint64_t seed) const {
    static_assert(maps<K>, "mercer::TensorSketch: the kernel must be Polynomial");
    detail::require_block_size("TensorSketch", features, bounds);
    return {kernel, features, bounds.dimension, seed};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_TENSOR_SKETCH_HPP
