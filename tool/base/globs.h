/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lists of globs in options. */

#ifndef __DCFG_GLOBS_H
#define __DCFG_GLOBS_H

#include "pub_tool_basics.h"
#include "format/port.h"

typedef
   struct {
      const HChar* option;     // the option that gave the glob
      HChar*       text;
      Bool         matched;    // something that was collected
   }
   Glob;

/* Globs: globs with commas between them, from one option or several.  All zeros
   is an empty list. */
typedef
   struct _Globs {
      Glob*          globs;
      UInt           n;
      struct _Globs* next;     // in the list of all that are not empty
   }
   Globs;

/* Append the globs of TEXT, the value of OPTION.  Return False if one of them
   is empty. */
Bool DCFG_(add_globs)(Globs* gs, const HChar* option, const HChar* text);

/* Return whether the glob matches A, or B if B is not NULL. */
Bool DCFG_(fits_glob)(const Glob* g, const HChar* a, const HChar* b);

/* Return whether the glob matches the path of a file or its last part. */
Bool DCFG_(fits_path)(const Glob* g, const HChar* path);

/* Return whether at least one of the globs matches the name, or the path of a
   file or its last part.  Set .matched in those that do. */
Bool DCFG_(globs_fit_name)(Globs* gs, const HChar* name);
Bool DCFG_(globs_fit_path)(Globs* gs, const HChar* path);

/* At the end of the run: warn about globs of all lists that matched nothing. */
void DCFG_(tell_unused_globs)(void);

#endif /* __DCFG_GLOBS_H */
