#!/usr/bin/python3
"""A slow model of data and control dependences, from nothing but Lackey's trace of the identical run, the code in the
program's file, and Capstone.

    wet_model.py PROGRAM TRACE TEXT

PROGRAM is of a certain kind: static, not relocated, one thread, no signals.  Its system calls are write, of the whole
array `output`, and exit at the end.  A jump behind a load of the stack pointer leads back to the first activation.
TRACE is the output of Lackey's --trace-mem=yes with --vex-iropt-level=0 and --vex-guest-chase=no.  TEXT is the
comprehensive text of dcfg wet.  Each instruction's block is compared, line by line.  Exit status 0: no difference, 1:
some, which are printed.

- Data: a dictionary from each byte of a register or of memory to the instance that wrote it last.  Capstone's operands
  tell what an instruction reads and writes, with the corrections below.
- Control: the graph of what was executed within activations, with the static closure, and the control dependences that
  wet_control.py finds in it.  An instance depends on the latest instance, in its activation, of the branches that its
  instruction depends on.
"""
import os
import re
import sys
from collections import defaultdict

import capstone
from capstone import x86 as x86_const
from elftools.elf.elffile import ELFFile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from wet_control import BRANCH, END, EXIT, JUMP, PLAIN, RETURN, Activation, close, controllers

LIMIT = 20

# ---------------------------------------------------------------------------------------------------------------------
# Registers and flags
# ---------------------------------------------------------------------------------------------------------------------

GENERAL = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"]
PLACES = {}                            # by Capstone's name: class, number, first byte, size
for _n, _r in enumerate(GENERAL):
    PLACES["r" + _r], PLACES["e" + _r], PLACES[_r] = ("r", _n, 0, 8), ("r", _n, 0, 4), ("r", _n, 0, 2)
    PLACES[(_r[0] + "l") if _n < 4 else _r + "l"] = ("r", _n, 0, 1)
    if _n < 4:
        PLACES[_r[0] + "h"] = ("r", _n, 1, 1)
for _n in range(8, 16):
    for _suffix, _size in (("", 8), ("d", 4), ("w", 2), ("b", 1)):
        PLACES["r%d%s" % (_n, _suffix)] = ("r", _n, 0, _size)
for _n in range(16):
    PLACES["xmm%d" % _n] = ("v", _n, 0, 16)

CONDITIONS = {"o": "F", "no": "F", "b": "C", "ae": "C", "e": "F", "ne": "F", "be": "CF", "a": "CF", "s": "F", "ns": "F",
              "p": "F", "np": "F", "l": "F", "ge": "F", "le": "F", "g": "F"}
DEFINES_ALL = {"add", "sub", "cmp", "neg", "and", "or", "xor", "test", "imul", "mul", "adc", "sbb", "shl", "shr", "sar",
               "sal", "comisd", "ucomisd", "comiss", "ucomiss"}
SAME_IS_NOTHING = {"xor", "sub", "pxor", "xorps", "xorpd", "psubd", "psubb", "psubw", "psubq", "pcmpeqb", "pcmpeqw",
                   "pcmpeqd"}
STRING = ("movs", "stos", "lods", "scas", "cmps")


def condition(op, prefix):
    return op.startswith(prefix) and CONDITIONS.get(op[len(prefix):])


