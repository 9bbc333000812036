// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The beginning and the end of a program that uses SLEPc. Component slepc (Debian:
/// libslepc-real-dev).

#ifndef MERCER_SLEPC_SLEPC_SESSION_HPP
#define MERCER_SLEPC_SLEPC_SESSION_HPP

#include <stdexcept>

#include <slepceps.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error \
    "mercer: SLEPc must be built for real numbers in double precision (Debian: libslepc-real-dev)"
#endif

namespace mercer {
/// SLEPc from its beginning to its end. A program that uses Slepc has one, in main(), after an
/// mpi::Session if it has that, too.
/// \code
///   int main(int argc, char** argv) {
///     mercer::SlepcSession session(argc, argv);
///     const auto model = mercer::KernelPca{mercer::Gaussian{1}, mercer::Slepc{}}.fit(X);
/// \endcode
/// The options of SLEPc in argv apply, as -eps_monitor and -eps_type.
class SlepcSession {
 public:
  /// Begins SLEPc, and MPI unless the program has done so.
  /// Throws std::runtime_error if SLEPc does not begin.
  SlepcSession(int& argc, char**& argv) {
    if (SlepcInitialize(&argc, &argv, nullptr, nullptr) != 0)
      throw std::runtime_error("mercer::SlepcSession: SLEPc does not begin");
    PetscPopSignalHandler();  // signals are the program's
  }
  SlepcSession(const SlepcSession&) = delete;
  SlepcSession& operator=(const SlepcSession&) = delete;
  ~SlepcSession() { SlepcFinalize(); }
};

}  // namespace mercer

#endif  // MERCER_SLEPC_SLEPC_SESSION_HPP
