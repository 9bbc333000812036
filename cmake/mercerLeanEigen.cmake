# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Eigen without indexed views, for our own builds with g++.
#
# Each dense expression type of Eigen declares the operators of indexed views, matrix(rows, columns).
# g++ 12 gives the same hash to many of these declarations, so it compares those of a new type with
# those of all earlier types. In a file with many types half of the time before code generation goes
# there. mercer does not use indexed views.

# mercer_use_lean_eigen(): from here on, targets of this folder and those below read Eigen from a
# folder of links to its headers, in which the file that declares indexed views is empty.
function(mercer_use_lean_eigen)
  set(empty Eigen/src/plugins/IndexedViewMethods.h)
  set(real "")
  get_target_property(folders Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS folders)
    if(EXISTS "${folder}/${empty}")
      set(real "${folder}")
    endif()
  endforeach()
  if(NOT real)
    message(STATUS "mercer: Eigen keeps its indexed views, there is no ${empty}")
    return()
  endif()

  set(lean "${PROJECT_BINARY_DIR}/lean_eigen")
  if(NOT EXISTS "${lean}/${empty}")
    # Core and plugins are folders of links, not links, so that "../plugins" leads to the empty file.
    foreach(folder IN ITEMS "" Eigen/ Eigen/src/ Eigen/src/Core/ Eigen/src/plugins/)
      file(MAKE_DIRECTORY "${lean}/${folder}")
      file(GLOB entries RELATIVE "${real}/${folder}" "${real}/${folder}*")
      foreach(entry IN LISTS entries)
        if(NOT "${folder}${entry}" MATCHES "^(Eigen|Eigen/src|Eigen/src/Core|Eigen/src/plugins)$" AND
           NOT "${folder}${entry}" STREQUAL empty)
          file(CREATE_LINK "${real}/${folder}${entry}" "${lean}/${folder}${entry}" SYMBOLIC)
        endif()
      endforeach()
    endforeach()
    file(WRITE "${lean}/${empty}" "")
  endif()
  include_directories(BEFORE SYSTEM "${lean}")
endfunction()
