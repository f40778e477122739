# shellcheck shell=bash
# Part of ./dev: the tests.  Every test, whatever it is written in, ends up as a line of TAP (`ok 1 - name`,
# `not ok 2 - name`, `ok 3 - name # SKIP why`), and this file does nothing with tests but run them and count such lines.

passed=0 failed=0 skipped=0
all_groups="lint unit regtest suite newest build"

# tap NAME COMMAND...: runs a command that prints TAP.  It also fails when it prints no test at all, fewer than its plan
# (`1..N`) says, or exits with a status that no failed test explains.
tap() {
   local name=$1 line log seen=0 bad=0 plan='' status=1
   shift
   log=$base/log/test-${name//[: \/]/-}.log
   mkdir -p "$base/log"
   : >"$log"
   while IFS= read -r line; do
      case $line in
         "exit status "*) status=${line##* } ;;
         1..*) plan=${line#1..} plan=${plan%%[!0-9]*} ;;
         "not ok"*" # TODO"*|"ok"*" # "[Ss][Kk][Ii][Pp]*)
            skipped=$((skipped + 1)) seen=$((seen + 1))
            echo "skipped $name: ${line#* - }" ;;
         "ok"|"ok "*)
            passed=$((passed + 1)) seen=$((seen + 1))
            echo "ok $name: ${line#* - }" ;;
         "not ok"*)
            bad=1 seen=$((seen + 1))
            fail "$name: ${line#* - }" "$log" ;;
      esac
   done < <({ "$@" 2>>"$log" </dev/null; printf '\nexit status %s\n' $?; } | tee -a "$log")
   if [ "$status" != 0 ] && [ $bad = 0 ]; then
      fail "$name: exit status $status after $seen tests" "$log"
   elif [ -n "$plan" ] && [ "$plan" != $seen ]; then
      fail "$name: $seen tests ran, $plan were planned" "$log"
   elif [ -z "$plan" ] && [ $seen = 0 ]; then
      fail "$name: no test ran" "$log"
   fi
}

# fail NAME LOG
fail() {
   failed=$((failed + 1))
   echo "not ok $1 (see $(short "$2"))"
}

# skip WHAT WHY: a whole group that cannot run here.
skip() {
   skipped=$((skipped + 1))
   echo "skipped $1: $2"
}

# Shell scripts pass shellcheck, and the sources keep to the order that HACKING.md tells.
group_lint() {
   tap lint lint_tap
   local name
   for name in $(scripts_of tests/lint); do run_script tests/lint "$name"; done
}

lint_tap() {
   cd "$root"
   local file
   # ./dev with all that it sources; its parts are not scripts of their own.
   for file in dev .ci/run tests/build/*.t cmd/completion/dcfg; do
      if shellcheck -s bash -x -a "$file" >&2; then echo "ok - shellcheck $file"; else echo "not ok - shellcheck $file"; fi
   done
}

# Check's programs in tests/unit and tests/lib.  Check writes TAP itself.
group_unit() {
   # The tests of the tool's modules free nothing: its memory goes with the process.
   run_unit_tests unit detect_leaks=0
   run_unit_tests lib detect_leaks=1
}

# run_unit_tests DIR ASAN_OPTIONS
run_unit_tests() {
   local dir=$objects/tests/$1 program programs
   step "$1-make" "building the tests in tests/$1" make -j"$jobs" -C "$dir" check
   # shellcheck disable=SC2016  # a variable of that Makefile
   programs=$(make -s --no-print-directory -C "$dir" --eval='programs: ; @echo $(check_PROGRAMS)' programs)
   [ -n "$programs" ] || skip "$1" "there are none"
   for program in $programs; do
      tap "$1:$program" env CK_TAP_LOG_FILE_NAME=- ASAN_OPTIONS="$2" "$dir/$program"
   done
}

# vg_regtest_tap DIR ARGS...: Valgrind's test runner, run in a Valgrind tree for the tests of dcfg/; its report as TAP.
vg_regtest_tap() {
   local status=0 dir=$1 log
   shift
   cd "$dir"
   log=$(mktemp)
   perl tests/vg_regtest "$@" dcfg >"$log" 2>&1 || status=$?
   cat "$log" >&2
   awk -v status=$status '
      /^[^ ]+: +\(skipping/ { name = $1; sub(/:$/, "", name); print "ok - " name " # SKIP prerequisite"; n++ }
      /^[^ ]+: +valgrind /  { name = $1; sub(/:$/, "", name); if (!(name in bad)) order[++tests] = name; bad[name] = "" }
      /^\*\*\* .* failed \(.*\) \*\*\*$/ { bad[$2] = bad[$2] " " $4; failures++ }
      /^post check failed/  { bad[order[tests]] = bad[order[tests]] " (post)"; failures++ }
      END {
         for (i = 1; i <= tests; i++)
            print (bad[order[i]] == "" ? "ok - " : "not ok - ") order[i] bad[order[i]]
         if (status != 0 && failures == 0) { print "not ok - vg_regtest itself"; n++ }
         print "1.." (tests + n)
      }' "$log"
   # What differs, into the log, for those who have no more than the log.
   find "$(readlink -f dcfg)/tests" -maxdepth 1 -name '*.diff*' -size +0 -exec tail -n +1 {} + >&2
   rm -f "$log"
}

build_test_programs() {
   step tests-make "building the test programs" make -j"$jobs" -C "$objects/tests" check-am
}

group_regtest() {
   build_test_programs
   tap "regtest-$version" vg_regtest_tap "$base" \
      --valgrind="$inst/bin/valgrind" --valgrind-lib="$inst/libexec/valgrind"
}

# run_script DIR NAME: the script DIR/NAME.t, in an empty directory of its own, with what it needs in the environment.
run_script() {
   local scratch=$base/scratch/$2
   rm -rf "$scratch"
   mkdir -p "$scratch"
   tap "${1##*/}-$version:$2" env -C "$scratch" VALGRIND="$inst/bin/valgrind" SRCDIR="$root" BUILDDIR="$objects" \
      DCFG_VALGRIND_VERSION="$version" NEWEST_SOURCE="${newest_source:-}" NEWEST_VALGRIND="$newest_valgrind" \
      timeout "${DCFG_TEST_TIMEOUT:-1800}" "$root/$1/$2.t"
}

