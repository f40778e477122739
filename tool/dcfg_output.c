/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The list of watchers. */

/* Owns: the list of watchers.  Handed: watchers, by outputs that are on. */

#include "pub_tool_libcassert.h"

#include "tool/dcfg_output.h"

const Watcher* DCFG_(watchers)[DCFG_MAX_WATCHERS];
UInt           DCFG_(n_watchers);

UInt DCFG_(watch)(const Watcher* w)
{
   for (UInt i = 0; i < DCFG_(n_watchers); i++)
      if (DCFG_(watchers)[i] == w)
         return i;
   tl_assert(DCFG_(n_watchers) < DCFG_MAX_WATCHERS);
   DCFG_(watchers)[DCFG_(n_watchers)] = w;
   return DCFG_(n_watchers)++;
}
