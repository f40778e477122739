/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote what each instance uses. */

/* Owns: the last writer of each register and each byte of memory, and so the data
   dependences of each instance.  Handed: instances and marks by wet_events.c,
   plans by wet_plan.c.

   Each thread's registers have granules of 8 bytes, memory has granules of 4.
   The memory that a system call read may be large, so a table finds writers that
   were added before. */

#include "lib/wet/wet_writers.h"

#include <stdlib.h>
#include <string.h>

/*--- Pages                                                ---*/

Page* shadow_look_up(Shadow* s, uint64_t number)
{
   size_t at;
   Page*  p;

   if (s->places.n == 0)
      return NULL;
   at = map_find(&s->places, number + 1);
   if (s->places.keys[at] == 0)
      return NULL;
   p = ELEM(s->pages, Page*, s->places.values[at] - 1);
   s->recent[number % N_RECENT] = (Recent){ number + 1, p };
   return p;
}

/* Return page NUMBER, made if necessary; NULL if memory is exhausted. */
static Page* make_page(Shadow* s, uint64_t number)
{
   Page*     p = shadow_find(s, number);
   Page**    added;
   uint32_t* place;

   if (p != NULL)
      return p;
   p     = job_calloc(s->job, 1, sizeof(*p));
   added = p == NULL ? NULL : array_add(s->job, &s->pages, sizeof(*added));
   if (added == NULL) {
      job_free(s->job, p, sizeof(*p));
      return NULL;
   }
   p->number = number;
   *added    = p;
   place     = map_add(s->job, &s->places, number + 1);
   if (place == NULL)
      return NULL;
   *place = (uint32_t)s->pages.n;
   return p;
}

void shadow_free(Shadow* s)
{
   for (size_t i = 0; i < s->pages.n; i++)
      free(ELEM(s->pages, Page*, i));
   array_free(s->job, &s->pages, sizeof(Page*));
   map_free(s->job, &s->places);
   array_free(s->job, &s->cells, sizeof(Cell));
}

/*--- Granules                                             ---*/

/* Return the cell of GRANULE; if it has none, a new one with the granule's
   writer for each byte. */
static Cell* need_cell(Shadow* s, Writer* granule)
{
   uint32_t id = s->free_cell;
   Cell*    c;

   if (*granule & MIXED)
      return &ELEM(s->cells, Cell, *granule & ~MIXED);
   if (id != 0) {
      c = &ELEM(s->cells, Cell, id - 1);
      s->free_cell = (uint32_t)c->bytes[0];
   } else {
      c = array_add(s->job, &s->cells, sizeof(*c));
      if (c == NULL)
         return NULL;
      id = (uint32_t)s->cells.n;
   }
   for (unsigned i = 0; i < GRANULE; i++)
      c->bytes[i] = *granule;
   *granule = MIXED | (id - 1);
   return c;
}

static void free_cell(Shadow* s, Writer granule)
{
   ELEM(s->cells, Cell, granule & ~MIXED).bytes[0] = s->free_cell;
   s->free_cell = (uint32_t)(granule & ~MIXED) + 1;
}

/* Make WRITER the writer of N bytes of a granule, from its byte FIRST on. */
static inline bool write_granule(Shadow* s, Writer* granule, unsigned first,
                                 unsigned n, Writer writer)
{
   if (n == GRANULE) {
      if (*granule & MIXED)
         free_cell(s, *granule);
      *granule = writer;
      return true;
   }
   if (*granule == writer)
      return true;
   Cell* c = need_cell(s, granule);
   for (unsigned i = first; c != NULL && i < first + n; i++)
      c->bytes[i] = writer;
   return c != NULL;
}

static bool write_page(Shadow* s, Page* page, uint64_t at, uint64_t n,
                       Writer writer)
{
   while (n > 0) {
      unsigned first = at % GRANULE;
      unsigned here  = GRANULE - first < n ? GRANULE - first : (unsigned)n;
      if (!write_granule(s, &page->granules[at / GRANULE], first, here,
                         writer))
         return false;
      at += here;
      n  -= here;
   }
   return true;
}

bool shadow_write_bytes(Shadow* s, uint64_t a, uint64_t n, Writer writer)
{
   while (n > 0) {
      uint64_t here = in_page(a, n);
      Page*    page = make_page(s, a / PAGE);
      if (page == NULL || !write_page(s, page, a % PAGE, here, writer))
         return false;
      a += here;
      n -= here;
   }
   return true;
}

/*--- Large pieces                                         ---*/

