#!/usr/bin/python3
"""Uses and definitions of instructions in a whole execution trace.  (TAP)

- Against Capstone, register by register: every instruction of real programs, and one of each class
  (tests/progs/wet/classes.S).  Each difference has its reason in tests/oracle/wet_capstone.py.
- Against the processor, byte by byte, for these classes: tests/oracle/wet_probe.c.  Each location that is seen to be
  used or defined must be in the trace.  tests/oracle/undefined.py lists what the architecture leaves undefined: the
  verdict must be the same if a processor keeps such flags, and if it sets them at random.
- The values that these classes compute, as the program itself sees them under none (tests/oracle/wet_results.py).

The arguments name programs of test_programs.py.  DCFG_SLOW=1: more of them, and many trials.  DCFG_PROCESSOR is a
command that executes a program on another processor, as "qemu-x86_64 -cpu max": there the cases are executed, too.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import test_programs

sys.path.insert(0, harness.ORACLE)
import cpuinfo
import undefined
import wet_capstone
import wet_summary

SLOW = os.environ.get("DCFG_SLOW") == "1"
PROGRAMS = ("bzip2", "gzip", "xz", "perl", "sqlite3", "python3", "ls", "dash", "cc1") if SLOW else ("gzip", "ls")
TIMES = "8" if SLOW else "1"           # executions of each case
# FPTAN, FSINCOS; FLDENV and FRSTOR; FNINIT; FXRSTOR and XRSTOR, behind prefixes.
TELLS_TOP = re.compile(rb"\xd9[\xf2\xfb]|[\xd9\xdd][\x20-\x27\x60-\x67\xa0-\xa7]|\xdb\xe3|\x0f(\xae|\xc7)", re.S)
TRIALS = "60" if SLOW else "4"
OBJDUMP = "objdump"
NEEDED = ("abm", "avx2", "bmi1", "bmi2", "aes", "fma", "f16c", "movbe", "xsave")
CASES = os.path.join(harness.SRCDIR, "tests", "progs", "wet", "classes.S")


def locations(text):
    found = set()
    for run in text.split(",") if text else ():
        first, last = run.split("-")
        found.update(range(int(first), int(last) + 1))
    return found


def whole_stack(locs):
    """Returns LOCS with all of x87's registers if any is there: numbers and distances from the top mean the same ones.
    """
    physical, stack = set(range(wet_summary.PHYSICAL, wet_summary.STACK)), set(range(wet_summary.STACK, wet_summary.N_LOCS))
    return locs | stack if physical <= locs else locs


def run_into(path, argv):
    """Runs with standard output to a file; returns the exit status."""
    with open(path, "wb") as f:
        return subprocess.run(argv, stdout=f, env=harness.ENV, timeout=harness.TIMEOUT).returncode


def mnemonics(prog):
    """Returns names by address."""
    names = {}
    for line in subprocess.run([OBJDUMP, "-d", prog], stdout=subprocess.PIPE).stdout.decode().splitlines():
        parts = line.split("\t")
        if len(parts) >= 3:
            names[int(parts[0].strip(" :"), 16)] = " ".join(parts[2:]).strip()
    return names


def record(tap, name, argv, *opts):
    wet = tap.path(name + ".wet")
    graph, _, why = harness.dcfg(tap, name, argv, ["--wet=yes", "--wet-out-file=" + wet, *opts])
    if not graph or not os.path.exists(wet):
        tap.ok(False, name + ": is recorded", why)
        return None
    return wet


def check_capstone(tap, name, wet):
    status, text = harness.oracle("wet_capstone.py", wet)
    tap.ok(status == 0, "%s: Capstone, every difference explained: %s" % (name, (text.splitlines() or [""])[-1]), text)


def check_tops(tap, name, wet):
    """Only instructions that may move the top of x87's stack tell its position at each execution: FPTAN and FSINCOS, and
    those that load x87's state.
    """
    wrong = ["%#x: %s" % (addr, bytes(code).hex()) for addr, code, _, _, flags in wet_summary.instructions(wet)
             if flags & 32 and not TELLS_TOP.search(bytes(code))]
    tap.ok(not wrong, name + ": where the top of x87's stack is, is asked of few instructions", "\n".join(wrong[:5]))


class Cases:
    """The executed instructions, with what the file knows of each, and what undefined.py leaves open."""

    def __init__(self, tap, prog, wet):
        self.tap, self.prog, self.machine = tap, prog, wet_summary.machine(wet)
        self.names, self.known, self.flags, self.open = mnemonics(prog), {}, {}, {}
        disassembler = None if self.machine == wet_summary.ARM64 else wet_capstone.disassembler(self.machine)
        for at, code, uses, defs, flags in wet_summary.instructions(wet):
            if flags & 1 and at in self.names:
                self.known[at] = whole_stack(uses), whole_stack(defs)
            if disassembler and at in self.names:
                i = next(disassembler.disasm(code, at, 1), None)
                self.flags[at] = undefined.flags(i) | undefined.conditions(i) << 32 if i else 0
                self.open[at] = undefined.locations(i) if i else set()

    def probe(self, command=(), ignored=True, put="left"):
        """Returns, by address, locations that a case uses or defines unknown to the file; the number of cases; the exit
        status.  The flags of undefined.py are ignored, or not, after PUT (see wet_probe.c) was done to them.
        """
        path, words = self.tap.path("flags"), [self.prog, TRIALS]
        if self.flags:
            with open(path, "w") as f:
                for at, mask in sorted(self.flags.items()):
                    f.write("%x %x %x\n" % (at, mask if ignored else 0, mask))
            words += [path, put]
        probed = self.tap.path("probed")
        status, n, wrong = run_into(probed, list(command) + words), 0, {}
        with open(probed) as f:
            for line in f:
                addr, _, uses, defs = line.rstrip("\n").split(" ")
                at, n = int(addr, 16), n + 1
                seen, known = (locations(uses), locations(defs)), self.known.get(at, (set(), set()))
                missing = [s - k - self.open.get(at, set()) for s, k in zip(seen, known)]
                if at not in self.known or missing[0] or missing[1]:
                    wrong[at] = missing
        return wrong, n, status

    def text(self, wrong):
        return "".join("%s: used, but not known to be: %s; defined: %s\n"
                       % ((self.names.get(at, "%x" % at),) + tuple(wet_summary.text_of(x, self.machine) for x in missing))
                       for at, missing in sorted(wrong.items()))

    def good(self, how, **options):
        wrong, n, status = self.probe(**options)
        self.tap.ok(status == 0 and not wrong and n > 1000, "the processor%s uses and defines nothing else (%d)" % (how, n),
                    self.text(wrong) + "exit status %d" % status)


def check_processor(tap, prog, wet):
    """Tests this processor, and the same with undefined flags as other ones may leave them."""
    cases = Cases(tap, prog, wet)
    cases.good("")
    if not cases.flags:
        return
    cases.good(" that leaves undefined flags", put="kept")
    cases.good(" that sets them at random", put="random")
    # The probe must find such a flag if it is not ignored: VEX writes some for these instructions.
    wrong = set(cases.probe(ignored=False, put="kept")[0])
    found = {cases.names[at].split()[0] for at in wrong}
    tap.ok({"tzcnt", "lzcnt", "mul", "imul", "bsf", "shld"} <= found and all(cases.flags[at] for at in wrong),
           "an undefined flag that stays is seen", sorted(found))
    if os.environ.get("DCFG_PROCESSOR"):
        cases.good(" of DCFG_PROCESSOR", command=shlex.split(os.environ["DCFG_PROCESSOR"]))


def check_values(tap, prog, wet, lister):
    states = tap.path("states")
    ended = run_into(states, [harness.VALGRIND, "-q", "--tool=none", prog, TIMES, "states"])
    status, text = harness.oracle("wet_results.py", states, wet, lister)
    tap.ok(ended == 0 and status == 0, "what they compute: " + (text.splitlines() or [""])[-1], text)


def main():
    tap = harness.Tap("wet_usage")
    names = sys.argv[1:] or PROGRAMS
    for name, argv in test_programs.real(tap):
        if name not in names:
            continue
        if not shutil.which(argv[0], path=harness.ENV["PATH"]):
            tap.skip(name, argv[0] + " is not installed")
            continue
        wet = record(tap, name, [shutil.which(argv[0], path=harness.ENV["PATH"])] + argv[1:])
        if wet:
            check_capstone(tap, name, wet)
            check_tops(tap, name, wet)
            os.unlink(wet)
    if not sys.argv[1:] and not cpuinfo.has(*NEEDED):
        tap.skip("one instruction of each class", "this processor does not have them")
    elif not sys.argv[1:]:
        prog = harness.cc(tap, os.path.join(harness.ORACLE, "wet_probe.c"), "probe", "-O2", "-no-pie", CASES)
        wet = prog and record(tap, "classes", [prog, TIMES, "states"])
        if wet:
            check_capstone(tap, "classes", wet)
            check_processor(tap, prog, wet)
            check_values(tap, prog, wet, harness.reader(tap, "wet_values"))
    tap.done()


if __name__ == "__main__":
    main()
