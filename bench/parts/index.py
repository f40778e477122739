"""The index of a long whole execution trace, and steps of dcfg why that use it."""
import os
import statistics

from measure import command, layout, run
from part import Part, out_file, record
from parts.wet import WET


class Costs(Part):
    ROUNDS = "5"                            # 0.9 billion instructions
    # Texts of lines of bench/index.c: each is a step.
    LINES = ("counts[text[i]]++", "total += price_of", "shop.discount = 11", "printf", "if (r == 3)",
             "seed = seed", "text[i] = ", "long p = k", "a[i] = next")

    def __init__(self, bench):
        super().__init__(bench)
        self.command = command(bench.valgrind)
        self.prog = bench.programs.compile("index", "-g", "-O0")
        self.wet = os.path.join(bench.scratch, "index.wet")
        with open(os.path.join(bench.srcdir, "bench", "index.c")) as f:
            text = f.read().splitlines()
        self.lines = [n for part in self.LINES for n, line in enumerate(text, 1) if part in line][:10]
        self.made, self.steps = [], []

    def prepare(self):
        self.n = record(self.bench, WET, "index", [self.prog, self.ROUNDS]).number(WET, "instrs")
        os.replace(out_file(self.bench.scratch, WET.name, "wet"), self.wet)

    def why(self, line):
        done = run([self.command, "why", self.wet, "index.c:%d" % line], self.bench.scratch)
        done.check_peak()
        return done

    def measure(self):
        if os.path.exists(self.wet + ".idx"):
            os.unlink(self.wet + ".idx")
        made = self.why(self.lines[0])
        self.made.append((made.wall, made.cpu, made.peak))
        self.steps += [(step.wall, step.peak) for step in map(self.why, self.lines)]

    def table(self, _results):
        walls, cpus, peaks = zip(*self.made)
        steps, step_peaks = zip(*self.steps)
        size = os.path.getsize(self.wet + ".idx") / os.path.getsize(self.wet)
        return layout([["index of %.0f million instructions" % (self.n / 1e6), "", "target"],
                       ["made in, s", "%.1f" % statistics.median(walls), "at most %.0f" % (15 * self.n / 1e9)],
                       ["of a processor, s", "%.1f" % statistics.median(cpus), ""],
                       ["peak MB", "%.0f" % (max(peaks) / 1e6), "at most 512"],
                       ["of the trace, %", "%.2f" % (100 * size), "at most 10"],
                       ["a step of dcfg why, median, ms", "%.0f" % (1000 * statistics.median(steps)), "at most 200"],
                       ["the slowest step, ms", "%.0f" % (1000 * max(steps)), ""],
                       ["peak MB of a step", "%.0f" % (max(step_peaks) / 1e6), "at most 400"]])
