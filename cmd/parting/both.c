/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Two whole execution traces at any time. */

/* Owns: the states and indexes of both traces, instances by their times, the
   times of a thread's instructions, registers and their writers.  Handed: two
   traces.

   Nothing is made before the first question: runs that are the same need no
   index. */

#include "cmd/parting/causes.h"

#include "cmd/base/operands.h"
#include "cmd/program/recording.h"

/*--- Both traces at any time                              ---*/

Causes* causes_new(Runs* r, const char* root)
{
   Causes* c = zalloc(1, sizeof(*c));

   c->r      = r;
   c->root   = root;
   c->cannot = r->side[0].w == NULL;
   return c;
}

void causes_free(Causes* c)
{
   if (c == NULL)
      return;
   if (c->own != NULL)
      dcfg_cursor_set_free(c->state[0]->cursor, c->own);
   free(c->foreign);
   for (int k = 0; k < 2; k++) {
      if (c->syscalls[k] != NULL)
         dcfg_cursor_set_free(c->state[k]->cursor, c->syscalls[k]);
      state_free(c->state[k]);
      for (size_t i = 0; i < c->n_turns[k]; i++)
         free(c->turns[k][i].turns);
      free(c->turns[k]);
   }
   free(c);
}

/* Make the state of side K.  Return false if there can be none. */
static bool make_state(Causes* c, int k)
{
   DcfgWet*  w = c->r->side[k].w;
   uint32_t  n = dcfg_wet_instrs(w), n_calls = 0;
   bool*     foreign = zalloc(n + (size_t)1, sizeof(bool));
   uint32_t* calls = zalloc(n + (size_t)1, sizeof(uint32_t));
   DcfgError err;
   bool      there;
   const StateRules* rules = state_rules_of(processor_of(w));

   if (rules == NULL) {
      FREE_ALL(foreign, calls);
      return false;
   }
   mark_foreign(w, NULL, foreign);
   there = index_missing(w, c->r->side[k].file, INDEX_MADE, foreign, NULL)
           == NULL
           || dcfg_slice_make_index(w, -1, foreign, &err);
   if (!there)
      die("%s", unreadable(&err, KIND_WET));
   c->state[k] = state_new(w, rules, c->root, &err);
   need_file(c->state[k] != NULL, &err, KIND_WET);
   for (uint32_t i = 0; i < n; i++)
      if (dcfg_wet_instr(w, i)->transfer == DCFG_WET_SYSCALL)
         calls[n_calls++] = i;
   c->syscalls[k] = dcfg_cursor_set_new(c->state[k]->cursor, calls, n_calls);
   n_calls = 0;
   for (uint32_t i = 0; i < n && k == 0; i++)
      if (!foreign[i])
         calls[n_calls++] = i;
   if (k == 0) {
      c->own     = dcfg_cursor_set_new(c->state[0]->cursor, calls, n_calls);
      c->foreign = foreign;
   } else {
      free(foreign);
   }
   free(calls);
   return c->syscalls[k] != NULL;
}

bool can_ask(Causes* c)
{
   for (int k = 0; k < 2 && !c->cannot; k++)
      c->cannot = c->state[k] == NULL && !make_state(c, k);
   return !c->cannot;
}

bool instance_at(Causes* c, int k, uint64_t t, RunInstance* i)
{
   const DcfgCursorInstr* is = dcfg_cursor_instr(c->state[k]->cursor, t);

   if (is == NULL)
      return false;
   i->t      = t;
   i->thread = is->thread;
   i->instr  = is->instr;
   i->in     = *dcfg_wet_instr(c->r->side[k].w, is->instr);
   memcpy(i->uses, i->in.uses, i->in.n_uses * sizeof(*i->uses));
   i->in.uses    = i->uses;
   i->n_accesses = is->n_accesses < 16 ? is->n_accesses : 16;
   memcpy(i->accesses, is->accesses, i->n_accesses * sizeof(*i->accesses));
   return true;
}

const char* instr_where(Causes* c, int k, uint32_t instr)
{
   PlaceText t = run_place_text(&c->r->side[k], instr, true);

   t.function = "";
   return place_words(&t);
}

/*--- Positions in a thread                                ---*/

static uint64_t find_time(const ThreadTurn* turns, size_t n, uint64_t at)
{
   size_t i = 0;

   BISECT(i, n, middle, turns[middle].at <= at);
   return i == 0 ? UINT64_MAX : turns[i - 1].time + (at - turns[i - 1].at);
}

uint64_t time_of(const PartThread* t, int k, uint64_t at)
{
   return find_time(t->turns[k], t->n_turns[k], at);
}

