#!/usr/bin/python3
"""dcfg export: each line against the DCFG and the ELF file, counted again; errors.  (TAP)

The programs that read the output run, too.  BOLT takes the profile without mismatches, and the program that it makes takes
fewer branches.  clang's program needs fewer instructions.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import command

try:
    from elftools.elf.elffile import ELFFile
except ImportError:
    ELFFile = None

# Hot paths that the compiler guesses wrong, calls worth inlining, a jump table, REP, a signal handler.
PROGRAM = harness.text("export/export_program.c")
# Code behind a call that is a jump's target, too: in assembly, and as gcc compiles it.
WAYS = harness.text("export/export_ways.c")
TAKEN = re.compile("CALL$|^RETURN$|BRANCH$")


class Graph:
    """A DCFG and the ELF file of its first image, in addresses of the file."""

    def __init__(self, path, program):
        d = json.loads(harness.read(path))
        self.data = data = d["PROCESSES"][1][1]
        names = {r[0]: r[1] for r in d["FILE_NAMES"][1:]}
        types = {r[0]: r[1] for r in d["EDGE_TYPES"][1:]}
        with open(program, "rb") as f:
            elf = ELFFile(f)
            first = next(s for s in elf.iter_segments() if s["p_type"] == "PT_LOAD")
            base = first["p_vaddr"] - first["p_offset"]
            self.plt = [(s["sh_addr"], s["sh_addr"] + s["sh_size"]) for s in elf.iter_sections() if s.name.startswith(".plt")]
        self.blocks = {}
        for im in data["IMAGES"][1:]:
            if names[im[3]["FILE_NAME_ID"]] == program:
                for node, offset, size, _, last, count in im[3].get("BASIC_BLOCKS", [[]])[1:]:
                    at = base + int(offset, 16)
                    self.blocks[node] = (at, at + last, at + size, count)
        self.edges = [(s, t, types[k], sum(n)) for _, s, t, k, n in data["EDGES"][1:]]

    def is_stub(self, node):
        return any(a <= self.blocks[node][0] < b for a, b in self.plt)

    def branches(self, outside):
        sums = collections.Counter()
        for s, t, kind, n in self.edges:
            if n and (s in self.blocks or t in self.blocks):
                if TAKEN.search(kind):
                    sums[self.blocks[s][1] if s in self.blocks else outside,
                         self.blocks[t][0] if t in self.blocks else outside] += n
                elif kind == "CONTEXT_CHANGE" and t in self.blocks:
                    sums[outside, self.blocks[t][0]] += n
        return sums

    def ranges(self):
        again = {s: n for s, t, kind, n in self.edges if kind == "REP" and s == t}
        return {(b[0], b[1]): b[3] - again.get(node, 0) for node, b in self.blocks.items()}

    def falls(self):
        """Returns the ways from a block to the next one.  From a call there are as many as returns behind it."""
        returns = collections.Counter()
        for _, t, kind, n in self.edges:
            returns[t] += n if kind == "RETURN" else 0
        ways = {}
        for s, t, kind, n in self.edges:
            n = returns[t] if kind == "CALL_BYPASS" else n
            if n and s in self.blocks and t in self.blocks and (kind == "FALL_THROUGH" or kind in ("SYSTEM_CALL_BYPASS", "CALL_BYPASS")
                                                                and self.blocks[s][2] == self.blocks[t][0]):
                ways[self.blocks[s][1], self.blocks[t][0]] = n
        return ways

    def taken(self):
        """Returns the branches taken within the program, without calls and returns."""
        return sum(n for s, _, kind, n in self.edges if s in self.blocks and kind.endswith("BRANCH"))


def differences(got, want):
    return "\n".join("%s: %s, want %s" % (k, got.get(k), want.get(k)) for k in sorted(set(got) | set(want), key=str)
                     if got.get(k) != want.get(k))


def read_bolt(text):
    lines = {"F": collections.Counter(), "B": collections.Counter()}
    for line in text.splitlines():
        kind, a, b, n, *rest = line.split(" ")
        if (kind == "B") != (rest == ["0"]) or kind not in lines:
            raise ValueError(line)
        lines[kind][tuple(p if p == "X:0" else int(p, 16) for p in (a, b))] += int(n)
    return lines


def check_bolt(tap, name, graph, g):
    status, out, err = command("export", "--bolt", graph)
    lines = read_bolt(out) if status == 0 else {"F": {}, "B": {}}
    want = collections.Counter(g.falls())
    for node, b in g.blocks.items():
        if not g.is_stub(node):
            want[b[0], b[1]] += g.ranges()[b[0], b[1]]
    tap.ok(status == 0 and lines["F"] == want, name + ": --bolt: straight code", err + differences(lines["F"], want))
    want = g.branches("X:0")
    tap.ok(status == 0 and lines["B"] == want and "X:0" in {a for a, _ in want} & {b for _, b in want},
           name + ": --bolt: branches", err + differences(lines["B"], want))
    tap.ok("is what was executed" in err and "perf2bolt -pa -p OUT" in err,
           name + ": --bolt: what is said", err)


def check_profgen(tap, name, graph, g):
    status, out, err = command("export", "--profgen", graph)
    lines = out.splitlines() or ["0", "0"]
    n = int(lines[0])
    ranges = {tuple(int(a, 16) for a in r.split(":")[0].split("-")): int(r.split(":")[1]) for r in lines[1:n + 1]}
    branches = {tuple(int(a, 16) for a in r.split(":")[0].split("->")): int(r.split(":")[1]) for r in lines[n + 2:]}
    want = g.branches(None)
    across = sum(c for k, c in want.items() if None in k)
    want = {k: c for k, c in want.items() if None not in k}
    tap.ok(status == 0 and ranges == g.ranges(), name + ": --profgen: ranges", err + differences(ranges, g.ranges()))
    tap.ok(branches == want and int(lines[n + 1]) == len(branches), name + ": --profgen: branches",
           err + differences(branches, want))
    tap.ok("--use-offset=0" in err and "left out: %d branches" % across in err, name + ": --profgen: what is said", err)


def check_bolt_needs(tap, program, graph):
    """The command says what BOLT misses in a file."""
    err = command("export", "--bolt", graph)[2]
    tap.ok("was linked without -Wl,-q" in err and "perf2bolt -pa -p OUT" in err, "--bolt: a file that keeps no relocations", err)
    stripped = tap.path("stripped")
    subprocess.run(["strip", "-o", stripped, program], check=True)
    graph = harness.dcfg(tap, "stripped", [stripped, "x"])[0]
    status, out, err = command("export", "--bolt", graph)
    tap.ok(status == 0 and out and stripped + " is stripped: BOLT needs" in err and "perf2bolt" not in err,
           "--bolt: a stripped file", err)


def check_refused(tap, program, graph):
    """Checks a refusal: one line, status 2, and no file."""
    other, out = tap.path("other"), tap.path("none")
    os.rename(program, other)
    for what, args in (("no such file", ["--bolt"]), ("nothing asked for", []), ("two", ["--bolt", "--profgen"]),
                       ("two files", ["--bolt", "--image=*"]), ("no image", ["--bolt", "--image=nonesuch"]),
                       ("no thread", ["--bolt", "--thread=9"])):
        status, text, err = command("export", "-o", out, *args, graph)
        tap.ok(status == 2 and not text and not os.path.exists(out) and "\n\n" not in err, "refused: " + what, err)
    # The same program compiled in another way, and one with a single instruction more.
    for flags in (["-O2"], ["-DMORE"]):
        subprocess.run(["cc", "-O1", "-g", "-x", "c", "-o", program, "-"] + flags, check=True,
                       input=PROGRAM.replace("n * 2;", "n * 2 + 77;" if "-DMORE" in flags else "n * 2;").encode())
        status, text, err = command("export", "--bolt", "-o", out, graph)
        tap.ok(status == 2 and "is not the file that was executed" in err and not os.path.exists(out), "refused: another " + flags[0], err)
    os.rename(other, program)


def llvm(name):
    """Returns the newest one; None if there is none."""
    found = sorted(glob.glob("/usr/lib/llvm-*/bin/" + name), key=lambda p: int(re.search(r"llvm-(\d+)", p).group(1)))
    return found[-1] if found else None


def run(*argv):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=harness.ENV, timeout=harness.TIMEOUT)
    return r.returncode, r.stdout.decode(errors="replace")


def next_commands(err):
    return [line.strip() for line in err.splitlines() if line.startswith("  /")]


def judge_bolt(tap, program, graph, g):
    if not llvm("llvm-bolt"):
        tap.skip("BOLT", "bolt-N is not installed")
        return
    out = tap.path("prog.preagg")
    err = command("export", "--bolt", "-o", out, graph)[2]
    said = [run("sh", "-c", line) for line in next_commands(err)]
    mismatch = re.search(r"traces mismatching.*\((\d+(?:\.\d+)?)%\)", said[0][1] if said else "")
    tap.ok(len(said) == 2 and not said[0][0] and mismatch and float(mismatch.group(1)) <= 2, "BOLT takes the profile", err + str(said))
    tap.ok(len(said) == 2 and re.search(r"[1-9]\d* : taken jump table branches\n", said[1][1]) and "skipped" not in said[1][1],
           "its switch is in the profile, and no function is left as it was", said[1][1] if len(said) == 2 else "")
    bolted = program + ".bolt"
    if not tap.ok(os.path.exists(bolted) and run(bolted, "x") == run(program, "x"), "BOLT's program does the same", str(said)):
        return
    after, _, why = harness.dcfg(tap, "bolted", [bolted, "x"])
    # BOLT's program has addresses that its file's program headers say: see Graph.
    n = Graph(after, bolted).taken() if after else None
    rows = json.loads(command("diff", "--functions", "--share=0", "--top=0", "--json", graph, after)[1])["functions"] if after else []
    lost = [r for r in rows if r["change"] in ("new", "gone") and r["name"] in ("main", "opcode", "rare", "handler", "_start")]
    tap.ok(after and not lost, "dcfg diff has the same functions of both", lost)
    tap.ok(n is not None and n <= g.taken() * 0.8, "and takes fewer branches", "%s, before %s %s" % (n, g.taken(), why))


def counts_of(path):
    """Returns the counts of branches within functions in a profile of BOLT: its words without mispredictions."""
    counts = collections.Counter()
    with open(path) as f:
        for line in f:
            w = line.split()
            if len(w) == 8 and w[0] == w[3] == "1" and w[1] == w[4]:
                counts[tuple(w[1:6])] += int(w[7])
    return counts


def judge_ways(tap):
    """BOLT's own instrumentation has no other count than the export."""
    if not llvm("llvm-bolt"):
        tap.skip("BOLT's own counts", "bolt-N is not installed")
        return
    source, counted, own = tap.path("ways.c"), tap.path("ways.inst"), tap.path("ways.own")
    harness.write(source, WAYS)
    program = harness.cc(tap, source, "ways", "-O1", "-no-pie", "-fno-pie", "-fno-reorder-blocks-and-partition", "-Wl,-q")
    status, text = run(llvm("llvm-bolt"), program, "-o", counted, "-instrument", "-instrumentation-file=" + own)
    if status:
        tap.skip("BOLT's own counts", text.splitlines()[-1])
        return
    run(counted)
    graph = harness.dcfg(tap, "ways", [program])[0]
    out = tap.path("ways.preagg")
    command("export", "--bolt", "-o", out, graph)
    run(llvm("perf2bolt"), "-pa", "-p", out, "-o", out + ".fdata", program)
    want, got = counts_of(own), counts_of(out + ".fdata")
    # Instrumentation leaves out functions that run before and after it.
    got = collections.Counter({k: n for k, n in got.items() if k[0] in {f for f, *_ in want}})
    behind = sum(n for (f, *_), n in want.items() if f == "behind")
    tap.ok(behind > 900 and got == want, "BOLT's own instrumentation counts the same", differences(got, want))


