/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls along a trace, if inlined functions count as called. */

/* Owns: the open instances of each active call, and inlined functions in
   call stacks.  Handed: a trace by call_walk.c, and pieces of blocks.

   For stacks, the walk only counts the executions of each block in each
   stack. At the end, each count goes to the stacks of the block's pieces. */

#include "cmd/calls/inline_walk.h"

/* OpenFrame: a call, or an instance in a call. */
typedef
   struct {
      uint32_t scope;           // an instance's; NO_SCOPE for a call
      bool     told;
   }
   OpenFrame;

typedef
   struct {
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
   InlineWalk  k = { .v = v, .w = watcher };
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

/* Entries of a cache for the pairs asked for last, which mostly come again. */
#define CACHE_SIZE (1 << 15)

/* Pairs: numbers for pairs of a stack and something else. */
typedef
   struct {
      KeyMap*   keys;
      uint64_t* cached;         // by a part of the hash
      uint32_t* numbers;
   }
   Pairs;

/* FLAT: set for a block whose pieces all count for the stack itself. */
#define FLAT ((uint32_t)1 << 31)

/* ActiveCall: a call's stack, and where the call is while its callee is
   active. */
typedef
   struct {
      uint32_t stack;
      uint32_t block;           // block executed last, or DCFG_NONE
   }
   ActiveCall;

typedef
   struct {
      StackTree*      t;
      const Functions* f;
      InlineView*     view;
      const char*     suffix;
      int             run;
      Pairs           blocks;   // pairs of a call's stack and a block
      uint64_t*       times;    // by number of such a pair: executions
      size_t          n_times, times_room;
      Pairs           scopes;   // pairs of a call's stack and a scope
      uint32_t*       stacks;   // by number of such a pair
      size_t          n_stacks, stacks_room;
      const char**    names;    // by function; NULL: not needed yet
      const char**    inlined;  // by function of the source; NULL: not needed
                                // yet
      size_t          n_inlined, inlined_room;
      ActiveCall      calls[MAX_DEPTH + 1];     // element 0 is no call
      uint32_t        n;
      uint64_t        sum;
   }
   Inlining;

/*--- Pairs                                                ---*/

static Pairs pairs_new(void)
{
   Pairs p = { keymap_new(), zalloc(CACHE_SIZE, sizeof(*p.cached)),
               zalloc(CACHE_SIZE, sizeof(*p.numbers)) };

   for (size_t i = 0; i < CACHE_SIZE; i++)
      p.cached[i] = UINT64_MAX;
   return p;
}

static void pairs_free(Pairs* p)
{
   keymap_free(p->keys);
   FREE_ALL(p->cached, p->numbers);
}

static uint32_t pair_number(Pairs* p, uint32_t stack, uint32_t other)
{
   uint64_t key = (uint64_t)stack << 32 | other;
   size_t   at = (key ^ key >> 29) * 0x9E3779B97F4A7C15 >> 49;

   if (p->cached[at] != key) {
      p->numbers[at] = keymap_number(p->keys, key);
      p->cached[at]  = key;
   }
   return p->numbers[at];
}

/*--- Stacks                                               ---*/

static const char* inlined_name_of(Inlining* g, uint32_t function)
{
   while (g->n_inlined <= function) {
      GROW(g->inlined, g->n_inlined, g->inlined_room);
      g->inlined[g->n_inlined++] = NULL;
   }
   if (g->inlined[function] == NULL) {
      g->inlined[function]
         = intern(g->t->names,
                  text_format("%s%s", inlined_name(g->view->in, function),
                              g->suffix));
      text_forget();
   }
   return g->inlined[function];
}

/* Return the stack of code of SCOPE in the call with STACK. */
static uint32_t stack_of(Inlining* g, uint32_t stack, uint32_t scope)
{
   Inlined* in = g->view->in;
   uint32_t number, parent;

   if (scope == NO_SCOPE || (parent = inlined_parent(in, scope)) == NO_SCOPE)
      return stack;
   number = pair_number(&g->scopes, stack, scope);
   if (number == g->n_stacks) {
      GROW(g->stacks, g->n_stacks, g->stacks_room);
      g->stacks[g->n_stacks++] = UINT32_MAX;
   }
   if (g->stacks[number] == UINT32_MAX) {
      uint32_t outer = stack_of(g, stack, parent);
      g->stacks[number] = tree_child(g->t, outer,
                                     inlined_name_of(g, inlined_function(
                                                           in, scope)));
   }
   return g->stacks[number];
}

/* Return the stack of the code that makes the next call. */
static uint32_t stack_now(Inlining* g)
{
   const ActiveCall* top = &g->calls[g->n];

   return top->block == DCFG_NONE ? top->stack
          : stack_of(g, top->stack,
                     piece_last_scope(g->view->pieces, top->block));
}

/*--- Calls                                                ---*/

static void tree_begin(void* arg, uint32_t thread)
{
   Inlining* g = arg;

   (void)thread;
   g->n = 0;
   g->calls[0] = (ActiveCall){ 0, DCFG_NONE };
}

static void tree_enter(void* arg, uint32_t function, uint64_t at)
{
   Inlining* g = arg;
   uint32_t  stack = stack_now(g);

   (void)at;
   if (g->names[function] == NULL) {
      g->names[function] = intern(g->t->names,
                                  function_name(g->f, function));
      text_forget();
   }
   g->calls[++g->n]
      = (ActiveCall){ tree_child(g->t, stack, g->names[function]), DCFG_NONE };
}

static void tree_leave(void* arg, uint64_t at)
{
   Inlining* g = arg;

   (void)at;
   g->n--;
}

/* A stub of a linkage table, and a call that is too deep, count for the calling
   code. */
static void tree_block(void* arg, uint32_t node, bool told)
{
   Inlining*   g = arg;
   ActiveCall* top = &g->calls[g->n];
   uint32_t    number = pair_number(&g->blocks,
                                    told ? top->stack : stack_now(g),
                                    told ? node : node | FLAT);

   if (number == g->n_times) {
      GROW(g->times, g->n_times, g->times_room);
      g->times[g->n_times++] = 0;
   }
   g->times[number]++;
   if (told)
      top->block = node;
}

/*--- The whole                                            ---*/

/* Add the executions of a pair's block to the stacks of its pieces. */
static void spread(Inlining* g, uint32_t number)
{
   uint64_t     key = keymap_key(g->blocks.keys, number);
   uint32_t     stack = (uint32_t)(key >> 32), node = (uint32_t)key, n;
   bool         told = !(node & FLAT);
   const InlinePiece* all = pieces_of(g->view->pieces, node &= ~FLAT, &n);

   for (uint32_t i = 0; i < n; i++) {
      uint64_t instrs = g->times[number] * all[i].n_instrs;
      uint32_t to;
      if (!piece_selected(g->view->selected, node, &all[i]))
         continue;
      to = told ? stack_of(g, stack, all[i].scope) : stack;
      g->t->stacks[to].self[g->run] += instrs;
      g->sum += instrs;
   }
}

uint64_t tree_add_inlined(StackTree* t, const Functions* f, const char* path,
                          const Selection* sel, InlineView* inlined, int run,
                          const char* suffix)
{
   Inlining*   g = zalloc(1, sizeof(*g));
   CallWatcher watcher = { .begin = tree_begin, .enter = tree_enter,
                           .leave = tree_leave,
                           .block = tree_block, .arg = g };
   uint64_t    sum;

   g->t      = t;
   g->f      = f;
   g->view   = inlined;
   g->run    = run;
   g->suffix = suffix;
   g->blocks = pairs_new();
   g->scopes = pairs_new();
   g->names  = zalloc(f->n, sizeof(*g->names));
   walk_calls(f, path, selected_thread(sel), &watcher);
   for (uint32_t i = 0; i < g->n_times; i++)
      spread(g, i);
   sum = g->sum;
   pairs_free(&g->blocks);
   pairs_free(&g->scopes);
   FREE_ALL(g->times, g->stacks, g->names, g->inlined, g);
   return sum;
}
