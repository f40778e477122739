"""Reading a DCFG 1.00 file into plain Python objects, and the rules of its outer form.

Everything that can be said without knowing what a graph is stands here: keys, tables, columns, number
forms, identifiers and references.  dcfg_rules.py goes on with the meaning; crosscheck.py and dcfg_print.py
use the same objects, so that a file is parsed in one place only.

Columns are found by header, as the specification asks of readers, although the project's own rule is
stricter (exact columns in exact order) and a deviation is reported.
"""
import bz2
import gzip
import json
import lzma
import os
import re
import subprocess
from collections import namedtuple

START, END, UNKNOWN = 1, 2, 3
MAX_ID = 0x7fffffff

EDGE_TYPE_NAMES = frozenset("""ENTRY EXIT BRANCH CONDITIONAL_BRANCH UNCONDITIONAL_BRANCH DIRECT_BRANCH
INDIRECT_BRANCH DIRECT_CONDITIONAL_BRANCH INDIRECT_CONDITIONAL_BRANCH DIRECT_UNCONDITIONAL_BRANCH
INDIRECT_UNCONDITIONAL_BRANCH REP FALL_THROUGH CALL DIRECT_CALL INDIRECT_CALL RETURN CALL_BYPASS SYSTEM_CALL
SYSTEM_RETURN SYSTEM_CALL_BYPASS CONTEXT_CHANGE CONTEXT_CHANGE_RETURN CONTEXT_CHANGE_BYPASS
EXCLUDED_CODE_BYPASS UNKNOWN""".split())

# Types for a writer that does not know better; Valgrind's always does.
VAGUE = frozenset("""BRANCH CONDITIONAL_BRANCH UNCONDITIONAL_BRANCH DIRECT_BRANCH INDIRECT_BRANCH CALL
SYSTEM_CALL SYSTEM_RETURN UNKNOWN""".split())

CALLS = frozenset(["DIRECT_CALL", "INDIRECT_CALL", "CALL"])
JUMPS = frozenset(["DIRECT_CONDITIONAL_BRANCH", "INDIRECT_CONDITIONAL_BRANCH", "DIRECT_UNCONDITIONAL_BRANCH",
                   "INDIRECT_UNCONDITIONAL_BRANCH", "BRANCH", "CONDITIONAL_BRANCH", "UNCONDITIONAL_BRANCH",
                   "DIRECT_BRANCH", "INDIRECT_BRANCH"])
ZERO_OK = frozenset(["CALL_BYPASS", "CONTEXT_CHANGE_BYPASS"])
# Types that control flow inside a routine may follow.
INTRA = JUMPS | frozenset(["REP", "FALL_THROUGH", "CALL_BYPASS", "SYSTEM_CALL_BYPASS",
                           "CONTEXT_CHANGE_BYPASS", "EXCLUDED_CODE_BYPASS"])


def file_of_image(path):
    """Return the path to read.  DCFG_ROOT has copies of another machine's files."""
    there = os.environ.get("DCFG_ROOT", "") + path
    return there if os.path.exists(there) else path


COLUMNS = {
    "FILE_NAMES": ["FILE_NAME_ID", "FILE_NAME"],
    "EDGE_TYPES": ["EDGE_TYPE_ID", "EDGE_TYPE"],
    "SPECIAL_NODES": ["NODE_ID", "NODE_NAME"],
    "PROCESSES": ["PROCESS_ID", "PROCESS_DATA"],
    "IMAGES": ["IMAGE_ID", "LOAD_ADDR", "SIZE", "IMAGE_DATA"],
    "SYMBOLS": ["NAME", "ADDR_OFFSET", "SIZE"],
    "SOURCE_DATA": ["FILE_NAME_ID", "LINE_NUM", "ADDR_OFFSET", "SIZE", "NUM_INSTRS"],
    "BASIC_BLOCKS": ["NODE_ID", "ADDR_OFFSET", "SIZE", "NUM_INSTRS", "LAST_INSTR_OFFSET", "COUNT"],
    "ROUTINES": ["ENTRY_NODE_ID", "EXIT_NODE_IDS", "NODES", "LOOPS"],
    "NODES": ["NODE_ID", "IDOM_NODE_ID"],
    "LOOPS": ["LOOP_HEAD_NODE_ID", "LOOP_BACK_EDGE_SOURCE_NODE_IDS", "LOOP_NODE_IDS",
              "PARENT_LOOP_HEAD_NODE_ID"],
    "RUN": ["PROCESS_ID", "PARENT_ID", "COMMAND_LINE", "WORKING_DIR", "START", "TOOL_VERSION", "PROCESSOR",
            "DETERMINISTIC", "CONDITIONS"],
    "EDGES": ["EDGE_ID", "SOURCE_NODE_ID", "TARGET_NODE_ID", "EDGE_TYPE_ID", "COUNT_PER_THREAD"],
}
OPTIONAL_LAST = frozenset(["ROUTINES", "LOOPS"])      # tables whose last column may be left out of a row
TOP_KEYS = ["MAJOR_VERSION", "MINOR_VERSION", "FILE_NAMES", "EDGE_TYPES", "SPECIAL_NODES", "PROCESSES"]
PROC_KEYS = ["NUM_RUNS", "RUN", "INSTR_COUNT_PER_THREAD", "INSTR_COUNT", "IMAGES", "EDGES", "PART", "MERGED", "CALLS"]
PART_KEYS = ["PART_NUM", "FIRST_PART_NUM", "PRECEDING_INSTR_COUNT_PER_THREAD", "IMAGE_NUMS", "CONTINUED_THREADS",
             "LATE_BYPASSES"]
