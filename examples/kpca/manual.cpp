// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The manual page and the completions, from the options of a program.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/version.hpp>

#include <examples/kpca/help.hpp>

namespace kpca {
namespace {

[[nodiscard]] std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

/// Text for man(7): hyphens stay what they are, and no line becomes a request.
[[nodiscard]] std::string for_man(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\\')
      out += "\\e";
    else if (letter == '-')
      out += "\\-";
    else if ((letter == '.' || letter == '\'') && (out.empty() || out.back() == '\n'))
      out.append("\\&") += letter;
    else
      out += letter;
  }
  return out;
}

/// "-k", "--kernel".
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

[[nodiscard]] bool takes_value(const CLI::Option& option) {
  return !option.get_positional() && option.get_type_size() != 0;
}
[[nodiscard]] bool takes_file(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_positional() || type == "FILE" || type == "PATH" || type == "MODEL" ||
         type == "PART";
}
[[nodiscard]] bool takes_directory(const CLI::Option& option) {
  return option.get_type_name() == "DIR";
}

/// The options of a program or a method, by their groups.
[[nodiscard]] std::string man_options(CLI::App& app) {
  std::string text, group;
  for (CLI::Option* const option : shown_options(app)) {
    if (!option->get_positional() && option->get_group() != group) {
      group = option->get_group();
      if (group != "Options") text += ".SS " + for_man(group) + "\n";
    }
    text += ".TP\n";
    if (option->get_positional()) {
      text += ".I " + for_man(option->get_name(true)) + "\n";
    } else {
      text += ".B " + for_man(joined(names_of(*option), ", "));
      if (takes_value(*option)) text += " \\fI" + for_man(option->get_type_name()) + "\\fR";
      text += "\n";
    }
    text += for_man(option->get_description());
    if (!option->get_default_str().empty())
      text += (option->get_description().ends_with('.') ? " Default: " : ". Default: ") +
              for_man(option->get_default_str());
    text += "\n";
  }
  return text;
}

/// Text inside of single quotes of a shell.
[[nodiscard]] std::string in_shell_quotes(std::string_view text) {
  std::string out = "'";
  for (const char letter : text) {
    if (letter == '\'')
      out += "'\\''";
    else
      out += letter;
  }
  return out + "'";
}

/// The names of the methods of a program.
[[nodiscard]] std::vector<std::string> method_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const method : app.get_subcommands({})) names.push_back(method->get_name());
  return names;
}

/// The body of a case of the option before the cursor, in bash.
[[nodiscard]] std::string bash_values(CLI::Option& option) {
  const std::vector<std::string> choices = choices_of(option);
  if (!choices.empty())
    return "COMPREPLY=($(compgen -W " + in_shell_quotes(joined(choices, " ")) + " -- \"$cur\"))";
  if (takes_file(option)) return "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))";
  if (takes_directory(option)) return "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\"))";
  return "COMPREPLY=()";
}

[[nodiscard]] std::string bash_options(CLI::App& app) {
  std::string text;
  std::vector<std::string> all;
  for (CLI::Option* const option : shown_options(app)) {
    const std::vector<std::string> names = names_of(*option);
    all.insert(all.end(), names.begin(), names.end());
    if (!takes_value(*option)) continue;
    text.append("        ").append(joined(names, "|")).append(") ");
    text.append(bash_values(*option)).append("; return;;\n");
  }
  return "      case \"$prev\" in\n" + text +
         "      esac\n      words=" + in_shell_quotes(joined(all, " ")) + "\n";
}

/// Text inside of brackets of zsh's _arguments, or behind one of its colons.
[[nodiscard]] std::string for_zsh(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') out += '\\';
    out += letter;
  }
  return out;
}

[[nodiscard]] std::string zsh_values(CLI::Option& option) {
  if (!takes_value(option)) return "";
  const std::vector<std::string> choices = choices_of(option);
  std::string action = " ";
  if (!choices.empty())
    action = "(" + joined(choices, " ") + ")";
  else if (takes_file(option))
    action = "_files";
  else if (takes_directory(option))
    action = "_files -/";
  return ":" + for_zsh(option.get_type_name()) + ":" + action;
}

[[nodiscard]] std::string zsh_options(CLI::App& app, const std::string& indent) {
  std::string text = indent + "_arguments -s";
  for (CLI::Option* const option : shown_options(app)) {
    if (option->get_positional()) continue;
    const std::string what =
        "[" + for_zsh(summary(option->get_description())) + "]" + zsh_values(*option);
    const std::vector<std::string> names = names_of(*option);
    for (const std::string& name : names) {
      const std::string others = names.size() > 1 ? "(" + joined(names, " ") + ")" : "";
      text += " \\\n" + indent + "  " + in_shell_quotes(others + name + what);
    }
  }
  return text + " \\\n" + indent + "  '*:file:_files'\n";
}

[[nodiscard]] std::string fish_options(CLI::App& app, const std::string& program,
                                       const std::string& condition) {
  std::string text;
  for (CLI::Option* const option : shown_options(app)) {
    if (option->get_positional()) continue;
    text += "complete -c " + program + condition;
    for (const std::string& name : option->get_snames()) text += " -s " + name;
    for (const std::string& name : option->get_lnames()) text += " -l " + name;
    const std::vector<std::string> choices = choices_of(*option);
    if (takes_value(*option)) {
      text += takes_file(*option) || takes_directory(*option) ? " -r" : " -x";
      if (takes_directory(*option)) text += " -a '(__fish_complete_directories)'";
      if (!choices.empty()) text += " -a " + in_shell_quotes(joined(choices, " "));
    }
    text += " -d " + in_shell_quotes(summary(option->get_description())) + "\n";
  }
  return text;
}

