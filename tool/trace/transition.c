/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The table of transitions. */

/* Owns: TRANSITION_TABLE (section 3.5 of the format).  Handed: the phrases in
   use and their code words by, and text taken by: dcfg_trace_enc.c.

   A row is a phrase after its context.  Two exceptions make the table shorter
   and change no code word.  If several phrases end with the same tail, their
   rows may end before it, and a row without a code word has the tail.  And if
   only one row leads to a context and only one row leaves it, the two are one
   row. */

#include "tool/base/util.h"
#include "tool/trace/transition.h"

/*--- Rows                                                 ---*/

/* Table: the table in the making. */
typedef
   struct {
      Put* out;
      Phrases* ps;
      Bool*    is_way;
      const Bool* is_start;
      UInt*    n_rows;       // for each edge: rows that begin after it
      UInt*    n_ends;       // for each edge: rows that end with it
      UInt*    a_row;        // for each edge: a phrase whose row begins after
                             // it
   }
   Table;

static void find_ways(Table* t, const UInt* order, UInt n)
{
   Phrases* ps   = t->ps;
   UInt*    rows = DCFG_CALLOC("dcfg.trace.tails", UInt,
                               ps->graph->n_edges + 1);

   for (UInt i = 0; i < n; i++) {
      UInt  id    = ps->phrases[order[i]].edge;
      ULong chars = 0;
      if (++rows[id] < 2 || t->is_way[id] || ps->arrival[id] == id)
         continue;
      const UInt* path = DCFG_(spell_tail)(ps, id);
      for (UInt k = 1; k < ps->tail_edges[id]; k++)
         chars += DCFG_(decimal_digits)(path[k]) + 1;
      t->is_way[id] = chars * (rows[id] - 1)
                      > DCFG_(decimal_digits)(id) + 8;
   }
   dcfg_free(rows);
}

/* Return the edge at the end of P's row. */
static UInt end_of_row(const Table* t, UInt p)
{
   UInt id = t->ps->phrases[p].edge;

   return t->is_way[id] ? id : t->ps->arrival[id];
}

/* Return whether only one row leads to edge ID, and only one leaves it.  Then
   the second is a part of the first: it has no code word. */
static Bool is_joint(const Table* t, UInt id)
{
   return t->n_rows[id] == 1 && t->n_ends[id] == 1 && !t->is_start[id];
}

static void put_edges(Table* t, const UInt* path, UInt n, HChar before)
{
   for (UInt i = 0; i < n; i++) {
      DCFG_(put_char)(t->out, i == 0 ? before : ',');
      DCFG_(put_number)(t->out, path[i]);
   }
}

static UInt put_phrase_edges(Table* t, UInt p, HChar before)
{
   const Phrases* ps = t->ps;
   UInt id = ps->phrases[p].edge;
   UInt n  = ps->phrases[p].n_edges;

   if (t->is_way[id])
      n -= ps->tail_edges[id] - 1;
   put_edges(t, DCFG_(spell_phrase)(t->ps, p), n, before);
   return end_of_row(t, p);
}

/* Put the end of a row that has come to edge ID. */
static void end_row(Table* t, UInt id)
{
   while (is_joint(t, id))
      id = put_phrase_edges(t, t->a_row[id], ',');
   DCFG_(put_text)(t->out, "]]");
}

static void put_row(Table* t, UInt p)
{
   const Phrase* phrase = &t->ps->phrases[p];

   DCFG_(put_text)(t->out, ",[");
   DCFG_(put_number)(t->out, phrase->context);
   DCFG_(put_text)(t->out, ",\"");
   for (UInt i = phrase->n_bits; i-- > 0; )
      DCFG_(put_char)(t->out, phrase->word >> i & 1 ? '1' : '0');
   DCFG_(put_text)(t->out, "\",");
   end_row(t, put_phrase_edges(t, p, '['));
}

/* Put the row from ID to its arrival. */
static void put_way(Table* t, UInt id)
{
   UInt n = t->ps->tail_edges[id] - 1;

   DCFG_(put_text)(t->out, ",[");
   DCFG_(put_number)(t->out, id);
   DCFG_(put_text)(t->out, ",\"\",");
   put_edges(t, DCFG_(spell_tail)(t->ps, id) + 1, n, '[');
   end_row(t, t->ps->arrival[id]);
}

void DCFG_(put_transitions)(Put* out, Phrases* ps,
                            const UInt* order, UInt n, Bool* is_way,
                            const Bool* is_start)
{
   UInt  n_edges = ps->graph->n_edges;
   UInt  last    = 0;
   Table t       = { out, ps, is_way, is_start, NULL, NULL, NULL };

   find_ways(&t, order, n);
   t.n_rows = DCFG_CALLOC("dcfg.trace.rows", UInt, n_edges + 1);
   t.n_ends = DCFG_CALLOC("dcfg.trace.rows", UInt, n_edges + 1);
   t.a_row  = DCFG_CALLOC("dcfg.trace.rows", UInt, n_edges + 1);
   for (UInt i = 0; i < n; i++) {
      t.n_rows[ps->phrases[order[i]].context]++;
      t.n_ends[end_of_row(&t, order[i])]++;
      t.a_row[ps->phrases[order[i]].context] = order[i];
   }
   for (UInt id = 1; id <= n_edges; id++)
      if (is_way[id])
         t.n_ends[ps->arrival[id]]++;

   DCFG_(put_text)(out, "[[\"CURRENT_EDGE_ID\",\"TRANSITION_CODE\","
            "\"NEXT_EDGE_IDS\"]");
   for (UInt i = 0; i < n; i++) {
      UInt context = ps->phrases[order[i]].context;
      if (is_joint(&t, context))
         continue;
      /* A line for each context, because a single line would have megabytes. */
      if (context != last)
         DCFG_(put_char)(out, '\n');
      last = context;
      put_row(&t, order[i]);
   }
   DCFG_(put_char)(out, '\n');
   for (UInt id = 1; id <= n_edges; id++)
      if (is_way[id])
         put_way(&t, id);
   DCFG_(put_text)(out, "]");
   dcfg_free(t.n_rows);
   dcfg_free(t.n_ends);
   dcfg_free(t.a_row);
}
