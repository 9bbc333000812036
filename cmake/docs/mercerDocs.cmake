# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# The target docs: the documentation as a web site in <build>/docs/html, made from docs/ and the
# headers by Doxygen, without the network.

find_package(Python3 QUIET COMPONENTS Interpreter)
find_program(MERCER_DOXYGEN doxygen)
mark_as_advanced(MERCER_DOXYGEN)

set(mercer_docs_missing "")
if(NOT Python3_Interpreter_FOUND)
  set(mercer_docs_missing python3)
elseif(NOT MERCER_DOXYGEN)
  set(mercer_docs_missing doxygen)
endif()

if(mercer_docs_missing)
  add_custom_target(docs
    COMMAND ${CMAKE_COMMAND} -E echo
      "The documentation needs ${mercer_docs_missing} (Debian package: ${mercer_docs_missing})."
    COMMAND ${CMAKE_COMMAND} -E false)
else()
  add_custom_target(docs
    COMMAND Python3::Interpreter "${CMAKE_CURRENT_LIST_DIR}/make_site.py"
      "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/docs" --doxygen "${MERCER_DOXYGEN}"
    COMMENT "Making the documentation"
    USES_TERMINAL
    VERBATIM)
endif()
