// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// A kernel that is chosen at run time: the kernels of mercer in one type, by families.

#ifndef MERCER_EXAMPLES_KPCA_KERNEL_FAMILIES_HPP
#define MERCER_EXAMPLES_KPCA_KERNEL_FAMILIES_HPP

#include <variant>

#include <mercer/kernels/angular.hpp>
#include <mercer/kernels/coordinatewise.hpp>
#include <mercer/kernels/histogram.hpp>
#include <mercer/kernels/inner_product.hpp>
#include <mercer/kernels/precomputed.hpp>
#include <mercer/kernels/radial.hpp>

namespace kpca {

// One source file, fit_<family>.cpp, compiles the fits for each family.
using InnerProductFamily = std::variant<mercer::Linear, mercer::Polynomial, mercer::Sigmoid,
                                        mercer::ExponentialDot, mercer::InverseDot>;
using AngularFamily = std::variant<mercer::Cosine, mercer::ArcCosine>;
using RadialFamily = std::variant<mercer::Gaussian, mercer::RationalQuadratic, mercer::Matern>;
using CoordinatewiseFamily =
    std::variant<mercer::Laplacian, mercer::Cauchy, mercer::ExponentialSemigroup,
                 mercer::ReciprocalSemigroup, mercer::AdditiveChiSquare, mercer::ChiSquare,
                 mercer::Intersection, mercer::Precomputed>;

using AnyKernel =
    std::variant<InnerProductFamily, AngularFamily, RadialFamily, CoordinatewiseFamily>;

}  // namespace kpca

#endif  // MERCER_EXAMPLES_KPCA_KERNEL_FAMILIES_HPP
