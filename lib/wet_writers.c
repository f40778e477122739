
/*--------------------------------------------------------------------*/
/*--- Who wrote what is used.                      wet_writers.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: who wrote each location last, and so what each instance depends on
   through data.  Handed: events by wet_events.c.  Taken by: the same.

   A writer is an instance of an instruction.  Registers have one for each of
   their bytes, in each thread; memory in pages that are made when something
   is first written there. */

#include "wet.h"

#include <stdlib.h>
#include <string.h>

#define N_LOCS      800
#define LOC_CARRY   128
#define LOC_STATUS  131
#define LOC_VECTOR  160
#define LOC_X87     672
#define LOC_STACK   736

#define ACCESS_LOAD  1
#define ACCESS_STORE 2

/* An instance: the instruction's number and one, above the instance's.  0:
   nothing that was executed. */
typedef uint64_t Writer;
#define INSTANCE_BITS 40

#define PAGE 4096u
typedef
   struct Page {
      struct Page* next;        // with the same hash
      uint64_t     number;      // address / PAGE
      Writer       writers[PAGE];
   }
   Page;

typedef
   struct Registers {
      struct Registers* interrupted;
      Writer            writers[N_LOCS];
      unsigned          top;    // of x87's stack
   }
   Registers;

typedef
   struct {
      Registers* now;           // innermost handler's
      Writer     syscall;       // the last one
   }
   ThreadState;

#define N_BUCKETS 65536u
struct WetWriters {
   Array threads;               // ThreadState
   Page* last;
   Page* pages[N_BUCKETS];
   Array ports;                 // DcfgWetPort, of this instance
   Array deps;                  // DcfgWetDep
};

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

static Page* find_page(WetWriters* s, uint64_t number)
{
   Page* p = s->last;

   if (p != NULL && p->number == number)
      return p;
   p = s->pages[(number ^ number >> 16) % N_BUCKETS];
   while (p != NULL && p->number != number)
      p = p->next;
   if (p != NULL)
      s->last = p;
   return p;
}

static Page* need_page(DcfgWet* w, uint64_t number)
{
   WetWriters* s = w->writers;
   Page*       p = find_page(s, number);
   Page**      bucket = &s->pages[(number ^ number >> 16) % N_BUCKETS];

   if (p != NULL)
      return p;
   p = job_calloc(&w->job, 1, sizeof(*p));
   if (p == NULL)
      return NULL;
   p->number = number;
   p->next   = *bucket;
   *bucket   = p;
   s->last   = p;
   return p;
}

/* The N bytes at A are WRITER's.  What nobody has written needs no page. */
static bool write_memory(DcfgWet* w, uint64_t a, uint64_t n, Writer writer)
{
   while (n > 0) {
      uint64_t at   = a % PAGE, here = PAGE - at < n ? PAGE - at : n;
      Page*    page = writer == 0 ? find_page(w->writers, a / PAGE)
                                  : need_page(w, a / PAGE);
      if (page == NULL && writer != 0)
         return false;
      for (uint64_t i = 0; page != NULL && i < here; i++)
         page->writers[at + i] = writer;
      a += here;
      n -= here;
   }
   return true;
}

/*------------------------------------------------------------*/
/*--- Ports                                                ---*/
/*------------------------------------------------------------*/

static bool add_port(DcfgWet* w, DcfgWetPortKind kind, uint32_t reg)
{
   DcfgWetPort* p = array_add(&w->job, &w->writers->ports, sizeof(*p));

   if (p == NULL)
      return false;
   p->kind  = kind;
   p->reg   = reg;
   p->first = w->writers->deps.n;
   p->n     = 0;
   return true;
}

/* The last port depends on WRITER, too. */
static bool add_dep(DcfgWet* w, Writer writer)
{
   WetWriters*  s = w->writers;
   DcfgWetPort* p = &ELEM(s->ports, DcfgWetPort, s->ports.n - 1);
   DcfgWetDep   d = { (uint32_t)(writer >> INSTANCE_BITS) - 1,
                      writer & ((UINT64_C(1) << INSTANCE_BITS) - 1) };
   DcfgWetDep*  to;

   if (writer == 0)
      return true;
   for (uint32_t i = p->n; i-- > 0; )
      if (ELEM(s->deps, DcfgWetDep, p->first + i).instr == d.instr
          && ELEM(s->deps, DcfgWetDep, p->first + i).instance == d.instance)
         return true;
   to = array_add(&w->job, &s->deps, sizeof(*to));
   if (to == NULL)
      return false;
   *to = d;
   p->n++;
   return true;
}

