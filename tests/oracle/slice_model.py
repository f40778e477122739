"""A slow model of slices: it has all dependences of a trace in memory, as tests/oracle/slice_events.c prints them.

Addresses are found from Capstone's operands, not as cmd/machine/ finds them: a register that a memory operand names,
unless the instruction also reads it by itself.

slice_model.py EVENTS ASKED: a line of ASKED is ADDRESS INSTANCE MODE FILE, FILE is what dcfg slice --json says of that
criterion.  For each, it prints the number of nodes, the question, and how FILE differs from the model."""
import collections
import json

import capstone
from capstone import x86

CONTROL, GENERAL, FLAGS, VECTOR, X87, MEMORY = range(6)
PORTS = {CONTROL: "control", FLAGS: "flags", X87: "x87", MEMORY: "memory"}
NAMES = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
STACK = {"push", "pop", "call", "ret", "leave", "pushfq", "popfq", "enter"}
STRING = ("movs", "stos", "lods", "cmps", "scas")


def port_name(kind, reg):
    if kind == GENERAL:
        return NAMES[reg]
    return "ymm%d" % reg if kind == VECTOR else PORTS[kind]


class Trace:
    """Instructions, and instances in their order."""

    def __init__(self, lines):
        self.instrs, self.events = {}, []
        at, kinds = {}, {}              # the event INSTRUCTION#INSTANCE; what KIND.REGISTER is
        decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        decoder.detail = True
        for line in lines:
            words = line.split()
            if words[0] == "I":
                insn = next(decoder.disasm(bytes.fromhex(words[5]), int(words[2], 16)), None)
                self.instrs[int(words[1])] = (int(words[2], 16), int(words[3]), int(words[4]), addresses(insn))
                continue
            ports = []
            for word in words[4:]:
                port, _, on = word.partition("=")
                if port not in kinds:
                    kinds[port] = tuple(map(int, port.split(".")))
                ports.append((*kinds[port], [at[d] for d in on.split(",")] if on else []))
            at["%s#%s" % (words[1], words[2])] = len(self.events)
            self.events.append((int(words[1]), int(words[2]), ports))

    def name(self, event):
        instr, instance, _ = self.events[event]
        return "0x%x" % self.instrs[instr][0], instance


def family(insn, reg):
    """The general register that REG is a part of."""
    name = insn.reg_name(reg) or ""
    for i, full in enumerate(NAMES):
        short = full[1:]
        if name in (full, "e" + short, short, short[0] + "l", short[0] + "h", short + "l", full + "d", full + "w", full + "b"):
            if i < 4 or i >= 8 or name[-1] != "h":
                return i
    return None


def addresses(insn):
    """Return the registers that are only addresses."""
    if insn is None or insn.mnemonic in ("lea", "nop") or insn.mnemonic.startswith("nop"):
        return set()
    where, what = set(), set()
    for op in insn.operands:
        if op.type == x86.X86_OP_MEM:
            where |= {family(insn, op.mem.base), family(insn, op.mem.index)}
        elif op.type == x86.X86_OP_REG and op.access & capstone.CS_AC_READ:
            what.add(family(insn, op.reg))
    plain = insn.mnemonic.split(" ")[-1]
    implicit = {family(insn, r) for r in insn.regs_read}
    if plain in STACK:
        where.add(4)
        implicit.discard(4)
        if plain == "leave":
            where.add(5)
            implicit = set()
    elif plain.startswith(STRING) and not any(op.type == x86.X86_OP_REG and "mm" in insn.reg_name(op.reg) for op in insn.operands):
        implicit -= where
    return where - what - implicit - {None}


def follows(trace, mode, program, instr, kind, reg):
    """Return whether that port is followed."""
    if mode == "full":
        return True
    if kind == CONTROL:
        return mode != "thin" and instr in program
    where = trace.instrs[instr][3]
    return kind != GENERAL or reg not in (where if mode == "thin" else where & {4})


def program_of(trace, instr):
    """The instructions of the criterion's program."""
    _, image, line, _ = trace.instrs[instr]
    return {i for i, (_, of, at, _) in trace.instrs.items() if of == image and (at or not line)}


def result_branches(trace, program):
    """Return, for instances of other code, the distance from the value that the program left in RAX."""
    hops = {}
    for e, (instr, _, ports) in enumerate(trace.events):
        if instr in program:
            continue
        least = 9
        for kind, reg, on in ports:
            if kind not in (FLAGS, GENERAL) or (kind == GENERAL and reg in trace.instrs[instr][3] & {4}):
                continue
            for w in on:
                if trace.events[w][0] in program:
                    least = 1 if (kind, reg) == (GENERAL, 0) else least
                else:
                    least = min(least, hops.get(w, 9) + 1)
        if least <= 4:
            hops[e] = least
    return hops


