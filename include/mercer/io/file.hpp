// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reads and writes whole files: errors name the path, .gz files are decompressed, writing is
/// atomic.

#ifndef MERCER_IO_FILE_HPP
#define MERCER_IO_FILE_HPP

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/file_system.hpp>
#include <mercer/io/gunzip_hook.hpp>
#include <mercer/io/temporary_file.hpp>
#if defined(MERCER_HAS_ZLIB)  // set by the CMake target mercer::zlib
#include <mercer/io/gzip.hpp>
#endif

namespace mercer {
namespace detail {

[[nodiscard]] inline std::string system_reason(int error) {
  return std::generic_category().message(error != 0 ? error : EIO);
}

/// The number of bytes from the current position to the end; 0 if the file cannot tell (a pipe).
[[nodiscard]] inline std::size_t bytes_ahead(std::FILE* file) {
  const std::int64_t here = file_position(file);
  if (here < 0 || !seek_file(file, 0, SEEK_END)) return 0;
  const std::int64_t end = file_position(file);
  if (!seek_file(file, here, SEEK_SET) || end < here) return 0;
  return static_cast<std::size_t>(end - here);
}

/// The bytes of an open file from where it stands. \p path is for messages.
[[nodiscard]] inline std::string read_rest(std::FILE* file, const std::string& path) {
  std::string bytes(std::size_t{1} << 16, '\0');
  std::size_t size = 0;
  for (;;) {
    errno = 0;
    size += std::fread(bytes.data() + size, 1, bytes.size() - size, file);
    if (std::ferror(file) != 0) file_fail(path, "cannot read: ", system_reason(errno));
    if (size < bytes.size()) break;
    const std::size_t ahead = bytes_ahead(file);
    // One byte more than expected, so that the next read meets the end of the file.
    const std::size_t wanted = size + (ahead > 0 ? ahead + 1 : size);
    bytes.reserve(wanted);
    ask_for_huge_pages(bytes.data() + size, wanted - size);
    bytes.resize(wanted);
  }
  bytes.resize(size);
  return bytes;
}

/// Throws FileError with the system's reason if it cannot be opened.
[[nodiscard]] inline FileHandle open_to_read(const std::string& path) {
  FileHandle file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    // Windows says "Permission denied" of a directory.
    const int error = file_kind(path) == FileKind::Directory ? EISDIR : errno;
    file_fail(path, "cannot open for reading: ", system_reason(error));
  }
  return file;
}

/// The bytes of a file as stored, without decompression.
[[nodiscard]] inline std::string read_stored(const std::string& path) {
  const FileHandle file = open_to_read(path);
  return read_rest(file.get(), path);
}

[[nodiscard]] inline bool ends_with_gz(std::string_view path) {
  return path.ends_with(".gz") || path.ends_with(".GZ");
}

/// The extension that gives the format, in lower case with its dot. A final ".gz" is ignored. Empty
/// if there is none.
[[nodiscard]] inline std::string format_extension(std::string_view path) {
  if (ends_with_gz(path)) path.remove_suffix(3);
  path.remove_prefix(path.find_last_of("/\\") + 1);
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return {};
  std::string extension(path.substr(dot));
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char letter) {
    return 'A' <= letter && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return extension;
}

/// What gzip has made of a file.
[[nodiscard]] inline std::string unpacked(const std::string& path, std::string_view bytes) {
  const Gunzip gunzip = gunzip_function.load();
  if (gunzip == nullptr)
    file_fail(path,
              "reading .gz files is not switched on in this program: include "
              "<mercer/io/gzip.hpp> and link zlib (CMake: mercer::zlib)");
  return gunzip(path, bytes);
}

/// "file.npz:name" as the file and the name of an array, which is empty if it is not given.
[[nodiscard]] inline std::pair<std::string, std::string> file_and_array(const std::string& path) {
  for (const std::string_view mark : {".npz:", ".NPZ:", ".h5:", ".H5:", ".hdf5:", ".HDF5:"})
    if (const std::size_t at = path.find(mark); at != std::string::npos)
      return {path.substr(0, at + mark.size() - 1), path.substr(at + mark.size())};
  return {path, ""};
}

}  // namespace detail

