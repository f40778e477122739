#!/usr/bin/python3
"""dcfg flame: folded stacks, flame graphs, speedscope's JSON, the difference of two runs.  (TAP)

Totals are compared with the DCFG, and a function's own instructions with its blocks.  Stacks are compared with the XRay log
of the same run: the tool finds calls by the stack pointer, the command finds stacks without it.  A whole execution trace has
the stack pointer: its stacks are those of the DCFG-trace, but in the cases that docs/flame.md describes.
"""
import collections
import html
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command

PROG = harness.text("cmd/flame_prog.c")
# LEFT: the two traces differ.  level() goes back to its own first call.  The callee that way() leaves has its return address
# above way()'s stack pointer at setjmp().
LEFT = harness.text("cmd/flame_left.c")
STRIPPED = harness.text("cmd/flame_stripped.c")
OURS = ("cmp", "fact", "deep", "last", "tail", "handler", "work", "leaf")


def folded(text, columns=1):
    found = collections.defaultdict(lambda: [0] * columns)
    for line in text.splitlines():
        words = line.rsplit(" ", columns)
        for k in range(columns):
            found[tuple(words[0].split(";"))][k] += int(words[k + 1])
    return {k: v[0] if columns == 1 else tuple(v) for k, v in found.items()}


def run(tap, name, *args):
    graph, trace, log = (tap.path(name + x) for x in (".json", ".trace.json", ".xray"))
    status, err = harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + graph, "--trace=yes",
                               "--trace-out-file=" + trace, "--xray=yes", "--xray-out-file=" + log] + list(args), tap.dir)
    return graph, trace, log, status


def by_leaf(stacks):
    found = collections.Counter()
    for stack, n in stacks.items():
        found[stack[-1]] += n
    return found


def inside(stacks, name):
    """Returns the instructions of all stacks with the function."""
    return sum(n for stack, n in stacks.items() if name in stack)


def check_folded(tap, graph, trace, log):
    status, out, err = command("flame", graph, trace)
    stacks = folded(out)
    p = json.loads(command("report", "--json", "--blocks", "--top=0", graph)[1])["processes"][0]
    tap.ok(status == 0 and not err and sum(stacks.values()) == p["instructions"], "the total is the trace's", err)
    tap.ok(command("flame", "--folded", graph, trace)[1] == out, "--folded says so")
    own, have = collections.Counter(), by_leaf(stacks)
    for b in p["blocks"]:
        own[re.sub(r"\+0x[0-9a-f]+\Z", "", b["name"])] += b["instructions"]
    # deep() differs: it also has the stub through which it calls longjmp().
    wrong = [(f, own[f], have[f]) for f in OURS if own[f] != have[f] and f != "deep" or not own[f]]
    tap.ok(not wrong, "each function has the instructions of its blocks", wrong)
    # main calls leaf(), which calls nothing, and so on.  Between these, libc's functions may be any.
    ours = {tuple(f for f in stack if f in OURS or f == "main") for stack in stacks if "main" in stack}
    want = {("main",), ("main", "cmp"), ("main", "deep"), ("main",) + 5 * ("deep",), ("main", "last"), ("main", "tail"),
            ("main", "handler"), ("main", "handler", "fact"), ("main", "leaf"), ("main",) + 4 * ("fact",)}
    tap.ok(want <= ours and ("main", "tail", "last") not in ours and ("main", "deep", "handler") not in ours,
           "calls, longjmp, a signal, a tail call", sorted(ours))
    for t in (0, 1):
        part = folded(command("flame", "--thread=%d" % t, graph, trace)[1])
        tap.ok(sum(part.values()) == p["instructions_per_thread"][t]
               and (("main" in {s for k in part for s in k}) == (t == 0)), "--thread=%d" % t, sorted(part)[:5])
    theirs = folded(command("xray", "--as=folded", log)[1])
    wrong = [(f, inside(stacks, f), inside(theirs, f)) for f in OURS + ("main",)
             if inside(stacks, f) != inside(theirs, f) and f != "work"]
    tap.ok(not wrong, "with all they called, functions have what the log says", wrong)
    return stacks


