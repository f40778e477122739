/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote what, of a trace in work. */

#ifndef DCFG_LIB_WET_WRITERS_H
#define DCFG_LIB_WET_WRITERS_H

#include "lib/wet/wet_record.h"
#include "lib/wet/wet_shadow.h"

typedef
   struct Registers {
      struct Registers* interrupted;
      Writer   granules[N_GRANULES];
      Writer   bytes[N_GRANULES][8];    // for MIXED granules
      uint32_t top;             // top of x87's stack
   }
   Registers;

typedef
   struct {
      Registers* now;           // the innermost handler's
      Writer     syscall;       // the last system call
   }
   ThreadState;

struct WetWriters {
   Shadow       shadow;
   Array        threads;        // ThreadState
   DcfgWetPort* ports;          // from 1 on; room for the most that an instance
                                // has
   DcfgWetDep*  deps;
   size_t       max_deps;       // elements of .deps
   uint32_t     n_ports, n_deps;        // the last system call's
   uint64_t*    addrs;          // room for an instance's accesses
   NumberMap    seen;           // keys: one port's writers
};

/* Return the state of THREAD; make it if the thread is new. */
ThreadState* wet_add_state(DcfgWetEvents* v, uint32_t thread);

static inline ThreadState* state_of(DcfgWetEvents* v, uint32_t thread)
{
   WetWriters* s = v->writers;

   if (thread < s->threads.n
       && ELEM(s->threads, ThreadState, thread).now != NULL)
      return &ELEM(s->threads, ThreadState, thread);
   return wet_add_state(v, thread);
}

/* Make ME the writer of the bytes MASK of granule G. */
static inline void define_granule(Registers* r, unsigned g, uint8_t mask,
                                  Writer me)
{
   if (mask == 0xFF) {
      r->granules[g] = me;
      return;
   }
   if (!(r->granules[g] & MIXED))
      for (unsigned i = 0; i < 8; i++)
         r->bytes[g][i] = r->granules[g];
   r->granules[g] = MIXED;
   for (unsigned i = 0; i < 8; i++)
      if (mask >> i & 1)
         r->bytes[g][i] = me;
}

/* Give the bytes MASK of granule G no writer. */
static inline void clear_granule(Registers* r, unsigned g, uint8_t mask)
{
   Writer any = 0;

   if (r->granules[g] == 0)
      return;
   define_granule(r, g, mask, 0);
   for (unsigned i = 0; i < 8 && (r->granules[g] & MIXED); i++)
      any |= r->bytes[g][i];
   if (any == 0 && (r->granules[g] & MIXED))
      r->granules[g] = 0;
}

/* Return the index of granule G; x87's may be counted from the top of the
   stack. */
static inline unsigned granule_index(const Registers* r, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + r->top) & 7);
}

/* Forget what THREAD's innermost handler interrupted: it was left for good. */
void wet_forget_handler(DcfgWetEvents* v, uint32_t thread);

bool wet_start_writers(DcfgWetEvents* v);
void wet_free_writers(DcfgWetEvents* v);

#endif /* DCFG_LIB_WET_WRITERS_H */
