// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The end of a stochastic fit of pairs: from the functions that the steps have found to
/// components.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_EVALUATION_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_EVALUATION_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <vector>

#include <Eigen/Cholesky>

#include <mercer/core/moment_sum.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/pair_solver.hpp>

namespace mercer::detail {

/// Moments of the functions U and V of two views over the rows of an evaluation.
struct PairMoments {
  Matrix<double> uu, vv, uv;  ///< means of products; centred, if the request is
  Vector<double> mean_u, mean_v;
  double size_u = 0, size_v = 0;  ///< means of |u|^2 and |v|^2, not centred
  Index rows = 0;

  /// \param sum  of the rows [u v], centred
  template <Real S>
  PairMoments(const MomentSum<S>& sum, bool centered) : rows(sum.count()) {
    const Index k = sum.mean().size() / 2;
    mean_u = sum.mean().head(k);
    mean_v = sum.mean().tail(k);
    const Matrix<double> covariance = sum.scatter() / static_cast<double>(rows);
    const Matrix<double> raw = covariance + sum.mean() * sum.mean().transpose();
    const Matrix<double>& used = centered ? covariance : raw;
    uu = used.topLeftCorner(k, k);
    vv = used.bottomRightCorner(k, k);
    uv = used.topRightCorner(k, k);
    size_u = raw.topLeftCorner(k, k).trace();
    size_v = raw.bottomRightCorner(k, k).trace();
  }

  /// False if steps that diverged have left values whose squares overflow.
  [[nodiscard]] bool finite() const { return uu.allFinite() && vv.allFinite() && uv.allFinite(); }
};

/// U a and V b, with a number for each pair of functions.
struct PairRotation {
  Matrix<double> a, b;  ///< k x c
  Vector<double> values;

