#!/usr/bin/python3
"""dcfg view: pages of two builds, of inlined functions, of a slice.  (TAP)

- The data: changes are those of dcfg diff --json. Functions, inlined or not, are those of dcfg report --inline. Stacks of each
  thread, with inlined functions and without, are those of dcfg flame.
- Chromium, where it is installed: the first pane says what changed. Each pane has what B has more or less than A. Stacks can be of
  one thread, reversed, without inlined functions. The address keeps what was chosen.
- A slice in a page is that of dcfg slice, and its pane is that page.
"""
import collections
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import pagelib
import webdriver
from viewlib import count, goto, page_of, recorded, table

PROG = harness.text("view/diff.c")


def diff_json(kind, a, b):
    _, out, _ = commandlib.command("diff", "--json", "--share=0", "--top=0", "--" + kind, a, b)
    return json.loads(out)[kind]


# ---- the data ----------------------------------------------------------------------------------------------------------

def changes(data, letter):
    t, zero = data["texts"], lambda n: max(n, 0)
    return collections.Counter((t[n], zero(a), zero(b), t[i]) for n, a, b, i in zip(*(data[letter + x] for x in ("Name", "A", "B", "Image")))
                               if zero(a) != zero(b))


def check_changes(tap, data, a, b):
    theirs = collections.Counter((x["name"], x["a"], x["b"], x["image"]) for x in diff_json("functions", a, b))
    ours = changes(data, "d")
    tap.ok(len(theirs) > 2 and ours == theirs, "changes of functions are those of dcfg diff", list((ours - theirs) + (theirs - ours))[:4])
    theirs = collections.Counter((x["routine"], x["a"], x["b"], x["image"]) for x in diff_json("loops", a, b))
    ours = changes(data, "x")
    tap.ok(theirs and ours == theirs, "changes of loops", list((ours - theirs) + (theirs - ours))[:4])
    for kind, now, old in (("routines", "rSelf", "rOld"), ("blocks", "bRuns", "bOld"), ("edges", "eCount", "eOld")):
        ours = collections.Counter((max(o, 0), n) for n, o in zip(data[now], data[old]) if n != max(o, 0))
        theirs = collections.Counter((x["a"], x["b"]) for x in diff_json(kind, a, b) if x["b"] > 0)
        # Edges from special nodes are in no block of the page.
        wrong = ours - theirs if kind == "edges" else (ours - theirs) + (theirs - ours)
        tap.ok(len(theirs) > 1 and not wrong and sum((theirs - ours).values()) < 4, "counts of %s before" % kind, list(wrong)[:4])
    libraries = {r for r, m in enumerate(data["rImage"]) if not data["images"][m]["own"]}
    wrong = [b for r in libraries for b in range(data["rFirst"][r], data["rFirst"][r + 1])
             if data["bOldInstrs"][b] != (data["bOld"][b] * data["bInstrs"][b] if data["bOld"][b] >= 0 else -1)]
    total = sum(max(n, 0) for n in data["bOldInstrs"])
    tap.ok(not wrong and 0 < total <= data["old"]["instrs"], "and of instructions", wrong[:3])


def check_inlined(tap, data, graph):
    _, out, _ = commandlib.command("report", "--inline", "--json", "--top=0", graph)
    rows = json.loads(out)["processes"][0]["inline"]
    names = ("nName", "nSource", "nImage", "nInstrs", "nInlined", "nCalls", "nEntries", "nSites")
    t = data["texts"]
    ours = collections.Counter((t[r[0]], t[r[1]], t[r[2]], *r[3:]) for r in zip(*(data[n] for n in names)))
    theirs = collections.Counter((x["function"], x["source"], x["image"], x["instructions"], x["inlined"], x["calls"], x["entries"], x["sites"])
                                 for x in rows)
    tap.ok(any(x["function"] == "step" and x["inlined"] > 0 for x in rows) and ours == theirs, "functions, inlined or not, are those of the report",
           list((ours - theirs) + (theirs - ours))[:4])
    chains = collections.Counter(t[c] for c in data["iChain"])
    tap.ok(any(c.startswith("step, at ") and c.endswith(" sum") for c in chains), "code says what was inlined where", chains.most_common(4))


