#!/usr/bin/python3
"""dcfg bbv and dcfg regions.  Their files are compared, line by line, with files made anew from the trace.  SimPoint and the
tool itself read them.  Wrong input is refused.  (TAP)
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from bbvlib import Graph, ways
from commandlib import command

MARKER = re.compile(r"S: 0x([0-9a-f]+) (\d+) (\S+) 0x([0-9a-f]+) \+ 0x([0-9a-f]+) # (\S+:\d+)\Z|M: 0x([0-9a-f]+) (\d+) no_image 0\Z")


def in_order(g, way, turns):
    """Returns the blocks of all threads as they began.  In a turn, these are blocks that begin before all its instructions
    ran.
    """
    at, run, due, out = dict.fromkeys(way, 0), dict.fromkeys(way, 0), dict.fromkeys(way, 0), []
    for t, instrs, _ in turns:
        due[t] += instrs
        while at[t] < len(way[t]) and run[t] < due[t]:
            node = way[t][at[t]]
            out.append(node)
            run[t] += g.instrs[node]
            at[t] += 1
    return out


def slices(g, blocks, size, at_loops):
    """Returns, for each slice, the marker's address and count, and {block: instructions}."""
    found, total, counts = [], size, {}
    for node in blocks:
        if total >= size and (not found or (not at_loops or node in g.heads) and node not in g.rep):
            found.append(((g.addr[node], counts.get(node, 0) + 1), {}))
            total = 0
        counts[node] = counts.get(node, 0) + 1
        vector = found[-1][1]
        vector[node] = vector.get(node, 0) + g.instrs[node]
        total += g.instrs[node]
    return found, counts


def read_bb(path):
    """Reads PinPlay's files by their description: markers with vectors, the table of blocks, totals.  Raises ValueError."""
    found, table, totals, marker, ending = [], {}, {}, None, None
    with open(path) as f:
        for line in f.read().splitlines():
            if line[:2] in ("S:", "M:"):
                m = MARKER.match(line)
                if not m or marker:
                    raise ValueError(line)
                pc, n = (int(m.group(1), 16), int(m.group(2))) if m.group(1) else (int(m.group(7), 16), int(m.group(8)))
                if m.group(1) and int(m.group(4), 16) + int(m.group(5), 16) != pc:
                    raise ValueError(line)
                marker = pc, n
            elif line.startswith("# Slice ending at "):
                ending = int(line.split()[-1])
            elif line.startswith("T"):
                if not re.match(r"T(:\d+:\d+ )*\Z", line) or not marker:
                    raise ValueError(line)
                vector = {int(a): int(n) for a, n in re.findall(r":(\d+):(\d+)", line)}
                found.append((marker, vector))
                if ending != sum(sum(v.values()) for _, v in found):
                    raise ValueError("%s: %s" % (ending, line))
                marker = None
            elif line.startswith("Block id:"):
                m = re.match(r"Block id: (\d+) 0x([0-9a-f]+):0x([0-9a-f]+) static instructions: (\d+) block count: (\d+) "
                             r"block size: (\d+)\Z", line)
                table[int(m.group(1))] = (int(m.group(2), 16), int(m.group(4)), int(m.group(5)))
            elif re.match(r"Dynamic instruction count \d+\Z|SliceSize: \d+\Z", line):
                totals[line.split()[0]] = int(line.split()[-1])
            elif not re.match(r"[IPC]: ", line):
                raise ValueError(line)
    return found, table, totals


def check_file(tap, what, path, g, blocks, size, at_loops=False):
    want, counts = slices(g, blocks, size, at_loops)
    try:
        found, table, totals = read_bb(path)
    except (OSError, ValueError) as e:
        return tap.ok(False, what, repr(e))
    wrong = ["slice %d: %s, want %s" % (k, a, b) for k, (a, b) in enumerate(zip(found, want)) if a != b]
    if len(found) != len(want) or table != {n: (g.addr[n], g.instrs[n], c) for n, c in counts.items()}:
        wrong.append("%d slices, want %d; or the table" % (len(found), len(want)))
    if totals != {"Dynamic": sum(g.instrs[n] for n in blocks), "SliceSize:": size}:
        wrong.append(totals)
    return tap.ok(not wrong, what, "\n".join(map(str, wrong[:3])))


