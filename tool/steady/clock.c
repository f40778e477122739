/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the time that the program sees, and the deadlines that it computes from
   it.  Handed: system calls, by tool/steady/steady.c.

   The clock.  It stands at 2020-01-01 when the program starts.  It goes on by a
   microsecond with each look, and by what the program asked for when a call has
   ended because its time was over.  It does not follow the code that runs: a
   small change of the program must not change what it reads elsewhere.  Clocks
   of the processor's time tell the time since the start.

   Deadlines.  A relative time is left as it is, so that the kernel lets the
   program sleep as long as it wants to.  An absolute one is of the false clock.
   Before the call it is replaced by the true time that is as far away, and
   afterwards it is put back.  Two threads may wait with one struct at the same
   time; then the second takes what the first has kept.

   The kernel writes to some structs how much time was left.  These get what is
   left by the false clock. */

#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/steady/answers.h"
#include "tool/steady/clock.h"

#define SECOND 1000000000ULL
#define LOOK   1000ULL
#define EPOCH  (1577836800ULL * SECOND)   // 2020-01-01 in UTC
#define BOOTED (1000ULL * SECOND)         // the clocks since booting

static ULong now;                         // since the start

ULong DCFG_(clock_now)(void)
{
   return now;
}

ULong DCFG_(look_at_clock)(void)
{
   DCFG_(answered).looks++;
   return now += LOOK;
}

void DCFG_(advance_clock)(ULong time)
{
   if (time > now)
      now = time;
}

/*--- Times in the program's memory                        ---*/

/* Form: how a time is written.  The last two are no structs: a number of
   milliseconds, and nothing. */
typedef enum { Spec, Spec64, Val, Milliseconds, NoForm } Form;

static SizeT size_of(Form form)
{
   return form == Spec64 ? 16 : 2 * sizeof(UWord);
}

/* Return the time at AT in nanoseconds, at most two hundred years. */
static ULong read_time(Addr at, Form form)
{
   const ULong most = 200ULL * 365 * 86400;
   ULong       s, part;

   if (form == Spec64) {
      s    = ((const ULong*)at)[0];
      part = ((const ULong*)at)[1];
   } else {
      s    = ((const UWord*)at)[0];
      part = ((const UWord*)at)[1];
   }
   if (s > most)
      return most * SECOND;
   return s * SECOND + (form == Val ? part * 1000 : part);
}

static void write_time(Addr at, Form form, ULong time)
{
   ULong s    = time / SECOND;
   ULong part = form == Val ? time % SECOND / 1000 : time % SECOND;

   if (form == Spec64) {
      const ULong words[] = { s, part };
      DCFG_(overwrite)(at, words, sizeof(words));
   } else {
      const UWord words[] = { s, part };
      DCFG_(overwrite)(at, words, sizeof(words));
   }
}

/* Return what the kernel's clock ID shows when the program starts. */
static ULong at_start(Int id)
{
   switch (id) {
      case 0: case 5: case 8: case 11:      // REALTIME and its kin, TAI
         return EPOCH;
      case 1: case 4: case 6: case 7: case 9:   // MONOTONIC, BOOTTIME
         return BOOTED;
      default:                              // the processor's time
         return 0;
   }
}

/*--- Calls that may end by themselves                     ---*/

/* TimedCall: a system call that has a time in argument .at.  When that is over,
   the call fails with .error, or succeeds if that is 0; .zero: with the result
   0, and with another one before.  .leaves: the kernel writes what is left. */
typedef
   struct {
      UInt sysno;
      UInt at;
      Form form;
      UInt error;
      Bool zero, leaves;
   }
   TimedCall;

#define FUTEX_LOCK_PI  6
#define FUTEX_LOCK_PI2 13

#define ETIMEDOUT 110
#define EAGAIN    11

static const TimedCall timed_calls[] = {
   { __NR_nanosleep,       0, Spec, 0 },
   { __NR_clock_nanosleep, 2, Spec, 0 },
#if defined(__NR_clock_nanosleep_time64)
   { __NR_clock_nanosleep_time64, 2, Spec64, 0 },
#endif
   { __NR_futex,           3, Spec, ETIMEDOUT },
#if defined(__NR_futex_time64)
   { __NR_futex_time64,    3, Spec64, ETIMEDOUT },
#endif
#if defined(__NR_poll)
   { __NR_poll,            2, Milliseconds, 0, True },
#endif
   { __NR_ppoll,           2, Spec, 0, True, True },
#if defined(__NR_ppoll_time64)
   { __NR_ppoll_time64,    2, Spec64, 0, True, True },
#endif
#if defined(__NR__newselect)
   { __NR__newselect,      4, Val, 0, True, True },
#elif defined(__NR_select)
   { __NR_select,          4, Val, 0, True, True },
#endif
   { __NR_pselect6,        4, Spec, 0, True, True },
#if defined(__NR_pselect6_time64)
   { __NR_pselect6_time64, 4, Spec64, 0, True, True },
#endif
#if defined(__NR_epoll_wait)
   { __NR_epoll_wait,      3, Milliseconds, 0, True },
#endif
   { __NR_epoll_pwait,     3, Milliseconds, 0, True },
   { __NR_rt_sigtimedwait, 2, Spec, EAGAIN },
#if defined(__NR_rt_sigtimedwait_time64)
   { __NR_rt_sigtimedwait_time64, 2, Spec64, EAGAIN },
#endif
#if defined(__NR_semtimedop)
   { __NR_semtimedop,      3, Spec, EAGAIN },
#endif
};

