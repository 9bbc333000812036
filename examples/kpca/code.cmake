# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# mercer_example_code: the code of all kernels, features and solvers in both precisions, compiled
# once for all programs and for the Python module.
#
# Set before: mercer_code_companion, the compiled companion of mercer that it links.

add_library(mercer_example_code STATIC EXCLUDE_FROM_ALL
  "${CMAKE_CURRENT_LIST_DIR}/kernel_code.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/solver_code_double.cpp")
if(NOT DEFINED MERCER_EXAMPLES_SINGLE OR MERCER_EXAMPLES_SINGLE)
  target_sources(mercer_example_code PRIVATE "${CMAKE_CURRENT_LIST_DIR}/solver_code_single.cpp")
endif()
target_include_directories(mercer_example_code PUBLIC "${CMAKE_CURRENT_LIST_DIR}/../..")
target_link_libraries(mercer_example_code PUBLIC ${mercer_code_companion})
foreach(component IN ITEMS archive dual)
  if(TARGET mercer::${component})
    target_link_libraries(mercer_example_code PUBLIC mercer::${component})
  endif()
endforeach()
