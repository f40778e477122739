#!/usr/bin/python3
"""dcfg report: branches, targets of jumps, callers and callees, inclusive costs of functions, trips of loops.  (TAP)

Expected numbers follow from the program's source; sums are the graph's.
"""
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, table
from lifelib import callgrind_compare

PROG = harness.text("cmd/report_prog.c")

FAR_AWAY = "int far_away(int n) { return n * 5; }\n"
STUBS = harness.text("cmd/report_stubs.c")
# Ways to call far_away(); its first call goes through the resolver, or does not.
LINKAGE = {"lazy": ["-Wl,-z,lazy"], "now": ["-Wl,-z,now"], "no-plt": ["-fno-plt"]}
if os.uname().machine == "x86_64":
    LINKAGE["ibt"] = ["-fcf-protection=full", "-Wl,-z,lazy,-z,ibtplt"]


def rows(*args):
    return table(command("report", "--csv", "--top=0", *args)[1])


def check_graph(tap, graph):
    calls = {(r["function"]): int(r["calls"]) for r in rows("--callees=main", graph)}
    tap.ok({f: calls.get(f) for f in ("a", "b", "c", "loops", "nest", "down")}
           == {"a": 30, "b": 20, "c": 10, "loops": 8, "nest": 1, "down": 1}, "--callees", calls)
    calls = {(r["function"]): int(r["calls"]) for r in rows("--callers=down", graph)}
    tap.ok(calls == {"main": 1, "down": 4}, "--callers", calls)
    for form in ("--wide", "--csv", "--json"):
        status, out, err = command("report", form, "--callers=nonesuch", graph)
        tap.ok(status == 2 and not out and "no routine `nonesuch'" in err, "--callers of what is not there, " + form, out + err)
    indirect = [r for r in rows("--indirect", "--source=prog.c", graph) if r["n_targets"] == "3"]
    tap.ok(len(indirect) == 1 and indirect[0]["executions"] == "60"
           and indirect[0]["targets"] == "a 50.0%, b 33.3%, c 16.7%", "--indirect", indirect)
    p = json.loads(harness.read(graph))["PROCESSES"][1][1]
    taken, fell = collections.Counter(), collections.Counter()
    for e in p["EDGES"][1:]:
        taken[e[1]] += sum(e[4]) * (e[3] == 13)
        fell[e[1]] += sum(e[4]) * (e[3] == 18)
    have = {int(r["node_id"]): (int(r["executions"]), int(r["taken"])) for r in rows("--branches", graph)}
    tap.ok(have == {n: (taken[n] + fell[n], t) for n, t in taken.items() if t}, "every branch, with both directions")
    biases = [(float(r["taken_share"]), float(r["bias"])) for r in rows("--branches", graph)]
    tap.ok(all(abs(b - max(t, 1 - t)) < 1e-5 for t, b in biases), "bias")


def check_sort(tap, graph):
    every = rows("--routines", graph)
    by = {o: rows("--routines", "--sort=" + o, graph) for o in ("instructions", "count", "name", "address")}
    tap.ok(by["instructions"] == every and all(sorted(map(str, v)) == sorted(map(str, every)) for v in by.values()),
           "--sort only sorts")
    tap.ok([r["routine"] for r in by["name"]] == sorted(r["routine"] for r in every), "by name")
    addresses = [int(r["address"], 0) for r in by["address"]]
    entries = [int(r["entries"]) for r in by["count"]]
    tap.ok(addresses == sorted(addresses) and entries == sorted(entries, reverse=True), "by address and count")


def check_hot(tap, graph):
    """Checks a part of a routine in a picture: connected, around the hottest block, with edges in and out."""
    blocks = {int(r["node_id"]): int(r["executions"]) for r in rows("--blocks", graph)}
    top = max(((int(r["instructions"]), len(rows("--blocks", "--routine=#" + r["node_id"], graph)), r["node_id"])
               for r in rows("--routines", graph) if int(r["instructions"]) > 2000))[2]
    heat = rows("--blocks", "--routine=#" + top, graph)
    status, out, err = command("dot", "--hot=6", "--routine=#" + top, graph)
    nodes = {int(n) for n in re.findall(r"^ *n(\d+) \[label=", out, re.M)}
    lines = [(int(a), int(b)) for a, b in re.findall(r"^  n(\d+) -> n(\d+) ", out, re.M)]
    reached, todo = set(), [int(heat[0]["node_id"])]
    while todo:
        x = todo.pop()
        reached.add(x)
        todo += [b for a, b in lines + [(b, a) for a, b in lines] if a == x and b not in reached]
    tap.ok(status == 0 and len(nodes) == min(6, len(heat)) and nodes <= reached, "dot --hot: connected blocks",
           (nodes, reached, err))
    wrong = []
    for n in nodes:
        into = sum(int(x.replace(",", "")) for x in re.findall(
            r'-> n%d \[label=[^;]*?tooltip="([\d,]+)"' % n, out.replace(", dir=back", "")))
        wrong += [(n, into, blocks[n])] if into > 2 * blocks[n] else []
    tap.ok(not wrong and ("not shown are" in out) == (len(heat) > 6), "and what comes from elsewhere", wrong)
    status, out, err = command("dot", "--hot=2", "--function=nest", graph)
    tap.ok(status == 0 and "drawing nest" in err and len(re.findall(r"^ *n\d+ \[label=", out, re.M)) == 2,
           "dot --function", err)
    status, out, err = command("dot", "--hot", "--callgraph", graph)
    tap.ok(status == 2 and len(err.splitlines()) == 1, "not with --callgraph", err)


