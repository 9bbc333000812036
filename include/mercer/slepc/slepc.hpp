// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Kernel PCA by the eigensolvers of SLEPc. Component slepc (Debian: libslepc-real-dev).

#ifndef MERCER_SLEPC_SLEPC_HPP
#define MERCER_SLEPC_SLEPC_HPP

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <slepceps.h>

#include <mercer/core/errors.hpp>
#include <mercer/core/observer.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/report.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/tall_skinny.hpp>
#include <mercer/core/types.hpp>
#include <mercer/mpi/mpi_processes.hpp>
#include <mercer/operators/operator_view.hpp>
#include <mercer/operators/symmetric_operator.hpp>
#include <mercer/slepc/slepc_session.hpp>
#include <mercer/solvers/detail/ritz_space.hpp>
#include <mercer/solvers/eigenpairs.hpp>

namespace mercer {

struct SlepcParams {
  std::string type = "krylovschur";  ///< of the eigensolver, by SLEPc's name: "lobpcg", "jd", ...
  double tolerance = 1e-8;           ///< for each pair |K u - mu u| <= tolerance mu
  Index basis = 0;                   ///< vectors in the subspace, more than k; 0: SLEPc's choice
  Index max_iterations = 0;          ///< restarts; 0: SLEPc's choice

  /// Throws InvalidArgument for an empty type, a tolerance that is not positive, and negative sizes.
  void validate() const {
    if (type.empty()) detail::fail("mercer::Slepc: type must not be empty");
    detail::require_positive("Slepc", "tolerance", tolerance);
    detail::require_at_least("Slepc", "basis", basis, Index{0});
    detail::require_at_least("Slepc", "max_iterations", max_iterations, Index{0});
  }
};

namespace detail {

/// Keeps the sentence of an error of SLEPc, which would print it otherwise.
class SlepcErrors {
 public:
  SlepcErrors() { PetscPushErrorHandler(&keep, this); }
  SlepcErrors(const SlepcErrors&) = delete;
  SlepcErrors& operator=(const SlepcErrors&) = delete;
  ~SlepcErrors() { PetscPopErrorHandler(); }

  /// Throws std::runtime_error with the sentence for an error that SLEPc returns.
  void check(PetscErrorCode code) const {
    if (code != 0) throw std::runtime_error("mercer::Slepc: SLEPc says: " + sentence_);
  }

 private:
  static PetscErrorCode keep(MPI_Comm /*comm*/, int /*line*/, const char* /*function*/,
                             const char* /*file*/, PetscErrorCode code, PetscErrorType type,
                             const char* sentence, void* errors) {
    // The functions that pass an error on repeat it without a sentence.
    if (type == PETSC_ERROR_INITIAL)
      static_cast<SlepcErrors*>(errors)->sentence_ = sentence != nullptr ? sentence : "";
    return code;
  }

  std::string sentence_;
};

/// A run of SLEPc on an operator whose products with a vector are given, for the rows of this
/// process. Exceptions of products pass by SLEPc, which is C, and are thrown again.
class SlepcRun {
 public:
  using Product = std::function<void(const double* v, double* out)>;

