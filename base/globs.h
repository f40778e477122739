/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lists of globs in options. */

#ifndef __DCFG_GLOBS_H
#define __DCFG_GLOBS_H

#include "pub_tool_basics.h"
#include "base/port.h"

typedef
   struct {
      const HChar* option;     // the option that gave the glob
      HChar*       text;
      Bool         matched;    // set by the owner of the list
   }
   Glob;

/* Globs: globs with commas between them, from one option or several.  All zeros
   is an empty list. */
typedef
   struct {
      Glob* globs;
      UInt  n;
   }
   Globs;

/* Append the globs of TEXT, the value of OPTION.  Return False if one of them
   is empty. */
Bool DCFG_(add_globs)(Globs* gs, const HChar* option, const HChar* text);

/* Return whether the glob matches A, or B if B is not NULL. */
Bool DCFG_(fits_glob)(const Glob* g, const HChar* a, const HChar* b);

/* Return whether at least one of the globs matches A, or B if B is not NULL. */
Bool DCFG_(fits_globs)(const Globs* gs, const HChar* a, const HChar* b);

/* Return whether the glob, or at least one of the globs, matches the path of a
   file or its last part. */
Bool DCFG_(fits_path)(const Glob* g, const HChar* path);
Bool DCFG_(globs_fit_path)(const Globs* gs, const HChar* path);

#endif /* __DCFG_GLOBS_H */
