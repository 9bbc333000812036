// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The updates of the kernel Hebbian algorithm.

#ifndef MERCER_SOLVERS_HEBBIAN_DETAIL_HEBBIAN_RUN_HPP
#define MERCER_SOLVERS_HEBBIAN_DETAIL_HEBBIAN_RUN_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/types.hpp>
#include <mercer/solvers/hebbian/hebbian_gain.hpp>

namespace mercer::detail {

/// The state of the kernel Hebbian algorithm: A K, and r rows of coefficients A that tend to
/// u_i^T / mu_i^(1/2). Both are stored transposed, n x r, so that each component is contiguous and
/// loops over samples vectorise.
///
/// An update needs no allocation: row i of LT(y y^T) A is y_i sum_{j <= i} y_j A_j, a prefix sum.
///
/// Cost: O(n r) for each update.
/// Threads: sums over samples use fixed blocks, so the state is the same to the last bit on any
///   number of threads.
/// Source: Kim, Franz, Schoelkopf, Iterative kernel principal component analysis for image
///   modeling, 2005 (the update).
/// Source: Guenter, Schraudolph, Vishwanathan, Fast iterative kernel principal component analysis,
///   2007 (the gains).
template <Real S>
class HebbianRun {
 public:
  /// @param a   A^T, n x r
  /// @param ak  K A^T, n x r
  HebbianRun(Matrix<S> a, Matrix<S> ak, GainSchedule schedule);

  /// A <- A + eta (y e_p^T - LT(y y^T) A) with y = A k_p, where \p column is k_p, column p of K.
  /// Updates A K in the same way. Does nothing after the run has diverged.
  void update(Index p, const Vector<S>& column);

  /// True if an update was so unstable that it was not done. The state before it is finite.
  [[nodiscard]] bool diverged() const { return diverged_; }
  [[nodiscard]] Index updates() const { return updates_; }
  [[nodiscard]] const Matrix<S>& coefficients() const { return a_; }
  [[nodiscard]] const Matrix<S>& products() const { return ak_; }
  /// The gains of the last update.
  [[nodiscard]] const Vector<S>& gains() const { return gains_; }
  /// B^T of Smd. For xi = 1 it is the derivative of A^T with respect to a common log of the gains.
  [[nodiscard]] const Matrix<S>& derivative() const { return b_; }

 private:
  /// Updates are stable for eta_i |y|^2 <= 2. Noise may exceed this now and then, and the run
  /// recovers. Above this bound it does not.
  static constexpr S stable_growth = 10;

  [[nodiscard]] bool uses_estimates() const {
    return schedule_.gain != Gain::Constant && schedule_.gain != Gain::InverseTime;
  }
  [[nodiscard]] S find_gains(S squared_output);
  void adapt_gains(const Vector<S>& column);
  void advance(Index p, const Vector<S>& column, Index block, Index first, Index size);
  void advance_derivative(Index p, Index first, Index size);
  void measure(Index block, Index first, Index size);