  [[nodiscard]] static PairRotation none(Index k) {
    return {Matrix<double>(k, 0), Matrix<double>(k, 0), Vector<double>(0)};
  }
};

/// In how many directions functions vary, beyond rounding errors.
/// \param moments  means of their products, k x k
/// \param size     of their squares, not centred
template <Real S>
[[nodiscard]] Index varying_directions(const Matrix<double>& moments, double size, Index rows) {
  const double noise = double{rounding_level<S>(rows)} * size;
  return (symmetric_eigenvalues<double>(moments).array() > noise).count();
}

/// Kernel SVD: the eigenvectors of W = mean of U^T V + V^T U, times 2^(1/2), because the functions
/// of a view have norm 2^(-1/2). The values are the eigenvalues that are not zero to rounding.
template <Real S>
[[nodiscard]] PairRotation singular_rotation(const PairMoments& moments) {
  const EigenSystem<double> eigen =
      symmetric_eigensystem<double>(Matrix<double>(moments.uv + moments.uv.transpose()));
  const double zero =
      double{rounding_level<S>(moments.rows)} * std::sqrt(moments.size_u * moments.size_v);
  Index kept = eigen.values.size();
  while (kept > 0 && !(eigen.values(kept - 1) > zero)) --kept;
  const Matrix<double> rotation = std::sqrt(2.0) * eigen.vectors.leftCols(kept);
  return {rotation, rotation, eigen.values.head(kept)};
}

/// Kernel CCA: the functions in the spans of U and of V that are correlated most, with variance 1.
/// From the Cholesky factors of the variances, with 1e-8 of the trace on the diagonal.
/// \param ridge_u, ridge_v  k x k, added to the variances; empty for none
template <Real S>
[[nodiscard]] PairRotation canonical_rotation(const PairMoments& moments,
                                              const Matrix<double>& ridge_u = {},
                                              const Matrix<double>& ridge_v = {}) {
  constexpr double ridge = 1e-8;
  const Index k = moments.uu.rows();
  const auto noise = double{rounding_level<S>(moments.rows)};
  const bool constant = !(moments.uu.trace() > noise * moments.size_u) ||
                        !(moments.vv.trace() > noise * moments.size_v);
  if (constant) return PairRotation::none(k);
  const SingleThread one;
  const auto factor = [k](Matrix<double> a, const Matrix<double>& with) {
    if (with.size() > 0) a += with;
    a.diagonal().array() += ridge * a.trace() / static_cast<double>(k);
    return Eigen::LLT<Matrix<double>>(a);
  };
  const Eigen::LLT<Matrix<double>> u = factor(moments.uu, ridge_u), v = factor(moments.vv, ridge_v);
  MERCER_ASSERT(u.info() == Eigen::Success && v.info() == Eigen::Success);
  Matrix<double> t = u.matrixL().solve(moments.uv);
  t = v.matrixL().solve(t.transpose()).transpose().eval();
  const SingularSystem<double> found = singular_system(t);
  Index kept = k;
  while (kept > 0 && !(found.values(kept - 1) > noise)) --kept;
  return {u.matrixU().solve(found.left.leftCols(kept)),
          v.matrixU().solve(found.right.leftCols(kept)), found.values.head(kept)};
}

/// The Pearson correlations of the columns of U a and V b.
/// \tparam S  double: a template is compiled only where it is used
template <std::same_as<double> S>
[[nodiscard]] std::vector<S> rotated_correlations(const PairMoments& moments,
                                                  const PairRotation& rotation, bool centered) {
  Matrix<S> uu = moments.uu, vv = moments.vv, uv = moments.uv;
  if (!centered) {
    uu -= moments.mean_u * moments.mean_u.transpose();
    vv -= moments.mean_v * moments.mean_v.transpose();
    uv -= moments.mean_u * moments.mean_v.transpose();
  }
  std::vector<S> out;
  for (Index j = 0; j < rotation.a.cols(); ++j) {
    const Vector<S> a = rotation.a.col(j), b = rotation.b.col(j);
    const S variance = a.dot(uu * a) * b.dot(vv * b);
    out.push_back(variance > 0 ? a.dot(uv * b) / std::sqrt(variance) : 0);
  }
  return out;
}

/// Z^T [F 1] summed over the rows of an evaluation, for all blocks Z = [Z_1 ... Z_B] of features of
/// a view and some functions F.
template <Real S>
class FeatureProducts {
 public:
  FeatureProducts(Index blocks, Index columns, Index functions)
      : blocks_(blocks),
        columns_(columns),
        sums_(Matrix<double>::Zero(blocks * columns, functions + 1)) {}

  /// Adds tiles of features where the functions have these values.
  /// Lifetime: refers to the values.
  [[nodiscard]] auto adding(const Matrix<S>& values) {
    return [this, &values](Index block, Index first, const Points<S>& z) {
      Matrix<S> part = Matrix<S>::Zero(columns_, values.cols());
      multiply_add<S>(z.transpose(), values.middleRows(first, z.rows()), part);
      auto sum = sums_.middleRows(block * columns_, columns_);
      sum.leftCols(values.cols()) += part.template cast<double>();
      sum.rightCols(1) += z.colwise().sum().transpose().template cast<double>();
    };
  }

  /// B^(-1/2) Z^T F / rows: the means of z(x_i) f(i) for the N features z = B^(-1/2) [Z_1 ... Z_B].
  /// \param means  of the functions, which they lose before; empty: none
  [[nodiscard]] Matrix<double> means(Index rows, const Vector<double>& means) const {
    const Index functions = sums_.cols() - 1;
    Matrix<double> out = sums_.leftCols(functions);
    if (means.size() > 0) out -= sums_.rightCols(1) * means.transpose();
    return out / (static_cast<double>(rows) * std::sqrt(static_cast<double>(blocks_)));
  }

  [[nodiscard]] Index blocks() const { return blocks_; }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(sums_.size()) * sizeof(double);
  }

 private:
  Index blocks_, columns_;
  Matrix<double> sums_;
};

