/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules of CALLS. */

/* Owns: rules of functions and pairs.  Handed: a loaded process.

   Each instruction of a thread counts for one function itself.  What a function
   costs is its own cost and that of its pairs, unless it can be active twice.
   So functions are taken away that call nobody, again and again, and functions
   that nobody calls: those that are left may call themselves, and for them
   numbers are only compared. */

#include "cmd/check/check.h"

#include <inttypes.h>
#include <stdlib.h>

static const char* function_label(const Check* check, uint32_t function)
{
   const DcfgFunction* f = &check->p->calls->functions[function];

   return text_format("function %" PRIu32 " (0x%" PRIx64 ")", f->id, f->addr);
}

/* Check the lengths of lists, and the order of rows. */
static void check_lists(Check* check)
{
   const DcfgProcess*  p = check->p;
   const DcfgCallSums* c = p->calls;

   for (uint32_t i = 0; i < c->n_functions; i++) {
      const DcfgFunction* f = &c->functions[i];
      if (f->n_self != p->n_threads || f->n_inclusive != p->n_threads)
         broken(check->rules, "thread-count", "%s: %" PRIu32 " and %" PRIu32
                " costs, %" PRIu32 " threads", function_label(check, i),
                f->n_self, f->n_inclusive, p->n_threads);
      if (check->ours && i > 0 && f->id <= f[-1].id)
         broken(check->rules, "order", "FUNCTIONS: function %" PRIu32
                " follows %" PRIu32, f->id, f[-1].id);
   }
   for (uint32_t i = 0; i < c->n_pairs; i++) {
      const DcfgPair* pair = &c->pairs[i];
      if (pair->n_calls != p->n_threads || pair->n_inclusive != p->n_threads)
         broken(check->rules, "thread-count", "row %" PRIu32 " of PAIRS: %"
                PRIu32 " and %" PRIu32 " numbers, %" PRIu32 " threads", i + 1,
                pair->n_calls, pair->n_inclusive, p->n_threads);
      if (check->ours && i > 0
          && (pair->caller < pair[-1].caller
              || (pair->caller == pair[-1].caller
                  && pair->callee <= pair[-1].callee)))
         broken(check->rules, "order", "PAIRS: row %" PRIu32
                " belongs before the one above", i + 1);
   }
}

/*--- Which functions can call themselves                  ---*/

/* Set the elements of PLAIN of functions that are taken away: those that call
   nobody who is left; or, BY_CALLERS, that nobody who is left calls. */
static void take_away(const DcfgCallSums* c, bool by_callers, bool* plain)
{
   uint32_t* left = zalloc(c->n_functions, sizeof(*left));
   uint32_t* first = zalloc(c->n_functions + (size_t)2, sizeof(*first));
   uint32_t* others = zalloc(c->n_pairs, sizeof(*others));
   uint32_t* ready = zalloc(c->n_functions, sizeof(*ready));
   uint32_t  n = 0;

   for (uint32_t i = 0; i < c->n_pairs; i++) {
      const DcfgPair* p = &c->pairs[i];
      left[by_callers ? p->callee : p->caller]++;
      first[(by_callers ? p->caller : p->callee) + 2]++;
   }
   for (uint32_t i = 2; i < c->n_functions + 2; i++)
      first[i] += first[i - 1];
   for (uint32_t i = 0; i < c->n_pairs; i++) {
      const DcfgPair* p = &c->pairs[i];
      others[first[(by_callers ? p->caller : p->callee) + 1]++]
         = by_callers ? p->callee : p->caller;
   }
   for (uint32_t i = 0; i < c->n_functions; i++)
      if (left[i] == 0)
         ready[n++] = i;
   for (uint32_t done = 0; done < n; done++) {
      uint32_t f = ready[done];
      plain[f] = true;
      for (uint32_t k = first[f]; k < first[f + 1]; k++)
         if (--left[others[k]] == 0)
            ready[n++] = others[k];
   }
   free(left);
   free(first);
   free(others);
   free(ready);
}

/*--- Costs                                                ---*/

static void check_inclusive(Check* check, uint32_t function, uint32_t thread,
                            uint64_t callees, bool plain)
{
   uint64_t self = dcfg_function_self(check->p, function, thread);
   uint64_t all = dcfg_function_inclusive(check->p, function, thread);

   if (plain && capped_sum(self, callees) != all)
      broken(check->rules, "calls-inclusive", "%s, thread %" PRIu32
             ": %s itself and %s in its calls, but %s altogether",
             function_label(check, function), thread, text_count(self),
             text_count(callees), text_count(all));
   else if (self > all)
      broken(check->rules, "calls-inclusive", "%s, thread %" PRIu32
             ": %s itself, but %s altogether", function_label(check, function),
             thread, text_count(self), text_count(all));
}

/* Check thread THREAD.  CALLEES has room for a number for each function. */
static void check_thread(Check* check, uint32_t thread, const bool* plain,
                         uint64_t* callees)
{
   const DcfgProcess*  p = check->p;
   const DcfgCallSums* c = p->calls;
   uint64_t            sum = 0;

   for (uint32_t i = 0; i < c->n_functions; i++) {
      callees[i] = 0;
      sum = capped_sum(sum, dcfg_function_self(p, i, thread));
   }
   if (p->thread_instrs != NULL && sum != p->thread_instrs[thread])
      broken(check->rules, "calls-self", "thread %" PRIu32
             ": INSTR_COUNT_PER_THREAD has %s, functions of CALLS have %s",
             thread, text_count(p->thread_instrs[thread]), text_count(sum));
   for (uint32_t i = 0; i < c->n_pairs; i++) {
      const DcfgPair* pair = &c->pairs[i];
      uint64_t        n = dcfg_pair_inclusive(p, i, thread);
      callees[pair->caller] = capped_sum(callees[pair->caller], n);
      if (n > dcfg_function_inclusive(p, pair->caller, thread)
          || n > dcfg_function_inclusive(p, pair->callee, thread))
         broken(check->rules, "calls-pair", "row %" PRIu32 " of PAIRS, thread %"
                PRIu32 ": calls cost %s, more than the caller or the callee "
                "costs altogether", i + 1, thread, text_count(n));
   }
   for (uint32_t i = 0; i < c->n_functions; i++)
      check_inclusive(check, i, thread, callees[i], plain[i]);
}

void check_call_sums(Check* check)
{
   const DcfgProcess* p = check->p;
   bool*              plain;
   uint64_t*          callees;

   if (p->calls == NULL)
      return;
   check_lists(check);
   if (rules_count(check->rules, "thread-count") > 0
       || rules_count(check->rules, "unknown-id") > 0
       || rules_count(check->rules, "duplicate-id") > 0
       || rules_count(check->rules, "type") > 0
       || rules_count(check->rules, "number") > 0)
      return;                   // other violations would only repeat these
   plain = zalloc(p->calls->n_functions, sizeof(*plain));
   callees = zalloc(p->calls->n_functions, sizeof(*callees));
   take_away(p->calls, false, plain);
   take_away(p->calls, true, plain);
   for (uint32_t t = 0; t < p->n_threads; t++)
      check_thread(check, t, plain, callees);
   free(plain);
   free(callees);
}