def check_svg(tap, graph, trace, stacks):
    path = tap.path("x.svg")
    status, out, err = command("flame", "--svg=" + path, graph, trace)
    tap.ok(status == 0 and not out and not err, "--svg", err)
    root = ElementTree.parse(path).getroot()
    ns = "{http://www.w3.org/2000/svg}"
    boxes = root.findall(ns + "g")
    total = sum(stacks.values())
    tap.ok(root.tag == ns + "svg" and boxes[0].get("data-n") == "all" and int(boxes[0].get("data-w")) == total,
           "its lowest box is all")
    text = open(path).read()
    tap.ok("http" not in text.replace("http://www.w3.org/2000/svg", "") and text.count("<script>") == 1,
           "it needs nothing else")
    # Boxes stand on boxes: each within one of the row below, and boxes of a row beside each other.
    rows = collections.defaultdict(list)
    for b in boxes:
        rows[float(b.find(ns + "rect").get("y"))].append((int(b.get("data-x")), int(b.get("data-w"))))
    levels = [sorted(rows[y]) for y in sorted(rows, reverse=True)]
    good = all(a[0] + a[1] <= b[0] for level in levels for a, b in zip(level, level[1:]))
    good = good and all(any(x <= a and a + w <= x + v for x, v in below) for below, level in zip(levels, levels[1:])
                        for a, w in level)
    tap.ok(good and len(levels) > 8, "boxes stand on boxes", len(levels))
    wide = [b.find(ns + "text").text for b in boxes if b.find(ns + "text").text
            and 6 + 6.6 * len(b.find(ns + "text").text) > float(b.find(ns + "rect").get("width")) + 0.5]
    tap.ok(not wide, "names fit into their boxes", wide)
    drawn = {(b.get("data-n"), int(b.get("data-w"))) for b in boxes}
    whole = collections.Counter()
    for stack, n in stacks.items():
        for k in range(1, len(stack) + 1):
            whole[stack[:k]] += n
    missing = [s for s, n in whole.items() if n * 1200 > total * 0.2 and (s[-1], n) not in drawn]
    tap.ok(not missing, "all that is wide enough is drawn", missing[:5])
    tap.ok(all("%s: " % b.get("data-n") in b.find(ns + "title").text and b.find(ns + "rect").get("fill").startswith("rgb(")
               for b in boxes), "each box says what it is")


BROWSER = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
           "--disable-background-networking", "--disable-component-update", "--virtual-time-budget=5000", "--dump-dom"]


def check_browser(tap, stacks):
    """A page around the picture clicks on a box and on the ground, and presses Ctrl-F.  The browser tells what the page
    shows then.
    """
    chromium = shutil.which("chromium")
    if not chromium:
        tap.skip("the picture in a browser", "chromium is not installed")
        return
    svg = harness.read(tap.path("x.svg")).split("?>", 1)[1]
    page = tap.path("page.html")
    with open(page, "w") as f:
        f.write("<!DOCTYPE html><meta charset=utf-8><body>" + svg + """<script>
window.addEventListener('load', function () {
   var told = [];
   function tell(what) {
      document.querySelectorAll('g.f').forEach(function (b) {
         var r = b.querySelector('rect');
         told.push([what, b.getAttribute('data-n'), b.style.display, r.getAttribute('x'), r.getAttribute('width'),
                    b.querySelector('text').textContent].join('|'));
      });
   }
   function press(e) { e.dispatchEvent(new MouseEvent('click', { bubbles: true })); }
   tell('before');
   press(document.querySelector('g.f[data-n=main]'));
   tell('main');
   press(document.querySelector('svg'));
   tell('all');
   ['FACT', '', 'nothing'].forEach(function (text) {
      window.prompt = function () { return text; };
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true }));
      var marked = [];
      document.querySelectorAll('g.f').forEach(function (b) {
         if (b.querySelector('rect').style.fill) marked.push(b.getAttribute('data-n'));
      });
      told.push(['search', document.getElementById('search').textContent].concat(marked).join('|'));
   });
   document.body.setAttribute('data-told', told.join(';'));
});</script>""")
    r = subprocess.run(["timeout", "120", chromium] + BROWSER + ["--user-data-dir=" + tap.path("browser"), "file://" + page],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, HOME=tap.dir))
    told = re.search(r'data-told="([^"]*)"', r.stdout.decode("utf-8", "replace"))
    if not tap.ok(told, "a browser runs the picture", r.stderr.decode("utf-8", "replace")[-300:]):
        return
    rows = [html.unescape(s).split("|") for s in told.group(1).split(";")]
    searches = [r[1:] for r in rows if r[0] == "search"]
    rows = [r for r in rows if r[0] != "search"]
    # The last of three calls, in main, work and handler, may be too narrow to be drawn.
    sums = [sum(n for stack, n in stacks.items() if any("fact" in f for f in stack) and without not in stack)
            for without in ("", "handler")]
    says = ["FACT: {:,} instructions, {:.2f}%".format(n, 100 * n / sum(stacks.values())) for n in sums]
    tap.ok(searches[0][0] in says and len(searches[0]) > 2 and all("fact" in f for f in searches[0][1:]),
           "Ctrl-F marks what matches, and says how much that is", (searches[0], says))
    tap.ok(searches[1:] == [["search: Ctrl-F"], ["nothing: 0 instructions, 0.00%"]], "and forgets it", searches[1:])
    at = {w: [(r[1], r[2] != "none", float(r[3]), float(r[4]), r[5]) for r in rows if r[0] == w]
          for w in ("before", "main", "all")}
    moved = [(a, b) for a, b in zip(at["before"], at["all"])
             if a[:2] + a[4:] != b[:2] + b[4:] or abs(a[2] - b[2]) > 0.01 or abs(a[3] - b[3]) > 0.01]
    tap.ok(not moved and len(at["all"]) > 10, "a click on the ground shows all again", moved[:3])
    tap.ok(any(n == "main" and shown and x == 0 and 1199 <= w <= 1200 for n, shown, x, w, text in at["main"])
           and any(r[0] == "fact" and r[1] for r in at["main"])
           and any(not r[1] for r in at["main"]), "a click on main fills the picture with it", sorted(at["main"])[:9])
    tap.ok(all(6.6 * len(r[5]) < float(r[4]) for r in rows if r[5] and r[2] != "none"), "names fit into their boxes then")


