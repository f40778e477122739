# shellcheck shell=bash
# The scripts beside it source it: TAP on stdout, and ./dev without the settings of the caller's environment.

n=0

# check WHAT COMMAND...: one test, which passes if the command succeeds.
check() {
   local what=$1
   shift
   n=$((n + 1))
   if "$@"; then echo "ok $n - $what"; else echo "not ok $n - $what"; fi
}

# check_status WHAT STATUS: one test, which passes if STATUS is 0.
check_status() { check "$1" [ "$2" = 0 ]; }

# dev ARGS...: runs ./dev for the default Valgrind.
dev() { env -u VALGRIND_SRC -u DCFG_VALGRIND_VERSION "$SRCDIR/dev" "$@"; }
