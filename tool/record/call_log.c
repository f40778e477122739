/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   System calls of a recorded run. */

/* Owns: what is put of each system call, and how a replay answers it.  Handed:
   calls and the memory that they access, by the core.

   A recording lets the kernel execute a call, and puts its result and the memory
   that it wrote: what the core announces, and what tool/wet/syscalls.c knows
   besides.

   A replay executes calls that change the process itself: its mappings, threads,
   signal handlers, and its end.  All others are answered from the log, so no
   file, socket or process is touched.  The hash of a call's arguments shows
   whether this is still the recorded run.

   A thread whose call blocked while others ran has its answer when its event is
   due: it lets the others run first. */

#include "tool/arch/guest.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/base/options.h"
#include "tool/record/recorded.h"
#include "tool/record/log.h"
#include "tool/run/this_run.h"
#include "tool/wet/copies.h"
#include "tool/wet/syscalls.h"

/*--- Calls                                                ---*/

/* Return what a replay does with the call. */
static CallKind kind_of(UInt sysno, const UWord* args)
{
   const UWord clone_thread = 0x10000;

   switch (sysno) {
      case __NR_munmap: case __NR_mprotect: case __NR_mremap: case __NR_brk:
      case __NR_madvise: case __NR_rt_sigaction: case __NR_rt_sigprocmask:
      case __NR_sigaltstack: case __NR_exit: case __NR_exit_group:
         return CallExecuted;
      case __NR_rt_sigreturn:
         return CallReturns;
      case __NR_clone:
         return args[0] & clone_thread ? CallExecuted : CallForks;
#if defined(__NR_mmap)
      case __NR_mmap:
         return CallMaps;
#endif
#if defined(__NR_shmat)
      case __NR_shmat:
         return CallAttaches;
      case __NR_shmdt:
         return CallExecuted;
#endif
#if defined(__NR_fork)
      case __NR_fork: case __NR_vfork:
         return CallForks;
#endif
      default:
         return DCFG_(guest).calls->kind(sysno, args);
   }
}

/* Return the six arguments of a call that maps, as those of call .map; ROOM has
   room for them. */
static const UWord* map_args(UInt sysno, const UWord* args, UWord* room)
{
   const CallLayout* c = DCFG_(guest).calls;

   if (sysno == c->map)
      return args;
   VG_(memcpy)(room, (const void*)args[0], 6 * sizeof(UWord));
   room[5] /= c->map_unit;
   return room;
}

/* AttachLayout: arguments of a call that attaches a segment: the segment, the
   address that is wanted, and where to put the one that is got; -1: that is the
   result. */
typedef
   struct {
      UInt segment, wanted;
      Int  got;
   }
   AttachLayout;

static AttachLayout attach_layout(UInt sysno)
{
   const AttachLayout shmat = { 0, 1, -1 }, ipc = { 1, 4, 3 };

   return (Int)sysno == DCFG_(guest).calls->ipc ? ipc : shmat;
}

/* Return where a segment is attached by a call that returns RESULT. */
static Addr attached_at(UInt sysno, const UWord* args, UWord result)
{
   Int got = attach_layout(sysno).got;

   return got < 0 ? result : *(const Addr*)args[got];
}

static Bool is_exec(UInt sysno)
{
   return sysno == __NR_execve || sysno == __NR_execveat;
}

/* Return whether the call changes mappings, or segments of 32-bit systems: state
   of the process that a checkpoint has by the calls that made it. */
static Bool is_noted(UInt sysno, const UWord* args)
{
   switch (sysno) {
      case __NR_munmap: case __NR_mprotect: case __NR_mremap: case __NR_brk:
#if defined(__NR_set_thread_area)
      case __NR_set_thread_area:
#endif
         return True;
      default:
         return kind_of(sysno, args) == CallMaps;
   }
}

/* Return whether the call makes state that no checkpoint has: memory that is
   shared, or another 32-bit system's table of segments. */
static Bool is_beyond(UInt sysno, const UWord* args)
{
   const UWord shares = VKI_MAP_SHARED | VKI_MAP_ANONYMOUS;
   CallKind    kind   = kind_of(sysno, args);
   UWord       room[6];

#if defined(__NR_modify_ldt)
   if (sysno == __NR_modify_ldt)
      return True;
#endif
   return kind == CallAttaches
          || (kind == CallMaps
              && (map_args(sysno, args, room)[3] & shares) == shares);
}

static UInt hash_of(const UWord* args)
{
   UInt h = 2166136261u;

   for (UInt i = 0; i < 6; i++)
      h = (h ^ (UInt)args[i] ^ (UInt)((ULong)args[i] >> 32)) * 16777619u;
   return h;
}

/* Note where the new thread's number, or the thread's own, will be cleared.
   IS_CHILD: the call has made this process. */
