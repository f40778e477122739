/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The path of a thread in phrases, many edges at a step. */

/* Owns: tables that make parsing take few steps for many edges.  Handed: the
   record by tool/trace/replay.c, trees of phrases by tool/trace/phrase.c.
   dcfg_trace_enc.c reads through tool/trace/output_trace.c.

   The trees tell which edges may come next, and the graph tells which bits
   mean them.  This file combines both.  For each phrase so far, a node of a
   tree, it stores which bit leads to which longer phrase.  For phrases that
   are met often, a table tells how far each value of the record's next bits
   leads, as in the decoding of Huffman codes.  Where the record has more than
   bits, tool/trace/replay.c goes on step by step. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/trace/replay.h"

/* The bits that a table looks up, and the visits after which it is made.  What
   is often used of all tables must stay in a processor's cache. */
#define TABLE_BITS  5
#define TABLE_SIZE  (1u << TABLE_BITS)
#define HOT         24
#define MAX_TABLES  16384u

/* The largest numbers of bits and of further targets that are read in one
   step. */
#define MAX_BITS    40
#define MAX_TARGETS 255

/* The most edges of a phrase that a lead completes. */
#define LONGEST     1000u

/* State: a phrase so far, and how it continues. */
typedef
   struct {
      UInt  node;        // the decision that it leads to, or NodeEnd; 0: the
                         // rest is not known yet
      Bool  is_bit;      // is only a bit recorded there?
      Bool  is_target;   // or a target?
      UChar visits;
      /* For each value of the bit; [0] for the target that came last: */
      UChar n_bits[2];     // bits to read
      UChar n_targets[2];  // further targets to read on the way
      UInt  next[2];       // the longer phrase; 0: none, or it takes more
      UInt  number;      // the target's number + 1; 0: none
      UInt  table;       // number from 1; 0: none
      UInt  root;        // the context behind it; 0: not known yet
   }
   State;

/* Lead: the result of a table.  Its size counts, because loading leads is what
   takes time. */
typedef
   struct {
      UInt complete  : 24;  // the phrase that is complete on the way, or 0
      UInt n_targets : 8;   // further targets to read on the way
      UInt n_bits    : 6;   // bits read
      UInt is_table  : 1;
      UInt is_target : 1;   // does the phrase then continue with a target?
      UInt next      : 24;  // the phrase then, or its table; 0: not known yet
   }
   Lead;

/* .n_bits of a lead that is known to lead nowhere. */
#define NOWHERE 63u

/* The largest phrase in a lead. */
#define MAX_NEXT ((1u << 24) - 1)

/* TargetLead: the result for a target. */
typedef
   struct {
      Lead lead;
      UInt number;
   }
   TargetLead;

/* Table: the results for the next bits, or for some targets by number. */
#define N_TARGETS (TABLE_SIZE / 2)
typedef
   union {
      Lead       bits[TABLE_SIZE];
      TargetLead targets[N_TARGETS];
   }
   Table;

struct _Parser {
   const Ways* w;
   Phrases*    ps;
   State*      states;   // for each phrase
   UInt        room;
   Table*      tables;
   UInt*       phrase_of;   // for each table
   UInt        n_tables;
};

Parser* DCFG_(new_parser)(const Ways* ways, Phrases* ps)
{
   Parser* pr = VG_(calloc)("dcfg.parse", 1, sizeof(Parser));

   pr->w      = ways;
   pr->ps     = ps;
   pr->tables = VG_(malloc)("dcfg.parse.tables",
                            (SizeT)MAX_TABLES * sizeof(Table));
   pr->phrase_of = VG_(malloc)("dcfg.parse.tables",
                               MAX_TABLES * sizeof(UInt));
   return pr;
}

void DCFG_(delete_parser)(Parser* pr)
{
   DCFG_FREE_ALL(pr->states, pr->tables, pr->phrase_of, pr);
}

/*--- States                                               ---*/

static void make_room(Parser* pr)
{
   UInt old = pr->room;

   if (pr->ps->n_phrases <= old)
      return;
   pr->room   = pr->ps->n_phrases + pr->ps->n_phrases / 4;
   pr->states = VG_(realloc)("dcfg.parse.states", pr->states,
                             (SizeT)pr->room * sizeof(State));
   VG_(memset)(pr->states + old, 0,
               (SizeT)(pr->room - old) * sizeof(State));
}

/* Return the node that P leads to. */
static UInt node_after(const Parser* pr, UInt p)
{
   UInt arrival = pr->ps->arrival[pr->ps->phrases[p].edge];
   return pr->ps->graph->edges[arrival - 1].target;
}

