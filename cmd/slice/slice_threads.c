/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values that went from thread to thread. */

/* Owns: the column of threads, the nearest values that one thread wrote and
   another one read, and the pthread mutex that orders the two.  Handed: a
   slice; for the mutexes, its trace, read again.

   Values that the program's own code wrote and read come first.  Values that a
   library hands from thread to thread say less about the program.

   The name of a function tells a call of pthread_mutex_lock().  The lock is the
   first word of a mutex.  So the first atomic instruction that runs in the call
   accesses the address of the mutex.  A thread that has to wait for the mutex
   tries again by other atomic instructions at that address.  It has the mutex
   after the last of them.

   A thread that waits for a condition unlocks the mutex and locks it again, and
   also changes the condition's own words.  So such an address counts only if
   the other thread has locked or unlocked it in one of the functions for
   mutexes. */

#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"
#include "cmd/program/debug.h"
#include "cmd/slice/slice_threads.h"
#include "cmd/slice/slice_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Ordered: a crossing, and the mutex that lies between its write and its
   read. */
typedef
   struct {
      const DcfgSliceCrossing* crossing;
      uint64_t mutex;           // its address; 0: none
   }
   Ordered;

/* LockKnowledge: the kinds of locks that the program has. */
typedef
   enum {
      LOCKS_UNKNOWN,            // functions have no names, or W is a window
      LOCKS_SEEN,               // no locks but mutexes
      LOCKS_OTHERS              // also others, which are not searched
   }
   LockKnowledge;

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

/* Set .mutex of each of the N crossings ALL.  Among the mutexes that the
   writer's thread unlocked after the write and the reader's thread locked
   before the read, it is the one that the reader locked last.  Reads the
   trace once, up to the last read. */
static LockKnowledge find_locks(const SliceView* v, Ordered* all, size_t n)
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

/* Return the function that THREAD executed first, among instructions that
   OWN marks; NULL if there is none, or if it has no name. */
