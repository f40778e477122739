#!/usr/bin/python3
"""dcfg blocks: the same tables from Lackey's trace, from a DCFG with its trace, and from an oracle that goes twice over the
stream; random streams; paths; threads and signals; every form; what is refused.  (TAP)

The arguments name programs of test_programs.py or tests/PROGRAMS.  DCFG_SLOW=1: all of these, and 10,000 random streams
through the command (tests/lib/test_lib_blocks.c has as many through the library, each time).
"""
import collections
import csv
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import test_programs
import tracelib
from commandlib import command

SLOW = os.environ.get("DCFG_SLOW") == "1"
N_RANDOM = 10000 if SLOW else 150
REAL = ("bzip2", "gzip", "perl", "sqlite3", "dash", "ls", "sort", "sed", "cc1", "python3", "bunzip2", "xz", "bash")
QUICK = ("sed",)
SMALL = ("edge_call", "edge_cond", "edge_loop", "edge_overlap", "edge_rep", "edge_split", "edge_indirect", "edge_irreducible",
         "edge_nested", "edge_recurse", "edge_return", "edge_shared", "edge_tail")
# A stream in which 9 is recognised late as a branch, and b3 is in the middle of a block.
EXAMPLE = [(0x1, 2), (0x3, 3), (0x6, 3), (0x9, 2), (0xb, 4), (0xf, 2), (0xb0, 3), (0xb3, 3), (0xb6, 2), (0x6, 3), (0x9, 2),
           (0xb3, 3), (0xb6, 2)]


def rows(path):
    """Returns the rows of a table, without comments."""
    return [line for line in harness.read(path).splitlines() if not line.startswith("#")]


def text_of(stream):
    return "".join("I  %08x,%d\n" % i for i in stream)


def put(tap, name, text):
    harness.written(tap, name, text)
    return tap.path(name)


def tables(prefix):
    return [open(prefix + end, "rb").read() for end in (".sbb", ".dbb")]


# ---- the oracle --------------------------------------------------------------------------------------------------

def expected(tap, trace, threshold=10):
    """Returns the two tables that the oracle finds."""
    prefix = tap.path("oracle")
    with open(trace, "rb") as f:
        subprocess.run([tracelib.compiled(tap, "blocks_oracle"), prefix, str(threshold)], stdin=f, check=True)
    return [rows(prefix + end) for end in (".sbb", ".dbb")]


def differences(got, want):
    for kind, g, w in zip(("sbb", "dbb"), got, want):
        for a, b in zip(g, w):
            if a != b:
                return "%s: %r, oracle %r" % (kind, a, b)
        if len(g) != len(w):
            return "%s: %d rows, oracle %d" % (kind, len(g), len(w))
    return ""


def wrong_sums(prefix, instrs, loose):
    """Check sums: instructions are the sum of count times size; the counts into and out of each block are equal, except
    for the first and the last one.  LOOSE: the stream ends within a block."""
    for end in (".sbb", ".dbb"):
        blocks = [line.split("\t") for line in rows(prefix + end)]
        into = collections.Counter()
        open_ends = 0
        for b in blocks:
            out = 0
            for edge in b[6].split():
                m = re.fullmatch(r"(\d+):(\d+)(\(ft\))?", edge)
                into[m.group(1)] += int(m.group(2))
                out += int(m.group(2))
            open_ends += int(b[4]) - out
        begun = sum(int(b[4]) - into[b[0]] for b in blocks)
        total = sum(int(b[3]) * int(b[4]) for b in blocks)
        if total != instrs and not (loose and total > instrs) or open_ends != 1 or begun != 1:
            return "%s: %d instructions, executed %d; %d ends, %d beginnings" % (end, total, instrs, open_ends, begun)
    return ""


# ---- streams -----------------------------------------------------------------------------------------------------

def random_stream(seed):
    r = random.Random(seed)
    space, jump, change = r.choice([8, 20, 60, 300]), 0.6 * r.random(), 0.02 * r.random()
    lengths, stream, pc = {}, [], r.randrange(space)
    for _ in range(r.choice([1, 2, 5, 20, 100, 400])):
        known = lengths.setdefault(pc, [r.randrange(1, 6)])
        if r.random() < change:
            known.append(r.choice([1, 2, 3, 5, 7, 126, 127, 128, 300]))
        n = r.choice(known)
        stream.append((pc, n))
        pc = r.choice([pc, r.randrange(space), r.choice(stream)[0]]) if r.random() < jump else pc + n
        if pc > 2 * space:
            pc = r.randrange(space)
    return stream


