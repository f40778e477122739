
/*--------------------------------------------------------------------*/
/*--- Who wrote what each instance uses.             wet_writers.c ---*/
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
   through data.  Handed: instances and marks by wet_events.c, plans by
   wet_plan.c.  Taken by: wet_events.c.

   What is written together is mostly read together: 8 bytes, a granule, have
   one writer until some of them are written alone.  Then they have a cell
   with one for each byte.  Registers have granules in each thread; memory in
   pages, which are made when something is first written there. */

#include "wet.h"

#include <stdlib.h>
#include <string.h>

/* A granule's writer, or which cell it has. */
#define MIXED (UINT64_C(1) << 63)

typedef
   struct {
      Writer bytes[8];          // of a free one: the next, and 1
   }
   Cell;

#define PAGE       4096u
#define N_PER_PAGE (PAGE / 8)
typedef
   struct Page {
      struct Page* next;        // with the same hash
      uint64_t     number;      // address / PAGE
      Writer       granules[N_PER_PAGE];
   }
   Page;

typedef
   struct Registers {
      struct Registers* interrupted;
      Writer   granules[N_GRANULES];
      Writer   bytes[N_GRANULES][8];    // of those that are MIXED
      uint32_t top;             // of x87's stack
   }
   Registers;

typedef
   struct {
      Registers* now;           // innermost handler's
      Writer     syscall;       // the last one
   }
   ThreadState;

#define N_BUCKETS 65536u
#define N_RECENT  1024u
struct WetWriters {
   Array        threads;        // ThreadState
   Page*        recent[N_RECENT];
   Page*        pages[N_BUCKETS];
   Array        cells;          // Cell
   uint32_t     free_cell;      // and 1; 0: none
   DcfgWetPort* ports;          // of this instance: room for the most, from
                                // 1 on
   DcfgWetDep*  deps;
   size_t       max_deps;       // there is room for
   uint32_t     n_ports, n_deps;        // of a system call
   uint64_t*    addrs;          // of its accesses
   uint32_t*    seen;           // hash table of one port's dependences:
   size_t       n_seen;         // their numbers and 1
};

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

static inline uint32_t bucket_of(uint64_t number)
{
   return (uint32_t)((number ^ number >> 16) % N_BUCKETS);
}

