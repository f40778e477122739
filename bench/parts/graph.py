"""The DCFG alone, beside none and callgrind."""
import os

from measure import layout, spread
from part import Part, Turn, mean, said
from programs import KERNELS, REAL


def read(log, files):
    blocks, edges, ms = said(log, r"dcfg: wrote .*: ([\d,]+) blocks, ([\d,]+) edges,", r"dcfg: (\d+) ms to write the DCFG$")
    return {"blocks": blocks, "edges": edges, "ms": ms, "bytes": os.path.getsize(files["dcfg"])}


NONE = Turn("none", tool="none", files=())
DCFG = Turn("dcfg", read=read)
CALLGRIND = Turn("callgrind", tool="callgrind", files=("callgrind",), once=True)


class Costs(Part):
    TURNS = (NONE, DCFG, CALLGRIND)
    PROGRAMS = KERNELS + REAL

    def table(self, results):
        rows = [["", "native", "none", "", "callgrind", "dcfg", "peak MB", "peak MB", "peak MB", "", "", "DCFG", "end"],
                ["program", "s", "s", "dcfg/none", "/none", "/callgrind", "none", "dcfg", "callgr.", "blocks", "edges",
                 "MB", "ms"]]
        for r in results:
            rows.append([r.name, "%.2f" % r.median(None), "%.2f" % r.median(NONE), spread(r.ratios(DCFG, NONE)),
                         "%.2f" % r.ratio(CALLGRIND, NONE), "%.2f" % r.ratio(DCFG, CALLGRIND)]
                        + ["%.0f" % (r.median(turn, "peak") / 1e6) for turn in self.TURNS]
                        + ["%d" % r.number(DCFG, "blocks"), "%d" % r.number(DCFG, "edges"),
                           "%.1f" % (r.number(DCFG, "bytes") / 1e6), "%d" % r.number(DCFG, "ms")])
        return layout(rows)

    def summary(self, results):
        native = Turn("native")
        return layout([["geometric mean", "", "target"],
                       ["dcfg/none", "%.2f" % mean(results, DCFG, NONE), "at most 1.25"],
                       ["dcfg/none, elapsed time", "%.2f" % mean(results, DCFG, NONE, "wall"), ""],
                       ["callgrind/none", "%.2f" % mean(results, CALLGRIND, NONE), ""],
                       ["dcfg/callgrind", "%.2f" % mean(results, DCFG, CALLGRIND), "at most 0.40"],
                       ["dcfg/callgrind, elapsed time", "%.2f" % mean(results, DCFG, CALLGRIND, "wall"), ""],
                       ["dcfg/callgrind, peak memory", "%.2f" % mean(results, DCFG, CALLGRIND, "peak"), "at most 1.30"],
                       ["dcfg/native", "%.1f" % mean(results, DCFG, native), ""]])
