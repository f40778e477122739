#!/usr/bin/python3
"""dcfg slice --gdb: the script's stops are the slice's instances, in their order, with the values that were recorded.  (TAP)

Programs that are linked to an address and ones that are not, with a library of their own, and with addresses that differ each
time; string instructions, recursion; the first instruction of all.
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import commandlib
import harness
import slicelib

SOURCE = """#include <stdio.h>
#ifdef PART
int part(int x);
#else
static int part(int x) { return x * 3 + 1; }
#endif
static int depth(int n)
{
    return n == 0 ? 1 : part(depth(n - 1)) + n;
}
static void copy(char *to, const char *from, unsigned long n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
int main(void)
{
    char text[8];
    int other = 0, sum = 0;
    for (int i = 0; i < 40; i++)
        other += i;
    printf("%d\\n", other);
    copy(text, "1234567", 8);
    for (int i = 0; i < 7; i++)
        if (i % 2 == 0)
            sum += part(text[i] - '0');
    sum += depth(5);
    printf("%d\\n", sum);
    return 0;
}
"""
PART = "int part(int x)\n{\n   int y = x * 3;\n   return y + 1;\n}\n"
WANTED = 27
FIRST = """   .globl _start
_start: mov $3, %ecx
        mov $1, %ebx
1:      add %ecx, %ebx
        dec %ecx
        jnz 1b
        mov %ebx, %edi
        mov $60, %eax
        syscall
        .data
        .quad 1
"""
GENERAL = "eax ecx edx ebx esp ebp esi edi r8d r9d r10d r11d r12d r13d r14d r15d".split()


def run_gdb(tap, name, script, prog, more):
    """Returns the rows that tests/oracle/slice_stops.py writes, and gdb's messages."""
    out = tap.path(name + ".stopped")
    r = subprocess.run(["gdb", "-batch", "-nx"] + more + ["-x", script, "-x", os.path.join(harness.ORACLE, "slice_stops.py"),
                                                         prog], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, env=dict(harness.ENV, STOPPED=out), timeout=harness.TIMEOUT, cwd=tap.dir)
    said = r.stdout.decode(errors="replace")
    if not os.path.exists(out):
        return None, said
    with open(out) as f:
        return [[int(x, 16) for x in line.split()] for line in f], said


def wanted(s, sources, prog):
    """Return the instances of slice S that have stops, those in SOURCES or in PROG: (address, code, value)."""
    data, rows = s.data, []
    for i, x in enumerate(data["instr"]):
        if s.places[x][0] in sources or data["files"][data["file"][x]]["name"] == prog:
            rows.append((s.addr[x], data["code"][x], data["value"][i]))
    return rows


def check(tap, name, prog, at, sources, more=(), library=None):
    wet, script = tap.path(name + ".wet"), tap.path(name + ".gdb")
    graph, _, why = harness.dcfg(tap, name, [prog], ["--wet=yes", "--wet-out-file=" + wet])
    if not tap.ok(graph, name + ": is recorded", why):
        return
    s, said = slicelib.slice_of(tap, wet, "--at=" + at)
    status, text, err = commandlib.command("slice", "--gdb", "--at=" + at, "-o", script, wet)
    if not tap.ok(s and status == 0 and text == "" and err == "", name + ": a script", said + err):
        return
    rows, said = run_gdb(tap, name, script, prog, list(more))
    want = wanted(s, sources, prog)
    if not tap.ok(rows is not None and len(rows) == len(want) > 5, name + ": stops %d times" % len(want),
                  "%s\n%s" % (rows and len(rows), said[-3000:])):
        return
    # Each image is moved as a whole.
    moved = set()
    for row, (addr, _, _) in zip(rows, want):
        in_library = library and addr > 0x1000000
        moved.add((bool(in_library), row[0] - addr))
    bad, compared = [], 0
    for n, (row, (addr, code, value)) in enumerate(zip(rows, want)):
        m = re.match(r"(?:mov|movsx|movzx|add|lea|imul|sub|inc|dec) (\w+)", code)
        if not m or m.group(1) not in GENERAL or not value:
            continue
        compared += 1
        have = row[1 + GENERAL.index(m.group(1))] & 0xFFFFFFFF
        if have != int(value, 16):
            bad.append("stop %d, %x %s: %x, recorded %s" % (n + 1, addr, code, have, value))
    tap.ok(len(moved) == (2 if library else 1), name + ": at the slice's instances, in order", moved)
    tap.ok(compared > 5 and not bad, name + ": with the values that were recorded (%d)" % compared, "\n".join(bad[:20]))
    stops = [tuple(map(int, m)) for m in re.findall(r"^slice: (\d+) of (\d+),", said, re.M)]
    tap.ok(stops == [(k + 1, len(want)) for k in range(len(want))] and "was expected" not in said,
           name + ": which the script tells", said[-1500:])


def main():
    tap = harness.Tap("slice_gdb")
    if not shutil.which("gdb"):
        tap.skip("stops", "gdb is not installed")
        tap.done()
    for name, text in (("stops.c", SOURCE), ("part.c", PART), ("first.S", FIRST)):
        with open(tap.path(name), "w") as f:
            f.write(text)
    at = "stops.c:%d" % WANTED
    for name, flags, more in (("pie", ["-pie", "-fPIE"], ["-iex", "set disable-randomization off"]), ("fixed", ["-no-pie", "-fno-pie"], [])):
        prog = harness.cc(tap, tap.path("stops.c"), name, "-O0", *flags)
        if prog:
            check(tap, name, prog, at, {"stops.c"}, more)
    library = harness.cc(tap, tap.path("part.c"), "libpart.so", "-O0", "-shared", "-fPIC")
    if library:
        prog = harness.cc(tap, tap.path("stops.c"), "linked", "-O0", "-DPART", library, "-Wl,-rpath," + tap.dir)
        if prog:
            check(tap, "linked", prog, at, {"stops.c", "part.c"}, library=library)
    prog = harness.cc(tap, tap.path("first.S"), "first", "-nostdlib", "-static", "-no-pie")
    if prog:
        check(tap, "first", prog, "first.S:7", {"first.S"})
    tap.done()


if __name__ == "__main__":
    main()
