#!/usr/bin/python3
"""dcfg view: pages of odd graphs.  (TAP)

- Names of functions, images and sources that have markup, escapes, quotes, newlines, marks of direction, or 3,000 letters.
- Graphs with no function, without source lines, of Intel's own tool, and of 64 processes that dcfg merge added up.
- Without scripts the page says that it needs them.

Each pane of each page is opened in Chromium, where it is installed, at each function of the program.
"""
import json
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
from viewlib import count, goto, page_of, recorded, report, table

PANES = ("run", "functions", "graph", "code", "calls", "loops", "flame")
NAMES = ["<script>document.title='no'</script>", "<img src=x onerror=\"document.title='no'\">", "\033]0;no\007\033[31m", "a\nb\nfn=(1)",
         "q\"uo\\te`id`$(id)%s%n", "\u202erev\u2066", "</script><!--]]>", "}; evil [label=\"x\"]; {", "it's", "m" * 3000, " sp ace ", "&amp;&#x3c;"]


def visit(tap, path, what, nodes, check):
    """Open each pane at each of the nodes; CHECK(b) in each.  No error, no request, no element of a name."""
    if not webdriver.installed():
        tap.skip("in a browser: " + what, "chromium or chromedriver is not installed")
        return
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        for pane in PANES:
            for fn in nodes if pane in ("graph", "code", "calls") else nodes[:1]:
                goto(b, pane=pane, fn=fn)
                b.run("return 0")
        check(b)
        strange = b.run("return document.querySelectorAll('img, iframe, #pane script').length")
        tap.ok(strange == 0 and b.errors() == [] and b.requests() == [] and not b.run("return document.title").startswith("no"),
               what + ": each pane is shown", b.errors())
    finally:
        b.close()


def renamed(graph, to):
    """The same graph; its first routines with symbols, an image and a source have the hostile names."""
    d = json.loads(harness.read(graph))
    for row in d["FILE_NAMES"][1:]:
        if row[1].endswith(("libc.so.6", "view.c")):
            row[1] += NAMES[1] + NAMES[3]
    left = list(NAMES)

    def change(x):
        if isinstance(x, dict):
            for key, value in x.items():
                if key == "SYMBOLS":
                    for row in value[1:]:
                        if left and row[0].startswith("f") and row[0][1:].isdigit():
                            row[0] = left.pop(0)
                else:
                    change(value)
        elif isinstance(x, list):
            for y in x:
                change(y)
    change(d["PROCESSES"])
    harness.write(to, json.dumps(d))
    return to


def check_names(tap):
    source = tap.path("view.c")
    with open(source, "w") as f:
        for k in range(len(NAMES)):
            f.write("__attribute__((noipa)) int f%d(int x) { return x > %d ? x * %d : x; }\n" % (k, k, k))
        f.write("int main(void) { return 0 %s; }\n" % "".join("+ f%d(0)" % k for k in range(len(NAMES))))
    graph, trace = recorded(tap, "names", harness.cc(tap, source, "names", "-O1", "-g"))
    hostile = renamed(graph, tap.path("hostile.json"))
    path, page, _ = page_of(tap, "hostile", "--trace=" + trace, graph, hostile)
    pagelib.check_policy(tap, page)
    data = pagelib.data_of(page)
    texts = {data["texts"][n] for n in data["rName"]}
    tap.ok(any("<script>" in t for t in texts) and "<img" not in page and not any(c in t for t in data["texts"] for c in "\n\033\u202e\u2066"),
           "hostile names are in the page's data only, without what is hidden")
    want = {x["routine"] for x in report("--routines", hostile)["routines"] if x["image"] == "names"}

    def check(b):
        goto(b, pane="functions")
        shown = {row["function"] for row in table(b)}
        tap.ok(want <= shown and "<script>document.title='no'</script>" in shown, "hostile names are shown as text", sorted(want - shown)[:3])
        goto(b, pane="flame")
        titles = b.run("return Array.from(document.querySelectorAll('.flame .box')).map(e => e.title)")
        tap.ok(len(titles) > 10, "also in stacks", titles[:3])
    own = [n for n, i in zip(data["rNode"], data["rImage"]) if data["images"][i]["own"]]
    visit(tap, path, "hostile names", own, check)
    return graph


def stripped(graph, to, change):
    d = json.loads(harness.read(graph))
    for row in d["PROCESSES"][1:]:
        change(row[1])
    harness.write(to, json.dumps(d))
    return to


