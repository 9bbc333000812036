// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A growing subspace with its products: the Ritz pairs in it, and the operator outside of it.

#ifndef MERCER_SOLVERS_DETAIL_RITZ_SPACE_HPP
#define MERCER_SOLVERS_DETAIL_RITZ_SPACE_HPP

#include <algorithm>
#include <optional>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/small_dense.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/operator_view.hpp>

namespace mercer::detail {

/// An orthonormal basis V (n x r), the products W = K V with a symmetric K, and H = V^T W. Solvers
/// grow it by blocks, read its Ritz pairs, and cut it down to the leading ones.
/// Blocks hold the rows of this process. Members that take a block, and ritz(), are collective.
template <Real S>
class RitzSpace {
 public:
  explicit RitzSpace(const RowSpace& rows)
      : rows_(rows), basis_(rows.local(), 0), products_(rows.local(), 0) {}

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] auto basis() const { return basis_.leftCols(size_); }
  [[nodiscard]] auto products() const { return products_.leftCols(size_); }
  [[nodiscard]] auto projected() const { return projected_.topLeftCorner(size_, size_); }

  /// Makes room for so many vectors. append() does it too, but one step at a time.
  void reserve(Index capacity) {
    if (capacity <= basis_.cols()) return;
    basis_.conservativeResize(Eigen::NoChange, capacity);
    products_.conservativeResize(Eigen::NoChange, capacity);
    ask_for_huge_pages(basis_);
    ask_for_huge_pages(products_);
    projected_.conservativeResize(capacity, capacity);
  }

  /// A block made orthogonal to V and orthonormal (Q), and its coefficients in V and Q.
  template <class Block>
  [[nodiscard]] Extension<S> extension(const Block& block) const {
    return orthogonalize_against(rows_, basis(), block);
  }

  /// (I - V V^T) v. Two passes, because one leaves a remainder.
  [[nodiscard]] Matrix<S> outside(const Points<S>& v) const {
    const PhaseTimer timer(Phase::Orthogonalisation);
    Matrix<S> rest = v;
    if (size_ == 0) return rest;
    for (int pass = 0; pass < 2; ++pass)
      add_product(rows_, S(-1), basis(), inner(rows_, basis(), rest), rest);
    return rest;
  }

  /// Adds \p block and \p product = K \p block. The block is orthonormal, and orthogonal to V.
  /// Returns false, and adds nothing, if the product is not finite.
  [[nodiscard]] bool append(const Matrix<S>& block, const Matrix<S>& product) {
    const PhaseTimer timer(Phase::Orthogonalisation);
    const Index cols = block.cols(), total = size_ + cols;
    reserve(total);
    basis_.middleCols(size_, cols) = block;
    products_.middleCols(size_, cols) = product;
    const Matrix<S> h = inner(rows_, basis_.leftCols(total), product);
    if (!rows_.all(product.allFinite() && h.allFinite())) return false;
    projected_.block(0, size_, total, cols) = h;
    projected_.block(size_, 0, cols, total) = h.transpose();
    size_ = total;
    ritz_.reset();
    return true;
  }

  /// append() with the product, which the report counts.
  [[nodiscard]] bool extend(const OperatorView<S>& a, const Matrix<S>& block, Report& report) {
    Matrix<S> product(block.rows(), block.cols());
    a.apply(block, product);
    report.kernel_products += block.cols();
    return append(block, product);
  }

  /// Ritz values in descending order, and the coefficients of the Ritz vectors.
  [[nodiscard]] const EigenSystem<S>& ritz() const {
    if (!ritz_) {
      ritz_ = symmetric_eigensystem<S>(projected());
      rows_.agree(ritz_->values);
      rows_.agree(ritz_->vectors);
    }
    return *ritz_;
  }

  /// Leading Ritz vectors, and their products with K.
  [[nodiscard]] Matrix<S> vectors(Index count) const {
    const PhaseTimer timer(Phase::Orthogonalisation);
    return multiply(rows_, basis(), leading(count));
  }
  [[nodiscard]] Matrix<S> vector_products(Index count) const {
    const PhaseTimer timer(Phase::Orthogonalisation);
    return multiply(rows_, products(), leading(count));
  }

  /// K u - mu u of the leading Ritz pairs, from the products in memory.
  [[nodiscard]] Matrix<S> residuals(Index count) const {
    const PhaseTimer timer(Phase::Certificate);
    Matrix<S> rest = multiply(rows_, products(), leading(count));
    const Matrix<S> y = leading(count) * ritz().values.head(count).asDiagonal();
    add_product(rows_, S(-1), basis(), y, rest);
    return rest;
  }

  /// Cuts the space down to the span of the leading Ritz vectors, which become the basis.
  void keep(Index count) {
    basis_.leftCols(count) = vectors(count);
    products_.leftCols(count) = vector_products(count);
    const Vector<S> values = ritz().values.head(count);
    projected_.topLeftCorner(count, count) = values.asDiagonal();
    size_ = count;
    ritz_.reset();
  }

 private:
  [[nodiscard]] Matrix<S> leading(Index count) const { return ritz().vectors.leftCols(count); }

  RowSpace rows_;
  Matrix<S> basis_, products_, projected_;  ///< with room for more than size_ vectors
  Index size_ = 0;
  mutable std::optional<EigenSystem<S>> ritz_;  ///< computed when asked for
};

/// (I - V V^T) K (I - V V^T): K without the pairs that a space has found.
template <Real S>
struct Deflated {
  using Scalar = S;
  const OperatorView<S>& base;
  const RitzSpace<S>& found;

  [[nodiscard]] Index rows() const { return base.rows(); }
  void apply(const Points<S>& v, GramOut<S> out) const {
    if (found.size() == 0) return base.apply(v, out);
    base.apply(found.outside(v), out);
    out = found.outside(out);
  }
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_RITZ_SPACE_HPP
