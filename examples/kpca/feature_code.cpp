// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <examples/kpca/kernel_code.hpp>

namespace mercer {

template BoundAnyFeatures<double> AnyFeatures::bind(const AnyKernel&, const SampleBounds&,
                                                    std::uint64_t) const;
template BoundAnyFeatures<float> AnyFeatures::bind(const AnyKernel&, const SampleBounds&,
                                                   std::uint64_t) const;

}  // namespace mercer
