// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cstddef>
#include <limits>
#include <string_view>
#include <system_error>

#include <mercer/io/from_chars.hpp>
#include <mercer/io/text.hpp>
#include <tests/support/catch.hpp>

namespace from_chars_test {

using mercer::detail::NumberError;
using mercer::detail::parse_number;
namespace io = mercer::io;

namespace {

/// The value, and how many characters belong to it.
template <class T>
struct Read {
  T value;
  std::ptrdiff_t length;
  std::errc error;
};

template <class T>
Read<T> read(std::string_view text) {
  T value{};
  const auto [end, error] = io::from_chars(text.data(), text.data() + text.size(), value);
  return {value, end - text.data(), error};
}

}  // namespace

SCALAR_TEST_CASE("from_chars: the nearest number of the type", "[io]") {
  using T = TestType;
  CHECK(read<T>("0.1").value == T(0.1L));
  CHECK(read<T>("-12.5e-1").value == T(-1.25));
  CHECK(read<T>("3.40282346638528859811704183484516925440e+38").value ==
        T(std::numeric_limits<float>::max()));
  // Half way between 1 and the next float, 1 + 2^-23, and a little above.
  CHECK(read<float>("1.000000059604644775390625").value == 1.0F);
  CHECK(read<float>("1.0000000596046447753906251").value == 1.0F + 0x1p-23F);
  CHECK(read<double>("5e-324").value == std::numeric_limits<double>::denorm_min());
  CHECK(read<double>("1.7976931348623157e308").value == (std::numeric_limits<double>::max)());
}

TEMPLATE_TEST_CASE("from_chars: stops behind the number", "[io]", float, double, int) {
  CHECK(read<TestType>("12;34").value == TestType(12));
  CHECK(read<TestType>("12;34").length == 2);
  CHECK(read<TestType>("7").length == 1);
  for (const std::string_view text : {"", "x", " 1", "+1", ";", "-"}) {
    CAPTURE(text);
    CHECK(read<TestType>(text).error == std::errc::invalid_argument);
    CHECK(read<TestType>(text).length == 0);
  }
}

SCALAR_TEST_CASE("from_chars: numbers out of range are told apart", "[io]") {
  TestType value{};
  CHECK(parse_number("1e999", value) == NumberError::OutOfRange);
  CHECK(parse_number("-1e999", value) == NumberError::OutOfRange);
  CHECK(parse_number("inf", value) == NumberError::NotFinite);
  CHECK(parse_number("nan", value) == NumberError::NotFinite);
  CHECK(parse_number("1e-999", value) == NumberError::None);
  CHECK(value == 0);
}

}  // namespace from_chars_test
