"""Uses, definitions and values of instructions in a whole execution trace, against Capstone and the processor; wet_usage.t says
what is compared.
"""
import os
import re
import shlex
import subprocess

import harness
import undefined
import wet_capstone
import wet_summary

SLOW = os.environ.get("DCFG_SLOW") == "1"
TIMES = "8" if SLOW else "1"           # executions of each case
# FPTAN, FSINCOS; FLDENV and FRSTOR; FNINIT; FXRSTOR and XRSTOR, behind prefixes.
TELLS_TOP = re.compile(rb"\xd9[\xf2\xfb]|[\xd9\xdd][\x20-\x27\x60-\x67\xa0-\xa7]|\xdb\xe3|\x0f(\xae|\xc7)", re.S)
TRIALS = "60" if SLOW else "4"
OBJDUMP = "objdump"


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
