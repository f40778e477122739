#!/usr/bin/python3
"""arm64, in the emulated machine: graph and trace against Lackey, profiles against Callgrind, and every rule.  (TAP)

    arm64.t [PART...]           of: small logs real profiles

./dev arm64 test runs it.  What runs a program is the machine (build-aux/arm64_machine.py), what reads its files is this
one: harness.py and the suite's tests are told so, and are what they are for amd64 otherwise.

Environment, beside VALGRIND, SRCDIR and BUILDDIR: ARM64_MACHINE, the machine's directory; ARM64_CC, the cross compiler;
ARM64_COMMAND, this machine's `dcfg`.
"""
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
SRCDIR = os.environ["SRCDIR"]
MACHINE = os.environ["ARM64_MACHINE"]
sys.path[:0] = [os.path.join(SRCDIR, "tests", "suite"), os.path.join(SRCDIR, "build-aux")]
# Where the oracles find the files of the machine's disk.
os.environ["DCFG_ROOT"] = os.path.join(MACHINE, "root")
import arm64_machine
import harness
import tracelib

PROGS = os.path.join(SRCDIR, "tests", "progs")
INST = os.path.dirname(os.path.dirname(harness.VALGRIND))
callgrind = tracelib.of_test("callgrind")
xray = tracelib.of_test("xray")
PERL, PYTHON = callgrind.PERL, callgrind.PYTHON

# The real programs: all that they write goes to nobody.
REAL = (("ls", ["/bin/ls", "-l", "/usr/lib"]), ("bzip2", ["/bin/bzip2", "-1c", "/etc/passwd"]),
        ("perl", ["/usr/bin/perl", "-e", PERL]), ("python3", ["/usr/bin/python3", "-S", "-c", PYTHON]))


class Remote:
    """What harness.py does with programs of this machine, done in the other one."""

    def __init__(self, tap, machine, fallback):
        self.tap, self.machine = tap, machine
        harness.run, harness.lackey_into = self.run, self.lackey_into
        harness.LACKEY = "lackey_insns"
        harness.TIMEOUT = 3600
        # Callgrind would take the resolver for a function that never returns, for it knows that by its code on amd64 and x86
        # only; so all is bound at once.
        harness.ENV = dict(harness.ENV, LD_BIND_NOW="1", VALGRIND_OPTS="--sim-hints=fallback-llsc" if fallback else "")

    def run(self, argv, cwd, env=None):
        err = self.tap.path("stderr.%s" % id(argv))
        try:
            status = self.machine.run(argv, cwd, env or harness.ENV, err=err, timeout=harness.TIMEOUT)
        except arm64_machine.Failed as failure:
            return 124, str(failure)
        with open(err, errors="replace") as f:
            text = f.read()
        os.unlink(err)
        return status, text

    def lackey_into(self, tap, fifo, argv, env=None, opts=(), tool="lackey_insns"):
        """A pipe has two ends on one machine: the trace goes through a file."""
        path = fifo + ".text"
        status, _ = self.run([harness.VALGRIND, "-q", "--tool=" + tool, "--trace-mem=yes", "--vex-guest-chase=no",
                              "--log-file=" + path] + list(opts) + argv, tap.dir, env)
        if not os.path.exists(path):
            open(path, "w").close()
        subprocess.run(["sh", "-c", 'cat "$1" >"$2"', "sh", path, fifo])
        os.unlink(path)
        return status


