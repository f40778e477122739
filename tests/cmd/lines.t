#!/usr/bin/python3
"""Lines: dcfg report --lines and dcfg annotate against Callgrind's cost of each line and gcov's count of each line; the first
screen of dcfg report; functions with their own instructions; folds, code without debug information.  (TAP)
"""
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command, table

import callgrind_compare

PROGRAM = harness.text("cmd/lines_program.c")
# Inlined code, also of a header of the library; lambdas; a template.
INLINED = harness.text("cmd/lines_inlined.cc")


def written(tap, name, text):
    harness.written(tap, name, text)
    return tap.path(name)


def callgrind(tap, name, argv):
    """Returns {(file, line): instructions} of the program's own code, as Callgrind has it."""
    out = tap.path(name + ".callgrind")
    subprocess.run([harness.VALGRIND, "-q", "--tool=callgrind", "--dump-line=yes", "--callgrind-out-file=" + out] + argv, check=True,
                   env=dict(harness.ENV, LD_BIND_NOW="1"), cwd=tap.dir, stdout=subprocess.DEVNULL)
    costs = {}
    for (function, file, line), (cost,) in callgrind_compare.Profile(out).lines.items():
        if function[0] == argv[0] and line > 0 and cost > 0:
            costs[os.path.normpath(file), line] = costs.get((os.path.normpath(file), line), 0) + cost
    return costs


def report(*args):
    status, out, err = command("report", "--csv", *args)
    return table(out) if status == 0 else []


def lines_of(graph, *args):
    return {(r["file"], int(r["line"])): r for r in report("--lines", "--top=0", "--image=main", *args, graph)}


def check_callgrind(tap, name, graph, argv):
    """Instructions of each line, those of inlined code and of headers, too."""
    theirs = callgrind(tap, name, argv)
    rows = lines_of(graph)
    ours = {key: int(r["instructions"]) for key, r in rows.items() if int(r["instructions"]) > 0}
    wrong = ["%s:%d: Callgrind %s, here %s" % (key + (theirs.get(key), ours.get(key))) for key in sorted(set(theirs) | set(ours))
             if theirs.get(key) != ours.get(key)]
    tap.ok(len(theirs) > 15 and not wrong, "%s: instructions of %d lines, as Callgrind has them" % (name, len(theirs)), "\n".join(wrong[:20]))
    apart = report("--lines", "--inline", "--top=0", "--image=main", graph)
    sums = {}
    for r in apart:
        key = r["file"], int(r["line"])
        sums[key] = sums.get(key, 0) + int(r["instructions"])
    tap.ok(sums == ours, "%s: --inline divides them" % name)
    return rows, apart


def check_gcov(tap, source, rows):
    """Times of each line, without optimisation."""
    if not shutil.which("gcov"):
        tap.skip("times, as gcov has them", "gcov is not installed")
        return
    name = tap.path("counted")
    subprocess.run(["cc", "-O0", "-g", "--coverage", "-o", name, source], check=True, cwd=tap.dir)
    subprocess.run([name, "x"], check=True, cwd=tap.dir, stdout=subprocess.DEVNULL)
    gcda = [f for f in os.listdir(tap.dir) if f.endswith(".gcda")]
    r = subprocess.run(["gcov", "--json-format", "--stdout"] + gcda, cwd=tap.dir, stdout=subprocess.PIPE, check=True)
    theirs = {x["line_number"]: x["count"] for x in json.loads(r.stdout.decode().splitlines()[0])["files"][0]["lines"]}
    ours = {line: int(r["times"]) for (file, line), r in rows.items() if file == source and r["times"]}
    wrong = ["%d: gcov %s, here %s" % (n, count, ours.get(n)) for n, count in sorted(theirs.items()) if count != ours.get(n, 0)]
    # gcov counts a statement's several lines by its blocks; here control comes back to the first line.
    text = [""] + PROGRAM.split("\n")
    wrong = [w for w in wrong if not text[int(w.split(":")[0])].endswith("p[i].y * p[i].y")]
    tap.ok(len(theirs) > 25 and not wrong, "times of %d lines, as gcov has them" % len(theirs), "\n".join(wrong))


# A line of dcfg annotate: share, instructions, times, branches, line number.
ROW = re.compile(r" *(?:<?[\d.]+% +)?([\d,]+)? +([\d,]+|#####)?(?: +((?:[\d,]+/[\d,]+ ?)+(?:\+\d+)?))? +(\d+)(?:  (.*))?$")


def annotated(*args):
    """Returns (status, {line: (instructions, times, branches, text)}, number of folded lines, output)."""
    status, out, err = command("annotate", *args)
    rows, folded = {}, 0
    lines = out.split("\n")
    head = next((i for i, text in enumerate(lines) if text.startswith(" share  instructions")), len(lines))
    ends = [m.end() for m in re.finditer(r"\S+", lines[head])] if head < len(lines) else []
    for text in lines[head + 1:]:
        fold = re.match(r" *\u2026 ([\d,]+) lines?", text)
        if fold:
            folded += int(fold[1].replace(",", ""))
        elif text and re.match(r"[ \d,.%<#/+]+$", text[:ends[-1]]):
            cells = [text[a:b].strip() for a, b in zip([0] + ends, ends)]
            if cells[-1].isdigit():
                rows[int(cells[-1])] = (int(cells[1].replace(",", "") or 0), cells[2].replace(",", ""),
                                        cells[3].replace(",", "") if len(cells) > 4 else "", text[ends[-1] + 2:])
    return status, rows, folded, out + err


