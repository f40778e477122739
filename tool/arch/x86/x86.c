/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instructions of x86 and amd64: kinds, memory, uses. */

/* Owns: what the bytes of an instruction tell that VEX's IR does not, or tells
   wrongly.  This is its kind; its loads, quirks, and the target of a direct
   branch; and corrections of its uses and definitions.  Handed: the bytes of
   one instruction; usage from VEX's IR.

   VEX's IR does not tell which instructions transfer control.  Constant folding
   may have turned `xor %eax,%eax; jz` into a plain jump, and a `jmp` to the
   next instruction looks like the end of a superblock that became too long.  A
   block ends at every control-transfer instruction, taken or not, so the bytes
   decide.

   For some instructions, the IR has more or fewer uses and definitions than the
   processor.  Where the processor leaves a result undefined, VEX's result is
   right, because the program ran with it.  tests/tool/wet_usage.t compares all
   of this with Capstone and with the processor. */

#include "tool/arch/x86/x86.h"

/*--- Bytes                                                ---*/

static Bool is_prefix(UChar b)
{
   switch (b) {
      case 0x66: case 0xF2: case 0xF3: case 0xF0: case 0x67:
      case 0x2E: case 0x36: case 0x3E: case 0x26: case 0x64: case 0x65:
         return True;
      default:
         return False;
   }
}

/* Return CODE[I], or 0 behind the end. */
static UChar byte_at(const UChar* code, UInt len, UInt i)
{
   return i < len ? code[i] : 0;
}

/*--- Kinds                                                ---*/

/* Return the number of prefixes, in any order.  VEX and the processor ignore a
   REX that another prefix follows.  *REP: there is a prefix of repetition. */
static UInt count_prefixes(const UChar* bytes, UInt len, Bool is64,
                           /*OUT*/Bool* rep)
{
   UInt i = 0;

   *rep = False;
   for (; i < len && (is_prefix(bytes[i])
                      || (is64 && (bytes[i] & 0xF0) == 0x40)); i++)
      *rep |= bytes[i] == 0xF2 || bytes[i] == 0xF3;
   return i;
}

InsnKind DCFG_(classify_x86)(const UChar* bytes, UInt len, Bool is64)
{
   Bool rep;
   UInt i = count_prefixes(bytes, len, is64, &rep);

   if (i >= len)
      return InsnPlain;

   UChar op  = bytes[i];
   UChar arg = byte_at(bytes, len, i + 1);      // second opcode or ModRM

   switch (op) {
      case 0x70 ... 0x7F:                        // Jcc rel8
      case 0xE0 ... 0xE3:                        // LOOPcc, JrCXZ
         return InsnCond;
      case 0x0F:
         if (arg >= 0x80 && arg <= 0x8F)         // Jcc rel32
            return InsnCond;
         if (arg == 0x05 || arg == 0x34)         // SYSCALL, SYSENTER
            return InsnSyscall;
         return InsnPlain;
      case 0xC7:
         return arg == 0xF8 ? InsnCond           // XBEGIN
                            : InsnPlain;
      case 0xE8:
         /* In 32-bit code, VEX takes a `call` to the next instruction and the
            `pop` there for one instruction.  It calls nothing. */
         return !is64 && len == i + 6 ? InsnPlain : InsnCall;
      case 0xE9: case 0xEB:
         return InsnJump;
      case 0xC2: case 0xC3: case 0xCA: case 0xCB: case 0xCF:
         return InsnReturn;
      case 0xCD:
         return InsnSyscall;                     // INT n
      case 0xFF:
         switch ((arg >> 3) & 7) {
            case 2: case 3: return InsnIndirectCall;
            case 4: case 5: return InsnIndirectJump;
            default:        return InsnPlain;
         }
      case 0x6C ... 0x6F:                        // INS, OUTS
      case 0xA4 ... 0xA7:                        // MOVS, CMPS
      case 0xAA ... 0xAF:                        // STOS, LODS, SCAS
         return rep ? InsnRep : InsnPlain;
      default:
         return InsnPlain;
   }
}

/*--- Memory operands and branch targets                   ---*/

/* Return the index of the opcode in BYTES. */
static UInt x86_opcode(const UChar* code, UInt len, Bool is64)
{
   UInt i = 0;

   while (i < len && is_prefix(code[i]))
      i++;
   if (is64 && i < len && (code[i] & 0xF0) == 0x40)
      i++;
   return i;
}

