#!/usr/bin/env bash
# Messages to the user when a build cannot go on.

echo 1..5
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

mkdir empty
VALGRIND_SRC=$PWD/empty "$SRCDIR/dev" build >empty.log 2>&1
check "VALGRIND_SRC without Valgrind is refused" [ $? != 0 ]
check "in one line" [ "$(grep -c 'not a Valgrind source tree' empty.log)/$(wc -l <empty.log)" = 1/1 ]
check "and what was built before is still there" [ -x "$VALGRIND" ]

# A checkout of our own, to break without harm.  The configure.ac of its Valgrind tree fails.
mkdir -p checkout broken/VEX broken/coregrind
cp -r "$SRCDIR/dev" "$SRCDIR/build-aux" checkout/
echo 'm4_fatal([the reason])' >broken/configure.ac
VALGRIND_SRC=$PWD/broken checkout/dev build >broken.log 2>&1
check "a step that fails stops the build" [ $? != 0 ]
cat broken.log >&2
[ "$(grep -c 'FAILED: preparing Valgrind' broken.log)" -ge 1 ] && grep -q 'error: the reason' broken.log &&
   log=$(sed -n 's/^dev: FAILED.*log: \(.*\))$/\1/p' broken.log) && grep -q 'the reason' "$log"
check_status "it names the step and the log, and shows the log's end" $?