static void note_numbers(ThreadId tid, UInt sysno, const UWord* args,
                         Bool is_child)
{
   const UWord clear_tid = 0x200000;
   ThreadId    created   = is_child ? tid : DCFG_(take_created)();

   if (sysno == __NR_set_tid_address)
      DCFG_(note_clear)(tid, args[0]);
   if (sysno == __NR_set_robust_list)
      DCFG_(note_robust)(tid, args[0]);
   if (sysno == __NR_clone && created != 0)
      DCFG_(note_clear)(created, args[0] & clear_tid
                                 ? args[DCFG_(guest).clone_tid] : 0);
}

/*--- Recording                                            ---*/

/* Range: memory of the program.  A text has length 0. */
typedef
   struct {
      Addr  a;
      SizeT n;
   }
   Range;

/* PresentCall: the system call that a thread is in. */
typedef
   struct {
      Bool    active;
      Bool    is_begun;      // has the log its begin?
      Bool    executes;      // replaying: the core executes it while others run
      UInt    sysno, hash;
      XArray* reads;         // Range
      Bytes   copies;        // memory behind its arguments, as it was before
   }
   PresentCall;

static PresentCall* calls;        // by ThreadId
static XArray* written;      // Range: by the call that ends now
static XArray* untold;       // Range: likewise, but the core did not say so

/* Replaying: is there still what the present call has written, to be taken when the core has
   executed it?  The call does not let other threads run. */
static Bool  owes_writes;
static UWord owed_result;

static void (*then_before)(ThreadId, UInt, UWord*, UInt);
static void (*then_after)(ThreadId, UInt, UWord*, UInt, SysRes);
static void (*then_read)(CorePart, ThreadId, const HChar*, Addr, SizeT);
static void (*then_read_text)(CorePart, ThreadId, const HChar*, Addr);
static void (*then_write)(CorePart, ThreadId, Addr, SizeT);

static void forget(XArray* ranges)
{
   VG_(dropTailXA)(ranges, VG_(sizeXA)(ranges));
}

static void add_read(CorePart part, ThreadId tid, Addr a, SizeT n)
{
   Range r = { a, n };

   if (part == Vg_CoreSysCall && DCFG_(run_mode) == RunRecorded)
      VG_(addToXA)(calls[tid].reads, &r);
}

static void on_read(CorePart part, ThreadId tid, const HChar* what, Addr a,
                    SizeT n)
{
   if (n > 0)
      add_read(part, tid, a, n);
   if (then_read != NULL)
      then_read(part, tid, what, a, n);
}

static void on_read_text(CorePart part, ThreadId tid, const HChar* what,
                         Addr a)
{
   add_read(part, tid, a, 0);
   if (then_read_text != NULL)
      then_read_text(part, tid, what, a);
}

/* Add a range to the array ARG. */
static void add_written(void* arg, Addr a, SizeT n)
{
   Range r = { a, n };

   if (n > 0 && VG_(am_is_valid_for_client)(a, n, VKI_PROT_READ))
      VG_(addToXA)((XArray*)arg, &r);
}

/* Warn once of a debugger that writes memory, by the core's gdbserver. */
static void warn_of_debugger(void)
{
   static Bool warned;

   if (!warned)
      DCFG_(remark)("dcfg: warning: a debugger has changed the program's memory, "
                    "which is not recorded: a replay may end there\n");
   warned = True;
}

/* In a replay, clone() writes again what it has written for the new thread. */
static void on_write(CorePart part, ThreadId tid, Addr a, SizeT n)
{
   Bool is_other = tid != VG_(get_running_tid)();

   if (part == Vg_CoreClientReq && DCFG_(run_mode) == RunRecorded)
      warn_of_debugger();
   if (part == Vg_CoreSysCall && DCFG_(run_mode) == RunRecorded && !is_other) {
      add_written(written, a, n);
      DCFG_(renew_copies)(&calls[tid].copies, a, n);
   }
   /* The core has written what it finds now; the log has what it wrote then. */
   if (then_write != NULL && (!owes_writes || is_other))
      then_write(part, tid, a, n);
}

/* Put the begin of thread TID's call: its number, the hash of its arguments, and
   what it reads. */
static void put_begin(ThreadId tid)
{
   const PresentCall* c     = &calls[tid];
   XArray*     reads = c->reads;

   DCFG_(log_number)(c->sysno);
   DCFG_(log_bytes)(RecEvents, &c->hash, sizeof(c->hash));
   DCFG_(log_number)(VG_(sizeXA)(reads));
   for (Word i = 0; i < VG_(sizeXA)(reads); i++) {
      const Range* r = VG_(indexXA)(reads, i);
      DCFG_(log_signed)((Word)(r->a - VG_(get_SP)(tid)));
      DCFG_(log_number)(r->n);
   }
}

