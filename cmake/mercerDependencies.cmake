# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# What mercer::mercer itself needs, found in one way by the build and by the installed package.

set(mercer_cmake_dir "${CMAKE_CURRENT_LIST_DIR}")

# Finds Eigen and Random123. Sets mercer_missing to a sentence if something is missing or too old,
# to the empty string otherwise.
#
# Eigen is asked for without a version: Eigen 5 says of itself that it does not satisfy a request
# for 3.4, though mercer works with both. The lower bound is checked here.
macro(mercer_find_dependencies)
  set(mercer_missing "")
  if(NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 CONFIG QUIET)
  endif()
  list(PREPEND CMAKE_MODULE_PATH "${mercer_cmake_dir}")
  find_package(Random123 MODULE QUIET)
  list(POP_FRONT CMAKE_MODULE_PATH)
  if(NOT TARGET Eigen3::Eigen)
    set(mercer_missing "mercer needs Eigen 3.4 or later (Debian package: libeigen3-dev)")
  elseif(DEFINED Eigen3_VERSION AND Eigen3_VERSION VERSION_LESS 3.4)
    set(mercer_missing "mercer needs Eigen 3.4 or later, found ${Eigen3_VERSION} in ${Eigen3_DIR}")
  elseif(NOT TARGET Random123::Random123)
    set(mercer_missing
        "mercer needs Random123/philox.h (Debian package: librandom123-dev; else set Random123_INCLUDE_DIR)")
  endif()
endmacro()
