// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/npy/npz.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include <mercer/io/gzip.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace npz_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Matrix;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

// numpy.savez_compressed(first=[[1., 2.], [3., 4.], [5., 6.]], second=arange(3, dtype="i1"))
constexpr std::string_view compressed =
    "504b03041400000008000000210047afe6a85a000000b00000000900140066697273742e6e707901001000b00000"
    "00000000005a000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a1aea3a09e965f5452"
    "9498179f5f94920a12774bcc294e058a17672416a402f91ac63a0a469a3a0ab50a64032e0630f8600fa1191c2014"
    "07941680d222505ac20100504b030414000000080000002100ac98ff3347000000830000000a0014007365636f6e"
    "642e6e707901001000830000000000000047000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a0"
    "5e9369a8aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e"
    "06462600504b010214031400000008000000210047afe6a85a000000b00000000900000000000000000000008001"
    "0000000066697273742e6e7079504b0102140314000000080000002100ac98ff3347000000830000000a00000000"
    "000000000000008001950000007365636f6e642e6e7079504b050600000000020002006f000000180100000000";
// numpy.savez(first=[[1., 2.], [3., 4.], [5., 6.]]): with ZIP64 fields
constexpr std::string_view stored =
    "504b03041400000000000000210047afe6a8b0000000b00000000900140066697273742e6e707901001000b00000"
    "0000000000b000000000000000934e554d5059010076007b276465736372273a20273c6638272c2027666f727472"
    "616e5f6f72646572273a2046616c73652c20277368617065273a2028332c2032292c207d20202020202020202020"
    "20202020202020202020202020202020202020202020202020202020202020202020202020202020202020202020"
    "20200a000000000000f03f0000000000000040000000000000084000000000000010400000000000001440000000"
    "0000001840504b010214031400000000000000210047afe6a8b0000000b000000009000000000000000000000080"
    "010000000066697273742e6e7079504b0506000000000100010037000000eb0000000000";

std::string from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(16 * digit(hex[i]) + digit(hex[i + 1]));
  return bytes;
}

Matrix<double> first() {
  return (Matrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished();
}

TEST_CASE("npz: arrays by name, and the only one", "[io][npz]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.npz", from_hex(compressed));
  CHECK(io::read_npz<double>(path + ":first") == first());
  CHECK(io::read_npz<float>(path + ":first") == first().cast<float>());
  CHECK(io::read_npz<double>(path + ":second.npy") == Eigen::Vector3d(0, 1, 2));
  CHECK(io::read_npz<double>(directory.file("y.npz", from_hex(stored))) == first());
  CHECK(file_error([&] { return io::read_npz<double>(path + ":secnod"); }) ==
        path + ": holds no array 'secnod'; there is first, second; did you mean second?");
  CHECK(file_error([&] { return io::read_npz<double>(path); }) ==
        path + ": holds several arrays, first, second; name one, as in " + path + ":first");
}

TEST_CASE("npz: a comment behind the directory", "[io][npz]") {
  const TemporaryDirectory directory;
  std::string bytes = from_hex(stored);
  bytes[bytes.size() - 2] = 3;
  CHECK(io::read_npz<double>(directory.file("x.npz", bytes + "abc")) == first());
}

/// No change may do anything but give another matrix or a FileError. Only where a byte is no number
/// that counts, such as a date, the matrix may still be the right one.
void check_survives(const TemporaryDirectory& directory, const std::string& bytes) {
  const std::string path = directory.file("x.npz", bytes);
  const std::string error = file_error([&] {
    const Matrix<double> read = io::read_npz<double>(path + ":first");
    CHECK(read == first());
    return read;
  });
  CHECK((error == "no error" || error.starts_with(path)));
}

TEST_CASE("npz: damaged files are refused, wherever they are cut or changed", "[io][npz]") {
  const TemporaryDirectory directory;
  for (const std::string_view hex : {compressed, stored}) {
    const std::string whole = from_hex(hex);
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      const std::string path = directory.file("cut.npz", whole.substr(0, size));
      CHECK(file_error([&] { return io::read_npz<double>(path); }).starts_with(path));
    }
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (const int change : {1, 0x80, 0xff}) {
        std::string bytes = whole;
        bytes[i] = static_cast<char>(bytes[i] ^ change);
        check_survives(directory, bytes);
      }
  }
}

TEST_CASE("npz: sizes that cannot be are refused before memory is taken", "[io][npz]") {
  const TemporaryDirectory directory;
  std::string bytes = from_hex(compressed);
  const std::size_t entry = bytes.find("PK\1\2");
  REQUIRE(entry != std::string::npos);
  const auto refused = [&](std::size_t at, std::string_view value, std::string_view reason) {
    std::string changed = bytes;
    changed.replace(at, value.size(), value);
    const std::string path = directory.file("x.npz", changed);
    CHECK_THAT(file_error([&] { return io::read_npz<double>(path + ":first"); }),
               ContainsSubstring(std::string(reason)));
  };
  refused(entry + 24, std::string_view("\xfe\xff\xff\xff", 4), "cannot have 4294967294 bytes");
  refused(entry + 20, std::string_view("\xff\xff\xff\x7f", 4), "damaged or truncated");
  refused(entry + 8, std::string_view("\x01\x00", 2), "is encrypted");
  refused(entry + 10, std::string_view("\x0c\x00", 2), "method 12");
  refused(entry + 24, std::string_view("\x20\x00\x00\x00", 4), "longer than its directory says");
  refused(bytes.size() - 12, std::string_view("\xff\xff", 2), "65535 entries");
  CHECK_THAT(file_error([&] { return io::read_npz<double>(directory.file("e.npz", "")); }),
             ContainsSubstring("not in .npz format"));
}

}  // namespace npz_test
