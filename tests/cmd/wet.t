#!/usr/bin/python3
"""Whole execution traces as libdcfg and dcfg wet read them.  (TAP)

- The example of WET's document, compiled today.
- Small programs, written by hand and by wet_programs.py, against the slow model of tests/oracle/wet_model.py, instance by
  instance: data and control.  DCFG_SLOW=1: a hundred more.
- Threads and signals, and real programs: each dependence names an instance that ran before (tests/oracle/wet_order.c), and
  instances are as many as the DCFG of the same run says, in which dcfg check finds nothing wrong.
- Filters, files, and files that are not right.

    wet.t SEED...        only these random programs
"""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import wet_mutants
import wet_programs
from wetlib import FOO1, FREE, blocks_of, check_model
import dcfg_model

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")


# ---- the document's example --------------------------------------------------------------------------------------


def check_example(tap):
    harness.written(tap, "foo1.c", FOO1)
    # As in the document: the compiler gets the file's name alone.
    r = subprocess.run(["cc", "-g", "-O0", "-static", "-o", "foo1", "foo1.c"], cwd=tap.dir)
    wet = harness.record_wet(tap, "foo1", [tap.path("foo1"), "2", "7"])
    if r.returncode or not wet:
        return tap.ok(False, "foo1 is compiled and recorded")
    status, out, err = commandlib.command("wet", "--source=foo1.c:10", wet)
    blocks = blocks_of(out)
    first = min((b for b in blocks.values() if b[0][4] == "10"), key=lambda b: int(b[0][1], 16))
    head, ports, values = first
    tap.ok(status == 0 and err == "" and head[0] == "2" and head[2:] == ["foo1.c", "main", "10"],
           "foo1: statement 8's first instruction has two ports", out + err)
    on = [blocks[rows[0][1]] for rows in ports if len(rows) == 1 and (rows[0][0], rows[0][2]) == ("0", "0")]
    tap.ok(len(on) == 2 and on[0][0][2:] == ["foo1.c", "main", "6"] and on[1][0][2:] == ["foo1.c", "main", "8"],
           "it depends on statement 4 by control and on statement 6 by data", out)
    tap.ok(len(on) == 2 and all(not any(b[1]) for b in on), "these are named, and have no instances of their own", out)
    last = [max((b for b in blocks_of(commandlib.command("wet", "--source=foo1.c:%d" % line, wet)[1]).values()
                 if b[0][4] == str(line)), key=lambda b: int(b[0][1], 16)) for line in (8, 9, 10, 11)]
    tap.ok(values == [("0", "2")] and [b[2] for b in last] == [[("0", v)] for v in ("2", "7", "e", "15")],
           "statements compute 2, 7, 14 and 21", values)
    want = ["0x%s#0 --> 0x%s#0\n" % (head[1], b[0][1]) for b in on]
    status, history, err = commandlib.command("wet", "--history", "--source=foo1.c:10", wet)
    tap.ok(status == 0 and history.startswith("".join(want)), "the history has these two lines", history + err)
    status, last, err = commandlib.command("wet", "--history=3", wet)
    _, more, _ = commandlib.command("wet", "--history=1000000", wet)
    tap.ok(status == 0 and last.count("\n") == 3 and more.endswith(last) and more.count("\n") > 10000
           and re.fullmatch(r"(0x[0-9a-f]+#\d+ --> 0x[0-9a-f]+#\d+\n)+", more), "a history has the last dependences", last)
    check_filters(tap, wet, more.count("\n"))
    check_broken(tap, wet)


def rows_of(text):
    """Returns how many dependences a text has."""
    return sum(len(port) for _, ports, _ in blocks_of(text).values() for port in ports)


