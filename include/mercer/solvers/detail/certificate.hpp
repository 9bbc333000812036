// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Estimates the rounding errors of eigenpairs that were computed with the Gram matrix in single
/// precision. Uses some rows of the matrix in double precision.

#ifndef MERCER_SOLVERS_DETAIL_CERTIFICATE_HPP
#define MERCER_SOLVERS_DETAIL_CERTIFICATE_HPP

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer::detail {

/// Rows of a matrix: some that are certain, and some drawn with replacement from the others.
struct DrawnRows {
  std::vector<Index> rows;            ///< the certain ones first
  Index certain = 0;                  ///< how many of them are certain
  std::vector<double> probabilities;  ///< for each row drawn, its probability in one draw
};

/// Adds |weights|, scaled to sum 1, to the shares; adds nothing if all weights are 0. Weights must
/// be finite.
inline void add_share(const Vector<double>& weights, Vector<double>& shares) {
  const double largest = weights.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return;
  const Vector<double> scaled = weights.cwiseAbs() / largest;
  if (scaled.allFinite()) shares += scaled / scaled.sum();
}

/// A seed that nobody can know before the vectors are computed. So samples cannot be arranged such
/// that the drawn rows miss some of them.
[[nodiscard]] inline std::uint64_t seed_from(const Matrix<double>& vectors) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double value : vectors.reshaped()) {
    hash ^= std::bit_cast<std::uint64_t>(value);
    hash *= 0x100000001b3U;
    hash ^= hash >> 32U;
  }
  return hash;
}

/// \p count rows, drawn in proportion to the errors that they may have: a quarter uniformly, and a
/// quarter each in proportion to |x_i|^2, to k(x_i, x_i) and to the squared rows of \p vectors.
/// This also finds a few far samples whose kernel values single precision does not resolve: they
/// are large, or else their errors do not affect the vectors. Rows that hold an eighth of the
/// square of a vector are certain: the errors of a vector with few large entries are in these rows,
/// and of many such vectors the draws would miss some. Returns all rows if there are at most 2 \p
/// count, beside the certain ones.
/// \param weights  of the rows, another share if there are some
[[nodiscard]] inline DrawnRows draw_rows(const Vector<double>& sizes,
                                         const Vector<double>& diagonal,
                                         const Matrix<double>& vectors, Index count,
                                         const Vector<double>& weights = {}) {
  constexpr double large = 0.125;
  const Index n = vectors.rows();
  Vector<double> shares = Vector<double>::Zero(n);
  add_share(Vector<double>::Ones(n), shares);
  add_share(sizes, shares);
  add_share(diagonal, shares);
  add_share(vectors.rowwise().squaredNorm(), shares);
  if (weights.size() > 0) add_share(weights, shares);
  DrawnRows drawn;
  for (Index i = 0; i < n; ++i)
    if (vectors.row(i).cwiseAbs2().maxCoeff() >= large) {
      drawn.rows.push_back(i);
      shares(i) = 0;
    }
  drawn.certain = static_cast<Index>(drawn.rows.size());
  const double sum = shares.sum();
  if (n - drawn.certain <= 2 * count || !(sum > 0)) {
    drawn.rows.resize(static_cast<std::size_t>(n));
    std::iota(drawn.rows.begin(), drawn.rows.end(), Index{0});
    drawn.certain = n;
    return drawn;
  }
  RandomStream stream(seed_from(vectors), "certificate");
  for (const Index row : draw_in_proportion(shares, count, stream)) {
    drawn.rows.push_back(row);
    drawn.probabilities.push_back(shares(row) / sum);
  }
  return drawn;
}

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
/// All rows of r are known. Of the difference e = K u - w, if n <= 128, all rows are used too.
/// Otherwise those that are certain are, and of the others 64 rows r_t are drawn with probabilities
/// p_t, see draw_rows(). The mean of (|e + r|^2 - |r|^2)_{r_t} / p_t is an unbiased estimate of
/// what their e adds to |r|^2, to which 6 of its standard errors are added. Squares of errors are
/// skew: draws without large ones have a small mean and a small standard error. For uniform errors
/// the true norm exceeded the result in 3.5e-5 of all draws (2e-4 with 4.5 standard errors). Not
/// finite if kernel values are not finite.
/// Shapes: u, products (w) and rest (r) are n x k; the scale has n entries, or none.
/// Cost: 64 n kernel values in double, and n for each certain row, of which there are at most 8 k.
/// Random: seeded by u itself, purpose "certificate".
template <OwnedSamples X>
[[nodiscard]] EstimatedNorms residual_norms(const std::type_identity_t<KernelView<X>>& kernel,
                                            const X& x, const Matrix<double>& u,
                                            const Matrix<double>& products,
                                            const Matrix<double>& rest, bool centered,
                                            const Vector<double>& scale = {}) {
  constexpr Index most_rows = 64;
  constexpr double standard_errors = 6;
  PhaseTimer timer(Phase::Certificate);
  const Vector<double> diagonal = kernel.diagonal(x).template cast<double>();
  const DrawnRows drawn =
      draw_rows(kernel.rounded_sizes(x), diagonal, u, most_rows, scale.cwiseAbs2());
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

  const bool sampled = !drawn.probabilities.empty();
  const auto count = static_cast<Index>(drawn.rows.size()), draws = count - drawn.certain;
  Vector<double> weights = Vector<double>::Ones(count);  // 1 / (expected number of draws)
  if (sampled)
    weights.tail(draws) =
        Eigen::Map<const Vector<double>>(drawn.probabilities.data(), draws).cwiseInverse() /
        static_cast<double>(draws);
  EstimatedNorms norms{Vector<double>(u.cols()), sampled ? count : 0};
  for (Index i = 0; i < u.cols(); ++i) {
    // Centring subtracts the mean of K u, which is unknown without all of K. The mean of the drawn
    // rows is the best known estimate.
    double mean = 0;
    if (centered) {
      const Vector<double> shares = weights.cwiseProduct(scale_of_drawn);
      const double total = shares.dot(scale_of_drawn);
      if (total > 0) mean = errors.col(i).dot(shares) / total;
    }
    const Vector<double> e = errors.col(i) - mean * scale_of_drawn;
    const Vector<double> terms =
        e.array() * (e + 2 * rest_of_drawn.col(i)).array() * weights.array();
    const double sum = terms.sum();
    double variance = 0;  // of the sum of the independent terms that were drawn
    if (sampled) {
      const auto m = static_cast<double>(draws);
      const Vector<double> random = terms.tail(draws);
      variance = (random.array() - random.mean()).square().sum() * m / (m - 1);
    }
    const double square = rest.col(i).squaredNorm() + sum + standard_errors * std::sqrt(variance);
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