def compile_for_it(tap, source, *flags):
    """The program's path, or None with a failed test."""
    out = tap.path(os.path.splitext(os.path.basename(source))[0])
    r = subprocess.run(shlex.split(os.environ["ARM64_CC"]) + ["-O1", "-g", "-o", out, os.path.join(PROGS, source)]
                       + list(flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return out if r.returncode == 0 else tap.ok(False, "compiling " + source, r.stdout.decode(errors="replace")) or None


def check_rules_only(tap, name, argv, static=True):
    """Threads and signals: Lackey does not say where they came."""
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
    """A graph with requests in the code, for Valgrind has some: what `dcfg` says of it."""
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
    status, said = harness.run([harness.VALGRIND, "--tool=dcfg", "--wet=yes", prog], tap.dir)
    tap.ok(status != 0 and "--wet=yes" in said, "what is not for arm64 is refused by name", said)
    tap.ok(re.search(r"adrp x16, .*\n.*ldr x17, \[x16", text) and "printf@plt" in text, "disasm: stubs have names", text[-500:])


def check_small(tap):
    for source, flags in (("arm64/insns.S", ["-nostdlib", "-static"]), ("loops.c", []), ("switch.c", []), ("moved.c", []),
                          ("longjmp.c", [])):
        prog = compile_for_it(tap, source, *flags)
        if prog:
            tracelib.crosscheck(tap, os.path.basename(source), [prog], "--chunk=1000000")
        if prog and source == "loops.c":
            check_command(tap, prog)
    for source, flags in (("arm64/faults.c", []), ("threads_join.c", ["-pthread"]), ("threads_many.c", ["-pthread"]),
                          ("threads_exit.c", ["-pthread"]), ("threads_detached.c", ["-pthread"])):
        prog = compile_for_it(tap, source, *flags)
        if prog:
            check_rules_only(tap, os.path.basename(source), [prog])


def check_real(tap):
    for name, argv in REAL:
        got = tracelib.crosscheck(tap, name, argv, "--chunk=1000000")
        if got:
            os.unlink(got[0] + ".0")


def check_profiles(tap):
    progs = {name: compile_for_it(tap, "callgrind/%s.c" % name, *(callgrind.FLAGS + flags))
             for name, flags in (("calls", []), ("signals", []), ("fork", []))}
    progs["longjmp"] = compile_for_it(tap, "longjmp.c")
    libc = callgrind.libc_objects.Libc("", {})
    # Without jumps: Callgrind writes none of what it skips, nor those that it takes for returns.
    cases = [callgrind.Case(name, [progs[name]], callgrind.INSTR[:1], ends=8 if name == "signals" else 1,
                            processes=3 if name == "fork" else 1, dynamic=False) for name in progs if progs[name]]
    cases += [callgrind.Case(name, argv, callgrind.INSTR[:1], dynamic=False) for name, argv in REAL]
    for case in cases:
        good, text = callgrind.check(tap, libc, case)
        tap.ok(good, case.name + ": profile as Callgrind's", text)


def check_logs(tap):
    """XRay logs: their rules, and each call of the trace is in them."""
    prog = compile_for_it(tap, "callgrind/calls.c", *callgrind.FLAGS)
    if not prog:
        return
    log = tap.path("xray.log")
    dcfg, trace, _, why = tracelib.run(tap, "logs", [prog], ["--xray=yes", "--xray-out-file=" + log])
    if not trace:
        tap.ok(False, "logs", why)
        return
    got = tracelib.decoded(tap, "logs", dcfg, trace, "--chunk=1000000")
    if got:
        lines = xray.xray_rules.check(log, log + ".map", callgrind=None, handlers=False, dcfg=dcfg, ids=got[0])[0]
        tap.ok(not lines, "logs: the calls of the trace", "\n".join(lines))


# With the machine's processor.  On the first an exclusive store fails when the processor was interrupted since the load, so
# that no two runs are the same to the instruction, unless Valgrind compares what is stored there now with what was
# loaded.  Then it adds exits to code, which Callgrind takes for branches; so that is compared where libc has no such loops.
OLD, NEW = arm64_machine.CPUS
PARTS = {"small": (OLD, check_small), "logs": (OLD, check_logs), "real": (OLD, check_real), "profiles": (NEW, check_profiles)}


def main(argv):
    tap = harness.Tap("arm64")
    for cpu in (OLD, NEW):
        parts = [check for name, (on, check) in PARTS.items() if on == cpu and (not argv or name in argv)]
        if parts:
            with arm64_machine.Machine(MACHINE, [tap.dir], [INST], cpu) as machine:
                Remote(tap, machine, cpu == OLD)
                for check in parts:
                    check(tap)
    tap.done()


if __name__ == "__main__":
    main(sys.argv[1:])
