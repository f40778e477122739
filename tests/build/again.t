#!/usr/bin/env bash
# A second build does nothing, at once and without apt; a changed source rebuilds the tool and nothing else.

echo 1..4
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# Programs that must not run come first in PATH.
mkdir bin
for program in apt-get apt apt-cache sudo gcc; do
   # shellcheck disable=SC2016  # for the script
   printf '#!/bin/sh\necho "$0 $*" >>%q\nexit 1\n' "$PWD/ran" >bin/$program
   chmod +x bin/$program
done

start=${EPOCHREALTIME/./}
PATH=$PWD/bin:$PATH dev build
status=$?
milliseconds=$(((${EPOCHREALTIME/./} - start) / 1000))
echo "second build: $milliseconds ms" >&2
check "a second build succeeds" [ $status = 0 ]
check "it runs neither apt nor a compiler" [ ! -e ran ]
# One second is the aim; the rest is for a busy machine.
check "it takes about a second" [ $milliseconds -lt 2500 ]

object=$(find "$BUILDDIR" -maxdepth 1 -name '*dcfg_main.o')
rm "$object"
touch before
dev build >build.log 2>&1
other=$(find "$BUILDDIR" "$(dirname "$BUILDDIR")"/valgrind-* -name '*.[ao]' -newer before ! -path "$object")
check "a missing object is made again, and nothing else" [ -f "$object" -a -z "$other" ]
