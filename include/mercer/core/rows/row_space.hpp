// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Which rows of a problem this process has, and what processes must agree on.

#ifndef MERCER_CORE_ROWS_ROW_SPACE_HPP
#define MERCER_CORE_ROWS_ROW_SPACE_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>

namespace mercer {

/// The rows of a problem, and those that this process has: a range that begins at a multiple of 256
/// rows, the edge of a tile. So all tiles are the same on any number of processes. Process p of P
/// has the tiles from p T / P on, of T tiles; if there are more processes than tiles, some have no
/// rows.
/// Lifetime: refers to the processes, which must outlive it.
class RowSpace {
 public:
  /// All rows in one process.
  [[nodiscard]] static RowSpace whole(Index n) {
    return RowSpace(n, 0, n, nullptr, RowSums::Plain);
  }

  /// Rows spread over processes.
  /// Throws InvalidArgument for n < 1.
  [[nodiscard]] static RowSpace spread(Index n, const Processes& processes,
                                       RowSums sums = RowSums::OrderFree) {
    detail::require_at_least("RowSpace", "the number of rows", n, Index{1});
    const Index first = first_of(processes.rank(), processes.size(), n);
    return RowSpace(n, first, first_of(processes.rank() + 1, processes.size(), n) - first,
                    &processes, sums);
  }

  /// \p n other rows, spread over the same processes in the same way.
  /// Throws InvalidArgument for n < 1, if rows are spread.
  [[nodiscard]] RowSpace of_size(Index n) const {
    return is_spread() ? spread(n, *processes_, sums_) : whole(n);
  }

  /// The number of all rows.
  [[nodiscard]] Index total() const { return total_; }
  /// The first row of this process.
  [[nodiscard]] Index first() const { return first_; }
  /// The number of rows of this process.
  [[nodiscard]] Index local() const { return local_; }
  /// Whether rows may be in other processes.
  [[nodiscard]] bool is_spread() const { return processes_ != nullptr; }
  /// Whether sums over rows are order-free.
  [[nodiscard]] bool order_free() const { return sums_ == RowSums::OrderFree; }
  /// The processes, if rows are spread.
  [[nodiscard]] const Processes& processes() const {
    MERCER_ASSERT(is_spread());
    return *processes_;
  }

  /// The rows of process \p rank.
  [[nodiscard]] detail::Range rows_of(Index rank) const {
    const Index size = is_spread() ? processes_->size() : 1;
    const Index first = first_of(rank, size, total_);
    return {first, first_of(rank + 1, size, total_) - first};
  }

  /// Whether this holds on any process. Collective.
  [[nodiscard]] bool any(bool here) const { return is_spread() ? processes_->any(here) : here; }
  /// Whether this holds on all processes. Collective.
  [[nodiscard]] bool all(bool here) const { return !any(!here); }

  /// Runs work() on this process. If it throws on any process, all throw the same. Collective;
  /// work() itself must not be.
  template <class Work>
  void together(Work&& work) const {
    if (!is_spread()) return work();
    detail::together(*processes_, std::forward<Work>(work));
  }

  /// together(), for work whose sentences count the rows of this process: an InvalidArgument also
  /// says which row is the first of them. Collective.
  template <class Work>
  void together_on_rows(Work&& work) const {
    together([&] { detail::counting_from(first_, work); });
  }

  /// Whether to go on: false if the observer of any process says so. What one observer throws, all
  /// throw. Collective.
  [[nodiscard]] bool go_on(const Observer& observer, const Progress& progress) const {
    if (!is_spread()) return detail::go_on(observer, progress);
    std::exception_ptr error;
    bool here = true;
    try {
      here = detail::go_on(observer, progress);
    } catch (...) {
      error = std::current_exception();
    }
    // One message as long as nothing is thrown.
    double flags[2] = {error ? 1.0 : 0.0, here ? 0.0 : 1.0};
    processes_->maximum(flags);
    if (flags[0] > 0) detail::throw_together(*processes_, error);
    return flags[1] == 0;
  }

  /// Makes a matrix that all processes have computed the one of process 0, its shape too. They
  /// differ in rounding if the processors have other instructions. If one process has no memory for
  /// it, all throw std::bad_alloc. Collective.
  template <Real S>
  void agree(Matrix<S>& a) const {
    if (is_spread()) take_first(a);
  }
  /// The same for a vector.
  template <Real S>
  void agree(Vector<S>& a) const {
    if (is_spread()) take_first(a);
  }
  /// The same for a number.
  void agree(double& value) const {
    if (is_spread()) processes_->broadcast({&value, 1}, 0);
  }

  /// The rows of this process, of a matrix or vector that has all.
  template <class Derived>
  [[nodiscard]] typename Derived::PlainObject own_of(const Eigen::MatrixBase<Derived>& all) const {
    return all.middleRows(first_, local_);
  }

  /// All rows, on all processes, of a matrix or vector of which each has its rows. If one process
  /// has no memory for them, all throw std::bad_alloc. Collective.
  template <class Derived>
  [[nodiscard]] typename Derived::PlainObject everywhere(
      const Eigen::MatrixBase<Derived>& local) const {
    if (!is_spread()) return local;
    const auto sum = [&](auto& values) {
      // Each value has one summand that may differ from 0.
      processes_->sum(std::span(values.data(), static_cast<std::size_t>(values.size())));
    };
    using S = typename Derived::Scalar;
    typename Derived::PlainObject all;
    Matrix<double> wide(0, 0);  // if S is not double
    together([&] {
      all.setZero(total_, local.cols());
      all.middleRows(first_, local_) = local;
      if constexpr (!std::same_as<S, double>) wide = all.template cast<double>();
    });
    if constexpr (std::same_as<S, double>) {
      sum(all);
    } else {
      sum(wide);
      all = wide.template cast<S>();
    }
    return all;
  }

 private:
  RowSpace(Index total, Index first, Index local, const Processes* processes, RowSums sums)
      : total_(total), first_(first), local_(local), processes_(processes), sums_(sums) {}

  /// Replaces a matrix or vector by that of process 0.
  template <class M>
  void take_first(M& a) const {
    using S = typename M::Scalar;
    double shape[2] = {static_cast<double>(a.rows()), static_cast<double>(a.cols())};
    processes_->broadcast(shape, 0);
    Matrix<double> wide(0, 0);  // if S is not double
    together([&] {
      a.conservativeResize(static_cast<Index>(shape[0]), static_cast<Index>(shape[1]));
      if constexpr (!std::same_as<S, double>) wide = a.template cast<double>();
    });
    const auto size = static_cast<std::size_t>(a.size());
    if constexpr (std::same_as<S, double>) {
      processes_->broadcast({a.data(), size}, 0);
    } else {
      processes_->broadcast({wide.data(), size}, 0);
      a = wide.template cast<S>();
    }
  }

  [[nodiscard]] static Index first_of(Index rank, Index size, Index n) {
    return (std::min)(n, detail::tile_count(n) * rank / size * detail::tile_size);
  }

  Index total_, first_, local_;
  const Processes* processes_;
  RowSums sums_;
};

}  // namespace mercer

#endif  // MERCER_CORE_ROWS_ROW_SPACE_HPP
