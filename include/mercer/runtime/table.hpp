// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The tables of what can be chosen at run time: their entries, and how to find one. Programs that
/// only make options of the tables need no more than this header, which compiles fast.

#ifndef MERCER_RUNTIME_TABLE_HPP
#define MERCER_RUNTIME_TABLE_HPP

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/suggestion.hpp>
#include <mercer/runtime/parameter.hpp>

namespace mercer {

class AnyKernel;
class AnyLoss;
class RidgeCholesky;
struct FeatureMapTask;
struct MadeFeatures;
struct MadeSolver;
struct SolverTask;

/// What the entries of all tables have: the name, and what people and programs ask about it.
struct TableEntry {
  std::string name;                       ///< "gaussian"
  std::string description;                ///< for people
  std::vector<Parameter> parameters;      ///< its parameters
  std::vector<std::string> aliases = {};  ///< other names that people and libraries use
};

/// A kernel.
struct KernelEntry : TableEntry {
  AnyKernel (*make)(const Arguments& arguments);  ///< makes it
};

/// A loss.
struct LossEntry : TableEntry {
  AnyLoss (*make)(const Arguments& arguments);  ///< makes it
};

/// Whether a map has features for a kernel. Natural: of the type of its default_features().
enum class FeatureFit { No, Yes, Natural };

/// A feature map.
struct FeatureMapEntry : TableEntry {
  bool drawn;  ///< its blocks are random; else one block is all there is
  FeatureFit (*fit)(const AnyKernel& kernel);  ///< whether it is for a kernel
  MadeFeatures (*make)(const Arguments& arguments, const FeatureMapTask& task);  ///< makes it
};

/// A solver.
struct SolverEntry : TableEntry {
  bool streams;         ///< makes an AnyFeatureSolver; else an AnyKernelSolver
  bool evaluates;       ///< evaluates the kernel on samples, which a precomputed one cannot be
  bool takes_fraction;  ///< components may be a fraction of variance
  MadeSolver (*make)(const Arguments& arguments, const SolverTask& task);  ///< makes it
};

/// A solver for a response.
struct ResponseSolverEntry : TableEntry {
  RidgeCholesky (*make)(const Arguments& arguments);  ///< makes it
};

/// The names of all entries of a table.
template <class Entry>
[[nodiscard]] std::vector<std::string> names(const std::vector<Entry>& table) {
  std::vector<std::string> out;
  for (const Entry& entry : table) out.push_back(entry.name);
  return out;
}

/// The entry of this name or alias, or null. "Rational_Quadratic" is "rational-quadratic".
template <class Entry>
[[nodiscard]] const Entry* find_entry(const std::vector<Entry>& table, std::string_view name) {
  const std::string wanted = detail::folded(name);
  const auto found = std::find_if(table.begin(), table.end(), [&](const Entry& e) {
    return e.name == wanted ||
           std::find(e.aliases.begin(), e.aliases.end(), wanted) != e.aliases.end();
  });
  return found == table.end() ? nullptr : &*found;
}

/// "'gauss'; known: linear, gaussian; did you mean gaussian?"
template <class Entry>
[[nodiscard]] std::string unknown_entry(const std::vector<Entry>& table, std::string_view name) {
  std::vector<std::string> known = names(table), all = known;
  for (const Entry& entry : table)
    all.insert(all.end(), entry.aliases.begin(), entry.aliases.end());
  return "'" + std::string(name) + "'; known: " + enumerated(known, ", ") + did_you_mean(name, all);
}

/// The entry of this name or alias.
/// Throws InvalidArgument with the names that there are. \p kind is "kernel", for example.
template <class Entry>
[[nodiscard]] const Entry& require_entry(std::string_view kind, const std::vector<Entry>& table,
                                         std::string_view name) {
  const Entry* const entry = find_entry(table, name);
  if (!entry) detail::fail("mercer: unknown ", kind, " ", unknown_entry(table, name));
  return *entry;
}

}  // namespace mercer

#endif  // MERCER_RUNTIME_TABLE_HPP
