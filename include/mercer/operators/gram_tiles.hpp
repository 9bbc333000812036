// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The tiles of a Gram matrix in one precision: evaluated for each product, or once and stored.

#ifndef MERCER_OPERATORS_GRAM_TILES_HPP
#define MERCER_OPERATORS_GRAM_TILES_HPP

#include <cmath>
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/operators/symmetric_tiles.hpp>

namespace mercer::detail {

/// Number of values in the stored tiles of the lower triangle, those at the edge padded.
[[nodiscard]] constexpr std::size_t stored_tile_values(Index n) {
  const auto tiles = static_cast<std::size_t>(tile_count(n));
  return tiles * (tiles + 1) / 2 * static_cast<std::size_t>(tile_size * tile_size);
}

/// Bytes of these tiles.
[[nodiscard]] constexpr std::size_t stored_tile_bytes(Index n, Precision precision) {
  return stored_tile_values(n) * (precision == Precision::Single ? 4 : 8);
}

/// Throws for the first value that is not finite; names kernel, value and the pair of samples.
template <class K, class Block>
void require_finite_values(const K& kernel, const Block& values, Range rows, Range cols) {
  // The sum is a fast test; only if it fails are the values looked at one by one.
  if (std::isfinite(values.sum())) return;
  for (Index j = 0; j < cols.size; ++j)
    for (Index i = 0; i < rows.size; ++i)
      if (!std::isfinite(values(i, j)))
        fail("mercer::Gram: the kernel ", describe(kernel), " has the value ", values(i, j),
             " for samples ", rows.begin + i, " and ", cols.begin + j, " (counted from 0)",
             precision_of<typename Block::Scalar> == Precision::Single ? " in single precision"
                                                                       : "");
}

/// The Gram matrix of samples with values in the scalar T: that of the samples, but for given
/// values, which are rounded to T when they are read.
/// Threads: const members may run concurrently.
template <KernelOrPrecomputed K, OwnedSamples X, Real T = typename X::Scalar>
  requires std::same_as<T, typename X::Scalar> || std::same_as<K, Precomputed>
class GramTiles {
 public:
  using Scalar = T;

  GramTiles(K kernel, std::shared_ptr<const X> samples)
      : kernel_(std::move(kernel)), samples_(std::move(samples)) {}

  [[nodiscard]] Index rows() const { return samples_->rows(); }

  /// Evaluates all tiles once; products read them from then on.
  void store() {
    const Index n = rows();
    auto values = std::make_unique_for_overwrite<Scalar[]>(stored_tile_values(n));
    for_symmetric_tiles(tile_count(n), [&](Index i, Index j) {
      Eigen::Map<Matrix<Scalar>> tile(values.get() + offset(i, j), Range::tile(i, n).size,
                                      Range::tile(j, n).size);
      evaluate(i, j, tile);
    });
    stored_ = std::move(values);
  }

  /// out = K v, with sums in S.
  template <Real S>
  void multiply(const Points<S>& v, GramOut<S> out) const {
    const Index n = rows();
    if (stored_)
      symmetric_tile_product<Scalar, S>(
          n,
          [&](Index i, Index j) {
            return Eigen::Map<const Matrix<Scalar>>(stored_.get() + offset(i, j),
                                                    Range::tile(i, n).size, Range::tile(j, n).size);
          },
          v, out);
    else
      symmetric_tile_product<Scalar, S>(
          n,
          [&](Index i, Index j) {
            Matrix<Scalar> tile(Range::tile(i, n).size, Range::tile(j, n).size);
            evaluate(i, j, tile);
            return tile;
          },
          v, out);
  }

  /// k(x_i, x_j) for i, j in \p indices.
  [[nodiscard]] Matrix<Scalar> block(const std::vector<Index>& indices) const {
    if constexpr (std::same_as<K, Precomputed>) {
      return (*samples_)(indices, indices).template cast<Scalar>();
    } else {
      const X chosen = take_rows<Scalar>(*samples_, indices);
      Matrix<Scalar> out(chosen.rows(), chosen.rows());
      fill_gram(kernel_, chosen, out);
      return out;
    }
  }

  /// k(x_i, x_j) for i in \p indices and j in \p cols.
  [[nodiscard]] Matrix<Scalar> rows_block(const std::vector<Index>& indices, Range cols) const {
    if constexpr (std::same_as<K, Precomputed>) {
      return (*samples_)(indices, Eigen::seqN(cols.begin, cols.size)).template cast<Scalar>();
    } else {
      const X chosen = take_rows<Scalar>(*samples_, indices);
      Matrix<Scalar> out(chosen.rows(), cols.size);
      kernel_.gram(rows_of(chosen, {0, chosen.rows()}), rows_of(*samples_, cols), out);
      return out;
    }
  }

  /// Columns of K times \p weights, n x b.
  [[nodiscard]] Matrix<Scalar> columns_times(const std::vector<Index>& indices,
                                             const Matrix<Scalar>& weights) const {
    Matrix<Scalar> out(rows(), weights.cols());
    if constexpr (std::same_as<K, Precomputed>) {
      if (out.size() == 0) return out;  // no row ranges of matrices without columns
      for_row_blocks(rows(), [&](Index, Index first, Index size) {
        const Matrix<Scalar> block =
            (*samples_)(Eigen::seqN(first, size), indices).template cast<Scalar>();
        out.middleRows(first, size).noalias() = block * weights;
      });
    } else {
      const X chosen = take_rows<Scalar>(*samples_, indices);
      kernel_product(kernel_, *samples_, chosen, weights, out);
    }
    return out;
  }

 private:
  /// Where tile (i, j) begins.
  [[nodiscard]] static std::size_t offset(Index i, Index j) {
    return static_cast<std::size_t>((i * (i + 1) / 2 + j) * tile_size * tile_size);
  }

  /// Tile (i, j); those on the diagonal symmetric to the last bit.
  template <class Tile>
  void evaluate(Index i, Index j, Tile& tile) const {
    const Range rows = Range::tile(i, samples_->rows()), cols = Range::tile(j, samples_->rows());
    fill_tile(kernel_, *samples_, rows, *samples_, cols, tile);
    require_finite_values(kernel_, tile, rows, cols);
    if (i == j) tile.template triangularView<Eigen::StrictlyUpper>() = tile.transpose();
  }

  K kernel_;
  std::shared_ptr<const X> samples_;
  std::shared_ptr<const Scalar[]> stored_;
};

}  // namespace mercer::detail

#endif  // MERCER_OPERATORS_GRAM_TILES_HPP
