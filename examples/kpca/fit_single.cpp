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

#if defined(MERCER_HAS_CEREAL)
template Results<float> project<DifferenceKernel>(const mercer::io::Archive&, const std::string&);
template Results<float> project<OtherKernel>(const mercer::io::Archive&, const std::string&);
template Results<float> project<mercer::Precomputed>(const mercer::io::Archive&,
                                                     const std::string&);
#endif

}  // namespace kpca
