// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <rapidcheck.h>
#include <mercer/io/libsvm.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

namespace libsvm_test {

using Catch::Matchers::StartsWith;
using mercer::Index;
using mercer::Matrix;
using mercer::test::content_of;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

namespace {

template <class Scalar = double>
io::LabeledSamples<Scalar> read_text(const std::string& text, Index dimension = 0) {
  const TemporaryDirectory directory;
  return io::read_libsvm<Scalar>(directory.file("data.svm", text), dimension);
}

/// The message for a text that cannot be read, without the path in front.
std::string read_error(const std::string& text, Index dimension = 0) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("data.svm", text);
  const std::string message = file_error([&] { return io::read_libsvm<double>(path, dimension); });
  CHECK_THAT(message, StartsWith(path + ": "));
  return message.substr((std::min)(path.size() + 2, message.size()));
}

}  // namespace

SCALAR_TEST_CASE("libsvm: labels and entries", "[io][libsvm]") {
  const auto data = read_text<TestType>("+1 1:0.5 3:-2\n-1\n2.5 2:1e2 \n");
  Matrix<TestType> expected = Matrix<TestType>::Zero(3, 3);
  expected(0, 0) = TestType(0.5);
  expected(0, 2) = -2;
  expected(2, 1) = 100;
  CHECK(Matrix<TestType>(data.samples) == expected);
  CHECK(data.samples.nonZeros() == 3);
  CHECK(data.samples.isCompressed());
  CHECK(data.labels == Eigen::Vector3d(1, -1, 2.5));
}

TEST_CASE("libsvm: comments, blank lines, tabs and carriage returns", "[io][libsvm]") {
  const auto data = read_text("# made by hand\n\n1\t1:1  2:2 # first\r\n   \n0 2:3\r\n#1 9:9\n");
  CHECK(Matrix<double>(data.samples) == (Matrix<double>(2, 2) << 1, 2, 0, 3).finished());
  CHECK(data.labels == Eigen::Vector2d(1, 0));
}

TEST_CASE("libsvm: a byte-order mark", "[io][libsvm]") {
  const TemporaryDirectory directory;
  const auto read = io::read_libsvm<double>(directory.file("x.svm",
                                                           "\xef\xbb\xbf"
                                                           "1 1:2\n0 2:1\n"));
  CHECK(read.samples.rows() == 2);
  CHECK(read.labels(0) == 1);
}

TEST_CASE("libsvm: a large index takes no memory", "[io][libsvm]") {
  const auto data = read_text("1 2147483646:1\n");
  CHECK(data.samples.cols() == 2147483646);
  CHECK(data.samples.data().allocatedSize() == 1);
}

TEST_CASE("libsvm: the dimension is the largest index or what is asked for", "[io][libsvm]") {
  CHECK(read_text("1 4:1\n").samples.cols() == 4);
  CHECK(read_text("1 4:1\n", 4).samples.cols() == 4);
  CHECK(read_text("1 4:1\n", 10).samples.cols() == 10);
  CHECK(read_text("1\n2\n").samples.cols() == 0);
  CHECK(read_error("1 1:1\n1 2:1 5:1\n", 4) == "index exceeds the dimension 4 at line 2: '5:1'");
  CHECK_THROWS_AS(read_text("1 4:1\n", -1), mercer::InvalidArgument);
}

SCALAR_TEST_CASE("libsvm: indices count from 0 if one of the file is 0", "[io][libsvm]") {
  using S = TestType;
  const Matrix<S> expected{{1, 2, 0}, {0, 0, 4}};
  // As scikit-learn's dump_svmlight_file writes it, also where the 0 comes last.
  const auto data = read_text<S>("1 0:1 1:2\n0 2:4\n");
  CHECK(Matrix<S>(data.samples) == expected);
  CHECK(data.indices_from_zero);
  CHECK(Matrix<S>(read_text<S>("0 2:4\n1 0:1 1:2\n").samples).colwise().reverse() == expected);
  CHECK(read_text<S>("1 0:1\n").samples.cols() == 1);
  CHECK(read_text<S>("1 0:1 2:2\n", 3).samples.cols() == 3);
  CHECK(read_text<S>("1 0:1 2:2\n", 5).samples.cols() == 5);
  // Another file of these data, in which the first column has no entry.
  const TemporaryDirectory directory;
  const std::string other = directory.file("x.svm", "1 2:4\n");
  CHECK(Matrix<S>(io::read_libsvm<S>(other, 3, true).samples) == Matrix<S>{{0, 0, 4}});
  CHECK(io::read_libsvm<S>(other, 0, true).samples.cols() == 3);
  CHECK_FALSE(io::read_libsvm<S>(other).indices_from_zero);
  CHECK(io::read_libsvm<S>(directory.file("x.svm", "1\n"), 0, true).samples.cols() == 0);
  CHECK(read_error("1 0:1\n1 3:1\n", 3) ==
        "index 3 exceeds the dimension 3, as indices count from 0 here");
  CHECK(read_error("1 0:1\n1 2147483647:1\n") ==
        "index 2147483647 exceeds the dimension 2147483647, as indices count from 0 here");
}

