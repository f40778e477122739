/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules of edges, counts and flow, and of functions with their calls. */

/* Owns: rules that need edges but no routines; rules of functions and pairs.
   Handed: a loaded process.

   Each instruction of a thread counts for one function itself.  What a function
   costs is its own cost and that of its pairs, unless it can be active twice.
   So functions are taken away that call nobody, again and again, and functions
   that nobody calls: those that are left may call themselves, and for them
   numbers are only compared. */

#include "cmd/check/check.h"

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
   FREE_ALL(left, first, others, ready);
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
   FREE_ALL(plain, callees);
}

static bool is_block(const Check* check, uint32_t node)
{
   return node < check->p->n_blocks;
}

static bool is_kind(const Check* check, uint32_t node, uint32_t kind)
{
   return node < check->p->n_nodes && check->p->nodes[node].kind == kind;
}

/* --- Each edge by itself                                  --- */

/* Return whether there are more specific types than this one. */
static bool is_vague(const Check* check, uint32_t type)
{
   switch (type) {
      case DCFG_EDGE_BRANCH: case DCFG_EDGE_CONDITIONAL_BRANCH:
      case DCFG_EDGE_UNCONDITIONAL_BRANCH: case DCFG_EDGE_DIRECT_BRANCH:
      case DCFG_EDGE_INDIRECT_BRANCH: case DCFG_EDGE_CALL:
      case DCFG_EDGE_UNKNOWN:
         return true;
      /* The kernel's code is not in this tool's graph. */
      case DCFG_EDGE_SYSTEM_CALL: case DCFG_EDGE_SYSTEM_RETURN:
         return check->ours;
      default:
         return false;
   }
}

/* Return whether an edge of this type may have count 0: bypasses may exist for
   the routine only. */
static bool zero_allowed(const Check* check, uint32_t type)
{
   return check->ours ? type == DCFG_EDGE_CALL_BYPASS
                        || type == DCFG_EDGE_CONTEXT_CHANGE_BYPASS
          : dcfg_is_bypass(type);
}

static void check_ends(Check* check, uint32_t edge)
{
   const DcfgEdge* e = &check->p->edges[edge];
   bool start = is_kind(check, e->source, DCFG_NODE_START);
   bool end = is_kind(check, e->target, DCFG_NODE_END);

   if (start != (e->type == DCFG_EDGE_ENTRY)
       || end != (e->type == DCFG_EDGE_EXIT) || (start && end)
       || (!start && !is_block(check, e->source))
       || (!end && !is_block(check, e->target)))
      broken(check->rules, "edge-ends", "%s", edge_label(check, edge));
}

void check_edges(Check* check)
{
   const DcfgProcess* p = check->p;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      if (e->n_counts != p->n_threads)
         broken(check->rules, "thread-count", "%s: %" PRIu32 " counts, %" PRIu32
                " threads", edge_label(check, i), e->n_counts, p->n_threads);
      if (e->count == 0 && !zero_allowed(check, e->type) && !check->ours)
         check->idle_edges++;
      else if (e->count == 0 && !zero_allowed(check, e->type))
         broken(check->rules, "edge-zero", "%s was never traversed",
                edge_label(check, i));
      if (is_vague(check, e->type))
         broken(check->rules, "edge-type-vague", "%s: a more specific type is "
                "needed", edge_label(check, i));
      if (check->ours && i > 0 && e->id <= e[-1].id)
         broken(check->rules, "order",
                "EDGES: edge %" PRIu32 " follows %" PRIu32, e->id, e[-1].id);
      check_ends(check, i);
   }
}

/*--- Flow                                                 ---*/

/* Flow: the counts of edges into and out of each node, for one thread. */
typedef
   struct {
      uint64_t* in;
      uint64_t* out;
   }
   Flow;

static void check_balance(Check* check, uint32_t node, uint32_t thread,
                          uint64_t in, uint64_t out)
{
   if (in != out)
      broken(check->rules, "conservation", "block %s, thread %" PRIu32
             ": %s in, %s out", node_label(check, node), thread, text_count(in),
             text_count(out));
}

static void check_count(Check* check, uint32_t node, uint64_t in)
{
   const DcfgNode* b = &check->p->nodes[node];

   if (in == 0 && (b->count == 0 || b->count == DCFG_NO_COUNT)
       && !check->ours) {
      check->idle_blocks++;
      return;
   }
   if (b->count == DCFG_NO_COUNT) {
      if (in == 0)
         broken(check->rules, "block-executed", "block %s was never executed",
                node_label(check, node));
      else if (check->ours)
         broken(check->rules, "block-count", "block %s has no COUNT",
                node_label(check, node));
      return;
   }
   if (b->count == 0)
      broken(check->rules, "block-executed", "block %s has COUNT 0",
             node_label(check, node));
   if (b->count != in)
      broken(check->rules, "block-count", "block %s has COUNT %" PRIu64
             ", its edges bring %" PRIu64, node_label(check, node), b->count,
             in);
}

