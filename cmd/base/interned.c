/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Interned names: equal names are one string. */

/* Owns: interned names.  Handed: names.  Taken by: debug_lines.c, merge_runs.c
   and flame_tree.c. */

#include "cmd/base/interned.h"

#include "cmd/base/cmd.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct Interned {
   void* tree;                  // tree of char*, by strcmp()
};

static int by_text(const void* a, const void* b)
{
   return strcmp(a, b);
}

Interned* interned_new(void)
{
   return zalloc(1, sizeof(Interned));
}

/* Free the tree with the C library's functions, which made it. */
void interned_free(Interned* names)
{
   while (names->tree != NULL) {
      char* name = *(char**)names->tree;
      tdelete(name, &names->tree, by_text);
      free(name);
   }
   free(names);
}

const char* intern(Interned* names, const char* name)
{
   void* found = tfind(name, &names->tree, by_text);

   if (found == NULL)
      found = need(tsearch(text_copy(name), &names->tree, by_text));
   return *(const char**)found;
}
