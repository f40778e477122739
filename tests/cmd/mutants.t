#!/usr/bin/python3
"""Every subcommand of dcfg on files that a mutator has made of right ones.  (TAP)

mutants.t [N [SEED [JOBS]]]         N mutants through each subcommand

No mutant may make a subcommand crash, hang, take much memory, leak, or upset a sanitizer.  No subcommand may read one without an
error if it breaks a rule that the subcommand relies on.  The programs of tests/oracle know these rules, and share nothing with
dcfg.  For check, all rules count.  For the others: ids are unique and refer to something, and numbers are numbers.  Whole
execution traces have their own mutants (wet_mutants.py) and rules: their layout.

The subcommands run in command_server (tests/lib/command_server.c), compiled with sanitizers.
"""
import itertools
import json
import multiprocessing
import os
import random
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import mutants
import wet_mutants
from commandlib import small as s

import dcfg_model
import dcfg_rules
import trace_rules

SERVER = os.path.join(os.environ.get("BUILDDIR", ""), "cmd", "command_server")
FILES = ("@0", "@1", "@2")      # a DCFG, a trace, the right DCFG; one of the first two, or both, are mutants
CORPUS = os.path.join(harness.SRCDIR, "tests", "lib", "corpus")
# Small programs of tests/, of which the tool writes DCFG and trace.
WRITTEN = ("edge_nested", "edge_rep", "edge_tail", "life_raise")
KINDS = ("returned", "ended", "killed", "leaked")

# A command, its options, each there or not, and the files that it gets.
COMMANDS = [
    ("check", [["--writer=valgrind"]], ["--limit=0"], [["@0"], ["@0", "@1"]]),
    ("report", [[], ["--json"], ["--csv"]],
     ["--loops", "--routines", "--blocks", "--edges", "--images", "--top=3", "--thread=0", "--wide", "--mangled",
      "--image=a", "--routine=main", "--function=m*", "--source=*.c:1-20", "--branches", "--indirect", "--callers=main",
      "--sort=name"], [["@0"]]),
    ("report", [[], ["--functions", "--lines"], ["--lines", "--inline"]], ["--top=3", "--thread=0", "--function=m*"], [["@0"]]),
    ("annotate", [[], ["--asm"]], ["--thread=0", "--all", "--mangled", "--image=a"], [["@0"], ["@0", "main"], ["@0", "a.c"]]),
    ("report", [["--trips"], ["--inclusive"], ["--trips", "--inclusive", "--json"]], ["--thread=0", "--top=0"],
     [["@0", "@1"]]),
    ("disasm", [[], ["--routine=main"], ["--sde"]],
     ["--att", "--image=a", "--function=m*", "--source=*.c", "--bytes", "--thread=0", "--mangled"], [["@0"]]),
    ("dot", [["--hot=3"], ["--hot", "--routine=main"]], ["--image=a", "--thread=0"], [["@0"]]),
    ("dot", [[], ["--callgraph"], ["--routine=main"]], ["--code", "--min=0", "--top=3", "--thread=0", "--mangled"],
     [["@0"]]),
    ("trace", [[], ["--as=blocks"], ["--as=edges"], ["--as=calls"]], ["--thread=0", "--from=5", "--edges=7", "--csv"],
     [["@0", "@1"]]),
    ("diff", [[], ["--json"], ["--csv"], ["--markdown"]],
     ["--functions", "--threshold=1", "--fail=3", "--image=a", "--loops", "--routines", "--blocks", "--edges", "--top=3",
      "--wide", "--share=0"],
     [["@0", "@2"], ["@2", "@0"], ["@0", "@0"]]),
    ("gate", [["--save=/dev/null"]], ["--limit=main:1%", "--limit=2", "--name=x", "--mangled"], [["@0"]]),
    ("merge", [[], ["--threads=add"], ["--processes"], ["--partial"]], ["--builds=apart"],
     [["@0"], ["@0", "@2"]]),
    ("flame", [[], ["--svg"], ["--speedscope"]], ["--thread=0", "--mangled"], [["@0", "@1"]]),
    ("flame", [["--diff"], ["--diff", "--svg"]], [], [["@0", "@1", "@0", "@1"]]),
    ("view", [["-o", "/dev/null", "--graphs=0"], ["-o", "/dev/null", "--graphs=0", "--trace", "@1"], ["-o", "/dev/null"]],
     ["--mangled"], [["@0"]]),
    ("export", [["--bolt"], ["--profgen"], ["--lcov"], ["--drcov"], ["--mca"], ["--mca=main"]], ["--image=a", "--thread=0", "--routine=main"], [["@0"]]),
    ("bbv", [["--slice=3"], ["--slice=5", "--at-loops"]], ["--thread=0"], [["@0", "@1"]]),
    ("blocks", [[], ["--csv"], ["--json"], ["--dot"], ["--paths"]], ["-a", "--thread=0"], [["@0"], ["@0", "@1"]]),
]