# scripts_of DIR: the names, without .t, of the scripts in it.
scripts_of() {
   local script
   for script in "$root/$1"/*.t; do
      if [ -x "$script" ]; then basename "$script" .t; fi
   done
}

# run_scripts_at_once DIR NAME...: as many at a time as there are processors.  What one has to say is said when it ends.
# shellcheck disable=SC2030,SC2031  # each counts for itself, and the counts come back in a file
run_scripts_at_once() {
   local name dir=$1 reports=$base/reports
   shift
   rm -rf "$reports"
   mkdir -p "$reports"
   for name; do
      while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n || true; done
      {
         trap - EXIT
         passed=0 failed=0 skipped=0
         run_script "$dir" "$name" >"$reports/$name"
         flock "$reports" cat "$reports/$name"
         echo "$passed $failed $skipped" >"$reports/$name.counts"
      } &
   done
   wait
   local p f s
   for name; do
      if read -r p f s <"$reports/$name.counts"; then
         passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
      else
         fail "${dir##*/}-$version:$name: no report" "$reports/$name"
      fi
   done
}

group_suite() {
   build_test_programs
   # shellcheck disable=SC2046  # a list of words
   run_scripts_at_once tests/suite $(scripts_of tests/suite)
}

# Once more, on another Valgrind: the tests of whole lives with traces at once, and without what asks no Valgrind or
# takes long and says the same.
group_suite_again() {
   local name names=()
   for name in $(scripts_of tests/suite); do
      case $name in rules_selftest|trace_selftest|trace_life|trace_real|command_rules) ;; *) names+=("$name") ;; esac
   done
   build_test_programs
   DCFG_TRACE=1 run_scripts_at_once tests/suite "${names[@]}"
}

# The source of the newest supported Valgrind, unpacked and otherwise untouched, in $newest_source.  Empty when it cannot
# be had: without a network, say.
get_newest_source() {
   newest_source=$build/pristine/valgrind-$newest_valgrind
   [ ! -f "$newest_source.complete" ] || return 0
   if [ -n "${VALGRIND_SRC:-}" ]; then
      newest_source=
      return 0
   fi
   local status
   set +e
   (unpack_source "$newest_valgrind" "$newest_source")
   status=$?
   set -e
   if [ $status = 0 ]; then
      touch "$newest_source.complete"
   else
      newest_source=
   fi
}

# The newest supported Valgrind, built in the second of the three ways: from a tree that the user has, with no network
# (really none, where the kernel lets us take it away).  Then the same tests as on the default one.
group_newest() {
   local offline=()
   [ -n "$newest_source" ] || { skip newest "no source of Valgrind $newest_valgrind"; return; }
   [ "$newest_valgrind" != "$version" ] || { skip newest "Valgrind $version is the one already tested"; return; }
   ! unshare -n true 2>/dev/null || offline=(unshare -n)
   local before after
   before=$(tree_state "$newest_source")
   if ! DCFG_VALGRIND_VERSION=$newest_valgrind VALGRIND_SRC=$newest_source "${offline[@]}" "$root/dev" build; then
      fail "newest: building from VALGRIND_SRC" "$build/$newest_valgrind/log"
      return
   fi
   echo "ok newest: building from VALGRIND_SRC"
   passed=$((passed + 1))
   after=$(tree_state "$newest_source")
   if [ "$before" = "$after" ]; then
      echo "ok newest: VALGRIND_SRC itself is untouched"
      passed=$((passed + 1))
   else
      fail "newest: VALGRIND_SRC itself is untouched" "$newest_source"
   fi
   with_version "$newest_valgrind" group_regtest
   with_version "$newest_valgrind" group_suite_again
}

tree_state() { (cd "$1" && find . -printf '%p %y %s %T@\n' | sort | sha256sum); }

# with_version V COMMAND...: the command with another built Valgrind in place of the default one.
with_version() {
   # shellcheck disable=SC2034  # choose_base uses it
   local DCFG_VALGRIND_VERSION=$1 version=$1 base inst objects
   choose_base
   shift
   "$@"
}

# Building, installing and registering, on the default and the newest Valgrind; one after the other, for all use build/.
group_build() {
   local name
   for name in $(scripts_of tests/build); do
      run_script tests/build "$name"
   done
}

# The closing line, also when a step of a build failed on the way.
closing_line() {
   if [ "$group" != done ]; then
      failed=$((failed + 1))
      echo "not ok stopped${group:+ in group $group}"
   fi
   echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
   [ $failed = 0 ] || exit 1
}

run_tests() {
   for group; do
      case " $all_groups " in *" $group "*) ;; *) die "no test group $group; there is: $all_groups" ;; esac
   done
   group=
   trap closing_line EXIT
   build_all
   need_packages "${test_packages[@]}"
   newest_source=
   # shellcheck disable=SC2086  # a list of words
   [ $# -gt 0 ] || set -- $all_groups
   for group; do
      case $group in newest|build) get_newest_source ;; esac
      "group_$group"
   done
   group=done
}
