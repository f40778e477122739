#!/usr/bin/python3
"""Regions for simulators: dcfg bbv --looppoint and dcfg regions, as their readers take the files; what the tool then collects;
what is refused.  (TAP)
"""
import json
import os
import random
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import bbvlib
import commandlib
import harness
from commandlib import command
from harness import write


def record(tap, name, argv, opts=(), env=None):
    """(DCFG, trace, its turns) of a run; the first is None if there is none."""
    trace = tap.path(name + ".trace")
    graph, _, why = harness.dcfg(tap, name, argv, ["--trace=yes", "--trace-turns=yes", "--trace-out-file=" + trace] + list(opts), env)
    tap.ok(graph, name + ": a trace", why)
    return graph, trace, trace + ".turns"


def is_refused(tap, why, args, says):
    """DCFG refuses with one line, which SAYS something, and leaves no file behind."""
    place = tap.path("refused")
    os.makedirs(place, exist_ok=True)
    status, out, err = command(*[a.replace("PLACE", place) for a in args])
    tap.ok(status == 2 and not out and len(err.splitlines()) == 1 and says in err and not os.listdir(place),
           "refused: " + why, "%s\n%s%s\n%s" % (status, out, err, os.listdir(place)))


def check_beginning(tap, prog):
    """Markers count from the process's beginning: dcfg regions refuses those of a trace that begins later."""
    points, weights = write(tap.path("points"), "1 0\n"), write(tap.path("weights"), "1 0\n")
    for name, opts, late in (("whole", [], False), ("only the program", ["--only-images=*/beginning"], False),
                             ("later", ["--start=is_prime:100"], True),
                             ("a toggle", ["--toggle-collect=count_primes"], True)):
        label = name.replace(" ", "_")
        graph, trace, turns = record(tap, label, [prog], opts)
        status, out, err = command("bbv", "--slice=5000", "-o", tap.path(label), "--turns=" + turns, graph, trace)
        text = harness.read(tap.path(label + ".global.bb"))
        since = re.findall("^# Counts since (0x[0-9a-f]+)$", text, re.M)
        first = re.search("^S: (0x[0-9a-f]+) ", text, re.M).group(1)
        tap.ok(status == 0 and since == [first] * late and ("does not begin with" in err) == late, name + ": where counts begin", (err, since))
        args = ["regions", tap.path(label + ".global.bb"), points, weights]
        if late:
            is_refused(tap, "counts of " + name, args, "counts do not begin with the program")
        else:
            tap.ok(command(*args)[0] == 0, name + ": counts begin with the program", command(*args))