/* The displacement is at the end of the instruction. */
Addr DCFG_(target_x86)(const UChar* code, UInt len, Bool is64, Addr addr)
{
   UInt i   = x86_opcode(code, len, is64);
   Int  far = 0;

   if (i >= len || (code[i] != 0x0F && code[i] != 0xE9) || len < 4)
      return addr + len + (Addr)(Long)(signed char)code[len - 1];
   dcfg_memcpy(&far, code + len - 4, 4);
   return addr + len + (Addr)(Long)far;
}

/* Return whether VEX passes a register operand through memory that the program
   does not have, as for BT of a register. */
static Bool has_false_memory_x86(const UChar* code, UInt len, Bool is64)
{
   UInt i = x86_opcode(code, len, is64);

   return i + 2 < len && code[i] == 0x0F
          && (code[i + 1] & 0xE7) == 0xA3 && code[i + 2] >= 0xC0;
}

UInt DCFG_(quirks_x86)(const UChar* code, UInt len, Bool is64)
{
   UInt i      = x86_opcode(code, len, is64);
   UInt quirks = 0;

   if (has_false_memory_x86(code, len, is64))
      quirks |= QuirkFalseMemory;
   if (i + 4 < len && code[i] == 0xC4 && (code[i + 1] & 0x1F) == 2
       && (code[i + 2] & 3) == 1 && (code[i + 3] & 0xFC) == 0x90)
      quirks |= QuirkGather;
   if (i + 1 < len && code[i] == 0xD9                      // FPTAN, FSINCOS
       && (code[i + 1] == 0xF2 || code[i + 1] == 0xFB))
      quirks |= QuirkMayPush;
   if (!is64 && i < len && code[i] == 0x60)                // PUSHA
      quirks |= QuirkStoresDownwards;
   return quirks;
}

/* Return whether CODE[I] is a ModRM byte with a memory operand. */
static Bool names_memory(const UChar* code, UInt i, UInt len)
{
   return i < len && code[i] < 0xC0;
}

UInt DCFG_(loads_x86)(const UChar* code, UInt len, Bool is64)
{
   UInt  i  = x86_opcode(code, len, is64);
   UChar op = i < len ? code[i] : 0;
   UChar next = i + 1 < len ? code[i + 1] : 0;

   if (op == 0x0F) {
      if (next == 0x38 || next == 0x3A)
         return names_memory(code, i + 3, len);
      if (next == 0x05 || next == 0x0B || next == 0x0D         // no operand
          || (next >= 0x18 && next <= 0x1F) || next == 0x31    // or only a hint
          || (next >= 0x80 && next <= 0x8F) || next == 0xA2
          || (next >= 0xC8 && next <= 0xCF))
         return 0;
      if (next == 0xA1 || next == 0xA9)                        // POP
         return 1;
      return names_memory(code, i + 2, len);
   }
   if (op == 0xC4 || op == 0xC5) {                             // VEX
      i += op == 0xC4 ? 3 : 2;
      return i < len && code[i] != 0x77 && names_memory(code, i + 1, len);
   }
   if (!is64 && (op == 0x07 || op == 0x17 || op == 0x1F))      // POP
      return 1;
   if (op < 0x40)
      return (op & 7) < 4 && names_memory(code, i + 1, len);
   switch (op) {
      case 0x8D:                                               // LEA
         return 0;
      case 0x61:                                               // POPA reads all
         return is64 ? 0 : 7;                                  // but ESP
      case 0x9D: case 0xA0: case 0xA1: case 0xC2: case 0xC3: case 0xC9:
      case 0xA4: case 0xA5: case 0xAC ... 0xAF: case 0xD7:     // POPF, MOV
         return 1;                                             // RET, LEAVE
      case 0xA6: case 0xA7:                                    // strings
         return 2;                                             // XLAT; CMPS
      case 0x63: case 0x69: case 0x6B:
      case 0xC0: case 0xC1: case 0xC6: case 0xC7: case 0xF6: case 0xF7:
      case 0xFE: case 0xFF:
         return names_memory(code, i + 1, len);
      default:
         if (op >= 0x58 && op <= 0x5F)                         // POP
            return 1;
         return ((op >= 0x80 && op <= 0x8F) || (op >= 0xD0 && op <= 0xDF))
                && names_memory(code, i + 1, len);
   }
}