class Server:
    def __init__(self):
        self.p = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=harness.ENV)

    def ask(self, files, lines):
        """Returns, for each command line, (kind, exit status or signal, standard error)."""
        out = [struct.pack("=I", len(files))]
        for f in files:
            out += [struct.pack("=I", len(f)), f]
        out.append(struct.pack("=I", len(lines)))
        for line in lines:
            out.append(struct.pack("=I", len(line)))
            for arg in line:
                out += [struct.pack("=I", len(arg)), arg.encode()]
        self.p.stdin.write(b"".join(out))
        self.p.stdin.flush()
        answers = []
        for _ in lines:
            kind, status, size = struct.unpack("=III", self.p.stdout.read(12))
            answers.append((KINDS[kind], status, self.p.stdout.read(size).decode(errors="replace")))
        return answers

    def end(self):
        self.p.stdin.close()
        return self.p.wait()


# ---- what is wrong with a file -----------------------------------------------------------------------------------

class Whole(dcfg_rules.Options):
    partial = generations = True


# Rules that the oracles check in this project's files, and dcfg check does not, because no reader relies on them.  The
# library finds columns by their headers, takes numbers in any form and sorts these lists itself.  Sequences may have parts
# that are empty when expanded.  Rows, entries and processes of a trace that no chunk uses are ignored; its threads may come
# in any order.  Only merge relies on MERGED, and checks it itself.
CONVENTIONS = re.compile(r"""order:.*(NODES\ not\ ascending | EXIT_NODE_IDS\ not | ids\ not\ ascending | symbol\ .*\ follows)
                             | order:\ (edge\ type|image|file)\ id
                             | source-order:
                             | version:\ MINOR_VERSION
                             | table-columns:.*(ROUTINES.*\ EXIT_NODE_IDS\ NODES | LOOPS.*\ LOOP_NODE_IDS)\Z
                             | processes:\ a\ second\ process | code-free: | thread-order:
                             | (dictionary|chunk)-text:.*(a\ repetition\ of\ nothing | a\ repetition\ of\ more\ than\ 32\ bits)
                             | dictionary-key:\ an\ empty\ key | dictionary-text:.*\ is\ empty
                             | row-edge: | row-path: | merged:""", re.X | re.S)


# Numbers that the format allows and the oracle does not read: it ignores their rows.
OTHER_NUMBERS = re.compile(r"value-form: .* is '0([0-7]*|[xX][0-9a-fA-F]+)'\Z", re.S)


class Found(dcfg_rules.Violations):
    whole = True                # nothing was left out
    readable = True

    def __call__(self, rule, text):
        self.readable = self.readable and not OTHER_NUMBERS.match("%s: %s" % (rule, text))
        self.whole = self.whole and not CONVENTIONS.match("%s: %s" % (rule, text))
        if not CONVENTIONS.match("%s: %s" % (rule, text)):
            super().__call__(rule, text)


def broken_rules(data, scratch):
    """Return what dcfg_rules.py finds in a DCFG; None if it cannot handle it."""
    bad = Found()
    harness.write(scratch, data)
    try:
        dcfg_rules.check_file(scratch, Whole, bad)
    except dcfg_model.Broken:
        return {"unreadable"}, True
    except Exception:
        return None, False
    # The oracle takes null for a table that is left out.
    return {r for r, n in bad.count.items() if n and bad.readable}, bad.whole and bad.readable and b"null" not in data


def broken_trace(decoder, graph, data, scratch):
    """Return what trace_rules.py finds in a trace of a right DCFG."""
    harness.write(scratch, data)
    status, text = trace_rules.check(decoder, graph, scratch)
    return {line.split(":")[0] for line in text.splitlines()
            if not line.startswith("#") and not CONVENTIONS.match(line)} if status else set()


def rows(table):
    """Yields each row by its header, with integers in both of their forms."""
    return [{c: int(v, 0) if isinstance(v, str) and v[:2] == "0x" and c[-3:] == "_ID" else v for c, v in zip(table[0], row)}
            for row in table[1:]]


