#!/usr/bin/python3
"""Compares uses and definitions of instructions in a whole execution trace with Capstone's.

    wet_capstone.py FILE...

Each instruction is compared once, by its bytes.  Capstone's registers are compared byte by byte.  CLASSES tells where
Capstone is wrong or means something else: each class has a reason, and changes Capstone's sets, which must then be
equal to the file's.  Flags that undefined.py leaves open are not compared; those that Capstone calls undefined must be
there. Instructions that VEX does not know are counted apart.

Prints how many agreed at once, how many by which class, and those that differ.  Exit status 1 if there are any.
"""
import collections
import os
import re
import sys

import capstone
from capstone import x86

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cpuinfo
import undefined
import wet_capstone_arm64
import wet_summary
from wet_summary import CARRY, DIRECTION, FLAGS, PHYSICAL, PLACES, STACK, STATUS, VECTOR, place

LIMIT = 40

# ---------------------------------------------------------------------------------------------------------------------
# Capstone's registers and flags
# ---------------------------------------------------------------------------------------------------------------------


def eflags(changes, flags):
    mask = 0
    for change in changes:
        for flag in flags:
            mask |= getattr(x86, "X86_EFLAGS_%s_%s" % (change, flag), 0)
    return mask


CHANGES = ("MODIFY", "SET", "RESET", "UNDEFINED")
GROUPS = ((CARRY, ("CF",)), (FLAGS, ("OF", "SF", "ZF", "AF", "PF")), (DIRECTION, ("DF",)))
TESTED = [(loc, eflags(("TEST",), flags)) for loc, flags in GROUPS]
CHANGED = [(loc, eflags(CHANGES, flags)) for loc, flags in GROUPS]


def by_capstone(i, machine):
    uses, defs = set(), set()
    reads, writes = i.regs_access()
    for name in map(i.reg_name, reads):
        if name in PLACES:
            uses |= place(name)
    for name in map(i.reg_name, writes):
        if name in PLACES:
            # A write to 32 bits writes the whole register.
            defs |= place(name, 8 if PLACES[name][0] < CARRY and PLACES[name][1] == 4 else None)
    if x86.X86_GRP_FPU not in i.groups:
        uses |= {loc for loc, mask in TESTED if i.eflags & mask}
        defs |= {loc for loc, mask in CHANGED if i.eflags & mask}
    return (narrow(uses), narrow(defs)) if machine == wet_summary.X86 else (uses, defs)


def not_in_table(i):
    """Return flags that Capstone calls undefined and undefined.py does not.  Capstone ignores the count of a rotation."""
    told = {letter for letter in undefined.BITS if i.eflags & getattr(x86, "X86_EFLAGS_UNDEFINED_%sF" % letter)}
    if undefined.matches("ro[lr]|rc[lr]", i) and undefined.count(i) == 1:
        told.discard("O")
    return "".join(letter for letter in sorted(told) if not undefined.flags(i) & undefined.BITS[letter])


# ---------------------------------------------------------------------------------------------------------------------
# Classes
# ---------------------------------------------------------------------------------------------------------------------

CLASSES = []                           # (mnemonics, reason, function of an instruction and its two sets)


def on(mnemonics, reason):
    def add(function):
        CLASSES.append((re.compile("(lock |rep |repe |repne |notrack |bnd )*(" + mnemonics + ")"), reason, function))
        return function
    return add


def registers(i):
    return [i.reg_name(o.reg) for o in i.operands if o.type == x86.X86_OP_REG]


def vectors(locs):
    return {x for x in locs if VECTOR <= x < PHYSICAL}


def address(i):
    """Return the registers of memory operands' addresses."""
    return set().union(*(place(i.reg_name(r)) for o in i.operands if o.type == x86.X86_OP_MEM
                         for r in (o.mem.base, o.mem.index) if r and i.reg_name(r) in PLACES))


@on("movs[sd]|cmp[a-z]*[ps][sd]", "Capstone takes MOVSS and others of vector registers for those of strings, or for CMP")
def _(i, uses, defs):
    if vectors(uses | defs):
        uses -= {DIRECTION}
        defs -= {CARRY, FLAGS}


