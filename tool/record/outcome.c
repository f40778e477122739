/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How a recording ends, and how a replay ends before its log does. */

/* Owns: the end block of a record, the last messages, and the exit status of a
   replay that cannot go on.  Handed: reasons, by the files of this room.

   A replay that is not the recorded run any more has no outputs: they would be
   wrong.  If only the log ends, because the process was killed or the file was
   cut, the outputs have what ran so far. */

#include "tool/base/core.h"
#include "tool/base/options.h"
#include "tool/files/file.h"
#include "tool/files/stream.h"
#include "tool/record/log.h"
#include "tool/record/recorded.h"

RunMode      DCFG_(run_mode) = RunFree;
Progress     DCFG_(progress);
Bool         DCFG_(has_checkpoints);
const HChar* DCFG_(record_name);
Bool         DCFG_(shows_output) = True;
void       (*DCFG_(finish_outputs))(void);

static ULong size_before_end;

/*--- A replay                                             ---*/

static void give_up(const HChar* where, const HChar* format, va_list args)
{
   HChar what[1024];

   VG_(vsnprintf)(what, sizeof(what), format, args);
   /* Texts of a log may have any byte. */
   for (HChar* at = what; *at != 0; at++)
      if ((UChar)*at < ' ')
         *at = '?';
   VG_(umsg)("dcfg: %s cannot be replayed%s: %s\n", DCFG_(record_name), where,
             what);
   DCFG_(unname_spool)();
   VG_(exit)(DCFG_NO_REPLAY);
}

void DCFG_(cannot_replay)(const HChar* format, ...)
{
   va_list args;

   va_start(args, format);
   give_up("", format, args);
   __builtin_unreachable();
}

void DCFG_(diverged)(const HChar* format, ...)
{
   HChar    where[512];
   ThreadId tid = DCFG_(resume_tid)();
   va_list  args;

   VG_(snprintf)(where, sizeof(where), " beyond superblock %'llu of thread %u, "
                 "at %s, because of memory that others write, a file that has "
                 "changed, or a debugger", DCFG_(progress).superblocks,
                 DCFG_(progress).thread,
                 tid == 0 ? "the start" : DCFG_(text_of_ip)(tid));
   va_start(args, format);
   give_up(where, format, args);
   __builtin_unreachable();
}

void DCFG_(stop_at_end)(void)
{
   const HChar* why = DCFG_(why_log_ends)();

   DCFG_(resume_tid)();
   VG_(umsg)("dcfg: %s ends here, at superblock %'llu: %s; the outputs have what "
             "ran so far\n", DCFG_(record_name), DCFG_(progress).superblocks,
             why == NULL ? "the process was killed" : why);
   DCFG_(run_mode) = RunFree;
   DCFG_(finish_outputs)();
   VG_(exit)(DCFG_NO_REPLAY);
}

void DCFG_(stop_by_signal)(Int signo)
{
   VG_(umsg)("dcfg: the replay of %s is stopped by signal %d, at superblock "
             "%'llu; the outputs have what ran so far\n", DCFG_(record_name),
             signo, DCFG_(progress).superblocks);
   DCFG_(run_mode) = RunFree;
   DCFG_(finish_outputs)();
   DCFG_(end_by_signal)(signo);
}

void DCFG_(replay_exec)(void)
{
   DCFG_(remark)("dcfg: replayed %s up to the execve of another program\n",
                 DCFG_(record_name));
   DCFG_(unname_spool)();
   VG_(exit)(0);
}

void DCFG_(tell_replayed)(void)
{
   DCFG_(remark)("dcfg: replayed %s: %'llu superblocks, %'llu system calls, "
                 "%'llu threads\n", DCFG_(record_name),
                 DCFG_(progress).superblocks, DCFG_(progress).calls,
                 DCFG_(progress).threads);
}

void DCFG_(end_as_child)(Int pid)
{
   Int       status = 0, signo;
   const Int tries  = 1000;

   DCFG_(run_mode) = RunFree;
   DCFG_(unname_spool)();
   for (Int i = 0; i < tries && VG_(waitpid)(pid, &status, 0) < 0; i++)
      ;
   signo = status & 0x7F;
   if (signo != 0)
      DCFG_(end_by_signal)(signo);
   VG_(exit)(signo != 0 ? DCFG_NO_REPLAY : status >> 8 & 0xFF);
}

/*--- A recording                                          ---*/

void DCFG_(log_totals)(const HChar* end, Int status, const HChar* next)
{
   const Progress* p  = &DCFG_(progress);
   XArray*         to = DCFG_NEW_ARRAY("dcfg.record.end", HChar);

   VG_(xaprintf)(to, "end=%s%cstatus=%d%csuperblocks=%llu%c", end, 0, status, 0,
                 p->superblocks, 0);
   VG_(xaprintf)(to, "calls=%llu%cturns=%llu%csignals=%llu%c", p->calls, 0,
                 p->turns, 0, p->signals, 0);
   VG_(xaprintf)(to, "values=%llu%cthreads=%llu%c", p->values, 0, p->threads,
                 0);
   if (next != NULL)
      VG_(xaprintf)(to, "next=%s%c", next, 0);
   DCFG_(write_log)();
   size_before_end = DCFG_(log_size)();
   DCFG_(log_text)(RecEnd, VG_(indexXA)(to, 0), VG_(sizeXA)(to));
   VG_(deleteXA)(to);
}

void DCFG_(cut_totals)(void)
{
   DCFG_(cut_log)(size_before_end);
}

void DCFG_(tell_written)(void)
{
   const HChar* name = DCFG_(record_name);
   HChar*       next = DCFG_(see_with)("dcfg replay", name, RECORD_OUT_FILE);

   if (DCFG_(log_error)() != 0)
      VG_(umsg)("dcfg: cannot write %s: %s; a replay ends there\n", name,
                DCFG_(error_text)(DCFG_(log_error)()));
   else
      DCFG_(remark)("dcfg: wrote %s: %'llu superblocks, %'llu system calls, "
                    "%'llu threads, %'llu kB%s%s\n", name,
                    DCFG_(progress).superblocks, DCFG_(progress).calls,
                    DCFG_(progress).threads, DCFG_(log_size)() / 1000,
                    DCFG_(progress).children == 0 ? ""
                    : ", nothing of child processes", next);
   VG_(free)(next);
}
