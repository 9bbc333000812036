// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_kernel.hpp>

namespace kpca {

template Results<float> fit(const DifferenceKernel&, const SampleFile<float>&,
                            const std::optional<SampleFile<float>>&, const FitSettings&);
template Results<float> fit(const OtherKernel&, const SampleFile<float>&,
                            const std::optional<SampleFile<float>>&, const FitSettings&);
template Results<float> fit(const mercer::Precomputed&, const SampleFile<float>&,
                            const std::optional<SampleFile<float>>&, const FitSettings&);

}  // namespace kpca
