/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the stacks of calls of a page. */

/* Owns: the columns of stacks: of all threads, of each thread, of the older
   run.  Handed: traces, or an XRay log. */

#include "cmd/view/view.h"

#include "cmd/inline/inline_stacks.h"
#include "cmd/shared/log_stacks.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_STACKS  40000      // in the page
#define MOST_THREADS 64         // with more, no thread has its own stacks

COMPARE(by_count, uint64_t, ORDER(*y, *x))

/* Return the larger total of the two runs. */
static uint64_t larger(const Stack* s)
{
   return s->total[0] > s->total[1] ? s->total[0] : s->total[1];
}

/* Return the least total that a stack in the page must have, so that there are
   no more than MOST_STACKS. */
static uint64_t least_total(const StackTree* t)
{
   uint64_t* totals;
   uint64_t  least = 1;

   if (t->n <= MOST_STACKS)
      return 1;
   totals = zalloc(t->n, sizeof(*totals));
   for (uint32_t i = 0; i < t->n; i++)
      totals[i] = larger(&t->stacks[i]);
   qsort(totals, t->n, sizeof(*totals), by_count);
   least = totals[MOST_STACKS] + 1;
   free(totals);
   return least;
}

/* Add the stacks of TRACE to run RUN, 0 or 1, of T: those of THREAD; of all
   threads if that is NOT_GIVEN. */
static void add_thread(StackTree* t, const Functions* f, const char* trace,
                       InlineView* inlined, uint64_t thread, int run)
{
   Select     what = SELECT_ALL;
   Selection* sel;

   what.thread = thread;
   sel = selection_new(&f->g, &what);
   if (inlined != NULL)
      tree_add_inlined(t, f, trace, sel, inlined, run, INLINED_SUFFIX);
   else
      tree_add(t, f, trace, sel, run);
   selection_free(sel);
}

/* ThreadStacks: the stacks of a thread, as pairs: the stack's number in the
   tree, and the instructions that the thread executed in it. */
typedef
   struct {
      uint64_t* numbers;
      size_t    n, room;
   }
   ThreadStacks;

/* Return the stacks of each thread, to be freed; NULL if there is only one
   thread, or more than MOST_THREADS.  T has the stacks of all threads.  Its
   second run, which this uses, is empty before and afterwards. */
static ThreadStacks* thread_stacks(const RunView* v, StackTree* t)
{
   uint32_t      n = v->p->n_threads;
   ThreadStacks* all;

   if (n < 2 || n > MOST_THREADS)
      return NULL;
   all = zalloc(n, sizeof(*all));
   for (uint32_t k = 0; k < n; k++) {
      add_thread(t, v->f, v->trace, v->inlined, k, 1);
      for (uint32_t i = 0; i < t->n; i++) {
         if (t->stacks[i].self[1] == 0)
            continue;
         GROW(all[k].numbers, all[k].n, all[k].room);
         all[k].numbers[all[k].n++] = i;
         GROW(all[k].numbers, all[k].n, all[k].room);
         all[k].numbers[all[k].n++] = t->stacks[i].self[1];
         t->stacks[i].self[1] = 0;
      }
   }
   return all;
}

/* Write the stacks of each thread, and free them.  If a stack is not in the
   page, take the nearest stack below it that is there, number N, and write -1 -
   N. */
static void put_threads(const RunView* v, const StackTree* t,
                        const uint32_t* number, const bool* kept,
                        ThreadStacks* all)
{
   page_column(v->out, "sThreads");
   for (uint32_t k = 0; all != NULL && k < v->p->n_threads; k++) {
      page_between(v->out, k == 0);
      putc('[', v->out);
      for (size_t i = 0; i < all[k].n; i += 2) {
         uint32_t s = (uint32_t)all[k].numbers[i];
         while (!kept[s])
            s = t->stacks[s].parent;
         page_between(v->out, i == 0);
         fprintf(v->out, "%" PRId64 ",", s == all[k].numbers[i]
                 ? (int64_t)number[s] : -1 - (int64_t)number[s]);
         view_count(v->out, all[k].numbers[i + 1]);
      }
      putc(']', v->out);
      free(all[k].numbers);
   }
   putc(']', v->out);
   free(all);
}

