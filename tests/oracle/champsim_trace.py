#!/usr/bin/python3
"""Checks a trace for ChampSim, by ChampSim's own rules and by what others say of the run.

    champsim_trace.py kinds TRACE WET GRAPH THREAD [HANDLER SIGRETURN]
    champsim_trace.py exact TRACE PROGRAM LACKEY'S-TRACE
    champsim_trace.py steps TRACE PROGRAM STEPS

kinds: guesses each branch's kind from the registers as ChampSim does (guess()).  The kinds must be those that the whole
execution trace WET has for the instructions.  Whether a branch was taken must agree with the next instruction, and how
many of each kind were taken, with the edges of THREAD in the DCFG of the same run.  Prints how many branches of each kind
there are, and how many accesses.  HANDLER is the address of a signal's handler, SIGRETURN of the system call that ends
it: the instruction behind that follows the interrupted one.  The DCFG does not count an interrupted branch.

exact: decodes the instructions itself, with Capstone from the file PROGRAM, which is linked to a fixed place, and reads
which of them ran and what they accessed in LACKEY'S-TRACE of the same run.  The record of each instruction must have
this address, the registers as whole registers, the accesses, and say of a branch whether it was taken.  Capstone's
errors, which are not the same in each release, are those that wet_capstone.py corrects.

steps: the addresses of the records in the section `work` of PROGRAM, which is linked to a fixed place, must be those in
STEPS, by single_steps.c.  Prints how many there are, and the most executions of one instruction in a row.

A trace may be compressed by xz.  Exit status 1 if anything differs.
"""
import collections
import json
import lzma
import os
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wet_summary

RECORD = struct.Struct("<Q2B2s4s2Q4Q")
STACK, FLAGS, POINTER, VECTORS, X87, OTHER = 6, 25, 26, 100, 140, 255
GENERAL = {"rdi": 3, "rsi": 4, "rbp": 5, "rsp": 6, "rbx": 7, "rdx": 8, "rcx": 9, "rax": 10,
           **{"r%d" % n: 3 + n for n in range(8, 16)}}
# The kinds of a whole execution trace, by number, as ChampSim has them.
KINDS = (None, "conditional", "jump", "indirect", "call", "indirect call", "return", None, None)
LIMIT = 20


def records(path):
    """The ip, whether it is a branch and was taken, destinations, sources, addresses written, addresses read."""
    with open(path, "rb") as f:
        packed = f.read(6) == b"\xfd7zXZ\0"
    with (lzma.open if packed else open)(path, "rb") as f:
        while block := f.read(RECORD.size * 4096):
            if len(block) % RECORD.size:
                raise ValueError("%s: it ends within a record" % path)
            for ip, is_branch, taken, dst, src, d0, d1, s0, s1, s2, s3 in RECORD.iter_unpack(block):
                yield ip, is_branch, taken, dst, src, (d0, d1), (s0, s1, s2, s3)


def guess(dst, src):
    """The kind of branch that ChampSim takes an instruction for; None: no branch.  0 is no register."""
    stack, flags, pointer = (r in src for r in (STACK, FLAGS, POINTER))
    others = bool(set(src) - {0, STACK, FLAGS, POINTER})
    if POINTER not in dst:
        return None
    if not stack and not flags and not others:
        return "jump"
    if not stack and not flags and not pointer:
        return "indirect"
    if not stack and pointer and STACK not in dst:
        return "conditional"
    if stack and STACK in dst:
        if not pointer:
            return "return"
        if not flags:
            return "indirect call" if others else "call"
    return "other"


# ---------------------------------------------------------------------------------------------------------------------
# kinds
# ---------------------------------------------------------------------------------------------------------------------

# Edges of the DCFG that take a branch.
EDGES = {"DIRECT_CONDITIONAL_BRANCH": "conditional", "DIRECT_UNCONDITIONAL_BRANCH": "jump", "DIRECT_CALL": "call",
         "INDIRECT_UNCONDITIONAL_BRANCH": "indirect", "INDIRECT_CALL": "indirect call", "RETURN": "return"}


