// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fourier features by Walsh-Hadamard transforms, for samples of high dimension.

#ifndef MERCER_FEATURES_FASTFOOD_HPP
#define MERCER_FEATURES_FASTFOOD_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/fourier_pass.hpp>
#include <mercer/features/detail/frequency_lengths.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// The random parameters of a block of Fastfood features. The frequencies come in groups of p,
/// where p is the smallest power of two that is at least d. The last group may be used only in
/// part.
template <Real S>
struct FastfoodBlock {
  Matrix<S> signs;                 ///< +-1, p x groups
  std::vector<Index> permutation;  ///< of 0, ..., p - 1, one for each group
  Matrix<S> normals;               ///< p x groups
  /// Lengths of the D frequencies, divided by |normals| p^(1/2) and by the power of two that is
  /// next below the scale of the density.
  Vector<S> lengths;
  Vector<S> phases;  ///< b in [0, 2 pi), D; empty in the paired form

  [[nodiscard]] std::size_t bytes() const {
    return detail::bytes_of(signs, normals, lengths, phases) + permutation.size() * sizeof(Index);
  }
};

namespace detail {

/// a <- a H for the Hadamard matrix H with entries +-1. The number of columns of a must be a power
/// of two.
/// Cost: rows cols log2(cols) additions.
template <Real S>
void hadamard_transform(Matrix<S>& a) {
  Vector<S> difference(a.rows());
  for (Index half = 1; half < a.cols(); half *= 2)
    for (Index first = 0; first < a.cols(); first += 2 * half)
      for (Index j = first; j < first + half; ++j) {
        difference = a.col(j) - a.col(j + half);
        a.col(j) += a.col(j + half);
        a.col(j + half) = difference;
      }
}

}  // namespace detail

/// Fastfood features for one kernel. The settings are explained at Fastfood. Models
/// BoundFeatureMap.
template <Real S>
class BoundFastfood {
 public:
  using Scalar = S;
  using Block = FastfoodBlock<S>;

  BoundFastfood(const SpectralDensity& density, Index features, FourierForm form, Index dimension,
                std::uint64_t seed)
      : dimension_(dimension),
        padded_(static_cast<Index>(
            std::bit_ceil(static_cast<std::uint64_t>((std::max)(dimension, Index{1}))))),
        features_(features),
        form_(form),
        unit_(power_of_two_below(density.scale)),
        limit_(detail::largest_frequency<S>(density.scale) / static_cast<double>(unit_)),
        largest_(largest_sample()),
        seed_(seed),
        lengths_(density, padded_, seed, "Fastfood lengths") {}

  [[nodiscard]] Index columns() const { return detail::fourier_columns(form_, features_); }
  [[nodiscard]] Index dimension() const { return dimension_; }
  /// Exactly 1 in the paired form.
  [[nodiscard]] double largest_square() const { return form_ == FourierForm::Paired ? 1 : 2; }

  void draw(std::uint64_t b, Block& block) const {
    const Index groups = (features_ + padded_ - 1) / padded_;
    block.signs.resize(padded_, groups);
    block.normals.resize(padded_, groups);
    block.permutation.resize(static_cast<std::size_t>(padded_ * groups));
    Vector<double> lengths = lengths_.draw(b, features_);
    parallel_for(groups, [&](Index group) {
      RandomStream stream = detail::feature_stream(seed_, "Fastfood", b, group);
      double squares = 0;
      for (Index i = 0; i < padded_; ++i) {
        block.signs(i, group) = stream() >> 63U != 0 ? S(1) : S(-1);
        const double normal = stream.normal();
        squares += normal * normal;
        block.normals(i, group) = static_cast<S>(normal);
      }
      const std::vector<Index> order = random_permutation(padded_, stream);
      std::copy(order.begin(), order.end(), block.permutation.begin() + padded_ * group);
      const Index first = group * padded_, count = (std::min)(padded_, features_ - first);
      lengths.segment(first, count) /= std::sqrt(squares * static_cast<double>(padded_));
    });
    block.lengths = (lengths / static_cast<double>(unit_)).cwiseMin(limit_).template cast<S>();
    lengths_.draw_phases(b, form_ == FourierForm::Phase ? features_ : 0, block.phases);
  }

