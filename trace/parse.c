/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Parsing a record into phrases. */

/* Owns: tables that make parsing take few steps for many edges.  Handed: the
   record by trace/replay.c, trees of phrases by encode/phrase.c.  Taken by:
   trace/output_trace.c; dcfg_trace_enc.c reads through that.

   The trees tell which edges may come next, and the graph tells which bits mean
   them.  This file combines both.  For each phrase so far, a node of a tree, it
   stores which bit leads to which longer phrase.  For phrases that are met
   often, a table tells how far each value of the record's next bits leads, as
   in the decoding of Huffman codes.  Where the record has more than bits,
   trace/replay.c goes on step by step. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "trace/parse.h"

/* The bits that a table looks up, and the visits after which it is made.  All
   tables together must stay in a processor's cache. */
#define TABLE_BITS  4
#define TABLE_SIZE  (1u << TABLE_BITS)
#define HOT         24
#define MAX_TABLES  4096u

/* The largest number of bits that are read in one step. */
#define MAX_BITS    40

/* State: a phrase so far, and how it continues. */
typedef
   struct {
      UInt  node;        // the decision that it leads to, or NodeEnd; 0: the
                         // rest is not known yet
      Bool  is_bit;      // is only a bit recorded there?
      Bool  is_target;   // or a target?
      UChar visits;
      UChar n_bits[2];   // bits to read for each value of the bit
      UInt  next[2];     // the longer phrase; 0: none, or it takes more than
                         // bits
      /* For targets; [0] is for the target that came last: */
      UInt  number;      // its number + 1; 0: none
      UInt  n_targets;   // further targets to read on the way
      UInt  table;       // number from 1; 0: none
      UInt  n_edges;
      UInt  root;        // the context behind it; 0: not known yet
   }
   State;

/* Lead: the result of a table for the next bits. */
typedef
   struct {
      UInt   state;      // the phrase then
      UShort n_bits;     // bits read
      Bool   complete;   // does the next bit not continue it?
   }
   Lead;

struct _Parser {
   const Ways* w;
   Phrases*    ps;
   State*      states;   // for each phrase
   UInt        room;
   Lead*       tables;
   UInt        n_tables;
};

Parser* DCFG_(new_parser)(const Ways* w, Phrases* ps)
{
   Parser* pr = VG_(calloc)("dcfg.parse", 1, sizeof(Parser));

   pr->w      = w;
   pr->ps     = ps;
   pr->tables = VG_(malloc)("dcfg.parse.tables",
                            (SizeT)MAX_TABLES * TABLE_SIZE * sizeof(Lead));
   return pr;
}

