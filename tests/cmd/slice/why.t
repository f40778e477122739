#!/usr/bin/python3
"""dcfg why, line by line.  (TAP)

- What a step says: places and values as the source has them, the order of inputs, what is passed over, what was called.
- The conversation on a terminal.
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from slicelib import is_line, key, talk

LINES = harness.text("slices/why.c")


OWN = """#include <stdlib.h>
#include "std/part.c"
int main(int argc, char **argv) {
   int a = atoi(argv[1]) + 1;
   int b = twice(a);
   return b != 28;
}
"""


SAME = """long more(long n);
int main(int argc, char **argv)
{
   long a = argc + 39;
   a = more(a);
   return a == 0;
}
"""


# The line's own operand is x.
PLACES = """int x = 5, y, z;
int main(int argc, char **argv)
{
   x = argc + 6;
   z = argc + 40;
   y = x;
   return y + z == 0;
}
"""


def check_places(tap):
    prog = harness.compiled(tap, "places.c", PLACES, "-O0")
    wet = prog and harness.record_wet(tap, "places", [prog])
    for what, value, line in (("x", "7", 4), ("z", "41", 5), ("y", "0", None), ("argc", "1", 3), ("rax", "41", 5)) if wet else ():
        status, out, err = commandlib.command("why", "--json", "--at=places.c:6", "--of=" + what, wet)
        found = [i for i in json.loads(out)["steps"][0]["inputs"] if i["use"] == "value"] if status == 0 else []
        tap.ok([(i.get("name"), i.get("value"), i.get("from", {}).get("line"), i.get("unseen")) for i in found] == [(what, value, line, None)],
               "--of=%s: its own name, value and writer" % what, found or err)
        status, out, err = commandlib.command("why", "--at=places.c:6", "--of=" + what, wet)
        tap.ok(" 1 %s = %s\n" % (what, value) in out and "somebody else" not in out, "--of=%s: as text" % what, out + err)


def check_words(tap, wet):
    def steps(*args):
        status, out, err = commandlib.command("why", "--json", *args, wet)
        if status != 0:
            tap.ok(False, "why " + " ".join(args), err)
            return [{"inputs": []}]
        return json.loads(out)["steps"]

    def named(step):
        return [(i.get("name"), i.get("value")) for i in step["inputs"]]

    s = steps("--at=lines.c:16")[0]
    tap.ok(s["text"] == "total += a[l.pieces - 11] + (int)(rate * 100);" and s["result"] == "total = 38" and s["function"] == "main",
           "a step is a line, with what it stored", s)
    names = named(s)
    tap.ok(("rate", "0.07") in names and ("total", "26") in names and ("l.pieces", "13") in names, "names and values as the source has them", names)
    uses = [i["use"] for i in s["inputs"] if "from" in i]
    tap.ok(uses == sorted(uses, key=["value", "address", "branch", "frame"].index) and uses[-1] == "branch"
           and is_line(s["inputs"][-1]["from"], "lines.c", 15), "values, what selected an address, the branch", s)
    every = steps("--at=lines.c:16", "--all")[0]
    tap.ok(s["more"] > 0 and len(every["inputs"]) == len(s["inputs"]) + s["more"] and every["more"] == 0, "what is passed over is counted", every)
    s = steps("--at=lines.c:14")[0]
    tap.ok(is_line(s["inputs"][0]["from"], "lines.c", 7) and s["result"] == "total = 26", "behind a call: what computed its result", s)
    near = steps("--at=lines.c:7", "--steps=3")
    tap.ok(("once", "1300") in named(near[0]) and ("whole", "50") in named(near[0]) and len(near) == 3
           and any(is_line(x, "lines.c", 6) for x in near), "--steps: the nearest ones", near)
    rec = [x for x in steps("--at=lines.c:17", "--steps=9") if is_line(x, "lines.c", 9)]
    tap.ok(len({key(x) for x in rec}) >= 2, "activations of one line are several steps", rec)
    s = steps("--at=lines.c:18", "--of=total")[0]
    tap.ok(any("from" in i and is_line(i["from"], "lines.c", 17) for i in s["inputs"]), "--of", s)
    s = steps("--syscall=write")[0]
    tap.ok(any("from" in i and is_line(i["from"], "lines.c", 17) for i in s["inputs"]), "--syscall: through the library", s)
    few, many = ([i["name"] for i in steps("--at=lines.c:20", "--of=level", *a)[0]["inputs"] if i["use"] == "omitted"] for a in ((), ("--all",)))
    tap.ok(few == ["level"] and many == 3 * few, "of stores in one line that did not run, --all has each, and else one is named", (few, many))
    text = commandlib.command("why", wet, "lines.c:16")[1]
    tap.ok(re.search(r"^lines\.c:16 in main   total \+= .*\n    total = 38\n", text) and re.search(r"^ +\d rate = 0\.07\n", text, re.M)
           and re.search(r"^  \d+ more: --all$", text, re.M), "as text", text)


def check_std(tap):
    """A part of the program with the source paths of Rust's library, which is linked into each program of Rust."""
    os.mkdir(tap.path("std"))
    for name, text in (("std/part.c", "static int twice(int n)\n{\n   int m = n;\n   return 2 * m;\n}\n"), ("own.c", OWN)):
        harness.written(tap, name, text)
    prog = harness.cc(tap, tap.path("own.c"), "own", "-O0", "-fdebug-prefix-map=%s=/rustc/0/library" % tap.path("std"))
    wet = prog and harness.record_wet(tap, "own", [prog, "13"])
    if wet:
        step = json.loads(commandlib.command("why", "--json", wet, "own.c:5")[1])["steps"][0]
        lines = commandlib.command("slice", "--at=own.c:5", wet)[1]
        tap.ok(is_line(step["inputs"][0]["from"], "own.c", 4) and "own.c:4" in lines and "part.c" not in lines,
               "Rust's library counts as a library", (step, lines))


