"""Whole execution traces, and how small they are."""
import os
import subprocess

from measure import ENV, fail, layout, spread
from part import Part, Turn, mean, out_file, said
from parts.graph import DCFG, NONE


def read(log, files):
    return {"instrs": said(log, r"dcfg: wrote \S+\.wet: ([\d,]+) instructions")[0], "bytes": os.path.getsize(files["wet"])}


WET = Turn("wet", options=("--wet=yes",), files=("dcfg", "wet"), read=read)
WET_VALUES = Turn("wet+", options=("--wet=yes", "--wet-values=yes"), files=("dcfg", "wet"), read=read,
                  once=True)
TRACES = (WET, WET_VALUES)
# The whole of a trace with values would take xz minutes.
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
    TURNS = (NONE, DCFG, *TRACES)
    PROGRAMS = (*MEAN, "recurse")

    def __init__(self, bench):
        super().__init__(bench)
        self.compressed = {}                # the share that xz leaves, by programs and turns

    def after(self, result, last):
        for turn in TRACES:
            path = out_file(self.bench.scratch, turn.name, "wet")
            if not os.path.exists(path):
                continue
            if (result.name, turn) not in self.compressed:
                self.compressed[result.name, turn] = xz_share(path)
            os.unlink(path)

    def bits(self, result, turn):
        """Returns the bits of an instruction in a trace: as it is, and after xz."""
        bits = 8 * result.number(turn, "bytes") / result.number(turn, "instrs")
        return bits, bits * self.compressed[result.name, turn]

    def most_bits(self, results, turn, target, after_target):
        """Returns two rows of the summary: the most bits of an instruction, as they are and after xz."""
        bits, after = zip(*(self.bits(r, turn) for r in results))
        return [["%s: most bits an instruction" % turn.name, "%.2f" % max(bits), target],
                ["%s: most after xz -1" % turn.name, "%.2f" % max(after), after_target]]

    def table(self, results):
        rows = [["", *(word for turn in TRACES for word in (turn.name, "", "bits an", "after", "MB more"))],
                ["program", *(word for _ in TRACES for word in ("s", "/none", "instr.", "xz -1", "than dcfg"))]]
        for r in results:
            rows.append([r.name])
            for turn in TRACES:
                rows[-1] += ["%.2f" % r.median(turn), spread(r.ratios(turn, NONE)),
                             *("%.2f" % bits for bits in self.bits(r, turn)),
                             "%.0f" % (r.extra_peak(turn, DCFG) / 1e6)]
        return layout(rows)

    def summary(self, results):
        some = [r for r in results if r.name in MEAN]
        if not some:
            return ""
        worst = max(some, key=lambda r: r.ratio(WET, NONE))
        most = max(results, key=lambda r: r.extra_peak(WET, DCFG))
        return layout([["geometric mean of %s" % ", ".join(r.name for r in some), "", "target"],
                       ["wet/none", "%.2f" % mean(some, WET, NONE), "at most 3.50"],
                       ["wet/none, %s" % worst.name, "%.2f" % worst.ratio(WET, NONE), "at most 5.00"],
                       ["wet+/none", "%.2f" % mean(some, WET_VALUES, NONE), "at most 5.00"],
                       *self.most_bits(results, WET, "at most 4.00", "at most 1.50"),
                       *self.most_bits(results, WET_VALUES, "at most 4.50", "at most 2.50"),
                       ["largest extra memory, MB, %s" % most.name, "%.0f" % (most.extra_peak(WET, DCFG) / 1e6),
                        "at most 256"]]) + ("\n+: with --wet-values=yes; xz of at most %d MiB of a trace, in pieces"
                                       % (PIECES * PIECE >> 20))
