// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Matrices in NumPy's .npz files: ZIP archives of .npy files, stored or deflated.
///
/// Source: PKWARE, .ZIP File Format Specification, version 6.3.10, sections 4.3 and 4.5.3.

#ifndef MERCER_IO_NPY_NPZ_HPP
#define MERCER_IO_NPY_NPZ_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/suggestion.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/checksum.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/gunzip_hook.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_format.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace detail {

/// One file in a ZIP archive, as its central directory describes it.
struct ZipEntry {
  std::string name;
  std::uint64_t flags = 0, method = 0, checksum = 0, stored = 0, size = 0, header = 0;
};

inline constexpr std::string_view array_ending = ".npy";

[[nodiscard]] inline std::string name_of_array(const ZipEntry& entry) {
  return entry.name.substr(0, entry.name.size() - array_ending.size());
}

/// Reads a ZIP archive in memory. All numbers in it are checked against its size.
class ZipReader {
 public:
  ZipReader(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {
    read_directory();
  }

  /// The names of the arrays, without ".npy".
  [[nodiscard]] std::vector<std::string> arrays() const {
    std::vector<std::string> names;
    for (const ZipEntry& entry : entries_)
      if (entry.name.ends_with(array_ending)) names.push_back(name_of_array(entry));
    return names;
  }

  /// The array of a name, with or without ".npy"; null if there is none.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const {
    for (const ZipEntry& entry : entries_)
      if (entry.name.ends_with(array_ending) &&
          (name == entry.name || name == name_of_array(entry)))
        return &entry;
    return nullptr;
  }

  /// The content of a file, decompressed.
  /// Throws io::FileError if it is damaged, encrypted, or compressed in an unknown way.
  [[nodiscard]] std::string content(const ZipEntry& entry) const {
    if ((entry.flags & 1U) != 0) fail_at(entry.name, "is encrypted");
    constexpr std::size_t fixed = 30;
    const std::size_t header = static_cast<std::size_t>(entry.header);
    if (part(header, 4) != "PK\3\4") fail_at(entry.name, "has no local header");
    const std::size_t begin = header + fixed + number(header + 26, 2) + number(header + 28, 2);
    const std::string_view stored = part(begin, entry.stored);
    std::string content;
    if (entry.method == 0) {
      if (entry.stored != entry.size) fail_at(entry.name, "is stored in two sizes");
      content = stored;
    } else if (entry.method == 8) {
      content = decompressed(entry, stored);
    } else {
      fail_at(entry.name, "is compressed by method " + std::to_string(entry.method) +
                              "; known are 0 (stored) and 8 (deflate)");
    }
    if (crc32(content) != entry.checksum) fail_at(entry.name, "is damaged: wrong checksum");
    return content;
  }

 private:
  static constexpr std::size_t end_size = 22, entry_size = 46;
  static constexpr std::uint64_t in_extra = 0xffffffffU;  // the number is in a ZIP64 field

  [[noreturn]] void fail_at(const std::string& name, const std::string& what) const {
    file_fail(path_, in_quotes(name), " ", what);
  }

