/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Running a recorded program forward and backward: where a run ends. */

/* Owns: where a step or a run ends, the stop reply, numbers of signals, the
   client's list of signals that do not stop.  Handed: points by gdb_points.c;
   packets by gdb_server.c.

   gdb has no range stepping backward: to leave a line with a loop, gdb sends a
   packet for each instruction of each iteration.  The server shortens that.  It
   remembers the states from which gdb stepped on in a sequence of backward
   steps.  After PATIENCE steps, a step skips states with the same program
   counter and stack pointer as one of those: gdb would step on from there, too.
   Breakpoints and watchpoints in between still stop.

   Forward, gdb sends the range of the line's addresses.  After PATIENCE steps
   in the range, the server searches for the thread's next instruction outside
   of it, which the index makes fast, and goes to the last step before. */

#include "cmd/gdb/gdb_session.h"

#include "cmd/base/cmd.h"

#include <signal.h>

/*--- Signals                                              ---*/

/* Return gdb's number of SIGNAL, a number of Linux, below N_GDB_SIGNALS. */
static unsigned signal_number(uint32_t signal)
{
   static const uint8_t numbers[] = {
      [SIGHUP] = 1, [SIGINT] = 2, [SIGQUIT] = 3, [SIGILL] = 4, [SIGTRAP] = 5,
      [SIGABRT] = 6, [SIGFPE] = 8, [SIGKILL] = 9, [SIGBUS] = 10,
      [SIGSEGV] = 11, [SIGSYS] = 12, [SIGPIPE] = 13, [SIGALRM] = 14,
      [SIGTERM] = 15, [SIGURG] = 16, [SIGSTOP] = 17, [SIGTSTP] = 18,
      [SIGCONT] = 19, [SIGCHLD] = 20, [SIGTTIN] = 21, [SIGTTOU] = 22,
      [SIGIO] = 23, [SIGXCPU] = 24, [SIGXFSZ] = 25, [SIGVTALRM] = 26,
      [SIGPROF] = 27, [SIGWINCH] = 28, [SIGUSR1] = 30, [SIGUSR2] = 31,
      [SIGPWR] = 32
   };
   static const unsigned unknown = 143;

   return signal < sizeof(numbers) && numbers[signal] != 0 ? numbers[signal]
          : signal == 32 ? 77 : signal > 32 && signal < 64 ? signal + 12
          : unknown;
}

bool gdb_pass_signals(GdbSignals* s, const char* text)
{
   GdbSignals new = { .wanted = true };
   uint64_t   n;

   while (*text != 0) {
      if (!gdb_take_number(&text, &n)
          || (*text != 0 && !gdb_take(&text, ';')))
         return false;
      if (n < N_GDB_SIGNALS)
         new.passes[n] = true;
   }
   *s = new;
   return true;
}

/* Return whether the program does not stop for SIGNAL, a number of Linux; 0:
   the trace does not tell it. */
static bool signal_passes(const GdbSignals* s, uint32_t signal)
{
   return signal == 0 || s->passes[signal_number(signal)];
}

#define PATIENCE 64

/* Signals, as the protocol numbers them. */
enum { SIGNAL_INT = 2, SIGNAL_TRAP = 5 };

/*--- Stops                                                ---*/

/* Append program counter, stack pointer and frame pointer, if they are known:
   gdb would read them at each stop. */
static void put_registers(GdbSession* g, GdbText* to)
{
   const StateRules* r = g->s->rules;

   for (size_t i = 0; i < r->n_rows; i++) {
      const StateRow* row = &r->rows[i];
      GdbText         t = { .n = 0 };
      if (row->source != STATE_PC
          && (row->source != STATE_GENERAL
              || (row->n != g->s->processor->stack
                  && row->n != g->s->processor->frame)))
         continue;
      gdb_put_row(g, g->thread, row, &t);
      if (strchr(t.data, 'x') == NULL)
         gdb_put(to, "%zx:%s;", i, t.data);
      gdb_text_free(&t);
   }
}

void gdb_note_stop(GdbSession* g, unsigned signal, const char* reason)
{
   g->stop.n     = 0;
   g->stopped    = g->thread;
   g->arrives    = false;
   g->looks_back = false;
   gdb_put(&g->stop, "T%02xthread:%" PRIx32 ";%s", signal, g->thread + 1,
           reason);
   put_registers(g, &g->stop);
}

void gdb_go(GdbSession* g, uint64_t t)
{
   g->time = t;
   if (!state_thread_at(g->s, t, &g->thread))
      g->thread = 0;
}

