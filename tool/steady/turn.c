/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: which thread runs next, and for how long. Handed: the events of
   threads and their system calls, by tool/steady/steady.c.

   One thread has the turn. It keeps it for a number of superblocks, or until
   it sleeps in a system call. Then the next thread that can run gets it, in
   the order of their numbers. The core counts superblocks anyway, and stops a
   thread when its counter is down. So a turn's end is where the counter says,
   whatever else the core does.

   The gate. The core asks take_turn() each time when it is about to run code.
   A thread without the turn gets a counter of zero: it leaves the code before
   the first superblock. The gate does not give up the core's lock, for the
   core has already chosen the code to run, and other threads could have it
   discarded. When the thread has left the code, it naps without the lock, and
   the core looks at signals before it asks again.

   Whether a thread sleeps is the kernel's to say: /proc/self/task/N/stat and
   syscall tell. So futexes, pipes and joins need no model. Nobody gets the
   turn while any thread is on its way in the kernel, for it may wake others or
   change what they read. A thread that waits for the core's lock is back.

   The end of a thread. The kernel clears the thread's number, for which others
   wait in pthread_join(), some time after the core has seen the last of the
   thread. All wait until the thread is gone from /proc.

   Time. The kernel's time goes on while the false clock hardly does. So a call
   whose time is over may have ended too early for the false clock. Then the
   thread waits here until the clock is there: until turns have taken that
   long, or no other thread can run. In the latter case the clock is set.
   Meanwhile the thread is woken as if it slept: by what it polls, or by others
   that wake its futex. A futex has a queue, so a wait for one with a deadline
   is always here, never in the kernel. On the other hand, nobody gets the turn
   before a deadline that is over for the false clock alone. */

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/base/options.h"
#include "tool/steady/answers.h"
#include "tool/steady/turn.h"

#define TURN      100000u      // superblocks
#define TURN_TIME 100000u      // nanoseconds of the false clock

/* Microseconds of a nap: below SHORT_NAPS it is none. */
#define SHORT_NAPS  5u
#define LONGEST_NAP 320u
#define MOST_NAPS   30u

typedef enum {
   IsNone,
   IsReady,      // runs, or can
   IsInCall,     // has begun a system call and is not back
   IsEarly,      // is back too early for the false clock
   IsGone        // has ended for the core, perhaps not for the kernel
} TurnState;

typedef
   struct {
      TurnState state;
      Int       lwp;           // the kernel's number
      UInt      sysno;         // its last system call
      Bool      called;        // has it made one since it last ran code?
      Bool      yields;        // was that sched_yield?
      Bool      late;          // is its result still to be told?
      ULong     order;         // system calls before it
      Wait      wait;
      UInt      told;          // has it been given the turn in its nap?
      UInt      nap;           // microseconds of its next nap
   }
   ThreadTurn;

static Bool     is_on;
static ThreadTurn* turns;               // by ThreadId
static UInt     end_of_turns;  // above the highest number so far
static UInt     n_alive, n_gone;
static Bool     takes_time;
static Int      tasks = -1;    // the directory /proc/self/task

static ThreadId holder = 1;    // has the turn
static UInt     used;          // superblocks that it has run in this turn
static UInt     granted;       // those that it may run until it stops; 0: any
static Bool     is_over;       // has it run all?
static Bool     was_last;      // might it run one superblock only, last time?
static Bool     sent_back;     // does the thread at the gate run nothing?
static ULong    n_calls;       // system calls of all threads

/*--- What the kernel says                                 ---*/

/* Read the file NAME of thread LWP.  Return its length or a negative errno. */
static Int read_task(Int lwp, const HChar* name, HChar* to, SizeT room)
{
   HChar path[32];

   VG_(sprintf)(path, "%d/%s", lwp, name);
   return DCFG_(read_text)(tasks, path, to, room);
}

/* Open the directory of this process's threads, and try to read. */
static Bool open_tasks(void)
{
   HChar text[256];
   Int   fd = DCFG_(open_at)(-1, "/proc/self/task");

   if (tasks >= 0)
      VG_(close)(tasks);
   tasks = fd < 0 ? -1 : VG_(safe_fd)(fd);
   return tasks >= 0
          && read_task(VG_(gettid)(), "stat", text, sizeof(text)) > 0
          && read_task(VG_(gettid)(), "syscall", text, sizeof(text)) > 0;
}

