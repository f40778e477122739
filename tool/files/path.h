/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of files. */

#ifndef __DCFG_PATH_H
#define __DCFG_PATH_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Return NAME with all links followed; the target need not exist.  If NAME is a
   descriptor of this process (/dev/stdout, /dev/fd/N, /proc/self/fd/N), *FD is
   its number, else -1.  The caller frees the result. */
HChar* DCFG_(follow_links)(const HChar* name, /*OUT*/Int* fd);

/* Return DIR/NAME.  The caller frees it. */
HChar* DCFG_(join_path)(const HChar* dir, const HChar* name);

/* Create a file with a new name in the directory of PATH, or, if PATH is NULL,
   in Valgrind's directory for temporary files.  Open it with FLAGS and MODE.
   Its name is the last part of PATH, KIND, and digits that nobody can predict.
   Return the descriptor, or a negative errno.  *NAME is the file's path, also
   if it could not be made; the caller frees it. */
Int DCFG_(new_file)(const HChar* path, const HChar* kind, Int flags,
                    Int mode, /*OUT*/HChar** name);

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

/* Compressor: a program that compresses a file.  No suffix is longer than
   DCFG_MAX_SUFFIX. */
#define DCFG_MAX_SUFFIX 4
typedef
   struct {
      const HChar* suffix;
      const HChar* program;
      const HChar* command;     // replaces file $0 by one with the suffix
   }
   Compressor;

/* Return the compressor for NAME's suffix, or NULL. */
const Compressor* DCFG_(find_compressor)(const HChar* name);

/* Return the length of NAME without the suffix of a compressor. */
SizeT DCFG_(plain_length)(const HChar* name);

#endif
