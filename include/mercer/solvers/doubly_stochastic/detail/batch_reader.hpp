// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reads the batches of a fit from a stream of samples.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_BATCH_READER_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_BATCH_READER_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/sample_digest.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/features/feature_map.hpp>
#include <mercer/kernels/kernel_view.hpp>

namespace mercer::detail {

/// Reads a stream for a fit: checks the samples against the domain of a kernel and counts them.
/// Lifetime: refers to the stream and the kernel.
template <Real S>
class BatchReader {
 public:
  /// Throws InvalidArgument for samples that are outside the domain.
  using CheckDomain = std::function<void(const Matrix<S>& samples)>;

  /// \param who  for messages
  /// Throws InvalidArgument for a stream of samples without columns.
  BatchReader(std::string_view who, SampleStreamView<S> stream, CheckDomain check)
      : who_(who), stream_(stream), check_domain_(std::move(check)) {
    if (stream.dimension() == 0)
      fail("mercer::", who, ": ", stream.name(), " has samples without columns");
  }
  BatchReader(SampleStreamView<S> stream, KernelView<Matrix<S>> kernel)
      : BatchReader("KernelPca::fit", stream,
                    [kernel](const Matrix<S>& samples) { kernel.check_domain(samples); }) {}

  [[nodiscard]] Index dimension() const { return stream_.dimension(); }

  /// The first batch, at most \p most rows.
  /// Throws InvalidArgument if there are none.
  [[nodiscard]] Matrix<S> first(Index most) {
    Matrix<S> batch;
    read(most, batch);
    if (batch.rows() == 0) fail("mercer::", who_, ": ", stream_.name(), " has no rows");
    return batch;
  }

  /// The next rows of this pass, at most \p most; no rows at its end.
  void read(Index most, Matrix<S>& batch) {
    const StreamPosition from = stream_.position();
    batch.resize((std::min)(most, left()), dimension());
    const Index count = next(batch);
    batch.conservativeResize(count, Eigen::NoChange);
    check_domain(batch, from);
  }

  /// The next \p size rows, if need be from the next pass too. Returns false if there is none.
  [[nodiscard]] bool fill(Index size, Matrix<S>& batch) {
    const StreamPosition from = stream_.position();
    batch.resize(size, dimension());
    const auto read = [&](Index filled) { return next(batch.bottomRows(size - filled)); };
    if (!fill_by(size, read)) return false;
    check_domain(batch, from);
    return true;
  }

  /// Whether rows have numbers, which are the same in all passes.
  [[nodiscard]] bool numbers_rows() const { return stream_.numbers_rows() && rows() != endless; }

  /// The same as fill() with the numbers of the rows, which are read only if the digest needs them.
  [[nodiscard]] bool fill(Index size, std::vector<Index>& numbers) {
    numbers.resize(static_cast<std::size_t>(size));
    Matrix<S> batch;
    return fill_by(size, [&](Index filled) {
      const auto rest = std::span<Index>(numbers).subspan(static_cast<std::size_t>(filled));
      if (passes_ > 0) return stream_.read_numbers(rest);
      const Index count = (std::min)(size - filled, left());
      next_numbers(rest.first(static_cast<std::size_t>(count)));
      if (!keeps_digest_) return pass_by(count);
      batch.resize(count, dimension());
      return next(batch);
    });
  }

  /// The numbers of the next rows of this pass, without moving on; at most those that are left.
  [[nodiscard]] std::vector<Index> next_numbers(Index most) {
    std::vector<Index> numbers(static_cast<std::size_t>((std::min)(most, left())));
    next_numbers(std::span<Index>(numbers));
    return numbers;
  }

  /// Calls take(numbers, samples) for all rows of a pass, at most \p most at a time, then goes back
  /// to where it was. Counts none of them as read.
  template <class Take>
  void visit_all(Index most, const Take& take) {
    const StreamPosition before = stream_.position();
    stream_.seek({});
    Matrix<S> samples;
    while (left() > 0) {
      const StreamPosition from = stream_.position();
      const std::vector<Index> numbers = next_numbers(most);
      samples.resize(static_cast<Index>(numbers.size()), dimension());
      static_cast<void>(stream_.read(samples));
      check_domain(samples, from);
      take(numbers, samples);
    }
    stream_.seek(before);
  }

