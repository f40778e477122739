#!/usr/bin/python3
"""dcfg view: the first question of a page: where the time goes.  (TAP)

- A run with --calls=yes: functions, lines, callers and callees have the numbers of dcfg report; without it, the page says
  what records the cost of calls, and shows none.
- The first pane has the command, and the hottest functions and lines; a click leads to the source at the hottest line.
- A function without a source shows its code; one with too many blocks a sketch, whose edges and nodes add up to the graph's.
- On a phone, the name and the share come first, and the name stays while other columns scroll; no pane is wider than the screen.
- Of two runs, callers have what their calls cost more.
"""
import collections
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
import pagelib
import webdriver
from viewlib import count, goto, page_of, report, table

PROG = """#include <stdio.h>
#include <stdlib.h>
struct node { struct node* next; int key; };
static struct node* first;
__attribute__((noinline)) static int walk(int key, int most)
{
    int steps = 0;
    for (struct node* n = first; n != NULL && steps < most; n = n->next)
        steps += n->key == key;
    return steps;
}
/* Many calls that cost little. */
__attribute__((noinline)) static int often(int i) { return walk(i, 0); }
/* Few calls that cost much. */
__attribute__((noinline)) static int seldom(int i) { return walk(i, 1 << 30); }
__attribute__((noinline)) static int deep(int n) { return n == 0 ? often(n) : 1 + deep(n - 1); }
int main(int argc, char** argv)
{
    int sum = 0;
    for (int i = 0; i < 3000; i++) {
        struct node* n = malloc(sizeof *n);
        n->key = i % 7;
        n->next = first;
        first = n;
    }
    for (int i = 0; i < 900; i++)
        sum += often(i);
    for (int i = 0; i < 9 * argc; i++)
        sum += seldom(i) + deep(i);
    printf("%d\\n", sum);
    return 0;
}
"""


def large(cases):
    """A program with a function of many blocks: an interpreter.  A case has a hot loop, and another one a loop of several blocks that
    are not hot."""
    text = ["#include <stdlib.h>\\nvolatile int sink;\\n__attribute__((noinline)) int large(unsigned x, int n)\\n{\\n   int s = 0;\\n   for (int i = 0; i < n; i++) {\\n"
            "      x = x * 1103515245u + 12345;\\n      switch ((x >> 16) % 251 % %d) {\\n".replace("%d", str(cases))]
    for k in range(cases):
        text.append("      case %d: if (x & %d) s += sink; else s ^= %d;%s break;\\n" % (
            k, 1 << k % 13, k, " for (int j = 0; j < 40; j++) s += sink;" if k == 3 else " for (int j = sink + 1; j < 3; j++) { if (s & j) s += sink; if (x & j) s ^= sink; if (s & 4 * j) s += sink; if (x & 8 * j) s -= sink; }" if k == 5 else ""))
    return "".join(text).replace("\\n", "\n") + "      }\n   }\n   return s;\n}\nint main(void) { return large(7, 20000) == 1; }\n"


def run(tap, name, prog, *args, calls="yes"):
    graph, _, why = harness.dcfg(tap, name, [prog, *args], ["--calls=" + calls])
    tap.ok(graph, name + " is recorded", why)
    return graph


# ---- the data ----------------------------------------------------------------------------------------------------------

def pairs_of(data, name, caller):
    """The pairs whose callee, or CALLER, is NAME, as dcfg report has them."""
    t = data["texts"]
    me, other = ("cFrom", "cTo") if caller else ("cTo", "cFrom")
    return sorted((t[data["kName"][o]], n, cost) for m, o, n, cost in zip(data[me], data[other], data["cCount"], data["cCost"])
                  if t[data["kName"][m]] == name)


def check_data(tap, data, graph):
    t, r = data["texts"], report("--functions", "--lines", graph)
    ours = collections.Counter((t[n], s, a, c) for n, s, a, c in zip(data["fName"], data["fSelf"], data["fInclusive"], data["fCalls"]) if s or c)
    theirs = collections.Counter((x["function"], x["self"], x["inclusive"], x["calls"]) for x in r["source_functions"])
    tap.ok(len(theirs) > 50 and ours == theirs, "functions have the report's costs", (ours - theirs) or (theirs - ours))
    wrong = []
    for name in ("walk", "deep", "main", "malloc", "_dl_relocate_object"):
        for option, caller in (("callers", False), ("callees", True)):
            rows = sorted((x["function"], x["calls"], x["instructions"]) for x in report("--%s=%s" % (option, name), graph).get(option, []))
            if pairs_of(data, name, caller) != rows:
                wrong.append((option, name, pairs_of(data, name, caller)[:3], rows[:3]))
    tap.ok(not wrong and pairs_of(data, "walk", False), "callers and callees, and what their calls cost", wrong)
    own = {t[f] for f in data["hFile"]}
    ours = [(t[f], l, i, n) for f, l, i, n in zip(data["hFile"], data["hLine"], data["hInstrs"], data["hTimes"])]
    theirs = [(x["file"], x["line"], x["instructions"], x["times"]) for x in r["lines"] if x["file"] in own]
    tap.ok(len(ours) > 10 and ours == theirs, "lines of the program, the hottest first", (ours[:3], theirs[:3]))
    source = PROG.splitlines()
    tap.ok(all(t[x] == source[l - 1].strip() for x, l in zip(data["hText"], data["hLine"])), "with their text")


