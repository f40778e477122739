/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   DCFG: the Valgrind tool that writes a dynamic control-flow graph. */

/* The tool watches a program run and writes its dynamic control-flow graph: the
   basic blocks that ran, the edges between them with a count for each thread,
   routines, immediate dominators and loops.  The file's format, DCFG 1.00, is
   Intel's.  Options add other recordings of the same run:
   - the order in which each thread took the edges (DCFG-trace),
   - the costs of functions (Callgrind's format),
   - logs of calls (XRay's and uftrace's formats),
   - the whole execution trace (WET).

   The files stand in rooms, in the order of DCFG_SOURCES_COMMON in Makefile.am;
   HACKING.md has a picture of them.  Three heads explain the principles:
   tool/run/instrument.c says what a superblock counts and how the counts stay exact
   through signals and faults; tool/trace/record.c says what is recorded for a trace;
   tool/calls/stack.c says what a call is.

   This file owns: the tool's registration, the table of outputs, and the
   occasions to write: at the end, before an execve that may succeed, and when a
   debugger or the program asks.  It also owns the limit of address space that
   the program has set for itself. */

#include "pub_tool_gdbserver.h"
#include "callgrind/callgrind.h"   // and valgrind.h: requests

#include "tool/files/delivery.h"
#include "tool/files/file.h"
#include "tool/files/interrupt.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"
#include "tool/base/options.h"
#include "format/release.h"
#include "tool/files/stream.h"
#include "tool/calls/context.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/calls/toggle.h"
#include "tool/output_dcfg.h"
#include "tool/dcfg_output.h"
#include "tool/jit/generated.h"
#include "tool/run/event.h"
#include "tool/run/exclude.h"
#include "tool/run/flow.h"
#include "tool/run/gather.h"
#include "tool/run/generation.h"
#include "tool/run/image.h"
#include "tool/run/ir.h"
#include "tool/run/landing.h"
#include "tool/run/region.h"
#include "tool/run/requests.h"
#include "tool/run/this_run.h"
#include "tool/run/thread.h"
#include "tool/record/recorded.h"
#include "tool/steady/steady.h"
#include "tool/steady/turn.h"

/*--- Outputs                                              ---*/

/* The outputs, in the order in which --help shows their options, watchers are
   called, and files are written. */
#define OUTPUTS(each)     \
   each(dcfg_output)      \
   each(trace_output)     \
   each(profile_output)   \
   each(xray_output)      \
   each(uftrace_output)   \
   each(wet_output)       \
   /* the end */

#define DECLARATION(name) extern const Output DCFG_(name);
OUTPUTS(DECLARATION)

#define ENTRY(name) &DCFG_(name),
static const Output* const outputs[] = { OUTPUTS(ENTRY) };
#define N_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static Bool is_on[N_OUTPUTS];
static Bool is_asked;            // has an output been given an option?
static Bool is_forked;           // a fork made this process
static UInt n_parts;             // parts that have been written, and are
                                 // forgotten
static RunEnd run_end;           // EndOpen while the program runs
static const HChar* part_mark;   // the program's name for the part that is
                                 // being written, or NULL
static UInt first_part = 1;      // the first part of those that follow each
                                 // other with nothing lost between

/* Options that belong to no output. */
static const Options* const other_options[] = {
   &DCFG_(region_options), &DCFG_(exclude_options), &DCFG_(toggle_options),
   &DCFG_(context_options), &DCFG_(skip_options), &DCFG_(spool_options),
   &DCFG_(steady_options), &DCFG_(record_options)
};
#define N_OTHERS (sizeof(other_options) / sizeof(other_options[0]))

static Bool process_option(const HChar* arg)
{
   for (UInt i = 0; i < N_OUTPUTS; i++)
      if (DCFG_(take_option)(&outputs[i]->options, arg)) {
         is_asked = True;
         return True;
      }
   for (UInt i = 0; i < N_OTHERS; i++)
      if (DCFG_(take_option)(other_options[i], arg))
         return True;
   return False;
}

