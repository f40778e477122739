#!/usr/bin/python3
"""Regions of concatenated vectors, as pcregions.py of the PinPlay scripts makes lines of CSV of them.

    looppoint_regions.py VECTORS SIMPOINTS WEIGHTS LABELS

A slice ends at the marker behind its vector.  The relative count of the end is how often its block is in the slice's vector, of
all threads, and one more for the end itself, unless the slice begins at the same instruction.
"""
import re
import sys


def read(path):
    """(number of threads, [(marker, [(block, instructions)])], marker behind them, {pc: (block, its instructions)}, greatest)."""
    with open(path) as f:
        lines = f.read().splitlines()
    threads = int(lines[0].split()[2]) if "num_threads" in lines[0] else 1
    slices, marker, blocks = [], None, {}
    for line in lines:
        if line[:2] in ("S:", "M:"):
            marker = line.split()
        elif line.startswith("T"):
            slices.append((marker, [(int(a), int(n)) for a, n in re.findall(r":(\d+):(\d+)", line)]))
            marker = None
        elif line.startswith("Block id:"):
            w = line.split()
            blocks[w[3].split(":")[0]] = int(w[2]), int(w[6])
    return threads, slices, marker, blocks, max(b for b, _ in blocks.values())


def regions(vectors, simpoints, weights, labels):
    threads, slices, last, blocks, greatest = read(vectors)
    pairs = lambda path: [line.split() for line in open(path)]
    chosen = {int(c): int(s) for s, c in pairs(simpoints)}
    weight = {int(c): float(w) for w, c in pairs(weights)}
    cluster = [int(p[0]) for p in pairs(labels)]
    sizes = [sum(n for _, n in v) for _, v in slices]
    for c, s in sorted(chosen.items()):
        start, end = slices[s][0], slices[s + 1][0] if s + 1 < len(slices) else last
        if end is None:
            raise ValueError("slice %d has no end" % s)
        block, instrs = blocks[end[1]]
        same = {block + greatest * t for t in range(threads)}
        relative = sum(n for b, n in slices[s][1] if b in same) // instrs + (start[1] != end[1])
        place = lambda m: "%s,%s,%s,%s" % (m[1], m[3].split("/")[-1], m[6], m[2])
        share = sum(n for n, k in zip(sizes, cluster) if k == c) / sum(sizes)
        yield "cluster %d from slice %d,global,%d,%s,%s,%d,%d,%.5f,%.3f,simulation" % (
            c, s, c + 1, place(start), place(end), relative, sizes[s], weight[c], share * len(slices))


def main(args):
    try:
        print("\n".join(regions(*args)))
    except (ValueError, KeyError, IndexError) as e:
        print("%s" % e)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
