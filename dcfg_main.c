
/*--------------------------------------------------------------------*/
/*--- DCFG: writes a dynamic control-flow graph.       dcfg_main.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* This tool watches a program run and writes its dynamic control-flow
   graph: the basic blocks that ran, the edges between them with a count
   for each thread, and what follows from these: routines, immediate
   dominators, loops.  The file's format, DCFG 1.00, is Intel's.  On
   request it also writes in which order each thread took the edges, the
   DCFG-trace, what each function and its callees cost, a profile in
   Callgrind's format, and when each function was entered and left, a log in
   XRay's.

   The files stand in rooms, in the order of DCFG_SOURCES_COMMON in
   Makefile.am; HACKING.md has a picture of them.  What a superblock counts,
   and how exactness survives signals and faults, is told at the head of
   run/instrument.c; what is recorded for a trace, at the head of
   trace/record.c; what a call is, at the head of calls/stack.c.

   This file owns: the tool's registration, the table of outputs, and the
   occasions to write: at the end, before an execve that may succeed, and
   when a debugger asks. */

#include "pub_tool_basics.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "callgrind/callgrind.h"   // and valgrind.h: requests

#include "base/compress.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/keeper.h"
#include "base/stream.h"
#include "dcfg/output_dcfg.h"
#include "dcfg_output.h"
#include "run/flow.h"
#include "run/gather.h"
#include "run/image.h"
#include "run/instrument.h"
#include "run/thread.h"

/*------------------------------------------------------------*/
/*--- Outputs                                              ---*/
/*------------------------------------------------------------*/

/* In this order their options are shown, their watchers called, and they are
   written. */
#define OUTPUTS(each)     \
   each(dcfg_output)      \
   each(trace_output)     \
   each(profile_output)   \
   each(xray_output)      \
   each(wet_output)       \
   /* no more */

#define DECLARATION(name) extern const Output DCFG_(name);
OUTPUTS(DECLARATION)

#define ENTRY(name) &DCFG_(name),
static const Output* const outputs[] = { OUTPUTS(ENTRY) };
#define N_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

static Bool is_on[N_OUTPUTS];

static Bool process_option(const HChar* arg)
{
   for (UInt i = 0; i < N_OUTPUTS; i++)
      if (outputs[i]->option(arg))
         return True;
   return False;
}

static void print_usage(void)
{
   for (UInt i = 0; i < N_OUTPUTS; i++)
      outputs[i]->usage();
}

static void print_debug_usage(void)
{
   VG_(printf)("    (none)\n");
}

static void post_clo_init(void)
{
   DCFG_(set_vex_control)();
   DCFG_(keep_environment)();
   for (UInt i = 0; i < N_OUTPUTS; i++)
      is_on[i] = outputs[i]->start();
}

/* AT_END: the program has ended.  Then this may not return: see
   base/interrupt.h. */
