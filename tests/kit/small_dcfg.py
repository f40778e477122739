"""A small right DCFG, and ways to get at its parts, for tests that break it in one place each."""
import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "oracle"))
import dcfg_model

TYPES = sorted(dcfg_model.EDGE_TYPE_NAMES)
TYPE_ID = {t: i for i, t in enumerate(TYPES, 1)}

# Thread 0: main calls fn (which jumps on to fn2), runs two nested loops, a REP instruction and a system call.
# Thread 1: worker calls fn, is interrupted by a signal, and ends.
BLOCKS = [
    [(4, 0x100, 8, 2, 3), (5, 0x108, 2, 1, 0), (6, 0x10a, 6, 2, 4), (7, 0x110, 4, 2, 2), (8, 0x114, 5, 2, 3),
     (9, 0x120, 2, 1, 0), (10, 0x122, 7, 2, 5), (11, 0x129, 3, 2, 1),
     (12, 0x200, 4, 1, 0), (13, 0x204, 6, 2, 4), (14, 0x20a, 2, 1, 0)],
    [(15, 0x10, 3, 2, 1), (16, 0x20, 4, 2, 2), (17, 0x30, 3, 2, 2)]]
EDGES = [
    (1, 4, "ENTRY", 1, 0), (1, 12, "ENTRY", 0, 1), (4, 5, "CALL_BYPASS", 0, 0), (4, 15, "DIRECT_CALL", 1, 0),
    (5, 6, "FALL_THROUGH", 1, 0), (6, 7, "FALL_THROUGH", 2, 0), (6, 9, "DIRECT_CONDITIONAL_BRANCH", 1, 0),
    (7, 7, "DIRECT_CONDITIONAL_BRANCH", 4, 0), (7, 8, "FALL_THROUGH", 2, 0),
    (8, 6, "DIRECT_UNCONDITIONAL_BRANCH", 2, 0), (9, 9, "REP", 3, 0), (9, 10, "FALL_THROUGH", 1, 0),
    (10, 11, "SYSTEM_CALL_BYPASS", 1, 0), (11, 2, "EXIT", 1, 0), (12, 13, "CALL_BYPASS", 0, 0),
    (12, 15, "INDIRECT_CALL", 0, 1), (13, 14, "CONTEXT_CHANGE_BYPASS", 0, 0), (13, 16, "CONTEXT_CHANGE", 0, 1),
    (14, 2, "EXIT", 0, 1), (15, 17, "DIRECT_UNCONDITIONAL_BRANCH", 1, 1), (16, 14, "CONTEXT_CHANGE_RETURN", 0, 1),
    (17, 5, "RETURN", 1, 0), (17, 13, "RETURN", 0, 1)]
HEAD = dcfg_model.COLUMNS
LOOPS = [HEAD["LOOPS"], [6, [8], [6, 7, 8]], [7, [7], [7], 6], [9, [9], [9]]]
ROUTINES = [
    [[4, [4, 11], [[4, 4], [5, 4], [6, 5], [7, 6], [8, 7], [9, 6], [10, 9], [11, 10]], LOOPS],
     [12, [12, 13, 14], [[12, 12], [13, 12], [14, 13]]]],
    [[15, [15], [[15, 15]]], [16, [16], [[16, 16]]], [17, [17], [[17, 17]]]]]
SYMBOLS = [[["main", "0x100", 0x2c], ["worker", "0x200", 12]],
           [["fn", "0x10", 3], ["handler", "0x20", 4], ["fn2", "0x30", 3]]]
SOURCE = [[3, 10, "0x100", 8, 2], [3, 11, "0x108", 8, 3], [3, 12, "0x110", 2, 1]]


