# shellcheck shell=bash
# Part of ./dev: the tests.  Every test, in whatever language, ends up as a line of TAP (`ok 1 - name`, `not ok 2 - name`,
# `ok 3 - name # SKIP why`).  This file only runs tests and counts such lines.

passed=0 failed=0 skipped=0
all_groups="lint unit regtest oracle lib tool cmd pages newest build"
test_timeout=${DCFG_TEST_TIMEOUT:-1800}
limited=(timeout --kill-after=10 "$test_timeout")

# tap NAME[@PART] COMMAND...: runs a command that prints TAP.  Parts with one name have a log each.  It fails, too, if the
# command prints no test, fewer than its plan (`1..N`) says, or exits with a status that no failed test explains.
tap() {
   local name=${1%@*} line log seen=0 bad=0 plan='' status=1
   log=$base/log/test-${1//[:@ \/]/-}.log
   shift
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
   done < <({ set +e; (set -e; "$@") 2>>"$log" </dev/null; printf '\nexit status %s\n' $?; } | tee -a "$log")
   wait $!     # then its processor time is counted
   if [ "$status" = 124 ] || [ "$status" = 137 ]; then
      fail "$name: killed after $seen tests, for it did not end in $test_timeout s" "$log"
   elif [ "$status" != 0 ] && [ $bad = 0 ]; then
      fail "$name: exit status $status after $seen tests" "$log"
   elif [ -n "$plan" ] && [ "$plan" != $seen ]; then
      fail "$name: $seen tests ran, $plan were planned" "$log"
   elif [ -z "$plan" ] && [ $seen = 0 ]; then
      fail "$name: no test ran" "$log"
   fi
}

# fail NAME LOG: counts a failure, prints it here, and once more at the end of all tests.
fail() {
   failed=$((failed + 1))
   echo "not ok $1 (see $(short "$2"))"
   { echo "-- not ok $1" && log_about "${1#*: }" "$2"; } >>"$build/failures"
}

# log_about TEST LOG: prints the log before and after the test's line; if it has none, the log's end.
log_about() {
   local line
   [ -f "$2" ] || return 0
   line=$(grep -n "^not ok" "$2" | grep -m 1 -F -e "- $1" | cut -d: -f1) || true
   if [ -n "$line" ]; then
      sed -n "$((line > 3 ? line - 3 : 1)),$((line + 6))p" "$2"
   else
      tail -n 6 "$2"
   fi | { grep -v '^ok ' || true; } | cut -c1-240 | sed 's/^/   /'
}

# skip WHAT WHY: skips a whole group that cannot run here.
skip() {
   skipped=$((skipped + 1))
   echo "skipped $1: $2"
}

# group_lint: checks shell scripts with shellcheck, and runs the scripts of tests/lint.
group_lint() {
   tap lint lint_tap
   local name
   for name in $(scripts lint); do run_script "$name"; done
}

lint_tap() {
   cd "$root"
   local file
   # ./dev with all that it sources; its parts are no scripts of their own.
   for file in dev .ci/run tests/build/*.t cmd/completion/dcfg; do
      if shellcheck -s bash -x -a "$file" >&2; then echo "ok - shellcheck $file"; else echo "not ok - shellcheck $file"; fi
   done
}

# prepare NAME: adds the task prepare:NAME, which builds what tests of several groups need, unless it is there.
prepare() {
   [ -z "${task_group[prepare:$1]:-}" ] || return 0
   case $1 in
      tests) add_task prepare tests build_test_programs ;;
      unit) add_task prepare unit make_unit_tests unit ;;
      # One make at a time works in a directory.
      lib) prepare unit; add_task prepare lib make_unit_tests lib; needs prepare:lib prepare:unit ;;
      command) prepare lib; add_task prepare command make_sanitized; needs prepare:command prepare:lib ;;
   esac
}

# make_unit_tests DIR: builds its programs.  With sanitizers, -Og is nearly as fast as -O2, and compiled in a third of the time.  It
# takes more variables for uninitialized than -O2 does, with which all is compiled, too.
make_unit_tests() {
   step "$1-make" "building the tests in tests/$1" make -j"$jobs" -C "$objects/tests/$1" CFLAGS='-Og -Wno-maybe-uninitialized' check
}

# make_sanitized: builds the command with sanitizers, as make_unit_tests builds the library.
make_sanitized() {
   step sanitized-make "building the command with sanitizers" make -j"$jobs" -C "$objects/cmd" CFLAGS="-Og -Wno-maybe-uninitialized" dcfg_sanitized
}

# group_unit: runs Check's programs in tests/unit and tests/lib.  Check writes TAP itself.
group_unit() {
   add_unit_tests "${1:-unit}"
}

# add_unit_tests GROUP: adds a task for each program.
add_unit_tests() {
   local dir program programs
   for dir in unit lib; do
      prepare $dir
      # shellcheck disable=SC2016  # a variable of that Makefile
      programs=$(make -s --no-print-directory -C "$objects/tests/$dir" --eval='programs: ; @echo $(check_PROGRAMS)' programs)
      [ -n "$programs" ] || skip "$dir" "there are none"
      for program in $programs; do
         # These take longer than all others.
         case $1:$program in
            quick:test_trace_enc|quick:test_trace_text|quick:test_loop) continue ;;
            quick:test_lib_input|quick:test_lib_hostile|quick:test_lib_sequence) continue ;;
         esac
         add_task "$1" "$program" unit_test $dir "$program"
         needs "$1:$program" prepare:$dir
      done
   done
}

# unit_test DIR PROGRAM: runs a program.  Tests of the tool's modules free no memory.  The limit of the address sanitizer's
# quarantine saves time: a few MB will do.
unit_test() {
   local leaks=1 fixed=() fork=yes
   [ "$1" != unit ] || leaks=0
   # A process for each test takes longer than the test: its leaks are looked for at its end, in all that it has of its parent.  The
   # tests of the tool's modules limit the process.
   [ "$1" != lib ] || fork=no
   # ThreadSanitizer does not start if the kernel randomizes addresses too widely.
   [ "$2" != test_lib_threads ] || ! setarch -R true 2>/dev/null || fixed=(setarch -R)
   tap "$1:$2" env CK_TAP_LOG_FILE_NAME=- CK_FORK=$fork ASAN_OPTIONS=detect_leaks=$leaks:quarantine_size_mb=16 "${limited[@]}" \
      "${fixed[@]}" "$objects/tests/$1/$2"
}

# vg_regtest_tap DIR ARGS...: runs Valgrind's test runner in a Valgrind tree, and prints TAP.
vg_regtest_tap() {
   local status=0 dir=$1 log
   shift
   cd "$dir"
   log=$(mktemp)
   "${limited[@]}" perl tests/vg_regtest "$@" >"$log" 2>&1 || status=$?
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
   # Print the differences into the log: some readers have only the log.
   local vgtest
   for vgtest in "$@"; do
      case $vgtest in *.vgtest) find -L "${vgtest%.vgtest}".*.diff* -size +0 -exec tail -n +1 {} + 2>/dev/null >&2 || true ;; esac
   done
   rm -f "$log"
}

build_test_programs() {
   prepare_test_tree
   step tests-make "building the test programs" make_test_programs
}

make_test_programs() {
   local tools
   mapfile -t tools < <(tool_programs lackey_insns)
   [ -n "$target" ] || make -j"$jobs" -C "$objects/tests" check-am
   make -C "$objects" "${tools[@]/#/stripped/}"
   # Install the tool, not done by `make install`, where the Valgrind under test finds it.
   install "${tools[@]/#/$objects/stripped/}" "$inst/libexec/valgrind/"
}

# Parts of a run of vg_regtest, which takes its tests one after the other.
regtest_shares=4

group_regtest() {
   local share group=${1:-regtest}
   prepare tests
   add_regtest "$group"
   for share in $(seq $regtest_shares); do needs "$group:regtest-$share" prepare:tests; done
}

# add_regtest GROUP [COMMAND...]: adds the parts of vg_regtest as tasks.
add_regtest() {
   local share group=$1
   shift
   for share in $(seq $regtest_shares); do add_task "$group" "regtest-$share" "$@" regtest "$share"; done
}

# regtest SHARE: runs every regtest_shares-th test.
regtest() {
   local tests
   mapfile -t tests < <(cd "$base" && find -L dcfg/tests -name '*.vgtest' | sort | awk "NR % $regtest_shares + 1 == $1")
   tap "regtest-$version@$1" vg_regtest_tap "$base" \
      --valgrind="$inst/bin/valgrind" --valgrind-lib="$inst/libexec/valgrind" "${tests[@]}"
}

# run_script NAME ARGS...: runs the script tests/NAME.t in an empty directory of its own, with the environment that it needs.
run_script() {
   local name=$1 scratch=$base/scratch/$1 hidden=()
   shift
   hide_debug_info "$name"
   rm -rf "$scratch"
   mkdir -p "$scratch"
   tap "${name%%/*}-$version:${name#*/}" env -C "$scratch" VALGRIND="$inst/bin/valgrind" SRCDIR="$root" BUILDDIR="$objects" \
      DCFG_VALGRIND_VERSION="$version" NEWEST_SOURCE="${newest_source:-}" NEWEST_VALGRIND="$newest_valgrind" NEWEST_LLVM="${newest_llvm:-}" \
      DCFG_COMPILED="$build/compiled" "${hidden[@]}" "${limited[@]}" "$root/tests/$name.t" "$@"
}

