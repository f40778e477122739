/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Expressions of the source that name a place. */

#ifndef DCFG_CMD_EXPRESSION_H
#define DCFG_CMD_EXPRESSION_H

#include "cmd/variables/variables.h"

typedef
   enum {
      OBJECT_REGISTER,          // .place: as a slice can be asked for it
      OBJECT_FRAME,             // .place: modulo 2^64, from the call frame
                                // address of the activation
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

/* ObjectReader: who finds values.  .value() sets *VALUE to the .size bytes of
   O, at most 8, as they were at the place of the expression; false: they are
   not known. */
typedef
   struct {
      bool (*value)(void* arg, const VariableObject* o, uint64_t* value);
      void* arg;
   }
   ObjectReader;

/* Set *O to what EXPRESSION means just before instruction INSTR: names of
   variables with `.', `->', `[N]', `*' and brackets; innermost scopes first,
   then the source file's, then all.  Returns NULL, or a sentence that says what
   is wrong. */
const char* expression_resolve(Variables* v, uint32_t instr,
                               const char* expression, const ObjectReader* r,
                               VariableObject* o);

/* Copy to BYTES the SIZE bytes that the file of an image has for ADDR, before
   anything ran.  False if no file has them. */
bool variables_initial(Variables* v, uint64_t addr, uint8_t* bytes,
                       size_t size);

#endif /* DCFG_CMD_EXPRESSION_H */