def check_filters(tap, wet, n):
    status, whole, err = commandlib.command("wet", wet)
    tap.ok(status == 0 and rows_of(whole) == n, "text and history have the same dependences", err)
    for opts, keep in ((["--function=main"], lambda head: head[3] == "main"),
                       (["--image=foo1", "--source=foo1.c"], lambda head: head[2] == "foo1.c"),
                       (["--source=foo1.c:6-8"], lambda head: head[2] == "foo1.c" and head[4] in "678")):
        _, part, err = commandlib.command("wet", *opts, wet)
        have, want = blocks_of(part), {k: b for k, b in blocks_of(whole).items() if keep(b[0])}
        tap.ok(want and all(have.get(k) == b for k, b in want.items())
               and all(not any(b[1]) for k, b in have.items() if k not in want), " ".join(opts) + ": these, all of them", err)
    parts = [commandlib.command("wet", "--history=1000000", *opts, wet)[1]
             for opts in (["--to=999"], ["--from=1000", "--to=4999"], ["--from=5000"])]
    tap.ok("".join(parts) == commandlib.command("wet", "--history=1000000", wet)[1], "--from and --to divide a run")
    _, some, _ = commandlib.command("wet", "--history=1000000", "--instances=1-2", wet)
    lines = [line for line in commandlib.command("wet", "--history=1000000", wet)[1].splitlines()
             if line.split(" ")[0].split("#")[1] in ("1", "2")]
    tap.ok(some.splitlines() == lines, "--instances")
    tap.ok(commandlib.command("wet", "--thread=0", wet)[1] == whole
           and "there is no thread 1" in commandlib.command("wet", "--thread=1", wet)[2], "--thread")
    commandlib.refused(tap, "text beyond the limit is refused", "10,000 bytes", "wet", "--limit=10k", wet)
    tap.ok(commandlib.command("wet", "--limit=0", wet)[1] == whole, "or allowed")
    out = tap.path("out.txt.xz")
    status, _, err = commandlib.command("wet", "-o", out, wet)
    unpacked = subprocess.run(["xz", "-dc", out], stdout=subprocess.PIPE).stdout.decode()
    tap.ok(status == 0 and err == "" and unpacked == whole and os.listdir(tap.dir).count("out.txt.xz") == 1
           and not glob.glob(out + ".tmp*"), "-o writes a file, compressed", err)
    # A pipe stands for all files that are not regular, such as /dev/null.
    fifo = tap.path("fifo")
    os.mkfifo(fifo)
    with open(tap.path("through"), "w+") as f:
        reader = subprocess.Popen(["cat", fifo], stdout=f)
        commandlib.command("wet", "-o", fifo, wet)
        reader.wait(harness.TIMEOUT)
        f.seek(0)
        tap.ok(f.read() == whole and not os.path.isfile(fifo), "but replaces no other thing")


# ---- against the model -------------------------------------------------------------------------------------------


def check_by_hand(tap):
    for source in sorted(glob.glob(os.path.join(PROGS, "wet", "*.c"))):
        for level in ("-O0", "-O2"):
            name = os.path.basename(source)[:-2] + level
            prog = harness.cc(tap, source, name, *FREE, level)
            if prog:
                check_model(tap, name, prog)


def check_random(tap, seeds):
    for seed in seeds:
        name = "random_%d" % seed
        prog = harness.compiled(tap, name + ".S", wet_programs.program(seed), "-static", "-nostdlib", "-no-pie")
        if prog:
            check_model(tap, name, prog)


# ---- order and counts --------------------------------------------------------------------------------------------