static void stop_at(GdbSession* g, uint64_t t, uint32_t thread,
                    const char* reason)
{
   g->time   = t;
   g->thread = thread;
   gdb_note_stop(g, SIGNAL_TRAP, reason);
}

/* Return the thread that runs at time T; the present one at the end. */
static uint32_t thread_of(GdbSession* g, uint64_t t)
{
   uint32_t thread = g->thread;

   state_thread_at(g->s, t, &thread);
   return thread;
}

static void stop_at_watch(GdbSession* g, const GdbHit* h, bool back)
{
   static const char* const names[N_POINT_KINDS] = {
      [POINT_WRITE] = "watch", [POINT_READ] = "rwatch",
      [POINT_ACCESS] = "awatch"
   };
   GdbText  t = { .n = 0 };

   gdb_put(&t, "%s:%" PRIx64 ";", names[h->point->kind], h->point->addr);
   stop_at(g, back ? h->time : h->time + 1, thread_of(g, h->time), t.data);
   gdb_text_free(&t);
}

static void stop_at_break(GdbSession* g, const GdbHit* h)
{
   stop_at(g, h->time, thread_of(g, h->time),
           h->point->kind == POINT_SOFTWARE ? "swbreak:;" : "hwbreak:;");
}

/* Stop at the begin or the end of the trace.  On arrival at the end of a
   program that a signal killed, report that signal. */
static void stop_at_end(GdbSession* g, bool back)
{
   uint64_t            t = back ? 0 : dcfg_cursor_end(g->s->cursor);
   const DcfgWetState* state = dcfg_wet_state(g->s->w);
   bool                comes = g->time != t;

   stop_at(g, t, thread_of(g, t),
           back ? "replaylog:begin;" : "replaylog:end;");
   if (comes && !back && state->end == DCFG_WET_END_SIGNAL)
      gdb_note_stop(g, signal_number(state->status), "");
}

/* Stop at time T, from where the libraries are others: those of time OF.  The
   client goes on by itself, but reads code for its breakpoints before.  Nothing
   else of time T is reported yet. */
static void stop_at_change(GdbSession* g, uint64_t t, uint32_t thread,
                           uint64_t of)
{
   gdb_list_libraries(g, of);
   stop_at(g, t, thread, "library:;");
   g->arrives    = true;
   g->looks_back = of < t;
}

/* If the client does not have the libraries of the time before which it goes
   BACK, or from which it goes on, tell it, and return true. */
static bool owes_libraries(GdbSession* g, bool back)
{
   bool arrives = g->arrives;

   back &= g->time > 0;
   if (!gdb_list_libraries(g, g->time - back))
      return false;
   gdb_note_stop(g, SIGNAL_TRAP, "library:;");
   g->arrives    = arrives;
   g->looks_back = back;
   return true;
}

static void stop_interrupted(GdbSession* g)
{
   gdb_forget_interrupt(&g->channel);
   gdb_note_stop(g, SIGNAL_INT, "");
}

static void stop_failed(GdbSession* g)
{
   DcfgError err;

   dcfg_cursor_error(g->s->cursor, &err);
   complain("%s: %s", g->file, err.reason);
   g->stop.n = 0;
   gdb_put(&g->stop, "E01");
}

/*--- Running                                              ---*/

/* If the client wants to know of a signal that comes before END, or if BACK of
   the last one from END on, set *S to it and return DCFG_CURSOR_FOUND. */
static DcfgCursorFound find_signal(GdbSession* g, uint64_t end, bool back,
                                   DcfgCursorSignal* s)
{
   uint64_t        t = back || g->arrives ? g->time : g->time + 1;
   DcfgCursorFound found;

   if (!g->signals.wanted)
      return DCFG_CURSOR_NONE;
   do {
      found = dcfg_cursor_find_signal(g->s->cursor, t, back, s);
      if (found == DCFG_CURSOR_FOUND && (back ? s->time < end
                                         : s->time >= end))
         found = DCFG_CURSOR_NONE;
      t = back ? s->time : s->time + 1;
   } while (found == DCFG_CURSOR_FOUND
            && signal_passes(&g->signals, s->signal));
   return found;
}

static void stop_at_signal(GdbSession* g, const DcfgCursorSignal* s)
{
   stop_at(g, s->time, s->thread, "");
   gdb_note_stop(g, signal_number(s->signal), "");
}

/* Run to the first point or signal before END, or if BACK to the last one from
   END on, and stop there.  An interrupt or an error is a stop, too.  Return
   false if there is no stop. */