def check_without(tap, prog):
    graph = run(tap, "without", prog, calls="no")
    path, page, _ = page_of(tap, "without", graph)
    data = pagelib.data_of(page)
    tap.ok(not {"cCost", "kName", "fInclusive"} & set(data), "without recorded calls there are no costs of calls")
    return path


def check_less(tap, prog, graph):
    """An older run of other counts, with calls and without."""
    more = run(tap, "more", prog, "1", "2")
    data = pagelib.data_of(page_of(tap, "old", graph, more)[1])
    t, names = data["texts"], {k: f for k, f in enumerate(data["kFunction"]) if f >= 0}
    old = {(f, to): (n, cost) for f, to, n, cost in zip(data["oFrom"], data["oTo"], data["oCount"], data["oCost"])}
    want = {(x["function"], x["of"]): (x["calls"], x["instructions"]) for x in report("--callers=*", graph)["callers"]}
    ours = {(t[data["kName"][f]], t[data["kName"][to]]): old[names[f], names[to]] for f, to in zip(data["cFrom"], data["cTo"])
            if f in names and to in names and (names[f], names[to]) in old}
    mine = {k: x for k, x in ours.items() if k in (("seldom", "walk"), ("often", "walk"), ("main", "seldom"), ("deep", "deep"))}
    tap.ok(len(mine) == 4 and all(want[k] == x for k, x in mine.items()), "of two runs, the older one's calls have its costs", mine)
    f = next(k for k, n in enumerate(data["fName"]) if t[n] == "seldom")
    costs = {x["function"]: x["inclusive"] for x in report("--functions", graph)["source_functions"]}
    tap.ok(data["fOldInclusive"][f] == costs["seldom"] < data["fInclusive"][f], "so have its functions")
    plain = run(tap, "plain", prog, calls="no")
    data = pagelib.data_of(page_of(tap, "mixed", plain, graph)[1])
    tap.ok("cCost" not in data and "fOldInclusive" not in data, "if one has no calls, there are no costs")


# ---- in a browser ------------------------------------------------------------------------------------------------------

def node_of(data, name):
    return next(n for n, x in zip(data["rNode"], data["rName"]) if data["texts"][x] == name)


def seen(b, selector):
    """Whether the first such element is within what is shown of its box."""
    return b.until("""const e = document.querySelector(arguments[0]);
        if (!e) return false;
        const x = e.getBoundingClientRect(), box = e.closest('.half').getBoundingClientRect();
        return x.top >= box.top && x.bottom <= box.bottom;""", selector)


def check_first(tap, b, data, graph, prog):
    tap.ok(b.texts("#tabs a[aria-selected=true]") == ["Run"], "the page opens on the run", b.texts("#tabs a[aria-selected=true]"))
    facts = b.texts(".facts dd")
    tap.ok(facts[0] == prog and count(data["instrs"]) in facts[2] and "1 thread" in facts[2] and re.match(r"\d{4}-\d\d-\d\d ", facts[1]),
           "with its command, date and instructions", facts[:3])
    r = report("--functions", "--lines", "--image=main", graph)
    rows = [(x["function"], x["self"], x["inclusive"], x["calls"]) for x in table(b, 0)]
    want = [(x["function"], count(x["self"]), count(x["inclusive"]), count(x["calls"])) for x in r["source_functions"] if x["self"] > 0]
    tap.ok(rows == want[:15] and rows[0][0] == "walk", "the hottest functions", (rows[:3], want[:3]))
    rows = [(x["line"], x["instructions"], x["times"], x["text"]) for x in table(b, 1)]
    want = [("%s:%d" % (x["file"], x["line"]), count(x["instructions"]), count(x["times"]), x["text"]) for x in r["lines"]]
    tap.ok(rows == want[:15], "and the hottest lines", (rows[:2], want[:2]))
    hottest = data["hLine"][0]
    b.resize(1400, 240)                                 # so low that the line is not in sight by itself
    b.click(".top:last-child a")
    shown = b.texts(".line.linked .lineno")
    tap.ok(shown == [str(hottest)] and seen(b, ".line.linked") and "pane=code" in b.run("return location.hash"), "a click on a line shows it in its source", shown)
    b.back()
    b.click(".top a")
    heats = b.run("return Array.from(document.querySelectorAll('.line.ran')).map(e => [+e.querySelector('.lineno').textContent, +e.style.getPropertyValue('--heat')])")
    tap.ok(b.texts(".subject h2") == ["walk"] and max(heats, key=lambda x: x[1])[0] == hottest and len({h for _, h in heats}) > 1,
           "one on a function its source, the hottest line darkest", heats)
    tap.ok(seen(b, ".line[data-line$=':%d']" % hottest), "and in sight")
    b.resize(1400, 900)


