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
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <mercer/core/compiled.hpp>
#include <mercer/core/errors.hpp>
#include <mercer/core/rows/order_free_sum.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/row_sums.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/symmetric_tiles.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/gram.hpp>
#include <mercer/operators/tile_product.hpp>

namespace mercer {

namespace detail {

/// Sums of tile products for some rows, in fixed point or in double. Adding to different rows at
/// the same time is allowed.
class TileSums {
 public:
  TileSums() = default;
  /// \param units  for each column, the FixedPoint unit; empty: sums are in double
  TileSums(Index rows, Index cols, std::vector<double> units) : units_(std::move(units)) {
    if (units_.empty())
      plain_.setZero(rows, cols);
    else
      fixed_.setZero(rows, cols);
  }

  /// Adds to the rows from \p first on. Returns false if a value is beyond the bound of its column,
  /// of which \p share is the part that one product may have.
  template <Real T>
  [[nodiscard]] bool add(Index first, const RowMajorMatrix<T>& product, double share) {
    if (units_.empty()) {
      plain_.middleRows(first, product.rows()) += product.template cast<double>();
      return true;
    }
    constexpr double most = 0x1p61;
    bool within = true;
    for (Index i = 0; i < product.rows(); ++i) {
      std::int64_t* const sums = &fixed_(first + i, 0);
      for (Index j = 0; j < product.cols(); ++j) {
        const double unit = units_[static_cast<std::size_t>(j)];
        if (unit == 0) continue;
        const double scaled = static_cast<double>(product(i, j)) * unit;
        const bool fits = std::abs(scaled) <= share * most;
        within = within && fits;
        if (fits) sums[j] += FixedPoint::cut(scaled);
      }
    }
    return within;
  }

  void add(const TileSums& other) {
    if (units_.empty())
      plain_ += other.plain_;
    else
      fixed_ += other.fixed_;
  }

  [[nodiscard]] Matrix<double> values(Index cols) const {
    if (units_.empty()) return plain_.leftCols(cols);
    Matrix<double> out(fixed_.rows(), cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < out.rows(); ++i)
        out(i, j) = FixedPoint::value(fixed_(i, j), units_[static_cast<std::size_t>(j)]);
    return out;
  }

  void write(RowWriter& out) const {
    out.add(plain_);
    out.add(fixed_);
  }
  void read(RowReader& in) {
    in.read(plain_);
    in.read(fixed_);
  }

 private:
  std::vector<double> units_;
  RowMajorMatrix<double> plain_;
  Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> fixed_;
};

}  // namespace detail

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
/// Memory: three blocks of n/P samples, vectors and sums.
/// Threads: over tiles of a process. apply() is collective.
/// Lifetime: refers to the kernel, the samples and the processes.
template <OwnedSamples X>
class SpreadGram {
 public:
  using Scalar = double;
  using T = typename X::Scalar;

  /// \param local  the samples of this process: rows.local() rows
  /// Throws InvalidArgument for another number of rows, for other columns than on other processes,
  ///   and for Precomputed. Collective.
  SpreadGram(const KernelView<X>& kernel, const RowSpace& rows, const X& local);

  [[nodiscard]] Index rows() const { return rows_.total(); }
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

  /// Bytes received by apply() so far, on this process.
  [[nodiscard]] std::size_t bytes_received() const { return *received_; }

 private:
  using Values = RowMajorMatrix<T>;

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

