/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the active functions of each thread, the choice of those that are
   logged, and their numbers in logs.  Handed: calls and returns by
   tool/calls/follow.c, the life of threads by tool/run/thread.c, functions of
   an earlier map by tool/xray/elf_map.c.  Each event is given to all formats
   of logs.

   A tick is an instruction that the thread has executed.  The first tick is 1,
   before any instruction.

   A thread that changes its stack (tool/calls/switch.c) is another thread in the
   logs meanwhile: each such stack has active functions, logs and ticks of its
   own.

   The core runs one thread at a time, and a thread runs on one stack at a time:
   they have turns.  The time of a tick is the tick and the instructions that all
   others executed before the turn.  So it is enough to add up at the begin of a
   turn what the turn before has executed.

   Only the end of a call tells whether it is long enough.  Until then its
   entry waits.  When a call turns out to be long enough, all waiting entries
   are logged, the outermost first.  Waiting entries are always the innermost
   part of the stack: when a function is logged, all functions around it have
   been logged, and no record between is newer. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"
#include "tool/base/core.h"
#include "tool/arch/guest.h"
#include "tool/base/options.h"
#include "tool/calls/active.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/dcfg_output.h"
#include "tool/run/thread.h"

typedef
   enum {
      NotAsked,
      IsWanted,
      IsNotWanted
   }
   Choice;

/* Known: a function of tool/calls/function.h. */
typedef
   struct {
      UInt  id;          // 0: none yet
      UChar choice;      // Choice
   }
   Known;

/* Reserved: a function of an earlier map. */
typedef
   struct {
      Function f;
      UInt     id;
   }
   Reserved;

static Known*       known;       // by number, from 0
static UInt         n_known;
static XArray*      named;       // Function, by id from 1
static OSet*        reserved;    // Reserved; sorted by pointers of names
static Globs        wanted_names;
static Globs        wanted_objects;

/*--- Which functions are logged                           ---*/

static Bool choose(const Function* f)
{
   Bool name   = wanted_names.n == 0
                 || DCFG_(globs_fit_name)(&wanted_names, f->name);
   Bool object = wanted_objects.n == 0
                 || DCFG_(globs_fit_path)(&wanted_objects, f->object);

   return name && object;
}

static Known* known_function(UInt function)
{
   if (function >= n_known) {
      UInt n = 2 * function + 256;
      known  = VG_(realloc)("dcfg.ids.known", known, n * sizeof(Known));
      VG_(memset)(known + n_known, 0, (n - n_known) * sizeof(Known));
      n_known = n;
   }
   return &known[function];
}

/* Return whether to log FUNCTION, a number of tool/calls/function.h. */
static Bool is_function_wanted(UInt function)
{
   Known* k;

   if (wanted_names.n == 0 && wanted_objects.n == 0)
      return True;
   k = known_function(function);
   if (k->choice == NotAsked)
      k->choice = choose(DCFG_(function)(function)) ? IsWanted : IsNotWanted;
   return k->choice == IsWanted;
}

/*--- The numbers of functions                             ---*/

static UInt add_named(const Function* f)
{
   if (named == NULL)
      named = DCFG_NEW_ARRAY("dcfg.ids.named", Function);
   VG_(addToXA)(named, f);
   return VG_(sizeXA)(named);
}

void DCFG_(reserve_id)(const Function* f)
{
   if (reserved == NULL)
      reserved = VG_(OSetGen_Create)(0, DCFG_(cmp_functions), VG_(malloc),
                                     "dcfg.ids.reserved", VG_(free));
   UInt id = add_named(f);
   if (VG_(OSetGen_Contains)(reserved, f))
      return;
   Reserved* r = VG_(OSetGen_AllocNode)(reserved, sizeof(*r));
   r->f  = *f;
   r->id = id;
   VG_(OSetGen_Insert)(reserved, r);
}

static UInt new_id(UInt function)
{
   const Function* f = DCFG_(function)(function);
   const Reserved* r = reserved == NULL ? NULL
                                        : VG_(OSetGen_Lookup)(reserved, f);

   if (r == NULL)
      return add_named(f);
   *(Function*)VG_(indexXA)(named, r->id - 1) = *f;
   return r->id;
}

/* Return FUNCTION's number in logs, from 1, which it gets at the first call. */
static UInt id_of_function(UInt function)
{
   Known* k;

   if (function < n_known && known[function].id != 0)
      return known[function].id;
   k     = known_function(function);
   k->id = new_id(function);
   return k->id;
}

