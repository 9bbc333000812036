// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <benchmarks/certificates/fit_code.hpp>

template certificates::Fitted certificates::fit(const mercer::AnyKernel&,
                                                const mercer::Matrix<float>&,
                                                const certificates::Job&);
