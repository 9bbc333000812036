# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Install rules: headers, the CMake package and the pkg-config file.

include(CMakePackageConfigHelpers)
set(mercer_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/mercer")

install(TARGETS mercer EXPORT mercerTargets FILE_SET HEADERS)
install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION "${mercer_package_dir}")

configure_package_config_file(cmake/mercerConfig.cmake.in "${PROJECT_BINARY_DIR}/mercerConfig.cmake"
  INSTALL_DESTINATION "${mercer_package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    "${PROJECT_BINARY_DIR}/mercerConfig.cmake"
    "${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake"
    cmake/mercerDependencies.cmake
    cmake/mercerComponents.cmake
    cmake/mercerCompiled.cmake
    cmake/FindLBFGSpp.cmake
    cmake/FindLAPACKE.cmake
  DESTINATION "${mercer_package_dir}")

install(DIRECTORY cmake/compiled DESTINATION "${mercer_package_dir}")

# pkg-config: paths relative to the .pc file, so that the prefix can be moved.
set(mercer_pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
  BASE_DIRECTORY "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig" OUTPUT_VARIABLE mercer_pc_includedir)
configure_file(cmake/mercer.pc.in "${PROJECT_BINARY_DIR}/mercer.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mercer.pc" DESTINATION "${mercer_pc_dir}")