def check_annotate(tap, source, graph, rows):
    text = [""] + PROGRAM.split("\n")
    first = next(n for n, t in enumerate(text) if "static int far(" in t)
    mine = {n: r for (file, n), r in rows.items() if file == source}
    # The hottest function, and the same by its name and by its lines.
    status, got, folded, out = annotated(graph)
    tap.ok(status == 0 and out.startswith("far  %s:%d-%d\n" % (source, first, first + 9)) and list(got) == list(range(first, first + 10)),
           "annotate: the hottest function", out)
    bad = [n for n, r in got.items() if r[0] != int(mine.get(n, {"instructions": 0})["instructions"])
           or (r[1] != (mine[n]["times"] if n in mine else "")) or r[3] != text[n]]
    tap.ok(not bad, "annotate: its numbers are those of report --lines, its text the file's", "%s\n%s" % (bad, out))
    runs = {n: [int(x) for x in r[2].split("/")] for n, r in got.items() if r[2].count("/") == 1}
    compared = next(n for n in runs if "p[best].x" in text[n])
    calls = sum(range(1, 200, 3))
    tap.ok(sum(runs[compared]) == calls and len(runs) == 2, "annotate: branches taken and not", "%s, %d" % (runs, calls))
    tap.ok(annotated(graph, "far")[1] == got and annotated(graph, "lines.c:%d-%d" % (first, first + 9))[1] == got,
           "annotate: by name, by file and lines")
    here = os.path.join(tap.dir, "dcfg.out.1.json")
    shutil.copy(graph, here)
    status, out, err = command("annotate", "far", cwd=tap.dir)
    tap.ok(status == 0 and out.startswith("far "), "annotate: the newest graph", out + err)
    # Lines that did not run are marked; lcov's tracefile says the same.
    status, all_lines, folded, out = annotated(graph, "lines.c")
    info = command("export", "--lcov", graph)[1]
    da = {int(n): int(count) for n, count in re.findall(r"^DA:(\d+),(\d+)", info.split("SF:" + source)[1].split("end_of_record")[0], re.M)}
    dead = {n for n, count in da.items() if count == 0}
    tap.ok(dead and {n for n, r in all_lines.items() if r[1] == "#####"} == dead
           and {n: int(r[1]) for n, r in all_lines.items() if r[1].isdigit()} == {n: c for n, c in da.items() if c > 0},
           "annotate: a file; what did not run is marked", out)
    # Instructions between the lines.
    status, out, err = command("annotate", "--asm", graph, "far")
    sums, at = {}, None
    for line in out.split("\n"):
        m = re.match(r" {0,22}([\d,]+)  +[0-9a-f]+ +[0-9a-f]+  [a-z]", line)
        if m:
            sums[at] = sums.get(at, 0) + int(m[1].replace(",", ""))
        elif re.match(r"[ \d,.%<#/+]+? (\d+)(  |$)", line):
            at = next(n for n in got if re.search(r" %d(  |$)" % n, line))
    disasm = command("disasm", "--function=far", graph)[1]
    codes = re.findall(r"^ *[\d,]+ {9,}([0-9a-f]+ +[0-9a-f]+  \S.*)$", disasm, re.M)
    codes = [c for c in codes if "block" not in c]
    tap.ok(sums == {n: r[0] for n, r in got.items() if r[0] > 0} and len(codes) > 20 and all(c in out for c in codes),
           "annotate --asm: the instructions of disasm, which add up to the line's", "%s\n%s" % (out, disasm))


def check_folds(tap):
    """Stretches without counts fold, with how much of them has code."""
    body = ["int pad%d(int n) { return n + %d; }" % (i, i) for i in range(60)]
    text = ["/* 1 */"] * 30 + ["int main(int argc, char** argv)", "{", "   (void)argv;"] + ["   /* 2 */"] * 20 + [
        "   return argc > 3;", "}"] + body
    source = written(tap, "folds.c", "\n".join(text) + "\n")
    prog = harness.cc(tap, source, "folds", "-g", "-O0")
    graph = harness.dcfg(tap, "folds", [prog])[0]
    status, rows, folded, out = annotated(graph, "folds.c")
    said = re.search(r"\u2026 (\d+) lines, (\d+) of them with code that did not run\n$", out)
    tap.ok(status == 0 and folded + len(rows) == len(text) and folded > 80 and said and said[2] == said[1],
           "annotate: long stretches fold", out)
    status, rows, folded, out = annotated(graph, "main")
    tap.ok(folded == 15 and rows[31][3] == text[30], "annotate: a fold within a function", out)
    os.rename(source, source + ".gone")
    status, rows, _, out = annotated(graph, "main")
    tap.ok(status == 0 and "the source file cannot be read" in out and set(rows) == {31, 32, 54, 55}, "annotate: without the text", out)
    tap.ok(sum(r[0] for r in rows.values()) > 5, "annotate: its numbers are there", out)