static bool run_to_point(GdbSession* g, uint64_t end, bool back)
{
   GdbHit           at, watched;
   DcfgCursorFound  b, w, s;
   DcfgCursorSignal signal;

   w = points_find_watch(&g->points, g->s, g->time, end, back, &watched);
   if (w == DCFG_CURSOR_FOUND)
      end = back ? watched.time : watched.time + 1;
   b = w == DCFG_CURSOR_FOUND || w == DCFG_CURSOR_NONE
       ? points_find_break(&g->points, g->s, g->time, end, back, &at) : w;
   if (b == DCFG_CURSOR_FOUND)
      end = back ? at.time + 1 : at.time;
   s = b == DCFG_CURSOR_FOUND || b == DCFG_CURSOR_NONE
       ? find_signal(g, end, back, &signal) : b;
   if (s == DCFG_CURSOR_STOPPED || s == DCFG_CURSOR_FAILED) {
      if (s == DCFG_CURSOR_STOPPED)
         stop_interrupted(g);
      else
         stop_failed(g);
      return true;
   }
   /* Backward, a breakpoint and a watchpoint of the same instruction stop at
      the same time: report the watchpoint.  A breakpoint at the handler's first
      instruction stops where the signal would: report the breakpoint, which the
      client would not meet again. */
   if (s == DCFG_CURSOR_FOUND)
      stop_at_signal(g, &signal);
   else if (w == DCFG_CURSOR_FOUND
       && (b != DCFG_CURSOR_FOUND || (back && at.time == watched.time)))
      stop_at_watch(g, &watched, back);
   else if (b == DCFG_CURSOR_FOUND)
      stop_at_break(g, &at);
   return s == DCFG_CURSOR_FOUND || b == DCFG_CURSOR_FOUND
          || w == DCFG_CURSOR_FOUND;
}

/*--- Steps                                                ---*/

/* Set *T to the time after the next instruction of THREAD; if that has a REP
   prefix, after all its iterations. */
static DcfgCursorFound step_forward(GdbSession* g, uint32_t thread, uint64_t* t)
{
   DcfgCursor*            r = g->s->cursor;
   DcfgCursorFound        found = dcfg_cursor_find_thread(r, thread, g->time,
                                                          false, t);
   const DcfgCursorInstr* at;
   uint32_t               instr;
   uint64_t               next;
   bool                   again;

   if (found != DCFG_CURSOR_FOUND)
      return found;
   at    = dcfg_cursor_instr(r, *t);
   again = at != NULL && at->rep && at->n_accesses > 0;
   instr = at == NULL ? 0 : at->instr;
   while (again
          && dcfg_cursor_find_thread(r, thread, *t + 1, false, &next)
             == DCFG_CURSOR_FOUND) {
      at    = dcfg_cursor_instr(r, next);
      if (at == NULL || at->instr != instr)
         break;
      again = at->n_accesses > 0;
      *t    = next;
   }
   ++*t;
   return found;
}

/* Set *T to the time before the last instruction of THREAD that was executed
   before FROM, and *INSTR to that instruction.  If it has a REP prefix, *T is
   before its first iteration. */
static DcfgCursorFound step_back(GdbSession* g, uint32_t thread, uint64_t from,
                                 uint64_t* t, uint32_t* instr)
{
   DcfgCursor*            r = g->s->cursor;
   DcfgCursorFound        found = dcfg_cursor_before(r, thread, from, t,
                                                     instr);
   const DcfgCursorInstr* at;
   uint32_t               other;
   uint64_t               before;

   if (found != DCFG_CURSOR_FOUND || !dcfg_cursor_repeats(r, *instr))
      return found;
   while (dcfg_cursor_before(r, thread, *t, &before, &other)
          == DCFG_CURSOR_FOUND && other == *instr) {
      at = dcfg_cursor_instr(r, before);
      if (at == NULL || at->n_accesses == 0)
         break;
      *t = before;
   }
   return found;
}

/*--- Skipping states                                      ---*/

/* Return a hash of PC and of THREAD's stack pointer at time T; 0 if that is not
   known. */
static uint64_t key_of(GdbSession* g, uint32_t thread, uint64_t t, uint64_t pc)
{
   uint64_t   stack;
   StateValue v = state_general(g->s, thread, t, g->s->processor->stack);

   if ((v.known & 0xFF) != 0xFF)
      return 0;
   memcpy(&stack, v.bytes, 8);
   pc = pc * UINT64_C(0x9E3779B97F4A7C15) ^ stack;
   return pc == 0 ? 1 : pc;
}

