"""A slow model of executions of lines, from the events that tests/oracle/slice_events.c prints.

An activation is a call that Capstone sees, up to its return: for programs without longjmp and signals.  Take two
instances of the line that follow each other in an activation.  They are of one execution if two conditions hold.  The
second one is at a higher address, or is an iteration of the same instruction with a repeat prefix.  And neither what
ran between them, nor the first one if anything ran between, is a jump, a branch or a return.

    slice_lines.py EVENTS LOW-HIGH,...   (ranges of addresses of lines, in hexadecimal)

prints for each line a JSON array: the line, and its executions in the order in which they began, each an array of
[address, instance]."""
import bisect
import json

import capstone


class Instr:
    def __init__(self, addr, line, code):
        self.addr, self.line = addr, line
        insn = next(capstone_decoder().disasm(code, addr), None)
        groups = set(insn.groups) if insn else set()
        self.calls, self.returns = capstone.CS_GRP_CALL in groups, capstone.CS_GRP_RET in groups
        self.leaves = self.returns or (capstone.CS_GRP_JUMP in groups and not self.calls)
        self.repeats = bool(insn) and insn.mnemonic.startswith("rep")


def capstone_decoder(kept=[]):
    if not kept:
        kept.append(capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64))
        kept[0].detail = True
    return kept[0]


def activations(lines):
    """Lists of (order, Instr, instance)."""
    instrs, stacks, done, order = {}, {}, [], 0
    for text in lines:
        words = text.split()
        if words[0] == "I":
            instrs[words[1]] = Instr(int(words[2], 16), int(words[4]), bytes.fromhex(words[5]))
            continue
        i, stack = instrs[words[1]], stacks.setdefault(words[3], [[]])
        stack[-1].append((order, i, int(words[2])))
        order += 1
        if i.calls:
            stack.append([])
        elif i.returns and len(stack) > 1:
            done.append(stack.pop())
    return done + [a for stack in stacks.values() for a in stack]


def is_one(run, a, b):
    """Return whether instances A and B, the next one of the line, are of one execution."""
    first, second = run[a][1], run[b][1]
    if b > a + 1 and any(run[k][1].leaves for k in range(a, b)):
        return False
    return second.addr > first.addr or (first is second and first.repeats)


def executions(runs, line, is_own):
    found = []
    for run in runs:
        last = None
        for k, (order, i, instance) in enumerate(run):
            if i.line != line or not is_own(i.addr):
                continue
            if last is None or not is_one(run, last, k):
                found.append((order, []))
            found[-1][1].append([i.addr, instance])
            last = k
    return [instances for _, instances in sorted(found)]


def main(args):
    ranges = sorted(tuple(int(x, 16) for x in r.split("-")) for r in args[1].split(","))
    lows = [low for low, _ in ranges]

    def is_own(addr):
        k = bisect.bisect(lows, addr)
        return k > 0 and addr < ranges[k - 1][1]

    with open(args[0]) as f:
        runs = activations(f)
    for line in sorted({i.line for run in runs for _, i, _ in run if i.line and is_own(i.addr)}):
        print(json.dumps([line, executions(runs, line, is_own)]))