  /// Throws InvalidArgument without a SlepcSession, and for a type that SLEPc does not have.
  SlepcRun(const RowSpace& rows, const SlepcParams& params, Index components, Product product,
           const Observer& observer)
      : rows_(rows), product_(std::move(product)), observer_(observer), wanted_(components) {
    PetscBool begun = PETSC_FALSE;
    errors_.check(SlepcInitialized(&begun));
    if (!begun) fail("mercer::Slepc: SLEPc has not begun; make a mercer::SlepcSession in main()");
    const PetscInt local = counted("rows", rows.local());
    const PetscInt all = counted("rows", rows.total());
    const MPI_Comm comm = communicator();
    errors_.check(MatCreateShell(comm, local, local, all, all, this, &matrix_.handle));
    // SLEPc stores functions of all kinds as void (*)(void).
    errors_.check(
        MatShellSetOperation(matrix_.handle, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply)));
    errors_.check(EPSCreate(comm, &solver_.handle));
    errors_.check(EPSSetOperators(solver_.handle, matrix_.handle, nullptr));
    errors_.check(EPSSetProblemType(solver_.handle, EPS_HEP));
    errors_.check(EPSSetWhichEigenpairs(solver_.handle, EPS_LARGEST_REAL));
    const auto given = [](std::string_view name, Index value) {
      return value > 0 ? counted(name, value) : PetscInt{PETSC_DEFAULT};
    };
    errors_.check(EPSSetDimensions(solver_.handle, counted("components", components),
                                   given("basis", params.basis), PETSC_DEFAULT));
    errors_.check(EPSSetTolerances(solver_.handle, params.tolerance,
                                   given("max_iterations", params.max_iterations)));
    if (EPSSetType(solver_.handle, params.type.c_str()) != 0)
      fail("mercer::Slepc: SLEPc has no eigensolver of type \"", params.type, "\"");
    errors_.check(EPSSetStoppingTestFunction(solver_.handle, &stopping, this, nullptr));
    errors_.check(EPSSetFromOptions(solver_.handle));
  }
  SlepcRun(const SlepcRun&) = delete;
  SlepcRun& operator=(const SlepcRun&) = delete;

  /// The eigenvectors that SLEPc says are converged, by eigenvalue: the rows of this process.
  [[nodiscard]] Matrix<double> vectors() {
    const PetscErrorCode code = EPSSolve(solver_.handle);
    if (error_) std::rethrow_exception(error_);
    errors_.check(code);
    PetscInt found = 0, iterations = 0;
    errors_.check(EPSGetConverged(solver_.handle, &found));
    errors_.check(EPSGetIterationNumber(solver_.handle, &iterations));
    iterations_ = iterations;
    Matrix<double> out(rows_.local(), static_cast<Index>(found));
    Owned<Vec, VecDestroy> vector;
    errors_.check(MatCreateVecs(matrix_.handle, &vector.handle, nullptr));
    for (PetscInt i = 0; i < found; ++i) {
      errors_.check(EPSGetEigenvector(solver_.handle, i, vector.handle, nullptr));
      const double* values = nullptr;
      errors_.check(VecGetArrayRead(vector.handle, &values));
      std::copy_n(values, rows_.local(), out.col(i).data());
      errors_.check(VecRestoreArrayRead(vector.handle, &values));
    }
    return out;
  }

  [[nodiscard]] Index products() const { return products_; }
  [[nodiscard]] Index iterations() const { return iterations_; }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  /// Name of the eigensolver, which options of the program may have changed.
  [[nodiscard]] std::string type() const {
    EPSType type = nullptr;
    errors_.check(EPSGetType(solver_.handle, &type));
    return type;
  }

 private:
  [[nodiscard]] MPI_Comm communicator() const {
    if (!rows_.is_spread()) return PETSC_COMM_SELF;
    const auto* processes = dynamic_cast<const mpi::MpiProcesses*>(&rows_.processes());
    if (processes == nullptr)
      fail("mercer::Slepc: rows must be in one process or in those of an mpi::MpiProcesses");
    return processes->communicator();
  }

  static PetscErrorCode multiply(Mat matrix, Vec x, Vec y) {
    SlepcRun* run = nullptr;
    MatShellGetContext(matrix, static_cast<void*>(&run));
    const double* from = nullptr;
    double* to = nullptr;
    VecGetArrayRead(x, &from);
    VecGetArrayWrite(y, &to);
    try {
      ++run->products_;
      run->product_(from, to);
    } catch (...) {
      run->error_ = std::current_exception();
    }
    VecRestoreArrayRead(x, &from);
    VecRestoreArrayWrite(y, &to);
    return run->error_ ? PETSC_ERR_USER : 0;
  }

