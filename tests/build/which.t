#!/usr/bin/env bash
# Which Valgrind ./dev uses: the installed package's, or one that it builds.

# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/valgrind.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/installed.sh"

# shellcheck disable=SC2034  # wants_installed uses them
base=$PWD root=/checkout target=''
unset VALGRIND_SRC DCFG_VALGRIND_VERSION
dpkg-query() { :; }
valgrind_pc() { echo 3.19.0; }

# takes WHICH WHEN [ORIGIN ROOT]: checks that ./dev takes the WHICH one, if one of that origin was built for the checkout
# ROOT.
takes() {
   local which=installed
   rm -f built
   [ $# = 2 ] || printf '%s\n' 3.19.0 "$3" "$4" amd64 >built
   wants_installed || which=built
   check "$2: the $1 one" [ $which = "$1" ]
}

takes installed "at first"
takes installed "again" "installed: libraries" /checkout
takes installed "where there is one from the archive" archive /checkout
takes built "where there is one of a VALGRIND_SRC" /source /checkout
takes installed "where that was built for another checkout" /source /elsewhere
DCFG_VALGRIND_VERSION=3.19.0 takes installed "the version of the package"
DCFG_VALGRIND_VERSION=3.27.1 takes built "another version"
VALGRIND_SRC=/source takes built "VALGRIND_SRC"
target=aarch64-linux-gnu takes built "another processor"
printf '%s\n' 3.19.0 "installed: libraries" /checkout amd64 >built
! is_built
check_status "links to the package are no built one" $?
echo "1..$n"
