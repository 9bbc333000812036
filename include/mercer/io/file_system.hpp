// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What operating systems do in different ways with files: positions beyond 2 GiB, kinds of files,
/// waiting for the disk, and putting a file in the place of another.

#ifndef MERCER_IO_FILE_SYSTEM_HPP
#define MERCER_IO_FILE_SYSTEM_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#if defined(_WIN32)
#include <io.h>

#include <system_error>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#endif

namespace mercer::detail {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

#if defined(_WIN32)
// As <windows.h> declares them, which would also bring the macros min and max.
extern "C" __declspec(dllimport) unsigned long __stdcall GetFileAttributesA(const char*);
extern "C" __declspec(dllimport) unsigned long __stdcall GetLastError();
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(const char*, const char*, unsigned long);
#endif

enum class FileKind { Missing, Regular, Directory, Other };

[[nodiscard]] inline FileKind file_kind(const std::string& path) {
#if defined(_WIN32)
  constexpr unsigned long missing = 0xffffffff, directory = 0x10, device = 0x40;
  const unsigned long attributes = GetFileAttributesA(path.c_str());
  if (attributes == missing) return FileKind::Missing;
  return (attributes & directory) != 0 ? FileKind::Directory
         : (attributes & device) != 0  ? FileKind::Other
                                       : FileKind::Regular;
#else
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return FileKind::Missing;
  const auto type = status.st_mode & S_IFMT;
  return type == S_IFREG   ? FileKind::Regular
         : type == S_IFDIR ? FileKind::Directory
                           : FileKind::Other;
#endif
}

/// Like std::fseek, for files of any size: \c long has 32 bits on Windows.
[[nodiscard]] inline bool seek_file(std::FILE* file, std::int64_t offset, int origin) {
#if defined(_WIN32)
  return ::_fseeki64(file, offset, origin) == 0;
#else
  const auto position = static_cast<off_t>(offset);
  if (position != offset) errno = EOVERFLOW;  // off_t has 32 bits on some systems
  return position == offset && ::fseeko(file, position, origin) == 0;
#endif
}

/// The position in a file; negative if it has none (a pipe).
[[nodiscard]] inline std::int64_t file_position(std::FILE* file) {
#if defined(_WIN32)
  return ::_ftelli64(file);
#else
  return ::ftello(file);
#endif
}

/// Waits until the file's bytes are on the disk. Returns false and sets errno if that fails.
[[nodiscard]] inline bool sync_file(std::FILE* file) {
#if defined(_WIN32)
  return ::_commit(::_fileno(file)) == 0;
#else
  return ::fsync(::fileno(file)) == 0;
#endif
}

#if defined(_WIN32)
/// Gives the file \p from the name \p to. Returns false and sets errno if that fails.
[[nodiscard]] inline bool move_file(const std::string& from, const std::string& to,
                                    unsigned long flags) {
  if (MoveFileExA(from.c_str(), to.c_str(), flags) != 0) return true;
  const std::error_code error(static_cast<int>(GetLastError()), std::system_category());
  const std::error_condition condition = error.default_error_condition();
  errno = condition.category() == std::generic_category() ? condition.value() : EIO;
  return false;
}
#else
/// Waits until the directory of \p path is on the disk, if the file system supports that.
inline void sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(::fsync(descriptor));
  ::close(descriptor);
}
#endif

/// Gives the open file \p from the name \p to, in one step and also if there is a file of that
/// name, and closes it. Returns false and sets errno if that fails; then \p from is still there.
[[nodiscard]] inline bool put_in_place(FileHandle& file, const std::string& from,
                                       const std::string& to) {
#if defined(_WIN32)
  constexpr unsigned long replace_existing = 1, write_through = 8;
  file.reset();  // an open file keeps its name
  return move_file(from, to, replace_existing | write_through);
#else
  if (std::rename(from.c_str(), to.c_str()) != 0) return false;
  file.reset();
  sync_directory_of(to);
  return true;
#endif
}

/// put_in_place(), unless something has the name \p to: then it returns false with errno EEXIST. Of
/// several programs that do this at one time, one has its file there, complete.
///
/// A file system without links has the file empty for a moment.
[[nodiscard]] inline bool put_in_new_place(FileHandle& file, const std::string& from,
                                           const std::string& to) {
#if defined(_WIN32)
  constexpr unsigned long write_through = 8;
  file.reset();  // an open file keeps its name
  return move_file(from, to, write_through);
#else
  if (::link(from.c_str(), to.c_str()) == 0) {
    // A second name of a file that is complete does no harm.
    static_cast<void>(std::remove(from.c_str()));
    file.reset();
    sync_directory_of(to);
    return true;
  }
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK) return false;
  const int claimed = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (claimed < 0) return false;
  ::close(claimed);
  return put_in_place(file, from, to);
#endif
}

/// Removes an open file and closes it.
inline void remove_open_file(FileHandle& file, const std::string& name) noexcept {
#if defined(_WIN32)
  file.reset();  // an open file cannot be removed
  std::remove(name.c_str());
#else
  // The name goes first: a closed file has no lock, and another writer could take it over.
  std::remove(name.c_str());
  file.reset();
#endif
}

}  // namespace mercer::detail

#endif  // MERCER_IO_FILE_SYSTEM_HPP
