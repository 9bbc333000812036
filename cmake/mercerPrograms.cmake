# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Builds and installs kpca and kca with their manual pages and shell completions (component
# `programs`). The programs print these themselves, from the tables that make their options.

# mercer_add_page(<program> <kind> <file> <directory>)
# Installs what `<program> --print <kind>` says as <file>.
function(mercer_add_page program kind file directory)
  set(page "${PROJECT_BINARY_DIR}/programs/${file}")
  add_custom_command(OUTPUT "${page}"
    COMMAND mercer_${program} --print ${kind} > "${page}"
    DEPENDS mercer_${program} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY mercer_pages "${page}")
  install(FILES "${page}" DESTINATION "${directory}" COMPONENT programs)
endfunction()

# A program for another machine runs here only by an emulator.
set(mercer_programs_run TRUE)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(mercer_programs_run FALSE)
  message(STATUS "mercer: kpca and kca are for another machine, and there is no "
    "CMAKE_CROSSCOMPILING_EMULATOR: they come without manual pages and completions")
endif()

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/programs")
foreach(program IN ITEMS kpca kca)
  install(TARGETS mercer_${program} DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT programs)
  if(mercer_programs_run)
    mercer_add_page(${program} man ${program}.1 "${CMAKE_INSTALL_MANDIR}/man1")
    mercer_add_page(${program} bash-completion ${program}
      "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    mercer_add_page(${program} zsh-completion _${program}
      "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    mercer_add_page(${program} fish-completion ${program}.fish
      "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  endif()
endforeach()

# What is installed is built by default, also where the other examples are not.
get_property(mercer_pages GLOBAL PROPERTY mercer_pages)
add_custom_target(mercer_programs ALL DEPENDS mercer_kpca mercer_kca ${mercer_pages})