def good():
    count = {n: [0, 0] for n in range(1, 18)}
    for s, t, ty, a, b in EDGES:
        count[t][0] += a
        count[t][1] += b
    ran = [sum(b[3] * count[b[0]][t] for bs in BLOCKS for b in bs) for t in (0, 1)]
    images = [HEAD["IMAGES"]]
    for i, (load, size) in enumerate((("0x400000", 0x1000), ("0x7f0000", 0x800))):
        data = {"FILE_NAME_ID": i + 1, "SYMBOLS": [HEAD["SYMBOLS"]] + SYMBOLS[i],
                "BASIC_BLOCKS": [HEAD["BASIC_BLOCKS"]]
                + [[n, hex(o), sz, k, last, sum(count[n])] for n, o, sz, k, last in BLOCKS[i]],
                "ROUTINES": [HEAD["ROUTINES"]]
                + [[r[0], r[1], [HEAD["NODES"]] + r[2]] + r[3:] for r in ROUTINES[i]]}
        if i == 0:
            data["SOURCE_DATA"] = [HEAD["SOURCE_DATA"]] + SOURCE
        images.append([i + 1, load, size, data])
    return copy.deepcopy({
        "MAJOR_VERSION": 1, "MINOR_VERSION": 0,
        "FILE_NAMES": [HEAD["FILE_NAMES"], [1, "/bin/prog"], [2, "/lib/lib.so"], [3, "/src/prog.c"]],
        "EDGE_TYPES": [HEAD["EDGE_TYPES"]] + [[TYPE_ID[t], t] for t in TYPES],
        "SPECIAL_NODES": [HEAD["SPECIAL_NODES"], [1, "START"], [2, "END"], [3, "UNKNOWN"]],
        "PROCESSES": [HEAD["PROCESSES"], [4711, {
            "INSTR_COUNT_PER_THREAD": ran, "INSTR_COUNT": sum(ran), "IMAGES": images,
            "EDGES": [HEAD["EDGES"]] + [[i, s, t, TYPE_ID[ty], [a, b]]
                                        for i, (s, t, ty, a, b) in enumerate(EDGES, 1)]}]]})


# ---- ways to get at a part of the file ---------------------------------------------------------------------

def proc(d):
    return d["PROCESSES"][1][1]


def image(d, i=1):
    return proc(d)["IMAGES"][i]


def data(d, i=1):
    return image(d, i)[3]


def block(d, n):
    return next(r for i in (1, 2) for r in data(d, i)["BASIC_BLOCKS"][1:] if r[0] == n)


def edge(d, s, t):
    return next(r for r in proc(d)["EDGES"][1:] if r[1:3] == [s, t])


def routine(d, n):
    return next(r for i in (1, 2) for r in data(d, i)["ROUTINES"][1:] if r[0] == n)


def set_at(seq, i, v):
    seq[i] = v


def add_edge(d, s, t, ty, a, b):
    rows = proc(d)["EDGES"]
    rows.append([rows[-1][0] + 1, s, t, TYPE_ID[ty], [a, b]])


def drop_edge(d, s, t):
    proc(d)["EDGES"].remove(edge(d, s, t))


def retype(d, s, t, ty):
    edge(d, s, t)[3] = TYPE_ID[ty]


def swap(seq, i, j):
    seq[i], seq[j] = seq[j], seq[i]


def run(d, *rows):
    names = ["PROCESS_ID", "PARENT_ID", "COMMAND_LINE", "WORKING_DIR", "START", "TOOL_VERSION", "PROCESSOR",
             "DETERMINISTIC", "CONDITIONS"]
    d["PROCESSES"][1][1] = dict(RUN=[names, *rows], **proc(d))


def part(d, **wrong):
    """Makes the process a part of a run, without errors but WRONG."""
    proc(d)["PART"] = {"PART_NUM": 2, "FIRST_PART_NUM": 1, "PRECEDING_INSTR_COUNT_PER_THREAD": [5, 0], "IMAGE_NUMS": [1, 3],
                       "CONTINUED_THREADS": [["THREAD_ID", "EDGE_TYPE_ID"], [0, TYPE_ID["RETURN"]], [1, 0]],
                       "LATE_BYPASSES": [["IMAGE_NUM", "ADDR_OFFSET", "TARGET_NODE_ID"], [1, "0x10", 4]], **wrong}


def merged(d, **wrong):
    """Makes the process a partial sum of one run, without errors but WRONG."""
    p = proc(d)
    run = [d["PROCESSES"][1][0], p["INSTR_COUNT"], "0x1", len(p["INSTR_COUNT_PER_THREAD"]), 0, 0, 0, "0x0", "0x0"]
    p["MERGED"] = {"THREADS": "keep", "BUILDS": "one", "NUM_FILES": 1, "RUNS": [[], run],
                   "HOMES": [[], *([r[0], 0, i, r[1], 0] for i, r in enumerate(p["IMAGES"][1:]))],
                   "ENTRY_NODE_IDS": [], "ROWS": [[]], "OVERLAPPING_IMAGE_IDS": [], "LEFT_OUT": [[]],
                   **wrong}


