
/*--------------------------------------------------------------------*/
/*--- Drawings for Graphviz.                                 dot.h ---*/
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

#ifndef DCFG_CMD_DOT_H
#define DCFG_CMD_DOT_H

#include "cmd/machine/code.h"
#include "cmd/base/select.h"

/* What is drawn, and where the text goes. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      FILE*              out;
      uint32_t           thread;
      double             min;           // percent; less is left out; of a
                                        // routine, if negative: as it suits
      int                plain;         // how much of the layout is left to
                                        // Graphviz: 1: what is above what;
                                        // 2: loops have no frames, either
      uint64_t           hot;           // blocks around a routine's hottest
                                        // one; 0: not only these
      const Selection*   selected;      // where the hottest one is looked for
      Code*              code;          // NULL: without instructions
      uint64_t           top;           // of a call graph's routines; 0: all
   }
   Drawing;

void draw_routine(Drawing* d, uint32_t routine);
void draw_calls(Drawing* d);

#endif /* DCFG_CMD_DOT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
