/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files that stand in the user's cache, as their place beside a recording cannot
   be written. */

#ifndef DCFG_CMD_CACHE_H
#define DCFG_CMD_CACHE_H

/* Return the path in the cache of what FILE with SUFFIX would be beside FILE: in
   $XDG_CACHE_HOME/dcfg or ~/.cache/dcfg.  The name says which of all files of that
   name FILE is.  NULL: there is no cache.  The caller frees it. */
char* cache_path(const char* file, const char* suffix);

/* Make the directories that PATH in the cache needs.  Opening a file there tells
   whether that failed. */
void make_cache(const char* path);

#endif /* DCFG_CMD_CACHE_H */
