// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// .npy files of samples and results whose rows are in several processes.

#ifndef MERCER_IO_NPY_NPY_SPREAD_HPP
#define MERCER_IO_NPY_NPY_SPREAD_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <mercer/core/errors.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/rows/row_space.hpp>
#include <mercer/core/rows/spread_rows.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/file_error.hpp>
#include <mercer/io/npy/npy.hpp>
#include <mercer/io/npy/npy_stream.hpp>

namespace mercer {
namespace detail {

/// together(), where all errors are those of files: all processes throw FileError, also those that
/// only hear of the error. Collective.
template <class Work>
void together_on_file(const Processes& processes, Work&& work) {
  try {
    together(processes, std::forward<Work>(work));
  } catch (const io::FileError&) {
    throw;
  } catch (const InvalidArgument& error) {
    throw io::FileError(error.what());
  }
}

/// Throws FileError, on all processes, unless they see the same file. Collective.
/// \param shape  what each has seen of it
inline void require_same_file(const Processes& processes, const std::string& path,
                              const std::string& shape) {
  try {
    require_same(processes, "files " + path, shape);
  } catch (const InvalidArgument& error) {
    throw io::FileError(error.what());
  }
}

}  // namespace detail

namespace io {

/// Reads a .npy file into several processes: each reads its own rows, and nothing else.
/// The file may have every form that NpyStream reads. All processes must see it under this name.
/// Memory: the rows of this process, twice while they are read.
/// Throws FileError, on all processes, if the file cannot be read on any, and if it has another
///   shape on one of them. Collective.
template <Real S>
[[nodiscard]] SpreadRows<Matrix<S>> read_npy_spread(const Processes& processes,
                                                    const std::string& path,
                                                    RowSums sums = RowSums::OrderFree) {
  Matrix<S> local;
  std::string shape;
  mercer::detail::together_on_file(processes, [&] {
    NpyStream<S> file(path);
    mercer::detail::require_samples(path, file.rows(), file.dimension());
    shape = std::to_string(file.rows()) + " x " + std::to_string(file.dimension());
    const RowSpace rows = RowSpace::spread(file.rows(), processes, sums);
    local.resize(rows.local(), file.dimension());
    file.seek({0, rows.first()});
    if (rows.local() > 0) static_cast<void>(file.read(local));
  });
  mercer::detail::require_same_file(processes, path, shape);
  return SpreadRows<Matrix<S>>::from_parts(processes, std::move(local), sums);
}

/// Writes the rows of all processes into one .npy file, in order of their ranks: the file that
/// write_npy() of the whole matrix writes. Process 0 writes it, and receives the rows of one
/// process at a time. The file appears complete or not at all.
/// Throws FileError, on all processes, if the file cannot be written. Collective.
template <Real S>
void write_npy_spread(const Processes& processes, const std::string& path, const Matrix<S>& mine) {
  const Index size = processes.size(), rank = processes.rank();
  double total = static_cast<double>(mine.rows());
  processes.sum({&total, 1});
  std::optional<NpyWriter<S>> file;
  mercer::detail::together_on_file(processes, [&] {
    if (rank == 0) file.emplace(path, static_cast<Index>(total), mine.cols());
  });
  for (Index p = 0; p < size; ++p) {
    Matrix<S> received;
    if (p > 0) {
      // Process p and process 0 exchange messages, the others send one to themselves.
      const Index partner = rank == 0 ? p : rank == p ? 0 : rank;
      mercer::detail::RowWriter out;
      if (rank == p) out.add(mine);
      const std::vector<std::byte> letter =
          processes.start_exchange(partner, partner, out.take())->finish();
      if (rank == 0) mercer::detail::RowReader(letter).read(received);
    }
    mercer::detail::together_on_file(processes, [&] {
      if (rank == 0) file->append(p > 0 ? received : mine);
    });
  }
  mercer::detail::together_on_file(processes, [&] {
    if (rank == 0) file->commit();
  });
}

}  // namespace io
}  // namespace mercer

#endif  // MERCER_IO_NPY_NPY_SPREAD_HPP