def check_vectors(tap, name, graph, trace, turns, sizes):
    g = Graph(graph)
    way = ways(g, graph, trace)
    for size, at_loops in sizes:
        prefix = tap.path("v")
        what = "%s, %d%s" % (name, size, " at loops" * at_loops)
        status, out, err = command("bbv", "--slice=%d" % size, "-o", prefix, *["--at-loops"] * at_loops,
                                   *["--turns=%s" % turns] * bool(turns), graph, trace)
        if not tap.ok(status == 0 and not out, what + ": vectors", err):
            continue
        for t in way:
            check_file(tap, "%s: of thread %d" % (what, t), "%s.T.%d.bb" % (prefix, t), g, way[t], size, at_loops)
        if turns:
            with open(turns) as f:
                check_file(tap, what + ": of all threads", prefix + ".global.bb", g, in_order(g, way, json.load(f)), size, at_loops)
        else:
            tap.ok(len(way) > 1 or open(prefix + ".global.bb").read().split("\n", 2)[2]
                   == open(prefix + ".T.0.bb").read().split("\n", 3)[3], what + ": one thread is all")


def check_small(tap):
    d = commandlib.small.good()
    graph = commandlib.write(tap.path("small.json"), d)
    trace = commandlib.write(tap.path("small.trace"), commandlib.good_trace(d))
    g = Graph(graph)
    way = ways(g, graph, trace)
    # Three turns: thread 0 stops within a block, and before one.
    before = [sum(g.instrs[n] for n in way[0][:k]) for k in range(len(way[0]) + 1)]
    turns = [[0, before[5] - 1, 5], [1, sum(g.instrs[n] for n in way[1]), len(way[1]) + 1], [0, before[9] - before[5] + 1, 4],
             [0, before[-1] - before[9], len(way[0]) + 1 - 9]]
    path = commandlib.write(tap.path("small.turns"), turns)
    check_vectors(tap, "small", graph, trace, path, [(1, False), (7, False), (3, True)])
    bad = [("[[0,1", "cut short"), ("{}", "an object"), ("[[0,1,2],]", "a comma"), ("[[9,1,1]]", "no such thread"),
           ("[[0,1,1]] x", "more behind it"), ("[[0,1,99999]]", "more edges"), ("[[0,18446744073709551616,1]]", "too large"),
           ("[[0,1,1]]", "too few instructions"), ("[[0,-1,1]]", "negative"), ("[[0,1.5,1]]", "a fraction")]
    for text, why in bad:
        harness.write(path, text)
        status, out, err = command("bbv", "--turns=" + path, "-o", tap.path("bad"), graph, trace)
        tap.ok(status == 2 and not out and err.splitlines()[-1].startswith("dcfg bbv: "), "turns refused: " + why, err)
    for args in (["--slice=0"], ["--thread=5"], ["--image=a"], ["--turns=nothing"], ["-o", "/nonexistent/x"]):
        status, out, err = command("bbv", *args, graph, trace)
        tap.ok(status == 2 and not out, "refused: " + " ".join(args), err)


