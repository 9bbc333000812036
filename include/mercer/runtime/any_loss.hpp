// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A loss that is chosen at run time.

#ifndef MERCER_RUNTIME_ANY_LOSS_HPP
#define MERCER_RUNTIME_ANY_LOSS_HPP

#include <string>
#include <utility>
#include <variant>

#include <mercer/core/types.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/losses/square.hpp>
#include <mercer/runtime/detail/alternative.hpp>

namespace mercer {

/// One of the losses of mercer, chosen at run time. It is a loss itself, so solvers that use it are
/// compiled once.
/// \code
///   const AnyLoss loss = robust ? AnyLoss(Huber<L2>{0.5}) : AnyLoss(EpsilonInsensitive<L1>{0.3});
///   const auto model = KernelPca{Gaussian{1.5}, Dca{loss}, {.components = 2}}.fit(X);
/// \endcode
class AnyLoss {
 public:
  using Choice = std::variant<SquareLoss, Huber<L2>, Huber<L1>, Huber<LInf>, EpsilonInsensitive<L2>,
                              EpsilonInsensitive<LInf>, EpsilonInsensitive<L1>>;

  template <detail::AlternativeOf<Choice> L>
  AnyLoss(L loss)  // NOLINT: implicit, as for std::variant
      : rotation_invariant(L::rotation_invariant), choice_(std::move(loss)) {}

  [[nodiscard]] const Choice& choice() const { return choice_; }

  template <class Rows>
  [[nodiscard]] double value(const Eigen::MatrixBase<Rows>& y) const {
    return std::visit([&](const auto& loss) { return loss.value(y); }, choice_);
  }
  template <class Rows>
  [[nodiscard]] double conjugate(const Eigen::MatrixBase<Rows>& h) const {
    return std::visit([&](const auto& loss) { return static_cast<double>(loss.conjugate(h)); },
                      choice_);
  }
  template <class Rows>
  [[nodiscard]] Matrix<typename Rows::Scalar> prox_conjugate(
      const Eigen::MatrixBase<Rows>& y) const {
    return std::visit([&](const auto& loss) { return loss.prox_conjugate(y); }, choice_);
  }
  [[nodiscard]] std::string describe() const {
    return std::visit([](const auto& loss) { return loss.describe(); }, choice_);
  }

  bool rotation_invariant;  ///< that of the loss; not to be changed

 private:
  Choice choice_;
};

}  // namespace mercer

#endif  // MERCER_RUNTIME_ANY_LOSS_HPP
