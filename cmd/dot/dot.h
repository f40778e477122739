/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Drawings for Graphviz. */

#ifndef DCFG_CMD_DOT_H
#define DCFG_CMD_DOT_H

#include "cmd/machine/code.h"
#include "cmd/base/select.h"

/* Drawing: the program, the options and the output of a drawing. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      FILE*              out;
      uint32_t           thread;
      double             min;           // percent; parts below are left out;
                                        // negative for a routine: automatic
      int                plain;         // left to Graphviz: 1: the vertical
                                        // order; 2: also no frames for loops
      uint64_t           hot;           // blocks around a routine's hottest
                                        // one; 0: all
      const Selection*   selected;      // the hottest one is among these
      Code*              code;          // NULL: without instructions
      uint64_t           top;           // routines in a call graph; 0: all
   }
   Drawing;

void draw_routine(Drawing* d, uint32_t routine);
void draw_calls(Drawing* d);

#endif /* DCFG_CMD_DOT_H */
