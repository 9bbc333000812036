// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

// usage: mercer_fuzz --fuzzer=NAME [options of libFuzzer] [folders of inputs]

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <tests/fuzz/fuzzers.hpp>

namespace {

using namespace mercer;

using Fuzzer = int (*)(const std::uint8_t*, std::size_t);

const std::map<std::string, Fuzzer, std::less<>> fuzzers {
  {"archive", &fuzz::archive}, {"checkpoint", &fuzz::checkpoint}, {"csv", &fuzz::csv},
      {"gzip", &fuzz::gzip}, {"labels", &fuzz::labels}, {"libsvm", &fuzz::libsvm},
      {"matrix_market", &fuzz::matrix_market}, {"npy", &fuzz::npy}, {"npz", &fuzz::npz},
#if defined(MERCER_FUZZ_OPTIONS)
      {"options", &fuzz::options},
#endif
};

Fuzzer chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--fuzzer=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (!word.starts_with(option)) continue;
    const auto found = fuzzers.find(word.substr(option.size()));
    if (found != fuzzers.end()) chosen = found->second;
  }
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "usage: --fuzzer=NAME, one of");
  for (const auto& [name, fuzzer] : fuzzers) std::fprintf(stderr, " %s", name.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen(data, size);
}
