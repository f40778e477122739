#!/usr/bin/python3
"""dcfg merge for thousands of runs: partial sums, lists, files that cannot be read, other builds, sizes of
instructions in place of images' files.  (TAP)

The law: any tree of partial sums, in any order, and then one merge, gives the bytes of one merge of all files.
DCFG_SLOW=1: 50 random trees for each way of adding threads instead of 3, and all of them with sanitizers.
"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from commandlib import command, one_line, runs

SLOW = os.environ.get("DCFG_SLOW") == "1"
MODES = ["--threads=add"], ["--threads=keep"]


def renumbered(tap, path, pid):
    """Makes a copy with another process id."""
    text = harness.PID.sub(rb"\g<1>%d" % pid, harness.read(path, "rb"))
    to = tap.path("id%d-%s" % (pid, os.path.basename(path)))
    harness.write(to, text)
    return to


def corpus(tap):
    """Returns (units, each a file or the parts of a run; by kind): twenty graphs, and parts of one more."""
    kinds = {}
    prog = harness.program(tap, "merge/prog.c", "-static")
    kinds["prog"] = runs(tap, "prog", prog, [["5"], ["12", "text"], ["200"], ["3"]])
    threads = harness.program(tap, "merge/threads.c", "-static", "-pthread")
    kinds["threads"] = runs(tap, "threads", threads, [["3"], ["0"], ["5"]])
    jit = harness.program(tap, "merge/jit.c", "-static")
    kinds["jit"] = runs(tap, "jit", jit, [["9"], ["10"], ["11"], ["9"]])
    fork = harness.program(tap, "merge/fork.c", "-static")
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=" + tap.path("fork.%p.json"), fork], tap.dir)
    kinds["fork"] = sorted(tap.path(f) for f in os.listdir(tap.dir) if re.match(r"fork\.\d+\.json$", f))
    kinds["others"] = []
    for name, argv in harness.SAME_EACH_TIME[:2]:
        kinds["others"].append(harness.dcfg(tap, name, argv)[0])
    # Equal ids: of another program, of the same one, and one run twice.
    kinds["ids"] = [renumbered(tap, f, 4242) for f in (kinds["jit"][1], kinds["prog"][0], kinds["threads"][0])]
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--dump-before=work", "--dcfg-out-file=" + tap.path("cut.json"), threads,
                 "3"], tap.dir)
    parts = sorted(tap.path(f) for f in os.listdir(tap.dir) if re.match(r"cut.*\.json$", f))
    tap.ok(len(parts) == 4 and len(kinds["fork"]) == 4 and sum(map(len, kinds.values())) == 20,
           "twenty graphs, and a run in four parts", (parts, kinds))
    units = [[f] for files in kinds.values() for f in files] + [[kinds["jit"][0]], parts]
    return units, kinds, parts


class Tree:
    """A random tree of partial sums."""
    def __init__(self, tap, rng, options, program):
        self.tap, self.rng, self.options, self.program, self.n = tap, rng, options, program, 0
        self.errors = ""

    def partial(self, files):
        self.n += 1
        to = self.tap.path("tree%d.json" % self.n)
        self.rng.shuffle(files)
        status, out, err = command("merge", "--partial", *self.options, "-o", to, *files, program=self.program)
        if status or out:
            self.errors += err
        return to

    def grow(self, units):
        """Makes a partial sum of the units; or takes the only one as it is.  Returns the file."""
        if len(units) == 1 and len(units[0]) == 1 and self.rng.random() < 0.6:
            return units[0][0]
        if len(units) == 1 or self.rng.random() < 0.15:
            return self.partial(sum(units, []))
        self.rng.shuffle(units)
        cuts = sorted(self.rng.sample(range(1, len(units)), self.rng.randint(1, min(4, len(units) - 1))))
        return self.partial([self.grow(units[a:b]) for a, b in zip([0] + cuts, cuts + [len(units)])])


def check_law(tap, units):
    rng = random.Random(7)
    program = commandlib.DCFG if SLOW else commandlib.PLAIN
    trees = 50 if SLOW else 3
    for mode in MODES:
        want = command("merge", *mode, *sum(units, []), program=program)[1]
        bad = ""
        for k in range(trees):
            tree = Tree(tap, rng, mode, program)
            # Some trees have only a few graphs, in which a difference cannot hide.
            few = rng.sample(units, rng.randint(2, 6)) if k % 2 else units
            top = tree.grow([list(u) for u in few])
            if k % 2:
                want_few = command("merge", *mode, *sum(few, []), program=program)[1]
            status, out, err = command("merge", *mode, top, program=program)
            if status or tree.errors or not out or out != (want_few if k % 2 else want):
                bad += "tree %d of %s: %s%s\n" % (k, [os.path.basename(u[0]) for u in few], tree.errors, err)
        tap.ok(not bad and len(want) > 1000000, "the law: %d random trees, %s" % (trees, mode[0]), bad)
        for f in os.listdir(tap.dir):
            if f.startswith("tree"):
                os.unlink(tap.path(f))


def files_sum(tap, files):
    path = tap.path("sum-of-%d.json" % len(files))
    command("merge", "--threads=add", "-o", path, *files)
    return path


def no_file(path):
    """Returns the executions of blocks in each image without a file."""
    d = json.loads(harness.read(path))
    names = dict(d["FILE_NAMES"][1:])
    return [[b[5] for b in im["BASIC_BLOCKS"][1:]] for _, _, _, im in d["PROCESSES"][1][1]["IMAGES"][1:]
            if not names[im["FILE_NAME_ID"]].startswith("/")]


def check_partial(tap, kinds):
    """A partial sum is a DCFG like any other, with one more member."""
    files = kinds["prog"] + kinds["jit"]
    for mode in MODES:
        path, plain = tap.path("partial.json"), tap.path("plain.json")
        status, out, err = command("merge", "--partial", *mode, "-o", path, *files)
        tap.ok(status == 0 and not out and not err, "--partial " + mode[0], err)
        status, out, err = command("check", path)
        tap.ok(status == 0, "it keeps the rules", out + err)
        if mode == MODES[1]:    # with --threads=add, a thread has several ENTRY edges
            status, out = harness.oracle("dcfg_rules.py", "--generations", path)
            tap.ok(status == 0, "also by the oracle", out)
        command("merge", *mode, "-o", plain, *files)
        with open(path) as f, open(plain) as g:
            ours, theirs = (json.load(x)["PROCESSES"][1][1] for x in (f, g))
        merged = ours.pop("MERGED")
        tap.ok([r[0] for r in merged["RUNS"][1:]] == sorted(r[0] for r in merged["RUNS"][1:])
               and len(merged["RUNS"]) == len(files) + 1 and merged["NUM_FILES"] == len(files)
               and len(merged["HOMES"]) == len(ours["IMAGES"]), "MERGED has runs in order, and each image's home", merged["RUNS"])
        tap.ok(set(theirs) == set(ours) and "MERGED" not in theirs
               and ours["INSTR_COUNT_PER_THREAD"] == theirs["INSTR_COUNT_PER_THREAD"], "without --partial there is none")
        tap.ok(command("merge", *mode, path)[1] == open(plain).read(), "a sum of one partial sum is the sum")
    # Code without a file: the same code is there once, other code beside it.
    path = tap.path("equal.json")
    command("merge", "--partial", "--threads=add", "-o", path, *[renumbered(tap, kinds["jit"][0], 7000 + i) for i in range(5)])
    one, five, both = no_file(kinds["jit"][0]), no_file(path), no_file(files_sum(tap, kinds["jit"][:2]))
    tap.ok(one and [[5 * n for n in im] for im in one] == five, "the same code without a file", (one, five))
    tap.ok(sorted(both) == sorted(one + no_file(kinds["jit"][1])), "other code without a file", both)


def known_sizes(path):
    """Returns, by path of image, (offset, size) of each instruction that INSTR_SIZES has, and the number of those without.
    """
    d = json.loads(harness.read(path))
    names, known, unknown = dict(d["FILE_NAMES"][1:]), {}, 0
    for _, _, _, im in d["PROCESSES"][1][1]["IMAGES"][1:]:
        sizes, at = im.get("INSTR_SIZES", ""), 0
        for _, offset, size, n, _, _ in im.get("BASIC_BLOCKS", [[]])[1:]:
            offset = int(offset, 16)
            for c in sizes[at:at + n] or "0" * n:
                unknown += c == "0"
                known.setdefault(names[im["FILE_NAME_ID"]], set()).add((offset, int(c, 36)))
                offset += int(c, 36)
            at += n
    return known, unknown


def without_sizes(tap, path):
    text = harness.read(path)
    to = harness.written(tap, "plain-" + os.path.basename(path), re.sub(r',\n *"INSTR_SIZES" : "[0-9a-z]+"', "", text))
    return to


def sized_runs(tap, prog, inputs, *options):
    name = os.path.basename(prog)
    return [harness.dcfg(tap, "sized-%s%d" % (name, i), [prog] + args, ("--instr-sizes=yes",) + options)[0]
            for i, args in enumerate(inputs)]


def check_sizes(tap):
    """With --instr-sizes=yes no merge needs the images' files, and the sums are the same."""
    def program(source, *flags):
        return harness.program(tap, "merge/" + source, *flags, name="s-%s%s" % (source.split(".")[0], "32" * ("-m32" in flags)))
    prog = program("prog.c")
    programs = [(prog, [["5"], ["12", "text"], ["200"], ["3"]]), (program("jit.c"), [["9"], ["10"], ["11"]]),
                (program("overlap.S", "-nostdlib", "-static"), [[], ["x"]])]
    if harness.lacks_x86():
        tap.skip("sums of 32-bit programs without images", harness.lacks_x86())
    else:
        programs.append((program("prog.c", "-m32"), programs[0][1]))
    nowhere = ["--root", tap.path("nowhere")]
    for prog, inputs in programs:
        name = os.path.basename(prog)
        files = sized_runs(tap, prog, inputs)
        status, out = harness.oracle("dcfg_rules.py", "--generations", *files)
        tap.ok(status == 0, name + ": the rules", out)
        plain = [without_sizes(tap, f) for f in files]
        most = max((os.path.getsize(f) - os.path.getsize(p)) / os.path.getsize(p) for f, p in zip(files, plain))
        known, unknown = known_sizes(files[0])
        tap.ok(most < 0.04 and known and not unknown, name + ": all sizes are there, and are at most 4% of the file", (most, unknown))
        if shutil.which("objdump") and "overlap" not in name:
            r = subprocess.run(["objdump", "-d", "-w", prog], stdout=subprocess.PIPE, env=harness.ENV)
            theirs = {int(at, 16): len(code.split()) for at, code in
                      re.findall(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)", r.stdout.decode(), re.M)}
            bad = [(hex(o), n, theirs.get(o)) for o, n in known[prog] if theirs.get(o) != n]
            tap.ok(len(known[prog]) > 20 and not bad, name + ": as objdump has them", (len(known[prog]), bad[:5]))
        options = ["--threads=add"]
        want = command("merge", *options, *plain)[1]
        want_sizes = command("merge", *options, *files)[1]
        halves = [tap.path("half%d.json" % i) for i in (0, 1)]
        # Some runs with sizes, and some without: known sizes are kept, and grouping still does not matter.
        mixed = [plain[0]] + files[1:]
        once = command("merge", *options, *mixed)
        if len(mixed) > 2:
            for half, some in zip(halves, (mixed[:2], mixed[2:])):
                command("merge", "--partial", *options, "-o", half, *some)
            tap.ok(command("merge", *options, *halves)[1] == once[1] != "", name + ": some without sizes", once[2])
        os.unlink(prog)
        status, out, err = command("merge", *options, *nowhere, *plain)
        tap.ok("jit" in name or status == 2 or "there is no file" in err, name + ": without sizes the code is needed", err)
        to = tap.path("sized-sum.json")
        status, out, err = command("merge", *options, *nowhere, "-o", to, *files)
        tap.ok(status == 0 and not err, name + ": with sizes it is not", err)
        with open(to) as f, open(without_sizes(tap, to)) as g:
            tap.ok(f.read() == want_sizes and g.read() == want != "", name + ": the same sum")
        tap.ok(not known_sizes(to)[1] and command("check", to)[0] == 0, name + ": the sum has all sizes")
        for half, some in zip(halves, (files[:1], files[1:])):
            command("merge", "--partial", *options, *nowhere, "-o", half, *some)
        status, out, err = command("merge", *options, *nowhere, *halves)
        tap.ok(out == want_sizes and not err, name + ": and of partial sums", err)
    # Parts, which are joined first.
    threads = program("threads.c", "-pthread")
    whole = sized_runs(tap, threads, [["3"], ["5"]])
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--instr-sizes=yes", "--dump-before=work",
                 "--dcfg-out-file=" + tap.path("sized-cut.json"), threads, "3"], tap.dir)
    parts = sorted(tap.path(f) for f in os.listdir(tap.dir) if re.match(r"sized-cut.*\.json$", f))
    plain = [without_sizes(tap, f) for f in parts + whole[1:]]
    want = command("merge", *plain)[1]
    os.unlink(threads)
    to = tap.path("sized-sum.json")
    status, out, err = command("merge", *nowhere, "-o", to, *parts, whole[1])
    tap.ok(len(parts) == 4 and status == 0 and not err and harness.read(without_sizes(tap, to)) == want != "", "parts of a run", err)
    tap.ok(not known_sizes(to)[1], "the sum of parts has all sizes")
    # Other instructions in the same bytes are another build.
    d = json.loads(harness.read(whole[1]))
    at, im = 0, next(r[3] for r in d["PROCESSES"][1][1]["IMAGES"][1:] if "INSTR_SIZES" in r[3])
    sizes = im["INSTR_SIZES"]
    for b in im["BASIC_BLOCKS"][1:]:
        if b[3] > 2 and sizes[at] != sizes[at + 1]:
            break
        at += b[3]
    im["INSTR_SIZES"] = sizes[:at] + sizes[at + 1] + sizes[at] + sizes[at + 2:]
    other = tap.path("other.json")
    harness.write(other, json.dumps(d))
    status, out, err = command("merge", *nowhere, whole[1], other)
    tap.ok(status == 2 and not out and "its instructions differ, at 0x%x" % int(b[1], 16) in last_line(err),
           "other sizes in the same block", err)
    for wrong in (sizes[:-1], sizes + "1", "+" + sizes[1:]):
        im["INSTR_SIZES"] = wrong
        harness.write(other, json.dumps(d))
        status, out, err = command("merge", other)
        one_line(tap, status, out, err, "INSTR_SIZES that does not fit node", "sizes that do not fit the blocks")


