// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random features of additive kernels on non-negative samples.

#ifndef MERCER_FEATURES_ADDITIVE_FEATURES_HPP
#define MERCER_FEATURES_ADDITIVE_FEATURES_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/homogeneous_kernels.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// The features of one coordinate x >= 0.
enum class AdditiveForm {
  Spectral,   ///< x^(1/2) cos(w log x) and x^(1/2) sin(w log x); k(x, x) is exact
  Threshold,  ///< M^(1/2) if t <= x, else 0, for t uniform on (0, M); Intersection only
};

[[nodiscard]] constexpr std::string_view to_string(AdditiveForm form) {
  return form == AdditiveForm::Spectral ? "spectral" : "threshold";
}

/// Features of one additive kernel. The settings are explained at AdditiveFeatures. Models
/// BoundFeatureMap.
template <Real S>
class BoundAdditiveFeatures {
 public:
  using Scalar = S;
  struct Block {
    Matrix<S> numbers;  ///< frequencies w or thresholds t, D x d, one draw per row

    [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(numbers); }
  };

  /// @param largest  M of the threshold form; the spectral form does not use it
  BoundAdditiveFeatures(const detail::RandomDirections<S>& numbers, AdditiveForm form,
                        double largest)
      : numbers_(numbers), form_(form), largest_(static_cast<S>(largest)) {}

  [[nodiscard]] Index columns() const {
    const Index each = form_ == AdditiveForm::Spectral ? 2 : 1;
    return each * numbers_.features() * numbers_.dimension();
  }
  [[nodiscard]] Index dimension() const { return numbers_.dimension(); }

  void draw(std::uint64_t b, Block& block) const {
    numbers_.draw(b, block.numbers);
    if (form_ == AdditiveForm::Threshold) block.numbers *= largest_;
  }

  /// The columns come coordinate by coordinate. Each coordinate has D cosines and then D sines, or
  /// D thresholds.
  /// Cost: n d D sines and cosines, or n d D comparisons.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    const Index d = block.numbers.rows();
    MERCER_ASSERT(out.rows() == x.rows() && x.cols() == block.numbers.cols());
    const S scale = 1 / std::sqrt(static_cast<S>(d)), step = std::sqrt(largest_) * scale;
    detail::for_coordinates(x.rows(), x.cols(), [&](detail::Range rows, Index c) {
      const auto column = [&](Index j) { return out.col(j).segment(rows.begin, rows.size); };
      const Eigen::Ref<const Vector<S>> samples = x.col(c).segment(rows.begin, rows.size);
      if (form_ == AdditiveForm::Threshold) {
        for (Index r = 0; r < d; ++r)
          column(c * d + r) =
              step * (samples.array() >= block.numbers(r, c)).template cast<S>().matrix();
      } else {
        const detail::HomogeneousCoordinate<S> values(samples);
        for (Index r = 0; r < d; ++r)
          values.features(block.numbers(r, c), scale, column(2 * c * d + r),
                          column((2 * c + 1) * d + r));
      }
    });
  }

 private:
  detail::RandomDirections<S> numbers_;
  AdditiveForm form_;
  S largest_;
};

/// Random features of the additive kernels AdditiveChiSquare and Intersection, with D draws for
/// each coordinate. Samples must be in the domain of these kernels, x >= 0. In the threshold form,
/// M is the radius of the bounds, and larger entries count as M.
///
/// Accuracy: the error of one entry of Z Z^T has variance V / D. Spectral form: V = sum_j x_j y_j
///   ((1 + f(2 t_j))/2 - f(t_j)^2) with t_j = log(x_j / y_j), where f(t) is sech(t / 2) for
///   AdditiveChiSquare and exp(-|t| / 2) for Intersection. Threshold form: V = sum_j (M
///   m_j - m_j^2) with m_j = min(x_j, y_j), which is larger.
/// Cost: D d quantiles for a draw.
/// Random: streams "additive frequencies" or "additive thresholds" of the seed.
/// Source: Vedaldi, Zisserman, Efficient additive kernels via explicit feature maps, 2012; Maji,
///   Berg, Max-margin additive classifiers for detection, 2009.
struct AdditiveFeatures {
  Index features = 10;                         ///< D, draws per coordinate in a block, >= 1
  AdditiveForm form = AdditiveForm::Spectral;  ///< which features

  template <class K>
  static constexpr bool maps = HasHomogeneousSpectrum<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "additive-features(features=" + detail::to_text(features) + ", " +
           std::string(to_string(form)) + ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int, and if the threshold
  ///   form is used with a kernel other than Intersection.
  template <Real S, class K>
  [[nodiscard]] BoundAdditiveFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                              std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::AdditiveFeatures: the kernel must be AdditiveChiSquare or Intersection, "
                  "or have a function homogeneous_spectrum(kernel)");
    detail::require_block_size("AdditiveFeatures", features, bounds);
    const double largest = bounds.radius > 0 ? bounds.radius : 1;
    if (form == AdditiveForm::Spectral)
      return {draws<S>(homogeneous_spectrum(kernel).quantile, bounds.dimension, seed,
                       "additive frequencies"),
              form, largest};
    if (!std::same_as<K, Intersection>)
      detail::fail("mercer::AdditiveFeatures: the threshold form is for Intersection only");
    return {draws<S>([](double u) { return u; }, bounds.dimension, seed, "additive thresholds"),
            form, largest};
  }

 private:
  template <Real S>
  [[nodiscard]] detail::RandomDirections<S> draws(double (*quantile)(double), Index dimension,
                                                  std::uint64_t seed,
                                                  std::string_view purpose) const {
    return {SpectralDensity{.scale = 1, .coordinate = quantile, .mixture = {}},
            features,
            dimension,
            Sampling::Independent,
            seed,
            purpose};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_ADDITIVE_FEATURES_HPP
