// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Blocks of rows as messages between processes.

#ifndef MERCER_CORE_ROWS_ROW_BYTES_HPP
#define MERCER_CORE_ROWS_ROW_BYTES_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Appends values to a message.
class RowWriter {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void add(const T* values, Index count) {
    if (count == 0) return;
    const auto* bytes = reinterpret_cast<const std::byte*>(values);
    bytes_.insert(bytes_.end(), bytes, bytes + static_cast<std::size_t>(count) * sizeof(T));
  }

  /// Any dense matrix or vector, with its shape.
  template <class Derived>
  void add(const Eigen::PlainObjectBase<Derived>& a) {
    const Index shape[2] = {a.rows(), a.cols()};
    add(shape, 2);
    add(a.data(), a.size());
  }

  template <Real S>
  void add(const SparseMatrix<S>& a) {
    if (a.isCompressed()) return add_compressed(a);
    SparseMatrix<S> copy = a;
    copy.makeCompressed();
    add_compressed(copy);
  }

  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <Real S>
  void add_compressed(const SparseMatrix<S>& a) {
    const Index shape[3] = {a.rows(), a.cols(), a.nonZeros()};
    add(shape, 3);
    add(a.outerIndexPtr(), a.rows() + 1);
    add(a.innerIndexPtr(), a.nonZeros());
    add(a.valuePtr(), a.nonZeros());
  }

  std::vector<std::byte> bytes_;
};

/// Reads what RowWriter has written.
class RowReader {
 public:
  explicit RowReader(const std::vector<std::byte>& bytes) : bytes_(&bytes) {}

  template <class T>
    requires std::is_trivially_copyable_v<T>
  void read(T* values, Index count) {
    const std::size_t size = static_cast<std::size_t>(count) * sizeof(T);
    if (count < 0 || size > bytes_->size() - at_)
      throw ProcessError("mercer: a message between processes is too short");
    if (size > 0) std::memcpy(values, bytes_->data() + at_, size);
    at_ += size;
  }

  template <class Derived>
  void read(Eigen::PlainObjectBase<Derived>& a) {
    Index shape[2];
    read(shape, 2);
    a.resize(shape[0], shape[1]);
    read(a.data(), a.size());
  }

  template <Real S>
  void read(SparseMatrix<S>& a) {
    Index shape[3];
    read(shape, 3);
    a.resize(shape[0], shape[1]);
    a.resizeNonZeros(shape[2]);
    read(a.outerIndexPtr(), a.rows() + 1);
    read(a.innerIndexPtr(), a.nonZeros());
    read(a.valuePtr(), a.nonZeros());
  }

  [[nodiscard]] bool at_end() const { return at_ == bytes_->size(); }

 private:
  const std::vector<std::byte>* bytes_;
  std::size_t at_ = 0;
};

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_ROW_BYTES_HPP