static inline Page* find_page(WetWriters* s, uint64_t number)
{
   Page** recent = &s->recent[number % N_RECENT];
   Page*  p = *recent;

   if (p != NULL && p->number == number)
      return p;
   p = s->pages[bucket_of(number)];
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
   Page**      bucket = &s->pages[bucket_of(number)];

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

/* Cell GRANULE has, or a new one with what is in it. */
static Cell* need_cell(DcfgWet* w, Writer* granule)
{
   WetWriters* s = w->writers;
   Cell*       c;

   if (*granule & MIXED)
      return &ELEM(s->cells, Cell, *granule & ~MIXED);
   uint32_t id = s->free_cell;
   if (id != 0) {
      c = &ELEM(s->cells, Cell, id - 1);
      s->free_cell = (uint32_t)c->bytes[0];
   } else {
      c = array_add(&w->job, &s->cells, sizeof(*c));
      if (c == NULL)
         return NULL;
      id = (uint32_t)s->cells.n;
   }
   for (unsigned i = 0; i < 8; i++)
      c->bytes[i] = *granule;
   *granule = MIXED | (id - 1);
   return c;
}

static void free_cell(WetWriters* s, Writer granule)
{
   ELEM(s->cells, Cell, granule & ~MIXED).bytes[0] = s->free_cell;
   s->free_cell = (uint32_t)(granule & ~MIXED) + 1;
}

/* N bytes from place FIRST of a granule on are WRITER's. */
static bool write_granule(DcfgWet* w, Writer* granule, unsigned first,
                          unsigned n, Writer writer)
{
   if (n == 8) {
      if (*granule & MIXED)
         free_cell(w->writers, *granule);
      *granule = writer;
      return true;
   }
   if (*granule == writer)
      return true;
   Cell* c = need_cell(w, granule);
   for (unsigned i = first; c != NULL && i < first + n; i++)
      c->bytes[i] = writer;
   return c != NULL;
}

static bool write_page(DcfgWet* w, Page* page, uint64_t at, uint64_t n,
                       Writer writer)
{
   while (n > 0) {
      unsigned first = at % 8, here = 8 - first < n ? 8 - first : (unsigned)n;
      if (!write_granule(w, &page->granules[at / 8], first, here, writer))
         return false;
      at += here;
      n  -= here;
   }
   return true;
}

/* How many of the N bytes at A are in A's page. */
static uint64_t in_page(uint64_t a, uint64_t n)
{
   return PAGE - a % PAGE < n ? PAGE - a % PAGE : n;
}

/* The N bytes at A are WRITER's. */
static inline bool write_memory(DcfgWet* w, uint64_t a, uint64_t n,
                                Writer writer)
{
   if (a % 8 + n <= 8) {
      Page* page = need_page(w, a / PAGE);
      return page != NULL
             && write_granule(w, &page->granules[a % PAGE / 8], a % 8,
                              (unsigned)n, writer);
   }
   while (n > 0) {
      uint64_t here = in_page(a, n);
      Page*    page = need_page(w, a / PAGE);
      if (page == NULL || !write_page(w, page, a % PAGE, here, writer))
         return false;
      a += here;
      n -= here;
   }
   return true;
}

/* Nobody has written them.  There may be many more than there are pages. */
static bool forget_memory(DcfgWet* w, uint64_t a, uint64_t n)
{
   WetWriters* s = w->writers;

   if (n > UINT64_MAX - a)
      n = UINT64_MAX - a;
   if (n / PAGE > N_BUCKETS) {
      uint64_t head = in_page(a, n), tail = (a + n) % PAGE;
      for (uint32_t i = 0; i < N_BUCKETS; i++)
         for (Page* p = s->pages[i]; p != NULL; p = p->next)
            if (p->number > a / PAGE && p->number < (a + n) / PAGE
                && !write_page(w, p, 0, PAGE, 0))
               return false;
      return forget_memory(w, a, head)
             && forget_memory(w, a + n - tail, tail);
   }
   while (n > 0) {
      uint64_t here = in_page(a, n);
      Page*    page = find_page(s, a / PAGE);
      if (page != NULL && !write_page(w, page, a % PAGE, here, 0))
         return false;
      a += here;
      n -= here;
   }
   return true;
}

/* Whole pages are moved by the kernel. */
static bool move_memory(DcfgWet* w, const DcfgWetEvent* e)
{
   WetWriters* s = w->writers;

   if (e->addr % PAGE != 0 || e->from % PAGE != 0
       || e->size > UINT64_C(1) << 40)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                      "memory is moved in a way that is not possible");
   for (uint64_t done = 0; done < e->size; done += PAGE) {
      Page* from = find_page(s, (e->from + done) / PAGE);
      Page* to   = from == NULL ? find_page(s, (e->addr + done) / PAGE)
                                : need_page(w, (e->addr + done) / PAGE);
      if (from != NULL && to == NULL)
         return false;
      if (to == NULL || to == from)
         continue;
      if (!write_page(w, to, 0, PAGE, 0))
         return false;
      if (from == NULL)
         continue;
      memcpy(to->granules, from->granules, sizeof(to->granules));
      memset(from->granules, 0, sizeof(from->granules));
   }
   return true;
}

/*------------------------------------------------------------*/
/*--- Ports                                                ---*/
/*------------------------------------------------------------*/

/* What is found of an instance, while it is: kept apart from what has an
   address, so that it stays in registers. */
typedef
   struct {
      DcfgWetPort* port;        // the last one
      DcfgWetDep*  dep;         // behind the last one
      DcfgWetDep*  deps;        // the first
   }
   Found;

static inline void add_port(Found* f, DcfgWetPortKind kind, uint32_t reg)
{
   *++f->port = (DcfgWetPort){ kind, reg, (uint32_t)(f->dep - f->deps), 0 };
}

/* The last port depends on WRITER; once. */
static inline void add_dep(Found* f, Writer writer)
{
   DcfgWetDep d = instance_of(writer);

   if (writer == 0)
      return;
   for (uint32_t k = 0; k < f->port->n; k++)
      if (f->dep[-1 - (int)k].instance == d.instance
          && f->dep[-1 - (int)k].instr == d.instr)
         return;
   *f->dep++ = d;
   f->port->n++;
}

