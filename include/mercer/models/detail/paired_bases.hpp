// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The small dense problem of two views in their bases. Kernel SVD, kernel CCA and kernel SIR are
/// this problem with different weights.

#ifndef MERCER_MODELS_DETAIL_PAIRED_BASES_HPP
#define MERCER_MODELS_DETAIL_PAIRED_BASES_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/leading_triplets.hpp>
#include <mercer/solvers/dense/detail/dense_eigen.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// Products and correlations of the scores of two views. In a class, as BlockDistances.
template <Real S, Real T>
struct ScorePair {
  /// F^T G in double, for scores F (n x r) and G (n x s).
  /// Cost: O(n r s).
  /// Memory: r s values.
  /// Threads: over tiles of the result, whose bits do not depend on their number.
  [[nodiscard]] static Matrix<double> cross_product(const Matrix<S>& f, const Matrix<T>& g);

  /// The Pearson correlation of each column of F with that of G; 0 if one of them is constant.
  [[nodiscard]] static std::vector<double> correlations(const Matrix<S>& f, const Matrix<T>& g);
};

/// Combinations of the functions of a basis.
template <Real S>
struct Combination {
  /// F C: the combinations at the samples, from the scores F of the basis.
  [[nodiscard]] static Matrix<S> values(const Matrix<S>& scores, const Matrix<double>& c);

  /// The factors, 1 or -1, that the sign rule gives to the columns of F C.
  [[nodiscard]] static Vector<double> signs(const Matrix<S>& scores, const Matrix<double>& c);

  /// A C for coefficients or offsets A of the basis, computed in double.
  [[nodiscard]] static Matrix<S> coefficients(const Matrix<S>& a, const Matrix<double>& c);
};

/// \p a in double; a copy in \p buffer, if it is not in double already.
template <class A>
[[nodiscard]] Points<double> in_double(const A& a, Matrix<double>& buffer) {
  if constexpr (std::same_as<typename A::Scalar, double>)
    return a;
  else
    return buffer = a.template cast<double>();
}

