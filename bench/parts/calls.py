"""A graph with calls and their costs."""
from measure import layout, spread
from part import Part, Turn, mean
from parts.graph import DCFG, NONE
from programs import KERNELS, REAL

CALLS = Turn("calls", options=("--calls=yes",))


class Costs(Part):
    TURNS = (NONE, DCFG, CALLS)
    PROGRAMS = KERNELS + REAL

    def table(self, results):
        rows = [["", "calls", "", "", "MB more"], ["program", "s", "calls/none", "/dcfg", "than dcfg"]]
        for r in results:
            rows.append([r.name, "%.2f" % r.median(CALLS), spread(r.ratios(CALLS, NONE)),
                         "%.2f" % r.ratio(CALLS, DCFG), "%.0f" % (r.extra_peak(CALLS, DCFG) / 1e6)])
        return layout(rows)

    def summary(self, results):
        return layout([["geometric mean", "", "target"],
                       ["calls/none", "%.2f" % mean(results, CALLS, NONE), "at most 1.50"],
                       ["calls/none, elapsed time", "%.2f" % mean(results, CALLS, NONE, "wall"), ""],
                       ["calls/dcfg", "%.2f" % mean(results, CALLS, DCFG), ""]])
