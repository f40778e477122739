"""Shared by view.t and its kin: pages of dcfg view, their data as rows, and their tables in a browser.

The head of cmd/view/cmd_view.c describes the data.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness


def recorded(tap, name, prog, *args, opts=()):
    """Graph and trace of a program."""
    trace = tap.path(name + "-trace.json")
    graph, _, why = harness.dcfg(tap, name, [prog, *args], ["--trace=yes", "--trace-out-file=" + trace, *opts])
    tap.ok(graph and os.path.exists(trace), name + " is recorded", why)
    return graph, trace


def page_of(tap, name, *args, env=None):
    out = tap.path(name + ".html")
    status, text, err = commandlib.command("view", "-o", out, *args, env=env or {})
    tap.ok(status == 0 and text == "" and os.path.exists(out), "a page: " + name, text + err)
    with open(out, encoding="utf-8") as f:
        return out, f.read(), err


def report(*args):
    status, out, err = commandlib.command("report", "--json", "--top=0", *args)
    return json.loads(out)["processes"][0] if status == 0 else {"error": err}


class Run:
    """The data of a page, as rows with names."""

    def __init__(self, data):
        self.data, t = data, data["texts"]
        columns = lambda *names: zip(*(data[n] for n in names))
        self.routines = {node: dict(name=t[n], source=t[s], instructions=i, calls=c, entries=e, loops=k, row=r)
                         for r, (node, n, s, i, c, e, k) in enumerate(columns("rNode", "rName", "rSource", "rSelf", "rCalls",
                                                                              "rEntries", "rLoops"))}
        at = 0
        self.blocks, self.edges = {}, {}
        for node, runs, n, source, out in columns("bId", "bRuns", "bInstrs", "bSource", "bOut"):
            self.blocks[node] = dict(executions=runs, block_instructions=n, source=t[source])
            for k in range(at, at + out):
                to = data["eTo"][k]
                self.edges[data["eId"][k]] = dict(count=data["eCount"][k], type=data["types"][data["eType"][k]], from_node_id=node,
                                                  to_node_id=data["bId"][to] if to >= 0 else None)
            at += out
        self.loops = {data["bId"][h]: dict(entries=e, iterations=i, instructions=n, depth=d)
                      for h, e, i, n, d in columns("lHead", "lEntries", "lIterations", "lInstrs", "lDepth") if h >= 0}


# All rows of the table in a box, which has elements only for those that are seen.  A name is whole.
ROWS = """
const box = document.querySelectorAll('.scroll')[arguments[0]], found = new Map();
const whole = c => (c.classList.contains('main') ? c.title : c.textContent);
for (let top = 0; ; top += 200) {
   box.scrollTop = top;
   box.dispatchEvent(new Event('scroll'));
   box.querySelectorAll('tbody tr[data-k]').forEach(r => found.set(+r.dataset.k, Array.from(r.cells).map(whole)));
   if (top >= box.scrollHeight)
      break;
}
box.scrollTop = 0;
return Array.from(found.keys()).sort((a, b) => a - b).map(k => found.get(k));
"""
HEADS = "return Array.from(document.querySelectorAll('.scroll')[arguments[0]].querySelectorAll('th')).map(h => h.textContent)"


def table(b, number=0):
    """The rows of a table of the pane, the first one."""
    heads = b.run(HEADS, number)
    return [dict(zip(heads, row)) for row in b.run(ROWS, number)]


def goto(b, **state):
    b.run("location.hash = '#' + new URLSearchParams(arguments[0]).toString()", {k: str(x) for k, x in state.items()})
    b.run("return 0")


count = "{:,}".format