/* Return whether WAY can be read in one step. */
static Bool is_short(const Ways* ways, const Way* way)
{
   return way->n_bits + 1 <= MAX_BITS && way->n_targets <= MAX_TARGETS
          && ways->nodes[way->node].is_decision;
}

/* Find the phrase that continues P with BIT, if one step leads there. */
static void find_next(const Parser* pr, UInt p, State* s, UInt bit)
{
   const Way* way = &pr->w->nodes[s->node].way[bit];

   if (way->edge == 0 || !is_short(pr->w, way))
      return;
   s->next[bit]      = DCFG_(longer_phrase)(pr->ps, p, way->edge);
   s->n_bits[bit]    = way->n_bits + 1;
   s->n_targets[bit] = way->n_targets;
}

static State* new_state(Parser* pr, UInt p)
{
   State* s;

   make_room(pr);
   s = &pr->states[p];
   s->node      = node_after(pr, p);
   s->is_bit    = pr->w->nodes[s->node].kind == WalkBit;
   s->is_target = pr->w->nodes[s->node].kind == WalkTarget;
   if (s->is_bit) {
      find_next(pr, p, s, 0);
      find_next(pr, p, s, 1);
   }
   return s;
}

static inline State* state_of(Parser* pr, UInt p)
{
   return p < pr->room && pr->states[p].node != 0 ? &pr->states[p]
                                                  : new_state(pr, p);
}

static UInt root_after(Parser* pr, UInt p)
{
   UInt root = state_of(pr, p)->root;

   if (root == 0) {
      root = DCFG_(context_after)(pr->ps, pr->ps->phrases[p].edge);
      state_of(pr, root);
      pr->states[p].root = root;
   }
   return root;
}

static Bool is_context(const Parser* pr, UInt p)
{
   return pr->ps->phrases[p].parent == 0;
}

static inline UInt edges_of(const Parser* pr, UInt p)
{
   return pr->ps->phrases[p].n_edges;
}

/*--- Tables                                               ---*/

/* Return how far BITS lead from P.  The upper TABLE_BITS of them are known.
   .next is 0 if they lead NOWHERE, or if a context has no phrase for them
   yet. */
static Lead find_lead(Parser* pr, UInt p, ULong bits)
{
   const Lead none = { 0, 0, 0, 0, 0, 0 };
   Lead       l    = none;

   while (l.n_bits < TABLE_BITS) {
      State s   = *state_of(pr, p);
      UInt  bit = bits << l.n_bits >> 63;
      if (!s.is_bit)
         break;
      if (s.next[bit] != 0) {
         if (l.n_bits + s.n_bits[bit] > MAX_BITS
             || l.n_targets + s.n_targets[bit] > MAX_TARGETS)
            break;
         l.n_bits    += s.n_bits[bit];
         l.n_targets += s.n_targets[bit];
         p            = s.next[bit];
         continue;
      }
      if (is_context(pr, p))
         return none;
      /* P is complete, unless a longer phrase exists that takes more than a
         step. */
      const Way* way = &pr->w->nodes[s.node].way[bit];
      if (way->edge == 0 || l.complete != 0 || edges_of(pr, p) > LONGEST
          || p > MAX_NEXT || DCFG_(longer_phrase)(pr->ps, p, way->edge) != 0)
         break;
      l.complete = p;
      p = root_after(pr, p);
   }
   state_of(pr, p);
   if ((l.n_bits == 0 && l.complete == 0) || p > MAX_NEXT) {
      l        = none;
      l.n_bits = NOWHERE;
      return l;
   }
   l.next = p;
   return l;
}

/* Return how far target NUMBER leads from P.  .lead.next is 0 if no lead can
   tell that, or not yet. */
static TargetLead find_target_lead(Parser* pr, UInt p, UInt number)
{
   TargetLead   t   = { { 0, 0, 0, 0, 0, 0 }, number };
   const Ways*  w   = pr->w;
   const State* s   = state_of(pr, p);
   const Way*   way = DCFG_(target_way)(w, &w->nodes[s->node], number);
   UInt         longer;

   if (way->edge == 0 || !is_short(w, way))
      return t;
   longer = DCFG_(longer_phrase)(pr->ps, p, way->edge);
   if (longer == 0) {
      if (is_context(pr, p) || edges_of(pr, p) > LONGEST || p > MAX_NEXT)
         return t;
      t.lead.complete = p;
      longer = DCFG_(longer_phrase)(pr->ps, root_after(pr, p), way->edge);
   }
   if (longer == 0 || longer > MAX_NEXT)
      return t;
   state_of(pr, longer);
   t.lead.next   = longer;
   t.lead.n_bits    = way->n_bits;
   t.lead.n_targets = way->n_targets;
   return t;
}