def check_order(tap, checker, name, argv):
    wet, graph = harness.record_wet(tap, name, argv), tap.path(name + ".dcfg.json")
    if not wet:
        return
    r = subprocess.run([checker, wet], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    tap.ok(r.returncode == 0, name + ": each dependence names an instance that ran before", r.stdout.decode()[-2000:])
    threads, counts = [], {}
    for line in r.stdout.decode().splitlines():
        words = line.split()
        if words[0] == "thread":
            threads.append(int(words[1]))
        elif words[0] == "instruction":
            counts[int(words[1], 16)] = counts.get(int(words[1], 16), 0) + int(words[2])
    process = dcfg_model.load(graph, lambda *args: None)[0]
    blocks = {}
    for b in process.blocks.values():
        blocks[b.start] = blocks.get(b.start, 0) + b.count
    bad = ["%x: %d instances, %d executions" % (a, counts.get(a, 0), n) for a, n in blocks.items() if counts.get(a, 0) != n]
    status, _, said = commandlib.command("check", graph)
    tap.ok(status == 0, name + ": dcfg check finds nothing wrong", said)
    tap.ok(threads == process.per_thread and blocks and not bad, name + ": instances are as many as the graph says",
           "%s %s\n" % (threads, process.per_thread) + "\n".join(bad[:20]))


THREADS = """import threading, queue
q, out = queue.Queue(), []
def work():
    while (n := q.get()) is not None: out.append(sum(i * i % 7 for i in range(n)))
ts = [threading.Thread(target=work) for _ in range(3)]
for t in ts: t.start()
for n in list(range(40)) + [None] * 3: q.put(n)
for t in ts: t.join()
print(len(out), sum(out))"""


def real_programs(tap):
    """Real programs, some with threads; DCFG_SLOW=1: all."""
    data = tap.path("data")
    with open(data, "w") as f:
        f.writelines("line %d %d\n" % (n, n * 7919 % 1000) for n in range(1500))
    yield "xz", ["/usr/bin/xz", "-T2", "-0", "--block-size=10000", "-c", data]
    if os.environ.get("DCFG_SLOW"):
        yield "python3", ["/usr/bin/python3", "-S", "-c", THREADS]
        yield "perl", ["/usr/bin/perl", "-e", "my %h = map { $_ % 97 => $_ } 1 .. 5000; print join ' ', sort keys %h"]
        yield "sqlite3", ["/usr/bin/sqlite3", "-batch", "-init", "/dev/null", ":memory:",
                          "create table t(a); insert into t values(3), (1), (2); select sum(a), max(a) from t order by a"]
        yield "ls", ["/bin/ls", "-l", "/usr/lib"]
        yield "gcc", ["/usr/bin/gcc", "-fsyntax-only", os.path.join(PROGS, "switch.c")]


# ---- files that are not right ------------------------------------------------------------------------------------

def check_broken(tap, wet):
    data = harness.read(wet, "rb")
    path, bad = tap.path("broken.wet"), []
    at = len(data) * 7 // 8
    # The tape begins with the head of a chunk, whose last 4 bytes are a check sum.
    tape = next(at for section, at, _ in wet_mutants.sections(data) if section == 8) + 20
    cases = [("cut at %d" % n, data[:n]) for n in (0, 5, 11, 12, 20, len(data) // 3, len(data) - 10)]
    cases += [("another version", data[:8] + bytes([wet_mutants.VERSION - 1]) + data[9:]), ("a text", b"no trace\n" * 9),
              ("another check sum", data[:tape - 1] + bytes([data[tape - 1] ^ 1]) + data[tape:]),
              ("a wild length", data[:14] + b"\xff" * 6 + data[20:]),
              ("chunks exchanged", data[:at] + data[-2000:-1000] + data[at:-2000])]
    for what, content in cases:
        harness.write(path, content)
        status, out, err = commandlib.command("wet", path, program=commandlib.DCFG)
        if status != 2 or out or err.count("\n") != 1 or path not in err:
            bad.append("%s: status %d, %s" % (what, status, err or "no message"))
    tap.ok(not bad, "files that are cut short, foreign or broken: a line each", "\n".join(bad))
    bad = []
    for k in range(20):
        at = (k * 2654435761) % len(data)
        harness.write(path, data[:at] + bytes([data[at] ^ (1 << k % 8)]) + data[at + 1:])
        status, out, err = commandlib.command("wet", path, program=commandlib.DCFG)
        if status not in (0, 2) or (status == 2 and (out or err.count("\n") != 1)):
            bad.append("bit %d of byte %d: status %d, %s" % (k % 8, at, status, err))
    tap.ok(not bad, "and with a wrong bit: a text, or a line", "\n".join(bad))
    # Behind the head of the chunk are mark 1 and thread 0.
    harness.write(path, data[:tape + 3] + b"\x64" + data[tape + 4:])
    address = commandlib.command("wet", "--history=1", wet)[1].split("#")[0]
    for ask in (["wet"], ["slice", "--thin", "--at=" + address], ["slice", "--forward", "--at=" + address]):
        status, out, err = commandlib.command(*ask, path)
        tap.ok(data[tape:tape + 4] == b"\0\1\1\0" and status == 2 and out == "" and err.count("\n") == 1
               and "there is no thread 100" in err, "a thread that is not there: " + ask[0] + " " + ask[-1][:9],
               "status %d, %s" % (status, err))
    with open(wet, "rb") as f:
        r = subprocess.run([commandlib.DCFG, "wet", "-"], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    tap.ok(r.returncode == 2 and r.stderr.count(b"\n") == 1 and b"twice" in r.stderr, "a pipe cannot be read twice", r.stderr)


def main():
    tap = harness.Tap("command_wet")
    if len(sys.argv) > 1:
        check_random(tap, map(int, sys.argv[1:]))
        tap.done()
    check_example(tap)
    check_by_hand(tap)
    check_random(tap, range(1, 101) if os.environ.get("DCFG_SLOW") else (1, 3, 12, 14))
    lib = os.path.join(harness.SRCDIR, "lib")
    prefix = os.path.join(os.path.dirname(harness.VALGRIND), os.pardir)
    checker = harness.cc(tap, os.path.join(harness.ORACLE, "wet_order.c"), "wet_order", "-O2", "-I" + lib,
                         os.path.join(prefix, "lib", "libdcfg.a"), "-lyajl", "-lz", "-lbz2", "-llzma", "-lzstd")
    for name, source in (("threads", "threads_join.c"), ("longjmp", "longjmp.c")):
        prog = harness.cc(tap, os.path.join(PROGS, source), name, "-static", "-pthread")
        if prog and checker:
            check_order(tap, checker, name, [prog])
    for name, argv in real_programs(tap):
        if not os.path.exists(argv[0]):
            tap.skip(name + ": each dependence names an instance that ran before", argv[0] + " is not installed")
        elif checker:
            check_order(tap, checker, name, argv)
    if checker:
        check_order(tap, checker, "sh", ["/bin/sh", "-c", "trap 'x=1' USR1; kill -USR1 $$; echo $x"])
    tap.done()


main()
