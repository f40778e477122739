"""Whole execution traces, and how small they are."""
import os
import subprocess

from measure import ENV, fail, layout, spread
from part import Part, Turn, mean, out_file, said
from parts.graph import DCFG, NONE


def read(log, files):
    return {"instrs": said(log, r"dcfg: wrote \S+\.wet: ([\d,]+) instructions")[0], "bytes": os.path.getsize(files["wet"])}


WET = Turn("wet", options=("--wet=yes",), files=("dcfg", "wet"), read=read)
# The whole of a trace would take xz minutes.
PIECES, PIECE, BUFFER = 16, 1 << 21, 1 << 16
MEAN = ("bzip2", "gzip", "perl", "matrix")  # the targets are for these


def xz_share(path):
    """Returns what xz -1, which slower compressors hardly improve, leaves of PIECES from all over a file."""
    size = os.path.getsize(path)
    step = max(size // PIECES, PIECE)
    xz = subprocess.Popen(["xz", "-1", "-T1", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV)
    counter = subprocess.Popen(["wc", "-c"], stdin=xz.stdout, stdout=subprocess.PIPE, env=ENV)
    xz.stdout.close()
    given = 0
    with open(path, "rb") as f:
        for begin in range(0, size, step):
            f.seek(begin)
            for _ in range(PIECE // BUFFER):
                given += xz.stdin.write(f.read(BUFFER))
    xz.stdin.close()
    left = int(counter.communicate()[0])
    if xz.wait() != 0:
        fail("xz failed")
    return left / given


class Costs(Part):
    TURNS = (NONE, DCFG, WET)
    PROGRAMS = (*MEAN, "recurse")

    def __init__(self, bench):
        super().__init__(bench)
        self.compressed = {}                # the share that xz leaves, by programs

    def after(self, result, last):
        path = out_file(self.bench.scratch, WET.name, "wet")
        if not os.path.exists(path):
            return
        if result.name not in self.compressed:
            self.compressed[result.name] = xz_share(path)
        os.unlink(path)

    def bits(self, result):
        """Returns the bits of an instruction in a trace: as it is, and after xz."""
        bits = 8 * result.number(WET, "bytes") / result.number(WET, "instrs")
        return bits, bits * self.compressed[result.name]

    def table(self, results):
        rows = [["", "wet", "", "bits an", "after", "MB more"], ["program", "s", "/none", "instr.", "xz -1", "than dcfg"]]
        for r in results:
            rows.append([r.name, "%.2f" % r.median(WET), spread(r.ratios(WET, NONE)), *("%.2f" % bits for bits in self.bits(r)),
                         "%.0f" % (r.extra_peak(WET, DCFG) / 1e6)])
        return layout(rows)

    def summary(self, results):
        some = [r for r in results if r.name in MEAN]
        if not some:
            return ""
        most = max(results, key=lambda r: r.extra_peak(WET, DCFG))
        bits, after = zip(*(self.bits(r) for r in results))
        return layout([["geometric mean of %s" % ", ".join(r.name for r in some), "", "target"],
                       ["wet/none", "%.2f" % mean(some, WET, NONE), "at most 5.00"],
                       ["most bits an instruction", "%.2f" % max(bits), "at most 4.50"],
                       ["most after xz -1", "%.2f" % max(after), "at most 2.50"],
                       ["largest extra memory, MB, %s" % most.name, "%.0f" % (most.extra_peak(WET, DCFG) / 1e6),
                        "at most 256"]]) + "\nxz of at most %d MiB of a trace, in pieces" % (PIECES * PIECE >> 20)
