// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How to make your own type archivable: its name and its parts. Needs no library.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_TRAITS_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_TRAITS_HPP

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/core/types.hpp>

namespace mercer {
namespace io {

/// Says how values of T are written to an archive and read back. Every kernel, feature map and
/// model of mercer has one. For your own kernel:
/// \code
/// template <>
/// struct mercer::io::ArchiveTraits<MyKernel> {
///   static constexpr std::string_view name = "my-kernel";
///   static auto parts(const MyKernel& kernel) { return std::tuple(kernel.width()); }
///   static MyKernel make(double width) { return MyKernel(width); }
/// };
/// \endcode
/// - `parts` returns a tuple of values or of references. A part may be a number, a truth value, an
///   enumeration, a string, a std::vector, a dense or sparse matrix, a std::shared_ptr to const, a
///   std::optional, a std::variant of named types, or any type that has ArchiveTraits.
/// - `make` gets the parts back by value, and throws InvalidArgument for impossible parts. It is
///   not needed where it would just return T{parts...}.
/// - `name` is written to the file before the parts, and checked on reading. A type without a name
///   is written as its parts alone.
/// - An enumeration has only `last`, its last enumerator.
/// - `static ArchiveHeader header(const T&)` is optional, for types that are written on their own.
///
/// Once files exist, neither name nor parts may change. If a type changes, give it another name.
template <class T>
struct ArchiveTraits {};

}  // namespace io

namespace detail {

template <class T>
using ArchiveTraitsOf = io::ArchiveTraits<std::remove_cvref_t<T>>;

template <class T>
concept IsNamed = requires {
  ArchiveTraitsOf<T>::name;
};

template <class T>
concept HasParts = requires(const T& value) {
  ArchiveTraitsOf<T>::parts(value);
};

template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

/// The name of a value, with the names of its parts in brackets: "sum(gaussian, linear)". Empty for
/// a value without a name.
template <class T>
[[nodiscard]] std::string archive_name(const T& value) {
  if constexpr (is_variant<T>) {
    return std::visit([](const auto& one) { return archive_name(one); }, value);
  } else if constexpr (HasParts<T>) {
    std::string names;
    const auto add = [&](const std::string& name) {
      if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
    };
    std::apply([&](const auto&... part) { (add(archive_name(part)), ...); },
               ArchiveTraitsOf<T>::parts(value));
    if constexpr (!IsNamed<T>)
      return names;
    else
      return std::string(ArchiveTraitsOf<T>::name) + (names.empty() ? "" : "(" + names + ")");
  } else {
    return {};
  }
}

/// Throws InvalidArgument if there are no rows: a matrix without rows can claim any number of
/// columns, and checks of its values would loop over them.
inline void require_rows(std::string_view who, std::string_view what, Index rows) {
  if (rows == 0) fail("mercer::", who, ": there are no ", what);
}

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_TRAITS_HPP