def check_regions(tap, graph, prefix):
    """Two slices chosen by hand."""
    bb, points, weights = prefix + ".global.bb", tap.path("points"), tap.path("weights")
    found = read_bb(bb)[0]
    last = len(found) - 1

    def choose(p, w):
        for path, text in ((points, p), (weights, w)):
            harness.write(path, text)
        return command("regions", bb, points, weights, graph)

    status, out, err = choose("%d 1\n2 0\n" % last, "0.25 0\n0.75 1\n")
    said = [line for line in out.splitlines() if not line.startswith("#")]
    lines = open(bb).read().splitlines()
    places = []
    for line in lines:
        m = MARKER.match(line)
        if m:
            places.append("%s+0x%s:%s" % (os.path.basename(m.group(3)), m.group(5), m.group(2)) if m.group(1)
                          else "0x%s:%s" % (m.group(7), m.group(8)))
    tap.ok(status == 0 and said == ["--start=%s --stop=%s" % (places[2], places[3]), "--start=" + places[last]],
           "regions: places", out + err)
    tap.ok("# cluster 0, slice 2, weight 0.250000, {:,} instr".format(sum(found[2][1].values())) in out and "# no difference is above" in out,
           "regions: what is said of them", out)
    # All slices, with their weights, add up to the run.
    total = sum(sum(v.values()) for _, v in found)
    status, out, err = choose("".join("%d %d\n" % (k, k) for k in range(len(found))),
                              "".join("%.17g %d\n" % (sum(v.values()) / total, k) for k, (_, v) in enumerate(found)))
    tap.ok(status == 0 and "no difference is above 0.1" in out or "above 0.0" in out, "regions: all slices are the run", out[-500:] + err)
    for why, p, w in (("no such slice", "%d 0\n" % (last + 1), "1 0\n"), ("no weight", "1 0\n2 1\n", "1 0\n"),
                      ("a cluster twice", "1 0\n2 0\n", "1 0\n"), ("no slice", "", ""), ("weights of 0", "1 0\n", "0 0\n"),
                      ("not a number", "x 0\n", "1 0\n"), ("infinite", "1 0\n", "inf 0\n"), ("no cluster", "1\n", "1 0\n"),
                      ("half a slice", "1.5 0\n", "1 0\n"), ("a weight of nothing", "1 0\n", "1 0\n1 1\n"),
                      ("negative", "-1 0\n", "1 0\n")):
        status, out, err = choose(p, w)
        tap.ok(status == 2 and not out and len(err.splitlines()) == 1, "regions refused: " + why, out + err)
    for why, text in (("no vector", "S: 0x1 1 /a 0x0 + 0x1 # x:1\n"), ("a broken vector", "T:1:2 :3\n"), ("a broken marker", "S: 0x\nT:1:1 \n"),
                      ("a large number", "T:1:99999999999999999999999 \n")):
        path = harness.written(tap, "broken.bb", text)
        status, out, err = command("regions", path, points, weights)
        tap.ok(status == 2 and not out and len(err.splitlines()) == 1, "regions refused: " + why, out + err)
    return said