class Instruction:
    """An instruction, by itself.  .ports: ("general", number), ("flags",), ("vector", number), each with its bytes;
    loads follow."""

    def __init__(self, i, bits):
        self.addr, self.size = i.address, i.size
        sp, bp, word = ("rsp", "rbp", 8) if bits == 64 else ("esp", "ebp", 4)
        op = i.mnemonic.split()[-1]
        self.op = op
        reads, writes = i.regs_access()
        uses = {PLACES[n] for n in map(i.reg_name, reads) if n in PLACES}
        defs = {PLACES[n] for n in map(i.reg_name, writes) if n in PLACES}
        flags, sets = self.flags(i, op)
        regs = [o.reg for o in i.operands if o.type == x86_const.X86_OP_REG]
        if op in ("shl", "shr", "sar", "sal") and x86_const.X86_REG_CL in regs[-1:]:
            flags, sets = flags | sets, sets       # a count of 0 keeps them
        alike = len(i.operands) == 2 and len(regs) == 2 and regs[0] == regs[1]
        if op == "int":
            uses = {("r", n, 0, 4) for n in (0, 1, 2, 3, 5, 6, 7)}
            defs = {("r", 0, 0, 4)}
        elif op == "syscall":
            uses = {("r", n, 0, 8) for n in (0, 2, 6, 7, 8, 9, 10)}
            defs = {("r", n, 0, 8) for n in (0, 1, 11)}
        elif op in ("nop", "endbr64", "endbr32"):
            uses = defs = set()
        elif alike and op in SAME_IS_NOTHING or alike and op == "sbb":
            uses = set()
        elif condition(op, "cmov"):
            uses.add(PLACES[i.reg_name(regs[0])])
        elif condition(op, "set") and regs:
            uses -= {PLACES[i.reg_name(regs[0])]}
        elif op in ("push", "call", "ret", "pop"):
            uses.add(PLACES[sp])
            defs.add(PLACES[sp])
        elif op in ("cmp", "test"):
            defs = set()
        elif op in ("cqo", "cdq"):
            defs = {PLACES["rdx" if op == "cqo" else "edx"]}
        elif op == "leave":
            uses, defs = {PLACES[bp]}, {PLACES[bp], PLACES[sp]}
        elif op == "xchg" and regs:
            uses |= {PLACES[i.reg_name(r)] for r in regs}
            defs |= {PLACES[i.reg_name(r)] for r in regs}
        if any(op.startswith(s) for s in STRING) and "xmm" not in i.op_str and op != "movsx" and op != "movsxd":
            flags = flags | {"D"}
            if "rep" in i.mnemonic or i.prefix[0] in (0xf2, 0xf3):
                uses.add(("r", 1, 0, word))
                defs.add(("r", 1, 0, word))
            if op.startswith("stos"):
                defs -= {("r", 0, 0, word)}
        if op == "movd" and regs and i.reg_name(regs[0]).startswith("xmm"):
            uses -= {PLACES[i.reg_name(regs[0])]}
        self.ports = []
        for kind, name in (("r", "general"), ("f", "flags"), ("v", "vector")):
            if kind == "f":
                if flags:
                    self.ports.append((name, sorted((kind, "CFD".index(f), 0) for f in flags)))
                continue
            for number in sorted({u[1] for u in uses if u[0] == kind}):
                found = {(kind, number, b) for c, n, first, size in uses if (c, n) == (kind, number)
                         for b in range(first, first + size)}
                self.ports.append((name, sorted(found)))
        self.defs = {(c, n, b) for c, n, first, size in defs
                     for b in range(first, first + (word if c == "r" and size == 4 else size))}
        self.defs |= {("f", "CFD".index(f), 0) for f in sets}
        self.kind(i, op)

    @staticmethod
    def flags(i, op):
        """Find its uses and definitions of C, F (the other flags) and D."""
        for prefix in ("j", "set", "cmov"):
            if condition(op, prefix):
                return set(condition(op, prefix)), set()
        if op in ("adc", "sbb"):
            return {"C"}, {"C", "F"}
        if op in ("rol", "ror"):
            return {"F"}, {"C", "F"}
        if op in ("inc", "dec"):
            return set(), {"F"}
        if op in ("cld", "std"):
            return set(), {"D"}
        if op.startswith("scas") or op.startswith("cmps"):
            return set(), {"C", "F"}
        return set(), {"C", "F"} if op in DEFINES_ALL else set()

    def kind(self, i, op):
        direct = i.operands and i.operands[0].type == x86_const.X86_OP_IMM
        self.next = i.address + i.size
        self.target = i.operands[0].imm if direct else None
        memory = any(o.type == x86_const.X86_OP_MEM for o in i.operands)
        # The last iteration only sees that it is the last, and defines nothing.
        self.repeats = op.startswith(STRING) and i.prefix[0] in (0xf2, 0xf3) and memory
        self.rep_loads = op.startswith("movs") and i.prefix[0] == 0xf3 and memory
        self.call, self.ret, self.syscall = op == "call", op == "ret", op in ("syscall", "int")
        self.jump = op == "jmp"
        self.to_stack = op == "mov" and re.match("[re]sp, [dq]word ptr", i.op_str)
        self.branch = op.startswith("j") and not self.jump or op.startswith("loop")
        self.n_ports = None


