# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# The target docs: the documentation as a web site in <build>/docs/html, made from docs/ and the
# headers by Doxygen, without the network. The target gallery: the pictures of docs/, drawn anew by
# the examples.

find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(MERCER_DOXYGEN doxygen)
find_program(MERCER_GNUPLOT gnuplot)
mark_as_advanced(MERCER_DOXYGEN MERCER_GNUPLOT)

# mercer_add_docs_target(<target> <what it makes> MISSING [<what is missing>]
#                        COMMAND <arguments of Python>...)
function(mercer_add_docs_target target what)
  cmake_parse_arguments(PARSE_ARGV 2 docs "" "" "MISSING;COMMAND")
  if(NOT Python3_Interpreter_FOUND)
    set(docs_MISSING "python3 (Debian package: python3)")
  endif()
  if(docs_MISSING)
    add_custom_target(${target}
      COMMAND ${CMAKE_COMMAND} -E echo "${what} needs ${docs_MISSING}."
      COMMAND ${CMAKE_COMMAND} -E false
      VERBATIM)
  else()
    add_custom_target(${target}
      COMMAND Python3::Interpreter ${docs_COMMAND}
      COMMENT "${what}"
      USES_TERMINAL
      VERBATIM)
  endif()
endfunction()

set(mercer_docs_missing "")
if(NOT MERCER_DOXYGEN)
  set(mercer_docs_missing "doxygen (Debian package: doxygen)")
endif()
mercer_add_docs_target(docs "The documentation" MISSING ${mercer_docs_missing}
  COMMAND "${CMAKE_CURRENT_LIST_DIR}/make_site.py"
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/docs" --doxygen "${MERCER_DOXYGEN}")

set(mercer_gallery_missing "")
set(mercer_gallery_programs "")
foreach(example IN ITEMS denoise digits iris_kpca mixture_density robust_kpca two_circles)
  if(TARGET mercer_${example})
    list(APPEND mercer_gallery_programs "$<TARGET_FILE:mercer_${example}>")
  else()
    set(mercer_gallery_missing "the examples (CMake: -DMERCER_BUILD_EXAMPLES=ON)")
  endif()
endforeach()
if(NOT MERCER_GNUPLOT)
  set(mercer_gallery_missing "gnuplot (Debian package: gnuplot-nox)")
endif()
mercer_add_docs_target(gallery "The gallery" MISSING ${mercer_gallery_missing}
  COMMAND "${CMAKE_CURRENT_LIST_DIR}/make_pictures.py" "${PROJECT_SOURCE_DIR}/docs"
    ${mercer_gallery_programs})
