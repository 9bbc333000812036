# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# cmake -DPROGRAM=<program> -DEXPECTED=<regular expression> -P run_example.cmake: runs the program,
# which must end with status 0 and have this in its output.

execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
message("${output}")
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ends with status ${status}")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "its output does not have: ${EXPECTED}")
endif()
