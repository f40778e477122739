/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The forms of dcfg xray: functions, calls, and calls added by their stacks. */

/* Owns: the names of functions in a log; matching the functions of two logs, and
   the changes; printing each call, the tree of stacks.  Handed: a map; logs that
   have been read, with the numbers of their functions; calls by xray_walk.c, while
   the log is read.

   Ids differ from run to run.  Functions of two logs with one name, in objects with
   one file name, are matched, and their numbers are added.  Functions without a
   name are matched by id.

   The form calls prints a line when a call begins and one when it ends, or one for
   both if nothing was printed in between.  The forms of stacks add the calls with
   the same callers: a stack is the number of its caller's stack, and a function.
   Stacks beyond a depth are added to the one at that depth.  The form chrome has the
   events of Chrome's Trace Event Format, with the times of all threads together. */

#include "cmd/base/keymap.h"
#include "cmd/base/table.h"
#include "cmd/calls/xray_walk.h"
#include "cmd/xray/xray_views.h"
#include <math.h>

/* Texts are made once: a log has few functions, each of them often. */
typedef
   struct {
      char* name;               // NULL: not made yet
      char* brief;
      char* source;
      bool  wanted;
   }
   Texts;

struct XrayNames {
   const DcfgXrayMap* map;
   bool               mangled;
   const Select*      only;
   const char*        program;  // file of main(); or NULL
   PathFit            best;     // best match of --image with a function's file
   PathFit            best_line;    // best match of --source with its line
   Texts*             texts;    // for each id, from 0
};

/* Find the best matches of --image and --source. */
static void find_best(XrayNames* names)
{
   const Select* s = names->only;
   uint32_t all = names->map->n_functions;

   for (uint32_t i = 1; i <= all && names->program == NULL; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(names->map, i);
      if (f != NULL && strcmp(f->name, "main") == 0)
         names->program = f->image;
   }
   for (uint32_t i = 1; i <= all; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(names->map, i);
      PathFit image = f == NULL || s->image == NULL ? FIT_NOT
                      : path_fit(f->image, s->image, names->program);
      PathFit line = f == NULL || s->source == NULL ? FIT_NOT
                     : line_fit(f->file, f->line, s->source);
      if (image > names->best)
         names->best = image;
      if (line > names->best_line)
         names->best_line = line;
   }
}

XrayNames* xray_names_new(const DcfgXrayMap* map, bool mangled,
                          const Select* only)
{
   XrayNames* n = zalloc(1, sizeof(*n));

   *n = (XrayNames){ .map = map, .mangled = mangled, .only = only };
   if (map != NULL)
      n->texts = zalloc(map->n_functions, sizeof(*n->texts));
   if (map != NULL)
      find_best(n);
   return n;
}

void xray_names_free(XrayNames* names)
{
   for (uint32_t i = 0; names->map != NULL && i < names->map->n_functions;
        i++) {
      FREE_ALL(names->texts[i].name, names->texts[i].brief,
               names->texts[i].source);
   }
   FREE_ALL(names->texts, names);
}

static bool is_meant(const XrayNames* names, const DcfgXrayFunction* f)
{
   const Select* s = names->only;

   return (s->image == NULL
           || (names->best != FIT_NOT
               && path_fit(f->image, s->image, names->program) == names->best))
          && (s->function == NULL || function_is(log_symbol(f), s->function))
          && (s->source == NULL
              || (names->best_line != FIT_NOT
                  && line_fit(f->file, f->line, s->source)
                  == names->best_line));
}

/* Return the texts of a function; NULL if it is not in the map. */
static const Texts* texts_of(const XrayNames* names, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(names->map, function);
   Texts*                  t;

   if (f == NULL)
      return NULL;
   t = &names->texts[function - 1];
   if (t->name != NULL)
      return t;
   t->name = text_copy(f->name[0] == 0 ? text_format("#%" PRIu32, function)
                       : text_clean(names->mangled ? log_symbol(f)
                                    : text_demangle(log_symbol(f))));
   t->wanted = is_meant(names, f);
   t->brief = text_copy(text_brief(t->name));
   t->source = text_copy(f->line == 0 ? "" : text_format("%s:%" PRIu32,
                         text_base(text_clean(f->file)), f->line));
   return t;
}

