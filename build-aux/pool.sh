# shellcheck shell=bash
# Part of ./dev: the pool that runs the tests.
#
# Two more tasks run at a time than there are processors.  Tasks that others need begin first, then the longest ones, so that no
# long one is left at the end.
# A task belongs to a group and is a command of build-aux/test.sh.  It runs in a subshell, where it counts for itself.  Its
# output and its counts come back in files at its end, so that no two reports are mixed.  build/durations has how long each
# took; tests/durations has it for tasks that have not run here yet.  The unit is seconds of processor time, which are the
# same beside other load.

# shellcheck disable=SC2030,SC2031  # each counts for itself

declare -A task_command=() task_group=() task_needs=() task_is_needed=() task_after=() task_seconds=() task_start=() task_of_pid=()
declare -A task_is_done=() group_left=() group_work=()
all_work=0
waiting=() waiting_alone=()

# add_task GROUP NAME COMMAND...: adds the task GROUP:NAME.  The command is a list of words without blanks.
add_task() {
   add_to waiting "$@"
}

# add_task_alone GROUP NAME COMMAND...: adds a task that runs beside no other task, and after all those that may.
add_task_alone() {
   add_to waiting_alone "$@"
}

add_to() {
   local -n queue=$1
   local name=$2:$3
   queue+=("$name")
   task_group[$name]=$2
   group_left[$2]=$((${group_left[$2]:-0} + 1))
   shift 3
   task_command[$name]=$*
}

# needs GROUP:NAME TASK...: makes the task wait for these, GROUP:NAME each.  It fails if one of them stops.
needs() {
   local task
   task_needs[$1]+=" ${*:2}"
   for task in "${@:2}"; do task_is_needed[$task]=1; done
}

# after_task GROUP:NAME COMMAND...: runs the command here at the task's end; it may add tasks.
after_task() { task_after[$1]=${*:2}; }

read_durations() {
   local file name seconds
   for file in "$root/tests/durations" "$build/durations"; do
      [ -f "$file" ] || continue
      while read -r name seconds; do
         case $name in ''|'#'*) ;; *) task_seconds[$name]=$seconds ;; esac
      done <"$file"
   done
}

write_durations() {
   local name
   for name in "${!task_seconds[@]}"; do echo "$name ${task_seconds[$name]}"; done | sort >"$build/durations.new"
   mv "$build/durations.new" "$build/durations"
}

# is_ready TASK: succeeds if all that it needs is done.
is_ready() {
   local task
   for task in ${task_needs[$1]:-}; do [ -n "${task_is_done[$task]:-}" ] || return 1; done
}

# take_first: takes the waiting task that is to begin first, to next; fails if none can begin.  A task that never ran may be
# long.
take_first() {
   local i first='' most=-1 seconds
   for i in "${!waiting[@]}"; do
      is_ready "${waiting[i]}" || continue
      seconds=${task_seconds[${waiting[i]}]:-1000}
      [ -z "${task_is_needed[${waiting[i]}]:-}${task_after[${waiting[i]}]:-}" ] || seconds=$((seconds + 100000))
      if [ "$seconds" -gt "$most" ]; then most=$seconds first=$i; fi
   done
   [ -n "$first" ] || return 1
   next=${waiting[first]}
   unset "waiting[first]"
}

start_task() {
   local report=$reports/${1//[:\/]/-}
   task_start[$1]=$SECONDS
   {
      trap - EXIT
      passed=0 failed=0 skipped=0
      # shellcheck disable=SC2086  # a list of words
      ${task_command[$1]}
      times >"$report.times"
      echo "$passed $failed $skipped $(work_of "$report.times")" >"$report.counts"
   } >"$report" 2>&1 &
   task_of_pid[$!]=$1
}

# work_of FILE: prints the sum of the times that `times` printed, XmY.ZZs, in seconds.
work_of() { tr ' s' '\n ' <"$1" | awk -F m 'NF == 2 { sum += 60 * $1 + $2 } END { printf "%.0f", sum }'; }

end_task() {
   local report=$reports/${1//[:\/]/-} group=${task_group[$1]} p f s work=0
   local seconds=$((SECONDS - task_start[$1]))
   cat "$report"
   if [ -f "$report.counts" ] && read -r p f s work <"$report.counts"; then
      passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
      task_is_done[$1]=1
   else
      fail "$1: it stopped without a report" "$report"
   fi
   task_seconds[$1]=$work
   echo "-- $1: $seconds s, $work s of processor"
   # shellcheck disable=SC2086  # a list of words
   ${task_after[$1]:-}
   group_left[$group]=$((group_left[$group] - 1))
   group_work[$group]=$((${group_work[$group]:-0} + work))
   all_work=$((all_work + work))
   [ "${group_left[$group]}" != 0 ] ||
      echo "-- group $group: ${group_work[$group]} s of processor, $SECONDS s since the beginning"
}

# run_pool: runs the tasks, and those added meanwhile.
run_pool() {
   local pid next reports=$build/reports
   rm -rf "$reports"
   mkdir -p "$reports"
   read_durations
   while :; do
      # Two more than there are processors, because many tests often wait.
      while [ ${#task_of_pid[@]} -le $((jobs + 1)) ] && take_first; do start_task "$next"; done
      if [ ${#task_of_pid[@]} = 0 ]; then
         [ ${#waiting_alone[@]} != 0 ] || break
         start_task "${waiting_alone[0]}"
         waiting_alone=("${waiting_alone[@]:1}")
      fi
      wait -n -p pid "${!task_of_pid[@]}" || true
      next=${task_of_pid[$pid]}
      unset "task_of_pid[$pid]"
      end_task "$next"
   done
   for next in "${waiting[@]}"; do fail "$next: it did not run, for it needs${task_needs[$next]}" "$build/log"; done
   write_durations
   echo "-- all groups: $all_work s of processor, $SECONDS s"
}