static void print_all_options(void)
{
   for (UInt i = 0; i < N_OUTPUTS; i++)
      DCFG_(print_options)(&outputs[i]->options);
   for (UInt i = 0; i < N_OTHERS; i++)
      DCFG_(print_options)(other_options[i]);
}

/* Print nothing new: print_options_first() has printed the options.  The core
   calls this function between its own options. */
static void print_usage(void)
{
   VG_(printf)("    see above\n");
}

/* Print the tool's options before all that the core prints with --help.  The
   core prints after pre_clo_init(). */
static void print_options_first(void)
{
   for (Word i = 0; i < VG_(sizeXA)(VG_(args_for_valgrind)); i++) {
      const HChar* arg
         = *(HChar**)VG_(indexXA)(VG_(args_for_valgrind), i);
      if (!VG_STREQ(arg, "-h") && !VG_STREQ(arg, "--help")
          && !VG_STREQ(arg, "--help-debug"))
         continue;
      DCFG_(print_to_stdout)();
      VG_(printf)("usage: valgrind --tool=dcfg [options] prog-and-args\n\n"
                  "  user options for DCFG:\n");
      print_all_options();
      VG_(printf)("\n");
      return;
   }
}

static void print_debug_usage(void)
{
   VG_(printf)("    (none)\n");
}

static void write_part(const HChar* reason);
static void zero(void);
static const PartMaker part_maker = { write_part, zero };

static void finish(void);

/* Return whether this run is recorded, and nothing else is written. */
static Bool records_only(void)
{
   return DCFG_(is_recorded)() && !is_asked;
}

static void post_clo_init(void)
{
   DCFG_(set_vex_control)();
   DCFG_(prepare_replay)(finish);
   DCFG_(start_steady)(DCFG_(memory_filled));
   DCFG_(keep_environment)();
   DCFG_(note_run)();
   DCFG_(set_program)(DCFG_(program_and_build));
   DCFG_(start_spool)();
   for (UInt i = 0; i < N_OUTPUTS && !records_only(); i++)
      is_on[i] = outputs[i]->start();
   DCFG_(heed_functions)(&part_maker);
   DCFG_(start_regions)();
   if (records_only())
      DCFG_(set_collecting)(False);
   DCFG_(start_excluding)();
   /* Calls are followed in superblocks that are collected only.  A function
      that excluded code calls back would be entered too late, when its first
      superblock has been counted. */
   if (DCFG_(excludes_code)() && DCFG_(heeds_functions))
      DCFG_FAIL("--toggle-collect, --dump-before, --dump-after and "
                "--zero-before cannot be used with --exclude-images, "
                "--exclude-functions or --only-images\n");
   DCFG_(start_record)();
}

/* Write output FIRST and all outputs behind it. */
static void write_from(UInt first, const Gathered* g, const HChar* reason)
{
   UInt start = VG_(read_millisecond_timer)();

   if (VG_(clo_stats))
      VG_(message)(Vg_DebugMsg, "dcfg: %llu looks because code changed\n",
                   DCFG_(n_looks));
   for (UInt i = first; i < N_OUTPUTS; i++) {
      if (!is_on[i])
         continue;
      outputs[i]->write(g, reason);
      if (VG_(clo_stats)) {
         UInt now = VG_(read_millisecond_timer)();
         VG_(message)(Vg_DebugMsg, "dcfg: %u ms to write the %s\n",
                      now - start, outputs[i]->name);
         start = now;
      }
   }
}

/* Write all outputs to the files of the options; but the graph to GRAPH if that
   is not NULL.  IS_PART: the run goes on with another part.  AT_END: the
   program has ended, and this may not return: see tool/files/interrupt.h. Return
   False if a file could not be written. */
