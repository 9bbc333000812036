// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <mercer/io/labels.hpp>
#include <mercer/io/npy/npy.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace labels_test {

using Catch::Matchers::ContainsSubstring;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

using Labels = std::vector<std::string>;

TEST_CASE("labels: words and numbers from text", "[io][labels]") {
  const TemporaryDirectory directory;
  CHECK(io::read_labels(directory.file("y.csv", "setosa\nvirginica\r\nsetosa\n\n")) ==
        Labels{"setosa", "virginica", "setosa"});
  CHECK(io::read_labels(directory.file("y.txt", "1\n02\n-3.50")) == Labels{"1", "02", "-3.50"});
  CHECK(io::read_labels(directory.file("y.tsv", "\"a, b\"\n c d \n")) == Labels{"a, b", "c d"});
}

TEST_CASE("labels: a header line is recognised", "[io][labels]") {
  const TemporaryDirectory directory;
  const std::string words = directory.file("words.csv", "species\nsetosa\nvirginica\n");
  CHECK(io::read_labels(words, 2) == Labels{"setosa", "virginica"});
  CHECK(io::read_labels(words, 3) == Labels{"species", "setosa", "virginica"});
  CHECK(io::read_labels(words) == Labels{"species", "setosa", "virginica"});
  CHECK(io::read_labels(directory.file("numbers.csv", "class\n0\n1\n")) == Labels{"0", "1"});
  CHECK(io::read_labels(directory.file("one.csv", "class\n")) == Labels{"class"});
  // One number too many, and one too few below a header, are not shifted into place.
  const std::string three = directory.file("three.csv", "1\n0\n2\n");
  CHECK_THAT(file_error([&] { return io::read_labels(three, 2); }),
             ContainsSubstring("has 3 labels for 2 samples"));
  const std::string header = directory.file("header.csv", "class\n0\n2\n");
  CHECK_THAT(file_error([&] { return io::read_labels(header, 3); }),
             ContainsSubstring("has 2 labels for 3 samples"));
}

TEST_CASE("labels: comments before the labels, as numpy.savetxt writes them", "[io][labels]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("y.txt", "# from 2024\n#\r\n# species\n3\n1\n");
  CHECK(io::read_labels(path) == Labels{"3", "1"});
  CHECK(io::read_labels(path, 2) == Labels{"3", "1"});
  CHECK(io::read_labels(directory.file("colours.csv", "#ff0000\n#00ff00\n")) ==
        Labels{"#ff0000", "#00ff00"});
  CHECK_THAT(file_error([&] { return io::read_labels(directory.file("b.csv", "# a\nb\n\nc")); }),
             ContainsSubstring("missing at line 3"));
}

TEST_CASE("labels: numbers from .npy", "[io][labels]") {
  const TemporaryDirectory directory;
  const auto npy = [&](const std::string& type, const std::string& shape,
                       const std::string& elements) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
    const std::string preamble{
        '\x93', 'N', 'U', 'M', 'P', 'Y', '\1', '\0', static_cast<char>(header.size()), '\0'};
    return directory.file("y.npy", preamble + header + elements);
  };
  CHECK(io::read_labels(npy("|u1", "(3,)", "\x01\x02\xff")) == Labels{"1", "2", "255"});
  CHECK(io::read_labels(npy("|i1", "(2, 1)", "\x01\xff")) == Labels{"1", "-1"});
  CHECK(io::read_labels(npy("|b1", "(2,)", std::string("\x01\x00", 2))) == Labels{"1", "0"});
  // Beyond the whole numbers that a double holds exactly.
  CHECK(io::read_labels(npy(">i8", "(1,)", std::string("\x7f\xff\xff\xff\xff\xff\xff\xfe"))) ==
        Labels{"9223372036854775806"});
  const std::string floats = directory.path("floats.npy");
  io::write_npy(floats, Eigen::Vector3d(1, -0.5, 0.1));
  CHECK(io::read_labels(floats, 3) == Labels{"1", "-0.5", "0.1"});
  // Floats without a fraction are written as integers are.
  io::write_npy(floats, Eigen::Vector4d(100000, -3e7, -0.0, 1e300));
  CHECK(io::read_labels(floats) == Labels{"100000", "-30000000", "0", "1e+300"});
  io::write_npy(floats, Eigen::Vector2f(100000, 0.1F));
  CHECK(io::read_labels(floats) == Labels{"100000", "0.1"});
  CHECK_THAT(file_error([&] { return io::read_labels(npy("|u1", "(1, 2)", "ab")); }),
             ContainsSubstring("y.npy: labels need an array of one dimension, found shape (1, 2)"));
}

TEST_CASE("labels: those of LIBSVM's format", "[io][labels]") {
  const TemporaryDirectory directory;
  const std::string svm = directory.file("y.svm", "+1 1:0.5\n-1\n2.5 3:1\n");
  CHECK(io::read_labels(svm, 3) == Labels{"1", "-1", "2.5"});
  CHECK_THAT(file_error([&] { return io::read_labels(svm, 2); }),
             ContainsSubstring("has 3 labels for 2 samples"));
}

TEST_CASE("labels: what is not one label for each sample is an error", "[io][labels]") {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& text, mercer::Index samples = 0) {
    const std::string path = directory.file("y.csv", text);
    return file_error([&] { return io::read_labels(path, samples); });
  };
  CHECK_THAT(error("a,b\n"), ContainsSubstring("y.csv: labels need a single column, found 2 fields "
                                               "at line 1: 'a,b'"));
  CHECK_THAT(error("a\nb,c\n"), ContainsSubstring("found 2 fields at line 2: 'b,c'"));
  CHECK_THAT(error("a\n\nb\n"), ContainsSubstring("y.csv: labels are missing at line 2"));
  CHECK_THAT(error("a\n\"b\n"), ContainsSubstring("unclosed quote at line 2"));
  CHECK_THAT(error(""), ContainsSubstring("y.csv: is empty"));
  CHECK_THAT(error("a\nb\n", 4), ContainsSubstring("y.csv: has 2 labels for 4 samples"));
  CHECK_THAT(error("a\nb\nc\n", 1), ContainsSubstring("y.csv: has 3 labels for 1 samples"));
  CHECK_THAT(error("a\rb\rc"), ContainsSubstring("y.csv: its lines end in CR alone"));
  const std::string unknown = directory.file("y.mtx", "1\n");
  CHECK_THAT(file_error([&] { return io::read_labels(unknown); }),
             ContainsSubstring("no labels are read from .mtx files; known are .npy, .npz, .csv"));
}

TEST_CASE("labels: the content tells the format if the name does not", "[io][labels]") {
  const TemporaryDirectory directory;
  CHECK(io::read_labels(directory.file("y.data", "a b\nc\n")) == Labels{"a b", "c"});
  CHECK(io::read_labels(directory.file("y", "+1 1:0.5\n-1 2:3\n")) == Labels{"1", "-1"});
  io::write_npy(directory.path("y.npy"), Eigen::Vector2d(1, 2));
  std::filesystem::copy_file(directory.path("y.npy"), directory.path("y.bin"));
  CHECK(io::read_labels(directory.path("y.bin")) == Labels{"1", "2"});
  const std::string parquet = directory.file("y.parquet", std::string("PAR1\x15\0", 6));
  CHECK_THAT(file_error([&] { return io::read_labels(parquet); }),
             ContainsSubstring("y.parquet: is a Parquet file"));
}

}  // namespace labels_test
