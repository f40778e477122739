/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions in a page's data: their calls, inclusive costs, inlined copies, and
   stacks of calls. */

/* Owns: the columns of functions of the source, of calls, of inclusive costs, of
   loops' iterations, of functions with their inlined copies, and of stacks: of
   all threads, of each thread, of the older run.  Handed: a graph, and what there
   is beside it: a trace, profiles by callgrind_file.c, logs by xray_walk.c, debug
   information by cmd/program/.

   Calls, and what those of each pair of functions cost, come from CALLS, whose
   functions have columns of their own; without CALLS, the graph's edges tell the
   calls, and nothing their cost.  Functions' inclusive costs and the iterations
   of loops come from the trace.  Without one, inclusive costs come from CALLS, from
   the XRay log, or from the Callgrind profile, the first that is there.  A profile
   adds up the cost of each call, so a function that may call itself would be
   counted twice: for those there is none.  Stacks come from traces or from an XRay
   log. */

#include "cmd/calls/inline_walk.h"
#include "cmd/calls/callgrind_file.h"
#include "cmd/program/functions.h"
#include "cmd/calls/call_walk.h"
#include "cmd/calls/called.h"
#include "cmd/calls/xray_walk.h"
#include "cmd/view/view.h"

#define ALL    DCFG_ALL_THREADS
#define NOBODY UINT32_MAX

/* Put column NAME: MEMBER of each of N ROWS; COUNTS has room for N. */
#define PUT_MEMBER(view, name, rows, member, n, counts) \
   do { \
      for (size_t i_ = 0; i_ < (n); i_++) \
         (counts)[i_] = (rows)[i_].member; \
      view_counts(view, name, counts, n); \
   } while (0)

/*--- A Callgrind profile                                  ---*/

/* ProfileCall: one function calls another. */
typedef
   struct {
      uint32_t from, to;
   }
   ProfileCall;

/* ProfileSums: the functions in all parts of a profile, by object and name. */
typedef
   struct {
      Interned*    texts;
      KeyMap*      numbers;
      uint64_t*    all;         // by number: inclusive instructions
      size_t       n, room;
      ProfileCall* calls;
      size_t       n_calls, calls_room;
      char*        command;
   }
   ProfileSums;

/* Return the number of function NAME in OBJECT, a new one if needed. */
static uint32_t number_of(ProfileSums* r, const char* object, const char* name)
{
   const char* key = intern(r->texts, text_format("%s\n%s", object, name));
   uint32_t    k = keymap_number(r->numbers, (uintptr_t)key);

   if (k == r->n) {
      GROW(r->all, r->n, r->room);
      r->all[r->n++] = 0;
   }
   text_forget();
   return k;
}

static void add_function(ProfileSums* r, const ProfilePart* p,
                         const ProfileFunction* f)
{
   uint32_t k = number_of(r, f->object, f->name);

   for (uint32_t i = f->first; i != NO_ROW; i = p->rows[i].next) {
      const ProfileRow* row = &p->rows[i];
      uint64_t          cost;
      if (row->kind == ROW_JUMP)
         continue;
      cost      = p->costs[row->costs + p->instrs];
      add_count(&r->all[k], cost);
      if (row->kind == ROW_CALL) {
         uint32_t to = number_of(r, row->object, row->to);
         GROW(r->calls, r->n_calls, r->calls_room);
         r->calls[r->n_calls++] = (ProfileCall){ k, to };
      }
   }
}

/* Return the command line in the head of a part, to be freed, or NULL. */
static char* command_in(const char* head)
{
   const char* at = head == NULL ? NULL : strstr(head, "\ncmd:");

   if (at == NULL)
      return NULL;
   at += strlen("\ncmd:");
   at += strspn(at, " ");
   return text_copy(text_format("%.*s", (int)strcspn(at, "\n"), at));
}

static void read_profile(ProfileSums* r, const char* path)
{
   ProfileReader* in = profile_open(path, false);
   ProfilePart*   p;

   while ((p = profile_next(in)) != NULL) {
      if (r->command == NULL)
         r->command = command_in(p->head);
      if (p->instrs == p->n_events)
         die("%s has no event Ir, which counts instructions",
             text_clean(path));
      for (size_t i = 0; i < p->n_functions; i++)
         add_function(r, p, &p->functions[i]);
      profile_free(p);
   }
   profile_close(in);
}

