#!/usr/bin/python3
"""dcfg export --champsim: what the trace says of each instruction.  (TAP)

- Small programs, instruction by instruction, against Capstone and Lackey: tests/oracle/champsim_trace.py, `exact`.
- ChampSim's guess of each branch's kind, and whether it was taken, against the recording and the DCFG: `kinds`.  A real
  program, threads, signals, 32 bits.
- Instructions with repeat prefixes, one by one, against the processor: `steps`.  For 64 bits and for 32.
- The accesses of a real program, by number, against Lackey's; the size of its trace, compressed.
- A region is a piece of the whole trace.
- What is refused leaves no file.

DCFG_SLOW=1: one instruction of each class (tests/progs/wet/classes.S), a minute.
"""
import json
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
import wet_by_hand
from commandlib import command

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")
SIZE = 64                               # bytes of a record
WROTE = re.compile(r"wrote (\S+): thread (\d+), ([\d,]+) instructions?, ([\d,]+) branch(?:es)? \(([\d,]+) taken\), ([\d,]+) "
                   r"loads?, ([\d,]+) stores?$", re.M)
LEFT = re.compile(r"left out, .*: flags ([\d,]+) times?, ([\d,]+) other registers?, ([\d,]+) address(?:es)?$", re.M)

# Branches to instructions that fault, which the handler lets pass, from their first instance on; and a timer's signals,
# which come anywhere.
SIGNALS = harness.text("export/champsim.c")


def number(text):
    return int(text.replace(",", ""))


class Run:
    """A program's recording: its DCFG and whole execution trace."""

    def __init__(self, tap, name, argv, *opts):
        self.tap, self.name, self.argv = tap, name, argv
        self.wet = tap.path(name + ".wet")
        self.graph, self.status, why = harness.dcfg(tap, name, argv, ["--wet=yes", "--wet-out-file=" + self.wet, *opts])
        self.good = tap.ok(self.graph and os.path.exists(self.wet), name + ": is recorded", why)

    def export(self, suffix="", thread=None, program=commandlib.DCFG):
        """The trace of a thread, and what was said; None with a failed test."""
        out = self.tap.path("%s.%s.trace%s" % (self.name, thread, suffix))
        status, _, err = command("export", "--champsim", *(["--thread=%d" % thread] if thread is not None else []), "-o", out,
                                 self.wet, program=program)
        good = status == 0 and os.path.exists(out) and WROTE.search(err)
        return (out, err) if self.tap.ok(good, "%s%s: is exported" % (self.name, suffix), err) else (None, err)

    def check_kinds(self, trace, thread=0, signals=()):
        status, text = harness.oracle("champsim_trace.py", "kinds", trace, self.wet, self.graph, str(thread), *signals)
        self.tap.ok(status == 0, "%s, thread %d: the kind that ChampSim guesses of each branch, and its way: %s"
                    % (self.name, thread, (text.splitlines() or [""])[-1]), text)
        return text

    def lackey(self):
        path = self.tap.path(self.name + ".lackey")
        # Without optimisation, which drops loads that the program makes.
        other = harness.lackey_into(self.tap, path, self.argv, opts=["--vex-iropt-level=0"], tool="lackey")
        self.tap.ok(other == self.status, self.name + ": ends as under Lackey", (other, self.status))
        return path

    def forget(self):
        for path in (self.wet, self.graph):
            os.unlink(path)


def check_exact(tap, name, prog):
    run = Run(tap, name, [prog])
    trace, said = run.export() if run.good else (None, "")
    if not trace:
        return
    status, text = harness.oracle("champsim_trace.py", "exact", trace, prog, run.lackey())
    tap.ok(status == 0, "%s: as Capstone and Lackey have it: %s" % (name, (text.splitlines() or [""])[-1]), text)
    run.check_kinds(trace)
    left, want = LEFT.search(said), re.search(r"place: (\d+) registers, (\d+) addresses", text)
    left = [number(x) for x in left.groups()] if left else [0, 0, 0]
    tap.ok(want and [left[0] + left[1], left[2]] == [int(x) for x in want.groups()],
           name + ": what has no place in a record is counted", said + text)
    os.unlink(trace)
    run.forget()


