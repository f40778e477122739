"""Values of arm64 instructions, for wet_results.py: see there.

The value is what the instruction stores, else the new contents of the registers that it defines, the higher ones above
the lower ones: 8 bytes of a general register, 16 of a vector register.  A base register that is written back is not
part of it.
"""
import collections
import re

import wet_capstone_arm64 as wet_capstone
from capstone import arm64
from wet_capstone_arm64 import CARRY, SP, VECTOR

MEMORY, WINDOW = 1024, 0x10000400
# Offsets in wet_probe_arm64.h's State: general registers, flags, vector registers, memory.
VECTORS, BUFFER = 272, 272 + 32 * 16
STATE = (BUFFER + MEMORY + 4 + 15) // 16 * 16

SKIP = re.compile("mrs|svc|dc|bl|blr|st(l?x)[rp][bh]?")
NOTHING = re.compile("f?ccmpe?|f?cmpe?|cmn|ccmn|tst|b|b\\..*|br|ret|t?bn?z|cbn?z|tbn?z|nop|yield|hint|prfu?m|dmb|dsb|isb|clrex|ic|msr")
STORE = re.compile("st(l|t|u|n)?(r|p|ur|tr|lr)?[bh]?|st[1-4]")
SIZES = {"x": 8, "w": 4, "b": 1, "h": 2, "s": 4, "d": 8, "q": 16}
ELEMENTS = {"b": 1, "h": 2, "s": 4, "d": 8}


class State:
    def __init__(self, data):
        self.data = data

    def part(self, at, size):
        return int.from_bytes(self.data[at:at + size], "little")

    def register(self, n):
        """Return a register by number: general ones, then vector registers."""
        return (self.part(8 * n, 8), 8) if n < 32 else (self.part(VECTORS + 16 * (n - 32), 16), 16)

    def memory(self, at, size):
        at -= WINDOW
        return self.part(BUFFER + at, size) if 0 <= at <= MEMORY - size else None


def number(name):
    first = wet_capstone.PLACES[name][0]
    return first // 8 if first < CARRY else 32 + (first - VECTOR) // 16


def extended(value, how):
    """Return the index of an address, before it is shifted."""
    if how in (arm64.ARM64_EXT_UXTW, arm64.ARM64_EXT_SXTW):
        value &= 0xffffffff
        if how == arm64.ARM64_EXT_SXTW and value >> 31:
            value -= 1 << 32
    return value


def stored_bytes(i):
    """Return how many bytes the store writes, one after the other."""
    names = [i.reg_name(o.reg) for o in i.operands if o.type == arm64.ARM64_OP_REG]
    if re.match("st[1-4]", i.mnemonic):
        listed = re.search(r"{(.*)}(\[)?", i.op_str)
        registers, element = listed.group(1).split(", "), re.search(r"\.(\d*)([bhsd])", listed.group(1))
        one = ELEMENTS[element.group(2)] * (1 if listed.group(2) else int(element.group(1)))
        return one * len(registers)
    if i.mnemonic.endswith("b"):
        return 1
    if i.mnemonic.endswith("h"):
        return 2
    return SIZES[names[0][0]] * (2 if i.mnemonic in ("stp", "stnp") else 1)


def stored(i, before, after):
    op = next(o for o in i.operands if o.type == arm64.ARM64_OP_MEM)
    at = before.register(number(i.reg_name(op.mem.base)))[0]
    if "]," not in i.op_str:                            # otherwise it is added afterwards
        at += op.mem.disp
        if op.mem.index:
            name = i.reg_name(op.mem.index)
            value = before.register(number(name))[0]
            at += extended(value, op.ext or (arm64.ARM64_EXT_UXTW if name[0] == "w" else 0)) << op.shift.value
    return after.memory(at & (1 << 64) - 1, stored_bytes(i))


def expected(i, before, after):
    """Return (kind, value, bytes).  value None: there is none; "skip": it is not known."""
    if SKIP.fullmatch(i.mnemonic):
        return "skip", None, 0
    if NOTHING.fullmatch(i.mnemonic):
        return "nothing", None, 0
    if STORE.fullmatch(i.mnemonic):
        return "stored", stored(i, before, after), stored_bytes(i)
    uses, defs = wet_capstone.by_capstone(i)
    wet_capstone.correct(i, uses, defs, collections.Counter())
    found = sorted({loc // 8 if loc < CARRY else 32 + (loc - VECTOR) // 16 for loc in defs if not CARRY <= loc < VECTOR})
    base = [number(i.reg_name(o.mem.base)) for o in i.operands if o.type == arm64.ARM64_OP_MEM and o.mem.base]
    back = base if "]!" in i.op_str or "]," in i.op_str else []
    found = [n for n in found if n not in back] or found
    found = [n for n in found if n != SP] or found
    if not found:
        return "nothing", None, 0
    value = size = 0
    for n in found:
        one, k = after.register(n)
        value, size = value | one << 8 * size, size + k
    return "vector" if found[-1] >= 32 else "register", value, size
