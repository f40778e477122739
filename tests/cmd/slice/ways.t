#!/usr/bin/python3
"""Ways on which slices follow a value: dcfg slice and dcfg why.  (TAP)

- Arguments of system calls, and the memory that they read, write and overwrite; memory that other threads wrote.

- Registers that a new thread has, that an allocator saves, and by which a gather loads elements.

- Numbers of system calls, and code without source lines.
"""
import collections
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "kit"))
import commandlib
import harness
from slicelib import lines_of
from harness import record_wet
import cpuinfo

PROGS = os.path.join(harness.SRCDIR, "tests", "progs")

# Values in registers that an allocator saves and restores, with and without a frame, and one that it returns.
SAVED = harness.text("slices/ways_saved.S")
# System calls whose number is passed to a function, as in glibc 2.41: pushed, copied there, moved between registers.
NUMBERED = harness.text("slices/ways_numbered.S")
# Registers that are both address and value of one instruction.
BOTH = harness.text("slices/ways_both.S")
ALLOCATOR = harness.text("slices/ways_allocator.S")


def check_kernel(tap, name, mmap, *flags):
    """System calls with more than three arguments, and their output."""
    prog = harness.cc(tap, os.path.join(PROGS, "x86", "pages.c"), name, "-g", "-O0", *flags)
    wet = prog and record_wet(tap, name, [prog])
    if not wet:
        return
    for what, these, others in (("--syscall=pread64", {12, 14, 15, 17}, {13, 19, 21}),
                                ("--syscall=" + mmap, {12, 15, 19}, {13, 21}),
                                ("--output=EL", {14, 17, 21}, {13}), ("--output=5", {13, 21}, set())):
        status, out, err = commandlib.command("slice", what, wet)
        lines = set(lines_of(out, "pages.c")) if status == 0 else set()
        tap.ok(these <= lines and not lines & others, "%s: %s" % (name, what), (lines, err))


ACROSS = harness.text("slices/ways_across.c")


def check_across(tap):
    """Text that several system calls wrote, with two threads and two buffers of a writev."""
    prog = harness.compiled(tap, "across.c", ACROSS, "-g", "-O0", "-pthread")
    wet = prog and record_wet(tap, "across", [prog])
    if not wet:
        return
    line = {text: 1 + ACROSS.split("\n").index(text) for text in ACROSS.split("\n") if text}
    makes = {c: line[next(t for t in line if "= '%s'" % c in t)] for c in "defgh!E"}
    makes["abc"] = line["      b[i] = 'a' + i;"]
    for text, these in (("abcde", "abc d e"), ("cd", "abc d"), ("bcdefgh", "abc d e f g h"), ("fg", "f g"), ("eg", None),
                        ("cE", None), ("f!", None), ("cde", "abc d e"), ("gh", "g h")):
        status, out, err = commandlib.command("slice", "--output=" + text, "--thin", wet)
        if these is None:
            tap.ok(status == 2 and "no system call wrote" in err, "across: nobody wrote " + text, out + err)
            continue
        got = set(lines_of(out, "across.c")) if status == 0 else set()
        tap.ok({m for m in makes if makes[m] in got} == set(these.split()), "across: " + text, (got, makes, out, err))


