// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A dictionary of samples that grows while samples arrive, and the coordinates of samples in it.

#ifndef MERCER_SOLVERS_HEBBIAN_DETAIL_SAMPLE_DICTIONARY_HPP
#define MERCER_SOLVERS_HEBBIAN_DETAIL_SAMPLE_DICTIONARY_HPP

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <mercer/core/samples.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer {

/// When a sample x enters the dictionary of samples p_j.
enum class DictionaryCriterion {
  Projection,  ///< if the squared distance of phi(x) to the span is above threshold k(x, x)
  Coherence    ///< if all |k(x, p_j)| <= threshold (k(x, x) k(p_j, p_j))^(1/2)
};

namespace detail {

/// Appends rows to samples of the same form.
template <DenseSamples X>
void append_rows(X& x, const X& more) {
  const Index n = x.rows();
  x.conservativeResize(n + more.rows(), more.cols());
  x.bottomRows(more.rows()) = more;
}

template <SparseSamples X>
void append_rows(X& x, const X& more) {
  X both(x.rows() + more.rows(), more.cols());
  both.reserve(x.nonZeros() + more.nonZeros());
  Index row = 0;
  for (const X* part : {static_cast<const X*>(&x), &more})
    for (Index i = 0; i < part->rows(); ++i, ++row) {
      both.startVec(row);
      for (typename X::InnerIterator entry(*part, i); entry; ++entry)
        both.insertBackByOuterInner(row, entry.col()) = entry.value();
    }
  both.finalize();
  x = std::move(both);
}

/// Samples p_1, ..., p_m that are linearly independent in feature space, with K(P, P) = L L^T. The
/// rows of L^-1 make an orthonormal basis e_1, ..., e_m of their span, by Gram-Schmidt. A sample x
/// has the coordinates z = L^-1 k(P, x) in it, and phi(x) - sum_j z_j e_j is orthogonal to the span
/// and of squared norm k(x, x) - |z|^2. A new point of the dictionary adds a row to L and a
/// coordinate to z, and changes no other.
///
/// Whatever the criterion says, a sample does not enter if it depends on the points to rounding.
/// Cost: m kernel values and O(m^2) for each sample.
/// Memory: m^2 doubles, and for a batch of b rows b (m + b) more.
template <OwnedSamples X>
class SampleDictionary {
 public:
  using S = typename X::Scalar;

  /// \param most  the number of points is at most this; 0: no limit
  SampleDictionary(DictionaryCriterion criterion, double threshold, Index most)
      : criterion_(criterion), threshold_(threshold), most_(most) {}

  /// The number of points, m.
  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] const X& points() const { return points_; }

  /// L^-T A: coefficients of functions over the points, from coordinates A.
  [[nodiscard]] Matrix<double> coefficients(const Matrix<double>& coordinates) const {
    if (size_ == 0) return coordinates;
    const SingleThread one;
    return factor_.topLeftCorner(size_, size_)
        .template triangularView<Eigen::Lower>()
        .transpose()
        .solve(coordinates);
  }

  /// L^-1 V.
  [[nodiscard]] Matrix<double> coordinates(const Matrix<double>& v) const {
    if (size_ == 0) return v;
    const SingleThread one;
    return factor_.topLeftCorner(size_, size_).template triangularView<Eigen::Lower>().solve(v);
  }

  /// Takes the rows of a batch one after the other, and calls \p visit with the coordinates of each
  /// once it has, or has not, entered.
  /// \param diagonal  k(x_i, x_i)
  template <class Visit>
  void add(const KernelView<X>& kernel, const X& batch, const Vector<double>& diagonal,
           Visit&& visit) {
    const Index b = batch.rows(), m = size_;
    if (b == 0) return;
    const SingleThread one;
    Matrix<double> z(m + b, b);  // column i: coordinates of row i
    Vector<double> coherence = Vector<double>::Zero(b);
    if (m > 0) {
      const Matrix<double> values =
          kernel_rows(kernel, batch, {0, b}, points_).template cast<double>();
      coherence = (values * roots_.cwiseInverse().asDiagonal()).cwiseAbs().rowwise().maxCoeff();
      z.topRows(m) = coordinates(values.transpose());
    }
    const Matrix<double> own = kernel_rows(kernel, batch, {0, b}, batch).template cast<double>();
    std::vector<Index> entered;
    for (Index i = 0; i < b; ++i) {
      const double rest = diagonal(i) - z.col(i).head(size_).squaredNorm();
      if (is_novel(diagonal(i), rest, coherence(i))) {
        const Index s = size_;
        const double root = std::sqrt(rest), size = std::sqrt(diagonal(i));
        z(s, i) = root;
        for (Index j = i + 1; j < b; ++j) {
          z(s, j) = (own(j, i) - z.col(j).head(s).dot(z.col(i).head(s))) / root;
          coherence(j) = (std::max)(coherence(j), std::abs(own(j, i)) / size);
        }
        append(z.col(i).head(s + 1), size);
        entered.push_back(i);
      }
      visit(z.col(i).head(size_), i);
    }
    if (entered.empty()) return;
    const X more = take_rows(batch, entered);
    if (m == 0)
      points_ = more;
    else
      append_rows(points_, more);
  }

 private:
  [[nodiscard]] bool is_novel(double square, double rest, double coherence) const {
    if (most_ > 0 && size_ >= most_) return false;
    // Rounding errors in z grow with the condition of L; this keeps it far below 1 / epsilon.
    const double dependent = 100 * rounding_level<S>(size_ + 1) * square;
    if (!(rest > dependent)) return false;
    return criterion_ == DictionaryCriterion::Projection
               ? rest > threshold_ * square
               : coherence <= threshold_ * std::sqrt(square);
  }

  void append(const Eigen::Ref<const Vector<double>>& row, double root) {
    if (size_ == factor_.rows()) {
      const Index room = (std::max)(Index{16}, 2 * size_);
      Matrix<double> larger = Matrix<double>::Zero(room, room);
      larger.topLeftCorner(size_, size_) = factor_.topLeftCorner(size_, size_);
      factor_ = std::move(larger);
    }
    factor_.row(size_).head(size_ + 1) = row.transpose();
    roots_.conservativeResize(size_ + 1);
    roots_(size_++) = root;
  }

  DictionaryCriterion criterion_;
  double threshold_;
  Index most_;
  Index size_ = 0;
  X points_;
  Matrix<double> factor_;  // L in its first size_ rows and columns
  Vector<double> roots_;   // k(p_j, p_j)^(1/2)
};

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_SOLVERS_HEBBIAN_DETAIL_SAMPLE_DICTIONARY_HPP
