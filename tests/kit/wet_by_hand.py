"""Whole execution traces made by hand, as docs/dev/wet-file.md has them: for processors that are not there, and for what no
program does.

    recording(machine, instrs, superblocks, runs)

An Instr has its code, its kind, and runs of locations that it uses and defines, as (first, number).  An access is (type,
size, 1 + earlier one with the same address, address in all instances).  If that address is None, the superblock does not
have the access.  A part of the value, which is the same in all instances, is (bytes, number).  Instructions stand one behind the other from BASE on.  A superblock is a list of their numbers; if the
last one is a conditional branch, it takes an exit.  RUNS are pairs: superblock from 1, and whether the exit was taken.
"""
import collections
import struct

BASE = 0x400000
ARM64, X86_64 = 183, 62
PLAIN, BRANCH, JUMP, INDIRECT_JUMP, CALL, INDIRECT_CALL, RETURN, SYSCALL, REP = range(9)
READS, WRITES, PERHAPS = 1, 2, 4
VALUE = 16

Instr = collections.namedtuple("Instr", "code kind uses defs accesses value", defaults=((), (), (), ()))


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def varints(*all):
    return b"".join(map(varint, all))


def section(kind, data):
    return struct.pack("<BQ", kind, len(data)) + data


def ranges(runs):
    out, at = varint(len(runs)), 0
    for first, n in runs:
        out += varints(first - at, n)
        at = first + n
    return out


def instructions(instrs):
    out, before = varint(len(instrs)), None
    for i in instrs:
        out += varints(0, BASE if before is None else before) + varint(len(i.code)) + i.code + varints(i.kind, 1)
        out += ranges(i.uses) + ranges(i.defs) + varint(len(i.accesses))
        out += b"".join(varints(*a[:3]) for a in i.accesses)
        before = len(i.code)
    return out


def superblock(instrs, numbers):
    slots = []
    for place, n in enumerate(numbers):
        slots += [(place, a[0], a[1], a[3]) for a in instrs[n].accesses if a[3] is not None]
        slots += [(place, VALUE, size, number) for size, number in instrs[n].value]
    out = varint(len(numbers)) + varints(*numbers)
    out += varints(1, len(numbers) - 1, len(slots)) if instrs[numbers[-1]].kind == BRANCH else varint(0)
    # All of them are constant.
    return out + varint(len(slots)) + b"".join(varints(place, kind, size, 1, 2 * number) for place, kind, size, number in slots)


def tape(runs):
    control = varints(0, 1, 1, 0)                        # a mark: thread 0 runs
    for sb, taken in runs:
        control += varints(0, 4 + 2 * sb, 0) if taken else varints(0, 3 + 2 * sb)
    control += varints(0, 0)
    return struct.pack("<4I", 1 + len(runs), len(control), 0, 0) + control


def recording(machine, instrs, superblocks, runs):
    executed = sum(len(superblocks[sb - 1]) for sb, _ in runs)
    image = varint(1) + varint(4) + b"hand" + varints(BASE, 4096, 0, 0) + varint(0)
    return (b"\x89DCFGWET" + struct.pack("<II", 8, machine) + section(1, varint(0)) + section(2, image)
            + section(3, instructions(instrs)) + section(4, varint(0))
            + section(5, varint(len(superblocks)) + b"".join(superblock(instrs, s) for s in superblocks))
            + section(6, struct.pack("<Q", executed)) + section(7, varint(0)) + section(10, varints(0, 0)) + section(8, tape(runs)) + section(9, b""))