def last_line(err):
    return "".join(err.splitlines(True)[-1:])


def check_modes(tap, kinds, parts):
    add, keep, apart = tap.path("add.json"), tap.path("keep.json"), tap.path("apart.json")
    command("merge", "--partial", "--threads=add", "-o", add, *kinds["prog"][:2])
    command("merge", "--partial", "-o", keep, *kinds["prog"][:2])
    command("merge", "--partial", "--builds=apart", "-o", apart, *kinds["prog"][:2])
    half = tap.path("half.json")
    command("merge", "--partial", "-o", half, *parts[:1], program=commandlib.PLAIN)
    for args, word in (([add], "--threads=add"), (["--threads=add", keep], "--threads=keep"), ([apart], "--builds=apart"),
                       (["--builds=apart", keep], "without --builds=apart"), (["--processes", keep], "partial sum"),
                       (["--partial", "--processes", kinds["prog"][0]], "not both"),
                       (["-j", "2", "--processes", kinds["prog"][0]], "not both"), (["-j", "0", add], "-j is"),
                       (["-0", add], "--files-from"), (["--shard=0/2", add], "--shard"), (["--builds=some", add], "one or apart"),
                       (["--files-from=/nowhere/list"], "/nowhere/list"), (["--files-from=/dev/null"], "no file to merge")):
        status, out, err = command("merge", *args)
        one_line(tap, status, out, err, word, "merge " + " ".join(os.path.basename(a) for a in args))
    # Parts that do not follow each other.
    later = tap.path("later.json")
    command("merge", "--partial", "-o", later, *parts[1:])
    for files in ([half, later], [later, half], [half, *parts[1:]]):
        status, out, err = command("merge", *files)
        tap.ok(status == 2 and not out and "must meet" in err and "half.json" in err
               and ("later.json" in err or os.path.basename(parts[1]) in err), "parts of a run in two first merges", err)
    status, out, err = command("merge", half, kinds["prog"][0])
    tap.ok(status == 0 and out, "a part beside other runs", err)
    # MERGED must fit its sum.
    text = harness.read(add)
    for old, new in ((r'"THREADS" : "add"', '"THREADS" : "keep"'), (r'"THREADS" : "add"', '"THREADS" : "some"'),
                     (r'("TURN" \],\s*\[ )1', r"\g<1>77"), (r'("TURN" \],\s*\[ 1, )\d+', r"\g<1>9999"),
                     (r'"ENTRY_NODE_IDS" : \[', r'\g<0> 123456789'),
                     (r'"OVERLAPPING_IMAGE_IDS" : \[', r'\g<0> 12345')):
        broken, n = re.subn(old, new, text)
        path = harness.written(tap, "broken.json", broken)
        status, out, err = command("merge", "--threads=add", path)
        tap.ok(n == 1 and status == 2 and not out and len(err.splitlines()) == 1 and "broken.json" in err,
               "MERGED with %s" % new[:30], (n, status, err))


