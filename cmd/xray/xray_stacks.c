/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Call stacks of XRay logs. */

/* Owns: the tree of stacks.  Handed: calls by xray_walk.c. */

#include "cmd/base/keymap.h"
#include "cmd/xray/xray_views.h"

#include <inttypes.h>
#include <stdlib.h>

typedef
   struct {
      uint64_t calls, sum, self;
      uint32_t depth;
   }
   Figures;

/* XrayStacks: the key of a stack is 1 + the number of its caller's stack, and
   its function. */
typedef
   struct {
      KeyMap*  keys;
      Figures* figures;
      size_t   n, room;
      int32_t  thread;          // 0: all
   }
   XrayStacks;

/* The depth beyond which calls are added to the one at this depth. */
#define XRAY_MAX_STACK 1000

/* A call's view if its thread is not wanted. */
#define NO_STACK UINT64_MAX

static uint32_t function_of(const XrayStacks* s, uint32_t stack)
{
   return (uint32_t)keymap_key(s->keys, stack);
}

/* Return the caller's stack; UINT32_MAX for none. */
static uint32_t caller_of(const XrayStacks* s, uint32_t stack)
{
   return (uint32_t)(keymap_key(s->keys, stack) >> 32) - 1;
}

static void enter(void* arg, XrayCall* call, XrayCall* caller,
                  uint64_t depth)
{
   XrayStacks* s = arg;
   uint32_t    i;

   call->view = NO_STACK;
   if (s->thread != 0 && call->thread_id != s->thread)
      return;
   if (depth >= XRAY_MAX_STACK) {
      call->view = caller->view;
      return;
   }
   i = keymap_number(s->keys, (caller == NULL ? 0 : caller->view + 1) << 32
                              | call->function);
   if (i == s->n) {
      GROW(s->figures, s->n, s->room);
      s->figures[s->n++] = (Figures){ .depth = (uint32_t)depth };
   }
   call->view = i;
}

static void leave(void* arg, XrayCall* call, XrayCall* caller,
                  uint64_t depth)
{
   XrayStacks* s = arg;
   uint64_t    ticks = ticks_between(call->from, call->to);
   Figures*    f;

   (void)caller;
   if (call->view == NO_STACK)
      return;
   f = &s->figures[call->view];
   f->self = capped_sum(f->self, ticks_between(call->inside, ticks));
   if (depth >= XRAY_MAX_STACK)
      return;
   f->calls++;
   f->sum = capped_sum(f->sum, ticks);
}

static void* begin(const XrayShow* show, const XrayNames* names,
                   XrayWatcher* watcher)
{
   XrayStacks* s = zalloc(1, sizeof(*s));

   (void)names;
   s->keys = keymap_new();
   s->thread = (int32_t)show->thread;
   *watcher = (XrayWatcher){ .enter = enter, .leave = leave, .arg = s };
   return s;
}

static void end(void* state)
{
   XrayStacks* s = state;

   keymap_free(s->keys);
   free(s->figures);
   free(s);
}

/* --- Output                                               --- */

/* Write the stack's functions to PATH, outermost first.  Return how many. */
static size_t path_of(const XrayStacks* s, uint32_t stack, uint32_t* path)
{
   size_t n = s->figures[stack].depth + 1;

   for (size_t i = n; i-- > 0; stack = caller_of(s, stack))
      path[i] = function_of(s, stack);
   return n;
}

/* Return names, with semicolons between them. */
static char* path_text(const XrayNames* names, const uint32_t* path, size_t n)
{
   char*  text = NULL;
   size_t size;
   FILE*  f = need(open_memstream(&text, &size));

   for (size_t i = 0; i < n; i++)
      fprintf(f, "%s%s", i > 0 ? ";" : "",
              text_frame(xray_name(names, path[i])));
   close_output(f, "memory");
   return text;
}

typedef
   struct {
      uint64_t ticks;
      uint32_t stack;
   }
   Item;

COMPARE(by_ticks, Item, DOWN(ticks) ?: UP(stack))

/* Make the table of stacks by ticks, outermost function first. */
static Table* make_table(const XrayShow* show, void* state, XrayRun* run,
                         const XrayNames* names, uint64_t* n_stacks)
{
   const XrayStacks* s = state;
   Table*   t = tab_new("stacks");
   Item*    items = zalloc(s->n, sizeof(*items));
   size_t   n_items = 0;
   uint32_t path[XRAY_MAX_STACK];

   (void)run;
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_COUNT, "sum", "sum", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   tab_column(t, COL_TEXT, "stack", "stack", 0);
   for (uint32_t i = 0; i < s->n; i++)
      if (xray_is_wanted(names, function_of(s, i)))
         items[n_items++] = (Item){ s->figures[i].sum, i };
   qsort(items, n_items, sizeof(*items), by_ticks);
   for (size_t i = 0; i < n_items && (show->top == 0 || i < show->top);
        i++) {
      const Figures* f = &s->figures[items[i].stack];
      size_t         n = path_of(s, items[i].stack, path);
      char*          text = path_text(names, path, n);
      put_count(t, f->calls);
      put_count(t, f->sum);
      put_count(t, f->self);
      put_text(t, text);
      free(text);
   }
   free(items);
   *n_stacks = n_items;
   return t;
}

/* Print lines "main;work;area 17", where 17 is the stack's instructions outside
   of calls. */
static void fold(void* state, const XrayNames* names)
{
   const XrayStacks* s = state;
   uint32_t path[XRAY_MAX_STACK];

   for (uint32_t i = 0; i < s->n; i++) {
      char* text;
      if (s->figures[i].self == 0
          || !xray_is_wanted(names, function_of(s, i)))
         continue;
      text = path_text(names, path, path_of(s, i, path));
      printf("%s %" PRIu64 "\n", text, s->figures[i].self);
      free(text);
      text_forget();
   }
}

const XrayForm xray_form_stacks = {
   .choice = { "stacks", "different stacks of calls", NULL },
   .rows = "stacks", .begin = begin, .table = make_table, .end = end
};

const XrayForm xray_form_folded = {
   .choice = { "folded", "the same for flamegraph.pl and speedscope", NULL },
   .for_programs = true, .begin = begin, .write = fold, .end = end
};
