#!/usr/bin/python3
"""The sum of a run's parts, by dcfg merge, is the run: its file, except the process id.  (TAP)

The oracle is a run that was not divided.  Threads meet in libc by chance, so of threads only the program's own code is
compared, thread by thread.
"""
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import harness
from commandlib import command
from lifelib import rules
from regionlib import INCLUDE, PROGS, part_of

ENV = dict(harness.ENV, PERL_HASH_SEED="0")


def parts_of(path):
    """Returns the parts, in order; the last one has the run's name."""
    found = []
    while os.path.exists(part_of(path, len(found) + 1)):
        found.append(part_of(path, len(found) + 1))
    return found + [path] * os.path.exists(path)


def read(path):
    with open(path) as f:
        d = json.load(f)
    d["PROCESSES"][1][0] = 0
    del d["PROCESSES"][1][1]["RUN"]
    return d


def run_of(path):
    with open(path) as f:
        return json.load(f)["PROCESSES"][1][1]["RUN"]


def own_code(d, name):
    """Return what ran in the image of this name, by offset and thread."""
    p = d["PROCESSES"][1][1]
    ids = {f[0] for f in d["FILE_NAMES"][1:] if os.path.basename(f[1]) == name}
    blocks = {b[0]: b[1:5] for im in p["IMAGES"][1:] if im[3]["FILE_NAME_ID"] in ids for b in im[3]["BASIC_BLOCKS"][1:]}
    edges = sorted([blocks[e[1]], blocks[e[2]], e[3:]] for e in p["EDGES"][1:] if e[1] in blocks and e[2] in blocks)
    routines = sorted([blocks[r[0]], sorted(blocks[n[0]] for n in r[2][1:])] for im in p["IMAGES"][1:]
                      if im[3]["FILE_NAME_ID"] in ids for r in im[3]["ROUTINES"][1:])
    return sorted(blocks.values()), edges, routines


def difference(a, b):
    """Return the first difference of two files of the tool."""
    a, b = (json.dumps(x, indent=0).splitlines() for x in (a, b))
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return "line %d: %s" % (i, " / ".join("".join(z[max(i - 6, 0):i + 6]) for z in (a, b)))
    return "%d and %d lines" % (len(a), len(b))


def compare(tap, name, whole, opts, least, cut=None, own=None, text=""):
    """Runs WHOLE without cuts, and, as CUT or with OPTS, in at least so many parts."""
    one, status, why = harness.dcfg(tap, name + ".whole", whole, env=ENV)
    path, status, why = harness.dcfg(tap, name + ".cut", cut or whole, opts, env=ENV)
    files = parts_of(path) if path else []
    if not tap.ok(one and len(files) >= least, "%s: at least %d parts" % (name, least), "%d\n%s" % (len(files), why)):
        return []
    out = tap.path(name + ".sum.json")
    status, said, err = command("merge", "-o", out, *reversed(files))
    if not tap.ok(status == 0 and not said + err, name + ": merge", said + err):
        return files
    a, b = read(one), read(out)
    if own:
        tap.ok(own_code(a, own) == own_code(b, own), name + ": the sum is the run, in the program's code",
               difference(own_code(a, own), own_code(b, own)))
    else:
        tap.ok(a == b, "%s: the sum of %d parts is the run" % (name, len(files)), difference(a, b))
    runs = [run_of(f) for f in files + [out]]
    tap.ok(len(runs[0]) == 2 and all(r == runs[0] for r in runs), name + ": the sum tells of one run, as its parts do", runs)
    status, said, err = command("check", out)
    tap.ok(status == 0, name + ": which keeps the rules", said + err)
    status, said, err = command("check", *files[1:2])
    tap.ok(status == 0, name + ": so does a part", said + err)
    return files


def check_mixed(tap, prog, files):
    """Parts, merged with another run, are the run that they are parts of."""
    other = harness.dcfg(tap, "other", [prog, "q", "x"])[0]
    whole = tap.path("recursion.sum.json")
    for mode in (["--threads=add"], ["--threads=keep"], ["--processes"]):
        want = command("merge", *mode, whole, other)
        got = command("merge", *mode, *files[::2], other, *files[1::2])
        tap.ok(want == got and got[0] == 0, "parts and another run, " + mode[0], got[2])
    # If one is missing, the parts behind it are a run of their own.
    status, out, err = command("merge", *files[:1], *files[2:])
    tap.ok(status == 0 and len(err.splitlines()) == 1 and "part 3 of process" in err and "without part 2" in err,
           "a part is missing", err)
    threads = len(json.loads(out)["PROCESSES"][1][1]["INSTR_COUNT_PER_THREAD"])
    tap.ok(threads == 2, "then its threads are others", threads)
    # The same parts twice are two equal runs.
    status, out, err = command("merge", "--threads=add", *files, *files)
    tap.ok((status, err) == (0, "") and out == command("merge", "--threads=add", whole, whole)[1], "parts twice", err)


def check_zero(tap, prog):
    """Code of a zeroed time is in no part, and nothing leads across it."""
    path = harness.dcfg(tap, "zero", [prog, "qrzqr", "d"])[0]
    files = parts_of(path)
    first = [read(f)["PROCESSES"][1][1]["PART"] for f in files]
    tap.ok({p["FIRST_PART_NUM"] for p in first} == {1, 13} and first[12]["CONTINUED_THREADS"][1:] == [],
           "parts begin anew after what was forgotten", [p["FIRST_PART_NUM"] for p in first])
    status, out, err = command("merge", "--threads=add", *files)
    entries = [e[4] for e in json.loads(out)["PROCESSES"][1][1]["EDGES"][1:] if e[3] == 1]
    tap.ok((status, err) == (0, "") and sum(map(sum, entries)) == 2, "which are two runs", err + str(entries))


def main():
    tap = harness.Tap("parts")
    prog = harness.cc(tap, os.path.join(PROGS, "cut.c"), "cut", "-g", "-O1", "-pthread", "-I", INCLUDE, "-Wl,-z,now")
    before, after = ["--dump-before=dump"], ["--dump-after=dump"]
    compare(tap, "signals", [prog, "s", "x"], before, 15)
    compare(tap, "faults", [prog, "ff", "x"], before, 7)
    compare(tap, "code that changes", [prog, "cc", "x"], after, 13)
    compare(tap, "threads", [prog, "tt", "x"], before, 30, own="cut")
    files = compare(tap, "recursion", [prog, "r", "x"], before, 15)
    for f in files[:2] + files[-1:]:
        tap.ok(not rules(f), "the rules, " + os.path.basename(f), rules(f))
    check_mixed(tap, prog, files)
    compare(tap, "signals, behind", [prog, "s", "x"], after, 15)
    compare(tap, "within blocks", [prog, "qr", "x"], [], 13, [prog, "qr", "d"])
    compare(tap, "with gaps", [prog, "gq", "x"], [], 15, [prog, "gq", "d"])
    check_zero(tap, prog)
    data = harness.written(tap, "data", "".join(map(str, range(3000))))
    compare(tap, "bzip2", ["/bin/bzip2", "-kc", data], ["--dump-before=BZ2_*", "--dump-before=memcpy*"], 10)
    compare(tap, "perl", ["/usr/bin/perl", "-e", "for $i (1..5) { $x{$i * 3}++; print \"$i\\n\" } $SIG{ALRM} = "
                          "sub { print \"a\" }; kill ALRM, $$; print map { eval \"$_ + 1\" } sort keys %x"],
            ["--dump-before=Perl_PerlIO_write", "--dump-after=Perl_PerlIO_write", "--dump-before=Perl_lex_start"], 15)
    tap.done()


main()