@on("n?op[wl]?|nop|endbr64|prefetch.*|fnop", "a hint does nothing with its operand")
def _(i, uses, defs):
    uses.clear()
    defs.clear()


@on("test", "Capstone 5 knows nothing of TEST")
def _(i, uses, defs):
    uses |= set().union(*map(place, registers(i)), set())
    defs |= {CARRY, FLAGS}


@on("v?pcmp[ei]strm|vbroadcasti128", "Capstone 5 does not say that this register is written")
def _(i, uses, defs):
    defs |= place("xmm0" if "strm" in i.mnemonic else registers(i)[0])


@on("test", "TEST writes no operand")
def _(i, uses, defs):
    defs -= set().union(*(place(r, 8 if PLACES[r][1] == 4 else None) for r in registers(i)), set())


@on("xor|sub|v?pxor|v?xorp[sd]|v?psub[bwdq]|v?pcmpeq[bwdq]|v?pcmpgt[bwdq]|v?p?andnp?[sd]?",
    "the result does not depend on the operand: it is the same twice")
def _(i, uses, defs):
    alike = registers(i)[-2:]
    if len(alike) == 2 and alike[0] == alike[1] and all(o.type == x86.X86_OP_REG for o in i.operands):
        if not i.mnemonic.endswith(("pcmpgtb", "pcmpgtw", "pcmpgtd", "pcmpgtq")) and "andn" not in i.mnemonic:
            uses.clear()


@on("adc|sbb|rcl|rcr|adcx", "it uses C")
def _(i, uses, defs):
    uses.add(CARRY)


@on("sbb", "SBB of a register with itself depends on C alone")
def _(i, uses, defs):
    if len(registers(i)) == 2 and len(set(registers(i))) == 1:
        uses.clear()
        uses.add(CARRY)


@on("rol|ror|rcl|rcr", "a rotation leaves S, Z, A and P, which are one location with O; rolled by 0, C too")
def _(i, uses, defs):
    uses.add(FLAGS)
    defs |= {CARRY, FLAGS}
    if registers(i)[-1:] == ["cl"]:
        uses.add(CARRY)


@on("shl|sal|shr|sar|shld|shrd", "shifted by CL, which may be 0, it leaves all flags")
def _(i, uses, defs):
    if registers(i)[-1:] == ["cl"]:
        uses |= {CARRY, FLAGS}


@on("bsf|bsr", "the destination stays if the source is 0")
def _(i, uses, defs):
    uses |= place(registers(i)[0])


@on("i?mul|div|idiv", "one operand of 8 bits: AX; Capstone names other registers")
def _(i, uses, defs):
    if len(i.operands) == 1 and i.operands[0].size == 1:
        uses |= place("ax" if "div" in i.mnemonic else "al")
        defs -= place("rax") | place("rdx")
        defs |= place("ax")


@on("cmov.*", "Capstone 5 takes the destination for written only; it stays if the condition does not hold")
def _(i, uses, defs):
    uses |= place(registers(i)[0])


@on("cdq|cqo|cwd", "RAX is not written")
def _(i, uses, defs):
    defs -= place("rax")


@on("leave", "RSP is made from RBP")
def _(i, uses, defs):
    uses -= place("rsp")


@on("cmpxchg", "the accumulator is written where the operand is another; it always is, for VEX")
def _(i, uses, defs):
    size = i.operands[0].size
    defs |= set(range(8 if size == 4 else size))
    if i.operands[0].type == x86.X86_OP_REG:
        uses |= place(registers(i)[0])


@on("cmpxchg(8b|16b)", "Z alone is written, so the other flags are used that are one location with it")
def _(i, uses, defs):
    uses.add(FLAGS)
    defs.add(FLAGS)
    if i.mnemonic.endswith("8b"):
        uses |= place("rax") | place("rdx")        # their upper halves are kept if the operand is equal
        defs |= place("rax") | place("rdx")