static void write_outputs(const HChar* reason, Bool at_end)
{
   UInt start = VG_(read_millisecond_timer)();

   DCFG_(hold_signals)();
   Gathered* g = DCFG_(gather)();
   for (UInt i = 0; i < N_OUTPUTS; i++) {
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
   DCFG_(finish_out_files)(True);
   DCFG_(delete_gathered)(g);
   if (at_end)
      DCFG_(end_keeper)();
   DCFG_(release_signals)(at_end);
}

/*------------------------------------------------------------*/
/*--- Occasions to write                                   ---*/
/*------------------------------------------------------------*/

static void fini(Int exitcode)
{
   if (DCFG_(was_given_up)())
      VG_(umsg)("dcfg: nothing is written at the end: a second signal came "
                "before\n");
   else
      write_outputs("Program termination", True);
}

/* If execve succeeds, nothing is left of the tool.  If it fails, the run
   goes on and its file is written again at the end.  Programs try one
   directory of the PATH after the other: there is no need to write
   anything for a file that is not there. */
static void before_syscall(ThreadId tid, UInt sysno, UWord* args, UInt n)
{
   Bool exec = False;

   if (DCFG_(gives_up_rights)(sysno, args))
      DCFG_(start_keeper)();
   DCFG_(note_syscall)(tid, sysno, args);
#if defined(__NR_execve)
   struct vg_stat st;
   if (sysno == __NR_execve)
      exec = !sr_isError(VG_(stat)((const HChar*)args[0], &st));
#endif
#if defined(__NR_execveat)
   if (sysno == __NR_execveat)
      exec = True;
#endif
   if (exec)
      write_outputs("Before execve", False);
}

static void after_syscall(ThreadId tid, UInt sysno, UWord* args, UInt n,
                          SysRes res)
{
   DCFG_(note_syscall_done)(tid, sysno, res);
}

static void before_fork(ThreadId tid)
{
   DCFG_(before_fork)();
}

static void in_fork_parent(ThreadId tid)
{
   DCFG_(after_fork)(False);
}

static void in_fork_child(ThreadId tid)
{
   DCFG_(after_fork)(True);
   DCFG_(start_anew)(tid);
   DCFG_(forget_flows)();
   DCFG_(forget_spool)();
   DCFG_(disown_out_files)();
}

static void print_monitor_help(void)
{
   VG_(gdb_printf)(
"\n"
"dcfg monitor commands:\n"
"  dump [<file>]   write the graph of the run so far to <file>\n"
"                  or else to the file of --dcfg-out-file\n"
"  status          say how much ran so far\n"
"\n");
}

static void dump(const HChar* file)
{
   const HChar* wrong = file == NULL ? NULL : DCFG_(why_no_name)(file);
   Gathered*    g;

   if (file == NULL) {
      write_outputs("Monitor command", False);
      return;
   }
   if (wrong != NULL) {
      VG_(gdb_printf)("dump %s: %s\n", file, wrong);
      return;
   }
   DCFG_(hold_signals)();
   g = DCFG_(gather)();
   DCFG_(write_dcfg)(g, file);
   DCFG_(finish_out_files)(False);
   DCFG_(delete_gathered)(g);
   DCFG_(release_signals)(False);
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
   DCFG_(delete_gathered)(g);
}

/* Returns False if REQ is no command of this tool's. */
static Bool monitor_command(const HChar* req)
{
   HChar  line[VG_(strlen)(req) + 1];
   HChar* rest;

   VG_(strcpy)(line, req);
   switch (VG_(keyword_id)("help dump status",
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
      default:
         return False;
   }
}

static const HChar* name_of_request(UWord request)
{
   switch (request) {
      case VG_USERREQ__DUMP_STATS:            return "DUMP_STATS";
      case VG_USERREQ__ZERO_STATS:            return "ZERO_STATS";
      case VG_USERREQ__TOGGLE_COLLECT:        return "TOGGLE_COLLECT";
      case VG_USERREQ__DUMP_STATS_AT:         return "DUMP_STATS_AT";
      case VG_USERREQ__START_INSTRUMENTATION: return "START_INSTRUMENTATION";
      case VG_USERREQ__STOP_INSTRUMENTATION:  return "STOP_INSTRUMENTATION";
      default:                                return NULL;
   }
}

/* A profile that the program believes to be of a part of it is of all of it:
   the user should know, once. */
static void note_callgrind_request(UWord request)
{
   static Bool  told = False;
   const HChar* name = name_of_request(request);

   if (name == NULL || told)
      return;
   told = True;
   VG_(umsg)("dcfg: warning: the program requests CALLGRIND_%s; this tool "
             "ignores the requests of callgrind.h\n", name);
}

static Bool client_request(ThreadId tid, UWord* args, UWord* ret)
{
   if (VG_IS_TOOL_USERREQ('C', 'T', args[0])) {
      note_callgrind_request(args[0]);
      *ret = 0;
      return True;
   }
   if (args[0] != VG_USERREQ__GDB_MONITOR_COMMAND)
      return False;
   *ret = monitor_command((const HChar*)args[1]);
   return *ret;
}

/*------------------------------------------------------------*/
/*--- Registration                                         ---*/
/*------------------------------------------------------------*/

static void pre_clo_init(void)
{
   VG_(details_name)            ("DCFG");
   VG_(details_version)         (NULL);
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
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