MORE_PART_KEYS = ["MARK"]            # a part may have these
MERGED_KEYS = ["THREADS", "BUILDS", "NUM_FILES", "RUNS", "HOMES", "ENTRY_NODE_IDS", "ROWS", "OVERLAPPING_IMAGE_IDS",
               "LEFT_OUT"]
IMAGE_KEYS = ["FILE_NAME_ID", "BUILD_ID", "CODE_HASH", "SYMBOLS", "SOURCE_DATA", "BASIC_BLOCKS", "INSTR_SIZES", "ROUTINES"]

# The form a column's values must have: i integer, h hex string, s string, o object, I array of integers, t table.
FORM = {"ADDR_OFFSET": "h", "LOAD_ADDR": "h", "NAME": "s", "FILE_NAME": "s", "EDGE_TYPE": "s", "NODE_NAME": "s",
        "COMMAND_LINE": "s", "WORKING_DIR": "s", "START": "s", "TOOL_VERSION": "s", "PROCESSOR": "s", "DETERMINISTIC": "s", "CONDITIONS": "s",
        "PROCESS_DATA": "o", "IMAGE_DATA": "o", "EXIT_NODE_IDS": "I", "NODES": "t", "LOOPS": "t",
        "LOOP_BACK_EDGE_SOURCE_NODE_IDS": "I", "LOOP_NODE_IDS": "I", "COUNT_PER_THREAD": "I"}
HEX = re.compile(r"0x(0|[1-9a-f][0-9a-f]*)\Z")

Block = namedtuple("Block", "id start size ninstr last count image")       # start and end are absolute
Edge = namedtuple("Edge", "id src dst type counts total")
Loop = namedtuple("Loop", "head sources nodes parent columns")
Routine = namedtuple("Routine", "entry exits idom loops image order columns")


class Image:
    def __init__(self):
        self.id = self.load = self.size = 0
        self.name = ""
        self.symbols = self.source = self.blocks = self.routines = None     # None: the table is not there
        self.sizes = None                       # INSTR_SIZES, likewise


class Process:
    def __init__(self):
        self.pid = 0
        self.instr_count = 0
        self.per_thread = []
        self.images = []
        self.blocks = {}
        self.edges = None


class Broken(Exception):
    """The form is too broken to look at the meaning."""


