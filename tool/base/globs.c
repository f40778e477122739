/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lists of globs in options. */

/* Owns: the form of these lists, matching, and the warning about globs that
   matched nothing.  Handed: the texts of options.  Taken by: tool/run/exclude.c,
   tool/calls/active.c, dcfg_main.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_seqmatch.h"

#include "tool/base/globs.h"

static Globs*  all;             // lists that are not empty, in the order of
static Globs** end_of_all = &all;   // options

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
   if (gs->n == 0) {
      *end_of_all = gs;
      end_of_all  = &gs->next;
   }
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

static const HChar* last_part(const HChar* path)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   return slash == NULL ? NULL : slash + 1;
}

Bool DCFG_(fits_path)(const Glob* g, const HChar* path)
{
   return DCFG_(fits_glob)(g, path, last_part(path));
}

static Bool globs_fit(Globs* gs, const HChar* a, const HChar* b)
{
   Bool any = False;

   for (UInt i = 0; i < gs->n; i++)
      if (DCFG_(fits_glob)(&gs->globs[i], a, b))
         any = gs->globs[i].matched = True;
   return any;
}

Bool DCFG_(globs_fit_name)(Globs* gs, const HChar* name)
{
   return globs_fit(gs, name, NULL);
}

Bool DCFG_(globs_fit_path)(Globs* gs, const HChar* path)
{
   return globs_fit(gs, path, last_part(path));
}

void DCFG_(tell_unused_globs)(void)
{
   for (const Globs* gs = all; gs != NULL; gs = gs->next)
      for (UInt i = 0; i < gs->n; i++)
         if (!gs->globs[i].matched)
            VG_(umsg)("dcfg: warning: %s=%s matches no code that ran while "
                      "the tool collected: patterns match whole names, see "
                      "dcfg report --wide\n",
                      gs->globs[i].option, gs->globs[i].text);
}
