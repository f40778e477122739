/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lists of globs, as options have them. */

#ifndef __DCFG_GLOBS_H
#define __DCFG_GLOBS_H

#include "pub_tool_basics.h"
#include "base/port.h"

typedef
   struct {
      const HChar* option;     // that had it
      HChar*       text;
      Bool         matched;    // for who uses the list to set
   }
   Glob;

/* Globs with commas between them, from one option or several.  All zeros is
   an empty list. */
typedef
   struct {
      Glob* globs;
      UInt  n;
   }
   Globs;

/* Add TEXT, which came with OPTION.  Returns False if one of its globs is
   empty. */
Bool DCFG_(add_globs)(Globs* gs, const HChar* option, const HChar* text);

/* Does the glob match A, or B if it is not NULL? */
Bool DCFG_(fits_glob)(const Glob* g, const HChar* a, const HChar* b);

/* Does one of them? */
Bool DCFG_(fits_globs)(const Globs* gs, const HChar* a, const HChar* b);

/* Does it match the path of a file, or its last part? */
Bool DCFG_(fits_path)(const Glob* g, const HChar* path);
Bool DCFG_(globs_fit_path)(const Globs* gs, const HChar* path);

#endif /* __DCFG_GLOBS_H */
