// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// By the CMake target mercer::archive.
#if defined(MERCER_HAS_CEREAL)

#include <mercer/io/archive/archive_writer.hpp>

#include <bit>
#include <string>
#include <utility>

#include <mercer/core/types.hpp>
#include <tests/io/archive/archive_bytes.hpp>
#include <tests/support/catch.hpp>

namespace archive_writer_test {

using namespace mercer;
using test::ArchiveBytes;

TEST_CASE("archive writer: the bytes of arrays in either order", "[io]") {
  // A machine of the other byte order swaps the bytes of what it writes, as this one does here.
  using Options = detail::ArchiveWriter::Options;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    CAPTURE(order == std::endian::little);
    ArchiveBytes bytes(order);
    bytes.text("seven c").integer(-3).truth(true).real(0.5).real(0.25F);
    bytes.dense(3, 1, {1.F, 2.F, 3.F}).dense(1, 2, {4., 5.});
    bytes.text("sparse single").integer(2).integer(9).integer(1);
    bytes.indices({0, 0, 1}).indices({8}).real(6.F);

    detail::ArchiveWriter writer(order == std::endian::little ? Options::LittleEndian()
                                                              : Options::BigEndian());
    SparseMatrix<float> sparse(2, 9);
    sparse.insert(1, 8) = 6;
    writer.write(std::string("seven c"));
    writer.write(-3);
    writer.write(true);
    writer.write(0.5);
    writer.write(0.25F);
    writer.write(Vector<float>{{1.F, 2.F, 3.F}});
    writer.write(Matrix<double>{{4.0, 5.0}});
    writer.write(sparse);
    CHECK(std::move(writer).take() == bytes.content());
  }
}

}  // namespace archive_writer_test

#endif  // defined(MERCER_HAS_CEREAL)
