# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Finds the headers of Random123. Makes the target Random123::Random123.
# Hint: Random123_INCLUDE_DIR, the directory that holds Random123/philox.h.

find_path(Random123_INCLUDE_DIR Random123/philox.h)
mark_as_advanced(Random123_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Random123 REQUIRED_VARS Random123_INCLUDE_DIR)

if(Random123_FOUND AND NOT TARGET Random123::Random123)
  add_library(Random123::Random123 INTERFACE IMPORTED)
  target_include_directories(Random123::Random123 INTERFACE "${Random123_INCLUDE_DIR}")
endif()
