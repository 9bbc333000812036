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

#if defined(MERCER_HAS_CEREAL)
template Results<double> project<DifferenceKernel>(const mercer::io::Archive&, const std::string&);
template Results<double> project<OtherKernel>(const mercer::io::Archive&, const std::string&);
template Results<double> project<mercer::Precomputed>(const mercer::io::Archive&,
                                                      const std::string&);
#endif

}  // namespace kpca