/* The first one of the last port. */
static inline void add_first(Found* f, Writer writer)
{
   *f->dep = instance_of(writer);
   f->dep += writer != 0;
   f->port->n = writer != 0;
}

static void add_bytes(Found* f, const Writer* bytes, unsigned mask)
{
   Writer last = 0;

   for (; mask != 0; mask &= mask - 1) {
      Writer writer = bytes[__builtin_ctz(mask)];
      if (writer != last)
         add_dep(f, writer);
      last = writer;
   }
}

/* The place of granule G, which may be counted from the top of x87's
   stack. */
static inline unsigned place_of(const Registers* r, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + r->top) & 7);
}

static inline void add_registers(const DcfgWet* w, const Registers* r,
                                 const Plan* plan, Found* found)
{
   const Use* u = &ELEM(w->uses, Use, plan->uses);
   Found      f = *found;

   for (const Use* end = u + plan->n_uses; u < end; u++) {
      unsigned g = place_of(r, u->granule);
      Writer   writer = r->granules[g];
      if (u->new)
         add_port(&f, u->port, u->reg);
      if (writer & MIXED)
         add_bytes(&f, r->bytes[g], u->mask);
      else if (u->new)
         add_first(&f, writer);
      else
         add_dep(&f, writer);
   }
   *found = f;
}

static void add_granule(WetWriters* s, Found* f, uint64_t a, unsigned n)
{
   const Page* page = find_page(s, a / PAGE);
   Writer      writer;

   if (page == NULL)
      return;
   writer = page->granules[a % PAGE / 8];
   if (writer & MIXED)
      add_bytes(f, ELEM(s->cells, Cell, writer & ~MIXED).bytes,
                ((1u << n) - 1) << a % 8);
   else
      add_dep(f, writer);
}

static inline void add_memory(WetWriters* s, Found* f, uint64_t a, uint64_t n)
{
   while (n > 0) {
      unsigned here = 8 - a % 8 < n ? 8 - a % 8 : (unsigned)n;
      add_granule(s, f, a, here);
      a += here;
      n -= here;
   }
}

/* Where the accesses of the instruction were made: 0 if it was not. */
static const uint64_t* find_addresses(DcfgWet* w, const Plan* plan,
                                      const Place* at, const DcfgWetEvent* e)
{
   const WetSb*     sb = &ELEM(w->sbs, WetSb, w->record.sb);
   const WetAccess* a = &ELEM(w->accesses, WetAccess, plan->accesses);
   const WetAccess* slots = &ELEM(w->accesses, WetAccess,
                                  sb->slots.first + at->slot);
   uint64_t*        addrs = w->writers->addrs;
   uint32_t         k = 0;

   if (at->plain && e->n_accesses == plan->n_accesses)
      return e->accesses;
   for (uint32_t j = 0; j < plan->n_accesses; j++) {
      addrs[j] = 0;
      if (k < e->n_accesses && slots[k].what == a[j].what
          && slots[k].size == a[j].size)
         addrs[j] = e->accesses[k++];
      else if (a[j].same > 0)
         addrs[j] = addrs[a[j].same - 1];
   }
   return addrs;
}

/*------------------------------------------------------------*/
/*--- Events                                               ---*/
/*------------------------------------------------------------*/

static ThreadState* add_state(DcfgWet* w, uint32_t thread)
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

static inline ThreadState* state_of(DcfgWet* w, uint32_t thread)
{
   WetWriters* s = w->writers;

   if (thread < s->threads.n
       && ELEM(s->threads, ThreadState, thread).now != NULL)
      return &ELEM(s->threads, ThreadState, thread);
   return add_state(w, thread);
}

static inline void define_registers(DcfgWet* w, Registers* r,
                                    const Plan* plan, Writer me)
{
   const Def* d = &ELEM(w->defs, Def, plan->defs);

   for (const Def* end = d + plan->n_defs; d < end; d++) {
      unsigned g = place_of(r, d->granule);
      if (d->mask == 0xFF) {
         r->granules[g] = me;
         continue;
      }
      if (!(r->granules[g] & MIXED))
         for (unsigned i = 0; i < 8; i++)
            r->bytes[g][i] = r->granules[g];
      r->granules[g] = MIXED;
      for (unsigned i = 0; i < 8; i++)
         if (d->mask >> i & 1)
            r->bytes[g][i] = me;
   }
   r->top = plan->top_zero ? 0 : (r->top + plan->top) & 7;
}