class Program:
    def __init__(self, path):
        with open(path, "rb") as f:
            elf = ELFFile(f)
            self.parts = [(s["p_vaddr"], s.data()) for s in elf.iter_segments() if s["p_type"] == "PT_LOAD"]
            symbols = elf.get_section_by_name(".symtab")
            self.functions = sorted({(s["st_value"], s["st_size"]) for s in symbols.iter_symbols()
                                     if s["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE") and s["st_shndx"] != "SHN_UNDEF"
                                     and s["st_size"] > 0})
            output = symbols.get_symbol_by_name("output")
            self.output = (output[0]["st_value"], output[0]["st_size"]) if output else (0, 0)
        self.bits = elf.elfclass
        mode = capstone.CS_MODE_64 if self.bits == 64 else capstone.CS_MODE_32
        self.md = capstone.Cs(capstone.CS_ARCH_X86, mode)
        self.md.detail = True
        self.known = {}

    def instruction(self, addr):
        """Return the instruction; None if it cannot be decoded."""
        if addr not in self.known:
            found = None
            for at, data in self.parts:
                if at <= addr < at + len(data):
                    for i in self.md.disasm(data[addr - at:addr - at + 16], addr, 1):
                        found = Instruction(i, self.bits)
            self.known[addr] = found
        return self.known[addr]

    def at(self, addr):
        """Return (kind, next address, target or None), for wet_control.py."""
        i = self.instruction(addr)
        if i is None:
            return None
        kind = RETURN if i.ret else END if i.jump and i.target is None else JUMP if i.jump else BRANCH if i.branch else PLAIN
        return kind, i.next, i.target

    def function(self, addr):
        for at, size in self.functions:
            if at <= addr < at + size:
                return at
        return None


# ---------------------------------------------------------------------------------------------------------------------
# The run
# ---------------------------------------------------------------------------------------------------------------------

def read_trace(path):
    """Return each instance in order: its address, and its loads and stores, ("L" or "S", address, size)."""
    run = []
    with open(path) as f:
        for line in f:
            m = re.match(r"(I | L| S| M)\s+([0-9a-f]+),(\d+)$", line.rstrip())
            if not m:
                continue
            what, addr, size = m.group(1).strip(), int(m.group(2), 16), int(m.group(3))
            if what == "I":
                run.append((addr, []))
            else:
                run[-1][1].extend((w, addr, size) for w in ("LS" if what == "M" else what))
    return run


def walk(program, run):
    """Return each instance with its number and activation; and the edges within activations."""
    counts, steps, edges = defaultdict(int), [], set()
    stack = [Activation(None, None)]
    stack_set = False
    for addr, accesses in run:
        i, n = program.instruction(addr), counts[addr]
        counts[addr] += 1
        now = stack[-1]
        if now.last is not None:
            edges.add((now.last, addr))
        now.last = addr
        steps.append((addr, n, accesses, now))
        if i.call:
            stack.append(Activation((addr, n), [a for w, a, _ in accesses if w == "S"][-1]))
        elif i.jump and i.target is None and stack_set:
            # Back to the first activation: the others do not return, nor do their calls.
            while len(stack) > 1:
                edges |= {(stack[-1].last, EXIT), (stack[-1].caller[0], EXIT)}
                stack.pop()
        elif i.ret:
            place = [a for w, a, _ in accesses if w == "L"][-1]
            if len(stack) > 1 and stack[-1].place == place:
                stack.pop()
                edges.add((addr, EXIT))
        stack_set = i.to_stack or stack_set and not i.jump
    for activation in stack:
        edges.add((activation.last, EXIT))
    return steps, edges


