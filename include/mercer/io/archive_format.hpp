// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// What archives are made of, for those who write and read them; brings cereal in.

#ifndef MERCER_IO_ARCHIVE_FORMAT_HPP
#define MERCER_IO_ARCHIVE_FORMAT_HPP

#if !__has_include(<cereal/archives/portable_binary.hpp>)
#error "mercer/io/archive.hpp needs cereal (Debian package: libcereal-dev; CMake: mercer::archive)"
#endif

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <cereal/archives/portable_binary.hpp>

#include <mercer/core/types.hpp>
#include <mercer/io/archive_traits.hpp>

namespace mercer::detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_shared_constant = false;
template <class T>
inline constexpr bool is_shared_constant<std::shared_ptr<const T>> = true;

template <class T>
concept IsDense =
    std::same_as<T, Matrix<typename T::Scalar>> || std::same_as<T, Vector<typename T::Scalar>>;

template <class T>
concept IsSparse = std::same_as<T, SparseMatrix<typename T::Scalar>>;

/// Whole numbers of all lengths are stored in one.
template <std::integral T>
using StoredInteger = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;

/// What stands in the file before a matrix: "dense double".
template <class X>
[[nodiscard]] std::string matrix_name() {
  return std::string(SparseSamples<X> ? "sparse " : "dense ") +
         std::string(to_string(precision_of<typename X::Scalar>));
}

template <class T>
constexpr void require_archivable() {
  static_assert(HasParts<T>,
                "mercer::io: a value of this type cannot be archived; give it mercer::io::"
                "ArchiveTraits. A function, as in mercer::Callable, cannot be written to a file: "
                "make it a kernel type of its own");
}

/// The number of enumerators, which count from 0.
template <class T>
constexpr std::uint64_t enumerators() {
  static_assert(
      requires { io::ArchiveTraits<T>::last; },
      "mercer::io: give this enumeration mercer::io::ArchiveTraits with `last`, its last "
      "enumerator");
  return static_cast<std::uint64_t>(io::ArchiveTraits<T>::last) + 1;
}

}  // namespace mercer::detail

#endif  // MERCER_IO_ARCHIVE_FORMAT_HPP