  /// A number in the type that this build of PETSc counts with.
  [[nodiscard]] static PetscInt counted(std::string_view name, Index value) {
    if (!std::in_range<PetscInt>(value))
      fail("mercer::Slepc: ", name, " is ", value, ", and this build of PETSc counts to ",
           (std::numeric_limits<PetscInt>::max)());
    return static_cast<PetscInt>(value);
  }

  static PetscErrorCode stopping(EPS solver, PetscInt iteration, PetscInt most, PetscInt found,
                                 PetscInt wanted, EPSConvergedReason* reason, void* context) {
    auto* run = static_cast<SlepcRun*>(context);
    if (const PetscErrorCode code =
            EPSStoppingBasic(solver, iteration, most, found, wanted, reason, nullptr))
      return code;
    try {
      // SLEPc finds the same reason on all processes.
      run->cancelled_ = *reason == EPS_CONVERGED_ITERATING &&
                        !run->rows_.go_on(run->observer_, {"eigenvectors", found, run->wanted_});
    } catch (...) {
      run->error_ = std::current_exception();
      return PETSC_ERR_USER;
    }
    if (run->cancelled_) *reason = EPS_CONVERGED_USER;
    return 0;
  }

  template <class T, PetscErrorCode (*destroy)(T*)>
  struct Owned {
    Owned() = default;
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { destroy(&handle); }
    T handle = nullptr;
  };
  RowSpace rows_;
  Product product_;
  const Observer& observer_;
  Index wanted_, products_ = 0, iterations_ = 0;
  bool cancelled_ = false;
  std::exception_ptr error_;
  SlepcErrors errors_;
  Owned<Mat, MatDestroy> matrix_;
  Owned<EPS, EPSDestroy> solver_;
};

}  // namespace detail

/// Leading eigenpairs by an eigensolver of SLEPc, which sees the operator as a shell matrix (Mat
/// of type shell): Krylov-Schur, LOBPCG, Jacobi-Davidson and others. Take it to compare, or for an
/// eigensolver that mercer does not have; BlockKrylov needs far fewer passes over K, because it
/// multiplies blocks.
///
/// \code
///   SlepcSession session(argc, argv);
///   KernelPca pca{Precomputed{}, Slepc{{.type = "krylovschur"}}, {.components = 10}};
/// \endcode
/// Works on any SymmetricOperator, also on one whose rows are in the processes of an
/// mpi::MpiProcesses: fit_spread takes it. What SLEPc finds is made orthonormal and turned to its
/// Ritz pairs; residuals are from products that mercer makes. SLEPc computes in double precision.
///
/// Cost: report.kernel_products products with one vector each.
/// Memory: SLEPc's subspace, by default of max(2 k, k + 15) vectors, and 3 k vectors.
/// Status: Converged if SLEPc found all components and the residuals meet the tolerance, relative
///   to mu_1; else NotConverged, with those found. Krylov methods with single vectors may miss
///   copies of multiple eigenvalues.
/// Random: SLEPc's own start vector, which is the same in each run.
/// Rows in several processes: the last bits depend on the number of processes, for SLEPc's sums do.
/// Throws InvalidArgument without a SlepcSession, for a type that SLEPc does not have, for
///   components that are not a number, and for 0 < basis <= k. std::runtime_error for what SLEPc
///   reports.
/// Source: Hernandez, Roman, Vidal, SLEPc: a scalable and flexible toolkit for the solution of
///   eigenvalue problems, 2005.
class Slepc {
 public:
  using Params = SlepcParams;

  Slepc() = default;

  /// Throws InvalidArgument for parameters out of range.
  explicit Slepc(SlepcParams params) : params_(std::move(params)) { params_.validate(); }

  [[nodiscard]] const SlepcParams& params() const { return params_; }

