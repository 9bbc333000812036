// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <rapidcheck.h>
#include <mercer/io/npy/npy.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace npy_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using mercer::Index;
using mercer::Matrix;
using mercer::test::content_of;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

namespace {

/// A .npy file as NumPy would write it, from its parts.
std::string npy_file(const std::string& header, const std::string& elements, int version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  std::size_t length = header.size() + 1;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i, length /= 256)
    bytes += static_cast<char>(length % 256);
  return bytes + header + '\n' + elements;
}

std::string npy_header(const std::string& type, const std::string& shape,
                       const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

/// The bytes of values in the given byte order.
template <class T>
std::string stored(const std::vector<T>& values, bool little = true) {
  std::string bytes;
  for (const T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (little != (std::endian::native == std::endian::little))
      std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

std::string read_error(const TemporaryDirectory& directory, const std::string& bytes) {
  const std::string path = directory.file("bad.npy", bytes);
  const std::string message = file_error([&] { return io::read_npy<double>(path); });
  CHECK_THAT(message, StartsWith(path + ": "));
  return message;
}

/// Writes values as a 2 x 3 array of every byte and storage order, and compares.
template <class Stored, class Scalar>
void check_type(const std::string& type, const std::vector<Stored>& values,
                const std::vector<Scalar>& expected) {
  const TemporaryDirectory directory;
  Matrix<Scalar> rows(2, 3), columns(2, 3);
  rows << expected[0], expected[1], expected[2], expected[3], expected[4], expected[5];
  columns << expected[0], expected[2], expected[4], expected[1], expected[3], expected[5];
  const char native = std::endian::native == std::endian::little ? '<' : '>';
  for (const char order : {'<', '>', '=', '|'}) {
    const bool little = (order == '<' || order == '>' ? order : native) == '<';
    const std::string elements = stored(values, little);
    const std::string c_order = npy_header(order + type, "(2, 3)");
    const std::string f_order = npy_header(order + type, "(2, 3)", "True");
    INFO(order << type);
    CHECK(io::read_npy<Scalar>(directory.file("c.npy", npy_file(c_order, elements))) == rows);
    CHECK(io::read_npy<Scalar>(directory.file("f.npy", npy_file(f_order, elements))) == columns);
  }
}

template <class Integer, class Scalar>
void check_integer(const std::string& type) {
  using Limits = std::numeric_limits<Integer>;
  const std::vector<Integer> values{0, 1, 2, 100, (Limits::min)(), (Limits::max)()};
  std::vector<Scalar> expected;
  for (const Integer value : values) expected.push_back(static_cast<Scalar>(value));
  check_type(type, values, expected);
}

}  // namespace

SCALAR_TEST_CASE("npy: integers of every size in either order", "[io][npy]") {
  check_integer<std::int8_t, TestType>("i1");
  check_integer<std::int16_t, TestType>("i2");
  check_integer<std::int32_t, TestType>("i4");
  check_integer<std::int64_t, TestType>("i8");
  check_integer<std::uint8_t, TestType>("u1");
  check_integer<std::uint16_t, TestType>("u2");
  check_integer<std::uint32_t, TestType>("u4");
  check_integer<std::uint64_t, TestType>("u8");
  check_type<std::uint8_t, TestType>("b1", {0, 1, 1, 0, 255, 2}, {0, 1, 1, 0, 1, 1});
}

SCALAR_TEST_CASE("npy: floats of every size in either order", "[io][npy]") {
  const TestType infinity = std::numeric_limits<TestType>::infinity();
  // Half precision by its bits: 1, -2, the largest, the smallest subnormal, infinity, 1/3 rounded.
  check_type<std::uint16_t, TestType>(
      "f2", {0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x3555},
      {1, -2, 65504, std::ldexp(TestType(1), -24), infinity, std::ldexp(TestType(1365), -12)});
  check_type<float, TestType>(
      "f4", {0, -1.5F, 0.1F, 3e38F, 1e-38F, 7},
      {0, TestType(-1.5F), TestType(0.1F), TestType(3e38F), TestType(1e-38F), 7});
  check_type<double, TestType>(
      "f8", {0, -1.5, 0.1, 3e38, 1e-30, 7},
      {0, TestType(-1.5), TestType(0.1), TestType(3e38), TestType(1e-30), 7});
}

TEST_CASE("npy: NaN passes the reader", "[io][npy]") {
  const TemporaryDirectory directory;
  const std::string path =
      directory.file("x.npy", npy_file(npy_header("<f8", "(1,)"), stored<double>({NAN})));
  CHECK(std::isnan(io::read_npy<double>(path)(0, 0)));
}

TEST_CASE("npy: format versions, key orders and spellings of the header", "[io][npy]") {
  const TemporaryDirectory directory;
  const std::string elements = stored<double>({1, 2});
  const Matrix<double> expected = Eigen::Vector2d(1, 2);
  const auto reads = [&](const std::string& bytes) {
    return io::read_npy<double>(directory.file("x.npy", bytes)) == expected;
  };
  for (const int version : {1, 2, 3})
    CHECK(reads(npy_file(npy_header("<f8", "(2,)"), elements, version)));
  CHECK(reads(npy_file("{\"shape\":(2L,1L),\"fortran_order\":True,\"descr\":\"<f8\"}", elements)));
  CHECK(reads(npy_file(" { 'shape' : ( 2 , 1 , ) , 'descr':'<f8','fortran_order' : False , }   ",
                       elements)));
}

TEST_CASE("npy: rows are kept across the blocks of the transposition", "[io][npy]") {
  const TemporaryDirectory directory;
  constexpr Index n = 150, d = 3;
  std::vector<std::uint16_t> values(n * d);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint16_t>(i);
  const Matrix<double> x = io::read_npy<double>(
      directory.file("x.npy", npy_file(npy_header("<u2", "(150, 3)"), stored(values))));
  REQUIRE(x.rows() == n);
  REQUIRE(x.cols() == d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) REQUIRE(x(i, j) == static_cast<double>(i * d + j));
}

TEST_CASE("npy: arrays without elements keep their shape", "[io][npy]") {
  const TemporaryDirectory directory;
  for (const std::string order : {"False", "True"}) {
    const Matrix<double> x = io::read_npy<double>(directory.file(
        "x.npy", npy_file(npy_header("<f8", "(9000000000000000000, 0)", order), "")));
    CHECK(x.rows() == 9000000000000000000);
    CHECK(x.cols() == 0);
  }
}

TEST_CASE("npy: only arrays of one or two dimensions are samples", "[io][npy]") {
  const TemporaryDirectory directory;
  const std::string elements = stored<double>({1});
  CHECK_THAT(read_error(directory, npy_file(npy_header("<f8", "()"), elements)),
             ContainsSubstring("0 dimensions, shape ()"));
  CHECK_THAT(read_error(directory, npy_file(npy_header("<f8", "(1, 1, 1)"), elements)),
             ContainsSubstring("3 dimensions, shape (1, 1, 1)"));
}

TEST_CASE("npy: an element type that is not a real number is named", "[io][npy]") {
  const TemporaryDirectory directory;
  for (const std::string type :
       {"<c8", "<c16", "|O", "<U5", "|S3", "|V8", "<M8[ns]", "<f16", "<i3", "", "<", "f"})
    CHECK_THAT(read_error(directory, npy_file(npy_header(type, "(1,)"), "        ")),
               ContainsSubstring("unsupported dtype '" + type + "'"));
  CHECK_THAT(read_error(directory, npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, "
                                            "'shape': (1,), }",
                                            "    ")),
             ContainsSubstring("unsupported dtype '[('a', '<f4')]"));
}

TEST_CASE("npy: damaged preambles", "[io][npy]") {
  const TemporaryDirectory directory;
  CHECK_THAT(read_error(directory, ""), ContainsSubstring("not in .npy format"));
  CHECK_THAT(read_error(directory, "PK\x03\x04 a zip archive"),
             ContainsSubstring("not in .npy format"));
  CHECK_THAT(read_error(directory, npy_file(npy_header("<f8", "(0,)"), "", 4)),
             ContainsSubstring("unknown .npy version 4.0"));
  CHECK_THAT(read_error(directory, "\x93NUMPY"), ContainsSubstring("truncated .npy header"));
  const std::string valid = npy_file(npy_header("<f8", "(0,)"), "");
  CHECK_THAT(read_error(directory, valid.substr(0, 30)),
             ContainsSubstring("truncated .npy header: expected " +
                               std::to_string(valid.size() - 10) + " bytes, found 20"));
  CHECK_THAT(read_error(directory, std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
             ContainsSubstring("truncated .npy header: expected 4294967295 bytes, found 2"));
}

TEST_CASE("npy: damaged headers", "[io][npy]") {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& header) {
    return read_error(directory, npy_file(header, stored<double>({1})));
  };
  CHECK_THAT(error(""), ContainsSubstring("malformed .npy header: expected '{'"));
  CHECK_THAT(error("{}"), ContainsSubstring("has no 'descr'"));
  CHECK_THAT(error("{'descr': '<f8'}"), ContainsSubstring("has no 'fortran_order'"));
  CHECK_THAT(error("{'descr': '<f8', 'fortran_order': False}"),
             ContainsSubstring("has no 'shape'"));
  CHECK_THAT(error("{'descr': '<f8', 'descr': '<f8'}"),
             ContainsSubstring("unexpected key 'descr'"));
  CHECK_THAT(error("{'colour': 1}"), ContainsSubstring("unexpected key 'colour'"));
  CHECK_THAT(error("{'descr': '<f8"), ContainsSubstring("a closed string"));
  CHECK_THAT(error("{'fortran_order': 0}"), ContainsSubstring("True or False"));
  CHECK_THAT(error(npy_header("<f8", "(1,)") + "x"), ContainsSubstring("the end of the header"));
  CHECK_THAT(error(npy_header("<f8", "(1.5,)")), ContainsSubstring("expected ')'"));
  CHECK_THAT(error(npy_header("<f8", "(a,)")), ContainsSubstring("a whole number in the shape"));
}

TEST_CASE("npy: shapes that the file cannot hold are refused before memory is taken", "[io][npy]") {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& shape) {
    return read_error(directory, npy_file(npy_header("<f8", shape), stored<double>({1, 2, 3})));
  };
  CHECK_THAT(error("(-1,)"), ContainsSubstring("impossible extent"));
  CHECK_THAT(error("(99999999999999999999,)"), ContainsSubstring("impossible extent"));
  CHECK_THAT(error("(9000000000000000000, 9000000000000000000)"),
             ContainsSubstring("impossible shape"));
  // 2^61 + 2 elements of 8 bytes: the number of bytes wraps around to 16.
  CHECK_THAT(error("(2305843009213693954,)"), ContainsSubstring("impossible shape"));
  CHECK_THAT(error("(4294967296, 4294967296)"), ContainsSubstring("impossible shape"));
  CHECK_THAT(error("(1000000000, 1000)"),
             ContainsSubstring("truncated: expected 8000000000000 bytes of elements, found 24"));
  CHECK_THAT(error("(2, 2)"),
             ContainsSubstring("truncated: expected 32 bytes of elements, found 24"));
  CHECK_THAT(error("(2,)"), ContainsSubstring("too long: expected 16 bytes of elements, found 24"));
}

