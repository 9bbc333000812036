// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Which of some names was meant by a word that is none of them.

#ifndef MERCER_CORE_SUGGESTION_HPP
#define MERCER_CORE_SUGGESTION_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

namespace detail {

/// As names of mercer are written: small letters, and hyphens between words.
[[nodiscard]] inline std::string folded(std::string_view word) {
  std::string out(word);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '_' || letter == ' ') letter = '-';
  }
  return out;
}

/// How many letters to insert, delete, replace or swap with their neighbour, each letter at most
/// once.
/// Source: Damerau, A technique for computer detection and correction of spelling errors, 1964.
[[nodiscard]] inline std::size_t spelling_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t differs = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = (std::min)({last[j] + 1, row[j - 1] + 1, last[j - 1] + differs});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = (std::min)(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace detail

/// The name that was most likely meant by \p word: the same but for case and underscores, the first
/// that begins with the word, or the nearest one if it takes few changes, at most one for three
/// letters. Nothing if there is no such name.
/// Cost: the product of the lengths for each name.
[[nodiscard]] inline std::optional<std::string> suggestion(std::string_view word,
                                                           const std::vector<std::string>& names) {
  const std::string wanted = detail::folded(word);
  if (wanted.empty()) return std::nullopt;
  for (const std::string& name : names)
    if (detail::folded(name) == wanted) return name;
  constexpr std::size_t shortest_beginning = 3;
  if (wanted.size() >= shortest_beginning)
    for (const std::string& name : names)
      if (detail::folded(name).starts_with(wanted)) return name;
  std::optional<std::string> nearest;
  std::size_t least = (std::max)(wanted.size() / 3, std::size_t{1}) + 1;
  for (const std::string& name : names) {
    const std::size_t distance = detail::spelling_distance(wanted, detail::folded(name));
    if (distance >= least || distance >= name.size()) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

/// "; did you mean gaussian?", or nothing.
[[nodiscard]] inline std::string did_you_mean(std::string_view word,
                                              const std::vector<std::string>& names) {
  const std::optional<std::string> meant = suggestion(word, names);
  return meant ? "; did you mean " + *meant + "?" : "";
}

}  // namespace mercer

#endif  // MERCER_CORE_SUGGESTION_HPP