# hide_debug_info: runs scripts without libc's debug information, if the kernel allows root to hide it.  Reading that is half
# of Valgrind's work for a short program, a thousand times.  Scripts are exempt that are about its contents or about memory,
# or run programs as users do.
hide_debug_info() {
   local where=/usr/lib/debug
   case $1 in
      lint/*|build/*|arm64/*) return ;;
      tool/callgrind|tool/callgrind_options|tool/crosscheck_real|tool/kcachegrind|tool/life_loads|tool/xray_judges) return ;;
   esac
   hidden=(unshare -m sh -c "mount -t tmpfs none $where && exec \"\$@\"" sh)
   if [ ! -d $where ] || ! "${hidden[@]}" true 2>/dev/null; then hidden=(); fi
}

# scripts DIR...: prints the names of the scripts in these directories below tests/, as cmd/slice/at for tests/cmd/slice/at.t.
scripts() { (cd "$root/tests" && find "$@" -name '*.t' -executable | sed 's/\.t$//' | LC_ALL=C sort); }

# scripts_named WORD: prints the names of the scripts that WORD means: a name or the end of one, as slice/at; a directory.
scripts_named() {
   local word=${1#tests/}
   word=${word%.t} word=${word%/}
   [ -z "$word" ] || scripts . | sed 's,^\./,,' | awk -v word="/$word" '{ n = "/" $0; d = "/" substr($0, 1, length(word) - 1)
      if (substr(n, length(n) - length(word) + 1) == word || d == word && substr(n, length(word) + 1, 1) == "/") print }'
}

group_oracle() { add_scripts oracle; }
group_lib() { add_scripts lib; }
group_tool() { add_scripts tool; }
group_cmd() { add_scripts cmd; }
group_pages() { add_scripts pages; }

add_scripts() {
   local name
   for name in $(scripts "$1"); do add_script "$name"; done
}

# add_script NAME: adds the task of a script, with what it needs.
add_script() {
   local task=${1%%/*}:${1#*/} how=run_script
   prepare tests
   case $1 in
      # Each life has its traces checked on one Valgrind: life_threads.t on the newest, if that is tested.
      tool/life_code|tool/life_ends|tool/life_process) how=run_traced ;;
      tool/life_threads) newest_is_tested || how=run_traced ;;
      # These have sanitizers in their own server, or measure and limit the command.
      cmd/mutants|cmd/hostile) ;;
      # Other scripts use the command, too, but in no way that those of the last line do not.
      cmd/builds|cmd/gdb/*|cmd/export/lcov|cmd/lines|cmd/list|cmd/merge/engines|cmd/omitted|cmd/program/maps) ;;
      cmd/slice/unseen|cmd/slice/why|cmd/terminal|cmd/view/*) ;;
      cmd/*|lib/index|tool/turns) how=run_sanitized ;;
   esac
   add_task "${1%%/*}" "${1#*/}" $how "$1"
   needs "$task" prepare:tests
   case $how:$1 in run_sanitized:*|*:cmd/mutants|*:cmd/hostile) prepare command; needs "$task" prepare:command ;; esac
}

