// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A stream over the rows of a .npy file. The file is never in memory as a whole.

#ifndef MERCER_IO_NPY_NPY_STREAM_HPP
#define MERCER_IO_NPY_NPY_STREAM_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/streams/sample_stream.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file.hpp>
#include <mercer/io/file_system.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_format.hpp>

namespace mercer::io {

/// The rows of a .npy file, read piece by piece when they are needed. The file may have every
/// element type and storage order that read_npy() accepts. It must not change while it is read.
/// Models SeekableStream.
/// \code
///   io::NpyStream<double> samples("large.npy");
///   const auto model = KernelPca{Gaussian{1.5}, FeaturePca{RandomFourier{}}}.fit(samples);
/// \endcode
/// Cost: each row is read from the file once. In C order, a batch is one read. In Fortran order,
///   there is one read for each column, and these reads get longer as long as the batches are in
///   order.
/// Memory: one batch in its stored form; in Fortran order up to 16 MiB if that is more.
/// Throws FileError if the file cannot be read, is damaged, is compressed, or holds something else.
template <Real S>
class NpyStream : public RowCursor {
 public:
  using Scalar = S;

  /// Opens the file and reads its header.
  explicit NpyStream(const std::string& path) : NpyStream(path, open(path)) {}

  [[nodiscard]] Index dimension() const { return columns_; }
  [[nodiscard]] const std::string& name() const { return path_; }

  [[nodiscard]] Index read(GramOut<S> out) {
    MERCER_ASSERT(out.cols() == columns_);
    const Index first = position().row, count = rows_ahead(out.rows());
    if (count == 0 || columns_ == 0) return advance(count);
    if (first < begin_ || first + count > begin_ + height_) load(first, count);
    detail::copy_elements<S>(piece_, height_, first - begin_, out.topRows(count));
    return advance(count);
  }

 private:
  struct Opened {
    detail::FileHandle file;
    detail::NpyArray layout;
    Index rows, columns;
  };

  [[nodiscard]] static Opened open(const std::string& path) {
    if (detail::ends_with_gz(path))
      detail::file_fail(path, "cannot be read in pieces: it is compressed");
    Opened opened{detail::open_to_read(path), {}, 0, 0};
    std::FILE* const file = opened.file.get();
    // Reads are large. A buffer of the C library would only copy the data once more, and every seek
    // would discard it.
    std::setvbuf(file, nullptr, _IONBF, 0);
    const std::size_t size = detail::bytes_ahead(file);
    constexpr std::size_t largest_header = std::size_t{1} << 20;
    std::string beginning((std::min)(size, largest_header), '\0');
    errno = 0;
    beginning.resize(std::fread(beginning.data(), 1, beginning.size(), file));
    if (std::ferror(file) != 0)
      detail::file_fail(path, "cannot read: ", detail::system_reason(errno));
    opened.layout = detail::npy_layout(path, beginning, size);
    std::tie(opened.rows, opened.columns) =
        detail::matrix_extents(path, opened.layout.header.shape);
    return opened;
  }

  NpyStream(const std::string& path, Opened opened)
      : RowCursor(opened.rows),
        path_(path),
        file_(std::move(opened.file)),
        data_begin_(opened.layout.data_begin),
        columns_(opened.columns),
        piece_(std::move(opened.layout)) {
    piece_.data_begin = 0;
  }

  [[nodiscard]] std::size_t element_size() const { return piece_.header.type.size; }

  /// Reads \p count rows from \p first on. In Fortran order, while batches are in order, it reads
  /// more rows ahead: twice as many each time. So at most half of the rows are read in vain when
  /// the order ends.
  void load(Index first, Index count) {
    Index height = count;
    if (piece_.header.fortran_order && begin_ < first && first <= begin_ + height_) {
      constexpr Index most_bytes = Index{16} << 20;
      const Index most = most_bytes / (columns_ * static_cast<Index>(element_size()));
      height = (std::max)(count, (std::min)(2 * height_, most) / count * count);
    }
    height = (std::min)(height, rows() - first);
    height_ = 0;  // so that no rows count as read if reading fails
    piece_.count = static_cast<std::size_t>(height * columns_);
    piece_.bytes.resize(piece_.count * element_size());
    if (piece_.header.fortran_order) {
      const std::size_t bytes = static_cast<std::size_t>(height) * element_size();
      for (Index j = 0; j < columns_; ++j)
        read_bytes(j * rows() + first, static_cast<std::size_t>(j) * bytes, bytes);
    } else {
      read_bytes(first * columns_, 0, piece_.bytes.size());
    }
    detail::normalize_elements(piece_);
    begin_ = first;
    height_ = height;
  }

  /// Reads \p count bytes into the piece, at its byte \p to. They start at element number
  /// \p element of the file.
  void read_bytes(Index element, std::size_t to, std::size_t count) {
    const std::size_t at = data_begin_ + static_cast<std::size_t>(element) * element_size();
    errno = 0;
    if (!detail::seek_file(file_.get(), static_cast<std::int64_t>(at), SEEK_SET) ||
        std::fread(piece_.bytes.data() + to, 1, count, file_.get()) != count)
      detail::file_fail(path_, "cannot read ", count, " bytes at byte ", at, ": ",
                        errno != 0 ? detail::system_reason(errno) : "the file has become shorter");
  }

  std::string path_;
  detail::FileHandle file_;
  std::size_t data_begin_;
  Index columns_;
  detail::NpyArray piece_;  // rows as stored in the file: height_ rows from row begin_ on
  Index begin_ = 0;
  Index height_ = 0;
};

}  // namespace mercer::io

#endif  // MERCER_IO_NPY_NPY_STREAM_HPP
