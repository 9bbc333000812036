// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/help.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/errors.hpp>
#include <mercer/core/suggestion.hpp>
#include <mercer/version.hpp>

#include <examples/kpca/options.hpp>

namespace kpca {
namespace {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

/// "-k, --kernel NAME".
[[nodiscard]] std::string heading(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) text += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) text += "--" + name;
  const bool takes_value = option.get_type_size() != 0 && !option.get_type_name().empty();
  return text + (takes_value ? " " + option.get_type_name() : "");
}

/// A heading, and the text beside it.
[[nodiscard]] std::string entry_line(const std::string& heading, const std::string& text) {
  constexpr std::size_t width = 26;
  std::string line = "  " + heading;
  line +=
      line.size() < width ? std::string(width - line.size(), ' ') : "\n" + std::string(width, ' ');
  for (const char letter : text) {
    line += letter;
    if (letter == '\n') line += std::string(width, ' ');
  }
  return line + "\n";
}

[[nodiscard]] std::string short_help(CLI::App& app, const ProgramText& text) {
  std::string out = app.get_name() + ": " + text.purpose + "\n\nUsage: " + text.usage + "\n\n";
  for (const auto& [command, effect] : text.examples) out += "  " + command + "\n";
  out += '\n';
  for (const auto& [name, meaning] : text.brief)
    out += entry_line(heading(*app.get_option(name)), meaning);
  return out + "\n" + app.get_name() + " --help-all has all options, " + app.get_name() +
         " --help NAME a kernel or a solver.\n" + exit_statuses() + "\n";
}

[[nodiscard]] std::string whole_help(CLI::App& app, const ProgramText& text,
                                     CLI::AppFormatMode mode) {
  std::string examples = "\nExamples:\n";
  for (const auto& [command, effect] : text.examples)
    examples += "  " + command + "\n      " + effect + "\n";
  const CLI::App* const program = app.get_parent();
  const std::string out = app.help(program != nullptr ? program->get_name() : "", mode);
  if (text.examples.empty() || program != nullptr) return out;
  return out + examples;
}

/// What --help says of one kernel or solver.
[[nodiscard]] std::string entry_help(CLI::App& app, const TableOptions& table,
                                     const mercer::TableEntry& entry) {
  std::string out = table.kind() + " " + entry.name;
  if (!entry.aliases.empty()) out += " (or " + mercer::enumerated(entry.aliases) + ")";
  out += ": " + entry.description + "\n";
  std::string options;
  for (const mercer::Parameter& parameter : entry.parameters)
    options += entry_line(table.option(parameter.name) + " " + table.value_name(parameter),
                          wrapped(table.help_of(parameter)));
  // Options that are no parameters in the table, but are for this entry alone.
  for (CLI::Option* const option : shown_options(app)) {
    const auto is_parameter = [&](const mercer::Parameter& p) {
      return table.option(p.name) == option->get_name();
    };
    if (option->get_group() == table.group_of(entry.name) &&
        std::none_of(entry.parameters.begin(), entry.parameters.end(), is_parameter))
      options += entry_line(heading(*option), option->get_description());
  }
  return out + (options.empty() ? "It has no parameters.\n" : "\n" + options);
}

/// The names of an option as they are typed.
[[nodiscard]] std::vector<std::string> all_options(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options({})) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// What --help says of a kernel, a solver, or an option with or without its dashes.
[[nodiscard]] std::string help_on(CLI::App& app, const std::vector<const TableOptions*>& tables,
                                  const std::string& name) {
  if (name.starts_with("-")) {
    if (CLI::Option* const option = app.get_option_no_throw(name))
      return entry_line(heading(*option), option->get_description());
    throw mercer::InvalidArgument("--help: there is no option '" + name + "'" +
                                  mercer::did_you_mean(name, all_options(app)));
  }
  std::vector<std::string> known;
  for (const TableOptions* const table : tables) {
    if (const auto* const entry = mercer::find_entry(table->entries(), name))
      return entry_help(app, *table, *entry);
    for (const std::string& one : mercer::names(table->entries())) known.push_back(one);
  }
  if (CLI::Option* const option = app.get_option_no_throw("--" + option_name(name)))
    return entry_line(heading(*option), option->get_description());
  throw mercer::InvalidArgument("--help: there is no kernel, solver or option '" + name +
                                "'; known: " + mercer::enumerated(known, " and ") +
                                mercer::did_you_mean(name, known));
}

[[nodiscard]] std::string printed(CLI::App& app, const ProgramText& text, const std::string& form) {
  if (form == "man") return manual_page(app, text);
  if (form == "bash-completion") return bash_completion(app);
  if (form == "zsh-completion") return zsh_completion(app);
  if (form == "fish-completion") return fish_completion(app);
  throw mercer::InvalidArgument(
      "--print: must be one of man, bash-completion, zsh-completion, "
      "fish-completion, got '" +
      form + "'");
}

