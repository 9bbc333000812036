// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Gradients of components: how they change with each variable of a sample, and so which variables
/// matter.

#ifndef MERCER_MODELS_COMPONENT_GRADIENTS_HPP
#define MERCER_MODELS_COMPONENT_GRADIENTS_HPP

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/sample_weights.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/gradients.hpp>

namespace mercer {

namespace detail {

template <class K, Real S>
void require_gradient_samples(std::string_view who, const K& kernel, const Matrix<S>& x,
                              const Matrix<S>& points, const Matrix<S>& coefficients) {
  if (x.cols() != points.cols())
    fail("mercer::", who, ": samples have ", x.cols(), " columns, the points of the model ",
         points.cols());
  if (coefficients.rows() != points.rows())
    fail("mercer::", who, ": ", coefficients.rows(), " rows of coefficients for ", points.rows(),
         " points");
  if (!x.allFinite()) fail("mercer::", who, ": samples must be finite");
  Gradients<K, S>::require(kernel, x);
  check_domain(kernel, x);
}

}  // namespace detail

/// The gradients of one component f_i(x) = sum_j A_ji k(x, p_j) - c_i at the rows of \p x, in
/// closed form: q x d, in the units of the component by the units of each column.
/// \param points        p_j, m x d: model.points()
/// \param coefficients  A, m x k: model.coefficients()
/// Cost: O(q m d).
/// Memory: q x m values; for sums and products of kernels, those of each part, and for products two
///   more.
/// Throws InvalidArgument for shapes that do not fit together, samples that are not finite or outside
///   of the domain of the kernel, a component that there is not, and where the kernel has no
///   gradient: Matern with nu <= 1, ArcCosine of order 0, Cosine and kernels on the sphere at a
///   sample of zeros.
template <HasGradient K, Real S>
[[nodiscard]] Matrix<S> component_gradients(const K& kernel, const Matrix<S>& points,
                                            const Matrix<S>& coefficients, const Matrix<S>& x,
                                            Index component) {
  detail::require_gradient_samples("component_gradients", kernel, x, points, coefficients);
  if (component < 0 || component >= coefficients.cols())
    detail::fail("mercer::component_gradients: there is no component ", component, " of ",
                 coefficients.cols(), " (counted from 0)");
  return detail::Gradients<K, S>(kernel, x, points)
      .sum(coefficients.col(component).transpose().replicate(x.rows(), 1));
}

/// The same for a model of dense samples.
template <class Model>
[[nodiscard]] auto component_gradients(const Model& model, const Matrix<typename Model::Scalar>& x,
                                       Index component) {
  return component_gradients(model.kernel(), model.points(), model.coefficients(), x, component);
}

/// The mean over the rows of \p x of the absolute gradients of all components: d x k. Entry (v, i)
/// says how much component i changes, on average, when variable v changes by one unit. Times the
/// standard deviations of the columns, the values of different variables can be compared.
/// \param weights  of the rows of \p x, q, for a weighted mean; empty: 1 each
/// Cost: O(q m d k).
/// Memory: a block of 128 rows x m for each thread, and d x k values for each block.
/// Threads: over blocks of rows; the result has the same bits for any number of threads.
/// Throws InvalidArgument as component_gradients(), without samples, and for weights that are not as
///   many, negative, not finite, or all 0.
template <HasGradient K, Real S>
[[nodiscard]] Matrix<S> mean_absolute_gradients(const K& kernel, const Matrix<S>& points,
                                                const Matrix<S>& coefficients, const Matrix<S>& x,
                                                const Vector<double>& weights = {}) {
  detail::require_gradient_samples("mean_absolute_gradients", kernel, x, points, coefficients);
  if (x.rows() == 0) detail::fail("mercer::mean_absolute_gradients: there are no samples");
  Vector<S> shares = Vector<S>::Ones(x.rows());
  if (weights.size() > 0) {
    constexpr std::string_view who = "mercer::mean_absolute_gradients: ";
    detail::require_as_many_weights(who, x.rows(), weights.size());
    shares = (weights / detail::largest_weight(who, weights)).template cast<S>();
    // Rows without weight count for nothing, also where their gradients overflow.
    std::vector<Index> kept;
    for (Index i = 0; i < x.rows(); ++i)
      if (shares(i) > 0) kept.push_back(i);
    if (std::cmp_less(kept.size(), x.rows()))
      return mean_absolute_gradients(kernel, points, coefficients,
                                     Matrix<S>(detail::take_rows(x, kept)),
                                     detail::take_entries(weights, kept));
  }
  constexpr Index block_rows = 128;
  const Index k = coefficients.cols(), blocks = (x.rows() + block_rows - 1) / block_rows;
  std::vector<Matrix<S>> sums(static_cast<std::size_t>(blocks), Matrix<S>(x.cols(), k));
  parallel_for(blocks, [&](Index task) {
    const Index first = task * block_rows, rows = (std::min)(block_rows, x.rows() - first);
    const Matrix<S> block = x.middleRows(first, rows);
    const detail::Gradients<K, S> gradients(kernel, block, points);
    for (Index i = 0; i < k; ++i)
      sums[static_cast<std::size_t>(task)].col(i) =
          (gradients.sum(coefficients.col(i).transpose().replicate(rows, 1))
               .array()
               .abs()
               .colwise() *
           shares.segment(first, rows).array())
              .matrix()
              .colwise()
              .sum()
              .transpose();
  });
  Matrix<S> mean = Matrix<S>::Zero(x.cols(), k);
  for (const Matrix<S>& sum : sums) mean += sum;
  return mean / shares.sum();
}

/// The same for a model of dense samples.
template <class Model>
[[nodiscard]] auto mean_absolute_gradients(const Model& model,
                                           const Matrix<typename Model::Scalar>& x,
                                           const Vector<double>& weights = {}) {
  return mean_absolute_gradients(model.kernel(), model.points(), model.coefficients(), x, weights);
}

}  // namespace mercer

#endif  // MERCER_MODELS_COMPONENT_GRADIENTS_HPP
