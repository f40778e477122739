/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   From a record to phrases. */

/* Owns: tables that make parsing a matter of few steps for many edges.
   Handed: the record by trace/replay.c, trees of phrases by encode/phrase.c.
   Taken by: trace/output_trace.c; dcfg_trace_enc.c reads through that.

   The trees say which edges may come next, the graph which bits mean
   them.  Both are put together here: for a phrase so far (a node of a
   tree), which bit leads to which longer phrase.  And for those phrases
   that are come by often, a table has for all values of the next bits of
   the record how far they lead, as tables for the decoding of Huffman
   codes do.  Whatever is not just bits goes by trace/replay.c step by
   step. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "trace/parse.h"

/* Bits that a table looks at, and after how many visits it is made.  All
   tables together are to stay in a processor's cache. */
#define TABLE_BITS  4
#define TABLE_SIZE  (1u << TABLE_BITS)
#define HOT         24
#define MAX_TABLES  4096u

/* More bits than this are not read in one step. */
#define MAX_BITS    40

/* One phrase so far. */
typedef
   struct {
      UInt  node;        // where it leads, a decision or NodeEnd; or 0: the
                         // rest is not filled in
      Bool  is_bit;      // what is recorded there is a bit and no more
      Bool  is_target;   // or a target
      UChar visits;
      UChar n_bits[2];   // read if the phrase gets longer that way
      UInt  next[2];     // the longer phrase, or 0: not this way, or not
                         // by bits alone
      /* Of targets, [0] is for the last one that made it longer: */
      UInt  number;      // its number + 1, or 0
      UInt  n_targets;   // more of them, read on the way
      UInt  table;       // its number from 1 up, or 0
      UInt  n_edges;
      UInt  root;        // the context behind it, or 0: not known yet
   }
   State;

/* How far the next bits lead. */
typedef
   struct {
      UInt   state;      // the phrase so far
      UShort n_bits;     // read
      Bool   complete;   // it does not go on with the next bit
   }
   Lead;

struct _Parser {
   const Ways* w;
   Phrases*    ps;
   State*      states;   // by phrase
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

/* The node that P leads to. */
static UInt node_after(const Parser* pr, UInt p)
{
   UInt arrival = pr->ps->arrival[pr->ps->phrases[p].edge];
   return pr->ps->graph->edges[arrival - 1].target;
}

/* P's longer phrase for a bit, if that is all there is to it. */
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

/* Where BITS, of which the upper TABLE_BITS are known, lead from P. */
static Lead lead_from(Parser* pr, UInt p, ULong bits)
{
   Lead  l     = { p, 0, False };
   State s     = *state_of(pr, p);

   while (s.is_bit && l.n_bits < TABLE_BITS) {
      UInt bit = bits << l.n_bits >> 63;
      if (s.next[bit] == 0) {
         /* Complete, unless this way leads on after all. */
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

/* P, which leads to a decision that its tree does not go on with, is
   complete.  Returns what begins behind it. */
static UInt complete(Parser* pr, ParseOutput* out, UInt p)
{
   out->phrases[out->n++] = p;
   out->n_edges += state_of(pr, p)->n_edges;
   return root_after(pr, p);
}

/* From P on by EDGE, which has been walked. */
static inline UInt go_on(Parser* pr, ParseOutput* out, UInt p, UInt edge)
{
   UInt longer = DCFG_(longer_phrase)(pr->ps, p, edge);

   if (longer == 0 && !is_context(pr, p)) {
      p      = complete(pr, out, p);
      longer = DCFG_(longer_phrase)(pr->ps, p, edge);
   }
   if (longer == 0) {
      /* It gets longer for the first time. */
      longer = DCFG_(extend_phrase)(pr->ps, p, edge);
      /* What was known of P is no longer all. */
      state_of(pr, longer);
      VG_(memset)(&pr->states[p], 0, sizeof(State));
      state_of(pr, p);
   }
   return longer;
}

/* One decision from P on, in whatever way. */
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

/* From P on by the next target.  Within a phrase it is nearly always the
   same one. */
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

/* As far as bits lead.  Returns the state that it stops in. */
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
