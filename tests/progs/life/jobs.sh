# Jobs, traps, subshells, substitutions and pipes, for the bash that runs under the tool.
trap 'caught=$((caught + 1))' USR1
trap 'echo "end $caught $total"' EXIT
caught=0 total=0
for i in 1 2 3; do
   (kill -USR1 $$; exit "$i") &
   wait $!
   status=$?
   # The trap may have ended the wait.
   while kill -0 $! 2>/dev/null; do wait $!; status=$?; done
   [ "$status" -gt 128 ] && { wait $!; status=$?; }
   total=$((total + $(echo "$i" | sed 's/$/0/')))
done
sleep 30 &
kill %%
wait %% 2>/dev/null
while read -r line; do total=$((total + line)); done < <(printf '1\n2\n')
(trap - EXIT; kill -TERM "$BASHPID")
exit 0
