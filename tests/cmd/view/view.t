#!/usr/bin/python3
"""dcfg view: the page of a run.  (TAP)

- The data: every number of routines, blocks, edges, loops, images, calls, costs and iterations is the one that dcfg report
  --json has of the same files; instructions of source lines are those of their blocks.
- Chromium, where it is installed, opens the page: each pane shows these numbers; sorting, searching, links, keys, going back;
  no requests.
- Pages without a trace, with a log of calls and a profile in its place, without Graphviz.

VIEW_PICTURE=FILE has the picture of docs/view.md made, too.
"""
import collections
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import pagelib
import webdriver
from viewlib import Run, count, goto, page_of, recorded, report, table

PROG = harness.text("view/view.c")


# ---- the data ----------------------------------------------------------------------------------------------------------

def same(ours, theirs, keys, key):
    """Returns rows of the report that the page lacks, and the reverse."""
    wrong = [row for row in theirs if any(ours.get(row[key], {}).get(k) != row[k] for k in keys)]
    return wrong[:3] + [k for k in ours if k not in {row[key] for row in theirs}][:3]


def check_data(tap, data, graph, trace):
    r, run = report("--routines", "--blocks", "--loops", "--edges", "--images", graph), Run(data)
    tap.ok(data["instrs"] == r["instructions"] and data["threads"] == r["instructions_per_thread"] and data["program"] == r["program"],
           "the totals are the report's", r.get("error"))
    hot = [row for row in r["routines"] if row["instructions"] > 0]
    wrong = same(run.routines, [dict(row, name=row["routine"], loops=row["loops"] or 0) for row in hot],
                 ("name", "source", "instructions", "calls", "entries", "loops"), "node_id")
    tap.ok(len(hot) > 100 and not wrong, "so is each routine", wrong)
    blocks = [row for row in r["blocks"] if row["node_id"] in run.blocks]
    wrong = same(run.blocks, blocks, ("executions", "block_instructions", "source"), "node_id")
    tap.ok(sum(row["instructions"] for row in blocks) == r["instructions"] and not wrong, "each block", wrong)
    edges = [row for row in r["edges"] if row["from_node_id"] in run.blocks]
    wrong = same({k: e for k, e in run.edges.items() if e["count"] > 0},
                 [dict(e, to_node_id=e["to_node_id"] if e["to_node_id"] in run.blocks else None) for e in edges],
                 ("count", "type", "from_node_id", "to_node_id"), "edge_id")
    tap.ok(len(edges) > 1000 and not wrong, "each edge", wrong)
    wrong = same({k: x for k, x in run.loops.items() if x["iterations"] > 0}, r["loops"],
                 ("entries", "iterations", "instructions", "depth"), "node_id")
    tap.ok(len(r["loops"]) > 20 and not wrong, "each loop", wrong)
    ours = [(m["path"], m["instrs"], m["routines"], m["blocks"]) for m in data["images"]]
    tap.ok(sorted(ours) == sorted((m["path"], m["instructions"], m["routines"], m["blocks"]) for m in r["images"]), "each image", ours)
    check_trace(tap, data, report("--inclusive", "--trips", graph, trace))
    check_calls(tap, data, graph)
    return r


def check_trace(tap, data, r):
    t = data["texts"]
    ours = collections.Counter((t[n], a, c) for n, a, c in zip(data["fName"], data["fInclusive"], data["fCalls"]) if a > 0)
    theirs = collections.Counter((f["function"], f["inclusive"], f["calls"]) for f in r.get("functions", []))
    tap.ok(theirs and ours == theirs, "what functions cost with what they called", (ours - theirs) or (theirs - ours))
    said = {}
    for head, trips in zip(data["lHead"], data["trips"]):
        if trips:
            pairs = zip(trips[2::2], trips[3::2])
            said[data["bId"][head]] = (trips[0], trips[1], "  ".join("%s: %s" % (
                "{:,}".format(1 << k) + ("-{:,}".format((2 << k) - 1) if k else ""), "{:,}".format(n)) for k, n in pairs))
    theirs = {x["node_id"]: (x["least"], x["most"], x["histogram"]) for x in r.get("trips", [])}
    tap.ok(theirs and said == theirs, "iterations of each entry to a loop")
    total, own = data["sTotal"], collections.Counter()
    for i, s in enumerate(data["sSelf"]):
        own[data["sParent"][i]] += total[i] if i else 0
    tap.ok(total[0] == data["instrs"] and data["stacksLeft"] == 0
           and all(total[i] == data["sSelf"][i] + own[i] for i in range(len(total))), "stacks add up to all instructions")


