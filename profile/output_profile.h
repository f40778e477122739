
/*--------------------------------------------------------------------*/
/*--- The Callgrind profile.              profile/output_profile.h ---*/
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

#ifndef __DCFG_OUTPUT_PROFILE_H
#define __DCFG_OUTPUT_PROFILE_H

#include "run/gather.h"

typedef
   struct {
      Bool         on;
      const HChar* out_file;
      /* As Callgrind's options of these names: */
      Bool         dump_line;
      Bool         dump_instr;
      Bool         collect_jumps;
      Bool         compress_strings;
      Bool         compress_pos;
      Bool         separate_threads;
   }
   CallgrindOptions;

/* Before the program runs: get ready to follow calls if OPTS say so.
   DCFG_FILE is where the graph is to be written, TRACE_FILE the trace, NULL
   if there is none.  What is wrong is told, and ends the tool; options that
   leave no position are told and mended. */
void DCFG_(prepare_callgrind)(CallgrindOptions* opts,
                              const HChar* dcfg_file,
                              const HChar* trace_file);

/* Write the profile of what ran so far, which is P, and say so.  TRIGGER
   is the reason, as the file has it. */
void DCFG_(report_callgrind)(const CallgrindOptions* opts, const Gathered* p,
                             const HChar* trigger);

#endif /* __DCFG_OUTPUT_PROFILE_H */


/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
