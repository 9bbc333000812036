// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Which inner loops a program uses. Compiled for every processor.

#include <atomic>

#include <mercer/core/machine/instruction_sets.hpp>

extern const mercer_inner_loops::Loops<double> mercer_double_loops_avx2, mercer_double_loops_avx512;
extern const mercer_inner_loops::Loops<float> mercer_float_loops_avx2, mercer_float_loops_avx512;

namespace mercer {
namespace {

/// The loops of both scalars for one instruction set.
struct LoopSet {
  InstructionSet set;
  bool (*runs_here)();
  const mercer_inner_loops::Loops<double>* in_double;
  const mercer_inner_loops::Loops<float>* in_float;
};

// The processor is asked for just what the compiler was told to use (mercerCompiled.cmake).
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

constexpr LoopSet loop_sets[] = {
    {InstructionSet::Avx512, has_avx512, &mercer_double_loops_avx512, &mercer_float_loops_avx512},
    {InstructionSet::Avx2, has_avx2, &mercer_double_loops_avx2, &mercer_float_loops_avx2},
    {InstructionSet::AsCompiled, [] { return true; }, nullptr, nullptr},
};

const LoopSet* find(InstructionSet set) {
  for (const LoopSet& loops : loop_sets)
    if (loops.set == set && loops.runs_here()) return &loops;
  return nullptr;
}

const LoopSet* best() {
  for (const LoopSet& loops : loop_sets)
    if (loops.runs_here()) return &loops;
  return nullptr;
}

std::atomic<const LoopSet*>& in_use() {
  static std::atomic<const LoopSet*> loops{best()};
  return loops;
}

}  // namespace

bool has_instruction_set(InstructionSet set) {
  return find(set) != nullptr;
}

InstructionSet instruction_set() {
  return in_use().load()->set;
}

void set_instruction_set(InstructionSet set) {
  const LoopSet* const loops = find(set);
  if (loops == nullptr)
    detail::fail("mercer::set_instruction_set: this processor does not have ", to_string(set));
  in_use() = loops;
}

namespace detail {

template <>
const mercer_inner_loops::Loops<double>* inner_loops<double>() {
  return in_use().load(std::memory_order_relaxed)->in_double;
}
template <>
const mercer_inner_loops::Loops<float>* inner_loops<float>() {
  return in_use().load(std::memory_order_relaxed)->in_float;
}

}  // namespace detail
}  // namespace mercer