SCALAR_TEST_CASE("npy: what is written, byte for byte", "[io][npy]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.npy");
  const std::string type =
      (std::endian::native == std::endian::little ? "<f" : ">f") + std::to_string(sizeof(TestType));
  const bool little = std::endian::native == std::endian::little;
  const auto expected = [&](const std::string& shape, const std::vector<TestType>& values) {
    std::string header = npy_header(type, shape);
    header.resize(128 - 10 - 1, ' ');
    return npy_file(header, stored(values, little));
  };
  Eigen::Matrix<TestType, 2, 3> matrix;
  matrix << 1, 2, 3, 4, 5, 6;
  io::write_npy(path, matrix);
  CHECK(content_of(path) == expected("(2, 3)", {1, 2, 3, 4, 5, 6}));
  const mercer::RowMajorMatrix<TestType> row_major = matrix;
  io::write_npy(path, row_major);
  CHECK(content_of(path) == expected("(2, 3)", {1, 2, 3, 4, 5, 6}));
  io::write_npy(path, matrix.transpose() * TestType(2));
  CHECK(content_of(path) == expected("(3, 2)", {2, 8, 4, 10, 6, 12}));
  io::write_npy(path, matrix.col(1));
  CHECK(content_of(path) == expected("(2,)", {2, 5}));
  io::write_npy(path, matrix.row(1));
  CHECK(content_of(path) == expected("(3,)", {4, 5, 6}));
  io::write_npy(path, Matrix<TestType>(0, 4));
  CHECK(content_of(path) == expected("(0, 4)", {}));
  io::write_npy(path, Matrix<TestType>(4, 0));
  CHECK(content_of(path) == expected("(4, 0)", {}));
}