def check_lists(tap, kinds, parts):
    files = kinds["prog"] + kinds["threads"] + parts
    want = command("merge", *files)[1]
    lines, nul = tap.path("list"), tap.path("list0")
    with open(lines, "w") as f, open(nul, "w") as g:
        f.write("\n".join(files) + "\n")
        g.write("\0".join(files) + "\0")
    tap.ok(command("merge", "--files-from=" + lines)[1] == want, "--files-from")
    tap.ok(command("merge", "--files-from", nul, "-0")[1] == want, "names that end with NUL")
    with open(nul) as f:
        tap.ok(command("merge", "-0", "--files-from=-", stdin=f)[1] == want, "from the standard input")
    tap.ok(command("merge", "--files-from=" + nul)[0] == 2, "without -0 these are none")
    odd = tap.path("with a\nnewline.json")
    shutil.copy(files[0], odd)
    r = subprocess.run([commandlib.DCFG, "merge", "--files-from=-", "-0", *files[1:]], input=odd.encode() + b"\0",
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=harness.ENV)
    tap.ok(r.stdout.decode() == want, "names beside those of a list", r.stderr)
    tap.ok(command("merge", "-j", "2", *files)[1] == want, "-j 2")
    tap.ok(command("merge", "-j9", "--threads=add", *files)[1] == command("merge", "--threads=add", *files)[1], "-j 9")
    with open(files[0], "rb") as f:
        tap.ok(command("merge", "-j2", "-", *files[1:], stdin=f)[1] == want, "-j 2 and the standard input")
    # Parts stay together, also without the file of the last one.
    some = [p for p in parts if not p.endswith("cut.json")]
    tap.ok(len(some) == 3 and command("merge", "-j7", *some)[1:] == command("merge", *some)[1:], "-j 7: the parts of a run")
    # A task may have no file.
    empty = [tap.path("empty%d.json" % i) for i in range(2)]
    for path in empty:
        status, out, err = command("merge", "--partial", "--files-from=/dev/null", "-o", path)
        tap.ok(status == 0 and not out + err and command("report", path)[0] == 0, "a partial sum of no file", err)
    commandlib.refused(tap, "nothing but sums of no file", "no run", "merge", *empty)
    tap.ok(command("merge", empty[0], *files, empty[1])[1] == want, "and beside others they change nothing")


