"""XRay logs."""
from measure import layout, spread
from part import Part, Turn, mean, said
from parts.graph import DCFG, NONE
from programs import KERNELS, REAL


def read(log, _files):
    return {"events": said(log, r"dcfg: wrote /dev/null: ([\d,]+) entries and exits")[0]}


# Logs of some gigabytes go to /dev/null, written as usual while the program runs.
LOGGED = ("--xray=yes", "--xray-out-file=/dev/null", "--xray-map-file=/dev/null")
XRAY = Turn("xray", options=LOGGED, read=read)                      # all calls
# Calls of 1000 instructions.
XRAY_LONG = Turn("xray1000", options=(*LOGGED, "--xray-min-instrs=1000"), read=read, once=True)
LOGS = ((XRAY, "at most 3.00"), (XRAY_LONG, "at most 2.00"))


class Costs(Part):
    TURNS = (NONE, DCFG, *(turn for turn, _ in LOGS))
    PROGRAMS = KERNELS + REAL

    def table(self, results):
        rows = [["", *(word for turn, _ in LOGS for word in (turn.name, "", "million", "MB more"))],
                ["program", *(word for _ in LOGS for word in ("s", "/none", "events", "than dcfg"))]]
        for r in results:
            rows.append([r.name])
            for turn, _ in LOGS:
                rows[-1] += ["%.2f" % r.median(turn), spread(r.ratios(turn, NONE)),
                             "%.1f" % (r.number(turn, "events") / 1e6), "%.0f" % (r.extra_peak(turn, DCFG) / 1e6)]
        return layout(rows)

    def summary(self, results):
        most = max(results, key=lambda r: r.extra_peak(XRAY, DCFG))
        return layout([["geometric mean", "", "target"],
                       *([turn.name + "/none", "%.2f" % mean(results, turn, NONE), target] for turn, target in LOGS),
                       ["largest extra memory, MB, %s" % most.name, "%.0f" % (most.extra_peak(XRAY, DCFG) / 1e6),
                        "at most 64"]])
