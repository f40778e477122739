/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files of other processes of the family. */
#ifndef __DCFG_FAMILY_H
#define __DCFG_FAMILY_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Find out when the family began.  Call it before the program runs.  Return
   whether another process began the family. */
Bool DCFG_(find_family)(void);

/* Note that this process, or the one that it acts for, wrote file NAME. */
void DCFG_(note_own_file)(const HChar* name);

/* Forget the files of the parent.  Call it in the child of a fork. */
void DCFG_(disown_files)(void);

/* Return whether another process of the family wrote a file NAME. */
Bool DCFG_(is_anothers)(const HChar* name);

/* Return whether NAME may be written: there is no such file, or this process
   wrote it. */
Bool DCFG_(is_free)(const HChar* name);

/* Return NAME with PID, and with K if that is not 1, before the last extension.
   The caller frees it. */
HChar* DCFG_(name_with_pid)(const HChar* name, Int pid, UInt k);

#endif /* __DCFG_FAMILY_H */