def taken_edges(graph, thread):
    """How many branches of each kind THREAD took."""
    with open(graph) as f:
        d = json.load(f)
    names, sums = {r[0]: r[1] for r in d["EDGE_TYPES"][1:]}, collections.Counter()
    for _, _, _, kind, counts in d["PROCESSES"][1][1]["EDGES"][1:]:
        if names[kind] in EDGES and thread < len(counts):
            sums[EDGES[names[kind]]] += counts[thread]
    return +sums


def kinds(trace, wet, graph, thread, handler="-1", sigreturn="-1"):
    known = {}                          # an address may have had several instructions, one after the other
    for addr, code, kind, *_ in wet_summary.rows(wet):
        known.setdefault(addr, set()).add((KINDS[kind], len(code)))
    alike, last, loads, stores, n, interrupted = collections.Counter(), None, 0, 0, 0, []
    handler, sigreturn, signals = int(handler, 16), int(sigreturn, 16), 0
    for ip, is_branch, taken, dst, src, writes, reads in records(trace):
        if last and last[0] == sigreturn:
            last = interrupted.pop()
        if ip == handler:
            interrupted.append(last)
            signals += 1
        elif last:
            alike[last + (ip,)] += 1
        last = (ip, is_branch, taken, dst, src)
        n += 1
        loads += 4 - reads.count(0)
        stores += 2 - writes.count(0)
    if last:
        alike[last + (None,)] += 1
    bad, sums, went = [], collections.Counter(), collections.Counter()
    for (ip, is_branch, taken, dst, src, after), count in alike.items():
        kind = guess(dst, src)
        sums[kind or "none"] += count
        went[kind] += count * taken
        sizes = {size for k, size in known.get(ip, ()) if k == kind}
        if not sizes or is_branch != (kind is not None):
            bad.append("%#x: ChampSim takes it for %s" % (ip, kind))
        if kind not in ("conditional", None) and not taken:
            bad.append("%#x: %s, not taken" % (ip, kind))
        if taken if kind is None else kind == "conditional" and after and taken == any(after == ip + n for n in sizes):
            bad.append("%#x: %s, taken %d, to %#x" % (ip, kind, taken, after or 0))
    edges, less = taken_edges(graph, int(thread)), sum(went[k] for k in EDGES.values()) - sum(taken_edges(graph, int(thread)).values())
    if +went != edges and not (0 <= less <= signals and all(went[k] >= edges[k] for k in EDGES.values())):
        bad.append("taken: %s; in the DCFG %s; %d signals" % (dict(+went), dict(edges), signals))
    print("%d instructions, %d loads, %d stores, %d signals" % (n, loads, stores, signals))
    print(", ".join("%s %d" % x for x in sorted(sums.items())))
    return bad


# ---------------------------------------------------------------------------------------------------------------------
# exact
# ---------------------------------------------------------------------------------------------------------------------

def code_of(program):
    """Pieces of code of an ELF file for a fixed place: address, bytes."""
    with open(program, "rb") as f:
        elf = f.read()
    at, size, n = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    for k in range(n):
        kind, flags, offset, addr, _, there, _, _ = struct.unpack_from("<IIQQQQQQ", elf, at + k * size)
        if kind == 1 and flags & 1:
            yield addr, elf[offset:offset + there]


def lackey(path):
    """The instructions that ran: address, addresses read, addresses written.  An instruction that repeats itself is an
    instruction for each iteration; Valgrind's last visit, without accesses, is none."""
    last = None
    for now in visits(path):
        if last is None or now[0] != last[0] or now[1] or now[2] or not (last[1] or last[2]):
            yield now
        last = now


def visits(path):
    now = None
    with open(path) as f:
        for line in f:
            if line[0] == "I":
                if now:
                    yield now
                now = (int(line[3:].split(",")[0], 16), [], [])
            elif now and line[:1] == " " and line[1] in "LSM":
                at = int(line[3:].split(",")[0], 16)
                for many in ([now[1]] if line[1] == "L" else [now[2]] if line[1] == "S" else [now[1], now[2]]):
                    if at not in many:
                        many.append(at)
    if now:
        yield now