static const TimedCall* timed_call(UInt sysno)
{
   for (UInt i = 0; i < sizeof(timed_calls) / sizeof(timed_calls[0]); i++)
      if (timed_calls[i].sysno == sysno)
         return &timed_calls[i];
   return NULL;
}

static Bool is_clock_nanosleep(UInt sysno)
{
#if defined(__NR_clock_nanosleep_time64)
   if (sysno == __NR_clock_nanosleep_time64)
      return True;
#endif
   return sysno == __NR_clock_nanosleep;
}

/* TimeKind: a call's time is none, a duration, or a deadline of a clock. */
typedef enum { NoTime, Duration, Deadline } TimeKind;

/* Return the kind of the time of a futex call.  *CLOCK becomes the clock of a
   deadline. */
static TimeKind kind_for_futex(UInt op, /*OUT*/Int* clock)
{
   const UInt with_realtime = 256;

   *clock = (op & with_realtime) != 0 ? 0 : 1;
   switch (op & 0x7F) {
      case 0:                          // WAIT
         return Duration;
      case FUTEX_LOCK_PI:
         *clock = 0;
         return Deadline;
      case 9: case 11:                 // WAIT_BITSET, WAIT_REQUEUE_PI
      case FUTEX_LOCK_PI2:
         return Deadline;
      default:
         return NoTime;
   }
}

static TimeKind kind_of_time(UInt sysno, const UWord* args, /*OUT*/Int* clock)
{
   if (DCFG_(is_futex)(sysno))
      return kind_for_futex(args[1], clock);
   *clock = args[0];
   return is_clock_nanosleep(sysno) && (args[1] & 1) ? Deadline : Duration;
}

/*--- Deadlines                                            ---*/

/* Kept: a deadline of the program while its struct holds another one. */
typedef
   struct {
      Addr  at;                // 0: none
      Form  form;
      ULong time;
   }
   Kept;

typedef
   struct {
      Wait wait;
      Kept kept;
   }
   ThreadWait;

static ThreadWait* waits;      // by ThreadId

static ULong true_time(Int clock)
{
   struct vki_timespec t;

   VG_(clock_gettime)(&t, clock);
   return t.tv_sec * SECOND + t.tv_nsec;
}

ULong DCFG_(true_now)(void)
{
   return true_time(1);
}

ULong DCFG_(since_boot)(Bool falsely)
{
   return falsely ? BOOTED + now : DCFG_(true_now)();
}

/* Return the time at AT as the program wrote it. */
static ULong program_time(Addr at, Form form)
{
   for (ThreadId t = 1; t < VG_N_THREADS; t++)
      if (waits[t].kept.at == at)
         return waits[t].kept.time;
   return read_time(at, form);
}

static ULong time_left(const Wait* w)
{
   return w->deadline > now ? w->deadline - now : 0;
}

/* Note the time at AT for a call of TID.  If that is a deadline, of CLOCK,
   replace it by the true one; if AT_ONCE, by one that is over. */
static void note_time(ThreadId tid, Addr at, Form form, TimeKind kind,
                      Int clock, Bool at_once)
{
   ThreadWait* w    = &waits[tid];
   ULong       time = program_time(at, form);
   ULong       base = kind == Deadline ? at_start(clock) : 0;

   w->wait.timed    = True;
   w->wait.deadline = kind == Duration ? now + time
                      : time > base    ? time - base : 0;
   if (kind == Duration && !at_once)
      return;
   w->kept = (Kept){ at, form, time };
   write_time(at, form, at_once ? 0 : true_time(clock) + time_left(&w->wait));
}

void DCFG_(restore_deadline)(ThreadId tid)
{
   Kept* k = waits == NULL ? NULL : &waits[tid].kept;

   if (k == NULL || k->at == 0)
      return;
   write_time(k->at, k->form, k->time);
   k->at = 0;
}

ULong DCFG_(deadline_of)(ThreadId tid)
{
   return waits[tid].wait.deadline;
}

