/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The state of a recorded program at any time: its threads. */

/* Owns: the threads that exist at a time, their program counters, the cache of
   computed values.  Handed: a whole execution trace that has an index.  Taken
   by: state_registers.c, state_memory.c, cmd/gdb/. */

#include "cmd/state/program_state.h"

#include "cmd/base/cmd.h"

#include <stdlib.h>
#include <string.h>

/* Find the first and the last time of each thread.  Return false if the trace
   cannot be read. */
static bool find_threads(ProgramState* s)
{
   uint64_t end = dcfg_replay_end(s->replay);

   s->n_threads = dcfg_wet_threads(s->w);
   s->threads   = zalloc(s->n_threads + (size_t)1, sizeof(*s->threads));
   for (uint32_t i = 0; i < s->n_threads; i++) {
      StateThread*    t = &s->threads[i];
      DcfgReplayFound found = dcfg_replay_find_thread(s->replay, i, 0, false,
                                                      &t->first);
      if (found == DCFG_REPLAY_FOUND)
         found = dcfg_replay_find_thread(s->replay, i, end, true, &t->last);
      if (found == DCFG_REPLAY_FAILED)
         return false;
      if (found != DCFG_REPLAY_FOUND) {
         t->first = UINT64_MAX;
         t->last  = 0;
      }
   }
   return true;
}

/* Return whether the trace begins with the program.  A file of version 3 does
   not say: then it does unless it is a ring's window. */
static bool begins_program(const ProgramState* s)
{
   const DcfgWetState* state = dcfg_wet_state(s->w);

   return state != NULL && state->known ? state->at_start
          : !dcfg_wet_is_window(s->w);
}

ProgramState* state_make(DcfgWet* w, const char* root, const StateAsk* ask,
                         DcfgError* err)
{
   ProgramState*   s = zalloc(1, sizeof(*s));
   uint32_t n = dcfg_wet_instrs(w);

   s->ask       = ask;
   s->w         = w;
   s->processor = processor_of(w);
   s->rules     = s->processor->state;
   s->word      = n > 0 && dcfg_wet_instr(w, 0)->address_size == 4 ? 0x0F
                  : 0xFF;
   s->replay    = dcfg_replay_new(w, err);
   if (s->replay == NULL) {
      free(s);
      return NULL;
   }
   if (!find_threads(s)) {
      dcfg_replay_error(s->replay, err);
      dcfg_replay_free(s->replay);
      free(s->threads);
      free(s);
      return NULL;
   }
   s->made   = zalloc(N_MADE, sizeof(*s->made));
   s->whole  = begins_program(s);
   s->images = image_memory(w, s->replay, root);
   s->roles  = roles_new(w);
   s->copies = s->roles.loads;
   s->addrs  = zalloc(n + (size_t)1, sizeof(uint64_t));
   for (uint32_t i = 0; i < n; i++)
      s->addrs[i] = dcfg_wet_instr(w, i)->addr;
   return s;
}

void state_free(ProgramState* s)
{
   if (s == NULL)
      return;
   for (unsigned o = 0; o < N_OTHERS; o++)
      dcfg_replay_set_free(s->replay, s->writers[o]);
   dcfg_replay_free(s->replay);
   image_bytes_free(&s->images);
   roles_free(&s->roles);
   free(s->addrs);
   free(s->may_write);
   free(s->made);
   free(s->threads);
   free(s);
}

void state_listen(ProgramState* s, bool (*stop)(void* arg), void* arg)
{
   s->stop     = stop;
   s->stop_arg = arg;
   dcfg_replay_listen(s->replay, stop, arg);
}

bool state_is_stopped(const ProgramState* s)
{
   return s->stop != NULL && s->stop(s->stop_arg);
}

bool state_has_thread(const ProgramState* s, uint32_t thread, uint64_t t)
{
   uint64_t end = dcfg_replay_end(s->replay);

   if (thread >= s->n_threads || s->threads[thread].first == UINT64_MAX)
      return false;
   return (t >= s->threads[thread].first || s->threads[thread].first == 0)
          && (t <= s->threads[thread].last
              || (t == end && s->threads[thread].last + 1 == end));
}

bool state_thread_at(ProgramState* s, uint64_t t, uint32_t* thread)
{
   uint64_t               end = dcfg_replay_end(s->replay);
   const DcfgReplayInstr* at;

   if (end == 0)
      return false;
   at = dcfg_replay_instr(s->replay, t < end ? t : end - 1);
   if (at != NULL)
      *thread = at->thread;
   return at != NULL;
}

bool state_next_instr(ProgramState* s, uint32_t thread, uint64_t t,
                      uint32_t* instr, uint64_t* at)
{
   const DcfgReplayInstr* i;

   if (dcfg_replay_find_thread(s->replay, thread, t, false, at)
       != DCFG_REPLAY_FOUND)
      return false;
   i = dcfg_replay_instr(s->replay, *at);
   if (i != NULL)
      *instr = i->instr;
   return i != NULL;
}

bool state_pc(ProgramState* s, uint32_t thread, uint64_t t, uint64_t* pc)
{
   uint32_t instr;
   uint64_t at;

   if (state_next_instr(s, thread, t, &instr, &at)) {
      *pc = s->addrs[instr];
      return true;
   }
   return s->threads[thread].last + 1 == dcfg_replay_end(s->replay)
          && dcfg_replay_last_address(s->replay, pc);
}

/*--- The cache of computed values                         ---*/

/* Return the cache's entry for time T and register N, which others share. */
static MadeValue* made_value(const ProgramState* s, uint64_t t, unsigned n)
{
   return &s->made[(t * 31 + n * 0x9E5u) % N_MADE];
}

bool state_is_made(const ProgramState* s, uint64_t t, unsigned n, StateValue* v)
{
   const MadeValue* m = made_value(s, t, n);

   if (m->time != t + 1 || m->n != n)
      return false;
   *v = m->value;
   return true;
}

void state_keep_made(ProgramState* s, uint64_t t, unsigned n,
                     const StateValue* v)
{
   *made_value(s, t, n) = (MadeValue){ t + 1, n, *v };
}

void state_doubt(ProgramState* s)
{
   s->doubts = true;
   dcfg_replay_doubt(s->replay);
   memset(s->made, 0, N_MADE * sizeof(*s->made));
   memset(s->others, 0, sizeof(s->others));
   s->x87.there = false;
   for (uint32_t k = 0; k < s->n_threads; k++)
      memset(s->threads[k].general, 0, sizeof(s->threads[k].general));
}
