// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives put together byte by byte, without the code under test, for machines of either byte
/// order; and a report of which no two members are equal.

#ifndef MERCER_TESTS_IO_ARCHIVE_ARCHIVE_BYTES_HPP
#define MERCER_TESTS_IO_ARCHIVE_ARCHIVE_BYTES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <mercer/core/report.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/checksum.hpp>

namespace mercer::test {

/// The format of archives, written down a second time: whoever changes the one changes the other.
/// Numbers and texts are added one after the other.
class ArchiveBytes {
 public:
  /// The bytes begin with their order: 1 if the lowest byte of a number comes first, else 0.
  explicit ArchiveBytes(std::endian order)
      : order_(order), bytes_(1, order == std::endian::little ? '\1' : '\0') {}

  /// A truth value: one byte.
  ArchiveBytes& truth(bool value) { return add(std::uint8_t{value}); }
  /// A whole number or an enumerator: eight bytes.
  ArchiveBytes& integer(std::int64_t value) { return add(static_cast<std::uint64_t>(value)); }
  ArchiveBytes& real(double value) { return add(std::bit_cast<std::uint64_t>(value)); }
  ArchiveBytes& real(float value) { return add(std::bit_cast<std::uint32_t>(value)); }
  /// An index of a sparse matrix: four bytes.
  ArchiveBytes& index(std::int32_t value) { return add(static_cast<std::uint32_t>(value)); }

  /// Its length and its characters.
  ArchiveBytes& text(std::string_view characters) {
    integer(static_cast<std::int64_t>(characters.size()));
    bytes_ += characters;
    return *this;
  }

  template <class S>
  ArchiveBytes& reals(std::initializer_list<S> values) {
    for (const S value : values) real(value);
    return *this;
  }
  ArchiveBytes& indices(std::initializer_list<std::int32_t> values) {
    for (const std::int32_t value : values) index(value);
    return *this;
  }

  /// A dense matrix, its values column by column.
  template <class S>
  ArchiveBytes& dense(std::int64_t rows, std::int64_t cols, std::initializer_list<S> values) {
    text(sizeof(S) == 4 ? "dense single" : "dense double").integer(rows).integer(cols);
    return reals(values);
  }

  [[nodiscard]] const std::string& content() const { return bytes_; }

  /// The content as a file: magic, then byte order, version, checksum and size, then the content.
  [[nodiscard]] std::string file() const {
    ArchiveBytes preamble(order_);
    preamble.integer(1)
        .integer(std::int64_t{detail::crc32(bytes_)})
        .integer(static_cast<std::int64_t>(bytes_.size()));
    return "\x93MERCER\n" + preamble.bytes_ + bytes_;
  }

 private:
  /// The bytes of an unsigned number.
  template <class T>
  ArchiveBytes& add(T value) {
    std::string lowest_first;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      lowest_first += static_cast<char>((std::uint64_t{value} >> (8 * i)) & 255U);
    if (order_ == std::endian::big) std::reverse(lowest_first.begin(), lowest_first.end());
    bytes_ += lowest_first;
    return *this;
  }

  std::endian order_;
  std::string bytes_;
};

/// A report whose members all differ, so that any two that change places are found out.
[[nodiscard]] inline Report distinct_report(Index samples, Index dimension, Index components) {
  Report report;
  report.status = Status::Finished;
  report.solver = SolverId::Dca;
  report.solver_form = "a form";
  report.kernel = "a kernel";
  report.precision = Precision::Double;
  report.storage = "a storage";
  report.reason = "a reason";
  report.samples = samples;
  report.dimension = dimension;
  report.components = components;
  report.components_requested = 101;
  report.iterations = 102;
  report.kernel_products = 103;
  report.residuals = {0.5, 0.25};
  report.residual_rows = 104;
  report.eigenvalue_error_bounds = {0.125};
  report.trace = 1.5;
  report.expansion_points = 105;
  report.negative_eigenvalues = 107;
  report.most_negative_eigenvalue = -3.5;
  report.zero_eigenvalues = 108;
  report.fit_seconds = 11.5;
  report.bytes = 109;
  report.details =
      DcaDetails{.dual_objective = 6.5, .duality_gap = 7.5, .zero_rows = 9.5, .zero_entries = 10.5};
  return report;
}

/// The bytes of distinct_report(): 295.
inline void add_distinct_report(ArchiveBytes& bytes, Index samples, Index dimension,
                                Index components) {
  bytes.integer(3).integer(11);  // finished, dca
  bytes.text("a form").text("a kernel");
  bytes.truth(true).integer(1);  // double precision
  bytes.text("a storage").text("a reason");
  bytes.integer(samples).integer(dimension).integer(components);
  bytes.truth(true).integer(101).integer(102).integer(103);
  bytes.integer(2).reals({0.5, 0.25});
  bytes.truth(true).integer(104);
  bytes.integer(1).reals({0.125});
  bytes.real(1.5);
  bytes.truth(true).integer(105).integer(107);
  bytes.truth(true).real(-3.5).integer(108);
  bytes.real(11.5).integer(109);
  bytes.text("dca-details").reals({6.5, 7.5, 9.5, 10.5});
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_IO_ARCHIVE_ARCHIVE_BYTES_HPP