/*--- Functions that call themselves                       ---*/

/* Remove from LEFT, again and again, functions that call none in LEFT; if
   REVERSED, functions that none in LEFT calls. */
static void drop_ends(const ProfileSums* r, bool* left, bool reversed)
{
   size_t*   degree = zalloc(r->n + 1, sizeof(*degree));
   bool      more = true;

   while (more) {
      more = false;
      memset(degree, 0, r->n * sizeof(*degree));
      for (size_t i = 0; i < r->n_calls; i++) {
         const ProfileCall* c = &r->calls[i];
         if (left[c->from] && left[c->to])
            degree[reversed ? c->to : c->from]++;
      }
      for (size_t i = 0; i < r->n; i++)
         if (left[i] && degree[i] == 0) {
            left[i] = false;
            more = true;
         }
   }
   free(degree);
}

/* Return by number whether a function may call itself, directly or not.  That
   is true of some others, too: those on a path between two such functions.  The
   caller frees the array. */
static bool* may_recur(const ProfileSums* r)
{
   bool* left = zalloc(r->n + 1, sizeof(*left));

   memset(left, 1, r->n);
   drop_ends(r, left, false);
   drop_ends(r, left, true);
   return left;
}

/*--- Inclusive costs of a profile or a log                ---*/

/* Return by function of VIEW the cost of the function in R with the same image
   and symbol, to be freed.  The cost is 0 if there is none, if several
   functions of VIEW are like that, or if UNKNOWN is true for it.  UNKNOWN may
   be NULL. */
static uint64_t* costs_by_function(const RunView* view, ProfileSums* r,
                                   const bool* unknown)
{
   size_t    n_read = r->n;
   uint32_t* of = zalloc(view->f->n + (size_t)1, sizeof(*of));
   uint32_t* users = zalloc(n_read + 1, sizeof(*users));
   uint64_t* costs = zalloc(view->f->n + (size_t)1, sizeof(*costs));

   for (uint32_t i = 0; i < view->f->n; i++) {
      uint32_t symbol = function_symbol(view->f, i);
      uint32_t image = view->p->nodes[view->f->nodes[i]].image;
      of[i] = symbol == DCFG_NONE ? NOBODY
              : number_of(r, image_file(&view->g, image),
                          view->p->symbols[symbol].name);
      if (of[i] < n_read)
         users[of[i]]++;
   }
   for (uint32_t i = 0; i < view->f->n; i++)
      if (of[i] < n_read && users[of[i]] == 1
          && (unknown == NULL || !unknown[of[i]]))
         costs[i] = r->all[of[i]];
   FREE_ALL(of, users);
   return costs;
}

static ProfileSums sums_new(void)
{
   return (ProfileSums){ .texts = interned_new(), .numbers = keymap_new() };
}

static void free_sums(ProfileSums* r)
{
   interned_free(r->texts);
   keymap_free(r->numbers);
   FREE_ALL(r->all, r->calls);
}

/* Read the profile of VIEW.  Return the inclusive cost of each function, in
   instructions; 0: not known.  A profile does not have the inclusive cost of a
   function that may call itself.  Set *COMMAND to the command line, or NULL.
   The caller frees both.  Die if the profile cannot be read. */
static uint64_t* inclusive_of_profile(const RunView* view, char** command)
{
   ProfileSums r = sums_new();
   bool*       recurs;
   uint64_t*   costs;

   read_profile(&r, view->profile);
   recurs   = may_recur(&r);
   costs    = costs_by_function(view, &r, recurs);
   *command = r.command;
   free(recurs);
   free_sums(&r);
   return costs;
}

static XrayWatcher keep_map(void* arg, DcfgXrayMap* map)
{
   *(DcfgXrayMap**)arg = map;
   return (XrayWatcher){ .enter = NULL };
}

/* Return the inclusive costs likewise from the XRay log of VIEW, which has
   those of all logged functions. */