def check_library(tap):
    """A library cannot be compiled with -no-pie: the advice is another."""
    path, source = tap.path("libpart.so"), tap.path("part.c")
    harness.write(source, "int part(int n) { return n * 3; }\n")
    lib = harness.cc(tap, source, "libpart.so", "-shared", "-fPIC", "-Wl,-q")
    harness.write(source, "int part(int); int main(int n, char** v) { return part(n) != 3; }\n")
    program = harness.cc(tap, source, "parts", path)
    graph = harness.dcfg(tap, "parts", [program])[0]
    said = [command("export", "--bolt", *a, graph)[2] for a in ((), ("--image=libpart", ))]
    tap.ok(lib and "a program that" in said[0] and "or clang,\nwith -fno-pie -no-pie (" in said[0], "--bolt: what a program needs", said[0])
    tap.ok("a library that" in said[1] and "with -fno-jump-tables (" in said[1] and "-no-pie" not in said[1], "--bolt: what a library needs", said[1])


def judge_profgen(tap):
    clang, profgen = llvm("clang"), llvm("llvm-profgen")
    if not clang or not profgen:
        tap.skip("llvm-profgen and clang", "llvm-N and clang-N are not installed")
        return
    source, flags = tap.path("program.c"), ["-O2", "-gdwarf-4", "-fdebug-info-for-profiling"]
    program, better = tap.path("sampled"), tap.path("better")
    run(clang, *flags, "-o", program, source)
    graph, _, why = harness.dcfg(tap, "sampled", [program, "x"])
    err = command("export", "--profgen", "-o", tap.path("unsym"), graph)[2]
    said = next_commands(err)
    status, text = run("sh", "-c", said[0]) if said else (1, "")
    if not tap.ok(not status and os.path.exists(tap.path("unsym.prof")), "llvm-profgen takes the profile", err + text + why):
        return
    status, text = run(clang, *flags, "-Werror", said[1].split()[1], "-o", better, source)
    tap.ok(not status and run(better, "x") == run(program, "x"), "clang takes what llvm-profgen makes", text)
    counts = []
    for p in (program, better):
        path, _, why = harness.dcfg(tap, "counted", [p, "x"], ["--cfg=no"])
        counts.append(json.loads(harness.read(path))["PROCESSES"][1][1]["INSTR_COUNT"])
    tap.ok(counts[1] < counts[0], "and its program needs fewer instructions", counts)


def main():
    tap = harness.Tap("export")
    if ELFFile is None:
        tap.skip("dcfg export", "there is no pyelftools")
        tap.done()
    source = harness.written(tap, "program.c", PROGRAM)
    for name, flags in (("pie", ["-pie", "-fPIE"]), ("fixed", ["-no-pie", "-fno-pie", "-fno-reorder-blocks-and-partition", "-Wl,-q"])):
        program = harness.cc(tap, source, name, *flags)
        graph, _, why = harness.dcfg(tap, name, [program, "x"])
        if not tap.ok(graph, name + ": a DCFG", why):
            continue
        g = Graph(graph, program)
        check_bolt(tap, name, graph, g)
        check_profgen(tap, name, graph, g)
        if name == "pie":
            check_refused(tap, program, graph)
            check_bolt_needs(tap, program, graph)
        else:
            tap.ok("-Wl,-q: BOLT" not in command("export", "--bolt", graph)[2], "--bolt: a file that has all it needs")
            judge_bolt(tap, program, graph, g)
    check_library(tap)
    judge_ways(tap)
    judge_profgen(tap)
    tap.done()


main()