static Bool write_outputs(const HChar* graph, const HChar* reason,
                          Bool is_part, Bool at_end)
{
   Bool good = True;

   DCFG_(hold_signals)();
   Gathered* g = DCFG_(gather)();
   DCFG_(name_generated_code)();
   g->part = n_parts + 1;
   g->first_part = is_part || n_parts > 0 ? first_part : 0;
   g->mark       = part_mark;
   g->end        = run_end;
   if (graph != NULL) {
      DCFG_(write_dcfg)(g, graph);
      good = DCFG_(finish_out_files)(False, False);
   }
   if (good) {
      /* The graph is the first output. */
      write_from(graph != NULL, g, reason);
      good = DCFG_(finish_out_files)(True, at_end);
   }
   DCFG_(delete_gathered)(g);
   if (at_end) {
      DCFG_(unname_spool)();
      DCFG_(end_keeper)();
   }
   DCFG_(release_signals)(at_end);
   return good;
}

/*--- The program's limit of address space                 ---*/

/* The kernel must not get the RLIMIT_AS that the program sets: it would limit
   the tool's memory, too, and nobody could raise a hard limit again.  So for
   the duration of the system call, the program's struct holds the limit that is
   in force already.  This works even if the program itself cannot write the
   struct's memory.  Afterwards the program reads back the limit that it has
   set.  A program that execve starts gets the soft limit.

   No thread can see the struct change: these system calls do not block, so no
   other thread runs meanwhile. */

#define RLIMIT_SPACE 9

typedef struct { ULong cur, max; } Limit64;

static Bool              is_set;   // has the program set a limit?
static struct vki_rlimit limit;    // the limit that the program sees

static Bool              in_call;  // does the program's struct hold another
                                   // limit now?
static struct vki_rlimit wanted;   // the limit that the struct held

static Bool              is_passed;  // has the kernel got the program's limit,
                                     // for an execve?
static struct vki_rlimit passed;     // the kernel's limit before that

/* Return whether system call SYSNO sets or reads RLIMIT_AS.  *NEW and *OLD
   become the addresses of its structs, or 0 if there is none. */
static Bool is_about_space(UInt sysno, const UWord* args,
                           /*OUT*/UWord* new, /*OUT*/UWord* old,
                           /*OUT*/Bool* is_64)
{
   *new = *old = 0;
   *is_64 = sizeof(limit.rlim_cur) == 8;
   switch (sysno) {
#if defined(__NR_setrlimit)
      case __NR_setrlimit:
         *new = args[1];
         return args[0] == RLIMIT_SPACE;
#endif
#if defined(__NR_getrlimit)
      case __NR_getrlimit:
         *old = args[1];
         return args[0] == RLIMIT_SPACE;
#endif
#if defined(__NR_ugetrlimit)
      case __NR_ugetrlimit:
         *old = args[1];
         return args[0] == RLIMIT_SPACE;
#endif
      case __NR_prlimit64:
         *new   = args[2];
         *old   = args[3];
         *is_64 = True;
         return args[1] == RLIMIT_SPACE
                && (args[0] == 0 || args[0] == (UWord)VG_(getpid)());
      default:
         return False;
   }
}

static struct vki_rlimit get(UWord at, Bool is_64)
{
   struct vki_rlimit r;
   if (!is_64)
      return *(struct vki_rlimit*)at;
   r.rlim_cur = ((Limit64*)at)->cur;
   r.rlim_max = ((Limit64*)at)->max;
   return r;
}

static Bool put(UWord at, Bool is_64, struct vki_rlimit r)
{
   /* A word of ones means "no limit" in both widths. */
   Bool    narrow = sizeof(r.rlim_cur) == 4;
   ULong   none   = ~0ULL;
   Limit64 wide   = { narrow && ~r.rlim_cur == 0 ? none : r.rlim_cur,
                      narrow && ~r.rlim_max == 0 ? none : r.rlim_max };

   return is_64 ? DCFG_(overwrite)(at, &wide, sizeof(wide)) : DCFG_(overwrite)(at, &r, sizeof(r));
}

static SizeT size(Bool is_64)
{
   return is_64 ? sizeof(Limit64) : sizeof(struct vki_rlimit);
}

