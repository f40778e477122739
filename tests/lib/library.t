#!/usr/bin/python3
"""libdcfg as it is installed: its symbols, and linking with it.  (TAP)"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import commandlib
import harness
import wet_by_hand

# Reads the events of a trace with two readers in turn, the second one three events behind, and compares their times and numbers.
READERS = harness.text("lib/library.c")

LIB = os.path.join(os.path.dirname(harness.VALGRIND), os.pardir, "lib")


def run(*args):
    env = dict(harness.ENV, PKG_CONFIG_PATH=os.path.join(LIB, "pkgconfig"), LD_LIBRARY_PATH=LIB)
    r = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    return r.returncode, r.stdout.decode(errors="replace")


def names(*args):
    """Returns the names that nm finds, each with its letter."""
    status, out = run("nm", *args)
    if status:
        raise RuntimeError(out)
    return {tuple(line.split()[-2:]) for line in out.splitlines() if len(line.split()) > 1}


def check_names(tap):
    """Both libraries export exactly the functions that the headers declare."""
    declared = set()
    with open(os.path.join(harness.SRCDIR, "lib", "Makefile.am")) as f:
        headers = re.search(r"^include_HEADERS = (.*)", f.read(), re.M).group(1).split()
    for header in headers:
        with open(os.path.join(harness.SRCDIR, "lib", header)) as f:
            declared |= set(re.findall(r"^DCFG_API[^;(]*?\b(dcfg_\w+)\s*\(", f.read(), re.M))
    tap.ok(len(declared) > 40, "the headers declare functions", sorted(declared))
    for name, args in (("libdcfg.a", ["-g", "--defined-only"]), ("libdcfg.so", ["-D", "--defined-only"])):
        have = {n for _, n in names(*args, os.path.join(LIB, name))}
        tap.ok(have == declared, "%s has the names of its headers and no other" % name, sorted(have ^ declared))
    bare = {n for kind, n in names("-g", os.path.join(LIB, "libdcfg.a")) if kind != "U"}
    tap.ok(bare == declared, "also with those that are weak or common", sorted(bare ^ declared))


def example(tap, n):
    """The path of program N of lib/README.md, from 0."""
    source = tap.path("prog%d.c" % n)
    with open(os.path.join(harness.SRCDIR, "lib", "README.md")) as f, open(source, "w") as to:
        to.write(re.findall(r"```c\n(.*?)```", f.read(), re.S)[n])
    return source


def check_accesses(tap):
    """The second program of lib/README.md: registers and accesses of a recording that is made by hand; and two readers of it."""
    h = wet_by_hand
    instrs = [h.Instr(b"\x48\x01\x07", h.PLAIN, [(0, 8), (56, 8)], [(256, 2)], [(h.READS, 8, 0, 0x5000), (h.WRITES, 8, 1, 0x5000)]),
              h.Instr(b"\xc4\xe2\x75\x2c\x00", h.PLAIN, [(0, 8)], [(288, 32)], [(h.READS | h.PERHAPS, 4, 0, 0), (h.READS, 4, 0, 0x6000)]),
              h.Instr(b"\xf3\xa4", h.REP, [(48, 16)], [(8, 8), (48, 16)], [(h.READS, 1, 0, 0x7000), (h.WRITES, 1, 0, 0x7100)]),
              h.Instr(b"\xd8\xc1", h.PLAIN, [(864, 16)], [(259, 1), (864, 8)]),
              h.Instr(b"\x74\xf2", h.BRANCH, [(257, 1)])]
    wet, prog = tap.path("hand.wet"), tap.path("accesses")
    with open(wet, "wb") as f:
        f.write(h.recording(h.X86_64, instrs, [[0, 1, 2, 3, 4]], [(1, True), (1, False)]))
    flags = run("pkg-config", "--cflags", "--libs", "libdcfg")[1]
    status, out = run("cc", "-Wall", "-Werror", "-o", prog, example(tap, 1), *flags.split())
    tap.ok(status == 0, "the program that prints accesses is linked", out)
    status, out = run(prog, wet)
    once = ("0x400000 flags r 8 bytes at 0x5000 w 8 bytes at 0x5000\n0x400003 v0 r 4 bytes at 0x6000\n"
            "0x400008 r1 r6 r7 r 1 bytes at 0x7000 w 1 bytes at 0x7100\n0x40000a x87\n0x40000c%s\n")
    # Behind the last branch nothing follows: that it was not taken is known from the first one.
    tap.ok(status == 0 and out == once % " taken" + once % "", "and prints registers, accesses and ways of branches", out)
    harness.written(tap, "readers.c", READERS)
    prog = tap.path("readers")
    status, out = run("cc", "-Wall", "-Werror", "-o", prog, tap.path("readers.c"), *flags.split())
    tap.ok(status == 0, "the program with two readers is linked", out)
    out = run(prog, wet)[1]
    tap.ok(out == "10 events, 10 again, 0 differ\n", "two readers of one file know nothing of each other", out)
    out = run("sh", "-c", 'cat "$1" | "$0" -', prog, wet)[1]
    tap.ok("only a file, not a pipe, can be read twice" in out, "a pipe has one reader", out)


MIRROR = 1 << 20
LOAD, STORE, STORE_CONSTANT = 128 + 2 * 49 + 1, 128 + 2 * 50, 128 + 2 * 50 + 1
SLOT = 2 + 97                   # how a number is found: it is that of slot 0


def check_mirror(tap):
    """Loads that a mirror of memory guesses: other sizes, other addresses that share its bytes, its end, and another chunk."""
    h = wet_by_hand
    # Address, size, and a constant behind the address; or what is stored.
    steps = [("load", 0x5000, 4, 0), ("store", MIRROR + 0x5002, 8, 0x1122334455667788), ("load", 0x5000, 8, 0), ("load", 0x4ff8, 2, 16),
             ("again", 0x7000, 4, 0), ("load", 0x7001, 1, 0), ("store", 3 * MIRROR - 4, 8, 0x99aabbccddeeff00), ("load", MIRROR - 3, 8, 0),
             ("load", 0, 4, 0)]
    instrs, slots, accesses = [], [], []
    for place, (what, addr, size, more) in enumerate(steps):
        code = bytes([0x90 + place])
        if what == "store":
            instrs.append(h.Instr(code, h.PLAIN, [], [], [(h.WRITES, size, 0, addr)]))
            slots += [(place, h.WRITES, size, 1, addr), (place, h.VALUE, size, 1, more),
                      (place, STORE_CONSTANT, size, SLOT + len(slots), more)]
        else:
            instrs.append(h.Instr(code, h.PLAIN, [], [(0, 8)], [(h.READS, size, 0, addr)]))
            slots += [(place, h.READS, size, 1, addr), (place, LOAD, size, SLOT + len(slots), more),
                      (place, h.VALUE, size, SLOT + len(slots) + 1, 0)]
            if what == "again":     # stores what it loaded elsewhere
                slots += [(place, 129, 8, 1, MIRROR + 0x7000 - 2), (place, STORE, 2, SLOT + len(slots), len(slots) - 2 + 97)]
    loads = [s for s in steps if s[0] != "store"]
    words = [[(-1) ** (n + k) * (n * 0x1234567 + k) * (k != 2) for k in range(3)] for n in range(len(loads))]
    chunks, wanted = b"", [[] for _ in steps]
    for n_runs in (3, 2):
        mirror = bytearray(MIRROR + 8)
        for k in range(n_runs):
            n = 0
            for place, (what, addr, size, more) in enumerate(steps):
                at = (addr + (0 if what == "store" else more)) % MIRROR
                value = more
                if what != "store":
                    value = (int.from_bytes(mirror[at:at + size], "little") + words[n][k]) % (1 << 8 * size)
                    n += 1
                mirror[at:at + size] = value.to_bytes(size, "little")
                if what == "again":
                    mirror[0x6ffe:0x7000] = (value % 65536).to_bytes(2, "little")
                wanted[place].append(value)
        errors = [[(n, w[k]) for n, w in enumerate(words) if w[k] != 0] for k in range(n_runs)]
        chunks += h.tape([(1, False)] * n_runs, (), errors, mirror)
    path = tap.path("mirror.wet")
    data = h.recording(h.X86_64, instrs, [list(range(len(steps)))], [(1, False)] * 5, slots, chunks)
    with open(path, "wb") as f:
        f.write(data)
    status, out, err = commandlib.command("wet", path)
    found = [[int(v.split(":")[1], 16) for v in re.findall(r"^ +\d+:[0-9a-f]+$", values, re.M)]
             for values in re.findall(r"^VALUES \d+\n((?: +\d+:[0-9a-f]+\n)+)", out, re.M)]
    told = [sorted(set(v), key=v.index) for v in wanted]
    tap.ok(status == 0 and len(found) == len(steps) and [sorted(set(v), key=v.index) for v in found] == told,
           "loads are guessed by a mirror of memory", (found, wanted, err))
    # A check sum that is another one, or an error: of a chunk from 0 on.
    for chunk, at in ((0, 16), (0, chunks.index(h.quick(words[1][0]), 20) + 1), (1, 16)):
        begin = data.index(chunks) + (0 if chunk == 0 else chunks.rindex(h.tape([], mirror=mirror)[16:20]) - 16)
        with open(path, "wb") as f:
            f.write(data[:begin + at] + bytes([data[begin + at] ^ 8]) + data[begin + at + 1:])
        status, out, err = commandlib.command("wet", "--history", path)
        tap.ok(status == 2 and err == "dcfg wet: %s: tape: the numbers from byte %d on are not those that were recorded, by their check sum: "
               "record it anew, and report it if the file has not changed since\n" % (path, begin),
               "a wrong number is found at the end of its chunk (%d, %d)" % (chunk, at), (status, begin, err))


def check_linking(tap):
    """The first program of lib/README.md, linked as the manual page says."""
    source = example(tap, 0)
    graph = commandlib.write(tap.path("graph.json"), commandlib.small.good())
    for what, more, ask in (("with the shared library", [], []), ("statically", ["-static"], ["--static"])):
        prog = tap.path("prog")
        status, flags = run("pkg-config", *ask, "--cflags", "--libs", "libdcfg")
        status, out = (status, flags) if status else run("cc", "-Wall", "-Werror", *more, "-o", prog, source,
                                                         *flags.split())
        tap.ok(status == 0, "a program is linked " + what, flags + out)
        status, out = run(prog, graph)
        tap.ok(status == 0 and "0x40010a: 3 iterations\n" in out, "and runs", out)
    kind = names(prog) if status == 0 else set()
    tap.ok(("T", "getenv") in kind or ("W", "getenv") in kind or ("T", "memcpy") in kind or ("i", "memcpy") in kind,
           "the last one has its libraries inside", len(kind))


def check_paths(tap):
    """The path of a thread has the instances that the events have, of a program with threads and with a signal."""
    harness.written(tap, "path.c", harness.text("lib/path.c"))
    prog = tap.path("path")
    status, out = run("cc", "-Wall", "-Werror", "-o", prog, tap.path("path.c"), *run("pkg-config", "--cflags", "--libs", "libdcfg")[1].split())
    if not tap.ok(status == 0, "the program that reads paths is linked", out):
        return
    for name in ("threads_many", "longjmp"):
        wet = harness.record_wet(tap, name, [harness.program(tap, name + ".c", "-pthread")])
        out = run(prog, wet)[1]
        tap.ok(re.match(r"[1-9]\d* threads, 0 missing, 0 differ\n", out), name + ": paths are what the events have", out)


def main():
    tap = harness.Tap("library")
    if not os.path.exists(os.path.join(LIB, "libdcfg.a")):
        tap.skip("libdcfg", "it was not built")
        tap.done()
    check_names(tap)
    check_linking(tap)
    check_accesses(tap)
    check_mirror(tap)
    check_paths(tap)
    tap.done()


if __name__ == "__main__":
    main()
