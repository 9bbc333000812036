# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# cmake -D BUILD_DIR=... -D PREFIX=... -P install.cmake
# Installs to one place and moves the result to PREFIX, for a package must bear being moved.

file(REMOVE_RECURSE "${PREFIX}" "${PREFIX}-at-first")
execute_process(COMMAND ${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${PREFIX}-at-first"
  OUTPUT_QUIET RESULT_VARIABLE status)
if(status)
  message(FATAL_ERROR "cmake --install failed: ${status}")
endif()
file(RENAME "${PREFIX}-at-first" "${PREFIX}")
