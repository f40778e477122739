"""Shared by the tests of parts of runs: cuts of Lackey's trace, and Callgrind beside the tool."""
import os
import re

import harness
import libc_objects
import lifelib
import tracelib
from lifelib import Dcfg, equal

PROGS = os.path.join(harness.SRCDIR, "tests", "progs", "region")
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(harness.VALGRIND)), "include")
DCFG = os.path.join(os.path.dirname(harness.VALGRIND), "dcfg")
REQUEST = 19            # bytes: a request's preamble and its instruction, which are one instruction to Valgrind


class Lackey:
    """Lackey's instructions of a run, in order: lines, addresses, lengths."""
    seen = {}

    @classmethod
    def of(cls, tap, argv):
        if tuple(argv) not in cls.seen:
            cls.seen[tuple(argv)] = cls(tap, argv)
        return cls.seen[tuple(argv)]

    def __init__(self, tap, argv):
        log = tap.path("lackey.%d" % len(self.seen))
        self.status = harness.lackey_into(tap, log, argv)
        with open(log) as f:
            self.lines = [s for s in f if s.startswith("I  ")]
        self.addrs = [int(s[3:s.index(",")], 16) for s in self.lines]
        self.lens = [int(s[s.index(",") + 1:]) for s in self.lines]
        os.unlink(log)

    def nth(self, addr, n):
        """Returns the index at which the instruction at addr runs for the n-th time."""
        for i, a in enumerate(self.addrs):
            if a == addr:
                n -= 1
                if not n:
                    return i
        return None

    def requests(self):
        """Returns the indices behind requests."""
        return [i + 1 for i, n in enumerate(self.lens) if n == REQUEST]


def same_as_cut(tap, name, lackey, pieces, dcfg, trace, status=0):
    """Checks that graph and trace are these pieces of Lackey's trace, joined."""
    if not dcfg or not trace:
        return tap.ok(False, name, "there is no file")
    n = sum(b - a for a, b in pieces)
    d = Dcfg(dcfg)
    tap.ok(not lifelib.rules(dcfg), name + ": all rules", lifelib.rules(dcfg))
    said = harness.run([DCFG, "check", dcfg, trace], tap.dir)
    tap.ok(said[0] == 0, name + ": dcfg check", said[1])
    equal(tap, name + ": instructions", d.total, n)
    gaps = sum(e.total for e in d.edges("EXCLUDED_CODE_BYPASS"))
    tap.ok(gaps <= len(pieces) - 1, name + ": one bypass at most for each gap", "%d gaps, %d counted" % (len(pieces) - 1,
                                                                                                   gaps))
    got = tracelib.decoded(tap, name, dcfg, trace)
    if not got:
        return False
    reader = tracelib.PathReader(tap, name, dcfg)
    with open(reader.fifo, "w") as f:
        for a, b in pieces:
            f.writelines(lackey.lines[a:b])
    return tracelib.compare_ways(tap, name, got[0] + ".0", status, reader, lackey.status)


def part_of(path, i):
    """Return the path of part number i of a file."""
    return re.sub(r"(\.json|)$", r".%d\1" % i, path, count=1)


def compare_profiles(tap, name, argv, opts, ends, parts=("", ), told_only=()):
    """Compares with Callgrind's profiles.  If the program asks for parts, Callgrind's parts end a superblock earlier, and
    the next one has it.  For those in TOLD_ONLY, only the message is compared.

    Callgrind writes wrong relative positions for a call by code that did not run in the part.
    """
    ours, theirs = tap.path("ours." + name), tap.path("theirs." + name)
    common = ["--dump-instr=yes", "--compress-pos=no"] + opts
    for out, tool in ((ours, ["--tool=dcfg", "--callgrind=yes", "--dcfg-out-file=" + tap.path(name + ".%p.json")]),
                      (theirs, ["--tool=callgrind"])):
        harness.run([harness.VALGRIND, "-q"] + tool + ["--callgrind-out-file=" + out] + common + argv, tap.dir,
                    env=libc_objects.env())
    there = [sorted(f[len(p):] for f in map(lambda f: os.path.join(tap.dir, f), os.listdir(tap.dir))
                    if f == p or f.startswith(p + ".")) for p in (ours, theirs)]
    tap.ok(there[0] == there[1] == sorted(parts), "%s: Callgrind's parts" % name, there)
    for part in parts:
        if part not in told_only:
            code, text = harness.oracle("callgrind_compare.py", "--ends=%d" % ends, ours + part, theirs + part)
            tap.ok(code == 0, "%s: profile%s is Callgrind's" % (name, part and " " + part), text)
        told = [re.findall(r"^(?:part|desc: Trigger): .*", open(p + part).read(), re.M) for p in (ours, theirs)
                if os.path.exists(p + part)]
        tap.ok(len(told) == 2 and told[0] == told[1], "%s: description%s" % (name, part), told)


def check_instructions(tap, prog):
    """The tool reports where regions of instructions begin and end."""
    lackey = Lackey.of(tap, [prog])
    n = len(lackey.lines)
    for limits in ([n - 5000, n - 300], [1, 2, n - 9000, n - 8000, n - 50]):
        name = "instructions " + " ".join(map(str, limits))
        opts = ["--%s=instructions:%d" % (("start", "stop")[i % 2], k) for i, k in enumerate(limits)]
        dcfg, trace, status, why = tracelib.run(tap, name.replace(" ", "_"), [prog], opts)
        with open(tap.path(name.replace(" ", "_") + ".log")) as f:
            places = [int(s.replace(",", "")) for s in re.findall(r"instructions:\d+: reached after ([\d,]+)", f.read())]
        tap.ok(len(places) == len(limits) and all(a <= b < a + 100 for a, b in zip(limits, places)),
               name + ": where", places)
        places += [n] * (len(places) % 2)
        same_as_cut(tap, name, lackey, list(zip(places[::2], places[1::2])), dcfg, trace, status)


def check_requests(tap, prog):
    argv = [prog, "requests"]
    lackey = Lackey.of(tap, argv)
    at = lackey.requests()
    equal(tap, "requests: all seen", len(at), 18)
    for name, opts, places in (("requests", ["--instr-atstart=no"], at),
                               ("requests, collected before", [], [0] + at[1:])):
        dcfg, trace, status, why = tracelib.run(tap, name.replace(", ", "_").replace(" ", "_"), argv, opts)
        same_as_cut(tap, name, lackey, list(zip(places[::2], places[1::2])), dcfg, trace, status)
