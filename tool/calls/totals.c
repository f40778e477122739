/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the sums of a thread, by function and by pair of caller and callee.
   Handed: activations that end, with their instructions, by
   tool/calls/stack.c.

   An instruction counts once for a function that is active, and once for a pair
   of which a call is active, however many activations there are.  So an
   activation that ends sets the sum to the one at its begin and its own cost:
   what activations inside it have added is a part of that.

   A handler's instructions are none of the functions that it interrupts.  So
   handlers have sums of their own, one set for each level of interruption.

   An episode begins with the first function of a thread or handler.  If that
   function returns, its caller was active all the time: the whole episode
   counts for it.  What its activations have added in the episode is a part of
   that. */

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "tool/calls/totals.h"

CallTotals* DCFG_(new_call_totals)(void)
{
   CallTotals* ct = VG_(calloc)("dcfg.totals", 1, sizeof(*ct));

   ct->calls = VG_(HT_construct)("dcfg.totals.calls");
   return ct;
}

CallTotals* DCFG_(totals_of_handlers)(CallTotals* ct)
{
   if (ct == NULL)
      return NULL;
   if (ct->handlers == NULL)
      ct->handlers = DCFG_(new_call_totals)();
   return ct->handlers;
}

static void add_total(Total* sum, const Total* t)
{
   sum->all    += t->all;
   sum->before += t->before;
}

void DCFG_(add_call_totals)(CallTotals* sum, const CallTotals* ct)
{
   const PairTotal* c;

   VG_(HT_ResetIter)(ct->calls);
   while ((c = VG_(HT_Next)(ct->calls)) != NULL) {
      PairTotal* pair = DCFG_(pair_total)(sum, c->caller, c->callee);
      pair->count += c->count;
      add_total(&pair->total, &c->total);
      DCFG_(function_total)(sum, c->callee)->self += c->quick;
      DCFG_(function_total)(sum, c->caller)->self -= c->quick;
   }
   for (UInt f = 0; f < ct->n_functions; f++)
      if (ct->functions[f] != NULL) {
         FunctionTotal* function = DCFG_(function_total)(sum, f);
         function->self += ct->functions[f]->self;
         add_total(&function->total, &ct->functions[f]->total);
      }
}

void DCFG_(delete_call_totals)(CallTotals* ct)
{
   if (ct->handlers != NULL)
      DCFG_(delete_call_totals)(ct->handlers);
   VG_(HT_destruct)(ct->calls, VG_(free));
   for (UInt f = 0; f < ct->n_functions; f++)
      VG_(free)(ct->functions[f]);
   DCFG_FREE_ALL(ct->functions, ct);
}

static void clear(Total* t)
{
   t->all = t->before = 0;
}

void DCFG_(note_told_totals)(CallTotals* ct, CallTotals* written)
{
   PairTotal* c;

   if (ct->handlers != NULL)
      DCFG_(note_told_totals)(ct->handlers, written);
   VG_(HT_ResetIter)(ct->calls);
   while ((c = VG_(HT_Next)(ct->calls)) != NULL)
      c->told = DCFG_(pair_total)(written, c->caller, c->callee)->total.all > 0;
}

void DCFG_(clear_call_totals)(CallTotals* ct, Bool carry)
{
   PairTotal* c;

   if (ct->handlers != NULL)
      DCFG_(clear_call_totals)(ct->handlers, carry);
   VG_(HT_ResetIter)(ct->calls);
   while ((c = VG_(HT_Next)(ct->calls)) != NULL) {
      if (!carry || c->told)
         c->count = 0;
      c->told = False;
      c->quick = 0;
      clear(&c->total);
   }
   for (UInt f = 0; f < ct->n_functions; f++)
      if (ct->functions[f] != NULL) {
         ct->functions[f]->self = 0;
         clear(&ct->functions[f]->total);
      }
}

FunctionTotal* DCFG_(new_function_total)(CallTotals* ct, UInt f)
{
   UInt n = f + 256;

   if (f >= ct->n_functions) {
      ct->functions = VG_(realloc)("dcfg.totals.functions", ct->functions,
                                   n * sizeof(FunctionTotal*));
      VG_(memset)(ct->functions + ct->n_functions, 0,
                  (n - ct->n_functions) * sizeof(FunctionTotal*));
      ct->n_functions = n;
   }
   ct->functions[f] = VG_(calloc)("dcfg.totals.function", 1,
                                  sizeof(FunctionTotal));
   ct->functions[f]->function = f;
   return ct->functions[f];
}

void DCFG_(begin_episode)(CallTotals* ct)
{
   PairTotal* c;

   for (UInt f = 0; f < ct->n_functions; f++)
      if (ct->functions[f] != NULL)
         ct->functions[f]->total.before = ct->functions[f]->total.all;
   VG_(HT_ResetIter)(ct->calls);
   while ((c = VG_(HT_Next)(ct->calls)) != NULL)
      c->total.before = c->total.all;
}

static Word cmp_pairs(const void* va, const void* vb)
{
   const PairTotal* a = va;
   const PairTotal* b = vb;
   return a->caller != b->caller || a->callee != b->callee;
}

PairTotal* DCFG_(search_pair_total)(CallTotals* ct, UInt caller, UInt callee)
{
   PairTotal  key = { .hash_key = (UWord)caller * 1000003 + callee,
                      .caller = caller, .callee = callee };
   PairTotal* c   = VG_(HT_gen_lookup)(ct->calls, &key, cmp_pairs);

   if (c == NULL) {
      c  = VG_(malloc)("dcfg.totals.call", sizeof(*c));
      *c = key;
      VG_(HT_add_node)(ct->calls, c);
   }
   ct->recent[(caller * 31 + callee) % DCFG_RECENT_TOTALS] = c;
   return c;
}
