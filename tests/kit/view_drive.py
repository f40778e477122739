#!/usr/bin/python3
"""Drives pages of dcfg view of real programs, by hand: view_drive.py GRAPH [TRACE]...

A trace may follow its graph.  For each graph it prints how long dcfg view takes, and how large the page is.  In Chromium it takes the
time until the first table, the graph and the code of hot functions, stacks, and a search, and the memory of the page.  The page's
data, and what its panes show, is compared with dcfg report --json.
"""
import json
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import pagelib
from viewlib import Run, count, goto, report, table


class Driven:
    """Counts comparisons, and keeps those that failed."""

    def __init__(self):
        self.wrong, self.checked = [], 0

    def same(self, what, ours, theirs):
        self.checked += 1
        if ours != theirs:
            self.wrong.append((what, str(ours)[:80], str(theirs)[:80]))


def memory(b):
    """Megabytes of the renderer's processes, the proportional set size."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                words = f.read()
            if b.profile.name.encode() in words or b"--type=renderer" in words:
                with open("/proc/%s/smaps_rollup" % pid) as f:
                    size = sum(int(x.split()[1]) for x in f if x.startswith("Pss:"))
                if b"--type=renderer" in words:
                    found = max(found, size // 1024)
        except OSError:
            pass
    return found


def check_data(d, data, r, inclusive):
    run = Run(data)
    d.same("instructions", data["instrs"], r["instructions"])
    d.same("threads", data["threads"], r["instructions_per_thread"])
    for x in r["routines"]:
        if x["instructions"] > 0:
            ours = run.routines.get(x["node_id"], {})
            d.same("routine", [ours.get(k) for k in ("name", "source", "instructions", "calls", "entries")],
                   [x[k] for k in ("routine", "source", "instructions", "calls", "entries")])
    for x in r["blocks"]:
        if x["node_id"] in run.blocks:
            d.same("block", run.blocks[x["node_id"]], {k: x[k] for k in ("executions", "block_instructions", "source")})
    for x in r["edges"]:
        if x["from_node_id"] in run.blocks:
            ours = run.edges.get(x["edge_id"], {})
            d.same("edge", (ours.get("count"), ours.get("type")), (x["count"], x["type"]))
    for x in r["loops"]:
        d.same("loop", run.loops.get(x["node_id"]), {k: x[k] for k in ("entries", "iterations", "instructions", "depth")})
    if inclusive:
        t = data["texts"]
        ours = sorted((t[n], a, c) for n, a, c in zip(data["fName"], data["fInclusive"], data["fCalls"]) if a > 0)
        d.same("inclusive", ours, sorted((f["function"], f["inclusive"], f["calls"]) for f in inclusive["functions"]))
        d.same("stacks", sum(data["sSelf"]) if data["stacksLeft"] == 0 else data["sTotal"][0], data["instrs"])
    return run


def shown_ms(b, run):
    """Milliseconds in the page until what a script does is laid out."""
    return b.run("const from = performance.now(); " + run + "; document.body.getBoundingClientRect(); return performance.now() - from")


def timed(b, **state):
    start = time.monotonic()
    goto(b, **state)
    b.run("document.body.getBoundingClientRect()")
    return time.monotonic() - start


def check_panes(d, b, data, run, r, times):
    hottest = [x for x in r["routines"] if x["instructions"] > 0][:5]
    blocks = {x["node_id"]: x for x in r["blocks"]}
    for x in hottest:
        node = x["node_id"]
        times["graph"] = max(times["graph"], timed(b, pane="graph", fn=node))
        titles = b.run("return Array.from(document.querySelectorAll('.graph > svg g.block > title')).map(e => e.textContent)")
        for t in titles:
            words = t.split()
            want = blocks[int(words[1])]
            d.same("graph", (words[4], words[6]), (count(want["executions"]), count(want["instructions"])))
        times["code"] = max(times["code"], timed(b, pane="code", fn=node))
        heads = b.run("return Array.from(document.querySelectorAll('.blockhead')).map(e => [e.parentElement.id.slice(1), e.firstChild.textContent])")
        for node_id, n in heads:
            d.same("code", n, count(blocks[int(node_id)]["executions"]))
        goto(b, pane="calls", fn=node)
        title = b.texts(".subject p")[0]
        d.same("title", count(x["instructions"]) + " instructions" in title, True)
    goto(b, pane="functions", libs=1)
    rows = b.run("return Array.from(document.querySelectorAll('.scroll tbody tr[data-k]')).slice(0, 20).map(r => Array.from(r.cells).map(c => c.textContent))")
    heads = b.run("return Array.from(document.querySelectorAll('.scroll th')).map(h => h.textContent)")
    at = heads.index("instructions")
    d.same("functions", [row[at] for row in rows], [count(x["instructions"]) for x in r["routines"][:len(rows)]])
    goto(b, pane="loops", libs=1)
    known = {(count(x["iterations"]), count(x["entries"]), count(x["instructions"])) for x in r["loops"]}
    for row in b.run("return Array.from(document.querySelectorAll('.scroll tbody tr[data-k]')).map(r => Array.from(r.cells).map(c => c.textContent))"):
        d.same("loops", (row[5], row[4], row[3]) in known, True)
    goto(b, pane="run")
    d.same("run", count(r["instructions"]) in " ".join(b.texts(".facts dd")), True)


def drive(graph, trace):
    d, times = Driven(), dict(graph=0, code=0)
    page = os.path.abspath(os.path.basename(graph) + ".html")
    start = time.monotonic()
    status, _, err = commandlib.command("view", "-o", page, *(["--trace=" + trace] if trace else []), graph)
    made = time.monotonic() - start
    if status != 0:
        print(err)
        return False
    with open(page, encoding="utf-8") as f:
        data = pagelib.data_of(f.read())
    r = report("--routines", "--blocks", "--edges", "--loops", graph)
    run = check_data(d, data, r, report("--inclusive", graph, trace) if trace else None)
    b = pagelib.Page()
    try:
        start = time.monotonic()
        b.go("file://" + page)
        b.until("return document.querySelector('.scroll tbody tr[data-k]') !== null")
        opened = time.monotonic() - start
        check_panes(d, b, data, run, r, times)
        goto(b, pane="functions", libs=1)
        search = max(shown_ms(b, "const w = document.getElementById('words'); w.value = '%s'; w.dispatchEvent(new Event('input'))" % w)
                     for w in ("a", "in", "*x*", "/^_.*e$/"))
        flame = timed(b, pane="flame") if trace else 0
        if trace:
            b.run("const w = document.getElementById('words'); w.value = 'main'; w.dispatchEvent(new Event('input'))")
            d.same("flame", "of all instructions" in b.texts("#told")[0], True)
        d.same("errors", b.errors() + b.requests(), [])
        print("%s: %s edges, %s routines; made in %.1f s, %.1f MB; first table %.2f s, graph %.2f s, code %.2f s, flame %.2f s, search %.0f ms; "
              "%d MB; %s numbers compared, %d wrong" % (os.path.basename(graph), count(data["edges"]), count(len(data["rName"])), made, os.path.getsize(page) / 1e6,
                                                        opened, times["graph"], times["code"], flame, search, memory(b), count(d.checked), len(d.wrong)), flush=True)
    finally:
        b.close()
        os.remove(page)
    for wrong in d.wrong[:5]:
        print("  wrong:", *wrong)
    return not d.wrong


def main(args):
    good = True
    while args:
        graph = args.pop(0)
        trace = args.pop(0) if args and "trace" in os.path.basename(args[0]) else None
        good = drive(graph, trace) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