@on("xadd|xchg", "both registers are used and defined")
def _(i, uses, defs):
    for name in registers(i):
        uses |= place(name)
        defs |= place(name, 8 if PLACES[name][1] == 4 else None)


@on("syscall", "the arguments of a system call, and what the kernel writes; the flags are as before")
def _(i, uses, defs):
    uses.clear()
    defs.clear()
    for name in "rax rdi rsi rdx r10 r8 r9".split():
        uses |= place(name)
    for name in "rax rcx r11".split():
        defs |= place(name)


@on("push.*|pop.*|call|ret|enter", "the stack pointer is used and defined")
def _(i, uses, defs):
    uses |= place("rsp")
    defs |= place("rsp")


@on("enter", "RBP is used and defined")
def _(i, uses, defs):
    uses |= place("rbp")
    defs |= place("rbp")


@on("pop", "RSP itself is overwritten by what is popped")
def _(i, uses, defs):
    defs |= set().union(*(place(r) for r in registers(i)), set())


@on("pushf[qd]?", "all flags are stored")
def _(i, uses, defs):
    uses |= {CARRY, FLAGS, DIRECTION}


@on("popf[qd]?", "all flags are loaded")
def _(i, uses, defs):
    uses -= {CARRY, FLAGS, DIRECTION}
    defs |= {CARRY, FLAGS, DIRECTION}


@on("lahf", "AH is made from C, S, Z, A, P")
def _(i, uses, defs):
    uses |= {CARRY, FLAGS}
    defs -= {CARRY, FLAGS}
    defs |= place("ah")


@on("sahf", "C, S, Z, A, P are made from AH; O stays")
def _(i, uses, defs):
    uses |= place("ah") | {FLAGS}
    defs |= {CARRY, FLAGS}


@on("cld|std", "only D is written")
def _(i, uses, defs):
    uses.clear()
    defs -= {CARRY, FLAGS}


@on("clc|stc|cmc", "only C is written, and CMC uses it")
def _(i, uses, defs):
    uses.clear()
    if i.mnemonic == "cmc":
        uses.add(CARRY)
    defs -= {FLAGS}


@on("loop|loope|loopne|jrcxz|jecxz", "RCX counts; LOOPE and LOOPNE use Z")
def _(i, uses, defs):
    uses |= place("ecx" if i.mnemonic == "jecxz" else "rcx")
    if i.mnemonic.startswith("loop"):
        defs |= place("rcx")
    if i.mnemonic in ("loope", "loopne"):
        uses.add(FLAGS)


@on("(stos|lods|scas)d", "Capstone does not see a prefix for 16 bits before REP")
def _(i, uses, defs):
    if i.prefix[2] == 0x66:
        (defs if "lods" in i.mnemonic else uses).difference_update({2, 3})


@on("int|sysenter", "the arguments of a 32-bit system call, and its result; the stack is as before")
def _(i, uses, defs):
    uses.clear()
    defs.clear()
    for name in "eax ebx ecx edx esi edi ebp".split():
        uses |= place(name)
    defs |= place("eax")


@on("aa[amds]|da[as]", "decimal digits in AX, of which DAA and DAS have to do with AL")
def _(i, uses, defs):
    plain = i.mnemonic.split()[-1]
    uses.clear()
    defs.clear()
    uses |= place("ax" if plain in ("aaa", "aas", "aad") else "al")
    if plain in ("daa", "das"):
        uses.add(CARRY)
    if plain not in ("aam", "aad"):
        uses.add(FLAGS)
    defs |= place("al" if plain in ("daa", "das") else "ax") | {CARRY, FLAGS}


@on("salc", "AL is made from C")
def _(i, uses, defs):
    uses.add(CARRY)
    defs |= place("al")


@on("xlatb", "a byte that AL and EBX say is loaded to AL")
def _(i, uses, defs):
    uses |= place("al") | place("rbx")
    defs |= place("al")