def unusable(data):
    """Returns why no command can read a DCFG: ids that refer to nothing, or to two things.  "" if that is not so."""
    try:
        d = json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return "no JSON"
    try:
        types = [r["EDGE_TYPE_ID"] for r in rows(d["EDGE_TYPES"])]
        special = [r["NODE_ID"] for r in rows(d["SPECIAL_NODES"])]
        for p in rows(d["PROCESSES"]):
            data = p["PROCESS_DATA"]
            images = rows(data["IMAGES"])
            nodes = special + [b["NODE_ID"] for i in images for b in rows(i["IMAGE_DATA"].get("BASIC_BLOCKS", [[]]))]
            edges = rows(data.get("EDGES", [[]]))
            inside = [n["NODE_ID"] for i in images for r in rows(i["IMAGE_DATA"].get("ROUTINES", [[]])) for n in rows(r["NODES"])]
            for what, ids in (("edge types", types), ("nodes", nodes), ("edges", [e["EDGE_ID"] for e in edges])):
                if len(set(ids)) != len(ids):
                    return "%s with one id" % what
            for e in edges:
                if e["EDGE_TYPE_ID"] not in types or e["SOURCE_NODE_ID"] not in nodes or e["TARGET_NODE_ID"] not in nodes:
                    return "edge %s" % e["EDGE_ID"]
            if not set(inside) <= set(nodes):
                return "a routine's nodes"
    except (KeyError, TypeError, AttributeError, IndexError):
        return ""               # another form, which may be right
    return ""


# ---- runs --------------------------------------------------------------------------------------------------------

def command_lines(r, files):
    """Returns a command line for each command, with random options."""
    lines = []
    for name, ways, options, operands in COMMANDS:
        which = [o for o in operands if set(o) <= files] or operands
        lines.append([name] + r.choice(ways) + [o for o in options if r.random() < 0.25] + r.choice(which))
    return lines


class Judge:
    """Checks mutants FIRST to END - 1 of the right files in CORPUS."""

    def __init__(self, seed, first, end, corpus, decoder, scratch):
        self.seed, self.first, self.end, self.corpus = seed, first, end, corpus
        self.decoder, self.scratch = decoder, scratch
        self.runs = self.judged = self.unknown = self.read = self.refused = 0
        self.wrong = []         # (complaint, command line, graph, trace)
        os.makedirs(scratch, exist_ok=True)

    def mutant(self, i):
        """Returns (right graph, graph, trace, whether each is a mutant)."""
        r = random.Random(self.seed * 1000003 + i)
        m = mutants.Mutator(r.random())
        graph, trace = r.choice(self.corpus)
        which = r.choice((1, 1, 1, 1, 2, 2, 3)) if trace else 1
        return (r, graph, m.mutant(graph) if which & 1 else graph,
                m.mutant(trace) if which & 2 else trace or b"{}", which)

    def broken(self, which, line, right, graph, trace):
        """Returns (what the oracles find in the files of a command line, whether they found everything)."""
        if which & 1:
            return broken_rules(graph, os.path.join(self.scratch, "graph"))
        if "@1" not in line:
            return set(), False
        path = os.path.join(self.scratch, "right")
        harness.write(path, right)
        return broken_trace(self.decoder, path, trace, os.path.join(self.scratch, "trace")), False

    def judge(self, i, server):
        r, right, graph, trace, which = self.mutant(i)
        lines = command_lines(r, {"@0", "@2"} if which == 1 and trace == b"{}" else set(FILES))
        for line, (kind, status, err) in zip(lines, server.ask([graph, trace, right], lines)):
            why = None
            self.runs += 1
            self.read += status == 0
            self.refused += status == 2
            if kind in ("killed", "leaked") or status not in (0, 1, 2):
                why = "%s %d: %s" % (kind, status, err[-3000:])
            elif status == 2 and not err:
                why = "not a word"
            elif line[0] == "check" and (status == 0 or status == 1 and i % 10 == 0):
                bad, whole = self.broken(which, line, right, graph, trace)
                self.judged += 1
                self.unknown += bad is None
                if status == 0 and bad:
                    why = "nothing, but there is: " + " ".join(sorted(bad))
                elif status == 1 and bad is not None and not bad and whole and which == 1 and "@1" not in line:
                    # A trace need not fit a graph that is another, right one.
                    why = "violations, where there are none"
            elif line[0] != "check" and status == 0 and which & 1 and "@0" in line and unusable(graph):
                why = "read, but: " + unusable(graph)
            if why:
                self.wrong.append(("mutant %d, dcfg %s: %s" % (i, " ".join(line), why), graph, trace))

    def run(self):
        server = Server()
        for i in range(self.first, self.end):
            self.judge(i, server)
            if len(self.wrong) > 60:
                break
        server.end()
        return self


