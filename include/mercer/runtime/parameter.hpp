// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Parameters of things that are chosen at run time: names, ranges, defaults and descriptions, and
/// values that are checked against them.

#ifndef MERCER_RUNTIME_PARAMETER_HPP
#define MERCER_RUNTIME_PARAMETER_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The value of a parameter: a number, a whole number, or a word.
using ParameterValue = std::variant<double, Index, std::string>;

/// Values by the names of their parameters: {{"alpha", 0.5}, {"degree", 3}, {"loss", "square"}}.
using Settings = std::map<std::string, ParameterValue, std::less<>>;

/// The value as text, from which it can be read again.
[[nodiscard]] inline std::string to_text(const ParameterValue& value) {
  return std::visit([](const auto& v) { return detail::to_text(v); }, value);
}

/// Texts as they are enumerated: "a, b or c".
[[nodiscard]] inline std::string enumerated(const std::vector<std::string>& words,
                                            std::string_view last = " or ") {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < words.size() ? ", " : last).append(words[i]);
  return text;
}

/// The numbers that a parameter may be. They are always finite.
struct NumberRange {
  double minimum = -std::numeric_limits<double>::infinity();  ///< the smallest number
  double maximum = std::numeric_limits<double>::infinity();   ///< the largest number
  bool above_minimum = false;                                 ///< the minimum itself is outside
  bool below_maximum = false;                                 ///< the maximum itself is outside
  bool whole = false;                                         ///< whole numbers only

  /// Whether a parameter may have this value.
  [[nodiscard]] bool contains(double value) const {
    return std::isfinite(value) && (above_minimum ? value > minimum : value >= minimum) &&
           (below_maximum ? value < maximum : value <= maximum) &&
           (!whole || value == std::floor(value));
  }

  /// "a number greater than 0", "a whole number from 1 to 1000".
  [[nodiscard]] std::string describe() const {
    using detail::to_text;
    if (whole)
      return "a whole number from " + to_text(static_cast<std::int64_t>(minimum)) + " to " +
             to_text(static_cast<std::int64_t>(maximum));
    const bool bounded_below = std::isfinite(minimum), bounded_above = std::isfinite(maximum);
    if (!bounded_below && !bounded_above) return "a finite number";
    std::string text = "a number";
    if (bounded_below)
      text += (above_minimum ? " greater than " : " of at least ") + to_text(minimum);
    if (bounded_above)
      text += std::string(bounded_below ? (below_maximum ? " and" : ",") : "") +
              (below_maximum ? " less than " : " at most ") + to_text(maximum);
    return text;
  }
};

inline constexpr NumberRange finite_number{};  ///< any number
inline constexpr NumberRange positive_number{.minimum = 0,
                                             .above_minimum = true};  ///< a number above 0
inline constexpr NumberRange not_negative_number{.minimum = 0};       ///< 0 or a number above it
/// Whole numbers of things; at most those that fit an int of 32 bits.
[[nodiscard]] constexpr NumberRange whole_number(
    Index least, Index most = (std::numeric_limits<std::int32_t>::max)()) {
  return {
      .minimum = static_cast<double>(least), .maximum = static_cast<double>(most), .whole = true};
}

/// What a program that has the samples takes as default of a parameter.
enum class Suggestion {
  None,              ///< the default of the parameter
  Distance,          ///< a typical distance between samples, as median_distance()
  InverseDimension,  ///< 1 / d
};

/// What is known of a parameter.
struct Parameter {
  std::string name;                       ///< "step_offset"
  std::string description;                ///< for people; without name, range and default
  NumberRange range = {};                 ///< of a number
  std::vector<std::string> choices = {};  ///< of a word; a parameter with choices is no number
  std::optional<ParameterValue> fallback = {};  ///< the default, if it is always the same
  /// What is done if it is not given and has no fallback. Empty: then it must be given.
  std::string otherwise = {};
  Suggestion suggestion = Suggestion::None;  ///< a default that follows from the samples
  std::string instead_of = {};               ///< the parameter whose place it takes

  /// Whether it is one of some words; otherwise it is a number.
  [[nodiscard]] bool is_word() const { return !choices.empty(); }
  /// Whether it must be given.
  [[nodiscard]] bool is_required() const { return !fallback && otherwise.empty(); }

  /// What a value must be: "a number greater than 0", "one of oja, gha".
  [[nodiscard]] std::string requirement() const {
    return is_word() ? "one of " + enumerated(choices, ", ") : range.describe();
  }

  /// The value in the form of this parameter, or nothing if it is not what it must be.
  [[nodiscard]] std::optional<ParameterValue> accept(const ParameterValue& value) const {
    if (const auto* word = std::get_if<std::string>(&value)) {
      if (std::find(choices.begin(), choices.end(), *word) == choices.end()) return {};
      return value;
    }
    const auto* whole = std::get_if<Index>(&value);
    const double number = whole ? static_cast<double>(*whole) : std::get<double>(value);
    if (is_word() || !range.contains(number)) return {};
    if (!range.whole) return number;
    return whole ? *whole : static_cast<Index>(number);
  }
};

