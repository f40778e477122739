/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote what, of a trace in work. */

#ifndef DCFG_LIB_WET_WRITERS_H
#define DCFG_LIB_WET_WRITERS_H

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
      Registers* now;           // innermost handler's
      Writer     syscall;       // the last one
   }
   ThreadState;

struct WetWriters {
   Shadow       shadow;
   Array        threads;        // ThreadState
   DcfgWetPort* ports;          // ports of this instance, from 1 on; room for
                                // the most
   DcfgWetDep*  deps;
   size_t       max_deps;       // there is room for
   uint32_t     n_ports, n_deps;        // the last system call's
   uint64_t*    addrs;          // addresses of its accesses
   NumberMap    seen;           // one port's dependences, as Writer
};

/* Return the state of THREAD; make it if the thread is new. */
ThreadState* wet_add_state(DcfgWet* w, uint32_t thread);

static inline ThreadState* state_of(DcfgWet* w, uint32_t thread)
{
   WetWriters* s = w->writers;

   if (thread < s->threads.n
       && ELEM(s->threads, ThreadState, thread).now != NULL)
      return &ELEM(s->threads, ThreadState, thread);
   return wet_add_state(w, thread);
}

/* The bytes MASK of granule G are ME's. */
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

/* The bytes MASK of granule G are nobody's. */
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

/* The place of granule G, which may be counted from the top of x87's
   stack. */
static inline unsigned place_of(const Registers* r, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + r->top) & 7);
}

/* The innermost handler of THREAD was left for good, without returning. */
void wet_forget_handler(DcfgWet* w, uint32_t thread);

bool wet_start_writers(DcfgWet* w);
void wet_free_writers(DcfgWet* w);

#endif /* DCFG_LIB_WET_WRITERS_H */
