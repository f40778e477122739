/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   x87's registers of a recorded program at any time. */

/* Owns: x87's stack, tags and status.  Handed: the top of the stack and
   registers that the trace tells, by the library; rules of the processor.

   The search goes back over instances of x87's instructions until each register
   and each tag has been written or told.  It gives up after MOST_STEPS
   instances; the rest is not known. */

#include "cmd/state/state_instance.h"

#include <string.h>

#define MOST_STEPS 1024u

static uint8_t bit(unsigned n)
{
   return (uint8_t)(1u << (n & 7));
}

/*--- The effect of an instance                            ---*/

/* Return the registers that the instance writes, a bit for each: as MMX numbers
   them, or if STACK by their place from the top. */
static uint8_t written(const Instance* i, bool stack)
{
   uint8_t all = 0;

   for (unsigned n = 0; n < 8; n++)
      if (dcfg_replay_written(i->s->replay, i->at.instr,
                              stack ? DCFG_REPLAY_X87_STACK : DCFG_REPLAY_X87,
                              n) != 0)
         all |= bit(n);
   return all;
}

/* Set the values of E from the recorded value, which has all registers that are
   written, or nothing of them.  Those of the stack stand in the order from its
   new top. */
static void take_values(const Instance* i, uint8_t absolute, uint8_t stack,
                        X87Effect* e)
{
   unsigned n = (unsigned)__builtin_popcount(absolute)
                + (unsigned)__builtin_popcount(stack);
   bool     known = i->at.value_size == 8 * n && !state_stores(i);
   uint32_t at = 0;

   for (unsigned k = 0; k < 16; k++) {
      unsigned p = k < 8 ? k : (e->new_top + k) & 7;
      if (!(k < 8 ? absolute & bit(p) : stack & bit(p - e->top)))
         continue;
      e->written  |= bit(p);
      e->values[p] = nothing;
      if (known) {
         memcpy(e->values[p].bytes, i->value + at, 8);
         e->values[p].known = 0xFF;
         at += 8;
      }
   }
}

/* Set E to the effect of instance I. */
static void find_effect(Instance* i, X87Effect* e)
{
   StateView v = state_view(i);
   unsigned  moved;

   *e = (X87Effect){ .top = 0 };
   if (!dcfg_replay_x87_top(i->s->replay, i->thread, i->at.time, &e->top)
       || !dcfg_replay_x87_top(i->s->replay, i->thread, i->at.time + 1,
                               &e->new_top)) {
      e->written = e->unclear = 0xFF;
      return;
   }
   take_values(i, written(i, false), written(i, true), e);
   moved = (e->new_top - e->top) & 7;
   if (moved == 7)
      e->full |= bit(e->new_top);
   else if (moved == 1 || moved == 2)
      e->empty |= bit(e->top) | (moved == 2 ? bit(e->top + 1) : 0);
   else if (moved != 0)
      e->unclear = 0xFF;
   e->full |= e->written & ~e->empty;
   i->s->rules->x87_behind(&v, e);
}

/*--- Registers and tags                                   ---*/

/* Told: when the trace told a register last, and its value. */
typedef
   struct {
      bool       there;
      uint64_t   time;
      StateValue value;
   }
   Told;

static Told told(ProgramState* s, uint32_t thread, uint64_t t,
                 DcfgWetRegisterKind kind, uint32_t n)
{
   Told             to = { false, 0, nothing };
   DcfgReplayWriter by;

   if (dcfg_replay_told(s->replay, thread, t, kind, n, &by)
       != DCFG_REPLAY_FOUND)
      return to;
   to.there       = true;
   to.time        = by.time;
   to.value.known = 0xFF;
   memcpy(to.value.bytes, by.value, 8);
   return to;
}

/* Take from E, the effect of the instance at time U, what K lacks: registers in
   *LEFT, tags in *LEFT_TAGS. */
static void take_effect(const X87Effect* e, const Told* registers, uint64_t u,
                        KeptX87* k, uint8_t* left, uint8_t* left_tags)
{
   uint8_t tags = (e->full | e->empty | e->unclear) & *left_tags;

   for (unsigned p = 0; p < 8; p++) {
      if (!(*left & bit(p)))
         continue;
      if (registers[p].there && registers[p].time > u)
         k->values[p] = registers[p].value;
      else if (e->written & bit(p))
         k->values[p] = e->values[p];
      else
         continue;
      *left &= (uint8_t)~bit(p);
   }
   k->tags       |= e->full & tags;
   k->known_tags |= tags & ~e->unclear;
   *left_tags    &= (uint8_t)~tags;
}

/* Set *K to x87's registers and tags of THREAD at time T; TAGS is what the trace
   tells of the tags. */
