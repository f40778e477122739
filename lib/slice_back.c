
/*--------------------------------------------------------------------*/
/*--- Backward slices.                              slice_back.c ---*/
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

/* Owns: going from the end of a whole execution trace to its begin, and which
   instances a criterion depends on.  Handed: chunks by slice_acts.c.  Taken
   by: slice_open.c.

   Superblock by superblock: only where one may define what is wanted, or has a
   branch on which something waits, are its instructions looked at, from the
   last to the first.

   Where control is not followed, it still is if the branch tests what the
   program returned to such code, as qsort() does with a comparison's result.
   Whether it does is known only later, so what may lead there is a node that
   is not real, or *weak*: the branch, and over flags and registers what is at
   most MAX_HOPS away.  The result is in RAX.  slice_result.c forgets those
   that lead nowhere. */

#include "slice.h"

#include <string.h>

#define STATE(z, n)   (&ELEM((z)->states, NodeState, n))
#define NODE(z, n)    (&ELEM((z)->found, DcfgSliceNode, n))
#define REQUEST(z, i) (&ELEM((z)->requests, Request, (i) - 1))
#define ACT(z, i)     (&ELEM((z)->acts, Act, i))

/*------------------------------------------------------------*/
/*--- Nodes                                                ---*/
/*------------------------------------------------------------*/

/* How many instances the instruction has had, this one not counted. */
static uint64_t instance_now(const Slicer* z, uint32_t i)
{
   uint64_t n = 0;

   for (uint32_t k = z->occurs[i]; k < z->occurs[i + 1]; k++) {
      uint32_t place = z->occurrences[k], first = place;
      /* A record that went as far as here, or further. */
      for (const WetSb* sb = &ELEM(z->w->sbs, WetSb, z->sb_of[k]);
           place < sb->instrs.first + sb->instrs.n; place++)
         n += z->runs[place];
      /* The one in work has gone beyond it, or is here. */
      if (z->sb_of[k] == z->step->sb) {
         uint32_t at = first - z->sbs[z->step->sb].first;
         n -= at >= z->place && at < z->step->n_instrs;
      }
   }
   return n;
}

static bool add_value(Slicer* z, DcfgSliceNode* n, const Place* at)
{
   const WetSb*     sb = &ELEM(z->w->sbs, WetSb, z->step->sb);
   uint32_t         first = (uint32_t)at->slot + at->n_slots;
   const WetAccess* part = &ELEM(z->w->accesses, WetAccess,
                                 sb->slots.first + first);
   const uint64_t*  slots = z->steps.addrs + z->step->first + first;

   if (at->n_values == 0 || z->step->n_slots < first + at->n_values)
      return true;
   n->value = z->values.n;
   for (uint32_t i = 0; i < at->n_values; i++)
      for (unsigned k = 0; k < part[i].size; k++) {
         uint8_t* byte = array_add(z->job, &z->values, 1);
         if (byte == NULL)
            return false;
         *byte = (uint8_t)(slots[i] >> 8 * k);
         n->value_size++;
      }
   return true;
}

/* Where the accesses of the instruction were made, as find_addresses() of
   wet_writers.c has them; 0 if it was not. */