/* Before a system call: hide a new limit of address space from the kernel. */
static void hold_space_limit(UInt sysno, const UWord* args)
{
   UWord             new, old;
   Bool              is_64;
   struct vki_rlimit now;

   in_call = False;
   if (!is_about_space(sysno, args, &new, &old, &is_64)
       || !DCFG_(usable)(new, size(is_64), VKI_PROT_READ))
      return;
   wanted = get(new, is_64);
   if (wanted.rlim_cur > wanted.rlim_max)
      return;                           // the kernel refuses it
   VG_(getrlimit)(RLIMIT_SPACE, &now);
   if (wanted.rlim_max > (is_set ? limit.rlim_max : now.rlim_max)
       && VG_(geteuid)() != 0) {
      now.rlim_cur = 1;                 // so that the kernel refuses it
      now.rlim_max = 0;
   }
   in_call = put(new, is_64, now);
}

/* After the system call: show the program its own limit. */
static void show_space_limit(UInt sysno, const UWord* args, Bool failed)
{
   UWord             new, old;
   Bool              is_64, was_set = is_set;
   struct vki_rlimit before = limit;

   if (!is_about_space(sysno, args, &new, &old, &is_64))
      return;
   if (in_call) {
      put(new, is_64, wanted);
      if (!failed) {
         limit  = wanted;
         is_set = True;
      }
      in_call = False;
   }
   if (was_set && !failed && DCFG_(usable)(old, size(is_64), VKI_PROT_WRITE))
      put(old, is_64, before);
}

/* Before execve, when all files are written: give the soft limit to the kernel,
   and so to the new program.
   The kernel gets the soft limit only: after a failed execve, nobody could
   raise a hard limit again. */
static void pass_space_limit(void)
{
   struct vki_rlimit soft;

   if (!is_set)
      return;
   VG_(getrlimit)(RLIMIT_SPACE, &passed);
   soft          = passed;
   soft.rlim_cur = limit.rlim_cur < passed.rlim_max ? limit.rlim_cur
                                                    : passed.rlim_max;
   VG_(setrlimit)(RLIMIT_SPACE, &soft);
   is_passed = True;
}

/* After any system call, which may be an execve that failed: give the tool its
   memory back. */
static void take_back_space_limit(void)
{
   if (is_passed)
      VG_(setrlimit)(RLIMIT_SPACE, &passed);
   is_passed = False;
}

/*--- Occasions to write                                   ---*/

static void note_end(void)
{
   Int signal = DCFG_(fatal_signal)();

   run_end.kind   = signal != 0 ? EndSignal : EndExit;
   run_end.status = signal != 0 ? signal : DCFG_(exit_status)();
}

/* Warn about options that named what was not there. */
static void tell_unused(void)
{
   DCFG_(tell_unused_globs)();
   DCFG_(tell_unused_toggles)();
   for (UInt i = 0; i < N_OUTPUTS; i++)
      if (is_on[i] && outputs[i]->tell_unused != NULL)
         outputs[i]->tell_unused();
}

/* Return whether the process's first thread has ended: the kernel keeps it until
   the process ends. */
static Bool has_first_ended(void)
{
   HChar text[256];

   DCFG_(read_text)(-1, "/proc/self/stat", text, sizeof(text));
   const HChar* state = VG_(strrchr)(text, ')');
   return state != NULL && VG_(strncmp)(state, ") Z", 3) == 0;
}

/* Wait until the kernel has ended all other threads, a second at most.  To the
   core they have ended.  But the kernel gives the signal that kills the process
   to any thread that is still there; the core then takes itself for alive, and
   reports an error of its own. */
static void await_threads(void)
{
   struct vg_stat tasks;          // two links, and one for each thread

   for (UInt i = 0; i < 5000; i++) {
      if (sr_isError(VG_(stat)("/proc/self/task", &tasks)) || tasks.nlink <= 3
          || (tasks.nlink == 4 && VG_(gettid)() != VG_(getpid)()
              && has_first_ended()))
         return;
      DCFG_(wait_a_little)(200);
   }
}

