// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/io/npy/npz_sparse.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mercer/io/checksum.hpp>
#include <mercer/io/samples.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace npz_sparse_test {

namespace {

using Catch::Matchers::ContainsSubstring;
using mercer::Matrix;
using mercer::SparseMatrix;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;

std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xffU);
  return bytes;
}

/// A .npy file. \p elements are bytes.
std::string npy(const std::string& type, const std::string& shape, const std::string& elements) {
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
  return "\x93NUMPY" + number(1, 2) + number(header.size(), 2) + header + elements;
}

std::string integers(const std::vector<int>& values) {
  std::string bytes;
  for (const int value : values) bytes += number(static_cast<std::uint32_t>(value), 4);
  return npy("<i4", "(" + std::to_string(values.size()) + ",)", bytes);
}

using Arrays = std::map<std::string, std::string>;

/// A ZIP archive of files that are stored as they are.
std::string zip(const Arrays& files) {
  std::string bytes, directory;
  for (const auto& [name, content] : files) {
    const std::string sizes = number(mercer::detail::crc32(content), 4) +
                              number(content.size(), 4) + number(content.size(), 4) +
                              number(name.size() + 4, 2) + number(0, 2);
    directory += "PK\1\2" + number(0, 4) + number(0, 2) + number(0, 2) + number(0, 4) + sizes +
                 std::string(10, '\0') + number(bytes.size(), 4) + name + ".npy";
    bytes += "PK\3\4" + number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4) + sizes + name +
             ".npy" + content;
  }
  return bytes + directory + "PK\5\6" + number(0, 4) + number(files.size(), 2) +
         number(files.size(), 2) + number(directory.size(), 4) + number(bytes.size(), 4) +
         number(0, 2);
}

/// [0 5 0 6; 0 0 0 0; 7 0 0 0], as scipy.sparse.save_npz writes it.
Arrays csr() {
  return {{"format", npy("|S3", "()", "csr")},
          {"shape", integers({3, 4})},
          {"data", npy("|i1", "(3,)", "\5\6\7")},
          {"indices", integers({1, 3, 0})},
          {"indptr", integers({0, 2, 2, 3})}};
}

Matrix<double> expected() {
  return (Matrix<double>(3, 4) << 0, 5, 0, 6, 0, 0, 0, 0, 7, 0, 0, 0).finished();
}

SparseMatrix<double> read(const TemporaryDirectory& directory, const Arrays& arrays) {
  return std::get<SparseMatrix<double>>(
      mercer::io::read_samples<double>(directory.file("x.npz", zip(arrays))));
}

}  // namespace

TEST_CASE("npz: sparse matrices of SciPy", "[io][npz]") {
  const TemporaryDirectory directory;
  CHECK(Matrix<double>(read(directory, csr())) == expected());

  Arrays csc = csr();
  csc["format"] = npy("|S3", "()", "csc");
  csc["indices"] = integers({2, 0, 0});
  csc["indptr"] = integers({0, 1, 2, 2, 3});
  csc["data"] = npy("|i1", "(3,)", "\7\5\6");
  CHECK(Matrix<double>(read(directory, csc)) == expected());

  // In any order; what is given twice is added.
  Arrays coo = csr();
  coo["format"] = npy("|S3", "()", "coo");
  coo["row"] = integers({2, 0, 0, 2});
  coo["col"] = integers({0, 3, 1, 0});
  coo["data"] = npy("|i1", "(4,)", "\4\6\5\3");
  CHECK(Matrix<double>(read(directory, coo)) == expected());

  // One of its arrays by name.
  const std::string path = directory.file("x.npz", zip(csr()));
  const auto indices = mercer::io::read_samples<double>(path + ":indices");
  CHECK(std::get<Matrix<double>>(indices) == (Matrix<double>(3, 1) << 1, 3, 0).finished());
}

TEST_CASE("npz: sparse matrices that cannot be", "[io][npz]") {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& name, const std::string& array) {
    Arrays arrays = csr();
    if (array.empty())
      arrays.erase(name);
    else
      arrays[name] = array;
    return file_error([&] { return read(directory, arrays); });
  };
  CHECK_THAT(error("format", npy("|S3", "()", "bsr")), ContainsSubstring("csr, csc and coo are"));
  CHECK_THAT(error("indptr", ""), ContainsSubstring("has no array 'indptr'"));
  CHECK_THAT(error("shape", integers({3, 4, 1})), ContainsSubstring("needs two extents, found 3"));
  CHECK_THAT(error("shape", integers({3, -4})), ContainsSubstring("impossible extent -4"));
  CHECK_THAT(error("shape", integers({1 << 30, 4})), ContainsSubstring("wrong sizes"));
  CHECK_THAT(error("shape", integers({3, 3})), ContainsSubstring("outside of 3 x 3"));
  CHECK_THAT(error("indices", integers({1, 3})), ContainsSubstring("3 values at 3 rows and 2"));
  CHECK_THAT(error("indices", integers({1, -1, 0})), ContainsSubstring("outside of 3 x 4"));
  CHECK_THAT(error("indices", npy("<f4", "(3,)", std::string(12, '\0'))),
             ContainsSubstring("no whole numbers in 'indices'"));
  for (const std::vector<int>& begins :
       {std::vector<int>{0, 2, 3}, {0, 2, 1, 3}, {1, 2, 2, 3}, {0, 2, 2, 4}, {0, 2, 2, -1}})
    CHECK_THAT(error("indptr", integers(begins)), ContainsSubstring("'indptr' that does not fit"));
}

}  // namespace npz_sparse_test