static void put_written(XArray* ranges)
{
   DCFG_(log_number)(VG_(sizeXA)(ranges));
   for (Word i = 0; i < VG_(sizeXA)(ranges); i++) {
      const Range* r = VG_(indexXA)(ranges, i);
      DCFG_(log_number)(r->a);
      DCFG_(log_number)(r->n);
      DCFG_(log_bytes)(RecEvents, (const void*)r->a, r->n);
   }
}

static void put_segment(Addr a)
{
   const NSegment* s = VG_(am_find_nsegment)(a);

   DCFG_(log_number)(a);
   DCFG_(log_number)(s->end + 1 - a);
   DCFG_(log_bytes)(RecEvents, (const void*)a, s->end + 1 - a);
}

/* Warn once of what a replay cannot do. */
static void warn_of(UInt sysno, CallKind kind, const UWord* args)
{
   static Bool warned, shares;
   const UInt  io_uring_setup = 425;
   const UWord shared = VKI_MAP_SHARED | VKI_MAP_ANONYMOUS;
   UWord       room[6];

   shares = shares || (kind == CallMaps
                       && (map_args(sysno, args, room)[3] & shared) == shared);
   if (warned)
      return;
   warned = True;
   if (sysno == io_uring_setup)
      DCFG_(remark)("dcfg: warning: the program uses io_uring, which writes "
                    "memory at any time: a replay may end there\n");
   else if (kind == CallAttaches)
      DCFG_(remark)("dcfg: warning: the program has memory of shmat(): what "
                    "other processes write there is not recorded, and a replay "
                    "may end there\n");
   else if (shares && kind == CallForks)
      DCFG_(remark)("dcfg: warning: the program shares memory with its child: "
                    "what the child writes there is not recorded, and a replay "
                    "may end there\n");
   else
      warned = False;
}

/* Find what the call has written and the core has not told: what is known of the
   call, and what has changed behind its arguments.  The core itself calls the
   kernel twice for readlink() of /proc/self/exe, for instance. */
static void find_untold(ThreadId tid, UInt sysno, const UWord* args, SysRes res)
{
   Bytes* copies = &calls[tid].copies;

   DCFG_(untold_writes)(sysno, args, res, add_written, untold);
   for (Word i = 0; i < VG_(sizeXA)(untold); i++) {
      const Range* r = VG_(indexXA)(untold, i);
      DCFG_(renew_copies)(copies, r->a, r->n);
   }
   DCFG_(tell_changes)(copies, True, add_written, untold);
   if (!sr_isError(res))
      DCFG_(mapped_writes)(sysno, args, sr_Res(res), add_written, untold);
}

/* Return RES as the program gets it: negative if it is an error. */
static Long result_of(SysRes res)
{
   return sr_isError(res) ? -(Long)sr_Err(res) : (Long)sr_Res(res);
}

static void put_call(ThreadId tid, UInt sysno, const UWord* args, SysRes res)
{
   CallKind kind = kind_of(sysno, args);
   Bool  failed   = sr_isError(res);
   Long  result   = result_of(res);
   Bool  executed = kind >= CallExecuted && !failed;
   UWord room[6];

   if (executed && sysno != __NR_clone)
      forget(written);
   else
      find_untold(tid, sysno, args, res);
   if (executed)
      forget(calls[tid].reads);
   if (executed && sysno == __NR_mremap)
      DCFG_(enlarged)(args, result, add_written, untold);
   DCFG_(log_event)(calls[tid].is_begun ? EvResult : EvCall, tid);
   if (!calls[tid].is_begun)
      put_begin(tid);
   DCFG_(log_signed)(result);
   put_written(written);
   put_written(untold);
   forget(written);
   forget(untold);
   if (kind == CallMaps && !failed)
      DCFG_(log_mapping)(map_args(sysno, args, room), result);
   if (kind == CallAttaches && !failed)
      put_segment(attached_at(sysno, args, result));
   if (!failed)
      warn_of(sysno, kind, args);
   DCFG_(progress).calls++;
}

void DCFG_(log_interrupted)(ThreadId tid)
{
   if (!calls[tid].active)
      return;
   DCFG_(log_begun)(tid);
   DCFG_(log_event)(EvInterrupted, tid);
   calls[tid].active = False;
}

void DCFG_(log_begun)(ThreadId tid)
{
   if (!calls[tid].active || calls[tid].is_begun)
      return;
   calls[tid].is_begun = True;
   DCFG_(log_event)(EvBegun, tid);
   put_begin(tid);
}

/* Let thread TID have an empty array of ranges. */
static void have_reads(ThreadId tid)
{
   if (calls[tid].reads == NULL)
      calls[tid].reads = DCFG_NEW_ARRAY("dcfg.record.reads", Range);
   forget(calls[tid].reads);
}

