// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A GramSolver of any type, as the laws of gram_solver_checks.hpp see it.

#ifndef MERCER_TESTS_SOLVERS_TESTED_SOLVER_HPP
#define MERCER_TESTS_SOLVERS_TESTED_SOLVER_HPP

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <mercer/operators/centered.hpp>
#include <mercer/operators/precomputed_gram.hpp>
#include <mercer/solvers/eigenpairs.hpp>
#include <tests/support/operators.hpp>

namespace mercer::test {

/// What a solver is made with; 0 is its default.
struct SolverSettings {
  double tolerance = 0;
  Index max_iterations = 0;
  std::uint64_t seed = 1;
};

/// Products are good for a while. Then they throw, or are not finite.
struct Breaking : ProductsOnly {
  Index good = 0;
  bool throws = false;
  void apply(const Points<double>& v, GramOut<double> out) const {
    ProductsOnly::apply(v, out);
    if (columns <= good) return;
    if (throws) throw std::domain_error("from the operator");
    out(3, 0) = std::numeric_limits<double>::quiet_NaN();
  }
};

/// A solver with the operators of the laws, which are so compiled once for all solvers.
class TestedSolver {
 public:
  virtual ~TestedSolver() = default;
  template <class A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const SolverSettings& settings, const A& a,
                                                        const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    EigenSolution<typename A::Scalar> solution;
    run({settings, request, observer}, a, solution);
    return solution;
  }

  /// A tolerance that it reaches in this precision.
  template <Real S>
  [[nodiscard]] double reachable() const {
    return sizeof(S) == 4 ? in_single : 1e-8;
  }

  SolverId id;       ///< what its reports call it
  bool slow;         ///< leave out spectra and numbers of components that take it too long
  bool iterates;     ///< it has a tolerance, a limit and a seed, and makes products only
  Index observed;    ///< calls of the observer in a run that finds 5 of 150 pairs, at least
  double in_single;  ///< tolerance that it reaches in single precision

 protected:
  struct Task {
    const SolverSettings& settings;
    const EigenRequest& request;
    const Observer& observer;
  };
  TestedSolver(SolverId solver, bool is_slow, bool has_iterations, Index calls,
               double single_tolerance)
      : id(solver),
        slow(is_slow),
        iterates(has_iterations),
        observed(calls),
        in_single(single_tolerance) {}
  TestedSolver(const TestedSolver&) = default;
  TestedSolver& operator=(const TestedSolver&) = default;

 private:
  template <class S>
  using Out = EigenSolution<S>&;
  virtual void run(Task, const PrecomputedGram<double>&, Out<double>) const = 0;
  virtual void run(Task, const PrecomputedGram<float>&, Out<float>) const = 0;
  virtual void run(Task, const Centered<PrecomputedGram<double>>&, Out<double>) const = 0;
  virtual void run(Task, const Centered<PrecomputedGram<float>>&, Out<float>) const = 0;
  virtual void run(Task, const ProductsOnly&, Out<double>) const = 0;
  virtual void run(Task, const Breaking&, Out<double>) const = 0;
};

/// \tparam C  the claims of a solver; see gram_solver_test.cpp
template <class C>
class Tested final : public TestedSolver {
 public:
  Tested() : TestedSolver(C::id, C::slow, C::iterates, C::observed, C::in_single) {}

 private:
  template <class A, class S>
  static void solve_into(Task task, const A& a, EigenSolution<S>& out) {
    out = C::make(task.settings).solve(a, task.request, task.observer);
  }
  using Double = EigenSolution<double>;
  using Single = EigenSolution<float>;
  void run(Task t, const PrecomputedGram<double>& a, Double& out) const override {
    solve_into(t, a, out);
  }
  void run(Task t, const PrecomputedGram<float>& a, Single& out) const override {
    solve_into(t, a, out);
  }
  void run(Task t, const Centered<PrecomputedGram<double>>& a, Double& out) const override {
    solve_into(t, a, out);
  }
  void run(Task t, const Centered<PrecomputedGram<float>>& a, Single& out) const override {
    solve_into(t, a, out);
  }
  void run(Task t, const ProductsOnly& a, Double& out) const override { solve_into(t, a, out); }
  void run(Task t, const Breaking& a, Double& out) const override { solve_into(t, a, out); }
};

}  // namespace mercer::test

#endif  // MERCER_TESTS_SOLVERS_TESTED_SOLVER_HPP
