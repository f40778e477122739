/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A tree of stacks of calls. */

/* Owns: the tree of call stacks.  Handed: calls by call_walk.c and
   log_stacks.c. */

#include "cmd/calls/stack_tree.h"

#include "cmd/base/cmd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More different stacks than any picture shows.  Instructions of further stacks
   count for their parents. */
#define MAX_STACKS 4000000

StackTree* tree_new(void)
{
   StackTree* t = zalloc(1, sizeof(*t));

   t->keys = keymap_new();
   t->names = interned_new();
   t->name_numbers = keymap_new();
   GROW(t->stacks, t->n, t->room);
   t->stacks[t->n++] = (Stack){ .name = "all" };
   return t;
}

void tree_free(StackTree* t)
{
   keymap_free(t->keys);
   keymap_free(t->name_numbers);
   interned_free(t->names);
   free(t->stacks);
   free(t);
}

uint32_t tree_child(StackTree* t, uint32_t parent, const char* name)
{
   uint32_t i = t->stacks[parent].latest;
   uint64_t key;

   if (i != 0 && t->stacks[i].name == name)
      return i;
   key = (uint64_t)parent << 32
         | keymap_number(t->name_numbers, (uintptr_t)name);
   if (t->stacks[parent].depth == MAX_DEPTH)
      return parent;
   if (t->n == MAX_STACKS && keymap_find(t->keys, key) == UINT32_MAX) {
      if (!t->is_full)
         complain("there are more than %d stacks of calls; further ones count "
                  "as those that they are on top of", MAX_STACKS);
      t->is_full = true;
      return parent;
   }
   i = keymap_number(t->keys, key) + 1;
   if (i == t->n) {
      GROW(t->stacks, t->n, t->room);
      t->stacks[t->n++] = (Stack){ .name = name, .parent = parent,
                                   .depth = t->stacks[parent].depth + 1 };
   }
   t->stacks[parent].latest = i;
   return i;
}

/*--- Calls                                                ---*/

typedef
   struct {
      StackTree*       t;
      const Functions* f;
      int              run;
      const char**     names;   // by function; NULL: not needed yet
      uint32_t         now;     // the present stack
      uint32_t         over;    // calls above it that found no room
      uint64_t         from;    // when it became the present one
   }
   Growing;

static void spend(Growing* g, uint64_t at)
{
   uint64_t* self = &g->t->stacks[g->now].self[g->run];

   *self += at - g->from;
   g->from = at;
}

static void begin(void* arg, uint32_t thread)
{
   Growing* g = arg;

   (void)thread;
   g->now = g->over = 0;
   g->from = 0;
}

static const char* name_of(Growing* g, uint32_t function)
{
   if (g->names[function] == NULL) {
      g->names[function] = intern(g->t->names, function_name(g->f, function));
      text_forget();
   }
   return g->names[function];
}

static void enter(void* arg, uint32_t function, uint64_t at)
{
   Growing*    g = arg;
   const char* name = name_of(g, function);
   uint32_t    i;

   spend(g, at);
   i = g->over > 0 ? g->now : tree_child(g->t, g->now, name);
   g->over += i == g->now;
   g->now = i;
}

static void leave(void* arg, uint64_t at)
{
   Growing* g = arg;

   spend(g, at);
   if (g->over > 0)
      g->over--;
   else
      g->now = g->t->stacks[g->now].parent;
}

static void end(void* arg, uint64_t at)
{
   spend(arg, at);
}

uint64_t tree_add(StackTree* t, const Functions* f, const char* path,
                  const Selection* sel, int run)
{
   Growing     g = { .t = t, .f = f, .run = run };
   CallWatcher watcher = { .begin = begin, .enter = enter, .leave = leave,
                           .end = end, .only = sel, .arg = &g };
   uint64_t    sum;

   g.names = zalloc(f->n, sizeof(*g.names));
   sum     = walk_calls(f, path, selected_thread(sel), &watcher);
   free(g.names);
   return sum;
}

/*--- The tree                                             ---*/

static const Stack* sorting;

static int by_parent(const void* a, const void* b)
{
   const Stack* x = &sorting[*(const uint32_t*)a];
   const Stack* y = &sorting[*(const uint32_t*)b];

   return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1)
          : strcmp(x->name, y->name);
}

uint32_t* tree_finish(StackTree* t)
{
   uint32_t* order = zalloc(t->n, sizeof(*order));

   for (uint32_t i = 0; i < t->n; i++) {
      order[i] = i;
      memcpy(t->stacks[i].total, t->stacks[i].self,
             sizeof(t->stacks[i].total));
   }
   for (uint32_t i = t->n; i-- > 1; )
      for (int k = 0; k < 2; k++)
         t->stacks[t->stacks[i].parent].total[k] += t->stacks[i].total[k];
   sorting = t->stacks;
   qsort(order + 1, t->n - 1, sizeof(*order), by_parent);
   return order;
}
