"""Capstone's registers of arm64 instructions, for wet_capstone.py: see there.

Registers are compared whole here.  General registers are always written whole, so it makes no difference which of their
bytes are used; wet_probe.c checks bytes of vector registers.
"""
import re

import capstone
from capstone import arm64

CARRY, FLAGS, VECTOR, N_LOCS = 256, 257, 288, 800
SP = 31
PLACES = {"sp": (8 * SP, 8), "wsp": (8 * SP, 4)}        # by Capstone's name: first location, bytes
for _n in range(31):
    PLACES["x%d" % _n], PLACES["w%d" % _n] = (8 * _n, 8), (8 * _n, 4)
PLACES["fp"], PLACES["lr"] = PLACES["x29"], PLACES["x30"]
for _n in range(32):
    for _letter in "bhsdqv":
        PLACES["%s%d" % (_letter, _n)] = (VECTOR + 16 * _n, 16)
BY_CONDITION = {"cs": {CARRY}, "hs": {CARRY}, "cc": {CARRY}, "lo": {CARRY}, "hi": {CARRY, FLAGS}, "ls": {CARRY, FLAGS},
                "al": set(), "nv": set()}

CLASSES = []                           # as in wet_capstone.py


def on(mnemonics, reason):
    def add(function):
        CLASSES.append((re.compile(mnemonics), reason, function))
        return function
    return add


def disassembler(_machine):
    md = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    md.detail = True
    return md


def place(name, size=None):
    first, n = PLACES[name]
    return set(range(first, first + (size or n)))


def written(name):
    """A write to half of a general register writes the whole."""
    return place(name, 8 if PLACES[name][0] < CARRY else None)


def named(i):
    """Return its registers by name, as operands."""
    return [i.reg_name(o.reg) for o in i.operands if o.type == arm64.ARM64_OP_REG and i.reg_name(o.reg) in PLACES]


def condition(i):
    """Return the flags of its condition."""
    name = (i.mnemonic[2:] if i.mnemonic.startswith("b.") else i.op_str.rpartition(", ")[2])
    return BY_CONDITION.get(name, {FLAGS})


def by_capstone(i, _machine=None):
    uses, defs = set(), set()
    reads, writes = (list(map(i.reg_name, r)) for r in i.regs_access())
    for name in reads:
        if name in PLACES:
            uses |= place(name)
    for name in writes:
        if name in PLACES:
            defs |= written(name)
    if "nzcv" in reads:
        uses |= condition(i)
    if "nzcv" in writes:
        defs |= {CARRY, FLAGS}
    return uses, defs


def general(locs):
    return {x for x in locs if x < CARRY}


def vectors(locs):
    return {x for x in locs if x >= VECTOR}


@on("nop|yield|wf[ei]|sevl?|hint|prfu?m|dmb|dsb|isb|clrex|ic|bti", "a hint does nothing with its operand")
def _(i, uses, defs):
    uses.clear()
    defs.clear()


@on("dc", "of operations on caches only ZVA accesses memory")
def _(i, uses, defs):
    if "zva" not in i.op_str:
        uses.clear()


@on("ret", "it uses its register, X30 if none is named")
def _(i, uses, defs):
    uses |= place((named(i) or ["x30"])[0])


@on("svc", "the arguments of a system call, and its result")
def _(i, uses, defs):
    uses.clear()
    defs.clear()
    for n in (0, 1, 2, 3, 4, 5, 8):
        uses |= place("x%d" % n)
    defs |= place("x0")


@on("adcs?|sbcs?|ngcs?", "it uses C")
def _(i, uses, defs):
    uses -= {FLAGS}
    uses.add(CARRY)


@on("cmp|cmn|tst", "flags alone are written, and all operands used")
def _(i, uses, defs):
    defs -= general(defs)
    for name in named(i):
        uses |= place(name)


@on("adds|subs|add|sub", "with a number, too, the first operand is written and not used")
def _(i, uses, defs):
    registers = named(i)
    if len(registers) == len([o for o in i.operands if o.type == arm64.ARM64_OP_REG]):
        defs |= written(registers[0])
        uses -= place(registers[0])
        for name in registers[1:]:
            uses |= place(name)