  /// Starts the next pass. Returns false if the stream cannot be rewound.
  [[nodiscard]] bool rewind() {
    if (!stream_.rewind()) return false;
    ++passes_;
    return true;
  }

  /// From now on, keeps digest() up to date.
  void keep_digest() { keeps_digest_ = true; }

  /// The digest of the rows of the first pass so far.
  [[nodiscard]] const SampleDigest& digest() const { return digest_; }

  /// Where the next batch begins.
  [[nodiscard]] StreamPosition position() const { return stream_.position(); }

  /// Continues from a position, after this number of passes.
  /// Throws InvalidArgument if the stream cannot seek.
  void resume(StreamPosition position, Index passes) {
    stream_.seek(position);
    passes_ = passes;
    if (passes == 0) first_pass_ = position.row;
  }

  /// Completed passes.
  [[nodiscard]] Index passes() const { return passes_; }

  /// The number of samples n, if the stream knows it; else the rows of the first pass so far.
  [[nodiscard]] Index samples() const {
    return stream_.rows() == endless ? first_pass_ : stream_.rows();
  }
  [[nodiscard]] Index rows() const { return stream_.rows(); }

 private:
  [[nodiscard]] Index left() const {
    return stream_.rows() == endless ? endless : stream_.rows() - stream_.position().row;
  }

  /// Checks the domain of the rows that were read from a position on. The check counts rows from
  /// the first of them: what it throws also has the number of the row.
  void check_domain(const Matrix<S>& batch, StreamPosition from) {
    if (!numbers_rows()) return counting_from(from.row, [&] { check_domain_(batch); });
    try {
      check_domain_(batch);
    } catch (const InvalidArgument& error) {
      std::vector<Index> numbers(static_cast<std::size_t>(batch.rows()));
      stream_.seek(from);
      const Index known = stream_.read_numbers(numbers);  // no more than are left of that pass
      Index i = 0;
      while (i < known && in_domain(batch.row(i))) ++i;
      const Index number = i < known ? numbers[static_cast<std::size_t>(i)] : i;
      if (number == i) throw;
      fail(error.what(), ", which is row ", number, " of the samples");
    }
  }
  [[nodiscard]] bool in_domain(const Matrix<S>& row) const {
    try {
      check_domain_(row);
      return true;
    } catch (const InvalidArgument&) {
      return false;
    }
  }

  /// Calls read(filled), which returns how many rows it got, until there are \p size.
  template <class Read>
  [[nodiscard]] bool fill_by(Index size, const Read& read) {
    for (Index filled = 0, before = -1; filled < size;) {
      filled += read(filled);
      if (filled == before) return false;  // a pass without rows
      before = filled;
      if (filled < size && (first_pass_ == 0 || !rewind())) return false;
    }
    return true;
  }

  void next_numbers(std::span<Index> numbers) {
    const StreamPosition before = stream_.position();
    static_cast<void>(stream_.read_numbers(numbers));
    stream_.seek(before);
  }

  /// Moves on by so many rows of the first pass.
  [[nodiscard]] Index pass_by(Index count) {
    StreamPosition at = stream_.position();
    at.row += count;
    stream_.seek(at);
    first_pass_ += count;
    return count;
  }

  [[nodiscard]] Index next(GramOut<S> out) {
    const Index count = stream_.read(out);
    if (passes_ > 0) return count;
    first_pass_ += count;
    if (keeps_digest_) digest_.template add<S>(out.topRows(count));
    return count;
  }

  std::string who_;
  SampleStreamView<S> stream_;
  CheckDomain check_domain_;
  Index first_pass_ = 0;
  Index passes_ = 0;
  bool keeps_digest_ = false;
  SampleDigest digest_;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_DETAIL_BATCH_READER_HPP