UInt DCFG_(n_ids)(void)
{
   return named == NULL ? 0 : VG_(sizeXA)(named);
}

const Function* DCFG_(named)(UInt id)
{
   Function* f = VG_(indexXA)(named, id - 1);

   DCFG_(name_function)(f);
   return f;
}

/*--- Active functions                                     ---*/

typedef
   struct {
      UInt  function;      // number of tool/calls/function.h
      UInt  id;            // in the log; 0: not logged
      Bool  is_wanted;
      Bool  is_start;      // does it have arguments?
      Moment at;
   }
   Entry;

typedef UWord Args[DCFG_N_ARGS];

struct _Active {
   UInt       number;       // the thread's or stack's
   CellArray* cells;        // NULL: no thread is there
   CellArray* idle_cells;
   struct _Active* now;     // a thread's: the one where it is
   struct _Active* thread;  // the thread's that is here, or NULL
   Bool       is_stale;     // the logs of a stack that was left must begin anew
   ULong      tick;         // the last one, if no thread is here or it has ended
   ULong      turn;         // the tick at the begin of its last turn
   ULong      others;       // instructions of others before that turn
   Entry*     entries;      // outermost first
   Args*      args;         // arguments of .entries, if wanted
   UInt       n, room;
   UInt       n_done;       // entries that do not wait
   UInt       n_logged;     // logged ones among these
   void*      logs[DCFG_MAX_CALL_LOGS];  // for each format; or NULL
   Bool       has_ended;
   Bool       is_off;       // its calls are not logged now
};

LogOptions DCFG_(log_options);

static const CallLog* formats[DCFG_MAX_CALL_LOGS];
static UInt           n_formats;
static Bool           with_args;     // does a format want arguments?

static CellNo slot;         // the slot of the Active where a thread is
static XArray* stacks;      // Active*: those of stacks
static UInt   watcher;      // the watcher's number

static Active* active_of(ULong* base)
{
   return (Active*)(Addr)base[slot];
}

/*--- Turns                                                ---*/

static Active* running;     // the one that has the turn, or had the last one
static ULong   n_before;    // instructions of all in the turns before

static Moment moment_of(const Active* a, ULong tick)
{
   return (Moment){ tick, tick + a->others };
}

/* Return the present tick of A. */
static ULong tick_of(const Active* a)
{
   return a->has_ended || a->thread == NULL
          ? a->tick : DCFG_(instrs_on_stack)(a->thread->number) + 1;
}

/* The turn of A begins at TICK, unless it goes on. */
static void begin_turn(Active* a, ULong tick)
{
   if (running == a)
      return;
   if (running != NULL)
      n_before += tick_of(running) - running->turn;
   running   = a;
   a->turn   = tick;
   a->others = n_before + 1 - tick;
}

/* All ticks and times begin anew. */
static void forget_turns(Active* a)
{
   a->tick   = a->turn = 1;
   a->others = 0;
}

ULong DCFG_(begin_of_turn)(const Active* active)
{
   return active->turn;
}

/*--- Arguments                                            ---*/

static void read_args(Args to)
{
   const Guest* g    = &DCFG_(guest);
   ThreadId     tid  = VG_(get_running_tid)();
   Addr         args = VG_(get_SP)(tid) + sizeof(Addr);

   VG_(memset)(to, 0, sizeof(Args));
   if (!g->arguments_on_stack)
      for (UInt i = 0; i < DCFG_N_ARGS && i < g->n_argument_registers; i++)
         VG_(get_shadow_regs_area)(tid, (UChar*)&to[i], 0,
                                   g->argument_registers[i], sizeof(to[i]));
   else if (VG_(am_is_valid_for_client)(args, sizeof(Args), VKI_PROT_READ))
      VG_(memcpy)(to, (void*)args, sizeof(Args));
}

/*--- Logging                                              ---*/

static void log_entry(Active* active, UInt i)
{
   Entry*       e    = &active->entries[i];
   const UWord* args = e->is_start && active->args != NULL
                       ? active->args[i] : NULL;

   e->id = id_of_function(e->function);
   for (UInt f = 0; f < n_formats; f++)
      if (active->logs[f] != NULL)
         formats[f]->enter(active->logs[f], e->id, active->n_logged, e->at,
                           args);
   active->n_logged++;
}

