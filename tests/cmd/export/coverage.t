#!/usr/bin/python3
"""dcfg export --lcov against gcov of the same source and input: executed lines, counts, functions, branches.  genhtml and
lcov read it.  --drcov and --mca against the DCFG; errors.  (TAP)
"""
import collections
import json
import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import command
from lcovlib import compare_branches, read_info, unfit

PROGRAM = harness.text("export/coverage_program.c")


def check_gcov(tap, source, info):
    """Runs the same program, compiled by gcc with counters of its own."""
    name = tap.path("counted")
    subprocess.run(["cc", "-O0", "-g", "--coverage", "-o", name, source], check=True, cwd=tap.dir)
    subprocess.run([name, "x"], check=True, cwd=tap.dir, stdout=subprocess.DEVNULL)
    gcda = [f for f in os.listdir(tap.dir) if f.endswith(".gcda")]
    r = subprocess.run(["gcov", "-b", "--json-format", "--stdout"] + gcda, cwd=tap.dir, stdout=subprocess.PIPE, check=True)
    theirs = json.loads(r.stdout.decode().splitlines()[0])["files"][0]
    ours = info.get(source)
    if not tap.ok(ours, "lcov: the source file is there", list(info)):
        return
    lines = {x["line_number"]: x for x in theirs["lines"]}
    common = sorted(set(lines) & set(ours["DA"]))
    other = ["%d: gcov %d, here %d" % (n, lines[n]["count"], ours["DA"][n]) for n in common if lines[n]["count"] != ours["DA"][n]]
    wrong = [n for n in common if (lines[n]["count"] > 0) != (ours["DA"][n] > 0)]
    tap.ok(len(common) >= 40 and not wrong, "lcov: executed or not, as gcov says", wrong)
    tap.ok(len(other) <= 0.05 * len(common), "lcov: counts of %d lines, %d of them as gcov has them" % (len(common), len(common) - len(other)),
           "\n".join(other))
    # Lines that only one of them has: gcov leaves out the ends of functions; a label and `continue' have no code of their
    # own.
    text = [""] + harness.read(source).splitlines()
    alone = [n for n in set(ours["DA"]) - set(lines) if text[n] != "}"] + [
        n for n in set(lines) - set(ours["DA"]) if not re.match(r" *(case|default)\b.*:$| *continue;$", text[n])]
    tap.ok(not alone, "lcov: no line is only here or only there but for the known classes", [text[n] for n in alone])
    functions = {f["name"]: (f["start_line"], f["execution_count"]) for f in theirs["functions"]}
    mine = {name: (ours["declared"][name], n) for name, n in ours["FN"].items()}
    tap.ok(functions == mine, "lcov: functions", "%s, gcov %s" % (mine, functions))
    same, other = compare_branches(ours, {n: [b["count"] for b in x["branches"]] for n, x in lines.items()})
    tap.ok(same > 30 and not other, "lcov: %d branches in gcov's order" % same, "\n".join(other))


# Functions in several styles.
STYLES = harness.text("export/coverage_styles.cc")


