/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: all control flow that generated code cannot count: begin and end of
   signal handlers, restarted system calls, faults.  Also threads that are not
   collected for a while, or run excluded code, and what a part of the run needs
   of the parts before.

   Handed: the core's events.  Gaps begin and end by tool/run/region.c for all
   threads, by tool/calls/stack.c for one.  Generated code tells the first
   superblock of excluded code, and the first one of collected code after it.
   dcfg_main.c tells that a part ends.

   The core reports when a thread starts and stops running generated code.  If
   the instruction pointer changes in between, that is a diversion, whatever
   part of the core did it.  The counters already have the step that the
   diverted superblock meant to take; tool/run/flow.c takes it back.

   Gaps.  If all threads stop being collected, they run code that counts
   nothing.  If one thread does, it runs the same code as the others, but
   counts in an array of its own that nobody reads.  So this change only sets a
   pointer.  Calls change it at the way out of a superblock, when the whole
   superblock has been counted.  A thread that is collected again has been
   diverted, from its old position to its new one.

   Excluded code.  A thread in excluded code is "away".  It keeps the position
   where it left collected code, whatever it does: calls, returns, signals and
   handlers in excluded code are not followed.  When it comes back, that counts
   as a diversion from the kept position to the new one.  A diversion that led
   to excluded code, such as a signal to a handler there, led nowhere.  That is
   the rule for every diversion that is followed by another before a collected
   instruction has completed.

   Boundaries.  All parts of a run can be joined.  For that, a part needs of the
   parts before it the instruction behind which each thread stands, its way on,
   and what its handlers interrupted.  tool/run/gather.c reads these in the
   threads. */

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/dcfg_output.h"
#include "tool/run/event.h"
#include "tool/run/flow.h"
#include "tool/run/generation.h"
#include "tool/run/inside.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"
#include "tool/steady/steady.h"
#include "tool/steady/turn.h"

/*--- Gaps                                                 ---*/

static Bool collecting = True;
static Bool at_start   = True;

/* THREAD is not collected from here on. */
static void begin_gap(Thread* thread)
{
   if (thread->gap.open)
      return;
   thread->gap.ip   = DCFG_(bound_for)(thread);
   thread->gap.open = True;
   thread->gap.ran  = False;
}

/* THREAD begins at IP, or continues there after an earlier part. */
static void enter(Thread* thread, Addr ip)
{
   thread->entry = DCFG_(target_now)(ip, False);
   if (thread->gap.ran) {
      thread->boundary.diverted = True;
      thread->boundary.kind     = DivertExcluded;
   }
}

void DCFG_(end_gap)(Thread* thread, Addr ip)
{
   if (thread->entered && thread->gap.ran)
      DCFG_(divert)(thread, thread->gap.ip, DivertExcluded, ip);
   else if (!thread->entered)
      enter(thread, ip);
   thread->entered    = True;
   thread->gap.open   = False;
   thread->gap.ran    = False;
   thread->gap.unseen = False;
}

void DCFG_(set_base)(const Thread* thread)
{
   ULong* base = DCFG_(cell_base)(thread->idle.now
                                  ? thread->idle.cells : thread->cells);

   VG_(set_shadow_regs_area)(thread->tid, 1, DCFG_SHADOW_OFFSET, sizeof(base),
                             (const UChar*)&base);
}

void DCFG_(set_collecting)(Bool on)
{
   collecting = on;
   /* If ON, each thread is collected when it next runs. */
   for (Word i = 0; i < DCFG_(all_threads)() && !on; i++) {
      Thread* t = DCFG_(nth_thread)(i);
      if (!t->live)
         continue;
      begin_gap(t);
      DCFG_EACH_WATCHER(w, suspend)
         DCFG_(watchers)[w]->suspend(t->states[w]);
   }
}

Bool DCFG_(is_collecting)(void)
{
   return collecting;
}

