// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/math/chunks.hpp>

#include <tests/support/catch.hpp>
#include <tests/support/samples.hpp>

namespace chunks_test {

using namespace mercer;

SCALAR_TEST_CASE("apply_in_chunks: each value alone, wherever it is, and no other", "[core]") {
  using S = TestType;
  const auto f = [](const auto& v) { return (v * S(0.7)).exp() - S(1); };
  const Vector<S> numbers = test::uniform_samples<S>(90, 1, 1, 0, 3);
  Vector<S> alone = numbers;
  for (Index i = 0; i < alone.size(); ++i) detail::apply_in_chunks(&alone(i), 1, f);
  for (const Index begin : {0, 1, 2, 3, 5})
    for (const Index count : {0, 1, 31, 32, 33, 64, 75}) {
      Vector<S> values = numbers;
      detail::apply_in_chunks(values.data() + begin, count, f);
      CHECK(values.segment(begin, count) == alone.segment(begin, count));
      CHECK(values.head(begin) == numbers.head(begin));
      CHECK(values.tail(90 - begin - count) == numbers.tail(90 - begin - count));
    }
}

}  // namespace chunks_test
