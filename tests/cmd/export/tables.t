#!/usr/bin/python3
"""dcfg export --tables: sums against dcfg report, lines against Callgrind's costs, and the questions of docs/fleet.sql.  (TAP)

The questions are asked where Node.js finds DuckDB (npm install @duckdb/node-api): in NODE_PATH, or in npm/node_modules beside
the build directory.
"""
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from commandlib import command
from tablelib import TABLES, duckdb, read

# All ranks do the same, but for one that does more of it, and one that takes a branch of its own.
RANK = harness.text("export/tables.c")


def of(rows, run, *keys):
    return collections.Counter(tuple(row[k] for k in keys) for row in rows if row["run"] == run)


def total(rows, run, key="instructions"):
    return sum(row[key] for row in rows if row["run"] == run)


def check_sums(tap, tables, run, path):
    pid = json.loads(harness.read(path))["PROCESSES"][1][0]
    report = json.loads(command("report", "--json", "--all", "--top=0", "--images", "--routines", "--loops", "--blocks", "--edges",
                                path)[1])["processes"][0]
    n = report["instructions"]
    tap.ok([r for r in tables["runs"] if r["run"] == run] == [{"run": run, "process": pid, "instructions": n,
                                                               "threads": len(report["instructions_per_thread"])}],
           run + ": its row in runs")
    sums = {t: total(tables[t], run) for t in ("images", "functions", "lines")}
    sums["blocks"] = sum(b["instrs"] * b["executions"] for b in tables["blocks"] if b["run"] == run)
    tap.ok(set(sums.values()) == {n}, run + ": images, functions, lines and blocks have all instructions", (n, sums))
    shown = lambda name, *keys: collections.Counter(tuple(row[k] for k in keys) for row in report[name])
    for table, section, ours, theirs in (
            ("images", "images", ("path", "load_addr", "instructions"), None),
            ("blocks", "blocks", ("instrs", "executions"), ("block_instructions", "executions")),
            ("edges", "edges", ("type", "traversals"), ("type", "count")),
            ("loops", "loops", ("entries", "iterations", "instructions"), ("entries", "iterations", "instructions"))):
        want = (collections.Counter((im["path"], int(im["address"], 16), im["instructions"]) for im in report["images"])
                if theirs is None else shown(section, *theirs))
        have = of(tables[table], run, *ours)
        tap.ok(have == want and have, "%s: %s are those of dcfg report" % (run, table),
               (list((have - want).items())[:5], list((want - have).items())[:5]))
    tap.ok(total(tables["functions"], run, "calls") == sum(r["calls"] for r in report["routines"]), run + ": calls")
    # Addresses count from the image's load address.
    loads = {row["image"]: row["load_addr"] for row in tables["images"] if row["run"] == run}
    want = {int(b["address"], 16) for b in report["blocks"]}
    tap.ok({loads[b["image"]] + b["addr"] for b in tables["blocks"] if b["run"] == run} == want, run + ": addresses")
    ends = {(e["image"], e["addr"]) for e in tables["edges"] if e["run"] == run and not e["image"]}
    tap.ok(("", -1) in ends and ("", -2) in {(e["to_image"], e["to_addr"]) for e in tables["edges"] if not e["to_image"]}
           and all(a in (-1, -2, -3) for _, a in ends), run + ": START and END", ends)
    functions = {(f["image"], f["addr"]) for f in tables["functions"] if f["run"] == run}
    tap.ok(all((b["image"], b["function_addr"]) in functions for b in tables["blocks"] if b["run"] == run)
           and all((b["image"], b["function_addr"]) in functions for b in tables["loops"] if b["run"] == run),
           run + ": each block's function is there")
    by_function = collections.Counter()
    for b in tables["blocks"]:
        if b["run"] == run:
            by_function[b["image"], b["function_addr"]] += b["instrs"] * b["executions"]
    have = collections.Counter()
    for f in tables["functions"]:
        if f["run"] == run:
            have[f["image"], f["addr"]] += f["instructions"]
    tap.ok(have == by_function, run + ": functions have the instructions of their blocks")


