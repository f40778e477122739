#!/usr/bin/python3
"""Registers and memory of dcfg gdb, step by step, beside Valgrind's own gdbserver.  (TAP)

Small programs (tests/progs/gdb/steps.c) are recorded and stepped through with tests/oracle/gdb_lockstep.py, some steps in each
function.  All that both servers have must agree, or be said to be unavailable; at most 1 % may be.  Programs that this machine
cannot run or compile are skipped by name.  In the same recordings: stops for signals, and gdb's view of thread-local variables and
of a 32-bit program.  DCFG_SLOW=1: fourteen programs from main() to the end.  The
arguments are names of programs.
"""
import ctypes
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import gdb_remote
import gdblib
import harness
import regionlib
import cpuinfo

SOURCE = os.path.join(harness.SRCDIR, "tests", "progs", "gdb", "steps.c")
NO_RANDOM_ADDRESSES = 0x0040000         # ADDR_NO_RANDOMIZE of personality(2)
STATIC = ["-static", "-no-pie"]
ALL = "plain,requests,recursion,jumps,signals,handler,rep,flags,x87"
# (name, function, flags of the compiler, functions where steps begin, steps in each)
PROGRAMS = (
    ("static", "all", [*STATIC, "-O1"], ALL, 110),
    ("pie", "dynamic", ["-O2", "-pie", "-fPIE"], "plain,threads,thread", 110),
    ("avx2", "avx2", [*STATIC, "-O2"], "avx2", 90),
    ("bits32", "all", [*STATIC, "-O1", "-m32"], ALL, 110),
)
# Likewise, from main() on, most of them to the end.  Valgrind's BT changes memory below the stack, which the trace does not have.
WHOLE = (
    ("static", "plain", [*STATIC, "-O1"]),
    ("pie", "plain", ["-O2", "-pie", "-fPIE"]),
    ("threads", "threads", ["-O1"], "main", 5000),
    ("recursion", "recursion", [*STATIC, "-O0"]),
    ("longjmp", "jumps", ["-O1"]),
    ("signals", "signals", [*STATIC, "-O1"]),
    ("rep", "rep", [*STATIC, "-O1"]),
    ("flags", "flags", [*STATIC, "-O1"], "main", 600),
    ("avx2", "avx2", [*STATIC, "-O2"]),
    ("x87", "x87", [*STATIC, "-O1"]),
    ("plain_bits32", "plain", ["-O2", "-m32"], "main", 10000),
    ("signals_bits32", "signals", [*STATIC, "-O1", "-m32"]),
    ("flags_bits32", "flags", [*STATIC, "-O1", "-m32"], "main", 600),
    ("x87_bits32", "x87", [*STATIC, "-O1", "-m32"]),
)

# Valgrind places the stack of 32-bit programs below its own.
same_addresses = ctypes.CDLL(None).personality(NO_RANDOM_ADDRESSES) != -1


def missing(name):
    if name == "avx2" and not cpuinfo.has("avx2", "bmi1", "bmi2", "abm"):
        return "this processor has no AVX2 or BMI"
    if "bits32" in name and not same_addresses:
        return "addresses differ from run to run"
    return harness.lacks_x86() if "bits32" in name else None


def check(tap, name, function, flags, begins="main", steps=10000000):
    why = missing(name)
    if why:
        tap.skip(name, why)
        return
    prog = harness.cc(tap, SOURCE, name, "-DPROGRAM=" + function, "-pthread", "-I" + regionlib.INCLUDE, *flags)
    wet = prog and harness.record_wet(tap, name, [prog])
    if not wet:
        return
    status, text = harness.oracle("gdb_lockstep.py", "--from=" + begins, wet, str(steps), prog)
    unknown = re.findall(r"^(all registers|memory): [1-9]\d* agree, .*unavailable \(([\d.]+) %\)", text, re.M)
    tap.ok(status == 0 and len(unknown) == 2, name + ": as Valgrind's own gdbserver has it", text)
    tap.ok(all(float(share) <= 1 for _, share in unknown), "%s: unavailable: %s" % (name, ", ".join("%s %s %%" % u for u in unknown)),
           text)
    if not os.environ.get("DCFG_SLOW"):
        check_sessions(tap, name, prog, wet)


def stops(r, packet):
    """The signal and the time of each stop until the end of the recording."""
    found = []
    while True:
        reply = r.ask(packet)
        if "replaylog" in reply or len(found) > 100:
            return found
        found.append((int(reply[1:3], 16), int(re.match("time ([0-9,]+)", r.monitor("when"))[1].replace(",", ""))))


