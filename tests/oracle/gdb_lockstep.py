#!/usr/bin/python3
"""Compares dcfg gdb with Valgrind's own gdbserver, instruction by instruction.

    gdb_lockstep.py WET [STEPS [PROG ARGS...]]

Both begin at the first instruction and step together.  At each stop the general registers, the flags, the instruction's
address, xmm registers, and memory at registers that look like addresses must agree, or be said to be unavailable.
Valgrind runs all iterations of an instruction with a repeat prefix in some steps: there ours steps until addresses agree.

Prints how many registers and bytes agreed, were unavailable, and differed, and the first differences.
"""
import collections
import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "suite"))
import gdblib
import harness

GENERAL = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip eflags".split()
VECTORS = ["xmm%d" % n for n in range(16)]
FLAGS = 0xCD5
AHEAD = 64


def start_valgrind(argv, cwd, log):
    p = subprocess.Popen([harness.VALGRIND, "--tool=none", "--px-default=allregs-at-each-insn", "--vex-guest-chase=no",
                          "--vex-iropt-unroll-thresh=0", "--vgdb=yes", "--vgdb-error=0", "--log-file=" + log, *argv],
                         cwd=cwd, env=harness.ENV, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return p, gdblib.Remote([harness.VGDB, "--wait=60", "--pid=%d" % p.pid], env=harness.ENV)


class Alike:
    """Data that the kernel gives each process otherwise: the address of its own library, and sixteen random bytes, of which the C
    library makes the numbers that protect stacks and pointers."""

    AT_RANDOM = 25

    def __init__(self, ours, theirs):
        vector = ours.ask("qXfer:auxv:read::0,1000")[1:].encode("latin-1")
        words = [w[0] for w in struct.iter_unpack("<Q", vector)]
        self.random = dict(zip(words[::2], words[1::2]))[self.AT_RANDOM]
        self.numbers = set()
        pair = [struct.unpack("<QQ", r.memory(self.random, 16)) for r in (ours, theirs)]
        for x, y in zip(*pair):
            self.numbers |= {(x, y), (x & ~0xff, y & ~0xff)}

    def number(self, x, y):
        return x == y or (x, y) in self.numbers or (x >> 41 == y >> 41 == 0x3f and (x ^ y) & 0xfff == 0)

    def bytes(self, have, want, at):
        """Returns how many bytes at AT are alike, word by word."""
        alike = 0
        for i in range(-at % 8 - 8, len(want), 8):
            x, y = have[max(i, 0):i + 8], want[max(i, 0):i + 8]
            if len(x) == len(y) == 8 and self.number(int.from_bytes(x, "little"), int.from_bytes(y, "little")):
                alike += 8
            else:
                alike += sum(a == b or self.random <= at + max(i, 0) + k < self.random + 16 for k, (a, b) in enumerate(zip(x, y)))
        return alike


def description(remote):
    """The rows of Valgrind's registers, whose description includes other files."""
    rows, todo = [], ["target.xml"]
    while todo:
        name, text = todo.pop(0), ""
        while True:
            answer = remote.ask("qXfer:features:read:%s:%x,fff" % (name, len(text)))
            text += answer[1:]
            if answer[0] == "l":
                break
        rows += [(m[0], int(m[1])) for m in re.findall(r'<reg name="([\w]+)"[^>]*?bitsize="(\d+)"', text)]
        todo += re.findall(r'<xi:include href="([^"]+)"', text)
    return rows


def compare(steps, ours, theirs, counts, bad):
    our_rows, their_rows = ours.rows(), description(theirs)
    alike = Alike(ours, theirs)
    sent = 0
    for step in range(steps):
        a, b = ours.registers(our_rows), theirs.registers(their_rows)
        for _ in range(AHEAD):
            if a["rip"] == b["rip"]:
                break
            theirs.ask("s")
            b = theirs.registers(their_rows)
        else:
            bad.append("step %d: rip is %s, not %s" % (step, a["rip"], b["rip"]))
            return step
        for name in GENERAL + VECTORS:
            x, y = a[name], b[name]
            kind = "xmm" if name in VECTORS else "eflags" if name == "eflags" else "general"
            if name == "eflags" and "x" not in x:
                x, y = (gdblib.number(v) & FLAGS for v in (x, y))
            if isinstance(x, str) and "x" in x:
                counts[kind, "unavailable"] += 1
            elif x == y or kind == "general" and alike.number(gdblib.number(x), gdblib.number(y)):
                counts[kind, "agree"] += 1
            else:
                counts[kind, "differ"] += 1
                bad.append("step %d, rip %s: %s is %s, not %s" % (step, a["rip"], name, x, y))
        at = GENERAL[step % 16]
        if "x" not in b[at] and gdblib.number(b[at]) > 0x10000:
            want = theirs.memory(gdblib.number(b[at]), 32)
            have = ours.memory(gdblib.number(b[at]), 32)
            counts["memory", "unavailable"] += max(len(want) - len(have), 0)
            same = alike.bytes(have, want[:len(have)], gdblib.number(b[at]))
            counts["memory", "agree"] += same
            counts["memory", "differ"] += min(len(want), len(have)) - same
            if same < min(len(want), len(have)):
                bad.append("step %d, rip %s: memory at %s (%s) is %s, not %s" % (step, a["rip"], at, b[at], have.hex(), want.hex()))
        if len(bad) > 40:
            return step
        r = ours.ask("s")
        if "replaylog" in r:
            return step + 1
        theirs.ask("s")
    return steps


def main(argv):
    steps = int(argv[1]) if len(argv) > 1 else 1000
    valgrind, theirs = start_valgrind(argv[2:], os.getcwd(), os.devnull)
    ours = gdblib.serve(argv[0])
    counts, bad = collections.Counter(), []
    try:
        done = compare(steps, ours, theirs, counts, bad)
    finally:
        ours.close()
        theirs.process.kill()
        valgrind.kill()
        valgrind.wait()
    for kind in ("general", "eflags", "xmm", "memory"):
        n = {what: counts[kind, what] for what in ("agree", "unavailable", "differ")}
        print("%s: %d agree, %d unavailable (%.2f %%), %d differ"
              % (kind, n["agree"], n["unavailable"], 100 * n["unavailable"] / max(sum(n.values()), 1), n["differ"]))
    print("%d steps" % done)
    for line in bad[:20]:
        print("*** " + line)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