def check_calls(tap, data, graph):
    t, wrong = data["texts"], []
    for what in ("odd", "qsort", "main", "_dl_relocate_object"):
        f = max((k for k, n in enumerate(data["fName"]) if t[n] == what), key=lambda k: data["fSelf"][k], default=None)
        for option, me, other in (("callers", "cTo", "cFrom"), ("callees", "cFrom", "cTo")):
            ours = sorted((t[data["fName"][o]], c) for m, o, c in zip(data[me], data[other], data["cCount"]) if m == f)
            rows = report("--%s=%s" % (option, what), graph).get(option, [])
            # Without debugging symbols of the C library, this function has no name.
            if (f is None and (rows or what != "_dl_relocate_object")) or ours != sorted((x["function"], x["calls"]) for x in rows):
                wrong.append((option, what, ours[:3], rows[:3]))
    tap.ok(not wrong, "callers and callees", wrong)


def check_code(tap, data):
    first = data["rFirst"][data["hot"]]
    n = sum(data["bCode"])
    tap.ok(len(data["bCode"]) == first and n == len(data["iText"]) == len(data["iLine"]) > 1000
           and all(c in (0, i) for c, i in zip(data["bCode"], data["bInstrs"])), "code has each instruction of the hottest blocks")
    share = sum(data["rSelf"][:data["hot"]]) / data["instrs"]
    before = sum(data["rSelf"][:data["hot"] - 1]) / data["instrs"]
    tap.ok(before < 0.995 <= share, "of those with 99.5 % of instructions", share)
    lines = next(s for s in data["sources"] if s["name"].endswith("view.c"))["text"]
    want = PROG.splitlines()
    tap.ok(lines and all(text == want[at - 1:at - 1 + len(text)] for at, text in lines), "the source is in it")
    if shutil.which("dot"):
        drawn = {g[0] for g in data["graphs"]}
        inside = all(set(g[3][::5]) == set(range(data["rFirst"][g[0]], data["rFirst"][g[0] + 1])) for g in data["graphs"] if len(g) == 5)
        tap.ok(drawn == set(range(data["hot"])) and inside, "each of their graphs is laid out", set(range(data["hot"])) - drawn)


# ---- in a browser ------------------------------------------------------------------------------------------------------

def check_functions(tap, b, r):
    goto(b, pane="functions")
    shown = table(b)
    tap.ok(0 < len(shown) < 40 and shown[0]["function"] == "odd" and all(x["image"] == "prog" for x in shown),
           "the program's functions come first, the hottest on top", shown[:3])
    b.run("document.querySelector('.bar-line input').click()")
    shown = table(b)
    want = [(count(x["instructions"]), count(x["calls"]), x["routine"], x["image"]) for x in r["routines"] if x["instructions"] > 0]
    ours = [(x["instructions"], x["calls"], x["function"], x["image"]) for x in shown]
    tap.ok(sorted(ours) == sorted(want), "all functions have the report's numbers", sorted(set(want) ^ set(ours))[:4])
    b.run("Array.from(document.querySelectorAll('.scroll th button')).find(x => x.textContent.startsWith('calls')).click()")
    calls = [int(x["calls"].replace(",", "")) for x in table(b)]
    tap.ok(calls == sorted(calls, reverse=True), "a click on a head sorts by that column")
    b.press("/")
    for words, want in (("ODD", {"odd"}), ("co*re", {"compare"}), ("/^(odd|twice)$/", {"odd", "twice"})):
        b.run("const w = document.getElementById('words'); w.value = arguments[0]; w.dispatchEvent(new Event('input'))", words)
        found = {x["function"] for x in table(b)}
        tap.ok(want <= found and len(found) < 12, "a search for " + words, found)
    b.run("const w = document.getElementById('words'); w.value = 'odd'; w.dispatchEvent(new Event('input')); w.focus()")
    b.press("enter")
    tap.ok(b.run("return location.hash").startswith("#pane=code&fn="), "and Enter opens what it found", b.run("return location.hash"))
    b.run("document.getElementById('words').value = ''")