run_traced() { DCFG_TRACE=1 run_script "$1"; }

# run_sanitized NAME: runs a script with the sanitized command.  A small script tells the command where to put
# reports.  A report fails NAME, even if NAME ignores the command's exit status.  Few functions of a stack, and few MB in
# quarantine, save a tenth of the time.
run_sanitized() {
   local dir=$base/sanitized/$1
   rm -rf "$dir"
   mkdir -p "$dir"
   cat >"$dir/dcfg" <<END
#!/bin/sh
ASAN_OPTIONS=log_path='$dir/report':quarantine_size_mb=16:malloc_context_size=5 UBSAN_OPTIONS=abort_on_error=1:print_stacktrace=1 exec '$objects/cmd/dcfg_sanitized' "\$@"
END
   chmod +x "$dir/dcfg"
   DCFG=$dir/dcfg DCFG_FORKS=1 run_script "$1"
   local reports=("$dir"/report.*)
   [ -e "${reports[0]}" ] || return 0
   # The error and its place; a dump of memory follows.
   head -n 7 "${reports[0]}" | cut -c1-200 >"$dir/first"
   fail "${1%%/*}-$version:${1#*/}: sanitizers have nothing to report" "$dir/first"
}

# The scripts for the newest Valgrind are one of each kind.  Kinds are graphs of small programs and of real ones, whole lives with
# all traces, traces, profiles, logs, regions, whole execution traces, the process in these, and what is around a program.  Other
# scripts test what does not depend on Valgrind, or go deeper into a kind; of each kind of life, the regression tests have a program.  Readers of files do
# not depend on who wrote them: all files pass the rules of the format.
again=(crosscheck_small crosscheck_real life_threads trace_options callgrind xray regions wet wet_state surroundings)

