// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Including this header in one source file lets the whole program read ".gz" files. Needs zlib.

#ifndef MERCER_IO_GZIP_HPP
#define MERCER_IO_GZIP_HPP

#if !__has_include(<zlib.h>)
#error "mercer/io/gzip.hpp needs zlib (Debian package: zlib1g-dev)"
#endif

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include <zlib.h>

#include <mercer/io/expansion_limit.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/gunzip_hook.hpp>

namespace mercer::detail {

/// zlib's state for one compressed stream.
class InflateStream {
 public:
  /// What is in front of the compressed data: the header of gzip, or nothing.
  enum class Header : int { Gzip = 16 + MAX_WBITS, None = -MAX_WBITS };

  explicit InflateStream(Header header) {
    if (inflateInit2(&stream_, static_cast<int>(header)) != Z_OK) throw std::bad_alloc();
  }
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;
  ~InflateStream() { inflateEnd(&stream_); }

  void restart() { inflateReset(&stream_); }

  /// Decompresses from \p input into the free part of \p output. Removes the bytes that were used
  /// from \p input and adds the number of new bytes to \p made. Returns zlib's code.
  int step(std::string_view& input, std::string& output, std::size_t& made) {
    constexpr std::size_t most = std::size_t{1} << 30;  // zlib counts with 32 bits
    const std::size_t offered = (std::min)(input.size(), most);
    const std::size_t free = (std::min)(output.size() - made, most);
    // zlib asks for a pointer to non-const but does not write through it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(offered);
    stream_.next_out = reinterpret_cast<Bytef*>(output.data() + made);
    stream_.avail_out = static_cast<uInt>(free);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    input.remove_prefix(offered - stream_.avail_in);
    made += free - stream_.avail_out;
    return code;
  }

  [[nodiscard]] std::string_view message() const {
    return stream_.msg != nullptr ? stream_.msg : "unknown compression";
  }

 private:
  z_stream stream_{};
};

/// So many bytes are set aside for a gzip file at first: what it says that it becomes, and a byte
/// more, so that the end is seen at once. A file may say anything, and speaks of its last member
/// alone, so the size of what is stored bounds this. \p most is the most that it may become.
/// Source: RFC 1952, section 2.3.1.
[[nodiscard]] inline std::size_t first_gunzip_size(std::string_view compressed, std::size_t most) {
  constexpr std::size_t least = std::size_t{1} << 16, usual_ratio = 8;
  const std::size_t stored = compressed.size();
  std::size_t told = 0;
  for (std::size_t i = 1; i <= (std::min)(stored, std::size_t{4}); ++i)
    told = told << 8U | static_cast<unsigned char>(compressed[stored - i]);
  const std::size_t wanted =
      (std::max)({least, stored + stored / 4, (std::min)(told, usual_ratio * stored) + 1});
  return (std::min)(wanted, most + 1);
}

/// Decompresses all members of a gzip file. Zero bytes after the last member are padding.
/// Throws FileError for a damaged file, and for one that becomes more than io::expansion_limit().
[[nodiscard]] inline std::string gunzip(const std::string& path, std::string_view compressed) {
  constexpr std::string_view magic = "\x1f\x8b";
  if (!compressed.starts_with(magic)) file_fail(path, "is not in gzip format");
  const std::size_t stored = compressed.size();
  InflateStream stream(InflateStream::Header::Gzip);
  const std::size_t most =
      (std::min)(io::expansion_limit(), (std::numeric_limits<std::size_t>::max)() - 1);
  std::string bytes(first_gunzip_size(compressed, most), '\0');
  std::size_t made = 0;
  for (;;) {
    if (made == bytes.size()) bytes.resize((std::min)(2 * made, most + 1));
    const int code = stream.step(compressed, bytes, made);
    if (made > most) refuse_expansion(path, most);
    if (code == Z_STREAM_END) {
      if (!compressed.starts_with(magic)) break;
      stream.restart();
    } else if (code == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      file_fail(path, "damaged gzip data before byte ", stored - compressed.size(), ": ",
                stream.message());
    } else if (compressed.empty() && made < bytes.size()) {
      file_fail(path, "truncated gzip data: the file ends after ", stored,
                " bytes, inside the compressed stream");
    }
  }
  if (compressed.find_first_not_of('\0') != std::string_view::npos)
    file_fail(path, "damaged gzip data: ", compressed.size(), " bytes after the end of the stream");
  bytes.resize(made);
  return bytes;
}

/// Decompresses deflated data without a header, which must become \p size bytes.
[[nodiscard]] inline std::string inflate_exactly(const std::string& path,
                                                 std::string_view compressed, std::size_t size) {
  if (const std::size_t most = io::expansion_limit(); size > most) refuse_expansion(path, most);
  InflateStream stream(InflateStream::Header::None);
  // One byte more than expected, so that more is noticed. What is promised need not be true.
  std::string bytes((std::min)(size + 1, 4 * compressed.size() + (std::size_t{1} << 16)), '\0');
  std::size_t made = 0;
  for (;;) {
    if (made == bytes.size() && made <= size) bytes.resize((std::min)(size + 1, 2 * made));
    const int code = stream.step(compressed, bytes, made);
    if (code == Z_STREAM_END) break;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    const bool stuck = compressed.empty() && made < bytes.size();
    if ((code != Z_OK && code != Z_BUF_ERROR) || stuck || made > size)
      file_fail(path, "damaged compressed data: ",
                made > size ? std::string_view("longer than its directory says")
                : stuck     ? std::string_view("it ends too early")
                            : stream.message());
  }
  if (made != size || !compressed.empty())
    file_fail(path, "damaged compressed data: expected ", size, " bytes, found ", made);
  bytes.resize(made);
  return bytes;
}

[[maybe_unused]] inline const bool gunzip_registered =
    (gunzip_function.store(&gunzip), inflate_function.store(&inflate_exactly), true);

}  // namespace mercer::detail

#endif  // MERCER_IO_GZIP_HPP
