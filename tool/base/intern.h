/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Interned names: equal names are one string. */

#ifndef __DCFG_INTERN_H
#define __DCFG_INTERN_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Return the one string that is equal to NAME, so that equal names have equal
   pointers.  The string is never freed. */
const HChar* DCFG_(name)(const HChar* name);

/* Return the interned path of source FILE in directory DIR, as debug
   information names them. */
const HChar* DCFG_(source_path)(const HChar* dir, const HChar* file);

#endif /* __DCFG_INTERN_H */
