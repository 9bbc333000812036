// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Fits over processes of any kind: compiled once, for all libraries of MPI.

#ifndef MERCER_TESTS_MPI_FITS_HPP
#define MERCER_TESTS_MPI_FITS_HPP

#include <string>

#include <mercer/core/rows/processes.hpp>

namespace mpi_fits {

/// Kernel PCA of the rows of a .npy file by each of the methods of check.py. Process 0 prints a
/// line with the method and its eigenvalues; FOLDER/METHOD.npy has the scores.
void fit_by_all_methods(const mercer::Processes& processes, const std::string& in,
                        const std::string& folder, mercer::RowSums sums);

/// The last process is killed before the scores are written.
void fit_and_be_killed(const mercer::Processes& processes, const std::string& in,
                       const std::string& out);

}  // namespace mpi_fits

#endif  // MERCER_TESTS_MPI_FITS_HPP
