// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <benchmarks/certificates/truth.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

#include <Eigen/Eigenvalues>

namespace certificates {

namespace {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Columns = Eigen::Ref<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>;

[[nodiscard]] Real number(const Problem& problem, const char* name) {
  const mercer::ParameterValue& value = problem.parameters.at(name);
  if (const auto* whole = std::get_if<Index>(&value)) return static_cast<Real>(*whole);
  return static_cast<Real>(std::get<double>(value));
}

/// k(x, y).
[[nodiscard]] Real kernel(const Problem& p, const Columns& x, const Columns& y) {
  if (p.kernel == "linear") return x.dot(y);
  if (p.kernel == "polynomial")
    return std::pow(number(p, "gamma") * x.dot(y) + number(p, "coef0"), number(p, "degree"));
  if (p.kernel == "sigmoid") return std::tanh(number(p, "gamma") * x.dot(y) + number(p, "coef0"));
  if (p.kernel == "exponential-dot") return std::exp(number(p, "gamma") * x.dot(y));
  if (p.kernel == "gaussian") {
    const Real sigma = number(p, "sigma");
    return std::exp(-(x - y).squaredNorm() / (2 * sigma * sigma));
  }
  if (p.kernel == "laplacian") return std::exp(-number(p, "gamma") * (x - y).cwiseAbs().sum());
  if (p.kernel == "cauchy") {
    const Real gamma = number(p, "gamma");
    return 1 / (1 + (gamma * (x - y)).array().square()).prod();
  }
  if (p.kernel == "rational-quadratic") {
    const Real alpha = number(p, "alpha"), length = number(p, "length");
    return std::pow(1 + (x - y).squaredNorm() / (2 * alpha * length * length), -alpha);
  }
  throw std::invalid_argument("no formula for the kernel " + p.kernel);
}

/// The rounding error of k(x, y) in units of the machine epsilon, by the first derivative: some ulp
/// of the value, and what the error of its argument makes of it. The terms of an inner product may
/// cancel, those of a distance cannot.
[[nodiscard]] Real rounding(const Problem& p, const Columns& x, const Columns& y, Real value) {
  const Real terms = (std::max)(Real(1), std::sqrt(static_cast<Real>(x.size())) / 2);
  const Real product = x.cwiseProduct(y).cwiseAbs().sum();
  Real moved = 0;  // |f'(t)| times the terms of t
  if (p.kernel == "linear") {
    moved = product;
  } else if (p.kernel == "polynomial") {
    const Real gamma = number(p, "gamma"), shift = number(p, "coef0"), degree = number(p, "degree");
    moved = degree * std::pow(std::abs(gamma * x.dot(y) + shift), degree - 1) *
            (gamma * product + std::abs(shift));
  } else if (p.kernel == "sigmoid") {
    moved = (1 - value * value) * (number(p, "gamma") * product + std::abs(number(p, "coef0")));
  } else if (p.kernel == "exponential-dot") {
    moved = value * number(p, "gamma") * product;
  } else if (p.kernel == "gaussian" || p.kernel == "laplacian") {
    moved = value > 0 ? -value * std::log(value) : Real(0);  // t exp(-t)
  } else {
    moved = std::abs(value);  // t f'(t) of powers
  }
  return std::abs(value) + terms * moved;
}

}  // namespace

Truth::Truth(const Problem& problem, bool centered, Index most_eigenvalues) {
  const Index n = problem.x.rows();
  const RealMatrix columns = problem.x.transpose().cast<Real>();
  gram_.resize(n, n);
  Real trace = 0, squares = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i <= j; ++i) {
      const Real value = kernel(problem, columns.col(i), columns.col(j));
      gram_(i, j) = gram_(j, i) = value;
      const Real error = rounding(problem, columns.col(i), columns.col(j), value);
      if (i == j) trace += error;
      squares += (i == j ? 1 : 2) * error * error;
    }
  }
  noise_scale_ = static_cast<double>((std::max)(trace, std::sqrt(squares)));
  if (centered) {
    const Eigen::Matrix<Real, Eigen::Dynamic, 1> means = gram_.rowwise().mean();
    const Real mean = means.mean();
    gram_.rowwise() -= means.transpose();
    gram_.colwise() -= means;
    gram_.array() += mean;
  }
  norm_ = static_cast<double>(gram_.norm());
  if (n > most_eigenvalues || !gram_.allFinite()) return;
  // A power of two brings the largest entry to order 1, so that squares do not overflow.
  const Real largest = gram_.cwiseAbs().maxCoeff();
  const int unit = largest > 0 ? std::ilogb(largest) : 0;
  const Matrix<double> scaled = (gram_ * std::ldexp(Real(1), -unit)).cast<double>();
  const Eigen::SelfAdjointEigenSolver<Matrix<double>> system(scaled, Eigen::EigenvaluesOnly);
  eigenvalues_ = system.eigenvalues().reverse() * std::ldexp(1.0, unit);
  norm_ = eigenvalues_.cwiseAbs().maxCoeff();
}

mercer::Vector<double> Truth::residuals(const Matrix<double>& u,
                                        const mercer::Vector<double>& mu) const {
  mercer::Vector<double> norms(mu.size());
  for (Index i = 0; i < mu.size(); ++i) {
    const Eigen::Matrix<Real, Eigen::Dynamic, 1> v = u.col(i).cast<Real>();
    norms(i) = static_cast<double>((gram_ * v - static_cast<Real>(mu(i)) * v).norm());
  }
  return norms;
}

}  // namespace certificates