def check_styles(tap):
    """gcov and the command have the same functions and the same lines of them, so lcov can add up both."""
    if not shutil.which("gcov"):
        tap.skip("lcov: functions of all styles", "gcov is not installed")
        return
    source = harness.written(tap, "styles.cc", STYLES)
    flags = ["c++", "-O0", "-g", "-fstack-protector-all", source, "-o"]
    subprocess.run(flags + [tap.path("plain")], check=True, cwd=tap.dir)
    graph, _, why = harness.dcfg(tap, "styles", [tap.path("plain")])
    status, out, err = command("export", "--lcov", graph)
    with open(tap.path("ours.info"), "w") as f:
        f.write("".join(r for r in re.findall(r"TN:.*?end_of_record\n", out, re.S) if "SF:%s\n" % source in r))
    ours = read_info(tap.path("ours.info")).get(source)
    os.mkdir(tap.path("counts"))
    subprocess.run(flags + [tap.path("counted"), "--coverage", "-dumpdir", tap.path("counts/")], check=True, cwd=tap.dir)
    subprocess.run([tap.path("counted")], check=True, cwd=tap.dir, stdout=subprocess.DEVNULL)
    gcda = [tap.path("counts/" + f) for f in os.listdir(tap.path("counts")) if f.endswith(".gcda")]
    r = subprocess.run(["gcov", "--json-format", "--stdout"] + gcda, cwd=tap.dir, stdout=subprocess.PIPE, check=True)
    theirs = next(f for f in json.loads(r.stdout.decode().splitlines()[0])["files"] if f["file"] == source)
    functions = {f["name"]: (f["start_line"], f["execution_count"]) for f in theirs["functions"]}
    mine = {name: (ours["declared"][name], n) for name, n in ours["FN"].items()}
    tap.ok(functions == mine and len(mine) == 15, "lcov: functions of all styles", "%s, gcov %s, %s%s" % (mine, functions, why, err))
    lines = collections.Counter()
    for x in theirs["lines"]:                   # once for each instance of a template
        lines[x["line_number"]] += x["count"]
    text = [""] + STYLES.splitlines()
    other = [n for n in set(lines) ^ set(ours["DA"]) if text[n].strip(" ;") != "}"]
    tap.ok(not other and all(lines[start] == ours["DA"][start] for start, _ in functions.values()), "lcov: their lines",
           [(text[n], lines[n], ours["DA"].get(n)) for n in other])
    if not shutil.which("lcov"):
        tap.skip("lcov adds up both", "lcov is not installed")
        return
    for words in (["-c", "-d", tap.path("counts"), "-o", "gcov.info"], ["-a", "gcov.info", "-a", "ours.info", "-o", "both.info"]):
        r = subprocess.run(["lcov"] + words, cwd=tap.dir, env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    both = open(tap.path("both.info")).read() if r.returncode == 0 else ""
    tap.ok(both.count("SF:%s\n" % source) == 1 and "mismatch" not in r.stdout.decode(), "lcov adds up both", r.stdout.decode())


def check_lcov(tap, source, graph):
    path = tap.path("coverage.info")
    status, out, err = command("export", "--lcov", "-o", path, graph)
    if not tap.ok(status == 0 and not out and "genhtml --branch-coverage" in err, "lcov: a tracefile", out + err):
        return
    try:
        info = read_info(path)
    except ValueError as e:
        tap.ok(False, "lcov: of the right form", e)
        return
    tap.ok(not unfit(path), "lcov: consistent", unfit(path))
    if shutil.which("gcov"):
        check_gcov(tap, source, info)
    else:
        tap.skip("lcov: compared with gcov", "gcov is not installed")
    if shutil.which("genhtml"):
        r = subprocess.run(["genhtml", "--branch-coverage", "-o", tap.path("html"), path], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, env=harness.ENV)
        text = r.stdout.decode()
        totals = [sum(f["totals"][k] for f in info.values()) for k in ("LH", "LF", "FNH", "FNF", "BRH", "BRF")]
        said = [int(n) for n in re.findall(r"\((\d+) of (\d+) (?:lines|functions|branches)\)", text) for n in n]
        tap.ok(r.returncode == 0 and said == totals, "genhtml shows lines, functions and branches", "%s %s" % (text[-900:], totals))
    else:
        tap.skip("genhtml", "lcov is not installed")


def left_out(text, info):
    """Takes out of the record of a file what its markers exclude."""
    lines, branches, on = set(), set(), {"": False, "BR_": False}
    for n, line in enumerate(text.splitlines(), 1):
        words = re.findall(r"(?:LCOV|GCOVR|GCOV)_EXCL_(BR_|)(LINE|START|STOP)", line)
        for kind, what in words:
            on[kind] = (on[kind] or what == "START") and what != "STOP"
        lines |= {n} if on[""] or ("", "LINE") in words else set()
        branches |= {n} if on["BR_"] or ("BR_", "LINE") in words else set()
    names = [f for f, n in info["declared"].items() if n not in lines]
    return ({n: c for n, c in info["DA"].items() if n not in lines}, {f: info["FN"][f] for f in names},
            {k: c for k, c in info["BR"].items() if k[0] not in lines | branches}, len(lines), len(branches))


def check_markers(tap):
    """Markers in the source leave out what geninfo leaves out."""
    source = harness.written(tap, "markers.c", harness.text("export/markers.c").replace("GCOVR_EXCL", "LCOV_EXCL"))
    graph = harness.dcfg(tap, "markers", [harness.cc(tap, source, "markers", "-O0")])[0]
    infos = {}
    for gcovr in False, True:
        if gcovr:
            harness.written(tap, "markers.c", harness.text("export/markers.c"))
        for args in [], ["--no-markers"]:
            name = tap.path("markers.info")
            status, out, err = command("export", "--lcov", "-o", name, *args, graph)
            if not tap.ok(status == 0 and not unfit(name), "markers: a tracefile", err or unfit(name)):
                return
            tap.ok(("left out by markers in the source: 7 lines, 2 functions and 5 branches" in err) == (not args),
                   "markers: says what is left out", err)
            i = read_info(name)[source]
            infos[gcovr, bool(args)] = (i["DA"], i["FN"], dict(i["BR"]))
            if args:
                want = left_out(open(source).read(), i)
                tap.ok(infos[gcovr, False] == want[:3] and want[3:] == (9, 7), "markers: what they say is left out",
                       "%s, should be %s" % (infos[gcovr, False], want))
    tap.ok(infos[False, False] == infos[True, False], "markers: those of gcovr and of lcov are the same", infos)
    if not shutil.which("geninfo") or not shutil.which("gcov"):
        tap.skip("markers: compared with geninfo", "it is not installed")
        return
    harness.written(tap, "markers.c", harness.text("export/markers.c").replace("GCOVR_EXCL", "LCOV_EXCL"))
    os.mkdir(tap.path("marked"))
    subprocess.run(["cc", "-O0", "-g", "--coverage", "-o", "counted", source], check=True, cwd=tap.path("marked"))
    subprocess.run(["./counted"], check=True, cwd=tap.path("marked"), stdout=subprocess.DEVNULL)
    r = subprocess.run(["geninfo", "--rc", "lcov_branch_coverage=1", "--rc", "branch_coverage=1", "-o", "g.info", "."],
                       cwd=tap.path("marked"), env=harness.ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    theirs = read_info(tap.path("marked/g.info")).get(source) if r.returncode == 0 else None
    if tap.ok(theirs, "markers: geninfo", r.stdout.decode()[-900:]):
        ours = infos[False, False]
        text = [""] + open(source).read().splitlines()
        lines = [text[n] for n in set(ours[0]) ^ set(theirs["DA"]) if text[n][0] != "}"]
        tap.ok(not lines and all(ours[0][n] == theirs["DA"][n] for n in set(ours[0]) & set(theirs["DA"]))
               and {n for n, _ in ours[2]} == {n for n, _ in theirs["BR"]},
               "markers: lines and branches of geninfo", "%s %s %s" % (lines, ours, theirs))
    harness.written(tap, "markers.c", "/* LCOV_EXCL_START */\n" + harness.text("export/markers.c").replace("EXCL_STOP", "-"))
    status, out, err = command("export", "--lcov", graph)
    tap.ok(status == 0 and "has a marker EXCL_START without STOP" in err, "markers: a region without an end", err)
    os.unlink(source)
    status, out, err = command("export", "--lcov", graph)
    tap.ok(status == 0 and "1 source file cannot be read" in err and "DA:12,0\n" in out, "markers: a source that is gone", err)


def check_drcov(tap, graph):
    path = tap.path("drcov.log")
    for pattern in (None, "program"):
        status, out, err = command("export", "--drcov", "-o", path, *["--image=%s" % pattern] * bool(pattern), graph)
        data = harness.read(path, "rb")
        d = json.loads(harness.read(graph))
        names = {r[0]: r[1] for r in d["FILE_NAMES"][1:]}
        want, modules = [], []
        for im in d["PROCESSES"][1][1]["IMAGES"][1:]:
            name = names[im[3]["FILE_NAME_ID"]]
            if pattern and pattern not in os.path.basename(name):
                continue
            for b in im[3].get("BASIC_BLOCKS", [[]])[1:]:
                want.append((int(b[1], 16), b[2], len(modules)))
            modules.append((int(im[1], 16), int(im[1], 16) + im[2], name))
        head, _, table = data.partition(b"BB Table: ")
        n, _, table = table.partition(b" bbs\n")
        rows = [tuple(int(x, 16) for x in r.split(", ")[1:3]) + (r.split(", ")[4],) for r in head.decode().splitlines()[4:]]
        got = list(struct.iter_unpack("<IHH", table)) if len(table) % 8 == 0 else None
        tap.ok(status == 0 and head.startswith(b"DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\nModule Table: version 2, count %d\n" % len(modules))
               and rows == modules and got == want and int(n) == len(want), "drcov: %s" % (pattern or "all images"), err)


def check_mca(tap, graph):
    data = json.loads(harness.read(graph))["PROCESSES"][1][1]
    path = tap.path("loops.s")
    status, out, err = command("export", "--mca", "-o", path, graph)
    text = open(path).read() if status == 0 else ""
    parts = re.findall(r"^# LLVM-MCA-BEGIN (\w+)\n((?:        .*\n)+)# LLVM-MCA-END$", text, re.M)
    # A loop of one block has that block's instructions.
    im = data["IMAGES"][1]
    base, blocks = int(im[1], 16), {b[0]: b for b in im[3]["BASIC_BLOCKS"][1:]}
    simple = {base + int(blocks[loop[0]][1], 16): blocks[loop[0]][3] for r in im[3]["ROUTINES"][1:] if len(r) > 3
              for loop in r[3][1:] if loop[2] == [loop[0]] and loop[1] == [loop[0]]}
    same = [len(code.splitlines()) == simple[int(at, 16)] for at, code in parts if int(at, 16) in simple]
    tap.ok(status == 0 and len(parts) >= 5 and all(same), "mca: regions with the loops' instructions", text + err)
    r = subprocess.run(["as", "-o", tap.path("loops.o"), path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.ok(r.returncode == 0, "mca: is assembly", r.stdout.decode())
    one = command("export", "--mca=0x" + parts[0][0], graph)[1] if parts else ""
    tap.ok(one.count("LLVM-MCA-BEGIN") == 1 and parts and parts[0][1] in one, "mca: one loop by its head", one)
    search = command("export", "--mca=search", graph)[1]
    tap.ok(search.count("LLVM-MCA-BEGIN") == 1 and "in search" in search, "mca: those of a routine", search)
    status, out, err = command("export", "--mca=nonesuch", graph)
    tap.ok(status == 2 and not out and "no such loop" in err, "mca: refused", out + err)
    mca = next((p for p in ("/usr/lib/llvm-19/bin/llvm-mca", shutil.which("llvm-mca")) if p and os.path.exists(p)), None)
    if mca:
        r = subprocess.run([mca, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.ok(r.returncode == 0 and r.stdout.count(b"Code Region") == len(parts), "llvm-mca takes it", r.stderr.decode()[:500])
    else:
        tap.skip("llvm-mca", "it is not installed")


def main():
    tap = harness.Tap("coverage")
    source = harness.written(tap, "program.c", PROGRAM)
    program = harness.cc(tap, source, "program", "-O0")
    graph, _, why = harness.dcfg(tap, "program", [program, "x"])
    if tap.ok(graph, "a DCFG", why):
        check_lcov(tap, source, graph)
        check_styles(tap)
        check_markers(tap)
        check_drcov(tap, graph)
        check_mca(tap, graph)
        for args in (["--lcov", "--source=program.c"], ["--lcov", "--image=nonesuch"], ["--lcov", "--drcov"], ["--drcov", "--no-markers"], ["--drcov", "--warmup=1"]):
            status, out, err = command("export", *args, graph)
            tap.ok(status == 2 and not out, "refused: " + " ".join(args), out + err)
        stripped = tap.path("kept")
        os.rename(program, stripped)
        subprocess.run(["strip", "-g", "-o", program, stripped], check=True)
        status, out, err = command("export", "--lcov", graph)
        tap.ok(status == 2 and not out and "no source lines" in err, "refused: without lines", out + err)
    tap.done()


main()
