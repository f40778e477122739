#!/usr/bin/python3
"""The command dcfg on files that the tool has just written: every subcommand, every option.  (TAP)

The output is compared with the file, which the usual JSON library reads, and with the specification's own decoding of a
trace (trace_plain.py).
"""
import glob
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
from commandlib import command, table

PROGRAM = harness.text("cmd/command.cc")

COMMANDS = ["report", "annotate", "check", "disasm", "dot", "trace", "diff", "gate", "blocks", "xray", "merge", "flame", "view"]


class File:
    """A DCFG as the JSON library reads it."""

    def __init__(self, path):
        d = json.loads(harness.read(path))
        self.pid, p = d["PROCESSES"][1]
        self.threads, self.instrs = p["INSTR_COUNT_PER_THREAD"], p["INSTR_COUNT"]
        types = dict(d["EDGE_TYPES"][1:])
        self.blocks, self.routines, self.loops = {}, [], []
        for _, load, _, data in p["IMAGES"][1:]:
            for b in data.get("BASIC_BLOCKS", [[]])[1:]:
                self.blocks[b[0]] = dict(addr=int(load, 0) + int(b[1], 0), size=b[2], instrs=b[3], count=b[5])
            for r in data.get("ROUTINES", [[]])[1:]:
                self.routines.append(r)
                self.loops += r[3][1:] if len(r) > 3 else []
        self.edges = {e[0]: (e[1], e[2], types[e[3]], e[4]) for e in p["EDGES"][1:]}


# ---- use and help ------------------------------------------------------------------------------------------------

def check_use(tap):
    status, out, err = command("--version")
    tap.ok(status == 0 and re.fullmatch(r"dcfg \d+\.\d+\.\d+, for DCFG format 1\.00\n", out), "--version", out + err)
    status, out, err = command("--help")
    tap.ok(status == 0 and all(re.search(r"^  %s " % c, out, re.M) for c in COMMANDS), "--help lists all commands", out)
    listed = re.findall(r"^  (\w+) ", out.split("commands:")[1].split("\n\n")[0], re.M)
    synopsis = harness.read(os.path.join(harness.SRCDIR, "cmd", "dcfg.1")).split(".Sh SYNOPSIS")[1].split(".Sh")[0]
    tap.ok(len(listed) > 15 and all(re.search(r"^\.Cm %s\b" % c, synopsis, re.M) for c in listed),
           "the manual page's synopsis has all commands", listed)
    for c in COMMANDS:
        status, out, err = command(c, "--help")
        lines = [l for l in out.splitlines() if len(l) > 79]
        tap.ok(not lines and out == command("help", c)[1], "%s --help fits, and help %s is the same" % (c, c), lines)
    nothing = tap.path("nothing.json")
    for args in ([], ["frobnicate"], ["report"], ["report", nothing], ["report", "a", "b"], ["report", "--frobnicate", "a"],
                 ["report", "--top=x", "a"], ["report", "--top"], ["report", "--csv=1", "a"], ["dot", "a"], ["trace", "a"],
                 ["report", "--csv", "--json", "a"], ["diff", "a"], ["check", "--writer=me", "a"],
                 ["trace", "--as=song", "a", "b"]):
        commandlib.refused(tap, "one line and status 2: dcfg " + " ".join(args).replace(nothing, "nothing"), "dcfg", *args)


# ---- report ------------------------------------------------------------------------------------------------------