static void finish(void)
{
   note_end();
   DCFG_(tell_steady)();
   DCFG_(tell_missed_places)();
   DCFG_(end_toggles)();
   /* A forked child runs only a part of the program. */
   if (!is_forked)
      tell_unused();
   if (DCFG_(was_given_up)()) {
      VG_(umsg)("dcfg: the outputs at the end are not written: a second signal "
                "abandoned them\n");
      DCFG_(unname_spool)();
   } else {
      DCFG_(keep_debug_info)();
      write_outputs(NULL, "Program termination", False, True);
   }
   if (DCFG_(fatal_signal)() != 0)
      await_threads();
}

static void fini(Int exitcode)
{
   DCFG_(end_record)();
   finish();
}

/* Forget all counts and records, and begin anew. */
static void forget_all(Restart why)
{
   DCFG_(claim_superblocks)();
   DCFG_(begin_part)(why);
   DCFG_(forget_flows)();
}

static void zero(void)
{
   DCFG_(forget_boundaries)();
   first_part = n_parts + 1;
   forget_all(RestartZero);
}

/* Write all since the last part as a part of its own, and begin anew.  If a
   file could not be written, nothing is forgotten: the part goes on. */
static void write_part_to(const HChar* graph, const HChar* reason)
{
   DCFG_(set_part)(n_parts + 1);
   Bool good = write_outputs(graph, reason, !DCFG_(runs_code)(), False);
   DCFG_(set_part)(0);
   /* In the middle of a superblock, counts cannot be reset. */
   if (!good || DCFG_(runs_code)())
      return;
   n_parts++;
   DCFG_(note_boundaries)();
   forget_all(RestartPart);
}

static void write_part(const HChar* reason)
{
   write_part_to(NULL, reason);
}

/* Prepare for the program's loss of rights: afterwards, nobody could remove the
   spool file or create the files of the outputs. */
static void give_up_rights(void)
{
   DCFG_(unname_spool)();
   DCFG_(start_keeper)();
   DCFG_(close_generated)();
}

/* Instructions that are fewer than those of starting any program. */
#define FEW_INSTRS 50000

/* Return whether this process only came to execute the program of ARGS, which
   will be recorded: a fork made it, and it did nothing else.  Then the files
   are those of the program, under the names that this process would take. */
static Bool is_prelude(UInt sysno, const UWord* args)
{
   if (!is_forked || n_parts > 0 || sysno != __NR_execve || args[1] == 0
       || DCFG_(n_threads)() > 1
       || !VG_(should_we_trace_this_child)((const HChar*)args[0],
                                           (const HChar**)args[1]))
      return False;
   Gathered* g    = DCFG_(gather)();
   Bool      few  = g->graph->n_threads == 1
                    && g->graph->thread_instrs[0] < FEW_INSTRS;
   DCFG_(delete_gathered)(g);
   return few;
}

/* If execve succeeds, nothing is left of the tool, so the files are written
   before.  If it fails, the run goes on and writes them again at its end.
   Programs try one directory of the PATH after the other: for a file that does
   not exist, nothing is written. */
static void before_syscall(ThreadId tid, UInt sysno, UWord* args, UInt n)
{
   struct vg_stat st;
   Bool           exec = False;

   if (DCFG_(gives_up_rights)(sysno, args))
      give_up_rights();
   hold_space_limit(sysno, args);
   DCFG_(note_syscall)(tid, sysno, args);
   DCFG_(begin_call)(tid, sysno, args);
   exec = sysno == __NR_execveat;
   if (sysno == __NR_execve)
      exec = !sr_isError(VG_(stat)((const HChar*)args[0], &st));
   if (exec) {
      run_end.kind = EndExec;
      DCFG_(expect_execve)(True);
      if (!is_prelude(sysno, args))
         write_outputs(NULL, "Before execve", False, False);
      DCFG_(expect_execve)(False);
      run_end.kind = EndOpen;
      DCFG_(unname_spool)();
      pass_space_limit();
   }
}

