/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls and inlined functions along a trace. */

/* Owns: the open instances of each active call.  Handed: a trace by
   call_walk.c, and pieces. */

#include "cmd/calls/inline_walk.h"

#include <stdlib.h>

/* OpenFrame: a call, or an instance in a call. */
typedef
   struct {
      uint32_t scope;           // an instance's; NO_SCOPE for a call
      bool     told;
   }
   OpenFrame;

typedef
   struct {
      const Functions*     f;
      InlineView*          v;
      const InlineWatcher* w;
      OpenFrame*           frames;
      size_t               n, room;
      uint32_t             n_told;
      uint64_t             at, sum;
   }
   InlineWalk;

/*--- Frames                                               ---*/

static void open_frame(InlineWalk* k, uint32_t scope, uint32_t function)
{
   bool told = k->w->all || k->n_told < MAX_DEPTH;

   GROW(k->frames, k->n, k->room);
   k->frames[k->n++] = (OpenFrame){ scope, told };
   if (!told)
      return;
   k->n_told++;
   if (scope == NO_SCOPE && k->w->enter != NULL)
      k->w->enter(k->w->arg, function, k->at);
   else if (scope != NO_SCOPE && k->w->enter_inlined != NULL)
      k->w->enter_inlined(k->w->arg, scope, k->at);
}

static void close_frame(InlineWalk* k)
{
   if (!k->frames[--k->n].told)
      return;
   k->n_told--;
   if (k->w->leave != NULL)
      k->w->leave(k->w->arg, k->at);
}

/* Open the instances from OUTER, an open one or a function, to SCOPE. */
static void open_instances(InlineWalk* k, uint32_t outer, uint32_t scope)
{
   uint32_t parent = inlined_parent(k->v->in, scope);

   if (scope == outer || parent == NO_SCOPE)
      return;
   open_instances(k, outer, parent);
   open_frame(k, scope, NO_FUNCTION);
}

/* Let the call on top go on in SCOPE: close and open instances. */
static void go_to(InlineWalk* k, uint32_t scope)
{
   uint32_t now, common;

   if (k->n == 0)
      return;
   now = k->frames[k->n - 1].scope;
   if (now == scope)
      return;
   common = inlined_common(k->v->in, now, scope);
   while (k->n > 0 && k->frames[k->n - 1].scope != NO_SCOPE
          && k->frames[k->n - 1].scope != common)
      close_frame(k);
   if (scope != NO_SCOPE)
      open_instances(k, common, scope);
}

/*--- Calls                                                ---*/

static void begin(void* arg, uint32_t thread)
{
   InlineWalk* k = arg;

   k->at = 0;
   if (k->w->begin != NULL)
      k->w->begin(k->w->arg, thread);
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   (void)at;
   open_frame(arg, NO_SCOPE, function);
}

static void leave(void* arg, uint64_t at)
{
   InlineWalk* k = arg;

   (void)at;
   while (k->frames[k->n - 1].scope != NO_SCOPE)
      close_frame(k);
   close_frame(k);
}

static void block(void* arg, uint32_t node, bool told)
{
   InlineWalk*  k = arg;
   uint32_t     n;
   const InlinePiece* all = pieces_of(k->v->pieces, node, &n);

   for (uint32_t i = 0; i < n; i++) {
      /* A stub of a linkage table is part of its caller. */
      if (told)
         go_to(k, all[i].scope);
      if (k->w->only == NULL || piece_selected(k->w->only, node, &all[i]))
         k->at += all[i].n_instrs;
   }
}

static void end(void* arg, uint64_t at)
{
   InlineWalk* k = arg;

   (void)at;
   k->sum += k->at;
   if (k->w->end != NULL)
      k->w->end(k->w->arg, k->at);
}

uint64_t walk_inlined(const Functions* f, InlineView* v, const char* path,
                      uint32_t thread, const InlineWatcher* watcher)
{
   InlineWalk  k = { .f = f, .v = v, .w = watcher };
   CallWatcher calls = { .begin = begin, .enter = enter, .leave = leave,
                         .block = block, .end = end, .all = true, .arg = &k };

   walk_calls(f, path, thread, &calls);
   free(k.frames);
   return k.sum;
}

void walk_inlined_prepare(const Functions* f, InlineView* v)
{
   uint32_t n;

   for (uint32_t i = 0; i < f->g.p->n_blocks; i++)
      if (dcfg_node_executions(f->g.p, i, DCFG_ALL_THREADS) > 0)
         pieces_of(v->pieces, i, &n);
}