def check_signals(tap, wet, prog):
    """signals() raises SIGUSR1, whose handler raises SIGUSR2, four times.  gdb has the numbers 30 and 31."""
    r = gdblib.serve(wet)
    tap.ok(not stops(r, "c"), "signals: a client that does not know of them gets none")
    for passes, want in (("", [30, 31] * 4), ("1e", [31] * 4), ("1e;1f", []), ("1;2;1f", [30] * 4)):
        tap.ok(r.ask("QPassSignals:" + passes) == "OK", "signals: a list, %r" % passes)
        r.monitor("goto 0")
        r.ask("s")
        forward, backward = stops(r, "c"), stops(r, "bc")
        tap.ok([n for n, _ in forward] == want and backward == forward[::-1], "signals: %d stops, and backward" % len(want),
               (forward, backward))
        if len(want) == 8:
            times = [t for _, t in forward]
    # Each stop is at a handler's first instruction; a breakpoint there is met instead.
    tap.ok(r.ask("Z0,%x,1" % gdb_remote.symbols(prog)["handler"]) == "OK", "signals: a breakpoint")
    r.ask("QPassSignals:")
    r.monitor("goto 0")
    r.ask("s")
    met = []
    while "replaylog" not in (reply := r.ask("c")) and len(met) < 100:
        met.append(("swbreak" in reply, int(re.match("time ([0-9,]+)", r.monitor("when"))[1].replace(",", ""))))
        r.ask("s")
    tap.ok(met == [(True, t) for t in times], "signals: it stops at the same times", (met, times))
    tap.ok(r.ask("QPassSignals:zz") == r.ask("QPassSignals:1;;2") == "E01", "signals: a list that is none")
    tap.ok(r.close()[0] == 0, "signals: the server ends")


def check_handle(tap, wet):
    """gdb's own commands."""
    text = gdblib.gdb(wet, "continue", "frame", "continue", "reverse-continue", "handle SIGUSR1 nostop noprint", "continue", "continue",
                      "handle SIGUSR2 nostop", "continue")
    tap.ok(re.findall("received signal (SIG[A-Z0-9]+)", text) == ["SIGUSR1", "SIGUSR2", "SIGUSR1"] + ["SIGUSR2"] * 4
           and "#0  handler (s=10" in text, "gdb stops for signals, as handle says", text)


def line_of(text):
    """The number of the first line of the source that has TEXT."""
    with open(SOURCE) as f:
        return next(n for n, line in enumerate(f, 1) if text in line)


def check_storage(tap, wet):
    """Thread-local variables of the main thread and of two others."""
    end = "break %d" % line_of("wide_own = own;")
    text = gdblib.gdb(wet, end, "continue", "print own", "thread apply 1 -q print wide_own", "continue", "print own", "print wide_own",
                      "reverse-continue", "print own", "print &own != (int*)0 && $fs_base != 0")
    values = re.findall(r"^\$\d+ = (-?\d+)", text, re.M)
    # In thread(): 3, and 0 to 19 times 3 or 5.  In plain(): 3 and the length of the text.
    tap.ok(values == ["573", "20", "953", "5", "573", "1"], "gdb finds thread-local variables", text)


def check_bits32(tap, wet):
    text = gdblib.gdb(wet, "break ackermann if n == 3", "continue", "bt 2", "print $esp != 0 && $st0 == 0", "delete", "watch seen", "continue",
                      "reverse-continue")
    tap.ok(re.search(r"Breakpoint 1, ackermann \(m=2, n=(n@entry=)?3\)", text) and "#1 " in text and "= 1" in text
           and len(re.findall("Old value = ", text)) >= 2, "gdb shows a 32-bit program", text)


def check_sessions(tap, name, prog, wet):
    if name == "static":
        check_signals(tap, wet, prog)
    if not shutil.which("gdb"):
        tap.skip(name + ": sessions", "gdb is not there")
    elif name == "static":
        check_handle(tap, wet)
    elif name == "pie":
        check_storage(tap, wet)
    elif name == "bits32":
        check_bits32(tap, wet)


def main():
    tap = harness.Tap("gdb_steps")
    for program in WHOLE if os.environ.get("DCFG_SLOW") else PROGRAMS:
        if not sys.argv[1:] or program[0] in sys.argv[1:]:
            check(tap, *program)
    tap.done()


main()
