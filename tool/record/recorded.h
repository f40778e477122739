/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Recorded runs: --record and --replay. */

#ifndef __DCFG_RECORDED_H
#define __DCFG_RECORDED_H

#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "dcfg_json.h"
#include "format/port.h"
#include "format/rec_read.h"
#include "tool/base/options.h"

/*--- For dcfg_main.c                                      ---*/

extern const Options DCFG_(record_options);

/* Return whether this run is recorded. */
Bool DCFG_(is_recorded)(void);

/* In a replay, set the program's arguments and environment as they were, before
   anybody looks at them.  FINISH writes all outputs: the log may end before the
   program does.  An error is reported and ends the tool. */
void DCFG_(prepare_replay)(void (*finish)(void));

/* Begin, before the program runs, after all others that hear of the core's
   events.  An error in the options is reported and ends the tool. */
void DCFG_(start_record)(void);

/* The program has ended: write the end of the log, and tell of it. */
void DCFG_(end_record)(void);

/* This process has forked; it is the child of a fork, of which thread TID is
   left.  The second returns whether the child has the outputs' names for itself,
   because its parent only waits: in a replay. */
void DCFG_(note_child)(void);
Bool DCFG_(record_forked)(ThreadId tid);

/*--- For the files of this room                           ---*/

/* The default of --record-out-file. */
#define RECORD_OUT_FILE "run.out.%p.rec"

/* RunMode: what is done with the run now.  RunFree: it is not recorded, has not
   begun, or ends. */
typedef enum { RunFree, RunRecorded, RunReplayed } RunMode;
extern RunMode DCFG_(run_mode);

/* Carry: put N bytes of a file's state into a checkpoint, or take them from
   one. */
typedef void (*Carry)(void* state, SizeT n);

/* --- outcome.c --- */

/* Progress: how far the run is: superblocks of all threads, the number of the
   thread that runs, from 0, and how many there were of each kind. */
typedef
   struct {
      ULong superblocks;
      UInt  thread;
      ULong calls, turns, signals, values, threads, children;
   }
   Progress;
extern Progress DCFG_(progress);

/* Can the replay have checkpoints: has the program done only what these have? */
extern Bool DCFG_(has_checkpoints);

/* The name of the record, for messages; in a replay, who writes the outputs, and
   whether the program's output is shown. */
extern const HChar* DCFG_(record_name);
extern void       (*DCFG_(finish_outputs))(void);
extern Bool         DCFG_(shows_output);

/* The exit status of a replay that cannot go on. */
#define DCFG_NO_REPLAY 125

/* End the replay: there is not what it needs; or it is not the recorded run any
   more.  The text says what is missing, or differs. */
void DCFG_(cannot_replay)(const HChar* format, ...) PRINTF_CHECK(1, 2)
   __attribute__((noreturn));
void DCFG_(diverged)(const HChar* format, ...) PRINTF_CHECK(1, 2)
   __attribute__((noreturn));
/* The log ends before the program; or a signal from outside ends the replay. */
void DCFG_(stop_at_end)(void) __attribute__((noreturn));
void DCFG_(stop_by_signal)(Int signo);
/* The recorded process executed another program here. */
void DCFG_(replay_exec)(void) __attribute__((noreturn));
void DCFG_(tell_replayed)(void);
/* The recorded process is the child, PID of which executes it again: end as that
   ends. */
void DCFG_(end_as_child)(Int pid) __attribute__((noreturn));

/* Write the end block: how the process ends, with which status, and for an
   execve the file.  After that the call may have failed. */
void DCFG_(log_totals)(const HChar* end, Int status, const HChar* next);
void DCFG_(cut_totals)(void);
void DCFG_(tell_written)(void);

/* --- forked.c --- */

/* Recording: note the header's text, of N bytes, and the option's value, for
   files of children. */
void DCFG_(note_header)(const HChar* text, UInt n, const HChar* out_file);
/* Replaying: note the process that begins, and the header's text. */
void DCFG_(note_replayed)(const JsonRun* run, const HChar* text, UInt n);
/* Recording: the program comes to an execve; it has failed. */
void DCFG_(before_exec)(const HChar* path, const HChar** argv);
void DCFG_(exec_failed)(void);

/* --- initial.c --- */

/* Put the initial state; take it, before anybody looks at the stack; and set the
   registers, when the core has done so. */
void DCFG_(log_initial)(void);
void DCFG_(take_initial)(void);
void DCFG_(set_first_registers)(void);

/* --- schedule.c --- */

/* Begin.  Recording, BEGUN is called for a thread in a system call before another
   one runs, FATAL for a thread that dies by a signal. */