def check_left_out(tap, kinds):
    """A file that is cut off and an empty one, among many."""
    files = kinds["prog"] * 5
    want = command("merge", "--threads=add", *files)[1]
    cut, empty, absent = tap.path("cut-off.json"), tap.path("empty.json"), tap.path("absent.json")
    with open(files[0], "rb") as f, open(cut, "wb") as g:
        g.write(f.read()[:-5000])
    open(empty, "w").close()
    bad = [empty, absent, cut]
    commandlib.refused(tap, "a bad file ends a merge", "", "merge", "--threads=add", *files[:3], *bad, *files[3:])

    def right(result, what, to=None):
        status, out, err = result
        lines = err.splitlines()
        tap.ok(status == 3 and (to and open(to).read() or out) == want and len(lines) == 4
               and all("%s: left out: " % b in line for b, line in zip(sorted(bad), lines)) and "20 of 23 files; 3 left out" in lines[3],
               what, err)
    path = tap.path("sum.json")
    right(command("merge", "--keep-going", "--threads=add", "-o", path, *files[:3], *bad, *files[3:]), "--keep-going", path)
    right(command("merge", "--keep-going", "-j2", "--threads=add", *files, *bad), "--keep-going -j2")
    one, two = tap.path("one.json"), tap.path("two.json")
    status, out, err = command("merge", "--partial", "--keep-going", "--threads=add", "-o", one, *files[:7], *bad[:2])
    tap.ok(status == 3 and "7 of 9 files; 2 left out" in err, "a partial sum", err)
    status, out, err = command("merge", "--partial", "--keep-going", "--threads=add", "-o", two, *files[7:], bad[2])
    right(command("merge", "--threads=add", two, one), "each later merge says it again")
    left = json.loads(harness.read(one))["PROCESSES"][1][1]["MERGED"]["LEFT_OUT"]
    tap.ok([r[0] for r in left[1:]] == sorted(bad[:2]) and all(r[1] for r in left[1:]), "LEFT_OUT has names and reasons", left)
    for more in ([], ["--partial"], ["-j2"]):
        status, out, err = command("merge", "--keep-going", *more, *bad)
        tap.ok(status == 2 and not out and "no file is left" in last_line(err), "no file is left " + "".join(more), err)


