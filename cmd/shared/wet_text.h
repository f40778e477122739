
/*--------------------------------------------------------------------*/
/*--- The text of a whole execution trace.              wet_text.h ---*/
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

#ifndef DCFG_CMD_WET_TEXT_H
#define DCFG_CMD_WET_TEXT_H

#include "cmd/base/outfile.h"

#include "lib/dcfg_wet.h"

typedef struct WetText WetText;

/* At most LIMIT bytes; 0: any number. */
WetText* wet_text_new(DcfgWet* w, uint64_t limit);

/* E, an instruction's instance, is to be in it. */
void wet_text_add(WetText* t, const DcfgWetEvent* e);

/* All of it. */
void wet_text_write(WetText* t, Outfile* out);
void wet_text_free(WetText* t);

#endif /* DCFG_CMD_WET_TEXT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