def check_graph(tap, b, r, node):
    goto(b, pane="graph", fn=node)
    blocks = b.run("return Array.from(document.querySelectorAll('.graph > svg g.block')).map(e => e.querySelector('title').textContent)")
    found = {int(x): (n, i) for x, n, i in re.findall(r"block (\d+) at 0x[0-9a-f]+: ([\d,]+) executions, ([\d,]+) instructions", "\n".join(blocks))}
    want = {x["node_id"]: (count(x["executions"]), count(x["instructions"])) for x in r["blocks"] if x["node_id"] in found}
    tap.ok(len(found) >= 8 and found == want, "a block of the graph for each of the function's", (found, want))
    labels = b.run("return Array.from(document.querySelectorAll('.graph > svg g.edge > title')).map(e => e.textContent)")
    ours = sorted(x.split(": ")[1].split(",  ")[0].rsplit(", ", 1)[0] for x in labels)
    local = [e for e in r["edges"] if e["from_node_id"] in found and e["to_node_id"] in found and e["type"] not in ("DIRECT_CALL", "RETURN")]
    tap.ok(set(count(e["count"]) for e in local) <= set(ours) and len(ours) >= len(local), "and its edges with their counts", (ours, local[:3]))
    loops = b.run("return Array.from(document.querySelectorAll('.graph > svg g.loop title')).map(e => e.textContent)")
    want = sorted("%s iterations, %s entries, %s instructions" % (count(x["iterations"]), count(x["entries"]), count(x["instructions"]))
                  for x in r["loops"] if x["node_id"] in found)
    tap.ok(sorted(loops) == want and len(want) == 2, "loops are frames", (loops, want))
    b.run("document.querySelector('g.block').focus()")
    b.press("enter")
    tap.ok("pane=code" in b.run("return location.hash"), "Enter on a block shows its code", b.run("return location.hash"))
    b.back()
    tap.ok("pane=graph" in b.run("return location.hash") and len(b.texts(".graph > svg g.block")) > 0, "and the browser goes back")


def check_code_pane(tap, b, r, node):
    goto(b, pane="code", fn=node)
    heads = b.texts(".blockhead")
    want = {x["node_id"]: count(x["executions"]) for x in r["blocks"]}
    wrong = [h for h in heads if want[int(re.search(r"block (\d+)", h).group(1))] != re.match(r"[\d,]+(?=\d+\.\d%)|[\d,]+", b.run(
        "return Array.from(document.querySelectorAll('.blockhead')).find(e => e.textContent === arguments[0]).firstChild.textContent", h)).group(0)]
    tap.ok(len(heads) >= 8 and not wrong, "code has each block's executions", wrong)
    lines = b.run("return Array.from(document.querySelectorAll('.line.ran')).map(e => Array.from(e.children).map(c => c.textContent))")
    total = sum(int(x[1].replace(",", "")) for x in lines)
    self = next(x["instructions"] for x in r["routines"] if x["node_id"] == node)
    source = PROG.splitlines()
    tap.ok(total == self and all(x[4] == source[int(x[3]) - 1] for x in lines), "the source's lines have all of its instructions", (total, self))
    ways = b.run("return Array.from(document.querySelectorAll('.way')).map(e => e.textContent)")
    tap.ok(any("falls through to" in w for w in ways) and any("calls twice" in w for w in ways), "branches have both ways, calls their targets", ways[:4])
    b.run("document.querySelector('.line.ran').click()")
    both = b.run("return ['.sourcecode', '.assembly'].map(s => document.querySelectorAll(s + ' .linked').length)")
    tap.ok(both[0] == 1 and both[1] > 0, "a click on a line marks its code", both)