/*--- Parts of an instruction                              ---*/

/* Parts: the parts of an instruction's encoding. */
typedef
   struct {
      UInt  map;          // opcode map: 0: one byte, 1: after 0F, 2: after 0F
                          // 38, 3: after 0F 3A
      UChar op, modrm;
      Bool  is64;         // in 64-bit code
      Bool  vex;          // has a VEX prefix
      Bool  p66, pF2, pF3;
      Bool  wide;         // REX.W
      Bool  memory;       // .modrm names memory
      UInt  reg, rm;      // the registers of .modrm
      UInt  vvvv;         // the register of the VEX prefix
      UInt  base, index;  // registers of the address, or 16
      UChar last;         // the last byte
   }
   Parts;

/* Read the VEX prefix that begins at CODE[I].  Return the index of the
   opcode. */
static UInt take_vex(Parts* p, const UChar* code, UInt len, UInt i, UInt* rex)
{
   static const UChar prefixes[] = { 0, 0x66, 0xF3, 0xF2 };
   UChar first = byte_at(code, len, i + 1);
   UChar last  = first;

   p->vex = True;
   p->map = 1;
   *rex   = first & 0x80 ? 0 : 4;
   if (code[i] == 0xC4) {
      last    = byte_at(code, len, i + 2);
      p->map  = first & 3;
      *rex    = ~first >> 5 & 7;
      p->wide = (last & 0x80) != 0;
   }
   p->vvvv = ~last >> 3 & 15;
   p->p66  = prefixes[last & 3] == 0x66;
   p->pF2  = prefixes[last & 3] == 0xF2;
   p->pF3  = prefixes[last & 3] == 0xF3;
   return i + (code[i] == 0xC4 ? 3 : 2);
}

static Parts take_apart(const UChar* code, UInt len, Bool is64)
{
   Parts p;
   UInt  i = 0, rex = 0;

   dcfg_memset(&p, 0, sizeof(p));
   p.is64 = is64;
   for (; i < len && is_prefix(code[i]); i++) {
      p.p66 |= code[i] == 0x66;
      p.pF2 |= code[i] == 0xF2;
      p.pF3 |= code[i] == 0xF3;
   }
   /* In 32-bit code, the bytes of REX are INC and DEC, and those of a VEX
      prefix are LES and LDS if a memory operand follows. */
   if ((byte_at(code, len, i) == 0xC4 || byte_at(code, len, i) == 0xC5)
       && (is64 || byte_at(code, len, i + 1) >= 0xC0)) {
      i = take_vex(&p, code, len, i, &rex);
   } else {
      if (is64 && (byte_at(code, len, i) & 0xF0) == 0x40)
         rex = code[i++];
      p.wide = (rex & 8) != 0;
      if (byte_at(code, len, i) == 0x0F) {
         UChar next = byte_at(code, len, i + 1);
         p.map = next == 0x38 ? 2 : next == 0x3A ? 3 : 1;
         i    += p.map == 1 ? 1 : 2;
      }
   }
   p.op     = byte_at(code, len, i);
   p.modrm  = byte_at(code, len, i + 1);
   p.memory = p.modrm < 0xC0;
   p.reg    = (p.modrm >> 3 & 7) + 2 * (rex & 4);
   p.rm     = (p.modrm & 7) + 8 * (rex & 1);
   p.base   = !p.memory ? 16
              : (p.modrm & 7) != 4 ? p.rm
              : (byte_at(code, len, i + 2) & 7) + 8 * (rex & 1);
   p.index  = p.memory && (p.modrm & 7) == 4
              ? (byte_at(code, len, i + 2) >> 3 & 7) + 4 * (rex & 2) : 16;
   p.last   = byte_at(code, len, len - 1);
   return p;
}

/*--- Locations                                            ---*/

enum { RAX = 0, RCX = 1, RDX = 2, RSP = 4, RSI = 6, RDI = 7, R11 = 11 };

static void set_locs(UChar* locs, UInt first, UInt n, UChar to)
{
   dcfg_memset(locs + first, to, n);
}

