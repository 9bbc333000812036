# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Finds SLEPc and PETSc by pkg-config. Makes the target SLEPc::SLEPc.

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(SLEPC_PC QUIET IMPORTED_TARGET slepc)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SLEPc REQUIRED_VARS SLEPC_PC_LINK_LIBRARIES
  VERSION_VAR SLEPC_PC_VERSION)

if(SLEPc_FOUND AND NOT TARGET SLEPc::SLEPc)
  add_library(SLEPc::SLEPc INTERFACE IMPORTED)
  target_link_libraries(SLEPc::SLEPc INTERFACE PkgConfig::SLEPC_PC)
endif()
