// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Lets readers of samples open HDF5 files without including the headers of that library.

#ifndef MERCER_IO_HDF5_HDF5_HOOK_HPP
#define MERCER_IO_HDF5_HDF5_HOOK_HPP

#include <atomic>
#include <string>

#include <mercer/core/types.hpp>

namespace mercer::detail {

/// Reads a dataset of an HDF5 file as a matrix; without a name, the only one.
template <Real Scalar>
using Hdf5Reader = Matrix<Scalar> (*)(const std::string& path, const std::string& dataset);

/// <mercer/io/hdf5/hdf5.hpp> sets these pointers before main(), if at least one source file of the
/// program includes it.
template <Real Scalar>
inline std::atomic<Hdf5Reader<Scalar>> hdf5_reader{nullptr};

}  // namespace mercer::detail

#endif  // MERCER_IO_HDF5_HDF5_HOOK_HPP
