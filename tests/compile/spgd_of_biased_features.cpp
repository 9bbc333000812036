// expect: mercer::Estimator: the draws must be unbiased, and the inner products of these features
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/features/additive_features.hpp>
#include <mercer/features/homogeneous_kernel_map.hpp>
#include <mercer/solvers/spgd/spgd.hpp>

namespace spgd_of_biased_features {

#ifdef MERCER_MUST_NOT_COMPILE
const mercer::Spgd solver{mercer::HomogeneousKernelMap{}};
#else
const mercer::Spgd solver{mercer::AdditiveFeatures{}};
#endif

}  // namespace spgd_of_biased_features