/* Return the index of KEY, or the free one where it belongs; N_PASSED if there
   is no room. */
static unsigned find_key(const Passed* p, uint64_t key)
{
   unsigned at = (unsigned)(key >> 20) % N_PASSED;

   for (unsigned i = 0; i < N_PASSED / 2; i++, at = (at + 1) % N_PASSED)
      if (p->keys[at] == 0 || p->keys[at] == key)
         return at;
   return N_PASSED;
}

/* Remember the present state: the client steps backward from here. */
static void note_passed(GdbSession* g, uint32_t thread)
{
   Passed*  p = &g->passed;
   uint64_t key, pc;
   unsigned at;

   if (p->n == 0 || p->thread != thread)
      *p = (Passed){ .thread = thread };
   /* The user's command began here, so gdb would perhaps stop in this state if
      it came again. */
   if (p->n++ == 0)
      return;
   key = state_pc(g->s, thread, g->time, &pc)
         ? key_of(g, thread, g->time, pc) : 0;
   at  = find_key(p, key);
   if (key != 0 && at < N_PASSED)
      p->keys[at] = key;
}

/* Return whether a backward step of THREAD to INSTR at time T skips that
   state. */
static bool is_passed(GdbSession* g, uint32_t thread, uint64_t t,
                      uint32_t instr)
{
   uint64_t key;
   unsigned at;

   if (g->exact || g->passed.n <= PATIENCE)
      return false;
   key = key_of(g, thread, t, g->s->addrs[instr]);
   at  = find_key(&g->passed, key);
   return key != 0 && at < N_PASSED && g->passed.keys[at] == key;
}

/*--- Requests                                             ---*/

static void run_step_back(GdbSession* g, uint32_t thread)
{
   uint64_t        t = g->time, change = gdb_libraries_change(g, true);
   uint32_t        instr, n = 0;
   DcfgCursorFound found;

   note_passed(g, thread);
   do
      found = step_back(g, thread, t, &t, &instr);
   while (found == DCFG_CURSOR_FOUND
          && (++n % 4096 != 0 || !state_is_stopped(g->s))
          && is_passed(g, thread, t, instr));
   if (found == DCFG_CURSOR_FAILED) {
      stop_failed(g);
      return;
   }
   if (found != DCFG_CURSOR_FOUND)
      t = 0;
   if (change > t) {
      if (!run_to_point(g, change, true))
         stop_at_change(g, change, thread, change - 1);
      return;
   }
   /* Points of other threads, or in skipped states, stop before the step ends.
      gdb itself looks for a breakpoint where the step ends. */
   if (g->points.n > 0
       && run_to_point(g, found == DCFG_CURSOR_FOUND ? t : 0, true))
      return;
   if (found != DCFG_CURSOR_FOUND)
      stop_at_end(g, true);
   else
      stop_at(g, t, thread, "");
}

static void run_step_forward(GdbSession* g, uint32_t thread)
{
   uint64_t        t;
   DcfgCursorFound found = step_forward(g, thread, &t);
   uint64_t        begin = g->time;
   uint64_t        change = gdb_libraries_change(g, false);

   if (found == DCFG_CURSOR_FAILED) {
      stop_failed(g);
      return;
   }
   if (found != DCFG_CURSOR_FOUND)
      t = dcfg_cursor_end(g->s->cursor);
   if (change < t) {
      if (!run_to_point(g, change, false))
         stop_at_change(g, change, thread, change);
      return;
   }
   /* The breakpoint at the present instruction does not stop the step. */
   if (g->points.n > 0) {
      uint32_t now = thread_of(g, begin);
      GdbHit   watched;
      if (now != thread || found != DCFG_CURSOR_FOUND) {
         if (run_to_point(g, t, false))
            return;
      } else if (points_find_watch(&g->points, g->s, begin, t, false,
                                   &watched) == DCFG_CURSOR_FOUND) {
         stop_at_watch(g, &watched, false);
         return;
      }
   }
   if (found != DCFG_CURSOR_FOUND || t == dcfg_cursor_end(g->s->cursor))
      stop_at_end(g, false);
   else {
      thread = state_has_thread(g->s, thread, t) ? thread : thread_of(g, t);
      /* The client steps once more: see gdb_run(). */
      g->goes = gdb_list_libraries(g, t);
      g->goal = t;
      stop_at(g, t, thread, g->goes ? "library:;" : "");
   }
}

