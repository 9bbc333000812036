// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The losses of mercer by name and parameters.

#ifndef MERCER_RUNTIME_LOSSES_HPP
#define MERCER_RUNTIME_LOSSES_HPP

#include <string_view>
#include <vector>

#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/losses/square.hpp>
#include <mercer/runtime/any_loss.hpp>
#include <mercer/runtime/parameter.hpp>
#include <mercer/runtime/table.hpp>

namespace mercer {

/// Names, descriptions and parameters of all losses.
[[nodiscard]] inline const std::vector<LossEntry>& loss_table() {
  using A = const Arguments&;
  const Parameter kappa{.name = "kappa",
                        .description = "huber: scores beyond it count linearly",
                        .range = positive_number};
  const Parameter epsilon{.name = "epsilon",
                          .description = "eps: scores up to it count as zero",
                          .range = not_negative_number};
  static const std::vector<LossEntry> table = {
      {{"square", "kernel PCA itself", {}}, [](A) { return AnyLoss(SquareLoss{}); }},
      {{"huber-l2", "norms of rows of scores count linearly beyond kappa", {kappa}},
       [](A a) { return AnyLoss(Huber<L2>{a.number("kappa")}); }},
      {{"huber-l1", "scores count linearly beyond kappa", {kappa}},
       [](A a) { return AnyLoss(Huber<L1>{a.number("kappa")}); }},
      {{"huber-linf", "weights of a row of scores add up to at most kappa", {kappa}},
       [](A a) { return AnyLoss(Huber<LInf>{a.number("kappa")}); }},
      {{"eps-l2", "rows of scores of norms up to epsilon count as zero", {epsilon}},
       [](A a) { return AnyLoss(EpsilonInsensitive<L2>{a.number("epsilon")}); }},
      {{"eps-linf", "scores up to epsilon count as zero", {epsilon}},
       [](A a) { return AnyLoss(EpsilonInsensitive<LInf>{a.number("epsilon")}); }},
      {{"eps-l1", "rows of scores with a sum of up to epsilon count as zero", {epsilon}},
       [](A a) { return AnyLoss(EpsilonInsensitive<L1>{a.number("epsilon")}); }},
  };
  return table;
}

/// The loss of this name.
/// \code
///   const AnyLoss loss = make_loss("huber-l2", {{"kappa", 0.5}});
/// \endcode
/// Throws InvalidArgument for an unknown name, with those known, and for settings that do not fit.
[[nodiscard]] inline AnyLoss make_loss(std::string_view name, const Settings& settings = {}) {
  const LossEntry& entry = require_entry("loss", loss_table(), name);
  return entry.make({entry.name, entry.parameters, settings});
}

}  // namespace mercer

#endif  // MERCER_RUNTIME_LOSSES_HPP