def backward(trace, root, mode):
    """{event: (distance, [(port, event, "nobody" or "not")])}"""
    program = program_of(trace, trace.events[root][0])
    hops = result_branches(trace, program) if mode == "default" else {}
    full, weak, todo = {root}, {}, [(root, None)]
    edges = collections.defaultdict(list)
    while todo:
        e, depth = todo.pop()
        instr, _, ports = trace.events[e]
        if depth is None:
            edges[e] = []
            for kind, reg, on in ports:
                if not follows(trace, mode, program, instr, kind, reg):
                    kept = [w for w in on if kind == CONTROL and trace.events[w][0] not in program and hops.get(w, 9) <= 4]
                    edges[e] += [(kind, reg, w) for w in kept] or [(kind, reg, "not")]
                    for w in kept:
                        if w not in full and weak.get(w, 9) > 0:
                            weak[w] = 0
                            todo.append((w, 0))
                    continue
                edges[e] += [(kind, reg, w) for w in on] or [(kind, reg, "nobody")]
                for w in on:
                    if w not in full:
                        full.add(w)
                        todo.append((w, None))
            continue
        if e in full:
            continue
        edges[e] = []
        for kind, reg, on in ports:
            kept = []
            if kind == FLAGS or (kind == GENERAL and depth > 0 and reg not in trace.instrs[instr][3] & {4}):
                for w in on:
                    if trace.events[w][0] in program:
                        if (kind, reg) == (GENERAL, 0):
                            kept.append(w)
                            if w not in full:
                                full.add(w)
                                todo.append((w, None))
                    elif depth + 1 + hops.get(w, 9) <= 4:
                        kept.append(w)
                        if w not in full and weak.get(w, 9) > depth + 1:
                            weak[w] = depth + 1
                            todo.append((w, depth + 1))
            edges[e] += [(kind, reg, w) for w in kept] or [(kind, reg, "not")]
    return with_distances({e: v for e, v in edges.items() if e in full or e in weak}, [root])


def with_distances(edges, roots):
    distance = {r: 0 for r in roots}
    ring = collections.deque(roots)
    while ring:
        e = ring.popleft()
        for _, _, w in edges[e]:
            if isinstance(w, int) and w not in distance:
                distance[w] = distance[e] + 1
                ring.append(w)
    return {e: (distance[e], edges[e]) for e in distance}


def forward(trace, root, mode):
    program = program_of(trace, trace.events[root][0])
    nodes = {root: (0, [])}
    for e in range(root + 1, len(trace.events)):
        instr, _, ports = trace.events[e]
        edges = [(kind, reg, w) for kind, reg, on in ports for w in on
                 if w in nodes and follows(trace, mode, program, instr, kind, reg)]
        if edges:
            nodes[e] = (1 + min(nodes[w][0] for _, _, w in edges), edges)
    return nodes


def compare(trace, nodes, found):
    """Differences between the model's NODES and those of dcfg slice --json."""
    bad = []
    want = {trace.name(e): (distance, [(port_name(kind, reg), trace.name(w) if isinstance(w, int) else w) for kind, reg, w in edges])
            for e, (distance, edges) in nodes.items()}
    have = {}
    for n in found["nodes"]:
        edges = []
        for i in n["inputs"]:
            to = found["nodes"][i["node"]] if "node" in i else None
            edges.append((i["port"], (to["address"], to["instance"]) if to else "nobody" if i["followed"] else "not"))
        have[n["address"], n["instance"]] = (n["distance"], edges)
    for key in sorted(want.keys() | have.keys()):
        if want.get(key) != have.get(key):
            bad.append("%s#%d: model %s, dcfg %s" % (key + (want.get(key), have.get(key))))
    orders = [n["order"] for n in found["nodes"]]
    if orders != sorted(orders) and orders != sorted(orders, reverse=True):
        bad.append("nodes are not in their order")
    for n in found["nodes"]:
        if trace.name(n["order"]) != (n["address"], n["instance"]):
            bad.append("%s#%d has order %d" % (n["address"], n["instance"], n["order"]))
    return bad


def main(args):
    with open(args[0]) as f:
        trace = Trace(f)
    by_name = {trace.name(e): e for e in range(len(trace.events))}
    with open(args[1]) as f:
        asked = [line.split() for line in f]
    for name, instance, mode, path in asked:
        with open(path) as f:
            found = json.load(f)
        model = forward if mode.startswith("forward") else backward
        bad = compare(trace, model(trace, by_name[name, int(instance)], mode.replace("forward-", "")), found)
        print(len(found["nodes"]), name, instance, mode, "; ".join(bad[:3]))
    return 0
