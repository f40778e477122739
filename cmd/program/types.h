/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Types of variables, and the parts that they have. */

#ifndef DCFG_CMD_TYPES_H
#define DCFG_CMD_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* VariableType: the type of a place, valid as long as the Variables. */
typedef
   struct {
      bool      known;
      Dwarf_Die die;
      uint8_t   bit_first, bit_size;    // a bit-field's; .bit_size is 0 for
                                        // others
      uint64_t  first;          // bytes of the type before those asked for
   }
   VariableType;

/* Phrase: how the source writes a place. */
typedef
   struct {
      char   text[256];
      bool   prefixed;          // begins with an operator
      bool   full;              // the text was too long, and is cut
   }
   Phrase;

void phrase_add(Phrase* p, const char* format, ...)
     __attribute__((format(printf, 2, 3)));

/* Put OPERATOR, such as "*", before P. */
void phrase_prefix(Phrase* p, const char* operator);

/* Set *TO to the type of DIE, a variable, member, pointer or array.  Return
   false if it has none, such as the target of a void pointer. */
bool type_of(Dwarf_Die* die, Dwarf_Die* to);

/* Return TYPE without typedef, const and volatile. */
Dwarf_Die type_bare(Dwarf_Die* type);

/* Return whether TYPE, maybe by another name, is _Atomic. */
bool type_is_atomic(Dwarf_Die type);

/* Return the size in bytes; 0 if it is not known. */
uint64_t type_size(Dwarf_Die* type);

bool is_pointer(Dwarf_Die* bare);
bool is_reference(Dwarf_Die* bare);
bool is_aggregate(Dwarf_Die* bare);     // a struct, class or union
bool is_integer(Dwarf_Die* bare);

/* Set *TO to the target's type of a reference or pointer. */
bool type_target(Dwarf_Die* bare, Dwarf_Die* to);

/* Return the definition of TYPE, which may be declared only; TYPE itself if
   there is none. */
Dwarf_Die type_defined(Dwarf_Die* type);

/* TypeMember: a member, at .offset in its aggregate. */
typedef
   struct {
      Dwarf_Die die, type;
      int64_t   offset;
      uint64_t  size;
      uint8_t   bit_first, bit_size;
   }
   TypeMember;

/* Find the member NAME of TYPE, an aggregate, also in base classes and in
   members without a name.  Return false if there is none. */
bool type_member(Dwarf_Die* type, const char* name, TypeMember* member);

/* Call TELL for the names of all those members. */
void type_members(Dwarf_Die* type, void (*tell)(void* arg, const char* name),
                  void* arg);

/* Dimensions: of an array, in the order of the source, where index .low comes
   first.  The next one is .strides bytes behind; 0: not known. */
#define MOST_DIMENSIONS 8
typedef
   struct {
      unsigned n;               // 0: not known, as of a descriptor
      bool     columns;         // the last one is outermost, as in Fortran
      int64_t  low[MOST_DIMENSIONS];
      uint64_t strides[MOST_DIMENSIONS];
   }
   Dimensions;

Dimensions type_dimensions(Dwarf_Die* array);

/* Append to P, a phrase of TYPE, the members and indices that lead to the SIZE
   bytes at OFFSET, down to the smallest part that has them all; *OF gets that
   part's type.  Return false if the bytes are not within TYPE. */
bool phrase_part(Phrase* p, Dwarf_Die* type, int64_t offset, uint64_t size,
                 VariableType* of);

/* Append to P, the phrase of a number of type OF, which of its bytes are meant,
   if the SIZE bytes are not all: "b (bytes 8-15)". */
void phrase_bytes(Phrase* p, const VariableType* of, uint64_t size);

/* Do the same as phrase_part() for SIZE bytes at OFFSET + STEP * INDEX:
   "[i - 1].x".  INDEX is a phrase.  If neither is known, STEP is 0, and the
   result "[...]".  Return false if no array there has such elements. */
bool phrase_element(Phrase* p, Dwarf_Die* type, int64_t offset,
                    const char* index, int64_t step, uint64_t size,
                    VariableType* of);

/* Do the same for the target of a pointer or reference of type BARE, whose
   phrase is P.  Without an index, INDEX is NULL. */
bool phrase_target(Phrase* p, Dwarf_Die* bare, int64_t offset,
                   const char* index, int64_t step, uint64_t size,
                   VariableType* of);

/* Return the SIZE BYTES, the lowest first, as C writes a value of TYPE: "52",
   "-3", "0.07", "'r'", "true", "GREEN", "0x1fff000668", "{...}"; a hexadecimal
   number if the type is not known. */
const char* variables_value(const VariableType* type, const uint8_t* bytes,
                            size_t size);

/* Return the SIZE BYTES, the lowest first, as a hexadecimal number; "" for none, and
   LONGER for more than 64. */
const char* variables_hex(const uint8_t* bytes, size_t size, const char* longer);

/* Return the floating-point number of SIZE BYTES in decimal; return the numbers of
   ONE byte each that SIZE BYTES have, as "{0.5, 1}". */
const char* variables_real(const uint8_t* bytes, size_t size);
const char* variables_reals(const uint8_t* bytes, size_t size, size_t one);

/* Return the type as the source writes it, "struct line *"; "" if it is not
   known. */
const char* variables_type_name(const VariableType* type);

#endif /* DCFG_CMD_TYPES_H */