def check_costs(tap, b, data, graph):
    goto(b, pane="calls", fn=node_of(data, "walk"))
    rows = [(x["caller"], x["calls"], x["instructions"]) for x in table(b)]
    want = [(x["function"], count(x["calls"]), count(x["instructions"])) for x in report("--callers=walk", graph)["callers"]]
    tap.ok(rows == want and [x[0] for x in rows] == ["seldom", "often"], "callers by what their calls cost, not by their number", (rows, want))
    shares = [(x["share"], x["of callee"]) for x in table(b)]
    costs = [x["instructions"] for x in report("--callers=walk", graph)["callers"]]
    tap.ok(shares == [("%.1f%%" % (100 * c / data["instrs"]), "%.1f%%" % (100 * c / sum(costs))) for c in costs], "with their shares of the run and of the callee", shares)
    goto(b, pane="calls", fn=node_of(data, "deep"))
    rows = {x["callee"]: x["instructions"] for x in table(b, 1)}
    want = {x["function"]: count(x["instructions"]) for x in report("--callees=deep", graph)["callees"]}
    tap.ok(rows == want and "deep" in rows, "recursion counts once", (rows, want))


def check_plain(tap, b, data):
    goto(b, pane="calls", fn=node_of(data, "walk"))
    heads = b.texts("th")
    tap.ok("instructions" not in heads and "calls" in heads and any("--calls=yes" in x for x in b.texts("#pane p")),
           "without recorded calls it has calls, and says what records their cost", heads)


def check_browser(tap, path, data, graph, prog, without):
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        check_first(tap, b, data, graph, prog)
        check_costs(tap, b, data, graph)
        for pane in ("run", "code", "calls"):
            goto(b, pane=pane, fn=node_of(data, "walk"))
            b.check_accessible(tap, "the pane " + pane)
        b.go("file://" + without)
        with open(without, encoding="utf-8") as f:
            check_plain(tap, b, pagelib.data_of(f.read()))
        tap.ok(b.errors() == [] and b.requests() == [], "without an error, or a request")
    finally:
        b.close()


def check_phone(tap, path, data):
    b = pagelib.Page()
    try:
        b.resize(390, 844)
        b.go("file://" + path)
        wide = []
        for pane in ("run", "functions", "graph", "code", "calls", "loops"):
            goto(b, pane=pane, fn=node_of(data, "walk"))
            if b.run("return document.documentElement.scrollWidth") > 390 or b.texts("#pane") == [""]:
                wide.append(pane)
        tap.ok(not wide, "no pane is wider than a phone", wide)
        goto(b, pane="functions")
        heads = b.texts(".scroll th")
        tap.ok(heads[:2] == ["function", "self"], "there, name and share come first", heads)
        where = "return ['td.main', 'td:last-child'].map(s => document.querySelector('tr[data-k] ' + s).getBoundingClientRect().left)"
        before = b.run(where)
        b.run("document.querySelector('.scroll').scrollLeft = 60")
        after = b.run(where)
        tap.ok(after[0] == before[0] and after[1] == before[1] - 60, "and the name stays while other columns scroll", (before, after))
        goto(b, pane="code", fn=node_of(data, "walk"))
        visible = "return Array.from(document.querySelectorAll('.half')).map(e => e.getClientRects().length > 0)"
        one = b.run(visible)
        b.run("document.querySelector('.sides button:last-child').click()")
        tap.ok(one == [True, False] and b.run(visible) == [False, True], "the source has the screen, or the code", one)
        b.resize(1400, 900)
        tap.ok(b.until("return document.querySelectorAll('.half').length === 2 && Array.from(document.querySelectorAll('.half')).every(e => e.getClientRects().length > 0)"),
               "a wide one has both")
        tap.ok(b.errors() == [], "without an error", b.errors())
    finally:
        b.close()


# ---- sketches, and code without a source -------------------------------------------------------------------------------

TITLES = "return Array.from(document.querySelectorAll('.graph > svg g.%s > title')).map(e => e.textContent)"