def check_builds(tap):
    """Two builds with the same symbols, lines and instructions, which differ in a constant."""
    text = "int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += 3; return s; }\n"
    main = "int f(int n); int main(int argc, char** argv) { return f(argc * 10) == 0; }\n"
    files = []
    for k, (number, tag) in enumerate((("3", "1"), ("5", "2"), ("3", "1"))):
        lib = harness.cc(tap, harness.written(tap, "f.c", text.replace("3", number)), "libf.so", "-shared", "-fPIC",
                         "-Wl,--build-id=0x" + tag * 40)
        prog = harness.cc(tap, harness.written(tap, "main.c", main), "main", lib)
        files.append(harness.dcfg(tap, "build%d" % k, [prog] + ["x"] * k)[0])
    status, out, err = command("merge", *files)
    tap.ok(status == 2 and not out and "libf.so" in err and "build id" in err, "another build", err)
    status, out, err = command("merge", "-j3", *files)
    tap.ok(status == 2 and not out and "libf.so" in err and "build id" in err, "also between processes", err)
    status, out, err = command("merge", "--keep-going", *files)
    tap.ok(status == 2 and not out, "--keep-going does not leave it out", err)
    want = None
    for tree in ([[0, 1, 2]], [[0], [1, 2]], [[2], [1], [0]], [[1, 0], [2]]):
        partials = []
        for k, numbers in enumerate(tree):
            partials.append(tap.path("b%d.json" % k))
            command("merge", "--partial", "--builds=apart", "--threads=add", "-o", partials[-1], *[files[i] for i in numbers])
        status, out, err = command("merge", "--builds=apart", "--threads=add", *partials)
        want = want or out
        tap.ok(status == 0 and out == want, "--builds=apart, %s" % tree, err)
    tap.ok(command("merge", "--builds=apart", "--threads=add", *files)[1] == want, "and all at once")
    p = json.loads(want)
    names = dict(p["FILE_NAMES"][1:])
    libs = [im[3] for im in p["PROCESSES"][1][1]["IMAGES"][1:] if names[im[3]["FILE_NAME_ID"]].endswith("libf.so")]
    counts = {im["BUILD_ID"][0]: max(b[5] for b in im["BASIC_BLOCKS"][1:]) for im in libs}
    tap.ok(counts == {"1": 40, "2": 20} or len(libs) == 2 and set(counts) == {"1", "2"} and counts["1"] > counts["2"],
           "each build has its own counts", counts)


