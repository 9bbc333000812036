// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Rows whose features a sum over blocks needs: evaluated from samples, or kept in memory.

#ifndef MERCER_FEATURES_DETAIL_FEATURE_ROWS_HPP
#define MERCER_FEATURES_DETAIL_FEATURE_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/detail/feature_blocks.hpp>

namespace mercer::detail {

/// The features of the first blocks at all samples of a stream that numbers its rows.
/// Memory: rows * columns * blocks values.
template <Real S>
class KeptFeatures {
 public:
  KeptFeatures(Index rows, Index columns, Index blocks)
      : rows_(rows), blocks_(blocks), values_(in_huge_pages(Matrix<S>(columns, rows * blocks))) {}

  /// The bytes of such features, as a double because the product may be large.
  [[nodiscard]] static double bytes(Index rows, Index columns, Index blocks) {
    return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(blocks) *
           static_cast<double>(sizeof(S));
  }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(values_.size()) * sizeof(S);
  }

  /// Features of a sample, of all blocks.
  [[nodiscard]] Index features() const { return blocks_ * values_.rows(); }

  /// Evaluates the features of samples with these numbers.
  /// Threads: over blocks.
  void add(FeatureBlocks<S>& map, std::span<const Index> numbers, const Points<S>& x) {
    const Index workers = (std::min)(blocks_, static_cast<Index>(thread_count()));
    map.prepare(workers, blocks_);
    parallel_for(workers, [&](Index worker) {
      Matrix<S> tile;
      for (Index b = worker; b < blocks_; b += workers)
        for (Index t = 0; t < tile_count(x.rows()); ++t) {
          const Range at = Range::tile(t, x.rows());
          tile.resize(at.size, map.columns());
          map.evaluate(static_cast<std::uint64_t>(b), worker,
                       x.middleRows(x.cols() == 0 ? 0 : at.begin, at.size), tile);
          rows_to_columns<S>(
              tile, [&](Index i) { return numbers[static_cast<std::size_t>(at.begin + i)]; },
              values_.middleCols(b * rows_, rows_));
        }
    });
  }

  /// out = Z_b of the samples with these numbers.
  void read(Index b, std::span<const Index> numbers, GramOut<S> out) const {
    columns_to_rows<S>(
        values_.middleCols(b * rows_, rows_),
        [&](Index i) { return numbers[static_cast<std::size_t>(i)]; }, out);
  }

 private:
  Index rows_, blocks_;
  Matrix<S> values_;  // of each block, columns x rows: a sample is contiguous
};

/// Rows of a batch: samples, or numbers of samples whose features are kept. With either, features
/// have the same bits, because those of a row do not depend on its place.
/// Lifetime: refers to samples, features and numbers.
template <Real S>
class FeatureRows {
 public:
  FeatureRows(const Points<S>& x)  // NOLINT: implicit, samples are rows
      : x_(&x), rows_{0, x.rows()} {}
  FeatureRows(const KeptFeatures<S>& kept, std::span<const Index> numbers)
      : kept_(&kept), numbers_(numbers), rows_{0, static_cast<Index>(numbers.size())} {}

  [[nodiscard]] Index size() const { return rows_.size; }
  /// The samples; null if their features are kept.
  [[nodiscard]] const Points<S>* samples() const { return x_; }

  [[nodiscard]] FeatureRows middle(Index first, Index count) const {
    FeatureRows part = *this;
    part.rows_ = {rows_.begin + first, count};
    return part;
  }

  /// out = Z_b of these rows.
  /// Threads: may run concurrently for different workers.
  void evaluate(FeatureBlocks<S>& map, Index b, Index worker, Range at, GramOut<S> out) const {
    const Index first = rows_.begin + at.begin;
    if (kept_ != nullptr)
      return kept_->read(
          b, numbers_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(at.size)),
          out);
    map.evaluate(static_cast<std::uint64_t>(b), worker,
                 x_->middleRows(x_->cols() == 0 ? 0 : first, at.size), out);
  }

 private:
  const Points<S>* x_ = nullptr;
  const KeptFeatures<S>* kept_ = nullptr;
  std::span<const Index> numbers_;
  Range rows_;
};

}  // namespace mercer::detail

#endif  // MERCER_FEATURES_DETAIL_FEATURE_ROWS_HPP