/* Add the N lowest bytes of general register REG to the uses. */
static void use_general(Usage* usage, UInt reg, UInt n)
{
   set_locs(usage->uses, LocGeneral + 8 * reg, n, 1);
}

/* Set the bytes from FIRST to below END of vector register REG to TO. */
static void set_vector(UChar* locs, UInt reg, UInt first, UInt end, UChar to)
{
   set_locs(locs, LocVector + 32 * reg + first, end - first, to);
}

/* Return the size of a general operand in bytes. */
static UInt operand_size(const Parts* p)
{
   return p->wide ? 8 : p->p66 ? 2 : 4;
}

/*--- Corrections of uses and definitions                  ---*/

static void correct_syscall(Usage* usage)
{
   static const UChar args[] = { 0, 7, 6, 2, 10, 8, 9 };

   for (UInt i = 0; i < sizeof(args); i++)
      use_general(usage, args[i], 8);
   set_locs(usage->defs, LocGeneral + 8 * RAX, 8, 1);
   set_locs(usage->defs, LocGeneral + 8 * R11, 8, 1);
}

/* Correct INT of 32-bit code. */
static void correct_int(Usage* usage)
{
   for (UInt r = 0; r < 8; r++)
      if (r != RSP)
         use_general(usage, r, 4);
   set_locs(usage->defs, LocGeneral + 8 * RAX, 4, 1);
}

/* Correct number WAY of the shifts and rotations, by a COUNT that VEX does not
   know. */
static void correct_shift(Usage* usage, UInt way, UInt count)
{
   /* Behind a shift by 0, VEX's flags may be others than before. */
   if (count == 0)
      return;
   usage->uses[LocCarry] = way == 2 || way == 3;              // RCL, RCR
   usage->uses[LocFlags] = way < 4;                           // rotations
}

/* Correct BT, BTS, BTR, BTC: they change C only.  VEX passes a register operand
   through memory. */
static void correct_bit_test(Usage* usage, const Parts* p, Bool false_memory)
{
   usage->uses[LocCarry] = usage->uses[LocFlags] = 0;
   usage->defs[LocFlags] = 0;
   if (!false_memory)
      return;
   usage->n_accesses = 0;
   set_locs(usage->uses, LocGeneral, LocCarry, 0);
   use_general(usage, p->rm, operand_size(p));
   use_general(usage, p->reg, operand_size(p));
   set_locs(usage->defs, LocGeneral + 8 * RSP, 8,
            p->rm == RSP && p->op != 0xA3);
   if (p->op == 0xA3)                        // BT: in 32-bit code, VEX writes
      set_locs(usage->defs, LocGeneral + 8 * p->rm, 8, 0);  // the operand back
}

/* Correct AAA, AAS, AAD, AAM, DAA, DAS: VEX's helper takes AX and all flags. */
static void correct_decimal(Usage* usage, UChar op)
{
   Bool both = op == 0x37 || op == 0x3F || op == 0xD5;        // AAA AAS AAD

   set_locs(usage->uses, LocGeneral + 8 * RAX + 1, 1, both);
   usage->uses[LocCarry] = op == 0x27 || op == 0x2F;          // DAA DAS
   usage->uses[LocFlags] = op < 0xD4;
   if (op == 0x27 || op == 0x2F)
      set_locs(usage->defs, LocGeneral + 8 * RAX + 1, 1, 0);
}

/* Correct SQRTSD and other instructions of one number, for which VEX takes
   whole registers.  The rest of the result comes from the old destination, or
   with a VEX prefix from the first operand. */
static void correct_scalar(Usage* usage, const Parts* p)
{
   UInt from = p->pF2 ? 8 : 4;
   UInt to   = p->op == 0x5A ? 12 - from : from;              // CVTSD2SS
   Bool one  = (p->op >= 0x51 && p->op <= 0x53) || p->op == 0x5A;
   UInt with = p->vex ? p->vvvv : p->reg;

   set_vector(usage->uses, with, 0, 32, 0);
   if (!p->memory) {
      set_vector(usage->uses, p->rm, 0, 32, 0);
      set_vector(usage->uses, p->rm, 0, from, 1);
   }
   if (!one)
      set_vector(usage->uses, with, 0, to, 1);
   if (p->vex)
      set_vector(usage->uses, with, to, 16, 1);
   else
      set_vector(usage->defs, p->reg, to, 16, 0);
}

