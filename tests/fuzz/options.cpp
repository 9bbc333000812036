// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A command line of kpca, one word a line, is read or refused in one line; a kernel and a solver of
// what was read are made or refused in the same way. Nothing is fitted and no file is opened: the
// words may name any.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/io/text.hpp>
#include <mercer/runtime/kernels.hpp>
#include <mercer/runtime/solvers.hpp>

#include <examples/kpca/options.hpp>
#include <examples/kpca/tables.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

/// Calls what may refuse its options. The sentence is printed as guarded() of kpca prints it.
template <class Take>
bool takes(Take&& take) {
  try {
    take();
    return true;
  } catch (const InvalidArgument& error) {
    const std::string message = io::printable(error.what());
    fuzz::require(!message.empty(), "a refusal has a reason");
    fuzz::require(message.find_first_of("\n\r\x1b") == std::string::npos,
                  "a message is one line without terminal escapes");
    return false;
  }
}

/// What the rest of kpca relies on.
void require_consistent(const kpca::Options& options) {
  fuzz::require(!options.input.empty() || !options.load.empty() || !options.parts.merged.empty(),
                "there is something to read");
  fuzz::require(!options.threads || (*options.threads >= 1 && *options.threads <= 1024),
                "threads are in their range");
  if (options.components) {
    if (options.components->is_fraction())
      fuzz::require(options.components->fraction() > 0 && options.components->fraction() <= 1,
                    "a fraction is one");
    else
      fuzz::require(options.components->count() >= 1, "there is a component");
  }
  for (const double width : options.cross_validation.grid)
    fuzz::require(std::isfinite(width) && width > 0, "widths are positive");
}

/// The kernel and the solver, as the program makes them for 20 samples with 3 coordinates.
void make_both(const kpca::Options& options) {
  Settings settings = options.kernel.settings;
  if (options.kernel.name != "precomputed")
    for (const Parameter& parameter :
         require_entry("kernel", kernel_table(), options.kernel.name).parameters)
      if (parameter.is_required() && !settings.contains(parameter.name))
        settings[parameter.name] = 1.5;
  std::optional<AnyKernel> kernel;
  if (!takes([&] { kernel = make_kernel(options.kernel.name, settings); })) return;
  takes([&] {
    static_cast<void>(make_solver(
        options.solver.name, options.solver.settings,
        {.kernel = kernel,
         .components = options.components.value_or(Components(2)),
         .samples = 20,
         .dimension = 3,
         .seed = options.seed,
         .landmarks = [](Index count) { return Matrix<double>(Matrix<double>::Ones(count, 3)); }}));
  });
}

}  // namespace

namespace kpca {

const std::vector<mercer::KernelEntry>& kernel_entries() {
  return mercer::kernel_table();
}
const std::vector<mercer::SolverEntry>& solver_entries() {
  return mercer::solver_table();
}

}  // namespace kpca

int mercer::fuzz::options(const std::uint8_t* data, std::size_t size) {
  std::string text(view(data, size));
  // The system's words end at a zero byte.
  text.erase(std::remove(text.begin(), text.end(), '\0'), text.end());
  std::vector<std::string> words{"kpca"};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) words.push_back(line);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::optional<kpca::Options> options;
  if (takes([&] { options = kpca::parse_options(static_cast<int>(words.size()), argv.data()); }) &&
      options) {
    require_consistent(*options);
    make_both(*options);
  }
  return 0;
}
