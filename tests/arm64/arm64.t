#!/usr/bin/python3
"""arm64, in the emulated machine: graph and trace against Lackey, profiles against Callgrind, and every rule; and whole
execution traces.  (TAP)

    arm64.t [PART...]           of: small logs record real wet slices usage gdb profiles

The parts about whole execution traces: `wet` has the example of WET's document, and accesses, data and control of small
programs, against Lackey and slow models.  `usage` checks what each instruction uses, defines and computes, against the
emulated processor and Capstone.  `slices` checks that slices have the faulty lines of programs with a planted error.  `gdb`
compares dcfg gdb with Valgrind's own gdbserver, step by step, and with registers that a program stores itself.  `record`
compares recorded runs with their replays, byte for byte.

./dev arm64 test runs it.  The machine (build-aux/arm64_machine.py) runs programs, and this machine reads their files.
harness.py and the suite's tests are told so, and are otherwise the same as for amd64.

Environment, beside VALGRIND, SRCDIR and BUILDDIR: ARM64_MACHINE, the machine's directory; ARM64_CC, the cross compiler;
ARM64_COMMAND, this machine's `dcfg`.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
import types

sys.dont_write_bytecode = True
SRCDIR = os.environ["SRCDIR"]
MACHINE = os.environ["ARM64_MACHINE"]
sys.path[:0] = [os.path.join(SRCDIR, "tests", "kit"), os.path.join(SRCDIR, "build-aux")]
# The oracles look for files of the machine's disk below this directory: see file_of_image().
os.environ["DCFG_ROOT"] = os.path.join(MACHINE, "root")
import arm64_machine
import commandlib
import gdb_remote
import harness
import tracelib

PROGS = os.path.join(SRCDIR, "tests", "progs")
INST = os.path.dirname(os.path.dirname(harness.VALGRIND))
HERE = os.path.dirname(os.path.dirname(os.environ["ARM64_COMMAND"]))
# This machine's command, and its library, read the files.
os.environ["DCFG"] = os.environ["ARM64_COMMAND"]
import gdb_lockstep
import buglib
import libc_objects
import profilelib
import reclib
import replaylib
import slicelib
import usagelib
import wetlib
import xray_rules

PERL, PYTHON = profilelib.PERL, profilelib.PYTHON

# Real programs, whose output is dropped.  Jumps of profiles are not compared: Callgrind leaves out those of code that it
# skips, and those that it takes for returns.
REAL = (("ls", ["/bin/ls", "-l", "/usr/lib"]), ("bzip2", ["/bin/bzip2", "-1c", "/etc/passwd"]),
        ("perl", ["/usr/bin/perl", "-e", PERL]), ("python3", ["/usr/bin/python3", "-S", "-P", "-c", PYTHON]))

# A command with a pipe ($1), which is copied to a file ($2).  The copying ends even if nobody opens the pipe.
THROUGH_PIPE = """mkfifo "$1" && { cat "$1" >"$2" & }
pipe=$1
shift 2
"$@"
status=$?
: <>"$pipe"
wait
rm "$pipe"
exit $status"""


class Remote:
    """Functions of harness.py for programs of this machine, run in the emulated one."""

    def __init__(self, tap, machine, fallback):
        self.tap, self.machine = tap, machine
        harness.run, harness.lackey_into, usagelib.run_into = self.run, self.lackey_into, self.run_into
        # Stores that did not run are not looked for here, and in cache.c the faulty line is that of such a store.
        buglib.MISSED = dict(buglib.MISSED, cache=buglib.BUILDS[:1])
        slicelib.record = self.record
        slicelib.OPTIONS = ["--root=" + os.environ["DCFG_ROOT"]]
        commandlib.DCFG = commandlib.PLAIN = os.environ["DCFG"]
        usagelib.OBJDUMP, usagelib.TRIALS = "aarch64-linux-gnu-objdump", "2"
        harness.LACKEY, harness.MACHINE = "lackey_insns", machine
        harness.TIMEOUT = 5400
        # Callgrind knows the resolver by its code, on amd64 and x86 only; here it would take it for a function that never
        # returns.  So all functions are bound at the start.
        harness.ENV = dict(harness.ENV, LD_BIND_NOW="1", VALGRIND_OPTS="--sim-hints=fallback-llsc" if fallback else "")

    def run_into(self, path, argv):
        return self.machine.run(argv, self.tap.dir, harness.ENV, out=path, timeout=harness.TIMEOUT)

    def run(self, argv, cwd, env=None):
        """Standard error goes to a file: the size of python3's buffers depends on the kind of file that it writes to."""
        err = self.tap.path("stderr.%s" % id(argv))
        try:
            status = self.machine.run(argv, cwd, env or harness.ENV, err=err, timeout=harness.TIMEOUT)
        except arm64_machine.Failed as failure:
            return 124, str(failure)
        with open(err, errors="replace") as f:
            text = f.read()
        os.unlink(err)
        return status, text

    def record(self, tap, name, argv):
        """Does slicelib's record().  The program's process has a lower number than its children."""
        out = tap.path(name + ".out")
        status = self.run_into(out, [harness.VALGRIND] + slicelib.recording(tap, name) + argv)
        found = sorted(glob.glob(tap.path(name + ".*.wet")), key=lambda path: int(path.split(".")[-2]))
        tap.ok(found, name + ": is recorded", "status %d" % status)
        with open(out, errors="replace") as f:
            return found[0] if found else None, f.read()

    def lackey_into(self, tap, fifo, argv, env=None, opts=(), tool="lackey_insns"):
        """Runs Lackey with a pipe in the machine, because both ends of a pipe must be on one machine.  The trace comes
        through a file.  Lackey writes a line or two at a time, which would be slow to a file of the host.
        """
        path, pipe = fifo + ".text", "/tmp/lackey.pipe"
        words = ["env", "-i"] + ["%s=%s" % item for item in (env or harness.ENV).items()] + [
            harness.VALGRIND, "-q", "--tool=" + tool, "--trace-mem=yes", "--vex-guest-chase=no", "--log-file=" + pipe]
        status, _ = self.run(["/bin/sh", "-c", THROUGH_PIPE, "sh", pipe, path] + words + list(opts) + argv, tap.dir)
        if not os.path.exists(path):
            open(path, "w").close()
        subprocess.run(["sh", "-c", 'cat "$1" >"$2"', "sh", path, fifo])
        os.unlink(path)
        return status