def check_trace(tap, graph, trace):
    loops = {r["node_id"]: r for r in rows("--loops", graph)}
    trips = {r["node_id"]: r for r in rows("--trips", graph, trace)}
    wrong = [r for n, r in trips.items()
             if (r["entries"], r["iterations"]) != (loops[n]["entries"], loops[n]["iterations"])]
    tap.ok(len(trips) == len(loops) and not wrong, "entries and iterations are the graph's", wrong[:3])
    sums = [(sum(int(x.replace(",", "")) for x in re.findall(r": ([\d,]+)", r["histogram"])), int(r["entries"]))
            for r in trips.values()]
    tap.ok(all(a == b for a, b in sums), "each entry is in the histogram")
    ours = {r["routine"]: r for r in trips.values() if r["routine"] in ("loops", "down")}
    tap.ok(ours["loops"]["histogram"] == "1: 1  2-3: 2  4-7: 4  8-15: 1" and ours["loops"]["most"] == "8",
           "a loop with 1 to 8 iterations", ours["loops"])
    # Five nested calls, each with three iterations.
    tap.ok((ours["down"]["least"], ours["down"]["most"], ours["down"]["histogram"]) == ("3", "3", "2-3: 5"),
           "a loop that is entered again from within itself", ours["down"])
    every = rows("--inclusive", graph, trace)
    functions = {r["function"]: r for r in every if r["image"] == "prog"}
    instrs = json.loads(command("report", "--json", "--images", graph)[1])["processes"][0]["instructions"]
    tap.ok(sum(int(r["self"]) for r in every) == instrs, "what functions have themselves is all there is")
    blocks = collections.Counter()
    for r in rows("--blocks", "--image=prog", graph):
        blocks[r["name"].split("+")[0]] += int(r["instructions"])
    want = {f: blocks[f] for f in ("a", "b", "c", "loops", "nest", "down")}
    tap.ok({f: int(functions[f]["inclusive"]) for f in want} == want and functions["down"]["calls"] == "5",
           "recursion counts once", want)
    tap.ok(int(functions["main"]["inclusive"]) == sum(want.values()) + int(functions["main"]["self"]),
           "main has what it called", functions["main"])


def read_csv(*args):
    status, out, err = command(*args)
    return table(out)


