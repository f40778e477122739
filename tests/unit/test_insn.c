/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of instruction kinds. */

/* First, every form that transfers control, by hand, with its neighbours in the
   opcode map.  Then, if Capstone was there at build time, all code that this
   process has mapped, and random bytes, compared with Capstone. */

#if defined(__linux__) && __has_include(<capstone/capstone.h>)
#  define HAVE_CAPSTONE 1
#  define _GNU_SOURCE
#  include <link.h>
#  include <capstone/capstone.h>
#endif

#include "unit_common.h"
#include "tool/arch/x86/x86.h"

static const HChar* const names[] = {
   "plain", "cond", "jump", "indirect jump", "call", "indirect call",
   "return", "syscall", "rep"
};

/* Modes: in which modes an instruction has this kind. */
typedef enum { In64 = 1, In32 = 2, InBoth = 3 } Modes;

typedef
   struct {
      const HChar* hex;
      Modes        modes;
      InsnKind     kind;
   }
   Form;

static UInt bytes_of(const HChar* hex, UChar* bytes)
{
   UInt n = 0;

   for (; *hex; hex += *hex == ' ')
      bytes[n++] = (UChar)strtoul(hex, (char**)&hex, 16);
   return n;
}

static void check_form(const UChar* bytes, UInt n, Bool is64, InsnKind kind,
                       const HChar* what)
{
   /* A buffer of just this length: the address sanitizer reports any read
      beyond it. */
   UChar*   copy = malloc(n);
   memcpy(copy, bytes, n);
   InsnKind is   = DCFG_(classify_x86)(copy, n, is64);
   free(copy);
   require(is == kind, "%s in %u-bit mode: %s, not %s", what,
           is64 ? 64 : 32, names[is], names[kind]);
}

static void check_forms(const Form* forms, UInt n)
{
   for (UInt i = 0; i < n; i++) {
      UChar bytes[16];
      UInt  len = bytes_of(forms[i].hex, bytes);
      if (forms[i].modes & In64)
         check_form(bytes, len, True, forms[i].kind, forms[i].hex);
      if (forms[i].modes & In32)
         check_form(bytes, len, False, forms[i].kind, forms[i].hex);
   }
}
#define CHECK_FORMS(f) check_forms(f, sizeof(f) / sizeof(f[0]))

/*--- By hand                                              ---*/

START_TEST(test_transfers)
{
   static const Form forms[] = {
      { "e8 00 00 00 00",          InBoth, InsnCall },
      { "48 e8 00 00 00 00",       In64,   InsnCall },  // TLS sequences
      { "66 66 48 e8 00 00 00 00", In64,   InsnCall },
      { "67 e8 00 00 00 00",       InBoth, InsnCall },
      { "f2 e8 00 00 00 00",       InBoth, InsnCall },  // bnd call
      { "e9 00 00 00 00",          InBoth, InsnJump },
      { "eb fe",                   InBoth, InsnJump },
      { "f2 e9 00 00 00 00",       InBoth, InsnJump },  // bnd jmp
      { "f2 eb 00",                InBoth, InsnJump },
      { "c3",                      InBoth, InsnReturn },
      { "f3 c3",                   InBoth, InsnReturn },  // rep ret
      { "f2 c3",                   InBoth, InsnReturn },  // bnd ret
      { "66 c3",                   InBoth, InsnReturn },
      { "48 c3",                   In64,   InsnReturn },
      { "c2 08 00",                InBoth, InsnReturn },
      { "cb",                      InBoth, InsnReturn },
      { "ca 08 00",                InBoth, InsnReturn },
      { "48 cb",                   In64,   InsnReturn },
      { "cf",                      InBoth, InsnReturn },  // iret
      { "48 cf",                   In64,   InsnReturn },
      { "e3 00",                   InBoth, InsnCond },    // jrcxz
      { "67 e3 00",                InBoth, InsnCond },    // addr32
      { "e0 00",                   InBoth, InsnCond },    // loopne
      { "e1 00",                   InBoth, InsnCond },    // loope
      { "e2 00",                   InBoth, InsnCond },    // loop
      { "67 e2 00",                InBoth, InsnCond },
      { "c7 f8 00 00 00 00",       InBoth, InsnCond },    // xbegin
      { "66 c7 f8 00 00",          In32,   InsnCond },
      { "cd 80",                   InBoth, InsnSyscall },
      { "0f 05",                   InBoth, InsnSyscall },
      { "0f 34",                   InBoth, InsnSyscall },
      { "48 0f 05",                In64,   InsnSyscall },
   };
   CHECK_FORMS(forms);
   for (UInt cc = 0; cc < 16; cc++) {
      static const UChar prefixes[] = { 0x90, 0x2E, 0x3E, 0xF2, 0x66 };
      UChar bytes[8] = { 0, 0x0F, 0x80 + cc, 1, 2, 3, 4 };
      UChar brief[4] = { 0, 0x70 + cc, 0x10 };
      for (UInt p = 0; p < sizeof(prefixes); p++) {
         UInt none = p == 0;    // branch hints, bnd, operand size
         bytes[0]  = brief[0] = prefixes[p];
         for (Int is64 = 0; is64 < 2; is64++) {
            check_form(bytes + none, 7 - none, is64, InsnCond, "jcc rel32");
            check_form(brief + none, 3 - none, is64, InsnCond, "jcc rel8");
         }
      }
   }
}
END_TEST

