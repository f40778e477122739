/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run. */

#ifndef DCFG_CMD_OMITTED_H
#define DCFG_CMD_OMITTED_H

#include "cmd/omitted/omitted_value.h"
#include "cmd/variables/variables.h"

#include "lib/dcfg_slice.h"

/* OmittedFinder: a finder of stores that did not run.  It keeps the graph of
   the program's code, and the log that it read from the trace. */
typedef struct OmittedFinder OmittedFinder;

/* OmittedTrace: the run that a finder is for.  Image files are looked for
   below .root first, unless it is NULL. */
typedef
   struct {
      DcfgWet*    w;
      const char* file;         // .w was read from it
      const char* root;
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

/* Return the stores that did not run but could have changed values that the
   N NODES of S used.  NODES may be NULL: all nodes.  S keeps instances, and
   is the answer to Q.  Free the list with omitted_list_free(). */
OmittedList omitted_find(OmittedFinder* f, const DcfgSlice* s,
                         const DcfgSliceQuery* q, const uint32_t* nodes,
                         size_t n);
void        omitted_list_free(OmittedList* l);

#endif /* DCFG_CMD_OMITTED_H */
