// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A checksum of rows that may be in several processes.

#ifndef MERCER_CORE_ROWS_ROW_CHECKSUM_HPP
#define MERCER_CORE_ROWS_ROW_CHECKSUM_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Of one row and its number. Of sparse rows it takes the entries that are stored.
template <class X>
[[nodiscard]] std::uint64_t checksum_of_row(const X& x, Index i, Index number) {
  SampleDigest digest;
  digest.add(static_cast<double>(number));
  if constexpr (DenseSamples<X>) {
    for (Index j = 0; j < x.cols(); ++j) digest.add(static_cast<double>(x(i, j)));
  } else {
    for (typename X::InnerIterator entry(x, i); entry; ++entry) {
      digest.add(static_cast<double>(entry.index()));
      digest.add(static_cast<double>(entry.value()));
    }
  }
  // A sum loses what carries cannot spread, so all bits of a value must reach all bits of the row.
  // Source: the finaliser of SplitMix64, Steele, Lea, Flood, Fast splittable pseudorandom number
  // generators, 2014, as published with the constants of D. Stafford's variant 13.
  std::uint64_t c = digest.checksum;
  c = (c ^ (c >> 30U)) * 0xbf58476d1ce4e5b9U;
  c = (c ^ (c >> 27U)) * 0x94d049bb133111ebU;
  return c ^ (c >> 31U);
}

/// One for each row, without its number: equal rows have equal ones. Of sparse rows it takes the
/// entries that are stored.
/// Cost: one multiplication for each entry.
/// Threads: over tiles of rows.
template <OwnedSamples X>
[[nodiscard]] std::vector<std::uint64_t> checksum_of_each_row(const X& x) {
  std::vector<std::uint64_t> checksums(static_cast<std::size_t>(x.rows()));
  parallel_for(tile_count(x.rows()), [&](Index tile) {
    const Range rows = Range::tile(tile, x.rows());
    if constexpr (SparseSamples<X>) {
      for (Index i = rows.begin; i < rows.begin + rows.size; ++i)
        checksums[static_cast<std::size_t>(i)] = checksum_of_row(x, i, 0);
    } else {
      // By columns, as they are in memory. Pointers: no compiler makes a loop in vectors that may
      // change the sizes of its containers.
      std::uint64_t* const checksum = checksums.data() + rows.begin;
      for (Index j = 0; j < x.cols(); ++j) {
        const auto* const values = x.col(j).data() + rows.begin;
        for (Index i = 0; i < rows.size; ++i) {
          SampleDigest digest{.checksum = checksum[i]};
          digest.add(static_cast<double>(values[i]) + 0.0);  // -0 equals 0
          checksum[i] = digest.checksum;
        }
      }
    }
  });
  return checksums;
}

/// The sum of the checksums that processes have, modulo 2^64. Collective.
[[nodiscard]] inline std::uint64_t sum_of_checksums(const RowSpace& rows, std::uint64_t here) {
  if (!rows.is_spread()) return here;
  // In halves, whose sums over processes do not overflow.
  std::int64_t halves[2] = {static_cast<std::int64_t>(here >> 32U),
                            static_cast<std::int64_t>(here & 0xffffffffU)};
  rows.processes().sum(halves);
  return (static_cast<std::uint64_t>(halves[0]) << 32U) + static_cast<std::uint64_t>(halves[1]);
}

/// The two halves of a checksum: numbers that doubles hold.
[[nodiscard]] inline Vector<double> halves_of(std::uint64_t checksum) {
  Vector<double> halves(2);
  halves << static_cast<double>(checksum >> 32U), static_cast<double>(checksum & 0xffffffffU);
  return halves;
}

/// The checksum with these halves.
[[nodiscard]] inline std::uint64_t whole_of(const Vector<double>& halves) {
  return (static_cast<std::uint64_t>(halves(0)) << 32U) + static_cast<std::uint64_t>(halves(1));
}

/// The checksum that process 0 has: those of values that all processes compute differ if their
/// processors have other instructions. Collective.
[[nodiscard]] inline std::uint64_t agreed_checksum(const RowSpace& rows, std::uint64_t here) {
  Vector<double> halves = halves_of(here);
  rows.agree(halves);
  return whole_of(halves);
}

/// The sum of the checksums of all rows, modulo 2^64: the same on all processes, and for any number
/// of them. Collective.
/// \param local  the rows of this process, dense or sparse
template <class X>
[[nodiscard]] std::uint64_t checksum_of_rows(const RowSpace& rows, const X& local) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < local.rows(); ++i) sum += checksum_of_row(local, i, rows.first() + i);
  return sum_of_checksums(rows, sum);
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_ROW_CHECKSUM_HPP