def check_other_panes(tap, b, r, data, node):
    goto(b, pane="calls", fn=node)
    rows = b.run("return Array.from(document.querySelectorAll('.half')).map(h => Array.from(h.querySelectorAll('tbody tr[data-k]')).map(r => Array.from(r.cells).map(c => c.textContent)))")
    names = [sorted(row[-3] for row in half) for half in rows]
    tap.ok(names == [["main", "work"], ["twice"]] and {row[1] for row in rows[0]} == {"1"}, "callers and callees of a function", rows)
    goto(b, pane="loops")
    b.run("document.querySelector('.bar-line input').checked || document.querySelector('.bar-line input').click()")
    ours = sorted((x["entries"], x["iterations"], x["instructions"]) for x in table(b))
    tap.ok(ours == sorted((count(x["entries"]), count(x["iterations"]), count(x["instructions"])) for x in r["loops"]), "all loops have the report's numbers")
    goto(b, pane="run")
    shown = " ".join(b.texts(".facts dd"))
    tap.ok(count(r["instructions"]) in shown and count(r["n_edges"]) + " edges" in shown and "2 threads" in shown, "the run's totals", shown)
    check_flame(tap, b, data)


def check_flame(tap, b, data):
    goto(b, pane="flame")
    t = data["texts"]
    top = b.run("return document.querySelector('.flame .box').title")
    tap.ok(top.startswith("all: %s instructions, 100.0%%" % count(data["instrs"])), "a flame graph of all instructions", top)
    inside = lambda i, test: i > 0 and (test(i) or inside(data["sParent"][i], test))
    is_odd = lambda i: t[data["sName"][i]] == "odd"
    want = sum(data["sTotal"][i] for i in range(len(data["sName"])) if is_odd(i) and not inside(data["sParent"][i], is_odd))
    b.run("const w = document.getElementById('words'); w.value = '/^odd$/'; w.dispatchEvent(new Event('input'))")
    told = b.texts("#told")[0]
    tap.ok("with %.1f%% of all" % (100 * want / data["instrs"]) in told and len(b.texts(".box.hit")) >= 1, "a search says what share matches", told)
    b.run("document.querySelector('.box.hit').click()")
    whole = b.run("return document.querySelector('.box.hit').offsetWidth >= document.querySelector('.flame').clientWidth - 3")
    b.press("0")
    tap.ok(whole and b.run("return document.querySelector('.box.hit').offsetWidth < document.querySelector('.flame').clientWidth - 3"),
           "a click shows a box in full width, 0 all again")
    b.run("const w = document.getElementById('words'); w.value = ''; w.dispatchEvent(new Event('input'))")


def check_keyboard(tap, b, node):
    goto(b, pane="run")
    b.press("2")
    tap.ok(b.run("return location.hash").startswith("#pane=functions"), "a number goes to a pane")
    b.press("t")
    b.press("\ue015")                                   # an arrow, down
    second = b.texts("tr.chosen td")
    b.press("enter")
    shown = b.texts(".subject h2")
    tap.ok(shown and shown[0] in second, "arrows and Enter open a function", (shown, second))
    goto(b, pane="code", fn=node)
    b.press("t")
    b.press("\ue015")
    first = b.texts(".sourcecode .linked")
    b.press("\ue015")
    tap.ok(len(first) == 1 and b.texts(".sourcecode .linked") not in ([], first) and len(b.texts(".assembly .linked")) > 0, "arrows go through lines and mark their code", first)
    b.press("?")
    keys = b.texts("dialog[open] dt")
    b.press("enter")
    tap.ok(any("/" in k for k in keys) and b.texts("dialog") == [], "? lists the keys", keys)
    unnamed = b.run("return Array.from(document.querySelectorAll('button, input, [role]')).filter(e => !(e.textContent.trim() || e.labels?.length || e.getAttribute('aria-label') || e.getAttribute('aria-live'))).map(e => e.outerHTML)")
    tap.ok(unnamed == [], "each control has a name", unnamed)


def check_browser(tap, path, data, r):
    node = next(x["node_id"] for x in r["routines"] if x["routine"] == "odd")
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        check_functions(tap, b, r)
        if shutil.which("dot"):
            check_graph(tap, b, r, node)
        else:
            tap.skip("the graph", "Graphviz is not installed")
        check_code_pane(tap, b, r, node)
        check_other_panes(tap, b, r, data, node)
        check_keyboard(tap, b, node)
        tap.ok(b.errors() == [] and b.requests() == [], "without an error, or a request")
        for pane in ("run", "functions", "graph", "code", "calls", "loops", "flame"):
            goto(b, pane=pane, fn=node)
            b.check_accessible(tap, "the pane " + pane)
    finally:
        b.close()
    if os.environ.get("AXE"):
        check_dark(tap, path, node)


