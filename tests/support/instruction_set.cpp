// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Test programs take the inner loops that the environment variable MERCER_TEST_INSTRUCTIONS names,
/// as to_string() does, where the companion and the processor have them; without it the best ones.
/// So the loops for older processors are tested on newer ones, too.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <mercer/core/machine/instruction_sets.hpp>

namespace {

using mercer::InstructionSet;

bool choose_instructions() {
  const char* const wanted = std::getenv("MERCER_TEST_INSTRUCTIONS");
  if (wanted == nullptr) return false;
  for (const auto set :
       {InstructionSet::AsCompiled, InstructionSet::Avx2, InstructionSet::Avx512}) {
    if (std::string_view(wanted) != to_string(set)) continue;
    if (mercer::has_instruction_set(set)) {
      mercer::set_instruction_set(set);
      return true;
    }
    std::fprintf(stderr, "MERCER_TEST_INSTRUCTIONS: there are no loops for %s here\n", wanted);
    return false;
  }
  std::fprintf(stderr, "MERCER_TEST_INSTRUCTIONS: unknown instructions %s\n", wanted);
  std::exit(2);
}

[[maybe_unused]] const bool chosen = choose_instructions();

}  // namespace