static void after_syscall(ThreadId tid, UInt sysno, UWord* args, UInt n,
                          SysRes res)
{
   DCFG_(keep_arguments)(tid, args);
   Bool is_known = DCFG_(end_call)(tid, sysno, args, &res);
   take_back_space_limit();
   show_space_limit(sysno, args, sr_isError(res));
   DCFG_(look_at_generated)(sysno);
   if (DCFG_(run_mode) == RunReplayed && !sr_isError(res))
      DCFG_(hear_generated)(DCFG_(this_pid)(), sysno, args, sr_Res(res));
   if (is_known)
      DCFG_(note_syscall_done)(tid, sysno, args, res);
}

static void before_fork(ThreadId tid)
{
   DCFG_(share_symbols)();
   DCFG_(before_fork)();
}

static void in_fork_parent(ThreadId tid)
{
   DCFG_(after_fork)(False);
   DCFG_(note_child)();
}

static void in_fork_child(ThreadId tid)
{
   DCFG_(after_fork)(True);
   DCFG_(turn_forked)(tid);
   DCFG_(note_forked_run)();
   Bool is_alone = DCFG_(record_forked)(tid);
   DCFG_(forked_generated)();
   DCFG_(claim_superblocks)();
   DCFG_(start_anew)(tid);
   DCFG_(forget_flows)();
   DCFG_(forget_totals)();
   n_parts    = 0;
   first_part = 1;
   is_forked  = True;
   for (UInt i = 0; i < N_OUTPUTS; i++)
      if (is_on[i] && outputs[i]->forked != NULL)
         outputs[i]->forked();
   DCFG_(forget_spool)();
   if (!is_alone)
      DCFG_(disown_out_files)();
}

static void print_monitor_help(void)
{
   VG_(gdb_printf)(
"\n"
"dcfg monitor commands:\n"
"  dump [<file>]   write what ran so far as a part, the graph to <file>,\n"
"                  and begin anew\n"
"  status          say how much ran so far\n"
"  start           collect from now on\n"
"  stop            collect no more\n"
"  zero            forget what ran so far\n"
"\n");
}

static void dump(const HChar* file)
{
   const HChar* wrong = file == NULL ? NULL : DCFG_(why_no_name)(file);

   if (wrong != NULL) {
      VG_(gdb_printf)("dump %s: %s\n", file, wrong);
      return;
   }
   if (DCFG_(runs_code)())
      VG_(gdb_printf)("dump: the program stands at a breakpoint: the files "
                      "follow when it goes on, with what runs until then\n");
   write_part_to(file, "dump");
}

static void print_status(void)
{
   Gathered*    g     = DCFG_(gather)();
   const Graph* graph = g->graph;
   ULong        n     = 0;

   for (UInt t = 0; t < graph->n_threads; t++)
      n += graph->thread_instrs[t];
   VG_(gdb_printf)("%'u blocks, %'u edges, %'llu instructions\n",
                   graph->n_blocks, graph->n_edges, n);
   VG_(gdb_printf)("%s\n", DCFG_(collecting_text)());
   DCFG_(delete_gathered)(g);
}

/* Execute a debugger's COMMAND that changes what is collected. */
static void change(const HChar* command)
{
   if (DCFG_(runs_code)())
      VG_(gdb_printf)("%s: this does not work at a breakpoint; use vgdb while "
                      "the program runs\n", command);
   else if (VG_STREQ(command, "zero"))
      zero();
   else if (!DCFG_(collect)(VG_STREQ(command, "start")))
      VG_(gdb_printf)("%s: this is so already, nothing changes\n", command);
}

/* Execute the monitor command REQ.  Return False if it is not a command of this
   tool. */
static Bool monitor_command(const HChar* req)
{
   HChar  line[VG_(strlen)(req) + 1];
   HChar* rest;

   VG_(strcpy)(line, req);
   switch (VG_(keyword_id)("help dump status start stop zero",
                           VG_(strtok_r)(line, " ", &rest),
                           kwd_report_duplicated_matches)) {
      case -2:
         return True;
      case 0:
         print_monitor_help();
         return True;
      case 1:
         dump(VG_(strtok_r)(NULL, " ", &rest));
         return True;
      case 2:
         print_status();
         return True;
      case 3:
         change("start");
         return True;
      case 4:
         change("stop");
         return True;
      case 5:
         change("zero");
         return True;
      default:
         return False;
   }
}