def folded(*args):
    _, out, _ = commandlib.command("flame", *args)
    return dict((line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1])) for line in out.splitlines())


def stacks_of(data, numbers):
    """The stacks as dcfg flame prints them, for [(stack, instructions), ..]."""
    t, names = data["texts"], [""]
    for i in range(1, len(data["sName"])):
        names.append((names[data["sParent"][i]] + ";" if data["sParent"][i] else "") + t[data["sName"][i]])
    return {names[i]: n for i, n in numbers if n > 0}


def check_stacks(tap, data, graph, trace):
    ours = stacks_of(data, enumerate(data["sSelf"]))
    tap.ok(len(ours) > 10 and ours == folded("--inline", graph, trace), "stacks with inlined functions are those of dcfg flame")
    wrong = []
    for k, numbers in enumerate(data["sThreads"]):
        ours = stacks_of(data, zip(numbers[::2], numbers[1::2]))
        if not ours or ours != folded("--inline", "--thread=%d" % k, graph, trace):
            wrong.append(k)
    tap.ok(len(data["sThreads"]) == 2 and not wrong, "those of each thread, too", wrong)
    tap.ok(data["sOldTotal"][0] == data["old"]["instrs"] == sum(data["sOldSelf"]), "the older run's stacks have all of its instructions")


# ---- in a browser ------------------------------------------------------------------------------------------------------

def check_story(tap, b, data, old, new):
    tap.ok(b.texts("#tabs a")[0] == "Difference" and b.run("return document.querySelector('#tabs a').getAttribute('aria-selected')") == "true",
           "the difference is the first pane")
    words = " ".join(b.texts(".story p"))
    by = data["instrs"] - data["old"]["instrs"]
    tap.ok(count(data["instrs"]) in words and count(data["old"]["instrs"]) in words and count(abs(by)) + " more" in words and "two builds" in words,
           "it tells how much more was executed, and why", words)
    rows = {row["function"]: row for row in table(b)}
    want = {x["name"]: x for x in diff_json("functions", old, new)}
    sign = lambda n: "+" + count(n) if n > 0 else "\u2212" + count(-n)
    wrong = [n for n, x in want.items() if n not in rows or rows[n]["B \u2212 A"] != sign(x["b"] - x["a"]) or rows[n]["change"].replace("\u2212", "-") != x["change"].replace("x", "\u00d7")]
    tap.ok(want["late"]["change"] == "new" and want["early"]["change"] == "gone" and not wrong, "with the rows of dcfg diff", (wrong, [rows.get(n) for n in wrong[:2]]))
    tap.ok(b.texts(".story a")[0].startswith("sum +") and b.run("return document.querySelectorAll('td.plus').length") > 0, "what changed most comes first, in red",
           b.texts(".story a"))