static void copy_argument(void* copies, Addr a, SizeT n)
{
   DCFG_(copy_memory)(copies, a, n, False);
}

/* Begin to record a call. */
static void begin_call(ThreadId tid, UInt sysno, const UWord* args)
{
   have_reads(tid);
   forget(written);
   DCFG_(empty_bytes)(&calls[tid].copies);
   DCFG_(places_to_watch)(sysno, args, copy_argument, &calls[tid].copies);
   calls[tid].active   = True;
   calls[tid].is_begun = False;
   calls[tid].sysno    = sysno;
   calls[tid].hash     = hash_of(args);
   if (sysno == __NR_exit_group) {
      DCFG_(log_event)(EvExit, tid);
      DCFG_(run_freely)();
   }
}

/*--- Replaying                                            ---*/

/* The call that is answered by another one, which the core executes now; .args
   is NULL if there is none. */
static struct {
   UInt         sysno;
   const UWord* args;
} shown;

/* got: the result of the call that the core has executed last.  Its register may have
   something else by now: a signal's handler begins behind some calls. */
static UWord got;

static UWord get_register(ThreadId tid, Int offset)
{
   UWord w;

   VG_(memcpy)(&w, DCFG_(guest_state)(tid) + offset, sizeof(w));
   return w;
}

static void set_register(ThreadId tid, Int offset, UWord w)
{
   VG_(memcpy)(DCFG_(guest_state)(tid) + offset, &w, sizeof(w));
}

static void get_args(ThreadId tid, UWord* args)
{
   VG_(memset)(args, 0, 8 * sizeof(UWord));
   for (UInt i = 0; i < 6; i++)
      args[i] = get_register(tid, DCFG_(guest).calls->args[i]);
}

static void set_args(ThreadId tid, const UWord* args)
{
   for (UInt i = 0; i < 6; i++)
      set_register(tid, DCFG_(guest).calls->args[i], args[i]);
}

/* Set the arguments to ARGS after the call, whose result may be in the register of
   one. */
static void restore_args(ThreadId tid, const UWord* args)
{
   UWord result = get_register(tid, DCFG_(guest).calls->result);

   set_args(tid, args);
   set_register(tid, DCFG_(guest).calls->result, result);
}

static void before(ThreadId tid, UInt sysno, UWord* args, UInt n)
{
   if (shown.args != NULL) {
      set_args(tid, shown.args);
      VG_(memcpy)(args, shown.args, 6 * sizeof(UWord));
      sysno = shown.sysno;
   }
   /* The log is whole before the outputs are written, which takes time. */
   if (DCFG_(run_mode) == RunRecorded)
      begin_call(tid, sysno, args);
   then_before(tid, sysno, args, n);
   if (shown.args != NULL && kind_of(sysno, args) == CallMaps
       && sysno != DCFG_(guest).calls->map)
      VG_TRACK(pre_mem_read, Vg_CoreSysCall, tid, "replay", args[0],
               6 * sizeof(UWord));
   if (DCFG_(run_mode) == RunRecorded && is_exec(sysno)) {
      DCFG_(log_event)(EvExec, tid);
      DCFG_(before_exec)(sysno == __NR_execve ? (const HChar*)args[0] : "",
                         (const HChar**)args[1]);
   }
}

void DCFG_(take_memory)(Addr a, SizeT n)
{
   UChar bytes[4096];

   if (DCFG_(usable)(a, n, VKI_PROT_WRITE)) {
      DCFG_(take_bytes)(RecEvents, (void*)a, n);
      return;
   }
   for (SizeT k; n > 0; a += k, n -= k) {
      k = n < sizeof(bytes) ? n : sizeof(bytes);
      DCFG_(take_bytes)(RecEvents, bytes, k);
      DCFG_(overwrite)(a, bytes, k);
   }
}

/* Take what the call has written, and write it.  TELLS: the core told of it. */
static void take_written(ThreadId tid, Bool tells)
{
   ULong k = DCFG_(take_number)();

   for (ULong i = 0; i < k; i++) {
      Addr  a = DCFG_(take_number)();
      SizeT n = DCFG_(take_number)();
      if (n == 0 || a + n < a || !DCFG_(usable)(a, n, VKI_PROT_READ))
         DCFG_(diverged)("a system call wrote %lu bytes at %#lx, where no memory "
                         "is", n, a);
      if (!tells)
         DCFG_(grow_file)(a, n);
      DCFG_(take_memory)(a, n);
      if (tells)
         VG_TRACK(post_mem_write, Vg_CoreSysCall, tid, a, n);
   }
}

static void take_all_written(ThreadId tid)
{
   take_written(tid, True);
   take_written(tid, False);
}

