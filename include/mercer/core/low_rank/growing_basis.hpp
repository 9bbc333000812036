// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// An orthonormal basis with n rows that is extended and rotated in place.

#ifndef MERCER_CORE_LOW_RANK_GROWING_BASIS_HPP
#define MERCER_CORE_LOW_RANK_GROWING_BASIS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>

#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_products.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// How many values of a descending sequence are kept at each of its two ends.
struct Ends {
  Index head;
  Index tail;
};

/// The first ends.head and the last ends.tail columns.
template <Real S>
[[nodiscard]] Matrix<S> end_columns(const Points<S>& a, Ends ends) {
  Matrix<S> out(a.rows(), ends.head + ends.tail);
  out.leftCols(ends.head) = a.leftCols(ends.head);
  out.rightCols(ends.tail) = a.rightCols(ends.tail);
  return out;
}

/// U (n x r, orthonormal columns), stored with room for more columns. Once there is enough room,
/// extend() and rotate() neither allocate nor copy n rows. Rows may be in several processes; then
/// extend() is collective, and blocks hold the rows of this process.
///
/// Where U has columns and those of [U b] are far from dependent, [U Q] is not formed but known as
/// [U b] R^-1, with R from the Cholesky factorisation [U b]^T [U b] = R^T R. So an extension with
/// a rotation reads the rows twice: for their inner products, and for [U b] (R^-1 W).
template <Real S>
class GrowingBasis {
 public:
  GrowingBasis() = default;
  explicit GrowingBasis(Matrix<S> columns)
      : space_(RowSpace::whole(columns.rows())),
        memory_(std::move(columns)),
        cols_(memory_.cols()) {}
  /// \param columns  the rows of this process
  GrowingBasis(const RowSpace& space, Matrix<S> columns)
      : space_(space), memory_(std::move(columns)), cols_(memory_.cols()) {}
  /// A copy has no spare room.
  GrowingBasis(const GrowingBasis& other)
      : space_(other.space_), memory_(other.columns()), cols_(other.cols_) {}
  GrowingBasis(GrowingBasis&&) noexcept = default;
  GrowingBasis& operator=(GrowingBasis other) noexcept {
    std::swap(space_, other.space_);
    memory_.swap(other.memory_);
    std::swap(cols_, other.cols_);
    factor_.swap(other.factor_);
    return *this;
  }
  ~GrowingBasis() = default;

