// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Pairs of samples, and how tests read them from streams.

#ifndef MERCER_TESTS_CORE_STREAMS_PAIRS_READ_HPP
#define MERCER_TESTS_CORE_STREAMS_PAIRS_READ_HPP

#include <algorithm>
#include <memory>
#include <utility>

#include <mercer/core/streams/generated_stream.hpp>
#include <mercer/core/types.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace mercer::test {

using Pairs = std::pair<Matrix<double>, Matrix<double>>;

/// All pairs that are left, read in batches of \p most.
template <class T>
[[nodiscard]] Pairs read_all(T& stream, Index most) {
  Pairs all{Matrix<double>(0, stream.dimension_x()), Matrix<double>(0, stream.dimension_y())};
  Matrix<double> x(most, stream.dimension_x()), y(most, stream.dimension_y());
  for (Index count = most; count == most;) {
    count = stream.read(x, y);
    all.first.conservativeResize(all.first.rows() + count, Eigen::NoChange);
    all.first.bottomRows(count) = x.topRows(count);
    all.second.conservativeResize(all.second.rows() + count, Eigen::NoChange);
    all.second.bottomRows(count) = y.topRows(count);
  }
  CHECK(stream.read(x, y) == 0);
  return all;
}

/// The rows of x, two at a time; \p passes passes over them.
[[nodiscard]] inline CallbackStream<double> chunks_of(const Matrix<double>& x, Index passes = 1) {
  auto at = std::make_shared<Index>(0);
  return {x.cols(),
          [&x, at](Index) {
            const Index first = std::exchange(*at, (std::min)(x.rows(), *at + 2));
            return Matrix<double>(x.middleRows(first, *at - first));
          },
          [at, passes, done = Index{1}]() mutable {
            *at = 0;
            return ++done <= passes;
          }};
}

struct PairSamples {
  Matrix<double> x = uniform_samples<double>(23, 3, 1);
  Matrix<double> y = uniform_samples<double>(23, 2, 2);
};

}  // namespace mercer::test

#endif  // MERCER_TESTS_CORE_STREAMS_PAIRS_READ_HPP