def check_panes(tap, b, data):
    node = data["rNode"][next(r for r, n in enumerate(data["rName"]) if data["texts"][n] == "sum")]
    goto(b, pane="functions")
    row = next(x for x in table(b) if x["function"] == "sum")
    r = data["rNode"].index(node)
    tap.ok(row["B \u2212 A"] == "+" + count(data["rSelf"][r] - data["rOld"][r]), "functions have what they have more", row)
    goto(b, pane="functions", kind="source")
    step = next(x for x in table(b) if x["function"] == "step")
    tap.ok(step["calls"] == "0" and step["inlined"] == step["instructions"] != "0", "the other table has inlined functions", step)
    goto(b, pane="calls", fn=node)
    f = data["rFunction"][r]
    tap.ok("B \u2212 A +%s instructions, with what it called +%s;" % (count(data["rSelf"][r] - data["rOld"][r]), count(data["fInclusive"][f] - data["fOldInclusive"][f]))
           in b.texts(".subject p")[0], "its head says what it has more", b.texts(".subject p"))
    boxes = b.texts(".neighbours g.block text")
    tap.ok({"main", "work", "late", "sum"} <= set(boxes), "a picture of callers, and of theirs", boxes)
    goto(b, pane="code", fn=node)
    tap.ok(any("step, at " in x for x in b.texts(".sourcecode .chain")) and any("inlined: step, at " in x for x in b.texts(".assembly .chain")),
           "lines and code say what was inlined")
    heads = b.texts(".blockhead span.plus, .blockhead span.minus")
    tap.ok(heads and all("B \u2212 A" in h for h in heads), "blocks of code have what they have more", heads)
    goto(b, pane="graph", fn=node)
    if data["graphs"]:
        tap.ok(b.run("return document.querySelectorAll('.graph > svg g.block.plus').length") > 0, "so have those of the graph, in red")
        b.run("document.querySelector('.graph > svg g.block').focus()")
        first = b.run("return document.activeElement.dataset.b")
        b.press("\ue015")
        tap.ok(b.run("return document.activeElement.dataset.b") not in (None, first), "an arrow follows an edge")
    else:
        tap.skip("the graph", "Graphviz is not installed")
    goto(b, pane="loops")
    row = next(x for x in table(b) if x["function"] == "sum" and "new" not in x["B \u2212 A"])
    tap.ok(row["B \u2212 A"].startswith("+") and b.run("return document.querySelectorAll('.columns-of i').length") > 0,
           "loops have it, and columns of their iterations", row)


def titles(b):
    return b.run("return Array.from(document.querySelectorAll('.flame .box')).map(e => e.title)")


def check_flame(tap, b, data, graph, trace):
    goto(b, pane="flame")
    tap.ok(any("step_[i]: " in x for x in titles(b)) and b.run("return document.querySelectorAll('.box.plus').length") > 0, "stacks have inlined functions, and colours of changes")
    goto(b, pane="flame", inlined=0)
    tap.ok(not any("_[i]" in x for x in titles(b)), "and can be seen without")
    tree = """const t = %s; const names = ['']; const out = {};
        for (let i = 0; i < t.name.length; i++) {
           if (i > 0) names[i] = (t.parent[i] > 0 ? names[t.parent[i]] + ';' : '') + arguments[0].texts[t.name[i]];
           if (t.self[i] > 0) out[names[i]] = t.self[i];
        }
        return out;"""
    plain = b.run(tree % "flameWithout(flameBase(arguments[0], -1), n => arguments[0].texts[n].endsWith('_[i]'))", data)
    tap.ok(plain == folded(graph, trace), "those without are those of dcfg flame")
    own = collections.Counter()
    for stack, n in folded(graph, trace).items():
        own[";".join(reversed(stack.split(";")))] += n
    back = b.run(tree % "flameReversed(flameWithout(flameBase(arguments[0], -1), n => arguments[0].texts[n].endsWith('_[i]')))", data)
    tap.ok(back == dict(own), "reversed, each function's instructions are below its callers")
    goto(b, pane="flame", thread=1)
    tap.ok(titles(b)[0].startswith("all: %s instructions" % count(data["threads"][1])), "one thread has its instructions", titles(b)[:1])
    goto(b, pane="flame", q="sum")
    b.run("document.querySelector('.box.hit').click()")
    hash = b.run("return location.hash")
    b.go("file://" + b.run("return location.pathname"))
    b.run("location.hash = arguments[0]", hash)
    wide = b.run("const e = document.querySelector('.box.hit'); return e.offsetWidth >= document.querySelector('.flame').clientWidth - 3")
    tap.ok("stack=" in hash and "q=sum" in hash and wide, "the address keeps the search and the box", hash)


