#!/usr/bin/python3
"""When gem5's counters of addresses stop a simulation, for regions as its LooppointJsonLoader or LooppointCsvLoader read them.

    gem5_regions.py REGIONS EXECUTED

EXECUTED has a line for each executed instruction that may matter, of all processors in their order: its address and a text.
Prints, for each pair of an address and a count that was reached: regions, what of them, and the text.  Exits with 1 if one was
not reached.
"""
import csv
import json
import sys


def from_json(path):
    """{region: {name: (pc, count)}}, from objects whose members must all be there."""
    with open(path) as f:
        regions = json.load(f)
    found = {}
    for name, r in regions.items():
        sim = r["simulation"]
        found[int(name)] = ends = {"start": (sim["start"]["pc"], sim["start"]["global"]), "end": (sim["end"]["pc"], sim["end"]["global"])}
        int(sim["end"]["relative"]), float(r["multiplier"])
        for end, m in r.get("warmup", {}).items():
            ends["warmup " + end] = m["pc"], m["count"]
    return found


def from_csv(path):
    """Likewise: rows are divided at blanks, then at commas."""
    found = {}
    with open(path, newline="") as f:
        for row in csv.reader(f, delimiter=" ", quotechar="|"):
            if row and row[0] in ("cluster", "Warmup"):
                w = row[4 if row[0] == "cluster" else 3].split(",")
                ends = (int(w[3], 16), int(w[6])), (int(w[7], 16), int(w[10]))
                kind = "" if row[0] == "cluster" else "warmup "
                found.setdefault(int(w[2 if row[0] == "cluster" else 0]), {}).update({kind + "start": ends[0], kind + "end": ends[1]})
    return found


def run(regions, executed):
    """Count as each instruction retires."""
    targets = {}
    for name, ends in regions.items():
        for end, pair in ends.items():
            targets.setdefault(pair, []).append("%d %s" % (name, end))
    counts = {pc: 0 for pc, _ in targets}
    for line in executed:
        pc, _, text = line.partition(" ")
        pc = int(pc, 16)
        if pc in counts:
            counts[pc] += 1
            for what in targets.pop((pc, counts[pc]), []):
                print(what, text.strip())
    return [what for whats in targets.values() for what in whats]


def main(args):
    with open(args[1]) as executed:
        left = run((from_csv if args[0].endswith(".csv") else from_json)(args[0]), executed)
    print("".join("not reached: %s\n" % what for what in left), end="")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