/* Sum up one thread at a time, so that memory does not depend on their
   number. */
static void add_thread(const Check* check, Flow* f, uint32_t thread)
{
   const DcfgProcess* p = check->p;

   memset(f->in, 0, p->n_nodes * sizeof(uint64_t));
   memset(f->out, 0, p->n_nodes * sizeof(uint64_t));
   for (uint32_t i = 0; i < p->n_edges; i++) {
      uint64_t n = dcfg_edge_count(p, i, thread);
      uint32_t s = p->edges[i].source, t = p->edges[i].target;
      if (s < p->n_nodes)
         f->out[s] = capped_sum(f->out[s], n);
      if (t < p->n_nodes)
         f->in[t] = capped_sum(f->in[t], n);
   }
}

/* Return how often a thread may begin: in a sum of runs as often as the first
   thread, which all runs have. */
static uint64_t most_starts(const Check* check)
{
   const DcfgProcess* p = check->p;
   uint64_t           n = 0;

   for (uint32_t i = p->n_blocks; !check->one_run && i < p->n_nodes; i++)
      if (p->nodes[i].kind == DCFG_NODE_START)
         n = capped_sum(n, dcfg_node_outflow(p, i, 0));
   return n > 1 ? n : 1;
}

static void check_thread_flow(Check* check, const Flow* f, uint32_t thread)
{
   const DcfgProcess* p = check->p;
   uint64_t           executed = 0;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      check_balance(check, i, thread, f->in[i], f->out[i]);
      executed = capped_sum(executed,
                            capped_product(p->nodes[i].n_instrs, f->in[i]));
   }
   for (uint32_t i = p->n_blocks; i < p->n_nodes; i++) {
      bool     start = p->nodes[i].kind == DCFG_NODE_START;
      uint64_t n = start ? f->out[i] : f->in[i];
      if (!start && p->nodes[i].kind != DCFG_NODE_END)
         continue;
      if ((n > 0) != (executed > 0) || n > most_starts(check))
         broken(check->rules, "entry-exit", "thread %" PRIu32 ": %s edges have "
                "%s traversals", thread, start ? "ENTRY" : "EXIT",
                text_count(n));
   }
   if (p->thread_instrs != NULL && p->thread_instrs[thread] != executed)
      broken(check->rules, "instr-count-thread", "thread %" PRIu32
             ": INSTR_COUNT_PER_THREAD has %" PRIu64 ", its blocks %" PRIu64,
             thread, p->thread_instrs[thread], executed);
}

static void check_sums(Check* check)
{
   const DcfgProcess* p = check->p;
   uint64_t           sum = 0;

   if (p->thread_instrs == NULL) {
      if (check->ours && p->n_threads > 0)
         broken(check->rules, "thread-count",
                "INSTR_COUNT_PER_THREAD has none of "
                "the %" PRIu32 " threads that edges have", p->n_threads);
      return;
   }
   for (uint32_t i = 0; i < p->n_threads; i++)
      sum = capped_sum(sum, p->thread_instrs[i]);
   if (sum != p->instr_count)
      broken(check->rules, "instr-count", "INSTR_COUNT is %" PRIu64
             ", its threads have %" PRIu64, p->instr_count, sum);
}

bool check_flow(Check* check)
{
   const DcfgProcess* p = check->p;
   Flow               f;
   uint64_t*          sum;

   check_sums(check);
   if (p->n_edges == 0)
      return false;
   if (rules_count(check->rules, "edge-ends") > 0
       || rules_count(check->rules, "thread-count") > 0
       || rules_count(check->rules, "duplicate-id") > 0
       || rules_count(check->rules, "unknown-id") > 0
       || rules_count(check->rules, "type") > 0
       || rules_count(check->rules, "number") > 0)
      return false;             // other violations would only repeat these
   f.in = zalloc(p->n_nodes, sizeof(uint64_t));
   f.out = zalloc(p->n_nodes, sizeof(uint64_t));
   sum = zalloc(p->n_nodes, sizeof(uint64_t));
   for (uint32_t t = 0; t < p->n_threads; t++) {
      add_thread(check, &f, t);
      check_thread_flow(check, &f, t);
      for (uint32_t i = 0; i < p->n_nodes; i++)
         sum[i] = capped_sum(sum[i], f.in[i]);
   }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      check_count(check, i, sum[i]);
   FREE_ALL(f.in, f.out, sum);
   return true;
}

