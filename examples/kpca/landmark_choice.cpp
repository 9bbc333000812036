// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/landmark_choice.hpp>

#include <string>
#include <variant>

#include <mercer/core/errors.hpp>
#include <mercer/solvers/nystrom/landmark_features.hpp>
#include <mercer/solvers/nystrom/rp_cholesky.hpp>

#include <examples/kpca/kernel_code.hpp>

namespace kpca {

template <mercer::Real S>
mercer::Matrix<double> choose_landmarks(const mercer::AnyKernel& kernel, const SampleFile<S>& file,
                                        mercer::Index count, std::uint64_t seed) {
  const auto choose = [&](const auto& x) -> mercer::Matrix<double> {
    if (count > x.rows())
      throw mercer::InvalidArgument("--features: " + std::to_string(count) +
                                    " landmarks are more than the " + std::to_string(x.rows()) +
                                    " samples " + (file.streamed_rows ? "in memory of " : "in ") +
                                    file.path);
    const auto map = in_context(file.path, [&] {
      return mercer::landmark_features(mercer::RpCholesky{}, kernel, x, count, seed);
    });
    return mercer::Matrix<S>(map.landmarks()).template cast<double>();
  };
  return std::visit(choose, file.samples);
}

template mercer::Matrix<double> choose_landmarks(const mercer::AnyKernel&,
                                                 const SampleFile<double>&, mercer::Index,
                                                 std::uint64_t);
#if !defined(MERCER_DOUBLE_ALONE)
template mercer::Matrix<double> choose_landmarks(const mercer::AnyKernel&, const SampleFile<float>&,
                                                 mercer::Index, std::uint64_t);
#endif

}  // namespace kpca