static uint64_t* inclusive_of_log(const RunView* view)
{
   ProfileSums  r = sums_new();
   DcfgXrayMap* map;
   XrayRun*     run = log_walk(view->log, NULL, keep_map, &map);
   uint64_t*    costs;

   for (size_t i = 0; i < run->n_pairs; i++) {
      const XrayFigures*      x = &run->pairs[i];
      const DcfgXrayFunction* f = dcfg_xray_function(map, x->function);
      uint32_t                k;
      if (f == NULL)
         continue;
      k = number_of(&r, f->image, f->name);
      add_count(&r.all[k], x->inclusive);
   }
   costs = costs_by_function(view, &r, NULL);
   xray_run_free(run);
   dcfg_xray_map_free(map);
   free_sums(&r);
   return costs;
}

/*--- Inlined copies                                       ---*/

typedef enum {
   N_NAME, N_SOURCE, N_IMAGE, N_INSTRS, N_INLINED, N_CALLS, N_ENTRIES, N_SITES,
   N_ROW, N_COLUMNS
} InlineColumn;

static const char* source_of(const RunView* view, const FunctionSum* s,
                             uint32_t function)
{
   const char* source = inlined_source(view->inlined->in, function);

   return source[0] != 0 || s->node == DCFG_NONE ? source
          : node_source(&view->g, s->node);
}

int64_t view_row_of(const RunView* view, uint32_t node)
{
   uint32_t r = node >= view->p->n_blocks ? DCFG_NONE
                : view->p->nodes[node].routine;

   return r == DCFG_NONE || view->row[r] == DCFG_NONE
          ? -1 : (int64_t)view->row[r];
}

static void put_function(const RunView* view, const FunctionSum* s,
                         uint32_t function, InlineColumn c)
{
   const char* text = c == N_NAME ? inlined_name(view->inlined->in, function)
                      : c == N_SOURCE ? source_of(view, s, function)
                      : image_name(&view->g, s->image);

   switch (c) {
      case N_NAME:
      case N_SOURCE:
      case N_IMAGE:   page_number(view->out,
                                  page_text(view->texts, text)); break;
      case N_INSTRS:  view_count(view->out, s->instrs); break;
      case N_INLINED: view_count(view->out, s->inlined); break;
      case N_CALLS:   view_count(view->out, s->calls); break;
      case N_ENTRIES: view_count(view->out, s->entries); break;
      case N_SITES:   page_number(view->out, s->sites); break;
      default:        fprintf(view->out, "%" PRId64,
                               view_row_of(view, s->node));
   }
   text_forget();
}

void view_inline(const RunView* view)
{
   static const char* const columns[N_COLUMNS] = {
      "nName", "nSource", "nImage", "nInstrs", "nInlined", "nCalls",
      "nEntries", "nSites", "nRow"
   };
   Select      what = SELECT_ALL;
   Selection*  sel;
   InlineSums* sums;

   if (view->inlined == NULL)
      return;
   sel  = selection_new(&view->g, &what);
   sums = inline_sums_new(view->f, view->inlined, sel, DCFG_ALL_THREADS);
   for (InlineColumn c = 0; c < N_COLUMNS; c++) {
      bool first = true;
      page_column(view->out, columns[c]);
      for (uint32_t i = 0; i < sums->n_functions; i++) {
         const FunctionSum* s = &sums->functions[i];
         if (s->instrs == 0 && s->entries == 0 && s->sites == 0)
            continue;
         page_between(view->out, first);
         first = false;
         put_function(view, s, i, c);
      }
      putc(']', view->out);
   }
   inline_sums_free(sums);
   selection_free(sel);
}

/*--- Functions                                            ---*/

/* Write column NAME: PUT writes the element of each of N things. */
static void put_column(const RunView* view, const char* name, uint32_t n,
                       void (*put)(const RunView* view, uint32_t i,
                                   const void* arg), const void* arg)
{
   page_column(view->out, name);
   for (uint32_t i = 0; i < n; i++) {
      page_between(view->out, i == 0);
      put(view, i, arg);
      text_forget();
   }
   putc(']', view->out);
}

static void put_name(const RunView* view, uint32_t i, const void* arg)
{
   (void)arg;
   page_number(view->out, page_text(view->texts, function_name(view->f, i)));
}

