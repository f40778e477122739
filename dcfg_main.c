
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
   DCFG-trace, and what each function and its callees cost, a profile in
   Callgrind's format.

   Data flows one way; a module knows those above it.

      arch/x86.c        what kind of control transfer an instruction is
      run/cells.c       counters: one array of cells a thread
      base/intern.c        names that outlive debug information
      calls/function.c    for a profile: functions, as Callgrind names them
      dcfg_bb.c          the registry of superblocks and branch targets
      run/branch.c      inline caches of indirect branches
      run/image.c       objects and other mappings that code runs in
      base/stream.c       streams of bytes, in a file when they get long
      trace/record.c      for a trace: what each thread did, in order
      calls/context.c     for a profile: what ran in which function
      calls/calls.c       for a profile: calls by who makes and gets them
      calls/stack.c       for a profile: which are active
      run/thread.c      threads; signals and other diversions
      run/flow.c        counters to flows out of superblocks
      trace/ir_record.c   the code that records, added to superblocks
      calls/ir_calls.c    the code that follows calls
      run/instrument.c  the code that counts; all three together
         -- so far while the program runs, from here on at its end --
      run/gather.c     superblocks to instructions and flows between them
      graph/graph.c       flows to basic blocks and edges
      graph/routine.c     routines and immediate dominators
      graph/loop.c        natural loops
      dcfg_json.c        all that as text
      base/file.c         text to files
         -- the trace --
      encode/huffman.c     Huffman codes
      encode/price.c       what a code word costs and saves
      encode/phrase.c      sequences of edges that get code words
      encode/prune.c       those that are not worth it after all
      trace/ways.c        which edge a record means at each block
      trace/reader.c      reading records
      trace/replay.c      records to edges
      trace/parse.c       records to sequences of edges, faster
      encode/sample.c      what the choice of sequences is made from
      encode/repeat.c        code words to characters; repetitions
      encode/transition.c  the table of transitions
      dcfg_trace_enc.c   the encoding
      trace/output_trace.c       the steps from records to file
         -- the profile --
      profile/jumps.c       counts to jumps of functions
      profile/costs.c       counts to all that functions did
      profile/output_profile.c   that as text
         -- all together --
      dcfg/output_dcfg.c      the steps from counters to files

   What a superblock counts, and how exactness survives signals and
   faults, is told at the head of run/instrument.c; what is recorded for
   a trace, at the head of trace/record.c.  graph/graph.c, graph/routine.c,
   graph/loop.c, dcfg_json.c, arch/x86.c and the encoder (encode/huffman.c,
   encode/price.c, encode/phrase.c, encode/prune.c, encode/sample.c, encode/repeat.c,
   encode/transition.c, dcfg_trace_enc.c) know nothing of Valgrind and are
   tested on their own.

   This file owns: the tool's registration, its options, and when a graph
   is written: at the end, before an execve that may succeed, and when a
   debugger asks. */

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
#include "valgrind.h"              // VG_USERREQ__GDB_MONITOR_COMMAND

#include "run/image.h"
#include "run/instrument.h"
#include "base/file.h"
#include "dcfg/output_dcfg.h"
#include "base/stream.h"
#include "run/thread.h"

/*------------------------------------------------------------*/
/*--- Options                                              ---*/
/*------------------------------------------------------------*/

static ReportOptions opts = {
   .out_file = "dcfg.out.%p.json",
   .symbols  = True,
   .source   = True,
   .analysis = True,
   .cfg      = True,
   .trace    = {
      .on       = False,
      .out_file = "dcfg-trace.out.%p.json",
      .threads  = "all",
      .chunk    = 1000000
   },
   .callgrind = {
      .on               = False,
      .out_file         = "callgrind.out.%p",
      .dump_line        = True,
      .dump_instr       = False,
      .collect_jumps    = False,
      .compress_strings = True,
      .compress_pos     = True,
      .separate_threads = False
   }
};

