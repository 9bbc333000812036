// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The error of files that cannot be read or written.

#ifndef MERCER_IO_FILE_ERROR_HPP
#define MERCER_IO_FILE_ERROR_HPP

#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>

namespace mercer {
namespace io {

/// A file that cannot be read or written, or whose content is not what its format asks for.
/// what() is one line: the path, what is wrong, where, and the value found there.
class FileError : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

}  // namespace io

namespace detail {

/// Throws io::FileError with the message "path: parts...".
template <class... Parts>
[[noreturn]] void file_fail(std::string_view path, const Parts&... parts) {
  std::string message(path);
  message += ": ";
  ((message += to_text(parts)), ...);
  throw io::FileError(message);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_FILE_ERROR_HPP
