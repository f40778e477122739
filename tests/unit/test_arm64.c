/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Test of the kinds of arm64 instructions. */

/* First, every form that transfers control, by hand, with its neighbours in the
   encoding.  Then, if Capstone was there at build time, every class of
   encodings compared with Capstone. */

#if __has_include(<capstone/capstone.h>)
#  define HAVE_CAPSTONE 1
#  include <capstone/capstone.h>
#endif

#include "unit_common.h"
#include "tool/arch/arm64/arm64.h"

static const HChar* const names[] = {
   "plain", "cond", "jump", "indirect jump", "call", "indirect call",
   "return", "syscall", "rep"
};

static InsnKind kind_of(UInt word)
{
   /* A buffer of just this length: the address sanitizer reports any read
      beyond it. */
   UChar* bytes = malloc(4);
   for (UInt i = 0; i < 4; i++)
      bytes[i] = (UChar)(word >> 8 * i);
   InsnKind kind = DCFG_(classify_arm64)(bytes, 4);
   free(bytes);
   return kind;
}

START_TEST(test_forms)
{
   static const struct { UInt word; InsnKind kind; } forms[] = {
      { 0x14000000, InsnJump },          // b .
      { 0x17FFFFFF, InsnJump },          // b .-4
      { 0x94000001, InsnCall },          // bl
      { 0x97FFFFFF, InsnCall },
      { 0x54000000, InsnCond },          // b.eq
      { 0x5400004E, InsnCond },          // b.al, conditional by its form
      { 0x54000050, InsnCond },          // bc.eq
      { 0x55000000, InsnPlain },         // next to it
      { 0x34000000, InsnCond },          // cbz w0
      { 0xB5FFFFE1, InsnCond },          // cbnz x1
      { 0x36000000, InsnCond },          // tbz w0, #0
      { 0xB7F80001, InsnCond },          // tbnz x1, #63
      { 0x38000000, InsnPlain },         // sturb
      { 0xD61F0000, InsnIndirectJump },  // br x0
      { 0xD61F03C0, InsnIndirectJump },  // br x30
      { 0xD61F081F, InsnIndirectJump },  // braaz x0
      { 0xD71F0801, InsnIndirectJump },  // braa x0, x1
      { 0xD63F0100, InsnIndirectCall },  // blr x8
      { 0xD63F0C1F, InsnIndirectCall },  // blrabz x0
      { 0xD73F0801, InsnIndirectCall },  // blraa x0, x1
      { 0xD65F03C0, InsnReturn },        // ret
      { 0xD65F0140, InsnReturn },        // ret x10
      { 0xD65F0BFF, InsnReturn },        // retaa
      { 0xD69F03E0, InsnReturn },        // eret
      { 0xD6BF03E0, InsnPlain },         // drps, which is for debuggers
      { 0xD6000000, InsnPlain },         // not allocated
      { 0xD4000001, InsnSyscall },       // svc #0
      { 0xD41FFFE1, InsnSyscall },       // svc #0xffff
      { 0xD4000002, InsnPlain },         // hvc
      { 0xD4000003, InsnPlain },         // smc
      { 0xD4200000, InsnPlain },         // brk
      { 0xD4400000, InsnPlain },         // hlt
      { 0xD503201F, InsnPlain },         // nop
      { 0xD503245F, InsnPlain },         // bti c
      { 0xD5033FDF, InsnPlain },         // isb
      { 0x58000040, InsnPlain },         // ldr x0, .+8: a literal
      { 0x18000040, InsnPlain },         // ldr w0, .+8
      { 0xC85F7C20, InsnPlain },         // ldxr
      { 0xC8027C20, InsnPlain },         // stxr
      { 0x10000000, InsnPlain },         // adr
      { 0x90000000, InsnPlain },         // adrp
      { 0x00000000, InsnPlain },         // udf
      { 0x93CC0D8C, InsnPlain },         // ror, of a client request
   };

   for (UInt i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
      require(kind_of(forms[i].word) == forms[i].kind, "%08x: %s, not %s",
              forms[i].word, names[kind_of(forms[i].word)],
              names[forms[i].kind]);
   /* A buffer shorter than an instruction must not be read beyond its end. */
   for (UInt n = 0; n < 4; n++) {
      UChar* bytes = calloc(n + 1, 1);
      ck_assert_uint_eq(DCFG_(classify_arm64)(bytes, n), InsnPlain);
      free(bytes);
   }
}
END_TEST

static void put_word(UChar* bytes, UInt word)
{
   for (UInt i = 0; i < 4; i++)
      bytes[i] = (UChar)(word >> 8 * i);
}

/* Targets of direct branches, loads, registers written back. */
START_TEST(test_operands)
{
   static const struct { UInt word; Long distance; } branches[] = {
      { 0x14000000, 0 }, { 0x17FFFFFF, -4 }, { 0x15FFFFFF, 0x7FFFFFC },
      { 0x96000000, -0x8000000 }, { 0x54000020, 4 }, { 0x54FFFFE0, -4 },
      { 0x547FFFE0, 0xFFFFC }, { 0x34800000, -0x100000 },
      { 0xB5000041, 8 }, { 0x36000040, 8 }, { 0x37FFFFE0, -4 },
      { 0xB7F40000, -0x8000 }, { 0xB743FFE0, 0x7FFC }
   };
   static const struct { UInt word, loads, back; Bool exclusive; } all[] = {
      { 0xF9400000, 1, 32, False },      // ldr x0, [x0]
      { 0xF9000000, 0, 32, False },      // str
      { 0xF8408C41, 1, 2, False },       // ldr x1, [x2, #8]!
      { 0xF8008461, 0, 3, False },       // str x1, [x3], #8
      { 0xF8617841, 1, 32, False },      // ldr x1, [x2, x1, lsl #3]
      { 0xB9800041, 1, 32, False },      // ldrsw
      { 0xF9800041, 0, 32, False },      // prfm
      { 0xF8A17841, 0, 32, False },      // prfm, register
      { 0xF8800041, 0, 32, False },      // prfum
      { 0xD8000040, 0, 32, False },      // prfm, literal
      { 0x58000040, 1, 32, False },      // ldr x0, .+8
      { 0x9C000040, 1, 32, False },      // ldr q0, .+8
      { 0xA9407BFD, 2, 32, False },      // ldp x29, x30, [sp]
      { 0xA8C17BFD, 2, 31, False },      // ldp x29, x30, [sp], #16
      { 0xA9BF7BFD, 0, 31, False },      // stp x29, x30, [sp, #-16]!
      { 0xAD400440, 2, 32, False },      // ldp q0, q1, [x2]
      { 0x3DC00040, 1, 32, False },      // ldr q0, [x2]
      { 0x3D800040, 0, 32, False },      // str q0, [x2]
      { 0xC85F7C20, 1, 32, False },      // ldxr
      { 0xC8027C20, 0, 32, True },       // stxr
      { 0x0802FC20, 0, 32, True },       // stlxrb
      { 0xC8220440, 0, 32, True },       // stxp
      { 0xC87F0440, 1, 32, False },      // ldxp
      { 0xC8DFFC20, 1, 32, False },      // ldar
      { 0xC89FFC20, 0, 32, False },      // stlr
      { 0xC8A07C41, 1, 32, False },      // cas
      { 0x48207C82, 1, 32, False },      // casp
      { 0xF8200041, 1, 32, False },      // ldadd
      { 0xF8208041, 1, 32, False },      // swp
      { 0x4C407040, 1, 32, False },      // ld1 {v0.16b}, [x2]
      { 0x4CDFA040, 2, 2, False },       // ld1 {v0.16b, v1.16b}, [x2], #32
      { 0x4C408040, 2, 32, False },      // ld2
      { 0x4C404040, 3, 32, False },      // ld3
      { 0x4C400040, 4, 32, False },      // ld4
      { 0x4C000040, 0, 32, False },      // st4
      { 0x0D400040, 1, 32, False },      // ld1 {v0.b}[0], [x2]
      { 0x0D60E040, 4, 32, False },      // ld4r
      { 0x8B000000, 0, 32, False },      // add
      { 0x00000000, 0, 32, False }
   };
   UChar bytes[4];

   for (UInt i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
      put_word(bytes, branches[i].word);
      Long to = (Long)DCFG_(target_arm64)(bytes, 4, 0x100000000) - 0x100000000;
      require(to == branches[i].distance, "%08x: %lld, not %lld",
              branches[i].word, to, branches[i].distance);
   }
   for (UInt i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
      put_word(bytes, all[i].word);
      require(DCFG_(loads_arm64)(bytes, 4) == all[i].loads,
              "%08x: %u loads", all[i].word, DCFG_(loads_arm64)(bytes, 4));
      require(DCFG_(written_back_arm64)(bytes, 4) == all[i].back,
              "%08x writes back %u", all[i].word,
              DCFG_(written_back_arm64)(bytes, 4));
      require(!!(DCFG_(quirks_arm64)(bytes, 4) & QuirkStoreExclusive)
              == all[i].exclusive,
              "%08x: exclusive", all[i].word);
   }
}
END_TEST

/*--- Capstone's opinion                                   ---*/

#if HAVE_CAPSTONE

/* Return the kind by the mnemonic: Capstone has no number for some forms of
   branches that it knows as system instructions. */
static InsnKind kind_by_capstone(const cs_insn* in)
{
   static const struct { const HChar* name; InsnKind kind; } all[] = {
      { "b", InsnJump }, { "bl", InsnCall }, { "br", InsnIndirectJump },
      { "blr", InsnIndirectCall }, { "ret", InsnReturn },
      { "eret", InsnReturn }, { "svc", InsnSyscall },
      { "cbz", InsnCond }, { "cbnz", InsnCond }, { "tbz", InsnCond },
      { "tbnz", InsnCond },
      { "braa", InsnIndirectJump }, { "brab", InsnIndirectJump },
      { "braaz", InsnIndirectJump }, { "brabz", InsnIndirectJump },
      { "blraa", InsnIndirectCall }, { "blrab", InsnIndirectCall },
      { "blraaz", InsnIndirectCall }, { "blrabz", InsnIndirectCall },
      { "retaa", InsnReturn }, { "retab", InsnReturn },
      { "eretaa", InsnReturn }, { "eretab", InsnReturn }
   };

   if (strncmp(in->mnemonic, "b.", 2) == 0
       || strncmp(in->mnemonic, "bc.", 3) == 0)
      return InsnCond;
   for (UInt i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      if (strcmp(in->mnemonic, all[i].name) == 0)
         return all[i].kind;
   return InsnPlain;
}

/* Return whether NAME begins with a word of LIST, words separated by spaces. */
static Bool begins(const HChar* name, const HChar* list)
{
   for (size_t n; *list != 0; list += n + (list[n] == ' ')) {
      n = strcspn(list, " ");
      if (strncmp(name, list, n) == 0)
         return True;
   }
   return False;
}

/* Return the loads by the mnemonic: pairs have two, structures one a
   register. */
static UInt loads_by_capstone(csh handle, const cs_insn* in)
{
   const cs_arm64* d = &in->detail->arm64;
   UInt            n = 0;

   if (begins(in->mnemonic, "ldp ldnp"))
      return 2;
   if (begins(in->mnemonic, "ld1 ld2 ld3 ld4")) {
      for (UInt i = 0; i < d->op_count; i++)
         n += d->operands[i].type == ARM64_OP_REG
              && strchr("vqd", cs_reg_name(handle, d->operands[i].reg)[0]);
      return n;
   }
   /* Capstone 5 calls LDADD and its kin STADD if the old value is not used. */
   if (begins(in->mnemonic, "stadd stclr steor stset stsmax stsmin stumax stumin"))
      return 1;
   return begins(in->mnemonic, "ld cas swp");
}

static UInt more_compared;

/* Compare operands of loads and stores. */
static void compare_operands(csh handle, const cs_insn* in, UInt word)
{
   const cs_arm64* d = &in->detail->arm64;
   UChar           bytes[4];
   UInt            base = 32;

   if (!begins(in->mnemonic, "ld st cas swp"))
      return;
   /* Capstone 5 knows SVE, SME, tags and signed pointers; VEX does not. */
   if ((word >> 25 & 13) == 0
       || begins(in->mnemonic,
                 "stg st2g stzg stz2g ldg ldraa ldrab ld64b st64b"))
      return;
   put_word(bytes, word);
   for (UInt i = 0; i < d->op_count; i++)
      if (d->operands[i].type == ARM64_OP_MEM && d->writeback)
         base = word >> 5 & 31;
   require(DCFG_(loads_arm64)(bytes, 4) == loads_by_capstone(handle, in),
           "%08x (%s %s): %u loads", word, in->mnemonic, in->op_str,
           DCFG_(loads_arm64)(bytes, 4));
   require(DCFG_(written_back_arm64)(bytes, 4) == base,
           "%08x (%s %s): writes back %u, not %u", word, in->mnemonic,
           in->op_str, DCFG_(written_back_arm64)(bytes, 4), base);
   require(!!(DCFG_(quirks_arm64)(bytes, 4) & QuirkStoreExclusive)
           == begins(in->mnemonic, "stxr stlxr stxp stlxp"),
           "%08x (%s %s)", word, in->mnemonic, in->op_str);
   more_compared++;
}

static UInt compared[InsnRep + 1];

static void compare(csh handle, cs_insn* in, UInt word)
{
   uint8_t        bytes[4];
   const uint8_t* code = bytes;
   size_t         n    = sizeof(bytes);
   uint64_t       addr = 0x100000000;

   for (UInt i = 0; i < 4; i++)
      bytes[i] = (uint8_t)(word >> 8 * i);
   /* Encodings that are not allocated, or too new, have no kind. */
   if (!cs_disasm_iter(handle, &code, &n, &addr, in))
      return;
   InsnKind theirs = kind_by_capstone(in);
   InsnKind ours   = kind_of(word);
   require(ours == theirs, "%08x (%s %s): %s, not %s", word, in->mnemonic,
           in->op_str, names[ours], names[theirs]);
   compared[ours]++;
   compare_operands(handle, in, word);
}

/* The fixed bits of A64 are nearly all in the upper eleven: take each of their
   values, with random operands.  For branches to registers and exceptions,
   where other bits matter as well, take all of those. */
START_TEST(test_classes)
{
   csh      handle;
   cs_insn* in;

   start_chance(1);
   ck_assert_int_eq(cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &handle), CS_ERR_OK);
   cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
   in = cs_malloc(handle);
   for (UInt top = 0; top < 1u << 11; top++)
      for (UInt i = 0; i < 100; i++)
         compare(handle, in, top << 21 | (below(1 << 21)));
   for (UInt op = 0; op < 32; op++)
      for (UInt low = 0; low < 1u << 11; low++) {
         UInt others = (low >> 5) << 10 | (low & 31);
         for (UInt rn = 0; rn < (others == 0 ? 32 : 4); rn++)
            compare(handle, in, 0xD6000000 | op << 21 | 31 << 16 | others
                                | (others == 0 ? rn : below(32)) << 5);
         compare(handle, in, 0xD6000000 | op << 21 | below(32) << 16
                             | others | below(32) << 5);
      }
   for (UInt op = 0; op < 8; op++)
      for (UInt low = 0; low < 32; low++)
         for (UInt i = 0; i < 50; i++)
            compare(handle, in, 0xD4000000 | op << 21 | below(1 << 16) << 5
                                | low);
   cs_free(in, 1);
   cs_close(&handle);
   for (UInt kind = 0; kind < InsnRep; kind++)
      ck_assert_uint_gt(compared[kind], 30);
   ck_assert_uint_gt(more_compared, 10000);
}
END_TEST

#endif /* HAVE_CAPSTONE */

int main(void)
{
   Suite* s = suite_create("arm64");

   TCase* c = add_case(s, test_forms, test_operands);
#if HAVE_CAPSTONE
   tcase_add_test(c, test_classes);
#endif
   return run_suite(s);
}
