// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// Where the templates of the compiled companion, mercer::compiled, are instantiated.
///
/// Each header ends with a list of its own templates: `MERCER_INSTANTIATE_<ROOM>(declaration)`.
/// Without the companion, this macro expands to nothing. With the companion, it declares the
/// template extern. In the companion's source file for that room, it instantiates the template.
/// Only functions that are not inline gain from this: a compiler may inline the others in any case.

#ifndef MERCER_CORE_COMPILED_HPP
#define MERCER_CORE_COMPILED_HPP

#include <mercer/core/types.hpp>

#if defined(MERCER_COMPILED)

// These two settings decide what Eigen's types are. They must be the same here as in the companion.
#if defined(EIGEN_USE_BLAS) != MERCER_COMPILED_WITH_BLAS
#error "mercer::compiled was built with another choice of BLAS; link mercer::mercer instead"
#endif
#if defined(_OPENMP) != MERCER_COMPILED_WITH_OPENMP
#error "mercer::compiled was built with another choice of OpenMP; link the target, not the file"
#endif

#define MERCER_EXTERN_TEMPLATE(...) extern template __VA_ARGS__;
#define MERCER_TEMPLATE(...) template __VA_ARGS__;
#else
#define MERCER_EXTERN_TEMPLATE(...)
#define MERCER_TEMPLATE(...)
#endif

#if defined(MERCER_COMPILING_CORE)
#define MERCER_INSTANTIATE_CORE MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_CORE MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_EIGENSYSTEMS)
#define MERCER_INSTANTIATE_EIGENSYSTEMS MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_EIGENSYSTEMS MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_KERNELS)
#define MERCER_INSTANTIATE_KERNELS MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_KERNELS MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_OPERATORS)
#define MERCER_INSTANTIATE_OPERATORS MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_OPERATORS MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_DENSE)
#define MERCER_INSTANTIATE_DENSE MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_DENSE MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_KRYLOV)
#define MERCER_INSTANTIATE_KRYLOV MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_KRYLOV MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_NYSTROM)
#define MERCER_INSTANTIATE_NYSTROM MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_NYSTROM MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_HEBBIAN)
#define MERCER_INSTANTIATE_HEBBIAN MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_HEBBIAN MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_SPGD)
#define MERCER_INSTANTIATE_SPGD MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_SPGD MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_DOUBLY_STOCHASTIC)
#define MERCER_INSTANTIATE_DOUBLY_STOCHASTIC MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_DOUBLY_STOCHASTIC MERCER_EXTERN_TEMPLATE
#endif
#if defined(MERCER_COMPILING_VIEWS)
#define MERCER_INSTANTIATE_VIEWS MERCER_TEMPLATE
#else
#define MERCER_INSTANTIATE_VIEWS MERCER_EXTERN_TEMPLATE
#endif

/// instantiate(scalar) for both scalars, instantiate(form) for all forms of samples.
#define MERCER_FOR_TILE_SCALARS(instantiate) instantiate(double) instantiate(float)
#define MERCER_FOR_TILE_SAMPLES(instantiate)                                               \
  instantiate(Matrix<double>) instantiate(Matrix<float>) instantiate(SparseMatrix<double>) \
      instantiate(SparseMatrix<float>)

/// The same for what is not needed by tiles in single precision, which samples in double may have.
/// With MERCER_DOUBLE_ALONE, a companion leaves out what only samples in single precision need.
/// Programs that have such samples compile it themselves.
#if defined(MERCER_DOUBLE_ALONE)
#define MERCER_FOR_SCALARS(instantiate) instantiate(double)
#define MERCER_FOR_SAMPLES(instantiate) \
  instantiate(Matrix<double>) instantiate(SparseMatrix<double>)
#else
#define MERCER_FOR_SCALARS(instantiate) MERCER_FOR_TILE_SCALARS(instantiate)
#define MERCER_FOR_SAMPLES(instantiate) MERCER_FOR_TILE_SAMPLES(instantiate)
#endif

#endif  // MERCER_CORE_COMPILED_HPP
