/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who wrote the registers last in a chunk. */

/* Owns: the code of last writers.  Handed: steps by index_make.c, code by
   wet_index.c.

   For each byte of a register there is the instance that wrote the byte last in
   the chunk.  These instances are listed once each, the latest first.  The latest
   of them that writes one of some bytes is the last writer of any of these
   bytes.

   The code of an instance is varints.  The first one is how many instructions were
   executed between it and the one before it in the list, or the end of the chunk.
   Then come its superblock, its index there, the number of its slots, and the
   slots. */

#include "lib/index/index_registers.h"

#include <stdlib.h>
#include <string.h>

/*--- Making                                               ---*/

/* ListedWriter: an instance in a WriterList. */
typedef
   struct {
      uint64_t time;
      uint32_t sb, place;
      uint32_t first, n_slots;  // its slots, in .slots of the list
   }
   ListedWriter;

/* WriterList: the last writers of a thread's registers in the present chunk. */
typedef
   struct {
      Array writers;            // ListedWriter, the latest first
      Array slots;              // uint64_t
      bool  spoilt;
   }
   WriterList;

struct LastWriters {
   Job*           job;
   const DcfgWet* w;
   WriterList*    of;           // by thread
   WriterList     next;         // the list that is being made
   uint8_t        covered[G_X87];       // by granule: bytes with a writer
   uint64_t       told[2];      // granules that the index tells: a bit for each
   uint64_t       open[2];      // those with a byte that has no writer
};

LastWriters* last_writers(Job* job, const DcfgWet* w)
{
   LastWriters* x = job_calloc(job, 1, sizeof(*x));

   if (x == NULL)
      return NULL;
   x->job = job;
   x->w   = w;
   for (unsigned g = 0; g < G_X87; g++)
      x->told[g / 64] |= (uint64_t)index_tells_granule(g) << g % 64;
   x->of  = job_calloc(job, w->threads.n + 1, sizeof(*x->of));
   if (x->of != NULL)
      return x;
   last_writers_free(x);
   return NULL;
}

static void free_list(Job* job, WriterList* l)
{
   array_free(job, &l->writers, sizeof(ListedWriter));
   array_free(job, &l->slots, sizeof(uint64_t));
}

void last_writers_free(LastWriters* x)
{
   if (x == NULL)
      return;
   for (size_t t = 0; x->of != NULL && t < x->w->threads.n; t++)
      free_list(x->job, &x->of[t]);
   free_list(x->job, &x->next);
   job_free(x->job, x->of, (x->w->threads.n + 1) * sizeof(*x->of));
   job_free(x->job, x, sizeof(*x));
}

/* Mark the bytes that INSTR writes as covered.  Return whether one of them was
   not. */
static bool cover(LastWriters* x, uint32_t instr)
{
   const Plan* p = &x->w->plans[instr];
   const Def*  d = &ELEM(x->w->defs, Def, p->defs);
   bool        any = false;

   for (uint32_t i = 0; i < p->n_defs; i++) {
      unsigned g = d[i].granule;
      if (!index_tells_granule(g) || (d[i].mask & ~x->covered[g]) == 0)
         continue;
      x->covered[g] |= d[i].mask;
      any = true;
      if (x->covered[g] == 0xFF)
         x->open[g / 64] &= ~(UINT64_C(1) << g % 64);
   }
   return any;
}

/* Append instance A with its N_SLOTS slots at SLOTS to the list that is made. */
static bool list(LastWriters* x, ListedWriter a, const uint64_t* slots)
{
   ListedWriter* to = array_add(x->job, &x->next.writers, sizeof(*to));
   uint64_t*     copy = to == NULL || a.n_slots == 0 ? NULL
                        : array_add_n(x->job, &x->next.slots, sizeof(*copy),
                                      a.n_slots);

   if (to == NULL || (a.n_slots > 0 && copy == NULL))
      return false;
   a.first = (uint32_t)(x->next.slots.n - a.n_slots);
   *to     = a;
   if (a.n_slots > 0)
      memcpy(copy, slots, a.n_slots * sizeof(*slots));
   return true;
}

/* List the instructions of step S, at time TIME, that are last writers. */
static bool list_step(LastWriters* x, const WetSteps* steps, const WetStep* s,
                      uint64_t time)
{
   const WetSb* sb = &ELEM(x->w->sbs, WetSb, s->sb);

   for (uint32_t k = s->n_instrs; k-- > 0; ) {
      const InstrPlan* at = &x->w->places[sb->instrs.first + k];
      uint32_t         end = wet_value_slot(at) + at->n_values;
      ListedWriter     a = { time + k, s->sb, k, 0, 0 };
      if (!cover(x, at->instr))
         continue;
      end       = end < s->n_slots ? end : s->n_slots;
      a.n_slots = end > at->slot ? end - at->slot : 0;
      if (!list(x, a, steps->addrs + s->first + at->slot))
         return false;
   }
   return true;
}

