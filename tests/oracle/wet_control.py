#!/usr/bin/python3
"""A slow model of control dependences, by the definition, for any program with one thread and without signals.  It
finds the branch or call that let each instance run; wet_data.py does the same for data.

    wet_control.py FILE LACKEY'S-TRACE DUMP

FILE is a whole execution trace, of which only the images and their symbols are read; the code is in the images' files,
decoded by Capstone.  LACKEY'S-TRACE is of the identical run, with all accesses; they tell which return belongs to which
call.  A jump behind a load of the stack pointer (longjmp) goes back to the last activation that has made a call right
before the jump's target.  On arm64, where calls store nothing, a return belongs to the call before its target.  DUMP is
the output of wet_dump.c for FILE, whose control dependences are compared.

- The graph has all pairs of instructions that followed each other in one activation, and for each direct conditional
  branch both of its outcomes.  Code that was not executed is followed up to a return, an indirect jump, code that VEX
  cannot decode, or another function.
- Post-dominators are computed as sets, to the fixed point, over basic blocks of that graph.
- An instance depends on the latest instance, in its activation, of the branches that its instruction is control
  dependent on.
"""
import bisect
import itertools
import os
import re
import sys
from collections import defaultdict

import capstone
from capstone import x86
from elftools.elf.elffile import ELFFile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpuinfo
import wet_data
import wet_summary
from dcfg_model import file_of_image

LIMIT = 20
EXIT = 0                               # no instruction is there
PLAIN, BRANCH, JUMP, END, CALL, RETURN, TO_STACK = range(7)   # END: an indirect jump
# Code that VEX does not decode: AVX-512's prefix, UD2, privileged instructions, and some that Capstone knows.
UNKNOWN = {"ud0", "ud1", "ud2", "hlt", "cli", "sti", "xsaves", "xsaves64", "xrstors", "xrstors64",
           "xabort", "incsspq", "rdsspq", "wrssq"}
# More of them in 32-bit code.
UNKNOWN_X86 = {"xgetbv", "rdtscp", "xsave", "xsavec", "xsaveopt", "xrstor", "enter"}
# Instructions that VEX decodes only if the processor has a feature, with the kernel's name of it.  All with the prefix
# of AVX need AVX.
NEEDS = dict.fromkeys(("xgetbv", "xsave", "xsave64", "xsavec", "xsavec64", "xsaveopt", "xsaveopt64", "xrstor", "xrstor64", "xtest"), "avx")
NEEDS.update({"rdtscp": "rdtscp", "rdrand": "rdrand", "rdseed": "rdseed", "cmpxchg16b": "cx16", "vcvtph2ps": "f16c",
              "vcvtps2ph": "f16c"})
PREFIX_OF_AVX = re.compile(rb"[\x26\x2e\x36\x3e\x64-\x67]*[\xc4\xc5]")
UNKNOWN_GROUPS = {x86.X86_GRP_SSE41, x86.X86_GRP_SSE42, x86.X86_GRP_AVX, x86.X86_GRP_AVX2, x86.X86_GRP_BMI, x86.X86_GRP_BMI2,
                  x86.X86_GRP_FMA, x86.X86_GRP_AES, x86.X86_GRP_RTM, x86.X86_GRP_SHA}
# Instructions of arm64 that VEX has and Capstone has not, atomic operations: mask and value.
ATOMIC = ((0x3f200c00, 0x38200000), (0x3fa07c00, 0x08a07c00), (0xbfa07c00, 0x08207c00))
UNKNOWN_ARM64 = {"udf", "hlt", "hvc", "smc", "eret", "drps", "dc zva", "ldtr", "sttr"}
# The system registers that VEX has.
SYSTEM = re.compile(r"\b(nzcv|fpcr|fpsr|tpidr_el0|dczid_el0|ctr_el0|cntvct_el0|cntfrq_el0)\b")
WHERE_AM_I = re.compile(rb"\xe8\0\0\0\0[\x58-\x5f]")    # one instruction for VEX in 32-bit code, together with the POP
HINT = b"\xf3\x0f\x1e"               # ENDBR32, RDSSPD, of registers
FORWARD = 64                           # the number of overlapping symbols that are examined


