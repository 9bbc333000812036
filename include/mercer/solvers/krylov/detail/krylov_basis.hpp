// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A Krylov basis that Spectra builds and restarts. It can be stopped and read between products.

#ifndef MERCER_SOLVERS_KRYLOV_DETAIL_KRYLOV_BASIS_HPP
#define MERCER_SOLVERS_KRYLOV_DETAIL_KRYLOV_BASIS_HPP

#if !__has_include(<Spectra/SymEigsSolver.h>)
#error "mercer::Lanczos needs Spectra (Debian package: libspectra-dev; CMake: mercer::lanczos)"
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <utility>

#include <Spectra/SymEigsSolver.h>

#include <mercer/core/small_dense.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Eigenpairs of K restricted to the span of V: K V w = theta V w + rest. Values are descending.
template <Real S>
struct RitzPairs {
  Vector<S> values;        ///< theta
  Matrix<S> coefficients;  ///< w, one per column
  Vector<S> residuals;     ///< |rest|, from the recurrence, so without a product
};

/// How the work on a basis ended.
enum class KrylovEnd {
  Settled,    ///< the caller's test or Spectra's own test is met
  Exhausted,  ///< the basis spans an invariant subspace to rounding; it is empty if K start = 0
  Limit,      ///< the restarts are used up
  Stopped,    ///< the product returned false
  Failed      ///< Spectra gave up
};

/// An orthonormal basis V of a Krylov space of a symmetric K, built and implicitly restarted by
/// Spectra, with the tridiagonal H = V^T K V.
///
/// Spectra offers no way to watch or stop a run. So both are done here, when it asks for a product:
/// an exception of our own leaves its loop, and V and H are those of the last complete step. The
/// same is done if the Krylov space is exhausted, where Spectra would go on with vectors of
/// rounding errors. Exceptions that Spectra throws are caught (but std::bad_alloc is not); an
/// exception of the product is passed on.
/// Threads: products may use all threads. Spectra's own work uses one thread, so that its sums do
///   not depend on the number of threads.
/// Source: Spectra 1.0, SymEigsSolver.
template <Real S>
class KrylovBasis {
 public:
  /// Relative rounding error of a product, in units of |K|. Smaller values mean nothing.
  static constexpr S rounding = 16 * std::numeric_limits<S>::epsilon();

  /// out = K v for one column. Returns false to stop the run.
  using Product = std::function<bool(const Points<S>& v, GramOut<S> out)>;
  using Noise = std::function<S()>;
  /// Returns true if these pairs are accurate enough.
  using Test = std::function<bool(const RitzPairs<S>&)>;

  /// The basis has at most \p size vectors, and a restart keeps about \p pairs of them. Requires
  /// 1 <= pairs < size <= rows. \p noise is called after the first product. It gives the size of
  /// rounding errors in products, without those in proportion to the entries of H.
  KrylovBasis(Index rows, Index pairs, Index size, Noise noise, Product product, Test test)
      : product_(std::move(product)),
        test_(std::move(test)),
        out_(rows, 1),
        noise_(std::move(noise)),
        test_interval_((std::max)(Index{4}, size / 8)),
        operator_{this, rows},
        solver_(operator_, pairs, size) {}
  KrylovBasis(const KrylovBasis&) = delete;
  KrylovBasis& operator=(const KrylovBasis&) = delete;

  /// Builds the basis from K \p start and restarts it up to \p restarts times. Call once. Spectra
  /// accepts a residual up to \p tolerance times the value.
  KrylovEnd build(const Matrix<S>& start, Index restarts, S tolerance) {
    threads_ = thread_count();
    const SingleThread one;
    try {
      solver_.init(start.data());
      solver_.compute(Spectra::SortRule::LargestAlge, restarts, tolerance);
    } catch (const Stop&) {
      if (error_) std::rethrow_exception(error_);
      return end_;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      return KrylovEnd::Failed;
    }
    coupling_ = solver_.residual_norm();
    const bool settled = solver_.info() == Spectra::CompInfo::Successful || test_(ritz());
    return settled ? KrylovEnd::Settled : KrylovEnd::Limit;
  }

