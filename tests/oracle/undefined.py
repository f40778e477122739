"""Flags that x86 manuals call undefined, and bytes of registers that VEX and processors treat differently.

    flags(i), conditions(i)     bits of EFLAGS and of x87's status word that I, an instruction of Capstone, leaves undefined
    locations(i)                locations of docs/dev/wet-file.md in which I may use more, or define more, than VEX knows

Some processors write an undefined flag, others keep it, so no oracle requires or forbids either.  A flag is in the
tables if one of two manuals calls it undefined on the instruction's page.  Intel's is volume 2, "Flags Affected" (x87:
"FPU Flags Affected"); AMD's is volume 3, "rFLAGS Affected" (x87: volume 5).  A64 has no undefined flags.
"""
import re

from capstone import x86
import wet_summary
from wet_summary import CARRY, FLAGS, place

PREFIXES = "(lock |rep |repe |repne |bnd )*"
BITS = {"C": 1, "P": 4, "A": 0x10, "Z": 0x40, "S": 0x80, "O": 0x800}
GROUPS = ((CARRY, "C"), (FLAGS, "OSZAP"))        # a location has several of them


def always(count, bits):
    return True


def not_once(count, bits):
    """The count is CL, or neither 1 nor 0; with 0 all flags stay."""
    return count is None or count > 1


def all_out(count, bits):
    """The count is the operand's width or more; five bits of CL count, six if the operand has 64 bits."""
    return bits < 32 if count is None else count >= bits


def beyond(count, bits):
    """The count is more than the operand's width."""
    return bits < 32 if count is None else count > bits


# (mnemonics, when, flags, what the manuals say)
TABLE = (
    ("and|or|xor|test", always, "A", "O and C are set to 0, S, Z and P tell of the result, A is undefined"),
    ("andn|bls[ir]|blsmsk|bzhi", always, "AP", "S, Z, C and O are written, A and P are undefined"),
    ("bextr", always, "ASP", "Z is written, C and O are set to 0; A, S and P are undefined"),
    ("[tl]zcnt", always, "OSPA", "Z and C are written, the others are undefined"),
    ("bs[fr]", always, "COSAP", "Z says whether the source is 0, the others are undefined"),
    ("bt[src]?", always, "OSZAP", "C is the bit; Intel: Z is left, the others are undefined; AMD, and Intel once: Z, too"),
    ("i?mul", always, "SZAP", "C and O say whether the upper half matters, the others are undefined"),
    ("i?div", always, "OSZAPC", "all six are undefined"),
    ("sh[lr]|sal|sar", always, "A", "A is undefined, unless the count is 0"),
    ("sh[lr]|sal|sar|ro[lr]|rc[lr]|sh[lr]d", not_once, "O", "O is defined for a count of 1 only"),
    ("sh[lr]|sal", all_out, "C", "C is undefined if the count is the operand's size or more"),
    ("sh[lr]d", always, "A", "A is undefined, unless the count is 0"),
    ("sh[lr]d", beyond, "OSZAPC", "all are undefined, and the result, if the count is more than the operand's size"),
    ("da[as]", always, "O", "O is undefined"),
    ("aa[as]", always, "OSZP", "A and C are written, the others are undefined"),
    ("aa[md]", always, "OAC", "S, Z and P tell of AL, the others are undefined"),
)
# Bits of C0, C2 and C3; C1 is in no location.
C0, C2, C3 = 0x100, 0x400, 0x4000
CONDITIONS = (
    ("fx(save|rstor)(64)?", 0, "no x87 instructions: FXRSTOR loads all"),
    ("fu?com(p|pp)?|ficomp?|ftst|fxam", 0, "all say how the numbers compare, or what the number is"),
    ("fu?com(ip?|pi)", 0, "all are left; EFLAGS has the result"),
    ("fprem1?", 0, "C2 says whether the remainder is one, the others are bits of the quotient"),
    ("fn?init|fn?save|fldenv|frstor", 0, "all are set to 0, or loaded"),
    ("fsin|fcos|fsincos|fptan", C0 | C3, "C2 says whether the operand is in range, C0 and C3 are undefined"),
    ("f[a-z0-9]+|wait", C0 | C2 | C3, "all are undefined"),
)


def matches(mnemonics, i):
    return re.fullmatch(PREFIXES + "(" + mnemonics + ")", i.mnemonic)


def count(i):
    """Return the count of a shift; None if it is CL."""
    last = i.operands[-1]
    return last.imm & (63 if i.operands[0].size == 8 else 31) if last.type == x86.X86_OP_IMM else None


def flags(i):
    """Return the bits of EFLAGS that I may keep or write."""
    letters = set()
    for mnemonics, when, which, _ in TABLE:
        if matches(mnemonics, i) and (when is always or when(count(i), 8 * i.operands[0].size)):
            letters |= set(which)
    return sum(BITS[letter] for letter in letters)


def conditions(i):
    """Return the same for x87's status word."""
    return next((bits for mnemonics, bits, _ in CONDITIONS if matches(mnemonics, i)), 0)


def flag_locations(i):
    """Return the locations of flags in which I defines no flag."""
    bits = flags(i)
    return {loc for loc, letters in GROUPS if all(bits & BITS[letter] for letter in letters)}


def upper_halves(i, *names):
    """Return the upper halves of the first operand and these registers, if the operand is a register of 32 bits."""
    operand = i.operands[0]
    if operand.type == x86.X86_OP_REG and operand.size == 4:
        return {at + 4 for name in (i.reg_name(operand.reg),) + names for at in place(name, 4)}
    return set()


def locations(i):
    """Return the other locations for which nothing is required or forbidden."""
    # The destination stays if the source is 0; of 32 bits, the upper half is set to 0, or stays.
    if matches("bs[fr]", i):
        return upper_halves(i)
    # Either the accumulator or the destination is written; VEX sets the upper halves of both to 0.
    if matches("cmpxchg", i):
        return upper_halves(i, "eax")
    # If RCX is 0, they keep the flags; VEX has an iteration for that which defines none.
    if i.mnemonic.startswith("rep") and matches("(scas|cmps)[bwdq]", i):
        return {CARRY, FLAGS}
    # XGETBV with 1 in RCX tells which registers are in use, which the kernel may change, too.
    if matches("xgetbv", i):
        return set(range(wet_summary.STATUS, wet_summary.N_LOCS))
    return set()
