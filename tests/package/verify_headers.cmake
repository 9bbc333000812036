# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# cmake -D BUILD_DIR=... -D SOURCE_DIR=... -P verify_headers.cmake

execute_process(
  COMMAND ${CMAKE_COMMAND} --build "${BUILD_DIR}" --target all_verify_interface_header_sets
  COMMAND_ERROR_IS_FATAL ANY)

file(GLOB_RECURSE headers RELATIVE "${SOURCE_DIR}/include" "${SOURCE_DIR}/include/*.hpp")
set(objects "${BUILD_DIR}/CMakeFiles/mercer_verify_interface_header_sets.dir")
foreach(header IN LISTS headers)
  if(NOT EXISTS "${objects}/mercer_verify_interface_header_sets/${header}.cxx.o")
    message(SEND_ERROR "${header} was not compiled by itself")
  endif()
endforeach()
