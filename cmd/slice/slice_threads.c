/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads of a slice. */

/* Owns: the column of threads, and values that went from thread to thread.
   Handed: a slice.

   Values that the program's own code wrote and read come first.  Values that a
   library hands from thread to thread say less about the program. */

#include "cmd/slice/slice_threads.h"

#include "cmd/base/format.h"
#include "cmd/base/own.h"
#include "cmd/program/recording.h"
#include "cmd/slice/slice_locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
