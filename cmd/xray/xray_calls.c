/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The calls of an XRay log: each call in order, or added by their stacks. */

/* Owns: the forms calls, stacks and folded: printing each call, the tree of stacks.
   Handed: calls by xray_walk.c, while the log is read.

   The form calls prints a line when a call begins and one when it ends, or one for
   both if nothing was printed in between.  The forms of stacks add the calls with
   the same callers: a stack is the number of its caller's stack, and a function.
   Stacks beyond a depth are added to the one at that depth. */

#include "cmd/base/table.h"
#include "cmd/base/keymap.h"
#include "cmd/xray/xray_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*--- Each call                                            ---*/

/* XrayTimeline: prints calls while the log is read. */
typedef
   struct {
      const XrayNames* names;
      bool             csv;
      int32_t          thread;          // 0: all
      uint64_t         from;            // the first instruction to show
      uint64_t         most;            // calls to show of each thread
      int32_t          current;         // thread of the last call; 0 at first
      uint64_t*        shown;           // for each thread: calls shown
      size_t           n_shown;
   }
   XrayTimeline;

/* The depth beyond which a number replaces the indentation. */
#define MAX_INDENT 40

/* Values of a call's view. */
enum { SHOWN = 1, OPENED = 2 };

/* Return the instructions before a tick.  A tick of 0 breaks a rule, and has
   none. */
static uint64_t instrs_before(uint64_t tick)
{
   return tick - (tick > 0);
}

static void indent(uint64_t depth)
{
   if (depth > MAX_INDENT)
      printf("%*s[%" PRIu64 "] ", 2 * MAX_INDENT, "", depth);
   else
      printf("%*s", (int)(2 * depth), "");
}

static void csv_row(const XrayCall* c, uint64_t tick, uint64_t depth,
                    const char* event, const char* name)
{
   printf("%" PRId32 ",%" PRIu64 ",%" PRIu64 ",%s,%" PRIu32 ",",
          c->thread_id, instrs_before(tick), depth, event, c->function);
   print_csv_string(name);
   putchar(',');
}

static const char* shown_name(const XrayTimeline* t, uint32_t function)
{
   return t->csv ? xray_name(t->names, function)
          : xray_brief(t->names, function);
}

/* Print "FUNCTION  FILE:LINE", and BEHIND. */
static void put_named(const XrayTimeline* t, uint32_t function,
                      const char* behind)
{
   const char* source = xray_source(t->names, function);

   printf("%s%s%s%s\n", shown_name(t, function), source[0] != 0 ? "  " : "",
          source, behind);
}

/* Begin lines of this thread. */
static void begin_thread(XrayTimeline* t, int32_t id)
{
   if (!t->csv && id != t->current) {
      printf("%sthread %" PRId32 "\n", t->current != 0 ? "\n" : "", id);
      printf("%14s  %12s  %s\n", "instruction", "instructions", "function");
   }
   t->current = id;
}

/* Print the first line of a call that has calls inside. */
static void open_call(const XrayTimeline* t, XrayCall* c, uint64_t depth)
{
   if (c == NULL || c->view != SHOWN)
      return;
   c->view |= OPENED;
   if (t->csv)
      return;
   printf("%14s  %12s  ", text_count(instrs_before(c->from)), "");
   indent(depth);
   put_named(t, c->function, " {");
}

/* Return the counter of a thread's shown calls. */
static uint64_t* shown_of(XrayTimeline* t, uint32_t thread)
{
   if (thread >= t->n_shown) {
      size_t n = 2 * (size_t)thread + 16;
      t->shown = need(realloc(t->shown, n * sizeof(*t->shown)));
      memset(t->shown + t->n_shown, 0,
             (n - t->n_shown) * sizeof(*t->shown));
      t->n_shown = n;
   }
   return &t->shown[thread];
}

/* Return whether to show an event of THREAD at TICK.  Prints the thread if it
   differs from the last one. */
static bool is_wanted(XrayTimeline* t, uint32_t thread, int32_t id,
                      uint64_t tick)
{
   if ((t->thread != 0 && id != t->thread) || instrs_before(tick) < t->from
       || *shown_of(t, thread) >= t->most)
      return false;
   begin_thread(t, id);
   return true;
}

