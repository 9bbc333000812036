# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Finds the headers of LBFGS++. Makes the target LBFGSpp::LBFGSpp.
# Hint: LBFGSpp_INCLUDE_DIR, the directory that holds LBFGS.h.

find_path(LBFGSpp_INCLUDE_DIR LBFGS.h)
mark_as_advanced(LBFGSpp_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LBFGSpp REQUIRED_VARS LBFGSpp_INCLUDE_DIR)

if(LBFGSpp_FOUND AND NOT TARGET LBFGSpp::LBFGSpp)
  add_library(LBFGSpp::LBFGSpp INTERFACE IMPORTED)
  target_include_directories(LBFGSpp::LBFGSpp INTERFACE "${LBFGSpp_INCLUDE_DIR}")
endif()
