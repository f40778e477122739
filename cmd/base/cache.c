/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: names and directories of files in the user's cache.  Handed: recordings,
   whose own directory cannot be written. */

#include "cmd/base/cache.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char* cache_path(const char* file, const char* suffix)
{
   const char* cache = getenv("XDG_CACHE_HOME");
   const char* home = getenv("HOME");
   char*       real = realpath(file, NULL);
   uint64_t    hash = UINT64_C(0xcbf29ce484222325);    // FNV-1a
   char*       path = NULL;

   if (cache == NULL || cache[0] != '/')
      cache = home != NULL && home[0] == '/' ? text_format("%s/.cache", home)
                                             : NULL;
   for (const char* s = real; s != NULL && *s != 0; s++)
      hash = (hash ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
   if (cache != NULL && real != NULL)
      path = text_copy(text_format("%s/dcfg/%s-%016" PRIx64 "%s", cache,
                                   text_base(real), hash, suffix));
   free(real);
   return path;
}

void make_cache(const char* path)
{
   char* copy = text_copy(path);
   char* last = strrchr(copy, '/');
   char* before;

   *last  = 0;
   before = strrchr(copy, '/');
   *before = 0;
   mkdir(copy, 0700);
   *before = '/';
   mkdir(copy, 0700);
   free(copy);
}