def check_dark(tap, path, node):
    b = pagelib.Page(dark=True)
    try:
        b.go("file://" + path)
        for pane in ("run", "functions", "graph", "code", "calls", "loops", "flame"):
            goto(b, pane=pane, fn=node)
            b.check_accessible(tap, "the dark pane " + pane)
    finally:
        b.close()


def check_less(tap, graph):
    """Pages with less: without a trace, without Graphviz, without graphs, without a function."""
    path, page, err = page_of(tap, "plain", graph)
    data = pagelib.data_of(page)
    tap.ok("fInclusive" not in data and "sName" not in data, "without a trace it has no stacks")
    there = tap.path("nothing")
    os.mkdir(there)
    _, page, err = page_of(tap, "undrawn", graph, env={"PATH": there})
    tap.ok("there is no program dot" in err and pagelib.data_of(page)["graphs"] == [], "without Graphviz it lists blocks, and says so", err)
    harness.write(os.path.join(there, "dot"), "#!/bin/sh\nexit 1\n")
    os.chmod(os.path.join(there, "dot"), 0o755)
    _, page, err = page_of(tap, "failing", graph, env={"PATH": there})
    tap.ok(err.count("the program dot fails") == 1 and pagelib.data_of(page)["graphs"] == [],
           "if Graphviz fails at everything, likewise", err)
    _, page, _ = page_of(tap, "few", "--graphs=2", graph)
    data = pagelib.data_of(page)
    tap.ok(data["hot"] == 2 and len(data["bCode"]) == data["rFirst"][2], "--graphs=2 has the code of two routines")
    beside = tap.path("beside")
    os.mkdir(beside)
    shutil.copy(graph, os.path.join(beside, "dcfg.out.4711.json"))
    status, _, err = commandlib.command("view", cwd=beside)
    tap.ok(status == 0 and os.path.exists(os.path.join(beside, "dcfg.out.4711.html")), "without a name the newest graph is shown", err)
    commandlib.refused(tap, "a graph is no trace", "is a DCFG, not a DCFG-trace", "view", "--trace=" + graph, graph)
    if not webdriver.installed():
        return
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        for pane in ("run", "functions", "graph", "code", "calls", "loops"):
            goto(b, pane=pane)
        tap.ok(b.errors() == [] and "flame" not in b.run("return document.getElementById('tabs').innerHTML"), "its panes are shown, but no stacks")
    finally:
        b.close()


def check_beside(tap, graph, trace):
    there = tap.path("two")
    os.mkdir(there)
    shutil.copy(graph, os.path.join(there, "dcfg.out.12.json"))
    shutil.copy(trace, os.path.join(there, "dcfg-trace.out.12.json"))
    _, page, err = page_of(tap, "beside", os.path.join(there, "dcfg.out.12.json"))
    tap.ok("dcfg-trace.out.12.json, the trace of the same process" in err and "sName" in pagelib.data_of(page),
           "the trace beside a graph is found, and named", err)