/* Which port location LOC belongs to: each of them has its own. */
static DcfgWetPortKind port_of(unsigned loc, uint32_t* reg)
{
   *reg = 0;
   if (loc < LOC_CARRY) {
      *reg = loc / 8;
      return DCFG_WET_GENERAL;
   }
   if (loc < LOC_STATUS)
      return DCFG_WET_FLAGS;
   if (loc >= LOC_VECTOR && loc < LOC_X87) {
      *reg = (loc - LOC_VECTOR) / 32;
      return DCFG_WET_VECTOR;
   }
   return DCFG_WET_X87;
}

/* The place of LOC, which may be counted from the top of x87's stack. */
static unsigned place_of(const Registers* r, unsigned loc)
{
   return loc < LOC_STACK ? loc
          : LOC_X87 + (((loc - LOC_STACK) / 8 + r->top) & 7) * 8 + loc % 8;
}

/* Status belongs to x87, whose other locations come last. */
static bool add_locations(DcfgWet* w, const Registers* r, const WetInstr* in)
{
   bool            any = false, status = false;
   DcfgWetPortKind last = DCFG_WET_GENERAL;
   uint32_t        last_reg = 0;

   for (uint32_t i = 0; i < in->uses.n; i++) {
      const LocRange* range = &ELEM(w->ranges, LocRange, in->uses.first + i);
      for (unsigned l = range->first; l < range->first + range->n; l++) {
         uint32_t        reg;
         DcfgWetPortKind kind = port_of(l, &reg);
         if (l == LOC_STATUS) {
            status = true;
            continue;
         }
         if (!any || kind != last || reg != last_reg) {
            if (!add_port(w, kind, reg))
               return false;
            any      = true;
            last     = kind;
            last_reg = reg;
         }
         if (!add_dep(w, r->writers[place_of(r, l)]))
            return false;
      }
   }
   if (status) {
      if ((!any || last != DCFG_WET_X87) && !add_port(w, DCFG_WET_X87, 0))
         return false;
      return add_dep(w, r->writers[LOC_STATUS]);
   }
   return true;
}

/* Where access J of the instruction was made: 0 if it was not.  AT is the
   first of its places on the tape that is not yet used. */
static uint64_t address_of(DcfgWet* w, const WetSb* sb, const DcfgWetEvent* e,
                           const WetInstr* in, uint32_t j, uint32_t* at,
                           uint64_t* addrs)
{
   const WetAccess* a = &ELEM(w->accesses, WetAccess, in->accesses.first + j);

   if (*at < e->n_accesses) {
      uint32_t         first = (uint32_t)(e->accesses - w->addrs);
      const WetAccess* slot = &ELEM(w->accesses, WetAccess,
                                    sb->slots.first + first + *at);
      if (slot->what == a->what && slot->size == a->size)
         return addrs[j] = e->accesses[(*at)++];
   }
   return addrs[j] = a->same > 0 ? addrs[a->same - 1] : 0;
}

/* A port for each operand that is read; what is read again at the same
   address is the same operand. */
static bool add_memory(DcfgWet* w, const WetInstr* in, const uint64_t* addrs)
{
   for (uint32_t j = 0; j < in->accesses.n; j++) {
      const WetAccess* a = &ELEM(w->accesses, WetAccess,
                                 in->accesses.first + j);
      bool again = a->same > 0
                   && (ELEM(w->accesses, WetAccess,
                            in->accesses.first + a->same - 1).what
                       & ACCESS_LOAD);
      if (!(a->what & ACCESS_LOAD) || again)
         continue;
      if (!add_port(w, DCFG_WET_MEMORY, j))
         return false;
      for (uint32_t i = 0; addrs[j] != 0 && i < a->size; i++) {
         uint64_t    at = addrs[j] + i;
         const Page* p  = find_page(w->writers, at / PAGE);
         if (p != NULL && !add_dep(w, p->writers[at % PAGE]))
            return false;
      }
   }
   return true;
}

/*------------------------------------------------------------*/
/*--- Events                                               ---*/
/*------------------------------------------------------------*/

static ThreadState* state_of(DcfgWet* w, uint32_t thread)
{
   WetWriters*  s = w->writers;
   ThreadState* t;

   while (s->threads.n <= thread)
      if (thread >= w->threads.n
          || array_add(&w->job, &s->threads, sizeof(ThreadState)) == NULL) {
         job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                  "there is no thread %u", thread);
         return NULL;
      }
   t = &ELEM(s->threads, ThreadState, thread);
   if (t->now == NULL)
      t->now = job_calloc(&w->job, 1, sizeof(Registers));
   return t->now == NULL ? NULL : t;
}

