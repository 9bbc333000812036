// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/option_parts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/suggestion.hpp>
#include <mercer/io/delimited.hpp>

#include <examples/kpca/memory_sizes.hpp>
#include <examples/kpca/table_options.hpp>

namespace kpca {

std::vector<std::string> solvers_with_state(bool spread) {
  std::vector<std::string> names = solvers_with_state_every(spread);
  names.insert(names.begin(), {"auto", "block-krylov", "lanczos", "dual"});
  return names;
}

std::vector<std::string> solvers_with_state_every(bool spread) {
  if (spread) return {"doubly-stochastic", "spgd", "features"};
  return {"doubly-stochastic", "spgd"};
}

std::string solvers_with_weights() {
  return "auto, exact, block-krylov, lanczos, dual with the loss square, nystrom and features";
}

void add_weights(CLI::App& app, std::string& weights) {
  app.add_option("--weights", weights,
                 wrapped("One weight per row (.npy, .csv), not negative: a row with the weight 2 "
                         "counts like two equal rows: components and scores are the same, and "
                         "eigenvalues those of the repeated rows divided by the mean weight (with "
                         "the same width: a median distance does not count pairs of equal rows). "
                         "For --solver " +
                         solvers_with_weights()))
      ->type_name("FILE");
}

void add_weight_column(CLI::App& app, mercer::io::ColumnChoice& columns) {
  app.add_option("--weight-column", columns.weights,
                 wrapped("The column that holds the weights, in place of --weights"))
      ->type_name("C")
      ->excludes("--weights");
}

bool needs_archive(const SolverOptions& solver) {
  return !solver.state.empty() && solver.name == "doubly-stochastic";
}

void add_state(CLI::App& app, SolverOptions& solver, const TableOptions& options, bool spread) {
  app.add_option("--state", solver.state,
                 wrapped("Keep the state of the fit here; if it is there, the fit goes on from it, "
                         "to the same bits. For doubly-stochastic this is a file, and the samples "
                         "and options must be those of the run that wrote it. For block-krylov, "
                         "lanczos, dual, and auto where it takes block-krylov, it is a folder, of "
                         "products with the matrix, and for spgd a folder with the last iterate" +
                         std::string(spread ? ", for features with the last sums" : "") +
                         "; the samples and the kernel must be the same"))
      ->type_name("PATH")
      ->group(options.group_of(""));
  app.add_option("--state-every", solver.state_every,
                 wrapped("Steps after which the state is written. For doubly-stochastic (default: "
                         "100) and spgd (default: 10)" +
                         std::string(spread ? "; for features batches of each process, at most 32 "
                                              "times in all (default: 10)"
                                            : "")))
      ->type_name("N")
      ->transform(whole_number(1, (std::numeric_limits<std::int32_t>::max)()))
      ->group(options.group_of(""));
}

void require_state(const SolverOptions& solver) {
  if (solver.state_every && solver.state.empty())
    throw mercer::InvalidArgument("--state-every: needs the file or folder of --state");
}

CLI::Validator whole_number(std::int64_t from, std::int64_t to) {
  const auto check = [from, to](std::string& text) -> std::string {
    const auto value = parse_number<std::int64_t>(text);
    if (value && *value >= from && *value <= to) {
      text = std::to_string(*value);  // CLI11 takes 010 for the octal number 8
      return {};
    }
    return "must be a whole number from " + std::to_string(from) + " to " + std::to_string(to) +
           ", got '" + text + "'";
  };
  return CLI::Validator(check, "");
}

CLI::Validator one_of(const std::vector<std::string>& known) {
  const auto check = [known](const std::string& text) -> std::string {
    if (std::find(known.begin(), known.end(), text) != known.end()) return {};
    return "unknown value '" + text + "'; known: " + CLI::detail::join(known, ", ") +
           mercer::did_you_mean(text, known);
  };
  return CLI::Validator(check, "", choices_name(known));
}

CLI::Validator byte_size() {
  const auto check = [](const std::string& text) -> std::string {
    constexpr std::size_t fewest = 1024;
    const std::optional<std::size_t> bytes = parse_bytes(text);
    if (!bytes)
      return "must be a number of bytes, with K, M, G or T for multiples of 1024, got '" + text +
             "'";
    if (*bytes < fewest && text.find_first_not_of("0123456789.") == std::string::npos)
      return "'" + text + "' counts bytes, which are too few for anything; is it " + text + "G?";
    return {};
  };
  return CLI::Validator(check, "");
}

void require_components_fit_solver(const std::optional<mercer::Components>& components,
                                   const mercer::SolverEntry& solver) {
  if (components && components->is_fraction() && !solver.takes_fraction)
    throw mercer::InvalidArgument(
        "--components: the solver " + solver.name +
        " takes a whole number, not a fraction of variance; take block-krylov or exact");
}

void add_column_choice(CLI::App& app, mercer::io::ColumnChoice& columns,
                       const std::string& suffix) {
  const auto add = [&](const std::string& first, std::vector<std::string>& words,
                       const std::string& help_of_first) {
    const std::string name = first + suffix;
    const std::string help =
        suffix.empty() ? help_of_first : "As " + first + ", for the second file";
    // Names may have commas, as fields may: in quotes.
    const auto take = [name, &words](const std::vector<std::string>& given) {
      for (const std::string& list : given)
        for (std::string& word : mercer::detail::split_fields(name, 1, list, ','))
          words.push_back(std::move(word));
    };
    return app.add_option_function<std::vector<std::string>>(name, take, wrapped(help))
        ->type_name("C1,C2,...")
        ->allow_extra_args(false);
  };
  add("--columns", columns.keep,
      "The columns that are samples, by name, or by number from 1, also as 2-5; a name with a "
      "comma in quotes: '\"a, b\",c'. They stay in the order of the file. Default: all");
  add("--drop", columns.drop, "Columns to leave out, named in the same ways");
}

mercer::Components parse_components(const std::string& text) {
  if (const auto count = parse_number<std::int64_t>(text); count && *count >= 1)
    return mercer::Components(*count);
  if (const auto fraction = parse_number<double>(text); fraction && *fraction > 0 && *fraction <= 1)
    return mercer::Components(*fraction);
  throw mercer::InvalidArgument(
      "--components: must be a whole number from 1, or a fraction of variance such as 0.95, got '" +
      text + "'");
}

}  // namespace kpca