def callgrind_lines(path):
    """Returns (instructions by file and line, without callees'; lines with calls)."""
    names, costs, calls, skip, line, here = {}, collections.Counter(), set(), False, 0, ""
    with open(path) as f:
        for text in f:
            m = re.match(r"(f[lie]|ob|cob|cf[il]|c?fn)=(?:\((\d+)\))?(?: ?(.*))?$", text)
            if m:
                kind, number, name = m.groups()
                space = "file" if kind in ("fl", "fi", "fe", "cfi", "cfl") else kind[-2:]
                if number:
                    name = names.setdefault((space, number), name) or names[space, number]
                if kind in ("fl", "fi", "fe"):
                    here = name
                continue
            if text.startswith("calls="):
                skip = True
                continue
            m = re.match(r"([+-]?\d+|\*) (\d+)$", text)
            if not m:
                continue
            where = m.group(1)
            line = line if where == "*" else line + int(where) if where[0] in "+-" else int(where)
            key = os.path.basename(here), line
            if skip:
                calls.add(key)
            elif here != "???" and line:
                costs[key] += int(m.group(2))
            skip = False
    return costs, calls


def check_lines(tap, prog):
    """Compares with the same run's profile."""
    profile = tap.path("callgrind.out")
    path, status, why = harness.dcfg(tap, "lines", [prog, "42"], ("--callgrind=yes", "--callgrind-out-file=" + profile))
    command("export", "--tables=" + tap.path("lines"), path)
    tables = read(tap.path("lines"), "lines", "functions")
    ours = collections.Counter()
    for row in tables["lines"]:
        ours[os.path.basename(row["file"]), row["line"]] += row["instructions"]
    theirs, calls = callgrind_lines(profile)
    ours.pop(("", 0), None)
    # In a profile, a stub of a linkage table is part of the calling line.
    differ = {k: theirs[k] - ours[k] for k in set(ours) | set(theirs) if ours[k] != theirs[k]}
    stubs = sum(f["instructions"] for f in tables["functions"] if f["name"].endswith("@plt") or "+0x" in f["name"])
    tap.ok(len(theirs) > 10 and all(k in calls and n > 0 for k, n in differ.items()) and 0 < sum(differ.values()) <= stubs,
           "lines have the instructions of the run's profile", (sum(differ.values()), stubs, sorted(differ.items())[:20]))
    own = {k for k in ours if k[0] == "rank.c"}
    tap.ok(len(own) > 12 and len(own & set(differ)) == 1, "so have those of the program, but for the line that calls a stub",
           own & set(differ))


def check_shards(tap, files):
    """The number of a rank is no part's: 32 ranks go to many shards.  Parts go to one."""
    d = json.loads(harness.read(files[0]))
    p = d["PROCESSES"][1][1]
    p["PART"] = {"PART_NUM": 1, "FIRST_PART_NUM": 1, "PRECEDING_INSTR_COUNT_PER_THREAD": [0] * len(p["INSTR_COUNT_PER_THREAD"]),
                 "IMAGE_NUMS": list(range(len(p["IMAGES"]) - 1)), "CONTINUED_THREADS": [["THREAD_ID", "EDGE_TYPE_ID"]],
                 "LATE_BYPASSES": [["IMAGE_NUM", "ADDR_OFFSET", "TARGET_NODE_ID"]]}
    for name, part in (("rank", False), ("part", True)):
        these = [tap.path("%s.%d.json" % (name, i)) for i in range(1, 33)]
        for path in these:
            with open(path, "w") as f:
                f.write(json.dumps(d)) if part else f.write(open(files[0]).read())
        count = []
        for i in range(4):
            to = tap.path("%s-%d" % (name, i))
            command("export", "--tables=" + to, "--shard=%d/4" % i, *these)
            count.append(len(read(to, "runs")["runs"]))
        tap.ok(sum(count) == 32 and (max(count) == 32 if part else min(count) > 2), "shards of files %s.N.json" % name, count)
    for shard, word in (("2/2", "--shard=I/N"), ("x", "--shard=I/N")):
        commandlib.refused(tap, "--shard=" + shard, word, "export", "--tables=" + tap.path("none"), "--shard=" + shard, files[0])
    commandlib.refused(tap, "--shard of the standard input", "the standard input has none",
                       "export", "--tables=" + tap.path("none"), "--shard=0/2", "-")


