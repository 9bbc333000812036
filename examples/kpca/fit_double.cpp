// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/fit_kernel.hpp>

namespace kpca {

template Results<double> fit(const mercer::AnyKernel&, const SampleFile<double>&,
                             const std::optional<SampleFile<double>>&, const FitSettings&);

#if defined(MERCER_HAS_CEREAL)
template Results<double> project(const mercer::io::Archive&, const std::string&,
                                 const mercer::io::ColumnChoice&);
#endif

}  // namespace kpca
