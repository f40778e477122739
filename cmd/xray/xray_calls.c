/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls of XRay logs, in order. */

/* Owns: printing each call.  Handed: calls by xray_walk.c. */

#include "cmd/xray/xray_views.h"
#include "cmd/base/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void enter(void* arg, XrayCall* call, XrayCall* caller,
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

static void leave(void* arg, XrayCall* call, XrayCall* caller,
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

static void* begin(const XrayShow* s, const XrayNames* names,
                   XrayWatcher* watcher)
{
   XrayTimeline* t = zalloc(1, sizeof(*t));

   *t = (XrayTimeline){ .names = names, .csv = s->form == FORM_CSV,
                        .thread = (int32_t)s->thread, .from = s->from,
                        .most = s->calls };
   *watcher = (XrayWatcher){ enter, leave, event, t };
   if (t->csv)
      puts("thread,instruction,depth,event,function_id,name,instructions");
   return t;
}

static void end(void* state)
{
   XrayTimeline* t = state;

   free(t->shown);
   free(t);
}

const XrayForm xray_form_calls = {
   .choice = { "calls", "each call in order, with the instructions "
                        "before it and those until it was left", NULL },
   .begin = begin, .end = end
};