/* The call was interrupted, to be made again. */
static void restart(ThreadId tid)
{
   const CallLayout* c = DCFG_(guest).calls;

   DCFG_(take_event)(EvInterrupted);
   set_register(tid, c->ip, get_register(tid, c->ip) - c->length);
}

/* Take the result of a call that the core has executed while others ran. */
static void take_early_result(ThreadId tid, UInt sysno, const UWord* args,
                              SysRes res)
{
   Long result = result_of(res);

   calls[tid].executes = False;
   if (DCFG_(run_mode) != RunReplayed)
      return;
   if (DCFG_(due)() == EvInterrupted) {
      set_args(tid, args);
      set_register(tid, DCFG_(guest).calls->number, sysno);
      restart(tid);
      return;
   }
   if (DCFG_(due)() != EvResult)
      DCFG_(diverged)("a system call ends, and did not");
   DCFG_(take_event)(EvResult);
   DCFG_(progress).calls++;
   Long then = DCFG_(take_signed)();
   if (then != result)
      DCFG_(diverged)("a system call returns %lld and returned %lld", result,
                      then);
   take_all_written(tid);
}

/* The recorded process is the child of a fork, which has been made again and
   returned RES.  Return in the child only. */
static void go_on_as_child(SysRes res)
{
   if (sr_isError(res))
      DCFG_(cannot_replay)("a process cannot be made: %s",
                           DCFG_(error_text)(sr_Err(res)));
   if (sr_Res(res) != 0)
      DCFG_(end_as_child)(sr_Res(res));
}

/* In the child of a fork, other threads than TID are in no call. */
static void keep_call(ThreadId tid)
{
   for (ThreadId t = 1; t < VG_N_THREADS; t++)
      if (t != tid)
         calls[t].active = calls[t].is_begun = calls[t].executes = False;
}

static void after(ThreadId tid, UInt sysno, UWord* args, UInt n, SysRes res)
{
   Bool is_child = kind_of(sysno, args) == CallForks && !sr_isError(res)
                   && sr_Res(res) == 0;

   if (shown.args != NULL) {
      VG_(memcpy)(args, shown.args, 6 * sizeof(UWord));
      sysno = shown.sysno;
   }
   calls[tid].active = False;
   got = result_of(res);
   if (is_child)
      keep_call(tid);
   if (DCFG_(run_mode) == RunRecorded) {
      if (is_exec(sysno))
         DCFG_(exec_failed)();
      put_call(tid, sysno, args, res);
   }
   if (calls[tid].executes)
      take_early_result(tid, sysno, args, res);
   if (owes_writes) {
      owes_writes = False;
      if (kind_of(sysno, args) == CallForks)
         go_on_as_child(res);
      take_all_written(tid);
      res = VG_(mk_SysRes_Success)(owed_result);
      set_register(tid, DCFG_(guest).calls->result, owed_result);
      if (sysno == __NR_clone)
         DCFG_(set_this_thread)(DCFG_(newest_thread)(), owed_result);
   }
   note_numbers(tid, sysno, args, is_child);
   then_after(tid, sysno, args, n, res);
}

/* The most ranges that a call reads.  The kernel takes 1024 parts of a message. */
#define MOST_READS 1000000u

/* Take what the call reads to the array of thread TID. */
static void take_reads(ThreadId tid)
{
   ULong k = DCFG_(take_number)();

   if (k > MOST_READS)
      DCFG_(diverged)("the log has a system call that reads %llu ranges", k);
   have_reads(tid);
   for (ULong i = 0; i < k; i++) {
      Range r;
      r.a = DCFG_(take_signed)() + VG_(get_SP)(tid);
      r.n = DCFG_(take_number)();
      VG_(addToXA)(calls[tid].reads, &r);
   }
}

static void tell_reads(ThreadId tid)
{
   XArray* reads = calls[tid].reads;

   for (Word i = 0; i < VG_(sizeXA)(reads); i++) {
      const Range* r = VG_(indexXA)(reads, i);
      if (r->n > 0)
         VG_TRACK(pre_mem_read, Vg_CoreSysCall, tid, "replay", r->a, r->n);
      else
         VG_TRACK(pre_mem_read_asciiz, Vg_CoreSysCall, tid, "replay", r->a);
   }
}

/* Take the begin of the call, and compare it with the present one. */
static void check_call(ThreadId tid, UInt sysno, const UWord* args)
{
   ULong recorded = DCFG_(take_number)();
   UInt  hash;

   DCFG_(take_bytes)(RecEvents, &hash, sizeof(hash));
   if (recorded != sysno)
      DCFG_(diverged)("the program makes system call %u and made %llu", sysno,
                      recorded);
   if (hash != hash_of(args))
      DCFG_(diverged)("system call %u has other arguments (%#lx, %#lx, %#lx)",
                      sysno, args[0], args[1], args[2]);
   take_reads(tid);
}

