// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The inner loops of the compiled companion, which it has for several instruction sets.
///
/// Packages are compiled for all processors of a family, so without the instructions of the newer
/// ones. On x86-64, mercer::compiled therefore has its inner loops three times, and takes those of
/// the processor that it runs on. This needs GCC or Clang, and not Windows. With -march=native, or
/// another flag that allows AVX2, there is one form of the loops. Without the companion, too.

#ifndef MERCER_CORE_MACHINE_INSTRUCTION_SETS_HPP
#define MERCER_CORE_MACHINE_INSTRUCTION_SETS_HPP

#include <string_view>

#include <mercer/core/errors.hpp>
#include <mercer/core/machine/inner_loops.hpp>

namespace mercer {

/// Which instructions the inner loops use.
enum class InstructionSet {
  AsCompiled,  ///< those that the flags of the compiler allow
  Avx2,        ///< AVX2 and FMA
  Avx512,      ///< AVX-512 F, BW, DQ and VL
};

[[nodiscard]] constexpr std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::AsCompiled:
      return "as compiled";
    case InstructionSet::Avx2:
      return "AVX2";
    case InstructionSet::Avx512:
      return "AVX-512";
  }
  return "unknown";
}

#if defined(MERCER_INSTRUCTION_SETS)

/// Whether this program has loops with these instructions, and the processor has them, too.
[[nodiscard]] bool has_instruction_set(InstructionSet set);

/// The instructions in use: at first the best there are.
[[nodiscard]] InstructionSet instruction_set();

/// Chooses the instructions for all threads: to compare them, or to have the same on processors of
/// several kinds. Last bits may still differ between those: sums of products depend on the size of
/// the caches, too. Not while a fit or a transform runs.
/// Throws InvalidArgument unless has_instruction_set(set).
void set_instruction_set(InstructionSet set);

#else

[[nodiscard]] inline bool has_instruction_set(InstructionSet set) {
  return set == InstructionSet::AsCompiled;
}

[[nodiscard]] inline InstructionSet instruction_set() {
  return InstructionSet::AsCompiled;
}

inline void set_instruction_set(InstructionSet set) {
  if (!has_instruction_set(set))
    detail::fail("mercer::set_instruction_set: this program has no loops for ", to_string(set),
                 "; they come with mercer::compiled on x86-64");
}

#endif

namespace detail {

#if defined(MERCER_INSTRUCTION_SETS)
/// The loops in use, or null for those of the templates.
template <class S>
[[nodiscard]] const mercer_inner_loops::Loops<S>* inner_loops();
template <>
const mercer_inner_loops::Loops<double>* inner_loops<double>();
template <>
const mercer_inner_loops::Loops<float>* inner_loops<float>();
#else
template <class S>
[[nodiscard]] constexpr const mercer_inner_loops::Loops<S>* inner_loops() {
  return nullptr;
}
#endif

/// The pointer and the sizes of a block.
template <class S, class M>
[[nodiscard]] mercer_inner_loops::Block<const S> plain_block(const M& m) {
  return {m.data(), m.rows(), m.cols(), m.outerStride()};
}
template <class S, class M>
[[nodiscard]] mercer_inner_loops::Block<S> plain_block(M& m) {
  return {m.data(), m.rows(), m.cols(), m.outerStride()};
}

}  // namespace detail

}  // namespace mercer

#endif  // MERCER_CORE_MACHINE_INSTRUCTION_SETS_HPP