bool wet_find_writers(DcfgWet* w, const WetSb* sb, DcfgWetEvent* e)
{
   WetWriters*     s  = w->writers;
   const WetInstr* in = &ELEM(w->instrs, WetInstr, e->instr);
   ThreadState*    t  = state_of(w, e->thread);
   Writer          me = (uint64_t)(e->instr + 1) << INSTANCE_BITS
                        | (e->instance
                           & ((UINT64_C(1) << INSTANCE_BITS) - 1));
   uint64_t        addrs[MAX_ACCESSES];
   uint32_t        at = 0;

   if (t == NULL)
      return false;
   s->ports.n = s->deps.n = 0;
   for (uint32_t j = 0; j < in->accesses.n; j++)
      address_of(w, sb, e, in, j, &at, addrs);
   if (!add_locations(w, t->now, in) || !add_memory(w, in, addrs))
      return false;
   for (uint32_t i = 0; i < in->defs.n; i++) {
      const LocRange* range = &ELEM(w->ranges, LocRange, in->defs.first + i);
      for (unsigned l = range->first; l < range->first + range->n; l++)
         t->now->writers[place_of(t->now, l)] = me;
   }
   t->now->top = in->flags & 2 ? 0 : (t->now->top + (in->flags >> 2)) & 7;
   for (uint32_t j = 0; j < in->accesses.n; j++) {
      const WetAccess* a = &ELEM(w->accesses, WetAccess,
                                 in->accesses.first + j);
      if ((a->what & ACCESS_STORE) && addrs[j] != 0
          && !write_memory(w, addrs[j], a->size, me))
         return false;
   }
   t->syscall = me;
   e->ports   = s->ports.data;
   e->n_ports = s->ports.n;
   e->deps    = s->deps.data;
   return true;
}

/* The handler is given these; the others it finds as they were. */
static bool enter_handler(DcfgWet* w, ThreadState* t)
{
   static const uint8_t given[] = { 0, 2, 4, 6, 7 };   // RAX RDX RSP RSI RDI
   Registers* r = job_calloc(&w->job, 1, sizeof(*r));

   if (r == NULL)
      return false;
   *r = *t->now;
   r->interrupted = t->now;
   for (unsigned i = 0; i < sizeof(given); i++)
      memset(r->writers + 8 * given[i], 0, 8 * sizeof(Writer));
   t->now = r;
   return true;
}

bool wet_note_mark(DcfgWet* w, const DcfgWetEvent* e)
{
   ThreadState* t = state_of(w, e->thread);

   if (t == NULL)
      return false;
   switch (e->kind) {
      case DCFG_WET_WRITTEN:
         return write_memory(w, e->addr, e->size, t->syscall);
      case DCFG_WET_FRESH:
         return write_memory(w, e->addr, e->size, 0);
      case DCFG_WET_HANDLER:
         return enter_handler(w, t);
      case DCFG_WET_RETURN:
         if (t->now->interrupted != NULL) {
            Registers* r = t->now;
            t->now = r->interrupted;
            job_free(&w->job, r, sizeof(*r));
         }
         return true;
      default:
         return true;
   }
}

bool wet_start_writers(DcfgWet* w)
{
   w->writers = job_calloc(&w->job, 1, sizeof(WetWriters));
   return w->writers != NULL;
}

void wet_free_writers(DcfgWet* w)
{
   WetWriters* s = w->writers;

   if (s == NULL)
      return;
   for (uint32_t i = 0; i < N_BUCKETS; i++)
      while (s->pages[i] != NULL) {
         Page* p = s->pages[i];
         s->pages[i] = p->next;
         free(p);
      }
   for (uint32_t i = 0; i < s->threads.n; i++)
      while (ELEM(s->threads, ThreadState, i).now != NULL) {
         Registers* r = ELEM(s->threads, ThreadState, i).now;
         ELEM(s->threads, ThreadState, i).now = r->interrupted;
         free(r);
      }
   array_free(&w->job, &s->threads, sizeof(ThreadState));
   array_free(&w->job, &s->ports, sizeof(DcfgWetPort));
   array_free(&w->job, &s->deps, sizeof(DcfgWetDep));
   free(s);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