static uint64_t address_of(const Slicer* z, const Place* at, uint32_t access)
{
   const WetSb*     sb = &ELEM(z->w->sbs, WetSb, z->step->sb);
   const Plan*      plan = &z->w->plans[at->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   const WetAccess* slots = &ELEM(z->w->accesses, WetAccess,
                                  sb->slots.first + at->slot);
   uint32_t         n, k = 0;
   const uint64_t*  made = slice_slots(z, z->step, at, &n);
   uint64_t         addr = 0;

   if (at->plain && n == plan->n_accesses)
      return made[access];
   for (uint32_t j = 0; j <= access; j++) {
      addr = 0;
      if (k < n && slots[k].what == a[j].what && slots[k].size == a[j].size)
         addr = made[k++];
      else if (a[j].same > 0)
         addr = address_of(z, at, a[j].same - 1u);
   }
   return addr;
}

/* What the kernel read for the system call in work. */
static bool add_reads(Slicer* z, DcfgSliceNode* n)
{
   const LiveThread* t = &z->threads[z->thread];

   n->first_read = z->readings.n;
   n->n_reads    = (uint32_t)t->reads.n;
   for (size_t i = t->reads.n; i-- > 0; ) {
      DcfgSliceReading* r = array_add(z->job, &z->readings, sizeof(*r));
      if (r == NULL)
         return false;
      *r = ELEM(t->reads, DcfgSliceReading, i);
   }
   return true;
}

static const Place* place_now(const Slicer* z)
{
   return &z->w->places[z->sbs[z->step->sb].first + z->place];
}

/* The instance in work is a node. */
static bool need_node(Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   DcfgSliceNode*   n;
   NodeState*       s;

   if (z->me != DCFG_NONE)
      return true;
   z->me = (uint32_t)z->found.n;
   n = array_add(z->job, &z->found, sizeof(*n));
   s = array_add(z->job, &z->states, sizeof(*s));
   if (n == NULL || s == NULL)
      return false;
   n->instr    = z->instr;
   n->thread   = z->thread;
   n->instance = instance_now(z, z->instr);
   n->order    = z->order + z->place;
   n->distance = UINT32_MAX;
   s->near     = true;
   s->hops     = UINT8_MAX;
   for (uint32_t j = 0; j < plan->n_accesses && n->addr == 0; j++)
      if (a[j].what & ACCESS_STORE)
         n->addr = address_of(z, place_now(z), j);
   return (plan->kind != KIND_SYSCALL || add_reads(z, n))
          && add_value(z, n, place_now(z));
}

static bool add_edge(Slicer* z, const Want* want, uint32_t writer,
                     uint32_t at)
{
   Edge* e = array_add(z->job, &z->edges, sizeof(*e));

   if (e == NULL)
      return false;
   *e = (Edge){ want->node, writer, at, want->port, want->reg, want->weak };
   return true;
}

#define MAX_HOPS 4

/* The instance in work wrote these bytes. */
static bool take(Slicer* z, const Want* want, uint8_t mask)
{
   uint32_t    cost = z->q->copies != NULL && z->q->copies[z->instr] ? 0 : 1;
   uint32_t    distance;
   NodeState*  s;
   bool        real = !want->weak, ours = slice_follows_control(z, z->instr);
   const Want  w = *want;
   uint8_t     hops = (uint8_t)(STATE(z, w.node)->hops + 1);

   if (w.weak) {
      if (ours && (w.port != DCFG_WET_GENERAL || w.reg != 0))
         return true;
      if (!ours && (hops >= MAX_HOPS && w.port != DCFG_WET_CONTROL))
         return true;
      real = ours;
   }
   if (!need_node(z)
       || !add_edge(z, &w, z->me, w.at + (uint32_t)__builtin_ctz(mask)))
      return false;
   s = STATE(z, z->me);
   s->real |= real;
   s->near &= NODE(z, w.node)->distance == 0 && STATE(z, w.node)->limited;
   if (w.weak && !ours) {
      uint8_t mine = w.port == DCFG_WET_CONTROL ? 0 : hops;
      s->hops = mine < s->hops ? mine : s->hops;
   }
   distance = NODE(z, w.node)->distance + cost;
   if (distance < NODE(z, z->me)->distance)
      NODE(z, z->me)->distance = distance;
   return true;
}

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
static bool answer(Slicer* z, uint32_t act, uint32_t branch, TakeWant by)
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
static bool cut_port(Slicer* z, const Want* want)
{
   return add_edge(z, want, DCFG_SLICE_NOT, 0);
}

static unsigned place_of(const Slicer* z, unsigned g)
{
   return g < G_STACK ? g : G_X87 + ((g - G_STACK + z->top) & 7);
}

static bool want_registers(Slicer* z, bool real)
{
   const Plan* plan = &z->w->plans[z->instr];
   const Use*  u = &ELEM(z->w->uses, Use, plan->uses);
   Live*       l = slice_registers(z, z->thread);
   uint16_t    skip = z->q->no_address == NULL ? 0
                      : z->q->no_address[z->instr];
   Want        want = { .node = z->me, .weak = !real };

   if (STATE(z, z->me)->near && z->q->no_address_near != NULL)
      skip |= z->q->no_address_near[z->instr];
   for (const Use* end = u + plan->n_uses; l != NULL && u < end; u++) {
      want.at   = u->new ? 0 : want.at + 8;
      want.port = u->port;
      want.reg  = u->reg;
      want.mask = u->mask;
      bool address = u->port == DCFG_WET_GENERAL && (skip >> u->reg & 1);
      if (real && address) {
         if (u->new && !cut_port(z, &want))
            return false;
         continue;
      }
      if (!real && (u->port == DCFG_WET_FLAGS
                    ? false
                    : u->port != DCFG_WET_GENERAL || address
                      || STATE(z, z->me)->hops == 0))
         continue;
      if (!slice_want_register(z, l, place_of(z, u->granule), want))
         return false;
   }
   return l != NULL;
}

static bool want_operands(Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   LiveThread*      t = &z->threads[z->thread];
   Want want = { .node = z->me, .port = DCFG_WET_MEMORY };

   for (uint32_t j = 0; j < plan->n_accesses; j++)
      if (is_operand(a, j)) {
         uint64_t addr = address_of(z, place_now(z), j);
         want.reg = (uint8_t)j;
         if (addr != 0 && !slice_want_memory(z, addr, a[j].size, want))
            return false;
      }
   want.reg = (uint8_t)plan->n_accesses;
   for (size_t i = t->reads.n; plan->kind == KIND_SYSCALL && i-- > 0; ) {
      DcfgSliceReading r = ELEM(t->reads, DcfgSliceReading, i);
      if (!slice_want_memory(z, r.addr, r.size, want))
         return false;
   }
   return true;
}

static bool want_control(Slicer* z)
{
   Want want = { .node = z->me, .port = DCFG_WET_CONTROL, .mask = 0xFF };

   if (slice_follows_control(z, z->instr))
      return ask_control(z, want);
   if (z->q->results && !z->q->no_control) {
      want.weak = true;
      return ask_control(z, want);
   }
   return cut_port(z, &want);
}

/* What a criterion is asked for, in place of all that it uses. */
static bool want_part(Slicer* z)
{
   const DcfgSliceQuery* q = z->q;
   Live* l = slice_registers(z, z->thread);
   Want  want = { .node = z->me, .mask = 0xFF };

   if (l == NULL)
      return false;
   switch (q->of) {
      case DCFG_SLICE_REGISTER:
         want.port = q->place < 16 ? DCFG_WET_GENERAL : DCFG_WET_VECTOR;
         want.reg  = (uint8_t)(q->place % 16);
         if (q->place < 16)
            return slice_want_register(z, l, (unsigned)q->place, want);
         for (unsigned k = 0; k < 4; k++, want.at += 8)
            if (!slice_want_register(z, l, G_VECTOR + want.reg * 4u + k, want))
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
                            : place + 8 + q->place;
         want.port = DCFG_WET_MEMORY;
         return z->result->frame == 0
                || slice_want_memory(z, z->result->frame, q->size, want);
      }
      default:
         want.port = DCFG_WET_MEMORY;
         return slice_want_memory(z, q->place, q->size, want);
   }
}

