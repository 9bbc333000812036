// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_kernel.hpp>

namespace kpca {

template Results<double> fit(const DifferenceKernel&, const SampleFile<double>&,
                             const std::optional<SampleFile<double>>&, const FitSettings&);
template Results<double> fit(const OtherKernel&, const SampleFile<double>&,
                             const std::optional<SampleFile<double>>&, const FitSettings&);
template Results<double> fit(const mercer::Precomputed&, const SampleFile<double>&,
                             const std::optional<SampleFile<double>>&, const FitSettings&);

}  // namespace kpca
