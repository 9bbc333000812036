// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#if defined(MERCER_HAS_HDF5)

#include <mercer/io/hdf5/hdf5.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <mercer/io/expansion_limit.hpp>
#include <mercer/io/samples.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace hdf5_test {

using namespace mercer;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

namespace {

using Shape = std::vector<hsize_t>;

/// A file that is written by the library's own functions.
class Writer {
 public:
  explicit Writer(const std::string& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { H5Fclose(file_); }

  [[nodiscard]] hid_t file() const { return file_; }

  /// A dataset of this type, of values in row-major order; of none that are written if there are
  /// none.
  void add(const std::string& name, hid_t type, const Shape& shape,
           const std::vector<double>& values, hid_t properties = H5P_DEFAULT) const {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t dataset =
        H5Dcreate2(file_, name.c_str(), type, space, links, properties, H5P_DEFAULT);
    REQUIRE(dataset >= 0);
    if (!values.empty())
      REQUIRE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >=
              0);
    H5Dclose(dataset);
    H5Pclose(links);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

std::vector<double> row_major(const Matrix<double>& values) {
  std::vector<double> out;
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j) out.push_back(values(i, j));
  return out;
}

/// Blocks of rows, compressed.
hid_t compressed(const Shape& chunk) {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  H5Pset_deflate(properties, 9);
  return properties;
}

Matrix<double> six() {
  return (Matrix<double>(3, 2) << 1, 2, 3, 4, 5, 6).finished();
}

/// Sets the limit while it lives.
struct Limit {
  explicit Limit(std::size_t bytes) { io::set_expansion_limit(bytes); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() { io::set_expansion_limit(0); }
};

}  // namespace

TEST_CASE("hdf5: numbers of each type become the scalar asked for", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  {
    const Writer file(path);
    for (const auto& [name, type] :
         {std::pair{"doubles", H5T_IEEE_F64LE}, std::pair{"floats", H5T_IEEE_F32BE},
          std::pair{"shorts", H5T_STD_I16BE}, std::pair{"bytes", H5T_STD_U8LE}})
      file.add(name, type, {3, 2}, row_major(six()));
    file.add("vector", H5T_IEEE_F64LE, {3}, {1, 2, 3});
    file.add("none", H5T_IEEE_F64LE, {0, 4}, {});
  }
  for (const std::string name : {"doubles", "floats", "shorts", "bytes"}) {
    CAPTURE(name);
    CHECK(io::read_hdf5<double>(path, name) == six());
    CHECK(io::read_hdf5<float>(path, name) == six().cast<float>());
  }
  CHECK(io::read_hdf5<double>(path, "vector") == Vector<double>{{1, 2, 3}});
  CHECK(io::read_hdf5<double>(path, "none").rows() == 0);
  CHECK(io::read_hdf5<double>(path, "none").cols() == 4);
}

TEST_CASE("hdf5: many rows, in blocks that are compressed", "[io][hdf5]") {
  // More elements than are read at a time, and a last block that is not full.
  const Matrix<double> x = test::uniform_samples<double>(5000, 101, 3);
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  {
    const Writer file(path);
    file.add("plain", H5T_IEEE_F64LE, {5000, 101}, row_major(x));
    file.add("compressed", H5T_IEEE_F64LE, {5000, 101}, row_major(x), compressed({384, 10}));
    file.add("vector", H5T_IEEE_F64LE, {5000 * 101}, row_major(x), compressed({7000}));
  }
  CHECK(io::read_hdf5<double>(path, "plain") == x);
  CHECK(io::read_hdf5<double>(path, "compressed") == x);
  const Matrix<double> column = io::read_hdf5<double>(path, "vector");
  REQUIRE(column.rows() == 5000 * 101);
  CHECK(column(101 * 17 + 3, 0) == x(17, 3));
  CHECK(column(101 * 4999 + 100, 0) == x(4999, 100));
}

TEST_CASE("hdf5: blocks of columns, wide blocks, and more columns than are read at a time",
          "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  const Matrix<double> x = test::uniform_samples<double>(3000, 301, 3),
                       wide = x.reshaped(3, 301000);
  {
    const Writer file(path);
    file.add("columns", H5T_IEEE_F64LE, {3000, 301}, row_major(x), compressed({3000, 1}));
    file.add("pairs", H5T_IEEE_F64LE, {3000, 301}, row_major(x), compressed({2500, 2}));
    file.add("rows", H5T_IEEE_F64LE, {3000, 301}, row_major(x), compressed({1, 301}));
    file.add("whole", H5T_IEEE_F64LE, {3000, 301}, row_major(x), compressed({3000, 301}));
    file.add("wide", H5T_IEEE_F64LE, {3, 301000}, row_major(wide));
    file.add("wide blocks", H5T_IEEE_F64LE, {3, 301000}, row_major(wide), compressed({2, 100000}));
  }
  for (const char* const name : {"columns", "pairs", "rows", "whole"}) {
    CAPTURE(name);
    CHECK(io::read_hdf5<double>(path, name) == x);
    CHECK(io::read_hdf5<float>(path, name) == x.cast<float>());
  }
  CHECK(io::read_hdf5<double>(path, "wide") == wide);
  CHECK(io::read_hdf5<double>(path, "wide blocks") == wide);
}

TEST_CASE("hdf5: what is compressed becomes no more than the limit", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  const Matrix<double> x = test::uniform_samples<double>(1000, 50, 3);  // 400 kB
  {
    const Writer file(path);
    file.add("plain", H5T_IEEE_F64LE, {1000, 50}, row_major(x));
    file.add("compressed", H5T_IEEE_F64LE, {1000, 50}, row_major(x), compressed({100, 50}));
    file.add("single", H5T_IEEE_F32LE, {1000, 50}, row_major(x), compressed({100, 50}));
  }
  const Limit limit(300000);
  CHECK(io::read_hdf5<double>(path, "plain") == x);
  CHECK_THAT(file_error([&] { return io::read_hdf5<double>(path, "compressed"); }),
             ContainsSubstring("x.h5:compressed: would become more than 300000 bytes"));
  CHECK(io::read_hdf5<double>(path, "single").rows() == 1000);
}

TEST_CASE("hdf5: which dataset", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string one = directory.path("one.h5"), two = directory.path("two.hdf5");
  {
    const Writer file(one);
    file.add("fit/samples", H5T_IEEE_F64LE, {3, 2}, row_major(six()));
    file.add("fit/cube", H5T_IEEE_F64LE, {1, 3, 2}, row_major(six()));
    // A group in itself, which could be followed for ever.
    H5Lcreate_hard(file.file(), "/fit", file.file(), "/fit/again", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(two.c_str(), "/train", file.file(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    const Writer other(two);
    other.add("train", H5T_IEEE_F64LE, {3, 2}, row_major(six()));
    other.add("test", H5T_IEEE_F64LE, {1, 2}, {7, 8});
  }
  const auto samples = [](const std::string& path, const io::SampleRequest& request = {}) {
    return std::get<Matrix<double>>(io::read_sample_table<double>(path, request).samples);
  };
  // Through the group in itself it has more names, but is the only one.
  CHECK(samples(one) == six());
  CHECK(samples(one + ":fit/samples") == six());
  CHECK(samples(one + ":fit/again/again/samples") == six());
  CHECK_THAT(file_error([&] { return samples(one + ":elsewhere"); }),
             ContainsSubstring("holds no dataset 'elsewhere'"));
  CHECK(samples(two + ":test") == Matrix<double>{{7, 8}});
  CHECK(samples(two + ":train", {.columns = {.drop = {"1"}}}) == six().rightCols(1));
  CHECK_THAT(file_error([&] { return samples(two); }),
             EndsWith("name the dataset to read, as in " + two + ":NAME; there is test, train"));
  CHECK_THAT(
      file_error([&] { return samples(two + ":trai"); }),
      ContainsSubstring("holds no dataset 'trai'; there is test, train; did you mean train?"));
  CHECK_THAT(file_error([&] { return samples(two + ":train", {.dimension = 3}); }),
             ContainsSubstring("has 2 columns, expected 3"));
  CHECK_THAT(file_error([&] { return samples(one + ":fit/cube"); }),
             ContainsSubstring("3 dimensions, shape (1, 3, 2)"));
}

TEST_CASE("hdf5: a group is looked into once, however many paths lead to it", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  {
    // Each group has two links to the next, so that 2^12 paths lead to the dataset.
    const Writer file(path);
    std::string group = "/a";
    for (int depth = 0; depth < 12; ++depth) group += "/a";
    file.add(group + "/x", H5T_IEEE_F64LE, {3, 2}, row_major(six()));
    for (; group != "/a"; group.resize(group.size() - 2))
      REQUIRE(H5Lcreate_hard(file.file(), group.c_str(), file.file(),
                             (group.substr(0, group.size() - 1) + "b").c_str(), H5P_DEFAULT,
                             H5P_DEFAULT) >= 0);
  }
  CHECK(io::read_hdf5<double>(path) == six());
}

TEST_CASE("hdf5: the only dataset needs no name", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  {
    const Writer file(path);
    file.add("group/x", H5T_IEEE_F64LE, {3, 2}, row_major(six()));
    file.add("cube", H5T_IEEE_F64LE, {1, 3, 2}, row_major(six()));
    file.add("text", H5T_C_S1, {3}, {});
    const hid_t odd = H5Tcopy(H5T_STD_I32LE);
    H5Tset_precision(odd, 19);
    file.add("odd", odd, {3, 2}, row_major(six()));
    H5Tclose(odd);
  }
  CHECK(io::read_hdf5<double>(path) == six());
  for (const std::string name : {"text", "odd"})
    CHECK_THAT(file_error([&] { return io::read_hdf5<double>(path, name); }),
               ContainsSubstring(":" + name + ": holds no integers or floats of a usual type"));
}

TEST_CASE("hdf5: files that are refused", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const auto refusal = [](const std::string& path) {
    return file_error([&] { return io::read_samples<double>(path); });
  };
  CHECK_THAT(refusal(directory.path("absent.h5")),
             ContainsSubstring("cannot open for reading: No such file"));
  CHECK_THAT(refusal(directory.file("text.h5", "1,2\n3,4\n")),
             ContainsSubstring("is not in HDF5 format"));
  CHECK_THAT(refusal(directory.file("x.h5.gz", "\x89HDF\r\n\x1a\n")),
             ContainsSubstring("not compressed by gzip as a whole"));

  const std::string path = directory.path("x.h5");
  {
    const Writer file(path);
    // 8 TB that were never written, in a file of some kilobytes.
    const hid_t properties = compressed({1000, 1000});
    file.add("huge", H5T_IEEE_F64LE, {1000000, 1000000}, {}, properties);
    file.add("beyond", H5T_IEEE_F64LE, {Shape::value_type{1} << 40U, Shape::value_type{1} << 40U},
             {}, properties);
    H5Pclose(properties);
    const hid_t elsewhere = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(elsewhere, "/etc/hostname", 0, 4);
    file.add("elsewhere", H5T_STD_U8LE, {4, 1}, {}, elsewhere);
    H5Pclose(elsewhere);
    file.add("null", H5T_IEEE_F64LE, {}, {});
  }
  CHECK_THAT(refusal(path + ":huge"), ContainsSubstring("would become more than"));
  CHECK_THAT(refusal(path + ":beyond"), ContainsSubstring("would become more than"));
  CHECK_THAT(refusal(path + ":elsewhere"), ContainsSubstring("values in other files"));
  CHECK_THAT(refusal(path + ":null"), ContainsSubstring("0 dimensions"));

  // Cut off at each of many places, a file is refused.
  const std::string bytes = io::read_file(path);
  for (std::size_t size = 0; size < bytes.size(); size += 97)
    CHECK_THAT(refusal(directory.file("cut.h5", bytes.substr(0, size))),
               ContainsSubstring("cut.h5: is not in HDF5 format, or is damaged"));
}

TEST_CASE("hdf5: damaged values are refused", "[io][hdf5]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("x.h5");
  const Matrix<double> x = test::uniform_samples<double>(500, 4, 3);
  {
    const Writer file(path);
    const hid_t properties = compressed({100, 4});
    H5Pset_fletcher32(properties);
    file.add("x", H5T_IEEE_F64LE, {500, 4}, row_major(x), properties);
    H5Pclose(properties);
  }
  std::string bytes = io::read_file(path);
  REQUIRE(io::read_hdf5<double>(path) == x);
  bytes[bytes.size() - 100] ^= 1;
  const std::string damaged = directory.file("damaged.h5", bytes);
  CHECK_THAT(file_error([&] { return io::read_hdf5<double>(damaged); }),
             ContainsSubstring("damaged.h5:x: cannot be read: "));
}

}  // namespace hdf5_test

#endif  // defined(MERCER_HAS_HDF5)
