/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lists of globs in options. */

/* Owns: the form of these lists, and matching.  Handed: the texts of options.
   Taken by: run/exclude.c, logs/ids.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_seqmatch.h"

#include "base/globs.h"

/* Return the end of the first glob of LIST: a comma outside parentheses.  C++
   names have commas inside parentheses. */
static const HChar* end_of_glob(const HChar* list)
{
   Int depth = 0;

   for (; *list != 0; list++) {
      if (*list == '(')
         depth++;
      else if (*list == ')')
         depth--;
      else if (*list == ',' && depth <= 0)
         break;
   }
   return list;
}

Bool DCFG_(add_globs)(Globs* gs, const HChar* option, const HChar* text)
{
   for (;;) {
      const HChar* end = end_of_glob(text);
      SizeT        len = end - text;
      if (len == 0)
         return False;
      gs->globs = VG_(realloc)("dcfg.globs", gs->globs,
                               (gs->n + 1) * sizeof(Glob));
      Glob* g    = &gs->globs[gs->n++];
      g->option  = option;
      g->matched = False;
      g->text    = VG_(calloc)("dcfg.globs", len + 1, 1);
      VG_(memcpy)(g->text, text, len);
      if (*end == 0)
         return True;
      text = end + 1;
   }
}

Bool DCFG_(fits_glob)(const Glob* g, const HChar* a, const HChar* b)
{
   return VG_(string_match)(g->text, a)
          || (b != NULL && VG_(string_match)(g->text, b));
}

Bool DCFG_(fits_globs)(const Globs* gs, const HChar* a, const HChar* b)
{
   for (UInt i = 0; i < gs->n; i++)
      if (DCFG_(fits_glob)(&gs->globs[i], a, b))
         return True;
   return False;
}

static const HChar* last_part(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? NULL : slash + 1;
}

Bool DCFG_(fits_path)(const Glob* g, const HChar* path)
{
   return DCFG_(fits_glob)(g, path, last_part(path));
}

Bool DCFG_(globs_fit_path)(const Globs* gs, const HChar* path)
{
   return DCFG_(fits_globs)(gs, path, last_part(path));
}