def check_repeats(tap, bits, *flags):
    name = "repeats%d" % bits
    steps = harness.cc(tap, os.path.join(harness.ORACLE, "single_steps.c"), "single_steps")
    prog = harness.cc(tap, os.path.join(PROGS, "wet_repeats.c"), name, "-static", "-no-pie", *flags)
    run = prog and steps and Run(tap, name, [prog])
    trace, _ = run.export() if run and run.good else (None, "")
    if not trace:
        return
    r = subprocess.run([steps, tap.path(name + ".steps"), prog], env=harness.ENV)
    if r.returncode == 77:
        tap.skip(name + ": as the processor executes it", "the kernel does not allow to trace a program")
        return
    status, text = harness.oracle("champsim_trace.py", "steps", trace, prog, tap.path(name + ".steps"))
    tap.ok(r.returncode == status == 0 and "at most 1000 times" in text,
           "%s: as the processor executes it: %s" % (name, text.splitlines()[0]), text)
    run.forget()


def count_lackey(path):
    """Loads and stores that Lackey tells."""
    loads = stores = 0
    with open(path) as f:
        for line in f:
            if line[:1] == " ":
                loads += line[1] in "LM"
                stores += line[1] in "SM"
    return loads, stores


def read(path):
    return harness.read(path, "rb")