/* --- The program's output                                 --- */

/* The standard stream that each of the first descriptors stands for, or 0. */
#define MAX_SHOWN 256
static UChar streams[MAX_SHOWN] = { 0, 1, 2 };

static void copy_stream(UWord from, UWord to)
{
   if (to < MAX_SHOWN)
      streams[to] = from < MAX_SHOWN ? streams[from] : 0;
}

/* Note what the call has done to descriptors. */
static void follow_streams(UInt sysno, const UWord* args, UWord result)
{
   const UWord dupfd = 0, dupfd_cloexec = 1030;

   switch (sysno) {
      case __NR_dup:
#if defined(__NR_dup2)
      case __NR_dup2:
#endif
      case __NR_dup3:
         copy_stream(args[0], result);
         break;
      case __NR_close:
         copy_stream(MAX_SHOWN, args[0]);
         break;
      default:
         if (DCFG_(is_fcntl)(sysno)
             && (args[1] == dupfd || args[1] == dupfd_cloexec))
            copy_stream(args[0], result);
         break;
   }
}

static void show(UWord fd, Addr a, SizeT n)
{
   if (DCFG_(usable)(a, n, VKI_PROT_READ))
      VG_(write)(streams[fd], (const void*)a, n);
}

/* Show what the call has written to a standard stream. */
static void show_output(UInt sysno, const UWord* args, UWord left)
{
   const struct vki_iovec* parts = (const struct vki_iovec*)args[1];

   if (args[0] >= MAX_SHOWN || streams[args[0]] == 0)
      return;
   if (sysno == __NR_write)
      show(args[0], args[1], left);
   if (sysno != __NR_writev)
      return;
   for (; left > 0 && DCFG_(usable)((Addr)parts, sizeof(*parts), VKI_PROT_READ);
        parts++) {
      SizeT n = parts->iov_len < left ? parts->iov_len : left;
      show(args[0], (Addr)parts->iov_base, n);
      left -= n;
   }
}

/* --- Answers                                              --- */

static void end_by_exit(ThreadId tid, UInt trc)
{
   DCFG_(run_freely)();
   DCFG_REAL(VG_(client_syscall))(tid, trc);
}

static SysRes sysres_of(Long result)
{
   return result < 0 && result >= -4095 ? VG_(mk_SysRes_Error)(-result)
                                        : VG_(mk_SysRes_Success)(result);
}

/* Answer the call from the log. */
static void answer(ThreadId tid, UInt sysno, UWord* args, Long result)
{
   SysRes res    = sysres_of(result);
   UWord  word   = result;
   Int    offset = DCFG_(guest).calls->result;

   take_all_written(tid);
   if (!sr_isError(res)) {
      if (DCFG_(shows_output))
         show_output(sysno, args, word);
      follow_streams(sysno, args, word);
   }
   set_register(tid, offset, word);
   VG_TRACK(post_reg_write, Vg_CoreSysCall, tid, offset, sizeof(word));
   VG_(tdict).tool_post_syscall(tid, sysno, args, 8, res);
}

static UInt present_trc;

/* Have the core execute the mmap of ARGS.  The outputs see the call that is
   shown. */
static void call_mmap(ThreadId tid, const UWord* args)
{
   set_register(tid, DCFG_(guest).calls->number, DCFG_(guest).calls->map);
   set_args(tid, args);
   DCFG_REAL(VG_(client_syscall))(tid, present_trc);
   restore_args(tid, shown.args);
   if (got != args[0])
      DCFG_(diverged)("memory at %#lx cannot be mapped again", args[0]);
}

/* Attach a segment of our own in place of another one of System V's shared
   memory. */
static void replay_shmat(ThreadId tid, UInt sysno, const UWord* args,
                         Long result)
{
   AttachLayout layout = attach_layout(sysno);
   Addr   a = DCFG_(take_number)();
   ULong  n = DCFG_(take_number)();
   Int    segment = DCFG_(new_segment)(n);
   UWord  with[6];

   VG_(memcpy)(with, args, sizeof(with));
   with[layout.segment] = segment;
   with[layout.wanted]  = a;
   if (segment >= 0) {
      set_args(tid, with);
      DCFG_REAL(VG_(client_syscall))(tid, present_trc);
      restore_args(tid, args);
      DCFG_(mark_segment)(segment);
   }
   if (segment < 0 || got != (UWord)result
       || attached_at(sysno, args, result) != a)
      DCFG_(diverged)("shared memory of %llu bytes cannot be attached at %#lx",
                      n, a);
   DCFG_(take_memory)(a, n);
}