static void put_image(const RunView* view, uint32_t i, const void* arg)
{
   (void)arg;
   page_number(view->out, view->p->nodes[view->f->nodes[i]].image);
}

static void put_signed(const RunView* view, uint32_t i, const void* arg)
{
   fprintf(view->out, "%" PRId64, ((const int64_t*)arg)[i]);
}

/* Write the row of each function: the hottest routine that begins with the
   function; -1: none does. */
static void put_function_rows(const RunView* view)
{
   int64_t* rows = zalloc(view->f->n + (size_t)1, sizeof(*rows));

   for (uint32_t i = 0; i < view->f->n; i++)
      rows[i] = -1;
   for (uint32_t i = view->n_rows; i-- > 0; ) {
      uint32_t entry = view->p->routines[view->rows[i]].entry;
      if (entry < view->p->n_blocks && view->f->of[entry] != NO_FUNCTION)
         rows[view->f->of[entry]] = i;
   }
   put_column(view, "fRow", view->f->n, put_signed, rows);
   free(rows);
}

/* Write functions with the costs that the graph has; inclusive costs, if it has
   CALLS and a trace does not tell them. */
static void put_functions(const RunView* view)
{
   uint32_t      n = view->f->n;
   uint64_t      total;
   FunctionCost* costs = view->trace != NULL
                         ? function_costs(view->f, view->trace, ALL, &total)
                         : called_costs(view->f, ALL);
   uint64_t*     counts = zalloc(n + (size_t)1, sizeof(*counts));

   put_column(view, "fName", n, put_name, NULL);
   put_column(view, "fImage", n, put_image, NULL);
   put_function_rows(view);
   PUT_MEMBER(view, "fSelf", costs, self, n, counts);
   PUT_MEMBER(view, "fCalls", costs, calls, n, counts);
   if (view->trace != NULL || view->recorded)
      PUT_MEMBER(view, "fInclusive", costs, all, n, counts);
   FREE_ALL(counts, costs);
}

/*--- Calls                                                ---*/

/* CallSum: all calls of one function by another, and their instructions. */
typedef
   struct {
      uint32_t from, to;
      uint64_t count, cost;
   }
   CallSum;

COMPARE(by_call, CallSum, UP(from) ?: UP(to))

/* Return the calls between functions that the graph's edges tell, *N of them, to
   be freed. */
static CallSum* calls_of_edges(const RunView* view, size_t* n)
{
   CallSum* calls = NULL;
   size_t   all = 0, room = 0;

   *n = 0;
   for (uint32_t i = 0; i < view->p->n_edges; i++) {
      CallSum c = { .count = dcfg_edge_count(view->p, i, ALL) };
      if (c.count == 0
          || !function_call(view->f, &view->p->edges[i], &c.from, &c.to))
         continue;
      GROW(calls, all, room);
      calls[all++] = c;
   }
   SORT(calls, all, by_call);
   for (size_t i = 0; i < all; i++)
      if (*n > 0 && by_call(&calls[*n - 1], &calls[i]) == 0)
         add_count(&calls[*n - 1].count, calls[i].count);
      else
         calls[(*n)++] = calls[i];
   return calls;
}

/* Return the pairs of CALLS likewise, between its own functions. */
static CallSum* calls_recorded(const RunView* view, size_t* n)
{
   const DcfgCallSums* sums = view->p->calls;
   CallSum*            calls = zalloc(sums->n_pairs + (size_t)1,
                                      sizeof(*calls));

   *n = 0;
   for (uint32_t i = 0; i < sums->n_pairs; i++) {
      const DcfgPair* pair = &sums->pairs[i];
      CallSum         c = { pair->caller, pair->callee,
                            dcfg_pair_calls(view->p, i, ALL),
                            dcfg_pair_inclusive(view->p, i, ALL) };
      if (c.count > 0 || c.cost > 0)
         calls[(*n)++] = c;
   }
   return calls;
}