TEST_CASE("libsvm: numbers of queries are ignored", "[io][libsvm]") {
  const auto data = read_text("3 qid:1 1:0.5 2:2\n1 qid:10\n");
  CHECK(Matrix<double>(data.samples) == Matrix<double>{{0.5, 2}, {0, 0}});
  CHECK(data.labels == Eigen::Vector2d(3, 1));
}

TEST_CASE("libsvm: errors name the line and the text", "[io][libsvm]") {
  CHECK(read_error("1 1:1\n1:2 2:3\n") ==
        "no label: a line begins with a number, then come index:value pairs at line 2: '1:2'");
  CHECK(read_error("cat 1:1\n") == "label is not a number at line 1: 'cat'");
  CHECK(read_error("1,2 1:1\n") ==
        "several labels, and mercer reads one for each sample at line 1: '1,2'");
  CHECK(read_error("1,x 1:1\n") == "label is not a number at line 1: '1,x'");
  CHECK(read_error("nan 1:1\n") == "label is not a finite number at line 1: 'nan'");
  CHECK(read_error("1 -1:1\n") == "index is below 0 at line 1: '-1:1'");
  CHECK(read_error("1 0:1 0:2\n") == "index does not rise at line 1: '0:2'");
  CHECK(read_error("1 1:1 3:1 2:1\n") == "index does not rise at line 1: '2:1'");
  CHECK(read_error("\n\n1 2:1 2:1\n") == "index does not rise at line 3: '2:1'");
  CHECK(read_error("1 3000000000:1\n") == "index is too large at line 1: '3000000000:1'");
  CHECK(read_error("1 -3000000000:1\n") == "index is below 0 at line 1: '-3000000000:1'");
  for (const char* const query : {"qid:", "qid:x", "qid:-1", "sid:3"})
    CHECK(read_error(std::string("1 ") + query + " 1:1\n") ==
          std::string("expected index:value at line 1: '") + query + "'");
  CHECK(read_error("1 1:1 qid:3\n") == "expected index:value at line 1: 'qid:3'");
  CHECK(read_error("1 17\n") == "expected index:value at line 1: '17'");
  CHECK(read_error("1 1.5:1\n") == "expected index:value at line 1: '1.5:1'");
  CHECK(read_error("1 1:\n") == "value is not a number at line 1: '1:'");
  CHECK(read_error("1 1:2x\n") == "value is not a number at line 1: '1:2x'");
  CHECK(read_error("1 1: 2\n") == "value is not a number at line 1: '1:'");
  CHECK(read_error("1 1:inf\n") == "value is not a finite number at line 1: '1:inf'");
  CHECK(read_error("1 1:1e999\n") == "value is too large at line 1: '1:1e999'");
  CHECK(read_error("") == "has no samples");
  CHECK(read_error("# nothing\n") == "has no samples");
}

TEST_CASE("libsvm: what is written", "[io][libsvm]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("data.svm");
  const Matrix<double> dense = (Matrix<double>(2, 3) << 0, 0.5, 3, 0, 0, 0).finished();
  const mercer::SparseMatrix<double> samples = dense.sparseView();
  io::write_libsvm(path, samples, mercer::Vector<double>(Eigen::Vector2d(1, -0.5)));
  CHECK(content_of(path) == "1 2:0.5 3:3\n-0.5\n");
  CHECK_THROWS_AS(io::write_libsvm(path, samples, mercer::Vector<double>(Eigen::Vector3d(1, 2, 3))),
                  mercer::InvalidArgument);
}