void DCFG_(collect_thread)(UInt index, Bool on)
{
   Thread* t = DCFG_(nth_thread)(index);

   if (!t->live || t->idle.now == !on)
      return;
   if (!on) {
      DCFG_(have_idle_cells)(t);
      begin_gap(t);
   }
   t->idle.now = !on;
   DCFG_EACH_WATCHER(w, turn)
      DCFG_(watchers)[w]->turn(t->states[w], on);
   /* Otherwise the change is made when the thread next runs. */
   if (!t->leaving.now)
      return;
   if (on)
      DCFG_(end_gap)(t, t->leaving.to);
   else
      t->gap.ran = True;
   DCFG_(set_base)(t);
}

Bool DCFG_(is_thread_collected)(UInt index)
{
   return !DCFG_(nth_thread)(index)->idle.now;
}

void DCFG_(collect_at_start)(Bool on)
{
   at_start = on;
}

Bool DCFG_(is_collected_at_start)(void)
{
   return at_start;
}

void DCFG_(stop_at_way_out)(UInt index, Addr to)
{
   Thread* t = DCFG_(nth_thread)(index);

   t->leaving.now = True;
   t->leaving.to  = to;
}

void DCFG_(go_on_from_way_out)(UInt index)
{
   Thread* t = DCFG_(nth_thread)(index);

   /* The thread's counts may have been forgotten meanwhile. */
   if (!t->gap.open && !t->entered)
      DCFG_(end_gap)(t, t->leaving.to);
   t->leaving.now = False;
}

Bool DCFG_(runs_code)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      const Thread* t = DCFG_(nth_thread)(i);
      if (t->core.running && !t->leaving.now)
         return True;
   }
   return False;
}

#define N_ROUTES 1024

/*--- Excluded code                                        ---*/

static Thread* running_thread(void)
{
   return DCFG_(thread_of)(VG_(get_running_tid)());
}

/* Return whether THREAD is collected: BASE is the array that THREAD counts
   in. */
static Bool is_wanted(const Thread* thread, const ULong* base)
{
   return base == DCFG_(cell_base)(thread->cells);
}

void DCFG_(went_away)(ULong* base, Addr entry)
{
   Thread* t = running_thread();

   if (is_wanted(t, base)) {
      t->away.entry = entry;
      t->away.fixed = False;
   }
   base[CellAway] = 1;
}

/* Hide THREAD's last handler: it began with excluded code, so no edge leads to
   it, and there is nothing to bypass. */
static void hide_handler(Thread* thread)
{
   Word n = VG_(sizeXA)(thread->signal.interruptions);

   if (n > 0 && is_diverted(thread) && thread->diverted->kind == DivertSignal)
      ((Interruption*)VG_(indexXA)(thread->signal.interruptions, n - 1))->hidden
         = True;
}

/* Return the place for this route in THREAD's cache of routes. */
static Route* route(Thread* thread, UInt last, Addr entry, UInt sb)
{
   if (thread->away.routes == NULL)
      thread->away.routes = VG_(calloc)("dcfg.away.routes", N_ROUTES,
                                        sizeof(Route));
   return &thread->away.routes[(last * 31 + entry * 7 + sb) % N_ROUTES];
}

static void find_route(Thread* thread, UInt last, UInt sb)
{
   Route* r    = route(thread, last, thread->away.entry, sb);
   Bool   keep = !is_diverted(thread) && !thread->away.fixed;

   if (keep && r->d != NULL && r->last == last && r->sb == sb
       && r->entry == thread->away.entry) {
      DCFG_(divert_again)(thread, r->d);
      return;
   }
   hide_handler(thread);
   DCFG_(divert_to)(thread, thread->away.entry, DivertExcluded,
                    DCFG_(target_of)(DCFG_(superblock)(sb)));
   if (!keep)
      return;
   r->d     = thread->diverted;
   r->last  = last;
   r->sb    = sb;
   r->entry = thread->away.entry;
}