static bool want_uses(Slicer* z)
{
   NodeState*  s = STATE(z, z->me);
   const Plan* plan = &z->w->plans[z->instr];

   if (z->q->forward || z->q->only_criteria)
      return true;
   if (!s->real)
      return want_registers(z, false);
   if (z->q->steps != 0 && NODE(z, z->me)->distance >= z->q->steps) {
      s->cut = true;
      z->result->n_no_steps += plan->n_ports;
      return true;
   }
   if (s->limited)
      return want_control(z) && want_part(z);
   return want_control(z) && want_registers(z, true) && want_operands(z);
}

/*------------------------------------------------------------*/
/*--- The criterion                                        ---*/
/*------------------------------------------------------------*/

/* Nothing that was found until now counts. */
static bool forget_all(Slicer* z)
{
   z->found.n = z->states.n = z->edges.n = z->values.n = z->criteria.n = 0;
   z->readings.n = 0;
   for (uint32_t t = 0; t < z->w->threads.n; t++)
      for (Live* l = z->threads[t].live; l != NULL; l = l->outer)
         for (unsigned g = 0; g < N_GRANULES; g++)
            if (!slice_take_register(z, l, g, 0xFF, NULL))
               return false;
   for (uint32_t a = 1; a < z->acts.n; a++)
      if (!answer(z, a, DCFG_NONE, NULL))
         return false;
   return slice_take_memory(z, 0, UINT64_MAX, NULL);
}

/* Is the instance in work one? */
static bool is_criterion(Slicer* z)
{
   const DcfgSliceQuery* q = z->q;

   if (z->state == STATE_FOUND)
      return false;
   if (z->state == STATE_RUNNING) {
      if (z->act != z->run_act)
         return false;
      if (!q->instrs[z->instr])
         z->state = STATE_FOUND;
      return z->state == STATE_RUNNING;
   }
   if (!q->instrs[z->instr]
       || (q->instance < DCFG_SLICE_EVERY
           && q->instance != instance_now(z, z->instr)))
      return false;
   if (q->instance != DCFG_SLICE_EVERY) {
      z->state   = q->run ? STATE_RUNNING : STATE_FOUND;
      z->run_act = z->act;
   }
   return true;
}

