// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What a fit has computed so far, kept so that the fit can be repeated without computing it again.

#ifndef MERCER_OPERATORS_RECORDED_HPP
#define MERCER_OPERATORS_RECORDED_HPP

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/fit_setting.hpp>
#include <mercer/core/random.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_checksum.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/operators/symmetric_operator.hpp>

namespace mercer {

/// Which block it is.
struct RecordKey {
  Precision precision = Precision::Double;  ///< of the kernel values
  /// Checksum of what the block is computed from: for a product, of the vectors that are
  /// multiplied; for an iterate, of the start, a draw and the steps; for sums, of the features of
  /// some rows.
  std::uint64_t block = 0;
};

/// Keeps blocks that a fit computes, in a place that outlives the program: the products of a Gram
/// matrix with blocks of vectors, the iterate of a solver that makes steps, or sums over rows.
///
/// A solver of operators does the same again if its products are the same. So a fit that was
/// interrupted is repeated with the products that were kept, and goes on with the same bits. A
/// solver that makes steps or sums goes on from the last ones. io::RecordFolder keeps blocks in
/// files.
///
/// All members are called by all processes that share the rows, and are collective. \p rows are
/// those of the fit. Each process has an object of its own.
/// Threads: one fit at a time.
class FitRecord {
 public:
  FitRecord() = default;
  FitRecord(const FitRecord&) = delete;
  FitRecord& operator=(const FitRecord&) = delete;
  virtual ~FitRecord() = default;

  /// A fit of the Gram matrix with these settings begins, or goes on.
  /// Throws InvalidArgument if the products are those of another matrix.
  virtual void begin(const RowSpace& rows, const std::vector<FitSetting>& matrix) = 0;

  /// The block with this key, the rows of this process, or nothing if it is not there.
  [[nodiscard]] virtual std::optional<Matrix<double>> find(const RecordKey& key,
                                                           const RowSpace& rows) = 0;

  /// Keeps a block.
  virtual void keep(const RecordKey& key, const RowSpace& rows, const Points<double>& block) = 0;

  /// Keeps a block, and then removes others with this key. If the program ends in between, find()
  /// has one of them.
  virtual void replace(const RecordKey& key, const RowSpace& rows, const Points<double>& block) = 0;

  /// How many blocks of this fit were there when it began.
  [[nodiscard]] virtual Index found() const = 0;

  /// Steps after which a solver keeps its iterate, or batches after which it keeps its sums.
  [[nodiscard]] virtual Index every() const { return 10; }
};

/// An operator whose products are taken from a record, or computed and kept there. Without a record
/// it is the operator.
/// Lifetime: refers to the record.
/// Threads: one product at a time, if there is a record.
template <SymmetricOperator A>
  requires std::same_as<typename A::Scalar, double>
class Recorded {
 public:
  using Scalar = double;

  /// \param record  null for none
  /// \param precision  of the kernel values
  Recorded(A base, FitRecord* record, Precision precision)
      : base_(std::move(base)), record_(record), precision_(precision) {}

  /// n.
  [[nodiscard]] Index rows() const { return base_.rows(); }
  /// The rows of this process: those of A.
  [[nodiscard]] RowSpace row_space() const { return row_space_of(base_); }

  /// out = A v.
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    if (!record_) return base_.apply(v, out);
    const RowSpace space = row_space();
    const RecordKey key{.precision = precision_, .block = detail::checksum_of_rows(space, v)};
    if (const std::optional<Matrix<double>> kept = record_->find(key, space)) {
      if (kept->rows() != out.rows() || kept->cols() != out.cols())
        detail::fail("mercer::FitRecord: has a product of ", kept->rows(), " x ", kept->cols(),
                     " values, expected ", out.rows(), " x ", out.cols());
      out = *kept;
      return;
    }
    base_.apply(v, out);
    record_->keep(key, space, out);
  }

  /// A_ii.
  [[nodiscard]] Vector<Scalar> diagonal() const requires HasDiagonalEntries<A> {
    return base_.diagonal();
  }

  /// The principal submatrix of these rows.
  [[nodiscard]] Matrix<Scalar> sample_block(const std::vector<Index>& indices) const requires
      HasSamples<A> {
    return base_.sample_block(indices);
  }

  /// The product of these columns with m x b weights.
  [[nodiscard]] Matrix<Scalar> sample_product(const std::vector<Index>& indices,
                                              const Matrix<Scalar>& weights) const requires
      HasSamples<A> {
    return base_.sample_product(indices, weights);
  }

 private:
  A base_;
  FitRecord* record_;
  Precision precision_;
};

namespace detail {

/// What the kernel values of processors of all kinds may differ by, for numbers of type S: the
/// rounding errors of many terms. See FitSetting.
template <Real S>
inline constexpr double values_tolerance = sizeof(S) == 4 ? 3e-3 : 1e-6;

/// The kernel values between some samples, as text.
template <OwnedSamples X>
[[nodiscard]] std::string text_of_values(const KernelView<X>& kernel, const X& samples) {
  constexpr Index most = 8;
  const Index few = (std::min)(samples.rows(), most);
  Matrix<typename X::Scalar> values(few, few);
  kernel.fill(samples, {0, few}, samples, {0, few}, values);
  Vector<double> lower(few * (few + 1) / 2);
  Index count = 0;
  for (Index j = 0; j < few; ++j)
    for (Index i = j; i < few; ++i) lower(count++) = static_cast<double>(values(i, j));
  return text_of_numbers(lower);
}

/// Begins a record of the Gram matrix of a kernel and samples: it is told by the kernel in words,
/// some values of it (some kernels have no words), and the samples. Collective.
/// \param samples  those of this process
template <OwnedSamples X>
void begin_record(FitRecord& record, const KernelView<X>& kernel, const RowSpace& rows,
                  const X& samples) {
  std::string values;
  rows.together([&] {
    if (kernel.is_precomputed())
      fail("mercer::FitRecord: products of a given Gram matrix are not kept");
    if (rows.first() == 0 && rows.local() > 0) values = text_of_values(kernel, samples);
  });
  Index owner = 0;
  while (rows.rows_of(owner).size == 0) ++owner;
  if (rows.is_spread()) broadcast_message(rows.processes(), values, owner);
  record.begin(rows, {{"kernel", kernel.describe()},
                      {"kernel values", values, values_tolerance<typename X::Scalar>},
                      {"precision", std::string(to_string(precision_of<typename X::Scalar>))},
                      {"number of samples", to_text(rows.total())},
                      {"dimension", to_text(samples.cols())},
                      {"checksum of the samples", to_text(checksum_of_rows(rows, samples))}});
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_OPERATORS_RECORDED_HPP