/// The k functions of a view and the images of functions under covariance operators, as
/// coefficients of its N features.
struct ViewImages {
  Matrix<double> functions;   ///< N x k
  Matrix<double> own, other;  ///< C_xx f of this view, C_xy g of the other view: N x k
  double kappa = 0;           ///< ridge

  /// \param coefficients  of the blocks, as a run has them
  /// \param means         of z times the functions of the two views, N x 2k
  /// \param first         whether this is the first view
  template <Real S>
  ViewImages(const Matrix<S>& coefficients, Index blocks, const Matrix<double>& means, bool first,
             double ridge)
      : functions(std::sqrt(static_cast<double>(blocks)) * coefficients.template cast<double>()),
        kappa(ridge) {
    const Index k = coefficients.cols();
    own = first ? means.leftCols(k) : means.rightCols(k);
    other = first ? means.rightCols(k) : means.leftCols(k);
  }
};

/// kappa <f_i, f_j>, k x k, of functions that are the columns.
template <std::same_as<double> S>
[[nodiscard]] Matrix<S> ridge_of(S kappa, const Matrix<S>& functions) {
  return kappa * inner(functions);
}

/// The larger of two numbers. Against std::max, which may lose it, NaN counts as the largest.
[[nodiscard]] inline double larger_or_nan(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}

/// How well functions solve the problem in the features, over the pairs of an evaluation.
struct PairResiduals {
  std::vector<double> x, y;    ///< as in ViewReport
  std::vector<double> bounds;  ///< as in PairReport; empty if a view of kernel CCA has no ridge
  double worst = 0;  ///< the largest residual, as a share of |C_xy g| or |C_yx f|; NaN for 0 / 0
};

/// Kernel SVD: of the components, as rotated. Kernel CCA: the functions that solve the problem with
/// the ridge in the two spans. Their values rho are at most the correlations, from which the bounds
/// count.
template <Real S>
[[nodiscard]] PairResiduals pair_residuals(PairMethod method, const PairMoments& moments,
                                           const PairRotation& components, const ViewImages& x,
                                           const ViewImages& y) {
  const bool cca = method == PairMethod::Cca;
  const PairRotation used = cca ? canonical_rotation<S>(moments, ridge_of(x.kappa, x.functions),
                                                        ridge_of(y.kappa, y.functions))
                                : components;
  const Index count = (std::min)(used.values.size(), components.values.size());
  const Vector<double> rho = used.values.head(count);
  PairResiduals out;
  Vector<double> squares = Vector<double>::Zero(count), sizes = Vector<double>::Zero(count);
  const auto add = [&](const ViewImages& view, const Matrix<double>& a, const Matrix<double>& b) {
    const Matrix<double> metric =
        cca ? Matrix<double>(view.own + view.kappa * view.functions) : view.functions;
    const Matrix<double> image = multiply(view.other, b), scaled = multiply(metric, a);
    const Vector<double> norms = (image - scaled * rho.asDiagonal()).colwise().norm().transpose();
    squares += norms.cwiseAbs2() / (cca ? view.kappa : 1.0);
    sizes += cca ? Vector<double>::Ones(count)
                 : Vector<double>(scaled.colwise().squaredNorm().transpose());
    const double largest = count > 0 ? image.colwise().norm().maxCoeff() : 0;
    for (const double norm : norms) out.worst = larger_or_nan(out.worst, norm / largest);
    return std::vector<double>(norms.data(), norms.data() + count);
  };
  const Matrix<double> a = used.a.leftCols(count), b = used.b.leftCols(count);
  out.x = add(x, a, b);
  out.y = add(y, b, a);
  if (cca && !(x.kappa > 0 && y.kappa > 0)) return out;
  const Vector<double> bounds = (components.values.head(count) - rho).cwiseAbs() +
                                (squares.array() / sizes.array()).sqrt().matrix();
  out.bounds.assign(bounds.data(), bounds.data() + count);
  return out;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_PAIRS_DETAIL_PAIR_EVALUATION_HPP
