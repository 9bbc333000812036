// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The temporary file that holds new content until the content is complete.

#ifndef MERCER_IO_TEMPORARY_FILE_HPP
#define MERCER_IO_TEMPORARY_FILE_HPP

#include <cerrno>
#include <cstdio>
#include <string>

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>
#else
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <mercer/core/errors.hpp>
#include <mercer/io/file_system.hpp>

namespace mercer::detail {

#if !defined(_WIN32)

/// Whether \p name is a name of the open file itself. A symbolic link to it does not count.
[[nodiscard]] inline bool is_named(int descriptor, const std::string& name) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Whether the open file can be one that a killed program of this user left behind: what is another
/// user's, no plain file, or has other names is not.
[[nodiscard]] inline bool may_be_taken_over(int descriptor) {
  struct stat open {};
  return ::fstat(descriptor, &open) == 0 && S_ISREG(open.st_mode) && open.st_uid == ::geteuid() &&
         open.st_nlink == 1;
}

/// Removes the file with this name if a killed program has left it behind. Returns whether.
///
/// A writer locks its file as long as it is open, so a file without a lock has no writer. Some file
/// systems have no locks; there, files are left alone. Between opening and locking, a file can lose
/// its name to a rename; is_named() checks that.
[[nodiscard]] inline bool remove_leftover(const std::string& name) {
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int descriptor = ::open(name.c_str(), O_WRONLY | flags);
  if (descriptor < 0) descriptor = ::open(name.c_str(), O_RDONLY | flags);  // it is read-only
  if (descriptor < 0) return false;
  const bool removed = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(descriptor, name) &&
                       may_be_taken_over(descriptor) && ::unlink(name.c_str()) == 0;
  ::close(descriptor);
  return removed;
}

/// Opens a new file with this name for writing, in the place of one that a killed program left
/// behind. Returns null with errno EEXIST if another writer uses such a file or if it must not be
/// removed.
///
/// It has the permissions of \p path if that is a regular file, or else those of every new file.
[[nodiscard]] inline FileHandle open_temporary(const std::string& name, const std::string& path) {
  struct stat old {};
  const bool replaces = ::stat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  const mode_t permissions = replaces ? old.st_mode & mode_t{0777} : mode_t{0666};
  // The umask of the process removes bits from these. So at no time has the file more of them.
  const auto make = [&] {
    return ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
  };
  int descriptor = make();
  if (descriptor < 0 && errno == EEXIST) {
    descriptor = remove_leftover(name) ? make() : -1;
    if (descriptor < 0) errno = EEXIST;
  }
  if (descriptor < 0) return nullptr;
  const bool locked = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  // Without locks in the file system, a new file is ours.
  if ((locked || errno != EWOULDBLOCK) && is_named(descriptor, name)) {
    // A file system that cannot do this has none to keep.
    if (replaces) static_cast<void>(::fchmod(descriptor, permissions));
    if (std::FILE* const file = ::fdopen(descriptor, "wb")) return FileHandle(file);
  }
  ::close(descriptor);
  errno = EEXIST;
  return nullptr;
}

#else

/// Opens an empty file with this name for writing. It is a new file, or one that a killed program
/// left behind. Returns null with errno EEXIST if another writer uses the file.
[[nodiscard]] inline FileHandle open_temporary(const std::string& name, const std::string&) {
  // As long as it is open, nobody else can open it.
  int descriptor = -1;
  const int error =
      ::_sopen_s(&descriptor, name.c_str(), _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT,
                 _SH_DENYRW, _S_IREAD | _S_IWRITE);
  if (error == 0) {
    if (::_chsize_s(descriptor, 0) == 0)
      if (std::FILE* const file = ::_fdopen(descriptor, "wb")) return FileHandle(file);
    ::_close(descriptor);
  }
  errno = file_kind(name) == FileKind::Missing ? error : EEXIST;
  return nullptr;
}

#endif

/// Opens an empty file beside \p path for writing, which is to replace it, and sets \p name to its
/// name. Returns null and sets errno if that fails.
[[nodiscard]] inline FileHandle open_beside(const std::string& path, std::string& name) {
  constexpr int most = 1000;  // writers of one file at the same time
  for (int attempt = 0; attempt < most; ++attempt) {
    name = path + ".mercer-part" + to_text(attempt);
    FileHandle file = open_temporary(name, path);
    if (file || errno != EEXIST) return file;
  }
  return nullptr;
}

}  // namespace mercer::detail

#endif  // MERCER_IO_TEMPORARY_FILE_HPP