def check_nothing(tap, graph):
    def empty(process):
        process.update(INSTR_COUNT=0, INSTR_COUNT_PER_THREAD=[0], IMAGES=process["IMAGES"][:1], EDGES=process["EDGES"][:1])
    path, page, _ = page_of(tap, "empty", stripped(graph, tap.path("empty.json"), empty))
    tap.ok(pagelib.data_of(page)["rName"] == [], "a page with no function")

    def check(b):
        goto(b, pane="functions")
        tap.ok("No function was executed" in " ".join(b.texts("#pane")) or b.texts("tbody tr[data-k]") == [], "which says so", b.texts("#pane"))
        b.press("/")
        b.press("x")
        goto(b, pane="run")
        tap.ok(any(x.startswith("0 in 1 thread") for x in b.texts(".facts dd")), "and has the run", b.texts(".facts dd"))
    visit(tap, path, "no function", [1], check)


def check_sourceless(tap, graph):
    def sourceless(process):
        for image in process["IMAGES"][1:]:
            image[3].pop("SOURCE_DATA", None)
            image[3].pop("SYMBOLS", None)
    path, page, _ = page_of(tap, "bare", stripped(graph, tap.path("bare.json"), sourceless))
    data = pagelib.data_of(page)
    r = report("--routines", "--blocks", tap.path("bare.json"))
    tap.ok(data["instrs"] == r["instructions"] and not any(data["rSource"]), "a page without names and source lines")

    def check(b):
        node = data["rNode"][0]
        goto(b, pane="code", fn=node)
        heads = b.texts(".blockhead")
        want = {x["node_id"]: count(x["executions"]) for x in r["blocks"]}
        tap.ok(heads and all(h.startswith(want[int(re.search(r"block (\d+)", h).group(1))]) for h in heads), "its code has the report's numbers", heads[:2])
        tap.ok("No source lines are known" in " ".join(b.texts(".assembly p")), "and says that it has no source")
    visit(tap, path, "no sources", data["rNode"][:3], check)


def check_intel(tap):
    path = os.path.join(commandlib.PINPLAY, "whole.dcfg.json.bz2")
    if not os.path.exists(path):
        tap.skip("a graph of Intel's tool", "there is none at " + os.path.basename(commandlib.PINPLAY))
        return
    shutil.copy(path, tap.path("intel.json.bz2"))
    path, page, _ = page_of(tap, "intel", tap.path("intel.json.bz2"))
    data = pagelib.data_of(page)
    r = report("--routines", tap.path("intel.json.bz2"))
    want = sorted((x["node_id"], x["instructions"]) for x in r["routines"] if x["instructions"] > 0)
    tap.ok(sorted(zip(data["rNode"], data["rSelf"])) == want, "a graph of Intel's tool has the report's numbers")
    visit(tap, path, "Intel's graph", data["rNode"][:3], lambda b: None)


def check_merged(tap, graph):
    """64 processes: the same run, under other ids."""
    text = harness.read(graph)
    number = re.search(r'"PROCESS_ID", "PROCESS_DATA" \],\s*\[ (\d+)', text)
    for k in range(64):
        harness.write("p%d.json" % k, text[:number.start(1)] + str(1000 + k) + text[number.end(1):])
    merged = tap.path("merged.json")
    status, _, err = commandlib.command("merge", "-o", merged, *("p%d.json" % k for k in range(64)))
    tap.ok(status == 0, "64 processes are added up", err)
    path, page, _ = page_of(tap, "merged", merged)
    data = pagelib.data_of(page)
    r, one = report("--routines", merged), report("--routines", graph)
    tap.ok(data["instrs"] == r["instructions"] == 64 * one["instructions"]
           and sorted(zip(data["rNode"], data["rSelf"])) == sorted((x["node_id"], x["instructions"]) for x in r["routines"] if x["instructions"] > 0),
           "their page has the sum", (data["instrs"], one["instructions"]))
    visit(tap, path, "64 processes", data["rNode"][:2], lambda b: None)
    for k in range(64):
        os.remove("p%d.json" % k)


def check_scriptless(tap, graph):
    path, _, _ = page_of(tap, "scripts", graph)
    if not webdriver.installed():
        tap.skip("without scripts", "chromium or chromedriver is not installed")
        return
    b = webdriver.Browser(scripts=False)
    try:
        b.go("file://" + path)
        tap.ok("needs JavaScript" in b.text("body"), "without scripts it says that it needs them", b.text("body"))
    finally:
        b.close()


def main():
    tap = harness.Tap("view_odd")
    graph = check_names(tap)
    check_nothing(tap, graph)
    check_sourceless(tap, graph)
    check_intel(tap)
    check_merged(tap, graph)
    check_scriptless(tap, graph)
    tap.done()


main()
