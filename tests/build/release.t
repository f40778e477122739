#!/usr/bin/env bash
# format/release.h has the release.  All other files that name a release name this one.

echo 1..9
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

inst=$(dirname "$(dirname "$VALGRIND")")
release=$(sed -n 's/^#define DCFG_RELEASE "\(.*\)"$/\1/p' "$SRCDIR/format/release.h")
echo "release $release" >&2

# says WHAT TEXT: checks that TEXT, from WHAT, is this release.
says() {
   echo "$1: $2" >&2
   check "$1" [ "$2" = "$release" ]
}

check "there is one, of three numbers" grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' <<< "$release"
says "dcfg --version" "$("$inst/bin/dcfg" --version | sed -n 's/^dcfg \([^ ,]*\), .*/\1/p')"
"$VALGRIND" --tool=dcfg --callgrind=yes true 2>banner
says "the tool's banner" "$(sed -n 's/^==[0-9]*== DCFG-\([^ ,]*\), .*/\1/p' banner)"
says "profiles" "$(sed -n 's/^creator: dcfg-//p' callgrind.out.*)"
says "libdcfg.pc" "$(sed -n 's/^Version: //p' "$inst/lib/pkgconfig/libdcfg.pc")"
says "dcfg(1)" "$(sed -n 's/^\.Os valgrind-dcfg //p' "$SRCDIR/cmd/dcfg.1")"
says "libdcfg(3)" "$(sed -n 's/^\.Os valgrind-dcfg //p' "$SRCDIR/lib/libdcfg.3")"
says "NEWS" "$(sed -n '1s/^Release \([^ ]*\).*/\1/p' "$SRCDIR/NEWS")"
says "the Debian package" "$(sed -n '1s/^valgrind-dcfg (\(.*\)) .*/\1/p' "$SRCDIR/debian/changelog")"
