// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The explicit map of the polynomial kernel: all monomials of its degree.

#ifndef MERCER_FEATURES_MONOMIAL_FEATURES_HPP
#define MERCER_FEATURES_MONOMIAL_FEATURES_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/projections.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer {

/// All monomials of a degree. The settings are explained at MonomialFeatures. Models
/// BoundFeatureMap; all blocks are the same.
template <Real S>
class BoundMonomialFeatures {
 public:
  using Scalar = S;
  struct Block {};
  static constexpr bool deterministic = true;

  BoundMonomialFeatures(const Polynomial::Params& kernel, Index dimension, Index columns)
      : dimension_(dimension),
        first_(kernel.coef0 > 0 ? 0 : 1),
        constant_(static_cast<S>(std::sqrt(kernel.coef0))),
        scale_(static_cast<S>(std::sqrt(kernel.gamma))),
        factors_(kernel.degree, columns),
        weights_(columns) {
    // The columns are the non-decreasing sequences of factors, in the order of a dictionary.
    Sequence sequence = Sequence::Constant(kernel.degree, first_);
    for (Index column = 0; column < columns; ++column) {
      factors_.col(column) = sequence;
      weights_(column) = static_cast<S>(std::sqrt(multinomial(sequence)));
      Index last = sequence.size() - 1;
      while (last > 0 && sequence(last) == dimension_) --last;
      const Index next = sequence(last) + 1;
      sequence.tail(sequence.size() - last).setConstant(next);
    }
  }

  [[nodiscard]] Index columns() const { return weights_.size(); }
  [[nodiscard]] Index dimension() const { return dimension_; }

  void draw(std::uint64_t, Block&) const {}

  void evaluate(const Block&, const Points<S>& x, GramOut<S> out) const { evaluate_tiles(x, out); }
  void evaluate(const Block&, const SparsePoints<S>& x, GramOut<S> out) const {
    evaluate_tiles(x, out);
  }

 private:
  using Sequence = Eigen::Matrix<Index, Eigen::Dynamic, 1>;

  /// Number of ways to order the factors of a sorted sequence, as a product of whole numbers.
  [[nodiscard]] static double multinomial(const Sequence& sequence) {
    double orders = 1;
    Index equal = 0;
    for (Index j = 0; j < sequence.size(); ++j) {
      equal = j > 0 && sequence(j) == sequence(j - 1) ? equal + 1 : 1;
      orders = orders * static_cast<double>(j + 1) / static_cast<double>(equal);
    }
    return orders;
  }

  template <class Samples>
  void evaluate_tiles(const Samples& x, GramOut<S>& out) const {
    MERCER_ASSERT(out.rows() == x.rows() && out.cols() == columns() && x.cols() == dimension_);
    detail::for_tiles(x.rows(), [&](detail::Range rows) {
      Matrix<S> factors(rows.size, dimension_ + 1);
      factors.col(0).setConstant(constant_);
      if (dimension_ > 0) factors.rightCols(dimension_) = scale_ * detail::dense_rows<S>(x, rows);
      for (Index column = 0; column < columns(); ++column) {
        auto values = out.col(column).segment(rows.begin, rows.size);
        values.setConstant(weights_(column));
        for (const Index factor : factors_.col(column))
          values = values.cwiseProduct(factors.col(factor));
      }
    });
  }

  Index dimension_;
  Index first_;  // of the factors: 0 is the constant, and j > 0 is x_j
  S constant_, scale_;
  Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic> factors_;  // degree x columns
  Vector<S> weights_;  // square roots of multinomial coefficients
};

/// The exact features of Polynomial, written out: one column for each monomial of degree p in the d
/// + 1 numbers \f$ c_0^{1/2}, \gamma^{1/2} x_1, \ldots, \gamma^{1/2} x_d \f$, multiplied by the
/// square root of its multinomial coefficient. For d = 2, p = 2, gamma = 1 and c0 = 0 these are
/// \f$ x_1^2, \sqrt 2 x_1 x_2, x_2^2 \f$. There are \f$ \binom{d + p}{p} \f$ columns, or
/// \f$ \binom{d + p - 1}{p} \f$ if c0 = 0. Nothing is random, and Z Z^T is the Gram matrix.
///
/// It shows what the kernel computes without its features, and it serves where these are few: in
/// low dimensions, PCA of the columns is kernel PCA of any number of samples. TensorSketch is for
/// higher ones.
/// Cost: O(n p) for each column.
/// Source: Schoelkopf, Smola, Mueller, Nonlinear component analysis as a kernel eigenvalue problem,
///   1998, section 3.
struct MonomialFeatures {
  /// Of all columns together, p each. More are refused.
  static constexpr Index most_factors = 10000000;

  template <class K>
  static constexpr bool maps = std::same_as<K, Polynomial>;
  [[nodiscard]] static constexpr bool unbiased() { return true; }

  [[nodiscard]] std::string describe() const { return "monomial-features"; }

  /// Throws InvalidArgument for more factors than most_factors.
  template <Real S, class K>
  [[nodiscard]] BoundMonomialFeatures<S> bind(const K& kernel, const SampleBounds& bounds,
                                              std::uint64_t) const {
    static_assert(maps<K>, "mercer::MonomialFeatures: the kernel must be Polynomial");
    detail::require_bounds("MonomialFeatures", bounds);
    const Polynomial::Params& params = kernel.params();
    const Index variables = bounds.dimension + (params.coef0 > 0 ? 1 : 0);
    return {params, bounds.dimension, columns(variables, params.degree)};
  }

 private:
  /// Binomial coefficient of (variables + degree - 1) over degree.
  [[nodiscard]] static Index columns(Index variables, Index degree) {
    if (variables == 0) return 0;
    const Index fewer = (std::min)(variables - 1, degree), sum = variables - 1 + degree;
    Index count = 1;
    for (Index j = 1; j <= fewer && count <= most_factors / degree; ++j)
      count = count * (sum - fewer + j) / j;  // a whole number, which grows to the result
    if (count > most_factors / degree)
      detail::fail("mercer::MonomialFeatures: the monomials of degree ", degree, " in ", variables,
                   " variables have more than ", most_factors,
                   " factors; take TensorSketch, or the kernel itself");
    return count;
  }
};

}  // namespace mercer

#endif  // MERCER_FEATURES_MONOMIAL_FEATURES_HPP
