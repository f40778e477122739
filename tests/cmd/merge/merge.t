#!/usr/bin/python3
"""dcfg merge: sums of runs, threads side by side, processes in one file.  (TAP)

tests/oracle/merge_sum.py checks a sum by its definition; dcfg check and tests/oracle/dcfg_rules.py check the format's
rules; tests/oracle/crosscheck.py compares its blocks with the code.
"""
import itertools
import json
import os
import shutil
import stat
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import harness
from commandlib import command, one_line, runs


def check_sum(tap, name, files):
    """Checks both sums of the files and the processes by the oracles, in several orders."""
    for mode, args, oracle in (("add", ["--threads=add"], []), ("keep", [], ["--keep"])):
        path = tap.path("%s.%s.json" % (name, mode))
        status, out, err = command("merge", "-o", path, *args, *files)
        if not tap.ok(status == 0 and not out and not err, "%s: merge, %s" % (name, mode), out + err):
            continue
        status, text = harness.oracle("merge_sum.py", *oracle, path, *files)
        tap.ok(status == 0, "%s: the sum, %s" % (name, mode), text)
        status, out, err = command("check", path)
        tap.ok(status == 0, "%s: dcfg check, %s" % (name, mode), out + err)
        want = harness.read(path)
        orders = list(itertools.permutations(files))
        for order in orders[1:3] + orders[-1:]:
            status, out, err = command("merge", *args, *order)
            tap.ok(out == want, "%s: another order, %s" % (name, mode), err)
    if harness.oracle("dcfg_rules.py", "--generations", tap.path(name + ".keep.json")):
        harness.check_rules(tap, name, tap.path(name + ".keep.json"), "--generations")
    harness.check_static(tap, name, tap.path(name + ".keep.json"))
    path = tap.path(name + ".processes.json")
    status, out, err = command("merge", "--processes", "-o", path, *files)
    if not tap.ok(status == 0 and not out and not err, name + ": merge --processes", out + err):
        return
    status, out, err = command("check", path)
    tap.ok(status == 0, name + ": dcfg check, processes", out + err)
    with open(path) as f:
        joint = f.read()
        rows = json.loads(joint)["PROCESSES"][1:]
    alone = []
    for p in files:
        alone.append(json.loads(harness.read(p))["PROCESSES"][1])
    alone.sort(key=lambda r: r[0])
    tap.ok([r[0] for r in rows] == [r[0] for r in alone]
           and all(same_process(a[1], b[1]) for a, b in zip(rows, alone)), name + ": each process is as it was")
    tap.ok(command("merge", "--processes", *reversed(files))[1] == joint, name + ": another order, processes")
    # Threads of processes in one file are those of the file's runs.
    tap.ok(command("merge", path)[1] == command("merge", *files)[1], name + ": the sum of a file's processes")


def same_process(a, b):
    """Compares files without their ids."""
    def plain(d):
        d = json.loads(json.dumps(d))
        for row in d["IMAGES"][1:]:
            row[3].pop("FILE_NAME_ID")
            for line in row[3].get("SOURCE_DATA", [[]])[1:]:
                line[0] = 0
        return d
    return plain(a) == plain(b)


def check_identity(tap, name, argv, *left_out):
    """The sum of one run is its file, even if options left something out."""
    for options in ((), *left_out, ("--symbols=no", "--source=no")):
        path, status, why = harness.dcfg(tap, name, argv, options)
        if not path:
            tap.ok(False, name, why)
            continue
        status, out, err = command("merge", path)
        with open(path) as f:
            tap.ok(status == 0 and out == f.read() and not err, "%s: a run alone is itself %s" % (name, " ".join(options)),
                   err)