  void share_few();
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
  std::shared_ptr<std::size_t> received_ = std::make_shared<std::size_t>(0);
};

template <OwnedSamples X>
SpreadGram<X>::SpreadGram(const KernelView<X>& kernel, const RowSpace& rows, const X& local)
    : kernel_(kernel), rows_(rows), samples_(&local) {
  detail::together(rows_.processes(), [&] {
    if (local.rows() != rows_.local())
      detail::fail("mercer::SpreadGram: process ", rows_.processes().rank(), " has ", local.rows(),
                   " rows, but ", rows_.local(), " of ", rows_.total(), " are its own");
    if (kernel_.is_precomputed())
      detail::fail("mercer::SpreadGram: a precomputed Gram matrix has no samples to spread");
  });
  double columns[2] = {static_cast<double>(local.cols()), -static_cast<double>(local.cols())};
  rows_.processes().max(columns);
  if (columns[0] != -columns[1])
    detail::fail("mercer::SpreadGram: samples have ", -columns[1], " columns on one process and ",
                 columns[0], " on another");
  share_few();
  if (local.rows() > 0)
    prepared_ = std::make_shared<const PreparedSamples<X>>(kernel_.prepare(local, *prepared_few_));
  const Matrix<double> values = diagonal();
  largest_ = detail::column_exponents<double>(rows_, values)(0);
}

/// Kernels decide from samples whether to subtract an origin. All processes decide from the same
/// ones: about 256 rows at equal distances.
template <OwnedSamples X>
void SpreadGram<X>::share_few() {
  constexpr Index most = 256;
  const Index step = (rows_.total() + most - 1) / most;
  std::vector<Index> mine;
  for (Index i = 0; i < rows_.local(); ++i)
    if ((rows_.first() + i) % step == 0) mine.push_back(i);
  detail::RowWriter out;
  const X few = detail::take_rows(*samples_, mine);
  out.add(few);
  // Round the ring: each process collects the rows of all.
  const Processes& processes = rows_.processes();
  const Index size = processes.size(), rank = processes.rank();
  std::vector<X> parts(static_cast<std::size_t>(size), X(0, 0));
  parts[static_cast<std::size_t>(rank)] = few;
  std::vector<std::byte> letter = out.take();
  for (Index s = 1; s < size; ++s) {
    letter =
        processes.start_exchange((rank + size - 1) % size, (rank + 1) % size, std::move(letter))
            ->finish();
    detail::RowReader(letter).read(parts[static_cast<std::size_t>((rank + s) % size)]);
  }
  Index total = 0;
  for (const X& part : parts) total += part.rows();
  X all(total, samples_->cols());
  Index at = 0;
  for (const X& part : parts) {
    if (part.rows() > 0) all.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  few_ = std::make_shared<const X>(std::move(all));
  prepared_few_ = std::make_shared<const PreparedSamples<X>>(kernel_.prepare(*few_));
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
  const double share = static_cast<double>(detail::tile_size) / static_cast<double>(rows_.total());
  const auto add = [&](const detail::StridedTile<T>& part, detail::Range to, detail::TileSums& sums,
                       const Values& vectors, detail::Range from) {
    const Index w = vectors.cols();
    Values product = Values::Zero(to.size, w);
    detail::add_tile_product(part, vectors.data() + from.begin * w, w, product.data());
    // The bound of all sums is that of n values; these have one of 256.
    if (!sums.add(to.begin, product, (std::min)(1.0, 2 * share)))
      detail::fail("mercer::SpreadGram: the kernel ", kernel_.describe(),
                   " has values above the largest k(x, x), which bounds order-free sums; ask for "
                   "plain sums");
  };
  const detail::StridedTile<T> part{tile.data(), rows.size, cols.size, 1, tile.outerStride()};
  add(part, rows, *lower.sums, *upper.vectors, cols);
  if (!diagonal) add(part.transposed(), cols, *upper.sums, *lower.vectors, rows);
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

template <OwnedSamples X>
void SpreadGram<X>::apply(const Points<double>& v, GramOut<double> out) const {
  const Index cols = v.cols();
  if (cols == 0) return;
  constexpr Index padded = detail::padded_to<T>;
  const Index w = (cols + padded - 1) / padded * padded;
  const Processes& processes = rows_.processes();
  const Index size = processes.size(), rank = processes.rank();

  // Vectors in the scalar of tiles, scaled by powers of two to be in its range.
  const Eigen::VectorXi exponents = detail::column_exponents<double>(rows_, v);
  Values vectors = Values::Zero(rows_.local(), w);
  Vector<double> scales = Vector<double>::Ones(cols);
  std::vector<double> units;
  const int count = detail::exponent_of_count(rows_.total());
  for (Index j = 0; j < cols; ++j) {
    const bool scaled = std::same_as<T, float> && exponents(j) > detail::Exponent::zero &&
                        exponents(j) < detail::Exponent::infinite;
    if (scaled) scales(j) = std::ldexp(1.0, exponents(j));
    vectors.col(j) = (v.col(j) / scales(j)).template cast<T>();
    if (rows_.order_free())
      units.push_back(detail::FixedPoint::unit((scaled ? 0 : exponents(j)) + largest_ + count + 1));
  }
  units.resize(rows_.order_free() ? static_cast<std::size_t>(w) : 0, 1.0);

  std::exception_ptr error;
  const auto attempt = [&](const auto& work) {
    if (error) return;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  };

  detail::TileSums sums(rows_.local(), w, units);
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
    *received_ += letter.size();
    detail::RowReader in(letter);
    in.read(guest.samples);
    in.read(guest.vectors);
    if (s < last) pass_on(guest.samples, guest.vectors);
    guest.sums = detail::TileSums(rows.size, w, units);
    attempt([&] {
      if (rows.size > 0) guest.prepared = kernel_.prepare(guest.samples, *prepared_few_);
      const Visitor there{rows, &guest.samples, &guest.prepared, &guest.vectors, &guest.sums};
      add_pair(here, there, size % 2 == 0 && s == last);
    });
    // The sums of this step join those that came with the samples.
    if (coming_sums) {
      const std::vector<std::byte> so_far = coming_sums->finish();
      *received_ += so_far.size();
      detail::RowReader reader(so_far);
      detail::TileSums before(rows.size, w, units);
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
    *received_ += home.size();
    detail::RowReader reader(home);
    detail::TileSums added(rows_.local(), w, units);
    added.read(reader);
    sums.add(added);
  }
  detail::throw_together(processes, error);
  out = sums.values(cols) * scales.asDiagonal();
}

}  // namespace mercer

#endif  // MERCER_OPERATORS_SPREAD_GRAM_HPP