class Code:
    """Instructions by address, from the images' files."""

    def __init__(self, path):
        self.parts, self.symbols = [], []
        for name, load, symbols in wet_summary.images(path):
            self.symbols += [(at, size) for at, size, _ in symbols]
            name = file_of_image(name)
            if not os.path.isfile(name):
                continue
            with open(name, "rb") as f:
                segments = [s for s in ELFFile(f).iter_segments() if s["p_type"] == "PT_LOAD"]
                bias = load - (min(s["p_vaddr"] for s in segments) & ~4095)
                self.parts += [(bias + s["p_vaddr"], s.data()) for s in segments if s["p_flags"] & 1]
        self.symbols.sort()
        self.starts = [at for at, _ in self.symbols]
        machine = wet_summary.machine(path)
        self.arm64, self.x86 = machine == wet_summary.ARM64, machine == wet_summary.X86
        self.md = capstone.Cs(*((capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM) if self.arm64 else
                                (capstone.CS_ARCH_X86, capstone.CS_MODE_32 if self.x86 else capstone.CS_MODE_64)))
        self.md.detail = True
        self.known = {}

    def at(self, addr):
        """Return (kind, next address, target or None); None if nothing can be decoded."""
        if addr not in self.known:
            self.known[addr] = self.decode(addr)
        return self.known[addr]

    def decode(self, addr):
        code = next((data[addr - at:addr - at + 16] for at, data in self.parts if at <= addr < at + len(data)), b"")
        if self.arm64:
            return self.decode_arm64(addr, code[:4])
        if self.x86 and code[:3] == HINT:
            return PLAIN, addr + 4, None
        i = next(self.md.disasm(code, addr, 1), None)
        if i is None or i.bytes[0] == 0x62 or i.mnemonic.split()[-1] in UNKNOWN:
            return None
        op, after = i.mnemonic.split()[-1], addr + i.size
        if self.x86 and op != "tzcnt" and (op in UNKNOWN_X86 or not UNKNOWN_GROUPS.isdisjoint(i.groups)):
            return None
        need = "avx" if not self.x86 and PREFIX_OF_AVX.match(code) else NEEDS.get(op)
        if need and not cpuinfo.has(need):
            return None
        target = i.operands[0].imm if i.operands and i.operands[0].type == x86.X86_OP_IMM else None
        if op == "jmp":
            return (JUMP if target is not None else END), after, target
        if x86.X86_GRP_RET in i.groups:
            return RETURN, after, None
        if op.startswith(("j", "loop")):
            return BRANCH, after, target
        if self.x86 and op == "call" and WHERE_AM_I.match(code):
            return PLAIN, after + 1, None
        to_stack = op == "mov" and i.op_str.startswith(("rsp, r", "esp, e"))
        return (CALL if op == "call" else TO_STACK if to_stack else PLAIN), after, None

    def decode_arm64(self, addr, code):
        op, ops = next(((op, ops) for _, _, op, ops in self.md.disasm_lite(code, addr, 1)), ("", ""))
        word = int.from_bytes(code, "little")
        if len(code) < 4 or UNKNOWN_ARM64 & {op, op + " " + ops.partition(",")[0]} or op in ("mrs", "msr") and not SYSTEM.search(ops):
            return None
        if not op and not any(word & mask == value for mask, value in ATOMIC):
            return None
        if op == "b" or op.startswith("b.") or op in ("cbz", "cbnz", "tbz", "tbnz"):
            return (JUMP if op == "b" else BRANCH), addr + 4, int(ops.rpartition("#")[2], 16)
        # A jump to X30 is the return of longjmp.
        kind = {"bl": CALL, "blr": CALL, "ret": RETURN, "br": RETURN if ops == "x30" else END}.get(op, PLAIN)
        return kind, addr + 4, None

    def function(self, addr):
        """Return the begin of the last function that has this address."""
        k = bisect.bisect_right(self.starts, addr)
        for at, size in reversed(self.symbols[max(k - FORWARD, 0):k]):
            if addr - at < size or addr == at and size == 0:
                return at
        return None