/// A caller's mistake in one parameter. Programs that have options for parameters can name these.
class ParameterError : public InvalidArgument {
 public:
  /// what() is "owner: parameter problem", or "owner: parameter value: problem".
  ParameterError(std::string owner, std::string parameter, std::string problem,
                 std::string value = {})
      : InvalidArgument(owner + ": " + parameter + (value.empty() ? "" : " " + value + ":") + " " +
                        problem),
        owner_(std::move(owner)),
        parameter_(std::move(parameter)),
        value_(std::move(value)),
        problem_(std::move(problem)) {}

  [[nodiscard]] const std::string& owner() const { return owner_; }          ///< "gaussian"
  [[nodiscard]] const std::string& parameter() const { return parameter_; }  ///< "sigma"
  [[nodiscard]] const std::string& value() const { return value_; }          ///< may be empty
  [[nodiscard]] const std::string& problem() const {
    return problem_;
  }  ///< what is wrong, as the end of a sentence

 private:
  std::string owner_, parameter_, value_, problem_;
};

/// The settings of one thing, checked against its parameters, with defaults for the others.
class Arguments {
 public:
  /// Throws ParameterError for a name that is none of the parameters, for a value that is not what
  ///   it must be, for a required parameter that is missing, and for two of which one takes the
  ///   place of the other.
  Arguments(std::string owner, const std::vector<Parameter>& parameters, const Settings& given)
      : owner_(std::move(owner)) {
    require_known(parameters, given);
    for (const Parameter& p : parameters) {
      const auto found = given.find(p.name);
      if (found != given.end()) {
        if (given.contains(p.instead_of))
          refuse(p.name, "takes the place of " + p.instead_of + ", which is given too");
        const std::optional<ParameterValue> value = p.accept(found->second);
        if (!value)
          refuse(p.name, "must be " + p.requirement() + ", got " + to_text(found->second));
        given_[p.name] = values_[p.name] = *value;
      } else if (p.is_required()) {
        refuse(p.name, "is needed, " + p.requirement());
      } else if (p.fallback) {
        values_[p.name] = *p.fallback;
      }
    }
  }

  /// What the settings are of: "gaussian".
  [[nodiscard]] const std::string& owner() const { return owner_; }

  /// Whether the caller gave a value.
  [[nodiscard]] bool has(std::string_view name) const { return given_.contains(name); }

  /// The value that was given, or else the default, which the parameter must have.
  [[nodiscard]] double number(std::string_view name) const { return get<double>(values_, name); }
  /// See number().
  [[nodiscard]] Index whole(std::string_view name) const { return get<Index>(values_, name); }
  /// See number().
  [[nodiscard]] const std::string& word(std::string_view name) const {
    return get<std::string>(values_, name);
  }

  /// \p target becomes the value, if one was given.
  template <class T>
  void set(std::string_view name, T& target) const {
    if (has(name)) target = static_cast<T>(get<Stored<T>>(given_, name));
  }

  /// The value that was given, or null.
  [[nodiscard]] const ParameterValue* find(std::string_view name) const {
    const auto found = given_.find(name);
    return found == given_.end() ? nullptr : &found->second;
  }

  /// The value that was given, if one was.
  template <class T>
  [[nodiscard]] std::optional<T> optional(std::string_view name) const {
    if (!has(name)) return {};
    return get<T>(given_, name);
  }

  /// Throws ParameterError.
  [[noreturn]] void refuse(const std::string& parameter, const std::string& problem,
                           const std::string& value = {}) const {
    throw ParameterError(owner_, parameter, problem, value);
  }

 private:
  template <class T>
  using Stored = std::conditional_t<
      std::is_integral_v<T>, Index,
      std::conditional_t<std::is_convertible_v<T, std::string>, std::string, double>>;

  template <class T>
  [[nodiscard]] static const T& get(const Settings& settings, std::string_view name) {
    const auto found = settings.find(name);
    MERCER_ASSERT(found != settings.end());
    return std::get<T>(found->second);
  }

  void require_known(const std::vector<Parameter>& parameters, const Settings& given) const {
    std::vector<std::string> names;
    for (const Parameter& p : parameters) names.push_back(p.name);
    for (const auto& [name, value] : given)
      if (std::find(names.begin(), names.end(), name) == names.end())
        refuse(name, names.empty() ? "is not known; there are no parameters"
                                   : "is not known; there is " + enumerated(names, " and "));
  }

  std::string owner_;
  Settings values_, given_;
};

}  // namespace mercer

#endif  // MERCER_RUNTIME_PARAMETER_HPP
