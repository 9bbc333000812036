# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# The compiled companion: a static library with the templates of mercer that do not depend on a
# kernel. It comes as sources and is built once in the project that links it, with the flags of that
# project, so that the two always agree on what Eigen's types are.

set(mercer_compiled_sources "${CMAKE_CURRENT_LIST_DIR}/compiled")
set(MERCER_COMPILED_WITH "openmp" CACHE STRING
    "What mercer::compiled is built with, and brings to who links it: a list of blas, openmp")

# mercer_add_compiled(<target> [WITH <component>...] [WITHOUT <source>...])
# A companion with these components, of blas and openmp, as far as they are there. Programs that use
# nothing of a source of compiled/ may build it without that source.
function(mercer_add_compiled target)
  cmake_parse_arguments(PARSE_ARGV 1 compiled "" "" "WITH;WITHOUT")
  file(GLOB sources CONFIGURE_DEPENDS "${mercer_compiled_sources}/*.cpp")
  foreach(source IN LISTS compiled_WITHOUT)
    list(REMOVE_ITEM sources "${mercer_compiled_sources}/${source}.cpp")
  endforeach()
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PUBLIC mercer::mercer)
  foreach(component IN ITEMS blas openmp)
    set(with 0)
    if(component IN_LIST compiled_WITH AND TARGET mercer::${component})
      set(with 1)
      target_link_libraries(${target} PUBLIC mercer::${component})
    endif()
    string(TOUPPER ${component} name)
    target_compile_definitions(${target} PUBLIC MERCER_COMPILED_WITH_${name}=${with})
  endforeach()
  target_compile_definitions(${target} PUBLIC MERCER_COMPILED)
endfunction()
