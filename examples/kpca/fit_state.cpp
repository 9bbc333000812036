// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_state.hpp>

#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive

#include <filesystem>
#include <memory>

#include <mercer/io/archive.hpp>

namespace kpca {

mercer::DoublyStochasticCheckpoints checkpoints_in(const std::string& path, mercer::Index every) {
  using mercer::DoublyStochasticCheckpoint;
  mercer::DoublyStochasticCheckpoints checkpoints{
      .every = every,
      .visit = [path](const DoublyStochasticCheckpoint& c) { mercer::io::write_archive(path, c); },
      .resume = nullptr};
  if (std::filesystem::exists(path))
    checkpoints.resume = std::make_shared<const DoublyStochasticCheckpoint>(
        mercer::io::read_archive<DoublyStochasticCheckpoint>(path));
  return checkpoints;
}

}  // namespace kpca

#else

namespace kpca {

// Never called: parse_options() refuses --state.
mercer::DoublyStochasticCheckpoints checkpoints_in(const std::string&, mercer::Index) {
  return {};
}

}  // namespace kpca

#endif
