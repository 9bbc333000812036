// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Samples in single precision, in the form in which a kernel receives them.

#ifndef MERCER_KERNELS_SINGLE_SAMPLES_HPP
#define MERCER_KERNELS_SINGLE_SAMPLES_HPP

#include <concepts>

#include <mercer/core/machine/huge_pages.hpp>
#include <mercer/core/samples.hpp>
#include <mercer/core/threads.hpp>
#include <mercer/core/tiles.hpp>
#include <mercer/core/types.hpp>
#include <mercer/kernels/kernel.hpp>

namespace mercer::detail {

/// Whether a common offset is subtracted from samples before they are rounded. This is done if the
/// samples are dense and the offset does not change the kernel.
template <class K, OwnedSamples X>
inline constexpr bool loses_offset = IsTranslationInvariant<K>&& DenseSamples<X>;

/// Samples in single precision, with all their columns: a kernel may have a weight for each.
template <OwnedSamples X>
[[nodiscard]] SamplesIn<float, X> to_single(const X& x, bool without_offset) {
  if constexpr (std::same_as<X, Matrix<double>>) {
    if (without_offset) {
      const Vector<double> means = coarse_means(column_ranges(x));
      auto out = in_huge_pages(Matrix<float>(x.rows(), x.cols()));
      parallel_for(out.cols(), [&](Index j) {
        out.col(j) = (x.col(j).array() - means(j)).template cast<float>();
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
    Vector<double> means = Vector<double>::Zero(x.cols());
    if constexpr (std::same_as<X, Matrix<double>>)
      if (without_offset) means = coarse_means(column_ranges(x));
    // Columns are contiguous.
    parallel_for(tile_count(x.rows()), [&](Index task) {
      const Range rows = Range::tile(task, x.rows());
      for (Index j = 0; j < x.cols(); ++j)
        sizes.segment(rows.begin, rows.size) +=
            (x.col(j).segment(rows.begin, rows.size).template cast<double>().array() - means(j))
                .square()
                .matrix();
    });
  }
  return sizes;
}

}  // namespace mercer::detail

#endif  // MERCER_KERNELS_SINGLE_SAMPLES_HPP