static const char* first_function(const SliceView* v, const bool* own,
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

#define MOST_CROSSINGS 5

/*--- The column                                           ---*/

bool slice_has_threads(const SliceView* v)
{
   uint64_t all = 0;

   for (uint32_t i = 0; i < dcfg_wet_instrs(v->w); i++)
      all |= v->s->totals[i].threads;
   return (all & (all - 1)) != 0;
}

void slice_put_threads_head(FILE* out)
{
   fprintf(out, "%*s", THREADS_WIDTH, "thread");
}

/* Write THREADS as "1", "0,2" or "0-3".  Of many threads, write the first
   ones and how many more there are. */
void slice_put_threads(FILE* out, uint64_t threads)
{
   unsigned    n = (unsigned)__builtin_popcountll(threads);
   unsigned    first = (unsigned)__builtin_ctzll(threads | UINT64_C(1) << 63);
   unsigned    last = 63 - (unsigned)__builtin_clzll(threads | 1);
   const char* text = "";

   if (n > 2 && last - first + 1 == n && last < 63)
      text = text_format("%u-%u", first, last);
   else
      for (unsigned t = first, told = 0; t <= last; t++) {
         if (!(threads >> t & 1))
            continue;
         if (n > 3 && told == 2) {
            text = text_format("%s+%u", text, n - told);
            break;
         }
         text = text_format(t == 63 ? "%s%s63.." : "%s%s%u", text,
                            told++ == 0 ? "" : ",", t);
      }
   fprintf(out, "%*s", THREADS_WIDTH, text);
}

/*--- Crossings                                            ---*/

/* Shown: the nearest crossing between two places. */
typedef
   struct {
      const DcfgSliceCrossing* c;
      const char* writer;       // place of the writer, in words
      const char* reader;
      bool        library;      // one of the places is a library's
   }
   Shown;

/* Return, by instruction, whether it is the program's own.  The caller frees
   the array. */
static bool* find_own(const SliceView* v)
{
   const char* program = wet_program(v->w);
   uint32_t    n = dcfg_wet_instrs(v->w);
   bool*       own = zalloc(n + (size_t)1, sizeof(*own));

   for (uint32_t i = 0; i < n; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
      own[i] = is_of_program(in->image_name, program, v->own)
               && !is_of_system(in->source);
   }
   return own;
}

/* If any code in OWN has source lines, remove code that has none: start-up
   code, stubs and the like. */
static void keep_lines(const SliceView* v, bool* own)
{
   uint32_t n = dcfg_wet_instrs(v->w);
   bool     lines = false;

   for (uint32_t i = 0; i < n; i++)
      lines |= own[i] && dcfg_wet_instr(v->w, i)->line != 0;
   for (uint32_t i = 0; i < n && lines; i++)
      own[i] &= dcfg_wet_instr(v->w, i)->line != 0;
}

static const char* place_of(const SliceView* v, uint32_t instr)
{
   const DcfgWetInstr in = *dcfg_wet_instr(v->w, instr);
   const char*        place = slice_place(&in);

   return place[0] != 0 ? place : text_format("0x%" PRIx64, in.addr);
}

/* Return the crossings that are shown, each pair of places and threads once,
   and set *N to their number.  The program's come first.  Among these, a
   pair of places comes with its nearest threads first, and later with
   others.  The caller frees the array. */
static Shown* find_shown(const SliceView* v, const bool* own, size_t* n)
{
   Shown* all = zalloc(v->s->n_crossings + (size_t)1, sizeof(*all));

   *n = 0;
   for (int pass = 0; pass < 4; pass++)
      for (uint32_t i = 0; i < v->s->n_crossings; i++) {
         const DcfgSliceCrossing* c = &v->s->crossings[i];
         Shown  row = { c, place_of(v, c->writer), place_of(v, c->reader),
                        !own[c->writer] || !own[c->reader] };
         size_t k = 0;
         if (row.library != (pass >= 2))
            continue;
         while (k < *n && (strcmp(all[k].writer, row.writer) != 0
                           || strcmp(all[k].reader, row.reader) != 0
                           || (pass % 2 == 1 && (all[k].c->from != c->from
                                                 || all[k].c->to != c->to))))
            k++;
         if (k == *n)
            all[(*n)++] = row;
      }
   return all;
}

/* Return THREAD with the function of OWN that it began with, as "1
   (worker)". */
static const char* thread_text(const SliceView* v, const bool* own,
                               uint32_t thread)
{
   const char* name = NULL;

   for (uint32_t i = 0; i < dcfg_wet_instrs(v->w) && thread == 0; i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(v->w, i);
      if (own[i] && in->function != NULL && strcmp(in->function, "main") == 0)
         name = in->function;
   }
   if (thread > 0)
      name = first_function(v, own, thread);
   return name == NULL ? text_format("%" PRIu32, thread)
          : text_format("%" PRIu32 " (%s)", thread,
                        text_clean(text_brief(text_demangle(name))));
}

const char* slice_thread(const SliceView* v, uint32_t thread)
{
   bool*       own = find_own(v);
   const char* text;

   keep_lines(v, own);
   text = thread_text(v, own, thread);
   free(own);
   return text;
}

static const char* lock_text(const SliceView* v,
                             const Ordered* o, LockKnowledge k)
{
   const char* name;

   if (k == LOCKS_UNKNOWN)
      return "whether a lock lies between is not known";
   if (o->mutex == 0)
      return k == LOCKS_SEEN ? "no lock of pthread's lies between"
             : "no mutex of pthread's lies between";
   name = variable_at(v->found->program, o->mutex, o->crossing->read);
   return name != NULL ? text_format("ordered by mutex %s", name)
          : text_format("ordered by mutex 0x%" PRIx64, o->mutex);
}

/* Return what else the trace shows of the order, such as "; thread 1 began
   after the write". */
static const char* life_text(const DcfgSlice* s, const DcfgSliceCrossing* c)
{
   if (s->thread_begins[c->to] > c->written)
      return text_format("; thread %" PRIu32 " began after the write", c->to);
   if (s->thread_ends[c->from] < c->read)
      return text_format("; the read came after thread %" PRIu32 "'s last "
                         "instruction", c->from);
   return "";
}

void slice_put_crossings(FILE* out, const SliceView* v)
{
   bool*         own = find_own(v);
   size_t        n, shown;
   Shown*        all;
   Ordered*      ordered;
   LockKnowledge k;

   keep_lines(v, own);
   all     = find_shown(v, own, &n);
   shown   = n < MOST_CROSSINGS ? n : MOST_CROSSINGS;
   while (shown > 0 && all[shown - 1].library && !all[0].library)
      shown--;
   ordered = zalloc(shown + 1, sizeof(*ordered));
   for (size_t i = 0; i < shown; i++)
      ordered[i].crossing = all[i].c;
   k = shown == 0 ? LOCKS_UNKNOWN : find_locks(v, ordered, shown);
   for (size_t i = 0; i < shown; i++) {
      const DcfgSliceCrossing* c = all[i].c;
      fprintf(out, "%s%s reads what %s wrote: written by thread %s, read by "
              "thread %s; %s%s\n", i == 0 ? "\n" : "", all[i].reader,
              all[i].writer, thread_text(v, own, c->from),
              thread_text(v, own, c->to), lock_text(v, &ordered[i], k),
              life_text(v->s, c));
   }
   if (n > shown && shown > 0)
      fprintf(out, "%s more went from thread to thread\n",
              text_count(n - shown));
   free(ordered);
   free(all);
   free(own);
}
