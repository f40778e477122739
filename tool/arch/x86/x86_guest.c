/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   x86 and amd64 as VEX's guests. */

/* Owns: facts about these processors other than their instructions. Handed:
   nothing. */

#include "pub_tool_basics.h"

#if defined(VGA_amd64) || defined(VGA_x86)

#include "pub_tool_guest.h"

#include <elf.h>

#include "tool/arch/x86/x86.h"

#define GUEST(name) offsetof(VexGuestArchState, guest_##name)
#define IS_64       (sizeof(Addr) == 8)

static InsnKind classify(const UChar* code, UInt len)
{
   return DCFG_(classify_x86)(code, len, IS_64);
}

static Addr target(const UChar* code, UInt len, Addr addr)
{
   return DCFG_(target_x86)(code, len, IS_64, addr);
}

static UInt loads(const UChar* code, UInt len)
{
   return DCFG_(loads_x86)(code, len, IS_64);
}

static UInt quirks(const UChar* code, UInt len)
{
   return DCFG_(quirks_x86)(code, len, IS_64);
}

static void correct_usage(Usage* usage, const UChar* code, UInt len)
{
   DCFG_(correct_usage_x86)(usage, code, len, IS_64);
}

static void find_besides(const UChar* code, UInt len, Besides* to)
{
   DCFG_(find_besides_x86)(code, len, IS_64, to);
}

static void flags_of(UInt n, Bool* carry, Bool* others)
{
   *carry  = n >> 1 == 1 || n >> 1 == 3;         // B, NB, BE, NBE
   *others = n >> 1 != 1;
}

/* x87's control word, its status word without exceptions, and the tags. */
static UInt fpu_registers(const VexGuestArchState* s, OtherRegister* to)
{
   OtherRegister control = { RegisterFpuControl, 2,
                             0x037F | (s->guest_FPROUND & 3) << 10 };
   OtherRegister status  = { RegisterFpuStatus, 2,
                             (s->guest_FC3210 & 0x4700)
                             | (s->guest_FTOP & 7) << 11 };
   OtherRegister tags    = { RegisterFpuTags, 1, 0 };

   for (UInt i = 0; i < 8; i++)
      tags.value |= (ULong)(s->guest_FPTAG[i] != 0) << i;
   to[0] = control;
   to[1] = status;
   to[2] = tags;
   return 3;
}

#if defined(VGA_amd64)
static UInt other_registers(const void* state, OtherRegister* to)
{
   const VexGuestArchState* s = state;
   const OtherRegister all[] = {
      { RegisterIp, 8, s->guest_RIP },
      { RegisterFlags, 4, LibVEX_GuestAMD64_get_rflags(s) },
      { RegisterThread, 8, s->guest_FS_CONST },
      { RegisterGsBase, 8, s->guest_GS_CONST },
      { RegisterVectorControl, 4, 0x1F80 | (s->guest_SSEROUND & 3) << 13 }
   };
   const UInt n = sizeof(all) / sizeof(all[0]);

   __builtin_memcpy(to, all, sizeof(all));
   return n + fpu_registers(s, to + n);
}
#else
/* Return the base of the segment that SELECTOR selects, or 0. */
static Addr segment_base(const VexGuestArchState* s, UInt selector)
{
   const VexGuestX86SegDescr* table
      = (const void*)(Addr)(selector & 4 ? s->guest_LDT : s->guest_GDT);

   if (table == NULL || selector >> 3 == 0
       || selector >> 3 >= VEX_GUEST_X86_GDT_NENT)
      return 0;
   table += selector >> 3;
   return (Addr)table->LdtEnt.Bits.BaseHi << 24
          | (Addr)table->LdtEnt.Bits.BaseMid << 16
          | table->LdtEnt.Bits.BaseLow;
}

