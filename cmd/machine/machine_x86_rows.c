/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registers of amd64 that gdb knows. */

/* Owns: rows of the target description, and the rules of amd64 as a whole.
   Handed: nothing.  Taken by: cmd/state/, cmd/gdb/. */

#include "cmd/machine/x86_rules.h"

#include <elf.h>

/*--- Rows                                                 ---*/

#define CORE   "org.gnu.gdb.i386.core"
#define SSE    "org.gnu.gdb.i386.sse"
#define LINUX  "org.gnu.gdb.i386.linux"
#define AVX    "org.gnu.gdb.i386.avx"
#define LONG(name, n)  { NULL, name, 64, "int64", STATE_GENERAL, n }
#define NEVER(name, bits, type) { NULL, name, bits, type, STATE_NONE, 0 }
#define SELECTOR(name, n) { NULL, name, 32, "int32", STATE_SEGMENT, n }
#define XMM(n)  { NULL, "xmm" #n, 128, "vec128", STATE_VECTOR, n }
#define YMMH(n) { NULL, "ymm" #n "h", 128, "uint128", STATE_VECTOR_HIGH, n }

static const StateRow rows[] = {
   { CORE, "rax", 64, "int64", STATE_GENERAL, 0 },
   LONG("rbx", 3), LONG("rcx", 1), LONG("rdx", 2), LONG("rsi", 6),
   LONG("rdi", 7),
   { NULL, "rbp", 64, "data_ptr", STATE_GENERAL, 5 },
   { NULL, "rsp", 64, "data_ptr", STATE_GENERAL, 4 },
   LONG("r8", 8), LONG("r9", 9), LONG("r10", 10), LONG("r11", 11),
   LONG("r12", 12), LONG("r13", 13), LONG("r14", 14), LONG("r15", 15),
   { NULL, "rip", 64, "code_ptr", STATE_PC, 0 },
   { NULL, "eflags", 32, "int32", STATE_FLAGS, 0 },
   SELECTOR("cs", 0), SELECTOR("ss", 1),
   SELECTOR("ds", 2), SELECTOR("es", 3),
   SELECTOR("fs", 4), SELECTOR("gs", 5),
   NEVER("st0", 80, "i387_ext"), NEVER("st1", 80, "i387_ext"),
   NEVER("st2", 80, "i387_ext"), NEVER("st3", 80, "i387_ext"),
   NEVER("st4", 80, "i387_ext"), NEVER("st5", 80, "i387_ext"),
   NEVER("st6", 80, "i387_ext"), NEVER("st7", 80, "i387_ext"),
   NEVER("fctrl", 32, "int"), NEVER("fstat", 32, "int"),
   NEVER("ftag", 32, "int"), NEVER("fiseg", 32, "int"),
   NEVER("fioff", 32, "int"), NEVER("foseg", 32, "int"),
   NEVER("fooff", 32, "int"), NEVER("fop", 32, "int"),
   { SSE, "xmm0", 128, "vec128", STATE_VECTOR, 0 },
   XMM(1), XMM(2), XMM(3), XMM(4), XMM(5), XMM(6), XMM(7), XMM(8), XMM(9),
   XMM(10), XMM(11), XMM(12), XMM(13), XMM(14), XMM(15),
   NEVER("mxcsr", 32, "int32"),
   { LINUX, "orig_rax", 64, "int", STATE_NONE, 0 },
   { AVX, "ymm0h", 128, "uint128", STATE_VECTOR_HIGH, 0 },
   YMMH(1), YMMH(2), YMMH(3), YMMH(4), YMMH(5), YMMH(6), YMMH(7), YMMH(8),
   YMMH(9), YMMH(10), YMMH(11), YMMH(12), YMMH(13), YMMH(14), YMMH(15)
};

static const StateRules rules_amd64 = {
   .architecture   = "i386:x86-64",
   .rows           = rows,
   .n_rows         = sizeof(rows) / sizeof(rows[0]),
   .general_behind = x86_general_behind,
   .flags_behind   = x86_flags_behind,
   .cleared        = x86_cleared,
   .flags_fixed    = 0x202,
   .n_groups       = X86_FLAG_GROUPS,
   .groups         = x86_flag_groups
};

const StateRules* state_rules(uint32_t machine)
{
   return machine == EM_X86_64 ? &rules_amd64 : NULL;
}