/* ExecutedCall: a call that checkpoints have. */
typedef
   struct {
      RecPlace place;         // its effects in the log
      UInt     sysno, trc;
      UWord    args[6];
      Long     result;
      UWord    behind[6];     // 32-bit systems: memory at the first argument
   }
   ExecutedCall;

static XArray* mappers;       // ExecutedCall

/* The most calls that a checkpoint has. */
#define MOST_CALLS 65536

/* Note the call for checkpoints. */
static void note_executed(UInt sysno, const UWord* args, Long result)
{
   ExecutedCall call = { .place = DCFG_(place_of)(RecEvents), .sysno = sysno,
                         .trc = present_trc, .result = result };

   if (is_beyond(sysno, args) || VG_(sizeXA)(mappers) >= MOST_CALLS)
      DCFG_(has_checkpoints) = False;
   if (!DCFG_(has_checkpoints) || !is_noted(sysno, args))
      return;
   VG_(memcpy)(call.args, args, sizeof(call.args));
   if (sizeof(UWord) == 4
       && DCFG_(usable)(args[0], sizeof(call.behind), VKI_PROT_READ))
      VG_(memcpy)(call.behind, (const void*)args[0], sizeof(call.behind));
   VG_(addToXA)(mappers, &call);
}

/* Have the core execute the call. */
static void execute(ThreadId tid, UInt sysno, const UWord* args, Long result)
{
   CallKind kind = kind_of(sysno, args);
   UWord    room[6];

   note_executed(sysno, args, result);
   owes_writes = sysno == __NR_clone || sysno == __NR_mremap;
   owed_result = result;
   if (!owes_writes && DCFG_(take_number)() + DCFG_(take_number)() != 0)
      DCFG_(diverged)("the log has memory that system call %u wrote", sysno);
   if (kind >= CallMaps) {
      shown.sysno = sysno;
      shown.args  = args;
      if (kind == CallMaps)
         DCFG_(replay_mapping)(tid, map_args(sysno, args, room), result,
                               call_mmap);
      else
         replay_shmat(tid, sysno, args, result);
      shown.args = NULL;
      return;
   }
   DCFG_REAL(VG_(client_syscall))(tid, present_trc);
   if (kind == CallReturns || sysno == __NR_exit)
      return;
   /* Another kernel may not know an advice. */
   if (sysno == __NR_madvise) {
      got = result;
      set_register(tid, DCFG_(guest).calls->result, result);
   }
   if (sysno != __NR_clone && got != (UWord)result)
      DCFG_(diverged)("system call %u returns %ld and returned %lld", sysno,
                      (Word)got, result);
}

static void execute_again(const ExecutedCall* call)
{
   if (sizeof(UWord) == 4
       && DCFG_(usable)(call->args[0], sizeof(call->behind), VKI_PROT_WRITE))
      VG_(memcpy)((void*)call->args[0], call->behind, sizeof(call->behind));
   if (!is_noted(call->sysno, call->args))
      DCFG_(log_ended)();
   DCFG_(go_to)(RecEvents, call->place);
   present_trc = call->trc;
   set_register(1, DCFG_(guest).calls->number, call->sysno);
   set_args(1, call->args);
   execute(1, call->sysno, call->args, call->result);
}

void DCFG_(carry_executed)(Carry carry)
{
   UInt         n    = VG_(sizeXA)(mappers);
   ExecutedCall none = { .sysno = 0 };

   carry(&n, sizeof(n));
   while (VG_(sizeXA)(mappers) < n && n <= MOST_CALLS)
      VG_(addToXA)(mappers, &none);
   for (Word i = 0; i < VG_(sizeXA)(mappers); i++)
      carry(VG_(indexXA)(mappers, i), sizeof(ExecutedCall));
}

void DCFG_(execute_again)(void)
{
   DCFG_(has_checkpoints) = False;
   for (Word i = 0; i < VG_(sizeXA)(mappers); i++)
      execute_again(VG_(indexXA)(mappers, i));
   DCFG_(has_checkpoints) = True;
}

/* The event of the present call is due: take it. */
static void replay_call(ThreadId tid, UInt sysno, UWord* args, Bool is_told)
{
   check_call(tid, sysno, args);
   DCFG_(progress).calls++;
   Long     result = DCFG_(take_signed)();
   CallKind kind   = kind_of(sysno, args);
   Bool     failed = result < 0 && result >= -4095 && kind != CallReturns;
   if (kind >= CallExecuted && !failed) {
      execute(tid, sysno, args, result);
      return;
   }
   if (kind == CallForks && result == 0) {
      owes_writes = True;
      owed_result = 0;
      DCFG_REAL(VG_(client_syscall))(tid, present_trc);
      return;
   }
   if (!is_told)
      VG_(tdict).tool_pre_syscall(tid, sysno, args, 8);
   tell_reads(tid);
   answer(tid, sysno, args, result);
}