bool wet_find_writers(DcfgWet* w, const Place* at, Writer control,
                      DcfgWetEvent* e)
{
   WetWriters*      s    = w->writers;
   const Plan*      plan = &w->plans[e->instr];
   const WetAccess* a    = &ELEM(w->accesses, WetAccess, plan->accesses);
   ThreadState*     t    = state_of(w, e->thread);
   Writer           me   = writer_of(e->instr, e->instance);
   Found            f    = { s->ports, s->deps, s->deps };
   const uint64_t*  addrs;

   if (t == NULL)
      return false;
   add_port(&f, DCFG_WET_CONTROL, 0);
   add_first(&f, control);
   add_registers(w, t->now, plan, &f);
   if (plan->n_accesses > 0) {
      addrs = find_addresses(w, plan, at, e);
      for (uint32_t j = 0; j < plan->n_accesses; j++)
         if (is_operand(a, j)) {
            add_port(&f, DCFG_WET_MEMORY, j);
            if (addrs[j] != 0)
               add_memory(s, &f, addrs[j], a[j].size);
         }
      for (uint32_t j = 0; j < plan->n_accesses; j++)
         if ((a[j].what & ACCESS_STORE) && addrs[j] != 0
             && !write_memory(w, addrs[j], a[j].size, me))
            return false;
   }
   define_registers(w, t->now, plan, me);
   if (plan->kind == KIND_SYSCALL) {
      t->syscall = me;
      add_port(&f, DCFG_WET_MEMORY, plan->n_accesses);
      s->n_ports = (uint32_t)(f.port - s->ports);
      s->n_deps  = (uint32_t)(f.dep - s->deps);
   }
   e->ports   = s->ports + 1;
   e->n_ports = (uint32_t)(f.port - s->ports);
   e->deps    = s->deps;
   return true;
}

/*------------------------------------------------------------*/
/*--- What the kernel read                                 ---*/
/*------------------------------------------------------------*/

static inline size_t hash_of(DcfgWetDep d)
{
   return (size_t)((d.instance * 0x9E3779B97F4A7C15u + d.instr)
                   * UINT64_C(0xD6E8FEB86659FD93) >> 20);
}

static void note_seen(WetWriters* s, uint32_t dep)
{
   size_t h = hash_of(s->deps[dep]) & (s->n_seen - 1);

   while (s->seen[h] != 0)
      h = (h + 1) & (s->n_seen - 1);
   s->seen[h] = dep + 1;
}

/* Room for one more dependence, in .deps and in .seen. */
static bool make_room(DcfgWet* w, const DcfgWetPort* p)
{
   WetWriters* s = w->writers;

   if (s->n_deps == s->max_deps) {
      size_t      more = 2 * s->max_deps;
      DcfgWetDep* deps = job_realloc(&w->job, s->deps,
                                     s->max_deps * sizeof(*deps),
                                     more * sizeof(*deps));
      if (deps == NULL)
         return false;
      s->deps     = deps;
      s->max_deps = more;
   }
   if (2 * (size_t)p->n < s->n_seen)
      return true;
   size_t    more = s->n_seen == 0 ? 256 : 4 * s->n_seen;
   uint32_t* seen = job_calloc(&w->job, more, sizeof(*seen));
   if (seen == NULL)
      return false;
   job_free(&w->job, s->seen, s->n_seen * sizeof(*seen));
   s->seen   = seen;
   s->n_seen = more;
   for (uint32_t k = 0; k < p->n; k++)
      note_seen(s, p->first + k);
   return true;
}

static bool add_once(DcfgWet* w, DcfgWetPort* p, Writer writer)
{
   WetWriters* s = w->writers;
   DcfgWetDep  d = instance_of(writer);

   if (writer == 0)
      return true;
   if (p->n > 0 && s->deps[s->n_deps - 1].instr == d.instr
       && s->deps[s->n_deps - 1].instance == d.instance)
      return true;
   if (!make_room(w, p))
      return false;
   for (size_t h = hash_of(d); ; h++) {
      uint32_t id = s->seen[h & (s->n_seen - 1)];
      if (id == 0)
         break;
      if (s->deps[id - 1].instr == d.instr
          && s->deps[id - 1].instance == d.instance)
         return true;
   }
   s->deps[s->n_deps] = d;
   note_seen(s, s->n_deps++);
   p->n++;
   return true;
}