class Decoder:
    """Reads from Capstone the registers and the kind that a record should have."""

    def __init__(self, program):
        import capstone
        import wet_capstone
        self.x86, self.wet, self.known = capstone.x86, wet_capstone, {}
        self.md, self.code = wet_capstone.disassembler(wet_summary.X86_64), list(code_of(program))

    def at(self, addr):
        if addr not in self.known:
            code = next((c[addr - a:addr - a + 16] for a, c in self.code if a <= addr < a + len(c)), b"")
            i = next(self.md.disasm(code, addr, 1), None)
            self.known[addr] = i and (i,) + self.registers(i)
        return self.known[addr]

    def number(self, loc):
        if loc < wet_summary.CARRY:
            return GENERAL[wet_summary.GENERAL[loc // 8]]
        if loc in (wet_summary.CARRY, wet_summary.FLAGS, wet_summary.DIRECTION):
            return FLAGS
        return VECTORS + (loc - wet_summary.VECTOR) // 32 if wet_summary.VECTOR <= loc < wet_summary.PHYSICAL else X87

    def registers(self, i):
        """Lists of sources and destinations that a record may have of I, as Capstone has them and as wet_capstone.py corrects
        them; registers that may be among the sources, or the destinations; kind; target."""
        lists, locs = [], self.wet.by_capstone(i, wet_summary.X86_64)
        for correct in (False, True):
            for mnemonics, _, function in self.wet.CLASSES if correct else ():
                if mnemonics.fullmatch(i.mnemonic):
                    function(i, *locs)
            lists.append([{self.number(x) for x in some} for some in locs])
        stack = {X87, FLAGS} if self.x86.X86_GRP_FPU in i.groups else set()
        lanes = set()
        if self.wet.LANES.fullmatch(i.mnemonic):
            lanes = {r for r in lists[1][0] | lists[1][1] if VECTORS <= r < X87}
        if i.mnemonic == "tzcnt":       # BSF to a processor without BMI
            lanes = lists[1][1]
        loose = stack | lanes, stack | {self.number(x) for x in self.wet.undefined.flag_locations(i)}
        kind, direct = self.kind(i)
        lists = [self.of_branch(kind, *some) for some in lists] if kind else lists
        if kind is None and any(o.type == self.x86.X86_OP_MEM and o.mem.base in (self.x86.X86_REG_RIP, self.x86.X86_REG_EIP)
                                for o in i.operands) and i.mnemonic != "nop":
            for some in lists:
                some[0].add(POINTER)
        return lists, loose, kind, i.operands[0].imm if direct else None

    def kind(self, i):
        """The kind of branch, and whether its target is in the code."""
        plain = i.mnemonic.split()[-1]
        direct = bool(i.operands) and i.operands[0].type == self.x86.X86_OP_IMM
        if plain in ("jmp", "call"):
            return {"jmp": ("indirect", "jump"), "call": ("indirect call", "call")}[plain][direct], direct
        if plain.startswith("ret"):
            return "return", False
        return ("conditional", True) if plain.startswith("loop") or plain[0] == "j" else (None, False)

    @staticmethod
    def of_branch(kind, src, dst):
        """The registers by which ChampSim tells the kind."""
        target = (src - {STACK, FLAGS}) or {OTHER}
        return {"jump": ({POINTER}, {POINTER}),
                "indirect": (target, {POINTER}),
                "call": ({STACK, POINTER}, {STACK, POINTER}),
                "indirect call": ({STACK, POINTER} | target, {STACK, POINTER}),
                "return": ({STACK}, {STACK, POINTER}),
                "conditional": (src - {STACK} | {POINTER}, dst | {POINTER})}[kind]


def same_registers(have, want, loose, room):
    """The flags are left out first, if there is no room."""
    have = {r for r in have if r}
    if have - loose == want - loose:
        return True
    return len(want | loose) > room and len(have) == room and have < want | loose and FLAGS not in have


def is_bit_of_register(i):
    """BT and its like of registers: VEX passes the registers through memory, which the program does not access."""
    return i.mnemonic.split()[-1] in ("bt", "bts", "btr", "btc") and "[" not in i.op_str


def exact(trace, program, path):
    decoder, bad, n, registers, addresses, faults, unknown = Decoder(program), [], 0, 0, 0, 0, 0
    ours, theirs = records(trace), lackey(path)
    record, started = next(ours, None), False
    for addr, reads, writes in theirs:
        if record is not None and record[0] != addr and started:
            faults, started = faults + 1, False          # Lackey tells an instruction that does not come to its end
            continue
        started = True
        if record is None:
            return bad + ["the trace ends before Lackey's, at %#x" % addr]
        after = next(ours, None)
        ip, is_branch, taken, dst, src, stores, loads = record
        n += 1
        decoded = decoder.at(ip)
        if ip != addr:
            return bad + ["instruction %d is at %#x, Lackey's at %#x" % (n, ip, addr)]
        record = after
        if not decoded:
            unknown += 1
            continue
        i, lists, loose, kind, target = decoded
        if is_bit_of_register(i):
            reads, writes = [], []
        falls = ip + i.size
        want_taken = kind is not None and (kind != "conditional" or after is not None and after[0] != falls)
        there = [[a for a in x if a] for x in (loads, stores)]
        wrong = []
        if guess(dst, src) != kind or is_branch != (kind is not None):
            wrong.append("ChampSim takes it for %s, it is %s" % (guess(dst, src), kind))
        if taken != want_taken and (kind != "conditional" or after is not None and target != falls):
            wrong.append("taken %d" % taken)
        if want_taken and target is not None and after is not None and after[0] != target:
            wrong.append("the next instruction is at %#x, not %#x" % (after[0], target))
        if not any(same_registers(src, some[0], loose[0], 4) and same_registers(dst, some[1], loose[1], 2)
                   for some in lists):
            wrong.append("sources %s and destinations %s, not %s" % (sorted(src), sorted(dst), lists[-1]))
        registers += sum(max(len(some - may) - room, 0) for some, may, room in zip(lists[-1], loose, (4, 2)))
        for what, have, want, room in (("reads", there[0], reads, 4), ("writes", there[1], writes, 2)):
            addresses += max(len(want) - room, 0)
            if set(have) != set(want) and not (len(want) > room and len(set(have)) == room and set(have) < set(want)):
                wrong.append("%s %s, not %s" % (what, [hex(x) for x in have], [hex(x) for x in want]))
        bad += ["%#x %s %s: %s" % (ip, i.mnemonic, i.op_str, x) for x in wrong]
    if record is not None:
        bad.append("the trace goes on behind Lackey's")
    print("%d instructions at %d places, %d unknown to Capstone, %d faults; without a place: %d registers, %d addresses"
          % (n, len(decoder.known), unknown, faults, registers, addresses))
    return bad


# ---------------------------------------------------------------------------------------------------------------------
# steps
# ---------------------------------------------------------------------------------------------------------------------

def section(program, name):
    """The first address of a section of an ELF file, and the one behind it."""
    with open(program, "rb") as f:
        elf = f.read()
    wide = elf[4] == 2
    at, = struct.unpack_from("<Q" if wide else "<I", elf, 40 if wide else 32)
    size, n, names = struct.unpack_from("<HHH", elf, 58 if wide else 46)
    rows = [struct.unpack_from("<IIQQQQ" if wide else "<IIIIII", elf, at + k * size) for k in range(n)]
    for row in rows:
        text = elf[rows[names][4] + row[0]:]
        if text[:text.index(b"\0")].decode() == name:
            return row[3], row[3] + row[5]
    raise ValueError("%s has no section %s" % (program, name))


def steps(trace, program, path):
    first, end = section(program, "work")
    with open(path, "rb") as f:
        theirs = [x for x, in struct.iter_unpack("<Q", f.read()) if first <= x < end]
    ours, most, run = [r[0] for r in records(trace) if first <= r[0] < end], 0, 0
    for i, ip in enumerate(ours):
        run = run + 1 if i and ours[i - 1] == ip else 1
        most = max(most, run)
    print("%d instructions, at most %d times one in a row" % (len(ours), most))
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return ["instruction %d is at %#x, the processor's at %#x" % (i, a, b)]
    return [] if len(ours) == len(theirs) else ["%d instructions, the processor executed %d" % (len(ours), len(theirs))]


def main(argv):
    bad = {"kinds": kinds, "exact": exact, "steps": steps}[argv[0]](*argv[1:])
    for line in list(dict.fromkeys(bad))[:LIMIT]:
        print(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
