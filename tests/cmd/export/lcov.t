#!/usr/bin/python3
"""dcfg export --lcov, with lcov and genhtml of the system: branches in gcov's order, functions in copies and inlined, libraries
that follow each other at one address.  (TAP)
"""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import command
from lcovlib import compare_branches, lcov, read_info, unfit

# Conditions of all kinds: parts that only leave, several on a line, one on several lines, loops, macros.
CONDITIONS = harness.text("export/lcov.c")


def check_conditions(tap):
    """Branches in gcov's order, so that lcov adds up the same ones, in both orders of the files."""
    source = harness.written(tap, "conditions.c", CONDITIONS)
    subprocess.run(["cc", "-O0", "-g", source, "-o", tap.path("conditions")], check=True)
    graph, _, why = harness.dcfg(tap, "conditions", [tap.path("conditions")])
    command("export", "--lcov", "-o", tap.path("mine.info"), graph)
    ours = read_info(tap.path("mine.info"))[source]
    tap.ok(not unfit(tap.path("mine.info")), "lcov: conditions, consistent", unfit(tap.path("mine.info")))
    if not shutil.which("gcov") or not shutil.which("lcov"):
        tap.skip("lcov: conditions, with gcov's", "gcov or lcov is not installed")
        return
    os.mkdir(tap.path("theirs"))
    subprocess.run(["cc", "-O0", "-g", "--coverage", source, "-o", "counted"], check=True, cwd=tap.path("theirs"))
    subprocess.run(["./counted"], check=True, cwd=tap.path("theirs"), stdout=subprocess.DEVNULL)
    why = lcov(tap, ["lcov", "-c", "-d", "theirs", "-o", "theirs.info"])
    theirs = read_info(tap.path("theirs.info"))[source]
    same, other = compare_branches(ours, {n: [w or 0 for w in theirs["BR"].get((n, 0), [])] for n in theirs["DA"]})
    text = [""] + CONDITIONS.split("\n")
    other = [o for o in other if not any(k in text[int(o.split(":")[0])] for k in ("a == b", "a < b", "sum == 0"))]
    tap.ok(same > 36 and not other, "lcov: %d branches of conditions in gcov's order" % same, "\n".join(other))
    for files in (("mine.info", "theirs.info"), ("theirs.info", "mine.info")):
        why = lcov(tap, ["lcov", "-a", files[0], "-a", files[1], "-o", "sum.info"])
        if not tap.ok(not why, "lcov -a %s -a %s" % files, why):
            continue
        both = read_info(tap.path("sum.info"))[source]
        wrong = [n for n, ways in both["BR"].items() if n[1] == 0 and (n[0], 1000) not in ours["BR"]
                 and [w or 0 for w in ways] != [2 * (w or 0) for w in theirs["BR"][n]]]
        wrong += [n for n in ours["BR"] if n[1] == 1000 and theirs["BR"][n[0], 0] not in [w for k, w in both["BR"].items() if k[0] == n[0]]]
        tap.ok(not wrong, "lcov: each branch of the sum is twice gcov's", [(n, both["BR"][n], theirs["BR"].get(n)) for n in wrong])


# Functions that ran where they were inlined, or in several copies; such that did not; libraries that follow each other.
COPIES = {"copies.h": r"""
static int twice(int x)
{
   if (x > 5)
      return 2 * x;
   return x + x + 1;
}
static inline int never_here(int x)
{
   return x - 1;
}
""", "first.cc": r"""
#include "copies.h"
int first(int x)
{
   return twice(x) + (x > 100 ? never_here(x) : 0);
}
""", "second.cc": r"""
#include "copies.h"
#include <cstdio>
#include <cstdlib>
int first(int);
int total = first(1);
int not_called() { return total; }
int later = first(2);
struct Part {
   int unused() { return n; }
   int n = later > 3 ? 1 : 2;
   Part() {}
};
struct Implied {
   Part p;
   int m = total;
};
static int add(int x)
{
   if (x & 1)
      total += x;
   return total;
}
int main()
{
   int sum = Part().n + Implied().m;
   auto cold = [](int n) {
      return n + 2;
   };
   for (int i = 0; i < 100; i++)
      sum += add(i) + first(i) + twice(i);
   if (sum == 5)
      sum = cold(sum);
   if (sum == 6)
      std::exit(sum);
   return std::printf("%d\n", sum) < 0;
}
"""}