static void put_calls(const RunView* view)
{
   size_t    n;
   CallSum*  calls = view->recorded ? calls_recorded(view, &n)
                     : calls_of_edges(view, &n);
   uint64_t* counts = zalloc(n + 1, sizeof(*counts));

   PUT_MEMBER(view, "cFrom", calls, from, n, counts);
   PUT_MEMBER(view, "cTo", calls, to, n, counts);
   PUT_MEMBER(view, "cCount", calls, count, n, counts);
   if (view->recorded)
      PUT_MEMBER(view, "cCost", calls, cost, n, counts);
   FREE_ALL(counts, calls);
}

/*--- Functions of recorded calls                          ---*/

static void put_called_name(const RunView* view, uint32_t i, const void* arg)
{
   (void)arg;
   page_number(view->out, page_text(view->texts, called_name(&view->g, i)));
}

static void put_called_image(const RunView* view, uint32_t i, const void* arg)
{
   uint32_t image = view->p->calls->functions[i].image;

   (void)arg;
   fprintf(view->out, "%" PRId64, image == DCFG_NONE ? -1 : (int64_t)image);
}

/* Write the row of each function of CALLS: the routine that begins there; -1:
   none that ran.  With an older run, write the function of the source that
   begins there, too. */
static void put_called_rows(const RunView* view)
{
   uint32_t  n = view->p->calls->n_functions;
   int64_t*  rows = zalloc(n + (size_t)1, sizeof(*rows));
   int64_t*  sources = zalloc(n + (size_t)1, sizeof(*sources));

   for (uint32_t i = 0; i < n; i++) {
      uint32_t node = called_node(&view->g, i);
      uint32_t r = node == DCFG_NONE ? DCFG_NONE
                   : view->p->nodes[node].routine;
      rows[i] = r == DCFG_NONE || view->p->routines[r].entry != node
                || view->row[r] == DCFG_NONE ? -1 : (int64_t)view->row[r];
      sources[i] = called_function(view->f, i) == NO_FUNCTION ? -1
                   : (int64_t)called_function(view->f, i);
   }
   put_column(view, "kRow", n, put_signed, rows);
   if (view->old != NULL)
      put_column(view, "kFunction", n, put_signed, sources);
   FREE_ALL(rows, sources);
}

static void put_called(const RunView* view)
{
   uint32_t  n = view->p->calls->n_functions;
   uint64_t* counts = zalloc(n + (size_t)1, sizeof(*counts));

   put_column(view, "kName", n, put_called_name, NULL);
   put_column(view, "kImage", n, put_called_image, NULL);
   put_called_rows(view);
   for (uint32_t i = 0; i < n; i++)
      counts[i] = dcfg_function_self(view->p, i, ALL);
   view_counts(view, "kSelf", counts, n);
   for (uint32_t i = 0; i < n; i++)
      counts[i] = dcfg_function_inclusive(view->p, i, ALL);
   view_counts(view, "kInclusive", counts, n);
   free(counts);
}

/*--- Iterations, and costs of a log or a profile          ---*/

/* Write by loop [least, most, exponent, entries, ..]: the least and the most
   iterations of an entry; and for each exponent E, the number of entries with
   at least 2^E and less than 2^(E + 1) iterations. */
static void put_trips(const RunView* view)
{
   LoopTrips** trips = loop_trips(view->f, view->trace, ALL);

   page_column(view->out, "trips");
   for (uint32_t i = 0; i < view->p->n_loops; i++) {
      page_between(view->out, i == 0);
      putc('[', view->out);
      if (trips[i] != NULL) {
         view_count(view->out, trips[i]->least);
         putc(',', view->out);
         view_count(view->out, trips[i]->most);
         for (int k = 0; k < TRIP_BINS; k++)
            if (trips[i]->bins[k] > 0) {
               fprintf(view->out, ",%d,", k);
               view_count(view->out, trips[i]->bins[k]);
            }
      }
      putc(']', view->out);
   }
   putc(']', view->out);
   loop_trips_free(view->f, trips);
}

/* Write the command line of the profile, if the graph has none, and if nothing
   else tells them, the functions' inclusive costs. */
static void put_profile(const RunView* view)
{
   char*     command;
   uint64_t* costs = inclusive_of_profile(view, &command);

   if (run_command(view->p) == NULL) {
      page_member(view->out, ",\"command\":",
                  command == NULL ? "" : text_clean(command));
   }
   if (view->trace == NULL && !view->recorded && view->log == NULL)
      view_counts(view, "fInclusive", costs, view->f->n);
   FREE_ALL(command, costs);
}

