/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote what: the last writers of registers and memory. */

#ifndef DCFG_LIB_WET_WRITERS_H
#define DCFG_LIB_WET_WRITERS_H

#include "lib/base/hash.h"
#include "lib/wet/wet_record.h"

/*--- Memory                                               ---*/

/* A granule, 4 bytes, has one writer until some of its bytes are written
   alone: most data is read in the size in which it was written.  Then it has
   a cell, with a writer for each byte.  Granules are in pages, made at the
   first write. */

/* MIXED: set in a granule's word if the rest is the number of its cell.
   Registers have granules too, with cells of their own. */
#define MIXED (UINT64_C(1) << 63)

#define GRANULE 4u
typedef
   struct {
      Writer bytes[GRANULE];    // in a free cell: number of the next free one,
                                // + 1
   }
   Cell;

#define PAGE       4096u
#define N_PER_PAGE (PAGE / GRANULE)
typedef
   struct {
      uint64_t number;          // address / PAGE
      Writer   granules[N_PER_PAGE];
   }
   Page;

/* Recent: a page that was used lately, in a cache by number. */
typedef
   struct {
      uint64_t number;          // + 1; 0: none
      Page*    page;
   }
   Recent;

#define N_RECENT 1024u
typedef
   struct {
      Job*      job;
      Recent    recent[N_RECENT];
      Array     pages;          // Page*
      NumberMap places;         // keys: number + 1; values: index in .pages, +
                                // 1
      Array     cells;          // Cell
      uint32_t  free_cell;      // + 1; 0: none
   }
   Shadow;

void shadow_free(Shadow* s);

/* Slow paths of the inline functions below: return page NUMBER, or NULL; make
   WRITER the writer of N bytes at A. */
Page* shadow_look_up(Shadow* s, uint64_t number);
bool  shadow_write_bytes(Shadow* s, uint64_t a, uint64_t n, Writer writer);

/* Give the N bytes at A no writer. */
bool  shadow_forget(Shadow* s, uint64_t a, uint64_t n);

/* Move the writers of the N bytes at FROM to TO. */
bool  shadow_move(Shadow* s, uint64_t to, uint64_t from, uint64_t n);

static inline Page* shadow_find(Shadow* s, uint64_t number)
{
   const Recent* r = &s->recent[number % N_RECENT];

   return r->number == number + 1 ? r->page : shadow_look_up(s, number);
}

/* Return how many of the N bytes at A are in A's page. */
static inline uint64_t in_page(uint64_t a, uint64_t n)
{
   return PAGE - a % PAGE < n ? PAGE - a % PAGE : n;
}

/* Return whether one of the N bytes at A has a writer. */
bool shadow_has(Shadow* s, uint64_t a, uint64_t n);

/* Return the writer of byte I of GRANULE. */
static inline Writer writer_in(const Shadow* s, Writer granule, unsigned i)
{
   return granule & MIXED ? ELEM(s->cells, Cell, granule & ~MIXED).bytes[i]
                          : granule;
}

/* Make WRITER the writer of the N bytes at A.  The fast path is one or two
   whole granules of a known page, without cells. */
static inline bool shadow_write(Shadow* s, uint64_t a, uint64_t n,
                                Writer writer)
{
   const Recent* r = &s->recent[a / PAGE % N_RECENT];
   Writer*       g;

   if (r->number == a / PAGE + 1 && a % GRANULE == 0) {
      g = &r->page->granules[a % PAGE / GRANULE];
      if (n == 8 && a % 8 == 0 && !((g[0] | g[1]) & MIXED)) {
         g[0] = g[1] = writer;
         return true;
      }
      if (n == 4 && !(*g & MIXED)) {
         *g = writer;
         return true;
      }
   }
   return shadow_write_bytes(s, a, n, writer);
}

/*--- Registers                                            ---*/

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

#endif