/* Correct FXSAVE and FXRSTOR: they read or write 16 bytes of each vector
   register and all of x87's state. */
static void correct_fxsave(Usage* usage, const Parts* p, Bool save)
{
   for (UInt r = 0; r < (p->is64 ? 16 : 8); r++) {
      set_vector(usage->uses, r, 0, 16, save);
      set_vector(usage->defs, r, 0, 16, !save);
      set_vector(usage->uses, r, 16, 32, 0);
      set_vector(usage->defs, r, 16, 32, 0);
   }
   set_locs(usage->uses, LocX87, 64, save);
   set_locs(usage->defs, LocX87, 64, !save);
   usage->uses[LocStatus] = save;
   usage->defs[LocStatus] = !save;
}

/* Correct a gather: VEX reads elements outside the mask at RSP. */
static void correct_gather(Usage* usage, const Parts* p)
{
   if (p->base != RSP)
      set_locs(usage->uses, LocGeneral + 8 * RSP, 8, 0);
}

static void correct_one_byte(Usage* usage, const Parts* p)
{
   UChar op    = p->op;
   Bool  alike = !p->memory && p->reg == p->rm;

   if (alike && ((op >= 0x28 && op <= 0x2B)                   // SUB, XOR
                 || (op >= 0x30 && op <= 0x33))) {
      set_locs(usage->uses, 0, LocCarry + 2, 0);
   } else if (alike && op >= 0x18 && op <= 0x1B) {            // SBB
      set_locs(usage->uses, 0, LocCarry, 0);
      usage->uses[LocCarry] = 1;
      usage->uses[LocFlags] = 0;
   } else if (op == 0xC0 || op == 0xC1 || op == 0xD0 || op == 0xD1) {
      correct_shift(usage, p->modrm >> 3 & 7,
                    op >= 0xD0 ? 1 : p->last & (p->wide ? 63 : 31));
   } else if (op == 0xF8 || op == 0xF9 || op == 0xF5) {       // CLC STC CMC
      usage->uses[LocCarry] = op == 0xF5;
      usage->uses[LocFlags] = usage->defs[LocFlags] = 0;
   } else if (op == 0x9E) {                                   // SAHF: O stays
      set_locs(usage->uses, LocGeneral + 8 * RAX, 8, 0);
      usage->uses[LocGeneral + 8 * RAX + 1] = 1;
      usage->uses[LocCarry] = 0;
   } else if (op == 0x9F) {                                   // LAHF
      set_locs(usage->uses, LocGeneral + 8 * RAX, 8, 0);
      set_locs(usage->defs, LocGeneral + 8 * RAX, 8, 0);
      usage->defs[LocGeneral + 8 * RAX + 1] = 1;
   } else if (op == 0xCD) {                                   // INT
      correct_int(usage);
   } else if (op == 0x8E && !p->memory) {                     // MOV to GS
      use_general(usage, p->rm, 2);
   } else if (!p->is64 && ((op < 0x40 && (op & 7) == 7
                             && (op & 0x20) != 0)
                            || op == 0xD4 || op == 0xD5)) {
      correct_decimal(usage, op);
   } else if (op == 0xDD && p->memory && (p->modrm >> 3 & 7) == 6) {
      usage->defs[LocStatus] = 1;                             // FNSAVE
   }
}

