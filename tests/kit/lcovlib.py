"""Tracefiles of lcov, for the tests."""
import collections
import subprocess

import harness


def read_info(path):
    """Reads {file: {"DA": {line: n}, "FN": {name: n}, "BR": {(line, branch): [n, n]}}}, and checks totals."""
    files, cur, late = {}, None, {}
    with open(path) as f:
        for line in f.read().splitlines():
            key, _, value = line.partition(":")
            if key == "SF":
                cur = files.setdefault(value, {"DA": {}, "FN": {}, "BR": collections.defaultdict(list), "totals": {}, "declared": {}})
            elif key == "DA":
                n, count = value.split(",")
                cur["DA"][int(n)] = int(count)
            elif key == "FN":
                n, name = value.split(",")
                cur["declared"][name] = int(n)
            elif key == "FNDA":
                count, name = value.split(",")
                cur["FN"][name] = int(count)
            elif key == "FNL":                  # as lcov 2.x writes functions
                index, n = value.split(",")[:2]
                late[index] = int(n)
            elif key == "FNA":
                index, count, name = value.split(",", 2)
                cur["declared"][name], cur["FN"][name] = late[index], int(count)
            elif key == "BRDA":
                n, block, branch, taken = value.split(",")
                if int(branch) != len(cur["BR"][int(n), int(block)]):
                    raise ValueError(line)
                cur["BR"][int(n), int(block)].append(None if taken == "-" else int(taken))
            elif key in ("LF", "LH", "FNF", "FNH", "BRF", "BRH"):
                cur["totals"][key] = int(value)
            elif key == "end_of_record":
                ways = [n for b in cur["BR"].values() for n in b]
                if late:
                    cur["totals"].update(FNF=len(cur["FN"]), FNH=sum(n > 0 for n in cur["FN"].values()))
                late = {}
                if cur["totals"] and cur["totals"] != {"LF": len(cur["DA"]), "LH": sum(n > 0 for n in cur["DA"].values()), "FNF": len(cur["FN"]),
                                     "FNH": sum(n > 0 for n in cur["FN"].values()), "BRF": len(ways), "BRH": sum(bool(n) for n in ways)}:
                    raise ValueError("totals %s" % cur["totals"])
    return files


def compare_branches(ours, theirs):
    """Counts branches that are the same as gcov's, and lists lines with other ones.  The machine code has no branch whose two
    ways are one; branches that gcov does not have, as those of a switch, are in block 1000."""
    same, other = 0, []
    for n in sorted(set(theirs) & set(ours["DA"])):
        mine = [w or 0 for w in ours["BR"].get((n, 0), [])]
        if (n, 1000) in ours["BR"]:
            if mine or len(theirs[n]) == 2:
                other.append("%d: gcov %s, here a switch" % (n, theirs[n]))
        elif mine and mine != theirs[n]:
            other.append("%d: gcov %s, here %s" % (n, theirs[n], mine))
        else:
            same += len(mine)
    return same, other


def unfit(path):
    """Lists what lcov from 2.2 on refuses in a tracefile: its consistency checks, written down once more."""
    bad = []
    with open(path) as f:
        for record in f.read().split("end_of_record\n")[:-1]:
            rows = [line.partition(":")[::2] for line in record.splitlines()]
            lines = {int(n): int(c) for n, c in (v.split(",") for k, v in rows if k == "DA")}
            names = dict(v.split(",", 1)[::-1] for k, v in rows if k == "FN")
            hits = collections.Counter()
            for count, name in (v.split(",", 1) for k, v in rows if k == "FNDA"):
                hits[int(names[name])] += int(count)
            ends = {int(first): int(end) for _, first, end in (v.split(",") for k, v in rows if k == "FNL")}
            starts = sorted(set(hits) | set(ends))
            for i, start in enumerate(starts):
                nxt = starts[i + 1] if i + 1 < len(starts) else 1 << 32
                ran = any(c for n, c in lines.items() if start <= n and (n <= ends[start] if start in ends else n < nxt))
                if start not in lines or ran != bool(hits[start]):
                    bad.append("%s: function at %d: %d calls, but its lines %sran" % (rows[1][1], start, hits[start], "" if ran else "never "))
            taken = collections.Counter()
            for v in (v for k, v in rows if k == "BRDA"):
                n, _, _, count = v.split(",")
                taken[int(n)] += int(count) if count != "-" else 0
            bad += ["%s:%d: executed %s times, branches %d" % (rows[1][1], n, lines.get(n), taken[n]) for n in taken
                    if n not in lines or bool(lines[n]) != bool(taken[n])]
    return bad


def lcov(tap, words):
    """Runs lcov, or genhtml, with branches: returns what it says against it."""
    branches = ["--branch-coverage"] if words[0] == "genhtml" or not is_old_lcov() else ["--rc", "lcov_branch_coverage=1"]
    r = subprocess.run(words + branches, cwd=tap.dir, env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.stdout.decode()[-900:] if r.returncode else ""


def is_old_lcov():
    return b"version 1." in subprocess.run(["lcov", "--version"], stdout=subprocess.PIPE, env=harness.ENV).stdout
