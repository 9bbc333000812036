// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The fuzzers that make one program. Each takes an input, and ends the program if a law is broken.

#ifndef MERCER_TESTS_FUZZ_FUZZERS_HPP
#define MERCER_TESTS_FUZZ_FUZZERS_HPP

#include <cstddef>
#include <cstdint>

namespace mercer::fuzz {

int archive(const std::uint8_t* data, std::size_t size);
int checkpoint(const std::uint8_t* data, std::size_t size);
int csv(const std::uint8_t* data, std::size_t size);
int gzip(const std::uint8_t* data, std::size_t size);
int labels(const std::uint8_t* data, std::size_t size);
int libsvm(const std::uint8_t* data, std::size_t size);
int matrix_market(const std::uint8_t* data, std::size_t size);
int npy(const std::uint8_t* data, std::size_t size);
int npz(const std::uint8_t* data, std::size_t size);
/// Only where the libraries of kpca are.
int options(const std::uint8_t* data, std::size_t size);

}  // namespace mercer::fuzz

#endif  // MERCER_TESTS_FUZZ_FUZZERS_HPP