void view_calls(const RunView* view)
{
   put_functions(view);
   put_calls(view);
   if (view->recorded)
      put_called(view);
   if (view->profile != NULL)
      put_profile(view);
   if (view->trace == NULL && !view->recorded && view->log != NULL) {
      uint64_t* costs = inclusive_of_log(view);
      view_counts(view, "fInclusive", costs, view->f->n);
      free(costs);
   }
   if (view->trace != NULL)
      put_trips(view);
}

/*--- Stacks                                               ---*/

#define MOST_STACKS  40000      // in the page
#define MOST_THREADS 64         // with more, no thread has its own stacks

COMPARE(by_count, uint64_t, ORDER(*y, *x))

/* Return the larger total of the two runs. */
static uint64_t larger(const Stack* s)
{
   return s->total[0] > s->total[1] ? s->total[0] : s->total[1];
}

/* Return the least total that a stack in the page must have, so that there are
   no more than MOST_STACKS. */
static uint64_t least_total(const StackTree* tree)
{
   uint64_t* totals;
   uint64_t  least = 1;

   if (tree->n <= MOST_STACKS)
      return 1;
   totals = zalloc(tree->n, sizeof(*totals));
   for (uint32_t i = 0; i < tree->n; i++)
      totals[i] = larger(&tree->stacks[i]);
   qsort(totals, tree->n, sizeof(*totals), by_count);
   least = totals[MOST_STACKS] + 1;
   free(totals);
   return least;
}

/* Add the stacks of TRACE to run RUN, 0 or 1, of TREE: those of THREAD; of all
   threads if that is NOT_GIVEN. */
static void add_thread(StackTree* tree, const Functions* f, const char* trace,
                       InlineView* inlined, uint64_t thread, int run)
{
   Select     what = SELECT_ALL;
   Selection* sel;

   what.thread = thread;
   sel = selection_new(&f->g, &what);
   if (inlined != NULL)
      tree_add_inlined(tree, f, trace, sel, inlined, run, INLINED_SUFFIX);
   else
      tree_add(tree, f, trace, sel, run);
   selection_free(sel);
}

/* ThreadStacks: the stacks of a thread, as pairs: the stack's number in the
   tree, and the instructions that the thread executed in it. */
typedef
   struct {
      uint64_t* numbers;
      size_t    n, room;
   }
   ThreadStacks;

/* Return the stacks of each thread, to be freed; NULL if there is only one
   thread, or more than MOST_THREADS.  TREE has the stacks of all threads.  Its
   second run, which this uses, is empty before and afterwards. */
static ThreadStacks* thread_stacks(const RunView* view, StackTree* tree)
{
   uint32_t      n = view->p->n_threads;
   ThreadStacks* all;

   if (n < 2 || n > MOST_THREADS)
      return NULL;
   all = zalloc(n, sizeof(*all));
   for (uint32_t k = 0; k < n; k++) {
      add_thread(tree, view->f, view->trace, view->inlined, k, 1);
      for (uint32_t i = 0; i < tree->n; i++) {
         if (tree->stacks[i].self[1] == 0)
            continue;
         GROW(all[k].numbers, all[k].n, all[k].room);
         all[k].numbers[all[k].n++] = i;
         GROW(all[k].numbers, all[k].n, all[k].room);
         all[k].numbers[all[k].n++] = tree->stacks[i].self[1];
         tree->stacks[i].self[1] = 0;
      }
   }
   return all;
}

/* Write the stacks of each thread, and free them.  If a stack is not in the
   page, take the nearest stack below it that is there, number N, and write -1 -
   N. */