void DCFG_(delete_parser)(Parser* pr)
{
   VG_(free)(pr->states);
   VG_(free)(pr->tables);
   VG_(free)(pr);
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

/* Find the phrase that continues P with BIT, if bits alone lead there. */
static void find_next(const Parser* pr, UInt p, State* s, UInt bit)
{
   const Way* way = &pr->w->nodes[s->node].way[bit];

   if (way->edge == 0 || way->n_bits + 1 > MAX_BITS || way->n_targets > 0
       || !pr->w->nodes[way->node].is_decision)
      return;
   s->next[bit]   = DCFG_(longer_phrase)(pr->ps, p, way->edge);
   s->n_bits[bit] = way->n_bits + 1;
}

static State* new_state(Parser* pr, UInt p)
{
   State* s;

   make_room(pr);
   s = &pr->states[p];
   s->node      = node_after(pr, p);
   s->is_bit    = pr->w->nodes[s->node].kind == WalkBit;
   s->is_target = pr->w->nodes[s->node].kind == WalkTarget;
   s->n_edges   = pr->ps->phrases[p].n_edges;
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

/*--- Tables                                               ---*/

/* Return how far BITS lead from P.  The upper TABLE_BITS of them are known. */
static Lead lead_from(Parser* pr, UInt p, ULong bits)
{
   Lead  l     = { p, 0, False };
   State s     = *state_of(pr, p);

   while (s.is_bit && l.n_bits < TABLE_BITS) {
      UInt bit = bits << l.n_bits >> 63;
      if (s.next[bit] == 0) {
         /* P is complete, unless a longer phrase exists that takes more than
            bits. */
         const Way* way = &pr->w->nodes[s.node].way[bit];
         if (way->edge != 0 && !is_context(pr, l.state)
             && DCFG_(longer_phrase)(pr->ps, l.state, way->edge) == 0) {
            l.complete = True;
            root_after(pr, l.state);
         }
         return l;
      }
      if (l.n_bits + s.n_bits[bit] > MAX_BITS)
         return l;
      l.n_bits += s.n_bits[bit];
      l.state   = s.next[bit];
      s         = *state_of(pr, l.state);
   }
   return l;
}

static void make_table(Parser* pr, UInt p)
{
   Lead* table = pr->tables + (SizeT)pr->n_tables * TABLE_SIZE;

   for (UInt i = 0; i < TABLE_SIZE; i++)
      table[i] = lead_from(pr, p, (ULong)i << (64 - TABLE_BITS));
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
   out->n_edges += state_of(pr, p)->n_edges;
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
      VG_(memset)(&pr->states[p], 0, sizeof(State));
      state_of(pr, p);
   }
   return longer;
}

/* Walk one decision from P on, in any way. */
static UInt step(Parser* pr, Walk* k, ParseOutput* out, UInt p)
{
   UInt edge;

   k->node = state_of(pr, p)->node;
   edge    = DCFG_(step_walk)(k);
   if (edge == 0) {
      if (!is_context(pr, p))
         complete(pr, out, p);
      return 0;
   }
   return go_on(pr, out, p, edge);
}

/* Continue P with the next target.  Within a phrase it is nearly always the
   same as last time. */
static inline UInt follow_target(Parser* pr, Walk* k, ParseOutput* out, UInt p)
{
   const Ways*  w      = pr->w;
   const State* s      = &pr->states[p];
   UInt         number = DCFG_(read_target)(&k->reader), longer;

   if (s->number == number + 1) {
      DCFG_(skip_bits)(&k->reader, s->n_bits[0]);
      DCFG_(skip_targets)(&k->reader, s->n_targets);
      return s->next[0];
   }
   const Way* way = DCFG_(target_way)(w, &w->nodes[s->node], number);
   if (!w->nodes[way->node].is_decision || way->n_bits > MAX_BITS) {
      DCFG_(take_way)(k, way);
      return way->edge == 0 ? 0 : go_on(pr, out, p, way->edge);
   }
   DCFG_(skip_bits)(&k->reader, way->n_bits);
   DCFG_(skip_targets)(&k->reader, way->n_targets);
   longer = DCFG_(longer_phrase)(pr->ps, p, way->edge);
   if (longer == 0)
      return go_on(pr, out, p, way->edge);
   state_of(pr, longer);
   pr->states[p].number    = number + 1;
   pr->states[p].n_targets = way->n_targets;
   pr->states[p].next[0]   = longer;
   pr->states[p].n_bits[0] = way->n_bits;
   return longer;
}

/* Follow bits from P as far as they lead.  Return the phrase there. */
static UInt follow_bits(Parser* pr, RecordReader* r, ParseOutput* out, UInt p,
                        UInt room, ULong limit)
{
   State* s      = state_of(pr, p);
   ULong  bits   = r->bits;
   UInt   n_bits = r->n_bits;

   while (s->is_bit && out->n < room && out->n_edges < limit) {
      if (s->table != 0 && n_bits >= TABLE_BITS) {
         const Lead* l = &pr->tables[(SizeT)(s->table - 1) * TABLE_SIZE
                                     + (bits >> (64 - TABLE_BITS))];
         if (l->n_bits <= n_bits && (l->n_bits > 0 || l->complete)) {
            bits   <<= l->n_bits;
            n_bits  -= l->n_bits;
            p        = l->state;
            s        = &pr->states[p];
            if (l->complete) {
               out->phrases[out->n++] = p;
               out->n_edges += s->n_edges;
               p = s->root;
               s = &pr->states[p];
            }
            continue;
         }
      } else if (s->table == 0 && ++s->visits == HOT
                 && pr->n_tables < MAX_TABLES) {
         make_table(pr, p);
         s = &pr->states[p];
      }
      if (n_bits == 0) {
         DCFG_(load_bits)(r);
         bits   = r->bits;
         n_bits = r->n_bits;
      }
      UInt bit = bits >> 63;
      if (s->next[bit] == 0 || s->n_bits[bit] > n_bits)
         break;
      bits   <<= s->n_bits[bit];
      n_bits  -= s->n_bits[bit];
      p        = s->next[bit];
      s        = state_of(pr, p);
   }
   r->bits   = bits;
   r->n_bits = n_bits;
   return p;
}

UInt DCFG_(parse)(Parser* pr, Walk* k, UInt* phrase, UInt* phrases, UInt room,
                  ULong limit)
{
   ParseOutput out = { phrases, 0, 0 };
   UInt   p   = *phrase;

   while (p != 0 && out.n < room && out.n_edges < limit && !k->failed) {
      p = follow_bits(pr, &k->reader, &out, p, room, limit);
      if (out.n == room || out.n_edges >= limit)
         break;
      p = pr->states[p].is_target ? follow_target(pr, k, &out, p)
                                  : step(pr, k, &out, p);
   }
   if (k->failed)
      p = 0;
   if (p != 0)
      k->node = state_of(pr, p)->node;
   *phrase = p;
   return out.n;
}
