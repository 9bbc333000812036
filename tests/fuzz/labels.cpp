// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// Labels are read or refused, as text and as an array, with and without a number that there must
// be. The first byte is that number.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <mercer/core/types.hpp>
#include <mercer/io/labels.hpp>
#include <tests/fuzz/fuzzers.hpp>
#include <tests/fuzz/scratch_file.hpp>

int mercer::fuzz::labels(const std::uint8_t* data, std::size_t size) {
  using namespace mercer;
  if (size == 0) return 0;
  const auto count = static_cast<Index>(data[0]);
  for (const char* name : {"in.txt", "in.npy"}) {
    const std::string path = fuzz::scratch_file(name, fuzz::view(data + 1, size - 1));
    std::vector<std::string> all, some;
    const bool any = fuzz::reads([&] { all = io::read_labels(path); });
    const bool counted = fuzz::reads([&] { some = io::read_labels(path, count); });
    if (count == 0) fuzz::require(any == counted && all == some, "0 is any number of labels");
    if (!counted || count == 0) continue;
    fuzz::require(some.size() == static_cast<std::size_t>(count), "there are as many as asked for");
    fuzz::require(any, "a file that is read with a number is read without one");
    // A header may count as a label for one of the two.
    fuzz::require(all.size() <= some.size() + 1 && some.size() <= all.size() + 1,
                  "the number is off by a header at most");
    fuzz::require(all.back() == some.back(), "the last label is the same");
  }
  return 0;
}
