/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Registers that a chunk saved and restored. */

/* Owns: where the values that registers and saved words have at the end of a
   chunk were at its begin, if the chunk only saved and restored them.  Handed:
   records by index_make.c.

   A function that wants a register for itself saves it on the stack, and restores
   it before it returns.  So a value that a caller keeps in a register for long
   has two copies for each call that it outlives.  Whoever looks for its origin
   can skip a chunk that did nothing else to it.

   Each register has its place at the chunk's begin, until something but a
   restoring instruction writes it.  Saved words stand in a list, the lowest
   address last, as on the stack.  An instruction that saves at an address ends
   all words below: they are not in use.  A word that is not in the list and was
   written in the chunk has an unknown value.  Whatever else writes a word of the
   list takes it out; a bit for each word, some of which share one, tells that
   most stores do not.

   A chunk in which several threads ran, or others than instructions wrote
   registers, has no entries. */

#include "lib/index/index_saved.h"
#include "format/numbers.h"

#include <string.h>

/* SavedStep: .what a way does to register .reg, or to the registers .mask, behind
   the slots before .slot. */
typedef
   struct {
      uint16_t   place, slot;
      uint16_t   mask;
      uint8_t    reg;
      SavingKind what;
   }
   SavedStep;

/* Most words that are kept, and that the code has of a chunk. */
#define MOST_SLOTS 65536u
#define MOST_CODED 256u

/*--- Ways                                                 ---*/

/* Return what the instruction at AT, in SB, does, if it has the address in its
   only slot; SAVES_NOT if it may do anything else. */
static SavingKind kind_of(const DcfgWet* w, const WetSb* sb,
                          const InstrPlan* at, uint8_t* reg)
{
   const WetInstr*  in = &ELEM(w->instrs, WetInstr, at->instr);
   const WetAccess* a = &ELEM(w->accesses, WetAccess, sb->slots.first)
                        + at->slot;
   SavingKind kind = w->machine->saving == NULL || at->n_slots != 1 ? SAVES_NOT
                     : w->machine->saving(&ELEM(w->code, uint8_t, in->code),
                                          in->len, reg);

   return kind == SAVES_NOT || *reg == w->machine->stack
          || a->size != 8 || (a->what & AccessGuarded)
          || !(a->what & (kind == SAVES ? AccessStore : AccessLoad))
          || (a->what & (kind == SAVES ? AccessLoad : AccessStore))
          ? SAVES_NOT : kind;
}

/* Describe the first N instructions of SB as a way. */
static bool describe(SavedRegisters* x, const WetSb* sb, uint32_t n,
                     SavedWay* to)
{
   bool any = false;

   to->first = (uint32_t)x->steps.n;
   for (uint32_t k = 0; k < n; k++) {
      const InstrPlan* at = &x->w->places[sb->instrs.first + k];
      SavedStep        s = { .place = (uint16_t)k, .slot = at->slot };
      uint64_t         defs[2] = { 0, 0 };
      SavedStep*       step;
      s.what = kind_of(x->w, sb, at, &s.reg);
      wet_add_defs(x->w, at->instr, defs);
      s.mask = (uint16_t)defs[0];
      if (s.what == RESTORES) {
         s.mask      &= (uint16_t)~(1u << s.reg);
         x->restored |= (uint16_t)(1u << s.reg);
      }
      to->overwrites |= s.mask;
      any            |= s.what != SAVES_NOT;
      if (s.what == SAVES_NOT && s.mask == 0)
         continue;
      step = array_add(x->job, &x->steps, sizeof(*step));
      if (step == NULL)
         return false;
      *step = s;
   }
   if (!any)
      array_cut(&x->steps, to->first);
   to->n_steps = (uint32_t)x->steps.n - to->first;
   return true;
}

static void begin_chunk(SavedRegisters* x)
{
   for (unsigned r = 0; r < SAVED_REGISTERS; r++)
      x->from[r] = r;
   x->valid   = x->restored;
   x->written = 0;
   x->thread  = DCFG_NONE;
   x->spoilt  = false;
   array_cut(&x->slots, 0);
   memset(x->bits, 0, sizeof(x->bits));
}

bool saved_start(SavedRegisters* x, Job* job, const DcfgWet* w)
{
   *x = (SavedRegisters){ .job = job, .w = w };
   x->ways = job_calloc(job, w->n_ways + w->sbs.n, sizeof(SavedWay));
   if (x->ways == NULL)
      return false;
   for (size_t i = 0; i < w->n_ways; i++)
      if (w->ways[i].sb != 0 && w->ways[i].n_instrs > 0
          && !describe(x, &ELEM(w->sbs, WetSb, w->ways[i].sb),
                       w->ways[i].n_instrs, &x->ways[i]))
         return false;
   for (size_t id = 1; id < w->sbs.n; id++) {
      const WetSb* sb = &ELEM(w->sbs, WetSb, id);
      if (sb->instrs.n > 0
          && !describe(x, sb, sb->instrs.n, &x->ways[w->n_ways + id]))
         return false;
   }
   begin_chunk(x);
   return true;
}

void saved_free(SavedRegisters* x)
{
   if (x->job == NULL)
      return;
   job_free(x->job, x->ways, (x->w->n_ways + x->w->sbs.n) * sizeof(SavedWay));
   array_free(x->job, &x->steps, sizeof(SavedStep));
   array_free(x->job, &x->slots, sizeof(SavedSlot));
   array_free(x->job, &x->code, 1);
}

/*--- Records                                              ---*/

