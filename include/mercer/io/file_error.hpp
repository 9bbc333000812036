// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The error for files that cannot be read or written.

#ifndef MERCER_IO_FILE_ERROR_HPP
#define MERCER_IO_FILE_ERROR_HPP

#include <initializer_list>
#include <string>
#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace io {

/// The file cannot be read or written, or its content does not follow its format. what() is one
/// line: the path, what is wrong, where, and the value found there. The line is printable():
/// whatever the file and its name contain, it cannot control a terminal.
class FileError : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

}  // namespace io

namespace detail {

/// Throws io::FileError with the printable message. This is the only place where the content of a
/// file becomes part of a message.
[[noreturn]] inline void file_fail_with(std::initializer_list<MessagePart> parts) {
  throw io::FileError(io::printable(joined(parts)));
}

/// Throws io::FileError with the printable message "path: parts...".
template <class... Parts>
[[noreturn]] void file_fail(std::string_view path, const Parts&... parts) {
  file_fail_with({path, ": ", MessagePart(parts)...});
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_FILE_ERROR_HPP