TEST_CASE("npy: matrices larger than the write buffer", "[io][npy]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.npy");
  const Matrix<double> x = Eigen::VectorXd::LinSpaced(300000, 0, 1).reshaped(100000, 3);
  io::write_npy(path, x);
  CHECK(io::read_npy<double>(path) == x);
}

TEST_CASE("npy: any matrix comes back as it was", "[io][npy][property]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.npy");
  CHECK(rc::check("read_npy(write_npy(x)) == x", [&] {
    const Index n = *rc::gen::inRange<Index>(0, 20), d = *rc::gen::inRange<Index>(1, 8);
    const auto values = *rc::gen::container<std::vector<double>>(static_cast<std::size_t>(n * d),
                                                                 rc::gen::arbitrary<double>());
    const Matrix<double> x = Eigen::Map<const Matrix<double>>(values.data(), n, d);
    io::write_npy(path, x);
    RC_ASSERT(io::read_npy<double>(path) == x);
  }));
}

TEST_CASE("npy: every proper prefix of a file is refused", "[io][npy][property]") {
  const TemporaryDirectory directory;
  const std::string valid =
      npy_file(npy_header(">f4", "(3, 2)"), stored<float>({1, 2, 3, 4, 5, 6}));
  for (std::size_t size = 0; size < valid.size(); ++size) {
    const std::string path = directory.file("x.npy", valid.substr(0, size));
    CHECK(mercer::test::rejects([&] { return io::read_npy<double>(path); }));
  }
}