add_scripts_again() {
   local name
   for name in "${again[@]}"; do
      add_task newest "$name" with_version "$newest_valgrind" run_script_again "tool/$name"
   done
}

run_script_again() { DCFG_AGAIN=1 DCFG_TRACE=1 DCFG_RUNS=3 run_script "$1"; }

# get_newest_source: unpacks the source of the newest supported Valgrind.  The process ends if it cannot be had, as without a
# network.
get_newest_source() {
   local dir=$build/pristine/valgrind-$newest_valgrind
   [ ! -f "$dir.complete" ] || return 0
   [ -z "${VALGRIND_SRC:-}" ] || exit 1
   unpack_source "$newest_valgrind" "$dir"
   touch "$dir.complete"
}

# newest_is_tested: builds the newest supported Valgrind in the second of the three ways, from a user's tree and without the
# network (in a namespace without one, if the kernel allows that).  Then runs the same tests as on the default one.
newest_is_tested() {
   [[ " $groups " = *" newest "* ]] && [ -n "$newest_source" ] && [ "$newest_valgrind" != "$version" ]
}

group_newest() {
   [ -n "$newest_source" ] || { skip newest "no source of Valgrind $newest_valgrind"; return; }
   [ "$newest_valgrind" != "$version" ] || { skip newest "Valgrind $version is the one already tested"; return; }
   prepare tests
   add_task newest build build_newest
   # The build takes the results of configure.
   needs newest:build prepare:tests
   after_task newest:build add_newest_tests
}

build_newest() {
   local offline=() before after pattern=''
   ! unshare -n true 2>/dev/null || offline=(unshare -n)
   before=$(tree_state "$newest_source")
   # Reuse what configure found out about this machine for the default build, by Autoconf's config.site; not its arguments,
   # nor Valgrind's own results, such as the number of architectures.
   sed -n '/^ac_cv_env_/d; /^ac_cv_/p' "$valgrind_tree/config.cache" >"$build/config.site" || true
   # Variables of the tool that are not set have a pattern, so that a program which reads one goes wrong here.
   ! cc -ftrivial-auto-var-init=pattern -E -x c /dev/null >/dev/null 2>&1 || pattern=-ftrivial-auto-var-init=pattern
   # Half of the processors, because tests are running.  nproc reads the first variable.  With -O1, tests take a little
   # longer, and compiling takes half as long.  -O2, with which the tool is compiled for the default Valgrind, takes more
   # variables for initialized.
   if ! OMP_NUM_THREADS=$(((jobs + 1) / 2)) CFLAGS='-O1 -g0 -Wno-maybe-uninitialized' COLD_CFLAGS=-O0 TOOL_CFLAGS=$pattern \
      CONFIG_SITE=$build/config.site DCFG_VALGRIND_VERSION=$newest_valgrind VALGRIND_SRC=$newest_source "${offline[@]}" "$root/dev" build; then
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
   with_version "$newest_valgrind" build_test_programs
   touch "$build/newest_is_built"
}

add_newest_tests() {
   if [ -f "$build/newest_is_built" ]; then
      add_regtest newest with_version "$newest_valgrind"
      add_scripts_again
   fi
}

tree_state() { (cd "$1" && find . -printf '%p %y %s %T@\n' | sort | sha256sum); }

# with_version V COMMAND...: runs the command with another built Valgrind.
with_version() {
   # shellcheck disable=SC2034  # choose_base uses it
   local DCFG_VALGRIND_VERSION=$1 version=$1 base inst objects
   choose_base
   shift
   "$@"
}