static void make_table(Parser* pr, UInt p)
{
   VG_(memset)(&pr->tables[pr->n_tables], 0, sizeof(Table));
   pr->phrase_of[pr->n_tables] = p;
   pr->states[p].table = ++pr->n_tables;
}

/*--- Parsing                                              ---*/

typedef
   struct {
      UInt* phrases;
      UInt  n;
      ULong n_edges;
   }
   ParseOutput;

/* Complete P, because no phrase continues it with the next decision.  Return
   the context behind it. */
static UInt complete(Parser* pr, ParseOutput* out, UInt p)
{
   out->phrases[out->n++] = p;
   out->n_edges += edges_of(pr, p);
   return root_after(pr, p);
}

/* Continue P with EDGE, which has been walked. */
static inline UInt go_on(Parser* pr, ParseOutput* out, UInt p, UInt edge)
{
   UInt longer = DCFG_(longer_phrase)(pr->ps, p, edge);

   if (longer == 0 && !is_context(pr, p)) {
      p      = complete(pr, out, p);
      longer = DCFG_(longer_phrase)(pr->ps, p, edge);
   }
   if (longer == 0) {
      /* The context gets this phrase for the first time. */
      longer = DCFG_(extend_phrase)(pr->ps, p, edge);
      /* P has a new phrase, so find its state again. */
      state_of(pr, longer);
      UInt table = pr->states[p].table;
      VG_(memset)(&pr->states[p], 0, sizeof(State));
      state_of(pr, p)->table = table;
   }
   return longer;
}

/* Walk one decision from P on, in any way. */
static UInt step(Parser* pr, Walk* walk, ParseOutput* out, UInt p)
{
   UInt edge;

   walk->node = state_of(pr, p)->node;
   edge    = DCFG_(step_walk)(walk);
   if (edge == 0) {
      if (!is_context(pr, p))
         complete(pr, out, p);
      return 0;
   }
   return go_on(pr, out, p, edge);
}

/* Continue P with target NUMBER, which was read.  Within a phrase it is nearly
   always the same as last time. */
static inline UInt follow_target(Parser* pr, Walk* walk, ParseOutput* out,
                                 UInt p, UInt number)
{
   const Ways*  w = pr->w;
   const State* s = &pr->states[p];
   UInt         longer;

   if (s->number == number + 1) {
      DCFG_(skip_bits)(&walk->reader, s->n_bits[0]);
      DCFG_(skip_targets)(&walk->reader, s->n_targets[0]);
      return s->next[0];
   }
   const Way* way = DCFG_(target_way)(w, &w->nodes[s->node], number);
   if (!is_short(w, way)) {
      DCFG_(take_way)(walk, way);
      return way->edge == 0 ? 0 : go_on(pr, out, p, way->edge);
   }
   DCFG_(skip_bits)(&walk->reader, way->n_bits);
   DCFG_(skip_targets)(&walk->reader, way->n_targets);
   longer = DCFG_(longer_phrase)(pr->ps, p, way->edge);
   if (longer == 0)
      return go_on(pr, out, p, way->edge);
   state_of(pr, longer);
   pr->states[p].number       = number + 1;
   pr->states[p].next[0]      = longer;
   pr->states[p].n_bits[0]    = way->n_bits;
   pr->states[p].n_targets[0] = way->n_targets;
   return longer;
}

/* Return the lead from TABLE for BITS, of which N_BITS are there, or NULL. */
static inline Lead* next_lead(Parser* pr, UInt table, ULong bits, UInt n_bits)
{
   Lead* l = &pr->tables[table - 1].bits[bits >> (64 - TABLE_BITS)];

   if (n_bits < TABLE_BITS)
      return NULL;
   if (l->next == 0 && l->n_bits != NOWHERE)
      *l = find_lead(pr, pr->phrase_of[table - 1], bits);
   return l->next == 0 || l->n_bits > n_bits ? NULL : l;
}

/* Return the lead from TABLE for target NUMBER, or NULL if N_BITS bits are too
   few or there is none. */
static inline Lead* next_target_lead(Parser* pr, UInt table, UInt number,
                                     UInt n_bits)
{
   TargetLead* t = &pr->tables[table - 1].targets[number % N_TARGETS];

   if (t->number != number || t->lead.next == 0)
      *t = find_target_lead(pr, pr->phrase_of[table - 1], number);
   return t->lead.next == 0 || t->lead.n_bits > n_bits ? NULL : &t->lead;
}