TEST_CASE("npy: a damaged file is read or refused", "[io][npy][property]") {
  const TemporaryDirectory directory;
  const std::string valid =
      npy_file(npy_header("<i2", "(3, 2)"), stored<std::int16_t>({1, 2, 3, 4, 5, 6}));
  CHECK(rc::check("three bytes changed", [&] {
    std::string bytes = valid;
    for (int change = 0; change < 3; ++change)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    const std::string path = directory.file("x.npy", bytes);
    mercer::Matrix<float> x;
    RC_ASSERT(mercer::test::rejects([&] { return x = io::read_npy<float>(path); }) ||
              x.size() <= 12);
  }));
}

TEST_CASE("NpyWriter: parts make the file that the whole makes", "[io]") {
  const TemporaryDirectory directory;
  const Matrix<double> x = Matrix<double>::Random(7, 3);
  io::write_npy(directory.path("whole.npy"), x);
  io::NpyWriter<double> writer(directory.path("parts.npy"), 7, 3);
  writer.append(x.topRows(4));
  CHECK_THROWS_AS(writer.commit(), mercer::InvalidArgument);
  CHECK_THROWS_AS(writer.append(x.topRows(4)), mercer::InvalidArgument);
  CHECK_THROWS_AS(writer.append(x.topLeftCorner(2, 2)), mercer::InvalidArgument);
  writer.append(x.bottomRows(3));
  writer.commit();
  CHECK(content_of(directory.path("parts.npy")) == content_of(directory.path("whole.npy")));
}

}  // namespace npy_test