/* Log all waiting entries. */
static inline void log_waiting(Active* active)
{
   for (; active->n_done < active->n; active->n_done++)
      if (active->entries[active->n_done].is_wanted)
         log_entry(active, active->n_done);
}

static inline Bool is_long_enough(const Entry* e, ULong tick)
{
   return tick - e->at.tick >= DCFG_(log_options).min_instrs;
}

static void enter(ULong* base, UInt function, ULong instrs, Bool is_start)
{
   const LogOptions* o = &DCFG_(log_options);
   Active*           a = active_of(base);

   if (a->n == a->room) {
      a->room    = a->room == 0 ? 64 : 2 * a->room;
      a->entries = VG_(realloc)("dcfg.active.entries", a->entries,
                                a->room * sizeof(Entry));
      if (with_args)
         a->args = VG_(realloc)("dcfg.active.args", a->args,
                                a->room * sizeof(Args));
   }
   Entry* e     = &a->entries[a->n];
   e->function  = function;
   e->id        = 0;
   e->is_start  = is_start;
   e->at        = moment_of(a, instrs + 1);
   e->is_wanted = (is_function_wanted(function)
                   && (o->depth == 0 || a->n < o->depth))
                  || a->n == 0;
   if (with_args && is_start)
      read_args(a->args[a->n]);
   a->n++;
   if (!a->is_off && (o->min_instrs == 0 || a->n == 1))
      log_waiting(a);
}

static inline void log_exit(Active* active, const Entry* e, Moment at,
                            Bool by_jump)
{
   if (e->id == 0)
      return;
   for (UInt f = 0; f < n_formats; f++)
      if (active->logs[f] != NULL)
         formats[f]->leave(active->logs[f], e->id, active->n_logged - 1, at,
                           by_jump);
   active->n_logged--;
}

static void leave(ULong* base, ULong instrs, Bool by_jump)
{
   Active*      a    = active_of(base);
   ULong        tick = instrs + 1;
   const Entry* e;

   tl_assert(a->n > 0);
   e = &a->entries[a->n - 1];
   if (!a->is_off) {
      if (a->n_done < a->n && e->is_wanted && is_long_enough(e, tick))
         log_waiting(a);
      if (a->n_done == a->n) {
         log_exit(a, e, moment_of(a, tick), by_jump);
         a->n_done--;
      }
   }
   a->n--;
   if (a->n == 0)
      a->tick = tick;
}

/* Begin new logs with the same active functions, as if they were entered at
   TICK. */
static void enter_again(Active* active, ULong tick)
{
   for (UInt i = 0; i < active->n; i++) {
      active->entries[i].id   = 0;
      active->entries[i].at = moment_of(active, tick);
   }
   active->n_done = active->n_logged = 0;
   if (DCFG_(log_options).min_instrs == 0 && !active->is_off)
      log_waiting(active);
}

/* Log the waiting entries that are long enough at TICK. */
static void log_long_ones(Active* active, ULong tick)
{
   UInt n = active->n;

   while (active->n > active->n_done
          && !(active->entries[active->n - 1].is_wanted
               && is_long_enough(&active->entries[active->n - 1], tick)))
      active->n--;
   log_waiting(active);
   active->n = n;
}

/* Leave the active functions when collecting is turned off; enter them when it
   is turned on. */
static void turn(ULong* base, ULong instrs, Bool on)
{
   Active* a    = active_of(base);
   ULong   tick = instrs + 1;

   if (a->is_off == !on)
      return;
   if (!on) {
      log_long_ones(a, tick);
      for (; a->n_done > 0; a->n_done--)
         log_exit(a, &a->entries[a->n_done - 1], moment_of(a, tick), False);
   }
   a->is_off = !on;
   if (on)
      enter_again(a, tick);
}

UInt DCFG_(n_active)(const Active* active)
{
   return active->has_ended || active->is_stale ? 0 : active->n_logged;
}

void DCFG_(leave_active)(const Active* active, Moment at,
                         void (*tell)(void* log, UInt id, UInt depth,
                                      Moment at, Bool by_jump),
                         void* log)
{
   UInt depth = active->n_logged;

   if (active->has_ended || active->is_stale)
      return;
   for (UInt i = active->n_done; i > 0; i--)
      if (active->entries[i - 1].id != 0)
         tell(log, active->entries[i - 1].id, --depth, at, False);
}

