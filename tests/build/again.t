#!/usr/bin/env bash
# A second build does nothing, at once and without apt or dpkg; a changed source rebuilds the tool and nothing else.

echo 1..5
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# Programs that must not run come first in PATH.
mkdir bin
for program in apt-get apt apt-cache dpkg dpkg-query sudo gcc; do
   # shellcheck disable=SC2016  # for the script
   printf '#!/bin/sh\necho "$0 $*" >>%q\nexit 1\n' "$PWD/ran" >bin/$program
   chmod +x bin/$program
done

# Build first: packages may have come or gone since the last build.
dev build
TIMEFORMAT='%3U %3S'
exec 3>&2
used=$({ time PATH=$PWD/bin:$PATH dev build 2>&3; } 2>&1)
status=$?
milliseconds=$(awk '{ print int(1000 * ($1 + $2)) }' <<<"$used")
echo "second build: $milliseconds ms of the processor" >&2
check "a second build succeeds" [ $status = 0 ]
check "it runs neither apt nor a compiler" [ ! -e ran ]
# One second is the aim; on an idle machine it is a tenth.
check "it takes about a second" [ "$milliseconds" -lt 2500 ]

PATH=$PWD/bin:$PATH dev run --dcfg-out-file=graph.json true
check "nor does ./dev run" [ $? = 0 -a -s graph.json -a ! -e ran ]

object=$(find "$BUILDDIR" -maxdepth 1 -name '*dcfg_main.o' | head -n 1)
rm "$object"
touch before
dev build >build.log 2>&1
other=$(find "$BUILDDIR" "$(dirname "$BUILDDIR")"/valgrind-* -name '*.[ao]' -newer before ! -path "$object")
check "a missing object is made again, and nothing else" [ -f "$object" -a -z "$other" ]