static Bool process_option(const HChar* arg)
{
   if      VG_STR_CLO (arg, "--dcfg-out-file", opts.out_file) {}
   else if VG_BOOL_CLO(arg, "--symbols",       opts.symbols)  {}
   else if VG_BOOL_CLO(arg, "--source",        opts.source)   {}
   else if VG_BOOL_CLO(arg, "--analysis",      opts.analysis) {}
   else if VG_BOOL_CLO(arg, "--cfg",           opts.cfg)      {}
   else if VG_BOOL_CLO(arg, "--trace",         opts.trace.on) {}
   else if VG_STR_CLO (arg, "--trace-out-file", opts.trace.out_file) {}
   else if VG_STR_CLO (arg, "--trace-threads",  opts.trace.threads)  {}
   else if VG_BINT_CLO(arg, "--trace-chunk",    opts.trace.chunk,
                       1, 1000000000) {}
   else if VG_BOOL_CLO(arg, "--callgrind", opts.callgrind.on) {}
   else if VG_STR_CLO (arg, "--callgrind-out-file",
                       opts.callgrind.out_file) {}
   else if VG_BOOL_CLO(arg, "--dump-line",     opts.callgrind.dump_line) {}
   else if VG_BOOL_CLO(arg, "--dump-instr",    opts.callgrind.dump_instr) {}
   else if VG_BOOL_CLO(arg, "--collect-jumps",
                       opts.callgrind.collect_jumps) {}
   else if VG_BOOL_CLO(arg, "--compress-strings",
                       opts.callgrind.compress_strings) {}
   else if VG_BOOL_CLO(arg, "--compress-pos",
                       opts.callgrind.compress_pos) {}
   else if VG_BOOL_CLO(arg, "--separate-threads",
                       opts.callgrind.separate_threads) {}
   else
      return False;
   return True;
}

static void print_usage(void)
{
   VG_(printf)(
"    --dcfg-out-file=<file>    write the graph to <file> [dcfg.out.%%p.json]\n"
"                              (through a compressor if it ends in .gz, .bz2,\n"
"                              .xz or .zst)\n"
"    --symbols=no|yes          include the images' symbols [yes]\n"
"    --source=no|yes           include source lines [yes]\n"
"    --analysis=no|yes         include routines, dominators, loops [yes]\n"
"    --cfg=no|yes              include basic blocks and edges [yes]\n"
"    --trace=no|yes            write the order of all edges as well [no]\n"
"    --trace-out-file=<file>   write it to <file> [dcfg-trace.out.%%p.json]\n"
"    --trace-threads=<list>|all\n"
"                              of these threads, such as 0,2 [all]\n"
"    --trace-chunk=<edges>     edges in a chunk of it [1000000]\n"
"    --callgrind=no|yes        write a Callgrind profile as well [no]\n"
"    --callgrind-out-file=<file>\n"
"                              write it to <file> [callgrind.out.%%p]\n"
"    --dump-line=no|yes        with costs of source lines [yes]\n"
"    --dump-instr=no|yes       with costs of instructions [no]\n"
"    --collect-jumps=no|yes    with jumps [no]\n"
"    --compress-strings=no|yes compress names in it [yes]\n"
"    --compress-pos=no|yes     compress positions in it [yes]\n"
"    --separate-threads=no|yes one file for each thread [no]\n"
   );
}

static void print_debug_usage(void)
{
   VG_(printf)("    (none)\n");
}

static void post_clo_init(void)
{
   DCFG_(set_vex_control)();
   DCFG_(claim_out_file)("--dcfg-out-file", opts.out_file);
   DCFG_(prepare_trace)(&opts.trace, opts.cfg ? opts.out_file : NULL);
   DCFG_(prepare_callgrind)(&opts.callgrind, opts.out_file,
                            opts.trace.on ? opts.trace.out_file : NULL);
}

/*------------------------------------------------------------*/
/*--- Occasions to write                                   ---*/
/*------------------------------------------------------------*/

static void fini(Int exitcode)
{
   DCFG_(report)(&opts, NULL, "Program termination");
}

/* If execve succeeds, nothing is left of the tool.  If it fails, the run
   goes on and its file is written again at the end.  Programs try one
   directory of the PATH after the other: there is no need to write
   anything for a file that is not there. */
static void before_syscall(ThreadId tid, UInt sysno, UWord* args, UInt n)
{
   Bool exec = False;

   DCFG_(note_syscall)(tid, sysno);
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
      DCFG_(report)(&opts, NULL, "Before execve");
}

static void after_syscall(ThreadId tid, UInt sysno, UWord* args, UInt n,
                          SysRes res)
{
}

static void in_fork_child(ThreadId tid)
{
   DCFG_(start_anew)(tid);
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

/* Returns False if REQ is no command of this tool's. */
static Bool monitor_command(const HChar* req)
{
   HChar    line[VG_(strlen)(req) + 1];
   HChar*   rest;
   Progress p;

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
         DCFG_(report)(&opts, VG_(strtok_r)(NULL, " ", &rest),
                       "Monitor command");
         return True;
      case 2:
         DCFG_(progress)(&p);
         VG_(gdb_printf)("%'u blocks, %'u edges, %'llu instructions\n",
                         p.blocks, p.edges, p.instrs);
         return True;
      default:
         return False;
   }
}

static Bool client_request(ThreadId tid, UWord* args, UWord* ret)
{
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
   VG_(atfork)(NULL, NULL, in_fork_child);
   DCFG_(track_images)();
   DCFG_(track_threads)();
}

VG_DETERMINE_INTERFACE_VERSION(pre_clo_init)

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
