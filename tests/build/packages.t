#!/usr/bin/env bash
# Which packages are installed is asked once, and again when others are wanted or dpkg has changed something.

echo 1..6
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/packages.sh"

# What the other parts of ./dev have for it.
# shellcheck disable=SC2034  # need_packages uses them
build=$PWD
step() { echo "$2" >>steps; }
die() { echo "$1" >&2; exit 1; }

# asked PACKAGE...: whether need_packages asks dpkg, of which make and gcc are all that is installed.
asked() {
   rm -f asked steps
   need_packages "$@"
   [ -e asked ]
}
dpkg-query() {
   local name
   touch asked
   for name; do
      case $name in make|gcc) echo "$name installed" ;; esac
   done
}

asked make
check_status "dpkg is asked the first time" $?
! asked make
check_status "and not the second time" $?
asked make gcc
check_status "but for one that is new" $?
! asked gcc make
check_status "which is remembered, too" $?
touch -d '2000-01-01' packages
asked make
check_status "and when dpkg has changed something since" $?
asked make no-such-package
check "one that is missing is installed" [ "$(cat steps)" = "installing packages: no-such-package" ]
