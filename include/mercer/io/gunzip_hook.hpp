// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where gzip.hpp, which needs zlib, leaves its function for file.hpp, which does not.

#ifndef MERCER_IO_GUNZIP_HOOK_HPP
#define MERCER_IO_GUNZIP_HOOK_HPP

#include <atomic>
#include <string>
#include <string_view>

namespace mercer::detail {

/// Turns the content of a gzip file into the bytes it was made from; throws io::FileError.
using Gunzip = std::string (*)(const std::string& path, std::string_view compressed);

/// Set by <mercer/io/gzip.hpp> before main() in every program of which one source file includes it.
/// So nothing else needs zlib, and no function means one thing in one source file and another in
/// the next, whatever macros each is compiled with.
inline std::atomic<Gunzip> gunzip_function{nullptr};

}  // namespace mercer::detail

#endif  // MERCER_IO_GUNZIP_HOOK_HPP