  /// Cost: n D (2 log2 d + 3) additions and n D sines and cosines.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    evaluate_slices(block, x, out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_slices(block, x, out);
  }

 private:
  /// Number of rows in a slice; small enough that a slice and its transform stay in the cache.
  static constexpr Index slice = 32;

  [[nodiscard]] static S power_of_two_below(double scale) {
    using Limits = std::numeric_limits<S>;
    return std::ldexp(
        S(1), std::clamp(std::ilogb(scale), Limits::min_exponent, Limits::max_exponent - 2));
  }

  /// Samples of entries up to this can be transformed without overflow. The transforms make an
  /// entry up to 10 p^(3/2) times as large, since normal numbers are below 10.
  [[nodiscard]] double largest_sample() const {
    const double most{(std::numeric_limits<S>::max)()}, unit{unit_};
    const double growth = 10 * std::pow(static_cast<double>(padded_), 1.5);
    return most / (4 * growth) / (std::max)(limit_, 1.0) / unit;
  }

  template <class Samples>
  void evaluate_slices(const Block& block, const Samples& x, GramOut<S>& out) const {
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == columns() && x.cols() == dimension_);
    const Index slices = (x.rows() + slice - 1) / slice;
    parallel_for(slices, [&](Index task) {
      const detail::Range rows{task * slice, (std::min)(slice, x.rows() - task * slice)};
      Matrix<S> samples = detail::dense_rows<S>(x, rows);
      if (!(detail::largest_entry<S>(samples, {0, rows.size}) <= largest_))
        detail::shorten_rows(samples, largest_);
      Matrix<S> a(rows.size, padded_), b(rows.size, padded_);
      for (Index group = 0; group < block.signs.cols(); ++group) {
        a.leftCols(dimension_) =
            samples * (unit_ * block.signs.col(group).head(dimension_)).asDiagonal();
        a.rightCols(padded_ - dimension_).setZero();
        detail::hadamard_transform(a);
        for (Index j = 0; j < padded_; ++j)
          b.col(j) = block.normals(j, group) *
                     a.col(block.permutation[static_cast<std::size_t>(group * padded_ + j)]);
        detail::hadamard_transform(b);
        const Index first = group * padded_;
        const detail::Range cols{first, (std::min)(padded_, features_ - first)};
        out.block(rows.begin, cols.begin, rows.size, cols.size) =
            b.leftCols(cols.size) * block.lengths.segment(cols.begin, cols.size).asDiagonal();
        detail::fourier_pass<S>(form_, block.phases, rows, cols, out);
      }
    });
  }

  Index dimension_;
  Index padded_;
  Index features_;
  FourierForm form_;
  S unit_;        ///< of the lengths; the transforms are of unit_ x, which is about 1 with it
  double limit_;  ///< of the lengths
  double largest_;
  std::uint64_t seed_;
  detail::FrequencyLengths lengths_;
};

/// Fastfood: random Fourier features whose products with a sample take O(log d) operations per
/// feature in place of O(d). The frequencies come in groups of p, where p is the smallest power of
/// two that is at least d. A group is the rows of S H G P H B, with a Hadamard matrix H, random
/// signs B, a permutation P, normal numbers G and lengths S. For kernels of |x - y|: Gaussian,
/// RationalQuadratic and Matern. Faster than RandomFourier from about d = 100 on.
///
/// Accuracy: each frequency has the distribution of the spectral density, so the estimate is
///   unbiased. The frequencies of one group depend on each other, and the variance is up to about
///   twice that of RandomFourier.
/// Cost: O(D) random numbers for a draw, whatever d is.
/// Memory: O(D) for a block, whatever d is.
/// Random: streams "Fastfood" and "Fastfood lengths" of the seed.
/// Source: Le, Sarlos, Smola, Fastfood: approximating kernel expansions in loglinear time, 2013.
struct Fastfood {
  Index features = 100;                    ///< D, frequencies in a block, >= 1
  FourierForm form = FourierForm::Paired;  ///< more accurate for the same number of columns

  template <class K>
  static constexpr bool maps = MayBeIsotropic<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "fastfood(features=" + detail::to_text(features) + ", " + std::string(to_string(form)) +
           ")";
  }

  /// Throws InvalidArgument unless features is at least 1 and fits an int, and if the spectral
  ///   density of the kernel does not depend on |w| alone.
  template <Real S, class K>
  [[nodiscard]] BoundFastfood<S> bind(const K& kernel, const SampleBounds& bounds,
                                      std::uint64_t seed) const {
    static_assert(maps<K>,
                  "mercer::Fastfood: this kernel is not a function of |x - y| with a spectral "
                  "density; use Gaussian, Matern or RationalQuadratic, or RandomFourier");
    detail::require_block_size("Fastfood", features, bounds);
    return {detail::require_isotropic("Fastfood", spectral_density(kernel)), features, form,
            bounds.dimension, seed};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_FASTFOOD_HPP
