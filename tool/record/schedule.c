/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The order of a recorded run: its clock, and the turns of threads. */

/* Owns: how many superblocks have been executed, which thread runs, and the next
   event of the log.  Handed: begin and end of generated code, threads, and the
   core's lock.

   The clock counts the superblocks of all threads.  Generated code counts them
   down anyway (DCFG_(guest).count_all makes that exact), so a recording adds no
   code.  A superblock that finds its code changed is translated again and runs
   once more: it has not counted.

   An event has its place on the clock.  In a replay, code runs up to the place
   of the next event that the program does not cause itself: another thread's
   turn, or a signal.  Up to other events it may run one superblock too far,
   which shows that this is not the recorded run.

   A point has a hash of the thread's registers as generated code begins: after
   each turn and signal, and now and then.  So a replay that computes otherwise is
   noticed even if it makes the same system calls.

   Turns.  One thread runs at a time, who has the core's lock.  While recording,
   a turn is put with the first event of another thread, or when it runs code. In
   a replay, a thread that gives the lock away takes the turn that is due.  Who
   wants the lock waits at a gate of its own until it has the turn. */

#include "format/spool_file.h"
#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/record/log.h"
#include "tool/record/recorded.h"
#include "tool/run/region.h"
#include "tool/run/this_run.h"

/* Superblocks so far. */
#define NOW DCFG_(progress).superblocks

typedef
   struct {
      UInt  number;          // from 0, in the order of creation
      Addr  clears;          // the kernel clears the word here at its end; or 0
      Addr  robust;          // the head of its list of locks, or 0
      UInt  gate;            // set: look whether it is your turn
      UWord reservation;     // as it was when the thread stopped, and
      ULong events;          // how much had happened then
      Bool  lives;
      Bool  faulted;         // did it have to end when it stopped?
   }
   Runner;

static void (*log_begun)(ThreadId);
static void (*log_fatal)(ThreadId, Int);

static Runner*  runners;     // by ThreadId
static ThreadId created;     // by the present call, or 0
static ThreadId newest;      // was created last
static ULong    last;        // those before the last placed event
static UInt     granted;     // superblocks, to the code that runs now
#define HOLDER DCFG_(progress).thread   // has the turn
static ThreadId holder = 1;  // likewise, while replaying
static ThreadId running = 1; // likewise, while recording

Bool DCFG_(has_faulted)(ThreadId tid)
{
   return runners[tid].faulted;
}

/*--- Events                                               ---*/

static Bool wants_point;     // is a point due when code begins to run?

static void put_place(UChar event)
{
   wants_point |= event == EvTurn || event == EvSignal;
   DCFG_(log_bytes)(RecEvents, &event, 1);
   DCFG_(log_number)(NOW - last);
   last = NOW;
}

/* Put a turn if TID has not got it. */
static void log_turn(ThreadId tid)
{
   ThreadId before = running;

   if (runners[tid].number == HOLDER)
      return;
   running = tid;
   if (before != 0 && runners[before].lives
       && runners[before].number == HOLDER)
      log_begun(before);
   HOLDER = runners[tid].number;
   put_place(EvTurn);
   DCFG_(log_number)(HOLDER);
   DCFG_(progress).turns++;
}

void DCFG_(log_event)(UChar event, ThreadId tid)
{
   log_turn(tid);
   put_place(event);
}

/* The head of the next event, which has been taken from the log; .event is 0 if
   it has not. */
static struct {
   UChar event;
   UInt  thread;             // whose turn it is
   ULong place;
} next;

void DCFG_(take_event)(UChar event)
{
   tl_assert(next.event == event);
   last       = next.place;
   next.event = 0;
}

/* Take the head of the next event.  Return False at the end of the log. */
static Bool look_ahead(void)
{
   if (next.event != 0)
      return True;
   if (!DCFG_(has_logged)(RecEvents))
      return False;
   next.event = DCFG_(take_byte)();
   next.place = last + DCFG_(take_number)();
   if (next.event == EvTurn)
      next.thread = DCFG_(take_number)();
   return True;
}

/* Take the head of the next event, of which there must be one. */
static void need_event(void)
{
   if (!look_ahead())
      DCFG_(log_ended)();
}

UChar DCFG_(due)(void)
{
   need_event();
   return next.place == NOW ? next.event : 0;
}

/*--- Turns                                                ---*/

static ThreadId thread_of_number(UInt number)
{
   for (ThreadId t = 1; t < VG_N_THREADS; t++)
      if (runners[t].lives && runners[t].number == number)
         return t;
   DCFG_(diverged)("thread %u is to run, which is not there", number);
}

