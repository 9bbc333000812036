# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Eigen with less work for g++, for our own builds.
#
# Each dense expression type of Eigen declares the operators of indexed views, matrix(rows, columns).
# g++ 12 gives the same hash to many of these declarations, so it compares those of a new type with
# those of all earlier types. In a file with many types half of the time before code generation goes
# there. mercer does not use indexed views. lean_eigen.py tells what else costs much, and mends it.

# mercer_use_lean_eigen(): from here on, targets of this folder and those below read Eigen from a
# copy of its headers, in which the file that declares indexed views is empty and scalars are passed
# by value.
function(mercer_use_lean_eigen)
  set(views Eigen/src/plugins/IndexedViewMethods.h)
  set(real "")
  get_target_property(folders Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  foreach(folder IN LISTS folders)
    if(EXISTS "${folder}/${views}")
      set(real "${folder}")
    endif()
  endforeach()
  if(NOT real)
    message(STATUS "mercer: Eigen keeps its indexed views, there is no ${views}")
    return()
  endif()

  # A copy, not links: g++ follows the links of system headers, and would read the real file again.
  # It is made once: a new time would compile everything again.
  set(lean "${PROJECT_BINARY_DIR}/lean_eigen")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/lean_eigen.py")
  if(NOT EXISTS "${lean}/${views}" OR "${script}" IS_NEWER_THAN "${lean}/${views}")
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    file(REMOVE_RECURSE "${lean}")
    file(COPY "${real}/Eigen" DESTINATION "${lean}" PATTERN IndexedViewMethods.h EXCLUDE)
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${script}" "${lean}" RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "mercer: ${script} failed: ${failed}")
    endif()
    file(TOUCH "${lean}/${views}")
  endif()
  include_directories(BEFORE SYSTEM "${lean}")
endfunction()
