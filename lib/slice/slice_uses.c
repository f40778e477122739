/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a node of a backward slice wants. */

/* Owns: what an instance in the slice depends on and is followed, and requests
   for control.  Handed: the instance in work.  Taken by: slice_back.c. */

#include "lib/slice/slice.h"

#define STATE(z, n)   (&ELEM((z)->states, NodeState, n))
#define REQUEST(z, i) (&ELEM((z)->requests, Request, (i) - 1))
#define ACT(z, i)     (&ELEM((z)->acts, Act, i))

/*------------------------------------------------------------*/
/*--- Control                                              ---*/
/*------------------------------------------------------------*/

static bool ask_control(Slicer* z, Want want)
{
   uint64_t group = z->groups[z->instr];
   uint32_t id = ACT(z, z->act)->pending;

   while (id != 0 && (REQUEST(z, id)->group != group
                      || REQUEST(z, id)->weak != want.weak))
      id = REQUEST(z, id)->next;
   if (id == 0) {
      id = z->free_request;
      if (id != 0) {
         z->free_request = REQUEST(z, id)->next;
      } else {
         if (array_add(z->job, &z->requests, sizeof(Request)) == NULL)
            return false;
         id = (uint32_t)z->requests.n;
      }
      *REQUEST(z, id) = (Request){ group, z->instr, 0,
                                   ACT(z, z->act)->pending, want.weak };
      ACT(z, z->act)->pending = id;
   }
   return slice_add_want(z, &REQUEST(z, id)->wants, want);
}

/* Requests of ACT that wait for branch BRANCH, or all if that is none, are
   TAKE's. */
bool slice_answer(Slicer* z, uint32_t act, uint32_t branch, TakeWant by)
{
   for (uint32_t* at = &ACT(z, act)->pending; *at != 0; ) {
      Request* r = REQUEST(z, *at);
      uint32_t id = *at;
      if (branch != DCFG_NONE && !slice_depends(z, r->instr, branch)) {
         at = &r->next;
         continue;
      }
      /* A call tests nothing. */
      if (!slice_take_all(z, &r->wants,
                          r->weak && branch == DCFG_NONE ? NULL : by))
         return false;
      *at     = r->next;
      r->next = z->free_request;
      z->free_request = id;
   }
   return true;
}

/*------------------------------------------------------------*/
/*--- Uses                                                 ---*/
/*------------------------------------------------------------*/

/* The port is not followed. */
static bool cut_port(Slicer* z, Want want)
{
   if (!z->sums)
      return slice_add_edge(z, &want, DCFG_SLICE_NOT, 0);
   if (want.port == DCFG_WET_CONTROL)
      z->result->n_no_control++;
   else
      z->result->n_no_address++;
   return true;
}

/* Is the memory at ADDR constant to instruction I? */
static bool is_constant(const DcfgSliceQuery* q, uint32_t i, uint64_t addr)
{
   uint32_t low = 0, high = q->n_constants;

   while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (q->constants[middle].high <= addr)
         low = middle + 1;
      else
         high = middle;
   }
   return low < q->n_constants && q->constants[low].low <= addr
          && (!q->constants[low].tables
              || (q->lookups != NULL && q->lookups[i]));
}

/* Does the instance in work load a constant? */
static bool loads_constant(const Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);

   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)
          && is_constant(z->q, z->instr,
                         slice_address(z, slice_place(z), j)))
         return true;
   return false;
}

/* May a result of the program have come over U?  Of a branch that is not real
   only flags are of interest. */
static inline bool may_lead(const Slicer* z, const Use* u, bool real)
{
   if (z->my.hops + 1 >= MAX_HOPS)
      return u->port == DCFG_WET_GENERAL && u->reg == 0;
   return u->port == DCFG_WET_FLAGS
          || (u->port == DCFG_WET_GENERAL && (real || z->my.hops > 0));
}

static bool want_registers(Slicer* z, bool real)
{
   const Plan* plan = &z->w->plans[z->instr];
   const Use*  u = &ELEM(z->w->uses, Use, plan->uses);
   Live*       l = slice_registers(z, z->thread);
   uint32_t    skip = z->q->no_address == NULL ? 0
                      : z->q->no_address[z->instr];
   Want        want = slice_want(z);
   Want        weak;
   bool        follow = z->sums ? z->my_weak != 0 : !real;
   uint32_t    never;

   if (z->my.near && z->q->no_address_near != NULL)
      skip |= z->q->no_address_near[z->instr];
   if (slice_calls_back(z, z->instr))
      skip = 0;
   if (skip != 0 && real && z->q->n_constants > 0 && loads_constant(z))
      skip = 0;
   never = z->q->no_register == NULL ? 0 : z->q->no_register[z->instr];
   skip |= never;
   for (const Use* end = u + plan->n_uses; l != NULL && u < end; u++) {
      want.at   = u->new ? 0 : want.at + 8;
      want.port = u->port;
      want.reg  = u->reg;
      want.mask = u->mask;
      bool address = u->port == DCFG_WET_GENERAL && (skip >> u->reg & 1);
      if (real && address) {
         if (u->new && !cut_port(z, want))
            return false;
         continue;
      }
      if (real
          && !slice_want_register(z, l, slice_granule(z, u->granule), want))
         return false;
      if (!follow || address || !may_lead(z, u, real))
         continue;
      weak      = want;
      weak.weak = true;
      if (z->sums)
         weak.node = z->my_weak;
      if (!slice_want_register(z, l, slice_granule(z, u->granule), weak))
         return false;
   }
   return l != NULL;
}