/* Say which option selects no function. */
static void say_unknown(const XrayNames* n)
{
   const char* image = n->only->image;
   const char* name = n->only->function;
   const char* source = n->only->source;
   Nearest     images = nearest_to(image != NULL ? image : "");
   Nearest     names = nearest_to(name != NULL ? name : "");
   Nearest     files = nearest_to(source == NULL ? "" : text_base(
                                  text_format("%.*s", (int)strcspn(source, ":"),
                                              source)));
   bool        found = name == NULL;

   for (uint32_t i = 1; i <= n->map->n_functions; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(n->map, i);
      if (f == NULL)
         continue;
      offer_image(&images, text_clean(f->image));
      if (f->line != 0)
         nearest_offer(&files, text_base(text_clean(f->file)));
      if (found)
         continue;
      found = function_is(log_symbol(f), name);
      offer_function(&names, text_brief(text_clean(
                                 text_demangle(log_symbol(f)))));
   }
   if (image != NULL && n->best == FIT_NOT)
      complain("no image of the log matches `%s'%s", image,
               nearest_text(&images));
   if (!found)
      complain("no function of the log is called `%s'%s", name,
               nearest_text(&names));
   if (source != NULL && n->best_line == FIT_NOT)
      complain("no function of the log begins in the source `%s'%s", source,
               nearest_text(&files));
   if ((image == NULL || n->best != FIT_NOT) && found
       && (source == NULL || n->best_line != FIT_NOT))
      complain("no function of the log is in all places that the options "
               "name");
}

static bool has_wanted(const XrayNames* names)
{
   bool found = names->map == NULL
                || (names->only->image == NULL && names->only->function == NULL
                    && names->only->source == NULL);

   for (uint32_t i = 1; !found && i <= names->map->n_functions; i++) {
      const DcfgXrayFunction* f = dcfg_xray_function(names->map, i);
      found = f != NULL && is_meant(names, f);
      text_forget();
   }
   return found;
}

void xray_need_wanted(const XrayNames* const* names, int n)
{
   bool found[2] = { false, false };

   for (int i = 0; i < n; i++)
      found[i] = has_wanted(names[i]);
   for (int i = 0; i < n; i++)
      if (!found[i] && (found[1 - i] || i == n - 1))
         say_unknown(names[i]);
   if (!found[0] && !found[1])
      exit(STATUS_BAD);
}

/* Return a function's name, or "#ID"; its name without parameters; its
   object's file name; "FILE:LINE", or "".  All are valid at least until
   text_forget(). */
static const char* xray_name(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL ? text_format("#%" PRIu32, function) : t->name;
}

static const char* xray_brief(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL ? text_format("#%" PRIu32, function) : t->brief;
}

static bool xray_is_wanted(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL
          ? names->only->image == NULL && names->only->function == NULL
            && names->only->source == NULL
          : t->wanted;
}

static const char* xray_image(const XrayNames* names, uint32_t function)
{
   const DcfgXrayFunction* f = dcfg_xray_function(names->map, function);

   return f == NULL ? "" : text_base(text_clean(f->image));
}

/* Return a function's symbol, or NULL. */
static const char* xray_symbol(const XrayNames* names, uint32_t function)
{
   const DcfgXrayFunction* f = names->map == NULL ? NULL
                               : dcfg_xray_function(names->map, function);

   return f == NULL ? NULL : log_symbol(f);
}

static const char* xray_source(const XrayNames* names, uint32_t function)
{
   const Texts* t = texts_of(names, function);

   return t == NULL ? "" : t->source;
}

/*--- Functions of a log                                   ---*/

/* Merge the threads of a function: the first element has the sum, the others
   are empty. */
COMPARE(by_function, XrayFigures, UP(function) ?: UP(thread))

