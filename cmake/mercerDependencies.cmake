# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# What mercer::mercer itself needs, found in one way by the build and by the installed package.

# Finds Eigen. Sets mercer_missing to a sentence if it is missing or too old, to the empty string
# otherwise.
#
# Eigen is asked for without a version: Eigen 5 says of itself that it does not satisfy a request
# for 3.4, though mercer works with both. The lower bound is checked here.
macro(mercer_find_dependencies)
  set(mercer_missing "")
  if(NOT TARGET Eigen3::Eigen)
    find_package(Eigen3 CONFIG QUIET)
  endif()
  if(NOT TARGET Eigen3::Eigen)
    set(mercer_missing "mercer needs Eigen 3.4 or later (Debian package: libeigen3-dev)")
  elseif(DEFINED Eigen3_VERSION AND Eigen3_VERSION VERSION_LESS 3.4)
    set(mercer_missing "mercer needs Eigen 3.4 or later, found ${Eigen3_VERSION} in ${Eigen3_DIR}")
  endif()
endmacro()