@on("mov", "of what goes to a segment register there are 16 bits")
def _(i, uses, defs):
    names = registers(i)
    if names and names[0] in ("ds", "es", "fs", "gs", "ss"):
        uses -= set().union(*(place(r) - set(range(PLACES[r][0], PLACES[r][0] + 2)) for r in names[1:]))


@on("(movs|stos|lods|scas|cmps)[bwdq]", "strings: RCX counts repetitions, D says which way")
def _(i, uses, defs):
    if vectors(uses | defs):
        return
    uses.add(DIRECTION)
    if i.prefix[0] in (0xf2, 0xf3):
        uses |= place("rcx")
        defs |= place("rcx")
    else:
        uses -= place("rcx")
        defs -= place("rcx")
    if "stos" in i.mnemonic:
        uses -= place("rsi")
        defs -= place("rax") | place("rsi")
    if "scas" in i.mnemonic or "cmps" in i.mnemonic:
        defs |= {CARRY, FLAGS}
        defs -= place("rax")
    if "lods" in i.mnemonic:
        defs -= place("rdi")


@on("bzhi|bextr|sarx|shlx|shrx", "of the count one byte is used, or two")
def _(i, uses, defs):
    count = registers(i)[-1]
    others = address(i).union(*(place(r) for r in registers(i)[1:-1]), set())
    first = PLACES[count][0]
    uses -= set(range(first + (2 if i.mnemonic == "bextr" else 1), first + 8)) - others


@on("bextr", "D is not written")
def _(i, uses, defs):
    defs -= {DIRECTION}


@on("lea", "of registers of 32 bits VEX adds all 64 and takes half of the sum")
def _(i, uses, defs):
    for r in (i.operands[1].mem.base, i.operands[1].mem.index):
        if r and i.reg_name(r) in PLACES and PLACES[i.reg_name(r)][1] == 4:
            uses |= place(i.reg_name(r), 8)


@on("v?pinsr[bw]", "of the general register one byte is used, or two")
def _(i, uses, defs):
    name = registers(i)[-1]
    if name in PLACES and PLACES[name][0] < CARRY:
        uses -= set(range(PLACES[name][0] + (1 if "pinsrb" in i.mnemonic else 2), PLACES[name][0] + 8))


@on("v?pcmpestr[im]", "VEX hands all 64 bits of RAX and RDX on, which are lengths")
def _(i, uses, defs):
    uses |= place("rax") | place("rdx")


@on("v?p?gather[dq][dqps]+", "the destination stays where the mask says so, and the mask is written")
def _(i, uses, defs):
    for name in registers(i)[:1] + registers(i)[-1:]:
        uses |= place(name)
        defs |= place(name, 32)


@on("lzcnt|tzcnt|popcnt|andn|blsr|blsi|blsmsk|bzhi|bextr|vu?comis[sd]|vptest|vtestp[sd]|v?pcmp[ei]str[im]",
    "C and the other flags are written")
def _(i, uses, defs):
    defs |= {CARRY, FLAGS}


@on("adcx|adox", "ADCX has to do with C alone, ADOX with O")
def _(i, uses, defs):
    uses |= place(registers(i)[0])
    uses -= {CARRY, FLAGS}
    defs -= {CARRY, FLAGS}
    uses.add(CARRY if i.mnemonic == "adcx" else FLAGS)
    defs.add(CARRY if i.mnemonic == "adcx" else FLAGS)


@on("crc32", "of the sum 32 bits are used")
def _(i, uses, defs):
    names = registers(i)
    if len(names) == 2 and PLACES[names[0]][0] != PLACES[names[1]][0]:
        uses -= set(range(PLACES[names[0]][0] + 4, PLACES[names[0]][0] + 8))


@on("mulx", "RDX is used, or its lower half")
def _(i, uses, defs):
    uses |= place("rdx" if PLACES[registers(i)[0]][1] == 8 else "edx")


@on("cpuid|rdtscp?|xgetbv", "32 bits of RAX, and RCX, say what is asked for")
def _(i, uses, defs):
    uses.clear()
    if i.mnemonic == "cpuid":
        uses |= place("eax") | place("ecx")
    if i.mnemonic == "xgetbv":
        uses |= place("ecx")