def check_selection(tap, graph, trace, log):
    """All commands select a part in the same way: the output with the option is the part of the output without it."""
    def marked(*what):
        return {r["node_id"]: r for r in rows("--blocks", *what, graph)}
    with open(graph) as f:
        sizes = {str(b[0]): b[2] for im in json.load(f)["PROCESSES"][1][1]["IMAGES"][1:]
                 for b in im[3].get("BASIC_BLOCKS", [])[1:]}
    for what in (["--function=loops"], ["--routine=down"], ["--image=prog"], ["--function=[ab]"]):
        name, ours = " ".join(what), marked(*what)
        for view, keys in (("edges", ("from_node_id", "to_node_id")), ("blocks", ("node_id", ))):
            full = read_csv("trace", "--csv", "--as=" + view, graph, trace)
            part = read_csv("trace", "--csv", "--as=" + view, *what, graph, trace)
            tap.ok(part and part == [r for r in full if any(r[k] in ours for k in keys)], "trace, %s: %s" % (view, name))
        full = read_csv("trace", "--csv", "--as=calls", graph, trace)
        part = read_csv("trace", "--csv", "--as=calls", *what, graph, trace)
        tap.ok(part and part == [r for r in full if r["node_id"] in ours], "trace, calls: " + name)
        instrs = sum(int(r["instructions"]) for r in ours.values())
        status, out, err = command("flame", *what, graph, trace)
        tap.ok(status == 0 and not err and sum(int(s.split()[-1]) for s in out.splitlines()) == instrs,
               "flame: instructions of " + name, err)
        out = json.loads(command("flame", "--speedscope", *what, graph, trace)[1])
        tap.ok(sum(p["endValue"] for p in out["profiles"]) == instrs, "flame, speedscope: " + name)
        spans = [(a, a + sizes[n]) for n, r in ours.items() for a in [int(r["address"], 16)]]
        full = read_csv("blocks", "--csv", graph, trace)
        part = read_csv("blocks", "--csv", *what, graph, trace)
        tap.ok(part and part == [r for r in full if any(a <= int(r["start"], 16) < b for a, b in spans)], "blocks: " + name)
        found = json.loads(command("blocks", "--json", *what, graph, trace)[1])
        tap.ok(len(found["sbb"]) + len(found["dbb"]) == len(part), "blocks, JSON: " + name)
    full = read_csv("xray", "--csv", "--top=0", log)
    for what, wanted in ((["--function=down"], lambda r: r["function"] == "down"),
                         (["--image=prog", "--function=[abc]"], lambda r: r["function"] in "abc" and r["image"] == "prog"),
                         (["--image=prog"], lambda r: r["image"] == "prog")):
        part = read_csv("xray", "--csv", "--top=0", *what, log)
        tap.ok(part and part == [r for r in full if wanted(r)], "xray: " + " ".join(what), part)
    stacks = read_csv("xray", "--csv", "--as=stacks", "--top=0", log)
    part = read_csv("xray", "--csv", "--as=stacks", "--top=0", "--function=down", log)
    tap.ok(part and part == [r for r in stacks if r["stack"].endswith(";down")], "xray, stacks", part)
    calls = read_csv("xray", "--csv", "--as=calls", log)
    part = read_csv("xray", "--csv", "--as=calls", "--function=down", log)
    tap.ok(part and part == [r for r in calls if r["name"] == "down"], "xray, calls", part)
    for args, word in ((["blocks", "--lackey=" + trace, "--function=a"], "addresses only"),
                       (["xray", "--routine=a", log], "no option --routine"),
                       (["xray", "--function=a", trace], "no map")):
        status, out, err = command(*args)
        tap.ok(status == 2 and len(err.splitlines()) == 1 and word in err, "refused: " + " ".join(args[:2]), err)


def check_image(tap, source):
    """--image in every command that has it: a whole name wins over a part of one, and main is the program."""
    prog = harness.cc(tap, source, "p")
    main = harness.cc(tap, source, "remain")
    log, wet = tap.path("p.xray"), tap.path("p.wet")
    graph, status, why = harness.dcfg(tap, "p", [prog], ["--xray=yes", "--xray-out-file=" + log, "--wet=yes",
                                                         "--wet-out-file=" + wet])
    other = harness.dcfg(tap, "remain", [main])[0]

    def images(*args):
        return {os.path.basename(r.get("image") or r["path"]) for r in table(command(*args)[1])}
    everywhere = images("report", "--csv", "--images", "--top=0", graph)
    tap.ok(len([i for i in everywhere if "p" in i]) > 1, "p is a part of another image's name", everywhere)
    for what in ("p", "main", prog):
        for args in (["report", "--csv", "--images", "--top=0", graph], ["report", "--csv", "--blocks", "--top=0", graph],
                     ["xray", "--csv", "--top=0", log]):
            found = images(args[0], "--image=" + what, *args[1:])
            tap.ok(found == {"p"}, "%s %s --image=%s" % (args[0], args[2], os.path.basename(what)), found)
        status, out, err = command("export", "--bolt", "--image=" + what, graph)
        tap.ok(status == 0 and out, "export --image=" + os.path.basename(what), err)
        status, out, err = command("wet", "--image=" + what, wet)
        whole = command("wet", "--image=*/p", wet)[1]
        tap.ok(status == 0 and "loops" in out and out == whole, "wet --image=" + os.path.basename(what), out[:300] + err)
    found = images("report", "--csv", "--images", "--top=0", "--image=ibc", graph)
    tap.ok(found and all("ibc" in i for i in found), "a part of a name is enough where no name is the whole", found)
    found = images("report", "--csv", "--images", "--top=0", "--image=main", other)
    tap.ok(found == {"remain"}, "main is a program, too, whose name contains it", found)
    status, out, err = command("report", "--image=vgpreload_nothing", graph)
    tap.ok("no image of process" in err, "no image", err)