/* Take the turns that are due.  Who has the turn then must not have ended: others
   would wait for ever. */
static void pass_turn(void)
{
   Bool passed = False;

   while (look_ahead() && next.place == NOW && next.event == EvTurn) {
      passed = True;
      holder = thread_of_number(next.thread);
      *(volatile UInt*)&HOLDER = next.thread;
      DCFG_(progress).turns++;
      DCFG_(take_event)(EvTurn);
   }
   if (!runners[holder].lives || runners[holder].number != HOLDER) {
      need_event();
      thread_of_number(HOLDER);
   }
   if (passed)
      DCFG_(tell_word)(&runners[holder].gate);
}

/* Microseconds after which a thread at its gate looks again. */
#define LOOK_AFTER 100000u

static void wait_for_turn(ThreadId tid)
{
   Runner* r = &runners[tid];

   while (*(volatile RunMode*)&DCFG_(run_mode) == RunReplayed
          && *(volatile UInt*)&HOLDER != r->number) {
      r->gate = 0;
      __sync_synchronize();
      if (*(volatile UInt*)&HOLDER != r->number
          && *(volatile RunMode*)&DCFG_(run_mode) == RunReplayed)
         DCFG_(wait_for_word)(&r->gate, LOOK_AFTER);
   }
}

void DCFG_WRAP(ML_(acquire_sched_lock))(struct sched_lock* lock)
{
   if (DCFG_(run_mode) == RunReplayed) {
      ThreadId tid = DCFG_(thread_here)();
      if (tid != 0)
         wait_for_turn(tid);
   }
   DCFG_REAL(ML_(acquire_sched_lock))(lock);
}

void DCFG_WRAP(ML_(release_sched_lock))(struct sched_lock* lock)
{
   if (DCFG_(run_mode) == RunReplayed)
      pass_turn();
   DCFG_REAL(ML_(release_sched_lock))(lock);
}

void DCFG_(let_others_run)(ThreadId tid)
{
   while (DCFG_(run_mode) == RunReplayed && DCFG_(due)() == EvTurn
          && next.thread != runners[tid].number && !DCFG_(must_end)(tid)) {
      DCFG_(leave_core)(tid);
      DCFG_(enter_core)(tid);
   }
   if (DCFG_(run_mode) == RunReplayed && next.event == EvTurn
       && next.place == NOW && next.thread == runners[tid].number)
      pass_turn();
}

void DCFG_(run_freely)(void)
{
   DCFG_(run_mode) = RunFree;
   for (ThreadId t = 1; t < VG_N_THREADS; t++)
      if (runners[t].lives)
         DCFG_(tell_word)(&runners[t].gate);
}

/*--- The clock                                            ---*/

static void (*then_start)(ThreadId, ULong);
static void (*then_stop)(ThreadId, ULong);
static void (*then_create)(ThreadId, ThreadId);
static void (*then_exit)(ThreadId);

/* Return a hash of the general registers of thread TID, and of its place. */
static UInt hash_of_registers(ThreadId tid)
{
   const GuestLayout* l = DCFG_(guest).layout;

   return spool_sum(DCFG_(guest_state)(tid) + l->general,
                    l->general_end - l->general) ^ (UInt)VG_(get_IP)(tid);
}

/* Superblocks after which the log is written even if its blocks are small: so a
   process that is killed loses less than a second. */
#define WRITE_AFTER 5000000u
static ULong written_at;

/* Put a point for thread TID, which begins to run code, if one is due. */
static void log_point(ThreadId tid)
{
   Bool is_late = NOW - written_at > WRITE_AFTER;
   UInt hash;

   if (!wants_point && !is_late)
      return;
   wants_point = False;
   hash        = hash_of_registers(tid);
   put_place(EvPoint);
   DCFG_(log_bytes)(RecEvents, &hash, sizeof(hash));
   if (is_late) {
      written_at = NOW;
      DCFG_(write_log)();
   }
}

static void check_point(ThreadId tid)
{
   UInt hash;

   if (DCFG_(due)() != EvPoint)
      return;
   DCFG_(take_event)(EvPoint);
   DCFG_(take_bytes)(RecEvents, &hash, sizeof(hash));
   if (hash != hash_of_registers(tid))
      DCFG_(diverged)("the program's registers are not those that it had");
}

static ULong stop_place = ~0ULL;
static void (*stop_reached)(void);

void DCFG_(stop_before)(ULong place, void (*reached)(void))
{
   stop_place   = place;
   stop_reached = reached;
}

static void stop(void)
{
   stop_place = ~0ULL;
   stop_reached();
}

