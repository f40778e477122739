/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's names for places, values and code.

   Where code may not have run, INSTR is any instruction of the image that
   has ADDR, and both are addresses of the run.  Texts live as long as V. */

#ifndef DCFG_CMD_VARIABLES_H
#define DCFG_CMD_VARIABLES_H

#include "cmd/program/debug.h"
#include "cmd/program/types.h"

#include "lib/dcfg_wet.h"

/* Return how the source names the value of general register REG just before
   instruction INSTR, or just BEHIND it: "price", "l->discount"; NULL if it is
   not known.  REG from 32 on: a vector register.  All texts here are valid
   until text_forget(). */
const char* variables_name_register(TraceProgram* v, uint32_t instr, unsigned reg,
                                    bool behind, VariableType* type);

/* Return how the source names the memory of access ACCESS of INSTR, numbered as
   in ports, or VARIABLES_WRITTEN: the memory that INSTR writes.  ADDR: its
   address at time T, 0 if not known.
   "l->x", "a[3]"; or "a[i]" if only the variable is known. */
#define VARIABLES_WRITTEN UINT32_MAX
const char* variables_name_memory(TraceProgram* v, uint32_t instr, uint32_t access,
                                  uint64_t addr, uint64_t t, VariableType* type);

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
   then in all images that are mapped then.  Return NULL, or a sentence that says
   what is wrong. */
const char* expression_resolve(TraceProgram* v, uint32_t instr,
                               const char* expression, const ObjectReader* r,
                               VariableObject* o);

/* Copy to BYTES the SIZE bytes that an image's file has for ADDR, before
   anything ran.  Return false if no file has them. */
bool variables_initial(TraceProgram* v, uint64_t addr, uint64_t t, uint8_t* bytes,
                       size_t size);

/* Return the line of the code at ADDR, and its file in *SOURCE; 0 if it is not
   known. */
uint32_t code_line(TraceProgram* v, uint32_t instr, uint64_t addr,
                   const char** source);

/* Return the symbol of the function at ADDR, not demangled, and its address in
   *BEGIN; NULL if there is none. */
const char* code_function(TraceProgram* v, uint32_t instr, uint64_t addr,
                          uint64_t* begin);

/* Return the function that the linkage stub at ADDR jumps to.  CODE: its SIZE
   bytes.  Return NULL if they are no stub. */
const char* code_called(TraceProgram* v, uint32_t instr, uint64_t addr,
                        const uint8_t* code, size_t size);

/* Find the rule for the call frame address just before the instruction at ADDR:
   *OFFSET + the value of register *REG.  Return false if there is none. */
bool code_frame(TraceProgram* v, uint32_t instr, uint64_t addr, unsigned* reg,
                int64_t* offset);

/* Find the variable with a fixed address that has the byte at ADDR at time T: it
   begins at *LOW and ends before *HIGH.  Return false if there is none. */
bool code_variable(TraceProgram* v, uint64_t addr, uint64_t t, uint64_t* low,
                   uint64_t* high);

/* Call TELL for the address of each function in the image of INSTR. */
void code_functions(TraceProgram* v, uint32_t instr,
                    void (*tell)(void* arg, uint64_t addr), void* arg);

#endif /* DCFG_CMD_VARIABLES_H */