void DCFG_(came_back)(ULong* base, UWord id, Addr sp)
{
   Thread* t    = running_thread();
   UInt    last = DCFG_MARK_ID((UWord)base[CellMark]);

   if (is_wanted(t, base))
      find_route(t, last, id);
   DCFG_EACH_WATCHER(w, come_back)
      DCFG_(watchers)[w]->come_back(t->states[w], last, id, sp);
   base[CellAway] = 0;
}

void DCFG_(fix_away)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      Thread* t = DCFG_(nth_thread)(i);
      if (!t->live)
         continue;
      DCFG_(forget_routes)(t);
      if (is_away(t)) {
         t->away.from  = DCFG_(position)(t, t->away.entry);
         t->away.fixed = True;
      }
   }
}

/*--- Boundaries                                           ---*/

static void pass_over(void* arg, const SbRun* run, UInt k, Target target,
                      ULong count)
{
}

static Bool is_same(Position a, Position b)
{
   return a.sb == b.sb && a.n_done == b.n_done
          && a.target.addr == b.target.addr
          && a.target.version == b.target.version
          && a.target.unredirected == b.target.unredirected;
}

/* Return the last instruction that was executed before position P. */
static Site site_of(const Thread* thread, const ThreadInfo* info, Position p)
{
   const Superblock* sb   = DCFG_(superblock)(p.sb);
   Site              site = { p.sb, sb->n_instrs - 1 };
   SbRun             run;

   if (p.n_done > 0) {
      site.k = p.n_done - 1;
      return site;
   }
   VG_(memset)(&run, 0, sizeof(run));
   DCFG_(read_run)(&run, thread->index, info, DCFG_(cell_counts)(info->cells),
                   sb);
   DCFG_(each_flow)(&run, pass_over, NULL);
   for (UInt i = 0; i < run.n_diversions; i++) {
      const SbDiversion* d = &run.diversions[i];
      if ((d->ends || d->kind == DivertSignal) && is_same(d->from, p))
         site.k = d->left_at;
   }
   VG_(free)(run.diversions);
   return site;
}

static void note_boundary(Thread* thread)
{
   ThreadInfo info;

   DCFG_(thread_info)(thread->index, &info);
   thread->boundary.preceding += thread->counted;
   if (!thread->live)
      return;
   for (Word i = 0; i < VG_(sizeXA)(thread->signal.interruptions); i++) {
      Interruption* in = VG_(indexXA)(thread->signal.interruptions, i);
      if (in->site.sb == 0 && in->from.sb != 0)
         in->site = site_of(thread, &info, in->from);
   }
   if (info.ran) {
      thread->boundary.behind   = site_of(thread, &info, info.last);
      thread->boundary.diverted = False;
   }
   if (thread->entered && is_diverted(thread)) {
      thread->boundary.diverted = True;
      thread->boundary.kind     = thread->diverted->kind;
   }
}

void DCFG_(note_boundaries)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++)
      note_boundary(DCFG_(nth_thread)(i));
}

void DCFG_(forget_boundaries)(void)
{
   for (Word i = 0; i < DCFG_(all_threads)(); i++) {
      Thread* t = DCFG_(nth_thread)(i);
      t->boundary.behind.sb = 0;
      t->boundary.diverted  = False;
      t->boundary.preceding = 0;
   }
}

static void (*code_is_left[2])(void);  // called when code is left; or NULL

/*--- Events                                               ---*/

/* Tell the result of a system call of thread TID that ended before its result
   was known. */
static void tell_late(ThreadId tid)
{
   UInt         sysno;
   const UWord* args;
   SysRes       res;

   if (DCFG_(take_late)(tid, &sysno, &args, &res))
      DCFG_(note_syscall_done)(tid, sysno, args, res);
}

static void on_create(ThreadId parent, ThreadId tid)
{
   DCFG_(turn_created)(parent, tid);
   Thread* t = DCFG_(new_thread)(tid);

   t->gap.open = !DCFG_(is_collecting)();
   DCFG_(collect_thread)(t->index, DCFG_(is_collected_at_start)());
}

