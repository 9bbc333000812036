// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/table_options.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/suggestion.hpp>
#include <mercer/core/types.hpp>

#include <examples/kpca/options.hpp>

namespace kpca {
namespace {

using mercer::Parameter;
using mercer::Suggestion;

[[nodiscard]] const Parameter* find(const mercer::TableEntry& entry, const std::string& name) {
  const auto found = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                  [&](const Parameter& p) { return p.name == name; });
  return found == entry.parameters.end() ? nullptr : &*found;
}

[[nodiscard]] std::string default_of(const Parameter& p, const std::string& percentile) {
  switch (p.suggestion) {
    case Suggestion::Distance:
      return percentile + ", that of the distances between samples";
    case Suggestion::InverseDimension:
      return "1/d, d the number of columns";
    case Suggestion::None:
      break;
  }
  return p.fallback ? mercer::to_text(*p.fallback) : p.otherwise;
}

/// An option that is taken for the value of the one before it has no value itself.
const CLI::Validator no_option(
    [](const std::string& text) -> std::string {
      return text.starts_with("--") ? "needs a value, got '" + text + "'" : "";
    },
    "");

[[nodiscard]] bool is_percentile(const std::string& text) {
  if (text == "median") return true;
  if (!text.starts_with('p')) return false;
  const auto percent = parse_number<double>(std::string_view(text).substr(1));
  return percent && *percent >= 0 && *percent <= 100;
}

[[nodiscard]] std::optional<mercer::ParameterValue> parse(const Parameter& p,
                                                          const std::string& text) {
  if (p.is_word()) return p.accept(text);
  if (p.range.whole) {
    const auto whole = parse_number<mercer::Index>(text);
    return whole ? p.accept(*whole) : std::nullopt;
  }
  const auto number = parse_number<double>(text);
  return number ? p.accept(*number) : std::nullopt;
}

}  // namespace

std::string choices_name(const std::vector<std::string>& words) {
  return CLI::detail::join(words, " ");
}

std::vector<std::string> choices_of(CLI::Option& option) {
  std::vector<std::string> words;
  try {
    for (int i = 0;; ++i) {
      std::istringstream name(option.get_validator(i)->get_name());
      for (std::string word; name >> word;) words.push_back(word);
    }
  } catch (const CLI::OptionNotFound&) {  // that was the last one
    return words;
  }
}

std::string wrapped(std::string text) {
  constexpr std::size_t width = 70;
  std::size_t begin = 0;
  while (text.size() - begin > width) {
    const std::size_t space = text.rfind(' ', begin + width);
    if (space == std::string::npos || space <= begin) break;
    text[space] = '\n';
    begin = space + 1;
  }
  return text;
}

void TableOptions::add_to(CLI::App& app) {
  for (const std::string& name : parameter_names()) {
    std::string group;
    std::string text = help(name, group);
    if (!suffix_.empty()) text = "As --" + option_name(name);
    const auto has = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& e) { return find(e, name) != nullptr; });
    app.add_option(option(name), texts_[name], wrapped(text))
        ->type_name(value_name(*find(*has, name)))
        ->check(CLI::Validator(no_option).name(choices_name(choices(name))))
        ->group(group);
  }
}

std::string TableOptions::group_of(const std::string& name) const {
  const std::string title = std::string(1, static_cast<char>(std::toupper(kind_.front()))) +
                            kind_.substr(1) +
                            (suffix_.empty() ? "" : ", options ending in " + suffix_);
  return name.empty() ? title : title + " " + name + ": " + entry(name).description;
}

void TableOptions::take(const std::string& name, const std::vector<Own>& own,
                        mercer::Settings& settings,
                        std::map<std::string, std::string>& percentiles) const {
  const mercer::TableEntry& chosen = entry(name);
  const auto is_for = [&](const Own& own_option) {
    return std::find(own_option.entries.begin(), own_option.entries.end(), name) !=
           own_option.entries.end();
  };
  std::vector<std::string> options;
  for (const Parameter& p : chosen.parameters) options.push_back(option(p.name));
  for (const Own& one : own)
    if (is_for(one)) options.push_back("--" + one.option);
  const auto refuse = [&](const std::string& given) {
    throw mercer::InvalidArgument(
        given + ": the " + kind_ + " " + name + " has " +
        (options.empty() ? "no parameters"
                         : "no such parameter, only " + mercer::enumerated(options, ", ")));
  };
  for (const Own& one : own)
    if (one.given && !is_for(one)) refuse("--" + one.option);
  for (const auto& [parameter, text] : texts_)
    if (text && !find(chosen, parameter)) refuse(option(parameter));
  for (const Parameter& p : chosen.parameters) {
    const std::optional<std::string>& text = texts_.at(p.name);
    if (!text) continue;
    if (!p.instead_of.empty() && texts_.at(p.instead_of))
      throw mercer::InvalidArgument(option(p.name) + ": " + option(p.instead_of) +
                                    " is given too; the " + name + " " + kind_ + " takes one");
    const bool distance = p.suggestion == Suggestion::Distance;
    if (distance && (is_percentile(*text) || (cross_validation_ && *text == "cv"))) {
      percentiles[p.name] = *text;
      continue;
    }
    const std::optional<mercer::ParameterValue> value = parse(p, *text);
    if (!value)
      throw mercer::InvalidArgument(
          option(p.name) + ": the " + kind_ + " " + name + " needs " + p.requirement() +
          (!distance           ? ""
           : cross_validation_ ? ", 'median', 'cv' or a percentile 'p0' to 'p100'"
                               : ", 'median' or a percentile 'p0' to 'p100'") +
          ", got '" + *text + "'" + (p.is_word() ? mercer::did_you_mean(*text, p.choices) : ""));
    settings[p.name] = *value;
  }
}

