// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What the options of kpca and of kca are made of, beside those of the tables.

#ifndef MERCER_EXAMPLES_KPCA_OPTION_PARTS_HPP
#define MERCER_EXAMPLES_KPCA_OPTION_PARTS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <mercer/core/types.hpp>
#include <mercer/io/columns.hpp>
#include <mercer/runtime/table.hpp>
#include <mercer/solvers/eigenpairs.hpp>

#include <examples/kpca/options.hpp>
#include <examples/kpca/table_options.hpp>
#include <examples/kpca/tables.hpp>

namespace kpca {

[[nodiscard]] CLI::Validator whole_number(std::int64_t from, std::int64_t to);
/// Refuses all other words; choices_of() knows them.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& known);
/// A number of bytes, as parse_bytes() takes it.
[[nodiscard]] CLI::Validator byte_size();

/// --columns and --drop. With a suffix, "-y", they are for another file: --columns-y.
void add_column_choice(CLI::App& app, mercer::io::ColumnChoice& columns,
                       const std::string& suffix = "");

/// "20" is a number of components, "0.95" a fraction of the variance.
/// Throws mercer::InvalidArgument for other texts.
[[nodiscard]] mercer::Components parse_components(const std::string& text);
/// Throws mercer::InvalidArgument for a fraction of variance where the solver takes none.
void require_components_fit_solver(const std::optional<mercer::Components>& components,
                                   const mercer::SolverEntry& solver);

/// Kernels or solvers with a sentence on each.
template <class Entry>
[[nodiscard]] std::string described(const std::vector<Entry>& table) {
  std::string text = "One of:";
  const char* before = " ";
  for (const Entry& entry : table) {
    text += before + entry.name + ", " + entry.description;
    before = "; ";
  }
  return text;
}

/// An option for the name of a kernel or of a solver, or one of its aliases.
template <class Name, class Entry>
CLI::Option* add_entry_option(CLI::App& app, const std::string& option, Name& name,
                              const std::vector<Entry>& table, const std::string& help,
                              const std::string& group) {
  const auto canonical = [&table](std::string& text) -> std::string {
    const Entry* const entry = mercer::find_entry(table, text);
    if (entry == nullptr) return "unknown value " + mercer::unknown_entry(table, text);
    text = entry->name;
    return {};
  };
  return app.add_option(option, name, wrapped(help))
      ->type_name("NAME")
      ->transform(CLI::Validator(canonical, "").name(choices_name(mercer::names(table))))
      ->group(group);
}

/// The solvers that have --state: it is a file for doubly-stochastic, and a folder for the others.
/// \param spread  over processes
[[nodiscard]] std::vector<std::string> solvers_with_state(bool spread = false);
/// Those of them that have --state-every.
[[nodiscard]] std::vector<std::string> solvers_with_state_every(bool spread = false);
/// The solvers that follow the weights of samples, for messages and the help.
[[nodiscard]] std::string solvers_with_weights();
/// --weights.
void add_weights(CLI::App& app, std::string& weights);
/// --weight-column, after --weights.
void add_weight_column(CLI::App& app, mercer::io::ColumnChoice& columns);
/// Whether the state is an archive.
[[nodiscard]] bool needs_archive(const SolverOptions& solver);
/// --state and --state-every of these solvers.
/// \param spread  over processes
void add_state(CLI::App& app, SolverOptions& solver, const TableOptions& options,
               bool spread = false);
/// Throws mercer::InvalidArgument for --state-every without --state.
void require_state(const SolverOptions& solver);

/// --kernel, and the options of its parameters.
inline void add_kernel_options(CLI::App& app, KernelOptions& kernel, TableOptions& parameters) {
  add_entry_option(app, "-k,--kernel", kernel.name, kernel_entries(), described(kernel_entries()),
                   "Kernel")
      ->capture_default_str();
  parameters.add_to(app);
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_OPTION_PARTS_HPP
