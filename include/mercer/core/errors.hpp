// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How mercer reports a caller's mistake: one exception type, with messages that name the wrong
/// thing and its value.

#ifndef MERCER_CORE_ERRORS_HPP
#define MERCER_CORE_ERRORS_HPP

#include <cassert>
#include <charconv>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include <mercer/core/types.hpp>

/// Checks mercer's own invariants, never the caller's input. NDEBUG removes it.
#define MERCER_ASSERT(condition) assert(condition)

namespace mercer {

/// A caller's mistake: shape, parameter, option or data outside the domain.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// The shortest text that reads back as the same number.
template <class T>
  requires std::integral<T> || std::floating_point<T>
[[nodiscard]] std::string to_text(T value) {
  if constexpr (std::same_as<T, bool>) {
    return value ? "true" : "false";
  } else {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
  }
}

[[nodiscard]] inline std::string to_text(std::string_view text) {
  return std::string(text);
}

/// A part of a message: a text or a number. It owns nothing, so that the many lines that build
/// messages compile to a few stores.
class MessagePart {
 public:
  MessagePart(std::string_view text) : value_(text) {}  // NOLINT: implicit, as all below
  MessagePart(const std::string& text) : value_(std::string_view(text)) {}  // NOLINT
  MessagePart(const char* text) : value_(std::string_view(text)) {}         // NOLINT
  template <class T>
    requires std::integral<T> || std::floating_point<T> MessagePart(T value)
        : value_(stored(value)) {}  // NOLINT

    void append_to(std::string& message) const {
      std::visit([&](auto value) { message += to_text(value); }, value_);
    }

   private:
    template <class T>
    [[nodiscard]] static auto stored(T value) {
      if constexpr (std::floating_point<T> || std::same_as<T, bool>)
        return value;
      else if constexpr (std::signed_integral<T>)
        return static_cast<long long>(value);
      else
        return static_cast<unsigned long long>(value);
    }

    std::variant<std::string_view, bool, long long, unsigned long long, float, double> value_;
};

[[nodiscard]] inline std::string joined(std::initializer_list<MessagePart> parts) {
  std::string message;
  for (const MessagePart& part : parts) part.append_to(message);
  return message;
}

/// Joins the parts into one message and throws InvalidArgument.
[[noreturn]] inline void fail_with(std::initializer_list<MessagePart> parts) {
  throw InvalidArgument(joined(parts));
}

/// Joins its arguments into one message and throws InvalidArgument.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  fail_with({MessagePart(parts)...});
}

/// Returns work(), or adds the name of a view to the InvalidArgument that it throws.
template <class Work>
decltype(auto) naming_view(std::string_view view, const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    std::string message = "mercer: view ";
    message += view;
    message += ": ";
    message += error.what();
    throw InvalidArgument(message);
  }
}

/// Returns work(), which is about a part of the samples and counts rows from its beginning: adds
/// the first row of the part to the InvalidArgument that it throws.
template <class Work>
decltype(auto) counting_from(Index first, const Work& work) {
  try {
    return work();
  } catch (const InvalidArgument& error) {
    if (first == 0) throw;
    fail(error.what(), ", in the rows from ", first, " on");
  }
}

/// Throws unless \p value is finite and greater than zero.
inline double require_positive(std::string_view who, std::string_view name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    fail("mercer::", who, ": ", name, " must be positive and finite, got ", value);
  return value;
}

/// Throws unless a length is finite and greater than zero, and \p scale / value is finite, too: at
/// the very end of the range of numbers it is not.
inline double require_length(std::string_view who, std::string_view name, double value,
                             double scale = 1) {
  require_positive(who, name, value);
  if (!std::isfinite(scale / value))
    fail("mercer::", who, ": ", name, " must be at least ",
         scale / (std::numeric_limits<double>::max)(), ", got ", value);
  return value;
}

/// Throws unless \p value is finite and not negative.
inline void require_not_negative(std::string_view who, std::string_view name, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    fail("mercer::", who, ": ", name, " must be finite and not negative, got ", value);
}

/// Throws unless \p value is at least \p least.
template <class Integer>
void require_at_least(std::string_view who, std::string_view name, Integer value, Integer least) {
  if (value < least)
    fail("mercer::", who, ": ", name, " must be at least ", least, ", got ", value);
}

/// Throws unless \p value is finite.
inline double require_finite(std::string_view who, std::string_view name, double value) {
  if (!std::isfinite(value)) fail("mercer::", who, ": ", name, " must be finite, got ", value);
  return value;
}

/// Throws unless \p a has this many rows and columns and is finite.
template <class Derived>
void require_matrix(std::string_view who, std::string_view what, const Eigen::DenseBase<Derived>& a,
                    Index rows, Index cols) {
  if (a.rows() != rows || a.cols() != cols)
    fail("mercer::", who, ": ", what, " must be ", rows, " x ", cols, ", got ", a.rows(), " x ",
         a.cols());
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      if (!std::isfinite(a.derived()(i, j)))
        fail("mercer::", who, ": ", what, " must be finite, got ", a.derived()(i, j), " at row ", i,
             ", column ", j, " (counted from 0)");
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_ERRORS_HPP