@on("v.*", "what is written with VEX's prefix to 16 bytes sets the other 16 to 0")
def _(i, uses, defs):
    for r in range(16):
        if VECTOR + 32 * r in defs:
            defs |= set(range(VECTOR + 32 * r, VECTOR + 32 * r + 32))


@on("vzeroupper|vzeroall", "the upper halves of all registers are set, or all")
def _(i, uses, defs):
    uses.clear()
    defs.clear()
    for r in range(16):
        defs |= set(range(VECTOR + 32 * r + (16 if i.mnemonic == "vzeroupper" else 0), VECTOR + 32 * r + 32))


@on("(fx|x)(save|rstor)(c|opt|64)*", "all of x87's and vector registers, as far as a mask says for the latter two; "
    "what the mask leaves out stays")
def _(i, uses, defs):
    every = set(range(VECTOR, STACK)) | {STATUS}
    half = every - {x for x in vectors(every) if (x - VECTOR) % 32 >= 16}
    uses &= set(range(CARRY))
    defs.clear()
    if i.mnemonic.startswith("fx"):
        (uses if "save" in i.mnemonic else defs).update(half)
        return
    uses |= every | place("eax") | place("edx")
    uses -= (place("rax") | place("rdx")) - place("eax") - place("edx") - address(i)
    if "rstor" in i.mnemonic:
        defs |= every


X87 = "f[a-z0-9]+|emms|fwait|wait"
LANES = re.compile(
    "v?(mov(d|q|ss|sd|lps|hps|lpd|hpd|hlps|lhps|sldup|shdup|ddup|mskp[sd]|q2dq|dq2q|ntss|ntsd)|"
    "(add|sub|mul|div|min|max|sqrt|rcp|rsqrt|round|cmp[a-z_]*|u?comi)(ss|sd)|cvt\\w+|fn?m(add|sub)\\d+s[sd]|"
    "punpck\\w+|unpck[lh]p[sd]|pshuf\\w+|shufp[sd]|palignr|ps[lr]ldq|p(ins|ext)r[bwdq]|extractps|insertps|"
    "p?blend\\w+|pmov[sz]x\\w+|mpsadbw|pclmul\\w+|aeskeygenassist|dpp[sd]|p?broadcast\\w+|perm\\w+|"
    "(insert|extract)[fi]128|p?maskmov\\w+|p?gather\\w+|ps(ll|rl|ra)[wdq]|pmuludq|phminposuw|pcmp[ei]str[im]|"
    "packus\\w+)")
READS_NONE = re.compile("(sqrt|rcp|rsqrt|round|cvt\\w+2)(ss|sd)|mov(lps|hps|lpd|hpd|hlps|lhps|ss|sd)|pinsr[bwdq]|cvtpi2ps|"
                        "cvtdq2ps|cvtpi2pd")
# A number in the code tells which parts are taken, perhaps none of a register.
BY_NUMBER = re.compile("v?(palignr|insertps|p?blend(w|d|ps|pd)|perm2[fi]128|dpp[sd]|ps[lr]ldq|shufp[sd])")
HERE = "a call to the next instruction, and POP there: one instruction, which leaves the stack as it was"
SCAN = "TZCNT is BSF to a processor without BMI, as VEX's of 32 bits: the destination stays if the source is 0"
UNDEFINED = "flags that the manuals call undefined: tests/oracle/undefined.py"
LANE_REASON = "of vector registers some bytes: Capstone names the register, wet_probe.c knows which"


def by_register(locs):
    """Return whole vector registers only."""
    return {VECTOR + (x - VECTOR) // 32 * 32 if VECTOR <= x < PHYSICAL else x // 8 * 8 if x >= PHYSICAL else x for x in locs}


def narrow(locs):
    """Return what 32-bit code has of these: lower halves of eight general registers, and eight vector registers."""
    return {x for x in locs if x < 64 and x % 8 < 4 or CARRY <= x < VECTOR + 8 * 32 or x >= PHYSICAL}


def disassembler(machine):
    md = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32 if machine == wet_summary.X86 else capstone.CS_MODE_64)
    md.detail = True
    return md


