#!/usr/bin/env bash
# dpkg is asked for the installed packages once, and again only for other packages or if dpkg has changed something.

echo 1..8
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"
# shellcheck source=/dev/null
. "$SRCDIR/build-aux/packages.sh"

# Definitions that other parts of ./dev have.
# shellcheck disable=SC2034  # need_packages uses them
build=$PWD
step() { echo "$2" >>steps; }
die() { echo "$1" >&2; exit 1; }

# asked PACKAGE...: succeeds if need_packages asks dpkg, by which only make and gcc are installed.
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

# An apt with directories of its own, which knows one package, already installed.  It can install nothing.
mkdir -p lists/partial cache/archives/partial dpkg repository
echo "deb [trusted=yes] file:$PWD/repository ./" >sources.list
cat >dpkg/status <<'END'
Package: there
Status: install ok installed
Architecture: all
Version: 1
Maintainer: nobody
Description: is there
END
grep -v Status dpkg/status >repository/Packages
cat >apt.conf <<END
Dir::State "$PWD";
Dir::State::status "$PWD/dpkg/status";
Dir::State::Lists "$PWD/lists";
Dir::Cache "$PWD/cache";
Dir::Etc::SourceList "$PWD/sources.list";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "root";
Dir::Bin::dpkg "/bin/false";
END
as_root() { APT_CONFIG=$PWD/apt.conf "$@"; }

# waits_for LOCK COMMAND...: succeeds if the command finds the lock taken three times, goes on when it is free, and succeeds.
waits_for() {
   local lock=$1 holder waiter
   shift
   coproc python3 -c '
import fcntl, sys
with open(sys.argv[1], "w") as f:
    fcntl.lockf(f, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()' "$lock"
   holder=$COPROC_PID
   read -r <&"${COPROC[0]}"
   : >waits.log
   "$@" >waits.log 2>&1 &
   waiter=$!
   while kill -0 $waiter 2>/dev/null && [ "$(grep -c 'Could not get lock' waits.log)" -lt 3 ]; do sleep 0.1; done
   kill "$holder"
   wait "$holder"
   wait $waiter && [ "$(grep -c 'Could not get lock' waits.log)" -ge 3 ]
}

set -o pipefail     # as ./dev has it
if command -v apt-get >/dev/null; then
   waits_for dpkg/lock-frontend install_packages there
   check_status "where another apt installs, it waits" $?
   cat waits.log >&2
   waits_for lists/lock apt_get update
   check_status "and where another apt gets lists" $?
   cat waits.log >&2
else
   for n in 7 8; do echo "ok $n - apt waits # SKIP there is no apt here"; done
fi
