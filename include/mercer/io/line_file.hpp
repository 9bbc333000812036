// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Text files that are read in parts, cut at the ends of lines.

#ifndef MERCER_IO_LINE_FILE_HPP
#define MERCER_IO_LINE_FILE_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <mercer/core/types.hpp>
#include <mercer/io/delimited.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/file_system.hpp>
#include <mercer/io/text.hpp>

namespace mercer::detail {

/// The lines of a text file by their places in it, in bytes. A byte-order mark and blank lines at
/// the end are left out.
/// Throws FileError if the file cannot be read.
class LineFile {
 public:
  explicit LineFile(std::string path) : path_(std::move(path)), file_(open_to_read(path_)) {
    end_ = static_cast<std::int64_t>(bytes_ahead(file_.get()));
    if (read(0, size_of(byte_order_mark)).starts_with(byte_order_mark))
      begin_ = size_of(byte_order_mark);
    trim_end();
  }

  /// Leaves out the lines before this place, at which one begins.
  void begin_at(std::int64_t place) { begin_ = place; }
  [[nodiscard]] std::int64_t begin() const { return begin_; }

  /// "1200 bytes", the size without blank lines at the end.
  [[nodiscard]] std::string describe_size() const { return to_text(end_) + " bytes"; }

  /// The first bytes.
  [[nodiscard]] std::string start() const { return read(begin_, begin_ + piece); }

  /// Lines from the beginning on: those of take_preamble() and two more; all if there are fewer.
  [[nodiscard]] std::string head() const {
    for (std::int64_t size = piece;; size *= 2) {
      std::string text = read(begin_, begin_ + size);
      if (begin_ + size >= end_) return text;
      text.resize(text.rfind('\n') + 1);  // whole lines; none if there is no end of one
      std::string_view rest = text;
      static_cast<void>(take_preamble(path_, rest));
      if (std::count(rest.begin(), rest.end(), '\n') >= 2) return text;
    }
  }

  /// The lines that begin in part \p index of \p count parts of equal sizes. Each line is in one.
  [[nodiscard]] std::string part(Index index, Index count) const {
    const auto place = [&](Index i) {
      // Without overflow for files of any size.
      const std::int64_t size = end_ - begin_;
      return line_at(begin_ + size / count * i + size % count * i / count);
    };
    return read(place(index), place(index + 1));
  }

 private:
  static constexpr std::int64_t piece = std::int64_t{1} << 16U;

  [[nodiscard]] static std::int64_t size_of(std::string_view text) {
    return static_cast<std::int64_t>(text.size());
  }

  /// The bytes in [from, to), as far as there are so many.
  [[nodiscard]] std::string read(std::int64_t from, std::int64_t to) const {
    to = (std::min)(to, end_);
    std::string bytes(static_cast<std::size_t>((std::max)(std::int64_t{0}, to - from)), '\0');
    if (bytes.empty()) return bytes;
    errno = 0;
    if (!seek_file(file_.get(), from, SEEK_SET) ||
        std::fread(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
      file_fail(path_, "cannot read: ", system_reason(errno));
    return bytes;
  }

  void trim_end() {
    while (end_ > begin_) {
      const std::int64_t from = (std::max)(begin_, end_ - piece);
      const std::size_t last = read(from, end_).find_last_not_of(" \r\n");
      end_ = from + (last == std::string::npos ? 0 : static_cast<std::int64_t>(last) + 1);
      if (last != std::string::npos) return;
    }
  }

  /// Where the first line begins that does so at this place or after it.
  [[nodiscard]] std::int64_t line_at(std::int64_t place) const {
    if (place <= begin_) return begin_;
    for (std::int64_t from = place - 1; from < end_; from += piece) {
      const std::size_t found = read(from, from + piece).find('\n');
      if (found != std::string::npos) return from + static_cast<std::int64_t>(found) + 1;
    }
    return end_;
  }

  std::string path_;
  FileHandle file_;
  std::int64_t begin_ = 0, end_ = 0;
};

/// The number of lines of a text.
[[nodiscard]] inline Index count_lines(std::string_view text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return static_cast<Index>(ends) + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace mercer::detail

#endif  // MERCER_IO_LINE_FILE_HPP
