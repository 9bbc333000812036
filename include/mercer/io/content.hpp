// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the content of a file tells of its format, where its name does not.

#ifndef MERCER_IO_CONTENT_HPP
#define MERCER_IO_CONTENT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

/// Whether the extension is that of a table in text.
[[nodiscard]] inline bool is_table(std::string_view format) {
  return format == ".csv" || format == ".tsv" || format == ".txt" || format == ".dat";
}

inline constexpr std::string_view known_formats =
    ".npy, .npz, .csv, .tsv, .txt, .dat, .mtx, .svm and .libsvm, each also with .gz, and .h5 and "
    ".hdf5";

[[nodiscard]] inline bool is_hdf5(std::string_view format) {
  return format == ".h5" || format == ".hdf5";
}

[[nodiscard]] inline bool is_libsvm(std::string_view format) {
  return format == ".svm" || format == ".libsvm";
}

/// Whether the extension is that of a format that is read.
[[nodiscard]] inline bool is_known_format(std::string_view format) {
  return is_table(format) || is_libsvm(format) || is_hdf5(format) || format == ".npy" ||
         format == ".npz" || format == ".mtx";
}

/// A format that the first bytes of a file tell.
struct BinaryFormat {
  std::string_view magic;
  std::string_view extension;  ///< empty if it is not read
  std::string_view name;
  std::string_view advice;  ///< if it is not read
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";
inline constexpr std::string_view gzip_magic = "\x1f\x8b";

inline constexpr std::array<BinaryFormat, 12> binary_formats = {{
    {npy_magic, ".npy", "a NumPy array", ""},
    {"PK\3\4", ".npz", "a ZIP archive", ""},
    {"PK\5\6", ".npz", "a ZIP archive", ""},
    {"\x89HDF", ".h5", "an HDF5 file", ""},
    {gzip_magic, ".gz", "a file that gzip has compressed", ""},
    {"PAR1", "", "a Parquet file",
     "convert it: python3 -c \"import pandas; pandas.read_parquet('FILE').to_csv('FILE.csv', "
     "index=False)\""},
    {"ARROW1", "", "an Arrow or Feather file",
     "convert it: python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('FILE.csv', "
     "index=False)\""},
    {"FEA1", "", "a Feather file",
     "convert it: python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('FILE.csv', "
     "index=False)\""},
    {"\xff\xff\xff\xff", "", "a stream of Arrow",
     "convert it: python3 -c \"import pyarrow.ipc; pyarrow.ipc.open_stream('FILE').read_pandas()"
     ".to_csv('FILE.csv', index=False)\""},
    {"\xd0\xcf\x11\xe0", "", "an Excel workbook", "save it as CSV"},
    {"\x28\xb5\x2f\xfd", "", "a file that zstd has compressed", "decompress it"},
    {"\xfd\x37zXZ", "", "a file that xz has compressed", "decompress it"},
}};

inline constexpr BinaryFormat zip_archive = {"", "", "a ZIP archive", "unpack it"};
inline constexpr BinaryFormat workbook = {"", "", "an Excel workbook", "save it as CSV"};

/// Whether the beginning of a file looks like text in lines: no control characters but those of
/// white space.
[[nodiscard]] inline bool starts_like_text(std::string_view bytes) {
  constexpr std::size_t looked_at = 4096;
  const std::string_view start = bytes.substr(0, looked_at);
  return std::none_of(start.begin(), start.end(), [](char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return code < 0x20 && (code < 0x09 || code > 0x0d);
  });
}

/// Whether a text starts as one in UTF-16 does.
[[nodiscard]] inline bool has_utf16_mark(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

/// Whether bytes look like letters in UTF-16: with its mark, or with about as many zero bytes.
[[nodiscard]] inline bool looks_like_utf16(std::string_view text) {
  if (has_utf16_mark(text)) return true;
  constexpr std::size_t looked_at = 64;
  std::string letters(text.substr(0, looked_at));
  const std::size_t size = letters.size();
  letters.erase(std::remove(letters.begin(), letters.end(), '\0'), letters.end());
  return 3 * (size - letters.size()) > size && starts_like_text(letters);
}

/// The format with these first bytes, which may be text as well; null if there is none.
[[nodiscard]] inline const BinaryFormat* format_of_magic(std::string_view bytes) {
  for (const BinaryFormat& format : binary_formats)
    if (bytes.starts_with(format.magic)) return &format;
  return nullptr;
}

/// The format that the first bytes of a file tell; null if they tell none. A ZIP archive may be a
/// .npz file, an Excel workbook or any other one, which the name of its first member tells.
[[nodiscard]] inline const BinaryFormat* binary_format(std::string_view bytes) {
  const BinaryFormat* const found = format_of_magic(bytes);
  // A table may have a column PAR1.
  if (found == nullptr || starts_like_text(bytes)) return nullptr;
  // Offsets of a local file header, see the source in npz.hpp.
  constexpr std::size_t size_at = 26, name_at = 30;
  if (!bytes.starts_with("PK\3\4") || bytes.size() < name_at) return found;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(bytes[i])};
  };
  const std::string_view name = bytes.substr(name_at, byte(size_at) + 256 * byte(size_at + 1));
  if (name.ends_with(".npy")) return found;
  for (const std::string_view part : {"[Content_Types].xml", "_rels/", "docProps/", "xl/"})
    if (name.starts_with(part)) return &workbook;
  return &zip_archive;
}