def read_bytes(path):
    """Return the contents, uncompressed; the first bytes tell the compressor, not the name."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:3] == b"BZh":
        return bz2.decompress(data)
    if data[:6] == b"\xfd7zXZ\0":
        return lzma.decompress(data)
    if data[:4] == b"\x28\xb5\x2f\xfd":
        return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return data


def parse(data, report):
    def pairs(items):
        d = dict(items)
        if len(d) != len(items):
            names = [k for k, _ in items]
            report("json-repeated-key", "; ".join(sorted({k for k in names if names.count(k) > 1})))
        return d
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=pairs)
    except (ValueError, UnicodeDecodeError) as e:
        raise Broken("json: " + str(e))


def is_int(v):
    return type(v) is int


def number(v):
    """Return the number V.  The specification lets any integer be a C-style string; only some columns may here."""
    if type(v) is int:
        return v
    if isinstance(v, str):
        try:
            return int(v, 0)
        except ValueError:
            pass
    return None


def form_ok(form, v):
    if form == "i":
        return type(v) is int
    if form == "h":
        return isinstance(v, str) and HEX.match(v) is not None
    if form == "s":
        return isinstance(v, str)
    if form == "o":
        return isinstance(v, dict)
    if form == "I":
        return isinstance(v, list) and all(type(x) is int for x in v)
    return isinstance(v, list)


# The only type of a form's values; a list of numbers has one for its elements, too.
TYPES = {"i": {int}, "h": {str}, "s": {str}, "o": {dict}}


def right_rows(rows, want):
    """Return the rows as numbers if each value has the form of its column, else None.  Nearly all tables are right, so this is
    checked first, column by column; errors are found in a slower way."""
    if not set(map(type, rows)) <= {list} or not set(map(len, rows)) <= {len(want)}:
        return None
    columns, forms = list(zip(*rows)), [FORM.get(c, "i") for c in want]
    for form, values in zip(forms, columns):
        if set(map(type, values)) != TYPES.get(form, {list}):
            return None
        if form == "h" and not all(map(HEX.match, values)) or form == "I" and not all(set(map(type, v)) <= {int} for v in values):
            return None
    if "h" not in forms:
        return rows
    return list(map(list, zip(*([int(v, 16) for v in values] if form == "h" else values
                                for form, values in zip(forms, columns)))))


def table(name, t, where, report):
    """Yield the rows of a table as lists in the specification's column order, None for what is left out."""
    want = COLUMNS[name]
    if not isinstance(t, list) or not t or not isinstance(t[0], list):
        report("table-form", "%s%s is no table" % (where, name))
        return
    head = t[0]
    if head != want:
        report("table-columns", "%s%s has columns %s" % (where, name, " ".join(map(str, head))))
        if not all(isinstance(c, str) for c in head):
            return
    same = head == want
    found = right_rows(t[1:], want) if same else None
    if found is not None:
        yield from found
        return
    idx = None if same else [head.index(c) if c in head else -1 for c in want]
    forms = [FORM.get(c, "i") for c in want]
    full = len(want)
    least = full - 1 if name in OPTIONAL_LAST else full
    for n, row in enumerate(t[1:], 1):
        if not isinstance(row, list):
            report("row-length", "%s%s row %d is no array" % (where, name, n))
            continue
        if same:
            if not least <= len(row) <= full:
                report("row-length", "%s%s row %d has %d values" % (where, name, n, len(row)))
                continue
            out = row if len(row) == full else row + [None]
        else:
            out = [row[i] if 0 <= i < len(row) else None for i in idx]
        good = True
        for c, form, v in zip(want, forms, out):
            if v is None and c == want[-1] and name in OPTIONAL_LAST:
                continue
            if not form_ok(form, v):
                report("value-form", "%s%s row %d: %s is %.60r" % (where, name, n, c, v))
                good = form in "ih" and number(v) is not None and good
        if good:
            yield [number(v) if f in "ih" and v is not None else v for f, v in zip(forms, out)]


def keys(what, d, want, needed, report, rule):
    for k in d:
        if k not in want:
            report(rule, "%s has the key %s" % (what, k))
    for k in needed:
        if k not in d:
            report(rule, "%s has no key %s" % (what, k))


def ids(what, values, report, low=1):
    seen = set()
    before = None
    for v in values:
        if not low <= v <= MAX_ID:
            report("id-range", "%s id %d" % (what, v))
        if v in seen:
            report("id-unique", "%s id %d appears twice" % (what, v))
        elif before is not None and v < before:
            report("order", "%s id %d follows %d" % (what, v, before))
        seen.add(v)
        before = v
    return seen


def ascending(values):
    return all(a < b for a, b in zip(values, values[1:]))