/* --- Edges that leave a block                             --- */

/* Ending: the kind of a block's last instruction, as its out-edges tell. */
typedef
   enum {
      ENDS_CONDITIONAL, ENDS_JUMP, ENDS_INDIRECT, ENDS_CALL,
      ENDS_INDIRECT_CALL, ENDS_RETURN, ENDS_SYSTEM, ENDS_REP, N_ENDS
   }
   Ending;

static const char* const ending_text[] = {
   "a conditional branch", "a jump", "an indirect jump", "a call",
   "an indirect call", "a return", "a system call", "a REP instruction"
};

/* Return the ending for an edge type, or N_ENDS if the type does not tell. */
static Ending ending_of(uint32_t type, bool* one_target)
{
   static const struct { uint32_t type; Ending ending; bool one; } all[] = {
      { DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH, ENDS_CONDITIONAL, true },
      { DCFG_EDGE_INDIRECT_CONDITIONAL_BRANCH, ENDS_CONDITIONAL, false },
      { DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH, ENDS_JUMP, true },
      { DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH, ENDS_INDIRECT, false },
      { DCFG_EDGE_DIRECT_CALL, ENDS_CALL, true },
      { DCFG_EDGE_INDIRECT_CALL, ENDS_INDIRECT_CALL, false },
      { DCFG_EDGE_RETURN, ENDS_RETURN, false },
      { DCFG_EDGE_SYSTEM_CALL_BYPASS, ENDS_SYSTEM, true },
      { DCFG_EDGE_REP, ENDS_REP, true }
   };
   size_t i = 0, n = sizeof(all) / sizeof(all[0]);

   while (i < n && all[i].type != type)
      i++;
   *one_target = i == n || all[i].one;
   return i == n ? N_ENDS : all[i].ending;
}

/* Return whether both are one target: blocks of several generations may have
   one address. */
static bool same_place(const Check* check, uint32_t a, uint32_t b)
{
   if (a == b)
      return true;
   return is_block(check, a) && is_block(check, b)
          && check->p->nodes[a].addr == check->p->nodes[b].addr;
}

static void check_ending(Check* check, uint32_t node)
{
   const DcfgProcess* p = check->p;
   uint32_t           n, target[N_ENDS], fall = DCFG_NONE;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);
   Ending             first = N_ENDS;

   for (int k = 0; k < N_ENDS; k++)
      target[k] = DCFG_NONE;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      bool            one;
      Ending          k = ending_of(e->type, &one);
      if (e->type == DCFG_EDGE_FALL_THROUGH) {
         if (fall != DCFG_NONE && !same_place(check, fall, e->target))
            broken(check->rules, "out-edges", "block %s: FALL_THROUGH to two "
                   "places", node_label(check, node));
         fall = e->target;
         continue;
      }
      if (k == N_ENDS)
         continue;
      if (first != N_ENDS && k != first)
         broken(check->rules, "out-edges", "block %s ends with %s and %s",
                node_label(check, node), ending_text[first], ending_text[k]);
      first = first == N_ENDS ? k : first;
      if (one && target[k] != DCFG_NONE
          && !same_place(check, target[k], e->target))
         broken(check->rules, "out-edges", "block %s: %s to two places",
                node_label(check, node), ending_text[k]);
      target[k] = e->target;
   }
   if (fall != DCFG_NONE && first != N_ENDS && first != ENDS_CONDITIONAL
       && first != ENDS_REP)
      broken(check->rules, "out-edges", "block %s: FALL_THROUGH after %s",
             node_label(check, node), ending_text[first]);
}

static bool overlap(const DcfgImage* a, const DcfgImage* b)
{
   return a->load_addr < b->load_addr + b->size
          && b->load_addr < a->load_addr + a->size;
}

/* Return whether T begins where S ends.  A block of an old generation may go on
   in the next one. */
static bool follows(const Check* check, uint32_t s, uint32_t t)
{
   const DcfgNode*  from = &check->p->nodes[s];
   const DcfgNode*  to = &check->p->nodes[t];
   const DcfgImage* im = &check->p->images[from->image];
   uint64_t         end = from->addr + from->size;

   return to->addr == end
          && (to->image == from->image || end - im->load_addr >= im->size
              || overlap(im, &check->p->images[to->image]));
}

static bool has_edge(const Check* check, const uint32_t* edges, uint32_t n,
                     uint32_t type)
{
   for (uint32_t i = 0; i < n; i++)
      if (check->p->edges[edges[i]].type == type)
         return true;
   return false;
}

