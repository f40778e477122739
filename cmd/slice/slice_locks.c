/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locks between two threads. */

/* Owns: the pthread mutex that orders two instances, and the function with
   which a thread began.  Handed: the trace, read again.

   The name of a function tells a call of pthread_mutex_lock().  The lock is the
   first word of a mutex.  So the first atomic instruction that runs in the call
   accesses the address of the mutex.  A thread that has to wait for the mutex
   tries again by other atomic instructions at that address.  It has the mutex
   after the last of them.

   A thread that waits for a condition unlocks the mutex and locks it again, and
   also changes the condition's own words.  So such an address counts only if
   the other thread has locked or unlocked it in one of the functions for
   mutexes. */

#include "cmd/slice/slice_locks.h"

#include "cmd/base/operands.h"
#include "cmd/machine/processor.h"

#include <stdlib.h>
#include <string.h>

/* Step: the part that an instruction plays in locking.  The first
   instruction of a function for mutexes is a lock, an unlock or a wait. */
typedef enum { STEP_NONE, STEP_LOCK, STEP_UNLOCK, STEP_WAIT, STEP_ATOMIC } Step;

/* LockThread: the state of a thread. */
typedef
   struct {
      Step     in;              // the call that it executes
      uint64_t held;            // the mutex that it locked last
   }
   LockThread;

/* Unlocked: a mutex that the writer's thread unlocked after the write. */
typedef
   struct {
      uint64_t mutex;
      bool     sure;            // by a function for mutexes
   }
   Unlocked;

#define MOST_UNLOCKED 64        // between a write and a read
typedef
   struct {
      Ordered* o;
      Unlocked unlocked[MOST_UNLOCKED];
      size_t   n;
   }
   Between;

/* Return FUNCTION without leading underscores, and without "GI_", which the
   C library puts before its own name for it. */
static const char* plain_name(const char* function)
{
   while (*function == '_')
      function++;
   if (strncmp(function, "GI_", 3) == 0)
      for (function += 3; *function == '_'; )
         function++;
   return function;
}

static Step step_of_function(const char* name)
{
   static const struct { const char* name; Step step; } steps[] = {
      { "pthread_mutex_lock", STEP_LOCK },
      { "pthread_mutex_trylock", STEP_LOCK },
      { "pthread_mutex_timedlock", STEP_LOCK },
      { "pthread_mutex_clocklock", STEP_LOCK },
      { "pthread_mutex_unlock", STEP_UNLOCK },
      { "pthread_cond_wait", STEP_WAIT },
      { "pthread_cond_timedwait", STEP_WAIT },
      { "pthread_cond_clockwait", STEP_WAIT }
   };

   for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
      if (strcmp(name, steps[i].name) == 0)
         return steps[i].step;
   return STEP_NONE;
}

static bool is_other_lock(const char* name)
{
   static const char* const begins[] = { "pthread_rwlock_", "pthread_spin_",
                                         "pthread_barrier_", "sem_" };

   for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
      if (strncmp(name, begins[i], strlen(begins[i])) == 0)
         return true;
   return false;
}

/* Set STEPS, by instruction; return which kinds of locks the program has.
   Instructions of a function stand together. */
static LockKnowledge find_steps(DcfgWet* w, uint8_t* steps)
{
   const char*   last = "";
   LockKnowledge k = LOCKS_UNKNOWN;

   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      const char*         function = in->function == NULL ? "" : in->function;
      if (is_atomic(in))
         steps[i] = STEP_ATOMIC;
      if (strcmp(function, last) == 0)
         continue;
      last = function;
      function = plain_name(function);
      if (step_of_function(function) != STEP_NONE)
         steps[i] = (uint8_t)step_of_function(function);
      if (is_other_lock(function))
         k = LOCKS_OTHERS;
      else if (strncmp(function, "pthread_create", 14) == 0
               && k == LOCKS_UNKNOWN)
         k = LOCKS_SEEN;
   }
   return k;
}

static bool next_instance(DcfgWetEvents* events, DcfgWetEvent* e)
{
   DcfgError err;

   while (dcfg_wet_next(events, e, &err))
      if (e->kind == DCFG_WET_INSTR)
         return true;
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_WET));
   return false;
}