Wait DCFG_(begin_wait)(ThreadId tid, UInt sysno, const UWord* args,
                       Bool not_there)
{
   const TimedCall* call = timed_call(sysno);
   const Wait       none = { .sysno = sysno };
   Int              clock;

   if (waits == NULL)
      waits = VG_(calloc)("dcfg.clock.waits", VG_N_THREADS,
                          sizeof(ThreadWait));
   Wait* w = &waits[tid].wait;
   *w = none;
   if (call == NULL)
      return none;
   TimeKind kind = kind_of_time(sysno, args, &clock);
   UWord    at   = args[call->at];
   Bool     waits_here = kind != NoTime && DCFG_(is_futex)(sysno)
                         && (args[1] & 0x7F) != FUTEX_LOCK_PI
                         && (args[1] & 0x7F) != FUTEX_LOCK_PI2;
   if (waits_here) {
      w->futex    = args[0];
      w->expected = args[2];
   }
   if (call->form == Milliseconds) {
      w->timed    = (Int)at >= 0;
      w->deadline = now + (UInt)at * 1000000ULL;
   } else if (kind != NoTime
              && DCFG_(usable)(at, size_of(call->form), VKI_PROT_READ))
      note_time(tid, at, call->form, kind, clock, not_there && waits_here);
   if (w->timed)
      w->due = DCFG_(true_now)() + time_left(w);
   VG_(memcpy)(w->args, args, sizeof(w->args));
   return *w;
}

UWord DCFG_(look_again)(const Wait* w)
{
   switch (w->sysno) {
#if defined(__NR_poll)
      case __NR_poll:
#endif
      case __NR_ppoll:
         return DCFG_(poll_now)((void*)w->args[0], w->args[1]);
      case __NR_epoll_pwait:
#if defined(__NR_epoll_wait)
      case __NR_epoll_wait:
#endif
         return DCFG_(epoll_now)(w->args[0], (void*)w->args[1], w->args[2]);
      default:
         return 0;
   }
}

/* Return whether a call with time ended because that was over. */
static Bool is_over(const TimedCall* call, SysRes res)
{
   if (call->error != 0)
      return sr_isError(res) && sr_Err(res) == call->error;
   return !sr_isError(res) && (!call->zero || sr_Res(res) == 0);
}

/*--- Looks                                                ---*/

Bool DCFG_(is_look)(UInt sysno)
{
   switch (sysno) {
      case __NR_clock_gettime:
#if defined(__NR_clock_gettime64)
      case __NR_clock_gettime64:
#endif
      case __NR_gettimeofday:
#if defined(__NR_time)
      case __NR_time:
#endif
      case __NR_times: case __NR_getrusage:
         return True;
      default:
         return False;
   }
}

/* Answer a call that only asks for the time.  Return its result. */
static SysRes answer_look(UInt sysno, const UWord* args, SysRes res)
{
   switch (sysno) {
      case __NR_clock_gettime:
         write_time(args[1], Spec, at_start(args[0])
                                   + DCFG_(look_at_clock)());
         break;
#if defined(__NR_clock_gettime64)
      case __NR_clock_gettime64:
         write_time(args[1], Spec64, at_start(args[0])
                                     + DCFG_(look_at_clock)());
         break;
#endif
      case __NR_gettimeofday:
         if (args[0] != 0)
            write_time(args[0], Val, EPOCH + DCFG_(look_at_clock)());
         break;
#if defined(__NR_time)
      case __NR_time: {
         UWord t = (EPOCH + DCFG_(look_at_clock)()) / SECOND;
         if (args[0] != 0)
            DCFG_(overwrite)(args[0], &t, sizeof(t));
         return VG_(mk_SysRes_Success)(t);
      }
#endif
      case __NR_times: {
         const ULong tick     = SECOND / 100;
         const UWord words[4] = { DCFG_(look_at_clock)() / tick, 0, 0, 0 };
         if (args[0] != 0)
            DCFG_(overwrite)(args[0], words, sizeof(words));
         return VG_(mk_SysRes_Success)((BOOTED + now) / tick);
      }
      case __NR_getrusage: {
         /* Two times, and 14 numbers that differ from run to run. */
         UWord words[18] = { 0 };
         DCFG_(overwrite)(args[1], words, sizeof(words));
         write_time(args[1], Val, DCFG_(look_at_clock)());
         break;
      }
      default:
         break;
   }
   return res;
}

SysRes DCFG_(end_wait)(ThreadId tid, UInt sysno, const UWord* args, SysRes res,
                       Bool* timed_out)
{
   const TimedCall* call = timed_call(sysno);
   const Wait*      w    = &waits[tid].wait;

   DCFG_(restore_deadline)(tid);
   *timed_out = False;
   if (call == NULL)
      return sr_isError(res) ? res : answer_look(sysno, args, res);
   if (!w->timed)
      return res;
   *timed_out = is_over(call, res);
   if (call->leaves && DCFG_(usable)(args[call->at], size_of(call->form),
                                     VKI_PROT_WRITE))
      write_time(args[call->at], call->form,
                 *timed_out || w->deadline < now ? 0 : w->deadline - now);
   return res;
}
