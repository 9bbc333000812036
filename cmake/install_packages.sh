# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
# shellcheck shell=bash

# For bash scripts to source: installs Debian packages that are missing.

# install_packages PACKAGE[=TOOL]...
# With =TOOL, the package counts as there when TOOL is on the PATH, wherever it came from.
# Does nothing, and needs no rights, when nothing is missing.
install_packages() {
  local item package as_root=()
  local missing=()
  for item in "$@"; do
    package=${item%%=*}
    if [[ $item == *=* ]] && command -v "${item#*=}" >/dev/null; then continue; fi
    if dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null |
      grep -qx installed; then continue; fi
    missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then return 0; fi

  if ! command -v apt-get >/dev/null; then
    echo "Not a Debian or Ubuntu system. Please install what these Debian packages hold:" >&2
    echo "  ${missing[*]}" >&2
    echo "Going on in the hope that it is there." >&2
    return 0
  fi
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "These packages are missing, and installing them needs root or sudo:" >&2
      echo "  apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq -o Acquire::Retries=3
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends -o Acquire::Retries=3 \
    -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null
}

# require_cmake: the presets need CMake 3.25.
require_cmake() {
  local version
  version=$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')
  if [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) != 3.25 ]]; then
    echo "CMake 3.25 or later is needed, found $version." >&2
    return 1
  fi
}
