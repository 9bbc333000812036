# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# CPack: `cpack -G TGZ|ZIP|DEB|RPM` in the build directory makes one package for each install
# component (headers, compiled, programs); `cpack -G TGZ --config CPackSourceConfig.cmake` one of
# the sources. Names and dependencies of the .deb files are those of debian/control.

set(CPACK_PACKAGE_NAME mercer)
set(CPACK_PACKAGE_VENDOR "The mercer authors")
set(CPACK_PACKAGE_CONTACT "The mercer authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_COMPONENTS_ALL headers compiled)
if(MERCER_INSTALL_PROGRAMS)
  list(APPEND CPACK_COMPONENTS_ALL programs)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)

# CPACK_PACKAGE_DESCRIPTION_SUMMARY is of the library; each package says what it holds.
set(mercer_headers_summary "kernel PCA for C++20, headers and CMake package")
set(mercer_compiled_summary "kernel PCA for C++20, sources of the compiled companion")
set(mercer_programs_summary "kernel PCA of the samples in a file, programs")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_HEADERS_PACKAGE_NAME libmercer-dev)
set(CPACK_DEBIAN_HEADERS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_HEADERS_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4)")
set(CPACK_DEBIAN_HEADERS_PACKAGE_SUGGESTS libmercer-compiled-dev)
set(CPACK_DEBIAN_COMPILED_PACKAGE_NAME libmercer-compiled-dev)
set(CPACK_DEBIAN_COMPILED_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_COMPILED_PACKAGE_DEPENDS "libmercer-dev (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME kpca)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS gnuplot)

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_HEADERS_PACKAGE_NAME mercer-devel)
set(CPACK_RPM_HEADERS_PACKAGE_ARCHITECTURE noarch)
set(CPACK_RPM_HEADERS_PACKAGE_REQUIRES "eigen3-devel >= 3.4")
set(CPACK_RPM_COMPILED_PACKAGE_NAME mercer-compiled-devel)
set(CPACK_RPM_COMPILED_PACKAGE_ARCHITECTURE noarch)
set(CPACK_RPM_COMPILED_PACKAGE_REQUIRES "mercer-devel = ${PROJECT_VERSION}")
set(CPACK_RPM_PROGRAMS_PACKAGE_NAME kpca)
set(CPACK_RPM_PROGRAMS_PACKAGE_SUGGESTS gnuplot)

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} name)
  set(CPACK_COMPONENT_${name}_DESCRIPTION "${mercer_${component}_summary}")
  set(CPACK_RPM_${name}_PACKAGE_SUMMARY "${mercer_${component}_summary}")
endforeach()

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "mercer-${PROJECT_VERSION}")
# Patterns are matched with whole paths: without the folder of the sources at their beginning, they
# would leave out everything of a clone in a folder like ~/builds.
string(REGEX REPLACE "([][+.*?()^$|\\])" "\\\\\\1" mercer_sources "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${mercer_sources}/\\.git" "^${mercer_sources}/(.*/)?build[^/]*/"
  "^${mercer_sources}/(.*/)?out/")

include(CPack)
