// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The parts of an archive that its writer and its reader share. Includes cereal.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_FORMAT_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_FORMAT_HPP

#if !__has_include(<cereal/archives/portable_binary.hpp>)
#error "mercer/io/archive.hpp needs cereal (Debian package: libcereal-dev; CMake: mercer::archive)"
#endif

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cereal/archives/portable_binary.hpp>

#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_traits.hpp>

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
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
concept IsDense =
    std::same_as<T, Matrix<typename T::Scalar>> || std::same_as<T, Vector<typename T::Scalar>>;

template <class T>
concept IsSparse = std::same_as<T, SparseMatrix<typename T::Scalar>>;

/// Integers of all sizes are stored with 64 bits.
template <std::integral T>
using StoredInteger = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;

/// The text in the file before a matrix: "dense double".
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

/// Whether a value takes at least one byte in the file. The exceptions are types without a name
/// whose parts, if any, take no bytes either.
template <class T>
constexpr bool takes_bytes() {
  if constexpr (!HasParts<T> || IsNamed<T>)
    return true;
  else
    return []<class... Part>(std::type_identity<std::tuple<Part...>>) {
      return (takes_bytes<std::remove_cvref_t<Part>>() || ...);
    }(std::type_identity<decltype(ArchiveTraitsOf<T>::parts(std::declval<const T&>()))>());
}

/// The reader bounds the length of a vector by the number of bytes that are left. So each element
/// must take at least one byte.
template <class T>
constexpr void require_countable() {
  static_assert(takes_bytes<T>(),
                "mercer::io: a vector of values without a name and without parts cannot be "
                "archived, as nothing would be written for them");
}

/// The number of enumerators. They must count from 0.
template <class T>
constexpr std::uint64_t enumerators() {
  static_assert(
      requires { io::ArchiveTraits<T>::last; },
      "mercer::io: give this enumeration mercer::io::ArchiveTraits with `last`, its last "
      "enumerator");
  return static_cast<std::uint64_t>(io::ArchiveTraits<T>::last) + 1;
}

}  // namespace mercer::detail

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_FORMAT_HPP