COMPARE(by_sum, XrayFigures, DOWN(inclusive) ?: DOWN(sum) ?: by_function(x, y))

static void add_figures(XrayFigures* to, XrayFigures* from)
{
   to->calls += from->calls;
   to->sum = capped_sum(to->sum, from->sum);
   to->inclusive = capped_sum(to->inclusive, from->inclusive);
   to->self = capped_sum(to->self, from->self);
   spread_move(&to->spread, &from->spread);
}

/* Move the selected functions to the begin of run->pairs, largest first.
   Return their number. */
static size_t choose_functions(const XrayShow* show, XrayRun* run,
                               const XrayNames* names)
{
   size_t n = 0;

   if (run->n_pairs == 0)
      return 0;
   qsort(run->pairs, run->n_pairs, sizeof(*run->pairs), by_function);
   for (size_t i = 0; i < run->n_pairs; i++) {
      XrayFigures f = run->pairs[i];
      if ((show->thread != 0
           && run->threads[f.thread].id != (int32_t)show->thread)
          || f.calls == 0 || !xray_is_wanted(names, f.function)) {
         spread_free(&run->pairs[i].spread);
         continue;
      }
      if (n > 0 && !show->per_thread
          && run->pairs[n - 1].function == f.function)
         add_figures(&run->pairs[n - 1], &f);
      else
         run->pairs[n++] = f;
   }
   run->n_pairs = n;
   qsort(run->pairs, n, sizeof(*run->pairs), by_sum);
   return n;
}

uint64_t xray_total(const XrayShow* show, const XrayRun* run)
{
   uint64_t total = 0;

   for (size_t i = 0; i < run->n_threads; i++) {
      const XrayThreadFigures* t = &run->threads[i];
      if (t->begun && (show->thread == 0 || t->id == (int32_t)show->thread))
         total = capped_sum(total, ticks_between(t->first, t->last));
   }
   return total;
}

static Table* make_table(const XrayShow* show, void* state, XrayRun* run,
                         const XrayNames* names, uint64_t* n_functions)
{
   static const struct { const char* key; double rank; } ranks[] = {
      { "min", 0 }, { "median", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }
   };
   Table*   t = tab_new("functions");
   uint64_t total = xray_total(show, run);
   int      n_ranks = show->form == FORM_TEXT ? 2 : 4;
   size_t   n = choose_functions(show, run, names);

   tab_column(t, COL_SHARE, "share", "share", 0);
   if (show->per_thread)
      tab_column(t, COL_COUNT, "thread", "thread", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_COUNT, "sum", "sum", 0);
   if (show->form != FORM_TEXT)
      tab_column(t, COL_COUNT, "inclusive", "inclusive", 0);
   tab_column(t, COL_COUNT, "self", "self", 0);
   for (int k = 0; k < n_ranks; k++)
      tab_column(t, COL_COUNT, ranks[k].key, ranks[k].key, 0);
   tab_column(t, COL_COUNT, "max", "max", 0);
   tab_column(t, COL_NAME, "function", "function", show->wide ? 0 : 40);
   tab_column(t, COL_TEXT, "source", "source", show->wide ? 0 : 28);
   tab_column(t, COL_TEXT, "image", "image", show->wide ? 0 : 24);
   if (show->form != FORM_TEXT)
      tab_column(t, COL_COUNT, "function_id", "id", 0);
   for (size_t i = 0; i < n && (show->top == 0 || i < show->top); i++) {
      XrayFigures* f = &run->pairs[i];
      put_share(t, f->inclusive, total);
      if (show->per_thread)
         put_count(t, (uint32_t)run->threads[f->thread].id);
      put_count(t, f->calls);
      put_count(t, f->sum);
      if (show->form != FORM_TEXT)
         put_count(t, f->inclusive);
      put_count(t, f->self);
      for (int k = 0; k < n_ranks; k++)
         put_count(t, spread_at(&f->spread, (uint64_t)
                                ((double)f->calls * ranks[k].rank)));
      put_count(t, spread_at(&f->spread, f->calls - 1));
      put_name(t, xray_name(names, f->function),
               xray_symbol(names, f->function));
      put_text(t, xray_source(names, f->function));
      put_text(t, xray_image(names, f->function));
      if (show->form != FORM_TEXT)
         put_count(t, f->function);
   }
   (void)state;
   *n_functions = n;
   return t;
}

