# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# The compiled companion: a static library with the templates of mercer that do not depend on a
# kernel. It comes as sources and is built once in the project that links it, with the flags of that
# project, so that the two always agree on what Eigen's types are.

set(mercer_compiled_sources "${CMAKE_CURRENT_LIST_DIR}/compiled")
set(MERCER_COMPILED_WITH "openmp" CACHE STRING
    "What mercer::compiled is built with, and brings to who links it: a list of blas, openmp")

option(MERCER_COMPILED_AT_ONCE
  "Compile mercer::compiled as one file: less work in all, and none in parallel" OFF)

# Sets <variable> to whether the companion can have its inner loops for several instruction sets, of
# which the program takes the best that its processor has. Flags that allow AVX2 everywhere make
# this useless. On Windows, GCC does not align stacks for AVX.
function(mercer_find_instruction_sets variable)
  include(CheckCXXSourceCompiles)
  set(CMAKE_TRY_COMPILE_CONFIGURATION "${CMAKE_BUILD_TYPE}")
  foreach(setting IN ITEMS DEFINITIONS FLAGS INCLUDES LIBRARIES LINK_OPTIONS)
    set(CMAKE_REQUIRED_${setting} "")
  endforeach()
  # The answer depends on the flags, which may change from one configuration to the next.
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  string(SHA1 key
    "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}} ${CMAKE_OSX_ARCHITECTURES}")
  string(SUBSTRING "${key}" 0 8 key)
  check_cxx_source_compiles("
    #if !defined(__x86_64__) || !defined(__GNUC__) || defined(__AVX2__)
    #error
    #endif
    #if defined(_WIN32) || defined(__CYGWIN__)
    #error
    #endif
    int main() { return __builtin_cpu_supports(\"avx512vl\") ? 1 : 0; }"
    mercer_instruction_sets_${key})
  set(${variable} "${mercer_instruction_sets_${key}}" PARENT_SCOPE)
endfunction()

# mercer_add_instruction_sets(<target> [<option of the compiler>...])
# Adds the inner loops for AVX2 and AVX-512. Options are those of all targets of a directory.
function(mercer_add_instruction_sets target)
  set(sets "${mercer_compiled_sources}/instruction_sets")
  target_sources(${target} PRIVATE "${sets}/avx2.cpp" "${sets}/avx512.cpp" "${sets}/choice.cpp")
  target_compile_definitions(${target} PUBLIC MERCER_INSTRUCTION_SETS)
  # GCC's own header of AVX-512 has variables that it takes for uninitialised.
  set(quiet "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
  # Optimised in any case, and by itself: else functions of the standard library would remain in
  # these files, and a linker might take them for those of other files.
  set(avx2 ${ARGN} -O3 -fno-lto -mavx2 -mfma)
  set_source_files_properties("${sets}/avx2.cpp" PROPERTIES COMPILE_OPTIONS "${avx2}")
  set_source_files_properties("${sets}/avx512.cpp" PROPERTIES
    COMPILE_OPTIONS "${avx2};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;${quiet}")
  set_source_files_properties("${sets}/choice.cpp" PROPERTIES COMPILE_OPTIONS "${ARGN}")
  # Each file has Eigen by a name of its own.
  set_source_files_properties("${sets}/avx2.cpp" "${sets}/avx512.cpp" "${sets}/choice.cpp"
    PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# mercer_add_compiled(<target> [WITH <component>...] [WITHOUT <source>...])
# A companion with these components, of blas and openmp, as far as they are there. Programs that use
# nothing of a source of compiled/ may build it without that source.
function(mercer_add_compiled target)
  cmake_parse_arguments(PARSE_ARGV 1 compiled "" "" "WITH;WITHOUT")
  file(GLOB sources CONFIGURE_DEPENDS "${mercer_compiled_sources}/*.cpp")
  foreach(source IN LISTS compiled_WITHOUT)
    list(REMOVE_ITEM sources "${mercer_compiled_sources}/${source}.cpp")
  endforeach()
  if(MERCER_COMPILED_AT_ONCE)
    set(code "")
    foreach(kind IN ITEMS define include)  # headers see all definitions
      foreach(source IN LISTS sources)
        file(STRINGS "${source}" lines REGEX "^#${kind} ")
        list(JOIN lines "\n" lines)
        string(APPEND code "${lines}\n")
      endforeach()
    endforeach()
    set(sources "${CMAKE_CURRENT_BINARY_DIR}/${target}_at_once.cpp")
    file(CONFIGURE OUTPUT "${sources}" CONTENT "@code@" @ONLY)
  endif()
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${target} PUBLIC mercer::mercer)
  if(MINGW)  # more sections than object files have otherwise
    target_compile_options(${target} PRIVATE -Wa,-mbig-obj)
  endif()
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

  mercer_find_instruction_sets(found)
  if(found)
    mercer_add_instruction_sets(${target})
  endif()
endfunction()