def check_collected(tap, argv, prefix):
    """A region that the tool collects has the predicted instructions.  This holds for one thread: several have another order
    in another run.
    """
    help_text = subprocess.run([harness.VALGRIND, "--tool=dcfg", "--help"], stdout=subprocess.PIPE, env=harness.ENV).stdout.decode()
    if "--start=" not in help_text:
        tap.skip("the tool collects what was predicted", "it has no --start")
        return
    bb, points, weights = prefix + ".global.bb", tap.path("points"), tap.path("weights")
    found = read_bb(bb)[0]
    for k in (1, len(found) // 2, len(found) - 2):
        harness.write(points, "%d 0\n" % k)
        harness.write(weights, "1 0\n")
        line = [x for x in command("regions", bb, points, weights)[1].splitlines() if x.startswith("--start")][0]
        graph, _, why = harness.dcfg(tap, "part", argv, line.split())
        n = None
        if graph:
            n = json.loads(harness.read(graph))["PROCESSES"][1][1]["INSTR_COUNT"]
        tap.ok(n == sum(found[k][1].values()), "the tool collects what was predicted: " + line, "%s %s" % (n, why))


def judge_simpoint(tap, prefix):
    simpoint = shutil.which("simpoint")
    if not simpoint:
        tap.skip("SimPoint", "simpoint is not installed")
        return
    points, weights = tap.path("sp"), tap.path("spw")
    r = subprocess.run([simpoint, "-loadFVFile", prefix + ".global.bb", "-maxK", "5", "-saveSimpoints", points, "-saveSimpointWeights",
                        weights], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    status, out, err = command("regions", prefix + ".global.bb", points, weights)
    tap.ok(r.returncode == 0 and status == 0 and "--start=" in out, "SimPoint chooses regions", r.stdout.decode() + out + err)


def contents(prefix, suffix=""):
    found = {}
    for name in sorted(os.listdir(os.path.dirname(prefix))):
        if name.startswith(os.path.basename(prefix) + ".") and name.endswith(".bb" + suffix):
            with open(os.path.join(os.path.dirname(prefix), name), "rb") as f:
                found[name[len(os.path.basename(prefix)):len(name) - len(suffix)]] = f.read()
    return found


def check_packed(tap, graph, trace):
    """Compressed files give the same files; --memory is a limit."""
    packed = tap.path("packed.turns.xz")
    with open(packed, "wb") as f:
        subprocess.run(["xz", "-c", trace + ".turns"], stdout=f, check=True)
    plain, small = tap.path("plain"), tap.path("small")
    command("bbv", "--slice=10000", "-o", plain, "--turns=" + trace + ".turns", graph, trace)
    status, out, err = command("bbv", "--slice=10000", "-o", small + ".gz", "--turns=" + packed, graph, trace)
    for name in contents(small, ".gz"):
        subprocess.run(["gunzip", "-k", small + name + ".gz"], check=True)
    tap.ok((status, out) == (0, "") and contents(small) == contents(plain) != {}, "turns and vectors are compressed", err)
    points, weights = tap.path("p"), tap.path("w")
    for path, text in ((points, "1 0\n"), (weights, "1 0\n")):
        harness.write(path, text)
    subprocess.run(["gzip", points], check=True)
    want = command("regions", plain + ".T.0.bb", points + ".gz", weights, graph)
    tap.ok(want[0] == 0 and command("regions", small + ".T.0.bb.gz", points + ".gz", weights, graph)[:2] == want[:2],
           "regions reads them", want[2])
    long = tap.path("long.bb")
    with open(long, "w") as f:
        f.writelines("T" + "".join(":%d:1 " % (i + 1) for i in range(1000)) + "\n" for _ in range(200))
    status, out, err = command("regions", "--memory=1", long, points + ".gz", weights)
    tap.ok(status == 2 and len(err.splitlines()) == 1 and "--memory" in err, "--memory is for vectors, too", err)
    with open(packed, "r+b") as f:
        f.truncate(os.path.getsize(packed) // 2)
    status, out, err = command("bbv", "-o", tap.path("none"), "--turns=" + packed, graph, trace)
    tap.ok(status == 2 and len(err.splitlines()) == 1 and packed in err and not contents(tap.path("none")), "broken turns", err)


def check_unfinished(tap, graph, trace):
    """A run that fails or is stopped leaves no file."""
    where = tap.path("stopped")
    os.mkdir(where)
    text = harness.read(trace, "rb").rstrip()[:-1]
    status, out, err = command("bbv", "--slice=1000", "-o", os.path.join(where, "v"), graph, "-", input=text)
    tap.ok(status == 2 and not os.listdir(where), "a trace that ends early leaves nothing", "%s %s" % (err, os.listdir(where)))
    p = subprocess.Popen([commandlib.DCFG, "bbv", "--slice=1000", "-o", os.path.join(where, "v"), graph, "-"], stdin=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    p.stdin.write(text)
    p.stdin.flush()
    end = time.monotonic() + harness.TIMEOUT
    while not os.listdir(where) and time.monotonic() < end:
        time.sleep(0.01)
    begun = os.listdir(where)
    p.send_signal(signal.SIGTERM)
    p.wait()
    p.stdin.close()
    tap.ok(begun and all(".tmp-" in name for name in begun), "files have other names until they are complete", begun)
    tap.ok(p.returncode == -signal.SIGTERM and not os.listdir(where), "a signal leaves nothing", os.listdir(where))
    target = os.path.join(where, "target")
    os.symlink("target", os.path.join(where, "v.T.0.bb"))
    status, out, err = command("bbv", "--slice=1000", "-o", os.path.join(where, "v"), "--thread=0", graph, trace)
    tap.ok(status == 0 and os.path.islink(os.path.join(where, "v.T.0.bb")) and os.path.getsize(target) > 0,
           "a link that leads nowhere yet goes on being one", err)


def main():
    tap = harness.Tap("bbv")
    check_small(tap)
    primes = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "primes.c"), "primes", "-pthread")
    trace = tap.path("primes.trace")
    graph, _, why = harness.dcfg(tap, "primes", [primes], ["--trace=yes", "--trace-turns=yes", "--trace-out-file=" + trace])
    if tap.ok(graph, "primes: a trace", why):
        check_vectors(tap, "primes", graph, trace, trace + ".turns", [(10000, False), (20000, True)])
        command("bbv", "--slice=10000", "-o", tap.path("r"), "--turns=" + trace + ".turns", graph, trace)
        check_regions(tap, graph, tap.path("r"))
        check_packed(tap, graph, trace)
        check_unfinished(tap, graph, trace)
    trace = tap.path("sort.trace")
    graph, _, why = harness.dcfg(tap, "sort", ["/usr/bin/sort", "--parallel=1", __file__], ["--trace=yes", "--trace-out-file=" + trace])
    if tap.ok(graph, "sort: a trace", why):
        check_vectors(tap, "sort", graph, trace, None, [(5000, False)])
        check_collected(tap, ["/usr/bin/sort", "--parallel=1", __file__], tap.path("v"))
        judge_simpoint(tap, tap.path("v"))
    tap.done()


main()