/* The range may be larger than all pages together: then go over the pages. */
bool shadow_forget(Shadow* s, uint64_t a, uint64_t n)
{
   if (n > UINT64_MAX - a)
      n = UINT64_MAX - a;
   if (n / PAGE > s->pages.n + 1) {
      uint64_t head = in_page(a, n), tail = (a + n) % PAGE;
      for (size_t i = 0; i < s->pages.n; i++) {
         Page* p = ELEM(s->pages, Page*, i);
         if (p->number > a / PAGE && p->number < (a + n) / PAGE
             && !write_page(s, p, 0, PAGE, 0))
            return false;
      }
      return shadow_forget(s, a, head)
             && shadow_forget(s, a + n - tail, tail);
   }
   while (n > 0) {
      uint64_t here = in_page(a, n);
      Page*    page = shadow_find(s, a / PAGE);
      if (page != NULL && !write_page(s, page, a % PAGE, here, 0))
         return false;
      a += here;
      n -= here;
   }
   return true;
}

bool shadow_has(Shadow* s, uint64_t a, uint64_t n)
{
   while (n > 0) {
      uint64_t    here = in_page(a, n);
      const Page* page = shadow_find(s, a / PAGE);
      for (uint64_t i = a % PAGE; page != NULL && i < a % PAGE + here; i++) {
         Writer g = page->granules[i / GRANULE];
         if (writer_in(s, g, i % GRANULE) != 0)
            return true;
         if (g == 0)
            i |= GRANULE - 1;
      }
      a += here;
      n -= here;
   }
   return false;
}

/* The kernel moves whole pages. */
bool shadow_move(Shadow* s, uint64_t to_addr, uint64_t from_addr, uint64_t n)
{
   if (to_addr % PAGE != 0 || from_addr % PAGE != 0
       || n > UINT64_C(1) << 40)
      return job_fail(s->job, DCFG_ERROR_FORMAT, "tape",
                      "memory is moved in a way that is not possible");
   for (uint64_t done = 0; done < n; done += PAGE) {
      Page* from = shadow_find(s, (from_addr + done) / PAGE);
      Page* to   = from == NULL ? shadow_find(s, (to_addr + done) / PAGE)
                                : make_page(s, (to_addr + done) / PAGE);
      if (from != NULL && to == NULL)
         return false;
      if (to == NULL || to == from)
         continue;
      if (!write_page(s, to, 0, PAGE, 0))
         return false;
      if (from == NULL)
         continue;
      memcpy(to->granules, from->granules, sizeof(to->granules));
      memset(from->granules, 0, sizeof(from->granules));
   }
   return true;
}

/*--- Ports                                                ---*/

/* FoundPorts: the ports and dependences found so far for an instance.  Its
   address is never taken, so that the compiler keeps it in registers. */
typedef
   struct {
      DcfgWetPort* port;        // the last one
      DcfgWetDep*  dep;         // behind the last one
      DcfgWetDep*  deps;        // the first one
   }
   FoundPorts;

static inline void add_port(FoundPorts* f, DcfgWetPortKind kind, uint32_t reg)
{
   *++f->port = (DcfgWetPort){ kind, reg, (uint32_t)(f->dep - f->deps), 0 };
}

/* Add WRITER to the last port's dependences, once. */
static inline void add_dep(FoundPorts* f, Writer writer)
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

/* Add WRITER, the first dependence of the last port. */
static inline void add_first(FoundPorts* f, Writer writer)
{
   *f->dep = instance_of(writer);
   f->dep += writer != 0;
   f->port->n = writer != 0;
}

static void add_bytes(FoundPorts* f, const Writer* bytes, unsigned mask)
{
   Writer last = 0;

   for (; mask != 0; mask &= mask - 1) {
      Writer writer = bytes[__builtin_ctz(mask)];
      if (writer != last)
         add_dep(f, writer);
      last = writer;
   }
}

