#!/usr/bin/python3
"""Compares registers of dcfg gdb with those that a program itself has stored.

    gdb_registers_arm64.py WET PROG

PROG is tests/progs/arm64/classes.S with wet_probe.c, which executes instructions of all classes.  Behind each, from the symbol
`back` on, it stores all registers but X28 at the symbol `probe_out`, as wet_probe_arm64.h says: the general ones, SP, the flags,
and the vector registers.  Both are compared, also the next stop backward.  A register that has another value is an error.

Prints how many registers of each kind agreed, were unavailable, and differed, and the first of each.
"""
import collections
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "kit"))
import gdb_remote
import gdblib

MRS_NZCV = 0xd53b4200
FLAGS = 0xf0000000
AT_SP, AT_FLAGS, AT_VECTORS, SIZE = 248, 256, 272, 784


def stored_registers(memory):
    """(kind, name, value) of each register that the program has stored."""
    for n in range(31):
        if n != 28:
            yield "general", "x%d" % n, struct.unpack_from("<Q", memory, 8 * n)[0]
    yield "general", "sp", struct.unpack_from("<Q", memory, AT_SP)[0]
    yield "cpsr", "cpsr", struct.unpack_from("<Q", memory, AT_FLAGS)[0]
    for n in range(32):
        yield "vector", "v%d" % n, int.from_bytes(memory[AT_VECTORS + 16 * n:][:16], "little")


def next_stop(r):
    """To the next breakpoint, from one or not.  Returns the stop reply."""
    r.ask("s")
    return r.ask("c")


def main(argv):
    wet, prog = argv
    r = gdblib.serve(wet)
    rows, symbols = r.rows(), gdb_remote.symbols(prog)
    back = behind = symbols["back"]
    while int.from_bytes(r.memory(behind, 4), "little") != MRS_NZCV:
        behind += 4
    behind += 8                         # the flags are stored
    for at in (back, behind):
        assert r.ask("Z0,%x,4" % at) == "OK"
    counts, lines, states = collections.Counter(), [], 0
    while "replaylog" not in next_stop(r):
        a = r.registers(rows)
        if gdb_remote.number(a["pc"]) != back:
            continue
        states += 1
        code = gdb_remote.number("".join("%02x" % b for b in r.memory(symbols["entry"], 8)))
        what = "%x: %08x" % (code, int.from_bytes(r.memory(code, 4), "little"))
        next_stop(r)
        stored = r.memory(symbols["probe_out"], SIZE)
        assert len(stored) == SIZE, what
        for kind, name, value in stored_registers(stored):
            have = gdb_remote.number(a[name])
            if have is None:
                counts[kind, "unavailable"] += 1
                lines.append("%s: %s is unavailable" % (what, name))
            elif (have & FLAGS if kind == "cpsr" else have) == value:
                counts[kind, "agree"] += 1
            else:
                counts[kind, "differ"] += 1
                lines.append("*** %s: %s is %x, not %x" % (what, name, have, value))
    r.close()
    everything = collections.Counter()
    for kind in ("general", "cpsr", "vector", "all registers"):
        n = {what: counts[kind, what] for what in ("agree", "unavailable", "differ")}
        everything.update(n)
        n = n if kind != "all registers" else everything
        print("%s: %d agree, %d unavailable (%.2f %%), %d differ"
              % (kind, n["agree"], n["unavailable"], 100 * n["unavailable"] / max(sum(n.values()), 1), n["differ"]))
    print("%d states" % states)
    lines.sort(key=lambda line: line[0] != "*")
    print("\n".join(lines[:40]))
    return bool(everything["differ"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