/* Run on, or BACK, up to the next stop. */
static void run_on(GdbSession* g, bool back)
{
   uint64_t change = gdb_libraries_change(g, back);
   uint64_t end = dcfg_cursor_end(g->s->cursor);

   if (run_to_point(g, change, back))
      return;
   if (back ? change > 0 : change < end)
      stop_at_change(g, change, thread_of(g, change), change - back);
   else
      stop_at_end(g, back);
}

void gdb_run(GdbSession* g, RunHow how, bool back)
{
   uint32_t thread = g->run_thread != DCFG_NONE
                     && state_has_thread(g->s, g->run_thread, g->time)
                     ? g->run_thread : g->thread;

   /* An interrupt may come between the steps of one command of the user. */
   if (gdb_is_interrupted(&g->channel)) {
      stop_interrupted(g);
      return;
   }
   if (how != RUN_STEP || !back)
      g->passed.n = 0;
   if (g->goes) {
      g->passed.n = 0;
      if (g->goal != g->time)
         gdb_go(g, g->goal);
      else
         g->thread = g->stopped;
      g->stopped = g->thread;
      if (owes_libraries(g, false))
         return;
      g->goes = false;
      if (how == RUN_STEP) {
         gdb_note_stop(g, SIGNAL_TRAP, "");
         return;
      }
   }
   if (owes_libraries(g, back))
      return;
   if (back ? g->time == 0
       : g->time >= dcfg_cursor_end(g->s->cursor)) {
      stop_at_end(g, back);
   } else if (how == RUN_STEP) {
      if (back)
         run_step_back(g, thread);
      else
         run_step_forward(g, thread);
   } else {
      run_on(g, back);
   }
}

/*--- Ranges                                               ---*/

/* Return whether the last stop is the mere end of a step, at an address from
   LOW up to HIGH without a breakpoint.  A reply with a reason is no mere
   step. */
static bool is_in_range(GdbSession* g, uint64_t low, uint64_t high)
{
   static const char* const reasons[] = { "break:", "watch:", "replaylog:",
                                          "library:" };
   uint64_t pc;

   for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
      if (strstr(g->stop.data, reasons[i]) != NULL)
         return false;
   return strncmp(g->stop.data, "T05", 3) == 0
          && state_pc(g->s, g->thread, g->time, &pc) && pc >= low
          && pc < high && !points_has(&g->points, pc);
}

/* Return the set of the instructions outside LOW up to HIGH; NULL if memory is
   short. */
static DcfgCursorSet* instrs_outside(const ProgramState* s, uint64_t low,
                                     uint64_t high)
{
   uint32_t       n = dcfg_wet_instrs(s->w), n_out = 0;
   uint32_t*      out = zalloc(n + (size_t)1, sizeof(*out));
   DcfgCursorSet* set;

   for (uint32_t i = 0; i < n; i++)
      if (s->addrs[i] < low || s->addrs[i] >= high)
         out[n_out++] = i;
   set = dcfg_cursor_set_new(s->cursor, out, n_out);
   free(out);
   return set;
}

/* The thread is at an instruction of the range.  Go to its last one before it
   leaves LOW up to HIGH or the libraries change, or to an earlier stop. */
static void skip_range(GdbSession* g, uint64_t low, uint64_t high)
{
   DcfgCursorSet*  set = instrs_outside(g->s, low, high);
   uint64_t        t = dcfg_cursor_end(g->s->cursor), change;
   uint32_t        thread = g->thread, instr;
   DcfgCursorFound found = set == NULL ? DCFG_CURSOR_FAILED
                           : dcfg_cursor_find_instr(g->s->cursor, set, thread,
                                                    g->time, false, &t);

   dcfg_cursor_set_free(g->s->cursor, set);
   change = gdb_libraries_change(g, false);
   if (found == DCFG_CURSOR_FOUND || found == DCFG_CURSOR_NONE)
      found = dcfg_cursor_before(g->s->cursor, thread,
                                 t < change ? t : change, &t, &instr);
   if (found == DCFG_CURSOR_STOPPED)
      stop_interrupted(g);
   else if (found == DCFG_CURSOR_FAILED)
      stop_failed(g);
   else if (found == DCFG_CURSOR_FOUND && t > g->time
            && (g->points.n == 0 || !run_to_point(g, t, false)))
      stop_at(g, t, thread, "");
}

void gdb_run_range(GdbSession* g, uint64_t low, uint64_t high)
{
   uint32_t n = 0;

   do {
      if (++n == PATIENCE)
         skip_range(g, low, high);
      if (n != PATIENCE || is_in_range(g, low, high))
         gdb_run(g, RUN_STEP, false);
   } while (is_in_range(g, low, high) && !gdb_is_interrupted(&g->channel));
}
