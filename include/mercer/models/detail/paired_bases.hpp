// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The small dense problem of two views in their bases. Kernel SVD, kernel CCA and kernel SIR are
/// this problem with different weights.

#ifndef MERCER_MODELS_DETAIL_PAIRED_BASES_HPP
#define MERCER_MODELS_DETAIL_PAIRED_BASES_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// F^T G in double, for the scores F (n x r) and G (n x s) of two views.
/// Cost: O(n r s).
/// Memory: r s values.
/// Threads: over tiles of the result, whose bits do not depend on their number.
template <Real S, Real T>
[[nodiscard]] Matrix<double> cross_product(const Matrix<S>& f, const Matrix<T>& g) {
  constexpr Index width = 128, height = 4096;
  Matrix<double> out = Matrix<double>::Zero(f.cols(), g.cols());
  const Index rows = (f.cols() + width - 1) / width, cols = (g.cols() + width - 1) / width;
  parallel_for(rows * cols, [&](Index task) {
    const Index i = task % rows * width, j = task / rows * width;
    const Index p = (std::min)(width, f.cols() - i), q = (std::min)(width, g.cols() - j);
    for (Index first = 0; first < f.rows(); first += height) {
      const Index size = (std::min)(height, f.rows() - first);
      out.block(i, j, p, q).noalias() +=
          f.block(first, i, size, p).template cast<double>().transpose() *
          g.block(first, j, size, q).template cast<double>();
    }
  });
  return out;
}

/// At most k leading singular triplets of T = diag(w_x) G diag(w_y), where G = F_x^T F_y are inner
/// products of scores. Component j of a view is the function n^(1/2) sum_a w_a P_aj v_a of its
/// basis. The weights make the method:
/// - kernel SVD: w = n^(-1/2);
/// - a ridge kappa: w = (mu + n kappa)^(-1/2); kernel CCA has one for each view;
/// - an orthonormal basis of columns in place of a view, mu = 1: w = 1.
/// Singular values that are zero to rounding are left out.
template <Real S>
struct PairedBases {
  Vector<S> values;  ///< singular values, k, descending
  Matrix<S> x, y;    ///< coefficients of the functions over the bases, r_x x k and r_y x k
  Vector<S> residual_x, residual_y;  ///< norms in feature space, as in ViewReport

  static PairedBases solve(const Matrix<S>& cross, const Vector<S>& weights_x,
                           const Vector<S>& weights_y, Index samples, Index components);

 private:
  /// n^(-1/2) |diag(1/w) (a - p diag(values))|, column by column.
  static Vector<S> residuals(const Matrix<S>& product, const Matrix<S>& vectors,
                             const Vector<S>& values, const Vector<S>& weights, S root) {
    const Matrix<S> rest = product - vectors * values.asDiagonal();
    return (weights.cwiseInverse().asDiagonal() * rest).colwise().norm().transpose() / root;
  }
};

template <Real S>
PairedBases<S> PairedBases<S>::solve(const Matrix<S>& cross, const Vector<S>& weights_x,
                                     const Vector<S>& weights_y, Index samples, Index components) {
  const SingleThread one;
  const Matrix<S> t = weights_x.asDiagonal() * cross * weights_y.asDiagonal();
  SingularSystem<S> system = leading_singular_system(t, components);
  Index kept = system.values.size();
  const S zero =
      kept > 0 ? rounding_level<S>((std::max)(t.rows(), t.cols())) * system.values(0) : 0;
  while (kept > 0 && !(system.values(kept - 1) > zero)) --kept;
  system = {system.left.leftCols(kept).eval(), system.values.head(kept).eval(),
            system.right.leftCols(kept).eval()};
  const S root = std::sqrt(static_cast<S>(samples));
  PairedBases out;
  out.residual_x = residuals(t * system.right, system.left, system.values, weights_x, root);
  out.residual_y =
      residuals(t.transpose() * system.left, system.right, system.values, weights_y, root);
  out.values = std::move(system.values);
  out.x = root * (weights_x.asDiagonal() * system.left);
  out.y = root * (weights_y.asDiagonal() * system.right);
  return out;
}

/// Column j of f less its mean, in double; zeros if nothing but rounding errors is left.
template <Real S>
[[nodiscard]] Vector<double> centered_column(const Matrix<S>& f, Index j) {
  Vector<double> a = f.col(j).template cast<double>();
  const double rounding = 4 * double{std::numeric_limits<S>::epsilon()} * a.norm();
  a.array() -= a.mean();
  if (a.norm() <= rounding) a.setZero();
  return a;
}

/// The Pearson correlation of each column of f with that of g; 0 if one of them is constant.
template <Real S, Real T>
[[nodiscard]] std::vector<double> column_correlations(const Matrix<S>& f, const Matrix<T>& g) {
  std::vector<double> out;
  for (Index j = 0; j < f.cols(); ++j) {
    const Vector<double> a = centered_column(f, j), b = centered_column(g, j);
    const double scale = a.norm() * b.norm();
    out.push_back(scale > 0 ? a.dot(b) / scale : 0);
  }
  return out;
}

/// The Pearson correlations of the functions F a_j and G b_j, from the moments of F and G: means of
/// products and means. Zero where one of the two is constant.
/// \param squares_x, squares_y  mean of F^T F and of G^T G, which are diagonal
[[nodiscard]] inline std::vector<double> moment_correlations(
    const Vector<double>& squares_x, const Vector<double>& means_x, const Vector<double>& squares_y,
    const Vector<double>& means_y, const Matrix<double>& cross, const Matrix<double>& a,
    const Matrix<double>& b) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const auto deviation = [](const Vector<double>& squares, double mean, const auto& c) {
    const double square = squares.dot(c.cwiseAbs2()), variance = square - mean * mean;
    return variance > rounding * square ? std::sqrt(variance) : 0.0;
  };
  std::vector<double> out;
  for (Index j = 0; j < a.cols(); ++j) {
    const double mean_a = means_x.dot(a.col(j)), mean_b = means_y.dot(b.col(j));
    const double scale =
        deviation(squares_x, mean_a, a.col(j)) * deviation(squares_y, mean_b, b.col(j));
    const double product = a.col(j).dot(cross * b.col(j)) - mean_a * mean_b;
    out.push_back(scale > 0 ? product / scale : 0);
  }
  return out;
}

#define MERCER_PAIRED_BASES(S) MERCER_INSTANTIATE_VIEWS(struct PairedBases<S>)
MERCER_PAIRED_BASES(double)
#undef MERCER_PAIRED_BASES

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_PAIRED_BASES_HPP