def check_same(tap):
    """A library computes its result of what the line itself has: that is named once."""
    os.mkdir(tap.path("calc"))
    lib = harness.cc(tap, harness.written(tap, "calc.c", "long more(long n) { return n + 7; }\n"), "calc/libcalc.so", "-O1", "-g0", "-shared", "-fPIC")
    prog = lib and harness.cc(tap, harness.written(tap, "same.c", SAME), "same", "-O0", lib)
    wet = prog and harness.record_wet(tap, "same", [prog])
    if wet:
        status, out, err = commandlib.command("why", "--all", "--steps=1", wet, "same.c:5")
        tap.ok(re.search(r"^  1 a = 40\n +same\.c:4 ", out, re.M) and "a library:" not in out, "a library's result of the line's own value", out + err)


def check_wrong(tap, wet):
    bad = []
    for args, words in ((("--at=lines.c:16", wet, "lines.c:16"), "leave one out"), ((wet,), "a line or an instruction"), ((), "a line or an instruction"),
                        (("--at=lines.c:16", "--syscall=write", wet), "one of"), (("--instructions", "--json", wet, "lines.c:16"), "--json"),
                        (("--steps=0", wet, "lines.c:16"), "from 1 to")):
        status, out, err = commandlib.command("why", *args)
        if status != 2 or out or err.count("\n") != 1 or words not in err:
            bad.append((args, status, out, err))
    tap.ok(not bad, "wrong use: a line each", bad)


def check_talk(tap, wet):
    try:
        status, parts = talk(["1", "l", "b", "q"], wet, "lines.c:14")
    except OSError as e:
        tap.skip("it asks where to go", "there is no terminal: %s" % e)
        return
    tap.ok(status == 0 and len(parts) == 5 and "lines.c:7 in percent" in parts[1].split("\n")[1]
           and re.search(r"0 lines\.c:14.*\n +1 lines\.c:7", parts[2]) and parts[3].split("\n")[1:] == parts[0].split("\n"),
           "it asks where to go, lists the way, goes back, ends", parts)
    for form in ([], ["--instructions"]):
        wrong = ["what?", "", "0", "99", "-1", "1x", "\033[31m"]
        status, parts = talk(wrong + ["b", "q"], *form, wet, "lines.c:14")
        # The terminal echoes the answer; one line says what the prompt takes; then it asks again.
        said = [p.split("\n")[1:-1] for p in parts[1:-1]]
        tap.ok(status == 0 and len(said) == len(wrong) + 1 and all(len(s) == 1 for s in said)
               and all("is no answer: " in s[0] and "1 to" in s[0] and "q quits" in s[0] for s in said[:-1])
               and "no way back" in said[-1][0] and "\033" not in said[-2][0], "an answer that is none: %s" % form, parts)


def check_near(tap, wet):
    """A word that names no place: names that are near, also what it abbreviates."""
    bad = []
    for word, near in (("cntd", "counted"), ("prcnt", "percent"), ("pricee", "price"), ("flgs", "flags"), ("raxx", "rax"), ("prices[sum]", "price")):
        status, out, err = commandlib.command("why", "--index=no", "--at=near.c:5", "--of=" + word, wet)
        if status != 2 or out or err.count("\n") != 1 or not re.search("did you mean .*`%s'" % near, err):
            bad.append((word, err))
    tap.ok(not bad, "--of: names that are near", bad)


def main():
    tap = harness.Tap("why")
    prog = harness.compiled(tap, "lines.c", LINES, "-O0")
    wet = prog and harness.record_wet(tap, "lines", [prog, "13"])
    if wet:
        check_words(tap, wet)
        check_wrong(tap, wet)
        check_talk(tap, wet)
    near = tap.path("near.c")
    with open(near, "w") as f:
        f.write("""int percent, price;
int main(int argc, char** argv)
{
   for (int counted = 0; counted < 9; counted++)
      percent += argc + price;
   return percent == 0;
}
""")
    prog = harness.cc(tap, near, "near", "-O0")
    wet = prog and harness.record_wet(tap, "near", [prog])
    if wet and os.uname().machine == "x86_64":
        check_near(tap, wet)
    check_std(tap)
    check_same(tap)
    check_places(tap)
    tap.done()


main()