static void put_threads(const RunView* view, const StackTree* tree,
                        const uint32_t* number, const bool* kept,
                        ThreadStacks* all)
{
   page_column(view->out, "sThreads");
   for (uint32_t k = 0; all != NULL && k < view->p->n_threads; k++) {
      page_between(view->out, k == 0);
      putc('[', view->out);
      for (size_t i = 0; i < all[k].n; i += 2) {
         uint32_t s = (uint32_t)all[k].numbers[i];
         while (!kept[s])
            s = tree->stacks[s].parent;
         page_between(view->out, i == 0);
         fprintf(view->out, "%" PRId64 ",", s == all[k].numbers[i]
                 ? (int64_t)number[s] : -1 - (int64_t)number[s]);
         view_count(view->out, all[k].numbers[i + 1]);
      }
      putc(']', view->out);
      free(all[k].numbers);
   }
   putc(']', view->out);
   free(all);
}

typedef enum { TOTAL, SELF } StackCount;

static void put_stack_counts(const RunView* view, const StackTree* tree,
                             const bool* kept, const char* name, int run,
                             StackCount which)
{
   bool first = true;

   page_column(view->out, name);
   for (uint32_t i = 0; i < tree->n; i++) {
      if (!kept[i])
         continue;
      page_between(view->out, first);
      first = false;
      view_count(view->out, which == TOTAL ? tree->stacks[i].total[run]
                 : tree->stacks[i].self[run]);
   }
   putc(']', view->out);
}

/* Write names and parents of the stacks.  A parent stands before its
   children. */
static void put_tree(const RunView* view, const StackTree* tree,
                     const bool* kept, const uint32_t* number)
{
   bool first = true;

   page_column(view->out, "sName");
   for (uint32_t i = 0; i < tree->n; i++)
      if (kept[i]) {
         page_between(view->out, i == 0);
         page_number(view->out, page_text(view->texts, i == 0 ? "all"
                                          : tree->stacks[i].name));
      }
   putc(']', view->out);
   page_column(view->out, "sParent");
   for (uint32_t i = 0; i < tree->n; i++)
      if (kept[i]) {
         page_between(view->out, first);
         first = false;
         page_number(view->out, number[tree->stacks[i].parent]);
      }
   putc(']', view->out);
}

/* Add the older run's stacks, with frames of inlined functions if the newer run
   has them. */
static void add_old(const RunView* view, StackTree* tree)
{
   Select      what = SELECT_ALL;
   Selection*  sel;
   InlineView* inlined = NULL;

   what.inlined = true;
   sel = selection_new(&view->old->g, &what);
   if (view->inlined != NULL)
      inlined = inline_view_new(&view->old->g, &what, sel, view->root);
   add_thread(tree, build_functions(view->old->builds, 0), view->old->trace,
              inlined, NOT_GIVEN, 1);
   inline_view_free(inlined);
   selection_free(sel);
}

void view_stacks(const RunView* view)
{
   StackTree*    t;
   ThreadStacks* threads;
   uint64_t      least;
   uint32_t      n = 0;
   uint32_t*     number;
   bool*         kept;
   bool          two = view->trace != NULL && view->old != NULL
                       && view->old->trace != NULL;

   if (view->trace == NULL && view->log == NULL)
      return;
   t = tree_new();
   if (view->trace != NULL)
      add_thread(t, view->f, view->trace, view->inlined, NOT_GIVEN, 0);
   else
      tree_add_log(t, view->log, NULL, view->g.mangled, 0);
   threads = view->trace != NULL ? thread_stacks(view, t) : NULL;
   if (two)
      add_old(view, t);
   free(tree_finish(t));
   least  = least_total(t);
   number = zalloc(t->n, sizeof(*number));
   kept   = zalloc(t->n, sizeof(*kept));
   for (uint32_t i = 0; i < t->n; i++) {
      kept[i] = i == 0 || larger(&t->stacks[i]) >= least;
      if (kept[i])
         number[i] = n++;
   }
   put_tree(view, t, kept, number);
   put_stack_counts(view, t, kept, "sTotal", 0, TOTAL);
   put_stack_counts(view, t, kept, "sSelf", 0, SELF);
   if (two) {
      put_stack_counts(view, t, kept, "sOldTotal", 1, TOTAL);
      put_stack_counts(view, t, kept, "sOldSelf", 1, SELF);
   }
   put_threads(view, t, number, kept, threads);
   fprintf(view->out, ",\"stacksLeft\":%" PRIu32, t->n - n);
   FREE_ALL(number, kept);
   tree_free(t);
}
