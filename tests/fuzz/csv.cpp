// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// A table is read or refused; what is written of it is read back with the same values and names.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/csv.hpp>
#include <mercer/io/labels.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

int mercer::fuzz::csv(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  const std::string path = fuzz::scratch_file("in.csv", fuzz::view(data, size));
  io::Table<double> table;
  const bool read = fuzz::reads([&] { table = io::read_csv<double>(path); });
  fuzz::reads([&] { static_cast<void>(io::read_csv<float>(path)); });
  fuzz::reads([&] { static_cast<void>(io::read_labels(path)); });
  if (!read) return 0;
  fuzz::require(table.values.allFinite(), "all values are finite");
  const std::string again = fuzz::scratch_file("out.csv", "");
  try {
    io::write_csv(again, table.values, table.column_names);
  } catch (const InvalidArgument&) {  // names in quotes may be none that can be written
    return 0;
  }
  const io::Table<double> second = io::read_csv<double>(again);
  fuzz::require(second.column_names == table.column_names, "names are read back");
  fuzz::require(second.values == table.values, "values are read back");
  return 0;
}
