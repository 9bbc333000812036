// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A report of two views of which no two members are equal, its bytes, and sizes of archives.

#ifndef MERCER_TESTS_IO_ARCHIVE_PAIR_REPORT_BYTES_HPP
#define MERCER_TESTS_IO_ARCHIVE_PAIR_REPORT_BYTES_HPP

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include <mercer/core/report.hpp>
#include <mercer/models/pair_report.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/archive/golden_archives.hpp>

namespace mercer::test {

[[nodiscard]] inline PairReport distinct_pair_report() {
  return {.status = Status::Finished,
          .method = "a method",
          .views = {{.basis = distinct_report(4, 2, 2),
                     .rank = 201,
                     .kappa = 2.5,
                     .effective_dimension = 3.5,
                     .residuals = {4.5},
                     .trace_error = {}}},
          .samples = 202,
          .components = 203,
          .components_requested = 204,
          .error_bounds = {5.5},
          .truncation_bound = 6.5,
          .training_correlations = {.5, .25},
          .holdout_samples = 205,
          .holdout_correlations = {.125},
          .stochastic =
              StochasticPairDetails{
                  .steps = 207, .step_sum = 8.5, .implicit_ridge = 9.25, .evaluation_rows = 208},
          .fit_seconds = 7.5,
          .bytes = 206};
}

inline void put_distinct_pair_report(ArchiveBytes& bytes) {
  bytes.integer(3).text("a method").integer(1);
  add_distinct_report(bytes, 4, 2, 2);
  bytes.integer(201).truth(true).real(2.5).real(3.5).integer(1).real(4.5).truth(false);
  bytes.integer(202).integer(203).integer(204);
  bytes.integer(1).real(5.5).truth(true).real(6.5);
  bytes.integer(2).reals({.5, .25}).integer(205).integer(1).real(.125);
  bytes.truth(true).integer(207).real(8.5).real(9.25).integer(208);
  bytes.real(7.5).integer(206);
}
inline constexpr std::size_t pair_report_size =
    8 + 16 + 8 + 295 + (8 + 9 + 8 + 16 + 1) + 24 + (16 + 9) + (24 + 8 + 16) + 33 + 16;

/// A header without its texts: the order of bytes comes first.
inline constexpr std::size_t header_size = 1 + 5 * 8 + 8 + version_size;

[[nodiscard]] inline std::size_t letters(std::initializer_list<std::string_view> texts) {
  std::size_t sum = 0;
  for (const std::string_view text : texts) sum += text.size();
  return sum;
}

}  // namespace mercer::test

#endif  // MERCER_TESTS_IO_ARCHIVE_PAIR_REPORT_BYTES_HPP
