"""Slices of a large program's run: much code, most of it outside the program."""
import os
import statistics

from measure import command, layout, run
from part import Part, record
from parts import large
from parts.wet import WET
from programs import LARGE


class Costs(Part):
    # Kinds of slices: their options of dcfg slice, and the target in seconds.
    WHAT = {"thin": (("--thin", "--syscall=write"), "at most 60"),
            "default": (("--syscall=write",), "at most 120")}
    ONCE = True                             # as its program

    def __init__(self, bench):
        super().__init__(bench)
        self.command = command(bench.valgrind)
        self.argv = bench.programs.clang()
        self.wet = large.kept_trace(bench.scratch)
        if os.path.exists(self.wet):        # An earlier run can have left it.
            os.unlink(self.wet)
        self.values = {key: [] for key in self.WHAT}

    def prepare(self):
        """Records the large program, unless the part `large' has."""
        if not os.path.exists(self.wet):
            large.Costs(self.bench).after(record(self.bench, WET, LARGE, self.argv), True)

    def measure(self):
        for key, (opts, _) in self.WHAT.items():
            done = run([self.command, "slice", *opts, "--as=lines", self.wet], self.bench.scratch)
            done.check_peak()
            self.values[key].append((done.wall, done.peak))

    def table(self, _results):
        rows = [["slices of %s" % LARGE, "s", "target", "peak MB", "target"]]
        for key, (_, target) in self.WHAT.items():
            times, peaks = zip(*self.values[key])
            rows.append([key, "%.1f" % statistics.median(times), target, "%.0f" % (statistics.median(peaks) / 1e6),
                         "at most 1000"])
        return layout(rows)