def check_bare(tap, source):
    prog = harness.cc(tap, source, "bare", "-O0", "-g0")
    graph = harness.dcfg(tap, "bare", [prog, "x"])[0]
    status, out, err = command("annotate", graph)
    tap.ok(status == 0 and out.startswith("far has no source lines") and "block" in out and "imul" in out or harness.lacks_x86(),
           "annotate: the code, without debug information", out + err)
    status, out, err = command("report", graph)
    tap.ok(status == 0 and "No lines: the code has no debug information" in out and not err, "report: without lines", out + err)
    status, out, err = command("annotate", graph, "fra")
    tap.ok(status == 2 and not out and "called `fra'" in err and "did you mean `far'" in err, "annotate: no such function", out + err)


def check_screen(tap, graph, trace):
    """The first screen: sections, size; with --csv the sections that were there before."""
    status, out, err = command("report", graph)
    lines = out.split("\n")
    heads = [re.sub(r"^Hottest \d+ of [\d,]+ ", "", t).split(" (")[0].lower() for t in lines if re.match(r"(Hottest|[A-Z]\w+)( |$)", t)]
    tap.ok(status == 0 and heads == ["functions", "lines", "loops"] and len(lines) <= 40 and max(map(len, lines[1:])) <= 80,
           "report: functions, lines and loops on a screen", out + err)
    tap.ok(re.search(r"% +[\d,]+ +[\d,]+  lines\.c:\d+  +> p\[best\]", out), "report: lines with their text", out)
    longer = command("report", "--top=20", graph)[1]
    tap.ok(longer.count("lines.c:") > out.count("lines.c:"), "report: --top", longer)
    names = command("report", "--json", graph)[1]
    tap.ok(list(json.loads(names)["processes"][0])[-5:] == ["loops", "routines", "blocks", "edges", "images"],
           "report: --json has the sections that it had")
    both = json.loads(command("report", "--json", "--lines", "--functions", "--top=0", graph)[1])["processes"][0]
    alone = {r["function"]: r for r in both["source_functions"]}
    inclusive = {r["function"]: r for r in json.loads(command("report", "--json", "--inclusive", "--top=0", graph, trace)[1]
                                                      )["processes"][0]["functions"]}
    # Nobody calls the first function of a thread.
    bad = [(name, r, inclusive.get(name)) for name, r in alone.items() if r["image"] == "lines" and name != "_start"
           and (name not in inclusive or (r["self"], r["calls"]) != (inclusive[name]["self"], inclusive[name]["calls"]))]
    tap.ok({"main", "far", "fib"} <= set(alone) and not bad, "report: --functions, as the trace has them", bad[:9])
    more = {r["function"]: r for r in json.loads(command("report", "--json", "--functions", "--top=0", graph, trace)[1]
                                                 )["processes"][0]["source_functions"]}
    tap.ok(all(more[n]["inclusive"] == r["inclusive"] and more[n]["self"] == r["self"] for n, r in inclusive.items()),
           "report: --functions with a trace")
    tap.ok({(r["file"], r["line"]) for r in both["lines"]} == {(r["file"], int(r["line"])) for r in report("--lines", "--top=0", graph)},
           "report: --lines in JSON and CSV")


def main():
    tap = harness.Tap("lines")
    source = written(tap, "lines.c", PROGRAM)
    prog = harness.cc(tap, source, "lines", "-g", "-O0")
    trace = tap.path("lines-trace.json")
    # Without stubs that look for their targets, each instruction of a stub is a caller's.
    graph, _, why = harness.dcfg(tap, "lines", [prog, "x"], ["--trace=yes", "--trace-out-file=" + trace],
                                 dict(harness.ENV, LD_BIND_NOW="1"))
    if not tap.ok(graph, "the program runs", why):
        return tap.done()
    rows, _ = check_callgrind(tap, "lines", graph, [prog, "x"])
    check_gcov(tap, source, rows)
    check_annotate(tap, source, graph, rows)
    check_screen(tap, graph, trace)
    check_folds(tap)
    check_bare(tap, source)
    path = written(tap, "inlined.cc", INLINED)
    prog = harness.cc(tap, path, "inlined", "-g", "-O2", compiler="c++")
    graph, _, why = harness.dcfg(tap, "inlined", [prog], env=dict(harness.ENV, LD_BIND_NOW="1"))
    rows, apart = check_callgrind(tap, "inlined", graph, [prog])
    chains = {r["inlined"] for r in apart if r["source"] == "inlined.cc:5"}
    tap.ok(any(re.match(r".*square.*, at inlined.cc:7 .*weight.*, at inlined.cc:14 .*heavy", c) for c in chains) and len(chains) > 1,
           "report: --lines --inline says through which calls", chains)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
