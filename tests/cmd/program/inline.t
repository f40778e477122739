#!/usr/bin/python3
"""Inlined functions: chains of addresses against llvm-symbolizer, instructions and entries of instances against a slow
model (tests/oracle/inline_model.py), by compilers and versions of DWARF.  (TAP)
"""
import collections
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import command
from inlinelib import PROGS, programs

WANTED = (("nest.c", "gcc", "-O2", "-g"), ("nest.c", "gcc", "-O2", "-gdwarf-4"), ("nest.c", "clang-14", "-O2", "-g"),
          ("shapes.cc", "g++", "-O2", "-g"), ("shapes.cc", "g++", "-O3", "-gdwarf-4"), ("shapes.cc", "clang++-14", "-O2", "-g"),
          ("shapes.cc", "clang++-19", "-O2", "-gdwarf-5"), ("shapes.cc", "clang++-19", "-O2", "-gdwarf-4"),
          ("scores.rs", "rustc"))
# llvm-symbolizer, of several symbols at an address, takes another one than the tool for the outermost function.
PART = re.compile(r"\.(cold|part|constprop|isra|llvm)\b.*")


def our_chains(p):
    """Returns, by address in the file, the text of dcfg disasm --inline."""
    status, out, err = command("disasm", "--inline", "--mangled", "--image=" + p.name, p.graph)
    chain, found = None, {}
    for line in out.splitlines():
        comment = re.match(r" {40}; (?!   )(.*)$", line)
        insn = re.match(r" *[\d,]+ +(?:<?[\d.]+% )? +[0-9a-f]+ +([0-9a-f]+)  (.*)$", line)
        if comment:
            chain = comment[1]
        elif insn and insn[2].startswith("block "):
            chain = None
        elif insn:
            found[int(insn[1], 16)] = chain
    return found, err


def split(chain):
    """Returns [(function, file, line)], the innermost first."""
    return [re.fullmatch(r"(\S+):(\d+) (.*)", part).group(3, 1, 2) for part in chain.split(", at ")]


def their_chains(p, addrs):
    said = subprocess.run(["llvm-symbolizer", "--obj=" + p.path, "--inlining", "--functions=linkage", "--no-demangle"],
                          input="".join("%#x\n" % a for a in addrs), capture_output=True, text=True, check=True).stdout
    found = {}
    for a, text in zip(addrs, said.split("\n\n")):
        lines = text.strip().split("\n")
        found[a] = [(lines[i], *os.path.basename(lines[i + 1]).split(":")[:2]) for i in range(0, len(lines) - 1, 2)]
    return found


def aliases(path):
    """Returns each function's address by name."""
    out = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    return {name: addr for addr, name in re.findall(r"^([0-9a-f]+) [tTwWuiV] (\S+)$", out, re.M)}


def check_chains(tap, what, p):
    if shutil.which("llvm-symbolizer") is None:
        tap.skip("chains of " + what, "llvm-symbolizer is not installed")
        return
    ours, err = our_chains(p)
    theirs, at, wrong = their_chains(p, sorted(ours)), aliases(p.path), []
    for a, chain in ours.items():
        other = theirs[a]
        if chain is None:
            if len(other) > 1 or other[0][2] != "0":        # symbols without lines
                wrong.append((hex(a), chain, other))
            continue
        mine = split(chain)
        outer, its = PART.sub("", mine[-1][0]), PART.sub("", other[-1][0])
        same = outer == its or at.get(mine[-1][0]) == at.get(other[-1][0], "")
        if mine[:-1] != other[:-1] or mine[-1][1:] != other[-1][1:] or not same:
            wrong.append((hex(a), mine, other))
    deep = sum(len(split(c)) > 2 for c in ours.values() if c)
    tap.ok(not wrong and deep > 10, "chains of %s are llvm-symbolizer's" % what, "%d of %d\n%s\n%s" %
           (len(wrong), len(ours), "\n".join(map(str, wrong[:5])), err))


def check_sites(tap, what, p):
    rows = p.rows("--sites")
    ours = collections.Counter((r["function"], r["site"], r["in"], int(r["instructions"]), int(r["inclusive"]),
                                int(r["entries"])) for r in rows)
    status, out = harness.oracle("inline_model.py", p.graph, p.path)
    theirs = collections.Counter()
    for line in out.splitlines() if status == 0 else ():
        f = line.split("\t")
        theirs[(*f[:3], *map(int, f[3:]))] += 1
    tap.ok(ours == theirs and ours, "instructions and entries of %s by instance" % what,
           "%s\n%s\n%s" % (list((ours - theirs).items())[:5], list((theirs - ours).items())[:5], out[-2000:] * (status != 0)))


def check_sums(tap, what, p):
    every, graph = p.rows("--inline", image=False), p.data()
    tap.ok(sum(int(r["instructions"]) for r in every) == graph["INSTR_COUNT"], "the sum over functions of %s is the graph's" % what)
    own, sites = p.rows("--inline"), p.rows("--sites")
    by = collections.Counter()
    for r in sites:
        by[r["function"]] += int(r["instructions"])
    have = collections.Counter()
    for r in own:
        have[r["function"]] += int(r["inlined"])
    tap.ok(+have == +by, "sites of %s add up to functions" % what)


def check_bodies(tap, what, p):
    """Checks entries and calls of functions whose bodies have marks, nopl ID(%rax), by the executions of the marks."""
    marks = collections.Counter()
    for line in command("disasm", "--att", "--image=" + p.name, p.graph)[1].splitlines():
        m = re.match(r" *([\d,]+) .* nopl\s+0x(1[0-9a-f]{2})\(%rax\)", line)
        if m:
            marks[int(m[2], 16) - 0x101] += int(m[1].replace(",", ""))
    rows = {r["function"]: int(r["entries"]) + int(r["calls"]) for r in p.rows("--inline")}
    names = re.findall(r"^INLINE int (\w+)", harness.read(os.path.join(PROGS, "bodies.cc")), re.M)
    wrong = []
    for i, name in enumerate(names):
        have = [n for function, n in rows.items() if re.fullmatch(r"(_ZL\d+)?%si?" % name, function)]
        if have != [marks[i]] or not marks[i]:
            wrong.append((name, have, marks[i]))
    tap.ok(not wrong and len(names) == 11, "entries are the calls that bodies count: " + what, wrong)


def main():
    tap = harness.Tap("inline")
    for what, p in programs(tap, [("bodies.cc", cc, "-O2", dwarf) for cc in ("g++", "clang++-14", "clang++-19")
                                  for dwarf in ("-gdwarf-4", "-gdwarf-5")]):
        check_bodies(tap, what, p)
    for what, p in programs(tap, WANTED):
        check_chains(tap, what, p)
        if not p.name.startswith("scores") or os.environ.get("DCFG_SLOW"):
            check_sites(tap, what, p)       # the model would take a minute for all of Rust's library
        check_sums(tap, what, p)
    tap.done()


main()
