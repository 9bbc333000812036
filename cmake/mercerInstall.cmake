# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Install rules of the library: headers, the CMake package and the pkg-config file (component
# `headers`), and the sources of the compiled companion (component `compiled`).

include(CMakePackageConfigHelpers)
set(mercer_package_dir "${CMAKE_INSTALL_DATADIR}/cmake/mercer")

install(DIRECTORY include/mercer DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT headers
  FILES_MATCHING PATTERN "*.hpp")
install(TARGETS mercer EXPORT mercerTargets)
install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION "${mercer_package_dir}"
  COMPONENT headers)

configure_package_config_file(cmake/mercerConfig.cmake.in "${PROJECT_BINARY_DIR}/mercerConfig.cmake"
  INSTALL_DESTINATION "${mercer_package_dir}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
    "${PROJECT_BINARY_DIR}/mercerConfig.cmake"
    "${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake"
    cmake/mercerDependencies.cmake
    cmake/mercerComponents.cmake
    cmake/FindHdf5C.cmake
    cmake/FindLBFGSpp.cmake
    cmake/FindLAPACKE.cmake
    cmake/FindSLEPc.cmake
  DESTINATION "${mercer_package_dir}" COMPONENT headers)

install(FILES cmake/mercerCompiled.cmake DESTINATION "${mercer_package_dir}" COMPONENT compiled)
install(DIRECTORY cmake/compiled DESTINATION "${mercer_package_dir}" COMPONENT compiled)

# pkg-config: paths relative to the .pc file, so that the prefix can be moved.
set(mercer_pc_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")
foreach(mercer_dir IN ITEMS PREFIX FULL_INCLUDEDIR)
  file(RELATIVE_PATH mercer_pc_${mercer_dir} "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig"
    "${CMAKE_INSTALL_${mercer_dir}}")
  string(REGEX REPLACE "/$" "" mercer_pc_${mercer_dir} "${mercer_pc_${mercer_dir}}")
endforeach()
configure_file(cmake/mercer.pc.in "${PROJECT_BINARY_DIR}/mercer.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mercer.pc" DESTINATION "${mercer_pc_dir}" COMPONENT headers)
