#!/usr/bin/env bash
# Begin and end of ./dev test and ./dev arm64 test, around the tests themselves, and the order of tasks; nothing is built, and
# no machine emulated.

echo 1..9
# shellcheck source=tests/build/tap.sh
. "$SRCDIR/tests/build/tap.sh"

# A checkout with nothing in build/, and a test that shares a program with others.
export build=$PWD/build root=$PWD
mkdir -p tests/arm64 build/dcfg
echo 'int main(void) { return 0; }' >shared.c
cat >tests/arm64/arm64.t <<END
#!/usr/bin/env python3
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "$SRCDIR/tests/kit")
import harness
tap = harness.Tap("shares")
program = harness.cc(tap, "$PWD/shared.c", "shared")
tap.ok(program and harness.subprocess.call([program]) == 0, "a program is compiled")
tap.done()
END
chmod +x tests/arm64/arm64.t

# dev_part COMMAND...: runs it in a shell with the parts of ./dev, but with nothing that builds.
dev_part() {
   # shellcheck disable=SC2016  # for the other shell
   bash -euo pipefail -c '
      for part in pool machine test arm64; do . "$SRCDIR/build-aux/$part.sh"; done
      short() { echo "$1"; }
      build_all() { :; }
      build_arm64() { base=$build/arm64 machine=none CC=cc version=3.19.0; }
      need_packages() { :; }
      build_test_programs() { :; }
      inst=$build/inst objects=$build/dcfg newest_valgrind=3.27.1
      "$@"' - "$@"
}

dev_part test_arm64 >first.log 2>&1
check_status "arm64's tests pass as the first command in a checkout" $?
cat first.log >&2
check "the last line is what passed" [ "$(tail -n 1 first.log)" = "1 passed, 0 failed" ]
check "the lines before it say where, and with what" \
   [ "$(tail -n 4 first.log | grep -cE '^(on .*Linux|with valgrind 3\.19\.0, |programs for arm64 were run)')" = 3 ]

# The sources may have changed since the last time.
for program in build/compiled/*; do printf '#!/bin/sh\nexit 1\n' >"$program"; done
dev_part test_arm64 >second.log 2>&1
check_status "what an earlier run compiled is not used" $?

# Without any program that gives information.
mkdir bin
ln -s "$(command -v cat)" bin/cat
# shellcheck disable=SC2034  # closing_line uses them
closes() {
   passed=3 failed=$1 stage='done' programs_run='' PATH=$PWD/bin
   closing_line
}
export -f closes
dev_part closes 0 >bare.log 2>&1
check_status "the closing line needs none of the programs that it tells of" $?
cat bare.log >&2
check "and is the last one there, too" [ "$(tail -n 1 bare.log)" = "3 passed, 0 failed" ]
! dev_part closes 1 >/dev/null 2>&1
check_status "a failure is one without them" $?

# bash -c forgets tasks that end at once; ./dev is a script, as this.
cat >pool.sh <<'END'
set -euo pipefail
. "$SRCDIR/build-aux/pool.sh"
. "$SRCDIR/build-aux/test.sh"
short() { echo "$1"; }
tell() { echo "ran $1"; passed=$((passed + 1)); }
stop() { exit 1; }
jobs=1
add_task some last tell last
needs some:last some:first
add_task some first tell first
add_task some never tell never
needs some:never some:stopped
add_task some stopped stop
run_pool
echo "$passed passed, $failed failed"
END
bash pool.sh >pool.log 2>&1
cat pool.log >&2
check "a task runs after the task that it needs" [ "$(grep '^ran' pool.log | tr '\n' ' ')" = "ran first ran last " ]
check "a task that needs one that stopped fails, too" \
   [ "$(tail -n 1 pool.log)" = "2 passed, 2 failed" -a "$(grep -c '^not ok some:never: it did not run, for it needs some:stopped' pool.log)" = 1 ]
