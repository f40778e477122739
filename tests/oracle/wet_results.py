#!/usr/bin/python3
"""Compares the values of a whole execution trace with the program's own view of registers and memory.

    wet_results.py STATES FILE WET_VALUES

STATES is the output of `wet_probe N states` under Valgrind's tool none.  FILE is a whole execution trace of the same
run, with values.  WET_VALUES is wet_values.c, compiled, which lists them.

Capstone's operands tell an instruction's value: what it stores, else its destination, else, if none is named, all
destinations; a jump, or an instruction that only sets flags, has no value.  A value is as wide as the named part of the
register, but 8 bytes for a 32-bit one, and 16 or 32 for a vector register.  Values of each kind are counted; those of
SKIPPED are not compared.
"""
import collections
import math
import os
import re
import struct
import subprocess
import sys

from capstone import x86

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wet_capstone
import wet_results_arm64
import wet_summary

LIMIT = 30
MEMORY, WINDOW = 1024, 0x10000400
# Offsets in wet_probe.c's State: general registers, flags, FXSAVE's area, XSAVE's header, upper halves of vector
# registers, memory.
GENERAL, EXTENDED, ST, XMM, YMM, BUFFER = 0, 192, 192 + 32, 192 + 160, 192 + 576, 192 + 832
MM = BUFFER + MEMORY + 8
STATE = (MM + 64 + 63) // 64 * 64

SKIPPED = {
    "rdtsc|rdtscp|rdrand|rdseed": "another one each time",
    "v?p?maskmov[dq]*u?|v?maskmovp[sd]": "stores what a mask says",
    "vzeroupper|vzeroall|emms|fninit|finit|ldmxcsr|vldmxcsr|fldcw|fnclex|fxrstor.*|xrstor.*|fldenv|frstor":
        "sets much that is no value",
    "fx?save.*|xsave.*|fnsave|fnstenv|fxch|ffree|fincstp|fdecstp|fxtract|fptan|fsincos|fprem.*": "of several parts",
    "rep.*|loop.*": "of several instances",
    "syscall|xgetbv|xtest": "of the system",
}
SKIP = re.compile("|".join(SKIPPED))
NOTHING = re.compile("cmp|test|bt|v?u?comis[sd]|v?ptest|vtestp[sd]|nop|n?op[wl]|fnop|fwait|wait|prefetch.*|sahf|clc|stc|cmc|cld|std|"
                     "[lms]fence|clflush|pause|f(u?com|tst|xam)[a-z]*|ficomp?|scas[bwdq]|fcomi?p?|fucomi?p?|endbr64|"
                     "jmp|j[a-z]+|ret")
NO_STORE = re.compile("cmp|test|bt|push|call|jmp|i?mul|i?div|f(add|sub|subr|mul|div|divr|com|comp|ld|ild|iadd|imul|isub|idiv|icom|"
                      "icomp|isubr|idivr|iadd)|v?ldmxcsr|prefetch.*|nop|lodsb|lodsd|lodsq|lodsw|cmps.|scas.|v?u?comis.|v?ptest")
BOTH = {"cpuid": ("rbx", "rdx", "rcx", "rax")}
NAMED = {"cqo": "rdx", "cdq": "edx", "cwd": "dx", "cdqe": "rax", "cwde": "eax", "cbw": "ax", "lahf": "ah", "leave": "rbp",
         "lodsb": "al", "lodsw": "ax", "lodsd": "eax", "lodsq": "rax", "xlatb": "al", "popfq": "rsp", "popf": "rsp",
         "pcmpistri": "rcx", "pcmpestri": "rcx", "vpcmpistri": "rcx", "vpcmpestri": "rcx", "pcmpistrm": "xmm0",
         "pcmpestrm": "xmm0", "vpcmpistrm": "ymm0", "vpcmpestrm": "ymm0"}