static bool has_counted(const Check* check, const uint32_t* edges, uint32_t n,
                        bool (*is)(DcfgEdgeType))
{
   for (uint32_t i = 0; i < n; i++)
      if (is(check->p->edges[edges[i]].type)
          && check->p->edges[edges[i]].count > 0)
         return true;
   return false;
}

static bool is_return(DcfgEdgeType type)
{
   return type == DCFG_EDGE_RETURN;
}

/* Return the block behind AFTER in its image, where a call by AFTER returns; or
   DCFG_NONE. */
static uint32_t return_site(const Check* check, uint32_t after)
{
   const DcfgNode*  b = &check->p->nodes[after];
   const DcfgImage* im = &check->p->images[b->image];
   uint32_t         low = im->first_node;
   uint64_t         addr = b->addr + b->size;

   BISECT(low, low + im->n_nodes, middle, check->p->nodes[middle].addr < addr);
   return low < im->first_node + im->n_nodes
          && check->p->nodes[low].addr == addr ? low : DCFG_NONE;
}

/* Check call bypasses: each leads to where the call returned.  If a call
   returned, there is a bypass, unless a counted edge leads there already.
   Blocks that were never executed are not checked further. */
static void check_calls(Check* check, uint32_t node)
{
   const DcfgProcess* p = check->p;
   uint32_t           n_out, n_in = 0, site, between;
   const uint32_t*    out = dcfg_out_edges(p, node, &n_out);
   const uint32_t*    in = NULL;
   bool               called, returned;

   if (dcfg_node_outflow(p, node, DCFG_ALL_THREADS) == 0)
      return;
   called = has_counted(check, out, n_out, dcfg_is_call);
   if (!called && !has_edge(check, out, n_out, DCFG_EDGE_CALL_BYPASS))
      return;
   site = return_site(check, node);
   if (site != DCFG_NONE)
      in = dcfg_in_edges(p, site, &n_in);
   returned = has_counted(check, in, n_in, is_return);
   for (uint32_t i = 0; i < n_out; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      if (e->type != DCFG_EDGE_CALL_BYPASS)
         continue;
      if (check->ours && e->count > 0)
         broken(check->rules, "call-bypass-count", "%s is counted",
                edge_label(check, out[i]));
      else if (e->count == 0
               && (e->target != site
                   || (check->ours && (!called || !returned))))
         broken(check->rules, "call-bypass", "%s: no call returned there",
                edge_label(check, out[i]));
   }
   if (!called || !returned)
      return;
   between = dcfg_edge_between(p, node, site);
   if (between == DCFG_NONE)
      broken(check->rules, "call-bypass-missing", "from block %s to block %s",
             node_label(check, node), node_label(check, site));
}

static void check_place(Check* check, uint32_t edge)
{
   const DcfgProcess* p = check->p;
   const DcfgEdge*    e = &p->edges[edge];
   uint32_t           n_out, n_in;
   const uint32_t*    out;
   const uint32_t*    in;

   if (!is_block(check, e->source) || !is_block(check, e->target))
      return;
   switch (e->type) {
      case DCFG_EDGE_FALL_THROUGH:
         if (!follows(check, e->source, e->target))
            broken(check->rules, "fall-through",
                   "%s is not to the next address", edge_label(check, edge));
         break;
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:
         if (!follows(check, e->source, e->target))
            broken(check->rules, "system-call-bypass",
                   "%s is not to the next address", edge_label(check, edge));
         break;
      case DCFG_EDGE_REP:
         if (e->source != e->target || p->nodes[e->source].n_instrs != 1)
            broken(check->rules, "rep",
                   "%s is not from an instruction to itself",
                   edge_label(check, edge));
         break;
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS:
         out = dcfg_out_edges(p, e->source, &n_out);
         in = dcfg_in_edges(p, e->target, &n_in);
         if (check->ours && e->count > 0)
            broken(check->rules, "context-bypass", "%s is counted",
                   edge_label(check, edge));
         else if (e->count == 0
                  && (!has_edge(check, out, n_out, DCFG_EDGE_CONTEXT_CHANGE)
                      || !has_edge(check, in, n_in,
                                   DCFG_EDGE_CONTEXT_CHANGE_RETURN)))
            broken(check->rules, "context-bypass", "%s: no handler returned "
                   "there", edge_label(check, edge));
         break;
      default:
         break;
   }
}

void check_places(Check* check)
{
   for (uint32_t i = 0; i < check->p->n_blocks; i++) {
      check_ending(check, i);
      check_calls(check, i);
   }
   for (uint32_t i = 0; i < check->p->n_edges; i++)
      check_place(check, i);
}
