#!/usr/bin/python3
"""--trace-turns=yes: each turn's instructions and edges against the trace, with threads, signals, fork and other outputs;
and the order against the real order of the run.  (TAP)
"""
import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
from commandlib import command

# Two threads hand a byte to one another; then signals come in the middle of loops; then a child continues alone.
PROGRAM = r"""
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 25
static int there[2], back[2];
static volatile sig_atomic_t signals;
static volatile unsigned cell;

static void handler(int s) { signals += s; }
__attribute__((noinline)) void ping(void) { cell++; }
__attribute__((noinline)) void pong(void) { cell += 2; }

static void* other(void* arg)
{
   char c;
   for (int i = 0; i < ROUNDS; i++) {
      if (read(there[0], &c, 1) != 1) return NULL;
      pong();
      if (write(back[1], &c, 1) != 1) return NULL;
   }
   return arg;
}

static void* busy(void* arg)
{
   for (unsigned i = 0; i < 120000; i++)
      cell += i;
   return arg;
}

int main(int argc, char** argv)
{
   pthread_t a, b;
   char c = 0, s[100], t[100];
   struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };

   sigaction(SIGUSR1, &sa, NULL);
   if (pipe(there) != 0 || pipe(back) != 0) return 1;
   pthread_create(&a, NULL, other, NULL);
   for (int i = 0; i < ROUNDS; i++) {
      ping();
      if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 1;
   }
   pthread_join(a, NULL);
   pthread_create(&a, NULL, busy, NULL);
   pthread_create(&b, NULL, busy, NULL);
   for (int i = 0; i < 20; i++) {
      pthread_kill(i % 2 ? a : b, SIGUSR1);
      memset(s, i, sizeof s);
      __asm__ volatile("rep movsb" : : "S"(s), "D"(t), "c"(sizeof s) : "memory");
      cell += t[5];
   }
   pthread_join(a, NULL);
   pthread_join(b, NULL);
   raise(SIGUSR1);
   if (argc > 1 && fork() == 0) { ping(); return argv == NULL; }
   wait(NULL);
   pthread_create(&a, NULL, busy, NULL);
   return 0;                    /* while it runs */
}
"""


def read_turns(path):
    """Returns the rows; None if the file has no turns."""
    try:
        with open(path) as f:
            rows = json.load(f)
    except (OSError, ValueError):
        return None
    good = isinstance(rows, list) and all(
        isinstance(r, list) and len(r) == 3 and all(isinstance(n, int) and n >= 0 for n in r) for r in rows)
    return rows if good else None


def wrong_turns(graph, trace, rows):
    """Return the disagreements with the trace."""
    with open(graph) as f:
        data = json.load(f)["PROCESSES"][1][1]
    status, out, err = command("trace", "--csv", graph, trace)
    if status and not (data["INSTR_COUNT"] == 0 and "has nothing of process" in err):
        return [err]
    instrs = {b[0]: b[3] for im in data["IMAGES"][1:] for b in im[3].get("BASIC_BLOCKS", [[]])[1:]}
    after = {}                  # by thread: for each edge, the instructions executed up to the end of its source
    for thread, before, source in commandlib.numbers(out, "thread", "instruction", "from_node_id"):
        after.setdefault(thread, []).append(before + instrs.get(source, 0))
    wrong, sums = [], {t: [0, 0] for t in after}
    for k, (t, n, e) in enumerate(rows):
        if k and rows[k - 1][0] == t:
            wrong.append("turn %d: of the same thread as the one before" % k)
        if t not in sums:
            wrong.append("turn %d: there is no thread %d" % (k, t))
            continue
        s, last = sums[t], t not in {r[0] for r in rows[k + 1:]}
        s[0] += n
        s[1] += e
        # All edges whose sources have ended, and no other.
        if s[1] > len(after[t]) or s[1] and after[t][s[1] - 1] > s[0] or s[1] < len(after[t]) and (after[t][s[1]] <= s[0] or last):
            wrong.append("turn %d: %d instructions of thread %d so far, and %d edges" % (k, s[0], t, s[1]))
    for t, total in enumerate(data["INSTR_COUNT_PER_THREAD"]):
        if sums.get(t, [0, 0]) != [total, len(after.get(t, []))]:
            wrong.append("thread %d: %s, the trace has %s" % (t, sums.get(t), [total, len(after.get(t, []))]))
    return wrong


def run(tap, name, program, *options):
    """Records; returns (graph, trace, turns) of the process itself, and its messages."""
    trace = tap.path(name + ".trace.json")
    graph, _, why = harness.dcfg(tap, name, [program], ["--trace=yes", "--trace-out-file=" + trace, *options])
    return graph, trace, trace + ".turns", why


def check_program(tap, name, program, *options):
    graph, trace, turns, why = run(tap, name, program, "--trace-turns=yes", *options)
    rows = read_turns(turns)
    if not tap.ok(graph and rows, name + ": turns are written", why):
        return None
    wrong = wrong_turns(graph, trace, rows)
    tap.ok(not wrong, name + ": turns agree with the trace", "\n".join(wrong[:10]))
    return graph, trace, rows


def check_order(tap, graph, trace, rows):
    """Calls of ping() and pong() alternate, by the edges of each turn."""
    with open(graph) as f:
        data = json.load(f)["PROCESSES"][1][1]
    entry = {}
    for im in data["IMAGES"][1:]:
        names = {s[1]: s[0] for s in im[3].get("SYMBOLS", [[]])[1:]}
        entry.update({b[0]: names[b[1]] for b in im[3].get("BASIC_BLOCKS", [[]])[1:] if names.get(b[1]) in ("ping", "pong")})
    threads = {}
    for thread, node in commandlib.numbers(command("trace", "--csv", graph, trace)[1], "thread", "to_node_id"):
        threads.setdefault(thread, []).append(node)
    said, at = [], dict.fromkeys(threads, 0)
    for t, _, e in rows:
        said += [entry[n] for n in threads[t][at[t]:at[t] + e] if n in entry]
        at[t] += e
    tap.ok(said == ["ping", "pong"] * 25, "the order is that of the program", said)