SCALAR_TEST_CASE("libsvm: any finite samples come back as they were", "[io][libsvm][property]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("data.svm");
  CHECK(rc::check("read_libsvm(write_libsvm(x, y)) == (x, y)", [&] {
    const Index n = *rc::gen::inRange<Index>(1, 12), d = *rc::gen::inRange<Index>(1, 8);
    const auto values = *rc::gen::container<std::vector<TestType>>(
        static_cast<std::size_t>(n * d),
        rc::gen::weightedOneOf<TestType>(
            {{2, rc::gen::just(TestType(0))}, {1, rc::gen::arbitrary<TestType>()}}));
    const auto labels = *rc::gen::container<std::vector<double>>(static_cast<std::size_t>(n),
                                                                 rc::gen::arbitrary<double>());
    const Matrix<TestType> x = Eigen::Map<const Matrix<TestType>>(values.data(), n, d);
    const mercer::Vector<double> y = Eigen::Map<const mercer::Vector<double>>(labels.data(), n);
    const mercer::SparseMatrix<TestType> samples = x.sparseView(TestType(0), TestType(0));
    io::write_libsvm(path, samples, y);
    const auto data = io::read_libsvm<TestType>(path, d);
    RC_ASSERT(Matrix<TestType>(data.samples) == x);
    RC_ASSERT(data.labels == y);
  }));
}

TEST_CASE("libsvm: which prefixes of a file are read, and as what", "[io][libsvm]") {
  // A file that was cut must be refused wherever its last token is not a whole one, and nothing of
  // a sample may be lost or made up elsewhere.
  const std::string valid = "1 1:0.5 12:-2e-3\n# comment\n\n-1 7:1 8:+2 # more\r\n";
  const std::string refused = "refused", first = "1 1:0.5 12:-0.002;";
  // So many prefixes in a row, from the empty one on, and the samples that are in them.
  const std::vector<std::pair<std::size_t, std::string>> outcomes{
      {1, refused},                  // nothing
      {2, "1;"},                     // a label, and a space behind it
      {2, refused},                  // "1", "1:"
      {2, "1 1:0;"},                 // "1:0", "1:0."
      {2, "1 1:0.5;"},               // and a space
      {4, refused},                  // "1", "12", "12:", "12:-"
      {1, "1 1:0.5 12:-2;"},         // "12:-2"
      {2, refused},                  // "12:-2e", "12:-2e-"
      {13, first},                   // the line end, the comment, the blank line
      {1, refused},                  // "-"
      {2, first + "-1;"},            // and a space
      {2, refused},                  // "7", "7:"
      {2, first + "-1 7:1;"},        // and a space
      {3, refused},                  // "8", "8:", "8:+"
      {10, first + "-1 7:1 8:2;"}};  // the comment and the line end
  const TemporaryDirectory directory;
  std::size_t size = 0;
  for (const auto& [count, expected] : outcomes)
    for (std::size_t i = 0; i < count; ++i, ++size) {
      const std::string prefix = valid.substr(0, size);
      CAPTURE(prefix);
      const std::string path = directory.file("data.svm", prefix);
      std::string found;
      Index largest = 0;
      const bool rejected = mercer::test::rejects([&] {
        const auto data = io::read_libsvm<double>(path);
        for (Index row = 0; row < data.samples.rows(); ++row) {
          found += mercer::detail::to_text(data.labels(row));
          for (mercer::SparseMatrix<double>::InnerIterator entry(data.samples, row); entry;
               ++entry) {
            found += ' ' + mercer::detail::to_text(entry.col() + 1) + ':' +
                     mercer::detail::to_text(entry.value());
            largest = (std::max)(largest, Index{entry.col()} + 1);
          }
          found += ';';
        }
        CHECK(data.labels.size() == data.samples.rows());
        CHECK(data.samples.cols() == largest);
        return true;
      });
      CHECK((rejected ? refused : found) == expected);
    }
  CHECK(size == valid.size() + 1);
}

TEST_CASE("libsvm: any text is read or refused", "[io][libsvm][property]") {
  const TemporaryDirectory directory;
  CHECK(rc::check("characters that mean something to the reader", [&] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf("0123456789.:: \t\r\n-+e#n" + std::string(1, '\0')));
    const std::string path = directory.file("data.svm", text);
    Index n = 1;
    RC_ASSERT(
        mercer::test::rejects([&] { return n = io::read_libsvm<double>(path).samples.rows(); }) ||
        n > 0);
  }));
}

}  // namespace libsvm_test
