// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/variables.hpp>

#include <type_traits>

#include <mercer/core/errors.hpp>
#include <mercer/kernels/gradients.hpp>
#include <mercer/models/component_gradients.hpp>

namespace kpca {
namespace {

[[noreturn]] void refuse(const mercer::AnyKernel& kernel) {
  throw mercer::InvalidArgument("--variables: the kernel " + kernel.describe() +
                                " is not smooth, or its gradients are not known");
}

}  // namespace

void require_gradients(const mercer::AnyKernel& kernel) {
  kernel.with_kernel([&](const auto& held) {
    using K = std::decay_t<decltype(held)>;
    if constexpr (!mercer::HasGradient<K>) refuse(kernel);
    if constexpr (std::is_same_v<K, mercer::Matern>)
      if (!(held.params().nu > 1)) refuse(kernel);
    if constexpr (std::is_same_v<K, mercer::ArcCosine>)
      if (held.order() == 0) refuse(kernel);
  });
}

template <mercer::Real S>
mercer::Matrix<S> variable_gradients(const mercer::AnyKernel& kernel,
                                     const mercer::Matrix<S>& points,
                                     const mercer::Matrix<S>& coefficients,
                                     const mercer::Matrix<S>& x,
                                     const mercer::Vector<double>& weights) {
  return kernel.with_kernel([&](const auto& held) -> mercer::Matrix<S> {
    if constexpr (mercer::HasGradient<std::decay_t<decltype(held)>>)
      return mercer::mean_absolute_gradients(held, points, coefficients, x, weights);
    else
      refuse(kernel);
  });
}

template mercer::Matrix<double> variable_gradients(const mercer::AnyKernel&,
                                                   const mercer::Matrix<double>&,
                                                   const mercer::Matrix<double>&,
                                                   const mercer::Matrix<double>&,
                                                   const mercer::Vector<double>&);
#if !defined(MERCER_DOUBLE_ALONE)
template mercer::Matrix<float> variable_gradients(const mercer::AnyKernel&,
                                                  const mercer::Matrix<float>&,
                                                  const mercer::Matrix<float>&,
                                                  const mercer::Matrix<float>&,
                                                  const mercer::Vector<double>&);
#endif

}  // namespace kpca