  /// So many bytes of the archive.
  [[nodiscard]] std::string_view part(std::uint64_t begin, std::uint64_t size) const {
    if (begin > bytes_.size() || size > bytes_.size() - begin)
      file_fail(path_, "damaged or truncated .npz file: ", size, " bytes at ", begin, " of ",
                bytes_.size());
    return bytes_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
  }

  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::size_t size) const {
    const std::string_view bytes = part(at, size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  /// Where the record at the end begins; a comment of up to 65535 bytes may follow it.
  [[nodiscard]] std::size_t find_end() const {
    const std::size_t at = bytes_.rfind("PK\5\6");
    if (!bytes_.starts_with("PK") || at == std::string_view::npos || bytes_.size() - at < end_size)
      file_fail(path_, "is not in .npz format, or is truncated: no ZIP directory at its end");
    return at;
  }

  void read_directory() {
    const std::size_t end = find_end();
    std::uint64_t count = number(end + 10, 2), at = number(end + 16, 4);
    if (end >= 20 && part(end - 20, 4) == "PK\6\7") {  // ZIP64
      const std::uint64_t record = number(end - 12, 8);
      if (part(record, 4) != "PK\6\6") file_fail(path_, "damaged .npz file: no ZIP64 record");
      count = number(record + 32, 8);
      at = number(record + 48, 8);
    }
    if (count > bytes_.size() / entry_size)
      file_fail(path_, "damaged .npz file: ", count, " entries in ", bytes_.size(), " bytes");
    for (; count > 0; --count) at = read_entry(at);
  }

  /// Returns where the next one begins.
  [[nodiscard]] std::uint64_t read_entry(std::uint64_t at) {
    if (part(at, 4) != "PK\1\2") file_fail(path_, "damaged .npz file: no entry at byte ", at);
    ZipEntry entry;
    entry.flags = number(at + 8, 2);
    entry.method = number(at + 10, 2);
    entry.checksum = number(at + 16, 4);
    entry.stored = number(at + 20, 4);
    entry.size = number(at + 24, 4);
    entry.header = number(at + 42, 4);
    const std::uint64_t name = number(at + 28, 2), extra = number(at + 30, 2);
    entry.name = part(at + entry_size, name);
    const std::uint64_t begin = at + entry_size + name;
    for (std::uint64_t field = begin; field + 4 <= begin + extra;) {
      if (number(field, 2) == 1) take_zip64(field, entry);
      field += 4 + number(field + 2, 2);
    }
    entries_.push_back(std::move(entry));
    return begin + extra + number(at + 32, 2);
  }

  void take_zip64(std::uint64_t field, ZipEntry& entry) const {
    const std::uint64_t end = field + 4 + number(field + 2, 2);
    std::uint64_t at = field + 4;
    for (std::uint64_t* const value : {&entry.size, &entry.stored, &entry.header})
      if (*value == in_extra && at + 8 <= end) {
        *value = number(at, 8);
        at += 8;
      }
  }

  [[nodiscard]] std::string decompressed(const ZipEntry& entry, std::string_view stored) const {
    const Inflate function = inflate_function.load();
    if (function == nullptr)
      fail_at(entry.name,
              "is compressed, and decompression is not switched on in this program: include "
              "<mercer/io/gzip.hpp> and link zlib (CMake: mercer::zlib)");
    // Deflate makes at most 1032 bytes of one.
    if (entry.size / 1032 > stored.size() + 1)
      fail_at(entry.name, "cannot have " + std::to_string(entry.size) + " bytes, made of " +
                              std::to_string(stored.size()));
    return function(path_, stored, static_cast<std::size_t>(entry.size));
  }

  const std::string& path_;
  std::string_view bytes_;
  std::vector<ZipEntry> entries_;
};

/// The array of this name in an archive; without a name, the only one.
[[nodiscard]] inline NpyArray npz_array(const std::string& path, const ZipReader& zip,
                                        const std::string& name) {
  const std::vector<std::string> names = zip.arrays();
  if (names.empty()) file_fail(path, "holds no array");
  const ZipEntry* const entry = zip.find(name.empty() ? names.front() : name);
  if (entry != nullptr && (!name.empty() || names.size() == 1))
    return npy_array(path + ":" + name_of_array(*entry), zip.content(*entry));
  std::string known;
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  if (name.empty())
    file_fail(path, "holds several arrays, ", known, "; name one, as in ", path, ":",
              names.front());
  file_fail(path, "holds no array ", in_quotes(name), "; there is ", known,
            did_you_mean(name, names));
}

}  // namespace detail

namespace io {

/// Reads a matrix from a .npz file: the array of the name in "file.npz:name". Without a name, the
/// file must have one array only. Sparse matrices of SciPy are read by read_samples().
///
/// Arrays that NumPy has compressed (savez_compressed) need zlib, as .gz files do: see read_file().
/// Memory: the file's content and the array, beside the matrix.
/// Throws FileError if the file cannot be read, is damaged or encrypted, or has no such array, and
///   for what read_npy() refuses.
template <Real Scalar>
[[nodiscard]] Matrix<Scalar> read_npz(const std::string& path) {
  const auto [file, name] = detail::file_and_array(path);
  const std::string bytes = read_file(file);
  return detail::to_matrix<Scalar>(path,
                                   detail::npz_array(file, detail::ZipReader(file, bytes), name));
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_NPY_NPZ_HPP