def check_fork(tap, program):
    trace = tap.path("child.%p.trace")
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--trace-children=yes", "--trace=yes", "--trace-turns=yes",
                 "--dcfg-out-file=" + tap.path("child.%p.json"), "--trace-out-file=" + trace, program, "fork"], tap.dir)
    found = sorted(glob.glob(tap.path("child.*.trace.turns")))
    wrong = []
    for path in found:
        base = path[:-len(".turns")]
        wrong += wrong_turns(base[:-len(".trace")] + ".json", base, read_turns(path) or [])
    tap.ok(len(found) == 2 and not wrong, "a forked child has turns of its own", "%s %s" % (found, wrong[:5]))


# Threads that ask for parts, some of them empty, while others run.
PARTS = r"""
#include <pthread.h>
#include <signal.h>
#include <valgrind/callgrind.h>
#include <valgrind/dcfg.h>

static volatile unsigned cell;
static void handler(int s) { cell += s; }

__attribute__((noinline)) void some(unsigned n) { for (unsigned i = 0; i < n; i++) cell += i; }

static void* work(void* arg)
{
   for (int i = 0; i < 4; i++) {
      some(5000);
      if (i == 1 && arg == NULL)
         CALLGRIND_DUMP_STATS;
      if (i == 2 && arg != NULL)
         CALLGRIND_ZERO_STATS;
   }
   return arg;
}

int main(int argc, char** argv)
{
   pthread_t a, b;

   signal(SIGUSR1, handler);
   some(100);
   CALLGRIND_DUMP_STATS;
   CALLGRIND_DUMP_STATS;
   pthread_create(&a, NULL, work, NULL);
   pthread_create(&b, NULL, work, argv);
   raise(SIGUSR1);
   some(8000);
   CALLGRIND_TOGGLE_COLLECT;
   some(9000);
   CALLGRIND_TOGGLE_COLLECT;
   pthread_join(a, NULL);
   CALLGRIND_DUMP_STATS;
   CALLGRIND_STOP_INSTRUMENTATION;
   some(10);
   CALLGRIND_START_INSTRUMENTATION;
   pthread_join(b, NULL);
   return 0;
}
"""


def check_parts(tap):
    """Turns of each part, and together with other ways of collecting."""
    source = tap.path("parts.c")
    with open(source, "w") as f:
        f.write(PARTS)
    program = harness.cc(tap, source, "parts", "-pthread", "-I" + os.path.join(os.path.dirname(harness.VALGRIND), os.pardir, "include"))
    for name, options in (("parts", []), ("regions", ["--start=some:2", "--stop=some:7", "--start=some:9", "--stop=some:12"]),
                          ("asked", ["--instr-atstart=no"]), ("toggled", ["--toggle-collect=some"]),
                          ("work", ["--toggle-collect=work"]),
                          ("numbers", ["--start=instructions:120000", "--stop=instructions:400000"])):
        trace = tap.path(name + ".trace.json")
        harness.dcfg(tap, name, [program], ["--trace=yes", "--trace-turns=yes", "--trace-out-file=" + trace, *options])
        found = sorted(glob.glob(tap.path(name + "*.turns*")))
        with open(tap.path(name + ".log")) as f:
            said = f.read()
        wrong = ["an error is told"] if "internal error" in said else []
        for path in found:
            part = path[len(tap.path(name + ".trace")):].replace(".turns", "").replace(".json", "")
            base = part.strip(".")
            graph = tap.path(name + ".dcfg" + ("." + base if base else "") + ".json")
            trace = tap.path(name + ".trace" + ("." + base if base else "") + ".json")
            wrong += ["%s: %s" % (os.path.basename(path), w) for w in wrong_turns(graph, trace, read_turns(path))]
        tap.ok(len(found) == 5 and not wrong, name + ": turns of each part agree with its trace",
               "%s\n%s\n%s" % (found, "\n".join(wrong[:9]), said[-1500:]))


def check_refused(tap):
    for what, options in (("without a trace", ["--trace-turns=yes"]),
                          ("of some threads", ["--trace=yes", "--trace-turns=yes", "--trace-threads=0"])):
        path, status, why = harness.dcfg(tap, "refused", ["/bin/true"], options)
        tap.ok(path is None and status == 1 and "--trace-turns=yes needs " in why, "refused: " + what, why)


def main():
    tap = harness.Tap("turns")
    if not os.path.exists(commandlib.DCFG):
        tap.skip("turns of threads", "the command dcfg was not built")
        tap.done()
    source = tap.path("program.c")
    with open(source, "w") as f:
        f.write(PROGRAM)
    program = harness.cc(tap, source, "program", "-pthread")
    found = check_program(tap, "program", program)
    if found:
        check_order(tap, *found)
    check_program(tap, "all", program, "--callgrind=yes", "--callgrind-out-file=" + tap.path("profile"), "--xray=yes",
                  "--xray-out-file=" + tap.path("log"), "--fair-sched=yes")
    found = check_program(tap, "alone", "/bin/true")
    tap.ok(found and len(found[2]) == 1, "one thread has one turn")
    check_fork(tap, program)
    check_parts(tap)
    check_refused(tap)
    graph, trace, turns, why = run(tap, "off", "/bin/true")
    tap.ok(graph and not os.path.exists(turns), "without the option there is no such file", why)
    tap.done()


if __name__ == "__main__":
    main()
