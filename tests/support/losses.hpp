// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The library's losses one after the other, a loss of a user's, and for each requirement of the
/// concept a type that lacks just this.

#ifndef MERCER_TESTS_SUPPORT_LOSSES_HPP
#define MERCER_TESTS_SUPPORT_LOSSES_HPP

#include <mercer/core/types.hpp>
#include <mercer/losses/epsilon_insensitive.hpp>
#include <mercer/losses/huber.hpp>
#include <mercer/losses/loss.hpp>
#include <mercer/losses/norms.hpp>
#include <mercer/losses/square.hpp>

namespace mercer::test {

/// A user's norm, |y_1| + (y_2^2 + y_3^2 + ...)^(1/2), and its dual, the larger of the two. A row
/// is projected on the ball of the sum by moving both parts towards zero by as much.
struct GroupNorm {
  /// The dual norm.
  struct Largest {
    [[nodiscard]] static Vector<double> norms(const Matrix<double>& y) {
      return GroupNorm::parts(y).rowwise().maxCoeff();
    }
    static void project(Matrix<double>& y, double radius) {
      GroupNorm::replace(y, GroupNorm::parts(y).cwiseMin(radius));
    }
  };

  static constexpr const char* name = "groups";
  static constexpr bool rotation_invariant = false;
  using Dual = Largest;

  [[nodiscard]] static Vector<double> norms(const Matrix<double>& y) {
    return parts(y).rowwise().sum();
  }
  static void project(Matrix<double>& y, double radius) {
    Matrix<double> sizes = parts(y);
    L1::project(sizes, radius);
    replace(y, sizes);
  }

 private:
  /// |y_1| and the norm of the rest.
  [[nodiscard]] static Matrix<double> parts(const Matrix<double>& y) {
    Matrix<double> sizes(y.rows(), 2);
    sizes << y.leftCols(1).cwiseAbs(), y.rightCols(y.cols() - 1).rowwise().norm();
    return sizes;
  }
  /// Gives the parts new sizes.
  static void replace(Matrix<double>& y, const Matrix<double>& sizes) {
    const Matrix<double> before = parts(y).cwiseMax(1e-300);
    y.col(0).array() *= sizes.col(0).array() / before.col(0).array();
    y.rightCols(y.cols() - 1).array().colwise() *= sizes.col(1).array() / before.col(1).array();
  }
};

struct NormWithoutProjection {
  static constexpr const char* name = "none";
  static constexpr bool rotation_invariant = false;
  using Dual = L2;
  static Vector<double> norms(const Matrix<double>& y);
};

/// Calls \p use with each loss that bends scores of size 1.
template <class Use>
void for_each_loss(const Use& use) {
  use(Huber<L1>{.3});
  use(Huber<L2>{.5});
  use(Huber<LInf>{.6});
  use(EpsilonInsensitive<L1>{.7});
  use(EpsilonInsensitive<L2>{.5});
  use(EpsilonInsensitive<LInf>{.3});
}

/// A user's loss: |y|^2 / 4, for which Psi(z) = |z|^2 / 2 and Psi*(h) = |h|^2 / 2.
struct HalfSquare {
  static constexpr bool rotation_invariant = true;
  [[nodiscard]] double value(const Matrix<double>& y) const { return y.squaredNorm() / 4; }
  [[nodiscard]] double conjugate(const Matrix<double>& h) const { return h.squaredNorm() / 2; }
  [[nodiscard]] Matrix<double> prox_conjugate(const Matrix<double>& y) const { return y / 2; }
};

struct LossWithoutInvariance {
  double value(const Matrix<double>& y) const;
  double conjugate(const Matrix<double>& h) const;
  Matrix<double> prox_conjugate(const Matrix<double>& y) const;
};
struct LossWithoutValue {
  static constexpr bool rotation_invariant = true;
  double conjugate(const Matrix<double>& h) const;
  Matrix<double> prox_conjugate(const Matrix<double>& y) const;
};
struct LossWithoutConjugate {
  static constexpr bool rotation_invariant = true;
  double value(const Matrix<double>& y) const;
  Matrix<double> prox_conjugate(const Matrix<double>& y) const;
};
struct LossWithoutProx {
  static constexpr bool rotation_invariant = true;
  double value(const Matrix<double>& y) const;
  double conjugate(const Matrix<double>& h) const;
};

}  // namespace mercer::test

#endif  // MERCER_TESTS_SUPPORT_LOSSES_HPP