@on("mrs", "NZCV is both locations; other registers of the system are none, and its operand is not used")
def _(i, uses, defs):
    uses.clear()
    if "nzcv" in i.op_str:
        uses |= {CARRY, FLAGS}


@on("msr", "NZCV is both locations; other registers of the system are none")
def _(i, uses, defs):
    defs.clear()
    if "nzcv" in i.op_str:
        defs |= {CARRY, FLAGS}


@on("movz|movn|mov|movi|mvni|fmov|[us]bfx|[us]bfiz|lsl|lsr|asr|[us]xt[bhw]", "it does not use what it overwrites")
def _(i, uses, defs):
    if len(i.operands) > 1 and i.operands[0].type == arm64.ARM64_OP_REG:
        uses.clear()
        for o in i.operands[1:]:
            if o.type == arm64.ARM64_OP_REG and i.reg_name(o.reg) in PLACES:
                uses |= place(i.reg_name(o.reg))


@on("subs?|sbcs?|eor|cmeq", "the result does not depend on the operand: it is the same twice")
def _(i, uses, defs):
    registers, plain = named(i), not any(o.shift.value or o.ext for o in i.operands)
    if plain and len(registers) == 3 == len(i.operands) and registers[1] == registers[2]:
        uses -= place(registers[1])


@on("(ld|st)[1-4]r?", "all registers of the list, and that which is added to the address")
def _(i, uses, defs):
    listed = [r for r in named(i) if PLACES[r][0] >= VECTOR]
    uses -= vectors(uses)
    defs -= vectors(defs)
    for name in listed:
        (defs if i.mnemonic.startswith("ld") else uses).update(place(name))
    for name in named(i):
        if PLACES[name][0] < CARRY:
            uses |= place(name)
            defs -= place(name)


@on("extr", "by 0 bits it takes nothing of its first operand")
def _(i, uses, defs):
    if i.op_str.endswith("#0") and named(i)[1] != named(i)[2]:
        uses -= place(named(i)[1])


# Vector instructions that keep part of the destination; those that only write the upper half keep the lower.
ADDS_TO = re.compile("orr|bic|f?ml[as]2?|[us]mls?[la]l?2?|[us]ml[as]l2?|sqdml[as]l2?|[us]abal?2?|[us]adalp|[us]r?sra|sri|sli|bsl|bit|"
                     "bif|tbx|aes[ed]|sha(1[cmp]|1su|256|512).*|suqadd|usqadd|ins|mov")


@on("(?!ld|st|ins|fc?cmpe?$).*", "Capstone does not know which vector instructions use their destination")
def _(i, uses, defs):
    registers = named(i)
    if not registers or PLACES[registers[0]][0] < VECTOR or not i.operands or not defs:
        return
    uses -= place(registers[0]) if registers[0] not in registers[1:] else set()
    for name in registers[1:]:
        uses |= place(name)
    if i.mnemonic in ("orr", "bic"):
        if len(registers) == 1:
            uses |= place(registers[0])
    elif ADDS_TO.fullmatch(i.mnemonic) and i.mnemonic not in ("mov",):
        uses |= place(registers[0])
    if i.mnemonic in ("eor", "sub", "cmeq") and len(registers) == 3 and registers[1] == registers[2]:
        uses -= place(registers[1])


@on("ins", "one lane is written, which leaves the others")
def _(i, uses, defs):
    if named(i)[0] not in named(i)[1:]:
        uses -= place(named(i)[0])


def whole(locs):
    """Return whole registers only."""
    return {x // 8 * 8 if x < CARRY else x if x < VECTOR else VECTOR + (x - VECTOR) // 16 * 16 for x in locs}


def correct(i, uses, defs, counts):
    for mnemonics, reason, function in CLASSES:
        if mnemonics.fullmatch(i.mnemonic):
            before = set(uses), set(defs)
            function(i, uses, defs)
            if (uses, defs) != before:
                counts[reason] += 1


def compare(i, _code, have, want, counts, _machine):
    """Return None if they agree after CLASSES, or the file's and the expected sets."""
    correct(i, *want, counts)
    have, want = tuple(map(whole, have)), tuple(map(whole, want))
    return None if want == have else (have, want)