def check_real(tap):
    """A real program, whole and a region."""
    text = tap.path("text")
    harness.write(text, "".join("%d bottles of beer on the wall, %d of them green\n" % (n, n * n % 97) for n in range(300)))
    argv = ["/bin/gzip", "-c", text]
    run = Run(tap, "gzip", argv)
    trace, said = run.export() if run.good else (None, "")
    packed, _ = run.export(".xz") if run.good else (None, "")
    if not trace or not packed:
        return
    tap.ok(subprocess.run(["sh", "-c", 'xz -dc "$1" | cmp - "$2"', "sh", packed, trace]).returncode == 0,
           "gzip: compressed, it is the same")
    run.check_kinds(packed)
    size, n = os.path.getsize(packed), os.path.getsize(trace) // SIZE
    tap.ok(n > 300000 and size < n / 2, "gzip: less than half a byte an instruction", "%d bytes, %d instructions" % (size, n))
    ours = [number(x) for x in WROTE.search(said).groups()[2:]]
    theirs = count_lackey(run.lackey())
    tap.ok(ours[0] == n and all(abs(a - b) <= b / 1000 for a, b in zip(ours[3:], theirs)),
           "gzip: loads and stores within 0.1 % of Lackey's", "%s, Lackey's %s" % (said, theirs))
    whole = read(trace)
    part = Run(tap, "region", argv, "--start=instructions:%d" % (n // 3), "--stop=instructions:%d" % (n // 2))
    piece, said = part.export() if part.good else (None, "")
    if piece:
        piece, at = read(piece), n // 3 * SIZE
        n_piece = len(piece) // SIZE
        where = whole.find(piece[:SIZE * 100])
        tap.ok(n_piece > 1000 and where >= 0 and abs(where - at) <= 100 * SIZE and whole[where:where + len(piece)] == piece,
               "a region is a piece of the whole", "%d bytes, found at %d, should be %d\n%s" % (len(piece), where, at, said))
    run.forget()


def check_warmup(tap):
    """dcfg regions --warmup: a trace of warm-up and region ends with the trace of the region alone, and the command that is
    printed has the numbers of both.
    """
    argv, trace = ["/bin/gzip", "-c", tap.path("text")], tap.path("warm.trace")
    graph, _, why = harness.dcfg(tap, "warm", argv, ["--trace=yes", "--trace-out-file=" + trace])
    status, _, err = command("bbv", "--slice=40000", "-o", tap.path("warm"), graph, trace)
    vectors = tap.path("warm.global.bb")
    if not tap.ok(status == 0 and os.path.exists(vectors), "warm-up: vectors", "%s %s" % (err, why)):
        return
    points, weights = harness.written(tap, "points", "5 0\n1 1\n"), harness.written(tap, "weights", "0.5 0\n0.5 1\n")
    for warmup, slices in (0, None), (2, "12"):
        status, out, err = command("regions", *["--warmup=%d" % warmup] * bool(warmup), vectors, points, weights)
        lines = [line for line in out.splitlines() if line.startswith("--start=")]
        hints = [int(n) for n in re.findall(r"dcfg export --champsim --warmup=(\d+)", out)]
        tap.ok(status == 0 and len(lines) == 2 and len(hints) == 2 * bool(warmup), "warm-up of %d slices: regions" % warmup, out + err)
        for i, line in enumerate(lines):
            run = Run(tap, "warm%d-%d" % (warmup, i), argv, *line.split())
            if not run.good:
                return
            name = tap.path("region%d-%d" % (warmup, i))
            status, _, err = command("export", "--champsim", *["--warmup=%d" % n for n in hints[i:i + 1]], "-o", name, run.wet)
            m = re.search(r"champsim --warmup-instructions (\d+) --simulation-instructions (\d+) ", err)
            if not tap.ok(status == 0 and m, "warm-up of %d slices: a trace" % warmup, err):
                return
            first, rest = int(m.group(1)), int(m.group(2))
            data = read(name)
            tap.ok(len(data) == (first + rest) * SIZE and (first > 0) == (warmup > 0), "warm-up of %d slices: numbers" % warmup, err)
            alone = tap.path("region0-%d" % i)
            tap.ok(data[first * SIZE:] == read(alone), "warm-up of %d slices: the region is that without warm-up" % warmup,
                   "%d records, alone %d" % (rest, os.path.getsize(alone) // SIZE))
            run.forget()
    status, out, err = command("export", "--champsim", "--warmup=99999999", "-o", tap.path("none"), Run(tap, "all", argv).wet)
    tap.ok(status == 2 and "--warmup=99999999 is more" in err and not os.path.exists(tap.path("none")), "warm-up: too long", err)


def ends_of_repetitions(graph):
    """How often a repeated instruction was left: those with a count of 0 from the start are among them."""
    d = json.loads(harness.read(graph))
    kinds = {r[0]: r[1] for r in d["EDGE_TYPES"][1:]}
    edges = d["PROCESSES"][1][1]["EDGES"][1:]
    repeated = {at for _, at, to, kind, _ in edges if at == to and kinds[kind] == "REP"}
    return sum(sum(counts) for _, at, to, _, counts in edges if at in repeated and at != to)


def check_threads(tap):
    prog = harness.cc(tap, os.path.join(PROGS, "threads_join.c"), "threads", "-static", "-pthread")
    run = prog and Run(tap, "threads", [prog])
    if not run or not run.good:
        return
    total, n = 0, 0
    for n in range(100):
        status, _, err = command("export", "--champsim", "--thread=%d" % n, "-o", tap.path("one.trace"), run.wet)
        if status:
            break
        total += os.path.getsize(tap.path("one.trace")) // SIZE
        run.check_kinds(tap.path("one.trace"), n)
    tap.ok(n > 1 and "there is no thread %d" % n in err and len(err.splitlines()) == 1, "threads: one that is not there", err)
    said = open(tap.path("threads.log")).read()
    want = re.search(r"threads\.wet: ([\d,]+) instructions", said)
    ends = ends_of_repetitions(run.graph)
    tap.ok(want and 0 < ends and 0 < number(want.group(1)) - total <= ends,
           "threads: together they have all instructions, but the ends of repetitions", "%d, %d ends\n%s" % (total, ends, said))
    commandlib.refused(tap, "threads: which one has to be said", "--thread=N", "export", "--champsim", "-o", tap.path("none.trace"), run.wet)
    tap.ok(not [x for x in os.listdir(tap.dir) if x.startswith("none.trace")], "and no file is left")
    run.forget()


def check_signals(tap):
    prog = harness.compiled(tap, "signals.c", SIGNALS, "-static", "-no-pie")
    run = prog and Run(tap, "signals", [prog])
    trace, said = run.export() if run and run.good else (None, "")
    if not trace:
        return
    symbols = {line.split()[-1]: int(line.split()[0], 16) for line in
               subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
               if len(line.split()) == 3}
    if "__restore_rt" not in symbols:
        tap.skip("signals: the way of each branch", "libc has no symbol where handlers return to")
        return
    # __restore_rt is mov $15, %rax; syscall.
    text = run.check_kinds(trace, signals=("%x" % symbols["handler"], "%x" % (symbols["__restore_rt"] + 7)))
    tap.ok(re.search(r" 4[2-9] signals", text) and "does not tell" not in said, "signals: the way of each branch is told", said + text)
    os.unlink(trace)
    run.forget()


def check_32_bits(tap):
    why = harness.lacks_x86()
    if why:
        tap.skip("32 bits", why)
        return
    check_repeats(tap, 32, "-m32")
    prog = harness.cc(tap, os.path.join(PROGS, "switch.c"), "switch32", "-static", "-m32")
    run = prog and Run(tap, "switch32", [prog])
    trace, _ = run.export() if run and run.good else (None, "")
    if trace:
        run.check_kinds(trace)


def record(number, kind, taken, dst, src, writes=(), reads=()):
    """The record of instruction NUMBER, which has 4 bytes."""
    def fill(some, n):
        return list(some) + [0] * (n - len(some))
    return struct.pack("<Q2B2B4B2Q4Q", wet_by_hand.BASE + 4 * number, kind != wet_by_hand.PLAIN, taken,
                       *fill(dst, 2), *fill(src, 4), *fill(writes, 2), *fill(reads, 4))


def check_arm64(tap):
    """A recording made by hand: registers by their numbers, the link register, pairs, conditions, too many accesses, one
    that was not made, and one that its superblock does not have."""
    h = wet_by_hand

    def x(n):
        return (8 * n, 8)

    def v(n):
        return (288 + 16 * n, 16)
    loads = [(h.READS, 8, 0, 0x5000 + 64 * n) for n in range(5)] + [(h.READS | h.PERHAPS, 8, 0, 0), (h.READS, 8, 1, 0x5000)]
    instrs = [h.Instr(struct.pack("<I", code), *rest) for code, *rest in (
        (0xA9BF7BFD, h.PLAIN, [(8 * 29, 24)], [x(31)], [(h.WRITES, 8, 0, 0x7000), (h.WRITES, 8, 0, 0x7008)]),  # stp
        (0xAB020020, h.PLAIN, [x(1), x(2)], [x(0), (256, 2)]),                                               # adds
        (0x54000040, h.BRANCH, [(257, 1)]),                                                                  # b.eq +8
        (0xB4000043, h.BRANCH, [x(3)]),                                                                      # cbz x3, +8
        (0x94000002, h.CALL, [], [x(30)]),                                                                   # bl +8
        (0xD65F03C0, h.RETURN, [x(30)]),
        (0xD63F0100, h.INDIRECT_CALL, [x(8)], [x(30)]),                                                      # blr x8
        (0xD61F0200, h.INDIRECT_JUMP, [x(16)]),                                                              # br x16
        (0xAD400420, h.PLAIN, [x(1)], [(288, 32)], [(h.READS, 16, 0, 0x6000), (h.READS, 16, 0, 0x6010)]),    # ldp
        (0x4E22CC20, h.PLAIN, [v(0), v(1), v(2)], [v(0)]),                                                   # fmla
        (0x9B020C20, h.PLAIN, [x(n) for n in range(5)] + [(256, 2)], [x(n) for n in range(3)] + [(256, 1)], loads),
        (0xF9000020, h.PLAIN, [x(1)], [], [(h.READS | h.PERHAPS, 4, 0, None), (h.WRITES, 8, 0, 0x9000)]))]
    sbs = [[0, 1, 2], [4], [6], [3], [8, 9, 5], [7], [10, 11]]
    runs = [(1, True), (2, False), (3, False), (4, False), (2, False), (3, False), (5, False), (6, False), (4, True), (5, False),
            (1, False), (4, True), (7, False)]
    about = {0: ([6], [93, 94, 6], [0x7000, 0x7008], []), 1: ([64, 25], [65, 66]), 2: ([26], [26, 25]), 3: ([26], [26, 67]),
             4: ([6, 26], [6, 26]), 5: ([6, 26], [6, 94]), 6: ([6, 26], [6, 26, 72]), 7: ([26], [80]),
             8: ([100, 101], [65], [], [0x6000, 0x6010]), 9: ([100], [100, 101, 102]),
             10: ([64, 65], [64, 65, 66, 67], [], [0x5000, 0x5040, 0x5080, 0x50C0]), 11: ([], [65], [0x9000])}
    want = [record(n, instrs[n].kind, instrs[n].kind > h.BRANCH or taken and n == sbs[sb - 1][-1], *about[n])
            for sb, taken in runs for n in sbs[sb - 1]]
    wet, out = tap.path("arm64.wet"), tap.path("arm64.trace")
    harness.write(wet, h.recording(h.ARM64, instrs, sbs, runs))
    status, _, err = command("export", "--champsim", "-o", out, wet)
    have = [read(out)[i:i + SIZE] for i in range(0, os.path.getsize(out), SIZE)] if status == 0 else []
    tap.ok(have == want, "arm64: a recording made by hand", "%s%s" % (err, "\n".join(
        "%d: %s, want %s" % (i, a.hex(), b.hex()) for i, (a, b) in enumerate(zip(have, want)) if a != b)))
    # A call's link register, five times; of the last one flags twice, a source and a destination; the fifth address.
    left = LEFT.search(err)
    tap.ok(left and left.groups() == ("2", "6", "1"), "arm64: what is left out", err)


def check_refused(tap):
    prog = harness.cc(tap, os.path.join(PROGS, "loops.c"), "loops", "-static")
    run = prog and Run(tap, "loops", [prog])
    text = harness.written(tap, "more", "".join("%d and %x\n" % (n, n * 2654435761 % 2 ** 32) for n in range(8000)))
    ring = prog and Run(tap, "ring", ["/bin/gzip", "-c", text], "--wet-ring=1M")
    if not run or not run.good or not ring.good:
        return
    data = harness.read(run.wet, "rb")
    short, turned = tap.path("short.wet"), tap.path("turned.wet")
    harness.write(short, data[:len(data) * 2 // 3])
    harness.write(turned, data[:-200] + bytes(x ^ 0x55 for x in data[-200:-40]) + data[-40:])
    missing = tap.path("missing/x.trace")
    for what, words, want in (
            ("a thread that is not there", ["--thread=7", run.wet], "there is no thread 7"),
            ("a ring", [ring.wet], "--wet-ring"),
            ("a DCFG", [run.graph], "is a DCFG, not a whole execution trace"),
            ("a file that is cut off", [short], "the file is cut short"),
            ("a damaged file", [turned], "turned.wet: "),
            ("no file", [tap.path("none.wet")], "none.wet: cannot open: No such file"),
            ("another form, too", ["--bolt", run.wet], "--champsim or --bolt, not both"),
            ("tables, too", ["--tables=" + tap.path("tables"), run.wet], "--tables or --champsim, not both"),
            ("a part of the code", ["--image=loops", run.wet], "only --thread and -o"),
            ("two files", [run.wet, run.wet], "one file at a time"),
            ("a folder that is not there", ["-o", missing, run.wet], "missing/x.trace: No such file")):
        out = [] if "-o" in words else ["-o", tap.path("bad.trace.xz")]
        commandlib.refused(tap, "refused: " + what, want, "export", "--champsim", *out, *words)
    tap.ok(not [x for x in os.listdir(tap.dir) if x.startswith("bad.trace")], "none leaves a file", os.listdir(tap.dir))
    if os.path.exists("/dev/full"):
        commandlib.refused(tap, "a full disk is told", "No space left", "export", "--champsim", "-o", "/dev/full", run.wet)
    r = subprocess.run([commandlib.DCFG, "export", "--champsim", run.wet], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       env=harness.ENV)
    trace, _ = run.export()
    tap.ok(r.returncode == 0 and trace and r.stdout == read(trace), "without -o it goes to the standard output", r.stderr)


def main():
    tap = harness.Tap("champsim")
    prog = harness.cc(tap, os.path.join(PROGS, "wet", "branches.S"), "branches", "-nostdlib", "-static", "-no-pie")
    if prog:
        check_exact(tap, "branches", prog)
    prog = harness.cc(tap, os.path.join(PROGS, "switch.c"), "switch", "-static", "-no-pie")
    if prog:
        check_exact(tap, "switch", prog)
    if os.environ.get("DCFG_SLOW") == "1":
        prog = harness.cc(tap, os.path.join(harness.ORACLE, "wet_probe.c"), "classes", "-O2", "-static", "-no-pie",
                          os.path.join(PROGS, "wet", "classes.S"))
        if prog:
            check_exact(tap, "classes", prog)
    check_repeats(tap, 64)
    check_real(tap)
    check_warmup(tap)
    check_threads(tap)
    check_signals(tap)
    check_32_bits(tap)
    check_arm64(tap)
    check_refused(tap)
    tap.done()


main()
