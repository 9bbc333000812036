// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The .npy format of NumPy: its header, its element types, and checked access to the elements.
///
/// Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays", versions 1 to 3.

#ifndef MERCER_IO_NPY_NPY_FORMAT_HPP
#define MERCER_IO_NPY_NPY_FORMAT_HPP

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/content.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

/// An element type. The kind is 'b' for truth values, 'i' for signed integers, 'u' for unsigned
/// integers, 'f' for floats.
struct NpyType {
  char kind = 0;
  std::size_t size = 0;  ///< bytes of one element
  bool swapped = false;  ///< whether the byte order is not that of this machine
};

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;
  std::vector<Index> shape;
};

/// An array in memory. Its elements begin at byte \c data_begin, are complete, and have this
/// machine's byte order.
struct NpyArray {
  NpyHeader header;
  std::string bytes;
  std::size_t data_begin = 0;
  std::size_t count = 0;  ///< product of the shape
};

/// Reads the header's text, a Python dictionary such as
/// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class NpyHeaderParser {
 public:
  NpyHeaderParser(const std::string& path, std::string_view text) : path_(path), rest_(text) {}

  [[nodiscard]] NpyHeader parse() {
    NpyHeader header;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !std::exchange(has_type, true))
        header.type = type();
      else if (key == "fortran_order" && !std::exchange(has_order, true))
        header.fortran_order = truth_value();
      else if (key == "shape" && !std::exchange(has_shape, true))
        header.shape = shape();
      else
        file_fail(path_, "unexpected key ", in_quotes(key), " in the .npy header");
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail_here("the end of the header");
    if (!has_type) file_fail(path_, "the .npy header has no 'descr'");
    if (!has_order) file_fail(path_, "the .npy header has no 'fortran_order'");
    if (!has_shape) file_fail(path_, "the .npy header has no 'shape'");
    return header;
  }

 private:
  void skip_space() {
    rest_.remove_prefix((std::min)(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool accept(char token) { return accept(std::string_view(&token, 1)); }

  void expect(char token) {
    if (!accept(token)) fail_here(in_quotes(std::string_view(&token, 1)));
  }

  [[noreturn]] void fail_here(std::string_view expected) const {
    file_fail(path_, "malformed .npy header: expected ", expected, " before ", in_quotes(rest_));
  }

  std::string_view string() {
    skip_space();
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) fail_here("a string");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail_here("a closed string");
    const std::string_view content = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return content;
  }

  bool truth_value() {
    if (accept("True")) return true;
    if (!accept("False")) fail_here("True or False");
    return false;
  }

  NpyType type() {
    skip_space();
    if (rest_.starts_with('['))
      file_fail(path_, "unsupported dtype ", in_quotes(rest_),
                ": structured arrays have no one type");
    const std::string_view name = string();
    std::string_view text = name;
    bool little = std::endian::native == std::endian::little;
    if (text.starts_with('<') || text.starts_with('>')) little = text.front() == '<';
    if (text.find_first_of("<>|=") == 0) text.remove_prefix(1);
    for (const std::string_view known :
         {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"})
      if (text == known)
        return {text[0], static_cast<std::size_t>(text[1] - '0'),
                little != (std::endian::native == std::endian::little)};
    file_fail(path_, "unsupported dtype ", in_quotes(name),
              ": known are truth values, integers of 1 to 8 bytes and floats of 2 to 8 bytes");
  }

  std::vector<Index> shape() {
    std::vector<Index> extents;
    expect('(');
    while (!accept(')')) {
      skip_space();
      Index extent = 0;
      const char* const end = rest_.data() + rest_.size();
      const auto [stop, error] = std::from_chars(rest_.data(), end, extent);
      if (error == std::errc::invalid_argument) fail_here("a whole number in the shape");
      if (error != std::errc{} || extent < 0)
        file_fail(path_, "impossible extent in the shape ", in_quotes("(" + std::string(rest_)));
      extents.push_back(extent);
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      accept('L');  // Python 2 wrote (3L, 4L)
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  const std::string& path_;
  std::string_view rest_;
};

/// The product of the extents, or the largest std::size_t if it does not fit.
[[nodiscard]] inline std::size_t element_count(const std::vector<Index>& shape) {
  constexpr std::size_t most = (std::numeric_limits<std::size_t>::max)();
  std::size_t count = 1;
  if (std::find(shape.begin(), shape.end(), Index{0}) != shape.end()) return 0;
  for (const Index extent : shape) {
    const auto factor = static_cast<std::size_t>(extent);
    count = count > most / factor ? most : count * factor;
  }
  return count;
}

/// Checks the file's preamble. Returns the begin and the end of the header's text.
[[nodiscard]] inline std::pair<std::size_t, std::size_t> npy_header_range(const std::string& path,
                                                                          std::string_view bytes) {
  constexpr std::size_t version_at = npy_magic.size();
  constexpr std::size_t length_at = version_at + 2;
  if (!bytes.starts_with(npy_magic)) file_fail(path, "is not in .npy format: wrong first bytes");
  const auto byte = [&](std::size_t at) {
    if (at >= bytes.size())
      file_fail(path, "truncated .npy header: the file ends after ", bytes.size(), " bytes");
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  const std::size_t major = byte(version_at), minor = byte(version_at + 1);
  if (major < 1 || major > 3 || minor != 0)
    file_fail(path, "unknown .npy version ", major, ".", minor, "; known are 1.0, 2.0 and 3.0");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length * 256 + byte(length_at + i);
  const std::size_t begin = length_at + length_bytes;
  if (length > bytes.size() - begin)
    file_fail(path, "truncated .npy header: expected ", length, " bytes, found ",
              bytes.size() - begin);
  return {begin, begin + length};
}

/// Converts the elements to this machine's byte order, and truth values to 0 or 1.
inline void normalize_elements(NpyArray& array) {
  const NpyType type = array.header.type;
  char* const first = array.bytes.data() + array.data_begin;
  if (type.swapped)
    for (std::size_t i = 0; i < array.count; ++i)
      std::reverse(first + i * type.size, first + (i + 1) * type.size);
  if (type.kind == 'b')
    std::transform(first, first + array.count, first,
                   [](char stored) { return static_cast<char>(stored != 0); });
}

/// The description of the array, without its elements, for a file of \p size bytes that starts with
/// \p beginning.
/// Throws FileError unless the file has the length that its header implies.
[[nodiscard]] inline NpyArray npy_layout(const std::string& path, std::string_view beginning,
                                         std::size_t size) {
  NpyArray array;
  const auto [begin, end] = npy_header_range(path, beginning);
  array.header = NpyHeaderParser(path, beginning.substr(begin, end - begin)).parse();
  array.data_begin = end;
  array.count = element_count(array.header.shape);
  const std::size_t element = array.header.type.size, found = size - end;
  if (array.count > (std::numeric_limits<std::size_t>::max)() / element)
    file_fail(path, "impossible shape: the elements do not fit in memory; the file has ", found,
              " bytes of them");
  if (found != array.count * element)
    file_fail(path, found < array.count * element ? "truncated" : "too long", ": expected ",
              array.count * element, " bytes of elements, found ", found);
  return array;
}

/// The array in the bytes of a .npy file, of any shape.
/// Throws FileError unless they have the length that their header implies.
[[nodiscard]] inline NpyArray npy_array(const std::string& path, std::string bytes) {
  NpyArray array = npy_layout(path, bytes, bytes.size());
  array.bytes = std::move(bytes);
  normalize_elements(array);
  return array;
}

[[nodiscard]] inline NpyArray read_npy_array(const std::string& path) {
  return npy_array(path, io::read_file(path));
}

/// The elements of an array in the type in which they are stored (half precision as float).
template <class Stored>
class NpyElements {
 public:
  explicit NpyElements(const NpyArray& array) : first_(array.bytes.data() + array.data_begin) {}

  [[nodiscard]] auto operator[](std::size_t i) const {
    Stored value;
    std::memcpy(&value, first_ + i * sizeof(Stored), sizeof(Stored));
    if constexpr (std::is_same_v<Stored, Eigen::half>)
      return static_cast<float>(value);
    else
      return value;
  }

 private:
  const char* first_;
};

/// Calls \p visitor with the array's NpyElements.
template <class Visitor>
auto visit_elements(const NpyArray& array, Visitor&& visitor) {
  const auto [kind, size, swapped] = array.header.type;
  const auto visit = [&]<class Stored>() { return visitor(NpyElements<Stored>(array)); };
  if (kind == 'f') {
    if (size == 2) return visit.template operator()<Eigen::half>();
    if (size == 4) return visit.template operator()<float>();
    return visit.template operator()<double>();
  }
  if (kind == 'i') {
    if (size == 1) return visit.template operator()<std::int8_t>();
    if (size == 2) return visit.template operator()<std::int16_t>();
    if (size == 4) return visit.template operator()<std::int32_t>();
    return visit.template operator()<std::int64_t>();
  }
  if (size == 1) return visit.template operator()<std::uint8_t>();  // also truth values
  if (size == 2) return visit.template operator()<std::uint16_t>();
  if (size == 4) return visit.template operator()<std::uint32_t>();
  return visit.template operator()<std::uint64_t>();
}

/// The shape as Python writes it.
[[nodiscard]] inline std::string shape_text(const std::vector<Index>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + to_text(shape[i]);
  return text += shape.size() == 1 ? ",)" : ")";
}

/// The number of rows and columns of an array with two dimensions, or n x 1 for an array with one.
/// Throws FileError for any other number of dimensions.
[[nodiscard]] inline std::pair<Index, Index> matrix_extents(const std::string& path,
                                                            const std::vector<Index>& shape) {
  if (shape.empty() || shape.size() > 2)
    file_fail(path, "the array has ", shape.size(), " dimensions, shape ", shape_text(shape),
              "; samples need 1 or 2");
  return {shape[0], shape.size() == 2 ? shape[1] : 1};
}

/// Throws FileError for samples without rows or columns.
inline void require_samples(const std::string& path, Index rows, Index columns) {
  if (rows == 0 || columns == 0)
    file_fail(path, rows == 0 ? "has no samples" : "has no columns", ": the matrix is ", rows,
              " x ", columns);
}

}  // namespace mercer::detail

#endif  // MERCER_IO_NPY_NPY_FORMAT_HPP
