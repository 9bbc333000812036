#!/bin/sh
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# Kernel PCA of a CSV file as a map-reduce, and a check that it equals one fit.
#
#   map_reduce.sh KPCA CSV [DIRECTORY]
#
# KPCA is the program, CSV a file with a header line. The rows are split into parts. Two processes
# at a time sum over the parts, each with one thread. The sums are merged to components of all rows.
# All files go to DIRECTORY. Exit status: 0 if the results are equal, 1 if they are not.

set -eu
if [ $# -lt 2 ]; then
  echo "usage: $0 KPCA CSV [DIRECTORY]" >&2
  exit 2
fi
kpca=$1
rows=$2
work=${3:-map-reduce}
lines_of_a_part=40
components=3

mkdir -p "$work"
rm -f "$work"/rows-* "$work"/*.part

# The header line names columns; a part needs no names.
tail -n +2 "$rows" | split -l "$lines_of_a_part" - "$work/rows-"
for file in "$work"/rows-*; do mv "$file" "$file.csv"; done

# Runs a command for each part, two at a time; ROWS in it is the file of the part.
each_part() {
  find "$work" -name 'rows-*.csv' -print0 | xargs -0 -P 2 -I ROWS "$@"
}

# Fails unless both files have the same numbers, to 1e-10 of the largest.
compare() {
  paste -d ' ' "$1" "$2" | awk -v what="$3" '
    NR > 1 {
      if ($1 > most) most = $1
      gap = $1 > $2 ? $1 - $2 : $2 - $1
      if (gap > largest) largest = gap
      ++count
    }
    END {
      ratio = count > 0 && most > 0 ? largest / most : 1
      equal = ratio <= 1e-10
      verdict = equal ? "equal" : "NOT EQUAL"
      printf("%s: %d eigenvalues, the largest difference is %.1e of the first: %s\n", what, count,
             ratio, verdict)
      exit !equal
    }'
}

# 1. Random features. Kernel and seed are numbers, so each part is on its own.
fit="--kernel gaussian --sigma 1.5 --solver features --features 300 --seed 7"
# shellcheck disable=SC2086  # the words of $fit are options
each_part "$kpca" ROWS $fit --threads 1 --partial-out ROWS.features.part
"$kpca" merge "$work"/*.features.part --components "$components" --format csv \
  --save "$work/features.model" --out "$work/features"
# shellcheck disable=SC2086
"$kpca" "$rows" $fit --components "$components" --format csv --pictures none --out "$work/one-fit"
compare "$work/features/eigenvalues.csv" "$work/one-fit/eigenvalues.csv" "random features"

# 2. Nystroem. A few rows from all over the file, the pilot, choose the bandwidth and the landmarks,
# and all parts take them. The sums over the pilot are not merged: its rows are in the parts.
awk 'NR % 4 == 2' "$rows" > "$work/pilot.csv"
"$kpca" "$work/pilot.csv" --kernel gaussian --solver nystrom --landmarks 25 \
  --partial-out "$work/pilot.part"
each_part "$kpca" ROWS --partial-like "$work/pilot.part" --threads 1 \
  --partial-out ROWS.nystrom.part
"$kpca" merge "$work"/*.nystrom.part --components "$components" --format csv \
  --save "$work/nystrom.model" --out "$work/nystrom"
"$kpca" "$rows" --partial-like "$work/pilot.part" --partial-out "$work/all-rows.part"
"$kpca" merge "$work/all-rows.part" --components "$components" --format csv --out "$work/one-part"
compare "$work/nystrom/eigenvalues.csv" "$work/one-part/eigenvalues.csv" "landmarks"

# A merged model is like any other.
"$kpca" --load "$work/features.model" --project "$rows" --out "$work/projected"