def of_both(tap, name, prog, ours):
    """Returns the stacks of functions OURS in a run of PROG, by its DCFG-trace and by its whole execution trace."""
    graph, trace, wet = (tap.path(name + x) for x in (".json", ".trace.json", ".wet"))
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + graph, "--trace=yes", "--wet=yes",
                 "--trace-out-file=" + trace, "--wet-out-file=" + wet, prog], tap.dir)
    found = []
    for path in trace, wet:
        sums = collections.Counter()
        for stack, n in folded(command("flame", graph, path)[1]).items():
            sums[tuple(f for f in stack if f in ours)] += n
        found.append(dict(sums))
    return graph, trace, wet, found


def check_wet(tap, prog):
    """The stacks of a whole execution trace are those of the DCFG-trace; two cases differ."""
    if platform.machine() != "x86_64":
        tap.skip("stacks of a whole execution trace", "the program is amd64's")
        return
    graph, trace, wet, (edges, instances) = of_both(tap, "both", prog, OURS + ("main",))
    wrong = [(k, edges.get(k), instances.get(k)) for k in edges.keys() | instances.keys() if edges.get(k) != instances.get(k)]
    tap.ok(not wrong and len(edges) > 15, "a whole execution trace has the stacks of the DCFG-trace", wrong)
    costs = [command("report", "--inclusive", "--top=0", "--image=prog", "--csv", graph, path) for path in (trace, wet)]
    tap.ok(costs[0] == costs[1] and "fact" in costs[0][1], "and its inclusive costs", costs[1])
    status, out, err = command("flame", "--inline", graph, wet)
    tap.ok(status == 2 and not out and "need a DCFG-trace" in err, "inlined functions need the DCFG-trace", err)
    left = harness.compiled(tap, "left.c", LEFT, "-O1")
    edges, instances = of_both(tap, "left", left, ("main", "level", "way", "leap", "after"))[3]
    called = [{k for k in stacks if k[-1:] == ("after",)} for stacks in (edges, instances)]
    tap.ok(called[0] == {("main", "level", "after"), ("main", "way", "after")},
           "longjmp, by edges: to the call in which setjmp() was called, and exactly to a caller with a lower stack pointer", called)
    tap.ok(called[1] == {("main", "level", "after"), ("main", "way", "leap", "way", "after")},
           "longjmp, by the stack pointer: to the call that set it, and callees above it stay", called)
    stripped = harness.compiled(tap, "stripped.c", STRIPPED, "-O2", "-rdynamic", "-s")
    graph, trace, wet, _ = of_both(tap, "stripped", stripped, ())
    status, edges, err = command("flame", graph, trace)
    instances = command("flame", graph, wet)[1]
    tap.ok(edges == instances and not err and edges.count(";stripped+0x") > 20,
           "functions without symbols: recursion over a tail call, and longjmp",
           err + "\n".join(sorted(set(edges.splitlines()) ^ set(instances.splitlines()))[:9]))


NUMBER, TEXT = {"type": "number"}, {"type": "string"}


