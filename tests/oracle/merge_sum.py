#!/usr/bin/python3
"""Checks that a DCFG is the sum of others.

    merge_sum.py [--keep] SUM FILE...

Code at the same offset in images of the same name is the same code.  By the definition of a sum:

- Each block of a FILE is one or several blocks of SUM, one behind the other, with the same instructions in all.  A
  block of SUM was executed as often as the blocks of all FILEs that it is a part of, in each thread.
- An edge of SUM is one of a FILE, or goes from one part of a FILE's block to the next one; its counts are the sums.
- A block of SUM begins where a block of a FILE begins or ends, or where edges of different parts meet.
- Symbols are those of the FILEs, and so are lines: each byte's line, and the number of instructions in a block's lines.
- A call bypass exists if one is in a FILE, or if the sum has a call and a return to behind it.

--keep: threads of the FILEs are side by side, in the order of process ids.  Nothing here knows how dcfg merge does it.
Exit status 0: it is the sum, 1: it is not, 2: a file cannot be read.
"""
import os
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from dcfg_model import Broken, load, parse, read_bytes

LIMIT = 20


class Complaints:
    def __init__(self):
        self.n = 0

    def __call__(self, *words):
        self.n += 1
        if self.n <= LIMIT:
            print(*words)


def places(p):
    """Return a key for each image: its name, and its number among those of that name; by identity of the image."""
    seen, keys = defaultdict(int), {}
    for im in p.images:
        keys[id(im)] = (im.name, seen[im.name])
        seen[im.name] += 1
    return keys


class Run:
    def __init__(self, p, names):
        self.p = p
        self.names = names                                      # names of files, by id
        self.keys = places(p)
        self.at = {b.id: (self.keys[id(b.image)], b.start - b.image.load) for b in p.blocks.values()}
        self.counts = defaultdict(lambda: defaultdict(int))     # counts of blocks, by thread
        for e in p.edges:
            for t, n in enumerate(e.counts):
                if n and e.dst in p.blocks:
                    self.counts[e.dst][t] += n


def merge(runs, total, keep, bad):
    start_of = {total.at[b.id]: b for b in total.p.blocks.values()}
    blocks = defaultdict(lambda: defaultdict(int))
    edges = defaultdict(lambda: defaultdict(int))
    types = defaultdict(set)
    bypasses, begins, ends = set(), set(), set()
    instrs = defaultdict(int)
    base = 0
    for run in sorted(runs, key=lambda r: r.p.pid) if keep else runs:
        last = {}
        for b in run.p.blocks.values():
            key, at = run.at[b.id]
            begins.add((key, at))
            ends.add((key, at + b.size))
            n, end, before = 0, at + b.size, None
            while at < end:
                part = start_of.get((key, at))
                if part is None or at + part.size > end:
                    bad("block: %s+%#x of %s is not one of the sum's" % (key[0], at, run.p.pid))
                    break
                for t, count in run.counts[b.id].items():
                    blocks[part.id][base + t] += count
                    instrs[base + t] += part.ninstr * count
                    if before is not None:
                        edges[before, part.id][base + t] += count
                        types[before, part.id].add("FALL_THROUGH")
                n, before = n + part.ninstr, part.id
                at += part.size
                last[b.id] = part.id
                if at == end and end - part.size + part.last != run.at[b.id][1] + b.last:
                    bad("last-offset: %s+%#x" % (key[0], at))
            if before is not None and n != b.ninstr:
                bad("instructions: %s+%#x has %d, its parts %d" % (key[0], run.at[b.id][1], b.ninstr, n))
        for e in run.p.edges:
            pair = (last.get(e.src, e.src), start_of[run.at[e.dst]].id if e.dst in run.at else e.dst)
            types[pair].add(e.type)
            for t, n in enumerate(e.counts):
                if n:
                    edges[pair][base + t] += n
            if not e.total:
                bypasses.add(pair)
        if keep:
            base += len(run.p.per_thread)
    return start_of, blocks, edges, types, bypasses, begins, ends, instrs


def plain(counts):
    return {t: n for t, n in counts.items() if n}


