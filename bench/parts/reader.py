"""Reading a DCFG and its trace with libdcfg, and dcfg check."""
import os
import re
import statistics

from measure import command, layout, run
from part import Part, out_file, record
from parts.trace import TRACED

READ = "cc1 -O2"                            # the program whose files are read


class Costs(Part):
    # Numbers, by keys: how the reader says each, its words in the table, its form, its target.
    WHAT = {"load": (r"load .* MB: (\d+) MB/s, ", "load, MB/s", "%.0f", "at least 150"),
            "peak": (r"peak ([\d.]+) times its size", "load, peak memory / size of the file", "%.2f", "at most 4.00"),
            "check": (None, "dcfg check, s", "%.2f", "at most 3.00"),
            "decode": (r"\((\d+) with reading the file\)", "decode its trace, million edges/s", "%.0f", "at least 40")}

    def __init__(self, bench):
        super().__init__(bench)
        self.command = command(bench.valgrind)
        prefix = os.path.dirname(os.path.dirname(bench.valgrind))
        library = os.path.join(prefix, "lib")
        self.reader = bench.programs.compile("reader", "-I" + os.path.join(prefix, "include"), "-L" + library,
                                             "-Wl,-rpath," + library, "-ldcfg")
        self.argv = bench.programs.all()[READ]()
        self.values = {key: [] for key in self.WHAT}

    def prepare(self):
        """Writes the files that are read."""
        record(self.bench, TRACED, READ, self.argv)
        self.dcfg, self.trace = (out_file(self.bench.scratch, TRACED.name, kind) for kind in ("dcfg", "trace"))

    def measure(self):
        load = run([self.reader, "load", self.dcfg], self.bench.scratch)
        load.check_peak()
        decode = run([self.reader, "decode", self.trace], self.bench.scratch)
        for key, said in (("load", load), ("peak", load), ("decode", decode)):
            found = re.search(self.WHAT[key][0], said.out.decode(errors="replace"))
            self.values[key].append(float(found.group(1)))
        self.values["check"].append(run([self.command, "check", self.dcfg], self.bench.scratch).cpu)

    def table(self, _results):
        rows = [["reading %s's DCFG, %.1f MB" % (READ, os.path.getsize(self.dcfg) / 1e6), "", "target"]]
        for key, (_, what, form, target) in self.WHAT.items():
            rows.append([what, form % statistics.median(self.values[key]), target])
        return layout(rows)
