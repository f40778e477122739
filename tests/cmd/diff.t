#!/usr/bin/python3
"""dcfg diff of two builds: with shifted code, renamed files and functions, other optimisation, BOLT.  (TAP)

Code that only moved has no difference in any kind of row.  Code grows if its source makes it grow.
"""
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command

PROG = r"""
#include <stdlib.h>
#define FAR __attribute__((noinline, noclone))
static volatile int sink;
FAR static int helper(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i % 3 == 0) s += i; else s ^= i; } return s; }
FAR int steady(int n) { int s = 0; for (int i = 0; i < 50; i++) for (int k = 0; k < 4; k++) s += i * k + n; return s; }
FAR int WORK(int n) { int s = 0; while (n-- > 0) s += helper(TIMES); return s; }
int main(int argc, char** argv) { sink = WORK(100) + steady(3); return 0; }
"""
IN_FRONT = "int in_front(int n) { int s = 0; while (n-- > 0) s = s * 7 + n; return s; }\n"
BOLT = "/usr/lib/llvm-19/bin/llvm-bolt"


def build(tap, name, *flags, front=False, times=20, work="work"):
    source = harness.written(tap, "prog.c", PROG)
    more = []
    if front:
        harness.written(tap, "front.c", IN_FRONT)
        more = [tap.path("front.c")]
    out = tap.path(name)
    r = subprocess.run(["cc", "-O1", "-g", "-o", out] + more + [source, "-DTIMES=%d" % times, "-DWORK=" + work]
                       + list(flags), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if r.returncode:
        tap.ok(False, "compiling " + name, r.stdout.decode())
    return out


def graph(tap, prog, *options):
    path, status, why = harness.dcfg(tap, os.path.basename(prog) + "".join(options), [prog], options)
    if not path:
        tap.ok(False, prog, why)
    return path


def rows(kind, *args):
    status, out, err = command("diff", "--json", "--top=0", "--share=0", "--" + kind, *args)
    return json.loads(out)[kind]


# SOURCE and MORE name what differs between builds; two functions with one name are in two files.
SHAPES = harness.text("cmd/diff_shapes.c")
OTHER = r"""
__attribute__((noinline, noclone)) static int same(int n) { return n > 0 ? n * 5 : 1; }
int other_same(int n) { return same(n) + same(n + 1); }
"""
OURS = {"same", "other_same", "helper", "hash", "compare", "fill", "work", "main"}


def shapes(tap, name, *flags, suffix="", more="", strip=None):
    """Builds SHAPES; returns (path of a graph, {offset: names} from before stripping)."""
    sources = []
    for source, text in (("shapes", SHAPES.replace("MORE", more)), ("other", OTHER)):
        sources.append(tap.path(source + suffix + ".c"))
        harness.write(sources[-1], text)
    prog = tap.path(name)
    subprocess.run(["cc", "-o", prog] + list(flags or ["-O1", "-g"]) + sources, check=True)
    names = {}
    for line in subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT":
            names.setdefault(int(words[0], 16), set()).add(words[2])
    if strip:
        subprocess.run(["strip", strip, prog], check=True)
    return graph(tap, prog), names


def check_names(tap):
    """Builds that have only names, or not even these."""
    was, _ = shapes(tap, "was")
    extra = "FAR int extra(int n) { return n * 7 + sink; }"
    for what, options in (("from a renamed source", {"suffix": "-new", "more": extra}),
                          ("without debug information", {"more": extra, "strip": "-g"}),
                          ("with -O2, without debug information", {"strip": "-g"})):
        now, _ = shapes(tap, "now", *(["-O2"] if "-O2" in what else []), **options)
        for a, b in ((was, now), (now, was)):
            found = rows("functions", "--image=main", a, b)
            tap.ok(builds_differ(a, b) and not [r for r in found if r["name"] in OURS and (r["change"] in ("new", "gone")
                                                                      or r.get("match") == "guess")], what, found)
        if "-O2" not in what:
            for kind in ("loops", "routines", "blocks"):
                found = [r for r in rows(kind, "--function=h*", was, now)]
                tap.ok(not found, "%s: %s" % (what, kind), found)

    # Stripped: -O1 with one more function, and with functions in another order.
    for what, options, flags in (("stripped", {"more": extra}, ["-O1"]),
                                 ("stripped, in another order", {}, ["-O1", "-ffunction-sections", "-fno-toplevel-reorder",
                                                                     "-Wl,--sort-section=name"])):
        now, names = shapes(tap, "stripped", *flags, strip="-s", **options)
        found = rows("functions", "--image=main", was, now)
        # A compiler may make other code of some, in sections of their own: then counts differ.
        gone = [r["a"] for r in found if r["change"] == "gone" and r["name"] in OURS]
        new = [r["b"] for r in found if r["change"] == "new"]
        tap.ok(builds_differ(was, now) and len(gone) <= (2 if "order" in what else 0) and not set(gone) & set(new),
               what + ": all that have the same code are there", found)
        out = command("diff", "--functions", "--image=main", was, now)[1]
        n = re.search(r"(\d+) matched by a guess", out)
        tap.ok(n and int(n.group(1)) >= len(OURS), what + ": as a guess", out)

    # Some matches with -O2 are guesses.  These are right, and all forms mark them.
    now, names = shapes(tap, "fast-stripped", "-O2", strip="-s")
    found = [r for r in rows("functions", "--image=main", was, now) if r["match"] == "guess"]
    ours = [r for r in found if r["name"] in OURS]
    tap.ok(ours and all(r["name"] in names.get(int(str(r["offset"]), 0), ()) for r in ours), "-O2, stripped", (found, names))
    args = "diff", "--functions", "--share=0", "--top=0", "--image=main"
    for form in ([], ["--csv"], ["--markdown"]):
        out = command(*args, *form, was, now)[1]
        lines = [l for l in out.splitlines() if re.search(r"\bguess\b", l) and " by a guess" not in l]
        tap.ok(len(lines) == len(found), "a guess: " + " ".join(form), out)
    out = command("diff", "--functions", was, was)[1] + command("diff", "--csv", "--share=0", was, was)[1]
    tap.ok("match" not in out, "nothing guessed, nothing said", out)


# FRUIT: a library's functions.  plum and prune are one function with two names, as memcpy and memmove are in libc.
FRUIT = r"""
int basket;
#define GROWS(name) void name(void) { basket++; }
GROWS(almond) GROWS(apple) GROWS(berry) GROWS(cherry) GROWS(date) GROWS(elder) GROWS(fig) GROWS(plum)
void prune(void) __attribute__((alias("plum")));
"""
EATS = harness.text("cmd/diff_eats.c")
# CHOSEN: functions that are chosen when the program starts.  A static program calls them through stubs.
CHOSEN = r"""
#define CHOOSE(name) \
   static void name##_here(void) { basket++; } static void* name##_which(void) { return name##_here; } \
   void name(void) __attribute__((ifunc(#name "_which")));
static int basket;
CHOOSE(almond) CHOOSE(apple) CHOOSE(berry) CHOOSE(cherry) CHOOSE(date) CHOOSE(elder) CHOOSE(fig) CHOOSE(plum) CHOOSE(prune)
"""
LINKED = (("lazy", []), ("now", ["-Wl,-z,now"]), ("two tables", ["-fcf-protection", "-Wl,-z,lazy,-z,ibtplt"]),
          ("fixed", ["-no-pie"]), ("stripped", ["-s"]), ("32 bits", ["-m32"]), ("static", ["-static"]))


def stub_rows(kind, a, b):
    return [r for r in rows(kind, "--image=main", a, b) if "@plt" in r.get("name", "") + r.get("from", "") + r.get("to", "")]


def check_stubs(tap):
    """A stub is the same if its function has the same name, wherever the linker puts it."""
    sources = {}
    for name, text in (("fruit", FRUIT), ("eats", EATS), ("chosen", CHOSEN)):
        sources[name] = tap.path(name + ".c")
        harness.write(sources[name], text)
    for what, flags in LINKED:
        word = what.replace(" ", "-")
        lib = tap.path("libfruit-%s.so" % word)
        static = what == "static"
        made = subprocess.run(["cc", "-O1", "-shared", "-fPIC", sources["fruit"], "-o", lib]
                              + [f for f in flags if f == "-m32"], stderr=subprocess.DEVNULL).returncode
        progs = [tap.path(word + n) for n in ("-one", "-two")]
        for prog, more in zip(progs, ([], ["-DMORE"])):
            made = made or subprocess.run(["cc", "-O1", "-g", "-o", prog, sources["eats"]] + more + flags
                                          + ([sources["chosen"]] if static else [lib, "-Wl,-rpath," + tap.dir]),
                                          stderr=subprocess.DEVNULL).returncode
        if made:
            tap.skip("stubs, " + what, "this cannot be built here")
            continue
        a, b = (graph(tap, prog) for prog in progs)
        new = {"%s@plt" % (n + "_here" * static) for n in ("almond", "cherry", "elder")}
        # Without A's file, relocations cannot be compared.  A stub that was called once shows its name only there.
        for gone in (False, True):
            if gone:
                os.remove(progs[0])
            for kind in ("routines", "blocks", "edges"):
                found = stub_rows(kind, a, b)
                other = [r for r in found if r["change"] != "new" or not new & {r.get(k) for k in ("name", "from", "to")}]
                other = [r for r in other if "resolve" not in str(r)]          # the head of the table
                tap.ok(not other and found, "stubs, %s%s: %s" % (what, ", no file" * gone, kind), found)
    # One row has a stub that was called once in A, and often in B.
    more = tap.path("lazy-more")
    harness.write(sources["eats"], EATS.replace("date, 1", "date, 8"))
    subprocess.run(["cc", "-O1", "-g", "-DMORE", "-o", more, sources["eats"], tap.path("libfruit-lazy.so"), "-Wl,-rpath," + tap.dir], check=True)
    found = [r for r in stub_rows("blocks", graph(tap, tap.path("lazy-two")), graph(tap, more)) if r["change"] != "new"]
    tap.ok([(r["name"], r["a"], r["b"]) for r in found] == [("date@plt", 1, 8)], "a stub that was called once", found)
    found = [r for r in stub_rows("blocks", graph(tap, more), graph(tap, tap.path("lazy-two"))) if r["change"] != "new"]
    tap.ok([(r["name"], r["a"], r["b"]) for r in found] == [("date@plt", 8, 1)], "it has the name of the other run", found)


def check_nothing(tap, one, two):
    """A selection that is empty in both runs never passes; code of one run is new or gone."""
    for gate in ([], ["--fail=1"], ["--inline"], ["--fail=1000", "--inline"]):
        for what, word in (("--function=nosuch", "no function of either run"), ("--function=zz*", "no function of either run"),
                           ("--image=nosuch", "no image of either run"), ("--source=nosuch.c:3", "no block of either run"),
                           ("--routine=nosuch", "no routine `nosuch' in either run"),
                           ("--image=libc.so.6 --function=main", "no code of either run")):
            status, out, err = command("diff", *gate, *what.split(), one, two)
            # The C library may have no debug information, and then the command says so first.
            said = [line for line in err.splitlines() if " has no debug information: " not in line]
            tap.ok(status == 2 and not out and len(said) == 1 and word in said[0], "%s %s" % (gate, what), (status, err))
    status, out, err = command("diff", "--fail=100", "--function=WORK", "--source=prog.c", one, two)
    tap.ok(status == 2, "case matters", err)
    status, out, err = command("diff", "--functions", "--function=labour", one, two)
    tap.ok(status == 1 and "1 new" in out and "process" in err, "one run has it", out + err)
    # --share hides rows, but no growth.


def builds_differ(a, b):
    """By default functions are shown only if something was rebuilt."""
    return "Functions: " in command("diff", a, b)[1]


def main():
    tap = harness.Tap("command_diff")
    one = graph(tap, build(tap, "prog"))
    # Other code before everything: all offsets differ, and nothing else.
    moved = graph(tap, build(tap, "moved", front=True))
    for kind in ("functions", "loops", "routines", "blocks", "edges"):
        found = rows(kind, "--source=prog.c", one, moved)
        tap.ok(not found, "moved and renamed: the same %s" % kind, found[:3])
    status, out, err = command("diff", "--source=prog.c", one, moved)
    tap.ok(status == 0 and "Functions: 0 new, 0 gone, 0 changed" in out and err == "", "and exit status 0", out + err)

    # helper() does twice as much.
    grown = graph(tap, build(tap, "grown", times=40))
    found = rows("functions", one, grown)
    ours = {r["name"]: r["b"] / r["a"] for r in found if r["source"].startswith("prog.c")}
    tap.ok(set(ours) == {"helper"} and 1.8 < ours["helper"] < 2, "one function grew", found)
    status, out, err = command("diff", "--fail=50", one, grown)
    tap.ok(status == 1 and re.search(r"^dcfg diff: helper grew from [\d,]+ to [\d,]+ instructions \(\+\d+%\), beyond 50%$",
                                     err, re.M) and "steady" not in err, "--fail tells it", err)
    status, out, err = command("diff", "--fail=150", one, grown)
    tap.ok(status == 0 and not err, "and not what grew less", err)
    status, out, err = command("diff", "--functions", "--fail=50", "--share=5000", one, grown)
    tap.ok(status == 1 and "helper grew" in err and "Functions: 0 new, 0 gone, 0 changed" in out, "--share hides rows only", out + err)
    status, out, err = command("diff", "--fail=0", "--source=prog.c", grown, one)
    tap.ok(status == 0 and not err, "nor what shrank", err)
    status, out, err = command("diff", "--fail=0", "--function=steady", one, grown)
    tap.ok("helper" not in err, "nor what is not selected", err)
    status, out, err = command("diff", "--markdown", one, grown)
    lines = [l for l in out.splitlines() if "`helper` | `prog.c" in l]
    tap.ok(status == 1 and len(lines) == 1 and re.match(r"\| `\+\d+%` \| [\d,]+ \| [\d,]+ \| `helper` \| `prog.c:\d+` \| ",
                                                       lines[0]) and "|---|--:|--:|---|---|---|" in out
           and not [l for l in out.splitlines() if l.startswith("|") and not l.endswith("|")], "--markdown", out)
    status, out, err = command("diff", "--functions", "--threshold=50", one, grown)
    tap.ok(status == 0 and "0 changed" in out, "--threshold", out)

    # Functions with other names that begin at the same line are the same; at another line they are not.
    renamed = graph(tap, build(tap, "renamed", work="labour"))
    tap.ok(not rows("functions", "--source=prog.c", one, renamed), "a function with another name")
    bare = graph(tap, build(tap, "renamed", work="labour"), "--source=no")
    found = {r["name"]: r["change"] for r in rows("functions", "--function=work", one, bare)
             + rows("functions", "--function=labour", one, bare)}
    tap.ok(found == {"work": "gone", "labour": "new"}, "but not without its line", found)
    check_nothing(tap, one, bare)

    # Another optimisation level: functions are matched by name, and loops by the lines of their heads.
    fast = graph(tap, build(tap, "fast", "-O2"))
    found = rows("functions", "--source=prog.c", one, fast)
    tap.ok(found and all(r["change"] not in ("new", "gone") for r in found)
           and {r["name"] for r in found} <= {"helper", "steady", "work", "main"}, "-O1 against -O2", found)
    check_names(tap)
    check_stubs(tap)
    if os.path.exists(BOLT):
        prog = build(tap, "relocs", "-Wl,-q", "-no-pie")
        bolted = tap.path("bolted")
        r = subprocess.run([BOLT, prog, "-o", bolted, "--reorder-functions=hfsort", "--reorder-blocks=reverse",
                            "--split-functions", "--update-debug-sections"], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        if tap.ok(r.returncode == 0, "BOLT", r.stdout.decode(errors="replace")[-500:]):
            found = rows("functions", "--function=[hsw]*", graph(tap, prog), graph(tap, bolted))
            ours = [r for r in found if r["name"] in ("helper", "steady", "work")]
            tap.ok(all(r["change"] not in ("new", "gone") for r in ours), "through BOLT", ours)
    else:
        tap.skip("through BOLT", "no " + BOLT)
    for args, word in ((["--fail=x"], "percentage"), (["--threshold=-1"], "percentage"),
                       (["--markdown", "--csv"], "not both")):
        status, out, err = command("diff", *args, one, moved)
        tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and word in err, "diff " + " ".join(args), err)
    tap.done()


main()
