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
   char*       path = NULL;

   if (cache == NULL || cache[0] != '/')
      cache = home != NULL && home[0] == '/' ? text_format("%s/.cache", home)
                                             : NULL;
   if (cache != NULL && real != NULL)
      path = text_copy(text_format("%s/dcfg/%s-%016" PRIx64 "%s", cache,
                                   text_base(real), text_hash(real, strlen(real)),
                                   suffix));
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
