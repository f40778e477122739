"""A large program in all turns: much code, most of which runs seldom."""
import os

from measure import layout
from part import Part, out_file
from parts.graph import CALLGRIND, DCFG, NONE
from parts.profile import PROFILE
from parts.trace import TRACED
from parts.wet import WET
from parts.xray import XRAY
from programs import LARGE


def kept_trace(scratch):
    """Returns the path at which the whole execution trace of the large program is kept for the part `slice'."""
    return os.path.join(scratch, "large.wet")


class Costs(Part):
    TURNS = (NONE, DCFG, XRAY, PROFILE, TRACED, WET, CALLGRIND)
    PROGRAMS = (LARGE,)
    ONCE = True

    def after(self, result, last):
        os.replace(out_file(self.bench.scratch, WET.name, "wet"), kept_trace(self.bench.scratch))

    def table(self, results):
        rows = []
        for r in results:
            rows += [["%s, %.0f million instructions" % (r.name, r.number(WET, "instrs") / 1e6), "s", "/none", "elapsed s",
                      "peak MB", "more than dcfg"]]
            for turn in self.TURNS:
                rows.append([turn.name, "%.1f" % r.median(turn), "%.2f" % r.ratio(turn, NONE),
                             "%.1f" % r.median(turn, "wall"), "%.0f" % (r.median(turn, "peak") / 1e6),
                             "%.0f" % (r.extra_peak(turn, DCFG) / 1e6)])
        return layout(rows)

    def summary(self, results):
        rows = [["", "", "target"]]
        for r in results:
            blocks, ms = (r.number(DCFG, name) for name in ("blocks", "ms"))
            rows += [["blocks of %s" % r.name, "%d" % blocks, ""],
                     ["end of %s, ms for 100000 blocks" % r.name, "%.0f" % (ms * 1e5 / blocks), "at most 2000"]]
        return layout(rows)
