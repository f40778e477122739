/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A trace as calls. */

/* Owns: the form calls, and the active calls.  Handed: all edges, because
   they show calls. */

#include "cmd/trace/trace_views.h"

#include "cmd/base/table.h"
#include "cmd/base/csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ActiveCall: a routine that was called and has not returned. */
typedef
   struct {
      uint32_t routine;
      uint32_t back;            // node behind which it returns; or DCFG_NONE
      uint64_t since;           // number of its first instruction
      bool     signal;
      bool     open;            // has its first line been printed?
      bool     wanted;
   }
   ActiveCall;

/* Calls: the active calls of a thread, the outermost first. */
typedef
   struct {
      ActiveCall* calls;
      size_t      depth, room;
   }
   Calls;

static Calls* calls_of(Show* s)
{
   if (s->own == NULL)
      s->own = zalloc(1, sizeof(Calls));
   return s->own;
}

/* The depth beyond which a number replaces the indentation. */
#define MAX_INDENT 40

static void indent(size_t depth)
{
   if (depth > MAX_INDENT)
      printf("%*s[%zu] ", 2 * MAX_INDENT, "", depth);
   else
      printf("%*s", (int)(2 * depth), "");
}

static void csv_call(Show* s, const char* event, size_t depth,
                     uint64_t position, uint32_t node, uint64_t instrs)
{
   printf("%" PRIu32 ",%" PRIu64 ",%zu,%s,", s->thread, position, depth,
          event);
   if (node != DCFG_NONE)
      printf("%" PRIu32, s->p->nodes[node].id);
   putchar(',');
   if (node != DCFG_NONE)
      print_csv_string(name_of(s, node));
   putchar(',');
   if (instrs != UINT64_MAX)
      printf("%" PRIu64, instrs);
   putchar('\n');
}

static bool is_wanted_routine(const Show* s, uint32_t routine)
{
   return s->routines == NULL
          || (routine < s->p->n_routines && s->routines[routine]);
}

static uint32_t entry_of(const Show* s, uint32_t routine)
{
   return routine < s->p->n_routines ? s->p->routines[routine].entry
          : DCFG_NONE;
}

/* Print the innermost call's first line, if it has not been printed. */
static void open_call(Show* s)
{
   Calls*      k = calls_of(s);
   ActiveCall* c;
   const char* source;
   uint32_t    entry;

   if (k->depth == 0 || k->calls[k->depth - 1].open)
      return;
   c = &k->calls[k->depth - 1];
   c->open = true;
   if (s->csv || !c->wanted)
      return;
   entry = entry_of(s, c->routine);
   source = entry == DCFG_NONE ? "" : source_of(s, entry);
   printf("%14s  %12s  ", text_count(c->since), "");
   indent(k->depth - 1);
   printf("%s%s%s%s {\n", c->signal ? "[signal] " : "",
          entry == DCFG_NONE ? "?" : name_of(s, entry),
          source[0] != 0 ? "  " : "", source);
}

static void begin_call(Show* s, uint32_t node, uint32_t back, uint64_t since,
                       bool is_signal)
{
   Calls*   k = calls_of(s);
   uint32_t routine = s->p->nodes[node].routine;
   bool     wanted = is_wanted_routine(s, routine);

   /* Lines around a call that is not shown are not needed. */
   if (wanted)
      open_call(s);
   GROW(k->calls, k->depth, k->room);
   k->calls[k->depth++] = (ActiveCall){ .routine = routine,
                                        .back = back, .since = since,
                                        .signal = is_signal,
                                        .wanted = wanted };
   if (s->csv && wanted)
      csv_call(s, is_signal ? "signal" : "call", k->depth - 1, since, node,
               UINT64_MAX);
}

static void end_call(Show* s, uint64_t now)
{
   Calls*      k = calls_of(s);
   ActiveCall* c = &k->calls[k->depth - 1];
   uint32_t    entry = entry_of(s, c->routine);

   if (!c->wanted) {
      k->depth--;
      return;
   }
   if (s->csv) {
      csv_call(s, "return", k->depth - 1, now, entry, now - c->since);
   } else {
      const char* source = entry == DCFG_NONE || c->open ? ""
                           : source_of(s, entry);
      printf("%14s  %12s  ", text_count(c->open ? now : c->since),
             text_count(now - c->since));
      indent(k->depth - 1);
      printf("%s%s%s%s%s\n", c->open ? "} " : "",
             c->signal && !c->open ? "[signal] " : "",
             entry == DCFG_NONE ? "?" : name_of(s, entry),
             source[0] != 0 ? "  " : "", source);
   }
   k->depth--;
}

