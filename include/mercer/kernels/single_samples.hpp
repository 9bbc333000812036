// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples in single precision, in the form in which a kernel receives them.

#ifndef MERCER_KERNELS_SINGLE_SAMPLES_HPP
#define MERCER_KERNELS_SINGLE_SAMPLES_HPP

#include <concepts>
#include <cstddef>
#include <numeric>
#include <vector>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// Whether the middle of the samples is subtracted before they are rounded, so that they keep the
/// digits in which they differ. This is done if they are dense and an offset does not change the
/// kernel.
template <class K, OwnedSamples X>
inline constexpr bool loses_offset = IsTranslationInvariant<K>&& DenseSamples<X>;

/// Samples in single precision.
/// \param without_offset         whether a common offset is subtracted
/// \param without_equal_columns  whether columns that are the same in all samples are then left out
template <OwnedSamples X>
[[nodiscard]] SamplesIn<float, X> to_single(const X& x, bool without_offset,
                                            bool without_equal_columns) {
  if constexpr (std::same_as<X, Matrix<double>>) {
    if (without_offset) {
      const Vector<double> middle = Middle<double>(x).point;
      std::vector<Index> columns(static_cast<std::size_t>(x.cols()));
      std::iota(columns.begin(), columns.end(), Index{0});
      if (without_equal_columns) columns = varying_columns(x);
      auto out = in_huge_pages(Matrix<float>(x.rows(), static_cast<Index>(columns.size())));
      parallel_for(out.cols(), [&](Index j) {
        const Index source = columns[static_cast<std::size_t>(j)];
        out.col(j) = (x.col(source).array() - middle(source)).template cast<float>();
      });
      return out;
    }
  }
  return x.template cast<float>();
}

/// |x_i|^2 of the samples that are rounded. The effect of rounding on a sample is in proportion to
/// this number.
template <OwnedSamples X>
[[nodiscard]] Vector<double> rounded_sizes(const X& x, bool without_offset) {
  Vector<double> sizes = Vector<double>::Zero(x.rows());
  if constexpr (SparseSamples<X>) {
    for (Index i = 0; i < x.rows(); ++i) sizes(i) = x.row(i).template cast<double>().squaredNorm();
  } else {
    Vector<double> middle = Vector<double>::Zero(x.cols());
    if constexpr (std::same_as<X, Matrix<double>>)
      if (without_offset) middle = Middle<double>(x).point;
    // Columns are contiguous.
    parallel_for(tile_count(x.rows()), [&](Index task) {
      const Range rows = Range::tile(task, x.rows());
      for (Index j = 0; j < x.cols(); ++j)
        sizes.segment(rows.begin, rows.size) +=
            (x.col(j).segment(rows.begin, rows.size).template cast<double>().array() - middle(j))
                .square()
                .matrix();
    });
  }
  return sizes;
}

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_SINGLE_SAMPLES_HPP
