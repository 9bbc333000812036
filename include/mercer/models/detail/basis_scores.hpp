// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The scores of training samples in the basis of a view, and products and correlations of those of
/// two views. Nothing here depends on the kernel.

#ifndef MERCER_MODELS_DETAIL_BASIS_SCORES_HPP
#define MERCER_MODELS_DETAIL_BASIS_SCORES_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// Combinations of the functions of a basis. In a class, as BlockDistances.
template <Real S>
struct Combination {
  /// F C: the combinations at the samples, from the scores F of the basis.
  [[nodiscard]] static Matrix<S> values(const Matrix<S>& scores, const Matrix<double>& c);

  /// A C for coefficients or offsets A of the basis, computed in double.
  [[nodiscard]] static Matrix<S> coefficients(const Matrix<S>& a, const Matrix<double>& c);
};

/// The r orthonormal functions v_a of a basis at the n training samples: F, n x r, with
/// F^T F = diag(mu). It is held as a product, F = factor R; or it is evaluated anew where it is
/// asked for, in groups of rows; or it is gone with the samples of a stream.
template <Real S>
class BasisScores {
 public:
  using Scalar = S;

  /// The functions sum_a C_ai v_a at some of the training samples; for C without entries, all v_a.
  using Evaluate =
      std::function<Matrix<S>(const std::vector<Index>& rows, const Matrix<double>& combination)>;

  /// \param rotation  R; empty: the identity
  BasisScores(Vector<double> eigenvalues, std::shared_ptr<const Matrix<S>> factor,
              Matrix<double> rotation)
      : eigenvalues_(std::move(eigenvalues)),
        factor_(std::move(factor)),
        rotation_(std::move(rotation)),
        samples_(factor_->rows()) {}

  /// The scores are evaluated anew.
  BasisScores(Vector<double> eigenvalues, Index samples, Evaluate evaluate)
      : eigenvalues_(std::move(eigenvalues)), samples_(samples), evaluate_(std::move(evaluate)) {}

  /// The scores are gone; what is known of them are their means.
  BasisScores(Vector<double> eigenvalues, Vector<double> means)
      : eigenvalues_(std::move(eigenvalues)), means_(std::move(means)) {}

  [[nodiscard]] Index rank() const { return eigenvalues_.size(); }
  /// The eigenvalues mu of K_c that belong to the basis, r.
  [[nodiscard]] const Vector<double>& eigenvalues() const { return eigenvalues_; }
  /// The means of scores that are gone.
  [[nodiscard]] const Vector<double>& means() const { return means_; }
  /// False if the samples came from a stream.
  [[nodiscard]] bool has_scores() const { return factor_ || evaluate_; }
  /// True if the scores are held.
  [[nodiscard]] bool holds_scores() const { return factor_ != nullptr; }
  /// The number of samples with scores, n.
  [[nodiscard]] Index samples() const { return samples_; }

  [[nodiscard]] const Matrix<S>& factor() const { return *factor_; }
  /// Rows of F or, if it is a product, of its factor.
  [[nodiscard]] Matrix<S> factor_rows(const std::vector<Index>& rows) const;
  /// R^T M.
  [[nodiscard]] Matrix<double> turned(const Matrix<double>& products) const {
    return rotation_.size() > 0 ? small_product<double>(rotation_.transpose(), products) : products;
  }
  /// F C: the functions sum_a C_ai v_a at the training samples, for C of r x k.
  [[nodiscard]] Matrix<S> combined(const Matrix<double>& combination) const;
  /// Bytes of what is kept of the training samples.
  [[nodiscard]] std::size_t bytes() const {
    return holds_scores() ? static_cast<std::size_t>(factor_->size()) * sizeof(S) : 0;
  }

 private:
  Vector<double> eigenvalues_, means_;
  std::shared_ptr<const Matrix<S>> factor_;
  Matrix<double> rotation_;
  Index samples_ = 0;
  Evaluate evaluate_;
};

