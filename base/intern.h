/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names, each kept once. */

#ifndef __DCFG_INTERN_H
#define __DCFG_INTERN_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* The one string equal to NAME: equal names have equal pointers.  Never
   freed. */
const HChar* DCFG_(name)(const HChar* name);

/* The same for the path of source FILE in directory DIR, as debug
   information gives them. */
const HChar* DCFG_(source_path)(const HChar* dir, const HChar* file);

#endif /* __DCFG_INTERN_H */
