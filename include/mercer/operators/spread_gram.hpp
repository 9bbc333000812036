// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Gram matrix of samples whose rows are in several processes.

#ifndef MERCER_OPERATORS_SPREAD_GRAM_HPP
#define MERCER_OPERATORS_SPREAD_GRAM_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/lifetime.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/rows/tile_sums.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/sample_values.hpp>
#include <mercer/operators/tile_product.hpp>

namespace mercer {

/// K(i, j) = k(x_i, x_j) for samples in the rows of X, of which each process has some. Products
/// evaluate every tile of one triangle once, on one process.
///
/// A product goes half way round a ring: in step s, process p has the samples and vectors of
/// process p + s, evaluates the tiles of the two blocks, and adds to the sums of both. The sums
/// travel with the samples, and return to their process at the end. Samples for the next step are
/// on their way while tiles are evaluated. With order-free sums the bits do not depend on the
/// number of processes.
///
/// Tiles are evaluated anew in each product, in the precision of the samples.
/// Cost: for each of P processes n^2 / 2P kernel values and 2 n^2 b / P operations; it receives n/2
///   samples, vectors and sums.
/// Memory: four blocks of n/P samples, vectors and sums.
/// Threads: over tiles of a process. apply() is collective.
/// Lifetime: refers to the kernel, the samples and the processes.
template <OwnedSamples X>
class SpreadGram {
 public:
  using Scalar = double;

  /// Throws InvalidArgument for Precomputed. Collective.
  SpreadGram(const KernelView<X>& kernel, const SpreadRows<X>& samples MERCER_LIFETIMEBOUND);

  /// The number of all rows.
  [[nodiscard]] Index rows() const { return rows_.total(); }
  /// The rows of this process.
  [[nodiscard]] const RowSpace& row_space() const { return rows_; }

  /// out = K v, of which v and out hold the rows of this process.
  /// Throws InvalidArgument, on all processes, for a kernel value that is not finite, and for values
  ///   above the largest k(x, x) if sums are order-free.
  void apply(const Points<double>& v, GramOut<double> out) const;

  /// k(x_i, x_i) of the rows of this process.
  [[nodiscard]] Vector<double> diagonal() const {
    if (samples_->rows() == 0) return Vector<double>(0);
    return kernel_.diagonal(*samples_).template cast<double>();
  }

  /// The principal submatrix of these rows, the same on all processes. Collective.
  [[nodiscard]] Matrix<double> sample_block(const std::vector<Index>& indices) const;
  /// K(:, indices) weights: the rows of this process. Collective.
  [[nodiscard]] Matrix<double> sample_product(const std::vector<Index>& indices,
                                              const Matrix<double>& weights) const;

  /// K(Q, X) W, for other samples whose rows are spread too: the rows of Q of this process. Samples
  /// and weights go once round the ring.
  /// \param weights  W, the rows of this process
  /// Cost: for each of P processes q n / P kernel values; it receives n samples and weights.
  /// Throws as apply(). Collective.
  [[nodiscard]] Matrix<double> product_with(const SpreadRows<X>& queries,
                                            const Matrix<double>& weights) const;

 private:
  using T = typename X::Scalar;
  using Values = RowMajorMatrix<T>;
  using Vectors = detail::SpreadVectors<T>;

  /// Samples of one process, with its vectors.
  struct Visitor {
    detail::Range rows{0, 0};
    const X* samples = nullptr;
    const PreparedSamples<X>* prepared = nullptr;
    const Values* vectors = nullptr;
    detail::TileSums* sums = nullptr;

    [[nodiscard]] Index tiles() const { return detail::tile_count(rows.size); }
    [[nodiscard]] Index first_tile() const { return rows.begin / detail::tile_size; }
  };
  /// The same as a process has received it.
  struct Guest {
    X samples{0, 0};
    PreparedSamples<X> prepared;
    Values vectors;
    detail::TileSums sums;
  };

