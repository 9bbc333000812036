// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A short number that identifies samples.

#ifndef MERCER_CORE_STREAMS_SAMPLE_DIGEST_HPP
#define MERCER_CORE_STREAMS_SAMPLE_DIGEST_HPP

#include <bit>
#include <cstdint>

#include <mercer/core/types.hpp>

namespace mercer {

/// The number of rows of samples in the order in which they were read, and a checksum of them.
///
/// The digest does not depend on how the rows are split into batches, on the machine's byte order,
/// or on the storage order. If one value changes, the checksum always changes. Other sets of
/// samples have the same checksum with probability 2^-64. The digest gives no protection against
/// someone who looks for such samples.
/// Cost: one multiplication for each value.
struct SampleDigest {
  Index rows = 0;              ///< the number of rows added
  std::uint64_t checksum = 0;  ///< of their values, in order

  [[nodiscard]] bool operator==(const SampleDigest&) const = default;

  /// Adds the rows of \p batch after those already added.
  template <Real S>
  void add(const Points<S>& batch) {
    for (Index i = 0; i < batch.rows(); ++i)
      for (Index j = 0; j < batch.cols(); ++j) add(static_cast<double>(batch(i, j)));
    rows += batch.rows();
  }

  /// Adds one value. For a given value this is a bijection of the checksum, and for a given
  /// checksum a bijection of the value. So no difference is lost.
  void add(double value) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    checksum = (checksum ^ std::bit_cast<std::uint64_t>(value)) * odd + 1;
    checksum ^= checksum >> 32U;
  }
};

/// The digest of all rows of these samples, dense or sparse.
template <OwnedSamples X>
[[nodiscard]] SampleDigest digest_of(const X& samples) {
  SampleDigest digest;
  if constexpr (DenseSamples<X>)
    digest.add<typename X::Scalar>(samples);
  else
    for (Index i = 0; i < samples.rows(); ++i)
      digest.add<typename X::Scalar>(Matrix<typename X::Scalar>(samples.row(i)));
  return digest;
}

}  // namespace mercer

#endif  // MERCER_CORE_STREAMS_SAMPLE_DIGEST_HPP