/*--- Marks                                                ---*/

static Bool takes_text(const Active* active, UInt f)
{
   return active->logs[f] != NULL && formats[f]->text != NULL
          && !formats[f]->is_full(active->logs[f]);
}

/* Log the enclosing calls, too, even if they turn out shorter than the
   minimum. */
void DCFG_(mark_log)(UInt thread, const HChar* text)
{
   Active* first = DCFG_(thread_state)(thread, watcher);
   Active* a     = first->now;

   for (UInt f = 0; f < n_formats && !a->is_off && a->n > 0; f++) {
      if (takes_text(a, f))
         log_waiting(a);
      if (takes_text(a, f))
         formats[f]->text(a->logs[f], text, moment_of(a, tick_of(a)));
   }
}

/*--- Threads                                              ---*/

static void start_logs(Active* active, UInt index)
{
   for (UInt f = 0; f < n_formats; f++)
      active->logs[f] = formats[f]->begin(index, active);
}

static void delete_logs(Active* active)
{
   for (UInt f = 0; f < n_formats; f++) {
      if (active->logs[f] != NULL)
         formats[f]->delete(active->logs[f]);
      active->logs[f] = NULL;
   }
}

/* Thread FIRST is where A is. */
static void set_place(Active* first, Active* a)
{
   first->now->thread = NULL;
   first->now         = a;
   a->thread          = first;
   DCFG_(cell_base)(first->cells)[slot] = (Addr)a;
   if (first->idle_cells != NULL)
      DCFG_(cell_base)(first->idle_cells)[slot] = (Addr)a;
}

static Active* make_active(UInt number)
{
   Active* a = VG_(calloc)("dcfg.active", 1, sizeof(*a));

   a->number = number;
   a->now    = a;
   forget_turns(a);
   start_logs(a, number);
   return a;
}

static void* new_active(CellArray* cells, UInt index)
{
   Active* a = make_active(index);

   a->cells = cells;
   set_place(a, a);
   return a;
}

/* Return whether another thread is on the own stack of the thread that A is of. */
static Bool is_lent(const Active* a)
{
   return a->thread != NULL && a->thread != a;
}

/* A is a stack's from now on. */
static void keep_stack(Active* a)
{
   if (stacks == NULL)
      stacks = DCFG_NEW_ARRAY("dcfg.active.stacks", Active*);
   a->number = DCFG_FIRST_STACK + VG_(sizeXA)(stacks);
   VG_(addToXA)(stacks, &a);
}

static void delete_active(void* s)
{
   Active* a = s;

   if (a->now->thread == a)
      a->now->thread = NULL;
   delete_logs(a);
   if (is_lent(a)) {
      a->now        = a;
      a->idle_cells = NULL;
      keep_stack(a);
      return;
   }
   if (running == a)
      running = NULL;
   DCFG_FREE_ALL(a->entries, a->args, a);
}

/* Delete the logs of all threads and stacks, before the first of them begins
   anew. */
static void delete_all_logs(void)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      delete_logs(DCFG_(thread_state)(t, watcher));
   for (UInt i = 0; i < DCFG_(n_logged_stacks)(); i++) {
      Active* a = *(Active**)VG_(indexXA)(stacks, i);
      delete_logs(a);
      a->is_stale = True;
      forget_turns(a);
   }
   n_before = 0;
   for (UInt f = 0; f < n_formats; f++)
      if (formats[f]->restart != NULL)
         formats[f]->restart();
}

static void begin_again(Active* a)
{
   a->is_stale = False;
   start_logs(a, a->number);
   enter_again(a, 1);
}

static void* restart(void* s, CellArray* cells, UInt index, Restart why)
{
   Active* a = s;

   if (index == 0)
      delete_all_logs();
   a->number    = index;
   a->cells     = cells;
   a->has_ended = False;
   if (!is_lent(a)) {
      a->is_stale = True;
      forget_turns(a);
   }
   if (a->now == a && is_lent(a))
      return a;
   set_place(a, a->now);
   begin_again(a->now);
   return a;
}

static void have_idle_cells(void* s, CellArray* cells)
{
   Active* a = s;

   a->idle_cells = cells;
   set_place(a, a->now);
}

/*--- Stacks                                               ---*/

Bool DCFG_(has_run_on_own)(UInt thread)
{
   ThreadInfo info;

   DCFG_(thread_info)(thread, &info);
   return info.ran || tick_of(DCFG_(thread_state)(thread, watcher)) > 1;
}

