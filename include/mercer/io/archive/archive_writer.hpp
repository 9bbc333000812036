// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Turns values into bytes, in cereal's portable binary form.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_WRITER_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_WRITER_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_format.hpp>
#include <mercer/io/archive/archive_traits.hpp>

namespace mercer::detail {

/// Writes values one after the other. The bytes are the same on every machine.
class ArchiveWriter {
 public:
  using Options = cereal::PortableBinaryOutputArchive::Options;

  /// \param options  only tests use another byte order
  explicit ArchiveWriter(const Options& options = Options::LittleEndian())
      : archive_(stream_, options) {}

  template <class T>
  void write(const T& value) {
    if constexpr (std::same_as<T, bool>) {
      archive_(static_cast<std::uint8_t>(value));
    } else if constexpr (std::integral<T>) {
      archive_(static_cast<StoredInteger<T>>(value));
    } else if constexpr (Real<T>) {
      archive_(value);
    } else if constexpr (std::is_enum_v<T>) {
      static_assert(enumerators<T>() > 0);
      write(static_cast<std::uint64_t>(value));
    } else if constexpr (std::same_as<T, std::string>) {
      write(value.size());
      write_array(value.data(), value.size());
    } else if constexpr (is_vector<T>) {
      require_countable<typename T::value_type>();
      write(value.size());
      for (const auto& element : value) write(element);
    } else if constexpr (IsDense<T>) {
      write(matrix_name<T>());
      write(value.rows());
      write(value.cols());
      write_array(value.data(), static_cast<std::size_t>(value.size()));
    } else if constexpr (IsSparse<T>) {
      write_sparse(value);
    } else if constexpr (is_shared_constant<T>) {
      write(value != nullptr);
      if (value) write(*value);
    } else if constexpr (is_optional<T>) {
      write(value.has_value());
      if (value) write(*value);
    } else if constexpr (is_variant<T>) {
      std::visit([this](const auto& one) { this->write(one); }, value);
    } else {
      require_archivable<T>();
      if constexpr (IsNamed<T>) write(std::string(ArchiveTraitsOf<T>::name));
      std::apply([this](const auto&... part) { (this->write(part), ...); },
                 ArchiveTraitsOf<T>::parts(value));
    }
  }

  /// Returns all bytes that were written.
  [[nodiscard]] std::string take() && { return std::move(stream_).str(); }

 private:
  template <class T>
  void write_array(const T* values, std::size_t count) {
    // cereal::binary_data() is wrong here: it takes the size of the pointer for that of a value.
    if (count > 0)
      archive_.template saveBinary<sizeof(T)>(values,
                                              static_cast<std::streamsize>(count * sizeof(T)));
  }

  template <Real S>
  void write_sparse(const SparseMatrix<S>& x) {
    if (!x.isCompressed()) {
      SparseMatrix<S> compressed = x;
      compressed.makeCompressed();
      return write_sparse(compressed);
    }
    const auto rows = static_cast<std::size_t>(x.rows());
    const auto entries = static_cast<std::size_t>(x.nonZeros());
    write(matrix_name<SparseMatrix<S>>());
    write(x.rows());
    write(x.cols());
    write(x.nonZeros());
    write_array(x.outerIndexPtr(), rows + 1);
    write_array(x.innerIndexPtr(), entries);
    write_array(x.valuePtr(), entries);
  }

  std::ostringstream stream_;
  cereal::PortableBinaryOutputArchive archive_;
};

}  // namespace mercer::detail

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_WRITER_HPP