def check_mutants(tap, name, seed, n):
    """Vectors and labels that are wrong somewhere: the command refuses them with one line, or takes them; it does not crash."""
    random.seed(seed)
    with open(tap.path(name + ".global.cv"), "rb") as f:
        lines = [line for line in f.read().splitlines(True) if not line.startswith(b"Block id") or random.randrange(40) == 0]
    wrong = []
    for i in range(n):
        mutant = list(lines)
        for _ in range(random.randrange(1, 4)):
            k = random.randrange(len(mutant))
            line = bytearray(mutant[k])
            line[random.randrange(len(line))] = random.choice(b"0123456789:# STxMP\n\0\xff")
            mutant[k] = random.choice((bytes(line), b"", bytes(line[:len(line) // 2]), mutant[k] * 2,
                                       re.sub(rb"\d+", random.choice((b"0", b"18446744073709551615", b"99999999999999999999")), mutant[k], 1)))
        write(tap.path("mutant.bb"), b"".join(mutant))
        status, out, err = command("regions", "--labels=" + tap.path("labels"), "--warmup=2", "--csv=" + tap.path("mutant.csv"), "--base=0",
                                   "--gem5=" + tap.path("mutant.json"), tap.path("mutant.bb"), tap.path("points"), tap.path("weights"), program=commandlib.DCFG)
        if status not in (0, 2) or status == 2 and (out or len([x for x in err.splitlines() if " is not in gem5's file" not in x]) != 1):
            wrong.append("%d: %d %s" % (i, status, err[-300:]))
    tap.ok(not wrong, "%d wrong files are taken or refused" % n, "\n".join(wrong[:3]))


class Slices:
    """The slices of --looppoint, made once more of blocks in their order: [(thread, block)]."""

    def __init__(self, g, blocks, size, heads, skipped, own):
        self.n_threads, self.ends, self.vectors, self.starts, self.executed = len(g.threads), [], [], [], []
        counts, total, unfiltered, begun, last = {}, 0, 0, 0, None
        done = [[0, 0] for _ in g.threads]
        vector = [{} for _ in g.threads]
        for t, node in blocks:
            if not self.starts or node in heads and total - begun >= size:
                if self.starts:
                    self.close(vector, done, total, unfiltered)
                    vector = [{} for _ in g.threads]
                self.starts.append((g.addr[node], counts.get(node, 0) + 1))
                begun = total
            n = g.instrs[node]
            self.executed.append((g.addr[node], total))
            done[t][1] += n
            unfiltered += n
            if node in skipped:
                continue
            counts[node] = counts.get(node, 0) + 1
            vector[t][node] = vector[t].get(node, 0) + n
            done[t][0] += n
            total += n
            if node in own:
                last = node
        self.close(vector, done, total, unfiltered)
        self.starts.append((g.addr[last], counts[last]))
        self.counts = counts

    def close(self, vector, done, total, unfiltered):
        self.ends.append((total, unfiltered, [tuple(d) for d in done]))
        self.vectors.append(vector)


def text_of(pairs):
    return "T" + ("".join(":%d:%d " % p for p in sorted(pairs)) or " ")


def lines_of(path):
    """(lines of slices without markers, [(pc, count) of a marker], blocks of the table, and their executions)."""
    lines = harness.read(path).splitlines()
    marks = [tuple(int(x, b) for x, b in zip(line.split()[1:3], (16, 10))) for line in lines if line.startswith("S:")]
    table = {int(line.split()[2]): int(line.split("block count: ")[1].split()[0]) for line in lines if line.startswith("Block id:")}
    return [line for line in lines if line.startswith(("# ", "T"))], marks, table


def check_looppoint(tap, name, files, size, own, skip=(), opts=()):
    """All files of --looppoint; the slices."""
    graph, trace, turns = files
    g = bbvlib.Graph(graph)
    d = json.loads(harness.read(graph))
    names = {r[0]: r[1] for r in d["FILE_NAMES"][1:]}
    at = {}
    for im in d["PROCESSES"][1][1]["IMAGES"][1:]:
        for b in im[3].get("BASIC_BLOCKS", [[]])[1:]:
            at[b[0]] = os.path.basename(names[im[3]["FILE_NAME_ID"]])
    skipped = {n for n in at if at[n].startswith(("libgomp.so",) + tuple(skip))}
    mine = {n for n in at if at[n].startswith(own)} - skipped - g.rep
    order = json.loads(harness.read(turns))
    ways = {t: iter(way) for t, way in bbvlib.ways(g, graph, trace, program=commandlib.PLAIN).items()}
    blocks = in_order(g, ways, order)
    s = Slices(g, blocks, size, g.heads & mine, skipped, mine)
    prefix = tap.path(name)
    status, out, err = command("bbv", "--looppoint", "--slice=%d" % size, "--turns=" + turns, "-o", prefix, *opts, graph, trace)
    if not tap.ok(status == 0 and not out, name + ": vectors", err):
        return None
    found, marks, table = lines_of(prefix + ".global.bb")
    want = []
    for (f, u, _), v in zip(s.ends, s.vectors):
        whole = {}
        for part in v:
            for node, n in part.items():
                whole[node] = whole.get(node, 0) + n
        want += ["# Slice ending at global %d" % f, "# Unfiltered count  %d" % u, text_of(whole.items())]
    tap.ok(found == want and len(s.ends) > 3, name + ": the global file, %d slices" % len(s.ends), (found[:6], want[:6]))
    tap.ok(marks == s.starts and table == s.counts, name + ": markers and the table of blocks", (marks[:4], s.starts[:4], marks[-1], s.starts[-1]))
    wrong = []
    for t in range(s.n_threads):
        want = []
        for (f, u, done), v in zip(s.ends, s.vectors):
            want += ["# Slice ending at %d global %d" % (done[t][0], f), "# Unfiltered count %d global %d" % (done[t][1], u),
                     text_of(v[t].items())]
        if lines_of("%s.T.%d.bb" % (prefix, t))[0] != want:
            wrong.append(t)
    tap.ok(not wrong, name + ": files of threads", wrong)
    status, text = harness.oracle("looppoint_concat.py", prefix)
    joined = harness.read(prefix + ".global.cv")
    tail = harness.read(prefix + ".global.bb").partition("Dynamic instruction count")[2]
    tap.ok(status == 0 and joined.startswith("#make-balanced-concat-vectors.py num_threads %d\nI: 0\nC: " % s.n_threads)
           and re.sub(r"count  ", "count ", joined[joined.index("S:"):joined.index("Dynamic")]) == text
           and joined.endswith(tail), name + ": LoopPoint concatenates them like that", text[:500])
    warned = "ten turns of each" in err
    mean = sum(g.threads) // len(order)
    tap.ok(warned == (s.n_threads > 1 and size < 10 * s.n_threads * mean), name + ": short slices are told", err)
    return s


def in_order(g, ways, turns):
    """(thread, block) as they began: in a turn those that begin before it has run all its instructions."""
    run, due, out, waiting = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0), [], {}
    for t, instrs, _ in turns:
        due[t] += instrs
        while run[t] < due[t]:
            node = next(ways[t])
            out.append((t, node))
            run[t] += g.instrs[node]
    return out


def choose(tap, s, k):
    """Labels of slices in K clusters, the last slice chosen for one of them; the files' arguments, the choice."""
    n = len(s.ends)
    labels = [(7 * i + i * i // 3) % k for i in range(n)]
    labels[n - 1] = k - 1
    chosen = {c: n - 1 if c == k - 1 else [i for i in range(n) if labels[i] == c][-1] for c in sorted(set(labels))}
    write(tap.path("labels"), "".join("%d 0.5\n" % c for c in labels))
    write(tap.path("points"), "".join("%d %d\n" % (i, c) for c, i in chosen.items()))
    write(tap.path("weights"), "".join("%.6f %d\n" % (labels.count(c) / n, c) for c in chosen))
    return labels, chosen


def rows(path, kind):
    with open(path) as f:
        return [line.rstrip("\n").split(",") for line in f if line.startswith(kind)]


def check_regions(tap, name, s, k, warmup, base):
    """CSV and JSON: what pcregions.py finds, exact multipliers, and where gem5's counters stop."""
    prefix = tap.path(name)
    labels, chosen = choose(tap, s, k)
    files = [tap.path(f) for f in ("points", "weights")]
    out = tap.path(name + ".csv"), tap.path(name + ".json")
    args = ["--labels=" + tap.path("labels"), "--warmup=%d" % warmup, "--csv=" + out[0], "--gem5=" + out[1]]
    status, said, err = command("regions", *args, *([] if base is None else ["--base=%#x" % base]), prefix + ".global.bb", *files)
    if not tap.ok(status == 0, name + ": regions", err):
        return
    again = command("regions", args[0], prefix + ".global.cv", *files)
    tap.ok(again[:2] == (0, said), name + ": of concatenated vectors, too", again)
    status, text = harness.oracle("looppoint_regions.py", prefix + ".global.cv", *files, tap.path("labels"))
    want = [line.split(",") for line in text.splitlines()]
    found = rows(out[0], "cluster")
    tap.ok(status == 0 and [r[:14] + r[15:] for r in found] == [w[:14] + w[15:] for w in want], name + ": pcregions.py has these regions",
           (found[:2], text[:800]))
    total = sum(float(r[14]) * int(r[12]) for r in found)
    tap.ok(abs(total - s.ends[-1][0]) <= 1, name + ": regions times their multipliers are the run", (total, s.ends[-1][0]))
    warm = rows(out[0], "Warmup")
    pair = lambda m: ["%#x" % m[0], str(m[1])]
    ends = [[r[2], r[3], r[6], r[7], r[10], r[12], r[15]] for r in warm]
    wanted = []
    for c, i in chosen.items():
        first = max(0, i - warmup)
        if i > first and warmup:
            length = s.ends[i - 1][0] - (s.ends[first - 1][0] if first else 0)
            wanted.append([str(c + max(chosen) + 2)] + pair(s.starts[first]) + pair(s.starts[i]) + [str(length), "warmup:%d" % (c + 1)])
    tap.ok(ends == wanted, name + ": warm-ups", (ends, wanted))
    # Addresses of the JSON are gem5's: moved back, they are those of the run.
    regions = json.loads(harness.read(out[1]))
    low = min(int(r[3], 16) - int(r[5], 16) for r in found)
    move = 0 if base is None else base - low
    executed = write(tap.path("executed"), "".join("%#x %d\n" % (pc + move, n) for pc, n in s.executed))
    status, text = harness.oracle("gem5_regions.py", out[1], executed)
    at = [0] + [e[0] for e in s.ends]
    ends = {"%d %s" % (c + 1, e): at[i + (e == "end")] for c, i in chosen.items() for e in ("start", "end")
            if str(c + 1) in regions and (e == "start" or i + 1 < len(s.ends))}
    stops = dict(line.rsplit(" ", 1) for line in text.splitlines())
    tap.ok(status == 0 and ends and all(int(stops[e]) == ends[e] for e in ends), name + ": gem5's counters stop there",
           (status, ends, text))
    if base is None:
        status, other = harness.oracle("gem5_regions.py", out[0], executed)
        tap.ok(sorted(x for x in other.splitlines() if x.split()[0] in regions) == sorted(text.splitlines()),
               name + ": gem5 reads the same of the CSV", other)
    lines = said.splitlines()
    tap.ok(all(", unfiltered {:,}, multiplier ".format(s.ends[i][1] - (s.ends[i - 1][1] if i else 0)) in line
               for line, i in zip(lines[::2], sorted(chosen.values()))), name + ": what is said of regions", said)


def instructions(path):
    return json.loads(harness.read(path))["PROCESSES"][1][1]["INSTR_COUNT"]


def check_collected(tap, name, argv, s, within, only=None, env=None, opts=()):
    """The tool collects what was predicted for the regions that all slices are; WITHIN is a share."""
    n = len(s.ends)
    write(tap.path("labels"), "".join("%d 0\n" % i for i in range(n)))
    write(tap.path("points"), "".join("%d %d\n" % (i, i) for i in range(n)))
    write(tap.path("weights"), "".join("0.1 %d\n" % i for i in range(n)))
    said = command("regions", "--labels=" + tap.path("labels"), tap.path(name + ".global.bb"), tap.path("points"), tap.path("weights"))[1]
    options = [line.split() for line in said.splitlines() if line.startswith("--start")]
    worst, log = 0, ""
    for i in range(n) if only is None else [k % n for k in only]:
        graph, _, why = harness.dcfg(tap, "part", argv, options[i] + list(opts), env)
        want = s.ends[i][1] - (s.ends[i - 1][1] if i else 0)
        worst = max(worst, abs(instructions(graph) - want) / want if graph else 1)
        with open(tap.path("part.log")) as f:
            log += "".join(line for line in f if "warning" in line)
    tap.ok(worst <= within and not log, name + ": regions that are collected are those that were predicted", (worst, log))


def check_other_run(tap, prog, s):
    """A marker that is reached another number of times is told, with both numbers; a forked child does not tell, for the number is
    that of its parent's run."""
    source = write(tap.path("child.c"), "#include <sys/wait.h>\n#include <unistd.h>\nvoid f(void) { static volatile int x; x++; }\n"
                   "int main(void) { f(); if (fork() == 0) return 0; wait(0); f(); return 0; }\n")
    child = harness.cc(tap, source, "child", "-fno-inline")
    for total in (2, 3):
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--dcfg-out-file=" + tap.path("child.%p"), "--start=f:1/%d" % total, child], tap.dir)
        tap.ok(status == 0 and re.findall("reached .*, not .*:", err) == ["reached 2 times, not 3:"] * (total == 3),
               "a process and its child: %d times" % total, err)
    (pc, count) = s.starts[2]
    for total, tells in ((s_total(s, pc), False), (s_total(s, pc) + 5, True)):
        log = tap.path("part.log")
        harness.dcfg(tap, "part", prog, ["--start=%#x:%d/%d" % (pc, count, total), "--stop=%#x:%d" % s.starts[3]])
        text = harness.read(log)
        said = "was reached {:,} times, not {:,}: this is not the run".format(s_total(s, pc), total)
        tap.ok((said in text) == tells and ("warning" in text) == tells, "a marker of another run is told: %s" % tells, text)
    for place in ("main:0/5", "main:5/0", "main:5/4", "main:5/4x", "main:-1/4"):
        status, err = harness.run([harness.VALGRIND, "--tool=dcfg", "--start=" + place] + prog, tap.dir)
        tap.ok(status == 1 and "--start=" + place in err, "refused: --start=" + place, err)


def s_total(s, pc):
    return sum(1 for a, _ in s.executed if a == pc)


def check_refused(tap, name, files, prog):
    graph, trace, turns = files
    prefix = tap.path(name) + ".global.bb"
    bbv = ["bbv", "--looppoint", "-o", "PLACE/x"]
    is_refused(tap, "no turns", bbv + [graph, trace], "--turns=FILE")
    is_refused(tap, "one thread", bbv + ["--thread=0", "--turns=" + turns, graph, trace], "all threads")
    is_refused(tap, "--skip alone", ["bbv", "--skip=x", "-o", "PLACE/x", graph, trace], "--looppoint")
    is_refused(tap, "all is skipped", bbv + ["--skip=*", "--turns=" + turns, graph, trace], "all are skipped")
    short = write(tap.path("short.turns"), "[[0,%s" % open(turns).read().split(",", 1)[1].split("]")[0] + "]]")
    is_refused(tap, "turns of a part", bbv + ["--turns=" + short, graph, trace], "do the files belong together?")
    points, weights, labels = (tap.path(f) for f in ("points", "weights", "labels"))
    n = sum(line.startswith("T") for line in open(prefix))
    write(points, "%d 0\n1 1\n" % (n - 1)), write(weights, "0.5 0\n0.5 1\n")
    good = "".join("%d 0\n" % (i % 2) for i in range(n - 1)) + "0 0\n"
    write(labels, good)
    regions = ["regions", "--csv=PLACE/c", "--gem5=PLACE/g", "--base=0"]
    tail = [prefix, points, weights]
    is_refused(tap, "a position-independent program without --base", ["regions", "--gem5=PLACE/g", "--csv=PLACE/c", "--labels=" + labels] + tail,
               "--base=ADDRESS")
    for why, args, says in (("no labels", regions + tail, "--labels"), ("--base alone", ["regions", "--base=0"] + tail, "--gem5"),
                            ("no address", regions[:3] + ["--base=zero", "--labels=" + labels] + tail, "zero")):
        is_refused(tap, why, args, says)
    for why, text, says in (("fewer labels than slices", good[4:], "%d labels for %d slices" % (n - 1, n)),
                            ("more labels than slices", good + "0 0\n", "there are %d slices only" % n),
                            ("labels of another choice", good[4:] + "1 0\n", "was chosen for"), ("no labels in the file", "x\n", "line 1"),
                            ("an empty file of labels", "", "is an empty file")):
        write(labels, text)
        is_refused(tap, why, regions + ["--labels=" + labels] + tail, says)
    write(labels, good)
    text = open(prefix).read()
    for why, wrong, says in (
            ("no end of the last slice", re.sub(r"(?m)^S: .*\n(?=Dynamic)", "", text), "--looppoint"),
            ("no table of blocks", re.sub("(?m)^Block id.*\n", "", text), "Block id"),
            ("a broken row of the table", text.replace("static instructions: ", "static instructions: x", 1), "no row"),
            ("a row with no instructions", re.sub("static instructions: [0-9]+", "static instructions: 0", text, count=1), "no row"),
            ("unfiltered counts that go back", re.sub("count  [0-9]+", "count  5", text.replace("count  ", "count  9", 1), count=2)
             .replace("count  5", "count  9999999999", 1), "no number"),
            ("a comma in a name", re.sub("(?m)^(S: .*/)" + name, r"\1x,y", text), "blanks and commas"),
            ("a blank in a name", re.sub("(?m)^(S: .*/)" + name, r"\1x y", text), "no marker"),
            ("no image", re.sub("(?m)^S: (\\S+ \\d+) .*", r"M: \1 no_image 0", text), "without an image"),
            ("no program", re.sub("(?m)^C: .*\n", "", text), "which image is the program")):
        path = write(tap.path("wrong.bb"), wrong)
        if tap.ok(wrong != text, why + ": the file is wrong"):
            is_refused(tap, why, regions + ["--labels=" + labels, path, points, weights], says)
    for odd in ("a b", "a,b"):
        place = tap.path(odd)
        os.mkdir(place)
        shutil.copy(prog, place)
        files = record(tap, "odd", [os.path.join(place, os.path.basename(prog))])
        is_refused(tap, "a path like " + odd, bbv + ["--slice=10000", "--turns=" + files[2], *files[:2]], "blanks and commas")


def check_late(tap, prog, s):
    """Counts of a trace that begins later, taken for those of a process, stop gem5 too early: that is why they are refused."""
    graph, trace, turns = record(tap, "late", [prog], ["--start=is_prime:300"])
    prefix = tap.path("late")
    command("bbv", "--looppoint", "--slice=8000", "--turns=" + turns, "-o", prefix, graph, trace)
    text = harness.read(prefix + ".global.bb")
    n = len(re.findall("^T", text, re.M))
    bb = write(tap.path("claimed.bb"), re.sub("(?m)^# Counts since .*\n", "", text))
    paths = [write(tap.path(f), t) for f, t in (("points", "1 0\n"), ("weights", "1 0\n"), ("labels", "0 0\n" * n))]
    status, out, err = command("regions", "--labels=" + paths[2], "--gem5=" + tap.path("late.json"), bb, *paths[:2])
    executed = write(tap.path("executed"), "".join("%#x %d\n" % pair for pair in s.executed))
    answer, stops = harness.oracle("gem5_regions.py", tap.path("late.json"), executed)
    first = int(re.search("^# Counts since (.*)", text, re.M).group(1), 16)
    begin = [at for pc, at in s.executed if pc == first][299]
    length = int(re.search("# Slice ending at global (.*)", text).group(1))
    m = re.search("^1 start (.*)", stops, re.M)
    tap.ok(status == 0 and "Counts" in text and m and int(m.group(1)) < begin + length, "the oracle of gem5 stops too early for late counts",
           (err, answer, stops, begin, length))


def check_before(tap, files):
    """The files of before, or of a late beginning, are what the oracles refuse."""
    graph, trace, turns = files
    prefix = tap.path("before")
    command("bbv", "--at-loops", "--image=main", "--slice=20000", "--turns=" + turns, "-o", prefix, graph, trace)
    status, text = harness.oracle("looppoint_concat.py", prefix)
    tap.ok(status == 1 and "no slice" in text, "the oracle of LoopPoint joins no files of single slices", text)
    n = sum(line.startswith("T") for line in open(prefix + ".global.bb"))
    paths = [write(tap.path(f), t) for f, t in (("points", "%d 0\n" % (n - 1)), ("weights", "1 0\n"), ("labels", "0 0\n" * n))]
    status, text = harness.oracle("looppoint_regions.py", prefix + ".global.bb", *paths)
    tap.ok(status == 1 and "has no end" in text, "the oracle of pcregions.py finds no end of the last slice", text)


def openmp(tap, name, policy):
    """The OpenMP program with 4 threads."""
    env = dict(harness.ENV, OMP_NUM_THREADS="4", OMP_WAIT_POLICY=policy)
    prog = tap.path("waves")
    return [prog, "10"], env, record(tap, name, [prog, "10"], ["--fair-sched=yes"], env)


def check_openmp(tap):
    prog = harness.cc(tap, os.path.join(harness.SRCDIR, "docs", "waves.c"), "waves", "-fopenmp")
    if not prog:
        return
    argv, env, files = openmp(tap, "passive", "passive")
    passive = check_looppoint(tap, "passive", files, 750000, "waves")
    _, _, files = openmp(tap, "active", "active")
    active = check_looppoint(tap, "active", files, 750000, "waves")
    if passive and active:
        check_regions(tap, "passive", passive, 3, 2, 0x400000)
        a, p = active.ends[-1], passive.ends[-1]
        tap.ok(abs(a[0] - p[0]) < p[0] / 10000, "waiting does not count: %d, %d; unfiltered %d, %d" % (a[0], p[0], a[1], p[1]))
        check_collected(tap, "passive", argv, passive, 0.002, (0, 2, -1), env, ["--fair-sched=yes"])


def check_real(tap):
    data = tap.path("data")
    write(data, "".join("%d %s\n" % (i * 7919 % 1000, "line %x" % (i * i)) for i in range(500)))
    table = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 150) select sum(i * 7919 % 101) from n group by i % 7;"
    for name, argv, size, own, opts, only in (
            ("gzip", ["gzip", "-c", data], 250000, "gzip", [], (0, 1, 3, -1)),
            *[("bzip2", ["bzip2", "-c", data], 375000, "libbz2", ["--image=libbz2*"], (1, -1))] * (os.environ.get("DCFG_SLOW") == "1"),
            ("sqlite3", ["sqlite3", ":memory:", table], 250000, "libsqlite3", ["--image=libsqlite3*"], (1, -2))):
        if not shutil.which(argv[0]):
            tap.skip(name, "it is not installed")
            continue
        files = record(tap, name, argv)
        s = files[0] and check_looppoint(tap, name, files, size, own, (), opts)
        if s:
            check_collected(tap, name, argv, s, 0, None if os.environ.get("DCFG_SLOW") == "1" else only)


def main():
    tap = harness.Tap("simulators")
    source = os.path.join(harness.SRCDIR, "docs", "primes.c")
    primes = harness.cc(tap, source, "beginning", "-pthread")
    fixed = harness.cc(tap, source, "primes", "-pthread", "-no-pie")
    check_beginning(tap, primes)
    files = record(tap, "primes", [fixed])
    s = check_looppoint(tap, "primes", files, 8000, "primes", ("libc.so",), ["--skip=libc.so*"])
    if s:
        check_regions(tap, "primes", s, 1, 0, None)
        check_regions(tap, "primes", s, 4, 2, None)
        check_mutants(tap, "primes", 1, 2000 if os.environ.get("DCFG_SLOW") == "1" else 60)
        check_before(tap, files)
        check_late(tap, fixed, s)
    files = record(tap, "beginning", [primes])
    s = check_looppoint(tap, "beginning", files, 20000, "beginning")
    if s:
        check_regions(tap, "beginning", s, 5, 3, 0)
        check_other_run(tap, [primes], s)
        check_refused(tap, "beginning", files, primes)
    check_openmp(tap)
    check_real(tap)
    tap.done()


main()