/* THREAD begins at IP, or continues there in a new part of the run. */
static void begin(Thread* thread, Addr ip)
{
   if (thread->signal.begun || thread->signal.sigreturn
       || ip != thread->core.stop_ip) {
      thread->boundary.diverted = True;
      thread->boundary.kind     = thread->signal.begun ? DivertSignal
                              : thread->signal.sigreturn
                              ? DivertSigreturn : DivertRestart;
   }
   DCFG_(end_gap)(thread, ip);
   if (thread->signal.sigreturn && !thread->signal.begun)
      DCFG_(end_interruption)(thread, ip, VG_(get_SP)(thread->tid));
}

/* THREAD starts at IP, or goes on there, and is collected. */
static void go_on(Thread* thread, Addr ip)
{
   if (!thread->entered) {
      begin(thread, ip);
   } else if (is_away(thread)) {
      if (thread->signal.sigreturn)
         DCFG_(end_interruption)(thread, ip, VG_(get_SP)(thread->tid));
   } else if (thread->signal.begun) {
      DCFG_(divert)(thread, thread->signal.ip, DivertSignal, ip);
   } else if (ip != thread->core.stop_ip || thread->signal.sigreturn) {
      DCFG_(divert)(thread, thread->core.stop_ip,
                    thread->signal.sigreturn
                    ? DivertSigreturn : DivertRestart, ip);
      if (thread->signal.sigreturn)
         DCFG_(end_interruption)(thread, ip, VG_(get_SP)(thread->tid));
   }
}

static void on_start(ThreadId tid, ULong blocks)
{
   if (!DCFG_(take_turn)(tid))
      return;
   tell_late(tid);
   Thread* t  = DCFG_(thread_of)(tid);
   Addr    ip = VG_(get_IP)(tid);
   Addr    sp = VG_(get_SP)(tid);

   /* The watchers may end calls here, which may end the thread's collection. */
   if (DCFG_(is_collecting)())
      DCFG_EACH_WATCHER(w, resume)
         DCFG_(watchers)[w]->resume(t->states[w], ip, sp);

   /* Set the base always: the array may have moved, or the thread may have got
      a copy of its creator's shadow state, or a signal frame's. */
   DCFG_(set_base)(t);
   t->core.start_blocks = blocks;

   if (t->gap.open && t->signal.sigreturn)
      DCFG_(end_interruption)(t, ip, sp);
   if (!DCFG_(is_collecting)()) {
      t->gap.ran = t->gap.unseen = True;
   } else if (t->idle.now) {
      t->gap.ran    = True;
      t->gap.unseen = False;
   } else if (t->gap.open && t->gap.ran) {
      DCFG_(end_gap)(t, ip);
   } else {
      go_on(t, ip);
      t->gap.open = t->gap.unseen = False;
   }
   t->core.started     = True;
   t->signal.begun     = False;
   t->signal.sigreturn = False;
   t->core.running     = True;
   t->fresh            = True;
}

/* The core counts superblocks, except those that are entered by a forward jump,
   and preempts a thread after 100,000 of them.  So no counter was added to more
   often than the core has counted, and a thread comes back here in time. */
#define CARRY_AFTER (1u << (DCFG_HALF_BITS - 1))

static void carry_if_due(Thread* thread, ULong blocks)
{
   thread->core.uncarried += blocks - thread->core.start_blocks;
   if (!DCFG_COUNTS_IN_HALVES || thread->core.uncarried < CARRY_AFTER)
      return;
   DCFG_(flush_branch_caches)(thread->branches);
   DCFG_(carry_counters)(thread->cells);
   thread->core.uncarried = 0;
}