def compile_for_it(tap, source, *flags):
    """Compiles for the machine.  Returns the program's path, or None with a failed test."""
    out = tap.path(os.path.splitext(os.path.basename(source))[0])
    r = subprocess.run(shlex.split(os.environ["ARM64_CC"]) + ["-O1", "-g", "-o", out, os.path.join(PROGS, source)]
                       + list(flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return out if r.returncode == 0 else tap.ok(False, "compiling " + source, r.stdout.decode(errors="replace")) or None


def check_rules_only(tap, name, argv, static=True):
    """Checks programs with threads and signals, whose places Lackey does not tell."""
    dcfg, trace, status, why = tracelib.run(tap, name, argv)
    if not trace:
        tap.ok(False, name, why)
        return
    tap.ok(status == 0, name + ": ends as it should", status)
    tracelib.decoded(tap, name, dcfg, trace, "--chunk=1000000")
    harness.check_rules(tap, name, dcfg)
    if static:
        harness.check_static(tap, name, dcfg)


def check_command(tap, prog):
    """Checks the command on a graph of a program that makes client requests."""
    path, _, why = harness.dcfg(tap, "command", [prog])
    if not path:
        tap.ok(False, "command", why)
        return
    # The machine's files, and those that it shares with this one.
    root, text = tap.path("root"), ""
    os.mkdir(root)
    shared = {name.split("/")[1] for name in (tap.dir, INST)}
    for top in {"lib", "usr"} | shared:
        os.symlink("/" + top if top in shared else os.path.join(MACHINE, "root", top), os.path.join(root, top))
    for words in (["check", path], ["disasm", "--root=" + root, path]):
        p = subprocess.run([os.environ["ARM64_COMMAND"]] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        text = p.stdout.decode(errors="replace")
        tap.ok(p.returncode == 0 and not p.stderr, "dcfg " + words[0], p.stderr.decode() or text[-500:])
    p = subprocess.run([os.environ["ARM64_COMMAND"], "export", "--lcov", "--root=" + root, "-o", tap.path("lcov"), path],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = p.stderr.decode(errors="replace")
    tap.ok(p.returncode == 0 and re.search(r"[1-9][0-9]* targets? ", said), "dcfg export: the code leads where it led", said)
    tap.ok(re.search(r"\bbl #0x\w+ <\w+(\+0x\w+)?>", text), "disasm: targets have names", text[-500:])
    tap.ok(re.search(r"adrp x16, .*\n.*ldr x17, \[x16", text) and "printf@plt" in text, "disasm: stubs have names", text[-500:])


def check_small(tap):
    for source, flags in (("arm64/insns.S", ["-nostdlib", "-static"]), ("loops.c", []), ("switch.c", ["-static"]),
                          ("moved.c", ["-static"]), ("longjmp.c", [])):
        prog = compile_for_it(tap, source, *flags)
        if prog:
            tracelib.crosscheck(tap, os.path.basename(source), [prog])
        if prog and source == "loops.c":
            check_command(tap, prog)
    for source, flags in (("arm64/faults.c", []), ("threads_join.c", ["-pthread"]), ("threads_many.c", ["-pthread"]),
                          ("threads_exit.c", ["-pthread"]), ("threads_detached.c", ["-pthread"])):
        prog = compile_for_it(tap, source, *flags)
        if prog:
            check_rules_only(tap, os.path.basename(source), [prog])


def check_real(tap):
    """Checks graph and trace of one run, which Lackey repeats."""
    for name, argv in REAL:
        dcfg, trace, status, why = tracelib.run(tap, name, argv)
        if not trace:
            tap.ok(False, name, why)
            continue
        got = tracelib.decoded(tap, name, dcfg, trace, "--chunk=1000000")
        if got:
            reader = tracelib.PathReader(tap, name, dcfg)
            table, other = harness.lackey(tap, name, argv, copy=[reader.fifo])
            harness.compare_with_lackey(tap, name, dcfg, status, table, other)
            tracelib.compare_ways(tap, name, got[0] + ".0", status, reader, other)
            os.unlink(got[0] + ".0")


def check_profiles(tap):
    progs = {name: compile_for_it(tap, "callgrind/%s.c" % name, *(profilelib.FLAGS + flags))
             for name, flags in (("calls", []), ("signals", []), ("fork", []))}
    progs["longjmp"] = compile_for_it(tap, "longjmp.c")
    libc = libc_objects.Libc("", {})
    cases = [profilelib.Case(name, [progs[name]], profilelib.INSTR[:1], ends=8 if name == "signals" else 1,
                            processes=3 if name == "fork" else 1, dynamic=False) for name in progs if progs[name]]
    cases += [profilelib.Case(name, argv, profilelib.INSTR[:1], dynamic=False) for name, argv in REAL]
    for case in cases:
        good, text = profilelib.check(tap, libc, case)
        tap.ok(good, case.name + ": profile as Callgrind's", text)


def check_logs(tap):
    """Checks XRay logs: their rules, and that they have each call of the trace."""
    prog = compile_for_it(tap, "callgrind/calls.c", *profilelib.FLAGS)
    if not prog:
        return
    log = tap.path("xray.log")
    dcfg, trace, _, why = tracelib.run(tap, "logs", [prog], ["--xray=yes", "--xray-out-file=" + log])
    if not trace:
        tap.ok(False, "logs", why)
        return
    got = tracelib.decoded(tap, "logs", dcfg, trace, "--chunk=1000000")
    if got:
        lines = xray_rules.check(log, log + ".map", callgrind=None, handlers=False, dcfg=dcfg, ids=got[0])[0]
        tap.ok(not lines, "logs: the calls of the trace", "\n".join(lines))


# ---- whole execution traces ------------------------------------------------------------------------------------------

# Programs of one thread, without signals, by their directories.
SMALL = (("arm64/insns.S", ["-nostdlib", "-static"]), ("longjmp.c", ["-static"]), ("slice/grades.c", ["-O0", "-static"]),
         ("slice/tree.c", ["-O2", "-static"]), ("loops.c", []))


def check_example(tap):
    """Checks the example foo1: statement 8 depends on 4 by control and on 6 by data, in one of its instructions."""
    source = harness.written(tap, "foo1.c", wetlib.FOO1)
    prog = compile_for_it(tap, source, "-O0", "-static")
    wet_file = prog and harness.record_wet(tap, "foo1", [prog, "2", "7"])
    if not wet_file:
        return
    blocks = wetlib.blocks_of(commandlib.command("wet", "--function=main", wet_file)[1])
    lines = {n: [(ports, values) for head, ports, values in blocks.values() if head[3:] == ["main", str(n)]]
             for n in range(4, 13)}

    def on(rows):
        return {blocks[y][0][4] for _, y, _ in rows}
    tap.ok(lines[10] and all(on(ports[0]) == {"6"} for ports, _ in lines[10]),
           "foo1: statement 8 depends on statement 4 by control", lines[10])
    tap.ok(any("8" in on(rows) for ports, _ in lines[10] for rows in ports[1:]),
           "foo1: statement 8 depends on statement 6 by data", lines[10])
    stored = [{value for _, values in lines[n] for _, value in values or ()} for n in (8, 9, 10, 11)]
    tap.ok(all(v.zfill(8) in {x.zfill(8) for x in found} for v, found in zip(("2", "7", "e", "15"), stored)),
           "foo1: statements compute 2, 7, 14 and 21", stored)


def check_dependences(tap):
    """Checks accesses, data and control against one trace by Lackey, made without optimisation."""
    accesses, dumper = (harness.reader(tap, name, HERE) for name in ("wet_accesses", "wet_dump"))
    for source, flags in SMALL if accesses and dumper else ():
        prog = compile_for_it(tap, source, *flags)
        if prog:
            # In insns.S, one return goes to an address that no call has left, so its call is not known.
            wetlib.check_dependences(tap, dumper, os.path.basename(source), [prog], accesses,
                                  ("data",) if source == "arm64/insns.S" else ("data", "control"))


def check_wet(tap):
    check_example(tap)
    check_dependences(tap)


def check_usage(tap):
    """Runs on a processor with atomic instructions."""
    lister = harness.reader(tap, "wet_values", HERE)
    prog = compile_for_it(tap, "arm64/classes.S", "-O2", "-static", "-no-pie", os.path.join(harness.ORACLE, "wet_probe.c"))
    wet_file = lister and prog and harness.record_wet(tap, "classes", [prog, "1", "states"])
    if wet_file:
        usagelib.check_capstone(tap, "classes", wet_file)
        usagelib.check_processor(tap, prog, wet_file)
        usagelib.check_values(tap, prog, wet_file, lister)
    for name, argv in REAL[:2]:
        wet_file = harness.record_wet(tap, name, argv)
        if wet_file:
            usagelib.check_capstone(tap, name, wet_file)


def check_slices(tap):
    """Checks slices, and the sessions of docs/gdb.md with gdb for many processors."""
    sessions = buglib.sessions() if shutil.which("gdb-multiarch") else {}
    if not sessions:
        tap.skip("sessions of gdb", "gdb-multiarch is not installed")
    for path in sorted(glob.glob(os.path.join(slicelib.PROGS, "*.c"))):
        prog = compile_for_it(tap, path, "-O0", "-pthread")
        wet = prog and buglib.check(tap, path, prog)
        if wet and sessions:
            buglib.check_gdb(tap, path, wet, sessions[os.path.basename(path)])


# ---- dcfg gdb --------------------------------------------------------------------------------------------------------

STEPS = "gdb/steps.c"
STATIC = ["-static", "-no-pie"]
# (name, function, flags of the compiler, functions where steps begin, steps in each)
STEPPED = (
    ("static", "all", STATIC, ",plain,requests,recursion,jumps,signals,handler,numbers,exclusive", 100),
    ("pie", "dynamic", ["-O2", "-pie", "-fPIE"], ",plain,threads,thread", 100),
)


class OnLine(gdb_remote.Remote):
    """A connection to a server in the machine, on its other line."""

    def __init__(self, line):
        line.settimeout(600)
        self.process = types.SimpleNamespace(stdin=line.makefile("wb"), stdout=line.makefile("rb"))
        self.acks = True
        assert self.ask("QStartNoAckMode") == "OK"
        self.acks = False


# Valgrind for its own gdbserver ($1), which stops it at the first instruction.  Behind $3 come the environment and the program:
# the shell's environment is another one.  vgdb would lose data if it used the line itself.
WAITING = """line=$(echo %s)
valgrind=$1 pipes=--vgdb-prefix=$2 pids=$3
shift 3
env -i "$@" &
echo $! >"$pids"
setsid sh -c 'cat | "$@" | cat' sh "${valgrind%%/*}/vgdb" "$pipes" --wait=600 --pid=$! <>$line >&0 &
echo -$! >>"$pids"
wait""" % arm64_machine.OTHER_LINE
OPTIONS = ["-q", "--tool=none", "--px-default=allregs-at-each-insn", "--vex-guest-chase=no", "--vex-iropt-unroll-thresh=0",
           "--vgdb=yes", "--vgdb-error=0"]


class Waiting:
    """with Waiting(tap, name, prog) as r: r is Valgrind's own server, in the machine, for a run of PROG."""

    def __init__(self, tap, name, prog):
        self.dir, self.pids, pipes = tap.dir, "/tmp/pids-" + name, "/tmp/vgdb-" + name
        argv = [harness.VALGRIND, *OPTIONS, "--vgdb-prefix=" + pipes, prog]
        words = ["%s=%s" % item for item in harness.ENV.items()] + argv
        self.job = threading.Thread(target=harness.run, daemon=True, args=(
            ["/bin/sh", "-c", WAITING, "sh", harness.VALGRIND, pipes, self.pids] + words, tap.dir))

    def __enter__(self):
        self.job.start()
        return OnLine(harness.MACHINE.other_line)

    def __exit__(self, *_):
        harness.run(["/bin/sh", "-c", "kill -9 $(cat %s)" % self.pids], self.dir)
        self.job.join()


def check_steps(tap, name, function, flags, begins, steps):
    prog = compile_for_it(tap, STEPS, "-DPROGRAM=" + function, "-march=armv8-a+crypto", "-pthread", *flags)
    wet = prog and harness.record_wet(tap, name, [prog])
    if not wet:
        return
    with Waiting(tap, name, prog) as theirs:
        good, text = gdb_lockstep.compare(wet, prog, theirs, steps, begins.split(","), options=slicelib.OPTIONS)
    unknown = re.findall(r"^(all registers|memory|conditions): [1-9]\d* agree, .*unavailable \(([\d.]+) %\)", text, re.M)
    tap.ok(good and len(unknown) == 3, name + ": as Valgrind's own gdbserver has it", text)
    tap.ok(all(float(share) <= 1 for _, share in unknown), "%s: unavailable: %s" % (name, ", ".join("%s %s %%" % u for u in unknown)),
           text)


def check_stored(tap):
    """Registers behind instructions of each class, which the program itself stores."""
    prog = compile_for_it(tap, "arm64/classes.S", "-O2", "-static", "-no-pie", os.path.join(harness.ORACLE, "wet_probe.c"))
    wet_file = prog and harness.record_wet(tap, "stored", [prog, "1", "states"])
    if not wet_file:
        return
    status, text = harness.oracle("gdb_registers_arm64.py", wet_file, prog)
    found = re.search(r"^all registers: ([1-9]\d*) agree, \d+ unavailable \(([\d.]+) %\)", text, re.M)
    tap.ok(status == 0 and found, "classes: registers are those that the program stores", text)
    tap.ok(found and float(found[2]) <= 1, "classes: of %s registers, %s %% are unavailable" % (found.groups() if found else ("?", "?")), text)


def check_gdb(tap):
    check_stored(tap)
    for program in STEPPED:
        check_steps(tap, *program)


# ---- recorded runs -----------------------------------------------------------------------------------------------------

NO_REPLAY = 125
# As a user has it: without options of Remote().
PLAIN_ENV = {key: value for key, value in harness.ENV.items() if key not in ("LD_BIND_NOW", "VALGRIND_OPTS")}


class Recorded:
    """Runs under the tool in the machine, as tests/tool/record.t has them here."""

    def __init__(self, tap):
        self.tap = tap

    def under(self, cwd, *words, env=None, valgrind=("-q",)):
        out, err = self.tap.path("said.out"), self.tap.path("said.err")
        argv = [harness.VALGRIND, *valgrind, "--tool=dcfg", *words]
        status = harness.MACHINE.run(argv, cwd, env or PLAIN_ENV, out=out, err=err, timeout=harness.TIMEOUT)
        return status, replaylib.contents(out), replaylib.contents(err).decode(errors="replace")

    def record(self, name, *argv):
        rec = self.tap.path(name + ".rec")
        return (rec, *self.under(self.tap.dir, "--record=yes", "--record-out-file=" + rec, *argv))

    def replay(self, rec, *options, **more):
        return self.under(self.tap.dir, "--replay=" + rec, "--dcfg-out-file=/dev/null", *options, **more)


def check_lock_step(tap, runs):
    """Checks that each output of a run is that of its replays.  A replay with regions leaves code at other places than the run
    did, so also between exclusive accesses."""
    for name, flags in (("race", ["-pthread"]), ("signals", []), ("world", ["-pthread", "-w"]), ("arm64", ["-pthread"])):
        prog = compile_for_it(tap, "record/%s.c" % name, *flags)
        inputs = ["input", "second"] if name == "world" else []
        if prog:
            rec = replaylib.check_same(tap, runs.under, name, [prog] + inputs[:1], inputs, replays=1)
    regions = ["--%s=end-%d0000" % (word, n - less) for n in range(110, 10, -10) for word, less in (("start", 0), ("stop", 5))]
    status, _, err = runs.replay(rec, *regions)
    end = reclib.Record(replaylib.contents(rec)).texts(reclib.END)[0]
    tap.ok(str(status) == end["status"], "record: regions cut no pair of exclusive accesses", err)
    for name, argv in (("bzip2", ["/bin/bzip2", "-kc", "data"]), ("perl", ["/usr/bin/perl", "-e", "print time, $$, rand, <>", "data"]),
                       ("python3", ["/usr/bin/python3", "-c", "import os, random, time; print(random.random(), time.time(), "
                                    "os.listdir('.'))"])):
        replaylib.check_same(tap, runs.under, "real-" + name, argv, ["data"], replays=1)


def has_events(rec):
    """Returns whether a file that is being written has a whole block of events."""
    data = replaylib.contents(rec) if os.path.exists(rec) else b""
    return b"DRBK\1\0\0\0" in data and any(kind == reclib.EVENTS for kind, _ in reclib.Record(data, is_cut=True).blocks)


def check_ends(tap, runs):
    """Checks processes that end by signals, a fault, an exec, and a kill at any time."""
    ends, signals = compile_for_it(tap, "record/ends.c", "-pthread"), tap.path("signals")
    for word, status in (("fault", 139), ("trap", 133), ("thread", 0), ("exit", 9), ("last", 0), ("exec", 0)):
        rec, *first = runs.record(word, ends, word)
        then = runs.replay(rec)
        tap.ok(first[0] == status and then[0] == status and then[1] == first[1].replace(b"executed\n", b""),
               "record: a process that ends by " + word, "%s\n%s" % (first, then))
    for number in (11, 15):
        rec, *first = runs.record("by", signals, str(number))
        tap.ok(first[0] == 128 + number and runs.replay(rec)[:2] == tuple(first[:2]), "record: a process that signal %d ends" % number, first)
    endless = compile_for_it(tap, "record/endless.c")
    rec, found = tap.path("killed.rec"), []
    job = threading.Thread(target=lambda: found.append(runs.record("killed", endless)))
    job.start()
    while job.is_alive() and not has_events(rec):
        time.sleep(0.1)
    pid = reclib.Record(replaylib.contents(rec), is_cut=True).values("pid")[0]
    harness.MACHINE.run(["/bin/sh", "-c", "kill -9 " + pid])
    job.join()
    then = runs.replay(rec)
    tap.ok(then[0] == NO_REPLAY and then[1] and found[0][2].startswith(then[1]) and reclib.KILLED.search(then[2]),
           "record: a process that is killed is replayed up to its last blocks", then[2])


def check_elsewhere(tap, runs):
    """Checks a pack of a static program, and what this machine says of a recording that it cannot replay."""
    prog = compile_for_it(tap, "record/race.c", "-pthread", "-static")
    rec, *first = runs.record("packed", prog)
    tap.ok(reclib.Record(replaylib.contents(rec)).values("platform") == ["arm64-linux"], "record: the header names the platform")
    command = os.environ["ARM64_COMMAND"]
    packed = subprocess.run([command, "record", "pack", "-o", tap.path("packed.tar"), rec], stderr=subprocess.PIPE)
    root = tap.path("root")
    os.mkdir(root)
    subprocess.run(["tar", "-xf", tap.path("packed.tar"), "-C", root])
    os.unlink(prog)
    then = runs.replay(rec, "--replay-root=" + os.path.join(root, "root"))
    tap.ok(packed.returncode == 0 and then[:2] == tuple(first[:2]), "record: a pack has what its replay needs",
           "%s\n%s\n%s" % (packed.stderr, first, then))
    here = os.path.join(HERE, "bin", "valgrind")
    for words in ([here, "-q", "--tool=dcfg", "--replay=" + rec], [here, "-q", "--tool=dcfg", "--replay=" + rec, "/bin/true"],
                  [command, "replay", tap.path("packed.tar")], [command, "why", "--output=x", rec], [command, "gdb", rec]):
        p = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = [line for line in p.stderr.decode(errors="replace").splitlines() if ": unpacked " not in line]
        tap.ok(p.returncode > 0 and len(said) == 1 and "arm64-linux" in said[0], "record: elsewhere, %s %s says so" % (
            os.path.basename(words[0]), words[1]), said)


def check_record(tap):
    runs = Recorded(tap)
    check_lock_step(tap, runs)
    check_ends(tap, runs)
    check_elsewhere(tap, runs)


# PARTS: each part of the tests, with its emulated processor.  On OLD, an exclusive store fails if the processor was
# interrupted since the load, so that two runs differ by some instructions.  They do not if Valgrind compares the present
# value with the loaded one.  But then it adds exits to code, which Callgrind takes for branches.  So profiles are compared
# on NEW, where libc has no such loops.
OLD, NEW = arm64_machine.CPUS
PARTS = {"small": (OLD, check_small), "logs": (OLD, check_logs), "record": (OLD, check_record), "wet": (OLD, check_wet), "real": (OLD, check_real),
         "slices": (NEW, check_slices), "usage": (NEW, check_usage), "gdb": (OLD, check_gdb), "profiles": (NEW, check_profiles)}


class Beside:
    """Parts that another process runs meanwhile, in a machine of its own."""

    def __init__(self, parts):
        self.process = subprocess.Popen([harness.PYTHON, os.path.abspath(__file__)] + parts, stdout=subprocess.PIPE)

    def into(self, tap):
        """Waits for its end, and returns its results."""
        for line in self.process.stdout:
            found = re.match(r"(not )?ok \d+ - (.*)", line.decode(errors="replace"))
            if found:
                tap.ok(not found.group(1), found.group(2))
            elif line.startswith(b"#"):
                print(line.decode(errors="replace"), end="")
        sys.stdout.flush()
        self.process.wait()
        tap.failed += self.process.returncode != 0 and tap.failed == 0


def main(argv):
    parts = {cpu: [name for name in PARTS if PARTS[name][0] == cpu and (not argv or name in argv)] for cpu in (OLD, NEW)}
    beside = Beside(parts[NEW]) if parts[OLD] and parts[NEW] else None
    cpu = OLD if parts[OLD] else NEW
    tap = harness.Tap("arm64")
    with arm64_machine.Machine(MACHINE, [tap.dir], [INST], cpu) as machine:
        Remote(tap, machine, cpu == OLD)
        for name in parts[cpu]:
            PARTS[name][1](tap)
    if beside:
        beside.into(tap)
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1:])
