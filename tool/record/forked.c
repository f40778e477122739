/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The child of a fork: its recording, and its replay. */

/* Owns: the header of the file that is written, and how many forks are behind
   this process.  Handed: forks and execves, by dcfg_main.c and call_log.c.

   With --trace-children=yes, a child has a recording of its own.  It begins
   like its parent's: the child copies the parent's file up to the fork, and goes
   on in its copy.  The header has a line for each fork, with the child's process
   id and the time.  A replay executes the parent up to the fork, forks, and goes
   on as the child; the replay's first process only waits for it.  What the
   parent printed is not shown again.

   A child that comes to a traced execve soon has no file: the program that it
   executes has that name. */

#include "tool/base/core.h"
#include "tool/base/options.h"
#include "tool/files/file.h"
#include "tool/files/path.h"
#include "tool/record/log.h"
#include "tool/record/recorded.h"
#include "tool/run/this_run.h"

/* Superblocks that are fewer than those of starting any program. */
#define FEW_SUPERBLOCKS 10000

static UInt n_forks;          // behind this process

/*--- Recording                                            ---*/

static XArray*      header;   // HChar: the text of the file's header
static const HChar* out_file;
static ULong        forked_at;   // superblocks before this process was made
static Bool         is_dropped;  // has the file been removed, for an execve?

void DCFG_(note_header)(const HChar* text, UInt n, const HChar* file)
{
   header = DCFG_NEW_ARRAY("dcfg.record.forked", HChar);
   for (UInt i = 0; i < n; i++)
      VG_(addToXA)(header, &text[i]);
   out_file = file;
}

/* Go on in the file NAME.  Without it, this process is not recorded. */
static void move_to(const HChar* name)
{
   Int error = DCFG_(move_log)(name, VG_(indexXA)(header, 0),
                               VG_(sizeXA)(header));

   DCFG_(record_name) = name;
   if (error == 0)
      return;
   VG_(umsg)("dcfg: cannot write %s for --record-out-file: %s; process %d is not "
             "recorded\n", name, DCFG_(error_text)(error), VG_(getpid)());
   DCFG_(run_mode)    = RunFree;
   DCFG_(record_name) = NULL;
   DCFG_(drop_log)();
}

/* Return the name of this process's file. */
static const HChar* name_of_child(void)
{
   HChar* wanted = DCFG_(path_of_file)("--record-out-file", out_file);
   HChar* name   = wanted;
   UInt   k      = 1;

   while (VG_STREQ(name, DCFG_(record_name)) || DCFG_(is_anothers)(name))
      name = DCFG_(name_with_pid)(wanted, VG_(getpid)(), k++);
   return name;
}

static void record_child(void)
{
   if (!VG_(clo_trace_children)) {
      DCFG_(run_mode)    = RunFree;
      DCFG_(record_name) = NULL;
      DCFG_(drop_log)();
      return;
   }
   n_forks++;
   forked_at = DCFG_(progress).superblocks;
   VG_(xaprintf)(header, "fork=%d %s%c", VG_(getpid)(),
                 DCFG_(this_run)().start, 0);
   move_to(name_of_child());
}

/* Return whether the program of PATH, which is recorded, takes this process's
   name. */
static Bool is_prelude(const HChar* path, const HChar** argv)
{
   struct vg_stat st;

   return n_forks > 0 && argv != NULL
          && DCFG_(progress).superblocks - forked_at < FEW_SUPERBLOCKS
          && !sr_isError(VG_(stat)(path, &st))
          && VG_(should_we_trace_this_child)(path, argv);
}

void DCFG_(before_exec)(const HChar* path, const HChar** argv)
{
   DCFG_(log_totals)("exec", 0, path);
   is_dropped = is_prelude(path, argv);
   if (is_dropped)
      VG_(unlink)(DCFG_(record_name));
}

void DCFG_(exec_failed)(void)
{
   DCFG_(cut_totals)();
   if (is_dropped)
      move_to(DCFG_(record_name));
   is_dropped = False;
}

/*--- Replaying                                            ---*/

static JsonRun      again;    // the process that the outputs tell of
static const HChar* text;     // the header's
static UInt         text_size;
static Bool         wants_output;

void DCFG_(note_replayed)(const JsonRun* run, const HChar* header_text, UInt n)
{
   again     = *run;
   text      = header_text;
   text_size = n;
   DCFG_(set_this_run)(&again);
   DCFG_(set_this_thread)(1, again.pid);
   wants_output = DCFG_(shows_output);
   if (DCFG_(value_in)(text, text_size, "fork", 0) != NULL)
      DCFG_(shows_output) = False;
}

static void replay_child(ThreadId tid)
{
   const HChar* process = DCFG_(value_in)(text, text_size, "fork", n_forks++);
   HChar*       end;

   if (process == NULL)
      DCFG_(cannot_replay)("its header does not tell of a fork");
   again.parent = again.pid;
   again.pid    = VG_(strtoull10)(process, &end);
   again.start  = end + (*end == ' ');
   DCFG_(set_this_run)(&again);
   DCFG_(set_this_thread)(tid, again.pid);
   if (DCFG_(value_in)(text, text_size, "fork", n_forks) == NULL)
      DCFG_(shows_output) = wants_output;
}

/*--- Both                                                 ---*/

Bool DCFG_(record_forked)(ThreadId tid)
{
   Bool replays = DCFG_(run_mode) == RunReplayed;

   if (DCFG_(run_mode) == RunFree)
      return False;
   DCFG_(keep_only)(tid);
   if (replays)
      replay_child(tid);
   else
      record_child();
   return replays;
}