template <Real S, Real T>
Matrix<double> ScorePair<S, T>::cross_product(const Matrix<S>& f, const Matrix<T>& g) {
  constexpr Index width = 256, height = 2048;
  Matrix<double> out = Matrix<double>::Zero(f.cols(), g.cols());
  const Index rows = (f.cols() + width - 1) / width, cols = (g.cols() + width - 1) / width;
  parallel_for(rows * cols, [&](Index task) {
    const Index i = task % rows * width, j = task / rows * width;
    const Index p = (std::min)(width, f.cols() - i), q = (std::min)(width, g.cols() - j);
    Matrix<double> buffer_f, buffer_g;
    for (Index first = 0; first < f.rows(); first += height) {
      const Index size = (std::min)(height, f.rows() - first);
      const Points<double> a = in_double(f.block(first, i, size, p), buffer_f);
      const Points<double> b = in_double(g.block(first, j, size, q), buffer_g);
      out.block(i, j, p, q).noalias() += a.transpose() * b;
    }
  });
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

template <Real S, Real T>
std::vector<double> ScorePair<S, T>::correlations(const Matrix<S>& f, const Matrix<T>& g) {
  std::vector<double> out;
  for (Index j = 0; j < f.cols(); ++j) {
    const Vector<double> a = centered_column(f, j), b = centered_column(g, j);
    const double scale = a.norm() * b.norm();
    out.push_back(scale > 0 ? a.dot(b) / scale : 0);
  }
  return out;
}

template <Real S>
Matrix<S> Combination<S>::values(const Matrix<S>& scores, const Matrix<double>& c) {
  const Matrix<S> weights = c.template cast<S>();
  return multiply(scores, weights);
}

template <Real S>
Vector<double> Combination<S>::signs(const Matrix<S>& scores, const Matrix<double>& c) {
  Matrix<S> combined = values(scores, c);
  return fix_signs(combined).template cast<double>();
}

template <Real S>
Matrix<S> Combination<S>::coefficients(const Matrix<S>& a, const Matrix<double>& c) {
  const Matrix<double> wide = a.template cast<double>();
  return multiply(wide, c).template cast<S>();
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
  Vector<S> error_bounds;            ///< T has a singular value as near as this to each value

  static PairedBases solve(const Matrix<S>& cross, const Vector<S>& weights_x,
                           const Vector<S>& weights_y, Index samples, Index components);
};

/// At most k leading eigenpairs of the matrix R of V views: identities on its diagonal, and the
/// blocks T_vw = diag(w_v) F_v^T F_w diag(w_w) beside it. Component j of view v is the function
/// (V n)^(1/2) sum_a w_a q_aj v_a, for the rows q of the eigenvectors that belong to v. For two
/// views, the eigenvalues are 1 + rho, and the functions are those of PairedBases.
/// Source: Kettenring, Canonical analysis of several sets of variables, 1971.
template <Real S>
struct JoinedBases {
  Vector<S> values;                  ///< eigenvalues of R, k, descending, in [0, V]
  std::vector<Matrix<S>> views;      ///< coefficients of the functions over the bases, r_v x k
  std::vector<Vector<S>> residuals;  ///< norms in feature space, as in ViewReport
  Vector<S> error_bounds;            ///< R has an eigenvalue as near as this to each value

  /// \param cross    F_v^T F_w at [v][w], for v < w; other entries are not read
  /// \param weights  w_v, one for each view
  static JoinedBases solve(const std::vector<std::vector<Matrix<S>>>& cross,
                           const std::vector<Vector<S>>& weights, Index samples, Index components);
};

/// |diag(1/w) rest| / scale, column by column.
template <Real S>
[[nodiscard]] Vector<S> weighted_norms(const Matrix<S>& rest, const Vector<S>& weights, S scale) {
  return (weights.cwiseInverse().asDiagonal() * rest).colwise().norm().transpose() / scale;
}

template <Real S>
PairedBases<S> PairedBases<S>::solve(const Matrix<S>& cross, const Vector<S>& weights_x,
                                     const Vector<S>& weights_y, Index samples, Index components) {
  const SingleThread one;
  const Matrix<S> t = weights_x.asDiagonal() * cross * weights_y.asDiagonal();
  const SingularSystem<S> system = leading_triplets(t, components);
  const S largest = system.values.size() > 0 ? system.values(0) : S(0);
  const S zero = rounding_level<S>((std::max)(t.rows(), t.cols())) * largest;
  const Index kept = (system.values.array() > zero).count();
  const Matrix<S> left = system.left.leftCols(kept), right = system.right.leftCols(kept);
  const S root = std::sqrt(static_cast<S>(samples));
  PairedBases out;
  out.values = system.values.head(kept);
  const Matrix<S> rest_x = small_product(t, right) - left * out.values.asDiagonal();
  const Matrix<S> rest_y = small_product<S>(t.transpose(), left) - right * out.values.asDiagonal();
  out.residual_x = weighted_norms(rest_x, weights_x, root);
  out.residual_y = weighted_norms(rest_y, weights_y, root);
  out.error_bounds =
      ((rest_x.colwise().squaredNorm() + rest_y.colwise().squaredNorm()) / 2).cwiseSqrt();
  out.x = root * (weights_x.asDiagonal() * left);
  out.y = root * (weights_y.asDiagonal() * right);
  return out;
}

template <Real S>
JoinedBases<S> JoinedBases<S>::solve(const std::vector<std::vector<Matrix<S>>>& cross,
                                     const std::vector<Vector<S>>& weights, Index samples,
                                     Index components) {
  const SingleThread one;
  std::vector<Index> begin{0};
  for (const Vector<S>& w : weights) begin.push_back(begin.back() + w.size());
  const Index size = begin.back();
  Matrix<S> r = Matrix<S>::Identity(size, size);
  for (std::size_t v = 0; v < weights.size(); ++v)
    for (std::size_t w = v + 1; w < weights.size(); ++w) {
      const Matrix<S> t = weights[v].asDiagonal() * cross[v][w] * weights[w].asDiagonal();
      r.block(begin[v], begin[w], t.rows(), t.cols()) = t;
      r.block(begin[w], begin[v], t.cols(), t.rows()) = t.transpose();
    }
  const Index kept = (std::min)(components, size);
  Matrix<S> work = r;
  DenseEigen<S> eigen(work);
  const Matrix<S> q = eigen.leading_vectors(kept);
  MERCER_ASSERT(eigen.ok());
  JoinedBases out;
  out.values = eigen.eigenvalues().reverse().head(kept);
  const Matrix<S> rest = small_product(r, q) - q * out.values.asDiagonal();
  out.error_bounds = rest.colwise().norm();
  const S root = std::sqrt(static_cast<S>(samples));
  const S scale = std::sqrt(static_cast<S>(weights.size())) * root;
  for (std::size_t v = 0; v < weights.size(); ++v) {
    const Index rows = weights[v].size();
    out.views.push_back(scale * (weights[v].asDiagonal() * q.middleRows(begin[v], rows)));
    out.residuals.push_back(
        weighted_norms<S>(rest.middleRows(begin[v], rows), weights[v], root / scale * root));
  }
  return out;
}

/// The mean of the correlations over all pairs of views.
template <Real S>
[[nodiscard]] std::vector<double> mean_correlations(const std::vector<Matrix<S>>& scores) {
  std::vector<double> sum(static_cast<std::size_t>(scores[0].cols()), 0);
  const auto views = static_cast<double>(scores.size());
  for (std::size_t v = 0; v < scores.size(); ++v)
    for (std::size_t w = v + 1; w < scores.size(); ++w) {
      const std::vector<double> pair = ScorePair<S, S>::correlations(scores[v], scores[w]);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += pair[j] * 2 / (views * (views - 1));
    }
  return sum;
}

/// F^T G and the correlations of scores of any two scalars.
template <Real S, Real T>
[[nodiscard]] Matrix<double> cross_product(const Matrix<S>& f, const Matrix<T>& g) {
  return ScorePair<S, T>::cross_product(f, g);
}
template <Real S, Real T>
[[nodiscard]] std::vector<double> column_correlations(const Matrix<S>& f, const Matrix<T>& g) {
  return ScorePair<S, T>::correlations(f, g);
}

/// The Pearson correlations of the functions F a_j and G b_j, from the moments of F and G: means of
/// products and means. Zero where one of the two is constant.
/// \param squares_x, squares_y  mean of F^T F and of G^T G, which are diagonal
template <Real S>
[[nodiscard]] std::vector<double> moment_correlations(
    const Vector<S>& squares_x, const Vector<S>& means_x, const Vector<S>& squares_y,
    const Vector<S>& means_y, const Matrix<S>& cross, const Matrix<S>& a, const Matrix<S>& b) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const auto deviation = [](const Vector<S>& squares, double mean, const auto& c) {
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

#define MERCER_SCORES(S)                                \
  MERCER_INSTANTIATE_VIEWS(struct ScorePair<S, double>) \
  MERCER_INSTANTIATE_VIEWS(struct ScorePair<S, float>)  \
  MERCER_INSTANTIATE_VIEWS(struct Combination<S>)
MERCER_FOR_SCALARS(MERCER_SCORES)
#undef MERCER_SCORES
MERCER_INSTANTIATE_VIEWS(struct PairedBases<double>)
MERCER_INSTANTIATE_VIEWS(struct JoinedBases<double>)

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_PAIRED_BASES_HPP
