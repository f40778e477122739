#!/usr/bin/python3
"""Inlined functions in the command's outputs: stacks, differences of builds, profiles, and messages about missing files.
(TAP)
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
import pagelib
from commandlib import command, table
from inlinelib import PROGS, Program
from lifelib import callgrind_compare
from regionlib import INCLUDE
import callgrind_readers

# Functions of one name: work() in three files of two objects, two of them called work.c.  They call each other, and themselves.
# What is inlined at -O2: step() of the header, in all of them, once in itself; a part of early() that gcc splits off.
HEADER = r"""
extern volatile unsigned sink;
static inline unsigned step(unsigned n) { sink += n; return n & 1 ? n * 3 : n ^ 5; }
static inline unsigned twice(unsigned n) { if (n % 4 == 0) return step(step(n)); return step(n + 1); }
unsigned a_work(unsigned), b_work(unsigned), lib_work(unsigned);
"""
WORK = r"""
#include "%sstep.h"
static __attribute__((noinline)) unsigned work(unsigned n)
{
   unsigned x = 0;
   for (unsigned i = 0; i < n; i++) x += twice(i);
   return n > 1 ? x + work(n / 2) : x + %s;
}
unsigned %s_work(unsigned n) { return work(n) + 1; }
"""
MAIN = harness.text("program/inline_views.c")


def folded(*args):
    stacks = {}
    for line in command("flame", *args)[1].splitlines():
        stack, n = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] = int(n)
    return stacks


def check_flame(tap, p):
    graph, plain, inlined = p.data(), folded(*p.files), folded("--inline", *p.files)
    tap.ok(sum(inlined.values()) == graph["INSTR_COUNT"], "flame --inline: all instructions are in some stack")
    without = collections.Counter()
    for stack, n in inlined.items():
        without[tuple(f for f in stack if not f.endswith("_[i]"))] += n
    tap.ok(without == plain, "flame --inline: without inlined functions it is the plain graph")
    own = collections.Counter()
    for stack, n in inlined.items():
        own[stack[-1]] += n
    sites = collections.Counter()
    for r in table(command("report", "--csv", "--top=0", "--sites", "--image=" + p.name, p.graph)[1]):
        sites[r["function"] + "_[i]"] += int(r["instructions"])
    wrong = [(f, n, own[f]) for f, n in sites.items() if n != own[f]]
    tap.ok(sites and not wrong, "flame --inline: inlined functions have the instructions of their sites", str(wrong)[:2000])
    events = json.loads(command("flame", "--inline", "--speedscope", *p.files)[1])
    frames, timed = [f["name"] for f in events["shared"]["frames"]], collections.Counter()
    for profile in events["profiles"]:
        stack, last, good = [], 0, True
        for e in profile["events"]:
            timed[tuple(stack)] += e["at"] - last
            last = e["at"]
            if e["type"] == "O":
                stack.append(frames[e["frame"]])
            else:
                good = good and stack.pop() == frames[e["frame"]]
    tap.ok(good and not stack and +timed == inlined, "flame --speedscope --inline: frames of the same stacks, each closed in order")
    both = folded("--diff", "--inline", *p.files, *p.files)
    tap.ok(both and not any("_[i]" in f for stack in both for f in stack), "flame --diff --inline: names without a suffix")


def check_inclusive(tap, p):
    rows = p.rows("--inline", "--inclusive")
    inside = collections.Counter()
    for stack, n in folded("--inline", "--mangled", *p.files).items():
        for f in {re.sub(r"(\.\w+)*(_\[i\])?$", "", f) for f in stack}:
            inside[f] += n
    other = {r["function"] for r in p.rows("--inline", image=False) if r["image"] != p.name}
    wrong = [(r["function"], r["inclusive"], inside[r["function"]]) for r in rows if r["function"] in set(inside) - other
             and r["function"].startswith("_Z") and int(r["inclusive"]) != inside[r["function"]]]
    tap.ok(not wrong and len(rows) > 50, "report --inline --inclusive: as the stacks have it", wrong[:5])
    by = {r["function"]: r for r in p.rows("--inline")}
    wrong = [r for r in rows if r["function"].startswith("_Z") and (r["self"], r["entries"])
             != (by[r["function"]]["instructions"], by[r["function"]]["entries"])]
    tap.ok(not wrong, "report --inline --inclusive: own instructions and entries are those of --inline", wrong[:3])


def check_function(tap, p):
    stacks, part = folded("--inline", *p.files), folded("--inline", "--function=risky", *p.files)
    want = {s: n for s, n in stacks.items() if any(re.match(r"risky.*_\[i\]$", f) for f in s)}
    # Functions that an inlined one calls are not selected.
    own = {s: n for s, n in want.items() if all(f.endswith("_[i]") for f in s[next(
        i for i, f in enumerate(s) if f.startswith("risky")):])}
    tap.ok(part == own and own, "--function with --inline selects where it was inlined", str((part, own))[:2000])
    status, _, err = command("report", "--inline", "--function=nonesuch", p.graph)
    tap.ok(status == 2 and "no function" in err, "--function with --inline: there is none", err)
    status, out, err = command("report", "--sites=nonesuch", p.graph)
    tap.ok(status == 2 and not out and "nonesuch" in err, "--sites of what is not there", out + err)
    tap.ok(command("report", "--function=risky", p.graph)[0] == 2, "--function without --inline: no such symbol")


def check_diff(tap, name, a, b):
    """Compares A and B, builds of one program."""
    rows = table(command("diff", "--inline", "--functions", "--share=0", "--top=0", "--csv", a.graph, b.graph)[1])
    # The name of start-up code without a symbol is its offset, which differs.
    lonely = [(r["change"], r["name"]) for r in rows if r["change"] in ("new", "gone") and not re.search(r"\+0x[0-9a-f]+$", r["name"])]
    tap.ok(rows and not lonely, name + ": no function is new or gone", lonely)
    have = {r["name"]: r for r in rows}
    for side, p in (("a", a), ("b", b)):
        want = collections.defaultdict(lambda: [0, 0])
        for r in table(command("report", "--inline", "--csv", "--top=0", p.graph)[1]):
            want[r["function"]][0] += int(r["instructions"])
            want[r["function"]][1] += int(r["inlined"])
        wrong = [(r, want[n]) for n, r in have.items() if n in want and "shapes.cc" in r["source"] + "nest.c"
                 and [int(r[side]), int(r["inlined_" + side])] != want[n]]
        tap.ok(not wrong, name + ": counts are those of report --inline", wrong[:3])


# ---- profiles ----------------------------------------------------------------------------------------------------

def inclusive(p):
    """Returns each function's own cost, and its cost with calls of other functions."""
    cost = {f: c[0] for f, c in p.self.items()}
    for (caller, callee, *_), (_, n) in p.sites.items():
        if caller != callee:
            cost[caller] = cost.get(caller, 0) + n
    return cost