void TableOptions::cross_validate(const std::string& name, const std::string& parameter,
                                  const std::string& asker) {
  const mercer::TableEntry& chosen = entry(name);
  const Parameter* const wanted = find(chosen, parameter);
  if (wanted == nullptr) {
    const auto distance =
        std::find_if(chosen.parameters.begin(), chosen.parameters.end(),
                     [](const Parameter& p) { return p.suggestion == Suggestion::Distance; });
    throw mercer::InvalidArgument(
        asker + ": the " + kind_ + " " + name + " has no " + option(parameter) +
        (distance == chosen.parameters.end() ? "" : "; take " + option(distance->name) + " cv"));
  }
  const auto refuse_beside = [&](const Parameter& other) {
    const std::optional<std::string>& text = texts_.at(other.name);
    if (text && *text != "cv")
      throw mercer::InvalidArgument(asker + ": " + option(other.name) + " is given too");
  };
  refuse_beside(*wanted);
  for (const Parameter& p : chosen.parameters)
    if (p.instead_of == parameter || wanted->instead_of == p.name) refuse_beside(p);
  texts_.at(parameter) = "cv";
}

bool TableOptions::any_given() const {
  return std::any_of(texts_.begin(), texts_.end(),
                     [](const auto& text) { return text.second.has_value(); });
}

std::string TableOptions::value_name(const Parameter& p) const {
  if (p.is_word()) return "NAME";
  if (p.suggestion == Suggestion::Distance)
    return cross_validation_ ? "X|median|pNN|cv" : "X|median|pNN";
  return p.range.whole ? "N" : "X";
}

std::string TableOptions::option(const std::string& parameter) const {
  return "--" + option_name(parameter) + suffix_;
}

const mercer::TableEntry& TableOptions::entry(const std::string& name) const {
  return mercer::require_entry(kind_, entries_, name);
}

std::vector<std::string> TableOptions::parameter_names() const {
  std::vector<std::string> names;
  for (const mercer::TableEntry& e : entries_)
    for (const Parameter& p : e.parameters)
      if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
  return names;
}

/// Description, range and default.
std::string TableOptions::help_of(const Parameter& p) const {
  const bool unbounded =
      p.range.whole && p.range.maximum >= (std::numeric_limits<std::int32_t>::max)();
  const std::string range =
      unbounded
          ? "a whole number from " + std::to_string(static_cast<mercer::Index>(p.range.minimum))
          : p.requirement();
  std::string text = p.description + "; " + range;
  if (p.suggestion == Suggestion::Distance) {
    text += ", or a percentile of distances, e.g. p20";
    if (cross_validation_) text += ", or cv, by cross-validation";
  }
  return text + ". Default: " + default_of(p, percentile_);
}

/// The words that may be given for a parameter.
std::vector<std::string> TableOptions::choices(const std::string& parameter) const {
  std::vector<std::string> words;
  const auto add = [&](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  };
  for (const mercer::TableEntry& e : entries_)
    if (const Parameter* const p = find(e, parameter)) {
      for (const std::string& word : p->choices) add(word);
      if (p->suggestion != Suggestion::Distance) continue;
      add("median");
      if (cross_validation_) add("cv");
    }
  return words;
}

/// Entries with the same text are named together. \p group becomes that of the only entry with this
/// parameter, or of all entries.
std::string TableOptions::help(const std::string& parameter, std::string& group) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;  // and their entries
  std::vector<std::string> all;
  for (const mercer::TableEntry& e : entries_) {
    const Parameter* const p = find(e, parameter);
    if (!p) continue;
    all.push_back(e.name);
    const std::string text = help_of(*p);
    auto known = std::find_if(texts.begin(), texts.end(),
                              [&](const auto& one) { return one.first == text; });
    if (known == texts.end()) known = texts.insert(texts.end(), {text, {}});
    known->second.push_back(e.name);
  }
  const bool alone = all.size() == 1 && kind_ == "solver";
  group = group_of(alone ? all.front() : "");
  if (alone) return texts.front().first;
  std::string out;
  for (const auto& [text, names] : texts)
    out += (out.empty() ? "" : ". ") + mercer::enumerated(names, ", ") + ": " + text;
  return out;
}

}  // namespace kpca