/* Look: what a thread does that has begun a system call.  It is back when it
   waits for the core's lock. */
typedef enum { LookMoves, LookSleeps, LookBack, LookGone } Look;

/* Return what a thread that sleeps does, whose file "syscall" has TEXT. */
static Look look_of(const HChar* text)
{
   HChar* end;

   if (text[0] < '0' || text[0] > '9')
      return LookMoves;           // "running", or -1 outside of system calls
   Long  sysno = VG_(strtoll10)(text, &end);
   UWord arg   = VG_(strtoull16)(end + 1, &end);
   return DCFG_(waits_for_core)(sysno, arg) ? LookBack : LookSleeps;
}

static void give_up(Int error)
{
   DCFG_(remark)("dcfg: warning: /proc cannot be read any more (%s): threads "
                 "run in any order from here on\n", DCFG_(error_text)(-error));
   is_on = False;
}

static Look look_at(const ThreadTurn* t)
{
   const Int ENOENT = 2, ESRCH = 3;
   HChar     text[512];
   Int       n = read_task(t->lwp, "stat", text, sizeof(text));
   HChar*    name_end;

   if (n == -ENOENT || n == -ESRCH || n == 0)
      return LookGone;
   if (n < 0) {
      give_up(n);
      return LookMoves;
   }
   name_end = VG_(strrchr)(text, ')');
   if (name_end == NULL || name_end[2] == 'Z' || name_end[2] == 'X')
      return LookGone;
   if (name_end[2] != 'S')
      return LookMoves;
   n = read_task(t->lwp, "syscall", text, sizeof(text));
   return n > 0 ? look_of(text) : LookMoves;
}

/*--- Threads that are early                               ---*/

static void set_result(ThreadId tid, UWord result)
{
   VG_(set_shadow_regs_area)(tid, 0, DCFG_(guest).layout->general,
                             sizeof(result), (const UChar*)&result);
}

/* Return the thread that has waited here longest for FUTEX, or 0. */
static ThreadId first_waiter(Addr futex)
{
   ThreadId first = 0;

   for (ThreadId t = 1; t < end_of_turns; t++)
      if (turns[t].state == IsEarly && turns[t].wait.futex == futex
          && (first == 0 || turns[t].order < turns[first].order))
         first = t;
   return first;
}

static void wake(ThreadId tid, UWord result)
{
   turns[tid].state = IsReady;
   set_result(tid, result);
}

UInt DCFG_(wake_early)(Addr futex, UInt n)
{
   UInt woken = 0;

   for (; is_on && woken < n; woken++) {
      ThreadId t = first_waiter(futex);
      if (t == 0)
         break;
      wake(t, 0);
   }
   return woken;
}

/* The kernel has cleared a word for which others may wait: wake them. */
static void wake_joiners(void)
{
   for (ThreadId t = 1; t < end_of_turns; t++)
      if (turns[t].state == IsEarly && turns[t].wait.futex != 0
          && DCFG_(usable)(turns[t].wait.futex, sizeof(UInt), VKI_PROT_READ)
          && *(UInt*)turns[t].wait.futex != turns[t].wait.expected)
         wake(t, 0);
}

/*--- Who is next                                          ---*/

/* Wait until threads that have ended are gone.  They do not need the core's
   lock any more. */
static void wait_for_gone(void)
{
   for (ThreadId t = 1; is_on && n_gone > 0 && t < end_of_turns; t++) {
      if (turns[t].state != IsGone)
         continue;
      for (UInt n = 0; is_on && look_at(&turns[t]) != LookGone; n++)
         DCFG_(wait_a_little)(n < 10 ? 0 : 20);
      if (!is_on)
         return;
      turns[t].state = IsNone;
      n_gone--;
      wake_joiners();
   }
}

/* Return whether T may go on soon, and all must wait for it: it is on its way
   in the kernel, or its time is over by the false clock alone. */
static Bool is_awaited(const ThreadTurn* t)
{
   Bool over = t->wait.timed && t->wait.deadline <= DCFG_(clock_now)();

   if (t->state == IsInCall) {
      Look look = look_at(t);
      return look == LookMoves || look == LookBack || over;
   }
   return t->state == IsEarly && over && t->wait.due > DCFG_(true_now)();
}

