"""A part of the benchmark, and what most parts are made of: programs that run in turns.

Parts stand in parts/, a file each, whose class `Costs' is a Part.  A new part is such a file, and its name in PARTS.
"""
import os
import re
import statistics
from typing import Callable, NamedTuple, Optional

from measure import fail, geometric_mean, run

# Their order is that of the tables.
PARTS = (
    "graph",
    "calls",
    "trace",
    "profile",
    "xray",
    "regions",
    "wet",
    "large",
    "reader",
    "slice",
    "index",
    "gdb",
)


class Bench(NamedTuple):
    """The benchmark as its parts see it."""
    valgrind: str                           # paths: the program,
    srcdir: str                             # the sources,
    scratch: str                            # and a directory for what is written
    programs: object                        # a Programs
    references: bool                        # --references


class Part:
    """A part runs PROGRAMS in TURNS, or measures something of its own.  An error of its __init__ that is Missing leaves it
    out.
    """
    TURNS = ()                              # a Turn each; other parts' turns are named as these name them
    PROGRAMS = ()                           # their names; .programs, unless --only names others
    ONCE = False                            # its programs run in the first repetition only
    ASKED = False                           # a full run leaves it out

    def __init__(self, bench):
        self.bench = bench
        self.programs = self.PROGRAMS

    def after(self, result, last):
        """Looks at the files that RESULT's program has left in its turns of this repetition.  LAST: of all."""

    def prepare(self):
        """Makes what measure() needs."""

    def measure(self):
        """Measures once."""

    def table(self, results):
        """Returns the table of RESULTS, those of PROGRAMS, as text."""
        raise NotImplementedError

    def summary(self, results):
        """Returns the means of RESULTS, and their targets; or nothing."""
        return ""


class Turn(NamedTuple):
    """One way of running a program."""
    name: str
    tool: str = "dcfg"
    options: tuple = ()
    files: tuple = ("dcfg",)                # X of each --X-out-file that it gets
    # READ(log's text, files' paths by X) returns numbers by names.
    read: Optional[Callable] = None
    once: bool = False                      # whether it runs in the first repetition only


def said(text, *patterns):
    """Returns the numbers in the tool's messages, TEXT, from the groups of PATTERNS."""
    found = [re.search(p, text, re.M) for p in patterns]
    if None in found:
        fail("the tool did not say what it wrote:\n%s" % text[-2000:])
    return [int(n.replace(",", "")) for m in found for n in m.groups()]


def out_file(scratch, turn, kind):
    return os.path.join(scratch, "%s.%s" % (turn, kind))


class Result:
    """All repetitions of one program.  Runs and numbers stand under the names of turns."""

    def __init__(self, name, argv):
        self.name = name
        self.argv = argv
        self.runs = {}                      # lists of Run
        self.numbers = {}                   # lists of what Turn.read returned
        self.remarks = []                   # complaints

    def measure(self, turn, bench):
        """Runs the program natively, if TURN is None, or in TURN, and returns its Run."""
        name, argv = turn.name if turn else "native", self.argv
        log = os.path.join(bench.scratch, name + ".log")
        if turn:
            files = {kind: out_file(bench.scratch, name, kind) for kind in turn.files}
            for old in (log, *files.values()):
                if os.path.exists(old):
                    os.unlink(old)
            argv = [bench.valgrind, "--tool=" + turn.tool, "--stats=yes", "--log-file=" + log, *turn.options,
                    *("--%s-out-file=%s" % file for file in files.items()), *argv]
        done = run(argv, bench.scratch)
        if turn:
            if done.out != self.runs["native"][0].out:
                fail("%s: other output under %s" % (self.name, name))
            done.out = None
            done.check_peak()
            if turn.read:
                with open(log, errors="replace") as f:
                    self.numbers.setdefault(name, []).append(turn.read(f.read(), files))
        self.runs.setdefault(name, []).append(done)
        return done

    def number(self, turn, name, of=max):
        """Returns the greatest NAME that TURN's repetitions had: there are limits to keep."""
        return of(numbers[name] for numbers in self.numbers[turn.name])

    def ratios(self, a, b, what="cpu"):
        """Returns the ratios of turns A and B, both of the same repetition."""
        return [getattr(x, what) / getattr(y, what) for x, y in zip(self.runs[a.name], self.runs[b.name])]

    def ratio(self, a, b, what="cpu"):
        return statistics.median(self.ratios(a, b, what))

    def median(self, turn, what="cpu"):
        """Returns the median of TURN, or without Valgrind if it is None."""
        return statistics.median(getattr(r, what) for r in self.runs[turn.name if turn else "native"])

    def extra_peak(self, turn, base):
        """Returns the bytes that TURN needs beyond BASE."""
        return statistics.median(t.peak - d.peak for t, d in zip(self.runs[turn.name], self.runs[base.name]))


def record(bench, turn, name, argv):
    """Runs the program NAME natively and in TURN, for a part that needs its files.  Returns its Result."""
    result = Result(name, argv)
    result.measure(None, bench)
    result.measure(turn, bench)
    return result


def mean(results, a, b, what="cpu"):
    """Returns the geometric mean of the ratios of RESULTS in turns A and B."""
    return geometric_mean(r.ratio(a, b, what) for r in results)
