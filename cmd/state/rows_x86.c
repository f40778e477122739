/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registers of x86 and amd64 that gdb knows. */

/* Owns: rows of the target descriptions, and the rules of these processors
   as a whole.  Handed: nothing. */

#include "cmd/state/x86_rules.h"

/*--- Rows                                                 ---*/

#define CORE     "org.gnu.gdb.i386.core"
#define SSE      "org.gnu.gdb.i386.sse"
#define LINUX    "org.gnu.gdb.i386.linux"
#define SEGMENTS "org.gnu.gdb.i386.segments"
#define AVX      "org.gnu.gdb.i386.avx"
#define LONG(name, n)  { NULL, name, 64, "int64", STATE_GENERAL, n }
#define WORD(name, n)  { NULL, name, 32, "int32", STATE_GENERAL, n }
#define NEVER(name, bits, type) { NULL, name, bits, type, STATE_NONE, 0 }
#define SELECTOR(name, n) \
   { NULL, name, 32, "int32", STATE_OTHER, OTHER_SEGMENT + n }
#define ST(n)   { NULL, "st" #n, 80, "i387_ext", STATE_X87, n }
#define XMM(n)  { NULL, "xmm" #n, 128, "vec128", STATE_VECTOR, n }
#define YMMH(n) { NULL, "ymm" #n "h", 128, "uint128", STATE_VECTOR_HIGH, n }
#define X87                                                                   \
   ST(0), ST(1), ST(2), ST(3), ST(4), ST(5), ST(6), ST(7),                    \
   { NULL, "fctrl", 32, "int", STATE_OTHER, OTHER_X87_CONTROL },              \
   { NULL, "fstat", 32, "int", STATE_X87_STATUS, 0 },                         \
   { NULL, "ftag", 32, "int", STATE_X87_TAGS, 0 },                            \
   NEVER("fiseg", 32, "int"), NEVER("fioff", 32, "int"),                      \
   NEVER("foseg", 32, "int"), NEVER("fooff", 32, "int"),                      \
   NEVER("fop", 32, "int")
#define MXCSR \
   { NULL, "mxcsr", 32, "i386_mxcsr", STATE_OTHER, OTHER_VECTOR_CONTROL }

static const StateRow rows_amd64[] = {
   { CORE, "rax", 64, "int64", STATE_GENERAL, RAX },
   LONG("rbx", RBX), LONG("rcx", RCX), LONG("rdx", RDX), LONG("rsi", RSI),
   LONG("rdi", RDI),
   { NULL, "rbp", 64, "data_ptr", STATE_GENERAL, RBP },
   { NULL, "rsp", 64, "data_ptr", STATE_GENERAL, RSP },
   LONG("r8", 8), LONG("r9", 9), LONG("r10", 10), LONG("r11", 11),
   LONG("r12", 12), LONG("r13", 13), LONG("r14", 14), LONG("r15", 15),
   { NULL, "rip", 64, "code_ptr", STATE_PC, 0 },
   { NULL, "eflags", 32, "i386_eflags", STATE_FLAGS, 0 },
   SELECTOR("cs", 0), SELECTOR("ss", 1),
   SELECTOR("ds", 2), SELECTOR("es", 3),
   SELECTOR("fs", 4), SELECTOR("gs", 5),
   X87,
   { SSE, "xmm0", 128, "vec128", STATE_VECTOR, 0 },
   XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7), XMM(8), XMM(9),
   XMM(10), XMM(11), XMM(12), XMM(13), XMM(14), XMM(15),
   MXCSR,
   { LINUX, "orig_rax", 64, "int", STATE_NONE, 0 },
   { SEGMENTS, "fs_base", 64, "int", STATE_OTHER, OTHER_THREAD_BASE },
   { NULL, "gs_base", 64, "int", STATE_OTHER, OTHER_GS_BASE },
   { AVX, "ymm0h", 128, "uint128", STATE_VECTOR_HIGH, 0 },
   YMMH(1), YMMH(2), YMMH(3), YMMH(4), YMMH(5), YMMH(6), YMMH(7), YMMH(8),
   YMMH(9), YMMH(10), YMMH(11), YMMH(12), YMMH(13), YMMH(14), YMMH(15)
};