def kind_of(needed, **properties):
    return {"type": "object", "required": needed.split(), "properties": properties}


# The schema of a file with evented profiles, after https://www.speedscope.app/file-format-schema.json, in our own words.
EVENT = {"anyOf": [kind_of("at frame type", type={"enum": [t]}, frame=NUMBER, at=NUMBER) for t in "OC"]}
UNITS = ["bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"]
SPEEDSCOPE = dict(kind_of(
    "$schema profiles shared", name=TEXT, activeProfileIndex=NUMBER, exporter=TEXT,
    shared=kind_of("frames", frames={"type": "array", "items": kind_of("name", name=TEXT, file=TEXT, line=NUMBER, col=NUMBER)}),
    profiles={"type": "array", "items": kind_of(
        "endValue events name startValue type unit", type={"enum": ["evented"]}, name=TEXT, unit={"enum": UNITS},
        startValue=NUMBER, endValue=NUMBER, events={"type": "array", "items": EVENT})}),
    **{"$schema": "http://json-schema.org/draft-06/schema#"})


def check_schema(tap, text):
    try:
        import jsonschema
    except ImportError:
        tap.skip("speedscope's schema", "python3-jsonschema is not installed")
        return
    schema = dict(SPEEDSCOPE, properties=dict(SPEEDSCOPE["properties"], **{
        "$schema": {"enum": ["https://www.speedscope.app/file-format-schema.json"]}}))
    wrong = [e.message[:200] for e in jsonschema.Draft6Validator(schema).iter_errors(json.loads(text))]
    tap.ok(not wrong, "speedscope: the schema is kept", wrong[:3])


def check_speedscope(tap, graph, trace, stacks):
    status, out, err = command("flame", "--speedscope", graph, trace)
    check_schema(tap, out)
    d = json.loads(out)
    # The schema's FileFormat.File with evented profiles.
    frames = d["shared"]["frames"]
    tap.ok(status == 0 and d["$schema"] == "https://www.speedscope.app/file-format-schema.json"
           and set(d) == {"$schema", "shared", "profiles", "name", "exporter", "activeProfileIndex"}
           and all(isinstance(f["name"], str) and set(f) <= {"name", "file", "line", "col"}
                   and isinstance(f.get("line", 0), int) for f in frames), "speedscope: the file", err)
    found, good = collections.Counter(), True
    for p in d["profiles"]:
        good = good and set(p) == {"type", "name", "unit", "startValue", "endValue", "events"} \
            and p["type"] == "evented" and p["unit"] == "none" and p["name"].endswith(", instructions")
        stack, at = [], p["startValue"]
        for e in p["events"] + [{"type": None, "at": p["endValue"]}]:
            good = good and e["at"] >= at
            found[tuple(frames[f]["name"] for f in stack)] += e["at"] - at
            at = e["at"]
            if e["type"] == "O":
                stack.append(e["frame"])
            elif e["type"] == "C":
                good = good and stack.pop() == e["frame"]
        good = good and not stack
    tap.ok(good and len(d["profiles"]) == 2, "speedscope: events are in order and balance")
    tap.ok({k: n for k, n in found.items() if n} == {k: n for k, n in stacks.items() if n}, "speedscope: the same stacks")


def check_diff(tap, a, b):
    status, out, err = command("flame", "--diff", *a[:2], *b[:2])
    both = folded(out, 2)
    one, two = folded(command("flame", *a[:2])[1]), folded(command("flame", *b[:2])[1])
    tap.ok(status == 0 and {k: n for k, (n, _) in both.items() if n} == one
           and {k: n for k, (_, n) in both.items() if n} == two, "--diff has both runs", err)
    # The second run calls leaf() more often.
    grown = {k: m - n for k, (n, m) in both.items() if k[-1] in OURS and n != m}
    tap.ok(len(grown) == 1 and all(k[-1] == "leaf" and n > 0 for k, n in grown.items()), "and nothing else grew", grown)
    status, out, err = command("flame", "--diff", "--svg", *a[:2], *b[:2])
    fill = dict(re.findall(r'data-n="(\w+)">.*?fill="(rgb\([\d,]+\))"', out))
    tap.ok(status == 0 and re.match(r"rgb\(255,(\d+),\1\)", fill["leaf"]) and fill["leaf"] != "rgb(255,255,255)"
           and fill["fact"] == "rgb(255,255,255)", "--diff --svg: grown is red, the same is white", fill)
    title = re.search(r'id="title"[^>]*>B: \S+, (\S+) \(([\d,]+)\) against A: \S+, (\S+) \(([\d,]+)\)<', out)
    sums = [sum(n[k] for n in both.values()) for k in (1, 0)]
    told = [json.load(open(run[0]))["PROCESSES"][1][1] for run in (b, a)]
    tap.ok(title and [int(title.group(k).replace(",", "")) for k in (2, 4)] == sums == [p["INSTR_COUNT"] for p in told]
           and [title.group(k) for k in (1, 3)] == [os.path.basename(run[0]) for run in (b, a)]
           and 'id="legend"' in out and "red: more than in A" in out, "its title names both recordings", title and title.groups())
    one = command("flame", "--svg", *b[:2])[1]
    tap.ok('id="legend"' not in one and "against" not in one, "that of one run names it alone")