  GainSchedule schedule_;
  Matrix<S> a_, ak_;
  Matrix<S> b_;                       // n x r; empty unless the gain is Smd
  Vector<S> rho_;                     // r
  Vector<S> y_, bk_, gains_, moves_;  // r: A k_p, B k_p, eta, eta y
  Matrix<S> prefix_;                  // n x 2: sums over the components so far
  Matrix<S> sums_;                    // blocks x 2 r: squared norms, or products with B
  Vector<S> squares_;                 // 2 r: |A_i|^2 and |(A K)_i|^2
  Index updates_ = 0;
  bool diverged_ = false;
};

template <Real S>
HebbianRun<S>::HebbianRun(Matrix<S> a, Matrix<S> ak, GainSchedule schedule)
    : schedule_(schedule),
      a_(std::move(a)),
      ak_(std::move(ak)),
      rho_(Vector<S>::Zero(a_.cols())),
      y_(a_.cols()),
      bk_(a_.cols()),
      gains_(a_.cols()),
      moves_(a_.cols()),
      prefix_(a_.rows(), 2),
      sums_((a_.rows() + row_block - 1) / row_block, 2 * a_.cols()),
      squares_(2 * a_.cols()) {
  if (schedule_.gain == Gain::Smd) b_ = Matrix<S>::Zero(a_.rows(), a_.cols());
  if (!uses_estimates()) return;
  for_row_blocks(a_.rows(),
                 [&](Index block, Index first, Index size) { measure(block, first, size); });
  squares_ = sums_.colwise().sum().transpose();
}

template <Real S>
void HebbianRun<S>::update(Index p, const Vector<S>& column) {
  if (diverged_) return;
  y_ = ak_.row(p).transpose();
  const S squared_output = y_.squaredNorm();
  if (squared_output == 0) {  // A does not change, and the gains may be 0 / 0
    ++updates_;
    return;
  }
  const S least = find_gains(squared_output);
  if (schedule_.gain == Gain::Smd) adapt_gains(column);
  const S growth = (std::max)(least, gains_.maxCoeff()) * squared_output;
  diverged_ = !(growth <= stable_growth) || !gains_.allFinite();  // NaN too
  if (diverged_) return;
  moves_ = gains_.cwiseProduct(y_);
  for_row_blocks(a_.rows(), [&](Index block, Index first, Index size) {
    advance(p, column, block, first, size);
  });
  if (uses_estimates()) squares_ = sums_.colwise().sum().transpose();
  ++updates_;
}

/// An eigenvalue estimate near zero would give an unbounded gain. So estimated gains are cut at
/// 1 / |y|^2, half of the stability limit. Returns the smallest gain before the cut.
template <Real S>
S HebbianRun<S>::find_gains(S squared_output) {
  const auto t = static_cast<double>(updates_);
  const auto n = static_cast<double>(a_.rows());
  const bool estimates_only = schedule_.gain == Gain::EtStar || schedule_.gain == Gain::Smd;
  const double time = estimates_only ? n : schedule_.time;
  const double decay = schedule_.gain == Gain::Constant ? 1 : time / (t + time);
  gains_.setConstant(static_cast<S>(schedule_.step * decay));
  if (!uses_estimates()) return gains_(0);
  const Index r = a_.cols();
  constexpr S tiny = (std::numeric_limits<S>::min)();
  S norm = 0;
  for (Index i = 0; i < r; ++i) norm += squares_(r + i) / (std::max)(squares_(i), tiny);
  norm = schedule_.gain == Gain::Et ? S(1) : std::sqrt(norm);
  for (Index i = 0; i < r; ++i) {
    const S lambda = std::sqrt(squares_(r + i) / (std::max)(squares_(i), tiny));
    gains_(i) *= norm / (std::max)(lambda, tiny);
  }
  const S least = gains_.minCoeff();
  gains_ = gains_.cwiseMin(1 / squared_output);
  return least;
}

/// rho_i += mu sum_j (Gamma K)_ij B_ij, eta_i <- exp(rho_i) eta_i, where
/// (Gamma K)_i = y_i (k_p - sum_{j <= i} y_j (A K)_j). Also computes B k_p.
template <Real S>
void HebbianRun<S>::adapt_gains(const Vector<S>& column) {
  const Index r = a_.cols();
  for_row_blocks(a_.rows(), [&](Index block, Index first, Index size) {
    auto prefix = prefix_.col(0).segment(first, size);
    prefix.setZero();
    for (Index i = 0; i < r; ++i) {
      const auto b = b_.col(i).segment(first, size);
      prefix += y_(i) * ak_.col(i).segment(first, size);
      sums_(block, i) = column.segment(first, size).dot(b);
      sums_(block, r + i) = prefix.dot(b);
    }
  });
  for (Index i = 0; i < r; ++i) {
    bk_(i) = sums_.col(i).sum();
    rho_(i) += static_cast<S>(schedule_.meta_step) * y_(i) * (bk_(i) - sums_.col(r + i).sum());
    gains_(i) *= std::exp(rho_(i));
  }
}

template <Real S>
void HebbianRun<S>::advance(Index p, const Vector<S>& column, Index block, Index first,
                            Index size) {
  if (schedule_.gain == Gain::Smd) advance_derivative(p, first, size);
  const auto k = column.segment(first, size);
  auto prefix = prefix_.col(0).segment(first, size);
  prefix.setZero();
  for (Index i = 0; i < a_.cols(); ++i) {
    auto row = a_.col(i).segment(first, size);
    prefix += y_(i) * row;
    row -= moves_(i) * prefix;
  }
  if (p >= first && p < first + size) a_.row(p) += moves_.transpose();
  prefix.setZero();
  for (Index i = 0; i < a_.cols(); ++i) {
    auto row = ak_.col(i).segment(first, size);
    prefix += y_(i) * row;
    row += moves_(i) * (k - prefix);
  }
  if (uses_estimates()) measure(block, first, size);
}

/// B <- xi B + eta ((A + xi B) k_p e_p^T - LT(y y^T)(A + xi B) - xi LT(B k_p y^T + y k_p^T B^T) A)
/// for a block of samples, with prefix sums of y_j A_j and of y_j B_j + (B k_p)_j A_j.
template <Real S>
void HebbianRun<S>::advance_derivative(Index p, Index first, Index size) {
  const S xi = static_cast<S>(schedule_.meta_decay);
  auto plain = prefix_.col(0).segment(first, size);
  auto mixed = prefix_.col(1).segment(first, size);
  plain.setZero();
  mixed.setZero();
  for (Index i = 0; i < a_.cols(); ++i) {
    const auto a = a_.col(i).segment(first, size);
    auto b = b_.col(i).segment(first, size);
    plain += y_(i) * a;
    mixed += y_(i) * b + bk_(i) * a;
    b = xi * b - (gains_(i) * (y_(i) + xi * bk_(i))) * plain - (xi * moves_(i)) * mixed;
  }
  if (p >= first && p < first + size) b_.row(p) += gains_.cwiseProduct(y_ + xi * bk_).transpose();
}

template <Real S>
void HebbianRun<S>::measure(Index block, Index first, Index size) {
  const Index r = a_.cols();
  for (Index i = 0; i < r; ++i) {
    sums_(block, i) = a_.col(i).segment(first, size).squaredNorm();
    sums_(block, r + i) = ak_.col(i).segment(first, size).squaredNorm();
  }
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_HEBBIAN_DETAIL_HEBBIAN_RUN_HPP
