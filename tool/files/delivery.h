/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Delivery: how files get their names. */

#ifndef __DCFG_DELIVERY_H
#define __DCFG_DELIVERY_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* A set is a number of files that are begun, filled and ended one after the
   other, counted from 0.  Then all of them get their names. */

/* Wanted: a file to write. */
typedef
   struct {
      Int  fd;           // the descriptor to write to, if the name stands for
                         // one; -1: the one that it names
      Int  needs;        // the file of the set that this one is useless
                         // without, or -1
      Bool has_pid;      // does the name have the process id?
      Int  inside;       // not 0: in the directory of the process with this id
      Bool is_private;   // may only the user read it?
      Bool merges;       // is it a run that is added to the file of its name?
      Bool in_doubt;     // then: it counts only if an execve succeeds
   }
   Wanted;

/* Delivered: the result for a file. */
typedef
   struct {
      Int    error;      // errno, or 0
      Bool   unpacked;   // did the compressor fail?
      Bool   taken;      // does the wanted name belong to another process?
      Bool   waits;      // is it a run that could not be added to the file?
      HChar* path;       // the wanted name, with links followed
      HChar* name;       // the name that it has; caller frees
   }
   Delivered;

/* Begin a file, append text to it, end it.  Return 0, or the first errno;
   EOWNERDEAD: the keeper is gone. */
Int  DCFG_(begin_file)(const HChar* name, const Wanted* w);
void DCFG_(fill_file)(const HChar* text, UInt n);
Int  DCFG_(end_file)(Bool keep);

/* Give the set's N files their names, for process PID.  CLAIMED: they are the
   names of options, and all or none of them are the wanted ones.  RESULTS gets
   one element for each file. */
void DCFG_(name_files)(Int pid, Bool claimed, /*OUT*/Delivered* results,
                       UInt n);

/* Remove all files of the set. */
void DCFG_(drop_files)(void);

/* Forget which files this process wrote: call it in the child of a fork, and in
   a program that a child executes. */
void DCFG_(disown_names)(void);

/*--- Before the program runs                              ---*/

/* Keep the environment of this moment, before the program runs and can
   overwrite it: compressors and dcfg are found in its PATH. */
void DCFG_(keep_environment)(void);

/* Return the path that NAME leads to, for the caller to free.  NULL: it is not
   a regular file and cannot become one. */
HChar* DCFG_(path_of_name)(const HChar* name);

/* Return 0 if NAME can be written, or an errno.  If NAME stands for a
   descriptor, *FD becomes a duplicate that the program cannot reach, else
   -1. */
Int DCFG_(check_name)(const HChar* name, /*OUT*/Int* fd);

/*--- The keeper: a process that keeps rights              ---*/

/* Return whether the system call SYSNO with ARGS, if it succeeds, takes rights
   from this process that writing files needs. */
Bool DCFG_(gives_up_rights)(UInt sysno, const UWord* args);

/* Start a keeper, if there is none.  From then on the keeper writes the
   files of this process. */
void DCFG_(start_keeper)(void);

/* End the keeper: the program has ended, and nothing more is written.  Waits
   for its end, unless files were abandoned. */
void DCFG_(end_keeper)(void);

/* Give a forked child a keeper of its own. */
void DCFG_(before_fork)(void);
void DCFG_(after_fork)(Bool in_child);

#endif
