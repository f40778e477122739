#!/usr/bin/python3
"""The command dcfg on hostile files: small ones that could cost much, and odd ones.  (TAP)

Costs are memory, with a limit of address space, and steps: instructions of dcfg, counted by the tool itself.  If a file
doubles, a linear cost does not become four times as large.  Seconds mean nothing on a loaded machine.
"""
import bz2
import gzip
import itertools
import json
import lzma
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
from commandlib import command, small as s, within

MEGA = 1 << 20


def steps(tap, *args):
    """Returns the instructions that dcfg executes with these arguments."""
    path = tap.path("steps.json")
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--cfg=no", "--dcfg-out-file=" + path, commandlib.PLAIN, *map(str, args)], tap.dir)
    n = json.loads(harness.read(path))["PROCESSES"][1][1]["INSTR_COUNT"]
    os.remove(path)
    return n


def grows_by(tap, make, small, factor, *args):
    """Returns how many times more steps a file FACTOR times as large takes.  MAKE writes a file of a size, and returns its
    path.
    """
    few = steps(tap, *args, make(small))
    many = steps(tap, *args, make(small * factor))
    return many / few, "%d and %d steps" % (few, many)


# ---- traces ------------------------------------------------------------------------------------------------------

def circle(path, claimed, edge=1):
    """Makes a trace that takes one edge CLAIMS times: that needs no character in its sequence."""
    d = {"MAJOR_VERSION": 1, "MINOR_VERSION": 0,
         "PROCESSES": [["PROCESS_ID", "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA"],
                       [4711, {}, [["CURRENT_EDGE_ID", "TRANSITION_CODE", "NEXT_EDGE_IDS"], [edge, "", [edge]]],
                        [["THREAD_ID", "TRACE_DATA"],
                         [0, [["PRECEDING_INSTR_COUNT", "INSTR_COUNT", "EDGE_COUNT", "FIRST_EDGE_ID",
                               "EDGE_ID_SEQUENCE"], [0, 1, claimed, edge, ""]]]]]]}
    return commandlib.write(path, d)


def check_violations(tap):
    """Violations that are not printed take no memory."""
    d = s.good()
    s.set_at(s.edge(d, 1, 4), 4, [1 << 30, 0])
    graph = commandlib.write(tap.path("graph.json"), d)
    trace = circle(tap.path("circle.json"), 1500000)
    status, out, err = within(64, "check", graph, trace)
    tap.ok(status == 1 and "trace-path: and 1,499,979 more" in out, "a trace with 1.5 million violations, in 64 MB",
           out + err)
    # Both files may claim even larger counts than this one, for which nobody would wait.
    s.set_at(s.edge(d, 1, 4), 4, [1 << 60, 0])
    commandlib.write(graph, d)
    status, out, err = command("check", "--limit=1", graph, circle(trace, 1 << 50))
    tap.ok(status == 1 and re.search(r"trace-path: and 2,0\d\d,\d\d\d more", out), "one with 2^50 of them ends", out + err)


def check_claims(tap):
    """A trace of some hundred bytes that claims 2^40 edges is read as far as the DCFG goes."""
    graph = commandlib.write(tap.path("graph.json"), s.good())
    trace = circle(tap.path("circle.json"), 1 << 40)
    n = steps(tap, "check", graph, trace)
    tap.ok(n < 10 ** 9, "check of a trace that claims 2^40 edges ends", n)
    status, out, err = command("check", graph, trace)
    tap.ok(status == 1 and "trace-edge-count: process 4711, thread 0, chunk 0: the thread has more edges than the 22 "
           "that the DCFG has of it" in out, "and says so", out + err)
    for more in ([], ["--thread=0", "--from=0"]):
        status, out, err = command("trace", *more, graph, trace)
        tap.ok(status == 2
               and "PROCESSES[0].THREAD_DATA[THREAD_ID=0].TRACE_DATA[0]: more edges than the DCFG has" in err,
               "so does trace " + " ".join(more), out[-300:] + err)