def check_slice(tap, source):
    """A page with a slice is a page of the graph, and has the slice's own page as a pane."""
    there = tap.path("wet")
    os.mkdir(there)
    prog = harness.cc(tap, source, "sliced", "-static", "-O0", "-g", "-pthread")
    wet = os.path.join(there, "wet.out.12")
    graph, _, why = harness.dcfg(tap, "sliced", [prog], ["--wet=yes", "--wet-out-file=" + wet])
    tap.ok(graph and os.path.exists(wet), "a whole execution trace", why)
    beside = os.path.join(there, "dcfg.out.12.json")
    shutil.copy(graph, beside)
    line = next(k for k, text in enumerate(PROG.splitlines(), 1) if "early(300));" in text)
    path, page, err = page_of(tap, "slice", "--at=view.c:%d" % line, beside)
    pagelib.check_policy(tap, page)
    tap.ok("wet.out.12, the whole execution trace of the same process" in err, "the trace beside a graph is found, and named", err)
    _, alone, _ = commandlib.command("slice", "--at=view.c:%d" % line, "--as=html", wet)
    data = pagelib.data_of(page)
    tap.ok(data["slice"] == pagelib.data_of(alone) and data["rNode"], "its slice is that of dcfg slice")
    for args, words in ((["--at=view.c:%d" % line, graph], "--at needs --wet=FILE"), (["--wet=" + wet, graph], "--wet is for --at"),
                        (["--at=view.c:1", "--wet=" + graph, graph], "not a whole execution trace")):
        status, _, err = commandlib.command("view", *args)
        tap.ok(status == 2 and words in err and len(err.splitlines()) == 1, "an error: " + words, err)
    if not webdriver.installed():
        return
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        goto(b, pane="slice")
        cards = b.texts("#list > li")
        tap.ok(b.texts("#tabs a")[-1] == "Slice" and cards and len(b.texts("#source tr.in")) > 3, "the pane has lines and cards", cards[:2])
        b.click("#list .from a")
        here = b.run("return location.hash")
        tap.ok(here.startswith("#i") and b.run("return document.querySelectorAll('#list > li.chosen').length") == 1, "a link leads to an input", here)
        b.press("2")
        tap.ok(b.run("return location.hash").startswith("#pane=functions") and b.run("return document.getElementById('list')") is None, "keys go to other panes")
        b.press("j")
        tap.ok(b.run("return location.hash").startswith("#pane=functions"), "where those of the slice do nothing")
        b.back()
        tap.ok(b.run("return location.hash") == here and len(b.texts("#list > li.chosen")) == 1, "and the browser goes back to it")
        b.check_accessible(tap, "the slice")
        tap.ok(b.errors() == [] and b.requests() == [], "without an error, or a request")
    finally:
        b.close()


def check_browser(tap, path, data, old, new, trace):
    b = pagelib.Page()
    try:
        b.go("file://" + path)
        check_story(tap, b, data, old, new)
        b.check_accessible(tap, "the difference")
        check_panes(tap, b, data)
        check_flame(tap, b, data, new, trace)
        b.check_accessible(tap, "stacks of two runs")
        tap.ok(b.errors() == [] and b.requests() == [], "without an error, or a request")
    finally:
        b.close()


def main():
    tap = harness.Tap("view_diff")
    source = harness.written(tap, "view.c", PROG)
    old, old_trace = recorded(tap, "old", harness.cc(tap, source, "old", "-O1", "-g", "-pthread"))
    new, trace = recorded(tap, "new", harness.cc(tap, source, "new", "-O2", "-g", "-pthread", "-DCHANGED"))
    path, page, _ = page_of(tap, "diff", "--inline", "--trace=" + trace, "--old-trace=" + old_trace, old, new)
    pagelib.check_policy(tap, page)
    data = pagelib.data_of(page)
    check_changes(tap, data, old, new)
    check_inlined(tap, data, new)
    check_stacks(tap, data, new, trace)
    _, page, _ = page_of(tap, "less", old, new)
    tap.ok("sName" not in pagelib.data_of(page) and "nName" not in pagelib.data_of(page), "without traces and --inline there is the difference of graphs")
    _, page, _ = page_of(tap, "same", old, old)
    same = pagelib.data_of(page)
    tap.ok(not changes(same, "d") and not changes(same, "x") and not same["old"]["rebuilt"], "a run is the same as itself")
    commandlib.refused(tap, "--old-trace needs an older graph", "name both graphs", "view", "--old-trace=" + trace, new)
    check_slice(tap, source)
    if webdriver.installed():
        check_browser(tap, path, data, old, new, trace)
    else:
        tap.skip("in a browser", "chromium or chromedriver is not installed")
    tap.done()


main()