static void on_stop(ThreadId tid, ULong blocks)
{
   if (!DCFG_(pause_turn)(tid))
      return;
   Thread* t = DCFG_(thread_of)(tid);

   carry_if_due(t, blocks);
   t->core.stop_ip = VG_(get_IP)(tid);
   if (!t->signal.begun)
      DCFG_(tell_left)(t, t->core.stop_ip);
   DCFG_EACH_WATCHER(w, pause)
      DCFG_(watchers)[w]->pause(t->states[w]);
   t->core.running = False;
   DCFG_(tend_branch_caches)(t->branches);
   if (t->idle.branches != NULL)
      DCFG_(tend_branch_caches)(t->idle.branches);
   for (UInt i = 0; i < 2 && code_is_left[i] != NULL; i++)
      code_is_left[i]();
}

static void on_signal(ThreadId tid, Int sig, Bool alt_stack)
{
   DCFG_(turn_interrupted)(tid);
   tell_late(tid);
   Thread*      t = DCFG_(thread_of)(tid);
   Interruption in;

   /* A thread that nobody follows runs on to the handler. */
   if (!DCFG_(is_collecting)())
      t->gap.ran = t->gap.unseen = True;
   if (t->gap.unseen)
      return;
   if (t->core.running)
      DCFG_(claim_tried)(VG_(get_IP)(tid));
   if (!t->signal.begun && t->core.running)
      DCFG_(tell_left)(t, VG_(get_IP)(tid));
   if (!t->signal.begun && !(t->gap.open && t->gap.ran))
      DCFG_(tell_stop)(t);
   DCFG_EACH_WATCHER(w, enter_handler)
      DCFG_(watchers)[w]->enter_handler(
         t->states[w], sig, VG_(get_SP)(tid),
         alt_stack ? DCFG_(alternate_stack)(tid) : NULL);
   /* A thread that was not collected, or not in its handler, runs on, too. */
   if (t->idle.now || (t->gap.open && t->gap.ran)) {
      t->gap.ran = True;
      return;
   }
   /* A second handler may begin before the first has run. */
   if (t->signal.begun)
      return;
   t->signal.begun = True;
   /* A fault stops generated code at the faulting instruction.  Otherwise the
      thread has left the code before, and a system call to be restarted may
      have moved the instruction pointer since. */
   t->signal.ip = t->core.running ? VG_(get_IP)(tid) : t->core.stop_ip;
   /* If a handler begins at once when another has returned, it interrupts what
      the other one had interrupted, and the list has that already. */
   if ((!t->entered && t->boundary.behind.sb == 0) || t->signal.sigreturn)
      return;
   in.from   = DCFG_(position)(t, t->signal.ip);
   in.site   = in.from.sb == 0 ? t->boundary.behind : (Site){ 0, 0 };
   in.sp     = VG_(get_SP)(tid);
   in.ip     = VG_(get_IP)(tid);
   in.hidden = is_away(t);
   VG_(addToXA)(t->signal.interruptions, &in);
}

/* The register in which arm64's calls put the return address. */
#define LINK_REGISTER 30

static Addr return_address(ThreadId tid)
{
   const GuestLayout* l  = DCFG_(guest).layout;
   const Addr         sp = VG_(get_SP)(tid);

   if (DCFG_(guest).calls_link)
      return *DCFG_(guest_word)(tid, l->general + LINK_REGISTER * l->word);
   return VG_(am_is_valid_for_client)(sp, sizeof(Addr), VKI_PROT_READ)
          ? *(const Addr*)sp : 0;
}

/* Return whether a function called from IN's address would begin as thread TID goes
   on now. */
static Bool seems_called(ThreadId tid, const Interruption* in)
{
   return VG_(get_IP)(tid) != in->ip
          && VG_(get_SP)(tid) < in->sp + DCFG_(guest).calls_link
          && return_address(tid) == in->ip;
}

/* A handler of thread TID has ended.  If it has changed the registers that it was to
   restore, the thread goes on elsewhere: tell the watchers from where, and let the
   handler have interrupted the thread there. */