static bool add_criterion(Slicer* z)
{
   uint32_t* c;

   /* Of a part, the first of a run is the one. */
   if (z->q->of != DCFG_SLICE_ALL && z->q->run && z->criteria.n > 0) {
      z->me = DCFG_NONE;
      if (!forget_all(z))
         return false;
   }
   if (!need_node(z) || (c = array_add(z->job, &z->criteria, 4)) == NULL)
      return false;
   *c = z->me;
   NODE(z, z->me)->distance = 0;
   STATE(z, z->me)->real    = true;
   STATE(z, z->me)->near    = false;
   STATE(z, z->me)->limited = z->q->of != DCFG_SLICE_ALL;
   return true;
}

/*------------------------------------------------------------*/
/*--- Instances                                            ---*/
/*------------------------------------------------------------*/

static bool take_definitions(Slicer* z)
{
   const Plan*      plan = &z->w->plans[z->instr];
   const Def*       d = &ELEM(z->w->defs, Def, plan->defs);
   const WetAccess* a = &ELEM(z->w->accesses, WetAccess, plan->accesses);
   Live*            l = z->threads[z->thread].live;

   for (const Def* end = d + plan->n_defs; l != NULL && d < end; d++)
      if (!slice_take_register(z, l, place_of(z, d->granule), d->mask, take))
         return false;
   for (uint32_t j = 0; j < plan->n_accesses && z->memory.n > 0; j++)
      if (a[j].what & ACCESS_STORE) {
         uint64_t addr = address_of(z, place_now(z), j);
         if (addr != 0 && !slice_take_memory(z, addr, a[j].size, take))
            return false;
      }
   return plan->kind != KIND_SYSCALL
          || slice_take_all(z, &z->threads[z->thread].written, take);
}

/* The instance in work, from behind. */
static bool visit(Slicer* z)
{
   bool last = z->place + 1u == z->step->n_instrs;

   z->me = DCFG_NONE;
   if (last && z->where->made != 0 && ACT(z, z->where->made)->pending != 0
       && !answer(z, z->where->made, DCFG_NONE,
                  ACT(z, z->where->made)->call == DCFG_NONE ? NULL : take))
      return false;
   if (ACT(z, z->act)->pending != 0 && z->graph.branches[z->instr]
       && !answer(z, z->act, z->instr, take))
      return false;
   if (!take_definitions(z))
      return false;
   if (z->state != STATE_FOUND && is_criterion(z) && !add_criterion(z))
      return false;
   return z->me == DCFG_NONE || want_uses(z);
}

static bool visit_all(Slicer* z)
{
   const SbInfo* sb = &z->sbs[z->step->sb];
   const Place*  at = &z->w->places[sb->first];
   uint32_t      n = z->step->n_instrs;
   uint8_t       tops[MAX_SB_INSTRS];

   for (uint32_t k = 0, top = z->where->top; k < n && sb->x87; k++) {
      const Plan* p = &z->w->plans[at[k].instr];
      tops[k] = (uint8_t)top;
      top     = p->top_zero ? 0 : (top + p->top) & 7;
   }
   for (uint32_t k = n; k-- > 0; ) {
      z->place = k;
      z->instr = at[k].instr;
      z->act   = k + 1 == n ? z->where->last : z->where->body;
      z->top   = sb->x87 ? tops[k] : z->where->top;
      if (!visit(z))
         return false;
   }
   return true;
}

/* May the record define what is wanted, or is it otherwise of interest? */
static inline bool matters(Slicer* z, const SbInfo* sb)
{
   const WetStep*   r = z->step;
   const StepPlace* p = z->where;
   const Live*      l = z->threads[r->thread].live;

   if (l != NULL && ((l->granules[0] & sb->defs[0])
                     | (l->granules[1] & sb->defs[1])))
      return true;
   if (p->made != 0 && ACT(z, p->made)->pending != 0)
      return true;
   if (sb->branches && (ACT(z, p->body)->pending != 0
                        || ACT(z, p->last)->pending != 0))
      return true;
   if (z->state != STATE_FOUND
       && (z->state == STATE_LOOKING ? sb->criterion
           : p->body == z->run_act || p->last == z->run_act))
      return true;
   if (z->threads[r->thread].written != 0
       && z->w->plans[z->w->places[sb->first + r->n_instrs - 1].instr].kind
          == KIND_SYSCALL)
      return true;
   if (z->memory.n == 0)
      return false;
   for (uint32_t i = 0; i < sb->n_stores; i++) {
      const StoreSlot* s = &z->stores[sb->stores + i];
      if (s->slot >= r->n_slots)
         break;
      if (slice_has_memory(z, z->steps.addrs[r->first + s->slot], s->size))
         return true;
   }
   return sb->odd_stores;
}