# ---- tokens ------------------------------------------------------------------------------------------------------

def check_tokens(tap):
    """A long string costs as much as it has characters; a long number is an error."""
    path = tap.path("token.json")

    def value(text):
        def make(n):
            harness.write(path, '{"MAJOR_VERSION":1,"NEW":%s,"PROCESSES":[["PROCESS_ID","PROCESS_DATA"]]}' % text(n))
            return path
        return make
    more, what = grows_by(tap, value(lambda n: '"%s"' % ("x" * n)), MEGA // 4, 4, "report")
    tap.ok(more < 6, "a string that is four times as long takes about four times the steps", what)
    more, what = grows_by(tap, value(lambda n: '"%s"' % ("\\\"" * (n // 4))), MEGA // 4, 4, "report")
    tap.ok(more < 6, "so does one of backslashes and quotes", what)
    for name, text in (("whole", "1" * 1001), ("long", "-" + "1" * MEGA), ("fractional", "0." + "1" * MEGA),
                       ("with an exponent", "1e" + "1" * MEGA)):
        status, out, err = command("report", value(lambda n: text)(0))
        tap.ok(status == 2 and ": a number of more than 1000 characters (byte" in err,
               "a number that is too long: " + name, out + err)
    status, out, err = command("report", value(lambda n: "1" * 1000)(0))
    tap.ok("characters" not in err, "one that is not", out + err)
    harness.write(path, '{"NEW":"' + "x" * 200000)
    commandlib.refused(tap, "a string that the end cuts off", ": not JSON: the text ends too early (byte 200008)", "report", path)
    # Wherever the border between two pieces of text falls.
    bad = ""
    for n in (*range(65516, 65532), *range(131052, 131068)):
        for end in (r'"', r'\\"', r'\""', r'\u00e9"'):
            harness.write(path, '{"NEW":"' + "x" * n + end + ',"MAJOR_VERSION":7,"PROCESSES":[["PROCESS_ID","PROCESS_DATA"]]}')
            bad = bad or ("" if "format 7" in command("report", path)[2] else "%d %s" % (n, end))
    tap.ok(not bad, "strings that end anywhere", bad)


# ---- names -------------------------------------------------------------------------------------------------------

def colliding(n):
    """Returns N keys with equal lowest 16 bits of their FNV-1a hash, a usual one that has no secret."""
    state, pairs = 2166136261, []
    while 1 << len(pairs) < n:
        seen = {}
        for text in map("".join, itertools.product("ABCDEFGHIJKLMNOP", repeat=4)):
            h = state
            for c in text:
                h = (h ^ ord(c)) * 16777619 & 0xffff
            if h in seen:
                pairs.append((seen[h], text))
                state = h
                break
            seen[h] = text
    return ["".join(p) for p in itertools.islice(itertools.product(*pairs), n)]


def check_names(tap):
    """The cost of a name is linear in its length."""
    graph = commandlib.write(tap.path("graph.json"), s.good())

    def dictionary(n):
        d = commandlib.good_trace(s.good())
        d["PROCESSES"][1][1] = {key: "A" for key in colliding(n)}
        return commandlib.write(tap.path("keys.json"), d)
    more, what = grows_by(tap, dictionary, 1 << 10, 4, "check", graph)
    tap.ok(more < 6, "four times as many keys of a dictionary that are meant to collide take about four times the steps",
           what)
    # A function's parameters: a class, then again and again a template of the last name and that name.
    d = s.good()
    s.set_at(s.data(d)["SYMBOLS"][1], 0, "_Z1f1A1BIS_S_E" + "".join("S0_I%sE" % (2 * ("S%s_" % digit))
                                                                     for digit in "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    path = commandlib.write(tap.path("symbol.json"), d)
    for c in (["report"], ["disasm"], ["dot", "--callgraph"], ["check"], ["diff", path]):
        status, out, err = within(200, *c, path)
        tap.ok(status == 0 and len(out) < 50000, "a symbol that stands for a name of 2^35 characters: " + c[0], err)


# ---- tables ------------------------------------------------------------------------------------------------------

def routine_of(path, n, jumps, entry=4, lists=()):
    """Makes a DCFG of one routine of N blocks, nodes 4 to N + 3, with these jumps.  LISTS: rows of LOOPS."""
    d = s.good()
    p = s.proc(d)
    end = n + 4
    p["INSTR_COUNT_PER_THREAD"] = [p["INSTR_COUNT"]]
    p["IMAGES"] = [s.HEAD["IMAGES"], [1, "0x400000", 4 * end, {
        "FILE_NAME_ID": 1, "SYMBOLS": [s.HEAD["SYMBOLS"]],
        "BASIC_BLOCKS": [s.HEAD["BASIC_BLOCKS"]] + [[i, hex(4 * i), 4, 1, 0, 1] for i in range(4, end)],
        "ROUTINES": [s.HEAD["ROUTINES"], [entry, [end - 1], [s.HEAD["NODES"]] + [[i, entry] for i in range(4, end)],
                                          [s.HEAD["LOOPS"]] + list(lists)]]}]]
    p["EDGES"] = [s.HEAD["EDGES"], [1, 1, entry, s.TYPE_ID["ENTRY"], [1]]] \
        + [[i, a, b, s.TYPE_ID["INDIRECT_UNCONDITIONAL_BRANCH"], [1]] for i, (a, b) in enumerate(jumps, 2)]
    return commandlib.write(path, d)


def ladder(path):
    """A chain with edges both ways, entered at both ends: only the entry dominates anything."""
    def make(n):
        chain = [(i, i + 1) for i in range(5, n + 3)]
        return routine_of(path, n, [(4, 5), (4, n + 3)] + chain + [(b, a) for a, b in chain])
    return make


def dispatch(path):
    """A block without a symbol that jumps to many blocks of another image, each time with its name."""
    def make(n):
        d = json.load(open(routine_of(path, n, [(4, i) for i in range(5, n + 4)])))
        images = s.proc(d)["IMAGES"]
        images.append([2, "0x800000", 4 * n + 16, {"FILE_NAME_ID": 2, "BASIC_BLOCKS": images[1][3]["BASIC_BLOCKS"][:1]
                                                   + images[1][3]["BASIC_BLOCKS"][2:]}])
        del images[1][3]["BASIC_BLOCKS"][2:], images[1][3]["ROUTINES"], images[1][3]["SYMBOLS"]
        return commandlib.write(path, d)
    return make


def nest(path, lists=False):
    """Nested loops, of which the file lists none, or only the heads."""
    def make(n):
        chain = [(i, i + 1) for i in range(4, n + 3)]
        return routine_of(path, n, chain + [(n + 3, i) for i in range(4, n + 4)],
                          lists=[[i, [], []] for i in range(4, n + 4)] if lists else ())
    return make


def repeats(path):
    """A switch whose loop the file lists again and again."""
    def make(n):
        return routine_of(path, n, [(4, i) for i in range(5, n + 4)] + [(i, 4) for i in range(5, n + 4)],
                          lists=[[4, [], []]] * n)
    return make


def switch(path):
    """A jump to each of the other blocks, which all jump back."""
    def make(n):
        return routine_of(path, n, [(4, i) for i in range(5, n + 4)] + [(i, 4) for i in range(5, n + 4)])
    return make


def check_routines(tap):
    """Dominators and loops take steps in proportion to any graph, but for a logarithm."""
    path = tap.path("routine.json")
    for what, make in (("a ladder", ladder(path)), ("loops in loops", nest(path)),
                       ("loops in loops with empty lists", nest(path, True)), ("a large switch", switch(path)),
                       ("a loop that is listed again and again", repeats(path))):
        more, diag = grows_by(tap, make, 500, 4, "check")
        tap.ok(more < 6, "check of four times as much takes about four times the steps: " + what, diag)
    more, diag = grows_by(tap, dispatch(path), 1000, 4, "report", "--edges", "--top=100000")
    tap.ok(more < 6, "report of the edges of a block that jumps to four times as many", diag)
    more, diag = grows_by(tap, nest(path, True), 2000, 4, "check", "--limit=0")
    tap.ok(more < 6, "likewise where all that is wrong is printed", diag)
    status, out, err = within(400, "check", ladder(path)(10000))
    tap.ok(status == 1 and "0x" in out, "check of a ladder of 10,000 blocks", out[-300:] + err)


def staggered(path, sizes):
    """Makes a DCFG with blocks of these (offset, size), with instructions of a byte; each block leads to the next."""
    d = s.good()
    p = s.proc(d)
    n = len(sizes) + 4
    p["INSTR_COUNT_PER_THREAD"] = [p["INSTR_COUNT"]]
    p["IMAGES"] = [s.HEAD["IMAGES"], [1, "0x400000", max(a + b for a, b in sizes) + 1, {
        "FILE_NAME_ID": 1, "BASIC_BLOCKS": [s.HEAD["BASIC_BLOCKS"]]
        + [[i, hex(at), size, size, size - 1, 1] for i, (at, size) in enumerate(sizes, 4)]}]]
    p["EDGES"] = [s.HEAD["EDGES"], [1, 1, 4, s.TYPE_ID["ENTRY"], [1]]] \
        + [[i - 2, i, i + 1 if i + 1 < n else 2, s.TYPE_ID["INDIRECT_UNCONDITIONAL_BRANCH" if i + 1 < n else "EXIT"], [1]]
           for i in range(4, n)]
    return commandlib.write(path, d)


def check_sums(tap):
    """Blocks of one file that divide those of another, and blocks that overlap as in no program."""
    one, two = tap.path("one.json"), tap.path("two.json")

    def divided(n):
        staggered(one, [(0, n)])
        return staggered(two, [(i, 1) for i in range(n)])
    few, many = (steps(tap, "merge", "-o", tap.path("sum.json"), one, divided(n)) for n in (1000, 4000))
    tap.ok(many < 6 * few, "merge: a block that the other file divides into four times as many", (few, many))

    def heaped(n):
        staggered(one, [(2 * i, 2 * n - 2 * i) for i in range(n)])
        return staggered(two, [(2 * i + 1, 2 * n - 2 * i) for i in range(n)])
    few, many = (steps(tap, "merge", "-o", tap.path("sum.json"), one, heaped(n)) for n in (1000, 4000))
    tap.ok(many < 6 * few, "merge: four times as many blocks that overlap", (few, many))
    commandlib.refused(tap, "which cannot be", "", "merge", one, two)

    # Calls that never return.
    d = s.good()
    s.set_at(s.edge(d, 4, 15), 4, [1 << 30, 0])
    graph = commandlib.write(tap.path("graph.json"), d)
    call = s.edge(d, 4, 15)[0]
    for what in (["flame"], ["flame", "--svg"], ["report", "--inclusive", "--trips"]):
        status, out, err = within(128, *what, graph, circle(tap.path("circle.json"), 1000000, call))
        tap.ok(status in (0, 2) and "out of memory" not in err, "a million calls in 128 MB: " + " ".join(what),
               out[-300:] + err)


def check_budget(tap):
    """A file may take memory in proportion to its size, and --memory allows more."""
    path = tap.path("special.json")
    nodes = ",".join('[%d,""]' % n for n in range(1, 10001))
    processes = ",".join("[%d,{}]" % n for n in range(1, 10001))
    with open(path, "w") as f:
        f.write('{"MAJOR_VERSION":1,"SPECIAL_NODES":[["NODE_ID","NODE_NAME"],%s],'
                '"PROCESSES":[["PROCESS_ID","PROCESS_DATA"],%s]}' % (nodes, processes))
    for c in (["report"], ["check", "--limit=1"], ["disasm"], ["dot", "--callgraph"], ["diff", path]):
        status, out, err = within(400, *c, path)
        tap.ok(status == 2 and "PROCESSES[" in err and "bytes of memory that are allowed" in err
               and "; --memory=MIB allows more" in err and len(err.splitlines()) == 1,
               "special nodes in each of many processes, in 400 MB: " + c[0], out[-500:] + err)
    status, out, err = command("report", "--memory=50", path)
    tap.ok(status == 2 and "52428800 bytes of memory" in err and "--memory" not in err, "--memory=50", out + err)
    # Several compressed texts in a row are one text.
    harness.write(path, bz2.compress(b'{"NEW":"') + 20 * bz2.compress(16 * MEGA * b"x"))
    status, out, err = within(600, "report", path)
    tap.ok(status == 2 and "bytes of memory that are allowed" in err, "a long string in a small compressed file",
           out + err)
    small = commandlib.write(tap.path("small.json"), s.good())
    tap.ok(command("report", "--memory", "1", small)[0] == 0, "--memory as two words, for a small file")


# ---- statuses ----------------------------------------------------------------------------------------------------

def check_statuses(tap):
    """Files that cannot be read, or do not exist, are reported."""
    graph = commandlib.write(tap.path("graph.json"), s.good())
    status, out, err = command("check", graph, tap.path("nothing.json"))
    tap.ok(status == 2 and "violation" not in out and "nothing.json: cannot open" in err,
           "check of a trace that is not there counts no violations", out + err)
    empty = s.good()
    del empty["PROCESSES"][1:]
    path = commandlib.write(tap.path("empty.json"), empty)
    for c in (["report"], ["report", "--json"], ["disasm"], ["dot", "--callgraph"], ["diff", graph],
              ["trace", path]):
        commandlib.refused(tap, "a file without processes: " + " ".join(c[:1]), "there is no process in", *c, path)
    status, out, err = command("check", "--writer=other", path)
    tap.ok(status == 0 and "there is no process in" in err, "check of it", out + err)
    newer = dict(s.good(), MAJOR_VERSION=2)
    newer["SPECIAL_NODES"] = 7
    path = commandlib.write(tap.path("newer.json"), newer)
    for c in (["report"], ["check"], ["trace", graph], ["check", graph]):
        commandlib.refused(tap, "another version is refused first: " + c[0], "MAJOR_VERSION: format 2.xx; this library reads 1.xx", *c, path)


# ---- paths -------------------------------------------------------------------------------------------------------

def check_paths(tap):
    """disasm reads source from regular files only: a pipe would make it wait, and lose its contents."""
    d = s.good()
    pipe = tap.path("pipe.c")
    s.set_at(d["FILE_NAMES"][1], 1, commandlib.DCFG)
    s.set_at(d["FILE_NAMES"][3], 1, pipe)
    graph = commandlib.write(tap.path("graph.json"), d)
    harness.write(pipe, "line\n" * 20)
    status, out, err = command("disasm", "--routine=main", graph)
    tap.ok(status == 0 and re.search(r"line$", out, re.M), "disasm shows source", out + err)
    os.remove(pipe)
    os.mkfifo(pipe)
    fd = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    os.write(fd, b"line\n" * 20)
    status, out, err = command("disasm", "--routine=main", graph)
    tap.ok(status == 0 and not re.search(r"line$", out, re.M) and len(os.read(fd, 200)) == 100,
           "but not from a pipe", out + err)
    os.close(fd)


# ---- what is behind the end --------------------------------------------------------------------------------------

def check_unpacked(tap):
    """A compressed trace takes disk space in proportion to its contents, within the limit."""
    room = tap.path("room")
    os.mkdir(room)
    source, wet = tap.path("tiny.c"), tap.path("tiny.wet")
    harness.write(source, "int main(void)\n{\n   volatile int s = 0;\n   s += 3;\n   return s != 3;\n}\n")
    tiny = harness.cc(tap, source, "tiny", "-g", "-O0", "-static")
    status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--cfg=no", "--wet=yes", "--wet-out-file=" + wet, tiny],
                              tap.dir)
    tap.ok(status == 0 and os.path.exists(wet), "a whole execution trace is there", err)
    data = open(wet, "rb").read()
    most = len(data) + MEGA

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    def asked(name, text, *args):
        """Returns '' if one line refuses the file, with no more on disk than the trace and a MB."""
        path = tap.path("x.wet" + name)
        harness.write(path, packed(name, text))
        bad = ""
        for words in (["slice", "--index=no", "--at=tiny.c:4", path], ["why", "--index=no", path, "tiny.c:4"]):
            status, out, err = command(*words, *args, env={"TMPDIR": room}, preexec_fn=limit)
            bad += err if status == 2 else "" if status == 0 else "status %d" % status
        return bad, os.listdir(room)

    long = data + bytes(16 * MEGA)
    for name in ("", ".gz", ".bz2", ".xz", ".zst"):
        if name == ".zst" and shutil.which("zstd") is None:
            tap.skip("zstd", "it is not installed")
            continue
        err, left = asked(name, data)
        tap.ok(not err and not left, "a trace as it is: tiny.wet" + name, "%s %s" % (err, left))
        err, left = asked(name, long)
        tap.ok(len(err.splitlines()) == 2 and err.count("it goes on behind its end") == 2 and not left,
               "16 MB behind its end are refused, and not unpacked: tiny.wet" + name, "%s %s" % (err, left))
        commandlib.refused(tap, "by dcfg wet, too", "it goes on behind its end", "wet", "--history=1", tap.path("x.wet" + name))
    # The tape is the last section: number, length.
    at = 16
    while data[at] != 8:
        at += 9 + int.from_bytes(data[at + 1:at + 9], "little")
    lie = data[:at + 1] + (5 << 30).to_bytes(8, "little") + data[at + 9:] + bytes(MEGA)
    err, left = asked(".gz", lie)
    tap.ok(len(err.splitlines()) == 2 and err.count("bytes of disk, more than the ") == 2 and err.count("; --disk=MIB allows more") == 2
           and not left, "a tape of 5 GB is not begun", "%s %s" % (err, left))
    most = 1 << 40
    err, left = asked(".gz", lie, "--disk=9000")
    tap.ok(len(err.splitlines()) == 2 and "of disk" not in err and not left, "with more disk it is, and ends too early", err)
    grown = data[:at + 1] + (2 << 20).to_bytes(8, "little") + data[at + 9:]
    err, left = asked(".gz", grown, "--disk=1")
    tap.ok(err.count("more than the 1048576 that are allowed") == 2, "--disk is heeded", err)
    # Graphs, traces and logs are read in order, and not unpacked; bytes behind them are refused, too.
    graph = json.dumps(s.good()).encode()
    path = tap.path("x.json.gz")
    harness.write(path, packed(".gz", graph + bytes(64 * MEGA)))
    n = steps(tap, "report", path)
    status, out, err = command("report", path, env={"TMPDIR": room}, preexec_fn=limit)
    tap.ok(status == 2 and len(err.splitlines()) == 1 and n < 10 ** 8, "64 MB of zeros behind a graph are not read",
           "%s %d" % (err, n))


def packed(suffix, data):
    """Returns the bytes, compressed as the suffix says."""
    if suffix == ".zst":
        return subprocess.run(["zstd", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    return {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress,
            ".xz": lambda d: lzma.compress(d, preset=0)}[suffix](data)


def main():
    tap = harness.Tap("command_hostile")
    check_violations(tap)
    check_claims(tap)
    check_statuses(tap)
    check_paths(tap)
    check_tokens(tap)
    check_names(tap)
    check_routines(tap)
    check_sums(tap)
    check_budget(tap)
    check_unpacked(tap)
    tap.done()


main()
