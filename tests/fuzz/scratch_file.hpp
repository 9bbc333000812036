// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// For fuzzers: bytes as a file, and calls that may be refused.

#ifndef MERCER_TESTS_FUZZ_SCRATCH_FILE_HPP
#define MERCER_TESTS_FUZZ_SCRATCH_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include <mercer/io/file_error.hpp>

namespace mercer::fuzz {

/// Ends the program, so that the fuzzer keeps the input.
[[noreturn]] inline void broken(const char* law) {
  std::fprintf(stderr, "broken: %s\n", law);
  std::abort();
}

inline void require(bool holds, const char* law) {
  if (!holds) broken(law);
}

/// The input of a fuzzer.
[[nodiscard]] inline std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Writes the bytes to a file of this process, in memory where the system has such a folder, and
/// returns its path. A later call with the same \p name replaces the file.
[[nodiscard]] inline std::string scratch_file(const std::string& name, std::string_view bytes) {
  static const std::string folder = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  const std::string path = folder + "/mercer_fuzz_" + std::to_string(::getpid()) + "_" + name;
  // Cut to its length after it was written, so that the file keeps its memory. Opening and writing
  // take a good part of the time of most fuzzers.
  constexpr mode_t mine = 0600;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mine);
  const auto size = static_cast<ssize_t>(bytes.size());
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != size || ::ftruncate(file, size) != 0)
    broken("the scratch file can be written");
  ::close(file);
  return path;
}

/// Calls what reads a file. A reader may refuse it with FileError and in no other way. Whether it
/// was read.
template <class Read>
bool reads(Read&& read) {
  try {
    read();
    return true;
  } catch (const io::FileError& error) {
    const std::string_view message = error.what();
    require(message.find_first_of("\n\r\x1b") == std::string_view::npos,
            "a message is one line without terminal escapes");
    return false;
  }
}

}  // namespace mercer::fuzz

#endif  // MERCER_TESTS_FUZZ_SCRATCH_FILE_HPP