/*------------------------------------------------------------*/
/*--- Marks                                                ---*/
/*------------------------------------------------------------*/

/* The thread's last system call wrote them. */
static bool defer(Slicer* z, const Want* want, uint8_t mask)
{
   Want w = *want;

   w.mask = mask;
   /* What a want has before a bit is its own place. */
   return array_add(z->job, &z->deferred, sizeof(Want)) != NULL
          && (ELEM(z->deferred, Want, z->deferred.n - 1) = w, true);
}

static bool take_written(Slicer* z, uint32_t thread, uint64_t addr,
                         uint64_t size)
{
   z->deferred.n = 0;
   if (!slice_take_memory(z, addr, size, defer))
      return false;
   for (size_t i = 0; i < z->deferred.n; i++)
      if (!slice_add_want(z, &z->threads[thread].written,
                          ELEM(z->deferred, Want, i)))
         return false;
   return true;
}

static bool visit_mark(Slicer* z)
{
   const WetStep*  r = z->step;
   const uint64_t* words = z->steps.addrs + r->first;
   LiveThread*     t = &z->threads[r->thread];

   if (r->mark == DCFG_WET_READ) {
      DcfgSliceReading* read = array_add(z->job, &t->reads, sizeof(*read));
      if (read == NULL)
         return false;
      *read = (DcfgSliceReading){ words[0], words[1] };
      return true;
   }
   switch (r->mark) {
      case DCFG_WET_WRITTEN:
         return take_written(z, r->thread, words[0], words[1]);
      case DCFG_WET_FRESH:
         return slice_take_memory(z, words[0], words[1], NULL);
      case DCFG_WET_MOVED:
         return slice_move_memory(z, words[0], words[2], words[1]);
      case DCFG_WET_RETURN:
         return slice_before_return(z, r->thread);
      case DCFG_WET_HANDLER:
         return answer(z, z->where->made, DCFG_NONE, NULL)
                && answer(z, ACT(z, z->where->made)->up, DCFG_NONE, NULL)
                && slice_before_handler(z, r->thread,
                                        ELEM(z->returned, bool,
                                             z->where->body));
      default:
         return true;
   }
}

/*------------------------------------------------------------*/
/*--- Chunks                                               ---*/
/*------------------------------------------------------------*/

/* What the kernel read for a system call stands right behind it. */
static void forget_reads(Slicer* z, uint32_t but)
{
   if (z->reading != DCFG_NONE && z->reading != but)
      z->threads[z->reading].reads.n = 0;
   z->reading = but;
}

static bool visit_step(Slicer* z)
{
   const WetStep* r = z->step;
   const SbInfo*  sb = &z->sbs[r->sb];

   if (r->sb == 0) {
      forget_reads(z, r->mark == DCFG_WET_READ ? r->thread : DCFG_NONE);
      return visit_mark(z);
   }
   forget_reads(z, r->thread);
   z->order -= r->n_instrs;
   z->thread = r->thread;
   if (matters(z, sb) && !visit_all(z))
      return false;
   z->runs[sb->first + r->n_instrs - 1]--;
   forget_reads(z, DCFG_NONE);
   return true;
}

/* Is everything found? */
static bool is_done(const Slicer* z)
{
   return z->state == STATE_FOUND && z->n_wanted == 0;
}

bool slice_backward(Slicer* z)
{
   const WetChunkInfo* end = z->index.n == 0 ? NULL
                             : &ELEM(z->index, WetChunkInfo, z->index.n - 1);

   z->order   = end == NULL ? 0 : end->before + end->n_instrs;
   z->state   = STATE_LOOKING;
   z->reading = DCFG_NONE;
   z->result->n_executed = z->order;
   for (uint32_t c = (uint32_t)z->index.n; c-- > 0 && !is_done(z); ) {
      if (!slice_place_chunk(z, c))
         return false;
      for (size_t i = z->steps.n_steps; i-- > 0; ) {
         z->step  = &z->steps.steps[i];
         z->where = &z->places[i];
         if (!visit_step(z))
            return false;
      }
      slice_leave_chunk(z);
   }
   return true;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