UInt DCFG_(n_logged_stacks)(void)
{
   return stacks == NULL ? 0 : VG_(sizeXA)(stacks);
}

static Active* add_stack(void)
{
   Active* a = make_active(DCFG_FIRST_STACK + DCFG_(n_logged_stacks)());

   keep_stack(a);
   return a;
}

static void* change_stack(ULong* base, void* to, Bool anew, ULong instrs)
{
   Active* a      = active_of(base);
   Active* thread = a->thread;
   Active* b      = to == NULL ? add_stack() : to;

   a->tick = instrs + 1;
   if (to == NULL)
      b->is_off = a->is_off;
   set_place(thread, b);
   begin_turn(b, b->tick);
   if (b->is_stale)
      begin_again(b);
   while (anew && b->n > 0)
      leave(base, b->tick - 1, False);
   return a;
}

static void end(void* s)
{
   Active* a = s;

   a->idle_cells = NULL;
   /* Another thread is on its own stack. */
   if (a->now != a) {
      a->now->thread = NULL;
      a->now         = a;
      return;
   }
   if (is_lent(a))
      return;
   a->has_ended = True;
   for (UInt f = 0; f < n_formats; f++)
      if (a->logs[f] != NULL)
         formats[f]->finish(a->logs[f]);
   DCFG_FREE_ALL(a->entries, a->args);
   a->entries = NULL;
   a->args    = NULL;
   a->room    = 0;
}

/* The stack's watcher enters functions when a thread is resumed, so its turn must
   have begun: this watcher is registered before that one, and has the thread's
   cells. */
static void* note_cells(CellArray* cells, UInt index)
{
   return cells;
}

static void* note_new_cells(void* s, CellArray* cells, UInt index, Restart why)
{
   return cells;
}

static void resume(void* cells, Addr ip, Addr sp)
{
   Active* a = active_of(DCFG_(cell_base)(cells));

   begin_turn(a, tick_of(a));
}

static const Watcher turns = {
   .thread_new = note_cells,
   .restart    = note_new_cells,
   .resume     = resume
};

static const Watcher watches = {
   .thread_new  = new_active,
   .thread_free = delete_active,
   .restart     = restart,
   .idle_cells  = have_idle_cells,
   .thread_end  = end
};

static CallListener listener = { enter, leave, turn, change_stack, 0, NULL };

/* Restrict logs to the functions that GLOBS choose, unless it is NULL. */
static void restrict_logs(const HChar* opt, const HChar* globs, Globs* wanted)
{
   if (globs == NULL || DCFG_(add_globs)(wanted, opt, globs))
      return;
   DCFG_FAIL("%s=%s: a name in the list is empty\n", opt, globs);
}

static void start_logging(void)
{
   restrict_logs("--xray-functions", DCFG_(log_options).functions,
                 &wanted_names);
   restrict_logs("--xray-images", DCFG_(log_options).images,
                 &wanted_objects);
   slot = DCFG_(claim_slots)(1);
   /* Register in this order: calls that end with their thread must be logged
      before the log ends. */
   DCFG_(watch)(&turns);
   DCFG_(listen_to_calls)(&listener);
   watcher = DCFG_(watch)(&watches);
}

UInt DCFG_(log_calls)(const CallLog* l, Bool args)
{
   tl_assert(n_formats < DCFG_MAX_CALL_LOGS);
   if (n_formats == 0)
      start_logging();
   if (args) {
      with_args            = True;
      listener.n_registers = DCFG_(guest).n_argument_registers;
      listener.registers   = DCFG_(guest).argument_registers;
   }
   formats[n_formats] = l;
   return n_formats++;
}

/*--- Writing                                              ---*/

void* DCFG_(log_of_thread)(UInt format, UInt thread,
                           /*OUT*/const Active** active, /*OUT*/Moment* now)
{
   const Bool is_stack = thread >= DCFG_FIRST_STACK;
   Active*    of = is_stack ? *(Active**)VG_(indexXA)(stacks,
                                                      thread - DCFG_FIRST_STACK)
                            : DCFG_(thread_state)(thread, watcher);

   *active = of;
   *now    = moment_of(of, tick_of(of));
   if (!of->has_ended && !of->is_off && !of->is_stale)
      log_long_ones(of, now->tick);
   return of->logs[format];
}