def check_blocks(total, blocks, begins, ends, bad):
    meets = defaultdict(set)
    for e in total.p.edges:
        if e.type == "FALL_THROUGH":
            meets[e.dst].add(e.src)
    for b in total.p.blocks.values():
        if plain(blocks[b.id]) != plain(total.counts[b.id]):
            bad("count: %s+%#x: %s, should be %s" % (total.at[b.id][0][0], total.at[b.id][1],
                                                     plain(total.counts[b.id]), plain(blocks[b.id])))
        if total.at[b.id] not in begins and total.at[b.id] not in ends and len(meets[b.id]) < 2:
            bad("division: nothing divides %s+%#x" % (total.at[b.id][0][0], total.at[b.id][1]))


def check_edges(total, edges, types, bypasses, bad):
    found = {}
    for e in total.p.edges:
        pair = (e.src, e.dst)
        found[pair] = e
        if plain(edges.get(pair, {})) != {t: n for t, n in enumerate(e.counts) if n}:
            bad("edge: %s: %s, should be %s" % (pair, e.counts, dict(edges.get(pair, {}))))
        if e.total and e.type not in types[pair]:
            bad("type: %s: %s, the runs have %s" % (pair, e.type, types[pair]))
        if not e.total and pair not in bypasses:
            out = {x.type for x in total.p.edges if x.src == e.src and x.total}
            into = {x.type for x in total.p.edges if x.dst == e.dst and x.total}
            if e.type != "CALL_BYPASS" or not out & {"DIRECT_CALL", "INDIRECT_CALL"} or "RETURN" not in into:
                bad("bypass: %s %s is in no run" % (pair, e.type))
    for pair in set(edges) | bypasses:
        if pair not in found:
            bad("edge: %s is missing" % (pair,))


def lines(run):
    """Return the line of each byte of executed code, by image and offset."""
    found = {}
    for im in run.p.images:
        key = run.keys[id(im)]
        for row in im.source or ():
            file, line, offset, size = row[:4]
            for k in range(size):
                found[key, offset + k] = (run.names[file], line)
    return found


def check_tables(runs, total, bad):
    symbols, theirs = {}, {}
    for run in runs:
        for im in run.p.images:
            if im.symbols:
                symbols[run.keys[id(im)]] = [tuple(s) for s in im.symbols]
    for im in total.p.images:
        theirs[total.keys[id(im)]] = [tuple(s) for s in im.symbols or ()]
    for key, rows in symbols.items():
        if theirs.get(key) != rows:
            bad("symbols: %s" % (key,))
    names = {run.keys[id(im)] for run in runs for im in run.p.images}
    if names != set(total.keys.values()):
        bad("images: %s" % (names ^ set(total.keys.values())))
    want = {}
    for run in runs:
        want.update(lines(run))
    have = lines(total)
    for place in set(want) | set(have):
        if want.get(place) != have.get(place):
            bad("line: %s+%#x: %s, should be %s" % (place[0][0], place[1], have.get(place), want.get(place)))


def quiet(rule, text):
    """Ignore problems of a file: they are checked elsewhere."""


def read(path):
    names = dict(parse(read_bytes(path), quiet)["FILE_NAMES"][1:])
    return [Run(p, names) for p in load(path, quiet)]


def check(total_path, paths, keep, bad):
    total, runs = read(total_path)[0], [run for path in paths for run in read(path)]
    start_of, blocks, edges, types, bypasses, begins, ends, instrs = merge(runs, total, keep, bad)
    check_blocks(total, blocks, begins, ends, bad)
    check_edges(total, edges, types, bypasses, bad)
    check_tables(runs, total, bad)
    if [instrs[t] for t in range(len(total.p.per_thread))] != total.p.per_thread:
        bad("instructions: %s, should be %s" % (total.p.per_thread, dict(instrs)))
    if total.p.pid != min(r.p.pid for r in runs):
        bad("process: %d" % total.p.pid)


def main(argv):
    keep = argv[:1] == ["--keep"]
    argv = argv[keep:]
    if len(argv) < 2 or argv[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    bad = Complaints()
    try:
        check(argv[0], argv[1:], keep, bad)
    except (Broken, OSError, EOFError) as e:
        print("unreadable: %s" % e)
        return 2
    print("%d differences" % bad.n)
    return 1 if bad.n else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
