// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Random features of kernels on the sphere that depend on the angle alone.

#ifndef MERCER_FEATURES_ZONAL_FEATURES_HPP
#define MERCER_FEATURES_ZONAL_FEATURES_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/math/chunks.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/detail/random_directions.hpp>
#include <mercer/features/detail/spectral_density.hpp>
#include <mercer/features/detail/sphere_series.hpp>
#include <mercer/features/detail/uniform_points.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/kernel.hpp>
#include <mercer/kernels/on_sphere.hpp>

namespace mercer {

namespace detail {

template <class K>
inline constexpr bool is_zonal_series = false;
template <class K>
inline constexpr bool is_zonal_series<OnSphere<K>> = HasSphereSeries<K>;

/// g(t) = sum_l s_l b_l^(1/2) p_l(t) with the signs + + - - + + - - ..., where p_0, p_1, ... are
/// the polynomials that are orthonormal for t = w . x, w uniform on the sphere in R^d and |x| = 1.
class ZonalFunction {
 public:
  /// \param coefficients  b_l, at least one
  ZonalFunction(const std::vector<double>& coefficients, Index dimension) {
    const double d = static_cast<double>(dimension);
    for (std::size_t l = 0; l < coefficients.size(); ++l) {
      const double m = static_cast<double>(l);
      weights_.push_back((l % 4 < 2 ? 1 : -1) * std::sqrt(coefficients[l]));
      // t p_l = beta_(l+1) p_(l+1) + beta_l p_(l-1).
      betas_.push_back(l == 0   ? 0
                       : l == 1 ? 1 / std::sqrt(d)
                                : std::sqrt(m * (m + d - 3) / ((2 * m + d - 2) * (2 * m + d - 4))));
    }
  }

  /// The values of an array of any scalar; in double inside.
  template <class Chunk>
  [[nodiscard]] Chunk operator()(const Chunk& arguments) const {
    using Values = Eigen::Array<double, Chunk::RowsAtCompileTime, 1>;
    const Values t = ((arguments.template cast<double>().max)(-1.0).min)(1.0);
    Values before = Values::Zero(t.size()), polynomial = Values::Ones(t.size());
    Values sum = weights_[0] * polynomial;
    for (std::size_t l = 1; l < weights_.size(); ++l) {
      const Values next = (t * polynomial - betas_[l - 1] * before) / betas_[l];
      before = polynomial;
      polynomial = next;
      sum += weights_[l] * polynomial;
    }
    return sum.template cast<typename Chunk::Scalar>();
  }

 private:
  std::vector<double> weights_, betas_;
};

}  // namespace detail

/// Zonal features of one kernel. The settings are explained at ZonalFeatures. Models
/// BoundFeatureMap.
template <Real S>
class BoundZonalFeatures {
 public:
  using Scalar = S;
  struct Block {
    Matrix<S> directions;  ///< one w per row, of norm 1, D x d

    [[nodiscard]] std::size_t bytes() const { return detail::bytes_of(directions); }
  };

  BoundZonalFeatures(const detail::RandomDirections<S>& directions, detail::ZonalFunction function)
      : directions_(directions), function_(std::move(function)) {}

  [[nodiscard]] Index columns() const { return directions_.features(); }
  [[nodiscard]] Index dimension() const { return directions_.dimension(); }

  void draw(std::uint64_t b, Block& block) const {
    directions_.draw(b, block.directions);
    block.directions.rowwise().normalize();
  }

  /// Cost: one matrix product of n d D operations, and 5 L operations for each feature of each
  ///   sample, with L the number of degrees.
  /// Memory: a copy of the samples.
  void evaluate(const Block& block, const Points<S>& x, GramOut<S> out) const {
    const Matrix<S> unit = detail::unit_rows(x, norms(x));
    evaluate_panels(block, Points<S>(unit), out);
  }
  void evaluate(const Block& block, const SparsePoints<S>& x, GramOut<S> out) const {
    const SparseMatrix<S> unit = detail::unit_rows(x, norms(x));
    evaluate_panels(block, SparsePoints<S>(unit), out);
  }

