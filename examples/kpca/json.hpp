// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// The form of report.json.

#ifndef MERCER_EXAMPLES_KPCA_JSON_HPP
#define MERCER_EXAMPLES_KPCA_JSON_HPP

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <mercer/core/machine/instruction_sets.hpp>
#include <mercer/core/phases.hpp>
#include <mercer/core/threads.hpp>

namespace kpca {

using Json = nlohmann::ordered_json;

/// The value, or null if there is none.
template <class T>
[[nodiscard]] Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Where the time of a fit went.
[[nodiscard]] inline Json phases_json(const std::vector<mercer::PhaseCost>& phases) {
  Json json = Json::array();
  for (const mercer::PhaseCost& cost : phases)
    json.push_back({{"phase", std::string(to_string(cost.phase))},
                    {"seconds", cost.seconds},
                    {"serial_seconds", cost.serial_seconds},
                    {"bytes", cost.bytes}});
  return json;
}

/// What of the machine a fit used.
inline void add_machine(Json& json) {
  json["threads"] = mercer::thread_count();
  json["instructions"] = std::string(to_string(mercer::instruction_set()));
}

/// As text. The texts of a model may be no UTF-8, which JSON has to be.
[[nodiscard]] inline std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_JSON_HPP
