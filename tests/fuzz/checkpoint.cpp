// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// The state of a fit over a stream, of samples or of pairs, is read or refused; what was read and
// is written again has the same bytes when it is read once more.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_pair_checkpoint.hpp>
#include <tests/fuzz/archive_file.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

template <class Checkpoint>
void read_checkpoint(const io::Archive& archive) {
  fuzz::reads([&] {
    const std::string once = io::archive_bytes(archive.get<Checkpoint>());
    const auto again = io::Archive::from_bytes(once).template get<Checkpoint>();
    fuzz::require(io::archive_bytes(again) == once, "what is written is read back");
  });
}

}  // namespace

int mercer::fuzz::checkpoint(const std::uint8_t* data, std::size_t size) {
  fuzz::reads([&] {
    const auto file = io::Archive::from_bytes(fuzz::archive_file(fuzz::view(data, size)));
    read_checkpoint<DoublyStochasticCheckpoint>(file);
    read_checkpoint<PairCheckpoint>(file);
  });
  return 0;
}
