// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_state.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <mercer/io/file_system.hpp>
#include <mercer/io/npy/record_folder.hpp>

namespace kpca {

using mercer::detail::FileKind;

std::shared_ptr<mercer::FitRecord> record_in(const std::string& path, const std::string& solver,
                                             std::optional<mercer::Index> every) {
  const FileKind kind = mercer::detail::file_kind(path);
  if (kind != FileKind::Missing && kind != FileKind::Directory)
    throw mercer::InvalidArgument("--state " + path + ": is no folder; " + solver +
                                  " keeps its state in a folder");
  return every ? std::make_shared<mercer::io::RecordFolder>(path, *every)
               : std::make_shared<mercer::io::RecordFolder>(path);
}

std::string describe_mismatch(const std::string& state,
                              const mercer::CheckpointMismatch& mismatch) {
  // The names in the library, and the options that set them where their names differ.
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 12> options{Pair{"samples", "the number of samples"},
                                         Pair{"dimension", "the dimension"},
                                         Pair{"centering", "centring (--no-center)"},
                                         Pair{"blocks", "blocks of features (--features)"},
                                         Pair{"features of a block", "--feature-batch"},
                                         Pair{"data_batch", "--data-batch"},
                                         Pair{"precision", "--precision"},
                                         Pair{"seed", "--seed"},
                                         Pair{"kernel", "--kernel"},
                                         Pair{"map", "--map"},
                                         Pair{"components", "--components"},
                                         Pair{"rule", "--rule"}};
  std::string differences = mismatch.samples_differ() ? "the samples differ" : "";
  for (const auto& [name, there, here] : mismatch.differences()) {
    const auto known = std::find_if(options.begin(), options.end(),
                                    [&name = name](const Pair& o) { return o.first == name; });
    if (!differences.empty()) differences += "; ";
    differences += known == options.end() ? "--" + name : std::string(known->second);
    differences += " was " + there + ", now " + here;
  }
  return "--state " + state + ": is of another fit: " + differences +
         "; name another file to start anew";
}

}  // namespace kpca

#if defined(MERCER_HAS_CEREAL)  // by the CMake target mercer::archive

#include <mercer/io/archive.hpp>

#include <examples/kpca/output_parts.hpp>

namespace kpca {

mercer::DoublyStochasticCheckpoints checkpoints_in(const std::string& path, mercer::Index every) {
  using mercer::DoublyStochasticCheckpoint;
  mercer::DoublyStochasticCheckpoints checkpoints{
      .every = every,
      .visit = [path](const DoublyStochasticCheckpoint& c) { mercer::io::write_archive(path, c); },
      .resume = nullptr};
  const FileKind kind = mercer::detail::file_kind(path);
  if (kind == FileKind::Directory)
    throw mercer::InvalidArgument("--state " + path +
                                  ": is a folder; doubly-stochastic keeps its state in a file");
  if (kind != FileKind::Missing)
    checkpoints.resume = with_option("--state", [&] {
      return std::make_shared<const DoublyStochasticCheckpoint>(
          mercer::io::read_archive<DoublyStochasticCheckpoint>(path));
    });
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