/* FF is a group: with 2 to 5 in bits 3 to 5 of the second byte it transfers
   control, to an address in memory or in a register. */
START_TEST(test_group_ff)
{
   static const InsnKind kinds[8] = {
      InsnPlain, InsnPlain, InsnIndirectCall, InsnIndirectCall,
      InsnIndirectJump, InsnIndirectJump, InsnPlain, InsnPlain
   };
   static const HChar* const prefixes[] = {
      "", "f2 ", "3e ", "66 ", "67 ", "65 ", "3e f2 ", "f0 ",
      "48 ", "41 ", "3e 41 ", "f2 4f ", "66 48 "
   };
   for (UInt p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
      UChar bytes[16];
      UInt  n = bytes_of(prefixes[p], bytes);
      for (UInt modrm = 0; modrm < 256; modrm++) {
         bytes[n]     = 0xFF;
         bytes[n + 1] = (UChar)modrm;
         memset(bytes + n + 2, 0, 5);
         check_form(bytes, n + 7, True, kinds[(modrm >> 3) & 7],
                    prefixes[p]);
         if (p < 8)
            check_form(bytes, n + 7, False, kinds[(modrm >> 3) & 7],
                       prefixes[p]);
      }
   }
   /* The shortest forms, and FE beside them. */
   static const Form forms[] = {
      { "ff d0", InBoth, InsnIndirectCall },
      { "ff e0", InBoth, InsnIndirectJump },
      { "ff c0", InBoth, InsnPlain },
      { "ff 30", InBoth, InsnPlain },
      { "fe d0", InBoth, InsnPlain },
   };
   CHECK_FORMS(forms);
}
END_TEST

/* All string instructions, with and without the prefix, which may stand
   anywhere among the others. */
START_TEST(test_rep)
{
   static const UChar strings[] = {
      0xA4, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF,
      0x6C, 0x6D, 0x6E, 0x6F
   };
   static const HChar* const repeated[] = {
      "f3 ", "f2 ", "f3 66 ", "66 f3 ", "67 f3 ", "f3 67 ", "26 f3 ",
      "f3 f3 ", "f3 48 ", "66 f3 48 ", "f2 40 "
   };
   static const HChar* const once[] = { "", "66 ", "67 ", "65 ", "48 " };
   for (UInt i = 0; i < sizeof(strings); i++) {
      UChar bytes[16];
      for (UInt p = 0; p < sizeof(repeated) / sizeof(repeated[0]); p++) {
         UInt n   = bytes_of(repeated[p], bytes);
         bytes[n] = strings[i];
         check_form(bytes, n + 1, True, InsnRep, repeated[p]);
         if (p < 8)
            check_form(bytes, n + 1, False, InsnRep, repeated[p]);
      }
      for (UInt p = 0; p < sizeof(once) / sizeof(once[0]); p++) {
         UInt n   = bytes_of(once[p], bytes);
         bytes[n] = strings[i];
         check_form(bytes, n + 1, True, InsnPlain, once[p]);
         if (p < 4)
            check_form(bytes, n + 1, False, InsnPlain, once[p]);
      }
   }
}
END_TEST

