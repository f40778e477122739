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
    ONCE = True                             # three minutes

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
        return "\n".join("%s: %d blocks, %d ms to write its DCFG" % (r.name, r.number(DCFG, "blocks"), r.number(DCFG, "ms"))
                         for r in results)