class State:
    def __init__(self, data):
        self.data = data

    def register(self, name):
        """Return (value, bytes)."""
        first, size = wet_capstone.PLACES[name]
        if name[0] in "xy" and "mm" in name:
            n = int(name[3:])
            low = self.data[XMM + 16 * n:XMM + 16 * n + 16]
            high = self.data[YMM + 16 * n:YMM + 16 * n + 16] if name[0] == "y" else b""
            return int.from_bytes(low + high, "little"), 16 + len(high)
        if name.startswith("mm"):
            return int.from_bytes(self.data[MM + 8 * int(name[2:]):][:8], "little"), 8
        size = 8 if size == 4 else size
        return int.from_bytes(self.data[GENERAL + first:GENERAL + first + size], "little"), size

    def top(self, n):
        """Return x87's register at that distance from the top, as Valgrind has it, with 64 bits."""
        bits = int.from_bytes(self.data[ST + 16 * n:][:10], "little")
        sign, exponent, digits = bits >> 79, bits >> 64 & 0x7fff, bits & (1 << 64) - 1
        if exponent == 0x7fff:
            return sign << 63 | 0x7ff << 52 | digits >> 11 & (1 << 52) - 1, 8
        if digits == 0:
            return sign << 63, 8
        value = math.ldexp(digits, exponent - 16383 - 63)
        return struct.unpack("<Q", struct.pack("<d", -value if sign else value))[0], 8

    def memory(self, at, size):
        at -= WINDOW
        return int.from_bytes(self.data[BUFFER + at:BUFFER + at + size], "little") if 0 <= at <= MEMORY - size else None


def address(i, op, before):
    at = op.mem.disp
    for reg, scale in ((op.mem.base, 1), (op.mem.index, op.mem.scale)):
        if reg:
            name = i.reg_name(reg)
            value = before.register(name)[0]
            at += (value & 0xffffffff if wet_capstone.PLACES[name][1] == 4 else value) * scale
    return at & (1 << 64) - 1


def expected(i, before, after):
    """Return (kind, value, bytes).  value None: there is none; "skip": it is not known."""
    name = i.mnemonic
    plain = name.split(" ")[-1]
    if SKIP.fullmatch(name) or SKIP.fullmatch(plain):
        return "skip", None, 0
    sse = any(o.type == x86.X86_OP_REG and "mm" in i.reg_name(o.reg) for o in i.operands)
    if NOTHING.fullmatch(plain) and not (plain.startswith("cmp") and sse):
        return "nothing", None, 0
    first = i.operands[0] if i.operands else None
    if plain.startswith("push") or plain in ("call", "enter"):
        n = 2 if i.prefix[2] == 0x66 else 8
        sp = before.register("rsp")[0] - n
        return "pushed", after.memory(sp, n), n
    if plain.startswith(("stos", "movs")) and not sse and first is not None and first.type == x86.X86_OP_MEM:
        return "string", after.memory(before.register("rdi")[0], first.size), first.size
    if plain in ("fnstsw", "fnstcw") and first.type == x86.X86_OP_MEM:
        return "stored", after.memory(address(i, first, before), 2), 2
    if plain in ("bts", "btr", "btc") and [o.type for o in i.operands] == [x86.X86_OP_MEM, x86.X86_OP_REG]:
        # VEX stores the byte that has the bit.
        bit, size = before.register(i.reg_name(i.operands[1].reg))[0], i.operands[1].size
        bit = (bit & (1 << 8 * size) - 1 ^ 1 << 8 * size - 1) - (1 << 8 * size - 1)
        return "stored", after.memory(address(i, first, before) + (bit >> 3), 1), 1
    if first is not None and first.type == x86.X86_OP_MEM and not NO_STORE.fullmatch(plain):
        return "stored", after.memory(address(i, first, before), first.size), first.size
    registers = [i.reg_name(o.reg) for o in i.operands if o.type == x86.X86_OP_REG]
    if plain == "xchg" and any(o.type == x86.X86_OP_MEM for o in i.operands):
        op = next(o for o in i.operands if o.type == x86.X86_OP_MEM)
        return "stored", after.memory(address(i, op, before), op.size), op.size
    if plain in BOTH:
        parts = [after.register(r) for r in BOTH[plain]]
    elif re.fullmatch("i?(mul|div)", plain) and len(i.operands) == 1:
        parts = [after.register(r) for r in {1: ("ax",), 2: ("dx", "ax"), 4: ("rdx", "rax"), 8: ("rdx", "rax")}[first.size]]
    elif plain in ("xchg", "xadd", "mulx"):
        parts = [after.register(r) for r in sorted(set(registers[:2]), key=lambda r: -wet_capstone.PLACES[r][0])]
        if plain != "mulx" and len(parts) == 2 and wet_capstone.PLACES[registers[0]][0] // 8 == wet_capstone.PLACES[registers[1]][0] // 8:
            return "skip", None, 0
    elif plain in NAMED:
        parts = [after.register(NAMED[plain])]
    elif plain.startswith("f") and not sse and plain != "fnstsw":
        # Capstone names one register if the other is the top, and PLACES has numbers from the top.
        n = [int(r[3]) for r in registers]
        to = n[0] if len(n) == 2 or n and (plain.startswith("fst") or plain.endswith("p")) else 0
        parts = [after.top((to - (plain.endswith("p") and len(n) > 0)) & 7)]
    elif first is None or first.type != x86.X86_OP_REG:
        return "skip", None, 0
    else:
        name = registers[0]
        if name.startswith("xmm") and i.mnemonic.startswith("v"):
            name = "y" + name[1:]
        parts = [after.register(name)]
    value = n = 0
    for part, k in parts:
        value, n = value << 8 * k | part, n + k
    return "vector" if sse else "x87" if plain.startswith("f") else "register", value, n


