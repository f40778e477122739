"""The kind of the instruction at an address: bytes from the ELF files, classes from Capstone.

The tool itself learns this from VEX; asking another disassembler about the bytes in the file on disk is what makes the
comparison independent.
"""
import re
import struct

import capstone

from dcfg_model import file_of_image

PLAIN, COND, JUMP, IJUMP, CALL, ICALL, RET, SYSCALL, REP, UNSEEN = (
    "plain", "conditional", "jump", "indirect jump", "call", "indirect call", "return", "system call", "rep", "unseen")

STRING_OPS = ("movs", "stos", "lods", "scas", "cmps", "ins", "outs")
PAGE = 0x1000
# Valgrind's pseudo-instructions: four rotations that change nothing, then an exchange that tells the request.
PREAMBLE = {64: bytes.fromhex("48c1c70348c1c70d48c1c73d48c1c733"), 32: bytes.fromhex("c1c703c1c70dc1c71dc1c713")}
CALL_UNREDIRECTED = {64: bytes.fromhex("4887d2"), 32: bytes.fromhex("87d2")}
ARM64_PREAMBLE = struct.pack("<4I", 0x93CC0D8C, 0x93CC358C, 0x93CCCD8C, 0x93CCF58C)
ARM64_CALL_UNREDIRECTED = struct.pack("<I", 0xAA0C018C)
EM_AARCH64 = 183
LONGEST = 20                    # both together
# Valgrind takes, in 32-bit code, a call to the next instruction and the pop there for one instruction.
WHERE_AM_I = re.compile(rb"\xe8\0\0\0\0[\x58-\x5f]")

ARM64 = "arm64"                 # in place of bits
BASE = 0x40000000               # far from zero, so that a backward target stays positive in the text

_md = {64: capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64),
       32: capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32),
       ARM64: capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)}
_seen = {64: {}, 32: {}, ARM64: {}}


def classify(code, bits=64):
    """Return (kind, length, target of a direct transfer relative to the instruction's address) of the first
    instruction."""
    got = _seen[bits].get(code)
    if got is None:
        got = _seen[bits][code] = _classify_arm64(code) if bits == ARM64 else _classify(code, bits)
    return got


def _classify_arm64(code):
    """Classify an arm64 instruction: it has 4 bytes; if Capstone does not know it, it transfers no control."""
    if code.startswith(ARM64_PREAMBLE) and len(code) >= 20:
        return (ICALL if code[16:20] == ARM64_CALL_UNREDIRECTED else PLAIN, 20, None)
    if len(code) < 4:
        return (UNSEEN, 0, None)
    op, ops = next(((op, ops) for _, _, op, ops in _md[ARM64].disasm_lite(code[:4], BASE, 1)), ("", ""))
    kind = PLAIN
    if op == "b":
        kind = JUMP
    elif op.startswith("b.") or op in ("cbz", "cbnz", "tbz", "tbnz"):
        kind = COND
    elif op == "bl":
        kind = CALL
    elif op in ("blr", "blraa", "blraaz", "blrab", "blrabz"):
        kind = ICALL
    elif op in ("br", "braa", "braaz", "brab", "brabz"):
        kind = IJUMP
    elif op in ("ret", "retaa", "retab", "eret"):
        kind = RET
    elif op == "svc":
        kind = SYSCALL
    direct = int(ops.rpartition("#")[2], 16) - BASE if kind in (JUMP, CALL, COND) else None
    return (kind, 4, direct)


def _classify(code, bits):
    preamble, call = PREAMBLE[bits], CALL_UNREDIRECTED[bits]
    both = len(preamble) + len(call)
    if code.startswith(preamble) and len(code) >= both:
        return (ICALL if code[len(preamble):both] == call else PLAIN, both, None)
    if bits == 32 and WHERE_AM_I.match(code):
        return (PLAIN, 6, None)
    for _, length, mnemonic, ops in _md[bits].disasm_lite(code, BASE, 1):
        break
    else:
        return (UNSEEN, 0, None)
    words = mnemonic.split()
    op = words[-1]
    direct = None
    if ops.startswith("0x"):
        direct = int(ops, 16) - BASE
    kind = PLAIN
    if op == "jmp" or op == "ljmp":
        kind = IJUMP if direct is None else JUMP
    elif op == "call" or op == "lcall":
        kind = ICALL if direct is None else CALL
    elif op.startswith("j") or op.startswith("loop"):
        kind = COND
    elif op.startswith("ret") or op.startswith("iret"):
        kind = RET
    elif op in ("syscall", "sysenter") or op == "int" and ops == "0x80":
        kind = SYSCALL
    elif len(words) > 1 and words[0].startswith("rep") and op[:-1] in STRING_OPS:
        kind = REP
    return (kind, length, direct if kind in (JUMP, CALL, COND) else None)


class ElfCode:
    """The loadable bytes of one file, addressed as the process saw them."""

    def __init__(self, path, load):
        with open(path, "rb") as f:
            self.data = f.read()
        self.bits = {b"\x7fELF\x01": 32, b"\x7fELF\x02": 64}.get(self.data[:5])
        if not self.bits:
            raise ValueError("%s is no ELF file" % path)
        phoff, = struct.unpack_from(*("<Q", self.data, 0x20) if self.bits == 64 else ("<I", self.data, 0x1c))
        size, num = struct.unpack_from("<HH", self.data, 0x36 if self.bits == 64 else 0x2a)
        self.segments = []
        self.decoder = ARM64 if struct.unpack_from("<H", self.data, 0x12)[0] == EM_AARCH64 else self.bits
        for i in range(num):
            if self.bits == 64:
                kind, flags, off, vaddr, _, filesz, _, _ = struct.unpack_from("<IIQQQQQQ", self.data, phoff + i * size)
            else:
                kind, off, vaddr, _, filesz, _, flags, _ = struct.unpack_from("<8I", self.data, phoff + i * size)
            if kind == 1:
                self.segments.append((vaddr, off, filesz, flags))
        if not self.segments:
            raise ValueError("%s has nothing to load" % path)
        # LOAD_ADDR is where the first byte is mapped.
        self.bias = load - (min(s[0] for s in self.segments) & -PAGE)

    def bytes_at(self, addr, n):
        v = addr - self.bias
        for vaddr, off, filesz, flags in self.segments:
            if vaddr <= v < vaddr + filesz and flags & 1:
                return self.data[off + v - vaddr: off + min(v - vaddr + n, filesz)]
        return None


class Code:
    """The code of a whole process: images given as (file name, load address, size)."""

    def __init__(self, images):
        self.parts = []
        self.cache = {}
        for path, load, size in images:
            try:
                self.parts.append((load, load + size, ElfCode(file_of_image(path), load)))
            except (OSError, ValueError, struct.error):
                pass                    # [anon] and the like: kind UNSEEN

    def at(self, addr, n=LONGEST):
        """Return classify() for the instruction at ADDR, from its first N bytes."""
        for lo, hi, elf in self.parts:
            if lo <= addr < hi:
                b = elf.bytes_at(addr, n)
                if b and (len(b) == n or n == LONGEST):
                    return classify(b, elf.decoder)
        return (UNSEEN, 0, None)

    def kind(self, addr, length):
        """Return (kind, length as disassembled, relative target); LENGTH is what was executed."""
        kind = self.at(addr, length)
        return kind if kind[1] else (UNSEEN, length, None)
