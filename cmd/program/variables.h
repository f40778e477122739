/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's names for places and values. */

#ifndef DCFG_CMD_VARIABLES_H
#define DCFG_CMD_VARIABLES_H

#include "cmd/program/named_type.h"

#include "lib/dcfg_wet.h"

/* Variables: what debug information says of the variables of a trace's
   program. */
typedef struct WordReader Variables;

/* Return the variables of W, which stays open until variables_free().  Files of
   images are looked for below ROOT first, unless it is NULL.  A file that is
   missing or of another build gives no names. */
Variables* variables_new(DcfgWet* w, const char* root);
void       variables_free(Variables* v);

/* Return how the source names the value of general register REG just before
   instruction INSTR, or just BEHIND it: "price", "l->discount"; NULL if it is
   not known.  REG from 32 on: a vector register.  All texts here are valid
   until text_forget(). */
const char* variables_name_register(Variables* v, uint32_t instr, unsigned reg,
                                    bool behind, VariableType* type);

/* Return how the source names the memory of access ACCESS of INSTR, numbered as
   in ports, or VARIABLES_WRITTEN: the memory that INSTR writes.  ADDR: its
   address at time T, and FRAME: its activation's call frame address; each is 0
   if not known.
   "l->x", "a[3]"; or "a[i]" if only the variable is known. */
#define VARIABLES_WRITTEN UINT32_MAX
const char* variables_name_memory(Variables* v, uint32_t instr, uint32_t access,
                                  uint64_t addr, uint64_t t, uint64_t frame,
                                  VariableType* type);

/* Return the SIZE BYTES, the lowest first, as C writes a value of TYPE: "52",
   "-3", "0.07", "'r'", "true", "GREEN", "0x1fff000668", "{...}"; a hexadecimal
   number if the type is not known. */
const char* variables_value(const VariableType* type, const uint8_t* bytes,
                            size_t size);

/* Return the type as the source writes it, "struct line *"; "" if it is not
   known. */
const char* variables_type_name(const VariableType* type);

#endif /* DCFG_CMD_VARIABLES_H */
