// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_reader.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/archive.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace archive_reader_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using test::ArchiveBytes;

namespace {

const std::string path = "a file";

/// One value of each size and kind, the arrays of other lengths than multiples of eight bytes.
void put_values(ArchiveBytes& bytes) {
  bytes.text("seven c").integer(-3).truth(true).real(0.5).real(0.25F).text("");
  bytes.dense(3, 1, {1.F, 2.F, 3.F}).dense(1, 2, {4., 5.});
  bytes.text("sparse single").integer(2).integer(9).integer(1);
  bytes.indices({0, 0, 1}).indices({8}).real(6.F);
}

}  // namespace

TEST_CASE("archive reader: values in either byte order", "[io]") {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    CAPTURE(order == std::endian::little);
    ArchiveBytes bytes(order);
    put_values(bytes);
    detail::ArchiveReader reader(path, bytes.content());
    CHECK(reader.read<std::string>() == "seven c");
    CHECK(reader.read<int>() == -3);
    CHECK(reader.read<bool>());
    CHECK(reader.read<double>() == 0.5);
    CHECK(reader.read<float>() == 0.25F);
    CHECK(reader.read<std::string>().empty());
    CHECK(reader.read<Vector<float>>() == Vector<float>{{1.F, 2.F, 3.F}});
    CHECK(reader.read<Matrix<double>>() == Matrix<double>{{4.0, 5.0}});
    const auto sparse = reader.read<SparseMatrix<float>>();
    CHECK(sparse.nonZeros() == 1);
    CHECK(sparse.coeff(1, 8) == 6.F);
    reader.require_end();
  }
}

TEST_CASE("archive reader: bytes in neither order are refused", "[io]") {
  ArchiveBytes bytes(std::endian::little);
  put_values(bytes);
  for (const int order : {2, 3, 127, 128, 255}) {
    std::string content = bytes.content();
    content[0] = static_cast<char>(order);
    CHECK(test::file_error([&] { detail::ArchiveReader(path, content).require_end(); }) ==
          "a file: the archive is damaged: its byte order is " + std::to_string(order) +
              ", and must be 0 or 1");
  }
}

}  // namespace archive_reader_test

#endif  // defined(MERCER_HAS_CEREAL)
