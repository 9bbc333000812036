// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// How a type of one's own goes into archives: its name and its parts. Needs no library.

#ifndef MERCER_IO_ARCHIVE_TRAITS_HPP
#define MERCER_IO_ARCHIVE_TRAITS_HPP

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace mercer {
namespace io {

/// Says how values of T are written to an archive and read back; there is one for every kernel,
/// feature map and model of mercer. For a kernel of your own:
/// \code
/// template <>
/// struct mercer::io::ArchiveTraits<MyKernel> {
///   static constexpr std::string_view name = "my-kernel";
///   static auto parts(const MyKernel& kernel) { return std::tuple(kernel.width()); }
///   static MyKernel make(double width) { return MyKernel(width); }
/// };
/// \endcode
/// `parts` returns a tuple of values or of references: numbers, truth values, enumerations,
/// strings, std::vector, dense and sparse matrices, std::shared_ptr to const, std::variant of named
/// types, and whatever has ArchiveTraits itself. `make` gets them back by value, throws
/// InvalidArgument for parts that cannot be, and is not needed where it would say T{parts...}.
/// `name` stands in the file before the parts and is checked; types without one are just their
/// parts. An enumeration has `last`, its last enumerator, and nothing else. Optional, for what is
/// written by itself: `static ArchiveHeader header(const T&)`.
/// Once files exist, neither name nor parts may change: give what has changed another name.
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

/// The name of a value and, in brackets, those of its parts: "sum(gaussian, linear)". Empty for
/// what has no name.
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

}  // namespace detail
}  // namespace mercer

#endif  // MERCER_IO_ARCHIVE_TRAITS_HPP