def check_forms(tap, files):
    a, b = tap.path("a"), tap.path("b")
    status, out, err = command("export", "--tables=" + a, "--job=night", *files)
    tap.ok(status == 0 and not out and not err, "export --tables", err)
    names = sorted(os.path.relpath(p, a) for p in glob.glob(a + "/*/*/*"))
    tap.ok(names == sorted("%s/job=night/0-of-1.csv.gz" % t for t in TABLES), "a file for each table", names)
    first = {n: open(os.path.join(a, n), "rb").read() for n in names}
    command("export", "--tables=" + a, "--job=night", *files)
    tap.ok(first == {n: open(os.path.join(a, n), "rb").read() for n in names}, "done again: the same bytes")
    listed = harness.written(tap, "list", "\n".join(files) + "\n")
    for i in range(3):
        status, out, err = command("export", "--tables=" + b, "--job=night", "--shard=%d/3" % i, "--files-from=" + listed)
        tap.ok(status == 0, "shard %d of 3" % i, err)
    flat = lambda tables: {t: sorted(map(str, rows)) for t, rows in tables.items()}
    tap.ok(flat(read(a)) == flat(read(b)) and len(glob.glob(b + "/runs/job=night/*-of-3.csv.gz")) == 3, "shards have all rows")
    check_shards(tap, files)
    bad = tap.path("bad.json")
    with open(files[0], "rb") as f, open(bad, "wb") as g:
        g.write(f.read()[:-3000])
    c = tap.path("c")
    status, out, err = command("export", "--tables=" + c, files[0], bad)
    left = [p for p in glob.glob(c + "/*/*/*")]
    tap.ok(status == 2 and len(err.splitlines()) == 1 and not left, "a file that cannot be read: no table", (err, left))
    status, out, err = command("export", "--tables=" + c, "--keep-going", files[0], bad)
    tap.ok(status == 3 and "left out: " + bad in err and "1 of 2 files; 1 left out" in err and len(read(c, "runs")["runs"]) == 1,
           "--keep-going", err)
    for args, word in ((["--tables=" + c, "--bolt", files[0]], "not both"), (["--tables=" + c, "-o", "x", files[0]], "leave -o out"),
                       (["--tables=" + c, "--job=a/b", files[0]], "--job"), (["--tables=" + c], "missing"),
                       (["--lcov", "--shard=0/2", files[0]], "--tables"), (["--lcov", *files], "several files"),
                       (["--tables=/dev/null/x", files[0]], "/dev/null")):
        commandlib.refused(tap, "export " + " ".join(args)[:40], word, "export", *args)
    odd = tap.path('a "b", c.json.gz')
    with open(files[0], "rb") as f, gzip.open(odd, "wb") as g:
        g.write(f.read())
    command("export", "--tables=" + tap.path("d"), odd)
    tap.ok({r["run"] for rows in read(tap.path("d")).values() for r in rows} == {'a "b", c'}, "a name with quotes")