/* Follow the table of P from lead to lead, at most N_LEADS.  Return the phrase
   where this ends: it has no table, too few bits are left, or it needs more
   than a lead.  *TARGET becomes 1 plus the number of a target that was read
   there, or stays. */
static UInt follow_leads(Parser* pr, RecordReader* reader, ParseOutput* out,
                         UInt p, ULong n_leads, UInt* target)
{
   UInt  table     = pr->states[p].table;
   Bool  is_target = pr->states[p].is_target;
   /* The reader's own place is in memory, and loading it would take long. */
   ULong bits      = reader->bits;
   UInt  n_bits    = reader->n_bits;
   UInt  n         = out->n;
   TargetPlace at  = DCFG_(target_place)(reader);

   for (p = 0; n_leads > 0 && p == 0; n_leads--) {
      UInt  number = 0;
      Lead* l;
      if (n_bits < MAX_BITS) {
         reader->bits   = bits;
         reader->n_bits = n_bits;
         DCFG_(top_up_bits)(reader);
         bits   = reader->bits;
         n_bits = reader->n_bits;
      }
      if (!is_target) {
         l = next_lead(pr, table, bits, n_bits);
      } else {
         number = DCFG_(read_target_at)(reader, &at);
         l      = next_target_lead(pr, table, number, n_bits);
      }
      if (l == NULL) {
         if (is_target)
            *target = number + 1;
         break;
      }
      out->phrases[n] = l->complete;
      n              += l->complete != 0;
      bits          <<= l->n_bits;
      n_bits         -= l->n_bits;
      for (UInt i = l->n_targets; i > 0; i--)
         DCFG_(read_target_at)(reader, &at);
      if (!l->is_table) {
         p = l->next;
         if (pr->states[p].table != 0) {
            l->is_table  = 1;
            l->is_target = pr->states[p].is_target;
            l->next      = pr->states[p].table;
            p            = 0;
         }
      }
      table     = l->next;
      is_target = l->is_target;
   }
   reader->bits   = bits;
   reader->n_bits = n_bits;
   DCFG_(set_target_place)(reader, at);
   for (; out->n < n; out->n++)
      out->n_edges += edges_of(pr, out->phrases[out->n]);
   return p != 0 ? p : pr->phrase_of[table - 1];
}

/* Return how many leads may be followed so that ROOM and LIMIT need not be
   looked at on the way, and still allow one phrase more. */
static ULong n_safe_leads(const ParseOutput* out, UInt room, ULong limit)
{
   ULong n = (limit - out->n_edges - 1) / LONGEST;

   return n < room - out->n - 1 ? n : room - out->n - 1;
}

/* Return the phrase that the next bit leads to from S, or 0. */
static UInt follow_bit(RecordReader* reader, const State* s)
{
   if (reader->n_bits == 0)
      DCFG_(load_bits)(reader);
   UInt bit = reader->bits >> 63;
   if (s->next[bit] == 0 || s->n_bits[bit] > reader->n_bits)
      return 0;
   reader->bits   <<= s->n_bits[bit];
   reader->n_bits  -= s->n_bits[bit];
   DCFG_(skip_targets)(reader, s->n_targets[bit]);
   return s->next[bit];
}

UInt DCFG_(parse)(Parser* pr, Walk* walk, UInt* phrase, UInt* phrases,
                  UInt room, ULong limit)
{
   ParseOutput out = { phrases, 0, 0 };
   UInt        p   = *phrase;

   while (p != 0 && out.n < room && out.n_edges < limit && !walk->failed) {
      State* s      = state_of(pr, p);
      UInt   target = 0, then = 0;
      if (s->table != 0) {
         p = follow_leads(pr, &walk->reader, &out, p,
                          n_safe_leads(&out, room, limit), &target);
         s = state_of(pr, p);
         if (s->table == 0)
            continue;
      } else if ((s->is_bit || s->is_target) && ++s->visits == HOT
                 && pr->n_tables < MAX_TABLES) {
         make_table(pr, p);
         continue;
      }
      if (s->is_bit)
         then = follow_bit(&walk->reader, s);
      if (then != 0)
         p = then;
      else if (s->is_target)
         p = follow_target(pr, walk, &out, p,
                           target ? target - 1
                                  : DCFG_(read_target)(&walk->reader));
      else
         p = step(pr, walk, &out, p);
   }
   if (walk->failed)
      p = 0;
   if (p != 0)
      walk->node = state_of(pr, p)->node;
   *phrase = p;
   return out.n;
}