def cycles(p):
    """Returns how many groups of functions call each other."""
    calls = collections.defaultdict(set)
    for caller, callee, *_ in p.sites:
        if caller != callee:
            calls[caller].add(callee)
    index, low, stack, on, n = {}, {}, [], set(), 0
    for root in list(calls):
        if root in index:
            continue
        work = [(root, iter(sorted(calls[root], key=str)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            v, rest = work[-1]
            for w in rest:
                if w not in index:
                    index[w] = low[w] = len(index)
                    stack.append(w)
                    on.add(w)
                    work.append((w, iter(sorted(calls[w], key=str))))
                    break
                if w in on:
                    low[v] = min(low[v], index[w])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == index[v]:
                    group = stack[stack.index(v):]
                    del stack[stack.index(v):]
                    on -= set(group)
                    n += len(group) > 1
    return n


def check_profile(tap, name, profile, p):
    out = tap.path("inlined.callgrind")
    status, _, err = command("export", "--callgrind=" + profile, "-o", out, p.graph)
    before = callgrind_compare.Profile(profile)
    try:
        after = callgrind_compare.Profile(out)
    except (callgrind_compare.Malformed, OSError) as e:
        tap.ok(False, name + ": the profile is of the format", str(e) + err)
        return
    tap.ok(status == 0 and sum(before.sums) == sum(after.sums) and before.parts == after.parts,
           name + ": sums and header are as before", err)
    a, b = inclusive(before), inclusive(after)
    changed = [(f, a[f], b.get(f)) for f in a if a[f] != b.get(f)]
    tap.ok(not changed and len(b) > len(a) + 20, name + ": inclusive costs of functions are as before",
           "%d of %d\n%s" % (len(changed), len(a), changed[:5]))
    tap.ok(cycles(after) <= cycles(before), name + ": no more cycles than before", (cycles(before), cycles(after)))
    lines = collections.Counter()
    for profile_, sign in ((before, 1), (after, -1)):
        for (function, address), (n,) in profile_.addresses.items():
            lines[function[0], address] += sign * n
    tap.ok(not +lines and not -lines, name + ": each instruction costs what it did")
    own, sites, free = collections.Counter(), collections.Counter(), collections.Counter()
    for f, (n,) in after.self.items():
        m = re.match(r"(.*?)(?:'\d+)?(?::\d+)? in ", f[2])
        if m and f[0] == p.path:
            own[m[1]] += n
    for r in table(command("report", "--csv", "--top=0", "--sites", "--image=" + p.name, p.graph)[1]):
        sites[r["function"]] += int(r["instructions"])
        # Rows of an instance without entries may stay with the function around it.
        free[r["function"]] += 0 if int(r["entries"]) else int(r["instructions"])
    wrong = [(f, own[f], sites[f], free[f]) for f in own | sites if not sites[f] - free[f] <= own[f] <= sites[f]]
    tap.ok(not wrong, name + ": inlined functions cost what report --sites says", wrong[:5])
    entered, want = collections.Counter(), collections.Counter()
    for (caller, callee, *_), (n, _) in after.sites.items():
        m = re.match(r"(.*?)(?:'\d+)?(?::\d+)? in ", callee[2])
        if m and callee[0] == p.path:
            entered[m[1]] += n
    for r in table(command("report", "--csv", "--top=0", "--sites", "--image=" + p.name, p.graph)[1]):
        want[r["function"]] += int(r["entries"]) if int(r["inclusive"]) else 0
    tap.ok(entered == want, name + ": and are entered as often", (list((entered - want).items())[:5], list((want - entered).items())[:5]))


def check_profiles(tap, p):
    ours, theirs = tap.path("ours.callgrind"), tap.path("theirs.callgrind")
    graph = tap.path("profiled.json")
    harness.run([harness.VALGRIND, "--tool=dcfg", "--callgrind=yes", "--dump-instr=yes", "--dcfg-out-file=" + graph,
                 "--callgrind-out-file=" + ours, p.path], tap.dir)
    p.graph = graph
    check_profile(tap, "a profile of the tool", ours, p)
    harness.run([harness.VALGRIND, "--tool=callgrind", "--dump-instr=yes", "--callgrind-out-file=" + theirs, p.path], tap.dir)
    out = tap.path("theirs.inlined")
    status, _, err = command("export", "--callgrind=" + theirs, "-o", out, p.graph)
    said = [subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show-percs=no", "--auto=no", f],
                           capture_output=True, text=True).stdout for f in (theirs, out)]
    main = [max(int(n.replace(",", "")) for n in re.findall(r"^ *([\d,]+) +\S+:main(?: |$)", text, re.M)) for text in said]
    tap.ok(status == 0 and main[0] == main[1], "Callgrind's own profile: callgrind_annotate has the same main", (main, err))
    harness.run([harness.VALGRIND, "--tool=callgrind", "--callgrind-out-file=" + theirs, p.path], tap.dir)
    status, text, err = command("export", "--callgrind=" + theirs, p.graph)
    tap.ok(status == 2 and not text and "--dump-instr=yes" in err, "a profile without addresses", err)
    status, text, err = command("export", "--callgrind=" + p.graph, p.graph)
    tap.ok(status == 2 and not text, "no profile", err)
    status, text, err = command("export", "--lcov", "--lines-only", p.graph)
    tap.ok(status == 2 and not text and "--lines-only is for --callgrind" in err, "--lines-only of another form", err)
    for n, broken in enumerate(("calls=1 0x10 1\n", "0x10 1 5 6\n", "cfn=(99)\n", "what is this\n0x10 1 1\n")):
        harness.write(theirs, "# callgrind format\nversion: 1\npositions: instr line\nevents: Ir\n\nfn=main\n0x10 1 5\n" + broken)
        status, text, err = command("export", "--callgrind=" + theirs, p.graph)
        tap.ok(status in (0, 2) and (n == 3 or (status == 2 and "line 8" in err)), "a broken profile, %d" % n, err)


def twins(tap, name, *flags):
    """Returns a program with functions of one name, in its own folder."""
    there = tap.path(name)
    for path, text in (("step.h", HEADER), ("work.c", WORK % ("", "a_work(1)", "b")), ("main.c", MAIN),
                       ("lib/work.c", WORK % ("../", "1", "lib")), ("other.c", WORK % ("", "lib_work(2)", "a"))):
        os.makedirs(os.path.dirname(os.path.join(there, path)), exist_ok=True)
        harness.write(os.path.join(there, path), text)
    last = "lib/work.c" if "-static" in flags else "./libwork.so"
    for argv in (["-shared", "-fPIC", "-o", "libwork.so", "lib/work.c"], ["-pthread", "-o", "prog", "main.c", "work.c", "other.c", last]):
        if argv[0] != "-shared" or last == "./libwork.so":
            subprocess.run(["gcc", "-g", *flags, "-I" + INCLUDE, *argv], cwd=there, check=True)
    return there


def annotate(path, there, inclusive):
    """Returns the functions of callgrind_annotate with their cost, run in the folder of the sources."""
    out = subprocess.run(["callgrind_annotate", "--inclusive=" + inclusive, "--threshold=100", "--show-percs=no", "--auto=no", path],
                         capture_output=True, text=True, cwd=there)
    rows = collections.Counter()
    for n, function in re.findall(r"^ *([\d,]+)  (.*:.*)$", out.stdout, re.M):
        rows[function] += int(n.replace(",", ""))
    return rows, out.stderr


def without_inlined(p):
    """Returns costs by object, file and line, and calls between functions with code of their own."""
    lines, calls = collections.Counter(), collections.Counter()
    for (function, file, line), (n,) in p.lines.items():
        lines[function[0], file, line] += n
    for (caller, callee, *_), (times, n) in p.sites.items():
        if " in " not in callee[2]:
            outer = caller[2].rsplit(" in ", 1)[-1]
            calls[caller[0], outer, callee, "calls"] += times
            calls[caller[0], outer, callee, "cost"] += n
    return lines, calls


def check_readers(tap, name, there, out, inlined, *opts):
    """The profile and the exported one, OUT by OUT, as each reader sees them."""
    for old in glob.glob(os.path.join(there, "p.*")) + glob.glob(os.path.join(there, "g.*")):
        os.unlink(old)
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--callgrind=yes", "--dump-instr=yes", "--dcfg-out-file=g.json",
                 "--callgrind-out-file=p.cg", *opts, "./prog"], there)
    profiles, wrong = sorted(glob.glob(os.path.join(there, "p.cg*"))), []
    called = collections.Counter()
    for path in profiles:
        new = path.replace("p.cg", "x.cg")
        graph = os.path.join(there, "g.1.json" if ".cg.1" in path else "g.json")
        status, _, err = command("export", "--callgrind=" + path, "-o", new, graph)
        before, after = callgrind_compare.Profile(path), callgrind_compare.Profile(new)
        # Calls of an earlier part have no number in Callgrind's parts, either.
        bad = [s for s, (n, _) in after.sites.items() if n == 0 and s not in before.sites]
        bad += re.findall(r"^jfn=.*", harness.read(new), re.M)
        a, b = callgrind_readers.kcachegrind(path), callgrind_readers.kcachegrind(new)
        shown = {f: (c.inclusive, c.called) for f, c in b.items() if " in " not in f[2]}
        lines = path.replace("p.cg", "lines.cg")
        lined = command("export", "--callgrind=" + path, "--lines-only", "-o", lines, graph)[0]
        callgrind_readers.speedscope(new)
        joined = callgrind_readers.gprof2dot(new)
        homes = collections.defaultdict(set)
        for caller, callee, *_ in after.sites:
            if " in " in callee[2] and " in " not in caller[2]:
                homes[callee].add(caller)
        for what, good in (("it is written", status == 0 and "same run" not in err), ("calls=0, jfn=", not bad),
                           ("one function around each inlined one", max(map(len, homes.values()), default=1) == 1),
                           ("lines and calls", without_inlined(before) == without_inlined(after)),
                           ("KCachegrind's functions", shown == {f: (c.inclusive, c.called) for f, c in a.items()}),
                           ("own cost", sum(c.self for c in b.values()) == sum(c.self for c in a.values()) == sum(before.sums)),
                           ("speedscope's", lined == 0 and callgrind_readers.speedscope(lines) == (sum(before.sums), set())),
                           ("gprof2dot's cost", sum(c.self for c in joined.values()) == sum(before.sums)),
                           ("inlined", inlined == (set(a) != set(b))),
                           ("callgrind_annotate", inlined or (before.sites == after.sites and before.jumps == after.jumps and all(
                               annotate(path, there, x) == annotate(new, there, x) for x in ("yes", "no"))))):
            if not good:
                wrong.append((os.path.basename(path), what, err, bad[:3]))
        for f, c in b.items():
            if " in " in f[2]:
                called[re.sub(r"('\d+)? in .*", "", f[2])] += c.called
    tap.ok(len(profiles) == out and not wrong, name + ": readers of %d profiles" % out, (len(profiles), wrong[:5]))
    return called