void DCFG_(start_schedule)(void (*begun)(ThreadId tid),
                           void (*fatal)(ThreadId tid, Int signo));

/* The process ends: all threads go on as they like. */
void DCFG_(run_freely)(void);

/* Recording: put EVENT of thread TID, with its place. */
void DCFG_(log_event)(UChar event, ThreadId tid);

/* Replaying: return the event that is due at this place; 0: none is. */
UChar DCFG_(due)(void);
/* Take it. */
void DCFG_(take_event)(UChar event);
/* In the child of a fork, thread TID is the only one. */
void DCFG_(keep_only)(ThreadId tid);
/* Let the threads run whose turn is before the next event of TID. */
void DCFG_(let_others_run)(ThreadId tid);

/* Call REACHED, once, when thread 1 begins to run code at superblock PLACE or behind
   it; ~0: never. */
void DCFG_(stop_before)(ULong place, void (*reached)(void));
/* Carry the state of this file. */
void DCFG_(carry_schedule)(Carry carry);

/* Note where the kernel clears thread TID's number when it ends; 0: nowhere. */
void DCFG_(note_clear)(ThreadId tid, Addr a);
/* Note where thread TID has the robust list of its locks; 0: nowhere. */
void DCFG_(note_robust)(ThreadId tid, Addr head);
/* Return the thread that was created last; likewise, but 0 if the present call
   has created none. */
ThreadId DCFG_(newest_thread)(void);
ThreadId DCFG_(take_created)(void);

/* Return whether thread TID ends because of the code that it ran last. */
Bool DCFG_(has_faulted)(ThreadId tid);

/* --- root.c --- */

/* Find the recorded program's files below DIR, before they are mapped; return
   NAME there, or a copy of it if there is no such directory. */
void   DCFG_(set_replay_root)(const HChar* dir);
HChar* DCFG_(name_in_root)(const HChar* name);

/* --- maps.c --- */

/* Return what identifies the contents of file FD: see docs/dev/rec-file.md.  The
   caller frees it. */
HChar* DCFG_(build_of_file)(Int fd);

/* Recording: whether the log has the contents of large files that are mapped. */
extern Bool DCFG_(has_large_maps);

/* Recording: put how memory at RES came to be by the mmap of ARGS. */
void DCFG_(log_mapping)(const UWord* args, Addr res);

/* Replaying: take that, and make the same call, but with memory at RES.  CALL
   makes a system call with ARGS. */
void DCFG_(replay_mapping)(ThreadId tid, const UWord* args, Addr res,
                           void (*call)(ThreadId tid, const UWord* args));

/* Recording: call ADD with ARG for memory of mapped files that a system call has
   changed, because it has written N bytes to one of them. */
void DCFG_(mapped_writes)(UInt sysno, const UWord* args, ULong n,
                          void (*add)(void* arg, Addr a, SizeT n), void* arg);

/* Recording: mremap() with ARGS has returned RES: call ADD with ARG for memory that
   shows more of a mapped file than before. */
void DCFG_(enlarged)(const UWord* args, Addr res,
                     void (*add)(void* arg, Addr a, SizeT n), void* arg);

/* Replaying: such a call is answered: let the file in memory at A, if there is
   one, have the N bytes there. */
void DCFG_(grow_file)(Addr a, SizeT n);

/* Put, or compare, the files that are mapped at the start. */
void DCFG_(log_start_maps)(void);
void DCFG_(check_start_maps)(void);

/* --- call_log.c --- */

void DCFG_(start_calls)(void);
/* Recording: put that the system call of thread TID has begun, or is interrupted,
   if it is in one. */
void DCFG_(log_begun)(ThreadId tid);
void DCFG_(log_interrupted)(ThreadId tid);

/* Replaying: carry the state of this file, and the calls that have made the
   program's mappings; execute these again, before the program runs. */
void DCFG_(carry_streams)(Carry carry);
void DCFG_(carry_executed)(Carry carry);
void DCFG_(execute_again)(void);
/* Take N bytes of the log to A, even if the program cannot write there. */
void DCFG_(take_memory)(Addr a, SizeT n);

/* --- checkpoint.c --- */

/* Replaying: begin, at a checkpoint if there is one that serves; the run has so
   many superblocks, and the record's header this check sum. */
void DCFG_(start_checkpoints)(ULong run_length, UInt sum);

/* --- signals.c --- */

void DCFG_(start_signals)(void);
void DCFG_(carry_frames)(Carry carry);

/* Recording: put signal SIGNO that ends the process by thread TID. */
void DCFG_(log_fatal)(ThreadId tid, Int signo);

#endif /* __DCFG_RECORDED_H */
