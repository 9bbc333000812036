// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_kernel.hpp>

namespace kpca {

template Results<float> fit(const mercer::AnyKernel&, const SampleFile<float>&,
                            const std::optional<SampleFile<float>>&, const FitSettings&);

#if defined(MERCER_HAS_CEREAL)
template Results<float> project(const mercer::io::Archive&, const std::string&,
                                const mercer::io::ColumnChoice&);
#endif

}  // namespace kpca
