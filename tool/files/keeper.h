/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The keeper: a process that keeps rights. */

#ifndef __DCFG_KEEPER_H
#define __DCFG_KEEPER_H

#include "pub_tool_basics.h"
#include "tool/files/delivery.h"
#include "format/port.h"

/* Return whether the system call SYSNO with ARGS, if it succeeds, takes rights
   from this process that writing files needs. */
Bool DCFG_(gives_up_rights)(UInt sysno, const UWord* args);

/* Start a keeper, if there is none.  From then on it does the work of
   tool/files/delivery.h for this process. */
void DCFG_(start_keeper)(void);

/* End the keeper: the program has ended, and nothing more is written.  Waits
   for its end, unless files were abandoned. */
void DCFG_(end_keeper)(void);

/* Give a forked child a keeper of its own. */
void DCFG_(before_fork)(void);
void DCFG_(after_fork)(Bool in_child);

/* Do the work of the functions without "kept", here or in the keeper.  Errno
   EOWNERDEAD: the keeper is gone. */
Int  DCFG_(kept_begin_file)(const HChar* name, const Wanted* w);
void DCFG_(kept_fill_file)(const HChar* text, UInt n);
Int  DCFG_(kept_end_file)(Bool keep);
void DCFG_(kept_name_files)(Int pid, Bool claimed, /*OUT*/Delivered* results,
                            UInt n);
void DCFG_(kept_drop_files)(void);

#endif /* __DCFG_KEEPER_H */
