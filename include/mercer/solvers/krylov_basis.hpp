// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A Krylov basis that Spectra builds and restarts, and that can be stopped between products and
/// read.

#ifndef MERCER_SOLVERS_KRYLOV_BASIS_HPP
#define MERCER_SOLVERS_KRYLOV_BASIS_HPP

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

/// Eigenpairs of K restricted to the span of V, values descending: K V w = theta V w + rest.
template <Real S>
struct RitzPairs {
  Vector<S> values;        ///< theta
  Matrix<S> coefficients;  ///< w, one per column
  Vector<S> residuals;     ///< |rest|, known from the recurrence without a product
};

/// How the work on a basis ended.
enum class KrylovEnd {
  Settled,    ///< the caller's test holds, or Spectra's
  Exhausted,  ///< the basis spans an invariant subspace to rounding; it is empty if K start = 0
  Limit,      ///< the restarts are used up
  Stopped,    ///< the product said stop
  Failed      ///< Spectra gave up
};

/// An orthonormal basis V of a Krylov space of a symmetric K, built and implicitly restarted by
/// Spectra, with the tridiagonal H = V^T K V.
///
/// Spectra has no way to look at a run or to stop it. Both happen here where it asks for a product:
/// an exception of our own leaves its loop, and V and H are those of the last complete step. That
/// is done too where the space is exhausted: Spectra would go on with vectors of rounding errors.
/// No exception of Spectra's comes out; one that the product throws does.
/// Threads: products may use all threads; Spectra's own work stays on one, so that its sums do not
/// depend on how many there are.
/// Source: Spectra 1.0, SymEigsSolver.
template <Real S>
class KrylovBasis {
 public:
  /// Of a product, in units of |K|: what is smaller than this says nothing.
  static constexpr S rounding = 16 * std::numeric_limits<S>::epsilon();

  /// out = K v for one column; false to stop.
  using Product = std::function<bool(const Points<S>& v, GramOut<S> out)>;
  using Noise = std::function<S()>;
  /// Whether these pairs are good enough.
  using Test = std::function<bool(const RitzPairs<S>&)>;

  /// \p size vectors at most, of which restarts keep about \p pairs: 1 <= pairs < size <= rows.
  /// \p noise is asked after the first product for the size of rounding errors in products; those
  /// in proportion to the entries of H are known here.
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

  /// Builds the basis from K \p start and restarts it up to \p restarts times. Call once.
  /// \p tolerance is for Spectra, which compares each residual with it times the value.
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

  /// Memory, with what a restart needs for a moment.
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

  /// Whether x is a column of V; the others that Spectra multiplies with are random starts.
  [[nodiscard]] bool in_basis(const S* x) const {
    const Matrix<S>& v = solver_.basis();
    const std::less<const S*> before;
    return v.size() > 0 && !before(x, v.data()) && before(x, v.data() + v.size());
  }

  /// Works out from the column that Spectra is about to multiply with how far it is.
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
  Index size_ = 0;  // columns of V that K has been multiplied with
  S coupling_ = 0;  // |K V - V H|, the entry of H that follows the last complete step
  S largest_ = 0;   // diagonal entry of H so far
  Index restarts_ = 0;
  int threads_ = 1;
};

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_KRYLOV_BASIS_HPP
