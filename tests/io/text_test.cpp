// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <rapidcheck.h>
#include <mercer/core/errors.hpp>
#include <mercer/io/text.hpp>
#include <tests/support/catch.hpp>

namespace text_test {

using mercer::detail::in_quotes;
using mercer::detail::NumberError;
using mercer::detail::parse_number;

TEST_CASE("text: what is shortened ends with a whole character", "[io][text]") {
  using mercer::detail::whole_characters;
  const std::string letters(39, 'a');
  CHECK(in_quotes(letters + "b") == "'" + letters + "b'");
  CHECK(in_quotes(letters + "bc") == "'" + letters + "b...'");
  // Two, three and four bytes, of which the first one has place.
  for (const std::string character : {"\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    CHECK(in_quotes(letters + character) == "'" + letters + "...'");
  CHECK(in_quotes(letters.substr(1) + "\xc3\xa4") == "'" + letters.substr(1) + "\xc3\xa4'");
  // Bytes that are no characters are counted one by one.
  CHECK(whole_characters("\xc3\xc3\xc3", 2) == "\xc3\xc3");
  CHECK(whole_characters("\xc3\xa4\xc3", 3) == "\xc3\xa4\xc3");
  CHECK(whole_characters("", 3).empty());
}

SCALAR_TEST_CASE("text: numbers in every usual form", "[io][text]") {
  TestType value{};
  const auto reads_as = [&](std::string_view text, TestType expected) {
    value = TestType(-77);
    return parse_number(text, value) == NumberError::None && value == expected;
  };
  CHECK(reads_as("0", 0));
  CHECK(reads_as("-0.5", TestType(-0.5)));
  CHECK(reads_as("+3", 3));
  CHECK(reads_as("1e2", 100));
  CHECK(reads_as("1E+2", 100));
  CHECK(reads_as(".25", TestType(0.25)));
  CHECK(reads_as("7.", 7));
}

SCALAR_TEST_CASE("text: what is not a number", "[io][text]") {
  TestType value{};
  for (const std::string_view text : {"", "+", "-", "++1", "+-1", "1x", "x1", "1,5", "1 2", " 1",
                                      "1 ", "0x10", "e5", "1e", "--1"})
    CHECK(parse_number(text, value) == NumberError::NotANumber);
  for (const std::string_view text : {"nan", "NaN", "-nan", "inf", "-INF", "Infinity"})
    CHECK(parse_number(text, value) == NumberError::NotFinite);
}

SCALAR_TEST_CASE("text: too large is an error, too small is zero", "[io][text]") {
  TestType value{};
  const std::string zeros(400, '0');
  for (const std::string& text : std::vector<std::string>{
           "1e400", "-1e400", "1" + zeros, "1" + zeros + "e-2", "0.001e99999",
           "1e99999999999999999999", "10e9223372036854775807", "100e9223372036854775806"})
    CHECK(parse_number(std::string_view(text), value) == NumberError::OutOfRange);
  for (const std::string& text : std::vector<std::string>{
           "1e-400", "-1e-400", "0." + zeros + "1", "0." + zeros + "1e2", "100e-99999",
           "1e-99999999999999999999", "0.01e-9223372036854775808", "0.001e-9223372036854775807"}) {
    value = TestType(1);
    CHECK(parse_number(std::string_view(text), value) == NumberError::None);
    CHECK(value == TestType(0));
  }
  value = TestType(1);
  const TestType smallest = std::numeric_limits<TestType>::denorm_min();
  CHECK(parse_number(std::string_view(mercer::detail::to_text(smallest)), value) ==
        NumberError::None);
  CHECK(value == smallest);
}

TEST_CASE("text: a value in a message is one short line", "[io][text]") {
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes("a\nb\x01") == "'a\\x0ab\\x01'");
  CHECK(in_quotes(std::string(100, 'y')) == "'" + std::string(40, 'y') + "...'");
}

TEST_CASE("text: nothing in it steers a terminal", "[io][text]") {
  using mercer::io::printable;
  CHECK(printable("a b~\\") == "a b~\\");
  CHECK(printable("\x1b[31mred\x7f\r\n\t") == "\\x1b[31mred\\x7f\\x0d\\x0a\\x09");
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  // Letters of two, three and four bytes stay.
  CHECK(printable("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") ==
        "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  // The control characters U+0080 to U+009F, U+009B being ESC [ in one; and what comes next.
  CHECK(printable("\xc2\x9b"
                  "1m") == "\\xc2\\x9b1m");
  CHECK(printable("\xc2\x80\xc2\xa0") == "\\xc2\\x80\xc2\xa0");
  // No UTF-8: lone bytes, characters cut short, ESC in more bytes than it takes, surrogates, and
  // numbers above U+10FFFF.
  CHECK(printable("\x9b"
                  "1m") == "\\x9b1m");
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");
  CHECK(printable("\xc3(") == "\\xc3(");
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");
  CHECK(printable("\xf0\x80\x80\x9b") == "\\xf0\\x80\\x80\\x9b");
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xff") == "\\xff");
  CHECK(in_quotes("\xc2\x9b\x9b") == "'\\xc2\\x9b\\x9b'");
}

TEST_CASE("text: lines end with or without carriage return", "[io][text]") {
  std::string_view text = "a\r\n\nb";
  CHECK(mercer::detail::take_line(text) == "a");
  CHECK(mercer::detail::take_line(text).empty());
  CHECK(mercer::detail::take_line(text) == "b");
  CHECK(text.empty());
}

TEST_CASE("text: every double reads back from its shortest form", "[io][text][property]") {
  CHECK(rc::check("shortest form", [](double number) {
    double value = 0;
    RC_ASSERT(parse_number(std::string_view(mercer::detail::to_text(number)), value) ==
              NumberError::None);
    RC_ASSERT(value == number);
  }));
}

}  // namespace text_test
