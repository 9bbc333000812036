# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# An overlay port that takes the sources from the clone that it lies in. A port for a registry gets
# them from the archive of the tag, by vcpkg_from_github or vcpkg_download_distfile, into SOURCE_PATH.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
if(NOT EXISTS "${SOURCE_PATH}/include/mercer/version.hpp")
  message(FATAL_ERROR "The port of mercer must lie in a clone, in cmake/packaging/vcpkg/mercer.")
endif()

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES tools MERCER_INSTALL_PROGRAMS)
if(NOT "tools" IN_LIST FEATURES)
  set(VCPKG_BUILD_TYPE release)  # headers are the same for both
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DMERCER_BUILD_TESTS=OFF
    -DMERCER_BUILD_EXAMPLES=OFF
    # Not in vcpkg, and not to be taken from the system.
    -DCMAKE_DISABLE_FIND_PACKAGE_BLAS=ON
    -DCMAKE_DISABLE_FIND_PACKAGE_LBFGSpp=ON
    ${options})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/mercer)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES kpca kca AUTO_CLEAN)
endif()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