def check_selection(tap, path, d):
    """The parts that --image, --routine, --function and --source select, by the file itself."""
    everything = table(command("report", "--csv", "--blocks", "--top=0", path)[1])

    def selected(*options):
        return {int(r["node_id"]) for r in table(command("report", "--csv", "--blocks", "--top=0", *options, path)[1])}

    def those(belongs):
        return {int(r["node_id"]) for r in everything if belongs(r)}

    entry, nodes = next((r[0], {n for n, _ in r[2][1:]}) for r in d.routines
                        if any(int(x["node_id"]) == r[0] and x["name"] == "main" for x in everything))
    tap.ok(selected("--routine=main") == nodes == selected("--routine=#%d" % entry), "--routine", nodes)
    inside = those(lambda r: re.match(r"work::\w+\(.*\)(\+0x|$)", r["name"]))
    tap.ok(inside and selected("--function=work::*") == inside, "--function with a pattern", inside)
    inside = those(lambda r: r["name"].startswith("work::factorial("))
    tap.ok(inside and selected("--function=work::factorial") == inside, "--function without parameters", inside)
    lines = {int(r["source"].split(":")[1]) for r in everything if r["name"].startswith("work::factorial(")}
    some = selected("--source=prog.cc:%d-%d" % (min(lines), max(lines)))
    tap.ok(inside <= some <= selected("--source=prog.cc") and not selected("--source=og.cc"), "--source with lines", some)
    some = those(lambda r: r["name"].split("+")[0] == "main" and r["source"].startswith("prog.cc"))
    tap.ok(some and some <= selected("--source=prog.cc", "--function=main", "--image=prog")
           == selected("--source=prog.cc") & selected("--function=main"), "all together", some)
    for option in ("--image", "--routine", "--function", "--source"):
        commandlib.refused(tap, option + " with what is not there", "nowhere.x", "report", option + "=nowhere.x", path)
    for wrong in ("x.c:3-", "x.c:-3", "x.c:5-2", "x.c:1-2-3"):
        commandlib.refused(tap, "not a place: " + wrong, "", "report", "--source=" + wrong, path)


def check_report(tap, path, d):
    status, out, err = command("report", path)
    lines = out.splitlines()
    tap.ok(status == 0 and not err and "{:,} instructions in 2 threads".format(d.instrs) in out, "report", out + err)
    ours = command("report", "--image=prog", path)[1]
    tap.ok("work::nested" in ours and "_ZN" not in ours, "names are demangled", ours)
    tap.ok(all(len(l) < 180 and l == l.rstrip() for l in lines), "lines are not too long", out)
    heads = [i for i, l in enumerate(lines) if l.startswith("share")]
    ends = [re.search(r"instructions|self", lines[i]).end() for i in heads]
    tap.ok(len(heads) == 3 and all(lines[i + 1][end - 1].isdigit() and lines[i + 1][end] == " "
                                   for i, end in zip(heads, ends)), "columns are aligned", out)

    status, out, err = command("report", "--json", "--top=0", path)
    p = json.loads(out)["processes"][0]
    tap.ok(p["instructions"] == d.instrs and p["instructions_per_thread"] == d.threads and p["n_blocks"] == len(d.blocks)
           and p["n_edges"] == len(d.edges) and p["n_routines"] == len(d.routines) and p["n_loops"] == len(d.loops),
           "totals as JSON", out[:300])
    for kind in ("images", "routines", "blocks"):
        tap.ok(sum(r["instructions"] for r in p[kind]) == d.instrs, "instructions of %s add up" % kind)
        heat = [r["instructions"] for r in p[kind]]
        tap.ok(heat == sorted(heat, reverse=True), "%s: hottest first" % kind)
    tap.ok({r["node_id"]: (r["executions"], r["block_instructions"], int(r["address"], 0)) for r in p["blocks"]}
           == {i: (b["count"], b["instrs"], b["addr"]) for i, b in d.blocks.items()}, "every block")
    tap.ok({r["edge_id"]: (r["from_node_id"], r["to_node_id"], r["type"], r["count"]) for r in p["edges"]}
           == {i: (e[0], e[1], e[2], sum(e[3])) for i, e in d.edges.items() if sum(e[3])}, "every counted edge")
    members = {l[0]: set(l[2]) for l in d.loops}
    tap.ok({r["node_id"]: (r["iterations"], r["instructions"]) for r in p["loops"]}
           == {h: (d.blocks[h]["count"], sum(d.blocks[m]["count"] * d.blocks[m]["instrs"] for m in ms))
               for h, ms in members.items()}, "every loop")
    nested = [r for r in p["loops"] if r["routine"].startswith("work::nested")]
    tap.ok(sorted((r["depth"], r["entries"], r["iterations"], r["iterations_per_entry"]) for r in nested)
           == [(1, 2, 60, 30), (2, 60, 420, 7)], "entries and iterations of a nest of loops", nested)
    fact = [r for r in p["routines"] if r["routine"].startswith("work::factorial")]
    tap.ok(len(fact) == 1 and fact[0]["calls"] == 6 and fact[0]["source"].startswith("prog.cc:"), "calls", fact)

    rows = table(command("report", "--csv", "--routines", "--top=0", path)[1])
    tap.ok([(r["routine"], int(r["instructions"])) for r in rows]
           == [(r["routine"], r["instructions"]) for r in p["routines"]], "CSV says the same as JSON")
    tap.ok(len(table(command("report", "--csv", "--blocks", "--top=3", path)[1])) == 3, "--top")
    rows = table(command("report", "--csv", "--routines", "--top=0", "--image=prog", path)[1])
    tap.ok(rows and {r["image"] for r in rows} == {"prog"}, "--image with a part of a name", rows[:3])
    rows = table(command("report", "--csv", "--images", "--image=*/libc.*", path)[1])
    tap.ok(len(rows) == 1, "--image with a pattern", rows)
    check_selection(tap, path, d)
    for t in (0, 1):
        rows = table(command("report", "--csv", "--blocks", "--top=0", "--thread=%d" % t, path)[1])
        tap.ok(sum(int(r["instructions"]) for r in rows) == d.threads[t], "--thread=%d" % t)
    commandlib.refused(tap, "a thread that is not there", "no thread 2", "report", "--thread=2", path)
    tap.ok("_ZN4work9factorialEi" in command("report", "--routines", "--top=0", "--mangled", path)[1], "--mangled")