namespace io {

/// The whole content of a file. A file whose name ends in ".gz" is decompressed.
///
/// Decompression needs zlib: link the CMake target mercer::zlib, or include <mercer/io/gzip.hpp> in
/// one source file of the program and link zlib.
/// Throws FileError with the system's reason if the file is missing, a directory or unreadable, and
///   if its compressed content is damaged.
[[nodiscard]] inline std::string read_file(const std::string& path) {
  std::string bytes = detail::read_stored(path);
  if (detail::ends_with_gz(path)) return detail::unpacked(path, bytes);
  return bytes;
}

/// A file that appears under its name complete, or not at all.
///
/// The bytes are written to a temporary file in the same directory. commit() waits until they are
/// on the disk and then renames that file. If anything fails before, or if the machine goes down,
/// an existing file with this name stays as it was. A program that is killed leaves
/// NAME.mercer-part0 (or 1, 2, ...) behind, and the next writer of NAME replaces that file. Only
/// regular files are replaced, and what replaces them has their permissions (not on Windows). If
/// the name is a link, the link is replaced, not the file it points to.
/// Throws FileError with the system's reason from every member.
class AtomicFile {
 public:
  /// Opens the temporary file. \p path is the name that the file will have.
  explicit AtomicFile(std::string path) : path_(std::move(path)) {
    if (detail::ends_with_gz(path_))
      detail::file_fail(path_, "cannot write: mercer does not write compressed files");
    require_replaceable();
    create_temporary();
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { discard(); }

  /// Appends bytes.
  void write(std::string_view bytes) {
    if (bytes.empty()) return;  // the pointer of an empty view may be null
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail_to_write();
  }

  /// Gives the file its name. Write nothing after this.
  void commit() {
    finish_writing();
    if (!detail::put_in_place(file_, temporary_, path_)) fail_to_write();
    temporary_.clear();
  }

  /// commit(), unless there is a file of this name by now: that one stays, and the result is false.
  /// Of several programs that write a new file at the same time, one succeeds.
  [[nodiscard]] bool commit_if_missing() {
    finish_writing();
    if (detail::put_in_new_place(file_, temporary_, path_)) {
      temporary_.clear();
      return true;
    }
    if (errno != EEXIST) fail_to_write();
    discard();
    return false;
  }

 private:
  void finish_writing() {
    errno = 0;
    if (std::fflush(file_.get()) != 0 || !detail::sync_file(file_.get())) fail_to_write();
  }

  void require_replaceable() const {
    switch (detail::file_kind(path_)) {
      case detail::FileKind::Missing:
      case detail::FileKind::Regular:
        return;
      case detail::FileKind::Directory:
        detail::file_fail(path_, "cannot write: ", detail::system_reason(EISDIR));
      case detail::FileKind::Other:
        detail::file_fail(path_, "cannot write: not a regular file");
    }
  }

  void create_temporary() {
    file_ = detail::open_beside(path_, temporary_);
    if (file_) return;
    const int error = errno;
    temporary_.clear();
    detail::file_fail(path_, "cannot create: ", detail::system_reason(error));
  }

  [[noreturn]] void fail_to_write() {
    const int error = errno;
    discard();
    detail::file_fail(path_, "cannot write: ", detail::system_reason(error));
  }

  void discard() noexcept {
    if (!temporary_.empty()) detail::remove_open_file(file_, temporary_);
    temporary_.clear();
    file_.reset();
  }

  std::string path_;
  std::string temporary_;  ///< empty if there is nothing to remove
  detail::FileHandle file_;
};

/// Writes a whole file atomically, with AtomicFile.
inline void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

/// Writes a whole file with AtomicFile, unless there is one of this name. Returns whether it has
/// written it.
[[nodiscard]] inline bool write_new_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  return file.commit_if_missing();
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_FILE_HPP