static bool want_operands(Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   LiveThread*      t = &z->threads[z->thread];
   Want             want = slice_want(z);

   want.port = DCFG_WET_MEMORY;
   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)) {
         uint64_t addr = slice_address(z, slice_place(z), j);
         want.reg = (uint8_t)j;
         if (addr != 0 && !slice_want_memory(z, addr, a[j].size, want))
            return false;
      }
   want.reg = (uint8_t)plan->n_accesses;
   for (size_t i = t->reads.n; plan->kind == InsnSyscall && i-- > 0; ) {
      DcfgSliceReading r = ELEM(t->reads, DcfgSliceReading, i);
      if (!slice_want_memory(z, r.addr, r.size, want))
         return false;
   }
   return true;
}

static bool want_control(Slicer* z)
{
   Want want = slice_want(z);

   want.port = DCFG_WET_CONTROL;
   want.mask = 0xFF;
   if (slice_follows_control(z, z->instr))
      return ask_control(z, want);
   if (z->q->results && !z->q->no_control) {
      want.weak = true;
      want.at   = 1;
      if (z->sums)
         z->result->n_no_control++;
      return ask_control(z, want);
   }
   return cut_port(z, want);
}

/* What a criterion is asked for, in place of all that it uses. */
static bool want_part(Slicer* z)
{
   const DcfgSliceQuery* q = z->q;
   unsigned vector = z->w->machine->vector_size;
   Live* l = slice_registers(z, z->thread);
   Want  want = slice_want(z);

   want.mask = 0xFF;
   if (l == NULL)
      return false;
   switch (q->of) {
      case DCFG_SLICE_REGISTER:
         want.port = q->place < 32 ? DCFG_WET_GENERAL : DCFG_WET_VECTOR;
         want.reg  = (uint8_t)(q->place % 32);
         if (q->place < 32)
            return slice_want_register(z, l, (unsigned)q->place, want);
         for (unsigned k = 0; k < vector; k++, want.at += 8)
            if (!slice_want_register(z, l, G_VECTOR + want.reg * vector + k,
                                     want))
               return false;
         return true;
      case DCFG_SLICE_FLAGS:
         want.port = DCFG_WET_FLAGS;
         for (unsigned k = 0; k < 3; k++, want.at += 8)
            if (!slice_want_register(z, l, G_FLAGS + k, want))
               return false;
         return true;
      case DCFG_SLICE_X87:
         want.port = DCFG_WET_X87;
         for (unsigned k = G_X87; k < G_STACK; k++, want.at += 8)
            if (!slice_want_register(z, l, k, want))
               return false;
         return true;
      case DCFG_SLICE_FRAME: {
         uint64_t place = ACT(z, z->act)->place;
         z->result->frame = place == UINT64_MAX || place == 0 ? 0
                            : place + q->place
                              + (z->w->machine->links
                                 ? 0 : z->w->machine->address_size);
         want.port = DCFG_WET_MEMORY;
         return z->result->frame == 0
                || slice_want_memory(z, z->result->frame, q->size, want);
      }
      default:
         want.port = DCFG_WET_MEMORY;
         for (uint32_t i = 0; i < q->n_parts; i++) {
            const DcfgSlicePart* p = &q->parts[i];
            if (p->instr == z->instr
                && p->instance == slice_instance(z, z->instr)
                && !slice_want_memory(z, p->place, p->size, want))
               return false;
         }
         return q->n_parts > 0 || slice_want_memory(z, q->place, q->size, want);
   }
}

static bool want_all(Slicer* z)
{
   const Plan* plan = &z->w->plans[z->instr];

   if (z->q->forward || z->q->only_criteria)
      return true;
   if (!z->my.real)
      return want_registers(z, false);
   if (z->q->steps != 0 && z->distance >= z->q->steps) {
      if (!z->sums)
         STATE(z, z->me)->cut = true;
      z->result->n_no_steps += plan->n_ports;
      return true;
   }
   if (z->my.limited)
      return want_control(z) && want_part(z);
   return want_control(z) && want_registers(z, true) && want_operands(z);
}

bool slice_want_uses(Slicer* z)
{
   bool ok = want_all(z);

   if (z->sums && z->my_weak != 0)
      slice_release_weak(z, z->my_weak);
   return ok;
}
