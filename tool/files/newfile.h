/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Temporary files. */


#ifndef __DCFG_NEWFILE_H
#define __DCFG_NEWFILE_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Create a file with a new name in the directory of PATH, or, if PATH is NULL,
   in Valgrind's directory for temporary files.  Open it with FLAGS and MODE.
   Its name is the last part of PATH, KIND, and digits that nobody can predict.
   Return the descriptor, or a negative errno.  *NAME is the file's path, also
   if it could not be made; the caller frees it. */
Int DCFG_(new_file)(const HChar* path, const HChar* kind, Int flags,
                    Int mode, /*OUT*/HChar** name);

#endif /* __DCFG_NEWFILE_H */