def check_questions(tap, files):
    """Sixty-four ranks; one is slow, and one takes a branch of its own.  The answers name exactly these."""
    directory = tap.path("ranks")
    os.mkdir(directory)
    names = []
    for rank in range(64):
        source = files[{17: 1, 42: 2}.get(rank, 0)]
        names.append(os.path.join(directory, "rank.%d.json" % rank))
        with open(source, "rb") as f, open(names[-1], "wb") as g:
            g.write(harness.PID.sub(rb"\g<1>%d" % (5000 + rank), f.read()))
    status, out, err = command("export", "--tables=" + os.path.join(directory, "tables"), *names, program=commandlib.PLAIN)
    tap.ok(status == 0, "tables of 64 ranks", err)
    env = duckdb(tap)
    if not env:
        return
    r = subprocess.run(["node", os.path.join(harness.HERE, "duck.js"), os.path.join(harness.SRCDIR, "docs", "fleet.sql")], cwd=directory,
                       env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.ok(r.returncode == 0, "docs/fleet.sql in DuckDB", r.stderr.decode())
    if r.returncode:
        return
    outliers, lines, branches, images = map(json.loads, r.stdout.decode().splitlines())
    tap.ok({row["run"] for row in outliers} == {"rank.17"} and outliers[0]["name"] == "work",
           "which rank is slow, and in which function", outliers)
    # dcfg report and dcfg diff of the two files say the same.
    routines = {x: {row["routine"]: row["instructions"] for row in json.loads(command(
        "report", "--json", "--routines", "--top=0", names[x])[1])["processes"][0]["routines"]} for x in (0, 17)}
    tap.ok([outliers[0][k] for k in ("instructions", "median")] == [routines[x]["work"] for x in (17, 0)],
           "by as many instructions as dcfg report says", (outliers[0], routines[17]["work"]))
    diff = [row for row in json.loads(command("diff", "--functions", "--json", names[0], names[17])[1])["functions"]
            if row["name"] == "work"]
    tap.ok(len(diff) == 1 and diff[0]["b"] - diff[0]["a"] == outliers[0]["difference"], "and dcfg diff", diff)
    tap.ok({row["run"] for row in branches} == {"rank.42"} and "main" in {row["name"] for row in branches},
           "which rank takes a branch of its own", branches)
    with open(names[42]) as f, open(names[0]) as g:
        ours = {x: json.loads(command("report", "--json", "--edges", "--top=0", x)[1])["processes"][0]["edges"] for x in (f.name, g.name)}
    ways = {x: {(e["from"].split("+")[0], e["count"]) for e in edges} for x, edges in ours.items()}
    only = {(b["name"], int(b["traversals"])) for b in branches}
    tap.ok(only <= ways[names[42]] and branches, "as dcfg report shows it", (only, branches))
    program = [i["image"] for i in images if i["path"].endswith("/rank")][0]
    want = collections.Counter()
    for row in read(os.path.join(directory, "tables"), "lines")["lines"]:
        if row["image"] == program and row["file"]:
            want[row["file"], row["line"]] += row["instructions"]
    want = sorted(((n, file, line) for (file, line), n in want.items()), key=lambda x: (-x[0], x[1], x[2]))[:20]
    tap.ok([(int(l["instructions"]), l["file"], int(l["line"])) for l in lines] == want
           and lines[0]["most_in"] == "rank.17" and {l["runs"] for l in lines} <= {"64", "1"}, "the hottest lines", lines)
    shown = {path: [row["instructions"] for row in json.loads(command(
        "report", "--json", "--all", "--images", "--top=0", names[x])[1])["processes"][0]["images"] if row["path"] == path]
             for path in {i["path"] for i in images} for x in (0,)}
    prog = [i for i in images if i["path"].endswith("/rank")]
    tap.ok(all([float(i["median"])] == [float(n) for n in shown[i["path"]]] for i in images) and prog[0]["most_in"] == "rank.17",
           "what each image executed", (images, shown))


def main():
    tap = harness.Tap("fleet_tables")
    prog = harness.compiled(tap, "rank.c", RANK, "-g", "-O1")
    files = []
    for rank in (0, 17, 42):
        path, status, why = harness.dcfg(tap, "rank%d" % rank, [prog, str(rank)])
        files.append(path)
    other, status, why = harness.dcfg(tap, "perl", harness.SAME_EACH_TIME[1][1])
    command("export", "--tables=" + tap.path("sums"), *files, other)
    tables = read(tap.path("sums"))
    for path in files + [other]:
        check_sums(tap, tables, os.path.basename(path)[:-len(".json")], path)
    check_lines(tap, prog)
    check_forms(tap, files)
    check_questions(tap, files)
    tap.done()


main()
