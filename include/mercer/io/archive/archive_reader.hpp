// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Turns bytes back into values. Every size and every name is checked before it is used.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_READER_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_READER_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <istream>
#include <limits>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_format.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

/// Reads what ArchiveWriter wrote. A matrix without values may have any number of rows or of
/// columns: code that loops over them must check them first.
/// Cost: time and memory in proportion to the bytes that are there, whatever counts and sizes they
///   claim.
/// Throws io::FileError if no writer can have written these bytes.
class ArchiveReader {
 public:
  /// \p bytes must not be empty. The first byte is the byte order of all numbers that follow: 1 for
  /// little-endian, 0 for big-endian. \p path is for messages.
  /// Lifetime: \p path and the memory of \p bytes must outlive the reader.
  ArchiveReader(const std::string& path, std::string_view bytes)
      : path_(path), buffer_(bytes), stream_(&buffer_), archive_(with_byte_order()) {}

  template <class T>
  [[nodiscard]] T read() {
    if constexpr (std::same_as<T, bool>) {
      return read_below<std::uint8_t>(2) != 0;
    } else if constexpr (std::integral<T>) {
      const auto stored = read_number<StoredInteger<T>>();
      if (!std::in_range<T>(stored)) damaged("the number ", stored, " is out of range");
      return static_cast<T>(stored);
    } else if constexpr (Real<T>) {
      return read_number<T>();
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(read_below<std::uint64_t>(enumerators<T>()));
    } else if constexpr (std::same_as<T, std::string>) {
      std::string text(require_count<char>(read<std::uint64_t>()), '\0');
      read_array(text.data(), text.size());
      return text;
    } else if constexpr (is_vector<T>) {
      require_countable<typename T::value_type>();
      T values;
      for (auto left = require_count<char>(read<std::uint64_t>()); left > 0; --left)
        values.push_back(read<typename T::value_type>());
      return values;
    } else if constexpr (IsDense<T>) {
      return read_dense<T>();
    } else if constexpr (IsSparse<T>) {
      return read_sparse<typename T::Scalar>();
    } else if constexpr (is_shared_constant<T>) {
      using Element = std::remove_const_t<typename T::element_type>;
      return read<bool>() ? std::make_shared<const Element>(read<Element>()) : nullptr;
    } else if constexpr (is_optional<T>) {
      return read<bool>() ? T(read<typename T::value_type>()) : T();
    } else if constexpr (is_variant<T>) {
      return read_variant(std::type_identity<T>());
    } else {
      require_archivable<T>();
      if constexpr (IsNamed<T>) expect(ArchiveTraitsOf<T>::name);
      return read_parts<T>();
    }
  }

  /// Throws io::FileError if bytes are left.
  void require_end() const {
    if (buffer_.left() > 0) damaged("there are ", buffer_.left(), " bytes too many");
  }

