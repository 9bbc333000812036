// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// The state of a fit over a stream, of samples or of pairs, is read or refused; what was read and
// is written again has the same bytes when it is read once more.

#include <cstddef>
#include <cstdint>
#include <string>

#include <mercer/io/archive.hpp>
#include <mercer/io/archive/archive_pair_checkpoint.hpp>
#include <mercer/io/file.hpp>
#include <tests/fuzz/archive_file.hpp>
#include <tests/fuzz/scratch_file.hpp>

namespace {

using namespace mercer;

template <class Checkpoint>
void read_checkpoint(const std::string& path) {
  const std::string once = fuzz::scratch_file("once.state", "");
  const std::string twice = fuzz::scratch_file("twice.state", "");
  if (!fuzz::reads([&] { io::write_archive(once, io::read_archive<Checkpoint>(path)); })) return;
  io::write_archive(twice, io::read_archive<Checkpoint>(once));
  fuzz::require(io::read_file(once) == io::read_file(twice), "what is written is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::archive_file(fuzz::view(data, size));
  read_checkpoint<DoublyStochasticCheckpoint>(path);
  read_checkpoint<PairCheckpoint>(path);
  return 0;
}