/// The method of this name, or null.
[[nodiscard]] CLI::App* find_method(CLI::App& app, const std::string& name) {
  const std::vector<CLI::App*> found =
      app.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

/// The answer to --help and --help-all with names: each may be that of a method, too.
[[nodiscard]] std::string help_on_all(CLI::App& app, CLI::App& method, const ProgramText& text,
                                      const std::vector<const TableOptions*>& tables,
                                      const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out += '\n';
    CLI::App* const other = find_method(app, name);
    out += other != nullptr ? whole_help(*other, text, CLI::AppFormatMode::Normal)
                            : help_on(method, tables, name);
  }
  return out;
}

}  // namespace

std::string exit_statuses() {
  return "Exit status: 0 converged or finished, 2 something wrong with options or files,\n"
         "3 not converged, 130 interrupted.";
}

void add_questions(CLI::App& app) {
  app.set_help_flag("-h,--help",
                    "Help; --help NAME: the details of a kernel, a solver or an option");
  const std::string all = "All options";
  app.add_flag("--help-all", all);
  app.add_option_function<std::string>(
         "--print", [](const std::string&) {},
         wrapped("The manual page or a completion: man, bash-completion, zsh-completion, "
                 "fish-completion"))
      ->group("");
}

bool works_alone(CLI::App& app) {
  const std::vector<CLI::Option*> options = app.get_options({});
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return option->get_positional(); });
}

CLI::App& method_of(CLI::App& app, const std::vector<std::string>& words) {
  const bool first_only = works_alone(app);
  for (const std::string& word : words) {
    if (CLI::App* const method = find_method(app, word)) return *method;
    if (first_only && word != "-h" && !word.starts_with("--help")) break;
  }
  return app;
}

bool answer(CLI::App& app, const ProgramText& text, const std::vector<const TableOptions*>& tables,
            const std::vector<std::string>& words) {
  CLI::App& method = method_of(app, words);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    std::vector<std::string> values;
    if (equals != std::string::npos && equals + 1 < word.size())
      values.push_back(word.substr(equals + 1));
    const auto behind = words.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    values.insert(values.end(), behind, std::find(behind, words.end(), "--"));
    if (name == "--version") {
      print(std::string(MERCER_VERSION_STRING) + "\n");
      return true;
    }
    if (name == "--print") {
      print(printed(app, text, values.empty() ? "" : values.front()));
      return true;
    }
    const bool all = name == "--help-all";
    if (!all && name != "--help" && name != "-h") continue;
    // In "kpca data.csv --help --sigma 2" the words behind are no questions.
    const bool first = i == 0 || (i == 1 && words[0] == method.get_name());
    if (first && !values.empty())
      print(help_on_all(app, method, text, tables, values));
    else if (all || text.brief.empty() || &method != &app)
      print(whole_help(method, text, all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal));
    else
      print(short_help(app, text));
    return true;
  }
  return false;
}

void require_known_options(CLI::App& app, const std::vector<std::string>& words) {
  CLI::App& method = method_of(app, words);
  std::vector<std::string> known = all_options(method);
  const bool is_program = &method == &app;
  std::vector<std::string> methods;
  for (const CLI::App* const one : app.get_subcommands({})) methods.push_back(one->get_name());
  const bool alone = works_alone(app);
  if (is_program && !alone && !methods.empty() && !words.empty() && !words[0].starts_with('-'))
    throw mercer::InvalidArgument("there is no method '" + words[0] +
                                  "'; known: " + mercer::enumerated(methods, " and ") +
                                  mercer::did_you_mean(words[0], methods));
  if (!is_program && alone)
    known.insert(known.end(), {"--help", "-h", "--help-all", "--print", "--version"});
  else if (!is_program)
    for (const std::string& name : all_options(app)) known.push_back(name);
  const auto is_known = [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end();
  };
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with('-') || word.size() < 2) continue;
    const std::string name = word.substr(0, word.find('='));
    const bool is_long = name.starts_with("--");
    if (is_long ? is_known(name) : word.find_first_of("0123456789.", 1) == 1) continue;
    // -n5 is -n 5, but -components is meant to be --components.
    const bool meant_long = !is_long && name.size() > 2 && is_known("-" + name);
    if (!is_long && !meant_long && is_known(name.substr(0, 2))) continue;
    throw mercer::InvalidArgument(name + ": there is no such option" +
                                  mercer::did_you_mean(is_long ? name : "-" + name, known));
  }
}

std::string summary(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::size_t end = (std::min)(text.find(". "), text.find("; "));
  text = text.substr(0, end);
  while (text.ends_with('.')) text.pop_back();
  return text;
}

std::vector<CLI::Option*> shown_options(CLI::App& app) {
  std::vector<CLI::Option*> shown;
  for (CLI::Option* const option : app.get_options({}))
    if (!option->get_group().empty()) shown.push_back(option);
  std::stable_partition(shown.begin(), shown.end(),
                        [](const CLI::Option* option) { return option->get_positional(); });
  return shown;
}

}  // namespace kpca
