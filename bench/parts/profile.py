"""Profiles in Callgrind's format, beside callgrind's own."""
from measure import fail, layout, say, spread
from part import Part, Turn, mean, out_file
from parts.graph import CALLGRIND, NONE
from programs import KERNELS, REAL

DETAILS = ("--dump-instr=yes", "--collect-jumps=yes")
UNCOUNTED = 100                             # instructions of a thread that callgrind's profile may lack
UNLIKE = 1e-5                               # share of instructions that differs from run to run in a program with
                                            # threads
PROFILE = Turn("profile", options=("--callgrind=yes",), files=("dcfg", "callgrind"))
# +: with DETAILS
PROFILE_MORE = Turn("profile+", options=("--callgrind=yes", *DETAILS), files=("dcfg", "callgrind"), once=True)
CALLGRIND_MORE = Turn("callgrind+", tool="callgrind", options=DETAILS, files=("callgrind",), once=True)
PROFILES = ((PROFILE, CALLGRIND), (PROFILE_MORE, CALLGRIND_MORE))   # ours, and the one to compare with


def after(path, start):
    """Returns the text behind START in the first line that begins with it.  The file can be large: see Run."""
    with open(path, "rb") as f:
        for line in f:
            if line.lstrip().startswith(start):
                return line.strip()[len(start):]
    fail("%s has no line %s" % (path, start.decode()))


class Costs(Part):
    TURNS = (NONE, *sum(PROFILES, ()))
    PROGRAMS = KERNELS + REAL

    def after(self, result, last):
        """Checks that both counted the same instructions."""
        if len(result.runs[PROFILE.name]) != len(result.runs[CALLGRIND.name]):
            return
        for ours, theirs in PROFILES:
            total, others = (int(after(out_file(self.bench.scratch, turn.name, "callgrind"), b"totals:"))
                             for turn in (ours, theirs))
            threads = after(out_file(self.bench.scratch, ours.name, "dcfg"), b'"INSTR_COUNT_PER_THREAD" :')
            threads = threads.strip(b" [],").split(b",")
            unlike = UNLIKE * others if len(threads) > 1 else 0
            if not -unlike <= total - others <= UNCOUNTED * len(threads) + unlike:
                result.remarks.append("%s: %d instructions in the profile of %s, %d in that of %s; threads: %d" % (
                    result.name, total, ours.name, others, theirs.name, len(threads)))
                say(result.remarks[-1])

    def table(self, results):
        rows = [[""], ["program"]]
        for ours, theirs in PROFILES:
            rows[0] += [ours.name, "", "", "peak mem."]
            rows[1] += ["s", ours.name + "/none", "/" + theirs.name, "/" + theirs.name]
        for r in results:
            rows.append([r.name])
            for ours, theirs in PROFILES:
                rows[-1] += ["%.2f" % r.median(ours), spread(r.ratios(ours, NONE)), "%.2f" % r.ratio(ours, theirs),
                             "%.2f" % r.ratio(ours, theirs, "peak")]
        return layout(rows)

    def summary(self, results):
        rows = [["geometric mean", "", "target"]]
        for ours, theirs in PROFILES:
            both = ours.name + "/" + theirs.name
            rows += [[ours.name + "/none", "%.2f" % mean(results, ours, NONE), ""],
                     [theirs.name + "/none", "%.2f" % mean(results, theirs, NONE), ""],
                     [both, "%.2f" % mean(results, ours, theirs), "at most 0.60"],
                     [both + ", elapsed time", "%.2f" % mean(results, ours, theirs, "wall"), ""],
                     [both + ", peak memory", "%.2f" % mean(results, ours, theirs, "peak"), ""]]
        return layout(rows) + "\n+: with " + " ".join(DETAILS)
