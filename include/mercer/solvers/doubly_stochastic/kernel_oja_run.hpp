// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA by Oja's rule without features, step by step.

#ifndef MERCER_SOLVERS_DOUBLY_STOCHASTIC_KERNEL_OJA_RUN_HPP
#define MERCER_SOLVERS_DOUBLY_STOCHASTIC_KERNEL_OJA_RUN_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/rows/row_blocks.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel_view.hpp>
#include <mercer/kernels/prepared_samples.hpp>
#include <mercer/kernels/product.hpp>
#include <mercer/solvers/doubly_stochastic/doubly_stochastic_run.hpp>

namespace mercer {

/// The ascent of DoublyStochasticRun with the kernel itself in place of random features. The
/// functions are sums over the samples x_j that steps have visited,
///
///   H(x) = sum_j k(x, x_j) A_j,  M = H^T H / n,
///   A <- A (I - eta M) for all samples so far,  A_batch += eta / n H(batch),
///
/// for the n samples of a batch. Steps and rules are those of DoublyStochasticRun, so what its
/// features cost in accuracy, and save in time and memory, is seen beside this run. The samples are
/// split into batches of nearly the same size; when all have been visited, steps visit them again
/// in turn.
///
/// \code
///   const Gaussian kernel(1.5);
///   const auto start = kernel_oja_start(kernel, X.topRows(512).eval(), 3, true);
///   KernelOjaRun<Matrix<double>> run(kernel, X, {.blocks = X.rows() / 128}, start.coefficients);
///   while (run.steps() < 100 && run.step()) {}
/// \endcode
/// \tparam X  Matrix or SparseMatrix
/// Cost: n kernel values for each sample so far, and O(n k), in each step. So the time of a pass is
///   quadratic in the number of samples.
/// Memory: the samples, a k-vector for each, and n rows of 1024 kernel values for each thread.
/// Threads: over samples; the result is the same to the last bit for any number.
/// Lifetime: owns the samples; refers to the kernel.
/// Source: Xie, Liang, Song, Scale up nonlinear component analysis with doubly stochastic
///   gradients, 2015, section 4.1, before random features replace the kernel.
template <OwnedSamples X>
class KernelOjaRun {
 public:
  using Scalar = typename X::Scalar;

  /// \param samples   in the order of the steps, at least as many as batches
  /// \param schedule  its number of blocks is that of batches
  /// \param start     coefficients of the first samples, one row for each
  /// Throws InvalidArgument for a schedule out of range, batches of fewer than one sample (two if
  ///   centred), and for coefficients that do not fit, are not all finite, or are all zero, which
  ///   no step would change.
  KernelOjaRun(const std::type_identity_t<KernelView<X>>& kernel, X samples,
               const DoublyStochasticSchedule& schedule, const Matrix<Scalar>& start);

  /// One step with the next batch. If it would make the coefficients infinite, does nothing and
  /// returns false; all later calls do the same.
  bool step();

  /// H at these samples, in the stored form of the others: x.rows() x k.
  [[nodiscard]] Matrix<Scalar> evaluate(const X& x) const {
    Matrix<Scalar> h(x.rows(), coefficients_.cols());
    kernel_product(kernel_, x, *samples_, coefficients_, h);
    return h;
  }

  /// A, with a row for each sample; zero for those not visited yet.
  [[nodiscard]] const Matrix<Scalar>& coefficients() const { return coefficients_; }
  /// The x_j, in the order of the steps.
  [[nodiscard]] const X& samples() const { return *samples_; }
  [[nodiscard]] const DoublyStochasticSchedule& schedule() const { return schedule_; }
  [[nodiscard]] Index steps() const { return steps_; }
  /// Samples that may have coefficients other than zero: the first ones.
  [[nodiscard]] Index visited() const { return visited_; }
  [[nodiscard]] bool diverged() const { return diverged_; }
  /// eta of the last step; 0 before the first.
  [[nodiscard]] double last_step() const { return eta_; }

 private:
  /// H at samples of a batch.
  [[nodiscard]] Matrix<Scalar> values(detail::Range batch) const;