/* Limit the run of thread TID to the place of the next event. */
static void limit(ThreadId tid)
{
   ULong n;

   need_event();
   if (next.place < NOW)
      DCFG_(diverged)("the program has not done what the recording has next "
                      "(event %c at superblock %llu)", next.event, next.place);
   if (NOW >= DCFG_(next_change)())
      DCFG_(make_change)();
   n = next.place - NOW;
   if (next.event != EvTurn && next.event != EvSignal
       && next.event != EvPoint)
      n++;
   if (DCFG_(next_change)() - NOW < n)
      n = DCFG_(next_change)() - NOW;
   if (stop_place - NOW < n)
      n = stop_place - NOW;
   if (n < DCFG_(superblocks_left)(tid))
      DCFG_(limit_run)(tid, n);
}

/* --- Exclusive accesses                                    --- */

/* The core ends a reservation, which pairs a load-exclusive with a store-exclusive,
   whenever it lets code run: where it has translated code or linked two
   superblocks, too.  Here a reservation ends with another thread's turn, a system
   call or a signal, which a replay has at the same places. */
static ULong events_now(void)
{
   const Progress* p = &DCFG_(progress);

   return p->turns + p->calls + p->signals;
}

static void keep_reservation(ThreadId tid)
{
   if (DCFG_(guest).reservation == 0 || DCFG_(run_mode) == RunFree)
      return;
   runners[tid].reservation = *DCFG_(guest_word)(tid, DCFG_(guest).reservation);
   runners[tid].events      = events_now();
}

static void restore_reservation(ThreadId tid)
{
   if (DCFG_(guest).reservation != 0 && DCFG_(run_mode) != RunFree
       && runners[tid].events == events_now())
      *DCFG_(guest_word)(tid, DCFG_(guest).reservation)
         = runners[tid].reservation;
}

static void on_start(ThreadId tid, ULong blocks)
{
   if (DCFG_(run_mode) == RunRecorded) {
      log_turn(tid);
      log_point(tid);
   } else if (DCFG_(run_mode) == RunReplayed) {
      check_point(tid);
      if (NOW >= stop_place)
         stop();
      limit(tid);
   }
   restore_reservation(tid);
   if (then_start != NULL)
      then_start(tid, blocks);
   granted = DCFG_(superblocks_left)(tid);
}

static void on_stop(ThreadId tid, ULong blocks)
{
   NOW += granted - DCFG_(superblocks_left)(tid);
   runners[tid].faulted = DCFG_(must_end)(tid);
   keep_reservation(tid);
   if (then_stop != NULL)
      then_stop(tid, blocks);
   if (DCFG_(run_mode) == RunReplayed && NOW >= DCFG_(next_change)())
      DCFG_(make_change)();
}

static void count_less(void)
{
   NOW--;
}

/* Return whether a superblock that has asked to discard translations of LEN bytes
   at START runs again: it has found its code changed, or is one of
   tool/run/instrument.c, with LEN 1.  If not, it ends with an instruction that
   invalidates cached code, of addresses elsewhere. */
static Bool runs_again(Addr start, ULong len)
{
   return len == 1 || start == VG_(get_IP)(VG_(get_running_tid)());
}

void DCFG_WRAP(VG_(discard_translations))(Addr start, ULong len,
                                          const HChar* who)
{
   if (DCFG_(run_mode) != RunFree && VG_(strstr)(who, "INVALICACHE") != NULL
       && runs_again(start, len))
      NOW--;
   DCFG_REAL(VG_(discard_translations))(start, len, who);
}

/*--- Threads                                              ---*/

static void on_create(ThreadId parent, ThreadId tid)
{
   runners[tid] = (Runner){ .number = DCFG_(progress).threads++, .lives = True };
   created      = newest = tid;
   if (then_create != NULL)
      then_create(parent, tid);
}

ThreadId DCFG_(newest_thread)(void)
{
   return newest;
}

ThreadId DCFG_(take_created)(void)
{
   ThreadId t = created;

   created = 0;
   return t;
}

void DCFG_(note_clear)(ThreadId tid, Addr a)
{
   runners[tid].clears = a;
}

void DCFG_(note_robust)(ThreadId tid, Addr head)
{
   runners[tid].robust = head;
}

/* Set the word at A, and wake a thread that waits for that. */
static void set_word(Addr a, UInt word)
{
   const UInt wake = 1;

   if (DCFG_(usable)(a, sizeof(word), VKI_PROT_WRITE)
       && DCFG_(overwrite)(a, &word, sizeof(word))
       && DCFG_(run_mode) != RunReplayed)
      VG_(do_syscall3)(__NR_futex, a, wake, 1);
}

