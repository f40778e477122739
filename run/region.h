
/*--------------------------------------------------------------------*/
/*--- Parts of a run: when to collect.                run/region.h ---*/
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

#ifndef __DCFG_REGION_H
#define __DCFG_REGION_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Take ARG if it is one of the options that say when to collect. */
Bool DCFG_(region_option)(const HChar* arg);
void DCFG_(region_usage)(void);

/* Before the program runs.  What is wrong with the options is told, and
   ends the tool. */
void DCFG_(start_regions)(void);

/* The program or a debugger asks to collect from now on, or not to.  No
   thread is in generated code.  Returns False if that was so already. */
Bool DCFG_(collect)(Bool on);

/* What is to be translated in place of IN, which is jumped to at ENTRY and
   OUT has been made of, so that regions begin and end where they should;
   OUT itself if none does in it. */
IRSB* DCFG_(watch_places)(IRSB* in, IRSB* out, Addr entry,
                          const VexGuestLayout* layout, IRType word_ty);

/* IN shall be left before an instruction behind its first one, where a region
   may begin or end, or code that is left out: returns what is to be
   translated in place of it, which has it translated anew, up to there; or
   NULL. */
IRSB* DCFG_(cut_before_place)(IRSB* in, Addr entry,
                              const VexGuestLayout* layout, IRType word_ty);

/* At the end: say which of the options' places were never reached. */
void DCFG_(tell_missed_places)(void);

/* For 'vgdb status'. */
const HChar* DCFG_(collecting_text)(void);

#endif /* __DCFG_REGION_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
