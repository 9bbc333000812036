// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/streams/sample_digest.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace sample_digest_test {

using namespace mercer;

namespace {

SampleDigest digest_of(const Matrix<double>& x) {
  SampleDigest digest;
  digest.add<double>(x);
  return digest;
}

}  // namespace

TEST_CASE("SampleDigest: batches do not matter", "[core]") {
  const Matrix<double> x = test::uniform_samples<double>(23, 5, 1);
  const SampleDigest whole = digest_of(x);
  CHECK(whole.rows == 23);
  for (const Index size : {1, 4, 22}) {
    SampleDigest parts;
    for (Index first = 0; first < x.rows(); first += size)
      parts.add<double>(x.middleRows(first, (std::min)(size, x.rows() - first)));
    CHECK(parts == whole);
  }
  SampleDigest with_nothing = whole;
  with_nothing.add<double>(Matrix<double>(0, 5));
  CHECK(with_nothing == whole);
}

TEST_CASE("SampleDigest: single precision counts as the values that it stands for", "[core]") {
  const Matrix<float> x = test::uniform_samples<float>(7, 3, 2);
  SampleDigest digest;
  digest.add<float>(x);
  CHECK(digest == digest_of(x.cast<double>()));
}

TEST_CASE("SampleDigest: every change shows", "[core]") {
  const Matrix<double> x = test::uniform_samples<double>(6, 4, 3);
  const SampleDigest digest = digest_of(x);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) {
      Matrix<double> y = x;
      y(i, j) = std::nextafter(y(i, j), std::numeric_limits<double>::infinity());
      CHECK(digest_of(y) != digest);
    }
  Matrix<double> y = x;
  y.row(1).swap(y.row(2));
  CHECK(digest_of(y) != digest);
  y = x;
  y.col(0).swap(y.col(1));
  CHECK(digest_of(y) != digest);
  CHECK(digest_of(x.topRows(5)) != digest);
  CHECK(digest_of(Matrix<double>::Zero(2, 2)).checksum !=
        digest_of(Matrix<double>::Zero(3, 2)).checksum);
}

TEST_CASE("SampleDigest: is the same on every machine, and in every version", "[core]") {
  // By hand: ((0 ^ 0x3ff0000000000000) * 0x9e3779b97f4a7c15 + 1) mod 2^64, then its upper half
  // exclusive-ored into the lower one.
  Matrix<double> x(1, 1);
  x << 1.0;
  CHECK(digest_of(x) == SampleDigest{1, 0x7eb000007eb00001U});
}

}  // namespace sample_digest_test