static void tell_diverted(Thread* t, ThreadId tid)
{
   const Addr ip = VG_(get_IP)(tid), sp = VG_(get_SP)(tid);

   for (Word i = VG_(sizeXA)(t->signal.interruptions) - 1; i >= 0; i--) {
      Interruption* in = VG_(indexXA)(t->signal.interruptions, i);
      const Bool    is_call = seems_called(tid, in);
      const Addr    from    = in->ip;
      if (in->sp != sp && !is_call)
         continue;
      in->sp = sp;
      in->ip = ip;
      if (from != ip && !in->hidden)
         DCFG_EACH_WATCHER(w, diverted)
            DCFG_(watchers)[w]->diverted(t->states[w], from, ip, sp, is_call);
      return;
   }
}

static void after_signal(ThreadId tid, Int sig)
{
   Thread* t = DCFG_(thread_of)(tid);

   if (t->gap.unseen || !DCFG_(is_collecting)())
      return;
   DCFG_EACH_WATCHER(w, leave_handler)
      DCFG_(watchers)[w]->leave_handler(t->states[w]);
   tell_diverted(t, tid);
}

static void on_exit(ThreadId tid)
{
   DCFG_(turn_ended)(tid);
   Thread* t = DCFG_(thread_of)(tid);

   /* clone failed: the thread never existed. */
   if (!t->core.started && t->index == DCFG_(all_threads)() - 1) {
      DCFG_(delete_last_thread)(t);
      return;
   }
   t->last = DCFG_(position)(t, DCFG_(bound_for)(t));
   if (!t->gap.open)
      DCFG_(tell_stop)(t);
   if (is_diverted(t))
      t->diverted->count--;
   DCFG_(claim_superblocks)();
   DCFG_(end_thread)(t);
}

/* Written: memory that the kernel has written for a system call. */
typedef
   struct {
      Addr  a;
      SizeT len;
   }
   Written;

/* The memory that the present call has written, which is told when it has been
   overwritten.  The core does nothing else between a call's end and its answer. */
static Written held[16];
static UInt    n_held;

static void on_write(CorePart part, ThreadId tid, Addr a, SizeT len);

static void tell_held(ThreadId tid)
{
   for (UInt i = 0; i < n_held; i++)
      on_write(Vg_CoreSysCall, tid, held[i].a, held[i].len);
   n_held = 0;
}

/* Keep a range.  Return False if there is no room. */
static Bool hold(Addr a, SizeT len)
{
   for (UInt i = 0; i < n_held; i++)
      if (held[i].a == a && held[i].len == len)
         return True;
   if (n_held == sizeof(held) / sizeof(held[0]))
      return False;
   held[n_held++] = (Written){ a, len };
   return True;
}

void DCFG_(note_syscall)(ThreadId tid, UInt sysno, const UWord* args)
{
   Thread* t         = DCFG_(thread_of)(tid);
   Bool    sigreturn = sysno == __NR_rt_sigreturn;

#if defined(__NR_sigreturn)
   sigreturn = sigreturn || sysno == __NR_sigreturn;
#endif
   t->signal.sigreturn = sigreturn;
   t->core.holds       = DCFG_(may_overwrite)(sysno)
                         || DCFG_(is_getrlimit)(sysno);
   if (t->gap.open)
      return;
   DCFG_EACH_WATCHER(w, before_syscall)
      DCFG_(watchers)[w]->before_syscall(t->states[w], sysno, args);
}

void DCFG_(keep_arguments)(ThreadId tid, const UWord* args)
{
   const CallLayout* c = DCFG_(guest).calls;

   for (UInt i = 0; !DCFG_(thread_of)(tid)->signal.sigreturn && i < 6; i++)
      if (c->args[i] != c->result)
         *DCFG_(guest_word)(tid, c->args[i]) = args[i];
}

void DCFG_(note_syscall_done)(ThreadId tid, UInt sysno, const UWord* args,
                              SysRes res)
{
   Thread* t = DCFG_(thread_of)(tid);

   t->core.holds = False;
   tell_held(tid);
   if (t->gap.open)
      return;
   DCFG_EACH_WATCHER(w, after_syscall)
      DCFG_(watchers)[w]->after_syscall(t->states[w], sysno, args, res);
}

