// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/npy/npy_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include <mercer/core/random.hpp>
#include <mercer/core/streams/shuffled_stream.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace npy_stream_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;

static_assert(SeekableStream<io::NpyStream<float>> && SeekableStream<io::NpyStream<double>>);

namespace {

/// What a .npy file of this type and shape begins with.
std::string npy_beginning(const std::string& type, bool fortran_order, Index rows, Index columns) {
  std::string bytes("\x93NUMPY\x01\0", 8);
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
      ", 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }\n";
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  return bytes += header;
}

/// A .npy file of this type; elements in the order of the file.
template <class Stored>
std::string npy_bytes(const std::string& type, bool fortran_order, const Matrix<double>& x,
                      bool swapped = false) {
  std::string bytes = npy_beginning(type, fortran_order, x.rows(), x.cols());
  const Matrix<double> ordered = fortran_order ? x : Matrix<double>(x.transpose());
  for (Index i = 0; i < ordered.size(); ++i) {
    const auto value = static_cast<Stored>(ordered.data()[i]);
    std::string one(sizeof(Stored), '\0');
    std::memcpy(one.data(), &value, sizeof(Stored));
    bytes += swapped ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

}  // namespace

SCALAR_TEST_CASE("npy_stream: the rows that read_npy reads, in any type and order", "[io]") {
  const TemporaryDirectory directory;
  const Matrix<double> x =
      (test::uniform_samples<double>(29, 3, 2, 0, 100)).array().round().matrix();
  const std::string paths[] = {
      directory.file("c8.npy", npy_bytes<double>("<f8", false, x)),
      directory.file("f8.npy", npy_bytes<double>("<f8", true, x)),
      directory.file("c4.npy", npy_bytes<float>("<f4", false, x)),
      directory.file("f4.npy", npy_bytes<float>(">f4", true, x, true)),
      directory.file("i2.npy", npy_bytes<std::int16_t>(">i2", false, x, true)),
      directory.file("u1.npy", npy_bytes<std::uint8_t>("|u1", true, x)),
      directory.file("half.npy", npy_bytes<Eigen::half>("<f2", false, x)),
  };
  for (const std::string& path : paths) {
    CAPTURE(path);
    io::NpyStream<TestType> stream(path);
    REQUIRE(stream.rows() == 29);
    REQUIRE(stream.dimension() == 3);
    const Matrix<TestType> all = io::read_npy<TestType>(path);
    REQUIRE(all == x.template cast<TestType>());
    Matrix<TestType> batch(4, 3);
    for (Index first = 0; first < 29; first += 4) {
      const Index count = stream.read(batch);
      REQUIRE(count == (std::min)(Index{4}, 29 - first));
      CHECK(batch.topRows(count) == all.middleRows(first, count));
    }
    CHECK(stream.read(batch) == 0);
    CHECK(stream.rewind());
    stream.seek({0, 13});
    CHECK(stream.read(batch) == 4);
    CHECK(batch == all.middleRows(13, 4));
  }
}

TEST_CASE("npy_stream: batches of any size, in any order, from columns that are read ahead",
          "[io]") {
  const TemporaryDirectory directory;
  const Index n = 5000;
  Matrix<double> x(n, 3);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i % 251);
  for (const bool fortran_order : {false, true}) {
    CAPTURE(fortran_order);
    io::NpyStream<double> stream(
        directory.file("x.npy", npy_bytes<std::uint8_t>("|u1", fortran_order, x)));
    RandomStream draws(4, "batches", 0);
    Index row = 0;
    for (int step = 0; step < 400; ++step) {
      // Mostly onwards, by batches of one size for a while, so that pieces grow; now and then back.
      if (step % 50 == 49) stream.seek({0, row = static_cast<Index>(draws.below(5000))});
      if (row == n) {
        REQUIRE(stream.rewind());
        row = 0;
      }
      Matrix<double> batch = Matrix<double>::Zero(step % 50 < 25 ? 7 : 1 + step % 90, 3);
      const Index count = stream.read(batch);
      REQUIRE(count == (std::min)(batch.rows(), n - row));
      REQUIRE(batch.topRows(count) == x.middleRows(row, count));
      row += count;
    }
  }
}

TEST_CASE("npy_stream: columns of which less than the file is read ahead", "[io]") {
  const TemporaryDirectory directory;
  const Matrix<double> x = test::uniform_samples<double>(3000, 1100, 3, -1, 1);  // 26 MB
  std::string bytes = npy_beginning("<f8", true, 3000, 1100);
  bytes.append(reinterpret_cast<const char*>(x.data()),
               sizeof(double) * static_cast<std::size_t>(x.size()));
  io::NpyStream<double> stream(directory.file("x.npy", bytes));
  Matrix<double> batch(500, 1100);
  for (Index first = 0; first < 3000; first += 500) {
    REQUIRE(stream.read(batch) == 500);
    CHECK(batch == x.middleRows(first, 500));
  }
}

TEST_CASE("npy_stream: a vector is one column; no rows", "[io]") {
  const TemporaryDirectory directory;
  io::write_npy(directory.path("v.npy"), Vector<double>(Vector<double>::LinSpaced(5, 0, 4)));
  io::NpyStream<double> stream(directory.path("v.npy"));
  Matrix<double> batch(9, 1);
  CHECK(stream.read(batch) == 5);
  CHECK(batch(4, 0) == 4);
  io::write_npy(directory.path("none.npy"), Matrix<double>(0, 3));
  io::NpyStream<double> none(directory.path("none.npy"));
  Matrix<double> three(2, 3);
  CHECK(none.read(three) == 0);
}

TEST_CASE("npy_stream: what is wrong with the file", "[io]") {
  const TemporaryDirectory directory;
  const auto error = [](const std::string& path) {
    return file_error([&] { return io::NpyStream<double>(path); });
  };
  CHECK_THAT(error(directory.path("missing.npy")), ContainsSubstring("cannot open for reading"));
  CHECK_THAT(error(directory.path("x.npy.gz")), ContainsSubstring("it is compressed"));
  CHECK_THAT(error(directory.file("text.npy", "1,2,3\n")), ContainsSubstring("wrong first bytes"));
  const std::string bytes = npy_bytes<double>("<f8", false, Matrix<double>::Ones(6, 2));
  CHECK_THAT(error(directory.file("short.npy", bytes.substr(0, bytes.size() - 1))),
             ContainsSubstring("truncated: expected 96 bytes of elements, found 95"));

  // A file that becomes shorter while it is read.
  const std::string path = directory.file("shrinks.npy", bytes);
  io::NpyStream<double> stream(path);
  std::filesystem::resize_file(path, bytes.size() - 40);
  Matrix<double> batch(3, 2);
  CHECK(stream.read(batch) == 3);
  CHECK_THAT(file_error([&] { return stream.read(batch); }), ContainsSubstring("become shorter"));
  // When it is there again, no rows are skipped.
  CHECK(stream.position() == StreamPosition{0, 3});
  static_cast<void>(directory.file("shrinks.npy", bytes));
  CHECK(stream.read(batch) == 3);
  CHECK(batch == Matrix<double>::Ones(3, 2));
}

TEST_CASE("npy_stream: a value that is not finite is named with file and row", "[io]") {
  const TemporaryDirectory directory;
  Matrix<double> x = Matrix<double>::Ones(200, 2);
  x(150, 1) = std::numeric_limits<double>::infinity();
  io::write_npy(directory.path("x.npy"), x);
  io::NpyStream<double> stream(directory.path("x.npy"));
  ShuffledStream shuffled(stream);
  Matrix<double> batch(200, 2);
  CHECK_THAT(test::error_of([&] { return shuffled.read(batch); }),
             ContainsSubstring("x.npy: samples must be finite, got inf at row 150, column 1"));
}

}  // namespace npy_stream_test
