// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The Gram matrix of a kernel on samples as an operator: stored, or evaluated tile by tile.

#ifndef MERCER_OPERATORS_GRAM_HPP
#define MERCER_OPERATORS_GRAM_HPP

#include <cmath>
#include <memory>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/evaluate.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/operators/precomputed_gram.hpp>

namespace mercer {

/// How the Gram operator holds its matrix.
enum class GramStorage {
  Stored,     ///< n^2 values, evaluated once
  Recomputed  ///< nothing: every product evaluates all tiles anew
};

/// K(i, j) = k(x_i, x_j) for the samples in the rows of X.
/// Lifetime: shares ownership of the samples, so it may outlive the caller's variable.
/// Threads: const members may run concurrently and give the same bits on any number of threads.
template <KernelOrPrecomputed K, OwnedSamples X>
  requires evaluates_on<K, X>
class Gram {
 public:
  using Scalar = typename X::Scalar;

  /// Throws InvalidArgument for samples outside the kernel's domain or not finite; in stored form
  /// also if a kernel value is not finite (names the pair).
  Gram(K kernel, std::shared_ptr<const X> samples, GramStorage storage = GramStorage::Recomputed)
      : kernel_(std::move(kernel)), samples_(std::move(samples)), storage_(storage) {
    detail::require_finite_samples("Gram", *samples_);
    detail::check_domain(kernel_, *samples_);
    if constexpr (std::same_as<K, Precomputed>) Precomputed::check_gram(*samples_);
    if (storage == GramStorage::Stored) stored_ = evaluate();
  }

  Gram(K kernel, X samples, GramStorage storage = GramStorage::Recomputed)
      : Gram(std::move(kernel), std::make_shared<const X>(std::move(samples)), storage) {}

  [[nodiscard]] Index rows() const { return samples_->rows(); }

  /// out = K v, n x b. Cost: O(n^2 b), plus O(n^2 d) if tiles are recomputed.
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    if (storage_ == GramStorage::Stored)
      detail::symmetric_product<Scalar>(stored_, v, out);
    else
      kernel_product(kernel_, *samples_, *samples_, v, out);
  }

  /// k(x_i, x_i).
  [[nodiscard]] Vector<Scalar> diagonal() const { return mercer::diagonal(kernel_, *samples_); }

  /// The whole matrix; from an rvalue in stored form without a copy.
  [[nodiscard]] Matrix<Scalar> dense() const& {
    return storage_ == GramStorage::Stored ? stored_ : evaluate();
  }
  [[nodiscard]] Matrix<Scalar> dense() && {
    return storage_ == GramStorage::Stored ? std::move(stored_) : evaluate();
  }

  [[nodiscard]] GramStorage storage() const { return storage_; }

 private:
  [[nodiscard]] Matrix<Scalar> evaluate() const {
    Matrix<Scalar> gram(rows(), rows());
    fill_gram(kernel_, *samples_, gram);
    // The sum is a fast test; only if it fails are the entries looked at one by one.
    if (!std::isfinite(gram.sum()))
      for (Index j = 0; j < rows(); ++j)
        for (Index i = 0; i < rows(); ++i)
          if (!std::isfinite(gram(i, j)))
            detail::fail("mercer::Gram: the kernel ", detail::describe(kernel_), " has the value ",
                         gram(i, j), " for samples ", i, " and ", j, " (counted from 0)");
    return gram;
  }

  K kernel_;
  std::shared_ptr<const X> samples_;
  GramStorage storage_;
  Matrix<Scalar> stored_;
};

}  // namespace mercer

#endif  // MERCER_OPERATORS_GRAM_HPP
