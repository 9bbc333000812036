// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_family.hpp>

namespace kpca {

template Results<double> fit(const CoordinatewiseFamily&, const SampleFile<double>&,
                             const std::optional<SampleFile<double>>&, const FitSettings&);
template Results<float> fit(const CoordinatewiseFamily&, const SampleFile<float>&,
                            const std::optional<SampleFile<float>>&, const FitSettings&);

}  // namespace kpca
