/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which process wrote a file. */
#ifndef __DCFG_FAMILY_H
#define __DCFG_FAMILY_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Before the program runs: find out when the family began.  Returns whether
   another process began it. */
Bool DCFG_(find_family)(void);

/* This process, or the one it acts for, wrote that file. */
void DCFG_(note_own_file)(const HChar* name);

/* In the child of a fork: it is not the process that wrote its parent's
   files. */
void DCFG_(disown_files)(void);

/* Is there such a file, written by another process of the family? */
Bool DCFG_(is_anothers)(const HChar* name);

/* May NAME be written: is there no such file, or one by this process? */
Bool DCFG_(is_free)(const HChar* name);

/* NAME with process id PID before its last extension, and number K if that is not
   1; to be freed. */
HChar* DCFG_(name_with_pid)(const HChar* name, Int pid, UInt k);

#endif /* __DCFG_FAMILY_H */