def model(program, run):
    """Return {address: for each port {instance: [(address, instance)...]}}."""
    steps, edges = walk(program, run)
    executed = {s[0] for s in steps}
    close(program, executed, edges)
    depends = controllers(edges)
    writer, ports = {}, defaultdict(lambda: defaultdict(dict))

    def distinct(locations):
        found = []
        for loc in locations:
            w = writer.get(loc)
            if w and w not in found:
                found.append(w)
        return found

    for when, (addr, n, accesses, activation) in enumerate(steps):
        i = program.instruction(addr)
        candidates = [activation.latest[b] for b in depends.get(addr, ()) if b in activation.latest]
        control = max(candidates)[1] if candidates else activation.caller
        found = [[control] if control else []]
        found += [distinct(bytes_) for _, bytes_ in i.ports]
        for what, at, size in accesses:
            if what == "L":
                found.append(distinct(("m", b) for b in range(at, at + size)))
        if i.rep_loads and not accesses:
            found.append([])           # the last one
        if i.syscall:
            at, size = program.output if when + 1 < len(steps) else (0, 0)
            found.append(distinct(("m", b) for b in range(at, at + size)))
        for k, f in enumerate(found):
            ports[addr][k][n] = f
        me = (addr, n)
        for loc in i.defs if accesses or not i.repeats else ():
            writer[loc] = me
        for what, at, size in accesses:
            if what == "S":
                writer.update((("m", b), me) for b in range(at, at + size))
        activation.latest[addr] = (when, me)
    return ports


# ---------------------------------------------------------------------------------------------------------------------
# The text
# ---------------------------------------------------------------------------------------------------------------------

def read_text(path):
    """Return the text's data in the form of model(), with the function's name and line."""
    with open(path) as f:
        lines = f.read().split("\n")
    assert lines.pop() == ""
    at, blocks, where = 1, {}, {}
    while at < len(lines):
        number, n_ports, addr, _, _, _ = lines[at].split(" ")
        at += 1
        where[int(number)] = int(addr, 16)
        ports = []
        for _ in range(int(n_ports)):
            size = int(re.fullmatch(r"SIZE (\d+)", lines[at]).group(1))
            rows = [re.fullmatch(r"    (\d+):(\d+) (\d+)", row).groups() for row in lines[at + 1:at + 1 + size]]
            at += 1 + size
            ports.append([tuple(map(int, row)) for row in rows])
        if lines[at] == "NO VALUES":
            at += 1
        else:
            size = int(re.fullmatch(r"VALUES (\d+)", lines[at]).group(1))
            assert all(re.fullmatch(r"    \d+:[0-9a-f]+", row) for row in lines[at + 1:at + 1 + size])
            at += 1 + size
        blocks[int(number)] = ports
    assert int(lines[0]) == len(blocks)
    return {where[n]: [[(x, where[y], z) for x, y, z in port] for port in ports] for n, ports in blocks.items()}


def compare(program, expected, have):
    """Return the differences, as lines."""
    bad = ["%x is missing" % a for a in expected.keys() - have.keys()]
    bad += ["%x was not executed" % a for a in have.keys() - expected.keys()]
    for addr in sorted(expected.keys() & have.keys()):
        ports = expected[addr]
        if len(ports) != len(have[addr]):
            bad.append("%x %s: %d ports, expected %d: %s" % (addr, program.instruction(addr).op, len(have[addr]),
                                                             len(ports), program.instruction(addr).ports))
            continue
        for k in range(len(ports)):
            rows = [(x, a, z) for x in sorted(ports[k]) for a, z in ports[k][x]]
            if rows != have[addr][k]:
                one = sorted(set(rows) ^ set(have[addr][k]))[:3]
                bad.append("%x %s port %d: %d rows, expected %d; first different: %s" % (
                    addr, program.instruction(addr).op, k, len(have[addr][k]), len(rows), ", ".join("%d:%x %d %s" % (*o, "missing" if o in rows else "too much") for o in one)))

    return bad


def main(argv):
    program = Program(argv[1])
    run = read_trace(argv[2])
    bad = compare(program, model(program, run), read_text(argv[3]))
    for line in bad[:LIMIT]:
        print(line)
    if len(bad) > LIMIT:
        print("and %d more" % (len(bad) - LIMIT))
    print("%d instances, %d differences" % (len(run), len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
