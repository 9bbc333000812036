// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Archives of models of standardised samples.

#ifndef MERCER_IO_ARCHIVE_ARCHIVE_STANDARDIZED_HPP
#define MERCER_IO_ARCHIVE_ARCHIVE_STANDARDIZED_HPP

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <mercer/core/standardize.hpp>
#include <mercer/core/types.hpp>
#include <mercer/io/archive/archive_models.hpp>
#include <mercer/io/archive/archive_traits.hpp>
#include <mercer/models/standardized_model.hpp>

namespace mercer::io {

template <>
struct ArchiveTraits<Standardize> {
  static constexpr std::string_view name = "standardize";
  static std::tuple<const Vector<double>&, const Vector<double>&, bool> parts(
      const Standardize& standardize) {
    return {standardize.mean(), standardize.deviation(), standardize.centered()};
  }
  static Standardize make(Vector<double> mean, Vector<double> deviation, bool centered) {
    return {std::move(mean), std::move(deviation), centered};
  }
};

/// The header is that of the model, with "standardized-" before its type.
template <class Model>
struct ArchiveTraits<StandardizedModel<Model>> {
  static constexpr std::string_view name = "standardized";
  static std::tuple<const Standardize&, const Model&> parts(
      const StandardizedModel<Model>& standardized) {
    return {standardized.standardize(), standardized.model()};
  }
  static StandardizedModel<Model> make(Standardize standardize, Model model) {
    return {std::move(standardize), std::move(model)};
  }
  static ArchiveHeader header(const StandardizedModel<Model>& standardized) {
    ArchiveHeader header = ArchiveTraits<Model>::header(standardized.model());
    header.type = std::string(name) + "-" + header.type;
    return header;
  }
};

}  // namespace mercer::io

#endif  // MERCER_IO_ARCHIVE_ARCHIVE_STANDARDIZED_HPP