 private:
  /// A stream buffer over bytes in memory.
  class ViewBuffer : public std::streambuf {
   public:
    explicit ViewBuffer(std::string_view bytes) {
      char* const first = const_cast<char*>(bytes.data());  // streams take pointers to non-const
      setg(first, first, first + bytes.size());
    }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(egptr() - gptr()); }
  };

  template <class... Parts>
  [[noreturn]] void damaged(const Parts&... parts) const {
    file_fail(path_, "the archive is damaged: ", parts...);
  }

  /// Returns the stream, still at its first byte, which gives the byte order. cereal accepts any
  /// value there, so it is checked here.
  [[nodiscard]] std::istream& with_byte_order() {
    MERCER_ASSERT(buffer_.left() > 0);
    const auto order = static_cast<unsigned>(stream_.peek());
    if (order > 1) damaged("its byte order is ", order, ", and must be 0 or 1");
    return stream_;
  }

  /// Throws io::FileError if the remaining bytes cannot hold \p count values of T.
  template <class T>
  std::size_t require_count(std::uint64_t count) const {
    if (count > buffer_.left() / sizeof(T))
      damaged("it needs ", count, " values of ", sizeof(T), " bytes more and has ", buffer_.left(),
              " bytes");
    return static_cast<std::size_t>(count);
  }

  template <class T>
  [[nodiscard]] T read_number() {
    T value{};
    require_count<T>(1);
    archive_(value);
    return value;
  }

  template <class T>
  [[nodiscard]] T read_below(T bound) {
    const T value = read_number<T>();
    if (value >= bound) damaged("a value is ", value, " that must be below ", bound);
    return value;
  }

  template <class T>
  void read_array(T* values, std::size_t count) {
    require_count<T>(count);
    // cereal::binary_data() is wrong here: it takes the size of the pointer for that of a value.
    if (count > 0)
      archive_.template loadBinary<sizeof(T)>(values,
                                              static_cast<std::streamsize>(count * sizeof(T)));
  }

  void expect(std::string_view name) {
    const auto found = read<std::string>();
    if (found != name)
      file_fail(path_, "holds ", in_quotes(found), " where ", in_quotes(name), " is asked for");
  }

  /// Reads a number of rows or of columns.
  [[nodiscard]] Index read_size() {
    const Index size = read<Index>();
    if (size < 0) damaged("a matrix has ", size, " rows or columns");
    return size;
  }

  template <IsDense X>
  [[nodiscard]] X read_dense() {
    using S = typename X::Scalar;
    expect(matrix_name<X>());
    const Index rows = read_size(), cols = read_size();
    if (X::ColsAtCompileTime == 1 && cols != 1) damaged("a vector has ", cols, " columns");
    if (cols > 0 && static_cast<std::size_t>(rows) >
                        buffer_.left() / sizeof(S) / static_cast<std::size_t>(cols))
      damaged("a matrix is ", rows, " x ", cols, " and ", buffer_.left(), " bytes are left");
    X x(rows, cols);
    read_array(x.data(), static_cast<std::size_t>(x.size()));
    return x;
  }

  template <Real S>
  [[nodiscard]] SparseMatrix<S> read_sparse() {
    using Stored = typename SparseMatrix<S>::StorageIndex;
    expect(matrix_name<SparseMatrix<S>>());
    const Index rows = read_size(), cols = read_size(), entries = read_size();
    constexpr Index most = (std::numeric_limits<Stored>::max)();
    if (rows >= most || cols > most || entries > most) damaged("a sparse matrix is too large");
    require_count<Stored>(static_cast<std::uint64_t>(rows + 1));
    require_count<S>(static_cast<std::uint64_t>(entries));
    SparseMatrix<S> x(rows, cols);
    x.resizeNonZeros(entries);
    read_array(x.outerIndexPtr(), static_cast<std::size_t>(rows + 1));
    read_array(x.innerIndexPtr(), static_cast<std::size_t>(entries));
    read_array(x.valuePtr(), static_cast<std::size_t>(entries));
    require_structure(x, entries);
    return x;
  }

  /// Throws io::FileError unless the rows follow one another and the columns ascend within each
  ///   row.
  template <Real S>
  void require_structure(const SparseMatrix<S>& x, Index entries) const {
    const auto* const first = x.outerIndexPtr();
    const auto* const column = x.innerIndexPtr();
    bool good = first[0] == 0 && first[x.rows()] == entries;
    for (Index i = 0; good && i < x.rows(); ++i) {
      good = first[i] <= first[i + 1] && first[i + 1] <= entries;
      for (Index at = first[i]; good && at < first[i + 1]; ++at)
        good = column[at] >= 0 && column[at] < x.cols() &&
               (at == first[i] || column[at - 1] < column[at]);
    }
    if (!good) damaged("the entries of a sparse matrix are out of order");
  }

  template <class... Alternative>
  [[nodiscard]] std::variant<Alternative...> read_variant(
      std::type_identity<std::variant<Alternative...>>) {
    const auto found = read<std::string>();
    std::unique_ptr<std::variant<Alternative...>> value;
    const auto try_one = [&]<class T>(std::type_identity<T>) {
      if (found != ArchiveTraitsOf<T>::name) return false;
      value = std::make_unique<std::variant<Alternative...>>(read_parts<T>());
      return true;
    };
    if (!(try_one(std::type_identity<Alternative>()) || ...)) {
      std::string names;
      ((names += " " + in_quotes(ArchiveTraitsOf<Alternative>::name)), ...);
      file_fail(path_, "holds ", in_quotes(found), " where one of these is asked for:", names);
    }
    return std::move(*value);
  }

  template <class T>
  [[nodiscard]] T read_parts() {
    using Parts = decltype(ArchiveTraitsOf<T>::parts(std::declval<const T&>()));
    return read_parts<T>(std::type_identity<Parts>());
  }

  template <class T, class... Part>
  [[nodiscard]] T read_parts(std::type_identity<std::tuple<Part...>>) {
    using Traits = ArchiveTraitsOf<T>;
    // An initializer list in braces is evaluated from first to last.
    std::tuple<std::remove_cvref_t<Part>...> parts{read<std::remove_cvref_t<Part>>()...};
    const auto make = [](auto&&... part) -> T {
      if constexpr (requires { Traits::make(std::move(part)...); })
        return Traits::make(std::move(part)...);
      else
        return T{std::move(part)...};
    };
    return std::apply(make, std::move(parts));
  }

  const std::string& path_;
  ViewBuffer buffer_;
  std::istream stream_;
  cereal::PortableBinaryInputArchive archive_;
};

}  // namespace mercer::detail

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_READER_HPP
