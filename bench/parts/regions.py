"""Regions: the costs of waiting for one, and of being in one."""
from measure import layout, spread
from part import Part, Turn, mean
from parts.graph import DCFG, NONE

REGIONS = (                                 # the turn, the one to compare with, the target
    (Turn("off", options=("--instr-atstart=no",)), NONE, "at most 1.05"),
    (Turn("waiting", options=("--start=main:1000000000", "--stop=no_such_function")), NONE, "at most 1.10"),
    (Turn("inside", options=("--start=instructions:1",)), DCFG, "at most 1.05"),
    (Turn("toggled", options=("--toggle-collect=main",)), DCFG, "at most 1.50"),
    (Turn("only-main", options=("--only-images=main",)), DCFG, "at most 1.10"),
)


class Costs(Part):
    TURNS = (NONE, DCFG, *(turn for turn, *_ in REGIONS))
    PROGRAMS = ("interp-goto", "bzip2", "perl")

    def table(self, results):
        rows = [["program", *("%s/%s" % (turn.name, base.name) for turn, base, _ in REGIONS)]]
        for r in results:
            rows.append([r.name, *(spread(r.ratios(turn, base)) for turn, base, _ in REGIONS)])
        return layout(rows)

    def summary(self, results):
        return layout([["geometric mean", "", "target"],
                       *(["%s/%s" % (turn.name, base.name), "%.2f" % mean(results, turn, base), target]
                         for turn, base, target in REGIONS)]
                      ) + "".join("\n%s: %s" % (turn.name, " ".join(turn.options)) for turn, *_ in REGIONS)