/// Products and correlations of the scores of two views. In a class, as BlockDistances.
template <Real S, Real T>
struct ScorePair {
  /// F^T G in double, for F (n x r) and G (n x s).
  /// Cost: O(n r s).
  /// Memory: r s values.
  /// Threads: over tiles of the result, whose bits do not depend on their number.
  [[nodiscard]] static Matrix<double> cross_product(const Matrix<S>& f, const Matrix<T>& g);

  /// The same for the scores of a view and any G, or those of two views.
  [[nodiscard]] static Matrix<double> cross_product(const BasisScores<S>& x, const Matrix<T>& g);
  [[nodiscard]] static Matrix<double> cross_product(const BasisScores<S>& x,
                                                    const BasisScores<T>& y);

  /// The same for these rows of F and of G, in this order.
  [[nodiscard]] static Matrix<double> cross_product(const BasisScores<S>& x,
                                                    const std::vector<Index>& rows_x,
                                                    const BasisScores<T>& y,
                                                    const std::vector<Index>& rows_y);

  /// The Pearson correlation of each column of F with that of G; 0 if one of them is constant.
  [[nodiscard]] static std::vector<double> correlations(const Matrix<S>& f, const Matrix<T>& g);

  /// The same of functions in bases whose scores are gone, from moments.
  /// \param cross    F^T G
  /// \param samples  n
  /// \param a, b     coefficients of the functions over the bases
  [[nodiscard]] static std::vector<double> correlations(const BasisScores<S>& x,
                                                        const BasisScores<T>& y,
                                                        const Matrix<double>& cross, Index samples,
                                                        const Matrix<double>& a,
                                                        const Matrix<double>& b);
};

template <Real S>
Matrix<S> Combination<S>::values(const Matrix<S>& scores, const Matrix<double>& c) {
  const Matrix<S> weights = c.template cast<S>();
  return multiply(scores, weights);
}

template <Real S>
Matrix<S> Combination<S>::coefficients(const Matrix<S>& a, const Matrix<double>& c) {
  const Matrix<double> wide = a.template cast<double>();
  return multiply(wide, c).template cast<S>();
}

inline constexpr Index score_group = 4096;  // rows of scores that are evaluated at one time

/// first, first + 1, ..., first + count - 1.
[[nodiscard]] inline std::vector<Index> row_range(Index first, Index count) {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

template <Real S>
Matrix<S> BasisScores<S>::factor_rows(const std::vector<Index>& rows) const {
  if (holds_scores()) return take_rows(*factor_, rows);
  return evaluate_(rows, Matrix<double>());
}

template <Real S>
Matrix<S> BasisScores<S>::combined(const Matrix<double>& combination) const {
  if (holds_scores())
    return Combination<S>::values(
        *factor_, rotation_.size() > 0 ? small_product(rotation_, combination) : combination);
  Matrix<S> out(samples_, combination.cols());
  if (combination.size() == 0) return out;
  for (Index first = 0; first < samples_; first += score_group) {
    const Index size = (std::min)(score_group, samples_ - first);
    out.middleRows(first, size) = evaluate_(row_range(first, size), combination);
  }
  return out;
}

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
      add_inner_products<double>(a, b, out.block(i, j, p, q));
    }
  });
  return out;
}

template <Real S, Real T>
Matrix<double> ScorePair<S, T>::cross_product(const BasisScores<S>& x, const Matrix<T>& g) {
  const std::shared_ptr<const Matrix<T>> borrowed(std::shared_ptr<void>(), &g);
  return cross_product(x, BasisScores<T>(Vector<double>(), borrowed, {}));
}

template <Real S, Real T>
Matrix<double> ScorePair<S, T>::cross_product(const BasisScores<S>& x, const BasisScores<T>& y) {
  if (x.holds_scores() && y.holds_scores())
    return y.turned(x.turned(cross_product(x.factor(), y.factor())).transpose()).transpose();
  const std::vector<Index> rows = row_range(0, x.samples());
  return cross_product(x, rows, y, rows);
}