def check_companions(tap, prog):
    """A log of calls and a profile of the same process, beside its graph: what they have in place of a trace."""
    there = tap.path("three")
    os.mkdir(there)
    log, profile = (os.path.join(there, x) for x in ("xray-log.12", "callgrind.out.12"))
    trace = tap.path("companion-trace.json")
    graph, _, why = harness.dcfg(tap, "companion", [prog], ["--xray=yes", "--xray-out-file=" + log, "--callgrind=yes",
                                                            "--callgrind-out-file=" + profile, "--trace=yes", "--trace-out-file=" + trace])
    tap.ok(graph and os.path.exists(log) and os.path.exists(profile), "a log and a profile", why)
    beside = os.path.join(there, "dcfg.out.12.json")
    shutil.copy(graph, beside)
    _, page, err = page_of(tap, "companions", beside)
    data = pagelib.data_of(page)
    t = data["texts"]
    tap.ok("xray-log.12, the log of calls" in err and "callgrind.out.12, the profile" in err, "both are found and named", err)
    tap.ok(data["command"].strip() == prog, "the profile has the command line", data["command"])
    rows = [line.rsplit(" ", 1) for line in commandlib.command("flame", log)[1].splitlines()]
    names = [""]
    for i in range(1, len(data["sName"])):
        names.append((names[data["sParent"][i]] + ";" if data["sParent"][i] else "") + t[data["sName"][i]])
    ours = {names[i]: n for i, n in enumerate(data["sSelf"]) if n > 0}
    tap.ok(len(ours) > 10 and ours == {s: int(n) for s, n in rows}, "stacks are those of dcfg flame")
    theirs = {f["function"]: f["inclusive"] for f in report("--inclusive", graph, trace)["functions"]}
    own = ("odd", "twice", "work", "main", "compare")
    inclusive = lambda data: {data["texts"][n]: a for n, a in zip(data["fName"], data["fInclusive"]) if data["texts"][n] in own}
    tap.ok(inclusive(data) == {n: theirs[n] for n in own} and "trips" not in data, "the log has costs with calls", inclusive(data))
    _, page, _ = page_of(tap, "profiled", "--callgrind=" + profile, graph)
    data = pagelib.data_of(page)
    tap.ok(inclusive(data) == {n: theirs[n] for n in own} and "sName" not in data, "so has the profile", inclusive(data))
    with open(profile) as f, open("cut.out", "w") as out:
        text = f.read()
        out.write(text[:text.index("\n", text.index("calls=")) + 1])
    commandlib.refused(tap, "a profile that is cut off is refused in one line", "ends within a call", "view", "--callgrind=cut.out", graph)


def take_picture(tap, to):
    """Draws the pictures of docs/view.md's sessions to TO and beside it, if requested."""
    if to is None:
        return
    shutil.copy(os.path.join(harness.SRCDIR, "docs", "words.c"), ".")
    prog = harness.cc(tap, "words.c", "words", "-g", "-O1")
    graph, trace = recorded(tap, "words", prog, "2000", "1", opts=["--calls=yes"])
    path, page, _ = page_of(tap, "words", "--trace=" + trace, graph)
    data = pagelib.data_of(page)
    b = pagelib.Page(size=(1200, 800))
    try:
        b.go("file://" + path)
        b.until("return document.querySelector('.top') !== null")
        b.run("""document.querySelectorAll('.facts dd').forEach(e => {
            e.textContent = e.textContent.replaceAll(arguments[0] + '/', './').replaceAll(arguments[0], '/home/me/words'); });""", os.path.dirname(prog))
        b.screenshot(to.replace(".png", "-run.png"))
    finally:
        b.close()
    b = pagelib.Page(size=(1200, 860))
    try:
        b.go("file://" + path)
        goto(b, pane="graph", fn=next(n for n, t in zip(data["rNode"], data["rName"]) if data["texts"][t] == "find"))
        b.until("return document.querySelector('.graph') !== null")
        b.screenshot(to)
    finally:
        b.close()
    b = pagelib.Page(size=(1200, 720))
    try:
        better, better_trace = recorded(tap, "better", prog, "2000", "31")
        path, _, _ = page_of(tap, "change", "--trace=" + better_trace, "--old-trace=" + trace, graph, better)
        b.go("file://" + path)
        b.until("return document.querySelector('.story') !== null")
        b.screenshot(to.replace(".png", "-change.png"))
    finally:
        b.close()


def main():
    tap = harness.Tap("view")
    path = harness.written(tap, "view.c", PROG)
    prog = harness.cc(tap, path, "prog", "-O0", "-pthread")
    graph, trace = recorded(tap, "prog", prog)
    path, page, _ = page_of(tap, "view", "--trace=" + trace, graph)
    pagelib.check_policy(tap, page)
    data = pagelib.data_of(page)
    r = check_data(tap, data, graph, trace)
    check_code(tap, data)
    check_beside(tap, graph, trace)
    check_companions(tap, prog)
    check_less(tap, graph)
    if webdriver.installed():
        check_browser(tap, path, data, r)
        take_picture(tap, os.environ.get("VIEW_PICTURE"))
    else:
        tap.skip("in a browser", "chromium or chromedriver is not installed")
    tap.done()


main()