/* Return whether T can run. */
static Bool can_run(ThreadId tid)
{
   const ThreadTurn* t = &turns[tid];

   if (t->state == IsEarly && t->wait.futex == 0) {
      UWord found = DCFG_(look_again)(&t->wait);
      if (found != 0)
         wake(tid, found);
   }
   return t->state == IsReady
          || (t->state == IsEarly && t->wait.deadline <= DCFG_(clock_now)());
}

/* Return the thread that has the turn next, or 0 if nobody can have it now. */
static ThreadId next_thread(void)
{
   ThreadId ready = 0, first = 0;      // FIRST has the next deadline

   for (UInt k = 1; k <= end_of_turns; k++) {
      ThreadId    t = (holder + k) % end_of_turns;
      const ThreadTurn* p = &turns[t];
      if (is_awaited(p) || !is_on)
         return 0;
      if (can_run(t) && ready == 0)
         ready = t;
      if ((p->state == IsEarly || (p->state == IsInCall && p->wait.timed))
          && (first == 0 || p->wait.deadline < turns[first].wait.deadline))
         first = t;
   }
   if (ready != 0 || first == 0 || turns[first].state != IsEarly
       || turns[first].wait.due > DCFG_(true_now)())
      return ready;
   DCFG_(advance_clock)(turns[first].wait.deadline);
   return first;
}

/* Give the turn to the next thread, if the holder's is over or it sleeps. */
static void pass_turn(void)
{
   ThreadId next;

   if (turns[holder].state == IsReady && !is_over)
      return;
   next = next_thread();
   if (!is_on)
      return;
   if (next == 0)
      return;
   if (next != holder)
      DCFG_(answered).turns++;
   turns[next].state = IsReady;
   holder  = next;
   used    = 0;
   is_over = False;
   DCFG_(tell_word)(&turns[next].told);
}

/* Wait until no other thread is in the kernel that the holder's system call
   has woken there: it may still read what the holder reads next. A thread that
   only sleeps reads nothing. */
static void settle(ThreadId tid)
{
   for (ThreadId t = 1; is_on && t < end_of_turns; t++) {
      const ThreadTurn* p = &turns[t];
      if (t == tid || p->state != IsInCall || p->wait.timed
          || p->wait.futex != 0 || DCFG_(is_futex)(p->sysno))
         continue;
      for (UInt n = 0; is_on && look_at(p) == LookMoves; n++)
         DCFG_(wait_a_little)(n < 10 ? 0 : 20);
   }
}

/*--- The gate                                             ---*/

/* The holder has run all superblocks of its turn.  A jump past redirections,
   which has one superblock, must be made at once. */
static void end_turn(ThreadId tid)
{
   UInt left = DCFG_(superblocks_left)(tid);

   if (!is_over && (turns[tid].yields
                    || (used >= TURN && (left != 1 || was_last)))) {
      is_over = True;
      if (takes_time)
         DCFG_(advance_clock)(DCFG_(clock_now)() + TURN_TIME);
   }
   was_last = left == 1;
   turns[tid].yields = False;
}

static Bool send_back(ThreadId tid)
{
   turns[tid].told = 0;
   DCFG_(limit_run)(tid, 0);
   sent_back = True;
   return False;
}

/* Return whether the thread that has the turn runs code. */
static Bool holder_runs(void)
{
   return !*(volatile Bool*)&is_over
          && *(volatile TurnState*)&turns[holder].state == IsReady;
}

/* Let others have the core's lock until it may be TID's turn.  The first naps
   are short: a thread that has just come may be the next.  While the holder
   runs, nobody needs the lock. */
static void nap(ThreadId tid)
{
   ThreadTurn* t = &turns[tid];
   UInt  n = 0;

   DCFG_(leave_core)(tid);
   do {
      if (t->nap < SHORT_NAPS)
         DCFG_(wait_a_little)(0);
      else
         DCFG_(wait_for_word)(&t->told, t->nap);
      t->nap = t->nap < SHORT_NAPS ? t->nap + 1
               : t->nap < LONGEST_NAP ? t->nap * 2 : t->nap;
   } while (++n < MOST_NAPS && holder_runs() && !t->told
            && !DCFG_(must_end)(tid));
   DCFG_(enter_core)(tid);
}

