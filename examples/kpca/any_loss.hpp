// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A loss whose type is known at run time only.

#ifndef MERCER_EXAMPLES_KPCA_ANY_LOSS_HPP
#define MERCER_EXAMPLES_KPCA_ANY_LOSS_HPP

#include <concepts>
#include <string>
#include <utility>
#include <variant>

#include <mercer/core/types.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/loss.hpp>

namespace kpca {

/// One of several losses, which models mercer::Loss itself: a fit is compiled once for all of them.
template <mercer::Loss... L>
class OneLoss {
 public:
  static constexpr bool rotation_invariant = (L::rotation_invariant && ...);
  static_assert(rotation_invariant || !(L::rotation_invariant || ...), "all of them, or none");

  template <class T>
    requires(std::same_as<T, L> || ...)
  OneLoss(T loss)  // NOLINT: implicit, as for std::variant
      : loss_(std::move(loss)) {}

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    return std::visit([&](const auto& loss) { return loss.value(y); }, loss_);
  }
  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>& h) const {
    return std::visit([&](const auto& loss) { return loss.conjugate(h); }, loss_);
  }
  template <class Rows>
  [[nodiscard]] mercer::Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    return std::visit([&](const auto& loss) { return loss.prox_conjugate(y); }, loss_);
  }
  [[nodiscard]] std::string describe() const {
    return std::visit([](const auto& loss) { return loss.describe(); }, loss_);
  }

 private:
  std::variant<L...> loss_;
};

/// Losses of the norms of rows, and of their entries.
using RowLoss = OneLoss<mercer::Huber<mercer::L2>, mercer::EpsilonInsensitive<mercer::L2>>;
using EntryLoss = OneLoss<mercer::Huber<mercer::L1>, mercer::EpsilonInsensitive<mercer::LInf>,
                          mercer::EpsilonInsensitive<mercer::L1>>;

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_ANY_LOSS_HPP