static void correct_two_bytes(Usage* usage, const Parts* p, Bool false_memory)
{
   UChar op = p->op;

   if (op == 0x05) {                                          // SYSCALL
      correct_syscall(usage);
   } else if (op == 0x34) {                                   // SYSENTER
      correct_int(usage);
   } else if (!p->vex && ((op & 0xE7) == 0xA3 || op == 0xBA)) {
      correct_bit_test(usage, p, false_memory);
   } else if (op == 0xA2) {                                   // CPUID
      set_locs(usage->uses, LocGeneral, LocCarry, 0);
      use_general(usage, RAX, 4);
      use_general(usage, RCX, 4);
   } else if (!p->vex && (op & 0xFE) == 0xB0) {               // CMPXCHG
      usage->uses[LocCarry] = usage->uses[LocFlags] = 0;
   } else if (op == 0xC7 && p->memory && (p->modrm >> 3 & 7) == 1) {
      usage->uses[LocCarry] = usage->defs[LocCarry] = 0;      // CMPXCHG16B
   } else if (op == 0xA4 || op == 0xAC) {                     // SHLD, SHRD
      correct_shift(usage, 4, p->last & (p->wide ? 63 : 31));
   } else if (op == 0xAE && p->memory && !p->vex
              && (p->modrm >> 3 & 7) <= 1) {
      correct_fxsave(usage, p, (p->modrm >> 3 & 7) == 0);
   } else if ((p->pF2 || p->pF3)
              && ((op >= 0x51 && op <= 0x53) || op == 0x58 || op == 0x59
                  || op == 0x5A || (op >= 0x5C && op <= 0x5F)
                  || op == 0xC2)) {
      correct_scalar(usage, p);
   }
}

static void correct_three_bytes(Usage* usage, const Parts* p)
{
   if (p->vex && p->op >= 0x90 && p->op <= 0x93) {
      correct_gather(usage, p);
   } else if (!p->vex && p->op == 0xF6 && (p->p66 || p->pF3)) {
      UInt other = p->pF3 ? LocCarry : LocFlags;              // ADOX, ADCX
      usage->uses[other] = usage->defs[other] = 0;
   } else if (!p->vex && (p->op & 0xFE) == 0xF0 && p->pF2     // CRC32
              && (p->memory || p->rm != p->reg)
              && p->base != p->reg && p->index != p->reg) {
      set_locs(usage->uses, LocGeneral + 8 * p->reg + 4, 4, 0);
   }
}

/* Correct Valgrind's own instructions, which begin with four rotations that VEX
   does not execute.  XCHG of RBX with itself behind them is a client request:
   the core reads the request at RAX and changes RDX. */
static void correct_valgrinds(Usage* usage, const UChar* code, UInt len,
                              Bool is64)
{
   UInt n = is64 ? 8 : 4;

   if (code[len - 2] != 0x87 || code[len - 1] != 0xDB)
      return;
   use_general(usage, RAX, n);
   use_general(usage, RDX, n);
   set_locs(usage->defs, LocGeneral + 8 * RDX, n, 1);
}

void DCFG_(correct_usage_x86)(Usage* usage, const UChar* code, UInt len,
                              Bool is64)
{
   Parts p = take_apart(code, len, is64);

   if (is64 ? len > 15 : len == 14 && code[0] == 0xC1) {
      correct_valgrinds(usage, code, len, is64);
      return;
   }

   switch (p.map) {
      case 0:
         correct_one_byte(usage, &p);
         break;
      case 1:
         correct_two_bytes(usage, &p,
                           has_false_memory_x86(code, len, is64));
         break;
      case 2:
         correct_three_bytes(usage, &p);
         break;
      default:
         break;
   }
}

/*--- Registers changed besides the result                 ---*/

static void add_besides(Besides* to, UInt reg, Bool unless_alone)
{
   to->registers[to->n]      = reg;
   to->unless_alone[to->n++] = unless_alone;
}

void DCFG_(find_besides_x86)(const UChar* code, UInt len, Bool is64,
                             Besides* to)
{
   UInt  at   = x86_opcode(code, len, is64);
   UChar op   = byte_at(code, len, at);
   UChar next = byte_at(code, len, at + 1);

   if ((op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF)
       || (op >= 0x6C && op <= 0x6F)) {                  // strings
      add_besides(to, RSI, False);
      add_besides(to, RDI, False);
      add_besides(to, RCX, False);
   } else if (op == 0x0F && (next & 0xFE) == 0xB0) {     // CMPXCHG
      add_besides(to, RAX, True);
   } else if (op == 0x9F) {                              // LAHF
      to->only_byte = 2;
   } else if (!is64 && (op == 0x27 || op == 0x2F)) {     // DAA, DAS
      to->only_byte = 1;
   }
   /* A gather clears its mask. */
   if (op == 0xC4 && at + 3 < len && (next & 0x1F) == 2
       && (code[at + 3] & 0xFC) == 0x90)
      add_besides(to, FirstVector + (~code[at + 2] >> 3 & 15), False);
   add_besides(to, RSP, !has_false_memory_x86(code, len, is64));
}