 private:
  /// The order of the sums in a norm depends on the number of rows. So all tiles have the same.
  template <class Samples>
  [[nodiscard]] static Vector<S> norms(const Samples& x) {
    Vector<S> norms(x.rows());
    detail::for_tiles(x.rows(), [&](detail::Range rows) {
      norms.segment(rows.begin, rows.size) =
          detail::row_norms(detail::padded_tile<S>(x, rows)).head(rows.size);
    });
    return norms;
  }

  template <class Samples>
  void evaluate_panels(const Block& block, const Samples& unit, GramOut<S>& out) const {
    MERCER_ASSERT(out.rows() == unit.rows() && out.cols() == block.directions.rows());
    MERCER_ASSERT(unit.cols() == block.directions.cols());
    const S scale = 1 / std::sqrt(static_cast<S>(out.cols()));
    detail::project<S>(unit, block.directions, out, [&](detail::Range rows, detail::Range cols) {
      for (Index j = 0; j < cols.size; ++j)
        detail::apply_in_chunks(
            out.col(cols.begin + j).data() + rows.begin, rows.size,
            [&]<class Chunk>(const Chunk& t) -> Chunk { return scale * function_(t); });
    });
  }

  detail::RandomDirections<S> directions_;
  detail::ZonalFunction function_;
};

/// Random features of kernels on the sphere, k(x, y) = f(t) with t the cosine of the angle between
/// x and y. By Schoenberg's theorem f(t) = sum_l b_l G_l(t) with b_l >= 0, where G_l is the
/// Gegenbauer polynomial with G_l(1) = 1. A feature is g(w . x / |x|) with w uniform on the sphere,
/// g = sum_l s_l b_l^(1/2) p_l, and p_l = N_l^(1/2) G_l for N_l harmonics of degree l. It holds all
/// degrees at once: those of different degrees are orthogonal. For OnSphere of Gaussian, Linear,
/// Polynomial, ExponentialDot and InverseDot, and of kernels with a sphere_series of their own.
///
/// The law of the features does not change when all samples are turned.
///
/// Accuracy: unbiased for any signs s_l. The error of one entry of Z Z^T has variance V / D, and V
///   depends on the signs. With the signs + + - - ... of ours, V / f(1)^2 is near 1, as that of
///   RandomFourier in the phase form for a Gaussian; with equal signs it grows without limit with
///   d. RandomMaclaurin of the same kernels has a far larger V where high degrees matter.
/// Random: stream "zonal directions" of the seed.
/// Source: Schoenberg, Positive definite functions on spheres, 1942; one feature for all degrees:
///   Han, Zandieh, Avron, Random Gegenbauer features for scalable kernel methods, 2022.
struct ZonalFeatures {
  Index features = 100;                       ///< D, columns in a block, >= 1
  Sampling sampling = Sampling::Independent;  ///< of the directions of a block

  template <class K>
  static constexpr bool maps = detail::is_zonal_series<K>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const {
    return "zonal-features(features=" + detail::to_text(features) + ", " +
           std::string(to_string(sampling)) + ")";
  }

  /// Cost: O(M^2) for a power series of M terms.
  /// Throws InvalidArgument unless features is at least 1 and fits an int and samples have a column,
  /// for a polynomial of a degree above 4096, and if an infinite power series needs more than 4096
  /// terms.
  template <Real S, class K>
  [[nodiscard]] BoundZonalFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                           std::uint64_t seed) const {
    static_assert(
        maps<K>,
        "mercer::ZonalFeatures: the kernel must be OnSphere of one that is a power series "
        "of x . y there (Gaussian, Linear, Polynomial, ExponentialDot, InverseDot), or "
        "that has a function sphere_series(kernel)");
    detail::require_block_size("ZonalFeatures", features, bounds);
    detail::require_at_least("ZonalFeatures", "dimension", bounds.dimension, Index{1});
    const std::vector<double> coefficients =
        detail::gegenbauer_coefficients(sphere_series(kernel.kernel()), bounds.dimension);
    return {{SpectralDensity{}, features, bounds.dimension, sampling, seed, "zonal directions"},
            detail::ZonalFunction(coefficients, bounds.dimension)};
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_ZONAL_FEATURES_HPP
