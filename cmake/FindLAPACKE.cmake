# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Finds LAPACKE, the C interface of LAPACK. Makes the target LAPACKE::LAPACKE.

find_package(LAPACK QUIET)
find_library(LAPACKE_LIBRARY lapacke)
mark_as_advanced(LAPACKE_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LAPACKE REQUIRED_VARS LAPACKE_LIBRARY LAPACK_FOUND)

if(LAPACKE_FOUND AND NOT TARGET LAPACKE::LAPACKE)
  add_library(LAPACKE::LAPACKE INTERFACE IMPORTED)
  target_link_libraries(LAPACKE::LAPACKE INTERFACE "${LAPACKE_LIBRARY}" LAPACK::LAPACK)
endif()
