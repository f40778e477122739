"""Whole execution traces made by hand, as docs/dev/wet-file.md has them: for processors that are not there, and for what no
program does.

    recording(machine, instrs, superblocks, runs)

If slots are not constant, SLOTS are those of all superblocks: (place, type, size, how it is found, number).  CHUNKS are made
with tape(), which takes the words of columns; of each run, the loads that are foretold wrongly, as (load, error); and the mirror at
the end.

An Instr has its code, its kind, and runs of locations that it uses and defines, as (first, number).  An access is (type,
size, 1 + earlier one with the same address, address in all instances).  If that address is None, the superblock does not
have the access.  A part of the value, which is the same in all instances, is (bytes, number).  Instructions stand one behind the other from BASE on.  A superblock is a list of their numbers; if the
last one is a conditional branch, it takes an exit.  RUNS are pairs: superblock from 1, and whether the exit was taken.
"""
import collections
import struct

BASE = 0x400000
ARM64, X86_64 = 183, 62
MIRROR = 1 << 20
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


def zigzag(n):
    n = (n + (1 << 63)) % (1 << 64) - (1 << 63)
    return 2 * n if n >= 0 else -2 * n - 1


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


def constant_slots(instrs, numbers):
    slots = []
    for place, n in enumerate(numbers):
        slots += [(place, a[0], a[1], 1, a[3]) for a in instrs[n].accesses if a[3] is not None]
        slots += [(place, VALUE, size, 1, number) for size, number in instrs[n].value]
    return slots


def superblock(instrs, numbers, slots=None):
    slots = slots or constant_slots(instrs, numbers)
    out = varint(len(numbers)) + varints(*numbers)
    out += varints(1, len(numbers) - 1, len(slots)) if instrs[numbers[-1]].kind == BRANCH else varint(0)
    return out + varint(len(slots)) + b"".join(varints(*slot[:4]) + (varint(zigzag(slot[4])) if slot[3] else b"") for slot in slots)


def columns(all):
    """Bits and numbers of columns: each difference in full."""
    bits, numbers = 0, b""
    for k, column in enumerate(all):
        bits |= 25 << 5 * k                              # none is as foretold
        for d in column:
            numbers += quick(d)
    return bits.to_bytes((5 * len(all) + 7) // 8, "little"), numbers


def check_sum(data):
    """Returns spool_sum() of DATA."""
    total, mask = len(data), (1 << 64) - 1
    for word, in struct.iter_unpack("<Q", data):
        total = (total ^ word) * 0x100000001b3 & mask
        total ^= total >> 29
    return (total ^ total >> 32) & 0xFFFFFFFF


def mirror_sum(mirror):
    extents = [bytes(mirror[i:i + 65536]) for i in range(0, MIRROR, 65536)]
    sums = {e: check_sum(e) for e in set(extents)}
    return check_sum(struct.pack("<16I", *(sums[e] for e in extents)) + bytes(mirror[MIRROR:]))


def quick(n):
    return b"\x07" + struct.pack("<Q", zigzag(n))


def tape(runs, words=(), errors=(), mirror=bytes(MIRROR + 8)):
    control = varints(0, 1, 1, 0)                        # a mark: thread 0 runs
    for k, (sb, taken) in enumerate(runs):
        for load, _ in errors[k] if errors else ():
            control += varints(0, 3, load)
        control += varints(0, 5 + 2 * sb, 0) if taken else varints(0, 4 + 2 * sb)
    control += varints(0, 0)
    bits, numbers = columns(words)
    numbers = b"".join(quick(error) for some in errors for _, error in some) + numbers
    return (struct.pack("<5I", 1 + len(runs) + sum(map(len, errors)), len(control), len(bits), len(numbers), mirror_sum(mirror))
            + control + bits + numbers)


def recording(machine, instrs, superblocks, runs, slots=None, chunks=None):
    executed = sum(len(superblocks[sb - 1]) for sb, _ in runs)
    image = varint(1) + varint(4) + b"hand" + varints(BASE, 4096, 0, 0) + varint(0)
    return (b"\x89DCFGWET" + struct.pack("<II", 9, machine) + section(1, varint(0)) + section(2, image)
            + section(3, instructions(instrs)) + section(4, varint(0))
            + section(5, varint(len(superblocks)) + b"".join(superblock(instrs, s, slots) for s in superblocks))
            + section(6, struct.pack("<Q", executed)) + section(7, varint(0)) + section(10, varints(0, 0)) + section(8, chunks or tape(runs)) + section(9, b""))
