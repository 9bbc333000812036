# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Like Eigen's own: good for requests of the same major version only.
set(PACKAGE_VERSION "${PRETENDED_VERSION}")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
string(REGEX MATCH "^[0-9]+" pretended_major "${PRETENDED_VERSION}")
if(PACKAGE_FIND_VERSION_MAJOR EQUAL pretended_major)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