/* Return whether one of the granules in DEFS is open. */
static inline bool is_open(const LastWriters* x, const uint64_t* defs)
{
   return ((defs[0] & x->open[0]) | (defs[1] & x->open[1])) != 0;
}

bool last_writers_turn(LastWriters* x, const IndexWays* ways,
                       const WetSteps* steps, const StepTurn* turn)
{
   WriterList* of = &x->of[turn->thread];
   WriterList  old = *of;
   uint64_t    time = turn->time;
   bool        ok = true;

   memset(x->covered, 0, sizeof(x->covered));
   memcpy(x->open, x->told, sizeof(x->open));
   for (size_t i = turn->end; ok && i-- > turn->begin; ) {
      const WetStep* r = &steps->steps[i];
      if (r->sb == 0)
         continue;
      time -= r->n_instrs;
      if (!is_open(x, turn->defs))
         break;
      if (is_open(x, way_of(ways, r)->defs))
         ok = list_step(x, steps, r, time);
   }
   for (size_t i = 0; ok && i < old.writers.n; i++) {
      const ListedWriter* a = &ELEM(old.writers, ListedWriter, i);
      uint32_t            place = ELEM(x->w->sbs, WetSb, a->sb).instrs.first
                                  + a->place;
      if (cover(x, x->w->places[place].instr))
         ok = list(x, *a, (uint64_t*)old.slots.data + a->first);
   }
   of->writers = x->next.writers;
   of->slots   = x->next.slots;
   x->next     = old;
   array_cut(&x->next.writers, 0);
   array_cut(&x->next.slots, 0);
   return ok;
}

void last_writers_spoil(LastWriters* x, uint32_t thread)
{
   x->of[thread].spoilt = true;
}

static bool put_number(Job* job, Array* to, uint64_t n)
{
   uint8_t  code[10];
   uint8_t* at = code;
   uint8_t* room;

   write_varint(&at, n);
   room = array_add_n(job, to, 1, (size_t)(at - code));
   if (room != NULL)
      memcpy(room, code, (size_t)(at - code));
   return room != NULL;
}

bool last_writers_put(LastWriters* x, uint32_t thread, uint64_t end,
                      uint64_t most, Array* to)
{
   WriterList* l = &x->of[thread];
   size_t      begin = to->n;
   bool        ok = true;

   for (size_t i = 0; ok && !l->spoilt && i < l->writers.n; i++) {
      const ListedWriter* a = &ELEM(l->writers, ListedWriter, i);
      ok = put_number(x->job, to, end - 1 - a->time)
           && put_number(x->job, to, a->sb) && put_number(x->job, to, a->place)
           && put_number(x->job, to, a->n_slots);
      for (uint32_t k = 0; ok && k < a->n_slots; k++)
         ok = put_number(x->job, to, ELEM(l->slots, uint64_t, a->first + k));
      end = a->time;
   }
   if (to->n - begin > most)
      array_cut(to, begin);
   array_cut(&l->writers, 0);
   array_cut(&l->slots, 0);
   l->spoilt = false;
   return ok;
}

/*--- Reading                                              ---*/

bool last_writer_next(const DcfgWet* w, ByteReader* b, uint64_t from, LastWriter* to)
{
   const WetSb*     sb;
   const InstrPlan* at;
   uint64_t         behind;

   if (b->at == b->end)
      return false;
   behind = get_varint(b);
   to->sb = get_up_to(b, w->sbs.n - 1);
   if (to->sb == 0 || behind >= to->time - from) {
      bytes_fail(b);
      return false;
   }
   sb          = &ELEM(w->sbs, WetSb, to->sb);
   to->time   -= 1 + behind;
   to->place   = get_up_to(b, sb->instrs.n);
   to->n_slots = get_up_to(b, MAX_ACCESSES);
   to->slots   = *b;
   for (uint32_t i = 0; i < to->n_slots; i++)
      get_varint(b);
   if (to->place == sb->instrs.n)
      bytes_fail(b);
   if (b->failed)
      return false;
   at = &w->places[sb->instrs.first + to->place];
   if (to->n_slots > wet_value_slot(at) + at->n_values - at->slot)
      bytes_fail(b);
   return !b->failed;
}

void last_writer_slots(const LastWriter* l, uint64_t* slots)
{
   ByteReader b = l->slots;

   for (uint32_t i = 0; i < l->n_slots; i++)
      slots[i] = get_varint(&b);
}