def check_twins(tap):
    plain, fast = twins(tap, "twins-plain", "-O1", "-fno-inline", "-static"), twins(tap, "twins", "-O2")
    check_readers(tap, "nothing inlined", plain, 2, False, "--collect-jumps=yes")
    called = check_readers(tap, "functions of one name", fast, 2, True, "--collect-jumps=yes")
    want = collections.Counter()
    for graph in ("g.1.json", "g.json"):
        for r in table(command("report", "--csv", "--top=0", "--sites", os.path.join(fast, graph))[1]):
            want[r["function"]] += int(r["entries"]) if int(r["inclusive"]) else 0
    tap.ok(+called == +want, "functions of one name: the calls in all parts are the entries", (called - want, want - called))
    if shutil.which("gprof2dot"):
        r = subprocess.run(["gprof2dot", "-f", "callgrind", os.path.join(fast, "x.cg")], capture_output=True, text=True)
        tap.ok(r.returncode == 0, "gprof2dot reads it", r.stderr)
    check_readers(tap, "threads", fast, 3, True, "--separate-threads=yes")


def check_slice(tap, p):
    wet, graph = tap.path("nest.wet"), tap.path("nest-wet.json")
    harness.run([harness.VALGRIND, "--tool=dcfg", "--wet=yes", "--wet-out-file=" + wet,
                 "--dcfg-out-file=" + graph, p.path], tap.dir)
    chain, chains = "", {}
    for line in command("disasm", "--inline", "--image=main", graph)[1].splitlines():
        comment = re.match(r" {40}; (?!   )(.*)$", line)
        insn = re.match(r" *[\d,]+ +([0-9a-f]+) +[0-9a-f]+  (.*)$", line)
        if comment:
            chain = comment[1]
        elif " block " in line:
            chain = ""
        elif insn:
            chains[int(insn[1], 16)] = chain
    nodes = json.loads(command("slice", "--inline", "--json", "--at=nest.c:15", wet)[1])["nodes"]
    said = {int(n["address"], 0): ", at ".join("%s:%d %s" % (os.path.basename(f["file"]), f["line"], f["function"])
                                              for f in n["inlined"]) for n in nodes if n["image"] == p.path}
    deep = {a: c for a, c in said.items() if c}
    wrong = [(hex(a), c, chains.get(a)) for a, c in said.items() if (c or None) != (chains[a] if ", at " in chains.get(a, "") else None)]
    tap.ok(len(deep) > 5 and not wrong, "slice --inline --json: chains are those of disasm", wrong[:5])
    text = command("slice", "--inline", "--at=nest.c:15", wet)[1]
    tap.ok("[leaf, at nest.c:11 branchy, at nest.c:14 main]" in text, "slice --inline: lines have chains", text)
    status, text, err = command("why", "--inline", "--steps=2", wet, "nest.c:15")
    tap.ok(status == 0 and "in leaf, at nest.c:11 branchy, at nest.c:14 main" in text, "why --inline", text + err)
    status, text, err = command("slice", "--inline", "--as=html", "--at=nest.c:15", wet)
    data = pagelib.data_of(text) if status == 0 else {}
    tap.ok("leaf, at nest.c:11 branchy, at nest.c:14 main" in data.get("functions", ()), "slice --inline --as=html: so has the page",
           err + str(data.get("functions")))
    tap.ok(command("slice", "--inline", "--as=source", "--at=nest.c:15", wet)[0] == 2, "slice --inline --as=source is refused")
    plain = command("slice", "--json", "--at=nest.c:15", wet)[1]
    tap.ok("inlined" not in plain, "without --inline nothing is inlined")