const XrayForm xray_form_functions = {
   .choice = { "functions", "functions, by all that they called", NULL },
   .rows = "functions", .table = make_table
};

/*--- Two logs                                             ---*/

typedef
   struct {
      uint64_t calls, inclusive, self;
   }
   Figures;

/* Item: a function in log A, in B or in both. */
typedef
   struct {
      const char* name;
      const char* image;
      const char* source;
      bool        in[2];
      Figures     run[2];
   }
   Function;

typedef
   struct {
      Function* all;
      size_t    n, room;
   }
   List;

static void add_run(List* l, const XrayRun* run, const XrayNames* names,
                    int side)
{
   for (size_t i = 0; i < run->n_pairs; i++) {
      const XrayFigures* p = &run->pairs[i];
      Function           f = {
         .name = xray_name(names, p->function),
         .image = xray_image(names, p->function),
         .source = xray_source(names, p->function)
      };
      if (!xray_is_wanted(names, p->function))
         continue;
      f.in[side] = true;
      f.run[side] = (Figures){ p->calls, p->inclusive, p->self };
      GROW(l->all, l->n, l->room);
      l->all[l->n++] = f;
   }
}

COMPARE(by_name, Function,
        strcmp(x->image, y->image) ?: strcmp(x->name, y->name))

/* Merge equal functions. */
static void join(List* l)
{
   size_t n = 0;

   SORT(l->all, l->n, by_name);
   for (size_t i = 0; i < l->n; i++) {
      const Function* f = &l->all[i];
      Function*       to;
      if (n == 0 || by_name(&l->all[n - 1], f) != 0) {
         l->all[n++] = *f;
         continue;
      }
      to = &l->all[n - 1];
      for (int s = 0; s < 2; s++) {
         to->in[s] = to->in[s] || f->in[s];
         to->run[s].calls = capped_sum(to->run[s].calls, f->run[s].calls);
         to->run[s].inclusive = capped_sum(to->run[s].inclusive,
                                           f->run[s].inclusive);
         to->run[s].self = capped_sum(to->run[s].self, f->run[s].self);
      }
      if (f->in[1] || to->source[0] == 0)
         to->source = f->source;
   }
   l->n = n;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
   return a > b ? a - b : b - a;
}

/* Return by how much the number OF of F differs between two runs. */
#define CHANGE(f, of) distance((f)->run[0].of, (f)->run[1].of)

static bool is_change(const Function* f, double share)
{
   const Figures* a = &f->run[0];

   return f->in[0] != f->in[1]
          || (double)CHANGE(f, inclusive) > share / 100 * (double)a->inclusive
          || (double)CHANGE(f, self) > share / 100 * (double)a->self
          || (double)CHANGE(f, calls) > share / 100 * (double)a->calls;
}

COMPARE(by_distance, Function,
        ORDER(CHANGE(y, inclusive), CHANGE(x, inclusive))
        ?: ORDER(CHANGE(y, self), CHANGE(x, self)) ?: by_name(x, y))

static const char* change_text(const Function* f)
{
   uint64_t a = f->run[0].inclusive, b = f->run[1].inclusive;

   return !f->in[0] ? "new" : !f->in[1] ? "gone" : a == b ? "0"
          : a == 0 ? "" : text_change(a, b);
}