def read_image(row, files, report):
    im = Image()
    im.id, im.load, im.size, data = row
    where = "image %d " % im.id
    keys(where.strip(), data, IMAGE_KEYS, ["FILE_NAME_ID"], report, "image-keys")
    fid = data.get("FILE_NAME_ID")
    if not is_int(fid):
        if fid is not None:
            report("value-form", "%sFILE_NAME_ID is %r" % (where, fid))
    elif fid not in files:
        report("file-reference", "%snames file %d" % (where, fid))
    im.name = files.get(fid, "?")
    if "SYMBOLS" in data:
        im.symbols = [tuple(r) for r in table("SYMBOLS", data["SYMBOLS"], where, report)]
    if "SOURCE_DATA" in data:
        im.source = [tuple(r) for r in table("SOURCE_DATA", data["SOURCE_DATA"], where, report)]
        for fid in {r[0] for r in im.source} - set(files):
            report("file-reference", "%sSOURCE_DATA names file %d" % (where, fid))
    if "BASIC_BLOCKS" in data:
        im.blocks = [Block(r[0], im.load + r[1], r[2], r[3], r[4], r[5], im)
                     for r in table("BASIC_BLOCKS", data["BASIC_BLOCKS"], where, report)]
    if "INSTR_SIZES" in data:
        im.sizes = data["INSTR_SIZES"]
        if not isinstance(im.sizes, str):
            report("value-form", "%sINSTR_SIZES is %.60r" % (where, im.sizes))
            im.sizes = None
    if "ROUTINES" in data:
        im.routines = []
        for r in table("ROUTINES", data["ROUTINES"], where, report):
            w = "%sroutine %d " % (where, r[0])
            nodes = [tuple(n) for n in table("NODES", r[2], w, report)]
            loops = []
            if r[3] is not None:
                for l in table("LOOPS", r[3], w, report):
                    loops.append(Loop(l[0], l[1], l[2], l[3] or None, 3 if l[3] is None else 4))
            order = [n for n, _ in nodes]
            im.routines.append(Routine(r[0], r[1], dict(nodes), loops, im, order, 3 if r[3] is None else 4))
    return im


def read_process(pid, data, files, types, report):
    p = Process()
    p.pid = pid
    keys("process %d" % pid, data, PROC_KEYS, PROC_KEYS[2:5], report, "process-keys")
    check_runs(data, report)
    p.instr_count = data.get("INSTR_COUNT")
    p.per_thread = data.get("INSTR_COUNT_PER_THREAD")
    if not is_int(p.instr_count) or not form_ok("I", p.per_thread):
        report("value-form", "INSTR_COUNT or INSTR_COUNT_PER_THREAD")
        raise Broken("instruction counts cannot be read")
    p.images = [read_image(r, files, report) for r in table("IMAGES", data.get("IMAGES"), "", report)]
    ids("image", [im.id for im in p.images], report, 0)
    for im in p.images:
        for b in im.blocks or ():
            if b.id in p.blocks:
                report("id-unique", "node id %d appears twice" % b.id)
            if not 1 <= b.id <= MAX_ID:
                report("id-range", "node id %d" % b.id)
            p.blocks[b.id] = b
    if "EDGES" in data:
        p.edges = []
        for r in table("EDGES", data["EDGES"], "", report):
            if r[3] not in types:
                report("edge-type-reference", "edge %d has type %d" % (r[0], r[3]))
            p.edges.append(Edge(r[0], r[1], r[2], types.get(r[3], "UNKNOWN"), r[4], sum(r[4])))
        ids("edge", [e.id for e in p.edges], report)
    if "PART" in data:
        check_part(p, data["PART"], types, report)
    if "MERGED" in data:
        check_merged(p, data["MERGED"], report)
    return p


def check_runs(data, report):
    """RUN: the runs of a sum are in the order of their starts, and a sum does not keep all of them."""
    rows, n = list(table("RUN", data["RUN"], "", report)) if "RUN" in data else [], data.get("NUM_RUNS", 1)
    if not is_int(n) or len(rows) > min(n, 100):
        report("run", "%d rows for %s runs" % (len(rows), n))
    if not all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z", r[4]) for r in rows):
        report("run", "START is no time")
    if rows != sorted(rows, key=lambda r: (r[4], r[0])):
        report("run", "rows are not in the order of START and PROCESS_ID")


