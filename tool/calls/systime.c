/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the number and the time of system calls of each thread, and their values
   when its active calls began.  Handed: system calls by tool/run/event.c, through
   the hooks here; calls that begin and end by tool/calls/stack.c.

   A system call counts for the instruction that makes it, as a call without a
   callee does: see Call.  A call of a function costs what the thread's sums have
   grown by since it began.  So the sums at the begin of each active call stand in
   an array beside the frames.  A signal handler has sums of its own. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"
#include "pub_tool_xarray.h"

#include "tool/base/core.h"
#include "tool/calls/context.h"
#include "tool/calls/stack_state.h"
#include "tool/calls/systime.h"
#include "tool/run/thread.h"

typedef
   struct {
      ULong n[N_SYS_EVENTS];
   }
   Sums;

struct _SystemTimes {
   Sums    now;             // the thread's, or those of the handler that runs
   XArray* before;          // Sums: those that handlers interrupted
   Sums*   starts;          // by frame
   UInt    room;
   Sums    begun;           // the clocks when the system call began
};

static SysTimeUnit unit;

void DCFG_(time_syscalls)(SysTimeUnit u)
{
   unit = u;
}

UInt DCFG_(n_sys_events)(void)
{
   return unit == NoSysTime ? 0 : unit == SysTimeNsec ? 3 : 2;
}

SystemTimes* DCFG_(new_times)(void)
{
   SystemTimes* st;

   if (unit == NoSysTime)
      return NULL;
   st         = VG_(calloc)("dcfg.systime", 1, sizeof(*st));
   st->before = DCFG_NEW_ARRAY("dcfg.systime.before", Sums);
   return st;
}

void DCFG_(delete_times)(SystemTimes* st)
{
   if (st == NULL)
      return;
   VG_(deleteXA)(st->before);
   VG_(free)(st->starts);
   VG_(free)(st);
}

/*--- Calls                                                ---*/

/* Add what NOW has more than THEN to C, or take it away. */
static void add_growth(Call* c, const Sums* now, const Sums* then, Bool back)
{
   Bool any = False;

   for (UInt e = 0; e < N_SYS_EVENTS; e++)
      any |= now->n[e] != then->n[e];
   if (!any)
      return;
   if (c->sys == NULL)
      c->sys = VG_(calloc)("dcfg.systime.call", N_SYS_EVENTS, sizeof(ULong));
   for (UInt e = 0; e < N_SYS_EVENTS; e++)
      c->sys[e] += back ? then->n[e] - now->n[e] : now->n[e] - then->n[e];
}

void DCFG_(times_begin)(SystemTimes* st, UInt frame)
{
   if (frame >= st->room) {
      st->room   = 2 * frame + 64;
      st->starts = VG_(realloc)("dcfg.systime.starts", st->starts,
                                st->room * sizeof(Sums));
   }
   st->starts[frame] = st->now;
}

void DCFG_(times_end)(SystemTimes* st, UInt frame, Call* c)
{
   add_growth(c, &st->now, &st->starts[frame], False);
}

void DCFG_(times_of_base)(SystemTimes* st, Call* c)
{
   const Sums none = { { 0 } };

   add_growth(c, &st->now, &none, False);
}

void DCFG_(times_suspend)(SystemTimes* st)
{
   VG_(addToXA)(st->before, &st->now);
   VG_(memset)(&st->now, 0, sizeof(st->now));
}

void DCFG_(times_resume)(SystemTimes* st)
{
   st->now = *(Sums*)VG_(indexXA)(st->before, VG_(sizeXA)(st->before) - 1);
   VG_(dropTailXA)(st->before, 1);
}

void DCFG_(times_forget)(SystemTimes* st)
{
   VG_(memset)(&st->now, 0, sizeof(st->now));
   VG_(memset)(st->starts, 0, st->room * sizeof(Sums));
   for (Word i = 0; i < VG_(sizeXA)(st->before); i++)
      VG_(memset)(VG_(indexXA)(st->before, i), 0, sizeof(Sums));
}

void DCFG_(times_of_active)(const CallStack* cs, Bool back)
{
   const SystemTimes* st    = cs->times;
   Word               level = 0;

   for (UInt i = 0; i < cs->n_frames; i++) {
      while (level < VG_(sizeXA)(cs->suspended)
             && i >= ((Suspended*)VG_(indexXA)(cs->suspended, level))->n_frames)
         level++;
      if (cs->frames[i].call != NULL)
         add_growth(cs->frames[i].call,
                    level < VG_(sizeXA)(st->before)
                    ? (Sums*)VG_(indexXA)(st->before, level) : &st->now,
                    &st->starts[i], back);
   }
}

/*--- System calls                                         ---*/

/* Read the clocks: the first event has none. */
static Sums clocks(void)
{
   Sums                s = { { 0 } };
   struct vki_timespec t;
   struct vki_timeval  v;

   switch (unit) {
      case SysTimeMsec:
         s.n[SysTime] = VG_(read_millisecond_timer)();
         break;
      case SysTimeUsec:
         VG_(gettimeofday)(&v, NULL);
         s.n[SysTime] = v.tv_sec * 1000000ULL + v.tv_usec;
         break;
      default:
         VG_(clock_gettime)(&t, VKI_CLOCK_MONOTONIC);
         s.n[SysTime] = t.tv_sec * 1000000000ULL + t.tv_nsec;
         VG_(clock_gettime)(&t, VKI_CLOCK_THREAD_CPUTIME_ID);
         s.n[SysCpuTime] = t.tv_sec * 1000000000ULL + t.tv_nsec;
         break;
   }
   return s;
}

void DCFG_(begin_syscall)(void* s, UInt sysno, const UWord* args)
{
   const CallStack* cs = s;

   cs->times->begun = clocks();
}

void DCFG_(end_syscall)(void* s, UInt sysno, const UWord* args, SysRes res)
{
   const CallStack* cs = s;
   SystemTimes*     st = cs->times;
   Sums             grown = clocks();
   const Sums       none = { { 0 } };
   ThreadInfo       info;

   DCFG_(thread_info)(cs->index, &info);
   if (cs->is_idle || info.off || info.last.sb == 0 || cs->now.function == 0)
      return;
   for (UInt e = 0; e < N_SYS_EVENTS; e++)
      grown.n[e] -= st->begun.n[e];
   grown.n[SysCount] = 1;
   Superblock*    sb   = DCFG_(superblock)(info.last.sb);
   const CallSite site = { sb, sb->n_instrs - 1u, NULL,
                           DCFG_(context_on_stack)(cs, cs->now.function,
                                                   cs->floor) };
   add_growth(DCFG_(find_call)(cs->profile, &site, NULL, 0), &grown, &none,
              False);
   for (UInt e = 0; e < N_SYS_EVENTS; e++)
      st->now.n[e] += grown.n[e];
}