static bool add_page(DcfgWet* w, DcfgWetPort* p, const Page* page,
                     uint64_t at, uint64_t n)
{
   for (uint64_t i = at; i < at + n; i++) {
      Writer g = page->granules[i / 8];
      if (g & MIXED)
         g = ELEM(w->writers->cells, Cell, g & ~MIXED).bytes[i % 8];
      if (!add_once(w, p, g))
         return false;
   }
   return true;
}

bool wet_add_read(DcfgWet* w, uint64_t addr, uint64_t size, DcfgWetEvent* e)
{
   WetWriters*  s = w->writers;
   DcfgWetPort* p = &s->ports[s->n_ports];

   /* No kernel reads that much at once. */
   if (size > UINT32_MAX)
      return job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                      "a system call reads too much");
   if (s->n_seen > 65536) {
      job_free(&w->job, s->seen, s->n_seen * sizeof(*s->seen));
      s->seen   = NULL;
      s->n_seen = 0;
   }
   if (s->seen != NULL)
      memset(s->seen, 0, s->n_seen * sizeof(*s->seen));
   for (uint32_t k = 0; s->seen != NULL && k < p->n; k++)
      note_seen(s, p->first + k);
   while (size > 0) {
      uint64_t    here = in_page(addr, size);
      const Page* page = find_page(s, addr / PAGE);
      if (page != NULL && !add_page(w, p, page, addr % PAGE, here))
         return false;
      addr += here;
      size -= here;
   }
   e->deps = s->deps;
   return true;
}

/*------------------------------------------------------------*/
/*--- Marks                                                ---*/
/*------------------------------------------------------------*/

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
      r->granules[given[i]] = 0;
   t->now = r;
   return true;
}

void wet_forget_handler(DcfgWet* w, uint32_t thread)
{
   ThreadState* t = state_of(w, thread);
   Registers*   r = t == NULL ? NULL : t->now->interrupted;

   if (r == NULL)
      return;
   t->now->interrupted = r->interrupted;
   job_free(&w->job, r, sizeof(*r));
}

bool wet_note_mark(DcfgWet* w, const DcfgWetEvent* e)
{
   ThreadState* t = state_of(w, e->thread);

   if (t == NULL)
      return false;
   switch (e->kind) {
      case DCFG_WET_WRITTEN:
         return t->syscall == 0 ? forget_memory(w, e->addr, e->size)
                : write_memory(w, e->addr, e->size, t->syscall);
      case DCFG_WET_FRESH:
         return forget_memory(w, e->addr, e->size);
      case DCFG_WET_MOVED:
         return move_memory(w, e);
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

/*------------------------------------------------------------*/
/*--- Begin and end                                        ---*/
/*------------------------------------------------------------*/

bool wet_start_writers(DcfgWet* w)
{
   WetWriters* s = job_calloc(&w->job, 1, sizeof(WetWriters));
   uint32_t    n_ports = 1, n_deps = 1;

   w->writers = s;
   if (s == NULL)
      return false;
   for (uint32_t i = 0; i < w->instrs.n; i++) {
      const Plan* p = &w->plans[i];
      n_ports = p->n_ports > n_ports ? p->n_ports : n_ports;
      n_deps  = p->n_deps > n_deps ? p->n_deps : n_deps;
   }
   /* One more, where what is nobody's is written to. */
   s->max_deps = ++n_deps;
   s->addrs    = job_calloc(&w->job, MAX_ACCESSES, sizeof(uint64_t));
   s->ports    = job_calloc(&w->job, n_ports + 1, sizeof(DcfgWetPort));
   s->deps     = job_calloc(&w->job, n_deps, sizeof(DcfgWetDep));
   return s->addrs != NULL && s->ports != NULL && s->deps != NULL;
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
   array_free(&w->job, &s->cells, sizeof(Cell));
   free(s->addrs);
   free(s->ports);
   free(s->deps);
   free(s->seen);
   free(s);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