def check_log(tap, a, b):
    """An XRay log has the stacks that dcfg xray finds in it; no trace is needed."""
    logs = a[2], b[2]
    both = []
    for log in logs:
        status, out, err = command("flame", log)
        both.append(folded(out))
        tap.ok(status == 0 and not err and both[-1] == folded(command("xray", "--as=folded", log)[1]), "a log: its stacks", err)
    status, out, err = command("flame", "--diff", *logs)
    tap.ok(status == 0 and folded(out, 2) == {k: (both[0].get(k, 0), both[1].get(k, 0)) for k in both[0].keys() | both[1].keys()},
           "--diff of two logs", err)
    os.rename(a[2] + ".map", tap.path("elsewhere"))
    status, out, err = command("flame", "--svg", a[2], tap.path("elsewhere"))
    boxes = ElementTree.fromstring(out).findall("{http://www.w3.org/2000/svg}g") if status == 0 else []
    tap.ok(boxes and int(boxes[0].get("data-w")) == sum(both[0].values())
           and {b.get("data-n") for b in boxes} <= {f for stack in both[0] for f in stack} | {"all"}, "a picture of a log", err)
    for args, word in (([a[2]], "there is no map"), (["--speedscope", b[2]], "not an XRay log"), (["--diff", a[2]], "two XRay logs"),
                       (["--diff", b[2], b[0]], "is a DCFG, not an XRay log"), (["--function=main", b[2]], "not of an XRay log"),
                       (["--thread=0", b[2]], "not of an XRay log")):
        status, out, err = command("flame", *args)
        tap.ok(status == 2 and word in err and not out, "a log: " + word, err)


def main():
    tap = harness.Tap("command_flame")
    prog = harness.compiled(tap, "prog.c", PROG, "-pthread", "-O2")
    a, b = run(tap, "a", prog, "x"), run(tap, "b", prog, *(200 * ["x"]))
    tap.ok(a[3] == b[3] == 0, "two runs")
    stacks = check_folded(tap, *a[:3])
    check_svg(tap, *a[:2], stacks)
    check_browser(tap, stacks)
    check_speedscope(tap, *a[:2], stacks)
    check_diff(tap, a, b)
    check_log(tap, a, b)
    check_wet(tap, prog)
    # A real program, C++ names and all: python3 has tail calls, perl function pointers.
    graph, trace, log, status = run(tap, "perl", "/usr/bin/perl", "-e", "print sort map { $_ * 3 } 1 .. 99")
    stacks, theirs = folded(command("flame", graph, trace)[1]), folded(command("xray", "--as=folded", log)[1])
    tap.ok(inside(stacks, "main") == inside(theirs, "main") > 0
           and inside(stacks, "Perl_sv_2iv_flags") == inside(theirs, "Perl_sv_2iv_flags"), "perl: as its log",
           (inside(stacks, "main"), inside(theirs, "main")))
    for args, word in ((["--svg", "--folded", "x", "y"], "not several"), (["x"], "No such file"), (["--diff", "x", "y", "z"], "--diff"),
                       (["--diff", "x", "y"], "No such file"), (["--svg", a[0]], "needs its DCFG-trace beside it"),
                       (["--speedscope", "--diff", "x", "y", "z", "w"], "one run"), (["-", "-"], "standard input"),
                       ([a[0], b[0]], "not a DCFG-trace"), ([a[1], a[1]], "not a DCFG"),
                       (["--thread=7", a[0], a[1]], "no thread 7"), (["--svg=/nowhere/x", a[0], a[1]], "/nowhere/x")):
        status, out, err = command("flame", *args)
        tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and word in err, "flame " + " ".join(args[:2]),
               out[:200] + err)
    status, out, err = command("flame", a[0], graph)
    tap.ok(status == 2, "a trace that is none", err)
    tap.done()


main()