class Activation:
    def __init__(self, caller, place):
        self.caller, self.place, self.last = caller, place, None
        self.latest = {}               # {branch: (when, instance)}
        self.behind = set()            # return addresses of its calls


def activations(code, run, edges):
    """Return address and activation of each instance; add pairs that follow each other to EDGES."""
    stack = [Activation(None, None)]
    counts = defaultdict(int)

    stack_set = jumps = False

    def abandon():
        gone = stack.pop()
        edges.update(((gone.last, EXIT), (gone.caller[0], EXIT)))

    def abandon_below(place):
        while len(stack) > 1 and stack[-1].place < place:
            abandon()

    for addr, loads, stores in run:
        kind = code.at(addr)
        while jumps and any(addr in a.behind for a in stack) and addr not in stack[-1].behind:
            abandon()
        jumps = stack_set and kind[0] == END
        stack_set = kind[0] == TO_STACK or stack_set and kind[0] == PLAIN
        n = counts[addr]
        counts[addr] += 1
        returns = kind[0] == RETURN
        if kind[0] == CALL:
            abandon_below(stores[-1][0] + 1)
        elif returns:
            abandon_below(loads[-1][0])
        now = stack[-1]
        if now.last is not None:
            edges.add((now.last, addr))
        now.last = addr
        yield addr, n, now
        if kind[0] == CALL:
            now.behind.add(kind[1])
            stack.append(Activation((addr, n), stores[-1][0]))
        elif returns and len(stack) > 1 and now.place == loads[-1][0]:
            stack.pop()
            edges.add((addr, EXIT))
        elif returns and len(stack) == 1:
            edges.add((addr, EXIT))
            now.last = None
            now.latest = {}
    for now in stack:
        if now.last is not None:
            edges.add((now.last, EXIT))


def linked_activations(code, run, edges):
    """Do the same for arm64.  A return leads behind its call; after longjmp, behind a call of an earlier activation."""
    stack, counts = [Activation(None, None)], defaultdict(int)
    ahead = itertools.chain((step[0] for step in run[1]), [None])
    next(ahead)
    for (addr, _, _), after in zip(run[0], ahead):
        kind, n, now = code.at(addr)[0], counts[addr], stack[-1]
        counts[addr] += 1
        if now.last is not None:
            edges.add((now.last, addr))
        now.last = addr
        yield addr, n, now
        if kind == CALL:
            now.behind.add(addr + 4)
            stack.append(Activation((addr, n), addr + 4))
        elif kind == RETURN and now.place == after:
            stack.pop()
            edges.add((addr, EXIT))
        elif kind == RETURN and len(stack) == 1:
            edges.add((addr, EXIT))
            now.last = None
            now.latest = {}
        elif kind == RETURN and any(after in a.behind for a in stack):
            while after not in stack[-1].behind:
                gone = stack.pop()
                edges.update(((gone.last, EXIT), (gone.caller[0], EXIT)))
    for now in stack:
        if now.last is not None:
            edges.add((now.last, EXIT))


def instances(code, trace, edges):
    if code.arm64:
        return linked_activations(code, (wet_data.lackey(trace), wet_data.lackey(trace)), edges)
    return activations(code, wet_data.lackey(trace), edges)