  static constexpr bool wants_dense = false;
  /// Operators may have their rows in several processes.
  static constexpr bool takes_spread_rows = true;
  [[nodiscard]] double tolerance() const { return params_.tolerance; }
  [[nodiscard]] std::size_t bytes(Index n, Index components) const {
    const Index basis =
        params_.basis > 0 ? params_.basis : (std::max)(2 * components, components + 15);
    return static_cast<std::size_t>(n * (basis + 3 * components)) * sizeof(double);
  }

  template <SymmetricOperator A>
  [[nodiscard]] EigenSolution<typename A::Scalar> solve(const A& a, const EigenRequest& request,
                                                        const Observer& observer = {}) const {
    using S = typename A::Scalar;
    const Components& components = request.components;
    if (components.is_fraction())
      detail::fail("mercer::Slepc: needs components as a number; BlockKrylov takes fractions");
    const Index k = components.count();
    if (params_.basis > 0 && params_.basis <= k)
      detail::fail("mercer::Slepc: basis must be larger than the number of components, ", k,
                   ", got ", params_.basis);
    EigenSolution<S> solution;
    Report& report = solution.report;
    report.trace = detail::trace(a, request);
    const OperatorView<S> view(a);
    const RowSpace rows = view.row_space();
    const Index local = rows.local();
    solution.eigenvectors.resize(local, 0);
    detail::SlepcRun run(
        rows, params_, k,
        [&](const double* v, double* out) {
          const Matrix<S> from = Eigen::Map<const Matrix<double>>(v, local, 1).template cast<S>();
          Matrix<S> to(local, 1);
          view.apply(from, to);
          Eigen::Map<Matrix<double>>(out, local, 1) = to.template cast<double>();
        },
        observer);
    const Matrix<S> vectors = run.vectors().template cast<S>();
    report.solver_form = "SLEPc " + run.type();
    report.iterations = run.iterations();
    report.kernel_products = run.products();
    report.bytes = bytes(rows.total(), k);
    const bool all = vectors.cols() >= (std::min)(k, a.rows());
    detail::RitzSpace<S> found(rows);
    const bool finite =
        vectors.cols() == 0 || found.extend(view, found.extension(vectors).Q, report);
    if (found.size() > 0) take_pairs(rows, found, request, solution);
    if (run.cancelled())
      report.status = Status::Cancelled;
    else if (all && finite && within_tolerance(solution, request))
      report.status = Status::Converged;
    if (report.status != Status::Converged) report.zero_eigenvalues = 0;  // not searched for
    return solution;
  }

 private:
  /// The Ritz pairs of a space, and their residuals.
  template <Real S>
  static void take_pairs(const RowSpace& rows, const detail::RitzSpace<S>& found,
                         const EigenRequest& request, EigenSolution<S>& solution) {
    const Vector<S> values = found.ritz().values;
    const Index kept = detail::select_components(values, rows.total(), request, solution.report);
    solution.eigenvalues = values.head(kept);
    solution.eigenvectors = found.vectors(kept);
    solution.products = found.vector_products(kept);
    const Vector<S> residuals = detail::column_norms<S>(rows, found.residuals(kept));
    solution.report.residuals.assign(residuals.begin(), residuals.end());
    solution.report.eigenvalue_error_bounds = solution.report.residuals;
  }

  template <Real S>
  [[nodiscard]] bool within_tolerance(const EigenSolution<S>& solution,
                                      const EigenRequest& request) const {
    if (solution.eigenvalues.size() == 0) return true;
    constexpr double rounding = 16 * double{std::numeric_limits<S>::epsilon()};
    const double allowed = (std::max)(
        (std::max)(params_.tolerance, rounding) * static_cast<double>(solution.eigenvalues(0)),
        detail::rounding_noise<S>(request));
    return std::all_of(solution.report.residuals.begin(), solution.report.residuals.end(),
                       [&](double residual) { return residual <= allowed; });
  }

  SlepcParams params_;
};

}  // namespace mercer

#endif  // MERCER_SLEPC_SLEPC_HPP
