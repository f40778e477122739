
/*--------------------------------------------------------------------*/
/*--- Lists of globs, as options have them.           base/globs.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
