/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files on their way to their names. */
#ifndef __DCFG_DELIVERY_H
#define __DCFG_DELIVERY_H

#include "pub_tool_basics.h"
#include "delivery/family.h"
#include "base/port.h"

/* Files are begun, filled and ended one after the other, which makes them a
   set, numbered from 0 up; then all of it is given names. */

/* What is asked for. */
typedef
   struct {
      Int  fd;           // if the name is that of a descriptor: this one,
                         // or -1: the one that it names
      Int  needs;        // the file of the set without which it is none, or -1
      Bool has_pid;      // its name does not fit another process
      Int  inside;       // not 0: in a directory of the process with this id
   }
   Wanted;

/* What a file has become. */
typedef
   struct {
      Int    error;      // errno, or 0
      Bool   unpacked;   // the compressor failed
      Bool   taken;      // the name that it should have is another process's
      HChar* path;       // where its name leads ...
      HChar* name;       // ... and the name that it has; to be freed
   }
   Delivered;

/* Trouble's errno, or 0. */
Int  DCFG_(begin_file)(const HChar* name, const Wanted* w);
void DCFG_(fill_file)(const HChar* text, UInt n);
Int  DCFG_(end_file)(Bool keep);

/* Give the whole set names, for process PID: all or none are the wanted
   ones, if they are CLAIMED by options.  Writes to RESULTS, one for each. */
void DCFG_(name_files)(Int pid, Bool claimed, /*OUT*/Delivered* results);

/* Leave none of the set. */
void DCFG_(drop_files)(void);

/* In the child of a fork, and in a program that a child executes. */
void DCFG_(disown_names)(void);

/* --- Before the program runs. --- */

/* Where NAME leads, to be freed; NULL if that is no regular file and nothing
   that could become one. */
HChar* DCFG_(path_of_name)(const HChar* name);

/* Can NAME be written?  Returns an errno, or 0; *FD becomes a descriptor
   that the program cannot get at, if NAME is one, else -1. */
Int DCFG_(check_name)(const HChar* name, /*OUT*/Int* fd);

#endif /* __DCFG_DELIVERY_H */