# ---- trace -------------------------------------------------------------------------------------------------------

def check_trace(tap, path, trace, d):
    import trace_plain
    plain = trace_plain.read(json.loads(harness.read(trace)))
    plain = {t: sum(chunks, []) for t, chunks in plain.items()}
    status, out, err = command("trace", "--csv", path, trace)
    rows = table(out)
    tap.ok(status == 0 and {t: [int(r["edge_id"]) for r in rows if r["thread"] == str(t)] for t in plain} == plain,
           "trace: all edges in order", err)
    ran, good = {}, True
    for r in rows:
        t = r["thread"]
        good = good and ran.get(t, 0) == int(r["instruction"])
        ran[t] = ran.get(t, 0) + d.blocks.get(int(r["from_node_id"]), {"instrs": 0})["instrs"]
    tap.ok(good and [ran[str(t)] for t in range(len(d.threads))] == d.threads, "with their instruction counts")

    one = [r for r in rows if r["thread"] == "0"]
    some = table(command("trace", "--csv", "--thread=0", "--edges=50", path, trace)[1])
    tap.ok(some == one[:50], "--thread and --edges")
    for at in (0, 1, 5000, d.threads[0] // 2, d.threads[0] - 1):
        some = table(command("trace", "--csv", "--thread=0", "--edges=20", "--from=%d" % at, path, trace)[1])
        first = max(i for i, r in enumerate(one) if int(r["instruction"]) <= at)
        tap.ok(some == one[first:first + 20], "--from=%d" % at, some[:1])
    commandlib.refused(tap, "--from beyond the end", "not in the trace", "trace", "--thread=0", "--from=%d" % d.threads[0], path, trace)
    commandlib.refused(tap, "--from needs a thread where there are several", "--thread", "trace", "--from=5", path, trace)

    other = json.loads(harness.read(path))
    other["PROCESSES"][1][0] += 1
    commandlib.refused(tap, "a trace of another process", "process %d" % (d.pid + 1), "trace", commandlib.write(tap.path("pid.json"), other), trace)

    blocks = table(command("trace", "--as=blocks", "--csv", "--thread=1", path, trace)[1])
    count = {}
    for r in blocks:
        count[int(r["node_id"])] = count.get(int(r["node_id"]), 0) + 1
    want = {}
    for s, t, _, counts in d.edges.values():
        if counts[1] and t in d.blocks:
            want[t] = want.get(t, 0) + counts[1]
    tap.ok(count == want, "--as=blocks: each as often as the DCFG says")
    calls = table(command("trace", "--as=calls", "--csv", "--thread=0", path, trace)[1])
    depth = 0
    good = True
    for r in calls:
        depth -= r["event"] == "return"
        good = good and int(r["depth"]) == depth
        depth += r["event"] in ("call", "signal", "jump")
    tap.ok(good and depth == 0, "--as=calls: calls and returns are in balance")
    nest = [int(r["depth"]) for r in calls if r["event"] == "call" and r["name"] == "work::factorial(int)"]
    tap.ok(len(nest) == 6 and [n - nest[0] for n in nest] == list(range(6)), "recursion is nested", nest)
    text = command("trace", "--as=calls", "--thread=0", path, trace)[1]
    tap.ok(text.count("{\n") == len(re.findall(r"^.{30} *} ", text, re.M)), "as text: as many } as {")


# ---- disasm, dot, diff -------------------------------------------------------------------------------------------

BLOCK = re.compile(r"BLOCK:\s+(\d+)\s+PC:\s+([0-9a-f]+)\s+ICOUNT:\s+(\d+)\s+EXECUTIONS:\s+(\d+)\s+#BYTES:\s+(\d+)"
                   r"(?:\s+FN:\s+(.*\S))?\s+IMG:\s+(.+)\Z")
XDIS = re.compile(r"XDIS\s+([0-9a-f]+):\s+(\w+)\s+([0-9a-f]+)\s+(\S.*)\Z")


def check_disasm(tap, path, d):
    status, out, err = command("disasm", "--sde", path)
    seen, bad, block, code = {}, [], None, 0
    for line in out.splitlines() + [""]:
        m = BLOCK.match(line)
        if m:
            block = d.blocks.get(int(m.group(1)))
            seen[int(m.group(1))] = [int(x) for x in m.group(3, 4)]
            at, n, end = int(m.group(2), 16), 0, int(m.group(2), 16) + int(m.group(5))
            if not block or (at, int(m.group(5))) != (block["addr"], block["size"]):
                bad.append(line)
        elif line == "":
            if block and n and (at != end or n < block["instrs"]):
                bad.append("block at %#x ends at %#x" % (block["addr"], at))
            code += bool(block and n)
            block = None
        else:
            m = XDIS.match(line)
            if not m or int(m.group(1), 16) != at:
                bad.append(line)
            else:
                at += len(m.group(3)) // 2
                n += 1
    tap.ok(status == 0 and not bad, "disasm --sde: every line has its form", "\n".join(bad[:10]))
    tap.ok(seen == {i: [b["instrs"] * b["count"], b["count"]] for i, b in d.blocks.items()}, "every block, with counts")
    tap.ok(code > 0.99 * len(seen), "code of nearly all blocks is found", "%d of %d\n%s" % (code, len(seen), err))
    status, out, err = command("disasm", "--routine=work::factorial", path)
    tap.ok(status == 0 and "call" in out and re.search(r"prog\.cc:\d+  .*factorial", out) and "6 calls" in out
           and re.search(r"-> falls through to|-> jumps to", out), "disasm --routine, with source lines", out + err)
    tap.ok(command("disasm", "--routine=work::factorial(int)", path)[1] == out
           and command("disasm", "--routine", "_ZN4work9factorialEi", path)[1] == out, "other names of a routine")
    addr = next(b["addr"] for r in d.routines for i, b in d.blocks.items()
                if "block %d," % r[0] in out and i == r[0])
    tap.ok(command("disasm", "--routine=%#x" % addr, path)[1] == out, "its address")
    tap.ok("%" in command("disasm", "--att", "--bytes", "--routine=main", path)[1], "--att and --bytes")
    commandlib.refused(tap, "a routine that is not there", "frobnicate", "disasm", "--routine=frobnicate", path)
    status, out, err = command("disasm", "--root=/nowhere", "--routine=main", path)
    tap.ok(status == 0 and "/nowhere" in err and "block" in out, "without the image's file blocks are still there", err)


def check_dot(tap, path, d):
    status, out, err = command("dot", "--routine=work::nested", path)
    nested = [r for r in d.routines if '"block %d at' % r[0] in out]
    tap.ok(status == 0 and len(nested) == 1 and out.count("subgraph cluster_") == 2
           and len(re.findall(r"^ *n\d+ \[", out, re.M)) == len(nested[0][2]) - 1, "dot: blocks and nested loops", out)
    top = table(command("report", "--csv", "--routines", "--top=1", path)[1])[0]
    status, out, err = command("dot", "--all", path)
    tap.ok(status == 0 and out == command("dot", "--routine=#" + top["node_id"], path)[1] and
           len(err.splitlines()) == 1 and "the hottest routine, with" in err
           and commandlib.brief(top["routine"]) in err, "dot alone draws the hottest routine", err)
    # The second thread has another top routine.
    top = table(command("report", "--csv", "--routines", "--top=1", "--thread=1", path)[1])[0]
    status, out, err = command("dot", "--all", "--thread=1", path)
    tap.ok(out == command("dot", "--thread=1", "--routine=#" + top["node_id"], path)[1] and
           commandlib.brief(top["routine"]) in err, "that of a thread with --thread", err)
    commandlib.refused(tap, "--routine and --callgraph", "not both", "dot", "--routine=main", "--callgraph", path)
    if not shutil.which("dot", path=harness.ENV["PATH"]):
        tap.skip("pictures", "no Graphviz")
        return
    for what in (["--routine=work::nested", "--code"], ["--routine=main"], ["--callgraph"], ["--callgraph", "--top=0"]):
        svg, png = tap.path("x.svg"), tap.path("x.png")
        status, out, err = command("dot", *what, "--svg=" + svg, path)
        text = open(svg).read()
        tap.ok(status == 0 and not out and not err and text.rstrip().endswith("</svg>") and text.count("<g ") > 5,
               "%s --svg" % " ".join(what), err)
        status, out, err = command("dot", *what, "--png", png, path)
        tap.ok(status == 0 and open(png, "rb").read(4) == b"\x89PNG", "%s --png" % " ".join(what), err)
    status, out, err = command("dot", "--callgraph", "--svg=/nowhere/x.svg", path)
    tap.ok(status == 2, "a picture that cannot be written", err)
    commandlib.refused(tap, "without Graphviz it is said what is missing", "Graphviz",
                       "dot", "--callgraph", "--svg=" + svg, path, env={"PATH": "/nowhere"})


# ---- which files are read ----------------------------------------------------------------------------------------

def check_kinds(tap, path, trace):
    """A trace in place of a DCFG, and the reverse."""
    for args, wrong, what in ((["report", trace], trace, "a DCFG-trace, not a DCFG"),
                              (["check", trace], trace, "a DCFG-trace, not a DCFG"),
                              (["disasm", trace], trace, "a DCFG-trace, not a DCFG"),
                              (["dot", trace], trace, "a DCFG-trace, not a DCFG"),
                              (["trace", trace, path], trace, "a DCFG-trace, not a DCFG"),
                              (["diff", trace, path], trace, "a DCFG-trace, not a DCFG"),
                              (["diff", path, trace], trace, "a DCFG-trace, not a DCFG"),
                              (["trace", path, path], path, "a DCFG, not a DCFG-trace"),
                              (["check", path, path], path, "a DCFG, not a DCFG-trace")):
        status, out, err = command(*args)
        tap.ok(status == 2 and len(err.splitlines()) == 1 and ("%s is %s" % (wrong, what)) in err
               and len(out.splitlines()) <= (args == ["check", path, path]),
               "%s: %s" % (" ".join(map(os.path.basename, args)), what), out + err)
    for packed, args in ((trace, ["report"]), (path, ["trace", path])):
        name = tap.path("packed.xz")
        with open(name, "wb") as f:
            subprocess.run(["xz", "-c", packed], stdout=f, check=True)
        commandlib.refused(tap, "the same compressed, for " + args[0], name + " is a DCFG", *args, name)
    with open(trace) as f:
        status, out, err = command("report", "-", stdin=f)
    tap.ok(status == 2 and not out and "is a DCFG-trace, not a DCFG" in err, "the same on the standard input",
           out + err)


def check_newest(tap, path, trace, other):
    """Without a file, a command takes the newest one of the current directory."""
    here = tap.path("newest")
    os.mkdir(here)
    age = iter(range(1000000000, 2000000000, 5))

    def put(name, source, head=None):
        with open(source, "rb") as f, open(os.path.join(here, name), "wb") as to:
            text = f.read()[:head]
            to.write(gzip.compress(text) if name.endswith(".gz") else text)
        now = next(age)
        os.utime(os.path.join(here, name), (now, now))

    def takes(name, explicit, text, *args):
        status, out, err = command(*args, cwd=here)
        want = command(*args, *explicit, cwd=here)
        first = "dcfg %s: reading %s, the newest in this directory\n" % (args[0], name)
        tap.ok(status == want[0] == 0 and out.replace(name, "?") == want[1].replace(explicit[0], "?")
               and err == first + want[2], text + ": " + args[0], err + out[:300])

    def fails(text, *args):
        status, out, err = command(args[0], cwd=here)
        good = status == 2 and not out and len(err.splitlines()) == 1 and all(a in err for a in args[1:])
        tap.ok(good, text, out + err)

    put("dcfg-trace.out.5.json", trace)
    os.mkdir(os.path.join(here, "dcfg.out.1"))
    for c in [c for c in COMMANDS if c not in ("diff", "gate", "merge", "xray")]:
        fails("nothing to take: " + c, c, "there is no DCFG in this directory", "usage: dcfg %s [" % c)
    fails("diff needs two files", "diff", "a file is missing")
    put("dcfg.out.200.json", other)
    put("dcfg.out.100.json", path)
    for args in (["report"], ["check"], ["disasm", "--routine=main"], ["dot", "--routine=main"], ["dot"]):
        takes("dcfg.out.100.json", [path], "the newest", *args)
    tap.ok(command("report", other, cwd=here)[1:] == command("report", "dcfg.out.200.json", cwd=here)[1:],
           "a file that is named is taken, and nothing said")
    put("dcfg.out.300.json", trace)
    put("dcfg.out.300.svg", __file__)
    put("dcfg.out.400.json.tmp-400", other)
    takes("dcfg.out.100.json", [path], "what is newer is no DCFG", "report")
    fails("no trace of that process", "trace", "dcfg.out.100.json", "no trace dcfg-trace.out.100.*")
    put("dcfg-trace.out.100.json", trace)
    put("dcfg-trace.out.100.txt", __file__)
    put("dcfg-trace.out.200.json", trace)
    takes("dcfg.out.100.json and dcfg-trace.out.100.json", [path, trace], "with the trace of the process", "trace",
          "--edges=30")
    put("dcfg.out.70.json.gz", path)
    takes("dcfg.out.70.json.gz", [path], "a compressed one", "report")
    put("dcfg-trace.out.70.json.gz", trace)
    takes("dcfg.out.70.json.gz and dcfg-trace.out.70.json.gz", [path, trace], "with its trace", "trace", "--as=calls",
          "--thread=0")
    put("dcfg.out.mine", path)
    takes("dcfg.out.mine", [path], "whatever its end is", "report")
    fails("but then no trace is its own", "trace", "dcfg.out.mine", "no trace dcfg-trace.out.")
    # The completion asks dcfg, which looks into the directory.
    script = os.path.join(harness.SRCDIR, "cmd", "completion", "dcfg")
    for words, want in ((["disasm", "--routine", "=", "mai"], ["main"]),
                        (["disasm", "--routine", "mai"], ["main"]),
                        (["disasm", path, "--routine", "=", "mai"], ["main"]),
                        (["xray", "--as", "=", "f"], ["functions", "folded"]),
                        (["merge", "--thr"], ["--threads="]),
                        (["blocks", "--pa"], ["--paths"]),
                        (["blocks", "-o", "dcfg.out.min"], ["dcfg.out.mine"]),
                        (["export", "--mca", "=", "mai"], ["main"]),
                        (["help", "fl"], ["flame"])):
        r = subprocess.run(["bash", "-c", 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dcfg; '
                            'echo "${COMPREPLY[*]}"', script, "dcfg", *words], cwd=here,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                           env=dict(harness.ENV, PATH=os.path.dirname(commandlib.DCFG) + ":" + harness.ENV["PATH"]))
        tap.ok(r.stdout.split() == want, "completion of " + " ".join(words).replace(path, "FILE"), r.stdout + r.stderr)


def check_diff(tap, path, other):
    status, out, err = command("diff", path, path)
    tap.ok(status == 0 and "the same" in out, "diff of a file and itself", out + err)
    status, out, err = command("diff", path, other)
    tap.ok(status == 1 and "work::nested" in out, "diff of two runs", out + err)
    rows = table(command("diff", "--csv", "--loops", "--top=0", "--share=5", path, other)[1])
    nested = sorted((int(r["a"]), int(r["b"]), r["change"]) for r in rows if r["routine"] == "work::nested(int)")
    tap.ok(nested == [(60, 90, "+50%"), (420, 630, "+50%")], "loops that ran more often", rows)
    rows = table(command("diff", "--csv", "--loops", "--top=0", "--share=60", path, other)[1])
    tap.ok(not [r for r in rows if r["routine"] == "work::nested(int)"], "--share", rows)
    # The same program with other ids and other addresses.
    d = json.loads(harness.read(path))
    p = d["PROCESSES"][1][1]
    for image in p["IMAGES"][1:]:
        image[1] = hex(int(image[1], 0) + 0x10000000)
    for e in p["EDGES"][1:]:
        e[0] += 1000
    moved = commandlib.write(tap.path("moved.json"), d)
    status, out, err = command("diff", "--share=0", path, moved)
    tap.ok(status == 0, "the same run at other addresses", out)
    main = next(e for e in p["EDGES"][1:] if sum(e[4]) == 60)
    p["EDGES"].remove(main)
    commandlib.write(moved, d)
    rows = json.loads(command("diff", "--json", "--edges", path, moved)[1])["edges"]
    tap.ok(len(rows) == 1 and rows[0]["change"] == "gone" and rows[0]["a"] == 60, "an edge that is gone", rows)
    rows = json.loads(command("diff", "--json", "--edges", moved, path)[1])["edges"]
    tap.ok(len(rows) == 1 and rows[0]["change"] == "new", "an edge that is new", rows)


def check_names(tap):
    """Demangling; names that would change a terminal, or break a table."""
    d = commandlib.small.good()
    symbols = commandlib.small.data(d)["SYMBOLS"]
    for name, shown in (("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
                        ("_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"),
                        ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back"),
                        ("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo"),
                        ("_ZnwmPv", "operator new"), ("_ZN1AclEi", "A::operator()"),
                        ("_Z3maxIiET_S0_S0_", "max<int>"), ("_ZNKSt8functionIFviEEclEi", "std::function<void (int)>::operator() const"),
                        ("_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_c", "std::operator<< <char, std::char_traits<char> >"),
                        ("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator() const"),
                        ("_ZZNK1A1fEiE1B_0", "A::f(int) const::B"), ("_ZThn8_N1A1fEv", "non-virtual thunk to A::f"), ("_Zzz", "_Zzz"), ("f\x1b[2Jg\n", "f?[2Jg?"),
                        ("g\u00e9n\u00e9rer", "g\u00e9n\u00e9rer")):
        symbols[1][0] = name
        path = commandlib.write(tap.path("names.json"), d)
        out = command("report", "--routines", "--wide", path)[1]
        tap.ok(re.search(r" %s  +(prog\.c:10  )?prog$" % re.escape(shown), out, re.M), "the name " + ascii(shown), out)
        if "\x1b" not in name:
            out = command("report", "--routines", "--mangled", "--csv", path)[1]
            tap.ok(name in out, "--mangled", out)
        narrow = command("report", "--routines", path)[1].split("Routines\n")[1].split("\n\n")[0].splitlines()[1:]
        narrow = [re.split("  +", line.strip())[5] for line in narrow if " fn " not in line and " main" not in line[:60]]
        plain = re.sub("<.*?(> >|>)", "", shown) if "operator" not in shown else shown
        for form in {shown, plain, re.sub(" const$", "", shown)} | {n for n in narrow if ".." in n}:
            status, out, err = command("disasm", "--routine=" + form, path)
            tap.ok(status == 0 or "?" in shown, "the routine is found by %s" % ascii(form), err)
    symbols[1][0] = 'a,"b"'
    rows = table(command("report", "--csv", "--routines", commandlib.write(path, d))[1])
    tap.ok('a,"b"' in [r["routine"] for r in rows], "CSV with commas and quotes")
    rows = json.loads(command("report", "--json", "--routines", path)[1])["processes"][0]["routines"]
    tap.ok('a,"b"' in [r["routine"] for r in rows], "JSON with quotes")
    out = command("dot", "--callgraph", path)[1]
    tap.ok('label="a,\\"b\\"' in out, "a drawing with quotes", out)


def check_pinplay(tap):
    files = sorted(glob.glob(os.path.join(commandlib.PINPLAY, "*.dcfg.json.bz2")))
    if not files:
        tap.skip("PinPlay's files", "they are not there")
    for f in files:
        status, out, err = command("report", f)
        tap.ok(status == 0 and "simple_loop" in out and "\nFunctions\n" in out.replace("Hottest 9 of 12 functions", "Functions"),
               "the first screen of " + os.path.basename(f), out + err)
        status, out, err = command("report", "--images", "--loops", "--routines", "--blocks", "--edges", f)
        tap.ok(status == 0 and "simple_loop" in out and "instructions in 1 thread" in out and out.count("share ") == 4,
               "report of " + os.path.basename(f), out + err)
        tap.ok(command("dot", "--callgraph", f)[0] == 0, "its call graph")


def check_forks(tap, path):
    """The command that forks for each run (tests/kit/forks.py) ends and writes as a started one does."""
    if not commandlib.FORKS:
        tap.skip("as started", "this is the command without sanitizers")
        return
    here, closed = os.pipe()
    os.close(here)
    null = subprocess.DEVNULL
    with open("/dev/full", "w") as full:
        for what, wanted, words, more in (
                ("a report", 0, ["report", path], {}), ("no file", 2, ["report", tap.path("none")], {}),
                ("a directory", 2, ["report"], {"cwd": "/"}), ("the standard input", 2, ["report", "-"], {"stdin": null}),
                ("a full disk", 2, ["--help"], {"stdout": full}), ("a signal", -signal.SIGPIPE, ["--help"], {"stdout": closed})):
            r = commandlib.process(*words, program=commandlib.DCFG, **more)
            started = subprocess.run([commandlib.DCFG, *words], env=harness.ENV, stderr=subprocess.PIPE,
                                     **dict({"stdout": subprocess.PIPE}, **more))
            tap.ok(r.returncode == wanted and (r.returncode, r.stdout, r.stderr) == (started.returncode, started.stdout, started.stderr),
                   "as started: " + what, (r, started))
    os.close(closed)


def main():
    tap = harness.Tap("command")
    check_use(tap)
    source, program = tap.path("prog.cc"), tap.path("prog")
    harness.write(source, PROGRAM)
    r = subprocess.run(["c++", "-std=c++14", "-O1", "-g", "-pthread", "-o", program, source], stderr=subprocess.PIPE)
    if not tap.ok(r.returncode == 0, "compiling", r.stderr.decode()):
        tap.done()
    trace = tap.path("trace.json")
    path, status, why = harness.dcfg(tap, "prog", [program, "20"], ["--trace=yes", "--trace-out-file=" + trace,
                                                                   "--trace-chunk=4000"])
    other, status2, why2 = harness.dcfg(tap, "other", [program, "30"])
    if not tap.ok(path and other and status == status2 == 0 and os.path.exists(trace), "files by the tool", why + why2):
        tap.done()
    status, out, err = command("check", path, trace)
    tap.ok(status == 0, "check finds nothing in them", out + err)
    packed = tap.path("prog.json.gz")
    with open(packed, "wb") as f:
        subprocess.run(["gzip", "-c", path], stdout=f, check=True)
    tap.ok(command("report", packed)[1] == command("report", path)[1], "a compressed file")
    with open(path) as f:
        tap.ok(command("report", "-", stdin=f)[1] == command("report", path)[1], "the standard input")
    d = File(path)
    check_report(tap, path, d)
    for option, absent in (("--cfg=no", "No blocks."), ("--analysis=no", "No routines."), ("--symbols=no", "No blocks.")):
        part, _, why = harness.dcfg(tap, "part", [program, "20"], [option])
        status, out, err = command("check", part) if part else (2, "", why)
        tap.ok(status == 0, "check of a file written with " + option, out + err)
        status, out, err = command("report", "--top=20", "--loops", "--routines", "--blocks", part)
        tap.ok(status == 0 and program in out and (absent in out) == (option != "--symbols=no"), "report of it", out + err)
    check_trace(tap, path, trace, d)
    check_disasm(tap, path, d)
    check_dot(tap, path, d)
    check_diff(tap, path, other)
    check_kinds(tap, path, trace)
    check_newest(tap, path, trace, other)
    check_names(tap)
    check_forks(tap, path)
    check_pinplay(tap)
    tap.done()


main()