static void enter_call(void* arg, XrayCall* call, XrayCall* caller,
                       uint64_t depth)
{
   XrayTimeline* t = arg;

   if (!xray_is_wanted(t->names, call->function)
       || !is_wanted(t, call->thread, call->thread_id, call->from))
      return;
   open_call(t, caller, depth - 1);
   call->view = SHOWN;
   ++*shown_of(t, call->thread);
   if (t->csv) {
      csv_row(call, call->from, depth, "call", shown_name(t, call->function));
      putchar('\n');
   }
}

static void leave_call(void* arg, XrayCall* call, XrayCall* caller,
                       uint64_t depth)
{
   XrayTimeline* t = arg;
   bool          opened = (call->view & OPENED) != 0;
   uint64_t      ticks = ticks_between(call->from, call->to);

   (void)caller;
   if (call->view == 0)
      return;
   begin_thread(t, call->thread_id);
   if (t->csv) {
      csv_row(call, call->to, depth, "return", shown_name(t, call->function));
      printf("%" PRIu64 "\n", ticks);
      return;
   }
   printf("%14s  %12s  ",
          text_count(instrs_before(opened ? call->to : call->from)),
          text_count(ticks));
   indent(depth);
   if (opened)
      printf("} %s\n", shown_name(t, call->function));
   else
      put_named(t, call->function, "");
}

/* Show data of the program, as text. */
static void event(void* arg, const DcfgXrayRecord* r, uint64_t depth)
{
   XrayTimeline* t = arg;
   int           n = r->value > 200 ? 200 : (int)r->value;
   const char*   text;

   if (!is_wanted(t, r->thread, r->thread_id, r->tick))
      return;
   text = text_clean(text_format("%.*s", n, n > 0 ? (const char*)r->data
                                 : ""));
   if (t->csv) {
      XrayCall c = { .thread_id = r->thread_id };
      csv_row(&c, r->tick, depth, "event", text);
      putchar('\n');
      return;
   }
   printf("%14s  %12s  ", text_count(instrs_before(r->tick)), "");
   indent(depth);
   printf("[event] %s\n", text);
}

static void* begin_calls(const XrayShow* show, const XrayNames* names,
                         XrayWatcher* watcher)
{
   XrayTimeline* t = zalloc(1, sizeof(*t));

   *t = (XrayTimeline){ .names = names, .csv = show->form == FORM_CSV,
                        .thread = (int32_t)show->thread, .from = show->from,
                        .most = show->calls };
   *watcher = (XrayWatcher){ enter_call, leave_call, event, t };
   if (t->csv)
      puts("thread,instruction,depth,event,function_id,name,instructions");
   return t;
}

static void end_calls(void* state)
{
   XrayTimeline* t = state;

   free(t->shown);
   free(t);
}

const XrayForm xray_form_calls = {
   .choice = { "calls", "each call in order, with the instructions "
                        "before it and those until it was left", NULL },
   .begin = begin_calls, .end = end_calls
};

/*--- Stacks                                               ---*/

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

static void enter_stack(void* arg, XrayCall* call, XrayCall* caller,
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

static void leave_stack(void* arg, XrayCall* call, XrayCall* caller,
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

static void* begin_stacks(const XrayShow* show, const XrayNames* names,
                          XrayWatcher* watcher)
{
   XrayStacks* s = zalloc(1, sizeof(*s));

   (void)names;
   s->keys = keymap_new();
   s->thread = (int32_t)show->thread;
   *watcher = (XrayWatcher){ .enter = enter_stack, .leave = leave_stack,
                             .arg = s };
   return s;
}

static void end_stacks(void* state)
{
   XrayStacks* s = state;

   keymap_free(s->keys);
   free(s->figures);
   free(s);
}

/*--- Stacks: output                                       ---*/

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
   .rows = "stacks", .begin = begin_stacks, .table = make_table,
   .end = end_stacks
};

const XrayForm xray_form_folded = {
   .choice = { "folded", "the same for flamegraph.pl and speedscope", NULL },
   .for_programs = true, .begin = begin_stacks, .write = fold,
   .end = end_stacks
};