def check_rooms(tap, name, *flags):
    """The memory that system calls read and overwrite, also calls that Memcheck need not know."""
    prog = harness.cc(tap, os.path.join(PROGS, "x86", "rooms.c"), name, "-g", "-O0", "-fno-pie", "-no-pie", *flags)
    dumper = harness.reader(tap, "wet_dump")
    wet = prog and record_wet(tap, name, [prog])
    if not wet or not dumper:
        return
    symbols = subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode()
    at = {int(f[0], 16): f[2] for f in map(str.split, symbols.splitlines()) if len(f) == 3}
    reads, low, high = collections.defaultdict(list), min(at), max(at)
    for line in subprocess.run([dumper, wet], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines():
        f = line.split()
        if f[0] == "I" and at.get(int(f[1], 16), "").startswith("at_"):
            reads[at[int(f[1], 16)]] += [int(w.split("#")[0], 16) for w in f[-1].split(",")[1:]] or [0]
    bad = {what: sorted(map(hex, writers)) for what, writers in reads.items()
           if len(writers) not in (4, 8) or any(low <= w <= high or w == 0 for w in writers)}
    tap.ok(len(reads) == 8 and not bad, name + ": they write in place of what there was", (len(reads), bad))
    text = harness.read(os.path.join(PROGS, "x86", "rooms.c")).splitlines()
    for calls, needle in ((("epoll_ctl",), ".u32 = 7"), (("splice",), "from = 3"),
                          (("pselect6", "pselect6_time64", "_newselect"), "FD_SET(")):
        line = next(n for n, x in enumerate(text, 1) if needle in x)
        found = [set(lines_of(out, "rooms.c")) for status, out, _ in (commandlib.command("slice", "--syscall=" + c, wet) for c in calls)
                 if status == 0]
        tap.ok(any(line in lines for lines in found), "%s: %s read what was there" % (name, calls[0]), (line, found))


def check_born(tap, name, *flags):
    """A new thread has its creator's registers, forward as backward."""
    prog = harness.cc(tap, os.path.join(PROGS, "wet", "born.S"), name, "-nostdlib", "-static", "-no-pie", *flags)
    wet = prog and record_wet(tap, name, [prog])
    if not wet:
        return
    symbols = subprocess.run(["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode()
    at = {f[2]: "0x" + f[0].lstrip("0") for f in map(str.split, symbols.splitlines())}
    for what in ("result", "general", "vector", "stack"):
        why = commandlib.command("why", "--instructions", wet, at["at_" + what] + "#0")[1]
        found = [[line.split()[1] for line in commandlib.command("slice", "--thin", "--as=instances", *args, wet)[1].splitlines()
                  if line[0] != "#"] for args in (["--at=" + at["at_" + what]], ["--at=%s#0" % at[what], "--forward"])]
        tap.ok(re.search(r"(^ +1 \S+|through) +%s#0\b" % at[what], why, re.M) and at[what] + "#0" in found[0] and at["at_" + what] + "#0" in found[1],
               "%s: a new thread's registers: %s" % (name, what), (at[what], at["at_" + what], why, found))


def check_saved(tap):
    """Code without source lines does not count as the program's."""
    for name, text in (("saved", SAVED), ("allocator", ALLOCATOR)):
        harness.written(tap, name + ".S", text)
    subprocess.run(["cc", "-c", "allocator.S"], cwd=tap.dir, check=True)
    prog = harness.cc(tap, tap.path("saved.S"), "saved", "-g", "-nostdlib", "-static", "-no-pie", tap.path("allocator.o"))
    wet = prog and record_wet(tap, "saved", [prog])
    if wet:
        status, out, err = commandlib.command("slice", "--syscall=write", wet)
        lines = lines_of(out, "saved.S") if status == 0 else []
        tap.ok({2, 3, 4} <= set(lines) and 5 not in lines,
               "what went through registers that an allocator saved, not what it made the place of", (lines, err))


def check_numbers(tap):
    """The register's value tells which system call it is, wherever the value comes from."""
    prog = harness.compiled(tap, "numbered.S", NUMBERED, "-g", "-nostdlib", "-static", "-no-pie")
    wet = prog and record_wet(tap, "numbered", [prog])
    if not wet:
        return
    wrong = []
    for call, line in (("write", 2), ("getpid", 10), ("exit_group", 13), ("exit_group#0", 13)):
        status, out, err = commandlib.command("slice", "--syscall=" + call, "--full", wet)
        if status or line not in lines_of(out, "numbered.S"):
            wrong.append((call, status, out, err))
    tap.ok(not wrong, "numbers of system calls that were copied", wrong)
    status, _, err = commandlib.command("slice", "--syscall=exit", wet)
    tap.ok(status == 2 and err == "dcfg slice: --syscall: exit was called 0 times\n", "all of them are known", err)


def check_both(tap):
    """A register that is an address and a value is followed as a value, also by --thin."""
    prog = harness.compiled(tap, "both.S", BOTH, "-g", "-nostdlib", "-static", "-no-pie")
    wet = prog and record_wet(tap, "both", [prog])
    if wet:
        status, out, err = commandlib.command("slice", "--thin", "--syscall=write", wet)
        lines = lines_of(out, "both.S") if status == 0 else err
        tap.ok({2, 4, 6, 7, 8} <= set(lines), "registers that are addresses and values", lines)


def check_library(tap):
    """std::ostream takes digits from a table that libstdc++ makes at the start; memmove() copies the bytes that its pointer
    points to.
    """
    with open(tap.path("sums.cpp"), "w") as f:
        f.write("#include <cstring>\n#include <iostream>\nint twin_a(int), twin_b(int); int main(int argc, char**)\n{\n"
                "   int a = argc + 40;\n   int b = argc + 50;\n   char text[] = \"ABCDEFGHIJKLMNOPQRSTUVWXYZ\";\n"
                "   int first = argc + 2;\n   memmove(text, text + first, argc + 20);\n"
                "   std::cout << a << '\\n';\n   std::cout << b << '\\n';\n   std::cout << text << std::endl;\n"
                "   return twin_a(0) + twin_b(0);\n}\n#line 7 \"/a/twin.c\"\nint twin_a(int x) { return x + 1;\n}\n"
                "#line 7 \"/b/twin.c\"\nint twin_b(int x) { return x - 1; }\n")
    prog = harness.cc(tap, tap.path("sums.cpp"), "sums", "-g", "-O0", "-lstdc++")
    wet = prog and record_wet(tap, "sums", [prog])
    if not wet:
        return
    for opts, last in (((), {7, 8}), (("--thin",), {7})):
        found = [commandlib.command("slice", "--output=" + text, *opts, wet) for text in ("41", "51", "DEFG")]
        lines = [set(lines_of(out, "sums.cpp")) & {5, 6, 7, 8} or err for _, out, err in found]
        headers = [out for _, out, _ in found if re.search(r"^ .*\d%   (ostream|[a-z_]+\.h):\d", out, re.M)]
        tap.ok(not headers, "a distribution's headers are folded", headers[:1])
        tap.ok(lines == [{5}, {6}, last], "numbers through a table of a library, and what it was told to copy %s" %
               " ".join(opts), lines)
    said, one = (commandlib.command("slice", "--at=" + where, wet) for where in ("twin.c:7", "b/twin.c:7"))
    tap.ok(said[0] == 2 and said[2].count("\n") == 1 and "/a/twin.c and of /b/twin.c" in said[2] and one[0] == 0,
           "a line of two files: it says so", (said, one[2]))


def check_gather(tap):
    """A gather does not read elements that the mask leaves out: they have no writer."""
    if not cpuinfo.has("avx2"):
        tap.skip("a gather", "this processor has no AVX2")
        return
    prog = harness.cc(tap, os.path.join(PROGS, "x86", "gather.S"), "gather", "-nostdlib", "-static", "-no-pie")
    dumper = harness.reader(tap, "wet_dump")
    wet = prog and record_wet(tap, "gather", [prog])
    if not wet or not dumper:
        return
    at = {name: value.lstrip("0") for value, _, name in map(str.split, subprocess.run(
        ["nm", prog], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines())}
    lines = subprocess.run([dumper, wet], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    ports = [p.split(",")[1:] for f in map(str.split, lines) if f[:2] == ["I", at["gather"]] for p in f[3:] if p[0] == "5"]
    tap.ok(ports == [[at["element_0"] + "#0"], [], [at["element_2"] + "#0"], []], "a gather reads what its mask takes", ports)


def main():
    tap = harness.Tap("slice_ways")
    check_kernel(tap, "pages", "mmap")
    check_across(tap)
    check_rooms(tap, "rooms")
    check_born(tap, "born")
    if harness.lacks_x86():
        tap.skip("the same in 32-bit programs", harness.lacks_x86())
    else:
        check_kernel(tap, "pages32", "mmap2", "-m32")
        check_rooms(tap, "rooms32", "-m32")
        check_born(tap, "born32", "-m32")
    check_gather(tap)
    check_saved(tap)
    check_numbers(tap)
    check_both(tap)
    check_library(tap)
    tap.done()


main()