/// What the programs read from the environment, and what they make of it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> environment{
    {{"OMP_NUM_THREADS",
      "The number of threads where no option gives it. By default all cores that the program may "
      "use."},
     {"OMP_WAIT_POLICY",
      "On Linux passive, unless it is set: threads sleep while they wait for others. With active "
      "they go on running, which saves microseconds on a machine that nobody else uses."},
     {"GLIBC_TUNABLES",
      "On Linux with the C library of GNU, unless it is set, all memory comes in huge pages, and "
      "what is freed is kept for the next matrix. Set but empty, memory is left as it is."}}};

}  // namespace

std::string manual_page(CLI::App& app, const ProgramText& text) {
  std::string title = app.get_name();
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  std::string page =
      ".TH " + title + " 1 \"\" \"mercer " MERCER_VERSION_STRING "\" \"User Commands\"\n.SH NAME\n";
  page += app.get_name() + " \\- " + for_man(text.purpose) + "\n.SH SYNOPSIS\n.B " +
          for_man(text.usage) + "\n.SH DESCRIPTION\n" + for_man(app.get_description()) + "\n";
  page += ".SH EXAMPLES\n";
  for (const auto& [command, effect] : text.examples)
    page += ".TP\n.B " + for_man(command) + "\n" + for_man(effect) + "\n";
  const std::vector<CLI::App*> methods = app.get_subcommands({});
  page += ".SH OPTIONS\n" + man_options(app);
  for (CLI::App* const method : methods)
    page += ".SH " + for_man(app.get_name() + " " + method->get_name()) + "\n" +
            for_man(method->get_description()) + ".\n" + man_options(*method);
  page += ".SH EXIT STATUS\n" + for_man(exit_statuses().substr(exit_statuses().find(':') + 2));
  page += "\n.SH ENVIRONMENT\n";
  for (const auto& [name, effect] : environment)
    page += ".TP\n.B " + for_man(name) + "\n" + for_man(effect) + "\n";
  if (!text.see_also.empty())
    page += ".SH SEE ALSO\n.BR " + joined(text.see_also, " (1),\n.BR ") + " (1)\n";
  return page;
}

std::string bash_completion(CLI::App& app) {
  const std::string& name = app.get_name();
  std::string text = "# bash completion of " + name + "\n_" + name +
                     "() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}"
                     " words=\n  COMPREPLY=()\n";
  const std::string methods = joined(method_names(app), " ");
  text += "  case ${COMP_WORDS[1]} in\n";
  for (CLI::App* const method : app.get_subcommands({}))
    text += "    " + method->get_name() + ")\n" + bash_options(*method) + "      ;;\n";
  if (works_alone(app))
    text += "    *)\n" + bash_options(app) + "      ;;\n  esac\n";
  else
    text += "    *) COMPREPLY=($(compgen -W " +
            in_shell_quotes(methods + " --help --help-all --version") +
            " -- \"$cur\")); return;;\n  esac\n";
  return text +
         "  if [[ $cur == -* ]]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else\n    compopt -o filenames\n    COMPREPLY=($(compgen -f -- \"$cur\"))\n" +
         (methods.empty() || !works_alone(app)
              ? ""
              : "    [[ $COMP_CWORD == 1 ]] && COMPREPLY+=($(compgen -W " +
                    in_shell_quotes(methods) + " -- \"$cur\"))\n") +
         "  fi\n}\ncomplete -F _" + name + " " + name + "\n";
}

std::string zsh_completion(CLI::App& app) {
  const std::string& name = app.get_name();
  const std::vector<CLI::App*> methods = app.get_subcommands({});
  std::string text = "#compdef " + name + "\n", cases;
  for (CLI::App* const method : methods)
    cases += "  " + method->get_name() + ")\n" + zsh_options(*method, "    ") + "    ;;\n";
  if (works_alone(app)) {
    if (methods.empty()) return text + zsh_options(app, "");
    return text +
           "local method=\nif (( CURRENT > 2 )); then method=$words[2]; fi\ncase $method in\n" +
           cases + "  *)\n" + zsh_options(app, "    ") +
           "    if (( CURRENT == 2 )); then compadd " + joined(method_names(app), " ") +
           "; fi\n    ;;\nesac\n";
  }
  text += "if (( CURRENT == 2 )); then\n  _values method";
  for (CLI::App* const method : methods)
    text += " \\\n    " + in_shell_quotes(method->get_name() + "[" +
                                          for_zsh(summary(method->get_description())) + "]");
  return text +
         "\n  return\nfi\nlocal method=$words[2]\nshift words\n(( CURRENT-- ))\n"
         "case $method in\n" +
         cases + "esac\n";
}

std::string fish_completion(CLI::App& app) {
  const std::string& name = app.get_name();
  const std::vector<CLI::App*> methods = app.get_subcommands({});
  if (methods.empty()) return fish_options(app, name, "");
  const std::string all = joined(method_names(app), " ");
  std::string text;
  if (works_alone(app))
    text = fish_options(app, name, " -n 'not __fish_seen_subcommand_from " + all + "'");
  for (CLI::App* const method : methods) {
    text += "complete -c " + name + " -n 'not __fish_seen_subcommand_from " + all + "' " +
            (works_alone(app) ? "" : "-x ") + "-a " + method->get_name() + " -d " +
            in_shell_quotes(summary(method->get_description())) + "\n";
    text +=
        fish_options(*method, name, " -n '__fish_seen_subcommand_from " + method->get_name() + "'");
  }
  return text;
}

}  // namespace kpca