static const StateRow rows_x86[] = {
   { CORE, "eax", 32, "int32", STATE_GENERAL, RAX },
   WORD("ecx", RCX), WORD("edx", RDX), WORD("ebx", RBX),
   { NULL, "esp", 32, "data_ptr", STATE_GENERAL, RSP },
   { NULL, "ebp", 32, "data_ptr", STATE_GENERAL, RBP },
   WORD("esi", RSI), WORD("edi", RDI),
   { NULL, "eip", 32, "code_ptr", STATE_PC, 0 },
   { NULL, "eflags", 32, "i386_eflags", STATE_FLAGS, 0 },
   SELECTOR("cs", 0), SELECTOR("ss", 1),
   SELECTOR("ds", 2), SELECTOR("es", 3),
   SELECTOR("fs", 4), SELECTOR("gs", 5),
   X87,
   { SSE, "xmm0", 128, "vec128", STATE_VECTOR, 0 },
   XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7),
   MXCSR,
   { LINUX, "orig_eax", 32, "int", STATE_NONE, 0 }
};

#define VECTOR(id, type, count) \
   "<vector id=\"" id "\" type=\"" type "\" count=\"" count "\"/>\n"
#define FIELD(name, type) "<field name=\"" name "\" type=\"" type "\"/>\n"

static const StateType types[] = {
   { CORE, "i386_eflags",
     "CF - PF - AF - ZF SF TF IF DF OF - - NT - RF VM AC VIF VIP ID ", NULL },
   { SSE, "i386_mxcsr", "IE DE ZE OE UE PE DAZ IM DM ZM OM UM PM - - FZ ",
     VECTOR("v4f", "ieee_single", "4") VECTOR("v2d", "ieee_double", "2")
     VECTOR("v16i8", "int8", "16") VECTOR("v8i16", "int16", "8")
     VECTOR("v4i32", "int32", "4") VECTOR("v2i64", "int64", "2")
     "<union id=\"vec128\">\n"
     FIELD("v4_float", "v4f") FIELD("v2_double", "v2d")
     FIELD("v16_int8", "v16i8") FIELD("v8_int16", "v8i16")
     FIELD("v4_int32", "v4i32") FIELD("v2_int64", "v2i64")
     FIELD("uint128", "uint128") "</union>\n" }
};

/*--- Rules                                                ---*/

#define RULES(name, rows_of_it)                                               \
   .architecture   = name,                                                    \
   .rows           = rows_of_it,                                              \
   .n_rows         = sizeof(rows_of_it) / sizeof(rows_of_it[0]),              \
   .types          = types,                                                   \
   .n_types        = sizeof(types) / sizeof(types[0]),                        \
   .n_vectors      = 16,                                                      \
   .vector_parts   = 4,                                                       \
   .besides        = x86_besides,                                             \
   .general_behind = x86_general_behind,                                      \
   .flags_behind   = x86_flags_behind,                                        \
   .cleared        = x86_cleared,                                             \
   .others         = x86_others,                                              \
   .other_behind   = x86_other_behind,                                        \
   .x87_behind     = x86_x87_behind,                                          \
   .flags_fixed    = 0x202,                                                   \
   .n_groups       = X86_FLAG_GROUPS,                                         \
   .groups         = x86_flag_groups

const StateRules state_amd64 = {
   RULES("i386:x86-64", rows_amd64),
   .base_call    = 158,         // arch_prctl
   .dtv          = 8
};

const StateRules state_x86 = {
   RULES("i386", rows_x86),
   .clears_flags = x86_clears_flags,
   .base_call    = 243,         // set_thread_area
   .dtv          = 4
};
