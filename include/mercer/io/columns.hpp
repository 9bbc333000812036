// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Which columns of a table are samples, which hold labels and weights, and which are left out.

#ifndef MERCER_IO_COLUMNS_HPP
#define MERCER_IO_COLUMNS_HPP

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <mercer/core/suggestion.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/text.hpp>

namespace mercer {
namespace io {

/// A choice of columns. Each is named as in the header line, or by its number, counted from 1, or
/// is a range of numbers such as "2-5". Columns of samples stay in the order of the file.
struct ColumnChoice {
  std::vector<std::string> keep = {};  ///< the columns of the samples, each once; empty: all
  std::vector<std::string> drop = {};  ///< columns that are left out, also of those to keep
  std::string labels = {};             ///< the column that holds labels; empty: none
  std::string weights = {};            ///< the column of the samples' weights; empty: none
  /// Columns to drop, of labels and of weights need not be there: for new samples, which may have
  /// none.
  bool may_miss = false;

  [[nodiscard]] bool is_all() const {
    return keep.empty() && drop.empty() && labels.empty() && weights.empty();
  }
};

}  // namespace io

namespace detail {

enum class ColumnUse : char { Sample, Label, Weight, Nothing };

/// The columns that a word names, as a half-open range counted from 0; nothing if there are none.
[[nodiscard]] inline std::optional<std::pair<std::size_t, std::size_t>> columns_named(
    std::string_view word, const std::vector<std::string>& names, std::size_t count) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) {
    const auto at = static_cast<std::size_t>(found - names.begin());
    return std::pair(at, at + 1);
  }
  const char* const end = word.data() + word.size();
  std::size_t first = 0, last = 0;
  auto [stop, error] = std::from_chars(word.data(), end, first);
  if (error != std::errc{}) return std::nullopt;
  last = first;
  if (stop != end && *stop == '-') {
    const auto second = std::from_chars(stop + 1, end, last);
    if (second.ec != std::errc{}) return std::nullopt;
    stop = second.ptr;
  }
  if (stop != end || first < 1 || last < first || last > count) return std::nullopt;
  return std::pair(first - 1, last);
}

/// Whether a column is chosen by one of these names. Words that are numbers of columns do not
/// count.
[[nodiscard]] inline bool chooses_by_name(const io::ColumnChoice& choice,
                                          const std::vector<std::string>& names) {
  const auto is_name = [&](const std::string& word) {
    return !word.empty() && std::find(names.begin(), names.end(), word) != names.end() &&
           !columns_named(word, {}, names.size());
  };
  return std::any_of(choice.keep.begin(), choice.keep.end(), is_name) ||
         std::any_of(choice.drop.begin(), choice.drop.end(), is_name) || is_name(choice.labels) ||
         is_name(choice.weights);
}

/// What to say to a word that names none of the columns: the name that was meant, or the first
/// names.
[[nodiscard]] inline std::string names_to_choose_from(const std::string& word,
                                                      const std::vector<std::string>& names) {
  constexpr std::size_t shown = 12;
  std::string answer = did_you_mean(word, names);
  if (!answer.empty() || names.empty()) return answer;
  for (std::size_t i = 0; i < (std::min)(names.size(), shown); ++i)
    answer.append(i == 0 ? ": " : ", ").append(names[i]);
  return names.size() > shown ? answer + ", ..." : answer;
}

/// The use of each of \p count columns. \p names is empty if they have none.
/// Throws io::FileError for a column that is not there, for one that is to be kept twice, or to be
/// kept and to hold labels or weights, and if none is left for samples.
[[nodiscard]] inline std::vector<ColumnUse> column_uses(const std::string& path,
                                                        const std::vector<std::string>& names,
                                                        std::size_t count,
                                                        const io::ColumnChoice& choice) {
  std::vector<ColumnUse> uses(count, choice.keep.empty() ? ColumnUse::Sample : ColumnUse::Nothing);
  const auto is_kept = [&](std::size_t column) {
    return !choice.keep.empty() && uses[column] == ColumnUse::Sample;
  };
  const auto mark = [&](const std::string& word, ColumnUse use, bool may_miss) {
    const auto range = columns_named(word, names, count);
    if (!range && may_miss) return;
    if (!range)
      file_fail(path, "has no column ", in_quotes(word), "; it has ", count,
                count == 1 ? " column" : " columns", names_to_choose_from(word, names));
    for (std::size_t column = range->first; column < range->second; ++column) {
      if (use == ColumnUse::Sample && is_kept(column))
        file_fail(path, "column ", names.empty() ? to_text(column + 1) : in_quotes(names[column]),
                  " is chosen twice for the samples");
      uses[column] = use;
    }
  };
  for (const std::string& word : choice.keep) mark(word, ColumnUse::Sample, false);
  for (const std::string& word : choice.drop) mark(word, ColumnUse::Nothing, choice.may_miss);
  const auto mark_single = [&](const std::string& word, ColumnUse use, std::string_view what) {
    if (word.empty()) return;
    const auto range = columns_named(word, names, count);
    if (range && range->second - range->first != 1)
      file_fail(path, what, " are in one column, not in ", in_quotes(word));
    if (range && uses[range->first] == ColumnUse::Label)
      file_fail(path, "column ", in_quotes(word), " cannot hold both labels and weights");
    if (range && is_kept(range->first))
      file_fail(path, "column ", in_quotes(word), " cannot hold ", what,
                " and be chosen for the samples");
    mark(word, use, choice.may_miss);
  };
  mark_single(choice.labels, ColumnUse::Label, "labels");
  mark_single(choice.weights, ColumnUse::Weight, "weights");
  if (std::find(uses.begin(), uses.end(), ColumnUse::Sample) == uses.end())
    file_fail(path, "no column is left for the samples");
  return uses;
}

/// Those of one use.
template <class T>
[[nodiscard]] std::vector<T> of_use(const std::vector<T>& all, const std::vector<ColumnUse>& uses,
                                    ColumnUse use) {
  std::vector<T> some;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (uses[i] == use) some.push_back(all[i]);
  return some;
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_COLUMNS_HPP