# INSTR_SIZES of the first image, and others that do not fit its blocks.
SIZES = "352422232252124422"
WRONG_SIZES = SIZES[:-1], SIZES + "0", "44" + SIZES[2:], "08" + SIZES[2:], "53" + SIZES[2:], SIZES[:-1] + "+"


def renumber(d, old, new):
    block(d, old)[0] = new
    for r in proc(d)["EDGES"][1:]:
        r[1:3] = [new if n == old else n for n in r[1:3]]
    r = routine(d, old)
    r[0], r[1], r[2][1] = new, [new], [new, new]


def recount(d):
    """Brings COUNT and the instruction counts in line with the edges, so that only the intended rule is broken."""
    ran = [0, 0]
    for i in (1, 2):
        for b in data(d, i)["BASIC_BLOCKS"][1:]:
            flow = [sum(e[4][t] for e in proc(d)["EDGES"][1:] if e[2] == b[0]) for t in (0, 1)]
            b[5] = sum(flow)
            ran = [r + b[3] * f for r, f in zip(ran, flow)]
    proc(d)["INSTR_COUNT_PER_THREAD"] = ran
    proc(d)["INSTR_COUNT"] = sum(ran)


def shift(d, a, b):
    """A traversal too many on the only edge from 5 to 6: sums are adapted, the balance is broken."""
    edge(d, 5, 6)[4] = [2, 0]
    recount(d)


def second_start(d):
    edge(d, 1, 4)[4] = [2, 0]
    edge(d, 4, 15)[4] = [2, 0]
    edge(d, 15, 17)[4] = [2, 1]
    edge(d, 17, 5)[4] = [2, 0]
    edge(d, 5, 6)[4] = [2, 0]
    edge(d, 6, 9)[4] = [2, 0]
    edge(d, 9, 10)[4] = [2, 0]
    edge(d, 10, 11)[4] = [2, 0]
    edge(d, 11, 2)[4] = [2, 0]
    recount(d)


def overlap_end(d):
    """Blocks 5 and 6 end in the same instruction, as if a jump into the middle had not split 5."""
    block(d, 5)[2:5] = [8, 3, 6]
    retype(d, 5, 6, "DIRECT_UNCONDITIONAL_BRANCH")
    data(d).pop("SOURCE_DATA")
    recount(d)


def count_bypass(d):
    edge(d, 4, 5)[4] = [1, 0]
    edge(d, 1, 4)[4] = [2, 0]           # both ways out of 4 were taken once, so it was entered twice, ...
    edge(d, 5, 6)[4] = [2, 0]
    edge(d, 6, 9)[4] = [2, 0]
    edge(d, 9, 10)[4] = [2, 0]
    edge(d, 10, 11)[4] = [2, 0]
    edge(d, 11, 2)[4] = [2, 0]
    edge(d, 1, 4)[4] = [1, 0]           # ... once from START and once from the end
    edge(d, 11, 2)[4] = [1, 0]
    add_edge(d, 11, 4, "RETURN", 1, 0)
    recount(d)


def drop_bypass(d):
    """Node 13 becomes a child of the root, which is right for a node that only a return reaches."""
    drop_edge(d, 12, 13)
    routine(d, 12)[2].remove([13, 12])
    routine(d, 12)[2].remove([14, 13])
    routine(d, 12)[1] = [12]
    data(d)["ROUTINES"].append([13, [13, 14], [HEAD["NODES"], [13, 13], [14, 13]]])


def reroute(d):
    """5 -> 9 makes 5, not 6, the dominator of 9."""
    routine(d, 4)[2][6][1] = 5


def divide(d):
    """Makes the tail of main a routine without need."""
    rows = routine(d, 4)[2]
    tail = [HEAD["NODES"], [10, 10], [11, 10]]
    del rows[-2:]
    routine(d, 4)[1] = [4, 9]
    data(d)["ROUTINES"].insert(2, [10, [11], tail])


def merge(d):
    """Makes fn2 a part of fn, although a jump from another function reaches its symbol."""
    data(d, 2)["ROUTINES"].remove(routine(d, 17))
    set_at(routine(d, 15), 1, [17])
    routine(d, 15)[2].append([17, 15])
