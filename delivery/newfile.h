/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   New files beside others. */


#ifndef __DCFG_NEWFILE_H
#define __DCFG_NEWFILE_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Make a new file in the directory of PATH, or, if that is NULL, where
   Valgrind puts its temporary files, and open it with FLAGS and MODE.  Its
   name begins as PATH ends, then follow KIND and something that nobody
   foresees.  There was no such file and no such link.  Returns the
   descriptor and, to be freed, *NAME; or a negative errno, and *NAME is what
   could not be made. */
Int DCFG_(new_file)(const HChar* path, const HChar* kind, Int flags,
                    Int mode, /*OUT*/HChar** name);

#endif /* __DCFG_NEWFILE_H */
