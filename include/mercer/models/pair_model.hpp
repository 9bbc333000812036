// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The result of a fit of two views: as many functions of each.

#ifndef MERCER_MODELS_PAIR_MODEL_HPP
#define MERCER_MODELS_PAIR_MODEL_HPP

#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/models/detail/paired_bases.hpp>
#include <mercer/models/pair_report.hpp>

namespace mercer {

/// k functions f_j of the first view and k functions g_j of the second one, with a number for each
/// pair of them. What the number is, the derived class says. Holds an expansion for each view and
/// no matrix of n x n. Immutable.
/// \tparam Fx, Fy  KernelFunctions or FeatureFunctions
/// Threads: const members may run concurrently.
template <class Fx, class Fy>
class PairModel {
 public:
  /// Throws InvalidArgument unless there are as many functions of each view as values.
  PairModel(Fx x, Fy y, Vector<double> values, PairReport report)
      : x_(std::move(x)), y_(std::move(y)), values_(std::move(values)), report_(std::move(report)) {
    if (x_.size() != values_.size() || y_.size() != values_.size())
      detail::fail("mercer::PairModel: ", values_.size(), " values do not fit ", x_.size(),
                   " functions of the first view and ", y_.size(), " of the second");
  }

  /// The number of components found. It is less than requested if the others are zero.
  [[nodiscard]] Index components() const { return values_.size(); }

  /// f_j at the rows of \p q: q x k.
  /// Throws InvalidArgument as KernelPcaModel::transform().
  template <class Q>
  [[nodiscard]] Matrix<typename Fx::Scalar> transform_x(const Q& q) const {
    return x_.transform(q);
  }
  /// g_j at the rows of \p q: q x k.
  template <class Q>
  [[nodiscard]] Matrix<typename Fy::Scalar> transform_y(const Q& q) const {
    return y_.transform(q);
  }

  [[nodiscard]] const Fx& functions_x() const { return x_; }
  [[nodiscard]] const Fy& functions_y() const { return y_; }
  [[nodiscard]] const PairReport& report() const { return report_; }

  /// The Pearson correlation of f_j(x_i) and g_j(y_i) over given pairs, for each component, with
  /// its sign; 0 where one of the two is constant. Over pairs that the fit has not seen, this is
  /// what the components say about the data.
  /// Throws InvalidArgument as transform_x(), and for different numbers of rows.
  template <class X, class Y>
  [[nodiscard]] std::vector<double> correlations(const X& x, const Y& y) const {
    if (x.rows() != y.rows())
      detail::fail("mercer::PairModel::correlations: rows are pairs, but the first view has ",
                   x.rows(), " rows and the second ", y.rows());
    return detail::column_correlations(transform_x(x), transform_y(y));
  }

 protected:
  /// One number for each component, descending.
  [[nodiscard]] const Vector<double>& values() const { return values_; }

 private:
  Fx x_;
  Fy y_;
  Vector<double> values_;
  PairReport report_;
};

}  // namespace mercer

#endif  // MERCER_MODELS_PAIR_MODEL_HPP