  [[nodiscard]] const RowSpace& row_space() const { return space_; }
  /// The rows of this process.
  [[nodiscard]] Index rows() const { return memory_.rows(); }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] Points<S> columns() const { return memory_.leftCols(cols_); }
  [[nodiscard]] GramOut<S> columns() { return memory_.leftCols(cols_); }

  /// Appends columns Q to U, so that [U Q] is orthonormal and its span contains \p b. Returns T
  /// with b = [U Q] T. Until the next rotate(), columns() still returns U; where something throws
  /// before it, this is all that is left.
  /// Throws InvalidArgument if b is not finite.
  [[nodiscard]] Matrix<S> extend(const Matrix<S>& b) {
    factor_.resize(0, 0);  // of an extension that was not rotated
    if (b.cols() == 0) return Matrix<S>(cols_, 0);
    const Index needed = cols_ + b.cols();
    if (needed > memory_.cols()) memory_.conservativeResize(Eigen::NoChange, needed + needed / 8);
    GramOut<S> room = memory_.middleCols(cols_, b.cols());
    room = b;
    const PhaseTimer timer(Phase::Orthogonalisation);
    const Vector<S> scales = equilibrate_columns<S>(space_, room);
    const Matrix<S> products = block_inner<S>(space_, memory_.leftCols(cols_), room);
    factor_ = factor_with(products, room);
    Matrix<S> coordinates = factor_.rightCols(factor_.size() > 0 ? b.cols() : 0);
    if (factor_.size() == 0) {
      const BlockCoordinates<S> at =
          orthogonalize_scaled<S>(space_, memory_.leftCols(cols_), products, room);
      coordinates.resize(cols_ + at.R.rows(), b.cols());
      coordinates << at.G, at.R;
    }
    scale_columns(coordinates, scales);
    return coordinates;
  }

  /// U <- [U Q] W, with the Q of the last extend(). W must not have more columns than rows.
  void rotate(const Matrix<S>& w) {
    MERCER_ASSERT(w.cols() <= w.rows() && w.rows() <= memory_.cols());
    const auto values = static_cast<std::size_t>(memory_.rows() * w.rows());
    const PhaseTimer timer(Phase::Orthogonalisation, values * sizeof(S));
    Matrix<S> turn = w;
    if (factor_.size() > 0) {
      const SingleThread one;
      factor_.template triangularView<Eigen::Upper>().solveInPlace(turn);
      factor_.resize(0, 0);
    }
    if (w.cols() > 0)
      for_local_blocks(space_, [&](Index first, Index size) {
        Matrix<S> turned = Matrix<S>::Zero(size, w.cols());
        multiply_add<S>(memory_.block(first, 0, size, w.rows()), turn, turned);
        memory_.block(first, 0, size, w.cols()) = turned;
      });
    cols_ = w.cols();
  }

  /// Drops the columns between the ends.
  void keep(Ends ends) {
    if (ends.tail > 0 && ends.head + ends.tail < cols_)
      for (Index j = 0; j < ends.tail; ++j)
        memory_.col(ends.head + j) = memory_.col(cols_ - ends.tail + j);
    cols_ = ends.head + ends.tail;
  }

 private:
  /// R with [U b]^T [U b] = R^T R, for columns of b of norms between 1 and 2. Empty if they are
  /// close to dependent or to the span of U; if U has so many columns that their inner products
  /// cost more than forming Q; or if U has none, as this is how a basis is made orthonormal anew.
  /// \param products  U^T b
  [[nodiscard]] Matrix<S> factor_with(const Matrix<S>& products, const Points<S>& b) const {
    // The columns of [U b] R^-1 are orthonormal up to the rounding errors of the inner products
    // over this number, at worst: columns that are nearly dependent have small coordinates, and a
    // rotation to leading vectors leaves most of them out. U^T U is computed anew each time, so
    // this does not add up.
    constexpr S least = S(sizeof(S) == 8 ? 1e-5 : 1e-3);
    constexpr Index most_columns = 6;  // of U, for each column of b
    const Index cols = cols_ + b.cols();
    if (cols_ == 0 || cols_ > most_columns * b.cols() || cols > space_.total()) return {};
    // Before the costlier products: no eigenvalue of the rest exceeds its least diagonal entry.
    const Vector<S> norms = column_norms<S>(space_, b);
    const Vector<S> inside = products.colwise().squaredNorm().transpose();
    auto outside = static_cast<double>((norms.cwiseAbs2() - inside).minCoeff());
    space_.agree(outside);
    if (!(outside >= least)) return {};
    const Matrix<S> squares = block_inner<S>(space_, b);
    const Matrix<S> rest = squares - small_product<S>(products.transpose(), products);
    // Before the costly U^T U: the columns of b have norms of about 1, and so the smallest
    // eigenvalue of the rest decides.
    const S size = rest.template lpNorm<1>() / static_cast<S>(b.cols());
    Matrix<S> factor = cholesky_factor<S>(rest, least / size);
    space_.agree(factor);
    if (factor.size() == 0) return {};
    Matrix<S> gram(cols, cols);
    gram << block_inner<S>(space_, memory_.leftCols(cols_)), products, products.transpose(),
        squares;
    factor = cholesky_factor<S>(gram, S(0));
    space_.agree(factor);
    return factor;
  }

  RowSpace space_ = RowSpace::whole(0);
  Matrix<S> memory_;  ///< n x capacity
  Index cols_ = 0;
  Matrix<S> factor_;  ///< R, if the last extend() left [U Q] as [U b] R^-1
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_LOW_RANK_GROWING_BASIS_HPP
