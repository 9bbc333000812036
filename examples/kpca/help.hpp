// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What both programs answer when they are asked about themselves: short and whole help, the
/// details of a kernel or a solver, the manual page, and completions for shells. All of it is made
/// from the options of the command line, and these from mercer's tables.

#ifndef MERCER_EXAMPLES_KPCA_HELP_HPP
#define MERCER_EXAMPLES_KPCA_HELP_HPP

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <examples/kpca/table_options.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kpca {

/// What a program says of itself beside its options.
struct ProgramText {
  std::string purpose;  ///< in half a line, without the name
  std::string usage;    ///< "kpca [OPTIONS] INPUT"
  /// Command lines, and what they do.
  std::vector<std::pair<std::string, std::string>> examples;
  /// Options of the short help, and what it says of them. Empty: the help is whole.
  std::vector<std::pair<std::string, std::string>> brief = {};
  std::vector<std::string> see_also = {};  ///< other manual pages
};

/// The statuses that a program ends with.
[[nodiscard]] std::string exit_statuses();

/// --help, --help-all and --print. They are answered before all else is looked at.
void add_questions(CLI::App& app);

/// If there is a question among the words, answers it on standard output and returns true. \p
/// tables are those whose entries --help may be asked about. Throws mercer::InvalidArgument for an
/// entry or a form that is not known.
[[nodiscard]] bool answer(CLI::App& app, const ProgramText& text,
                          const std::vector<const TableOptions*>& tables,
                          const std::vector<std::string>& words);

/// Throws mercer::InvalidArgument for an option that the program, or its method that is asked for,
/// does not have.
void require_known_options(CLI::App& app, const std::vector<std::string>& words);

/// The method among the words, or the program itself.
[[nodiscard]] CLI::App& method_of(CLI::App& app, const std::vector<std::string>& words);

/// Whether the program takes files itself. Then a method can only be its first word.
[[nodiscard]] bool works_alone(CLI::App& app);

/// The first sentence of a help text, on one line.
[[nodiscard]] std::string summary(std::string text);

/// The options that are shown, in their order: those without a name (positional) come first.
[[nodiscard]] std::vector<CLI::Option*> shown_options(CLI::App& app);

/// The manual page, in the macros of man(7).
[[nodiscard]] std::string manual_page(CLI::App& app, const ProgramText& text);

[[nodiscard]] std::string bash_completion(CLI::App& app);
[[nodiscard]] std::string zsh_completion(CLI::App& app);
[[nodiscard]] std::string fish_completion(CLI::App& app);

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_HELP_HPP
