// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Reports as messages between processes.

#ifndef MERCER_CORE_ROWS_REPORT_MESSAGE_HPP
#define MERCER_CORE_ROWS_REPORT_MESSAGE_HPP

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <mercer/core/report.hpp>
#include <mercer/core/rows/processes.hpp>
#include <mercer/core/rows/row_bytes.hpp>
#include <mercer/core/types.hpp>

namespace mercer::detail {

template <class T>
concept IsList = requires(T& list) {
  list.resize(list.size());
};
template <class T>
concept IsOptional = requires(const T& value) {
  value.has_value();
};
template <class T>
concept IsVariant = requires(const T& value) {
  value.valueless_by_exception();
};

/// Appends a report, or a part of one, to a message.
template <class T>
void write_value(const T& value, RowWriter& out) {
  if constexpr (IsList<T>) {
    const std::size_t size = value.size();
    out.add(&size, 1);
    for (const auto& element : value) write_value(element, out);
  } else if constexpr (IsOptional<T>) {
    const bool there = value.has_value();
    out.add(&there, 1);
    if (there) write_value(*value, out);
  } else if constexpr (IsVariant<T>) {
    const std::size_t index = value.index();
    out.add(&index, 1);
    std::visit([&](const auto& one) { write_value(one, out); }, value);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    out.add(&value, 1);
  } else {
    std::apply([&](const auto&... member) { (write_value(member, out), ...); }, members_of(value));
  }
}

template <class T>
void read_value(RowReader& in, T& value);

/// Reads the alternative with this index.
template <class... T, std::size_t... i>
void read_alternative(RowReader& in, std::size_t index, std::variant<T...>& value,
                      std::index_sequence<i...>) {
  ((index == i ? read_value(in, value.template emplace<i>()) : void()), ...);
}

/// Reads what write_value() has written.
template <class T>
void read_value(RowReader& in, T& value) {
  if constexpr (IsList<T>) {
    std::size_t size = 0;
    in.read(&size, 1);
    value.resize(size);
    for (auto& element : value) read_value(in, element);
  } else if constexpr (IsOptional<T>) {
    bool there = false;
    in.read(&there, 1);
    value.reset();
    if (there) read_value(in, value.emplace());
  } else if constexpr (IsVariant<T>) {
    std::size_t index = 0;
    in.read(&index, 1);
    read_alternative(in, index, value, std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    in.read(&value, 1);
  } else {
    std::apply([&](auto&... member) { (read_value(in, member), ...); }, members_of(value));
  }
}

/// Makes a report the one of process 0, except for its phases, with the most memory of any process.
/// Collective.
inline void agree(const Processes& processes, Report& report) {
  // Exact below 2^53 bytes.
  auto bytes = static_cast<double>(report.bytes);
  processes.maximum({&bytes, 1});
  RowWriter out;
  write_value(report, out);
  const std::vector<std::byte> mine = out.take();
  std::string message(reinterpret_cast<const char*>(mine.data()), mine.size());
  broadcast_message(processes, message, 0);
  const auto* const first = reinterpret_cast<const std::byte*>(message.data());
  const std::vector<std::byte> told(first, first + message.size());
  RowReader in(told);
  read_value(in, report);
  report.bytes = static_cast<std::size_t>(bytes);
}

}  // namespace mercer::detail

#endif  // MERCER_CORE_ROWS_REPORT_MESSAGE_HPP