Table* xray_diff_table(const XrayRun* a, const XrayNames* names_a,
                       const XrayRun* b, const XrayNames* names_b,
                       double share, uint64_t top, bool wide,
                       uint64_t* changes, uint64_t* functions)
{
   static const char* const keys[][2] = {
      { "instructions_a", "instructions_b" }, { "calls_a", "calls_b" },
      { "self_a", "self_b" }
   };
   static const char* const heads[][2] = {
      { "A", "B" }, { "calls A", "calls B" }, { "self A", "self B" }
   };
   List   l = { 0 };
   Table* t = tab_new("functions");
   size_t n = 0;

   tab_column(t, COL_TEXT, "change", "change", 0);
   for (int k = 0; k < 3; k++)
      for (int s = 0; s < 2; s++)
         tab_column(t, COL_COUNT, keys[k][s], heads[k][s], 0);
   tab_column(t, COL_NAME, "function", "function", wide ? 0 : 40);
   tab_column(t, COL_TEXT, "source", "source", wide ? 0 : 28);
   tab_column(t, COL_TEXT, "image", "image", wide ? 0 : 24);
   add_run(&l, a, names_a, 0);
   add_run(&l, b, names_b, 1);
   join(&l);
   *functions = l.n;
   for (size_t i = 0; i < l.n; i++)
      if (is_change(&l.all[i], share))
         l.all[n++] = l.all[i];
   SORT(l.all, n, by_distance);
   *changes = n;
   for (size_t i = 0; i < n && (top == 0 || i < top); i++) {
      const Function* f = &l.all[i];
      put_text(t, change_text(f));
      for (int s = 0; s < 2; s++)
         put_count(t, f->run[s].inclusive);
      for (int s = 0; s < 2; s++)
         put_count(t, f->run[s].calls);
      for (int s = 0; s < 2; s++)
         put_count(t, f->run[s].self);
      put_text(t, f->name);
      put_text(t, f->source);
      put_text(t, f->image);
   }
   free(l.all);
   return t;
}

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

/* Return data of the program as text. */
static const char* event_text(const DcfgXrayRecord* r)
{
   const int n = r->value > 200 ? 200 : (int)r->value;

   return text_clean(text_format("%.*s", n, n > 0 ? (const char*)r->data : ""));
}

/* Show data of the program. */
static void event(void* arg, const DcfgXrayRecord* r, uint64_t time,
                  uint64_t depth)
{
   XrayTimeline* t = arg;
   const char*   text;

   (void)time;
   if (!is_wanted(t, r->thread, r->thread_id, r->tick))
      return;
   text = event_text(r);
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
   *watcher = (XrayWatcher){ enter_call, leave_call, event, t, NULL };
   if (t->csv)
      puts("thread,instruction,depth,event,function_id,name,instructions");
   return t;
}

static void end_calls(void* state)
{
   XrayTimeline* t = state;

   FREE_ALL(t->shown, t);
}

const XrayForm xray_form_calls = {
   .choice = { "calls", "each call in order, with the instructions "
                        "before it and those until it was left", NULL },
   .begin = begin_calls, .end = end_calls
};

/*--- Events for Chrome                                    ---*/

/* XrayEvents: prints events while the log is read. */
typedef
   struct {
      const XrayNames* names;
      int32_t          thread;          // 0: all
      int32_t          process;
      bool             begun;           // has an event been printed?
      uint64_t         n_threads;       // threads whose name has been printed
   }
   XrayEvents;

/* Begin an event of kind PH.  The caller prints what it has more, and `}'. */
static void begin_event(XrayEvents* e, const char* ph, const char* name,
                        int32_t thread)
{
   printf("%s\n{\"ph\":\"%s\",\"pid\":%" PRId32 ",\"tid\":%" PRId32
          ",\"name\":", e->begun ? "," : "", ph, e->process, thread);
   put_json_string(name, stdout);
   e->begun = true;
}

static bool is_in_thread(const XrayEvents* e, int32_t thread)
{
   return e->thread == 0 || thread == e->thread;
}

/* Name THREAD, number INDEX, at its first event: viewers take the first thread of a
   process for one with the process's id. */
