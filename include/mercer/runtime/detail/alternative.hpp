// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Whether a type is one of those that a variant may hold.

#ifndef MERCER_RUNTIME_DETAIL_ALTERNATIVE_HPP
#define MERCER_RUNTIME_DETAIL_ALTERNATIVE_HPP

#include <concepts>
#include <variant>

namespace mercer::detail {

template <class T, class Variant>
inline constexpr bool is_alternative = false;
template <class T, class... Other>
inline constexpr bool is_alternative<T, std::variant<Other...>> = (std::same_as<T, Other> || ...);

template <class T, class Variant>
concept AlternativeOf = is_alternative<T, Variant>;

}  // namespace mercer::detail

#endif  // MERCER_RUNTIME_DETAIL_ALTERNATIVE_HPP
