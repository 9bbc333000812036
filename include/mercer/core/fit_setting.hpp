// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Settings of fits as text, and in what those of two fits differ.

#ifndef MERCER_CORE_FIT_SETTING_HPP
#define MERCER_CORE_FIT_SETTING_HPP

#include <algorithm>
#include <string>
#include <vector>

namespace mercer {

/// A setting that a fit depends on, as text: {"seed", "1"}.
struct FitSetting {
  std::string name;   ///< "seed"
  std::string value;  ///< "1"

  [[nodiscard]] bool operator==(const FitSetting&) const = default;
};

/// A setting that two fits do not have in common.
struct SettingDifference {
  std::string name;   ///< of the setting
  std::string there;  ///< its value in the other fit
  std::string here;   ///< its value in this fit
};

namespace detail {

/// The settings of this fit that the other one has not, or has with another value.
[[nodiscard]] inline std::vector<SettingDifference> setting_differences(
    const std::vector<FitSetting>& there, const std::vector<FitSetting>& here) {
  std::vector<SettingDifference> differences;
  for (const FitSetting& setting : here) {
    const auto found = std::find_if(there.begin(), there.end(),
                                    [&](const FitSetting& f) { return f.name == setting.name; });
    const std::string value = found == there.end() ? "nothing" : found->value;
    if (value != setting.value) differences.push_back({setting.name, value, setting.value});
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