template <Real S, Real T>
Matrix<double> ScorePair<S, T>::cross_product(const BasisScores<S>& x,
                                              const std::vector<Index>& rows_x,
                                              const BasisScores<T>& y,
                                              const std::vector<Index>& rows_y) {
  Matrix<double> sum;
  for (std::size_t first = 0; first < rows_x.size(); first += score_group) {
    const auto group = [first](const std::vector<Index>& rows) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<Index>(begin, begin + (std::min)(score_group, rows.end() - begin));
    };
    const Matrix<double> product =
        cross_product(x.factor_rows(group(rows_x)), y.factor_rows(group(rows_y)));
    if (first == 0)
      sum = product;
    else
      sum += product;
  }
  return y.turned(x.turned(sum).transpose()).transpose();
}

/// Column j of f less its mean, in double; zeros if nothing but rounding errors is left. It may be
/// empty.
template <Real S>
[[nodiscard]] Vector<double> centered_column(const Matrix<S>& f, Index j) {
  Vector<double> a = f.col(j).template cast<double>();
  const double rounding = 4 * double{std::numeric_limits<S>::epsilon()} * a.norm();
  if (a.size() > 0) a.array() -= a.mean();
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

template <Real S, Real T>
std::vector<double> ScorePair<S, T>::correlations(const BasisScores<S>& x, const BasisScores<T>& y,
                                                  const Matrix<double>& cross, Index samples,
                                                  const Matrix<double>& a,
                                                  const Matrix<double>& b) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const auto n = static_cast<double>(samples);
  const auto deviation = [&](const Vector<double>& mu, double mean, const auto& c) {
    const double square = mu.dot(c.cwiseAbs2()) / n, variance = square - mean * mean;
    return variance > rounding * square ? std::sqrt(variance) : 0.0;
  };
  std::vector<double> out;
  for (Index j = 0; j < a.cols(); ++j) {
    const double mean_a = x.means().dot(a.col(j)), mean_b = y.means().dot(b.col(j));
    const double scale =
        deviation(x.eigenvalues(), mean_a, a.col(j)) * deviation(y.eigenvalues(), mean_b, b.col(j));
    const double product = a.col(j).dot(cross * b.col(j)) / n - mean_a * mean_b;
    out.push_back(scale > 0 ? product / scale : 0);
  }
  return out;
}

/// F^T G and the correlations of scores of any two scalars.
template <Real S, Real T>
[[nodiscard]] Matrix<double> cross_product(const Matrix<S>& f, const Matrix<T>& g) {
  return ScorePair<S, T>::cross_product(f, g);
}
template <Real S, Real T>
[[nodiscard]] Matrix<double> cross_product(const BasisScores<S>& x, const Matrix<T>& g) {
  return ScorePair<S, T>::cross_product(x, g);
}
template <Real S, Real T>
[[nodiscard]] Matrix<double> cross_product(const BasisScores<S>& x, const BasisScores<T>& y) {
  return ScorePair<S, T>::cross_product(x, y);
}
template <Real S, Real T>
[[nodiscard]] Matrix<double> cross_product(const BasisScores<S>& x,
                                           const std::vector<Index>& rows_x,
                                           const BasisScores<T>& y,
                                           const std::vector<Index>& rows_y) {
  return ScorePair<S, T>::cross_product(x, rows_x, y, rows_y);
}
template <Real S, Real T>
[[nodiscard]] std::vector<double> column_correlations(const Matrix<S>& f, const Matrix<T>& g) {
  return ScorePair<S, T>::correlations(f, g);
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

#define MERCER_SCORES(S)                                \
  MERCER_INSTANTIATE_VIEWS(class BasisScores<S>)        \
  MERCER_INSTANTIATE_VIEWS(struct ScorePair<S, double>) \
  MERCER_INSTANTIATE_VIEWS(struct ScorePair<S, float>)  \
  MERCER_INSTANTIATE_VIEWS(struct Combination<S>)
MERCER_FOR_SCALARS(MERCER_SCORES)
#undef MERCER_SCORES

}  // namespace mercer::detail

#endif  // MERCER_MODELS_DETAIL_BASIS_SCORES_HPP
