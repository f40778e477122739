#!/usr/bin/python3
"""dcfg_rules.py finds what it claims to find.  (TAP)

A small right file is built.  Each test breaks it in one way and expects the one rule which forbids that, and no other.
If one error necessarily breaks two rules, both are named.  At the end, every rule name in the checker's source must
have been seen, so that a new rule cannot stay untested.
"""
import bz2
import copy
import gzip
import json
import lzma
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ORACLE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(ORACLE, os.pardir, "kit"), ORACLE]
import dcfg_model
import dcfg_rules
from small_dcfg import (HEAD, SIZES, TYPE_ID, WRONG_SIZES, add_edge, block, count_bypass, data, divide, drop_bypass, drop_edge,
                        edge, good, image, merge, merged, overlap_end, part, proc, renumber, reroute, retype, routine, run,
                        second_start, set_at, shift, swap)

TESTS = [
    # the form
    ("json-repeated-key", None),
    ("top-keys", lambda d: d.update(EXTRA=1)),
    ("version", lambda d: d.update(MINOR_VERSION=1)),
    ("table-form", lambda d: data(d).update(SYMBOLS=5)),
    ("table-columns", lambda d: data(d)["SYMBOLS"][0].append("KIND")),
    ("row-length", lambda d: data(d)["SYMBOLS"][1].append(7)),
    ("value-form", lambda d: set_at(block(d, 5), 1, 0x108)),
    ("part", lambda d: part(d, EXTRA=1)),
    ("part", lambda d: part(d, FIRST_PART_NUM=3)),
    ("part", lambda d: part(d, PRECEDING_INSTR_COUNT_PER_THREAD=[5])),
    ("part", lambda d: part(d, IMAGE_NUMS=[1, 1])),
    ("part", lambda d: part(d, MARK=5)),
    ("part", lambda d: part(d, CONTINUED_THREADS=[["THREAD_ID", "EDGE_TYPE_ID"], [2, 0]])),
    ("part", lambda d: part(d, CONTINUED_THREADS=[["THREAD_ID", "EDGE_TYPE_ID"], [0, 99]])),
    ("part", lambda d: part(d, LATE_BYPASSES=[])),
    ("part", lambda d: part(d, LATE_BYPASSES=[["IMAGE_NUM", "ADDR_OFFSET", "TARGET_NODE_ID"], [1, "0x10", 99]])),
    ("value-form", lambda d: set_at(block(d, 5), 2, "0x2")),
    ("value-form", lambda d: set_at(image(d), 1, 0x400000)),
    ("value-form", lambda d: set_at(block(d, 5), 1, "0x0108")),
    ("value-form", lambda d: set_at(d["PROCESSES"][1], 0, 0)),
    ("id-range", lambda d: set_at(proc(d)["EDGES"][-1], 0, 0x80000000)),
    ("id-unique", lambda d: set_at(proc(d)["EDGES"][2], 0, 1)),
    ("merged", lambda d: merged(d, EXTRA=1)),
    ("merged", lambda d: merged(d, HOMES=[[]])),
    ("special-nodes", lambda d: d["SPECIAL_NODES"].pop()),
    ("edge-type-name", lambda d: set_at(d["EDGE_TYPES"][TYPE_ID["SYSTEM_RETURN"]], 1, "SYSRET")),
    ("edge-type-reference edge-type-vague loop-false routine-division routine-reach", lambda d: set_at(edge(d, 5, 6), 3, 99)),
    ("file-ids", lambda d: set_at(d["FILE_NAMES"][3], 0, 4) or [set_at(r, 0, 4) for r in data(d)["SOURCE_DATA"][1:]]),
    ("file-reference", lambda d: set_at(data(d)["SOURCE_DATA"][1], 0, 9)),
    ("file-reference", lambda d: data(d).update(FILE_NAME_ID=9)),
    ("file-repeated", lambda d: set_at(d["FILE_NAMES"][3], 1, "/bin/prog")),
    ("processes", lambda d: d["PROCESSES"].append([4712, copy.deepcopy(proc(d))])),
    ("run", lambda d: run(d, [1, 1, "a", "/", "yesterday", "1", "", "no", ""])),
    ("run", lambda d: run(d, *[[1, 1, "a", "/", "2026-01-31T12:34:56Z", "1", "", "no", ""]] * 2)),
    ("process-keys", lambda d: proc(d).update(NOTE="x")),
    ("image-keys", lambda d: data(d).update(NOTE="x")),
    ("table-missing", lambda d: data(d, 2).pop("ROUTINES")),
    ("order", lambda d: swap(proc(d)["EDGES"], 3, 4)),
    ("order", lambda d: swap(data(d)["SYMBOLS"], 1, 2)),
    ("order", lambda d: swap(data(d)["ROUTINES"], 1, 2)),
    ("order", lambda d: swap(routine(d, 4)[2], 2, 3)),
    ("order", lambda d: routine(d, 4)[1].reverse()),
    ("order", lambda d: swap(routine(d, 4)[3], 1, 2)),
    ("order", lambda d: routine(d, 4)[3][1][2].reverse()),
    # images, symbols, source lines, blocks
    ("image-range", lambda d: set_at(image(d), 1, "0xffffffffffffff00")),
    ("image-overlap", lambda d: set_at(image(d), 2, 0x7f0000)),
    ("symbols", lambda d: set_at(data(d)["SYMBOLS"][2], 2, 0x10000)),
    ("source-shape", lambda d: set_at(data(d)["SOURCE_DATA"][1], 4, 0)),
    ("source-order", lambda d: swap(data(d)["SOURCE_DATA"], 1, 2)),
    ("source-executed", lambda d: data(d)["SOURCE_DATA"].append([3, 20, "0x12c", 4, 1])),
    ("source-instrs", lambda d: set_at(data(d)["SOURCE_DATA"][1], 4, 3)),
    ("block-ids", lambda d: renumber(d, 17, 18)),
    ("block-order", lambda d: set_at(block(d, 16), 1, "0x8")),
    ("block-image symbols", lambda d: set_at(image(d, 2), 2, 0x32)),
    ("block-shape", lambda d: set_at(block(d, 15), 4, 3)),
    ("block-shape", lambda d: set_at(block(d, 15), 4, 0)),
    ("block-shape", lambda d: set_at(block(d, 15), 2, 0x11)),
    *[("instr-sizes", lambda d, wrong=wrong: data(d).update(INSTR_SIZES=wrong)) for wrong in WRONG_SIZES],
    ("block-overlap", lambda d: set_at(block(d, 15), 2, 0x12) or set_at(block(d, 15), 4, 0x10)),
    ("block-overlap", lambda d: overlap_end(d)),
    ("block-executed block-count", lambda d: set_at(block(d, 5), 5, 0)),
    ("block-count", lambda d: set_at(block(d, 5), 5, 2)),
    # edges
    ("thread-count", lambda d: edge(d, 5, 6)[4].append(0)),
    ("edge-count conservation instr-count-thread", lambda d: edge(d, 4, 5).__setitem__(4, [-1, 1]) or None),
    ("edge-parallel edge-zero", lambda d: [set_at(edge(d, 17, 5), 4, [0, 0]), add_edge(d, 17, 5, "RETURN", 1, 0)]),
    ("edge-zero", lambda d: add_edge(d, 17, 14, "RETURN", 0, 0)),
    ("edge-type-vague", lambda d: retype(d, 15, 17, "UNCONDITIONAL_BRANCH")),
    ("edge-ends", lambda d: add_edge(d, 5, 3, "FALL_THROUGH", 1, 0)),
    ("edge-ends", lambda d: add_edge(d, 5, 40, "FALL_THROUGH", 1, 0)),
    ("edge-ends", lambda d: retype(d, 14, 2, "FALL_THROUGH")),
    ("conservation", lambda d: shift(d, 4, 5)),
    ("entry-exit", lambda d: second_start(d)),
    ("instr-count-thread", lambda d: set_at(proc(d)["INSTR_COUNT_PER_THREAD"], 0, 30)
        or proc(d).update(INSTR_COUNT=30 + proc(d)["INSTR_COUNT_PER_THREAD"][1])),
    ("instr-count", lambda d: proc(d).update(INSTR_COUNT=proc(d)["INSTR_COUNT"] + 1)),
    ("out-edges", lambda d: retype(d, 6, 9, "DIRECT_UNCONDITIONAL_BRANCH")),
    ("out-edges", lambda d: retype(d, 6, 7, "DIRECT_CONDITIONAL_BRANCH")),
    ("fall-through", lambda d: retype(d, 8, 6, "FALL_THROUGH")),
    ("rep", lambda d: retype(d, 7, 7, "REP")),
    ("system-call-bypass", lambda d: retype(d, 8, 6, "SYSTEM_CALL_BYPASS")),
    ("call-bypass", lambda d: add_edge(d, 5, 9, "CALL_BYPASS", 0, 0) or reroute(d)),
    ("call-bypass-count", lambda d: count_bypass(d)),
    ("call-bypass-missing", lambda d: drop_bypass(d)),
    ("context-bypass", lambda d: add_edge(d, 5, 9, "CONTEXT_CHANGE_BYPASS", 0, 0) or reroute(d)),
    # routines and loops
    ("routine-image routine-entry routine-exits routine-reach", lambda d: [routine(d, 17)[2].pop(), routine(d, 4)[2].append([17, 4])]),
    ("routine-one order routine-division routine-exits routine-reach", lambda d: routine(d, 12)[2].append([11, 12])),
    ("routine-entry", lambda d: set_at(routine(d, 12)[2][1], 1, 13)),
    ("routine-division routine-reach", lambda d: [drop_edge(d, 13, 14)]),
    ("routine-idom", lambda d: set_at(routine(d, 4)[2][6], 1, 5)),
    ("routine-exits", lambda d: routine(d, 4)[1].pop()),
    ("routine-exits", lambda d: set_at(routine(d, 4), 1, [4, 5, 11])),
    ("routine-division", lambda d: divide(d)),
    ("routine-division", lambda d: merge(d)),
    ("loops-omitted", lambda d: routine(d, 12).append([HEAD["LOOPS"]])),
    ("loop-heads", lambda d: routine(d, 4)[3].insert(2, [7, [7], [7], 6])),
    ("loop-missing", lambda d: routine(d, 4)[3].pop()),
    ("loop-false", lambda d: routine(d, 4)[3].append([10, [10], [10]])),
    ("loop-back-edges", lambda d: set_at(routine(d, 4)[3][1], 1, [7, 8])),
    ("loop-members", lambda d: set_at(routine(d, 4)[3][1], 2, [6, 7])),
    ("loop-parent", lambda d: routine(d, 4)[3][2].pop()),
    ("loop-columns", lambda d: routine(d, 4)[3][3].append(0)),
]