def close(code, executed, edges):
    """Add both outcomes of direct conditional branches, through code that was not executed."""
    todo, done = [a for a in executed if code.at(a)[0] == BRANCH], set()
    while todo:
        addr = todo.pop()
        if addr in done:
            continue
        done.add(addr)
        kind, after, target = code.at(addr)
        if kind in (END, RETURN):
            edges.add((addr, EXIT))
            continue
        for to in (target,) if kind == JUMP else (after, target) if kind == BRANCH else (after,):
            if code.function(to) != code.function(addr) or code.at(to) is None:
                edges.add((addr, EXIT))
                continue
            edges.add((addr, to))
            if to not in executed:
                todo.append(to)


def controllers(edges):
    """Return, for each node, the nodes that it is control dependent on."""
    out, into = defaultdict(set), defaultdict(set)
    for a, b in edges:
        out[a].add(b)
        into[b].add(a)
    reach, todo = {EXIT}, [EXIT]       # nodes from which EXIT can be reached
    while todo:
        for a in into[todo.pop()] - reach:
            reach.add(a)
            todo.append(a)
    # Blocks: a node belongs to the block of its only predecessor, if it is that one's only successor.
    head = {EXIT: EXIT}

    def head_of(n):
        way = []
        while n not in head:
            way.append(n)
            before = next(iter(into[n])) if len(into[n]) == 1 else None
            if before is None or len(out[before]) != 1 or before in way:
                head[n] = n
            else:
                n = before
        for w in way:
            head[w] = head[n]
        return head[n]

    for n in reach:
        head_of(n)
    last = {head[n]: n for n in reach if n != EXIT and not (len(out[n]) == 1 and head.get(next(iter(out[n]))) == head[n]
                                                            and next(iter(out[n])) != head[n])}
    blocks = sorted(last)
    number = {h: k + 1 for k, h in enumerate(blocks)}
    number[EXIT] = 0
    behind = {h: [head[s] for s in out[last[h]] if s in reach] for h in blocks}
    everything = (1 << (len(blocks) + 1)) - 1
    pdom = dict.fromkeys(blocks, everything)
    pdom[EXIT] = 1
    changed = True
    while changed:
        changed = False
        for h in reversed(blocks):
            new = everything
            for s in behind[h]:
                new &= pdom[s]
            new |= 1 << number[h]
            if new != pdom[h]:
                pdom[h], changed = new, True
    depends = defaultdict(set)         # by block
    for h in blocks:
        if len(out[last[h]]) < 2:
            continue
        strict = pdom[h] & ~(1 << number[h])
        for s in behind[h]:
            found = pdom[s] & ~strict & ~1
            while found:
                k = found.bit_length() - 1
                found ^= 1 << k
                depends[blocks[k - 1]].add(last[h])
    return {n: depends[head[n]] for n in reach if n != EXIT}


def main(argv):
    path, trace, dump = argv
    code, edges, executed, n = Code(path), set(), set(), 0
    for addr, _, _ in instances(code, trace, edges):
        executed.add(addr)
    close(code, executed, edges)
    depends = controllers(edges)
    branches = set().union(*depends.values())
    bad, decided = [], 0
    ours = (fields for fields, _ in wet_data.dumped(dump) if fields)
    for addr, instance, now in instances(code, trace, set()):
        fields = next(ours, None)
        if fields is None or (int(fields[1], 16), int(fields[2])) != (addr, instance):
            bad.append("instance %d: %s, Lackey is at %x#%d" % (n, fields and fields[1:3], addr, instance))
            break
        found = [now.latest[b] for b in depends.get(addr, ()) if b in now.latest]
        control = max(found)[1] if found else now.caller
        decided += bool(found)
        want = "0,%x#%d" % control if control else "0"
        if fields[3] != want:
            bad.append("%x#%d: control %s, expected %s" % (addr, instance, fields[3], want))
        if addr in branches:
            now.latest[addr] = (n, (addr, instance))
        n += 1
    for line in bad[:LIMIT]:
        print(line)
    print("%d instances, %d of them let run by a branch, %d instructions and %d that were not executed, %d differ"
          % (n, decided, len(executed), len(depends) - len(executed), len(bad)))
    return 1 if bad or not n else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