def check_part(p, part, types, report):
    """Check PART, which valgrind-dcfg adds to parts of a run only."""
    keys("PART", part, PART_KEYS + MORE_PART_KEYS, PART_KEYS, report, "part")
    if not isinstance(part.get("MARK", ""), str):
        report("part", "MARK is no text")
    lists = [part.get(k) for k in PART_KEYS[2:]]
    if not (is_int(part.get("PART_NUM")) and is_int(part.get("FIRST_PART_NUM"))
            and 1 <= part["FIRST_PART_NUM"] <= part["PART_NUM"] and all(isinstance(x, list) for x in lists)):
        report("part", "its numbers or its lists")
        return
    before, numbers, threads, bypasses = lists
    if len(before) != len(p.per_thread) or not form_ok("I", before):
        report("part", "%d threads before, %d in it" % (len(before), len(p.per_thread)))
    if len(numbers) != len(p.images) or len(set(numbers)) != len(numbers) or not form_ok("I", numbers):
        report("part", "images %s" % numbers)
    if threads[:1] != [["THREAD_ID", "EDGE_TYPE_ID"]] or bypasses[:1] != [["IMAGE_NUM", "ADDR_OFFSET", "TARGET_NODE_ID"]]:
        report("part", "headers %s, %s" % (threads[:1], bypasses[:1]))
    entered = {t for e in p.edges or () if e.type == "ENTRY" for t, n in enumerate(e.counts) if n}
    for t, kind in threads[1:]:
        if t not in entered or kind != 0 and kind not in types:
            report("part", "thread %s goes on by an edge of type %s" % (t, kind))
    for image, offset, target in bypasses[1:]:
        if not is_int(image) or not form_ok("h", offset) or target not in p.blocks:
            report("part", "a bypass from %s in image %s to %s" % (offset, image, target))


def check_merged(p, merged, report):
    """Check MERGED, which dcfg merge --partial adds to a sum: runs in their order, homes of images, threads."""
    keys("MERGED", merged, MERGED_KEYS, MERGED_KEYS, report, "merged")
    runs, homes = (merged.get(k, [[]])[1:] for k in ("RUNS", "HOMES"))
    order = [(r[0], r[1], int(r[2], 16)) for r in runs]
    if order != sorted(order) or p.pid != (order[0][0] if order else 0):
        report("merged", "runs are not in order, or the first is not process %d" % p.pid)
    if sum(r[1] for r in runs) != p.instr_count:
        report("merged", "runs have other instructions than the sum")
    threads = [r[3] for r in runs]
    if (sum(threads) if merged.get("THREADS") == "keep" else max(threads, default=0)) != len(p.per_thread):
        report("merged", "threads %s" % threads)
    if [h[0] for h in homes] != [im.id for im in p.images] or any(h[1] >= len(runs) for h in homes):
        report("merged", "homes %s" % homes)
    if not set(merged.get("ENTRY_NODE_IDS", [])) <= set(p.blocks):
        report("merged", "entries that are no blocks")


def load(path, report):
    """Read a file; report(rule, text) is called for each broken rule of form.  Returns the processes."""
    top = parse(read_bytes(path), report)
    if not isinstance(top, dict):
        raise Broken("the top level is no object")
    keys("the top level", top, TOP_KEYS, TOP_KEYS, report, "top-keys")
    for k, v in (("MAJOR_VERSION", 1), ("MINOR_VERSION", 0)):
        if k in top and (not is_int(top[k]) or top[k] != v):
            report("version", "%s is %r" % (k, top[k]))

    rows = list(table("FILE_NAMES", top.get("FILE_NAMES"), "", report))
    ids("file", [r[0] for r in rows], report)
    if sorted(r[0] for r in rows) != list(range(1, len(rows) + 1)):
        report("file-ids", "file ids are not 1 to %d" % len(rows))
    names = [r[1] for r in rows]
    if len(set(names)) != len(names):
        report("file-repeated", "; ".join(sorted({n for n in names if names.count(n) > 1})))
    files = {r[0]: r[1] for r in rows}

    rows = list(table("EDGE_TYPES", top.get("EDGE_TYPES"), "", report))
    ids("edge type", [r[0] for r in rows], report)
    for _, name in rows:
        if name not in EDGE_TYPE_NAMES:
            report("edge-type-name", name)
    if len({r[1] for r in rows}) != len(rows):
        report("edge-type-name", "a name stands twice")
    types = {r[0]: r[1] for r in rows}

    rows = [tuple(r) for r in table("SPECIAL_NODES", top.get("SPECIAL_NODES"), "", report)]
    if rows != [(START, "START"), (END, "END"), (UNKNOWN, "UNKNOWN")]:
        report("special-nodes", str(rows))

    procs = []
    for pid, data in table("PROCESSES", top.get("PROCESSES"), "", report):
        if pid < 1:
            report("value-form", "PROCESS_ID is %d" % pid)
        procs.append(read_process(pid, data, files, types, report))
    if len(procs) != 1:
        report("processes", "%d processes" % len(procs))
    return procs