/* Others ran while the call lasted.  The core executes it now, or it is answered
   when its thread has the turn again. */
static void replay_begun(ThreadId tid, UInt sysno, UWord* args)
{
   Bool executed = kind_of(sysno, args) >= CallExecuted;

   DCFG_(take_event)(EvBegun);
   check_call(tid, sysno, args);
   if (executed && DCFG_(due)() == EvInterrupted) {
      restart(tid);
      return;
   }
   if (executed) {
      calls[tid].executes = True;
      DCFG_REAL(VG_(client_syscall))(tid, present_trc);
      return;
   }
   VG_(tdict).tool_pre_syscall(tid, sysno, args, 8);
   tell_reads(tid);
   DCFG_(let_others_run)(tid);
   if (DCFG_(must_end)(tid) || DCFG_(run_mode) != RunReplayed)
      return;
   if (DCFG_(due)() == EvInterrupted) {
      restart(tid);
      return;
   }
   if (DCFG_(due)() != EvResult)
      DCFG_(diverged)("system call %u ends, and did not", sysno);
   DCFG_(take_event)(EvResult);
   DCFG_(progress).calls++;
   answer(tid, sysno, args, DCFG_(take_signed)());
}

/* Take the next event as what happened to the present call. */
static void take_call(ThreadId tid, UInt trc, UInt sysno, UWord* args)
{
   switch (DCFG_(due)()) {
      case EvCall:
         DCFG_(take_event)(EvCall);
         replay_call(tid, sysno, args, False);
         break;
      case EvBegun:
         replay_begun(tid, sysno, args);
         break;
      case EvExit:
         DCFG_(take_event)(EvExit);
         if (sysno != __NR_exit_group)
            DCFG_(diverged)("the program makes system call %u and ended", sysno);
         end_by_exit(tid, trc);
         break;
      case EvExec:
         DCFG_(take_event)(EvExec);
         VG_(tdict).tool_pre_syscall(tid, sysno, args, 8);
         if (!DCFG_(has_logged)(RecEvents))
            DCFG_(replay_exec)();
         if (DCFG_(due)() == EvCall) {
            DCFG_(take_event)(EvCall);
            replay_call(tid, sysno, args, True);
         }
         break;
      default:
         DCFG_(diverged)("the program makes system call %u and made none", sysno);
   }
}

/* The kernel lets a stack grow when a call's data is below. */
static void grow_stack(ThreadId tid)
{
   Addr least = VG_(get_SP)(tid) - DCFG_(guest).redzone;

   if (tid == 1 && VG_(am_addr_is_in_extensible_client_stack)(least))
      VG_(extend_stack)(tid, least);
}

void DCFG_WRAP(VG_(client_syscall))(ThreadId tid, UInt trc)
{
   UWord args[8];

   if (DCFG_(run_mode) != RunReplayed) {
      DCFG_REAL(VG_(client_syscall))(tid, trc);
      return;
   }
   UInt sysno = get_register(tid, DCFG_(guest).calls->number);
   get_args(tid, args);
   grow_stack(tid);
   DCFG_(let_others_run)(tid);
   if (DCFG_(must_end)(tid) || DCFG_(run_mode) != RunReplayed)
      return;
   present_trc = trc;
   take_call(tid, trc, sysno, args);
   while (DCFG_(run_mode) == RunReplayed && !DCFG_(must_end)(tid)
          && DCFG_(due)() == EvSignal)
      VG_(poll_signals)(tid);
   if (!DCFG_(must_end)(tid))
      DCFG_(let_others_run)(tid);
}

/*--- Begin                                                ---*/

void DCFG_(carry_streams)(Carry carry)
{
   carry(streams, sizeof(streams));
}

void DCFG_(start_calls)(void)
{
   calls   = VG_(calloc)("dcfg.record.calls", VG_N_THREADS, sizeof(PresentCall));
   written = DCFG_NEW_ARRAY("dcfg.record.written", Range);
   untold  = DCFG_NEW_ARRAY("dcfg.record.untold", Range);
   mappers = DCFG_NEW_ARRAY("dcfg.record.executed", ExecutedCall);
   then_before    = VG_(tdict).tool_pre_syscall;
   then_after     = VG_(tdict).tool_post_syscall;
   then_read      = VG_(tdict).track_pre_mem_read;
   then_read_text = VG_(tdict).track_pre_mem_read_asciiz;
   then_write     = VG_(tdict).track_post_mem_write;
   VG_(needs_syscall_wrapper)(before, after);
   VG_(track_pre_mem_read)(on_read);
   VG_(track_pre_mem_read_asciiz)(on_read_text);
   VG_(track_post_mem_write)(on_write);
}