static void find_x87(ProgramState* s, uint32_t thread, uint64_t t,
                     const Told* tags, KeptX87* k)
{
   Told      registers[8];
   uint8_t   left = 0xFF, left_tags = 0xFF;
   uint64_t  u = t;
   bool      given_up = false;
   Instance  i;
   X87Effect e;

   *k = (KeptX87){ true, thread, tags->time, t, tags->time, { nothing }, 0, 0 };
   for (unsigned p = 0; p < 8; p++)
      registers[p] = told(s, thread, t, DCFG_WET_REG_X87, p);
   for (unsigned n = 0; left != 0 || left_tags != 0; n++) {
      if (!state_last_writer(s, OTHER_X87, thread, u, tags->time, &u,
                             &given_up))
         break;
      if (n == 0)
         k->from = u + 1;
      if (n == MOST_STEPS || !state_get_instance(s, u, &i)) {
         given_up = true;
         break;
      }
      find_effect(&i, &e);
      take_effect(&e, registers, u, k, &left, &left_tags);
   }
   for (unsigned p = 0; p < 8 && !given_up; p++)
      if (left & bit(p))
         k->values[p] = registers[p].value;
   if (!given_up && tags->there) {
      k->tags       |= tags->value.bytes[0] & left_tags;
      k->known_tags |= left_tags;
   }
}

/* Return x87's registers and tags of THREAD at time T. */
static const KeptX87* x87_at(ProgramState* s, uint32_t thread, uint64_t t)
{
   Told    tags = told(s, thread, t, DCFG_WET_REG_X87_TAGS, 0);
   KeptX87 k;

   if (s->x87.there && s->x87.thread == thread && s->x87.told == tags.time
       && t >= s->x87.from && t <= s->x87.to)
      return &s->x87;
   s->depth++;
   find_x87(s, thread, t, &tags, &k);
   s->depth--;
   k.to   = state_next_writer(s, OTHER_X87, t);
   s->x87 = k;
   return &s->x87;
}

StateValue state_x87(ProgramState* s, uint32_t thread, uint64_t t, unsigned n)
{
   unsigned top;

   return s->rules->x87_behind == NULL || s->depth >= MOST_DEPTH
          || !dcfg_replay_x87_top(s->replay, thread, t, &top) ? nothing
          : x87_at(s, thread, t)->values[(top + n) & 7];
}

bool state_x87_in_use(ProgramState* s, uint32_t thread, uint64_t t, unsigned n,
                      bool* in_use)
{
   const KeptX87* k;
   unsigned       top;

   if (s->rules->x87_behind == NULL || s->depth >= MOST_DEPTH
       || !dcfg_replay_x87_top(s->replay, thread, t, &top))
      return false;
   k       = x87_at(s, thread, t);
   *in_use = k->tags & bit(top + n);
   return k->known_tags & bit(top + n);
}

StateValue state_x87_tags(ProgramState* s, uint32_t thread, uint64_t t)
{
   const KeptX87* k;
   uint32_t       word = 0;
   StateValue     v = { .known = 0xF };

   if (s->rules->x87_behind == NULL)
      return nothing;
   k = x87_at(s, thread, t);
   for (unsigned p = 0; p < 8; p++)
      word |= k->tags & bit(p) ? 0 : 3u << 2 * p;
   memcpy(v.bytes, &word, sizeof(word));
   return k->known_tags == 0xFF ? v : nothing;
}

/*--- Status                                               ---*/

bool state_x87_codes(ProgramState* s, uint32_t thread, uint64_t t,
                     uint64_t* bits)
{
   Told             status = told(s, thread, t, DCFG_WET_REG_X87_STATUS, 0);
   DcfgReplayWriter by;
   DcfgReplayFound  found = dcfg_replay_writer(s->replay, thread, t,
                                               DCFG_REPLAY_FLAGS,
                                               STATE_X87_CODES, 0xFF, &by);

   if (found == DCFG_REPLAY_FOUND && by.by == DCFG_REPLAY_BY_INSTR
       && by.time >= status.time)
      return state_flags(s, thread, t, STATE_X87_CODES, bits);
   *bits = (uint64_t)(status.value.bytes[1] & 0x47) << 8;
   return status.there && found != DCFG_REPLAY_FAILED;
}

StateValue state_x87_status(ProgramState* s, uint32_t thread, uint64_t t)
{
   StateValue v = { .known = 0xF };
   uint64_t   codes;
   unsigned   top;
   uint32_t   word;

   if (s->rules->x87_behind == NULL
       || !dcfg_replay_x87_top(s->replay, thread, t, &top)
       || !state_x87_codes(s, thread, t, &codes))
      return nothing;
   word = (uint32_t)codes | top << 11;
   memcpy(v.bytes, &word, sizeof(word));
   return v;
}
