// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Batches of samples from a stream, as fits read them.

#ifndef MERCER_SOLVERS_BATCH_READER_HPP
#define MERCER_SOLVERS_BATCH_READER_HPP

#include <algorithm>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer::detail {

/// Reads a stream for a fit: checks the samples against the kernel's domain and counts them.
/// Lifetime: refers to the stream and the kernel.
template <Real S>
class BatchReader {
 public:
  /// Throws InvalidArgument for a stream of samples without columns.
  BatchReader(SampleStreamView<S> stream, KernelView<Matrix<S>> kernel)
      : stream_(stream), kernel_(kernel) {
    if (stream.dimension() == 0)
      fail("mercer::KernelPca::fit: ", stream.name(), " has samples without columns");
  }

  [[nodiscard]] Index dimension() const { return stream_.dimension(); }

  /// The first batch: rows up to \p most. Throws InvalidArgument if there are none.
  [[nodiscard]] Matrix<S> first(Index most) {
    Matrix<S> batch;
    read(most, batch);
    if (batch.rows() == 0) fail("mercer::KernelPca::fit: ", stream_.name(), " has no rows");
    return batch;
  }

  /// The next rows of this pass, up to \p most; none at its end.
  void read(Index most, Matrix<S>& batch) {
    batch.resize((std::min)(most, left()), dimension());
    const Index count = next(batch);
    batch.conservativeResize(count, Eigen::NoChange);
    kernel_.check_domain(batch);
  }

  /// The next rows, \p size of them, from one pass into the next; false if there is no other.
  [[nodiscard]] bool fill(Index size, Matrix<S>& batch) {
    batch.resize(size, dimension());
    for (Index filled = 0; filled < size;) {
      filled += next(batch.bottomRows(size - filled));
      if (filled < size && (first_pass_ == 0 || !rewind())) return false;
    }
    kernel_.check_domain(batch);
    return true;
  }

  /// Starts the next pass; false if there is none.
  [[nodiscard]] bool rewind() {
    if (!stream_.rewind()) return false;
    ++passes_;
    return true;
  }

  /// Where the next batch begins.
  [[nodiscard]] StreamPosition position() const { return stream_.position(); }

  /// Goes on from a position, after so many passes. Throws InvalidArgument if the stream cannot.
  void resume(StreamPosition position, Index passes) {
    stream_.seek(position);
    passes_ = passes;
    if (passes == 0) first_pass_ = position.row;
  }

  /// Passes that are over.
  [[nodiscard]] Index passes() const { return passes_; }

  /// The number of samples, n, if the stream knows it; else those of the first pass so far.
  [[nodiscard]] Index samples() const {
    return stream_.rows() == endless ? first_pass_ : stream_.rows();
  }
  [[nodiscard]] Index rows() const { return stream_.rows(); }

 private:
  [[nodiscard]] Index left() const {
    return stream_.rows() == endless ? endless : stream_.rows() - stream_.position().row;
  }

  [[nodiscard]] Index next(GramOut<S> out) {
    const Index count = stream_.read(out);
    if (passes_ == 0) first_pass_ += count;
    return count;
  }

  SampleStreamView<S> stream_;
  KernelView<Matrix<S>> kernel_;
  Index first_pass_ = 0;
  Index passes_ = 0;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_BATCH_READER_HPP