def check_killed(tap, kinds):
    """A worker that is killed while it writes leaves no partial sum under its name."""
    to, fifo = tap.path("killed.json"), tap.path("stop")
    want = tap.path("whole.json")
    args = ["merge", "--partial", "--threads=add", "-o"]
    command(*args, want, *kinds["prog"])
    # The worker waits for its last file, which is a pipe.
    os.mkfifo(fifo)
    worker = subprocess.Popen([commandlib.PLAIN, *args, to, *kinds["prog"], fifo], env=harness.ENV)
    pipe = os.open(fifo, os.O_WRONLY)    # open: the worker has come to it
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    os.close(pipe)
    tap.ok(not os.path.exists(to), "no partial sum of a worker that was killed")
    strace = shutil.which("strace")
    if strace:
        # Killed at the first write to its result.
        worker = subprocess.run([strace, "-qq", "-o", tap.path("strace"), "-e", "trace=write", "-e",
                                 "inject=write:signal=SIGKILL:when=2", commandlib.PLAIN, *args, to, *kinds["prog"]],
                                env=harness.ENV, stderr=subprocess.DEVNULL)
        rest = [f for f in os.listdir(tap.dir) if f.startswith("killed.json")]
        tap.ok(worker.returncode != 0 and not os.path.exists(to), "nor of one that was killed while it wrote",
               (worker.returncode, rest))
    else:
        tap.skip("a worker killed while it writes", "strace is not installed")
    # The retry may get the same process id, as in a container.
    retry = subprocess.run(["sh", "-c", 'echo left >"$1.tmp-$$"; to=$1; shift; exec "$@" -o "$to"', "sh", to, commandlib.DCFG,
                            *args[:-1], *kinds["prog"]], env=harness.ENV, stderr=subprocess.PIPE)
    with open(to, "rb") as f, open(want, "rb") as g:
        tap.ok(retry.returncode == 0 and f.read() == g.read(), "the retry gives the same bytes", retry.stderr)


def main():
    tap = harness.Tap("fleet")
    units, kinds, parts = corpus(tap)
    check_law(tap, units)
    check_partial(tap, kinds)
    check_modes(tap, kinds, parts)
    check_lists(tap, kinds, parts)
    check_left_out(tap, kinds)
    check_builds(tap)
    check_sizes(tap)
    check_killed(tap, kinds)
    tap.done()


main()
