// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Residuals of eigenpairs of a Gram matrix, estimated from some of its rows.

#ifndef MERCER_SOLVERS_DETAIL_SAMPLED_RESIDUALS_HPP
#define MERCER_SOLVERS_DETAIL_SAMPLED_RESIDUALS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <vector>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/detail/drawn_rows.hpp>
#include <mercer/solvers/detail/expansion_scores.hpp>

namespace mercer::detail {

/// What is added to estimated sums of squares. Of a normal variable, 0.13 % is above its mean plus
/// three standard errors.
inline constexpr double residual_standard_errors = 3;

/// K(drawn, :) V, where V has a row for each sample: the same on all processes. Empty if the
/// observer stops it. Values and sums are in double, also for samples in single precision, whose
/// scores are then measured and not the rounding errors of this product; but a kernel without
/// values in double has those in single precision.
/// \param drawn    some samples
/// \param largest  for order-free sums: the exponent of the largest kernel value
/// Cost: O(n r (d + k)) on all threads, for r drawn samples and n of this process.
/// Collective.
template <OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] Matrix<double> sampled_product(const KernelView<X>& kernel, const RowSpace& space,
                                             const X& samples, const Matrix<S>& v, const X& drawn,
                                             int largest, const Observer& observer) {
  using Wide = SamplesIn<double, X>;
  const Index n = space.local(), count = drawn.rows();
  const PhaseTimer timer(Phase::Certificate, static_cast<std::size_t>(n * count) * sizeof(double));
  const bool widened = !std::same_as<X, Wide> && kernel.has_double();
  std::optional<PreparedPair<X, X>> prepared;
  Wide wide;
  space.together([&] {
    if (widened)
      wide = drawn.template cast<double>();
    else
      prepared.emplace(kernel, space, samples, drawn);
  });
  const auto fill = [&](Index first, Index size, Matrix<double>& values) {
    if constexpr (std::same_as<X, Wide>) {
      kernel.fill(prepared->p, {0, count}, prepared->x, {first, size}, values);
    } else if (widened) {
      fill_in_double(kernel, wide, samples, first, size, values);
    } else {
      Matrix<S> narrow(count, size);
      kernel.fill(prepared->p, {0, count}, prepared->x, {first, size}, narrow);
      values = narrow.template cast<double>();
    }
  };
  const auto part = [&](Index first, Index size) -> Matrix<double> {
    Matrix<double> values = in_huge_pages(Matrix<double>(count, size));
    Matrix<double> sum = Matrix<double>::Zero(count, v.cols());
    fill(first, size, values);
    if (space.order_free()) require_bounded("residuals", kernel, values, largest);
    if constexpr (std::same_as<S, double>)
      multiply_add<double>(values, v.middleRows(first, size), sum);
    else
      multiply_add<double>(values, v.middleRows(first, size).template cast<double>().eval(), sum);
    return sum;
  };
  if (space.is_spread()) {
    const Matrix<double> product = sum_over_rows<double>(
        space, count, v.cols(), part,
        [&] {
          return product_bounds(space.total(), Eigen::VectorXi::Constant(count, largest),
                                column_exponents<S>(space, v));
        },
        /*may_throw=*/true);
    return space.go_on(observer, {"residuals", n, n}) ? product : Matrix<double>();
  }
  Matrix<double> product = Matrix<double>::Zero(count, v.cols());
  constexpr Index group = 4 * blocks_at_once * row_block;
  for (Index begin = 0; begin < n; begin += group) {
    if (!go_on(observer, {"residuals", begin, n})) return {};
    add_row_blocks((std::min)(group, n - begin),
                   [&](Index first, Index size) { return part(begin + first, size); }, product);
  }
  return product;
}

/// The same for the samples with these row numbers, and all rows in one process.
template <OwnedSamples X, Real S = typename X::Scalar>
[[nodiscard]] Matrix<double> sampled_product(const KernelView<X>& kernel, const X& samples,
                                             const Matrix<S>& v, const std::vector<Index>& rows,
                                             const Observer& observer) {
  return sampled_product(kernel, RowSpace::whole(samples.rows()), samples, v,
                         take_rows(samples, rows), 0, observer);
}

/// Scores over a power of two near mu_1^(1/2). K times the scores is of the size of mu^(3/2), which
/// need not be in the range of S; K times these is in it.
template <Real S>
struct ScaledScores {
  ScaledScores(const Matrix<S>& scores, const Vector<S>& mu)
      : unit(mu.size() > 0 ? std::ilogb(std::sqrt(static_cast<double>(mu(0)))) : 0),
        values(scores * std::ldexp(S(1), -unit)) {}

  int unit;  ///< scores = 2^unit values
  Matrix<S> values;
};

/// Estimates |K u_i - mu_i u_i| for u_i = scores_i / mu_i^(1/2), from some of n rows. \p scores
/// holds these rows of ScaledScores with \p unit, and \p product these rows of K times them. If \p
/// centered, K is the centred matrix and the u_i have mean 0. Exact if all n rows are drawn.
///
/// The sum of squares has an estimate without bias, to which \p standard_errors of its standard
/// errors are added: a claim that is too large does less harm than one that is too small. Errors
/// that sit in few rows, none of which was drawn, stay unseen. Centring subtracts the mean of K u,
/// which is unknown without all of K; that of the drawn rows takes its place, and the sum is
/// enlarged by what this takes away (exactly for uniform rows, else up to terms of order 1 /
/// count).
///
/// With weights omega of the samples, K is replaced by diag(omega)^(1/2) K diag(omega)^(1/2),
/// centred with these weights: \p product holds rows of K diag(omega) scores, and the mean is that
/// of the weighted rows.
/// \param omega  weights of the samples in the drawn rows; empty: 1 each
template <Real S>
[[nodiscard]] std::vector<double> sampled_residuals(
    const Points<double>& product, const Vector<S>& mu, const Points<S>& scores, int unit,
    bool centered, Index n, const DrawnRows& drawn, const Vector<double>& omega = {},
    double standard_errors = residual_standard_errors) {
  const double inverse = std::ldexp(1.0, -unit);
  Vector<double> weights = drawn.weights;
  if (omega.size() > 0) weights = weights.cwiseProduct(omega).eval();
  const double total = weights.sum();
  double scale = 1;
  if (centered && drawn.draws() > 0) {
    // As many uniform draws tell as much of the mean.
    const double effective =
        drawn.weights.sum() / drawn.weights.squaredNorm() * drawn.weights.sum();
    if (effective > 1) scale = (1 - 1 / static_cast<double>(n)) / (1 - 1 / effective);
  }
  std::vector<double> residuals;
  for (Index i = 0; i < mu.size(); ++i) {
    // Of K and mu over 2^(2 unit), whose errors have squares in the range of double.
    const double root = std::sqrt(static_cast<double>(mu(i))) * inverse;
    Vector<double> error =
        product.col(i) * inverse * inverse / root - root * scores.col(i).template cast<double>();
    if (centered && total > 0) error.array() -= weights.dot(error) / total;
    const Vector<double> terms = scale * weights.array() * error.array().square();
    const double square = terms.sum() + standard_errors * drawn.standard_error(terms);
    residuals.push_back(std::ldexp(std::ldexp(std::sqrt(square), unit), unit));
  }
  return residuals;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_SAMPLED_RESIDUALS_HPP
