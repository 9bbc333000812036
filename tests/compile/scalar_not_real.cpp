// expect: scalar_not_real\.cpp.*(constraint failure|constraints not satisfied)
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <mercer/core/types.hpp>

namespace scalar_not_real {

#ifdef MERCER_MUST_NOT_COMPILE
using Scalar = long double;
#else
using Scalar = double;
#endif

mercer::Matrix<Scalar> matrix;

}  // namespace scalar_not_real