static void note_unlock(Between* b, const DcfgWetEvent* e, uint64_t mutex,
                        bool sure)
{
   const DcfgSliceCrossing* c = b->o->crossing;
   size_t i = 0;

   if (e->thread != c->from || e->time <= c->written || e->time >= c->read)
      return;
   while (i < b->n && b->unlocked[i].mutex != mutex)
      i++;
   if (i == MOST_UNLOCKED)
      return;
   if (i == b->n)
      b->unlocked[b->n++] = (Unlocked){ mutex, false };
   b->unlocked[i].sure |= sure;
}

static void note_lock(Between* b, const DcfgWetEvent* e, uint64_t mutex,
                      bool sure)
{
   const DcfgSliceCrossing* c = b->o->crossing;

   if (e->thread != c->to || e->time <= c->written || e->time >= c->read)
      return;
   for (size_t i = 0; i < b->n; i++)
      if (b->unlocked[i].mutex == mutex && (sure || b->unlocked[i].sure))
         b->o->mutex = mutex;
}

/* Take the atomic instruction E of thread T.  In a call for mutexes, E locks
   or unlocks the mutex at its address.  Outside of a call, E is another try
   to lock the mutex of T's last call. */
static void note_atomic(Between* all, size_t n, LockThread* t,
                        const DcfgWetEvent* e)
{
   uint64_t mutex = 0;
   bool     locks, unlocks;

   for (uint32_t i = 0; i < e->n_accesses && mutex == 0; i++)
      mutex = e->accesses[i];
   locks   = t->in == STEP_LOCK || t->in == STEP_WAIT
             || (t->in == STEP_NONE && t->held == mutex);
   unlocks = t->in == STEP_UNLOCK || t->in == STEP_WAIT;
   for (size_t i = 0; i < n && mutex != 0; i++) {
      if (locks)
         note_lock(&all[i], e, mutex, t->in != STEP_WAIT);
      if (unlocks)
         note_unlock(&all[i], e, mutex, t->in != STEP_WAIT);
   }
   if (t->in == STEP_LOCK)
      t->held = mutex;
   else if (t->in == STEP_UNLOCK)
      t->held = 0;
   if (t->in != STEP_WAIT)
      t->in = STEP_NONE;
}

LockKnowledge find_locks(const SliceView* v, Ordered* all, size_t n)
{
   uint32_t      n_instrs = dcfg_wet_instrs(v->w);
   uint8_t*      steps = zalloc(n_instrs + (size_t)1, 1);
   bool*         wanted = zalloc(n_instrs + (size_t)1, sizeof(bool));
   Between*      between = zalloc(n + 1, sizeof(*between));
   LockThread*   threads = zalloc(dcfg_wet_threads(v->w) + (size_t)1,
                                  sizeof(*threads));
   DcfgWetFilter f = { wanted, DCFG_NONE, 0, 0 };
   LockKnowledge k = dcfg_wet_is_window(v->w) ? LOCKS_UNKNOWN
                     : find_steps(v->w, steps);

   for (uint32_t i = 0; i < n_instrs; i++)
      wanted[i] = steps[i] != STEP_NONE;
   for (size_t i = 0; i < n; i++) {
      between[i].o = &all[i];
      if (all[i].crossing->read > f.to)
         f.to = all[i].crossing->read;
   }
   if (k != LOCKS_UNKNOWN) {
      DcfgWetEvents* events = load_events(v->w, &f);
      DcfgWetEvent   e;
      while (next_instance(events, &e))
         if (steps[e.instr] == STEP_ATOMIC)
            note_atomic(between, n, &threads[e.thread], &e);
         else
            threads[e.thread].in = steps[e.instr];
      dcfg_wet_events_free(events);
   }
   free(steps);
   free(wanted);
   free(between);
   free(threads);
   return k;
}

const char* first_function(const SliceView* v, const bool* own,
                           uint32_t thread)
{
   const DcfgWetFilter f = { own, thread, 0, UINT64_MAX };
   DcfgWetEvents* events = load_events(v->w, &f);
   DcfgWetEvent   e;
   const char*    function = NULL;

   if (next_instance(events, &e))
      function = dcfg_wet_instr(v->w, e.instr)->function;
   dcfg_wet_events_free(events);
   return function;
}
