// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#if defined(MERCER_HAS_ZLIB)

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <rapidcheck.h>
#include <mercer/io/gzip.hpp>
#include <mercer/io/labels.hpp>
#include <mercer/io/samples.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace gzip_test {

using Catch::Matchers::ContainsSubstring;
using mercer::Matrix;
using mercer::test::content_of;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

namespace {

std::string gzipped(std::string bytes) {
  z_stream stream{};
  constexpr int gzip_format = 16 + MAX_WBITS;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_format, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

}  // namespace

TEST_CASE("gzip: every format is read through .gz", "[io][gzip]") {
  const TemporaryDirectory directory;
  const Matrix<double> expected = (Matrix<double>(2, 2) << 1, 2, 0, 4).finished();
  io::write_npy(directory.path("x.npy"), expected);
  const auto dense = [](const std::string& path) {
    return std::get<Matrix<double>>(io::read_samples<double>(path));
  };
  CHECK(dense(directory.file("x.npy.gz", gzipped(content_of(directory.path("x.npy"))))) ==
        expected);
  CHECK(dense(directory.file("x.CSV.GZ", gzipped("1,2\n0,4\n"))) == expected);
  const auto sparse =
      io::read_samples<double>(directory.file("x.svm.gz", gzipped("1 1:1 2:2\n1 2:4")));
  CHECK(Matrix<double>(std::get<mercer::SparseMatrix<double>>(sparse)) == expected);
  CHECK(io::read_labels(directory.file("y.txt.gz", gzipped("a\nb\n"))).size() == 2);
}

TEST_CASE("gzip: content of any size, repetitive or not", "[io][gzip]") {
  const TemporaryDirectory directory;
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 65536, 65537, 3000000}) {
    const std::string repetitive(size, 'a');
    CHECK(io::read_file(directory.file("x.gz", gzipped(repetitive))) == repetitive);
    std::string varied(size, '\0');
    std::uint32_t state = 1;
    for (char& byte : varied)
      byte = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
    CHECK(io::read_file(directory.file("x.gz", gzipped(varied))) == varied);
  }
}

TEST_CASE("gzip: what would become more than a limit is refused", "[io][gzip]") {
  const TemporaryDirectory directory;
  constexpr std::size_t most = 200000;
  struct Limit {
    Limit() { io::set_expansion_limit(most); }
    ~Limit() { io::set_expansion_limit(0); }
  };
  CHECK(io::expansion_limit() > most);  // half of what is free
  const Limit limit;
  const auto error = [&](std::size_t size) {
    const std::string path = directory.file("x.gz", gzipped(std::string(size, 'a')));
    return file_error([&] { return io::read_file(path); });
  };
  CHECK(error(most) == "no error");
  CHECK(error(0) == "no error");
  for (const std::size_t size : {most + 1, 2 * most, 100 * most})
    CHECK_THAT(error(size), ContainsSubstring("x.gz: would become more than 200000 bytes"));
  const std::string path =
      directory.file("x.gz", gzipped(std::string(most, 'a')) + gzipped("the next member"));
  CHECK_THAT(file_error([&] { return io::read_file(path); }), ContainsSubstring("200000"));
  CHECK_THAT(file_error([&] {
               return mercer::detail::inflate_exactly("x.npz", std::string(9, 'a'), most + 1);
             }),
             ContainsSubstring("x.npz: would become more than 200000 bytes"));
}

TEST_CASE("gzip: no more memory is taken at first than may be needed", "[io][gzip]") {
  using mercer::detail::first_gunzip_size;
  const auto ending_in = [](std::size_t stored, const std::string& told) {
    return std::string(stored - told.size(), 'x') + told;
  };
  constexpr std::size_t least = 65536, stored = 100000, much = 1000000000;
  // As much as the end of the file tells, and a byte.
  CHECK(first_gunzip_size(ending_in(stored, {"\xe0\x93\x04\0", 4}), much) == 300001);
  // It tells nothing, too little, or what can hardly be.
  CHECK(first_gunzip_size(ending_in(stored, {"\0\0\0\0", 4}), much) == 125000);
  CHECK(first_gunzip_size(ending_in(stored, {"\7\0\0\0", 4}), much) == 125000);
  CHECK(first_gunzip_size(ending_in(stored, "\xff\xff\xff\xff"), much) == 8 * stored + 1);
  CHECK(first_gunzip_size("\x1f\x8b", much) == least);
  // Never more than the limit, and the byte that shows that it is exceeded.
  for (const std::size_t most : {std::size_t{0}, std::size_t{10}, std::size_t{100000}})
    CHECK(first_gunzip_size(ending_in(stored, "\xff\xff\xff\xff"), most) == most + 1);
}

TEST_CASE("gzip: several members and zero padding", "[io][gzip]") {
  const TemporaryDirectory directory;
  const std::string padding(100, '\0');
  CHECK(io::read_file(directory.file("x.gz", gzipped("one ") + gzipped("two") + padding)) ==
        "one two");
}

TEST_CASE("gzip: damaged files are errors", "[io][gzip]") {
  const TemporaryDirectory directory;
  const std::string valid = gzipped("some text, some text and some more text");
  const auto error = [&](const std::string& bytes) {
    const std::string path = directory.file("x.gz", bytes);
    return file_error([&] { return io::read_file(path); });
  };
  CHECK(error(valid) == "no error");
  CHECK_THAT(error("plain text"), ContainsSubstring("x.gz: is not in gzip format"));
  CHECK_THAT(error(""), ContainsSubstring("x.gz: is not in gzip format"));
  CHECK_THAT(error(valid.substr(0, 20)),
             ContainsSubstring("x.gz: truncated gzip data: the file ends after 20 bytes"));
  CHECK_THAT(error(valid + valid.substr(0, 15)), ContainsSubstring("truncated gzip data"));
  CHECK_THAT(error(valid + "x"), ContainsSubstring("1 bytes after the end"));
  std::string wrong_checksum = valid;
  wrong_checksum[valid.size() - 6] ^= 1;
  CHECK_THAT(error(wrong_checksum),
             ContainsSubstring("damaged gzip data") && ContainsSubstring("incorrect data check"));
  std::string wrong_method = valid;
  wrong_method[2] = 7;
  CHECK_THAT(error(wrong_method), ContainsSubstring("unknown compression method"));
}

TEST_CASE("gzip: every proper prefix of a file is refused", "[io][gzip][property]") {
  const TemporaryDirectory directory;
  const std::string valid = gzipped("some text, some text and some more text");
  for (std::size_t size = 0; size < valid.size(); ++size) {
    const std::string path = directory.file("x.gz", valid.substr(0, size));
    CHECK(mercer::test::rejects([&] { return io::read_file(path); }));
  }
}

TEST_CASE("gzip: a damaged file is refused or the damage does not matter", "[io][gzip][property]") {
  const TemporaryDirectory directory;
  const std::string text = "some text, some text and some more text";
  const std::string valid = gzipped(text);
  CHECK(rc::check("one byte changed", [&] {
    std::string bytes = valid;
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    const std::string path = directory.file("x.gz", bytes);
    std::string found;
    // The checksum covers the text, but not the time stamp and the flags before it.
    RC_ASSERT(mercer::test::rejects([&] { return found = io::read_file(path); }) || found == text);
  }));
}

}  // namespace gzip_test

#endif  // defined(MERCER_HAS_ZLIB)