uint64_t twin_of(const PartThread* t, int k, uint64_t at)
{
   size_t i = 0;

   BISECT(i, t->n_joins, middle, t->joins[middle].at[k] <= at);
   return i == 0 ? UINT64_MAX
          : at - t->joins[i - 1].at[k] + t->joins[i - 1].at[1 - k];
}

/* Return the turns of THREAD of side K, from one pass over the trace's
   control. */
static const OtherTurns* turns_of(Causes* c, int k, uint32_t thread)
{
   OtherTurns*        t;
   DcfgWetPath*        p;
   const DcfgWetPiece* pieces;
   size_t              n, room = 0;
   uint64_t            at = 0, time = 0;
   DcfgError           err;

   for (size_t i = 0; i < c->n_turns[k]; i++)
      if (c->turns[k][i].thread == thread)
         return &c->turns[k][i];
   GROW(c->turns[k], c->n_turns[k], c->turns_room[k]);
   t  = &c->turns[k][c->n_turns[k]++];
   *t = (OtherTurns){ .thread = thread };
   p  = dcfg_wet_path_new(c->r->side[k].w, thread, &err);
   while (p != NULL && (n = dcfg_wet_path_next(p, &pieces, &err)) > 0)
      for (size_t i = 0; i < n; i++) {
         if (t->n == 0 || pieces[i].time != time) {
            GROW(t->turns, t->n, room);
            t->turns[t->n++] = (ThreadTurn){ at, pieces[i].time };
         }
         time = pieces[i].time + pieces[i].n;
         at  += pieces[i].n;
      }
   dcfg_wet_path_free(p);
   return t;
}

uint64_t at_of(Causes* c, const PartThread* t, int k, uint32_t thread,
               uint64_t time)
{
   const ThreadTurn* turns = t->turns[k];
   size_t      n = t->n_turns[k], i = 0;

   if (thread != t->thread) {
      const OtherTurns* of = turns_of(c, k, thread);
      turns = of->turns;
      n     = of->n;
   }
   BISECT(i, n, middle, turns[middle].time <= time);
   return i == 0 ? UINT64_MAX : turns[i - 1].at + (time - turns[i - 1].time);
}

/*--- Registers                                            ---*/

DcfgCursorFound register_writer(Causes* c, int k, uint32_t thread, uint64_t t,
                                const DcfgWetRegisterId* reg, unsigned byte,
                                DcfgCursorWriter* by)
{
   const ProgramState* s = c->state[k];
   unsigned            parts = s->rules->vector_parts;

   switch (reg->kind) {
      case DCFG_WET_GENERAL:
         return dcfg_cursor_writer(s->cursor, thread, t, DCFG_CURSOR_GENERAL,
                                   reg->reg, (uint8_t)(1u << byte), by);
      case DCFG_WET_FLAGS:
         return dcfg_cursor_writer(s->cursor, thread, t, DCFG_CURSOR_FLAGS, byte,
                                   0xFF, by);
      case DCFG_WET_VECTOR:
         return dcfg_cursor_writer(s->cursor, thread, t, DCFG_CURSOR_VECTOR,
                                   reg->reg * parts + byte / 8,
                                   (uint8_t)(1u << byte % 8), by);
      default:
         return DCFG_CURSOR_NONE;
   }
}

uint32_t register_value(Causes* c, int k, const RunInstance* i,
                        const DcfgWetRegisterId* reg, uint8_t* bytes)
{
   ProgramState*     s = c->state[k];
   const StateRules* rules = s->rules;
   StateSource       source = reg->kind == DCFG_WET_FLAGS ? STATE_FLAGS
                              : STATE_VECTOR;
   StateValue        v = { .known = 0 };
   uint32_t          known = 0;

   memset(bytes, 0, 32);
   if (reg->kind == DCFG_WET_GENERAL) {
      v = state_general(s, i->thread, i->t, reg->reg);
      memcpy(bytes, v.bytes, 8);
      return v.known & 0xFF;
   }
   if (reg->kind == DCFG_WET_X87)
      return 0;
   for (size_t row = 0; row < rules->n_rows; row++) {
      const StateRow* r = &rules->rows[row];
      bool high = source == STATE_VECTOR && r->source == STATE_VECTOR_HIGH;
      if ((r->source != source && !high)
          || (source == STATE_VECTOR && r->n != reg->reg))
         continue;
      v = state_row(s, i->thread, i->t, r);
      memcpy(bytes + (high ? 16 : 0), v.bytes, 16);
      known |= (v.known & 0xFFFF) << (high ? 16 : 0);
   }
   return known;
}