# ---- what is missing ---------------------------------------------------------------------------------------------

def same_rows(a, b):
    return [{k: v for k, v in r.items() if k != "image"} for r in a] == [{k: v for k, v in r.items() if k != "image"} for r in b]


def said_of(p, *more):
    status, _, err = command("report", "--inline", *more, p.graph)
    return status, [line for line in err.splitlines() if p.name in line]


def check_missing(tap, whole):
    """Changes the program's file, until it is gone."""
    status, lines = said_of(whole)
    tap.ok(status == 0 and not lines, "nothing is missing, nothing is said", lines)
    bare = Program(tap, "nest.c", "gcc", "-O2", name="bare")
    status, lines = said_of(bare)
    tap.ok(status == 0 and len(lines) == 1 and "has no debug information" in lines[0], "no debug information: said once", lines)
    tap.ok([r["function"] for r in bare.rows("--inline")][:1] == ["main"], "and code counts for its function")
    split = Program(tap, "nest.c", "gcc", "-O2", "-g", "-gsplit-dwarf", name="split", stripped=True)
    tap.ok(same_rows(split.rows("--sites"), whole.rows("--sites")), "-gsplit-dwarf: the same table")
    os.unlink(next(os.path.join(tap.dir, f) for f in os.listdir(tap.dir) if f.endswith(".dwo")))
    status, lines = said_of(split)
    tap.ok(status == 0 and len(lines) == 1 and "1 .dwo file" in lines[0] and ".dwo;" in lines[0], "a .dwo file is missing", lines)
    before = whole.rows("--sites")
    for cmd in (["objcopy", "--only-keep-debug", whole.path, whole.path + ".debug"], ["strip", "-g", whole.path],
                ["objcopy", "--add-gnu-debuglink=" + whole.path + ".debug", whole.path],
                ["gcc", "-O1", "-g", "-o", "other", os.path.join(PROGS, "nest.c")]):
        subprocess.run(cmd, check=True, cwd=tap.dir)
    tap.ok(before and whole.rows("--sites") == before, "debug information in a file of its own: the same table")
    for to, words, what in ((whole.path + ".debug", "", "debug information of another build: it is refused"),
                            (whole.path, "is not the file that was executed", "a file that was built anew"), (None, "No such file", "no file")):
        if to:
            shutil.copy(tap.path("other"), to)
        else:
            os.unlink(whole.path)
        status, lines = said_of(whole)
        tap.ok(status == 0 and len(lines) == 1 and words in lines[0], what, lines)