typedef enum { TOTAL, SELF } StackCount;

static void put_stack_counts(const RunView* v, const StackTree* t,
                             const bool* kept, const char* name, int run,
                             StackCount which)
{
   bool first = true;

   page_column(v->out, name);
   for (uint32_t i = 0; i < t->n; i++) {
      if (!kept[i])
         continue;
      page_between(v->out, first);
      first = false;
      view_count(v->out, which == TOTAL ? t->stacks[i].total[run]
                 : t->stacks[i].self[run]);
   }
   putc(']', v->out);
}

/* Write names and parents of the stacks.  A parent stands before its
   children. */
static void put_tree(const RunView* v, const StackTree* t, const bool* kept,
                     const uint32_t* number)
{
   bool first = true;

   page_column(v->out, "sName");
   for (uint32_t i = 0; i < t->n; i++)
      if (kept[i]) {
         page_between(v->out, i == 0);
         page_number(v->out, page_text(v->texts, i == 0 ? "all"
                                       : t->stacks[i].name));
      }
   putc(']', v->out);
   page_column(v->out, "sParent");
   for (uint32_t i = 0; i < t->n; i++)
      if (kept[i]) {
         page_between(v->out, first);
         first = false;
         page_number(v->out, number[t->stacks[i].parent]);
      }
   putc(']', v->out);
}

/* Add the older run's stacks, with frames of inlined functions if the newer run
   has them. */
static void add_old(const RunView* v, StackTree* t)
{
   Select      what = SELECT_ALL;
   Selection*  sel;
   InlineView* inlined = NULL;

   what.inlined = true;
   sel = selection_new(&v->old->g, &what);
   if (v->inlined != NULL)
      inlined = inline_view_new(&v->old->g, &what, sel, v->root);
   add_thread(t, build_functions(v->old->builds, 0), v->old->trace, inlined,
              NOT_GIVEN, 1);
   inline_view_free(inlined);
   selection_free(sel);
}

void view_stacks(const RunView* v)
{
   StackTree*    t;
   ThreadStacks* threads;
   uint64_t      least;
   uint32_t      n = 0;
   uint32_t*     number;
   bool*         kept;
   bool          two = v->trace != NULL && v->old != NULL
                       && v->old->trace != NULL;

   if (v->trace == NULL && v->log == NULL)
      return;
   t = tree_new();
   if (v->trace != NULL)
      add_thread(t, v->f, v->trace, v->inlined, NOT_GIVEN, 0);
   else
      tree_add_log(t, v->log, NULL, v->g.mangled, 0);
   threads = v->trace != NULL ? thread_stacks(v, t) : NULL;
   if (two)
      add_old(v, t);
   free(tree_finish(t));
   least  = least_total(t);
   number = zalloc(t->n, sizeof(*number));
   kept   = zalloc(t->n, sizeof(*kept));
   for (uint32_t i = 0; i < t->n; i++) {
      kept[i] = i == 0 || larger(&t->stacks[i]) >= least;
      if (kept[i])
         number[i] = n++;
   }
   put_tree(v, t, kept, number);
   put_stack_counts(v, t, kept, "sTotal", 0, TOTAL);
   put_stack_counts(v, t, kept, "sSelf", 0, SELF);
   if (two) {
      put_stack_counts(v, t, kept, "sOldTotal", 1, TOTAL);
      put_stack_counts(v, t, kept, "sOldSelf", 1, SELF);
   }
   put_threads(v, t, number, kept, threads);
   fprintf(v->out, ",\"stacksLeft\":%" PRIu32, t->n - n);
   free(number);
   free(kept);
   tree_free(t);
}