/* The processor takes REX prefixes anywhere, and ignores all but one right
   before the opcode; VEX takes them anywhere, too. */
START_TEST(test_stray_rex)
{
   static const Form forms[] = {
      { "48 f3 a4",                In64,   InsnRep },
      { "f3 48 66 a5",             In64,   InsnRep },
      { "48 66 a5",                In64,   InsnPlain },
      { "48 66 c3",                In64,   InsnReturn },
      { "40 48 e8 00 00 00 00",    In64,   InsnCall },
      { "41 3e ff e0",             In64,   InsnIndirectJump },
      { "48 2e 0f 84 00 00 00 00", In64,   InsnCond },
      { "4f 65 0f 05",             In64,   InsnSyscall },
   };
   CHECK_FORMS(forms);
}
END_TEST

/* Instructions that look like one of the above: prefixes that choose another
   opcode, opcodes of other maps, operands. */
/* Without a decoder: the end of the superblock tells the kind, and its exits
   do. */
START_TEST(test_generic)
{
   static const struct {
      InsnEnd  end;
      Bool     is_direct, falls_through, may_branch;
      InsnKind kind;
   } cases[] = {
      { EndsOtherwise, True,  False, False, InsnPlain        },
      { EndsOtherwise, True,  False, True,  InsnCond         },
      { EndsBoring,    True,  True,  False, InsnPlain        },
      { EndsBoring,    True,  False, False, InsnJump         },
      { EndsBoring,    True,  True,  True,  InsnCond         },
      { EndsBoring,    True,  False, True,  InsnCond         },
      { EndsBoring,    False, False, False, InsnIndirectJump },
      { EndsBoring,    False, False, True,  InsnIndirectJump },
      { EndsCall,      True,  False, False, InsnCall         },
      { EndsCall,      True,  True,  False, InsnCall         },
      { EndsCall,      False, False, False, InsnIndirectCall },
      { EndsReturn,    False, False, False, InsnReturn       },
      { EndsSyscall,   True,  True,  False, InsnSyscall      },
   };

   for (UInt i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
      ck_assert_str_eq(names[DCFG_(classify_generic)(
                                cases[i].end, cases[i].is_direct,
                                cases[i].falls_through,
                                cases[i].may_branch)],
                       names[cases[i].kind]);
}
END_TEST

/* The number of loads in VEX, with 32 bits and with 64. */
START_TEST(test_loads)
{
   static const struct { const HChar* code; UInt n, in_32, in_64; } all[] = {
      { "\xA6", 1, 2, 2 },               // cmpsb
      { "\x66\xF3\xA7", 3, 2, 2 },       // repe cmpsw
      { "\xF2\xAF", 2, 1, 1 },           // repne scasl
      { "\xAC", 1, 1, 1 },               // lodsb
      { "\xA5", 1, 1, 1 },               // movsl
      { "\xAB", 1, 0, 0 },               // stosl
      { "\xD7", 1, 1, 1 },               // xlat
      { "\x61", 1, 7, 0 },               // popal
      { "\x1F", 1, 1, 0 },               // pop %ds
      { "\x0F\xA9", 2, 1, 1 },           // pop %gs
      { "\x5B", 1, 1, 1 },               // pop %ebx
      { "\x8B\x45\x08", 3, 1, 1 },       // mov 8(%ebp), %eax
      { "\x8D\x45\x08", 3, 0, 0 },       // lea 8(%ebp), %eax
      { "\x89\xC3", 2, 0, 0 },           // mov %eax, %ebx
      { "\x0F\x1F\x40\x00", 4, 0, 0 }    // nop 0(%eax)
   };

   for (UInt i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
      const UChar* code = (const UChar*)all[i].code;
      ck_assert_uint_eq(DCFG_(loads_x86)(code, all[i].n, False), all[i].in_32);
      ck_assert_uint_eq(DCFG_(loads_x86)(code, all[i].n, True), all[i].in_64);
   }
}
END_TEST

START_TEST(test_plain)
{
   static const Form forms[] = {
      { "90",                      InBoth, InsnPlain },
      { "f3 90",                   InBoth, InsnPlain },  // pause
      { "f3 0f 1e fa",             InBoth, InsnPlain },  // endbr64
      { "f3 0f 1e fb",             InBoth, InsnPlain },  // endbr32
      { "f3 0f b8 c1",             InBoth, InsnPlain },  // popcnt
      { "f3 48 0f b8 c1",          In64,   InsnPlain },
      { "f3 0f bc c1",             InBoth, InsnPlain },  // tzcnt
      { "f2 0f 10 00",             InBoth, InsnPlain },  // movsd
      { "f3 0f 10 00",             InBoth, InsnPlain },  // movss
      { "f3 44 0f 11 00",          In64,   InsnPlain },
      { "f3 0f 6f 00",             InBoth, InsnPlain },  // movdqu
      { "66 0f 6f 00",             InBoth, InsnPlain },  // movdqa
      { "f3 0f e6 c1",             InBoth, InsnPlain },  // cvtdq2pd
      { "0f e8 c1",                InBoth, InsnPlain },  // psubsb
      { "0f e9 c1",                InBoth, InsnPlain },
      { "0f eb c1",                InBoth, InsnPlain },
      { "0f 70 c1 00",             InBoth, InsnPlain },  // pshufw
      { "0f 90 c0",                InBoth, InsnPlain },  // seto
      { "0f 44 c1",                InBoth, InsnPlain },  // cmove
      { "0f a2",                   InBoth, InsnPlain },  // cpuid
      { "0f a4 c1 05",             InBoth, InsnPlain },  // shld
      { "0f 31",                   InBoth, InsnPlain },  // rdtsc
      { "0f 0b",                   InBoth, InsnPlain },  // ud2
      { "0f 38 80 00",             InBoth, InsnPlain },  // another map
      { "0f 3a 0f c1 05",          InBoth, InsnPlain },  // palignr
      { "c5 f8 77",                InBoth, InsnPlain },  // vzeroupper
      { "c5 fb 10 00",             InBoth, InsnPlain },  // vmovsd
      { "c5 fe 6f 00",             InBoth, InsnPlain },  // vmovdqu
      { "c5 f9 e8 c1",             InBoth, InsnPlain },  // vpsubsb
      { "c4 e2 7d 18 00",          InBoth, InsnPlain },
      { "c4 e3 7d 0f c1 e8",       InBoth, InsnPlain },
      { "62 f1 7c 48 10 00",       InBoth, InsnPlain },  // EVEX
      { "c6 f8 01",                InBoth, InsnPlain },  // xabort
      { "c7 00 f8 00 00 00",       InBoth, InsnPlain },
      { "c7 c0 c3 00 00 00",       InBoth, InsnPlain },
      { "b8 e8 00 00 00",          InBoth, InsnPlain },
      { "6a e9",                   InBoth, InsnPlain },
      { "68 c3 c3 c3 c3",          InBoth, InsnPlain },
      { "a8 ff",                   InBoth, InsnPlain },  // test
      { "f0 ff 00",                InBoth, InsnPlain },  // lock incl
      { "f0 48 0f b1 0a",          In64,   InsnPlain },  // lock cmpxchg
      { "f0 0f c7 08",             InBoth, InsnPlain },  // cmpxchg8b
      { "f2 f0 ff 00",             InBoth, InsnPlain },  // xacquire
      { "f4",                      InBoth, InsnPlain },  // hlt
      { "cc",                      InBoth, InsnPlain },  // int3
      /* In 32-bit mode, 40..4f are instructions, not prefixes.  A decoder of
         one instruction would not read the bytes behind them. */
      { "40",                      In32,   InsnPlain },
      { "48",                      In32,   InsnPlain },
      { "66 4f",                   In32,   InsnPlain },
      { "48 c3",                   In32,   InsnPlain },
      { "41 ff d0",                In32,   InsnPlain },
      { "f3 48 a4",                In32,   InsnPlain },
      /* Prefixes without an opcode must not be read beyond. */
      { "66",                      InBoth, InsnPlain },
      { "f3",                      InBoth, InsnPlain },
      { "48",                      InBoth, InsnPlain },
      { "f3 48",                   InBoth, InsnPlain },
      { "0f",                      InBoth, InsnPlain },
      { "ff",                      InBoth, InsnPlain },
   };
   CHECK_FORMS(forms);
}
END_TEST

/*--- Capstone's opinion                                   ---*/

#if HAVE_CAPSTONE

static Bool is_string(const cs_insn* in)
{
   UChar op = in->detail->x86.opcode[0];
   /* Capstone gives SSE's movsd and cmpsd the numbers of the string
      instructions; their opcodes start with 0f. */
   return (op >= 0xA4 && op <= 0xA7) || (op >= 0xAA && op <= 0xAF)
          || (op >= 0x6C && op <= 0x6F);
}

/* Capstone's own .prefix lacks the F2 of `repne movs'. */
static Bool has_rep(const cs_insn* in)
{
   for (UInt i = 0; i < in->size
                    && in->bytes[i] != in->detail->x86.opcode[0]; i++)
      if (in->bytes[i] == 0xF2 || in->bytes[i] == 0xF3)
         return True;
   return False;
}

/* Return whether no program can run it under Valgrind: VEX does not know far
   calls and jumps to an address in the code, and the kernel's returns are for
   the kernel. */
static Bool is_foreign(const cs_insn* in)
{
   UChar op = in->detail->x86.opcode[0];
   /* Capstone 5 has numbers of its own for SYSRETQ and SYSEXITQ. */
   return op == 0x9A || op == 0xEA || strncmp(in->mnemonic, "sysret", 6) == 0
          || strncmp(in->mnemonic, "sysexit", 7) == 0;
}

static Bool in_group(const cs_insn* in, UChar group)
{
   for (UInt i = 0; i < in->detail->groups_count; i++)
      if (in->detail->groups[i] == group)
         return True;
   return False;
}

static InsnKind kind_by_capstone(const cs_insn* in)
{
   const cs_x86* x      = &in->detail->x86;
   Bool          direct = x->op_count == 1
                          && x->operands[0].type == X86_OP_IMM;

   switch (in->id) {
      case X86_INS_LOOP: case X86_INS_LOOPE: case X86_INS_LOOPNE:
      case X86_INS_XBEGIN:
         return InsnCond;
      case X86_INS_SYSCALL: case X86_INS_SYSENTER: case X86_INS_INT:
         return InsnSyscall;
      case X86_INS_INT3:
         return InsnPlain;
      /* Capstone has no group for a far return. */
      case X86_INS_RETF: case X86_INS_RETFQ:
         return InsnReturn;
      default:
         break;
   }
   if (in_group(in, CS_GRP_CALL) || in->id == X86_INS_LCALL)
      return direct ? InsnCall : InsnIndirectCall;
   if (in_group(in, CS_GRP_RET) || in_group(in, CS_GRP_IRET))
      return InsnReturn;
   if (in_group(in, CS_GRP_JUMP) || in->id == X86_INS_LJMP) {
      if (in->id != X86_INS_JMP && in->id != X86_INS_LJMP)
         return InsnCond;
      return direct ? InsnJump : InsnIndirectJump;
   }
   return is_string(in) && has_rep(in) ? InsnRep : InsnPlain;
}

/* By kind: instructions compared. */
static UInt compared[InsnRep + 1];

static void compare(const cs_insn* in, Bool is64)
{
   if (is_foreign(in))
      return;
   InsnKind theirs = kind_by_capstone(in);
   InsnKind ours   = DCFG_(classify_x86)(in->bytes, in->size, is64);

   if (ours != theirs) {
      HChar hex[64] = "";
      for (UInt i = 0; i < in->size; i++)
         sprintf(hex + 3 * i, "%02x ", in->bytes[i]);
      require(False, "%s(%s %s) in %u-bit mode: %s, not %s", hex,
              in->mnemonic, in->op_str, is64 ? 64 : 32, names[ours],
              names[theirs]);
   }
   compared[ours]++;
}

static csh open_capstone(Bool is64)
{
   csh handle;
   ck_assert_int_eq(cs_open(CS_ARCH_X86, is64 ? CS_MODE_64 : CS_MODE_32,
                            &handle), CS_ERR_OK);
   cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
   return handle;
}

#if defined(__x86_64__)
/* Bytes of each object that are compared: the rest shows nothing new. */
#define MAX_SWEEP (2 << 20)

/* Compare the code of an object that is mapped here. */
static int sweep(struct dl_phdr_info* object, size_t size, void* data)
{
   (void)size;
   (void)data;
   for (UInt i = 0; i < object->dlpi_phnum; i++) {
      if (object->dlpi_phdr[i].p_type != PT_LOAD
          || !(object->dlpi_phdr[i].p_flags & PF_X))
         continue;
      const uint8_t* code = (const uint8_t*)object->dlpi_addr
                            + object->dlpi_phdr[i].p_vaddr;
      size_t   n    = object->dlpi_phdr[i].p_memsz;
      uint64_t addr = 0;
      csh      handle = open_capstone(True);
      cs_insn* in     = cs_malloc(handle);
      if (n > MAX_SWEEP)
         n = MAX_SWEEP;
      while (n > 0)
         if (cs_disasm_iter(handle, &code, &n, &addr, in)) {
            compare(in, True);
         } else {          // too new for Capstone
            code++;
            n--;
         }
      cs_free(in, 1);
      cs_close(&handle);
   }
   return 0;
}

START_TEST(test_real_code)
{
   dl_iterate_phdr(sweep, NULL);
   /* Otherwise the test tests nothing. */
   ck_assert_uint_gt(compared[InsnPlain], 100000);
   ck_assert_uint_gt(compared[InsnCond], 10000);
   ck_assert_uint_gt(compared[InsnIndirectCall], 100);
   ck_assert_uint_gt(compared[InsnReturn], 100);
}
END_TEST
#endif

/* Bytes that look like code: some prefixes, an opcode, operands. */
START_TEST(test_random_code)
{
   static const UChar prefixes[] = {
      0xF2, 0xF3, 0x66, 0x67, 0x2E, 0x3E, 0x65
   };
   start_chance(1);
   for (Int is64 = 0; is64 < 2; is64++) {
      csh      handle = open_capstone(is64);
      cs_insn* in     = cs_malloc(handle);
      for (UInt i = 0; i < 300000; i++) {
         uint8_t        bytes[15];
         const uint8_t* code = bytes;
         size_t         n    = sizeof(bytes);
         uint64_t       addr = 0x1000;
         UInt           k    = 0;
         while (chance(30) && k < 3)
            bytes[k++] = prefixes[below(sizeof(prefixes))];
         if (is64 && chance(30))
            bytes[k++] = 0x40 + below(16);
         while (k < sizeof(bytes))
            bytes[k++] = (uint8_t)any_number();
         if (cs_disasm_iter(handle, &code, &n, &addr, in))
            compare(in, is64);
      }
      cs_free(in, 1);
      cs_close(&handle);
   }
   for (UInt kind = 0; kind <= InsnRep; kind++)
      ck_assert_uint_gt(compared[kind], 500);
}
END_TEST

#endif /* HAVE_CAPSTONE */

int main(void)
{
   Suite* s = suite_create("insn");

   TCase* c = add_case(s, test_transfers, test_group_ff, test_rep,
                       test_stray_rex, test_generic, test_plain, test_loads);
#if HAVE_CAPSTONE
#  if defined(__x86_64__)
   tcase_add_test(c, test_real_code);
#  endif
   tcase_add_test(c, test_random_code);
#endif
   return run_suite(s);
}
