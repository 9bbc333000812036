// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The hook for decompression: gzip.hpp, which needs zlib, sets it; file.hpp, which does not, calls
/// it.

#ifndef MERCER_IO_GUNZIP_HOOK_HPP
#define MERCER_IO_GUNZIP_HOOK_HPP

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace mercer::detail {

/// Decompresses the content of a gzip file.
/// Throws io::FileError if the content is damaged.
using Gunzip = std::string (*)(const std::string& path, std::string_view compressed);

/// <mercer/io/gzip.hpp> sets this pointer before main(), if at least one source file of the program
/// includes it. So only that file needs zlib. And every inline function is the same in all source
/// files, whatever macros they are compiled with.
inline std::atomic<Gunzip> gunzip_function{nullptr};

/// Decompresses deflated data without a header, which must become \p size bytes.
/// Throws io::FileError if it does not.
using Inflate = std::string (*)(const std::string& path, std::string_view compressed,
                                std::size_t size);

/// Set with gunzip_function.
inline std::atomic<Inflate> inflate_function{nullptr};

}  // namespace mercer::detail

#endif  // MERCER_IO_GUNZIP_HOOK_HPP