def check_dwz(tap, p):
    if shutil.which("dwz") is None:
        tap.skip("names that dwz moved", "dwz is not installed")
        return
    before = p.rows("--sites")
    shutil.copy(p.path, tap.path("twin"))
    subprocess.run(["dwz", "-m", "common.dwz", p.path, "twin"], check=True, cwd=tap.dir, stderr=subprocess.DEVNULL)
    tap.ok(before and p.rows("--sites") == before, "dwz -m: the same table")
    os.unlink(tap.path("common.dwz"))
    status, lines = said_of(p)
    rows = p.rows("--sites")
    tap.ok(status == 0 and len(lines) == 1 and "common.dwz" in lines[0] and "?" in {r["function"] for r in rows}
           and [r["instructions"] for r in rows if r["instructions"] != "0"]
           == [r["instructions"] for r in before if r["instructions"] != "0"], "dwz -m, without its file: names are ?", lines)


def main():
    tap = harness.Tap("inline_views")
    shapes = Program(tap, "shapes.cc", "g++", "-O2", "-g", "-fno-plt", trace=True)
    check_flame(tap, shapes)
    check_inclusive(tap, shapes)
    check_function(tap, shapes)
    whole = Program(tap, "nest.c", "gcc", "-O2", "-g", name="whole")
    check_diff(tap, "nothing inlined and -O2", Program(tap, "nest.c", "gcc", "-O2", "-g", "-fno-inline", name="nest-far"), whole)
    lighter, optimized = (Program(tap, "shapes.cc", "g++", opt, "-g", name="shapes" + opt) for opt in ("-O1", "-O2"))
    check_diff(tap, "-O1 and -O2", lighter, optimized)
    check_profiles(tap, shapes)
    check_twins(tap)
    check_slice(tap, whole)
    check_missing(tap, whole)
    check_dwz(tap, optimized)
    tap.done()


main()
