/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Types of variables, and the parts that they have. */

#ifndef DCFG_CMD_VARIABLE_TYPE_H
#define DCFG_CMD_VARIABLE_TYPE_H

/* Private to the room variables/. */

#include "cmd/variables/named_type.h"

/* Phrase: how the source writes a place. */
typedef
   struct {
      char   text[256];
      bool   prefixed;          // begins with an operator
      bool   full;              // there was no room for all of it
   }
   Phrase;

void phrase_add(Phrase* p, const char* format, ...)
     __attribute__((format(printf, 2, 3)));

/* Put OPERATOR, such as "*", before P. */
void phrase_prefix(Phrase* p, const char* operator);

/* Put brackets around P if what comes behind it would bind closer than what
   stands before it. */
void phrase_enclose(Phrase* p);

/* *TO is the type of DIE, a variable, member, pointer or array.  False if it
   has none, as *TO of a void pointer. */
bool type_of(Dwarf_Die* die, Dwarf_Die* to);

/* TYPE without typedef, const and the like. */
Dwarf_Die type_bare(Dwarf_Die* type);

/* Bytes; 0: not known. */
uint64_t type_size(Dwarf_Die* type);

bool is_pointer(Dwarf_Die* bare);
bool is_reference(Dwarf_Die* bare);
bool is_aggregate(Dwarf_Die* bare);     // a struct, class or union
bool is_integer(Dwarf_Die* bare);

/* A reference or pointer leads to *TO. */
bool type_target(Dwarf_Die* bare, Dwarf_Die* to);

/* TYPE, and if that is only declared, its definition elsewhere, if there is
   one. */
Dwarf_Die type_defined(Dwarf_Die* type);

/* Part: a member, at .offset in what has it. */
typedef
   struct {
      Dwarf_Die die, type;
      int64_t   offset;
      uint64_t  size;
      uint8_t   bit_first, bit_size;
   }
   Part;

/* The member NAME of TYPE, an aggregate, or of a base class or of a member
   without a name.  False if there is none. */
bool type_member(Dwarf_Die* type, const char* name, Part* member);

/* Call TELL for the names of all those. */
void type_members(Dwarf_Die* type, void (*tell)(void* arg, const char* name),
                  void* arg);

/* The dimensions of ARRAY, from the outermost one, and the bytes of what an
   index of each skips; 0 if that is not known. */
#define MOST_DIMENSIONS 8
unsigned type_dimensions(Dwarf_Die* array, uint64_t strides[MOST_DIMENSIONS]);

/* Add to P, which is of TYPE, the members and indices that lead to the SIZE
   bytes at OFFSET, as far as one part has them all; *OF is that part's type.
   False if they are not within TYPE. */
bool phrase_part(Phrase* p, Dwarf_Die* type, int64_t offset, uint64_t size,
                 VariableType* of);

/* The same of SIZE bytes at OFFSET + STEP * INDEX, where INDEX is a phrase, and
   STEP is 0 if neither is known: "[i - 1].x", "[...]".  False if no array
   there has such elements. */
bool phrase_element(Phrase* p, Dwarf_Die* type, int64_t offset,
                    const char* index, int64_t step, uint64_t size,
                    VariableType* of);

/* The same of what a pointer or reference of type BARE, whose phrase is P,
   leads to; without an index INDEX is NULL. */
bool phrase_target(Phrase* p, Dwarf_Die* bare, int64_t offset,
                   const char* index, int64_t step, uint64_t size,
                   VariableType* of);

#endif /* DCFG_CMD_VARIABLE_TYPE_H */