# ---- mutations that need more than a line ------------------------------------------------------------------

def check(d=None, raw=None, path=None, opts=dcfg_rules.Options):
    bad = dcfg_rules.Violations()
    data = raw if raw is not None else json.dumps(d).encode()
    with open(path, "wb") as f:
        f.write(data)
    try:
        dcfg_rules.check_file(path, opts, bad)
    except dcfg_model.Broken as e:
        return {"broken: " + str(e)}
    return {r for r, n in bad.count.items() if n}


def main():
    tmp = tempfile.mkdtemp()
    path = os.path.join(tmp, "x.json")
    results = []

    def ok(cond, text, diag=""):
        results.append(bool(cond))
        print("%s %d - %s" % ("ok" if cond else "not ok", len(results), text))
        if not cond and diag:
            print("# " + diag)

    got = check(good(), path=path)
    ok(not got, "the good file", str(got))
    raw = json.dumps(good()).encode()
    packers = [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)]
    if shutil.which("zstd"):
        packers.append(("zst", lambda r: subprocess.run(["zstd", "-cq"], input=r, stdout=subprocess.PIPE).stdout))
    for suffix, pack in packers:
        got = check(raw=pack(raw), path=path)
        ok(not got, "the good file as ." + suffix, str(got))
    got = check(raw=raw[:-5], path=path)
    ok(len(got) == 1 and min(got).startswith("broken: json"), "a file cut off is unreadable", str(got))

    class Partial(dcfg_rules.Options):
        partial = True
    for what, drop in (("routines", lambda d: [data(d, i).pop("ROUTINES") for i in (1, 2)]),
                       ("symbols", lambda d: [data(d, i).pop("SYMBOLS") for i in (1, 2)]),
                       ("blocks and edges", lambda d: [data(d, i).pop(k) for i in (1, 2)
                                                       for k in ("ROUTINES", "BASIC_BLOCKS")] + [proc(d).pop("EDGES")])):
        d = good()
        drop(d)
        got = check(d, path=path, opts=Partial)
        ok(not got, "without %s, as an option allows" % what, str(got))

    d = good()
    part(d)
    got = check(d, path=path)
    ok(not got, "a part of a run", str(got))
    d = good()
    merged(d)
    data(d).update(INSTR_SIZES=SIZES)
    got = check(d, path=path)
    ok(not got, "a partial sum, with sizes of instructions", str(got))

    seen = set()
    for n, (want, change) in enumerate(TESTS, 1):
        d = good()
        if change is None:
            got = check(raw=raw.replace(b'"MAJOR_VERSION": 1', b'"MAJOR_VERSION": 1, "MAJOR_VERSION": 1'), path=path)
        else:
            change(d)
            got = check(d, path=path)
        allowed = set(want.split())
        first = want.split()[0]
        ok(first in got and got <= allowed, want.split()[0] + " (%d)" % n, "found " + " ".join(sorted(got)))
        seen |= got

    source = "".join(open(os.path.join(ORACLE, f)).read() for f in ("dcfg_rules.py", "dcfg_model.py"))
    rules = set(re.findall(r'(?:bad|report)\("([a-z-]+)"', source)) - {"oracle"}
    ok(rules <= seen, "every rule of the checker was seen to fire", " ".join(sorted(rules - seen)))
    print("1..%d" % len(results))
    shutil.rmtree(tmp)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
