#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors

# debian.sh [--build] FOLDER
#
# Makes a Debian source tree of the commit that is checked out: FOLDER/mercer-VERSION with debian/ in
# it, and FOLDER/mercer_VERSION.orig.tar.gz beside it. With --build it also builds the packages there
# and runs lintian on them; that needs dpkg-dev, debhelper, lintian and what debian/control names.
#
# The maintainer is DEBFULLNAME <DEBEMAIL>, or else git's user.

set -euo pipefail

usage() {
  echo "usage: debian.sh [--build] FOLDER" >&2
  exit 2
}

build=no
if [[ ${1:-} == --build ]]; then
  build=yes
  shift
fi
[[ $# -eq 1 && $1 != -* ]] || usage
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(sed -n 's/^#define MERCER_VERSION_STRING "\([^"]*\)".*$/\1/p' include/mercer/version.hpp)
tree=$folder/mercer-$version
maintainer="${DEBFULLNAME:-$(git config user.name)} <${DEBEMAIL:-$(git config user.email)}>"
date=$(git log -1 --format=%cD)

if [[ -e $tree ]]; then
  echo "debian.sh: $tree exists already" >&2
  exit 1
fi
git archive --format=tar --prefix="mercer-$version/" HEAD | gzip -9n >"$folder/mercer_$version.orig.tar.gz"
tar -xf "$folder/mercer_$version.orig.tar.gz" -C "$folder"
cp -r "$tree/cmake/packaging/debian" "$tree/debian"

# What is written elsewhere is not written again in the recipe: the version, the licence.
cat >"$tree/debian/changelog" <<END
mercer ($version-0local1) unstable; urgency=medium

  * Version $version. What is new is in CHANGELOG.md.

 -- $maintainer  $date
END
sed -i "s|@MAINTAINER@|$maintainer|" "$tree/debian/control"
sed -e '1,/^Copyright/d' -e '/./,$!d' "$tree/LICENSE" | sed -e 's/^$/./' -e 's/^/ /' >"$tree/debian/licence"
sed -i -e "/@LICENSE@/{r $tree/debian/licence
d}" "$tree/debian/copyright"
rm "$tree/debian/licence"
echo "The source tree is $tree"

if [[ $build == yes ]]; then
  (cd "$tree" && dpkg-buildpackage --unsigned-source --unsigned-changes)
  lintian --info --fail-on error,warning "$folder"/mercer_"$version"-*_*.changes
fi
