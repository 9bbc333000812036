// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Whole files in and out: errors that name the path, transparent decompression, atomic writing.

#ifndef MERCER_IO_FILE_HPP
#define MERCER_IO_FILE_HPP

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <mercer/io/file_error.hpp>
#include <mercer/io/gunzip_hook.hpp>
#if defined(MERCER_HAS_ZLIB)  // by the CMake target mercer::zlib
#include <mercer/io/gzip.hpp>
#endif

namespace mercer {
namespace detail {

[[nodiscard]] inline std::string system_reason(int error) {
  return std::generic_category().message(error != 0 ? error : EIO);
}

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

/// The number of bytes from here to the end; 0 where the file cannot tell (a pipe).
[[nodiscard]] inline std::size_t bytes_ahead(std::FILE* file) {
  const long here = std::ftell(file);
  if (here < 0 || std::fseek(file, 0, SEEK_END) != 0) return 0;
  const long end = std::ftell(file);
  if (std::fseek(file, here, SEEK_SET) != 0 || end < here) return 0;
  return static_cast<std::size_t>(end - here);
}

/// The bytes of a file as they are stored.
[[nodiscard]] inline std::string read_stored(const std::string& path) {
  const FileHandle file(std::fopen(path.c_str(), "rb"));
  if (!file) file_fail(path, "cannot open for reading: ", system_reason(errno));
  std::string bytes(std::size_t{1} << 16, '\0');
  std::size_t size = 0;
  for (;;) {
    errno = 0;
    size += std::fread(bytes.data() + size, 1, bytes.size() - size, file.get());
    if (std::ferror(file.get()) != 0) file_fail(path, "cannot read: ", system_reason(errno));
    if (size < bytes.size()) break;
    const std::size_t ahead = bytes_ahead(file.get());
    // One byte more than is expected, so that the next read meets the end of the file.
    bytes.resize(size + (ahead > 0 ? ahead + 1 : size));
  }
  bytes.resize(size);
  return bytes;
}

[[nodiscard]] inline bool ends_with_gz(std::string_view path) {
  return path.ends_with(".gz") || path.ends_with(".GZ");
}

/// The extension that tells the format: lower case, with its dot, ".gz" not counted; "" if none.
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

}  // namespace detail

namespace io {

/// The whole content of a file; one whose name ends in ".gz" is decompressed.
///
/// Decompression needs zlib: link the CMake target mercer::zlib, or include <mercer/io/gzip.hpp> in
/// one source file of the program and link zlib.
/// Throws: FileError with the system's reason if the file is missing, a directory or unreadable,
/// and if its compressed content is damaged.
[[nodiscard]] inline std::string read_file(const std::string& path) {
  std::string bytes = detail::read_stored(path);
  if (!detail::ends_with_gz(path)) return bytes;
  const detail::Gunzip gunzip = detail::gunzip_function.load();
  if (gunzip == nullptr)
    detail::file_fail(path,
                      "reading .gz files is not switched on in this program: include "
                      "<mercer/io/gzip.hpp> and link zlib (CMake: mercer::zlib)");
  return gunzip(path, bytes);
}

/// A file that appears under its name complete, or not at all.
///
/// The bytes go to a temporary name in the same directory; commit() renames it. Until then, and for
/// good if anything fails, a file that was there before stays as it was. Only regular files are
/// replaced. Throws: FileError with the system's reason from every member.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path) : path_(std::move(path)) {
    if (detail::ends_with_gz(path_))
      detail::file_fail(path_, "cannot write: mercer does not write compressed files");
    require_replaceable();
    create_temporary();
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile() { discard(); }

  void write(std::string_view bytes) {
    if (bytes.empty()) return;  // its pointer may be null
    errno = 0;
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) fail_to_write();
  }

  /// Gives the file its name. Nothing may be written after.
  void commit() {
    errno = 0;
    if (std::fflush(file_.get()) != 0 || std::fclose(file_.release()) != 0) fail_to_write();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail_to_write();
    temporary_.clear();
  }

 private:
  void require_replaceable() const {
    struct stat status {};
    if (::stat(path_.c_str(), &status) != 0) return;
    const auto type = status.st_mode & S_IFMT;
    if (type == S_IFDIR) detail::file_fail(path_, "cannot write: ", detail::system_reason(EISDIR));
    if (type != S_IFREG) detail::file_fail(path_, "cannot write: not a regular file");
  }

  void create_temporary() {
    constexpr int attempts = 1000;  // names left behind by programs that were killed
    for (int attempt = 0; attempt < attempts; ++attempt) {
      temporary_ = path_ + ".part" + detail::to_text(attempt);
      file_.reset(std::fopen(temporary_.c_str(), "wbx"));
      if (file_) return;
      if (errno != EEXIST) break;
    }
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
    file_.reset();
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    temporary_.clear();
  }

  std::string path_;
  std::string temporary_;  ///< empty once there is nothing to remove
  detail::FileHandle file_;
};

/// Writes a whole file through AtomicFile.
inline void write_file(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_FILE_HPP