def check_copies(tap):
    os.mkdir(tap.path("copies"))
    for name, text in COPIES.items():
        harness.written(tap, "copies/" + name, text)
    for level in ("-O0", "-O2"):
        subprocess.run(["c++", "-g", level, "first.cc", "second.cc", "-o", "copies"], check=True, cwd=tap.path("copies"))
        graph, _, why = harness.dcfg(tap, "copies" + level, [tap.path("copies/copies")])
        path = tap.path("copies%s.info" % level)
        command("export", "--lcov", "-o", path, graph)
        info = read_info(path)
        header, main = info[tap.path("copies/copies.h")], info[tap.path("copies/second.cc")]
        twos = {n: c for n, c in header["FN"].items() if "twice" in n}
        adds = {n: c for n, c in main["FN"].items() if "add" in n}
        # An optimiser may copy the entry of an inlined function.
        calls = sum(twos.values())
        tap.ok(len(twos) == 1 and (calls == 202 if level == "-O0" else calls > 100) and len(header["FN"]) <= 2,
               "lcov %s: a function of a header, in all copies" % level, header["FN"])
        tap.ok(list(adds.values()) == [100], "lcov %s: calls where it was inlined" % level, main["FN"])
        tap.ok(not any(k in n for n in main["FN"] for k in ("GLOBAL", "static_init", "Implied")) and not {6, 8} & set(main["DA"]),
               "lcov %s: nothing that the compiler made" % level, main["FN"])
        tap.ok(not unfit(path), "lcov %s: consistent" % level, unfit(path))
        if shutil.which("genhtml"):
            why = lcov(tap, ["genhtml", "-o", "html" + level, path])
            tap.ok(not why, "genhtml %s" % level, why)
        else:
            tap.skip("genhtml " + level, "lcov is not installed")


def check_split(tap):
    """Debug information in .dwo files says the same."""
    for level in ("-O0", "-O2"):
        subprocess.run(["c++", "-gdwarf-4", "-gsplit-dwarf", level, "first.cc", "second.cc", "-o", "split"], check=True, cwd=tap.path("copies"))
        graph, _, why = harness.dcfg(tap, "split" + level, [tap.path("copies/split")])
        status, out, err = command("export", "--lcov", graph)
        whole = harness.read(tap.path("copies%s.info" % level))
        tap.ok(status == 0 and sorted(out.split("\n")) == sorted(whole.split("\n")), "lcov %s: -gsplit-dwarf" % level, out + err + whole)


def check_libraries(tap):
    """Three libraries, one after the other at one address, each several times."""
    for n in "abc":
        with open(tap.path("lib%s.c" % n), "w") as f:
            f.write("int sum_%s;\nvoid inner_%s(int k)\n{\n   while (k-- > 0)\n      sum_%s += k;\n}\n" % (n, n, n)
                    + "int entry_%s(int k)\n{\n   inner_%s(k);\n   return sum_%s;\n}\n" % (n, n, n))
        subprocess.run(["cc", "-g", "-shared", "-fPIC", "-o", "lib%s.so" % n, "lib%s.c" % n], check=True, cwd=tap.dir)
    with open(tap.path("opens.c"), "w") as f:
        f.write(r"""
#include <dlfcn.h>
int main(void)
{
   for (const char* at = "abcabcbcc"; *at != 0; at++) {
      char  file[] = "./lib?.so", name[] = "entry_?";
      void* h;
      file[5] = name[6] = *at;
      h = dlopen(file, RTLD_NOW);
      ((int (*)(int))dlsym(h, name))(10);
      dlclose(h);
   }
   return 0;
}
""")
    subprocess.run(["cc", "-g", "-o", "opens", "opens.c", "-ldl"], check=True, cwd=tap.dir)
    graph, _, why = harness.dcfg(tap, "opens", [tap.path("opens")])
    command("export", "--lcov", "--image=lib?.so", "-o", tap.path("libs.info"), graph)
    info = read_info(tap.path("libs.info"))
    counts = {name: n for f in info.values() for name, n in f["FN"].items()}
    tap.ok(counts == {k + n: times for k in ("inner_", "entry_") for n, times in zip("abc", (2, 3, 4))}, "lcov: libraries at one address", counts)
    # Two builds of one library under one path: the counts of one are not the other's.
    with open(tap.path("libb.c"), "a") as f:
        f.write("int more(void)\n{\n   return 1;\n}\n")
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "-o", "libb.so", "libb.c"], check=True, cwd=tap.dir)
    status, out, err = command("export", "--lcov", "--image=lib?.so", graph)
    tap.ok(status == 2 and not out and "not the file that was executed" in err, "lcov: another build", out[:300] + err)


def main():
    tap = harness.Tap("lcov")
    check_conditions(tap)
    check_copies(tap)
    check_split(tap)
    check_libraries(tap)
    tap.done()


main()
