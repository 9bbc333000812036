# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
# shellcheck shell=bash

# For bash scripts to source: shows that a build goes on.

# elapsed: the time since the script began, in minutes and seconds.
elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# show_progress SECONDS: reads what Ninja writes, and says every so many seconds how far it is.
show_progress() {
  local line status step='' shown=$SECONDS
  while true; do
    if IFS= read -r -t "$1" line; then
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
        step="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps"
      fi
    else
      status=$?
      if ((status <= 128)); then return 0; fi # the end of the input, and not of the time
    fi
    if [[ -n $step ]] && ((SECONDS - shown >= $1)); then
      echo "   $(elapsed)  $step"
      shown=$SECONDS
    fi
  done
}