static SavedSlot* last_slot(const SavedRegisters* x)
{
   return x->slots.n == 0 ? NULL : &ELEM(x->slots, SavedSlot, x->slots.n - 1);
}

void saved_write(SavedRegisters* x, uint64_t addr, uint64_t size)
{
   for (size_t i = x->slots.n; i-- > 0; ) {
      SavedSlot* s = &ELEM(x->slots, SavedSlot, i);
      if (s->addr >= addr + size)
         break;
      if (s->addr + 8 <= addr)
         continue;
      memmove(s, s + 1, (x->slots.n - i - 1) * sizeof(*s));
      array_cut(&x->slots, x->slots.n - 1);
   }
}

/* Save register REG at ADDR. */
static bool save(SavedRegisters* x, unsigned reg, uint64_t addr)
{
   uint64_t   bit = addr / 8 % SAVED_BITS;
   SavedSlot* to;

   while (x->slots.n > 0 && last_slot(x)->addr <= addr)
      array_pop(&x->slots);
   if (!(x->valid >> reg & 1) || addr % 8 != 0 || x->slots.n >= MOST_SLOTS)
      return true;
   to = array_add(x->job, &x->slots, sizeof(*to));
   if (to == NULL)
      return false;
   *to = (SavedSlot){ addr, x->from[reg] };
   x->bits[bit / 64] |= UINT64_C(1) << bit % 64;
   return true;
}

/* Restore register REG from ADDR. */
static void restore(SavedRegisters* x, unsigned reg, uint64_t addr,
                    LineSet* lines)
{
   uint16_t bit = (uint16_t)(1u << reg);

   while (x->slots.n > 0 && last_slot(x)->addr < addr)
      array_pop(&x->slots);
   x->written |= bit;
   x->valid   |= bit;
   if (x->slots.n > 0 && last_slot(x)->addr == addr)
      x->from[reg] = last_slot(x)->from;
   else if (addr % 8 == 0 && addr >= SAVED_REGISTERS && !lines_have(lines, addr))
      x->from[reg] = addr;
   else
      x->valid &= (uint16_t)~bit;
}

static bool take_step(SavedRegisters* x, const SavedStep* s,
                      const uint64_t* addrs, LineSet* lines)
{
   x->valid   &= (uint16_t)~s->mask;
   x->written |= s->mask;
   if (s->what == RESTORES)
      restore(x, s->reg, addrs[s->slot], lines);
   return s->what != SAVES || save(x, s->reg, addrs[s->slot]);
}

bool saved_run(SavedRegisters* x, const WetStep* r, const SavedWay* way,
               const uint64_t* addrs, LineSet* lines)
{
   const WetSb*     sb = &ELEM(x->w->sbs, WetSb, r->sb);
   const StoreSlot* s = &ELEM(x->w->stores, StoreSlot, sb->stores.first);
   const StoreSlot* end = s + sb->stores.n;
   const SavedStep* step = &ELEM(x->steps, SavedStep, way->first);
   const SavedStep* last = step + way->n_steps;

   if (x->thread == DCFG_NONE)
      x->thread = r->thread;
   if (r->thread != x->thread)
      x->spoilt = true;
   if (x->spoilt)
      return true;
   if (step == last) {
      x->valid   &= (uint16_t)~way->overwrites;
      x->written |= way->overwrites;
   }
   for (; s < end && s->slot < r->n_slots; s++) {
      bool saves = false;
      for (; step < last && step->slot <= s->slot && step->place < r->n_instrs;
           step++) {
         saves = step->what == SAVES && step->slot == s->slot;
         if (!take_step(x, step, addrs, lines))
            return false;
      }
      if (!saves && saved_may_be(x, addrs[s->slot], s->size))
         saved_write(x, addrs[s->slot], s->size);
   }
   for (; step < last && step->place < r->n_instrs; step++)
      if (!take_step(x, step, addrs, lines))
         return false;
   return true;
}

/*--- Code                                                 ---*/

/* PlaceCoder: where code is written, and the word before. */
typedef
   struct {
      uint8_t* to;
      uint64_t word;
   }
   PlaceCoder;

static void put_place(PlaceCoder* c, uint64_t place)
{
   if (place < SAVED_REGISTERS) {
      write_varint(&c->to, 2 * place + 1);
      return;
   }
   write_varint(&c->to, 2 * difference_code(place / 8 - c->word));
   c->word = place / 8;
}

bool saved_end_chunk(SavedRegisters* x, uint32_t chunk)
{
   uint16_t   registers = x->spoilt ? 0 : x->valid & x->written;
   size_t     n = x->spoilt ? 0 : x->slots.n < MOST_CODED ? x->slots.n
                                                          : MOST_CODED;
   size_t     all = n + (unsigned)__builtin_popcount(registers);
   PlaceCoder c = { .word = 0 };

   if (all > 0) {
      c.to = array_add_n(x->job, &x->code, 1, 20 * (all + 1));
      if (c.to == NULL)
         return false;
      write_varint(&c.to, chunk - x->next);
      write_varint(&c.to, all);
      x->next = chunk + 1;
      for (unsigned r = 0; r < SAVED_REGISTERS; r++)
         if (registers >> r & 1) {
            put_place(&c, r);
            put_place(&c, x->from[r]);
         }
      for (size_t i = 0; i < n; i++) {
         put_place(&c, ELEM(x->slots, SavedSlot, i).addr);
         put_place(&c, ELEM(x->slots, SavedSlot, i).from);
      }
      array_cut(&x->code, (size_t)(c.to - (uint8_t*)x->code.data));
   }
   begin_chunk(x);
   return true;
}