WORK = "int work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n"
FRONT = "int work(int); int main(int argc, char** argv) { return work(argc * 200000) == 1 && argv != 0; }\n"


def check_front(tap):
    """If a library executed more than half, the first screen and dcfg annotate show it; if the program did, they do not."""
    os.makedirs(tap.path("far"))
    work, front = harness.written(tap, "work.c", WORK), harness.written(tap, "front.c", FRONT)
    library = harness.cc(tap, work, "far/libwork.so", "-shared", "-fPIC")
    prog = library and harness.cc(tap, front, "front", library)
    alone = harness.cc(tap, front, "alone", work)
    if not prog or not alone:
        return
    for name, path, whole in (("front", prog, True), ("alone", alone, False)):
        graph = harness.dcfg(tap, name, [path])[0]
        out = command("report", graph)[1]
        tap.ok((" libwork.so" in out or " work " in out) and ("--image=main shows front alone" in out) == whole
               and ("; --all" in out) != whole, name + ": the first screen", out)
        out = command("annotate", graph)[1]
        tap.ok(out.startswith("work  "), name + ": annotate", out)
        out = command("report", "--functions", "--image=main", graph)[1]
        tap.ok((" work " not in out) == whole and "shows front alone" not in out, name + ": --image=main", out)


def check_stubs(tap):
    """A call through a linkage table, and a tail call, is a call of its target, as in a profile."""
    sources = {name: tap.path(name) for name in ("far.c", "stubs.c")}
    for name, text in (("far.c", FAR_AWAY), ("stubs.c", STUBS)):
        harness.write(sources[name], text)
    far = harness.cc(tap, sources["far.c"], "libfar.so", "-shared", "-fPIC")
    for name, flags in LINKAGE.items():
        prog = harness.cc(tap, sources["stubs.c"], name, "-O2", "-fno-builtin", far, "-Wl,-rpath," + tap.dir, *flags)
        profile = tap.path(name + ".profile")
        graph = harness.dcfg(tap, name, [prog], ["--callgrind=yes", "--callgrind-out-file=" + profile])[0]
        ours, theirs = collections.Counter(), collections.Counter()
        for r in rows("--routines", graph):
            ours[r["image"], r["routine"]] += int(r["calls"])
        for (_, callee, *_), (calls, *_) in callgrind_compare.Profile(profile).sites.items():
            theirs[os.path.basename(callee[0]), callee[2].partition("'")[0]] += calls
        calls = {f: n for (image, f), n in ours.items() if f in ("far_away", "tail", "back", "main")}
        tap.ok(calls == {"far_away": 130, "tail": 30, "back": 30, "main": 1}, "%s: calls" % name, calls)
        text = command("disasm", "--routine=far_away", graph)[1]
        tap.ok("130 calls" in text, "%s: calls, disasm" % name, text[:300])
        none = [f for f in theirs if f in ours and ours[f] == 0]
        tap.ok(len(theirs) > 20 and not none, "%s: what the profile says is called is called" % name, none)


def main():
    tap = harness.Tap("command_views")
    check_stubs(tap)
    check_front(tap)
    source = harness.written(tap, "prog.c", PROG)
    prog = harness.cc(tap, source, "prog")
    trace = tap.path("trace.json")
    log = tap.path("prog.xray")
    graph, status, why = harness.dcfg(tap, "prog", [prog], ["--trace=yes", "--trace-out-file=" + trace, "--xray=yes",
                                                            "--xray-out-file=" + log])
    check_graph(tap, graph)
    check_sort(tap, graph)
    check_hot(tap, graph)
    check_trace(tap, graph, trace)
    check_selection(tap, graph, trace, log)
    check_image(tap, source)
    status, out, err = command("report", "--trips", "--inclusive", "--branches", "--indirect", "--top=3", graph, trace)
    tap.ok(status == 0 and not err and all(t in out for t in ("Hottest 3 of ", "with what they called", "by iterations")),
           "as text", out + err)
    for args, word in ((["--trips", graph], "needs a trace"), (["--inclusive", graph], "needs a trace"),
                       (["--sort=size", graph], "--sort is"), (["--callers=nobody", graph], "no routine"),
                       (["--callers=nob*y", graph], "no function that ran fits `nob*y'"),
                       (["--callees=dowm*", graph], "did you mean `down'?"),
                       (["--callers=main", "--callees=main", graph], "not both"), (["-", "-"], "standard input")):
        status, out, err = command("report", *args)
        tap.ok(status == 2 and len(err.splitlines()) == 1 and word in err, "report " + args[0], err)
    tap.done()


main()