static void name_thread(XrayEvents* e, uint32_t index, int32_t thread)
{
   if (index < e->n_threads)
      return;
   e->n_threads = (uint64_t)index + 1;
   begin_event(e, "M", "thread_name", thread);
   printf(",\"args\":{\"name\":\"thread %" PRId32 "\"}}", thread);
}

static void begin_call(void* arg, XrayCall* call, XrayCall* caller,
                       uint64_t depth)
{
   XrayEvents* e = arg;
   const char* source;

   (void)caller;
   (void)depth;
   if (!is_in_thread(e, call->thread_id)
       || !xray_is_wanted(e->names, call->function))
      return;
   name_thread(e, call->thread, call->thread_id);
   begin_event(e, "B", xray_name(e->names, call->function), call->thread_id);
   printf(",\"ts\":%" PRIu64, instrs_before(call->begin));
   source = xray_source(e->names, call->function);
   if (source[0] != 0) {
      printf(",\"args\":{\"source\":");
      put_json_string(source, stdout);
      putchar('}');
   }
   putchar('}');
}

static void end_call(void* arg, XrayCall* call, XrayCall* caller,
                     uint64_t depth)
{
   XrayEvents* e = arg;

   (void)caller;
   (void)depth;
   if (!is_in_thread(e, call->thread_id)
       || !xray_is_wanted(e->names, call->function))
      return;
   begin_event(e, "E", xray_name(e->names, call->function), call->thread_id);
   printf(",\"ts\":%" PRIu64 ",\"args\":{\"instructions\":%" PRIu64 "}}",
          instrs_before(call->end), ticks_between(call->from, call->to));
}

static void mark(void* arg, const DcfgXrayRecord* r, uint64_t time,
                 uint64_t depth)
{
   XrayEvents* e = arg;

   (void)depth;
   if (!is_in_thread(e, r->thread_id))
      return;
   begin_event(e, "i", event_text(r), r->thread_id);
   printf(",\"ts\":%" PRIu64 ",\"s\":\"t\"}", instrs_before(time));
}

static void* begin_events(const XrayShow* show, const XrayNames* names,
                          XrayWatcher* watcher)
{
   XrayEvents* e = zalloc(1, sizeof(*e));

   *e = (XrayEvents){ .names = names, .thread = (int32_t)show->thread };
   *watcher = (XrayWatcher){ begin_call, end_call, mark, e, &e->process };
   printf("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
   return e;
}

static void write_events(void* state, const XrayNames* names)
{
   (void)state;
   (void)names;
   puts("\n]}");
}

static void end_events(void* state)
{
   free(state);
}

const XrayForm xray_form_chrome = {
   .choice = { "chrome", "each call as events of a timeline, for Perfetto and "
                         "chrome://tracing: an instruction of all threads "
                         "together is a microsecond", NULL },
   .for_programs = true, .begin = begin_events, .write = write_events,
   .end = end_events
};

/*--- Stacks                                               ---*/

typedef
   struct {
      uint64_t calls, sum, self;
      uint32_t depth;
   }
   CallFigures;

/* XrayStacks: the key of a stack is 1 + the number of its caller's stack, and
   its function. */
typedef
   struct {
      KeyMap*  keys;
      CallFigures* figures;
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
      s->figures[s->n++] = (CallFigures){ .depth = (uint32_t)depth };
   }
   call->view = i;
}

static void leave_stack(void* arg, XrayCall* call, XrayCall* caller,
                        uint64_t depth)
{
   XrayStacks* s = arg;
   uint64_t    ticks = ticks_between(call->from, call->to);
   CallFigures*    f;

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
   FREE_ALL(s->figures, s);
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
static Table* make_call_table(const XrayShow* show, void* state, XrayRun* run,
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
      const CallFigures* f = &s->figures[items[i].stack];
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
   .rows = "stacks", .begin = begin_stacks, .table = make_call_table,
   .end = end_stacks
};

const XrayForm xray_form_folded = {
   .choice = { "folded", "the same for flamegraph.pl and speedscope", NULL },
   .for_programs = true, .begin = begin_stacks, .write = fold,
   .end = end_stacks
};