  [[nodiscard]] RitzPairs<S> ritz() const {
    if (size_ == 0) return {};
    EigenSystem<S> system =
        symmetric_eigensystem<S>(solver_.projection().topLeftCorner(size_, size_));
    Vector<S> residuals = coupling_ * system.vectors.row(size_ - 1).transpose().cwiseAbs();
    return {std::move(system.values), std::move(system.vectors), std::move(residuals)};
  }

  /// V of the last complete step.
  [[nodiscard]] auto vectors() const { return solver_.basis().leftCols(size_); }

  [[nodiscard]] Index restarts() const { return restarts_; }

  /// Memory, with the workspace of a restart.
  [[nodiscard]] static std::size_t bytes(Index rows, Index size) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(2 * size + 5) * sizeof(S);
  }

 private:
  struct Stop {};

  /// The matrix as Spectra sees it.
  struct Operator {
    using Scalar = S;
    KrylovBasis* basis;
    Index size;
    [[nodiscard]] Index rows() const { return size; }
    [[nodiscard]] Index cols() const { return size; }
    void perform_op(const S* x, S* y) const { basis->multiply(x, y); }
  };

  struct Solver : Spectra::SymEigsSolver<Operator> {
    using Spectra::SymEigsSolver<Operator>::SymEigsSolver;
    [[nodiscard]] const Matrix<S>& basis() const { return this->m_fac.matrix_V(); }
    [[nodiscard]] const Matrix<S>& projection() const { return this->m_fac.matrix_H(); }
    [[nodiscard]] S residual_norm() const { return this->m_fac.f_norm(); }
  };

  [[noreturn]] void stop(KrylovEnd end) {
    end_ = end;
    throw Stop{};
  }

  void multiply(const S* x, S* y) {
    note_progress(x);
    bool go = false;
    set_thread_count(threads_);
    try {
      go = product_(Eigen::Map<const Matrix<S>>(x, out_.rows(), 1), out_);
    } catch (...) {
      error_ = std::current_exception();
    }
    set_thread_count(1);
    if (!go) stop(KrylovEnd::Stopped);
    std::copy(out_.data(), out_.data() + out_.rows(), y);
    if (in_basis(x))
      ++size_;
    else if (size_ == 0 && out_.isZero(0))
      stop(KrylovEnd::Exhausted);
  }

  /// True if x is a column of V. Otherwise it is a random start of Spectra.
  [[nodiscard]] bool in_basis(const S* x) const {
    const Matrix<S>& v = solver_.basis();
    const std::less<const S*> before;
    return v.size() > 0 && !before(x, v.data()) && before(x, v.data() + v.size());
  }

  /// Finds how far Spectra is, from the column that it is about to multiply.
  void note_progress(const S* x) {
    coupling_ = 0;
    if (!in_basis(x)) {
      if (size_ > 0) stop(KrylovEnd::Exhausted);
      return;
    }
    const Index column = (x - solver_.basis().data()) / out_.rows();
    const bool restarted = column < size_;
    if (restarted) ++restarts_;
    size_ = column;
    if (column == 0) return;
    coupling_ = solver_.projection()(column, column - 1);
    largest_ = (std::max)(largest_, std::abs(solver_.projection()(column - 1, column - 1)));
    if (!(coupling_ > (std::max)(noise_(), rounding * largest_))) stop(KrylovEnd::Exhausted);
    if ((restarted || column % test_interval_ == 0) && test_(ritz())) stop(KrylovEnd::Settled);
  }

  Product product_;
  Test test_;
  Matrix<S> out_;
  Noise noise_;
  Index test_interval_;
  Operator operator_;
  Solver solver_;
  std::exception_ptr error_;
  KrylovEnd end_ = KrylovEnd::Failed;
  Index size_ = 0;  // number of columns of V whose product with K is known
  S coupling_ = 0;  // |K V - V H|: the entry of H after the last complete step
  S largest_ = 0;   // largest diagonal entry of H so far
  Index restarts_ = 0;
  int threads_ = 1;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_KRYLOV_DETAIL_KRYLOV_BASIS_HPP