static UInt other_registers(const void* state, OtherRegister* to)
{
   const VexGuestArchState* s = state;
   const OtherRegister all[] = {
      { RegisterIp, 4, s->guest_EIP },
      { RegisterFlags, 4, LibVEX_GuestX86_get_eflags(s) },
      { RegisterThread, 4, segment_base(s, s->guest_GS) },
      { RegisterVectorControl, 4, 0x1F80 | (s->guest_SSEROUND & 3) << 13 },
      { RegisterSegment, 2, s->guest_CS },
      { RegisterSegment + 1, 2, s->guest_SS },
      { RegisterSegment + 2, 2, s->guest_DS },
      { RegisterSegment + 3, 2, s->guest_ES },
      { RegisterSegment + 4, 2, s->guest_FS },
      { RegisterSegment + 5, 2, s->guest_GS }
   };
   const UInt n = sizeof(all) / sizeof(all[0]);

   __builtin_memcpy(to, all, sizeof(all));
   return n + fpu_registers(s, to + n);
}
#endif

/* amd64: in the order of the System V ABI.  x86: the stack pointer. */
static const Int argument_registers[] = {
#if defined(VGA_amd64)
   GUEST(RDI), GUEST(RSI), GUEST(RDX), GUEST(RCX), GUEST(R8), GUEST(R9)
#else
   GUEST(ESP)
#endif
};

static const GuestLayout layout = {
#if defined(VGA_amd64)
   .general        = GUEST(RAX),
   .DFLAG_end      = GUEST(RIP),
   .vector         = 32,
   .vectors        = GUEST(YMM0),
   .vectors_end    = GUEST(YMM16),
   .first_step     = 21,         // AMD64G_CC_OP_INCB .. DECQ
   .last_step      = 28,
   .first_rotation = 37,         // AMD64G_CC_OP_ROLB .. RORQ
   .last_rotation  = 44,
   .condition      = "amd64g_calculate_condition",
   .carry          = "amd64g_calculate_rflags_c",
   .all_flags      = "amd64g_calculate_rflags_all",
#else
   .general        = GUEST(EAX),
   .DFLAG_end      = GUEST(EIP),
   .vector         = 16,
   .vectors        = GUEST(XMM0),
   .vectors_end    = GUEST(XMM7) + 16,
   .first_step     = 16,         // X86G_CC_OP_INCB .. DECL
   .last_step      = 21,
   .first_rotation = 28,         // X86G_CC_OP_ROLB .. RORL
   .last_rotation  = 33,
   .condition      = "x86g_calculate_condition",
   .carry          = "x86g_calculate_eflags_c",
   .all_flags      = "x86g_calculate_eflags_all",
#endif
   .word        = sizeof(Addr),
   .general_end = GUEST(CC_OP),
   .flags       = GUEST(CC_OP),
   .flags_end   = GUEST(DFLAG),
   .CC_NDEP     = GUEST(CC_NDEP),
   .DFLAG       = GUEST(DFLAG),
   .vector_room = 32,
   .rounding    = GUEST(SSEROUND),
   .FPREG       = GUEST(FPREG),
   .FPTAG       = GUEST(FPTAG),
   .FC3210      = GUEST(FC3210),
   .FTOP        = GUEST(FTOP),
   .flags_of    = flags_of
};

const Guest DCFG_(guest) = {
   .classify             = classify,
   .discard_start        = GUEST(CMSTART),
   .discard_length       = GUEST(CMLEN),
   .n_argument_registers = sizeof(argument_registers) / sizeof(Int),
   .argument_registers   = argument_registers,
   .arguments_on_stack   = !IS_64,
   .layout               = &layout,
   .machine              = IS_64 ? EM_X86_64 : EM_386,
   .target               = target,
   .loads                = loads,
   .quirks               = quirks,
   .correct_usage        = correct_usage,
   .find_besides         = find_besides,
   .other_registers      = other_registers,
   .state_size           = sizeof(VexGuestArchState),
   .clone_tid            = IS_64 ? 3 : 4,
   .redzone              = IS_64 ? 128 : 0,
   .answer               = DCFG_(answer_x86),
   .ticks                = DCFG_(ticks_x86),
   .random               = DCFG_(random_x86),
#if defined(VGP_amd64_linux) || defined(VGP_x86_linux)
   .calls                = &DCFG_(x86_calls),
#endif
   .n_processors         = IS_64 ? N_X86_PROCESSORS : 0,
   .processors           = DCFG_(x86_processors),
   .can_be               = DCFG_(can_be_x86),
   .aux_answers          = DCFG_(x86_aux_answers)
};

#endif