def compare(i, code, have, want, counts, machine):
    """Return None if they agree after CLASSES, or the file's and the expected sets."""
    uses, defs = want
    for mnemonics, reason, function in CLASSES:
        if mnemonics.fullmatch(i.mnemonic):
            before = set(uses), set(defs)
            function(i, uses, defs)
            if (uses, defs) != before:
                counts[reason] += 1
    left_open = undefined.flag_locations(i)
    if left_open & (have[1] ^ defs):
        counts[UNDEFINED] += 1
        have, defs = (have[0], have[1] - left_open), defs - left_open
    if i.mnemonic == "tzcnt" and (machine == wet_summary.X86 or not cpuinfo.has("bmi1")):
        counts[SCAN] += 1
        uses |= place(registers(i)[0])
    if machine == wet_summary.X86:
        if i.mnemonic == "call" and len(code) == i.size + 1:
            counts[HERE] += 1
            uses, defs = set(), set(range(8 * (code[-1] & 7), 8 * (code[-1] & 7) + 8))
        uses, defs = narrow(uses), narrow(defs)
    if re.fullmatch(X87, i.mnemonic) and not re.match("fx(save|rstor)", i.mnemonic):
        counts["x87: Capstone names few of the registers on the stack, and no flags: wet_probe.c knows them"] += 1
        stack = set(range(PHYSICAL, wet_summary.N_LOCS)) | {STATUS, CARRY, FLAGS}
        have = tuple(x - stack for x in have)
        uses, defs = uses - stack, defs - stack
    if LANES.fullmatch(i.mnemonic) and (uses, defs) != have:
        counts[LANE_REASON] += 1
        have = tuple(map(by_register, have))
        uses, defs = by_register(uses), by_register(defs)
        if BY_NUMBER.fullmatch(i.mnemonic):
            uses -= {x for x in uses if x >= VECTOR} - have[0]
        if READS_NONE.fullmatch(i.mnemonic):
            names = [r for r in registers(i)[:1] if r in PLACES]
            only = [x for r in names for x in by_register(place(r)) if r not in registers(i)[1:]]
            uses -= set(only)
            have = (have[0] - set(only), have[1])
    return None if (uses, defs) == have else (have, (uses, defs))


def main(argv):
    counts, seen, agree, unknown, bad = collections.Counter(), set(), 0, 0, []
    for path in argv:
        machine = wet_summary.machine(path)
        processor = wet_capstone_arm64 if machine == wet_summary.ARM64 else sys.modules[__name__]
        md = processor.disassembler(machine)
        for addr, code, uses, defs, flags in wet_summary.instructions(path):
            if code in seen:
                continue
            seen.add(code)
            i = next(md.disasm(code, addr, 1), None)
            if i is None or not flags & 1:
                unknown += 1
                continue
            if machine != wet_summary.ARM64 and x86.X86_GRP_FPU not in i.groups and not_in_table(i):
                bad.append("%s %s: Capstone calls %s undefined" % (i.mnemonic, i.op_str, not_in_table(i)))
            want = processor.by_capstone(i, machine)
            if want == (uses, defs):
                agree += 1
                continue
            differ = processor.compare(i, code, (uses, defs), want, counts, machine)
            if differ:
                have, want = differ
                bad.append("%s %s: uses %s, Capstone: %s; defines %s, Capstone: %s"
                           % ((i.mnemonic, i.op_str) + tuple(wet_summary.text_of(locs, machine) for locs in (
                               have[0] - want[0], want[0] - have[0], have[1] - want[1], want[1] - have[1]))))
    for line in bad[:LIMIT]:
        print(line)
    for reason, n in counts.most_common():
        print("%6d %s" % (n, reason))
    if not seen:
        bad.append("no instructions")
    print("%d instructions, %d agree at once, %d unknown to VEX or Capstone, %d differ" % (len(seen), agree, unknown, len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