static inline void add_registers(const DcfgWet* w, const Registers* r,
                                 const Plan* plan, FoundPorts* found)
{
   const Use* u = &ELEM(w->uses, Use, plan->uses);
   FoundPorts      f = *found;

   for (const Use* end = u + plan->n_uses; u < end; u++) {
      unsigned g = granule_index(r, u->granule);
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

/* Add the writers of N bytes at A, all in one page. */
static void add_bytes_at(const Shadow* s, FoundPorts* f, const Page* page,
                         uint64_t a, uint64_t n)
{
   while (n > 0) {
      unsigned at     = a % GRANULE;
      unsigned here   = GRANULE - at < n ? GRANULE - at : (unsigned)n;
      Writer   writer = page->granules[a % PAGE / GRANULE];
      if (writer & MIXED)
         add_bytes(f, ELEM(s->cells, Cell, writer & ~MIXED).bytes,
                   ((1u << here) - 1) << at);
      else
         add_dep(f, writer);
      a += here;
      n -= here;
   }
}

/* Add the writers of an operand.  The fast path is one or two whole granules
   with one writer. */
static inline void add_memory(Shadow* s, FoundPorts* f, uint64_t a, uint64_t n)
{
   while (n > 0) {
      uint64_t    here = in_page(a, n);
      const Page* page = shadow_find(s, a / PAGE);
      if (page != NULL) {
         const Writer* g = &page->granules[a % PAGE / GRANULE];
         if (!(*g & MIXED) && (a % GRANULE + n <= GRANULE
                               || (n == 8 && a % 8 == 0 && g[0] == g[1])))
            add_dep(f, *g);
         else
            add_bytes_at(s, f, page, a, here);
      }
      a += here;
      n -= here;
   }
}

/* Return the addresses of the instruction's accesses; 0 for an access that was
   not made. */
static const uint64_t* find_addresses(DcfgWetEvents* v, const Plan* plan,
                                      const InstrPlan* at, const DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   const WetSb*     sb = &ELEM(w->sbs, WetSb, v->record.sb);
   const WetAccess* a = &ELEM(w->accesses, WetAccess, plan->accesses);
   const WetAccess* slots = &ELEM(w->accesses, WetAccess,
                                  sb->slots.first + at->slot);
   uint64_t*        addrs = v->writers->addrs;
   uint32_t         k = 0;

   if (at->plain && e->n_accesses == plan->n_accesses)
      return e->accesses;
   for (uint32_t j = 0; j < plan->n_accesses; j++) {
      addrs[j] = 0;
      if (k < e->n_accesses && is_slot_of(&slots[k], &a[j]))
         addrs[j] = e->accesses[k++];
      else if (a[j].same > 0)
         addrs[j] = addrs[a[j].same - 1];
   }
   return addrs;
}

/*--- Events                                               ---*/

ThreadState* wet_add_state(DcfgWetEvents* v, uint32_t thread)
{
   const DcfgWet* w = v->w;
   WetWriters*  s = v->writers;
   ThreadState* t;

   while (s->threads.n <= thread)
      if (thread >= w->threads.n
          || array_add(v->job, &s->threads, sizeof(ThreadState)) == NULL) {
         job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                  "there is no thread %u", thread);
         return NULL;
      }
   t = &ELEM(s->threads, ThreadState, thread);
   if (t->now == NULL)
      t->now = job_calloc(v->job, 1, sizeof(Registers));
   return t->now == NULL ? NULL : t;
}

static inline void define_registers(DcfgWetEvents* v, Registers* r,
                                    const Plan* plan, const InstrPlan* at,
                                    Writer me)
{
   const DcfgWet* w = v->w;
   const Def* d = &ELEM(w->defs, Def, plan->defs);

   for (const Def* end = d + plan->n_defs; d < end; d++)
      if (me != 0)
         define_granule(r, granule_index(r, d->granule), d->mask, me);
      else
         clear_granule(r, granule_index(r, d->granule), d->mask);
   if (plan->moves_top)
      r->top = wet_move_top(r->top, plan, at, v->record.n_slots, v->addrs);
}

static Writer find_name(DcfgWetEvents* v, const DcfgWetEvent* e)
{
   return v->namer->name(v->namer->arg, e);
}

bool wet_find_writers(DcfgWetEvents* v, const InstrPlan* at, Writer control,
                      DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   WetWriters*      s    = v->writers;
   const Plan*      plan = &w->plans[e->instr];
   const WetAccess* a    = &ELEM(w->accesses, WetAccess, plan->accesses);
   ThreadState*     t    = state_of(v, e->thread);
   Writer           me   = writer_of(e->instr, e->instance);
   FoundPorts      f    = { s->ports, s->deps, s->deps };
   const uint64_t*  addrs = NULL;

   if (t == NULL)
      return false;
   add_port(&f, DCFG_WET_CONTROL, 0);
   add_first(&f, control);
   add_registers(w, t->now, plan, &f);
   if (plan->n_accesses > 0) {
      addrs = find_addresses(v, plan, at, e);
      for (uint32_t j = 0; j < plan->n_accesses; j++)
         if (is_operand(a, j)) {
            add_port(&f, DCFG_WET_MEMORY, j);
            if (addrs[j] != 0)
               add_memory(&s->shadow, &f, addrs[j], a[j].size);
         }
   }
   if (plan->kind == InsnSyscall) {
      add_port(&f, DCFG_WET_MEMORY, plan->n_accesses);
      s->n_ports = (uint32_t)(f.port - s->ports);
      s->n_deps  = (uint32_t)(f.dep - s->deps);
   }
   e->ports   = s->ports + 1;
   e->n_ports = (uint32_t)(f.port - s->ports);
   e->deps    = s->deps;
   if (v->namer != NULL)
      me = plan->kind == InsnSyscall ? 0 : find_name(v, e);
   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if ((a[j].what & AccessStore) && addrs[j] != 0
          && !(me != 0 ? shadow_write(&s->shadow, addrs[j], a[j].size, me)
                       : shadow_forget(&s->shadow, addrs[j], a[j].size)))
         return false;
   if (!wet_is_no_iteration(plan, e->n_accesses))
      define_registers(v, t->now, plan, at, me);
   if (plan->kind == InsnSyscall)
      t->syscall = me;
   /* One for one with the instruction's accesses. */
   if (addrs != NULL && e->n_accesses > 0) {
      e->accesses   = addrs;
      e->n_accesses = plan->n_accesses;
   }
   return true;
}

void wet_name_syscall(DcfgWetEvents* v, const InstrPlan* at, const DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   ThreadState* t = state_of(v, e->thread);
   Writer       name = find_name(v, e);

   if (t == NULL || name == 0)
      return;
   define_registers(v, t->now, &w->plans[e->instr], at, name);
   t->syscall = name;
}

void wet_use_namer(DcfgWetEvents* v, const WetNamer* n)
{
   v->namer = n;
}

/*--- Marks                                                ---*/

/* Enter a handler.  The kernel gives it some registers; others are
   unchanged. */
static bool enter_handler(DcfgWetEvents* v, ThreadState* t)
{
   const DcfgWet* w = v->w;
   const WetMachine* m = w->machine;
   Registers* r = job_calloc(v->job, 1, sizeof(*r));

   if (r == NULL)
      return false;
   *r = *t->now;
   r->interrupted = t->now;
   for (unsigned i = 0; i < m->n_given; i++)
      r->granules[m->given[i]] = 0;
   t->now = r;
   return true;
}

void wet_forget_handler(DcfgWetEvents* v, uint32_t thread)
{
   ThreadState* t = state_of(v, thread);
   Registers*   r = t == NULL ? NULL : t->now->interrupted;

   if (r == NULL)
      return;
   t->now->interrupted = r->interrupted;
   job_free(v->job, r, sizeof(*r));
}

/* Give a new thread the registers of its creator.  The stack pointer, and the
   system call's result in both threads, are the call's. */
static bool create_thread(DcfgWetEvents* v, const DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   const WetMachine* m = w->machine;
   uint32_t     made = e->addr < w->threads.n ? (uint32_t)e->addr : DCFG_NONE;
   ThreadState* its = wet_add_state(v, made);
   ThreadState* t = state_of(v, e->thread);
   Registers*   r;

   if (its == NULL || t == NULL || its == t)
      return its != NULL && t != NULL;
   r = its->now;
   while (r->interrupted != NULL)
      r = r->interrupted;
   *r = *t->now;
   r->interrupted = NULL;
   if (e->size == StackFromArgument) {
      r->granules[m->stack] = r->granules[m->stack_argument];
      memcpy(r->bytes[m->stack], r->bytes[m->stack_argument],
             sizeof(r->bytes[0]));
   } else if (e->size == StackFromCall) {
      define_granule(r, m->stack, 0xFF, t->syscall);
   }
   return true;
}

bool wet_note_mark(DcfgWetEvents* v, const DcfgWetEvent* e)
{
   ThreadState* t = state_of(v, e->thread);
   Shadow*      s = &v->writers->shadow;

   if (t == NULL)
      return false;
   switch (e->kind) {
      case DCFG_WET_WRITTEN:
         return t->syscall == 0 ? shadow_forget(s, e->addr, e->size)
                : shadow_write(s, e->addr, e->size, t->syscall);
      case DCFG_WET_FRESH:
         return shadow_forget(s, e->addr, e->size);
      case DCFG_WET_MOVED:
         return shadow_move(s, e->addr, e->from, e->size);
      case DCFG_WET_HANDLER:
         return enter_handler(v, t);
      case DCFG_WET_RETURN:
         if (t->now->interrupted != NULL) {
            Registers* r = t->now;
            t->now = r->interrupted;
            job_free(v->job, r, sizeof(*r));
         } else {
            t->now->top = 0;
         }
         return true;
      case DCFG_WET_CREATED:
         return create_thread(v, e);
      default:
         return true;
   }
}

bool wet_note_top(DcfgWetEvents* v)
{
   ThreadState* t = state_of(v, v->record.thread);

   if (t != NULL)
      t->now->top = v->addrs[0] & 7;
   return t != NULL;
}

/*--- Begin and end                                        ---*/

bool wet_start_writers(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   WetWriters* s = job_calloc(v->job, 1, sizeof(WetWriters));
   uint32_t    n_ports = 1, n_deps = 1;

   v->writers = s;
   if (s == NULL)
      return false;
   s->shadow.job = v->job;
   for (uint32_t i = 0; i < w->instrs.n; i++) {
      const Plan* p = &w->plans[i];
      n_ports = p->n_ports > n_ports ? p->n_ports : n_ports;
      n_deps  = p->n_deps > n_deps ? p->n_deps : n_deps;
   }
   /* One more: add_dep() stores before it knows whether there is a writer. */
   s->max_deps = ++n_deps;
   s->addrs    = job_calloc(v->job, MAX_ACCESSES, sizeof(uint64_t));
   s->ports    = job_calloc(v->job, n_ports + 1, sizeof(DcfgWetPort));
   s->deps     = job_calloc(v->job, n_deps, sizeof(DcfgWetDep));
   return s->addrs != NULL && s->ports != NULL && s->deps != NULL;
}

void wet_free_writers(DcfgWetEvents* v)
{
   WetWriters* s = v->writers;

   if (s == NULL)
      return;
   shadow_free(&s->shadow);
   for (uint32_t i = 0; i < s->threads.n; i++)
      while (ELEM(s->threads, ThreadState, i).now != NULL) {
         Registers* r = ELEM(s->threads, ThreadState, i).now;
         ELEM(s->threads, ThreadState, i).now = r->interrupted;
         free(r);
      }
   array_free(v->job, &s->threads, sizeof(ThreadState));
   free(s->addrs);
   free(s->ports);
   free(s->deps);
   map_free(v->job, &s->seen);
   free(s);
}

static bool make_room(DcfgWetEvents* v)
{
   WetWriters* s = v->writers;
   size_t      more = 2 * s->max_deps;
   DcfgWetDep* deps;

   if (s->n_deps < s->max_deps)
      return true;
   deps = job_realloc(v->job, s->deps, s->max_deps * sizeof(*deps),
                      more * sizeof(*deps));
   if (deps == NULL)
      return false;
   s->deps     = deps;
   s->max_deps = more;
   return true;
}

static bool add_once(DcfgWetEvents* v, DcfgWetPort* p, Writer writer)
{
   WetWriters* s = v->writers;
   DcfgWetDep  d = instance_of(writer);
   uint32_t*   seen;

   if (writer == 0)
      return true;
   if (p->n > 0 && s->deps[s->n_deps - 1].instr == d.instr
       && s->deps[s->n_deps - 1].instance == d.instance)
      return true;
   seen = map_add(v->job, &s->seen, writer);
   if (seen == NULL || *seen != 0)
      return seen != NULL;
   if (!make_room(v))
      return false;
   *seen = 1;
   s->deps[s->n_deps++] = d;
   p->n++;
   return true;
}

static bool add_page(DcfgWetEvents* v, DcfgWetPort* p, const Page* page,
                     uint64_t at, uint64_t n)
{
   for (uint64_t i = at; i < at + n; i++) {
      Writer g = page->granules[i / GRANULE];
      if (!add_once(v, p, writer_in(&v->writers->shadow, g, i % GRANULE)))
         return false;
   }
   return true;
}

bool wet_add_read(DcfgWetEvents* v, uint64_t addr, uint64_t size, DcfgWetEvent* e)
{
   WetWriters*  s = v->writers;
   DcfgWetPort* p = &s->ports[s->n_ports];

   /* The kernel never reads that much at once. */
   if (size > UINT32_MAX)
      return job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                      "a system call reads too much");
   if (s->seen.room > 65536)
      map_free(v->job, &s->seen);
   if (s->seen.n > 0)
      memset(s->seen.keys, 0, s->seen.room * sizeof(*s->seen.keys));
   s->seen.n = 0;
   for (uint32_t k = 0; k < p->n; k++) {
      const DcfgWetDep* d = &s->deps[p->first + k];
      uint32_t* seen = map_add(v->job, &s->seen,
                               writer_of(d->instr, d->instance));
      if (seen == NULL)
         return false;
      *seen = 1;
   }
   while (size > 0) {
      uint64_t    here = in_page(addr, size);
      const Page* page = shadow_find(&s->shadow, addr / PAGE);
      if (page != NULL && !add_page(v, p, page, addr % PAGE, here))
         return false;
      addr += here;
      size -= here;
   }
   e->deps = s->deps;
   return true;
}
