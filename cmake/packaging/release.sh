#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# release.sh            checks that this commit can be released, and tags it vVERSION
# release.sh --check    only checks
# release.sh --notes    only prints the notes: what CHANGELOG.md says of this version
#
# Checked: nothing is uncommitted; version.hpp, the newest entry of CHANGELOG.md, the recipes and a
# tag of this commit, if there is one, name the same version; that entry has a date, and CITATION.cff
# has it too. The tag holds the notes. Nothing is pushed: the last line says how to.

set -euo pipefail
mode=${1:---tag}
if (($# > 1)) || [[ ! $mode =~ ^--(tag|check|notes)$ ]]; then
  echo "usage: release.sh [--check|--notes]" >&2
  exit 2
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

refuse() {
  echo "release.sh: $*" >&2
  exit 1
}

version=$(sed -n 's/^#define MERCER_VERSION_STRING "\([^"]*\)".*$/\1/p' include/mercer/version.hpp)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || refuse "include/mercer/version.hpp has no version x.y.z"

# The text below the newest heading, without the blank lines around it.
heading=$(grep -m 1 '^## \[[0-9]' CHANGELOG.md) || refuse "CHANGELOG.md has no entry"
notes=$(awk '/^## \[[0-9]/ { if (seen++) exit; next } seen' CHANGELOG.md | sed '/./,$!d')
if [[ $mode == --notes ]]; then
  printf '%s\n' "$notes"
  exit
fi

[[ -z $(git status --porcelain) ]] || refuse "there are changes that are not committed"
[[ $heading =~ ^'## ['([^]]*)'] - '([0-9]{4}-[0-9]{2}-[0-9]{2})$ ]] ||
  refuse "CHANGELOG.md: the newest entry has no date: $heading"
[[ ${BASH_REMATCH[1]} == "$version" ]] ||
  refuse "CHANGELOG.md: the newest entry is of ${BASH_REMATCH[1]}, version.hpp says $version"
date=${BASH_REMATCH[2]}
grep -qx "date-released: $date" CITATION.cff || refuse "CITATION.cff has no line: date-released: $date"
[[ -n $notes ]] || refuse "CHANGELOG.md says nothing of $version"
python3 tests/package/check_tree.py . "$version" || refuse "the rules of the source tree are broken"
python3 tests/package/check_recipes.py . || refuse "the recipes do not fit"

tag=v$version
for other in $(git tag --points-at HEAD 'v*'); do
  [[ $other == "$tag" ]] || refuse "this commit has the tag $other, version.hpp says $version"
done
if tagged=$(git rev-parse --quiet --verify "refs/tags/$tag^{commit}"); then
  [[ $tagged == "$(git rev-parse HEAD)" ]] || refuse "the tag $tag is of another commit"
fi
if [[ $mode == --check ]]; then
  echo "$tag can be released."
  exit
fi

[[ -z $tagged ]] || refuse "the tag $tag is there already"
printf 'mercer %s\n\n%s\n' "$version" "$notes" | git tag --annotate --cleanup=verbatim --file=- "$tag"
echo "Tagged $tag. To publish it: git push <remote> $tag"
