// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A file in Matrix Market format is read or refused; what is read is finite.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include <mercer/io/matrix_market.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

int mercer::fuzz::matrix_market(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  const std::string path = fuzz::scratch_file("in.mtx", fuzz::view(data, size));
  fuzz::reads([&] {
    const auto read = io::read_matrix_market<double>(path);
    if (const auto* const dense = std::get_if<Matrix<double>>(&read)) {
      fuzz::require(dense->allFinite(), "all values are finite");
      return;
    }
    const auto& sparse = std::get<SparseMatrix<double>>(read);
    fuzz::require(sparse.nonZeros() == 0 || sparse.coeffs().isFinite().all(),
                  "all values are finite");
  });
  fuzz::reads([&] { static_cast<void>(io::read_matrix_market<float>(path)); });
  return 0;
}
