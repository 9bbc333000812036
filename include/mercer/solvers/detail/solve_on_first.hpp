// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Solvers that know nothing of processes, on an operator whose rows are in several of them.

#ifndef MERCER_SOLVERS_DETAIL_SOLVE_ON_FIRST_HPP
#define MERCER_SOLVERS_DETAIL_SOLVE_ON_FIRST_HPP

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/observer.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/report_message.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/solvers/directions.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer::detail {

/// An operator whose rows are in several processes, as the first process sees it: with all rows.
/// The other processes are in serve(). Each member sends them its arguments, and all do the work.
/// Cost: that of A, and messages of n b numbers for a product with b vectors.
/// Memory: 3 n b values on each process, during a product.
/// Lifetime: refers to the operator and the observer.
template <HasRowSpace A>
class SharedOperator {
 public:
  using Scalar = typename A::Scalar;

  /// \param observer  of this process. Collective.
  SharedOperator(const A& base, const Observer& observer)
      : base_(base),
        space_(base.row_space()),
        observer_(observer),
        watched_(space_.any(static_cast<bool>(observer))) {}

  [[nodiscard]] Index rows() const { return base_.rows(); }
  void apply(const Points<Scalar>& v, GramOut<Scalar> out) const {
    out = tell({Task::Product, {}, v});
  }
  [[nodiscard]] Vector<Scalar> diagonal() const requires HasDiagonalEntries<A> {
    return tell({Task::Diagonal, {}, {}}).col(0);
  }
  [[nodiscard]] Matrix<Scalar> sample_block(const std::vector<Index>& indices) const requires
      HasSamples<A> {
    return tell({Task::SampleBlock, indices, {}});
  }
  [[nodiscard]] Matrix<Scalar> sample_product(const std::vector<Index>& indices,
                                              const Matrix<Scalar>& weights) const requires
      HasSamples<A> {
    return tell({Task::SampleProduct, indices, weights});
  }

  /// Asks the observers of all processes. None if no process has one.
  [[nodiscard]] Observer observer() const {
    if (!watched_) return {};
    return [this](const Progress& progress) {
      static_cast<void>(next(Task::Question));
      return ask(progress);
    };
  }

  /// Lets the other processes go on.
  void end() const { static_cast<void>(next(Task::End)); }

  /// Works for the first process until its end(). What fails here fails on all processes, and the
  /// first one knows what to do about it.
  void serve() const {
    for (;;) {
      Request request{next(Task::End), {}, {}};
      if (request.task == Task::End) return;
      try {
        if (request.task == Task::Question)
          static_cast<void>(ask({}));
        else
          static_cast<void>(work(std::move(request)));
      } catch (...) {
      }
    }
  }

 private:
  enum class Task : int { End, Question, Product, Diagonal, SampleBlock, SampleProduct };
  struct Request {
    Task task;
    std::vector<Index> indices;  // of samples
    Matrix<Scalar> values;       // vectors or weights
  };

  /// The task of the first process, on all of them.
  [[nodiscard]] Task next(Task task) const {
    auto number = static_cast<double>(static_cast<int>(task));
    space_.agree(number);
    return static_cast<Task>(static_cast<int>(number));
  }

  /// What the first process asks for, with the others in serve().
  [[nodiscard]] Matrix<Scalar> tell(Request request) const {
    return work({next(request.task), std::move(request.indices), std::move(request.values)});
  }

  /// Makes what a request is about that of the first process.
  void share(Request& request) const {
    if (request.task == Task::Product || request.task == Task::SampleProduct)
      space_.agree(request.values);
    if (request.task == Task::SampleBlock || request.task == Task::SampleProduct) {
      // Row numbers are exact in a double.
      Matrix<double> rows(0, 1);
      space_.together([&] {
        rows.resize(static_cast<Index>(request.indices.size()), 1);
        std::copy(request.indices.begin(), request.indices.end(), rows.data());
      });
      space_.agree(rows);
      space_.together([&] {
        request.indices.resize(static_cast<std::size_t>(rows.size()));
        std::transform(rows.data(), rows.data() + rows.size(), request.indices.begin(),
                       [](double row) { return static_cast<Index>(row); });
      });
    }
  }

  /// All rows of what a request of the first process asks for, on all processes.
  [[nodiscard]] Matrix<Scalar> work(Request request) const {
    share(request);
    switch (request.task) {
      case Task::Diagonal:
        if constexpr (HasDiagonalEntries<A>) return space_.everywhere(base_.diagonal());
        break;
      case Task::SampleBlock:
        if constexpr (HasSamples<A>) return base_.sample_block(request.indices);
        break;
      case Task::SampleProduct:
        if constexpr (HasSamples<A>)
          return space_.everywhere(base_.sample_product(request.indices, request.values));
        break;
      default:
        break;
    }
    Matrix<Scalar> product;
    space_.together([&] { product.resize(space_.local(), request.values.cols()); });
    base_.apply(request.values.middleRows(space_.first(), space_.local()), product);
    return space_.everywhere(product);
  }

  /// Whether all observers want to go on.
  [[nodiscard]] bool ask(Progress progress) const {
    std::string phase(progress.phase);
    double numbers[6] = {static_cast<double>(progress.step),
                         static_cast<double>(progress.total),
                         static_cast<double>(progress.products),
                         static_cast<double>(progress.rank),
                         progress.trace,
                         progress.step_residual};
    broadcast_message(space_.processes(), phase, 0);
    space_.processes().broadcast(numbers, 0);
    return space_.go_on(observer_, {.phase = phase,
                                    .step = static_cast<Index>(numbers[0]),
                                    .total = static_cast<Index>(numbers[1]),
                                    .products = static_cast<Index>(numbers[2]),
                                    .rank = static_cast<Index>(numbers[3]),
                                    .trace = numbers[4],
                                    .step_residual = numbers[5]});
  }

  const A& base_;
  RowSpace space_;
  const Observer& observer_;
  bool watched_;
};

/// The rows of each process of a matrix that the first one has. Collective.
template <Real S>
void spread_from_first(const RowSpace& space, Matrix<S>& a) {
  double columns = static_cast<double>(a.cols());
  space.agree(columns);
  if (columns == 0) return a.resize(space.local(), 0);
  if (space.processes().rank() != 0) a.resize(0, 0);
  a = SpreadRows<Matrix<S>>::from_parts(space.processes(), std::move(a)).local();
}

/// A solver of operators with all rows, on one whose rows are in several processes: it runs on the
/// first process, and all share the work of products. Eigenvalues and report are the same on all.
/// Eigenvectors, or coefficients and scores, have the rows of each. Products and dual variables are
/// left out.
/// Memory: that of the solver, for all n rows, on the first process; 3 n b values on the others,
///   for products with b vectors.
/// Throws what the solver throws, on all processes. Collective.
template <OperatorSolver S, HasRowSpace A>
[[nodiscard]] auto solve_on_first(const S& solver, const A& a, const EigenRequest& request,
                                  const Observer& observer) {
  const RowSpace space = a.row_space();
  const Processes& processes = space.processes();
  const SharedOperator<A> shared(a, observer);
  decltype(solver.solve(shared, request, observer)) found;
  std::exception_ptr error;
  if (processes.rank() == 0) {
    try {
      found = solver.solve(shared, request, shared.observer());
    } catch (...) {
      error = std::current_exception();
    }
    shared.end();
  } else {
    shared.serve();
  }
  throw_together(processes, error);
  space.agree(found.eigenvalues);
  agree(processes, found.report);
  if constexpr (GramSolver<S>) {
    found.products.resize(0, 0);
    spread_from_first(space, found.eigenvectors);
  } else {
    found.dual.resize(0, 0);
    spread_from_first(space, found.coefficients);
    spread_from_first(space, found.scores);
  }
  return found;
}

}  // namespace mercer::detail

#endif  // MERCER_SOLVERS_DETAIL_SOLVE_ON_FIRST_HPP