/* Return the text at A in the program's memory.  If it is not readable, warn
   and return NULL. */
static const HChar* text_at(Addr a)
{
   for (Addr p = a; ; p++) {
      if ((p == a || VG_IS_PAGE_ALIGNED(p))
          && !VG_(am_is_valid_for_client)(p, 1, VKI_PROT_READ)) {
         DCFG_(remark)("dcfg: warning: a request of the program has a text at %#lx "
                       "that cannot be read: the text is left out\n",
                       a);
         return NULL;
      }
      if (*(const HChar*)p == 0)
         return (const HChar*)a;
   }
}

static void write_named_part(const HChar* name)
{
   HChar* reason;

   if (name == NULL) {
      write_part("Client Request");
      return;
   }
   reason = DCFG_(printed)("Client Request: %s", name);
   part_mark = name;
   write_part(reason);
   part_mark = NULL;
   VG_(free)(reason);
}

static void mark(ThreadId tid, const HChar* text)
{
   for (UInt i = 0; i < N_OUTPUTS; i++)
      if (is_on[i] && outputs[i]->mark != NULL && text != NULL
          && DCFG_(is_collecting)())
         outputs[i]->mark(DCFG_(index_of_thread)(tid), text);
}

/* Execute the program's requests: those of callgrind.h and of
   tool/run/requests.h. */
static Bool client_request(ThreadId tid, UWord* args, UWord* ret)
{
   *ret = 0;
   switch (args[0]) {
      case VG_USERREQ__GDB_MONITOR_COMMAND:
         *ret = monitor_command((const HChar*)args[1]);
         return *ret;
      case VG_USERREQ__START_INSTRUMENTATION:
      case VG_USERREQ__DCFG_START:
         if (!records_only())
            DCFG_(collect)(True);
         return True;
      case VG_USERREQ__STOP_INSTRUMENTATION:
      case VG_USERREQ__DCFG_STOP:
         DCFG_(collect)(False);
         return True;
      case VG_USERREQ__ZERO_STATS:
      case VG_USERREQ__DCFG_ZERO:
         zero();
         return True;
      case VG_USERREQ__DUMP_STATS:
         write_part("Client Request");
         return True;
      case VG_USERREQ__DUMP_STATS_AT:
      case VG_USERREQ__DCFG_DUMP:
         write_named_part(text_at(args[1]));
         return True;
      case VG_USERREQ__TOGGLE_COLLECT:
      case VG_USERREQ__DCFG_TOGGLE:
         if (DCFG_(is_collecting)())
            DCFG_(toggle_thread)(DCFG_(index_of_thread)(tid));
         return True;
      case VG_USERREQ__DCFG_MARK:
         mark(tid, text_at(args[1]));
         return True;
      default:
         return False;
   }
}

/*--- Registration                                         ---*/

static void pre_clo_init(void)
{
   VG_(details_name)            ("DCFG");
   VG_(details_version)         (DCFG_RELEASE);
   VG_(details_description)     ("a dynamic control-flow graph generator");
   VG_(details_copyright_author)("Copyright (C) 2026, and GNU GPL'd, by "
                                 "the valgrind-dcfg authors.");
   VG_(details_bug_reports_to)  (VG_BUGS_TO);
   VG_(details_avg_translation_sizeB)(300);

   VG_(basic_tool_funcs)(post_clo_init, DCFG_(instrument), fini);
   VG_(needs_command_line_options)(process_option, print_usage,
                                   print_debug_usage);
   VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
   VG_(needs_client_requests)(client_request);
   VG_(atfork)(before_fork, in_fork_parent, in_fork_child);
   DCFG_(track_images)();
   DCFG_(track_threads)();
   print_options_first();
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)
