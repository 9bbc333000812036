// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Estimates the rounding errors of eigenpairs that were computed with the Gram matrix in single
/// precision. Uses some rows of the matrix in double precision.

#ifndef MERCER_SOLVERS_DETAIL_CERTIFICATE_HPP
#define MERCER_SOLVERS_DETAIL_CERTIFICATE_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/solvers/detail/drawn_rows.hpp>

namespace mercer::detail {

/// K(rows, :) V, m x k. Kernel values and sums are in double, whatever the scalar of the samples.
/// Cost: n m kernel values and 2 n m k operations.
/// Threads: over rows of V.
template <OwnedSamples X>
[[nodiscard]] Matrix<double> rows_times(const KernelView<X>& kernel, const X& x,
                                        const std::vector<Index>& rows, const Matrix<double>& v) {
  using Wide = SamplesIn<double, X>;
  const Range all{0, static_cast<Index>(rows.size())};
  const Wide drawn = take_rows<double>(x, rows);
  Matrix<double> sum = Matrix<double>::Zero(all.size, v.cols());
  add_row_blocks(
      x.rows(),
      [&](Index first, Index size) -> Matrix<double> {
        Matrix<double> values(all.size, size);
        if constexpr (std::same_as<X, Wide>) {
          if (kernel.is_precomputed())
            fill_in_double(kernel, drawn, x, first, size, values);
          else
            kernel.fill(drawn, all, x, {first, size}, values);
        } else {
          fill_in_double(kernel, drawn, x, first, size, values);
        }
        return values * v.middleRows(first, size);
      },
      sum);
  return sum;
}

/// Norms, estimated from some of the rows.
struct EstimatedNorms {
  Vector<double> values;
  Index rows = 0;  ///< number of rows used; 0: all rows, so the norms are exact
};

/// Norms of the residuals K u_i - mu_i u_i = (K u_i - w_i) + r_i, where w_i is the product K u_i as
/// the solver computed it, and r_i = w_i - mu_i u_i is the residual that it saw. If \p centered, K
/// and w_i are centred. With a scale s, K is replaced by diag(s) K diag(s), and is centred with the
/// weights s_i^2. The difference K u_i - w_i contains the rounding errors of tiles in single
/// precision, of products with them, and of rounded samples.
///
/// All rows of r are known. Of the difference e = K u - w, if n <= 1024, all rows are used too.
/// Otherwise those that are certain are, and others are drawn, 64 or more where n is small, see
/// draw_rows(). The weighted sum of |e + r|^2 - |r|^2 in these rows is an unbiased estimate of what
/// e adds to |r|^2, to which 6 of its standard errors are added. Squares of errors are skew: draws
/// without large ones have a small mean and a small standard error. For uniform errors and 64 draws
/// the true norm exceeded the result in 3.5e-5 of all draws (2e-4 with 4.5 standard errors). Not
/// finite if kernel values are not finite.
/// Shapes: u, products (w) and rest (r) are n x k; the scale has n entries, or none.
/// Cost: at most max(64 n, 2^20) kernel values in double, and n for each certain row, of which
///   there are at most 16 k.
/// Random: seeded by u itself, purpose "certificate".
template <OwnedSamples X>
[[nodiscard]] EstimatedNorms residual_norms(const std::type_identity_t<KernelView<X>>& kernel,
                                            const X& x, const Matrix<double>& u,
                                            const Matrix<double>& products,
                                            const Matrix<double>& rest, bool centered,
                                            const Vector<double>& scale = {}) {
  constexpr Index least_draws = 64;
  constexpr double standard_errors = 6;
  PhaseTimer timer(Phase::Certificate);
  const Vector<double> diagonal = kernel.diagonal(x).template cast<double>();
  const Vector<double> sizes = kernel.rounded_sizes(x), weights_of_rows = scale.cwiseAbs2();
  // Rounding errors are in all rows, so that fewer of them tell as much as of other errors.
  const Index draws = (std::max)(least_draws, cheap_certificate_values / 2 / x.rows());
  // Kernel values of far samples, which single precision does not resolve, are found by the sizes
  // and the diagonal: they are large, or else their errors do not affect the vectors.
  const DrawnRows drawn = draw_rows(u, draws, {sizes, diagonal, weights_of_rows});
  timer.count(drawn.rows.size() * static_cast<std::size_t>(x.rows()) * sizeof(double));
  Matrix<double> errors;
  Vector<double> scale_of_drawn = Vector<double>::Ones(static_cast<Index>(drawn.rows.size()));
  if (scale.size() == 0) {
    errors = rows_times(kernel, x, drawn.rows, u);
  } else {
    scale_of_drawn = take_entries(scale, drawn.rows);
    errors =
        scale_of_drawn.asDiagonal() * rows_times<X>(kernel, x, drawn.rows, scale.asDiagonal() * u);
  }
  errors -= take_rows(products, drawn.rows);
  const Matrix<double> rest_of_drawn = take_rows(rest, drawn.rows);

  EstimatedNorms norms{Vector<double>(u.cols()), drawn.draws() > 0 ? drawn.count() : 0};
  for (Index i = 0; i < u.cols(); ++i) {
    // Centring subtracts the mean of K u, which is unknown without all of K. The mean of the drawn
    // rows is the best known estimate.
    double mean = 0;
    if (centered) {
      const Vector<double> shares = drawn.weights.cwiseProduct(scale_of_drawn);
      const double total = shares.dot(scale_of_drawn);
      if (total > 0) mean = errors.col(i).dot(shares) / total;
    }
    const Vector<double> e = errors.col(i) - mean * scale_of_drawn;
    const Vector<double> terms =
        e.array() * (e + 2 * rest_of_drawn.col(i)).array() * drawn.weights.array();
    const double square =
        rest.col(i).squaredNorm() + terms.sum() + standard_errors * drawn.standard_error(terms);
    norms.values(i) = square < 0 ? 0 : std::sqrt(square);  // what is not finite stays so
  }
  return norms;
}

#define MERCER_RESIDUAL_NORMS(X)                                                    \
  MERCER_INSTANTIATE_KRYLOV(EstimatedNorms residual_norms<X>(                       \
      const KernelView<X>&, const X&, const Matrix<double>&, const Matrix<double>&, \
      const Matrix<double>&, bool, const Vector<double>&))
MERCER_FOR_SAMPLES(MERCER_RESIDUAL_NORMS)
#undef MERCER_RESIDUAL_NORMS

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_CERTIFICATE_HPP
