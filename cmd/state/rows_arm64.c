/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registers of arm64 that gdb knows. */

/* Owns: rows of the target description, and the rules of the processor as a
   whole.  Handed: nothing. */

#include "cmd/state/arm64_rules.h"

#define CORE "org.gnu.gdb.aarch64.core"
#define FPU  "org.gnu.gdb.aarch64.fpu"
#define TLS  "org.gnu.gdb.aarch64.tls"
#define X(n) { NULL, "x" #n, 64, "int", STATE_GENERAL, n }
#define V(n) { NULL, "v" #n, 128, "aarch64v", STATE_VECTOR, n }

static const StateRow rows[] = {
   { CORE, "x0", 64, "int", STATE_GENERAL, 0 },
   X(1), X(2), X(3), X(4), X(5), X(6), X(7), X(8), X(9), X(10), X(11), X(12),
   X(13), X(14), X(15), X(16), X(17), X(18), X(19), X(20), X(21), X(22), X(23),
   X(24), X(25), X(26), X(27), X(28), X(29), X(30),
   { NULL, "sp", 64, "data_ptr", STATE_GENERAL, ARM64_SP },
   { NULL, "pc", 64, "code_ptr", STATE_PC, 0 },
   { NULL, "cpsr", 32, "cpsr_flags", STATE_FLAGS, 0 },
   { FPU, "v0", 128, "aarch64v", STATE_VECTOR, 0 },
   V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11), V(12),
   V(13), V(14), V(15), V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23),
   V(24), V(25), V(26), V(27), V(28), V(29), V(30), V(31),
   { NULL, "fpsr", 32, "int", STATE_OTHER, OTHER_VECTOR_STATUS },
   { NULL, "fpcr", 32, "int", STATE_OTHER, OTHER_VECTOR_CONTROL },
   { TLS, "tpidr", 64, "data_ptr", STATE_OTHER, OTHER_THREAD_BASE }
};

#define VECTOR(id, type, count) \
   "<vector id=\"" id "\" type=\"" type "\" count=\"" count "\"/>\n"
#define FIELD(name, type) "<field name=\"" name "\" type=\"" type "\"/>\n"
#define UNION(id, fields) "<union id=\"" id "\">\n" fields "</union>\n"

static const StateType types[] = {
   { CORE, "cpsr_flags",
     "- - - - - - - - - - - - - - - - - - - - - - - - - - - - V C Z N ", NULL },
   { FPU, NULL, NULL,
     VECTOR("v2d", "ieee_double", "2") VECTOR("v2u", "uint64", "2")
     VECTOR("v2i", "int64", "2") VECTOR("v4f", "ieee_single", "4")
     VECTOR("v4u", "uint32", "4") VECTOR("v4i", "int32", "4")
     VECTOR("v8u", "uint16", "8") VECTOR("v8i", "int16", "8")
     VECTOR("v16u", "uint8", "16") VECTOR("v16i", "int8", "16")
     VECTOR("v1u", "uint128", "1") VECTOR("v1i", "int128", "1")
     UNION("vnd", FIELD("f", "v2d") FIELD("u", "v2u") FIELD("s", "v2i"))
     UNION("vns", FIELD("f", "v4f") FIELD("u", "v4u") FIELD("s", "v4i"))
     UNION("vnh", FIELD("u", "v8u") FIELD("s", "v8i"))
     UNION("vnb", FIELD("u", "v16u") FIELD("s", "v16i"))
     UNION("vnq", FIELD("u", "v1u") FIELD("s", "v1i"))
     UNION("aarch64v", FIELD("d", "vnd") FIELD("s", "vns") FIELD("h", "vnh")
           FIELD("b", "vnb") FIELD("q", "vnq")) }
};

const StateRules state_arm64 = {
   .architecture   = "aarch64",
   .rows           = rows,
   .n_rows         = sizeof(rows) / sizeof(rows[0]),
   .types          = types,
   .n_types        = sizeof(types) / sizeof(types[0]),
   .n_vectors      = 32,
   .vector_parts   = 2,
   .besides        = arm64_besides,
   .general_behind = arm64_general_behind,
   .flags_behind   = arm64_flags_behind,
   .others         = arm64_others,
   .other_behind   = arm64_other_behind,
   .dtv            = 0,
   .n_groups       = ARM64_FLAG_GROUPS,
   .groups         = arm64_flag_groups
};