# group_build: tests building, installing and registering, on the default and the newest Valgrind.  The scripts wait until that
# one is built, because each ./dev waits for those that are running; same.t runs none.  again.t builds anew what the others
# use.
group_build() {
   local name
   for name in $(scripts build); do add_build_script "$name"; done
}

add_build_script() {
   local task=${1/\//:}
   prepare tests
   case $1 in
      build/again) add_task_alone build again run_script "$1" ;;
      *) add_task build "${1#*/}" run_script "$1" ;;
   esac
   needs "$task" prepare:tests
   [ -z "${task_group[newest:build]:-}" ] || [ "$1" = build/same ] || needs "$task" newest:build
}

# group_quick: runs all that is fast, and each output once against its oracle: a minute.  The test of the trace covers the
# graph.
group_quick() {
   add_task quick lint group_lint
   add_unit_tests quick
   group_regtest quick
   add_task quick graph-and-trace run_script tool/trace_real ls
   add_task quick profile run_script tool/callgrind longjmp
   add_task quick command run_script cmd/command
   needs quick:graph-and-trace prepare:tests
   needs quick:profile prepare:tests
   needs quick:command prepare:tests
}

# closing_line: prints the last line, and the failures before it; also if a step of a build failed.
closing_line() {
   if [ "$stage" != done ]; then
      failed=$((failed + 1))
      echo "not ok stopped${stage:+ in $stage}"
   fi
   # The end of the output must say what failed and why: some readers have no more.
   if [ $failed -le 20 ]; then cat "$build/failures"; else grep -m 60 '^-- not ok' "$build/failures"; fi
   # The last line must come, whatever fails here.
   (tell_machine) 2>/dev/null </dev/null || true
   [ -z "$programs_run" ] || echo "programs for $programs_run were run"
   echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
   [ $failed = 0 ] || exit 1
}

# begin_tests: removes what an earlier run collected: failures, and programs that tests share.  The closing line is printed
# at the end, however that comes.
begin_tests() {
   stage='' programs_run=''
   mkdir -p "$build"
   rm -rf "$build/compiled" "$build/newest_is_built"
   mkdir "$build/compiled"
   : >"$build/failures"
   trap closing_line EXIT
}

# get_test_things: gets what the groups need beside the tool: packages and, meanwhile, the newest Valgrind's source; the newest LLVM.
# Sets newest_source to the source's directory; to nothing if there is none.
get_test_things() {
   local getting=''
   case " $wanted " in *" newest "*|*" build "*)
      (trap - EXIT; get_newest_source) &
      getting=$! ;;
   esac
   need_packages "${test_packages[@]}"
   newest_source=
   if [ -n "$getting" ] && wait $getting; then newest_source=$build/pristine/valgrind-$newest_valgrind; fi
   case " $wanted " in *" tool "*|*" newest "*) get_newest_llvm ;; esac
}

# choose_tests WORD...: sets groups; names, of scripts that are wanted besides; and wanted, the groups of all.
choose_tests() {
   local word found
   groups='' names=''
   [ $# != 0 ] || groups=$all_groups
   for word; do
      case " $all_groups quick " in *" $word "*) groups+=" $word"; continue ;; esac
      found=$(scripts_named "$word")
      # shellcheck disable=SC2086  # all_groups is a list of words
      [ -n "$found" ] || die "no group of tests and no script is named $word; groups are $all_groups, and quick, which has some of each$(
         did_you_mean "$word" $all_groups quick)"
      names+=" ${found//$'\n'/ }"
   done
   wanted=$groups
   for word in $names; do wanted+=" ${word%%/*}"; done
}

run_tests() {
   local group groups names name wanted
   choose_tests "$@"
   begin_tests
   build_all get_test_things
   # Lint and unit tests run no program under the tool.
   [[ ! " $wanted " =~ \ (regtest|lib|tool|cmd|pages|newest|build|quick)\  ]] || programs_run=${architectures// / and }
   # A second time, for what failed beside the build.
   get_test_things
   # In this order: later groups depend on earlier ones' tasks.
   for group in $all_groups quick; do
      [[ " $groups " = *" $group "* ]] || continue
      stage="the preparation of group $group"
      if [ "$group" = lint ]; then add_task lint lint group_lint; else "group_$group"; fi
   done
   for name in $names; do
      case $name in
         lint/*) add_task lint "${name#*/}" run_script "$name" ;;
         build/*) add_build_script "$name" ;;
         *) add_script "$name" ;;
      esac
   done
   stage='the tests'
   run_pool
   stage=done
}
