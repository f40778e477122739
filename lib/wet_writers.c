
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

/* Locations that stand together and belong to one port: the first ones of it
   if NEW. */
typedef
   struct {
      uint8_t  kind;            // DcfgWetPortKind
      uint8_t  reg;
      bool     new;
      uint16_t loc, n;
   }
   Run;

/* What is known of an instruction before any instance. */
typedef
   struct {
      Span     runs;
      uint32_t n_ports, n_deps; // at most
   }
   Static;

#define N_BUCKETS 65536u
#define N_RECENT  1024u
struct WetWriters {
   Array        threads;        // ThreadState
   Page*        recent[N_RECENT];
   Page*        pages[N_BUCKETS];
   Array        runs;           // Run
   Static*      statics;        // by instruction
   DcfgWetPort* ports;          // of this instance: room for the most
   DcfgWetDep*  deps;
   uint32_t     n_ports, n_deps;
   uint64_t*    addrs;          // of its accesses
};

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

static inline Page* find_page(WetWriters* s, uint64_t number)
{
   Page** recent = &s->recent[number % N_RECENT];
   Page*  p = *recent;

   if (p != NULL && p->number == number)
      return p;
   p = s->pages[(number ^ number >> 16) % N_BUCKETS];
   while (p != NULL && p->number != number)
      p = p->next;
   if (p != NULL)
      *recent = p;
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

static inline DcfgWetPort* add_port(WetWriters* s, DcfgWetPortKind kind,
                                    uint32_t reg)
{
   DcfgWetPort* p = &s->ports[s->n_ports++];

   p->kind  = kind;
   p->reg   = reg;
   p->first = s->n_deps;
   p->n     = 0;
   return p;
}

/* Port P depends on N WRITERS, each of them once. */
static inline void add_deps(WetWriters* s, DcfgWetPort* p,
                            const Writer* writers, uint32_t n)
{
   Writer last = 0;

   for (uint32_t i = 0; i < n; i++) {
      DcfgWetDep d;
      uint32_t   k = 0;
      if (writers[i] == last || writers[i] == 0)
         continue;
      last       = writers[i];
      d.instr    = (uint32_t)(last >> INSTANCE_BITS) - 1;
      d.instance = last & ((UINT64_C(1) << INSTANCE_BITS) - 1);
      while (k < p->n && (s->deps[p->first + k].instr != d.instr
                          || s->deps[p->first + k].instance != d.instance))
         k++;
      if (k == p->n) {
         s->deps[s->n_deps++] = d;
         p->n++;
      }
   }
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

/* LOC is used, as the first location of another port if NEW. */
static bool add_run(DcfgWet* w, Static* st, unsigned loc, bool new)
{
   WetWriters* s = w->writers;
   Run*        r = s->runs.n == 0 ? NULL : &ELEM(s->runs, Run, s->runs.n - 1);

   st->n_deps++;
   if (!new && r->loc + r->n == loc) {
      r->n++;
      return true;
   }
   r = array_add(&w->job, &s->runs, sizeof(*r));
   if (r == NULL)
      return false;
   uint32_t reg;
   r->kind = port_of(loc, &reg);
   r->reg  = reg;
   r->new  = new;
   r->loc  = loc;
   r->n    = 1;
   st->runs.n++;
   st->n_ports += new;
   return true;
}

/* x87's status has the lowest number of x87's locations, but the port comes
   behind those of vector registers. */
static bool find_runs(DcfgWet* w, const WetInstr* in, Static* st)
{
   bool            any = false, status = false;
   DcfgWetPortKind last = DCFG_WET_GENERAL;
   uint32_t        last_reg = 0;

   st->runs.first = w->writers->runs.n;
   for (uint32_t i = 0; i < in->uses.n; i++) {
      const LocRange* range = &ELEM(w->ranges, LocRange, in->uses.first + i);
      for (unsigned l = range->first; l < range->first + range->n; l++) {
         uint32_t        reg;
         DcfgWetPortKind kind = port_of(l, &reg);
         if (l == LOC_STATUS) {
            status = true;
            continue;
         }
         if (!add_run(w, st, l, !any || kind != last || reg != last_reg))
            return false;
         any      = true;
         last     = kind;
         last_reg = reg;
      }
   }
   if (status && !add_run(w, st, LOC_STATUS, !any || last != DCFG_WET_X87))
      return false;
   for (uint32_t j = 0; j < in->accesses.n; j++) {
      st->n_deps += ELEM(w->accesses, WetAccess, in->accesses.first + j).size;
      st->n_ports++;
   }
   return true;
}

static void add_locations(WetWriters* s, const Registers* r,
                          const Static* st)
{
   DcfgWetPort* p = NULL;

   for (uint32_t i = 0; i < st->runs.n; i++) {
      const Run* run = &ELEM(s->runs, Run, st->runs.first + i);
      if (run->new)
         p = add_port(s, run->kind, run->reg);
      if (run->loc < LOC_STACK)
         add_deps(s, p, r->writers + run->loc, run->n);
      else
         for (uint32_t k = 0; k < run->n; k++)
            add_deps(s, p, &r->writers[place_of(r, run->loc + k)], 1);
   }
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
static void add_memory(DcfgWet* w, const WetInstr* in, const uint64_t* addrs)
{
   WetWriters* s = w->writers;

   for (uint32_t j = 0; j < in->accesses.n; j++) {
      const WetAccess* a = &ELEM(w->accesses, WetAccess,
                                 in->accesses.first + j);
      bool again = a->same > 0
                   && (ELEM(w->accesses, WetAccess,
                            in->accesses.first + a->same - 1).what
                       & ACCESS_LOAD);
      if (!(a->what & ACCESS_LOAD) || again)
         continue;
      DcfgWetPort* p  = add_port(s, DCFG_WET_MEMORY, j);
      uint64_t     at = addrs[j], left = at == 0 ? 0 : a->size;
      while (left > 0) {
         uint64_t    here = PAGE - at % PAGE < left ? PAGE - at % PAGE : left;
         const Page* page = find_page(s, at / PAGE);
         if (page != NULL)
            add_deps(s, p, page->writers + at % PAGE, (uint32_t)here);
         at   += here;
         left -= here;
      }
   }
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
   uint64_t*       addrs = s->addrs;
   uint32_t        at = 0;

   if (t == NULL)
      return false;
   s->n_ports = s->n_deps = 0;
   for (uint32_t j = 0; j < in->accesses.n; j++)
      address_of(w, sb, e, in, j, &at, addrs);
   add_locations(s, t->now, &s->statics[e->instr]);
   add_memory(w, in, addrs);
   for (uint32_t i = 0; i < in->defs.n; i++) {
      const LocRange* range = &ELEM(w->ranges, LocRange, in->defs.first + i);
      unsigned        end   = range->first + range->n;
      if (end <= LOC_STACK)
         for (unsigned l = range->first; l < end; l++)
            t->now->writers[l] = me;
      else
         for (unsigned l = range->first; l < end; l++)
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
   e->ports   = s->ports;
   e->n_ports = s->n_ports;
   e->deps    = s->deps;
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
   WetWriters* s = job_calloc(&w->job, 1, sizeof(WetWriters));
   uint32_t    n_ports = 0, n_deps = 0;

   w->writers = s;
   if (s == NULL)
      return false;
   s->statics = job_calloc(&w->job, w->instrs.n + 1, sizeof(Static));
   s->addrs   = job_calloc(&w->job, MAX_ACCESSES, sizeof(uint64_t));
   if (s->statics == NULL || s->addrs == NULL)
      return false;
   for (uint32_t i = 0; i < w->instrs.n; i++) {
      Static* st = &s->statics[i];
      if (!find_runs(w, &ELEM(w->instrs, WetInstr, i), st))
         return false;
      n_ports = st->n_ports > n_ports ? st->n_ports : n_ports;
      n_deps  = st->n_deps > n_deps ? st->n_deps : n_deps;
   }
   s->ports = job_calloc(&w->job, n_ports + 1, sizeof(DcfgWetPort));
   s->deps  = job_calloc(&w->job, n_deps + 1, sizeof(DcfgWetDep));
   return s->ports != NULL && s->deps != NULL;
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
   array_free(&w->job, &s->runs, sizeof(Run));
   free(s->statics);
   free(s->addrs);
   free(s->ports);
   free(s->deps);
   free(s);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
