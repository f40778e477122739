/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Expressions of the source that name a place. */

#ifndef DCFG_CMD_EXPRESSION_H
#define DCFG_CMD_EXPRESSION_H

#include "cmd/program/variables.h"

typedef
   enum {
      OBJECT_REGISTER,          // .place: the register's number in a query of a
                                // slice
      OBJECT_FRAME,             // .place: from the call frame address of the
                                // activation, modulo 2^64
      OBJECT_MEMORY             // .place: the address
   }
   ObjectForm;

/* VariableObject: a place and its type. */
typedef
   struct {
      ObjectForm   form;
      uint64_t     place, size;
      VariableType type;
   }
   VariableObject;

/* ObjectReader: finds values.  .value() sets *VALUE to the .size bytes of O, at
   most 8, just before the instruction of the expression.  It returns false if
   they are not known.  .time() returns the time of that instruction. */
typedef
   struct {
      bool (*value)(void* arg, const VariableObject* o, uint64_t* value);
      uint64_t (*time)(void* arg);
      void* arg;
   }
   ObjectReader;

/* Set *O to the object that EXPRESSION means just before instruction INSTR.
   The syntax has names of variables, `.', `->', `[N]', `*' and brackets.  A
   name is looked up in the innermost scopes first, then in the source file,
   then in all images that are mapped then.  Return NULL, or a sentence that says what is wrong. */
const char* expression_resolve(Variables* v, uint32_t instr,
                               const char* expression, const ObjectReader* r,
                               VariableObject* o);

/* Copy to BYTES the SIZE bytes that an image's file has for ADDR, before
   anything ran.  Return false if no file has them. */
bool variables_initial(Variables* v, uint64_t addr, uint64_t t, uint8_t* bytes,
                       size_t size);

#endif /* DCFG_CMD_EXPRESSION_H */