Bool DCFG_(take_turn)(ThreadId tid)
{
   granted = 0;
   DCFG_(restore_deadline)(tid);          // a signal may have ended the call
   if (!is_on)
      return True;
   if (turns[tid].state == IsInCall)
      turns[tid].state = IsReady;
   wait_for_gone();
   if (!is_on)
      return True;
   if (n_alive < 2) {
      if (turns[tid].state == IsEarly)
         DCFG_(advance_clock)(turns[tid].wait.deadline);
      turns[tid].state = IsReady;
      holder = tid;
      return True;
   }
   if (holder == tid)
      end_turn(tid);
   pass_turn();
   if (!is_on)
      return True;
   if (holder != tid || is_over || turns[tid].state != IsReady)
      return send_back(tid);
   if (turns[tid].called)
      settle(tid);
   turns[tid].called = False;
   turns[tid].nap    = 0;
   granted = DCFG_(superblocks_left)(tid);
   if (used < TURN && TURN - used < granted)
      granted = TURN - used;
   DCFG_(limit_run)(tid, granted);
   return True;
}

Bool DCFG_(pause_turn)(ThreadId tid)
{
   Bool ran = !sent_back;

   if (granted != 0)
      used += granted - DCFG_(superblocks_left)(tid);
   granted   = 0;
   sent_back = False;
   if (!ran && is_on)
      nap(tid);
   return ran;
}

/*--- Events                                               ---*/

void DCFG_(turn_created)(ThreadId parent, ThreadId tid)
{
   if (!is_on)
      return;
   VG_(memset)(&turns[tid], 0, sizeof(turns[tid]));
   turns[tid].state = IsReady;
   if (tid >= end_of_turns)
      end_of_turns = tid + 1;
   if (++n_alive == 2) {
      holder  = parent;
      used    = 0;
      is_over = False;
   }
}

void DCFG_(turn_ended)(ThreadId tid)
{
   Bool existed = tid == VG_(get_running_tid)();   // else clone failed

   if (!is_on)
      return;
   turns[tid].state = existed ? IsGone : IsNone;
   turns[tid].lwp   = VG_(gettid)();
   n_alive--;
   n_gone += existed;
}

void DCFG_(turn_calls)(ThreadId tid, UInt sysno, Wait w)
{
   if (!is_on)
      return;
   ThreadTurn* t   = &turns[tid];
   t->state  = IsInCall;
   t->lwp    = DCFG_(kernels_number)(tid);
   t->sysno  = sysno;
   t->called = True;
   t->order  = n_calls++;
   t->yields = sysno == __NR_sched_yield;
   t->wait   = w;
}

Bool DCFG_(turn_called)(ThreadId tid, Bool timed_out)
{
   Bool early = is_on && timed_out && n_alive > 1
                && turns[tid].wait.deadline > DCFG_(clock_now)();

   if (is_on) {
      turns[tid].state = early ? IsEarly : IsReady;
      turns[tid].late  = early;
   }
   return early;
}

Bool DCFG_(take_late)(ThreadId tid, UInt* sysno, const UWord** args,
                     SysRes* res)
{
   UWord word;

   if (!is_on || !turns[tid].late)
      return False;
   turns[tid].late = False;
   VG_(get_shadow_regs_area)(tid, (UChar*)&word, 0,
                             DCFG_(guest).layout->general, sizeof(word));
   *sysno = turns[tid].wait.sysno;
   *args  = turns[tid].wait.args;
   *res   = word > -(UWord)4096 ? VG_(mk_SysRes_Error)(-word)
                                : VG_(mk_SysRes_Success)(word);
   return True;
}

Bool DCFG_(has_turns)(void)
{
   return is_on && n_alive > 1;
}

void DCFG_(turn_interrupted)(ThreadId tid)
{
   if (is_on && turns[tid].state == IsEarly)
      wake(tid, -(UWord)VKI_EINTR);
}

void DCFG_(turn_forked)(ThreadId tid)
{
   if (!is_on)
      return;
   for (ThreadId t = 1; t < end_of_turns; t++)
      if (t != tid)
         turns[t].state = IsNone;
   n_alive = 1;
   n_gone  = 0;
   holder  = tid;
   if (!open_tasks())
      give_up(-2);
}

const HChar* DCFG_(start_turns)(Bool with_clock)
{
   if (!open_tasks())
      return "/proc/self/task cannot be read: mount /proc";
   takes_time = with_clock;
   is_on = True;
   turns = VG_(calloc)("dcfg.turns", VG_N_THREADS, sizeof(ThreadTurn));
   return NULL;
}
