// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Checks of archives against their bytes, put together by hand.

#ifndef MERCER_TESTS_IO_ARCHIVE_GOLDEN_ARCHIVES_HPP
#define MERCER_TESTS_IO_ARCHIVE_GOLDEN_ARCHIVES_HPP

#include <bit>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include <mercer/io/archive.hpp>
#include <mercer/io/checksum.hpp>
#include <mercer/io/file.hpp>
#include <mercer/version.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace mercer::test {

using Put = std::function<void(ArchiveBytes&)>;

/// Adds the content to the first inputs of the fuzzer of archives, if this variable names their
/// folder.
inline void keep_for_fuzzing(const ArchiveBytes& bytes) {
  const char* const folder = std::getenv("MERCER_FUZZ_SEEDS");
  if (folder == nullptr) return;
  const std::string name = "golden-" + std::to_string(detail::crc32(bytes.content()));
  io::write_file(std::string(folder) + "/" + name, bytes.content());
}

/// The value is written as these bytes, and read from them in either byte order. The size can be
/// summed up by hand: one byte for the order of the bytes, 8 and its length for a text, 36 and its
/// values for a dense matrix, 295 for distinct_report(), 8 for other numbers, 1 for truth values.
template <class T>
void check_golden(const T& value, std::size_t content_size, const Put& put) {
  const TemporaryDirectory directory;
  const auto written = [&](const T& one) {
    io::write_archive(directory.path("written"), one);
    return content_of(directory.path("written"));
  };
  ArchiveBytes little(std::endian::little), big(std::endian::big);
  put(little);
  put(big);
  keep_for_fuzzing(little);
  keep_for_fuzzing(big);
  CHECK(little.content().size() == content_size);
  CHECK(written(value) == little.file());
  for (const ArchiveBytes& bytes : {little, big}) {
    const std::string path = directory.file("golden", bytes.file());
    std::string again;
    CHECK(file_error([&] { again = written(io::read_archive<T>(path)); }) == "no error");
    CHECK(again == little.file());
  }
}

inline void put_header(ArchiveBytes& bytes, std::string_view type, std::string_view kernel = "",
                       std::string_view features = "", std::string_view scalar = "",
                       std::string_view samples = "") {
  bytes.text(type).text(kernel).text(features).text(scalar).text(samples);
  bytes.text(MERCER_VERSION_STRING);
}

/// The sizes below are without that of the version, which each release changes.
inline constexpr std::size_t version_size = std::string_view(MERCER_VERSION_STRING).size();

}  // namespace mercer::test

#endif  // MERCER_TESTS_IO_ARCHIVE_GOLDEN_ARCHIVES_HPP
