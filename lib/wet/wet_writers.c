/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote what each instance uses. */

/* Owns: the writer of each location, and so the data dependences of each
   instance.  Handed: instances and marks by wet_events.c, plans by
   wet_plan.c.

   Each thread's registers have granules of 8 bytes; memory's are
   wet_shadow.c's. */

#include "lib/wet/wet_writers.h"
#include "lib/wet/wet_names.h"

#include <stdlib.h>
#include <string.h>

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