def check_refusals(tap, files, prog):
    text = harness.read(os.path.join(harness.PROGS, "merge", "prog.c"))
    # Another build of the same file.
    other = text.replace("s += 5", "s += 5 * n_more").replace("static int step", "static volatile int n_more = 2;\n"
                                                             "static int step")
    kept = tap.path("kept")
    os.rename(prog, kept)
    if not harness.cc(tap, harness.written(tap, "prog.c", other), os.path.basename(prog)):
        return
    rebuilt = runs(tap, "rebuilt", prog, [["9"]])
    status, out, err = command("merge", *files, *rebuilt)
    one_line(tap, status, out, "".join(err.splitlines(True)[-1:]), "use --builds=apart", "another build")
    # Without symbols and lines, its blocks tell.
    bare = [harness.dcfg(tap, "bare", [prog, "9"], ("--symbols=no", "--source=no"))[0]]
    os.rename(kept, prog)
    bare.append(harness.dcfg(tap, "bare2", [prog, "9"], ("--symbols=no", "--source=no"))[0])
    status, out, err = command("merge", *bare)
    one_line(tap, status, out, "".join(err.splitlines(True)[-1:]), "use --builds=apart", "another build, by its blocks")
    empty = harness.dcfg(tap, "empty", [prog, "9"], ("--cfg=no",))[0]
    status, out, err = command("merge", files[0], empty)
    one_line(tap, status, out, err, "blocks, but other runs", "a file without blocks")
    for args, word in ((["--threads=some", files[0]], "add or keep"), (["-", "-"], "standard input"), ([], "missing"),
                       (["--processes", "--threads=add", files[0]], "not both"),
                       (["-o", "/nowhere/x.json", files[0]], "/nowhere/x.json")):
        status, out, err = command("merge", *args)
        one_line(tap, status, out, err, word, "merge " + " ".join(args[:2]))
    status, out, err = command("merge", "-o", tap.path("unfinished.json"), files[0], tap.path("not-there.json"))
    tap.ok(status == 2 and not [f for f in os.listdir(tap.dir) if f.startswith("unfinished")], "nothing is left over", err)
    link, target = tap.path("link.json"), tap.path("target.json")
    os.symlink(target, link)
    open(target, "w").close()
    status, out, err = command("merge", "-o", link, files[0])
    tap.ok(status == 0 and os.path.islink(link) and os.path.getsize(target) > 0, "a link goes on being one", err)
    fifo = tap.path("fifo.json")
    os.mkfifo(fifo)
    with open(tap.path("read.json"), "wb") as f, subprocess.Popen(["timeout", str(harness.TIMEOUT), "cat", fifo], stdout=f):
        status, out, err = command("merge", "-o", fifo, files[0])
    with open(tap.path("read.json"), "rb") as f, open(target, "rb") as g:
        same = f.read() == g.read()
    tap.ok(status == 0 and stat.S_ISFIFO(os.stat(fifo).st_mode) and same,
           "what is no regular file is written to", err)


def check_inputs(tap, files):
    want = command("merge", *files)[1]
    packed = tap.path("packed.json.gz")
    with open(packed, "wb") as f:
        subprocess.run(["gzip", "-c", files[0]], stdout=f, check=True)
    tap.ok(command("merge", packed, *files[1:])[1] == want, "a compressed file")
    with open(files[1], "rb") as f:
        tap.ok(command("merge", files[0], "-", *files[2:], stdin=f)[1] == want, "the standard input")
    os.mkdir(tap.path("nothing"))
    status, out, err = command("merge", "--root", tap.path("nothing"), *files)
    tap.ok(status == 2 and not out and "is not there to tell how" in err.splitlines()[-1], "without the code", err)
    # The same file twice: twice the counts; as a process, it gets another number.
    status, out, err = command("merge", "--threads=add", files[0], files[0])
    once = json.loads(command("merge", files[0])[1])["PROCESSES"][1][1]
    twice = json.loads(out)["PROCESSES"][1][1]
    tap.ok(twice["INSTR_COUNT"] == 2 * once["INSTR_COUNT"] and [[2 * n for n in e[4]] for e in once["EDGES"][1:]]
           == [e[4] for e in twice["EDGES"][1:]], "a file twice")
    status, out, err = command("merge", "--processes", files[0], files[0])
    ids = [r[0] for r in json.loads(out)["PROCESSES"][1:]]
    tap.ok(status == 0 and ids[1] == ids[0] + 1 and len(err.splitlines()) == 1 and str(ids[1]) in err,
           "a process twice", err)


def check_overlap(tap):
    prog = harness.program(tap, "merge/overlap.S", "-nostdlib", "-static")
    files = runs(tap, "overlap", prog, [[], ["x"]])
    check_sum(tap, "overlap", files)
    # Without its code, nobody can know the lengths of these instructions.
    os.mkdir(tap.path("root"))
    status, out, err = command("merge", "--root", tap.path("root"), *files)
    tap.ok(len(err.splitlines()) == 1 and prog in err and "by numbers of instructions alone" in err,
           "instructions that overlap, without the code", err)
    os.makedirs(os.path.join(tap.path("root"), os.path.dirname(prog)[1:]))
    shutil.copy(prog, os.path.join(tap.path("root"), prog[1:]))
    want = command("merge", *files)[1]
    os.unlink(prog)
    tap.ok(command("merge", "--root", tap.path("root"), *files)[1] == want != "", "--root has it")


def check_fork(tap):
    prog = harness.program(tap, "merge/fork.c")
    harness.run([harness.VALGRIND, "-q", "--tool=dcfg", "--log-file=" + tap.path("log"),
                 "--dcfg-out-file=" + tap.path("fork.%p.json"), prog], tap.dir)
    files = sorted(tap.path(f) for f in os.listdir(tap.dir) if f.startswith("fork.") and f.endswith(".json"))
    tap.ok(len(files) == 4, "a process and its children", files)
    check_sum(tap, "fork", files)