def check_sketch(tap, path, data, graph):
    row = data["rName"].index(data["texts"].index("large"))
    node, first, end = data["rNode"][row], data["rFirst"][row], data["rFirst"][row + 1]
    g = next((x for x in data["graphs"] if x[0] == row), None)
    tap.ok(end - first > 120 and g is not None and len(g) == 6 and 20 < len(g[3]) / 5 < 100, "a function of %d blocks has a sketch" % (end - first), g and len(g[3]) / 5)
    if g is None or not webdriver.installed():
        return
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        goto(b, pane="graph", fn=node)
        nodes, edges = b.run(TITLES % "block"), b.run(TITLES % "edge")
        r = report("--blocks", "--edges", "--routines", graph)
        blocks = {x["node_id"]: x for x in r["blocks"]}
        mine = {i for i in data["bId"][first:end]}
        hot = {int(m.group(1)): int(m.group(2).replace(",", "")) for m in (re.match(r"block (\d+) at .*, ([\d,]+) instructions", x) for x in nodes) if m}
        groups = [tuple(int(x.replace(",", "")) for x in re.search(r"([\d,]+) blocks?: ([\d,]+) instructions", x).groups()) for x in nodes if not x.startswith("block ")]
        tap.ok(all(blocks[k]["instructions"] == n for k, n in hot.items()) and len(hot) + sum(n for n, _ in groups) == len(mine)
               and sum(hot.values()) + sum(n for _, n in groups) == sum(blocks[i]["instructions"] for i in mine if i in blocks),
               "its boxes have all blocks, and all instructions", groups)
        hottest = max((x for x in r["blocks"] if x["node_id"] in mine), key=lambda x: x["instructions"])
        tap.ok(hottest["node_id"] in hot and any("a loop of" in x for x in nodes), "the hottest block is one, and so is a loop")
        leaving = collections.Counter()
        for x in edges:
            m = re.match(r".*?: ([\d,]+), .* of block (\d+)", x)
            leaving[int(m.group(2)) if m else None] += int((m.group(1) if m else re.search(r": ([\d,]+)", x).group(1)).replace(",", ""))
        want = collections.Counter()
        for e in r["edges"]:
            if e["from_node_id"] in hot and e["to_node_id"] in mine and e["type"] not in ("DIRECT_CALL", "RETURN"):
                want[e["from_node_id"]] += e["count"]
        tap.ok(sum(want.values()) > 1000 and all(leaving[k] == n for k, n in want.items()), "a block's edges have all that left it",
               [(k, leaving[k], n) for k, n in want.items() if leaving[k] != n][:4])
        b.run("document.querySelector('.graph > svg g.group').focus()")
        b.press("enter")
        tap.ok("pane=code" in b.run("return location.hash") and b.texts(".blockhead.linked, .blockcode.linked") != [], "a box of several blocks opens the hottest one")
        tap.ok(b.errors() == [], "without an error", b.errors())
    finally:
        b.close()


def check_codeless(tap, prog):
    """The program without debug information."""
    bare = tap.path("bare")
    os.system("strip --strip-debug -o %s %s" % (bare, prog))
    graph = run(tap, "bare", bare)
    path, page, _ = page_of(tap, "bare", graph)
    data = pagelib.data_of(page)
    tap.ok(data["hLine"] == [], "a program without lines has none")
    if not webdriver.installed():
        return
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        tap.ok(any("compile it with -g" in x for x in b.texts(".top p")), "its page says how to get them", b.texts(".top p"))
        b.click(".top a")
        tap.ok(len(b.texts(".half")) == 1 and "No source lines" in b.texts(".assembly p")[0], "its functions have their code, in all of the pane")
        hottest = max(report("--blocks", "--routine=walk", graph)["blocks"], key=lambda x: x["instructions"])["node_id"]
        tap.ok(seen(b, "#b%d .blockhead" % hottest), "with the hottest block in sight")
    finally:
        b.close()


def main():
    tap = harness.Tap("view_first")
    source = tap.path("view.c")
    harness.write(source, PROG)
    prog = harness.cc(tap, source, "prog", "-g", "-O1")
    graph = run(tap, "prog", prog)
    path, page, _ = page_of(tap, "view", graph)
    data = pagelib.data_of(page)
    check_data(tap, data, graph)
    without = check_without(tap, prog)
    check_less(tap, prog, graph)
    if webdriver.installed():
        check_browser(tap, path, data, graph, prog, without)
        check_phone(tap, path, data)
    else:
        tap.skip("in a browser", "chromium or chromedriver is not installed")
    check_codeless(tap, prog)
    source = tap.path("large.c")
    harness.write(source, large(150))
    graph = run(tap, "large", harness.cc(tap, source, "large", "-g", "-O1", "-fno-tree-switch-conversion", "-fno-jump-tables"))
    path, page, _ = page_of(tap, "sketch", graph)
    if shutil.which("dot"):
        check_sketch(tap, path, pagelib.data_of(page), graph)
    else:
        tap.skip("a sketch", "Graphviz is not installed")
    tap.done()


main()