/* --- Memory that the kernel reads and writes              --- */

static void on_read(CorePart part, ThreadId tid, const HChar* what, Addr a,
                    SizeT len)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (part != Vg_CoreSysCall || t == NULL || t->gap.open)
      return;
   DCFG_EACH_WATCHER(w, memory_read)
      DCFG_(watchers)[w]->memory_read(t->states[w], a, len);
}

/* The kernel reads the text at A, as far as it is mapped. */
static void on_read_text(CorePart part, ThreadId tid, const HChar* what,
                         Addr a)
{
   Addr end = a;

   if (part != Vg_CoreSysCall || DCFG_(n_watchers) == 0)
      return;
   do {
      if ((end == a || end % VKI_PAGE_SIZE == 0)
          && !VG_(am_is_valid_for_client)(end, 1, VKI_PROT_READ))
         break;
   } while (*(const UChar*)end++ != 0);
   on_read(part, tid, what, a, end - a);
}

static void on_offer(CorePart part, ThreadId tid, const HChar* what, Addr a,
                     SizeT len)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (part != Vg_CoreSysCall || t == NULL || t->gap.open)
      return;
   DCFG_EACH_WATCHER(w, memory_offered)
      DCFG_(watchers)[w]->memory_offered(t->states[w], a, len);
}

static void on_write(CorePart part, ThreadId tid, Addr a, SizeT len)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (t == NULL || t->gap.open
       || (part == Vg_CoreSysCall && t->core.holds && hold(a, len)))
      return;
   DCFG_EACH_WATCHER(w, memory_written)
      DCFG_(watchers)[w]->memory_written(t->states[w],
                                         part == Vg_CoreSysCall, a, len);
}

/* The core leaves out the red zone's size at the end of the frame, and adds it
   below. */
static void on_frame(Addr a, SizeT len, ThreadId tid)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (t == NULL || t->gap.open)
      return;
   DCFG_EACH_WATCHER(w, framed)
      DCFG_(watchers)[w]->framed(t->states[w], a + DCFG_(guest).redzone, len);
}

/* --- Registers that client requests write                  --- */

static void on_register(CorePart part, ThreadId tid, PtrdiffT offset,
                        SizeT size)
{
   const Thread* t = DCFG_(thread_of)(tid);

   if (part != Vg_CoreClientReq || t == NULL || t->gap.open)
      return;
   DCFG_EACH_WATCHER(w, register_written)
      DCFG_(watchers)[w]->register_written(t->states[w], offset, size);
}

/* The client request has called FN, natively. */
static void on_call_result(ThreadId tid, PtrdiffT offset, SizeT size, Addr fn)
{
   on_register(Vg_CoreClientReq, tid, offset, size);
}

void DCFG_(when_code_is_left)(void (*do_it)(void))
{
   tl_assert(code_is_left[1] == NULL);
   code_is_left[code_is_left[0] != NULL] = do_it;
}

void DCFG_(memory_filled)(Addr a, SizeT len)
{
   on_write(Vg_CoreSysCall, VG_(get_running_tid)(), a, len);
}

void DCFG_(track_threads)(void)
{
   VG_(track_pre_thread_ll_create)(on_create);
   VG_(track_pre_thread_ll_exit)(on_exit);
   VG_(track_start_client_code)(on_start);
   VG_(track_stop_client_code)(on_stop);
   VG_(track_pre_deliver_signal)(on_signal);
   VG_(track_post_deliver_signal)(after_signal);
   VG_(track_pre_mem_read)(on_read);
   VG_(track_pre_mem_read_asciiz)(on_read_text);
   VG_(track_pre_mem_write)(on_offer);
   VG_(track_post_mem_write)(on_write);
   VG_(track_new_mem_stack_signal)(on_frame);
   VG_(track_post_reg_write)(on_register);
   VG_(track_post_reg_write_clientcall_return)(on_call_result);
}
