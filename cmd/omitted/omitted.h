/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that did not run: stores, lines, and the branches that kept them from it. */

#ifndef DCFG_CMD_OMITTED_H
#define DCFG_CMD_OMITTED_H

#include "cmd/program/variables.h"

#include "lib/dcfg_slice.h"

#include <stdbool.h>
#include <stdint.h>

/*--- Stores that did not run                              ---*/

/* OmittedValue: a function that sets *VALUE to the SIZE bytes at PLACE just
   before INSTANCE of instruction INSTR.  If SIZE is 0, PLACE is a general
   register.  Return false if the value is not known. */
typedef bool (*OmittedValue)(void* arg, uint32_t instr, uint64_t instance,
                             uint64_t place, uint64_t size, uint64_t* value);

/* OmittedFinder: a finder of stores that did not run.  It keeps the graph of
   the program's code, and the log that it read from the trace. */
typedef struct OmittedFinder OmittedFinder;

/* OmittedTrace: the run that a finder is for. */
typedef
   struct {
      TraceProgram* program;
      const char* own;          // pattern for other images of the program,
                                // or NULL
      const DcfgSliceTotal* totals;     // by instruction; only omitted_new()
                                        // reads it
      uint64_t    n_executed;   // instances in the run
      OmittedValue value;
      void*       arg;
   }
   OmittedTrace;

OmittedFinder* omitted_new(const OmittedTrace* t);
void           omitted_free(OmittedFinder* f);

/* OmittedBranch: a branch instance that kept code from running. */
typedef
   struct {
      uint32_t instr;
      uint64_t instance;
      uint64_t addr;
      uint64_t other;           // address that it did not go to
      uint64_t taken;           // address that it went to
   }
   OmittedBranch;

/* Omitted: a store that did not run.  If a branch had gone the other way, it
   could have changed a value between its writer and its user, a node of the
   slice. */
typedef
   struct {
      uint32_t      node;       // the user
      bool          memory;
      bool          asked;      // the criterion asks for it
      uint64_t      place, size;        // the memory, or the register
      uint64_t      since;      // .order of the writer; 0: nobody wrote it
      uint64_t      store;      // address of the store
      uint64_t      call;       // address of the call that leads to it, or 0
      uint32_t      near;       // an instruction of the store's image
      bool          again;      // the store ran at other times
      bool          turn;       // the branch left the store's loop
      bool          maybe;      // the store may have another address, or may
                                // not run
      OmittedBranch branch;
   }
   Omitted;

/* OmittedList: omissions, those of the nearest users first. */
typedef
   struct {
      Omitted*    all;
      size_t      n, room;
      const char* bounded;      // NULL, or in words the part that was
                                // searched
   }
   OmittedList;

/* Return the stores that did not run but could have changed values that the N
   NODES of SLICE used.  NODES may be NULL: all nodes.  SLICE keeps instances,
   and is the answer to Q.  Free the list with omitted_list_free(). */
OmittedList omitted_find(OmittedFinder* f, const DcfgSlice* slice,
                         const DcfgSliceQuery* q, const uint32_t* nodes,
                         size_t n);
void        omitted_list_free(OmittedList* l);

/*--- Lines that never ran, in never_ran.c                 ---*/

/* Guard: an executed instruction from which code that never ran leads to the
   line. */
typedef
   struct {
      OmittedBranch branch;     // its last instance; .taken is 0 if it has
                                // no executed successor, or several
      uint64_t      times;      // number of its instances
      bool          call;       // a call that did not return
      uint64_t*     calls;      // addresses of calls that lead to the line's
      size_t        n_calls, room;      // function, the outermost first
   }
   Guard;

/* Guards: the guards of a line, the nearest to it first. */
typedef
   struct {
      TraceProgram* program;
      Guard*     all;
      size_t     n, room;
      uint32_t   near;          // an instruction of the line's image
      uint64_t   line;          // an address of the line
      bool       uncalled;      // no direct call leads to its function
   }
   Guards;

/* Return the guards that kept LINE of SOURCE from running, which has code
   and never ran.  TOTALS count the executed instructions.  The list is empty
   if no executed code leads to the line.  Free it with guards_free(). */
Guards guards_find(TraceProgram* program, const DcfgSliceTotal* totals,
                   const char* source, uint64_t line);
void   guards_free(Guards* g);

/*--- Words for code and branches, in never_ran.c          ---*/

/* Return the words for the code at ADDR: "line 31"; "rules.c:31" if the line
   is not of SOURCE; or "0x1091bd" without a line.  ADDR is in the image of
   instruction NEAR.  All texts here last until text_forget(). */
const char* code_text(TraceProgram* v, uint32_t near, uint64_t addr,
                      const char* source);

/* Return "was false", "was true" or "went to line 35" for the branch at
   ADDR, which went to TAKEN and not to OTHER. */
const char* direction_text(TraceProgram* v, uint32_t near, uint64_t addr,
                           uint64_t taken, uint64_t other);

#endif /* DCFG_CMD_OMITTED_H */