  std::shared_ptr<const X> samples_;  // copies of the run share them
  KernelView<X> kernel_;
  PreparedSamples<X> prepared_;
  DoublyStochasticSchedule schedule_;
  Matrix<Scalar> coefficients_;
  Index visited_;
  Index steps_ = 0;
  double eta_ = 0;
  bool diverged_ = false;
};

template <OwnedSamples X>
KernelOjaRun<X>::KernelOjaRun(const std::type_identity_t<KernelView<X>>& kernel, X samples,
                              const DoublyStochasticSchedule& schedule, const Matrix<Scalar>& start)
    : samples_(std::make_shared<const X>(std::move(samples))),
      kernel_(kernel),
      prepared_(kernel.prepare(*samples_)),
      schedule_((schedule.validate(), schedule)),
      coefficients_(Matrix<Scalar>::Zero(samples_->rows(), start.cols())),
      visited_(start.rows()) {
  const Index n = samples_->rows(), least = schedule.centered ? 2 : 1;
  if (n < least * schedule.blocks)
    detail::fail("mercer::KernelOjaRun: ", n, " samples make no ", schedule.blocks, " batches of ",
                 least, " or more");
  if (start.cols() == 0 || start.rows() > n)
    detail::fail("mercer::KernelOjaRun: ", start.rows(), " x ", start.cols(),
                 " coefficients do not fit ", n, " samples");
  if (!start.allFinite()) detail::fail("mercer::KernelOjaRun: coefficients must be finite");
  if (start.isZero(0))
    detail::fail("mercer::KernelOjaRun: all coefficients are zero, which no step changes");
  coefficients_.topRows(visited_) = start;
}

template <OwnedSamples X>
Matrix<typename X::Scalar> KernelOjaRun<X>::values(detail::Range batch) const {
  using S = Scalar;
  Matrix<S> sum = Matrix<S>::Zero(batch.size, coefficients_.cols());
  const PhaseTimer timer(Phase::Products,
                         static_cast<std::size_t>(batch.size * visited_) * sizeof(S));
  detail::add_row_blocks(
      visited_,
      [&](Index first, Index size) -> Matrix<S> {
        Matrix<S> tile(batch.size, size), part = Matrix<S>::Zero(batch.size, sum.cols());
        kernel_.fill(prepared_, batch, prepared_, {first, size}, tile);
        detail::multiply_add<S>(tile, coefficients_.middleRows(first, size), part);
        return part;
      },
      sum);
  return sum;
}

template <OwnedSamples X>
bool KernelOjaRun<X>::step() {
  using S = Scalar;
  if (diverged_) return false;
  const PhaseTimer timer(Phase::Steps);
  const Index n = samples_->rows(), b = steps_ % schedule_.blocks;
  const Index begin = b * n / schedule_.blocks, end = (b + 1) * n / schedule_.blocks;
  const detail::Range batch{begin, end - begin};
  const Index used = schedule_.centered ? batch.size - 1 : batch.size;
  Matrix<S> h = values(batch);
  if (schedule_.centered) centre_columns(h);
  const Matrix<double> moments = inner(h).template cast<double>() / static_cast<double>(used);
  diverged_ = !moments.allFinite();
  if (diverged_) return false;
  const double eta = detail::stochastic_step_length(schedule_, steps_, moments);
  h *= static_cast<S>(eta / static_cast<double>(used));
  diverged_ = !h.allFinite();
  if (diverged_) return false;
  const Matrix<S> decay = detail::stochastic_decay(schedule_.rule, eta, moments).template cast<S>();
  coefficients_.topRows(visited_) = multiply(Matrix<S>(coefficients_.topRows(visited_)), decay);
  coefficients_.middleRows(batch.begin, batch.size) += h;
  visited_ = (std::max)(visited_, end);
  eta_ = eta;
  ++steps_;
  return true;
}

}  // namespace mercer

#endif  // MERCER_SOLVERS_DOUBLY_STOCHASTIC_KERNEL_OJA_RUN_HPP