/* Return the index of the frame that a return to NODE ends; the number of
   frames if none. */
static size_t frame_of(Show* s, uint32_t node, bool is_signal)
{
   Calls*          k = calls_of(s);
   const DcfgNode* to = &s->p->nodes[node];

   for (size_t i = k->depth; i-- > 0; ) {
      const ActiveCall* c = &k->calls[i];
      const DcfgNode*   from;
      if (c->signal != is_signal)
         continue;
      if (is_signal)
         return i;
      if (c->back == DCFG_NONE)
         continue;
      from = &s->p->nodes[c->back];
      if (from->addr + from->size == to->addr)
         return i;
   }
   return k->depth;
}

static void show_return(Show* s, uint32_t node, uint64_t now, bool is_signal)
{
   Calls* k = calls_of(s);
   size_t frame = frame_of(s, node, is_signal);

   if (frame < k->depth) {
      while (k->depth > frame)
         end_call(s, now);
      return;
   }
   /* A return from a routine that was called before the begin of the output:
      only now are its callers known. */
   if (k->depth > 1 || s->p->nodes[node].kind != DCFG_NODE_BLOCK)
      return;
   while (k->depth > 0)
      end_call(s, now);
   begin_call(s, node, DCFG_NONE, now, false);
}

static void show_call(Show* s, const DcfgEdge* e)
{
   Calls*          k = calls_of(s);
   const DcfgNode* n = &s->p->nodes[e->source];
   const DcfgNode* t = &s->p->nodes[e->target];
   uint64_t        now = s->position + n->n_instrs;

   if (e->type == DCFG_EDGE_EXIT) {
      while (k->depth > 0)
         end_call(s, now);
   } else if (dcfg_is_call(e->type) || e->type == DCFG_EDGE_ENTRY) {
      begin_call(s, e->target, e->type == DCFG_EDGE_ENTRY ? DCFG_NONE
                 : e->source, now, false);
   } else if (e->type == DCFG_EDGE_CONTEXT_CHANGE) {
      begin_call(s, e->target, DCFG_NONE, now, true);
   } else if (e->type == DCFG_EDGE_RETURN) {
      show_return(s, e->target, now, false);
   } else if (e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN) {
      show_return(s, e->target, now, true);
   } else if (n->routine != t->routine && k->depth > 0) {
      /* A tail call: the new routine replaces the old one. */
      ActiveCall  again = k->calls[k->depth - 1];
      ActiveCall* c;
      end_call(s, now);
      k->calls[k->depth++] = again;
      c = &k->calls[k->depth - 1];
      c->routine = t->routine;
      c->since = now;
      c->open = false;
      c->wanted = is_wanted_routine(s, t->routine);
      if (s->csv && c->wanted)
         csv_call(s, "jump", k->depth - 1, now, e->target, UINT64_MAX);
   }
}

/* Return true: all edges are needed to find calls. */
static bool wants(const Show* s, const DcfgEdge* e)
{
   (void)s;
   (void)e;
   return true;
}

/* Begin with the routine of the first block. */
static void begin(Show* s, const DcfgEdge* e)
{
   begin_call(s, e->source, DCFG_NONE, s->position, false);
}

/* Calls that have not returned have only a first line. */
static void end(Show* s)
{
   if (!s->csv)
      open_call(s);
   calls_of(s)->depth = 0;
}

static void forget(Show* s)
{
   if (s->own != NULL)
      free(((Calls*)s->own)->calls);
   free(s->own);
}

const TraceForm trace_form_calls = {
   .choice = { "calls", "each routine called, with the instructions until it "
               "returned, those of routines called by it included", NULL },
   .csv_header = "thread,instruction,depth,event,node_id,name,instructions",
   .header = "   instruction  instructions  routine",
   .wants = wants, .begin = begin, .show = show_call, .end = end,
   .forget = forget
};
