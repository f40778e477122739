#!/usr/bin/python3
"""Self-test of lackey_path, which finds a program's path in Lackey's trace: it reads made-up instruction traces, right and
wrong ones.  (TAP)
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
import tracelib
from trace_files import EDGES, NODES, THREAD_EDGES, good_dcfg, read_ids


def walk(tap, lines):
    """Returns (exit status, edges, text).  Blocks are at 0x400000 + 64 * id, with instructions of 2 bytes."""
    table, out = tap.path("walk.table"), tap.path("walk.ids")
    with open(tap.path("walk.dcfg"), "w") as f:
        json.dump(good_dcfg(), f)
    with open(table, "w") as f:
        tracelib.trace_table.write(f.name.replace("table", "dcfg"), f)
    r = subprocess.run([tracelib.compiled(tap, "lackey_path"), table, out],
                       input="".join(lines).encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return r.returncode, list(read_ids(out)), r.stdout.decode()


def lackey_lines(ids):
    out = ["==1== Lackey\n"]
    for e in ids:
        node = EDGES[e][1]
        for i in range(NODES.get(node, 0)):
            out.append("I  %08x,2\n" % (0x400000 + 64 * node + 2 * i))
            out.append(" L 1ffeffe7e%x,8\n" % i)
    return out


def check_lackey_path(tap):
    for ids in THREAD_EDGES.values():
        status, got, text = walk(tap, lackey_lines(ids))
        tap.ok(status == 0 and got == ids, "lackey_path: a walk of %d edges" % len(ids), text)
    lines = lackey_lines(THREAD_EDGES[1])

    def without(n):
        return [l for i, l in enumerate(lines) if i != n]
    for what, changed, want in (("an instruction too few", without(3), "left in the middle of a block"),
                                ("the last one missing", lines[:-2], "no edge to the end"),
                                ("an end in the middle", lines[:5], "an end in the middle"),
                                ("an unknown address", lines + ["I  00000500,2\n"], "no block begins there"),
                                ("no such edge", lines + ["I  %08x,2\n" % (0x400000 + 64 * 5)], "no such edge")):
        status, _, text = walk(tap, changed)
        tap.ok(status == 1 and want in text, "lackey_path: " + what, text)
    check_given_way(tap)


def check_given_way(tap):
    def follow(ids, lines):
        with open(tap.path("way"), "wb") as f:
            f.write(b"".join(e.to_bytes(4, "little") for e in ids))
        r = subprocess.run([tracelib.compiled(tap, "lackey_path"), "-c", tap.path("walk.table"), tap.path("way")],
                           input="".join(lines).encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return r.returncode, r.stdout.decode()

    ids = THREAD_EDGES[1]
    lines = lackey_lines(ids)
    for edges in THREAD_EDGES.values():
        status, text = follow(edges, lackey_lines(edges))
        tap.ok(status == 0 and "edges %d\n" % len(edges) in text and "failed 0\n" in text,
               "lackey_path -c: a way of %d edges" % len(edges), text)
    for what, way, changed in (("a longer way", ids[:2] + [3] + ids[2:], lines),
                               ("a way without an edge", ids[:1] + ids[2:], lines),
                               ("a way without its end", ids[:-1], lines),
                               ("a way that goes on", ids + [1], lines),
                               ("another way", THREAD_EDGES[0], lines),
                               ("an instruction too few", ids, lines[:3] + lines[5:]),
                               ("an unknown edge", [1, 2, 9, 5, 6], lines)):
        status, text = follow(way, changed)
        tap.ok(status != 0 and "lackey_path: " in text, "lackey_path -c: " + what, text)
    # Failed attempts, after which execution continues as if they had not been: at an address without a block; at the begin
    # of a block that cannot follow; and of one that could.
    for what, where, after in (("nowhere", 0x500, 1), ("elsewhere", 0x400000 + 64 * 4, 1),
                               ("that could succeed", 0x400000 + 64 * 5, 2)):
        done = lackey_lines(ids[:after])
        status, text = follow(ids, done + ["I  %08x,2\n" % where] + lines[len(done):])
        tap.ok(status == 0 and "failed 1\n" in text, "lackey_path -c: a failed attempt " + what, text)


def main():
    tap = harness.Tap("lackeypath")
    if tracelib.compiled(tap, "lackey_path"):
        check_lackey_path(tap)
    tap.done()


if __name__ == "__main__":
    main()
