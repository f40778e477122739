/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run. */

#ifndef DCFG_CMD_OMITTED_H
#define DCFG_CMD_OMITTED_H

#include "cmd/omitted/omitted_value.h"
#include "cmd/variables/variables.h"

#include "lib/dcfg_slice.h"

/* OmittedFinder: looks for stores that did not run.  It keeps the code of the
   program, and what earlier questions read from the trace. */
typedef struct OmittedFinder OmittedFinder;

/* OmittedTrace: the run that a finder is for.  Files of images are looked for
   below .root first, unless that is NULL. */
typedef
   struct {
      DcfgWet*    w;
      const char* file;         // .w was read from it
      const char* root;
      const char* own;          // images that are the program's, too, or NULL
      const DcfgSliceTotal* totals;     // by instruction; omitted_new() reads it
      uint64_t    n_executed;   // instructions of the run
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
      uint64_t other;           // the address it did not go to
      uint64_t taken;           // and where it went
   }
   OmittedBranch;

/* Omitted: a store that could have changed what a slice's node used, after that
   had been written, if a branch had gone the other way. */
typedef
   struct {
      uint32_t      node;       // the user, of the slice
      bool          memory;
      bool          asked;      // the criterion asks for it
      uint64_t      place, size;        // the memory, or the register
      uint64_t      since;      // .order of who had written it; 0: nobody
      uint64_t      store;      // the address of the instruction
      uint64_t      call;       // address of the call that leads there, or 0
      uint32_t      near;       // an instruction of its image
      bool          again;      // the store ran before
      bool          turn;       // the branch left the store's loop
      bool          maybe;      // whether it stores there is not known
      OmittedBranch branch;
   }
   Omitted;

/* OmittedList: the nearest users first. */
typedef
   struct {
      Omitted*    all;
      size_t      n, room;
      const char* bounded;      // all that was looked at, or NULL
   }
   OmittedList;

/* Return the stores that could have changed what the N NODES of S used; NODES may be
   NULL: all nodes.  S keeps instances, and answers Q. */
OmittedList omitted_find(OmittedFinder* f, const DcfgSlice* s,
                         const DcfgSliceQuery* q, const uint32_t* nodes,
                         size_t n);
void        omitted_list_free(OmittedList* l);

#endif /* DCFG_CMD_OMITTED_H */