def is_nan(text):
    """The program cannot tell which NaN it is: VEX makes another one of 80 bits."""
    bits = int(text, 16) if text != "-" else 0
    return bits >> 52 & 0x7ff == 0x7ff and bits & (1 << 52) - 1 != 0


def states(path, processor):
    with open(path, "rb") as f:
        while True:
            head = f.read(24)
            if not head:
                return
            before, after = (processor.State(f.read(processor.STATE)) for _ in range(2))
            yield int.from_bytes(head[:8], "little"), head[8:], before, after


def main(argv):
    machine = wet_summary.machine(argv[1])
    processor = wet_results_arm64 if machine == wet_summary.ARM64 else sys.modules[__name__]
    md = processor.wet_capstone.disassembler(machine)
    ours, decoded, counts, bad = collections.defaultdict(list), {}, collections.Counter(), []
    all_states = list(states(argv[0], processor))
    first, end = min(s[0] for s in all_states), max(s[0] for s in all_states) + 1
    p = subprocess.run([argv[2], argv[1], "%x" % first, "%x" % end], stdout=subprocess.PIPE, check=True)
    for line in p.stdout.decode().splitlines():
        words = line.split()
        ours[int(words[0], 16)].append(words[1])
    seen = collections.Counter()
    for addr, code, before, after in all_states:
        if addr not in decoded:
            decoded[addr] = next(md.disasm(code, addr, 1), None)
        i, n = decoded[addr], seen[addr]
        seen[addr] += 1
        if i is None:
            counts["unknown to Capstone"] += 1
            continue
        kind, value, size = processor.expected(i, before, after)
        if kind != "nothing" and value is None:
            counts["skipped"] += 1
            continue
        if n >= len(ours[addr]):
            bad.append("%x %s %s: instance %d is missing" % (addr, i.mnemonic, i.op_str, n))
            continue
        counts[kind] += 1
        want = "-" if kind == "nothing" else "%0*x" % (2 * size, value)
        if ours[addr][n] != want and not (kind == "x87" and is_nan(want) and is_nan(ours[addr][n])):
            bad.append("%x %s %s: %s, expected %s" % (addr, i.mnemonic, i.op_str, ours[addr][n], want))
    for line in bad[:LIMIT]:
        print(line)
    compared = sum(n for kind, n in counts.items() if kind not in ("skipped", "unknown to Capstone"))
    print("%d values (%s), %d differ" % (compared, ", ".join("%s %d" % x for x in sorted(counts.items())), len(bad)))
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