/// Whether a word is an index and a value, as in LIBSVM's format.
[[nodiscard]] inline bool is_libsvm_entry(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  double value = 0;
  return word.find_first_not_of("0123456789") == colon &&
         parse_number(word.substr(colon + 1), value) != NumberError::NotANumber;
}

/// Whether a word is the number of a query, as LIBSVM's format may have it before the entries.
[[nodiscard]] inline bool is_libsvm_query(std::string_view word) {
  constexpr std::string_view mark = "qid:";
  return word.starts_with(mark) && word.size() > mark.size() &&
         word.find_first_not_of("0123456789", mark.size()) == std::string_view::npos;
}

/// The extension of the format that these bytes have, for a file whose name does not tell. What is
/// not known by its first bytes is a table, or LIBSVM if the second word is an index and a value,
/// or the number of a query: that of the first line that has two, since samples may have no
/// entries.
/// Throws io::FileError for what is not read: formats that are known as such, and all else that is
/// no text.
[[nodiscard]] inline std::string format_of_content(const std::string& path,
                                                   std::string_view bytes) {
  if (const BinaryFormat* const format = binary_format(bytes)) {
    if (format->extension.empty())
      file_fail(path, "is ", format->name, ", which mercer does not read; ", format->advice);
    return std::string(format->extension);
  }
  if (bytes.starts_with("%%MatrixMarket")) return ".mtx";
  if (!starts_like_text(bytes) && !looks_like_utf16(bytes))
    file_fail(path, "is no text, and none of the binary formats that mercer reads; known are ",
              known_formats);
  while (!bytes.empty()) {
    std::string_view line = take_line(bytes);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.find_first_of(" \t") == std::string_view::npos) continue;
    const std::string second = split_blanks(line)[1];
    return is_libsvm_entry(second) || is_libsvm_query(second) ? ".svm" : ".csv";
  }
  return ".csv";
}

/// The extension of the format of a file: that of its name if it is a known one, or what its bytes
/// tell, which are decompressed then. Of a name of HDF5's, no bytes are needed.
/// Throws as format_of_content().
[[nodiscard]] inline std::string format_of_file(const std::string& path, std::string& bytes) {
  std::string format = format_extension(path);
  if (is_known_format(format)) return format;
  if (bytes.starts_with(gzip_magic)) bytes = unpacked(path, bytes);
  return format_of_content(path, bytes);
}

/// Throws io::FileError if the first line is none: of what is no text though its name says so, of
/// UTF-16, and of lines that end in CR alone. Else all of the file would be one line, in messages
/// too.
inline void require_lines_of_text(const std::string& path, std::string_view text) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (const BinaryFormat* const format = binary_format(text))
    file_fail(
        path, "is no text, but ", format->name,
        format->extension.empty() ? ", which mercer does not read; " : "; its name must end in ",
        format->extension.empty() ? format->advice : format->extension);
  if (has_utf16_mark(text) || first.find('\0') != std::string_view::npos)
    file_fail(path, looks_like_utf16(text)
                        ? "has zero bytes between its letters, as UTF-16 has; save it as UTF-8"
                        : "is no text: it has zero bytes");
  if (first.substr(0, first.size() - (first.ends_with('\r') ? 1 : 0)).find('\r') !=
      std::string_view::npos)
    file_fail(path, "its lines end in CR alone, not in LF or CR LF; save it with other line ends");
}

}  // namespace mercer::detail

#endif  // MERCER_IO_CONTENT_HPP