def with_data(stream, r):
    other = [" L 1ffeffe7e0,8\n", " S 04222c30,4\n", " M 00000001,16\n", "==4711== some words\n"]
    return "".join("I  %08x,%d\n%s" % (a, n, r.choice(other) if r.random() < 0.3 else "") for a, n in stream)


def check_random(tap):
    bad = ""
    for seed in range(N_RANDOM):
        r = random.Random(seed)
        stream = random_stream(seed)
        trace, prefix = put(tap, "random.txt", with_data(stream, r)), tap.path("random")
        threshold = r.choice([10, 10, 0, 25, 50])
        args = ["-a"] if threshold == 0 else [] if threshold == 10 else ["--threshold=%d" % threshold]
        status, _, err = command("blocks", "--lackey", trace, "-o", prefix, *args)
        bad = err if status else differences([rows(prefix + e) for e in (".sbb", ".dbb")], expected(tap, trace, threshold))
        if not bad and threshold == 0:
            bad = wrong_sums(prefix, len(stream), True)
        if not bad and seed % 5 == 0:
            bad = wrong_paths(trace, stream)
        if bad:
            bad = "stream %d: %s" % (seed, bad)
            break
    tap.ok(not bad, "%d random streams" % N_RANDOM, bad)


def check_example(tap):
    trace, prefix = put(tap, "example.txt", text_of(EXAMPLE)), tap.path("example")
    status, out, err = command("blocks", "--lackey", trace, "-o", prefix)
    want = [["1\t00000001\t00000003\t2\t1\tNB\t2:1(ft)", "2\t00000006\t00000009\t2\t2\tCB\t3:1(ft) 5:1",
             "3\t0000000b\t0000000f\t2\t1\tUB\t4:1", "4\t000000b0\t000000b0\t1\t1\tNB\t5:1(ft)",
             "5\t000000b3\t000000b6\t2\t2\tUB\t2:1"],
            ["1\t00000001\t00000009\t4\t1\tNB\t3:1(ft)", "2\t00000006\t00000009\t2\t1\tUB\t5:1",
             "3\t0000000b\t0000000f\t2\t1\tUB\t4:1", "4\t000000b0\t000000b6\t3\t1\tUB\t2:1",
             "5\t000000b3\t000000b6\t2\t1\tNB\t"]]
    tap.ok(status == 0 and not out and not err and [rows(prefix + e) for e in (".sbb", ".dbb")] == want,
           "the document's example", out + err)
    both = "".join(open(prefix + e).read() for e in (".sbb", ".dbb"))
    tap.ok(command("blocks", "--lackey=" + trace)[1] == both, "without -o one table after the other")
    data = harness.read(trace, "rb")
    for name in ("gzip", "bzip2", "xz", "zstd"):
        if shutil.which(name):
            packed = subprocess.run([name, "-c"], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
            tap.ok(command("blocks", "--lackey", "-", input=packed)[1] == both, "compressed by %s, from a pipe" % name)
    check_forms(tap, trace, want)


def check_forms(tap, trace, want):
    """Checks that the other forms have the same contents as the text."""
    found = {"sbb": [], "dbb": []}
    for r in csv.DictReader(io.StringIO(command("blocks", "--lackey", trace, "--csv")[1])):
        found[r["table"]].append("%s\t%08x\t%08x\t%s\t%s\t%s\t%s" % (r["id"], int(r["start"], 0), int(r["end"], 0), r["instrs"],
                                                                  r["count"], r["kind"], r["edges"]))
    tap.ok([found["sbb"], found["dbb"]] == want, "--csv", found)
    found = {}
    for name, table in json.loads(command("blocks", "--lackey", trace, "--json")[1]).items():
        found[name] = ["%d\t%08x\t%08x\t%d\t%d\t%s\t%s" % (
            b["id"], int(b["start"], 0), int(b["end"], 0), b["instrs"], b["count"], b["kind"],
            " ".join("%d:%d%s" % (e["id"], e["count"], "(ft)" * e["ft"]) for e in b["edges"])) for b in table]
    tap.ok([found["sbb"], found["dbb"]] == want, "--json", found)
    dot = command("blocks", "--lackey", trace, "--dot")[1]
    tap.ok(len(re.findall(r"^  b\d+ \[", dot, re.M)) == 10 and len(re.findall(r"->", dot)) == 10
           and re.findall(r"^digraph (\w+) {$", dot, re.M) == ["sbb", "dbb"], "--dot", dot)
    if shutil.which("dot"):
        r = subprocess.run(["dot", "-Tsvg"], input=dot.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.ok(r.returncode == 0 and not r.stderr, "Graphviz takes it", r.stderr.decode())
    prefix = tap.path("forms")
    for form in ("csv", "json", "dot"):
        status, out, err = command("blocks", "--lackey", trace, "--" + form, "-o", prefix, *["--paths"] * (form != "dot"))
        names = ["sbb", "dbb", "paths"][:3 if form != "dot" else 2]
        good = status == 0 and not out and all(os.path.getsize("%s.%s.%s" % (prefix, n, form)) for n in names)
        if good and form == "json":
            good = all(list(json.load(open("%s.%s.json" % (prefix, n)))) == [n] for n in names)
        tap.ok(good, "--%s with -o" % form, out + err)
    # A jump to five places: 50, 20, 10, 9 and 1 of 90 times.
    stream = []
    for n, to in ((50, 0x100), (20, 0x200), (10, 0x300), (9, 0x400), (1, 0x500)):
        stream += [(0x10, 2), (to, 2)] * n
    trace = put(tap, "many.txt", text_of(stream))
    for args, edges in (([], "2:50 3:20 4:10 5:9 ..1:1"), (["-a"], "2:50 3:20 4:10 5:9 6:1"),
                        (["--threshold=10"], "2:50 3:20 4:10 5:9 ..1:1"), (["--threshold", "12.5"], "2:50 3:20 ..3:20"),
                        (["--threshold=100"], "..5:90"), (["--threshold=0"], "2:50 3:20 4:10 5:9 6:1"),
                        (["--threshold=11.1"], "2:50 3:20 4:10 ..2:10"), (["--threshold=11.2"], "2:50 3:20 ..3:20")):
        got = command("blocks", "--lackey", trace, *args)[1]
        line = [l for l in got.splitlines() if l.startswith("1\t00000010\t")][0].split("\t")
        tap.ok(line[5:] == ["IJ", edges], "edges that are told with " + (" ".join(args) or "no option"), line)


def check_refused(tap):
    """Checks a refusal: one line, with the number of the wrong line, and no files."""
    first = "I  04001f40,3\n"
    prefix = tap.path("refused")
    for text, line, what in ((first + "I  04001f43", 2, "middle of a line"), (first + "I  0400\n", 2, "comma"),
                             (first * 3 + " S 1ffe\n", 4, "comma"), (first + "Hello\n" + first, 2, "neither"),
                             (first + "\n", 2, "neither"), (first + "I  10000000000000000,3\n", 2, "64 bits"),
                             (first + "I  ffffffffffffffff,2\n", 2, "last address"), (first + "I  04001f43,0\n", 2, "no bytes"),
                             ("\n", 1, "neither"), ("==1== x\n", 2, "without an instruction"),
                             (first * 30000 + "I  x,3\n", 30001, "comma")):
        status, out, err = command("blocks", "--lackey", put(tap, "bad.txt", text), "-o", prefix, "--paths")
        tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and ": line %d: " % line in err and what in err
               and not [f for f in os.listdir(tap.dir) if f.startswith("refused.")],
               "refused: line %d, %s" % (line, what), out + err)
    good = put(tap, "good.txt", first)
    for args in (["--lackey", good, "x.json"], ["--lackey", good, "--thread=0"], ["--lackey", good, "--threshold=x"],
                 ["--lackey", good, "--threshold=101"], ["--lackey", good, "--likely=-1"], ["--lackey", good, "-x"],
                 ["--lackey", good, "--paths", "--dot"], ["--lackey", good, "--csv", "--json"], ["--lackey", good, "-o"],
                 ["--lackey", good, "-o", "/nonexistent/x"], ["--lackey", good, "--paths=x"], ["--lackey", "/nonexistent"],
                 ["--lackey", put(tap, "empty.txt", "")], ["--lackey", good, "-a=1"], ["--lackey", good, "--a"]):
        commandlib.refused(tap, "one line and status 2: " + " ".join(args[2:] or args[1:]), "dcfg blocks: ", "blocks", *args)
    os.mkdir(tap.path("readonly.sbb"))
    status, out, err = command("blocks", "--lackey", good, "-o", tap.path("readonly"))
    tap.ok(status == 2 and not [f for f in os.listdir(tap.dir) if ".tmp-" in f], "a name that is taken", err)


# ---- paths -------------------------------------------------------------------------------------------------------

def dynamic_blocks(stream):
    """Returns [(start, instructions)] of the dynamic blocks in the order of execution."""
    jumps, after = set(), {}
    for a, b in zip(stream, stream[1:]):
        if a[0] + a[1] != b[0] or after.setdefault(a, b) != b:
            jumps.add(a)
    done, size, start = [], 0, stream[0]
    for i, a in enumerate(stream):
        size += 1
        if a in jumps or i == len(stream) - 1:
            done.append((start, size))
            start, size = (stream[i + 1], 0) if i + 1 < len(stream) else (None, 0)
    return done


def wrong_paths(trace, stream):
    """Checks that paths follow edges, consist of blocks of no other path, are entered at the first block, and have the
    counts of the stream.
    """
    status, out, err = command("blocks", "--lackey", trace, "--json", "--paths=100000", "--likely=60")
    status_2, tables_text, err_2 = command("blocks", "--lackey", trace, "--json", "-a")
    if status or status_2:
        return err + err_2
    paths, table = json.loads(out)["paths"], json.loads(tables_text)["dbb"]
    used = [b for p in paths for b in p["blocks"]]
    if sorted(used) != [b["id"] for b in table]:
        return "blocks are in no path or in several"
    for p in paths:
        for a, b in zip(p["blocks"], p["blocks"][1:]):
            edges = table[a - 1]["edges"]
            if edges[0]["id"] != b or edges[0]["count"] * 100 < 60 * sum(e["count"] for e in edges):
                return "path %d does not follow the likely edge of %d" % (p["path"], a)
        if p["instrs"] != sum(table[b - 1]["instrs"] for b in p["blocks"]) or p["estimated"]:
            return "path %d: size" % p["path"]
    # Blocks have their order in the table for numbers, by address and length.
    starts = sorted(set(s for s, _ in dynamic_blocks(stream)))
    number = {s: i + 1 for i, s in enumerate(starts)}
    place = {b: (k, i) for k, p in enumerate(paths) for i, b in enumerate(p["blocks"])}
    counts = [[0, 0, 0] for _ in paths]
    here = None
    done = [(number[s], n) for s, n in dynamic_blocks(stream)]
    for b, n in done:
        k, i = place[b]
        here = (k, 0) if i == 0 else (k, i) if here == (k, i - 1) else None
        if here:
            counts[k][0] += i == 0
            counts[k][1] += i + 1 == len(paths[k]["blocks"])
            counts[k][2] += table[b - 1]["instrs"]
    for p, c in zip(paths, counts):
        if [p["entered"], p["completed"], p["executed"]] != c:
            return "path %d: %s, should be %s" % (p["path"], p, c)
    return ""


# ---- programs ----------------------------------------------------------------------------------------------------

def check_program(tap, name, argv):
    """Runs a program under Lackey once, for the oracle and for us, and once under the tool."""
    trace = tap.path(name + ".txt")
    other = harness.lackey_into(tap, trace, argv)
    dcfg, edges, status, why = tracelib.run(tap, name, argv)
    if not edges:
        tap.ok(False, name, why)
        return
    by = {}
    said = ""
    for how, args in (("lackey", ["--lackey", trace]), ("dcfg", [dcfg, edges]), ("graph", [dcfg])):
        prefix = tap.path("%s.%s" % (name, how))
        code, out, err = command("blocks", "-a", "-o", prefix, *args)
        said += out + err
        by[how] = tables(prefix) if code == 0 and how != "graph" else [open(prefix + ".sbb", "rb").read()] if code == 0 else None
    bad = said
    if not bad and status != other:
        bad = "exit status %s, under Lackey %s" % (status, other)
    prefix = tap.path(name + ".lackey")
    if not bad:
        bad = differences([rows(prefix + e) for e in (".sbb", ".dbb")], expected(tap, trace, 0))
    if not bad and by["lackey"] != by["dcfg"]:
        bad = differences([rows(tap.path(name + ".dcfg" + e)) for e in (".sbb", ".dbb")], expected(tap, trace, 0))
        bad = "from the DCFG and its trace: " + bad
    if not bad and by["graph"][0] != by["lackey"][0]:
        bad = "the graph alone has other static blocks"
    instrs = json.loads(harness.read(dcfg))["PROCESSES"][1][1]["INSTR_COUNT"]
    bad = bad or wrong_sums(prefix, instrs, False)
    tap.ok(not bad, "%s: one table from three inputs, %d instructions in %d blocks" % (
        name, instrs, len(rows(prefix + ".dbb"))), bad)
    if not bad:
        for args in (["--lackey", trace], [dcfg, edges]):
            code, out, err = command("blocks", "--paths=3", "--json", *args)
            by[len(by)] = out
        tap.ok(by[3] == by[4] and not json.loads(by[3])["paths"][0]["estimated"], name + ": and the same paths", by[3] + by[4])
    for f in os.listdir(tap.dir):
        if f.startswith(name + "."):
            os.unlink(tap.path(f))


def small_programs():
    return {name: (source, flags) for name, source, flags in test_programs.small()}


def check_programs(tap, only):
    small = small_programs()
    for name in only or (small if SLOW else SMALL):
        if name not in small:
            continue
        source, flags = small[name]
        with open(source, errors="replace") as f:
            first = f.readline()
        if "threads" in first or "signals" in first:
            continue                    # Lackey's trace lacks something
        prog = harness.cc(tap, source, name + "_prog", *flags)
        if prog:
            check_program(tap, name, [prog])
    for name, argv in test_programs.real(tap):
        if name not in (only or (REAL if SLOW else QUICK)):
            continue
        prog = shutil.which(argv[0], path=harness.ENV["PATH"])
        if prog:
            check_program(tap, name, [prog] + argv[1:])
        else:
            tap.skip(name, argv[0] + " is not installed")


def check_pipe(tap):
    """Reads Lackey's trace from a pipe, while it runs.  Paths are estimates, because nobody can read twice."""
    fifo, prefix = tap.path("pipe"), tap.path("piped")
    os.mkfifo(fifo)
    result = []
    reader = threading.Thread(target=lambda: result.append(command("blocks", "--lackey", fifo, "--paths", "-o", prefix)))
    reader.start()
    harness.lackey_into(tap, fifo, ["/bin/true"], tool="lackey")     # with its lines of data accesses
    reader.join()
    status, out, err = result[0]
    text = open(prefix + ".paths").read() if status == 0 else ""
    tap.ok(status == 0 and "\t~" in text and "# ~: estimated" in text and rows(prefix + ".dbb"), "from a pipe", out + err + text)


# ---- threads and signals -----------------------------------------------------------------------------------------

def check_threads(tap):
    """Compares threads one by one, and all: counts of static blocks that begin at an address add up."""
    small = commandlib.small
    d = small.good()
    dcfg, trace = commandlib.write(tap.path("t.json"), d), commandlib.write(tap.path("tt.json"), commandlib.good_trace(d))
    counts = []
    for args in (["--thread=0"], ["--thread=1"], []):
        status, out, err = command("blocks", "-a", "--json", dcfg, trace, *args)
        alone = command("blocks", "-a", "--json", dcfg, *args)[1]
        if not tap.ok(status == 0 and json.loads(alone)["sbb"] == json.loads(out)["sbb"],
                      "graph alone and with its trace: " + (" ".join(args) or "all threads"), out + err + alone):
            return
        table = json.loads(out)
        counts.append({k: sum(b["count"] * b["instrs"] for b in table[k]) for k in ("sbb", "dbb")})
    tap.ok(counts[0]["sbb"] + counts[1]["sbb"] == counts[2]["sbb"] == counts[2]["dbb"], "threads add up", counts)
    for args in ([dcfg, trace, "--thread=2"], [dcfg, dcfg], [trace]):
        status, out, err = command("blocks", *args)
        tap.ok(status == 2 and not out and len(err.splitlines()) == 1, "refused: " + err.strip(), out)


def with_signal():
    """A graph and a path through it: main is 4 5 6, and 7 is a handler.  A signal comes after 4, which fell through, and
    after 5, which branched to 6.
    """
    blocks = [["NODE_ID", "ADDR_OFFSET", "SIZE", "NUM_INSTRS", "LAST_INSTR_OFFSET", "COUNT"],
              [4, "0x10", 4, 2, 2, 3], [5, "0x14", 4, 2, 2, 3], [6, "0x20", 4, 1, 0, 3], [7, "0x40", 8, 3, 6, 3]]
    edges = [["EDGE_ID", "SOURCE_NODE_ID", "TARGET_NODE_ID", "EDGE_TYPE_ID", "COUNT_PER_THREAD"]]
    types = ["ENTRY", "EXIT", "FALL_THROUGH", "DIRECT_UNCONDITIONAL_BRANCH", "CONTEXT_CHANGE", "CONTEXT_CHANGE_RETURN",
             "CONTEXT_CHANGE_BYPASS"]
    for s, t, kind, n in ((1, 4, 0, 1), (4, 5, 2, 2), (5, 6, 3, 1), (6, 4, 3, 2), (4, 7, 4, 1), (7, 5, 5, 1), (5, 7, 4, 2),
                          (7, 6, 5, 2), (6, 2, 1, 1)):
        edges.append([len(edges), s, t, kind + 1, [n]])
    d = {"MAJOR_VERSION": 1, "MINOR_VERSION": 0, "FILE_NAMES": [["FILE_NAME_ID", "FILE_NAME"], [1, "/bin/prog"]],
         "EDGE_TYPES": [["EDGE_TYPE_ID", "EDGE_TYPE"]] + [[i + 1, t] for i, t in enumerate(types)],
         "SPECIAL_NODES": [["NODE_ID", "NODE_NAME"], [1, "START"], [2, "END"], [3, "UNKNOWN"]],
         "PROCESSES": [["PROCESS_ID", "PROCESS_DATA"], [4711, {
             "INSTR_COUNT": 24, "INSTR_COUNT_PER_THREAD": [24], "EDGES": edges,
             "IMAGES": [["IMAGE_ID", "LOAD_ADDR", "SIZE", "IMAGE_DATA"],
                        [1, "0x0", 256, {"FILE_NAME_ID": 1, "BASIC_BLOCKS": blocks}]]}]]}
    return d, {0: [1, 4, 5, 6, 4, 7, 5, 7, 6, 4, 5, 7, 6, 2]}


def check_signals(tap):
    d, way = with_signal()
    dcfg = commandlib.write(tap.path("s.json"), d)
    ids = {(e[1], e[2]): e[0] for e in d["PROCESSES"][1][1]["EDGES"][1:]}
    follow = {}
    edges = [ids[p] for p in zip(way[0], way[0][1:])]
    for a, b in zip(edges, edges[1:]):
        follow.setdefault(a, []).append(b)
    table = []
    for a, next_edges in sorted(follow.items()):
        for n, b in enumerate(sorted(set(next_edges))):
            table.append([a, format(n, "02b"), [b]])
    code = {(a, b[0]): c for a, c, b in table}
    bits = "".join(code[p] for p in zip(edges, edges[1:]))
    bits += "0" * (-len(bits) % 6)
    text = "".join(commandlib.ALPHABET[int(bits[k:k + 6], 2)] for k in range(0, len(bits), 6))
    trace = commandlib.write(tap.path("st.json"), {
        "MAJOR_VERSION": 1, "MINOR_VERSION": 0,
        "PROCESSES": [["PROCESS_ID", "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA"],
                      [4711, {}, [["CURRENT_EDGE_ID", "TRANSITION_CODE", "NEXT_EDGE_IDS"]] + table,
                       [["THREAD_ID", "TRACE_DATA"],
                        [0, [["PRECEDING_INSTR_COUNT", "INSTR_COUNT", "EDGE_COUNT", "FIRST_EDGE_ID", "EDGE_ID_SEQUENCE"],
                             [0, 24, len(edges), edges[0], text]]]]]]})
    want = ["1\t00000010\t00000016\t4\t3\tUB\t2:3", "2\t00000020\t00000020\t1\t3\tUB\t1:2", "3\t00000040\t00000046\t3\t3\tNB\t"]
    for args in ([dcfg, trace], [dcfg]):
        status, out, err = command("blocks", *args)
        got = [l for l in out.splitlines() if not l.startswith("#")]
        tap.ok(status == 0 and not err and got == want * len(args),
               "a signal is no jump" + (", from the graph alone" if len(args) == 1 else ""), out + err)


def main():
    tap = harness.Tap("blocks")
    only = sys.argv[1:]
    if not only:
        check_example(tap)
        check_refused(tap)
        check_random(tap)
        check_threads(tap)
        check_signals(tap)
        check_pipe(tap)
    check_programs(tap, only)
    tap.done()


main()