def check_job(tap, name, argv, ranks=4):
    """Starts ranks by ARGV, a function of their number.  Returns their files, or none."""
    run = [harness.VALGRIND, "-q", "--tool=dcfg", "--dcfg-out-file=%s/%s%%q{OMPI_COMM_WORLD_RANK}.json" % (tap.dir, name)]
    mpi = dict(harness.ENV, HOME=tap.dir, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    for env in [mpi] if argv[0] else [dict(mpi, OMPI_COMM_WORLD_RANK=str(rank)) for rank in range(ranks)]:
        status, err = harness.run(sum(([a] if a else run for a in argv), []), tap.dir, env)
    files = [tap.path("%s%d.json" % (name, rank)) for rank in range(ranks)]
    if not tap.ok(all(os.path.exists(f) for f in files), "%s: %d ranks" % (name, ranks), err[-500:]):
        return []
    path = tap.path(name + ".json")
    status, out, err = command("merge", "--processes", "-o", path, *files)
    tap.ok(status == 0, "%s: a job of %d ranks" % (name, ranks), err)
    status, out, err = command("check", path)
    tap.ok(status == 0, name + ": each process keeps the rules", out + err)
    rows = json.loads(harness.read(path))["PROCESSES"][1:]
    alone = []
    for p in files:
        alone.append(json.loads(harness.read(p))["PROCESSES"][1])
    by_id = {r[0]: r[1] for r in alone}
    tap.ok(len(rows) == ranks and all(same_process(r[1], by_id[r[0]]) for r in rows), name + ": each is the rank's")
    return alone


def check_mpi(tap):
    """Ranks of an MPI program, each of which takes seconds to begin.  Where there is no MPI: processes with the variable
    that Open MPI gives them.
    """
    check_job(tap, "rank", [None, "/bin/echo", "rank"])
    mpirun, mpicc = shutil.which("mpirun"), shutil.which("mpicc")
    if not mpirun or not mpicc:
        tap.skip("ranks of an Open MPI program", "Open MPI is not installed")
        return
    prog = tap.path("ring")
    subprocess.run([mpicc, "-g", "-O1", "-o", prog, os.path.join(harness.PROGS, "merge", "ring.c")], check=True)
    ranks = 4 if os.environ.get("DCFG_SLOW") == "1" else 2
    argv = [mpirun, "--oversubscribe", "-n", str(ranks), None, prog]
    for rank, row in enumerate(check_job(tap, "mpi", argv, ranks)):
        most = max(b[5] for im in row[1]["IMAGES"][1:] for b in im[3].get("BASIC_BLOCKS", [[]])[1:]
                   if any(s[0] == "main" for s in im[3].get("SYMBOLS", [[]])[1:]) and b)
        tap.ok(most == 1000 * (rank + 1), "rank %d has done its share" % rank, most)


# A loop of two instructions: a file whose threads went round COUNTS times.
LOOP = """{ "MAJOR_VERSION" : 1, "MINOR_VERSION" : 0, "FILE_NAMES" : [ [ "FILE_NAME_ID", "FILE_NAME" ], [ 1, "/loop" ] ],
  "EDGE_TYPES" : [ [ "EDGE_TYPE_ID", "EDGE_TYPE" ], [ 1, "ENTRY" ], [ 2, "EXIT" ], [ 13, "DIRECT_CONDITIONAL_BRANCH" ] ],
  "SPECIAL_NODES" : [ [ "NODE_ID", "NODE_NAME" ], [ 1, "START" ], [ 2, "END" ], [ 3, "UNKNOWN" ] ],
  "PROCESSES" : [ [ "PROCESS_ID", "PROCESS_DATA" ], [ %d, { "INSTR_COUNT_PER_THREAD" : %s, "INSTR_COUNT" : %d,
  "IMAGES" : [ [ "IMAGE_ID", "LOAD_ADDR", "SIZE", "IMAGE_DATA" ], [ 1, "0x400000", 4096, { "FILE_NAME_ID" : 1,
  "BASIC_BLOCKS" : [ [ "NODE_ID", "ADDR_OFFSET", "SIZE", "NUM_INSTRS", "LAST_INSTR_OFFSET", "COUNT" ],
  [ 4, "0x10", 8, 2, 6, %d ] ] } ] ],
  "EDGES" : [ [ "EDGE_ID", "SOURCE_NODE_ID", "TARGET_NODE_ID", "EDGE_TYPE_ID", "COUNT_PER_THREAD" ],
  [ 1, 1, 4, 1, %s ], [ 2, 4, 4, 13, %s ], [ 3, 4, 2, 2, %s ] ] } ] ] }
"""


def loop(tap, name, pid, counts, total=None):
    once, instrs = [1] * len(counts), [2 * n for n in counts]
    return harness.written(tap, name, LOOP % (pid, instrs, sum(instrs) if total is None else total, sum(counts) % 2 ** 64, once,
                                     [n - 1 for n in counts], once))


def check_limit(tap):
    """A sum that does not fit 64 bits is an error; the largest one that fits is exact."""
    half = 2 ** 62
    files = [loop(tap, "half%d.json" % i, i, [n]) for i, n in ((1, half), (2, half - 2), (3, 2))]
    out = tap.path("limit.json")
    for args in ([], ["--threads=add"], ["-j", "2"], ["-j", "2", "--threads=add"], ["--partial"]):
        what = "limit " + " ".join(args)
        status, text, err = command("merge", "-o", out, *args, *files)
        tap.ok(status == 2 and len(set(err.splitlines())) == 1 and "18,446,744,073,709,551,615" in err and not os.path.exists(out)
               and not [f for f in os.listdir(tap.dir) if f.startswith("limit.json")], what + ": beyond it", (status, err))
        status, text, err = command("merge", *args, *files)
        tap.ok(status == 2 and not text, what + ": nothing is written to the standard output", text[:200])
        status, text, err = command("merge", "-o", out, *args, *files[:2])
        p = json.load(open(out))["PROCESSES"][1][1] if status == 0 else {}
        tap.ok(not err and p.get("INSTR_COUNT") == 2 ** 64 - 4 == sum(p["INSTR_COUNT_PER_THREAD"])
               and command("check", out)[0] == 0, what + ": up to it", err)
        os.remove(out)
    # Counts of one edge, of a block, of a part; a partial sum and one run more; compressed files.
    wide = [loop(tap, "wide%d.json" % i, i, [2 ** 63 - 1], 0) for i in (1, 2)]
    for path in wide:
        text = harness.read(path).replace(str([2 ** 64 - 2]), "[2]")
        harness.write(path, text)
    for args, word in ((["--threads=add"], "of an edge"), ([], "executions of a block")):
        status, text, err = command("merge", *args, *wide, wide[0])
        tap.ok(status == 2 and not text and word in err and len(err.splitlines()) == 1, "threads that are lied about " + str(args), err)
    partial = tap.path("some-partial.json.gz")
    tap.ok(command("merge", "--partial", "-o", partial, *files[:2])[0] == 0, "a partial sum")
    status, text, err = command("merge", "-o", out, partial, files[2])
    tap.ok(status == 2 and "2^64 - 1" in err and not os.path.exists(out), "a partial sum and one run more", err)
    status, text, err = command("merge", "--processes", "-o", out, *files)
    tap.ok(status == 0 and not err, "processes are not added up", err)
    # Other commands say that a file's own sums do not fit.
    full = loop(tap, "full.json", 7, [half, half, half], 3 * 2 ** 63 % 2 ** 64)
    for args in (["report"], ["blocks"], ["disasm", "--all"], ["diff", full], ["export", "--tables=" + tap.path("tables")]):
        status, text, err = command(*args, full)
        told = [l for l in err.splitlines() if "the counts of process 7 add up to more than 18,446,744,073,709,551,615" in l]
        tap.ok(len(told) == args.count(full) + 1, "%s says it" % args[0], (status, err))
    status, text, err = command("check", full)
    tap.ok(status == 1 and "instr-count" in text, "check finds it", text)
    status, text, err = command("merge", full)
    tap.ok(status == 2 and not text and "2^64 - 1" in err, "and merge refuses it", err)


def main():
    tap = harness.Tap("command_merge")
    check_limit(tap)
    prog = harness.program(tap, "merge/prog.c")
    lib = harness.cc(tap, harness.written(tap, "lib.c", "int in_front(void) { return 1; }"), "lib.so", "-shared", "-fPIC")
    # In the second run, a library takes the addresses of others.
    inputs = [["5"], ["12", "text"], ["200"], ["3"]]
    files = runs(tap, "prog", prog, inputs, {1: dict(harness.ENV, LD_PRELOAD=lib)})
    check_sum(tap, "prog", files)
    with open(files[0]) as f, open(files[1]) as g:
        loads = [{r[1] for r in json.load(x)["PROCESSES"][1][1]["IMAGES"][1:]} for x in (f, g)]
    tap.ok(loads[0] != loads[1], "the runs have other load addresses", loads)
    check_identity(tap, "alone", [prog, "77"], ("--symbols=no",), ("--source=no",), ("--analysis=no",), ("--cfg=no",))
    check_identity(tap, "ls", ["/bin/ls", "-l", "/"])
    check_inputs(tap, files)
    check_refusals(tap, files, prog)
    check_overlap(tap)
    threads = harness.program(tap, "merge/threads.c", "-pthread")
    check_sum(tap, "threads", runs(tap, "threads", threads, [["3"], ["0"], ["5"]]))
    check_fork(tap)
    check_mpi(tap)
    tap.done()


main()