def corpus(tap):
    """Yields right files: (DCFG, trace or nothing)."""
    good = s.good()
    graph = json.dumps(good).encode()
    files = [(graph, json.dumps(commandlib.good_trace(good, n)).encode()) for n in (3, 8, 100)]
    for program in WRITTEN:
        path = tap.path(program)
        harness.run([harness.VALGRIND, "--tool=dcfg", "--trace=yes", "--dcfg-out-file=" + path,
                     "--trace-out-file=%s.trace" % path, os.path.join(os.environ["BUILDDIR"], "tests", "regress", program)], tap.dir)
        # Another process id each time would make other mutants.
        files.append(tuple(harness.PID.sub(rb"\g<1>4711", read(p)) for p in (path, path + ".trace")))
    # A partial sum with sizes of instructions, and with groups.
    jit = harness.program(tap, "merge/jit.c")
    runs = [harness.dcfg(tap, "jit%s" % n, [jit, n], ["--instr-sizes=yes", "--only-images=jit,*anon*", "--source=no"])[0] for n in "34"]
    commandlib.command("merge", "--partial", "-o", tap.path("partial"), *runs)
    files.append((harness.PID.sub(rb"\g<1>4711", read(tap.path("partial"))), None))
    return files


def read(path):
    return harness.read(path, "rb")


def check_fuzzed(tap, right):
    """Inputs that libFuzzer has found interesting for the library."""
    server, wrong, n = Server(), [], 0
    found = [[os.path.join(CORPUS, d, f) for f in sorted(os.listdir(os.path.join(CORPUS, d)))] for d in ("load", "trace")]
    for graph, trace in itertools.zip_longest(*found, fillvalue=os.path.join(CORPUS, "load", "small")):
        lines = command_lines(random.Random(n), set(FILES))
        n += 1
        for line, (kind, status, err) in zip(lines, server.ask([read(graph), read(trace), right], lines)):
            if kind in ("killed", "leaked") or status not in (0, 1, 2):
                wrong.append("%s %s: dcfg %s: %s %d: %s" % (graph, trace, " ".join(line), kind, status, err[-3000:]))
    server.end()
    tap.ok(n > 50 and not wrong, "the corpora of the library's fuzzers", "\n".join(wrong))


def main():
    n, seed, jobs = [int(a) for a in sys.argv[1:]] + [200, 1, 1][len(sys.argv) - 1:]
    tap = harness.Tap("command_mutants")
    # An unoptimised build: optimising would take longer than running it.
    r = subprocess.run(["make", "-C", os.path.dirname(SERVER), "CFLAGS=-O0", "command_server"], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    if not tap.ok(r.returncode == 0, "command_server is built", r.stdout.decode(errors="replace")):
        tap.done()
    decoder = harness.cc(tap, os.path.join(harness.ORACLE, "trace_decode.c"), "trace_decode", "-O2")
    files = corpus(tap)
    COMMANDS.append(("export", [["--tables=" + tap.path("tables")]], ["--job=a"], [["@0"], ["@0", "@2"]]))
    check_fuzzed(tap, files[0][0])
    wet_mutants.check(tap, Server, n, seed)
    judges = [Judge(seed, k * n // jobs, (k + 1) * n // jobs, files, decoder, tap.path("scratch%d" % k))
              for k in range(jobs)]
    with multiprocessing.Pool(jobs) as pool:
        judges = pool.map(Judge.run, judges, chunksize=1)
    wrong = [w for j in judges for w in j.wrong]
    for i, (what, graph, trace) in enumerate(wrong):
        for name, data in (("graph", graph), ("trace", trace)):
            harness.write(tap.path("%s%d" % (name, i)), data)
    tap.ok(not wrong, "%d mutants through each subcommand" % n,
           "\n".join("%d: %s" % (i, w[0]) for i, w in enumerate(wrong)))
    print("# seed %d: %d runs, %d with status 0, %d with 2; %d held against the oracles, which could not cope with %d"
          % tuple([seed] + [sum(getattr(j, x) for j in judges) for x in ("runs", "read", "refused", "judged", "unknown")]))
    tap.ok(sum(j.read for j in judges) > n and sum(j.refused for j in judges) > n, "some are refused and some are not")
    tap.done()


if __name__ == "__main__":
    main()
