// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Settings of fits as text, and in what those of two fits differ.

#ifndef MERCER_CORE_FIT_SETTING_HPP
#define MERCER_CORE_FIT_SETTING_HPP

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// A setting that a fit depends on, as text: {"seed", "1"}.
struct FitSetting {
  std::string name;   ///< "seed"
  std::string value;  ///< "1"
  /// Above 0, the value is a list of numbers, which may differ by this share of the larger one; and
  /// by the square of this, relative to the largest of all, where larger ones have cancelled.
  double tolerance = 0;

  [[nodiscard]] bool operator==(const FitSetting&) const = default;
};

/// A setting that two fits do not have in common.
struct SettingDifference {
  std::string name;   ///< of the setting
  std::string there;  ///< its value in the other fit
  std::string here;   ///< its value in this fit
};

namespace detail {

/// A list of numbers as the value of a setting: their bits, the same text in all languages.
[[nodiscard]] inline std::string text_of_numbers(const Vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    char digits[16];
    char* const end = std::to_chars(std::begin(digits), std::end(digits),
                                    std::bit_cast<std::uint64_t>(number), 16)
                          .ptr;
    if (!text.empty()) text += ' ';
    text.append(std::begin(digits), end);
  }
  return text;
}

/// The numbers of such a text; none if it is another one.
[[nodiscard]] inline std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    std::uint64_t bits = 0;
    const auto [behind, error] = std::from_chars(at, end, bits, 16);
    if (error != std::errc{} || (behind < end && *behind != ' ')) return {};
    numbers.push_back(std::bit_cast<double>(bits));
    at = behind < end ? behind + 1 : end;
  }
  return numbers;
}

/// Adds the first of the numbers of a setting that differ by more than its tolerance.
inline void add_number_difference(const std::string& there, const FitSetting& here,
                                  std::vector<SettingDifference>& differences) {
  const std::vector<double> a = numbers_of(there), b = numbers_of(here.value);
  if (a.size() != b.size()) {
    differences.push_back({here.name, to_text(a.size()) + " numbers", to_text(b.size())});
    return;
  }
  double largest = 0;
  for (const double number : b)
    if (std::isfinite(number)) largest = (std::max)(largest, std::abs(number));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double bound =
        here.tolerance * (std::max)({std::abs(a[i]), std::abs(b[i]), here.tolerance * largest});
    const bool agree = std::isfinite(a[i]) && std::isfinite(b[i])
                           ? std::abs(a[i] - b[i]) <= bound
                           : a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    if (agree) continue;
    differences.push_back({here.name, to_text(a[i]), to_text(b[i])});
    return;
  }
}

/// The settings of this fit that the other one has not, or has with another value.
[[nodiscard]] inline std::vector<SettingDifference> setting_differences(
    const std::vector<FitSetting>& there, const std::vector<FitSetting>& here) {
  std::vector<SettingDifference> differences;
  for (const FitSetting& setting : here) {
    const auto found = std::find_if(there.begin(), there.end(),
                                    [&](const FitSetting& f) { return f.name == setting.name; });
    const std::string value = found == there.end() ? "nothing" : found->value;
    if (setting.tolerance > 0)
      add_number_difference(value, setting, differences);
    else if (value != setting.value)
      differences.push_back({setting.name, value, setting.value});
  }
  return differences;
}

/// "seed: 1 there, 2 here; blocks: ...".
[[nodiscard]] inline std::string in_words(const std::vector<SettingDifference>& differences) {
  std::string words;
  for (const SettingDifference& d : differences) {
    if (!words.empty()) words += "; ";
    words.append(d.name).append(": ").append(d.there).append(" there, ");
    words.append(d.here).append(" here");
  }
  return words;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_CORE_FIT_SETTING_HPP