/* Mark the locks that thread TID holds in its robust list.  An entry of the list
   begins with the address of the next one; the lock is OFFSET behind it. */
static void leave_locks(ThreadId tid)
{
   const UInt   owner = 0x3FFFFFFF, died = 0x40000000, waiters = 0x80000000;
   const UInt   most = 2048;
   const UWord* head = (const UWord*)runners[tid].robust;

   if (!DCFG_(usable)((Addr)head, 2 * sizeof(UWord), VKI_PROT_READ))
      return;
   Addr entry = head[0] & ~(Addr)1;
   for (UInt i = 0; i < most && entry != (Addr)head
                    && DCFG_(usable)(entry, sizeof(UWord), VKI_PROT_READ); i++) {
      Addr lock = entry + head[1];
      entry = *(const UWord*)entry & ~(Addr)1;
      if (!DCFG_(usable)(lock, sizeof(UInt), VKI_PROT_READ))
         return;
      UInt word = *(const UInt*)lock;
      if ((word & owner) == (UInt)DCFG_(this_thread)(tid))
         set_word(lock, (word & waiters) | died);
   }
}

/* Do what the kernel does at the end of thread TID: leave locks of its robust
   list, clear its number, and wake those that wait for that.  The kernel would do
   it at any time. */
static void clear_number(ThreadId tid)
{
   if (VG_(count_living_threads)() <= 1)
      return;
   if (runners[tid].robust != 0) {
      VG_(do_syscall2)(__NR_set_robust_list, 0, 3 * sizeof(UWord));
      leave_locks(tid);
   }
   if (runners[tid].clears != 0) {
      VG_(do_syscall1)(__NR_set_tid_address, 0);
      set_word(runners[tid].clears, 0);
   }
}

void DCFG_(keep_only)(ThreadId tid)
{
   for (ThreadId t = 1; t < VG_N_THREADS; t++)
      if (t != tid)
         runners[t].lives = False;
   runners[tid].clears = runners[tid].robust = 0;
}

/* Signal SIGNO kills the replay's program.  The log has it last; or the end, if it
   comes from a fault; or nothing more, if it has been taken. */
static void check_fatal(Int signo)
{
   vki_siginfo_t info = { .si_signo = signo };

   if (!look_ahead() || DCFG_(due)() == EvEnd)
      return;
   if (DCFG_(due)() == EvSignal)
      DCFG_(take_bytes)(RecEvents, &info, sizeof(info));
   if (DCFG_(due)() != EvSignal || info.si_signo != signo)
      DCFG_(diverged)("signal %d kills the program, and did not", signo);
}

/* A thread ends.  It is not the one that runs if clone() failed: then it never
   existed. */
static void on_exit(ThreadId tid)
{
   Bool existed = tid == VG_(get_running_tid)();
   Int  signo   = existed ? DCFG_(fatal_signal)() : 0;

   if (existed && DCFG_(run_mode) == RunRecorded) {
      log_turn(tid);
      if (signo != 0)
         log_fatal(tid, signo);
   } else if (signo != 0 && DCFG_(run_mode) == RunReplayed) {
      check_fatal(signo);
   }
   if (signo != 0)
      DCFG_(run_freely)();
   if (then_exit != NULL)
      then_exit(tid);
   if (existed)
      clear_number(tid);
   else
      DCFG_(progress).threads--;
   runners[tid].lives = False;
}

void DCFG_(carry_schedule)(Carry carry)
{
   carry(&DCFG_(progress), sizeof(DCFG_(progress)));
   carry(&runners[1], sizeof(runners[1]));
   carry(&next, sizeof(next));
   carry(&last, sizeof(last));
}

void DCFG_(start_schedule)(void (*begun)(ThreadId tid),
                           void (*fatal)(ThreadId tid, Int signo))
{
   log_begun   = begun;
   log_fatal   = fatal;
   runners     = VG_(calloc)("dcfg.record.runners", VG_N_THREADS,
                             sizeof(Runner));
   DCFG_(keep_superblocks)(count_less);
   then_start  = VG_(tdict).track_start_client_code;
   then_stop   = VG_(tdict).track_stop_client_code;
   then_create = VG_(tdict).track_pre_thread_ll_create;
   then_exit   = VG_(tdict).track_pre_thread_ll_exit;
   VG_(track_start_client_code)(on_start);
   VG_(track_stop_client_code)(on_stop);
   VG_(track_pre_thread_ll_create)(on_create);
   VG_(track_pre_thread_ll_exit)(on_exit);
}