  void prepare();
  [[nodiscard]] Vector<double> query_scales(Vector<double> self) const;
  void add_product(const detail::StridedTile<T>& tile, const Values& vectors, Index from, Index to,
                   detail::TileSums& sums) const;
  void add_tile(const Visitor& lower, Index i, const Visitor& upper, Index j) const;
  void add_own(const Visitor& here) const;
  void add_pair(const Visitor& here, const Visitor& there, bool shared) const;

  KernelView<X> kernel_;
  RowSpace rows_;
  const X* samples_;
  std::shared_ptr<const X> few_;  ///< a few rows of all processes
  // The form of prepared samples is decided from those few.
  std::shared_ptr<const PreparedSamples<X>> prepared_few_, prepared_;
  int largest_ = 0;  ///< exponent of the largest k(x, x)
};

template <OwnedSamples X>
SpreadGram<X>::SpreadGram(const KernelView<X>& kernel, const SpreadRows<X>& samples)
    : kernel_(kernel), rows_(samples.rows()), samples_(&samples.local()) {
  if (kernel_.is_precomputed())
    detail::fail("mercer::SpreadGram: a precomputed Gram matrix has no samples to spread");
  prepare();
  Matrix<double> values(0, 1);
  rows_.together([&] { values = diagonal(); });
  largest_ = detail::column_exponents<double>(rows_, values)(0);
}

/// Kernels decide from samples whether to subtract an origin. All processes decide from the same
/// ones.
template <OwnedSamples X>
void SpreadGram<X>::prepare() {
  const PhaseTimer timer(Phase::SamplesPrepared, detail::value_bytes(*samples_));
  few_ = std::make_shared<const X>(detail::spaced_rows(rows_, *samples_));
  rows_.together([&] {
    prepared_few_ = std::make_shared<const PreparedSamples<X>>(kernel_.prepare(*few_));
    if (samples_->rows() > 0)
      prepared_ =
          std::make_shared<const PreparedSamples<X>>(kernel_.prepare(*samples_, *prepared_few_));
  });
}

template <OwnedSamples X>
Matrix<double> SpreadGram<X>::sample_block(const std::vector<Index>& indices) const {
  const X chosen = detail::take_rows(rows_, *samples_, indices);
  Matrix<double> block;
  rows_.together([&] {
    block =
        detail::gram_of("SpreadGram", kernel_, kernel_.prepare(chosen, *prepared_few_), indices);
  });
  return block;
}

template <OwnedSamples X>
Matrix<double> SpreadGram<X>::sample_product(const std::vector<Index>& indices,
                                             const Matrix<double>& weights) const {
  const X chosen = detail::take_rows(rows_, *samples_, indices);
  Matrix<double> product;
  rows_.together([&] {
    const PreparedSamples<X> prepared = kernel_.prepare(chosen, *prepared_few_);
    product = detail::product_of_tiles<T>(
        rows_.local(), weights, [&](detail::Range block, detail::Range cols, GramOut<T> values) {
          kernel_.fill(*prepared_, block, prepared, cols, values);
          detail::require_finite_values(
              "SpreadGram", kernel_, values,
              [&](Index i) { return rows_.first() + block.begin + i; },
              [&](Index j) { return indices[static_cast<std::size_t>(cols.begin + j)]; });
        });
  });
  return product;
}

/// Adds the products with one tile of the lower triangle, of samples and vectors of \p lower and
/// \p upper.
template <OwnedSamples X>
void SpreadGram<X>::add_tile(const Visitor& lower, Index i, const Visitor& upper, Index j) const {
  const auto rows = detail::Range::tile(i, lower.rows.size);
  const auto cols = detail::Range::tile(j, upper.rows.size);
  Matrix<T> tile(rows.size, cols.size);
  kernel_.fill(*lower.prepared, rows, *upper.prepared, cols, tile);
  const bool diagonal = lower.first_tile() + i == upper.first_tile() + j;
  detail::require_finite_values(kernel_, tile, {lower.rows.begin + rows.begin, rows.size},
                                {upper.rows.begin + cols.begin, cols.size});
  if (diagonal) tile.template triangularView<Eigen::StrictlyUpper>() = tile.transpose();
  const detail::StridedTile<T> part{tile.data(), rows.size, cols.size, 1, tile.outerStride()};
  add_product(part, *upper.vectors, cols.begin, rows.begin, *lower.sums);
  if (!diagonal)
    add_product(part.transposed(), *lower.vectors, rows.begin, cols.begin, *upper.sums);
}

template <OwnedSamples X>
void SpreadGram<X>::add_own(const Visitor& here) const {
  detail::for_symmetric_tiles(here.tiles(), [&](Index i, Index j) { add_tile(here, i, here, j); });
}

/// The tiles of two blocks. Two blocks that meet on both of their processes share the tiles.
template <OwnedSamples X>
void SpreadGram<X>::add_pair(const Visitor& here, const Visitor& there, bool shared) const {
  const bool below = here.rows.begin > there.rows.begin;
  const Visitor& lower = below ? here : there;
  const Visitor& upper = below ? there : here;
  const Index rows = lower.tiles(), cols = upper.tiles(), games = (std::min)(rows, cols);
  if (games == 0) return;
  // In a round, no two threads add to the same rows.
  for (Index round = 0; round < (std::max)(rows, cols); ++round)
    parallel_for(games, [&](Index game) {
      const Index i = rows <= cols ? game : (game + round) % rows;
      const Index j = rows <= cols ? (game + round) % cols : game;
      if (!shared || ((i + j) % 2 == 0) == below) add_tile(lower, i, upper, j);
    });
}

/// Adds the product of a tile and vectors to sums.
template <OwnedSamples X>
void SpreadGram<X>::add_product(const detail::StridedTile<T>& tile, const Values& vectors,
                                Index from, Index to, detail::TileSums& sums) const {
  const Index w = vectors.cols();
  Values product = Values::Zero(tile.rows, w);
  detail::add_tile_product(tile, vectors.data() + from * w, w, product.data());
  // The bound of the sums is that of n values; these have at most one tile of them.
  const double share =
      2 * static_cast<double>(detail::tile_size) / static_cast<double>(rows_.total());
  if (!sums.add(to, product, (std::min)(1.0, share)))
    detail::fail_above_diagonal("SpreadGram", kernel_.describe());
}

template <OwnedSamples X>
void SpreadGram<X>::apply(const Points<double>& v, GramOut<double> out) const {
  if (v.cols() == 0) return;
  const PhaseTimer timer(Phase::Products);
  const Processes& processes = rows_.processes();
  const Index size = processes.size(), rank = processes.rank();
  const Vectors narrowed(rows_, v, largest_, detail::padded_to<T>);
  const Values& vectors = narrowed.values;
  const Index w = vectors.cols();

  std::exception_ptr error;
  const auto attempt = [&](const auto& work) {
    if (error) return;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  };

  detail::TileSums sums(rows_.local(), w, narrowed.units);
  const Visitor here{{rows_.first(), rows_.local()}, samples_, prepared_.get(), &vectors, &sums};
  const Index left = (rank + size - 1) % size, right = (rank + 1) % size, last = size / 2;
  std::unique_ptr<Transfer> coming, coming_sums;
  const auto pass_on = [&](const X& samples, const Values& with) {
    detail::RowWriter letter;
    letter.add(samples);
    letter.add(with);
    coming = processes.start_exchange(left, right, letter.take());
  };
  if (last > 0) pass_on(*samples_, vectors);
  attempt([&] { add_own(here); });
  for (Index s = 1; s <= last; ++s) {
    Guest guest;
    const detail::Range rows = rows_.rows_of((rank + s) % size);
    const std::vector<std::byte> letter = coming->finish();
    detail::RowReader in(letter);
    in.read(guest.samples);
    in.read(guest.vectors);
    if (s < last) pass_on(guest.samples, guest.vectors);
    guest.sums = detail::TileSums(rows.size, w, narrowed.units);
    attempt([&] {
      if (rows.size > 0) guest.prepared = kernel_.prepare(guest.samples, *prepared_few_);
      const Visitor there{rows, &guest.samples, &guest.prepared, &guest.vectors, &guest.sums};
      add_pair(here, there, size % 2 == 0 && s == last);
    });
    // The sums of this step join those that came with the samples.
    if (coming_sums) {
      const std::vector<std::byte> so_far = coming_sums->finish();
      detail::RowReader reader(so_far);
      detail::TileSums before(rows.size, w, narrowed.units);
      before.read(reader);
      guest.sums.add(before);
    }
    detail::RowWriter onwards;
    guest.sums.write(onwards);
    coming_sums = s < last ? processes.start_exchange(left, right, onwards.take())
                           : processes.start_exchange((rank + last) % size,
                                                      (rank + size - last) % size, onwards.take());
  }
  if (coming_sums) {
    const std::vector<std::byte> home = coming_sums->finish();
    detail::RowReader reader(home);
    detail::TileSums added(rows_.local(), w, narrowed.units);
    added.read(reader);
    sums.add(added);
  }
  detail::throw_together(processes, error);
  out = sums.values(v.cols()) * narrowed.scales.asDiagonal();
}

/// For each query, how much larger its kernel values may be than k(x, x) of the samples:
/// |k(q, x)|^2 <= k(q, q) k(x, x). Powers of two.
/// \param self  k(q, q)
template <OwnedSamples X>
Vector<double> SpreadGram<X>::query_scales(Vector<double> self) const {
  constexpr int most = std::numeric_limits<double>::max_exponent - 1;  // so that it is finite
  for (double& value : self)
    value = std::ldexp(1.0, std::clamp((detail::Exponent::of(value) - largest_ + 1) / 2, 0, most));
  return self;
}

template <OwnedSamples X>
Matrix<double> SpreadGram<X>::product_with(const SpreadRows<X>& queries,
                                           const Matrix<double>& weights) const {
  const Processes& processes = rows_.processes();
  const Index size = processes.size(), rank = processes.rank();
  const X& mine = queries.local();
  Vector<double> row_scales(mine.rows());
  PreparedSamples<X> asked;
  rows_.together([&] {
    if (mine.rows() == 0) return;
    row_scales = query_scales(kernel_.diagonal(mine).template cast<double>());
    asked = kernel_.prepare(mine, *prepared_few_);
  });
  const Vectors narrowed(rows_, weights, largest_, detail::padded_to<T>);
  detail::TileSums sums(mine.rows(), narrowed.values.cols(), narrowed.units, std::move(row_scales));

  std::exception_ptr error;
  X samples = *samples_;
  Values vectors = narrowed.values;
  for (Index s = 0; s < size; ++s) {
    std::unique_ptr<Transfer> coming;
    if (s + 1 < size) {
      detail::RowWriter letter;
      letter.add(samples);
      letter.add(vectors);
      coming = processes.start_exchange((rank + size - 1) % size, (rank + 1) % size, letter.take());
    }
    try {
      if (!error && samples.rows() > 0 && mine.rows() > 0) {
        const PreparedSamples<X> prepared = kernel_.prepare(samples, *prepared_few_);
        const Index first = rows_.rows_of((rank + s) % size).begin;
        parallel_for(detail::tile_count(mine.rows()), [&](Index i) {
          const auto rows = detail::Range::tile(i, mine.rows());
          for (Index j = 0; j < detail::tile_count(samples.rows()); ++j) {
            const auto cols = detail::Range::tile(j, samples.rows());
            Matrix<T> tile(rows.size, cols.size);
            kernel_.fill(asked, rows, prepared, cols, tile);
            detail::require_finite_values(kernel_, tile,
                                          {queries.rows().first() + rows.begin, rows.size},
                                          {first + cols.begin, cols.size});
            add_product({tile.data(), rows.size, cols.size, 1, tile.outerStride()}, vectors,
                        cols.begin, rows.begin, sums);
          }
        });
      }
    } catch (...) {
      error = std::current_exception();
    }
    if (!coming) continue;
    const std::vector<std::byte> letter = coming->finish();
    detail::RowReader in(letter);
    in.read(samples);
    in.read(vectors);
  }
  detail::throw_together(processes, error);
  return sums.values(weights.cols()) * narrowed.scales.asDiagonal();
}

}  // namespace mercer

#endif  // MERCER_OPERATORS_SPREAD_GRAM_HPP
